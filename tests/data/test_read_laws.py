"""Laws: one table, whatever the way it was read; and hostile files end in a DataError."""

import csv
import gzip
import io
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from openbook.data import Table, delimited, frames, read, scan
from openbook.data.arrays import from_rows
from openbook.data.delimited import DelimitedFile
from openbook.data.reading import Reading
from openbook.errors import DataError, OpenbookError

WORDS = st.sampled_from(
    ["red", "green", " blue ", "Löwe", 'a "b" c', "x,y", "two\nlines", "True", "FALSE", "x;y", "1|2"]
)
NUMBERS = st.one_of(
    st.integers(-1000, 1000).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["1e3", "+5", ".5", "7.", " 8", "9 ", "inf", "-Infinity", "1_000", "0x10", "NAN"]),
)
GAPS = st.sampled_from(["", "?", "NA", " N/A ", "nan", "NULL", "None", " "])
CODES = st.sampled_from(["007", "00", "0123", " 01"])
COMMAS = st.sampled_from(["3,14", "1,234", "0,5", "2", "1.234,5"])
COLUMNS = st.sampled_from(
    [
        NUMBERS,
        NUMBERS | GAPS,
        NUMBERS | CODES,
        NUMBERS | WORDS,
        WORDS | GAPS,
        COMMAS,
        COMMAS | GAPS,
        GAPS,
        CODES,
    ]
)


@st.composite
def grids(draw):
    """Rows of texts, at least two columns, as a CSV file would hold them."""
    kinds = draw(st.lists(COLUMNS, min_size=2, max_size=4))
    rows = draw(st.integers(1, 12))
    return list(zip(*[draw(st.lists(kind, min_size=rows, max_size=rows)) for kind in kinds], strict=True))


def write_csv(folder, rows, separator, name="t.csv"):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL if rows else 0)
    names = [f"c{i}" for i in range(len(rows[0]))]
    text.write(separator.join(names) + "\n")
    for row in rows:
        if any(sign in cell for cell in row for sign in ',;"\n|\t'):
            writer.writerow(row)
        else:
            text.write(separator.join(row) + "\n")
    path = Path(folder) / name
    path.write_bytes(text.getvalue().encode())
    return path, [dict(zip(names, row, strict=True)) for row in rows]


def assert_same(a: Table, b: Table) -> None:
    assert a.schema == b.schema
    assert a.why == b.why
    for name in a.names:
        left, right = a.data(name), b.data(name)
        assert left.dtype == right.dtype
        if left.dtype.kind == "f":
            np.testing.assert_array_equal(left, right)
        else:
            assert left.tolist() == right.tolist()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=grids(),
    separator=st.sampled_from(",;\t|"),
    peek=st.integers(1, 4),
    many_rows=st.sampled_from([1, 100]),
)
def test_csv_is_read_as_its_texts_would_be(monkeypatch, rows, separator, peek, many_rows):
    monkeypatch.setattr(delimited, "_PEEK_ROWS", peek)  # so that later cells break the guess
    monkeypatch.setattr(frames, "_MANY_ROWS", many_rows)  # so that polars codes the words, or we do
    with tempfile.TemporaryDirectory() as folder:
        path, dicts = write_csv(folder, rows, separator)
        how, _ = DelimitedFile.open(path, Reading()).first_look({}, Reading())
        assert_same(read(path), from_rows(dicts, how))


@settings(max_examples=150, deadline=None)
@given(rows=grids(), chunk_rows=st.integers(1, 5))
def test_scanned_csv_is_the_csv(rows, chunk_rows):
    with tempfile.TemporaryDirectory() as folder:
        path, _ = write_csv(folder, rows, ",")
        assert_same(read(scan(path, chunk_rows=chunk_rows)), read(path))


@settings(max_examples=100, deadline=None)
@given(rows=grids(), group=st.integers(1, 6), chunk_rows=st.integers(1, 5))
def test_scanned_parquet_is_the_parquet(rows, group, chunk_rows):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        frame = pl.DataFrame(
            [list(row) for row in rows], schema=[f"c{i}" for i in range(len(rows[0]))], orient="row"
        )
        frame = frame.with_columns(n=pl.int_range(pl.len()), flag=pl.int_range(pl.len()) % 2 == 0)
        frame.write_parquet(path, row_group_size=group)
        assert_same(read(scan(path, chunk_rows=chunk_rows)), read(path))


LOOKS = {
    ".csv": st.text('ab1,;\n\r"\t0.?é -', max_size=60).map(str.encode),
    ".tsv": st.text('ab1,\n\r"\t0.?é -', max_size=60).map(str.encode),
    ".arff": st.lists(
        st.sampled_from(
            [
                "@relation x",
                "@attribute a real",
                "@attribute b {x, 'y z'}",
                "@attribute",
                "@attribute c string",
                "@data",
                "1,x,t",
                "?,'y z',?",
                "{0 1, 1 x}",
                "{9 9}",
                "{",
                "'",
                "%",
                "{0 'a', 2 \"b\"}",
                "1,'x",
                "@attribute d date",
            ]
        ),
        max_size=12,
    ).map(lambda lines: "\n".join(lines).encode()),
    ".jsonl": st.lists(
        st.sampled_from(
            [
                '{"a": 1}',
                '{"a": "x", "b": null}',
                '{"a": [1]}',
                '{"a": {}}',
                "[",
                "{}",
                "1",
                '{"a": 1e999}',
                '{"b": true}',
                '{"": 1}',
                '{"a": ' + "9" * 400 + "}",
                "nul",
            ]
        ),
        max_size=6,
    ).map(lambda lines: "\n".join(lines).encode()),
    ".parquet": st.binary(max_size=60).map(lambda b: b"PAR1" + b + len(b).to_bytes(4, "little") + b"PAR1"),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("extension", LOOKS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_only_our_errors_come_out_of_hostile_files(extension, data):
    content = data.draw(st.one_of(st.binary(max_size=80), LOOKS[extension]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{extension}"
        path.write_bytes(content)
        for way in (read, scan):
            try:
                table = way(path)
            except OpenbookError:
                continue
            assert len(table) > 0
            assert len(table.names) > 0


LONG = 300_000


@pytest.mark.parametrize(
    ("extension", "content"),
    [
        (".csv", "a,b\n" + "1" * LONG + "x,1\n" + " " * LONG + "x,2\n"),
        (".csv", "a;b\n" + "1," * LONG + "1;2\n"),
        (".csv", '"' * LONG + "\n1\n"),
        (".csv", "," * (LONG // 30) + "\n" + "," * (LONG // 30) + "\n"),
        (".arff", "@relation x\n@attribute a string\n@data\n'x" + " " * LONG + "y\n"),
        (".arff", "@relation x\n@attribute a string\n@data\n'x', " + " " * LONG + "y'\n"),
        (".arff", "@relation x\n@attribute a string\n@data\n{0 " + " " * LONG + "'y}\n"),
        (".arff", "@relation x\n@attribute a string\n@data\n'" + "\\" * LONG + "\n"),
        (".arff", "@relation x\n@attribute " + " " * LONG + "'\n"),
        (".jsonl", '{"a":' * LONG),
    ],
)
def test_hostile_files_cost_no_more_than_their_length(extension, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{extension}"
        path.write_text(content)
        with suppress(DataError):
            assert read(path).names


@settings(max_examples=60, deadline=None)
@given(content=st.binary(max_size=60), cut=st.integers(0, 40))
def test_gzip_that_is_cut_or_no_gzip(content, cut):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv.gz"
        path.write_bytes(gzip.compress(b"a,b\n1,2\n" + content)[: -cut or None])
        with suppress(DataError):
            assert read(path).names[0]


@settings(max_examples=100, deadline=None)
@given(at=st.integers(0, 2000), byte=st.integers(0, 255))
@example(at=12, byte=33)  # a negative count of values, for which polars alone would end the process
def test_parquet_with_a_flipped_byte(at, byte):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}).write_parquet(path)
        content = bytearray(path.read_bytes())
        content[at % len(content)] = byte
        path.write_bytes(content)
        for way in (read, lambda path: read(scan(path))):
            with suppress(OpenbookError):
                assert way(path).names
