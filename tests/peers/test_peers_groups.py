"""Mixtures, densities and projections against scikit-learn and scipy, from the same start."""

import warnings

import numpy as np
import pytest
from scipy.stats import gaussian_kde
from sklearn import decomposition, discriminant_analysis, mixture, neighbors
from sklearn.exceptions import ConvergenceWarning

from openbook import load
from openbook.cluster import GaussianMixture
from openbook.density import KernelDensity
from openbook.linear import LinearDiscriminantAnalysis
from openbook.reduce import PCA, LinearDiscriminantProjection

SETS = {"iris": "species", "diabetes": "progression"}
KINDS = ("full", "tied", "diag", "spherical")


def numbers(name):
    table = load(name).drop(SETS[name])
    return table.block([a.name for a in table.schema if a.kind == "numeric"]).astype(float)


def theirs_from(X, K, kind, labels, reg, rounds):
    """scikit-learn's mixture, started from the parameters of labelled rows."""
    weights, means, precisions = [], [], []
    pooled = sum(np.cov(X[labels == k].T, bias=True) * (labels == k).mean() for k in range(K))
    for k in range(K):
        own = X[labels == k]
        S = np.cov(own.T, bias=True)
        weights.append(len(own) / len(X))
        means.append(own.mean(axis=0))
        if kind == "full":
            precisions.append(np.linalg.inv(S + reg * np.eye(len(S))))
        elif kind == "diag":
            precisions.append(1 / (np.diag(S) + reg))
        else:
            precisions.append(1 / (np.diag(S).mean() + reg))
    if kind == "tied":
        precisions = np.linalg.inv(pooled + reg * np.eye(len(pooled)))
    model = mixture.GaussianMixture(
        K,
        covariance_type=kind,
        weights_init=weights,
        means_init=means,
        precisions_init=precisions,
        reg_covar=reg,
        tol=0,
        max_iter=rounds,
        init_params="random_from_data",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kind", KINDS)
def test_em_from_the_same_start(name, kind):
    X = numbers(name)
    rng = np.random.default_rng(0)
    seeds = X[rng.choice(len(X), 3, replace=False)] + rng.normal(size=(3, X.shape[1])) * X.std(axis=0) / 100
    labels = ((X[:, None] - seeds) ** 2).sum(axis=2).argmin(axis=1)
    ours = GaussianMixture(3, kind, means_init=seeds, scale=False, tol=0, max_iter=15).fit(X)
    reg = 1e-6 * float(ours._typed.units[1][0]) ** 2
    theirs = theirs_from(X, 3, kind, labels, reg, 15)
    np.testing.assert_allclose(ours.trace_ / len(X), theirs.lower_bounds_, rtol=1e-9)
    np.testing.assert_allclose(ours.means_, theirs.means_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours.weights_, theirs.weights_, rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-6, atol=1e-6)
    assert ours.bic(X) == pytest.approx(theirs.bic(X), rel=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_principal_components(name):
    X = numbers(name)
    ours, theirs = PCA(scale=False, variance="sample").fit(X), decomposition.PCA().fit(X)
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-8)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-8)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), rtol=1e-6, atol=1e-8)


def test_discriminant_projection():
    X, y = load("iris").split("species")
    plain = X.block(X.names)
    ours = LinearDiscriminantProjection().fit(X, y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis().fit(plain, y.tolist())
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-9)
    np.testing.assert_allclose(
        np.abs(ours.transform(X)), np.abs(theirs.transform(plain)), rtol=1e-7, atol=1e-9
    )
    same = LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(np.abs(same.scalings_), np.abs(theirs.scalings_), rtol=1e-7)
    np.testing.assert_allclose(same.xbar_, theirs.xbar_, rtol=1e-9)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_kernel_density(rule):
    X = numbers("iris")
    one = X[:, :1]
    ours, theirs = KernelDensity(rule).fit(one), gaussian_kde(one[:, 0], rule)
    assert ours.factor_ == pytest.approx(theirs.factor)
    ours = KernelDensity(rule).fit(X)
    spread = X.std(axis=0)
    theirs = neighbors.KernelDensity(bandwidth=ours.factor_).fit(X / spread)
    expected = theirs.score_samples(X / spread) - np.log(spread).sum()
    np.testing.assert_allclose(ours.score_samples(X), expected, rtol=1e-9)
    as_is = KernelDensity(0.5, scale=False).fit(X)
    assert as_is.score(X) == pytest.approx(neighbors.KernelDensity(bandwidth=0.5).fit(X).score(X), rel=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_covariance_by_components(name):
    X = numbers(name)
    ours, theirs = PCA(2, scale=False, variance="sample").fit(X), decomposition.PCA(2).fit(X)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_whitened_scores(name):
    X = numbers(name)
    ours = PCA(2, scale=False, variance="sample", whiten=True).fit(X)
    theirs = decomposition.PCA(2, whiten=True).fit(X)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-8)
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-8)
    assert ours.n_samples_ == theirs.n_samples_
    back, restored = theirs.inverse_transform(theirs.transform(X)), ours.inverse_transform(ours.transform(X))
    np.testing.assert_allclose(restored.block(restored.names), back, rtol=1e-6, atol=1e-6)
