"""Fit and predict in folds.

Every fold clones the model and fits all of it, preparation included, on the fold's training rows. Learners
whose statistics add up (`border.folding`) meet the rows of a large table once a round of folds instead: the
statistics of all test parts but one are those of its training rows. Folds go through `openbook.fold`, so they
run side by side where joblib says so, and come back in order.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from openbook.border.folding import Folding
from openbook.border.labels import LabelLearner
from openbook.border.learner import Classifier, most_probable
from openbook.errors import DataError, OpenbookError, ParameterError
from openbook.fold import each
from openbook.judge.folds.examples import Examples, RowsOfFold, Split
from openbook.judge.folds.results import FoldResult
from openbook.judge.folds.thread_warnings import collected_warnings

#: The most folds that are fitted in one pass, which keeps the statistics of all of them in memory.
_MOST = 100
#: With fewer rows one pass saves no time, and fitting fold by fold has no rounding differences.
_FEW = 1000


class FoldError(OpenbookError, RuntimeError):
    """A learner failed in a fold; the cause is what it raised.

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> import openbook as ob
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> try:
    ...     ob.evaluate(MultinomialNB(), [[-1.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], cv=2)
    ... except FoldError as error:
    ...     print(str(error)[:60])
    MultinomialNB failed in fold 0 (2 training and 2 test rows):
    """


class Fitted(NamedTuple):
    """A learner that was fitted for a fold, the seconds that it took, and its warnings."""

    learner: Any
    seconds: float
    warnings: list[str]


class Job(NamedTuple):
    """A fold, and the learners that are fitted for it already, by label."""

    split: Split
    ready: dict[str, Fitted]


def fold_results(
    models: Mapping[str, Any], examples: Examples, splits: Iterable[Split]
) -> Iterator[list[FoldResult]]:
    """The results of all models in each fold, in order."""
    step = partial(_results, models, examples)
    quick = {label: model for label, model in models.items() if adds_up(model, examples)}
    for batch in rounds(splits, len(examples)) if quick else [splits]:
        if isinstance(batch, list):
            fits = [fitted_together(label, model, examples, batch) for label, model in quick.items()]
            ready = [dict(zip(quick, of_fold, strict=True)) for of_fold in zip(*fits, strict=True)]
            yield from each(map(Job, batch, ready), step)
        else:
            yield from each((Job(split, {}) for split in batch), step)


def fold_result(label: str, model: Any, cut: RowsOfFold, ready: Fitted | None = None) -> FoldResult:
    """The result of a model in one fold, for which it may be fitted already."""
    cut = cut.for_model(model)
    return _judged(label, ready or _fitted(label, model, cut), cut)


def _results(models: Mapping[str, Any], examples: Examples, job: Job) -> list[FoldResult]:
    cut = RowsOfFold(examples, job.split)
    return [fold_result(label, model, cut, job.ready.get(label)) for label, model in models.items()]


def adds_up(model: Any, examples: Examples) -> bool:
    """Whether a model can be fitted for a round of folds in one pass, and is faster so."""
    few = len(examples) < _FEW or examples.weights is not None
    return isinstance(model, Folding) and model.one_pass and not few


def rounds(splits: Iterable[Split], n: int) -> Iterator[Iterable[Split]]:
    """Folds in lists that test every row once and train on all others; those that do not, as an iterator."""
    splits = iter(splits)
    batch, tested = [], np.zeros(n, dtype=bool)
    for split in splits:
        batch.append(split)
        if split.n_train + len(split.test) < n or tested[split.test].any() or len(batch) > _MOST:
            break
        tested[split.test] = True
        if tested.all() and len(batch) > 1:
            yield batch
            batch, tested = [], np.zeros(n, dtype=bool)
    yield chain(batch, splits)


def fitted_together(label: str, model: Folding, examples: Examples, batch: list[Split]) -> list[Fitted]:
    """A model fitted for each fold of a round; each fold counts its share of the time of the one pass."""
    together = []
    with _naming_learner(label, batch[0]), collected_warnings() as first:
        start, examples = perf_counter(), examples.for_model(model)
        learners = model.without_each(examples.table, examples.column, [split.test for split in batch])
        shared = perf_counter() - start
    for split in batch:
        with _naming_learner(label, split), collected_warnings() as warned:
            start = perf_counter()
            learner = next(learners)
            own = perf_counter() - start
        share = shared * split.n_train / len(examples)
        together.append(Fitted(learner, own + share, [*first, *warned]))
    return together


def refuse_frozen(model: Any) -> None:
    """Refuse a part that stays fitted when it is cloned: it may have been fitted to test rows."""
    parts = {"": model, **model.get_params(deep=True)} if hasattr(model, "get_params") else {}
    for name, part in parts.items():
        if hasattr(part, "fit") and not isinstance(part, type) and clone(part) is part:
            where = f"{type(model).__name__}, {name}: " if name else ""
            raise ParameterError(
                f"{where}{part!r} stays as it was fitted, and may have seen rows that are tested; pass it"
                " unfrozen, so that every fold fits it anew; if it learnt from other rows, apply it to X"
            )


def _fitted(label: str, model: Any, cut: RowsOfFold) -> Fitted:
    with _naming_learner(label, cut.split), collected_warnings() as warned:
        learner = clone(model)
        X, y = cut.training(learner)
        also = cut.arguments(learner)
        start = perf_counter()
        learner.fit(X, y, **also)
        seconds = perf_counter() - start
    return Fitted(learner, seconds, warned)


def _judged(label: str, fitted: Fitted, cut: RowsOfFold) -> FoldResult:
    split, examples = cut.split, cut.examples
    with _naming_learner(label, split), collected_warnings() as warned:
        X = cut.testing(fitted.learner)
        start = perf_counter()
        predicted, proba = predicted_by(fitted.learner, X, examples)
        seconds = perf_counter() - start
        complexity = complexity_of(fitted.learner)
    return FoldResult(
        index=split.index,
        rows=split.test,
        y_true=examples.target[split.test],
        y_pred=predicted,
        proba=proba,
        n_train=split.n_train,
        fit_seconds=fitted.seconds,
        predict_seconds=seconds,
        complexity=complexity,
        warnings=tuple(dict.fromkeys([*fitted.warnings, *warned])),
    )


@contextmanager
def _naming_learner(label: str, split: Split) -> Iterator[None]:
    """Name the learner and the fold in the error of a learner that fails."""
    try:
        yield
    except Exception as error:
        where = f"fold {split.index} ({split.n_train} training and {len(split.test)} test rows)"
        raise FoldError(f"{label} failed in {where}: {type(error).__name__}: {error}") from error


def predicted_by(learner: Any, X: Any, examples: Examples) -> tuple[np.ndarray, np.ndarray | None]:
    """Class codes and probabilities, or numbers."""
    if examples.classes is None:
        return np.asarray(learner.predict(X), dtype=float).ravel(), None
    if examples.task == "multilabel":
        return _labels_by(learner, X, examples)
    names = examples.names(learner)
    proba = None
    if hasattr(learner, "predict_proba"):
        known = label_codes(np.asarray(learner.classes_), names)
        proba = np.asarray(learner.predict_proba(X), dtype=float)
        if _decides_by_proba(learner):
            return known[most_probable(proba)], _for_all(proba, known, len(names))
        proba = _for_all(proba, known, len(names))
    return label_codes(np.asarray(learner.predict(X)), names), proba


def _labels_by(learner: Any, X: Any, examples: Examples) -> tuple[np.ndarray, np.ndarray | None]:
    """Whether rows have each label, and its probability; learners other than ours give no probability."""
    if not isinstance(learner, LabelLearner):
        return np.asarray(learner.predict(X)).astype(bool), None
    decided, proba = learner.answers(X)
    known = label_codes(learner.labels_, examples.names(learner))
    return _for_all(decided, known, len(examples.target[0])), _for_all(proba, known, len(examples.target[0]))


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
    everything = np.zeros((len(proba), n_classes), proba.dtype)
    everything[:, known] = proba
    return everything


def label_codes(labels: np.ndarray, names: np.ndarray) -> np.ndarray:
    """The positions of labels among the names of the classes."""
    order = np.argsort(names, kind="stable")
    codes: np.ndarray = order[np.searchsorted(names, labels, sorter=order).clip(max=len(names) - 1)]
    if (odd := names[codes] != labels).any():
        raise DataError(f"{labels[odd][0]!r} is not a class of y")
    return codes


def complexity_of(learner: Any) -> int | None:
    """The size of the fitted model, where it says; a pipeline has that of its last step."""
    while isinstance(learner, Pipeline):
        learner = learner[-1]
    size = learner.complexity() if hasattr(learner, "complexity") else None
    return None if size is None else int(size)
