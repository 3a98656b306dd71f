"""Growing a tree from Python: the arrays that the kernel `grow` works on, and the tree that its nodes become.

value of a node    the weight of each class; or the mean of the target and the squared error around it; or its
                   median and the absolute error. An empty branch takes its parent's.
"""

import math
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from openbook.data import CHUNK_ROWS, Nominal
from openbook.tree.engine.absolute_error import median_and_deviation, median_tree
from openbook.tree.engine.columns import DRAWN, NOMINAL, ORDERED
from openbook.tree.engine.criteria import ABSOLUTE, GINI
from openbook.tree.engine.grow import (
    DONE,
    MORE_NODES,
    MORE_ROUTES,
    NODE,
    GrowingTree,
    PartitionedRows,
    find_leaves,
    grow,
    push_leaves,
)
from openbook.tree.engine.histogram import N_NEEDED, PER_WORD
from openbook.tree.engine.keys import check_rows, mark_class, select_keys
from openbook.tree.engine.nodes import LEAF, SPREAD, Tree, parents
from openbook.tree.engine.partition import BRANCH
from openbook.tree.engine.search import FRACTIONAL, OWN_BRANCH, SPLIT, CandidateRecords, Workspace
from openbook.tree.engine.split import Instances, Targets
from openbook.tree.engine.two_classes import SMALL_BLOCK

#: The candidates of so many nodes at most are recorded for the derivation, and so many figures of them.
RECORDED, RECORDED_FIGURES = 64, 200_000
#: For many rows only the candidates of the top of the tree are recorded, so that it takes little time: of so
#: many nodes that they have this many rows together, but of TOP at least.
RECORDED_ROWS, TOP = 200_000, 7
#: What adds up over the rows of a regression: the weight, the target, its square.
N_SUMS = 3
#: The most counts in the histograms of several columns: what a core's cache can hold.
MOST_COUNTS = 2**16
#: A byte holds the codes of so many classes.
MOST_SHORT = 256
#: If there are more than MANY_ROWS coded rows, the rows of a node are copied next to each other once it has
#: about NODE_ROWS of them: rows further apart miss the cache.
MANY_ROWS, NODE_ROWS = 2**18, 2**16
#: The arrays hold so many nodes at first; more if there are many rows.
FIRST_NODES = 1024
#: Fewer rows are counted column by column: the kernels that count columns at once are never compiled then.
FEW_ROWS = 256
#: A node as bytes: NumPy copies records field by field, which takes fifty times as long.
BYTES = np.dtype((np.void, NODE.itemsize))
#: The largest whole number whose logarithm is looked up.
MOST_WHOLE = 10_000_000


class Candidates(NamedTuple):
    """The candidate splits of the nodes that were split first, for the derivation.

    node : int64 (n,), the node
    gain, info, cut : float64 (n, n_columns), gain and split information; NaN where there is no split or cut
    counted : bool (n, n_columns), whether the gain counts for the average that gain ratio asks for
    stats : float64 (n, n_slots, n_stats), of a nominal column those of every value, then of missing cells; of
        others below the cut, above it, missing: the weight of each class; or weight, and value as of a node
    """

    node: np.ndarray
    gain: np.ndarray
    info: np.ndarray
    cut: np.ndarray
    counted: np.ndarray
    stats: np.ndarray


def n_slots(attribute):
    """How many branches of a candidate of this attribute are recorded."""
    return len(attribute.values) + 1 if isinstance(attribute, Nominal) else 3


def no_candidates(schema, n_stats):
    """The candidates of a tree that recorded none."""
    none = np.zeros((0, len(schema)))
    slots = sum(map(n_slots, schema))
    return Candidates(
        np.zeros(0, np.int64), none, none, none, none.astype(bool), np.zeros((0, slots, n_stats))
    )


def grow_tree(training, rule, n_classes, rows=None, seed=1, recorded=RECORDED, keep=True):
    """Grow a tree from encoded rows; the tree, and the candidates of its upper nodes.

    Parameters
    ----------
    n_classes : 0 for a regression
    rows : intp array, the rows to grow from, all by default
    seed : of the columns drawn at each node
    recorded : the candidates of so many nodes are recorded
    keep : whether other trees are grown from the training rows; else their own keys are partitioned, not a
        copy
    """
    grower = TreeGrower(training, rule, n_classes, rows, recorded, keep)
    (tree,) = trees_of([grower.grow(seed)], training.scales, n_classes, rule.criterion)
    return tree, _candidates(grower.records, training, n_classes, grower.centre, rule.criterion)


class TreeGrower:
    """Encoded rows, and the arrays that a tree needs to grow from them.

    If all cells are coded and targets are numbers, it grows one tree after the other: `set_targets` gives new
    targets.

    records : the candidates of the upper nodes; centre : the origin of the sums of the target
    """

    def __init__(self, training, rule, n_classes, rows=None, recorded=0, keep=True):
        n_stats = n_classes or N_SUMS
        self._rule, self._sizes, self._rows = rule, training.sizes, rows
        self.centre = 0.0 if n_classes else _mean(training.y, training.w, rows)
        self._samples = _samples(training, rows, n_classes, self.centre, rule, keep)
        self._tree = _tree(self._samples, self._sizes, n_stats, rule)
        self.records = _records(training, n_stats, len(self._samples.members), recorded)
        if training.has_missing and _will_divide(self._samples.instances, rule):
            self._samples, self._tree = _more_instances(self._samples, self._tree)
        self._recorded = recorded > 0
        self._workspace = _workspace(self._samples, self._sizes, n_stats, rule, self._recorded)

    def set_targets(self, y):
        """Let the next tree grow from these targets of all rows, as if none had grown before."""
        samples, tree, workspace = self._samples, self._tree, self._workspace
        self.centre = _mean(y, samples.instances.w, self._rows)
        np.subtract(y, self.centre, out=samples.instances.y_number)
        samples.members[:] = _members(len(y), self._rows)
        for own, targets in zip(workspace.targets, _targets(samples.instances, samples.members), strict=True):
            if own is not None:
                own[:] = targets
        workspace.column_order[:] = np.arange(len(workspace.column_order))
        tree.nodes[: tree.sizes[1]].view(np.uint8)[:] = 0
        _set_root(samples, tree, self._sizes, self._rule)

    def grow(self, seed):
        """Grow a tree: its nodes; seed : of the columns drawn at each node."""
        samples, tree, workspace = self._samples, self._tree, self._workspace
        rule, most = self._rule, self._sizes.most
        splits, gathered, workspace.random[0] = np.zeros(len(samples.columns), SPLIT), None, seed
        root_weight = float(tree.stats[0].sum() if samples.instances.y_number is None else tree.stats[0, 0])
        tree.sizes[0] = int(root_weight >= rule.min_split_weight)
        for stage in _stages(samples, rule):
            while (full := grow(samples, tree, stage, workspace, splits, self.records)) != DONE:
                if full == MORE_NODES:
                    tree = self._tree = _more_nodes(tree, most)
                elif full == MORE_ROUTES:
                    tree = self._tree = tree._replace(routes=_doubled(tree.routes, most))
                else:
                    samples, tree = _more_instances(samples, tree)
                    random, tree.nodes["histograms"] = workspace.random, -1
                    workspace = _workspace(samples, self._sizes, tree.stats.shape[1], rule, self._recorded)
                    workspace.random[:] = random
            if stage is not rule:
                gathered, samples = samples.members, _gathered(samples, tree, rule, stage.max_depth)
        self._members = samples.members if gathered is None else gathered[samples.members]
        return _grown(tree, self.centre)

    def leaves(self, grown, n_rows):
        """The leaf of every row, if the tree has grown from all of them and none is divided."""
        leaves = np.empty(n_rows, np.intp)
        find_leaves(grown.nodes, self._members, leaves)
        return leaves


def _mean(y, w, rows):
    """The mean of a target; `np.average` takes longer than a stump."""
    if rows is not None:
        y, w = y[rows], w[rows]
    return float((y * w).sum() / w.sum())


def _will_divide(instances, rule):
    """Whether rows with missing cells may be divided, and arrays for fractions change nothing else: they turn
    off what is faster for weights that are whole numbers.
    """
    return rule.missing == FRACTIONAL and not instances.unit and not len(instances.xlogx)


def _stages(samples, rule):
    """The rules to grow by: many coded rows are first split down to nodes of about NODE_ROWS."""
    n = len(samples.members)
    depth = math.ceil(math.log2(n / NODE_ROWS)) if n > MANY_ROWS else 0
    deeper = 0 < depth < rule.max_depth
    sorted_or_drawn = samples.keys is not None or samples.numbers is not None
    if not deeper or sorted_or_drawn or rule.criterion == ABSOLUTE or rule.missing == FRACTIONAL:
        return [rule]
    return [rule._replace(max_depth=depth), rule]


def _gathered(samples, tree, rule, depth):
    """The rows copied in the order of their nodes, those of a node next to each other; the leaves at this
    depth are pushed on the stack.
    """
    members, own = samples.members, zip(("y_class", "y_number", "w"), samples.instances, strict=False)
    samples = samples._replace(
        codes=samples.codes.take(members, axis=0),  # thrice as fast as codes[members]
        n_rows=len(members),
        members=np.arange(len(members), dtype=np.uint32),
        instances=samples.instances._replace(**{name: a[members] for name, a in own if a is not None}),
    )
    tree.nodes["used"], tree.nodes["histograms"] = len(members), -1
    push_leaves(samples, tree, rule, depth)
    return samples


def _samples(training, rows, n_classes, centre, rule, keep):
    n, none = len(training.y), np.zeros(0)
    keys = _keys(training, rows, rule, keep)
    w, xlogx = np.asarray(training.w, dtype=float), none
    unit = bool((w == 1).all())
    counts = n_classes and (unit or _are_whole(w)) and w.sum() <= MOST_WHOLE
    if counts and rule.criterion != GINI:  # which takes no logarithms
        xlogx = np.arange(w.sum() + 1)
        xlogx[1:] *= np.log2(xlogx[1:])
    if n_classes:
        y = training.y.astype(np.uint8 if n_classes <= MOST_SHORT else np.uint16)
        instances = Instances(y, None, w, unit, xlogx)
    else:
        instances = Instances(None, training.y - centre, w, unit, none)
    if n_classes == 2 and keys is not None:
        mark_class(keys, instances.y_class)
    members = _members(n, rows)
    all_sorted = not training.codes.shape[1] and training.numbers is None and rule.criterion != ABSOLUTE
    codes = None if all_sorted else training.codes
    origin = np.zeros(0, np.uint32) if training.has_missing else None
    return PartitionedRows(training.columns, n, codes, keys, training.numbers, members, origin, instances)


def _members(n, rows):
    """These of so many rows, all by default, as members."""
    return np.arange(n, dtype=np.uint32) if rows is None else rows.astype(np.uint32)


def _are_whole(w):
    """Whether these weights are whole numbers, so that no sum of them is rounded."""
    return bool((w == np.rint(w)).all())


def _keys(training, rows, rule, keep):
    """The keys of these rows, to be partitioned: a copy if those of the training rows are to be kept."""
    keys = training.keys
    if rule.criterion == ABSOLUTE:
        by_target, keep = np.argsort(training.y, kind="stable").astype(np.uint32)[None], False
        keys = by_target if keys is None else np.concatenate([keys, by_target])
    if keys is None:
        return None
    if rows is not None and len(rows) < len(training.y):
        kept = np.zeros(len(training.y), dtype=bool)
        kept[rows] = True
        own = np.empty((len(keys), len(rows)), np.uint32)
        for column, part in zip(keys, own, strict=True):
            select_keys(column, kept, part)
        return own
    return keys.copy() if keep and rule.max_depth > 1 else keys  # the keys of a stump are never partitioned


def _tree(samples, sizes, n_stats, rule):
    """A root with all rows, and arrays for more nodes."""
    n, capacity, most, used = len(samples.members), len(samples.instances.w), sizes.most, len(sizes.routes)
    # full arrays are doubled; trees of few rows have enough from the start
    n_nodes = max(min(max(n // 8, FIRST_NODES), 2 * n + most, 2 * most ** min(rule.max_depth, 9)), most, 64)
    routes = np.zeros(used + (min(n_nodes, 64) * most if rule.subset and used else 0), np.int32)
    is_sorted, by_instance = samples.keys is not None, samples.keys is not None or samples.origin is not None
    routes[:used] = sizes.routes
    tree = GrowingTree(
        nodes=np.zeros(n_nodes, NODE),
        stats=np.zeros((n_nodes, n_stats)),
        stack=np.zeros(n_nodes, np.int32),
        sizes=np.zeros(3, np.int64),
        branch_of=np.zeros(capacity, np.int32) if by_instance else None,
        right=np.zeros(capacity // 64 + 1, np.uint64) if is_sorted else None,
        side=np.zeros(n, np.uint8) if not is_sorted and _in_two(sizes, rule, DRAWN, ORDERED) else None,
        buffer=np.zeros(n, np.uint32),
        target_buffer=_target_buffer(samples),
        routes=routes,
        branches=np.zeros(most, BRANCH),
    )
    _set_root(samples, tree, sizes, rule)
    return tree


def _set_root(samples, tree, sizes, rule):
    """Make the first node the root of all members."""
    root, n_stats = tree.nodes[0], tree.stats.shape[1]
    root["attribute"], root["missing"], root["route"], root["histograms"] = LEAF, SPREAD, -1, -1
    root["end"], root["used"] = len(samples.members), len(samples.instances.w)
    tree.stats[0] = _totals(samples.instances, samples.members, n_stats, rule.criterion)
    tree.stack[0], tree.sizes[:] = 0, (0, 1, len(sizes.routes))


def _workspace(samples, sizes, n_stats, rule, recorded):
    """The buffers for the search; recorded : whether candidates are, with all their stats."""
    most, n_values, numbers = sizes.most, len(sizes.routes), samples.instances.y_class is None
    squares = recorded or rule.missing == OWN_BRANCH or n_values > 0
    n_counts = n_stats if squares or not numbers else N_NEEDED
    coded_in_two = samples.codes is not None and _in_two(sizes, rule, ORDERED)
    n_coded = 0 if samples.codes is None else samples.codes.shape[1]
    together = n_coded > 0 and samples.n_rows >= FEW_ROWS and rule.criterion != ABSOLUTE
    at_once = min(rule.max_features, n_coded, MOST_COUNTS // (most * n_counts)) if together else 0
    all_drawn = rule.max_features >= len(samples.columns)
    packed = samples.instances.unit and not numbers and n_stats > 1 and all_drawn and most <= PER_WORD
    words = np.zeros((n_stats, at_once if packed else 0), np.uint64)
    n_kept, keep = 1, all_drawn and not packed and rule.missing != FRACTIONAL and not (numbers and recorded)
    if keep and at_once and _are_whole(samples.instances.w):  # differences of other weights are rounded
        n_kept = min(MOST_COUNTS // (at_once * most * n_counts), rule.max_depth)
    n_blocks = len(samples.members) // SMALL_BLOCK if samples.keys is not None else 0
    return Workspace(
        sides=np.zeros((5, n_stats)),
        node=np.zeros(3),
        column_order=np.arange(len(samples.columns)),
        random=np.zeros(1, np.uint64),
        targets=_targets(
            samples.instances, samples.members[:0] if samples.codes is None else samples.members
        ),
        xlogx=samples.instances.xlogx,
        block_counts=np.zeros(n_blocks, np.uint8),
        hist=np.zeros((most, n_stats)),
        occurring=np.zeros(most // 64 + 1, np.uint64) if coded_in_two else None,
        all_codes=np.full(most // 64 + 1, 2**64 - 1, np.uint64),
        histograms=np.zeros((n_kept * at_once, most, n_counts)),
        packed=words if together and not numbers else None,
        places=np.zeros(at_once, np.int64) if together else None,
        histogram_of=np.full(len(samples.columns), -1),
        routes=np.zeros(n_values, np.int32) if n_values or rule.criterion == ABSOLUTE else None,
        score=np.zeros(most),
        order=np.zeros(most, np.int64),
        ordered=np.zeros((most, n_stats)),
        medians=median_tree(samples.n_rows, len(samples.members)) if rule.criterion == ABSOLUTE else None,
    )


def _in_two(sizes, rule, *kinds):
    """Whether columns of these kinds, or nominal ones, are split in two branches, not one for each value."""
    return not sizes.kinds.isdisjoint((*kinds, NOMINAL) if rule.subset else kinds)


def _targets(instances, members):
    """The targets and weights of members."""
    own = (instances.y_class, instances.y_number)
    y_class, y_number = (None if y is None else y[members] for y in own)
    return Targets(y_class, y_number, instances.w[:0] if instances.unit else instances.w[members])


def _target_buffer(samples):
    """A buffer for the targets and weights of all members, if no column is sorted."""
    instances, n = samples.instances, len(samples.members) if samples.keys is None else 0
    own = (instances.y_class, instances.y_number)
    y_class, y_number = (None if y is None else np.empty(n, y.dtype) for y in own)
    return Targets(y_class, y_number, np.empty(0 if instances.unit else n))


def _totals(instances, rows, n_stats, criterion):
    rows = slice(None) if len(rows) == len(instances.w) else rows
    w = instances.w[rows]
    if instances.y_number is None:
        y = instances.y_class[rows]
        spans = (slice(at, at + CHUNK_ROWS) for at in range(0, len(y), CHUNK_ROWS))  # bincount makes copies
        return sum(np.bincount(y[s], w[s], minlength=n_stats) for s in spans)
    if criterion == ABSOLUTE:
        return np.array([w.sum(), *median_and_deviation(instances.y_number[rows], w)])
    number = instances.y_number[rows]
    wy = w * number
    return np.array([w.sum(), wy.sum(), (wy * number).sum()])


def _doubled(array, at_least):
    """The array with as much space again; pages that are not used yet take no memory."""
    n, more = len(array), max(len(array), at_least)
    larger = np.zeros((n + more, *array.shape[1:]), array.dtype)
    larger[:n] = array
    return larger


def _wider(keys, more):
    """Keys with space for so many more instances; `np.pad` takes longer than a stump."""
    wider = np.zeros((len(keys), keys.shape[1] + more), keys.dtype)
    wider[:, : keys.shape[1]] = keys
    return wider


def _more_nodes(tree, most):
    return tree._replace(
        nodes=_doubled(tree.nodes, most),
        stats=_doubled(tree.stats, most),
        stack=_doubled(tree.stack, most),
    )


def _more_instances(samples, tree):
    """Space for as many fractions as there are instances; weights are no longer all 1."""
    instances = samples.instances
    n = len(instances.w)
    check_rows(2 * n)
    own = zip(("y_class", "y_number", "w"), instances, strict=False)
    grown = {name: _doubled(a, n) for name, a in own if a is not None}
    samples = samples._replace(
        keys=None if samples.keys is None else _wider(samples.keys, n),
        members=_doubled(samples.members, n),
        origin=_doubled(samples.origin, n),
        instances=instances._replace(**grown, unit=False, xlogx=np.zeros(0)),
    )
    return samples, tree._replace(
        branch_of=_doubled(tree.branch_of, n),
        right=None if tree.right is None else _doubled(tree.right, 1),
        side=None if tree.side is None else _doubled(tree.side, n),
        buffer=_doubled(tree.buffer, n),
        target_buffer=_target_buffer(samples),
    )


def _records(training, n_stats, n_rows, recorded):
    """Empty records for so many nodes, or as many as are allowed."""
    slots, n_columns = training.sizes.slots, len(training.columns)
    n = min(recorded, RECORDED_FIGURES // (slots * n_stats), max(RECORDED_ROWS // n_rows, TOP))
    splits = np.zeros((n, n_columns), SPLIT)
    return CandidateRecords(np.full(n, -1), splits, np.zeros((n, slots, n_stats)))


def _candidates(records, training, n_classes, centre, criterion):
    """The records with cuts instead of the rows and codes around them, and means instead of sums."""
    recorded = records.node >= 0
    splits, stats = records.splits[recorded], records.stats[recorded]
    cut = np.full(splits.shape, np.nan)
    is_cut = (splits["below"] >= 0) & (splits["above"] != splits["below"])
    is_cut[:, training.columns["kind"] == NOMINAL] = False
    tests = splits[is_cut]
    cut[is_cut] = training.scales.cuts(np.nonzero(is_cut)[1], tests["below"], tests["above"])
    if not n_classes:
        stats = np.concatenate([stats[..., :1], _value(stats, centre, criterion)], axis=-1)
    counted = ~np.isnan(splits["gain"]) & ~training.columns["many_valued"]
    return Candidates(records.node[recorded], splits["gain"], splits["info"], cut, counted, stats)


class GrownTree(NamedTuple):
    """The nodes of a tree that has finished growing; centre : the origin of the sums of its target."""

    nodes: np.ndarray
    stats: np.ndarray
    routes: np.ndarray
    centre: float


def _grown(tree, centre):
    """The nodes of a growing tree, without its buffers."""
    _, n, n_routes = tree.sizes
    nodes = tree.nodes[:n].view(BYTES).copy().view(NODE)
    return GrownTree(nodes, tree.stats[:n].copy(), tree.routes[:n_routes].copy(), centre)


class Structure(NamedTuple):
    """The fields of `Tree` that decide which leaf a row reaches."""

    attribute: np.ndarray
    first: np.ndarray
    branches: np.ndarray
    missing: np.ndarray
    route: np.ndarray
    routes: np.ndarray

    @property
    def size(self):
        return len(self.attribute)


def structure_of(grown):
    """The structure of a tree that has finished growing."""
    fields = {name: grown.nodes[name] for name in Structure._fields[:-1]}
    return Structure(**fields, routes=grown.routes)


def trees_of(grown, scales, n_classes, criterion):
    """The trees made of these nodes; several small trees at once take little longer than one."""
    sizes = [len(one.nodes) for one in grown]
    nodes = np.concatenate([one.nodes.view(BYTES) for one in grown]).view(NODE)
    stats = np.concatenate([one.stats for one in grown])
    cut, at = np.full(len(nodes), np.nan), ordered_tests(nodes["attribute"], nodes["route"])
    cut[at] = scales.cuts(*tests_at(nodes, at))
    weight = stats.sum(axis=1) if n_classes else stats[:, 0].copy()
    value = stats
    if not n_classes:
        value = _value(stats, np.repeat([one.centre for one in grown], sizes), criterion)
    whole = {name: nodes[name].copy() for name in ("attribute", "first", "branches", "missing", "route")}
    every = Tree(
        **whole, cut=cut, routes=grown[0].routes, weight=weight, value=value, gain=nodes["gain"].copy()
    )
    if (empty := np.flatnonzero(weight == 0)).size:
        roots = np.cumsum([0, *sizes[:-1]])
        above = parents(every._replace(first=every.first + np.repeat(roots, sizes)))
        value[empty] = value[above[empty]]
    if len(grown) == 1:
        return [every]
    spans = (slice(end - size, end) for size, end in zip(sizes, accumulate(sizes), strict=True))
    parts = ((array[span] for array in every) for span in spans)
    return [Tree(*part)._replace(routes=one.routes) for part, one in zip(parts, grown, strict=True)]


def ordered_tests(attribute, route):
    """The nodes that test whether a number is at most a cut."""
    return np.flatnonzero((attribute != LEAF) & (route < 0))


def tests_at(nodes, at):
    """Of these nodes, the column that is tested, and the rows or codes on both sides of the cut."""
    return tuple(nodes[name][at] for name in ("attribute", "below", "above"))


def _value(stats, centre, criterion):
    """The number that a node predicts, and the error around it."""
    if criterion == ABSOLUTE:
        return np.stack([stats[..., 1] + centre, stats[..., 2]], axis=-1)
    weight = np.maximum(stats[..., 0], np.finfo(float).tiny)
    error = np.maximum(stats[..., 2] - stats[..., 1] ** 2 / weight, 0.0)
    return np.stack([centre + stats[..., 1] / weight, error], axis=-1)
