r"""Mixtures of normal distributions as sums of products: the two steps of EM, gaps included.

    z = (1, x)',    z' Q_k z = ln w_k + ln N(x; μ_k, S_k) = Σ over i <= j of q_kij z_i z_j
    M_k = Σ_n r_kn z_n z_n'

The logarithm of a normal density is linear in the products z_i z_j, and all that is to be learnt from rows
are weighted sums of these products. So either step of EM is one matrix product with the products of a block
of rows, which stay in the cache from one to the other. x is in units in which the rows have variance 1 or so,
and no covariance is far smaller than 1, so that hardly a digit is lost to cancellation. Of many columns the
products would leave the cache, and of few components they are more than need be: then, with LL' = S_k, the
density comes from |L⁻¹(x - μ_k)|² and the sums from the rows by the roots of their shares, both products of
matrices for each component.

Gaps (NaN) are marginalised exactly (Ghahramani and Jordan 1994). A row has the density of its known columns
o; the sums take in the expected products, for which the missing columns m are linear in the known ones:

    E[x_m | x_o, k] = μ_m + S_mo S_oo⁻¹ (x_o - μ_o),      Var[x_m | x_o, k] = S_mm - S_mo S_oo⁻¹ S_om

Beside x, rows may show values of nominal columns, independent of it given k: `values` has a 0/1 row for each
value, and a missing one has none.

x : float64 (d, n);  values : float64 (V, n);  w : float64 (n,), weights
M : (K, d + 1, d + 1), in which a diagonal mixture keeps the first row and column and the diagonal alone
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from scipy.linalg.blas import dtrmm

from openbook.fold import Statistics

#: Rows multiplied at a time: their products stay in the cache.
BLOCK_ROWS = 512

#: From so many columns on, the products of all pairs of columns do not fit in the cache. With few components,
#: from so many columns per component on, the matrices of the components have fewer numbers than the products.
MANY_COLUMNS, COLUMNS_PER_COMPONENT = 48, 6

#: Sums of products from which on a compiled kernel is worth its compilation.
MANY = 2 * 10**6

#: Shares are no less than e to this: numbers near the smallest there are would be slow to multiply.
_LEAST = -300.0

_LOG_2_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class Expected(Statistics):
    """What the E-step adds up.

    moments : (K, d + 1, d + 1), see the module
    values : (K, V), how much weight each value has in each component
    log_likelihood, weight : (1,)
    """

    moments: np.ndarray
    values: np.ndarray
    log_likelihood: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class Normals:
    """The parameters of a mixture.

    log_weights : (K,);  means : (K, d);  covariances : (K, d, d)
    log_values : (K, V), the log probability of each value of the nominal columns
    diagonal : whether all covariances are diagonal
    """

    log_weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    log_values: np.ndarray
    diagonal: bool = False

    @cached_property
    def _precisions(self) -> np.ndarray:
        if self.diagonal:
            return _diagonal_matrices(1 / np.diagonal(self.covariances, axis1=1, axis2=2))
        return np.linalg.inv(self.covariances)

    @cached_property
    def coefficients(self) -> np.ndarray:
        """The coefficients q of the products, (K, F)."""
        K, d = self.means.shape
        slopes = np.einsum("kij,kj->ki", self._precisions, self.means)
        if self.diagonal:
            size = np.log(np.diagonal(self.covariances, axis1=1, axis2=2)).sum(axis=1)
        else:
            size = np.linalg.slogdet(self.covariances)[1]
        form = np.empty((K, d + 1, d + 1))
        form[:, 0, 0] = self.log_weights - 0.5 * (
            d * _LOG_2_PI + size + np.einsum("kj,kj->k", slopes, self.means)
        )
        form[:, 0, 1:] = slopes
        form[:, 1:, 1:] = -self._precisions  # two of each off the diagonal, where one product stands
        form[:, range(1, d + 1), range(1, d + 1)] /= 2
        return form[:, *_pairs(d, diagonal=self.diagonal)]

    @property
    def n_products(self) -> int:
        """How many products of two columns there are: F."""
        return len(_pairs(self.means.shape[1], diagonal=self.diagonal)[0])

    @property
    def by_factors(self) -> bool:
        """Whether columns are so many that products of matrices for each component pay."""
        K, d = self.means.shape
        return not self.diagonal and d >= min(MANY_COLUMNS, COLUMNS_PER_COMPONENT * max(K, 2))

    @cached_property
    def _roots(self) -> np.ndarray:
        """The inverse of Cholesky's factor of each covariance, (K, d, d)."""
        return np.linalg.inv(np.linalg.cholesky(self.covariances))

    def log_densities(self, x: np.ndarray) -> np.ndarray:
        """Log weight and log density of rows without gaps in each component, (K, n), by |L⁻¹(x - μ)|²."""
        found, off = np.empty((len(self.means), x.shape[1])), np.empty(x.shape)
        for k, (mean, root) in enumerate(zip(self.means, self._roots, strict=True)):
            np.subtract(x, mean[:, None], out=off)
            off = dtrmm(1.0, root.T, off.T, side=1, overwrite_b=True).T  # in place; BLAS has columns first
            np.einsum("ij,ij->j", off, off, out=found[k])
        sizes = np.log(np.diagonal(self._roots, axis1=1, axis2=2)).sum(axis=1)
        found *= -0.5
        found += (self.log_weights + sizes - 0.5 * x.shape[0] * _LOG_2_PI)[:, None]
        return found

    def of_columns(self, known: np.ndarray) -> "Normals":
        """The distribution of these columns alone."""
        if known.all():
            return self
        covariances = self.covariances[:, known][:, :, known]
        return Normals(self.log_weights, self.means[:, known], covariances, self.log_values, self.diagonal)

    def completed(self, known: np.ndarray, moments: np.ndarray) -> np.ndarray:
        """The expected moments of all columns, from those of the known ones."""
        K, d = self.means.shape
        o, m = np.flatnonzero(known), np.flatnonzero(~known)
        slopes, offsets, remaining = self.conditional(known)
        completion = np.zeros((K, d + 1, len(o) + 1))  # the matrix that makes (1, x̂) of (1, x_o)
        completion[:, 0, 0] = 1.0
        completion[:, 1 + o, 1 + np.arange(len(o))] = 1.0
        completion[:, 1 + m, 0] = offsets
        completion[:, 1 + m, 1:] = slopes
        completed = completion @ moments @ completion.transpose(0, 2, 1)
        completed[:, 1 + m[:, None], 1 + m] += moments[:, :1, :1] * remaining
        return completed

    def conditional(self, known: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Missing columns given the known: slopes (K, m, o), offsets (K, m), covariances (K, m, m)."""
        o, m = np.flatnonzero(known), np.flatnonzero(~known)
        joint = self.covariances[:, o[:, None], m]
        slopes = np.linalg.solve(self.covariances[:, o[:, None], o], joint).transpose(0, 2, 1)
        offsets = self.means[:, m] - np.einsum("kmo,ko->km", slopes, self.means[:, o])
        return slopes, offsets, self.covariances[:, m[:, None], m] - slopes @ joint

    def filled(self, x: np.ndarray) -> np.ndarray:
        """Rows x of a single component with what is expected where they are missing."""
        x = x.copy()
        for known, rows in _patterns(x):
            slopes, offsets, _ = self.conditional(known)
            x[np.ix_(~known, rows)] = slopes[0] @ x[np.ix_(known, rows)] + offsets[0][:, None]
        return x


def expected(
    normals: Normals, blocks: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]], n_rows: int = 0
) -> Expected:
    """The E-step: the sums over blocks (x, values, w) of rows, weighted by their membership.

    `n_rows` says how many rows there will be: for many, a kernel is worth its compilation.
    """
    K, d = normals.means.shape
    many = not normals.diagonal and n_rows * K * normals.n_products > MANY
    total = _Sums(normals, many=many)
    moments = np.zeros((K, d + 1, d + 1))
    later = []
    for x, values, w in blocks:
        if not np.isnan(x.sum()):
            total.add(x, values, w)
            continue
        whole = ~np.isnan(x).any(axis=0)
        total.add(x[:, whole], values[:, whole], w[whole])
        later.append((x[:, ~whole], values[:, ~whole], w[~whole]))
    moments += total.moments()
    sums = [total]
    if later:
        x, values, w = (np.concatenate(parts, axis=-1) for parts in zip(*later, strict=True))
        for known, rows in _patterns(x):
            own = _Sums(normals.of_columns(known))
            own.add(x[np.ix_(known, rows)], values[:, rows], w[rows])
            moments += normals.completed(known, own.moments())
            sums.append(own)
    return Expected(
        moments,
        np.sum([own.values for own in sums], axis=0),
        np.array([sum(own.log_likelihood for own in sums)]),
        np.array([sum(own.weight for own in sums)]),
    )


def log_joint(normals: Normals, x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Log weight and log density of each row in each component, (K, n), over its known columns."""
    out = np.empty((len(normals.means), x.shape[1]))
    for known, rows in _patterns(x):
        own = normals.of_columns(known)
        buffer = _product_buffer(own, len(rows))
        for some, part in _blocks(x, known, rows):
            if own.by_factors:
                out[:, some] = own.log_densities(part)
            else:
                out[:, some] = own.coefficients @ _products(part, buffer, diagonal=own.diagonal)
    return out + normals.log_values @ values


def shared_moments(normals: Normals, x: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The moments, (K, d + 1, d + 1), of rows of which each component has the share given, (n, K)."""
    moments = np.zeros((len(normals.means), len(x) + 1, len(x) + 1))
    for known, rows in _patterns(x):
        own = normals.of_columns(known)
        buffer = _product_buffer(own, len(rows))
        sums = np.zeros((len(own.means), own.n_products))
        for some, part in _blocks(x, known, rows):
            sums += (_products(part, buffer, diagonal=own.diagonal) @ shares[some]).T
        of_pattern = _symmetric(own, sums)
        moments += of_pattern if known.all() else normals.completed(known, of_pattern)
    return moments


class _Sums:
    """The E-step of rows in which the same columns are known."""

    def __init__(self, normals: Normals, *, many: bool = False) -> None:
        self.normals, self.many = normals, many
        self.products = np.zeros((len(normals.means), normals.n_products))
        self.squares = np.zeros((len(normals.means), *[normals.means.shape[1] + 1] * 2))
        self.values = np.zeros(normals.log_values.shape)
        self.buffer = _product_buffer(normals, 0 if normals.by_factors else BLOCK_ROWS)
        self.log_likelihood = self.weight = 0.0

    def add(self, x: np.ndarray, values: np.ndarray, w: np.ndarray) -> None:
        """Add rows, a block at a time."""
        for start in range(0, x.shape[1], BLOCK_ROWS):
            span = slice(start, start + BLOCK_ROWS)
            self._add(x[:, span], values[:, span], w[span])

    def _add(self, x: np.ndarray, values: np.ndarray, w: np.ndarray) -> None:
        products = None if self.normals.by_factors else self._products(x)
        share = self.normals.log_densities(x) if products is None else self.normals.coefficients @ products
        if len(values):
            share += self.normals.log_values @ values
        largest = share.max(axis=0)
        share -= largest
        np.maximum(share, _LEAST, out=share)
        np.exp(share, out=share)
        density = share.sum(axis=0)
        share *= w / density
        if products is None:
            self.squares += _moments(x, share)
        else:
            self.products += (products @ share.T).T
        if len(values):
            self.values += share @ values.T
        self.log_likelihood += float(w @ (largest + np.log(density)))
        self.weight += float(w.sum())

    def _products(self, x: np.ndarray) -> np.ndarray:
        if not self.many:
            return _products(x, self.buffer, diagonal=self.normals.diagonal)
        from openbook.kernels.pairs import fill_pairs

        products = self.buffer[:, : x.shape[1]]
        fill_pairs(x, products)
        return products

    def moments(self) -> np.ndarray:
        """The sums of products as symmetric matrices."""
        return self.squares if self.normals.by_factors else _symmetric(self.normals, self.products)


def _symmetric(normals: Normals, products: np.ndarray) -> np.ndarray:
    """Sums of products as symmetric matrices, (K, d + 1, d + 1)."""
    K, d = normals.means.shape
    i, j = _pairs(d, diagonal=normals.diagonal)
    moments = np.zeros((K, d + 1, d + 1))
    moments[:, i, j] = moments[:, j, i] = products
    return moments


def _moments(x: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Σ_n r_kn z_n z_n' of each component, (K, d + 1, d + 1)."""
    moments, weighed = np.empty((len(share), len(x) + 1, len(x) + 1)), np.empty(x.shape)
    moments[:, 0, 0] = share.sum(axis=1)
    moments[:, 0, 1:] = moments[:, 1:, 0] = share @ x.T
    for k, root in enumerate(np.sqrt(share)):
        np.multiply(x, root, out=weighed)
        moments[k, 1:, 1:] = weighed @ weighed.T
    return moments


@cache
def _pairs(d: int, *, diagonal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Which entries of z each product is made of."""
    if not diagonal:
        return np.triu_indices(d + 1)
    each = np.arange(1, d + 1)
    return np.r_[np.zeros(d + 1, dtype=np.intp), each], np.r_[0, each, each]


def _product_buffer(normals: Normals, n: int) -> np.ndarray:
    """A buffer for the products of a block: reused for every block, so that it stays in the cache."""
    return np.empty((normals.n_products, min(n, BLOCK_ROWS)))


def _products(x: np.ndarray, buffer: np.ndarray, *, diagonal: bool) -> np.ndarray:
    """The products z_i z_j of some rows, (F, n), in the order of `_pairs`."""
    d, n = x.shape
    out = buffer[:, :n]
    out[0] = 1.0
    out[1 : d + 1] = x
    if diagonal:
        np.multiply(x, x, out=out[d + 1 :])
        return out
    start = d + 1
    for i in range(d):
        np.multiply(x[i:], x[i], out=out[start : start + d - i])
        start += d - i
    return out


def _patterns(x: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The columns known, (d,), and the rows that know just these."""
    known = ~np.isnan(x)
    if known.all():
        yield np.ones(len(x), dtype=bool), np.arange(x.shape[1])
        return
    kinds, which = np.unique(np.packbits(known, axis=0), axis=1, return_inverse=True)
    for kind in range(kinds.shape[1]):
        rows = np.flatnonzero(which == kind)
        yield known[:, rows[0]], rows


def _blocks(x: np.ndarray, known: np.ndarray, rows: np.ndarray) -> Iterator[tuple[Any, np.ndarray]]:
    """Some of the rows that know these columns at a time: which, and their numbers."""
    whole = len(rows) == x.shape[1] and known.all()
    for start in range(0, len(rows), BLOCK_ROWS):
        span = slice(start, start + BLOCK_ROWS)
        yield (span, x[:, span]) if whole else (rows[span], x[np.ix_(known, rows[span])])


def _diagonal_matrices(diagonals: np.ndarray) -> np.ndarray:
    return diagonals[:, :, None] * np.eye(diagonals.shape[1])
