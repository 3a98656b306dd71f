r"""Rows as the kernels of groups see them: tiles of points, and three ways to measure between two of them.

    euclidean   Σ_j (x_j - q_j)², of encoded columns     the distance is its root
    gower       Σ_j δ_j, of typed columns                the distance is its mean: see `spaces.mixed`
    heom        Σ_j δ_j²                                 the distance is its root

numbers : float64 (n_tiles, p, TILE), codes : int32 (n_tiles, q, TILE): within a tile column after column, so
that a query is measured against all of its points at once; the last tile is filled up with infinities.
inverse : float64 (p,), one over the range of each column of numbers.

A missing cell counts as the mean of its column in Euclidean distances. In the others a gap is a value of its
own, so that a row is no way off itself: equal to another gap, and as far as can be from anything known.
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.spaces.tiles import TILE

__all__ = ["EUCLIDEAN", "GOWER", "HEOM", "Points", "all_pairs", "between", "totals_of"]

EUCLIDEAN, GOWER, HEOM = range(3)


class Points(NamedTuple):
    """Rows in tiles; see the module."""

    numbers: np.ndarray
    codes: np.ndarray
    inverse: np.ndarray
    kind: int
    n: int

    @classmethod
    def of(cls, numbers, codes, inverse, kind, order=None):
        """The points of rows (n, p) and (n, q), in the given order of rows."""
        n = len(numbers)
        rows = np.arange(n) if order is None else order
        return cls(_tiled(numbers, rows, np.inf), _tiled(codes, rows, -1), inverse, kind, n)

    def distances(self, totals):
        """The distances that sums of terms amount to."""
        if self.kind == GOWER:
            return totals / max(self.numbers.shape[1] + self.codes.shape[1], 1)
        return np.sqrt(totals)

    def rows(self):
        """A copy of the numbers and of the codes row by row, (n, p) and (n, q)."""
        return tuple(
            cells.transpose(0, 2, 1).reshape(len(cells) * TILE, cells.shape[1])[: self.n].copy()
            for cells in (self.numbers, self.codes)
        )


def _tiled(cells, rows, fill):
    d, n_tiles = cells.shape[1], -(-len(rows) // TILE)
    padded = np.full((n_tiles * TILE, d), fill, cells.dtype)
    padded[: len(rows)] = cells[rows]
    return np.ascontiguousarray(padded.reshape(n_tiles, TILE, d).transpose(0, 2, 1))


def all_pairs(points):
    """The distances of all pairs, condensed as scipy has them: row 0 to all later ones, then row 1, …"""
    distances = np.empty(points.n * (points.n - 1) // 2)
    _fill_pairs(points, *points.rows(), distances)
    return distances


def between(points, numbers, codes):
    """The distances of rows to points, (m, n)."""
    totals = np.empty((len(numbers), points.n))
    _fill_between(points, np.ascontiguousarray(numbers), np.ascontiguousarray(codes), totals)
    return points.distances(totals)


@inner
def add_squares(columns, start, width, x, totals):
    """Add the squares of all columns, from cell `start` on, to the totals of so many points.

    Four columns at a time: totals are fetched and put back less often. What the query has in them is fetched
    before the loop, as the compiler cannot tell that writing totals leaves it as it is.
    """
    cells = slice(start, start + width)
    fours = x.shape[0] // 4 * 4
    for j in range(0, fours, 4):
        a, b, c, d = columns[j, cells], columns[j + 1, cells], columns[j + 2, cells], columns[j + 3, cells]
        of_a, of_b, of_c, of_d = x[j], x[j + 1], x[j + 2], x[j + 3]
        for r in range(width):
            p, q, s, t = a[r] - of_a, b[r] - of_b, c[r] - of_c, d[r] - of_d
            totals[r] += (p * p + q * q) + (s * s + t * t)
    for j in range(fours, x.shape[0]):
        a, of_a = columns[j, cells], x[j]
        for r in range(width):
            p = a[r] - of_a
            totals[r] += p * p


@inner
def totals_of(points, tile, numbers, codes, totals):
    """Fill in the total between a query and each point of a tile."""
    for r in range(TILE):
        totals[r] = 0.0
    if points.kind == EUCLIDEAN:
        add_squares(points.numbers[tile], 0, TILE, numbers, totals)
        return
    for j in range(codes.shape[0]):
        values, code = points.codes[tile, j], codes[j]
        for r in range(TILE):
            totals[r] += 1.0 if values[r] != code else 0.0
    for j in range(numbers.shape[0]):
        column, x, scale = points.numbers[tile, j], numbers[j], points.inverse[j]
        for r in range(TILE):
            gap = abs(column[r] - x) * scale
            term = gap * gap if points.kind == HEOM else gap
            totals[r] += term if gap < 1.0 else 1.0


@jit
def _fill_pairs(points, numbers, codes, pairs):
    totals = np.empty(TILE)
    d = max(numbers.shape[1] + codes.shape[1], 1)
    at = 0
    for i in range(points.n):
        for tile in range((i + 1) // TILE, points.numbers.shape[0]):
            totals_of(points, tile, numbers[i], codes[i], totals)
            first, last = max(i + 1 - tile * TILE, 0), min(TILE, points.n - tile * TILE)
            of_pairs, found = pairs[at : at + last - first], totals[first:last]
            for r in range(last - first):
                of_pairs[r] = found[r] / d if points.kind == GOWER else np.sqrt(found[r])
            at += last - first


@jit
def _fill_between(points, numbers, codes, pairs):
    totals = np.empty(TILE)
    for tile in range(points.numbers.shape[0]):
        for i in range(numbers.shape[0]):
            totals_of(points, tile, numbers[i], codes[i], totals)
            for r in range(min(TILE, points.n - tile * TILE)):
                pairs[i, tile * TILE + r] = totals[r]
