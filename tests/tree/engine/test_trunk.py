"""Many rows: the trunk splits what the growing engine would, and in the same way; so does that engine once
coded rows have been brought next to each other. Small tables are treated like large ones here.
"""

import numpy as np
import pandas as pd
import pytest

from openbook.ensemble import RandomForestClassifier
from openbook.tree import DecisionTreeClassifier, DecisionTreeRegressor
from openbook.tree.engine import plant, trunk

N = 3000


def signal(rng, n=N):
    """Four columns that matter, two that do not."""
    X = rng.normal(size=(n, 6))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * X[:, 3] + 0.3 * rng.normal(size=n) > 0).astype(int)


def rounded(rng):
    """Numbers that occur many times, and more of them than are coded; one falls together with the next."""
    X, y = signal(rng)
    X = X.round(2)
    X[:, 5] = X[:, 4]
    return X, y


def noise(rng):
    return rng.normal(size=(N, 6)), rng.integers(0, 2, N)


def rare(rng):
    X, _ = signal(rng)
    return X, (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=N) > 3).astype(int)


def many_columns(rng):
    """More than the bins of two words."""
    X, y = signal(rng, 1000)
    return np.hstack([rng.normal(size=(len(X), 13)), X]), y


def in_order(tree):
    """Nodes from the root on, each before those below it, and the left ones first."""
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        waiting += [tree.first[order[-1]] + b for b in reversed(range(tree.branches[order[-1]]))]
    return order


def check_same(one, other):
    assert one.size == other.size
    for name in ("attribute", "cut", "branches", "missing", "weight", "value", "gain"):
        ours, theirs = getattr(one, name)[in_order(one)], getattr(other, name)[in_order(other)]
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


@pytest.fixture
def rng():
    return np.random.default_rng(4)


@pytest.fixture
def trunks(monkeypatch):
    """How many nodes each tree's trunk has; give it to `with_trunk`."""
    sizes = []

    def part_columns(ground, growth, rule):
        sizes.append(int(growth.sizes[1]))
        trunk.part_columns(ground, growth, rule)

    monkeypatch.setattr(plant, "part_columns", part_columns)
    return sizes


@pytest.fixture
def with_trunk(monkeypatch):
    """Fit with a trunk of nodes that have more rows than these."""

    def fit(learner, X, y, large=40, **how):
        with monkeypatch.context() as patch:
            patch.setattr(trunk, "MANY", 1)
            patch.setattr(trunk, "LARGE", large)
            return learner.fit(X, y, **how)

    return fit


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("make", [signal, rounded, noise, rare, many_columns])
@pytest.mark.parametrize("large", [2, 40, 700])
def test_the_tree_is_that_of_the_growing_engine(make, criterion, large, rng, with_trunk, trunks):
    X, y = make(rng)
    tree = with_trunk(DecisionTreeClassifier(criterion=criterion), X, y, large).tree_
    assert len(trunks) == 1
    check_same(tree, DecisionTreeClassifier(criterion=criterion).fit(X, y).tree_)
    assert len(trunks) == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"min_leaf": 30},
        {"min_gain": 0.01},
        {"max_depth": 10},
        {"missing": "majority"},
        {"prune": "reduced_error"},
        {"prune": "cost_complexity"},
    ],
    ids=str,
)
def test_the_tree_is_that_of_the_growing_engine_whatever_is_asked(settings, rng, with_trunk, trunks):
    X, y = signal(rng)
    learner = DecisionTreeClassifier(random_state=1, **settings)
    tree = with_trunk(learner, X, y).tree_
    assert len(trunks) == 1
    check_same(tree, DecisionTreeClassifier(random_state=1, **settings).fit(X, y).tree_)


def test_large_nodes_are_split_in_the_trunk_and_no_others(rng, with_trunk, trunks):
    X, y = signal(rng)
    tree = with_trunk(DecisionTreeClassifier(), X, y, large=100).tree_
    split = tree.attribute >= 0
    assert trunks == [1 + 2 * (split & (tree.weight > 100)).sum()]


def test_where_most_bins_may_hide_the_best_cut_the_growing_engine_takes_over(rng, with_trunk, trunks):
    """Noise: what a cut gains there is less than what a bin of hundreds of rows may hide."""
    X, y = rng.normal(size=(70_000, 2)), rng.integers(0, 2, 70_000)
    tree = with_trunk(DecisionTreeClassifier(), X, y, large=1000).tree_
    np.testing.assert_array_equal(tree.value[0], np.bincount(y))
    large = (tree.attribute >= 0) & (tree.weight > 1000)
    assert trunks[0] < large.sum() / 2
    check_same(tree, DecisionTreeClassifier().fit(X, y).tree_)


def test_a_node_without_a_cut_is_a_leaf(rng, with_trunk, trunks):
    """Rows that are alike but for their class, in bins that hold more."""
    X = np.repeat(rng.normal(size=(300, 2)), 10, axis=0)
    tree = with_trunk(DecisionTreeClassifier(), X, rng.integers(0, 2, N), large=2).tree_
    assert len(trunks) == 1
    assert tree.weight[tree.attribute < 0].min() == 10


def test_pure_branches_end_the_tree(rng, with_trunk, trunks):
    X, _ = signal(rng)
    tree = with_trunk(DecisionTreeClassifier(), X, (X[:, 3] > 0.2).astype(int)).tree_
    assert (tree.size, tree.attribute[0], trunks) == (3, 3, [3])


def test_the_candidates_of_the_root_are_noted(rng, with_trunk):
    X, y = signal(rng)
    noted = with_trunk(DecisionTreeClassifier(), X, y).candidates_
    plain = DecisionTreeClassifier().fit(X, y).candidates_
    assert noted.node.tolist() == [0]
    for name in ("gain", "info", "cut", "counted", "stats"):
        np.testing.assert_array_equal(getattr(noted, name)[0], getattr(plain, name)[0], err_msg=name)


def with_gap(X):
    X = X.copy()
    X[7, 2] = np.nan
    return X


OTHER_ROWS = {
    "a gap": lambda X, y: {"X": with_gap(X), "y": y},
    "a column of few numbers": lambda X, y: {"X": np.c_[X, X[:, 0] > 0], "y": y},
    "a word": lambda X, y: {"X": pd.DataFrame(X).assign(word="a"), "y": y},
    "three classes": lambda X, y: {"X": X, "y": y + (np.arange(N) < 50)},
    "weights": lambda X, y: {"X": X, "y": y, "sample_weight": np.arange(N) % 3 + 1.0},
}
OTHER_SETTINGS = [
    {"criterion": "gain_ratio"},
    {"max_features": 3, "random_state": 1},
    {"significance": 0.01},
    {"pre_prune": "pessimistic"},
    {"max_depth": 9},
    {"bins": 30},
]


@pytest.mark.parametrize(
    ("rows", "settings"),
    [(name, {}) for name in OTHER_ROWS] + [("plain", settings) for settings in OTHER_SETTINGS],
    ids=str,
)
def test_what_the_trunk_is_not_for_grows_without(rows, settings, rng, with_trunk, trunks):
    X, y = signal(rng)
    given = OTHER_ROWS[rows](X, y) if rows in OTHER_ROWS else {"X": X, "y": y}
    tree = with_trunk(DecisionTreeClassifier(**settings), **given).tree_
    assert not trunks
    check_same(tree, DecisionTreeClassifier(**settings).fit(**given).tree_)


def test_few_rows_have_no_trunk(rng, trunks):
    DecisionTreeClassifier().fit(*signal(rng))
    assert not trunks


@pytest.fixture
def gathered(monkeypatch):
    """How often rows were brought next to each other; `with_gathering` has it done."""
    depths, gather = [], plant._gathered

    def counted(ground, growth, rule, depth):
        depths.append(depth)
        return gather(ground, growth, rule, depth)

    monkeypatch.setattr(plant, "_gathered", counted)
    return depths


@pytest.fixture
def with_gathering(monkeypatch):
    """Fit with rows brought next to each other at nodes of about 200."""

    def fit(learner, *given, **how):
        with monkeypatch.context() as patch:
            patch.setattr(plant, "FAR", 1000)
            patch.setattr(plant, "NEAR", 200)
            return learner.fit(*given, **how)

    return fit


def mixed(rng):
    """Numbers with gaps, and words."""
    X, y = signal(rng)
    X[rng.random(X.shape) < 0.05] = np.nan
    return pd.DataFrame(X).assign(
        word=rng.choice(["clay", "loam", "sand"], N), sort=rng.choice(list("abcdef"), N)
    ), y


@pytest.mark.parametrize("make", [signal, mixed])
@pytest.mark.parametrize("missing", ["majority", "branch"])
@pytest.mark.parametrize("nominal", ["multiway", "subset"])
@pytest.mark.parametrize("learner", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_coded_rows_brought_together_grow_the_same_tree(
    make, missing, nominal, learner, rng, with_gathering, gathered
):
    X, y = make(rng)
    y = y if learner is DecisionTreeClassifier else y + rng.normal(size=N)
    settings = {"bins": 50, "missing": missing, "nominal": nominal}
    how = {"sample_weight": rng.integers(1, 4, N).astype(float)}
    tree = with_gathering(learner(**settings), X, y, **how).tree_
    assert gathered == [4]
    check_same(tree, learner(**settings).fit(X, y, **how).tree_)


def test_a_leaf_above_where_rows_are_brought_together_stays_one(rng, with_gathering, gathered):
    X, _ = signal(rng)
    y = ((X[:, 0] > 0) & (X[:, 1] > 0) & (rng.random(N) < 0.5)).astype(int)
    settings = {"bins": 50, "missing": "majority", "min_gain": 0.004}
    tree = with_gathering(DecisionTreeClassifier(**settings), X, y).tree_
    assert gathered == [4]
    check_same(tree, DecisionTreeClassifier(**settings).fit(X, y).tree_)


@pytest.mark.parametrize(
    "settings",
    [{}, {"bins": 50}, {"bins": 50, "missing": "majority", "max_depth": 4}],
    ids=["sorted", "spread", "shallow"],
)
def test_what_need_not_be_brought_together_is_not(settings, rng, with_gathering, gathered):
    with_gathering(DecisionTreeClassifier(**settings), *signal(rng))
    assert not gathered


def test_a_forest_of_rows_brought_together_is_as_good_and_the_same_for_the_same_seed(
    rng, with_gathering, gathered
):
    X, y = signal(rng)
    one, other = (with_gathering(RandomForestClassifier(20, random_state=1), X, y) for _ in range(2))
    assert len(gathered) == 40
    for tree, again in zip(one.trees_, other.trees_, strict=True):
        check_same(tree, again)
    plain = RandomForestClassifier(20, random_state=1).fit(X, y)
    assert one.oob_error_ == pytest.approx(plain.oob_error_, abs=0.02)
