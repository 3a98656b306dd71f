r"""Autoencoders: a network that reproduces its own inputs through a narrow layer, the code.

    x → hidden layers → code → hidden layers, mirrored → x̂,      ½ Σ (x̂ - x)² made small

over the encoded columns. `transform` gives the code, a projection as principal components are, but curved;
`inverse_transform` goes from there back to a table. Missing cells count as the Encoding says, so that what
comes back has them filled.

code : float64 (n_rows, hidden_layer_sizes[-1])
"""

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from openbook.border.unsupervised import Unsupervised
from openbook.errors import DataError, ParameterError
from openbook.neural.derive import derive_row
from openbook.neural.derive_learning import derive_model
from openbook.neural.outputs import Distance
from openbook.neural.trained import Trained


class Autoencoder(Trained, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Unsupervised):
    """An autoencoder: a neural network that reproduces its inputs through a narrow layer, the code.

    Parameters
    ----------
    hidden_layer_sizes : sequence of int, default=(2,)
        The units of each layer down to the code, which is the last; the layers back up mirror them.
    activation : {"tanh", "logistic", "relu", "step", "sign", "identity"} or sequence, default="tanh"
        The activation function of the hidden units, or one for each layer down to the code and back up. With
        "identity" and one layer, the code spans the same space as the principal components.
    solver : {"adam", "sgd", "lbfgs"}, default="adam"
        How weights follow the gradient: Adam, stochastic gradient descent, or L-BFGS, for small tables: on
        all rows at once, without learning rate, dropout and early stopping.
    learning_rate_init : float or None, default=None
        The learning rate η at the start; None for 0.02 with Adam and with momentum, else 0.1.
    momentum : float, default=0.0
        How much of its speed stochastic gradient descent keeps; 0 is plain descent.
    nesterovs_momentum : bool, default=True
        Whether momentum is Nesterov's, or the textbook's.
    learning_rate : str, default="constant"
        How the learning rate changes from epoch to epoch. "constant", "invscaling" (divided by a power of the
        rows seen) and "adaptive" (divided by 5 where the loss has not fallen for `n_iter_no_change` epochs)
        are scikit-learn's; "inverse", "exponential" and "cosine" fall with the epochs.
    decay : float, default=0.01
        The learning rate after t epochs: η / (1 + decay t) by "inverse", η e^(-decay t) by "exponential".
    power_t : float, default=0.5
        The power of "invscaling": the learning rate after t rows is η / (1 + t)^power_t.
    batch_size : int or "auto", default="auto"
        Rows of an update. "auto" for all, if there are no more than 1,000, and else 128.
    max_iter : int, default=200
        The most epochs: how often to go through the rows. 0 learns nothing and keeps the starting weights.
    tol : float, default=0.0001
        Training ends when the loss has not fallen by this share for `n_iter_no_change` epochs.
    n_iter_no_change : int, default=10
        The epochs without improvement before training ends.
    alpha : float, default=0.0
        The L2 penalty ½ alpha Σ w² / n, added to the mean loss of the n rows of a batch.
    early_stopping : bool, default=False
        Whether some rows are held out. Training then ends when their loss has stopped falling, and the
        weights of the best epoch are kept.
    validation_fraction : float, default=0.1
        The share of rows that early stopping holds out.
    scale : bool, default=True
        Whether numeric columns are scaled to mean 0 and standard deviation 1.
    precision : {"float64", "float32"}, default="float64"
        The type of the numbers; float32 is faster on large networks.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    coefs_ : list of ndarray
        The weights, an array (units of layer l, units of layer l + 1) for each layer.
    intercepts_ : list of ndarray
        The biases of each layer.
    encoding_ : Encoding
    n_iter_ : int
        The number of epochs.
    loss_curve_ : ndarray of shape (n_iter_,)
        The mean loss of each epoch, the penalty included.
    validation_curve_ : ndarray
        The mean loss of the rows held out, after each epoch; empty without early stopping.
    best_epoch_ : int
        The epoch whose weights were kept.
    learning_rate_init_ : float
        The learning rate at the start.
    trace_ : ndarray of shape (n_updates, n_parameters)
        The weights, then the biases, after every update, where these are few numbers; else empty.
    gradients_ : ndarray of shape (n_updates, n_parameters)
        The gradient of the loss by them at every update, where it is kept; empty with dropout.
    ending_ : str
        Why training ended.

    Notes
    -----
    Guide: docs/guide/networks.md

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

    hidden_layer_sizes: Any = (2,)
    max_iter: int = 200
    alpha: float = 0.0

    def _fit(self, rows):
        if not self._hidden():
            raise ParameterError("Autoencoder: hidden_layer_sizes must name at least one layer, the code")
        super()._fit(rows)

    def transform(self, X):
        """The code of each row.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows, hidden_layer_sizes[-1])
        """
        return self._each(X, self._codes)

    def _codes(self, X):
        return self._fitted_network().between(self._numbers(X), 0, len(self._code())).astype(np.float64)

    def inverse_transform(self, code):
        """The rows behind codes: numbers in the units of their columns, and the likeliest values.

        Parameters
        ----------
        code : array-like of shape (n_rows, hidden_layer_sizes[-1])
            Codes, as `transform` gives them.

        Returns
        -------
        Table
        """
        check_is_fitted(self)
        code = np.asarray(code, dtype=self.precision)
        if code.ndim != 2 or code.shape[1] != self._code()[-1]:
            raise DataError(f"a code has {self._code()[-1]} columns, and this array has shape {code.shape}")
        numbers = self._fitted_network().between(code, len(self._code()), len(self.coefs_))
        return self.encoding_.decoded(numbers)

    def errors(self, X):
        """The reconstruction error of each row: ½ Σ (x̂ - x)² over the encoded columns.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._each(X, self._errors)

    def _errors(self, X):
        numbers, network = self._numbers(X), self._fitted_network()
        return network.output.errors(network.scores(numbers), numbers)[0]

    def _work(self):
        return derive_model(self, self._fitted_network(), "its own inputs")

    def _work_row(self, X):
        numbers = self.encoding_(X)[0].tolist()
        return derive_row(self, self._fitted_network(), numbers, numbers, "its own inputs")

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

    @property
    def _n_features_out(self):
        return self._code()[-1]
