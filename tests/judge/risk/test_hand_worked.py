"""Figures that are worked by hand: total cost, the ratio of a tie, rows needed, relative errors."""

import math

import pytest

from openbook.errors import ParameterError
from openbook.judge import Confusion, Regression, rows_needed, tie_cost_ratio, total_cost

CAREFUL = Confusion([[70, 30], [2, 18]], ["no", "yes"])
SPARING = Confusion([[95, 5], [7, 13]], ["no", "yes"])


def test_total_cost():
    costs = {"yes": {"no": 1}, "no": {"yes": 5}}
    assert total_cost(CAREFUL, costs) == 30 * 1 + 2 * 5
    assert total_cost(SPARING, costs) == 5 * 1 + 7 * 5


def test_counts_may_be_lists():
    assert total_cost([[70, 30], [2, 18]], [[0, 5], [1, 0]]) == 30 * 1 + 2 * 5
    assert tie_cost_ratio([[70, 30], [2, 18]], [[95, 5], [7, 13]]) == (30 - 5) / (7 - 2)


def test_two_models_tie_at_the_ratio_of_their_errors():
    assert tie_cost_ratio(CAREFUL, SPARING) == tie_cost_ratio(SPARING, CAREFUL) == (30 - 5) / (7 - 2)
    better = Confusion([[96, 4], [1, 19]], ["no", "yes"])
    assert math.isnan(tie_cost_ratio(better, SPARING))
    assert math.isnan(tie_cost_ratio(SPARING, SPARING))


def test_rows_needed():
    assert rows_needed(0.1) == 385  # 4 * 1.96^2 / 4 / 0.01 = 384.1
    assert rows_needed(0.06, share=0.2) == 683  # 4 * 3.8415 * 0.16 / 0.0036 = 682.9
    with pytest.raises(ParameterError, match="width must lie between 0 and 1, got 0"):
        rows_needed(0)


def test_relative_errors():
    errors = Regression([1, 3, 2, 6], [1, 2, 2, 5])  # the mean is 3: squares 4+0+1+9, distances 2+0+1+3
    assert errors.relative_squared_error == pytest.approx(2 / 14)
    assert errors.relative_absolute_error == pytest.approx(2 / 6)
    assert math.isnan(Regression([1, 1], [1, 2]).relative_squared_error)
