"""Errors of predicted numbers: by hand, beside scikit-learn's, intervals that cover."""

import math

import numpy as np
import pytest
from sklearn import metrics as theirs

from openbook.errors import DataError, ParameterError
from openbook.judge import Regression


def numbers(n=80, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(10, 3, n)
    return truth, truth + rng.normal(0, 1, n)


def test_figures_are_scikit_learns():
    truth, predicted = numbers()
    found = Regression(truth, predicted)
    assert found.mse == pytest.approx(theirs.mean_squared_error(truth, predicted), rel=1e-12)
    assert found.rmse == pytest.approx(theirs.root_mean_squared_error(truth, predicted), rel=1e-12)
    assert found.mae == pytest.approx(theirs.mean_absolute_error(truth, predicted), rel=1e-12)
    assert found.r2 == pytest.approx(theirs.r2_score(truth, predicted), rel=1e-12)
    assert found.correlation == pytest.approx(np.corrcoef(truth, predicted)[0, 1], rel=1e-12)


def test_golden_ridge(golden):
    """The predictions of a worked example, and the errors it states."""
    record = golden("linear_regression.own_ridge")
    for expected in record["expected"].values():
        found = Regression(record["data"]["y"], expected["predictions"])
        for ours, stated in (("mse", "mse"), ("rmse", "rmse"), ("mae", "mae"), ("r2", "r_squared")):
            assert getattr(found, ours) == pytest.approx(expected[stated], rel=1e-12)
        assert found.correlation == pytest.approx(expected["correlation"], rel=1e-12)
        assert found.work()["MSE"].result == pytest.approx(expected["mse"], rel=1e-12)


def test_fishers_interval_by_hand():
    interval = Regression([1, 3, 2, 6], [1, 2, 2, 5]).rate("correlation").interval
    centre = math.atanh(11 / math.sqrt(14 * 9))
    assert interval.low == pytest.approx(math.tanh(centre - 1.959963984540054), rel=1e-9)
    assert interval.high == pytest.approx(math.tanh(centre + 1.959963984540054), rel=1e-9)


def test_rmse_has_the_root_of_mses_interval():
    found = Regression(*numbers())
    mse, rmse = found.rate("mse").interval, found.rate("rmse").interval
    assert (rmse.low**2, rmse.high**2) == pytest.approx((mse.low, mse.high))
    assert rmse.method == "root of t over rows"


def test_intervals_cover():
    """R² and MSE of a prediction whose errors have variance 1, the truth variance 9: 1 - 1/9 and 1."""
    hits = {"r2": 0, "mse": 0, "mae": 0, "correlation": 0}
    true = {"r2": 8 / 9, "mse": 1.0, "mae": math.sqrt(2 / math.pi), "correlation": 3 / math.sqrt(10)}
    for seed in range(400):
        found = Regression(*numbers(100, seed))
        for name in hits:
            hits[name] += true[name] in found.rate(name).interval
    assert all(0.91 <= n / 400 <= 0.98 for n in hits.values()), hits


@pytest.mark.parametrize(
    ("truth", "predicted", "name", "why"),
    [
        ([2, 2, 2], [1, 2, 3], "r2", "truth is the same in every row"),
        ([2, 2, 2], [1, 2, 3], "correlation", "truth is the same in every row"),
        ([1, 2, 3], [2, 2, 2], "correlation", "predicted is the same in every row"),
    ],
)
def test_undefined_is_nan_with_a_reason(truth, predicted, name, why):
    found = Regression(truth, predicted)
    assert math.isnan(getattr(found, name))
    assert found.rate(name).why == why
    assert why in repr(found)


def test_no_errors_at_all_are_no_certainty():
    found = Regression([1.0, 2, 4, 5], [1.0, 2, 4, 5])
    assert found.mse == 0
    assert math.isnan(found.rate("mse").interval.high)
    assert math.isnan(found.rate("rmse").interval.high)
    assert math.isnan(found.rate("correlation").interval.low)


def test_from_an_evaluation(judged):
    truth, predicted = numbers()
    evaluation = judged(truth, predicted, classes=None)
    assert Regression.from_evaluation(evaluation).mse == pytest.approx(evaluation.pooled("mse"))
    assert Regression.from_evaluation(evaluation).correlation == pytest.approx(
        evaluation.pooled("correlation")
    )
    with pytest.raises(ParameterError, match="model predicts classes; Confusion judges those"):
        Regression.from_evaluation(judged([0, 1, 1, 0], [0, 1, 0, 0]))


@pytest.mark.parametrize(
    ("truth", "predicted", "words"),
    [
        ([1, 2], [1], "truth has 2 rows, but predicted has 1"),
        ([1, math.nan], [1, 2], "truth is nan in row 1; leave such rows out"),
        ([], [], r"truth must be a number for each of one or more rows, got \(0,\)"),
    ],
)
def test_bad_numbers_are_refused(truth, predicted, words):
    with pytest.raises(DataError, match=words):
        Regression(truth, predicted)


def test_unknown_figures_are_named():
    with pytest.raises(ParameterError, match=r"no figure 'rmsd'. Did you mean 'rmse'\?"):
        Regression([1, 2], [1, 3]).rate("rmsd")
