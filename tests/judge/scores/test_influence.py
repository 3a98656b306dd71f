"""The influence of a row: what the score loses without it."""

import math

import numpy as np
import pytest

from openbook.judge.scores.influence import by_deletion
from openbook.judge.scores.metrics import METRICS, Metric, Predictions


def some(task, k, n=300, seed=0):
    rng = np.random.default_rng(seed)
    if task == "regression":
        truth = rng.normal(size=n)
        return Predictions(truth, truth + rng.normal(size=n), None, 0)
    truth = rng.integers(0, k, n)
    proba = rng.dirichlet(np.ones(k), n)
    proba[np.arange(n), truth] += 0.5
    proba = (proba / proba.sum(axis=1, keepdims=True)).round(1)  # ties
    proba /= proba.sum(axis=1, keepdims=True)
    return Predictions(truth, proba.argmax(axis=1), proba, k)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("k", [2, 3])
def test_every_formula_is_what_leaving_a_row_out_shows(name, k):
    metric = METRICS[name]
    p = some(metric.task, k)
    formula, deleted = metric.influence_of(p), by_deletion(metric, p)
    assert formula.mean() == pytest.approx(0, abs=1e-9)
    assert np.corrcoef(formula, deleted)[0, 1] > 0.999
    assert formula.std() == pytest.approx(deleted.std(), rel=0.02)


def test_no_row_moves_the_kappa_of_a_constant_decision():
    """It is 0 whatever the rows are."""
    p = Predictions(np.arange(30) % 3, np.zeros(30, dtype=int), None, 3)
    assert METRICS["kappa"].influence_of(p).tolist() == [0.0] * 30


def test_accuracy_by_hand():
    """Three of four right: a right row is 1/4 above the mean, the wrong one 3/4 below."""
    p = Predictions(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]), None, 2)
    assert METRICS["accuracy"].influence_of(p).tolist() == [0.25, 0.25, 0.25, -0.75]


def test_the_area_by_hand():
    """Positive scores 2 and 4, negative 1 and 3: the area is 3/4; 2 lies above half of the negative ones.

    DeLong's variance: 1/8 among two positive rows and among two negative ones, so (1/8)/2 + (1/8)/2 = 1/8.
    """
    p = Predictions(
        np.array([1, 1, 0, 0]), np.zeros(4, int), np.array([[0, 2], [0, 4], [0, 1], [0, 3]]) / 4, 2
    )
    found = METRICS["roc_auc"].influence_of(p)
    assert found == pytest.approx(math.sqrt(2) * np.array([-0.5, 0.5, 0.5, -0.5]))
    assert (found**2).sum() / 16 == pytest.approx(1 / 8)


def test_a_metric_of_ones_own_is_computed_again_without_each_row():
    """A mean of squares by deletion is (l - m) n / (n - 1) (n - 1) / n, the formula itself."""
    own = Metric("mine", "regression", False, False, lambda p: float(((p.truth - p.predicted) ** 2).mean()))
    p = some("regression", 0, n=40)
    assert own.influence_of(p) == pytest.approx(METRICS["mse"].influence_of(p))


def test_many_rows_are_left_out_in_parts_and_the_spread_stays():
    p = some("regression", 0, n=5000)
    parts = by_deletion(METRICS["mae"], p)
    assert np.count_nonzero(parts != parts[0]) <= 500
    assert parts.std() == pytest.approx(METRICS["mae"].influence_of(p).std(), rel=0.15)
