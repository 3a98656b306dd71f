"""Solvers: the least of quadratics by hand, of a logistic loss by optimality, and honest ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbook.linear.coordinates import coordinate_descent
from openbook.linear.losses import Logistic
from openbook.linear.solvers import follow_gradient, lbfgs, newton, slope_with_l1, soft_threshold, solve


class Quadratic:
    """½ θ'Hθ - c'θ."""

    def __init__(self, hessian, linear):
        self.hessian, self.linear = np.array(hessian, dtype=float), np.array(linear, dtype=float)

    def __call__(self, theta):
        gradient = self.hessian @ theta - self.linear
        return 0.5 * theta @ (gradient - self.linear), gradient

    def curved(self, theta):
        return (*self(theta), self.hessian)


class MeanLogistic:
    """The mean logistic loss of rows."""

    def __init__(self, seed, rows=60, columns=4):
        rng = np.random.default_rng(seed)
        self.X = rng.normal(size=(rows, columns)) * rng.uniform(0.1, 10, columns)
        self.y = (rng.random(rows) < 0.4).astype(float)

    def __call__(self, theta):
        value, slope = Logistic().both(self.X @ theta, self.y)
        return value.mean(), slope @ self.X / len(self.y)

    def curved(self, theta):
        bend = Logistic().curvature(self.X @ theta) / len(self.y)
        return (*self(theta), (self.X * bend[:, None]).T @ self.X)


BOWL = Quadratic([[2.0, 1.0], [1.0, 3.0]], [1.0, 2.0])  # least at (1/5, 3/5)


def test_newton_solves_a_quadratic_in_one_step():
    found = newton(BOWL, np.zeros(2), tol=1e-12, max_iter=5)
    np.testing.assert_allclose(found.theta, [0.2, 0.6], rtol=1e-14)
    assert [point.step for point in found.trace] == [0.0, 1.0]
    assert found.converged
    assert found.trace[0].value == 0.0
    assert found.trace[0].slope == 2.0
    assert found.trace[1].value == pytest.approx(-0.7)  # -½ c'θ = -½ (0.2 + 1.2)


def test_gradient_descent_by_hand():
    found = follow_gradient(BOWL, [1.0, 1.0], step=0.1, tol=0.0, max_iter=2)
    # g(1, 1) = (2, 2); θ = (0.8, 0.8); g = (1.4, 1.2); θ = (0.66, 0.68)
    np.testing.assert_allclose(found.theta, [0.66, 0.68], rtol=1e-14)
    assert [point.slope for point in found.trace] == pytest.approx([2.0, 1.4, 1.0])
    assert not found.converged


def test_too_long_a_step_leads_up_and_is_not_hidden():
    found = follow_gradient(BOWL, [1.0, 1.0], step=1.0, tol=1e-9, max_iter=5)
    values = [point.value for point in found.trace]
    assert len(values) == 6
    assert values[-1] > values[0]
    assert not found.converged


@pytest.mark.parametrize("seed", range(5))
def test_all_find_the_same_least_value(seed):
    loss = MeanLogistic(seed)
    best = newton(loss, np.zeros(4), tol=1e-12, max_iter=50)
    assert best.converged
    quasi = lbfgs(loss, np.zeros(4), tol=1e-9, max_iter=500)
    assert quasi.converged
    np.testing.assert_allclose(quasi.theta, best.theta, rtol=1e-5, atol=1e-7)
    _, _, hessian = loss.curved(np.zeros(4))
    helped = lbfgs(loss, np.zeros(4), tol=1e-9, max_iter=500, precondition=lambda g: solve(hessian, g))
    np.testing.assert_allclose(helped.theta, best.theta, rtol=1e-5, atol=1e-7)
    assert len(helped.trace) <= len(quasi.trace)
    for found in (best, quasi, helped):
        values = np.array([point.value for point in found.trace])
        assert (np.diff(values) <= 1e-12).all()


def test_a_far_start_is_no_matter():
    loss = MeanLogistic(1)
    best = newton(loss, np.zeros(4), tol=1e-12, max_iter=50).theta
    found = newton(loss, np.full(4, 8.0), tol=1e-12, max_iter=100)
    assert found.converged
    np.testing.assert_allclose(found.theta, best, rtol=1e-9)
    assert min(point.step for point in found.trace[1:]) < 1.0  # it had to be held back


@pytest.mark.parametrize("strength", [0.0, 0.01, 0.1, 10.0])
def test_the_slope_that_an_l1_penalty_leaves_is_none(strength):
    loss = MeanLogistic(3)
    l1 = np.full(4, strength)
    found = newton(loss, np.zeros(4), tol=1e-10, max_iter=100, l1=l1)
    assert found.converged
    _, gradient = loss(found.theta)
    assert np.abs(slope_with_l1(gradient, found.theta, l1)).max() <= 1e-10
    assert (np.abs(gradient) <= strength + 1e-10).all()
    assert found.theta.any() == (strength < 1)


@given(st.integers(0, 1000), st.floats(0, 2))
def test_coordinate_descent_is_optimal(seed, strength):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(8, 5))
    H, c, l1 = A.T @ A, rng.normal(size=5) * 3, strength * rng.random(5)
    theta = np.zeros(5)
    rest = c.copy()
    coordinate_descent(H, rest, l1, theta, 1e-12, 100_000, False)
    np.testing.assert_allclose(rest, c + H @ theta, atol=1e-10)
    assert np.abs(slope_with_l1(rest, theta, l1)).max() < 1e-9


def test_one_coordinate_is_soft_thresholding():
    for z, expected in ((3.0, 1.0), (-3.0, -1.0), (0.5, 0.0)):
        theta = np.zeros(1)
        assert coordinate_descent(np.array([[2.0]]), np.array([-z]), np.ones(1), theta, 1e-12, 10, False) <= 2
        assert theta[0] == expected  # (|z| - 1) / 2 on the side of z
        assert soft_threshold(np.array([z]), 1.0)[0] / 2 == expected


def test_a_column_that_does_not_bend_stays():
    theta = np.array([0.0, 4.0])
    coordinate_descent(np.diag([1.0, 0.0]), np.array([-1.0, 0.0]), np.zeros(2), theta, 1e-12, 10, False)
    assert theta.tolist() == [1.0, 4.0]


def test_collinear_columns_get_the_shortest_solution():
    X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])  # the second column is twice the first
    step = solve(X.T @ X, X.T @ np.array([5.0, 10.0, 15.0]))
    assert X @ step == pytest.approx([5.0, 10.0, 15.0])
    assert step[0] == pytest.approx(2 * step[1])  # shortest where each column is measured by its own length
    assert solve(np.zeros((2, 2)), np.zeros(2)).tolist() == [0.0, 0.0]


def test_the_end_of_the_steps_is_said():
    found = newton(MeanLogistic(0), np.zeros(4), tol=1e-12, max_iter=1)
    assert len(found.trace) == 2
    assert not found.converged
    assert len(lbfgs(MeanLogistic(0), np.zeros(4), tol=1e-12, max_iter=3).trace) == 4
