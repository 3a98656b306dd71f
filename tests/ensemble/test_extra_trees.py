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


@pytest.mark.parametrize("rows", [60, 150])
def test_weights_are_repeated_rows_whatever_room_the_trees_need(rows):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 10, (rows, 3)).astype(float), rng.integers(0, 1000, rows).astype(float)
    times = 1 + np.arange(rows) % 2
    weighted = ExtraTreesRegressor(3, random_state=0).fit(X, y, sample_weight=times)
    repeated = ExtraTreesRegressor(3, random_state=0).fit(X.repeat(times, axis=0), y.repeat(times))
    for a, b in zip(weighted.trees_, repeated.trees_, strict=True):
        np.testing.assert_array_equal(a.cut, b.cut)
