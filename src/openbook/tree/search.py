"""Every candidate at a node: what its best split gains, and which one wins.

    gain         the drop in cost per unit of the node's weight, missing cells gaining nothing
    gain ratio   gain / split information, among the candidates of at least average gain (Quinlan, 1993)

As in C4.5, criterion "gain_ratio" asks of a cut a tenth of the average weight of a class (but no less than
`least` and no more than 25) on both sides, and charges it log2(number of cuts tried) / W bits for the choice.

The first of equals wins, in the order of the table.
"""

import math
from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner
from openbook.tree.columns import NOMINAL, ORDERED, SORTED
from openbook.tree.criteria import GAIN_RATIO, cost, plogp, weight_of
from openbook.tree.split import (
    HIGH,
    MISSING,
    ROW,
    add_instance,
    best_bin,
    best_cut,
    best_subset,
    clear,
    count_codes,
    multiway,
    tolerance,
)

__all__ = [
    "FOUND",
    "FRACTIONAL",
    "MAJORITY",
    "OWN_BRANCH",
    "Desk",
    "Evidence",
    "Rule",
    "choose",
    "lay_out",
    "note",
    "row_at",
    "search",
]

FRACTIONAL, MAJORITY, OWN_BRANCH = range(3)

#: C4.5's tolerances, and its bounds for the weight beside a cut.
NEAR_AVERAGE, EQUAL_RATIO, MOST_BESIDE = 1e-3, 1e-6, 25.0


class Rule(NamedTuple):
    """The settings of growth, as numbers.

    critical : float64, the critical value of chi-squared by degrees of freedom; empty for no test
    penalty : the pessimistic error of a leaf, or -1 for no such stop
    """

    criterion: int
    subset: bool
    missing: int
    max_depth: int
    least: float
    min_gain: float
    max_features: int
    random_cuts: bool
    penalty: float
    critical: np.ndarray


#: The best split of a column at a node: its gain, NaN where there is none; its split information; the codes, or
#: the keys of the segment, on both sides of a cut; how many keys of a sorted column are not missing.
FOUND = np.dtype(
    [
        ("gain", np.float64),
        ("info", np.float64),
        ("below", np.int64),
        ("above", np.int64),
        ("known", np.int64),
    ]
)


class Evidence(NamedTuple):
    """What the candidates of the upper nodes would have held, for the work.

    node : int64 (n_noted,), which node it was, -1 where there is none yet
    found : FOUND (n_noted, n_columns), with the rows around a cut instead of keys
    stats : float64 (n_noted, n_slots, n_stats), from the column's `slot` on: of a nominal column those of every
        value, then of missing cells; of others below the cut, above it, missing
    """

    node: np.ndarray
    found: np.ndarray
    stats: np.ndarray


class Desk(NamedTuple):
    """Room to work in.

    hist : float64 (most codes + 1, n_stats), wiped between columns; occur : uint64, the codes in it, as bits
    sides : float64 (4, n_stats), of two sides, of missing and of known cells
    routes : int32 (most codes,), where the codes of a subset go
    order : int64 (n_columns,), of the columns; random : uint64 (1,), the state of the random numbers
    y, number, w : of the members at hand, one after the other, as in `Instances`
    """

    hist: np.ndarray
    sides: np.ndarray
    routes: np.ndarray
    order: np.ndarray
    random: np.ndarray
    occur: np.ndarray
    y: np.ndarray
    number: np.ndarray
    w: np.ndarray


@inner
def least_beside(weight, n_classes, rule):
    """The weight that a cut must leave on both sides."""
    if rule.criterion != GAIN_RATIO:
        return rule.least
    return min(max(0.1 * weight / n_classes, rule.least), max(MOST_BESIDE, rule.least))


@inner
def lay_out(ground, segment, desk):
    """Put the targets and weights of the members on the desk, for counting codes."""
    start, end = segment
    for k in range(end - start):
        i = np.uintp(ground.members[start + k])
        desk.w[k] = ground.instances.w[i]
        if desk.number.size:
            desk.number[k] = ground.instances.number[i]
        else:
            desk.y[k] = ground.instances.y[i]


@inner
def search(ground, f, segment, totals, rule, desk, found):
    """Fill in the best split of column f for the members in a segment (start, end), which are laid out."""
    weigh(ground, f, segment, totals, rule, desk, found)
    if ground.columns[f].kind != SORTED:
        clear(desk.hist[: ground.columns[f].n_codes + 1], desk.occur)


@inner
def weigh(ground, f, segment, totals, rule, desk, found):
    """`search`, which leaves the histogram of a coded column on the desk."""
    start, end = segment
    kind, place, n_codes = ground.columns[f].kind, ground.columns[f].place, ground.columns[f].n_codes
    gap, known, criterion = desk.sides[2], desk.sides[3], rule.criterion
    for s in range(gap.size):
        gap[s] = 0.0
    found.gain, found.below = math.nan, -1
    hist = desk.hist[: n_codes + 1]
    keys = ground.keys[place if kind == SORTED else 0, start:end]
    if kind == SORTED:
        n = end - start
        while n > 0 and keys[n - 1] >> HIGH == MISSING:
            n -= 1
            add_instance(ground.instances, np.uintp(keys[n] & ROW), gap)
        found.known, keys = n, keys[:n]
    else:
        count_codes(ground.codes[place], ground, segment, desk, hist)
        for s in range(gap.size):
            gap[s] = hist[n_codes, s]
        hist = hist[:n_codes]
    for s in range(totals.size):
        known[s] = totals[s] - gap[s]
    weight, w_gap, w_known = (
        weight_of(totals, criterion),
        weight_of(gap, criterion),
        weight_of(known, criterion),
    )
    if w_known <= 0:
        return
    drop, cuts, w_left = -1.0, 1, 0.0
    if kind == NOMINAL and rule.subset:
        drop = best_subset(hist, known, rule.least, criterion, desk.sides, desk.routes)
        for code in range(n_codes):
            if desk.routes[code] == 0:
                w_left += weight_of(hist[code], criterion)
    elif kind == NOMINAL:
        own = rule.missing == OWN_BRANCH
        drop = multiway(
            desk.hist[: n_codes + 1] if own else hist, totals if own else known, rule.least, criterion
        )
    else:
        least = least_beside(w_known, totals.size, rule)
        if kind == SORTED:
            drop, found.below, cuts, w_left = best_cut(
                keys, ground.instances, known, least, criterion, desk.sides
            )
            found.above = found.below + 1
        else:
            drop, found.below, found.above, cuts, w_left = best_bin(
                hist, desk.occur, known, least, criterion, desk.sides
            )
        if found.below < 0:
            return
    if drop < 0:
        return
    if rule.missing == OWN_BRANCH and w_gap > 0 and (kind != NOMINAL or rule.subset):
        drop += cost(totals, criterion) - cost(gap, criterion) - cost(known, criterion)
    found.gain = drop / weight
    if criterion == GAIN_RATIO:
        info = plogp(weight) - plogp(w_gap)
        if kind == NOMINAL and not rule.subset:
            for code in range(n_codes):
                info -= plogp(weight_of(hist[code], criterion))
        else:
            info -= plogp(w_left) + plogp(w_known - w_left)
        found.info = info / weight
        if kind != NOMINAL:
            found.gain -= math.log2(cuts) / weight
            if found.gain <= EQUAL_RATIO:
                found.gain = math.nan


@inner
def choose(found, totals, rule, columns):
    """The column whose split wins, or -1.

    As in C4.5, nominal columns with many values for the rows there are do not count for the average gain.
    """
    weight = weight_of(totals, rule.criterion)
    enough = max(rule.min_gain, tolerance(totals, rule.criterion) / weight)
    best, top = -1, 0.0
    if rule.criterion != GAIN_RATIO:
        for f in range(found.size):
            if found[f].gain > enough and found[f].gain > top + tolerance(totals, rule.criterion) / weight:
                best, top = f, found[f].gain
        return best
    average, n = 0.0, 0
    for f in range(found.size):
        if not math.isnan(found[f].gain) and not columns[f].many_valued:
            average += found[f].gain
            n += 1
    average = average / n if n else 0.0
    for f in range(found.size):
        if found[f].gain >= average - NEAR_AVERAGE and found[f].gain > enough and found[f].info > 0:
            ratio = found[f].gain / found[f].info
            if ratio > top + EQUAL_RATIO:
                best, top = f, ratio
    return best


@inner
def row_at(ground, f, key):
    """The row behind a key of a sorted column."""
    return ground.rows[np.intp(ground.keys[ground.columns[f].place, key] & ROW)]


@inner
def note(ground, f, segment, found, desk, evidence, at):
    """Write down what the branches of column f's candidate would hold."""
    start, end = segment
    kind, n_codes, slot = ground.columns[f].kind, ground.columns[f].n_codes, ground.columns[f].slot
    noted, stats = evidence.found[at, f], evidence.stats[at]
    noted.gain, noted.info = found.gain, found.info
    noted.below, noted.above = found.below, found.above
    if kind != SORTED:
        hist = desk.hist[: n_codes + 1]
        count_codes(ground.codes[ground.columns[f].place], ground, segment, desk, hist)
        for code in range(n_codes + 1):
            branch = code
            if kind == ORDERED:
                branch = 2 if code == n_codes else np.int64(code > found.below)
            for s in range(stats.shape[1]):
                stats[slot + branch, s] += hist[code, s]
        clear(hist, desk.occur)
        return
    for k in range(end - start):
        branch = 2 if k >= found.known else np.int64(k > found.below)
        add_instance(
            ground.instances,
            np.uintp(ground.keys[ground.columns[f].place, start + k] & ROW),
            stats[slot + branch],
        )
    if found.below >= 0:
        noted.below, noted.above = (
            row_at(ground, f, start + found.below),
            row_at(ground, f, start + found.above),
        )
