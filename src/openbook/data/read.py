"""`read`: a table from whatever holds one.

    Table, Scan                       itself; read whole
    path                              .csv .tsv .txt .parquet .arff .jsonl .ndjson (see `openbook.data.files`)
    pandas, polars, pyarrow           a column each; a Series is one column (see `openbook.data.frames`)
    2-D array, nested list            columns x0, x1, … (see `openbook.data.arrays`)
    sparse matrix                     a `SparseTable`
    dict rows, or one dict            a column per key

The kind of each column is given by the source, guessed (see `openbook.data.guess`), or asked for by
`kinds`; the reason is kept in `Table.why` and printed by `describe`.
"""

import os
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from openbook.data.arrays import check_size, from_array, from_rows, from_sparse, object_column, table_of
from openbook.data.attributes import MISSING, Attribute, Categorical, Numeric
from openbook.data.cells import Cells
from openbook.data.frames import from_frame, is_frame
from openbook.data.guess import Decided, Wish, decide_cells, decide_numbers, wishes
from openbook.data.reading import MISSING_TOKENS, Kinds, Reading
from openbook.data.schema import Schema
from openbook.data.table import Column, SparseTable, Table
from openbook.errors import DataError

__all__ = ["read"]


def read(
    source: Any,
    kinds: Kinds = None,
    *,
    missing: Collection[str] = MISSING_TOKENS,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> Table:
    """Read a table.

    Parameters
    ----------
    source : path, frame, array, list of dicts, Table or Scan
        What to read: the path of a CSV, TSV, Parquet, ARFF or JSON-lines file, a pandas, polars or pyarrow
        frame, a 2-D array, a sparse matrix, dict rows, a Table or a Scan.
    kinds : str or mapping or None, default=None
        Overrules the guess: one kind for all columns ("numeric", "nominal", "ordinal", "text"), or for some
        columns, by name or position, a kind, a list of values from lowest to highest (ordinal), or an
        attribute. The schema of a model reads the columns that it has in its units and formats.
    missing : collection of str, default=("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
        Texts that stand for a missing value. Where "NA" is a value of its own, pass a list without it. None,
        NaN and empty cells are missing in any case.
    header : bool or None, default=None
        Whether the first line of a CSV or TSV file has the names of the columns. By default found out.
    decimal : str or None, default=None
        The sign before the decimals, "." or ",". By default found out from the cells of each column.
    thousands : str or None, default=None
        The sign between thousands: ",", ".", " ", "'", or "" if there is none. By default found out.

    Returns
    -------
    Table
        The typed table.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> rows = [{"size": "small", "price": 3}, {"size": "large", "price": None}]
    >>> table = read(rows, kinds={"size": ["small", "large"]})
    >>> table
    Table of 2 rows, 2 columns
    size     price
    ordinal  numeric
    small    3
    large    ?
    >>> table.why["price"]
    'numbers'
    """
    return _read(source, Reading(kinds, missing, header, decimal, thousands))


def _read(source: Any, how: Reading) -> Table:
    if isinstance(source, Table):
        check_size(*source.shape)
        return source if how.kinds is None or isinstance(how.kinds, Schema) else _with_kinds(source, how)
    if isinstance(source, np.ndarray):
        return from_array(source, how)
    if hasattr(source, "tocsr"):  # before mappings: scipy's dok arrays are dicts
        return from_sparse(source, how.kinds)
    if isinstance(source, Mapping):
        return from_rows([source], how)
    if type(source).__name__ == "Scan":
        return _read(source.read(), how)
    if isinstance(source, str | os.PathLike):
        from openbook.data.files import read_file

        return read_file(source, how)
    if is_frame(source):
        return from_frame(source, how)
    if isinstance(source, list | tuple) and len(source) and isinstance(source[0], Mapping):
        return from_rows(source, how)
    if isinstance(source, list | tuple) or hasattr(source, "__array__"):
        return from_array(source, how)
    msg = (
        f"cannot read a table from {type(source).__name__}; pass a path, a pandas, polars or pyarrow frame,"
        " a 2-D array, or a list of dict rows"
    )
    raise DataError(msg)


def _with_kinds(table: Table, how: Reading) -> Table:
    """The table with some of its columns decided anew."""
    if isinstance(table, SparseTable):
        return from_sparse(table.sparse, how.kinds)
    asked = wishes(how.kinds, table.names)
    if all(_holds(table.schema[name], wish) for name, wish in asked.items()):
        return table
    decided = [
        _decide_again(table.column(name), asked[name], how)
        if name in asked
        else Decided(table.schema[name], table.data(name), table.why.get(name, ""))
        for name in table.names
    ]
    return table_of(decided, named=table.schema.named)


def _holds(attribute: Attribute, wish: Wish) -> bool:
    return attribute == wish or type(attribute) is wish


def _decide_again(column: Column, wish: Wish, how: Reading) -> Decided:
    attribute = column.attribute
    if isinstance(attribute, Numeric):
        return decide_numbers(column.name, column.data, wish)
    if isinstance(attribute, Categorical):
        cells = Cells(attribute.values, np.maximum(column.data, MISSING), type(attribute))
        return decide_cells(column.name, cells, wish, how)
    return object_column(column.name, column.data, wish, how)
