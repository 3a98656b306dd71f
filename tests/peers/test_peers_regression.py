"""Linear regression beside scikit-learn, scipy and NumPy."""

import numpy as np
import pytest
from scipy import stats
from sklearn import linear_model
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from openbook.linear import ElasticNet, Lasso, LinearRegression, Polynomial, Radial, Ridge

X, Y = load_diabetes(return_X_y=True, scaled=False)
SCALED = StandardScaler().fit_transform(X)
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2, len(Y))


def test_least_squares_beside_scikit_learn():
    peer, own = linear_model.LinearRegression().fit(X, Y), LinearRegression().fit(X, Y)
    assert own.coef_ == pytest.approx(peer.coef_, rel=1e-9)
    assert own.intercept_ == pytest.approx(peer.intercept_, rel=1e-10)
    assert own.predict(X) == pytest.approx(peer.predict(X), rel=1e-11)
    assert own.r2_ == pytest.approx(peer.score(X, Y), rel=1e-11)
    assert own.score(X, Y) == pytest.approx(own.r2_, rel=1e-10)


def test_weights_and_targets_beside_scikit_learn():
    targets = np.column_stack([Y, X[:, 0] ** 2, np.sin(Y)])
    peer = linear_model.LinearRegression().fit(X, targets, sample_weight=WEIGHTS)
    own = LinearRegression().fit(X, targets, sample_weight=WEIGHTS)
    assert own.coef_ == pytest.approx(peer.coef_, rel=1e-7)
    assert own.intercept_ == pytest.approx(peer.intercept_, rel=1e-8)
    assert own.predict(X) == pytest.approx(peer.predict(X), rel=1e-8)


def test_a_line_beside_scipy():
    peer, own = stats.linregress(X[:, 2], Y), LinearRegression().fit(X[:, [2]], Y)
    table = own.coefficients(0.9)
    intercept, slope = (table.row(i) for i in (0, 1))
    assert slope["coefficient"] == pytest.approx(peer.slope, rel=1e-11)
    assert slope["standard_error"] == pytest.approx(peer.stderr, rel=1e-10)
    assert slope["p"] == pytest.approx(peer.pvalue, rel=1e-8)
    assert intercept["coefficient"] == pytest.approx(peer.intercept, rel=1e-11)
    assert intercept["standard_error"] == pytest.approx(peer.intercept_stderr, rel=1e-10)
    assert own.r2_ == pytest.approx(peer.rvalue**2, rel=1e-11)
    t = stats.t(len(Y) - 2).ppf(0.95)
    assert slope["low"] == pytest.approx(peer.slope - t * peer.stderr, rel=1e-9)


def test_standard_errors_beside_the_textbook_inverse():
    ones = np.column_stack([np.ones(len(Y)), X])
    inverse = np.linalg.inv(ones.T @ ones)
    residual = Y - ones @ (inverse @ ones.T @ Y)
    variance = residual @ residual / (len(Y) - 11)
    own = LinearRegression().fit(X, Y)
    assert own.sigma2_ == pytest.approx(variance, rel=1e-8)
    errors = np.sqrt(variance * np.diag(inverse))
    assert own.coefficients()["standard_error"].data == pytest.approx(errors, rel=1e-6)
    row = ones[7]
    leverage = row @ inverse @ row
    assert own.work(X[7])["standard error of ŷ"].result == pytest.approx(
        np.sqrt(variance * leverage), rel=1e-6
    )


@pytest.mark.parametrize("l2", [0.01, 1.0, 300.0])
def test_ridge_beside_scikit_learn(l2):
    peer = linear_model.Ridge(alpha=l2, solver="cholesky").fit(
        SCALED, Y, sample_weight=WEIGHTS / WEIGHTS.mean()
    )
    own = LinearRegression(l2=l2, scale=False).fit(SCALED, Y, sample_weight=WEIGHTS)
    assert own.coef_ == pytest.approx(peer.coef_, rel=1e-9)
    assert own.intercept_ == pytest.approx(peer.intercept_, rel=1e-10)
    standard = linear_model.Ridge(alpha=l2).fit(SCALED, Y)
    assert LinearRegression(l2=l2).fit(X, Y).predict(X) == pytest.approx(standard.predict(SCALED), rel=1e-9)


UNIT_WEIGHTS = WEIGHTS / WEIGHTS.mean()  # scikit-learn's penalties do not grow with the sum of weights

PENALISED = {  # ours, theirs, relative tolerance
    "ridge": (Ridge(alpha=30.0), linear_model.Ridge(alpha=30.0), 1e-8),
    "ridge without intercept": (
        Ridge(alpha=3.0, fit_intercept=False),
        linear_model.Ridge(alpha=3.0, fit_intercept=False),
        1e-8,
    ),
    "lasso": (Lasso(alpha=2.0), linear_model.Lasso(alpha=2.0, tol=1e-12, max_iter=100_000), 1e-5),
    "elastic net": (
        ElasticNet(alpha=0.5, l1_ratio=0.7),
        linear_model.ElasticNet(alpha=0.5, l1_ratio=0.7, tol=1e-12, max_iter=100_000),
        1e-5,
    ),
}


@pytest.mark.parametrize("name", PENALISED)
def test_penalties_by_the_names_and_units_of_scikit_learn(name):
    own, peer, tolerance = PENALISED[name]
    own.fit(X, Y, sample_weight=UNIT_WEIGHTS)
    peer.fit(X, Y, sample_weight=UNIT_WEIGHTS)
    assert own.coef_ == pytest.approx(peer.coef_, rel=tolerance, abs=tolerance)
    assert own.intercept_ == pytest.approx(peer.intercept_, rel=tolerance, abs=tolerance)
    assert ((own.coef_ == 0) == (peer.coef_ == 0)).all()


@pytest.mark.parametrize("alpha", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_the_elastic_net_beside_scikit_learn(alpha, ratio):
    peer = linear_model.ElasticNet(alpha=alpha, l1_ratio=ratio, tol=1e-10, max_iter=100_000).fit(SCALED, Y)
    n = len(Y)
    own = LinearRegression(l1=n * alpha * ratio, l2=n * alpha * (1 - ratio)).fit(X, Y)
    assert own.coef_ * X.std(axis=0) == pytest.approx(peer.coef_, rel=1e-5, abs=1e-5)
    assert ((own.coef_ == 0) == (peer.coef_ == 0)).all()
    assert own.predict(X) == pytest.approx(peer.predict(SCALED), rel=1e-6)


def test_the_path_beside_scikit_learn():
    own = LinearRegression().fit(X, Y).path(n=20, least=0.01)
    alphas, coefs, _ = linear_model.lasso_path(SCALED, Y - Y.mean(), alphas=own.l1 / len(Y), tol=1e-10)
    assert own.l1 / len(Y) == pytest.approx(alphas)
    standard = (own.coef * X.std(axis=0)).T
    assert standard == pytest.approx(coefs, abs=1e-4)


@pytest.mark.parametrize("epsilon", [1.2, 1.35, 3.0])
def test_the_huber_loss_beside_scikit_learn(epsilon):
    rng = np.random.default_rng(1)
    y = SCALED[:, :4] @ [3.0, -2.0, 1.0, 0.5] + rng.standard_t(2, len(Y))
    peer = linear_model.HuberRegressor(alpha=0, epsilon=epsilon, tol=1e-9, max_iter=5000).fit(SCALED, y)
    own = LinearRegression(loss="huber", epsilon=epsilon).fit(SCALED, y)
    assert own.coef_ == pytest.approx(peer.coef_, abs=2e-4)
    assert own.scale_ == pytest.approx(peer.scale_, rel=1e-3)


def test_polynomials_beside_scikit_learn():
    x = X[:, [2]]
    powers = PolynomialFeatures(3, include_bias=False).fit_transform(x)
    peer = linear_model.LinearRegression().fit(powers, Y)
    own = LinearRegression(basis=Polynomial(3)).fit(x, Y)
    assert own.predict(x) == pytest.approx(peer.predict(powers), rel=1e-7)
    assert own.coef_ == pytest.approx(peer.coef_, rel=1e-4)
    assert own.names_ == ("x0", "x0^2", "x0^3")


def test_bells_beside_least_squares_on_the_same_bells():
    rng = np.random.default_rng(2)
    x = rng.uniform(-3, 3, (300, 1))
    y = np.sin(2 * x[:, 0]) + 0.1 * rng.normal(size=300)
    own = LinearRegression(basis=Radial(12, width=0.5)).fit(x, y)
    bells = np.exp(-2 * ((x - x.mean()) / x.std() - own.centres_.T) ** 2)
    peer = linear_model.LinearRegression().fit(bells, y)
    assert own.coef_ == pytest.approx(peer.coef_, rel=1e-4)
    assert own.r2_ == pytest.approx(peer.score(bells, y))
    assert own.r2_ > 0.97
