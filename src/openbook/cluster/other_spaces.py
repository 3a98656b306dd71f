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

from openbook.cluster.prototypes import PrototypeRows, Prototypes, PrototypeSpace
from openbook.errors import ParameterError

#: The most distances that are computed at a time.
_AT_A_TIME = 1 << 22


class DirectionSpace(PrototypeSpace):
    """Rows and prototypes of unit length."""

    metric = "cosine"

    def encode(self, chunk):
        encoded = super().encode(chunk)
        return encoded._replace(numbers=_of_unit_length(encoded.numbers.astype(np.float64)))

    def update(self, tally, before):
        return _to_unit_length(super().update(tally, before))


class SparseSpace(PrototypeSpace):
    """Sparse rows, which are never made dense; prototypes are few, and are."""

    bounded = False

    def encode(self, chunk):
        return PrototypeRows(self.encoding(chunk.X), np.empty((len(chunk.X), 0), np.int32), chunk.w)

    def prototypes(self, encoded):
        return Prototypes(encoded.numbers.toarray(), encoded.codes.copy())

    def nearest(self, encoded, aim, bounds):
        found = self.all_distances(encoded, aim.prototypes)
        bounds.labels[:] = found.argmin(axis=0)
        tally = self.zero(len(found))
        tally.cost[0] = encoded.weights @ found.min(axis=0)
        np.add.at(tally.weight, bounds.labels, encoded.weights)
        rows = np.arange(len(encoded.weights))
        members = csr_array((encoded.weights, (bounds.labels, rows)), shape=found.shape)
        tally.sums[:] = (members @ encoded.numbers).toarray()
        return tally

    def all_distances(self, encoded, prototypes):
        means = prototypes.means
        found = (encoded.numbers @ (-2.0 * means.T)).T + _squares(encoded.numbers)
        found += (means**2).sum(axis=1)[:, None]
        return np.maximum(found, 0.0)

    def distances_of(self, encoded, prototypes, labels):
        return self.all_distances(encoded, prototypes)[labels, np.arange(len(labels))]


class SparseDirectionSpace(SparseSpace):
    """Sparse rows and prototypes of unit length."""

    metric = "cosine"

    def encode(self, chunk):
        encoded = super().encode(chunk)
        lengths = np.sqrt(_squares(encoded.numbers))
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return encoded._replace(numbers=csr_array(encoded.numbers.multiply(inverse[:, None])))

    def update(self, tally, before):
        return _to_unit_length(super().update(tally, before))


class MedianSpace(PrototypeSpace):
    """Absolute gaps, and prototypes that are medians."""

    metric = "manhattan"
    bounded = False

    def nearest(self, encoded, aim, bounds):
        means = aim.prototypes.means
        tally = self.zero(len(means))
        step = max(_AT_A_TIME // len(means), 1)
        for start in range(0, len(encoded.weights), step):
            span = slice(start, start + step)
            gaps = cdist(encoded.numbers[span].astype(np.float64), means, "cityblock")
            bounds.labels[span] = gaps.argmin(axis=1)
            tally.cost[0] += encoded.weights[span] @ gaps.min(axis=1)
        np.add.at(tally.weight, bounds.labels, encoded.weights)
        return tally

    def distances(self, encoded, prototypes):
        return np.abs(encoded.numbers.astype(np.float64) - prototypes.means).sum(axis=1)

    def update(self, tally, before):  # noqa: ARG002
        raise ParameterError("medians need all rows at once; fit on all of them, or take metric='euclidean'")

    def moved(self, rows, labels, tally, before):  # noqa: ARG002
        """The medians of the rows of each cluster; a cluster without any stays where it was."""
        encoded, means = rows.take(np.arange(rows.n)), before.means.copy()
        for c in np.unique(labels):
            own = labels == c
            means[c] = _medians(encoded.numbers[own].astype(np.float64), encoded.weights[own])
        return Prototypes(means, before.modes)


#: How k-means compares rows with prototypes.
PROTOTYPE_SPACES = {"euclidean": PrototypeSpace, "cosine": DirectionSpace, "manhattan": MedianSpace}


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
