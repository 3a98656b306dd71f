"""Out of bag: each training row is predicted by the trees that were not fitted to it.

Votes add up tree by tree, and with them the error: when a row gets a vote, only its own share of the error
changes.
"""

from openbook.kernels.jit import jit


@jit(_nrt=False)
def add_leaf_votes(rows, leaves, values, votes, y, w, losses):
    """Add a tree's answers to the votes of rows that it did not see; gives the change in the sum of losses.

    values : float64 (n_nodes, n_outputs), shares of the classes, or a number
    votes : float64 (n, n_outputs + 1), their sums so far, then how many there are
    y : float64 (n,), classes or numbers; losses : float64 (n,), of the rows' mean votes; -1 for no vote yet
    """
    n_outputs, change = values.shape[1], 0.0
    for k in range(rows.size):
        i = rows[k]
        for c in range(n_outputs):
            votes[i, c] += values[leaves[k], c]
        votes[i, n_outputs] += 1
        if n_outputs == 1:
            error = votes[i, 0] / votes[i, 1] - y[i]
            loss = error * error
        else:
            top = 0
            for c in range(1, n_outputs):
                if votes[i, c] > votes[i, top]:
                    top = c
            loss = 1.0 if top != y[i] else 0.0
        change += w[i] * (loss - max(losses[i], 0.0))
        losses[i] = loss
    return change
