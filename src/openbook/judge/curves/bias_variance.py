"""Bias, variance and noise of a learner, over repeatedly drawn training sets.

With a generator, training sets are new rows, and the targets of the test rows are drawn repeatedly.

With data every row has one target, so noise cannot be separated from bias: noise is undefined, and the bias
contains both. (It would take several rows with the same inputs, or a generator.) Training sets are then
bootstrap samples, and each row is predicted by the models that were not fitted to it. With r models bias² is
overstated by about variance / r, and variance understated by as much; their sum is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from openbook.border.rules import Whole, check_value
from openbook.errors import DataError, ParameterError
from openbook.fold import each
from openbook.judge.curves.decomposition import BiasVariance, Loss, Method
from openbook.judge.folds.examples import Examples, RowsOfFold, Split, model_task
from openbook.judge.folds.fit_folds import predicted_by, refuse_frozen
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.judge.scores.metrics import Task
from openbook.words.parameters import documented

#: The least number of times that the targets of the rows judged are drawn.
_DRAWS = 500


@dataclass(frozen=True)
class Generator:
    """A problem that rows can be drawn from.

    Attributes
    ----------
    rows : callable
        Function of a number and a numpy Generator, to that many rows.
    target : callable
        Function of rows and a numpy Generator, to a target for each, drawn anew every time.

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> def rows(n, random):
    ...     return random.uniform(-1, 1, size=(n, 1))
    >>> def target(X, random):
    ...     return X[:, 0] ** 2 + random.normal(scale=0.1, size=len(X))
    >>> parabola = Generator(rows, target)
    """

    rows: Callable[[int, np.random.Generator], Any]
    target: Callable[[Any, np.random.Generator], Any]


@documented
def bias_variance(
    model: Any,
    X: Any,
    y: Any = None,
    loss: Loss | None = None,
    method: Method = "domingos",
    repeats: int = 100,
    random_state: int = 0,
    n_train: int = 200,
    n_test: int = 500,
) -> BiasVariance:
    """Bias, variance and noise of a learner's error, over repeatedly drawn training sets.

    Rounds go through `openbook.fold`; the same seed gives the same answer on any number of workers.

    Parameters
    ----------
    model : estimator
        Any classifier or regressor with scikit-learn's methods.
    X : table-like
        Generator, or whatever `openbook.read` takes.
    y : array-like or str or None, default=None
        Array, Series, Column, or the name of a column of X; None with a generator.
    loss : Loss or None, default=None
        The loss: squared for numbers, 0/1 for classes; None for the one that suits the model.
    method : Method, default="domingos"
        The decomposition of the 0/1 loss, by its authors.
    repeats : int, default=100
        How many training sets there are.
    random_state : int, default=0
    n_train : int, default=200
        Rows drawn from a generator to train each model.
    n_test : int, default=500
        Rows drawn from a generator to judge all models.

    Returns
    -------
    BiasVariance

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> from openbook.linear import LinearRegression
    >>> parabola = Generator(
    ...     lambda n, random: random.uniform(-1, 1, size=(n, 1)),
    ...     lambda X, random: X[:, 0] ** 2 + random.normal(scale=0.1, size=len(X)),
    ... )
    >>> found = bias_variance(LinearRegression(), parabola, repeats=20)
    >>> found.bias > found.noise > found.variance
    True
    """
    check_value("repeats", repeats, Whole(at_least=2))
    task = model_task([model])
    suits: Loss = "squared" if task == "regression" else "zero_one"
    if loss not in (None, suits):
        raise ParameterError(f"loss {loss!r} does not suit {task}; {suits!r} does")
    if method not in ("domingos", "kohavi_wolpert"):
        raise ParameterError(f"method must be 'domingos' or 'kohavi_wolpert', got {method!r}")
    refuse_frozen(model)
    if y is None and not isinstance(X, Generator):
        raise ParameterError("bias_variance needs y, the target of the rows, or a Generator instead of X")
    if isinstance(X, Generator):
        drawn = _from_generator(model, X, task, repeats, random_state, n_train, n_test)
    else:
        drawn = _from_data(model, X, y, task, repeats, random_state)
    return BiasVariance(type(model).__name__, suits, method, *drawn)


_Drawn = tuple[np.ndarray, np.ndarray, np.ndarray | None, bool, str, np.ndarray]


def _from_generator(
    model: Any, generator: Generator, task: str, repeats: int, random_state: int, n_train: int, n_test: int
) -> _Drawn:
    random = np.random.default_rng(random_state)
    rows = generator.rows(n_test, random)
    truth = np.array([np.asarray(generator.target(rows, random)) for _ in range(max(repeats, _DRAWS))])
    step = partial(_round, model, generator, rows, n_train, random_state)
    predicted = np.array(list(each(range(repeats), step)))
    judged = f"{n_test:,} rows judged, with {len(truth)} targets each"
    words, every = f"{repeats} training sets of {n_train:,} rows; {judged}", np.arange(n_test)
    if task == "regression":
        return _moments(truth), _moments(predicted), None, True, words, every
    classes, codes = np.unique(np.concatenate([truth, predicted]), return_inverse=True)
    both = np.split(codes.reshape(-1, n_test), [len(truth)])
    p, q = (_shares(each, len(classes)) for each in both)
    return p, q, classes, True, words, every


def _round(model: Any, generator: Generator, rows: Any, n: int, random_state: int, i: int) -> np.ndarray:
    """The predictions, for the rows judged, of a model of newly drawn rows."""
    random = np.random.default_rng([random_state, i])
    X = generator.rows(n, random)
    with collected_warnings():
        return np.asarray(clone(model).fit(X, generator.target(X, random)).predict(rows))


def _from_data(model: Any, X: Any, y: Any, task: Task, repeats: int, random_state: int) -> _Drawn:
    examples = Examples.of(X, y, task)
    step = partial(_resampled, model, examples, random_state)
    predicted = np.array(list(each(range(repeats), step)), dtype=float)
    judged = np.flatnonzero(~np.isnan(predicted).all(axis=0))
    n = len(judged)
    if n == 0:
        raise DataError(f"no row was left out in {repeats} repeats; give more rows")
    samples = f"{repeats} bootstrap samples of {len(examples):,} rows"
    words = f"{samples}; {n:,} judged by models that did not see them"
    predicted, target = predicted[:, judged], examples.target[judged]
    if examples.classes is None:
        return np.column_stack([target, np.zeros(n)]), _moments(predicted), None, False, words, judged
    k = len(examples.classes)
    return np.eye(k)[target], _shares(predicted, k), examples.classes, False, words, judged


def _resampled(model: Any, examples: Examples, random_state: int, i: int) -> np.ndarray:
    """The predictions, for the rows left out, of a model of a bootstrap sample; NaN for the others."""
    n = len(examples)
    rows = np.sort(np.random.default_rng([random_state, i]).integers(n, size=n))
    outside = np.setdiff1d(np.arange(n), rows)
    predicted = np.full(n, np.nan)
    if len(outside):
        cut = RowsOfFold(examples, Split(i, rows, outside))
        with collected_warnings():
            learner = clone(model)
            learner.fit(*cut.training(learner))
            predicted[outside] = predicted_by(learner, cut.testing(learner), examples)[0]
    return predicted


def _moments(values: np.ndarray) -> np.ndarray:
    """Mean and variance of each column of known values, (n_rows, 2)."""
    return np.column_stack([np.nanmean(values, axis=0), np.nanvar(values, axis=0)])


def _shares(codes: np.ndarray, k: int) -> np.ndarray:
    """The share of each class in each column of known codes, (n_rows, k)."""
    counts = np.stack([(codes == c).sum(axis=0) for c in range(k)], axis=1)
    return counts / counts.sum(axis=1, keepdims=True)
