"""Kernel ridge: by hand, beside scikit-learn's and ridge regression, gaps, weights, files."""

import math

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge as Theirs

from openbook import load, open_model, save
from openbook.errors import DataError
from openbook.linear import LinearRegression
from openbook.svm import KernelRidge, kernel_ridge

X, Y = load("diabetes").split("progression")
CELLS, NUMBERS = np.asarray(X)[:120], np.asarray(Y)[:120]


def test_by_hand():
    """Rows 1 and 2, targets 1 and 2: (K + I) a = y with K = [[1, 2], [2, 4]] gives a = [1/6, 1/3]."""
    model = KernelRidge(alpha=1, scale=False).fit([[1.0], [2.0]], [1.0, 2.0])
    assert model.dual_coef_ == pytest.approx([1 / 6, 1 / 3])
    assert model.predict([[3.0]]) == pytest.approx([3 * (1 / 6 + 2 / 3)])
    work = model.work([3.0])
    assert [row[1:] for row in work["terms"].rows] == [
        pytest.approx([1 / 3, 6, 2]),
        pytest.approx([1 / 6, 3, 0.5]),
    ]
    assert work["f(x)"].result == pytest.approx(2.5)


@pytest.mark.parametrize(
    "how",
    [{}, {"kernel": "rbf", "gamma": 0.5}, {"kernel": "rbf"}, {"kernel": "poly", "degree": 2, "alpha": 0.1}],
    ids=str,
)
def test_as_scikit_learn(how):
    w = np.arange(120) % 3 + 1.0
    ours = KernelRidge(scale=False, **how).fit(CELLS, NUMBERS, sample_weight=w)
    theirs = Theirs(**how).fit(CELLS, NUMBERS, sample_weight=w)
    assert ours.predict(CELLS) == pytest.approx(theirs.predict(CELLS), rel=1e-7)
    assert ours.dual_coef_ == pytest.approx(theirs.dual_coef_, rel=1e-6)


def test_a_linear_kernel_is_ridge_regression():
    """In standard units, with a centred target: the intercept of ridge regression is the mean."""
    ours = KernelRidge(alpha=3.0).fit(CELLS, NUMBERS)
    ridge = LinearRegression(l2=3.0).fit(CELLS, NUMBERS)
    assert ours.predict(CELLS) == pytest.approx(ridge.predict(CELLS), rel=1e-8)


def test_the_work_is_the_prediction_and_the_file_the_model(tmp_path):
    rows = [{"x": float(i), "c": "ab"[i % 2]} for i in range(30)]
    rows[3]["x"] = rows[4]["c"] = None
    y = [math.sin(i / 4) + i % 2 for i in range(30)]
    model = KernelRidge(0.1, "rbf", gamma=2.0).fit(rows, y)
    assert np.abs(model.predict(rows) - y).max() < 0.5
    for row in (rows[0], rows[3], {"x": 99.0, "c": "new"}):
        assert model.work(row)["f(x)"].result == pytest.approx(model.predict([row])[0], rel=1e-10)
    assert model.work()["γ"].result == 2
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert (opened.predict(rows) == model.predict(rows)).all()
    sound = model._arrays()
    for name, array in [
        ("dual_coef_", sound["dual_coef_"][:-1]),
        ("figures", np.array([0.0, -1.0])),
        ("X_fit_", np.full_like(sound["X_fit_"], np.nan)),
    ]:
        with pytest.raises(ValueError, match=r"array 'X_fit_' is|kernel cannot have the gamma -1"):
            model._restore({**sound, name: array})


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(kernel_ridge, "MOST_ROWS", 100)
    with pytest.raises(DataError, match="120 rows need a matrix of 120 by 120 numbers"):
        KernelRidge().fit(CELLS, NUMBERS)


def test_a_kernel_that_is_no_kernel_has_a_least_squares_solution():
    model = KernelRidge(1.0, lambda a, b: -(a @ b.T), scale=False).fit([[1.0], [2.0]], [1.0, 2.0])
    assert np.isfinite(model.predict([[1.0]])).all()
