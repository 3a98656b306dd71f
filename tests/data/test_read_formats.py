"""Formats: packed files, encodings, JSON, workbooks, databases, standard input, several files."""

import bz2
import contextlib
import datetime as dt
import gzip
import io
import lzma
import re
import sqlite3
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbook.data import Datetime, Nominal, Numeric, packed, read, scan
from openbook.data.reading import MISSING_TOKENS
from openbook.errors import DataError, UnknownColumn

CSV = "x,colour\n1,red\n2,blue\n3,red\n"


def same(table):
    assert table.data("x").tolist() == [1, 2, 3]
    assert table.column("colour").tolist() == ["red", "blue", "red"]


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return path


@pytest.mark.parametrize(
    ("name", "pack"), [("t.csv.gz", gzip.compress), ("t.csv.bz2", bz2.compress), ("t.csv.xz", lzma.compress)]
)
def test_packed_files(name, pack, tmp_path):
    path = tmp_path / name
    path.write_bytes(pack(CSV.encode()))
    same(read(path))
    path.write_bytes(pack(CSV.encode())[:-9])
    with pytest.raises(DataError, match=r"is not a .* file, or is damaged"):
        read(path)
    (tmp_path / f"t.parquet{path.suffix}").write_bytes(b"")
    with pytest.raises(DataError, match=r"must be one of .csv .tsv .txt .* .arff .jsonl .ndjson .json"):
        read(tmp_path / f"t.parquet{path.suffix}")


def test_zstandard_is_an_extra(tmp_path):
    path = tmp_path / "t.csv.zst"
    try:
        import zstandard
    except ImportError:
        path.write_bytes(b"x")
        with pytest.raises(DataError, match=r"a .zst file needs zstandard: pip install 'openbook\[files\]'"):
            read(path)
    else:
        path.write_bytes(zstandard.compress(CSV.encode()))
        same(read(path))
        path.write_bytes(b"x")
        with pytest.raises(DataError, match="is not a zst file, or is damaged"):
            read(path)


def test_an_archive_of_one_file(tmp_path):
    same(read(zipped(tmp_path / "a.zip", folder__t_dot_csv=CSV, __MACOSX___t="")))
    with pytest.raises(DataError, match=r"must hold one data file, but holds 2 \(a.csv, b.csv\)"):
        read(zipped(tmp_path / "b.zip", a_dot_csv=CSV, b_dot_csv=CSV))
    (tmp_path / "c.zip").write_bytes(b"PK\x03\x04 no")
    with pytest.raises(DataError, match=r"c.zip is not a zip file, or is damaged"):
        read(tmp_path / "c.zip")


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "_SUSPECT", 1 << 20)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(bytes(1 << 24)))
    with pytest.raises(DataError, match="unpacks to more than 4,194,304 bytes; unpack it yourself"):
        read(path)


def test_encodings(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("name\nJosé\nZoë\n".encode("latin-1"))
    assert read(path, encoding="latin-1").column("name").tolist() == ["José", "Zoë"]
    with pytest.raises(DataError, match=r"byte 0xe9 is not UTF-8.*read with encoding='cp1252'"):
        read(path)
    with pytest.raises(DataError, match="there is no encoding 'klingon'"):
        read(path, encoding="klingon")
    with pytest.raises(DataError, match="is not ascii"):
        read(path, encoding="ascii")
    path.write_bytes("name\nJosé\nZoë\n".encode("utf-16"))
    assert read(path).column("name").tolist() == ["José", "Zoë"]


@pytest.mark.parametrize(
    "content",
    [
        '[{"x": 1, "colour": "red"}, {"x": 2, "colour": "blue"}, {"x": 3, "colour": "red"}]',
        '{"rows": [{"x": 1, "colour": "red"}, {"x": 2, "colour": "blue"}, {"x": 3, "colour": "red"}]}',
        '{"x": [1, 2, 3], "colour": ["red", "blue", "red"]}',
    ],
)
def test_json(content, tmp_path):
    (tmp_path / "t.json").write_text(content)
    same(read(tmp_path / "t.json"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "t.json is not JSON"),
        ("3", "must be a list of objects"),
        ("[]", "must be a list"),
        ("[1]", "must be a list of objects"),
    ],
)
def test_wrong_json(content, message, tmp_path):
    (tmp_path / "t.json").write_text(content)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "t.json")


@pytest.fixture
def workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Sales"
    sheet.append(["sold", "price", "colour", "ok", None])
    sheet.append([pd.Timestamp("2024-03-01 14:30").to_pydatetime(), 12.5, "red", True, "=1+1"])
    sheet.append([pd.Timestamp("2024-03-02").to_pydatetime(), None, "blue", False, None])
    other = book.create_sheet("Other")
    for row in (["note"], [None, "a", "b"], [None, 1, "x"], [None, 2, "y"]):
        other.append(row)
    book.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


def test_workbooks(workbook):
    table = read(workbook)
    assert table.names == ("sold", "price", "colour", "ok")
    assert table.schema["sold"] == Datetime("sold")
    assert table.column("sold").tolist() == ["2024-03-01 14:30:00", "2024-03-02 00:00:00"]
    np.testing.assert_array_equal(table.data("price"), [12.5, np.nan])
    assert table.schema["ok"] == Nominal("ok", ("false", "true"))
    for sheet in ("Other!B2:C4", "'Other'!$B$2:$C$4"):
        part = read(workbook, sheet=sheet)
        assert part.schema.attributes == (Numeric("a"), Nominal("b", ("x", "y")))
    assert read(workbook, sheet="A1:B3").names == ("sold", "price")
    for sheet, message in (
        ("Othr", "Did you mean 'Other'"),
        ("Other!B", "is not a cell"),
        ("Other!Z9:Z9", "no cells; sheets: .*Other"),
    ):
        with pytest.raises(DataError, match=message):
            read(workbook, sheet=sheet)


def test_titles_blank_rows_and_times_of_a_workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    rows = [
        ["Sales of 2024"],
        [],
        ["shop", "opens", "sold"],
        ["A", dt.time(9, 30), 3],
        [],
        ["B", dt.time(21), 4],
        ["C", None, 5],
    ]
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    for sheet in (None, "A1:C20"):
        table = read(tmp_path / "t.xlsx", sheet=sheet)
        assert table.names == ("shop", "opens", "sold")
        assert table.column("opens").tolist() == ["09:30:00", "21:00:00", None]
        assert table.data("sold").tolist() == [3, 4, 5]
        assert table.notes[0] == "2 lines above the header left out: Sales of 2024"
        assert re.fullmatch(r"(1 row|14 rows) without a cell left out", table.notes[1])


MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
PARTS = {
    "xl/workbook.xml": f"""<workbook {MAIN} {OFFICE}>
        <workbookPr date1904="1"/><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>""",
    "xl/_rels/workbook.xml.rels": '<R><Relationship Id="rId1" Target="worksheets/s.xml"/></R>',
    "xl/sharedStrings.xml": f"<sst {MAIN}><si><t>day</t></si><si><r><t>na</t></r><r><t>me</t></r></si></sst>",
    "xl/styles.xml": f"""<styleSheet {MAIN}><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/>
        <numFmt numFmtId="171" formatCode="0.0 &quot;days&quot;"/></numFmts>
        <cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>""",
    "xl/worksheets/s.xml": f"""<worksheet {MAIN}><sheetData>
        <row r="3"><c r="B3" t="s"><v>0</v></c><c r="C3" t="s"><v>1</v></c>
            <c r="D3" t="s"><v>1</v></c></row>
        <row r="4"><c r="B4" s="1"><v>1</v></c><c r="C4" s="2"><v>5</v></c>
            <c r="D4" t="str"><v>x</v></c></row>
        <row r="5"><c r="B5" s="1"><v>2.5</v></c><c r="C5" s="2"><v>6</v></c>
            <c r="D5" t="e"><v>#N/A</v></c></row>
        </sheetData></worksheet>""",
}


def test_shared_texts_and_dates_since_1904(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        for name, content in PARTS.items():
            archive.writestr(name, content)
    table = read(tmp_path / "t.xlsx")
    assert table.names == ("day", "name", "name_3")
    assert table.column("day").tolist() == ["1904-01-02 00:00:00", "1904-01-03 12:00:00"]
    assert table.data("name").tolist() == [5, 6]
    assert table.column("name_3").tolist() == ["x", None]


def test_long_whole_numbers_of_a_workbook_keep_every_digit(tmp_path):
    sheet = "xl/worksheets/s.xml"
    long = PARTS | {sheet: PARTS[sheet].replace("<v>6</v>", "<v>9007199254740993</v>")}
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        for name, content in long.items():
            archive.writestr(name, content)
    assert read(tmp_path / "t.xlsx")["name"].tolist() == ["5", "9007199254740993"]


def test_hostile_workbooks(workbook, tmp_path):
    with zipfile.ZipFile(workbook) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    bomb = b'<!DOCTYPE lolz [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    sheet = parts["xl/worksheets/sheet1.xml"]

    def written(**changes):
        path = tmp_path / "hostile.xlsx"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in (parts | changes).items():
                archive.writestr(name, content)
        return path

    with pytest.raises(DataError, match="declares a document type"):
        read(written(**{"xl/workbook.xml": bomb + parts["xl/workbook.xml"]}))
    for wrong in (
        sheet[:-20],
        sheet.replace(b'r="A1"', b'r="ZZZZ1"'),
        sheet.replace(b"<v>12.5</v>", b"<v>twelve</v>"),
    ):
        with pytest.raises(DataError):
            read(written(**{"xl/worksheets/sheet1.xml": wrong}))
    with pytest.raises(DataError, match="nearly empty; give the range"):
        read(written(**{"xl/worksheets/sheet1.xml": sheet.replace(b'r="D3"', b'r="XFD1048576"')}))
    workbook.write_bytes(b"PK")
    with pytest.raises(DataError, match=r"is not an .xlsx workbook, or is damaged"):
        read(workbook)


@pytest.fixture(scope="module")
def workbook_bytes():
    """Written once: a workbook holds the time of writing, by which its size differs."""
    pytest.importorskip("openpyxl")
    buffer = io.BytesIO()
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_excel(buffer, index=False)
    return buffer.getvalue()


@settings(max_examples=30)
@given(st.data())
def test_damaged_workbooks_are_refused_or_read(workbook_bytes, data):
    content = bytearray(workbook_bytes)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(DataError):
        read(io.BytesIO(bytes(content)))


def test_sqlite(tmp_path):
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE things (x INTEGER, colour TEXT)")
        connection.execute("CREATE TABLE counted (n INTEGER PRIMARY KEY AUTOINCREMENT)")
        connection.execute("DROP TABLE counted")  # sqlite_sequence stays
        connection.executemany("INSERT INTO things VALUES (?, ?)", [(1, "red"), (2, "blue"), (3, "red")])
    connection.close()
    same(read(path))
    same(read(path, query="things"))
    with pytest.raises(DataError, match=r"shop.sqlite has no table 'thing'. Did you mean 'things'\?"):
        read(path, query="thing")
    assert read(path, query="SELECT x, x FROM things WHERE colour = 'red'").names == ("x", "x_2")
    with pytest.raises(DataError, match=r"shop.sqlite: no such table: nowhere"):
        read(path, query="SELECT * FROM nowhere")
    with pytest.raises(DataError, match=r"shop.sqlite: the query gives no rows"):
        read(path, query="SELECT * FROM things WHERE x > 3")
    with pytest.raises(DataError, match="attempt to write a readonly database"):
        read(path, query="DELETE FROM things")
    (tmp_path / "t.csv").write_text(CSV)
    with pytest.raises(DataError, match=r"t.csv: query is for .db .sqlite"):
        read(tmp_path / "t.csv", query="x")
    (tmp_path / "no.db").write_bytes(b"not a database" * 100)
    with pytest.raises(DataError, match="file is not a database"):
        read(tmp_path / "no.db")


def test_duckdb(tmp_path):
    path = tmp_path / "shop.duckdb"
    try:
        import duckdb
    except ImportError:
        path.write_bytes(b"")
        with pytest.raises(DataError, match=r"a .duckdb file needs duckdb: pip install 'openbook\[files\]'"):
            read(path)
        return
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE things AS SELECT * FROM (VALUES (1, 'red'), (2, 'blue'), (3, 'red')) t(x, colour)"
        )
        same(read(connection.sql("SELECT * FROM things")))
        connection.execute('CREATE TABLE trips AS SELECT INTERVAL 90 MINUTE AS "took ""it""", 1 AS x')
    same(read(path, query="things"))
    trips = read(path, query="trips")
    assert trips.schema.attributes == (Numeric('took "it"', "h"), Numeric("x"))
    assert trips.data('took "it"').tolist() == [1.5]
    with pytest.raises(DataError, match="nowhere does not exist"):
        read(path, query="SELECT * FROM nowhere")


def test_several_files_are_one_table(tmp_path):
    (tmp_path / "a.csv").write_text("x,colour\n1,red\n")
    (tmp_path / "b.csv").write_text("x,colour\n2,blue\n3,red\n")
    for source in (tmp_path, str(tmp_path / "*.csv"), [tmp_path / "a.csv", tmp_path / "b.csv"]):
        same(read(source))
        same(scan(source).read())


@pytest.mark.parametrize(
    "content", [CSV, '[{"x": 1, "colour": "red"}, {"x": 2, "colour": "blue"}, {"x": 3, "colour": "red"}]']
)
def test_open_files(content):
    same(read(io.BytesIO(content.encode())))
    same(read(io.StringIO(content)))
    with pytest.raises(DataError, match="standard input is empty"):
        read(io.BytesIO(b""))


def test_packed_files_through_a_pipe():
    """The first bytes tell how it is packed, and after that what was packed."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as z:
        z.writestr("t.csv", CSV)
    for content in (gzip.compress(CSV.encode()), bz2.compress(CSV.encode()), lzma.compress(CSV.encode())):
        same(read(io.BytesIO(content)))
    same(read(io.BytesIO(archive.getvalue())))
    lines = b'{"x": 1, "colour": "red"}\n{"x": 2, "colour": "blue"}\n{"x": 3, "colour": "red"}\n'
    same(read(io.BytesIO(gzip.compress(lines))))
    with pytest.raises(DataError, match="standard input is not a xz file, or is damaged"):
        read(io.BytesIO(lzma.compress(CSV.encode())[:30]))


def test_another_marker_leaves_none_a_value(tmp_path):
    """Who says that n/d means missing has said nothing of None; who names None has."""
    rows = [f"{'n/d' if i % 5 == 0 else i / 2},{('None', 'red')[i % 2]}\n" for i in range(20)]
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(rows))
    table = read(tmp_path / "t.csv", missing=[*MISSING_TOKENS, "n/d"])
    assert table.schema.attributes == (Numeric("a"), Nominal("b", ("None", "red")))
    assert table.column("a").missing.sum() == 4
    for named in ([*MISSING_TOKENS, "n/d", "None"], ["n/d", "None"]):
        assert read(tmp_path / "t.csv", missing=named).column("b").missing.sum() == 10


def _as_file(suffix):
    def written(frame, folder):
        path = folder / f"t.{suffix}"
        if suffix == "arff":
            rows = "\n".join(",".join(map(str, row)) for row in frame.rows())
            path.write_text(f"@relation t\n@attribute a numeric\n@attribute y numeric\n@data\n{rows}\n")
        elif suffix == "jsonl":
            frame.write_ndjson(path)
        else:
            getattr(frame, f"write_{suffix}")(path)
        return path

    return written


@pytest.mark.parametrize(
    "source",
    [
        *map(_as_file, ("csv", "parquet", "arff", "jsonl")),
        lambda frame, _: frame,
        lambda frame, _: frame.to_pandas(),
        lambda frame, _: frame.to_dicts(),
        lambda frame, _: frame.to_numpy(),
        lambda frame, _: frame.with_columns(pl.all().cast(pl.String)),
    ],
    ids=["csv", "parquet", "arff", "jsonl", "polars", "pandas", "dicts", "array", "texts"],
)
@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64])
def test_a_text_is_missing_in_one_column_only(tmp_path, source, dtype):
    rows = source(
        pl.DataFrame({"a": [-1, 2, -1], "y": [-1, 0, 5]}).with_columns(pl.all().cast(dtype)), tmp_path
    )
    a, y = ("x0", "x1") if isinstance(rows, np.ndarray) else ("a", "y")
    texts = ["-1", "-1.0"]
    table = read(rows, missing_in={y: texts})
    np.testing.assert_array_equal(table.data(a), [-1, 2, -1])
    np.testing.assert_array_equal(table.data(y), [np.nan, 0, 5])
    classes = read(rows, {y: "nominal"}, missing_in={y: texts}).column(y)
    assert (classes.missing.tolist(), len(classes.attribute.values)) == ([True, False, False], 2)
    if getattr(rows, "suffix", "") in (".csv", ".parquet"):
        scanned = scan(rows, missing_in={y: texts}).read()
        np.testing.assert_array_equal(scanned.data(a), table.data(a))
        np.testing.assert_array_equal(scanned.data(y), table.data(y))
        with pytest.raises(UnknownColumn, match="no column 'z'"):
            scan(rows, missing_in={"z": ["-1"]})
    with pytest.raises(UnknownColumn, match="no column 'z'"):
        read(rows, missing_in={"z": ["-1"]})
