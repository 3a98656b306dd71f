"""Columns that give the target away: known perhaps only after the fact, or made from it.

Two or more classes, or up to 10 different numbers:

    told         the column leaves at most 2% of the majority's errors: 1 - errors / (n - n_majority) >= 0.98,
                 where `errors` are the rows outside the most frequent class of their group. A group is a
                 value of a nominal column, or one of at most 10 stretches of neighbouring numbers.
    ranked       the numbers rank every two classes apart with an AUC of at least 0.99.
    marked       of two classes, a value (or being known at all) marks one and hardly ever the other:
                 share of the class - 10 x share of the other class >= 0.8.

Numbers:

    moves        |r| >= 0.988 with the target, of ranks or of numbers clipped to their middle 98%: ranks see
                 every monotone function, and an outlier fools neither.
    follows      the target follows from the neighbouring numbers of the column, R² >= 0.98.
    fixed        the values of a nominal column explain at least 98% of the target's variance.
    cut          the column is the target cut into intervals: each of its few values has a range of the
                 target to itself.

The limits lie between what honest columns of public tables reach as predictors (AUC 0.982: petal length, for
two kinds of iris; 0.976: the perimeter of a tumour; r 0.963: carat, for the price of diamonds) and what
columns made from the target do (0.995 and more).

Rows in groups of fewer than five count as errors, so that a name for every row explains nothing. Missing is a
value of its own: a date that is only filled in for one class leaks, too. Where each of many numbered values
(patient 17) has one outcome, that is reported as groups, not as a leak: rows of a patient belong together.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Categorical, Nominal, Numeric
from openbook.data.column import Column
from openbook.data.findings.finding import INDIVIDUALS, ROWS_EACH, TINY, Finding
from openbook.data.findings.repeats import row_codes, sample_rows
from openbook.data.ranks import mean_ranks
from openbook.data.table import Table

#: A group of fewer rows is no evidence, and neither are fewer than twice as many errors of the majority.
_GROUP = 5
#: More stretches of neighbouring numbers than these are numbered individuals, not a rule.
_STRETCHES = 10
#: A column of more values is not the target cut into intervals.
_INTERVALS = 20
#: A target of so few numbers is one of classes.
_FEW = 10

_TOLD = 0.98
_AUC = 0.99
_MARKED, _FALSE_MARKS = 0.8, 10
_R = 0.988
_R2 = 0.98
_CUT = 0.99

_SAMPLE = 100_000

Array = npt.NDArray[Any]


def leak_findings(table: Table, target: str) -> Iterator[Finding]:
    """One finding for each column that determines the target, or nearly."""
    outcome = table.column(target)
    rows = np.flatnonzero(outcome.known)
    if len(rows) < TINY or not isinstance(outcome.attribute, Categorical | Numeric):
        return
    rows = rows[sample_rows(len(rows), _SAMPLE)]
    outcome = _as_classes(outcome.take(rows))
    for name in table.names:
        if name != target:
            yield from _column_findings(table.column(name).take(rows), outcome)


def _as_classes(outcome: Column) -> Column:
    """A target of few numbers, such as 0 and 1, as classes."""
    if isinstance(outcome.attribute, Categorical):
        return outcome
    values, codes = np.unique(outcome.data, return_inverse=True)
    if len(values) > _FEW:
        return outcome
    classes = Nominal(outcome.name, tuple(f"{value:g}" for value in values))
    return Column(classes, codes.astype(classes.dtype))


def _column_findings(column: Column, outcome: Column) -> Iterator[Finding]:
    classes = isinstance(outcome.attribute, Categorical)
    if evidence := _of_classes(column, outcome) if classes else _of_numbers(column, outcome):
        sample = "a sample of " if len(outcome) == _SAMPLE else ""
        message = (
            f"{evidence} in {sample}{len(outcome):,} rows. If it is not known when you predict, leave it out:"
            f" it gives {outcome.name!r} away."
        )
        yield Finding("leak", (column.name,), "warn", message)
    elif values := _individuals(column, outcome):
        message = (
            f"each of its {values:,} values has only one outcome of {outcome.name!r}. If its rows belong"
            f" together (a patient, a machine), a random split puts them on both sides: use"
            f" groups={column.name!r}. If it encodes the outcome, leave it out."
        )
        yield Finding("groups", (column.name,), "warn", message)


def _of_classes(column: Column, outcome: Column) -> str:
    """How the column tells the class; empty if it does not."""
    classes = outcome.data.astype(np.intp)
    if len(classes) - int(np.bincount(classes).max()) < 2 * _GROUP:
        return ""
    if isinstance(column.attribute, Numeric):
        groups = _stretches(column.data, classes)
        share = _errors_removed(groups, classes) if int(groups.max()) < _STRETCHES else 0.0
    else:
        groups = row_codes(column)
        share = 0.0 if _numbered(column) else _errors_removed(groups, classes)
    if share >= _TOLD:
        how = "without error" if share == 1 else f"with {share:.1%} fewer errors than the majority class"
        return f"predicts {outcome.name!r} by itself, {how}"
    if mark := _mark(column, outcome):
        return mark
    if isinstance(column.attribute, Numeric) and (auc := _worst_auc(column.data, classes)) >= _AUC:
        which = "" if classes.max() < 2 else " or more for every pair of classes"
        return f"ranks {outcome.name!r} by itself, AUC {auc:.3f}{which}"
    return ""


def _of_numbers(column: Column, outcome: Column) -> str:
    """How the column tells the number; empty if it does not."""
    y = outcome.data.astype(np.float64)
    if isinstance(column.attribute, Numeric):
        if (r := _correlation(column.data, y)) >= _R:
            return f"is almost perfectly correlated with {outcome.name!r} (|r| {r:.4f})"
        if (share := _followed(column.data, y)) >= _R2:
            return f"predicts {outcome.name!r} by itself (R² {share:.3f})"
    elif not _numbered(column) and (share := _explained(row_codes(column), y)) >= _R2:
        return f"its values determine {outcome.name!r} ({share:.1%} of the variance)"
    if _is_cut(column, y):
        return f"is {outcome.name!r} cut into intervals: each of its values covers its own range"
    return ""


def _individuals(column: Column, outcome: Column) -> int:
    """The number of values of a column whose values each have one outcome, as patients may; else 0."""
    known = column.take(np.flatnonzero(~column.missing))
    numeric = isinstance(column.attribute, Numeric)
    if not len(known) or not (numeric or _numbered(column)):
        return 0
    groups = row_codes(known)
    values = int(groups.max()) + 1
    if not (_STRETCHES < values <= len(known) / _GROUP):
        return 0
    outcomes = outcome.take(np.flatnonzero(~column.missing)).data
    if isinstance(outcome.attribute, Categorical):
        share = _errors_removed(groups, outcomes.astype(np.intp))
    else:
        share = _explained(groups, outcomes.astype(np.float64))
    return values if share >= _TOLD else 0


def _numbered(column: Column) -> bool:
    """Whether words name many individuals by numbers: "P001", "P002"."""
    if isinstance(column.attribute, Categorical):
        values = set(column.attribute.values)
    else:
        values = set(column.data[~column.missing].tolist())
    return (
        len(values) >= INDIVIDUALS
        and int((~column.missing).sum()) <= ROWS_EACH * len(values)
        and all(any(letter.isdigit() for letter in str(value)) for value in values)
    )


def _errors_removed(groups: Array, classes: Array) -> float:
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


def _mark(column: Column, outcome: Column) -> str:
    """Which value, or being known, marks one of two classes; empty if none does."""
    classes = outcome.data.astype(np.intp)
    if classes.max() > 1 or np.bincount(classes, minlength=2).min() < 2 * _GROUP:
        return ""
    best, words = _MARKED, ""
    codes, missing = row_codes(column), column.missing
    for groups in (codes, missing.astype(np.intp)):
        counts = np.bincount(2 * groups + classes, minlength=2 * (int(groups.max()) + 1)).reshape(-1, 2)
        shares = counts / counts.sum(axis=0)
        marks = np.where(counts >= 2 * _GROUP, shares - _FALSE_MARKS * shares[:, ::-1], -np.inf)
        value, of = np.unravel_index(int(marks.argmax()), marks.shape)
        if marks[value, of] >= best:
            best = np.nextafter(marks[value, of], np.inf)
            row = int(np.argmax(groups == value))
            if groups is codes and not missing[row]:
                what = f"is {_cell(column, row)}"
            else:
                what = "is missing" if missing[row] else "is known"
            names = [repr(str(outcome.values[int(np.argmax(classes == c))])) for c in (of, 1 - of)]
            words = (
                f"{what} in {shares[value, of]:.1%} of the rows with {outcome.name!r} {names[0]}, and in"
                f" {shares[value, 1 - of]:.1%} of those with {names[1]},"
            )
    return words


def _cell(column: Column, row: int) -> str:
    value = column.values[row]
    return f"{value:g}" if isinstance(column.attribute, Numeric) else repr(str(value))


def _worst_auc(data: Array, classes: Array) -> float:
    """The AUC of the two classes that the numbers rank worst; 0 where too few are known."""
    known = np.isfinite(data)
    if known.sum() < max(TINY, len(data) / 2):
        return 0.0
    x, c = data[known], classes[known]
    present = np.flatnonzero(np.bincount(c))
    if len(present) < 2 or np.bincount(c)[present].min() < 2 * _GROUP:
        return 0.0
    worst = 1.0
    for a, b in combinations(present, 2):
        either = (c == a) | (c == b)
        worst = min(worst, _auc(x[either], c[either] == a))
        if worst < _AUC:
            break
    return worst


def _auc(x: Array, positive: Array) -> float:
    """How often one of the positive rows has the larger number, or the smaller one if that is more often."""
    n, m = int(positive.sum()), int((~positive).sum())
    auc = (float(mean_ranks(x)[positive].sum()) - n * (n + 1) / 2) / (n * m)
    return max(auc, 1 - auc)


def _correlation(a: Array, b: Array) -> float:
    """|r| over all pairs of finite numbers, the larger of two; 0 if there are too few."""
    known = np.isfinite(a) & np.isfinite(b)
    if known.sum() < TINY:
        return 0.0
    a, b = a[known], b[known]
    of_ranks = abs(float(_unit(mean_ranks(a)) @ _unit(mean_ranks(b))))
    return min(max(of_ranks, abs(float(_unit(_clipped(a)) @ _unit(_clipped(b))))), 1.0)


def _clipped(x: Array) -> Array:
    """The numbers without their extremes."""
    low, high = np.quantile(x, (0.01, 0.99))
    return np.clip(x, low, high)


def _unit(x: Array) -> Array:
    """Centred and of length one; all zero if constant."""
    scale = np.abs(x).max()
    if x.min() == x.max():
        return np.zeros_like(x)
    centred = x / scale - (x / scale).mean()
    return centred / max(float(np.linalg.norm(centred)), np.finfo(float).tiny)


def _followed(x: Array, y: Array) -> float:
    """R² of the target predicted by the mean target of the two neighbouring numbers on either side."""
    known = np.isfinite(x)
    if known.sum() < TINY:
        return 0.0
    _, which, counts = np.unique(x[known], return_inverse=True, return_counts=True)
    if len(counts) < TINY:
        return 0.0
    y = _unit(y[known])
    means = np.bincount(which, y) / counts
    padded = np.pad(means, 2, mode="reflect")
    expected = (padded[:-4] + padded[1:-3] + padded[3:-1] + padded[4:]) / 4
    left = y - expected[which]
    return 1 - float(left @ left) if y.any() else 0.0


def _explained(groups: Array, y: Array) -> float:
    """The share of the variance of `y` that lies between groups; rows in small groups keep theirs."""
    y = _unit(y)
    sizes = np.bincount(groups)
    means = np.where(sizes < _GROUP, 0.0, np.bincount(groups, weights=y) / sizes)
    within = y - means[groups]
    total = float(y @ y)
    return 1 - float(within @ within) / total if total else 0.0


def _is_cut(column: Column, y: Array) -> bool:
    """Whether each value of the column, of few, has one stretch of the target to itself."""
    groups = row_codes(column)
    sizes = np.bincount(groups)
    common = np.flatnonzero(sizes >= _GROUP)
    if not 2 <= len(common) <= len(sizes) <= _INTERVALS or len(groups) - sizes.max() < 2 * _GROUP:
        return False
    stretches = _stretches(y, groups)
    long = int((np.bincount(stretches) >= _GROUP).sum())
    return long == len(common) and _errors_removed(stretches, groups) >= _CUT
