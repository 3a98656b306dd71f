"""Two classifiers told apart by the rows that they predict differently."""

import numpy as np
import pytest
from scipy.stats import binomtest

from openbook.errors import DataError
from openbook.label import DifferingRows

DIFFER = DifferingRows(100, np.arange(0, 40, 2), np.repeat("old", 20), np.repeat("new", 20))


@pytest.mark.parametrize(
    ("labels", "gain", "p", "verdict"),
    [
        (["new"] * 9 + ["old"], 0.2 * 0.8, 2 * 11 / 1024, "better"),
        (["old"] * 6 + ["other"] * 4, -0.2 * 0.6, 2 / 64, "worse"),
        (["new"] * 5 + ["other"] * 5, 0.2 * 0.5, 2 / 32, "cannot be determined"),
        (["other"] * 3, 0.0, 1.0, "cannot be determined"),
    ],
)
def test_gain_by_hand(labels, gain, p, verdict):
    found = DIFFER.gain(DIFFER.rows[: len(labels)], labels)
    assert found.test.difference == pytest.approx(gain)
    assert found.test.p_value == pytest.approx(p)
    assert found.verdict == verdict
    assert found.test.difference in found.test.interval


def test_interval_is_scipys_of_the_rows_on_which_one_is_right():
    interval = DIFFER.gain(DIFFER.rows[:10], ["new"] * 6 + ["old"] + ["other"] * 3).test.interval
    share = binomtest(6, 7).proportion_ci(0.95)
    scale = 20 / 100 * 7 / 10
    expected = [scale * (2 * share.low - 1), scale * (2 * share.high - 1)]
    assert [interval.low, interval.high] == pytest.approx(expected)


def test_rows_are_drawn_from_those_that_differ():
    assert sorted(DIFFER.sample(50, random_state=0)) == DIFFER.rows.tolist()
    assert len(set(DIFFER.sample(5, random_state=0))) == 5
    assert DIFFER.sample(5, random_state=3) == DIFFER.sample(5, random_state=3)


@pytest.mark.parametrize("rows", [[], [1]])
def test_other_rows_tell_nothing(rows):
    with pytest.raises(DataError, match="rows that are predicted differently"):
        DIFFER.gain(rows, ["new"] * len(rows))
