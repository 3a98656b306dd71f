"""p-values of several tests, adjusted for their number; NaN for no test."""

from collections.abc import Callable
from typing import Any

import numpy as np


def holm(p_values: Any) -> np.ndarray:
    """Holm's adjustment: the i-th smallest of m p-values times m - i + 1, never falling; NaN does not count.

    Parameters
    ----------
    p_values : array-like
        The p-values of tests that are looked at together.

    Returns
    -------
    ndarray

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    return _in_order(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def bonferroni(p_values: Any) -> np.ndarray:
    """Bonferroni's adjustment: each of m p-values times m; NaN does not count.

    Parameters
    ----------
    p_values : array-like
        The p-values of tests that are looked at together.

    Returns
    -------
    ndarray

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> bonferroni([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.12, 0.09]
    """
    p = np.asarray(p_values, dtype=float)
    return np.minimum(1.0, p * (~np.isnan(p)).sum())


def false_discovery(p_values: Any) -> np.ndarray:
    """Adjustment for the false discovery rate (Benjamini, Hochberg 1995): the i-th smallest of m times m / i.

    Parameters
    ----------
    p_values : array-like
        The p-values of tests that are looked at together.

    Returns
    -------
    ndarray
        Of the tests with an adjusted p-value of at most q, a share of q is expected to be false; NaN
        does not count.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> false_discovery([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return _in_order(
        p_values, lambda p: np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]
    )


def _in_order(p_values: Any, adjust: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The known p-values in ascending order, adjusted, at most 1 and back in their places."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)[: np.count_nonzero(~np.isnan(p))]  # NaN sorts last
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(1.0, adjust(p[order]))
    return adjusted
