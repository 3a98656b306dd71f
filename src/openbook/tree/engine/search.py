"""The best split of every column at a node, and the choice between them; kernels.

    gain         the drop in cost per unit of the node's weight; missing cells add nothing
    gain ratio   gain / split information, among the candidates of at least average gain (Quinlan, 1993)

As in C4.5, criterion "gain_ratio" requires on both sides of a cut a tenth of the average weight of a class
(but no less than `min_leaf_weight` and no more than 25), and subtracts log2(number of cuts tried) / W bits
from the gain.

A nominal column of more than `free_values` values is charged what chance alone gains on average: each of its
values beyond two lowers the cost of a node by cost / W, or by (classes - 1) / (2 ln 2) bits of entropy, even
if it is independent of the target. Both are the mean of chi-squared, for a variance that is known.

Of equals the first wins, in the order of the table.

A kernel for one kind of column takes the array that only this kind needs as an argument of its own. If it is
None, no column is of this kind, and numba compiles nothing beyond the first line.
"""

import math
from typing import NamedTuple

import numpy as np

from openbook.kernels.bundle import bundle
from openbook.kernels.jit import exact
from openbook.tree.engine.absolute_error import MedianTree, record_medians, search_medians
from openbook.tree.engine.columns import DRAWN, NOMINAL, ORDERED, SORTED
from openbook.tree.engine.criteria import ABSOLUTE, GAIN_RATIO, GINI, SQUARED, impurity_cost, plogp, weight_of
from openbook.tree.engine.histogram import (
    build_histogram,
    clear_histogram,
    has_missing,
    in_table,
    in_words,
    multiway_packed,
)
from openbook.tree.engine.keys import MISSING, ROW
from openbook.tree.engine.split import (
    KNOWN,
    LEFT,
    RIGHT,
    TOTAL,
    UNKNOWN,
    Targets,
    add_keys,
    add_target,
    best_bin,
    best_cut,
    multiway,
    random_between,
    row_of,
    tolerance,
)
from openbook.tree.engine.subset import best_subset
from openbook.tree.engine.two_classes import best_cut_of_two

FRACTIONAL, MAJORITY, OWN_BRANCH = range(3)

#: C4.5's tolerances, and its upper bound for the weight that each side of a cut must have.
NEAR_AVERAGE, EQUAL_RATIO, MOST_ASKED = 1e-3, 1e-6, 25.0


@bundle
class GrowthRule(NamedTuple):
    """The settings of growth, as numbers.

    min_split_weight : the weight that a node must have to be split
    min_leaf_weight : the weight that two branches of a split must have
    min_drop : how much a split must lower the cost (see `criteria`)
    free_values : nominal columns of more values are charged for what chance gains
    penalty : the pessimistic error of a leaf; None: this stopping rule is off
    critical : float64, the critical value of chi-squared by degrees of freedom; None: no test
    """

    criterion: int
    subset: bool
    free_values: int
    missing: int
    max_depth: int
    min_split_weight: float
    min_leaf_weight: float
    min_gain: float
    min_drop: float
    max_features: int
    penalty: float | None
    critical: np.ndarray | None


#: The best split of a column at a node: its gain, NaN if there is none; its split information; the codes,
#: or the keys of the segment, on both sides of a cut; how many keys of a sorted column are not missing, and
#: whether cells of a coded one are; a random cut.
SPLIT = np.dtype(
    [
        ("gain", np.float64),
        ("info", np.float64),
        ("below", np.int64),
        ("above", np.int64),
        ("known", np.int64),
        ("has_missing", np.bool_),
        ("cut", np.float64),
    ]
)


@bundle
class CandidateRecords(NamedTuple):
    """The candidate splits of the upper nodes, recorded for the derivation.

    node : int64 (n_recorded,), the node, -1 if none is recorded yet
    splits : SPLIT (n_recorded, n_columns), with the rows around a cut instead of keys
    stats : float64 (n_recorded, n_slots, n_stats), from the column's `slot` on: of a nominal column those of
        every value, then of missing cells; of others below the cut, above it, missing
    """

    node: np.ndarray
    splits: np.ndarray
    stats: np.ndarray


@bundle
class Workspace(NamedTuple):
    """Buffers for the search.

    sides : float64 (5, n_stats), the stats of two sides, and of missing, known and all cells of the node
    node : float64 (3,), the node's weight and cost; the drop that a column must reach to win
    column_order : int64 (n_columns,); random : uint64 (1,), the state of the random numbers
    targets : those of the members, in their order, if there are coded columns; xlogx : as in `Instances`
    block_counts : uint8, see `two_classes`
    hist : float64 (most codes + 1, n_stats), the histogram of one column, cleared after use
    occurring : uint64, bitset of its codes; None if no coded column is ever split in two branches
    all_codes : the same, all bits set
    histograms : float64 (n, most codes + 1, n_stats), those of several columns that are built at once, if
        they fit the cache; and as many again for each node whose histograms are kept for its branches. The
        last stat, sum w y^2, is left out where nobody asks for it
    packed : uint64 (n_classes, n), packed histograms, if codes are few; None where targets are numbers
    places : int64 (n,), the places in the codes of the columns that are counted at once; None, as is packed,
        if columns are counted one by one, as those of few rows are
    histogram_of : int64 (n_columns,), where in `histograms` that of a column is, or -1
    routes : int32, from a nominal column's `route` on, the branches of its codes by the best subset; None if
        no column is nominal
    score, order, ordered : float64, int64 (most codes,), and like hist, to order the codes of a subset
    medians : for absolute errors, else None
    """

    sides: np.ndarray
    node: np.ndarray
    column_order: np.ndarray
    random: np.ndarray
    targets: Targets
    xlogx: np.ndarray
    block_counts: np.ndarray
    hist: np.ndarray
    occurring: np.ndarray | None
    all_codes: np.ndarray
    histograms: np.ndarray
    packed: np.ndarray | None
    places: np.ndarray | None
    histogram_of: np.ndarray
    routes: np.ndarray | None
    score: np.ndarray
    order: np.ndarray
    ordered: np.ndarray
    medians: MedianTree | None


@exact
def min_side_weight(weight, n_classes, rule):
    """The weight that each side of a cut must have."""
    if rule.criterion != GAIN_RATIO:
        return rule.min_leaf_weight
    asked = max(0.1 * weight / n_classes, rule.min_leaf_weight)
    return min(asked, max(MOST_ASKED, rule.min_leaf_weight))


@exact(inline="always")
def find_split(samples, f, segment, rule, workspace, split):
    """Fill in the best split of column f for the members in a segment (start, end)."""
    kind = samples.columns[f].kind
    if rule.criterion == ABSOLUTE:
        search_absolute(workspace.medians, samples, f, segment, rule, workspace, split)
    elif kind == SORTED:
        search_sorted(samples.keys, samples, f, segment, rule, workspace, split)
    elif kind == DRAWN:
        search_random(samples.numbers, samples, f, segment, rule, workspace, split)
    else:
        if kind == NOMINAL and not rule.subset:
            search_multiway(workspace.routes, samples, f, segment, rule, workspace, split)
        else:
            search_two_branches(workspace.occurring, samples, f, segment, rule, workspace, split)
        clear_histogram(workspace.hist, samples.columns[f].n_codes + 1, workspace.occurring)


@exact
def search_sorted(keys, samples, f, segment, rule, workspace, split):
    """Search a sorted column."""
    if keys is None:
        return
    start, end = segment
    own_keys, sides = keys[samples.columns[f].place, start:end], workspace.sides
    instances, criterion = samples.instances, rule.criterion
    for s in range(sides.shape[1]):
        sides[UNKNOWN, s] = 0.0
    n = end - start
    while n > 0 and own_keys[n - 1] & MISSING:
        n -= 1
    add_keys(own_keys[n:], instances, sides, UNKNOWN)
    split.gain, split.below, split.known = math.nan, -1, n
    set_known(sides)
    w_known = weight_of(sides, KNOWN, criterion)
    if w_known <= 0:
        return
    least = min_side_weight(w_known, sides.shape[1], rule)
    if sides.shape[1] == 2:
        counts, min_drop = workspace.block_counts, workspace.node[2]
        drop, at, cuts, w_left = best_cut_of_two(
            instances.y_class, own_keys[:n], instances, least, criterion, sides, counts, min_drop
        )
    else:
        drop, at, cuts, w_left = best_cut(own_keys[:n], instances, least, criterion, sides)
    split.below, split.above = at, at + 1
    if at >= 0:
        set_gain(drop, cuts, w_left, rule, workspace, split)


@exact
def search_two_branches(occurring, samples, f, segment, rule, workspace, split):
    """Search a coded column for two branches: a cut, or two groups of nominal values."""
    if occurring is None:
        return
    column, sides, criterion = samples.columns[f], workspace.sides, rule.criterion
    counts, codes = workspace.hist, occurring
    if in_table(f, segment, workspace):
        counts, codes = workspace.histograms[workspace.histogram_of[f]], workspace.all_codes
    else:
        build_histogram(samples.codes, samples, f, segment, workspace)
    set_missing(counts, column.n_codes, criterion, sides, split)
    w_known, hist = weight_of(sides, KNOWN, criterion), counts[: column.n_codes]
    if w_known <= 0:
        return
    if column.kind == NOMINAL:
        cuts = 1
        drop, w_left = search_subset(workspace.routes, column.route, hist, rule, workspace)
    else:
        least = min_side_weight(w_known, sides.shape[1], rule)
        drop, below, above, cuts, w_left = best_bin(hist, codes, least, criterion, sides, workspace.xlogx)
        split.below, split.above = below, above
    if drop > 0:
        set_gain(drop, cuts, w_left, rule, workspace, split)


@exact
def search_subset(routes, first, hist, rule, workspace):
    """The best two groups of nominal values: (drop in cost, weight on the left)."""
    if routes is None:
        return -1.0, 0.0
    drop, w_left = best_subset(routes, first, hist, rule.min_leaf_weight, rule.criterion, workspace), 0.0
    for code in range(hist.shape[0]):
        w_left += weight_of(hist, code, rule.criterion) if routes[first + code] == 0 else 0.0
    return drop - gain_by_chance(hist, hist.shape[0], rule, workspace), w_left


@exact
def search_random(numbers, samples, f, segment, rule, workspace, split):
    """Try a single cut, drawn evenly between the smallest and the largest number of the members."""
    if numbers is None:
        return
    members, origin, n_rows, targets = samples.members, samples.origin, samples.n_rows, workspace.targets
    sides, criterion, xlogx = workspace.sides, rule.criterion, workspace.xlogx
    y_class, y_number, w = targets.y_class, targets.y_number, targets.w
    low, high, missing = math.inf, -math.inf, 0
    for k in range(segment[0], segment[1]):
        x = numbers[f, row_of(origin, n_rows, np.uintp(members[k]))]
        low, high = min(low, x), max(high, x)  # unchanged if x is NaN, as in Python
        missing += math.isnan(x)
    split.gain, split.below, split.has_missing = math.nan, -1, missing > 0
    if not low < high:
        return
    split.cut = cut = random_between(low, high, workspace.random)
    for side in (LEFT, RIGHT, UNKNOWN):
        for s in range(sides.shape[1]):
            sides[side, s] = 0.0
    for k in range(segment[0], segment[1]):
        x = numbers[f, row_of(origin, n_rows, np.uintp(members[k]))]
        side = RIGHT if x > cut else LEFT
        add_target(y_class, y_number, w, np.uintp(k), sides, UNKNOWN if math.isnan(x) else side)
    set_known(sides)
    w_left, w_right = weight_of(sides, LEFT, criterion), weight_of(sides, RIGHT, criterion)
    if min(w_left, w_right) < min_side_weight(w_left + w_right, sides.shape[1], rule):
        return
    after = impurity_cost(sides, LEFT, criterion, xlogx) + impurity_cost(sides, RIGHT, criterion, xlogx)
    drop = impurity_cost(sides, KNOWN, criterion, xlogx) - after
    if drop > tolerance(sides, KNOWN, criterion, xlogx):
        set_gain(drop, 1, w_left, rule, workspace, split)


@exact
def search_multiway(routes, samples, f, segment, rule, workspace, split):
    """Evaluate the split of a nominal column that has a branch for each code."""
    if routes is None:
        return
    criterion, sides, xlogx, hist = rule.criterion, workspace.sides, workspace.xlogx, workspace.hist
    n_codes, at = samples.columns[f].n_codes, workspace.histogram_of[f]
    packed = workspace.packed
    from_words = at >= 0 and in_words(packed, segment) and xlogx.size > 0 and n_codes <= rule.free_values
    if from_words and evaluate_packed(packed, at, n_codes, rule, workspace, split):
        return
    if in_table(f, segment, workspace):
        hist = workspace.histograms[at]
    else:
        build_histogram(samples.codes, samples, f, segment, workspace)
    set_missing(hist, n_codes, criterion, sides, split)
    own = rule.missing == OWN_BRANCH
    row = TOTAL if own else KNOWN
    drop, spread = multiway(hist, n_codes + own, sides, row, rule.min_leaf_weight, criterion, xlogx)
    if drop >= 0 and n_codes > rule.free_values:
        drop -= gain_by_chance(hist, n_codes, rule, workspace)
        drop = drop if drop > 0 else -1.0
    if drop < 0:
        return
    weight = weight_of(sides, TOTAL, criterion)
    split.gain = drop / weight
    if criterion == GAIN_RATIO:
        if not own:
            spread += plogp(weight_of(sides, UNKNOWN, criterion), xlogx)
        split.info = (plogp(weight, xlogx) - spread) / weight


@exact
def evaluate_packed(packed, column, n_codes, rule, workspace, split):
    """Evaluate a multiway split by entropy from a packed histogram; False if cells are missing."""
    if packed is None or has_missing(packed, column, n_codes):
        return False
    xlogx, weight, before = workspace.xlogx, workspace.node[0], workspace.node[1]
    split.gain, split.below, split.has_missing = math.nan, -1, False
    after, spread, branches = multiway_packed(packed, column, rule.min_leaf_weight, xlogx)
    if branches >= 2:
        split.gain = max(before - after, 0.0) / weight
        if rule.criterion == GAIN_RATIO:
            split.info = (plogp(weight, xlogx) - spread) / weight
    return True


@exact
def gain_by_chance(hist, n_codes, rule, workspace):
    """How much a column that is independent of the target lowers the cost on average."""
    criterion, sides, values = rule.criterion, workspace.sides, 0
    if n_codes <= rule.free_values:
        return 0.0
    for code in range(n_codes):
        values += weight_of(hist, code, criterion) > 0
    if criterion == GINI or criterion >= SQUARED:
        each = impurity_cost(sides, KNOWN, criterion, workspace.xlogx) / weight_of(sides, KNOWN, criterion)
    else:
        each = -1.0
        for c in range(sides.shape[1]):
            each += sides[KNOWN, c] > 0
        each /= 2 * math.log(2.0)
    return max(values - 2, 0) * each


@exact
def set_missing(hist, n_codes, criterion, sides, split):
    """Fill in the stats of missing and known cells; there is no split yet."""
    for s in range(sides.shape[1]):
        sides[UNKNOWN, s] = hist[n_codes, s] if s < hist.shape[1] else 0.0
    set_known(sides)
    split.gain, split.below, split.has_missing = math.nan, -1, weight_of(sides, UNKNOWN, criterion) > 0


@exact
def search_absolute(medians, samples, f, segment, rule, workspace, split):
    """Search a column by absolute error."""
    if medians is None:
        return
    own_branch = rule.missing == OWN_BRANCH
    drop, w_left = search_medians(medians, samples, f, segment, rule, own_branch, workspace, split)
    if drop >= 0:
        if samples.columns[f].kind == NOMINAL and not rule.subset:
            split.gain = drop / workspace.sides[TOTAL, 0]
        else:
            set_gain(drop, 1, w_left, rule, workspace, split)


@exact
def set_known(sides):
    """The stats of known cells: those of all cells less those of the missing."""
    for s in range(sides.shape[1]):
        sides[KNOWN, s] = sides[TOTAL, s] - sides[UNKNOWN, s]


@exact
def set_gain(drop, cuts, w_left, rule, workspace, split):
    """Fill in the gain of two branches, and of a third if missing cells have a branch of their own."""
    criterion, sides, xlogx = rule.criterion, workspace.sides, workspace.xlogx
    weight, w_missing = weight_of(sides, TOTAL, criterion), weight_of(sides, UNKNOWN, criterion)
    if rule.missing == OWN_BRANCH and w_missing > 0:
        drop += impurity_cost(sides, TOTAL, criterion, xlogx)
        drop -= impurity_cost(sides, UNKNOWN, criterion, xlogx) + impurity_cost(
            sides, KNOWN, criterion, xlogx
        )
    split.gain = drop / weight
    if criterion == GAIN_RATIO:
        w_right = weight - w_missing - w_left
        inside = plogp(w_missing, xlogx) + plogp(w_left, xlogx) + plogp(w_right, xlogx)
        split.info = (plogp(weight, xlogx) - inside) / weight
        split.gain -= math.log2(cuts) / weight
        if split.gain <= EQUAL_RATIO:
            split.gain = math.nan


@exact
def choose_split(splits, searched, workspace, rule, columns):
    """The column whose split wins, or -1; searched : the columns to choose from, in any order.

    As in C4.5, nominal columns with many values for the number of rows do not count for the average gain.
    """
    sides, criterion = workspace.sides, rule.criterion
    weight = weight_of(sides, TOTAL, criterion)
    slack = tolerance(sides, TOTAL, criterion, workspace.xlogx) / weight
    enough = max(rule.min_gain, slack, rule.min_drop / weight - slack)
    best, top = -1, 0.0
    if criterion != GAIN_RATIO:
        for k in range(searched.size):
            f = searched[k]
            gain = splits[f].gain
            if gain > enough and (gain > top + slack or (f < best and gain >= top - slack)):
                best, top = f, gain
        return best
    average, n = 0.0, 0
    for k in range(searched.size):
        f = searched[k]
        gain = splits[f].gain
        if not math.isnan(gain) and not columns[f].many_valued:
            average += gain
            n += 1
    average = average / n if n else 0.0
    for k in range(searched.size):
        f = searched[k]
        gain, info = splits[f].gain, splits[f].info
        if gain >= average - NEAR_AVERAGE and gain > enough and info > 0:
            ratio = gain / info
            if ratio > top + EQUAL_RATIO or (f < best and ratio >= top - EQUAL_RATIO):
                best, top = f, ratio
    return best


@exact
def rows_of_keys(keys, samples, f, start, split):
    """The rows on both sides of a cut in a sorted column; -1 if there is no cut."""
    if keys is None or split.below < 0:
        return np.int64(-1), np.int64(-1)
    origin, n_rows, place = samples.origin, samples.n_rows, samples.columns[f].place
    below = row_of(origin, n_rows, np.uintp(keys[place, start + split.below] & ROW))
    above = row_of(origin, n_rows, np.uintp(keys[place, start + split.above] & ROW))
    return np.int64(below), np.int64(above)


@exact
def rows_of_numbers(numbers, samples, f, segment, cut):
    """The rows of the largest number up to a cut, and of the smallest above it."""
    below, above, low, high = np.int64(-1), np.int64(-1), -math.inf, math.inf
    if numbers is None:
        return below, above
    members, origin, n_rows = samples.members, samples.origin, samples.n_rows
    for k in range(segment[0], segment[1]):
        row = row_of(origin, n_rows, np.uintp(members[k]))
        x = numbers[f, row]
        if low < x <= cut:
            below, low = np.int64(row), x
        elif cut < x < high:
            above, high = np.int64(row), x
    return below, above


@exact
def rows_around(samples, f, segment, split):
    """What a cut lies between: two rows; or two codes, in a coded column."""
    if samples.columns[f].kind == SORTED:
        return rows_of_keys(samples.keys, samples, f, segment[0], split)
    if samples.columns[f].kind == DRAWN and not math.isnan(split.gain):
        return rows_of_numbers(samples.numbers, samples, f, segment, split.cut)
    return split.below, split.above


@exact(inline="always")
def record_candidate(samples, f, segment, split, workspace, records, at):
    """Record the best split of column f, and the stats of its branches."""
    recorded, stats, kind = records.splits[at, f], records.stats[at], samples.columns[f].kind
    recorded.gain, recorded.info = split.gain, split.info
    recorded.below, recorded.above = rows_around(samples, f, segment, split)
    record_medians(workspace.medians, samples, f, segment, split, workspace, stats)
    if workspace.medians is None:
        if kind == SORTED:
            record_sorted(samples.keys, samples, f, segment, split, stats)
        elif kind == DRAWN:
            record_random(samples.numbers, samples, f, segment, split, workspace.targets, stats)
        else:
            record_coded(samples.codes, samples, f, segment, split, workspace, stats)


@exact
def record_coded(codes, samples, f, segment, split, workspace, stats):
    """Record the stats of each value, or below the cut and above it, then of missing cells."""
    if codes is None:
        return
    column, hist = samples.columns[f], workspace.hist
    n_codes, slot = column.n_codes, column.slot
    build_histogram(codes, samples, f, segment, workspace)
    for code in range(n_codes + 1):
        branch = code
        if column.kind == ORDERED:
            branch = 2 if code == n_codes else np.int64(code > split.below)
        for s in range(stats.shape[1]):
            stats[slot + branch, s] += hist[code, s]
    clear_histogram(hist, n_codes + 1, workspace.occurring)


@exact
def record_sorted(keys, samples, f, segment, split, stats):
    """Record the stats of a sorted column below its cut, above it, and of missing cells."""
    if keys is None:
        return
    column, instances = samples.columns[f], samples.instances
    own_keys, slot = keys[column.place, segment[0] : segment[1]], column.slot
    add_keys(own_keys[: split.below + 1], instances, stats, slot)
    add_keys(own_keys[split.below + 1 : split.known], instances, stats, slot + 1)
    add_keys(own_keys[split.known :], instances, stats, slot + 2)


@exact
def record_random(numbers, samples, f, segment, split, targets, stats):
    """Record the stats of a column below its random cut, above it, and of missing cells."""
    if numbers is None:
        return
    members, origin, n_rows, slot = samples.members, samples.origin, samples.n_rows, samples.columns[f].slot
    y_class, y_number, w = targets.y_class, targets.y_number, targets.w
    for k in range(segment[0], segment[1]):
        x = numbers[f, row_of(origin, n_rows, np.uintp(members[k]))]
        branch = 2 if math.isnan(x) else np.int64(x > split.cut)
        add_target(y_class, y_number, w, np.uintp(k), stats, slot + branch)
