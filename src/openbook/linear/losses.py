r"""Losses of scores, given the truth.

    squared         ½ (s - y)²
    Huber           ½ (s - y)² where |s - y| ≤ δ, else δ (|s - y| - δ/2)
    logistic        ln(1 + eˢ) - y s                 y in {0, 1}, or a probability
    softmax         ln Σ_k e^(s_k) - s_y             y the code of the class, s one score a class

Each loss computes row by row: `value` (n,), `gradient` by the scores (as the scores), `curvature`, the second
derivative by each score (as the scores), and `both`, value and gradient together where they share work. At a
kink the gradient is that of the flatter side, and the curvature that of the steeper one. Scores are finite;
nothing overflows.

scores : float (n,), for softmax (n, n_classes)
targets : numbers or codes (n,)
"""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from openbook.measures.scores import sigmoid, sigmoid_of_power, softmax


class Loss:
    """What a score costs, given the truth."""

    @abstractmethod
    def value(self, scores, targets):
        """The loss of each row."""

    @abstractmethod
    def gradient(self, scores, targets):
        """The derivative of each row's loss by its scores."""

    @abstractmethod
    def curvature(self, scores, targets):
        """The second derivative of each row's loss by each of its scores."""

    def both(self, scores, targets):
        """The loss of each row and its derivative."""
        return self.value(scores, targets), self.gradient(scores, targets)


@dataclass(frozen=True)
class Squared(Loss):
    """Half the squared error."""

    def value(self, scores, targets):
        return 0.5 * (scores - targets) ** 2

    def gradient(self, scores, targets):
        return scores - targets

    def curvature(self, scores, targets):  # noqa: ARG002 (of the same form for every loss)
        return np.ones_like(scores)


@dataclass(frozen=True)
class Huber(Loss):
    """Half the squared error near the target, and a straight line from `delta` on: outliers pull no more."""

    delta: float = 1.0

    def value(self, scores, targets):
        error = np.abs(scores - targets)
        near = np.minimum(error, self.delta)
        return near * (error - 0.5 * near)

    def gradient(self, scores, targets):
        return np.clip(scores - targets, -self.delta, self.delta)

    def curvature(self, scores, targets):
        return (np.abs(scores - targets) <= self.delta).astype(float)


@dataclass(frozen=True)
class Logistic(Loss):
    """The negative log-likelihood of a yes or no whose log odds are the score."""

    def value(self, scores, targets):
        return np.maximum(scores, 0.0) - targets * scores + np.log1p(np.exp(-np.abs(scores)))

    def gradient(self, scores, targets):
        return sigmoid(scores) - targets

    def curvature(self, scores, targets):  # noqa: ARG002
        p = sigmoid(scores)
        return p * (1.0 - p)

    def both(self, scores, targets):
        power = np.exp(-np.abs(scores))
        value = np.maximum(scores, 0.0) - targets * scores + np.log1p(power)
        return value, sigmoid_of_power(scores, power) - targets


@dataclass(frozen=True)
class Softmax(Loss):
    """The negative log-likelihood of a class, where probabilities go as the exponentials of the scores."""

    def value(self, scores, targets):
        return self.both(scores, targets)[0]

    def gradient(self, scores, targets):
        return self.both(scores, targets)[1]

    def curvature(self, scores, targets):  # noqa: ARG002
        p = softmax(scores)
        return p * (1.0 - p)

    def both(self, scores, targets):
        rows = np.arange(len(scores))
        shifted = scores - scores.max(axis=1, keepdims=True)
        right = shifted[rows, targets]
        powers = np.exp(shifted, out=shifted)
        total = powers.sum(axis=1)
        powers /= total[:, None]
        powers[rows, targets] -= 1.0
        return np.log(total) - right, powers
