"""Decision regions of a classifier over two columns, with rows, margins, support vectors, nearest neighbours.

Rows are drawn at their place in the two columns, so a row whose other cells are far from the middle may lie
in another class's region and yet be predicted right; a ring marks a row that is predicted wrong. Missing
cells are not drawn.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from openbook.data import Table, read
from openbook.data.attributes import as_text
from openbook.data.conform import conform
from openbook.draw.columns import Groups, drawn_rows, rows_drawn
from openbook.draw.picture import Picture
from openbook.draw.plot import FRAME, Plot, panels
from openbook.draw.sweep import Sweep, example_rows
from openbook.errors import ParameterError

#: Rows that are drawn, and the size of one plot among several.
_MOST_DOTS = 600
_SMALL = (250, 190)
#: What can be drawn over the regions.
_SHOWN = ("margin", "support", "voronoi")


def draw_boundary(
    model: Any,
    X: Any,
    y: Any,
    columns: Sequence[str] | None = None,
    *,
    show: Sequence[str] = (),
    row: Mapping[str, Any] | None = None,
) -> Picture:
    """Decision regions: the class that a classifier predicts over two columns, and rows.

    Parameters
    ----------
    model : estimator or mapping of str to estimator
        A fitted classifier of openbook's, or another that predicts from a Table; or several by name, which
        are drawn side by side.
    X : table-like
        The rows to draw.
    y : array-like or str
        Their target.
    columns : sequence of str or None, default=None
        The two columns that vary, across and up; None takes the two by which most predictions change when
        their cells are shuffled.
    show : sequence of {"margin", "support", "voronoi"}, default=()
        What to draw over the regions: the lines where the decision function is -1, 0 and 1; rings around the
        support vectors, if X are the training rows; for neighbours, the Voronoi cell of each row.
    row : mapping or None, default=None
        A new row, as a dict: it is drawn with lines to its nearest neighbours. X must be the rows learnt.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/models.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("iris").split("species")
    >>> picture = draw_boundary(NaiveBayes().fit(X, y), X, y)
    >>> picture.title
    'species by petal width (cm) and petal length (cm)'
    """
    models = model if isinstance(model, Mapping) else {"": model}
    if odd := next((m for m in models.values() if not hasattr(m, "classes_")), None):
        raise ParameterError(f"{odd!r} predicts numbers; draw_residuals and draw_fit show those")
    if isinstance(show, str) or not set(show) <= set(_SHOWN):
        raise ParameterError(f"show must be a list of {', '.join(map(repr, _SHOWN))}, got {show!r}")
    regions: list[_Regions] = []
    for one in list(models.values())[::-1]:  # the last decides which columns
        table, name, labels = example_rows(one, X, y)
        regions.insert(0, _Regions(one, table, labels, regions[0].sweep.names if regions else columns))
    plots = [each.plot(FRAME if len(models) == 1 else _SMALL, show, row) for each in regions]
    title = f"{name or 'class'} by {' and '.join(regions[0].sweep.names)}"
    notes = regions[0].notes()
    if len(models) == 1:
        return plots[0].picture(title, notes, f"{regions[0].described()} {' '.join(notes)}")
    described = " ".join(f"{name}: {each.described()}" for name, each in zip(models, regions, strict=True))
    return panels(plots, list(models), 3, title, notes, described)


class _Regions:
    """The decisions over the grid, and the rows beside them."""

    def __init__(self, model: Any, table: Table, labels: Sequence[Any], columns: Any) -> None:
        self.model, self.table = model, table
        self.classes = [as_text(label) for label in np.asarray(model.classes_).tolist()]
        self.sweep = Sweep.over_two(table, columns, self.decide)
        self.codes = self.sweep.codes(self.decide)
        self.rows = drawn_rows(len(table), _MOST_DOTS)
        self.groups = Groups.of([labels[i] for i in self.rows], self.classes)
        wrong = self.decide(table.take(self.rows)) != self.groups.codes  # the classes are the first groups
        order = np.argsort(wrong, kind="stable")  # rings on top
        self.rows, self.wrong = self.rows[order], wrong[order]
        self.groups = replace(self.groups, codes=self.groups.codes[order])
        self.x, self.y = (own.values(table.take(self.rows)) for own in self.sweep.columns)

    def decide(self, rows: Table) -> np.ndarray:
        """The codes of the classes that are predicted."""
        positions = {label: code for code, label in enumerate(self.classes)}
        labels = np.asarray(self.model.predict(rows)).tolist()
        distinct, inverse = np.unique([as_text(label) for label in labels], return_inverse=True)
        return np.array([positions.get(str(label), -1) for label in distinct])[inverse]

    def plot(self, size: tuple[int, int], show: Sequence[str], row: Mapping[str, Any] | None) -> Plot:
        across, up = self.sweep.columns
        plot = Plot(across.axis, up.axis, size)
        plot.regions(self.codes, self.groups.looks)
        groups, pairs = self.groups, list(zip(self.groups.codes, self.wrong, strict=True))
        looks = [f"{'ring' if no else 'dot'} {groups.looks[c]}" for c, no in pairs]
        captions = [f"{groups.names[c]}{', predicted wrong' if no else ''}" for c, no in pairs]
        plot.dots(self.x, self.y, looks, captions, aside=True)
        groups.legend(plot)
        if self.wrong.any():
            plot.named("ring c8", "a ring: predicted wrong")
        if "margin" in show:
            self._margin(plot)
        if "voronoi" in show:
            self._cells(plot)
        if "support" in show:
            self._support(plot)
        if row is not None:
            self._neighbours(plot, row)
        return plot

    @property
    def _predicted(self) -> list[int]:
        return [int(c) for c in np.unique(self.codes) if c >= 0]

    def described(self) -> str:
        """The share of each class in the frame."""
        shares = [f"{self.classes[c]} in {np.mean(self.codes == c):.0%}" for c in self._predicted]
        return f"The model says {', '.join(shares)} of the frame."

    def _margin(self, plot: Plot) -> None:
        if not hasattr(self.model, "decision_function") or len(self.classes) != 2:
            msg = f"{self.model!r} has no margin: that needs two classes and a decision_function"
            raise ParameterError(msg)
        surface = self.sweep.surface(self.model.decision_function)
        plot.contour(*surface, 0.0, "ink", "decision function 0")
        for level in (-1.0, 1.0):
            plot.contour(*surface, level, "ink dashed", "margin: -1 and 1")

    def _cells(self, plot: Plot) -> None:
        nearest = self._nearest("voronoi")
        codes = self.sweep.codes(lambda rows: nearest(rows, 1)[:, 0])
        plot.borders(codes, "ink thin faint")
        plot.named("ink thin faint", "cells of the nearest rows")

    def _support(self, plot: Plot) -> None:
        rows = getattr(self.model, "support_", None)
        if rows is None or np.max(rows, initial=-1) >= len(self.table):
            msg = f"{self.model!r} has no support vectors among these rows; pass those it learnt"
            raise ParameterError(msg)
        x = np.where(np.isin(self.rows, rows), self.x, np.nan)
        plot.dots(x, self.y, "halo", [f"support vector, row {i}" for i in self.rows], aside=True, size=7)
        plot.named("halo", "support vector")

    def _neighbours(self, plot: Plot, row: Mapping[str, Any]) -> None:
        nearest = self._nearest("row")
        new = conform(read([dict(row)]), self.table.schema, "draw_boundary")
        rows = nearest(new, None)[0]
        start = [float(own.values(new)[0]) for own in self.sweep.columns]
        ends = [own.values(self.table.take(rows)) for own in self.sweep.columns]
        for x, y in zip(*ends, strict=True):
            plot.line([start[0], x], [start[1], y], "ink thin")
        plot.dots([start[0]], [start[1]], "ink", [f"new row: {self.model.predict(new)[0]}"], size=6)
        plot.named("ink", f"new row and its {len(rows)} nearest")

    def _nearest(self, asked: str) -> Callable[[Table, int | None], np.ndarray]:
        if not hasattr(self.model, "kneighbors"):
            raise ParameterError(f"{self.model!r} has no nearest rows, which {asked!r} needs; use neighbours")
        return lambda rows, k: np.asarray(self.model.kneighbors(rows, k)[1])

    def notes(self) -> list[str]:
        """What the other columns stay at, which rows are drawn, and whether one class is said everywhere."""
        dots = f"Dots: {rows_drawn(len(self.rows), len(self.table))}, coloured by their class."
        if len(self._predicted) == 1:
            dots += f" The model says {self.classes[self._predicted[0]]} everywhere in this frame."
        return [*self.sweep.note(), dots]
