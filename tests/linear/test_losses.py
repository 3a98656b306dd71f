"""Losses: values by hand, derivatives by finite differences, nothing that overflows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbook.linear.losses import Huber, Logistic, Softmax, Squared
from openbook.measures.scores import sigmoid, softmax

NUMBERS, YES_OR_NO = st.floats(-5, 5), st.sampled_from([0.0, 1.0])
LOSSES = [  # loss, its targets, and how far a score is from a kink
    (Squared(), NUMBERS, lambda s, y: 1.0),
    (Huber(1.5), NUMBERS, lambda s, y: abs(abs(s - y) - 1.5)),
    (Logistic(), YES_OR_NO, lambda s, y: 1.0),
]


@pytest.mark.parametrize(
    ("loss", "score", "target", "expected", "slope"),
    [
        (Squared(), 3.0, 1.0, 2.0, 2.0),
        (Huber(1.0), 3.0, 1.0, 1.5, 1.0),
        (Huber(1.0), 0.5, 1.0, 0.125, -0.5),
        (Logistic(), 0.0, 1.0, math.log(2), -0.5),
        (Logistic(), math.log(3), 0.0, math.log(4), 0.75),
    ],
)
def test_by_hand(loss, score, target, expected, slope):
    value, gradient = loss.both(np.array([score]), np.array([target]))
    assert value[0] == pytest.approx(expected)
    assert gradient[0] == pytest.approx(slope)


@pytest.mark.parametrize(("score", "curvature"), [(0.0, 0.25), (math.log(3), 0.1875)])
def test_curvature_by_hand(score, curvature):
    assert Logistic().curvature(np.array([score]))[0] == pytest.approx(curvature)


@pytest.mark.parametrize(("loss", "targets", "from_kink"), LOSSES, ids=lambda part: type(part).__name__)
@given(data=st.data())
def test_derivatives_are_finite_differences(loss, targets, from_kink, data):
    s, y = data.draw(NUMBERS), data.draw(targets)
    step = 1e-5
    if from_kink(s, y) < 2 * step:
        return
    scores, y = np.array([s - step, s, s + step]), np.full(3, y)
    value, slope = loss.both(scores, y)
    assert (value[2] - value[0]) / (2 * step) == pytest.approx(slope[1], abs=1e-8)
    if isinstance(loss, Logistic):
        assert (slope[2] - slope[0]) / (2 * step) == pytest.approx(loss.curvature(scores)[1], abs=1e-8)


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=5), st.data())
def test_derivatives_of_softmax_are_finite_differences(scores, data):
    y = np.array([data.draw(st.integers(0, len(scores) - 1))])
    s, step, loss = np.array([scores]), 1e-5, Softmax()
    value, slope = loss.both(s, y)
    assert value[0] == pytest.approx(-math.log(softmax(s)[0, y[0]]), abs=1e-9)
    for k, shift in enumerate(step * np.eye(len(scores))):
        above, below = loss.both(s + shift, y), loss.both(s - shift, y)
        assert (above[0] - below[0])[0] / (2 * step) == pytest.approx(slope[0, k], abs=1e-8)
        second = (above[1] - below[1])[0, k] / (2 * step)
        assert second == pytest.approx(loss.curvature(s)[0, k], abs=1e-8)


def test_softmax_reads_scores_in_either_layout():
    scores = np.random.default_rng(0).normal(size=(6, 4))
    targets = np.array([0, 1, 2, 3, 0, 1])
    kept = scores.copy()
    for layout in (scores, np.asfortranarray(scores)):
        value, slope = Softmax().both(layout, targets)
        np.testing.assert_allclose(value, -np.log(softmax(scores)[np.arange(6), targets]), rtol=1e-14)
        np.testing.assert_allclose(slope, softmax(scores) - np.eye(4)[targets], atol=1e-15)
    np.testing.assert_array_equal(scores, kept)


@given(st.floats(-1e6, 1e6))
def test_two_classes_are_the_logistic_loss(z):
    for y in (0, 1):
        both = Softmax().both(np.array([[0.0, z]]), np.array([y]))
        value, slope = Logistic().both(np.array([z]), np.array([float(y)]))
        assert both[0][0] == pytest.approx(value[0], rel=1e-12, abs=1e-15)
        assert both[1][0, 1] == pytest.approx(slope[0], rel=1e-12, abs=1e-15)


def test_nothing_overflows():
    far = np.array([-1e300, -800.0, 800.0, 1e300])
    assert sigmoid(far).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert Logistic().both(far, np.ones(4))[0].tolist() == [1e300, 800.0, 0.0, 0.0]
    assert softmax(np.array([[1e300, 0.0, -1e300]])).tolist() == [[1.0, 0.0, 0.0]]
    assert Softmax().both(np.array([[1e300, 0.0]]), np.array([1]))[0].tolist() == [1e300]


def test_the_logistic_of_integer_codes(golden):
    record = golden("logistic.integer_coded")
    X, expected = np.array(record["expected"]["X"], dtype=float), record["expected"]
    X = np.column_stack([np.ones(2), X])
    y = np.array([row["y"] for row in record["data"]["rows"]])
    z = X @ record["data"]["theta"]
    np.testing.assert_allclose(z, [row["z"] for row in expected["rows"]], rtol=1e-12)
    np.testing.assert_allclose(sigmoid(z), [row["p1"] for row in expected["rows"]], rtol=1e-12)
    value, slope = Logistic().both(z, y)
    np.testing.assert_allclose(value, [row["nll"] for row in expected["rows"]], rtol=1e-12)
    np.testing.assert_allclose(slope @ X, expected["gradient_of_nll"], rtol=1e-12)


def test_the_softmax_of_one_hot_columns(golden):
    record = golden("logistic.softmax_one_hot")
    scores = np.array(record["data"]["X"]) @ np.array(record["data"]["theta"]).T
    np.testing.assert_allclose(scores, record["expected"]["scores"], rtol=1e-12)
    np.testing.assert_allclose(softmax(scores), record["expected"]["probabilities"], rtol=1e-12)
    y = np.array([row["y"] for row in record["data"]["rows"]])
    assert Softmax().both(scores, y)[0].sum() == pytest.approx(record["expected"]["nll_total"], rel=1e-12)
