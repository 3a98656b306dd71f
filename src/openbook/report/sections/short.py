"""The summary; and at the end, the skipped analyses and how to reproduce the study."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from openbook.report import words
from openbook.report.blocks import (
    Answers,
    Block,
    Code,
    Findings,
    Fold,
    Items,
    Paragraph,
    Sheet,
    TableLine,
    section,
)
from openbook.report.exploration import Exploration
from openbook.report.study import StudyResult
from openbook.words.sentences import plural

#: The most warnings at the top; all are in their own parts.
_MOST_WARNINGS = 4

#: The subject of the figures and tables of a part.
_SUBJECTS = {
    "ranking": "the ranking",
    "choice": "the choice",
    "test": "the final test",
    "model": "the model",
    "errors": "its errors",
    "learning": "its learning curve",
    "attributes": "the importance of columns",
}


@section("short", "In short")
def in_short(result: StudyResult, numbers: Mapping[str, Sequence[str]]) -> Iterator[Block]:
    """The answer; `numbers` are those of the figures and tables of each part."""
    yield from (Paragraph(words.headline(result), "verdict"), Answers(list(_answers(result))))
    sentences = (
        result.choice.reason,
        words.verdict(result),
        words.threshold(result),
        words.balanced(result),
        words.money(result),
        str(result.looks.unlabelled or ""),
        str(result.looks.asked or ""),
    )
    yield from (Paragraph(sentence, "verdict") for sentence in sentences if sentence)
    warnings = list(_warnings(result))
    shown = [*warnings[:_MOST_WARNINGS]]
    if more := len(warnings) - len(shown):
        shown.append(("warn", f"{plural(more, 'more warning')}", "below, with the data and the leaks."))
    if shown:
        yield Findings(shown)
    where = [f"{what} in {_together(numbers[part])}" for part, what in _SUBJECTS.items() if part in numbers]
    if where:
        yield Paragraph(f"{words.title('; '.join(where))}.", "note")


def _together(numbers: Sequence[str]) -> str:
    """Figures and tables in a sentence.

    >>> _together(["Table 1", "Figure 2", "Figure 3", "Figure 4", "Figure 6"])
    'Table 1, Figures 2 to 4 and 6'
    """
    parts = []
    for kind in dict.fromkeys(number.split()[0] for number in numbers):
        own = [int(number.split()[1]) for number in numbers if number.startswith(kind)]
        runs = [[k for _, k in run] for _, run in groupby(enumerate(own), lambda at: at[1] - at[0])]
        spans = [f"{run[0]} to {run[-1]}" if len(run) > 2 else " and ".join(map(str, run)) for run in runs]
        parts.append(f"{kind}{'s' if len(own) > 1 else ''} {' and '.join(spans)}")
    return ", ".join(parts)


def _answers(result: StudyResult) -> Iterator[tuple[str, str, str]]:
    metric = words.title(result.comparison.metric().words)
    kinds = ("leave-one-out", "time-ordered")
    how = next((kind for kind in kinds if result.protocol.startswith(kind)), "cross-validated")
    for what, label, score, interval in words.contenders(result):
        yield f"{what}: {label}", score, f"{interval}; {result.comparison.metric().words}, {how}"
    if result.tests:
        chosen = result.tests[result.choice.label]
        n = plural(len(chosen.predictions.truth), "row")
        yield f"{metric} on {n} never used before", words.score_words(chosen.score()), str(chosen.interval())


def _warnings(result: StudyResult) -> Iterator[tuple[str, str, str]]:
    """The reasons to doubt the results, the most serious first."""
    if caution := words.caution(result):
        yield "warn", "few rows", caution
    leaks = result.looks.leaks.warnings if result.looks.leaks is not None else ()
    yield from map(words.finding_cells, leaks)
    known = {(one.kind, one.columns) for one in leaks}
    others = [one for one in result.description.findings if (one.kind, one.columns) not in known]
    yield from (one for one in words.grouped_findings(others) if one[0] == "warn")


#: The names of the analyses for readers.
_NAMES = {
    "attributes": "the score of each column",
    "leaks": "leaks",
    "without_suspects": "the score without the columns that give the target away",
    "mistakes": "the most confident mistakes",
    "documents": "the errors by document",
    "segments": "the worst segments",
    "fairness": "fairness",
    "costs": "costs",
    "unlabelled": "the effect of the unlabelled rows",
    "asked": "the effect of the requested labels",
    "sequences": "rows, sequences and spans",
    "importance": "permutation importance",
    "curve": "the learning curve",
    "diagnosis": "the diagnosis",
}


@section("not-taken", "Skipped analyses")
def skipped(result: StudyResult) -> Iterator[Block]:
    reasons: dict[str, list[str]] = {}
    for look, reason in result.looks.why_not.items():
        reasons.setdefault(reason, []).append(_NAMES.get(look, look))
    if reasons:
        yield Items([f"{words.title(', '.join(looks))}: {reason}." for reason, looks in reasons.items()])


_COMMANDS = """\
openbook study plan.toml          # the same study
openbook export plan.toml         # the same study as a Python script
openbook predict model.openbook new.csv -o predicted.csv
openbook work model.openbook new.csv --row 0"""

_TREE = """
openbook rules model.openbook --format sql
openbook draw model.openbook -o tree.svg"""


@section("again", "Reproduce")
def reproduce(result: StudyResult) -> Iterator[Block]:
    tree = getattr(result.model, "tree_", None) is not None
    yield Paragraph(
        "The plan records the fingerprint of the data, the learners and their parameters, the split and"
        " its seed. The same plan with the same versions gives the same results."
    )
    yield Code(_COMMANDS + (_TREE if tree else ""))
    yield Paragraph(words.model_words(result), "note")
    where = "results.jsonl, one line for each learner and fold"
    yield from versions_and_plan(result, ("all predictions", where))


def versions_and_plan(result: StudyResult | Exploration, file: tuple[str, str]) -> Iterator[Block]:
    """The versions, the seed and the fingerprint of the data, the name of a file, and the plan."""
    plan = tomllib.loads(result.plan)
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    facts = [("versions", versions)]
    if (random_state := plan.get("protocol", {}).get("random_state")) is not None:
        facts.append(("seed", str(random_state)))
    if fingerprint := plan.get("data", {}).get("sha256"):
        facts.append(("SHA-256 of the data", fingerprint))
    yield Sheet("Versions and seed", ("", ""), tuple(map(TableLine, [*facts, file])))
    yield Fold("plan.toml", [Code(result.plan)])
