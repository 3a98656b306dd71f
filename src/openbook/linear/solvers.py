r"""Solvers: the least value of a smooth, convex function, with its trace.

    newton              θ ← θ - t H⁻¹ g, with H the Hessian at θ; proximal where there is an L1 penalty
    truncated_newton    the same, with H⁻¹ g by conjugate gradients, as exactly as the slope calls for
    lbfgs               θ ← θ - t B g, with B built from the last steps and slopes (Nocedal 1980)
    gradient_descent    θ ← θ - η g
    sgd                 θ ← θ - η g_B / √k, with g_B that of a few rows, in epoch k (Robbins and Monro 1951)

An objective is called with θ and gives its value and gradient g; `curved` gives the Hessian too. A step
length t starts at 1 and is halved until the value falls by a fair share of what the slope promises (Armijo).
Near the minimum that fall is below the rounding error, and a slope that has halved along the step is accepted
instead: a convex function cannot have risen much there. All stop when no component of the gradient is above
`tol`, after `max_iter` steps, or where no step lowers the value.

θ, g : float64 (p,);  H : float64 (p, p)
"""

from collections import deque
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

#: The share of the promised fall that a step must reach, and the most times it is halved.
ARMIJO, HALVINGS = 1e-4, 40

#: A value's rounding, as a share of it; a bare sum over many rows has no more.
ROUNDING = 1e-12

#: The most sweeps of coordinate descent for one step of a proximal Newton method, which need not be exact.
MOST_SWEEPS = 1000

#: The most products of the Hessian with a vector for one step of the truncated Newton method.
MOST_PRODUCTS = 100

#: A column whose variance is explained by the others up to this share counts as one of them.
SINGULAR = 1e-11


class Point(NamedTuple):
    """A point of the trace: the value, the largest slope, and the step length that led there."""

    value: float
    slope: float
    step: float
    gradient: np.ndarray


class Solution(NamedTuple):
    """Where a solver ended, and its trace."""

    theta: np.ndarray
    trace: list[Point]
    converged: bool


def newton(objective, start, *, tol, max_iter, l1=None):
    """Newton's method; with `l1`, (p,), each step minimises the quadratic model plus Σ l1 |θ|."""
    theta, l1 = np.array(start, dtype=float), np.zeros(len(start)) if l1 is None else l1
    value, gradient, hessian = objective.curved(theta)
    trace = [Point(value + l1 @ np.abs(theta), _largest(gradient, theta, l1), 0.0, gradient)]
    while trace[-1].slope > tol and len(trace) <= max_iter:
        if l1.any():
            target = _least_of_model(hessian, gradient - hessian @ theta, l1, theta)
            step = target - theta
        else:
            step = -solve(hessian, gradient)
        promised = gradient @ step + l1 @ (np.abs(theta + step) - np.abs(theta))
        for halving in range(HALVINGS):
            length = 0.5**halving
            candidate = theta + length * step
            value, slope, curvature = objective.curved(candidate)
            total = value + l1 @ np.abs(candidate)
            if _falls(
                trace[-1].value, total, length * promised, promised, (slope + l1 * np.sign(candidate)) @ step
            ):
                break
        else:
            break
        theta, gradient, hessian = candidate, slope, curvature
        trace.append(Point(total, _largest(gradient, theta, l1), length, gradient))
    return Solution(theta, trace, trace[-1].slope <= tol)


def truncated_newton(objective, start, *, tol, max_iter):
    """Newton's method for many coefficients, by products with the Hessian: `objective.curvature`.

    Reference: Dembo, Eisenstat and Steihaug (1982), Inexact Newton methods.
    """
    theta = np.array(start, dtype=float)
    value, gradient = objective(theta)
    steepest = _largest(gradient)
    trace = [Point(value, steepest, 0.0, np.empty(0))]
    while trace[-1].slope > tol and len(trace) <= max_iter:
        times, diagonal = objective.curvature(theta)
        exact = max(min(0.1, np.sqrt(trace[-1].slope / steepest)), 0.1 * tol / trace[-1].slope)
        step, _ = conjugate_gradients(times, -gradient, diagonal, exact)
        promised = gradient @ step
        for halving in range(HALVINGS):
            length = 0.5**halving
            value, slope = objective(theta + length * step)
            if _falls(trace[-1].value, value, length * promised, promised, slope @ step):
                break
        else:
            break
        theta, gradient = theta + length * step, slope
        trace.append(Point(value, _largest(gradient), length, np.empty(0)))
    return Solution(theta, trace, trace[-1].slope <= tol)


def conjugate_gradients(times, right, diagonal, exact, most=MOST_PRODUCTS):
    """Solve H x = right, up to a share of `exact` of it, both measured by the inverse of H's diagonal.

    times : H times a vector, at most so often;  right, diagonal : float64 (p,). Returns x, and whether it is
    that exact.
    """
    inverse = 1.0 / np.maximum(diagonal, np.finfo(float).tiny)
    x, rest = np.zeros_like(right), right.copy()
    along = inverse * rest
    square = first = rest @ along
    for _ in range(most):
        if square <= exact**2 * first:
            break
        ahead = times(along)
        curvature = along @ ahead
        if curvature <= 0.0:  # no more than rounding is left
            return x, True
        x += (square / curvature) * along
        rest -= (square / curvature) * ahead
        turned = inverse * rest
        square, before = rest @ turned, square
        along *= square / before
        along += turned
    return x, square <= exact**2 * first


def lbfgs(objective, start, *, tol, max_iter, precondition=None, memory=10, l1=None, keep_gradients=True):
    """The limited-memory quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno.

    With `l1`, (p,), that of Andrew and Gao (2007): a step stays in the orthant to which the slope with the
    penalty Σ l1 |θ| points, so that coefficients become exactly 0.

    Parameters
    ----------
    precondition : callable of a gradient, optional
        Multiplies by an approximate inverse of the Hessian, where one is at hand; else the identity, scaled
        by the last step.
    memory : how many steps are remembered
    keep_gradients : whether the trace holds every gradient, which of many coefficients fills the memory
    """
    theta, l1 = np.array(start, dtype=float), np.zeros(0) if l1 is None else l1

    def whole(at):
        smooth, gradient = objective(at)
        if not len(l1):
            return smooth, gradient, gradient
        return smooth + l1 @ np.abs(at), gradient, slope_with_l1(gradient, at, l1)

    def point(value, slope, length, gradient):
        return Point(value, _largest(slope), length, gradient if keep_gradients else np.empty(0))

    value, gradient, slope = whole(theta)
    trace = [point(value, slope, 0.0, gradient)]
    past: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=memory)
    while trace[-1].slope > tol and len(trace) <= max_iter:
        step = -_times_inverse(slope, past, precondition)
        if len(l1):
            step[step * slope >= 0] = 0.0
            orthant = np.where(theta == 0, -np.sign(slope), np.sign(theta))
        for halving in range(HALVINGS):
            length = 0.5**halving
            moved = length * step
            candidate = theta + moved
            if len(l1):
                candidate[candidate * orthant < 0] = 0.0
                moved = candidate - theta
            value, found, ahead = whole(candidate)
            if _falls(trace[-1].value, value, slope @ moved, slope @ step, ahead @ step):
                break
        else:
            break
        change = found - gradient
        if (product := moved @ change) > 0:
            past.append((moved, change, product))
        theta, gradient, slope = candidate, found, ahead
        trace.append(point(value, slope, length, gradient))
    return Solution(theta, trace, trace[-1].slope <= tol)


def follow_gradient(objective, start, *, step, tol, max_iter):
    """Downhill by a fixed step times the gradient; nothing keeps too long a step from leading up."""
    theta = np.array(start, dtype=float)
    value, gradient = objective(theta)
    trace = [Point(value, _largest(gradient), 0.0, gradient)]
    while trace[-1].slope > tol and len(trace) <= max_iter and np.isfinite(value):
        with np.errstate(over="ignore", invalid="ignore"):
            theta = theta - step * gradient
            value, gradient = objective(theta)
        trace.append(Point(value, _largest(gradient), step, gradient))
    return Solution(theta, trace, trace[-1].slope <= tol)


def sgd(objective, start, *, step, tol, max_iter, random):
    """Stochastic gradient descent: θ is the average over an epoch, until one gains no more than `tol`.

    `objective.batches(random)` gives the parts of the objective, a few rows each, in a random order.
    """
    theta = average = np.array(start, dtype=float)
    value, gradient = objective(theta)
    trace = [Point(value, _largest(gradient), 0.0, gradient)]
    gain = np.inf
    while abs(gain) > tol and len(trace) <= max_iter and np.isfinite(value):
        average, length = np.zeros_like(theta), step / np.sqrt(len(trace))
        for met, part in enumerate(objective.batches(random), start=1):
            theta = theta - length * part(theta)[1]
            average += (theta - average) / met
        value, gradient = objective(average)
        gain = trace[-1].value - value
        trace.append(Point(value, _largest(gradient), length, gradient))
    return Solution(average, trace, abs(gain) <= tol)


def solve(hessian, gradient):
    """H⁻¹ g; where columns are collinear, the shortest of the solutions.

    The matrix is brought to a diagonal of ones first, so that a pivot is the share of a column's variance
    which those before it do not explain.
    """
    scale = np.sqrt(np.where(np.diag(hessian) > 0, np.diag(hessian), 1.0))
    level = hessian / np.outer(scale, scale)
    try:
        factor = cho_factor(level, check_finite=False)
    except np.linalg.LinAlgError:
        factor = None
    if factor is not None and np.diag(factor[0]).min() ** 2 > SINGULAR:
        return cho_solve(factor, gradient / scale, check_finite=False) / scale
    values, vectors = eigh(level, check_finite=False)
    known = values > SINGULAR * values[-1]
    return vectors[:, known] @ ((gradient / scale) @ vectors[:, known] / values[known]) / scale


def slope_with_l1(gradient, theta, l1):
    """The smallest subgradient with the penalty Σ l1 |θ|: at θ = 0 it takes up to l1 off the gradient."""
    return np.where(theta == 0, soft_threshold(gradient, l1), gradient + l1 * np.sign(theta))


def positive_slope(gradient, theta, l1):
    """The slope that Σ l1 θ leaves where no θ may be below 0: at 0, only one that leads upwards counts."""
    slope = gradient + l1
    return np.where(theta == 0, np.minimum(slope, 0.0), slope)


def soft_threshold(z, l1):
    """Draw z towards zero by l1.

    >>> soft_threshold(np.array([3.0, -3.0, 0.5]), 1.0).tolist()
    [2.0, -2.0, 0.0]
    """
    return np.sign(z) * np.maximum(np.abs(z) - l1, 0.0)


def _largest(gradient, theta=None, l1=None):
    slope = gradient if theta is None else slope_with_l1(gradient, theta, l1)
    return float(np.abs(slope).max(initial=0.0))


def _falls(before, after, promised, slope_before, slope_after):
    """Whether a step lowers the objective enough; if rounding hides that, whether the slope has halved."""
    if after <= before + ARMIJO * promised:
        return True
    return after <= before + ROUNDING * abs(before) and abs(slope_after) <= 0.5 * abs(slope_before)


def _times_inverse(gradient, past, precondition):
    """Multiply by the approximate inverse Hessian: the two loops over the past steps."""
    direction, shares = gradient.copy(), []
    for step, change, product in reversed(past):
        shares.append(step @ direction / product)
        direction -= shares[-1] * change
    if precondition is not None:
        direction = precondition(direction)
    elif past:
        _, change, product = past[-1]
        direction *= product / (change @ change)
    else:
        direction /= max(1.0, np.linalg.norm(direction))
    for (step, change, product), share in zip(past, reversed(shares), strict=True):
        direction += (share - change @ direction / product) * step
    return direction


def _least_of_model(hessian, linear, l1, start):
    """The least of ½ θ'Hθ + c'θ + Σ l1 |θ|, by coordinate descent."""
    from openbook.linear.coordinates import coordinate_descent

    theta, gradient = start.copy(), linear + hessian @ start
    tol = 1e-3 * _largest(gradient, start, l1)
    coordinate_descent(hessian, gradient, l1, theta, tol, MOST_SWEEPS, False)
    return theta
