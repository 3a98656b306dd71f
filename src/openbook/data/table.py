"""A table is a schema and one array per attribute.

    numeric             float64 (float32 kept as given), NaN where missing
    nominal, ordinal    integer codes into the attribute's values, -1 where missing
    text                objects, None where missing

Columns are views of the source where it allows that: a table read from a 2-D array of numbers keeps the
array as `matrix`, and a slice of rows copies nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Datetime, Nominal, Ordinal
from openbook.data.column import (
    Column,
    cells_as_shown,
    pandas_values,
    polars_series,
    row_part,
    without_lost_values,
)
from openbook.data.schema import Schema, one_by_one
from openbook.errors import DataError
from openbook.words.sentences import plural, printable

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from openbook.draw import Picture

Array = npt.NDArray[Any]

#: The default number of rows of a chunk: enough to amortise a task, few enough to stay small.
CHUNK_ROWS = 1 << 16

_SHOWN_ROWS = 10
_BLOCK_ROWS = 4096


class Table:
    """Typed columns of equal length.

    Parameters
    ----------
    schema : Schema
        The columns: names, kinds and values.
    columns : sequence of ndarray
        Sequence of 1-D arrays, in the schema's order.
    why : mapping of str to str or None, default=None
        Mapping of column name to the reason for its kind, where it was guessed.
    matrix : ndarray or None, default=None
        The 2-D array that the columns are views of, if there is one.
    notes : sequence of str, default=()
        What was lost, renamed or converted when the table was read.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read([{"outlook": "sunny", "humidity": 85}, {"outlook": "rain", "humidity": 70}])
    >>> table["humidity"].tolist(), table[["outlook"]].names
    ([85.0, 70.0], ('outlook',))
    >>> [row["outlook"] for row in table]
    ['sunny', 'rain']
    """

    def __init__(
        self,
        schema: Schema,
        columns: Sequence[Array] | Array,
        *,
        why: Mapping[str, str] | None = None,
        matrix: Array | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if len(columns) != len(schema):
            raise DataError(f"{len(schema)} attributes, but {len(columns)} columns")
        if matrix is None:
            self.columns = tuple(columns)
            if len(set(map(len, self.columns))) > 1:
                msg = f"columns differ in length: {dict(zip(schema.names, map(len, columns), strict=True))}"
                raise DataError(msg)
        self.schema = schema
        self.why = dict(why or {})
        self.matrix = matrix
        self.notes = tuple(notes)

    @classmethod
    def from_matrix(cls, schema: Schema, matrix: Array, why: Mapping[str, str] | None = None) -> "Table":
        """A table whose numeric columns are the columns of a 2-D array.

        Parameters
        ----------
        schema : Schema
            The columns: names, kinds and values.
        matrix : ndarray
            Numbers of shape (n_rows, n_columns).
        why : mapping of str to str or None, default=None
            The reason for the kind of each column, where it was guessed.

        Returns
        -------
        Table
        """
        return cls(schema, matrix.T, why=why, matrix=matrix)

    @cached_property
    def columns(self) -> tuple[Array, ...]:
        """The array behind each column; views of the matrix, where there is one, are made when asked for."""
        return tuple(self.matrix.T)  # type: ignore[union-attr]

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.schema)

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self.columns)

    def __len__(self) -> int:
        if self.matrix is not None:
            return len(self.matrix)
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> Column:
        """The column of that name.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        Column
        """
        return Column(self.schema[name], self.data(name))

    def data(self, name: str) -> Array:
        """The array behind a column: numbers or codes.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        ndarray
        """
        return self.columns[self.schema.position(name)]

    def block(self, names: Sequence[str]) -> Array:
        """These numeric columns side by side, row after row: a view where it can be, else a copy.

        Parameters
        ----------
        names : sequence of str
            The names of the columns.

        Returns
        -------
        ndarray
        """
        if not names:
            return np.zeros((len(self), 0))
        if self.matrix is not None and tuple(names) == self.names:
            return np.ascontiguousarray(self.matrix)
        if self.matrix is not None:
            positions = self.schema.positions(names)
            start, stop = positions[0], positions[-1] + 1
            if positions == list(range(start, stop)):  # side by side already
                return np.ascontiguousarray(self.matrix[:, start:stop])
            return np.take(self.matrix, positions, axis=1)
        columns = [self.data(name) for name in names]
        block = np.empty((len(self), len(columns)), np.result_type(*columns))
        for start in range(0, len(self), _BLOCK_ROWS):  # few rows at a time stay in the cache meanwhile
            span = slice(start, start + _BLOCK_ROWS)
            for j, column in enumerate(columns):
                block[span, j] = column[span]
        return block

    def select(self, *names: str | Iterable[str]) -> "Table":
        """Only these columns, in this order.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the columns, one by one or as a list.

        Returns
        -------
        Table
        """
        chosen = one_by_one(names)
        if chosen == self.names:
            return self
        why = {name: self.why[name] for name in chosen if name in self.why}
        columns = [self.data(name) for name in chosen]
        return Table(self.schema.select(chosen), columns, why=why, notes=self.notes)

    def drop(self, *names: str | Iterable[str]) -> "Table":
        """All columns but these.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the columns, one by one or as a list.

        Returns
        -------
        Table
        """
        gone = {self.schema[name].name for name in one_by_one(names)}
        return self.select(name for name in self.names if name not in gone)

    def take(self, rows: Any) -> Self:
        """These rows: a slice (a view), positions, or a mask.

        Parameters
        ----------
        rows : slice, array of positions or mask
            Which rows.

        Returns
        -------
        Table
        """
        if self.matrix is not None:
            matrix = rows_at(self.matrix, rows)
            return type(self)(self.schema, matrix.T, why=self.why, matrix=matrix, notes=self.notes)
        columns = [rows_at(column, rows) for column in self.columns]
        return type(self)(self.schema, columns, why=self.why, notes=self.notes)

    def filter(self, condition: Any) -> Self:
        """The rows for which a condition holds.

        A value whose last row is left out goes, too: no class of a nominal target is left behind by rows
        that nobody wants. Values that were declared without any row stay.

        Parameters
        ----------
        condition : array-like of bool, or callable
            A mask, one boolean for each row; or a function of a row that says whether to keep it.

        Returns
        -------
        Table

        Examples
        --------
        >>> from openbook import load
        >>> table = load("weather")
        >>> len(table.filter(table["outlook"] == "sunny"))
        5
        >>> len(table.filter(lambda row: row["outlook"] == "sunny" and row["humidity"] == "high"))
        3
        """
        mask = np.asarray([condition(row) for row in self] if callable(condition) else condition)
        if mask.shape != (len(self),) or mask.dtype != bool:
            raise DataError(
                f"filter needs one true or false for each of the {len(self):,} rows;"
                " pass a mask, or a function of a row that returns a bool"
            )
        return self.take(mask)._without_values_lost_from(self)  # noqa: SLF001 (a table, too)

    def _without_values_lost_from(self, before: Self) -> Self:
        """These rows without the values that rows had before and none has now."""
        if not self.schema.of(Nominal, Ordinal):
            return self
        columns = [without_lost_values(before.column(name), self.column(name)) for name in self.names]
        schema = Schema(tuple(column.attribute for column in columns), self.schema.named)
        return type(self)(schema, [column.data for column in columns], why=self.why, notes=self.notes)

    def violations(self, rule: str) -> npt.NDArray[np.intp]:
        """The positions of the rows that break a rule between columns.

        Parameters
        ----------
        rule : str
            A comparison, and where it must hold: "age >= 18 where licence = yes". What is missing breaks no
            rule.

        Returns
        -------
        ndarray of int
        """
        from openbook.data.expression import violations

        return violations(self, rule)

    def group_by(self, *by: str | Iterable[str], **figures: str) -> "Table":
        """A row for each group of rows, with figures of the group.

        Parameters
        ----------
        *by : str or iterable of str
            The columns whose values make the groups, one by one or as a list.
        **figures : str
            New columns, each a figure of a column: income="mean(income)", people="count()". The functions are
            mean, sum, min, max, median, std, count, distinct, first and mode.

        Returns
        -------
        Table
            In the order in which groups come.
        """
        from openbook.data.combine import figures_of_groups

        return figures_of_groups(self, one_by_one(by), figures)

    def join(
        self, other: "Table", on: str | Sequence[str], how: Literal["left", "inner"] = "left"
    ) -> "Table":
        """The columns of another table beside these, where the keys agree.

        Parameters
        ----------
        other : Table
            The other table.
        on : str or sequence of str
            The columns that both have, and that must be equal.
        how : {"left", "inner"}, default="left"
            Whether rows without a partner stay, with missing cells, or are left out. A row with several
            partners comes once for each.

        Returns
        -------
        Table
        """
        from openbook.data.combine import join_tables

        return join_tables(self, other, [on] if isinstance(on, str) else on, how)

    def head(self, rows: int = 5) -> Self:
        """The first rows.

        Parameters
        ----------
        rows : int, default=5
            How many.

        Returns
        -------
        Table
        """
        return self.take(slice(0, rows))

    def drop_missing(self, *names: str | Iterable[str]) -> Self:
        """The rows in which none of these columns (default: none at all) is missing.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the columns, one by one or as a list.

        Returns
        -------
        Table
        """
        gaps = [self.column(name).missing for name in (one_by_one(names) or self.names)]
        return self.take(~np.any(gaps, axis=0)) if gaps else self

    def split(self, target: str) -> "tuple[Table, Column]":
        """Inputs and target: everything but that column, and the column.

        Parameters
        ----------
        target : str
            The name of the column to predict.

        Returns
        -------
        tuple of (Table, Column)
        """
        return self.drop(target), self.column(target)

    def row(self, i: int) -> dict[str, Any]:
        """One row as a reader would write it.

        Parameters
        ----------
        i : int
            The position of the row.

        Returns
        -------
        dict
        """
        return {name: self.column(name)[i] for name in self.names}

    def chunks(self, rows: int = CHUNK_ROWS) -> "Iterator[Table]":
        """The table in consecutive slices of rows.

        Parameters
        ----------
        rows : int, default=65536
            The most rows of a chunk.

        Returns
        -------
        iterator of Table
        """
        if 0 < len(self) <= rows:
            yield self
            return
        for start in range(0, len(self), rows):
            yield self.take(slice(start, start + rows))

    def to_polars(self) -> "pl.DataFrame":
        """A polars frame: nominal as Categorical, ordinal as Enum, missing as null."""
        import polars as pl

        return pl.DataFrame([polars_series(self.column(name)) for name in self.names])

    def to_pandas(self) -> "pd.DataFrame":
        """A pandas frame: nominal and ordinal as Categorical (ordered where it is)."""
        try:
            import pandas as pd
        except ImportError:
            raise DataError("to_pandas needs pandas: pip install pandas") from None
        return pd.DataFrame({name: pandas_values(self.column(name)) for name in self.names})

    def describe(self, target: str | None = None) -> Any:
        """Measure every column, and point to what may need care before a model is fitted.

        Parameters
        ----------
        target : str or None, default=None
            The name of the column to predict; None for none.

        Returns
        -------
        Description
        """
        from openbook import describe  # as for `draw`

        return describe(self, target)

    def draw(
        self,
        x: str | None = None,
        y: str | None = None,
        z: str | None = None,
        *,
        colour: str | None = None,
        picture: str | None = None,
    ) -> "Picture":
        """The table as the picture that suits what is asked, as `openbook draw` does.

        Parameters
        ----------
        x, y, z : str or None, default=None
            Columns: x, y and z give a scatter plot in three dimensions, x and y one in two, x alone a
            histogram, and none of them the matrix of all pairs.
        colour : str or None, default=None
            The column that colours rows, or whose values have a box each.
        picture : str or None, default=None
            Another picture of all columns, or of those given: "matrix", "histograms", "boxes",
            "correlations", "parallel" or "pixels".

        Returns
        -------
        Picture
        """
        from openbook import draw_table  # found by name when asked for: pictures stand above tables

        return draw_table(self, x, y, z, colour=colour, picture=picture)

    def __getitem__(self, key: Any) -> Any:
        """A column by name, columns by a list of names, a row by position, else rows.

        Splitters index with (rows, ...).
        """
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, bool | np.bool_):
            raise DataError("one true or false picks no row; pass a boolean for each row")
        if isinstance(key, int | np.integer):
            return self.row(range(len(self))[key])
        if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            return self.select(key)
        return self.take(row_part(key))

    def __contains__(self, name: object) -> bool:
        """Whether there is a column of that name."""
        return name in self.schema

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows in order, each as a mapping of column to value."""
        for part in self.chunks(_BLOCK_ROWS):
            columns = [part.column(name).tolist() for name in self.names]
            for cells in zip(*columns, strict=True):
                yield dict(zip(self.names, cells, strict=True))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        dates = self.schema.of(Datetime)
        columns = ((name, self.column(name)) for name in self.names)
        values = np.stack(
            [column.data if name in dates else column.values for name, column in columns], axis=1
        )
        return values if dtype is None else values.astype(dtype)

    def _head_cells(self) -> list[list[str]]:
        top = self.head(_SHOWN_ROWS)
        return [cells_as_shown(top.column(name)) for name in self.names]

    def __repr__(self) -> str:
        cells = self._head_cells()
        heads = [(printable(a.name), a.kind) for a in self.schema]
        widths = [max(map(len, (*head, *column))) for head, column in zip(heads, cells, strict=True)]
        rows = [*zip(*heads, strict=True), *zip(*cells, strict=True)]
        lines = [f"Table of {plural(len(self), 'row')}, {plural(len(self.schema), 'column')}"]
        lines += ["  ".join(map(str.ljust, row, widths)) for row in rows]
        if len(self) > _SHOWN_ROWS:
            lines.append(f"… {plural(len(self) - _SHOWN_ROWS, 'more row')}")
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        heads = "".join(
            f"<th>{escape(printable(a.name))}<br><small>{a.kind}</small></th>" for a in self.schema
        )
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>"
            for row in zip(*self._head_cells(), strict=True)
        )
        caption = f"{plural(len(self), 'row')}, {plural(len(self.schema), 'column')}"
        head = f"<caption>{caption}</caption><thead><tr>{heads}</tr></thead>"
        return f"<table>{head}<tbody>{rows}</tbody></table>"


def rows_at(array: Array, rows: Any) -> Array:
    """The rows of an array: a view of a slice, else a copy by `numpy.take`, quicker than indexing."""
    if isinstance(rows, slice):
        return array[rows]
    rows = np.asarray(rows)
    if rows.dtype == bool or not rows.size:
        rows = np.flatnonzero(rows)
    return np.take(array, rows, axis=0)
