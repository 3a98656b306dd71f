r"""Optimisers: how weights move along the gradient g; and schedules, how the step changes with the epochs.

    sgd         w ← w - η g
                with momentum μ:    v ← μ v - η g,    w ← w + v,    or Nesterov's  w ← w + μ v - η g
    adam        m ← β₁ m + (1 - β₁) g,    v ← β₂ v + (1 - β₂) g²,    w ← w - η m̂ / (√v̂ + ε)

with β₁ = 0.9, β₂ = 0.999, ε = 1e-8, and m̂, v̂ corrected for their start at 0. L-BFGS, which takes all rows
at once, is that of the linear models (`openbook.linear.solvers`). The penalty ½ α Σ w² / n adds
α w / n to the gradient of the weights, for a batch of n rows as in scikit-learn; biases are not penalised.

    constant      η                            inverse        η / (1 + r t)
    invscaling    η / (1 + t n)^p              exponential    η e^(-r t)
    adaptive      η / 5^s                      cosine         η (1 + cos(π t / T)) / 2

after t epochs of T at most, over n rows each; r is the decay, p is power_t, and s counts how often the loss
stood still. The first column is scikit-learn's.

Moments are vectors over all parameters (P,), as `Parameters.vector`.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from openbook.neural.network import Parameters


class Descent:
    """Plain descent: the gradient is added to the weights as it is computed, without an array of its own."""

    def __init__(self, parameters, settings):
        self.into, self.alpha = parameters, settings.alpha

    def learn(self, passes, x, targets, row_weights, step):
        """Move along the gradient of the mean loss of these rows; returns their summed loss."""
        keep = 1.0 - step * self.alpha / x.shape[0]
        return passes.gradient(x, targets, self.into, -step / x.shape[0], keep, row_weights)


class _Moving:
    """Optimisers that compute the gradient first, and then move."""

    def __init__(self, parameters, settings):
        self.parameters, self.alpha = parameters, settings.alpha
        self.into = Parameters(parameters.sizes, parameters.vector.dtype)
        self.velocity = np.zeros_like(parameters.vector)

    def learn(self, passes, x, targets, row_weights, step):
        loss = passes.penalised_gradient(x, targets, self.into, self.parameters, self.alpha, row_weights)
        self.move(self.into.vector, step)
        return loss

    @abstractmethod
    def move(self, gradient, step):
        """Move along this gradient, which may be used up."""


class Momentum(_Moving):
    """Descent that keeps some of its speed; Nesterov's goes as far as the next step will begin with."""

    def __init__(self, parameters, settings):
        super().__init__(parameters, settings)
        self.momentum, self.nesterov = settings.momentum, settings.nesterovs_momentum

    def move(self, gradient, step):
        self.velocity *= self.momentum
        gradient *= step
        self.velocity -= gradient
        if self.nesterov:
            self.parameters.vector += self.momentum * self.velocity
            self.parameters.vector -= gradient
        else:
            self.parameters.vector += self.velocity


class Adam(_Moving):
    """Steps of about one size in every direction (Kingma and Ba, 2015)."""

    slow, fast, small = 0.999, 0.9, 1e-8

    def __init__(self, parameters, settings):
        super().__init__(parameters, settings)
        self.squares = np.zeros_like(self.velocity)
        self.scratch = np.empty_like(self.velocity)
        self.steps = 0

    def move(self, gradient, step):
        self.steps += 1
        start = math.sqrt(1.0 - self.slow**self.steps)
        self.velocity *= self.fast
        np.multiply(gradient, 1.0 - self.fast, out=self.scratch)
        self.velocity += self.scratch
        self.squares *= self.slow
        np.multiply(gradient, gradient, out=gradient)
        gradient *= 1.0 - self.slow
        self.squares += gradient
        np.sqrt(self.squares, out=self.scratch)
        self.scratch += self.small * start
        np.divide(self.velocity, self.scratch, out=self.scratch)
        self.scratch *= step * start / (1.0 - self.fast**self.steps)
        self.parameters.vector -= self.scratch


SOLVERS = ("adam", "sgd", "lbfgs")


def optimiser_for(parameters, settings):
    """The optimiser that settings ask for."""
    if settings.solver == "adam":
        return Adam(parameters, settings)
    return (Momentum if settings.momentum else Descent)(parameters, settings)


def usual_rate(solver, momentum):
    """The learning rate unless one is given."""
    return 0.1 if solver == "sgd" and not momentum else 0.02


#: What the step is multiplied by after t epochs of n rows.
SCHEDULES: dict[str, Callable[[Any, int, int], float]] = {
    "constant": lambda settings, t, n: 1.0,  # noqa: ARG005 (of the same form for all)
    "invscaling": lambda settings, t, n: (1.0 + t * n) ** -settings.power_t,
    "adaptive": lambda settings, t, n: 1.0,  # noqa: ARG005 (`TrainingRun` divides it where the loss stalls)
    "inverse": lambda settings, t, n: 1.0 / (1.0 + settings.decay * t),  # noqa: ARG005
    "exponential": lambda settings, t, n: math.exp(-settings.decay * t),  # noqa: ARG005
    "cosine": lambda settings, t, n: (1.0 + math.cos(math.pi * t / settings.max_iter)) / 2.0,  # noqa: ARG005
}
#: By how much an adaptive step is divided where the loss stalls, and the step that ends training.
SLOWER, SLOWEST = 5.0, 1e-6
