"""Intervals against the golden record, hand calculation and scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from openbook.errors import ParameterError
from openbook.judge import Interval, bootstrap, corrected_t, wald, wilson


def test_wald_and_wilson_are_exact_on_the_golden_record(golden):
    record = golden("error_interval.own_1")
    n = record["data"]["n"]
    wrong, level = record["data"]["error"] * n, record["data"]["confidence"]
    expected = record["expected"]
    plain, score = wald(wrong, n, level), wilson(wrong, n, level)
    assert plain.low == pytest.approx(expected["low"], abs=1e-12)
    assert plain.high == pytest.approx(expected["high"], abs=1e-12)
    assert score.low == pytest.approx(expected["wilson_low"], abs=1e-12)
    assert score.high == pytest.approx(expected["wilson_high"], abs=1e-12)


@pytest.mark.parametrize(("k", "n", "level"), [(0, 14, 0.95), (9, 14, 0.9), (30, 30, 0.99), (1, 1000, 0.95)])
def test_wilson_equals_scipy(k, n, level):
    theirs = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    ours = wilson(k, n, level)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wald_collapses_where_wilson_does_not():
    assert wald(0, 20).high == 0
    assert wilson(0, 20).high == pytest.approx(3.8414588 / (20 + 3.8414588))  # z² / (n + z²)


def test_corrected_t_by_hand():
    # mean 0.8, s² = (0.01 + 0 + 0.01) / 2 = 0.01, its mean's variance 0.01 (1/3 + 20/40), t(2 dof) = 4.302653
    interval = corrected_t([0.7, 0.8, 0.9], n_train=40, n_test=20)
    half = 4.302652729911275 * math.sqrt(0.01 * (1 / 3 + 1 / 2))
    assert (interval.low, interval.high) == pytest.approx((0.8 - half, 0.8 + half), abs=1e-9)
    assert interval.method == "corrected resampled t"


def test_corrected_t_is_plain_t_when_nothing_is_tested_again():
    scores = [0.61, 0.72, 0.55, 0.68, 0.7]
    plain = stats.ttest_1samp(scores, 0).confidence_interval(0.9)
    ours = corrected_t(scores, n_train=100, n_test=0, level=0.9)
    assert (ours.low, ours.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


def test_one_score_has_no_interval():
    interval = corrected_t([0.8], 80, 20)
    assert math.isnan(interval.low)
    assert str(interval) == "undefined (95%, corrected resampled t)"


def test_bootstrap_of_a_mean_is_near_the_normal_interval_and_seeded():
    values = np.random.default_rng(1).normal(size=400)
    ours = bootstrap(lambda rows: values[rows].mean(), 400)
    half = 1.96 * values.std() / 20
    assert (ours.low, ours.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.02)
    assert ours == bootstrap(lambda rows: values[rows].mean(), 400)
    assert ours != bootstrap(lambda rows: values[rows].mean(), 400, seed=1)
    assert ours.method == "bootstrap, 1000 resamples"


def test_bootstrap_leaves_undefined_resamples_out_unless_most_are():
    some = bootstrap(lambda rows: math.nan if rows[0] == 0 else 1.0, 4)
    assert (some.low, some.high) == (1, 1)
    assert math.isnan(bootstrap(lambda rows: math.nan if rows[0] else 1.0, 4).low)


def test_many_rows_are_resampled_less_often():
    assert bootstrap(lambda rows: 0.5, 40_000).method == "bootstrap, 500 resamples"


def test_interval_reads_well():
    assert str(Interval(0.0812, 0.2331, 0.95, "Wilson")) == "[0.081, 0.233] (95%, Wilson)"
    assert str(Interval(2900.04, 3100.06, 0.9, "t")) == "[2,900.0, 3,100.1] (90%, t)"
    assert Interval(1.5e-5, 2.5e-5, 0.95, "t").ends == "[1.5e-05, 2.5e-05]"
    assert 0.1 in Interval(0.0, 0.2, 0.95, "t")
    assert 0.3 not in Interval(0.0, 0.2, 0.95, "t")


def test_an_interval_ends_where_the_metric_does():
    assert Interval(0.9, 1.1, 0.95, "t").within(0, 1) == Interval(0.9, 1, 0.95, "t")
    assert math.isnan(Interval(math.nan, math.nan, 0.95, "t").within(0, 1).high)


@pytest.mark.parametrize("call", [lambda: wilson(5, 4), lambda: wald(-1, 4), lambda: wilson(0, 0)])
def test_a_share_must_be_one(call):
    with pytest.raises(ParameterError, match=r"is no share; give 0 <= successes <= n"):
        call()


def test_level_must_be_a_share():
    with pytest.raises(ParameterError, match=r"level must lie between 0 and 1, got 95; 0.95 is usual"):
        corrected_t([0.1, 0.2], 10, 1, level=95)
