"""Laws of backpropagation: it is the derivative of the loss, and what the derivation shows unit by unit.

The oracle is written here anew, on plain formulas, and differentiated by small differences. Sign has no
derivative; straight through means that its answer moves as its sum does: sign(z₀) + (z - z₀).
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbook.neural import twin
from openbook.neural.activations import ACTIVATIONS, HIDDEN
from openbook.neural.integration import INTEGRATIONS
from openbook.neural.network import Network, Parameters, Passes
from openbook.neural.outputs import CrossEntropy, Distance

SIZES = (3, 4, 3, 2)
ROWS = 5
FORMULAS = {
    "logistic": lambda z: 1 / (1 + np.exp(-z)),
    "tanh": np.tanh,
    "relu": lambda z: np.where(z > 0, z, 0.0),
    "identity": lambda z: z,
    "softmax": lambda z: np.exp(z) / np.exp(z).sum(axis=1, keepdims=True),
}
JOINS = {
    "sum": lambda x, W: x @ W,
    "quadratic": lambda x, W: x**2 @ W,
    "spherical": lambda x, W: ((x[:, :, None] - W) ** 2).sum(axis=1) / len(W),
}
OUTPUTS = {
    "cross-entropy of softmax": CrossEntropy("softmax"),
    "cross-entropy of sigmoid": CrossEntropy("logistic"),
    "squared sigmoid": Distance("logistic"),
    "squared softmax": Distance("softmax"),
    "squared tanh": Distance("tanh"),
    "squared relu": Distance("relu"),
    "squared sign": Distance("sign"),
    "squared identity": Distance("identity"),
    "Huber's identity": Distance("identity", huber=True),
}


class Straight:
    """Sign or step as an answer that moves with its sum: found at the first look, kept for all others."""

    def __init__(self):
        self.offsets = []

    def __call__(self, name, z, place):
        if place == len(self.offsets):
            self.offsets.append(np.where(z >= 0, 1.0, -1.0 if name == "sign" else 0.0) - z)
        return z + self.offsets[place]


def objective(parameters, activation, integration, output, X, T, w, straight, masks=None):
    """The weighted loss summed over the rows, by the formulas."""

    def answers(name, z, place):
        return straight(name, z, place) if name in ("sign", "step") else FORMULAS[name](z)

    *hidden, last = zip(parameters.weights, parameters.biases, strict=True)
    for place, (W, b) in enumerate(hidden):
        X = answers(activation, JOINS[integration](X, W) + b, place)
        X = X if masks is None else X * masks[place]
    z = X @ last[0] + last[1]
    o = answers(output.activation.name, z, len(hidden) if activation in ("sign", "step") else 0)
    if isinstance(output, CrossEntropy) and output.activation.name == "softmax":
        losses = np.logaddexp.reduce(z, axis=1) - z[np.arange(len(z)), T]
    elif isinstance(output, CrossEntropy):
        losses = (np.logaddexp(0, z) - T * z).sum(axis=1)
    else:
        e = np.abs(o - T)
        near = np.where(e <= output.delta, e**2 / 2, output.delta * (e - output.delta / 2))
        losses = near.sum(axis=1)
    return (w * losses).sum()


def differences(parameters, *given, step=1e-6):
    """The derivative by every parameter, from central differences."""
    found = np.empty_like(parameters.vector)
    for i, value in enumerate(parameters.vector.copy()):
        parameters.vector[i] = value + step
        above = objective(parameters, *given)
        parameters.vector[i] = value - step
        found[i] = (above - objective(parameters, *given)) / (2 * step)
        parameters.vector[i] = value
    return found


def case(seed, activation, integration, output):
    random = np.random.default_rng(seed)
    parameters = Parameters(SIZES)
    parameters.vector[:] = random.normal(0, 0.5, len(parameters.vector))
    network = Network(
        parameters.weights,
        parameters.biases,
        [ACTIVATIONS[activation]] * (len(SIZES) - 2),
        INTEGRATIONS[integration],
        output,
    )
    X = random.normal(size=(ROWS, SIZES[0]))
    codes = random.integers(0, 2, ROWS)
    plain = isinstance(output, CrossEntropy) and output.activation.name == "softmax"
    T = codes if plain else random.choice([output.activation.low, output.activation.high], (ROWS, 2))
    if output.activation.name == "identity":
        T = random.normal(0, 2, (ROWS, 2))
    return parameters, network, X, T, random


@pytest.mark.parametrize("integration", INTEGRATIONS)
@pytest.mark.parametrize("activation", HIDDEN)
@settings(max_examples=2)
@given(seed=st.integers(0, 10**6))
def test_the_gradient_is_the_derivative(activation, integration, seed):
    for name, output in OUTPUTS.items():
        parameters, network, X, T, random = case(seed, activation, integration, output)
        w = random.uniform(0.5, 2.0, ROWS)
        into = Parameters(SIZES)
        loss = Passes(network, ROWS).gradient(X, T, into, 1.0, row_weights=w)
        given_ = (activation, integration, output, X, T, w, Straight())
        assert loss == pytest.approx(objective(parameters, *given_), rel=1e-9), name
        expected = differences(parameters, *given_)
        np.testing.assert_allclose(into.vector, expected, rtol=1e-4, atol=1e-5 * (1 + loss), err_msg=name)


@pytest.mark.parametrize("integration", INTEGRATIONS)
@pytest.mark.parametrize("activation", HIDDEN)
@settings(max_examples=2)
@given(seed=st.integers(0, 10**6))
def test_the_derivation_is_the_gradient(activation, integration, seed):
    """The twin's sums are those of the network, and its corrections the gradient's opposites."""
    for name, output in OUTPUTS.items():
        _, network, X, T, _ = case(seed, activation, integration, output)
        layers = twin.forward(network, X[0].tolist())
        np.testing.assert_allclose(layers[-1].sums, network.scores(X[:1])[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(layers[-1].answers, output.answers(network.scores(X[:1]))[0], rtol=1e-9)
        into = Parameters(SIZES)
        loss = Passes(network, 1).gradient(X[:1], T[:1], into, 1.0)
        target = np.eye(2)[T[0]].tolist() if T.ndim == 1 else T[0].tolist()
        assert twin.loss(output, layers[-1], target) == pytest.approx(loss, rel=1e-9), name
        deltas = twin.backward(network, layers, target)
        for i, (layer, errors) in enumerate(zip(layers, deltas, strict=True)):
            np.testing.assert_allclose(into.biases[i], [-d for d in errors], rtol=1e-8, atol=1e-12)
            joined = network.integrations[i].name
            updates = [
                [
                    -delta * twin.by_weight(joined, x, network.weights[i][j, k], len(layer.inputs))
                    for k, delta in enumerate(errors)
                ]
                for j, x in enumerate(layer.inputs)
            ]
            np.testing.assert_allclose(into.weights[i], updates, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("activation", ["tanh", "relu", "logistic"])
def test_the_gradient_with_silent_units(activation):
    output = Distance("identity")
    parameters, network, X, T, _ = case(11, activation, "sum", output)
    passes = Passes(network, ROWS, dropout=0.5, random=np.random.RandomState(0))
    into = Parameters(SIZES)
    loss = passes.gradient(X, T, into, 1.0)
    masks = passes._masks
    assert {0.0, 2.0} == set(np.unique(masks[0]))  # silent, or as loud as two
    given_ = (activation, "sum", output, X, T, np.ones(ROWS), Straight(), masks)
    assert loss == pytest.approx(objective(parameters, *given_), rel=1e-9)
    np.testing.assert_allclose(into.vector, differences(parameters, *given_), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("integration", INTEGRATIONS)
def test_descent_writes_the_gradient_into_the_weights(integration):
    """Weights shrink by the penalty, biases do not, and all layers change by the old weights."""
    output = Distance("identity")
    parameters, network, X, T, _ = case(3, "tanh", integration, output)
    into = Parameters(SIZES)
    Passes(network, ROWS).gradient(X, T, into, 1.0)
    before = parameters.vector.copy()
    n = len(parameters.penalised)
    Passes(network, ROWS).gradient(X, T, parameters, -0.01, keep=0.9)
    np.testing.assert_allclose(parameters.penalised, 0.9 * before[:n] - 0.01 * into.penalised, rtol=1e-12)
    np.testing.assert_allclose(parameters.vector[n:], before[n:] - 0.01 * into.vector[n:], rtol=1e-12)


def test_sign_by_hand():
    z = np.array([[0.0, -1e-15, -1e-9, 2.0]])
    ACTIVATIONS["sign"].apply(z)
    assert z.tolist() == [[1.0, 1.0, -1.0, 1.0]]  # what rounding leaves of 0 is 0
    narrow = np.array([[-1e-6, -1e-3]], dtype=np.float32)
    ACTIVATIONS["sign"].apply(narrow)
    assert narrow.tolist() == [[1.0, -1.0]]


def test_activations_stay_finite():
    for name in ("logistic", "tanh", "softmax"):
        z = np.array([[-1e4, 0.0, 1e4]])
        ACTIVATIONS[name].apply(z)
        assert np.isfinite(z).all()
    assert twin.network_answer(ACTIVATIONS["logistic"], [-1e4, 0.0, 1e4]) == [0.0, 0.5, 1.0]
    assert twin.network_answer(ACTIVATIONS["softmax"], [-1e4, 0.0, 0.0]) == [0.0, 0.5, 0.5]


def test_integrations_by_hand():
    x, w, b = np.array([[1.0, 2.0]]), np.array([[3.0], [-1.0]]), np.array([0.5])
    expected = {"sum": 3 - 2 + 0.5, "quadratic": 3 - 4 + 0.5, "spherical": (4 + 9) / 2 + 0.5}
    for name, value in expected.items():
        z = np.empty((1, 1))
        INTEGRATIONS[name].join(x, w, b, z)
        assert z.tolist() == [[value]]
