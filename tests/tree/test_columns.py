"""Where cuts fall: halfway, in as few digits as the numbers have, and never on the larger number."""

import numpy as np
import pytest

from openbook.data import Numeric, Schema, Table
from openbook.rows import Rows
from openbook.tree import columns
from openbook.tree.columns import encode, midpoint
from openbook.tree.keys import ROW


@pytest.mark.parametrize(
    ("a", "b", "halfway"),
    [
        (1.57, 1.58, 1.575),
        (0.01, 0.03, 0.02),  # 0.01 + (0.03 - 0.01) / 2 is 0.019999999999999997
        (1.0, 1.00000123, 1.000000615),  # ten digits are needed, and fewer would do to part the two
        (0.0, 0.0, 0.0),
    ],
)
def test_halfway_to_fifteen_digits(a, b, halfway):
    assert float(midpoint(a, b)) == halfway


def test_of_neighbours_it_is_the_smaller():
    """Between two neighbouring numbers there is none; halfway rounds to the even one, here the larger."""
    a = np.nextafter(1.0, 2.0)
    b = np.nextafter(a, 2.0)
    assert a + (b - a) / 2 == b
    assert float(midpoint(a, b)) == a


@pytest.mark.parametrize("n_columns", [3, 4, 9])
def test_columns_taken_together_are_sorted_each_by_itself(n_columns, monkeypatch):
    """Two tables of rows, taken some at a time, and four columns or what is left of them."""
    X = np.random.default_rng(0).normal(size=(1500, n_columns))
    schema = Schema(tuple(Numeric(f"x{j}") for j in range(n_columns)))
    monkeypatch.setattr("openbook.rows.CHUNK_ROWS", 1000)
    monkeypatch.setattr(columns, "LONG", 100)
    monkeypatch.setattr(columns, "AT_ONCE", 300)
    rows = Rows.in_memory(Table.from_matrix(schema, X), np.arange(1500) % 2)
    assert len(rows.pieces) == 2
    keys = encode(rows).keys
    np.testing.assert_array_equal(keys & ROW, np.argsort(X.T))
