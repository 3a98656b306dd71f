"""Label powersets: every set of labels that training rows have is a class of its own.

    P(S | x)    of the classifier of sets
    P_l(x)      = sum of P(S | x) over the sets S that have label l

The most probable set is predicted, so only sets of training rows are predicted; with tuned thresholds each
label is decided by P_l(x).
"""

import numpy as np

from openbook.damage import require
from openbook.data import Column, Nominal
from openbook.ensemble.members import copied, fitted, probabilities
from openbook.multilabel.learner import MultiLabelLearner

#: What the class of rows without labels is called.
_NONE = "(none)"


class LabelPowerset(MultiLabelLearner):
    """A label powerset around any classifier: each set of labels is a class.

    Parameters
    ----------
    estimator : classifier
    thresholds : {"f1", "balanced_accuracy"} or None, default=None
        The score that the threshold of each label maximises, in five inner folds; None predicts the most
        probable set.
    random_state : int or None, default=None

    Attributes
    ----------
    estimators_ : list
        The fitted classifier of sets, alone.
    sets_ : ndarray of shape (n_sets, n_labels)
        The labels of each set that training rows have.
    labels_ : ndarray of shape (n_labels,)
        The labels, in the order of the columns of `predict`.
    thresholds_ : ndarray of shape (n_labels,)
        The threshold of each label; 0.5 if none was tuned.
    separator_ : str
        What stands between the labels of a set that is written.
    worded_ : Schema or None
        The columns that the classifiers see, with every word of texts instead of them; None if there are
        no texts, or each classifier chooses words of its own.

    Notes
    -----
    Guide: docs/guide/multilabel.md

    Examples
    --------
    >>> from openbook.tree import ID3
    >>> X = [{"colour": "red"}, {"colour": "green"}, {"colour": "red"}, {"colour": "blue"}]
    >>> model = LabelPowerset(ID3()).fit(X, ["warm|bright", "bright", "warm|bright", ""])
    >>> len(model.sets_), model.predict_sets([{"colour": "red"}, {"colour": "blue"}])
    (3, ['bright|warm', ''])
    """

    _title = "Label powerset"

    def _fit_members(self, X, cells, weights):
        self.sets_, which = np.unique(cells, axis=0, return_inverse=True)
        target = Column(Nominal(self.target_, tuple(self._names())), which.ravel().astype(np.int32))
        rng = np.random.RandomState(self.random_state or 0)
        self.estimators_ = [fitted(copied(self.estimator, rng), X, target, weights)]

    def _names(self):
        """The sets as classes; a separator alone is no label, so it can stand for none."""
        none = self.separator_ if _NONE in self.labels_ else _NONE
        return [name or none for name in self._sets(self.sets_).written()]

    def _of_sets(self, X):
        return probabilities(self.estimators_[0], X, np.array(self._names()))

    def _members_proba(self, X):
        return np.minimum(self._of_sets(X) @ self.sets_.astype(float), 1.0)

    def _decisions(self, X, proba):
        if self.thresholds is not None:
            return super()._decisions(X, proba)
        return self.sets_[self._of_sets(X).argmax(axis=1)]

    def _rule(self):
        return "The most probable set is predicted." if self.thresholds is None else super()._rule()

    def _seen_by_members(self, X):
        return [("sets of labels", self.estimators_[0], X)]

    def _saved(self):
        saved = super()._saved()
        return saved._replace(arrays={**saved.arrays, "sets_": self.sets_})

    def _opened(self, saved):
        self.sets_ = saved.arrays["sets_"]
        super()._opened(saved)

    def _check_members(self):
        shape = (len(np.unique(self.sets_, axis=0)), len(self.labels_))
        distinct = self.sets_.dtype == bool and self.sets_.shape == shape and len(self.estimators_) == 1
        require(distinct, "its sets are not distinct sets of its labels")
        known = set(self.estimators_[0].classes_.tolist()) <= set(self._names())
        require(known, "its classifier knows a set that it does not")
