r"""Divisive clustering: all rows start as one cluster, and clusters are split in two.

A cluster of largest distance (its diameter) h splits at height h, after Kaufman and Rousseeuw (1990, DIANA):

    the row whose mean distance to the others is largest starts the splinter group;
    then, again and again, the row of the largest gain joins it, as long as the gain is above 0:
    mean d(x, the remaining rows) - mean d(x, the splinter group)

Ties go to the first row. The splits, read from the last to the first, are the merges of a dendrogram. It
takes a matrix of 8 n² bytes. A row of weight w counts as w equal rows: w - 1 of the other rows are at
distance 0. Equal rows leave together.
"""

import math

import numpy as np

from openbook.border.budget import refuse_if_over
from openbook.cluster.hierarchy import Hierarchy
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

_SECONDS = 4e-10  # for each cell of the matrix and row, at worst


class Divisive(Hierarchy):
    """Divisive clustering: repeatedly split the widest cluster in two.

    Rows are compared as by `AgglomerativeClustering`. New ones join the cluster of the nearest row learnt.

    Guide: docs/guide/hierarchies.md

    Parameters
    ----------
    n_clusters : int, default=2
        Into how many clusters the dendrogram is cut; None if a `distance_threshold` is given.
    distance_threshold : float or None, default=None
        The height, the largest distance within a cluster, at which the dendrogram is cut instead.
    metric : str or function, default='auto'
        The distance between rows: any that neighbours take ("manhattan", "cosine", "jaccard", …), or a
        function; "auto" is Euclidean for numbers, and Gower's otherwise. "precomputed" or
        "precomputed_similarity" if X is a square matrix.
    scale : bool, default=True
    p : float, default=2
    allow_large : bool, default=False

    Attributes
    ----------
    labels_ : array of int of shape (n,)
    dendrogram_ : Dendrogram
        The splits, as merges.
    n_clusters_ : int
        The number of clusters.
    linkage_ : ndarray of shape (n_rows - 1, 4)
        The merges as scipy has them: the two clusters, the height, and the rows of the union.
    children_ : ndarray of shape (n_rows - 1, 2)
        The two clusters of each merge, as in scikit-learn.
    distances_ : ndarray of shape (n_rows - 1,)
        The height of each merge.
    n_leaves_ : int
        The number of rows.
    space_ : Space

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> model = Divisive(3).fit(X)
    >>> model.assign(X.take([0, 60, 120])).tolist()
    [0, 2, 1]
    """

    _counts_rows = True

    def _linked(self):
        n = len(self._row_weights)
        what, remedy = f"divisive clustering of {n:,} rows", "sample the rows, or use AgglomerativeClustering"
        refuse_if_over(what, 8 * n * n, _SECONDS * n**3 / 3, remedy, allow=self.allow_large)
        return self._linked_matrix(self._square())

    def _linked_matrix(self, matrix):
        return merges_of(splits(matrix, self._row_weights), len(matrix))

    def _title(self):
        return "Divisive clustering"

    def _derive(self, matrix):
        similar = self.metric == "precomputed_similarity"
        distances = (self.dendrogram_.top - np.array(matrix)).tolist() if similar else matrix
        return derive_divisions(distances, self.dendrogram_.names, self._row_weights.tolist())


def splits(matrix, weights):
    """Every split as its height and two lists of rows, a cluster before its parts."""
    from openbook.cluster.divisive_kernels import diameter, leave

    waiting, found = [np.arange(len(matrix))], []
    while waiting:
        rows = waiting.pop()
        if len(rows) < 2:
            continue
        height = diameter(matrix, rows)
        gone = np.zeros(len(rows), np.bool_)
        if height > 0:
            leave(matrix, rows, weights[rows], gone)
        else:
            gone[0] = True
        parts = rows[~gone], rows[gone]
        found.append((height, *parts))
        waiting.extend(parts)
    return found


def merges_of(found, n):
    """Splits as merges: the lowest first, and of equal heights a part before its whole."""
    merges = np.empty((n - 1, 4))
    order = sorted(range(len(found)), key=lambda i: (found[i][0], -i))
    owner = np.arange(n)  # of each row, the cluster so far
    for t, i in enumerate(order):
        height, stay, gone = found[i]
        first, second = sorted((owner[stay[0]], owner[gone[0]]))
        merges[t] = first, second, height, len(stay) + len(gone)
        owner[stay], owner[gone] = n + t, n + t
    return merges


def splinter_group(matrix, rows, weights):
    """The readable twin of a split: the rows that leave, and the gain of each, in the order of leaving."""

    def mean(row, others, itself=0.0):
        total = math.fsum(weights[j] for j in others) - itself
        return math.fsum(weights[j] * matrix[row][j] for j in others) / total if others else 0.0

    stay, gone, gains = list(rows), list[int](), []
    while len(stay) > 1:
        gain = [mean(row, stay, min(weights[row], 1.0)) - mean(row, gone) for row in stay]
        best = max(range(len(stay)), key=gain.__getitem__)
        if gone and gain[best] <= 0:
            break
        gains.append(gain[best])
        gone.append(stay.pop(best))
    return gone, gains


def derive_divisions(matrix, names, weights, most=12):
    """The work of the first splits, widest cluster first."""
    gain = r"\frac{1}{|C| - 1} \sum_{b \in C} d(x, b) - \frac{1}{|P|} \sum_{p \in P} d(x, p)"
    parts: list[Step | Work] = [
        Step("diameter of a cluster", r"\max_{a, b \in C} d(a, b)", note="the widest cluster splits first"),
        Step("gain of leaving", gain, note="C: the rows that stay; P: the rows that leave"),
    ]
    clusters = [list(range(len(matrix)))]
    for t in range(min(most, len(matrix) - 1)):
        widths = [max((matrix[a][b] for a in c for b in c), default=0.0) for c in clusters]
        wide = max((i for i, c in enumerate(clusters) if len(c) > 1), key=widths.__getitem__)
        rows = clusters.pop(wide)
        gone, gains = splinter_group(matrix, rows, weights)
        stay = [row for row in rows if row not in gone]
        lines = [(names[row], gain) for row, gain in zip(gone, gains, strict=True)]
        split = (Step("diameter", result=widths[wide]), Grid("who leaves", ("row", "gain"), lines))
        conclusion = f"{_named(stay, names)} stay, {_named(gone, names)} leave."
        parts.append(Work(f"split {t + 1}: {len(rows)} rows", split, conclusion))
        clusters += [stay, gone]
    return parts


def _named(rows, names, most=8):
    more = f" and {figure(len(rows) - most)} more" if len(rows) > most else ""
    return ", ".join(names[row] for row in rows[:most]) + more
