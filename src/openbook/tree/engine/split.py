"""The best split of one column at a node; kernels.

The best split lowers the cost the most (see `criteria`). Rows, or codes, move one after the other from the
right of the cut to its left, and the costs of both sides are updated. Of equal splits the first wins: the
smallest cut.

keys : uint32 (n,), the node's rows in the order of a sorted column (see `keys`)
hist : float64 (n_codes + 1, n_stats), histogram: the stats of the node's rows by code, missing cells last
min_weight : the weight that each side of a cut, or two branches, must have
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.bits import lowest, without_lowest
from openbook.kernels.bundle import bundle
from openbook.kernels.jit import exact
from openbook.tree.engine.criteria import ENTROPY, GAIN_RATIO, GINI, SQUARED, impurity_cost, plogp, weight_of
from openbook.tree.engine.keys import CLASS_BIT, FIRST, ROW

#: The rows of `sides`: the stats of both sides of a cut, and of the missing, the known and all cells of a
#: node. NumPy's numbers, since numba compiles a function again for each Python literal that it is called
#: with.
LEFT, RIGHT, UNKNOWN, KNOWN, TOTAL = np.arange(5)

#: A random cut is one of this many, evenly spaced between the smallest and the largest number.
STEPS = np.int64(2**31)

#: Costs that differ by less than this share are equal: the difference is rounding.
ROUNDING = 1e-12


@bundle
class Instances(NamedTuple):
    """Training rows, and the fractional instances that rows with missing cells are divided into.

    y_class : uint8 or uint16 (n,), the class; y_number : float64 (n,), the numeric target; one of them is
        None, and the code that uses it is not compiled
    w : float64 (n,), the weight; unit : whether all weights are 1
    xlogx : float64, x log2 x of the whole numbers x; empty if weights are not whole, or for Gini
    """

    y_class: np.ndarray | None
    y_number: np.ndarray | None
    w: np.ndarray
    unit: bool
    xlogx: np.ndarray


@bundle
class Targets(NamedTuple):
    """The targets and weights in the order of `members`: as in `Instances`, but w is empty if all are 1."""

    y_class: np.ndarray | None
    y_number: np.ndarray | None
    w: np.ndarray


@exact
def add_target(y_class, y_number, w, i, stats, row):
    """Add the target of instance i to a row of stats; w : empty if all weights are 1."""
    weight = w[i] if w.size else 1.0
    if y_class is not None:
        stats[row, np.uintp(y_class[i])] += weight
    if y_number is not None:
        wy = weight * y_number[i]
        stats[row, 0] += weight
        stats[row, 1] += wy
        stats[row, 2] += wy * y_number[i]


@exact
def add_keys(keys, instances, stats, row):
    """Add the instances of these keys to a row of stats."""
    y_class, y_number, w = instances.y_class, instances.y_number, instances.w
    if instances.unit and stats.shape[1] == 2:
        ones = 0
        for k in range(keys.size):
            ones += (keys[k] >> CLASS_BIT) & 1
        stats[row, 0] += keys.size - ones
        stats[row, 1] += ones
    else:
        for k in range(keys.size):
            add_target(y_class, y_number, w, np.uintp(keys[k] & ROW), stats, row)


@exact
def tolerance(stats, row, criterion, xlogx):
    """The size of a rounding error in the cost of these stats."""
    if criterion >= SQUARED:
        return ROUNDING * stats[row, 2]
    weight = weight_of(stats, row, criterion)
    return ROUNDING * (weight if criterion == GINI else weight + max(plogp(weight, xlogx), 0.0))


@exact
def score_of(a, b, w_left, w_right, criterion, xlogx):
    """The score of a cut, the higher the better: minus the cost of both sides, up to a constant of the node.

    a, b : for the left and the right side, the sum over classes of n_c^2 or of n_c log2 n_c; or the sum of w
        y
    """
    if criterion == GINI:
        return a / w_left + b / w_right
    if criterion == SQUARED:
        return a * a / w_left + b * b / w_right
    return a - plogp(w_left, xlogx) + b - plogp(w_right, xlogx)


@exact
def beats(a, b, w_left, w_right, bar, criterion, xlogx):
    """Whether the score is above the bar; without a division, which takes longer than all the rest."""
    if criterion == GINI:
        return a * w_right + b * w_left > bar * (w_left * w_right)
    if criterion == SQUARED:
        return a * a * w_right + b * b * w_left > bar * (w_left * w_right)
    return score_of(a, b, w_left, w_right, criterion, xlogx) > bar


@exact
def score_unsplit(a, w, criterion, xlogx):
    """`score_of` rows that are not split."""
    if criterion == GINI:
        return a / w
    return a * a / w if criterion == SQUARED else a - plogp(w, xlogx)


@exact
def term(n, criterion, xlogx):
    """What a class of weight n adds to a or b."""
    return n * n if criterion == GINI else plogp(n, xlogx)


@exact(forceinline=True)
def start_scan(sides, criterion, xlogx):
    """Put all known rows on the right: (their b, their weight, their score, the tolerance between equals)."""
    weight, b = weight_of(sides, KNOWN, criterion), 0.0
    for c in range(sides.shape[1]):
        sides[LEFT, c], sides[RIGHT, c] = 0.0, sides[KNOWN, c]
        b += term(sides[KNOWN, c], criterion, xlogx)
    if criterion == SQUARED:
        b = sides[KNOWN, 1]
    return b, weight, score_unsplit(b, weight, criterion, xlogx), tolerance(sides, KNOWN, criterion, xlogx)


@exact
def move_class(y_class, i, w, sides, criterion, xlogx):
    """Move a row of weight w from the right to the left: the changes of a and b by its class."""
    if y_class is None:
        return 0.0, 0.0
    c = np.uintp(y_class[i])
    l, r = sides[LEFT, c], sides[RIGHT, c]
    sides[LEFT, c], sides[RIGHT, c] = l + w, r - w
    if criterion == GINI:
        return w * (l + l + w), w * (r + r - w)
    return plogp(l + w, xlogx) - plogp(l, xlogx), plogp(r, xlogx) - plogp(r - w, xlogx)


@exact
def weighted_number(y_number, i, w):
    """The numeric target of an instance times its weight w; 0 if targets are classes."""
    if y_number is None:
        return 0.0
    return w * y_number[i]


@exact
def best_cut(keys, instances, min_weight, criterion, sides):
    """The best cut of rows in order, all of them known: (drop in cost, its last key on the left, cuts tried,
    weight on the left); a last key of -1 means no cut.

    sides : float64 (5, n_stats), with the stats of these rows in row KNOWN
    """
    y_class, y_number, weights = instances.y_class, instances.y_number, instances.w
    xlogx, unit = instances.xlogx, instances.unit
    a, w_left = 0.0, 0.0
    b, w_right, unsplit, slack = start_scan(sides, criterion, xlogx)
    best, at, cuts, w_best = unsplit, -1, 0, 0.0
    for k in range(keys.size - 1):
        i = np.uintp(keys[k] & ROW)
        w = 1.0 if unit else weights[i]
        wy = weighted_number(y_number, i, w)
        more, less = move_class(y_class, i, w, sides, criterion, xlogx)
        a += wy + more
        b -= wy + less
        w_left += w
        w_right -= w
        if keys[k + 1] & FIRST and w_left >= min_weight and w_right >= min_weight and w_right > 0:
            cuts += 1
            if beats(a, b, w_left, w_right, best + slack, criterion, xlogx):
                best, at, w_best = score_of(a, b, w_left, w_right, criterion, xlogx), k, w_left
    return best - unsplit, at, cuts, w_best


@exact
def random_below(random, n):
    """A random whole number below n (xorshift64*, Marsaglia and Vigna)."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return np.int64(((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % np.uint64(n))


@exact
def row_of(origin, n_rows, i):
    """The row of an instance: the first n_rows instances are the rows themselves, fractions follow."""
    if origin is None:
        return i
    return i if i < np.uintp(n_rows) else np.uintp(origin[i - np.uintp(n_rows)])


@exact
def random_between(low, high, random):
    """A number drawn evenly between two, never the higher one."""
    drawn = low + random_below(random, STEPS) / STEPS * (high - low)
    return drawn if low <= drawn < high else low


@exact
def best_bin(hist, occurring, min_weight, criterion, sides, xlogx):  # noqa: C901 (an inner loop)
    """The best cut between codes that occur: (drop in cost, the code below, the code above, cuts tried,
    weight on the left); a code below of -1 means no cut.

    hist : without missing cells; sides[KNOWN] : its sum; occurring : bitset of the codes that may occur
    """
    a, w_left = 0.0, 0.0
    b, w_right, unsplit, slack = start_scan(sides, criterion, xlogx)
    best, below, above, cuts, last, w_best = unsplit, -1, -1, 0, -1, 0.0
    for word in range((hist.shape[0] + 63) // 64):
        bits = occurring[word]
        while bits != 0:
            code = 64 * word + lowest(bits)
            bits = without_lowest(bits)
            if code >= hist.shape[0]:
                break
            w = weight_of(hist, code, criterion)
            if w <= 0:
                continue
            if last >= 0 and w_left >= min_weight and w_right >= min_weight:
                cuts += 1
                if beats(a, b, w_left, w_right, best + slack, criterion, xlogx):
                    best, below, above = score_of(a, b, w_left, w_right, criterion, xlogx), last, code
                    w_best = w_left
            if criterion == SQUARED:
                a += hist[code, 1]
                b -= hist[code, 1]
            else:
                for c in range(sides.shape[1]):
                    n, l, r = hist[code, c], sides[LEFT, c], sides[RIGHT, c]
                    sides[LEFT, c], sides[RIGHT, c] = l + n, r - n
                    if criterion == GINI:
                        a += n * (l + l + n)
                        b -= n * (r + r - n)
                    elif n > 0:
                        a += plogp(l + n, xlogx) - plogp(l, xlogx)
                        b += plogp(r - n, xlogx) - plogp(r, xlogx)
            w_left += w
            w_right -= w
            last = code
    return best - unsplit, below, above, cuts, w_best


@exact
def multiway(hist, n_codes, sides, row, min_weight, criterion, xlogx):
    """The drop in cost of a split with a branch for each code, or -1 unless two branches have the minimum
    weight; and for entropy, the sum of W log2 W over the branches, which the split information is made of.

    hist : whose first n_codes sum to that row of sides
    """
    branches, after, spread = 0, 0.0, 0.0
    for code in range(n_codes):
        weight = weight_of(hist, code, criterion)
        if criterion in (
            ENTROPY,
            GAIN_RATIO,
        ):  # `impurity_cost` without its early return: small nodes lack many codes
            outside, inside = plogp(weight, xlogx), 0.0
            for c in range(hist.shape[1]):
                inside += plogp(hist[code, c], xlogx)
            after += outside - inside
            spread += outside
        else:
            after += impurity_cost(hist, code, criterion, xlogx)
        branches += (weight > 0) & (weight >= min_weight)
    drop = max(impurity_cost(sides, row, criterion, xlogx) - after, 0.0)  # below 0 only by rounding
    return drop if branches >= 2 else -1.0, spread
