"""What a node costs, and what a split gains.

A node's cost is its impurity times its weight W, so costs of branches add up. With n_c the weight of class c:

    Gini               W - sum_c n_c^2 / W
    entropy            W log2 W - sum_c n_c log2 n_c         (bits, all rows together)
    squared error      sum w y^2 - (sum w y)^2 / W
    absolute error     sum w |y - median|

    gain = (cost of the rows whose cell is known - sum of their branches' costs) / W

so a gain is scaled by the share of known cells, as C4.5 does. Gain ratio divides by the split information,
in which missing cells count as one branch more:

    split information = - sum_b (W_b / W) log2 (W_b / W)

stats : float64 (n, n_stats), in each row what adds up over the rows of a node, or of a part of it: the weight
    of each class; or W, sum w y, sum w y^2; or, for absolute error, W, median, deviation. Kernels take the
    table and the row: a view of a row costs more than the sum over it.
"""

import math

import numpy as np

from openbook.kernels.jit import exact

GINI, ENTROPY, GAIN_RATIO, SQUARED, ABSOLUTE = range(5)


@exact
def plogp(x, xlogx):
    """Give x log2 x, and 0 for 0; looked up where x is a whole number for sure.

    xlogx : float64, x log2 x of the whole numbers from 0 on; or empty
    """
    if xlogx.size:
        return xlogx[np.uintp(x)]
    return x * math.log2(x) if x > 0 else 0.0


@exact
def weight_of(stats, row, criterion):
    """The weight behind a row of stats."""
    if criterion >= SQUARED:
        return stats[row, 0]
    total = 0.0
    for c in range(stats.shape[1]):
        total += stats[row, c]
    return total


@exact
def impurity_cost(stats, row, criterion, xlogx):
    """The cost of the rows behind a row of stats; 0 for none."""
    weight = weight_of(stats, row, criterion)
    if weight <= 0:
        return 0.0
    if criterion == ABSOLUTE:
        return stats[row, 2]
    if criterion == SQUARED:
        return max(stats[row, 2] - stats[row, 1] * stats[row, 1] / weight, 0.0)
    inside = 0.0
    if criterion == GINI:
        for c in range(stats.shape[1]):
            inside += stats[row, c] * stats[row, c]
        return weight - inside / weight
    for c in range(stats.shape[1]):
        inside += plogp(stats[row, c], xlogx)
    return plogp(weight, xlogx) - inside
