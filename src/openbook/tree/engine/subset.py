"""The best two groups of nominal values at a node; kernels.

Ordered by the share of a class, or by the mean of a regression's target, the best groups of all are a cut in
the order: exact for two classes and for regression (Breiman et al., 1984). For more classes, the best cut
over the orders by each class in turn.
"""

import numpy as np

from openbook.kernels.jit import exact
from openbook.tree.engine.criteria import SQUARED, weight_of
from openbook.tree.engine.split import KNOWN, best_bin, tolerance


@exact
def sort_codes(score, order):
    """Sort codes by ascending score, those of one score by themselves (Shell's sort: they are few)."""
    gap = order.size // 2
    while gap > 0:
        for k in range(gap, order.size):
            code, j = order[k], k
            while j >= gap and (
                score[order[j - gap]] > score[code]
                or (score[order[j - gap]] == score[code] and order[j - gap] > code)
            ):
                order[j] = order[j - gap]
                j -= gap
            order[j] = code
        gap //= 2


@exact
def best_subset(routes, first, hist, min_weight, criterion, workspace):
    """The best two groups of codes: the drop in cost, or -1 if there is none.

    routes : from first on filled with 0 for the left, 1 for the right, -1 for codes without rows
    hist : float64 (n_codes, n_stats), without missing cells
    """
    n_codes, n_stats = hist.shape
    score, order, ordered = workspace.score, workspace.order, workspace.ordered
    sides, xlogx = workspace.sides, workspace.xlogx
    one_order = criterion >= SQUARED or n_stats == 2
    best = -1.0
    for o in range(1 if one_order else n_stats):
        n = 0  # codes with rows: in a small node few of many
        for code in range(n_codes):
            weight = weight_of(hist, code, criterion)
            if weight > 0:
                score[code] = hist[code, 1 if one_order else o] / weight
                order[n] = code
                n += 1
            elif o == 0:
                routes[first + code] = -1
        sort_codes(score, order[:n])
        for k in range(n):
            for s in range(n_stats):
                ordered[k, s] = hist[order[k], s]
        drop, below, _, _, _ = best_bin(ordered[:n], workspace.all_codes, min_weight, criterion, sides, xlogx)
        if below >= 0 and drop > best + tolerance(sides, KNOWN, criterion, xlogx):
            best = drop
            for k in range(n):
                routes[first + order[k]] = np.int32(k > below)
    return best
