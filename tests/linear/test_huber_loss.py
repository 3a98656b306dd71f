"""The Huber loss: outliers count little, the fit is where the loss is least."""

import numpy as np
import pytest

from openbook.errors import DataError, ParameterError
from openbook.linear import LinearRegression

RNG = np.random.default_rng(3)


# the Huber loss


def test_the_huber_loss_shrugs_at_outliers():
    X = RNG.normal(size=(100, 2))
    y = X @ [2.0, -1.0] + 5 + 0.1 * RNG.normal(size=100)
    y[:5] += 1000
    plain, robust = LinearRegression().fit(X, y), LinearRegression(loss="huber").fit(X, y)
    assert np.abs(plain.coef_ - [2, -1]).max() > 1
    assert robust.coef_ == pytest.approx([2, -1], abs=0.05)
    assert robust.intercept_ == pytest.approx(5, abs=0.05)
    assert robust.sigma2_ is None
    assert robust.work()["σ"].result == robust.scale_


def test_the_huber_loss_is_least_where_it_stops():
    X = RNG.normal(size=(80, 2))
    y = X @ [2.0, -1.0] + RNG.standard_t(1.5, 80)
    model = LinearRegression(loss="huber", epsilon=1.2).fit(X, y)

    def loss(coef, intercept, scale):
        u = np.abs(y - X @ coef - intercept) / scale
        return (scale + scale * np.where(u <= 1.2, u**2, 2.4 * u - 1.44)).sum()

    here = np.array([*model.coef_, model.intercept_, model.scale_])
    least = loss(here[:2], here[2], here[3])
    for k in range(4):
        for step in (-1e-3, 1e-3):
            there = here + step * np.eye(4)[k]
            assert loss(there[:2], there[2], there[3]) > least


def test_the_huber_loss_of_rows_on_a_plane_is_that_plane():
    X = RNG.normal(size=(20, 2))
    model = LinearRegression(loss="huber").fit(X, X @ [1.0, 2.0] + 3)
    assert model.coef_ == pytest.approx([1, 2])
    assert model.scale_ == pytest.approx(0, abs=1e-6)


def test_the_huber_loss_needs_all_rows_and_one_target():
    X, y = RNG.normal(size=(20, 2)), RNG.normal(size=20)
    model = LinearRegression(loss="huber").fit(X, y)
    for act in (model.partial_fit, model.forget):
        with pytest.raises(ParameterError, match="the Huber loss needs all rows at once"):
            act(X, y)
    with pytest.raises(DataError, match="the Huber loss supports one target, got 2; fit a model for each"):
        model.fit(X, np.column_stack([y, y]))
