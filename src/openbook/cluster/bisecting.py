r"""Bisecting k-means: all rows start as one cluster, which is split in two again and again.

    cut the cluster of the largest SSE, or of the most rows, by 2-means: `n_init` times, from other seeds
    keep the cut that leaves the lowest SSE in all; again, until there are n_clusters

over the encoded columns, as k-means. The first half of a cut keeps the number of the cluster, and the second
gets the next free number. A missing cell counts as the mean of its column, and an indicator column marks it
if training had missing cells there.

A new row follows the cuts: at each it goes to the nearer of two means, ties to the first. The training rows
were assigned in the same way, so another cluster's mean may be nearer to some of them.

cuts_ : intp (n_clusters - 1,), the cluster that was cut; its halves' means are halves_ (n_clusters - 1, 2, d)
"""

from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from openbook.border.not_taken import Declared
from openbook.border.rules import OneOf
from openbook.cluster.clusterer import CentreTransformer, Clusterer, were_found
from openbook.cluster.dendrogram import Dendrogram
from openbook.cluster.lloyd import RowPieces, iterate, plus_plus, seeding_rows
from openbook.cluster.picture import means_in
from openbook.cluster.prototypes import Prototypes, PrototypeSpace, space_of
from openbook.damage import checked_array, require
from openbook.errors import DataError
from openbook.prepare import Encoding
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

_SHOWN_COLUMNS = 6
_SQUARES = r"\sum_x \sum_j (x_j - c_j)^2"


class _Half(NamedTuple):
    """A cluster: its rows' positions, their mean, and their SSE around it."""

    rows: np.ndarray
    mean: np.ndarray
    sse: float


class BisectingKMeans(Declared, CentreTransformer, Clusterer):
    """Bisecting k-means: repeatedly split a cluster in two by k-means.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    n_clusters : int, default=8
    n_init : int or "auto", default=5
        How often each cut is tried, from seeds by k-means++.
    bisecting_strategy : str, default='biggest_inertia'
        Which cluster is cut next: "biggest_inertia", that of the largest SSE, or "largest_cluster", that
        of the most rows by weight.
    max_iter : int, default=300
        The most iterations of a trial.
    tol : float, default=0.0001
        A trial also ends once an iteration lowers the SSE by less than this share of it.
    scale : bool, default=True
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    space_ : PrototypeSpace
        How rows are compared with prototypes.
    weights_ : ndarray of shape (n_clusters,)
        The weight of the rows of each cluster.
    labels_ : ndarray of shape (n_rows,)
    centers_ : ndarray of shape (n_clusters, n_encoded)
        The means of the clusters, in encoded columns.
    cluster_centers_ : ndarray of shape (n_clusters, n_encoded)
        The same, in the units of the columns.
    encoding_ : Encoding
    inertia_ : float
        The SSE in the end: the sum of squared distances to the nearest mean.
    inertia_trace_ : ndarray of shape (n_clusters,)
        The SSE before the first cut and after each cut.
    trials_ : ndarray of shape (n_clusters - 1, n_init)
        The SSE that each trial of each cut would have left, of all clusters together.
    cuts_ : ndarray of shape (n_clusters - 1,)
        Which cluster each cut divides.
    halves_ : ndarray of shape (n_clusters - 1, 2, n_encoded)
        The means of the two halves of each cut.
    n_iter_ : int
        The iterations of the cuts that were kept.

    Notes
    -----
    The encoded rows are held in memory, also those of an `openbook.scan`.

    References
    ----------
    Steinbach, Karypis and Kumar (2000), A comparison of document clustering techniques.

    Examples
    --------
    >>> from openbook.cluster import BisectingKMeans
    >>> points = [[1, 1], [2, 1], [1, 3], [4, 4], [5, 3], [8, 8], [9, 7], [7, 9]]
    >>> model = BisectingKMeans(3, scale=False, random_state=0).fit(points)
    >>> model.labels_.tolist(), round(model.inertia_, 4)
    ([0, 0, 0, 2, 2, 1, 1, 1], 8.3333)
    """

    n_clusters: int = 8
    n_init: Any = 5
    bisecting_strategy: Annotated[str, OneOf("biggest_inertia", "largest_cluster")] = "biggest_inertia"
    max_iter: int = 300
    tol: float = 1e-4
    scale: bool = True
    random_state: Any = None

    _counts_rows = True

    def _fit(self, rows):
        self.space_ = space = space_of(rows, (), scale=self.scale)
        gathered = RowPieces.of(space, rows)
        encoded = gathered.take(np.arange(gathered.n))
        rng = check_random_state(self.random_state)
        clusters = [_half(encoded, np.arange(gathered.n))]
        cuts, halves, trials, trace, iterations = [], [], [], [clusters[0].sse], [0]
        while len(clusters) < self.n_clusters:
            chosen = self._next_cut(encoded, clusters)
            runs = self._trials(encoded.take(clusters[chosen].rows), rng)
            others = sum(c.sse for i, c in enumerate(clusters) if i != chosen)
            best = min(runs, key=lambda run: (not run.tally.weight.all(), run.cost))  # no half is empty
            trials.append([others + run.cost for run in runs])
            own = clusters[chosen].rows
            clusters[chosen] = _half(encoded, own[best.labels == 0])
            clusters.append(_half(encoded, own[best.labels == 1]))
            iterations.append(len(best.costs))
            cuts.append(chosen)
            halves.append(best.prototypes.means)
            trace.append(others + best.cost)
        d = len(space.encoding)
        self.n_iter_ = sum(iterations)
        self.cuts_, self.halves_ = np.array(cuts, dtype=np.intp), np.array(halves).reshape(-1, 2, d)
        self.trials_, self.inertia_trace_ = np.array(trials).reshape(-1, self.n_init), np.array(trace)
        self.centers_ = np.array([cluster.mean for cluster in clusters])
        self.weights_ = np.array([encoded.weights[cluster.rows].sum() for cluster in clusters])
        self.labels_ = np.empty(gathered.n, np.intp)
        for c, cluster in enumerate(clusters):
            self.labels_[cluster.rows] = c

    def _next_cut(self, encoded, clusters):
        """The cluster to cut: the first of the largest that has different rows."""
        by_sse, numbers = self.bisecting_strategy == "biggest_inertia", encoded.numbers
        sizes = [c.sse if by_sse else encoded.weights[c.rows].sum() for c in clusters]
        apart = [i for i, c in enumerate(clusters) if (numbers[c.rows] != numbers[c.rows[0]]).any()]
        if apart:
            return max(apart, key=lambda i: (sizes[i], -i))
        self._refuse_few(len(encoded.weights))
        raise DataError(
            f"there are only {len(clusters)} different rows, so they cannot make {self.n_clusters} clusters;"
            f" ask for at most {len(clusters)}"
        )

    def _trials(self, encoded, rng):
        """The runs of 2-means over these rows."""
        rows = RowPieces(self.space_, [encoded])
        seeding = seeding_rows(rows, 2, rng)
        seeds = [plus_plus(self.space_, seeding, 2, rng) for _ in range(self.n_init)]
        return [iterate(rows, self.space_.prototypes(pair), self.max_iter, self.tol) for pair in seeds]

    @property
    def encoding_(self) -> Encoding:
        """How columns became numbers."""
        return self.space_.encoding

    @property
    def inertia_(self):
        return float(self.inertia_trace_[-1])

    @property
    def dendrogram_(self) -> Dendrogram:
        """The cuts as a tree of the clusters; a height is the SSE before that cut."""
        nodes, merges, k = list(range(len(self.centers_))), [], len(self.centers_)
        sizes = [1] * k
        for new, cluster in reversed(list(enumerate(self.cuts_.tolist(), start=1))):
            sizes[cluster] += sizes[new]
            merges.append([nodes[cluster], nodes[new], self.inertia_trace_[new - 1], sizes[cluster]])
            nodes[cluster] = k + len(merges) - 1
        names = [f"cluster {c}: {weight:,g} rows" for c, weight in enumerate(self.weights_)]
        return Dendrogram(np.array(merges).reshape(-1, 4), tuple(names))

    def draw(self, X=None, columns=None):
        """The cuts as a dendrogram of the clusters; or the clusters over two columns.

        Parameters
        ----------
        X : rows or None, default=None
            Rows to draw by cluster instead.
        columns : sequence of str or None, default=None
            The two columns to draw the regions over; None takes the two there are, if both are numbers,
            and else the first two principal components.

        Returns
        -------
        Picture
        """
        if X is not None:
            return super().draw(X, columns)
        notes = (f"{plural(len(self.centers_), 'cluster')}; to the right, the SSE before each cut.",)
        return replace(self.dendrogram_.draw(), title="The cuts of bisecting k-means", notes=notes)

    def _centres(self, names):
        return means_in(self.encoding_, self.centers_, names)

    def _centre_distances(self, X):
        return np.sqrt(self.space_.all_distances(self.space_.encode_table(X), _means(self.centers_)).T)

    def _labels(self, X):
        encoded = self.space_.encode_table(X)
        labels = np.zeros(len(X), np.intp)
        for new, (cluster, means) in enumerate(zip(self.cuts_, self.halves_, strict=True), start=1):
            there = np.flatnonzero(labels == cluster)
            second = self.space_.labels(encoded.take(there), _means(means)) == 1
            labels[there[second]] = new
        return labels

    def _work(self):
        parts: list[Step | Grid | Work] = [
            Step("SSE", _SQUARES, note="of the rows x of each cluster around its mean c"),
            self.encoding_.work(),
            Step("one cluster", "SSE", result=float(self.inertia_trace_[0])),
        ]
        trials_of_cuts = zip(self.cuts_.tolist(), self.trials_.tolist(), strict=True)
        for new, (cluster, sses) in enumerate(trials_of_cuts, start=1):
            best = sses.index(min(sses))
            trials = Grid("total SSE", ("trial", "SSE"), list(enumerate(sses, start=1)))
            halves = self._grid("halves", (cluster, new), self.halves_[new - 1])
            title = f"Cut {new}: cluster {cluster} into {cluster} and {new}"
            note = f"Trial {best + 1} leaves the lowest SSE, {figure(sses[best])}."
            parts.append(Work(title, (trials, halves), note))
        parts.append(self._grid("final means", range(len(self.centers_)), self.centers_))
        k = len(self.centers_)
        conclusion = f"{plural(k, 'cluster')}: SSE {figure(self.inertia_)}."
        return Work(f"Bisecting k-means: how {were_found(k)}", tuple(parts), conclusion)

    def _work_row(self, X):
        x, at, parts = self.space_.encode_table(X), 0, []
        for new, (cluster, means) in enumerate(zip(self.cuts_.tolist(), self.halves_, strict=True), start=1):
            if cluster != at:
                continue
            distances = [float(self.space_.distances(x, _means(mean[None]))[0]) for mean in means]
            parts += [
                Step(f"squared distance to the half {c}", r"\sum_j (x_j - c_j)^2", result=t)
                for c, t in zip((cluster, new), distances, strict=True)
            ]
            at = new if distances[1] < distances[0] else at
            parts.append(Step(f"cut {new}", result=f"to {at}"))
        return Work("Bisecting k-means: which cluster", tuple(parts), f"The cuts lead to cluster {at}.")

    def _grid(self, title, numbers, means):
        names = self.encoding_.names
        more = ["…"] if len(names) > _SHOWN_COLUMNS else []
        rows = [(c, *mean[:_SHOWN_COLUMNS], *more) for c, mean in zip(numbers, means.tolist(), strict=True)]
        return Grid(title, ("cluster", *names[:_SHOWN_COLUMNS], *more), rows)

    def _arrays(self):
        own = {name: getattr(self, name) for name in self._shapes()}
        return {**self.encoding_.arrays("encoding."), **own, "n_iter_": np.array([self.n_iter_])}

    def _shapes(self):
        """The shapes of what the model file holds of the tree; all but the cuts are floats."""
        k, d = self.n_clusters, len(self.encoding_)
        return {
            "cuts_": (k - 1,),
            "halves_": (k - 1, 2, d),
            "trials_": (k - 1, self.n_init),
            "inertia_trace_": (k,),
            "centers_": (k, d),
            "weights_": (k,),
        }

    def _restore(self, arrays):
        encoding = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        self.space_ = PrototypeSpace(encoding, self.schema_.select(()))
        for name, shape in self._shapes().items():
            dtype = np.intp if name == "cuts_" else np.float64
            setattr(self, name, checked_array(arrays, name, dtype, shape))
        self.n_iter_ = int(checked_array(arrays, "n_iter_", np.intp, (1,))[0])
        known = (self.cuts_ >= 0) & (self.cuts_ <= np.arange(self.n_clusters - 1))
        require(known, "a cut uses a cluster that does not exist yet")


def _half(encoded, rows):
    numbers, weights = encoded.numbers[rows].astype(np.float64), encoded.weights[rows]
    mean = weights @ numbers / weights.sum()
    return _Half(rows, mean, float(weights @ ((numbers - mean) ** 2).sum(axis=1)))


def _means(means):
    return Prototypes(means, np.zeros((len(means), 0), np.int32))
