"""Pre-training: features are learnt from all rows, and a learner of labelled rows goes by them.

    z = features(x)          learnt from labelled and unlabelled rows, without their labels
    P(c | x) = P(c | z)      by a classifier that is fitted to the labelled rows

The features are the scores of principal components, the code of an autoencoder, the components' shares of a
row in a mixture, distances from the centres of clusters: whatever the first learner gives by `transform` or,
where it has none, by `predict_proba`. Missing cells are that learner's affair.

z : float64 (n_rows, n_features)
"""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier
from openbook.border.not_taken import Declared
from openbook.border.rows import UNLABELLED, none_labelled
from openbook.data import Numeric, Schema, Table
from openbook.ensemble.members import Ensemble, copied, fitted, gathered, probabilities, takes_weights
from openbook.errors import ParameterError
from openbook.label.assumptions import ASSUMPTIONS, neighbours_agree
from openbook.linear import LogisticRegression
from openbook.reduce import PCA
from openbook.spaces.mixed import MixedDistance, MixedIndex
from openbook.work import Grid, Work

#: The share of the variance that components explain where no other features are asked for.
_EXPLAINED = 0.9


class PretrainedClassifier(Declared, Ensemble, Classifier):
    """Learn features from all rows, and the class from the features of the labelled ones.

    It helps where few features hold what matters of many columns, and the rows without a label show which.

    Parameters
    ----------
    projection : estimator or None, default=None
        What learns without a target from all rows, and has `transform` or `predict_proba`: `PCA`,
        `Autoencoder`, `GaussianMixture`, `KMeans`. None for the principal components that explain nine tenths
        of the variance.
    estimator : classifier or None, default=None
        The classifier of the labelled rows; None for `LogisticRegression()`.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    projection_ : estimator
        Fitted to all rows.
    estimators_ : list
        The classifier, fitted to the features of the labelled rows.
    n_rows_ : tuple of (int, int)
        How many rows the features and the classifier were learnt from.

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> labels = [label if i % 10 == 0 else None for i, label in enumerate(y)]
    >>> model = PretrainedClassifier(PCA(2)).fit(X, labels)
    >>> model.n_rows_, model.projection_.n_components_
    ((150, 15), 2)
    """

    projection: Any = None
    estimator: Any = None
    random_state: Any = None

    _takes_unlabelled = True
    _assumes = "features"
    _pools = False
    _reads_texts = False  # the features do, where they can

    def _first(self):
        return PCA(_EXPLAINED) if self.projection is None else self.projection

    def _learners(self):
        return [LogisticRegression() if self.estimator is None else self.estimator]

    def _check_learners(self):
        super()._check_learners()
        first = self._first()
        learns = not isinstance(first, type) and hasattr(first, "fit")
        if not learns or not (hasattr(first, "transform") or hasattr(first, "predict_proba")):
            msg = f"PretrainedClassifier: {first!r} gives no features; pass one such as PCA(2)"
            raise ParameterError(msg)

    def refusal(self, schema):
        first = self._first()
        return first.refusal(schema) if hasattr(first, "refusal") else None

    def _fit(self, rows):
        X, y, w = gathered(rows)
        known, random = np.flatnonzero(y != UNLABELLED), check_random_state(self.random_state)
        if not len(known):
            raise none_labelled(self.target_)
        first = copied(self._first(), random)
        self.projection_ = first.fit(X, sample_weight=w) if takes_weights(type(first).fit) else first.fit(X)
        seen = self._seen_by(0, X.take(known))
        learner = copied(self._learners()[0], random)
        self.estimators_ = [fitted(learner, seen, self._member_target(y[known]), w[known])]
        self.n_rows_ = len(y), len(known)

    def _seen_by(self, i, X):  # noqa: ARG002 (there is one member)
        return features_of(self.projection_, X)

    def _columns_of(self, i):
        return tuple(feature_names(self.projection_, self.estimators_[i].n_features_in_))

    def _proba(self, X):
        return probabilities(self.estimators_[0], self._seen_by(0, X), self.classes_)

    def _evidence(self, rows):
        first, labelled = copied(self._first(), check_random_state(0)).fit(rows.X), rows.labelled
        z = features_of(first, labelled.X)
        distance = MixedDistance.of(z)
        near = MixedIndex(distance, z).query(distance.coordinates(z), 2)[1]
        return neighbours_agree(labelled.codes, near, ", by these features")

    def complexity(self):
        check_is_fitted(self)
        each = len(self.schema_) * self.estimators_[0].n_features_in_  # a figure for each column and feature
        own = self.projection_.complexity() if hasattr(self.projection_, "complexity") else each
        return own + super().complexity()

    def _work(self):
        rows = zip(("features", "classifier"), self.n_rows_, strict=True)
        end = (
            f"Assumption: {ASSUMPTIONS[self._assumes]}. Compare with the learner of the labelled rows alone."
        )
        parts = [Grid("learnt from", ("", "rows"), [*rows]), *self._works(None)]
        return Work(f"Pre-training for {self.target_}: how it was fitted", tuple(parts), end)

    def _work_row(self, X):
        *parts, last = self._works(X)
        return Work(f"Pre-training for {self.target_}: one prediction", (*parts, last), last.conclusion)

    def _works(self, row):
        """The work of both learners, as far as they show it."""
        seen = None if row is None else self._seen_by(0, row)
        both = ((self.projection_, row), (self.estimators_[0], seen))
        return [model.work(given) for model, given in both if hasattr(model, "work")]

    def _saved(self):
        saved = super()._saved()
        members = {**saved.members, "projection": self.projection_}
        return saved._replace(facts={**saved.facts, "rows": list(self.n_rows_)}, members=members)

    def _opened(self, saved):
        members = dict(saved.members)
        self.projection_ = members.pop("projection")
        whole, known = map(int, saved.facts["rows"])
        self.n_rows_ = whole, known
        super()._opened(saved._replace(members=members))
        if self.projection_.schema_.given.names != self.schema_.given.names:
            raise ValueError("its features were learnt from another table")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._first()).input_tags
        return tags


def features_of(first, X):
    """What a learner without a target makes of rows, as a table of numbers."""
    z = np.asarray(first.transform(X) if hasattr(first, "transform") else first.predict_proba(X), float)
    return Table(Schema(tuple(map(Numeric, feature_names(first, z.shape[1])))), [*z.T])


def feature_names(first, n):
    """What the n features are called."""
    if hasattr(first, "get_feature_names_out"):
        return first.get_feature_names_out().tolist()
    return [f"component {k}" for k in range(n)]
