r"""Small clusters far from the large ones: their rows are outliers, however close they are to each other.

Clusters of k-means are taken from the largest down until they hold `share` of the rows: these are large.

    score = d(x, nearest large centre)

whichever cluster the row itself belongs to. See `clustered` for the encoding and missing cells.
"""

from typing import Annotated

import numpy as np

from openbook.border.rules import Number
from openbook.outlier.clustered import Clustered
from openbook.work import Step


class SmallClusters(Clustered):
    """Small clusters: how far the row lies from the nearest large cluster.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    n_clusters : int, default=8
    share : float, default=0.9
        The share of the rows that the large clusters hold together, or more.
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
    large_ : ndarray of bool of shape (n_clusters,)
        Which clusters are large.
    threshold_ : float

    References
    ----------
    He, Xu and Deng (2003), Discovering cluster-based local outliers.

    Examples
    --------
    >>> X = [[0.1 * i] for i in range(30)] + [[50.0], [50.1]]
    >>> SmallClusters(n_clusters=3, random_state=0, top=2).fit_predict(X)[-3:].tolist()
    [1, -1, -1]
    """

    share: Annotated[float, Number(above=0, at_most=1)] = 0.9

    def _set(self, centres, sizes):
        super()._set(centres, sizes)
        order = np.argsort(-sizes, kind="stable")
        before = np.cumsum(sizes[order]) - sizes[order]
        self.large_ = np.zeros(len(sizes), dtype=bool)
        self.large_[order[before < self.share * sizes.sum() * (1 - 1e-12)]] = True

    def _scoring_centre(self, points):
        return np.where(self.large_, self._squares(points), np.inf).argmin(axis=1)

    def _factors(self):
        return np.ones(len(self.centres_))

    def _factor_step(self, c):
        return Step("factor f", result=1, note=f"cluster {c} is the nearest large cluster")
