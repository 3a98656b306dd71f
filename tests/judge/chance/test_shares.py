"""Two shares of different rows: figures from the papers, from other systems, and where there are none."""

import math

import pytest
from scipy import stats

from openbook.judge.chance.intervals import wilson
from openbook.judge.chance.shares import Share, fisher, log_ratio, newcombe
from openbook.words.numbers import shown_p

#: Newcombe (1998), Statistics in Medicine 17, table II, method 10.
NEWCOMBE = [
    ((56, 70), (48, 80), 0.0524, 0.3339),
    ((9, 10), (3, 10), 0.1705, 0.8090),
    ((6, 7), (2, 7), 0.0582, 0.8062),
    ((5, 56), (0, 29), -0.0381, 0.1926),
    ((0, 10), (0, 20), -0.1611, 0.2775),
    ((0, 10), (0, 10), -0.2775, 0.2775),
    ((10, 10), (0, 20), 0.6791, 1.0000),
    ((10, 10), (0, 10), 0.6075, 1.0000),
]


@pytest.mark.parametrize(("a", "b", "low", "high"), NEWCOMBE)
def test_differences_as_in_the_paper(a, b, low, high):
    interval = newcombe(Share(*a), Share(*b))
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
    assert interval.method == "Newcombe"


def test_a_difference_turned_round_is_the_same_mirrored():
    one, other = newcombe(Share(9, 10), Share(3, 12)), newcombe(Share(3, 12), Share(9, 10))
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


def test_ratio_of_the_physicians_health_study():
    """Agresti (2007), An introduction to categorical data analysis: 1.82, from 1.43 to 2.30."""
    a, b = Share(189, 11034), Share(104, 11037)
    interval = log_ratio(a, b)
    assert a.value / b.value == pytest.approx(1.82, abs=5e-3)
    assert (interval.low, interval.high) == pytest.approx((1.433, 2.306), abs=1e-3)
    assert interval.work()["se"].result == pytest.approx(0.1213, abs=1e-4)


@pytest.mark.parametrize(("a", "b"), [((0, 5), (2, 5)), ((2, 5), (0, 5)), ((5, 5), (3, 3)), ((0, 0), (1, 2))])
def test_a_ratio_that_the_method_cannot_give_is_undefined(a, b):
    assert math.isnan(log_ratio(Share(*a), Share(*b)).low)


def test_a_share_of_no_rows_is_undefined_and_says_why():
    nothing = Share(0, 0)
    assert math.isnan(nothing.value)
    assert math.isnan(nothing.interval().low)
    assert nothing.why == "there are no such rows"
    assert math.isnan(newcombe(nothing, Share(1, 2)).low)
    assert math.isnan(fisher(nothing, Share(1, 2)))
    assert Share(1, 2).why == ""
    assert Share(1, 2).interval(0.9) == wilson(1, 2, 0.9)


def test_fisher_by_hand_and_beside_scipy():
    # margins 4 and 4 of 8: tables of 3 or more, and 1 or fewer, hits are as rare: (16 + 1 + 16 + 1) / 70
    assert fisher(Share(3, 4), Share(1, 4)) == pytest.approx(34 / 70)
    assert fisher(Share(20, 50), Share(9, 60)) == pytest.approx(
        stats.fisher_exact([[20, 30], [9, 51]]).pvalue
    )


def test_p_values_in_words():
    assert [shown_p(p) for p in (1e-9, 0.0123, 1.0)] == ["< 0.001", "0.012", "1.000"]
