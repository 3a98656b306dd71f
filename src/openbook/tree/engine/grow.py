"""Growing: split the node on top of the stack, push its branches, and repeat until the stack is empty.

The rows of a node, its members, stand together in a segment, in `members` and in every sorted column, there
in the column's order. A split partitions the segment, stably, into those of its branches:

    before    [ … | node . . . . . . . . ]   free
    after     [ … | branch 0 | branch 1 | … ]   free

The branch on top is split next, so everything above the current segment is free. A row whose cell is missing
may be divided (C4.5): it goes down every branch as a fractional instance, by the branches' shares of the
known weight. The new instances use the free part.

A node is a leaf if its rows agree on the target, at max_depth, if it weighs less than `min_split_weight`, if
no split leaves `min_leaf_weight` in two branches, if none gains more than min_gain (and more than rounding),
if the best is not significant, or if it does not lower the pessimistic error.
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.bundle import bundle
from openbook.kernels.jit import exact, jit
from openbook.tree.engine.absolute_error import rank_targets, set_branch_medians
from openbook.tree.engine.columns import NOMINAL, SORTED
from openbook.tree.engine.criteria import GAIN_RATIO, impurity_cost, weight_of
from openbook.tree.engine.histogram import are_many, build_histograms, divide_histograms, gather_targets
from openbook.tree.engine.nodes import LEAF, SPREAD
from openbook.tree.engine.partition import (
    assign_branches,
    assign_by_cut,
    assign_missing,
    heaviest_of,
    make_fractions,
    partition_by_code,
    partition_by_value,
    partition_columns,
    partition_members,
    weigh_branches,
)
from openbook.tree.engine.search import (
    FRACTIONAL,
    OWN_BRANCH,
    choose_split,
    find_split,
    record_candidate,
    rows_around,
)
from openbook.tree.engine.split import TOTAL, Instances, Targets, add_target, random_below
from openbook.tree.engine.stopping import fails_chi_squared, fails_pessimistic

#: Why `grow` returns: it is done, or one of the arrays is full.
DONE, MORE_NODES, MORE_INSTANCES, MORE_ROUTES = range(4)

#: The sizes of a growing tree.
N_WAITING, N_NODES, N_ROUTES = range(3)


@bundle
class PartitionedRows(NamedTuple):
    """The training rows, partitioned as the tree grows. None stands for what no column needs: kernels that
    would use it are not compiled.

    columns : see `columns`; n_rows : how many rows there are
    codes : see `columns`; None if all columns are sorted
    keys : uint32 (n_sorted, capacity), in segments; for absolute errors, those of the target last; None if
        all columns are coded
    numbers : see `columns`; None unless cuts are random
    members : uint32 (capacity,), the instances, in segments
    origin : uint32 (capacity - n_rows,), the row of each fractional instance; None if no cell is missing
    """

    columns: np.ndarray
    n_rows: int
    codes: np.ndarray | None
    keys: np.ndarray | None
    numbers: np.ndarray | None
    members: np.ndarray
    origin: np.ndarray | None
    instances: Instances


#: A node of a growing tree: the fields of `Tree`; the two rows or codes between which an ordered test cuts;
#: the segment of its rows, and how many instances are in use while it is split; the place of its histograms,
#: or -1 - the first that is free for them. As in `Tree`, no more than 2³¹ of anything.
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
        ("histograms", np.int32),
    ],
    align=True,
)


@bundle
class GrowingTree(NamedTuple):
    """A tree as it grows, and the buffers to partition rows with.

    nodes : NODE (n,); stats : float64 (n, n_stats), the stats of each node (see `criteria`)
    stack : int32 (n,), the nodes still to be split, the next one last
    sizes : int64 (3,), the length of the stack, the number of nodes, and of routes
    branch_of, right, side, branches : see `partition`
    buffer : uint32 (capacity,), for a segment; target_buffer : for its targets and weights, if all columns
        are coded
    routes : int32, starts with 0, 1, … for each nominal column; those of subsets follow
    """

    nodes: np.ndarray
    stats: np.ndarray
    stack: np.ndarray
    sizes: np.ndarray
    branch_of: np.ndarray | None
    right: np.ndarray | None
    side: np.ndarray | None
    buffer: np.ndarray
    target_buffer: Targets
    routes: np.ndarray
    branches: np.ndarray


@exact
def segment_of(nodes, node):
    """Where the rows of a node start and end."""
    return np.int64(nodes[node].start), np.int64(nodes[node].end)


@exact
def agree(y_number, stats, node, members, segment):
    """Whether all rows of a node have the same target."""
    start, end = segment
    if y_number is not None:
        for k in range(start + 1, end):  # noqa: SIM110 (a generator is no kernel)
            if y_number[members[k]] != y_number[members[start]]:
                return False
        return True
    classes = 0
    for c in range(stats.shape[1]):
        classes += 1 if stats[node, c] > 0 else 0
    return classes < 2


@exact
def may_split(samples, tree, node, rule):
    """Whether a node can be more than a leaf, whatever its columns hold."""
    this, stats = tree.nodes[node], tree.stats
    segment = segment_of(tree.nodes, node)
    return (
        this.depth < rule.max_depth
        and this.end - this.start > 1
        and weight_of(stats, node, rule.criterion) >= max(rule.min_split_weight, 2 * rule.min_leaf_weight)
        and not agree(samples.instances.y_number, stats, node, samples.members, segment)
    )


@exact
def place_in_records(records, nodes, node):
    """Where to record the candidates of a node, cleared: where the node is recorded, else a free place, else
    that of the deepest node if it is deeper; -1 if there is none.
    """
    at, deepest, recorded = -1, nodes[node].depth, records.node
    for k in range(recorded.size):
        if recorded[k] < 0 or recorded[k] == node:  # free places are the last
            at = k
            break
        depth = nodes[recorded[k]].depth
        if depth > deepest:
            at, deepest = k, depth
    if at >= 0:
        recorded[at] = node
        splits, stats = records.splits[at], records.stats[at]
        for f in range(splits.size):
            splits[f].gain, splits[f].below = np.nan, -1
        for slot in range(stats.shape[0]):
            for s in range(stats.shape[1]):
                stats[slot, s] = 0.0
    return at


@exact
def draw_column(order, k, random):
    """Draw the k-th column, from those that have not been drawn."""
    other = k + random_below(random, order.size - k)
    order[k], order[other] = order[other], order[k]


@exact
def start_search(stats, node, rule, workspace):
    """Copy the stats of a node to the workspace."""
    sides = workspace.sides
    for s in range(stats.shape[1]):
        sides[TOTAL, s] = stats[node, s]
    workspace.node[0] = weight_of(sides, TOTAL, rule.criterion)
    workspace.node[1] = impurity_cost(sides, TOTAL, rule.criterion, workspace.xlogx)


@exact(inline="always")
def search_columns(samples, tree, node, rule, workspace, splits, records):
    """Search the columns: all in order, or max_features at random, and more until one can be split; gives
    how many of `column_order` were searched.
    """
    segment, order = segment_of(tree.nodes, node), workspace.column_order
    start_search(tree.stats, node, rule, workspace)
    rank_targets(workspace.medians, samples, segment)
    recorded = place_in_records(records, tree.nodes, node)
    n_drawn = min(rule.max_features, order.size)
    for k in range(n_drawn if n_drawn < order.size else 0):
        draw_column(order, k, workspace.random)
    build_histograms(workspace.places, samples, n_drawn, tree.nodes[node], workspace)
    any_found, top, searched = False, 0.0, 0
    every_gain = recorded >= 0 or rule.criterion == GAIN_RATIO or rule.missing == OWN_BRANCH
    for k in range(order.size):
        if k >= n_drawn:
            if any_found:
                break
            draw_column(order, k, workspace.random)
            workspace.histogram_of[order[k]] = -1
        f, searched = order[k], k + 1
        workspace.node[2] = 0.0 if every_gain else top * workspace.node[0]
        find_split(samples, f, segment, rule, workspace, splits[f])
        if splits[f].gain > top:  # false for NaN
            any_found, top = True, splits[f].gain
        if recorded >= 0:
            record_candidate(samples, f, segment, splits[f], workspace, records, recorded)
    return searched


@exact
def copy_routes(subset, first, routes, to, n_values):
    """Copy the branches of the values of a nominal column from the best subset to the tree."""
    if subset is None:
        return
    for code in range(n_values):
        routes[to + code] = subset[first + code]


@exact
def add_branches(tree, node, branches, used):
    """Add the nodes of the branches, without their stats."""
    nodes, first = tree.nodes, tree.sizes[N_NODES]
    start, depth, histograms = np.int64(nodes[node].start), nodes[node].depth + 1, nodes[node].histograms
    for b in range(branches.size):
        child, end = nodes[first + b], start + branches[b].size
        child.start, child.end, child.depth, child.used = start, end, depth, used
        child.attribute, child.missing, child.route = LEAF, SPREAD, -1
        child.histograms = min(histograms, -1 - histograms)
        start = end


@exact
def add_members(samples, tree, node):
    """The stats of a node, whose members are in place."""
    members, instances, stats = samples.members, samples.instances, tree.stats
    start, end = segment_of(tree.nodes, node)
    for s in range(stats.shape[1]):
        stats[node, s] = 0.0
    for k in range(start, end):
        add_target(instances.y_class, instances.y_number, instances.w, np.uintp(members[k]), stats, node)


@jit(_nrt=False)
def grow(samples, tree, rule, workspace, splits, records):  # noqa: C901, PLR0912, PLR0915 (one loop over the nodes)
    """Split the nodes on the stack until it is empty (DONE) or an array is full: then the caller enlarges it
    and calls again, and the current node is split from the beginning.

    splits : SPLIT (n_columns,), a buffer
    """
    nodes, stats, sizes, stack, routes = tree.nodes, tree.stats, tree.sizes, tree.stack, tree.routes
    all_coded = samples.keys is None
    while sizes[N_WAITING]:
        node = np.int64(stack[sizes[N_WAITING] - 1])
        this, first = nodes[node], sizes[N_NODES]
        if first + tree.branches.size > nodes.size:  # before anything is drawn at random
            return MORE_NODES
        segment = segment_of(nodes, node)
        start, end = segment
        searched = search_columns(samples, tree, node, rule, workspace, splits, records)
        f = choose_split(splits, workspace.column_order[:searched], workspace, rule, samples.columns)
        if f < 0:
            sizes[N_WAITING] -= 1
            continue

        # the test, and the branch of each member
        column, best = samples.columns[f], splits[f]
        kind, route, n_branches, n_values = column.kind, np.int64(-1), np.int64(2), column.n_codes
        if kind == NOMINAL and rule.subset:
            route = sizes[N_ROUTES]
            if route + n_values > routes.size:
                return MORE_ROUTES
            copy_routes(workspace.routes, column.route, routes, route, n_values)
        elif kind == NOMINAL:
            route, n_branches = column.route, n_values
        branches = tree.branches[: n_branches + 1]
        for b in range(branches.size):
            branches[b].size, branches[b].weight = 0, 0.0
        by_code = all_coded and not best.has_missing and (n_branches == 2 or kind == NOMINAL)
        by_cut = kind == SORTED and best.known == end - start
        own_routes, n_missing = routes[max(route, 0) :], 0
        if by_cut:
            assign_by_cut(samples.keys, samples, f, segment, best.below, tree, branches)
        elif not by_code:
            n_missing = assign_branches(tree.branch_of, samples, f, segment, best, own_routes, branches)
        own_branch = n_missing > 0 and rule.missing == OWN_BRANCH
        if not own_branch:
            branches = branches[:n_branches]

        # the rows of the branches
        used, n_divided = np.int64(this.used), 0
        if n_missing:
            n_divided = assign_missing(samples.origin, samples, segment, tree.branch_of, branches, rule)
            n_fractions = np.int64(0)
            for b in range(branches.size):
                n_fractions += n_divided if branches[b].weight > 0 else 0
            if n_divided and max(used, end) + n_fractions > samples.members.size:
                return MORE_INSTANCES
        below, above = rows_around(samples, f, segment, best)
        if n_divided:
            used = make_fractions(samples.origin, samples, segment, used, branches, tree.branch_of)
        in_two = branches.size == 2 and not n_divided
        last, sizes[N_WAITING] = first + branches.size, sizes[N_WAITING] - 1
        if by_code:
            if n_branches != 2 or tree.side is None:
                partition_by_value(
                    workspace.routes, samples, f, segment, tree, workspace, branches, rule.criterion
                )
            else:
                partition_by_code(tree.side, samples, f, segment, best, own_routes, tree, workspace.targets)
            add_branches(tree, node, branches, used)
        else:
            partition_members(tree.right, samples, segment, tree, branches, in_two, by_cut)
            add_branches(tree, node, branches, used)
            for child in range(first, first if by_cut else last):
                add_members(samples, tree, child)
            own = (start, np.int64(nodes[last - 1].end))
            gather_targets(samples.codes, samples, own, workspace.targets)
            set_branch_medians(workspace.medians, samples, tree, node, first, last)
        if by_cut or by_code:
            weigh_branches(stats, first, branches, rule.criterion)
        if fails_pessimistic(stats[node], stats[first:last], rule.penalty):
            continue
        if fails_chi_squared(stats[first:last], workspace.sides[0], rule.critical):
            continue
        bottom = sizes[N_WAITING]
        for child in range(first, last):
            if may_split(samples, tree, child, rule):
                stack[sizes[N_WAITING]] = child
                sizes[N_WAITING] += 1
        if sizes[N_WAITING] > bottom:
            partition_columns(samples.keys, segment, tree, branches, in_two)

        this.attribute, this.gain, this.below, this.above = f, best.gain, below, above
        this.first, this.branches, this.missing, this.route = first, branches.size, SPREAD, route
        if rule.missing != FRACTIONAL:
            this.missing = n_branches if own_branch else heaviest_of(branches)
            if column.has_gap_code and own_routes[n_values - 1] >= 0:
                this.missing = own_routes[n_values - 1]
        sizes[N_NODES] = last
        if route == sizes[N_ROUTES]:
            sizes[N_ROUTES] += n_values
        if in_two and sizes[N_WAITING] > bottom:
            waiting = stack[bottom : sizes[N_WAITING]]
            keep_histograms(workspace.places, samples, tree, node, waiting, workspace)
    return DONE


@exact
def keep_histograms(places, samples, tree, node, waiting, workspace):
    """Divide the histograms of a node between its branches, if the larger is large and still to be split."""
    if places is None:
        return
    this, small = tree.nodes[node], np.int64(tree.nodes[node].first)
    large = small + 1
    if size_of(tree, large) < size_of(tree, small):
        small, large = large, small
    waits = waiting[0] == large or waiting[waiting.size - 1] == large
    fits = (this.histograms + 2) * places.size <= workspace.histograms.shape[0]
    many = are_many(size_of(tree, large), workspace.histograms)
    if this.histograms >= 0 and fits and waits and many:
        divide_histograms(places, samples, this, tree.nodes[small], tree.nodes[large], workspace)


@exact
def size_of(tree, node):
    """How many members a node has."""
    start, end = segment_of(tree.nodes, node)
    return end - start


def push_leaves(samples, tree, rule, depth):
    """Put the leaves at this depth and below on the stack, in the order of their segments."""
    nodes = tree.nodes[: tree.sizes[N_NODES]]
    leaves = np.flatnonzero((nodes["attribute"] == LEAF) & (nodes["depth"] >= depth))
    leaves = leaves[np.argsort(nodes["start"][leaves])]
    push_nodes(samples, tree, rule, leaves)


@jit(_nrt=False)
def push_nodes(samples, tree, rule, some):
    """Put these nodes on the stack, which is empty, if they may be split."""
    sizes = tree.sizes
    sizes[N_WAITING] = 0
    for k in range(some.size):
        if may_split(samples, tree, some[k], rule):
            tree.stack[sizes[N_WAITING]] = some[k]
            sizes[N_WAITING] += 1


@jit(_nrt=False)
def find_leaves(nodes, members, leaves):
    """Fill in the leaf of each member."""
    for node in range(nodes.size):
        if nodes[node].attribute == LEAF:
            for k in range(nodes[node].start, nodes[node].end):
                leaves[members[k]] = node
