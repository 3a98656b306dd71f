"""What a reader would try on a table: a list of names, a loop over rows, a condition."""

import numpy as np
import pytest

from openbook.data import read
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
