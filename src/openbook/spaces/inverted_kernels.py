"""Kernels of inverted lists: scores from lists, and exact distances between sparse rows.

Sparse : indptr, indices and data, of rows (CSR) or of columns (CSC); indices are in order and do not repeat
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.spaces.tiles import added, distance_of

#: A column behind all others.
_LAST = np.iinfo(np.int64).max


class Sparse(NamedTuple):
    """The arrays of a sparse matrix."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray

    @classmethod
    def of(cls, matrix, dtype):
        """Indices of one type, so that one kernel serves all."""
        return cls(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data.astype(dtype))


@jit
def add_list_scores(queries, lists, scores):
    """Add to the scores of each query, (queries, points), what it has in common with the points."""
    for i in range(scores.shape[0]):
        for entry in range(queries.indptr[i], queries.indptr[i + 1]):
            column, value = queries.indices[entry], queries.data[entry]
            for place in range(lists.indptr[column], lists.indptr[column + 1]):
                scores[i, lists.indices[place]] += value * lists.data[place]


@inner(fastmath=False)
def _total_between(a, i, b, j, p):
    """The total between row i of a and row j of b: where one has nothing, 0."""
    here, there = a.indptr[i], b.indptr[j]
    total = 0.0
    while here < a.indptr[i + 1] or there < b.indptr[j + 1]:
        column = _LAST
        if here < a.indptr[i + 1]:
            column = a.indices[here]
        if there < b.indptr[j + 1]:
            column = min(column, b.indices[there])
        gap = 0.0
        if here < a.indptr[i + 1] and a.indices[here] == column:
            gap += a.data[here]
            here += 1
        if there < b.indptr[j + 1] and b.indices[there] == column:
            gap -= b.data[there]
            there += 1
        total = added(total, abs(gap), p)
    return total


@jit
def measure_sparse_pairs(points, Q, queries, rows, measure, distances):
    """Fill in the distance of each pair of a query and a row."""
    for pair in range(rows.shape[0]):
        total = _total_between(points, rows[pair], Q, queries[pair], measure.p)
        distances[pair] = distance_of(total, measure)
