r"""Distance to the nearest centre of k-means: rows far from every cluster are outliers.

    score = d(x, c),  or, relative,  d(x, c) / median of d over the rows of the cluster

With relative distances, a row at the edge of a sparse cluster is not unusual for that reason. A median of 0
counts as that of all rows, or 1 if that is 0 too. See `clustered` for the encoding and missing cells.
"""

import numpy as np

from openbook.damage import checked_array, require
from openbook.outlier.clustered import Clustered
from openbook.words.numbers import fraction
from openbook.work import Step


class CentroidDistance(Clustered):
    """Centroid distance: how far the row lies from the nearest cluster centre.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    n_clusters : int, default=8
    relative : bool, default=True
        Whether the distance is divided by the median distance in the cluster.
    random_state : int, RandomState or None, default=None
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" is 0.1.
    top : int or None, default=None

    Attributes
    ----------
    encoding_ : Encoding
    centres_ : ndarray of shape (n_clusters, n_encoded)
        The centre of each cluster.
    sizes_ : ndarray of shape (n_clusters,)
        The weight of the rows of each cluster.
    medians_ : ndarray of shape (n_clusters,)
        The median distance in each cluster.
    threshold_ : float

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> CentroidDistance(n_clusters=1, top=1).fit_predict(X).tolist()
    [1, 1, 1, 1, -1]
    """

    relative: bool = True

    def _learn_distances(self, labels, distances):
        overall = np.median(distances) or 1.0
        clusters = (distances[labels == c] for c in range(len(self.centres_)))
        self.medians_ = np.array([(np.median(d) if len(d) else 0.0) or overall for d in clusters])

    def _factors(self):
        return 1 / self.medians_ if self.relative else np.ones(len(self.centres_))

    def _factor_step(self, c):
        if not self.relative:
            return Step("factor f", result=1)
        median = float(self.medians_[c])
        return Step("factor f", r"\frac{1}{median}", fraction(1, f"{median:.6g}"), 1 / median)

    def _arrays(self):
        return {**super()._arrays(), "medians": self.medians_}

    def _restore(self, arrays):
        super()._restore(arrays)
        self.medians_ = checked_array(arrays, "medians", float, (len(self.centres_),))
        require(self.medians_ > 0, "a median distance must lie above 0")
