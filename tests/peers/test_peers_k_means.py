"""k-means beside scikit-learn's, from the same seeds."""

import numpy as np
import pytest
from sklearn import cluster
from sklearn.preprocessing import StandardScaler

from openbook import load
from openbook.cluster import KMeans


def blobs(seed, n=3000, d=6, k=7, spread=2.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + spread * rng.normal(size=(k, d))[rng.integers(0, k, n)]


def fit_both(x, k, seeds, scale):
    ours = KMeans(k, init=seeds, scale=scale, tol=0).fit(x)
    z = StandardScaler().fit(x) if scale else None
    their_x, their_seeds = (z.transform(x), z.transform(seeds)) if scale else (x, seeds)
    theirs = cluster.KMeans(k, init=their_seeds, n_init=1, tol=0, max_iter=300).fit(their_x)
    return ours, theirs


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scale", [True, False])
def test_labels_and_sse(seed, scale):
    x = blobs(seed)
    ours, theirs = fit_both(x, 7, x[:7], scale)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-10)
    assert ours.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(ours.centers_, theirs.cluster_centers_, atol=1e-9)


def test_iris():
    X, _ = load("iris").split("species")
    x = np.asarray(X, dtype=float)
    ours, theirs = fit_both(x, 3, x[[0, 60, 120]], scale=False)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    best = KMeans(3, init="random", n_init=20, scale=False, tol=0, random_state=0).fit(x)
    assert best.inertia_ == pytest.approx(78.851441, abs=1e-6)  # R: kmeans(iris[, 1:4], 3, nstart = 20)


def test_an_empty_cluster():
    x = blobs(9, n=200)
    seeds = np.concatenate([x[:3], [[1e3] * 6]])
    with pytest.warns(UserWarning, match="cluster 3 was empty"):
        ours, theirs = fit_both(x, 4, seeds, scale=False)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)


def test_single_precision_as_double():
    x = blobs(3).astype(np.float32)
    ours = KMeans(7, init=x[:7].astype(float), scale=False, tol=0).fit(x)
    double = KMeans(7, init=x[:7].astype(float), scale=False, tol=0).fit(x.astype(float))
    np.testing.assert_array_equal(ours.labels_, double.labels_)
    assert ours.inertia_ == pytest.approx(double.inertia_, rel=1e-12)


def test_weights():
    x, rng = blobs(5, n=500), np.random.default_rng(0)
    w = rng.integers(1, 5, 500)
    ours = KMeans(7, init=x[:7], scale=False, tol=0).fit(x, sample_weight=w)
    theirs = cluster.KMeans(7, init=x[:7], n_init=1, tol=0).fit(x, sample_weight=w)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)


def test_seeds_by_k_means_plus_plus_are_as_good():
    x = blobs(8, n=2000, k=12, spread=4.0)
    ours = [KMeans(12, scale=False, random_state=s).fit(x).inertia_ for s in range(10)]
    theirs = [cluster.KMeans(12, n_init=1, random_state=s).fit(x).inertia_ for s in range(10)]
    assert np.mean(ours) < 1.1 * np.mean(theirs)
