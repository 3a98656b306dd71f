"""How often each value goes with each class.

    counts[c, v] = sum of w[i] over the rows i of class c whose code is v

codes : integers (n,), -1 where missing
y : class codes (n,)
w : float64 (n,), the rows' weights
counts : float64 (n_classes, n_values + 1); missing cells are counted in the last column
"""

from dataclasses import dataclass

import numpy as np

from openbook.fold import Statistics
from openbook.kernels.jit import jit

__all__ = ["Counts", "count_values", "tally"]


@dataclass(frozen=True)
class Counts(Statistics):
    """For each column its counts, (n_classes, n_values), and its missing cells, (n_classes, 1)."""

    tables: tuple[np.ndarray, ...]
    missing: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, columns, n_values, y, w, n_classes):
        """Count the columns of a chunk."""
        tables = [np.zeros((n_classes, n + 1)) for n in n_values]
        for codes, counts in zip(columns, tables, strict=True):
            count_values(codes, y, w, counts)
        return cls(tuple(t[:, :-1] for t in tables), tuple(t[:, -1:] for t in tables))

    @classmethod
    def zero(cls, n_values, n_classes):
        return cls(
            tuple(np.zeros((n_classes, n)) for n in n_values),
            tuple(np.zeros((n_classes, 1)) for _ in n_values),
        )


@jit
def count_values(codes, y, w, counts):
    """Add each row to counts[class, value]; code -1 is the last column."""
    last = np.uintp(counts.shape[1] - 1)
    for i in range(codes.shape[0]):
        value = np.uintp(codes[i]) if codes[i] >= 0 else last
        counts[np.uintp(y[i]), value] += w[i]  # unsigned: no test for indices that count from the end


def tally(codes, y, w, n_classes, n_values):
    """`count_values` by hand."""
    counts = [[0.0] * (n_values + 1) for _ in range(n_classes)]
    for code, label, weight in zip(codes, y, w, strict=True):
        counts[label][code if code >= 0 else n_values] += weight
    return counts
