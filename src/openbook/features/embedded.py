"""Embedded selection: keep the attributes that a fitted learner relies on."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from openbook.border.not_taken import Declared
from openbook.errors import ParameterError
from openbook.features.select import Count, Share, number_kept
from openbook.features.selector import Selector
from openbook.judge.folds.examples import Examples, RowsOfFold, Split, model_task
from openbook.judge.scores.metrics import Task
from openbook.work import Grid, Work


class EmbeddedSelection(Declared, Selector):
    """Keep the attributes of the largest importance to a learner, fitted once on all of them.

    The importance of an attribute is its `feature_importances_`, or the sum of the absolute `coef_` of its
    encoded columns, over all classes, each per standard deviation of its column. Those of other libraries'
    learners are in the units of the columns: scale them first.

    Parameters
    ----------
    estimator : estimator
        A learner with `feature_importances_` or `coef_`.
    k : int or None, default=None
        How many to keep.
    fraction : float or None, default=None
        This share of them, rounded up. With neither, those of at least the mean importance.

    Attributes
    ----------
    importances_ : ndarray
        The importance of each column, in the order of the table.
    support_ : ndarray of bool
        Which columns are kept.
    selected_ : tuple of str
        The names of the columns that are kept.

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import CART
    >>> X, y = load("iris").split("species")
    >>> EmbeddedSelection(CART(), k=2).fit(X, y).selected_
    ('petal length (cm)', 'petal width (cm)')
    """

    estimator: Any
    k: Count = None
    fraction: Share = None

    def _task(self, y: Any) -> Task:  # noqa: ARG002 (the learner says it)
        return model_task([self.estimator])

    def _select(self, examples: Examples) -> list[str]:
        names = examples.table.names
        count = number_kept(self, len(names), optional=True)
        self.estimator_ = fitted_on_all(self.estimator, examples)
        self.importances_ = importances_of(self.estimator_, len(names), "EmbeddedSelection")
        order = np.argsort(-self.importances_, kind="stable")
        if not self.importances_.any():
            name = type(self.estimator).__name__
            warnings.warn(f"EmbeddedSelection: {name} uses no attribute; the first is kept", stacklevel=3)
            count = 1
        if count is None:
            count = int((self.importances_ >= self.importances_.mean()).sum())
        return [names[j] for j in order[:count]]

    def _work(self) -> Work:
        """The importances, and which attributes they keep."""
        rows = self._ranked(self.importances_)
        end = f"Kept {len(self.selected_)} of {len(rows)}: {', '.join(self.selected_)}."
        grid = Grid("", ("attribute", "importance", ""), rows)
        return Work(f"Attributes by their importance to {type(self.estimator).__name__}", (grid,), end)


def fitted_on_all(estimator: Any, examples: Examples) -> Any:
    """A copy of a learner, fitted to all rows."""
    rows = np.arange(len(examples))
    return clone(estimator).fit(*RowsOfFold(examples, Split(0, rows, rows)).training(estimator))


def importances_of(model: Any, columns: int, who: str) -> np.ndarray:
    """One number for each column of the table."""
    importances = getattr(model, "feature_importances_", None)
    if importances is None:
        if not hasattr(model, "coef_"):
            msg = f"{who}: {model!r} has neither feature_importances_ nor coef_; use a wrapper"
            raise ParameterError(msg)
        importances = np.abs(np.atleast_2d(model.coef_)).sum(axis=0)
        if hasattr(model, "encoding_"):
            # per standard deviation of its column, so that units do not matter
            importances = np.bincount(model.encoding_.columns, importances * model.encoding_.scale, columns)
    importances = np.asarray(importances, dtype=float)
    if importances.shape != (columns,):
        raise ParameterError(
            f"{who}: {columns} attributes, but {importances.size} importances;"
            " the learner's columns are not those of the table"
        )
    return importances
