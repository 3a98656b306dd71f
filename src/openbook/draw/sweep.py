"""A model swept over one or two columns while the others stay at their mean or mode.

    sweep = Sweep(table, ("age", "income"))
    sweep.codes(decide)         what is decided in each cell of a grid, (up, across)
    sweep.surface(score)        a number at each place of a grid

Numbers go over an even grid, categories over their values. The grid is coarse first; where neighbouring cells
differ, it is refined, four times as fine.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from openbook.data import MISSING, Attribute, Categorical, Datetime, Numeric, SparseTable, Table, read
from openbook.data.conform import conform
from openbook.draw.columns import ColumnAxis, drawable, drawn_rows
from openbook.errors import DataError, ParameterError, RefusalError
from openbook.words.numbers import cell, figure

#: Cells of the coarse grid across and up, and how many finer ones along a side.
_COARSE = (70, 50)
_FINE = 4
#: Rows by which columns are chosen, and how often each is shuffled.
_MOST_JUDGED, _SHUFFLES = 300, 3
#: Columns that are named with what they stay at.
_NAMED = 4


def example_rows(model: Any, X: Any, y: Any) -> tuple[Table, str, list[Any]]:
    """The rows as the model knows them, and the name and the cells of their target."""
    if isinstance(y, str):
        X, y = read(X).split(y)
    table = read(X)
    if isinstance(table, SparseTable):
        raise RefusalError("a picture cannot hold sparse columns at a value; pass X.toarray()")
    if (schema := getattr(model, "schema_", None)) is not None:
        table = conform(table, schema.unworded, type(model).__name__)
    labels = y.tolist() if hasattr(y, "tolist") else list(y)
    if len(labels) != len(table):
        raise DataError(f"X has {len(table)} rows, but y has {len(labels)}")
    return table, str(getattr(y, "name", None) or ""), labels


def weightiest(decide: Callable[[Table], np.ndarray], table: Table, columns: Sequence[str]) -> list[str]:
    """Columns in order of how many decisions change when the cells of one are shuffled."""
    some = table.take(drawn_rows(len(table), _MOST_JUDGED))
    before, random = decide(some), np.random.default_rng(0)
    changed = {}
    for name in columns:
        shuffles = (random.permutation(len(some)) for _ in range(_SHUFFLES))
        answers = []
        for order in shuffles:
            data = [some.data(a.name)[order] if a.name == name else some.data(a.name) for a in some.schema]
            answers.append(decide(_as_before(some, data)))
        changed[name] = np.mean([answer != before for answer in answers])
    return sorted(columns, key=lambda name: -changed[name])


def _as_before(table: Table, columns: Sequence[np.ndarray]) -> Table:
    """A table of these columns, a matrix where the other is one."""
    if table.matrix is not None:
        return Table.from_matrix(table.schema, np.column_stack(columns))
    return Table(table.schema, columns)


class Sweep:
    """One or two columns that vary, and what the others stay at."""

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        self.table, self.names = table, tuple(names)
        self.columns = [ColumnAxis.of(table, name) for name in names]

    @classmethod
    def over_two(
        cls, table: Table, columns: Sequence[str] | None, decide: Callable[[Table], np.ndarray] | None = None
    ) -> "Sweep":
        """Over two columns as given, or the two by which most decisions change."""
        if columns is not None:
            if isinstance(columns, str) or len(columns) != 2 or columns[0] == columns[1]:
                raise ParameterError(f"columns must be two different columns, got {columns!r}")
            return cls(table, columns)
        usable = drawable(table)
        if len(usable) < 2:
            raise DataError(f"a boundary needs two columns that vary; there are {len(usable)}")
        if len(usable) > 2 and decide is not None:
            usable = weightiest(decide, table, usable)
        return cls(table, usable[:2])

    def held(self, attribute: Attribute) -> Any:
        """What a column stays at: the mean of its numbers, or its most frequent value."""
        data = self.table.data(attribute.name)
        if isinstance(attribute, Numeric):
            known = data[np.isfinite(data)]
            return float(known.mean()) if len(known) else np.nan
        if isinstance(attribute, Categorical):
            known = data[data >= 0]
            return int(np.bincount(known).argmax()) if len(known) else MISSING
        return None

    def at(self, *values: np.ndarray) -> Table:
        """Rows with these numbers or codes in the columns that vary."""
        varied, columns = dict(zip(self.names, values, strict=True)), []
        for attribute, data in zip(self.table.schema, self.table.columns, strict=True):
            cells = varied.get(attribute.name)
            cells = np.full(len(values[0]), self.held(attribute)) if cells is None else cells
            columns.append(cells.astype(data.dtype))
        return _as_before(self.table, columns)

    def places(self, fine: int) -> list[np.ndarray]:
        """The values at the middles of the cells along each axis."""
        return [own.middles(cells * fine) for own, cells in zip(self.columns, _COARSE, strict=True)]

    def codes(self, decide: Callable[[Table], np.ndarray]) -> np.ndarray:
        """The codes decided over the grid, a row for each place up: fine where cells differ."""
        coarse, finer = self.places(1), self.places(_FINE)
        across, up = (a.ravel() for a in np.meshgrid(*coarse))
        rough = decide(self.at(across, up)).reshape(len(coarse[1]), len(coarse[0]))
        times = [len(f) // len(c) for f, c in zip(finer, coarse, strict=True)]
        codes = rough.repeat(times[1], axis=0).repeat(times[0], axis=1)
        i, j = np.nonzero(_on_the_edge(rough).repeat(times[1], axis=0).repeat(times[0], axis=1))
        if len(i) and max(times) > 1:
            codes[i, j] = decide(self.at(finer[0][j], finer[1][i]))
        return codes

    def surface(self, score: Callable[[Table], np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Places across and up, and a number at each, (up, across)."""
        x, y = self.places(2)
        across, up = (a.ravel() for a in np.meshgrid(x, y))
        return x, y, np.asarray(score(self.at(across, up)), dtype=float).reshape(len(y), len(x))

    def note(self) -> list[str]:
        """What the other columns stay at, if there are any."""
        others = [a for a in self.table.schema if a.name not in self.names]
        held = []
        for a in others[:_NAMED]:
            value = self.held(a)
            if isinstance(a, Datetime) and np.isfinite(value):
                word = a.shown(value)
            elif isinstance(a, Categorical) and value >= 0:
                word = a.values[value]
            else:
                word = figure(value, 4) if isinstance(value, float) else cell(value)
            held.append(f"{a.name} = {word}")
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        return [f"Others at their mean or mode: {', '.join(held)}{more}."] if others else []


def _on_the_edge(codes: np.ndarray) -> np.ndarray:
    """Whether any of a cell's eight neighbours differs from it."""
    padded = np.pad(codes, 1, mode="edge")
    n, m = codes.shape
    shifted = [padded[i : i + n, j : j + m] for i in range(3) for j in range(3)]
    return np.any([other != codes for other in shifted], axis=0)
