"""What classifiers and regressors by network share: their parameters, and the work of a row."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Learner
from openbook.border.rules import Anything, Number, OneOf, Whole
from openbook.data import Table, read
from openbook.errors import ParameterError
from openbook.neural.derive import derive_row
from openbook.neural.derive_learning import derive_model
from openbook.neural.integration import INTEGRATIONS
from openbook.neural.trained import MoreRows, Trained


class NetworkLearner(Trained, Learner):
    """A learner that is a network; see `MLPClassifier`."""

    steepness: Annotated[float, Number(above=0)] = 1.0
    integration: Annotated[str, OneOf(*INTEGRATIONS)] = "sum"
    output: str | None = None
    loss: str | None = None
    dropout: Annotated[float, Number(at_least=0, at_most=0.9)] = 0.0
    coefs_init: Annotated[Any, Anything("None, or an array of weights for each layer")] = None
    intercepts_init: Annotated[Any, Anything("None, or an array of biases for each layer")] = None
    pretrain: Annotated[int, Whole(0)] = 0
    unlabelled: Annotated[Any, MoreRows()] = None
    fit_intercept: bool = True
    shuffle: bool = True

    _counts_rows = True
    _takes_means = True
    _takes_clear_values = True  # it learns a weight for each, beside the other columns

    def knobs(self):
        return {"hidden_layer_sizes": ((8,), (32,), (64, 32)), "alpha": (0.1, 1.0, 10.0)}

    @property
    def loss_(self):
        return float(self.loss_curve_[-1])

    @property
    def best_loss_(self):
        return float(np.min(self.loss_curve_))

    @property
    def n_layers_(self):
        return len(self.coefs_) + 1

    @property
    def n_outputs_(self):
        return self.coefs_[-1].shape[1]

    @property
    def out_activation_(self):
        return self._output_layer()[0].activation.name

    @abstractmethod
    def _target_answers(self, truth):
        """What each output unit should say of a row whose target is `truth`."""

    @abstractmethod
    def _decided(self, answers):
        """The steps from the output units' answers to the prediction, and the sentence that states it."""

    def hidden(self, X, layer=None):
        """What the hidden units say of rows: the columns that the network made for itself.

        Parameters
        ----------
        X : table-like or Scan
        layer : int or None, default=None
            The hidden layer, from 1; None for the last.

        Returns
        -------
        ndarray of shape (n_rows, units of the layer)
        """
        check_is_fitted(self)
        layers = len(self.coefs_) - 1
        wanted = layers if layer is None else layer
        if not (isinstance(wanted, int | np.integer) and 1 <= wanted <= layers):
            msg = f"{type(self).__name__}: layer must lie between 1 and {layers}, got {layer!r}"
            raise ParameterError(msg)
        return self._each(X, partial(self._hidden_answers, int(wanted)))

    def _hidden_answers(self, layer, X):
        return self._fitted_network().between(self._numbers(X), 0, layer)

    def _scores(self, X):
        """The sums of the last layer for encoded rows."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.nan_to_num(self._fitted_network().scores(self._numbers(X)))

    def work(self, row=None, truth=None):
        """Show the work: how the network was learnt or, for a row, its forward pass.

        Where the row's target is known, in a column of its name or as `truth`, the error goes back as well:
        the loss, the error of every unit, and the update that this row alone would make.

        Parameters
        ----------
        row : mapping, Series, table, frame or sequence, default=None
            One row to predict, which may hold the target too. None shows how the network was learnt.
        truth : label or float, default=None
            The class or number of the row; None if it is not known, or in a column of the row.

        Returns
        -------
        Work
        """
        check_is_fitted(self)
        if row is None:
            return self._work()
        if truth is None:
            row, truth = self._row_and_truth(row)
        return self._work_row(self._one_row(row), truth)

    def _row_and_truth(self, row):
        """The row without its target, and the target, or None if it is not there or missing."""
        if isinstance(row, Mapping) or (np.ndim(row) == 1 and hasattr(row, "keys")):
            row = dict(row)
            truth = row.pop(self.target_, None)
        elif isinstance(row, list | tuple | np.ndarray):
            return row, None
        else:
            row = row if isinstance(row, Table) else read(row)
            truth = row.column(self.target_)[0] if self.target_ in row.schema and len(row) == 1 else None
        return row, None if truth != truth else truth  # noqa: PLR0124 (NaN is no truth)

    def _work(self):
        return derive_model(self, self._fitted_network(), self.target_)

    def _work_row(self, X, truth=None):
        wanted = None if truth is None else self._target_answers(truth)
        numbers = self.encoding_(X)[0].tolist()
        return derive_row(self, self._fitted_network(), numbers, wanted, self.target_)
