"""The likelihood to minimise: values by hand, derivatives by finite differences, sums of parts."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import openbook.linear.likelihood
from openbook.linear.likelihood import ClassLikelihood, EncodedRows, Units, _sums
from openbook.linear.logistic_kernels import add_logistic


def likelihood(seed, n_scores, rows=40, columns=3, pieces=1, free=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns)) * [1.0, 10.0, 0.1] + [0.0, 5.0, -3.0]
    y = rng.integers(0, max(n_scores, 2), rows)
    y = y.astype(float) if n_scores == 1 else y
    w = rng.uniform(0.5, 2.0, rows)
    cuts = np.linspace(0, rows, pieces + 1).astype(int)
    parts = [EncodedRows(x[a:b], y[a:b], w[a:b], a) for a, b in pairwise(cuts)]
    units = Units(np.array([0.0, 5.0, -3.0]), np.array([1.0, 10.0, 0.1]))
    penalty = np.zeros(4) if free else np.array([1.0, 2.0, 0.5, 0.0])
    theta = rng.normal(size=n_scores * 4)
    return ClassLikelihood(parts, units, n_scores, float(w.sum()), penalty, penalty == 0), theta


def by_hand(function, theta):
    """The same value with a loop over rows, columns and classes."""
    (chunk,) = function.pieces
    by_score = theta.reshape(function.n_scores, -1).tolist()
    total = 0.0
    for x, y, w in zip(chunk.x.tolist(), chunk.y.tolist(), chunk.w.tolist(), strict=True):
        standard = [(v - s) / c for v, s, c in zip(x, *function.units, strict=True)]
        scores = [sum(a * b for a, b in zip(own, [*standard, 1.0], strict=True)) for own in by_score]
        scores = [0.0, *scores] if len(scores) == 1 else scores
        total -= w * math.log(math.exp(scores[int(y)]) / sum(map(math.exp, scores)))
    total += 0.5 * sum(p * v * v for own in by_score for p, v in zip(function.penalty, own, strict=True))
    return total / function.total


@pytest.mark.parametrize("n_scores", [1, 3])
@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_value_gradient_and_hessian(n_scores, seed):
    function, theta = likelihood(seed, n_scores)
    value, gradient = function(theta)
    assert value == pytest.approx(by_hand(function, theta), rel=1e-10)
    again, slope, hessian = function.curved(theta)
    assert (again, slope.tolist()) == (pytest.approx(value, rel=1e-14), pytest.approx(gradient.tolist()))
    step = 1e-5
    for j, shift in enumerate(step * np.eye(len(theta))):
        above, below = function(theta + shift), function(theta - shift)
        assert (above[0] - below[0]) / (2 * step) == pytest.approx(gradient[j], rel=1e-5, abs=1e-8)
        numeric = (above[1] - below[1]) / (2 * step)
        own = hessian[j].reshape(n_scores, -1)
        if n_scores > 1:  # the intercepts' own direction is filled up
            own, numeric = own[:, :-1], numeric.reshape(n_scores, -1)[:, :-1]
        np.testing.assert_allclose(own.ravel(), numeric.ravel(), rtol=1e-5, atol=1e-8)


@given(seed=st.integers(0, 10_000), far=st.sampled_from([1.0, 1e3, 1e150]))
def test_the_kernel_adds_up_the_same(seed, far):
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(9, 3)), rng.uniform(0.0, 2.0, 9)
    chunk = EncodedRows(x, rng.integers(0, 2, 9).astype(float), w, 0)
    theta = far * rng.normal(size=(1, 4))
    plain, gradient = _sums(theta, "none", chunk), np.zeros(4)
    value = add_logistic(chunk.x, chunk.y, chunk.w, theta[0], gradient)
    assert value == pytest.approx(plain.value[0], rel=1e-12)
    np.testing.assert_allclose(gradient, plain.gradient[0], rtol=1e-10, atol=1e-13)


def test_many_rows_and_columns_go_to_the_kernel(monkeypatch):
    function, theta = likelihood(3, 1)
    plain = function(theta)
    monkeypatch.setattr(openbook.linear.likelihood, "MANY_ROWS", 1)
    monkeypatch.setattr(openbook.linear.likelihood, "MANY_COLUMNS", 1)
    value, gradient = function(theta)
    assert value == pytest.approx(plain[0], rel=1e-13)
    np.testing.assert_allclose(gradient, plain[1], rtol=1e-10)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_blocks_are_those_of_the_hessian(n_scores):
    function, theta = likelihood(5, n_scores)
    _, _, hessian = function.curved(theta)
    for k, block in enumerate(function.blocks(theta)):
        own = slice(4 * k, 4 * k + 3)
        np.testing.assert_allclose(block[:3, :3], hessian[own, own], rtol=1e-9)


def test_the_filled_direction_is_that_of_no_gradient():
    function, theta = likelihood(6, 3, free=True)
    _, gradient, hessian = function.curved(theta)
    # a column that lies 30 of its units from 0 is summed before it is shifted: so much larger is its rounding
    rounding = 4 * np.finfo(float).eps * np.array([1.0, 1.5, 31.0, 1.0])
    assert (np.abs(gradient.reshape(3, 4).sum(axis=0)) <= rounding).all()
    step = np.linalg.solve(hessian, gradient)
    np.testing.assert_allclose(step.reshape(3, 4).sum(axis=0), 0.0, atol=1e-12)
    assert np.linalg.eigvalsh(hessian)[0] > 1e-4


@pytest.mark.parametrize("n_scores", [1, 3])
def test_any_pieces_add_up_to_the_same(n_scores):
    whole, theta = likelihood(7, n_scores)
    parts, _ = likelihood(7, n_scores, pieces=4)
    for one, other in zip(whole.curved(theta), parts.curved(theta), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-14)
    assert whole.margins(theta).least == parts.margins(theta).least


def test_a_sample_is_every_so_many_th_row():
    whole, theta = likelihood(8, 1, rows=90, pieces=1)
    parts, _ = likelihood(8, 1, rows=90, pieces=7)
    one, other = whole.sample(30, 90, 0.5), parts.sample(30, 90, 0.5)
    assert one.pieces[0].x.tolist() == other.pieces[0].x.tolist() == whole.pieces[0].x[::3].tolist()
    assert one(theta)[0] == other(theta)[0]
    share = one.total / whole.total
    np.testing.assert_allclose(one.penalty, whole.penalty * share + 0.5)


def test_margins_by_hand():
    rows = EncodedRows(np.array([[1.0], [2.0], [-3.0]]), np.array([1.0, 0.0, 0.0]), np.ones(3), 0)
    function = ClassLikelihood(
        [rows], Units(np.zeros(1), np.ones(1)), 1, 3.0, np.zeros(2), np.ones(2, dtype=bool)
    )
    margins = function.margins(np.array([2.0, 1.0]))  # z = 3, 5, -5 for classes 1, 0, 0
    assert (margins.least.tolist(), margins.most.tolist()) == ([-5.0], [5.0])
