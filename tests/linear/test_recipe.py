"""The recipe of optimisation in derivations: derivatives, zero, second derivatives; penalised intercepts."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import openbook
from openbook.errors import ParameterError
from openbook.linear import LinearRegression, LogisticRegression, Polynomial

X = np.array([[1.0, 2], [2, 1], [3, 5], [4, 3], [6, 1]])
y = np.array([3.0, 1, 6, 5, 8])


def by_ones(X, y, l2):
    """(A'A + l2 I)⁻¹ A'y with a column of ones: the intercept is penalised like the others."""
    A = np.column_stack([np.ones(len(X)), X])
    return np.linalg.solve(A.T @ A + l2 * np.eye(A.shape[1]), A.T @ y)


class TestPenalisedIntercept:
    def test_by_hand(self):
        # x = 0, 1 and y = 2, 4 with l2 = 1: (3 1; 1 2) (b, β) = (6, 4), so b = 8/5, β = 6/5
        model = LinearRegression(l2=1, scale=False, penalise_intercept=True).fit([[0.0], [1.0]], [2.0, 4.0])
        assert (model.intercept_, model.coef_.tolist()) == (pytest.approx(1.6), pytest.approx([1.2]))
        # TSS 2, errors 0.4 and 1.2
        assert model.r2_ == pytest.approx(1 - (0.16 + 1.44) / 2)
        work = model.work()
        assert work["intercept b"].result == pytest.approx(1.6)
        assert work["slope"].result == pytest.approx(1.2)
        assert work["RSS"].result == pytest.approx(1.6)

    @pytest.mark.parametrize(
        "rows", [X, np.random.default_rng(0).normal(size=(5, 200))], ids=["long", "wide"]
    )
    def test_as_a_column_of_ones(self, rows):
        model = LinearRegression(l2=2.0, scale=False, penalise_intercept=True).fit(rows, y)
        theirs = by_ones(rows, y, 2.0)
        assert model.intercept_ == pytest.approx(theirs[0])
        assert model.coef_ == pytest.approx(theirs[1:])

    def test_without_it_is_scikit_learns(self):
        model, theirs = LinearRegression(l2=2.0, scale=False).fit(X, y), Ridge(2.0).fit(X, y)
        assert model.intercept_ == pytest.approx(theirs.intercept_)

    def test_a_basis_and_several_targets(self, tmp_path):
        model = LinearRegression(l2=0.5, basis=Polynomial(2), penalise_intercept=True)
        model.fit(X[:, :1], np.column_stack([y, 2 * y]))
        assert model.intercept_[1] == pytest.approx(2 * model.intercept_[0])
        openbook.save(model, tmp_path / "m.openbook")
        again = openbook.open_model(tmp_path / "m.openbook")
        assert again.predict(X[:, :1]) == pytest.approx(model.predict(X[:, :1]))

    def test_huber_has_none(self):
        with pytest.raises(ParameterError, match="penalise_intercept needs loss='squared'"):
            LinearRegression(l2=1, loss="huber", penalise_intercept=True).fit(X, y)


def slope(objective, theta, j, h=1e-6):
    step = np.eye(len(theta))[j] * h
    return (objective(theta + step) - objective(theta - step)) / (2 * h)


@pytest.mark.parametrize("l2", [0.0, 3.0])
def test_the_derivatives_are_zero_at_the_solution(l2):
    """As the recipe says: -Σ (y - ŷ) by b, -Σ x (y - ŷ) + l2 β by β."""
    model = LinearRegression(l2=l2, scale=False).fit(X, y)
    error = y - model.predict(X)
    assert -error.sum() == pytest.approx(0, abs=1e-9)
    assert -X.T @ error + l2 * model.coef_ == pytest.approx(np.zeros(2), abs=1e-9)
    recipe = next(part for part in model.work().parts if getattr(part, "title", "") == "the recipe")
    labels = [step.label for step in recipe.parts]
    assert labels == [
        "derivative by b",
        "derivative by β_j",
        "set to zero",
        "set to zero",
        "second derivative",
    ]


def test_without_an_intercept_there_is_no_derivative_by_it():
    recipe = LinearRegression(fit_intercept=False).fit(X, y).work()["derivative"]
    assert recipe.label == "derivative by β_j"


class TestLogistic:
    X, y = X[:, :1], np.array([0, 0, 1, 0, 1])

    def test_the_chain_rule_gives_the_gradient(self):
        """(p - y) x, against the loss itself."""
        model = LogisticRegression(C=2.0, scale=False).fit(self.X, self.y)
        theta = np.array([model.intercept_[0], model.coef_[0, 0]])

        def objective(theta):
            z = theta[0] + self.X[:, 0] * theta[1]
            return np.sum(np.log1p(np.exp(z)) - self.y * z) + 0.25 * theta[1] ** 2

        p = model.predict_proba(self.X)[:, 1]
        by_chain = [np.sum(p - self.y), np.sum((p - self.y) * self.X[:, 0]) + 0.5 * theta[1]]
        assert by_chain == pytest.approx([slope(objective, theta, j) for j in range(2)], abs=1e-4)
        assert by_chain == pytest.approx([0, 0], abs=1e-3)
        text = str(model.work())
        assert "∂ℓ/∂w_j           = (p - y)/(p(1 - p)) · p(1 - p) · xⱼ = (p - y) xⱼ" in text
        assert "+ 0.5wⱼ = 0" in text

    def test_several_classes(self):
        text = str(LogisticRegression().fit(self.X, [0, 0, 1, 1, 2]).work())
        assert "∂ℓ/∂w_cj" in text

    def test_steps_that_lead_away_are_too_long(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            LogisticRegression(solver="gradient_descent", learning_rate_init=5.0, scale=False).fit(
                self.X, self.y
            )
        assert "take smaller steps: learning_rate_init=0.5" in str(caught[-1].message)
        assert "max_iter" not in str(caught[-1].message)
