r"""DBSCAN: clusters are where rows are dense (Ester, Kriegel, Sander and Xu, 1996).

    neighbours of x    rows no farther than eps, x itself included
    core row           one whose neighbours weigh at least min_samples
    cluster            core rows that lead to each other from neighbour to neighbour
    border row         no core row, but a neighbour of one; it joins the first of several clusters
    noise              any other row: cluster -1

Clusters are numbered by their first core rows. A new row is treated as a border row: it joins the first
cluster that has a core row within eps, else it is noise; so training rows keep their clusters.

No list of neighbours is kept. Memory grows with the rows; time with their square at worst, and much less
where columns are few, as the rows lie in small boxes, most of which are too far apart to have neighbours.
"""

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np

from openbook.border.budget import refuse_if_over
from openbook.border.not_taken import Declared
from openbook.border.rules import Number, OneOf
from openbook.cluster.clusterer import RowClusterer
from openbook.damage import checked_array, require
from openbook.spaces.points import GOWER, Points
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import TILED
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

NOISE = -1
#: Seconds for each pair and column, where boxes are of no help: mixed distances, and many columns.
_CELL, _FEW_COLUMNS = 2e-10, 12
#: The most rows that the work lists in full, and the nearest core rows that it shows.
_DERIVED, _SHOWN = 40, 5


class DBSCAN(Declared, RowClusterer):
    """DBSCAN: dense regions of any shape are clusters, and all other rows are noise.

    Numbers alone are compared by Euclidean distance, standardised unless `scale=False`; a missing one counts
    as the mean of its column. Where there are other columns, rows are compared by Gower's distance, in which
    a missing cell has the largest distance from any other.

    Guide: docs/guide/hierarchies.md

    Parameters
    ----------
    eps : float, default=0.5
        The largest distance between two neighbours.
    min_samples : float, default=5
        The weight of a core row's neighbours, itself included, at least.
    metric : str or function, default='auto'
    scale : bool, default=True
    allow_large : bool, default=False
    n_jobs : int or None, default=None

    Attributes
    ----------
    space_ : Space
    core_labels_ : ndarray of shape (n_rows,)
        The cluster of each core row; -1 for other rows.
    components_ : Table
        The core rows.
    labels_ : ndarray of shape (n_rows,)
        The cluster of each row, from 0; -1 for noise.
    core_ : ndarray of bool of shape (n_rows,)
        Whether each row is a core row.
    core_sample_indices_ : ndarray of shape (n_core,)
        The positions of the core rows.

    Examples
    --------
    >>> model = DBSCAN(1.5, min_samples=3, scale=False).fit([[1.0], [2.0], [3.0], [4.0], [9.0]])
    >>> model.labels_.tolist(), model.core_.tolist()
    ([0, 0, 0, 0, -1], [False, True, True, False, False])
    >>> model.core_sample_indices_.tolist()
    [1, 2]
    >>> model.assign([[4.4], [4.6]]).tolist()
    [0, -1]
    """

    eps: Annotated[float, Number(above=0)] = 0.5
    _: KW_ONLY
    min_samples: Annotated[float, Number(above=0)] = 5
    metric: Annotated[Any, OneOf(*TILED)] = "auto"
    scale: bool = True
    allow_large: bool = False
    n_jobs: int | None = None

    _counts_rows = True

    def _fit(self, rows):
        from openbook.cluster.dbscan_kernels import add_near, join_cores

        self._keep(StoredRows.gathered(rows))
        cells = self.space_.cells(self.space_.table)
        n, d = len(self._row_weights), len(rows.schema)
        if self.space_.metric != "euclidean" or d > _FEW_COLUMNS:
            what, seconds = f"DBSCAN of {n:,} rows", _CELL * n * n * max(d, 8)
            refuse_if_over(what, 64 * n * (d + 4), seconds, "sample the rows", allow=self.allow_large)
        core, groups = np.zeros(n, np.bool_), np.empty(n, np.int64)
        points, boxes, order = self._arranged(*cells)
        bound = _bound(points, self.eps)
        n_slots = len(points.numbers) * points.numbers.shape[2]
        weights, sums = np.zeros(n_slots), np.zeros(n_slots)
        weights[:n] = self._row_weights[order]
        add_near(points, boxes, bound, weights, sums)
        cores = (sums >= self.min_samples) & (np.arange(n_slots) < n)
        parents = np.arange(n_slots)
        join_cores(points, boxes, bound, cores, parents)
        core[order], groups[order] = cores[:n], _roots(parents)[:n]
        self.core_ = core
        self.core_labels_ = np.full(n, NOISE)
        self.core_labels_[core] = _numbered(groups[core])
        self._settle(cells)
        self.labels_ = np.where(core, self.core_labels_, NOISE)
        others = np.flatnonzero(~core)
        self.labels_[others] = self._reached(*(part[others] for part in cells))

    @property
    def core_sample_indices_(self):
        """The positions of the core rows."""
        return np.flatnonzero(self.core_)

    @property
    def components_(self):
        """The core rows, as a table."""
        return self.space_.table.take(self.core_sample_indices_)

    def _arranged(self, numbers, codes):
        """Rows as points in tiles, near ones together where that can be, with boxes and their order."""
        n = len(numbers)
        if self.space_.metric != "euclidean" or not numbers.shape[1]:
            return _Arranged(self.space_.points(numbers, codes), np.empty((0, 0, 0)), np.arange(n))
        from openbook.spaces.build_tree import halved

        tiles, rows, boxes, *_ = halved(np.ascontiguousarray(numbers))
        order = rows.ravel()[:n]
        points = self.space_.points(numbers[:1], codes[:1])
        none = np.empty((len(tiles), 0, tiles.shape[2]), np.int32)
        return _Arranged(points._replace(numbers=tiles, codes=none, n=n), boxes, order)

    def _settle(self, cells):
        """Arrange the core rows, which new rows are compared with."""
        self._cores = np.flatnonzero(self.core_)
        self._tiles = self._arranged(*(part[self._cores] for part in cells)) if len(self._cores) else None

    def _reached(self, numbers, codes):
        """The first cluster with a core row within eps of each row, or noise."""
        from openbook.cluster.dbscan_kernels import reach

        if self._tiles is None or not len(numbers):
            return np.full(len(numbers), NOISE)
        (points, boxes, order), asked = self._tiles, self._arranged(numbers, codes)
        nowhere = np.iinfo(np.int64).max
        clusters = np.full(len(points.numbers) * points.numbers.shape[2], nowhere)
        clusters[: len(order)] = self.core_labels_[self._cores[order]]
        found, labels = np.full(len(numbers), nowhere), np.empty(len(numbers), np.int64)
        bound = _bound(points, self.eps)
        reach(points, boxes, bound, clusters, asked.points, asked.boxes, found)
        labels[asked.order] = np.where(found == nowhere, NOISE, found)
        return labels

    def _nearest_labels(self, X):
        return self._reached(*self.space_.cells(X))

    def _work(self):
        n, clusters = len(self.labels_), int(self.labels_.max()) + 1
        border = int((~self.core_ & (self.labels_ >= 0)).sum())
        steps = (
            self._neighbour_rule,
            Step("core row", r"|N(x)| \ge m", note=f"m = {figure(self.min_samples)}"),
            Step("core rows", result=int(self.core_.sum())),
            Step("border rows", result=border),
            Step("noise", result=int((self.labels_ == NOISE).sum())),
            Step("clusters", result=clusters),
        )
        parts: list[Work | Grid] = [Work("rule", steps)]
        if n <= _DERIVED:
            near = self.space_.distances() <= self.eps
            parts.append(_grown_grid(near.tolist(), self._row_weights.tolist(), self.min_samples))
        else:
            counts = np.bincount(self.labels_[self.labels_ >= 0], minlength=clusters).tolist()
            parts.append(Grid("clusters", ("cluster", "rows"), list(enumerate(counts))))
        conclusion = f"{plural(n, 'row')}, {plural(clusters, 'cluster')}."
        return Work("DBSCAN: how it was fitted", tuple(parts), conclusion)

    def _work_row(self, X):
        distances = self.space_.index.distances(self.space_.coordinates(X))[0]
        near = [i for i in np.argsort(distances, kind="stable").tolist() if self.core_[i]][:_SHOWN]
        rows = [
            (i, float(distances[i]), "yes" if distances[i] <= self.eps else "no", int(self.core_labels_[i]))
            for i in near
        ]
        label = int(self._labels(X)[0])
        conclusion = f"The first cluster with a core row within ε: {label}."
        if label == NOISE:
            conclusion = "No core row is within ε: noise, -1."
        grid = Grid("nearest core rows", ("row", "distance", "within ε", "cluster"), rows)
        return Work("DBSCAN: one assignment", (self._neighbour_rule, grid), conclusion)

    @property
    def _neighbour_rule(self):
        return Step("neighbours of x", r"\{y: d(x, y) \le \varepsilon\}", note=f"ε = {figure(self.eps)}")

    def _arrays(self):
        return super()._arrays() | {"core_labels": self.core_labels_, "labels": self.labels_}

    def _restore(self, arrays):
        super()._restore(arrays)
        n = len(self._row_weights)
        for name in ("core_labels", "labels"):
            array = checked_array(arrays, name, np.int64, (n,))
            require((array >= NOISE) & (array < n), f"array {name!r} has a cluster that cannot be")
            setattr(self, f"{name}_", array)
        self.core_ = self.core_labels_ >= 0
        self._settle(self.space_.cells(self.space_.table))


class _Arranged(NamedTuple):
    """Points in tiles, the boxes of the tiles, and the row that each slot holds."""

    points: Points
    boxes: np.ndarray
    order: np.ndarray


def _bound(points, eps):
    """The largest total within eps."""
    if points.kind == GOWER:
        return eps * (points.numbers.shape[1] + points.codes.shape[1])
    return eps * eps


def _roots(parents):
    """The root of each slot; roots come before their branches."""
    roots = parents
    while not np.array_equal(higher := roots[roots], roots):
        roots = higher
    return roots


def density_clusters(near, weights, min_samples):
    """The readable twin: labels and core rows, from who is near whom (lists of truth), row by row."""
    n = len(near)
    core = [
        sum(w for w, close in zip(weights, near[i], strict=True) if close) >= min_samples for i in range(n)
    ]
    labels, cluster = [NOISE] * n, 0
    for start in range(n):
        if not core[start] or labels[start] != NOISE:
            continue
        labels[start], waiting = cluster, [start]
        while waiting:
            i = waiting.pop()
            for j in range(n):
                if near[i][j] and labels[j] == NOISE:
                    labels[j] = cluster
                    if core[j]:
                        waiting.append(j)
        cluster += 1
    return labels, core


def _grown_grid(near, weights, min_samples):
    labels, core = density_clusters(near, weights, min_samples)
    rows = []
    for i, line in enumerate(near):
        kind = "core" if core[i] else "border" if labels[i] >= 0 else "noise"
        others = [str(j) for j, close in enumerate(line) if close]
        shown = ", ".join(others[:8]) + (", …" if len(others) > 8 else "")
        rows.append((i, shown, len(others), kind, labels[i]))
    return Grid("rows", ("row", "neighbours", "how many", "is", "cluster"), rows)


def _numbered(groups):
    """Groups of any names as clusters from 0, in the order of their first rows."""
    _, first, codes = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]
