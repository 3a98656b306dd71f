"""Wide tables, more columns than rows: ours against scikit-learn's, the tolerance beside each pair."""

import numpy as np
import pytest
import sklearn.decomposition
from scipy.special import log_softmax
from sklearn.linear_model import ElasticNet, Lasso, Ridge
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.preprocessing import StandardScaler

from openbook import open_model, save
from openbook.linear import (
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
)
from openbook.reduce import PCA, LinearDiscriminantProjection


def wide(n=60, d=200, *, spread=0.0, seed=0):
    """Rows that are normal, or whose columns have scales of several magnitudes; and a target of ten."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.exp(spread * rng.normal(size=d))
    y = X[:, :10] / X[:, :10].std(axis=0) @ rng.normal(size=10) + 0.3 * rng.normal(size=n)
    return X, y


def objective(x, classes, coef, intercept):
    """The penalised negative log-likelihood, l2 = 1."""
    scores = x @ np.atleast_2d(coef).T + intercept
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    return -log_softmax(scores, axis=1)[np.arange(len(x)), classes].sum() + 0.5 * (coef**2).sum()


@pytest.mark.parametrize("spread", [0.0, 2.0])
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("solver", ["auto", "newton"])
def test_logistic_regression_finds_the_maximum(spread, scale, n_classes, solver):
    X, numbers = wide(spread=spread)
    y = np.digitize(numbers, np.quantile(numbers, np.arange(1, n_classes) / n_classes))
    model = LogisticRegression(scale=scale, solver=solver).fit(X, y)
    coef, intercept = model.coef_, model.intercept_
    x = X
    if scale:
        scaler = StandardScaler().fit(X)
        x, coef, intercept = scaler.transform(X), coef * scaler.scale_, intercept + coef @ scaler.mean_
    theirs = TheirLogistic(tol=1e-10, max_iter=100_000).fit(x, y)
    least = objective(x, y, theirs.coef_, theirs.intercept_)
    assert model.converged_
    assert objective(x, y, coef, intercept) <= least * (1 + 1e-5)
    assert -model.trace_[-1, 0] == pytest.approx(objective(x, y, coef, intercept), rel=1e-9)


PENALISED = {  # ours, theirs for 60 rows, relative tolerance
    "ridge": ({"l2": 3.0}, Ridge(3.0), 1e-9),
    "lasso": ({"l1": 3.0}, Lasso(3.0 / 60, tol=1e-12, max_iter=10**6), 1e-6),
    "elastic net": (
        {"l1": 3.0, "l2": 6.0},
        ElasticNet(9.0 / 60, l1_ratio=1 / 3, tol=1e-12, max_iter=10**6),
        1e-6,
    ),
}


@pytest.mark.parametrize("name", PENALISED)
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_penalised_least_squares(name, spread):
    options, theirs, tolerance = PENALISED[name]
    X, y = wide(spread=spread)
    model = LinearRegression(**options, scale=False).fit(X, y)
    theirs.fit(X, y)
    assert model.coef_ == pytest.approx(theirs.coef_, rel=tolerance, abs=tolerance)
    assert model.intercept_ == pytest.approx(theirs.intercept_, rel=tolerance, abs=tolerance)
    assert model.r2_ == pytest.approx(theirs.score(X, y), rel=1e-7)


def test_least_squares_keeps_the_first_columns_that_explain_the_target():
    X, y = wide()
    X[:, 7] = 2 * X[:, 3] - X[:, 5] + 1
    X[:, 9] = 4.0
    with pytest.warns(UserWarning, match=r"x7 = 1 \+ 2 × x3 \+ -1 × x5: collinear"):
        model = LinearRegression().fit(X, y)
    used = [j for j in range(61) if j not in {7, 9}]  # 59 and the intercept explain 60 rows
    by_hand = np.linalg.solve(np.column_stack([np.ones(60), X[:, used]]), y)
    assert model.coef_[used] == pytest.approx(by_hand[1:], rel=1e-6)
    assert model.intercept_ == pytest.approx(by_hand[0], rel=1e-6)
    assert len(model.collinear_) == 200 - 59
    assert model.notes_[1].startswith("x9 is always 4")
    assert model.sigma2_ is None


def with_gaps(X, seed=1):
    return np.where(np.random.default_rng(seed).random(X.shape) < 0.1, np.nan, X)


@pytest.mark.parametrize("options", [{"l2": 1.0}, {"l1": 2.0}])
def test_rows_that_come_and_go_and_gaps_count_as_in_a_tall_table(options, monkeypatch, tmp_path):
    X, y = wide(n=90)
    X, w = with_gaps(X), np.arange(90) % 3 + 1.0
    wide_model = LinearRegression(**options).fit(X, y, w)
    assert wide_model.statistics_.gram.wide
    in_parts = LinearRegression(**options).fit(X[:40], y[:40], w[:40])
    in_parts.partial_fit(X[40:], y[40:], sample_weight=w[40:])
    forgot = LinearRegression(**options).fit(
        np.vstack([X, X[:5] + 1]), np.append(y, y[:5]), np.append(w, w[:5])
    )
    forgot.forget(X[:5] + 1, y[:5], w[:5])
    opened = open_model(save(wide_model, tmp_path / "wide.openbook"))
    monkeypatch.setattr("openbook.linear.gram.FEW", 10**6)
    tall_model = LinearRegression(**options).fit(X, y, w)
    assert not tall_model.statistics_.gram.wide
    for model in (wide_model, in_parts, forgot, opened):
        assert model.predict(X) == pytest.approx(tall_model.predict(X), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("n_components", [5, 0.8, None])
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_principal_components(n_components, spread):
    X, _ = wide(spread=spread)
    model = PCA(n_components, scale=False, variance="sample").fit(X)
    theirs = sklearn.decomposition.PCA(
        n_components if n_components is not None else 59, svd_solver="full"
    ).fit(X)
    assert model.n_components_ == theirs.n_components_
    assert model.explained_variance_ == pytest.approx(theirs.explained_variance_, rel=1e-9)
    assert model.explained_variance_ratio_ == pytest.approx(theirs.explained_variance_ratio_, rel=1e-9)
    sides = np.sign((model.components_ * theirs.components_).sum(axis=1))
    assert model.components_ == pytest.approx(theirs.components_ * sides[:, None], abs=1e-8)
    assert model.transform(X) == pytest.approx(theirs.transform(X) * sides, abs=1e-7)
    assert model.covariance_ == pytest.approx(np.cov(X.T), rel=1e-9, abs=1e-9)


def test_more_components_than_rows_are_at_right_angles():
    X, _ = wide()
    model = PCA(80).fit(X)
    assert model.components_ @ model.components_.T == pytest.approx(np.eye(80), abs=1e-9)
    assert model.explained_variance_[59:] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.filterwarnings("ignore:.*DiscriminantAnalysis|LinearDiscriminantProjection")
@pytest.mark.parametrize(
    "make", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, LinearDiscriminantProjection]
)
def test_discriminants_are_those_of_the_tall_form(make, monkeypatch, tmp_path):
    X, numbers = wide(n=90)
    X, y = with_gaps(X), np.digitize(numbers, np.quantile(numbers, [0.4, 0.8]))
    wide_model = make(shrinkage=0.2).fit(X, y)
    assert wide_model.statistics_.grams[0].wide
    in_parts = make(shrinkage=0.2).partial_fit(X[:50], y[:50], classes=[0, 1, 2]).partial_fit(X[50:], y[50:])
    opened = open_model(save(wide_model, tmp_path / "wide.openbook"))
    monkeypatch.setattr("openbook.linear.gram.FEW", 10**6)
    tall_model = make(shrinkage=0.2).fit(X, y)
    assert not tall_model.statistics_.grams[0].wide
    for model in (wide_model, in_parts, opened):
        assert model.used_.tolist() == tall_model.used_.tolist()
        assert model.means_ == pytest.approx(tall_model.means_, rel=1e-8, abs=1e-8)
        assert model.predict_proba(X) == pytest.approx(tall_model.predict_proba(X), abs=1e-4)
