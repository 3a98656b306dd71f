"""A round of labels over a graph of nearest rows.

neighbours : int64 (n, k), the nearest rows of each row
shares     : float64 (n, n_classes), the classes of each row before the round; `after` the same behind it
scale      : float64 (n,), by which a row's shares count for others, and others' for it
given      : float64 (n, n_classes), the part that the given labels keep
"""

import numpy as np

from openbook.kernels.jit import jit

__all__ = ["in_degrees", "propagate", "spread"]


@jit
def propagate(neighbours, labelled, shares, after):
    """The mean of the neighbours' shares; labelled rows keep theirs. Returns the sum of all changes."""
    n, k = neighbours.shape
    change = 0.0
    for i in range(n):
        total = 0.0
        for c in range(shares.shape[1]):
            after[i, c] = shares[i, c] if labelled[i] else 0.0
        if not labelled[i]:
            for m in range(k):
                for c in range(shares.shape[1]):
                    after[i, c] += shares[neighbours[i, m], c]
                    total += shares[neighbours[i, m], c]
            for c in range(shares.shape[1]):
                after[i, c] /= total if total > 0 else 1.0
        for c in range(shares.shape[1]):
            change += abs(after[i, c] - shares[i, c])
    return change


@jit
def spread(neighbours, scale, given, alpha, shares, after):
    """Alpha times the scaled sum of the other neighbours' shares, plus what is given. Returns the change."""
    n, k = neighbours.shape
    change = 0.0
    for i in range(n):
        for c in range(shares.shape[1]):
            after[i, c] = 0.0
        for m in range(k):
            j = neighbours[i, m]
            if j != i:
                for c in range(shares.shape[1]):
                    after[i, c] += scale[j] * shares[j, c]
        for c in range(shares.shape[1]):
            after[i, c] = alpha * scale[i] * after[i, c] + given[i, c]
            change += abs(after[i, c] - shares[i, c])
    return change


def in_degrees(neighbours):
    """How many other rows have each row among their nearest."""
    others = neighbours[neighbours != np.arange(len(neighbours))[:, None]]
    return np.bincount(others, minlength=len(neighbours)).astype(float)
