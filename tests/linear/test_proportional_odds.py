"""Proportional odds: beside statsmodels and logistic regression, by hand, gaps, order, scores, files."""

import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from openbook import evaluate, open_model, read, save
from openbook.data import Column, Ordinal
from openbook.errors import DataError
from openbook.judge.scores.metrics import METRICS, Predictions
from openbook.linear import LogisticRegression, ProportionalOdds
from openbook.linear.proportional_odds import _loss

RNG = np.random.default_rng(7)
CELLS = RNG.normal(size=(60, 2))
NOISE = np.log(1 / RNG.random(60) - 1)
CODES = np.digitize(CELLS @ [1.0, -0.5] + NOISE, [-1.0, 0.5, 2.0])

#: statsmodels 0.15's OrderedModel(distr="logit").fit(method="bfgs") of these rows: w, thresholds and llf.
COEF = [1.55934267, -0.92321918]
THRESHOLDS = [-1.28929438, 0.9158201, 2.25985421]
LOG_LIKELIHOOD = -64.93369624286727


def test_as_statsmodels():
    model = ProportionalOdds(C=math.inf).fit(CELLS, CODES)
    assert model.coef_ == pytest.approx(COEF, rel=1e-4)
    assert model.thresholds_ == pytest.approx(THRESHOLDS, rel=1e-4)
    assert model.log_likelihood_ == pytest.approx(LOG_LIKELIHOOD, rel=1e-7)


def test_two_classes_are_logistic_regression():
    y = (CODES > 1).astype(int)
    for C in (1.0, math.inf):
        ours, logistic = ProportionalOdds(C=C).fit(CELLS, y), LogisticRegression(C=C).fit(CELLS, y)
        assert ours.predict_proba(CELLS) == pytest.approx(logistic.predict_proba(CELLS), abs=1e-5)
        assert -ours.thresholds_ == pytest.approx(logistic.intercept_, abs=1e-4)


def test_the_gradient_is_that_of_the_loss():
    theta = np.array([0.3, -0.7, -0.5, 0.1, -1.0])
    w = RNG.random(60) + 0.5
    given = CELLS, CODES, w, 2.0, np.array([1.0, 0.25])
    gradient = _loss(theta, *given)[1]
    for j in range(len(theta)):
        step = np.zeros(len(theta))
        step[j] = 1e-6
        slope = (_loss(theta + step, *given)[0] - _loss(theta - step, *given)[0]) / 2e-6
        assert gradient[j] == pytest.approx(slope, abs=1e-8)


def test_a_constant_column_leaves_the_shares():
    """Of 2, 3 and 5 rows: ln(2/8) and ln(5/5)."""
    model = ProportionalOdds(C=math.inf).fit([[0.0]] * 10, list("aabbbccccc"))
    assert model.thresholds_ == pytest.approx([math.log(0.25), 0.0], abs=1e-5)
    assert model.predict_proba([[0.0]])[0] == pytest.approx([0.2, 0.3, 0.5], abs=1e-6)


def graded():
    """Grades with an order that is not the alphabet's, a nominal column, and gaps."""
    hours = np.arange(40.0)
    hours[5] = np.nan
    rows = read({"hours": hours.tolist(), "team": ["red", "blue"] * 20})
    codes = np.clip((np.arange(40) + 7 * (np.arange(40) % 2)) // 16, 0, 2)
    return rows, Column(Ordinal("grade", ("poor", "fair", "excellent")), codes)


def test_the_order_is_that_of_the_target(tmp_path):
    X, y = graded()
    model = ProportionalOdds().fit(X, y)
    assert model.classes_.tolist() == ["poor", "fair", "excellent"]
    assert model.coef_[0] > 0
    assert model.score(X, y) > 0.85
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()
    for i in (0, 5, 30):
        work = model.work(X.take([i]))
        proba = model.predict_proba(X.take([i]))[0]
        assert [work[f"P(grade = {c})"].result for c in model.classes_] == pytest.approx(proba, abs=1e-12)
    assert "poor < fair < excellent" in model.work().text()
    with pytest.raises(ValueError, match="its thresholds are not in order"):
        model._restore({**model._arrays(), "thresholds": np.array([1.0, 0.0])})


def test_ordinal_scores():
    """Off by 0, 1 and 2 ranks."""
    p = Predictions(np.array([0, 1, 2, 2]), np.array([0, 2, 0, 2]), None, 3)
    assert METRICS["rank_error"](p) == pytest.approx(3 / 4)
    theirs = cohen_kappa_score(p.truth, p.predicted, weights="quadratic")
    assert METRICS["quadratic_kappa"](p) == pytest.approx(theirs)
    X, y = graded()
    evaluation = evaluate(ProportionalOdds(), X, y, cv=5, metrics=["rank_error", "quadratic_kappa"])
    assert evaluation.score("rank_error") < 0.25
    assert evaluation.interval("quadratic_kappa").low > 0.5


def test_what_it_needs():
    with pytest.raises(DataError, match="needs two classes, but all rows are of one class, 'a'"):
        ProportionalOdds().fit([[1.0], [2.0]], ["a", "a"])
    with pytest.warns(UserWarning, match="did not converge in 1 steps"):
        ProportionalOdds(max_iter=1).fit(CELLS, CODES)
