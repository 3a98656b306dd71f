"""Base of all attribute selections: a transformer that keeps some columns unchanged.

A selection learns which columns to keep from training rows and their target, and afterwards only leaves the
others out. What it is given comes back in the same form with fewer columns, cells untouched: a Table gives a
Table, a frame a frame of its own kind, an array an array; paths and dict rows give Tables. So kinds are kept
through a pipeline. Columns are matched by name where both sides have names, else by position.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from openbook.border.base import Estimator
from openbook.border.rules import check_parameters
from openbook.data import Nominal, Numeric, Ordinal, Schema, Table, Text, read
from openbook.data.forms import picked, with_rows
from openbook.data.frames import is_frame
from openbook.errors import DataError
from openbook.judge.folds.examples import Examples
from openbook.judge.scores.metrics import Task
from openbook.words.numbers import shown
from openbook.work import Grid, Work


class Selector(TransformerMixin, Estimator):
    """A transformer that keeps some of the columns; see the module.

    A selection says what y is (`_task`), chooses (`_select`), and shows its path (`_work`).

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.features import SelectAttributes
    >>> X, y = load("weather").split("play")
    >>> isinstance(SelectAttributes(k=1).fit(X, y), Selector)
    True
    """

    _accepts = (Numeric, Nominal, Ordinal, Text)

    #: Whether it chooses by a target.
    _needs_target = True

    support_: np.ndarray

    @abstractmethod
    def _task(self, y: Any) -> Task:
        """What the target is."""

    @abstractmethod
    def _select(self, examples: Examples) -> Sequence[str]:
        """The names of the columns to keep, at least one."""

    @abstractmethod
    def _work(self) -> Work:
        """The path that led to the columns kept."""

    def _work_row(self, X: Table) -> Work:
        rows = [
            (name, X.column(name)[0], "kept" if kept else "left out")
            for name, kept in zip(self.schema_.names, self.support_, strict=True)
        ]
        return Work(f"{type(self).__name__}: one row", (Grid("", ("column", "cell", ""), rows),))

    def _ranked(self, values: np.ndarray) -> list[tuple[str, str, str]]:
        """The columns by a figure of each, the largest first, and whether they are kept."""
        order = np.argsort(-values, kind="stable").tolist()
        kept = ["kept" if one else "" for one in self.support_]
        return [(self.schema_.names[j], shown(float(values[j])), kept[j]) for j in order]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the columns.

        Parameters
        ----------
        X : table-like
            Whatever `openbook.read` takes.
        y : array-like or str or None, default=None
            Array, Series, Column, or the name of a column of X.

        Returns
        -------
        self
        """
        with self._whole_or_not_at_all():
            check_parameters(self, self._rules)
            X = with_rows(X)
            if not self._needs_target:
                X = read(X).drop(y) if isinstance(y, str) else X
                y = np.zeros(X.shape[0] if hasattr(X, "shape") else len(X))
            if y is None:
                raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
            examples = self._examples(X, y)
            self._accept(examples.table)
            if len(examples) < 2:
                raise DataError(f"{type(self).__name__} needs at least two rows, got 1 sample")
            kept = set(self._select(examples))
            self.support_ = np.array([name in kept for name in self.schema_.names])
        return self

    def _examples(self, X: Any, y: Any) -> Examples:
        if isinstance(y, str):
            return Examples.of(X, y, self._task(read(X).column(y)))
        y = y if hasattr(y, "__len__") else np.asarray(y)
        return Examples.of(X, y, self._task(y))

    def transform(self, X: Any) -> Any:
        """The columns kept, in the form that X has.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            The rows, in the form that X has.
        """
        check_is_fitted(self, "support_")
        X = with_rows(X)
        kept = picked(X, self.schema_, self.selected_, type(self).__name__)
        self._warn_of_names(Schema((), X.schema.named if isinstance(X, Table) else is_frame(X)))
        if isinstance(kept, Table):
            forms = {"pandas": Table.to_pandas, "polars": Table.to_polars}
            if form := forms.get(_get_output_config("transform", self)["dense"]):
                return form(kept)
        return kept

    @property
    def selected_(self) -> tuple[str, ...]:
        """The names of the columns kept, in the order of the table."""
        return tuple(name for name, kept in zip(self.schema_.names, self.support_, strict=True) if kept)

    def get_support(self, indices: bool = False) -> np.ndarray:
        """Which columns are kept: a mask or, with `indices`, their positions.

        Parameters
        ----------
        indices : bool, default=False
            Whether to give positions instead of a mask.

        Returns
        -------
        ndarray
        """
        check_is_fitted(self, "support_")
        return np.flatnonzero(self.support_) if indices else self.support_.copy()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns kept; `input_features` are those of arrays, which have none.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            The names of the columns of arrays, which have none.

        Returns
        -------
        ndarray
        """
        check_is_fitted(self, "support_")
        names: np.ndarray = _check_feature_names_in(self, input_features)
        return names[self.support_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
