r"""Losses of scores, given the truth.

    squared         ½ (s - y)²
    Huber           ½ (s - y)² where |s - y| ≤ δ, else δ (|s - y| - δ/2)
    logistic        ln(1 + eˢ) - y s                 y in {0, 1}, or a probability
    softmax         ln Σ_k e^(s_k) - s_y             y the code of the class, s one score a class

`both` gives the loss of each row, (n,), and its gradient by the scores (as the scores); `curvature`, of the
losses of classes, the second derivative by each score, whatever the truth. At a kink the gradient is that
of the flatter side. Scores are finite; nothing overflows.

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
    def both(self, scores, targets):
        """The loss of each row and its gradient."""


class Squared(Loss):
    """Half the squared error."""

    def both(self, scores, targets):
        error = scores - targets
        return 0.5 * error**2, error


@dataclass(frozen=True)
class Huber(Loss):
    """Half the squared error near the target, and linear from `delta` on: outliers pull no more."""

    delta: float = 1.0

    def both(self, scores, targets):
        error = scores - targets
        size = np.abs(error)
        near = np.minimum(size, self.delta)
        return near * (size - 0.5 * near), np.clip(error, -self.delta, self.delta)


class Logistic(Loss):
    """The negative log-likelihood of a yes or no whose log odds are the score."""

    def both(self, scores, targets):
        power = np.exp(-np.abs(scores))
        value = np.maximum(scores, 0.0) - targets * scores + np.log1p(power)
        return value, sigmoid_of_power(scores, power) - targets

    def curvature(self, scores):
        p = sigmoid(scores)
        return p * (1.0 - p)


class Softmax(Loss):
    """The negative log-likelihood of a class, where probabilities go as the exponentials of the scores."""

    def both(self, scores, targets):
        rows = np.arange(len(scores))
        shifted = scores - scores.max(axis=1, keepdims=True)
        right = shifted[rows, targets]
        powers = np.exp(shifted, out=shifted)
        total = powers.sum(axis=1)
        powers /= total[:, None]
        powers[rows, targets] -= 1.0
        return np.log(total) - right, powers

    def curvature(self, scores):
        p = softmax(scores)
        return p * (1.0 - p)
