"""Kernels that measure exactly: tiles of points, and heaps of the nearest so far.

tiles : float (n_tiles, d, TILE), the points of a tile column by column, so that one query is measured against
    all of them at once; the last tile is filled up with infinities
rows : int64 (n_tiles, TILE), the row number of each point, -1 where filled up
heap : distances float64 (k,) and rows int64 (k,), the worst on top; of equal distances the larger row is worse
measure : the power p of the differences, and whether the distance is angular; see `metric`

Sums run strictly in the order of the columns and are not fused, so that all indexes agree, bit for bit.
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit

__all__ = [
    "LAST",
    "TILE",
    "Measure",
    "bound_of",
    "found_within",
    "gather",
    "nearest_in_tiles",
    "rerank",
    "scan",
    "sort",
    "tiled",
    "within_tiles",
]

TILE = 32

#: A row number behind all others.
LAST = np.iinfo(np.int64).max

#: More than rounding takes from a total on the way to the distance and back: for squares, and for any power.
_SLACK, _SLACK_OF_POWERS = 1e-15, 1e-12


class Measure(NamedTuple):
    """A metric as kernels see it."""

    p: float
    angular: bool


def tiled(points, order=None):
    """The points, in the given order of rows, as tiles and row numbers."""
    n, d = points.shape
    filled = -(-n // TILE) * TILE
    rows = np.full(filled, -1)
    rows[:n] = np.arange(n) if order is None else order
    tiles = np.empty((filled // TILE, d, TILE), points.dtype)
    whole = n // TILE
    inside = points if order is None else points[order]
    tiles[:whole] = inside[: whole * TILE].reshape(whole, TILE, d).transpose(0, 2, 1)
    if whole < len(tiles):
        tiles[whole] = np.inf
        tiles[whole, :, : n - whole * TILE] = inside[whole * TILE :].T
    return tiles, rows.reshape(-1, TILE)


def found_within(kernel, arrays, Q, radius, measure):
    """Counts, distances and rows from a kernel that fills in as many as there is room for, and says how many."""
    counts, room = np.empty(len(Q), np.int64), 64 * len(Q)
    while True:
        distances, rows = np.empty(room), np.empty(room, np.int64)
        found = kernel(*arrays, Q, radius, measure, counts, distances, rows)
        if found <= room:
            return counts, distances[:found], rows[:found]
        room = found


@inner(fastmath=False)
def distance_of(total, measure):
    if measure.angular:
        return total * 0.5
    if measure.p == 2.0:
        return np.sqrt(total)
    return total if measure.p == 1.0 or measure.p == np.inf else total ** (1.0 / measure.p)


@inner(fastmath=False)
def bound_of(distance, measure):
    """A total that no total of this distance exceeds."""
    if measure.angular:
        return distance * 2.0
    if measure.p == 2.0:
        return distance * distance * (1.0 + _SLACK) + 1e-300
    if measure.p == 1.0 or measure.p == np.inf:
        return distance
    return distance**measure.p * (1.0 + _SLACK_OF_POWERS) + 1e-300


@inner(fastmath=False)
def added(total, gap, p):
    """The total with one more column, in which the rows are `gap` ≥ 0 apart."""
    if p == 2.0:
        return total + gap * gap
    if p == 1.0:
        return total + gap
    if p == np.inf:
        return max(total, gap)
    return total + gap**p


@inner(fastmath=False)
def total_between(x, q, p):
    total = 0.0
    for j in range(q.shape[0]):
        total = added(total, abs(x[j] - q[j]), p)
    return total


@inner(fastmath=False)
def totals_to(tile, q, p, totals):
    """Fill in the totals between a query and every point of a tile."""
    width = totals.shape[0]
    for i in range(width):
        totals[i] = 0.0
    for j in range(q.shape[0]):
        column, x = tile[j], q[j]
        if p == 2.0:
            for i in range(width):
                gap = column[i] - x
                totals[i] += gap * gap
        elif p == 1.0:
            for i in range(width):
                totals[i] += abs(column[i] - x)
        else:
            for i in range(width):
                totals[i] = added(totals[i], abs(column[i] - x), p)


@inner
def worse(distance, row, than, than_row):
    return distance > than or (distance == than and row > than_row)


@inner
def sift(distances, rows, size, distance, row):
    """Put a neighbour in the place of the top of a heap, of which the first `size` count."""
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and worse(distances[child + 1], rows[child + 1], distances[child], rows[child]):
            child += 1
        if not worse(distances[child], rows[child], distance, row):
            break
        distances[i], rows[i] = distances[child], rows[child]
        i = child
    distances[i], rows[i] = distance, row


@inner
def sort(distances, rows):
    """Put a heap into increasing order."""
    for size in range(distances.shape[0] - 1, 0, -1):
        distance, row = distances[size], rows[size]
        distances[size], rows[size] = distances[0], rows[0]
        sift(distances, rows, size, distance, row)


@inner
def scan(tile, tile_rows, q, bound, measure, totals, distances, rows):
    """Offer the points of a tile to a query's heap; gives the largest total that may still be of use."""
    totals_to(tile, q, measure.p, totals)
    any_near = 0
    for i in range(totals.shape[0]):
        any_near |= totals[i] <= bound
    if any_near:
        for i in range(totals.shape[0]):
            if totals[i] <= bound and tile_rows[i] >= 0:
                distance = distance_of(totals[i], measure)
                if worse(distances[0], rows[0], distance, tile_rows[i]):
                    sift(distances, rows, distances.shape[0], distance, tile_rows[i])
                    bound = bound_of(distances[0], measure)
    return bound


@jit
def nearest_in_tiles(tiles, tile_rows, Q, measure, distances, rows):
    """Fill in the nearest points of each query, over all tiles."""
    totals = np.empty(TILE)
    bounds = np.full(Q.shape[0], np.inf)
    for i in range(Q.shape[0]):
        for r in range(rows.shape[1]):
            distances[i, r], rows[i, r] = np.inf, LAST
    for t in range(tiles.shape[0]):
        for i in range(Q.shape[0]):
            bounds[i] = scan(tiles[t], tile_rows[t], Q[i], bounds[i], measure, totals, distances[i], rows[i])
    for i in range(Q.shape[0]):
        sort(distances[i], rows[i])


@jit
def rerank(points, Q, candidates, wanted, measure, distances, rows):
    """Fill in the nearest of the candidates of each query that is wanted; they are no fewer than the places."""
    for i in range(Q.shape[0]):
        if not wanted[i]:
            continue
        for r in range(rows.shape[1]):
            distances[i, r], rows[i, r] = np.inf, LAST
        for c in range(candidates.shape[1]):
            row = candidates[i, c]
            distance = distance_of(total_between(points[row], Q[i], measure.p), measure)
            if worse(distances[i, 0], rows[i, 0], distance, row):
                sift(distances[i], rows[i], rows.shape[1], distance, row)
        sort(distances[i], rows[i])


@inner
def gather(tile, tile_rows, q, radius, measure, totals, found, distances, rows):
    """Append the points of a tile that lie within the radius, as far as there is room; how many are found."""
    totals_to(tile, q, measure.p, totals)
    bound = bound_of(radius, measure)
    for i in range(totals.shape[0]):
        if totals[i] <= bound and tile_rows[i] >= 0:
            distance = distance_of(totals[i], measure)
            if distance <= radius:
                if found < rows.shape[0]:
                    distances[found], rows[found] = distance, tile_rows[i]
                found += 1
    return found


@jit
def within_tiles(tiles, tile_rows, Q, radius, measure, counts, distances, rows):
    """Fill in the points within the radius of each query, one after the other; how many there are."""
    totals = np.empty(TILE)
    found = 0
    for i in range(Q.shape[0]):
        before = found
        for t in range(tiles.shape[0]):
            found = gather(tiles[t], tile_rows[t], Q[i], radius, measure, totals, found, distances, rows)
        counts[i] = found - before
    return found
