"""Intervals against the golden record, hand calculation and scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from openbook.errors import ParameterError
from openbook.judge import Interval, bootstrap, corrected_t, exact, jackknife, wald, wilson


@pytest.mark.parametrize(("k", "n", "level"), [(0, 14, 0.95), (9, 14, 0.9), (30, 30, 0.99), (1, 1000, 0.95)])
def test_wilson_equals_scipy(k, n, level):
    theirs = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    ours = wilson(k, n, level)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(("k", "n", "level"), [(0, 14, 0.95), (9, 14, 0.9), (30, 30, 0.99), (1, 1000, 0.95)])
def test_exact_equals_scipy(k, n, level):
    theirs = stats.binomtest(k, n).proportion_ci(level, method="exact")
    ours = exact(k, n, level)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert ours.method == "Clopper–Pearson"


def test_exact_after_no_error_at_all():
    # (1 - p)^20 = 0.025
    assert exact(0, 20).high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert exact(0, 20).low == 0
    assert exact(20, 20).work()["high"].note == "20 of 20: the interval ends at 1"


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
    assert str(interval) == "(no interval: corrected resampled t)"


def test_bootstrap_of_a_mean_is_near_the_normal_interval_and_seeded():
    values = np.random.default_rng(1).normal(size=400)
    ours = bootstrap(lambda rows: values[rows].mean(), 400)
    half = 1.96 * values.std() / 20
    assert (ours.low, ours.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.02)
    assert ours == bootstrap(lambda rows: values[rows].mean(), 400)
    assert ours != bootstrap(lambda rows: values[rows].mean(), 400, random_state=1)
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
    with pytest.raises(ParameterError, match=r"is not a share; give 0 <= successes <= n"):
        call()


def test_level_must_be_a_share():
    with pytest.raises(ParameterError, match=r"level must lie between 0 and 1, got 95; 0.95 is usual"):
        corrected_t([0.1, 0.2], 10, 1, level=95)


@pytest.mark.parametrize(
    "interval",
    [
        wald(15, 100),
        wilson(15, 100, 0.9),
        exact(15, 100),
        exact(0, 9),
        corrected_t([0.7, 0.8, 0.9], 40, 20),
        jackknife(3, [4, 3.5, 1.5]),
        bootstrap(lambda rows: rows.mean(), 9),
    ],
    ids=lambda interval: interval.method,
)
def test_the_work_ends_in_the_interval(interval):
    work = interval.work()
    assert (work["low"].result, work["high"].result) == (interval.low, interval.high)
    assert work.conclusion == str(interval)
    assert interval.method in work.title
    assert work.html()
    assert work.latex()


def test_the_work_of_a_corrected_interval_by_hand():
    work = corrected_t([0.7, 0.8, 0.9], n_train=40, n_test=20).work()
    assert work["m"].result == pytest.approx(0.8)
    assert work["s"].result == pytest.approx(0.1)
    assert work["se"].result == pytest.approx(0.1 * math.sqrt(1 / 3 + 1 / 2))
    assert work["q"].result == pytest.approx(4.302653, abs=1e-6)


def test_the_work_says_where_an_interval_was_cut():
    cut = corrected_t([0.97, 0.98, 0.99], 40, 20).within(0, 1)
    assert cut.work()["possible high"].result == cut.high == 1
    with pytest.raises(KeyError, match="no step, grid or work 'possible low'"):
        cut.work()["possible low"]
