r"""Given lines, or planes, that part two classes: how far rows are from each, and whose margin is widest.

    distance of a row    y_i (w · x_i + b) / ‖w‖       below 0 on the wrong side
    margin of a line     2 min_i distance              how wide it can get before it meets a row

X : float64 (n, d), complete;  y in {-1, +1}, +1 for the second class;  w : (d,), b a number
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data import Table, read
from openbook.errors import ParameterError
from openbook.measures.arrays import as_floats
from openbook.words.numbers import figure, signed
from openbook.words.sentences import joined, plural
from openbook.work import Grid, Step, Work

#: Rows whose distances are written out.
_SHOWN = 10


@dataclass(frozen=True, repr=False)
class Separators:
    """Lines side by side: their margins, mistakes and nearest rows.

    Attributes
    ----------
    lines : dict
        The weights and the constant (w, b) of each line, by name.
    margins : dict
        The margin of each: twice the distance of the nearest row, negative if a row is on the wrong side.
    mistakes : dict
        How many rows are on the wrong side of each, or on it.
    nearest : dict
        The numbers of the rows that are nearest to each.
    distances : dict
        The distance of each row to each line, below 0 on the wrong side.
    best : str
        The name of the line with the widest margin; of equals, the first.

    Notes
    -----
    Guide: docs/guide/svm.md

    Examples
    --------
    >>> X, y = [[0, 0], [0, 2], [2, 0], [2, 2]], ["left", "left", "right", "right"]
    >>> found = separators(X, y, {"middle": ([1, 0], -1), "tilted": ([1, 0.2], -1.2)})
    >>> found.best, {name: round(margin, 3) for name, margin in found.margins.items()}
    ('middle', {'middle': 2.0, 'tilted': 1.569})
    """

    lines: dict[str, tuple[tuple[float, ...], float]]
    margins: dict[str, float]
    mistakes: dict[str, int]
    nearest: dict[str, tuple[int, ...]]
    distances: dict[str, tuple[float, ...]]
    best: str
    _data: Any = None

    def work(self) -> Work:
        """Derive the margin of each line, and compare them."""
        rows, signs, labels = self._data
        parts: list[Work | Grid] = [self._derived(name, rows, signs) for name in self.lines]
        nearest = {name: ", ".join(map(str, rows[:6])) for name, rows in self.nearest.items()}
        lines = [(name, self.margins[name], self.mistakes[name], nearest[name]) for name in self.lines]
        parts.append(Grid("side by side", ("line", "margin", "mistakes", "nearest rows"), lines))
        margin = self.margins[self.best]
        widest = f"The widest margin: {self.best}, {figure(margin)}."
        end = widest if margin > 0 else f"None of them separates {labels[0]} from {labels[1]}."
        return Work("Lines between two classes", tuple(parts), end)

    def __repr__(self) -> str:
        return str(self.work().parts[-1])

    def _derived(self, name: str, rows: Any, signs: Any) -> Work:
        w, b = self.lines[name]
        length = math.hypot(*w)
        grid = []
        for i in sorted(range(len(rows)), key=lambda i: self.distances[name][i])[:_SHOWN]:
            f = math.fsum(u * v for u, v in zip(w, rows[i], strict=True)) + b
            grid.append((i, f"{signs[i]:+d}", f, signs[i] * f / length))
        nearest, squares = min(self.distances[name]), joined([f"{signed(u)}^2" for u in w])
        formula = r"2 \min_i \frac{y_i (w \cdot x_i + b)}{\lVert w \rVert}"
        note = f"{plural(self.mistakes[name], 'row')} on the wrong side" if self.mistakes[name] else ""
        parts = (
            Step("‖w‖", r"\sqrt{\sum_j w_j^2}", rf"\sqrt{{{squares}}}", length),
            Grid("nearest rows", ("row", "y", "w · x + b", "distance"), grid),
            Step("margin", formula, rf"2 \cdot {signed(nearest)}", 2 * nearest, note),
        )
        return Work(name, parts)


def separators(X: Any, y: str | Sequence[Any], lines: Mapping[str, tuple[Any, float]]) -> Separators:
    """Compare given lines between two classes by their margins.

    Parameters
    ----------
    X : table-like
        The rows: complete numbers.
    y : str or sequence
        Their classes, two of them, or the name of their column. A line should be above 0 for the second, in
        sorted order.
    lines : mapping of str to (w, b)
        The weights w, one for each column, and the constant b of each line w · x + b = 0.

    Returns
    -------
    Separators
        With `margins`, `mistakes`, `nearest`, `best` and `work()`.

    Notes
    -----
    Guide: docs/guide/svm.md

    Examples
    --------
    >>> separators([[0.0], [4.0]], ["a", "b"], {"half": ([1.0], -2.0)}).margins
    {'half': 4.0}
    """
    if isinstance(y, str):
        X, column = read(X).split(y)
        y = column.tolist()
    rows = as_floats(X.block(X.names) if isinstance(X, Table) else X, "X")
    labels = sorted(set(np.asarray(y).tolist()), key=str)
    if rows.ndim != 2 or not np.isfinite(rows).all() or len(rows) != len(y):
        msg = f"X must be complete rows of numbers, one for each of the {len(y)} labels; got {rows.shape}"
        raise ParameterError(msg)
    if len(labels) != 2 or not lines:
        msg = f"a line parts two classes, and at least one line is needed; got the classes {labels}"
        raise ParameterError(msg)
    signs = np.where(np.asarray(y, dtype=object) == labels[1], 1, -1)
    found: dict[str, Any] = {}
    for name, (w, b) in lines.items():
        weights = as_floats(w, "w").ravel()
        if len(weights) != rows.shape[1] or not weights.any():
            msg = f"line {name!r} needs {plural(rows.shape[1], 'weight')}, not all 0; got {weights.tolist()}"
            raise ParameterError(msg)
        found[name] = (weights, float(b), signs * (rows @ weights + b) / np.linalg.norm(weights))
    least = {name: float(distances.min()) for name, (_, _, distances) in found.items()}
    near = {name: np.flatnonzero(np.isclose(d, least[name])) for name, (_, _, d) in found.items()}
    return Separators(
        {name: (tuple(w.tolist()), b) for name, (w, b, _) in found.items()},
        {name: 2 * d for name, d in least.items()},
        {name: int((d <= 0).sum()) for name, (_, _, d) in found.items()},
        {name: tuple(numbers.tolist()) for name, numbers in near.items()},
        {name: tuple(d.tolist()) for name, (_, _, d) in found.items()},
        max(least, key=least.__getitem__),
        (rows.tolist(), signs.tolist(), labels),
    )
