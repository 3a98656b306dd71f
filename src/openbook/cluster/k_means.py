r"""k-means: every row belongs to the nearest centre, and every centre is the mean of its rows.

    SSE = Σ_i w_i Σ_j (x_ij - c_ij)²        assign, move, assign, … until the assignments repeat

over the encoded columns (`prepare.Encoding`): numbers standardised by default, an ordinal value by
its rank from 0 to 1, a nominal one as 0/1 columns. A missing cell counts as the mean of its column, and an
indicator column marks it if training had missing cells there. Ties go to the first mean; an empty cluster
takes the row that is farthest from its mean, with a warning. With the cosine or the Manhattan distance the
centres are directions or medians: see `other_spaces`.

centers_ : float64 (n_clusters, n_encoded)
"""

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from openbook.border.rules import OneOf
from openbook.cluster.clusterer import CentreTransformer
from openbook.cluster.other_spaces import PROTOTYPE_SPACES, SPARSE_SPACES
from openbook.cluster.prototype_clusterer import PrototypeClusterer, assignment_costs, final_cost


class KMeans(CentreTransformer, PrototypeClusterer):
    """k-means, by Lloyd's iteration.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    n_clusters : int, default=8
    metric : {"euclidean", "cosine", "manhattan"}, default="euclidean"
        The distance to the centres. By "cosine" rows and centres have length 1 and numbers are not
        standardised (spherical k-means); by "manhattan" centres are medians (k-medians).
    init : str or rows, default='k-means++'
        How the first means are chosen: "k-means++", "random", or a row for each cluster, in the units of
        the columns. In large tables, seeds are chosen from a random sample.
    n_init : int or "auto", default='auto'
        How often it starts anew; the run of the lowest SSE stays. "auto" is 10 for "random", else 1.
    max_iter : int, default=300
        The most iterations of a run.
    tol : float, default=0.0001
        A run also ends once an iteration lowers the SSE by less than this share of it.
    tol_changes : float, default=0.0
    scale : bool, default=True
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    space_ : PrototypeSpace
        How rows are compared with prototypes.
    prototypes_ : Prototypes
        The means and modes of the clusters, as arrays.
    history_ : FitHistory
        The course of the fit, which `work` shows.
    labels_ : ndarray of shape (n_rows,)
    centers_ : ndarray of shape (n_clusters, n_encoded)
        The means of the encoded columns.
    cluster_centers_ : ndarray of shape (n_clusters, n_encoded)
        The same in the units of the columns; for a nominal value, its share of the cluster.
    encoding_ : Encoding
    weights_ : ndarray of shape (n_clusters,)
        The weight of the rows of each cluster.
    inertia_ : float
        The sum of squared distances to the nearest mean, in encoded units; for medians, of distances.
    inertia_trace_ : ndarray of shape (n_iter_,)
        The inertia of each iteration's assignment, before the means move.
    n_iter_ : int
        The number of iterations.
    converged_ : bool
        Whether the assignments repeated.

    Notes
    -----
    New rows go to the nearest mean. Every iteration is a fold over the rows, so that an `openbook.scan` will
    do; `partial_fit` moves each mean to that of all rows it was ever given.

    References
    ----------
    Lloyd (1982), Least squares quantization in PCM. Arthur and Vassilvitskii (2007), k-means++. Hamerly
    (2010), Making k-means even faster. Dhillon and Modha (2001), Concept decompositions, for the cosine.

    Examples
    --------
    >>> from openbook.cluster import KMeans
    >>> points = [[1, 1], [2, 1], [1, 3], [4, 4], [5, 3], [8, 8], [9, 7], [7, 9]]
    >>> model = KMeans(3, init=points[:3], scale=False).fit(points)
    >>> model.labels_.tolist(), model.inertia_trace_.round(2).tolist()
    ([0, 0, 0, 1, 1, 2, 2, 2], [249.0, 40.74, 8.33])
    >>> model.cluster_centers_.round(2).tolist()
    [[1.33, 1.67], [4.5, 3.5], [8.0, 8.0]]
    >>> model.assign([[4, 3], [9, 9]]).tolist()
    [1, 2]
    """

    metric: Annotated[str, OneOf(*PROTOTYPE_SPACES)] = "euclidean"
    _: KW_ONLY
    scale: bool = True

    def _nominal(self, schema):  # noqa: ARG002 (every column is encoded)
        return ()

    @property
    def method(self):
        return {"euclidean": "k-means", "cosine": "k-means by cosine", "manhattan": "k-medians"}[self.metric]

    @property
    def cost(self):
        return "sum of distances" if self.metric == "manhattan" else "SSE"

    @property
    def _takes_sparse(self):  # type: ignore[override]
        """Medians need the zeros, too."""
        return self.metric in SPARSE_SPACES

    def _space_kind(self, *, sparse=False):
        return (SPARSE_SPACES if sparse else PROTOTYPE_SPACES)[self.metric]

    def _centre_distances(self, X):
        distances = self._distances(X)
        return distances if self.metric == "manhattan" else np.sqrt(distances)

    def score(self, X, y=None, sample_weight=None):  # noqa: ARG002 (pipelines pass a target)
        """Minus what is minimised, over these rows: the higher, the nearer they lie to their centres.

        Parameters
        ----------
        X : rows
        y : ignored, default=None
        sample_weight : array-like or None, default=None

        Returns
        -------
        float
        """
        nearest = self.distances(X).min(axis=1)
        return -float(nearest.sum() if sample_weight is None else nearest @ np.asarray(sample_weight))

    @property
    def centers_(self):
        return self.prototypes_.means

    inertia_, inertia_trace_ = final_cost, assignment_costs
