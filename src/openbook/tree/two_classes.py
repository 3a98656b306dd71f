"""The search of `split` for two classes by Gini, what most trees and forests are grown for; kernels.

With W the weight of the rows and W1 that of the second class, w and w1 the same left of a cut, the cost
drops by

    2 d^2 / (W w (W - w)),    d = w1 W - W1 w

so a cut is better than the best so far where d^2 > bar w (W - w), which takes no division: only a better one
raises the bar. `slack` is added to the bar, for what is no better than by rounding.
"""

import numpy as np

from openbook.kernels.bits import lowest, without_lowest
from openbook.kernels.jit import inner
from openbook.tree.keys import CLASS_BIT, FIRST, ROW
from openbook.tree.split import KNOWN, ROUNDING

__all__ = ["best_bin_of_two", "best_cut_of_two"]


@inner
def best_cut_of_two(keys, instances, least, sides):
    """`best_cut` for two classes by Gini."""
    weights, unit = instances.w, instances.unit
    all_1 = sides[KNOWN, 1]
    all_w = sides[KNOWN, 0] + all_1
    w_left, left_1 = 0.0, 0.0
    slack, at, cuts, w_best = ROUNDING * all_w * all_w / 2, -1, 0, 0.0
    bar = slack
    for k in range(keys.size - 1):
        key = keys[k]
        w = 1.0 if unit else weights[np.uintp(key & ROW)]
        w_left += w
        left_1 += w * ((key >> CLASS_BIT) & 1)
        w_right = all_w - w_left
        if keys[k + 1] & FIRST and w_left >= least and w_right >= least and w_right > 0:
            cuts += 1
            d = left_1 * all_w - all_1 * w_left
            if d * d > bar * w_left * w_right:
                bar = d * d / (w_left * w_right) + slack
                at, w_best = k, w_left
    return 2 * (bar - slack) / all_w, at, cuts, w_best


@inner
def best_bin_of_two(hist, occur, least, sides):
    """`best_bin` for two classes by Gini."""
    all_1 = sides[KNOWN, 1]
    all_w = sides[KNOWN, 0] + all_1
    w_left, left_1 = 0.0, 0.0
    slack, below, above, cuts, last, w_best = ROUNDING * all_w * all_w / 2, -1, -1, 0, -1, 0.0
    bar = slack
    for word in range((hist.shape[0] + 63) // 64):
        bits = occur[word]
        while bits != 0:
            code = 64 * word + lowest(bits)
            bits = without_lowest(bits)
            if code >= hist.shape[0]:
                break
            w = hist[code, 0] + hist[code, 1]
            if w <= 0:
                continue
            w_right = all_w - w_left
            if last >= 0 and w_left >= least and w_right >= least:
                cuts += 1
                d = left_1 * all_w - all_1 * w_left
                if d * d > bar * w_left * w_right:
                    bar = d * d / (w_left * w_right) + slack
                    below, above, w_best = last, code, w_left
            w_left += w
            left_1 += hist[code, 1]
            last = code
    return 2 * (bar - slack) / all_w, below, above, cuts, w_best
