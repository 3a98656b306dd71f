"""Transactions: which items each row holds.

    a table                  an item for each value of a category, "outlook = sunny", and for each of some
                             intervals of a number, of about equally many rows, "age > 43.5"
    a table of yes and no    where every column is true or false, an item for each column: held where true
    lists                    [["bread", "milk"], ["beer"]]: the items themselves
    a matrix of 0 and 1      sparse or dense: an item for each column

A missing cell holds no item. An item counts once in a transaction, however often it is named there.

rows, items : int32 (n_pairs,), a pair for each item that a transaction holds, in any order, none twice
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise
from typing import Any

import numpy as np

from openbook.data import Attribute, Categorical, Column, Numeric, Table, read
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError
from openbook.prepare.discretise import equal_cuts

#: Up to so many possible pairs of row and item, repeats are found in a table of them all.
_MOST_PAIRS = 1 << 27


@dataclass(frozen=True)
class Transactions:
    """Transactions as sets of items: every item of every transaction is a cell of a sparse table.

    Attributes
    ----------
    names : tuple of str
        The names of the items.
    n : int
        The number of transactions.
    rows : ndarray
        The transaction of each cell, in order.
    items : ndarray
        The item of each cell.

    Notes
    -----
    Guide: docs/guide/associations.md

    Examples
    --------
    >>> Transactions.of([["bread", "milk"], ["beer"]]).names
    ('beer', 'bread', 'milk')
    """

    names: tuple[str, ...]
    n: int
    rows: np.ndarray
    items: np.ndarray

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[frozenset[int]]:
        """The items of each transaction, by number."""
        order = np.argsort(self.rows, kind="stable")
        starts = np.searchsorted(self.rows[order], np.arange(self.n + 1))
        for start, end in pairwise(starts.tolist()):
            yield frozenset(self.items[order[start:end]].tolist())

    @classmethod
    def of(cls, data: Any, names: Sequence[str] | None = None, bins: int = 3) -> "Transactions":
        """Read transactions.

        Parameters
        ----------
        data : table-like, list of lists, or array
            A table or what `openbook.read` makes one of, lists of items, or a 0/1 matrix.
        names : sequence of str or None, default=None
            The names of the columns of a matrix.
        bins : int, default=3
            Intervals that a column of numbers is cut into.

        Returns
        -------
        Transactions
        """
        if isinstance(data, Transactions):
            return data
        from scipy.sparse import issparse

        if issparse(data) or (isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.kind in "biu"):
            return _of_matrix(data, names)
        if names is not None:
            raise DataError("names are for the columns of a matrix; here the items have names already")
        if _holds_lists(data):
            return _of_lists(data)
        return _of_table(read(data), bins)


def _holds_lists(data: Any) -> bool:
    """Whether these are lists of items: not a frame, and no rows of column and value."""
    if not isinstance(data, list | tuple) or not data:
        return False
    kinds, other = set(map(type, data)), (str, bytes, Mapping, np.ndarray)
    return all(issubclass(kind, Iterable) and not issubclass(kind, other) for kind in kinds)


def _of_lists(data: Sequence[Iterable[Any]]) -> Transactions:
    """Each distinct item is converted to text once; the cells only look up its code."""
    sized = set(map(type, data)) <= {list, tuple, set, frozenset}
    lists: Sequence[Any] = data if sized else [list(each) for each in data]
    sizes = np.fromiter(map(len, lists), np.intp, len(lists))
    try:
        distinct, codes = _distinct_cells(chain.from_iterable(lists), sizes.sum())
        one_type = len(set(map(type, chain.from_iterable(lists)))) == 1  # not 1 and True, which are equal
        distinguished = one_type or all(isinstance(item, str | None) for item in distinct)
    except TypeError:  # an item that is not hashable
        distinguished = False
    if not distinguished:
        texts = (None if item is None else as_text(item) for item in chain.from_iterable(lists))
        distinct, codes = _distinct_cells(texts, sizes.sum())
    names = sorted({as_text(item) for item in distinct if item is not None})
    numbers = {name: number for number, name in enumerate(names)}
    number_of = np.array([-1 if item is None else numbers[as_text(item)] for item in distinct], np.int32)
    items, rows = number_of[codes], np.repeat(np.arange(len(lists), dtype=np.int32), sizes)
    if not (known := items >= 0).all():
        rows, items = rows[known], items[known]
    return Transactions(tuple(names), len(lists), *_unique_pairs(rows, items, len(lists), len(names)))


def _distinct_cells(cells: Iterable[Any], n: int) -> tuple[Mapping[Any, int], np.ndarray]:
    """The codes of the distinct cells, in order of appearance; and the code of each of n cells."""
    codes: defaultdict[Any, int] = defaultdict(count().__next__)
    return codes, np.fromiter(map(codes.__getitem__, cells), np.int32, n)


def _unique_pairs(rows: np.ndarray, items: np.ndarray, n: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Each pair of row and item once."""
    pairs = rows.astype(np.int64) * width + items
    if n * width > _MOST_PAIRS:
        distinct = np.unique(pairs)
    else:
        held = np.zeros(n * width, dtype=bool)
        held[pairs] = True
        if np.count_nonzero(held) == len(pairs):
            return rows, items
        distinct = np.flatnonzero(held)
    rows, items = np.divmod(distinct, max(width, 1))
    return rows.astype(np.int32), items.astype(np.int32)


def _of_matrix(data: Any, names: Sequence[str] | None) -> Transactions:
    from scipy.sparse import csr_array

    n, width = data.shape
    names = tuple(f"x{j}" for j in range(width)) if names is None else tuple(map(as_text, names))
    if len(names) != width:
        raise DataError(f"{len(names)} names for a matrix of {width} columns; give one for each")
    if len(set(names)) < width:
        raise DataError("two columns of the matrix have the same name; items need names of their own")
    matrix = csr_array(data)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # the caller's stays as it is
        matrix.sum_duplicates()
    pairs = matrix.tocoo()
    if (odd := (pairs.data != 0) & (pairs.data != 1)).any():
        msg = f"the matrix holds {pairs.data[odd][0]}, but transactions must be 0 or 1; pass matrix > 0"
        raise DataError(msg)
    held = pairs.data != 0
    return Transactions(names, n, pairs.row[held].astype(np.int32), pairs.col[held].astype(np.int32))


def _of_table(table: Table, bins: int) -> Transactions:
    if bins < 2:
        raise ParameterError(f"bins must be at least 2, got {bins}")
    if odd := [a for a in table.schema if not isinstance(a, Categorical | Numeric)]:
        raise DataError(
            f"column {odd[0].name!r} is {odd[0].kind}, which contains no items; leave it out with table.drop"
        )
    yes_or_no = len(table.names) > 0 and all(map(_is_yes_or_no, table.schema))
    names: list[str] = []
    rows, items = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for name in table.names:
        column = table.column(name)
        column_items: tuple[str, ...] = (name,)
        if yes_or_no:
            codes = np.where(column.values == "true", 0, -1)
        else:
            column_items, codes = _items_of_column(column, bins)
        held = np.flatnonzero(codes >= 0)
        rows.append(held.astype(np.int32))
        items.append(codes[held].astype(np.int32) + len(names))
        names += column_items
    return Transactions(tuple(names), len(table), np.concatenate(rows), np.concatenate(items))


def _is_yes_or_no(attribute: Attribute) -> bool:
    return isinstance(attribute, Categorical) and {"true"} <= set(attribute.values) <= {"true", "false"}


def _items_of_column(column: Column, bins: int) -> tuple[tuple[str, ...], np.ndarray]:
    """The items that a column can hold, and which of them each row holds, -1 for none."""
    name = column.name
    if isinstance(column.attribute, Categorical):
        return tuple(f"{name} = {value}" for value in column.attribute.values), column.data
    numbers = column.data
    values, weights = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    cuts = equal_cuts(values, weights, bins)
    assert isinstance(column.attribute, Numeric)
    spans = column.attribute.interval_names(cuts.tolist())
    words = tuple(f"{name} in {span}" if span[0] == "(" else f"{name} {span}" for span in spans)
    return words, np.where(np.isnan(numbers), -1, np.searchsorted(cuts, numbers))
