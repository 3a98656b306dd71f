"""The search for the best split of a column at a node; kernels.

A split is judged by how much it lowers the cost (see `criteria`). Costs are kept up to date as rows or codes
move, one after the other, from the right of the cut to its left. Of equals the first wins: the smallest cut.

keys : uint32 (n,), the node's rows in the order of a sorted column (see `keys`)
hist : float64 (n_codes + 1, n_stats), what adds up over the node's rows, code by code; missing cells last
least : the weight that both sides of a cut, or two branches, must have
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.bits import lowest, without_lowest
from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner
from openbook.tree.engine.criteria import ENTROPY, GAIN_RATIO, GINI, SQUARED, impurity_cost, plogp, weight_of
from openbook.tree.engine.keys import CLASS_BIT, FIRST, ROW

#: The rows of the stats on the desk: two sides, and missing, known and all cells of the members at hand.
#: NumPy's numbers, since numba compiles a function anew for each of Python's that it is called with.
LEFT, RIGHT, GAP, KNOWN, TOTAL = np.arange(5)

#: So many steps are there between the smallest and the largest number for a cut drawn at random.
STEPS = np.int64(2**31)

#: Differences smaller than this share of a cost are rounding, so the splits are equals.
ROUNDING = 1e-12


@bundle
class Instances(NamedTuple):
    """Rows, or parts of rows whose missing cells sent them down several branches.

    y : uint8 or uint16 (n,), the class; number : float64 (n,), the target of a regression (one of the two
        is None, and what is for it is not compiled)
    w : float64 (n,), the weight; unit : whether all weigh 1
    whole : float64, x log2 x of the whole numbers x; empty where weights are not whole, or for Gini
    """

    y: np.ndarray | None
    number: np.ndarray | None
    w: np.ndarray
    unit: bool
    whole: np.ndarray


@bundle
class Targets(NamedTuple):
    """The targets and weights of members, in the order in which they stand: as in `Instances`, but where all
    weigh 1 without weights.
    """

    y: np.ndarray | None
    number: np.ndarray | None
    w: np.ndarray


@inner
def add_instance(instances, i, stats, row):
    """Add an instance to a row of stats."""
    if instances.y is None:
        add_number(instances.number[i], instances.w[i], stats, row)
    else:
        stats[row, np.uintp(instances.y[i])] += instances.w[i]


@inner
def add_keys(keys, instances, stats, row):
    """Add the instances behind keys to a row of stats."""
    if instances.unit and stats.shape[1] == 2:
        ones = 0
        for k in range(keys.size):
            ones += (keys[k] >> CLASS_BIT) & 1
        stats[row, 0] += keys.size - ones
        stats[row, 1] += ones
    else:
        for k in range(keys.size):
            add_instance(instances, np.uintp(keys[k] & ROW), stats, row)


@inner
def add_target(y, number, w, k, stats, row):
    """Add the k-th of `Targets`, taken apart, to a row of stats."""
    if y is None:
        add_number(number[k], w[k] if w.size else 1.0, stats, row)
    else:
        stats[row, np.uintp(y[k])] += w[k] if w.size else 1.0


@inner
def add_number(y, w, stats, row):
    """Add a number of this weight to a row of stats."""
    wy = w * y
    stats[row, 0] += w
    stats[row, 1] += wy
    stats[row, 2] += wy * y


@inner
def tolerance(stats, row, criterion, whole):
    """The size of a rounding error in the costs of rows with these stats."""
    if criterion >= SQUARED:
        return ROUNDING * stats[row, 2]
    weight = weight_of(stats, row, criterion)
    return ROUNDING * (weight if criterion == GINI else weight + max(plogp(weight, whole), 0.0))


@inner
def value_of(a, b, w_left, w_right, criterion, whole):
    """What two sides are worth, the more the better: their cost, but for what all splits share.

    a, b : of the left and the right, the sum over classes of n_c^2 or of n_c log2 n_c; or the sum of w y
    """
    if criterion == GINI:
        return a / w_left + b / w_right
    if criterion == SQUARED:
        return a * a / w_left + b * b / w_right
    return a - plogp(w_left, whole) + b - plogp(w_right, whole)


@inner
def beats(a, b, w_left, w_right, bar, criterion, whole):
    """Whether two sides are worth more than the bar; without a division, which takes longer than the rest."""
    if criterion == GINI:
        return a * w_right + b * w_left > bar * (w_left * w_right)
    if criterion == SQUARED:
        return a * a * w_right + b * b * w_left > bar * (w_left * w_right)
    return value_of(a, b, w_left, w_right, criterion, whole) > bar


@inner
def value_of_one(a, w, criterion, whole):
    """`value_of` for rows that are not split."""
    if criterion == GINI:
        return a / w
    return a * a / w if criterion == SQUARED else a - plogp(w, whole)


@inner
def term(n, criterion, whole):
    """What a class of this weight adds to a or b."""
    return n * n if criterion == GINI else plogp(n, whole)


@inner(forceinline=True)
def all_right(sides, criterion, whole):
    """Put all known rows on the right: (their b, their weight, their value, the slack between equals)."""
    weight, b = weight_of(sides, KNOWN, criterion), 0.0
    for c in range(sides.shape[1]):
        sides[LEFT, c], sides[RIGHT, c] = 0.0, sides[KNOWN, c]
        b += term(sides[KNOWN, c], criterion, whole)
    if criterion == SQUARED:
        b = sides[KNOWN, 1]
    return b, weight, value_of_one(b, weight, criterion, whole), tolerance(sides, KNOWN, criterion, whole)


@inner
def best_cut(keys, instances, least, criterion, sides):
    """The best cut of rows in order, all of them known: (drop in cost, its last key on the left, cuts tried,
    weight on the left); a last key of -1 is no cut at all.

    sides : float64 (5, n_stats), of which row KNOWN has the stats of these rows
    """
    y, number, weights = instances.y, instances.number, instances.w
    whole, unit = instances.whole, instances.unit
    a, w_left = 0.0, 0.0
    b, w_right, none, slack = all_right(sides, criterion, whole)
    best, at, cuts, w_best = none, -1, 0, 0.0
    for k in range(keys.size - 1):
        i = np.uintp(keys[k] & ROW)
        w = 1.0 if unit else weights[i]
        if y is None:
            a += w * number[i]
            b -= w * number[i]
        else:
            c = np.uintp(y[i])
            l, r = sides[LEFT, c], sides[RIGHT, c]
            sides[LEFT, c], sides[RIGHT, c] = l + w, r - w
            if criterion == GINI:
                a += w * (l + l + w)
                b -= w * (r + r - w)
            else:
                a += plogp(l + w, whole) - plogp(l, whole)
                b += plogp(r - w, whole) - plogp(r, whole)
        w_left += w
        w_right -= w
        if keys[k + 1] & FIRST and w_left >= least and w_right >= least and w_right > 0:
            cuts += 1
            if beats(a, b, w_left, w_right, best + slack, criterion, whole):
                best, at, w_best = value_of(a, b, w_left, w_right, criterion, whole), k, w_left
    return best - none, at, cuts, w_best


@inner
def whole_below(random, n):
    """A random whole number below n (xorshift64*, Marsaglia and Vigna)."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return np.int64(((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % np.uint64(n))


@inner
def row_of(rows, n_rows, i):
    """The row behind an instance: itself, unless the instance is a part; those come behind the n_rows."""
    if rows is None:
        return i
    return i if i < np.uintp(n_rows) else np.uintp(rows[i - np.uintp(n_rows)])


@inner
def drawn_between(low, high, random):
    """A number drawn evenly between two, never the higher one."""
    drawn = low + whole_below(random, STEPS) / STEPS * (high - low)
    return drawn if low <= drawn < high else low


@inner
def best_bin(hist, occur, least, criterion, sides, whole):  # noqa: C901 (an inner loop)
    """The best cut between codes that occur: (drop in cost, the code below, the code above, cuts tried,
    weight on the left); no cut is a code below of -1.

    hist : without missing cells; sides[KNOWN] : its sum; occur : bits, codes that may occur
    """
    a, w_left = 0.0, 0.0
    b, w_right, none, slack = all_right(sides, criterion, whole)
    best, below, above, cuts, last, w_best = none, -1, -1, 0, -1, 0.0
    for word in range((hist.shape[0] + 63) // 64):
        bits = occur[word]
        while bits != 0:
            code = 64 * word + lowest(bits)
            bits = without_lowest(bits)
            if code >= hist.shape[0]:
                break
            w = weight_of(hist, code, criterion)
            if w <= 0:
                continue
            if last >= 0 and w_left >= least and w_right >= least:
                cuts += 1
                if beats(a, b, w_left, w_right, best + slack, criterion, whole):
                    best, below, above = value_of(a, b, w_left, w_right, criterion, whole), last, code
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
                        a += plogp(l + n, whole) - plogp(l, whole)
                        b += plogp(r - n, whole) - plogp(r, whole)
            w_left += w
            w_right -= w
            last = code
    return best - none, below, above, cuts, w_best


@inner
def multiway(hist, n_codes, sides, row, least, criterion, whole):
    """The drop in cost of a branch for each code, or -1 unless two branches have the least weight; and by
    entropy, the sum of W log2 W over them, which split information is made of.

    hist : whose first n_codes sum to that row of sides
    """
    branches, below, spread = 0, 0.0, 0.0
    for code in range(n_codes):
        weight = weight_of(hist, code, criterion)
        if criterion in (
            ENTROPY,
            GAIN_RATIO,
        ):  # `cost` without a jump: small nodes lack many codes
            outside, inside = plogp(weight, whole), 0.0
            for c in range(hist.shape[1]):
                inside += plogp(hist[code, c], whole)
            below += outside - inside
            spread += outside
        else:
            below += impurity_cost(hist, code, criterion, whole)
        branches += (weight > 0) & (weight >= least)
    drop = max(impurity_cost(sides, row, criterion, whole) - below, 0.0)  # never less, but by rounding
    return drop if branches >= 2 else -1.0, spread
