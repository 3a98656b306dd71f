"""Measures that show their work: the derivation ends in the number that the measure gives."""

import math

import numpy as np
import pytest
from scipy import stats

from openbook import load
from openbook.errors import ParameterError
from openbook.measures import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Gaussian,
    Joint,
    Multinomial,
    MultivariateGaussian,
    chebyshev,
    chi_squared,
    conditional_entropy,
    correlation,
    cosine,
    cross_entropy,
    entropy,
    euclidean,
    expected_risk,
    full_joint,
    gain_ratio,
    gini,
    gower,
    gradient_descent,
    hamming,
    hinge_loss,
    information_gain,
    jaccard,
    kl_divergence,
    logistic_loss,
    logit,
    mahalanobis,
    manhattan,
    minkowski,
    mutual_information,
    odds,
    pearson,
    risk_threshold,
    self_information,
    sigmoid,
    simple_matching,
    softmax,
    spearman,
    split_information,
    squared_euclidean,
    symmetrical_uncertainty,
    zero_one_loss,
)

PLAY_BY_OUTLOOK = [[0, 2, 3], [4, 3, 2]]
GAP = math.nan


def last(work):
    return list(work.steps())[-1].result


@pytest.mark.parametrize(
    ("measure", "given"),
    [
        (entropy, ([9, 5],)),
        (entropy, ([0.25, 0.5, 0.25, 0],)),
        (gini, ([9, 5, 0],)),
        (cross_entropy, ([1, 1, 0], [1, 3, 2])),
        (conditional_entropy, (PLAY_BY_OUTLOOK,)),
        (information_gain, (PLAY_BY_OUTLOOK,)),
        (information_gain, ([[5, 0], [5, 0]],)),
        (split_information, (PLAY_BY_OUTLOOK,)),
        (gain_ratio, (PLAY_BY_OUTLOOK,)),
        (symmetrical_uncertainty, (PLAY_BY_OUTLOOK,)),
        (mutual_information, (PLAY_BY_OUTLOOK,)),
        (euclidean, ([1, 2, GAP], [4, 6, 5])),
        (squared_euclidean, ([1, 2], [4, 6])),
        (manhattan, ([1, GAP, 2], [4, 3, 6])),
        (minkowski, ([1, 2], [4, 6], 3)),
        (minkowski, ([1, 2], [4, 6], math.inf)),
        (minkowski, ([1, 2, 3], [1, 6, 4], 0)),
        (chebyshev, ([1, 2], [4, 6])),
        (cosine, ([1, 1, 0], [1, 0, 1])),
        (correlation, ([1, 2, 3], [2, 4, 5])),
        (mahalanobis, ([0, 0], [2, 3], [[4, 1], [1, 9]])),
        (kl_divergence, ([2, 2], [1, 3])),
        (simple_matching, (["red", None, "big"], ["red", "x", "low"])),
        (jaccard, ({"a", "b"}, {"b", "c"})),
        (jaccard, ([1, 1, 0, 0], [1, 0, 1, 0])),
        (gower, ([20, "red", "low"], [30, None, "high"], [40, None, ["low", "mid", "high"]])),
        (pearson, ([1, 2, 3, GAP], [2, 4, 5, 1])),
        (spearman, ([1, 2, 2, 4], [3, 1, 4, 9])),
        (self_information, (1 / 8,)),
        (logit, (0.8,)),
        (risk_threshold, ([[0, 10], [1, 0]],)),
    ],
)
def test_the_work_ends_in_the_measure(measure, given):
    assert last(measure.work(*given)) == pytest.approx(measure(*given), abs=1e-12)


def test_steps_by_name():
    assert hamming.work("karolin", "kathrin")["Hamming"].result == hamming("karolin", "kathrin") == 3
    assert odds.work(0.8)["odds"].result == pytest.approx(4)
    assert sigmoid.work(2, steepness=3)["σ(z)"].result == sigmoid(2, 3)
    assert sigmoid.work(0)["slope"].result == 0.25
    assert [step.result for step in softmax.work([1, 2, 3]).steps()] == softmax([1, 2, 3]).tolist()
    test = chi_squared(PLAY_BY_OUTLOOK)
    work = chi_squared.work(PLAY_BY_OUTLOOK, classes=["no", "yes"], values=["overcast", "rain", "sunny"])
    assert (work["χ²"].result, work["p"].result) == pytest.approx((test.statistic, test.p_value))
    assert work["E(no, sunny)"].numbers == r"\frac{5 \cdot 5}{14}"


@pytest.mark.parametrize("loss", [zero_one_loss, hinge_loss, logistic_loss])
def test_losses_row_by_row(loss):
    y, z = [1, 1, -1], [2.0, 0.5, 0.5]
    _, rows, mean = loss.work(y, z).parts
    assert [row[-1] for row in rows.rows] == pytest.approx(loss(y, z).tolist())
    assert mean.result == pytest.approx(loss(y, z).mean())


def test_a_decision_by_hand():
    costs = {"a": {"b": 1, "c": 9}, "b": {"a": 1, "c": 5}, "c": {"a": 1, "b": 1}}
    work = expected_risk.work([0.5, 0.3, 0.2], costs, classes=["a", "b", "c"])
    assert [step.result for step in work.steps()] == pytest.approx([2.1, 1.5, 0.8])
    assert work.conclusion == "Lowest expected cost: c."
    assert expected_risk.work([0.5, 0.3, 0.2], costs, list("abc"), reject=0.7).conclusion.endswith(
        "rejected."
    )


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: entropy.work([[1, 2], [3, 4]]), "one list of counts"),
        (lambda: gini.work([0, 0]), "not all 0"),
        (lambda: information_gain.work([[1, 2]], values=["a"]), "1 values are named"),
        (lambda: euclidean.work([[1, 2]], [[3, 4]]), "two rows"),
        (lambda: euclidean.work([GAP], [1]), "no known number"),
        (lambda: hamming.work([["a"]], [["b"]]), "two rows"),
        (lambda: softmax.work([[1, 2]]), "one list of scores"),
        (lambda: expected_risk.work([[0.5, 0.5]], [[0, 1], [1, 0]]), "one row"),
        (lambda: pearson([1, 2], [1]), "equal length"),
        (lambda: spearman([GAP], [1]), "no pair"),
        (lambda: gradient_descent(lambda w: 0.0, [GAP], 0.1), "finite numbers"),
        (lambda: Beta(0, 1), "above 0"),
        (lambda: Binomial(3, 0.5).derive(4), "from 0 to 3"),
        (lambda: Categorical(("a",), (1.0,)).derive("b"), "not listed"),
    ],
)
def test_refusals(call, complaint):
    with pytest.raises(ParameterError, match=complaint):
        call()


def test_correlations_as_scipy():
    x, y = np.random.default_rng(0).integers(0, 5, (2, 40))
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y)[0])
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y)[0])
    assert math.isnan(pearson([1, 1], [1, 2]))


def test_probabilities_are_derived():
    assert [step.result for step in Binomial(10, 0.3).derive(2).steps()] == pytest.approx(
        [stats.binom.pmf(2, 10, 0.3), stats.binom.cdf(2, 10, 0.3)]
    )
    assert Bernoulli(0.3).derive(0)["P(X = 0)"].result == pytest.approx(0.7)
    assert Categorical(("a", "b", "c"), (0.2, 0.3, 0.5)).derive("b")["P(X up to b)"].result == 0.5
    assert last(Multinomial(5, (0.2, 0.3, 0.5)).derive([1, 2, 2])) == pytest.approx(30 * 0.2 * 0.09 * 0.25)
    normal = Gaussian(110, 400).derive(130)
    assert (normal["z"].result, normal["P(X <= 130)"].result) == pytest.approx((1, 0.841344746))
    both = MultivariateGaussian([0, 0], [[1, 0.5], [0.5, 2]])
    assert last(both.derive([1, -1])) == pytest.approx(
        stats.multivariate_normal([0, 0], both.covariance).pdf([1, -1])
    )
    assert Beta(4, 3).derive(0.5)["p(0.5)"].result == pytest.approx(stats.beta(4, 3).pdf(0.5))


def test_beta_as_scipy():
    ours, theirs = Beta(4, 3), stats.beta(4, 3)
    at = [0.0, 0.3, 1.0, -1.0, 2.0]
    assert ours.pdf(at) == pytest.approx(theirs.pdf(at))
    assert ours.cdf(at) == pytest.approx(theirs.cdf(at))
    assert ours.interval(0.9) == pytest.approx(theirs.interval(0.9))
    assert (ours.mean, ours.variance) == pytest.approx(theirs.stats())
    assert ours.expectation(lambda p: p * p) == pytest.approx(theirs.moment(2))
    assert ours.sample(2000).mean() == pytest.approx(ours.mean, abs=0.01)
    assert math.isnan(ours.pdf(GAP))
    assert [Beta(2, 1).mode, Beta(1, 3).mode, Beta(0.5, 2).mode] == [1, 0, 0]
    assert math.isnan(Beta(1, 1).mode)
    assert math.isnan(Beta(0.5, 0.5).mode)


def test_what_trials_tell_of_a_probability():
    after = Binomial.posterior([2, 1], 4, alpha=2, beta=3)  # 3 successes, 5 failures
    assert after == Beta(5, 8)
    work = Binomial.work([2, 1], 4, alpha=2, beta=3)
    assert (
        work["4. solved for p"].result
        == Binomial.fit_map([2, 1], 4, alpha=2, beta=3).p
        == after.mode
        == 4 / 11
    )
    assert "Beta(5, 8), whose mean is 0.384615" in work.conclusion
    assert Bernoulli.posterior([1, 0, None, 1]) == Beta(3, 2)


def test_covariances_are_derived():
    rows = [[1, 2], [2, 1], [3, 4], [math.nan, 1]]
    for variance in ("mle", "sample"):
        work, fitted = MultivariateGaussian.work(rows, variance), MultivariateGaussian.fit(rows, variance)
        assert work["μ_2"].result == pytest.approx(fitted.mean[1])
        assert work["Σ_12"].result == pytest.approx(fitted.covariance[0, 1])


def test_independence_cell_by_cell():
    weather = Joint.from_table(load("weather"), "outlook", "windy", "play")
    grid = weather.independence("windy", "play").parts[1]
    assert grid.rows[0] == ("false", "No", pytest.approx(2 / 14), pytest.approx(8 / 14 * 5 / 14))
    given = weather.independence("outlook", "windy", given="play")
    assert given.parts[1].rows[-1][3:] == (pytest.approx(1 / 9), pytest.approx(2 / 9 * 3 / 9))
    assert given.conclusion == "They differ, so outlook and windy are dependent given play."
    assert "P(outlook)" in repr(weather.marginal("outlook", "play"))
    with pytest.raises(ParameterError, match="needs a finite number"):
        weather.expectation("outlook")


def test_the_full_joint_of_numbers_of_values():
    assert full_joint({"a": 2, "b": 3, "c": 2}, target="c").naive_parameters == 1 + 2 * (1 + 2)


def test_steps_downhill():
    falls = gradient_descent(lambda w: (w[0] - 3) ** 2, 0, 0.25, max_iter=2)
    assert falls.path.ravel().tolist() == pytest.approx([0, 1.5, 2.25], abs=1e-6)
    assert not falls.diverges
    rises = gradient_descent(lambda w: w[0] ** 2 + 4 * w[1] ** 2, [2, 1], 0.3, max_iter=3)
    assert rises.losses[:2].tolist() == pytest.approx([8, 0.8**2 + 4 * 1.4**2])
    assert "Take smaller steps, such as 0.03" in rises.work().conclusion
    assert (
        len(gradient_descent(lambda w: w[0] ** 4, 10.0, 1.0, max_iter=50).path) < 51
    )  # it leaves all numbers
