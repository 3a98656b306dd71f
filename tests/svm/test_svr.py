"""Numbers in a tube: by hand, against LIBSVM, scaling, the work, the file."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning

from openbook import load, open_model, save
from openbook.errors import ModelFileError, ParameterError
from openbook.svm import SVR, LinearSVR, smo


def curve(rows, columns, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, 2 * X[:, 0] + np.sin(3 * X[:, -1]) + 0.3 * rng.normal(size=rows)


def test_a_line_by_hand():
    """0, 1, 2, 3 in a tube of half-width 1/2: the flattest line rises by 2 over 3 from 1/2."""
    model = SVR(C=100, epsilon=0.5, kernel="linear", scale=False).fit([[0], [1], [2], [3]], [0, 1, 2, 3])
    assert model.coef_ == pytest.approx(np.array([[2 / 3]]), rel=1e-12)
    assert model.intercept_ == pytest.approx([0.5], rel=1e-12)
    assert model.dual_coef_ == pytest.approx(np.array([[-2 / 9, 2 / 9]]), rel=1e-12)
    assert model.support_.tolist() == [0, 3]
    assert model.slacks_.max() == 0.0


def test_a_target_inside_the_tube_needs_no_support():
    model = SVR(epsilon=5, scale=False).fit([[0], [1], [2]], [1, 2, 3])
    assert len(model.support_) == 0
    assert model.predict([[0], [9]]).tolist() == [2.0, 2.0]
    assert model.work([1]).conclusion == "target = 2."


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "linear"},
        {"kernel": "rbf", "C": 10.0, "epsilon": 0.2},
        {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.2},
        {"kernel": "rbf", "epsilon": 0.0},
    ],
)
@pytest.mark.parametrize("rows", [90, 300])
def test_predictions_are_those_of_libsvm(options, rows):
    X, y = curve(rows, 3)
    weights = np.random.default_rng(1).uniform(0.5, 2, rows)
    options = {"gamma": 0.3, **options}
    penalty = {"C": options.get("C", 1.0) * weights.mean()}  # ours scales the weights to the mean 1
    ours = SVR(**{**options, **penalty}, scale=False).fit(X, y, weights)
    theirs = sklearn.svm.SVR(**options, tol=1e-7).fit(X, y, weights)
    assert ours.predict(X) == pytest.approx(theirs.predict(X), abs=1e-4)


def test_many_rows_too(monkeypatch):
    monkeypatch.setattr(smo, "WORKING", 64)
    X, y = curve(800, 3)
    ours = SVR(scale=False).fit(X, y)
    assert ours.n_iter_[0] > 5
    assert ours.predict(X) == pytest.approx(sklearn.svm.SVR().fit(X, y).predict(X), abs=5e-3)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_scaling_is_that_of_a_pipeline(kernel):
    X, y = curve(120, 3, seed=2)
    X, y = X * [1, 50, 0.1] + 7, 300 + 40 * y
    Z, t = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    plain = SVR(kernel=kernel, scale=False).fit(Z, t)
    scaled = SVR(kernel=kernel).fit(X, y)
    assert scaled.predict(X) == pytest.approx(y.mean() + y.std() * plain.predict(Z), rel=1e-9)
    if kernel == "linear":
        assert scaled.predict(X) == pytest.approx(X @ scaled.coef_[0] + scaled.intercept_[0], rel=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_the_work_is_the_twin(kernel):
    table = load("diabetes").head(60)
    X, y = table.split("progression")
    model = SVR(kernel=kernel).fit(X, y)
    for i in (0, 11):
        row = X.take([i])
        assert model.work(row)["progression"].result == pytest.approx(model.predict(row)[0], rel=1e-9)
    assert model.work()["b"].result == pytest.approx(model.bias_[0])
    assert model.work()["sum"].result == 0.0


def test_a_constant_target():
    model = SVR().fit([[1], [2], [3]], [4, 4, 4])
    assert model.predict([[2], [9]]).tolist() == [4.0, 4.0]


def test_the_cap_is_said(monkeypatch):
    monkeypatch.setattr(smo, "WORKING", 16)
    X, y = curve(200, 3)
    with pytest.warns(
        ConvergenceWarning, match="SVR: the search reached max_iter=1; this is the best model so"
    ):
        model = SVR(max_iter=1).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": np.inf}, "SVR: C must be a number above 0, got inf."),
        ({"epsilon": -1}, "SVR: epsilon must be a number of at least 0, got -1."),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ParameterError, match=message):
        SVR(**options).fit([[1], [2]], [1, 2])


@pytest.mark.parametrize("change", [lambda a: a[:1], lambda a: a * np.nan, lambda a: -np.abs(a)])
def test_a_hostile_file_is_refused(tmp_path, change, damaged):
    X, y = curve(30, 2)
    path = save(SVR().fit(X, y), tmp_path / "tube.openbook")
    assert open_model(path).predict(X).shape == (30,)
    with pytest.raises(ModelFileError, match=r"'target' (is|must be a centre and a spread above zero)"):
        open_model(damaged(path, "target", change))


def test_linear_svr_is_no_worse_than_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    X, y = X * 20, (y - y.mean()) / 50
    ours = LinearSVR(epsilon=0.1, scale=False, loss="epsilon_insensitive", random_state=0).fit(X, y)
    theirs = sklearn.svm.LinearSVR(epsilon=0.1, tol=1e-4, max_iter=100_000, random_state=0).fit(X, y)
    beyond = np.maximum(0, np.abs(y - theirs.predict(X)) - 0.1)
    objective = 0.5 * theirs.coef_ @ theirs.coef_ + beyond.sum()
    assert ours.objective_[0] <= objective * (1 + 1e-6)
    assert ours.objective_[0] == pytest.approx(objective, rel=1e-3)
    kernel = sklearn.svm.SVR(kernel="linear", epsilon=0.1, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), kernel.predict(X), atol=1e-3)
    with pytest.raises(TypeError, match="takes no 'loss': errors beyond epsilon count by their size"):
        LinearSVR(loss="squared_epsilon_insensitive")
