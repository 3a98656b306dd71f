"""WEKA as a contestant, from its command line: Debian's package `weka`, or the jar that WEKA_JAR names.

Its experimenter trains on the first four fifths of an ARFF file and tests on the rest, twice in one virtual
machine. The second time counts, when Java has compiled what it needs; starting and reading are not in it.
"""

import csv
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.workload import Contestant, Reported, folder

__all__ = ["absence", "contestant", "version", "write_arff"]

JAR = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))


class Tested(NamedTuple):
    """What WEKA says of a classifier: right answers, of those that it gave (Id3 leaves rows out)."""

    right: int
    answered: int


def absence() -> str | None:
    if shutil.which("java") is None:
        return "java is not installed"
    return None if JAR.exists() else f"WEKA is not installed: no {JAR}"


def version() -> str | None:
    """The jar's own word."""
    if absence():
        return None
    with zipfile.ZipFile(JAR) as jar:
        return jar.read("weka/core/version.txt").decode().strip().replace("-", ".")


def contestant(classifier: str, write: Callable) -> Contestant:
    """A classifier by name and options, such as "trees.J48 -U", and how its ARFF file is written."""

    def quality(tested, _path, _predicted):
        return {"held-out accuracy": tested.right / tested.answered}

    return Contestant(write, lambda path: _train_and_test(path, classifier), quality=quality, needs=absence)


def write_arff(columns, values) -> Path:
    """Write columns by name, the target last, unless they are written; values : by name, of nominal ones."""
    import polars as pl

    frame = pl.DataFrame(columns)
    path = folder() / f"{frame.hash_rows(0).sum()}.arff"
    if not path.exists():
        kinds = {
            name: "{" + ",".join(values[name]) + "}" if name in values else "numeric" for name in columns
        }
        head = "\n".join(
            ["@relation bench", *(f"@attribute {n} {kind}" for n, kind in kinds.items()), "@data"]
        )
        path.write_text(f"{head}\n{frame.write_csv(include_header=False)}", encoding="utf-8")
    return path


def _train_and_test(path: Path, classifier: str) -> Reported:
    name, *options = classifier.split()
    with tempfile.TemporaryDirectory(dir=folder()) as place:
        results = Path(place) / "results.csv"
        command = f"""java -XX:+UseSerialGC -cp {JAR} weka.experiment.Experiment -r -T {path} -L 1 -U 2
            -P weka.experiment.RandomSplitResultProducer""".split()
        command += ["-D", f"weka.experiment.CSVResultListener -O {results}"]
        command += ["--", "-P", "80", "-R", "-W", "weka.experiment.ClassifierSplitEvaluator", "--"]
        command += ["-W", f"weka.classifiers.{name}", "--", *options]
        subprocess.run(command, cwd=place, capture_output=True, check=True)
        *_, last = csv.DictReader(results.read_text().splitlines())
    right, wrong = (int(float(last[column])) for column in ("Number_correct", "Number_incorrect"))
    return Reported(Tested(right, right + wrong), float(last["Elapsed_Time_training"]))
