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

from openbook.kernels.jit import exact
from openbook.tree.engine.criteria import GAIN_RATIO, GINI, plogp
from openbook.tree.engine.keys import CLASS, CLASS_BIT, FIRST, FIRST_BIT, ROW
from openbook.tree.engine.split import KNOWN, tolerance

#: How many keys a block has: fewer where the keys are few.
SMALL_BLOCK, LARGE_BLOCK, MANY_KEYS = 32, 128, 4096


@exact
def worth(left_1, w_left, totals, criterion, xlogx):
    """What a cut is worth that leaves these weights on its left: by Gini W / 2 times its drop, by entropy the
    drop. Both sides have some weight.

    totals : (W1, W)
    """
    all_1, all_w = totals
    w_right, right_1 = all_w - w_left, all_1 - left_1
    if criterion == GINI:
        d = left_1 * all_w - all_1 * w_left
        return d * d / (w_left * w_right)
    inside = plogp(all_w, xlogx) - plogp(all_1, xlogx) - plogp(all_w - all_1, xlogx)
    left = plogp(w_left, xlogx) - plogp(left_1, xlogx) - plogp(w_left - left_1, xlogx)
    right = plogp(w_right, xlogx) - plogp(right_1, xlogx) - plogp(w_right - right_1, xlogx)
    return inside - left - right


@exact
def cut_beats(left_1, w_left, totals, bar, criterion, xlogx):
    """Whether such a cut is worth more than the bar."""
    if criterion == GINI:
        d = left_1 * totals[1] - totals[0] * w_left
        return d * d > bar * (w_left * (totals[1] - w_left))
    return worth(left_1, w_left, totals, criterion, xlogx) > bar


@exact
def allowed(w_left, totals, min_weight):
    """Whether a cut leaves the minimum weight on both sides, and any at all in spite of rounding."""
    return min(w_left, totals[1] - w_left) >= min_weight and w_left > 0 and w_left < totals[1]


@exact
def bar_of(sides, min_drop, criterion, xlogx):
    """(W1, W) of the known rows, the slack between equals, and what the first cut has to be worth to drop so
    much.
    """
    totals = (sides[KNOWN, 1], sides[KNOWN, 0] + sides[KNOWN, 1])
    slack, min_worth = tolerance(sides, KNOWN, criterion, xlogx), min_drop
    if criterion == GINI:
        slack, min_worth = slack * totals[1] / 2, min_worth * totals[1] / 2
    return totals, slack, max(slack, min_worth - slack)


@exact
def drop_of(value, totals, criterion):
    """What a cut drops that is worth so much."""
    return value * 2 / totals[1] if criterion == GINI else value


@exact
def may_hide(left_1, w_left, ones, size, totals, bar, criterion, xlogx):
    """Whether a corner is worth more than the bar, where so many rows, and so many of the second class among
    them, follow on those on the left.
    """
    return (
        cut_beats(left_1, w_left, totals, bar, criterion, xlogx)
        or cut_beats(left_1 + ones, w_left + ones, totals, bar, criterion, xlogx)
        or cut_beats(left_1, w_left + size - ones, totals, bar, criterion, xlogx)
        or cut_beats(left_1 + ones, w_left + size, totals, bar, criterion, xlogx)
    )


@exact
def count_blocks(keys, size, counts, totals, min_weight, criterion, xlogx):
    """Count the second class in each block of keys; the most that a cut between two blocks is worth."""
    best, left_1 = 0.0, 0
    for j in range((keys.size - 1) // size):
        block, end, ones = keys[j * size : (j + 1) * size], (j + 1) * size, 0
        for k in range(block.size):
            ones += (block[k] >> CLASS_BIT) & 1
        counts[j] = ones
        left_1 += ones
        cuts = keys[end] & FIRST and min(end, keys.size - end) >= min_weight
        if cuts and cut_beats(float(left_1), float(end), totals, best, criterion, xlogx):
            best = worth(float(left_1), float(end), totals, criterion, xlogx)
    return best


@exact
def best_inside(keys, instances, before, totals, bar_and_slack, min_weight, criterion):
    """The best cut behind one of these keys but the last, which only tells whether a number ends before it.

    before : (w1, w) on the left of the first key
    bar_and_slack : what a cut has to be worth, and what is added to the worth of one that is found

    Gives (w1, w) on the left of the last key, and (the bar now, the last key on the left, or -1 for no cut,
    the weight on the left).
    """
    weights, unit, xlogx = instances.w, instances.unit, instances.xlogx
    (left_1, w_left), (bar, slack), at, w_best = before, bar_and_slack, -1, 0.0
    for k in range(keys.size - 1):
        key = keys[k]
        w = 1.0 if unit else weights[np.uintp(key & ROW)]
        w_left += w
        left_1 += w if key & CLASS else 0.0
        if (
            cut_beats(left_1, w_left, totals, bar, criterion, xlogx)
            and keys[k + 1] & FIRST
            and allowed(w_left, totals, min_weight)
        ):
            bar = worth(left_1, w_left, totals, criterion, xlogx) + slack
            at, w_best = k, w_left
    return (left_1, w_left), (bar, at, w_best)


@exact
def best_cut_of_two(y_class, keys, instances, min_weight, criterion, sides, counts, min_drop):
    """`best_cut` for two classes.

    y_class : None where targets are numbers: then this is not compiled
    counts : uint8, a buffer for the counts of the blocks
    min_drop : the drop that a cut must reach to be of any use
    """
    if y_class is None:
        return 0.0, -1, 0, 0.0
    unit, xlogx, n = instances.unit, instances.xlogx, keys.size
    totals, slack, bar = bar_of(sides, min_drop, criterion, xlogx)
    w_left, left_1, at, w_best = 0.0, 0.0, -1, 0.0
    size = SMALL_BLOCK if n < MANY_KEYS else LARGE_BLOCK
    n_blocks, enough = (n - 1) // size if unit else 0, slack
    if n_blocks:  # an equal in an earlier block would win
        enough = count_blocks(keys, size, counts, totals, min_weight, criterion, xlogx) - 2 * slack
    for j in range(n_blocks + 1):
        start, end = j * size, n - 1
        if j < n_blocks:
            ones, end = float(counts[j]), start + size
            if not may_hide(left_1, w_left, ones, size, totals, max(bar, enough), criterion, xlogx):
                left_1, w_left = left_1 + ones, w_left + size
                continue
        before = left_1, w_left
        (left_1, w_left), (bar, last, w_cut) = best_inside(
            keys[start : end + 1], instances, before, totals, (bar, slack), min_weight, criterion
        )
        at, w_best = (start + last, w_cut) if last >= 0 else (at, w_best)
    cuts = n_cuts(keys, instances, min_weight, totals[1]) if criterion == GAIN_RATIO else 0
    return drop_of(bar - slack, totals, criterion), at, cuts, w_best


@exact
def n_cuts(keys, instances, min_weight, all_w):
    """How many cuts there are to try."""
    cuts, w_left, margin = 0, 0.0, max(math.ceil(min_weight), 1)
    if instances.unit:
        tried = keys[margin : max(keys.size - margin + 1, margin)]
        for k in range(tried.size):
            cuts += (tried[k] >> FIRST_BIT) & 1
        return np.int64(cuts)
    for k in range(keys.size - 1):
        w_left += instances.w[np.uintp(keys[k] & ROW)]
        w_right = all_w - w_left
        cuts += 1 if keys[k + 1] & FIRST and min(w_left, w_right) >= min_weight and w_right > 0 else 0
    return np.int64(cuts)
