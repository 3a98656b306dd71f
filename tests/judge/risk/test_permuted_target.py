"""The leak test: preparation that uses the target is found out, and honest preparation is not."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from openbook.errors import ParameterError
from openbook.judge import leak_test

RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=(80, 200))
COIN = RNG.integers(0, 2, 80)


def best_ten(score):
    return lambda X, y: SelectKBest(score, k=10).fit_transform(X, y)


def test_columns_chosen_by_the_target_before_the_split():
    test = leak_test(GaussianNB(), NOISE, COIN, best_ten(f_classif), repeats=6)
    assert test.leaks
    assert test.chance == 0.5
    assert test.metric == "balanced_accuracy"
    assert test.scores.mean() > 0.65  # of noise
    assert test.interval.low > 0.5
    assert "move it into the pipeline" in test.work().conclusion


def test_numbers_too():
    test = leak_test(LinearRegression(), NOISE, RNG.normal(size=80), best_ten(f_regression), repeats=6)
    assert (test.metric, test.chance) == ("r2", 0.0)
    assert test.leaks


def test_preparation_that_does_not_look_at_the_target_passes():
    """On columns that do predict, so that the true score is far from chance."""
    X = NOISE[:, :5].copy()
    X[:, 0] += 3 * COIN
    test = leak_test(GaussianNB(), X, COIN, lambda X, y: StandardScaler().fit_transform(X), repeats=10)
    assert not test.leaks
    assert test.true_score > 0.8
    assert abs(test.scores.mean() - 0.5) < 0.1
    assert "no sign that the target is used" in test.work().conclusion


def test_labels_reach_the_preparation_as_they_came():
    seen = set()

    def look(X, y):
        seen.update(y.tolist())
        return X

    leak_test(GaussianNB(), NOISE[:, :2], np.where(COIN == 1, "yes", "no"), look, repeats=2)
    assert seen == {"yes", "no"}


def test_bad_rounds_are_refused():
    with pytest.raises(ParameterError, match="repeats must be"):
        leak_test(GaussianNB(), NOISE, COIN, best_ten(f_classif), repeats=1)
