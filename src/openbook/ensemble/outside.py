"""Out of bag: each training row is judged by the trees that did not see it; kernels.

The leaves are found by codes, the way the trees grew, so no second look at the table is needed. Votes add up
tree by tree, and with them the error: when a row gets a vote, only its own share of the error changes.

nodes, routes, columns, codes : as they grew, see `openbook.tree.grow`
"""

import numpy as np

from openbook.kernels.jit import jit
from openbook.tree.columns import NOMINAL

__all__ = ["add_votes", "coded_leaves"]


@jit(_nrt=False)
def coded_leaves(nodes, routes, columns, codes, rows, leaves):
    """Fill in the leaf of each of these rows, by its codes; nothing is ever spread."""
    for k in range(rows.size):
        row, node = np.uintp(rows[k]), np.int64(0)
        while nodes[node].attribute >= 0:
            f = nodes[node].attribute
            code = np.int64(codes[row, np.uintp(columns[f].place)])
            branch = nodes[node].missing
            if code < columns[f].n_codes:
                if columns[f].kind != NOMINAL:
                    branch = np.int64(code > nodes[node].below)
                elif routes[nodes[node].route + code] >= 0:
                    branch = np.int64(routes[nodes[node].route + code])
            node = nodes[node].first + branch
        leaves[k] = node


@jit(_nrt=False)
def add_votes(rows, leaves, values, votes, y, w, losses):
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
            loss = (votes[i, 0] / votes[i, 1] - y[i]) ** 2
        else:
            top = 0
            for c in range(1, n_outputs):
                if votes[i, c] > votes[i, top]:
                    top = c
            loss = 1.0 if top != y[i] else 0.0
        change += w[i] * (loss - max(losses[i], 0.0))
        losses[i] = loss
    return change
