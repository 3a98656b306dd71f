r"""Means and scatter matrices of the classes, added up over rows so that any encoding can be read off them.

    weight[c]     = sum of w[i]                                over the rows i of class c
    mean[c]       = sum of w[i] r[i] / weight[c]
    scatter[g]    = sum of w[i] (r[i] - mean[c]) (r[i] - mean[c])'

over the raw columns r of each row: a number less a shift (0 if it is missing), an ordinal rank, a 0/1 for
each value of a nominal column, and behind each of these columns a 0/1 for a missing cell.
The groups g are the classes, or all of them in one. Replacing gaps by a mean and scaling columns is
linear in r, whatever that mean will be: so rows can be added and removed. Chunks are joined
by the formula of Chan, Golub and LeVeque (1979).

weight (K,), mean (K, P), shift (P,), scatter (1 or K, P, P), for which rows stand in wide tables (`gram`)
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from openbook.data import Categorical, Nominal, Numeric, Schema
from openbook.fold import Statistics, less
from openbook.kernels.moments import Moments
from openbook.linear.gram import Gram
from openbook.prepare.encoding import ColumnSums, Encoding

#: A variance that forgetting leaves, up to this share of it, is rounding.
_NOTHING = 1e-13

#: A matrix that combines columns is sparse from this many entries on.
_SPARSE = 1 << 16


@dataclass(frozen=True)
class ClassScatter(Statistics):
    """Weights, means and scatter matrices of raw columns, and the sums that an encoding is found from."""

    weight: np.ndarray
    mean: np.ndarray
    grams: tuple[Gram, ...]
    shift: np.ndarray
    columns: ColumnSums

    @classmethod
    def zero(cls, schema, n_classes, n_groups):
        """The statistics of no rows."""
        size = _starts(schema)[-1]
        values = tuple(np.zeros(1 + len(a.values)) for a in schema if isinstance(a, Categorical))
        columns = ColumnSums(Moments.zero(1, len(schema.of(Numeric))), values, np.zeros(1))
        grams = (Gram.zero(size),) * n_groups
        return cls(np.zeros(n_classes), np.zeros((n_classes, size)), grams, np.zeros(size), columns)

    @property
    def scatter(self):
        """The scatter matrices, (groups, P, P)."""
        return np.array([gram.matrix for gram in self.grams])

    @classmethod
    def of(cls, schema, n_classes, n_groups, chunk):
        """The statistics of a chunk."""
        X, y, w = chunk
        columns = ColumnSums.of(schema, chunk)
        zero = cls.zero(schema, n_classes, n_groups)
        shift = zero.shift
        numeric = _starts(schema)[schema.positions(schema.of(Numeric))]
        shift[numeric] = columns.numbers.mean[0]
        r, at = _raw(schema, X, columns, shift, numeric)
        order = np.argsort(y, kind="stable")
        r, w = r[order], w[order]
        ends = np.searchsorted(y[order], np.arange(n_classes + 1))
        for c in range(n_classes):
            of_class, weights = r[ends[c] : ends[c + 1]], w[ends[c] : ends[c + 1]]
            if not len(of_class):
                continue
            zero.weight[c] = weights.sum()
            center = weights @ of_class / zero.weight[c]
            zero.mean[c, at] = center
            of_class -= center
            of_class *= np.sqrt(weights)[:, None]
        parts = [r] if n_groups == 1 else [r[ends[c] : ends[c + 1]] for c in range(n_classes)]
        grams = tuple(_gram(part, at, len(shift)) for part in parts)
        return cls(zero.weight, zero.mean, grams, shift, columns)

    def __add__(self, other):
        shift = np.where(self.shift != 0, self.shift, other.shift)  # 0 where nothing was known so far
        a, b = self._shifted(shift), other._shifted(shift)
        weight = a.weight + b.weight
        share = b.weight * _inverse(weight)
        gap = b.mean - a.mean
        mean = np.where(a.weight[:, None] > 0, a.mean + share[:, None] * gap, b.mean)
        between = a._between(gap, share * a.weight)
        grams = tuple((x + y).with_rows(r) for x, y, r in zip(a.grams, b.grams, between, strict=True))
        return ClassScatter(weight, mean, grams, shift, a.columns + b.columns)

    def __sub__(self, other):
        other = other._shifted(self.shift)
        weight = less(self.weight, other.weight)
        share = other.weight * _inverse(weight)
        mean = self.mean + share[:, None] * (self.mean - other.mean)
        between = self._between(other.mean - mean, weight * other.weight * _inverse(self.weight))
        grams = []
        for gram, removed, rows in zip(self.grams, other.grams, between, strict=True):
            left = gram - removed.with_rows(rows)
            grams.append(left.cleared(np.abs(left.diagonal()) <= _NOTHING * gram.diagonal()))
        mean = np.where(weight[:, None] != 0, mean, 0.0)
        return ClassScatter(weight, mean, tuple(grams), self.shift, self.columns - other.columns)

    def _between(self, gap, factor):
        """Rows whose scatter is that of means that lie apart, for each group."""
        rows = gap * np.sqrt(np.maximum(factor, 0.0))[:, None]
        return [rows] if len(self.grams) == 1 else list(rows[:, None])

    def _shifted(self, shift):
        """The same rows with another shift: r + d (1 - gap), where the gap stands behind its number."""
        d = self.shift - shift
        if not d.any():
            return self
        size, shifted = len(d), np.flatnonzero(d[:-1])
        places = np.r_[:size, shifted + 1], np.r_[:size, shifted]
        turn = _matrix(np.r_[np.ones(size), -d[shifted]], places, (size, size))
        mean = (self.mean @ turn + d) * (self.weight > 0)[:, None]
        grams = tuple(gram.turned(turn) for gram in self.grams)
        return ClassScatter(self.weight, mean, grams, shift, self.columns)

    def amounts(self):
        return [self.weight, *(gram.diagonal() for gram in self.grams), *self.columns.amounts()]

    def grown(self, schema: Schema, new: Schema):
        """The same rows in the raw columns of a schema that knows more values."""
        old_starts, starts = _starts(schema), _starts(new)
        at = np.concatenate(
            [
                np.r_[np.arange(b - a - 1) + start, end - 1]  # the gap is the last, whatever comes before it
                for a, b, start, end in zip(old_starts, old_starts[1:], starts, starts[1:], strict=False)
            ]
        )
        into = _matrix(np.ones(len(at)), (np.arange(len(at)), at), (len(at), starts[-1]))
        grams = tuple(gram.turned(into) for gram in self.grams)
        return ClassScatter(self.weight, self.mean @ into, grams, self.shift @ into, self.columns)

    def encoded(self, encoding: Encoding):
        """The means, (K, d), and the scatter of each group, a Gram of d columns, of the encoded rows."""
        turn, offset = self._transformation(encoding)
        return self.mean @ turn + offset, [gram.turned(turn) for gram in self.grams]

    def _transformation(self, encoding):
        """The matrix, (P, d), and the offset that make encoded rows of raw ones.

        A known number is (r + its shift - the encoding's) / scale, and where it is missing r is 0, but the
        mean is to stand in.
        """
        places, gaps = [], []  # of each encoded column: its raw one, and the gap of that
        ends = _starts(encoding.schema).tolist()
        for a, codes, has_gap, start, end in zip(
            encoding.schema, encoding.seen, encoding.gaps.tolist(), ends, ends[1:], strict=False
        ):
            indicators = codes[int(encoding.reference) :].tolist() if isinstance(a, Nominal) else [0]
            places += [start + code for code in indicators] + [end - 1] * has_gap
            gaps += [end - 1] * (len(indicators) + has_gap)
        place, gap, at = np.array(places, np.intp), np.array(gaps, np.intp), np.arange(len(encoding))
        offset = (self.shift[place] - encoding.shift) / encoding.scale
        stands_in = np.where(place == gap, 0.0, (encoding.mean - self.shift[place]) / encoding.scale)
        of_values = np.flatnonzero(stands_in)
        both = np.append(place, gap[of_values]), np.append(at, of_values)
        values = np.append(1 / encoding.scale, stands_in[of_values])
        return _matrix(values, both, (len(self.shift), len(at))), offset


def _matrix(values, places, shape):
    """The matrix with these values in their places, as a sparse one where it is large."""
    if shape[0] * shape[1] >= _SPARSE:
        return csc_array((values, places), shape)
    matrix = np.zeros(shape)
    matrix[places] = values
    return matrix


def _gram(rows, at, size):
    """The scatter of rows of which only some columns are not zero throughout."""
    if Gram.keeps((len(rows), size)):
        whole = np.zeros((len(rows), size))
        whole[:, at] = rows
        return Gram(whole)
    products = np.zeros((size, size))
    products[np.ix_(at, at)] = rows.T @ rows
    return Gram(products)


def _raw(schema, X, columns, shift, numeric):
    """The raw columns of the rows in which anything is found, and which they are."""
    if len(numeric) == len(schema) and (columns.numbers.weight[0] == columns.total[0]).all():
        return X.block(schema.names) - shift[numeric], numeric
    size = len(shift)
    seen = tuple(np.arange(len(a.values) if isinstance(a, Nominal) else 0) for a in schema)
    raw = Encoding(schema, shift, shift, np.ones(size), seen, np.ones(len(schema), dtype=bool))(X)
    at = np.flatnonzero(raw.any(axis=0))
    return raw if len(at) == size else raw[:, at], at


def _starts(schema):
    """Where the raw columns of each column begin, and where the last end; the gap is the last of each."""
    sizes = [1 + (len(a.values) if isinstance(a, Nominal) else 1) for a in schema]
    return np.cumsum([0, *sizes], dtype=np.intp)


def _inverse(weight):
    return np.divide(1.0, weight, out=np.zeros_like(weight), where=weight != 0)
