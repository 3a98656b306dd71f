"""Tables combined: figures of groups and joins, through polars, and rows below one another; kinds stay.

    group_by("town", income="mean(income)", people="count()")        a row for each town
    join(other, on="town")                                           the columns of another table beside these

Missing cells are left out of every figure, and a missing key joins nothing. Figures: mean, sum, min, max,
median, std (N - 1), count (of known cells; of rows without a column), distinct, first, mode.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from openbook.data.attributes import Attribute, Categorical, Numeric
from openbook.data.read import read
from openbook.data.sparse_table import SparseTable
from openbook.data.table import Table
from openbook.errors import DataError, ParameterError, UnknownColumn, did_you_mean

if TYPE_CHECKING:
    import polars as pl

_CALL = re.compile(r"\s*(\w+)\(\s*(.*?)\s*\)\s*")
#: Figures of numbers, and those of any column; the last two keep its kind.
_OF_NUMBERS = ("mean", "sum", "min", "max", "median", "std")
_OF_ANY = ("count", "distinct", "first", "mode")


def figures_of_groups(table: Table, by: Sequence[str], figures: Mapping[str, str]) -> Table:
    """A row for each group, in the order in which groups come, with figures of its rows."""
    import polars as pl

    for name in by:
        if name not in table.schema:
            raise UnknownColumn(name, table.names)
    kinds: dict[str, Attribute] = {name: table.schema[name] for name in by}
    made = []
    for name, text in figures.items():
        function, column = _parsed(name, text, table)
        made.append(_figure(function, column, name))
        kinds[name] = table.schema[column].renamed(name) if function in ("first", "mode") else Numeric(name)
    frame = _plain(table).group_by(list(by), maintain_order=True).agg(made or [pl.len().alias("rows")])
    return _typed(frame, kinds)


def join_tables(table: Table, other: Table, on: Sequence[str], how: Literal["left", "inner"]) -> Table:
    """The columns of another table beside these, where the keys agree."""
    if how not in ("left", "inner"):
        raise ParameterError(f"join: how must be one of 'left', 'inner', got {how!r}")
    for name in on:
        for one in (table, other):
            if name not in one.schema:
                raise UnknownColumn(name, one.names)
        kinds = [isinstance(one.schema[name], Numeric) for one in (table, other)]
        if kinds[0] != kinds[1]:
            raise DataError(
                f"join: {name!r} is {table.schema[name].kind} here and {other.schema[name].kind} there;"
                " read one of them with kinds"
            )
    if twice := [name for name in other.names if name in table.schema and name not in on]:
        raise DataError(f"join: both tables have a column {twice[0]!r}; drop it from one, or join on it, too")
    frame = _plain(table).join(_plain(other), on=list(on), how=how, maintain_order="left")
    theirs = {name: other.schema[name] for name in other.names if name not in on}
    return _typed(frame, {**{name: table.schema[name] for name in table.names}, **theirs})


def stacked_rows(tables: Sequence[Table]) -> Table:
    """Tables of one schema, one below the other."""
    first = tables[0]
    if first.matrix is not None and all(table.matrix is not None for table in tables):
        return Table.from_matrix(first.schema, np.concatenate([table.matrix for table in tables]))
    columns = [np.concatenate(parts) for parts in zip(*(table.columns for table in tables), strict=True)]
    if not isinstance(first, SparseTable):
        return Table(first.schema, columns)
    from scipy.sparse import vstack

    sparse = vstack([table.sparse for table in tables if isinstance(table, SparseTable)], format="csr")
    return SparseTable(first.schema, sparse, dense=columns)


def _parsed(name: str, text: str, table: Table) -> tuple[str, str]:
    """The function and the column of "mean(income)"; "count()" counts rows."""
    found = _CALL.fullmatch(text)
    known = (*_OF_NUMBERS, *_OF_ANY)
    if found is None or found[1] not in known:
        near = did_you_mean(found[1] if found else text, known)
        raise ParameterError(
            f"group_by: {name}={text!r} must be a figure of a column, as mean(income). {near}"
        )
    function, column = found.groups()
    if not column and function == "count":
        return function, ""
    if column not in table.schema:
        raise UnknownColumn(column, table.names)
    if function in _OF_NUMBERS and not isinstance(table.schema[column], Numeric):
        kind = table.schema[column].kind
        raise DataError(
            f"group_by: {function} is of numbers, and {column!r} is {kind}; use {' or '.join(_OF_ANY)}"
        )
    return function, column


def _figure(function: str, column: str, name: str) -> "pl.Expr":
    import polars as pl

    if not column:
        return pl.len().cast(pl.Float64).alias(name)
    cells = pl.col(column).drop_nulls()
    figure: Any = {
        "distinct": lambda: cells.n_unique().cast(pl.Float64),
        "count": lambda: cells.len().cast(pl.Float64),
        "first": cells.first,
        "mode": lambda: cells.mode().sort().first(),
    }.get(function, getattr(cells, function, None))
    return figure().alias(name)


def _plain(table: Table) -> "pl.DataFrame":
    """The table as a frame in which values are texts, so that keys of two tables can be compared."""
    import polars as pl

    texts = [pl.col(a.name).cast(pl.String) for a in table.schema if isinstance(a, Categorical)]
    return table.to_polars().with_columns(texts)


def _typed(frame: "pl.DataFrame", kinds: Mapping[str, Attribute]) -> Table:
    return read(frame, {name: kind for name, kind in kinds.items() if name in frame.columns})
