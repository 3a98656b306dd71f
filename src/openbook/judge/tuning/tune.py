"""Tuning inside the folds, so that the score reported is one that new rows would give.

The score of the best of many settings, on the folds that chose it, is optimistic. So the search is part of
the learner (`Tuning`): it happens inside `fit`, on inner folds of the training rows, and `evaluate` judges
search and model together on rows that neither has seen.

    evaluate(Tuning(model), X, y)     for every outer fold: search on its training rows, fit the best, predict
    tune(model, X, y)                 that, and the model that the search makes of all rows
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.errors import ParameterError
from openbook.judge.folds.evaluate import Progress, judged
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.examples import (
    Examples,
    RowsOfFold,
    Split,
    labelled_apart,
    model_task,
    takes_tables,
)
from openbook.judge.folds.fit_folds import complexity_of
from openbook.judge.folds.splits import Protocol, protocol
from openbook.judge.folds.splitters import TimeOrdered, time_codes
from openbook.judge.scores.metrics import DEFAULTS, Metric, metric
from openbook.judge.tuning.search import SettingsSearch, Tried, best_setting, knobs_of, settings_to_try
from openbook.words.numbers import shown
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Work


def _has(name: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "model_", self.model), name))


@documented
class Tuning(Declared, MetaEstimatorMixin, BaseEstimator):
    """A learner that tunes itself: `fit` tries settings on inner folds, and fits the best on all its rows.

    Parameters
    ----------
    model : estimator
        The classifier or regressor to tune, a pipeline too.
    knobs : mapping or None, default=None
        The values to try for each parameter, or a distribution to draw from; None for the model's own,
        `model.knobs()`.
    cv : int, splitter or None, default=None
        The inner folds; None for five, stratified, and by groups if those are given.
    metric : str, Metric or None, default=None
        The score that decides; None for accuracy, or RMSE.
    search : {"grid", "random", "halving"}, default="grid"
        Every combination; some of them; or every one on few rows and the best on more.
    n_iter : int, default=20
        How many settings are drawn by "random", or by "halving" from distributions.
    random_state : int, default=0

    Attributes
    ----------
    model_ : estimator
        The model of the best setting, fitted on all rows; an ordinary learner, which can be saved.
    parameters_ : dict
        The best setting. Of settings with equal scores the one with the smallest models is taken, and then
        the first.
    tried_ : tuple
        Every setting with its score, interval and size.
    metric_ : Metric
        The metric that decided.

    Notes
    -----
    Guide: docs/guide/tuning.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.neighbors import KNeighborsClassifier
    >>> X, y = load("wine").split("cultivar")
    >>> tuning = Tuning(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}).fit(X, y)
    >>> tuning.parameters_
    {'n_neighbors': 5}
    """

    model: Any
    knobs: Any = None
    cv: Any = None
    metric: Any = None
    search: str = "grid"
    n_iter: int = 20
    random_state: int = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, time: Any = None) -> Self:
        """Search, and fit the best.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        sample_weight : array of the rows' weights or None, default=None
        groups : array-like or str or None, default=None
            The group of each row, optional: array, Series, Column, or the name of a column of X.
        time : array-like or str or None, default=None
            The time of each row, optional; if `cv` is by time, rows of one time stay together.

        Returns
        -------
        self
        """
        if self.cv is not None and not isinstance(self.cv, int) and not hasattr(self.cv, "split"):
            raise ParameterError(
                "Tuning: cv must be a number of folds, or a splitter such as StratifiedKFold(5), which can"
                f" split whatever rows it is given, got {self.cv!r}"
            )
        task = model_task([self.model])
        X, y, free = labelled_apart(X, y) if self._takes_unlabelled else (X, y, None)
        if free is not None and sample_weight is not None:
            raise ParameterError("Tuning: rows without a target cannot be weighed; leave out sample_weight")
        examples = replace(Examples.of(X, y, task, sample_weight, groups), unlabelled=free)
        self.metric_ = metric(self.metric or DEFAULTS[task][0], task)
        knobs = knobs_of(self.model) if self.knobs is None else self.knobs
        settings = settings_to_try(self.model, knobs, self.search, self.n_iter, self.random_state)
        cv = _by_time(self.cv, time, len(examples)) if time is not None else self.cv
        search = SettingsSearch(self.model, examples, cv, self.metric_, self.random_state)
        run = search.by_halving if self.search == "halving" else search.all_at_once
        self.tried_ = tuple(run(settings))
        self.parameters_ = dict(best_setting(self.tried_, self.metric_).parameters)
        self.model_ = self._fitted(examples, X, y)
        return self

    def _fitted(self, examples: Examples, X: Any, y: Any) -> Any:
        """The model of the best setting, of all rows as they came."""
        model = clone(self.model).set_params(**self.parameters_)
        if isinstance(y, str) or examples.given is not X:
            X = examples.given
            y = examples.column if takes_tables(model) else examples.labels
        everything = np.arange(len(examples))
        rows = RowsOfFold(examples, Split(0, everything, everything))
        if examples.unlabelled is not None:
            return model.fit(*rows.training(model))
        return model.fit(X, y, **rows.arguments(model))

    @property
    def _takes_unlabelled(self) -> bool:
        """Whether the learner learns from rows without a target, too; inner folds test on the others."""
        return bool(getattr(self.model, "_takes_unlabelled", False))

    @property
    def takes_tables(self) -> bool:
        """Whether `evaluate` gives it Tables, as it does openbook's learners."""
        return takes_tables(self.model)

    @property
    def classes_(self) -> np.ndarray:
        return self.model_.classes_

    @property
    def n_features_in_(self) -> int:
        return self.model_.n_features_in_

    def predict(self, X: Any) -> np.ndarray:
        """The predictions of the best model.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray
        """
        check_is_fitted(self)
        return self.model_.predict(X)

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """The class probabilities of the best model.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray
        """
        check_is_fitted(self)
        return self.model_.predict_proba(X)

    @_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of the best model.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray
        """
        check_is_fitted(self)
        return self.model_.decision_function(X)

    def score(self, X: Any, y: Any) -> float:
        """The score of the best model: accuracy or R².

        Parameters
        ----------
        X : table-like
        y : array-like or str

        Returns
        -------
        float
        """
        check_is_fitted(self)
        return self.model_.score(X, y)

    @_has("refusal")
    def refusal(self, schema: Any) -> str | None:
        """Why the model cannot fit a table of these columns, or None.

        Parameters
        ----------
        schema : Schema
            The columns of the table, without the target.

        Returns
        -------
        str or None
        """
        return self.model.refusal(schema)

    @available_if(lambda self: complexity_of(self.model_) is not None)
    def complexity(self) -> int | None:
        """The size of the model that was chosen."""
        return complexity_of(self.model_)

    def work(self, row: Any = None) -> Work:
        """The settings that were tried and the one that won; for a row, how the model predicts it.

        Parameters
        ----------
        row : mapping, Series, table, frame or sequence or None, default=None
            One row to predict; None shows how the setting was chosen.

        Returns
        -------
        Work
        """
        check_is_fitted(self)
        if row is not None:
            return self.model_.work(row)
        best = best_setting(self.tried_, self.metric_)
        settings = ", ".join(f"{name} = {value!r}" for name, value in self.parameters_.items()) or "as it is"
        score = f"{self.metric_.words} {shown(best.score)}"
        end = f"The best: {settings}, with {score} on the folds used to choose it, which is optimistic."
        return Work(f"Tuning of {type(self.model).__name__}", (_table(self.tried_, self.metric_),), end)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.model)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags


@dataclass(frozen=True, repr=False, eq=False)
class Tuned(ShowsWork):
    """A tuned model, and the evaluation of tuning and model together.

    Attributes
    ----------
    tuning : Tuning
        The Tuning, fitted on all rows.
    evaluation : Evaluation or None
        The nested Evaluation; None if it was left out.

    Notes
    -----
    Guide: docs/guide/tuning.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.neighbors import KNeighborsClassifier
    >>> tuned = tune(KNeighborsClassifier(), *load("wine").split("cultivar"), {"n_neighbors": [1, 5]}, cv=3)
    >>> tuned.parameters, round(tuned.evaluation.score("accuracy"), 2)
    ({'n_neighbors': 5}, 0.96)
    """

    tuning: Tuning
    evaluation: Evaluation | None

    @property
    def model(self) -> Any:
        """The model of the best setting, fitted on all rows; save it like any other."""
        return self.tuning.model_

    @property
    def parameters(self) -> dict[str, Any]:
        """The best setting."""
        return self.tuning.parameters_

    @property
    def table(self) -> tuple[Tried, ...]:
        """Every setting with its score, interval and size."""
        return self.tuning.tried_

    @property
    def optimism(self) -> float:
        """The score of the best setting on the folds that chose it, minus that on nested folds."""
        if self.evaluation is None:
            return float("nan")
        decides = self.tuning.metric_
        gain = best_setting(self.table, decides).score - self.evaluation.score(decides)
        return gain if decides.greater_is_better else -gain

    def work(self) -> Work:
        """What was tried and chosen, and the honest score."""
        search = self.tuning.work()
        if self.evaluation is None:
            return search
        decides = self.tuning.metric_
        score, interval = self.evaluation.score(decides), self.evaluation.interval(decides)
        honest = f"On rows that neither search nor model had seen: {decides.words} {shown(score)} {interval}."
        return Work(search.title, (*search.parts, self.evaluation.work()), f"{search.conclusion} {honest}")


@documented
def tune(
    model: Any,
    X: Any,
    y: Any,
    knobs: Mapping[str, Any] | None = None,
    cv: Any = None,
    inner: Any = None,
    metric: str | Metric | None = None,
    search: str = "grid",
    n_iter: int = 20,
    random_state: int = 0,
    groups: Any = None,
    progress: Progress = None,
    nested: bool = True,
    sample_weight: Any = None,
) -> Tuned:
    """Tune a model on all rows, and judge the tuning on nested folds.

    Parameters
    ----------
    model : estimator
    X : table-like
    y : array-like or str
    knobs : mapping or None, default=None
        The values to try for each parameter, or a distribution to draw from; None for the model's own,
        `model.knobs()`.
    cv : int, splitter or iterable or None, default=None
        The outer folds, for evaluation: a number or a splitter. None takes ten, stratified, and by groups if
        those are given.
    inner : int, splitter or None, default=None
        The inner folds, for the choice. None takes five, stratified, by groups if those are given, and by
        time if `cv` is.
    metric : str, Metric or None, default=None
        The score that decides; None for accuracy, or RMSE.
    search : {"grid", "random", "halving"}, default="grid"
        Every combination; some of them; or every one on few rows and the best on more.
    n_iter : int, default=20
        How many settings are drawn by "random", or by "halving" from distributions.
    random_state : int, default=0
    groups : array-like or str or None, default=None
    progress : bool, callable or None, default=None
    nested : bool, default=True
        Whether to judge the tuning. Without, the only score is that of the best setting on the folds that
        chose it.
    sample_weight : array-like or None, default=None

    Returns
    -------
    Tuned

    Notes
    -----
    Guide: docs/guide/tuning.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.linear import LinearDiscriminantAnalysis
    >>> X, y = load("wine").split("cultivar")
    >>> tuned = tune(LinearDiscriminantAnalysis(), X, y)
    >>> tuned.parameters
    {'shrinkage': 0.0}
    >>> print(tuned.evaluation.interval())
    [0.968, 0.999] (95%, Wilson for 169 effective rows)
    """
    examples = Examples.of(X, y, model_task([model]), sample_weight, groups)
    if cv is None:
        cv = protocol(examples.column, examples.task, random_state, repeats=1, groups=examples.groups)
    by_time = cv.splitter if isinstance(cv, Protocol) else cv
    inner_of_all = inner
    if inner is None and isinstance(by_time, TimeOrdered):
        inner, inner_of_all = _inner_by_time(by_time, len(examples))
    tuning = Tuning(model, knobs, inner, metric, search, n_iter, random_state)
    evaluation = None
    if nested:
        name, usual = f"{type(model).__name__}, tuned", DEFAULTS[examples.task]
        metrics = usual if metric is None else (metric, *(other for other in usual if other != metric))
        evaluation = judged({name: tuning}, examples, cv, metrics, random_state, progress)[name]
    whole = clone(tuning).set_params(cv=inner_of_all)
    return Tuned(whole.fit(X, y, sample_weight, groups), evaluation)


def _inner_by_time(outer: TimeOrdered, n: int) -> tuple[TimeOrdered, TimeOrdered]:
    """The inner folds of a fold's rows, which come in order of time, and of all rows."""
    inner = TimeOrdered(test_groups=outer.test_groups)
    if outer.time is None:
        return inner, inner
    return inner, _by_time(inner, outer.time, n)


def _by_time(split: Any, time: Any, n: int) -> Any:
    """A split by time that knows the times of its rows; other splits as they are."""
    if not isinstance(split, TimeOrdered) or split.time is not None:
        return split
    when = time_codes(time, n)
    if when.max() == 0:  # all of one time: only the order of the rows is left
        return split
    blocks = min(split.n_splits, int(when.max()))
    return TimeOrdered(blocks, split.gap, when, split.test_groups, random_state=split.random_state)


def _table(tried: tuple[Tried, ...], decides: Metric) -> Grid:
    """The settings in the order in which they were tried."""
    names = list(tried[0].parameters)
    header, rows = [*names, decides.words, "interval", "complexity", "rows"], []
    for t in tried:
        values = (_cell(t.parameters[name]) for name in names)
        rows.append([*values, shown(t.score), t.failure or t.interval.ends, t.complexity, t.rows])
    if len({t.rows for t in tried}) == 1:
        header, rows = header[:-1], [row[:-1] for row in rows]
    known = next((t.interval for t in tried if not t.failure), None)
    note = f"intervals: {100 * known.level:g}%, {known.method}" if known else ""
    return Grid("Settings", header, rows, note)


def _cell(value: Any) -> Any:
    return value if isinstance(value, int | float | str) and not isinstance(value, bool) else repr(value)
