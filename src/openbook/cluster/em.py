r"""EM for mixtures of typed columns: how rows become numbers and values, where it starts, and the M-step.

    p(x) = Σ_k w_k N(x; μ_k, S_k) Π_j θ_kj[value of nominal column j]

    N_k = Σ_n r_kn,  w_k = N_k / N,  μ_k = Σ_n r_kn x_n / N_k,  S_k = Σ_n r_kn (x_n - μ_k)(x_n - μ_k)' / N_k
    θ_kj[v] = (N_kv + share of v) / (N_k + 1)

x : numbers less their mean, divided by their standard deviation (or all by one, so that shapes stay), and
ranks of ordinal columns. Missing cells, numbers or values, are marginalised (`kernels.normals`); a value that
training never showed counts as missing. To every variance `reg_covar` is added, a share of the columns' own,
so that no component can shrink to a point. A component without rows stays where it was.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from openbook.data import Nominal, Numeric
from openbook.kernels.normals import BLOCK_ROWS, Expected, Normals, expected
from openbook.prepare import Encoding

#: The share of the rows below which a component holds none.
_NOTHING = 1e-12

#: The farthest from the mean, in standard deviations, that a number counts: squares must stay finite.
_FAR = 1e100


@dataclass(frozen=True, eq=False)
class TypedRows:
    """How the columns of a table become numbers x, (d, n), NaN where missing, and 0/1 values, (V, n)."""

    encoding: Encoding

    @classmethod
    def of(cls, rows, *, scale):
        """The encoding of these rows; one scale for all numbers unless each has its own."""
        encoding = Encoding.of(rows).without_gaps()
        if not scale:
            own = _of_kind(encoding, Numeric)
            one = np.sqrt(np.mean(encoding.scale[own] ** 2)) if own.any() else 1.0
            encoding = replace(encoding, scale=np.where(own, one, encoding.scale))
        return cls(encoding)

    @cached_property
    def _nominal(self):
        return _of_kind(self.encoding, Nominal)

    @cached_property
    def _open(self):
        """The encoding that leaves missing numbers NaN, and missing values 0 in all columns."""
        return replace(self.encoding, mean=np.where(self._nominal, 0.0, np.nan))

    @property
    def names(self):
        """The names of the numbers."""
        return tuple(np.array(self.encoding.names, dtype=object)[~self._nominal])

    @property
    def shares(self):
        """The share of each value among the known cells of its column, (V,)."""
        return self.encoding.mean[self._nominal]

    @property
    def columns(self):
        """The nominal column that each value belongs to, (V,), counted from 0."""
        return np.unique(self.encoding.columns[self._nominal], return_inverse=True)[1]

    @property
    def units(self):
        """The shift and scale of the numbers."""
        return self.encoding.shift[~self._nominal], self.encoding.scale[~self._nominal]

    def __call__(self, table, *, filled=False):
        """The numbers and values of a table; `filled` has the training mean where a cell is missing."""
        x, values = self._split((self.encoding if filled else self._open)(table))
        return np.clip(x, -_FAR, _FAR, out=x), values

    def _split(self, coded):
        """Encoded rows as numbers and values."""
        if not self._nominal.any():
            return coded.T.copy(), np.zeros((0, len(coded)))
        return coded[:, ~self._nominal].T.copy(), coded[:, self._nominal].T.copy()

    def pieces(self, rows):
        """The pieces of rows for many passes: chunks in memory become lists of their blocks, once."""
        return rows.pieces if rows.whole is None else [list(self.blocks(chunk)) for chunk in rows.pieces]

    def blocks(self, chunk):
        """The numbers, values and weights of a chunk, a few rows at a time."""
        X, _, w = chunk
        for start in range(0, len(w), BLOCK_ROWS):
            span = slice(start, start + BLOCK_ROWS)
            yield (*self._split(self._open(X.take(span))), w[span])  # rows learnt from are not far off


def _of_kind(encoding, kind):
    """Which encoded columns belong to columns of this kind."""
    return np.array([isinstance(a, kind) for a in encoding.schema], dtype=bool)[encoding.columns]


def nearest_given(typed: TypedRows, means, table):
    """The nearest of given means for each row of a table, in standard units; ties: the first."""
    rows = np.vstack(typed(table, filled=True))
    return ((means**2).sum(axis=1)[:, None] - 2 * means @ rows).argmin(axis=0)


def sums_of(typed: TypedRows, normals: Normals, piece):
    """The E-step of a chunk, or of the blocks of one."""
    if isinstance(piece, list):
        return expected(normals, piece, sum(len(w) for _, _, w in piece))
    return expected(normals, typed.blocks(piece), len(piece.w))


def sums_by_label(typed: TypedRows, label, K: int, chunk):
    """The sums of a chunk where each row belongs to the one component that `label` of a table says."""
    X, _, w = chunk
    labels = label(X)
    x, values = typed(X, filled=True)
    z = np.vstack([np.ones(len(w)), x])
    moments, counts = np.zeros((K, len(z), len(z))), np.zeros((K, len(values)))
    for k in range(K):
        own = labels == k
        weighed = z[:, own] * w[own]
        moments[k] = weighed @ z[:, own].T
        counts[k] = values[:, own] @ w[own]
    return Expected(moments, counts, np.zeros(1), np.array([w.sum()]))


def maximised(
    sums: Expected, typed: TypedRows, kind: str, reg_covar: float, before: Normals | None
) -> Normals:
    """The M-step: the parameters that the sums make most likely."""
    K, d = len(sums.moments), sums.moments.shape[1] - 1
    weight = sums.moments[:, 0, 0]
    holds = weight > _NOTHING * sums.weight[0]
    divisor = np.where(holds, weight, 1.0)
    means = sums.moments[:, 0, 1:] / divisor[:, None]
    second = sums.moments[:, 1:, 1:] / divisor[:, None, None]
    covariances = second - means[:, :, None] * means[:, None, :]
    covariances = _shaped(kind, covariances, weight)
    covariances[:, range(d), range(d)] = np.maximum(covariances[:, range(d), range(d)], 0.0) + reg_covar
    means[~holds] = 0.0 if before is None else before.means[~holds]
    covariances[~holds] = np.eye(d) if before is None else before.covariances[~holds]
    log_weights = np.log(np.maximum(weight / weight.sum(), _NOTHING))
    log_values = np.log(_probabilities(sums.values, typed)).reshape(K, -1)
    return Normals(log_weights, means, covariances, log_values, diagonal=kind in {"diag", "spherical"})


def _shaped(kind, covariances, weight):
    """The covariances as the mixture may have them."""
    K, d, _ = covariances.shape
    if kind == "tied":
        one = np.einsum("k,kij->ij", weight / weight.sum(), covariances)
        return np.repeat(one[None], K, axis=0)
    if kind == "full":
        return covariances
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    if kind == "spherical" and d:
        variances = np.repeat(variances.mean(axis=1, keepdims=True), d, axis=1)
    return variances[:, :, None] * np.eye(d)


def _probabilities(counts, typed):
    """The probability of each value in each component: its share among all rows counts as one more row."""
    columns = typed.columns
    of_column = columns == np.arange(columns.max(initial=-1) + 1)[:, None]
    known = counts @ of_column.T  # the weight of the rows in which each column is known
    return (counts + typed.shares) / (known[:, columns] + 1)
