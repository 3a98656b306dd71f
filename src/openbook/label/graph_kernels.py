"""A round of labels over a graph of nearest rows. Classes do not mix, so each has a round of its own.

neighbours : int32 (n, k), the nearest rows of each row
codes      : int32 (n,), the given label of each row, negative for none
degrees    : int32 (n,), how many other rows have each row among their nearest
shares     : float64 (n,), how much of the class each row has, before the round and after it
room       : float64 (n,), to work in
"""

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
    """The sum of the neighbours' shares times the row's scale; labelled rows keep theirs. Returns the sum of
    all changes.
    """
    n, k = neighbours.shape
    for i in range(n):
        room[i] = shares[i] if codes[i] >= 0 else 0.0
        if codes[i] < 0:
            for m in range(k):
                room[i] += shares[neighbours[i, m]]
            room[i] *= scale[i]
    return _take_over(room, shares)


@jit
def spread(neighbours, codes, label, alpha, degrees, scales, shares, room):
    """Alpha times the sum of the other neighbours' shares, scaled on both sides; rows of the label keep
    1 - alpha. Returns the sum of all changes.

    scales : by degree, 1 over its root
    """
    n, k = neighbours.shape
    for i in range(n):
        heard = 0.0
        for m in range(k):
            j = neighbours[i, m]
            if j != i:
                heard += scales[degrees[j]] * shares[j]
        room[i] = alpha * scales[degrees[i]] * heard + (1.0 - alpha if codes[i] == label else 0.0)
    return _take_over(room, shares)


@jit
def count_listeners(neighbours, degrees):
    """Add to each row's degree the other rows that have it among their nearest."""
    for i in range(neighbours.shape[0]):
        for m in range(neighbours.shape[1]):
            if neighbours[i, m] != i:
                degrees[neighbours[i, m]] += 1
