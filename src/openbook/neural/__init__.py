"""Networks: layers of weighted sums, learnt by passing the error back."""

from openbook.neural.autoencoder import Autoencoder
from openbook.neural.mlp import MLPClassifier, MLPRegressor

__all__ = ["Autoencoder", "MLPClassifier", "MLPRegressor"]
