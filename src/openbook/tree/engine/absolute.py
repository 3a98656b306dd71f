r"""Absolute error: the deviation of a target from its median, kept up to date as rows come; kernels.

    deviation = sum_i w_i |y_i - m|,    m the weighted median

It is the same for every m between the lower and the upper median, so the lower one serves to compute it; a
node predicts the point halfway between the two.

The targets of a node are the rungs of a ladder, in order. A binary indexed tree over them (Fenwick, 1994)
takes a row in, and finds the median and the sums below it, in log n steps. The rows lie in the order of the
target as in that of a sorted column, the last of the keys. A column is searched in a pass from the right and
one from the left, over groups of rows with the same number or code:

    deviation of the groups up to a cut + deviation of those behind it

The best two groups of nominal values are searched among the cuts in the order of the values' medians, which
need not be the best of all.

Other criteria have no ladder: None is a type of its own, for which the compiler leaves all of this out.

sums are relative to an origin, the node's median, so that targets far from zero lose no digits
stats : for this criterion a row of stats is W, median, deviation
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner
from openbook.tree.engine.columns import NOMINAL, ORDERED, SORTED
from openbook.tree.engine.keys import FIRST, MISSING, ROW
from openbook.tree.engine.split import GAP, KNOWN, LEFT, ROUNDING, TOTAL, row_of
from openbook.tree.engine.subset import sort_codes


class Ladder(NamedTuple):
    """The targets in order, and room to work in.

    target : float64 (capacity,), of each rung of the node at hand; rung : int64 (n_rows,), of its rows
    size : int64 (1,), how many rungs there are
    sums : float64 (capacity + 1, 2), a binary indexed tree of w and w (y - origin), wiped after use
    keys : uint32 (capacity,), the members in the order of the column at hand, FIRST at a new number or code
    first, turn : int64 (capacity + 2,), where each group of equal keys begins, and whose turn it is
    score, right : float64 (capacity + 2,), a group's median, and the deviation from a group on
    """

    target: np.ndarray
    rung: np.ndarray
    size: np.ndarray
    sums: np.ndarray
    keys: np.ndarray
    first: np.ndarray
    turn: np.ndarray
    score: np.ndarray
    right: np.ndarray


def ladder_of(n_rows, capacity):
    """An empty ladder for so many rows, and members."""
    n = capacity + 2
    rung, size, sums = np.zeros(n_rows, np.int64), np.zeros(1, np.int64), np.zeros((n, 2))
    whole, real = np.zeros((2, n), np.int64), np.zeros((2, n))
    return Ladder(np.zeros(n), rung, size, sums, np.zeros(n, np.uint32), *whole, *real)


def median_and_deviation(y, w):
    """The weighted median, halfway between the lower and the upper one, and the deviation from it.

    >>> median_and_deviation([1.0, 4.0, 2.0, 9.0], [1.0, 1.0, 1.0, 1.0])
    (3.0, 10.0)
    """
    y, w = np.asarray(y, dtype=float), np.asarray(w, dtype=float)
    order = np.argsort(y, kind="stable")
    y, w = y[order], w[order]
    below, half = np.cumsum(w), w.sum() / 2
    lower = y[np.searchsorted(below, half * (1 - ROUNDING))]
    upper = y[min(np.searchsorted(below, half * (1 + ROUNDING)), len(y) - 1)]
    median = lower + (upper - lower) / 2
    return float(median), float(w @ np.abs(y - median))


@inner
def row_behind(ground, i):
    """The row that an instance is, or is a part of."""
    return row_of(ground.rows, ground.n_rows, i)


@inner
def set_up(ladder, ground, segment):
    """Put up the rungs of a node's targets."""
    if ladder is None:
        return
    start, end = segment
    keys, last, size = ground.keys, ground.keys.shape[0] - 1, 0
    for k in range(start, end):
        i = np.uintp(keys[last, k] & ROW)
        y = ground.instances.number[i]
        if size == 0 or y > ladder.target[size - 1]:
            ladder.target[size] = y
            size += 1
        ladder.rung[row_behind(ground, i)] = size - 1
    ladder.size[0] = size


@inner
def put_rung(ladder, rung, w, above_origin):
    """Take a row in."""
    i, n = rung + 1, ladder.size[0]
    while i <= n:
        ladder.sums[i, 0] += w
        ladder.sums[i, 1] += w * above_origin
        i += i & -i


@inner
def climb(ladder, weight):
    """The lowest rung up to which there is that weight: (rung, weight and sum below it)."""
    n, at, w, s = ladder.size[0], 0, 0.0, 0.0
    step = 1
    while 2 * step <= n:
        step *= 2
    while step > 0:
        if at + step <= n and w + ladder.sums[at + step, 0] < weight:
            at += step
            w += ladder.sums[at, 0]
            s += ladder.sums[at, 1]
        step //= 2
    return min(at, n - 1), w, s


@inner
def deviation(ladder, weight, total, origin):
    """The deviation of what is on the ladder, of this weight and this sum relative to the origin."""
    rung, w, s = climb(ladder, weight / 2 * (1 - ROUNDING))
    m = ladder.target[rung] - origin
    return max(m * w - s + (total - s) - m * (weight - w), 0.0)


@inner
def take(ground, ladder, keys, span, origin, weight, total):
    """Take the rows of a span (start, end) of keys in: (weight, sum) with them."""
    start, end = span
    for k in range(start, end):
        i = np.uintp(keys[k] & ROW)
        rung = ladder.rung[row_behind(ground, i)]
        w, y = ground.instances.w[i], ladder.target[rung] - origin
        put_rung(ladder, rung, w, y)
        weight += w
        total += w * y
    return weight, total


@inner
def wipe(ladder):
    """Leave nothing on the ladder, not even rounding."""
    for i in range(ladder.size[0] + 1):
        ladder.sums[i, 0] = 0.0
        ladder.sums[i, 1] = 0.0


@inner
def settle(ground, ladder, keys, span, origin, stats, row):
    """Fill in a row of stats: the weight, median and deviation of a span's rows; 0 for none."""
    weight, total = take(ground, ladder, keys, span, origin, 0.0, 0.0)
    stats[row, 0], stats[row, 1], stats[row, 2] = weight, 0.0, 0.0
    if weight > 0:
        lower, _, _ = climb(ladder, weight / 2 * (1 - ROUNDING))
        upper, _, _ = climb(ladder, weight / 2 * (1 + ROUNDING))
        stats[row, 1] = ladder.target[lower] + (ladder.target[upper] - ladder.target[lower]) / 2
        stats[row, 2] = deviation(ladder, weight, total, origin)
    wipe(ladder)


@inner
def settle_branches(ladder, ground, growth, node, first, last):
    """The stats of a node's branches, from the first up to the last."""
    if ladder is None:
        return
    for child in range(first, last):
        span = (np.int64(growth.nodes[child].start), np.int64(growth.nodes[child].end))
        settle(ground, ladder, ground.members, span, growth.stats[node, 1], growth.stats, child)


@inner
def lay_in_order(ladder, ground, f, segment, to):
    """Put the members' keys on the ladder in the order of a column, missing last: how many are known.

    to : int64 (n_codes + 1,), room to count codes
    """
    start, end = segment
    keys, kind, place = ladder.keys, ground.columns[f].kind, ground.columns[f].place
    if kind == SORTED:
        known = 0
        for k in range(start, end):
            keys[k - start] = ground.keys[place, k]
            known += 0 if ground.keys[place, k] & MISSING else 1
        return known
    n_codes = ground.columns[f].n_codes
    for code in range(n_codes + 1):
        to[code] = 0
    for k in range(start, end):
        code = np.int64(ground.codes[row_behind(ground, np.uintp(ground.members[k])), place])
        if code < n_codes:
            to[code + 1] += 1
    for code in range(n_codes):
        to[code + 1] += to[code]
    known = to[n_codes]
    for k in range(start, end):
        code = np.int64(ground.codes[row_behind(ground, np.uintp(ground.members[k])), place])
        keys[to[code]] = ground.members[k]
        to[code] += 1
    first = 0
    for code in range(n_codes + 1):
        if to[code] > first:
            keys[first] |= FIRST
            first = to[code]
    return known


@inner
def group(ladder, start, end):
    """Fill in where each group of equal keys begins, and where the last ends: how many groups there are."""
    groups = 0
    for k in range(start, end):
        if ladder.keys[k] & FIRST:
            ladder.first[groups], ladder.turn[groups] = k, groups
            groups += 1
    ladder.first[groups] = end
    return groups


@inner
def best_turn(ground, ladder, groups, least, sides):
    """The best cut between groups in their turns: (drop in deviation, how many groups are on the left, their
    weight); 0 on the left is no cut.
    """
    keys, first, turn, origin = ladder.keys, ladder.first, ladder.turn, sides[TOTAL, 1]
    weight, total = 0.0, 0.0
    for t in range(groups - 1, 0, -1):
        span = (first[turn[t]], first[turn[t] + 1])
        weight, total = take(ground, ladder, keys, span, origin, weight, total)
        ladder.right[t] = deviation(ladder, weight, total, origin)
    wipe(ladder)
    best, left, w_best, slack = 0.0, 0, 0.0, ROUNDING * sides[TOTAL, 2]
    weight, total = 0.0, 0.0
    for t in range(groups - 1):
        span = (first[turn[t]], first[turn[t] + 1])
        weight, total = take(ground, ladder, keys, span, origin, weight, total)
        if weight >= least and sides[KNOWN, 0] - weight >= least:
            drop = sides[KNOWN, 2] - deviation(ladder, weight, total, origin) - ladder.right[t + 1]
            if drop > best + slack:
                best, left, w_best = drop, t + 1, weight
    wipe(ladder)
    return best, left, w_best


@inner
def scan_medians(ladder, ground, f, segment, rule, own_branch, desk, found):
    """Search column f for the least absolute error: (drop, weight on the left); a drop of -1 is no split.

    The stats of missing and known cells are left on the desk.
    """
    if ladder is None:
        return -1.0, 0.0
    sides, kind, n, origin = desk.sides, ground.columns[f].kind, segment[1] - segment[0], desk.sides[TOTAL, 1]
    known = lay_in_order(ladder, ground, f, segment, desk.rank)
    for s in range(sides.shape[1]):
        sides[GAP, s], sides[KNOWN, s] = 0.0, sides[TOTAL, s]
    for row in range(GAP, KNOWN + 1 if known < n else GAP):
        span = (known, n) if row == GAP else (np.int64(0), known)
        settle(ground, ladder, ladder.keys, span, origin, sides, row)
    found.gain, found.below, found.known = np.nan, -1, known
    multiway = kind == NOMINAL and not rule.subset
    groups = group(ladder, 0, n if multiway and own_branch else known)
    if groups < 2:
        return -1.0, 0.0
    if kind == NOMINAL:
        below = part_groups(ladder, ground, groups, rule.least, sides)
        if multiway:
            return (sides[TOTAL if own_branch else KNOWN, 2] - below if below >= 0 else -1.0), 0.0
        sort_codes(ladder.score, ladder.turn[:groups])
    drop, left, w_left = best_turn(ground, ladder, groups, rule.least, sides)
    if left == 0:
        return -1.0, 0.0
    if kind == SORTED:
        found.below, found.above = ladder.first[left] - 1, ladder.first[left]
    elif kind == ORDERED:
        found.below, found.above = code_at(ladder, ground, f, left - 1), code_at(ladder, ground, f, left)
    else:
        take_routes(ladder, ground, f, groups, left, desk.routes[ground.columns[f].route :])
    return drop, w_left


@inner
def part_groups(ladder, ground, groups, least, sides):
    """The deviation of all groups, each from its median (its score); -1 unless two have the least weight."""
    branches, below = 0, 0.0
    for g in range(groups):
        span = (ladder.first[g], ladder.first[g + 1])
        settle(ground, ladder, ladder.keys, span, sides[TOTAL, 1], sides, LEFT)
        branches += 1 if sides[LEFT, 0] >= least else 0
        below += sides[LEFT, 2]
        ladder.score[g] = sides[LEFT, 1]
    return below if branches >= 2 else -1.0


@inner
def take_routes(ladder, ground, f, groups, left, routes):
    """Where the codes go that so many groups on the left, in their turns, and the others have."""
    for code in range(ground.columns[f].n_codes):
        routes[code] = -1
    for t in range(groups):
        routes[code_at(ladder, ground, f, ladder.turn[t])] = 0 if t < left else 1


@inner
def code_at(ladder, ground, f, g):
    """The code of a group in the coded column f."""
    i = np.uintp(ladder.keys[ladder.first[g]] & ROW)
    return np.int64(ground.codes[row_behind(ground, i), ground.columns[f].place])


@inner
def note_medians(ladder, ground, f, segment, found, desk, stats, slot):
    """Write down the weight, median and deviation of the branches of column f's candidate, from a slot on."""
    kind, n, n_codes = ground.columns[f].kind, segment[1] - segment[0], ground.columns[f].n_codes
    known = lay_in_order(ladder, ground, f, segment, desk.rank)
    groups = group(ladder, 0, known)
    for g in range(groups):
        at = ladder.first[g] if kind == SORTED else code_at(ladder, ground, f, g)
        ladder.turn[g] = at if kind == NOMINAL else np.int64(at > found.below)  # here, the slot of the group
    merged = 0  # of groups that share a slot, the first stays
    for g in range(groups):
        if g == 0 or ladder.turn[g] != ladder.turn[g - 1]:
            ladder.first[merged], ladder.turn[merged] = ladder.first[g], ladder.turn[g]
            merged += 1
    ladder.first[merged], ladder.turn[merged] = known, n_codes if kind == NOMINAL else 2
    ladder.first[merged + 1] = n
    for g in range(merged + 1):
        span = (ladder.first[g], ladder.first[g + 1])
        settle(ground, ladder, ladder.keys, span, desk.sides[TOTAL, 1], stats, slot + ladder.turn[g])
