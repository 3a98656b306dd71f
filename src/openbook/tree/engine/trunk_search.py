"""The search of a trunk (see `trunk`): rows counted in the bins of every column, and its best cut; kernels.

counts : of a node, how many rows of each class are in each bin
cut    : the best of those between bins and of those inside the bins whose corners are worth more (see
         `two_classes`), found among the members in the order of the column

No cell is missing, and all rows weigh 1.
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner, jit
from openbook.tree.engine.keys import CLASS, CLASS_BIT, FIRST, ROW
from openbook.tree.engine.part import note_side, side_of
from openbook.tree.engine.two_classes import bar_of, beats, drop_of, may_hide, worth

__all__ = [
    "BINS",
    "NONE",
    "PER_WORD",
    "TOGETHER",
    "Trunk",
    "best_between",
    "bin_of",
    "count",
    "next_member",
    "put_in_bins",
    "search_bins",
    "take_away",
    "take_members",
]

#: The most bins of a column: what a byte tells apart. So many bytes are in a word.
BINS, PER_WORD = 256, 8
#: So many rows are counted together: fetched first, as they lie far apart.
TOGETHER = 256
#: No node, or no cut.
NONE = -1


@bundle
class Trunk(NamedTuple):
    """Rows in bins, and slots for the counts of large nodes.

    words : uint64 (n_rows, n_words), the bins of each row, a byte a column
    starts : int64 (n_columns, BINS + 1), the key that each bin begins with
    counts : int32 (n_slots, n_columns, 2 BINS), how many rows of each bin and class
    node : int64 (n_slots,), the node that has a slot and is still to be split, or NONE
    least : int64 (1,), a large node has more rows than this
    members : uint64 (n_rows / 64 + 1,), those of the node at hand, as bits
    between : float64 (n_columns,), the most that a cut between bins is worth at the node at hand
    allowed : int64 (1,), how many keys may still be gone through there
    near : uint8 (TOGETHER, PER_WORD n_words), room for the bins of some rows; near_words : the same in words
    """

    words: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    node: np.ndarray
    least: np.ndarray
    members: np.ndarray
    between: np.ndarray
    allowed: np.ndarray
    near: np.ndarray
    near_words: np.ndarray


@jit(_nrt=False)
def put_in_bins(keys, starts, counts, bins):
    """Share out the rows of a column over bins, equal numbers in one: which bin each has, the key that it
    begins with, and how many rows of each class are in it.
    """
    n, begin = keys.size, 0
    for k in range(BINS):
        end, ones = max(begin, (k + 1) * n // BINS), 0
        while end < n and keys[end] & FIRST == 0:
            end += 1
        for p in range(begin, end):
            bins[np.uintp(keys[p] & ROW)] = k
            ones += (keys[p] >> CLASS_BIT) & 1
        starts[k], counts[2 * k], counts[2 * k + 1] = begin, end - begin - ones, ones
        begin = end
    starts[BINS] = n


@inner
def count(trunk, rows, y, slot):
    """Count rows in the bins of every column."""
    counts, words, near, near_words = trunk.counts[slot], trunk.words, trunk.near, trunk.near_words
    for f in range(counts.shape[0]):
        for code in range(counts.shape[1]):
            counts[f, code] = 0
    for at in range(0, rows.size, TOGETHER):
        some = rows[at : at + TOGETHER]
        for k in range(some.size):
            row = np.uintp(some[k])
            for j in range(near_words.shape[1]):
                near_words[k, j] = words[row, j]
        for k in range(some.size):
            c = np.uintp(y[np.uintp(some[k])])
            for f in range(counts.shape[0]):
                counts[f, np.uintp(2) * np.uintp(near[k, f]) + c] += 1


@inner
def bin_of(words, row, f):
    """The bin of a row in column f."""
    return np.int64((words[row, f // PER_WORD] >> np.uint64(8 * (f % PER_WORD))) & np.uint64(BINS - 1))


@inner
def take_away(counts, others):
    """Take other counts away."""
    for f in range(counts.shape[0]):
        for code in range(counts.shape[1]):
            counts[f, code] -= others[f, code]


@inner
def better(left_1, w_left, totals, least, bar, criterion, whole):
    """Whether a cut leaves enough on both sides, and is worth more than the bar."""
    enough = min(w_left, totals[1] - w_left) >= least
    return enough and beats(left_1, w_left, totals, bar, criterion, whole)


@inner
def best_between(trunk, slot, rule, desk):
    """Fill in the most that a cut between bins is worth, by column; what the best of all drops."""
    counts, between, criterion, whole = trunk.counts[slot], trunk.between, rule.criterion, desk.whole
    totals, _, _ = bar_of(desk.sides, 0.0, criterion, whole)
    least, best = max(rule.least, 1.0), 0.0
    for f in range(between.size):
        own, left_1, w_left = 0.0, 0.0, 0.0
        for k in range(BINS):
            left_1 += counts[f, 2 * k + 1]
            w_left += counts[f, 2 * k] + counts[f, 2 * k + 1]
            if better(left_1, w_left, totals, least, own, criterion, whole):
                own = worth(left_1, w_left, totals, criterion, whole)
        between[f] = own
        best = max(best, own)
    return drop_of(best, totals, criterion)


@inner
def search_bins(trunk, keys, f, slot, rule, desk, spare, found):
    """Fill in the best cut of column f for the node in a slot, if it drops what the desk asks for:
    `found.above` is the place among all keys of the column from which on rows go right.
    """
    counts, starts, whole = trunk.counts[slot, f], trunk.starts[f], desk.whole
    criterion, least = rule.criterion, max(rule.least, 1.0)
    totals, slack, bar = bar_of(desk.sides, desk.node[2], criterion, whole)
    enough = trunk.between[f] - 2 * slack  # an equal in an earlier bin would win
    left_1, w_left, above = 0.0, 0.0, np.int64(NONE)
    for k in range(BINS):
        ones = float(counts[2 * k + 1])
        size = counts[2 * k] + ones
        if size == 0:
            continue
        if not may_hide(left_1, w_left, ones, size, totals, max(bar, enough), criterion, whole):
            left_1, w_left = left_1 + ones, w_left + size
            continue
        trunk.allowed[0] -= starts[k + 1] - starts[k]
        if trunk.allowed[0] < 0:
            return
        for m in range(members_of(trunk.members, keys, starts[k], starts[k + 1], spare)):
            key = spare[m]
            if key & FIRST and better(left_1, w_left, totals, least, bar, criterion, whole):
                bar, above = worth(left_1, w_left, totals, criterion, whole) + slack, np.int64(key & ROW)
            left_1 += 1.0 if key & CLASS else 0.0
            w_left += 1.0
    found.gain, found.above = np.nan, above
    if above != NONE:
        found.gain = drop_of(bar - slack, totals, criterion) / totals[1]


@inner
def members_of(members, keys, start, end, spare):
    """Fill in the keys from start to end whose rows are members, with their places instead of their rows; how
    many there are.
    """
    n, first = np.uintp(0), np.uint32(0)
    for p in range(start, end):
        key = keys[p]
        is_member = side_of(members, key)
        first |= key & FIRST
        spare[n] = np.uint32(p) | first | (key & CLASS)
        n += np.uintp(is_member)
        first &= np.uint32(is_member) - np.uint32(1)
    return np.int64(n)


@inner
def next_member(members, keys, at, step):
    """The row of the first member from a key on, in steps of 1 or -1."""
    while side_of(members, keys[at]) == 0:
        at += step
    return np.int64(keys[at] & ROW)


@inner
def take_members(rows, members):
    """Set the bits of these rows, and of no others."""
    for word in range(members.size):
        members[word] = 0
    for k in range(rows.size):
        note_side(members, np.uintp(rows[k]), np.uint64(1))
