"""The distance from a turning point."""

import numpy as np
import pytest

from openbook import read
from openbook.errors import RefusalError
from openbook.linear import LinearRegression
from openbook.prepare import Prepared, TurningPoint

X = np.linspace(0, 10, 101)
TABLE = read({"x": X, "line": X[::-1].copy()})


def test_a_linear_learner_can_use_a_u_shape_afterwards():
    y = np.abs(X - 4)  # the parabola turns near 4, and |x - c| is nearly a line against y
    plain = LinearRegression().fit(TABLE.select(["x"]), y).score(TABLE.select(["x"]), y)
    model = Prepared(LinearRegression(), ["turn x", "drop line"]).fit(TABLE, y)
    assert plain < 0.3
    assert model.score(TABLE, y) > 0.95


def test_a_column_without_a_turn_stays():
    turn = TurningPoint(columns=["line"]).fit(TABLE, X)
    assert not turn.turns_[0]
    np.testing.assert_array_equal(turn.transform(TABLE)["line"].data, TABLE["line"].data)


def test_a_target_is_needed():
    with pytest.raises(RefusalError, match="requires y to be passed"):
        TurningPoint().fit(TABLE)
