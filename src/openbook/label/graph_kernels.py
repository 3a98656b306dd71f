"""A round of labels over a graph of nearest rows.

neighbours : int32 (n, k), the nearest rows of each row
codes      : int64 (n,), the given label of each row, negative for none
shares     : float64 (n, n_classes), the classes of each row before the round; `after` the same behind it
scale      : float64 (n,), by which a row's shares count for others, and others' for it
"""

import numpy as np

from openbook.kernels.jit import jit


@jit
def propagate(neighbours, codes, shares, after):
    """The mean of the neighbours' shares; labelled rows keep theirs. Returns the sum of all changes."""
    n, k = neighbours.shape
    change = 0.0
    for i in range(n):
        total = 0.0
        for c in range(shares.shape[1]):
            after[i, c] = shares[i, c] if codes[i] >= 0 else 0.0
        if codes[i] < 0:
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
def spread(neighbours, scale, codes, alpha, shares, after):
    """Alpha times the scaled sum of the other neighbours' shares; a given label keeps 1 - alpha. Returns the
    sum of all changes.
    """
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
            after[i, c] = alpha * scale[i] * after[i, c] + (1.0 - alpha if codes[i] == c else 0.0)
            change += abs(after[i, c] - shares[i, c])
    return change


def in_degrees(neighbours):
    """How many other rows have each row among their nearest."""
    n = len(neighbours)
    itself = (neighbours == np.arange(n)[:, None]).any(axis=1)  # a row is there once
    return sum(np.bincount(column, minlength=n) for column in neighbours.T) - itself.astype(float)
