"""The cells of a column that set its scale where gross errors must not: those within Tukey's outer fences.

    Q1 - 3 (Q3 - Q1) ≤ x ≤ Q3 + 3 (Q3 - Q1)

The range, the mean and the standard deviation of these cells are those of all cells, unless some lie far out.
Where more than half of the cells are equal, so that the quartiles may coincide, the fences are those of the
other cells and the repeated number itself always counts; where those coincide too, every cell counts.

known : float64 (n,), without NaN
"""

import numpy as np

__all__ = ["within_fences"]

#: Interquartile ranges from a quartile to its outer fence.
_OUTER = 3.0


def within_fences(known):
    """The cells that set the scale of a column.

    >>> within_fences(np.array([1.0, 2, 3, 4, 5, 900])).tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0]
    >>> within_fences(np.array([0.0, 0, 0, 0, 0, 0, 10, 11, 12, 13, 9999])).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 10.0, 11.0, 12.0, 13.0]
    """
    if not len(known):
        return known
    low, middle, high = np.quantile(known, (0.25, 0.5, 0.75))
    if low == high:
        others = known[known != middle]
        low, high = np.quantile(others, (0.25, 0.75)) if len(others) else (low, high)
        if low == high:
            return known
    reach = _OUTER * (high - low)
    return known[((known >= low - reach) & (known <= high + reach)) | (known == middle)]
