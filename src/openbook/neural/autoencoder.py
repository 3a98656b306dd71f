r"""Autoencoders: a network that reproduces its own inputs through a narrow layer, the code.

    x → hidden layers → code → hidden layers, mirrored → x̂,      ½ Σ (x̂ - x)² made small

over the encoded columns. `transform` gives the code, a projection as principal components are, but curved;
`inverse_transform` goes from there back to a table. Missing cells count as the Encoding says, so that what
comes back has them filled.

code : float64 (n_rows, hidden_layer_sizes[-1])
"""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from openbook.border.unsupervised import Unsupervised
from openbook.errors import DataError, ParameterError
from openbook.neural.derive import derive_row
from openbook.neural.derive_learning import derive_model
from openbook.neural.outputs import Distance
from openbook.neural.trained import RULES, Trained

__all__ = ["Autoencoder"]


class Autoencoder(Trained, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Unsupervised):
    """An autoencoder: a network that reproduces its inputs through a narrow layer, the code.

    Parameters
    ----------
    hidden_layer_sizes : sequence of int
        The units of each layer down to the code, which is the last; the layers back up mirror them.
    activation : "tanh", "sigmoid", "relu", "sign" or "identity"
        With "identity" and one layer, the code spans the same space as the principal components.
    solver, learning_rate_init, momentum, learning_rate, decay, batch_size, max_iter, tol, n_iter_no_change,
    alpha, early_stopping, scale, precision, random_state
        As for `MLPClassifier`.

    Attributes
    ----------
    schema_, encoding_ : the columns, and how they become inputs
    weights_, biases_ : an array for each layer
    loss_curve_, validation_curve_, best_epoch_, ending_ : as for `MLPClassifier`

    References
    ----------
    Hinton and Salakhutdinov (2006), Reducing the dimensionality of data with neural networks.

    Examples
    --------
    >>> from openbook import load
    >>> X, _ = load("iris").split("species")
    >>> code = Autoencoder(hidden_layer_sizes=(2,), random_state=0).fit_transform(X)
    >>> code.shape
    (150, 2)
    """

    _rules = {
        name: rule
        for name, rule in RULES.items()
        if name not in {"integration", "dropout", "init", "pretrain", "fit_intercept", "shuffle"}
    }

    def __init__(
        self,
        hidden_layer_sizes=(2,),
        activation="tanh",
        solver="adam",
        learning_rate_init=None,
        momentum=0.9,
        learning_rate="constant",
        decay=0.01,
        batch_size=None,
        max_iter=200,
        tol=1e-4,
        n_iter_no_change=10,
        alpha=0.0,
        early_stopping=None,
        scale=True,
        precision="float64",
        random_state=None,
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.learning_rate_init = learning_rate_init
        self.momentum = momentum
        self.learning_rate = learning_rate
        self.decay = decay
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.alpha = alpha
        self.early_stopping = early_stopping
        self.scale = scale
        self.precision = precision
        self.random_state = random_state

    def _fit(self, rows):
        if not self._hidden():
            msg = "Autoencoder: hidden_layer_sizes must name at least one layer, the code"
            raise ParameterError(msg)
        super()._fit(rows)

    def transform(self, X):
        """The code of each row, (n_rows, hidden_layer_sizes[-1])."""
        return self._each(X, self._codes)

    def _codes(self, X):
        return self._run(self._numbers(X), 0, len(self._code())).astype(np.float64)

    def inverse_transform(self, code):
        """The rows behind codes, as a table: numbers in the units of their columns, the likeliest values."""
        check_is_fitted(self)
        code = np.asarray(code, dtype=self.precision)
        if code.ndim != 2 or code.shape[1] != self._code()[-1]:
            msg = f"a code has {self._code()[-1]} columns, and this array has shape {code.shape}"
            raise DataError(msg)
        return self.encoding_.decoded(self._run(code, len(self._code()), len(self.weights_)))

    def errors(self, X):
        """The reconstruction error of each row: ½ Σ (x̂ - x)² over the encoded columns."""
        return self._each(X, self._errors)

    def _errors(self, X):
        numbers = self._numbers(X)
        back = self._run(numbers, 0, len(self.weights_))
        return self._network(self.weights_, self.biases_).output.errors(back, numbers)[0]

    def _work(self):
        return derive_model(self, self._network(self.weights_, self.biases_), "its own inputs")

    def _work_row(self, X):
        network = self._network(self.weights_, self.biases_)
        numbers = self.encoding_(X)[0].tolist()
        return derive_row(self, network, numbers, numbers, "its own inputs")

    def _decided(self, answers):  # noqa: ARG002 (of the same form for all)
        layer = len(self._code())
        return (), f"Hidden layer {layer} is the code; the output is the reconstructed row."

    def _code(self):
        """The units of the layers down to the code."""
        return super()._hidden()

    def _hidden(self):
        down = super()._hidden()
        return (*down, *down[-2::-1])

    def _output_layer(self):
        return Distance("identity"), len(self.encoding_)

    def _targets(self, X, y, w, output):  # noqa: ARG002 (of the same form for all)
        return X

    def _numbers(self, X):
        return self.encoding_(X, dtype=np.dtype(self.precision))

    def _run(self, x, first, last):
        """Through the layers from `first` up to `last`."""
        return self._network(self.weights_, self.biases_).between(x, first, last)

    @property
    def _n_features_out(self):
        return self._code()[-1]
