"""A round of labels over a graph of nearest rows. Classes do not mix, so each has a round of its own.

neighbours : int32 (n, k), the nearest rows of each row
codes      : int64 (n,), the given label of each row, negative for none
scale      : float64 (n,), by which what a row hears is multiplied
shares     : float64 (n,), how much of the class each row has, before the round and after it
room       : float64 (n,), to work in
"""

import numpy as np

from openbook.kernels.jit import inner, jit


@inner
def _take_over(room, shares):
    """Replace the shares; returns the sum of all changes."""
    change = 0.0
    for i in range(shares.shape[0]):
        change += abs(room[i] - shares[i])
        shares[i] = room[i]
    return change


@jit
def propagate(neighbours, codes, scale, shares, room):
    """The scaled sum of the neighbours' shares; labelled rows keep theirs. Returns the sum of all changes."""
    n, k = neighbours.shape
    for i in range(n):
        room[i] = shares[i] if codes[i] >= 0 else 0.0
        if codes[i] < 0:
            for m in range(k):
                room[i] += shares[neighbours[i, m]]
            room[i] *= scale[i]
    return _take_over(room, shares)


@jit
def spread(neighbours, codes, label, alpha, scale, shares, room):
    """Alpha times the sum of the other neighbours' shares, scaled on both sides; rows of the label keep
    1 - alpha. Returns the sum of all changes.
    """
    n, k = neighbours.shape
    for i in range(n):
        heard = 0.0
        for m in range(k):
            j = neighbours[i, m]
            if j != i:
                heard += scale[j] * shares[j]
        room[i] = alpha * scale[i] * heard + (1.0 - alpha if codes[i] == label else 0.0)
    return _take_over(room, shares)


def in_degrees(neighbours):
    """How many other rows have each row among their nearest."""
    n = len(neighbours)
    itself = (neighbours == np.arange(n)[:, None]).any(axis=1)  # a row is there once
    return sum(np.bincount(column, minlength=n) for column in neighbours.T) - itself.astype(float)
