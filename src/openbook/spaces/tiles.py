"""Kernels that measure exactly: tiles of points, and heaps of the nearest so far.

tiles : float (n_tiles, d, TILE), the points of a tile column by column, so that one query is measured against
    all of them at once; the last tile is filled up with infinities
rows : int64 (n_tiles, TILE), the row number of each point, -1 where filled up
heap : distances float64 (k,) and rows int64 (k,), the worst on top; of equal distances, the larger row
measure : the power p of the differences, and whether the distance is angular; see `metric`

Sums run strictly in the order of the columns and are not fused, so that all indexes agree, bit for bit.
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit

TILE = 32

#: A row number behind all others.
_LAST = np.iinfo(np.int64).max

#: More than rounding takes from a total on the way to the distance and back: for squares, and for any power.
_SLACK, _SLACK_OF_POWERS = 1e-15, 1e-12


class KernelMetric(NamedTuple):
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


def in_tiles(cells, filling):
    """The cells of rows, (n, d), as tiles, (n_tiles, d, TILE), filled up."""
    (n, d), n_tiles = cells.shape, -(-len(cells) // TILE)
    filled = np.full((n_tiles * TILE, d), filling, cells.dtype)
    filled[:n] = cells
    return np.ascontiguousarray(filled.reshape(n_tiles, TILE, d).transpose(0, 2, 1))


class Answer(NamedTuple):
    """Room for what is found: distances and rows, and whose they are."""

    distances: np.ndarray
    rows: np.ndarray
    queries: np.ndarray


def first_by(kernel, arrays, Q, _k, measure):
    """Where each query comes to first, from a kernel that searches a tree."""
    answer = Answer(np.empty(0), np.empty(0, np.int64), np.empty(len(Q), np.int64))
    kernel(*arrays, Q, None, measure, answer)
    return answer.queries


def nearest_by(kernel, arrays, Q, k, measure):
    """The k nearest points of each query, from a kernel that searches for them if no radius is given."""
    m = len(Q)
    answer = Answer(np.empty(m * k), np.empty(m * k, np.int64), np.empty(m, np.int64))
    kernel(*arrays, Q, None, measure, answer)
    return answer.distances.reshape(m, k), answer.rows.reshape(m, k)


def within_by(kernel, arrays, Q, radius, measure):
    """Queries, distances and rows of points within a radius, from a kernel that says how many there are."""
    capacity = 64 * len(Q)
    while True:
        answer = Answer(np.empty(capacity), np.empty(capacity, np.int64), np.empty(capacity, np.int64))
        found = kernel(*arrays, Q, float(radius), measure, answer)
        if found <= capacity:
            return answer.queries[:found], answer.distances[:found], answer.rows[:found]
        capacity = found


@inner(fastmath=False)
def distance_of(total, measure):
    if measure.angular:
        return total * 0.5
    if measure.p == 2.0:
        return np.sqrt(total)
    return total if measure.p in (1.0, np.inf) else total ** (1.0 / measure.p)


@inner
def length_of(total, p):
    """The distance for which the triangle inequality holds."""
    if p == 2.0:
        return np.sqrt(total)
    return total if p in (1.0, np.inf) else total ** (1.0 / p)


@inner(fastmath=False)
def bound_of(distance, measure):
    """A total that no total of this distance exceeds."""
    if measure.angular:
        return distance * 2.0
    if measure.p == 2.0:
        return distance * distance * (1.0 + _SLACK) + 1e-300
    if measure.p in (1.0, np.inf):
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
def totals_of_four(points, rows, q, p, totals):
    """Fill in the totals between a query and four points: side by side, none waits for another's sum."""
    a, b, c, d = points[rows[0]], points[rows[1]], points[rows[2]], points[rows[3]]
    of_a = of_b = of_c = of_d = 0.0
    for j in range(q.shape[0]):
        of_a = added(of_a, abs(a[j] - q[j]), p)
        of_b = added(of_b, abs(b[j] - q[j]), p)
        of_c = added(of_c, abs(c[j] - q[j]), p)
        of_d = added(of_d, abs(d[j] - q[j]), p)
    totals[0], totals[1], totals[2], totals[3] = of_a, of_b, of_c, of_d


@inner(fastmath=False)
def totals_to(tile, q, p, bound, totals):
    """Fill in the totals between a query and every point of a tile; gives whether one is within the bound.

    It leaves off as soon as none can be.
    """
    width = totals.shape[0]
    for i in range(width):
        totals[i] = 0.0
    if p == 2.0:
        return _add_squares(tile, q, bound, totals)
    for j in range(q.shape[0]):
        column, x = tile[j], q[j]
        if p == 1.0:
            for i in range(width):
                totals[i] += abs(column[i] - x)
        else:
            for i in range(width):
                totals[i] = added(totals[i], abs(column[i] - x), p)
    near = 0
    for i in range(width):
        near |= totals[i] <= bound
    return near != 0


@inner(fastmath=False)
def _add_squares(tile, q, bound, totals):
    """`totals_to` of squares: four columns in one pass, since every pass takes its time."""
    d, width, near = q.shape[0], totals.shape[0], 1
    if d & 1:
        a, x = tile[0], q[0]
        for i in range(width):
            totals[i] += (a[i] - x) * (a[i] - x)
    if d & 2:
        j = d & 1
        a, b, x, y = tile[j], tile[j + 1], q[j], q[j + 1]
        for i in range(width):
            totals[i] = totals[i] + (a[i] - x) * (a[i] - x) + (b[i] - y) * (b[i] - y)
    for j in range(d & 3, d, 4):
        a, b, c, e = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
        x, y, z, w = q[j], q[j + 1], q[j + 2], q[j + 3]
        near = 0
        for i in range(width):
            two = totals[i] + (a[i] - x) * (a[i] - x) + (b[i] - y) * (b[i] - y)
            four = two + (c[i] - z) * (c[i] - z) + (e[i] - w) * (e[i] - w)
            totals[i] = four
            near |= four <= bound
        if near == 0:
            break
    return near != 0


@inner
def worse(distance, row, than, than_row):
    return distance > than or (distance == than and row > than_row)


@inner
def sift(distances, rows, size, distance, row):
    """Replace the top of a heap of `size` entries by a neighbour."""
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
def empty(distances, rows):
    """An empty heap."""
    for i in range(rows.shape[0]):
        distances[i], rows[i] = np.inf, _LAST


@inner
def sort(distances, rows):
    """Put a heap into increasing order."""
    for size in range(distances.shape[0] - 1, 0, -1):
        distance, row = distances[size], rows[size]
        distances[size], rows[size] = distances[0], rows[0]
        sift(distances, rows, size, distance, row)


@inner
def heap_of(query, k, answer):
    """A query's part of the distances and of the rows; not for `jit`, which would count references."""
    span = slice(query * k, (query + 1) * k)
    return answer.distances[span], answer.rows[span]


@inner
def sort_heap(query, k, answer):
    distances, rows = heap_of(query, k, answer)
    sort(distances, rows)


@inner
def offer(totals, tile_rows, query, k, bound, measure, answer):
    """Offer the points of a tile to a query's heap; gives the largest total that may still be of use."""
    distances, rows = heap_of(query, k, answer)
    for i in range(totals.shape[0]):
        if totals[i] <= bound and tile_rows[i] >= 0:
            distance = distance_of(totals[i], measure)
            if worse(distances[0], rows[0], distance, tile_rows[i]):
                sift(distances, rows, distances.shape[0], distance, tile_rows[i])
                bound = bound_of(distances[0], measure)
    return bound


@inner
def append(totals, tile_rows, query, radius, measure, found, answer):
    """Append the points of a tile within the radius, as far as there is room; gives how many are found."""
    bound = bound_of(radius, measure)
    for i in range(totals.shape[0]):
        if totals[i] <= bound and tile_rows[i] >= 0:
            distance = distance_of(totals[i], measure)
            if distance <= radius:
                if found < answer.rows.shape[0]:
                    answer.distances[found], answer.rows[found] = distance, tile_rows[i]
                    answer.queries[found] = query
                found += 1
    return found


@jit
def search_tiles(tiles, tile_rows, Q, radius, measure, answer):
    """Fill in the points within the radius of each query; gives how many there are.

    Without a radius (None) it fills in the nearest points, as many for each query as there is room for.
    """
    k = answer.rows.shape[0] // max(Q.shape[0], 1)
    totals, bounds = np.empty(TILE), np.empty(Q.shape[0])
    if radius is None:
        bounds[:] = np.inf
        empty(answer.distances, answer.rows)
    else:
        bounds[:] = bound_of(radius, measure)
    found = 0
    for t in range(tiles.shape[0]):
        for i in range(Q.shape[0]):
            if not totals_to(tiles[t], Q[i], measure.p, bounds[i], totals):
                continue
            if radius is None:
                bounds[i] = offer(totals, tile_rows[t], i, k, bounds[i], measure, answer)
            else:
                found = append(totals, tile_rows[t], i, radius, measure, found, answer)
    if radius is None:
        for i in range(Q.shape[0]):
            sort_heap(i, k, answer)
    return found


@jit
def rerank(points, Q, queries, candidates, measure, distances, rows):
    """Fill in the nearest candidates of these queries; there are as many as places, or more."""
    n = candidates.shape[1]
    totals = np.empty(4)
    for i in range(queries.shape[0]):
        query = queries[i]
        q = Q[query]
        empty(distances[i], rows[i])
        for c in range(0, n, 4):
            four = candidates[query, c : c + 4]
            if four.shape[0] == 4:
                totals_of_four(points, four, q, measure.p, totals)
            else:
                for r in range(four.shape[0]):
                    totals[r] = total_between(points[four[r]], q, measure.p)
            for r in range(four.shape[0]):
                distance = distance_of(totals[r], measure)
                if worse(distances[i, 0], rows[i, 0], distance, four[r]):
                    sift(distances[i], rows[i], rows.shape[1], distance, four[r])
        sort(distances[i], rows[i])


@jit
def measure_pairs(points, Q, queries, rows, measure, distances):
    """Fill in the distance of each pair of a query and a row."""
    for pair in range(rows.shape[0]):
        total = total_between(points[rows[pair]], Q[queries[pair]], measure.p)
        distances[pair] = distance_of(total, measure)


@jit
def measure_all(tiles, Q, measure, distances):
    """Fill in the distance of each query to each point, (m, n)."""
    totals, n = np.empty(TILE), distances.shape[1]
    for t in range(tiles.shape[0]):
        for i in range(Q.shape[0]):
            totals_to(tiles[t], Q[i], measure.p, np.inf, totals)
            for r in range(min(TILE, n - t * TILE)):
                distances[i, t * TILE + r] = distance_of(totals[r], measure)
