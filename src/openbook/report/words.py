"""The sentences of a report; the command line says some of them too."""

import math
from collections.abc import Sequence

from openbook.data.findings import Finding, plural
from openbook.judge import Evaluation, difference
from openbook.judge.splits import TINY
from openbook.report.study import Example, StudyResult
from openbook.work.step import cell

__all__ = [
    "beside_baseline",
    "best_baseline",
    "caution",
    "cell_words",
    "example_words",
    "grouped",
    "model_words",
    "p_words",
    "protocol_words",
    "score_words",
    "tags",
    "test_words",
    "title",
]

#: Findings of one kind that are spelt out.
_SPELT_OUT = 3


def title(words: str) -> str:
    """The words as they begin a sentence."""
    return words[:1].upper() + words[1:]


def score_words(score: float) -> str:
    """A score in few digits."""
    if math.isnan(score):
        return "undefined"
    return f"{score:.3f}" if abs(score) < 100 else f"{score:.4g}"


def p_words(p: float) -> str:
    """A p-value in few digits, never a flat zero."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def cell_words(value: object) -> str:
    """A cell of the table."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "missing"
    return cell(value)


def best_baseline(result: StudyResult) -> str | None:
    """The label of the baseline with the best score."""
    ranked = [row.label for row in result.comparison.rows()]
    return next((label for label in ranked if label in result.baselines), None)


def beside_baseline(result: StudyResult) -> str:
    """How the choice stands beside the baselines, for those who read one sentence."""
    chosen = result.choice.label
    if chosen in result.baselines:
        return (
            f"{chosen} is a baseline: on these {plural(result.rows, 'row')} nothing is significantly"
            " better than so simple a rule. More rows or better columns may change that."
        )
    if (baseline := best_baseline(result)) is None:
        return ""
    test = difference(result.comparison[chosen], result.comparison[baseline])
    return f"Against {baseline}, the best baseline: {test}."


def tags(result: StudyResult, label: str) -> list[str]:
    """What is said behind a learner's name in the ranking."""
    named = (("baseline", result.baselines), ("not offered", result.choice.withheld))
    return [tag for tag, labels in named if label in labels]


def test_words(result: StudyResult, chosen: Evaluation) -> str:
    return (
        f"{plural(len(chosen.predictions.truth), 'row')} were locked away before any learner was tried. After"
        f" the choice was made, {result.choice.label} and the baselines were fitted on the other rows and met"
        " these once. This is the fairest figure here, and stays so as long as nobody chooses by it."
    )


def model_words(result: StudyResult) -> str:
    """What the model file holds."""
    label, rows = result.choice.label, f"{result.rows:,} rows"
    if result.tests:
        return (
            f"model.openbook holds {label}, fitted on the {rows} that were not locked away: the very model"
            " that the final test is about. A model of all rows may be a little better, but nothing here was"
            " measured on it."
        )
    return (
        f"model.openbook holds {label}, fitted on all {rows}; its score is that of models of fewer rows each."
    )


def protocol_words(result: StudyResult) -> list[str]:
    """How the learners were judged, a sentence each."""
    learners = plural(len(result.comparison.evaluations), "learner")
    split = result.protocol.partition(". ")[0] if result.rows < TINY else result.protocol
    locked = (
        "No rows were locked away for a final test, so the score of the choice is a little flattered by"
        " having been chosen."
    )
    if result.tests:
        rows = len(next(iter(result.tests.values())).predictions.truth)
        which = {
            "time": "the last",
            "group": "whole groups, spread over the target like the others",
        }
        how = next(
            (how for role, how in which.items() if role in result.roles),
            "spread over the target like the others",
        )
        locked = f"{rows:,} rows, {how}, were locked away and met once."
    return [
        f"{learners} were judged on {plural(result.rows, 'row')} by {split}.",
        "Everything was fitted inside the fold: no learner was judged on rows that it had learnt from.",
        locked,
        f"Learners are ranked by {result.comparison.metric().words}.",
    ]


def caution(result: StudyResult) -> str:
    """What the protocol cannot show, where the rows are few."""
    if result.rows >= TINY:
        return ""
    return f"{result.protocol.partition('. ')[2]}. Read the intervals before the scores."


def example_words(result: StudyResult, example: Example) -> str:
    """Which row it is, what its target is, and which model predicts it."""
    name = "" if example.name is None else f" ({result.roles['id']} {cell_words(example.name)})"
    kind = (
        "a row that was locked away, predicted by the model in the file"
        if example.locked
        else "predicted by the model of its fold, which had not seen it"
    )
    truth = cell_words(example.truth)
    return f"Row {example.row}{name}, {kind}; its {result.target} is {truth}. Rows count from 0."


def grouped(findings: Sequence[Finding]) -> list[tuple[str, str, str]]:
    """Severity, place and message of each finding; of many of one kind a few, and where the others are."""
    kinds: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        kinds.setdefault((finding.severity, finding.kind), []).append(finding)
    told = []
    for (severity, kind), group in kinds.items():
        spelt_out = group if len(group) <= _SPELT_OUT + 1 else group[:_SPELT_OUT]
        told += [(severity, _place(finding.columns), finding.message) for finding in spelt_out]
        if others := group[len(spelt_out) :]:
            columns = [name for finding in others for name in finding.columns]
            told.append(
                (
                    severity,
                    f"{plural(len(others), 'column')} more",
                    f"likewise ({kind}): {_place(columns, 12)}.",
                )
            )
    return told


def _place(columns: Sequence[str], most: int = 4) -> str:
    if not columns:
        return "the table"
    more = f" and {len(columns) - most} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more
