"""What a reader would try on a table: a list of names, a loop over rows, a condition."""

import numpy as np
import pytest

from openbook.data import Ordinal, Schema, Table, read
from openbook.errors import DataError

TABLE = read(
    [{"a": 1.0, "b": "x", "c": 0.5}, {"a": 2.0, "b": "y", "c": 1.5}, {"a": 3.0, "b": None, "c": 2.5}]
)


def test_columns_by_a_list_of_names():
    assert TABLE[["c", "a"]].names == ("c", "a")
    assert TABLE["a"].tolist() == [1.0, 2.0, 3.0]


def test_rows_one_by_one():
    assert list(TABLE) == [TABLE.row(i) for i in range(3)]
    assert next(iter(TABLE)) == {"a": 1.0, "b": "x", "c": 0.5}


def test_a_mask_or_a_function_picks_rows():
    assert TABLE.filter(np.asarray(TABLE["a"]) > 1).data("c").tolist() == [1.5, 2.5]
    assert TABLE.filter(lambda row: row["b"] == "y").data("a").tolist() == [2.0]
    assert len(TABLE.filter([False] * 3)) == 0


@pytest.mark.parametrize("wrong", [[True], [0, 1, 1], lambda row: row["a"]])
def test_what_is_no_mask_is_refused(wrong):
    with pytest.raises(DataError, match="one true or false for each of the 3 rows"):
        TABLE.filter(wrong)


def test_columns_compare_row_by_row_and_missing_cells_satisfy_nothing():
    assert (TABLE["a"] >= 2).tolist() == [False, True, True]
    assert (TABLE["b"] == "x").tolist() == [True, False, False]
    assert (TABLE["b"] != "x").tolist() == [False, True, False]
    assert (TABLE["a"] == [1, 0, 3]).tolist() == [True, False, True]
    assert (TABLE["a"] > TABLE["c"]).all()
    assert TABLE[TABLE["a"] > 1].data("c").tolist() == [1.5, 2.5]
    assert TABLE.filter(TABLE["b"] == "y").data("a").tolist() == [2.0]


def test_dates_compare_with_dates_and_ordinal_values_by_their_order():
    sold = read([{"sold": "2024-03-01"}, {"sold": "2024-02-29"}, {"sold": None}])["sold"]
    assert (sold >= "2024-03-01").tolist() == [True, False, False]
    sizes = Table(Schema((Ordinal("size", ("small", "medium", "large")),)), [np.array([2, 0, -1])])["size"]
    assert (sizes >= "medium").tolist() == [True, False, False]
    with pytest.raises(DataError, match=r"'size' has no value 'larg'\. Did you mean 'large'\?"):
        _ = sizes > "larg"


@pytest.mark.parametrize(
    ("compare", "message"),
    [
        (lambda: TABLE["b"] < "y", "the values of 'b' have no order; compare them by == and !="),
        (lambda: TABLE["a"] > "many", "'a' is numeric; 'many' cannot be compared with it"),
        (lambda: TABLE[TABLE.names == "a"], "one true or false picks no row"),
    ],
)
def test_what_cannot_be_compared_says_so(compare, message):
    with pytest.raises(DataError, match=message):
        compare()


def test_names_come_one_by_one_or_as_a_list():
    assert TABLE.drop(["a", "b"]).names == TABLE.drop("a", "b").names == ("c",)
    assert TABLE.select("b").names == ("b",)
    assert TABLE.select("b", "a").names == TABLE.select(["b", "a"]).names == ("b", "a")
    assert len(TABLE.drop_missing(["b"])) == 2
    assert "a" in TABLE
    assert "z" not in TABLE


def test_a_table_describes_itself():
    assert TABLE.describe()["a"].numbers.median == 2.0
