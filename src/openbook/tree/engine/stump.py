"""Stumps of two classes, many from the same rows: the exact best cut of every column at a glance at its bins.

Bins are to a column what blocks of keys are in `two_classes`: what a cut is worth is convex in the weights
of the two classes on its left, so none inside a bin is worth more than one of the four corners between which
they grow there. Counting the bins of a column takes one pass over its rows in the order that they come in;
only the bins with a corner above the best cut between bins are gone through row by row, in sorted order. Of
equals the first wins, as everywhere (see `split`).

Few bins are ever gone through, and those again and again. So columns are sorted once to find the bins, and
then only which row is in which bin is kept. A bin is opened when it is wanted for the first time: all that a
column wants at a time are sorted together, and their keys stay.

Columns are numeric or ordinal, without missing cells; rows have weights above zero. Everything else is for
the growing engine, which is also the twin: it grows the same stumps, rounding aside.
"""

import math
from mmap import mmap
from typing import NamedTuple

import numpy as np

from openbook.border.learner import most_probable
from openbook.data import Nominal, Ordinal, SparseTable
from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner, jit
from openbook.tree.engine.columns import midpoint
from openbook.tree.engine.criteria import GINI
from openbook.tree.engine.grower import Candidates
from openbook.tree.engine.keys import CLASS, CLASS_BIT, FIRST, MOST_ROWS, ROW, sort_rows
from openbook.tree.engine.nodes import LEAF, SPREAD, Tree
from openbook.tree.engine.split import ROUNDING, Instances
from openbook.tree.engine.two_classes import allowed, best_inside, cut_beats, drop_of, may_hide, worth

#: About so many bins has a column, times the square root of the rows: then what a bin may hide keeps step
#: with what chance does in a column of noise. More are slower to count, fewer to go through.
BINS, LEAST_BINS, MOST_BINS = 6, 64, 16384

#: So many rows are counted together.
ROWS = 8192

#: Bins are opened so many together, neighbours of each other; a divisor of how many there are.
NEAR = 8

#: A bin that is not open; one that a search has to go through first; one of a single number, never opened.
CLOSED, WANTED, SINGLE = -1, -2, -3
#: The bin of a cut that there is not.
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
    opened : int64 (n_columns, most bins), where in the keys a bin begins; SINGLE, CLOSED or WANTED if nowhere
    keys : uint32 (n_columns * n_rows,), see `keys`; mapped, so that only those written take memory
    n_keys : int64 (1,), how many are written
    counts : float64 (n_columns, 2 most bins), room for the weight of each code
    """

    codes: np.ndarray
    n_bins: np.ndarray
    sizes: np.ndarray
    edges: np.ndarray
    opened: np.ndarray
    keys: np.ndarray
    n_keys: np.ndarray
    counts: np.ndarray


#: The best cut of a column: its drop; its bin, or NO_CUT, or WANTED where bins have to be opened first; how
#: many rows of this bin it takes to its left; the rows next to it on both sides.
CUT = np.dtype([("drop", np.float64), *((name, np.int64) for name in ("bin", "taken", "below", "above"))])


class Stump(NamedTuple):
    """A tree of one test, the candidates for it, and the class that it decides for, row by row."""

    tree: Tree
    candidates: Candidates
    decisions: np.ndarray


def presort(X, y):
    """The rows of a table, two classes, for many stumps; None where stumps need the engine."""
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
    keys, room = np.empty(n_rows, np.uint32), np.empty((2, n_rows), np.uint64)
    for f, (attribute, column) in enumerate(zip(X.schema, X.columns, strict=True)):
        numbers = np.ascontiguousarray(column, dtype=float)
        if np.isnan(numbers).any() or (isinstance(attribute, Ordinal) and numbers.min() < 0):
            return None
        distinct = sort_rows(numbers, keys, room)
        put_in_bins(presorted, f, keys, y, distinct)
    return presorted


def most_bins(n_rows):
    """The most bins of a column: a power of two."""
    wanted = 2 ** round(math.log2(BINS * math.sqrt(n_rows)))
    return min(max(wanted, LEAST_BINS), MOST_BINS)


@jit(_nrt=False)
def put_in_bins(presorted, f, keys, y, distinct):
    """Share out the rows of column f over bins: one for each distinct number, or of about equal size."""
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
    for i in range(n):  # in the order that they come in, which is quicker than in that of the column
        codes[i] += np.uint16(y[i])
    presorted.n_bins[f] = k


def open_bins(presorted, f, column):
    """Add the keys of the wanted bins of column f, and of those near them, which are often wanted soon."""
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
        if opened[k] == WANTED:
            for near in range(k - k % NEAR, k - k % NEAR + NEAR):
                opened[near] = WANTED if opened[near] == CLOSED else opened[near]
    begin = end = presorted.n_keys[0]
    for k in range(presorted.n_bins[f]):
        if opened[k] == WANTED:
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
    spreads : whether missing cells go down both branches, else down the heavier
    """
    n_columns = len(presorted.codes)
    cuts, sides = np.zeros(n_columns, CUT), np.zeros((n_columns, 3, 2))
    count(presorted, w)
    columns = np.arange(n_columns)
    while len(columns):  # twice at most, as then all that is wanted is open
        best_cuts(presorted, columns, Instances(None, None, w, False, NO_LOGS), least, cuts, sides)
        columns = np.flatnonzero(cuts["bin"] == WANTED)
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
    thresholds[is_cut] = midpoint(*_beside(X.columns, cuts, np.flatnonzero(is_cut)))
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


def _beside(columns, cuts, which):
    """The numbers next to the cuts of these columns, below and above."""
    rows = zip(which.tolist(), cuts["below"][which].tolist(), cuts["above"][which].tolist(), strict=True)
    return np.array([[float(columns[f][row]) for row in beside] for f, *beside in rows]).T


def _decided(presorted, f, cut, below, above):
    """The class of each row, by its bin and, in the cut's own bin, by its key."""
    k, taken = int(cut["bin"]), int(cut["taken"])
    begin = int(presorted.opened[f, k])
    is_above = presorted.codes[f] > 2 * k + 1
    is_above[presorted.keys[begin + taken : begin + presorted.sizes[f, k]] & ROW] = True
    return below + (above - below) * is_above.view(np.int8)  # np.where takes many times as long


@jit(_nrt=False)
def count(presorted, w):
    """Fill in the weight of each class in each bin of every column, some rows at a time: their weights stay
    in the cache from column to column.
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
        search_columns(presorted, f, instances, least, cuts[f])
        if cuts[f].bin != WANTED:
            sum_up(presorted, f, instances.w, cuts[f], sides[f])
        if cuts[f].bin >= 0:
            find_rows(presorted, f, cuts[f])


@inner
def totals_of(counts, n_bins):
    """The weight of the second class, and of both."""
    first, second = 0.0, 0.0
    for k in range(n_bins):
        first, second = first + counts[2 * k], second + counts[2 * k + 1]
    return second, first + second


@inner
def best_between(counts, n_bins, totals, least, xlogx):
    """The most that a cut between bins is worth."""
    best, ones, left = 0.0, 0.0, 0.0
    for k in range(n_bins - 1):
        ones, left = ones + counts[2 * k + 1], left + counts[2 * k] + counts[2 * k + 1]
        if allowed(left, totals, least) and cut_beats(ones, left, totals, best, GINI, xlogx):
            best = worth(ones, left, totals, GINI, xlogx)
    return best


@inner
def search_columns(presorted, f, instances, least, cut):
    """Fill in the best cut of column f, or which of its bins have to be opened first."""
    counts, n_bins, xlogx = presorted.counts[f], presorted.n_bins[f], instances.xlogx
    sizes, opened, keys = presorted.sizes[f], presorted.opened[f], presorted.keys
    totals = totals_of(counts, n_bins)
    slack = ROUNDING * totals[1] * totals[1] / 2  # in what a cut is worth
    enough = best_between(counts, n_bins, totals, least, xlogx) - 2 * slack  # an earlier equal would win
    bar, cut.bin, waits = slack, NO_CUT, False
    ones, left = 0.0, 0.0
    for k in range(n_bins):
        of_bin, size = counts[2 * k + 1], counts[2 * k] + counts[2 * k + 1]
        if opened[k] != SINGLE and may_hide(ones, left, of_bin, size, totals, enough, GINI, xlogx):
            if opened[k] < 0:
                opened[k], waits = WANTED, True
            elif not waits:
                inside, before = keys[opened[k] : opened[k] + sizes[k]], (ones, left)
                _, (bar, last, _) = best_inside(inside, instances, before, totals, (bar, slack), least, GINI)
                if last >= 0:
                    cut.bin, cut.taken = k, last + 1
        ones, left = ones + of_bin, left + size
        is_cut = k < n_bins - 1 and allowed(left, totals, least)
        if is_cut and cut_beats(ones, left, totals, bar, GINI, xlogx):
            bar, cut.bin, cut.taken = worth(ones, left, totals, GINI, xlogx) + slack, k, sizes[k]
    cut.drop = drop_of(bar - slack, totals, GINI)
    if waits:
        cut.bin = WANTED


@inner
def sum_up(presorted, f, w, cut, sides):
    """Add up the bins of column f below and above a cut, and the rows of the bin that it is in."""
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


@inner
def find_rows(presorted, f, cut):
    """Fill in the rows next to the cut of column f: in its bin, or where this and the next one meet."""
    k, keys = cut.bin, presorted.keys
    if cut.taken < presorted.sizes[f, k]:
        above = presorted.opened[f, k] + cut.taken
        cut.below, cut.above = keys[above - 1] & ROW, keys[above] & ROW
    else:
        cut.below, cut.above = presorted.edges[f, k, 1], presorted.edges[f, k + 1, 0]
