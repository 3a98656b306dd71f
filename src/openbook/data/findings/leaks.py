"""Columns that give the target away: known perhaps only after the fact, or a copy of it.

A nominal target leaks through a column that leaves almost none of the majority's errors:

    1 - errors / (n - n_majority) >= 0.98

where `errors` are the rows that do not belong to the most frequent class of their group. For nominal columns
a group is a value, for numeric ones a stretch of neighbouring values with the same most frequent class. Rows
in groups of fewer than five count as errors, so a name for every row (or luck) explains nothing. Missing is a
value of its own: a date that is only filled in for one class leaks, too.

A numeric target leaks through a numeric column whose ranks correlate with its own by |r| >= 0.999 (over known
pairs; ranks see every monotone function, and no outlier fools them), and through a nominal column whose
values explain at least 0.999 of its variance.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Categorical, Numeric
from openbook.data.findings.finding import TINY, Finding
from openbook.data.findings.repeats import codes_of, sample_rows
from openbook.data.table import Column, Table

__all__ = ["leaks"]

#: A group of fewer rows is no evidence, and neither are fewer than twice as many errors of the majority.
_GROUP = 5

_ENOUGH = 0.98
_ENOUGH_R = 0.999

_SAMPLE = 100_000

Array = npt.NDArray[Any]


def leaks(table: Table, target: str) -> Iterator[Finding]:
    """One finding for each column that determines the target, or nearly."""
    aim = table.column(target)
    if isinstance(aim.attribute, Categorical):
        known = aim.data >= 0
    elif isinstance(aim.attribute, Numeric):
        known = np.isfinite(aim.data)
    else:
        return
    rows = np.flatnonzero(known)
    if len(rows) < TINY:
        return
    rows = rows[sample_rows(len(rows), _SAMPLE)]
    aim = aim.take(rows)
    for name in table.names:
        if name != target and (evidence := _evidence(table.column(name).take(rows), aim)):
            message = (
                f"{evidence}. If it is not known when you predict, leave it out: it gives {target!r} away."
            )
            yield Finding("leak", (name,), "warn", message)


def _evidence(column: Column, aim: Column) -> str:
    numeric = isinstance(column.attribute, Numeric)
    if isinstance(aim.attribute, Categorical):
        classes = aim.data.astype(np.intp)
        share = _determined(_stretches(column.data, classes) if numeric else codes_of(column), classes)
        if share < _ENOUGH:
            return ""
        how = (
            "alone, without an error"
            if share == 1
            else f"alone but for {1 - share:.1%} of the majority's errors"
        )
        return f"tells {aim.name!r} {how}" + _among(aim)
    if numeric:
        r = _correlation(column.data, aim.data)
        return f"moves with {aim.name!r} (|r| of ranks {r:.4f})" + _among(aim) if r >= _ENOUGH_R else ""
    share = _explained(codes_of(column), aim.data.astype(np.float64))
    return (
        f"its values fix {aim.name!r} ({share:.2%} of the variance)" + _among(aim)
        if share >= _ENOUGH_R
        else ""
    )


def _among(aim: Column) -> str:
    return f" in a sample of {len(aim):,} rows" if len(aim) == _SAMPLE else f" in {len(aim):,} rows"


def _determined(groups: Array, classes: Array) -> float:
    """The share of the majority's errors that knowing the group removes."""
    majority_errors = len(classes) - int(np.bincount(classes).max())
    if majority_errors < 2 * _GROUP:
        return 0.0
    sizes, largest = _largest_class(groups, classes)
    errors = np.where(sizes < _GROUP, sizes, sizes - largest).sum()
    return float(1 - errors / majority_errors)


def _largest_class(groups: Array, classes: Array) -> tuple[Array, Array]:
    """For each group its size, and the size of its most frequent class."""
    width = int(classes.max()) + 1
    pairs, counts = np.unique(groups * width + classes, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // width, prepend=-1))
    return np.add.reduceat(counts, starts), np.maximum.reduceat(counts, starts)


def _stretches(data: Array, classes: Array) -> Array:
    """Group rows by stretches of neighbouring values with one most frequent class; missing comes last."""
    _, which = np.unique(data, return_inverse=True)
    width = int(classes.max()) + 1
    pairs, counts = np.unique(which * width + classes, return_counts=True)
    by_count = np.lexsort((counts, pairs // width))
    last = np.append(np.flatnonzero(np.diff(pairs[by_count] // width)), len(pairs) - 1)
    leading = pairs[by_count][last] % width
    changes = np.diff(leading, prepend=leading[0]) != 0
    return np.cumsum(changes)[which]


def _correlation(a: Array, b: Array) -> float:
    """|r| of the ranks of all pairs of finite numbers; 0 where there are too few to tell."""
    known = np.isfinite(a) & np.isfinite(b)
    if known.sum() < TINY:
        return 0.0
    return min(abs(float(_unit(_ranks(a[known])) @ _unit(_ranks(b[known])))), 1.0)


def _unit(x: Array) -> Array:
    """Centred and of length one; all zero if constant."""
    scale = np.abs(x).max()
    if x.min() == x.max():
        return np.zeros_like(x)
    centred = x / scale - (x / scale).mean()
    return centred / max(float(np.linalg.norm(centred)), np.finfo(float).tiny)


def _ranks(x: Array) -> Array:
    """Ranks from 1, ties sharing their mean."""
    _, which, counts = np.unique(x, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[which]


def _explained(groups: Array, y: Array) -> float:
    """The share of the variance of `y` that lies between groups; rows in small groups keep theirs."""
    y = _unit(y)
    sizes = np.bincount(groups)
    means = np.where(sizes < _GROUP, 0.0, np.bincount(groups, weights=y) / sizes)
    within = y - means[groups]
    total = float(y @ y)
    return 1 - float(within @ within) / total if total else 0.0
