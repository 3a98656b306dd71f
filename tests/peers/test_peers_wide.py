"""Wide tables, more columns than rows: ours against scikit-learn's, the tolerance beside each pair."""

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.preprocessing import StandardScaler

from openbook.linear import LogisticRegression


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
