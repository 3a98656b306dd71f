r"""Pre-training: every hidden layer first learns to reproduce its own inputs.

    layer l:    x_(l-1) → units of layer l → x_(l-1)      as an autoencoder of one hidden layer
    x_l = the units' answers, from which the next layer learns

The decoding half is thrown away; the encoding half is where training starts from (Bengio et al., 2007).

Rows without a target can take part: they have inputs to reproduce.

x_l : float (n_rows, units of layer l)
"""

from openbook.neural.network import Network, drawn_weights
from openbook.neural.outputs import Distance
from openbook.neural.training import TrainingRows, TrainingRun


def pretrain(network, X, settings, epochs, random):
    """Set the hidden layers of a network, in place, by `epochs` of training each."""
    settings = settings._replace(max_iter=epochs, early_stopping=False, dropout=0.0)
    integration = network.integrations[0]
    layers = zip(network.weights[:-1], network.biases[:-1], network.activations, strict=True)
    for weights, biases, activation in layers:
        n_in, n_out = weights.shape
        pair = drawn_weights((n_in, n_out, n_in), [activation], integration.name, random, X.dtype)
        mirror = Network(pair.weights, pair.biases, [activation], integration, Distance("identity"))
        history = TrainingRun(mirror, pair, TrainingRows(X, X), settings, random, "pre-training").run()
        if history.interrupted:  # nothing is learnt yet that could be used
            raise KeyboardInterrupt
        weights[:], biases[:] = pair.weights[0], pair.biases[0]
        X = mirror.between(X, 0, 1)
