"""CART: the subtrees by hand, the cross-validated error beside a plain loop, the choice, strange tables."""

import numpy as np
import pytest

from openbook import load, open_model, save
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.errors import ParameterError
from openbook.tree import CART, CARTRegressor, DecisionTreeClassifier, DecisionTreeRegressor
from openbook.tree.cart import MOST_SUBTREES, judged_subtrees, smallest_within, summed_over_leaves
from openbook.tree.engine.nodes import LEAF
from openbook.tree.engine.prune import cost_complexity_path, prune_cost_complexity, training_errors
from openbook.words.numbers import figure


def noisy(rows=400, seed=0):
    """A step in the first of three columns, and a fifth of the classes at random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    y = np.where(rng.random(rows) < 0.2, rng.integers(0, 2, rows), X[:, 0] > 0.3)
    return X, y


# --- the subtrees that are judged


def test_the_subtrees_by_hand(nested_tree):
    """The right subtree saves no error (α = 0), the left 7; then the root's two links save 7."""
    tree = nested_tree([[(9, 0), (1, 8)], [(5, 1), (4, 1)]])
    alpha, leaves = judged_subtrees(cost_complexity_path(tree, training_errors(tree)))
    assert alpha.tolist() == [0, 3.5]
    assert leaves.tolist() == [3, 1]


def test_an_alpha_stands_between_its_neighbours(nested_tree):
    """The middle subtree saves 2 errors, the left 8, the right 50; then the root's three links 71."""
    tree = nested_tree([[(20, 1), (0, 8)], [(0, 30), (3, 1)], [(0, 50), (60, 0)]])
    alpha, leaves = judged_subtrees(cost_complexity_path(tree, training_errors(tree)))
    np.testing.assert_allclose(alpha, [0, 4, np.sqrt(8 * 71 / 3), 71 / 3])
    assert leaves.tolist() == [6, 5, 4, 1]
    for a, n in zip(alpha, leaves, strict=True):
        assert prune_cost_complexity(tree, training_errors(tree), a).tree.n_leaves == n


def test_a_long_sequence_is_thinned_out():
    X, y = noisy(4000)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    path = cost_complexity_path(tree, training_errors(tree) / len(y) + np.arange(tree.size)[::-1] * 1e-9)
    assert len(path.alphas) > MOST_SUBTREES
    alpha, leaves = judged_subtrees(path)
    assert 10 < len(alpha) <= MOST_SUBTREES
    assert (np.diff(alpha) > 0).all()
    assert (leaves[0], leaves[-1]) == (path.leaves[path.alphas == 0][-1], 1)
    assert (np.diff(leaves) < 0).all()


def test_costs_of_the_leaves_that_are_left():
    X, y = noisy()
    tree = DecisionTreeClassifier().fit(X, y).tree_
    path = cost_complexity_path(tree, training_errors(tree))
    cost = np.random.default_rng(1).integers(0, 9, tree.size).astype(float)
    tagged = path._replace(grown=tree._replace(weight=cost))
    for step, (total, twice) in enumerate(summed_over_leaves(path, (cost, 2 * cost)).T):
        left = tagged.subtree(step)
        assert total == twice / 2 == left.weight[left.attribute == LEAF].sum()


# --- the cross-validated error


def folds_of(model, y):
    return model._parts(y, model.cv)


@pytest.mark.parametrize("weighed", [False, True])
def test_the_error_of_classes_beside_a_plain_loop(weighed):
    X, y = noisy()
    w = np.random.default_rng(5).integers(1, 4, len(y)).astype(float) if weighed else np.ones(len(y))
    model = CART(cv=4).fit(X, y, sample_weight=w)
    wrong = np.empty((len(model.choice_.alpha), len(y)))
    for held_out in folds_of(model, y.astype(int)):
        rest = np.setdiff1d(np.arange(len(y)), held_out)
        other = DecisionTreeClassifier(nominal="subset", missing="majority").fit(X[rest], y[rest], w[rest])
        grown = other.tree_
        for k, alpha in enumerate([*model.choice_.alpha[:-1], 1.0]):
            other.tree_ = prune_cost_complexity(grown, training_errors(grown) / w[rest].sum(), alpha).tree
            wrong[k, held_out] = other.predict(X[held_out]) != y[held_out]
    rate = wrong @ w / w.sum()
    np.testing.assert_allclose(model.choice_.error, rate, rtol=1e-12)
    n = w.sum() ** 2 / (w**2).sum()
    np.testing.assert_allclose(model.choice_.deviation, np.sqrt(rate * (1 - rate) / n), rtol=1e-12)


def test_the_error_of_numbers_beside_a_plain_loop():
    X, y = load("diabetes").split("progression")
    X, y = X.block(X.names), np.asarray(y)
    model = CARTRegressor(cv=3, min_samples_leaf=5).fit(X, y)
    squares = np.empty((len(model.choice_.alpha), len(y)))
    for held_out in folds_of(model, y):
        rest = np.setdiff1d(np.arange(len(y)), held_out)
        for k, alpha in enumerate([*model.choice_.alpha[:-1], 1e9]):
            other = DecisionTreeRegressor(min_samples_leaf=5, prune="cost_complexity", ccp_alpha=alpha)
            squares[k, held_out] = (other.fit(X[rest], y[rest]).predict(X[held_out]) - y[held_out]) ** 2
    np.testing.assert_allclose(model.choice_.error, squares.mean(axis=1), rtol=1e-9)
    np.testing.assert_allclose(model.choice_.deviation, squares.std(axis=1) / np.sqrt(len(y)), rtol=1e-9)


def test_folds_part_the_rows_and_share_out_the_classes():
    X, y = noisy(103)
    model = CART(cv=5).fit(X, y)
    parts = folds_of(model, y.astype(int))
    assert sorted(np.concatenate(parts)) == list(range(103))
    assert {int(y[part].sum()) for part in parts} <= {int(y.sum()) // 5, int(y.sum()) // 5 + 1}


# --- the choice


@pytest.mark.parametrize(
    ("error", "deviation", "chosen"),
    [
        ([0.3, 0.2, 0.5], [0.0, 0.0, 0.0], 1),
        ([0.2, 0.2, 0.5], [0.0, 0.0, 0.0], 1),  # of equals the smaller tree
        ([0.2, 0.25, 0.29, 0.31], [0.1, 0.0, 0.0, 0.0], 2),
        ([0.2, 0.35, 0.29, 0.5], [0.1, 0.2, 0.0, 0.0], 2),  # the deviation is that of the least error
    ],
)
def test_the_smallest_within_one_standard_error(error, deviation, chosen):
    assert smallest_within(np.array(error), np.array(deviation)) == chosen


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_cut_away_and_the_step_is_found(seed):
    X, y = noisy(seed=seed)
    model = CART().fit(X, y)
    assert DecisionTreeClassifier().fit(X, y).get_n_leaves() > 40
    assert model.get_n_leaves() <= 3
    assert model.tree_.attribute[0] == 0
    assert model.tree_.cut[0] == pytest.approx(0.3, abs=0.1)
    grown = CART().fit(X, np.random.default_rng(seed).integers(0, 2, len(y)))
    assert grown.get_n_leaves() < 10


def test_the_tree_is_the_one_that_was_chosen():
    X, y = noisy()
    model = CART(random_state=3).fit(X, y)
    chosen = int(model.choice_.chosen[0])
    assert model.get_n_leaves() == model.choice_.leaves[chosen]
    assert model.ccp_alpha_ == model.choice_.alpha[chosen]
    assert (CART(random_state=3).fit(X, y).choice_.error == model.choice_.error).all()
    assert (CART(random_state=4).fit(X, y).choice_.error != model.choice_.error).any()


# --- strange tables


@pytest.mark.parametrize("model", [CART(), CARTRegressor()])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_few_rows(model, rows):
    X, y = np.arange(rows, dtype=float)[:, None], np.arange(rows) % 2
    model.fit(X, y)
    assert model.get_n_leaves() >= 1
    assert np.isfinite(model.predict(X)).all()
    assert "cross-validation" in model.work().text()


def test_missing_cells_go_with_the_many_and_values_in_two_groups():
    schema = Schema((Nominal("town", ("bath", "hull", "york")), Numeric("age")))
    towns = np.array([0, 1, 2] * 20 + [-1] * 4)
    X = Table(schema, [towns, np.r_[np.arange(60.0) % 7, [np.nan] * 4]])
    y = np.where(towns == 1, 10.0, 20.0)
    model = CARTRegressor().fit(X, y)
    assert model.get_n_leaves() == 2
    assert model.predict(X).tolist() == y.tolist()
    assert model.predict([{"town": "never seen", "age": None}]).tolist() == [20.0]


def test_the_work_shows_the_table_and_its_choice():
    X, y = noisy()
    model = CART().fit(X, y)
    text = model.work().text()
    assert "The size of the tree, by cross-validation" in text
    best = model.choice_.error.argmin()
    bound = model.work()["bound"]
    assert bound.result == model.choice_.error[best] + model.choice_.deviation[best]
    error = figure(bound.result)
    leaves = f"has {model.get_n_leaves()} leaves"
    assert f"The smallest subtree with an error of at most {error} {leaves}" in " ".join(text.split())


def test_a_damaged_choice_is_refused(tmp_path):
    X, y = noisy()
    model = CART().fit(X, y)
    opened = open_model(save(model, tmp_path / "cart.openbook"))
    assert opened.ccp_alpha_ == model.ccp_alpha_
    sound = model._arrays()
    for name, array in [
        ("chosen", np.array([99])),
        ("chosen", np.array([-1])),
        ("error", sound["choice.error"][:-1]),
        ("leaves", sound["choice.error"]),
        ("alpha", np.full(len(sound["choice.alpha"]), np.nan)),
    ]:
        with pytest.raises(ValueError, match="its chosen subtree does not exist"):
            model._restore({**sound, f"choice.{name}": array})


def test_a_fold_is_not_enough():
    with pytest.raises(ParameterError, match=r"CART: cv must be a whole number of at least 2, got 1\."):
        CART(cv=1).fit([[1.0], [2.0]], [0, 1])
