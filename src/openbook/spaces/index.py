"""What every index does: find the nearest rows, or the rows within a radius, and take and give up rows.

points : float32 or float64 (n, d), or a CSR matrix, as the metric compares them (`Metric.coordinates`)
query  → distances float64 (m, k), rows int64 (m, k), by distance, and by row number where distances are equal
within → indptr int64 (m + 1,), rows int64 and distances float64 (indptr[-1],), in the same order

Queries are handled in blocks of fixed size through `openbook.fold`, so the number of workers changes nothing.
Missing and infinite cells are refused.
"""

from abc import ABC, abstractmethod
from functools import partial
from typing import ClassVar

import numpy as np
from scipy import sparse

from openbook.errors import DataError, ParameterError
from openbook.fold import each
from openbook.measures.arrays import all_finite
from openbook.spaces.metric import METRICS, VectorMetric

#: Up to so many differences, NumPy is faster than loading a kernel.
FEW_CELLS = 1 << 20


class Index(ABC):
    """Points, arranged so that neighbours are found.

    Parameters
    ----------
    points : rows as `as_points` gives them
    metric : what is measured
    reason : why this index, in words
    """

    name: ClassVar[str]
    metrics: ClassVar[tuple[str, ...]] = METRICS
    #: Queries in a block.
    block: ClassVar[int] = 1000

    def __init__(self, points, metric: VectorMetric, reason: str) -> None:
        self.metric, self.reason = metric, reason
        metric.check_range(points)
        self.points = metric.coordinates(points)
        self._build()

    @property
    def n_points(self) -> int:
        return self.points.shape[0]

    @property
    def measure(self):
        """The metric as kernels see it."""
        from openbook.spaces.tiles import KernelMetric

        return KernelMetric(self.metric.p, self.metric.angular)

    @abstractmethod
    def _build(self) -> None:
        """Arrange the points."""

    @abstractmethod
    def _nearest(self, Q, k):
        """The answer to `query` for one block."""

    @abstractmethod
    def _around(self, Q, radius):
        """The points within the radius of a block of queries: queries, distances and rows, in any order."""

    def query(self, Q, k: int):
        """The k nearest points of each row of Q: their distances and row numbers, each (m, k)."""
        Q = self._queries(Q)
        return self._answer(Q, k, self._order(Q))

    def among(self, k: int, rows=None):
        """`query` of the points themselves, all or some of them."""
        points, order = (self.points, self.order) if rows is None else (self.points[rows], None)
        return self._answer(points.astype(np.float64, copy=False), k, order)

    @property
    def order(self):
        """The points' rows in an order in which they are best asked for; None for as they come."""
        return None

    def _answer(self, Q, k, order):
        """The answer to queries in the metric's coordinates, computed in the given order."""
        if not 1 <= k <= self.n_points:
            raise ParameterError(f"k must lie between 1 and the number of points, {self.n_points}; got {k}")
        blocks = self._blocks(Q.shape[0], order)
        found = each((Q[block] for block in blocks), partial(self._nearest, k=k))
        distances, rows = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), np.int64)
        for block, answer in zip(blocks, found, strict=True):
            distances[block], rows[block] = answer
        blank = self._blank(Q)
        distances[blank], rows[blank] = 1.0, np.arange(k)
        return distances, rows

    def within(self, Q, radius: float):
        """The points at most `radius` away from each row of Q: indptr, rows and distances."""
        if not radius >= 0:
            raise ParameterError(f"radius must be at least 0, got {radius}")
        Q = self._queries(Q)
        blank, blocks = self._blank(Q), self._blocks(Q.shape[0])
        found = each([Q[block] for block in blocks], partial(self._around, radius=radius))
        parts = [(block.start + q, d, rows) for block, (q, d, rows) in zip(blocks, found, strict=True)]
        queries, distances, rows = (np.concatenate(part) for part in zip(*parts, strict=True))
        if blank.any():
            of_blank = np.repeat(np.flatnonzero(blank), self.n_points if radius >= 1 else 0)
            others = ~blank[queries]
            queries = np.concatenate([queries[others], of_blank])
            distances = np.concatenate([distances[others], np.ones(len(of_blank))])
            rows = np.concatenate([rows[others], np.arange(len(of_blank)) % self.n_points])
        order = np.lexsort((rows, distances, queries))
        indptr = np.searchsorted(queries[order], np.arange(Q.shape[0] + 1))
        return indptr, rows[order], distances[order]

    def distances(self, Q):
        """Every row of Q to every point, (m, n)."""
        Q, points = self._queries(Q), self.points
        blank = self._blank(Q)
        if sparse.issparse(points):
            Q, points = Q.toarray(), points.toarray()
        if Q.shape[0] * points.size <= FEW_CELLS:
            found = self.metric.distances(Q, points)
        else:
            from openbook.spaces.tiles import measure_all, tiled

            found = np.empty((Q.shape[0], self.n_points))
            measure_all(tiled(points)[0], Q, self.measure, found)
        found[blank] = 1.0
        return found

    def add(self, points) -> None:
        """Take more points; their row numbers follow those there are."""
        points = as_points(points)
        self._check_like(points)
        stack = sparse.vstack if sparse.issparse(self.points) else np.concatenate
        new = self.metric.coordinates(points).astype(self.points.dtype, copy=False)
        self.points = stack([self.points, new])
        self._build()

    def remove(self, rows) -> None:
        """Give up points; later rows move up, as with `numpy.delete`."""
        rows = np.unique(np.asarray(rows, dtype=np.int64))
        if len(rows) and not 0 <= rows[0] <= rows[-1] < self.n_points:
            wrong = rows[0] if rows[0] < 0 else rows[-1]
            raise ParameterError(f"no row {wrong}: rows are numbered from 0 to {self.n_points - 1}")
        if len(rows) == self.n_points:
            raise ParameterError("an index needs points: the last of them cannot be removed")
        self.points = self.points[np.delete(np.arange(self.n_points), rows)]
        self._build()

    def _queries(self, Q):
        """Queries as the metric compares them."""
        Q = as_points(Q, "queries")
        self._check_like(Q)
        if sparse.issparse(self.points):
            Q = sparse.csr_array(Q)
        elif sparse.issparse(Q):
            Q = Q.toarray()
        return self.metric.coordinates(Q).astype(np.float64, copy=False)

    def _blank(self, Q):
        """Which queries have no direction where it matters."""
        if not self.metric.angular:
            return np.zeros(Q.shape[0], bool)
        last = Q[:, [-1]].toarray() if sparse.issparse(Q) else Q[:, -1]
        return last.ravel() == 1

    def _check_like(self, rows) -> None:
        width = self.points.shape[1] - self.metric.angular
        if rows.shape[1] != width:
            raise DataError(f"the index has {width} columns, and these rows have {rows.shape[1]}")
        self.metric.check_range(rows)

    def _order(self, Q):  # noqa: B027 (most have none)
        """The order in which queries are best answered; None if they are as they come."""

    def _blocks(self, n, order=None):
        """Queries that are answered together, n in all: slices, or their places in an order."""
        spans = [slice(start, start + self.block) for start in range(0, max(n, 1), self.block)]
        return spans if order is None else [order[span] for span in spans]


def spread_out(n: int, most: int):
    """At most `most` row numbers, evenly spread over n rows."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def nearest_of(distances, k: int):
    """The k smallest distances of each line and where they stand, of equal ones the first."""
    kth = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    queries, rows = np.nonzero(distances <= kth)
    return nearest_of_pairs(queries, distances[queries, rows], rows, len(distances), k)


def nearest_of_pairs(queries, distances, rows, n_queries: int, k: int):
    """The k smallest distances of each query and their rows, where every query has as many pairs, or more."""
    order = np.lexsort((rows, distances, queries))
    first = np.searchsorted(queries[order], np.arange(n_queries))
    chosen = order[first[:, None] + np.arange(k)]
    return distances[chosen], rows[chosen]


def _first_infinite(rows):
    bad = np.flatnonzero(~np.isfinite(rows.data))[0]
    return rows.row[bad], rows.col[bad]


def as_points(rows, what: str = "points"):
    """Rows of finite numbers: a C-ordered array, or CSR with sorted columns; float32 stays as it is."""
    rows = rows.tocsr() if sparse.issparse(rows) else np.asarray(rows)
    if rows.ndim != 2:
        raise DataError(f"{what} must be rows and columns, got an array of shape {rows.shape}")
    if rows.dtype != np.float32:
        rows = rows.astype(np.float64, copy=False)
    if sparse.issparse(rows):
        rows = sparse.csr_array(rows)
        rows.sum_duplicates()
        cells = rows.data
    else:
        rows = cells = np.ascontiguousarray(rows)
    if not all_finite(cells):
        row, column = np.argwhere(~np.isfinite(cells))[0] if cells is rows else _first_infinite(rows.tocoo())
        msg = f"{what}: row {row}, column {column} is not a finite number; fill it in or leave the row out"
        raise DataError(msg)
    return rows
