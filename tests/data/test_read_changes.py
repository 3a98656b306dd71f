"""What is lost, renamed or converted on the way in: it is kept where it can be, and said where it is not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import openbook as ob
from openbook.data import Nominal, Numeric, Text, read, scan

ID = 1780000000000000001


def everywhere(tmp_path, column):
    """The same column as rows, frames, files and scans."""
    frame = pl.DataFrame({"c": column, "d": range(len(column))}, strict=False)
    frame.write_csv(tmp_path / "c.csv")
    frame.write_parquet(tmp_path / "c.parquet")
    frame.write_ndjson(tmp_path / "c.jsonl")
    yield [{"c": value, "d": 0} for value in column]
    yield pd.DataFrame({"c": column})
    yield frame
    for name in ("c.csv", "c.parquet", "c.jsonl"):
        yield tmp_path / name
    yield scan(tmp_path / "c.csv", chunk_rows=2)
    yield scan(tmp_path / "c.parquet")


def test_long_ids_keep_every_digit(tmp_path):
    ids = [ID + i for i in range(5)]
    for source in everywhere(tmp_path, ids):
        table = read(source)
        assert table.schema["c"] == Nominal("c", tuple(map(str, ids)))
        assert table.why["c"] == f"whole numbers such as {ID} have more digits than a number keeps"
    assert read(np.array([ids, ids]).T).schema["x0"].values == tuple(map(str, ids))


def test_long_ids_in_the_middle_of_a_column(tmp_path):
    column = [*range(1000), ID]
    for source in everywhere(tmp_path, column):
        assert read(source).column("c").tolist()[-1] == str(ID)


def test_lost_digits_are_said(tmp_path):
    for source in everywhere(tmp_path, [ID, ID + 1]):
        table = read(source, {"c": "numeric"}) if not isinstance(source, ob.data.Scan) else None
        if table is not None:
            assert table.schema["c"] == Numeric("c")
            assert "digits" in table.notes[0]
    assert read([{"c": "1e20"}, {"c": "1.5"}]).schema["c"] == Numeric("c")  # no ids
    assert read([{"c": "9007199254740992"}, {"c": "5"}]).schema["c"] == Numeric("c")  # 2^53 is exact


def test_many_long_ids_are_text(tmp_path, monkeypatch):
    monkeypatch.setattr("openbook.data.guess.MOST_VALUES", 3)
    path = tmp_path / "c.csv"
    path.write_text("c\n" + "".join(f"{ID + i}\n" for i in range(5)))
    assert read(path).schema["c"] == Text("c")
    assert scan(path, chunk_rows=2).read().column("c").tolist()[4] == str(ID + 4)


def test_frequent_none_is_a_value(tmp_path):
    kinds = ["brick", "None", "stone", "None", "None", "brick"]
    for source in everywhere(tmp_path, kinds):
        table = read(source)
        assert table.schema["c"] == Nominal("c", ("None", "brick", "stone"))
        assert table.column("c").tolist() == kinds
        assert table.notes[-1] == (
            "c: 'None' (3 cells) is read as a value; if it means missing, read with missing=[…, 'None']"
        )
    gone = read([{"c": kind} for kind in kinds], missing=["None"])
    assert gone.schema["c"].values == ("brick", "stone")


@pytest.mark.parametrize(
    "column",
    [
        ["brick", "None", "stone", "None", "None", None],  # another cell is missing
        ["brick", "None", "stone", "None", "None", "NA"],
        ["None", *["brick", "stone"] * 20],  # rare
        ["1", "2", "None", "None", "None"],  # a number
    ],
)
def test_otherwise_none_is_missing(column, tmp_path):
    for source in everywhere(tmp_path, column):
        values = read(source).column("c").tolist()
        assert "None" not in values
        assert read(source).notes == ()


def test_two_names_alike(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,a,a_2,\n1,2,3,4,5\n6,7,8,9,0\n")
    for table in (read(path), scan(path).read()):
        assert table.names == ("a", "b", "a_3", "a_2", "column_5")
        assert table.data("a_3").tolist() == [3, 8]
        assert table.notes == (
            "column 3 is called a_3: the name a is taken",
            "column 5 is called column_5: it has no name in the file",
        )


IRIS = "5.1,3.5,1.4,0.2,setosa\n4.9,3.0,1.4,0.2,setosa\n7.0,3.2,4.7,1.4,versicolor\n" * 3
CENSUS = "39, State-gov, 77516, Never\n50, Private, 83311, Married\n38, State-gov, 215646, Never\n" * 3
MUSHROOM = "p,x,s\ne,x,s\np,b,y\ne,b,s\n"
SALES = '"$1,200.50",13/3/2021\n$85.00,2/4/2021\n$9.99,28/2/2020\n$7.00,5/4/2021\n'
LOG = "1,2,2021-03-04\n8,9,2021-03-05\n7,3,2021-03-09\n"


@pytest.mark.parametrize("content", [IRIS, CENSUS, MUSHROOM, LOG])
def test_a_file_without_a_header(content, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(content)
    for source in (path, scan(path, chunk_rows=2)):
        table = read(source)
        assert len(table) == len(content.splitlines())
        assert table.names[0] == "column_1"
        assert table.notes[0].startswith("the first line is read as a row")
    assert len(read(path, header=True)) == len(content.splitlines()) - 1
    assert read(path, header=False).notes == ()


def test_a_first_line_of_prices_and_dates_is_a_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(SALES)
    table = read(path)
    assert table.names == ("column_1", "column_2")
    assert table.data("column_1").tolist() == [1200.5, 85, 9.99, 7]


@pytest.mark.parametrize(
    "content",
    [
        "country,1990,1991,1992\nA,1.5,2,3\nB,4,5,6\n",  # years
        "1,2,3\n4,5,6\n7,8,9\n",  # numbered columns
        "shop,2021-01,2021-02\nA,$4.50,$3.20\nB,$4.00,$5.10\n",  # months
        "a,b\n1,2\n",
        "name,x\nname,1\n",
        "x\n1\n2\n",
        "a,b\n",
    ],
)
def test_a_file_with_a_header(content, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(content)
    if len(content.splitlines()) > 1:
        assert read(path).names == tuple(content.splitlines()[0].split(","))


def test_a_header_beyond_a_mebibyte(tmp_path):
    names = ["x" * 600 + str(i) for i in range(2000)]
    path = tmp_path / "wide.csv"
    path.write_text(",".join(names) + "\n" + ",".join(["1"] * len(names)) + "\n")
    assert path.stat().st_size > 1 << 20
    assert read(path).names == tuple(names)


def test_describe_says_what_was_changed(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,a\n$5,1\n$7,2\n")
    description = ob.describe(read(path))
    assert description.notes == (
        "column 2 is called a_2: the name a is taken",
        "a: '$5' is read as 5 (unit $)",
    )
    told = str(description)
    assert "Changed on reading\n  column 2 is called a_2: the name a is taken\n" in told
    assert "&#x27;$5&#x27; is read as 5 (unit $)" in description._repr_html_()
