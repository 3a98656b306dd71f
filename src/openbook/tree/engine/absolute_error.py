r"""Absolute error: the deviation of targets from their median, updated as rows are added; kernels.

    deviation = sum_i w_i |y_i - m|,    m the weighted median

It is the same for every m between the lower and the upper median, so the lower one is enough to compute it. A
node predicts the point halfway between the two.

The distinct targets of a node are ranked. A binary indexed tree over the ranks (Fenwick, 1994) adds a row,
and finds the median and the sums below it, in log n steps. The keys of the target, the last of the sorted
columns, give the ranks. A column is searched in a pass from the right and one from the left, over groups of
rows with the same number or code:

    deviation of the groups up to a cut + deviation of the groups behind it

The best two groups of nominal values are searched among the cuts in the order of the values' medians, which
need not be the best of all.

For other criteria the median tree is None, and none of this is compiled.

sums are relative to an origin, the node's median, so that targets far from zero lose no digits
stats : for this criterion a row of stats is W, median, deviation
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import exact
from openbook.tree.engine.columns import NOMINAL, ORDERED, SORTED
from openbook.tree.engine.keys import FIRST, MISSING, ROW
from openbook.tree.engine.split import KNOWN, LEFT, ROUNDING, TOTAL, UNKNOWN, row_of
from openbook.tree.engine.subset import sort_codes


class MedianTree(NamedTuple):
    """The binary indexed tree over the ranks of a node's targets, and buffers for groups of rows.

    target : float64 (capacity,), the distinct targets of the node by rank; rank : int64 (n_rows,), of its
        rows
    size : int64 (1,), how many ranks there are
    sums : float64 (capacity + 1, 2), the tree of w and w (y - origin), cleared after use
    keys : uint32 (capacity,), the members in the order of a column, FIRST at a new number or code
    first, order : int64 (capacity + 2,), where each group of equal keys begins, and the order of the groups
    score, right : float64 (capacity + 2,), a group's median, and the deviation of the groups from one on
    """

    target: np.ndarray
    rank: np.ndarray
    size: np.ndarray
    sums: np.ndarray
    keys: np.ndarray
    first: np.ndarray
    order: np.ndarray
    score: np.ndarray
    right: np.ndarray


def median_tree(n_rows, capacity):
    """An empty median tree for so many rows, and members."""
    n = capacity + 2
    rank, size, sums = np.zeros(n_rows, np.int64), np.zeros(1, np.int64), np.zeros((n, 2))
    whole, real = np.zeros((2, n), np.int64), np.zeros((2, n))
    return MedianTree(np.zeros(n), rank, size, sums, np.zeros(n, np.uint32), *whole, *real)


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


@exact
def row_behind(samples, i):
    """The row of an instance."""
    return row_of(samples.origin, samples.n_rows, i)


@exact
def rank_targets(medians, samples, segment):
    """Rank the distinct targets of a node, and its rows by them."""
    if medians is None:
        return
    start, end = segment
    keys, last, size = samples.keys, samples.keys.shape[0] - 1, 0
    for k in range(start, end):
        i = np.uintp(keys[last, k] & ROW)
        y = samples.instances.y_number[i]
        if size == 0 or y > medians.target[size - 1]:
            medians.target[size] = y
            size += 1
        medians.rank[row_behind(samples, i)] = size - 1
    medians.size[0] = size


@exact
def add_at_rank(medians, rank, w, above_origin):
    """Add a row to the tree."""
    i, n = rank + 1, medians.size[0]
    while i <= n:
        medians.sums[i, 0] += w
        medians.sums[i, 1] += w * above_origin
        i += i & -i


@exact
def rank_at_weight(medians, weight):
    """The lowest rank up to which there is that weight: (rank, weight and sum below it)."""
    n, at, w, s = medians.size[0], 0, 0.0, 0.0
    step = 1
    while 2 * step <= n:
        step *= 2
    while step > 0:
        if at + step <= n and w + medians.sums[at + step, 0] < weight:
            at += step
            w += medians.sums[at, 0]
            s += medians.sums[at, 1]
        step //= 2
    return min(at, n - 1), w, s


@exact
def deviation(medians, weight, total, origin):
    """The deviation of all rows added so far, with this weight and this sum relative to the origin."""
    rank, w, s = rank_at_weight(medians, weight / 2 * (1 - ROUNDING))
    m = medians.target[rank] - origin
    return max(m * w - s + (total - s) - m * (weight - w), 0.0)


@exact
def add_rows(samples, medians, keys, span, origin, weight, total):
    """Add the rows of a span (start, end) of keys: (weight, sum) including them."""
    start, end = span
    for k in range(start, end):
        i = np.uintp(keys[k] & ROW)
        rank = medians.rank[row_behind(samples, i)]
        w, y = samples.instances.w[i], medians.target[rank] - origin
        add_at_rank(medians, rank, w, y)
        weight += w
        total += w * y
    return weight, total


@exact
def clear_sums(medians):
    """Clear the tree, rounding errors included."""
    for i in range(medians.size[0] + 1):
        medians.sums[i, 0] = 0.0
        medians.sums[i, 1] = 0.0


@exact
def set_median_stats(samples, medians, keys, span, origin, stats, row):
    """Fill in a row of stats: the weight, median and deviation of a span's rows; 0 for none."""
    weight, total = add_rows(samples, medians, keys, span, origin, 0.0, 0.0)
    stats[row, 0], stats[row, 1], stats[row, 2] = weight, 0.0, 0.0
    if weight > 0:
        lower, _, _ = rank_at_weight(medians, weight / 2 * (1 - ROUNDING))
        upper, _, _ = rank_at_weight(medians, weight / 2 * (1 + ROUNDING))
        stats[row, 1] = medians.target[lower] + (medians.target[upper] - medians.target[lower]) / 2
        stats[row, 2] = deviation(medians, weight, total, origin)
    clear_sums(medians)


@exact
def set_branch_medians(medians, samples, tree, node, first, last):
    """The stats of a node's branches, which are the nodes from first up to last."""
    if medians is None:
        return
    for child in range(first, last):
        span = (np.int64(tree.nodes[child].start), np.int64(tree.nodes[child].end))
        set_median_stats(samples, medians, samples.members, span, tree.stats[node, 1], tree.stats, child)


@exact
def order_members(medians, samples, f, segment, to):
    """Fill in the members' keys in the order of a column, missing last: how many are known.

    to : int64 (n_codes + 1,), a buffer to count codes in
    """
    start, end = segment
    keys, kind, place = medians.keys, samples.columns[f].kind, samples.columns[f].place
    if kind == SORTED:
        known = 0
        for k in range(start, end):
            keys[k - start] = samples.keys[place, k]
            known += 0 if samples.keys[place, k] & MISSING else 1
        return known
    n_codes = samples.columns[f].n_codes
    for code in range(n_codes + 1):
        to[code] = 0
    for k in range(start, end):
        code = np.int64(samples.codes[row_behind(samples, np.uintp(samples.members[k])), place])
        if code < n_codes:
            to[code + 1] += 1
    for code in range(n_codes):
        to[code + 1] += to[code]
    known = to[n_codes]
    for k in range(start, end):
        code = np.int64(samples.codes[row_behind(samples, np.uintp(samples.members[k])), place])
        keys[to[code]] = samples.members[k]
        to[code] += 1
    first = 0
    for code in range(n_codes + 1):
        if to[code] > first:
            keys[first] |= FIRST
            first = to[code]
    return known


@exact
def group_keys(medians, start, end):
    """Fill in where each group of equal keys begins, and where the last ends: how many groups there are."""
    groups = 0
    for k in range(start, end):
        if medians.keys[k] & FIRST:
            medians.first[groups], medians.order[groups] = k, groups
            groups += 1
    medians.first[groups] = end
    return groups


@exact
def best_group_cut(samples, medians, groups, min_weight, sides):
    """The best cut between groups, in their order: (drop in deviation, how many groups are on the left, their
    weight); 0 on the left means no cut.
    """
    keys, first, order, origin = medians.keys, medians.first, medians.order, sides[TOTAL, 1]
    weight, total = 0.0, 0.0
    for t in range(groups - 1, 0, -1):
        span = (first[order[t]], first[order[t] + 1])
        weight, total = add_rows(samples, medians, keys, span, origin, weight, total)
        medians.right[t] = deviation(medians, weight, total, origin)
    clear_sums(medians)
    best, left, w_best, slack = 0.0, 0, 0.0, ROUNDING * sides[TOTAL, 2]
    weight, total = 0.0, 0.0
    for t in range(groups - 1):
        span = (first[order[t]], first[order[t] + 1])
        weight, total = add_rows(samples, medians, keys, span, origin, weight, total)
        if weight >= min_weight and sides[KNOWN, 0] - weight >= min_weight:
            drop = sides[KNOWN, 2] - deviation(medians, weight, total, origin) - medians.right[t + 1]
            if drop > best + slack:
                best, left, w_best = drop, t + 1, weight
    clear_sums(medians)
    return best, left, w_best


@exact
def search_medians(medians, samples, f, segment, rule, own_branch, workspace, split):
    """Search column f for the least absolute error: (drop, weight on the left); a drop of -1 means no split.

    Fills in the stats of missing and known cells.
    """
    if medians is None:
        return -1.0, 0.0
    sides, kind, n = workspace.sides, samples.columns[f].kind, segment[1] - segment[0]
    origin = sides[TOTAL, 1]
    known = order_members(medians, samples, f, segment, workspace.order)
    for s in range(sides.shape[1]):
        sides[UNKNOWN, s], sides[KNOWN, s] = 0.0, sides[TOTAL, s]
    for row in range(UNKNOWN, KNOWN + 1 if known < n else UNKNOWN):
        span = (known, n) if row == UNKNOWN else (np.int64(0), known)
        set_median_stats(samples, medians, medians.keys, span, origin, sides, row)
    split.gain, split.below, split.known = np.nan, -1, known
    multiway = kind == NOMINAL and not rule.subset
    groups = group_keys(medians, 0, n if multiway and own_branch else known)
    if groups < 2:
        return -1.0, 0.0
    if kind == NOMINAL:
        below = group_medians(medians, samples, groups, rule.min_leaf_weight, sides)
        if multiway:
            return (sides[TOTAL if own_branch else KNOWN, 2] - below if below >= 0 else -1.0), 0.0
        sort_codes(medians.score, medians.order[:groups])
    drop, left, w_left = best_group_cut(samples, medians, groups, rule.min_leaf_weight, sides)
    if left == 0:
        return -1.0, 0.0
    if kind == SORTED:
        split.below, split.above = medians.first[left] - 1, medians.first[left]
    elif kind == ORDERED:
        split.below, split.above = code_at(medians, samples, f, left - 1), code_at(medians, samples, f, left)
    else:
        set_routes(medians, samples, f, groups, left, workspace.routes[samples.columns[f].route :])
    return drop, w_left


@exact
def group_medians(medians, samples, groups, min_weight, sides):
    """The deviation of all groups, each from its own median; -1 unless two have the minimum weight."""
    branches, below = 0, 0.0
    for g in range(groups):
        span = (medians.first[g], medians.first[g + 1])
        set_median_stats(samples, medians, medians.keys, span, sides[TOTAL, 1], sides, LEFT)
        branches += 1 if sides[LEFT, 0] >= min_weight else 0
        below += sides[LEFT, 2]
        medians.score[g] = sides[LEFT, 1]
    return below if branches >= 2 else -1.0


@exact
def set_routes(medians, samples, f, groups, left, routes):
    """Fill in the branches of codes: 0 for those of the first `left` groups, 1 for others."""
    for code in range(samples.columns[f].n_codes):
        routes[code] = -1
    for t in range(groups):
        routes[code_at(medians, samples, f, medians.order[t])] = 0 if t < left else 1


@exact
def code_at(medians, samples, f, g):
    """The code of a group in the coded column f."""
    i = np.uintp(medians.keys[medians.first[g]] & ROW)
    return np.int64(samples.codes[row_behind(samples, i), samples.columns[f].place])


@exact
def record_medians(medians, samples, f, segment, split, workspace, stats):
    """Record the weight, median and deviation of the branches of column f's candidate."""
    if medians is None:
        return
    column, n = samples.columns[f], segment[1] - segment[0]
    kind, n_codes, slot = column.kind, column.n_codes, column.slot
    known = order_members(medians, samples, f, segment, workspace.order)
    groups = group_keys(medians, 0, known)
    for g in range(groups):
        at = medians.first[g] if kind == SORTED else code_at(medians, samples, f, g)
        medians.order[g] = (
            at if kind == NOMINAL else np.int64(at > split.below)
        )  # here, the branch of the group
    merged = 0  # of groups in one branch, the first stays
    for g in range(groups):
        if g == 0 or medians.order[g] != medians.order[g - 1]:
            medians.first[merged], medians.order[merged] = medians.first[g], medians.order[g]
            merged += 1
    medians.first[merged], medians.order[merged] = known, n_codes if kind == NOMINAL else 2
    medians.first[merged + 1] = n
    for g in range(merged + 1):
        span = (medians.first[g], medians.first[g + 1])
        origin, row = workspace.sides[TOTAL, 1], slot + medians.order[g]
        set_median_stats(samples, medians, medians.keys, span, origin, stats, row)
