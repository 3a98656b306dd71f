"""Run learners over folds.

Every fold clones the model and fits all of it, preparation included, on the fold's training rows (`folds`).
Results do not depend on the number of workers. Predictions are stored, and scores are computed on demand.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import chain, count
from typing import Any

import numpy as np

from openbook.errors import ParameterError, did_you_mean
from openbook.judge.choice.comparison import Comparison
from openbook.judge.folds.bootstrap632 import BootstrapEvaluation
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.examples import Examples, RowsOfFold, Split, model_task, sequence_of
from openbook.judge.folds.fit_folds import fold_result, fold_results, refuse_frozen
from openbook.judge.folds.progress import progress_bar
from openbook.judge.folds.results import FoldResult
from openbook.judge.folds.splits import protocol, splitter_of
from openbook.judge.folds.splitters import Bootstrap632, TestGroups, TimeOrdered
from openbook.judge.scores.metrics import IN_ORDER, Metric, Task, metric
from openbook.words.parameters import also_called, documented

Progress = Callable[[int, int], None] | bool | None
Metrics = Iterable[str | Metric] | str | Metric | None


@also_called(split="cv")
def evaluate(
    model: Any,
    X: Any,
    y: Any,
    cv: Any = None,
    metrics: Metrics = None,
    random_state: int = 0,
    name: str | None = None,
    groups: Any = None,
    progress: Progress = None,
    sample_weight: Any = None,
    test_groups: TestGroups = "new",
    ordered: bool = False,
    time: Any = None,
) -> Evaluation:
    """Judge a learner on rows that it was not fitted on.

    Parameters
    ----------
    model : estimator
        Any classifier or regressor with scikit-learn's methods.
    X : table-like
        Whatever `openbook.read` takes.
    y : array-like or str
        Array, Series, Column, or the name of a column of X; for a learner of several labels, sets of labels
        in any form that its `fit` takes.
    cv : int, float, str, splitter or iterable or None, default=None
        How rows are divided: a number of folds; a share of the rows that trains, such as 0.8; "holdout"
        (0.8), "subsampling" (0.8, 20 times), "leave_one_out", "bootstrap" (.632+) or "training" (tested on
        the training rows, for comparison); a splitter of scikit-learn's or ours; or pairs of (training,
        test) positions. None for `protocol(y, groups=groups, time=time)`.
    metrics : str, Metric, an iterable of them, or None, default=None
        Names or Metrics to show, the one that decides first; None takes the usual ones, of ordinal classes
        those that know the order.
    random_state : int, default=0
        The seed of the folds.
    name : str or None, default=None
        What to call the learner; None takes its class name.
    groups : array-like or str or None, default=None
        Array, Series, Column, or the name of a column of X. Rows of one group, a patient's or a customer's,
        never both train and test. A column named so is no input. A model of sequences names its own.
    progress : bool, callable or None, default=None
        True for a bar, or a function of the number of folds done and of all.
    sample_weight : array-like or None, default=None
        Array of the rows' weights, optional; they count in learning, and not in the scores.
    test_groups : "new" or "known", default="new"
        "known" lets earlier rows of a group train and later ones test; omit it for a split that already has
        it, such as `protocol(y, groups=…, time=…, test_groups="known")`.
    ordered : bool, default=False
        Whether rows are tested in order of time, if `cv` is pairs of positions.
    time : array-like or str or None, default=None
        The time of each row: numbers, dates, or the name of a column of X, which is then no input. Each of
        `cv` blocks of rows is tested by a model of those before it, unless `cv` is more than a number. A
        model that splits its training rows, as `Tuning` does, splits them by it, too.

    Returns
    -------
    Evaluation

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.datasets import load_iris
    >>> evaluation = evaluate(GaussianNB(), *load_iris(return_X_y=True))
    >>> round(evaluation.mean("accuracy"), 2)
    0.95
    """
    label = name or type(model).__name__
    order = (groups, test_groups, time, sequence_of([model]))
    examples = Examples.of(X, y, model_task([model]), sample_weight, *order)
    return judged({label: model}, examples, cv, metrics, random_state, progress, ordered=ordered)[label]


@also_called(split="cv")
@documented
def compare(
    models: Mapping[str, Any] | Sequence[Any],
    X: Any,
    y: Any,
    cv: Any = None,
    metrics: Metrics = None,
    baseline: str | Collection[str] | None = None,
    random_state: int = 0,
    groups: Any = None,
    progress: Progress = None,
    sample_weight: Any = None,
    test_groups: TestGroups = "new",
    time: Any = None,
) -> Comparison:
    """Judge several learners on the same folds, beside a baseline.

    Parameters
    ----------
    models : mapping or sequence
        Mapping of label to model, or a list of models.
    X : table-like
    y : array-like or str
    cv : int, splitter or iterable or None, default=None
    metrics : str, Metric, an iterable of them, or None, default=None
    baseline : str, collection of str or None, default=None
        The label of the baseline, or of several; the best of them counts. None takes the first ZeroR or
        ZeroRegressor among the models, and adds one if there is none.
    random_state : int, default=0
    groups : array-like or str or None, default=None
    progress : bool, callable or None, default=None
    sample_weight : array-like or None, default=None
    test_groups : TestGroups, default="new"
    time : array-like or str or None, default=None

    Returns
    -------
    Comparison

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> comparison = compare([OneR()], *ob.load("iris").split("species"), cv=5)
    >>> list(comparison.evaluations), comparison.best()
    (['OneR', '0R'], 'OneR')
    """
    labelled = dict(models) if isinstance(models, Mapping) else _labelled(models)
    task = model_task(labelled.values())
    if baseline is None:
        labelled, baseline = _with_baseline(labelled, task)
    baselines = [baseline] if isinstance(baseline, str) else list(baseline)
    if odd := [label for label in baselines if label not in labelled]:
        raise ParameterError(f"baseline: no learner {odd[0]!r}. {did_you_mean(odd[0], tuple(labelled))}")
    order = (groups, test_groups, time, sequence_of(labelled.values()))
    examples = Examples.of(X, y, task, sample_weight, *order)
    evaluations = judged(labelled, examples, cv, metrics, random_state, progress)
    return Comparison(evaluations, baselines[0], baselines)


@documented
def evaluate_fold(
    model: Any,
    X: Any,
    y: Any,
    train: Any,
    test: Any,
    index: int = 0,
    name: str | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    test_groups: TestGroups = "new",
    time: Any = None,
) -> FoldResult:
    """Judge a learner on one fold; class codes count the labels of the whole of y, in order.

    Parameters
    ----------
    model : estimator
    X : table-like
    y : array-like or str
    train, test : array-like
        The positions of the rows that train and of those that test, or masks.
    index : int, default=0
        The number of the fold.
    name : str or None, default=None
    groups : array-like or str or None, default=None
    sample_weight : array-like or None, default=None
    test_groups : TestGroups, default="new"
    time : array-like or str or None, default=None

    Returns
    -------
    FoldResult

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import ZeroR
    >>> X, y = ob.load("weather").split("play")
    >>> evaluate_fold(ZeroR(), X, y, train=range(10), test=range(10, 14)).y_pred.tolist()
    [1, 1, 1, 1]
    """
    refuse_frozen(model)
    order = (groups, test_groups, time, sequence_of([model]))
    examples = Examples.of(X, y, model_task([model]), sample_weight, *order)
    (split,) = examples.splits([(train, test)])
    split = Split(index, split.train, split.test)
    return fold_result(name or type(model).__name__, model, RowsOfFold(examples, split))


def judged(
    models: Mapping[str, Any],
    examples: Examples,
    cv: Any = None,
    metrics: Metrics = None,
    random_state: int = 0,
    progress: Progress = None,
    *,
    ordered: bool = False,
) -> dict[str, Evaluation]:
    """The evaluations of models on the same folds; see `evaluate`."""
    task = examples.task
    shown = (metrics,) if isinstance(metrics, str | Metric) else tuple(metrics or ())
    if not shown and task == "classification" and examples.in_order:
        shown = IN_ORDER
    for which in shown:
        metric(which, task)
    for model in models.values():
        refuse_frozen(model)
    whole = isinstance(cv, int | np.integer) and not isinstance(cv, bool | np.bool_)
    if cv is None or (whole and examples.time is not None):
        folds, order = 10 if cv is None else int(cv), (examples.groups, examples.time, examples.test_groups)
        cv = protocol(examples.column, task, random_state, folds, None, *order)
    cv = splitter_of(cv, examples.column, task, random_state, examples.groups)
    if not hasattr(cv, "split"):
        cv = list(cv)
    splits: Iterable[Split] = examples.splits(cv)
    if bootstrap := isinstance(cv, Bootstrap632):
        every = np.arange(len(examples))
        splits = chain(splits, [Split(cv.repeats, every, every)])
    results = list(_with_progress(fold_results(models, examples, splits), examples, cv, progress))
    if not results:
        raise ParameterError("cv gives no folds")
    words = str(cv) if hasattr(cv, "split") else ""
    of_each, classes = zip(models, zip(*results, strict=True), strict=True), examples.classes
    if bootstrap:
        return {
            label: BootstrapEvaluation(label, task, classes, folds[:-1], shown, words, folds[-1], cv.plus)
            for label, folds in of_each
        }
    groups = None if examples.groups is None else np.unique(examples.groups, return_inverse=True)[1]
    ordered |= getattr(cv, "kind", None) == "time-ordered" or isinstance(cv, TimeOrdered)
    return {
        label: Evaluation(label, task, classes, folds, shown, words, groups=groups, ordered=ordered)
        for label, folds in of_each
    }


def _with_progress(
    results: Iterable[list[FoldResult]], examples: Examples, split: Any, progress: Progress
) -> Iterator[list[FoldResult]]:
    """The results one by one; `progress` hears how many of how many are done."""
    if not progress:
        yield from results
        return
    total = examples.n_splits(split) + isinstance(split, Bootstrap632)
    with progress_bar("Judging") if progress is True else nullcontext(progress) as show:
        for done, result in enumerate(results, start=1):
            show(done, total)
            yield result


def _labelled(models: Sequence[Any]) -> dict[str, Any]:
    """Models under their class names, numbered where one comes twice."""
    labelled: dict[str, Any] = {}
    for model in models:
        labelled[_free_label(type(model).__name__, labelled)] = model
    return labelled


def _free_label(name: str, used: Collection[str]) -> str:
    """The name, or the first of "name 2", "name 3" … that is not used."""
    numbered = chain([name], (f"{name} {number}" for number in count(2)))
    return next(label for label in numbered if label not in used)


def _with_baseline(labelled: dict[str, Any], task: Task) -> tuple[dict[str, Any], str]:
    """The models with a baseline among them, and its label."""
    from openbook.baseline import ZeroLabels, ZeroR, ZeroRegressor

    for label, model in labelled.items():
        if isinstance(model, ZeroR | ZeroRegressor | ZeroLabels):
            return labelled, label
    zero: dict[str, tuple[str, Any]] = {
        "classification": ("0R", ZeroR()),
        "regression": ("mean", ZeroRegressor()),
        "multilabel": ("0R, for F1", ZeroLabels("f1")),
    }
    name, model = zero[task]
    label = _free_label(name, labelled)
    return {**labelled, label: model}, label
