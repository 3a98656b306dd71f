"""What a study found, as data; `html.py` and the command line show it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openbook.data import Column, Table
from openbook.data.describe import Description
from openbook.judge import Choice, Comparison, Evaluation
from openbook.work import Work

__all__ = ["Example", "StudyResult"]


@dataclass(frozen=True)
class Example:
    """A row that was predicted, and how.

    Parameters
    ----------
    row : its position in the table, from 0
    cells : its inputs
    truth : its target
    locked : whether it is one of the rows that were locked away
    works : the derivation by learner, of `StudyResult.models`
    """

    row: int
    cells: Mapping[str, Any]
    truth: Any
    locked: bool
    works: Mapping[str, Work]


@dataclass(frozen=True)
class StudyResult:
    """The outcome of a study.

    Parameters
    ----------
    name : what the data are called
    plan : the plan, as TOML
    target : the column that is predicted
    notes : how the plan came about, in words
    description : of the whole table
    protocol : how the learners were judged, in words
    comparison : of all learners, on the rows that were not locked away
    baselines : their labels
    choice : Occam's choice, and why
    tests : the choice and the baselines on the rows that were locked away; empty where none were
    models : the learners that are worked, fitted on the rows that were not locked away: the chosen one and,
        where that is a baseline, the best of the others that are offered
    training : those rows, inputs and target
    rows : how many those are
    example : a prediction of it, worked
    versions : of the software
    folder : where plan.toml, results.jsonl, report.html and model.openbook are
    """

    name: str
    plan: str
    target: str
    notes: tuple[str, ...]
    description: Description
    protocol: str
    comparison: Comparison
    baselines: tuple[str, ...]
    choice: Choice
    tests: Mapping[str, Evaluation]
    models: Mapping[str, Any]
    training: tuple[Table, Column]
    rows: int
    example: Example
    versions: Mapping[str, str]
    folder: Path

    @property
    def model(self) -> Any:
        """The chosen learner, fitted."""
        return self.models[self.choice.label]

    @property
    def report(self) -> Path:
        return self.folder / "report.html"

    @property
    def model_file(self) -> Path:
        return self.folder / "model.openbook"
