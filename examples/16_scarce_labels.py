"""Scarce labels: one row in fifty has a label; fifty more are requested, and a study shows their effect.

Somebody who knows the labels answers `openbook label`, one question at a time, and then the questions that
tell whether the answers helped. Some 20,000 rows that nobody sees tell the truth in the end, and what was
said must agree with it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import openbook as ob

#: The command `openbook`, of the Python that runs this.
OPENBOOK = [sys.executable, "-c", "from openbook.cli.main import app; app()"]
QUESTIONS = 50
LEARNERS = ["naive_bayes", "naive_bayes_em", "k_neighbors"]


def answered(table, target, truth, folder):
    """The file that `openbook label` writes once QUESTIONS were answered; `truth` has the labels."""
    source, classes = folder / "rows.csv", sorted(set(truth))
    table.to_polars().write_csv(source)
    command = [*OPENBOOK, "label", source.name, "--target", target]
    command += ["--classes", ",".join(classes)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": folder}
    answers, row = 0, None
    with subprocess.Popen(command, **pipes) as label:  # noqa: S603 (our own command)
        for line in label.stdout:
            if line.startswith("Row "):
                row = int(line.removeprefix("Row ").split(",")[0])
            if line.startswith(f"{target}?"):
                keys = dict(part.split("] ")[::-1] for part in line.split("·")[0].split("[")[1:])
                key = {name.strip(): key for name, key in keys.items()}[truth[row]]
                print("q" if answers == QUESTIONS else key, file=label.stdin, flush=True)
                answers += 1
            if "more?" in line:
                print("y", file=label.stdin, flush=True)
            if line.startswith("Without and with your answers"):
                print(line, *label.stdout, sep="", end="")
    return folder / "rows.labelled.csv"


def told(result):
    """What a study says of the accuracy of the model that it chose."""
    chosen = result.comparison[result.choice.label]
    return f"{result.choice.label}, accuracy {chosen.score('accuracy'):.3f} {chosen.interval('accuracy')}"


def shown(name, result, held_out, target):
    """A line: what a study says, and what is true."""
    X, y = held_out.split(target)
    true = (np.asarray(result.model.predict(X)) == np.asarray(y)).mean()
    print(f"{name}: {told(result)}; on {len(held_out):,} rows never seen {true:.3f}")


def the_whole_path(pool, held_out, target, every=50):
    """Study, label, study again."""
    folder = Path(tempfile.mkdtemp())
    truth = [str(label) for label in pool.column(target).tolist()]
    few = [label if i % every == 0 else None for i, label in enumerate(truth)]
    table = ob.read({**{name: pool.column(name).tolist() for name in pool.names}, target: few})
    labelled = answered(table, target, truth, folder)
    for name, rows in (("before", folder / "rows.csv"), ("after ", labelled)):
        result = ob.study(rows, target, quick=True, only=LEARNERS, folder=folder / name, progress=False)
        shown(name, result, held_out, target)
    print(next(note for note in result.notes if "requested" in note and "training" in note))
    print(result.looks.asked)
    everything = ob.study(
        labelled, target, quick=True, only=LEARNERS, ignore=[f"{target}_asked"], progress=False
    )
    shown("if the requested rows were tested, too", everything, held_out, target)


if __name__ == "__main__":
    rows = ob.load("moons", rows=23_000, noise=0.3, random_state=1)
    rows = rows.take(np.random.default_rng(0).permutation(len(rows)))
    the_whole_path(rows.take(np.arange(3_000)), rows.take(np.arange(3_000, 23_000)), "class")
