"""Counts in bytes of a word: as a crosstab has them, however many rows there are, and as weights would."""

import itertools

import numpy as np
import pytest

from openbook.data import Nominal, Schema, Table
from openbook.ensemble import GradientBoostingRegressor
from openbook.tree import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor

VALUES = 7  # with missing cells, as many codes as a word counts


def table(codes, n_values=VALUES):
    names = tuple(f"v{i}" for i in range(n_values))
    schema = Schema(tuple(Nominal(f"x{j}", names) for j in range(codes.shape[1])))
    return Table(schema, list(np.ascontiguousarray(codes.T, dtype=np.int8)))


def drawn(n_rows, n_classes):
    """Codes of six columns, and a class that depends on the first two."""
    rng = np.random.default_rng(n_classes)
    codes = rng.integers(0, VALUES, (n_rows, 6))
    effects = rng.normal(size=(n_classes, 2, VALUES))
    y = effects[:, [0, 1], codes[:, :2]].sum(axis=2) + rng.gumbel(size=(n_classes, n_rows))
    return codes, y.argmax(axis=0)


@pytest.mark.parametrize("n_rows", [2, 254, 255, 256, 510, 511, 1000])
@pytest.mark.parametrize("gaps", [0, 1])
def test_counts_are_those_of_a_crosstab(n_rows, gaps):
    """Most rows share one code and one class, so that its counter is the first to run over."""
    codes = np.zeros((n_rows, 3), dtype=int)
    codes[:2, 1] = 1, VALUES - 1
    codes[: n_rows // 2, 2] = VALUES - 1
    codes[n_rows - gaps :, 2] = -1
    y = np.r_[0, np.ones(n_rows - 1, dtype=int)]
    model = ID3().fit(table(codes), y)
    expected = np.zeros((3, VALUES + 1, 2))
    for j in range(3):
        np.add.at(expected[j], (codes[:, j] % (VALUES + 1), y), 1)
    np.testing.assert_array_equal(model.candidates_.stats[0], expected.reshape(-1, 2))


BY_RATIO = {"criterion": "gain_ratio", "missing": "branch"}


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(
    ("light", "heavy", "share_missing"),
    [
        (ID3(), ID3(), 0),
        (C45(prune=None), C45(min_samples_leaf=4, prune=None), 0),
        (DecisionTreeClassifier(), DecisionTreeClassifier(), 0.03),
        (DecisionTreeClassifier(**BY_RATIO), DecisionTreeClassifier(**BY_RATIO), 0.03),
    ],
)
def test_rows_count_as_weights_do(light, heavy, share_missing, n_classes):
    """Rows that weigh 2 each are added up as numbers: the same tree, of nodes twice as heavy."""
    codes, y = drawn(2000, n_classes)
    codes[np.random.default_rng(0).random(codes.shape) < share_missing] = -1
    one = light.fit(table(codes), y).tree_
    two = heavy.fit(table(codes), y, sample_weight=np.full(len(y), 2.0)).tree_
    np.testing.assert_array_equal(one.attribute, two.attribute)
    np.testing.assert_array_equal(one.first, two.first)
    np.testing.assert_array_equal(2 * one.value, two.value)
    np.testing.assert_allclose(one.gain, two.gain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weight", [1.0, 0.7])
@pytest.mark.parametrize("copies", [1, 40])
def test_what_gains_nothing_gains_0(copies, weight):
    """A value once, one twice, one three times as often, the same shares of classes with each: whichever way
    it is rounded, that is a gain of 0, and counts for an average; never no split at all.
    """
    for a, b in itertools.product(range(1, 7), repeat=2):
        times = copies * np.arange(1, 4)
        codes = np.repeat(np.arange(3), times * (a + b))
        y = np.concatenate([np.repeat([0, 1], [n * a, n * b]) for n in times])
        model = C45(prune=None).fit(table(codes[:, None]), y, sample_weight=np.full(len(y), weight))
        assert 0 <= model.candidates_.gain[0, 0] < 1e-12


def test_each_branch_has_its_rows():
    """The rows of each leaf, sent down one by one, are those that it was grown from."""
    codes, y = drawn(3000, 3)
    model = ID3().fit(table(codes), y)
    leaves = model.apply(table(codes))
    counts = np.zeros((model.tree_.size, 3))
    np.add.at(counts, (leaves, y), 1)
    occupied = np.unique(leaves)
    np.testing.assert_array_equal(model.tree_.value[occupied], counts[occupied])


def test_one_value_too_many_changes_nothing():
    """An eighth value that no row has, too many for a word, leaves the tree as it is."""
    codes, y = drawn(2000, 2)
    packed, wide = (C45(prune=None).fit(table(codes, n), y).tree_ for n in (VALUES, VALUES + 1))
    inner = packed.attribute >= 0
    assert inner.sum() == (wide.attribute >= 0).sum()
    np.testing.assert_array_equal(
        np.sort(packed.weight[packed.weight > 0]), np.sort(wide.weight[wide.weight > 0])
    )
    np.testing.assert_allclose(
        np.sort(packed.gain[inner]), np.sort(wide.gain[wide.attribute >= 0]), rtol=1e-9
    )


def in_two_groups(n_rows, n_values):
    """Whole numbers of few values, and a target that they explain, unevenly spread."""
    rng = np.random.default_rng(n_values)
    X = np.floor(n_values * rng.beta(1, 2, (n_rows, 6)))
    X[rng.random(X.shape) < 0.02] = np.nan
    return X, np.nansum(X[:, :3], axis=1) + rng.normal(size=n_rows)


def weights(n_rows):
    """Whole weights, and a share of them, which are not: as numbers, both mean the same."""
    whole = np.random.default_rng(1).integers(1, 4, n_rows).astype(float)
    return whole, whole / 7


@pytest.mark.parametrize("n_values", [5, 40, 200])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_branch_has_what_the_other_leaves_of_the_counts(n_values, n_classes):
    """Only whole weights are taken from each other; with shares of them, both branches are counted."""
    X, y = in_two_groups(6000, n_values)
    y = np.searchsorted(np.quantile(y, np.arange(1, n_classes) / n_classes), y)
    model = DecisionTreeClassifier(missing="majority", max_depth=8)
    one, two = (model.fit(X, y, sample_weight=w).tree_ for w in weights(len(y)))
    np.testing.assert_array_equal(one.attribute, two.attribute)
    np.testing.assert_array_equal(one.cut, two.cut)
    np.testing.assert_allclose(one.value / one.weight[0], two.value / two.weight[0], rtol=1e-9)


@pytest.mark.parametrize("missing", ["majority", "branch"])
@pytest.mark.parametrize("max_depth", [3, 8])
def test_numbers_are_taken_from_each_other_too(missing, max_depth):
    X, y = in_two_groups(6000, 200)
    model = GradientBoostingRegressor(n_estimators=4, max_depth=max_depth, missing=missing)
    one, two = (model.fit(X, y, sample_weight=w).predict(X) for w in weights(len(y)))
    np.testing.assert_allclose(one, two, rtol=1e-9)


def test_trees_of_boosting_are_those_of_a_learner_of_its_own():
    """Trees that grow in the same room, one after the other, are as if each had a room of its own."""
    X, y = in_two_groups(3000, 200)
    boosted = GradientBoostingRegressor(n_estimators=3, learning_rate=0.5, bins=50).fit(X, y)
    F = np.full(len(y), y.mean())
    for tree in boosted.trees_:
        alone = DecisionTreeRegressor(max_depth=3, bins=50, missing="majority").fit(X, y - F)
        np.testing.assert_array_equal(tree.attribute, alone.tree_.attribute)
        np.testing.assert_array_equal(tree.cut, alone.tree_.cut)
        F += 0.5 * alone.predict(X)
    np.testing.assert_allclose(boosted.predict(X), F, rtol=1e-9)
