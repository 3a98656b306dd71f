"""The variance that rows miss, from rounds of folds."""

import math
from dataclasses import replace

import numpy as np
import pytest

from openbook.baseline import ZeroRegressor
from openbook.judge import evaluate, protocol
from openbook.judge.chance.rounds import Rounds
from openbook.judge.chance.spread import Spread

#: Rows 0 and 1, 2 and 3 are in one fold of the first round; 0 and 2, 1 and 3 of the second.
FOLD = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])
INFLUENCE = np.array([[3.0, 0.0, -2.0, -2.0], [1.0, 2.0, -1.0, -1.0]])


def test_the_covariance_of_rows_by_hand():
    """Changes are 2, -2, -1, -1. Products of the first round's pairs: -4 and 1; of the second's: -2 and 2."""
    assert Rounds(INFLUENCE, FOLD).covariance == pytest.approx(-3 / 4)


def test_the_covariance_is_the_mean_over_pairs_that_one_round_has_in_one_fold():
    rng = np.random.default_rng(0)
    influence, fold = rng.normal(size=(3, 12)), rng.integers(4, size=(3, 12))
    products = [
        (influence[r, i] - influence[s, i]) * (influence[r, j] - influence[s, j])
        for r in range(3)
        for s in range(3)
        for i in range(12)
        for j in range(12)
        if fold[r, i] == fold[r, j] and fold[s, i] != fold[s, j]
    ]
    assert Rounds(influence, fold).covariance == pytest.approx(np.mean(products))


def test_the_share_that_rows_miss_by_hand():
    """φ is 2, 1, -1.5, -1.5 in the mean: s² = 9.5/3. Rows change by 2, 2, -1, -1: 4 + 1 - 2 - 2."""
    turned = INFLUENCE.copy()
    turned[:, 1] = [2.0, 0.0]
    rounds = Rounds(turned, FOLD)
    assert rounds.covariance == pytest.approx(1 / 4)
    assert rounds.missing == pytest.approx((1 - 1 / 2) * 4 * (1 / 4) / (9.5 / 3))
    spread = Spread(5.0, turned.mean(axis=0), {}, 4, 0.1, rounds)
    assert spread.error == pytest.approx(math.sqrt(9.5 / 3 / 4 + (1 - 1 / 2) / 4))


def test_it_lies_between_nothing_and_as_much_again():
    less = Spread(5.0, INFLUENCE.mean(axis=0), {}, 4, 0.1, Rounds(INFLUENCE, FOLD))
    assert less.missing == 0
    assert replace(less, rounds=Rounds(INFLUENCE * [[-9], [9]], FOLD)).missing <= 1
    assert replace(less, rounds=None).missing == 0.1


def test_rows_of_a_group_are_tested_together():
    groups = np.array([0, 0, 1, 1])
    found = Rounds(INFLUENCE, FOLD[[0, 0]]).of_units(groups)
    assert found.influence.tolist() == [[1.5, -2.0], [1.5, -1.0]]  # sums, times 2 groups of 4 rows
    assert found.fold.tolist() == [[0, 1], [0, 1]]
    assert math.isnan(found.covariance)  # the two are never in one fold
    assert Rounds(INFLUENCE, FOLD).of_units(groups) is None


def test_a_learner_and_itself_miss_nothing():
    X, y = np.arange(60.0)[:, None], np.arange(60.0) ** 2
    spread = evaluate(ZeroRegressor(), X, y).spread("rmse")
    assert spread.rounds is not None
    assert spread.minus(spread).error == 0


def test_the_mean_misses_what_least_squares_theory_says():
    """ρ = 2 p / n for p parameters and normal errors; the mean is one."""
    rng = np.random.default_rng(0)
    found = [
        evaluate(ZeroRegressor(), np.zeros((60, 1)), rng.normal(size=60)).spread("mse").missing
        for _ in range(40)
    ]
    assert np.mean(found) == pytest.approx(2 / 60, rel=0.35)


@pytest.mark.parametrize(("cv", "how"), [(None, "measured by rounds of folds"), (5, "a rule of thumb")])
def test_an_interval_tells_how_it_knows_what_rows_miss(cv, how):
    X, y = np.arange(60.0)[:, None], np.arange(60.0)
    steps = evaluate(ZeroRegressor(), X, y, cv=cv).interval("rmse").steps
    assert how in next(step.note for step in steps if step.label == "rho")


def test_one_round_or_part_of_one_measures_nothing():
    y = np.arange(60.0)
    once = evaluate(ZeroRegressor(), y[:, None], y, cv=protocol(y, "regression", n_splits=5, repeats=1))
    assert once.spread("rmse").rounds is None
    twice = evaluate(ZeroRegressor(), y[:, None], y, cv=protocol(y, "regression", n_splits=5, repeats=2))
    assert twice.spread("rmse").rounds is not None
    assert replace(twice, folds=twice.folds[:-1]).spread("rmse").missing == once.spread("rmse").missing
