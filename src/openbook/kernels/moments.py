"""Weight, mean and scatter of each column within each class.

    weight[c, j]  = sum of w[i]                           over the rows i of class c in which x[i, j] is known
    mean[c, j]    = sum of w[i] x[i, j] / weight[c, j]
    scatter[c, j] = sum of w[i] (x[i, j] - mean[c, j])^2

A chunk is summed in one pass around a shift s that is itself a value of the class: with S1 = sum w (x - s)
and S2 = sum w (x - s)^2, mean = s + S1 / weight and scatter = S2 - S1^2 / weight. Since (s - mean)^2 <=
scatter, no more than a factor of the number of rows is lost to cancellation, wherever the column lies.
Chunks are joined by the formula of Chan, Golub and LeVeque (1979).

x : float (n, d), row after row, NaN where missing
y : class codes (n,);  w : float64 (n,)
weight, mean, scatter : float64 (n_classes, d); where the weight is 0, so are mean and scatter
"""

from dataclasses import dataclass

import numpy as np

from openbook.fold import Statistics, less
from openbook.kernels.jit import jit


@dataclass(frozen=True)
class Moments(Statistics):
    """Weight, mean and scatter, (n_classes, d) each."""

    weight: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def of(cls, x, y, w, n_classes):
        """The moments of a chunk."""
        if not x.shape[1]:  # nothing to compile a kernel for
            return cls.zero(n_classes, 0)
        shift, weight, sums, squares = np.zeros((4, n_classes, x.shape[1]))
        first_known(x, y, shift)
        add_shifted(x, y, w, shift, weight, sums, squares)
        inverse = _inverse(weight)
        return cls(weight, shift + sums * inverse, np.maximum(squares - sums * sums * inverse, 0.0))

    @classmethod
    def zero(cls, n_classes, n_columns):
        return cls(*np.zeros((3, n_classes, n_columns)))

    def __add__(self, other):
        weight = self.weight + other.weight
        share = other.weight * _inverse(weight)
        gap = other.mean - self.mean
        return Moments(
            weight,
            np.where(self.weight > 0, self.mean + share * gap, other.mean),
            self.scatter + other.scatter + share * self.weight * gap * gap,
        )

    def __sub__(self, other):
        weight = less(self.weight, other.weight)
        share = other.weight * _inverse(weight)
        mean = self.mean + share * (self.mean - other.mean)
        gap, spread = other.mean - mean, weight * other.weight * _inverse(self.weight)
        scatter = self.scatter - other.scatter - spread * gap * gap
        # the means are known to some 16 digits, and the scatter to no more than that leaves of it
        doubt = 4e-15 * (1 + np.abs(share)) * np.maximum(np.abs(self.mean), np.abs(other.mean))
        varies = np.abs(scatter) > 1e-13 * self.scatter + 2 * np.abs(spread * gap) * doubt
        mean = np.where(varies, mean, _known_digits(mean, doubt))
        left = weight != 0
        return Moments(weight, np.where(left, mean, 0.0), np.where(left & varies, scatter, 0.0))

    def amounts(self):
        return [self.weight, self.scatter]

    def overall(self):
        """The moments of all classes together, (1, d)."""
        parts = [Moments(*(a[c : c + 1] for a in self._parts())) for c in range(len(self.weight))]
        return sum(parts[1:], start=parts[0])

    def variance(self, ddof=0):
        """Scatter / (weight - ddof); NaN where there are too few rows to tell."""
        rows = less(self.weight, ddof)
        return np.where(rows > 0, self.scatter * _inverse(np.maximum(rows, 0.0)), np.nan)


def _inverse(weight):
    return np.divide(1.0, weight, out=np.zeros_like(weight), where=weight != 0)


def _known_digits(values, doubt):
    """The values without the decimals in doubt: what is left of a constant column is that constant."""
    scale = 10.0 ** np.floor(-np.log10(np.maximum(2 * doubt, 1e-300)))
    return np.round(values * scale) / scale


@jit
def first_known(x, y, shift):
    """Set shift[c, j] to the first known value of class c in column j."""
    found = np.zeros(shift.shape, dtype=np.bool_)
    left = found.size
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if not found[y[i], j] and not np.isnan(x[i, j]):
                found[y[i], j] = True
                shift[y[i], j] = x[i, j]
                left -= 1
        if left == 0:
            break


@jit
def add_shifted(x, y, w, shift, weight, sums, squares):
    """Add each known value to its class's weight, and to the sums of x - shift and of its square."""
    for i in range(x.shape[0]):
        c = np.uintp(y[i])
        row, own, known_weight, first, second = x[i], shift[c], weight[c], sums[c], squares[c]
        for j in range(x.shape[1]):
            known = row[j] == row[j]
            gap = row[j] - own[j] if known else 0.0
            known_weight[j] += w[i] if known else 0.0
            first[j] += w[i] * gap
            second[j] += w[i] * gap * gap
