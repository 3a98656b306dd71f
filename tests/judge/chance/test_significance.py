"""Tests of differences against hand calculation and scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from openbook.errors import DataError
from openbook.judge import corrected_t_test, holm, mcnemar, paired_bootstrap
from openbook.judge.chance.intervals import Interval
from openbook.judge.chance.significance import TestResult, holm_adjusted, methods_of
from openbook.words.numbers import p_words


def test_corrected_t_test_by_hand():
    # mean 0.03, s² = 0.001/3, se² = s² (1/4 + 1/3) = 0.0001944, t = 0.03 / 0.0139443 = 2.1514, 3 dof
    result = corrected_t_test([0.02, 0.05, 0.01, 0.04], n_train=75, n_test=25)
    t = 0.03 / math.sqrt(0.001 / 3 * (1 / 4 + 1 / 3))
    assert result.difference == pytest.approx(0.03)
    assert result.p_value == pytest.approx(2 * stats.t.sf(t, 3), abs=1e-9)
    half = stats.t.ppf(0.975, 3) * 0.03 / t
    assert (result.interval.low, result.interval.high) == pytest.approx((0.03 - half, 0.03 + half), abs=1e-9)


def test_corrected_t_test_is_scipys_where_nothing_is_corrected():
    differences = np.random.default_rng(0).normal(0.1, 1, 12)
    assert corrected_t_test(differences, 1, 0).p_value == pytest.approx(
        stats.ttest_1samp(differences, 0).pvalue
    )


def test_the_correction_makes_it_harder_to_find_a_difference():
    differences = [0.01, 0.03, 0.02, 0.015, 0.025]
    assert corrected_t_test(differences, 90, 10).p_value > stats.ttest_1samp(differences, 0).pvalue


def test_no_difference_at_all():
    result = corrected_t_test([0.0] * 10, 90, 10)
    assert (result.difference, result.p_value) == (0, 1)


def test_the_same_difference_in_every_fold_goes_by_sign():
    result = corrected_t_test([0.1] * 5, 90, 10)
    assert result.p_value == pytest.approx(2 * 0.5**5)
    assert "sign test" in result.method
    assert math.isnan(result.interval.low)  # without a spread nobody knows how far it may go
    assert result.work()["p"].result == result.p_value


def test_one_fold_tests_nothing():
    assert math.isnan(corrected_t_test([0.1], 90, 10).p_value)


@pytest.mark.parametrize(
    ("only_a", "only_b", "both"), [(9, 2, 20), (2, 9, 0), (3, 3, 5), (12, 0, 1), (0, 0, 4)]
)
def test_mcnemar_is_the_binomial_test(only_a, only_b, both):
    a = [1] * only_a + [0] * only_b + [1] * both
    b = [0] * only_a + [1] * only_b + [1] * both
    result = mcnemar(a, b)
    expected = stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert result.p_value == pytest.approx(expected, abs=1e-12)
    assert result.difference == pytest.approx((only_a - only_b) / len(a))
    assert result.difference in result.interval


def test_bonett_price_interval_by_hand():
    # b = 5, c = 1, n = 8: shares 6/10 and 2/10; centre 0.4; variance (0.8 - 0.16) / 10 = 0.064
    result = mcnemar([1] * 5 + [0] + [1] * 2, [0] * 5 + [1] + [1] * 2)
    half = 1.959963984540054 * math.sqrt(0.064)
    assert [result.interval.work()[label].result for label in ("p1", "p2", "m", "h")] == pytest.approx(
        [0.6, 0.2, 0.4, half]
    )
    assert result.negated().interval.work()["low with the other sign"].result == pytest.approx(-0.4 - half)
    assert (result.interval.low, result.interval.high) == pytest.approx((0.4 - half, 0.4 + half), abs=1e-9)


def test_mcnemar_needs_the_same_rows():
    with pytest.raises(DataError, match=r"needs the same rows of both, got \(2,\) and \(3,\)"):
        mcnemar([1, 0], [1, 0, 1])


def test_negated_swaps_the_sides():
    result = mcnemar([1, 1, 1, 0], [0, 0, 1, 1])
    other = mcnemar([0, 0, 1, 1], [1, 1, 1, 0])
    assert result.negated() == other


def test_paired_bootstrap_tells_a_clear_difference_from_none():
    rng = np.random.default_rng(3)
    clear, none = rng.normal(1, 1, 100), rng.normal(0, 1, 100)
    none -= none.mean()
    assert paired_bootstrap(lambda rows: clear[rows].mean(), 100).p_value < 0.01
    assert paired_bootstrap(lambda rows: none[rows].mean(), 100).p_value > 0.5
    assert math.isnan(paired_bootstrap(lambda rows: math.nan, 5).p_value)


def test_holm_by_hand():
    # sorted 0.005, 0.011, 0.02, 0.04, 0.13 times 5, 4, 3, 2, 1, never falling
    assert holm([0.02, 0.005, 0.13, 0.011, 0.04]) == pytest.approx([0.06, 0.025, 0.13, 0.044, 0.08])
    assert holm([0.6, 0.7]).tolist() == [1, 1]


def test_holm_does_not_count_what_was_not_tested():
    assert holm([0.02, math.nan, 0.03]) == pytest.approx([0.04, math.nan, 0.04], nan_ok=True)
    assert holm([]).shape == (0,)


def test_the_work_of_the_corrected_test_by_hand():
    work = corrected_t_test([0.02, 0.05, 0.01, 0.04], n_train=75, n_test=25).work()
    se = math.sqrt(0.001 / 3 * (1 / 4 + 1 / 3))
    assert work["se"].result == pytest.approx(se)
    assert work["t"].result == pytest.approx(0.03 / se)
    assert work["degrees of freedom"].result == 3
    assert work["p"].result == pytest.approx(2 * stats.t.sf(0.03 / se, 3))
    assert "T₃ ≥ 2.15141" in work.text()


def test_the_work_of_mcnemar():
    work = mcnemar([1] * 5 + [0] + [1] * 2, [0] * 5 + [1] + [1] * 2).work()
    assert [work[label].result for label in "bcd"] == [5, 1, 0.5]
    assert work["p"].result == pytest.approx(2 * (1 + 6) / 64)
    assert mcnemar([1, 0], [1, 0]).work()["p"].result == 1


def test_the_work_of_the_paired_bootstrap():
    values = np.random.default_rng(3).normal(0.2, 1, 60)
    result = paired_bootstrap(lambda rows: values[rows].mean(), 60)
    work = result.work()
    assert work["d"].result == values.mean()
    assert work["p"].result == result.p_value == 2 * (work["r"].result + 1) / 1001


def test_p_values_in_a_sentence():
    assert [p_words(p) for p in (1e-9, 0.04999, 0.05, 1.0, math.nan)] == [
        "< 0.001",
        "= 0.04999",  # rounded, it would not look significant
        "= 0.050",
        "= 1.000",
        "= undefined",
    ]


def test_tests_are_adjusted_as_a_family():
    tests = {n: mcnemar([1] * n, [0] * n) for n in (6, 8)}
    assert [p for _, p in holm_adjusted(tests).values()] == pytest.approx([2 / 64, 4 / 256])


def test_a_method_is_named_once():
    interval = Interval(0.1, 0.3, 0.95, "paired t")
    assert (
        str(TestResult(0.2, interval, 0.01, "paired t", ()))
        == "+0.200 [0.100, 0.300] (95%, paired t), p = 0.01"
    )
    assert str(TestResult(0.2, interval, 0.01, "sign test", ())).endswith("p = 0.01 (sign test)")
    tests = [TestResult(0.2, interval, 0.01, "paired t", ())]
    own = [Interval(0, 1, 0.95, "Wilson")]
    assert methods_of(own, tests) == "intervals: 95%, Wilson; of differences: 95%, paired t; tests: likewise."
