"""Naive Bayes beside scikit-learn, SciPy and mixed-naive-bayes; the tolerance stands by each pair."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from scipy.stats import gaussian_kde
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

from openbook import load
from openbook.bayes import Laplace, NaiveBayes
from openbook.data import Categorical, Numeric

TARGETS = {"iris": "species", "wine": "cultivar", "breast_cancer": "diagnosis", "digits": "digit"}


def numbers(name):
    """A bundled set as arrays."""
    X, y = load(name).split(TARGETS[name])
    return X.block(X.names), y.data.astype(int)


def coarse_digits():
    """The digits with 4 shades for 16, so that every pixel has few values."""
    X, y = numbers("digits")
    return np.minimum(X // 5, 3), y


def credit():
    """Loans without gaps."""
    return load("credit", rows=4000, random_state=1).drop_missing()


def codes(table):
    return np.stack([table.data(name) for name in table.schema.of(Categorical)], axis=1).astype(int)


def as_nominal(X):
    kinds = dict.fromkeys(range(X.shape[1]), "nominal")
    return NaiveBayes(kinds=kinds)


def agree(ours, theirs, X, rtol, their_X=None):
    their_X = X if their_X is None else their_X
    log_joint = theirs.predict_joint_log_proba(their_X)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), log_joint, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(
        ours.predict_log_proba(X), theirs.predict_log_proba(their_X), rtol=rtol, atol=rtol
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(their_X), rtol=rtol, atol=rtol)
    np.testing.assert_allclose(ours.score_samples(X), logsumexp(log_joint, axis=1), rtol=rtol, atol=rtol)
    assert (ours.predict(X) == theirs.predict(their_X)).all()


@pytest.mark.parametrize(
    ("name", "rtol"),
    [("iris", 1e-10), ("wine", 1e-10), ("breast_cancer", 1e-8)],  # the last: variances of 1e-6 beside 1e5
)
def test_gaussian(name, rtol):
    X, y = numbers(name)
    agree(NaiveBayes().fit(X, y), GaussianNB(var_smoothing=0).fit(X, y), X, rtol)


def test_gaussian_estimates():
    X, y = numbers("wine")
    ours, theirs = NaiveBayes().fit(X, y), GaussianNB(var_smoothing=0).fit(X, y)
    learnt = [step for step in ours.work().steps() if step.label.startswith(("mean", "variance"))]
    got = np.array([step.result for step in learnt]).reshape(
        X.shape[1], 3, 2
    )  # column, class, mean and variance
    np.testing.assert_allclose(got[:, :, 0].T, theirs.theta_, rtol=1e-12)
    np.testing.assert_allclose(got[:, :, 1].T, theirs.var_, rtol=1e-11)
    np.testing.assert_allclose(ours.prior_, theirs.class_prior_, rtol=1e-15)


def test_gaussian_with_weights_and_priors():
    X, y = numbers("iris")
    w = np.random.default_rng(0).uniform(0.1, 3, len(y))
    priors = [0.2, 0.3, 0.5]
    ours = NaiveBayes(priors=priors).fit(X, y, sample_weight=w)
    agree(ours, GaussianNB(priors=priors, var_smoothing=0).fit(X, y, sample_weight=w), X, 1e-10)


def test_gaussian_in_pieces():
    X, y = numbers("breast_cancer")
    ours, theirs = NaiveBayes(), GaussianNB(var_smoothing=0)
    for rows in np.array_split(np.arange(len(y)), 7):
        ours.partial_fit(X[rows], y[rows], classes=[0, 1])
        theirs.partial_fit(X[rows], y[rows], classes=[0, 1])
    agree(ours, theirs, X, 1e-7)


def test_gaussian_on_loans():
    table = credit()
    X = table.block(table.schema.of(Numeric))
    y = table.column("default").data
    agree(NaiveBayes().fit(X, y), GaussianNB(var_smoothing=0).fit(X, y), X, 1e-10)


@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_categorical(alpha):
    X, y = coarse_digits()
    ours = as_nominal(X).set_params(smoothing=Laplace(alpha)).fit(X, y)
    agree(ours, CategoricalNB(alpha=alpha).fit(X.astype(int), y), X, 1e-11, X.astype(int))


def test_categorical_on_loans():
    table = credit().select((*credit().schema.of(Categorical),))
    X, y = table.split("default")
    agree(NaiveBayes().fit(X, y.data), CategoricalNB().fit(codes(X), y.data), X, 1e-12, codes(X))


@pytest.mark.parametrize("alpha", [1.0, 0.3])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array, sp.coo_array])
def test_bernoulli(alpha, form):
    X, y = numbers("digits")
    X = np.where(X > 7, X, 0)
    ours = NaiveBayes(smoothing=Laplace(alpha), distributions="bernoulli").fit(form(X), y)
    agree(ours, BernoulliNB(alpha=alpha).fit(X, y), form(X), 1e-11, X)


@pytest.mark.parametrize("alpha", [1.0, 0.3])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array, sp.coo_array])
def test_multinomial(alpha, form):
    X, y = numbers("digits")
    ours = NaiveBayes(smoothing=Laplace(alpha), distributions="multinomial").fit(form(X), y)
    agree(ours, MultinomialNB(alpha=alpha).fit(X, y), form(X), 1e-11, X)


def test_multinomial_with_weights_and_priors():
    X, y = numbers("digits")
    w = np.random.default_rng(0).uniform(0.1, 3, len(y))
    priors = np.arange(1, 11) / 55
    theirs = MultinomialNB(class_prior=priors).fit(X, y, sample_weight=w / w.mean())  # w has no unit
    for form in (np.asarray, sp.csr_array):
        ours = NaiveBayes(priors=priors, distributions="multinomial").fit(form(X), y, sample_weight=w)
        agree(ours, theirs, form(X), 1e-11, X)


def test_sparse_rows_are_multinomial_unless_told_otherwise():
    X, y = numbers("digits")
    agree(NaiveBayes().fit(sp.csr_array(X), y), MultinomialNB().fit(X, y), sp.csr_array(X), 1e-11, X)


def test_mixed_columns_are_the_two_models_added_up():
    table = credit()
    X, y = table.split("default")
    gaussian = GaussianNB(var_smoothing=0).fit(X.block(X.schema.of(Numeric)), y.data)
    categorical = CategoricalNB().fit(codes(X), y.data)
    joint = (
        gaussian.predict_joint_log_proba(X.block(X.schema.of(Numeric)))
        + categorical.predict_joint_log_proba(codes(X))
        - np.log(gaussian.class_prior_)
    )
    np.testing.assert_allclose(NaiveBayes().fit(X, y).predict_joint_log_proba(X), joint, rtol=1e-11)


def test_a_gap_is_as_good_as_a_shorter_table():
    """Rows in which one column is missing, against a peer that was never shown the column."""
    X, y = numbers("wine")
    ours = NaiveBayes().fit(X, y)
    for j in (0, 6, 12):
        gaps = X.copy()
        gaps[:, j] = np.nan
        rest = np.delete(X, j, axis=1)
        theirs = GaussianNB(var_smoothing=0).fit(rest, y)
        agree(ours, theirs, gaps, 1e-10, rest)


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_kernel_density(name):
    X, y = numbers(name)
    ours = NaiveBayes(distributions="kernel").fit(X, y)
    new = np.vstack([X, X.mean(axis=0) + 3 * X.std(axis=0)])
    joint = np.repeat(np.log(np.bincount(y) / len(y))[None, :], len(new), axis=0)
    for c in range(3):
        for j in range(X.shape[1]):
            joint[:, c] += gaussian_kde(X[y == c, j], bw_method="scott").logpdf(new[:, j])
    np.testing.assert_allclose(ours.predict_joint_log_proba(new), joint, rtol=1e-9)


def test_mixed_naive_bayes():
    mixed = pytest.importorskip("mixed_naive_bayes")
    table = credit()
    X, y = table.split("default")
    numeric = X.schema.of(Numeric)
    array = np.hstack([X.block(numeric), codes(X)])
    places = list(range(len(numeric), array.shape[1]))
    theirs = mixed.MixedNB(categorical_features=places, alpha=1, var_smoothing=0).fit(
        array, y.data.astype(int)
    )
    ours = NaiveBayes(smoothing=Laplace(1)).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(array), rtol=1e-8, atol=1e-10)
