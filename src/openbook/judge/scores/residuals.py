"""How far a regressor is off: truth minus prediction, against the prediction.

Rows around the line at 0, as wide on the left as on the right, are what is hoped for. The curve is the mean
of the rows with neighbouring predictions: where it leaves the line, the model errs in a way that more
learning could mend; where the rows spread wider, it is less sure.
"""

from typing import Any, NamedTuple

import numpy as np

from openbook.draw import Numbers, Picture
from openbook.draw.plot import FRAME, dots, framed
from openbook.errors import ParameterError
from openbook.judge.folds.examples import Examples, model_task
from openbook.words.numbers import short
from openbook.words.sentences import plural

__all__ = ["beside_truth", "draw_residuals", "residuals"]

_MOST_DOTS = 1000
#: Rows for each point of the curve, at least, and points, at most.
_ROWS, _POINTS = 15, 24


def draw_residuals(model: Any, X: Any, y: Any) -> Picture:
    """The residuals of a regressor on rows, best of all rows that it was not fitted on.

    Parameters
    ----------
    model : estimator
        A fitted regressor of openbook's, or another that predicts from a Table.
    X : table-like
        The rows.
    y : array-like or str
        Their target.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/models.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import CARTRegressor
    >>> X, y = load("diabetes").split("progression")
    >>> draw_residuals(CARTRegressor().fit(X.head(300), y[:300]), X.take(slice(300, 442)), y[300:]).title
    'Residuals of progression'
    """
    if model_task([model]) != "regression":
        raise ParameterError(f"{model!r} predicts classes; draw_boundary shows those")
    examples = Examples.of(X, y, "regression")
    predicted = np.asarray(model.predict(examples.table), dtype=float).ravel()
    return residuals(examples.name, examples.target, predicted)


def residuals(name: str, truth: np.ndarray, predicted: np.ndarray) -> Picture:
    """The picture of predictions that are there already."""
    off = truth - predicted
    across, up = Numbers(f"predicted {name}", predicted), Numbers("truth minus prediction", np.r_[off, 0.0])
    zero = _level(up, 0.0), _level(up, 0.0)
    spread = np.quantile(off, (0.25, 0.75))
    note = f"half of the residuals lie between {short(spread[0])} and {short(spread[1])}."
    rows = _Rows(truth, predicted, across.place(predicted), up.place(off))
    return _scatter(f"Residuals of {name}", rows, (across, up), zero, note)


def beside_truth(name: str, truth: np.ndarray, predicted: np.ndarray) -> Picture:
    """Each row's truth against its prediction; on the dashed line they are the same."""
    across, up = Numbers(f"predicted {name}", predicted), Numbers(f"true {name}", truth)
    same = _level(up, across.span[0]), _level(up, across.span[1])
    rows = _Rows(truth, predicted, across.place(predicted), up.place(truth))
    return _scatter(f"True and predicted {name}", rows, (across, up), same, "dashed: truth as predicted.")


class _Rows(NamedTuple):
    """Truths, predictions, and places by shares of the axes."""

    truth: np.ndarray
    predicted: np.ndarray
    x: np.ndarray
    y: np.ndarray


def _level(up: Numbers, value: float) -> float:
    return float(up.place(np.array(value)))


def _scatter(
    title: str, all_rows: _Rows, axes: tuple[Numbers, Numbers], ends: tuple[float, float], note: str
) -> Picture:
    """Rows as dots, a dashed line between two heights at the ends, and the curve of means."""
    truth, predicted, x, y = all_rows
    rows = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MOST_DOTS)).round().astype(np.intp))
    look = "c0 many" if len(rows) > 200 else "dot c0"
    told = [f"predicted {short(predicted[i])}, truth {short(truth[i])}" for i in rows]
    wide, high = FRAME
    inside = [*dots(x[rows], y[rows], [look] * len(rows), told)]
    left, right = (high * (1 - end) for end in ends)
    inside.append(f'<line class="zero" x1="0" x2="{wide}" y1="{left:.1f}" y2="{right:.1f}"/>')
    line = _curve(x, y)
    if line:
        way = " ".join(f"{wide * a:.1f},{high * (1 - b):.1f}" for a, b in line)
        inside.append(f'<polyline class="trend" points="{way}"/>')
    body, width, height = framed(*axes, "".join(inside), "", 4)
    beyond = int(((x < 0) | (x > 1) | (y < 0) | (y > 1)).sum())
    n = plural(len(x), "row") if len(rows) == len(x) else f"{len(rows):,} of {len(x):,} rows"
    notes = [f"{n}; {note}"]
    if line:
        notes.append("The curve is the mean of rows with like predictions.")
    if beyond:
        notes.append(f"{plural(beyond, 'row')} beyond the frame, shown as triangles at its edge.")
    return Picture(title, " ".join(notes), tuple(notes), body, width, height)


def _curve(x: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    """Means of the rows in groups of neighbouring predictions, by shares of the axes."""
    groups = min(len(x) // _ROWS, _POINTS)
    bounds = np.unique(np.quantile(x, np.linspace(0, 1, groups + 1))) if groups else np.zeros(0)
    if len(bounds) < 4:
        return []
    group = np.searchsorted(bounds[1:-1], x, side="right")
    parts = [group == g for g in np.unique(group)]
    return [(float(x[part].mean()), float(y[part].mean())) for part in parts]
