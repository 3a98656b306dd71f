r"""The weight, mean and scatter of inputs and targets together: all that least squares needs to know of rows.

    W = sum of w_i
    m = sum of w_i z_i / W
    S = sum of w_i (z_i - m)(z_i - m)'

z_i holds the inputs and targets of a row. Its first P entries are numbers that may be missing, the next P say
whether they are (1 if missing, else 0), and a missing number counts as the mean of the known ones. That mean
is not known before all rows are; but to fill with f' instead of f is to add (f' - f) times the 0/1 entry, a
linear map of z, under which m and S follow. So every join first brings both sides to the common mean.

A chunk is summed around the mean s of its first rows, S = sum of w (z - s)(z - s)' - W (m - s)(m - s)', so
that no more than a few digits of 16 are lost to cancellation wherever a column lies. It is copied a few rows
at a time, which stay in the cache. Where there are fewer rows than entries, the rows around m are kept (see
`gram`). Chunks are joined by the formula of Chan, Golub and LeVeque (1979).

weight : (1,);  known : (P,), the weight of the rows in which each number is known
mean : (K,);  scatter : (K, K), K = 2P + categories, targets and whatever else is never missing
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from openbook.damage import require
from openbook.data import Table
from openbook.fold import Statistics, less
from openbook.kernels.product import fours
from openbook.linear.gram import Gram
from openbook.measures.arrays import all_finite

#: Rows multiplied at a time: their entries stay in the cache; more of them where they have few entries. By a
#: kernel, many times as many in one go.
BLOCK_ROWS, BLOCK_CELLS, KERNEL_ROWS = 512, 1 << 17, 8192

#: Rows that the shift of a chunk is the mean of.
FIRST_ROWS = 64

#: Padding that keeps the entries of a row apart in the cache.
PADDING = 8

#: From this many products on, compiled kernels pay for their compilation.
MANY = 10**8

#: A difference of sums of squares up to this share of them is rounding.
ROUNDING = 1e-12


class Design(Protocol):
    """How the rows of a table become numbers, before it is known what a missing number counts as."""

    @property
    def numbers(self) -> int:
        """How many numbers may be missing; they come first."""

    @property
    def width(self) -> int:
        """How many entries there are, the 0/1 entries for missing numbers not counted."""

    def rows(self, table: Table) -> np.ndarray | None:
        """The entries as they lie in memory, row after row, where they do."""

    def write(self, table: Table, span: slice, shift: np.ndarray, z: np.ndarray) -> None:
        """Set z, (width, n), to the entries of n rows, numbers less the shift, NaN if one is missing."""


@dataclass(frozen=True)
class JointScatter(Statistics):
    """Weight, mean and scatter; see the module."""

    weight: np.ndarray
    known: np.ndarray
    mean: np.ndarray
    gram: Gram

    @classmethod
    def zero(cls, numbers: int, size: int) -> "JointScatter":
        return cls(np.zeros(1), np.zeros(numbers), np.zeros(size), Gram.zero(size))

    def around_zero(self) -> "JointScatter":
        """The same around 0 instead of the mean, for a fit without an intercept: S + W m m'."""
        gram = self.gram.with_rows(np.sqrt(self.weight) * self.mean[None])
        return JointScatter(self.weight, self.known, np.zeros_like(self.mean), gram)

    @property
    def scatter(self) -> np.ndarray:
        """S, (K, K)."""
        return self.gram.matrix

    @classmethod
    def of(cls, design: Design, X: Table, y: np.ndarray, w: np.ndarray) -> "JointScatter":
        """The scatter of a chunk: of inputs X, targets y, (n, T), and weights w."""
        P, T, width = design.numbers, y.shape[1], design.width
        used, size = width + T + 1, P + width + T
        if Gram.keeps((len(y), size)):
            return cls._of_few(design, X, y, w)
        many = len(y) * used**2 > MANY
        matrix = design.rows(X) if many else None
        block_rows = BLOCK_ROWS if many else max(BLOCK_ROWS, BLOCK_CELLS // used)
        z = np.zeros((fours(used), min(block_rows, len(y)) + PADDING))
        first = slice(0, min(FIRST_ROWS, len(y)))
        design.write(X, first, np.zeros(P), z[:width, first])
        z[width : width + T, first] = y[first].T
        means = _mean(z[: width + T, first])
        shift, middle = means[:P], means[width:]
        roots = np.sqrt(w)
        if matrix is not None:
            block_rows = KERNEL_ROWS
        whole, total = np.zeros((used, used)), np.zeros((size + 1, size + 1))
        gappy = False  # where a block has gaps, the next ones will have some
        for start in range(0, len(y), block_rows):
            span = slice(start, min(start + block_rows, len(y)))
            if not gappy:
                if matrix is None:
                    _fill(z[:, : span.stop - start], design, X, y, roots, span, shift, middle)
                    products = _products(z, span.stop - start, many=many)
                else:
                    from openbook.linear.products import products_of_rows

                    products = products_of_rows(matrix[span], y[span], roots[span], shift, middle)
                gappy = not math.isfinite(products[: used - 1, used - 1].sum())  # the sums of the rows
            if not gappy:
                whole += products[:used, :used]
                continue
            standardised = np.empty((used, span.stop - start))
            _fill(standardised, design, X, y, roots, span, shift, middle)
            standardised, with_gap = _with_gaps(standardised, P)
            places = np.concatenate([np.arange(P), P + with_gap, np.arange(2 * P, size + 1)])
            products = _products(standardised, span.stop - start, many=many)
            total[places[:, None], places] += products[: len(places), : len(places)]
        places = np.concatenate([np.arange(P), np.arange(2 * P, size + 1)])
        total[places[:, None], places] += whole
        if many:
            total = np.triu(total) + np.triu(total, 1).T
        weight = total[-1:, -1].copy()
        off = total[-1, :-1] / weight
        mean = off.copy()
        mean[:P] += shift
        mean[size - T :] += middle
        known = less(weight, total[-1, P : 2 * P])
        scatter = Gram(total[:-1, :-1] - weight * np.outer(off, off))
        so_far = cls(weight, known, mean, cleared(scatter, np.diag(total)[:-1]))
        return so_far._filled(shift + _share(total[-1, :P], known), shift)  # gaps counted as the shift

    @classmethod
    def _of_few(cls, design: Design, X: Table, y: np.ndarray, w: np.ndarray) -> "JointScatter":
        """The scatter of a chunk with fewer rows than entries: the rows themselves, around their mean."""
        P, n, width = design.numbers, len(y), design.width
        size = P + width + y.shape[1]
        first = np.empty((width, min(FIRST_ROWS, n)))
        design.write(X, slice(0, first.shape[1]), np.zeros(P), first)
        shift = np.zeros(size)
        shift[:P], shift[P + width :] = _mean(first[:P]), _mean(y[:FIRST_ROWS].T)
        z = np.zeros((n, size))
        numbers, gaps = z[:, :P], z[:, P : 2 * P]
        entries = numbers if width == P else np.empty((n, width))
        design.write(X, slice(0, n), shift[:P], entries.T)
        if width > P:
            numbers[:], z[:, 2 * P : P + width] = entries[:, :P], entries[:, P:]
        np.subtract(y, shift[P + width :], out=z[:, P + width :])
        spans = [slice(0, P), slice(2 * P, size)]
        if not all_finite(w @ numbers):
            gaps[:] = np.isnan(numbers)
            numbers[gaps != 0] = 0.0
            spans = [slice(0, size)]
        weight, off = np.array([w.sum()]), np.zeros(size)
        for span in spans:
            columns = z[:, span]
            off[span] = w @ columns / weight
            columns -= off[span]
            if (w != 1).any():
                columns *= np.sqrt(w)[:, None]
            squares = np.einsum("ij,ij->j", columns, columns)
            columns[:, squares <= ROUNDING * (squares + weight * off[span] ** 2)] = 0.0
        known = less(weight, weight * off[P : 2 * P])
        so_far = cls(weight, known, shift + off, Gram(z))
        return so_far._filled(shift[:P] + _share(weight * off[:P], known), shift[:P])

    def _filled(self, fill: np.ndarray, before: np.ndarray | None = None) -> "JointScatter":
        """The same rows, with `fill` where a number is missing, not the mean or what was there `before`."""
        P = len(self.known)
        change = fill - (self.mean[:P] if before is None else before)
        if not (change * self.mean[P : 2 * P]).any():
            return self
        mean, entries = self.mean.copy(), self.gram.entries.copy()
        mean[:P] += change * mean[P : 2 * P]
        if not self.gram.wide:
            entries[:P] += change[:, None] * entries[P : 2 * P]
        entries[:, :P] += entries[:, P : 2 * P] * change
        return JointScatter(self.weight, self.known, mean, Gram(entries))

    def __add__(self, other: "JointScatter") -> "JointScatter":
        P = len(self.known)
        known = self.known + other.known
        fill = self.mean[:P] + _share(other.known, known) * (other.mean[:P] - self.mean[:P])
        a, b = self._filled(fill), other._filled(fill)
        weight = a.weight + b.weight
        share = b.weight / weight
        gap = b.mean - a.mean
        between = np.sqrt(a.weight * share) * gap
        return JointScatter(weight, known, a.mean + share * gap, (a.gram + b.gram).with_rows(between[None]))

    def __sub__(self, other: "JointScatter") -> "JointScatter":
        P = len(self.known)
        known, weight = less(self.known, other.known), less(self.weight, other.weight)
        fill = self.mean[:P] + _share(other.known, known) * (self.mean[:P] - other.mean[:P])
        fill = np.where(known > 0, fill, 0.0)
        a, b = self._filled(fill), other._filled(fill)
        mean = a.mean + _share(b.weight, weight) * (a.mean - b.mean)
        gap = b.mean - mean
        between = np.sqrt(np.maximum(weight, 0.0) * b.weight / a.weight) * gap
        scatter = a.gram - b.gram.with_rows(between[None])
        return JointScatter(weight, known, mean, cleared(scatter, a.gram.diagonal()))

    def amounts(self) -> list[np.ndarray]:
        return [self.weight, self.known, self.gram.diagonal()]

    def check(self) -> None:
        """Raise ValueError where no rows can have this scatter."""
        diagonal, P = self.gram.diagonal(), len(self.known)
        finite = all_finite(diagonal) and all_finite(self.gram.entries)
        require(finite and (diagonal >= 0).all(), "its scatter must be finite, and no variance below zero")
        valid = self.gram.wide or _is_scatter(self.scatter, diagonal)
        require(valid, "its scatter matrix is not valid")
        known = (self.known <= self.weight * (1 + 1e-9)).all() and (self.mean[P : 2 * P] >= 0).all()
        require(known, "its weights of known cells are not valid")


def _is_scatter(matrix: np.ndarray, diagonal: np.ndarray) -> bool:
    """Whether a matrix is symmetric and has no negative eigenvalue, to rounding."""
    scale = np.where(diagonal > 0, np.sqrt(diagonal), 1.0)
    level = matrix / np.outer(scale, scale)
    symmetric = (np.abs(level - level.T) <= 1e-9).all()
    return bool(symmetric and np.linalg.eigvalsh(level).min(initial=0.0) >= -1e-6)


def _fill(z, design, X, y, roots, span, shift, middle):
    """Set z to the entries, targets and 1 of some rows, times the roots of their weights."""
    width, T = design.width, y.shape[1]
    design.write(X, span, shift, z[:width])
    np.subtract(y[span].T, middle[:, None], out=z[width : width + T])
    z[width + T] = 1.0
    z[: width + T + 1] *= roots[span]


def _with_gaps(z: np.ndarray, numbers: int) -> tuple[np.ndarray, np.ndarray]:
    """The entries with 0 for missing numbers, and behind the numbers what tells those; and which have any."""
    gaps = np.isnan(z[:numbers])
    with_gap = np.flatnonzero(gaps.any(axis=1))
    extended = np.zeros((fours(len(z) + len(with_gap)), z.shape[1]))
    extended[:numbers] = np.where(gaps, 0.0, z[:numbers])
    np.multiply(gaps[with_gap], z[-1], out=extended[numbers : numbers + len(with_gap)])
    extended[numbers + len(with_gap) : len(z) + len(with_gap)] = z[numbers:]
    return extended, with_gap


def _products(z: np.ndarray, n: int, *, many: bool) -> np.ndarray:
    """Sums of products over the first n rows; of many, the upper triangle counts."""
    if not many:
        return z[:, :n] @ z[:, :n].T
    from openbook.linear.products import add_products

    products = np.zeros((len(z), len(z)))
    for start in range(0, n, BLOCK_ROWS):
        add_products(z, start, min(start + BLOCK_ROWS, n), products)
    return products


def _mean(values: np.ndarray) -> np.ndarray:
    """The mean of each entry's finite values, (K, n): exact if they are all equal, 0 if there is none."""
    known = np.isfinite(values)
    first = values[np.arange(len(values)), known.argmax(axis=1)]
    first = np.where(np.isfinite(first), first, 0.0)
    off = np.where(known, values - first[:, None], 0.0)
    return first + off.sum(axis=1) / np.maximum(known.sum(axis=1), 1)


def cleared(scatter: Gram, before: np.ndarray) -> Gram:
    """The scatter without the columns of which no more than rounding is left of the squares `before`."""
    return scatter.cleared(np.abs(scatter.diagonal()) <= ROUNDING * before)


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Part / whole, 0 of nothing; the share of all is exactly 1, unlike that times the inverse."""
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole != 0)
