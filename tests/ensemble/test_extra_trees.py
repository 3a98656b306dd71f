"""Extra trees: cuts drawn at random, the same draws whatever room the trees need."""

import numpy as np
import pytest

from openbook.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier


def test_extra_trees_cut_at_random():
    """All rows and all columns for every tree, and yet no two roots cut alike."""
    rng = np.random.RandomState(0)
    X = rng.rand(200, 1)
    cuts = [t.cut[0] for t in ExtraTreesClassifier(20, random_state=0).fit(X, X[:, 0] > 0.5).trees_]
    assert len(set(cuts)) > 10
    best = RandomForestClassifier(20, bootstrap=False, random_state=0).fit(X, X[:, 0] > 0.5)
    assert len({t.cut[0] for t in best.trees_}) == 1


def test_a_cut_is_drawn_evenly_over_the_range_of_the_node():
    """Of the range from 0 to 10, a tenth lies between 0 and 1; cuts are noted halfway between numbers."""
    model = ExtraTreesClassifier(500, max_depth=1, random_state=0).fit([[0.0], [1.0], [10.0]], [0, 1, 1])
    cuts = np.array([tree.cut[0] for tree in model.trees_])
    assert set(cuts) == {0.5, 5.5}
    assert 0.06 < (cuts == 0.5).mean() < 0.14  # three standard errors


@pytest.mark.parametrize("missing", ["majority", "branch"])
def test_missing_cells_take_the_heaviest_branch_or_their_own(missing):
    X, y = [[1.0], [1.0], [2.0], [np.nan], [np.nan], [np.nan]], [0, 0, 1, 2, 2, 2]
    model = ExtraTreesClassifier(3, max_depth=1, missing=missing, random_state=0).fit(X, y)
    own = [0.0, 0.0, 1.0] if missing == "branch" else [0.4, 0.0, 0.6]
    np.testing.assert_allclose(model.predict_proba([[np.nan]])[0], own)
    assert model.trees_[0].cut[0] == 1.5


def test_a_row_of_weight_0_is_no_row():
    X, y, w = [[0.0], [1.0], [2.0], [1000.0]], [0, 0, 1, 1], [1, 1, 1, 0]
    with_it = ExtraTreesClassifier(20, random_state=0).fit(X, y, sample_weight=w)
    without = ExtraTreesClassifier(20, random_state=0).fit(X[:3], y[:3])
    for a, b in zip(with_it.trees_, without.trees_, strict=True):
        np.testing.assert_array_equal(a.cut, b.cut)


def test_wide_rows_go_down_as_they_are():
    """More columns than a row meets tests: what the trees say is what each of them says by itself."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 300)), rng.integers(0, 2, 80)
    X[rng.random(X.shape) < 0.05] = np.nan
    model = ExtraTreesClassifier(9, random_state=0).fit(X, y)
    assert model._compact.n_tested > 9 * 7
    alone = np.mean([tree.predict_proba(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), alone)
    by_codes = model._compact.outputs(model._encode(X))
    np.testing.assert_allclose(by_codes, alone)


def test_the_out_of_bag_error_of_drawn_cuts():
    """Every row outside a sample is judged by its tree alone."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = ExtraTreesClassifier(1, bootstrap=True, random_state=0).fit(X, y)
    outside = np.setdiff1d(np.arange(60), model.estimators_samples_[0])
    assert model.oob_error_ == pytest.approx(1 - (model.predict(X[outside]) == y[outside]).mean())


@pytest.mark.parametrize("rows", [60, 150])
def test_weights_are_repeated_rows_whatever_room_the_trees_need(rows):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 10, (rows, 3)).astype(float), rng.integers(0, 1000, rows).astype(float)
    times = 1 + np.arange(rows) % 2
    weighted = ExtraTreesRegressor(3, random_state=0).fit(X, y, sample_weight=times)
    repeated = ExtraTreesRegressor(3, random_state=0).fit(X.repeat(times, axis=0), y.repeat(times))
    for a, b in zip(weighted.trees_, repeated.trees_, strict=True):
        np.testing.assert_array_equal(a.cut, b.cut)
