r"""Columns of numbers that the target follows in a U shape: it falls and then rises, or rises and then falls.

    turning point    c = -b / (2 q) of the parabola a + b x + q x², by least squares
    two lines        one below c and one above it: a U shape has slopes of opposite sign, both beyond chance

The p-value of a column is the larger one of its two slopes (Simonsohn, 2018), corrected over the columns by
Holm's method. c must lie between the 10% and the 90% quantile. Of two classes the target is 0 and 1; of
several, each class against the others. Missing cells are left out.

Of several classes, only one that falls and then rises is reported. The log of a class's share under linear
log odds, l_c - ln Σ_k e^{l_k}, is concave: a linear learner follows a class that lies between others, whose
share rises and then falls.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.data.adjustments import holm
from openbook.data.attributes import Categorical, Datetime, Numeric
from openbook.data.column import Column
from openbook.data.findings.finding import TINY, Finding, step_name
from openbook.data.findings.repeats import sample_rows
from openbook.data.table import Table
from openbook.words.numbers import p_words, short
from openbook.words.sentences import plural

Floats = npt.NDArray[np.float64]

_LEVEL = 0.01
_FEW_VALUES = 10
_SAMPLE = 20_000
#: The share of rows that must lie on either side of a turning point.
_SIDE = 0.1


class Turn(NamedTuple):
    """A turning point: where, the slopes below and above it, and the p-value of their opposite signs."""

    at: float
    below: float
    above: float
    p: float


def turn_findings(table: Table, target: str) -> Iterator[Finding]:
    """A finding for each column that the target follows in a U shape."""
    outcome = table.column(target)
    of_classes = isinstance(outcome.attribute, Categorical)
    rows = np.flatnonzero(outcome.data >= 0 if of_classes else ~outcome.missing)
    if len(rows) < TINY or not isinstance(outcome.attribute, Numeric | Categorical):
        return
    rows = rows[sample_rows(len(rows), _SAMPLE)]
    outcomes = _outcomes(outcome.take(rows))
    found = []
    for name in table.names:
        attribute = table.schema[name]
        if name == target or not isinstance(attribute, Numeric) or isinstance(attribute, Datetime):
            continue
        x = table.data(name)[rows].astype(np.float64)
        turns = [(label, turning_point(x, y)) for label, y in outcomes]
        some = [(label, turn) for label, turn in turns if turn is not None]
        if len(outcomes) > 1:
            some = [(label, turn) for label, turn in some if turn.below < 0]
        if some:
            label, turn = min(some, key=lambda pair: pair[1].p)
            found.append((name, label, turn._replace(p=min(1.0, turn.p * len(outcomes)))))
    for (name, label, turn), p in zip(found, holm([turn.p for *_, turn in found]).tolist(), strict=True):
        if p <= _LEVEL:
            yield _finding(name, target, label, turn, p, len(found))


def _finding(name: str, target: str, label: str, turn: Turn, p: float, tests: int) -> Finding:
    what = f"the share of {target!r} {label!r}" if label else f"{target!r}"
    way = "falls and then rises" if turn.below < 0 else "rises and then falls"
    message = (
        f"{what} {way} with it, turning at {short(turn.at)} (two lines, p {p_words(p)}, corrected for"
        f' {plural(tests, "test")}). A linear model cannot follow this; try the step "turn'
        f' {step_name(name)}", the distance from the turning point, or bins.'
    )
    return Finding("turning point", (name,), "note", message)


def _outcomes(outcome: Column) -> list[tuple[str, Floats]]:
    """The target as numbers: itself, or for each class whether it is that; of two classes the second."""
    if isinstance(outcome.attribute, Numeric):
        return [("", outcome.data.astype(np.float64))]
    assert isinstance(outcome.attribute, Categorical)
    shown = np.flatnonzero(np.bincount(outcome.data, minlength=len(outcome.attribute.values)))
    classes = shown[1:] if len(shown) == 2 else shown
    return [(outcome.attribute.values[c], (outcome.data == c).astype(np.float64)) for c in classes]


def turning_point(x: Floats, y: Floats, w: Floats | None = None) -> Turn | None:
    """Where the parabola turns, and the two lines; None if there is nothing to tell.

    >>> x = np.linspace(-3, 5, 81)
    >>> turn = turning_point(x, (x - 1) ** 2)
    >>> round(turn.at, 6), turn.below < 0 < turn.above, turn.p < 1e-9
    (1.0, True, True)
    """
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    w = np.ones(len(x)) if w is None else w[known]
    if len(x) < TINY or len(np.unique(x)) <= _FEW_VALUES or y.min() == y.max():
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        centre, spread = float(np.average(x, weights=w)), float(x.std()) or 1.0
        z = (x - centre) / spread
        y = (y - y.mean()) / (y.std() or 1.0)  # slopes are compared with 0 only
    if not (np.isfinite(z).all() and np.isfinite(y).all()):
        return None  # numbers too large to be squared
    root = np.sqrt(w)
    _, b, q = np.linalg.lstsq(
        np.column_stack([np.ones(len(z)), z, z * z]) * root[:, None], y * root, rcond=None
    )[0]
    if q == 0:
        return None
    at = -b / (2 * q)
    low, high = np.quantile(z, [_SIDE, 1 - _SIDE])
    if not low <= at <= high:
        return None
    (below, p_below), (above, p_above) = (_slope(z[side], y[side], w[side]) for side in (z <= at, z > at))
    p = max(p_below, p_above) if below * above < 0 else 1.0
    return Turn(float(centre + spread * at), below / spread, above / spread, p)


def _slope(x: Floats, y: Floats, w: Floats) -> tuple[float, float]:
    """The slope of a line, and the p-value that it is 0, with errors that may vary (White)."""
    from scipy.special import ndtr

    n = len(x)
    if n < _FEW_VALUES or x.min() == x.max():
        return 0.0, 1.0
    mean_x, mean_y = np.average(x, weights=w), np.average(y, weights=w)
    d = x - mean_x
    scatter = float(w @ d**2)
    slope = float(w @ (d * (y - mean_y))) / scatter
    left = y - mean_y - slope * d
    error = float(np.sqrt(((w * d * left) ** 2).sum() * n / (n - 2))) / scatter
    statistic: Any = abs(slope) / error if error > 0 else np.inf
    return slope, float(2 * ndtr(-statistic))
