"""Run learners over folds.

Every fold clones the model and fits all of it, preparation included, on the fold's training rows. Folds go
through `openbook.fold`, so they run side by side where joblib says so, and come back in order: results do
not depend on the number of workers. What is kept are predictions; scores are computed when they are asked
for.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import add
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from openbook.base import Classifier
from openbook.errors import DataError, OpenbookError, ParameterError, did_you_mean
from openbook.fold import fold
from openbook.judge.comparison import Comparison
from openbook.judge.evaluation import Evaluation
from openbook.judge.examples import Cut, Examples, Split, model_task
from openbook.judge.hear import heard
from openbook.judge.metrics import Metric, Task, metric
from openbook.judge.results import FoldResult
from openbook.judge.splits import protocol

__all__ = [
    "FoldError",
    "compare",
    "complexity_of",
    "evaluate",
    "evaluate_fold",
    "label_codes",
    "predicted_by",
]

Metrics = Iterable[str | Metric] | str | Metric | None


class FoldError(OpenbookError, RuntimeError):
    """A learner failed in a fold; the cause is what it raised."""


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    split: Any = None,
    metrics: Metrics = None,
    random_state: int = 0,
    name: str | None = None,
    sample_weight: Any = None,
) -> Evaluation:
    """Judge a learner on rows that it was not fitted on.

    Parameters
    ----------
    model : any classifier or regressor with scikit-learn's manners
    X : whatever `openbook.read` takes
    y : array, Series, Column, or the name of a column of X
    split : a splitter of scikit-learn's, or an iterable of (train, test) positions; None takes `protocol(y)`
    metrics : names or Metrics to show, the one that decides first; None takes the usual ones
    random_state : the seed of the default split
    name : what to call the learner; None takes its class name
    sample_weight : array of the rows' weights, optional; they count in learning, and not in the scores

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.datasets import load_iris
    >>> evaluation = evaluate(GaussianNB(), *load_iris(return_X_y=True))
    >>> round(evaluation.mean("accuracy"), 2)
    0.95
    """
    task = model_task([model])
    label = name or type(model).__name__
    return _judge({label: model}, task, X, y, split, metrics, random_state, sample_weight)[label]


def compare(
    models: Mapping[str, Any] | Sequence[Any],
    X: Any,
    y: Any,
    split: Any = None,
    metrics: Metrics = None,
    baseline: str | None = None,
    random_state: int = 0,
    ensembles: Mapping[str, Collection[str]] | None = None,
    sample_weight: Any = None,
) -> Comparison:
    """Judge several learners on the same folds, beside a baseline.

    Parameters
    ----------
    models : mapping of label to model, or a list of models
    X, y, split, metrics, random_state, sample_weight : as for `evaluate`
    baseline : the label of the one that others are measured against
        None takes the first ZeroR or ZeroRegressor among the models, and adds one if there is none.
    ensembles : mapping of the label of an ensemble to those of its single members
        Such a one is chosen only if it is significantly better than the best of them.
    """
    labelled = dict(models) if isinstance(models, Mapping) else _labelled(models)
    task = model_task(labelled.values())
    if baseline is None:
        labelled, baseline = _with_baseline(labelled, task)
    elif baseline not in labelled:
        raise ParameterError(f"baseline: no learner {baseline!r}. {did_you_mean(baseline, tuple(labelled))}")
    evaluations = _judge(labelled, task, X, y, split, metrics, random_state, sample_weight)
    return Comparison(evaluations, baseline, ensembles or {})


def evaluate_fold(
    model: Any,
    X: Any,
    y: Any,
    train: Any,
    test: Any,
    index: int = 0,
    name: str | None = None,
    sample_weight: Any = None,
) -> FoldResult:
    """Judge a learner on one fold; class codes count the labels of the whole of y, in order.

    Parameters
    ----------
    model, X, y, name, sample_weight : as for `evaluate`
    train, test : positions or masks of rows
    index : the fold's number
    """
    examples = Examples.of(X, y, model_task([model]), sample_weight)
    (split,) = examples.splits([(train, test)])
    split = Split(index, split.train, split.test)
    return _fold_result(name or type(model).__name__, model, Cut(examples, split))


def _judge(
    models: Mapping[str, Any],
    task: Task,
    X: Any,
    y: Any,
    split: Any,
    metrics: Metrics,
    seed: int,
    weights: Any,
) -> dict[str, Evaluation]:
    shown = (metrics,) if isinstance(metrics, str | Metric) else tuple(metrics or ())
    for which in shown:
        metric(which, task)
    examples = Examples.of(X, y, task, weights)
    if split is None:
        split = protocol(examples.column, task, seed)
    splits = examples.splits(split)
    first = next(splits, None)
    if first is None:
        raise ParameterError("split gives no folds")
    results = fold(chain([first], splits), partial(_fold_results, models, examples), add)
    words = str(split) if hasattr(split, "split") else ""
    return {
        label: Evaluation(label, task, examples.classes, folds, shown, words)
        for label, folds in zip(models, zip(*results, strict=True), strict=True)
    }


def _fold_results(models: Mapping[str, Any], examples: Examples, split: Split) -> list[list[FoldResult]]:
    """The results of all models in one fold, as a list that others can be added to."""
    cut = Cut(examples, split)
    return [[_fold_result(label, model, cut) for label, model in models.items()]]


def _fold_result(label: str, model: Any, cut: Cut) -> FoldResult:
    split, examples = cut.split, cut.examples
    try:
        with heard() as warned:
            learner = clone(model)
            X, y = cut.training(learner)
            start = perf_counter()
            learner.fit(X, y, **cut.weights)
            fitted = perf_counter()
            del X, y  # a copy of most rows
            X = cut.testing(learner)
            ready = perf_counter()
            predicted, proba = predicted_by(learner, X, examples)
            end = perf_counter()
            complexity = complexity_of(learner)
    except Exception as error:
        rows = f"{len(split.train)} training and {len(split.test)} test rows"
        raise FoldError(
            f"{label} failed in fold {split.index} ({rows}): {type(error).__name__}: {error}"
        ) from error
    return FoldResult(
        index=split.index,
        rows=split.test,
        y_true=examples.target[split.test],
        y_pred=predicted,
        proba=proba,
        n_train=len(split.train),
        fit_seconds=fitted - start,
        predict_seconds=end - ready,
        complexity=complexity,
        warnings=tuple(warned),
    )


def predicted_by(learner: Any, X: Any, examples: Examples) -> tuple[np.ndarray, np.ndarray | None]:
    """Class codes and probabilities, or numbers."""
    if examples.classes is None:
        return np.asarray(learner.predict(X), dtype=float).ravel(), None
    names = examples.names(learner)
    proba = None
    if hasattr(learner, "predict_proba"):
        known = label_codes(np.asarray(learner.classes_), names)
        proba = np.asarray(learner.predict_proba(X), dtype=float)
        if _decides_by_proba(learner):
            predicted = known[proba.argmax(axis=1)]
            return predicted, _for_all(proba, known, len(names))
        proba = _for_all(proba, known, len(names))
    return label_codes(np.asarray(learner.predict(X)), names), proba


def _decides_by_proba(learner: Any) -> bool:
    """Whether `predict` is known to be the most probable class, so that one pass over the rows gives both."""
    cls = type(learner)
    return (
        isinstance(learner, Classifier)
        and cls.predict is Classifier.predict
        and cls._predict is Classifier._predict  # noqa: SLF001 (openbook's own)
    )


def _for_all(proba: np.ndarray, known: np.ndarray, n_classes: int) -> np.ndarray:
    """Probabilities of all classes, 0 for those that the training rows did not show."""
    if np.array_equal(known, np.arange(n_classes)):
        return proba
    everything = np.zeros((len(proba), n_classes))
    everything[:, known] = proba
    return everything


def label_codes(labels: np.ndarray, names: np.ndarray) -> np.ndarray:
    """The positions of labels among the names of the classes."""
    order = np.argsort(names, kind="stable")
    codes: np.ndarray = order[np.searchsorted(names, labels, sorter=order).clip(max=len(names) - 1)]
    if (odd := names[codes] != labels).any():
        raise DataError(f"{labels[odd][0]!r} is none of the classes of y")
    return codes


def complexity_of(learner: Any) -> int | None:
    """The size of the fitted model; a pipeline has that of its last step."""
    while isinstance(learner, Pipeline):
        learner = learner[-1]
    return int(learner.complexity()) if hasattr(learner, "complexity") else None


def _labelled(models: Sequence[Any]) -> dict[str, Any]:
    """Models under their class names, numbered where one comes twice."""
    labelled: dict[str, Any] = {}
    for model in models:
        _add(labelled, type(model).__name__, model)
    return labelled


def _add(labelled: dict[str, Any], name: str, model: Any) -> str:
    label, number = name, 1
    while label in labelled:
        number += 1
        label = f"{name} {number}"
    labelled[label] = model
    return label


def _with_baseline(labelled: dict[str, Any], task: Task) -> tuple[dict[str, Any], str]:
    """The models with a baseline among them, and its label."""
    from openbook.baseline import ZeroR, ZeroRegressor

    for label, model in labelled.items():
        if isinstance(model, ZeroR | ZeroRegressor):
            return labelled, label
    labelled = dict(labelled)
    zero: dict[str, tuple[str, Any]] = {
        "classification": ("0R", ZeroR),
        "regression": ("mean", ZeroRegressor),
    }
    name, cls = zero[task]
    return labelled, _add(labelled, name, cls())
