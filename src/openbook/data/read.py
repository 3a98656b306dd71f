"""`read`: a table from whatever holds one.

    Table, Scan                       itself; read whole
    path                              .csv .parquet .xlsx and others (see `openbook.data.files`)
    folder of folders of .txt files   a text each, with its class (see `openbook.data.documents`)
    pandas, polars, pyarrow           a column each; a Series is one column (see `openbook.data.frames`)
    2-D array, nested list            columns x0, x1, … (see `openbook.data.arrays`)
    sparse matrix                     a `SparseTable`
    dict rows, or one dict            a column per key
    dict of lists                     a column per key, as one types a table by hand
    text of several lines             a table typed by hand: commas, tabs, blanks or the bars of Markdown

The kind of each column is given by the source, guessed (see `openbook.data.guess`), or asked for by
`kinds`; the reason is kept in `Table.why` and printed by `describe`.
"""

import glob
import io
import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from openbook.data.arrays import (
    check_size,
    from_array,
    from_rows,
    from_sparse,
    headed,
    object_column,
    table_of,
)
from openbook.data.attributes import MISSING, Attribute, Categorical, Numeric
from openbook.data.cells import Cells
from openbook.data.column import Column
from openbook.data.documents import holds_documents, read_documents
from openbook.data.frames import from_frame, is_frame
from openbook.data.guess import Decided, RequestedKind, decide_cells, decide_numbers, requested_kinds
from openbook.data.reading import MISSING_TOKENS, Kinds, Reading
from openbook.data.remote import is_address
from openbook.data.schema import Schema
from openbook.data.sparse_table import SparseTable
from openbook.data.table import Table
from openbook.errors import DataError
from openbook.words.sentences import plural


def read(
    source: Any,
    kinds: Kinds = None,
    *,
    missing: Collection[str] = MISSING_TOKENS,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    query: str | None = None,
    missing_in: Mapping[str, Collection[str]] | None = None,
) -> Table:
    """Read a table.

    Parameters
    ----------
    source : path, text, frame, array, list of dicts, dict of lists, Table or Scan
        What to read: the path of a CSV, TSV, Parquet, ARFF or JSON-lines file, a pandas, polars or pyarrow
        frame, a 2-D array, a sparse matrix, dict rows, a dict of columns, a Table or a Scan. A text of
        several lines is the table itself, typed by hand. A folder with a subfolder of text files for each
        class gives the columns `text` and `class`. An address such as s3://bucket/part-*.csv is opened by
        fsspec.
    kinds : str or mapping or None, default=None
        Overrules the guess: one kind for all columns ("numeric", "nominal", "ordinal", "text"), or for some
        columns, by name or position, a kind, a list of values from lowest to highest (ordinal), or an
        attribute. The schema of a model reads the columns that it has in its units and formats.
    missing : collection of str, default=("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
        Texts that mean a missing value. If "NA" is a real value, pass a list without it. None, NaN and empty
        cells are missing in any case.
        A number such as "-999" is missing however it is written, also in columns of numbers.
    header : bool or None, default=None
        Whether the first line of a CSV or TSV file, or the first of nested lists, has the names of the
        columns. By default found out; nested lists have none.
    decimal : str or None, default=None
        The sign before the decimals, "." or ",". By default found out from the cells of each column.
    thousands : str or None, default=None
        The sign between thousands: ",", ".", " ", "'", or "" if there is none. By default found out.
    encoding : str or None, default=None
        The encoding of a text file, such as "cp1252". By default UTF-8, or UTF-16 where the file says so.
    sheet : str or None, default=None
        The sheet of an .xlsx file, a range in it, or both: "Sales", "A3:F40", "Sales!A3:F40". By default the
        first sheet.
    query : str or None, default=None
        SQL, or the name of a table, for a database (.sqlite, .duckdb).
    missing_in : mapping of str to collection of str, or None, default=None
        Texts that mean a missing value in some columns only, by name, as in {"income": ["-1"]}. They are
        missing there besides those of `missing`, also where the column holds numbers.

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
    >>> read('''
    ...     outlook  play
    ...     sunny    no
    ...     rain     yes
    ... ''')["play"].tolist()
    ['no', 'yes']
    """
    own = missing_in or {}
    table = _read(source, Reading(kinds, missing, header, decimal, thousands, encoding, sheet, query, own))
    if own:
        table.schema.select(own)  # an error where there is no such column
    return table


def _read(source: Any, how: Reading) -> Table:
    if isinstance(source, Table):
        check_size(*source.shape)
        return source if how.kinds is None or isinstance(how.kinds, Schema) else _with_kinds(source, how)
    if isinstance(source, np.ndarray):
        return from_array(source, how)
    if hasattr(source, "tocsr"):  # before mappings: scipy's dok arrays are dicts
        return from_sparse(source, how.kinds)
    if isinstance(source, Mapping):
        return from_rows(_rows_of_columns(source), how)
    if type(source).__name__ == "Scan":
        return _read(source.read(), how)
    if isinstance(source, str | os.PathLike | io.IOBase):
        return _read_path(source, how)
    if is_frame(source):
        return from_frame(source, how)
    if isinstance(source, list | tuple):
        return _read_list(source, how)
    if hasattr(source, "__array__"):
        return from_array(source, how)
    raise DataError(
        f"cannot read a table from {type(source).__name__}; pass a path, a pandas, polars or pyarrow frame,"
        " a 2-D array, or a list of dict rows"
    )


def _rows_of_columns(source: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The rows of {"a": [1, 2], "b": [3, 4]}; a mapping without lists is one row."""
    long = {
        name: len(cells)
        for name, cells in source.items()
        if not isinstance(cells, str | bytes | Mapping) and hasattr(cells, "__len__") and np.ndim(cells) == 1
    }
    if not long:
        return [source]
    first = next(iter(long))
    for name in source:
        if long.get(name) != long[first]:
            has = f"has {plural(long[name], 'cell')}" if name in long else "is one cell"
            msg = f"column {name!r} {has}, and {first!r} has {long[first]:,}; every row needs a cell in each"
            raise DataError(msg)
    return [dict(zip(source, row, strict=True)) for row in zip(*source.values(), strict=True)]


def _typed(text: str) -> str:
    r"""A table typed by hand as the text of a file: no bars around it, and a tab for two blanks or more.

    >>> _typed("| a | b c |\n|---|-----|\n| 1 | x y |"), _typed("  a  b c\n  1  x y")
    (' a | b c \n 1 | x y ', 'a\tb c\n1\tx y')
    """
    lines = [line.strip() for line in text.strip("\n").splitlines() if line.strip()]
    if all(line[0] == line[-1] == "|" for line in lines):
        return "\n".join(line[1:-1] for line in lines if set(line) - set("|-: "))
    parted = [re.sub(" {2,}", "\t", line) for line in lines]
    columns = {line.count("\t") for line in parted}
    return "\n".join(parted if len(columns) == 1 and columns != {0} else lines)


def _read_list(source: Sequence[Any], how: Reading) -> Table:
    """Files as one table, dict rows, or nested lists."""
    if len(source) and isinstance(source[0], Mapping):
        return from_rows(source, how)
    if len(source) and _are_files(source):
        return _read_files(source, how)
    if how.header and len(source) and isinstance(source[0], list | tuple):
        return from_rows(headed(*source), how)
    return from_array(source, how)


def _read_path(source: Any, how: Reading) -> Table:
    """A file, standard input, a table typed by hand, or the files of a folder, a pattern or an address as one
    table.
    """
    from openbook.data.files import read_file, read_stream

    if isinstance(source, str) and "\n" in source:
        source = io.StringIO(_typed(source))
    if source == "-" or isinstance(source, io.IOBase):
        return read_stream(sys.stdin.buffer if source == "-" else source, how)
    if is_address(source):
        return _read_files(source, how)
    path = Path(source)
    if holds_documents(path):
        return _with_kinds(read_documents(path, how), how) if how.kinds else read_documents(path, how)
    if path.is_dir() or (glob.has_magic(os.fspath(source)) and not path.exists()):
        return _read_files(source, how)
    return read_file(source, how)


def _read_files(source: Any, how: Reading) -> Table:
    from openbook.data.scan import scan

    marks = {"header": how.header, "decimal": how.decimal, "thousands": how.thousands}
    gaps = {"missing": how.missing, "missing_in": how.missing_in}
    return scan(source, how.kinds, **gaps, **marks).read()  # type: ignore[arg-type]


def _are_files(source: Any) -> bool:
    return all(
        isinstance(one, os.PathLike) or (isinstance(one, str) and Path(one).is_file()) for one in source
    )


def _with_kinds(table: Table, how: Reading) -> Table:
    """The table with some of its columns decided anew."""
    if isinstance(table, SparseTable):
        return from_sparse(table.sparse, how.kinds)
    asked = requested_kinds(how.kinds, table.names)
    if all(_holds(table.schema[name], requested) for name, requested in asked.items()):
        return table
    decided = [
        _decide_again(table.column(name), asked[name], how)
        if name in asked
        else Decided(table.schema[name], table.data(name), table.why.get(name, ""))
        for name in table.names
    ]
    return table_of(decided, named=table.schema.named)


def _holds(attribute: Attribute, requested: RequestedKind) -> bool:
    return attribute == requested or type(attribute) is requested


def _decide_again(column: Column, requested: RequestedKind, how: Reading) -> Decided:
    attribute = column.attribute
    if isinstance(attribute, Numeric):
        return decide_numbers(column.name, column.data, requested)
    if isinstance(attribute, Categorical):
        cells = Cells(attribute.values, np.maximum(column.data, MISSING), type(attribute))
        return decide_cells(column.name, cells, requested, how)
    return object_column(column.name, column.data, requested, how)
