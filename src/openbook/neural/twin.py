r"""The readable twin of the passes: one row forward and its error back, unit by unit, in plain Python.

    forward    z_k = join of the inputs x_j by the weights w_jk,  + b_k;    a_k = f(z_k)
    error      δ_k = -∂loss/∂z_k      t_k - o_k for cross-entropy, (t_k - o_k) f'(z_k) for the squared loss
    back       δ_j = f'(z_j) Σ_k δ_k ∂z_k/∂x_j
    update     w_jk ← w_jk + η δ_k ∂z_k/∂w_jk,    b_k ← b_k + η δ_k

δ has the sign of the correction, as in textbooks; the passes carry ∂loss/∂z, its opposite. What `work()`
shows is computed here, from the weights alone, and tests compare it with the passes.
"""

import math
from typing import NamedTuple

import numpy as np

from openbook.neural.activations import rounding
from openbook.neural.outputs import CrossEntropy


class Layer(NamedTuple):
    """A layer after a forward pass: what came in, the sums, the answers."""

    inputs: list[float]
    sums: list[float]
    answers: list[float]


def join(integration, x, w):
    """The terms that a unit adds up, one for each input; w are the unit's weights."""
    if integration == "quadratic":
        return [b * a * a for a, b in zip(x, w, strict=True)]
    if integration == "spherical":
        return [(a - b) ** 2 / len(x) for a, b in zip(x, w, strict=True)]
    return [b * a for a, b in zip(x, w, strict=True)]


def by_input(integration, x, w, d):
    """∂z/∂x: how a unit's sum changes with one of its d inputs."""
    if integration == "quadratic":
        return 2.0 * x * w
    return 2.0 * (x - w) / d if integration == "spherical" else w


def by_weight(integration, x, w, d):
    """∂z/∂w: how a unit's sum changes with one of its weights."""
    if integration == "quadratic":
        return x * x
    return -2.0 * (x - w) / d if integration == "spherical" else x


def network_answer(activation, sums):
    """The answers of a layer's units."""
    if activation.name == "softmax":
        powers = [math.exp(z - max(sums)) for z in sums]
        return [power / math.fsum(powers) for power in powers]
    rule = {
        "sign": lambda z: 1.0 if z >= -rounding(np.float64) else -1.0,
        "step": lambda z: 1.0 if z >= -rounding(np.float64) else 0.0,
        "logistic": lambda z: _sigmoid(activation.steepness * z),
        "tanh": math.tanh,
        "relu": lambda z: max(0.0, z),
        "identity": lambda z: z,
    }[activation.name]
    return [rule(z) for z in sums]


def _sigmoid(z):
    return 1.0 / (1.0 + math.exp(-z)) if z > -700 else 0.0


def activation_slope(activation, a):
    """f'(z) by the answer a; 1 of the identity, and by convention of sign and step."""
    slopes = {"logistic": activation.steepness * a * (1.0 - a), "tanh": 1.0 - a * a, "relu": float(a > 0.0)}
    return slopes.get(activation.name, 1.0)


def forward(network, x):
    """The layers of a network after a forward pass of one row; x is a list of its encoded cells."""
    layers, last = [], len(network.weights) - 1
    for i, (weights, biases) in enumerate(zip(network.weights, network.biases, strict=True)):
        columns, integration = weights.T.tolist(), network.integrations[i].name
        units = zip(columns, biases.tolist(), strict=True)
        sums = [math.fsum([*join(integration, x, w), b]) for w, b in units]
        activation = network.output.activation if i == last else network.activations[i]
        layers.append(Layer(x, sums, network_answer(activation, sums)))
        x = layers[-1].answers
    return layers


def loss(output, layer, targets):
    """The loss of the last layer; logarithms of answers are computed from the sums, so that none is of 0."""
    if not isinstance(output, CrossEntropy):
        return math.fsum(_distance(output, t - o) for o, t in zip(layer.answers, targets, strict=True))
    pairs = list(zip(layer.sums, targets, strict=True))
    if output.activation.name == "softmax":
        top = max(layer.sums)
        total = top + math.log(math.fsum(math.exp(z - top) for z in layer.sums))
        return math.fsum(t * (total - z) for z, t in pairs)
    return math.fsum(max(z, 0.0) - t * z + math.log1p(math.exp(-abs(z))) for z, t in pairs)


def _distance(output, error):
    near = min(abs(error), output.delta)
    return near * (abs(error) - near / 2.0)


def last_errors(output, answers, targets):
    """δ of the output's units."""
    errors = [t - o for o, t in zip(answers, targets, strict=True)]
    if isinstance(output, CrossEntropy):
        return errors
    errors = [max(-output.delta, min(output.delta, e)) for e in errors]
    if output.activation.name == "softmax":
        mean = math.fsum(o * e for o, e in zip(answers, errors, strict=True))
        return [o * (e - mean) for o, e in zip(answers, errors, strict=True)]
    return [e * activation_slope(output.activation, o) for o, e in zip(answers, errors, strict=True)]


def backward(network, layers, targets):
    """δ of every layer's units, the first hidden layer first."""
    deltas = [last_errors(network.output, layers[-1].answers, targets)]
    for i in reversed(range(1, len(layers))):
        integration, inputs = network.integrations[i].name, layers[i].inputs
        below = []
        for a, row in zip(inputs, network.weights[i].tolist(), strict=True):
            pairs = zip(deltas[0], row, strict=True)
            total = math.fsum(delta * by_input(integration, a, w, len(inputs)) for delta, w in pairs)
            below.append(activation_slope(network.activations[i - 1], a) * total)
        deltas.insert(0, below)
    return deltas
