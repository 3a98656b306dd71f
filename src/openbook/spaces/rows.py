"""The rows that a neighbour learner keeps: they are all that it learns.

    numbers : float64 (n, p), the numeric columns, NaN where missing; CSR where the rows came sparse
    codes   : int32 (n, q), the other columns, -1 where missing
    targets : class codes (intp) or numbers (float64), (n,)
    weights : float64 (n,)

Learning more puts rows behind those that are there. Forgetting takes rows away that are equal in every cell
and in the target, those that came last first, or lowers their weight.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from openbook.border.rows import Chunk, Rows, infinite_cell
from openbook.damage import checked_array
from openbook.data import Categorical, Numeric, Schema, SparseTable, Table
from openbook.errors import DataError
from openbook.fold import Statistics, each, less
from openbook.measures.arrays import all_finite

#: The arrays of sparse numbers.
_CSR = ("data", "indices", "indptr")


@dataclass(frozen=True)
class StoredRows(Statistics):
    """Rows, their targets and their weights."""

    numbers: Any
    codes: np.ndarray
    targets: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, chunk: Chunk) -> "StoredRows":
        """The rows of a chunk, of which some may be views."""
        X, y, w = chunk
        if isinstance(X, SparseTable):
            return cls(X.sparse.astype(np.float64), np.zeros((len(X), 0), np.int32), y, w)
        codes = np.empty((len(X), len(X.schema.of(Categorical))), np.int32)
        for j, name in enumerate(X.schema.of(Categorical)):
            codes[:, j] = X.data(name)
        return cls(X.block(X.schema.of(Numeric)).astype(np.float64, copy=False), codes, y, w)

    @classmethod
    def joined(cls, parts: Iterable["StoredRows"]) -> "StoredRows":
        """A copy of the rows of all parts, in order."""
        columns = [(part.numbers, part.codes, part.targets, part.weights) for part in parts]
        numbers, *others = zip(*columns, strict=True)
        sparse = sum(map(sp.issparse, numbers))
        if 0 < sparse < len(numbers):
            raise DataError("some rows are sparse and some are dense; give all in one form")
        stacked = sp.vstack(numbers, format="csr") if sparse else np.concatenate(numbers)
        return cls(stacked, *map(np.concatenate, others))

    @classmethod
    def gathered(cls, rows: Rows) -> "StoredRows":
        """A copy of all rows, which must be finite."""
        return cls.viewed(rows).apart(rows)

    @classmethod
    def viewed(cls, rows: Rows) -> "StoredRows":
        """All rows, which must be finite; the numbers of a matrix in memory are not copied."""
        in_memory = rows.whole is not None
        stored = cls.of(rows.chunk) if in_memory else cls.joined(each(rows.pieces, cls.of))
        if not all_finite(stored.cells) and np.isinf(stored.cells).any():
            raise infinite_cell(rows)
        return stored

    def apart(self, rows: Rows) -> "StoredRows":
        """The same, which does not change with the rows that were viewed."""
        matrix = None if rows.whole is None else rows.whole.matrix
        shared = matrix is not None and np.may_share_memory(self.cells, matrix)
        return replace(self, numbers=self.numbers.copy()) if shared else self

    def __add__(self, other: "StoredRows") -> "StoredRows":
        return self.joined([self, other])

    def __sub__(self, other: "StoredRows") -> "StoredRows":
        weights = self.weights.copy()
        mine, gone = self._keys(), other._keys()
        places: dict[bytes, list[int]] = {}
        for row in np.flatnonzero(np.isin(mine, gone)).tolist():
            places.setdefault(mine[row].tobytes(), []).append(row)
        for key, weight in zip(gone, other.weights.tolist(), strict=True):
            rows = places.get(key.tobytes(), [])
            left = weight
            while rows and left > 0:
                taken = min(left, weights[rows[-1]])
                left = float(less(left, taken))
                weights[rows[-1]] = less(weights[rows[-1]], taken)
                if not weights[rows[-1]]:
                    rows.pop()
            if left > 0:
                msg = "cannot forget these rows: they were not in the training data, or none would be left"
                raise DataError(msg)
        kept = np.flatnonzero(weights)
        return StoredRows(self.numbers[kept], self.codes[kept], self.targets[kept], weights[kept])

    def _keys(self) -> np.ndarray:
        """Every row's cells and target as one item of bytes, alike where the rows are."""
        numbers = self.numbers.toarray() if sp.issparse(self.numbers) else self.numbers
        cells = np.column_stack([numbers, self.codes, self.targets]) + 0.0  # -0 is 0
        cells[np.isnan(cells)] = np.nan  # of one pattern of bits
        return np.ascontiguousarray(cells).view(np.dtype((np.void, cells.itemsize * cells.shape[1])))[:, 0]

    @property
    def cells(self) -> np.ndarray:
        """All numbers that are stored."""
        return self.numbers.data if sp.issparse(self.numbers) else self.numbers

    def amounts(self) -> list[np.ndarray]:
        return [self.weights]

    def table(self, schema: Schema) -> Table:
        """The rows as a table."""
        if sp.issparse(self.numbers):
            return SparseTable(schema, self.numbers)
        if not self.codes.shape[1]:
            return Table.from_matrix(schema, self.numbers)
        numbers, codes = iter(self.numbers.T), iter(self.codes.T)
        return Table(schema, [next(numbers if isinstance(a, Numeric) else codes) for a in schema])

    def rows(self, schema: Schema) -> Rows:
        """The rows as a learner sees them."""
        return Rows.in_memory(self.table(schema), self.targets, self.weights)

    def __len__(self) -> int:
        return len(self.targets)

    def arrays(self) -> dict[str, np.ndarray]:
        own = {"codes": self.codes, "targets": self.targets, "weights": self.weights}
        if sp.issparse(self.numbers):
            return own | {name: getattr(self.numbers, name) for name in _CSR}
        return own | {"numbers": self.numbers}

    @classmethod
    def from_arrays(
        cls, schema: Schema, arrays: Mapping[str, np.ndarray], n_classes: int | None
    ) -> "StoredRows":
        """The rows of a model file, checked; `n_classes` is None where targets are numbers."""
        sparse = "data" in arrays
        expected = {"codes", "targets", "weights", *(_CSR if sparse else ("numbers",))}
        if odd := arrays.keys() ^ expected:
            raise ValueError(f"array {min(odd)!r} is missing or unexpected")
        n, categorical = len(arrays["targets"]), [a for a in schema if isinstance(a, Categorical)]
        kind = np.float64 if n_classes is None else np.intp
        weights = checked_array(arrays, "weights", np.float64, (n,))
        codes = checked_array(arrays, "codes", np.int32, (n, len(categorical)))
        targets = checked_array(arrays, "targets", kind, (n,))
        shape = (n, len(schema) - len(categorical))
        if sparse:
            numbers = _csr(arrays, shape)
        else:
            numbers = checked_array(arrays, "numbers", np.float64, shape, finite=False)
        limits = np.array([len(a.values) for a in categorical], dtype=np.int64)
        rows = cls(numbers, codes, targets, weights)
        possible = n > 0 and (weights > 0).all() and not np.isinf(rows.cells).any()
        known = (codes >= -1) & (codes < limits)
        known_targets = n_classes is None or ((targets >= 0) & (targets < n_classes)).all()
        if not (possible and known.all() and known_targets):
            raise ValueError("a code, a target or a weight of its rows is out of range, or there is no row")
        return rows


def _csr(arrays: Mapping[str, np.ndarray], shape: tuple[int, int]) -> sp.csr_array:
    """The sparse rows; scipy's own check sees to it that no index leads outside."""
    cells = checked_array(arrays, "data", np.float64, arrays["data"].shape, finite=False)
    numbers = sp.csr_array((cells, arrays["indices"], arrays["indptr"]), shape=shape)
    numbers.check_format(full_check=True)
    return numbers
