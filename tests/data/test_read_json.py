"""JSON as programs write it: objects, rows, columns, lines, and objects inside objects."""

import io
import json

import pandas as pd
import pytest

from openbook.data import Nominal, Numeric, read
from openbook.errors import DataError

FRAME = pd.DataFrame({"x": [1.5, 2], "colour": ["red", "blue"]})
TEXTS = {
    "objects": FRAME.to_json(orient="records"),
    "lines": FRAME.to_json(orient="records", lines=True),
    "pandas": FRAME.to_json(),
    "split": FRAME.to_json(orient="split"),
    "columns": '{"x": [1.5, 2], "colour": ["red", "blue"]}',
    "under a key": '{"made": "today", "rows": [{"x": 1.5, "colour": "red"}, {"x": 2, "colour": "blue"}]}',
    "rows with names": '[["x", "colour"], [1.5, "red"], [2, "blue"]]',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_each_shape_is_the_same_table_from_a_file_and_a_pipe(tmp_path, text):
    (tmp_path / "t.json").write_text(text)
    for source in (tmp_path / "t.json", io.StringIO(text)):
        table = read(source)
        assert table.schema.attributes == (Numeric("x"), Nominal("colour", ("blue", "red")))
        assert (table["x"].tolist(), table["colour"].tolist()) == ([1.5, 2], ["red", "blue"])


def test_objects_inside_objects_are_columns_and_one_object_is_a_row(tmp_path):
    rows = [
        {"name": "a", "at": {"city": "Ulm", "here": {"x": 1}}},
        {"name": "b", "at": None},
        {"name": "c", "at": {"city": "Bonn", "here": {"x": 2}}},
    ]
    table = read(io.StringIO(json.dumps(rows)))
    assert table.names == ("name", "at.city", "at.here.x")
    assert table["at.city"].tolist() == ["Ulm", None, "Bonn"]
    assert table.notes == ("objects inside objects are columns, such as at.city",)
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read(tmp_path / "t.jsonl").names == table.names
    assert read(io.StringIO(json.dumps(rows[0]))).shape == (1, 3)
    assert read(io.StringIO('{"a": 1}'))["a"].tolist() == [1]


def test_rows_without_names_and_what_is_no_table():
    assert read(io.StringIO('[[1, "x"], [2, "y"]]')).names == ("x0", "x1")
    for text, message in (
        ("[1, 2, 3]", "standard input must be a list of objects"),
        ('{"a": {}}', "standard input must be a list of objects"),
        ('{"a": [1], "b": [1, 2]}', "standard input must be a list of objects"),
        ('[{"a": 1}, 2]', "row 1 is a int, but the rows before it are dicts"),
        ('[{"a": {"b": 1}}, 2]', "row 1 is a int, but the rows before it are dicts"),
        ('[{"a": ["x"]}]', "column 'a' holds a list in row 0; join its texts, as in 'a\\|b', or make"),
        ('[["a", "b"], [1]]', "row 0 has 1 cell, and the first line has 2 names"),
    ):
        with pytest.raises(DataError, match=message):
            read(io.StringIO(text))
