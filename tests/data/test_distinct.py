"""Distinct values by counting and by hashing are those by sorting."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from openbook.border.rows import class_codes
from openbook.data import distinct, read
from openbook.data.distinct import distinct_codes, hashed_codes
from openbook.errors import DataError

NUMBERS = st.one_of(
    hnp.arrays(np.int64, st.integers(0, 30), elements=st.integers(-5, 5)),
    hnp.arrays(np.int64, st.integers(1, 5), elements=st.integers(-(2**63), 2**63 - 1)),
    hnp.arrays(np.uint64, st.integers(1, 5), elements=st.integers(0, 2**64 - 1)),
    hnp.arrays(np.int8, st.integers(1, 30), elements=st.integers(-128, 127)),
    hnp.arrays(np.float64, st.integers(1, 30), elements=st.integers(-3, 900).map(float)),
    hnp.arrays(np.float64, st.integers(1, 30), elements=st.floats(-3, 3, allow_nan=False)),
    hnp.arrays(np.float64, st.integers(1, 9), elements=st.floats(allow_nan=False, allow_infinity=True)),
    hnp.arrays(np.float32, st.integers(1, 9), elements=st.floats(-9, 9, allow_nan=False, width=32)),
)


@given(NUMBERS)
def test_counting_equals_sorting(cells):
    values, codes = distinct_codes(cells)
    expected, which = np.unique(cells, return_inverse=True)
    assert values.dtype == expected.dtype
    assert np.array_equal(values, expected)
    assert np.array_equal(codes, which)


def test_words_are_sorted():
    values, codes = distinct_codes(np.array(["b", "a", "b"]))
    assert values.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]


def test_objects_are_hashed_in_the_order_of_their_first_cells():
    values, codes = hashed_codes(["b", "a", "b", "c"])
    assert values == ["b", "a", "c"]
    assert codes.tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"], dtype=object),
        pd.Series(["b", "a", "b"]),
        np.array(["b", "a", "b"]),
    ],
)
def test_labels_that_are_texts_are_sorted(labels):
    _, values, codes = class_codes(labels)
    assert values.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]
    assert values.dtype == np.unique(np.asarray(labels)).dtype


def test_equal_objects_of_different_types_stay_apart():
    table = read(pd.DataFrame({"c": pd.Series(["a", True, 1, None], dtype=object)}))
    assert table.column("c").tolist() == ["a", "true", "1", None]
    with pytest.raises(DataError, match="target 'class' is missing in 1 row"):
        class_codes(["a", None])


@pytest.mark.parametrize("mixer", [distinct._MIXER, np.uint64(0)], ids=["mixed", "all alike"])
@pytest.mark.parametrize("byte_order", "<>")
def test_texts_of_fixed_width_have_the_codes_of_hashing(mixer, byte_order, monkeypatch):
    """Also where a mixture tells no two texts apart; empty texts and characters of all planes included."""
    monkeypatch.setattr(distinct, "_MIXER", mixer)
    cells = np.array(["b", "", "Ünï", "a", "b", "\U0001f600", "ab", "ba", ""]).astype(f"{byte_order}U7")
    values, codes = distinct.text_codes(cells[::2])
    assert values == ["b", "Ünï", "ab", ""]
    assert codes.tolist() == [0, 1, 0, 2, 3]


def test_long_texts_and_none_at_all_are_hashed():
    values, codes = distinct.text_codes(np.array(["x" * 40, "y", "x" * 40]))
    assert (values, codes.tolist()) == (["x" * 40, "y"], [0, 1, 0])
    assert distinct.text_codes(np.array([], dtype="U3"))[0] == []
