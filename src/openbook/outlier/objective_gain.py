r"""Objective gain: by how much the sum of squared errors of k-means falls when a row is removed.

    score = n_c / (n_c - 1) · ‖x - c‖²

for a row of a cluster of n_c rows around c: without it the centre moves, too. A new row counts as one of its
cluster, and so does a row that has a cluster of its own: it counts as one of the nearest larger cluster. With
too many clusters, outliers share a small one and hide there (`SmallClusters` finds them). Where all clusters
have one row, each counts as two, and nothing is gained. See `clustered` for the encoding and missing cells.
"""

import numpy as np

from openbook.outlier.clustered import Clustered
from openbook.words.numbers import figure
from openbook.work import Step


class ObjectiveGain(Clustered):
    """Objective gain: how much the squared error of k-means falls without the row.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    n_clusters : int, default=8
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
    threshold_ : float

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> ObjectiveGain(n_clusters=1, top=1).fit_predict(X).tolist()
    [1, 1, 1, 1, -1]
    """

    power = 2

    def _factors(self):
        return self.sizes_ / (np.maximum(self.sizes_, 2) - 1)

    def _factor_step(self, c):
        n = float(self.sizes_[c])
        numbers = rf"\frac{{{figure(n)}}}{{{figure(max(n, 2))} - 1}}"
        return Step("factor f", r"\frac{n_c}{n_c - 1}", numbers, n / (max(n, 2) - 1))
