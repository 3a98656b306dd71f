"""Logistic regression: what cannot be is said, what did not end well is kept, and files are checked."""

import math

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from openbook import open_model, save
from openbook.errors import DataError, ModelFileError, ParameterError
from openbook.linear import LogisticRegression


def logits(rows):
    """Rows of two classes that overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 2))
    return X, (X @ [1.0, -1.0] + rng.logistic(size=rows) > 0).astype(int)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"l1_ratio": 1.0, "solver": "lbfgs"}, r"L1 penalty needs solver='auto' or 'newton', got 'lbfgs'\."),
        (
            {"class_weight": "even"},
            "class_weight must be None, 'balanced', or a mapping of class to weight, g",
        ),
        ({"class_weight": {"yes": 2.0}}, r"class_weight: no class 'yes'\. There are: 0, 1\."),
        ({"class_weight": {1: -1}}, "class_weight: that of '1' must be a number above 0, got -1"),
        ({"coef_init": [1.0]}, r"coef_init must be finite numbers of shape \(2,\), for x0, x1; got \[1"),
        ({"coef_init": "zero"}, r"coef_init must be finite numbers of shape \(2,\).* got 'zero'"),
        ({"coef_init": [np.nan, 0.0]}, "coef_init must be finite numbers"),
        ({"intercept_init": [1.0, 2.0]}, r"intercept_init must be a finite number, got \[1"),
        (
            {"intercept_init": 1.0, "fit_intercept": False},
            "with fit_intercept=False, intercept_init must be 0",
        ),
        ({"C": 0}, r"C must be a number above 0, or math.inf, got 0"),
    ],
)
def test_what_cannot_be_is_said(parameters, message):
    X, y = logits(50)
    with pytest.raises(ParameterError, match=message):
        LogisticRegression(**parameters).fit(X, y)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="needs two classes, but all rows are of one class, 'a'"):
        LogisticRegression().fit([[1.0], [2.0]], ["a", "a"])


def test_a_step_beyond_all_numbers():
    X, y = logits(50)
    with pytest.raises(ParameterError, match="gradient_descent diverged; take smaller steps: "):
        LogisticRegression(solver="gradient_descent", learning_rate_init=1e308, scale=False).fit(X * 1e10, y)


def test_too_few_steps_are_said_and_kept():
    X, y = logits(50)
    message = (
        r"newton did not converge in 1 steps: the largest gradient is still 0\.\d+; raise max_iter, or tol f"
    )
    with pytest.warns(ConvergenceWarning, match=message):
        model = LogisticRegression(C=math.inf, max_iter=1).fit(X, y)
    assert not model.converged_
    assert "did not converge" in model.work().conclusion
    assert np.isnan(model.covariance_).all()  # errors are those of a maximum, and this is none


def test_a_long_trace_is_shortened():
    X, y = logits(200)
    model = LogisticRegression(solver="gradient_descent", max_iter=3000).fit(X, y)
    trace, *_ = [part for part in model.work().parts[2].parts if hasattr(part, "rows")]
    assert len(trace.rows) == 20
    assert trace.rows[-1][0] == model.n_iter_
    assert trace.note == f"Steps 19 to {model.n_iter_ - 1} are left out."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coef": np.zeros((1, 3))}, "array 'coef' is not valid: float64"),
        ({"coef": np.full((1, 2), np.nan)}, "array 'coef' is not valid: float64"),
        ({"coef": np.zeros((1, 2), dtype=int)}, "array 'coef' is not valid: int64"),
        ({"intercept": np.zeros(2)}, "array 'intercept'"),
        ({"trace": np.zeros((0, 3))}, "array 'trace'"),
        ({"trace": np.zeros((4, 2))}, "array 'trace'"),
        ({"likelihoods": np.zeros(1)}, "array 'likelihoods'"),
        ({"covariance": np.zeros((2, 2))}, "array 'covariance'"),
        ({"encoding.scale": np.zeros(2)}, "scales must be above zero"),
        ({"classes_": np.array([0])}, "fewer than two classes"),
        ({"classes_": np.array([0, 1, 2])}, "array 'coef'"),
    ],
)
def test_a_hostile_file_is_refused(tmp_path, monkeypatch, change, message):
    X, y = logits(50)
    model = LogisticRegression(C=math.inf).fit(X, y)
    saved = model._saved()
    monkeypatch.setattr(model, "_saved", lambda: saved._replace(arrays={**saved.arrays, **change}))
    path = save(model, tmp_path / "model.openbook")
    with pytest.raises(ModelFileError, match=message):
        open_model(path)


def test_an_opened_model_knows_its_errors(tmp_path):
    X, y = logits(50)
    model = LogisticRegression(C=math.inf).fit(X, y)
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert (opened.covariance_ == model.covariance_).all()
    assert opened.coefficients().column("p").tolist() == model.coefficients().column("p").tolist()
    assert (opened.solver_, opened.converged_, opened.n_iter_) == ("newton", True, model.n_iter_)
