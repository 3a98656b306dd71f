"""One epoch of the perceptron: the rows one after another, the weights changed at every mistake.

cells : float64, the numbers of row i from starts[i] to starts[i + 1], in these columns; columns is None where
every row has all of them
y : class codes (n,); w : float64 (n,), weights; order : positions (n,)
theta : float64 (1, d + 1) for two classes, else (n_classes, d + 1); the bias comes first
drift : as theta, the sum of each change times the clock at which it came; or no rows at all, if nobody asks
tally : float64 (5,), see CLOCK and its neighbours

A row of weight 3 is met three times on end, and what is left of a weight below 1 once, with a step as much
smaller. There are no missing cells.
"""

import math

from openbook.kernels.jit import inner, jit

__all__ = ["CLOCK", "LONGEST", "RUN", "TRIED", "UPDATES", "meet"]

#: Places in the tally: the weight of the rows met, of those got right since the last change, and the most
#: that any weights before these got right; whether these weights were tried; how many changes there were.
CLOCK, RUN, LONGEST, TRIED, UPDATES = range(5)


@inner
def _score(weights, cells, columns, start, stop):
    """The weights times (1, row)."""
    z = weights[0]
    if columns is None:
        for j in range(stop - start):
            z += weights[j + 1] * cells[start + j]
    else:
        for e in range(start, stop):
            z += weights[columns[e] + 1] * cells[e]
    return z


@inner
def _add(weights, cells, columns, start, stop, amount, bias):
    """Add amount times (1, row) to the weights; the bias stays where there is none."""
    if bias:
        weights[0] += amount
    if columns is None:
        for j in range(stop - start):
            weights[j + 1] += amount * cells[start + j]
    else:
        for e in range(start, stop):
            weights[columns[e] + 1] += amount * cells[e]


@inner
def _change(theta, drift, c, row, amount, clock, bias):
    """Change the weights of c, and what they drift by."""
    cells, columns, start, stop = row
    _add(theta[c], cells, columns, start, stop, amount, bias)
    if drift.shape[0]:
        _add(drift[c], cells, columns, start, stop, clock * amount, bias)


@jit
def meet(rows, order, first, step, theta, drift, tally, bias):
    """Meet the rows from position `first` on; says where it stopped.

    It stops early where weights that were not tried yet have got more rows right than any others before.
    """
    cells, columns, starts, y, w = rows
    signed = theta.shape[0] == 1
    for k in range(first, order.shape[0]):
        i = order[k]
        row = cells, columns, starts[i], starts[i + 1]
        left = w[i]
        while left > 0.0:
            said, top = 0, -math.inf
            for c in range(theta.shape[0]):
                z = _score(theta[c], cells, columns, starts[i], starts[i + 1])
                if z > top:
                    said, top = c, z
            if signed:
                said = 1 if top >= 0.0 else 0
            if said == y[i]:
                tally[CLOCK] += left
                tally[RUN] += left
                break
            share = min(left, 1.0)
            if signed:
                _change(theta, drift, 0, row, 2.0 * step * share * (y[i] - said), tally[CLOCK], bias)
            else:
                _change(theta, drift, y[i], row, step * share, tally[CLOCK], bias)
                _change(theta, drift, said, row, -step * share, tally[CLOCK], bias)
            left -= share
            tally[CLOCK] += share
            tally[LONGEST] = max(tally[LONGEST], tally[RUN])
            tally[RUN] = 0.0
            tally[TRIED] = 0.0
            tally[UPDATES] += 1.0
        if tally[RUN] > tally[LONGEST] and tally[TRIED] == 0.0:
            return k + 1
    return order.shape[0]
