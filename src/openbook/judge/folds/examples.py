"""The rows of an evaluation: read once, targets encoded once.

    target : intp class codes or float64 numbers, (n_rows,); of several labels, bool (n_rows, n_labels)

openbook's own learners are given `Table`s, cut from one that is read once. Any other estimator is given
rows of `X` as it came, so that a scikit-learn pipeline sees the array or frame it was written for; a path
has no rows, so there it is given Tables too. A missing target is an error.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from openbook.border.learner import Learner
from openbook.border.rows import UNLABELLED, class_codes, codes_where_labelled, name_of_target
from openbook.data import Column, Nominal, Numeric, Table, read
from openbook.data.attributes import as_text
from openbook.data.combine import stacked_rows
from openbook.data.label_sets import LabelSets, free_separator, inputs_and_labels, label_sets
from openbook.errors import DataError, OpenbookError, ParameterError
from openbook.judge.folds.holdout import OnTraining
from openbook.judge.folds.splitters import TestGroups, check_test_groups, group_codes, n_rows, time_codes
from openbook.judge.scores.metrics import Task


@dataclass(frozen=True)
class Examples:
    """Rows and their targets.

    Parameters
    ----------
    given : the inputs as they came
    target : class codes, numbers, or whether rows have each label
    classes : the labels behind the codes, or those that rows may have; None for regression
    name : the target's name
    weights : how much each row counts in learning; None if all count the same
    groups : the group of each row, which trains or tests as a whole; None if there are none
    test_groups : "known" if, of a group, the past may train and the future test; else "new"
    time : the rank of each row's time, for models that split their training rows by it; None without one
    sequence : the input that names each row's sequence, which only sequence models see; None without one
    unlabelled : rows without a target, which train the models that can use them; None without any
    in_order : whether the classes have an order
    """

    given: Any
    target: np.ndarray
    classes: np.ndarray | None
    name: str
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None
    test_groups: TestGroups = "new"
    time: np.ndarray | None = None
    sequence: str | None = None
    unlabelled: Table | None = None
    in_order: bool = False

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        task: Task,
        weights: Any = None,
        groups: Any = None,
        test_groups: TestGroups = "new",
        time: Any = None,
        sequence: str | None = None,
    ) -> "Examples":
        """Read and encode.

        Parameters
        ----------
        X : whatever `openbook.read` takes; for foreign estimators, whatever they take
        y : array, Series, Column, or the name of a column of X
        task : "classification", "regression" or "multilabel"
        weights : array of the rows' weights, optional
        groups : array, Series, Column, or the name of a column of X, optional
            A column that says the group is no input, and leaves X.
        test_groups : "new" or "known"
        time : the time of each row, or the name of a column of X, which leaves it; optional
        sequence : the column of X that names each row's sequence, optional; sequences are groups
        """
        check_test_groups(test_groups)
        if isinstance(X, str | Path):
            X = read(X)
        if isinstance(y, str):
            X, y = _without(X, y)
        elif task == "multilabel" and isinstance(y, list | tuple) and isinstance(y[0], str):
            X, y = inputs_and_labels(X, y)  # names of columns of 0 and 1, or sets as texts
        if sequence is not None and (groups is None or groups == sequence):
            groups = read(X).column(sequence)
        X, groups = _given_or_named(X, groups)
        X, time = _given_or_named(X, time)
        if len(y) == 0:
            raise DataError("y is empty; there is nothing to judge by")
        name, classes, target = _encoded(y, task)
        if (rows := n_rows(X)) != len(target):
            raise DataError(f"X has {rows} rows, but y has {len(target)}")
        if weights is not None and (weights := np.asarray(weights, dtype=float)).shape != target.shape[:1]:
            raise DataError(f"sample_weight must be {len(target)} numbers, got shape {weights.shape}")
        if groups is not None:
            labels, codes = group_codes(groups, len(target))
            groups = labels[codes]
        when = None if time is None else time_codes(time, len(target))
        in_order = isinstance(y, Column) and y.has_order
        each = (weights, groups, test_groups, when, sequence)
        return cls(X, target, classes, name, *each, in_order=in_order)

    @property
    def task(self) -> Task:
        if self.target.ndim > 1:
            return "multilabel"
        return "regression" if self.classes is None else "classification"

    def __len__(self) -> int:
        return len(self.target)

    def take(self, rows: np.ndarray, *, tables: bool) -> "Examples":
        """Some rows, with the classes that occur in them; as a Table, or as they came."""
        some = self.part(rows, tables=tables)
        if some.task != "classification" or some.classes is None:
            return some
        present, target = np.unique(some.target, return_inverse=True)
        return replace(some, target=target, classes=some.classes[present])

    def part(self, rows: np.ndarray, *, tables: bool = True) -> "Examples":
        """Some rows, with all classes."""
        each = (self.weights, self.groups, self.time)
        weights, groups, time = (None if a is None else a[rows] for a in each)
        given = self.table.take(rows) if tables else rows_of(self.given, rows)
        return replace(self, given=given, target=self.target[rows], weights=weights, groups=groups, time=time)

    def for_model(self, model: Any) -> "Examples":
        """All rows as a model sees them: only sequence models see the name of a row's sequence."""
        if self.sequence is None or getattr(model, "sequence", None) == self.sequence:
            return self
        return self._row_by_row

    @cached_property
    def _row_by_row(self) -> "Examples":
        return replace(self, given=_without(self.given, str(self.sequence))[0], sequence=None)

    def select(self, names: Sequence[str]) -> "Examples":
        """All rows, with some of the inputs."""
        if tuple(names) == self.table.names:
            return self
        free = None if self.unlabelled is None else self.unlabelled.select(names)
        return replace(self, given=self.table.select(names), unlabelled=free)

    @cached_property
    def table(self) -> Table:
        """The inputs as a Table."""
        return read(self.given)

    @cached_property
    def labels(self) -> np.ndarray:
        """The targets as the user wrote them; of several labels 0 and 1, as scikit-learn takes them."""
        if self.task == "multilabel":
            return self.target.astype(int)
        return self.target if self.classes is None else self.classes[self.target]

    @cached_property
    def strata(self) -> np.ndarray:
        """The class, or the set of labels, of each row as a code; of numbers, all are alike."""
        if self.task == "multilabel":
            return np.unique(self.target, axis=0, return_inverse=True)[1].ravel()
        return np.zeros(len(self), dtype=np.intp) if self.classes is None else self.target

    @cached_property
    def column(self) -> Column:
        """The targets as a Column, which openbook's learners take without encoding it again."""
        if self.classes is None:
            return Column(Numeric(self.name), self.target)
        if self.task == "multilabel":
            return self.sets.column()
        attribute = Nominal(self.name, self._texts)
        return Column(attribute, self.target.astype(attribute.dtype))

    @cached_property
    def sets(self) -> LabelSets:
        """The labels of each row, where rows may have several."""
        return LabelSets(self.target, self._texts, self.name, free_separator(self._texts))

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return () if self.classes is None else tuple(as_text(label) for label in self.classes)

    def names(self, model: Any) -> np.ndarray:
        """The classes as the model is given them, in the order of their codes."""
        return np.array(self._texts) if takes_tables(model) or self.classes is None else self.classes

    def splits(self, split: Any) -> "Iterator[Split]":
        """Training and test rows from a splitter, or from pairs of positions or masks; checked."""
        n = len(self)
        known = "known" in (self.test_groups, getattr(split, "test_groups", "new"))
        for i, pair in enumerate(self._pairs(split)):
            train, test = (_positions(rows, n, i) for rows in pair)
            fold = Split(i, train, test)
            honest = not isinstance(split, OnTraining)
            yield fold.checked(n, None if known else self.groups) if honest else fold

    def _pairs(self, split: Any) -> Iterator[Any]:
        if not hasattr(split, "split"):
            yield from split
            return
        # scikit-learn's splitters warn of groups that they ignore; that none is split is checked anyway
        theirs = getattr(split, "get_metadata_routing", None)
        groups = self.groups if theirs is None or "groups" in theirs().split.requests else None
        try:
            yield from split.split(np.zeros((len(self), 1)), self.target, groups)
        except ValueError as error:
            if isinstance(error, OpenbookError):
                raise
            lacking = "; pass groups" if "groups" in str(error) and self.groups is None else ""
            raise ParameterError(f"{split} cannot split these rows: {error}{lacking}") from error

    def n_splits(self, split: Any) -> int:
        """How many folds a splitter makes, or how many pairs there are."""
        if not hasattr(split, "split"):
            return len(split)
        return int(split.get_n_splits(np.zeros((len(self), 1)), self.target, self.groups))


@dataclass(frozen=True)
class Split:
    """The positions of a fold's training and test rows."""

    index: int
    train: np.ndarray
    test: np.ndarray

    @cached_property
    def n_train(self) -> int:
        """How many different rows train."""
        rows = self.train
        return len(rows) if (rows[1:] > rows[:-1]).all() else len(np.unique(rows))

    def checked(self, n: int, groups: np.ndarray | None = None) -> "Split":
        """Itself, if no row and no group both trains and tests."""
        training = np.zeros(n, dtype=bool)
        training[self.train] = True
        if (both := training[self.test]).any():
            row = self.test[both][0]
            raise DataError(
                f"split {self.index}: row {row} both trains and tests, so its score would be optimistic"
            )
        if groups is not None and (both := np.isin(groups[self.test], groups[self.train])).any():
            name = str(groups[self.test[both][0]])
            raise DataError(
                f"split {self.index}: group {name!r} both trains and tests; split by groups, as"
                " openbook.judge.GroupFolds and protocol(y, groups=…) do, or, by time, say"
                " test_groups='known'"
            )
        return self


@dataclass(frozen=True)
class RowsOfFold:
    """The rows of a fold, in the form that each model takes; openbook's learners share one table."""

    examples: Examples
    split: Split

    def for_model(self, model: Any) -> "RowsOfFold":
        """The rows as a model sees them: only sequence models see the name of a row's sequence, and a matrix
        of distances keeps the columns of the training rows.
        """
        seen = self.examples.for_model(model)
        if takes_tables(model) and get_tags(model).input_tags.pairwise:
            if self.split.n_train < len(self.split.train):
                what = "a bootstrap sample repeats rows, which precomputed distances do not allow"
                raise ParameterError(f"{what}; use cv=5")
            names = [seen.table.names[i] for i in self.split.train]
            return replace(self, examples=seen.select(names))
        return self if seen is self.examples else self._row_by_row

    @cached_property
    def _row_by_row(self) -> "RowsOfFold":
        return replace(self, examples=self.examples.for_model(None))

    def training(self, model: Any) -> tuple[Any, Any]:
        rows, examples = self.split.train, self.examples
        if takes_tables(model):
            if examples.task == "multilabel":
                return self._train_table, examples.sets.take(rows)
            y = examples.column.take(rows)
            if examples.unlabelled is None or not getattr(model, "_takes_unlabelled", False):
                return self._train_table, y
            gaps = np.full(len(examples.unlabelled), UNLABELLED, y.data.dtype)
            return self._train_and_unlabelled, Column(y.attribute, np.concatenate([y.data, gaps]))
        return rows_of(examples.given, rows), examples.labels[rows]

    def arguments(self, model: Any) -> dict[str, np.ndarray]:
        """Further arguments of `fit`: the weights of the training rows, and groups and times if it takes
        them.
        """
        prefix, last = "", model
        while isinstance(last, Pipeline):
            prefix, last = f"{prefix}{last.steps[-1][0]}__", last.steps[-1][1]
        rows = self.examples
        given = {"sample_weight": rows.weights, "groups": rows.groups, "time": rows.time}
        taken = {name: a for name, a in given.items() if a is not None and has_fit_parameter(last, name)}
        if self.examples.weights is not None and "sample_weight" not in taken:
            raise ParameterError(f"{type(last).__name__} takes no sample_weight; judge it without")
        return {f"{prefix}{name}": array[self.split.train] for name, array in taken.items()}

    def testing(self, model: Any) -> Any:
        return self._test_table if takes_tables(model) else rows_of(self.examples.given, self.split.test)

    @cached_property
    def _train_table(self) -> Table:
        return self.examples.table.take(self.split.train)

    @cached_property
    def _train_and_unlabelled(self) -> Table:
        assert self.examples.unlabelled is not None
        return stacked_rows([self._train_table, self.examples.unlabelled])

    @cached_property
    def _test_table(self) -> Table:
        return self.examples.table.take(self.split.test)


def rows_of(given: Any, rows: np.ndarray) -> Any:
    """Some rows of inputs as they came."""
    if isinstance(given, Table):
        return given.take(rows)
    from sklearn.utils import _safe_indexing

    return _safe_indexing(given, rows)


def labelled_apart(X: Any, y: Any) -> tuple[Any, Any, Table | None]:
    """The rows that have a target, their targets, and the other rows; None if there are none."""
    table, target = read(X).split(y) if isinstance(y, str) else (X, y)
    gaps = codes_where_labelled(target)[2] == UNLABELLED
    if not gaps.any():
        return X, y, None
    table, known = read(table), np.flatnonzero(~gaps)
    labels = (
        target.take(known) if isinstance(target, Column) else np.array(np.asarray(target)[known].tolist())
    )
    return table.take(known), labels, table.take(gaps)


def takes_tables(model: Any) -> bool:
    """Whether a model is one of openbook's learners, or wraps one and says so by `takes_tables`."""
    return bool(getattr(model, "takes_tables", isinstance(model, Learner)))


def model_task(models: Iterable[Any]) -> Task:
    """What the models predict, which must be the same for all."""
    from sklearn.base import is_classifier, is_regressor

    tasks: dict[Task, Any] = {}
    for model in models:
        if is_classifier(model):
            several = not get_tags(model).target_tags.single_output
            tasks["multilabel" if several else "classification"] = model
        elif is_regressor(model):
            tasks["regression"] = model
        else:
            what = f"{model!r} is neither a classifier nor a regressor"
            raise ParameterError(f"{what}, so its predictions cannot be scored")
    if len(tasks) > 1:
        words = {"classification": "classes", "regression": "numbers", "multilabel": "several labels"}
        (task, model), (other, second) = list(tasks.items())[:2]
        what = f"{model!r} predicts {words[task]} and {second!r} {words[other]}"
        raise ParameterError(f"{what}; compare like with like")
    if not tasks:
        raise ParameterError("no model to judge; give at least one")
    return next(iter(tasks))


def sequence_of(models: Iterable[Any]) -> str | None:
    """The column that names each row's sequence, if one of the models goes by such a column."""
    named = (getattr(model, "sequence", None) for model in models)
    return next((name for name in named if isinstance(name, str)), None)


def _given_or_named(X: Any, values: Any) -> tuple[Any, Any]:
    """X and the values; if these are the name of a column of X, the column, which is then removed from X."""
    return _without(X, values) if isinstance(values, str) else (X, values)


def _without(X: Any, target: str) -> tuple[Any, Column]:
    """The inputs without the target's column, and that column."""
    table, y = read(X).split(target)
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return (frame.drop(target).to_native() if isinstance(frame, nw.DataFrame) else table), y


def _encoded(y: Any, task: Task) -> tuple[str, np.ndarray | None, np.ndarray]:
    """The name of a target, its classes or labels, and the target as it is judged by."""
    if task == "classification":
        return class_codes(y)
    if task == "multilabel":
        sets = label_sets(y)
        return sets.name, np.array(sets.labels), sets.cells
    return name_of_target(y, "target"), None, _numbers(y)


def _numbers(y: Any) -> np.ndarray:
    name = name_of_target(y, "target")
    if isinstance(y, Column) and not isinstance(y.attribute, Numeric):
        raise DataError(f"target {name!r} is {y.attribute.kind}, and a regressor predicts numbers")
    try:
        numbers = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"target {name!r} does not hold numbers, and a regressor predicts numbers") from None
    if numbers.ndim != 1:
        raise DataError(f"target {name!r} must have one dimension, got shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise DataError(f"target {name!r} is {numbers[row]} in row {row}; leave such rows out")
    return numbers


def _positions(given: Any, n: int, i: int) -> np.ndarray:
    rows: np.ndarray = np.asarray(given)
    if rows.dtype == bool:
        if len(rows) != n:
            raise DataError(f"split {i}: a mask of {len(rows)} for {n} rows")
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or len(rows) == 0:
        raise DataError(f"split {i}: training and test rows must each be a list of at least one position")
    if rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n:
        raise DataError(f"split {i}: positions must be whole numbers from 0 to {n - 1}")
    return rows
