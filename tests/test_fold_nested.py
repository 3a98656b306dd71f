"""Statistics inside statistics join by their own + and -: a mean is not a sum."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from openbook.bayes import NaiveBayes
from openbook.data import CHUNK_ROWS


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    n = 2 * CHUNK_ROWS + 100  # three chunks
    y = rng.integers(0, 2, n)
    return rng.normal(5.0, 1.0, (n, 2)) + y[:, None], y


def gaussian(model):
    (likelihood,) = model.likelihoods_
    return likelihood.mean, likelihood.variance


def check(model, X, y):
    peer = GaussianNB(var_smoothing=0.0).fit(X, y)
    mean, variance = gaussian(model)
    np.testing.assert_allclose(mean, peer.theta_, rtol=1e-10)
    np.testing.assert_allclose(variance, peer.var_, rtol=1e-10)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


def test_many_chunks_give_the_means_of_all_rows(rows):
    check(NaiveBayes().fit(*rows), *rows)


def test_partial_fit_joins_means(rows):
    X, y = rows[0][:1000], rows[1][:1000]
    check(NaiveBayes().fit(X[:300], y[:300]).partial_fit(X[300:], y[300:]), X, y)


def test_forget_parts_means(rows):
    X, y = rows[0][:1000], rows[1][:1000]
    check(NaiveBayes().fit(X, y).forget(X[600:], y[600:]), X[:600], y[:600])
