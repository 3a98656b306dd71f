r"""The weight, mean and scatter of inputs and targets together: all that least squares needs to know of rows.

    W = sum of w_i
    m = sum of w_i z_i / W
    S = sum of w_i (z_i - m)(z_i - m)'

z_i holds the inputs and targets of a row. Its first P entries are numbers that may be missing, the next P say
whether they are (1 if missing, else 0), and a missing number counts as the mean of the known ones. That mean
is not known before all rows are; but to fill with f' in place of f is to add (f' - f) times the 0/1 entry, a
linear map of z, under which m and S follow. So every join first brings both sides to the common mean.

A chunk is summed around a shift s: S = sum of w (z - s)(z - s)' - W (m - s)(m - s)'. It is the mean of the
chunk's first rows, or 0 for a column that is near it, so that no more than a few digits of 16 are lost to
cancellation; where all columns are near 0, rows are multiplied as they lie, without a copy. Chunks are joined
by the formula of Chan, Golub and LeVeque (1979).

weight : (1,);  known : (P,), the weight of the rows in which each number is known
mean : (K,);  scatter : (K, K), K = 2P + categories, targets and whatever else is never missing
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from openbook.data import Table
from openbook.fold import Statistics, less

__all__ = ["Design", "JointScatter", "cleared"]

#: A column is near zero if its squared mean is no more than so many variances.
NEAR = 100.0

#: Cells multiplied at a time: they stay in the cache from one product to the next.
BLOCK_CELLS = 1 << 17

#: The rows of a chunk that its shift is found from.
FIRST_ROWS = 256

#: What is left of a sum of squares after subtracting, as a share of it, and still counts as nothing.
ROUNDING = 1e-12


class Design(Protocol):
    """How the rows of a table become numbers, before it is known what a missing number counts as."""

    @property
    def numbers(self) -> int:
        """How many numbers may be missing; they come first."""

    @property
    def width(self) -> int:
        """How many entries there are, the 0/1 entries for missing numbers not counted."""

    def blocks(self, table: Table, rows: int, shift: np.ndarray) -> Iterator[np.ndarray]:
        """The entries of so many rows at a time, (n, width), numbers less the shift; NaN where missing."""


@dataclass(frozen=True)
class JointScatter(Statistics):
    """Weight, mean and scatter; see the module."""

    weight: np.ndarray
    known: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def zero(cls, numbers: int, size: int) -> "JointScatter":
        return cls(np.zeros(1), np.zeros(numbers), np.zeros(size), np.zeros((size, size)))

    @classmethod
    def of(cls, design: Design, X: Table, y: np.ndarray, w: np.ndarray) -> "JointScatter":
        """The scatter of a chunk: of inputs X, targets y, (n, T), and weights w."""
        P, T = design.numbers, y.shape[1]
        rows = max(BLOCK_CELLS // (design.width + T + 1), 32)
        first = slice(0, FIRST_ROWS)
        shift = _shift(next(design.blocks(X.take(first), FIRST_ROWS, np.zeros(P)))[:, :P])
        middle = _shift(y[first])
        rest = np.vstack([(y - middle).T, np.ones(len(y))])
        roots = None if (w == 1).all() else np.sqrt(w)
        if roots is not None:
            rest *= roots
        size = P + design.width + T
        total = np.zeros((size + 1, size + 1))
        whole = _Products()
        for i, block in enumerate(design.blocks(X, rows, shift)):
            span = slice(i * rows, i * rows + len(block))
            values = block if roots is None else block * roots[span, None]
            if whole.add(values, rest[:, span]):
                continue
            gaps = np.isnan(values[:, :P])
            some = np.flatnonzero(gaps.any(axis=0))
            filled = np.where(gaps, 0.0, values[:, :P])
            ones = gaps[:, some] if roots is None else gaps[:, some] * roots[span, None]
            gappy = _Products()
            gappy.add(np.hstack([filled, ones, values[:, P:]]), rest[:, span], finite=False)
            gappy.put(total, np.r_[:P, P + some, 2 * P : size - T])
        whole.put(total, np.r_[:P, 2 * P : size - T])
        total[size - T :, size - T :] = rest @ rest.T
        weight = total[-1:, -1].copy()
        off = total[-1, :-1] / weight
        mean = off.copy()
        mean[:P] += shift
        mean[size - T :] += middle
        known = less(weight, total[-1, P : 2 * P])
        scatter = total[:-1, :-1] - weight * np.outer(off, off)
        so_far = cls(weight, known, mean, cleared(scatter, np.diag(total)[:-1]))
        return so_far._filled(shift + total[-1, :P] * _inverse(known), shift)  # gaps counted as the shift

    def _filled(self, fill: np.ndarray, before: np.ndarray | None = None) -> "JointScatter":
        """The same rows, with `fill` where a number is missing, not the mean or what was there `before`."""
        P = len(self.known)
        change = fill - (self.mean[:P] if before is None else before)
        if not (change * self.mean[P : 2 * P]).any():
            return self
        mean, scatter = self.mean.copy(), self.scatter.copy()
        mean[:P] += change * mean[P : 2 * P]
        scatter[:P] += change[:, None] * scatter[P : 2 * P]
        scatter[:, :P] += scatter[:, P : 2 * P] * change
        return JointScatter(self.weight, self.known, mean, scatter)

    def __add__(self, other: "JointScatter") -> "JointScatter":
        P = len(self.known)
        known = self.known + other.known
        fill = self.mean[:P] + other.known * _inverse(known) * (other.mean[:P] - self.mean[:P])
        a, b = self._filled(fill), other._filled(fill)
        weight = a.weight + b.weight
        share = b.weight / weight
        gap = b.mean - a.mean
        scatter = a.scatter + b.scatter + a.weight * share * np.outer(gap, gap)
        return JointScatter(weight, known, a.mean + share * gap, scatter)

    def __sub__(self, other: "JointScatter") -> "JointScatter":
        P = len(self.known)
        known, weight = less(self.known, other.known), less(self.weight, other.weight)
        fill = self.mean[:P] + other.known * _inverse(known) * (self.mean[:P] - other.mean[:P])
        fill = np.where(known > 0, fill, 0.0)
        a, b = self._filled(fill), other._filled(fill)
        mean = a.mean + b.weight * _inverse(weight) * (a.mean - b.mean)
        gap = b.mean - mean
        scatter = a.scatter - b.scatter - weight * b.weight / a.weight * np.outer(gap, gap)
        return JointScatter(weight, known, mean, cleared(scatter, np.diag(a.scatter)))

    def amounts(self) -> list[np.ndarray]:
        return [self.weight, self.known, np.diag(self.scatter)]

    def check(self) -> None:
        """Raise ValueError where no rows can have this scatter."""
        if not np.isfinite(self.scatter).all() or (np.diag(self.scatter) < 0).any():
            msg = "its scatter must be finite, and no variance below zero"
            raise ValueError(msg)
        scale = np.sqrt(np.diag(self.scatter))
        scale = np.where(scale > 0, scale, 1.0)
        level = self.scatter / np.outer(scale, scale)
        if (np.abs(level - level.T) > 1e-9).any() or np.linalg.eigvalsh(level).min(initial=0.0) < -1e-6:
            msg = "its scatter is not that of any rows"
            raise ValueError(msg)
        P = len(self.known)
        if (self.known > self.weight * (1 + 1e-9)).any() or (self.mean[P : 2 * P] < 0).any():
            msg = "its weights of known cells are not those of any rows"
            raise ValueError(msg)


class _Products:
    """Sums of products over rows: of values, (n, v), and of the rest, (r, n), with these."""

    def __init__(self) -> None:
        self.sums: tuple[np.ndarray, np.ndarray] | None = None

    def add(self, values: np.ndarray, rest: np.ndarray, *, finite: bool = True) -> bool:
        """Add rows, unless they must be `finite` and are not; their products with the rest's ones tell."""
        mixed = rest @ values
        if finite and not math.isfinite(mixed[-1].sum()):
            return False
        squares = values.T @ values
        if self.sums is None:
            self.sums = squares, mixed
        else:
            np.add(self.sums[0], squares, out=self.sums[0])
            np.add(self.sums[1], mixed, out=self.sums[1])
        return True

    def put(self, total: np.ndarray, places: np.ndarray) -> None:
        """Add the sums to a matrix that has the values at these places, and the rest last."""
        if self.sums is not None:
            squares, mixed = self.sums
            total[np.ix_(places, places)] += squares
            total[-len(mixed) :, places] += mixed
            total[places, -len(mixed) :] += mixed.T


def _shift(values: np.ndarray) -> np.ndarray:
    """The mean of each column's finite values; 0 where it is near that. Exact if they are all equal."""
    known = np.isfinite(values)
    first = np.take_along_axis(values, known.argmax(axis=0)[None], axis=0)[0]
    first = np.where(np.isfinite(first), first, 0.0)
    inverse = 1 / np.maximum(known.sum(axis=0), 1)
    off = np.where(known, values - first, 0.0)
    mean = off.sum(axis=0) * inverse
    variance = (off * off).sum(axis=0) * inverse - mean * mean
    mean += first
    return np.where(mean * mean <= NEAR * variance, 0.0, mean)


def cleared(scatter: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The scatter without the columns of which no more than rounding is left of the squares `before`."""
    gone = np.abs(np.diag(scatter)) <= ROUNDING * before
    scatter[gone] = 0.0
    scatter[:, gone] = 0.0
    return scatter


def _inverse(weight: np.ndarray) -> np.ndarray:
    return np.divide(1.0, weight, out=np.zeros_like(weight), where=weight != 0)
