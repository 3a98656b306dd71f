"""The rows to judge by: read once, targets encoded once.

    target : intp class codes or float64 numbers, (n_rows,)

openbook's own learners are given `Table`s, cut from one that is read once. Any other estimator is given
rows of `X` as it came, so that a scikit-learn pipeline sees the array or frame it was written for; a path
has no rows, so there it is given Tables too. A missing target is an error.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from openbook.base import Learner
from openbook.data import Column, Nominal, Numeric, Table, read
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError
from openbook.judge.metrics import Task
from openbook.rows import class_codes, name_of_target

__all__ = ["Cut", "Examples", "Split", "model_task"]


@dataclass(frozen=True)
class Examples:
    """Rows and their targets.

    Parameters
    ----------
    given : the inputs as they came
    target : class codes or numbers
    classes : the labels behind the codes; None for regression
    name : the target's name
    weights : how much each row counts in learning; None where all count the same
    """

    given: Any
    target: np.ndarray
    classes: np.ndarray | None
    name: str
    weights: np.ndarray | None = None

    @classmethod
    def of(cls, X: Any, y: Any, task: Task, weights: Any = None) -> "Examples":
        """Read and encode.

        Parameters
        ----------
        X : whatever `openbook.read` takes; for foreign estimators, whatever they take
        y : array, Series, Column, or the name of a column of X
        task : "classification" or "regression"
        weights : array of the rows' weights, optional
        """
        if isinstance(X, str | Path):
            X = read(X)
        if isinstance(y, str):
            X, y = _without(X, y)
        if len(y) == 0:
            raise DataError("y is empty; there is nothing to judge by")
        if task == "classification":
            name, classes, target = class_codes(y)
        else:
            name, classes, target = name_of_target(y), None, _numbers(y)
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if rows != len(target):
            raise DataError(f"X has {rows} rows, but y has {len(target)}")
        if weights is not None and (weights := np.asarray(weights, dtype=float)).shape != target.shape:
            raise DataError(f"sample_weight must be {len(target)} numbers, got shape {weights.shape}")
        return cls(X, target, classes, name, weights)

    @property
    def task(self) -> Task:
        return "regression" if self.classes is None else "classification"

    def __len__(self) -> int:
        return len(self.target)

    @cached_property
    def table(self) -> Table:
        """The inputs as a Table."""
        return read(self.given)

    @cached_property
    def labels(self) -> np.ndarray:
        """The targets as the user wrote them."""
        return self.target if self.classes is None else self.classes[self.target]

    @cached_property
    def column(self) -> Column:
        """The targets as a Column, which openbook's learners take without encoding it again."""
        if self.classes is None:
            return Column(Numeric(self.name), self.target)
        attribute = Nominal(self.name, self._texts)
        return Column(attribute, self.target.astype(attribute.dtype))

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return () if self.classes is None else tuple(as_text(label) for label in self.classes)

    def names(self, model: Any) -> np.ndarray:
        """The classes as the model is told them, in the order of their codes."""
        return np.array(self._texts) if isinstance(model, Learner) or self.classes is None else self.classes

    def splits(self, split: Any) -> "Iterator[Split]":
        """Training and test rows from a splitter, or from pairs of positions or masks; checked."""
        n = len(self)
        pairs: Iterable[Any] = (
            split.split(np.zeros((n, 1)), self.target) if hasattr(split, "split") else split
        )
        for i, pair in enumerate(pairs):
            train, test = (_positions(rows, n, i) for rows in pair)
            yield Split(i, train, test).checked(n)


@dataclass(frozen=True)
class Split:
    """The positions of a fold's training and test rows."""

    index: int
    train: np.ndarray
    test: np.ndarray

    def checked(self, n: int) -> "Split":
        training = np.zeros(n, dtype=bool)
        training[self.train] = True
        if (both := training[self.test]).any():
            row = self.test[both][0]
            raise DataError(
                f"split {self.index}: row {row} both trains and tests; no honest score comes of that"
            )
        return self


@dataclass(frozen=True)
class Cut:
    """The rows of a fold, in the form that each model takes; openbook's learners share one table."""

    examples: Examples
    split: Split

    def training(self, model: Any) -> tuple[Any, Any]:
        rows, examples = self.split.train, self.examples
        if isinstance(model, Learner):
            return self._train_table, examples.column.take(rows)
        return self._foreign(rows), examples.labels[rows]

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """The weights of the training rows, as `fit` takes them."""
        weights = self.examples.weights
        return {} if weights is None else {"sample_weight": weights[self.split.train]}

    def testing(self, model: Any) -> Any:
        return self._test_table if isinstance(model, Learner) else self._foreign(self.split.test)

    @cached_property
    def _train_table(self) -> Table:
        return self.examples.table.take(self.split.train)

    @cached_property
    def _test_table(self) -> Table:
        return self.examples.table.take(self.split.test)

    def _foreign(self, rows: np.ndarray) -> Any:
        given = self.examples.given
        if isinstance(given, Table):
            return given.take(rows)
        from sklearn.utils import _safe_indexing

        return _safe_indexing(given, rows)


def model_task(models: Iterable[Any]) -> Task:
    """What the models predict, which must be the same for all."""
    from sklearn.base import is_classifier, is_regressor

    tasks: dict[Task, Any] = {}
    for model in models:
        if is_classifier(model):
            tasks["classification"] = model
        elif is_regressor(model):
            tasks["regression"] = model
        else:
            raise ParameterError(
                f"{model!r} is neither a classifier nor a regressor, so its predictions cannot be scored"
            )
    if len(tasks) > 1:
        classifier, regressor = tasks["classification"], tasks["regression"]
        raise ParameterError(
            f"{classifier!r} predicts classes and {regressor!r} numbers; compare like with like"
        )
    if not tasks:
        raise ParameterError("no model to judge; give at least one")
    return next(iter(tasks))


def _without(X: Any, target: str) -> tuple[Any, Column]:
    """The inputs without the target's column, and that column."""
    table, y = read(X).split(target)
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return (frame.drop(target).to_native() if isinstance(frame, nw.DataFrame) else table), y


def _numbers(y: Any) -> np.ndarray:
    name = name_of_target(y)
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
