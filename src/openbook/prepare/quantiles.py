"""Quantiles of weighted numbers: a weight of 3 equals three rows.

    position h = q (W - 1) among the numbers in order, W their total weight; between two numbers, the line

With weights of 1 these are numpy's quantiles.
"""

from typing import Any

import numpy as np

__all__ = ["weighted_quantiles"]


def weighted_quantiles(x: np.ndarray, w: np.ndarray, q: Any) -> np.ndarray:
    """The quantiles q of the known numbers of x; NaN where none is known.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.ones(3), [0.0, 0.5, 0.75]).tolist()
    [1.0, 2.0, 2.5]
    >>> weighted_quantiles(np.array([1.0, 5.0]), np.array([3.0, 1.0]), [0.5]).tolist()
    [1.0]
    """
    known = ~np.isnan(x) & (w > 0)
    if not known.any():
        return np.full(len(q), np.nan)
    x, w = x[known], w[known]
    if (w == 1).all():
        return np.quantile(x, q)
    order = np.argsort(x, kind="stable")
    x, below = x[order], np.cumsum(w[order])
    h = np.maximum(np.asarray(q, dtype=float) * (below[-1] - 1), 0.0)
    low, high = (
        x[np.searchsorted(below, end, "right").clip(max=len(x) - 1)] for end in (np.floor(h), np.ceil(h))
    )
    return low + (h - np.floor(h)) * (high - low)
