"""Where cuts fall: halfway, in as few digits as the numbers have, and never on the larger number."""

import numpy as np
import pytest

from openbook import load, scan
from openbook.border.rows import Rows
from openbook.data import Numeric, Schema, Table
from openbook.ensemble import RandomForestClassifier
from openbook.tree import DecisionTreeClassifier
from openbook.tree.engine import columns
from openbook.tree.engine.columns import encode
from openbook.tree.engine.keys import ROW
from openbook.tree.engine.scales import midpoint


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
    monkeypatch.setattr("openbook.border.rows.CHUNK_ROWS", 1000)
    monkeypatch.setattr(columns, "LONG", 100)
    monkeypatch.setattr(columns, "AT_ONCE", 300)
    rows = Rows.in_memory(Table.from_matrix(schema, X), np.arange(1500) % 2)
    assert len(rows.pieces) == 2
    keys = encode(rows).keys
    np.testing.assert_array_equal(keys & ROW, np.argsort(X.T))


@pytest.mark.parametrize("few_cells", [0, columns.FEW_CELLS])
def test_bins_of_columns_placed_together(few_cells, monkeypatch):
    """Three bins of two rows each; with a tie at the first end, four rows; of five known rows 1, 2 and 2."""
    monkeypatch.setattr(columns, "FEW_CELLS", few_cells)
    X = np.array([[1, 2, 3, 4, 5, 6], [1, 2, 2, 2, 5, 6], [1, 2, 3, 4, 5, np.nan]]).T
    schema = Schema(tuple(map(Numeric, "abc")))
    training = encode(Rows.in_memory(Table.from_matrix(schema, X), np.arange(6) % 2), 3)
    assert [scale.cuts.tolist() for scale in training.scales] == [[2.5, 4.5], [3.5], [1.5, 3.5]]
    assert training.codes.T.tolist() == [[0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1], [0, 1, 1, 2, 2, 3]]


def test_bins_count_weights_as_rows():
    """As 1, 2, 3, 4, 4, 4: two bins of three rows each end at 3."""
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    assert DecisionTreeClassifier(bins=2).fit(X, y).tree_.cut[0] == 2.5
    assert DecisionTreeClassifier(bins=2).fit(X, y, sample_weight=[1, 1, 1, 3]).tree_.cut[0] == 3.5


@pytest.mark.parametrize("seed", range(5))
def test_bins_of_weighed_rows_are_those_of_rows_repeated(seed):
    rng = np.random.default_rng(seed)
    X, y, w = rng.normal(size=(60, 2)).round(1), rng.integers(0, 2, 60), rng.integers(1, 5, 60)
    repeated = np.repeat(np.arange(60), w)
    weighed = DecisionTreeClassifier(bins=7).fit(X, y, sample_weight=w)
    np.testing.assert_array_equal(
        weighed.tree_.cut, DecisionTreeClassifier(bins=7).fit(X[repeated], y[repeated]).tree_.cut
    )


@pytest.mark.parametrize(
    "learner", [DecisionTreeClassifier(bins=31), RandomForestClassifier(3, random_state=0)]
)
def test_bins_of_files_are_those_of_memory_however_they_are_divided(learner, tmp_path, monkeypatch):
    """More rows than are looked at to place bins: the same rows are, in whatever chunks they come."""
    monkeypatch.setattr(columns, "SAMPLE", 300)
    table = load("credit", rows=2000, random_state=1)
    table.to_polars().write_csv(tmp_path / "credit.csv")
    read = scan(tmp_path / "credit.csv").read()
    expected = learner.fit(read, "default").predict_proba(read)
    for chunk_rows in (37, 500, 1999):
        found = learner.fit(scan(tmp_path / "credit.csv", chunk_rows=chunk_rows), "default")
        np.testing.assert_array_equal(found.predict_proba(read), expected)
    monkeypatch.setattr("openbook.border.rows.CHUNK_ROWS", 123)
    np.testing.assert_array_equal(learner.fit(read, "default").predict_proba(read), expected)


def test_rows_that_place_bins_are_no_pattern_of_the_table(monkeypatch):
    """Twelve months over and over: an even step of 12 would see one of them alone."""
    monkeypatch.setattr(columns, "SAMPLE", 1000)
    month = np.tile(np.arange(12.0), 1000)
    model = DecisionTreeClassifier(bins=12).fit(month[:, None], month >= 6)
    assert model.tree_.cut[0] == 5.5
