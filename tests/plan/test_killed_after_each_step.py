"""Killed after each line that it writes, a study loses nothing, does nothing twice, and ends the same."""

import json
import os
import random
import subprocess
import sys

import pytest

from openbook.plan import make_plan, run
from openbook.plan.explore import explore
from openbook.plan.explore_make import make_exploration
from openbook.plan.explore_plan import ExplorePlan

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL"),
]

# Runs a plan again and again, each time in a process that kills itself after the first line that it writes;
# prints how many lines there were after each, until one run ends by itself.
DIES = """
import json, os, signal, sys
from pathlib import Path
from openbook.plan import run
from openbook.plan.explore import explore
from openbook.plan.explore_plan import ExplorePlan, open_plan
from openbook.plan.log import Log
from openbook.plan.rows import StudyRows
folder, write, final, counts = Path(sys.argv[1]), Log._write, StudyRows._final, []
def write_and_die(self, record):
    write(self, record)
    os.kill(os.getpid(), signal.SIGKILL)
def fit_and_tell(*args, **named):
    fitted = final(*args, **named)
    with (folder.parent / "fits").open("a") as file:
        file.write("a final fit\\n")
    return fitted
Log._write, StudyRows._final = write_and_die, fit_and_tell
plan = open_plan(folder / "plan.toml")
while True:
    if not (child := os.fork()):
        (explore if isinstance(plan, ExplorePlan) else run)(plan, folder, workers=1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    counts.append((folder / "results.jsonl").read_bytes().count(b"\\n"))
    if not os.WIFSIGNALED(status):
        break
print(json.dumps([counts, os.WEXITSTATUS(status)]))
"""


def rare_with_a_leak(folder):
    """A rare class, so that a threshold is tuned, and a column that gives it away."""
    rng = random.Random(4)
    lines = ["a,b,told,y"]
    for i in range(150):
        bad = i % 6 == 0
        lines.append(f"{rng.gauss(bad, 1):.3f},{rng.gauss(0, 1):.3f},{'pq'[bad]},{'bad' if bad else 'good'}")
    (folder / "rare.csv").write_text("\n".join(lines))
    return folder / "rare.csv"


FEW = {"only": ["naive_bayes"], "cv": 2, "repeats": 1, "test_share": 0.3}
PLANS = {
    "usual": lambda _: make_plan("iris", **FEW),
    "thorough": lambda folder: make_plan(rare_with_a_leak(folder), "y", effort="thorough", **FEW),
    "numbers": lambda _: make_plan("diabetes", **{**FEW, "only": ["linear_regression"], "choose": "mean"}),
    "exploration": lambda _: make_exploration("weather"),
}
#: Some of the lines that must be there.
STEPS = {
    "usual": ["examples", "leaks", "importance", "curve", "diagnosis", "segments", "mistakes"],
    "thorough": ["importance", "threshold", "without told"],
    "numbers": ["examples", "curve"],
    "exploration": ["number of clusters", "model", "clusters", "oddities", "associations"],
}


def carry_out(plan, folder, said):
    (explore if isinstance(plan, ExplorePlan) else run)(plan, folder, workers=1, say=said.append)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("which", PLANS)
def test_nothing_is_lost_and_nothing_done_twice(tmp_path, which):
    plan = PLANS[which](tmp_path)
    expected = carry_out(plan, tmp_path / "whole", [])
    folder = tmp_path / "killed"
    folder.mkdir()
    plan.save(folder / "plan.toml")
    done = subprocess.run(
        [sys.executable, "-c", DIES, str(folder)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    counts, status = json.loads(done.stdout)
    assert status == 0, done.stderr
    total = expected["results.jsonl"].count(b"\n")
    # the first line is the header; each run adds one line, since it finds the others done
    assert counts == [*range(2, total + 1), total]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == expected
    if which != "exploration":  # each model is fitted in one run, and the others read it
        models = 2 if which == "numbers" else 1  # beside a baseline that was named, the best learner
        assert (tmp_path / "fits").read_text() == models * "a final fit\n"
    records = [json.loads(line) for line in expected["results.jsonl"].splitlines()]
    names = [record.get("look", record["part"]) for record in records[1:]]
    assert set(STEPS[which]) <= set(names)
    assert any(name.startswith("settings of ") for name in names) == (which == "thorough")


@pytest.mark.parametrize("which", ["usual", "exploration"])
def test_it_says_that_it_resumes(tmp_path, which):
    plan, said = PLANS[which](tmp_path), []
    carry_out(plan, tmp_path / "study", said)
    assert not any(words.startswith("Resuming") for words in said)
    lines = (tmp_path / "study" / "results.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "study" / "results.jsonl").write_bytes(b"".join(lines[:-2]))
    carry_out(plan, tmp_path / "study", said)
    assert any(words.startswith("Resuming: ") for words in said)
