r"""The problem behind every support vector machine, in one form.

    min over beta    1/2 beta^T (K + diag(ridge)) beta - t^T beta + epsilon |beta|_1
    with             sum beta = 0,    lo <= beta <= hi

Classes: t = y = ±1, beta = alpha y, epsilon = 0, and alpha between 0 and C. Numbers: t = y and beta between
-C and C. The squared hinge has no bound, and a ridge of 1 / (2C) instead. The function is
f(x) = sum_i beta_i K(x_i, x) + b, and the primal of the problem

    min over f       1/2 |w|² + sum_i loss_i(t_i - f(x_i))
    loss(r)          hi max(r - epsilon, 0) - lo max(-r - epsilon, 0), or its square over 2 ridge

is never below the dual; how far above is the gap, which bounds the error of any model, converged or not.

gradient : float64 (n,), (K + diag(ridge)) beta - t
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

#: How a solver came to its end.
CONVERGED, CAPPED, INTERRUPTED = 0, 1, 2


class Problem(NamedTuple):
    """Targets, bounds and ridge of each row, (n,), and the width of the band in which errors are free."""

    t: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    ridge: np.ndarray
    epsilon: float = 0.0

    def rows(self, indices) -> "Problem":
        """The problem of some of the rows."""
        return Problem(self.t[indices], self.lo[indices], self.hi[indices], self.ridge[indices], self.epsilon)

    def bounded(self, by: float) -> "Problem":
        """The same with no bound above `by`."""
        return self._replace(lo=np.maximum(self.lo, -by), hi=np.minimum(self.hi, by))

    def multipliers(self, f: np.ndarray, ridge: np.ndarray) -> np.ndarray:
        """The beta that answers the predictions f under a ridge above zero."""
        return np.clip(self._excess(f) / ridge, self.lo, self.hi)

    def loss(self, f: np.ndarray, ridge: np.ndarray) -> np.ndarray:
        """What each prediction costs under a ridge, which may be zero."""
        excess = self._excess(f)
        with np.errstate(divide="ignore", invalid="ignore"):
            beta = np.minimum(np.maximum(excess / ridge, self.lo), self.hi)
            beta[excess == 0] = 0.0
        return beta * excess - 0.5 * ridge * beta * beta

    def total_loss(self, f: np.ndarray) -> float:
        """What all predictions cost."""
        return float(self.loss(f, self.ridge).sum())

    def dual(self, beta: np.ndarray, square: float) -> float:
        """The dual's value, to be made as large as it can; square is beta^T K beta."""
        linear = beta @ self.t - self.epsilon * np.abs(beta).sum() - 0.5 * (self.ridge * beta) @ beta
        return float(linear) - 0.5 * square

    def balanced(self, beta: np.ndarray) -> np.ndarray:
        """The multipliers with the heavier side scaled down, so that they sum to 0."""
        rise, fall = beta[beta > 0].sum(), -beta[beta < 0].sum()
        least = min(rise, fall)
        share = np.where(beta > 0, least / (rise or 1.0), least / (fall or 1.0))
        return beta * share

    def _excess(self, f):
        """How far each target is from its prediction, beyond the free band."""
        r = self.t - f
        return r if not self.epsilon else np.sign(r) * np.maximum(np.abs(r) - self.epsilon, 0.0)


@dataclass(frozen=True)
class DualSolution:
    """The multipliers of a problem's rows and the constant, with how good they are and how they were found.

    f : the machine's decisions about its rows
    w : the weights of a linear machine; None if they are the sum of beta_i x_i, or there are none
    """

    beta: np.ndarray
    bias: float
    f: np.ndarray
    primal: float
    gap: float
    sweeps: int
    state: int
    w: np.ndarray | None = None

    @classmethod
    def of(
        cls, problem: Problem, beta: np.ndarray, gradient: np.ndarray, sweeps: int, state: int
    ) -> "DualSolution":
        """With the constant and the gap that follow from multipliers and their gradient."""
        bias = bias_of(problem, beta, gradient)
        products = gradient + problem.t - problem.ridge * beta
        square, f = float(beta @ products), products + bias
        primal = 0.5 * square + problem.total_loss(f)
        return cls(beta, bias, f, primal, max(primal - problem.dual(beta, square), 0.0), sweeps, state)


def slopes(problem: Problem, beta: np.ndarray, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How much is won by raising each multiplier, and lost by lowering it; infinite at a bound.

    At the optimum no one's gain from rising is above another's loss from falling.
    """
    up, down = -gradient, -gradient
    if problem.epsilon:
        up = up - np.where(beta >= 0, problem.epsilon, -problem.epsilon)
        down = down - np.where(beta > 0, problem.epsilon, -problem.epsilon)
    return np.where(beta < problem.hi, up, -np.inf), np.where(beta > problem.lo, down, np.inf)


def bias_of(problem, beta, gradient):
    """The mean of the constants that free multipliers require; without any, the middle of their range."""
    free = (beta > problem.lo) & (beta < problem.hi)
    if problem.epsilon:
        free &= beta != 0
    if n_free := np.count_nonzero(free):
        return float(-gradient[free].sum() - problem.epsilon * np.sign(beta[free]).sum()) / n_free
    up, down = slopes(problem, beta, gradient)
    highest, lowest = float(up.max()), float(down.min())
    ends = [end for end in (highest, lowest) if np.isfinite(end)]
    return sum(ends) / len(ends)
