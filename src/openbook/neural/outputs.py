r"""The last layer: its loss E, and the error ∂E/∂z from which the gradient starts.

    cross-entropy    -Σ_k t_k ln p_k       with logistic or softmax outputs   error  p - t
    squared          ½ Σ_k (o_k - t_k)²    with any output                    error  (o - t) f'(z)
    Huber            as squared within 1 of the target, a straight line beyond

Two classes share one unit, more have a unit each. Targets are 0 and 1, or -1 and +1 if the output's range
is (sign, tanh); numbers stand for themselves.

z : float (n_rows, n_units), the sums of the last layer
targets : codes (n_rows,) for softmax with cross-entropy, else float (n_rows, n_units)
"""

from abc import abstractmethod

import numpy as np

from openbook.linear.losses import Huber, Logistic, Loss, Softmax, Squared
from openbook.neural.activations import ACTIVATIONS


class Output:
    """The last layer's activation and loss."""

    def __init__(self, activation):
        self.activation = ACTIVATIONS[activation]

    def units(self, n_classes):
        """The number of output units for a number of classes."""
        return 1 if n_classes == 2 and self.activation.name != "softmax" else n_classes

    def coded(self, codes, n_classes, dtype):
        """Class codes as targets."""
        units = self.units(n_classes)
        classes = np.arange(n_classes)[-units:]  # a unit that two classes share is the second's
        return np.where(codes[:, None] == classes, self.activation.high, self.activation.low).astype(dtype)

    @abstractmethod
    def errors(self, z, targets):
        """The loss of each row (n,), and its gradient by z; z may be used up."""

    def answers(self, z):
        """What the units say, as float64."""
        z = z.astype(np.float64)
        self.activation.apply(z)
        return z

    def probabilities(self, z, n_classes):
        """The probability of each class, (n_rows, n_classes)."""
        low, high = self.activation.low, self.activation.high
        shares = np.clip((self.answers(z) - low) / (high - low), 0.0, 1.0)
        if shares.shape[1] < n_classes:
            return np.hstack([1.0 - shares, shares])
        total = shares.sum(axis=1, keepdims=True)
        return np.where(total > 0, shares, 1.0) / np.where(total > 0, total, shares.shape[1])


class CrossEntropy(Output):
    """The negative log-likelihood of the right class."""

    def coded(self, codes, n_classes, dtype):
        return codes if self.activation.name == "softmax" else super().coded(codes, n_classes, dtype)

    def errors(self, z, targets):
        if self.activation.name == "softmax":
            return Softmax().both(z, targets)
        value, delta = Logistic().both(z, targets)
        return value.sum(axis=1), delta


class Distance(Output):
    """Half the squared distance from the targets, or Huber's."""

    def __init__(self, activation, *, huber=False):
        super().__init__(activation)
        self.delta = 1.0 if huber else np.inf  # how far off the loss goes on growing as a square
        self.loss: Loss = Huber(self.delta) if huber else Squared()

    def errors(self, z, targets):
        self.activation.apply(z)
        value, delta = self.loss.both(z, targets)
        self.activation.slope(z, delta)
        return value.sum(axis=1), delta
