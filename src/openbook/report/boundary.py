"""Where a classifier says what: two columns vary over a grid, the others stay at their mean or mode.

Numbers go over an even grid, categories over their values. The grid is coarse first; where neighbouring cells
differ, it is looked at again, four times as fine. Rows are drawn at their place in the two columns, so a row
whose other cells are far from the middle may lie in another class's region and yet be predicted right; a ring
marks a row that is predicted wrong. Missing cells are not drawn.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from openbook.border.base import Learner
from openbook.data import MISSING, Attribute, Categorical, Numeric, SparseTable, Table
from openbook.data.attributes import as_text
from openbook.data.conform import conform
from openbook.draw import Categories, Numbers, Picture
from openbook.draw.colours import COLOURS, RARE
from openbook.draw.plot import FRAME, dots, framed, legend
from openbook.errors import DataError, ParameterError, RefusalError, UnknownColumn
from openbook.judge import permutation_importance
from openbook.judge.folds.examples import Examples, model_task
from openbook.words.numbers import cell, figure
from openbook.words.sentences import plural

__all__ = ["draw_boundary", "usable_columns"]

#: Cells of the coarse grid across and up, and how many finer ones along a side.
_COARSE = (70, 50)
_FINE = 4
#: Rows that are drawn, rows by which the columns are chosen, values of a category that have a band.
_MOST_DOTS = 600
_MOST_JUDGED = 300
_MOST_BANDS = 20
#: Columns that are named with what they stay at.
_NAMED = 4


def draw_boundary(model: Any, X: Any, y: Any, columns: Sequence[str] | None = None) -> Picture:
    """The regions of a classifier's decisions, and rows.

    Parameters
    ----------
    model : estimator
        A fitted classifier of openbook's, or another that predicts from a Table.
    X : table-like
        The rows to draw.
    y : array-like or str
        Their target.
    columns : sequence of str or None, default=None
        The two columns that vary, across and up; None takes the two that matter most to the model, by.
        permutation importance on some of the rows

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
    if model_task([model]) != "classification":
        raise ParameterError(f"{model!r} predicts numbers; draw_residuals shows those")
    examples = Examples.of(X, y, "classification")
    table = examples.table
    if isinstance(table, SparseTable):
        raise RefusalError("draw_boundary cannot hold sparse columns at a value; pass X.toarray()")
    if isinstance(model, Learner):
        table = conform(table, model.schema_, type(model).__name__)
    names = _chosen(model, table, examples, columns)
    return _Regions(model, table, examples, names).picture()


def usable_columns(table: Table) -> list[str]:
    """The columns along which a boundary can be drawn: numbers or categories that vary."""
    return [a.name for a in table.schema if isinstance(a, Numeric | Categorical) and _varies(table, a)]


def _varies(table: Table, attribute: Attribute) -> bool:
    data = table.data(attribute.name)
    known = data[np.isfinite(data)] if isinstance(attribute, Numeric) else data[data >= 0]
    return len(known) > 0 and bool((known != known[0]).any())


def _chosen(model: Any, table: Table, examples: Examples, columns: Sequence[str] | None) -> tuple[str, str]:
    """The two columns, checked; or the two of which the model makes most."""
    if columns is not None:
        if isinstance(columns, str) or len(columns) != 2 or columns[0] == columns[1]:
            raise ParameterError(f"columns must be two different columns, got {columns!r}")
        for name in columns:
            if name not in table.schema:
                raise UnknownColumn(name, table.names)
            if not isinstance(table.schema[name], Numeric | Categorical):
                raise DataError(f"column {name!r} is {table.schema[name].kind}, and has no axis")
        return columns[0], columns[1]
    usable = usable_columns(table)
    if len(usable) < 2:
        raise DataError(f"a boundary needs two columns that vary; there are {len(usable)}")
    if len(usable) == 2:
        return usable[0], usable[1]
    some, repeats = _evenly(len(table), _MOST_JUDGED), 3 if len(usable) < 50 else 1
    found = permutation_importance(
        model, table.take(some), examples.labels[some], repeats=repeats, random_state=0
    )
    first, second = [one.column for one in found if one.column in usable][:2]
    return first, second


def _evenly(n: int, most: int) -> np.ndarray:
    """Positions spread evenly over n rows, no more than so many."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))


class _Regions:
    """The decisions over the grid, and the rows beside them."""

    def __init__(self, model: Any, table: Table, examples: Examples, names: tuple[str, str]) -> None:
        self.model, self.table, self.examples, self.names = model, table, examples, names
        self.classes = [as_text(label) for label in np.asarray(model.classes_).tolist()]
        self.bands = [self._bands(name) for name in names]
        self.axes = [self._axis(name, bands) for name, bands in zip(names, self.bands, strict=True)]
        rows = _evenly(len(table), _MOST_DOTS)
        self.some = table.take(rows)
        self.truth = [as_text(label) for label in examples.labels[rows].tolist()]
        self.looks = self._looks()

    def _bands(self, name: str) -> np.ndarray | None:
        """Of a category, the codes that have a band: all, or the most frequent."""
        attribute, data = self.table.schema[name], self.table.data(name)
        if not isinstance(attribute, Categorical):
            return None
        counts = np.bincount(data[data >= 0], minlength=len(attribute.values))
        frequent = np.argsort(-counts, kind="stable")
        return np.sort(frequent[counts[frequent] > 0][:_MOST_BANDS])

    def _axis(self, name: str, bands: np.ndarray | None) -> Numbers | Categories:
        attribute = self.table.schema[name]
        if bands is None:
            return Numbers(name, np.asarray(self.table.data(name), dtype=float))
        assert isinstance(attribute, Categorical)
        return Categories(name, tuple(attribute.values[code] for code in bands))

    def _looks(self) -> dict[str, str]:
        """A colour for each class: the most frequent have one of their own."""
        labels, counts = np.unique([*self.truth, *self.classes], return_counts=True)
        frequent = [str(label) for label in labels[np.argsort(-counts, kind="stable")][:COLOURS]]
        shown = [label for label in dict.fromkeys([*self.classes, *self.truth]) if label in frequent]
        return {label: f"c{i}" for i, label in enumerate(shown)}

    def _look(self, label: str) -> str:
        return self.looks.get(label, RARE)

    def _held(self, attribute: Attribute) -> Any:
        """What a column stays at: the mean of its numbers, or its most frequent value."""
        data = self.table.data(attribute.name)
        if isinstance(attribute, Numeric):
            known = data[np.isfinite(data)]
            return float(known.mean()) if len(known) else np.nan
        if isinstance(attribute, Categorical):
            known = data[data >= 0]
            return int(np.bincount(known).argmax()) if len(known) else MISSING
        return None

    def _decided(self, across: np.ndarray, up: np.ndarray) -> np.ndarray:
        """The codes of the classes said at these places, numbers or codes in the two columns."""
        varied = dict(zip(self.names, (across, up), strict=True))
        columns = []
        for attribute in self.table.schema:
            data = self.table.data(attribute.name)
            if attribute.name in varied:
                columns.append(varied[attribute.name].astype(data.dtype))
            else:
                columns.append(np.full(len(across), self._held(attribute), dtype=data.dtype))
        grid = Table(self.table.schema, columns)
        if self.table.matrix is not None:
            grid = Table.from_matrix(self.table.schema, np.column_stack(columns))
        return self._codes(np.asarray(self.model.predict(grid)))

    def _codes(self, labels: np.ndarray) -> np.ndarray:
        positions = {label: code for code, label in enumerate(self.classes)}
        distinct, inverse = np.unique([as_text(label) for label in labels.tolist()], return_inverse=True)
        return np.array([positions.get(str(label), -1) for label in distinct])[inverse]

    def _places(self, axis: int, fine: int) -> np.ndarray:
        """The values at the middles of the cells along an axis."""
        bands = self.bands[axis]
        if bands is not None:
            return bands
        own = self.axes[axis]
        assert isinstance(own, Numbers)
        low, high = own.span
        n = _COARSE[axis] * fine
        return low + (high - low) * (np.arange(n) + 0.5) / n

    def grid(self) -> np.ndarray:
        """The codes said over the grid, a row for each place up: fine where cells differ, else repeated."""
        coarse = [self._places(axis, 1) for axis in (0, 1)]
        across, up = (a.ravel() for a in np.meshgrid(*coarse))
        rough = self._decided(across, up).reshape(len(coarse[1]), len(coarse[0]))
        finer = [self._places(axis, _FINE) for axis in (0, 1)]
        times = [len(f) // len(c) for f, c in zip(finer, coarse, strict=True)]
        codes = rough.repeat(times[1], axis=0).repeat(times[0], axis=1)
        i, j = np.nonzero(_on_the_edge(rough).repeat(times[1], axis=0).repeat(times[0], axis=1))
        if len(i) and max(times) > 1:
            codes[i, j] = self._decided(finer[0][j], finer[1][i])
        return codes

    def picture(self) -> Picture:
        codes = self.grid()
        said = [int(c) for c in np.unique(codes) if c >= 0]
        inside = "".join([*self._regions(codes), *self._dots()])
        named = [(look, label) for label, look in self.looks.items()]
        others = [label for label in dict.fromkeys([*self.classes, *self.truth]) if label not in self.looks]
        if others:
            named.append((RARE, f"{len(others)} rarer {'classes' if len(others) > 1 else 'class'}"))
        if self.wrong.any():
            named.append(("ring c8", "a ring: predicted wrong"))
        above, tall = legend(named)
        body, width, height = framed(self.axes[0], self.axes[1], inside, above, tall)
        title = f"{self.examples.name} by {self.names[0]} and {self.names[1]}"
        shares = [f"{self.classes[c]} in {np.mean(codes == c):.0%}" for c in said]
        told = f"The model says {', '.join(shares)} of the frame. {' '.join(self._notes(said))}"
        return Picture(title, told, tuple(self._notes(said)), body, width, height)

    def _regions(self, codes: np.ndarray) -> list[str]:
        """A path for each class, of rectangles that join equal runs of neighbouring rows."""
        (wide, high), (rows, cells) = FRAME, codes.shape
        paths: dict[str, list[str]] = {}
        top = 0
        for key, group in groupby(range(rows), key=lambda i: codes[rows - 1 - i].tobytes()):
            size = len(list(group))
            line = np.frombuffer(key, dtype=codes.dtype)
            starts = np.r_[0, np.flatnonzero(np.diff(line)) + 1, cells]
            for start, end in pairwise(starts):
                if line[start] >= 0:
                    x, w = start * wide / cells, (end - start) * wide / cells
                    box = f"M{x:.2f} {top * high / rows:.2f}h{w:.2f}v{size * high / rows:.2f}h{-w:.2f}z"
                    paths.setdefault(self._look(self.classes[line[start]]), []).append(box)
            top += size
        return [f'<path class="region {look}" d="{"".join(boxes)}"/>' for look, boxes in paths.items()]

    @cached_property
    def wrong(self) -> np.ndarray:
        """Whether each row that is drawn is predicted wrong."""
        said = self._codes(np.asarray(self.model.predict(self.some)))
        return np.array(
            [c < 0 or self.classes[c] != label for c, label in zip(said, self.truth, strict=True)]
        )

    def _dots(self) -> list[str]:
        places, known = [], np.ones(len(self.some), dtype=bool)
        for name, axis, bands in zip(self.names, self.axes, self.bands, strict=True):
            data = self.some.data(name)
            if bands is not None:
                known &= np.isin(data, bands)
                places.append(axis.aside(np.searchsorted(bands, data).astype(float)))
            else:
                known &= np.isfinite(data)
                places.append(axis.aside(np.where(np.isfinite(data), data, 0.0)))
        kept = np.flatnonzero(known)
        kept = kept[np.argsort(self.wrong[kept], kind="stable")]  # rings on top
        looks = [f"{'ring' if self.wrong[i] else 'dot'} {self._look(self.truth[i])}" for i in kept]
        told = [f"{self.truth[i]}{', predicted wrong' if self.wrong[i] else ''}" for i in kept]
        return list(dots(places[0][kept], places[1][kept], looks, told))

    def _notes(self, said: list[int]) -> list[str]:
        """What the other columns stay at, which rows are drawn, and whether one class is said everywhere."""
        others = [a for a in self.table.schema if a.name not in self.names]
        notes = []
        if others:
            held = []
            for a in others[:_NAMED]:
                value = self._held(a)
                word = a.values[value] if isinstance(a, Categorical) and value >= 0 else value
                held.append(f"{a.name} = {figure(word, 4) if isinstance(word, float) else cell(word)}")
            more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
            notes.append(f"Others at their mean or mode: {', '.join(held)}{more}.")
        n = len(self.table)
        rows = plural(n, "row") if len(self.some) == n else f"{len(self.some):,} of {n:,} rows"
        notes.append(f"Dots: {rows}, coloured by their class.")
        if len(said) == 1:
            notes[-1] += f" The model says {self.classes[said[0]]} everywhere in this frame."
        return notes


def _on_the_edge(codes: np.ndarray) -> np.ndarray:
    """Whether any of a cell's eight neighbours differs from it."""
    padded = np.pad(codes, 1, mode="edge")
    n, m = codes.shape
    shifted = [padded[i : i + n, j : j + m] for i in range(3) for j in range(3)]
    return np.any([other != codes for other in shifted], axis=0)
