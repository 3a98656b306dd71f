"""Attributes, schemas, columns and tables."""

import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import train_test_split

from openbook.data import (
    MISSING,
    UNSEEN,
    Attribute,
    Column,
    Nominal,
    Numeric,
    Ordinal,
    Schema,
    SparseTable,
    Table,
    Text,
    read,
)
from openbook.errors import DataError, UnknownColumn


@pytest.fixture
def table():
    schema = Schema(
        (Numeric("age"), Nominal("sex", ("f", "m")), Ordinal("size", ("S", "M", "L")), Text("note"))
    )
    columns = [
        np.array([20.0, np.nan, 40.0]),
        np.array([0, 1, MISSING], dtype=np.int8),
        np.array([2, MISSING, 0], dtype=np.int8),
        np.array(["hello", None, "x" * 100], dtype=object),
    ]
    return Table(schema, columns, why={"age": "numbers"})


def test_a_categorical_encodes_and_decodes():
    size = Ordinal("size", ("S", "M", "L"))
    assert [size.encode(v) for v in ("M", None, math.nan, "XL")] == [1, MISSING, MISSING, UNSEEN]
    assert [size.decode(c) for c in (2, MISSING, UNSEEN)] == ["L", None, None]


@pytest.mark.parametrize(("count", "dtype"), [(2, "int8"), (127, "int8"), (129, "int16"), (40_000, "int32")])
def test_codes_take_the_smallest_type_that_holds_them(count, dtype):
    assert Nominal("n", tuple(map(str, range(count)))).dtype == dtype


def test_a_value_listed_twice_is_refused():
    with pytest.raises(DataError, match="attribute 'a' lists the value 'x' twice"):
        Nominal("a", ("x", "y", "x"))


def test_a_schema_goes_through_json():
    schema = Schema(
        (Numeric("a"), Nominal("b", ("x", "é")), Ordinal("c", ("1", "2")), Text("d")), named=False
    )
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "a schema needs a list of attributes"),
        ({"attributes": [{"kind": "numerik", "name": "a"}]}, "not an attribute: .* Did you mean 'numeric'"),
        ({"attributes": [{"kind": "numeric", "name": 3}]}, "not an attribute"),
        (
            {"attributes": [{"kind": "nominal", "name": "a", "values": [1]}]},
            "values must be a list of strings",
        ),
        ({"attributes": [{"kind": "numeric", "name": "a"}] * 2}, "two columns are called 'a'"),
    ],
)
def test_a_record_that_is_no_schema_is_refused(record, message):
    with pytest.raises(DataError, match=message):
        Schema.from_json(record)


def test_names_by_kind(table):
    assert table.schema.of(Numeric) == ("age",)
    assert table.schema.of(Nominal, Ordinal) == ("sex", "size")
    assert table.schema.of(Attribute) == table.names


def test_an_unknown_column_is_named_with_its_nearest(table):
    with pytest.raises(UnknownColumn, match=r"no column 'aeg'\. Did you mean 'age'\?"):
        table.column("aeg")


def test_columns_must_fit_the_schema():
    schema = Schema((Numeric("a"), Numeric("b")))
    with pytest.raises(DataError, match="2 attributes, but 1 columns"):
        Table(schema, [np.zeros(2)])
    with pytest.raises(DataError, match=r"differ in length: \{'a': 2, 'b': 3\}"):
        Table(schema, [np.zeros(2), np.zeros(3)])


def test_a_column_shows_values_and_gaps(table):
    assert table.column("sex").tolist() == ["f", "m", None]
    assert table.column("size").missing.tolist() == [False, True, False]
    assert table.column("note").missing.tolist() == [False, True, False]
    assert np.asarray(table.column("age"))[0] == 20
    assert Column(Nominal("a", ("x",)), np.array([UNSEEN, 0])).tolist() == [None, "x"]


def test_select_drop_take_split_row(table):
    assert table.select(["size", "age"]).names == ("size", "age")
    assert table.drop("note", "sex").names == ("age", "size")
    assert table.take([2, 0]).column("age").tolist() == [40, 20]
    assert table.take(np.array([True, False, True])).column("size").tolist() == ["L", "S"]
    assert len(table.take([])) == 0
    X, y = table.split("sex")
    assert X.names == ("age", "size", "note")
    assert y.name == "sex"
    assert table.row(0) == {"age": 20.0, "sex": "f", "size": "L", "note": "hello"}
    assert table.take([0]).why == {"age": "numbers"}


def test_rows_with_gaps_are_dropped(table):
    assert len(table.drop_missing()) == 1
    assert table.drop_missing("sex").column("age").tolist()[0] == 20
    assert len(table.drop_missing("sex")) == 2


def test_chunks_are_slices_in_order(table):
    assert [len(chunk) for chunk in table.chunks(2)] == [2, 1]
    assert [v for chunk in table.chunks(2) for v in chunk.column("sex")] == ["f", "m", None]


def test_a_matrix_is_never_copied_by_slicing():
    matrix = np.arange(12.0).reshape(4, 3)
    table = read(matrix)
    part = table.take(slice(1, 3))
    assert np.shares_memory(part.block(part.names), matrix)
    assert part.data("x1").tolist() == [4, 7]
    assert table.take([3, 0]).block(table.names).tolist() == [[9, 10, 11], [0, 1, 2]]


def test_a_table_is_readable(table):
    shown = repr(table)
    assert shown.splitlines()[0] == "Table of 3 rows, 4 columns"
    assert shown.splitlines()[1].split() == ["age", "sex", "size", "note"]
    assert shown.splitlines()[2].split() == ["numeric", "nominal", "ordinal", "text"]
    assert "…" in shown
    assert "x" * 100 not in shown
    hostile = Table(Schema((Nominal("<b>", ("<i>",)),)), [np.zeros(1, dtype=np.int8)])
    assert "<i>" not in hostile._repr_html_()
    assert "&lt;i&gt;" in hostile._repr_html_()


def test_frames_keep_the_kinds(table):
    for frame in (table.to_polars(), table.to_pandas()):
        back = read(frame, kinds={"note": "text"})
        assert back.schema == table.schema
        assert [back.column(n).tolist() for n in back.names[1:]] == [
            table.column(n).tolist() for n in table.names[1:]
        ]


def test_scikit_learn_splits_tables(table):
    train, test, y_train, y_test = train_test_split(table, table.column("sex"), test_size=1, random_state=0)
    assert isinstance(train, Table)
    assert len(train) == len(y_train) == 2
    assert len(test) == len(y_test) == 1


def test_a_table_pickles(table):
    assert repr(pickle.loads(pickle.dumps(table))) == repr(table)


def test_sparse_rows_slice_like_dense_ones():
    dense = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0], [4.0, 5.0, 6.0]])
    table = read(sp.csr_array(dense))
    assert isinstance(table, SparseTable)
    assert table.data("x1").tolist() == [2, 0, 0, 5]
    for rows in (slice(1, 3), slice(0, 0), slice(2, 99), [3, 0], np.array([True, False, False, True])):
        assert table.take(rows).sparse.toarray().tolist() == dense[rows].tolist()
    assert table.select(["x2", "x0"]).sparse.toarray().tolist() == dense[:, [2, 0]].tolist()
    assert table.block(["x1"]).tolist() == dense[:, [1]].tolist()


def test_a_row_is_found_by_its_position():
    table = read([{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}])
    assert table[1] == {"a": 2.0, "b": "y"} == table[-1]
    with pytest.raises(IndexError):
        table[2]
