"""A table whose numbers are mostly zero: a sparse matrix in row order (CSR), behind columns of any kind."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from openbook.data.schema import Schema, one_by_one
from openbook.data.table import Table, rows_at

if TYPE_CHECKING:
    import scipy.sparse as sp

Array = npt.NDArray[Any]


class SparseTable(Table):
    """Numeric columns kept as a sparse matrix in row order (CSR): counts of words, mostly zero.

    Parameters
    ----------
    schema : Schema
        The columns: names, kinds and values.
    sparse : csr_array
        The numbers, of shape (n_rows, n_columns).
    why : mapping of str to str or None, default=None
        The reason for the kind of each column, where it was guessed.
    dense : sequence of ndarray, default=()
        Columns of any kind that come before those of the matrix, also in the schema.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from openbook import read
    >>> table = read(sp.csr_array([[0.0, 2.0], [1.0, 0.0]]))
    >>> type(table).__name__, table.shape
    ('SparseTable', (2, 2))
    """

    def __init__(
        self,
        schema: Schema,
        sparse: "sp.csr_array",
        *,
        why: Mapping[str, str] | None = None,
        dense: Sequence[Array] = (),
    ) -> None:
        self.schema = schema
        self.sparse = sparse
        self.columns = tuple(dense)
        self.why = dict(why or {})
        self.matrix = None
        self.notes = ()

    @property
    def nbytes(self) -> int:
        parts = (self.sparse.data, self.sparse.indices, self.sparse.indptr)
        return sum(part.nbytes for part in (*self.columns, *parts))

    def __len__(self) -> int:
        return int(self.sparse.shape[0])

    def data(self, name: str) -> Array:
        """The array of one column, dense.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        ndarray
        """
        position = self.schema.position(name)
        if position < len(self.columns):
            return self.columns[position]
        return self.sparse[:, [position - len(self.columns)]].toarray().ravel()

    def block(self, names: Sequence[str]) -> Array:
        """Columns as a dense matrix of shape (n_rows, n_names).

        Parameters
        ----------
        names : sequence of str
            The names of the columns.

        Returns
        -------
        ndarray
        """
        positions = [self.schema.position(name) - len(self.columns) for name in names]
        if min(positions, default=0) < 0:
            return np.column_stack([self.data(name) for name in names])
        return self.sparse[:, positions].toarray()

    def cells(self, names: Sequence[str]) -> "sp.csr_array":
        """Columns of the matrix as a sparse matrix.

        Parameters
        ----------
        names : sequence of str
            The names of the columns.

        Returns
        -------
        csr_array
        """
        n = len(self.columns)
        if (not n and names is self.names) or tuple(names) == self.names[n:]:  # as one is quicker
            return self.sparse
        return self.sparse[:, [self.schema.position(name) - n for name in names]]

    def select(self, *names: str | Iterable[str]) -> Table:
        """The same rows with these columns only; those of the matrix come last.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the columns, one by one or as a list.

        Returns
        -------
        Table
            A SparseTable, where a column of the matrix is among them.
        """
        chosen = one_by_one(names)
        if chosen == self.names:
            return self
        n, positions = len(self.columns), self.schema.positions(chosen)
        if positions and max(positions) < n:
            return Table(self.schema.select(chosen), [self.columns[p] for p in positions], why=self.why)
        own, others = [p for p in positions if p < n], [p for p in positions if p >= n]
        return SparseTable(
            self.schema.select(self.names[p] for p in (*own, *others)),
            self.cells([self.names[p] for p in others]),
            why=self.why,
            dense=[self.columns[p] for p in own],
        )

    def take(self, rows: Any) -> Self:
        """The table of some rows.

        Parameters
        ----------
        rows : slice, array of positions or mask
            Which rows.

        Returns
        -------
        SparseTable
        """
        view = isinstance(rows, slice) and rows.step in (None, 1)
        matrix = _sparse_slice(self.sparse, rows) if view else self.sparse[rows]
        columns = [rows_at(column, rows) for column in self.columns]
        return type(self)(self.schema, matrix, why=self.why, dense=columns)

    def _without_values_lost_from(self, before: Self) -> Self:  # noqa: ARG002 (numbers have no list of values)
        return self


def _sparse_slice(matrix: "sp.csr_array", rows: slice) -> "sp.csr_array":
    """Consecutive rows as a view; scipy itself would copy them."""
    start, stop, _ = rows.indices(matrix.shape[0])
    bounds = matrix.indptr[start : max(stop, start) + 1]
    cells = slice(bounds[0], bounds[-1])
    part = type(matrix)((len(bounds) - 1, matrix.shape[1]), dtype=matrix.dtype)
    part.data, part.indices, part.indptr = matrix.data[cells], matrix.indices[cells], bounds - bounds[0]
    return part
