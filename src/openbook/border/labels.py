"""The border of learners of several labels at once: rows and sets of labels in, sets of labels out.

    cells : bool (n_rows, n_labels), whether a row has a label

A learner writes `_learn(X, sets, weights)` and `_answers(X)`: whether each row has each label, and the
probability of that. It sees tables in the columns of `schema_`.
"""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from openbook.border.base import Estimator, Saved
from openbook.border.learner import Learner
from openbook.border.rules import check_parameters
from openbook.data import Schema, Table
from openbook.data.label_sets import LabelSets, inputs_and_labels
from openbook.data.labels import SEPARATORS

Array = npt.NDArray[Any]

#: Above this probability a row has a label, unless a threshold is tuned.
EVEN = 0.5


class LabelLearner(ClassifierMixin, Estimator):
    """A learner of several labels at once."""

    labels_: Array
    target_: str
    separator_: str

    unlike = Learner.unlike

    @abstractmethod
    def _learn(self, X: Table, sets: LabelSets, weights: Array | None) -> None:
        """Learn from rows and their sets of labels."""

    @abstractmethod
    def _answers(self, X: Table) -> tuple[Array, Array]:
        """Whether each row has each label, and the probability of that, (n_rows, n_labels) each."""

    @property
    def takes_tables(self) -> bool:
        """Whether judging gives it Tables, rather than rows as they came."""
        return True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and the sets of labels that they have.

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
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        with self._whole_or_not_at_all(X):
            self._accept(table)
            self.labels_, self.target_, self.separator_ = np.array(sets.labels), sets.name, sets.separator
            self._learn(table, sets, weights)
        return self

    def predict(self, X: Any) -> Array:
        """Whether each row has each label.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_labels)
            0 or 1, in the order of `labels_`.
        """
        return self.answers(X)[0].astype(int)

    def predict_sets(self, X: Any) -> list[str]:
        """The labels of each row.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        list of str
            The labels, separated as in the target; empty for none.
        """
        return self._sets(self.answers(X)[0]).written()

    def predict_proba(self, X: Any) -> Array:
        """The probability of each label.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_labels)
            In the order of `labels_`.
        """
        return self.answers(X)[1]

    def predict_log_proba(self, X: Any) -> Array:
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

    def answers(self, X: Any) -> tuple[Array, Array]:
        """What `predict` and `predict_proba` say, in one pass over the rows.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        tuple of (ndarray, ndarray)
            Whether each row has each label, and the probability of that.
        """
        check_is_fitted(self)
        return self._answers(self._encode(X))

    def _sets(self, cells: Array) -> LabelSets:
        return LabelSets(cells, tuple(self.labels_.tolist()), self.target_, self.separator_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
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
        right = (truth[:, :-1] == self.answers(table)[0]).all(axis=1) & ~truth[:, -1]
        return float(np.average(right, weights=sample_weight))

    def knobs(self) -> dict[str, Any]:
        """The parameters worth tuning: none.

        Returns
        -------
        dict of str to sequence
        """
        return {}

    def _saved(self) -> Saved:
        facts = {
            "labels": self.labels_.tolist(),
            "target": self.target_,
            "separator": self.separator_,
            "schema": self.schema_.to_json(),
        }
        return Saved(facts, dict(self._arrays()))

    def _opened(self, saved: Saved) -> None:
        self.labels_ = np.array([str(label) for label in saved.facts["labels"]])
        self.target_, self.separator_ = str(saved.facts["target"]), saved.facts.get("separator", "|")
        if not len(self.labels_) or len(set(self.labels_.tolist())) < len(self.labels_):
            raise ValueError("its labels must be a list of distinct texts")
        if self.separator_ not in SEPARATORS:
            raise ValueError("what separates its labels must be |, ; or a comma")
        self._remember(Schema.from_json(saved.facts["schema"]))
        self._restore(saved.arrays)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
