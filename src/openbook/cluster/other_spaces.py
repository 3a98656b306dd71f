r"""Prototypes by other distances: directions for the cosine, medians for the Manhattan distance.

    cosine      t(x, c) = Σ_j (x_j - c_j)² = 2 (1 - cos), of rows of length 1;  c the mean, of length 1 too
    manhattan   t(x, c) = Σ_j |x_j - c_j|;  c the median of each column

Each is the centre of least cost for its distance, so that the cost falls with every iteration, as in k-means.
A row of zeros has no direction and stays where it is. A median of weighted rows has half of the weight on
either side; where two numbers do, it lies midway. Medians take all rows at once, so they are gathered, and
there is no learning from more rows.

numbers : float64 (n, p), means : float64 (k, p)
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from openbook.cluster.prototypes import Placed, Prototypes, PrototypeSpace, SearchAim
from openbook.errors import ParameterError

#: Distances that are worked out at a time.
_AT_A_TIME = 1 << 22


class DirectionSpace(PrototypeSpace):
    """Rows and prototypes of unit length."""

    metric = "cosine"

    def place(self, chunk):
        placed = super().place(chunk)
        return placed._replace(numbers=_of_unit_length(placed.numbers.astype(np.float64)))

    def update(self, tally, before):
        return _to_unit_length(super().update(tally, before))


class SparseSpace(PrototypeSpace):
    """Sparse rows, which are never made dense; prototypes are few, and are."""

    def place(self, chunk):
        return Placed(self.encoding(chunk.X), np.empty((len(chunk.X), 0), np.int32), chunk.w)

    def prototypes(self, placed):
        return Prototypes(placed.numbers.toarray(), placed.codes.copy())

    def aim(self, prototypes, before=None):  # noqa: ARG002 (no bound is kept)
        return SearchAim(prototypes)

    def with_panels(self, placed):
        return placed

    def nearest(self, placed, aim, bounds):
        found = self.all_distances(placed, aim.prototypes)
        bounds.labels[:] = found.argmin(axis=0)
        tally = self.zero(len(found))
        tally.cost[0] = placed.weights @ found.min(axis=0)
        np.add.at(tally.weight, bounds.labels, placed.weights)
        rows = np.arange(len(placed.weights))
        members = csr_array((placed.weights, (bounds.labels, rows)), shape=found.shape)
        tally.sums[:] = (members @ placed.numbers).toarray()
        return tally

    def all_distances(self, placed, prototypes):
        means = prototypes.means
        found = (placed.numbers @ (-2.0 * means.T)).T + _squares(placed.numbers)
        found += (means**2).sum(axis=1)[:, None]
        return np.maximum(found, 0.0)

    def distances_of(self, placed, prototypes, labels):
        return self.all_distances(placed, prototypes)[labels, np.arange(len(labels))]


class SparseDirectionSpace(SparseSpace):
    """Sparse rows and prototypes of unit length."""

    metric = "cosine"

    def place(self, chunk):
        placed = super().place(chunk)
        lengths = np.sqrt(_squares(placed.numbers))
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return placed._replace(numbers=csr_array(placed.numbers.multiply(inverse[:, None])))

    def update(self, tally, before):
        return _to_unit_length(super().update(tally, before))


class MedianSpace(PrototypeSpace):
    """Absolute gaps, and prototypes that are medians."""

    metric = "manhattan"

    def aim(self, prototypes, before=None):  # noqa: ARG002 (no bound is kept)
        return SearchAim(prototypes)

    def with_panels(self, placed):
        return placed

    def nearest(self, placed, aim, bounds):
        means = aim.prototypes.means
        tally = self.zero(len(means))
        step = max(_AT_A_TIME // len(means), 1)
        for start in range(0, len(placed.weights), step):
            span = slice(start, start + step)
            gaps = cdist(placed.numbers[span].astype(np.float64), means, "cityblock")
            bounds.labels[span] = gaps.argmin(axis=1)
            tally.cost[0] += placed.weights[span] @ gaps.min(axis=1)
        np.add.at(tally.weight, bounds.labels, placed.weights)
        return tally

    def distances(self, placed, prototypes):
        return np.abs(placed.numbers.astype(np.float64) - prototypes.means).sum(axis=1)

    def update(self, tally, before):  # noqa: ARG002
        raise ParameterError("medians need all rows at once; fit on all of them, or take metric='euclidean'")

    def moved(self, rows, labels, tally, before):  # noqa: ARG002
        """The medians of the rows of each cluster; a cluster without any stays where it was."""
        placed, means = rows.take(np.arange(rows.n)), before.means.copy()
        for c in np.unique(labels):
            own = labels == c
            means[c] = _medians(placed.numbers[own].astype(np.float64), placed.weights[own])
        return Prototypes(means, before.modes)


#: How k-means compares rows with prototypes.
PROTOTYPE_SPACES = {
    "euclidean": PrototypeSpace,
    "cosine": DirectionSpace,
    "manhattan": MedianSpace,
}


#: The same over sparse rows.
SPARSE_SPACES = {"euclidean": SparseSpace, "cosine": SparseDirectionSpace}


def _squares(rows):
    """The squared length of each sparse row."""
    return np.asarray(rows.multiply(rows).sum(axis=1)).ravel()


def _to_unit_length(prototypes):
    return Prototypes(_of_unit_length(prototypes.means), prototypes.modes)


def _of_unit_length(rows):
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _medians(numbers, weights):
    """The weighted median of each column."""
    order = np.argsort(numbers, axis=0, kind="stable")
    values = np.take_along_axis(numbers, order, axis=0)
    reached, half = weights[order].cumsum(axis=0), weights.sum() / 2
    low = (reached < half * (1 - 1e-12)).sum(axis=0)  # the first with half of the weight up to it
    high = np.minimum((reached <= half * (1 + 1e-12)).sum(axis=0), len(values) - 1)
    columns = np.arange(values.shape[1])
    return (values[low, columns] + values[high, columns]) / 2
