r"""Activations: the answer a of a unit, as a function of the weighted sum z of its inputs.

    sign       +1 where z ≥ 0, else -1     its slope is taken to be 1: the error goes straight through
    step       1 where z ≥ 0, else 0       the same
    logistic   1 / (1 + e^(-s z))          s a (1 - a), with the steepness s, 1 by default
    tanh       tanh z                      1 - a²
    ReLU       max(0, z)                   1 if a > 0, else 0
    identity   z                           1
    softmax    e^(z_k) / Σ e^(z_j)         a_k (g_k - Σ a_j g_j) for the error g

a is the unit's answer, from which every slope follows. A rounding error counts as zero, so that it
does not decide a sign.

z, a, delta : float (n_rows, n_units), changed in place
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from openbook.measures.scores import sigmoid, softmax
from openbook.words.numbers import figure


class Activation(NamedTuple):
    """An activation, in place: `apply` makes z the answer, `slope` multiplies an error by the slope there.

    The formulas are for derivations; `low` and `high` are the answers for no and yes.
    """

    name: str
    apply: Callable[[np.ndarray], None]
    slope: Callable[[np.ndarray, np.ndarray], None]
    formula: str
    slope_formula: str
    low: float = 0.0
    high: float = 1.0
    steepness: float = 1.0


def rounding(dtype):
    """Numbers no further from zero than this count as zero: they are rounding errors."""
    return 1e-12 if dtype == np.float64 else 1e-5


def _sign(z):
    np.copyto(z, np.where(z >= -rounding(z.dtype), 1.0, -1.0))


def _step(z):
    np.copyto(z, z >= -rounding(z.dtype))


def _sigmoid(steepness, z):
    np.copyto(z, sigmoid(z, steepness))


def _sigmoid_slope(steepness, a, delta):
    delta *= a
    delta *= 1.0 - a
    if steepness != 1:
        delta *= steepness


def _tanh(z):
    np.tanh(z, out=z)


def _tanh_slope(a, delta):
    delta *= 1.0 - a * a


def _relu(z):
    np.maximum(z, 0.0, out=z)


def _relu_slope(a, delta):
    delta *= a > 0.0


def _softmax(z):
    np.copyto(z, softmax(z))


def _softmax_slope(a, delta):
    delta -= (a * delta).sum(axis=1, keepdims=True)
    delta *= a


def _as_it_is(*_):
    """Change nothing."""


def steep_sigmoid(steepness):
    """The sigmoid with a steepness: the larger, the more like a step."""
    times = "" if steepness == 1 else f"{figure(float(steepness))} "
    return Activation(
        "logistic",
        partial(_sigmoid, steepness),
        partial(_sigmoid_slope, steepness),
        rf"\frac{{1}}{{1 + e^{{-{times}z}}}}",
        f"{times}a (1 - a)",
        steepness=float(steepness),
    )


ACTIVATIONS = {
    each.name: each
    for each in (
        Activation("sign", _sign, _as_it_is, r"\operatorname{sign}(z)", "1", -1.0, 1.0),
        Activation("step", _step, _as_it_is, r"[z \ge 0]", "1"),
        steep_sigmoid(1.0),
        Activation("tanh", _tanh, _tanh_slope, r"\tanh z", "1 - a^2", -1.0, 1.0),
        Activation("relu", _relu, _relu_slope, r"\max(0, z)", r"[a > 0]"),
        Activation("identity", _as_it_is, _as_it_is, "z", "1"),
        Activation("softmax", _softmax, _softmax_slope, r"\frac{e^{z_k}}{\sum_j e^{z_j}}", ""),
    )
}

#: The activations of hidden layers; softmax joins units, and belongs at the end.
HIDDEN = ("sign", "step", "logistic", "tanh", "relu", "identity")
