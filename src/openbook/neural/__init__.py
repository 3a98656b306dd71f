"""Neural networks, trained by backpropagation."""

from openbook.neural.autoencoder import Autoencoder
from openbook.neural.mlp import MLPClassifier, MLPRegressor

__all__ = ["Autoencoder", "MLPClassifier", "MLPRegressor"]
