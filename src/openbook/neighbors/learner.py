"""The base of neighbour learners: the stored rows, their space, and the search for the nearest.

The model is the rows themselves (`StoredRows`). Whenever rows are added or removed, the space is computed
again: ranges or an encoding, and the index. A missing cell, in training or in a query, goes by the rule of
the distance: the largest possible distance in mixed distances, the mean of its column in the others.
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.folding import Folding
from openbook.border.learner import Classifier
from openbook.border.rules import Whole, check_value
from openbook.neighbors.votes import Ballots
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import DISTANCE_MEANINGS, Space, refusal


class NeighborLearner(Folding):
    """A learner that keeps its rows, and predicts from those near a query."""

    _counts_rows = True
    _meanings = DISTANCE_MEANINGS | {"n_neighbors": "The number of nearest rows that count."}

    _takes_means = True
    _wants_evidence = True  # a column counts as much as any other, so it has to tell something
    one_pass = False  # its statistics are the rows themselves

    def refusal(self, schema):
        return super().refusal(schema) or refusal(self.metric, schema)

    def _step(self):
        return StoredRows.of

    def _folded(self, rows):
        return StoredRows.gathered(rows)

    def _solve(self):
        options = {"scale": self.scale, "p": self.p, "algorithm": self.algorithm}
        self.space_ = Space(self.statistics_, self.schema_, self.metric, **options)
        self.effective_metric_ = self.space_.metric

    @property
    def encoding_(self):
        """How columns become coordinates; not for mixed distances, which take them as they are."""
        check_is_fitted(self)
        if self.space_.encoding is None:
            msg = f"the distance {self.effective_metric_!r} takes columns as they are, without an encoding"
            raise AttributeError(msg)
        return self.space_.encoding

    @property
    def n_samples_fit_(self):
        """The number of rows learnt from."""
        check_is_fitted(self)
        return len(self.statistics_)

    @property
    def index_(self):
        """The index that finds the nearest: its `name`, and the `reason` for it."""
        check_is_fitted(self)
        return self.space_.index

    def kneighbors(self, X, n_neighbors):
        """The distances and the rows of the nearest, both (m, n_neighbors), nearest first.

        Of equally near rows the first learnt comes first. Rows are numbered as they were learnt, from 0. If
        fewer were learnt, all of them come.

        Parameters
        ----------
        X : rows
        n_neighbors : int
            The number of rows.

        Returns
        -------
        distances, rows : arrays of shape (m, n_neighbors)
        """
        check_is_fitted(self)
        check_value("n_neighbors", n_neighbors, Whole(at_least=1))
        return self._nearest(self._encode(X), min(n_neighbors, len(self.statistics_)))

    def _nearest(self, X, count):
        """The distances and the rows of the nearest, both (m, count), by distance; ties: the first."""
        return self.space_.index.query(self.space_.coordinates(X), count)

    def _ballots(self, X, weight):
        """The nearest rows of each query, up to this weight if there are as many."""
        weights, n = self.statistics_.weights, len(self.statistics_)
        count = min(n, int(np.ceil(weight)))
        while True:
            distances, rows = self._nearest(X, count)
            ballots = Ballots(distances, rows, weights[rows])
            if count == n or (ballots.weights.sum(axis=1) >= weight).all():
                return ballots
            count = min(2 * count, n)

    def complexity(self):
        return len(self.statistics_) * max(len(self.schema_), 1)

    def _restore(self, arrays):
        n_classes = len(self.classes_) if isinstance(self, Classifier) else None
        self.statistics_ = StoredRows.from_arrays(self.schema_, arrays, n_classes)
        self._solve()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
