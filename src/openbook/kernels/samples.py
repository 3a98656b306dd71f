"""The distinct values of each column within each class, with their weights: for quantiles and densities.

values[c][j], weights[c][j] : float64 (n_distinct,), in increasing order of value; missing cells are not
among them

They grow with the number of distinct values, not of rows, and are exact whatever the chunks.
"""

from dataclasses import dataclass

import numpy as np

from openbook.errors import DataError
from openbook.fold import ROUNDING, Statistics


@dataclass(frozen=True)
class Samples(Statistics):
    """Distinct values and their weights, for each class and column."""

    values: tuple[tuple[np.ndarray, ...], ...]
    weights: tuple[tuple[np.ndarray, ...], ...]

    @classmethod
    def of(cls, x, y, w, n_classes):
        """The samples of a chunk; x is float (n, d), NaN where missing."""
        known = ~np.isnan(x)
        cells = [[(y == c) & known[:, j] for j in range(x.shape[1])] for c in range(n_classes)]
        return cls._from(
            [distinct(x[rows, j], w[rows]) for j, rows in enumerate(columns)] for columns in cells
        )

    @classmethod
    def zero(cls, n_classes, n_columns):
        return cls._from([(np.zeros(0), np.zeros(0))] * n_columns for _ in range(n_classes))

    @classmethod
    def _from(cls, classes):
        pairs = [tuple(columns) for columns in classes]
        return cls(*(tuple(tuple(pair[k] for pair in columns) for columns in pairs) for k in (0, 1)))

    def cell(self, c, j):
        """Values and weights of a column in a class."""
        return self.values[c][j], self.weights[c][j]

    def overall(self, j):
        """Values and weights of a column over all classes."""
        cells = [self.cell(c, j) for c in range(len(self.values))]
        return distinct(*(np.concatenate(part) for part in zip(*cells, strict=True)))

    def _joined(self, other, join):
        return self._from(
            [
                distinct(np.concatenate([a, b]), np.concatenate([v, join(0.0, w)]))
                for a, v, b, w in zip(*columns, strict=True)
            ]
            for columns in zip(self.values, self.weights, other.values, other.weights, strict=True)
        )

    def amounts(self):
        return [weights for columns in self.weights for weights in columns]

    def filled(self, arrays):
        return self._from(
            [_checked(arrays[f"values.{c}.{j}"], arrays[f"weights.{c}.{j}"]) for j in range(len(columns))]
            for c, columns in enumerate(self.values)
        )


def _checked(values, weights):
    if not (
        values.ndim == 1 and values.shape == weights.shape and values.dtype == weights.dtype == np.float64
    ):
        raise ValueError("values and weights must be float64 arrays of one length")
    if not (np.isfinite(values).all() and (np.diff(values) > 0).all() and (weights > 0).all()):
        raise ValueError("values must be finite and in increasing order, and weights above 0")
    return values, weights


def distinct(values, weights):
    """Distinct values in order with their weights added up; weights that cancel out vanish."""
    found, which = np.unique(values, return_inverse=True)
    total = np.bincount(which, weights, minlength=len(found)).astype(float)
    nothing = ROUNDING * np.bincount(which, np.abs(weights), minlength=len(found))
    if (total < -nothing).any():
        msg = f"cannot forget the value {found[total < -nothing][0]:g}: it was not in the training data"
        raise DataError(msg)
    kept = total > nothing
    return found[kept], total[kept]
