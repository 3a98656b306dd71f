r"""Internal quality of clusters: SSE, cohesion, separation, silhouette.

    SSE          Σ over rows of Σ_j (x_j - mean_j)² + (number of categories that differ from the mode)²
    cohesion     1 / Σ over pairs of rows of a cluster of their distance, each pair once
    separation   Σ over pairs of rows of two clusters of their distance
    silhouette   (b - a) / max(a, b), a the mean distance to the other rows of its cluster, b the least mean
                 distance to the rows of another; 0 for a row that is alone in its cluster

The SSE is of the encoded numbers and ranks, and of the nominal columns as they are. With numbers only, the
SSE and that of the clusters' means around the mean of all (between) add up to the SSE of one cluster (total).
The distance of pairs is Euclidean for numbers alone, and Gower's otherwise. A missing number counts as the
mean of its column in Euclidean distances and in the SSE; a missing category differs from every other. Rows of
cluster -1 belong to none and are left out. Texts count by the directions of their words
(`openbook.border.directions`).

labels : whole numbers (n_rows,), -1 for none
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.border.budget import refuse_if_over
from openbook.border.directions import in_directions
from openbook.border.rows import Rows
from openbook.data import Nominal, Table, read
from openbook.errors import DataError
from openbook.prepare import Encoding
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import Space
from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Step, Work

#: Distances at a time, and seconds that one takes for each column.
_AT_A_TIME, _SECONDS = 1 << 22, 1e-9


@dataclass(frozen=True, repr=False, eq=False)
class ClusterQuality(ShowsWork):
    """Quality of clusters: SSE, cohesion, separation and silhouettes.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    clusters : tuple
        The labels of the clusters.
    sizes : array
        The number of rows of each cluster.
    sse : array
        The sum of squared errors of each cluster.
    cohesion : array
        The cohesion of each cluster.
    separation : array
        The separation of each pair of clusters, (k, k); 0 in the diagonal.
    silhouettes : array
        The silhouette of each row that belongs to a cluster.
    rows : array
        Which rows those are.
    labels : array
        The labels of those rows.
    total : float
        The SSE of all rows as one cluster; NaN with categories, whose SSE is not additive.
    distance : str
        The metric by which pairs are measured.
    left_out : int
        The number of rows of no cluster.
    mean_distances : ndarray of shape (n_rows, n_clusters)
        The mean distance of each of those rows to the other rows of each cluster.

    Examples
    --------
    >>> quality = cluster_quality([[0.0], [2.0], [10.0], [14.0]], [0, 0, 1, 1], scale=False)
    >>> quality.within, quality.between
    (10.0, 121.0)
    """

    clusters: tuple[int, ...]
    sizes: np.ndarray
    sse: np.ndarray
    cohesion: np.ndarray
    separation: np.ndarray
    silhouettes: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    total: float
    distance: str
    left_out: int
    mean_distances: np.ndarray

    @property
    def silhouette(self) -> float:
        """The mean over the rows."""
        return float(self.silhouettes.mean())

    @property
    def mean_silhouettes(self) -> dict[int, float]:
        """The mean of each cluster; NaN if none of its rows was judged."""
        own = {c: self.silhouettes[self.labels == c] for c in self.clusters}
        return {c: float(some.mean()) if len(some) else math.nan for c, some in own.items()}

    @property
    def within(self) -> float:
        """The SSE of all clusters."""
        return float(self.sse.sum())

    @property
    def between(self) -> float:
        """What the clusters explain of the total."""
        return self.total - self.within

    def work(self, row: int | None = None) -> Work:
        """The figures of each cluster and of all, or the silhouette of one row.

        Parameters
        ----------
        row : int or None, default=None
            The number of the row, from 0; None for the clusters.

        Returns
        -------
        Work
        """
        if row is not None:
            return self._silhouette_of(row)
        figures = (self.sizes.tolist(), self.sse.tolist(), self.cohesion.tolist())
        rows = list(zip(self.clusters, *figures, self.mean_silhouettes.values(), strict=True))
        note = f"Distances: {self.distance}."
        if self.left_out:
            note += f" {plural(self.left_out, 'row')} without a cluster left out."
        grid = Grid("", ("cluster", "rows", "SSE", "cohesion", "mean silhouette"), rows, note)
        terms = " + ".join(figure(float(sse)) for sse in self.sse[:8]) + (" + …" if len(self.sse) > 8 else "")
        steps = [Step("SSE", r"\sum_c \operatorname{SSE}_c", terms, self.within)]
        if not math.isnan(self.total):
            numbers = f"{figure(self.total)} - {figure(self.within)}"
            steps.append(Step("between", r"\text{total} - \text{SSE}", numbers, self.between))
        steps.append(Step("silhouette", r"\frac{1}{n} \sum_i s_i", "", self.silhouette, "the mean over rows"))
        pairs = [(a, b) for a in range(len(self.clusters)) for b in range(a)]
        apart = [(self.clusters[a], self.clusters[b], float(self.separation[a, b])) for a, b in pairs]
        header = ("cluster", "and", "sum of distances")
        grids = [Grid("separation", header, apart)] if len(apart) <= 20 else []
        return Work(f"Quality of {plural(len(self.clusters), 'cluster')}", (grid, *steps, *grids))

    def _silhouette_of(self, row: int) -> Work:
        """How near a row is to its own cluster, beside the nearest other one."""
        found = np.flatnonzero(self.rows == row)
        if not len(found):
            raise DataError(f"row {row} belongs to no cluster, or is not there")
        i = int(found[0])
        own = self.clusters.index(int(self.labels[i]))
        means = self.mean_distances[i].tolist()
        lines = list(zip(self.clusters, means, strict=True))
        grid = Grid("mean distances", ("cluster", "to its rows"), lines)
        title = f"Silhouette of row {row}, of cluster {self.clusters[own]}"
        if self.sizes[own] == 1:
            return Work(title, (grid,), "It is alone in its cluster, so its silhouette is 0.")
        a, b = means[own], min(mean for c, mean in enumerate(means) if c != own)
        steps = (
            Step("a", result=a, note="to the other rows of its own cluster"),
            Step("b", result=b, note="to the rows of the nearest other cluster"),
            Step.of("s", r"\frac{b - a}{\max(a, b)}", {"a": a, "b": b}, float(self.silhouettes[i])),
        )
        return Work(title, (grid, *steps))


@documented
def cluster_quality(
    X: Any, labels: Any, metric: str = "auto", scale: bool = True, allow_large: bool = False
) -> ClusterQuality:
    """The SSE, cohesion, separation and silhouettes of clusters.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    X : rows
    labels : sequence of int
    metric : str or function, default='auto'
        "auto", "euclidean", "gower" or "heom"; "auto" is Euclidean for numbers, and Gower's otherwise.
    scale : bool, default=True
        Whether numbers are standardised, for Euclidean distances and the SSE.
    allow_large : bool, default=False

    Returns
    -------
    ClusterQuality

    Examples
    --------
    >>> quality = cluster_quality([[0.0], [2.0], [10.0], [14.0]], [0, 0, 1, 1], scale=False)
    >>> quality.sse.tolist(), quality.total, round(quality.silhouette, 3)
    ([2.0, 8.0], 131.0, 0.72)
    """
    table = in_directions(read(X))
    labels = checked_labels(labels, len(table))
    rows = np.flatnonzero(labels >= 0)
    clusters, codes, sizes = np.unique(labels[rows], return_inverse=True, return_counts=True)
    if len(clusters) < 2:
        raise DataError(f"{plural(len(clusters), 'cluster')}: to compare clusters, give at least two")
    table, n = table.take(rows), len(rows)
    what, seconds = f"the distances of all pairs of {n:,} rows", _SECONDS * n * n * len(table.names)
    refuse_if_over(what, 8.0 * _AT_A_TIME, seconds, "take a sample of the rows", allow=allow_large)
    errors = row_errors(table, codes, scale=scale)
    total = math.nan if _nominal(table) else float(row_errors(table, np.zeros(n, np.intp), scale=scale).sum())
    stored = StoredRows.gathered(Rows.in_memory(table, codes))
    space = Space(stored, table.schema, metric, scale=scale)
    sums = _sums_to_clusters(space, codes, len(clusters))
    others = sizes - (codes[:, None] == np.arange(len(clusters)))  # a row is not its own neighbour
    means = np.divide(sums, others, out=np.zeros(sums.shape), where=others > 0)
    pairs = np.array([sums[codes == c].sum(axis=0) for c in range(len(clusters))])
    with np.errstate(divide="ignore"):
        cohesion = 2.0 / np.diag(pairs)
    return ClusterQuality(
        clusters=tuple(clusters.tolist()),
        sizes=sizes,
        sse=np.bincount(codes, errors, minlength=len(clusters)),
        cohesion=cohesion,
        separation=pairs - np.diag(np.diag(pairs)),
        silhouettes=_silhouettes(means, codes, sizes),
        rows=rows,
        labels=labels[rows],
        total=total,
        distance=space.named,
        left_out=len(labels) - n,
        mean_distances=means,
    )


def checked_labels(labels: Any, n: int) -> np.ndarray:
    """Labels as whole numbers from -1 on, one for each of n rows."""
    given = np.asarray(labels)
    if given.shape != (n,):
        raise DataError(f"X has {n} rows, but labels have the shape {given.shape}")
    if given.dtype.kind not in "iu" or (n and given.min() < -1):
        raise DataError("labels must be whole numbers from 0, and -1 for rows of no cluster")
    return given.astype(np.intp)


def row_errors(table: Table, codes: np.ndarray, *, scale: bool = True) -> np.ndarray:
    """Each row's squared distance to its cluster's middle, by means of numbers and modes of categories.

    The distance of categories is the number of columns that differ; of equally frequent values the first is
    the mode.
    """
    n, k = len(table), int(codes.max()) + 1
    errors = np.zeros(n)
    nominal = _nominal(table)
    if numbers := [name for name in table.names if name not in nominal]:
        part = table.select(numbers)
        encoded = Encoding.of(Rows.in_memory(part, codes), scale=scale)(part)
        weight = np.bincount(codes, minlength=k)[:, None]
        means = np.stack([np.bincount(codes, column, minlength=k) for column in encoded.T], axis=1) / weight
        errors += ((encoded - means[codes]) ** 2).sum(axis=1)
    differ = np.zeros(n)
    for name in nominal:
        values = table.data(name).astype(np.intp)
        held = values >= 0
        counts = np.zeros((k, int(values.max(initial=0)) + 1))
        np.add.at(counts, (codes[held], values[held]), 1)
        differ += ~held | (values != counts.argmax(axis=1)[codes])
    return errors + differ**2


def _nominal(table: Table) -> list[str]:
    return [a.name for a in table.schema if isinstance(a, Nominal)]


def _sums_to_clusters(space: Space, codes: np.ndarray, k: int) -> np.ndarray:
    """The sum of each row's distances to the rows of each cluster, (n, k); a few rows at a time."""
    n = len(codes)
    member, sums = np.zeros((n, k)), np.empty((n, k))
    member[np.arange(n), codes] = 1.0
    step = max(1, _AT_A_TIME // n)
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        distances = space.index.distances(space.coordinates(space.table.take(rows)))
        distances[rows - start, rows] = 0.0  # a row is at 0 from itself, whatever it lacks
        sums[rows] = distances @ member
    return sums


def _silhouettes(means: np.ndarray, codes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    rows = np.arange(len(codes))
    a, others = means[rows, codes], means.copy()
    others[rows, codes] = np.inf
    b = others.min(axis=1)
    largest = np.maximum(a, b)
    return np.divide(b - a, largest, out=np.zeros(len(a)), where=(sizes[codes] > 1) & (largest > 0))
