"""The training rows: encoded, equal rows joined.

Equal rows, target included, become one row with the sum of their weights: the same problem, but smaller.

X : float64 (n, d), or a CSR matrix; y : class codes or numbers (n,), w : float64 (n,)
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse


class MachineRows(NamedTuple):
    """Encoded rows, targets, weights, and the number of the first row like each."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    number: np.ndarray

    def take(self, rows) -> "MachineRows":
        return MachineRows(*(array[rows] for array in self))

    def joined(self) -> "MachineRows":
        """With one row for all that are alike; sparse rows stay as they are."""
        if issparse(self.X):
            return self
        first, group = _groups(np.column_stack([self.X, self.y]))
        if len(first) == len(self.X):
            return self
        return self.take(first)._replace(w=np.bincount(group, self.w))


def _groups(cells):
    """The first row of each group of equal rows, in order, and the group of each row.

    Rows go by a mixture of their bits; one with the mixture of a group but other cells is a group by itself.
    """
    bits = cells.view(np.uint64)
    factors = np.random.default_rng(0).integers(1 << 63, size=bits.shape[1], dtype=np.uint64)
    mixture = (bits ^ (bits >> np.uint64(32))) @ (factors * np.uint64(2) + np.uint64(1))
    _, first, group = np.unique(mixture, return_index=True, return_inverse=True)
    order = np.argsort(first)
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    first, group = first[order], inverse[group]
    if len(first) < len(bits):
        strangers = np.flatnonzero((bits != bits[first[group]]).any(axis=1))
        group[strangers] = len(first) + np.arange(len(strangers))
        first = np.concatenate([first, strangers])
    return first, group
