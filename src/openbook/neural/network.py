r"""A network: layers of units, their answers going forward and their errors back.

    forward     z_l = join(a_(l-1), W_l) + b_l,    a_l = f(z_l),    a_0 = x
    back        delta_L from the loss;    delta_(l-1) = f'(z_(l-1)) · (delta_l passed back through W_l)
    gradient    ∂loss/∂W_l = a_(l-1)ᵀ delta_l,    ∂loss/∂b_l = Σ delta_l          (of a weighted sum)

The error of a layer is passed back before its weights change, so that plain descent may write the gradient
straight into the weights. All buffers are made once, for the largest batch.

W_l : float (units of layer l-1, units of layer l)    b_l : (units of layer l,)
"""

from itertools import pairwise

import numpy as np

from openbook.neural.integration import INTEGRATIONS


class Parameters:
    """The weights and biases of all layers, as views of one vector: all weights, then all biases."""

    def __init__(self, sizes, dtype=np.float64):
        self.sizes = tuple(sizes)
        pairs = list(pairwise(sizes))
        n_weights = sum(a * b for a, b in pairs)
        self.vector = np.zeros(n_weights + sum(sizes[1:]), dtype)
        self.penalised = self.vector[:n_weights]
        ends = np.cumsum([*(a * b for a, b in pairs), *sizes[1:]])
        parts = np.split(self.vector, ends[:-1])
        self.weights = [part.reshape(pair) for part, pair in zip(parts, pairs, strict=False)]
        self.biases = parts[len(pairs) :]


def drawn_weights(sizes, activations, integration, random, dtype):
    """Weights drawn so that sums neither grow nor shrink from layer to layer, and biases of 0.

    Evenly from ±√(6 / n_in) before ReLU (He), from ±√(6 / (n_in + n_out)) elsewhere (Glorot). The centres of
    spherical units are drawn like scaled data, from a normal distribution, and their biases are -2, the mean
    distance from there.
    """
    parameters = Parameters(sizes, dtype)
    hidden = len(sizes) - 2
    for layer, (weights, biases) in enumerate(zip(parameters.weights, parameters.biases, strict=True)):
        n_in, n_out = weights.shape
        if integration == "spherical" and layer < hidden:
            weights[:] = random.normal(size=weights.shape)
            biases[:] = -2.0
        else:
            relu = layer < hidden and activations[layer].name == "relu"
            bound = np.sqrt(6.0 / (n_in if relu else n_in + n_out))
            weights[:] = random.uniform(-bound, bound, weights.shape)
    return parameters


class Network:
    """Layers that share an integration, each with an activation, and an output: see `Output`.

    Parameters
    ----------
    weights, biases : an array for each layer
    activations : the Activation of each hidden layer
    integration : Integration of the hidden layers; the last layer adds up
    output : Output
    """

    def __init__(self, weights, biases, activations, integration, output):
        self.weights, self.biases = weights, biases
        self.activations, self.output = activations, output
        *hidden, _ = weights
        self.integrations = [*(integration for _ in hidden), INTEGRATIONS["sum"]]

    def scores(self, x):
        """The sums of the last layer."""
        return self.between(x, 0, len(self.weights))

    def between(self, x, first, last):
        """What x becomes in the layers first … last - 1: answers, or the sums of the last layer."""
        for layer in range(first, last):
            weights, biases = self.weights[layer], self.biases[layer]
            z = np.empty((len(x), len(biases)), weights.dtype)
            self.integrations[layer].join(x, weights, biases, z)
            if layer < len(self.weights) - 1:
                self.activations[layer].apply(z)
            x = z
        return x


class Passes:
    """Forward and back through a network, batch after batch, in buffers for at most `rows` rows."""

    def __init__(self, network, rows, *, bias=True, dropout=0.0, random=None):
        self.network, self.bias = network, bias
        self.dropout, self.random = dropout, random
        widths = [len(biases) for biases in network.biases]
        dtype = network.weights[0].dtype
        self._sums = [np.empty((rows, width), dtype) for width in widths]
        self._errors = [np.empty((rows, width), dtype) for width in widths[:-1]]

    def forward(self, x):
        """The inputs of every layer and, as the last, the sums of the output."""
        inputs, last = [x], len(self._sums) - 1
        self._masks = []
        for layer, buffer in enumerate(self._sums):
            z = buffer[: x.shape[0]]
            weights, biases = self.network.weights[layer], self.network.biases[layer]
            self.network.integrations[layer].join(inputs[-1], weights, biases, z)
            if layer < last:
                self.network.activations[layer].apply(z)
            inputs.append(self._dropped(z) if self.dropout and layer < last else z)
        return inputs

    def _dropped(self, answers):
        """The answers with some units silent, and the others louder by as much as those are missed."""
        kept = 1.0 - self.dropout
        mask = (self.random.uniform(size=answers.shape) < kept).astype(answers.dtype)
        mask /= kept
        self._masks.append(mask)
        return answers * mask

    def penalised_gradient(self, x, targets, into, parameters, alpha, row_weights):
        """Make `into` the gradient of the mean loss plus ½ alpha Σ w² / n; returns the rows' summed loss."""
        n = x.shape[0]
        loss = self.gradient(x, targets, into, 1.0 / n, None, row_weights)
        if alpha:
            into.penalised += alpha / n * parameters.penalised
        return loss

    def gradient(self, x, targets, into, scale, keep=None, row_weights=None):
        """Make `into` the gradient times `scale`, summed over the rows; returns their summed loss.

        With `keep`, `into` are the network's own parameters: weights count `keep` times, biases fully, and
        the gradient is added.
        """
        network, rows = self.network, x.shape[0]
        inputs = self.forward(x)
        losses, delta = network.output.errors(inputs.pop(), targets)
        if row_weights is not None:
            losses *= row_weights
            delta *= row_weights[:, None]
        for layer in reversed(range(len(inputs))):
            weights, integration, below = network.weights[layer], network.integrations[layer], inputs[layer]
            if layer:
                back = self._errors[layer - 1][:rows]
                integration.pass_back(below, weights, delta, back)
                if self.dropout:
                    back *= self._masks[layer - 1]
                network.activations[layer - 1].slope(self._sums[layer - 1][:rows], back)
            integration.add_gradient(below, weights, delta, into.weights[layer], scale, keep or 0.0)
            if self.bias:
                biases = into.biases[layer]
                biases *= keep is not None
                biases += scale * delta.sum(axis=0)
            if layer:
                delta = back
        return losses.sum()
