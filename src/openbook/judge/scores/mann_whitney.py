"""The Mann-Whitney statistic: ranks of positive rows among negative ones, and the area under the ROC curve.

    positive, negative : float64, sorted
    doubled wins of a  : twice the number of b below it, plus the number of b equal to it

Both groups are sorted separately, by numpy's vector instructions, and one pass over both counts the wins of
all rows: O(n log n), and ties are exact. The row with the larger score wins a pair; a tie is half a win. So

    AUC = Σ doubled wins / (2 n_positive n_negative)

is the share of pairs in which the positive row scores higher: the trapezoids under the ROC curve. Whole
numbers are summed, so nothing is lost. Scores must not be NaN.
"""

import numpy as np

from openbook.kernels.jit import jit


def parted(truth: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scores of the rows that are true, and of those that are not, each sorted."""
    positive, negative = scores[truth], scores[~truth]
    positive.sort()
    negative.sort()
    return positive, negative


def doubled_wins(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """For every a, twice the number of b below it plus the number of b equal to it; both are sorted."""
    placed = np.empty(len(a), dtype=np.int64)
    _count_wins(a, b, placed)
    return placed


def area(positive: np.ndarray, negative: np.ndarray) -> float:
    """The area under the ROC curve, from sorted scores of at least one row each."""
    return float(doubled_wins(positive, negative).sum()) / (2 * len(positive) * len(negative))


@jit
def _count_wins(a, b, placed):
    below = not_above = 0
    for i in range(len(a)):
        while below < len(b) and b[below] < a[i]:
            below += 1
        not_above = max(not_above, below)
        while not_above < len(b) and b[not_above] <= a[i]:
            not_above += 1
        placed[i] = below + not_above
