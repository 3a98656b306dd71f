"""Growing: from the root, split the node whose rows lie topmost, until nothing is worth splitting.

Rows lie in segments: the members of a node stand together, in `members` and in every sorted column, there in
the column's order. A split parts its segment, stably, into those of its branches:

    before    [ … | node . . . . . . . . ]   free
    after     [ … | branch 0 | branch 1 | … ]   free

and the branch on top is next, so above the segment at hand all is free. That leaves room for rows whose
cell is missing: where they are spread (C4.5), each goes down every branch in parts, as the known rows' weights
are shared, and a part is an instance of its own. A part lighter than CRUMB goes to the heaviest branch whole.

A node is a leaf when its rows agree on the target, at max_depth, when no split leaves `least` weight in two
branches, when none gains more than min_gain (and more than rounding), when the best is not significant, or
when it does not lower the pessimistic error.
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.tree.columns import NOMINAL, ORDERED, SORTED
from openbook.tree.criteria import weight_of
from openbook.tree.nodes import SPREAD
from openbook.tree.search import FRACTIONAL, OWN_BRANCH, choose, note, row_at, search
from openbook.tree.split import ROW, Instances, add_instance, whole_below

__all__ = [
    "DONE",
    "MORE_INSTANCES",
    "MORE_NODES",
    "MORE_ROUTES",
    "NODE",
    "Ground",
    "Growth",
    "grow",
    "may_split",
]

CRUMB = 1e-3

#: What `grow` says when it comes back: it is done, or one of the tables is full.
DONE, MORE_NODES, MORE_INSTANCES, MORE_ROUTES = range(4)


class Ground(NamedTuple):
    """The rows that are being parted.

    columns, codes : see `columns`
    keys : uint64 (n_sorted, capacity), members : uint64 (capacity,), both in segments
    rows : int64 (capacity,), the row behind each instance
    """

    columns: np.ndarray
    codes: np.ndarray
    keys: np.ndarray
    members: np.ndarray
    rows: np.ndarray
    instances: Instances


#: A node while it grows: the fields of `Tree`; the two rows or codes between which an ordered test cuts; the
#: segment of its rows, and how many instances are in use while it is split.
NODE = np.dtype(
    [
        ("attribute", np.int64),
        ("below", np.int64),
        ("above", np.int64),
        ("first", np.int64),
        ("branches", np.int64),
        ("missing", np.int64),
        ("route", np.int64),
        ("depth", np.int64),
        ("start", np.int64),
        ("end", np.int64),
        ("used", np.int64),
        ("gain", np.float64),
    ]
)


class Growth(NamedTuple):
    """How far the tree has come.

    nodes : NODE (n,); stats : float64 (n, n_stats), what adds up over their rows
    waiting : int64 (n,), the nodes still to be split, the topmost last
    count : int64 (3,), how many of those there are, how many nodes, how many routes
    side : int64 (capacity,), the branch of each instance at the node at hand; -1 - its first part if spread
    spare : uint64 (capacity,), room for a segment
    routes : int32, holds 0, 1, … for each nominal column; those of subsets are put behind
    """

    nodes: np.ndarray
    stats: np.ndarray
    waiting: np.ndarray
    count: np.ndarray
    side: np.ndarray
    spare: np.ndarray
    routes: np.ndarray


@inner
def agree(instances, members):
    """Whether these rows have one and the same target."""
    for k in range(1, members.size):
        if instances.number.size:
            if instances.number[members[k]] != instances.number[members[0]]:
                return False
        elif instances.y[members[k]] != instances.y[members[0]]:
            return False
    return True


@jit
def may_split(ground, growth, node, rule):
    """Whether a node can be more than a leaf, whatever its columns hold."""
    nodes = growth.nodes
    members = ground.members[nodes[node].start : nodes[node].end]
    return (
        nodes[node].depth < rule.max_depth
        and members.size > 1
        and weight_of(growth.stats[node], rule.criterion) >= 2 * rule.least
        and not agree(ground.instances, members)
    )


@inner
def consider(ground, growth, node, rule, desk, found, evidence):
    """Search the columns: all in order, or max_features of them at random, and more until one can be split."""
    segment = (growth.nodes[node].start, growth.nodes[node].end)
    totals, order = growth.stats[node], desk.order
    noted = 0
    while noted < evidence.node.size and evidence.node[noted] >= 0:
        noted += 1
    if noted < evidence.node.size:
        evidence.node[noted] = node
    for f in range(order.size):
        found[f].gain = np.nan
    any_found = False
    for k in range(order.size):
        if k >= rule.max_features and any_found:
            break
        if rule.max_features < order.size:
            other = k + whole_below(desk.random, order.size - k)
            order[k], order[other] = order[other], order[k]
        search(ground, order[k], segment, totals, rule, desk, found[order[k]])
        any_found = any_found or found[order[k]].gain > 0
        if noted < evidence.node.size:
            note(ground, order[k], segment, found[order[k]], desk, evidence, noted)


@inner
def take_sides(ground, f, start, end, found, routes, side):
    """The branch of each member by its cell in column f, -1 where that is missing."""
    kind, place, n_codes = ground.columns[f].kind, ground.columns[f].place, ground.columns[f].n_codes
    if kind == SORTED:
        for k in range(start, end):
            i = np.uintp(ground.keys[place, k] & ROW)
            side[i] = 0 if k <= start + found.below else (1 if k < start + found.known else -1)
        return
    for k in range(start, end):
        i = np.uintp(ground.members[k])
        code = np.int64(ground.codes[place, ground.rows[i]])
        if code >= n_codes:
            side[i] = -1
        elif kind == ORDERED:
            side[i] = 1 if code > found.below else 0
        else:
            side[i] = routes[code]


@inner
def settle_missing(ground, start, end, side, weights, rule):
    """Decide where missing cells go, and send them there unless they are spread; the branch, or SPREAD.

    weights : float64 (n_branches,), and one more where missing cells may have their own: filled with what is
    known to go there
    """
    gaps, heaviest = 0, 0
    for k in range(start, end):
        i = np.uintp(ground.members[k])
        if side[i] >= 0:
            weights[side[i]] += ground.instances.w[i]
        else:
            gaps += 1
    for b in range(weights.size):
        if weights[b] > weights[heaviest]:
            heaviest = b
    branch = weights.size - 1 if rule.missing == OWN_BRANCH and gaps > 0 else heaviest
    for k in range(start, end if gaps else start):
        i = np.uintp(ground.members[k])
        if side[i] < 0 and rule.missing != FRACTIONAL:
            side[i] = branch
        elif side[i] < 0 and ground.instances.w[i] < CRUMB:
            side[i] = heaviest
    return SPREAD if rule.missing == FRACTIONAL else branch


@inner
def branch_sizes(ground, start, end, side, weights, sizes):
    """How many instances each branch will have; gives how many parts come to be by spreading."""
    spread, heavy = 0, 0
    for k in range(start, end):
        b = side[np.uintp(ground.members[k])]
        if b >= 0:
            sizes[b] += 1
        else:
            spread += 1
    for b in range(weights.size):
        if weights[b] > 0:
            sizes[b] += spread
            heavy += 1
    return spread * heavy


@inner
def make_parts(ground, start, end, used, weights, side):
    """Turn each spread instance into a part for every branch with weight; side becomes -1 - its first part."""
    instances, total = ground.instances, 0.0
    for b in range(weights.size):
        total += weights[b]
    for k in range(start, end):
        i = np.uintp(ground.members[k])
        if side[i] >= 0:
            continue
        side[i] = -1 - used
        for b in range(weights.size):
            if weights[b] > 0:
                ground.rows[used] = ground.rows[i]
                instances.w[used] = instances.w[i] * weights[b] / total
                if instances.number.size:
                    instances.number[used] = instances.number[i]
                else:
                    instances.y[used] = instances.y[i]
                used += 1
    return used


@inner
def part(keys, n, side, spare, sizes, weights):
    """Part a segment of n keys, the first of which is keys[0], into branches of these sizes."""
    to = np.zeros(sizes.size, np.int64)
    for b in range(1, sizes.size):
        to[b] = to[b - 1] + sizes[b - 1]
    for k in range(n):
        spare[k] = keys[k]
    for k in range(n):
        b = side[np.uintp(spare[k] & ROW)]
        if b >= 0:
            keys[to[b]] = spare[k]
            to[b] += 1
        else:
            instance = np.uint64(-1 - b)
            for b in range(weights.size):
                if weights[b] > 0:
                    keys[to[b]] = (spare[k] & ~ROW) | instance
                    to[b] += 1
                    instance += np.uint64(1)


@inner
def part_in_two(keys, n, side, spare):
    """`part` for two branches and whole instances: what goes left moves up in its place."""
    left, right = 0, 0
    for k in range(n):
        key = keys[k]
        b = side[np.uintp(key & ROW)]
        keys[left] = key
        spare[right] = key
        left += 1 - b
        right += b
    for k in range(right):
        keys[left + k] = spare[k]


@inner
def add_branches(ground, growth, node, first, sizes, used):
    """The nodes of the branches, whose members are in place."""
    nodes, stats = growth.nodes, growth.stats
    start = nodes[node].start
    for child in range(first, first + sizes.size):
        end = start + sizes[child - first]
        nodes[child].start, nodes[child].end = start, end
        nodes[child].depth, nodes[child].used = nodes[node].depth + 1, used
        for s in range(stats.shape[1]):
            stats[child, s] = 0.0
        for k in range(start, end):
            add_instance(ground.instances, np.uintp(ground.members[k]), stats[child])
        start = end


@inner
def is_chance(stats, critical):
    """Whether the branches' classes differ no more than chance would have it (chi-squared).

    stats : float64 (n_branches, n_classes); critical : by degrees of freedom
    """
    total = 0.0
    rows, columns = np.zeros(stats.shape[0]), np.zeros(stats.shape[1])
    for b in range(stats.shape[0]):
        for c in range(stats.shape[1]):
            rows[b] += stats[b, c]
            columns[c] += stats[b, c]
            total += stats[b, c]
    statistic, filled_rows, filled_columns = 0.0, 0, 0
    for b in range(rows.size):
        filled_rows += 1 if rows[b] > 0 else 0
        for c in range(columns.size):
            expected = rows[b] * columns[c] / total
            if expected > 0:
                statistic += (stats[b, c] - expected) ** 2 / expected
    for c in range(columns.size):
        filled_columns += 1 if columns[c] > 0 else 0
    return statistic <= critical[(filled_rows - 1) * (filled_columns - 1)]


@inner
def is_vain(totals, stats, penalty):
    """Whether the branches have no smaller pessimistic error (errors + penalty per leaf) than one leaf."""
    most, weight = 0.0, 0.0
    for c in range(totals.size):
        most, weight = max(most, totals[c]), weight + totals[c]
    leaf, branches = weight - most + penalty, 0.0
    for b in range(stats.shape[0]):
        most, weight = 0.0, 0.0
        for c in range(totals.size):
            most, weight = max(most, stats[b, c]), weight + stats[b, c]
        if weight > 0:
            branches += weight - most + penalty
    return branches >= leaf


@jit
def grow(ground, growth, rule, desk, found, evidence):
    """Split what waits, until nothing does (DONE) or a table is full: then the caller makes room and comes
    back, and the node at hand is taken up again.
    """
    columns, nodes, stats, count = ground.columns, growth.nodes, growth.stats, growth.count
    side, spare = growth.side, growth.spare
    while count[0]:
        node = growth.waiting[count[0] - 1]
        start, end, first = nodes[node].start, nodes[node].end, count[1]
        consider(ground, growth, node, rule, desk, found, evidence)
        f = choose(found, stats[node], rule, columns)
        if f < 0:
            count[0] -= 1
            continue

        # the test, and the branch of each member
        route, branches, n_values = np.int64(-1), np.int64(2), columns[f].n_codes
        if columns[f].kind == NOMINAL and not rule.subset:
            route, branches = columns[f].route, n_values
        elif columns[f].kind == NOMINAL:
            search(ground, f, (start, end), stats[node], rule, desk, found[f])  # once more, for the routes
            route = count[2]
            if route + n_values > growth.routes.size:
                return MORE_ROUTES
            for code in range(n_values):
                growth.routes[route + code] = desk.routes[code]
        take_sides(ground, f, start, end, found[f], growth.routes[max(route, 0) :], side)
        weights = np.zeros(branches + 1 if rule.missing == OWN_BRANCH else branches)
        missing = settle_missing(ground, start, end, side, weights, rule)
        if missing < branches:
            weights = weights[:branches]

        # the branches' rows
        sizes, used = np.zeros(weights.size, np.int64), nodes[node].used
        parts = branch_sizes(ground, start, end, side, weights, sizes)
        if max(used, end) + parts > ground.members.size:
            return MORE_INSTANCES
        if first + weights.size > nodes.size:
            return MORE_NODES
        below, above = found[f].below, found[f].above
        if columns[f].kind == SORTED:
            below, above = row_at(ground, f, start + below), row_at(ground, f, start + above)
        if parts:
            used = make_parts(ground, start, end, used, weights, side)
        part(ground.members[start:], end - start, side, spare, sizes, weights)
        add_branches(ground, growth, node, first, sizes, used)
        count[0] -= 1
        if rule.penalty >= 0 and is_vain(stats[node], stats[first : first + weights.size], rule.penalty):
            continue
        if rule.critical.size and is_chance(stats[first : first + weights.size], rule.critical):
            continue
        bottom = count[0]
        for child in range(first, first + weights.size):
            if may_split(ground, growth, child, rule):
                growth.waiting[count[0]] = child
                count[0] += 1
        for j in range(ground.keys.shape[0] if count[0] > bottom else 0):
            keys = ground.keys[j, start:]
            if weights.size == 2 and parts == 0:
                part_in_two(keys, end - start, side, spare)
            else:
                part(keys, end - start, side, spare, sizes, weights)

        nodes[node].attribute, nodes[node].gain = f, found[f].gain
        nodes[node].below, nodes[node].above = below, above
        nodes[node].first, nodes[node].branches = first, weights.size
        nodes[node].missing, nodes[node].route = missing, route
        count[1] += weights.size
        if route == count[2]:
            count[2] += n_values
    return DONE
