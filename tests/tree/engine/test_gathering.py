"""Many coded rows are brought next to each other while a tree grows, and the tree stays the same.

Small tables are treated like large ones here.
"""

import numpy as np
import pandas as pd
import pytest

from openbook.ensemble import RandomForestClassifier
from openbook.tree import DecisionTreeClassifier, DecisionTreeRegressor
from openbook.tree.engine import grower

N = 3000


def signal(rng, n=N):
    """Four columns that matter, two that do not."""
    X = rng.normal(size=(n, 6))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * X[:, 3] + 0.3 * rng.normal(size=n) > 0).astype(int)


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
def gathered(monkeypatch):
    """How often rows were brought next to each other; `with_gathering` has it done."""
    depths, gather = [], grower._gathered

    def counted(ground, growth, rule, depth):
        depths.append(depth)
        return gather(ground, growth, rule, depth)

    monkeypatch.setattr(grower, "_gathered", counted)
    return depths


@pytest.fixture
def with_gathering(monkeypatch):
    """Fit with rows brought next to each other at nodes of about 200."""

    def fit(learner, *given, **how):
        with monkeypatch.context() as patch:
            patch.setattr(grower, "MANY_ROWS", 1000)
            patch.setattr(grower, "NODE_ROWS", 200)
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
