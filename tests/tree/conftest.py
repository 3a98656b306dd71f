"""Trees made by hand, in models that have a tree and nothing else."""

from types import SimpleNamespace

import numpy as np
import pytest

from openbook.data import Nominal, Numeric, Ordinal, Schema
from openbook.tree.engine.nodes import LEAF, SPREAD, Tree, check

OUTLOOK = Nominal("outlook", ("overcast", "rain", "sunny"))
WEATHER = Schema(
    (
        OUTLOOK,
        Nominal("temperature", ("cool", "hot", "mild")),
        Nominal("humidity", ("high", "normal")),
        Nominal("windy", ("false", "true")),
    )
)


def split(test, *branches, cut=None, groups=None, missing=SPREAD):
    """A test and what lies below its branches: class weights, (mean, weight), or another test."""
    return SimpleNamespace(test=test, branches=branches, cut=cut, groups=groups, missing=missing)


def grown(schema, root):
    """The arrays of such nested tests."""
    nodes, first = [root], []
    for node in nodes:  # grows while it is read: children are appended behind their parents
        first.append(len(nodes) if isinstance(node, SimpleNamespace) else 0)
        nodes += node.branches if isinstance(node, SimpleNamespace) else ()
    weight, value = np.zeros(len(nodes)), [None] * len(nodes)
    route, routes = np.full(len(nodes), -1, np.int32), []
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if isinstance(node, SimpleNamespace):
            below = range(first[i], first[i] + len(node.branches))
            weight[i] = sum(weight[j] for j in below)
            if isinstance(_a_leaf(node), tuple):
                value[i] = [sum(weight[j] * value[j][0] for j in below) / weight[i]]
            else:
                value[i] = np.sum([value[j] for j in below], axis=0)
            if node.groups is not None:
                route[i] = len(routes)
                of = {v: b for b, group in enumerate(node.groups) for v in group}
                routes += [of.get(v, -1) for v in schema[node.test].values]
        elif isinstance(node, tuple):
            value[i], weight[i] = [node[0]], node[1]
        else:
            value[i], weight[i] = node, sum(node)

    def each(kind, number, otherwise):
        given = (number(node) if isinstance(node, SimpleNamespace) else otherwise for node in nodes)
        return np.fromiter(given, kind, len(nodes))

    tree = Tree(
        attribute=each(np.int32, lambda n: schema.position(n.test), LEAF),
        cut=each(float, lambda n: np.nan if n.cut is None else n.cut, np.nan),
        first=np.array(first, np.int32),
        branches=each(np.int32, lambda n: len(n.branches), 0),
        missing=each(np.int32, lambda n: n.missing, SPREAD),
        route=route,
        routes=np.array(routes, np.int32),
        weight=weight,
        value=np.array(value, float),
        gain=np.zeros(len(nodes)),
    )
    check(tree, schema, tree.value.shape[1])
    return tree


def _a_leaf(node):
    while isinstance(node, SimpleNamespace):
        node = node.branches[-1]
    return node


def classifier(schema, root, target, classes):
    return SimpleNamespace(
        tree_=grown(schema, root), schema_=schema, target_=target, classes_=np.array(classes)
    )


def regressor(schema, root, target):
    return SimpleNamespace(tree_=grown(schema, root), schema_=schema, target_=target)


@pytest.fixture
def by_hand():
    """The builders: `by_hand.split`, `by_hand.classifier`, `by_hand.regressor`."""
    return SimpleNamespace(split=split, classifier=classifier, regressor=regressor)


@pytest.fixture
def weather():
    """ID3's tree of the weather; its leaves are in the golden file."""
    humid = split("humidity", [3, 0], [0, 2], groups=[["high"], ["normal"]])
    windy = split("windy", [0, 3], [2, 0], groups=[["false"], ["true"]])
    root = split("outlook", [0, 4], windy, humid, groups=[["overcast"], ["rain"], ["sunny"]])
    return classifier(WEATHER, root, "play", ["No", "Yes"])


@pytest.fixture
def loans():
    """Tests of three kinds, a subset, an attribute cut again and again, branches of missing cells."""
    schema = Schema(
        (
            Numeric("income"),
            Ordinal("size", ("small", "medium", "large")),
            Nominal("colour", ("red", "green", "blue", "black")),
        )
    )
    middle = split(
        "income",
        split("size", [5, 1, 0], [1, 4, 0], cut=1.5, missing=1),
        split("colour", [2, 0, 1], [0, 3, 0], groups=[["red", "blue"], ["green"]], missing=0),
        cut=30.25,
        missing=1,
    )
    known = split("income", [0, 0, 7], middle, [0, 1, 1], cut=12.5, missing=2)
    low = split("colour", [1, 0, 0], [6, 1, 0], [2, 0, 2], groups=[["red"], ["green"], []], missing=2)
    root = split("income", known, low, cut=52.75, missing=0)
    return classifier(schema, root, "risk", ["low", "middle", "high"])


@pytest.fixture
def prices():
    """A regression tree with a test that spreads missing cells."""
    schema = Schema((Numeric("area"), Nominal("town", ("york", "bath"))))
    root = split(
        "area",
        (100.0, 3.0),
        split("town", (250.5, 2.0), (180.0, 5.0), groups=[["york"], ["bath"]]),
        cut=75.0,
        missing=0,
    )
    return regressor(schema, root, "price")
