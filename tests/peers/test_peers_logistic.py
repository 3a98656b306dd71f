"""Logistic regression beside scikit-learn's: the same objective, so the same coefficients.

Ours penalises columns in standard units unless told otherwise; theirs then gets such columns.
"""

import math
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.preprocessing import StandardScaler

from openbook.linear import LogisticRegression

SETS = {"cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine, "digits": load_digits}

PAIRS = {  # ours, theirs, the largest difference of a probability
    "ridge": ({"C": 1.0}, {"C": 1.0, "solver": "lbfgs"}, 1e-6),
    "strong ridge": ({"C": 0.02}, {"C": 0.02, "solver": "lbfgs"}, 1e-6),
    "ridge by L-BFGS": ({"C": 1.0, "solver": "lbfgs"}, {"C": 1.0, "solver": "lbfgs"}, 1e-6),
    "balanced": ({"class_weight": "balanced"}, {"C": 1.0, "class_weight": "balanced"}, 1e-6),
    "lasso": ({"C": 0.2, "l1_ratio": 1.0}, {"C": 0.2, "l1_ratio": 1.0, "solver": "saga"}, 1e-4),
    "elastic net": ({"C": 0.1, "l1_ratio": 0.5}, {"C": 0.1, "l1_ratio": 0.5, "solver": "saga"}, 1e-4),
}


def both(name, ours, theirs):
    X, y = SETS[name](return_X_y=True)
    X = X[:, X.std(axis=0) > 0]
    Z = StandardScaler().fit_transform(X)
    own = LogisticRegression(tol=1e-9, max_iter=1000, **ours).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on its way to a tolerance this small, it may say so
        other = Theirs(tol=1e-9, max_iter=20_000, random_state=0, **theirs).fit(Z, y)
    return own, other, X, Z


@pytest.mark.parametrize("name", ["cancer", "iris", "wine"])
@pytest.mark.parametrize("pair", PAIRS)
def test_the_same_objective_gives_the_same_model(name, pair):
    ours, theirs, tolerance = PAIRS[pair]
    if theirs.get("solver") == "saga" and name == "cancer":
        pytest.skip("saga takes tens of thousands of epochs there")
    own, other, X, Z = both(name, ours, theirs)
    np.testing.assert_allclose(own.predict_proba(X), other.predict_proba(Z), atol=tolerance)
    np.testing.assert_allclose(own.coef_ * X.std(axis=0), other.coef_, atol=100 * tolerance)


def test_many_columns_and_classes():
    own, other, X, Z = both("digits", {"C": 0.1}, {"C": 0.1, "solver": "lbfgs"})
    assert own.solver_ == "lbfgs"
    np.testing.assert_allclose(own.predict_proba(X), other.predict_proba(Z), atol=1e-5)


def test_columns_in_their_own_units():
    X, y = load_wine(return_X_y=True)
    X = X[:, :5]
    own = LogisticRegression(C=1.0, scale=False, tol=1e-10).fit(X, y)
    other = Theirs(C=1.0, solver="newton-cg", tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(own.coef_, other.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(own.intercept_ - own.intercept_.mean(), other.intercept_, rtol=1e-4, atol=1e-4)


def test_no_penalty_at_all():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4)) * [1.0, 10.0, 100.0, 0.1]
    y = (X / [1.0, 10.0, 100.0, 0.1] @ [1.0, -1.0, 0.5, 0.0] + rng.logistic(size=500) > 0).astype(int)
    own = LogisticRegression(C=math.inf, tol=1e-10).fit(X, y)
    other = Theirs(C=np.inf, solver="newton-cholesky", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(own.coef_, other.coef_, rtol=1e-6)
    np.testing.assert_allclose(own.intercept_, other.intercept_, rtol=1e-6)
