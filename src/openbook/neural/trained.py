r"""What every trained network shares: its parameters' rules, its rows, the weights at first, the model file.

    table → Encoding → (n, d) → network → (n, units)

The rows are gathered in memory, encoded, in the precision asked for: batches are drawn from all of them.
Missing cells and unseen values are the Encoding's affair.
"""

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Annotated, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.base import Estimator
from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Maybe, Number, OneOf, Whole, WordOr
from openbook.damage import checked_array
from openbook.data import read
from openbook.data.conform import conform
from openbook.draw.charts import line_chart
from openbook.errors import InterruptedFit, ParameterError
from openbook.neural.activations import ACTIVATIONS, HIDDEN, steep_sigmoid
from openbook.neural.integration import INTEGRATIONS
from openbook.neural.network import Network, Parameters, drawn_weights
from openbook.neural.optimisers import SCHEDULES, SOLVERS, usual_rate
from openbook.neural.picture import draw_layers
from openbook.neural.pretraining import pretrain
from openbook.neural.training import Settings, TrainingRows, TrainingRun
from openbook.prepare.encoding import Encoding, encoded_rows
from openbook.words.sentences import plural


@dataclass(frozen=True)
class Sizes(Anything):
    """How many units each hidden layer has; one whole number is one layer."""

    what: str = "a sequence of whole numbers of at least 1, one for each hidden layer"

    def allows(self, value):
        sizes = (value,) if isinstance(value, Integral) else value
        return isinstance(sizes, list | tuple) and all(Whole(1).allows(size) for size in sizes)

    def from_json(self, record):
        return tuple(record) if isinstance(record, list) else record


@dataclass(frozen=True)
class HiddenActivations(Sizes):
    """An activation for all hidden layers, or one for each."""

    what: str = f"one of {', '.join(map(repr, HIDDEN))}, or a sequence of them, one for each hidden layer"

    def allows(self, value):
        names = (value,) if isinstance(value, str) else value
        return isinstance(names, list | tuple) and all(isinstance(n, str) and n in HIDDEN for n in names)


@dataclass(frozen=True)
class MoreRows(Anything):
    """Rows without a target; the model file does not keep them."""

    what: str = "None, or rows without a target"

    def to_json(self, value):  # noqa: ARG002
        return None


def settings_of(learner, **others):
    """How a learner's parameters say to train."""
    declared = {name: getattr(learner, name) for name in Settings._fields}
    step = learner.learning_rate_init or usual_rate(learner.solver, learner.momentum)
    return Settings(**{**declared, "learning_rate_init": step, **others})


class Trained(Declared, Estimator):
    """An estimator that is a network: see `MLPClassifier` for what its parameters mean."""

    hidden_layer_sizes: Annotated[Any, Sizes()] = (32,)
    activation: Annotated[Any, HiddenActivations()] = "tanh"
    solver: Annotated[str, OneOf(*SOLVERS)] = "adam"
    learning_rate_init: Annotated[float | None, Maybe(Number(above=0))] = None
    momentum: Annotated[float, Number(at_least=0, at_most=1)] = 0.0
    nesterovs_momentum: bool = True
    learning_rate: Annotated[str, OneOf(*SCHEDULES)] = "constant"
    decay: Annotated[float, Number(at_least=0)] = 0.01
    power_t: Annotated[float, Number(at_least=0)] = 0.5
    batch_size: Annotated[int | str, WordOr(Whole(1), "auto")] = "auto"
    max_iter: Annotated[int, Whole(0)] = 100
    tol: float = 1e-4
    n_iter_no_change: Annotated[int, Whole(1)] = 10
    alpha: float = 1.0
    early_stopping: bool = False
    validation_fraction: Annotated[float, Number(above=0, at_most=0.5)] = 0.1
    scale: bool = True
    precision: Annotated[str, OneOf("float64", "float32")] = "float64"
    random_state: Any = None

    # What an estimator without these parameters goes by.
    integration, steepness, dropout, pretrain = "sum", 1.0, 0.0, 0
    unlabelled = coefs_init = intercepts_init = None
    fit_intercept = shuffle = True

    @abstractmethod
    def _output_layer(self):
        """The Output, and how many units it has."""

    @abstractmethod
    def _targets(self, X, y, w, output):
        """The targets as the Output takes them; may remember how they are scaled."""

    def _fit(self, rows):
        """Learn from rows, and say so if that was interrupted."""
        random = check_random_state(self.random_state)
        self.encoding_ = Encoding.of(rows, scale=self.scale)
        output, _ = self._output_layer()
        X, y, w = encoded_rows(rows, self.encoding_, np.dtype(self.precision))
        settings = settings_of(self, alpha=self.alpha * len(X) / float(w.sum()))  # for weights of mean 1
        w = None if w.min() == w.max() else w / w.mean()
        self.learning_rate_init_ = settings.learning_rate_init
        with np.errstate(over="ignore", invalid="ignore"):  # training checks for numbers that are not finite
            parameters = self._start(X, settings, random)
            network = self._network(parameters.weights, parameters.biases)
            weights = None if w is None else w.astype(X.dtype)
            examples = TrainingRows(X, self._targets(X, y, w, output), weights)
            history = TrainingRun(network, parameters, examples, settings, random, type(self).__name__).run()
        self.coefs_ = [weights.copy() for weights in parameters.weights]
        self.intercepts_ = [biases.copy() for biases in parameters.biases]
        self.loss_curve_ = np.array(history.loss)
        self.validation_curve_ = np.array(history.validation)
        self.trace_ = np.array(history.trace, dtype=float).reshape(-1, len(parameters.vector))
        self.gradients_ = np.array(history.gradients, dtype=float).reshape(-1, len(parameters.vector))
        self.best_epoch_, self.ending_ = history.best, history.ending
        if history.interrupted:
            message = f"{type(self).__name__}: {history.ending}; the model has the weights of that moment"
            warnings.warn(message, InterruptedFit, stacklevel=4)

    def _sizes(self):
        """The units of every layer, the encoded columns first."""
        return (len(self.encoding_), *self._hidden(), self._output_layer()[1])

    def _hidden(self):
        """The units of every hidden layer."""
        sizes = self.hidden_layer_sizes
        return (sizes,) if isinstance(sizes, Integral) else tuple(sizes)

    def _activations(self):
        """The Activation of each hidden layer."""
        hidden = len(self._sizes()) - 2
        names = (self.activation,) * hidden if isinstance(self.activation, str) else tuple(self.activation)
        if len(names) != hidden:
            raise ParameterError(
                f"{type(self).__name__}: activation lists {plural(len(names), 'activation')}, but there are"
                f" {plural(hidden, 'hidden layer')}; give one for each, or one name for all"
            )
        steep = {"logistic": steep_sigmoid(self.steepness)}
        return [steep.get(name, ACTIVATIONS[name]) for name in names]

    def _fitted_network(self):
        return self._network(self.coefs_, self.intercepts_)

    def _numbers(self, X):
        """The rows of a table as the network takes them."""
        return self.encoding_(X, dtype=np.dtype(self.precision))

    def _network(self, weights, biases):
        output, _ = self._output_layer()
        return Network(weights, biases, self._activations(), INTEGRATIONS[self.integration], output)

    def _start(self, X, settings, random):
        """The weights to start from: given, or drawn and, if asked, pretrained."""
        sizes = self._sizes()
        if self.coefs_init is not None:
            return given_parameters(self, sizes, X.dtype)
        parameters = drawn_weights(sizes, self._activations(), self.integration, random, X.dtype)
        if not self.fit_intercept:
            parameters.vector[len(parameters.penalised) :] = 0.0
        if self.pretrain:
            network = self._network(parameters.weights, parameters.biases)
            pretrain(network, self._all_inputs(X), settings, self.pretrain, random)
        elif self.unlabelled is not None:
            msg = f"{type(self).__name__}: unlabelled rows take part in pre-training only; set pretrain=20"
            raise ParameterError(msg)
        return parameters

    def _all_inputs(self, X):
        """The inputs of the rows learnt from, and of those without a target."""
        if self.unlabelled is None:
            return X
        unlabelled = conform(read(self.unlabelled), self.schema_, type(self).__name__)
        return np.vstack([X, self.encoding_(unlabelled, dtype=X.dtype)])

    def draw(self):
        """The training curve: the loss after each epoch, of the rows held out too where there are any.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        if not len(self.loss_curve_):
            raise ParameterError("no epoch was trained, so there is no training curve; raise max_iter")
        curves = {"training rows": self.loss_curve_, "rows held out": self.validation_curve_}
        lines = {name: (np.arange(1, len(y) + 1), y) for name, y in curves.items() if len(y)}
        return line_chart("Training curve", ("epoch", "mean loss"), lines, (f"Ended: {self.ending_}.",))

    def draw_network(self):
        """The network as a schematic: units in layers, lines as thick as their weights.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        return draw_layers(self)

    def complexity(self):
        """The number of weights and biases.

        Returns
        -------
        int
        """
        shown = [*self.coefs_, *(self.intercepts_ if self.fit_intercept else ())]
        return int(sum(array.size for array in shown))

    @property
    def n_iter_(self):
        """The number of epochs."""
        return len(self.loss_curve_)

    _saved_facts = {"best_epoch": int, "ending": str}

    def _arrays(self):
        return {
            **self.encoding_.arrays("encoding."),
            **{f"weights.{i}": array for i, array in enumerate(self.coefs_)},
            **{f"biases.{i}": array for i, array in enumerate(self.intercepts_)},
            "loss_curve": self.loss_curve_,
            "validation_curve": self.validation_curve_,
            "trace": self.trace_,
            "gradients": self.gradients_,
        }

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        pairs = list(pairwise(self._sizes()))
        layers = {f"{kind}.{i}" for kind in ("weights", "biases") for i in range(len(pairs))}
        if odd := {name for name in arrays if name.startswith(("weights", "biases"))} - layers:
            raise ValueError(f"array {min(odd)!r} belongs to no layer")
        dtype = np.dtype(self.precision)
        by_layer = list(enumerate(pairs))
        self.coefs_ = [checked_array(arrays, f"weights.{i}", dtype, pair) for i, pair in by_layer]
        self.intercepts_ = [checked_array(arrays, f"biases.{i}", dtype, pair[1:]) for i, pair in by_layer]
        self.learning_rate_init_ = settings_of(self).learning_rate_init
        size = sum(a * b + b for a, b in pairs)
        shapes = {"loss_curve": (), "validation_curve": (), "trace": (size,), "gradients": (size,)}
        for name, width in shapes.items():
            shape = (len(arrays[name]), *width)
            setattr(self, f"{name}_", checked_array(arrays, name, float, shape))


def given_parameters(learner, sizes, dtype):
    """The starting weights and biases that a learner was given, as Parameters of those sizes."""
    parameters, who = Parameters(sizes, dtype), type(learner).__name__
    for name, layers in (("coefs_init", parameters.weights), ("intercepts_init", parameters.biases)):
        arrays = getattr(learner, name)
        if arrays is None:
            continue
        if isinstance(arrays, str) or not hasattr(arrays, "__len__"):
            raise ParameterError(f"{who}: {name} must be {learner._rules[name].demand()}, got {arrays!r}")
        if len(arrays) != len(layers):
            raise ParameterError(f"{who}: {name} has {len(arrays)} layers, but the network has {len(layers)}")
        for layer, (array, target) in enumerate(zip(arrays, layers, strict=True)):
            numbers = np.asarray(array, dtype=dtype)
            if numbers.shape != target.shape or not np.isfinite(numbers).all():
                raise ParameterError(
                    f"{who}: {name} of layer {layer + 1} must be {target.shape} finite numbers,"
                    f" got {numbers.shape}"
                )
            target[:] = numbers
    return parameters
