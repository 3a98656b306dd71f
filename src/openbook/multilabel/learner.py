r"""Learners of several labels: what binary relevance, chains and powersets share.

    P_l(x)         the probability that a row has label l
    decision       label l where P_l(x) > 1/2, or where P_l(x) >= t_l if thresholds are tuned
    t_l            the threshold whose decisions score best on training rows that the learner had not seen

Thresholds are tuned one by one for each label: inner folds, stratified over labels, predict every training
row once (`openbook.decide.threshold.best_threshold`). A label that all training rows have, or none, needs no
classifier: its member is a `ZeroR`. Missing cells are the classifier's affair.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from openbook.baseline import ZeroR
from openbook.border.base import Saved
from openbook.border.rules import Maybe, OneOf, ParameterRule, Whole, check_parameters
from openbook.data import Column, Nominal, Schema, Table, read
from openbook.decide.threshold import best_threshold
from openbook.ensemble.members import copied, fitted
from openbook.ensemble.output_codes import SIDES
from openbook.errors import ParameterError
from openbook.judge.folds.label_folds import IterativeStratification
from openbook.multilabel.label_sets import SEPARATOR, LabelSets, inputs_and_labels
from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.work import Grid, Step, Work

__all__ = ["MultiLabelLearner"]

_EVEN = 0.5
#: In so many folds thresholds are tuned.
_INNER_FOLDS = 5


@documented
class MultiLabelLearner(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A learner of several labels around a classifier; a subclass fits its members and asks them."""

    _rules: ClassVar[Mapping[str, ParameterRule]] = {
        "thresholds": Maybe(OneOf("f1", "balanced_accuracy")),
        "random_state": Maybe(Whole(at_least=0)),
    }

    estimators_: list[Any]
    labels_: np.ndarray
    thresholds_: np.ndarray

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        documented(cls)

    @abstractmethod
    def _fit(self, X: Table, cells: np.ndarray, weights: np.ndarray) -> None:
        """Fit the members."""

    @abstractmethod
    def _proba(self, X: Table) -> np.ndarray:
        """The probability of each label, (n_rows, n_labels)."""

    def fit(self, X, y, sample_weight=None):
        """Fit the members, and tune the thresholds where that is asked for.

        Parameters
        ----------
        X : table-like
        y : array-like, str or list of str
            The sets of labels: texts with | between labels, lists of labels, columns of 0 and 1; or the name
            of a column of X that holds sets, or the names of columns of 0 and 1.
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        check_parameters(self, self._rules)
        table, sets = inputs_and_labels(X, y)
        if (reason := self.refusal(table.schema)) is not None:
            msg = f"{type(self.estimator).__name__} {reason}"
            raise ParameterError(msg)
        given = sample_weight is not None
        weights = np.asarray(sample_weight, dtype=float) if given else np.ones(len(table))
        self.labels_, self.target_ = np.array(sets.labels), sets.name
        self._remember(table.schema)
        self._fit(table, sets.cells, weights)
        self.thresholds_ = self._tuned(table, sets, weights if given else None)
        return self

    def _remember(self, schema):
        self.schema_, self.n_features_in_ = schema, len(schema)

    def _member(self, X, name, column, weights):
        """A copy of the classifier, fitted to one label."""
        learner = self.estimator if 0 < column.sum() < len(column) else ZeroR()
        rng = np.random.RandomState(self.random_state or 0)
        target = Column(Nominal(name, tuple(SIDES)), column.astype(np.int8))
        return fitted(copied(learner, rng), X, target, weights)

    def _tuned(self, X, sets, weights):
        """The threshold of each label."""
        even = np.full(len(self.labels_), _EVEN)
        if self.thresholds is None or len(sets) < _INNER_FOLDS:
            return even
        proba = np.zeros(sets.cells.shape)
        plain = clone(self).set_params(thresholds=None)
        for train, test in IterativeStratification(_INNER_FOLDS, self.random_state or 0).split(X, sets.cells):
            own = None if weights is None else weights[train]
            model = clone(plain).fit(X.take(train), sets.take(train), own)
            proba[test] = model._proba(X.take(test))  # noqa: SLF001 (of its own class)
        counted = np.ones(len(sets)) if weights is None else weights
        pairs = zip(sets.cells.T, proba.T, strict=True)
        return np.array([best_threshold(has, p, counted, self.thresholds)[0] for has, p in pairs])

    def predict(self, X):
        """Whether each row has each label.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_labels)
            0 or 1, in the order of `labels_`.
        """
        return self._decisions(self._rows(X)).astype(int)

    def predict_sets(self, X):
        """The labels of each row.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        list of str
            The labels with | between them; empty for none.
        """
        return LabelSets(self.predict(X).astype(bool), tuple(self.labels_.tolist())).written()

    def predict_proba(self, X):
        """The probability of each label.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_labels)
            In the order of `labels_`.
        """
        return self._proba(self._rows(X))

    def predict_log_proba(self, X):
        """The natural logarithm of `predict_proba`.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_labels)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _rows(self, X):
        """New rows as a table, whose columns the members encode."""
        check_is_fitted(self)
        return read(X, self.schema_)

    def _decisions(self, X):
        """Whether each row has each label, bool (n_rows, n_labels)."""
        proba = self._proba(X)
        return proba > _EVEN if self.thresholds is None else proba >= self.thresholds_

    def score(self, X, y, sample_weight=None):
        """The subset accuracy: the share of rows whose whole set of labels is right.

        Parameters
        ----------
        X : table-like
        y : array-like, str or list of str
            The sets of labels, in any form that `fit` takes.
        sample_weight : array-like or None, default=None

        Returns
        -------
        float
        """
        table, sets = inputs_and_labels(X, y)
        known = {label: j for j, label in enumerate(self.labels_.tolist())}
        truth = np.zeros((len(sets), len(known) + 1), dtype=bool)  # the last: labels that training never saw
        for j, label in enumerate(sets.labels):
            truth[:, known.get(label, -1)] |= sets.cells[:, j]
        right = (truth[:, :-1] == self.predict(table)).all(axis=1) & ~truth[:, -1]
        return float(np.average(right, weights=sample_weight))

    def refusal(self, schema):
        """Why the classifier cannot fit a table of this schema; others than ours do not say.

        Parameters
        ----------
        schema : Schema
            The columns of the table, without the target.

        Returns
        -------
        str or None
        """
        return self.estimator.refusal(schema) if hasattr(self.estimator, "refusal") else None

    def complexity(self):
        """The size of all members together.

        Returns
        -------
        int
        """
        check_is_fitted(self)
        return sum(member.complexity() for member in self.estimators_)

    def work(self, row=None):
        """How each label was learnt or, for a row, how it was decided.

        Parameters
        ----------
        row : mapping, Series, table, frame or sequence, default=None
            One row to decide about; None shows how the members were learnt.

        Returns
        -------
        Work
        """
        check_is_fitted(self)
        if row is None:
            head = ("label", "threshold")
            rows = list(zip(self.labels_.tolist(), self.thresholds_.tolist(), strict=True))
            works = [member.work() for member in self.estimators_ if hasattr(member, "work")]
            grid = Grid("labels", head, rows, self._rule())
            return Work(f"{self._title} for {self.target_}", (grid, *works))
        given = self.estimators_[0]._given_row(row)  # noqa: SLF001 (it sees the inputs alone)
        proba = self._proba(given)
        chosen = self._decisions(given)[0]
        figures = (part.tolist() for part in (self.labels_, proba[0], self.thresholds_, chosen))
        steps: list[Any] = [
            Step(f"P({label} | x)", result=p, note=f"{'yes' if has else 'no'}: the threshold is {figure(t)}")
            for label, p, t, has in zip(*figures, strict=True)
        ]
        labels = SEPARATOR.join(self.labels_[chosen]) or "none"
        parts = (*self._works_of_row(given), *steps)
        return Work(f"{self._title} for {self.target_}: one prediction", parts, f"Labels: {labels}.")

    #: What derivations call it.
    _title: ClassVar[str]

    def _rule(self) -> str:
        """How decisions are made, in words."""
        if self.thresholds is None:
            return "A row has a label where its probability is above 0.5."
        return f"Thresholds are tuned for {self.thresholds.replace('_', ' ')} in inner folds."

    @abstractmethod
    def _works_of_row(self, X: Table) -> list[Work]:
        """The derivations of the members for a row."""

    def _saved(self):
        members = {str(i): member for i, member in enumerate(self.estimators_)}
        facts = {"labels": self.labels_.tolist(), "target": self.target_, "schema": self.schema_.to_json()}
        return Saved(facts, {"thresholds_": self.thresholds_}, members)

    def _opened(self, saved):
        self.labels_ = np.array([str(label) for label in saved.facts["labels"]])
        self.target_ = str(saved.facts["target"])
        self._remember(Schema.from_json(saved.facts["schema"]))
        self.estimators_ = [saved.members[str(i)] for i in range(len(saved.members))]
        self.thresholds_ = saved.arrays["thresholds_"]
        right = self.thresholds_.dtype == np.float64 and self.thresholds_.shape == self.labels_.shape
        if not right or not len(self.labels_) or len(set(self.labels_.tolist())) < len(self.labels_):
            msg = "its labels and thresholds do not fit together"
            raise ValueError(msg)
        self._check_members()

    def _check_members(self):
        """Refuse members that are not one for each label, which only a damaged file has."""
        sides = [set(member.classes_.tolist()) <= set(SIDES.tolist()) for member in self.estimators_]
        if len(sides) != len(self.labels_) or not all(sides):
            msg = "its members are not one for each label"
            raise ValueError(msg)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags
