"""How often each value goes with each class.

    counts[c, v] = sum of w[i] over the rows i of class c whose code is v

codes : integers (n,), -1 where missing
y : class codes (n,)
w : float64 (n,), the rows' weights
counts : float64 (n_classes, n_values + 1); missing cells are counted in the last column
"""

import math
from dataclasses import dataclass

import numpy as np

from openbook.fold import Statistics
from openbook.kernels.jit import jit

#: The cells of a table that the fastest cache holds beside the rows.
SMALL = 2048


@dataclass(frozen=True)
class Counts(Statistics):
    """For each column its counts, (n_classes, n_values), and its missing cells, (n_classes, 1)."""

    tables: tuple[np.ndarray, ...]
    missing: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, columns, n_values, y, w, n_classes):
        """Count the columns of a chunk, two at a time where their joint table is small: half the work."""
        tables: list[np.ndarray] = []
        while len(tables) < len(columns):
            j = len(tables)
            pair, shape = columns[j : j + 2], (n_classes, *(n + 1 for n in n_values[j : j + 2]))
            if len(pair) == 2 and math.prod(shape) <= SMALL and pair[0].dtype == pair[1].dtype:
                tables += [np.zeros((n_classes, n)) for n in shape[1:]]
                count_pairs(*pair, y, w, np.zeros(shape), *tables[j:])
            else:
                tables.append(np.zeros(shape[:2]))
                count_values(pair[0], y, w, tables[j])
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


@jit
def count_pairs(a, b, y, w, counts, own_a, own_b):
    """Add each row to counts[class, value of a + 1, value of b + 1], where code -1 is the first of its axis,
    without a test; then these to own_a[class, value of a] and own_b[class, value of b], where it is the last.
    """
    for i in range(a.shape[0]):
        counts[np.uintp(y[i]), np.uintp(a[i] + 1), np.uintp(b[i] + 1)] += w[i]
    for c in range(counts.shape[0]):
        for j in range(counts.shape[1]):
            for k in range(counts.shape[2]):
                own_a[c, j - 1] += counts[c, j, k]
                own_b[c, k - 1] += counts[c, j, k]


@jit
def add_weights(y, w, totals):
    """Add each row's weight to totals[class]."""
    for i in range(y.shape[0]):
        totals[np.uintp(y[i])] += w[i]


def class_weights(y, w, n_classes):
    """The weight of each class, (n_classes,)."""
    totals = np.zeros(n_classes)
    add_weights(y, w, totals)
    return totals


def tally(codes, y, w, n_classes, n_values):
    """`count_values` by hand."""
    counts = [[0.0] * (n_values + 1) for _ in range(n_classes)]
    for code, label, weight in zip(codes, y, w, strict=True):
        counts[label][code if code >= 0 else n_values] += weight
    return counts
