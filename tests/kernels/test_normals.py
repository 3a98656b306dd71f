"""The two steps of EM against densities and conditional moments, worked out row by row."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from openbook.kernels.normals import Normals, expected, log_joint


def some_normals(K, d, rng, *, diagonal=False, values=0):
    roots = rng.normal(size=(K, d, d)) + 2 * np.eye(d)
    covariances = roots @ roots.transpose(0, 2, 1)
    if diagonal:
        covariances = covariances * np.eye(d)
    shares = rng.dirichlet(np.ones(values), K) if values else np.ones((K, 0))
    weights = rng.dirichlet(np.ones(K))
    return Normals(np.log(weights), rng.normal(size=(K, d)), covariances, np.log(shares), diagonal)


def rows_with_gaps(d, n, rng, gaps=0.3):
    x = rng.normal(size=(d, n))
    x[rng.random((d, n)) < gaps] = np.nan
    return x


def by_hand(normals, x, k):
    """The log joint of a row with component k, and its expected products."""
    known = ~np.isnan(x)
    mean, S = normals.means[k], normals.covariances[k]
    log_density = normals.log_weights[k]
    filled, left = np.where(known, x, 0.0), np.zeros_like(S)
    if known.any():
        log_density += multivariate_normal(mean[known], S[np.ix_(known, known)]).logpdf(x[known])
        regression = S[np.ix_(~known, known)] @ np.linalg.inv(S[np.ix_(known, known)])
    else:
        regression = np.zeros((len(x), 0))
    filled[~known] = mean[~known] + regression @ (x[known] - mean[known])
    left[np.ix_(~known, ~known)] = S[np.ix_(~known, ~known)] - regression @ S[np.ix_(known, ~known)]
    z = np.r_[1.0, filled]
    products = np.outer(z, z)
    products[1:, 1:] += left
    return log_density, products


@pytest.mark.parametrize(("diagonal", "by_factors"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize(("K", "d", "gaps"), [(3, 4, 0.3), (1, 3, 0.3), (2, 1, 0.5), (2, 3, 0.0)])
def test_the_steps_are_those_of_every_row(K, d, gaps, diagonal, by_factors, monkeypatch):
    if by_factors:
        monkeypatch.setattr("openbook.kernels.normals.MANY_COLUMNS", 2)
    rng = np.random.default_rng(K + 10 * d)
    normals = some_normals(K, d, rng, diagonal=diagonal)
    x, w = rows_with_gaps(d, 37, rng, gaps), rng.random(37) + 0.5
    nothing = np.zeros((0, 37))
    joint = np.array([[by_hand(normals, row, k)[0] for row in x.T] for k in range(K)])
    np.testing.assert_allclose(log_joint(normals, x, nothing), joint, rtol=1e-9, atol=1e-9)
    shares = np.exp(joint - logsumexp(joint, axis=0)) * w
    moments = [
        sum(r * by_hand(normals, row, k)[1] for r, row in zip(shares[k], x.T, strict=True)) for k in range(K)
    ]
    sums = expected(normals, [(x, nothing, w)])
    counted = np.ones((d + 1, d + 1), dtype=bool)
    if diagonal:  # keeps what it needs
        counted = np.eye(d + 1, dtype=bool)
        counted[0] = counted[:, 0] = True
    np.testing.assert_allclose(sums.moments[:, counted], np.array(moments)[:, counted], rtol=1e-8, atol=1e-9)
    assert sums.log_likelihood[0] == pytest.approx(w @ logsumexp(joint, axis=0))
    assert sums.weight[0] == pytest.approx(w.sum())


def test_blocks_add_up():
    rng = np.random.default_rng(0)
    normals = some_normals(2, 3, rng)
    x, w = rows_with_gaps(3, 1300, rng, 0.1), np.ones(1300)
    nothing = np.zeros((0, 1300))
    whole = expected(normals, [(x, nothing, w)])
    parts = expected(
        normals, [(x[:, :700], nothing[:, :700], w[:700]), (x[:, 700:], nothing[:, 700:], w[700:])]
    )
    np.testing.assert_allclose(parts.moments, whole.moments, rtol=1e-10)


def test_values_count_as_factors():
    rng = np.random.default_rng(1)
    normals = some_normals(2, 2, rng, values=3)
    x, values = rng.normal(size=(2, 4)), np.eye(3)[:, [0, 1, 2, 2]]
    values[:, 3] = 0.0  # missing
    plain = Normals(normals.log_weights, normals.means, normals.covariances, np.zeros((2, 0)))
    bare = log_joint(plain, x, np.zeros((0, 4)))
    factors = np.column_stack([normals.log_values, np.zeros(2)])
    np.testing.assert_allclose(log_joint(normals, x, values), bare + factors)


def test_gaps_are_filled_by_regression():
    """Variances 1 and 4, covariance 1: E[y | x = 3] = 10 + (3 - 1) = 12, E[x | y = 14] = 1 + 4 / 4 = 2."""
    normal = Normals(
        np.zeros(1), np.array([[1.0, 10.0]]), np.array([[[1.0, 1.0], [1.0, 4.0]]]), np.zeros((1, 0))
    )
    x = np.array([[3.0, np.nan, np.nan, 5.0], [np.nan, 14.0, np.nan, 6.0]])
    np.testing.assert_allclose(normal.filled(x), [[3, 2, 1, 5], [12, 14, 10, 6]])


def test_many_rows_are_summed_by_a_kernel_to_the_same_end(monkeypatch):
    rng = np.random.default_rng(2)
    normals = some_normals(3, 5, rng)
    x, w, nothing = rows_with_gaps(5, 900, rng, 0.05), np.ones(900), np.zeros((0, 900))
    plain = expected(normals, [(x, nothing, w)])
    monkeypatch.setattr("openbook.kernels.normals.MANY", 0)
    by_kernel = expected(normals, [(x, nothing, w)], n_rows=900)
    np.testing.assert_array_equal(by_kernel.moments, plain.moments)
    assert by_kernel.log_likelihood[0] == plain.log_likelihood[0]
