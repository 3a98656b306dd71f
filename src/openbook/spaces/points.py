r"""Rows as kernels see them, in tiles of points, and what is between two of them.

    euclidean   Σ_j (x_j - q_j)², of encoded columns     the distance is its root
    gower       Σ_j δ_j, of typed columns                the distance is its mean: see `mixed`
    heom        Σ_j δ_j²                                 the distance is its root

numbers : float64 (n_tiles, p, TILE), codes : int32 (n_tiles, q, TILE): within a tile column after column, so
    that a query is measured against all of its points at once; the last tile is filled up with infinities
scales : float64 (4, p), one over the range of each column of numbers, the most that its term may be, its
    median, and the period after which it goes round, or 0 (`mixed.MixedDistance.scales`)

Encoded columns have no gaps. In mixed distances a missing cell (NaN, or a code below 0) has the term 1, on
one side or on both; where a term may exceed 1, it counts as the median, and 1 at least.
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.spaces.tiles import TILE, in_tiles

EUCLIDEAN, GOWER, HEOM = range(3)

#: Queries that meet a tile together, and as many of its columns at a time as the first cache holds.
_QUERIES, _COLUMNS = 16, 64


class Points(NamedTuple):
    """Rows in tiles; see the module."""

    numbers: np.ndarray
    codes: np.ndarray
    scales: np.ndarray
    kind: int
    n: int

    @classmethod
    def of(cls, numbers, codes, scales, kind):
        """The points of rows (n, p) and (n, q)."""
        return cls(in_tiles(numbers, np.inf), in_tiles(codes, -1), scales, kind, len(numbers))

    def distances(self, totals):
        """The distances that sums of terms amount to, in their place."""
        if self.kind == GOWER:
            return np.divide(totals, max(self.numbers.shape[1] + self.codes.shape[1], 1), out=totals)
        return np.sqrt(totals, out=totals)

    def rows(self):
        """A copy of the numbers and of the codes row by row, (n, p) and (n, q)."""
        return tuple(
            cells.transpose(0, 2, 1).reshape(len(cells) * TILE, cells.shape[1])[: self.n].copy()
            for cells in (self.numbers, self.codes)
        )


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
    """Add the squares of all columns, from cell `start` on, to the totals of `width` points.

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
def add_categories(tile_codes, codes, totals):
    """Add 1 for each code that differs, and for each that is missing."""
    for j in range(codes.shape[0]):
        values, code = tile_codes[j], codes[j]
        if code < 0:
            code = np.int32(-2)  # which no point has
        for r in range(totals.shape[0]):
            totals[r] += 1.0 if values[r] != code else 0.0


@inner
def add_unbounded(column, x, scales, squared, totals):
    """Add the terms of a column of numbers where they may exceed 1."""
    scale, most, median, _ = scales
    away = abs(x - median) * scale
    lacking = min(away, most) if away > 1.0 else 1.0  # NaN is not above
    x, low = (median, 1.0) if np.isnan(x) else (x, 0.0)
    top = most * most if squared else most
    lacking = lacking * lacking if squared else lacking
    for r in range(totals.shape[0]):
        gap = abs(column[r] - x) * scale
        term = gap * gap if squared else gap
        totals[r] += (term if gap < most else top) if gap >= low else lacking


@inner
def add_cyclic(column, x, scales, squared, totals):
    """Add the terms of a column that goes round: the steps the shorter way."""
    scale, period = scales[0], scales[3]
    for r in range(totals.shape[0]):  # a missing cell, NaN, counts 1
        steps = abs(column[r] - x)
        gap = min(steps, abs(period - steps)) * scale
        term = gap * gap if squared else gap
        totals[r] += term if gap < 1.0 else 1.0


@inner
def add_numbers(points, tile, numbers, totals):
    """Add the terms of the columns of numbers."""
    squared = points.kind == HEOM
    for j in range(numbers.shape[0]):
        column, x, scale = points.numbers[tile, j], numbers[j], points.scales[0, j]
        if points.scales[3, j] > 0.0:
            add_cyclic(column, x, points.scales[:, j], squared, totals)
            continue
        if points.scales[1, j] > 1.0:
            add_unbounded(column, x, points.scales[:, j], squared, totals)
            continue
        for r in range(totals.shape[0]):  # whatever is not within the range, NaN included, counts 1
            gap = abs(column[r] - x) * scale
            term = gap * gap if squared else gap
            totals[r] += term if gap < 1.0 else 1.0


@inner
def tile_totals(points, tile, numbers, codes, totals):
    """Fill in the total between a query and each point of a tile."""
    for r in range(totals.shape[0]):
        totals[r] = 0.0
    if points.kind == EUCLIDEAN:
        add_squares(points.numbers[tile], 0, TILE, numbers, totals)
    else:
        add_categories(points.codes[tile], codes, totals)
        add_numbers(points, tile, numbers, totals)


@inner
def totals_of_some(points, tile, numbers, codes, totals):
    """Fill in the totals between some queries and each point of a tile, (queries, TILE).

    A few columns of the tile stay in the first cache while all queries meet them.
    """
    if points.kind != EUCLIDEAN:
        for i in range(numbers.shape[0]):
            tile_totals(points, tile, numbers[i], codes[i], totals[i])
        return
    for i in range(numbers.shape[0]):
        for r in range(TILE):
            totals[i, r] = 0.0
    for first in range(0, numbers.shape[1], _COLUMNS):
        some = slice(first, first + _COLUMNS)
        for i in range(numbers.shape[0]):
            add_squares(points.numbers[tile, some], 0, TILE, numbers[i, some], totals[i])


@jit
def _fill_pairs(points, numbers, codes, pairs):
    """Fill in all pairs, tile after tile: some rows at a time, up to its last, meet each."""
    totals, n = np.empty((_QUERIES, TILE)), points.n
    d = max(numbers.shape[1] + codes.shape[1], 1)
    for start in range(0, n, TILE):
        end = min(start + TILE, n)
        for query in range(0, end - 1, _QUERIES):
            some = slice(query, min(query + _QUERIES, end - 1))
            totals_of_some(points, start // TILE, numbers[some], codes[some], totals)
            for i in range(query, min(query + _QUERIES, end - 1)):
                first = max(i + 1, start)
                at = i * (2 * n - i - 1) // 2 + first - i - 1
                of_pairs, found = pairs[at : at + end - first], totals[i - query, first - start : end - start]
                for r in range(end - first):
                    of_pairs[r] = found[r] / d if points.kind == GOWER else np.sqrt(found[r])


@jit
def _fill_between(points, numbers, codes, pairs):
    totals = np.empty(TILE)
    for tile in range(points.numbers.shape[0]):
        for i in range(numbers.shape[0]):
            tile_totals(points, tile, numbers[i], codes[i], totals)
            for r in range(min(TILE, points.n - tile * TILE)):
                pairs[i, tile * TILE + r] = totals[r]


@jit
def nearest_mixed(points, numbers, codes, nearest, rows):
    """Fill in the totals and the rows of the nearest points of each query, both (m, k).

    Totals are infinite at first. A query gives a tile up after its categories if no point of it can still be
    among the k best: numbers only add. Points come in order and must be strictly nearer to push others out,
    so ties go to the first.
    """
    totals = np.empty(TILE)
    for tile in range(points.numbers.shape[0]):
        offer_tile(points, tile, numbers, codes, totals, nearest, rows)


@inner
def offer_tile(points, tile, numbers, codes, totals, nearest, rows):
    """Put the points of a tile among the nearest of each query."""
    tile_codes, last = points.codes[tile], min(TILE, points.n - tile * TILE)
    for i in range(numbers.shape[0]):
        for r in range(totals.shape[0]):
            totals[r] = 0.0
        add_categories(tile_codes, codes[i], totals)
        if not any_below(totals, nearest[i, -1]):
            continue
        add_numbers(points, tile, numbers[i], totals)
        if not any_below(totals, nearest[i, -1]):
            continue
        for r in range(last):
            if totals[r] < nearest[i, -1]:
                insert(totals[r], tile * TILE + r, nearest[i], rows[i])


@inner
def any_below(totals, bound):
    found = 0
    for r in range(totals.shape[0]):
        found |= totals[r] < bound
    return found


@inner
def insert(total, row, nearest, rows):
    """Put a point among the nearest so far, in the place of the last of them."""
    at = nearest.shape[0] - 1
    while at > 0 and nearest[at - 1] > total:
        nearest[at], rows[at] = nearest[at - 1], rows[at - 1]
        at -= 1
    nearest[at], rows[at] = total, row
