"""Brute force: every query against every point, in blocks that the caches hold.

Euclidean and cosine: a product of matrices screens the points, and the candidates are measured exactly
(`screen`). Queries for which the candidates are not proven to hold the nearest, as where many points are
equally far, and all other metrics: tiles of points, measured one by one (`tiles`). Few cells: plain NumPy,
without a kernel.
"""

from functools import cached_property

import numpy as np

from openbook.spaces.index import FEW_CELLS, Index, nearest_of


class Brute(Index):
    """Every query is compared with every point."""

    name = "brute"

    def _build(self):
        for cached in ("_screen", "_tiles"):
            self.__dict__.pop(cached, None)

    @cached_property
    def _screen(self):
        from openbook.spaces.screen import Screen

        return Screen.of(self.points)

    @cached_property
    def _tiles(self):
        from openbook.spaces.tiles import tiled

        return tiled(self.points)

    def _nearest(self, Q, k):
        if Q.shape[0] * self.points.size <= FEW_CELLS:
            return nearest_of(self.metric.distances(Q, self.points), k)
        if self.metric.p != 2:
            return self._measured(Q, k)
        from openbook.spaces.screen import SPARE

        distances, rows = np.empty((len(Q), k)), np.empty((len(Q), k), np.int64)
        left = np.arange(len(Q))
        for spare in SPARE:
            queries = Q if len(left) == len(Q) else Q[left]
            candidates, proven = self._candidates(queries, k, spare)
            distances[left[proven]], rows[left[proven]] = self._best_of(candidates, queries, proven, k)
            left = left[~proven]
            if not len(left):
                return distances, rows
        distances[left], rows[left] = self._measured(Q[left], k)
        return distances, rows

    def _candidates(self, Q, k, spare):
        """Rows that may be the nearest of each query, and for which queries the nearest are among them."""
        from openbook.spaces.screen import SPARE, candidates_of_few

        if self._few and spare == SPARE[0]:
            return candidates_of_few(self.points, Q, k)
        return self._screen.candidates(Q, k, spare)

    @property
    def _few(self):
        """Whether the points are no more than their columns."""
        return self.points.shape[0] <= self.points.shape[1]

    def among(self, k, rows=None):
        if rows is not None or self.metric.p != 2 or self.metric.angular or not self._few:
            return super().among(k, rows)
        return self._nearest(self.points, k)

    def _best_of(self, candidates, Q, some, k):
        """The nearest points of some queries among their candidates."""
        from openbook.spaces.tiles import rerank

        queries = np.flatnonzero(some)
        distances, rows = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
        rerank(self.points, Q, queries, candidates, self.measure, distances, rows)
        return distances, rows

    def _measured(self, Q, k):
        """The nearest points, all distances measured."""
        from openbook.spaces.tiles import nearest_by, search_tiles

        return nearest_by(search_tiles, self._tiles, Q, k, self.measure)

    def _around(self, Q, radius):
        if Q.shape[0] * self.points.size <= FEW_CELLS:
            distances = self.metric.distances(Q, self.points)
            queries, rows = np.nonzero(distances <= radius)
            return queries, distances[queries, rows], rows
        from openbook.spaces.tiles import measure_pairs, search_tiles, within_by

        if self.metric.p != 2:
            return within_by(search_tiles, self._tiles, Q, radius, self.measure)
        queries, rows = self._screen.inside(Q, 2 * radius if self.metric.angular else radius**2)
        distances = np.empty(len(rows))
        measure_pairs(self.points, Q, queries, rows, self.measure, distances)
        inside = distances <= radius
        return queries[inside], distances[inside], rows[inside]
