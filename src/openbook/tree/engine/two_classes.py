"""The search of `split` among the keys of two classes, what most trees are grown for; kernels.

With W the weight of the rows and W1 that of the second class, w and w1 the same left of a cut, the cost drops

    by Gini       2 d^2 / (W w (W - w)),    d = w1 W - W1 w
    by entropy    as in `split`

so by Gini a cut is better than the best so far where d^2 > bar w (W - w), which takes no division: only a
better one raises the bar. `slack` is added to the bar, for what is no better than by rounding.

Two numbers tell all of a side here, where the search of `split` keeps the counts of every class; that, and
the blocks that it passes over, make it several times as fast, which is why both are there.

The drop is convex in the weights of the two classes on the left, so no cut inside a block of keys drops more
than one of the four corners between which the two grow there. Where all rows weigh 1 a processor counts the
second class by the vector, and only the blocks with a corner above the best cut between blocks are gone
through key by key.
"""

import math

import numpy as np

from openbook.kernels.jit import inner
from openbook.tree.engine.criteria import GAIN_RATIO, GINI, plogp
from openbook.tree.engine.keys import CLASS, CLASS_BIT, FIRST, FIRST_BIT, ROW
from openbook.tree.engine.split import KNOWN, tolerance

#: How many keys a block has: fewer where the keys are few.
SMALL_BLOCK, LARGE_BLOCK, MANY_KEYS = 32, 128, 4096


@inner
def worth(left_1, w_left, totals, criterion, whole):
    """What a cut is worth that leaves these weights on its left: by Gini W / 2 times its drop, by entropy the
    drop. Both sides have some weight.

    totals : (W1, W)
    """
    all_1, all_w = totals
    w_right, right_1 = all_w - w_left, all_1 - left_1
    if criterion == GINI:
        d = left_1 * all_w - all_1 * w_left
        return d * d / (w_left * w_right)
    inside = plogp(all_w, whole) - plogp(all_1, whole) - plogp(all_w - all_1, whole)
    left = plogp(w_left, whole) - plogp(left_1, whole) - plogp(w_left - left_1, whole)
    right = plogp(w_right, whole) - plogp(right_1, whole) - plogp(w_right - right_1, whole)
    return inside - left - right


@inner
def cut_beats(left_1, w_left, totals, bar, criterion, whole):
    """Whether such a cut is worth more than the bar."""
    if criterion == GINI:
        d = left_1 * totals[1] - totals[0] * w_left
        return d * d > bar * (w_left * (totals[1] - w_left))
    return worth(left_1, w_left, totals, criterion, whole) > bar


@inner
def allowed(w_left, totals, least):
    """Whether a cut leaves the least weight on both sides, and some, however little rounding leaves there."""
    return min(w_left, totals[1] - w_left) >= least and w_left > 0 and w_left < totals[1]


@inner
def bar_of(sides, least_drop, criterion, whole):
    """(W1, W) of the known rows, the slack between equals, and what the first cut has to be worth to drop so
    much.
    """
    totals = (sides[KNOWN, 1], sides[KNOWN, 0] + sides[KNOWN, 1])
    slack, least_worth = tolerance(sides, KNOWN, criterion, whole), least_drop
    if criterion == GINI:
        slack, least_worth = slack * totals[1] / 2, least_worth * totals[1] / 2
    return totals, slack, max(slack, least_worth - slack)


@inner
def drop_of(value, totals, criterion):
    """What a cut drops that is worth so much."""
    return value * 2 / totals[1] if criterion == GINI else value


@inner
def may_hide(left_1, w_left, ones, size, totals, bar, criterion, whole):
    """Whether a corner is worth more than the bar, where so many rows, and so many of the second class among
    them, follow on those on the left.
    """
    return (
        cut_beats(left_1, w_left, totals, bar, criterion, whole)
        or cut_beats(left_1 + ones, w_left + ones, totals, bar, criterion, whole)
        or cut_beats(left_1, w_left + size - ones, totals, bar, criterion, whole)
        or cut_beats(left_1 + ones, w_left + size, totals, bar, criterion, whole)
    )


@inner
def count_blocks(keys, size, counts, totals, least, criterion, whole):
    """Count the second class in each block of keys; the most that a cut between two blocks is worth."""
    best, left_1 = 0.0, 0
    for j in range((keys.size - 1) // size):
        block, end, ones = keys[j * size : (j + 1) * size], (j + 1) * size, 0
        for k in range(block.size):
            ones += (block[k] >> CLASS_BIT) & 1
        counts[j] = ones
        left_1 += ones
        cuts = keys[end] & FIRST and min(end, keys.size - end) >= least
        if cuts and cut_beats(float(left_1), float(end), totals, best, criterion, whole):
            best = worth(float(left_1), float(end), totals, criterion, whole)
    return best


@inner
def best_inside(keys, instances, before, totals, bar_and_slack, least, criterion):
    """The best cut behind one of these keys but the last, which only tells whether a number ends before it.

    before : (w1, w) on the left of the first key
    bar_and_slack : what a cut has to be worth, and what is added to the worth of one that is found

    Gives (w1, w) on the left of the last key, and (the bar now, the last key on the left, or -1 for no cut,
    the weight on the left).
    """
    weights, unit, whole = instances.w, instances.unit, instances.whole
    (left_1, w_left), (bar, slack), at, w_best = before, bar_and_slack, -1, 0.0
    for k in range(keys.size - 1):
        key = keys[k]
        w = 1.0 if unit else weights[np.uintp(key & ROW)]
        w_left += w
        left_1 += w if key & CLASS else 0.0
        if (
            cut_beats(left_1, w_left, totals, bar, criterion, whole)
            and keys[k + 1] & FIRST
            and allowed(w_left, totals, least)
        ):
            bar = worth(left_1, w_left, totals, criterion, whole) + slack
            at, w_best = k, w_left
    return (left_1, w_left), (bar, at, w_best)


@inner
def best_cut_of_two(keys, instances, least, criterion, sides, counts, least_drop):
    """`best_cut` for two classes.

    counts : uint8, room for the counts of the blocks
    least_drop : what a cut has to drop to be of any use
    """
    unit, whole, n = instances.unit, instances.whole, keys.size
    totals, slack, bar = bar_of(sides, least_drop, criterion, whole)
    w_left, left_1, at, w_best = 0.0, 0.0, -1, 0.0
    size = SMALL_BLOCK if n < MANY_KEYS else LARGE_BLOCK
    n_blocks, enough = (n - 1) // size if unit else 0, slack
    if n_blocks:  # an equal in an earlier block would win
        enough = count_blocks(keys, size, counts, totals, least, criterion, whole) - 2 * slack
    for j in range(n_blocks + 1):
        start, end = j * size, n - 1
        if j < n_blocks:
            ones, end = float(counts[j]), start + size
            if not may_hide(left_1, w_left, ones, size, totals, max(bar, enough), criterion, whole):
                left_1, w_left = left_1 + ones, w_left + size
                continue
        before = left_1, w_left
        (left_1, w_left), (bar, last, w_cut) = best_inside(
            keys[start : end + 1], instances, before, totals, (bar, slack), least, criterion
        )
        at, w_best = (start + last, w_cut) if last >= 0 else (at, w_best)
    cuts = n_cuts(keys, instances, least, totals[1]) if criterion == GAIN_RATIO else 0
    return drop_of(bar - slack, totals, criterion), at, cuts, w_best


@inner
def n_cuts(keys, instances, least, all_w):
    """How many cuts there are to try."""
    cuts, w_left, beside = 0, 0.0, max(math.ceil(least), 1)
    if instances.unit:
        tried = keys[beside : max(keys.size - beside + 1, beside)]
        for k in range(tried.size):
            cuts += (tried[k] >> FIRST_BIT) & 1
        return np.int64(cuts)
    for k in range(keys.size - 1):
        w_left += instances.w[np.uintp(keys[k] & ROW)]
        w_right = all_w - w_left
        cuts += 1 if keys[k + 1] & FIRST and min(w_left, w_right) >= least and w_right > 0 else 0
    return np.int64(cuts)
