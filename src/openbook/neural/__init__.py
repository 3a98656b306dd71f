"""Neural networks, trained by backpropagation."""

from openbook.neural.autoencoder import Autoencoder
from openbook.neural.mlp import MLPClassifier, MLPRegressor
from openbook.neural.picture import draw_activations

__all__ = ["Autoencoder", "MLPClassifier", "MLPRegressor", "draw_activations"]
