"""The ridge penalty on columns with pooled values, against mixed-model equations solved by NumPy."""

import numpy as np
import pytest

import openbook as ob
from openbook.linear import LinearRegression

VALUES = 30


def sales():
    """Towns of 1 to 24 rows, each with an effect of its own."""
    rng = np.random.default_rng(0)
    town = np.concatenate([np.repeat(np.arange(6), 24), np.arange(6, VALUES)])
    x = rng.normal(size=len(town))
    y = 2 * x + rng.normal(0, 2, VALUES)[town] + rng.normal(0, 2, len(town))
    rows = zip(town.tolist(), x.tolist(), y.tolist(), strict=True)
    return ob.read([{"town": f"t{t:02d}", "x": a, "y": b} for t, a, b in rows])


def mixed_model(model, table, y):
    """Intercept, slope and the effect of every value, with n0 added to the squares of the effects."""
    town = model.schema_["town"]
    codes = np.array([town.encode(value) for value in table["town"].tolist()])
    effects = (codes[:, None] == np.arange(len(town.values))).astype(float)
    fixed = np.column_stack([np.ones(len(y)), table.data("x")])
    X = np.column_stack([fixed, effects])
    penalty = np.diag([0.0, 0.0] + [town.needed] * len(town.values))
    inverse = np.linalg.inv(X.T @ X + penalty)
    return X, X @ inverse @ X.T @ y, inverse


def test_least_squares_solves_the_mixed_model_equations(tmp_path):
    table = sales()
    y = table.data("y")
    model = LinearRegression().fit(table, "y")
    town = model.schema_["town"]
    assert 1 < len(town.values) < VALUES
    assert town.needed > 1
    _, expected, inverse = mixed_model(model, table, y)
    np.testing.assert_allclose(model.predict(table), expected, atol=1e-9)
    sigma2 = y @ (y - expected) / (len(y) - 2)  # REML, for the intercept and the slope
    assert model.sigma2_ == pytest.approx(sigma2)
    slope = next(row for row in model.coefficients() if row["term"] == "x")
    assert slope["standard_error"] == pytest.approx(np.sqrt(sigma2 * inverse[1, 1]))
    ob.save(model, tmp_path / "m.openbook")
    assert (ob.open_model(tmp_path / "m.openbook").predict(table) == model.predict(table)).all()


def test_the_work_derives_what_was_fitted():
    model = LinearRegression().fit(sales(), "y")
    work = model.work()
    assert work["random effects"].note.endswith(f"n0 = {model.schema_['town'].needed:.6g} for town")
    assert work["intercept b"].result == pytest.approx(model.intercept_)
    assert work["σ²"].result == pytest.approx(model.sigma2_)


def test_l2_is_the_penalty_where_it_is_asked_for():
    table = sales()
    ridge = LinearRegression(l2=1.0).fit(table, "y")
    assert "random effects" not in str(ridge.work())
