"""Files of every other format, and paths that lead nowhere."""

import os
import zipfile

import numpy as np
import polars as pl
import pytest

from openbook.data import Nominal, Numeric, Ordinal, SparseTable, Text, read
from openbook.errors import DataError


@pytest.fixture
def file(tmp_path):
    def write(content, name):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


# Paths


def test_paths_may_be_texts(file):
    path = file("a\n1\n", "t.csv")
    assert read(str(path)).names == read(path).names == ("a",)


def test_a_directory(tmp_path):
    with pytest.raises(
        DataError, match=r"no file matches .*; a folder may hold files that end in .parquet .csv .tsv .txt"
    ):
        read(tmp_path)


def test_a_file_that_is_not_there(file, tmp_path):
    file("a\n1\n", "loans.csv")
    with pytest.raises(DataError, match=r"there is no file .*loan.csv. Did you mean 'loans.csv'\?"):
        read(tmp_path / "loan.csv")
    with pytest.raises(DataError, match="is not a directory, or is empty"):
        read(tmp_path / "nowhere" / "loan.csv")


@pytest.mark.parametrize("name", ["t.xls", "t", "t.gz", "t.parquet.gz"])
def test_an_unknown_ending(file, name):
    with pytest.raises(
        DataError,
        match=r"the file extension gives the format and must be one of .csv .tsv .txt .*.arff .jsonl .ndjson",
    ):
        read(file("a\n1\n", name))


def test_an_unknown_ending_says_what_is_packed_and_how_to_save_a_spreadsheet(file, tmp_path):
    with pytest.raises(DataError, match=r"one of .csv .* .duckdb; save it as .xlsx or .csv$"):
        read(file("a\n1\n", "t.xls"))
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("book.xlsx", "")
    with pytest.raises(DataError, match=r"t.zip holds book.xlsx: .* must be one of .csv .* .json$"):
        read(tmp_path / "t.zip")


def test_a_path_with_nul():
    with pytest.raises(DataError, match=r"there is no file|cannot be opened"):
        read("a\0.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(file):
    path = file("a\n1\n", "t.csv")
    path.chmod(0)
    with pytest.raises(DataError, match="cannot be opened"):
        read(path)


# Parquet


def test_parquet_keeps_types(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame(
        {"i": [1, None], "f": [0.5, 1.5], "s": ["x", "?"], "b": [True, None], "d": [None, None]},
        schema_overrides={"f": pl.Float32},
    ).write_parquet(path)
    table = read(path)
    assert [a.kind for a in table.schema] == ["numeric", "numeric", "nominal", "nominal", "numeric"]
    assert table.data("f").dtype == np.float32
    assert table.column("s").tolist() == ["x", None]
    assert table.column("b").tolist() == ["true", None]


def test_parquet_that_is_none(file):
    with pytest.raises(DataError, match="is not a Parquet file, or is damaged"):
        read(file(b"PAR1 and so on", "t.parquet"))


# JSON lines


def test_json_lines(file):
    table = read(file('{"a": 1, "b": "x"}\n\n{"a": 2.5, "c": true}\n', "t.jsonl"))
    assert table.names == ("a", "b", "c")
    assert table.row(1) == {"a": 2.5, "b": None, "c": "true"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ('{"a": 1}\n{"a": \n', "line 2 is not JSON"),
        ('{"a": 1}\n[1]\n', "line 2 holds a list, but each line must be a JSON object"),
        ('{"a": ' + "[" * 100_000, "line 1 is not JSON"),
        ('{"a": [1, 2]}\n', "a string or a number, but column 'a' holds a list in row 0"),
        (b'{"a": "\xe9"}\n', "line 1: byte 0xe9 is not UTF-8"),
    ],
)
def test_json_lines_that_are_wrong(file, content, message):
    with pytest.raises(DataError, match=message):
        read(file(content, "t.ndjson"))


# ARFF

ARFF = r"""% a comment
@RELATION 'the weather'

@attribute 'out look' {sunny, 'over cast', "ra\"in", NA}
@ATTRIBUTE temp	REAL
@attribute note string
@attribute windy{True, False}
@attribute count integer
@data
sunny, 3.5, 'a, b', True, 1
'over cast', ?, "it's \"fine\"", False, 2
% another
NA, 1e2, ?, ?, 3
{1 4, 3 False}
"""


def test_arff(file):
    table = read(file(ARFF, "t.arff"))
    assert table.schema.attributes == (
        Nominal("out look", ("sunny", "over cast", 'ra"in', "NA")),
        Numeric("temp"),
        Text("note"),
        Nominal("windy", ("true", "false")),
        Numeric("count"),
    )
    assert table.column("out look").tolist() == ["sunny", "over cast", "NA", "sunny"]
    np.testing.assert_array_equal(table.data("temp"), [3.5, np.nan, 100, 4])
    assert table.column("note").tolist() == ["a, b", 'it\'s "fine"', None, None]
    assert table.column("windy").tolist() == ["true", "false", None, "false"]
    assert table.data("count").tolist() == [1, 2, 3, 0]
    assert table.why["temp"] == "numeric, as the file declares it"


def test_arff_kinds_can_be_overruled(file):
    table = read(
        file(ARFF, "t.arff"), kinds={"count": "nominal", "note": "nominal", "windy": ["false", "true"]}
    )
    assert table.schema["count"] == Nominal("count", ("0", "1", "2", "3"))
    assert table.schema["note"].kind == "nominal"
    assert table.schema["windy"] == Ordinal("windy", ("false", "true"))


def test_sparse_arff_stays_sparse(file):
    header = "@relation x\n@attribute a real\n@attribute b numeric\n@data\n"
    table = read(file(header + "{0 1}\n{}\n{1 ?, 0 5}\n", "t.arff"))
    assert isinstance(table, SparseTable)
    np.testing.assert_array_equal(table.sparse.toarray(), [[1, 0], [0, 0], [5, np.nan]])


HEAD = "@relation x\n@attribute a {x, y}\n@attribute b numeric\n@data\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "there is no @data line; is this an ARFF file"),
        ("a,b\n1,2\n", "line 1: @relation, @attribute or @data expected, got 'a,b'"),
        ("@relation x\n@attribute a date 'yyyy'\n@data\n", "line 2: attribute 'a' is of type date"),
        ("@relation x\n@attribute a relational\n@data\n", "line 2: attribute 'a' is of type relational"),
        ("@relation x\n@attribute a floaty\n@data\n", "line 2: attribute 'a' has the unknown type 'floaty'"),
        ("@relation x\n@attribute a\n@data\n", "line 2: attribute 'a' has the unknown type ''"),
        ("@relation x\n@attribute a {x, x}\n@data\n", "line 2: attribute 'a' lists a value twice"),
        ("@relation x\n@attribute a real\n@attribute a real\n@data\n1,2\n", "two columns are called 'a'"),
        (HEAD, "there are no rows after @data"),
        (HEAD + "x,1\nz,2\n", "line 6: column 'a' holds 'z', which is not among the declared values"),
        (HEAD + "x,1\n\nx,two\n", "line 7: column 'b' holds 'two', which is not a number"),
        (HEAD + "x\n", "line 5: 1 cells, but 2 attributes are declared"),
        (HEAD + "x,1,2\n", "line 5: 3 cells, but 2 attributes are declared"),
        (HEAD + "'x,1\n", "line 5: a quote is not closed"),
        (HEAD + "'x' y,1\n", "line 5: a quote is not closed, or text follows it"),
        (HEAD + "{0 x\n", "line 5: a sparse row must end with }"),
        (HEAD + "{2 x}\n", "line 5: position 2 is not among the 2 attributes"),
        (HEAD + "{1 2, 1 3}\n", "line 5: position 1 is given twice"),
        (HEAD + "{x 1}\n", "line 5: a sparse row is a list of 'position value', not 'x 1'"),
        (
            "@relation x\n@attribute b real\n@data\n{0 two}\n",
            "line 4: column 'b' holds 'two', which is not a number",
        ),
        (HEAD.encode() + b"\xe9,1\n", "line 5: byte 0xe9 is not UTF-8"),
    ],
)
def test_arff_that_is_wrong(file, content, message):
    with pytest.raises(DataError, match=message):
        read(file(content, "t.arff"))
