"""The cuts of a column, as they are derived: with gaps and weights, by every criterion, abbreviated."""

import math

import numpy as np
import pytest

from openbook.errors import DataError, ParameterError
from openbook.tree import (
    candidate_cuts,
)
from openbook.work import Work


def test_cuts_with_gaps_and_weights():
    """Half of the weight is known: b has 2, a has 1 + 1; the cut 1.5 leaves 1 | 1 + 2."""
    cuts = candidate_cuts([1, 2, 3, None, math.nan], ["a", "a", "b", "a", "b"], [1, 1, 2, 3, 1])
    assert [cut.threshold for cut in cuts] == [1.5, 2.5]
    assert cuts[0].below == {"a": 1, "b": 0}
    assert cuts[0].above == {"a": 1, "b": 2}
    assert cuts[0].mean_impurity == pytest.approx(3 / 4 * 0.9182958)
    assert cuts[0].gain == pytest.approx(4 / 8 * (1 - 3 / 4 * 0.9182958))
    assert cuts.best == cuts[1]
    assert cuts.best.gain == 0.5
    assert cuts.best.gain_ratio == pytest.approx(0.5 / 1.5)  # 2/8, 2/8 and 4/8: 1.5 bits


def test_cuts_by_gini_and_by_squared_error():
    gini = candidate_cuts([1, 2, 3, 4], ["a", "a", "b", "b"], criterion="gini")
    assert [cut.gain for cut in gini] == pytest.approx([1 / 2 - 3 / 4 * 4 / 9, 1 / 2, 1 / 2 - 3 / 4 * 4 / 9])
    assert gini.best.gain_ratio is None
    squares = candidate_cuts(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 4.0]), criterion="squared_error")
    assert [cut.gain for cut in squares] == pytest.approx([0.5, 2.0])
    assert squares.best.above == {"weight": 1, "mean": 4, "error": 0}
    assert squares.work()["gain(x <= 3)"].result == squares.best.gain
    assert squares[1:] == [squares.best]


def test_a_column_without_cuts():
    cuts = candidate_cuts([7, 7], ["a", "b"])
    assert len(cuts) == 0
    assert cuts.best is None
    assert cuts.work().conclusion == "No cut has a gain."


def test_many_cuts_are_abbreviated():
    work = candidate_cuts(list(range(150)), ["a", "b"] * 75).work()
    assert work.parts[-1].note == "49 of the 149 cuts are not shown"
    assert sum(isinstance(p, Work) for p in work.parts) == 8


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: candidate_cuts([1], ["a"], criterion="gain_ratio"),
            ParameterError,
            r"criterion must be one of 'entropy', 'gini', 'squared_error', got 'gain_ratio'",
        ),
        (lambda: candidate_cuts([1, 2], ["a"]), DataError, r"differ in length: 2, 1, 2"),
        (lambda: candidate_cuts([1], ["a"], [-1]), DataError, r"every weight must be a number above 0"),
        (lambda: candidate_cuts([], []), DataError, r"there must be rows"),
    ],
)
def test_cuts_that_cannot_be(call, error, message):
    with pytest.raises(error, match=message):
        call()
