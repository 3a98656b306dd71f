r"""Kernels that merge clusters: of a matrix, of centres, and along a minimum spanning tree.

The first two merge the nearest pair again and again, of equally near ones the one whose clusters begin with
the earliest rows. Every cluster knows the nearest of those after it, and how far that is (Anderberg, 1973;
Müllner, 2011): after a merge, what is known of a cluster whose nearest was merged is a lower bound only, and
is put right when that bound comes up as the smallest. So most merges look at a few rows of the matrix.

    slot      the place of a cluster, in the order of first rows; a merged cluster takes the earlier one.
              Slots that are free are closed up when they are a quarter of all
    pairs     float64 (m (m - 1) / 2,), condensed: slot 0 to all later ones, then slot 1, …
    merges    float64 (n - 1, 4): two clusters, the height, the weight; rows are clusters 0 to n - 1, and
              merge t makes cluster n + t, as in scipy

The heights of `merge_pairs` by Ward, centroid and median, and all of `merge_centres`, are squares.
"""

from typing import NamedTuple

import numpy as np

from openbook.cluster.points import totals_of
from openbook.kernels.jit import inner, jit
from openbook.neighbors.tiles import TILE

__all__ = ["METHODS", "merge_centres", "merge_pairs", "span"]

METHODS = ("single", "complete", "average", "ward", "centroid", "median")
SINGLE, COMPLETE, AVERAGE, WARD, CENTROID, MEDIAN = range(6)

#: What stands for the nearest of a slot where all that is known is a bound.
_DOUBTFUL = -1


class Slots(NamedTuple):
    """Clusters by slot: rows, number as in `merges`, the nearest later slot, and how far it is at least."""

    sizes: np.ndarray
    names: np.ndarray
    nearest: np.ndarray
    least: np.ndarray
    gone: np.ndarray  # infinity where the slot is free, else 0

    @classmethod
    def of(cls, n, weights=None):
        room = -(-n // TILE) * TILE
        gone = np.zeros(room)
        gone[n:] = np.inf
        names, nearest, sizes = np.arange(room), np.zeros(room, np.int64), np.ones(room)
        if weights is not None:
            sizes[:n] = weights
        return cls(sizes, names, nearest, np.full(room, np.inf), gone)


class Lanes(NamedTuple):
    """Room to find the least of many: of each place within a tile, the least so far, and in which tile."""

    least: np.ndarray
    tiles: np.ndarray


@inner
def first_least(values, first_tile, last_tile, lanes):
    """The first of the smallest values in these tiles, or -1 if all are infinite."""
    for r in range(TILE):
        lanes.least[r], lanes.tiles[r] = np.inf, 0
    for tile in range(first_tile, last_tile):
        for r in range(TILE):
            value = values[tile * TILE + r]
            less = value < lanes.least[r]
            lanes.least[r] = value if less else lanes.least[r]
            lanes.tiles[r] = tile if less else lanes.tiles[r]
    best, least = -1, np.inf
    for r in range(TILE):
        at = lanes.tiles[r] * TILE + r
        if lanes.least[r] < least or (lanes.least[r] == least < np.inf and at < best):
            best, least = at, lanes.least[r]
    return best


@inner
def record(merges, t, slots, a, b, height):
    """Write down the merge of slots a and b, and leave b free."""
    n = merges.shape[0] + 1
    first, second = min(slots.names[a], slots.names[b]), max(slots.names[a], slots.names[b])
    merges[t, 0], merges[t, 1], merges[t, 2] = first, second, height
    slots.sizes[a] += slots.sizes[b]
    merges[t, 3] = slots.sizes[a]
    slots.names[a] = n + t
    slots.gone[b], slots.least[b] = np.inf, np.inf


@inner
def look_again(slots, a, b, row):
    """After a merge into a, with row its distances to all: put right what earlier slots know, or doubt it."""
    nearest, least = slots.nearest, slots.least
    for k in range(b):
        nearest[k] = _DOUBTFUL if nearest[k] in (a, b) else nearest[k]
    for k in range(a):
        nearer = (row[k] < least[k]) | ((row[k] == least[k]) & (a < nearest[k]))
        nearest[k] = a if nearer else nearest[k]
        least[k] = row[k] if nearer else least[k]


@inner
def know_nearest(slots, a, row, m, lanes):
    """Find the nearest slot after a, with row the distances to all, infinite where free."""
    first, last = a // TILE, (m + TILE - 1) // TILE
    for k in range(first * TILE, a + 1):
        row[k] = np.inf
    best = first_least(row, first, last, lanes)
    slots.nearest[a] = best
    slots.least[a] = row[best] if best >= 0 else np.inf


@inner
def close_up(slots, m, moved, place):
    """Move clusters into the free slots before them; gives how many there are.

    Fills in where each came from, and the new place of each slot that was not free.
    """
    alive = 0
    for k in range(m):
        if slots.gone[k] == 0.0:
            moved[alive] = k
            slots.names[alive], slots.sizes[alive] = slots.names[k], slots.sizes[k]
            slots.nearest[alive], slots.least[alive] = slots.nearest[k], slots.least[k]
            place[k] = alive
            alive += 1
    for k in range(m):
        slots.gone[k] = 0.0 if k < alive else np.inf
        if k >= alive:
            slots.least[k] = np.inf
        elif slots.nearest[k] >= 0:
            slots.nearest[k] = place[slots.nearest[k]]
    return alive


@inner
def start_of(i, m):
    """Where the row of slot i, which begins with slot i + 1, would begin if it began with slot 0."""
    return i * (2 * m - i - 1) // 2 - i - 1


@inner(fastmath=False)
def update(method, own, other, pair, a, b, sizes, row, m):  # noqa: C901 (a case for each method)
    """The distances of all slots to a and b merged, from those to each (Lance and Williams, 1967)."""
    s, r = sizes[a], sizes[b]
    if method == SINGLE:
        for k in range(m):
            row[k] = min(own[k], other[k])
    elif method == COMPLETE:
        for k in range(m):
            row[k] = max(own[k], other[k])
    elif method == AVERAGE:
        for k in range(m):
            row[k] = (s * own[k] + r * other[k]) / (s + r)
    elif method == WARD:
        for k in range(m):
            t = sizes[k]
            row[k] = ((s + t) * own[k] + (r + t) * other[k] - t * pair) / (s + r + t)
    elif method == CENTROID:
        for k in range(m):
            row[k] = (s * own[k] + r * other[k]) / (s + r) - s * r * pair / ((s + r) * (s + r))
    else:
        for k in range(m):
            row[k] = 0.5 * own[k] + 0.5 * other[k] - 0.25 * pair


@inner
def gather(pairs, a, b, m, own, other):
    """Fill in the distances of slots a and b to all others; a comes before b.

    Earlier rows have them far apart in memory. Those of free slots are read too: without a question in
    between, the processor waits for several at once.
    """
    at = -1  # where row k would begin, if it began with slot 0
    for k in range(a):
        own[k], other[k] = pairs[at + a], pairs[at + b]
        at += m - k - 2
    start = start_of(a, m)
    at = start + m - a - 2
    for k in range(a + 1, b):
        other[k] = pairs[at + b]
        at += m - k - 2
    for k in range(a + 1, m):
        own[k] = pairs[start + k]
    start = start_of(b, m)
    for k in range(b + 1, m):
        other[k] = pairs[start + k]


@inner
def scatter(pairs, a, m, row):
    """Put the distances of slot a to all others back."""
    at = -1
    for k in range(a):
        pairs[at + a] = row[k]
        at += m - k - 2
    start = start_of(a, m)
    for k in range(a + 1, m):
        pairs[start + k] = row[k]


@inner
def later_pairs(pairs, a, m, gone, row):
    """Fill in the distances of slot a to those after it, infinite where free."""
    start = start_of(a, m)
    for k in range(a + 1, m):
        row[k] = pairs[start + k] + gone[k]


@inner
def shrink(pairs, m, moved, alive):
    """Keep the pairs of slots that are alive, in the same array."""
    at = 0
    for i in range(alive):
        start = start_of(moved[i], m)
        for j in range(i + 1, alive):
            pairs[at] = pairs[start + moved[j]]
            at += 1


@jit
def merge_pairs(pairs, method, slots, merges):
    """Fill in merges; the matrix is used up."""
    n = m = merges.shape[0] + 1
    own, other, row = np.zeros(n), np.zeros(n), np.full(slots.gone.shape[0], np.inf)
    moved, place = np.empty(n, np.int64), np.empty(n, np.int64)
    lanes = Lanes(np.empty(TILE), np.empty(TILE, np.int64))
    for a in range(n):
        later_pairs(pairs, a, m, slots.gone, row)
        know_nearest(slots, a, row, m, lanes)
    t = 0
    while t < n - 1:
        a = first_least(slots.least, 0, (m + TILE - 1) // TILE, lanes)
        if slots.nearest[a] == _DOUBTFUL:
            later_pairs(pairs, a, m, slots.gone, row)
            know_nearest(slots, a, row, m, lanes)
            continue
        b, height = slots.nearest[a], slots.least[a]
        gather(pairs, a, b, m, own, other)
        update(method, own, other, height, a, b, slots.sizes, row, m)
        record(merges, t, slots, a, b, height)
        scatter(pairs, a, m, row)
        for k in range(m):
            row[k] += slots.gone[k]
        look_again(slots, a, b, row)
        know_nearest(slots, a, row, m, lanes)
        t += 1
        if 4 * (n - t) < 3 * m and m > TILE:
            alive = close_up(slots, m, moved, place)
            shrink(pairs, m, moved, alive)
            for k in range(alive, m):
                row[k] = np.inf
            m = alive


@inner
def row_of_centres(points, sizes, gone, a, method, centre, row, first, m):
    """Fill in what is between slot a and the others of every tile from `first` on, infinite where free."""
    nothing = points.codes[0, :, 0]
    size = sizes[a]
    for tile in range(first, (m + TILE - 1) // TILE):
        span = slice(tile * TILE, tile * TILE + TILE)
        totals, others, free = row[span], sizes[span], gone[span]
        totals_of(points, tile, centre, nothing, totals)
        if method == WARD:
            for r in range(TILE):
                totals[r] *= 2.0 * size * others[r] / (size + others[r])
        for r in range(TILE):
            totals[r] += free[r]


@inner
def take_centre(points, slot, centre):
    for j in range(centre.shape[0]):
        centre[j] = points.numbers[slot // TILE, j, slot % TILE]


@inner
def put_centre(points, slot, centre):
    for j in range(centre.shape[0]):
        points.numbers[slot // TILE, j, slot % TILE] = centre[j]


@inner
def midway(method, slots, a, b, centre, other):
    """Move the centre of a to that of a and b together: by their rows, or halfway for the median."""
    share = 0.5 if method == MEDIAN else slots.sizes[b] / (slots.sizes[a] + slots.sizes[b])
    for j in range(centre.shape[0]):
        centre[j] += share * (other[j] - centre[j])


@jit
def merge_centres(points, method, slots, merges):
    """Fill in merges; the points become centres, and are used up."""
    n = m = merges.shape[0] + 1
    d = points.numbers.shape[1]
    row = np.empty(points.numbers.shape[0] * TILE)
    moved, place = np.empty(n, np.int64), np.empty(n, np.int64)
    centre, other = np.empty(d), np.empty(d)
    lanes = Lanes(np.empty(TILE), np.empty(TILE, np.int64))
    for a in range(n):
        slots.nearest[a], slots.least[a] = _DOUBTFUL, 0.0 if a < n - 1 else np.inf
    t = 0
    while t < n - 1:
        a = first_least(slots.least, 0, (m + TILE - 1) // TILE, lanes)
        take_centre(points, a, centre)
        if slots.nearest[a] == _DOUBTFUL:
            row_of_centres(points, slots.sizes, slots.gone, a, method, centre, row, a // TILE, m)
            know_nearest(slots, a, row, m, lanes)
            continue
        b, height = slots.nearest[a], slots.least[a]
        take_centre(points, b, other)
        midway(method, slots, a, b, centre, other)
        put_centre(points, a, centre)
        record(merges, t, slots, a, b, height)
        row_of_centres(points, slots.sizes, slots.gone, a, method, centre, row, 0, m)
        look_again(slots, a, b, row)
        know_nearest(slots, a, row, m, lanes)
        t += 1
        if 4 * (n - t) < 3 * m and m > TILE:
            m = close_up(slots, m, moved, place)
            for k in range(m):
                take_centre(points, moved[k], centre)
                put_centre(points, k, centre)


@inner
def nearer_through(totals, row, origin, first, last, current):
    """Where the newest row of the tree is nearer than what was, note it."""
    for r in range(last - first):
        near = totals[r] < row[first + r]
        row[first + r] = totals[r] if near else row[first + r]
        origin[first + r] = current if near else origin[first + r]


@jit
def span(points, numbers, codes, edges, totals):
    """A minimum spanning tree: fill in edges, int64 (n - 1, 2), and their totals (Prim, 1957).

    The tree grows from row 0 by the nearest row outside; those outside stand together, and each knows how
    far it is from the tree, and from which row of it.
    """
    n = m = points.n
    outside, origin = np.arange(n), np.zeros(n, np.int64)
    far, of_tile = np.full(points.numbers.shape[0] * TILE, np.inf), np.empty(TILE)
    lanes = Lanes(np.empty(TILE), np.empty(TILE, np.int64))
    current, slot = 0, 0
    for t in range(n - 1):
        m -= 1  # the last takes the place of the row that joined
        outside[slot], origin[slot], far[slot] = outside[m], origin[m], far[m]
        far[m] = np.inf
        for j in range(numbers.shape[1]):
            points.numbers[slot // TILE, j, slot % TILE] = points.numbers[m // TILE, j, m % TILE]
        for j in range(codes.shape[1]):
            points.codes[slot // TILE, j, slot % TILE] = points.codes[m // TILE, j, m % TILE]
        for tile in range((m + TILE - 1) // TILE):
            first, last = tile * TILE, min(m, tile * TILE + TILE)
            totals_of(points, tile, numbers[current], codes[current], of_tile)
            nearer_through(of_tile, far, origin, first, last, current)
        slot = first_least(far, 0, (m + TILE - 1) // TILE, lanes)
        current = outside[slot]
        edges[t, 0], edges[t, 1], totals[t] = origin[slot], current, far[slot]
