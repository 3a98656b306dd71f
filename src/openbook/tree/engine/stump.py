"""Many stumps of two classes from the same rows: the exact best cut of every column, found by bins.

The score of a cut is convex in the weights of the two classes on its left (see `two_classes`). So no cut
inside a bin scores higher than the best of four corners, which follow from the weights of the bin. Counting
the bins of a column takes one pass over the rows in their own order; only bins with a corner above the best
cut between bins are searched row by row, in sorted order. Of equals the first wins, as everywhere (see
`split`).

Few bins are ever searched, and the same ones again and again. So columns are sorted once to find the bins,
and then only the bin of each row is kept. The rows of a bin are sorted when it is searched for the first
time, together with the other bins that the column needs then, and their keys are kept: the bin is open.

Columns are numeric or ordinal, without missing cells; rows have weights above zero. Everything else is grown
by `grow`, which is also the twin: it grows the same stumps up to rounding.
"""

import math
from mmap import mmap
from typing import NamedTuple

import numpy as np

from openbook.border.learner import most_probable
from openbook.data import Nominal, Ordinal, SparseTable
from openbook.kernels.bundle import bundle
from openbook.kernels.jit import exact, jit
from openbook.tree.engine.criteria import GINI
from openbook.tree.engine.grower import Candidates
from openbook.tree.engine.keys import CLASS, CLASS_BIT, FIRST, MOST_ROWS, ROW, sort_rows
from openbook.tree.engine.nodes import LEAF, SPREAD, Tree
from openbook.tree.engine.scales import midpoint
from openbook.tree.engine.split import ROUNDING, Instances
from openbook.tree.engine.two_classes import (
    allowed,
    best_inside,
    cut_score,
    drop_of_score,
    may_hold_better_cut,
    scores_above,
)

#: A column has about this many bins, times the square root of the rows: then few bins of a column of noise
#: have to be searched. More bins are slower to count, fewer leave more rows to search.
BINS, LEAST_BINS, MOST_BINS = 6, 64, 16384

#: So many rows are counted together.
ROWS = 8192

#: So many neighbouring bins are opened together; a divisor of the number of bins.
TOGETHER = 8

#: A bin that is not open; one that a search needs; one of a single number, never opened.
CLOSED, NEEDED, SINGLE = -1, -2, -3
#: The bin of a column without a cut.
NO_CUT = -1
#: Gini needs no logarithms of whole numbers.
NO_LOGS = np.empty(0)


@bundle
class Presorted(NamedTuple):
    """Rows in the bins of every column, and in order within the bins that were opened.

    codes : uint16 (n_columns, n_rows), twice the bin, plus the class, of each row
    n_bins : int32 (n_columns,)
    sizes : int32 (n_columns, most bins), the rows of each bin
    edges : uint32 (n_columns, most bins, 2), rows with the least and the greatest number in each bin
    opened : int64 (n_columns, most bins), where the keys of a bin begin; or SINGLE, CLOSED or NEEDED
    keys : uint32 (n_columns * n_rows,), see `keys`; mapped, so that only those written take memory
    n_keys : int64 (1,), how many are written
    counts : float64 (n_columns, 2 most bins), a buffer for the weight of each code
    """

    codes: np.ndarray
    n_bins: np.ndarray
    sizes: np.ndarray
    edges: np.ndarray
    opened: np.ndarray
    keys: np.ndarray
    n_keys: np.ndarray
    counts: np.ndarray


#: The best cut of a column: its drop; its bin, or NO_CUT, or NEEDED if bins have to be opened first; how
#: many rows of this bin it takes to its left; the rows next to it on both sides.
CUT = np.dtype([("drop", np.float64), *((name, np.int64) for name in ("bin", "taken", "below", "above"))])


class Stump(NamedTuple):
    """A tree of one test, the candidates for it, and the predicted class of each row."""

    tree: Tree
    candidates: Candidates
    decisions: np.ndarray


def presort(X, y):
    """The rows of a table, of two classes, in bins for many stumps; None if `grow` has to grow them."""
    n_rows, n_columns, most = len(y), len(X.schema), most_bins(len(y))
    if n_rows > MOST_ROWS or isinstance(X, SparseTable) or X.schema.of(Nominal):
        return None
    presorted = Presorted(
        codes=np.empty((n_columns, n_rows), np.uint16),
        n_bins=np.zeros(n_columns, np.int32),
        sizes=np.zeros((n_columns, most), np.int32),
        edges=np.zeros((n_columns, most, 2), np.uint32),
        opened=np.full((n_columns, most), SINGLE),
        keys=np.frombuffer(mmap(-1, 4 * n_columns * n_rows), np.uint32),
        n_keys=np.zeros(1, np.int64),
        counts=np.empty((n_columns, 2 * most)),
    )
    keys, buffer = np.empty(n_rows, np.uint32), np.empty((2, n_rows), np.uint64)
    for f, (attribute, column) in enumerate(zip(X.schema, X.columns, strict=True)):
        numbers = np.ascontiguousarray(column, dtype=float)
        if np.isnan(numbers).any() or (isinstance(attribute, Ordinal) and numbers.min() < 0):
            return None
        distinct = sort_rows(numbers, keys, buffer)
        put_in_bins(presorted, f, keys, y, distinct)
    return presorted


def most_bins(n_rows):
    """The largest number of bins of a column: a power of two."""
    wanted = 2 ** round(math.log2(BINS * math.sqrt(n_rows)))
    return min(max(wanted, LEAST_BINS), MOST_BINS)


@jit(_nrt=False)
def put_in_bins(presorted, f, keys, y, distinct):
    """Divide the rows of column f into bins: one for each distinct number, or of about equal size."""
    codes, sizes = presorted.codes[f], presorted.sizes[f]
    edges, opened = presorted.edges[f], presorted.opened[f]
    n, k, begin, numbers, most = keys.size, 0, 0, 0, sizes.size
    for p in range(n):
        row = np.uintp(keys[p] & ROW)
        codes[row] = 2 * k
        numbers += 1 if keys[p] & FIRST else 0
        is_last = p + 1 == n or keys[p + 1] & FIRST != 0
        if is_last and (distinct <= most or (p + 1) * most >= (k + 1) * n):
            sizes[k], opened[k] = p + 1 - begin, CLOSED if numbers > 1 else SINGLE
            edges[k, 0], edges[k, 1] = keys[begin] & ROW, row
            k, begin, numbers = k + 1, p + 1, 0
    for i in range(n):  # row by row, which is faster than in the order of the column
        codes[i] += np.uint16(y[i])
    presorted.n_bins[f] = k


def open_bins(presorted, f, column):
    """Sort the needed bins of column f, and their neighbours, which are often needed soon."""
    begin, rows = int(presorted.n_keys[0]), np.empty(presorted.codes.shape[1], np.uint32)
    rows = rows[: collect(presorted, f, rows)]
    keys = presorted.keys[begin : begin + len(rows)]
    sort_rows(column[rows & ROW].astype(float), keys, np.empty((2, len(rows)), np.uint64))
    keys[:] = keys & FIRST | rows[keys & ROW]


@jit(_nrt=False)
def collect(presorted, f, rows):
    """Fill in the rows of the bins to open, with their class as in keys, and where the keys of each will
    begin; gives how many rows there are.
    """
    codes, sizes, opened = presorted.codes[f], presorted.sizes[f], presorted.opened[f]
    for k in range(presorted.n_bins[f]):
        if opened[k] == NEEDED:
            for near in range(k - k % TOGETHER, k - k % TOGETHER + TOGETHER):
                opened[near] = NEEDED if opened[near] == CLOSED else opened[near]
    begin = end = presorted.n_keys[0]
    for k in range(presorted.n_bins[f]):
        if opened[k] == NEEDED:
            opened[k] = end
            end += sizes[k]
    presorted.n_keys[0] = end
    n = 0
    for i in range(codes.size):
        code = codes[i]
        if opened[np.uintp(code >> 1)] >= begin:
            rows[n] = np.uint32(i) | np.uint32(code & 1) << CLASS_BIT
            n += 1
    return n


def best_stump(presorted, X, w, least, min_gain, spreads):
    """The stump of these weights, or None where no cut gains enough.

    least : the weight that both sides of a cut must have
    spreads : whether missing cells are divided between both branches, else they go down the heavier
    """
    n_columns = len(presorted.codes)
    cuts, sides = np.zeros(n_columns, CUT), np.zeros((n_columns, 3, 2))
    count(presorted, w)
    columns = np.arange(n_columns)
    while len(columns):  # twice at most: then every needed bin is open
        best_cuts(presorted, columns, Instances(None, None, w, False, NO_LOGS), least, cuts, sides)
        columns = np.flatnonzero(cuts["bin"] == NEEDED)
        for f in columns:
            open_bins(presorted, f, X.columns[f])
    is_cut = cuts["bin"] != NO_CUT
    gain = np.where(is_cut, cuts["drop"] / sides.sum(axis=(1, 2)), np.nan)
    f = _chosen(gain, max(min_gain, ROUNDING))
    if f < 0:
        return None
    value = np.array([sides[f].sum(axis=0), *sides[f, :2]])
    decisions = _decided(presorted, f, cuts[f], *most_probable(value[1:]).tolist())
    thresholds = np.full(n_columns, np.nan)
    thresholds[is_cut] = midpoint(*_neighbours(X.columns, cuts, np.flatnonzero(is_cut)))
    tree = Tree(
        attribute=np.array([f, LEAF, LEAF], np.int32),
        cut=np.array([thresholds[f], np.nan, np.nan]),
        first=np.array([1, 0, 0], np.int32),
        branches=np.array([2, 0, 0], np.int32),
        missing=np.array([SPREAD if spreads else value[1:].sum(axis=1).argmax(), SPREAD, SPREAD], np.int32),
        route=np.full(3, -1, np.int32),
        routes=np.zeros(0, np.int32),
        weight=value.sum(axis=1),
        value=value,
        gain=np.array([gain[f], 0.0, 0.0]),
    )
    candidates = Candidates(
        node=np.zeros(1, np.int64),
        gain=gain[None],
        info=np.zeros((1, n_columns)),
        cut=thresholds[None],
        counted=~np.isnan(gain)[None],
        stats=sides.reshape(1, -1, 2),
    )
    return Stump(tree, candidates, decisions)


def _chosen(gain, enough):
    """The first column that gains more than those before it, and enough; -1 for none."""
    best, top = -1, 0.0
    for f, g in enumerate(gain.tolist()):
        if g > enough and g > top + ROUNDING:
            best, top = f, g
    return best


def _neighbours(columns, cuts, which):
    """The numbers next to the cuts of these columns, below and above."""
    rows = zip(which.tolist(), cuts["below"][which].tolist(), cuts["above"][which].tolist(), strict=True)
    return np.array([[float(columns[f][row]) for row in two] for f, *two in rows]).T


def _decided(presorted, f, cut, below, above):
    """The class of each row, by its bin and, in the cut's own bin, by its key."""
    k, taken = int(cut["bin"]), int(cut["taken"])
    begin = int(presorted.opened[f, k])
    is_above = presorted.codes[f] > 2 * k + 1
    is_above[presorted.keys[begin + taken : begin + presorted.sizes[f, k]] & ROW] = True
    return below + (above - below) * is_above.view(np.int8)  # np.where takes many times as long


@jit(_nrt=False)
def count(presorted, w):
    """Fill in the weight of each class in each bin of every column, a block of rows at a time, whose weights
    stay in the cache.
    """
    all_counts, all_codes, n_bins = presorted.counts, presorted.codes, presorted.n_bins
    for f in range(n_bins.size):
        for k in range(2 * n_bins[f]):
            all_counts[f, k] = 0.0
    for start in range(0, w.size, ROWS):
        some = w[start : start + ROWS]
        for f in range(n_bins.size):
            counts, codes = all_counts[f], all_codes[f, start : start + ROWS]
            for i in range(some.size):
                counts[np.uintp(codes[i])] += some[i]


@jit(_nrt=False)
def best_cuts(presorted, columns, instances, least, cuts, sides):
    """Fill in the best cut of each of these columns, and the weights of both classes below and above it.

    columns : int64, these; cuts : CUT (n_columns,)
    sides : float64 (n_columns, 3, 2), zeros; the third side is for missing cells, and there are none
    """
    for i in range(columns.size):
        f = columns[i]
        search_bins(presorted, f, instances, least, cuts[f])
        if cuts[f].bin != NEEDED:
            add_sides(presorted, f, instances.w, cuts[f], sides[f])
        if cuts[f].bin >= 0:
            find_rows(presorted, f, cuts[f])


@exact
def totals_of(counts, n_bins):
    """The weight of the second class, and of both."""
    first, second = 0.0, 0.0
    for k in range(n_bins):
        first, second = first + counts[2 * k], second + counts[2 * k + 1]
    return second, first + second


@exact
def best_between(counts, n_bins, totals, least, xlogx):
    """The score of the best cut between bins."""
    best, second, left = 0.0, 0.0, 0.0
    for k in range(n_bins - 1):
        second, left = second + counts[2 * k + 1], left + counts[2 * k] + counts[2 * k + 1]
        if allowed(left, totals, least) and scores_above(second, left, totals, best, GINI, xlogx):
            best = cut_score(second, left, totals, GINI, xlogx)
    return best


@exact
def search_bins(presorted, f, instances, least, cut):
    """Fill in the best cut of column f, or mark which of its bins have to be opened first."""
    counts, n_bins, xlogx = presorted.counts[f], presorted.n_bins[f], instances.xlogx
    sizes, opened, keys = presorted.sizes[f], presorted.opened[f], presorted.keys
    totals = totals_of(counts, n_bins)
    rounding = ROUNDING * totals[1] * totals[1] / 2  # in the score of a cut
    enough = best_between(counts, n_bins, totals, least, xlogx) - 2 * rounding  # an earlier equal would win
    bar, cut.bin, waits = rounding, NO_CUT, False
    second, left = 0.0, 0.0
    for k in range(n_bins):
        of_bin, size = counts[2 * k + 1], counts[2 * k] + counts[2 * k + 1]
        if opened[k] != SINGLE and may_hold_better_cut(
            second, left, of_bin, size, totals, enough, GINI, xlogx
        ):
            if opened[k] < 0:
                opened[k], waits = NEEDED, True
            elif not waits:
                inside, before = keys[opened[k] : opened[k] + sizes[k]], (second, left)
                _, (bar, last, _) = best_inside(
                    inside, instances, before, totals, (bar, rounding), least, GINI
                )
                if last >= 0:
                    cut.bin, cut.taken = k, last + 1
        second, left = second + of_bin, left + size
        is_cut = k < n_bins - 1 and allowed(left, totals, least)
        if is_cut and scores_above(second, left, totals, bar, GINI, xlogx):
            bar, cut.bin, cut.taken = cut_score(second, left, totals, GINI, xlogx) + rounding, k, sizes[k]
    cut.drop = drop_of_score(bar - rounding, totals, GINI)
    if waits:
        cut.bin = NEEDED


@exact
def add_sides(presorted, f, w, cut, sides):
    """Add the bins of column f below and above a cut, and the rows of the bin that the cut divides."""
    counts, sizes, opened, keys = presorted.counts[f], presorted.sizes[f], presorted.opened[f], presorted.keys
    for k in range(presorted.n_bins[f]):
        if k == cut.bin and cut.taken < sizes[k]:
            for p in range(sizes[k]):
                key = keys[opened[k] + p]
                sides[np.intp(p >= cut.taken), 1 if key & CLASS else 0] += w[np.uintp(key & ROW)]
        else:
            side = np.intp(k > cut.bin)
            sides[side, 0] += counts[2 * k]
            sides[side, 1] += counts[2 * k + 1]


@exact
def find_rows(presorted, f, cut):
    """Fill in the rows next to the cut of column f: in its bin, or where this and the next one meet."""
    k, keys = cut.bin, presorted.keys
    if cut.taken < presorted.sizes[f, k]:
        above = presorted.opened[f, k] + cut.taken
        cut.below, cut.above = keys[above - 1] & ROW, keys[above] & ROW
    else:
        cut.below, cut.above = presorted.edges[f, k, 1], presorted.edges[f, k + 1, 0]
