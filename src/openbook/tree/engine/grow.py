"""Growing: from the root, split the node whose rows lie topmost, until nothing is worth splitting.

Rows lie in segments: the members of a node stand together, in `members` and in every sorted column, there in
the column's order. A split parts its segment, stably, into those of its branches:

    before    [ … | node . . . . . . . . ]   free
    after     [ … | branch 0 | branch 1 | … ]   free

and the branch on top is next, so above the segment at hand all is free. That leaves room for rows whose
cell is missing: where they are spread (C4.5), each goes down every branch in parts, as the weights of the
known rows are shared, and a part is an instance of its own.

A node is a leaf when its rows agree on the target, at max_depth, when it weighs less than `least_to_split`,
when no split leaves `least` weight in two branches, when none gains more than min_gain (and more than
rounding), when the best is not significant, or when it does not lower the pessimistic error.
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner, jit
from openbook.tree.engine.absolute import set_up, settle_branches
from openbook.tree.engine.columns import DRAWN, NOMINAL, SORTED
from openbook.tree.engine.counts import are_many, count_together, lay_out, share_table
from openbook.tree.engine.criteria import GAIN_RATIO, impurity_cost, weight_of
from openbook.tree.engine.nodes import LEAF, SPREAD
from openbook.tree.engine.part import (
    heaviest_of,
    make_parts,
    note_sides,
    part,
    part_by_code,
    part_by_value,
    part_in_two,
    send_missing,
    take_cut,
    take_sides,
)
from openbook.tree.engine.search import (
    FRACTIONAL,
    OWN_BRANCH,
    choose_split,
    note,
    row_at,
    rows_around,
    search,
)
from openbook.tree.engine.split import TOTAL, Instances, Targets, add_instance, whole_below
from openbook.tree.engine.stopping import is_chance, is_vain

#: What `grow` says when it comes back: it is done, or one of the tables is full.
DONE, MORE_NODES, MORE_INSTANCES, MORE_ROUTES = range(4)


@bundle
class Ground(NamedTuple):
    """The rows that are being parted.

    columns : see `columns`; n_rows : how many rows they have
    codes : see `columns`; None where all columns are sorted
    keys : uint32 (n_sorted, capacity), those of the target last for absolute errors; None where all columns
        are coded (None is a type of its own: what would sort, or count codes, is not compiled)
    numbers : see `columns`; None where no cut is drawn
    members : uint32 (capacity,); like keys, in segments
    rows : uint32 (capacity - n_rows,), the row behind each instance that is a part; None where no cell is
        missing
    """

    columns: np.ndarray
    n_rows: int
    codes: np.ndarray | None
    keys: np.ndarray | None
    numbers: np.ndarray | None
    members: np.ndarray
    rows: np.ndarray | None
    instances: Instances


#: A node while it grows: the fields of `Tree`; the two rows or codes between which an ordered test cuts; the
#: segment of its rows, and how many instances are in use while it is split; which of the desk's tables has
#: its counts, or -1 - the first that is free for it. As in `Tree`, no more than 2³¹ of anything.
NODE = np.dtype(
    [
        ("gain", np.float64),
        ("attribute", np.int32),
        ("below", np.int32),
        ("above", np.int32),
        ("first", np.int32),
        ("branches", np.int32),
        ("missing", np.int32),
        ("route", np.int32),
        ("depth", np.int32),
        ("start", np.int32),
        ("end", np.int32),
        ("used", np.int32),
        ("table", np.int32),
    ],
    align=True,
)


@bundle
class Growth(NamedTuple):
    """How far the tree has come.

    nodes : NODE (n,); stats : float64 (n, n_stats), what adds up over their rows
    waiting : int32 (n,), the nodes still to be split, the topmost last
    sizes : int64 (3,), how many of those there are, how many nodes, how many routes
    side : int32 (capacity,), the branch of each instance at the node at hand; -1 - its first part if spread
    bits : uint64 (capacity / 64 + 1,), the same where there are two branches
    spare : uint32 (capacity,), room for a segment; aside : its targets and weights, if all columns are coded
    routes : int32, holds 0, 1, … for each nominal column; those of subsets are put behind
    branches : BRANCH (most branches,), of the node at hand
    """

    nodes: np.ndarray
    stats: np.ndarray
    waiting: np.ndarray
    sizes: np.ndarray
    side: np.ndarray
    bits: np.ndarray
    spare: np.ndarray
    aside: Targets
    routes: np.ndarray
    branches: np.ndarray


@inner
def segment_of(nodes, node):
    """Where the rows of a node start and end."""
    return np.int64(nodes[node].start), np.int64(nodes[node].end)


@inner
def agree(stats, node, number, members, segment):
    """Whether the rows of a node have one and the same target."""
    start, end = segment
    if number is not None:
        for k in range(start + 1, end):  # noqa: SIM110 (a generator is no kernel)
            if number[members[k]] != number[members[start]]:
                return False
        return True
    classes = 0
    for c in range(stats.shape[1]):
        classes += 1 if stats[node, c] > 0 else 0
    return classes < 2


@inner
def may_split(ground, growth, node, rule):
    """Whether a node can be more than a leaf, whatever its columns hold."""
    this, stats = growth.nodes[node], growth.stats
    return (
        this.depth < rule.max_depth
        and this.end - this.start > 1
        and weight_of(stats, node, rule.criterion) >= max(rule.least_to_split, 2 * rule.least)
        and not agree(stats, node, ground.instances.number, ground.members, segment_of(growth.nodes, node))
    )


@inner
def place_for(evidence, nodes, node):
    """Where to note a node, wiped clean: where it was noted before, else a free place, else that of the
    deepest node if it lies deeper; -1 if there is none.
    """
    at, deepest, noted = -1, nodes[node].depth, evidence.node
    for k in range(noted.size):
        if noted[k] < 0 or noted[k] == node:  # free places are the last
            at = k
            break
        depth = nodes[noted[k]].depth
        if depth > deepest:
            at, deepest = k, depth
    if at >= 0:
        noted[at] = node
        found, stats = evidence.found[at], evidence.stats[at]
        for f in range(found.size):
            found[f].gain, found[f].below = np.nan, -1
        for slot in range(stats.shape[0]):
            for s in range(stats.shape[1]):
                stats[slot, s] = 0.0
    return at


@inner
def draw_column(order, k, random):
    """Draw the column that comes k-th, from those that have not come yet."""
    other = k + whole_below(random, order.size - k)
    order[k], order[other] = order[other], order[k]


@inner
def take_stats(stats, node, rule, desk):
    """Put the stats of a node on the desk."""
    sides = desk.sides
    for s in range(stats.shape[1]):
        sides[TOTAL, s] = stats[node, s]
    desk.node[0] = weight_of(sides, TOTAL, rule.criterion)
    desk.node[1] = impurity_cost(sides, TOTAL, rule.criterion, desk.whole)


@inner(inline="always")
def consider(ground, growth, node, rule, desk, found, evidence):
    """Search the columns: all in order, or max_features at random, and more until one can be split; gives
    how many of the order were searched.
    """
    segment, order = segment_of(growth.nodes, node), desk.order
    take_stats(growth.stats, node, rule, desk)
    set_up(desk.ladder, ground, segment)
    noted = place_for(evidence, growth.nodes, node)
    n_drawn = min(rule.max_features, order.size)
    for k in range(n_drawn if n_drawn < order.size else 0):
        draw_column(order, k, desk.random)
    count_together(ground, n_drawn, growth.nodes[node], desk)
    any_found, top, searched = False, 0.0, 0
    every_gain = noted >= 0 or rule.criterion == GAIN_RATIO or rule.missing == OWN_BRANCH
    for k in range(order.size):
        if k >= n_drawn:
            if any_found:
                break
            draw_column(order, k, desk.random)
            desk.where[order[k]] = -1
        f, searched = order[k], k + 1
        desk.node[2] = 0.0 if every_gain else top * desk.node[0]
        search(ground, f, segment, rule, desk, found[f])
        if found[f].gain > top:  # no NaN is
            any_found, top = True, found[f].gain
        if noted >= 0:
            note(ground, f, segment, found[f], desk, evidence, noted)
    return searched


@inner
def add_branches(growth, node, branches, used):
    """The nodes of the branches, without their stats."""
    nodes, first = growth.nodes, growth.sizes[1]
    start, depth, table = np.int64(nodes[node].start), nodes[node].depth + 1, nodes[node].table
    for b in range(branches.size):
        child, end = nodes[first + b], start + branches[b].size
        child.start, child.end, child.depth, child.used = start, end, depth, used
        child.attribute, child.missing, child.route = LEAF, SPREAD, -1
        child.table = min(table, -1 - table)
        start = end


@inner
def add_members(ground, growth, node):
    """The stats of a node, whose members are in place."""
    members, instances, stats = ground.members, ground.instances, growth.stats
    start, end = segment_of(growth.nodes, node)
    for s in range(stats.shape[1]):
        stats[node, s] = 0.0
    for k in range(start, end):
        add_instance(instances, np.uintp(members[k]), stats, node)


@jit(_nrt=False)
def grow(ground, growth, rule, desk, found, evidence):  # noqa: C901, PLR0912, PLR0915 (one loop over the nodes)
    """Split what waits, until nothing does (DONE) or a table is full: then the caller makes room and comes
    back, and the node at hand is taken up again.
    """
    keys, members, side = ground.keys, ground.members, growth.side
    nodes, stats, sizes = growth.nodes, growth.stats, growth.sizes
    waiting, routes = growth.waiting, growth.routes
    while sizes[0]:
        node = np.int64(waiting[sizes[0] - 1])
        this, first = nodes[node], sizes[1]
        if first + growth.branches.size > nodes.size:  # before anything is drawn at random
            return MORE_NODES
        segment = segment_of(nodes, node)
        start, end = segment
        searched = consider(ground, growth, node, rule, desk, found, evidence)
        f = choose_split(found, desk.order[:searched], desk, rule, ground.columns)
        if f < 0:
            sizes[0] -= 1
            continue

        # the test, and the branch of each member
        column, best = ground.columns[f], found[f]
        kind, route, n_branches, n_values = column.kind, np.int64(-1), np.int64(2), column.n_codes
        if desk.routes is not None and kind == NOMINAL:
            if rule.subset:
                route = sizes[2]
                if route + n_values > routes.size:
                    return MORE_ROUTES
                for code in range(n_values):
                    routes[route + code] = desk.routes[column.route + code]
            else:
                route, n_branches = column.route, n_values
        branches = growth.branches[: n_branches + 1]
        for b in range(branches.size):
            branches[b].size, branches[b].weight = 0, 0.0
        by_code = keys is None and not best.gaps and (n_branches == 2 or kind == NOMINAL)
        by_cut = kind == SORTED and best.known == end - start
        own_routes, gaps = routes[max(route, 0) :], 0
        if keys is not None and by_cut:
            take_cut(ground, growth, f, segment, best.below, branches, rule.criterion)
        elif (keys is not None or ground.rows is not None) and not by_code:
            gaps = take_sides(ground, f, segment, best, own_routes, side, branches)
        own_branch = gaps > 0 and rule.missing == OWN_BRANCH
        if not own_branch:
            branches = branches[:n_branches]

        # the branches' rows
        used, spread = np.int64(this.used), 0
        if ground.rows is not None and gaps:
            spread = send_missing(ground, segment, side, branches, rule)
            parts = np.int64(0)
            for b in range(branches.size):
                parts += spread if branches[b].weight > 0 else 0
            if spread and max(used, end) + parts > members.size:
                return MORE_INSTANCES
        below, above = best.below, best.above
        if keys is not None and kind == SORTED:
            below, above = row_at(ground, f, start + below), row_at(ground, f, start + above)
        elif ground.numbers is not None and kind == DRAWN:
            below, above = rows_around(ground, f, segment, best.cut)
        if ground.rows is not None and spread:
            used = make_parts(ground, segment, used, branches, side)
        in_two = branches.size == 2 and not spread
        last, sizes[0] = first + branches.size, sizes[0] - 1
        if keys is None and by_code:
            if desk.routes is not None and n_branches != 2:
                part_by_value(ground, growth, f, segment, desk, branches)
            else:
                part_by_code(ground, growth, f, segment, best, own_routes, desk, branches)
            add_branches(growth, node, branches, used)
        elif keys is not None or ground.rows is not None:
            if keys is not None and in_two:
                if not by_cut:
                    note_sides(members[start:end], side, growth.bits)
                part_in_two(members[start:], end - start, growth)
            elif ground.rows is not None or desk.routes is not None:
                part(members[start:], end - start, growth, branches)
            add_branches(growth, node, branches, used)
            for child in range(first, first if by_cut else last):
                add_members(ground, growth, child)
            lay_out(ground, (start, np.int64(nodes[last - 1].end)), desk)
            settle_branches(desk.ladder, ground, growth, node, first, last)
        if is_vain(stats[node], stats[first:last], rule.penalty):
            continue
        if is_chance(stats[first:last], desk.sides[0], rule.critical):
            continue
        bottom = sizes[0]
        for child in range(first, last):
            if may_split(ground, growth, child, rule):
                waiting[sizes[0]] = child
                sizes[0] += 1
        if keys is not None and sizes[0] > bottom:
            for j in range(keys.shape[0]):
                if in_two:
                    part_in_two(keys[j, start:], end - start, growth)
                elif ground.rows is not None or desk.routes is not None:
                    part(keys[j, start:], end - start, growth, branches)

        this.attribute, this.gain, this.below, this.above = f, best.gain, below, above
        this.first, this.branches, this.missing, this.route = first, branches.size, SPREAD, route
        if rule.missing != FRACTIONAL:
            this.missing = n_branches if own_branch else heaviest_of(branches)
        sizes[1] = last
        if route == sizes[2]:
            sizes[2] += n_values
        if ground.codes is not None and in_two and sizes[0] > bottom:
            share_counts(ground, growth, node, growth.waiting[bottom : sizes[0]], desk)
    return DONE


@inner
def share_counts(ground, growth, node, waiting, desk):
    """Share the counts of a node out to its two branches, if the larger is still to be split, and large."""
    this, small = growth.nodes[node], np.int64(growth.nodes[node].first)
    large = small + 1
    if size_of(growth, large) < size_of(growth, small):
        small, large = large, small
    waits = waiting[0] == large or waiting[waiting.size - 1] == large
    fits = this.table >= 0 and (this.table + 2) * desk.places.size <= desk.table.shape[0]
    if fits and waits and are_many(size_of(growth, large), desk.table):
        share_table(ground, this, growth.nodes[small], growth.nodes[large], desk)


@inner
def size_of(growth, node):
    """How many members a node has."""
    start, end = segment_of(growth.nodes, node)
    return end - start


def wait_for(ground, growth, rule, depth):
    """Have the nodes at this depth and below wait for `grow`, in the order of their segments, as far as they
    have no branches yet and may be split.
    """
    nodes = growth.nodes[: growth.sizes[1]]
    ends = np.flatnonzero((nodes["attribute"] == LEAF) & (nodes["depth"] >= depth))
    ends = ends[np.argsort(nodes["start"][ends])]
    put_on_pile(ground, growth, rule, ends)


@jit(_nrt=False)
def put_on_pile(ground, growth, rule, ends):
    """Have these nodes wait, if they may be split."""
    sizes = growth.sizes
    sizes[0] = 0
    for k in range(ends.size):
        if may_split(ground, growth, ends[k], rule):
            growth.waiting[sizes[0]] = ends[k]
            sizes[0] += 1


@jit(_nrt=False)
def tell_leaves(nodes, members, leaves):
    """Fill in the leaf of each member."""
    for node in range(nodes.size):
        if nodes[node].attribute == LEAF:
            for k in range(nodes[node].start, nodes[node].end):
                leaves[members[k]] = node
