"""Two studies side by side: differences of their plans, their choices, and comparisons of the learners."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from openbook.errors import PlanError
from openbook.judge import Comparison, choose, side_by_side
from openbook.plan.log import Log
from openbook.plan.plan import Plan
from openbook.plan.rows import StudyRows
from openbook.words.numbers import shown
from openbook.words.sentences import plural
from openbook.work import Grid, Work

#: The letters of a file's fingerprint that are shown.
_OF_FINGERPRINT = 12


@dataclass(frozen=True)
class SavedStudy:
    """A study that was saved in a folder."""

    name: str
    plan: Plan
    rows: StudyRows
    log: Log
    comparison: Comparison

    @classmethod
    def open(cls, folder: Path) -> "SavedStudy":
        for file in ("plan.toml", "results.jsonl"):
            if not (folder / file).is_file():
                what = f"{folder} holds no study: there is no {file}"
                raise PlanError(f"{what}; name a folder of openbook study")
        plan = Plan.open(folder / "plan.toml")
        rows = StudyRows(plan, plan.data.checked(plan.data.read()))
        log = Log(folder / "results.jsonl", plan.fingerprint)
        return cls(str(folder), plan, rows, log, rows.comparison(log))

    @property
    def choice(self) -> str:
        return choose(self.comparison, self.plan.choose, self.plan.margin).label

    @property
    def predicted(self) -> dict[int, str]:
        """The choice's prediction for each row of the table that the folds of the first round test."""
        evaluation = self.comparison[self.choice]
        rows = np.concatenate([fold.rows for fold in evaluation.first_round])
        labels = evaluation.decoded(evaluation.one_round.predicted)
        return dict(zip(self.rows.known[rows].tolist(), map(str, labels.tolist()), strict=True))

    @property
    def tested(self) -> str:
        """The score of the choice on the rows that were held out."""
        if ("test", self.choice, 0) not in self.log.results:
            return "no rows were held out" if not len(self.rows.locked) else "not tested yet"
        evaluation = self.rows.evaluation(self.choice, [self.log.results["test", self.choice, 0]])
        return f"{evaluation.metric().words} {shown(evaluation.score())} {evaluation.interval()}"


def beside(a: Path, b: Path) -> Work:
    """The two studies in these folders; nothing is run or written."""
    if a.resolve() == b.resolve():
        raise PlanError(f"{a} and {b} are the same folder; name two studies")
    one, other = SavedStudy.open(a), SavedStudy.open(b)
    names = (one.name, other.name)
    differ = list(_differences(one.plan, other.plan))
    plans = Grid("Differences between the plans", ("", *names), differ)
    rows = [
        ("choice", one.choice, other.choice),
        ("ranked by", *(each.comparison.metric().words for each in (one, other))),
        ("protocol", *(each.rows.protocol.words.partition(". ")[0] for each in (one, other))),
        ("final test", one.tested, other.tested),
    ]
    chosen = Grid("Choices", ("", *names), rows)
    decisions = _decisions(one, other)
    compared = side_by_side(one.comparison, other.comparison, names).work()
    parts = (plans, chosen, *compared.parts) if differ else (chosen, *compared.parts)
    same = "" if differ else "The plans are the same. "
    return Work(compared.title, parts, f"{same}{decisions} {compared.conclusion}")


def _decisions(one: SavedStudy, other: SavedStudy) -> str:
    """Whether the two studies choose different learners or make different predictions."""
    words = f"Both studies choose {one.choice}."
    if one.choice != other.choice:
        choices = f"{one.name} chooses {one.choice}, {other.name} {other.choice}"
        words = f"The studies decide differently: {choices}."
    if one.plan.data.sha256 != other.plan.data.sha256 or one.plan.roles.target != other.plan.roles.target:
        return words
    ours, theirs = one.predicted, other.predicted
    both = ours.keys() & theirs.keys()
    if not both or "regression" in (one.plan.task, other.plan.task):
        return words
    apart = sum(ours[row] != theirs[row] for row in both)
    rows = f"{apart:,} of {plural(len(both), 'row')} of the folds"
    return f"{words} Their choices predict differently for {rows}."


def _differences(a: Plan, b: Plan) -> Iterator[tuple[str, str, str]]:
    """The parts in which two plans differ, by key, in the order of the file."""
    ours, theirs = (dict(_flat(_keyed(plan.to_record()))) for plan in (a, b))
    for key in {**ours, **theirs}:
        if ours.get(key) != theirs.get(key):
            most = _OF_FINGERPRINT if key == "data.sha256" else None
            yield key, _shown(ours.get(key))[:most], _shown(theirs.get(key))[:most]


def _keyed(record: dict[str, Any]) -> dict[str, Any]:
    """The record without its notes, learners by label and hypotheses by name."""
    lists = {"learners": "label", "hypotheses": "name"}
    plain = {key: part for key, part in record.items() if key != "notes" and key not in lists}
    named = {
        key: {item[by]: {k: v for k, v in item.items() if k != by} for item in record.get(key, ())}
        for key, by in lists.items()
    }
    return {**plain, **named}


def _flat(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every value by its dotted key; a learner is one value."""
    for key, value in record.items():
        if isinstance(value, Mapping) and prefix.count(".") < 1:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _shown(value: Any) -> str:
    if value is None or value == []:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(part)}" for key, part in value.items() if part not in ({}, []))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
