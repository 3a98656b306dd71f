"""Every candidate at a node: what its best split gains, and which one wins.

    gain         the drop in cost per unit of the node's weight, missing cells gaining nothing
    gain ratio   gain / split information, among the candidates of at least average gain (Quinlan, 1993)

As in C4.5, criterion "gain_ratio" asks of a cut a tenth of the average weight of a class (but no less than
`least` and no more than 25) on both sides, and charges it log2(number of cuts tried) / W bits for the choice.

A nominal column of more than `few` values is charged for what chance alone gains on average: each of its
values beyond two lowers the cost of a node by cost / W, or by (classes - 1) / (2 ln 2) bits of entropy, even
if it has nothing to do with the target. Both are the mean of chi-squared, for a variance that is known.

The first of equals wins, in the order of the table.
"""

import math
from typing import NamedTuple

import numpy as np

from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner
from openbook.tree.engine.absolute import Ladder, note_medians, scan_medians
from openbook.tree.engine.columns import DRAWN, NOMINAL, ORDERED, SORTED
from openbook.tree.engine.counts import (
    clear,
    count_codes,
    has_gaps,
    in_table,
    in_words,
    multiway_packed,
)
from openbook.tree.engine.criteria import GAIN_RATIO, GINI, SQUARED, impurity_cost, plogp, weight_of
from openbook.tree.engine.keys import MISSING, ROW
from openbook.tree.engine.split import (
    GAP,
    KNOWN,
    LEFT,
    RIGHT,
    TOTAL,
    Targets,
    add_keys,
    add_target,
    best_bin,
    best_cut,
    drawn_between,
    multiway,
    row_of,
    tolerance,
)
from openbook.tree.engine.subset import best_subset
from openbook.tree.engine.two_classes import best_cut_of_two

FRACTIONAL, MAJORITY, OWN_BRANCH = range(3)

#: C4.5's tolerances, and its bounds for the weight beside a cut.
NEAR_AVERAGE, EQUAL_RATIO, MOST_BESIDE = 1e-3, 1e-6, 25.0


@bundle
class GrowthRule(NamedTuple):
    """The settings of growth, as numbers.

    least_to_split : the weight that a node must have to be split
    least : the weight that two branches of a split must have
    min_drop : how much a split must lower the cost (see `criteria`), at least
    few : nominal columns of more values are charged for what chance gains
    penalty : the pessimistic error of a leaf; None for no such stop
    critical : float64, the critical value of chi-squared by degrees of freedom; None for no test
    """

    criterion: int
    subset: bool
    few: int
    missing: int
    max_depth: int
    least_to_split: float
    least: float
    min_gain: float
    min_drop: float
    max_features: int
    penalty: float | None
    critical: np.ndarray | None


#: The best split of a column at a node: its gain, NaN where there is none; its split information; the codes,
#: or the keys of the segment, on both sides of a cut; how many keys of a sorted column are not missing, and
#: whether cells of a coded one are; a cut that was drawn.
FOUND = np.dtype(
    [
        ("gain", np.float64),
        ("info", np.float64),
        ("below", np.int64),
        ("above", np.int64),
        ("known", np.int64),
        ("gaps", np.bool_),
        ("cut", np.float64),
    ]
)


@bundle
class Evidence(NamedTuple):
    """What the candidates of the upper nodes would have held, for the work.

    node : int64 (n_noted,), which node it was, -1 where there is none yet
    found : FOUND (n_noted, n_columns), with the rows around a cut instead of keys
    stats : float64 (n_noted, n_slots, n_stats), from the column's `slot` on: of a nominal column those of
        every value, then of missing cells; of others below the cut, above it, missing
    """

    node: np.ndarray
    found: np.ndarray
    stats: np.ndarray


@bundle
class Desk(NamedTuple):
    """Room to work in.

    hist : float64 (most codes + 1, n_stats), wiped between columns; occur : uint64, the codes in it, as bits
    sides : float64 (5, n_stats), of two sides, and of missing, known and all cells
    routes : int32, from a nominal column's `route` on, where the codes of its best subset go; None where no
        column is nominal
    order : int64 (n_columns,), of the columns; random : uint64 (1,), the state of the random numbers
    table : float64 (n, most codes + 1, n_stats), histograms of several columns at once, if there is room; and
        as many again for each node whose counts are kept for its branches; without squares (which are 0 for
        missing cells then, and make no difference) where nobody asks for them
    words : uint64 (n_classes, n), to count those of few codes in (see `counts`), if there is room; None where
        targets are numbers
    node : float64 (3,), the weight and the cost of the node at hand; the drop that a column must reach to win
    places : int64 (n,), their places in the codes; where : int64 (n_columns,), theirs in the table, or -1
    counts : uint8, see `two_classes`
    targets : of the members, in their segments, if there are coded columns; whole : as in `Instances`
    score, rank, ordered : float64, int64 (most codes,), and like hist, to order the codes of a subset
    every : like occur, all bits
    ladder : for absolute errors, else None (a type of its own: the compiler leaves out what would need it)
    """

    hist: np.ndarray
    sides: np.ndarray
    routes: np.ndarray | None
    order: np.ndarray
    random: np.ndarray
    occur: np.ndarray
    table: np.ndarray
    words: np.ndarray | None
    node: np.ndarray
    places: np.ndarray
    where: np.ndarray
    counts: np.ndarray
    targets: Targets
    whole: np.ndarray
    score: np.ndarray
    rank: np.ndarray
    ordered: np.ndarray
    every: np.ndarray
    ladder: Ladder | None


@inner
def least_beside(weight, n_classes, rule):
    """The weight that a cut must leave on both sides."""
    if rule.criterion != GAIN_RATIO:
        return rule.least
    return min(max(0.1 * weight / n_classes, rule.least), max(MOST_BESIDE, rule.least))


@inner(inline="always")
def search(ground, f, segment, rule, desk, found):
    """Fill in the best split of column f for the members in a segment (start, end), which are laid out."""
    if desk.ladder is not None:
        weigh_absolute(desk.ladder, ground, f, segment, rule, desk, found)
    elif ground.keys is not None and ground.columns[f].kind == SORTED:
        weigh_sorted(ground, f, segment, rule, desk, found)
    elif ground.numbers is not None and ground.columns[f].kind == DRAWN:
        weigh_drawn(ground, f, segment, rule, desk, found)
    elif ground.codes is not None:
        if desk.routes is not None and ground.columns[f].kind == NOMINAL and not rule.subset:
            weigh_values(ground, f, segment, rule, desk, found)
        else:
            weigh_coded(ground, f, segment, rule, desk, found)
        clear(desk.hist, ground.columns[f].n_codes + 1, desk.occur)


@inner
def weigh_sorted(ground, f, segment, rule, desk, found):
    """`search` in a sorted column."""
    start, end = segment
    keys, sides, instances = ground.keys[ground.columns[f].place, start:end], desk.sides, ground.instances
    for s in range(sides.shape[1]):
        sides[GAP, s] = 0.0
    n = end - start
    while n > 0 and keys[n - 1] & MISSING:
        n -= 1
    add_keys(keys[n:], instances, sides, GAP)
    found.gain, found.below, found.known = math.nan, -1, n
    take_known(sides)
    w_known = weight_of(sides, KNOWN, rule.criterion)
    if w_known <= 0:
        return
    least = least_beside(w_known, sides.shape[1], rule)
    if instances.y is not None and sides.shape[1] == 2:
        drop, at, cuts, w_left = best_cut_of_two(
            keys[:n], instances, least, rule.criterion, sides, desk.counts, desk.node[2]
        )
    else:
        drop, at, cuts, w_left = best_cut(keys[:n], instances, least, rule.criterion, sides)
    found.below, found.above = at, at + 1
    if at >= 0:
        judge_cut(drop, cuts, w_left, rule, desk, found)


@inner
def weigh_coded(ground, f, segment, rule, desk, found):
    """`search` for two branches in a coded column."""
    column, sides, criterion = ground.columns[f], desk.sides, rule.criterion
    counts, occur = desk.hist, desk.occur
    if in_table(f, segment, desk):
        counts, occur = desk.table[desk.where[f]], desk.every
    else:
        count_codes(ground, f, segment, desk)
    tell_gaps(counts, column.n_codes, criterion, sides, found)
    w_known, hist = weight_of(sides, KNOWN, criterion), counts[: column.n_codes]
    if w_known <= 0:
        return
    if desk.routes is not None and column.kind == NOMINAL:
        routes = desk.routes[column.route :]
        drop, cuts, w_left = best_subset(hist, rule.least, criterion, desk, routes), 1, 0.0
        for code in range(column.n_codes):
            w_left += weight_of(hist, code, criterion) if routes[code] == 0 else 0.0
        drop -= by_chance(hist, column.n_codes, rule, desk)
    else:
        least = least_beside(w_known, sides.shape[1], rule)
        drop, below, above, cuts, w_left = best_bin(hist, occur, least, criterion, sides, desk.whole)
        found.below, found.above = below, above
    if drop > 0:
        judge_cut(drop, cuts, w_left, rule, desk, found)


@inner
def weigh_drawn(ground, f, segment, rule, desk, found):
    """`search` of a single cut, drawn evenly between the smallest and the largest number of the members."""
    start, end = segment
    members, rows, n_rows, numbers = ground.members, ground.rows, ground.n_rows, ground.numbers[f]
    sides, criterion, whole, targets = desk.sides, rule.criterion, desk.whole, desk.targets
    y, number, w = targets.y, targets.number, targets.w
    low, high, gaps = math.inf, -math.inf, 0
    for k in range(start, end):
        x = numbers[row_of(rows, n_rows, np.uintp(members[k]))]
        low, high = min(low, x), max(high, x)  # as they are where x is NaN, as in Python
        gaps += math.isnan(x)
    found.gain, found.below, found.gaps = math.nan, -1, gaps > 0
    if not low < high:
        return
    found.cut = cut = drawn_between(low, high, desk.random)
    for side in (LEFT, RIGHT, GAP):
        for s in range(sides.shape[1]):
            sides[side, s] = 0.0
    for k in range(start, end):
        x = numbers[row_of(rows, n_rows, np.uintp(members[k]))]
        side = RIGHT if x > cut else LEFT
        add_target(y, number, w, np.uintp(k), sides, GAP if math.isnan(x) else side)
    take_known(sides)
    w_left, w_right = weight_of(sides, LEFT, criterion), weight_of(sides, RIGHT, criterion)
    if min(w_left, w_right) < least_beside(w_left + w_right, sides.shape[1], rule):
        return
    beside = impurity_cost(sides, LEFT, criterion, whole) + impurity_cost(sides, RIGHT, criterion, whole)
    drop = impurity_cost(sides, KNOWN, criterion, whole) - beside
    if drop > tolerance(sides, KNOWN, criterion, whole):
        judge_cut(drop, 1, w_left, rule, desk, found)


@inner
def weigh_values(ground, f, segment, rule, desk, found):
    """`weigh_coded` with a branch for each code: by whatever the codes are counted in."""
    criterion, sides, whole, hist = rule.criterion, desk.sides, desk.whole, desk.hist
    n_codes, counted = ground.columns[f].n_codes, desk.where[f]
    if (
        desk.words is not None
        and counted >= 0
        and in_words(segment, desk)
        and desk.whole.size > 0
        and n_codes <= rule.few
        and not has_gaps(desk.words, counted, n_codes)
    ):
        weigh_packed(counted, rule, desk, found)
        return
    if in_table(f, segment, desk):
        hist = desk.table[counted]
    else:
        count_codes(ground, f, segment, desk)
    tell_gaps(hist, n_codes, criterion, sides, found)
    own = rule.missing == OWN_BRANCH
    row = TOTAL if own else KNOWN
    drop, spread = multiway(hist, n_codes + own, sides, row, rule.least, criterion, whole)
    if drop >= 0 and n_codes > rule.few:
        drop -= by_chance(hist, n_codes, rule, desk)
        drop = drop if drop > 0 else -1.0
    if drop < 0:
        return
    weight = weight_of(sides, TOTAL, criterion)
    found.gain = drop / weight
    if criterion == GAIN_RATIO:
        if not own:
            spread += plogp(weight_of(sides, GAP, criterion), whole)
        found.info = (plogp(weight, whole) - spread) / weight


@inner
def by_chance(hist, n_codes, rule, desk):
    """What the known values of a column of many lower the cost by, on average, if they mean nothing."""
    criterion, sides, values = rule.criterion, desk.sides, 0
    if n_codes <= rule.few:
        return 0.0
    for code in range(n_codes):
        values += weight_of(hist, code, criterion) > 0
    if criterion == GINI or criterion >= SQUARED:
        each = impurity_cost(sides, KNOWN, criterion, desk.whole) / weight_of(sides, KNOWN, criterion)
    else:
        each = -1.0
        for c in range(sides.shape[1]):
            each += sides[KNOWN, c] > 0
        each /= 2 * math.log(2.0)
    return max(values - 2, 0) * each


@inner
def weigh_packed(column, rule, desk, found):
    """`weigh_values` by entropy, and by the words of a column without gaps."""
    whole, weight, before = desk.whole, desk.node[0], desk.node[1]
    found.gain, found.below, found.gaps = math.nan, -1, False
    below, spread, branches = multiway_packed(desk.words, column, rule.least, whole)
    if branches >= 2:
        found.gain = max(before - below, 0.0) / weight
        if rule.criterion == GAIN_RATIO:
            found.info = (plogp(weight, whole) - spread) / weight


@inner
def tell_gaps(hist, n_codes, criterion, sides, found):
    """Take the missing cells, which are counted last, from the known ones; nothing is found yet."""
    for s in range(sides.shape[1]):
        sides[GAP, s] = hist[n_codes, s] if s < hist.shape[1] else 0.0
    take_known(sides)
    found.gain, found.below, found.gaps = math.nan, -1, weight_of(sides, GAP, criterion) > 0


@inner
def weigh_absolute(ladder, ground, f, segment, rule, desk, found):
    """`search` by absolute error."""
    drop, w_left = scan_medians(ladder, ground, f, segment, rule, rule.missing == OWN_BRANCH, desk, found)
    if drop >= 0:
        if ground.columns[f].kind == NOMINAL and not rule.subset:
            found.gain = drop / desk.sides[TOTAL, 0]
        else:
            judge_cut(drop, 1, w_left, rule, desk, found)


@inner
def take_known(sides):
    """The stats of known cells are those of all but the missing."""
    for s in range(sides.shape[1]):
        sides[KNOWN, s] = sides[TOTAL, s] - sides[GAP, s]


@inner
def judge_cut(drop, cuts, w_left, rule, desk, found):
    """Fill in the gain of two branches, and of a third where missing cells have their own."""
    criterion, sides, whole = rule.criterion, desk.sides, desk.whole
    weight, w_gap = weight_of(sides, TOTAL, criterion), weight_of(sides, GAP, criterion)
    if rule.missing == OWN_BRANCH and w_gap > 0:
        drop += impurity_cost(sides, TOTAL, criterion, whole)
        drop -= impurity_cost(sides, GAP, criterion, whole) + impurity_cost(sides, KNOWN, criterion, whole)
    found.gain = drop / weight
    if criterion == GAIN_RATIO:
        w_right = weight - w_gap - w_left
        inside = plogp(w_gap, whole) + plogp(w_left, whole) + plogp(w_right, whole)
        found.info = (plogp(weight, whole) - inside) / weight
        found.gain -= math.log2(cuts) / weight
        if found.gain <= EQUAL_RATIO:
            found.gain = math.nan


@inner
def choose_split(found, considered, desk, rule, columns):
    """The column whose split wins, or -1; considered : the columns to choose from, in any order.

    As in C4.5, nominal columns with many values for the rows there are do not count for the average gain.
    """
    sides, criterion = desk.sides, rule.criterion
    weight = weight_of(sides, TOTAL, criterion)
    slack = tolerance(sides, TOTAL, criterion, desk.whole) / weight
    enough = max(rule.min_gain, slack, rule.min_drop / weight - slack)
    best, top = -1, 0.0
    if criterion != GAIN_RATIO:
        for k in range(considered.size):
            f = considered[k]
            gain = found[f].gain
            if gain > enough and (gain > top + slack or (f < best and gain >= top - slack)):
                best, top = f, gain
        return best
    average, n = 0.0, 0
    for k in range(considered.size):
        f = considered[k]
        gain = found[f].gain
        if not math.isnan(gain) and not columns[f].many_valued:
            average += gain
            n += 1
    average = average / n if n else 0.0
    for k in range(considered.size):
        f = considered[k]
        gain, info = found[f].gain, found[f].info
        if gain >= average - NEAR_AVERAGE and gain > enough and info > 0:
            ratio = gain / info
            if ratio > top + EQUAL_RATIO or (f < best and ratio >= top - EQUAL_RATIO):
                best, top = f, ratio
    return best


@inner
def row_at(ground, f, key):
    """The row behind a key of a sorted column."""
    i = np.uintp(ground.keys[ground.columns[f].place, key] & ROW)
    return np.int64(row_of(ground.rows, ground.n_rows, i))


@inner
def rows_around(ground, f, segment, cut):
    """The rows of the largest number up to a cut and of the smallest beyond it, in a column of numbers."""
    members, rows, n_rows, numbers = ground.members, ground.rows, ground.n_rows, ground.numbers[f]
    below, above, low, high = np.int64(-1), np.int64(-1), -math.inf, math.inf
    for k in range(segment[0], segment[1]):
        row = row_of(rows, n_rows, np.uintp(members[k]))
        x = numbers[row]
        if low < x <= cut:
            below, low = np.int64(row), x
        elif cut < x < high:
            above, high = np.int64(row), x
    return below, above


@inner
def note(ground, f, segment, found, desk, evidence, at):
    """Write down what the branches of column f's candidate would hold."""
    start, _ = segment
    column, noted, stats, hist = ground.columns[f], evidence.found[at, f], evidence.stats[at], desk.hist
    kind, n_codes, slot, below = column.kind, column.n_codes, column.slot, found.below
    noted.gain, noted.info, noted.below, noted.above = found.gain, found.info, below, found.above
    if desk.ladder is not None:
        note_medians(desk.ladder, ground, f, segment, found, desk, stats, slot)
    elif ground.codes is not None and kind in (ORDERED, NOMINAL):
        count_codes(ground, f, segment, desk)
        for code in range(n_codes + 1):
            branch = code
            if kind == ORDERED:
                branch = 2 if code == n_codes else np.int64(code > below)
            for s in range(stats.shape[1]):
                stats[slot + branch, s] += hist[code, s]
        clear(hist, n_codes + 1, desk.occur)
    elif ground.keys is not None:
        note_sorted(ground, f, segment, found, stats)
    elif ground.numbers is not None:
        note_drawn(ground, f, segment, found, desk.targets, stats)
        if not math.isnan(found.gain):
            noted.below, noted.above = rows_around(ground, f, segment, found.cut)
    if ground.keys is not None and kind == SORTED and below >= 0:
        noted.below, noted.above = row_at(ground, f, start + below), row_at(ground, f, start + found.above)


@inner
def note_sorted(ground, f, segment, found, stats):
    """Write down what the keys of a sorted column hold below its cut, above it, and without a number."""
    start, end = segment
    column, instances = ground.columns[f], ground.instances
    keys, slot = ground.keys[column.place, start:end], column.slot
    add_keys(keys[: found.below + 1], instances, stats, slot)
    add_keys(keys[found.below + 1 : found.known], instances, stats, slot + 1)
    add_keys(keys[found.known :], instances, stats, slot + 2)


@inner
def note_drawn(ground, f, segment, found, targets, stats):
    """Write down what a column holds below the cut that was drawn, above it, and without a number."""
    members, rows, n_rows, slot = ground.members, ground.rows, ground.n_rows, ground.columns[f].slot
    y, number, w = targets.y, targets.number, targets.w
    for k in range(segment[0], segment[1]):
        x = ground.numbers[f, row_of(rows, n_rows, np.uintp(members[k]))]
        branch = 2 if math.isnan(x) else np.int64(x > found.cut)
        add_target(y, number, w, np.uintp(k), stats, slot + branch)
