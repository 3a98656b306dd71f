"""Least squares and ridge, redone by hand."""

import numpy as np
import pytest

from openbook.linear import LinearRegression, Polynomial
from openbook.linear.derive_least_squares import by_elimination


@pytest.mark.filterwarnings("ignore:LinearRegression. there are no more rows than coefficients")
def test_polynomials_of_rising_order(golden):
    record = golden("polynomial_mse.own_six_points")
    data = record["data"]
    x, new = (np.array(data[name], dtype=float)[:, None] for name in ("x", "x_new"))
    errors = []
    for expected in record["expected"]["fits"]:
        model = LinearRegression(basis=Polynomial(expected["order"])).fit(x, data["y"])
        low_first = [model.intercept_, *model.coef_]
        assert low_first == pytest.approx(expected["coefficients_low_first"], rel=1e-9)
        fitted, predicted = (
            np.mean((model.predict(X) - y) ** 2) for X, y in ((x, data["y"]), (new, data["y_new"]))
        )
        assert fitted == pytest.approx(expected["mse_original"], rel=1e-9, abs=1e-20)
        assert predicted == pytest.approx(expected["mse_new"], rel=1e-9)
        assert model.work()["RSS"].result / 6 == pytest.approx(expected["mse_original"], rel=1e-8, abs=1e-12)
        errors.append(predicted)
    assert data["orders"][int(np.argmin(errors))] == record["expected"]["best_on_new"]


def test_the_stated_errors_and_what_they_say(golden):
    record = golden("polynomial_mse.stated_table")
    original, new = (np.array([m[k] for m in record["data"]["models"]]) for k in ("mse_original", "mse_new"))
    assert int(original.argmin()) == record["expected"]["best_on_original"]
    assert int(new.argmin()) == record["expected"]["best_on_new"]
    assert new - original == pytest.approx(record["expected"]["gap"])
    splits = golden("polynomial_mse.two_splits")
    assert np.mean(splits["data"]["test_mse"]) == pytest.approx(splits["expected"]["mean_test_mse"])


def test_ridge_with_the_bias_free(golden):
    record = golden("linear_regression.own_ridge")
    X, y = (np.array(record["data"][name], dtype=float) for name in ("X", "y"))
    for penalty, expected in record["expected"].items():
        model = LinearRegression(l2=float(penalty), scale=False).fit(X, y)
        assert [model.intercept_, *model.coef_] == pytest.approx(expected["w_bias_free"], rel=1e-9)


def test_ridge_with_the_bias_penalised(golden):
    """The other convention is the normal equations of the columns and a column of ones, by elimination."""
    record = golden("linear_regression.own_ridge")
    X, y = (np.array(record["data"][name], dtype=float) for name in ("X", "y"))
    ones = np.column_stack([np.ones(len(y)), X])
    for penalty, expected in record["expected"].items():
        weights = by_elimination(ones.T @ ones + float(penalty) * np.eye(3), ones.T @ y)
        assert weights == pytest.approx(expected["w_all_penalised"], rel=1e-9)


def test_ridge_without_a_penalty_fits_as_stated(golden):
    record = golden("linear_regression.own_ridge")
    X, y = (np.array(record["data"][name], dtype=float) for name in ("X", "y"))
    model, expected = LinearRegression().fit(X, y), record["expected"]["0"]
    assert model.predict(X) == pytest.approx(expected["predictions"])
    assert model.r2_ == pytest.approx(expected["r_squared"])
    assert model.sigma2_ * model.dof_ / 2 == pytest.approx(expected["sse_half"])
    for row, prediction in zip(X, expected["predictions"], strict=True):
        assert model.work(row)["ŷ"].result == pytest.approx(prediction)
