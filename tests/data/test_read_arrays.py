"""Arrays, nested lists, sparse matrices, dict rows: what they become, and what they are refused with."""

import datetime as dt
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from openbook.data import Datetime, Nominal, Numeric, Ordinal, Schema, SparseTable, Table, read
from openbook.errors import DataError, UnknownColumn


def test_a_float_matrix_is_kept_without_a_copy():
    X = np.arange(12.0).reshape(4, 3)
    table = read(X)
    assert table.matrix is X
    assert table.schema == Schema((Numeric("x0"), Numeric("x1"), Numeric("x2")), named=False)
    assert np.shares_memory(table.data("x1"), X)


def test_float32_stays_and_whole_numbers_become_float64():
    assert read(np.ones((2, 2), np.float32)).data("x0").dtype == np.float32
    for dtype in (np.int32, np.int64, np.uint8, np.bool_, np.float16):
        assert read(np.ones((2, 2), dtype)).data("x0").dtype == np.float64
    swapped = np.array([[1.5]]).astype(">f8")
    assert read(swapped).data("x0").dtype.isnative


def test_infinity_is_not_looked_for():
    assert np.isinf(read(np.array([[np.inf]])).data("x0")[0])


def test_nested_lists_keep_their_kinds():
    table = read([[1, "a", True, None], [2.5, "b", False, None]])
    assert [a.kind for a in table.schema] == ["numeric", "nominal", "nominal", "numeric"]
    assert table.row(0) == {"x0": 1.0, "x1": "a", "x2": "true", "x3": pytest.approx(np.nan, nan_ok=True)}
    assert table.why["x3"] == "no known cell; assumed to be numeric"
    assert not table.schema.named


def test_a_list_of_numbers_becomes_a_matrix():
    assert read([[1, 2], [3, 4.5]]).matrix.tolist() == [[1.0, 2.0], [3.0, 4.5]]


@pytest.mark.parametrize("dtype", [object, "U5", "S5"])
def test_text_arrays_are_nominal(dtype):
    table = read(np.array([["b"], ["a"], ["?"], ["b"]], dtype=dtype))
    assert table.schema["x0"] == Nominal("x0", ("a", "b"))
    assert table.data("x0").tolist() == [1, 0, -1, 1]
    assert table.data("x0").dtype == np.int8


def test_object_arrays_of_numbers_are_numeric():
    X = np.array([[1, 2.5], [np.float32(3), np.int8(4)]], dtype=object)
    assert read(X).matrix.dtype == np.float64
    with_gap = np.array([[1], [None]], dtype=object)
    assert np.isnan(read(with_gap).data("x0")[1])


def test_numbers_beside_texts_are_spelled_as_categories():
    assert read([[1], ["x"], [3.0], [2.5]]).schema["x0"].values == ("1", "2.5", "3", "x")


def test_a_number_too_long_for_a_float_is_infinite():
    table = read([{"a": 10**400}, {"a": -(10**400)}, {"a": 1}], {"a": "numeric"})
    assert table.data("a").tolist() == [np.inf, -np.inf, 1]


def test_dates_in_arrays():
    table = read(np.array([["2024-02-01"], ["NaT"]], dtype="datetime64[D]"))
    assert table.schema["x0"] == Datetime("x0")
    assert table.column("x0").tolist() == ["2024-02-01", None]


def test_masked_cells_are_missing():
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    assert np.isnan(read(masked).data("x1")[0])


class ArrayLike:
    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data, dtype)


def test_anything_that_makes_an_array_will_do():
    assert read(ArrayLike([[1.0, 2.0]])).shape == (1, 2)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.arange(3.0), "Expected 2D array, got 1D array instead"),
        ([1, 2, 3], "Reshape your data either using array.reshape"),
        (np.float64(3), "Expected 2D array, got scalar array instead"),
        (np.zeros((2, 2, 2)), "Found array with dim 3"),
        (
            np.empty((0, 3)),
            r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required.",
        ),
        (np.empty((12, 0)), r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required."),
        (np.array([[1 + 2j]]), "Complex data not supported"),
        (np.array([[1 + 2j, "a"]], dtype=object), "Complex data not supported"),
        (sp.csr_array(np.array([[1 + 2j]])), "Complex data not supported"),
        (sp.csr_array((0, 3)), r"0 sample\(s\)"),
        ([[1, 2], [3]], "rows differ in length: row 0 has 2 cells, row 1 has 1"),
        (np.array([[1]], dtype="timedelta64[s]"), "is not supported"),
        ([], "Expected 2D array"),
        ([{}], r"0 feature\(s\)"),
        ([{"a": 1}, [2]], "row 1 is a list"),
        (7, "cannot read a table from int"),
        (None, "cannot read a table from NoneType"),
    ],
)
def test_what_is_no_table_is_refused(source, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(source)
    assert isinstance(caught.value, DataError)


@pytest.mark.parametrize("cell", [{"foo": "bar"}, [1], (1, 2), {1}, np.array([1])])
def test_a_cell_must_be_a_text_or_a_number(cell):
    X = np.empty((2, 1), dtype=object)
    X[0, 0], X[1, 0] = 1.0, cell
    with pytest.raises(TypeError, match=r"argument must be a string or a number.*'x0'.*row 1") as caught:
        read(X)
    assert isinstance(caught.value, DataError)


@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix, sp.csc_matrix, sp.coo_array])
def test_sparse_matrices_stay_sparse(form):
    table = read(form(np.array([[0, 2], [3, 0], [0, 0]])))
    assert isinstance(table, SparseTable)
    assert isinstance(table.sparse, sp.csr_array)
    assert table.sparse.dtype == np.float64
    assert table.data("x1").tolist() == [2, 0, 0]


def test_a_sparse_matrix_can_only_be_numbers():
    assert len(read(sp.eye_array(3), kinds="numeric")) == 3
    with pytest.raises(DataError, match="'x0' is in a sparse matrix"):
        read(sp.eye_array(3), kinds={0: "nominal"})


def test_dict_rows_take_their_columns_from_all_rows():
    table = read([{"a": 1, "b": "x"}, {"b": "y", "c": True}])
    assert table.names == ("a", "b", "c")
    assert np.isnan(table.data("a")[1])
    assert table.schema["c"] == Nominal("c", ("false", "true"))
    assert table.data("c").tolist() == [-1, 1]
    assert table.why == {"a": "numbers", "b": "words: 2 distinct values", "c": "true or false"}


def test_one_dict_is_one_row():
    assert read({"owner": "No", "income": 120}).row(0) == {"owner": "No", "income": 120.0}


def test_a_table_is_returned_as_it_is():
    table = read([{"a": 1}])
    assert read(table) is table
    assert read(table, kinds={"a": "numeric"}) is table


def test_kinds_overrule_a_table():
    table = read([{"size": "large", "n": 10}, {"size": "small", "n": 9}, {"size": None, "n": None}])
    again = read(table, kinds={"size": ["small", "large"], "n": "nominal"})
    assert again.schema["size"] == Ordinal("size", ("small", "large"))
    assert again.data("size").tolist() == [1, 0, -1]
    assert again.schema["n"] == Nominal("n", ("9", "10"))  # sorted as numbers
    assert again.data("n").tolist() == [1, 0, -1]
    assert again.why["n"] == "nominal, as requested"
    assert read(again, kinds={"n": "numeric"}).data("n")[0] == 10
    assert read(again, kinds={"size": "text"}).data("size").tolist() == ["large", "small", None]
    assert read(read(again, kinds={"size": "text"}), kinds={"size": "nominal"}).schema["size"].values == (
        "large",
        "small",
    )


def test_kinds_of_an_array_go_by_name_or_position():
    X = np.array([[1.0, 5.0], [2.0, np.nan]])
    table = read(X, kinds={"x0": "nominal", 1: [5, 6]})
    assert table.schema.attributes == (Nominal("x0", ("1", "2")), Ordinal("x1", ("5", "6")))
    assert table.data("x1").tolist() == [0, -1]
    assert read(X, kinds="nominal").schema.of(Nominal) == ("x0", "x1")
    assert read(X, kinds={-1: Nominal("whatever", ("5",))}).schema["x1"] == Nominal("x1", ("5",))


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"a": "numeric"}, "column 'a' cannot be numeric: row 0 holds 'blue'"),
        (
            {"a": ["blue", "rad"]},
            "column 'a': row 1 holds 'red', which is not among the listed values. Did you mean 'rad'",
        ),
        (
            {"a": "ordinal"},
            r"cannot be ordinal without an order; list its values .* kinds=\{'a': \['blue', 'red'\]\}",
        ),
        ({"a": "colour"}, "unknown kind 'colour' for column 'a'"),
        ("nominl", "unknown kind 'nominl' for all columns. Did you mean 'nominal'"),
        ({"a": 3}, "column 'a': a kind, a list of values in order or an attribute was expected, got 3"),
        (["numeric"], "kinds must be a kind or a mapping"),
        ({"a": ["red", "red"]}, "lists the value 'red' twice"),
    ],
)
def test_kinds_that_cannot_hold(kinds, message):
    with pytest.raises(DataError, match=message):
        read([{"a": "blue"}, {"a": "red"}], kinds=kinds)


@pytest.mark.parametrize("key", ["aa", 5, -2])
def test_kinds_of_an_unknown_column(key):
    with pytest.raises(UnknownColumn, match="no column"):
        read([{"a": "blue"}], kinds={key: "nominal"})


def test_missing_tokens_in_every_text_source():
    tokens = ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", " NA ", None, float("nan")]
    table = read([{"a": token} for token in tokens] + [{"a": "x"}])
    assert table.column("a").missing.tolist() == [True] * len(tokens) + [False]


def test_missing_can_be_overruled():
    rows = [{"a": "NA"}, {"a": "-"}, {"a": None}, {"a": ""}]
    table = read(rows, missing=["-"])
    assert table.column("a").tolist() == ["NA", None, None, None]
    assert np.isnan(read([{"n": "1"}, {"n": "-999"}], missing=["-999"]).data("n")[1])


@pytest.mark.parametrize("missing", ["-1", [-1], [None]])
def test_missing_is_a_list_of_texts(missing):
    """A text is no list of its letters, and a number is no text."""
    with pytest.raises(DataError, match="is a list of texts"):
        read([{"n": "1"}], missing=missing)
    with pytest.raises(DataError, match="is a list of texts"):
        read([{"n": "1"}], missing_in={"n": missing})


def test_tables_travel():
    table = read([{"a": "x", "b": 1.5}])
    again = pickle.loads(pickle.dumps(table))
    assert isinstance(again, Table)
    assert again.schema == table.schema


def test_spans_of_time_among_objects_are_hours_however_short():
    rows = [{"took": dt.timedelta(minutes=90)}, {"took": None}, {"took": dt.timedelta(days=2)}]
    for part in (rows, rows[:2]):
        table = read(part)
        assert (table.schema["took"], table.why["took"]) == (Numeric("took", "h"), "durations")
        np.testing.assert_array_equal(table.data("took"), [1.5, np.nan, 48][: len(part)])
