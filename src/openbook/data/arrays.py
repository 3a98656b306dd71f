"""Tables from arrays, nested lists, sparse matrices and dict rows.

A 2-D array of floats becomes a table without a look at its cells; whole numbers and booleans are converted to
float64. Its columns have no names: they are called x0, x1, … A 2-D array or nested list of objects is read
column by column: numbers are numeric, booleans nominal, texts go through the rules of `openbook.data.guess`.

In a list of dict rows, a key that a row lacks is a missing cell.
"""

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import MISSING, Nominal, Numeric, as_text
from openbook.data.cells import BOOLEANS, Cells
from openbook.data.dates import days_from_moments, name_of_zone, notes_of_zones
from openbook.data.distinct import hashed_codes, is_exact, text_codes
from openbook.data.guess import (
    Decided,
    RequestedKind,
    decide_cells,
    decide_days,
    decide_hours,
    decide_numbers,
    may_stay_numeric,
    requested_kinds,
)
from openbook.data.reading import Kinds, Reading
from openbook.data.schema import Schema
from openbook.data.sparse_table import SparseTable
from openbook.data.table import Table
from openbook.errors import DataError
from openbook.words.sentences import plural

Array = npt.NDArray[Any]

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature"
    " or array.reshape(1, -1) if it contains a single sample."
)


class CellTypeError(DataError, TypeError):
    """A cell that is neither a text nor a number."""


@lru_cache(maxsize=64)
def unnamed_schema(width: int) -> Schema:
    """Numeric columns x0, x1, … for a source without names."""
    return Schema(tuple(Numeric(f"x{i}") for i in range(width)), named=False)


def check_size(rows: int, columns: int) -> None:
    """Refuse a table without rows or columns, in scikit-learn's words."""
    for size, what in ((rows, "sample(s)"), (columns, "feature(s)")):
        if size == 0:
            msg = f"Found array with 0 {what} (shape=({rows}, {columns})) while a minimum of 1 is required."
            raise DataError(msg)


def table_of(decided: Sequence[Decided], *, named: bool = True, notes: Sequence[str] = ()) -> Table:
    """Decided columns side by side; `notes` are about the source as a whole."""
    schema = Schema(tuple(column.attribute for column in decided), named)
    why = {column.attribute.name: column.why for column in decided}
    notes = (*notes, *(column.note for column in decided if column.note))
    return Table(schema, [column.data for column in decided], why=why, notes=notes)


def table_of_objects(
    names: Sequence[str], columns: Iterable[Any], how: Reading, notes: Sequence[str] = ()
) -> Table:
    """Columns of Python objects as a table."""
    asked = requested_kinds(how.kinds, names)
    cells = zip(names, columns, strict=True)
    return table_of([object_column(name, own, asked.get(name), how) for name, own in cells], notes=notes)


def from_array(source: Any, how: Reading) -> Table:
    """A table from a 2-D array or what NumPy makes one of."""
    array = _as_array(source)
    if array.ndim != 2:
        raise DataError(_not_2d(array))
    check_size(*array.shape)
    if array.dtype.kind not in "biuf" or how.gap_numbers or how.missing_in:
        names = unnamed_schema(array.shape[1]).names
        asked = requested_kinds(how.kinds, names)
        columns = zip(names, array.T, strict=True)
        return table_of(
            [_column(name, column, asked.get(name), how) for name, column in columns], named=False
        )
    matrix = _as_floats(array)
    if array.dtype.kind in "iu" and not is_exact(matrix):
        return from_array(array.astype(object), how)
    schema = unnamed_schema(matrix.shape[1])
    if asked := requested_kinds(how.kinds, schema.names):
        columns = zip(schema.names, matrix.T, strict=True)
        return table_of(
            [decide_numbers(name, column, asked.get(name)) for name, column in columns], named=False
        )
    return Table.from_matrix(schema, matrix)


def from_sparse(source: Any, kinds: Kinds) -> SparseTable:
    """A table that keeps a sparse matrix as it is, in row order; all its columns are numeric."""
    import scipy.sparse as sp

    if source.dtype.kind == "c":
        raise DataError(f"Complex data not supported\n{source!r}\n")
    if source.ndim != 2:
        raise DataError(_not_2d(source.toarray()))
    check_size(*source.shape)
    if source.dtype.kind not in "biuf":
        raise DataError(f"a sparse matrix must hold numbers, got {source.dtype}")
    matrix: sp.csr_array = sp.csr_array(source, dtype=np.float64)
    try:
        matrix.check_format(full_check=True)
    except ValueError as broken:
        msg = f"the sparse matrix is broken: {broken}; build it anew from its rows and columns"
        raise DataError(msg) from broken
    own = source if source.format == "csr" else matrix  # it remembers the answer
    if not own.has_canonical_format:  # in order, each cell once
        matrix = matrix.copy()
        matrix.sum_duplicates()
    schema = unnamed_schema(matrix.shape[1])
    asked = (
        {} if kinds is schema else requested_kinds(kinds, schema.names)
    )  # its own columns are plain numbers
    for name, requested in asked.items():
        if not may_stay_numeric(requested):
            msg = f"column {name!r} is in a sparse matrix, which can contain only numbers; pass a dense array"
            raise DataError(msg)
    return SparseTable(schema, matrix)


def from_rows(rows: Sequence[Mapping[Any, Any]], how: Reading, notes: Sequence[str] = ()) -> Table:
    """A table from dict rows; columns in the order in which keys first occur."""
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise DataError(f"row {i} is a {type(row).__name__}, but the rows before it are dicts")
    keys = list(dict.fromkeys(key for row in rows for key in row))
    check_size(len(rows), len(keys))
    columns = ([row.get(key) for row in rows] for key in keys)
    return table_of_objects(list(map(str, keys)), columns, how, notes)


def headed(names: Sequence[Any], *rows: Sequence[Any]) -> Sequence[Mapping[str, Any]]:
    """Rows by the names that the first of them holds."""
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise DataError(
                f"row {i} has {plural(len(row), 'cell')}, and the first line has {plural(len(names), 'name')}"
            )
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]


def object_column(name: str, values: Any, requested: RequestedKind, how: Reading) -> Decided:
    """A column of Python objects: numbers, booleans, texts, and None or NaN where missing."""
    how = how.of(name)
    if (cells := words_of(values)) is not None:
        return decide_cells(name, cells.cleaned(how), requested, how)
    types = set(map(type, values))
    for kind in types:
        _check_cell_type(name, kind, values)
    known = {kind for kind in types if not _is_gap_type(kind)}
    if known and all(issubclass(kind, bool | np.bool_) for kind in known):
        codes = np.array([MISSING if _is_gap(value) else int(value) for value in values], dtype=np.int8)
        return decide_cells(name, Cells(BOOLEANS, codes, Nominal), requested)
    if known and all(issubclass(kind, dt.date) for kind in known):
        return _moments_column(name, values, requested)
    if known and all(issubclass(kind, dt.timedelta) for kind in known):
        spans = [math.nan if _is_gap(value) else value / dt.timedelta(microseconds=1) for value in values]
        return decide_hours(name, np.array(spans), requested)
    numbers_only = known and all(map(_is_number_type, known)) and not how.gap_numbers
    if numbers_only and may_stay_numeric(requested):
        numbers = np.array([_as_float(value) for value in values])
        if (
            requested is not None
            or not any(issubclass(kind, int | np.integer) for kind in known)
            or is_exact(numbers)
        ):
            return decide_numbers(name, numbers, requested)
    return decide_cells(name, object_cells(values).cleaned(how), requested, how)


def _moments_column(name: str, values: Any, requested: RequestedKind) -> Decided:
    """A column of Python's dates and datetimes, in their zone; those of several zones in UTC."""
    known = [value for value in values if not _is_gap_type(type(value))]
    zones = {
        None if (zone := getattr(value, "tzinfo", None)) is None else name_of_zone(zone) for value in known
    }
    utc = [None if _is_gap_type(type(value)) else _in_utc(value) for value in values]
    days = days_from_moments(np.array(utc, dtype="datetime64[us]"))
    zone = "UTC" if len(zones) > 1 else next(iter(zones)) or ""
    decided = decide_days(name, days, zone, requested)
    notes = "; ".join(notes_of_zones(zones))
    return decided._replace(note=f"{name}: {notes}") if notes else decided


def _in_utc(value: dt.date) -> dt.date:
    aware = isinstance(value, dt.datetime) and value.tzinfo is not None
    return value.astimezone(dt.UTC).replace(tzinfo=None) if aware else value  # type: ignore[attr-defined]


def object_cells(values: Any) -> Cells:
    """The distinct texts of Python objects, and the position of each row's; None and NaN are missing."""
    if (words := words_of(values)) is not None:
        return words
    position: dict[str, int] = {}
    codes = np.empty(len(values), dtype=np.intp)
    for i, value in enumerate(values):
        if type(value) is str:
            codes[i] = position.setdefault(value, len(position))
        elif _is_gap(value):
            codes[i] = MISSING
        else:
            text = value.decode("utf-8", "replace") if isinstance(value, bytes) else as_text(value)
            codes[i] = position.setdefault(text, len(position))
    return Cells(list(position), codes)


def words_of(values: Any) -> Cells | None:
    """The cells of a list, an array or a pandas series of texts and gaps, hashed; None if it holds others.

    Texts alone are told apart by hashing: 1, 1.0 and True are equal, but are not spelled alike.
    """
    try:
        if hasattr(values, "factorize"):
            codes, distinct = values.factorize()
            distinct = distinct.tolist()
        elif len(values) and isinstance(values[0], str | None):
            fixed = isinstance(values, np.ndarray) and values.dtype.kind == "U" and values.ndim == 1
            cells = values.tolist() if isinstance(values, np.ndarray) and not fixed else values
            distinct, codes = text_codes(cells) if fixed else hashed_codes(cells)
        else:
            return None
    except TypeError:  # what cannot be hashed is no text
        return None
    words = [value for value in distinct if type(value) is str]
    if len(words) == len(distinct):
        return Cells(words, codes)
    if not all(type(value) is str or _is_gap(value) for value in distinct):
        return None
    known = np.array([type(value) is str for value in distinct])
    return Cells(words, np.append(np.where(known, np.cumsum(known) - 1, MISSING), MISSING)[codes])


def _as_float(value: Any) -> float:
    try:
        return np.nan if _is_gap_type(type(value)) else float(value)
    except OverflowError:  # a whole number beyond all floats
        return np.inf if value > 0 else -np.inf


def _is_gap(value: object) -> bool:
    return _is_gap_type(type(value)) or (isinstance(value, float | np.floating | Decimal) and value != value)  # noqa: PLR0124 (NaN)


def _is_gap_type(kind: type) -> bool:
    return kind is type(None) or kind.__name__ in {"NAType", "NaTType"}


def _is_number_type(kind: type) -> bool:
    return issubclass(kind, int | float | Decimal | np.integer | np.floating) and not issubclass(kind, bool)


def _check_cell_type(name: str, kind: type, values: Any) -> None:
    if issubclass(kind, complex | np.complexfloating):
        raise DataError(f"Complex data not supported: column {name!r}")
    if issubclass(kind, Mapping | Sequence | set | frozenset | np.ndarray) and not issubclass(
        kind, str | bytes
    ):
        row = next(i for i, value in enumerate(values) if type(value) is kind)
        where = f"column {name!r} holds a {kind.__name__} in row {row}"
        hint = "join its texts, as in 'a|b', or make a column of each item"
        raise CellTypeError(f"a cell's argument must be a string or a number, but {where}; {hint}")


def _column(name: str, column: Array, requested: RequestedKind, how: Reading) -> Decided:
    if column.dtype.kind == "M":
        return decide_days(name, days_from_moments(column), "", requested)
    return object_column(name, column.tolist(), requested, how)


def _as_array(source: Any) -> Array:
    if isinstance(source, np.ma.MaskedArray):
        numbers = source.dtype.kind in "biuf"
        source = np.ma.filled(source.astype(np.float64 if numbers else object), np.nan if numbers else None)
    array = _nested(source) if isinstance(source, list | tuple) else np.asarray(source)
    if array.dtype == object and array.ndim == 2 and all(map(_is_number_type, set(map(type, array.flat)))):
        floats = array.astype(np.float64)
        return floats if is_exact(floats) else array
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "mV":
        raise DataError(f"an array of {array.dtype} is not supported; convert it to numbers or texts first")
    return array


def _nested(rows: Sequence[Any]) -> Array:
    """A list of rows as an array of objects: NumPy alone would turn numbers beside texts into texts."""
    lengths = [
        len(row) if isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) else 0 for row in rows
    ]
    if odd := next((i for i, length in enumerate(lengths) if length != lengths[0]), 0):
        raise DataError(f"rows differ in length: row 0 has {lengths[0]} cells, row {odd} has {lengths[odd]}")
    return np.array(rows, dtype=object)


def _as_floats(array: Array) -> Array:
    kept = array.dtype in (np.float64, np.float32) and array.dtype.isnative
    return array if kept else array.astype(np.float64)


def _not_2d(array: Array) -> str:
    if array.ndim > 2:
        return f"Found array with dim {array.ndim}, while dim <= 2 is required."
    shape = "scalar" if array.ndim == 0 else "1D"
    return f"Expected 2D array, got {shape} array instead:\narray={array}.\n{_RESHAPE}"
