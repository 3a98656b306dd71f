"""Scans: the kinds in one pass, pieces that load by themselves, and files that are not what they were."""

import datetime as dt
import importlib
import os
import pickle
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openbook.data import FilePiece, Nominal, Numeric, Scan, Text, read, scan
from openbook.data.parquet import ParquetFile
from openbook.errors import DataError, UnknownColumn

N = 1000


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "x": rng.normal(size=N),
            "colour": rng.choice(["red", "green", "blue", None], N).tolist(),
            "flag": rng.random(N) < 0.5,
            "n": rng.integers(0, 9, N),
            "code": [f"{i:05d}" for i in range(N)],
        }
    )


@pytest.fixture
def parquet(frame, tmp_path):
    path = tmp_path / "t.parquet"
    frame.write_parquet(path, row_group_size=100)
    return path


@pytest.fixture
def delimited(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.write_csv(path)
    return path


def test_the_first_field_of_a_piece_may_be_a_code(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n,m\n" + "".join(f"{i},{i}\n" for i in range(1, 301)) + "007,1\n")
    scanned = scan(path, chunk_rows=300)
    assert scanned.schema["n"].kind == "nominal"
    assert scanned.schema["m"] == Numeric("m")
    assert "007" in scanned.schema["n"].values


@pytest.mark.parametrize("kind", ["parquet", "delimited"])
def test_a_scan_knows_the_table(kind, request):
    path = request.getfixturevalue(kind)
    scanned, table = scan(path, chunk_rows=200), read(path)
    assert scanned.shape == table.shape
    assert scanned.schema == table.schema
    assert scanned.why == table.why
    assert [len(piece) for piece in scanned.pieces] == [200] * 5
    assert [piece.first_row for piece in scanned.pieces] == [0, 200, 400, 600, 800]
    for i, chunk in enumerate(scanned.chunks()):
        assert chunk.schema is scanned.schema
        for name in table.names:
            np.testing.assert_array_equal(chunk.data(name), table.data(name)[200 * i : 200 * i + 200])
    assert scanned.head(3).row(2) == table.row(2)
    assert repr(scanned) == "Scan of 1,000 rows, 5 columns: 5 pieces of 1 file"


@pytest.mark.parametrize("kind", ["parquet", "delimited"])
def test_a_piece_travels_to_another_process(kind, request):
    piece = scan(request.getfixturevalue(kind), chunk_rows=300).pieces[1]
    assert isinstance(piece, FilePiece)
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).load().data('x').sum())"
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(piece), capture_output=True, check=True
    )
    assert float(done.stdout) == pytest.approx(piece.load().data("x").sum())


def test_pieces_are_whole_row_groups(parquet):
    assert ParquetFile.open(parquet).groups == (100,) * 10
    assert [piece.span for piece in scan(parquet, chunk_rows=250).pieces][:2] == [(0, 200), (200, 400)]
    assert [piece.rows for piece in scan(parquet, chunk_rows=7).pieces] == [100] * 10


@pytest.mark.parametrize("group", [1, 3, 7, 100])
def test_row_groups_agree_with_pyarrow(tmp_path, group):
    path = tmp_path / "t.parquet"
    table = pa.table({"a": list(range(20)), "b": [["x"], []] * 10, "c": [None, {"p": 1.5}] * 10})
    pq.write_table(table, path, row_group_size=group)
    metadata = pq.ParquetFile(path).metadata
    groups = tuple(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))
    assert ParquetFile.open(path).groups == groups


def test_several_files_by_pattern_and_by_list(frame, tmp_path):
    for i in range(3):
        frame[i * 300 : (i + 1) * 300].write_parquet(tmp_path / f"part-{i}.parquet")
    pattern = scan(tmp_path / "part-*.parquet")
    listed = scan([tmp_path / f"part-{i}.parquet" for i in (2, 0, 1)])
    np.testing.assert_array_equal(read(pattern).data("x"), frame["x"][:900])
    np.testing.assert_array_equal(listed.head(5).data("x"), frame["x"][600:605])
    assert repr(pattern).endswith("3 pieces of 3 files")


def test_columns_may_stand_in_another_order(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,x\n")
    (tmp_path / "2.csv").write_text("b,a\ny,2\n")
    table = read(scan(tmp_path / "*.csv"))
    assert table.data("a").tolist() == [1, 2]
    assert table.column("b").tolist() == ["x", "y"]


def test_select_and_drop(parquet):
    scanned = scan(parquet)
    assert scanned.select(["n", "x"]).head(2).names == ("n", "x")
    assert scanned.drop("x", "code").names == ("colour", "flag", "n")
    with pytest.raises(UnknownColumn, match=r"'colours'. Did you mean 'colour'"):
        scanned.drop("colours")


def test_kinds_and_missing_of_a_scan(delimited, parquet):
    for path in (delimited, parquet):
        scanned = scan(
            path, {"n": "nominal", "colour": ["red", "green", "blue"], "x": "numeric"}, missing=["green"]
        )
        assert scanned.schema["n"].values == tuple("012345678")
        assert scanned.schema["colour"].kind == "ordinal"
        table = read(path, {"n": "nominal", "colour": ["red", "green", "blue"]}, missing=["green"])
        assert read(scanned).column("colour").tolist() == table.column("colour").tolist()
        assert "green" not in table.column("colour").tolist()
        with pytest.raises(DataError, match="column 'colour' cannot be numeric: row"):
            scan(path, {"colour": "numeric"})
        with pytest.raises(DataError, match=r"row .* holds 'blue', which is not among the listed values"):
            scan(path, {"colour": ["red", "green"]})


def test_the_row_in_a_message_counts_from_the_start_of_the_scan(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,1\n" * 50 + "x,1\n")
    with pytest.raises(DataError, match="row 50 holds 'x'"):
        scan(path, {"a": "numeric"}, chunk_rows=20)
    assert "first 'x' in row 50" in scan(path, chunk_rows=20).why["a"]


def test_a_late_cell_breaks_the_guess(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "1,2,3\n" * 3000 + "1,x,3\n" + "1,2,03\n")
    scanned = scan(path, chunk_rows=100)
    assert [a.kind for a in scanned.schema] == ["numeric", "nominal", "nominal"]
    assert scanned.schema == read(path).schema
    assert scanned.why == read(path).why


def test_too_many_values_are_text_and_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr("openbook.data.guess.MOST_VALUES", 50)
    path = tmp_path / "t.csv"
    path.write_text("id,n,zip\n" + "".join(f"k{i},{i},0{i}\n" for i in range(200)))
    scanned = scan(path, chunk_rows=30)
    assert scanned.schema.attributes == (Text("id"), Numeric("n"), Text("zip"))
    assert scanned.schema == read(path).schema
    assert scanned.why == read(path).why


def test_quoted_line_breaks_do_not_cut_a_piece(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + '"two\nlines, ""q""",1\nplain,2\n' * 20)
    scanned = scan(path, chunk_rows=3)
    assert [piece.rows for piece in scanned.pieces] == [3] * 13 + [1]
    assert scanned.schema["a"] == Nominal("a", ("plain", 'two\nlines, "q"'))


def test_blank_lines_in_pieces(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n\n\n1,x\n\n2,y\n\n\n\n3,z")
    scanned = scan(path, chunk_rows=2)
    assert len(scanned) == 3
    assert read(scanned).data("a").tolist() == [1, 2, 3]


def test_a_file_that_changed(parquet, frame):
    piece = scan(parquet).pieces[0]
    frame.head(10).write_parquet(parquet)
    with pytest.raises(DataError, match="has changed since it was scanned; scan it again"):
        piece.load()
    parquet.unlink()
    with pytest.raises(DataError, match="can no longer be opened"):
        piece.load()


def test_a_touched_file(delimited):
    piece = scan(delimited).pieces[0]
    os.utime(delimited, ns=(1, 1))
    with pytest.raises(DataError, match="has changed"):
        piece.load()


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("a,c\n1,2\n", "2.csv has no column 'b', which .*1.csv has"),
        ("a,b,c\n1,2,3\n", "1.csv has no column 'c', which .*2.csv has"),
        ("a,b\n1\n", "2.csv: line 2 has 1 fields, but the header has 2"),
    ],
)
def test_files_that_differ(tmp_path, second, message):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text(second)
    with pytest.raises(DataError, match=message):
        scan(tmp_path / "*.csv")


def test_parquet_files_of_different_types(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"a": ["x"]}).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(DataError, match=r"column 'a' is Int64 in .*1.parquet, but String in .*2.parquet"):
        scan(tmp_path / "*.parquet")
    pl.DataFrame({"a": [1.5]}).write_parquet(tmp_path / "2.parquet")
    assert read(scan(tmp_path / "*.parquet")).data("a").tolist() == [1, 1.5]
    (tmp_path / "3.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match="are of different formats"):
        scan([tmp_path / "1.parquet", tmp_path / "3.csv"])


def test_the_line_in_a_message_counts_from_the_start_of_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,x\n" * 70 + "1\n")
    with pytest.raises(DataError, match="line 72 has 1 fields"):
        scan(path, chunk_rows=20)


def test_what_cannot_be_scanned(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(DataError, match="only Parquet, CSV and TSV files can be scanned"):
        scan(tmp_path / "t.jsonl")
    with pytest.raises(DataError, match="no file matches"):
        scan(tmp_path / "*.csv")
    with pytest.raises(DataError, match="there is no file"):
        scan(tmp_path / "t.csv")
    with pytest.raises(DataError, match="takes paths of files, got a list; use read for what is in memory"):
        scan([[1, 2], [3, 4]])
    with pytest.raises(DataError, match="no file matches"):
        scan([])
    (tmp_path / "t.csv").write_text("a,b\n")
    with pytest.raises(DataError, match=r"0 sample\(s\)"):
        scan(tmp_path / "t.csv")
    for bad in (0, -1, 2.5):
        with pytest.raises(DataError, match="chunk_rows must be a whole number of at least 1"):
            scan(tmp_path / "t.csv", chunk_rows=bad)


def test_parquet_without_text_is_not_read_in_the_pass(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1.0, 2.0], "b": [3, 4]}).write_parquet(path)
    seen = []
    module = importlib.import_module("openbook.data.scan")  # the name alone means the function
    monkeypatch.setattr(module, "polars_cells", lambda frame, *rest: seen.append(frame.width) or {})
    scanned = scan(path)
    assert isinstance(scanned, Scan)
    assert seen == [0]
    assert len(scanned) == 2


def test_some_rows_of_a_scan_and_all_others(tmp_path):
    (tmp_path / "a.csv").write_text("x\n" + "\n".join(map(str, range(7))) + "\n")
    found = scan(tmp_path / "a.csv", chunk_rows=3)
    assert found.take([5, 0, 3]).data("x").tolist() == [0, 3, 5]
    rest = found.without([0, 1, 2, 4])
    assert (len(rest), rest.read().data("x").tolist()) == (3, [3, 5, 6])
    with pytest.raises(DataError, match="left out already"):
        rest.without([0])


def test_dates_durations_and_long_numbers_of_parquet_files(tmp_path):
    """The kinds are those of `read`, though the last piece alone tells that the days are no months."""
    firsts = [dt.date(2024, month, 1) for month in range(1, 6)]
    frame = pl.DataFrame(
        {
            "month": [*firsts, None],
            "day": [*firsts, dt.date(2024, 6, 2)],
            "at": pl.Series([dt.datetime(2024, 3, 1, 12, tzinfo=dt.UTC)] * 6),
            "took": [dt.timedelta(hours=hours) for hours in range(6)],
            "id": pl.Series(["9007199254740993", None, *"abcd"]).cast(pl.Decimal(38, 0), strict=False),
        }
    )
    path = tmp_path / "t.parquet"
    frame.write_parquet(path, row_group_size=2)
    table, scanned = read(path), scan(path, chunk_rows=2)
    assert scanned.schema == table.schema
    assert scanned.why == table.why
    assert [table.schema[name].format for name in ("month", "day", "at")] == ["y-m", "y-m-d", "y-m-d"]
    assert table.schema["at"].zone == "UTC"
    assert table.schema["took"] == Numeric("took", "h")
    assert table["id"].tolist()[:2] == ["9007199254740993", None]
    for name in table.names:
        assert scanned.read()[name].tolist() == table[name].tolist()
    assert scan(path, {"took": "numeric"}).schema["took"].kind == "numeric"
    with pytest.raises(DataError, match="column 'day' holds Date; to change its kind, read the files"):
        scan(path, {"day": "nominal"})
    with pytest.raises(DataError, match="column 'took' holds numbers; to read them as dates"):
        scan(path, {"took": "datetime"})
