"""Agglomerative clustering: every row starts as a cluster, and the two nearest clusters merge."""

from dataclasses import KW_ONLY
from typing import Annotated

from openbook.border.rules import OneOf
from openbook.cluster.hierarchy import Hierarchy
from openbook.cluster.linkage import CENTRES, METHODS, linkage_of_pairs, linkage_of_points, refuse_matrix
from openbook.cluster.merging import derive_merges
from openbook.spaces.space import Space


class AgglomerativeClustering(Hierarchy):
    """Agglomerative clustering: repeatedly merge the two nearest clusters.

    Numbers alone are compared by Euclidean distance, standardised unless `scale=False`; a missing one counts
    as the mean of its column. Where there are other columns, rows are compared by Gower's distance, in which
    a missing cell has the largest distance from any other. Ward, centroid and median need centres:
    they take encoded columns, a 0/1 column for each value. A row of weight w counts as w equal rows. New rows
    join the cluster of the nearest row learnt.

    Guide: docs/guide/hierarchies.md

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters; None if a `distance_threshold` is given.
    linkage : str, default='average'
        The distance between two clusters: the "single", "complete" or "average" distance of their rows;
        "weighted", the mean of the distances of the two parts (McQuitty); or that of their centres, "ward",
        "centroid" or "median", which needs encoded columns.
    distance_threshold : float or None, default=None
        The height (or similarity) at which the dendrogram is cut instead.
    metric : str or function, default='auto'
        The distance between rows: any that neighbours take ("manhattan", "cosine", "jaccard", …), or a
        function; "auto" is Euclidean for numbers, and Gower's otherwise. "precomputed" if X is the square
        matrix of distances, "precomputed_similarity" if it is that of similarities; new rows then come as
        their distances or similarities to the training rows.
    scale : bool, default=True
    p : float, default=2
    allow_large : bool, default=False

    Attributes
    ----------
    space_ : Space
    labels_ : ndarray of shape (n_rows,)
        The cluster of each row, numbered in the order of their first rows.
    dendrogram_ : Dendrogram
        The merges, to cut and to draw.
    linkage_ : ndarray of shape (n_rows - 1, 4)
        The merges as scipy has them: the two clusters, the height, and the rows of the union.
    children_ : ndarray of shape (n_rows - 1, 2)
        The two clusters of each merge, as in scikit-learn.
    distances_ : ndarray of shape (n_rows - 1,)
        The height of each merge.
    n_leaves_ : int
        The number of rows.
    n_clusters_ : int
        The number of clusters.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> model = AgglomerativeClustering(3, linkage="average").fit(X)
    >>> model.assign(X.take([0, 60, 120])).tolist()
    [0, 1, 1]
    >>> distances = [[0, 2, 6], [2, 0, 5], [6, 5, 0]]
    >>> AgglomerativeClustering(2, linkage="single", metric="precomputed").fit(distances).linkage_.tolist()
    [[0.0, 1.0, 2.0, 2.0], [2.0, 3.0, 5.0, 3.0]]
    """

    _: KW_ONLY
    linkage: Annotated[str, OneOf(*METHODS)] = "average"

    def refusal(self, schema):
        if self.linkage in CENTRES:
            if self.metric == "precomputed_similarity":
                return f"by {self.linkage} needs centroids, which similarities do not give; use 'average'"
            if self.metric not in ("auto", "euclidean", "precomputed"):
                no_centroids = f"which {self.metric} does not give; use 'euclidean'"
                return f"by {self.linkage} needs centroids, {no_centroids}"
        return super().refusal(schema)

    def _space(self, stored):
        metric = "euclidean" if self.linkage in CENTRES else self.metric
        return Space(stored, self.schema_, metric, scale=self.scale, p=self.p)

    def _linked(self):
        weights, allow = self._row_weights, self.allow_large
        if (points := self._points()) is not None:
            return linkage_of_points(points, self.linkage, weights, allow_large=allow)
        refuse_matrix(self.linkage, len(weights), allow=allow)
        return linkage_of_pairs(self._pairs(), self.linkage, weights)

    def _linked_matrix(self, matrix):
        from scipy.spatial.distance import squareform

        return linkage_of_pairs(squareform(matrix, checks=False), self.linkage, self._row_weights)

    def _title(self):
        return f"Agglomerative clustering by {self.linkage} linkage"

    def _derive(self, matrix):
        similar = self.metric == "precomputed_similarity"
        names, weights = self.dendrogram_.names, self._row_weights.tolist()
        return derive_merges(matrix, self.linkage, names, similar=similar, weights=weights)
