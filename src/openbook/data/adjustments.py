"""p-values of several tests, adjusted for their number; NaN for no test."""

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
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)[: int((~np.isnan(p)).sum())]  # NaN sorts last
    steps = p[order] * np.arange(len(order), 0, -1)
    holm_adjusted = np.full(p.shape, np.nan)
    holm_adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return holm_adjusted


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
    """Adjustment for the false discovery rate (Benjamini, Hochberg 1995): of m, the i-th times m / i.

    Parameters
    ----------
    p_values : array-like
        The p-values of tests that are looked at together.

    Returns
    -------
    ndarray
        Those of at most q hold the expected share of false ones among them to q; NaN does not count.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> false_discovery([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)[: int((~np.isnan(p)).sum())]
    steps = p[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1])
    return adjusted
