"""A regressor's curve over its points: one column varies, and the others stay at their mean or mode.

The band is the interval in which a new row's target is expected, for models that have one
(`predict_interval`). Rows whose column or target is missing are not drawn.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from openbook.data import Numeric
from openbook.draw.axes import Numbers
from openbook.draw.columns import Groups, drawable, rows_drawn
from openbook.draw.picture import Picture
from openbook.draw.plot import FRAME, Plot, panels
from openbook.draw.regions import draw_boundary
from openbook.draw.sweep import Sweep, example_rows
from openbook.errors import DataError, ParameterError
from openbook.words.sentences import plural

_POINTS, _SMALL = 400, (270, 220)


def draw_predictions(model: Any, X: Any, y: Any, columns: Any = None) -> Picture:
    """Predictions of any fitted model: decision regions of a classifier, the curve of a regressor.

    Parameters
    ----------
    model : estimator
        A fitted classifier or regressor.
    X : table-like
        The rows to draw.
    y : array-like or str
        Their target.
    columns : sequence of str, str or None, default=None
        The two columns of the regions, or the one of the curve; None takes those that matter most.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.neighbors import KNeighborsRegressor
    >>> rows = load("diabetes")[["bmi", "progression"]]
    >>> draw_predictions(KNeighborsRegressor(25).fit(rows, "progression"), rows, "progression").title
    'progression by bmi'
    """
    if hasattr(model, "classes_"):
        return draw_boundary(model, X, y, columns)
    if columns is not None and not isinstance(columns, str):
        columns = columns[0] if len(columns) else None
    return draw_fit(model, X, y, columns)


def draw_fit(model: Any, X: Any, y: Any, column: str | None = None, level: float = 0.95) -> Picture:
    """A fitted curve over its points, with its prediction interval where the model has one.

    Parameters
    ----------
    model : estimator or mapping of str to estimator
        A fitted regressor; or several by name, which are drawn side by side with the same axes.
    X : table-like
        The rows to draw.
    y : array-like or str
        Their target.
    column : str or None, default=None
        The column across; None for the one of the largest effect on the prediction.
    level : float, default=0.95
        The probability of the band.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook.linear import LinearRegression
    >>> rows = [{"hours": h, "points": p} for h, p in ((1, 3), (2, 5), (4, 6), (5, 10))]
    >>> draw_fit(LinearRegression().fit(rows, "points"), rows, "points").title
    'points by hours'
    """
    models = model if isinstance(model, Mapping) else {"": model}
    if odd := next((m for m in models.values() if hasattr(m, "classes_")), None):
        raise ParameterError(f"{odd!r} predicts classes; draw_boundary shows those")
    first = next(iter(models.values()))
    table, target, cells = example_rows(first, X, y)
    truth = np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
    name = _steepest(first, table) if column is None else column
    sweep = Sweep(table, [name])
    swept = sweep.columns[0]
    values, is_category = swept.middles(_POINTS), swept.bands is not None
    x = np.arange(len(values), dtype=float) if is_category else values
    size = FRAME if len(models) == 1 else _SMALL
    up = Numbers(target or "target", truth)
    plots, banded, rows = [], False, sweep.at(values)
    for each in models.values():
        plot = Plot(swept.axis, up, size)
        if hasattr(each, "predict_interval") and getattr(each, "sigma2_", True) is not None:
            low, high = each.predict_interval(rows, level)
            plot.band(x, low, high, "c5")
            banded = True
        drawn = Groups.none(len(table)).dots(plot, swept.values(table), truth, aside=is_category)
        curve = np.asarray(each.predict(rows), dtype=float)
        if is_category:  # a level for each value
            for position, value in zip(x, curve, strict=True):
                plot.line([position - 0.35, position + 0.35], [value, value], "c5")
        else:
            plot.line(x, curve, "c5")
        plots.append(plot)
    notes = [f"{rows_drawn(drawn, len(table))}.", *sweep.note()]
    if banded:
        notes.append(f"Band: where a new row is expected with probability {level:g}.")
    title = f"{target or 'target'} by {name}"
    if len(models) == 1:
        return plots[0].picture(title, notes)
    return panels(plots, list(models), 3, title, notes, f"{plural(len(models), 'curve')}. {' '.join(notes)}")


def _steepest(model: Any, table: Any) -> str:
    """The column along which predictions differ most, the others held."""
    usable = drawable(table)
    if not usable:
        raise DataError("a curve needs a column that varies; there is none")
    numeric = [name for name in usable if isinstance(table.schema[name], Numeric)] or usable

    def reach(name: str) -> float:
        sweep = Sweep(table, [name])
        return float(np.ptp(np.asarray(model.predict(sweep.at(sweep.columns[0].middles(20))), dtype=float)))

    return max(numeric, key=reach)
