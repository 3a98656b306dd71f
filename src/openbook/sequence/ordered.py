"""Rows as sequences: which rows belong together, in their order, and the labels that some of them have.

A column names the sequence of each row; rows of a sequence are in the order of the table, and need not stand
next to one another. Without such a column all rows are one sequence. A list of tables has a sequence each.
"""

from typing import Any, NamedTuple

import numpy as np

from openbook.border.rows import class_codes
from openbook.data import MISSING, Column, Scan, Schema, Table, read
from openbook.data.arrays import object_cells
from openbook.data.combine import stacked_rows
from openbook.data.conform import conform
from openbook.errors import DataError, UnknownColumn

#: Sequences are handled together up to about this many rows.
_PIECE_ROWS = 8192


class OrderedRows(NamedTuple):
    """Rows sequence by sequence: the table, where each row stood, and where each sequence ends."""

    table: Table
    places: np.ndarray
    ends: np.ndarray

    def spans(self):
        """The pieces of whole sequences to fold over: rows and sequences, as slices."""
        first = begin = 0
        for s, end in enumerate(self.ends.tolist(), 1):
            if end - begin >= _PIECE_ROWS or s == len(self.ends):
                yield slice(begin, end), slice(first, s)
                first, begin = s, end


def ordered(X: Any, sequence: str | None, kinds: Any = None, *, needed: bool = False) -> OrderedRows:
    """The rows of X, sequence by sequence, without the column that names the sequence.

    If it is not `needed`, a table without it is one sequence.
    """
    if isinstance(X, Scan):
        raise DataError("sequences must be in memory; read the file instead of scanning it")
    if _is_list_of_tables(X):
        tables = [read(one, kinds) for one in X]
        table, ends = _stacked_tables(tables), np.cumsum([len(one) for one in tables])
        places = np.arange(len(table))
    else:
        table = read(X, kinds)
        places, ends = np.arange(len(table)), np.array([len(table)])
        if sequence is not None and sequence in table.schema:
            places, ends = _by_sequence(table.column(sequence))
        elif sequence is not None and needed:
            raise UnknownColumn(sequence, table.names)
    if sequence is not None and sequence in table.schema:
        table = table.drop(sequence)
    in_order = bool((np.diff(places) == 1).all())
    return OrderedRows(table if in_order else table.take(places), places, ends.astype(np.int64))


def some_labels(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct labels, and the code of each row's, -1 where it is missing."""
    cells = np.asarray(y.tolist() if isinstance(y, Column) else y, dtype=object)
    if cells.shape != (n,):
        raise DataError(f"y must have a label, or None, for each of the {n} rows, got shape {cells.shape}")
    codes = np.full(n, -1, dtype=np.int64)
    known = ~y.missing if isinstance(y, Column) else object_cells(cells.tolist()).codes != MISSING
    if not known.any():
        return np.array([], dtype=str), codes
    _, labels, codes[known] = class_codes(
        y.take(known) if isinstance(y, Column) else np.array(cells[known].tolist())
    )
    return labels, codes


def without_labels(X, y):
    """A table, or a list of tables, without the column of labels; and the labels."""
    rows = ordered(X, None)
    table, labels = rows.table.split(y)
    if len(rows.ends) == 1:
        return table, labels
    begins = [0, *rows.ends[:-1].tolist()]
    return [table.take(slice(a, b)) for a, b in zip(begins, rows.ends.tolist(), strict=True)], labels


def weights_of_sequences(sample_weight, rows):
    """The weight of each sequence: that of its rows, which must be the same."""
    if sample_weight is None:
        return np.ones(len(rows.ends))
    w = np.asarray(sample_weight, dtype=float)
    if w.shape != (len(rows.table),):
        raise DataError(f"sample_weight.shape == {w.shape}, expected {(len(rows.table),)}!")
    if not (np.isfinite(w) & (w >= 0)).all() or not w.any():
        raise DataError("sample_weight must be finite, not negative, and above zero for some rows")
    w = w[rows.places]
    of_sequences = w[rows.ends - 1]
    if not np.array_equal(np.repeat(of_sequences, np.diff(rows.ends, prepend=0)), w):
        raise DataError("whole sequences are weighed: give all rows of a sequence the same weight")
    return of_sequences


def _by_sequence(column):
    """Where the rows of each sequence stand, one sequence after the other, and where each ends."""
    if column.missing.any():
        raise DataError(
            f"column {column.name!r} names the sequence of each row, but row"
            f" {int(np.argmax(column.missing))} has none"
        )
    ids = column.data if column.data.dtype != object else np.array(column.tolist(), dtype=str)
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    which = rank[which]
    return np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))


def _is_list_of_tables(X):
    is_list = isinstance(X, list | tuple) and len(X) > 0
    return is_list and all(isinstance(one, Table) or hasattr(one, "columns") for one in X)


def _stacked_tables(tables):
    """The rows of all tables in one, with the values of all."""
    schema: Schema = tables[0].schema
    for table in tables[1:]:
        schema = conform(table, schema, grow=True).schema
    return stacked_rows([conform(table, schema) for table in tables])
