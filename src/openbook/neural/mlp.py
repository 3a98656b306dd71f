r"""Multi-layer perceptrons for classification and regression.

    a_0 = x (encoded),    a_l = f(join(a_(l-1), W_l) + b_l),    ŷ = output of the last layer

trained by backpropagation: see `openbook.neural.network` for the passes, `activations`, `integration` and
`outputs` for the units, `optimisers` and `training` for the descent. Columns are encoded and scaled as
`openbook.prepare.Encoding` says, which also states what missing cells count as.

coefs_[l] : float (units of layer l, units of layer l + 1), the encoded columns being layer 0
"""

from typing import Annotated

import numpy as np

from openbook.border.learner import Classifier, Regressor, class_names
from openbook.border.rules import Maybe, OneOf
from openbook.damage import checked_array, require
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.neural.learner import NetworkLearner
from openbook.neural.outputs import CrossEntropy, Distance, Output
from openbook.words.numbers import figure
from openbook.work import Step


class MLPClassifier(NetworkLearner, Classifier):
    """A multi-layer perceptron (neural network) for classification, trained by backpropagation.

    Parameters
    ----------
    hidden_layer_sizes : sequence of int, default=(32,)
        The units of each hidden layer; none for no hidden layer.
    activation : {"tanh", "logistic", "relu", "step", "sign", "identity"} or sequence, default="tanh"
        The activation function of the hidden units, or one for each hidden layer. The slopes of "step" (0 or
        1) and "sign" (-1 or 1) are taken to be 1.
    steepness : float, default=1.0
        How steep logistic (sigmoid) hidden units are: 1 / (1 + e^(-steepness z)).
    integration : {"sum", "quadratic", "spherical"}, default="sum"
        How the hidden units join their inputs: Σ w x, Σ w x² or Σ (x - w)² / d. The output adds up.
    output : {"logistic", "softmax", "tanh", "sign", "identity"} or None, default=None
        The output units. None for logistic for two classes and for the squared loss, else softmax.
    loss : {"cross_entropy", "squared"} or None, default=None
        The loss; None for cross-entropy.
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
    max_iter : int, default=100
        The most epochs: how often to go through the rows. 0 learns nothing and keeps the starting weights.
    tol : float, default=0.0001
        Training ends when the loss has not fallen by this share for `n_iter_no_change` epochs.
    n_iter_no_change : int, default=10
        The epochs without improvement before training ends.
    alpha : float, default=1.0
        The L2 penalty ½ alpha Σ w² / n, added to the mean loss of the n rows of a batch.
    dropout : float, default=0.0
        The share of hidden units that are silent in an update, drawn anew each time.
    early_stopping : bool, default=False
        Whether some rows are held out. Training then ends when their loss has stopped falling, and the
        weights of the best epoch are kept.
    validation_fraction : float, default=0.1
        The share of rows that early stopping holds out.
    coefs_init : list of array-like or None, default=None
        The weights to start from, an array for each layer in the shape of `coefs_`; None draws them.
    intercepts_init : list of array-like or None, default=None
        The initial biases, with `coefs_init`; None for 0.
    pretrain : int, default=0
        Epochs for which every hidden layer first learns to reproduce its inputs, as an autoencoder.
    unlabelled : rows or None, default=None
        More rows, without a target, for pre-training. The model file does not keep them.
    fit_intercept : bool, default=True
        Whether units have biases.
    shuffle : bool, default=True
        Whether each epoch draws an order of the rows; else they come as given.
    scale : bool, default=True
        Whether numeric columns are scaled to mean 0 and standard deviation 1.
    precision : {"float64", "float32"}, default="float64"
        The type of the numbers; float32 is faster on large networks.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coefs_ : list of ndarray
        The weights, an array (units of layer l, units of layer l + 1) for each layer.
    intercepts_ : list of ndarray
        The biases of each layer.
    encoding_ : Encoding
    n_iter_ : int
        The number of epochs.
    loss_curve_ : ndarray of shape (n_iter_,)
        The mean loss of each epoch, the penalty included.
    loss_ : float
        The mean loss of the last epoch.
    best_loss_ : float
        The least mean loss of an epoch.
    n_layers_ : int
        The number of layers, those of the inputs and of the outputs included.
    n_outputs_ : int
        The number of output units.
    out_activation_ : str
        The activation of the output units.
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
    Rumelhart, Hinton and Williams (1986), Learning representations by back-propagating errors.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> model = MLPClassifier(hidden_layer_sizes=(8,), random_state=0).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.97
    """

    output: Annotated[str | None, Maybe(OneOf("logistic", "softmax", "tanh", "sign", "identity"))] = None
    loss: Annotated[str | None, Maybe(OneOf("cross_entropy", "squared"))] = None

    def _output_layer(self):
        n_classes = len(self.classes_)
        output: Output
        if self.loss == "squared":
            output = Distance(self.output or "logistic")
        elif self.output in {None, "logistic", "softmax"}:
            output = CrossEntropy(self.output or ("logistic" if n_classes == 2 else "softmax"))
        else:
            raise ParameterError(
                f"MLPClassifier: cross-entropy needs probabilities, and {self.output} units give none;"
                " take loss='squared', or logistic or softmax units"
            )
        return output, output.units(n_classes)

    def _targets(self, X, y, w, output):  # noqa: ARG002 (of the same form for all)
        return output.coded(y, len(self.classes_), np.dtype(self.precision))

    def _proba(self, X):
        output, _ = self._output_layer()
        return output.probabilities(self._scores(X), len(self.classes_))

    def _target_answers(self, truth):
        labels = class_names(self)
        if as_text(truth) not in labels:
            raise DataError(f"no class {truth!r}. {did_you_mean(as_text(truth), labels)}")
        output, units = self._output_layer()
        c, unit_classes = labels.index(as_text(truth)), range(len(labels))[-units:]
        return [output.activation.high if k == c else output.activation.low for k in unit_classes]

    def _decided(self, answers):
        output, units = self._output_layer()
        low, high = output.activation.low, output.activation.high
        names = [f"P({self.target_} = {as_text(label)} | x)" for label in self.classes_.tolist()]
        shares = [min(max((o - low) / (high - low), 0.0), 1.0) for o in answers]
        formula = r"\frac{o + 1}{2}" if low else "o"
        note = "limited to 0 to 1" if output.activation.name == "identity" else ""
        if units < len(names):
            yes, no = shares[0], 1.0 - shares[0]
            steps = [
                Step(names[0], rf"1 - {formula}", f"1 - {figure(yes)}", no, note),
                Step(names[1], formula, "", yes, note),
            ]
            shares = [no, yes]
        else:
            total = sum(shares) or len(shares)
            shares = [share / total if any(shares) else 1.0 / total for share in shares]
            formula = "o_k" if output.activation.name == "softmax" else r"\frac{p_k}{\sum_j p_j}"
            note = "" if formula == "o_k" else f"p = {'(o + 1) / 2' if low else 'o'}, from 0 to 1"
            steps = [Step(name, formula, "", share, note) for name, share in zip(names, shares, strict=True)]
        best = as_text(self.classes_.tolist()[shares.index(max(shares))])
        return steps, f"Most probable: {self.target_} = {best}."


class MLPRegressor(NetworkLearner, Regressor):
    """A multi-layer perceptron (neural network) for regression, trained by backpropagation.

    Parameters
    ----------
    hidden_layer_sizes : sequence of int, default=(32,)
        The units of each hidden layer; none for no hidden layer.
    activation : {"tanh", "logistic", "relu", "step", "sign", "identity"} or sequence, default="tanh"
        The activation function of the hidden units, or one for each hidden layer. The slopes of "step" (0 or
        1) and "sign" (-1 or 1) are taken to be 1.
    steepness : float, default=1.0
        How steep logistic (sigmoid) hidden units are: 1 / (1 + e^(-steepness z)).
    integration : {"sum", "quadratic", "spherical"}, default="sum"
        How the hidden units join their inputs: Σ w x, Σ w x² or Σ (x - w)² / d. The output adds up.
    output : {"identity", "logistic", "tanh", "sign", "relu"} or None, default=None
        The output unit; None for identity, and then targets are scaled like columns.
    loss : {"squared", "huber"} or None, default=None
        The loss; None for squared. Huber's is linear beyond 1 (a standard deviation, if targets are scaled),
        which limits the influence of outliers.
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
    max_iter : int, default=100
        The most epochs: how often to go through the rows. 0 learns nothing and keeps the starting weights.
    tol : float, default=0.0001
        Training ends when the loss has not fallen by this share for `n_iter_no_change` epochs.
    n_iter_no_change : int, default=10
        The epochs without improvement before training ends.
    alpha : float, default=1.0
        The L2 penalty ½ alpha Σ w² / n, added to the mean loss of the n rows of a batch.
    dropout : float, default=0.0
        The share of hidden units that are silent in an update, drawn anew each time.
    early_stopping : bool, default=False
        Whether some rows are held out. Training then ends when their loss has stopped falling, and the
        weights of the best epoch are kept.
    validation_fraction : float, default=0.1
        The share of rows that early stopping holds out.
    coefs_init : list of array-like or None, default=None
        The weights to start from, an array for each layer in the shape of `coefs_`; None draws them.
    intercepts_init : list of array-like or None, default=None
        The initial biases, with `coefs_init`; None for 0.
    pretrain : int, default=0
        Epochs for which every hidden layer first learns to reproduce its inputs, as an autoencoder.
    unlabelled : rows or None, default=None
        More rows, without a target, for pre-training. The model file does not keep them.
    fit_intercept : bool, default=True
        Whether units have biases.
    shuffle : bool, default=True
        Whether each epoch draws an order of the rows; else they come as given.
    scale : bool, default=True
        Whether numeric columns and the target are scaled to mean 0 and standard deviation 1.
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
    loss_ : float
        The mean loss of the last epoch.
    best_loss_ : float
        The least mean loss of an epoch.
    n_layers_ : int
        The number of layers, those of the inputs and of the outputs included.
    n_outputs_ : int
        The number of output units.
    out_activation_ : str
        The activation of the output units.
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
    target_mean_ : float
        Subtracted from the target; 0 if it is not scaled.
    target_scale_ : float
        The divisor of the target; 1 if it is not scaled.

    Notes
    -----
    Guide: docs/guide/networks.md

    References
    ----------
    Rumelhart, Hinton and Williams (1986), Learning representations by back-propagating errors.

    Examples
    --------
    >>> X = [[x / 10] for x in range(-20, 21)]
    >>> model = MLPRegressor(max_iter=500, random_state=0).fit(X, [x * x for [x] in X])
    >>> round(float(model.predict([[1.5]])[0]), 1)  # 2.25
    2.2
    """

    output: Annotated[str | None, Maybe(OneOf("identity", "logistic", "tanh", "sign", "relu"))] = None
    loss: Annotated[str | None, Maybe(OneOf("squared", "huber"))] = None

    def _output_layer(self):
        return Distance(self.output or "identity", huber=self.loss == "huber"), 1

    def _targets(self, X, y, w, output):  # noqa: ARG002
        self.target_mean_, self.target_scale_ = 0.0, 1.0
        if self.scale and output.activation.name == "identity":
            self.target_mean_ = float(np.average(y, weights=w))
            deviation = float(np.sqrt(np.average((y - self.target_mean_) ** 2, weights=w)))
            self.target_scale_ = deviation or 1.0
        return ((y - self.target_mean_) / self.target_scale_).astype(self.precision)[:, None]

    def _predict(self, X):
        output, _ = self._output_layer()
        return self.target_mean_ + self.target_scale_ * output.answers(self._scores(X))[:, 0]

    def _target_answers(self, truth):
        try:
            number = float(truth)
        except (TypeError, ValueError):
            msg = f"target {self.target_!r} is a number, and the truth given is {truth!r}"
            raise DataError(msg) from None
        return [(number - self.target_mean_) / self.target_scale_]

    def _decided(self, answers):
        predicted = self.target_mean_ + self.target_scale_ * answers[0]
        if (self.target_mean_, self.target_scale_) == (0.0, 1.0):
            step = Step(self.target_, "o", "", predicted)
        else:
            mean, scale = figure(self.target_mean_), figure(self.target_scale_)
            numbers = rf"{mean} + {scale} \cdot ({figure(answers[0])})"
            note = "targets are scaled to mean 0 and standard deviation 1"
            step = Step(self.target_, r"\bar{y} + s_y o", numbers, predicted, note)
        return [step], f"Predicted: {self.target_} = {figure(predicted)}."

    def _arrays(self):
        return {**super()._arrays(), "target": np.array([self.target_mean_, self.target_scale_])}

    def _restore(self, arrays):
        self.target_mean_, self.target_scale_ = checked_array(arrays, "target", float, (2,)).tolist()
        require(self.target_scale_ > 0, "the scale of its target must be above zero")
        super()._restore(arrays)
