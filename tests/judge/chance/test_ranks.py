"""Tests by ranks against published examples, enumeration and scipy."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from openbook.errors import DataError, ParameterError
from openbook.judge import friedman, wilcoxon
from openbook.judge.chance.ranks import critical_difference, ranks_of

#: Hamilton depression scale before and after a tranquilliser: Hollander and Wolfe (1973), p. 29, in R's help.
BEFORE = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
AFTER = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])


def test_wilcoxon_on_the_example_in_rs_help():
    result = wilcoxon(BEFORE - AFTER)
    assert result.work()["W+"].result == 40  # R's V
    assert result.p_value == pytest.approx(2 * 0.01953, abs=1e-4)  # R's test is one-sided there
    assert result.difference == pytest.approx(0.46)
    assert result.method == "Wilcoxon signed rank, exact"


@pytest.mark.parametrize("seed", range(4))
def test_wilcoxon_equals_scipys_exact_test_where_nothing_ties(seed):
    d = np.random.default_rng(seed).normal(0.3, 1, 7 + 4 * seed)
    assert wilcoxon(d).p_value == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, abs=1e-12)


@pytest.mark.parametrize(
    "d", [[1, 1, -2, 3, 3, 3, 0], [0.1, 0.3 - 0.2, -0.2, 0.4, 0.5], [2, -2, 2, -1, 1, 1]]
)
def test_wilcoxon_with_ties_is_the_share_of_all_signs(d):
    """0.3 - 0.2 is not 0.1 to the last digit, and ties with it all the same."""
    known = np.array([round(x, 9) for x in d if x])
    ranks = stats.rankdata(np.abs(known))
    observed = min(ranks[known > 0].sum(), ranks[known < 0].sum())
    sums = [ranks[np.array(signs)].sum() for signs in itertools.product([True, False], repeat=len(known))]
    assert wilcoxon(d).p_value == pytest.approx(min(1, 2 * np.mean(np.array(sums) <= observed)))


def test_many_differences_go_by_the_normal_shape_with_ties():
    d = np.random.default_rng(0).normal(0.1, 1, 150).round(1)
    ours = wilcoxon(d)
    assert ours.p_value == pytest.approx(stats.wilcoxon(d, method="asymptotic").pvalue, abs=1e-12)
    assert ours.method == "Wilcoxon signed rank, normal"
    assert ours.work()["n"].result == (d != 0).sum()


@pytest.mark.parametrize("n", [9, 130])
def test_the_interval_holds_the_shifts_that_the_test_allows(n):
    d = BEFORE - AFTER if n == 9 else np.random.default_rng(1).normal(0.2, 1, n)
    interval = wilcoxon(d).interval
    step = 1e-6
    assert wilcoxon(d - interval.low - step).p_value >= 0.05 > wilcoxon(d - interval.low + step).p_value
    assert wilcoxon(d - interval.high + step).p_value >= 0.05 > wilcoxon(d - interval.high - step).p_value


def test_few_or_no_differences():
    assert math.isnan(wilcoxon([0.1, 0.2, 0.3, 0.4, 0.5]).interval.low)  # at 95% five sets exclude nothing
    assert wilcoxon([0.1] * 6).interval.low == pytest.approx(0.1)
    nothing = wilcoxon([0.0, 0.0])
    assert (nothing.p_value, nothing.difference) == (1, 0)


@pytest.mark.parametrize("d", [[], [[0.1, 0.2]], [0.1, math.nan], [math.inf]])
def test_wilcoxon_needs_a_difference_for_every_set(d):
    with pytest.raises(DataError, match="needs a difference, a finite number, for every data set"):
        wilcoxon(d)


@pytest.mark.parametrize("shape", [(5, 3), (12, 4), (3, 7)])
def test_friedman_equals_scipys_ties_and_all(shape):
    scores = np.random.default_rng(sum(shape)).integers(0, 4, shape).astype(float)
    scores[:, 0] += 1
    ours, theirs = friedman(ranks_of(scores)), stats.friedmanchisquare(*scores.T)
    assert ours.chi_squared == pytest.approx(theirs.statistic)
    assert ours.chi_p_value == pytest.approx(theirs.pvalue)
    n, k = shape
    f = (n - 1) * theirs.statistic / (n * (k - 1) - theirs.statistic)
    assert ours.f == pytest.approx(f)
    assert ours.f_dof == (k - 1, (k - 1) * (n - 1))
    assert ours.p_value == pytest.approx(stats.f.sf(f, *ours.f_dof))


def test_iman_and_davenports_f_is_that_of_an_analysis_of_variance_of_ranks():
    ranks = ranks_of(np.random.default_rng(3).normal(size=(10, 4)))
    means, n, k = ranks.mean(axis=0), 10, 4
    between = n * ((means - 2.5) ** 2).sum() / (k - 1)
    rest = ((ranks - means) ** 2).sum() / ((k - 1) * (n - 1))
    assert friedman(ranks).f == pytest.approx(between / rest)


def test_data_sets_that_all_agree():
    result = friedman([[1, 2, 3]] * 4)
    assert result.f == math.inf
    assert result.p_value == pytest.approx(1 / 6**3)  # three sets that rank as the first does
    assert result.chi_squared == pytest.approx(8)


def test_data_sets_on_which_all_tie():
    result = friedman([[2, 2, 2]] * 4)
    assert math.isnan(result.p_value)
    assert str(result) == "undefined: the learners tie on every data set"
    assert "χ²" in repr(result)


def test_friedman_says_its_figures():
    text = str(friedman(ranks_of(np.random.default_rng(3).normal(size=(10, 4)))))
    assert text.startswith("F = ")
    for part in ("on 3 and 27 degrees of freedom, p = ", "(Iman–Davenport)", "(Friedman)"):
        assert part in text


def test_friedman_needs_two_of_each():
    with pytest.raises(DataError, match=r"two data sets and two learners at least, got \(1, 3\)"):
        friedman([[1, 2, 3]])


@pytest.mark.parametrize(
    ("alpha", "published"),
    [  # Demšar (2006), table 5a, for 2 to 10 learners; q is printed to three digits, the last cut off
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_the_published_ones(alpha, published):
    for k, q in enumerate(published, 2):
        step = critical_difference(k, 20, alpha)
        assert step.result / math.sqrt(k * (k + 1) / 120) == pytest.approx(q, abs=1.1e-3)


def test_alpha_must_be_a_share():
    with pytest.raises(ParameterError, match=r"alpha must lie between 0 and 1, got 5; 0.05 is usual"):
        critical_difference(3, 10, alpha=5)


def test_ranks_share_ties_but_for_rounding_and_leave_nan_out():
    assert ranks_of(np.array([[0.3, 0.1 + 0.2, 0.1]])).tolist() == [[2.5, 2.5, 1]]
    assert ranks_of(np.array([0.2, math.nan, 0.1])).tolist() == pytest.approx([2, math.nan, 1], nan_ok=True)
    assert ranks_of(np.zeros((1, 3))).tolist() == [[2, 2, 2]]
    assert ranks_of(np.array([1e-9, 2e-9])).tolist() == [1, 2]
