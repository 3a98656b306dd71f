"""One epoch of the perceptron: the rows one after another, the weights changed at every mistake.

cells : float64, the numbers of row i from starts[i] to starts[i + 1], in these columns; columns is None where
every row has all of them
y : class codes (n,); w : float64 (n,), weights; order : positions (n,)
tally : float64 (5,), see CLOCK and its neighbours

A row of weight 3 is met three times in a row; a remaining weight below 1 is met once, with a step as much
smaller. There are no missing cells.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.kernels.jit import inner, jit

#: Places in the tally: the weight of the rows met, of those got right since the last change, and the most
#: that any weights before these got right; whether these weights were tried; how many changes there were.
CLOCK, RUN, LONGEST, TRIED, UPDATES = range(5)


class Hyperplanes(NamedTuple):
    """The weights as the kernel changes them: those of a column side by side, so that one look fetches all.

    theta : float64 (d + 1, 1) for two classes, else (d + 1, n_classes); the bias comes first
    drift : as theta, the sum of each change times the clock at which it came; or no rows, if nobody asks
    scores : float64 (1,) or (n_classes,), those of the row that is met
    """

    theta: npt.NDArray[np.float64]
    drift: npt.NDArray[np.float64]
    scores: npt.NDArray[np.float64]


@inner
def _score(weights, cells, columns, start, stop):
    """The weights of one plane times (1, row)."""
    z = weights[0]
    if columns is None:
        for j in range(stop - start):
            z += weights[j + 1] * cells[start + j]
    else:
        for e in range(start, stop):
            z += weights[np.uintp(columns[e] + 1)] * cells[e]
    return z


@inner
def _score_all(planes, cells, columns, start, stop):
    """The same of every plane, into `scores`; cells go in pairs, which halves the ways to memory."""
    theta, scores = planes.theta, planes.scores
    for c in range(len(scores)):
        scores[c] = theta[0, c]
    for e in range(start, stop, 2):
        last = min(e + 1, stop - 1)
        second = cells[last] if last > e else 0.0
        j = np.uintp(e - start + 1 if columns is None else columns[e] + 1)
        k = np.uintp(last - start + 1 if columns is None else columns[last] + 1)
        for c in range(len(scores)):
            scores[c] += theta[j, c] * cells[e] + theta[k, c] * second


@inner
def _add(weights, c, cells, columns, start, stop, amount, bias):
    """Add amount times (1, row) to the weights of c; the bias stays where there is none."""
    if bias:
        weights[0, c] += amount
    for e in range(start, stop):
        j = np.uintp(e - start + 1 if columns is None else columns[e] + 1)
        weights[j, c] += amount * cells[e]


@inner
def _change(planes, c, row, amount, clock, bias):
    """Add a row to the weights of class c, and to the sums from which their averages are found."""
    cells, columns, start, stop = row
    _add(planes.theta, c, cells, columns, start, stop, amount, bias)
    if planes.drift.shape[0]:
        _add(planes.drift, c, cells, columns, start, stop, clock * amount, bias)


@jit
def meet(rows, order, first, step, planes, tally, bias):
    """Go through the rows from position `first` on, and return where it stopped.

    It stops early where weights that were not tried yet have classified more rows correctly than any before.
    """
    cells, columns, starts, y, w = rows
    signed = len(planes.scores) == 1
    only = planes.theta.reshape(planes.theta.size)
    for k in range(first, order.shape[0]):
        i = order[k]
        row = cells, columns, starts[i], starts[i + 1]
        left = w[i]
        while left > 0.0:
            predicted, top = 0, -math.inf
            if signed:
                predicted = 1 if _score(only, cells, columns, starts[i], starts[i + 1]) >= 0.0 else 0
            else:
                _score_all(planes, cells, columns, starts[i], starts[i + 1])
                for c in range(len(planes.scores)):
                    if planes.scores[c] > top:
                        predicted, top = c, planes.scores[c]
            if predicted == y[i]:
                tally[CLOCK] += left
                tally[RUN] += left
                break
            share = min(left, 1.0)
            if signed:
                _change(planes, 0, row, 2.0 * step * share * (y[i] - predicted), tally[CLOCK], bias)
            else:
                _change(planes, y[i], row, step * share, tally[CLOCK], bias)
                _change(planes, predicted, row, -step * share, tally[CLOCK], bias)
            left -= share
            tally[CLOCK] += share
            tally[LONGEST] = max(tally[LONGEST], tally[RUN])
            tally[RUN] = 0.0
            tally[TRIED] = 0.0
            tally[UPDATES] += 1.0
        if tally[RUN] > tally[LONGEST] and tally[TRIED] == 0.0:
            return k + 1
    return order.shape[0]
