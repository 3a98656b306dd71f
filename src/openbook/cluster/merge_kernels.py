r"""Kernels that merge clusters: of a matrix, of centres, and along a minimum spanning tree.

The first two merge the nearest pair again and again, of equally near ones the one whose clusters begin with
the earliest rows. Every cluster knows the nearest of those after it, and how far that is (Anderberg, 1973;
Müllner, 2011): after a merge, what is known of a cluster whose nearest was merged is a lower bound only, and
is put right when that bound comes up as the smallest. So most merges look at a few rows of the matrix.

Loops run over slices from 0 on: an index that might be negative, as far as the compiler can tell, would count
from the end, and that question for every cell keeps it from taking several cells at once.

    slot      the position of a cluster, in the order of first rows; a merged cluster takes the earlier one.
              Slots that are free are closed up when they are a quarter of all
    pairs     float64 (m (m - 1) / 2,), condensed: slot 0 to all later ones, then slot 1, …
    columns   float64 (d, at least m), the centres of the slots, one column of cells after the other
    merges    float64 (n - 1, 4): two clusters, the height, the rows; rows are clusters 0 to n - 1, and
              merge t makes cluster n + t, as in scipy

The heights of `merge_pairs` by Ward, centroid and median, and all of `merge_centres`, are squares.
"""

from typing import NamedTuple

import numpy as np

from openbook.cluster.dbscan_kernels import root_of
from openbook.kernels.jit import inner, jit
from openbook.spaces.points import add_squares, tile_totals
from openbook.spaces.tiles import TILE

#: In the order of `linkage.METHODS`.
SINGLE, COMPLETE, AVERAGE, WEIGHTED, WARD, CENTROID, MEDIAN = range(7)

#: What stands for the nearest of a slot where all that is known is a bound.
_DOUBTFUL = -1
#: Cells that are summed together, and stay in the fastest cache meanwhile; cells compared side by side.
_BLOCK, _LOWS = 512, 32


class Slots(NamedTuple):
    """Clusters by slot: weight, number as in `merges`, the nearest later slot, and how far it is at least."""

    sizes: np.ndarray
    names: np.ndarray
    nearest: np.ndarray
    least: np.ndarray
    gone: np.ndarray  # infinity where the slot is free, else 0

    @classmethod
    def of(cls, n, weights=None):
        sizes = np.ones(n) if weights is None else np.array(weights, dtype=float)
        return cls(sizes, np.arange(n), np.zeros(n, np.int64), np.full(n, np.inf), np.zeros(n))


@inner
def first_least(values, first, last, lows):
    """The first of the smallest values from `first` to before `last`, or -1 if all are infinite.

    Values are compared side by side: `lows` is a buffer for the least of those that are its length apart.
    """
    step = lows.shape[0]
    for r in range(step):
        lows[r] = np.inf
    for start in range(first, last, step):
        part = values[start : min(start + step, last)]
        for r in range(part.shape[0]):
            lows[r] = min(lows[r], part[r])
    least, best = np.inf, last
    for r in range(step):
        least = min(least, lows[r])
    for r in range(step):
        if lows[r] == least < np.inf:
            k = first + r
            while values[k] != least:
                k += step
            best = min(best, k)
    return best if best < last else -1


@inner
def merged_rows(merges, cluster):
    """How many rows a cluster has."""
    n = merges.shape[0] + 1
    return 1.0 if cluster < n else merges[cluster - n, 3]


@inner
def record(merges, t, first, second, height):
    """Write down a merge of two clusters."""
    merges[t, 0], merges[t, 1], merges[t, 2] = min(first, second), max(first, second), height
    merges[t, 3] = merged_rows(merges, first) + merged_rows(merges, second)


@inner
def join_nearest(merges, t, slots, a, b, height):
    """Write down the merge of slots a and b, and leave b free."""
    record(merges, t, slots.names[a], slots.names[b], height)
    slots.sizes[a] += slots.sizes[b]
    slots.names[a] = merges.shape[0] + 1 + t
    slots.gone[b], slots.least[b] = np.inf, np.inf


@inner
def doubt(slots, a, b):
    """After the merge of a and b, mark earlier slots whose nearest slot was one of them."""
    nearest = slots.nearest
    for k in range(b):
        nearest[k] = _DOUBTFUL if nearest[k] in (a, b) else nearest[k]


@inner
def draw_nearer(slots, a, row):
    """Update earlier slots that are nearer to a than to their nearest so far; row has the distances of a."""
    nearest, least = slots.nearest, slots.least
    for k in range(a):
        nearer = (row[k] < least[k]) | ((row[k] == least[k]) & (a < nearest[k]))
        nearest[k] = a if nearer else nearest[k]
        least[k] = row[k] if nearer else least[k]


@inner
def know_nearest(slots, a, row, m, lows):
    """Find the nearest slot after a, with row the distances to these, infinite where free."""
    best = first_least(row, a + 1, m, lows)
    slots.nearest[a] = best
    slots.least[a] = row[best] if best >= 0 else np.inf


@inner
def close_up(slots, m, moved, position):
    """Move clusters into the free slots before them; gives how many there are.

    Fills in where each came from, and the new position of each slot that was not free.
    """
    alive = 0
    for k in range(m):
        if slots.gone[k] == 0.0:
            moved[alive] = k
            slots.names[alive], slots.sizes[alive] = slots.names[k], slots.sizes[k]
            slots.nearest[alive], slots.least[alive] = slots.nearest[k], slots.least[k]
            position[k] = alive
            alive += 1
    for k in range(m):
        slots.gone[k] = 0.0 if k < alive else np.inf
        if k >= alive:
            slots.least[k] = np.inf
        elif slots.nearest[k] >= 0:
            slots.nearest[k] = position[slots.nearest[k]]
    return alive


@inner
def start_of(i, m):
    """Where the row of slot i begins, with slot i + 1."""
    return i * (2 * m - i - 1) // 2


@inner(fastmath=False)
def update(method, own, other, pair, a, b, sizes, row, m):  # noqa: C901, PLR0912 (a case for each method)
    """The distances of all slots to a and b merged, from those to each (Lance and Williams, 1967)."""
    s, r = sizes[a], sizes[b]
    if method == SINGLE:
        for k in range(m):
            row[k] = min(own[k], other[k])
    elif method == COMPLETE:
        for k in range(m):
            row[k] = max(own[k], other[k])
    elif method in (AVERAGE, WEIGHTED):
        if method == WEIGHTED:  # whatever the sizes
            s, r = 1.0, 1.0
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
def later_pairs(pairs, a, m, row):
    """Fill in the distances of slot a to those after it."""
    start = start_of(a, m)
    found, later = pairs[start : start + m - a - 1], row[a + 1 : m]
    for k in range(found.shape[0]):
        later[k] = found[k]


@inner
def gather_pairs(pairs, a, b, m, own, other):
    """Fill in the distances of slots a and b to all others; a comes before b.

    Earlier rows have them far apart in memory. Those of free slots are read too: without a question in
    between, the processor waits for several at once.
    """
    at = -1  # where row k would begin, if it began with slot 0
    for k in range(a):
        own[k], other[k] = pairs[at + a], pairs[at + b]
        at += m - k - 2
    at += m - a - 2
    for k in range(a + 1, b):
        other[k] = pairs[at + b]
        at += m - k - 2
    later_pairs(pairs, a, m, own)
    later_pairs(pairs, b, m, other)


@inner
def scatter(pairs, a, m, row):
    """Put the distances of slot a to all others back."""
    at = -1
    for k in range(a):
        pairs[at + a] = row[k]
        at += m - k - 2
    start = start_of(a, m)
    later, found = pairs[start : start + m - a - 1], row[a + 1 : m]
    for k in range(found.shape[0]):
        later[k] = found[k]


@inner
def leave_out(gone, row, first, m):
    """What is between a cluster and a free slot is infinite."""
    free, values = gone[first:m], row[first:m]
    for k in range(values.shape[0]):
        values[k] += free[k]


@inner
def shrink(pairs, m, moved, alive):
    """Keep the pairs of slots that are alive, in the same array."""
    at = 0
    for i in range(alive):
        start = start_of(moved[i], m) - moved[i] - 1
        for j in range(i + 1, alive):
            pairs[at] = pairs[start + moved[j]]
            at += 1


@jit
def merge_pairs(pairs, method, slots, merges):
    """Fill in merges; the matrix is used up."""
    n = m = merges.shape[0] + 1
    own, other, row = np.zeros(n), np.zeros(n), np.empty(n)
    lows = np.empty(_LOWS)
    moved, position = np.empty(n, np.int64), np.empty(n, np.int64)
    for a in range(n):
        later_pairs(pairs, a, m, row)
        know_nearest(slots, a, row, m, lows)
    t = 0
    while t < n - 1:
        a = first_least(slots.least, 0, m, lows)
        if slots.nearest[a] == _DOUBTFUL:
            later_pairs(pairs, a, m, row)
            leave_out(slots.gone, row, a + 1, m)
            know_nearest(slots, a, row, m, lows)
            continue
        b, height = slots.nearest[a], slots.least[a]
        gather_pairs(pairs, a, b, m, own, other)
        update(method, own, other, height, a, b, slots.sizes, row, m)
        join_nearest(merges, t, slots, a, b, height)
        scatter(pairs, a, m, row)
        leave_out(slots.gone, row, 0, m)
        doubt(slots, a, b)
        draw_nearer(slots, a, row)
        know_nearest(slots, a, row, m, lows)
        t += 1
        if 4 * (n - t) < 3 * m:
            alive = close_up(slots, m, moved, position)
            shrink(pairs, m, moved, alive)
            m = alive


@inner
def row_of_centres(columns, slots, a, method, centre, row, first, m):
    """Fill in the distances of slot a to the others from `first` on, infinite where free."""
    size = slots.sizes[a]
    for start in range(first, m, _BLOCK):
        stop = min(start + _BLOCK, m)
        totals, others = row[start:stop], slots.sizes[start:stop]
        for k in range(totals.shape[0]):
            totals[k] = 0.0
        add_squares(columns, start, stop - start, centre, totals)
        if method == WARD:
            for k in range(totals.shape[0]):
                totals[k] *= 2.0 * size * others[k] / (size + others[k])
    leave_out(slots.gone, row, first, m)


@inner
def midway(method, sizes, a, b, columns, centre):
    """Move the centre of a to that of a and b together: by their rows, or halfway for the median."""
    share = 0.5 if method == MEDIAN else sizes[b] / (sizes[a] + sizes[b])
    for j in range(centre.shape[0]):
        columns[j, a] += share * (columns[j, b] - columns[j, a])
        centre[j] = columns[j, a]


@jit
def merge_centres(columns, method, slots, merges):
    """Fill in merges; the centres are used up.

    By Ward, two merged clusters are no nearer to a third than the nearer of them was. So earlier slots are
    not looked at: the merged cluster is no nearer to any of them than the nearest it knows.
    """
    n = m = merges.shape[0] + 1
    row, centre, lows = np.empty(n), np.empty(columns.shape[0]), np.empty(_LOWS)
    moved, position = np.empty(n, np.int64), np.empty(n, np.int64)
    for a in range(n):
        slots.nearest[a], slots.least[a] = _DOUBTFUL, 0.0 if a < n - 1 else np.inf
    t = 0
    while t < n - 1:
        a = first_least(slots.least, 0, m, lows)
        if slots.nearest[a] == _DOUBTFUL:
            for j in range(columns.shape[0]):
                centre[j] = columns[j, a]
            row_of_centres(columns, slots, a, method, centre, row, a + 1, m)
            know_nearest(slots, a, row, m, lows)
            continue
        b, height = slots.nearest[a], slots.least[a]
        midway(method, slots.sizes, a, b, columns, centre)
        join_nearest(merges, t, slots, a, b, height)
        row_of_centres(columns, slots, a, method, centre, row, a + 1 if method == WARD else 0, m)
        doubt(slots, a, b)
        if method != WARD:
            draw_nearer(slots, a, row)
        know_nearest(slots, a, row, m, lows)
        t += 1
        if 4 * (n - t) < 3 * m:
            m = close_up(slots, m, moved, position)
            for j in range(columns.shape[0]):
                for k in range(m):
                    columns[j, k] = columns[j, moved[k]]


@inner
def nearer_through(totals, row, origin, first, last, current):
    """Update the distance to the tree where its newest row is nearer."""
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
    far, of_tile, lows = np.full(points.numbers.shape[0] * TILE, np.inf), np.empty(TILE), np.empty(_LOWS)
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
            tile_totals(points, tile, numbers[current], codes[current], of_tile)
            nearer_through(of_tile, far, origin, first, last, current)
        slot = first_least(far, 0, m, lows)
        current = outside[slot]
        edges[t, 0], edges[t, 1], totals[t] = origin[slot], current, far[slot]


@jit
def merge_along(edges, heights, merges):
    """Fill in the merges along edges between rows, in order of height."""
    n = merges.shape[0] + 1
    parents, names = np.arange(n), np.arange(n)
    for t in range(n - 1):
        a, b = root_of(parents, edges[t, 0]), root_of(parents, edges[t, 1])
        record(merges, t, names[a], names[b], heights[t])
        parents[b], names[a] = a, n + t


@jit
def label_leaves(merges, kept, labels):
    """Fill in the cluster of each leaf, by the merges that are kept; numbered in the order of first rows."""
    n = labels.shape[0]
    top, number, found = np.arange(2 * n - 1), np.full(2 * n - 1, -1), 0
    for t in range(n - 2, -1, -1):
        if kept[t]:
            top[np.intp(merges[t, 0])] = top[np.intp(merges[t, 1])] = top[n + t]
    for i in range(n):
        if number[top[i]] < 0:
            number[top[i]] = found
            found += 1
        labels[i] = number[top[i]]
