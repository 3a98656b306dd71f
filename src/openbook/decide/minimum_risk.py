"""Decisions of minimum risk, around any classifier with probabilities.

    R(i | x) = sum_j cost[i, j] P(j | x),    decide argmin_i R(i | x), the first of equals

cost[i, j] is the cost of deciding i when the truth is j. With 0/1 costs that is the most probable class.
With the reject option no decision is made where even the least risk exceeds the cost of rejecting. A class
without training rows has probability 0 and is never predicted, whatever its costs; this happens to a rare
class in some folds. The classifier handles missing cells.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.base import Saved
from openbook.border.learner import class_names
from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Maybe, Number
from openbook.data import Categorical, Column
from openbook.data.attributes import as_text
from openbook.decide.around import AroundClassifier
from openbook.measures import cost_matrix, expected_risk
from openbook.measures.decisions import least_risk, risk_steps
from openbook.work import Work


class MinimumRisk(Declared, AroundClassifier):
    r"""Minimum risk (the Bayes decision rule): decide for the lowest expected cost.

    .. math:: R(i \mid x) = \sum_j \lambda_{ij} P(j \mid x)

    Parameters
    ----------
    estimator : classifier
        Any classifier with `predict_proba`.
    costs : square array, nested mapping or None, default=None
        `costs[i][j]` is the cost of deciding i when the truth is j, an array in the order of the target's
        classes; None is 0 for a correct and 1 for a wrong decision.
    reject : float or None, default=None
        The cost of making no decision; `predict` returns None for rows for which this is cheapest. None
        always decides.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    classes_ : ndarray of shape (n_classes,)
    costs_ : ndarray of shape (n_classes, n_classes)
        The costs of the classes that training rows show.

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("weather").split("play")
    >>> careful = MinimumRisk(NaiveBayes(), costs={"Yes": {"No": 9}, "No": {"Yes": 1}}).fit(X, y)
    >>> careful.predict(X.head(3)).tolist()
    ['No', 'No', 'No']
    """

    estimator: Any
    costs: Annotated[Any, Anything("None, a square array or a mapping of decision to truth to cost")] = None
    reject: Annotated[float | None, Maybe(Number(at_least=0))] = None

    @property
    def _takes_unlabelled(self):
        """Whether the classifier learns from rows without a target, too."""
        return getattr(self.estimator, "_takes_unlabelled", False)

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        self._check(sample_weight)
        fitted = self._fitted(X, y, sample_weight)
        named = isinstance(y, Column) and isinstance(y.attribute, Categorical)
        return self._around(fitted, y.attribute.values if named else map(as_text, fitted.classes_.tolist()))

    def _around(self, fitted, possible):
        """Become the decider around a fitted classifier; `possible` are all classes of the target."""
        self._possible = list(possible)
        self.costs_ = self._costs_among([as_text(label) for label in fitted.classes_.tolist()])
        self.classes_ = fitted.classes_
        self.estimator_ = fitted
        return self

    def _costs_among(self, seen):
        """The costs of the classes that training rows show; others may be given, and are checked too."""
        if self.costs is None:
            return 1.0 - np.eye(len(seen))
        if isinstance(self.costs, Mapping):
            decisions = {as_text(label) for label in self.costs}
            classes = [label for label in self._possible if label in seen or label in decisions]
        else:
            classes = self._possible if np.shape(self.costs)[:1] == (len(self._possible),) else seen
        at = [classes.index(label) for label in seen]
        return cost_matrix(self.costs, classes)[np.ix_(at, at)]

    def _saved(self):
        return Saved({"classes": self._possible}, {}, {"estimator": self.estimator_})

    def _opened(self, saved):
        self._around(saved.members["estimator"], saved.facts["classes"])

    def risk(self, X):
        """The expected cost of each decision, in the order of `classes_`.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return expected_risk(self.predict_proba(X), self.costs_)

    def predict(self, X):
        """The decision of least risk.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows,)
            None where rejecting is cheaper.
        """
        risks = self.risk(X)
        decisions = self.classes_[risks.argmin(axis=1)]
        if self.reject is None:
            return decisions
        return np.where(risks.min(axis=1) > self.reject, None, decisions.astype(object))

    def work(self, row=None):
        """How the classifier was learnt or, for a row, its probabilities and the risk of each decision.

        Parameters
        ----------
        row : mapping, Series, table, frame or sequence, default=None
            One row to decide about; None shows how the classifier was learnt.

        Returns
        -------
        Work
        """
        check_is_fitted(self)
        inner = self._learner("work").work(row)
        if row is None:
            return Work("Minimum risk: the classifier", (inner,))
        proba = self.predict_proba(self._one_row(row))[0].tolist()
        labels = class_names(self)
        steps = risk_steps(labels, self.costs_, proba)
        return Work("Minimum risk: one decision", (inner, *steps), least_risk(steps, labels, self.reject))
