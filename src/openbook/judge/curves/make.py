"""Curves over the number of training rows, over a parameter, over iterations.

By default, rows are split into 5 folds, twice (once from 10,000 rows on; fewer than 50 rows are split at
random 20 times), and the sizes of a learning curve double up to the whole training part. If the time of a fit
is proportional to the rows, a learning curve takes as long as twenty fits. The smallest size has about two
rows of every class, unless that would leave fewer than three sizes.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from openbook.errors import ParameterError, did_you_mean
from openbook.judge.curves.curve import Curve
from openbook.judge.curves.run import CurvePoint, CurveRun, rows_of_size
from openbook.judge.scores.metrics import Metric
from openbook.words.parameters import documented

Which = str | Metric | None

#: The most and the fewest sizes, and the fewest training rows.
_SIZES, _AT_LEAST, _FEWEST = 6, 3, 5
#: Parameters that count iterations.
_COUNTS = ("n_estimators", "max_iter")
#: The most stages of a staged learner that are scored.
_STAGES = 24


@documented
def learning_curve(
    model: Any,
    X: Any,
    y: Any,
    sizes: Sequence[float] | None = None,
    cv: Any = None,
    metric: Which = None,
    random_state: int = 0,
    name: str | None = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> Curve:
    """Training and validation score over the number of training rows.

    Parameters
    ----------
    model : estimator
    X : table-like
    y : array-like or str
    sizes : sequence of float or None, default=None
        Numbers of rows, or shares of the training part (floats up to 1); None doubles up to all of it.
    cv : int, splitter or iterable or None, default=None
        How rows are divided: a number of folds, a splitter, or pairs of positions; None for 5 folds, twice.
    metric : str, Metric or None, default=None
        Name or Metric; None takes the error, or RMSE for numbers.
    random_state : int, default=0
        The seed of the folds.
    name : str or None, default=None
    groups : array-like or str or None, default=None
    sample_weight : array-like or None, default=None

    Returns
    -------
    Curve

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("iris").split("species")
    >>> curve = learning_curve(NaiveBayes(), X, y)
    >>> curve.across
    (8, 15, 30, 60, 120)
    """
    run = CurveRun.of(model, X, y, cv, metric, random_state, name, groups, sample_weight)
    return curve_of_sizes(run, model, sizes)


def curve_of_sizes(run: CurveRun, model: Any, sizes: Sequence[float] | None = None) -> Curve:
    """The learning curve of a run."""
    points = [CurvePoint(model, size) for size in _sizes(sizes, run)]
    rows = [round(float(np.mean([rows_of_size(p.size, len(s.train)) for s in run.splits]))) for p in points]
    return run.curve("size", "training rows", rows, points, own=len(points) - 1)


@documented
def complexity_curve(
    model: Any,
    X: Any,
    y: Any,
    knob: str,
    values: Sequence[Any] | None = None,
    cv: Any = None,
    metric: Which = None,
    random_state: int = 0,
    name: str | None = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> Curve:
    """Training and validation score over the values of a parameter.

    Parameters
    ----------
    model : estimator
    X : table-like
    y : array-like or str
    knob : str
        The name of a parameter, one of `model.get_params()`.
    values : sequence or None, default=None
        What to set it to; None takes those of the learner's own `knobs()`. Numbers are put in order.
    cv : int, splitter or iterable or None, default=None
    metric : str, Metric or None, default=None
    random_state : int, default=0
    name : str or None, default=None
    groups : array-like or str or None, default=None
    sample_weight : array-like or None, default=None

    Returns
    -------
    Curve

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.neighbors import KNeighborsClassifier
    >>> X, y = load("iris").split("species")
    >>> curve = complexity_curve(KNeighborsClassifier(), X, y, "n_neighbors", [31, 1, 101])
    >>> curve.across, curve.mean(0, "training")
    ((1, 31, 101), 0.0)
    """
    settings = _values(model, knob, values)
    run = CurveRun.of(model, X, y, cv, metric, random_state, name, groups, sample_weight)
    points = [CurvePoint(clone(model).set_params(**{knob: value})) for value in settings]
    return run.curve("complexity", knob, settings, points, own=_own(model, knob, settings))


@documented
def iteration_curve(
    model: Any,
    X: Any,
    y: Any,
    knob: str | None = None,
    values: Sequence[int] | None = None,
    cv: Any = None,
    metric: Which = None,
    random_state: int = 0,
    name: str | None = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> Curve:
    """Training and validation score over the rounds, epochs or trees of a learner.

    A learner with scikit-learn's `staged_predict` (and `staged_predict_proba`) is fitted once per fold, and
    its stages are scored. Any other is fitted with 1, 2, 4, … iterations; so that these are stages of one
    run, a `random_state` of None is set to the curve's own. After an early stop the score stays the same.

    Parameters
    ----------
    model : estimator
    X : table-like
    y : array-like or str
    knob : str or None, default=None
        The parameter that counts; None looks for n_estimators and max_iter.
    values : sequence of int or None, default=None
        The numbers of iterations to score; None doubles up to the parameter's value.
    cv : int, splitter or iterable or None, default=None
    metric : str, Metric or None, default=None
    random_state : int, default=0
    name : str or None, default=None
    groups : array-like or str or None, default=None
    sample_weight : array-like or None, default=None

    Returns
    -------
    Curve

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.linear import Perceptron
    >>> X, y = load("iris").split("species")
    >>> iteration_curve(Perceptron(max_iter=20), X, y).across
    (1, 2, 4, 8, 16, 20)
    """
    knob = knob or _counting(model)
    parameters = _parameters(model, knob)
    run = CurveRun.of(model, X, y, cv, metric, random_state, name, groups, sample_weight)
    staged = hasattr(model, "staged_predict") and knob in _COUNTS
    settings = _stages(model, knob, parameters[knob], values, staged)
    own = _own(model, knob, settings)
    if staged:
        most = CurvePoint(clone(model).set_params(**{knob: settings[-1]}))
        return run.curve("iterations", knob, settings, [most], settings, own)
    seeds = {key: random_state for key, value in parameters.items() if _is_seed(key) and value is None}
    points = [CurvePoint(clone(model).set_params(**{**seeds, knob: value})) for value in settings]
    return run.curve("iterations", knob, settings, points, own=own)


def _sizes(sizes: Sequence[float] | None, run: CurveRun) -> list[float]:
    """The sizes asked for, checked and in order; or halves of the training part, down to its smallest."""
    smallest = min(len(split.train) for split in run.splits)
    if sizes is None:
        shares = [0.5**i for i in range(_SIZES)]
        fit = [share for share in shares if share * smallest >= _fewest(run)]
        enough = [share for share in shares[:_AT_LEAST] if share * smallest >= 2]
        return sorted(fit if len(fit) >= _AT_LEAST else enough or [1.0])
    if len(sizes) == 0:
        raise ParameterError("sizes is empty; give at least one, or None for the usual ones")
    checked = (_size(size, smallest) for size in sizes)
    by_rows = {rows_of_size(size, smallest): size for size in checked}
    return [by_rows[rows] for rows in sorted(by_rows)]


def _size(size: Any, smallest: int) -> float:
    number = size.item() if isinstance(size, np.generic) else size
    if isinstance(number, float) and 0 < number <= 1:
        return number
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= smallest:
        raise ParameterError(
            f"sizes: {size!r} is neither a share, a float above 0 and up to 1, nor a number of rows from 1 to"
            f" {smallest:,}, which is all that every fold can train on"
        )
    return number


def _fewest(run: CurveRun) -> float:
    """The rows at which each class has about two; a class of a single row does not count."""
    if run.examples.classes is None:
        return _FEWEST
    target = run.examples.target
    rows = target.sum(axis=0) if target.ndim > 1 else np.bincount(target)
    rarest = rows[rows > 1].min(initial=len(run.examples))
    return max(_FEWEST, 1.5 * len(run.examples) / rarest)


def _values(model: Any, knob: str, values: Sequence[Any] | None) -> list[Any]:
    """The values of the knob; numbers in order."""
    _parameters(model, knob)
    if values is None:
        known = model.knobs() if hasattr(model, "knobs") else {}
        if knob not in known:
            raise ParameterError(f"{type(model).__name__} has no list of values for {knob}; give values=")
        values = known[knob]
    settings = [value.item() if isinstance(value, np.generic) else value for value in values]
    if not settings:
        raise ParameterError(f"values is empty; give at least one value of {knob}")
    return sorted(settings) if all(isinstance(value, int | float) for value in settings) else settings


def _parameters(model: Any, knob: str) -> Mapping[str, Any]:
    parameters: Mapping[str, Any] = model.get_params()
    if knob not in parameters:
        known = tuple(parameters)
        raise ParameterError(f"{type(model).__name__} has no parameter {knob!r}. {did_you_mean(knob, known)}")
    return parameters


def _own(model: Any, knob: str, settings: Sequence[Any]) -> int | None:
    """The position of the model's own setting."""
    own = model.get_params()[knob]
    return next((i for i, value in enumerate(settings) if type(value) is type(own) and value == own), None)


def _counting(model: Any) -> str:
    """The parameter that counts the iterations; that of a pipeline is its last step's."""
    last, prefix = model, ""
    while isinstance(last, Pipeline):
        name, last = last.steps[-1]
        prefix += f"{name}__"
    for knob in _COUNTS:
        if knob in last.get_params(deep=False):
            return prefix + knob
    raise ParameterError(
        f"{type(last).__name__} has no parameter that counts iterations ({', '.join(_COUNTS)});"
        " name it: iteration_curve(…, knob=…)"
    )


def _stages(model: Any, knob: str, most: Any, values: Sequence[int] | None, staged: bool) -> list[int]:
    """The numbers of iterations after which the model is scored."""
    if values is not None:
        settings = sorted({int(value) for value in values})
        if not settings or settings[0] < 1:
            raise ParameterError(f"values must be whole numbers of at least 1, got {list(values)!r}")
        return settings
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
        what = f"{type(model).__name__}: {knob} is {most!r}, not a number of iterations"
        raise ParameterError(f"{what}; give values=")
    if staged:
        return sorted({round(stage) for stage in np.geomspace(1, most, _STAGES).tolist()})
    return sorted({*(2**i for i in range(math.ceil(math.log2(most)))), int(most)})


def _is_seed(parameter: str) -> bool:
    return parameter.rsplit("__", maxsplit=1)[-1] == "random_state"
