"""Findings in one column, and in the target column.

Every rule looks at known cells only, and asks for enough of them to be more than chance.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from openbook.data.findings.finding import INDIVIDUALS, ROWS_EACH, TINY, Finding
from openbook.data.findings.numbers import number_findings
from openbook.data.findings.spellings import near_words, same_words
from openbook.data.scripts import in_pairs
from openbook.data.summary import ColumnFacts, ColumnSummary
from openbook.words.numbers import short
from openbook.words.sentences import plural

_ENOUGH_FOR_ID, _NEARLY_ALL = 10, 0.95
#: id, patient_id, Patient ID, patientId, userid, subject; but not paid, nor patients, which counts them.
_WHOM = "client|customer|participant|patient|person|student|subject|user"
_CALLED_ID = re.compile(rf"(?:^|[^a-z])id$|(?:^|[^A-Z])I[Dd]$|^(?i:{_WHOM})(?i:id)?$")
_MOSTLY_MISSING = 0.5
_NEAR_CONSTANT = 0.99
_SPELLINGS_CAP = 5000
_SHOWN = 5


def column_findings(facts: ColumnFacts, *, is_target: bool) -> Iterator[Finding]:
    """All findings that need no other column."""
    summary = facts.summary
    yield from _gaps(summary, is_target=is_target)
    yield from _infinite(summary)
    yield from _unseen(summary)
    if summary.distinct <= 1:
        yield from _constant(summary, is_target=is_target)
    elif not is_target and (evidence := _identifier_evidence(facts)):
        message = f"likely an identifier: {evidence}. A model would memorise rows; a study leaves it out."
        if summary.is_unclear:
            message = f"{evidence}: a study leaves it out until its kind is clear; {summary.why}."
        elif summary.distinct < _NEARLY_ALL * summary.known:
            message += (
                f" If rows of one value belong together (a person, a machine), use groups={summary.name!r}."
            )
        yield Finding("identifier", (summary.name,), "warn", message)
    elif not is_target and _is_near_constant(facts):
        others = plural(summary.known - int(facts.counts.max()), "cell")
        message = f"nearly constant: all but {others} of {summary.known:,} have the same value."
        yield Finding("near constant", (summary.name,), "note", message)
    elif summary.kind == "numeric":
        yield from number_findings(facts)
    elif summary.kind in ("nominal", "ordinal", "labels"):
        yield from _spellings(_by_label(facts))
    elif summary.kind == "text" and not is_target:
        override = f'kinds={{"{summary.name}": "nominal"}}'
        message = f"free text: a study reads its words. If these are categories, read with {override}."
        yield Finding("free text", (summary.name,), "note", message)


def target_findings(facts: ColumnFacts) -> Iterator[Finding]:
    """What only matters for a target: its kind, and how its classes are spread."""
    summary = facts.summary
    columns = (summary.name,)
    if summary.kind == "text":
        override = f'kinds={{"{summary.name}": "nominal"}}'
        yield Finding(
            "target", columns, "warn", f"the target is free text. If these are classes, read with {override}."
        )
    elif summary.kind != "numeric" and summary.distinct > 1:
        yield from _rare_classes(_by_label(facts))
        yield from _imbalance(facts) if summary.kind != "labels" else ()


def _by_label(facts: ColumnFacts) -> ColumnFacts:
    """The facts of each label, where cells are sets of labels; else as they are."""
    if facts.summary.kind != "labels":
        return facts
    labels = facts.summary.top_values
    return replace(
        facts, names=tuple(label for label, _ in labels), counts=np.array([count for _, count in labels])
    )


def _gaps(summary: ColumnSummary, *, is_target: bool) -> Iterator[Finding]:
    columns, share = (summary.name,), f"{summary.missing_share:.0%}"
    if summary.rows and summary.missing == summary.rows:
        yield Finding("missing", columns, "warn", "every cell is missing; leave it out.")
    elif is_target and summary.missing:
        rows = plural(summary.missing, "row")
        message = f"the target is missing in {rows}, never tested and left out by most learners."
        yield Finding("target missing", columns, "warn", message)
    elif summary.missing_share > _MOSTLY_MISSING:
        message = (
            f"mostly missing: {summary.missing:,} of {plural(summary.rows, 'cell')} ({share}). Find out why; "
            "if missingness is informative, make it a category; otherwise leave the column out."
        )
        yield Finding("missing", columns, "warn", message)


def _infinite(summary: ColumnSummary) -> Iterator[Finding]:
    if summary.infinite:
        message = (
            f"{plural(summary.infinite, 'infinite number')}, left out of the statistics. Often a division by "
            "zero; correct it at the source or make it missing."
        )
        yield Finding("infinite", (summary.name,), "warn", message)


def _unseen(summary: ColumnSummary) -> Iterator[Finding]:
    if summary.unseen:
        cells = plural(summary.unseen, "cell")
        message = f"{cells} with a value that is not in the schema; learners treat it as unknown."
        yield Finding("unseen", (summary.name,), "note", message)


def _constant(summary: ColumnSummary, *, is_target: bool) -> Iterator[Finding]:
    if summary.rows < 2 or summary.distinct == 0 or summary.unseen:
        return
    if is_target:
        message = "the target has only one value, so there is nothing to predict."
    elif summary.missing:
        message = "all known cells have the same value; only whether a cell is missing can be informative."
    else:
        message = "every row has the same value; leave it out."
    yield Finding("constant", (summary.name,), "warn", message)


def _identifier_evidence(facts: ColumnFacts) -> str:
    """Why the column looks like a name for its row; empty if it does not."""
    known, distinct = facts.summary.known, facts.summary.distinct
    if known < _ENOUGH_FOR_ID:
        return ""
    if facts.summary.kind == "numeric":
        return _running_number(facts) or _repeated_number(facts)
    if facts.summary.kind == "datetime" or distinct < _NEARLY_ALL * known:
        return ""  # moments differ by nature
    if facts.summary.kind == "text" and any(len(in_pairs(name).split()) > 1 for name in facts.names):
        return ""
    return f"{distinct:,} distinct values in {known:,} cells"


def _running_number(facts: ColumnFacts) -> str:
    x, n = facts.ordered, len(facts.ordered)
    if facts.summary.distinct < facts.summary.known or facts.summary.infinite or (x != np.floor(x)).any():
        return ""
    reach = float(x[-1]) - float(x[0]) + 1
    ends = f"{short(x[0])} to {short(x[-1])}"
    if reach == n:
        return f"the whole numbers from {ends}, each once"
    if _CALLED_ID.search(facts.summary.name):
        return f"whole numbers without a repeat, called {facts.summary.name}"
    if n * (n - 1) / (2 * reach) >= 10:  # the fewest repeats to expect of n numbers drawn from so many
        return f"whole numbers from {ends} without a repeat, which is unlikely by chance"
    return ""


def _repeated_number(facts: ColumnFacts) -> str:
    known, distinct = facts.summary.known, facts.summary.distinct
    if not _CALLED_ID.search(facts.summary.name) or facts.summary.infinite:
        return ""
    if not INDIVIDUALS <= distinct <= known <= ROWS_EACH * distinct:
        return ""
    if (facts.ordered != np.floor(facts.ordered)).any():
        return ""
    return f"{distinct:,} whole numbers in {known:,} cells, called {facts.summary.name}"


def _is_near_constant(facts: ColumnFacts) -> bool:
    known = facts.summary.known
    return known >= 2 * TINY and int(facts.counts.max(initial=0)) >= _NEAR_CONSTANT * known


def _spellings(facts: ColumnFacts) -> Iterator[Finding]:
    if len(facts.names) > _SPELLINGS_CAP:
        return
    columns, count = (facts.summary.name,), dict(zip(facts.names, facts.counts.tolist(), strict=True))

    def shown(*names: str) -> str:
        return ", ".join(f"{name!r} ({count[name]:,})" for name in names)

    for group in same_words(facts.names):
        message = f"the same value in several spellings? {shown(*group)}. If so, use one of them."
        yield Finding("spelling", columns, "warn", message)
    for slip, meant in near_words(facts.names, facts.counts.tolist()):
        message = f"a typing error? {shown(slip)} beside {shown(meant)}. If so, correct it."
        yield Finding("spelling", columns, "note", message)


def _rare_classes(facts: ColumnFacts) -> Iterator[Finding]:
    fewest = 10 if facts.summary.known >= 2 * TINY else 2
    rare = [
        (name, count)
        for name, count in zip(facts.names, facts.counts.tolist(), strict=True)
        if count < fewest
    ]
    if rare:
        first = ", ".join(f"{name!r} ({plural(count, 'row')})" for name, count in rare[:_SHOWN])
        one, several = ("label", "labels") if facts.summary.kind == "labels" else ("class", "classes")
        more = f" and {plural(len(rare) - _SHOWN, f'more {one}')}" if len(rare) > _SHOWN else ""
        message = f"rare {several}: {first}{more}. Too few rows; merge the {several}, or collect more rows."
        yield Finding(f"rare {one}", (facts.summary.name,), "warn", message)


def _imbalance(facts: ColumnFacts) -> Iterator[Finding]:
    share = float(facts.counts.max() / facts.counts.sum())
    if facts.summary.known >= TINY and share >= 0.9:
        most = facts.names[int(facts.counts.argmax())]
        message = (
            f"{share:.1%} of the rows are {most!r}, so always predicting it is {share:.1%} accurate. "
            "Use balanced accuracy, recall or costs instead of accuracy."
        )
        yield Finding("imbalance", (facts.summary.name,), "note", message)
