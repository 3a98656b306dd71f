r"""A dendrogram: which clusters merged at which height, cuts, and the cophenetic correlation.

linkage : float64 (n - 1, 4), as in scipy: two clusters, the height, the rows; merge t makes cluster n + t.

    cut by k          undo the last k - 1 merges
    cut by height     keep the merges all of which, down to the leaves, are at most that high
    cophenetic distance of two leaves    the height at which they are first together
    cophenetic correlation               Pearson's, between those and the distances of the rows

Clusters are numbered by their first rows: that of row 0 is cluster 0. Where it was made from similarities s,
heights in the linkage are top - s, and are shown as s.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from openbook.border.budget import refuse_if_over
from openbook.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """Merges, nearest first.

    Guide: docs/guide/hierarchies.md

    Parameters
    ----------
    linkage : array
        The merges as in scipy, (n - 1, 4): two clusters, the height, the number of rows.
    names : tuple, default=()
        The names of the leaves; by default their numbers, from 0.
    top : float or None, default=None
        The similarity at height 0, if heights come from similarities.

    Examples
    --------
    >>> tree = Dendrogram([[0, 1, 2.0, 2], [3, 4, 3.0, 2], [2, 6, 4.0, 3], [5, 7, 5.0, 5]], tuple("pqrst"))
    >>> tree.cut(2).tolist(), tree.cut(height=3.5).tolist()
    ([0, 0, 1, 1, 1], [0, 0, 1, 2, 2])
    >>> print(tree)
    p ────────────────┬──────────────────────┐
    q ────────────────┘                      │
    r ───────────────────────────────┬───────┘
    s ───────────────────────┬───────┘
    t ───────────────────────┘
      0                                      5
    """

    linkage: np.ndarray
    names: tuple[str, ...] = ()
    top: float | None = None

    def __post_init__(self):
        merges = np.array(self.linkage, dtype=float).reshape(-1, 4)
        object.__setattr__(self, "linkage", merges)
        n = len(merges) + 1
        object.__setattr__(self, "names", tuple(map(str, self.names)) if self.names else _numbers(n))
        if (reason := _flaw(merges)) is not None:
            raise ParameterError(f"this is no linkage matrix: {reason}")
        if len(self.names) != n:
            raise ParameterError(f"{n} leaves, but {len(self.names)} names")

    def __len__(self):
        """How many leaves there are."""
        return len(self.linkage) + 1

    def shown(self, height):
        """A height as it is shown: where it comes from similarities, one of them.

        Parameters
        ----------
        height : float
            A height of the linkage.

        Returns
        -------
        float
        """
        return float(height if self.top is None else self.top - height)

    def cut(self, k=None, *, height=None):
        """The cluster of each leaf: of k clusters, or below a height (a similarity, if made of those).

        Parameters
        ----------
        k : int or None, default=None
            The number of clusters.
        height : float or None, default=None
            The height (or similarity) of the cut instead.

        Returns
        -------
        array of int of shape (n,)
        """
        n = len(self)
        if (k is None) == (height is None):
            raise ParameterError("cut takes either the number of clusters, as in cut(3), or height=…")
        if k is not None:
            if not isinstance(k, int | np.integer) or not 1 <= k <= n:
                msg = f"a dendrogram of {n} leaves can be cut into 1 to {n} clusters, got {k!r}"
                raise ParameterError(msg)
            kept = np.arange(n - 1) < n - k
        else:
            kept = self._highest <= (height if self.top is None else self.top - height)
        from openbook.cluster.merge_kernels import label_leaves

        labels = np.empty(n, np.intp)
        label_leaves(self.linkage, kept, labels)
        return labels

    @property
    def _children(self):
        return self.linkage[:, :2].astype(np.int64).tolist()

    @property
    def _highest(self):
        """The largest height in each merge and all below it: the height itself, unless heights fall."""
        n = len(self)
        highest = self.linkage[:, 2].tolist()
        for t, children in enumerate(self._children):
            highest[t] = max([highest[t], *(highest[c - n] for c in children if c >= n)])
        return np.array(highest)

    @property
    def order(self):
        """The leaves from first to last, so that no two branches cross."""
        n = len(self)
        waiting, leaves, children, firsts = [2 * n - 2], [], self._children, self.firsts
        while waiting:
            node = waiting.pop()
            if node < n:
                leaves.append(node)
            else:
                waiting.extend(sorted(children[node - n], key=firsts.__getitem__, reverse=True))
        return np.array(leaves)

    @property
    def firsts(self):
        """The first row of each cluster."""
        firsts = list(range(len(self)))
        for first, second in self._children:
            firsts.append(min(firsts[first], firsts[second]))
        return firsts

    def cophenetic(self):
        """The height at which each pair of leaves is first together, condensed as scipy has distances."""
        n = len(self)
        refuse_if_over(f"all pairs of {n:,} leaves", 12 * n * n, 1e-8 * n * n, "cut first", allow=False)
        place = np.empty(n, np.int64)
        place[self.order] = np.arange(n)
        heights = np.zeros((n, n))  # in the order of the leaves, in which every cluster is a stretch
        spans = [(i, i + 1) for i in place.tolist()]
        for (first, second), height in zip(self._children, self.linkage[:, 2], strict=True):
            a, b = sorted((spans[first], spans[second]))
            heights[slice(*a), slice(*b)] = height
            spans.append((a[0], b[1]))
        heights = np.maximum(heights, heights.T)[np.ix_(place, place)]
        return heights[np.triu_indices(n, 1)]

    def cophenetic_correlation(self, distances):
        """How well the heights keep the distances of the rows, condensed: 1 is perfectly.

        Distances are given in the order of `scipy.spatial.distance.pdist`; NaN if there is no correlation,
        as all of them, or all heights, are equal.

        Parameters
        ----------
        distances : array
            The distances of the leaves: condensed as in scipy.

        Returns
        -------
        float
        """
        distances = np.asarray(distances, dtype=float)
        n = len(self)
        if distances.shape != (n * (n - 1) // 2,):
            msg = f"{n} leaves have {n * (n - 1) // 2:,} distances, got an array of shape {distances.shape}"
            raise ParameterError(msg)
        a, b = (x - x.mean() if len(x) else x for x in (distances, self.cophenetic()))
        scale = np.sqrt((a @ a) * (b @ b))
        return float(a @ b / scale) if scale > 0 else float("nan")

    def draw(self, k=None, *, most=60):
        """The dendrogram as a picture; the branches of each of k clusters in a colour of their own.

        Where there are more leaves than `most`, only the last merges are drawn, and every branch that ends
        there says how many rows it stands for.

        Parameters
        ----------
        k : int or None, default=None
            The number of clusters that are coloured.
        most : int, default=60
            The most leaves that are drawn.

        Returns
        -------
        Picture
        """
        from openbook.cluster.dendrogram_picture import draw_dendrogram

        return draw_dendrogram(self, k, most)

    def text(self, *, most=60, width=40):
        """The dendrogram in letters.

        Parameters
        ----------
        most : int, default=60
            The most leaves that are shown; of more, only the last merges.
        width : int, default=40
            The width in letters.

        Returns
        -------
        str
        """
        from openbook.cluster.dendrogram_picture import write_dendrogram

        return write_dendrogram(self, most, width)

    def __str__(self):
        return self.text()

    def _repr_svg_(self):
        return self.draw().svg()


@lru_cache(maxsize=1)
def _numbers(n):
    """What n leaves are called that have no names; hierarchies of the same rows have the same."""
    return tuple(map(str, range(n)))


def _flaw(merges):
    """What is wrong with a linkage matrix, or None."""
    n = len(merges) + 1
    if not np.isfinite(merges).all():
        return "a cell is not a finite number"
    clusters = merges[:, :2]
    if (np.sort(clusters, axis=None) != np.arange(2 * n - 2)).any():
        return "every cluster but the last must be merged once"
    later = np.flatnonzero(np.maximum(*clusters.T) >= n + np.arange(n - 1))
    return f"merge {later[0]} uses a cluster that does not exist yet" if len(later) else None
