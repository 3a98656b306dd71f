"""The Bayesian correlated t test against scipy's Student distribution and hand calculation."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from openbook.baseline import OneR
from openbook.errors import DataError, ParameterError
from openbook.judge import compare, corrected_t_test, correlated_t, posterior

DIFFERENCES = [0.02, 0.05, 0.01, 0.04]
IRIS = load_iris(return_X_y=True)


def test_by_hand():
    # m = 0.03, s² = 0.001/3, ρ = 1/4, scale² = s² (1/4 + 1/3) = 0.00019444
    found = correlated_t(DIFFERENCES, n_train=75, n_test=25, rope=0.01)
    student = stats.t(3, loc=0.03, scale=math.sqrt(0.001 / 3 * (1 / 4 + 1 / 3)))
    assert found.worse == pytest.approx(student.cdf(-0.01))
    assert found.better == pytest.approx(student.sf(0.01))
    assert found.equivalent == pytest.approx(student.cdf(0.01) - student.cdf(-0.01))
    assert found.scale == pytest.approx(0.0139443, abs=1e-7)
    assert (found.interval().low, found.interval().high) == pytest.approx(student.interval(0.95))
    x = np.linspace(-0.1, 0.2, 7)
    assert found.density(x) == pytest.approx(student.pdf(x))


def test_the_work_goes_by_the_correlation():
    work = correlated_t(DIFFERENCES, n_train=75, n_test=25).work()
    assert work["ρ"].result == 0.25
    assert work["scale"].result == pytest.approx(0.0139443, abs=1e-7)
    assert work["r"].result == 0.01
    assert sum(work[f"P({word})"].result for word in ("worse", "equivalent", "better")) == pytest.approx(1)
    assert "(95%, credible, correlated t)" in work.conclusion


def test_without_a_region_it_agrees_with_the_corrected_t_test():
    """The smaller of the two probabilities is half the p-value: the same figures, read another way."""
    found = correlated_t(DIFFERENCES, 75, 25, rope=0)
    assert found.equivalent == 0
    assert 2 * found.worse == pytest.approx(corrected_t_test(DIFFERENCES, 75, 25).p_value)


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=20).filter(lambda d: np.ptp(d) > 1e-3),
    st.floats(0, 0.2),
    st.integers(1, 50),
)
def test_probabilities_add_up_and_turn_round(differences, rope, n_test):
    found = correlated_t(differences, 90, n_test, rope)
    assert found.worse + found.equivalent + found.better == pytest.approx(1)
    assert min(found.worse, found.equivalent, found.better) >= 0
    other = correlated_t([-d for d in differences], 90, n_test, rope)
    assert (other.worse, other.better) == pytest.approx((found.better, found.worse))
    errors = correlated_t(differences, 90, n_test, rope, greater_is_better=False)
    assert (errors.worse, errors.better) == pytest.approx((found.better, found.worse))


@pytest.mark.parametrize(
    ("shift", "words"),
    [
        (0.5, "first is better than second in practice: probability > 0.999."),
        (-0.5, "first is worse than second in practice: probability > 0.999."),
        # s² = 0.0014/3, scale = 0.0165, P(T < -0.606) = 0.294 on either side
        (0, "Undecided whether first is better than second: no statement is 95% probable (worse 0.294"),
    ],
)
def test_the_verdict(shift, words):
    assert correlated_t(np.array([0.02, -0.03, 0.01, 0.0]) + shift, 75, 25).verdict.startswith(words)


def test_much_alike_is_equivalent():
    found = correlated_t([0.001, -0.001, 0.0005, 0, 0.0002], 80, 20)
    assert found.verdict.startswith("first and second are equivalent in practice: probability > 0.999.")


def test_no_spread():
    same, shifted = correlated_t([0.0] * 5, 80, 20), correlated_t([0.1] * 5, 80, 20)
    assert (same.worse, same.equivalent, same.better) == (0, 1, 0)
    assert math.isnan(shifted.better)
    assert "their variance cannot be estimated" in shifted.verdict
    assert math.isnan(shifted.interval().low)
    assert "cannot be estimated" in str(shifted)
    with pytest.raises(DataError, match="no density to draw: All folds differ by the same amount"):
        shifted.draw()
    assert math.isnan(correlated_t([0.1], 80, 20).better)


def test_two_evaluations():
    result = compare([GaussianNB(), OneR()], *IRIS, cv=StratifiedKFold(5, shuffle=True, random_state=0))
    found = posterior(result["GaussianNB"], result["OneR"])
    scores = result["GaussianNB"].scores() - result["OneR"].scores()
    by_hand = correlated_t(scores, 120, 30)
    assert (found.worse, found.better) == (by_hand.worse, by_hand.better)
    assert (found.names, found.what, found.rope) == (("GaussianNB", "OneR"), "accuracy", 0.01)
    errors = posterior(result["GaussianNB"], result["OneR"], "error", rope=0.02)
    assert (errors.rope, errors.mean) == (0.02, pytest.approx(-found.mean))
    assert errors.better < found.better  # a wider region leaves less outside


def test_scores_with_units_need_a_region_of_their_own():
    X, y = load_diabetes(return_X_y=True)
    result = compare([LinearRegression()], X, y, cv=KFold(5))
    with pytest.raises(ParameterError, match="RMSE has no usual region of practical equivalence; give rope"):
        posterior(result["LinearRegression"], result["mean"])
    assert posterior(result["LinearRegression"], result["mean"], rope=1).better > 0.95


def test_single_rows_are_refused():
    X, y = IRIS
    result = compare([GaussianNB()], X[::10], y[::10], cv=LeaveOneOut())
    with pytest.raises(ParameterError, match="needs folds of several rows, and these evaluations have none"):
        posterior(result["GaussianNB"], result["0R"])


def test_other_folds_are_refused():
    one, two = (compare([GaussianNB()], *IRIS, cv=KFold(5, shuffle=True, random_state=i)) for i in (0, 1))
    with pytest.raises(DataError, match="were not evaluated on the same folds"):
        posterior(one["GaussianNB"], two["GaussianNB"])


@pytest.mark.parametrize("rope", [-0.1, math.inf, math.nan])
def test_the_region_must_have_a_size(rope):
    with pytest.raises(ParameterError, match="rope must be a size, 0 or more, in units of the score"):
        correlated_t(DIFFERENCES, 75, 25, rope)


def test_the_picture_shows_density_and_region():
    picture = correlated_t(DIFFERENCES, 75, 25, names=("forest", "tree"), what="accuracy").draw()
    svg = picture.svg()
    assert picture.title == "Accuracy: forest minus tree"
    assert re.findall(r'<polygon class="band (c\d)"', svg) == ["c1", "c8", "c0"]
    for words in ("worse: 0.032", "equivalent: 0.091", "better: 0.877", "within ±0.010"):
        assert words in svg
    ends = [
        re.search(r"points=\"([\d.]+),", part)[1]
        for part in re.findall(r'<polyline class="line c8 dashed"[^>]*', svg)
    ]
    assert len(set(ends)) == 2
    turned = correlated_t(DIFFERENCES, 75, 25, greater_is_better=False).draw().svg()
    assert re.findall(r'<polygon class="band (c\d)"', turned) == ["c0", "c8", "c1"]
