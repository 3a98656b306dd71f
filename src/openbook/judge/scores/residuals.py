"""Residuals of a regressor: truth minus prediction, against the prediction.

A good model has residuals around the line at 0, with the same spread everywhere. The curve is the mean of the
rows with neighbouring predictions. Where it leaves the line, the model is biased; where the rows spread more,
the model is less certain.
"""

from typing import Any, NamedTuple

import numpy as np

from openbook.draw import Numbers, Picture
from openbook.draw.columns import dot_look, drawn_rows, rows_drawn
from openbook.draw.plot import Plot
from openbook.errors import ParameterError
from openbook.judge.folds.examples import Examples, model_task
from openbook.words.numbers import short
from openbook.words.sentences import plural

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
    spread = np.quantile(off, (0.25, 0.75))
    note = f"half of the residuals lie between {short(spread[0])} and {short(spread[1])}."
    return _scatter(f"Residuals of {name}", _Rows(truth, predicted, off), (across, up), (0.0, 0.0), note)


def beside_truth(name: str, truth: np.ndarray, predicted: np.ndarray) -> Picture:
    """Each row's truth against its prediction; on the dashed line they are the same."""
    across, up = Numbers(f"predicted {name}", predicted), Numbers(f"true {name}", truth)
    rows = _Rows(truth, predicted, truth)
    note = "dashed: truth = prediction."
    return _scatter(f"True and predicted {name}", rows, (across, up), across.span, note)


class _Rows(NamedTuple):
    """Truths, predictions, and what is drawn over them."""

    truth: np.ndarray
    predicted: np.ndarray
    drawn: np.ndarray


def _scatter(
    title: str, all_rows: _Rows, axes: tuple[Numbers, Numbers], ends: tuple[float, float], note: str
) -> Picture:
    """Rows as dots, a dashed line between two heights at the ends, and the curve of means."""
    truth, predicted, y = all_rows
    plot = Plot(*axes)
    rows = drawn_rows(len(y), _MOST_DOTS)
    told = [f"predicted {short(predicted[i])}, truth {short(truth[i])}" for i in rows]
    plot.dots(predicted[rows], y[rows], f"c0 {dot_look(len(rows))}", told)
    plot.line(axes[0].span, ends, "c8 dashed")
    curve = _curve(predicted, y)
    plot.line([x for x, _ in curve], [mean for _, mean in curve], "c5")
    x_share, y_share = axes[0].position(predicted), axes[1].position(y)
    beyond = int(((x_share < 0) | (x_share > 1) | (y_share < 0) | (y_share > 1)).sum())
    notes = [f"{rows_drawn(len(rows), len(y))}; {note}"]
    if curve:
        notes.append("The curve is the mean of rows with similar predictions.")
    if beyond:
        notes.append(f"{plural(beyond, 'row')} beyond the frame, shown as triangles at its edge.")
    return plot.picture(title, notes)


def _curve(x: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    """Means of the rows in groups of neighbouring predictions."""
    groups = min(len(x) // _ROWS, _POINTS)
    bounds = np.unique(np.quantile(x, np.linspace(0, 1, groups + 1))) if groups else np.zeros(0)
    if len(bounds) < 4:
        return []
    group = np.searchsorted(bounds[1:-1], x, side="right")
    parts = [group == g for g in np.unique(group)]
    return [(float(x[part].mean()), float(y[part].mean())) for part in parts]
