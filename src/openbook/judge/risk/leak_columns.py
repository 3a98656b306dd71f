r"""Columns that were scaled, filled or encoded on all rows, before the split.

    scaled     mean 0 and standard deviation 1, or length 1, or from 0 to 1, over the whole table
    filled     many cells hold the mean of all others, to the last digit
    encoded    each value is the mean of the target among the rows that hold it, perhaps moved, stretched, or
               drawn towards the mean of all rows: v = a + b (n m + s M) / (n + s)

An encoded column differs from one that merely predicts the target by a fit that is too good. With n rows per
value, the true means m scatter around any function of v by s / sqrt(n), so that

    Σ n (m - fit)² / s²  is chi-squared with k - p degrees of freedom

A much smaller value shows that the column was computed from these rows. Such m are linear in 1, v, 1/n and
v/n (p = 4; p = 2 if all n are equal). Means without the row itself ("leave one out") reveal the class: of n
rows, S of the class, each of the S has (S - 1) / (n - 1), and each of the others S / (n - 1). So from a value
v of c rows, all of one class, follows the number of rows,

    n = 1 + (c - 1) / v    if they are of the class,    n = (c - v) / (1 - v)    if they are not

which is a whole number. A patient's number with one outcome for each patient is not of this kind. Encodings
that were fitted inside folds leave no such trace.

Missing cells are left out.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import chdtr

from openbook.data import Numeric, Table
from openbook.data.findings.finding import TINY, Finding
from openbook.judge.folds.examples import Examples
from openbook.words.sentences import plural

#: The fewest rows of a value for a mean, and the largest share of rows that may have rarer values.
_GROUP, _LOOSE = 5, 0.2
#: The largest probability of so close a fit by chance, and the least share of the means' variance explained.
_CHANCE, _EXPLAINED = 1e-6, 0.99
#: For means without the row itself: the largest share of rows whose value has both classes, and the least
#: share with a whole number of rows; two groups with one mean count as one, and have none.
_UNTOLD, _WHOLE = 0.1, 0.5
#: The relative tolerance of equal figures.
_SAME = 1e-6
#: Fewer cells may equal the mean by chance.
_FILLED = 3


def prepared_outside(examples: Examples) -> Iterator[Finding]:
    """The columns that were prepared on all rows, the most serious finding first."""
    table = examples.table
    names = [a.name for a in table.schema if isinstance(a, Numeric)]
    if len(table) < TINY:
        return
    for name in names:
        if _encodes(table.data(name), examples):
            message = (
                f"its values follow the mean of {examples.name!r} in their rows more closely than chance"
                " allows: the target was encoded on all rows. Encode it in the pipeline, inside the folds."
            )
            yield Finding("target encoding", (name,), "warn", message)
    yield from _scaled(table, names)
    for name in names:
        if cells := _filled(table.data(name)):
            message = (
                f"{plural(cells, 'cell')} hold the mean of all others: missing cells were filled before the"
                " split. The effect is small; leave them to the learner, or fill them in the pipeline."
            )
            yield Finding("filled", (name,), "note", message)


def _scaled(table: Table, names: list[str]) -> Iterator[Finding]:
    """Columns that were scaled on all rows, in one finding for each way to scale."""
    scales: dict[str, list[str]] = {}
    for name in names:
        if scale := _scale(table.data(name)):
            scales.setdefault(scale, []).append(name)
    for scale, columns in scales.items():
        if scale == "from 0 to 1" and len(columns) < 2:  # a share may be so by nature
            continue
        message = (
            f"{scale} over the whole table: scaled before the split, so test rows influenced the scale. With"
            f" {len(table):,} rows the effect is small (of the order of 1/n); scale in the pipeline to"
            " avoid it."
        )
        yield Finding("scaled", tuple(columns), "note", message)


def _scale(data: np.ndarray) -> str:
    """How the numbers were scaled; empty if they were not."""
    x = data[np.isfinite(data)].astype(float)
    if len(x) < TINY or len(np.unique(x)) < 3:
        return ""
    if abs(x.mean()) <= _SAME * x.std():
        if min(abs(x.std() - 1), abs(x.std(ddof=1) - 1)) <= _SAME:
            return "mean 0 and standard deviation 1"
        if abs(float(x @ x) - 1) <= _SAME:
            return "mean 0 and length 1"
    whole = (x == np.floor(x)).all()
    return "from 0 to 1" if not whole and x.min() == 0 and x.max() == 1 else ""


def _filled(data: np.ndarray) -> int:
    """How many cells hold the mean of all others; 0 if it may be chance."""
    x = data[np.isfinite(data)].astype(float)
    values, counts = np.unique(x, return_counts=True)
    if len(x) < TINY or len(values) < 10:
        return 0
    value, cells = float(values[counts.argmax()]), int(counts.max())
    others = x[x != value]
    long = round(value, 6) != value  # a mean rarely ends after a few digits; what was measured does
    alike = abs(value - others.mean()) <= 1e-9 * others.std()
    return cells if cells >= _FILLED and long and alike else 0


def _encodes(data: np.ndarray, examples: Examples) -> bool:
    """Whether a column is made of means of the target, or of the share of one of its classes."""
    known = np.isfinite(data)
    values, which, counts = np.unique(data[known], return_inverse=True, return_counts=True)
    large = counts >= _GROUP
    if large.sum() < 3 or counts[~large].sum() > _LOOSE * known.sum():
        return False
    rows = large[which]
    _, which = np.unique(which[rows], return_inverse=True)
    y = examples.target[known][rows]
    counted, targets = examples.classes is not None, [y]
    if examples.task == "multilabel":
        targets = list(y.T)
    elif examples.classes is not None:  # of two classes, one is enough
        first = 1 if len(examples.classes) == 2 else 0
        targets = [y == c for c in range(first, len(examples.classes))]
    v, n = values[large], counts[large].astype(float)
    if counted and any(_left_out(v, which, target) for target in targets):
        return True
    return any(_made_of_means(v, n, which, target.astype(float), counted) for target in targets)


def _left_out(values: np.ndarray, which: np.ndarray, of_class: np.ndarray) -> bool:
    """Whether values are shares of the class among the other rows of a group."""
    rows, held = np.bincount(which), np.bincount(which, of_class)
    pure, inside = (held == 0) | (held == rows), (values > 0) & (values < 1)
    if rows[pure & inside].sum() < (1 - _UNTOLD) * len(which) or len(np.unique(held[inside] > 0)) < 2:
        return False
    v, c = values[inside], rows[inside]
    groups = np.where(held[inside] > 0, 1 + (c - 1) / v, (c - v) / (1 - v))
    whole = np.abs(groups - np.rint(groups)) <= _SAME * groups
    return bool(c[whole].sum() >= _WHOLE * c.sum())


def _made_of_means(v: np.ndarray, n: np.ndarray, which: np.ndarray, y: np.ndarray, counted: bool) -> bool:
    """Whether values are a function of the target's means with too close a fit to be chance."""
    means = np.bincount(which, y) / n
    within = float(((y - means[which]) ** 2).sum()) / max(len(y) - len(v), 1)
    if within <= 1e-12 * y.var():  # the column fixes the target, which is a leak of another kind
        return False
    inside = (means > y.min()) & (means < y.max())
    if np.abs(means - v).max() <= _SAME * np.ptp(y) and inside.sum() >= 3:
        return True
    centre = (v - v.mean()) / v.std()
    spread = float((n * (means - y.mean()) ** 2).sum())
    for columns in ([np.ones_like(v), centre], [np.ones_like(v), centre, 1 / n, centre / n]):
        design = np.column_stack(columns) * np.sqrt(n)[:, None]
        fit, _, rank, _ = np.linalg.lstsq(design, means * np.sqrt(n), rcond=None)
        left = float(((means * np.sqrt(n) - design @ fit) ** 2).sum())
        free = len(v) - int(rank)
        if free > 0 and left <= (1 - _EXPLAINED) * spread:
            chance = float(chdtr(free, left / within))
            if max(chance, _coincidence(means, n, free) if counted else 0.0) < _CHANCE:
                return True
    return False


def _coincidence(shares: np.ndarray, n: np.ndarray, free: int) -> float:
    """The probability that as many counts equal their fitted values by chance: not 0, as counts are whole.

    A count of n rows has its most likely value with a probability of 1 / sqrt(2 π n p (1 - p)).
    """
    spread = np.sqrt(2 * math.pi * n * shares * (1 - shares))
    hits = np.sort(np.minimum(1.0, 1 / np.maximum(spread, 1.0)))[::-1]
    return float(np.prod(hits[:free]))
