"""Quantiles of weighted numbers: a weight of 3 equals three rows.

    position h = q (W - 1) among the numbers in order, W their total weight; between two numbers, the line

With weights of 1 these are numpy's quantiles, but for rounding.
"""

from typing import Any

import numpy as np

#: A position that misses a number by less than this share of all is that number's: equal numbers stay equal.
_ROUNDING = 1e-14


def weighted_quantiles(x: np.ndarray, w: np.ndarray, q: Any) -> np.ndarray:
    """The quantiles q of the known numbers of x; NaN if none is known.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.ones(3), [0.0, 0.5, 0.75]).tolist()
    [1.0, 2.0, 2.5]
    >>> weighted_quantiles(np.array([1.0, 5.0]), np.array([3.0, 1.0]), [0.5]).tolist()
    [1.0]
    """
    known = ~np.isnan(x) & (w > 0)
    if not known.any():
        return np.full(len(q), np.nan)
    order = np.argsort(x[known], kind="stable")
    x, below = x[known][order], np.cumsum(w[known][order])
    h = np.maximum(np.asarray(q, dtype=float) * (below[-1] - 1), 0.0)
    h = np.where(np.abs(h - np.round(h)) < _ROUNDING * below[-1], np.round(h), h)
    low, high = (
        x[np.searchsorted(below, end, "right").clip(max=len(x) - 1)] for end in (np.floor(h), np.ceil(h))
    )
    return low + (h - np.floor(h)) * (high - low)
