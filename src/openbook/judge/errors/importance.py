"""Permutation importance: how much worse a model predicts once a column is shuffled.

    drop = score(rows) - mean over the repeats of score(rows with the column shuffled)

and the other way round for a score of which less is better: a column that the model uses has a drop above 0,
one that it does not use exactly 0. The rows must be held out. On training rows a column that was only
memorised looks important.

The interval is a jackknife over groups of rows. A group that is left out takes with it every row whose own
cells it holds, and every row that was given a shuffled cell of it, from both scores: so the interval covers
the choice of the held-out rows and of the shuffles. It does not cover the choice of the training rows: it is
this model's importance, not the column's. `importance_over_folds` averages over the models of several folds,
each on the rows that it had not seen; its interval is the corrected resampled t over the folds, which covers
the choice of the training rows, too.

Columns with the same information replace each other, and share their importance. So groups of correlated
columns (`correlated`: |r| or V of at least 0.7) are also shuffled together, each group by one order of the
rows.

Missing cells are shuffled with the others, and codes stay codes.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.base import Estimator
from openbook.border.learner import Learner
from openbook.border.rules import Whole, check_value
from openbook.data import SparseTable, Table
from openbook.data.attributes import as_text
from openbook.data.conform import conform
from openbook.draw import Picture
from openbook.draw.charts import score_chart
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.fold import each
from openbook.judge.chance.intervals import Interval, corrected_t, jackknife
from openbook.judge.errors.correlated import correlated_groups
from openbook.judge.folds.examples import Examples, model_task
from openbook.judge.folds.fit_folds import label_codes
from openbook.judge.scores.metrics import DEFAULTS, Metric, Predictions, metric
from openbook.words.numbers import shown
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Work

#: The most columns of a group that are named.
_NAMED = 4
#: The most groups of rows of the jackknife.
GROUPS = 20


@dataclass(frozen=True)
class ColumnImportance:
    """A column's drop in score, its interval, and the drop at every repeat.

    Attributes
    ----------
    column : str
        The name of the column; of correlated columns shuffled together, their names.
    drop : float
        The mean fall of the score when the column is shuffled.
    interval : Interval
        The interval of the drop.
    drops : tuple of float
        The drop at every repeat.

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> X, y = ob.load("weather").split("play")
    >>> first = permutation_importance(OneR().fit(X, y), X, y, random_state=0).columns[0]
    >>> first.column, round(first.drop, 3)
    ('outlook', 0.114)
    """

    column: str
    drop: float
    interval: Interval
    drops: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class Importance(ShowsWork):
    """How much each column matters to a model.

    Attributes
    ----------
    columns : tuple of ColumnImportance
        ColumnImportances, the largest drop first.
    metric : Metric
        The score that drops.
    score : float
        The score of the rows as they are.
    n_rows : int
        The number of rows.
    together : tuple of ColumnImportance, default=()
        The same for groups of correlated columns that are shuffled together.
    n_folds : int, default=0
        Over how many models the drops are means; 0 for a single model.
    n_columns : int, default=0
        The number of columns of the model, if not all of them were shuffled; else 0.

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> X, y = ob.load("weather").split("play")
    >>> importance = permutation_importance(OneR().fit(X, y), X, y, random_state=0)
    >>> round(importance.score, 3), importance["windy"].drop
    (0.714, 0.0)
    """

    columns: tuple[ColumnImportance, ...]
    metric: Metric
    score: float
    n_rows: int
    together: tuple[ColumnImportance, ...] = ()
    n_folds: int = 0
    n_columns: int = 0

    def __getitem__(self, column: str) -> ColumnImportance:
        for one in self.columns:
            if one.column == column:
                return one
        raise UnknownColumn(column, [one.column for one in self.columns])

    def __iter__(self) -> Iterator[ColumnImportance]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def draw(self) -> Picture:
        """How much the score worsens when each column is shuffled, with its interval; dashed, no change."""
        change = "drop" if self.metric.greater_is_better else "rise"
        rows = [(one.column, one.drop, one.interval.low, one.interval.high) for one in self.columns]
        interval = self.columns[0].interval
        notes = (f"Lines: {100 * interval.level:g}%, {interval.method}.",)
        return score_chart("Permutation importance", f"{change} in {self.metric.words}", rows, 0.0, notes)

    def work(self) -> Work:
        """The table, to print or to show."""
        words = self.metric.words
        change = f"drop in {words}" if self.metric.greater_is_better else f"rise in {words}"
        everything = (*self.columns, *self.together)
        rows = [(one.column, shown(one.drop), one.interval.ends) for one in everything]
        interval, repeats = self.columns[0].interval, len(self.columns[0].drops) // max(self.n_folds, 1)
        over = f", mean over {self.n_folds} folds" if self.n_folds else ""
        training = ", and that of the training rows" if self.n_folds else ", not of the training rows"
        note = (
            f"{words} {shown(self.score)} on {self.n_rows:,} rows{over}; each column shuffled {repeats}"
            f" times. Intervals: {100 * interval.level:g}%, {interval.method}; they cover the choice of these"
            f" rows and of the shuffles{training}."
        )
        if self.n_columns:
            most = f"the {len(self.columns):,} with the highest scores by themselves"
            note += f" Of {self.n_columns:,} columns, {most} are shuffled."
        above = sum(one.interval.low > 0 for one in self.columns)
        end = f"The intervals of {above} of {len(self)} columns lie above 0."
        return Work("Permutation importance", (Grid("", ("column", change, "interval"), rows, note),), end)


@documented
def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    metric: "str | Metric | None" = None,
    repeats: int = 10,
    random_state: Any = 0,
    level: float = 0.95,
) -> Importance:
    """Shuffle each column of held-out rows in turn, and see how much worse a fitted model predicts them.

    Columns go through `openbook.fold`, side by side where joblib says so; the same seed gives the same answer
    on any number of workers.

    Parameters
    ----------
    model : estimator
        A fitted learner of openbook's, or another estimator that predicts from a Table.
    X : table-like
        Rows that the model was not fitted on.
    y : array-like or str
        Their target.
    metric : str, Metric or None, default=None
        Name or Metric; None takes accuracy, or RMSE for numbers.
    repeats : int, how often each column is shuffled, default=10
    random_state : int, RandomState or None, default=0
    level : float, of the intervals, default=0.95

    Returns
    -------
    Importance

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> from openbook.baseline import OneR
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneR().fit(X[::2], y[::2])
    >>> importance = permutation_importance(model, X[1::2], y[1::2], random_state=0)
    >>> importance.columns[0].column == model.attribute_, importance["x0"].drop
    (True, 0.0)
    """
    check_value("repeats", repeats, Whole(at_least=1))
    check_is_fitted(model)
    held = _held_out(model, X, y, metric)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    shuffle = _Shuffle.of(held, seed, repeats)
    names = held.table.names
    found = list(each(range(len(names)), partial(_importance, shuffle, level)))
    groups = [tuple(map(names.index, group)) for group in correlated_groups(held.table)]
    together = list(each(groups, partial(_importance, shuffle, level)))
    return Importance(_sorted(found), held.metric, shuffle.score, len(held.table), _sorted(together))


def importance_over_folds(
    folds: "Iterable[tuple[Any, Any, Any, int]]",
    metric: "str | Metric | None" = None,
    repeats: int = 5,
    random_state: int = 0,
    level: float = 0.95,
    columns: Sequence[str] | None = None,
) -> Importance:
    """The mean permutation importance over the models of several folds.

    Parameters
    ----------
    folds : for each a fitted model, X and y of rows that it was not fitted on, and the number of rows that it
        was fitted on
    metric, repeats, level : as for `permutation_importance`
    random_state : int
    columns : those to shuffle; None for all
    """
    shuffled: dict[tuple[int, ...], list[list[float]]] = {}
    scores, sizes = [], []
    names: tuple[str, ...] = ()
    groups: list[tuple[int, ...]] = []
    for i, (model, X, y, n_train) in enumerate(folds):
        held = _held_out(model, X, y, metric)
        if not i:
            names = held.table.names
            chosen = tuple(names if columns is None else columns)
            groups = [(names.index(name),) for name in chosen]
            groups += [tuple(map(names.index, group)) for group in correlated_groups(held.table, chosen)]
        shuffle = _Shuffle.of(held, random_state + i, repeats, jackknifed=False)
        for group, drops in zip(groups, each(groups, partial(_drops, shuffle)), strict=True):
            shuffled.setdefault(group, []).append(drops)
        scores.append(shuffle.score)
        sizes.append((n_train, len(held.table)))
    n_train, n_test = np.mean(sizes, axis=0)

    def joined(group: tuple[int, ...]) -> ColumnImportance:
        means = np.array([np.mean(drops) for drops in shuffled[group]])
        interval = corrected_t(means, n_train, n_test, level)
        drops = tuple(drop for fold in shuffled[group] for drop in fold)
        return ColumnImportance(_called(names, group), float(means.mean()), interval, drops)

    single = _sorted([joined(group) for group in groups if len(group) == 1])
    several = _sorted([joined(group) for group in groups if len(group) > 1])
    n_rows = sum(n for _, n in sizes)
    left = len(names) if len(single) < len(names) else 0
    return Importance(single, held.metric, float(np.mean(scores)), n_rows, several, len(sizes), left)


def _sorted(found: "list[ColumnImportance]") -> "tuple[ColumnImportance, ...]":
    """The largest drop first; undefined ones last."""
    return tuple(sorted(found, key=lambda one: math.inf if math.isnan(one.drop) else -one.drop))


def _called(names: Sequence[str], group: tuple[int, ...]) -> str:
    called = [names[j] for j in group]
    if len(called) > _NAMED:
        called = [*called[:_NAMED], f"{len(called) - _NAMED} more"]
    return " + ".join(called) + (" together" if len(group) > 1 else "")


@dataclass(frozen=True)
class _HeldOut:
    """A model and the rows to judge it on; `truth` are codes among the model's classes, or numbers."""

    model: Any
    table: Table
    truth: np.ndarray
    n_classes: int
    metric: Metric

    def predictions(self, table: Table) -> Predictions:
        given = np.asarray(self.model.predict(table))
        if not self.n_classes:
            return Predictions(self.truth, given.astype(float).ravel(), None, 0)
        if self.truth.ndim > 1:
            never = ((0, 0), (0, self.n_classes - given.shape[1]))  # labels it never met
            return Predictions(self.truth, np.pad(given.astype(bool), never), None, self.n_classes)
        codes, proba = label_codes(given, np.asarray(self.model.classes_)), None
        if self.metric.needs_proba:
            proba = np.asarray(self.model.predict_proba(table), dtype=float)
            proba = np.pad(proba, ((0, 0), (0, self.n_classes - proba.shape[1])))  # classes it never met
        return Predictions(self.truth, codes, proba, self.n_classes)


@dataclass(frozen=True)
class _Shuffle:
    """The permutations for all columns, and the scores that shuffled rows are compared with.

    orders : a permutation of the rows for each repeat: row i gets the cell of row order[i]
    groups : the jackknife's group of each row
    score : of the rows as they are
    without : for each repeat, the score without each group, of the rows that are left of the shuffled ones
    """

    held: _HeldOut
    orders: list[np.ndarray]
    groups: np.ndarray
    score: float
    without: list[np.ndarray]

    @classmethod
    def of(cls, held: _HeldOut, seed: int, repeats: int, *, jackknifed: bool = True) -> "_Shuffle":
        n = len(held.table)
        orders = [np.random.default_rng([seed, i]).permutation(n) for i in range(repeats)]
        groups = np.random.default_rng(seed).permutation(n) % min(GROUPS, n)
        original = held.predictions(held.table)
        used = orders if jackknifed else []
        without = [_without_each(held, original, groups, groups[order]) for order in used]
        return cls(held, orders, groups, held.metric(original), without)


def _held_out(model: Any, X: Any, y: Any, which: "str | Metric | None") -> _HeldOut:
    task = model_task([model])
    score = metric(which or DEFAULTS[task][0], task)
    if score.needs_proba and not hasattr(model, "predict_proba"):
        raise ParameterError(f"{score.name} needs probabilities; {model!r} gives none; use another metric")
    examples = Examples.of(X, y, task)
    table = examples.table
    if isinstance(table, SparseTable):
        raise DataError("columns of sparse data cannot be shuffled; pass X.toarray()")
    if isinstance(model, Estimator):
        table = conform(table, model.schema_.unworded, type(model).__name__)
    truth, n_classes = _truth(model, examples)
    return _HeldOut(model, table, truth, n_classes, score)


def _truth(model: Any, examples: Examples) -> tuple[np.ndarray, int]:
    """The targets as codes among the model's classes and, after those, classes that it was not trained on."""
    if examples.classes is None:
        return examples.target, 0
    if examples.task == "multilabel":
        own = model.labels_.tolist() if hasattr(model, "labels_") else examples.classes.tolist()
        every = list(dict.fromkeys([*own, *examples.classes.tolist()]))
        truth = np.zeros((len(examples), len(every)), dtype=bool)
        truth[:, [every.index(label) for label in examples.classes.tolist()]] = examples.target
        return truth, len(every)
    codes = {as_text(label): i for i, label in enumerate(np.asarray(model.classes_))}
    labels = [as_text(label) for label in examples.classes]
    if not any(label in codes for label in labels):
        raise DataError(
            f"y holds none of the model's classes: {labels[0]!r} in y, {next(iter(codes))!r} in the model;"
            " is it the target that the model was fitted on?"
        )
    for label in labels:
        codes.setdefault(label, len(codes))
    return np.array([codes[label] for label in labels])[examples.target], len(codes)


def _importance(shuffle: _Shuffle, level: float, columns: int | tuple[int, ...]) -> ColumnImportance:
    """Shuffle one column, or several together, time and again."""
    held = shuffle.held
    group = (columns,) if isinstance(columns, int) else columns
    sign = 1 if held.metric.greater_is_better else -1
    drops, without = [], []
    for order, unshuffled in zip(shuffle.orders, shuffle.without, strict=True):
        shuffled = held.predictions(_shuffled(held.table, group, order))
        drops.append(sign * (shuffle.score - held.metric(shuffled)))
        scores = _without_each(held, shuffled, shuffle.groups, shuffle.groups[order])
        without.append(sign * (unshuffled - scores))
    drop = float(np.mean(drops))
    interval = jackknife(drop, np.mean(without, axis=0), level)
    return ColumnImportance(_called(held.table.names, group), drop, interval, tuple(drops))


def _drops(shuffle: _Shuffle, group: tuple[int, ...]) -> list[float]:
    """The drop at every repeat; 0 without a prediction where a tree tests none of the columns."""
    held = shuffle.held
    tree = getattr(held.model, "tree_", None)
    tested = getattr(tree, "attribute", None)
    if isinstance(held.model, Learner) and tested is not None and not np.isin(group, tested).any():
        return [0.0] * len(shuffle.orders)
    sign = 1 if held.metric.greater_is_better else -1
    tables = (_shuffled(held.table, group, order) for order in shuffle.orders)
    return [sign * (shuffle.score - held.metric(held.predictions(table))) for table in tables]


def _without_each(held: _HeldOut, predictions: Predictions, *groups: np.ndarray) -> np.ndarray:
    """The score without each group: rows that belong to it by any of these are left out."""
    left_out = range(int(groups[0].max()) + 1)
    kept = (np.all([g != out for g in groups], axis=0) for out in left_out)
    return np.array([held.metric(predictions.take(rows)) for rows in kept])


def _shuffled(table: Table, columns: tuple[int, ...], order: np.ndarray) -> Table:
    """The table with some columns in another order; the others are not copied."""
    arrays = list(table.columns)
    for j in columns:
        arrays[j] = arrays[j][order]
    return Table(table.schema, arrays)
