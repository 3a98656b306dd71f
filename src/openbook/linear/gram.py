r"""A scatter matrix S, (K, K): as it is, or as the rows that it is made of, whichever is smaller.

The scatter of a wide table, of fewer rows than columns, is larger than the table. Its rows, less their mean
and times the roots of their weights, hold the same in less memory: S = rows'rows. Equations in S then become
equations in rows rows', which has a row and a column for each row (see `normal`). So rows are kept as rows
until there are as many as columns.

entries : float64 (K, K), S itself; or (m, K), m < K, the rows
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy.linalg import lapack, solve_triangular
from scipy.sparse import issparse

from openbook.damage import require
from openbook.fold import Statistics

#: Rows of fewer columns than these are multiplied at once: there is nothing to save.
FEW = 100

#: Columns that are looked at together for what those before them explain.
BLOCK = 64


@dataclass(frozen=True)
class Gram(Statistics):
    """A scatter matrix; see the module."""

    entries: np.ndarray

    @classmethod
    def zero(cls, size: int) -> Self:
        """The scatter of no rows."""
        return cls.of_rows(np.zeros((0, size)))

    @classmethod
    def of_rows(cls, rows: np.ndarray) -> Self:
        """The scatter of rows less their mean, multiplied out where they are many."""
        return cls(rows if cls.keeps(rows.shape) else rows.T @ rows)

    @staticmethod
    def keeps(shape: tuple[int, ...]) -> bool:
        """Whether rows of this shape are better kept than multiplied."""
        return shape[0] < shape[1] and shape[1] >= FEW

    @property
    def wide(self) -> bool:
        """Whether there are rows, and not S."""
        return len(self.entries) < self.entries.shape[1]

    @property
    def matrix(self) -> np.ndarray:
        """S itself, (K, K)."""
        return self.entries.T @ self.entries if self.wide else self.entries

    def diagonal(self) -> np.ndarray:
        """That of S, which cannot be written to."""
        return self._squares if self.wide else self.entries.diagonal()

    @cached_property
    def _squares(self) -> np.ndarray:
        """The sum of squares of each column of the rows."""
        squares = np.einsum("ij,ij->j", self.entries, self.entries)
        squares.setflags(write=False)
        return squares

    def part(self, columns: np.ndarray, others: np.ndarray) -> np.ndarray:
        """The entries of S in these rows and columns."""
        if self.wide:
            chosen = self.entries[:, columns]
            return chosen.T @ (chosen if others is columns else self.entries[:, others])
        return self.entries[columns[:, None], others]

    def singular_values(self) -> np.ndarray:
        """Those of the rows, the largest first."""
        if self.wide:
            return np.linalg.svd(self.entries, compute_uv=False)
        values: np.ndarray = np.sqrt(np.maximum(np.linalg.eigvalsh(self.entries)[::-1], 0.0))
        return values

    def times(self, vectors: np.ndarray) -> np.ndarray:
        """S times vectors, (K, T)."""
        return self.entries.T @ (self.entries @ vectors) if self.wide else self.entries @ vectors

    def turned(self, weights: Any) -> Self:
        """The scatter of weighted sums of the columns: T'ST for weights T, (K, d), which may be sparse."""
        if not self.wide:
            return type(self)(weights.T @ self.entries @ weights)
        if issparse(weights) and (np.diff(weights.indptr) == 1).all():  # one column each
            rows, indices = np.empty((len(self.entries), len(weights.indices))), weights.indices
            ends = [*(np.flatnonzero(np.diff(indices) != 1) + 1).tolist(), len(indices)]
            for start, end in pairwise([0, *ends]):  # columns that lie side by side
                block = slice(indices[start], indices[start] + end - start)
                np.multiply(self.entries[:, block], weights.data[start:end], out=rows[:, start:end])
            return type(self).of_rows(rows)
        return type(self).of_rows(self.entries @ weights)

    def cleared(self, columns: np.ndarray) -> Self:
        """The same without any scatter of these columns."""
        if not columns.any():
            return self
        entries = self.entries.copy()
        entries[:, columns] = 0.0
        if not self.wide:
            entries[columns] = 0.0
        return type(self)(entries)

    def with_rows(self, rows: np.ndarray) -> Self:
        """The scatter of these rows, too."""
        if self.wide and self.keeps((len(self.entries) + len(rows), rows.shape[1])):
            return type(self)(np.vstack([self.entries, rows]))
        return type(self)(self.matrix + rows.T @ rows)

    def __add__(self, other: Self) -> Self:
        return self.with_rows(other.entries) if other.wide else type(self)(self.matrix + other.entries)

    def __sub__(self, other: Self) -> Self:
        return type(self)(self.matrix - other.matrix)

    def filled(self, arrays: Mapping[str, np.ndarray]) -> Self:
        entries, size = arrays["entries"], self.entries.shape[1]
        found = f"{entries.dtype}{entries.shape}"
        sound = entries.ndim == 2 and entries.dtype == float and entries.shape[1] == size
        require(sound, f"its scatter is {found}, expected float64 of {size} columns")
        known = len(entries) == size or self.keeps(entries.shape)
        require(known, f"its scatter has {len(entries)} rows, expected {size}")
        return type(self)(entries)


def independent_columns(
    scatter: Gram, tolerance: float, rank: int | None = None, order: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Which columns those before them do not explain, and Cholesky's factor U of their correlations, U'U.

    A column is explained where no more than `tolerance` of its variance is left; one that does not vary is.
    Columns are taken in blocks: with U'V = C for the correlations C of a block with those kept so far, what
    is left of the block's own is that less V'V. Of n rows around their mean, n - 1 columns explain the rest,
    or `rank` of them. They are taken from left to right, or in the given `order`.
    """
    if scatter.wide:
        scatter = Gram(np.asfortranarray(scatter.entries))
    most = (rank or len(scatter.entries) - 1) if scatter.wide else len(scatter.entries)
    scale = np.sqrt(np.maximum(scatter.diagonal(), 0.0))
    columns = np.arange(len(scale)) if order is None else order
    columns = columns[scale[columns] > 0]
    upper, kept = np.zeros((min(len(columns), most + BLOCK),) * 2, order="F"), columns[:0]
    for start in range(0, len(columns), BLOCK):
        if len(kept) >= most:
            break
        block, before = columns[start : start + BLOCK], slice(0, len(kept))
        units = scale[block]
        left = scatter.part(block, block) / np.outer(units, units)
        if len(kept):
            cross = scatter.part(kept, block) / np.outer(scale[kept], units)
            half = solve_triangular(upper[before, before], cross, trans=1, check_finite=False)
            left -= half.T @ half
        independent, corner = _independent(left, tolerance)
        added = slice(len(kept), len(kept) + len(independent))
        if len(kept):
            upper[before, added] = half[:, independent]
        upper[added, added] = corner
        kept = np.append(kept, block[independent])
    return upper[: len(kept), : len(kept)], kept


def _independent(left: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Which columns of a block those before them in the block do not explain, and their Cholesky's factor."""
    if (left.diagonal() <= tolerance).all():
        return np.zeros(0, dtype=np.intp), np.zeros((0, 0))
    root, failed = lapack.dpotrf(left, clean=True)
    if not failed and root.diagonal().min() ** 2 > tolerance:
        return np.arange(len(left)), root
    rest, kept = left.copy(), []
    for j in range(len(left)):  # the part of each column that earlier ones do not explain
        if rest[j, j] > tolerance:
            kept.append(j)
            rest[j + 1 :, j + 1 :] -= np.outer(rest[j + 1 :, j], rest[j, j + 1 :]) / rest[j, j]
    columns = np.array(kept, dtype=np.intp)
    return columns, lapack.dpotrf(left[np.ix_(columns, columns)], clean=True)[0]


def lower_solved(root: np.ndarray, right: np.ndarray) -> np.ndarray:
    """L⁻¹ times the columns of `right`, for a lower triangle L; LAPACK takes it by columns."""
    return lapack.dtrtrs(root.T, right, trans=1)[0] if len(root) else right


def upper_solved(root: np.ndarray, right: np.ndarray) -> np.ndarray:
    """L'⁻¹ times the columns of `right`, for a lower triangle L."""
    return lapack.dtrtrs(root.T, right)[0] if len(root) else right


def is_definite(matrix: np.ndarray) -> bool:
    """Whether a symmetric matrix has no eigenvalue of 0 or below."""
    return not len(matrix) or not lapack.dpotrf(matrix.T)[1]
