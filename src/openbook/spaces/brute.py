"""Brute force: every query against every point, in blocks that the caches hold.

Euclidean and cosine: a product of matrices screens the points, and the candidates are measured exactly
(`screen`). Queries for which the candidates are not proven to hold the nearest, as where many points are
equally far, and all other metrics: tiles of points, measured one by one (`tiles`). Few cells: plain NumPy,
without a kernel.
"""

from functools import cached_property

import numpy as np

from openbook.spaces.index import FEW_CELLS, Index, nearest_of

__all__ = ["Brute"]


class Brute(Index):
    """Every point is looked at."""

    name = "brute"

    def _build(self):
        for made in ("_screen", "_tiles"):
            self.__dict__.pop(made, None)

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
            proven, answer = self._screened(Q if len(left) == len(Q) else Q[left], k, spare)
            distances[left[proven]], rows[left[proven]] = answer
            left = left[~proven]
            if not len(left):
                return distances, rows
        distances[left], rows[left] = self._measured(Q[left], k)
        return distances, rows

    def _screened(self, Q, k, spare):
        """For which queries the nearest points are found by screening, and these."""
        from openbook.spaces.tiles import rerank

        candidates, proven = self._screen.candidates(Q, k, spare)
        sure = np.flatnonzero(proven)
        distances, rows = np.empty((len(sure), k)), np.empty((len(sure), k), np.int64)
        rerank(self.points, Q, sure, candidates, self.measure, distances, rows)
        return proven, (distances, rows)

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
