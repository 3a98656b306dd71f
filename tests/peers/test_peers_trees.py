"""CART beside R's rpart and scikit-learn.

rpart is not asked here: what it grew is kept in the folder `rpart`, whose README says how it was made.
"""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from sklearn import tree as sklearn_tree
from sklearn.datasets import make_classification, make_regression

import openbook
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.tree import DecisionTreeClassifier, DecisionTreeRegressor
from openbook.tree.engine.nodes import LEAF, parents
from openbook.tree.engine.prune import prune_cost_complexity, training_errors

HERE = Path(__file__).parent / "rpart"


# --- a tree as the sets of rows in its nodes: the same for tests that part the rows alike


def unequal(rows):
    """Weights, whole so that sums are exact: two tests gain the same only if they part the rows alike."""
    i = np.arange(rows)
    return (500 + (31 * i * i + 769 * i) % 1499).astype(float)


def parts(tree, columns):
    """Node by mask of its rows (as bytes), for a tree without gaps."""
    masks = [np.ones(len(columns[0]), dtype=bool)]
    masks += [None] * (tree.size - 1)
    for node in np.flatnonzero(tree.attribute != LEAF):
        x = columns[tree.attribute[node]]
        if tree.route[node] < 0:
            branch = np.where(x <= tree.cut[node], 0, 1)
        else:
            branch = tree.routes[tree.route[node] + x.astype(int)]
        for b, child in enumerate(tree.children(node)):
            masks[child] = masks[node] & (branch == b)
    return {mask.tobytes(): node for node, mask in enumerate(masks)}


def sklearn_parts(model, X):
    return {mask.tobytes(): node for node, mask in enumerate(model.decision_path(X).toarray().T.astype(bool))}


# --- rpart


class Test(NamedTuple):
    """What a branch asks for: a number below or not below a cut, or a value out of a set."""

    attribute: str
    sign: str
    value: float | frozenset

    __test__ = False  # not one of pytest's


class RpartNode(NamedTuple):
    test: Test | None
    deviance: float
    prediction: str
    weights: list


_CONDITION = re.compile(r"(\w+)(< ?|>=|=)(.+)")


def rpart(name):
    """Its nodes by number (the children of n are 2n and 2n + 1), and its steps of pruning."""
    grown, pruned = (HERE / f"{name}.txt").read_text(encoding="utf-8").split("\n\n")
    nodes = {}
    for line in grown.splitlines():
        number, condition, _, deviance, prediction, *weights = line.split("\t")
        weights = [float(w) for w in " ".join(weights).split()]
        nodes[int(number)] = RpartNode(_rpart_test(condition), float(deviance), prediction, weights)
    steps = [line.split("\t") for line in pruned.splitlines()]
    return nodes, [(float(alpha), int(splits)) for alpha, splits in steps]


def _rpart_test(condition):
    if condition == "root":
        return None
    name, sign, value = _CONDITION.match(condition).groups()
    if sign == "=":
        return Test(name, "in", frozenset(value.split(",")))
    return Test(name, sign.strip(), float(value))


def rpart_parts(nodes, table):
    """Number by mask of the node's rows (as bytes)."""
    masks = {1: np.ones(len(table), dtype=bool)}
    for number in sorted(nodes)[1:]:
        test = nodes[number].test
        cells = table.column(test.attribute).values
        if test.sign == "in":
            holds = np.isin(cells.astype(str), list(test.value))
        else:
            holds = cells < test.value if test.sign == "<" else cells >= test.value
        masks[number] = masks[number // 2] & holds
    return {mask.tobytes(): number for number, mask in masks.items()}


DEEP, SHALLOW = None, 5
TARGETS = {"iris": "species", "wine": "cultivar", "breast_cancer": "diagnosis", "diabetes": "progression"}


@cache
def beside_rpart(name):
    """The inputs (columns v0, v1, … where the set is bundled), and the target."""
    if name in TARGETS:
        X, y = openbook.load(name).split(TARGETS[name])
        return Table(Schema(tuple(Numeric(f"v{j}") for j in range(len(X.schema)))), X.columns), y
    X = openbook.read(HERE / f"{name}.csv").drop("weight")
    return X.split(X.names[-1])


def same_rows(model, name):
    """Each node's rows are those of a node of rpart's; gives the pairs of nodes."""
    X, _ = beside_rpart(name)
    nodes, _ = rpart(name)
    ours, theirs = parts(model.tree_, X.columns), rpart_parts(nodes, X)
    assert ours.keys() == theirs.keys()
    return [(node, nodes[theirs[rows]]) for rows, node in ours.items()]


def same_tests(model, pairs):
    """Where a test is of the same attribute as rpart's, its cut or its values are the same."""
    tree, above = model.tree_, parents(model.tree_)
    same = 0
    for node, theirs in pairs[1:]:
        attribute = model.schema_.attributes[tree.attribute[above[node]]]
        if theirs.test.attribute != attribute.name:
            continue
        same += 1
        if isinstance(attribute, Nominal):
            routes = tree.routes[tree.route[above[node]] :][: len(attribute.values)]
            ours = np.array(attribute.values)[routes == node - tree.first[above[node]]]
            assert theirs.test.value == frozenset(ours.tolist())
        else:
            assert theirs.test.value == pytest.approx(tree.cut[above[node]], rel=1e-9)
    assert same > len(pairs) / 2  # the others part the rows alike, by another attribute


@pytest.mark.parametrize(
    ("name", "depth"), [("iris", DEEP), ("wine", DEEP), ("breast_cancer", DEEP), ("subsets", SHALLOW)]
)
def test_gini_like_rpart(name, depth):
    X, y = beside_rpart(name)
    model = DecisionTreeClassifier(nominal="subset", max_depth=depth).fit(X, y, sample_weight=unequal(len(X)))
    pairs = same_rows(model, name)
    by_name = np.argsort(
        model.classes_
    )  # R's levels are in the order of their names, ours in that of the file
    for node, theirs in pairs:
        np.testing.assert_array_equal(model.tree_.value[node][by_name], theirs.weights)
        assert model.classes_[model.tree_.value[node].argmax()] == theirs.prediction
    same_tests(model, pairs)


@pytest.mark.parametrize("name", ["diabetes", "amounts"])
def test_squared_error_like_rpart(name):
    X, y = beside_rpart(name)
    model = DecisionTreeRegressor(nominal="subset", max_depth=SHALLOW).fit(
        X, y, sample_weight=unequal(len(X))
    )
    pairs = same_rows(model, name)
    for node, theirs in pairs:
        assert model.tree_.value[node, 0] == pytest.approx(float(theirs.prediction), rel=1e-10)
    same_tests(model, pairs)


def test_cost_complexity_like_rpart():
    """By errors, as in Breiman's book; rpart's shares are of the root's errors."""
    for name, depth in [("breast_cancer", DEEP), ("subsets", SHALLOW)]:
        X, y = beside_rpart(name)
        model = DecisionTreeClassifier(nominal="subset", max_depth=depth)
        tree = model.fit(X, y, sample_weight=unequal(len(X))).tree_
        errors = training_errors(tree)
        _, steps = rpart(name)
        for (above, _), (at, splits) in pairwise(steps):
            pruned = prune_cost_complexity(tree, errors, np.sqrt(at * above) * errors[0]).tree
            assert pruned.n_leaves == splits + 1


@pytest.mark.parametrize("name", ["diabetes", "amounts"])
def test_cost_complexity_of_numbers_like_rpart(name):
    X, y = beside_rpart(name)
    w = unequal(len(X))
    numbers = np.asarray(y, dtype=float)
    root = np.average((numbers - np.average(numbers, weights=w)) ** 2, weights=w)
    _, steps = rpart(name)
    for (above, _), (at, splits) in pairwise(steps):
        alpha = np.sqrt(at * above) * root
        model = DecisionTreeRegressor(
            nominal="subset", max_depth=SHALLOW, prune="cost_complexity", ccp_alpha=alpha
        )
        assert model.fit(X, y, sample_weight=w).tree_.n_leaves == splits + 1


# --- scikit-learn, which sees float32


def numbers(name):
    """A set as numbers that float32 can hold, so that both see the same."""
    made = {
        "two classes": lambda: make_classification(1500, 12, n_informative=6, flip_y=0.1, random_state=0),
        "four classes": lambda: make_classification(
            900, 8, n_informative=5, n_classes=4, flip_y=0.1, random_state=1
        ),
        "a plane": lambda: make_regression(800, 6, noise=20.0, random_state=0),
    }
    if name in made:
        X, y = made[name]()
    else:
        X, y = openbook.load(name).split({**TARGETS, "digits": "digit"}[name])
        X, y = X.block(X.names), y.data
    return X.astype(np.float32).astype(np.float64), y


def agree(ours, theirs, X):
    """The same rows in every node, and the same cuts where the attribute is the same."""
    mine, other = parts(ours.tree_, X.T), sklearn_parts(theirs, X)
    assert mine.keys() == other.keys()
    same = 0
    for rows, node in mine.items():
        grown = theirs.tree_
        if ours.tree_.attribute[node] == grown.feature[other[rows]] != LEAF:
            assert ours.tree_.cut[node] == pytest.approx(grown.threshold[other[rows]], rel=1e-12)
            same += 1
    assert same > ours.tree_.n_leaves / 3  # the others part the rows alike, by another attribute


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("depth", [3, None])
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits", "two classes", "four classes"])
def test_classifier_like_sklearn(name, depth, criterion):
    X, y = numbers(name)
    w = unequal(len(y))
    ours = DecisionTreeClassifier(criterion, max_depth=depth).fit(X, y, sample_weight=w)
    theirs = sklearn_tree.DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=0)
    theirs.fit(X, y, sample_weight=w)
    agree(ours, theirs, X)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize(("name", "min_samples_leaf"), [("iris", 1), ("iris", 5), ("iris", 20), ("wine", 1)])
def test_rows_of_equal_weight_like_sklearn(name, min_samples_leaf, criterion):
    """On these no two of scikit-learn's seeds give different nodes."""
    X, y = numbers(name)
    ours = DecisionTreeClassifier(criterion, min_samples_leaf=min_samples_leaf).fit(X, y)
    theirs = sklearn_tree.DecisionTreeClassifier(
        criterion=criterion, min_samples_leaf=min_samples_leaf, random_state=0
    )
    agree(ours, theirs.fit(X, y), X)


@pytest.mark.parametrize(("name", "min_samples_split"), [("iris", 10), ("wine", 40), ("wine", 90)])
def test_nodes_of_few_rows_are_leaves_like_sklearn(name, min_samples_split):
    X, y = numbers(name)
    ours = DecisionTreeClassifier(min_samples_split=min_samples_split).fit(X, y)
    theirs = sklearn_tree.DecisionTreeClassifier(min_samples_split=min_samples_split, random_state=0)
    agree(ours, theirs.fit(X, y), X)


@pytest.mark.parametrize("min_samples_split", [60, 151])
def test_the_nodes_hold_the_rows_of_sklearn_s(min_samples_split):
    """Petal length and width part these rows alike, and a lone leaf has no attribute: only rows can agree."""
    X, y = numbers("iris")
    ours = DecisionTreeClassifier(min_samples_split=min_samples_split).fit(X, y)
    theirs = sklearn_tree.DecisionTreeClassifier(min_samples_split=min_samples_split, random_state=0).fit(
        X, y
    )
    assert parts(ours.tree_, X.T).keys() == sklearn_parts(theirs, X).keys()


@pytest.mark.parametrize("min_samples_split", [20, 60])
def test_a_regressor_s_nodes_of_few_rows_are_leaves_like_sklearn(min_samples_split):
    X, y = numbers("diabetes")
    ours = DecisionTreeRegressor(min_samples_split=min_samples_split).fit(X, y)
    theirs = sklearn_tree.DecisionTreeRegressor(min_samples_split=min_samples_split, random_state=0)
    agree(ours, theirs.fit(X, y), X)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("depth", [4, None])
@pytest.mark.parametrize("name", ["diabetes", "a plane"])
def test_regressor_like_sklearn(name, depth, criterion):
    X, y = numbers(name)
    w = unequal(len(y))
    ours = DecisionTreeRegressor(criterion, max_depth=depth).fit(X, y, sample_weight=w)
    theirs = sklearn_tree.DecisionTreeRegressor(criterion=criterion, max_depth=depth, random_state=0)
    theirs.fit(X, y, sample_weight=w)
    agree(ours, theirs, X)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)


@pytest.mark.parametrize("min_samples_leaf", [5, 10, 20])
def test_regressor_of_equal_weight_like_sklearn(min_samples_leaf):
    X, y = numbers("diabetes")
    ours = DecisionTreeRegressor(min_samples_leaf=min_samples_leaf).fit(X, y)
    theirs = sklearn_tree.DecisionTreeRegressor(min_samples_leaf=min_samples_leaf, random_state=0).fit(X, y)
    agree(ours, theirs, X)


def test_importances_like_sklearn():
    """Of trees whose nodes hold so many rows that no two attributes part them alike."""
    X, y = numbers("two classes")
    w = unequal(len(y))
    ours = DecisionTreeClassifier(max_depth=3).fit(X, y, sample_weight=w)
    theirs = sklearn_tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y, sample_weight=w)
    agree(ours, theirs, X)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-10)


PRUNED = [("breast_cancer", "gini"), ("two classes", "entropy"), ("diabetes", "squared_error")]


@pytest.mark.parametrize(("name", "criterion"), PRUNED)
def test_cost_complexity_like_sklearn(name, criterion):
    """By impurity, at an alpha inside every seventh step of scikit-learn's path."""
    X, y = numbers(name)
    w = unequal(len(y))
    ours, theirs = (
        (DecisionTreeRegressor, sklearn_tree.DecisionTreeRegressor)
        if criterion == "squared_error"
        else (DecisionTreeClassifier, sklearn_tree.DecisionTreeClassifier)
    )
    grown = theirs(criterion=criterion, random_state=0)
    alphas = np.unique(grown.cost_complexity_pruning_path(X, y, sample_weight=w).ccp_alphas.round(12))
    for alpha in ((alphas[1:] + alphas[:-1]) / 2)[::7]:
        pruned = theirs(criterion=criterion, random_state=0, ccp_alpha=alpha).fit(X, y, sample_weight=w)
        model = ours(criterion, prune="cost_complexity", ccp_alpha=alpha).fit(X, y, sample_weight=w)
        assert parts(model.tree_, X.T).keys() == sklearn_parts(pruned, X).keys()


#: Ways to limit a tree, each by scikit-learn's names.
LIMITS = [
    {"max_leaf_nodes": 2},
    {"max_leaf_nodes": 7},
    {"max_leaf_nodes": 25, "max_depth": 6},
    {"min_impurity_decrease": 0.01},
    {"min_impurity_decrease": 0.002, "max_leaf_nodes": 12},
    {"min_weight_fraction_leaf": 0.05},
    {"min_weight_fraction_leaf": 0.1, "max_leaf_nodes": 4},
    {"ccp_alpha": 0.004, "max_leaf_nodes": 15},
]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize(("name", "criterion"), [*PRUNED, ("digits", "gini"), ("diabetes", "absolute_error")])
def test_limits_like_sklearn(name, criterion, limits):
    X, y = numbers(name)
    if criterion.endswith("_error"):
        y = y / y.std()
    w = unequal(len(y))
    kind = f"DecisionTree{'Regressor' if criterion.endswith('_error') else 'Classifier'}"
    ours = getattr(openbook.tree, kind)(criterion, **limits).fit(X, y, sample_weight=w)
    theirs = getattr(sklearn_tree, kind)(criterion=criterion, random_state=0, **limits)
    theirs.fit(X, y, sample_weight=w)
    assert ours.get_n_leaves() > 1
    assert parts(ours.tree_, X.T).keys() == sklearn_parts(theirs, X).keys()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("iris", {"min_samples_leaf": 0.07}),
        ("iris", {"min_samples_split": 0.2}),
        ("wine", {"min_samples_split": 0.2}),
    ],
)
def test_shares_of_rows_like_sklearn(name, shares):
    X, y = numbers(name)
    theirs = sklearn_tree.DecisionTreeClassifier(random_state=0, **shares).fit(X, y)
    ours = DecisionTreeClassifier(**shares).fit(X, y)
    assert parts(ours.tree_, X.T).keys() == sklearn_parts(theirs, X).keys()
