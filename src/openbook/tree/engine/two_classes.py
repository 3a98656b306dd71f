"""The search of `split` among the keys of two classes, what most trees are grown for; kernels.

With W the weight of the rows and W1 that of the second class, w and w1 the same left of a cut, the cost drops

    by Gini       2 d^2 / (W w (W - w)),    d = w1 W - W1 w
    by entropy    as in `split`

The score of a cut is its drop by entropy, and W / 2 times its drop by Gini: d^2 / (w (W - w)). The best score
so far is the bar. By Gini a cut is above it where d^2 > bar w (W - w), which takes no division. `rounding` is
added to the bar, so that a cut which is better by a rounding error alone does not win.

Two numbers describe a side here, where the search of `split` keeps the counts of every class. That, and the
blocks that are skipped, make this search several times as fast.

Keys come in blocks. The score is convex in the weights of the two classes on the left. So no cut inside a
block scores higher than the best of four corners: the classes of the block all on the left, all on the right,
or one on each side. Where all rows weigh 1, the second class is counted block by block with vector
instructions, and only blocks with a corner above the best cut between blocks are searched key by key.
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
def cut_score(left_second, left_weight, totals, criterion, xlogx):
    """The score of a cut that leaves these weights on its left; both sides must have some weight.

    left_second : of the second class
    totals : (W1, W)
    """
    all_1, all_w = totals
    w_right, right_1 = all_w - left_weight, all_1 - left_second
    if criterion == GINI:
        d = left_second * all_w - all_1 * left_weight
        return d * d / (left_weight * w_right)
    inside = plogp(all_w, xlogx) - plogp(all_1, xlogx) - plogp(all_w - all_1, xlogx)
    left = plogp(left_weight, xlogx) - plogp(left_second, xlogx) - plogp(left_weight - left_second, xlogx)
    right = plogp(w_right, xlogx) - plogp(right_1, xlogx) - plogp(w_right - right_1, xlogx)
    return inside - left - right


@exact
def scores_above(left_second, left_weight, totals, bar, criterion, xlogx):
    """Whether the score of such a cut is above the bar."""
    if criterion == GINI:
        d = left_second * totals[1] - totals[0] * left_weight
        return d * d > bar * (left_weight * (totals[1] - left_weight))
    return cut_score(left_second, left_weight, totals, criterion, xlogx) > bar


@exact
def allowed(left_weight, totals, min_weight):
    """Whether a cut leaves the minimum weight on both sides, and any at all in spite of rounding."""
    return (
        min(left_weight, totals[1] - left_weight) >= min_weight
        and left_weight > 0
        and left_weight < totals[1]
    )


@exact
def first_bar(sides, min_drop, criterion, xlogx):
    """(W1, W) of the known rows, the rounding error of a score, and the bar for the first cut."""
    totals = (sides[KNOWN, 1], sides[KNOWN, 0] + sides[KNOWN, 1])
    rounding, min_score = tolerance(sides, KNOWN, criterion, xlogx), min_drop
    if criterion == GINI:
        rounding, min_score = rounding * totals[1] / 2, min_score * totals[1] / 2
    return totals, rounding, max(rounding, min_score - rounding)


@exact
def drop_of_score(value, totals, criterion):
    """The drop of a cut, from its score."""
    return value * 2 / totals[1] if criterion == GINI else value


@exact
def may_hold_better_cut(left_second, left_weight, n_second, size, totals, bar, criterion, xlogx):
    """Whether a corner of the next block scores above the bar.

    n_second, size : the weight of the second class in the block, and of all its rows
    """
    return (
        scores_above(left_second, left_weight, totals, bar, criterion, xlogx)
        or scores_above(left_second + n_second, left_weight + n_second, totals, bar, criterion, xlogx)
        or scores_above(left_second, left_weight + size - n_second, totals, bar, criterion, xlogx)
        or scores_above(left_second + n_second, left_weight + size, totals, bar, criterion, xlogx)
    )


@exact
def count_blocks(keys, size, counts, totals, min_weight, criterion, xlogx):
    """Count the second class in each block of keys; gives the best score of a cut between two blocks."""
    best, left_second = 0.0, 0
    for j in range((keys.size - 1) // size):
        block, end, n_second = keys[j * size : (j + 1) * size], (j + 1) * size, 0
        for k in range(block.size):
            n_second += (block[k] >> CLASS_BIT) & 1
        counts[j] = n_second
        left_second += n_second
        cuts = keys[end] & FIRST and min(end, keys.size - end) >= min_weight
        if cuts and scores_above(float(left_second), float(end), totals, best, criterion, xlogx):
            best = cut_score(float(left_second), float(end), totals, criterion, xlogx)
    return best


@exact
def best_inside(keys, instances, before, totals, bar_and_rounding, min_weight, criterion):
    """The best cut behind one of these keys but the last, which only tells whether a number ends before it.

    before : (w1, w) on the left of the first key
    bar_and_rounding : the bar, and what is added to the score of a cut that is found

    Gives (w1, w) on the left of the last key, and (the bar now, the last key on the left, or -1 for no cut,
    the weight on the left).
    """
    weights, unit, xlogx = instances.w, instances.unit, instances.xlogx
    (left_second, left_weight), (bar, rounding), at, best_weight = before, bar_and_rounding, -1, 0.0
    for k in range(keys.size - 1):
        key = keys[k]
        w = 1.0 if unit else weights[np.uintp(key & ROW)]
        left_weight += w
        left_second += w if key & CLASS else 0.0
        if (
            scores_above(left_second, left_weight, totals, bar, criterion, xlogx)
            and keys[k + 1] & FIRST
            and allowed(left_weight, totals, min_weight)
        ):
            bar = cut_score(left_second, left_weight, totals, criterion, xlogx) + rounding
            at, best_weight = k, left_weight
    return (left_second, left_weight), (bar, at, best_weight)


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
    totals, rounding, bar = first_bar(sides, min_drop, criterion, xlogx)
    left_weight, left_second, at, best_weight = 0.0, 0.0, -1, 0.0
    size = SMALL_BLOCK if n < MANY_KEYS else LARGE_BLOCK
    n_blocks, least_useful = (n - 1) // size if unit else 0, rounding
    if n_blocks:  # an equal in an earlier block would win
        least_useful = count_blocks(keys, size, counts, totals, min_weight, criterion, xlogx) - 2 * rounding
    for j in range(n_blocks + 1):
        start, end = j * size, n - 1
        if j < n_blocks:
            n_second, end = float(counts[j]), start + size
            if not may_hold_better_cut(
                left_second, left_weight, n_second, size, totals, max(bar, least_useful), criterion, xlogx
            ):
                left_second, left_weight = left_second + n_second, left_weight + size
                continue
        before = left_second, left_weight
        (left_second, left_weight), (bar, last, w_cut) = best_inside(
            keys[start : end + 1], instances, before, totals, (bar, rounding), min_weight, criterion
        )
        at, best_weight = (start + last, w_cut) if last >= 0 else (at, best_weight)
    cuts = n_cuts(keys, instances, min_weight, totals[1]) if criterion == GAIN_RATIO else 0
    return drop_of_score(bar - rounding, totals, criterion), at, cuts, best_weight


@exact
def n_cuts(keys, instances, min_weight, all_w):
    """How many cuts there are to try."""
    cuts, left_weight, margin = 0, 0.0, max(math.ceil(min_weight), 1)
    if instances.unit:
        tried = keys[margin : max(keys.size - margin + 1, margin)]
        for k in range(tried.size):
            cuts += (tried[k] >> FIRST_BIT) & 1
        return np.int64(cuts)
    for k in range(keys.size - 1):
        left_weight += instances.w[np.uintp(keys[k] & ROW)]
        w_right = all_w - left_weight
        cuts += 1 if keys[k + 1] & FIRST and min(left_weight, w_right) >= min_weight and w_right > 0 else 0
    return np.int64(cuts)
