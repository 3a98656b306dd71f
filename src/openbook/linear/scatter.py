r"""Means and scatter matrices of the classes, added up over rows so that any encoding can be read off them.

    weight[c]     = sum of w[i]                                over the rows i of class c
    mean[c]       = sum of w[i] r[i] / weight[c]
    scatter[g]    = sum of w[i] (r[i] - mean[c]) (r[i] - mean[c])'

over the raw columns r of each row: a number less a shift (0 where it is missing), an ordinal rank, a 0/1 for
each value of a nominal column, and behind each of these columns a 0/1 that says whether the cell is missing.
The groups g are the classes, or all of them in one. Rows that fill gaps with a mean and scale columns are
linear in r, whatever that mean will be in the end: so more rows can come, and rows can go. Chunks are joined
by the formula of Chan, Golub and LeVeque (1979).

weight (K,), mean (K, P), scatter (1 or K, P, P), shift (P,)
"""

from dataclasses import dataclass

import numpy as np

from openbook.data import Categorical, Nominal, Numeric, Schema
from openbook.fold import Statistics, less
from openbook.kernels.moments import Moments
from openbook.prepare.encoding import ColumnSums, Encoding

__all__ = ["ClassScatter"]

#: What is left of a variance after forgetting, as a share of it, and still counts as nothing.
_NOTHING = 1e-13

#: From so many entries on, the matrix that makes encoded columns of raw ones is multiplied as a sparse one.
_SPARSE = 1 << 20


@dataclass(frozen=True)
class ClassScatter(Statistics):
    """Weights, means and scatter matrices of raw columns, and the sums that an encoding is found from."""

    weight: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray
    shift: np.ndarray
    columns: ColumnSums

    @classmethod
    def zero(cls, schema, n_classes, n_groups):
        """The statistics of no rows."""
        size = _starts(schema)[-1]
        values = tuple(np.zeros(1 + len(a.values)) for a in schema if isinstance(a, Categorical))
        columns = ColumnSums(Moments.zero(1, len(schema.of(Numeric))), values, np.zeros(1))
        zeros = np.zeros(n_classes), np.zeros((n_classes, size)), np.zeros((n_groups, size, size))
        return cls(*zeros, np.zeros(size), columns)

    @classmethod
    def of(cls, schema, n_classes, n_groups, chunk):
        """The statistics of a chunk."""
        X, y, w = chunk
        columns = ColumnSums.of(schema, chunk)
        zero = cls.zero(schema, n_classes, n_groups)
        shift = zero.shift
        numeric = _starts(schema)[[schema.position(name) for name in schema.of(Numeric)]]
        shift[numeric] = columns.numbers.mean[0]
        r, at = _raw(schema, X, columns, shift, numeric)
        order = np.argsort(y, kind="stable")
        r, w = r[order], w[order]
        ends = np.searchsorted(y[order], np.arange(n_classes + 1))
        for c in range(n_classes):
            own, weights = r[ends[c] : ends[c + 1]], w[ends[c] : ends[c + 1]]
            if not len(own):
                continue
            zero.weight[c] = weights.sum()
            center = weights @ own / zero.weight[c]
            zero.mean[c, at] = center
            own -= center
            own *= np.sqrt(weights)[:, None]
            if n_groups > 1:
                zero.scatter[c][np.ix_(at, at)] = own.T @ own
        if n_groups == 1:
            zero.scatter[0][np.ix_(at, at)] = r.T @ r
        return cls(zero.weight, zero.mean, zero.scatter, shift, columns)

    def __add__(self, other):
        shift = np.where(self.shift != 0, self.shift, other.shift)  # 0 where nothing was known so far
        a, b = self._shifted(shift), other._shifted(shift)
        weight = a.weight + b.weight
        share = b.weight * _inverse(weight)
        gap = b.mean - a.mean
        mean = np.where(a.weight[:, None] > 0, a.mean + share[:, None] * gap, b.mean)
        scatter = a.scatter + b.scatter + a._between(gap, share * a.weight)
        return ClassScatter(weight, mean, scatter, shift, a.columns + b.columns)

    def __sub__(self, other):
        other = other._shifted(self.shift)
        weight = less(self.weight, other.weight)
        share = other.weight * _inverse(weight)
        mean = self.mean + share[:, None] * (self.mean - other.mean)
        between = self._between(other.mean - mean, weight * other.weight * _inverse(self.weight))
        scatter = self.scatter - other.scatter - between
        left = np.abs(_diagonals(scatter)) > _NOTHING * _diagonals(self.scatter)
        scatter *= left[:, :, None] & left[:, None, :]
        mean = np.where(weight[:, None] != 0, mean, 0.0)
        return ClassScatter(weight, mean, scatter, self.shift, self.columns - other.columns)

    def _between(self, gap, factor):
        """The scatter of means that lie apart, in the groups."""
        gap = gap * (factor != 0)[:, None]
        if len(self.scatter) == 1:
            return (gap.T * factor) @ gap
        return factor[:, None, None] * gap[:, :, None] * gap[:, None, :]

    def _shifted(self, shift):
        """The same rows with another shift: r + d (1 - gap), where the gap stands behind its number."""
        d = self.shift - shift
        if not d.any():
            return self
        turn = np.eye(len(d)) - np.diag(d[:-1], k=1)
        mean = (self.mean @ turn.T + d) * (self.weight > 0)[:, None]
        return ClassScatter(self.weight, mean, turn @ self.scatter @ turn.T, shift, self.columns)

    def amounts(self):
        return [self.weight, _diagonals(self.scatter), *self.columns.amounts()]

    def grown(self, schema: Schema, new: Schema):
        """The same rows in the raw columns of a schema that knows more values."""
        old_starts, starts = _starts(schema), _starts(new)
        at = np.concatenate(
            [
                np.r_[np.arange(b - a - 1) + start, end - 1]  # the gap is the last, whatever comes before it
                for a, b, start, end in zip(old_starts, old_starts[1:], starts, starts[1:], strict=False)
            ]
        )
        mean, shift = np.zeros((len(self.weight), starts[-1])), np.zeros(starts[-1])
        scatter = np.zeros((len(self.scatter), starts[-1], starts[-1]))
        mean[:, at], shift[at] = self.mean, self.shift
        scatter[:, at[:, None], at] = self.scatter
        return ClassScatter(self.weight, mean, scatter, shift, self.columns)

    def encoded(self, encoding: Encoding):
        """The means, (K, d), and scatter matrices, (groups, d, d), of the encoded rows."""
        turn, offset = self._turn(encoding)
        if turn.size < _SPARSE:
            return self.mean @ turn.T + offset, turn @ self.scatter @ turn.T
        from scipy.sparse import csr_array

        turn = csr_array(turn)  # two entries in a row at most
        return self.mean @ turn.T + offset, np.array([turn @ (turn @ own).T for own in self.scatter])

    def _turn(self, encoding):
        """The matrix and the offset that make encoded rows of raw ones.

        A known number is (r + its shift - the encoding's) / scale, and where it is missing r is 0, but the
        mean is to stand in.
        """
        turn, offset = np.zeros((len(encoding), len(self.shift))), np.zeros(len(encoding))
        k = 0
        ends = _starts(encoding.schema)
        for a, codes, gap, start, end in zip(
            encoding.schema, encoding.seen, encoding.gaps, ends, ends[1:], strict=False
        ):
            places = codes[int(encoding.reference) :] if isinstance(a, Nominal) else [0]
            for place in start + np.asarray(places, dtype=np.intp):
                scale, shift = encoding.scale[k], encoding.shift[k]
                turn[k, place] = 1 / scale
                offset[k] = (self.shift[place] - shift) / scale
                turn[k, end - 1] = (encoding.mean[k] - self.shift[place]) / scale
                k += 1
            if gap:
                turn[k, end - 1] = 1.0
                k += 1
        return turn, offset


def _raw(schema, X, columns, shift, numeric):
    """The raw columns of the rows in which anything is found, and which they are."""
    if len(numeric) == len(schema) and (columns.numbers.weight[0] == columns.total[0]).all():
        return X.block(schema.names) - shift[numeric], numeric
    size = len(shift)
    seen = tuple(np.arange(len(a.values) if isinstance(a, Nominal) else 0) for a in schema)
    raw = Encoding(schema, shift, shift, np.ones(size), seen, np.ones(len(schema), dtype=bool))(X)
    at = np.flatnonzero(raw.any(axis=0))
    return raw[:, at], at


def _starts(schema):
    """Where the raw columns of each column begin, and where the last end; the gap is the last of each."""
    sizes = [1 + (len(a.values) if isinstance(a, Nominal) else 1) for a in schema]
    return np.r_[0, np.cumsum(sizes, dtype=np.intp)]


def _diagonals(matrices):
    return np.diagonal(matrices, axis1=1, axis2=2)


def _inverse(weight):
    return np.divide(1.0, weight, out=np.zeros_like(weight), where=weight != 0)
