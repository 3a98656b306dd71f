"""Standard errors, intervals and tests from the influence of every row."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import hadamard

from openbook.judge.chance.spread import Spread, blocks_of, simultaneous


def spread(losses, clusters=None, support=None):
    losses = np.asarray(losses, dtype=float)
    mean = float(losses.mean())
    return Spread(mean, losses - mean, clusters or {}, len(losses) if support is None else support)


def test_a_share_of_rows_has_wilsons_interval():
    """15 of 100: Wilson's [0.093, 0.233], as in Wilson (1927) and every textbook."""
    found = spread([1] * 15 + [0] * 85).interval(share=True)
    assert (found.low, found.high) == pytest.approx((0.0931, 0.2328), abs=1e-4)
    assert found.method == "Wilson"


def test_rows_of_one_group_that_are_all_alike_count_as_one():
    """Ten groups of ten equal rows are ten rows; few units widen it further: t instead of z."""
    groups = np.repeat(np.arange(10), 10)
    found = spread(np.repeat([1, 0, 1, 1, 0, 1, 1, 1, 0, 1], 10), {"groups": groups}).interval(share=True)
    p, t, z = 0.7, stats.t.ppf(0.975, 9), stats.norm.ppf(0.975)
    error = math.sqrt(p * (1 - p) / 9)  # sample standard deviation of ten shares over sqrt(10)
    n = p * (1 - p) / error**2 * (z / t) ** 2
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half))


def test_an_interval_rests_on_no_more_rows_than_there_are_of_the_rarer_class():
    perfect = Spread(1.0, np.zeros(400), {}, support=6).interval(share=True)
    assert perfect.low == pytest.approx(1 - (1 - 6 / (6 + stats.norm.ppf(0.975) ** 2)))
    assert perfect.high == 1


def test_a_perfect_learner_is_not_less_sure_than_an_imperfect_one():
    perfect, nearly = (
        spread([1.0] * hits + [0.0] * (200 - hits)).interval(share=True) for hits in (200, 199)
    )
    assert perfect.low > nearly.low


def test_other_scores_have_the_t_interval_where_losses_are_symmetric():
    losses = [1.0, 2.0, 3.0, 4.0, 5.0]
    found = spread(losses).interval(share=False)
    half = stats.t.ppf(0.975, 4) * math.sqrt(2.5 / 5)
    assert (found.low, found.high) == pytest.approx((3 - half, 3 + half))


def test_skewed_losses_have_a_longer_upper_arm():
    found = spread(np.random.default_rng(0).exponential(size=60)).interval(share=False)
    mean = np.random.default_rng(0).exponential(size=60).mean()
    assert found.high - mean > 1.2 * (mean - found.low)


def test_halls_transformation_is_inverted():
    """g(t) = t + γ(t²/3 + 1/6)/√n + γ² t³/27n at both ends is plus and minus the quantile."""
    losses = np.random.default_rng(1).exponential(size=200)
    found = spread(losses).interval(share=False)
    skew, n = float(stats.skew(losses)), 200
    error = losses.std(ddof=1) / math.sqrt(n)

    def g(end):
        t = (losses.mean() - end) / error
        return t + skew * (t * t / 3 + 1 / 6) / math.sqrt(n) + skew**2 * t**3 / (27 * n)

    # few of exponential losses decide: 2n / (κ - 1) degrees of freedom
    q = stats.t.ppf(0.975, 2 * n / (stats.kurtosis(losses, fisher=False) - 1))
    assert (g(found.low), g(found.high)) == pytest.approx((q, -q))


def test_the_arms_of_very_skewed_losses_stay_in_proportion():
    """One loss of 100 and 49 of 0: the mean is 2, s² = (49·4 + 98²)/49 = 200 and se = √(200/50) = 2.

    κ = 48 leaves 100/47, about 2.1 degrees of freedom.
    γ = 6.9 is held at 0.4 √50/t: 1 + γ (-t/√50 - γ/300) = 0.6 - γ²/300.
    """
    found = spread([0.0] * 49 + [100.0]).interval(share=False)
    t = stats.t.ppf(0.975, 2 * 50 / (stats.kurtosis([0.0] * 49 + [100.0], fisher=False) - 1))
    skew = 0.4 * math.sqrt(50) / t
    arm = 2 * 3 * math.sqrt(50) / skew * (1 - np.cbrt(0.6 - skew**2 / 300))
    assert found.high == pytest.approx(2 + arm)
    assert found.method == "t over rows, rough: a few of them dominate"


def test_where_few_rows_decide_there_are_few_degrees_of_freedom():
    """One loss of 1 and nine of 0: κ = (9·0.1⁴ + 0.9⁴)/10 / 0.09² = 8.111, and 20/7.111 = 2.8125."""
    found = spread([1.0] + [0.0] * 9).interval(share=False)
    assert next(step.result for step in found.steps if step.label == "nu") == pytest.approx(2.8125)


def test_rare_rows_have_jeffreys_interval():
    """1 of 10: [0.011, 0.381] (Brown, Cai and DasGupta 2001, table 5); the others lose nothing."""
    rest, rare = spread([0.0] * 10), spread([1.0] + [0.0] * 9)
    found = rest.with_rare(rare, 36.0)
    assert (found.low / 36, found.high / 36) == pytest.approx((0.011, 0.381), abs=5e-4)
    assert found.method == "Jeffreys for 1 row predicted with probability 0"


def test_rare_rows_and_the_others_are_put_together_as_the_sides_of_a_right_angle():
    losses, hits = [1.0, 2.0, 3.0, 4.0, 5.0], [0.0] * 5
    found, others = spread(losses).with_rare(spread(hits), 36.0), spread(losses).interval(share=False)
    none = stats.beta.ppf(0.975, 0.5, 5.5)  # Jeffreys, for 0 of 5
    assert found.low == pytest.approx(others.low)
    assert found.high == pytest.approx(3 + math.hypot(others.high - 3, 36 * none))


def test_no_row_with_probability_0_is_said_in_words():
    found = spread(np.array([0.1, 0.2, 0.4])).with_rare(spread(np.zeros(3)), 36.0)
    assert found.method.endswith("Jeffreys for no row predicted with probability 0")


def test_a_mean_of_squares_over_groups_has_its_interval_on_the_scale_of_its_reciprocal_cube_root():
    """Groups of 1 to 5: m = 3, se = √(2.5/5) = 0.7071, t = 2.776 and u = t se / m = 0.6544.

    3 (1 + u/3)^-3 = 1.660 and 3 (1 - u/3)^-3 = 6.276; the RMSE's ends, by its se / (2 √3), are their roots.
    """
    losses, groups = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], 4), {"groups": np.repeat(np.arange(5), 4)}
    mean = spread(losses, groups).interval(share=False, lowest=0, power=1 / 3)
    assert (mean.low, mean.high) == pytest.approx((1.660, 6.276), abs=2e-3)
    root = Spread(math.sqrt(3), (losses - 3) / (2 * math.sqrt(3)), groups, 20)
    found = root.interval(share=False, lowest=0, power=2 / 3)
    assert (found.low**2, found.high**2) == pytest.approx((mean.low, mean.high))


def test_no_spread_is_no_interval():
    assert math.isnan(spread([2.0] * 8).interval(share=False).low)


def test_a_difference_of_shares_is_bonett_and_prices():
    """8 rows only the first gets right, 1 only the second, of 14: (9 - 2)/16 and so on, by hand."""
    d = np.array([1] * 8 + [-1] + [0] * 5)
    test = spread(d).paired(share=True).test()
    first, second = 9 / 16, 2 / 16
    error = math.sqrt((first + second - (first - second) ** 2) / 16)
    z = NormalDist().inv_cdf(0.975)
    assert test.difference == pytest.approx(7 / 14)
    assert (test.interval.low, test.interval.high) == pytest.approx((7 / 16 - z * error, 7 / 16 + z * error))
    assert test.p_value == pytest.approx(2 * NormalDist().cdf(-7 / 16 / error))


def test_any_other_difference_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=30), rng.normal(0.4, size=30)
    test = spread(a).minus(spread(b)).paired(share=False).test()
    assert test.p_value == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert test.interval.low == pytest.approx(stats.ttest_rel(a, b).confidence_interval().low)


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_the_interval_excludes_nothing_just_where_p_is_small(share, seed):
    rng = np.random.default_rng(seed)
    pairs = {i: spread(rng.choice([-1, 0, 1], 80, p=[0.1, 0.6, 0.3])).paired(share) for i in range(5)}
    for test in [*simultaneous(pairs).values(), *(pair.test() for pair in pairs.values())]:
        assert (test.p_value < 0.05) == (0 not in test.interval)


def test_several_differences_are_tested_as_the_largest_of_all():
    """Independent differences: by Šidák, p of the largest of m is 1 - (1 - p)^m."""
    rng = np.random.default_rng(0)
    pairs = {i: spread(rng.normal(0.15 * (i == 0), 1, 4000)).paired(share=False) for i in range(6)}
    alone, together = pairs[0].test(), simultaneous(pairs)[0]
    assert together.p_value == pytest.approx(1 - (1 - alone.p_value) ** 6, abs=0.01)
    level = 1 - (1 - 0.95 ** (1 / 6)) / 2
    half = (together.interval.high - together.interval.low) / 2
    assert half / pairs[0].error == pytest.approx(stats.norm.ppf(level), abs=0.05)


def test_rounding_moves_no_interval_of_differences_that_are_alike():
    """Orthogonal differences have equal eigenvalues, whose eigenvectors the last bit turns anywhere."""
    units = hadamard(64)[:, 1:7].astype(float)
    noise = 1 + 1e-15 * np.random.default_rng(0).normal(size=units.shape)
    halves = [
        simultaneous({i: spread(0.1 + x).paired(share=False) for i, x in enumerate(columns.T)})[
            0
        ].interval.high
        for columns in (units, units * noise)
    ]
    assert halves[0] == pytest.approx(halves[1], abs=1e-9)


def test_equal_differences_are_as_good_as_one():
    pair = spread(np.random.default_rng(0).normal(0.2, 1, 400)).paired(share=False)
    tests = simultaneous({"a": pair, "b": pair, "c": pair})
    assert tests["a"].p_value == pytest.approx(pair.test().p_value, abs=0.01)


def test_rounding_errors_are_no_difference():
    """The same predictions by two ways of adding up: every row is a little better, and nothing is."""
    losses = np.random.default_rng(0).random(8)
    test = spread(losses).minus(spread(losses * (1 - 1e-15) - 1e-16)).paired(share=False).test()
    assert (test.difference, test.p_value) == (0, 1)


def test_rows_in_order_of_time_make_blocks():
    assert np.bincount(blocks_of([100])).tolist() == [10] * 10
    sizes = np.bincount(blocks_of([2000]))
    assert len(sizes) == 44  # the whole part of the root
    assert sizes.max() - sizes.min() <= 1
