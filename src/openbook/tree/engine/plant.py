"""From training rows and settings to a tree: what Python prepares for the kernel, and makes of its nodes.

value of a node    the weight of each class; or the mean of the target and the squared error around it; or its
                   median and the absolute error. An empty branch takes its parent's.
"""

import math
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from openbook.data import CHUNK_ROWS, Nominal
from openbook.tree.engine.absolute import ladder_of, median_and_deviation
from openbook.tree.engine.columns import NOMINAL
from openbook.tree.engine.counts import N_NEEDED, PER_WORD
from openbook.tree.engine.criteria import ABSOLUTE, GINI
from openbook.tree.engine.grow import (
    DONE,
    MORE_NODES,
    MORE_ROUTES,
    NODE,
    Ground,
    Growth,
    grow,
    tell_leaves,
    wait_for,
)
from openbook.tree.engine.keys import check_rows, mark_class, only
from openbook.tree.engine.nodes import LEAF, SPREAD, Tree, parents
from openbook.tree.engine.part import BRANCH
from openbook.tree.engine.search import FOUND, FRACTIONAL, OWN_BRANCH, Desk, Evidence
from openbook.tree.engine.split import Instances, Targets
from openbook.tree.engine.two_classes import SMALL_BLOCK

#: The candidates of so many nodes are kept for the work, and so many figures of them.
NOTED, NOTED_FIGURES = 64, 200_000
#: Of many rows, so that noting takes no time to speak of: so many over all, but the top of the tree at least.
NOTED_ROWS, TOP = 200_000, 7
#: What adds up over the rows of a regression: the weight, the target, its square.
N_SUMS = 3
#: The most counts of all columns of a node that are kept side by side: what a core's cache can hold.
MOST_COUNTS = 2**16
#: So many classes are told apart by a byte.
MOST_SHORT = 256
#: Of more rows than FAR that are coded, those of a node are brought next to each other when it has about NEAR
#: of them: what lies further apart does not stay in a cache.
FAR, NEAR = 2**18, 2**16
#: Room for so many nodes at first; for more where there are many rows.
ROOM = 1024
#: A node as bytes: NumPy copies records field by field, which takes fifty times as long.
BYTES = np.dtype((np.void, NODE.itemsize))
#: The largest whole number whose logarithm is looked up.
MOST_WHOLE = 10_000_000


class Candidates(NamedTuple):
    """The candidates of the nodes that were split first, for the work.

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
    """How many branches a candidate of this attribute is noted with."""
    return len(attribute.values) + 1 if isinstance(attribute, Nominal) else 3


def no_candidates(schema, n_stats):
    """The candidates of a tree that kept none."""
    none = np.zeros((0, len(schema)))
    slots = sum(map(n_slots, schema))
    return Candidates(
        np.zeros(0, np.int64), none, none, none, none.astype(bool), np.zeros((0, slots, n_stats))
    )


def plant(training, rule, n_classes, rows=None, seed=1, noted=NOTED, keep=True):
    """Grow a tree from encoded rows; the tree, and the candidates of its upper nodes.

    Parameters
    ----------
    n_classes : 0 for a regression
    rows : intp array, the rows to grow from, all by default
    seed : of the columns drawn at each node
    noted : the candidates of so many nodes are kept
    keep : whether more is to be grown from the training rows; else the keys themselves are parted
    """
    bed = Seedbed(training, rule, n_classes, rows, noted, keep)
    (tree,) = trees_of([bed.grow(seed)], training.scales, n_classes, rule.criterion)
    return tree, _candidates(bed.evidence, training, n_classes, bed.centre, rule.criterion)


class Seedbed:
    """Encoded rows, and the room that a tree takes to grow from them.

    One tree after the other may grow where cells are coded and targets are numbers: `sow` gives new targets.

    evidence : of the upper nodes; centre : the origin of the target's sums
    """

    def __init__(self, training, rule, n_classes, rows=None, noted=0, keep=True):
        n_stats = n_classes or N_SUMS
        self._rule, self._sizes, self._rows = rule, training.sizes, rows
        self.centre = 0.0 if n_classes else _mean(training.y, training.w, rows)
        self._ground = _ground(training, rows, n_classes, self.centre, rule, keep)
        self._growth = _growth(self._ground, self._sizes, n_stats, rule)
        self.evidence = _evidence(training, n_stats, len(self._ground.members), noted)
        if training.gaps and _will_spread(self._ground.instances, rule):
            self._ground, self._growth = _more_instances(self._ground, self._growth)
        self._shown = noted > 0
        self._desk = _desk(self._ground, self._sizes, n_stats, rule, self._shown)

    def sow(self, y):
        """Have the next tree grow from these targets of all rows, and as if none had grown before."""
        ground, growth, desk = self._ground, self._growth, self._desk
        self.centre = _mean(y, ground.instances.w, self._rows)
        np.subtract(y, self.centre, out=ground.instances.number)
        ground.members[:] = _members(len(y), self._rows)
        for room, targets in zip(desk.targets, _targets(ground.instances, ground.members), strict=True):
            if room is not None:
                room[:] = targets
        desk.order[:] = np.arange(len(desk.order))
        growth.nodes[: growth.sizes[1]].view(np.uint8)[:] = 0
        _plant_root(ground, growth, self._sizes, self._rule)

    def grow(self, seed):
        """What has grown; seed : of the columns drawn at each node."""
        ground, growth, desk = self._ground, self._growth, self._desk
        rule, most = self._rule, self._sizes.most
        found, gathered, desk.random[0] = np.zeros(len(ground.columns), FOUND), None, seed
        root_weight = float(growth.stats[0].sum() if ground.instances.number is None else growth.stats[0, 0])
        growth.sizes[0] = int(root_weight >= rule.least_to_split)
        for stage in _stages(ground, rule):
            while (full := grow(ground, growth, stage, desk, found, self.evidence)) != DONE:
                if full == MORE_NODES:
                    growth = self._growth = _more_nodes(growth, most)
                elif full == MORE_ROUTES:
                    growth = self._growth = growth._replace(routes=_doubled(growth.routes, most))
                else:
                    ground, growth = _more_instances(ground, growth)
                    random, growth.nodes["table"] = desk.random, -1
                    desk = _desk(ground, self._sizes, growth.stats.shape[1], rule, self._shown)
                    desk.random[:] = random
            if stage is not rule:
                gathered, ground = ground.members, _gathered(ground, growth, rule, stage.max_depth)
        self._members = ground.members if gathered is None else gathered[ground.members]
        return _ripe(growth, self.centre)

    def leaves(self, ripe, n_rows):
        """The leaf of every row, if the tree has grown from all of them, none of them in parts."""
        leaves = np.empty(n_rows, np.intp)
        tell_leaves(ripe.nodes, self._members, leaves)
        return leaves


def _mean(y, w, rows):
    """The mean of a target; `np.average` takes longer than a stump."""
    if rows is not None:
        y, w = y[rows], w[rows]
    return float((y * w).sum() / w.sum())


def _will_spread(instances, rule):
    """Whether rows with gaps may come in parts, where room for them changes nothing: weights no counts."""
    return rule.missing == FRACTIONAL and not instances.unit and not len(instances.whole)


def _stages(ground, rule):
    """The rules to grow by, one after the other: many coded rows first down to nodes of NEAR, or about."""
    n = len(ground.members)
    depth = math.ceil(math.log2(n / NEAR)) if n > FAR else 0
    deeper = 0 < depth < rule.max_depth
    sorted_or_drawn = ground.keys is not None or ground.numbers is not None
    if not deeper or sorted_or_drawn or rule.criterion == ABSOLUTE or rule.missing == FRACTIONAL:
        return [rule]
    return [rule._replace(max_depth=depth), rule]


def _gathered(ground, growth, rule, depth):
    """The members in the order of their nodes, those of a node next to each other; what lies at this depth is
    to be split by the rule.
    """
    members, own = ground.members, zip(("y", "number", "w"), ground.instances, strict=False)
    ground = ground._replace(
        codes=ground.codes.take(members, axis=0),  # thrice as fast as codes[members]
        n_rows=len(members),
        members=np.arange(len(members), dtype=np.uint32),
        instances=ground.instances._replace(**{name: a[members] for name, a in own if a is not None}),
    )
    growth.nodes["used"], growth.nodes["table"] = len(members), -1
    wait_for(ground, growth, rule, depth)
    return ground


def _ground(training, rows, n_classes, centre, rule, keep):
    n, none = len(training.y), np.zeros(0)
    keys = _keys(training, rows, rule, keep)
    w, whole = np.asarray(training.w, dtype=float), none
    unit = bool((w == 1).all())
    counts = n_classes and (unit or _are_whole(w)) and w.sum() <= MOST_WHOLE
    if counts and rule.criterion != GINI:  # which takes no logarithms
        whole = np.arange(w.sum() + 1)
        whole[1:] *= np.log2(whole[1:])
    if n_classes:
        y = training.y.astype(np.uint8 if n_classes <= MOST_SHORT else np.uint16)
        instances = Instances(y, None, w, unit, whole)
    else:
        instances = Instances(None, training.y - centre, w, unit, none)
    if n_classes == 2 and keys is not None:
        mark_class(keys, instances.y)
    members = _members(n, rows)
    all_sorted = not training.codes.shape[1] and training.numbers is None and rule.criterion != ABSOLUTE
    codes = None if all_sorted else training.codes
    parts = np.zeros(0, np.uint32) if training.gaps else None
    return Ground(training.columns, n, codes, keys, training.numbers, members, parts, instances)


def _members(n, rows):
    """These of so many rows, all by default, as members."""
    return np.arange(n, dtype=np.uint32) if rows is None else rows.astype(np.uint32)


def _are_whole(w):
    """Whether these weights are whole numbers, so that no sum of them is rounded."""
    return bool((w == np.rint(w)).all())


def _keys(training, rows, rule, keep):
    """The keys of these rows, to be parted: a copy where those of the training rows are to be kept."""
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
            only(column, kept, part)
        return own
    return keys.copy() if keep and rule.max_depth > 1 else keys  # the keys of a stump are never parted


def _growth(ground, sizes, n_stats, rule):
    """A root with all rows, and room for more nodes."""
    n, capacity, most, used = len(ground.members), len(ground.instances.w), sizes.most, len(sizes.routes)
    # there is more when it is full; trees of few rows have enough from the start
    room = max(min(max(n // 8, ROOM), 2 * n + most, 2 * most ** min(rule.max_depth, 9)), most, 64)
    routes = np.zeros(used + (min(room, 64) * most if rule.subset and used else 0), np.int32)
    routes[:used] = sizes.routes
    growth = Growth(
        nodes=np.zeros(room, NODE),
        stats=np.zeros((room, n_stats)),
        waiting=np.zeros(room, np.int32),
        sizes=np.zeros(3, np.int64),
        side=np.zeros(capacity, np.int32),
        bits=np.zeros(capacity // 64 + 1, np.uint64),
        spare=np.zeros(n, np.uint32),
        aside=_aside(ground),
        routes=routes,
        branches=np.zeros(most, BRANCH),
    )
    _plant_root(ground, growth, sizes, rule)
    return growth


def _plant_root(ground, growth, sizes, rule):
    """Make the first node the root of all members."""
    root, n_stats = growth.nodes[0], growth.stats.shape[1]
    root["attribute"], root["missing"], root["route"], root["table"] = LEAF, SPREAD, -1, -1
    root["end"], root["used"] = len(ground.members), len(ground.instances.w)
    growth.stats[0] = _totals(ground.instances, ground.members, n_stats, rule.criterion)
    growth.waiting[0], growth.sizes[:] = 0, (0, 1, len(sizes.routes))


def _desk(ground, sizes, n_stats, rule, shown):
    """Room for columns of so many codes; shown : whether the candidates are, to the last digit."""
    most, n_values, numbers = sizes.most, len(sizes.routes), ground.instances.y is None
    squares = shown or rule.missing == OWN_BRANCH or n_values > 0
    n_counts = n_stats if squares or not numbers else N_NEEDED
    n_coded = 0 if ground.codes is None else ground.codes.shape[1]
    at_once = 0 if rule.criterion == ABSOLUTE else min(rule.max_features, n_coded)
    at_once = min(at_once, MOST_COUNTS // (most * n_counts))
    all_drawn = rule.max_features >= len(ground.columns)
    packed = ground.instances.unit and not numbers and n_stats > 1 and all_drawn and most <= PER_WORD
    words = np.zeros((n_stats, at_once if packed else 0), np.uint64)
    n_tables, kept = 1, all_drawn and not packed and rule.missing != FRACTIONAL and not (numbers and shown)
    if kept and at_once and _are_whole(ground.instances.w):  # what is left of other weights is never 0
        n_tables = min(MOST_COUNTS // (at_once * most * n_counts), rule.max_depth)
    return Desk(
        hist=np.zeros((most, n_stats)),
        sides=np.zeros((5, n_stats)),
        routes=np.zeros(n_values, np.int32) if n_values or rule.criterion == ABSOLUTE else None,
        order=np.arange(len(ground.columns)),
        random=np.zeros(1, np.uint64),
        occur=np.zeros(most // 64 + 1, np.uint64),
        targets=_targets(ground.instances, ground.members[:0] if ground.codes is None else ground.members),
        whole=ground.instances.whole,
        score=np.zeros(most),
        rank=np.zeros(most, np.int64),
        ordered=np.zeros((most, n_stats)),
        table=np.zeros((n_tables * at_once, most, n_counts)),
        words=None if numbers else words,
        node=np.zeros(3),
        places=np.zeros(at_once, np.int64),
        where=np.zeros(len(ground.columns), np.int64),
        counts=np.zeros(len(ground.members) // SMALL_BLOCK if ground.keys is not None else 0, np.uint8),
        every=np.full(most // 64 + 1, 2**64 - 1, np.uint64),
        ladder=ladder_of(ground.n_rows, len(ground.members)) if rule.criterion == ABSOLUTE else None,
    )


def _targets(instances, members):
    """The targets and weights of members."""
    y, number = (None if a is None else a[members] for a in (instances.y, instances.number))
    return Targets(y, number, instances.w[:0] if instances.unit else instances.w[members])


def _aside(ground):
    """Room for the targets and weights of all members, where no column is sorted."""
    instances, n = ground.instances, len(ground.members) if ground.keys is None else 0
    y, number = (None if a is None else np.empty(n, a.dtype) for a in (instances.y, instances.number))
    return Targets(y, number, np.empty(0 if instances.unit else n))


def _totals(instances, rows, n_stats, criterion):
    rows = slice(None) if len(rows) == len(instances.w) else rows
    w = instances.w[rows]
    if instances.number is None:
        y = instances.y[rows]
        spans = (slice(at, at + CHUNK_ROWS) for at in range(0, len(y), CHUNK_ROWS))  # bincount makes copies
        return sum(np.bincount(y[s], w[s], minlength=n_stats) for s in spans)
    if criterion == ABSOLUTE:
        return np.array([w.sum(), *median_and_deviation(instances.number[rows], w)])
    number = instances.number[rows]
    wy = w * number
    return np.array([w.sum(), wy.sum(), (wy * number).sum()])


def _doubled(array, at_least):
    """Room for as much again; what is not used yet takes no memory."""
    n, more = len(array), max(len(array), at_least)
    room = np.zeros((n + more, *array.shape[1:]), array.dtype)
    room[:n] = array
    return room


def _wider(keys, more):
    """Keys with room for so many more instances; `np.pad` takes longer than a stump."""
    room = np.zeros((len(keys), keys.shape[1] + more), keys.dtype)
    room[:, : keys.shape[1]] = keys
    return room


def _more_nodes(growth, most):
    return growth._replace(
        nodes=_doubled(growth.nodes, most),
        stats=_doubled(growth.stats, most),
        waiting=_doubled(growth.waiting, most),
    )


def _more_instances(ground, growth):
    """Room for as many parts as there are rows; weights are no longer all 1."""
    instances = ground.instances
    n = len(instances.w)
    check_rows(2 * n)
    own = zip(("y", "number", "w"), instances, strict=False)
    grown = {name: _doubled(a, n) for name, a in own if a is not None}
    ground = ground._replace(
        keys=None if ground.keys is None else _wider(ground.keys, n),
        members=_doubled(ground.members, n),
        rows=_doubled(ground.rows, n),
        instances=instances._replace(**grown, unit=False, whole=np.zeros(0)),
    )
    side, spare, bits = _doubled(growth.side, n), _doubled(growth.spare, n), _doubled(growth.bits, 1)
    return ground, growth._replace(side=side, bits=bits, spare=spare, aside=_aside(ground))


def _evidence(training, n_stats, n_rows, noted):
    """Evidence of nothing yet, for as many nodes as there is room for."""
    slots, n_columns = training.sizes.slots, len(training.columns)
    noted = min(noted, NOTED_FIGURES // (slots * n_stats), max(NOTED_ROWS // n_rows, TOP))
    found = np.zeros((noted, n_columns), FOUND)
    return Evidence(np.full(noted, -1), found, np.zeros((noted, slots, n_stats)))


def _candidates(evidence, training, n_classes, centre, criterion):
    """The evidence with cuts instead of the rows and codes around them, and means instead of sums."""
    noted = evidence.node >= 0
    found, stats = evidence.found[noted], evidence.stats[noted]
    cut = np.full(found.shape, np.nan)
    is_cut = (found["below"] >= 0) & (found["above"] != found["below"])
    is_cut[:, training.columns["kind"] == NOMINAL] = False
    tests = found[is_cut]
    cut[is_cut] = training.scales.cuts(np.nonzero(is_cut)[1], tests["below"], tests["above"])
    if not n_classes:
        stats = np.concatenate([stats[..., :1], _value(stats, centre, criterion)], axis=-1)
    counted = ~np.isnan(found["gain"]) & ~training.columns["many_valued"]
    return Candidates(evidence.node[noted], found["gain"], found["info"], cut, counted, stats)


class Ripe(NamedTuple):
    """What is left of a growth once it is over; centre : the origin of its target's sums."""

    nodes: np.ndarray
    stats: np.ndarray
    routes: np.ndarray
    centre: float


def _ripe(growth, centre):
    """The nodes of a growth, and nothing of what it took to grow them."""
    _, n, n_routes = growth.sizes
    nodes = growth.nodes[:n].view(BYTES).copy().view(NODE)
    return Ripe(nodes, growth.stats[:n].copy(), growth.routes[:n_routes].copy(), centre)


class WayDown(NamedTuple):
    """The fields of `Tree` that say where rows go."""

    attribute: np.ndarray
    first: np.ndarray
    branches: np.ndarray
    missing: np.ndarray
    route: np.ndarray
    routes: np.ndarray

    @property
    def size(self):
        return len(self.attribute)


def way_down(ripe):
    """The ways down what has grown."""
    fields = {name: ripe.nodes[name] for name in WayDown._fields[:-1]}
    return WayDown(**fields, routes=ripe.routes)


def trees_of(grown, scales, n_classes, criterion):
    """The trees that these have grown to.

    What is done for several trees at once takes little longer than for one, if they are small.
    """
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
    """Of these nodes, the column that is tested, and the rows or codes between which it is cut."""
    return tuple(nodes[name][at] for name in ("attribute", "below", "above"))


def _value(stats, centre, criterion):
    """The number that a node predicts, and the error around it."""
    if criterion == ABSOLUTE:
        return np.stack([stats[..., 1] + centre, stats[..., 2]], axis=-1)
    weight = np.maximum(stats[..., 0], np.finfo(float).tiny)
    error = np.maximum(stats[..., 2] - stats[..., 1] ** 2 / weight, 0.0)
    return np.stack([centre + stats[..., 1] / weight, error], axis=-1)
