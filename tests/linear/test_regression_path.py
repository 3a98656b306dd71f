"""The path of the lasso and the elastic net, from no column to least squares."""

import numpy as np
import pytest

from openbook.errors import ParameterError
from openbook.linear import LinearRegression

RNG = np.random.default_rng(3)


# paths


def test_the_path_begins_with_no_column_and_ends_near_least_squares(mixed):
    X, y = mixed(100, gaps=False)
    path = LinearRegression().fit(X, y).path(n=30, least=1e-6)
    assert path.coef.shape == (30, len(path.names))
    assert not path.coef[0].any()
    assert path.coef[1].any()
    assert path.intercept[0] == pytest.approx(y.mean())
    assert (np.diff(path.r2) >= -1e-12).all()
    assert path.r2[-1] == pytest.approx(LinearRegression().fit(X, y).r2_, abs=1e-6)
    middle = LinearRegression(l1=path.l1[15], l2=path.l2[15]).fit(X, y)
    assert middle.names_ == path.names
    assert middle.coef_ == pytest.approx(path.coef[15], abs=1e-8)


def test_the_path_of_the_elastic_net():
    X, Y = RNG.normal(size=(50, 4)), RNG.normal(size=(50, 2))
    path = LinearRegression().fit(X, Y).path(n=10, ratio=0.5)
    assert path.coef.shape == (10, 2, 4)
    assert path.l1 == pytest.approx(path.l2)
    again = LinearRegression(l1=path.l1[7], l2=path.l2[7]).fit(X, Y)
    assert again.coef_ == pytest.approx(path.coef[7], abs=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ratio": 0}, "ratio must be a number above 0 and at most 1, got 0"),
        ({"n": 1}, "n must be at least 2"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        LinearRegression().fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0]).path(**options)


@pytest.mark.parametrize(("l1", "l2"), [(0.3, 0.0), (3.0, 0.0), (60.0, 0.0), (2.0, 5.0), (1e6, 0.0)])
def test_the_lasso_of_a_wide_table_meets_its_conditions(l1, l2):
    """At the least value the gradient is -l1 sign β where β is not 0, and no steeper than l1 elsewhere."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 150))
    X[:, 100] = X[:, 0]  # columns that are equal, of which any share will do
    y = X[:, :8] @ rng.normal(size=8) + 0.3 * rng.normal(size=60)
    model = LinearRegression(l1=l1, l2=l2, scale=False).fit(X, y)
    beta = model.coef_
    gradient = (X - X.mean(axis=0)).T @ (X @ beta + model.intercept_ - y) + l2 * beta
    some = beta != 0
    scale = np.abs((X - X.mean(axis=0)).T @ y).max()
    np.testing.assert_allclose(gradient[some], -l1 * np.sign(beta[some]), atol=1e-10 * scale)
    assert np.abs(gradient).max() <= l1 + 1e-10 * scale
    assert some.any() == (l1 < scale)
    assert not model.notes_
