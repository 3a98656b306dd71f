"""From training rows and settings to a tree: what Python prepares for the kernel, and makes of its nodes.

value of a node    the weight of each class, or the mean of the target; an empty branch takes its parent's
"""

import numpy as np

from openbook.tree.columns import NOMINAL, Sorted
from openbook.tree.grow import DONE, MORE_NODES, MORE_ROUTES, NODE, Ground, Growth, grow, may_split
from openbook.tree.nodes import LEAF, SPREAD, Tree, parents
from openbook.tree.search import FOUND, Desk, Evidence
from openbook.tree.split import Instances

__all__ = ["plant"]

#: The candidates of so many nodes are kept for the work, and so many figures of them.
NOTED, NOTED_FIGURES = 64, 200_000


def plant(training, rule, n_classes, seed=1, noted=NOTED):
    """Grow a tree from encoded rows; the tree, and the evidence of its upper nodes.

    n_classes : 0 for a regression
    """
    columns, n_stats = training.columns, n_classes or 3
    centre = 0.0 if n_classes else float(np.average(training.y, weights=training.w))
    ground = _ground(training, n_classes, centre)
    growth = _growth(ground, n_stats, seed)
    most = max(int(columns["n_codes"].max()), 2) + 1
    desk = Desk(np.zeros((most, n_stats)), np.zeros((4, n_stats)), np.zeros(most, np.int32), np.arange(len(columns)))
    evidence = _evidence(columns, n_stats, noted)
    growth.count[0] = int(may_split(ground, growth, 0, rule))
    while (full := grow(ground, growth, rule, desk, np.zeros(len(columns), FOUND), evidence)) != DONE:
        if full == MORE_NODES:
            growth = _more_nodes(growth, most)
        elif full == MORE_ROUTES:
            growth = growth._replace(routes=_doubled(growth.routes, most))
        else:
            ground, growth = _more_instances(ground, growth)
    return _tree(growth, training.scales, n_classes, centre), evidence


def _ground(training, n_classes, centre):
    n, none = len(training.y), np.zeros(0)
    keys = [scale.keys for scale in training.scales if isinstance(scale, Sorted)]
    whole = none
    if (training.w == 1).all():
        whole = np.arange(n + 1, dtype=float)
        whole[1:] *= np.log2(whole[1:])
    w = training.w.astype(float)
    if n_classes:
        instances = Instances(training.y.astype(np.uint16), none, w, whole)
    else:
        instances = Instances(np.zeros(0, np.uint16), training.y - centre, w, whole)
    keys = np.array(keys, np.uint64).reshape(len(keys), n)
    members = np.arange(n, dtype=np.uint64)
    return Ground(training.columns, training.codes, keys, members, np.arange(n), instances)


def _growth(ground, n_stats, seed):
    """A root with all rows."""
    n, columns = len(ground.members), ground.columns
    routes = [np.arange(v) for v in columns["n_codes"][columns["kind"] == NOMINAL]]
    routes = np.concatenate([np.zeros(0), *routes]).astype(np.int32)
    growth = Growth(
        nodes=_leaves(64),
        stats=np.zeros((64, n_stats)),
        waiting=np.zeros(64, np.int64),
        count=np.array([0, 1, len(routes)]),
        side=np.zeros(n, np.int64),
        spare=np.zeros(n, np.uint64),
        routes=routes,
        random=np.array([seed], np.uint64),
    )
    growth.nodes[0]["end"] = growth.nodes[0]["used"] = n
    growth.stats[0] = _totals(ground.instances, n_stats)
    return growth


def _leaves(n):
    nodes = np.zeros(n, NODE)
    nodes["attribute"], nodes["missing"], nodes["route"] = LEAF, SPREAD, -1
    return nodes


def _totals(instances, n_stats):
    if not instances.number.size:
        return np.bincount(instances.y, instances.w, minlength=n_stats)
    wy = instances.w * instances.number
    return np.array([instances.w.sum(), wy.sum(), (wy * instances.number).sum()])


def _doubled(array, at_least):
    """Room for as much again."""
    more = max(len(array), at_least)
    return np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)])


def _more_nodes(growth, most):
    leaves = _leaves(max(len(growth.nodes), most))
    return growth._replace(
        nodes=np.concatenate([growth.nodes, leaves]),
        stats=_doubled(growth.stats, most),
        waiting=_doubled(growth.waiting, most),
    )


def _more_instances(ground, growth):
    """Room for as many parts as there are rows; weights are no longer all 1."""
    n = len(ground.members)
    instances = ground.instances
    grown = {name: _doubled(a, n) for name, a in instances._asdict().items() if a.size}
    ground = ground._replace(
        keys=np.pad(ground.keys, ((0, 0), (0, n))),
        members=_doubled(ground.members, n),
        rows=_doubled(ground.rows, n),
        instances=instances._replace(**{**grown, "whole": np.zeros(0)}),
    )
    return ground, growth._replace(side=_doubled(growth.side, n), spare=_doubled(growth.spare, n))


def _evidence(columns, n_stats, noted):
    """Evidence of nothing yet, for as many nodes as there is room for."""
    last = columns[-1]
    n_slots = int(last["slot"]) + (int(last["n_codes"]) + 1 if last["kind"] == NOMINAL else 3)
    noted = min(noted, NOTED_FIGURES // (n_slots * n_stats))
    return Evidence(
        np.full(noted, -1), np.zeros((noted, len(columns)), FOUND), np.zeros((noted, n_slots, n_stats))
    )


def _tree(growth, scales, n_classes, centre):
    n = growth.count[1]
    nodes, stats = growth.nodes[:n], growth.stats[:n]
    cut = np.full(n, np.nan)
    for f, scale in enumerate(scales):
        at = np.flatnonzero((nodes["attribute"] == f) & (nodes["route"] < 0))
        if len(at):
            cut[at] = scale.between(nodes["below"][at], nodes["above"][at])
    weight = stats.sum(axis=1) if n_classes else stats[:, 0].copy()
    value = stats if n_classes else centre + stats[:, 1:2] / np.maximum(weight, np.finfo(float).tiny)[:, None]
    whole = {name: nodes[name].astype(np.int32) for name in ("attribute", "first", "branches", "missing", "route")}
    routes = growth.routes[: growth.count[2]]
    tree = Tree(**whole, cut=cut, routes=routes, weight=weight, value=value.copy(), gain=nodes["gain"].copy())
    above = parents(tree)
    for node in np.flatnonzero(weight == 0):
        tree.value[node] = tree.value[above[node]]
    return tree
