"""Ranks of numbers: the smallest has rank 1, and equal ones share the mean of their ranks."""

from typing import Any

import numpy as np
import numpy.typing as npt


def mean_ranks(x: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The rank of each number; none may be missing.

    >>> mean_ranks(np.array([3.0, 1.0, 3.0, 7.0])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, which, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks: npt.NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks
