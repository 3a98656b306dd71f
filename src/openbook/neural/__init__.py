"""Neural networks, trained by backpropagation."""

from openbook.elsewhere import look_elsewhere
from openbook.neural.autoencoder import Autoencoder
from openbook.neural.mlp import MLPClassifier, MLPRegressor
from openbook.neural.picture import draw_activations

__all__ = ["Autoencoder", "MLPClassifier", "MLPRegressor", "draw_activations"]

__getattr__ = look_elsewhere(__name__)
