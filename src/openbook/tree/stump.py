"""Stumps of two classes, many from the same rows: the exact best cut of every column at a glance at its bins.

A cut that leaves a and b of the two classes on its left lowers Gini's cost (see `criteria`) by

    drop(a, b) = 2 (a B - b A)^2 / (W L (W - L))        A, B of all rows; W = A + B; L = a + b

which is convex in (a, b), so no cut inside a bin drops more than one of the four corners between which a and
b grow there. Counting the bins of a column takes one pass over its rows in the order that they come in; only
the bins with a corner above the best cut between bins are gone through row by row, in sorted order. Of equals
the first wins, as everywhere (see `split`).

Columns are numeric or ordinal, without missing cells; rows have weights above zero. Everything else is for
the growing engine, which is also the twin: it grows the same stumps, rounding aside.
"""

from typing import NamedTuple

import numpy as np

from openbook.base import most_probable
from openbook.data import Nominal, Ordinal, SparseTable
from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner, jit
from openbook.tree.columns import midpoint
from openbook.tree.keys import CLASS, FIRST, MOST_ROWS, ROW, mark_class, sort_rows
from openbook.tree.nodes import LEAF, SPREAD, Tree
from openbook.tree.plant import Candidates
from openbook.tree.split import ROUNDING

__all__ = ["Presorted", "Stump", "best_stump", "presort"]

#: About so many bins has a column. More are slower to count, fewer to go through: by their rows.
BINS = 1024


@bundle
class Presorted(NamedTuple):
    """Rows in the order of every column, and in bins.

    keys : uint32 (n_columns, n_rows), see `keys`
    codes : uint16 (n_columns, n_rows), twice the bin, plus the class, of each row
    ends : int32 (n_columns, most bins + 1), where in the keys a bin begins, and the last one ends
    n_bins : int32 (n_columns,); mixed : bool (n_columns, most bins), whether a bin has several numbers
    """

    keys: np.ndarray
    codes: np.ndarray
    ends: np.ndarray
    n_bins: np.ndarray
    mixed: np.ndarray


#: The best cut of a column: its drop, and its last key on the left, -1 where there is none.
CUT = np.dtype([("drop", np.float64), ("at", np.int64)])


class Stump(NamedTuple):
    """A tree of one test, the candidates for it, and the class that it decides for, row by row."""

    tree: Tree
    candidates: Candidates
    decisions: np.ndarray


def presort(X, y):
    """The rows of a table, two classes, for many stumps; None where stumps need the engine."""
    n_rows, n_columns = len(y), len(X.schema)
    if n_rows > MOST_ROWS or isinstance(X, SparseTable) or X.schema.of(Nominal):
        return None
    presorted = Presorted(
        keys=np.empty((n_columns, n_rows), np.uint32),
        codes=np.empty((n_columns, n_rows), np.uint16),
        ends=np.zeros((n_columns, BINS + 1), np.int32),
        n_bins=np.zeros(n_columns, np.int32),
        mixed=np.zeros((n_columns, BINS), np.bool_),
    )
    for f, (attribute, column) in enumerate(zip(X.schema, X.columns, strict=True)):
        numbers = np.ascontiguousarray(column, dtype=float)
        if np.isnan(numbers).any() or (isinstance(attribute, Ordinal) and numbers.min() < 0):
            return None
        distinct = sort_rows(numbers, presorted.keys[f])
        mark_class(presorted.keys[f : f + 1], y)
        put_in_bins(presorted, f, distinct)
    return presorted


@inner
def is_last(keys, k):
    """Whether the next key has another number, or there is none."""
    return k + 1 == keys.size or keys[k + 1] & FIRST != 0


@jit(_nrt=False)
def put_in_bins(presorted, f, distinct):
    """Share out the keys of column f over bins: one for each distinct number, or of about equal size."""
    keys, codes, ends, mixed = presorted.keys[f], presorted.codes[f], presorted.ends[f], presorted.mixed[f]
    n, k, numbers = keys.size, 0, 0
    for p in range(n):
        key = keys[p]
        codes[np.uintp(key & ROW)] = 2 * k + (1 if key & CLASS else 0)
        numbers += 1 if key & FIRST else 0
        if is_last(keys, p) and (distinct <= BINS or (p + 1) * BINS >= (k + 1) * n):
            mixed[k] = numbers > 1
            k, numbers = k + 1, 0
            ends[k] = p + 1
    presorted.n_bins[f] = k


def best_stump(presorted, X, w, least, min_gain, spreads):
    """The stump of these weights, or None where no cut gains enough.

    least : the weight that both sides of a cut must have
    spreads : whether missing cells go down both branches, else down the heavier
    """
    n_columns, n_rows = presorted.keys.shape
    cuts, sides = np.zeros(n_columns, CUT), np.zeros((n_columns, 3, 2))
    best_cuts(presorted, w, least, np.zeros(2 * BINS), cuts, sides)
    gain = np.where(cuts["at"] >= 0, cuts["drop"] / sides.sum(axis=(1, 2)), np.nan)
    f = _chosen(gain, max(min_gain, ROUNDING))
    if f < 0:
        return None
    value = np.array([sides[f].sum(axis=0), *sides[f, :2]])
    below, above = most_probable(value[1:])
    decisions = np.empty(n_rows, dtype=np.intp)
    decide(presorted.keys[f], cuts["at"][f], below, above, decisions)
    thresholds = _thresholds(presorted.keys, X.columns, cuts["at"])
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


def _thresholds(keys, columns, at):
    """Halfway between the numbers on both sides of each column's cut; NaN where there is none."""
    thresholds, cut = np.full(len(at), np.nan), np.flatnonzero(at >= 0)
    beside = (keys[cut[:, None], at[cut, None] + np.arange(2)] & ROW).tolist()
    numbers = [[float(columns[f][row]) for row in rows] for f, rows in zip(cut, beside, strict=True)]
    thresholds[cut] = midpoint(*np.array(numbers).reshape(-1, 2).T)
    return thresholds


@jit(_nrt=False)
def best_cuts(presorted, w, least, hist, cuts, sides):
    """Fill in the best cut of each column, and the weights of both classes below and above it.

    hist : float64 (2 BINS,), room; cuts : CUT (n_columns,)
    sides : float64 (n_columns, 3, 2), zeros; the third side is for missing cells, and there are none
    """
    for f in range(cuts.size):
        codes = presorted.codes[f]
        for k in range(2 * presorted.n_bins[f]):
            hist[k] = 0.0
        for i in range(w.size):
            hist[np.uintp(codes[i])] += w[i]
        search(presorted, f, w, least, hist, cuts[f])
        sum_up(presorted, f, w, hist, cuts[f].at, sides[f])


@inner
def totals_of(hist, n_bins):
    """The weights of both classes."""
    a, b = 0.0, 0.0
    for k in range(n_bins):
        a, b = a + hist[2 * k], b + hist[2 * k + 1]
    return a, b


@inner
def best_between(hist, n_bins, totals, least):
    """The most that a cut between bins drops."""
    best, a, b = 0.0, 0.0, 0.0
    for k in range(n_bins - 1):
        a, b = a + hist[2 * k], b + hist[2 * k + 1]
        if min(a + b, totals[0] + totals[1] - a - b) >= least:
            best = max(best, drop_of(a, b, totals))
    return best


@inner
def search(presorted, f, w, least, hist, cut):
    """Fill in the best cut of column f, whose bins are counted."""
    keys, ends, mixed, n_bins = presorted.keys[f], presorted.ends[f], presorted.mixed[f], presorted.n_bins[f]
    totals = totals_of(hist, n_bins)
    weight = totals[0] + totals[1]
    slack = ROUNDING * weight
    enough = best_between(hist, n_bins, totals, least) - 2 * slack  # an equal inside an earlier bin would win
    cut.drop, cut.at = 0.0, -1
    a, b, drop = 0.0, 0.0, 0.0
    for k in range(n_bins):
        next_a, next_b = a + hist[2 * k], b + hist[2 * k + 1]
        next_drop = drop_of(next_a, next_b, totals)
        corners = max(drop, next_drop, drop_of(next_a, b, totals), drop_of(a, next_b, totals))
        if mixed[k] and corners > enough:
            for at in range(ends[k], ends[k + 1] - 1):
                key = keys[at]
                v = w[np.uintp(key & ROW)]
                if key & CLASS:
                    b += v
                else:
                    a += v
                if is_last(keys, at) and min(a + b, weight - a - b) >= least:
                    inside = drop_of(a, b, totals)
                    if inside > cut.drop + slack:
                        cut.drop, cut.at = inside, at
        a, b, drop = next_a, next_b, next_drop
        if k < n_bins - 1 and min(a + b, weight - a - b) >= least and drop > cut.drop + slack:
            cut.drop, cut.at = drop, ends[k + 1] - 1


@inner
def drop_of(a, b, totals):
    """What a cut drops that leaves so much of each class on its left; 0 where a side has nothing."""
    weight, left = totals[0] + totals[1], a + b
    if left <= 0 or left >= weight:
        return 0.0
    tilt = a * totals[1] - b * totals[0]
    return 2 * tilt * tilt / (weight * left * (weight - left))


@inner
def sum_up(presorted, f, w, hist, at, sides):
    """Add up the bins of column f below and above a cut, and the rows of the bin that it is in."""
    keys, ends = presorted.keys[f], presorted.ends[f]
    for k in range(presorted.n_bins[f]):
        if ends[k] <= at < ends[k + 1] - 1:
            for p in range(ends[k], ends[k + 1]):
                key = keys[p]
                sides[np.intp(p > at), 1 if key & CLASS else 0] += w[np.uintp(key & ROW)]
        else:
            side = np.intp(ends[k] > at)
            sides[side, 0] += hist[2 * k]
            sides[side, 1] += hist[2 * k + 1]


@jit(_nrt=False)
def decide(keys, at, below, above, decisions):
    """Fill in the class of each row: that below for those up to this key."""
    for k in range(keys.size):
        decisions[np.uintp(keys[k] & ROW)] = below if k <= at else above
