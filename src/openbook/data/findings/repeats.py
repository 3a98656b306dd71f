"""Rows and columns that repeat others.

Rows are compared by a 64-bit hash; that two different rows of a million share one has a chance of 1 in 30
million. A column repeats another if it is equal, a linear function of it (centimetres and inches), or the
same values under other names, one to one (a code and its label). Candidates are found on a sample of rows and
confirmed on all of them. Missing cells count: they must be missing in both.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Categorical, Numeric
from openbook.data.column import Column
from openbook.data.findings.finding import Finding
from openbook.data.summary import ColumnFacts, ColumnSummary
from openbook.data.table import Table
from openbook.words.numbers import short
from openbook.words.sentences import plural

#: Fewer rows than this may agree by chance.
_ENOUGH_ROWS = 20

_SAMPLE = 5000

Array = npt.NDArray[Any]


def sample_rows(rows: int, at_most: int) -> Any:
    """At most `at_most` of the rows, drawn with a fixed seed and in order: an index for `take`."""
    if rows <= at_most:
        return slice(None)
    return np.sort(np.random.default_rng(0).choice(rows, at_most, replace=False))


def row_codes(column: Column) -> Array:
    """A code for each distinct cell, in order of first appearance; missing is a value like any other."""
    if isinstance(column.attribute, Numeric | Categorical):
        _, first, which = np.unique(column.data, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[which]
    seen: dict[Any, int] = {}
    return np.fromiter((seen.setdefault(value, len(seen)) for value in column.data), np.int64, len(column))


def agreement(facts: ColumnFacts) -> float:
    """The chance that two rows agree in this column: sum_v n_v (n_v - 1) / (n (n - 1)), missing a value."""
    others = [facts.summary.missing, facts.summary.infinite, facts.summary.unseen]
    sizes, rows = np.append(facts.counts, others).astype(float), facts.summary.rows
    return float(sizes @ (sizes - 1)) / (rows * (rows - 1)) if rows > 1 else 0.0


def repeated_rows(table: Table, agreements: Sequence[float]) -> Iterator[Finding]:
    """Count the rows equal to an earlier one in every column, unless chance alone would make as many."""
    rows = len(table)
    by_chance = rows * (rows - 1) / 2 * math.prod(agreements)  # pairs, were the columns independent
    hashed = np.sort(row_hashes(table))
    repeats = int((hashed[1:] == hashed[:-1]).sum())
    if repeats > 10 * by_chance:
        message = (
            f"{plural(repeats, 'row')} ({repeats / rows:.2%}) identical to an earlier row. "
            "Remove accidental copies: a copy in both training and test rows inflates every score."
        )
        yield Finding("duplicate rows", (), "warn" if repeats > 0.01 * rows else "note", message)


def row_hashes(table: Table) -> Array:
    """64 bits for each row, equal for equal rows."""
    hashes = np.zeros(len(table), dtype=np.uint64)
    for name in table.names:
        hashes += _bits(table.column(name))
        _mix(hashes)
    return hashes


def _bits(column: Column) -> Array:
    """64 bits for each cell, equal for equal cells."""
    if isinstance(column.attribute, Numeric):
        plain = column.data.astype(np.float64) + 0.0  # -0 becomes 0
        plain[np.isnan(plain)] = np.nan  # one NaN for all
        return plain.view(np.uint64)
    if isinstance(column.attribute, Categorical):
        return column.data.astype(np.int64).view(np.uint64)
    return np.fromiter(map(hash, column.data), np.int64, len(column)).view(np.uint64)


def _mix(x: Array) -> None:
    """Spread every bit over all 64 in place (the finaliser of splitmix64)."""
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)


def repeated_columns(
    table: Table, summaries: Sequence[ColumnSummary], target: str | None
) -> Iterator[Finding]:
    """Columns that say nothing that an earlier one does not say."""
    if len(table) < _ENOUGH_ROWS:
        return
    candidates = [s for s in summaries if s.distinct > 1 and s.name != target]
    reported: set[str] = set()
    for finding in (*_linear_repeats(table, candidates), *_renamed_repeats(table, candidates)):
        if finding.columns[0] not in reported:
            reported.add(finding.columns[0])
            yield finding


@dataclass(frozen=True)
class _Shape:
    """A numeric column moved, stretched and perhaps mirrored to run from 0 to 1; 2 where it is not finite."""

    shape: Array
    low: float
    span: float

    @classmethod
    def of(cls, data: Array) -> "_Shape | None":
        finite = np.isfinite(data)
        if not finite.any():
            return None
        x = data.astype(np.float64)
        lowest, highest = (
            int(np.where(finite, x, np.inf).argmin()),
            int(np.where(finite, x, -np.inf).argmax()),
        )
        start, end = (lowest, highest) if lowest < highest else (highest, lowest)
        low, span = float(x[start]), float(x[end]) - float(x[start])
        if span == 0 or not np.isfinite(span):
            return None
        return cls(np.where(finite, (np.where(finite, x, low) - low) / span, 2.0), low, span)


def _linear_repeats(table: Table, candidates: list[ColumnSummary]) -> Iterator[Finding]:
    names = [s.name for s in candidates if s.kind == "numeric"]
    rows = sample_rows(len(table), _SAMPLE)
    weights = np.random.default_rng(0).standard_normal(min(len(table), _SAMPLE)) / np.sqrt(_SAMPLE)
    prints = []
    for index, name in enumerate(names):
        sampled = _Shape.of(table.data(name)[rows])
        if sampled is not None:
            prints.append((float(weights @ sampled.shape), index))
    prints.sort()
    head = 0
    for i in range(1, len(prints)):
        if prints[i][0] - prints[i - 1][0] > 1e-6:
            head = i
            continue
        first, other = sorted((prints[head][1], prints[i][1]))
        relation = _linear_relation(table.data(names[first]), table.data(names[other]), names[first])
        if relation:
            yield Finding(
                "duplicate columns", (names[other], names[first]), "warn", f"{relation}; keep one of the two."
            )


def _linear_relation(a: Array, b: Array, name: str) -> str:
    """How `b` follows from `a` in every row; empty if it does not."""
    if np.array_equal(a, b, equal_nan=True):
        return f"equal to {name!r} in every row"
    shape_a, shape_b = _Shape.of(a), _Shape.of(b)
    if shape_a is None or shape_b is None or np.abs(shape_a.shape - shape_b.shape).max() > 1e-6:
        return ""
    slope = shape_b.span / shape_a.span
    start = shape_b.low - slope * shape_a.low
    if abs(start) < 1e-6 * abs(shape_b.span):
        return f"{short(slope)} times {name!r} in every row"
    formula = f"{short(slope)} × {name} {'+-'[start < 0]} {short(abs(start))}"
    return f"a linear function of {name!r} in every row ({formula})"


def _renamed_repeats(table: Table, candidates: list[ColumnSummary]) -> Iterator[Finding]:
    """Columns with equal codes; only repeated values are evidence, since any two lists of names match."""
    rows = sample_rows(len(table), _SAMPLE)
    groups: dict[bytes, list[str]] = defaultdict(list)
    for summary in candidates:
        if summary.rows - summary.distinct >= _ENOUGH_ROWS // 2:
            column = table.column(summary.name)
            groups[row_codes(column.take(rows)).tobytes()].append(summary.name)
    for first, *others in groups.values():
        if others:
            codes = row_codes(table.column(first))
            for other in others:
                if np.array_equal(codes, row_codes(table.column(other))):
                    message = f"the values of {first!r} under other names, one to one; keep one of the two."
                    yield Finding("duplicate columns", (other, first), "warn", message)
