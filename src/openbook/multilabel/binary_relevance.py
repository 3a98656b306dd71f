"""Binary relevance: an independent two-class problem for each label.

P_l(x) = P(label l | x) of the classifier fitted to whether rows have label l
"""

import numpy as np

from openbook.ensemble.members import probabilities
from openbook.multilabel.learner import SIDES, MultiLabelLearner


class MultiOutputClassifier(MultiLabelLearner):
    """Binary relevance around any classifier: a copy for each label.

    The name and the shapes are scikit-learn's, but for `predict_proba`, whose columns are labels.

    Parameters
    ----------
    estimator : classifier
    thresholds : {"f1", "balanced_accuracy"} or None, default=None
        The score that the threshold of each label maximises, in five inner folds; None uses the threshold
        0.5.
    random_state : int or None, default=None

    Attributes
    ----------
    estimators_ : list
        The fitted classifier of each label.
    labels_ : ndarray of shape (n_labels,)
        The labels, in the order of the columns of `predict`.
    thresholds_ : ndarray of shape (n_labels,)
        The threshold of each label; 0.5 if none was tuned.
    separator_ : str
        What stands between the labels of a set that is written.
    worded_ : Schema or None
        The columns for the classifiers, with words instead of texts; None if there are no texts, or each
        classifier selects its own words.

    Notes
    -----
    Guide: docs/guide/multilabel.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> texts = ["the team won", "a vote on the team", "vote for the law"]
    >>> X = ob.read([{"text": text} for text in texts], kinds={"text": "text"})
    >>> model = MultiOutputClassifier(NaiveBayes()).fit(X, ["sport", "sport|politics", "politics"])
    >>> model.labels_.tolist(), model.predict_sets([{"text": "team team won won"}])
    (['politics', 'sport'], ['sport'])
    """

    _title = "Binary relevance"

    def _fit_members(self, X, cells, weights):
        self.estimators_ = [
            self._member(X, label, cells[:, j], weights) for j, label in enumerate(self.labels_.tolist())
        ]

    def _members_proba(self, X):
        return np.column_stack([probabilities(member, X, SIDES)[:, 1] for member in self.estimators_])

    def _seen_by_members(self, X):
        return zip(self.labels_.tolist(), self.estimators_, [X] * len(self.estimators_), strict=True)
