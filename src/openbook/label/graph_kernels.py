"""A round of labels over a graph of nearest rows. Classes do not mix, so each has a round of its own.

neighbours : int32 (n, k), the nearest rows of each row
codes      : int32 (n,), the given label of each row, negative for none
degrees    : int32 (n,), how many other rows have each row among their nearest
shares     : float64 (n,), the share of the class in each row, before the round and after it
workspace  : float64 (n,)
"""

from openbook.kernels.jit import inner, jit


@inner
def _replace_shares(workspace, shares):
    """Replace the shares; returns the sum of all changes."""
    change = 0.0
    for i in range(shares.shape[0]):
        change += abs(workspace[i] - shares[i])
        shares[i] = workspace[i]
    return change


@jit
def propagate(neighbours, codes, scale, shares, workspace):
    """The sum of the neighbours' shares times the row's scale; labelled rows keep theirs. Returns the sum of
    all changes.
    """
    n, k = neighbours.shape
    for i in range(n):
        workspace[i] = shares[i] if codes[i] >= 0 else 0.0
        if codes[i] < 0:
            for m in range(k):
                workspace[i] += shares[neighbours[i, m]]
            workspace[i] *= scale[i]
    return _replace_shares(workspace, shares)


@jit
def spread(neighbours, codes, label, alpha, degrees, scales, shares, workspace):
    """Alpha times the sum of the other neighbours' shares, scaled on both sides; rows of the label keep
    1 - alpha. Returns the sum of all changes.

    scales : by degree, 1 over its root
    """
    n, k = neighbours.shape
    for i in range(n):
        total = 0.0
        for m in range(k):
            j = neighbours[i, m]
            if j != i:
                total += scales[degrees[j]] * shares[j]
        workspace[i] = alpha * scales[degrees[i]] * total + (1.0 - alpha if codes[i] == label else 0.0)
    return _replace_shares(workspace, shares)


@jit
def count_degrees(neighbours, degrees):
    """Add to each row's degree the other rows that have it among their nearest."""
    for i in range(neighbours.shape[0]):
        for m in range(neighbours.shape[1]):
            if neighbours[i, m] != i:
                degrees[neighbours[i, m]] += 1
