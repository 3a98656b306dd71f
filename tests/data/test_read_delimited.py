"""CSV and TSV files: each oddity has its rule or its error."""

import gzip
import re

import numpy as np
import polars as pl
import pytest

from openbook.data import Nominal, Numeric, delimited, read, scan
from openbook.data.frames import polars_columns
from openbook.errors import DataError


@pytest.fixture
def file(tmp_path):
    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def cells(path, **options):
    table = read(path, **options)
    return {name: table.column(name).tolist() for name in table.names}


def test_kinds_and_reasons(file):
    table = read(file("age,smoker,city,zip\n31,true,Oslo,0150\n?,false,NA,5003\n"))
    assert [a.kind for a in table.schema] == ["numeric", "nominal", "nominal", "nominal"]
    assert table.why == {
        "age": "every known cell is a number",
        "smoker": "true or false",
        "city": "words: 1 distinct value",
        "zip": "codes such as '0150' start with a zero, which a number would lose",
    }
    assert np.isnan(table.data("age")[1])
    assert table.column("city").tolist() == ["Oslo", None]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_sniffed(file, separator):
    path = file(f'name{separator}n\n"a{separator}b"{separator}1\nc{separator}2\n')
    assert cells(path) == {"name": [f"a{separator}b", "c"], "n": [1, 2]}


def test_a_decimal_comma_is_no_separator(file):
    assert cells(file("size;price\nsmall;3,50\nlarge;4,25\n")) == {
        "size": ["small", "large"],
        "price": [3.5, 4.25],
    }


def test_tsv_is_separated_by_tabs_whatever_else_it_holds(file):
    assert cells(file("a,b\tc\nx,y\t1\n", "t.tsv")) == {"a,b": ["x,y"], "c": [1]}


def test_one_column(file):
    table = read(file("n\n1\n\n3\n"))
    np.testing.assert_array_equal(table.data("n"), [1, np.nan, 3])  # a blank line is a missing cell


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_are_skipped(file, end):
    path = file(end.join(["", "a,b", "1,x", "", "2,", "  ", "3,y", "", ""]))
    assert cells(path) == {"a": [1, 2, 3], "b": ["x", None, "y"]}


def test_a_row_of_gaps_is_not_a_blank_line(file):
    assert cells(file("a,b\nx,y\n,\nz,w\n")) == {"a": ["x", None, "z"], "b": ["y", None, "w"]}


def test_byte_order_mark(file):
    assert read(file(b"\xef\xbb\xbfa,b\n1,2\n")).names == ("a", "b")


def test_blanks_around_names_and_cells(file):
    assert cells(file(" a , b \n 1 , x \n 2 ,y\n")) == {"a": [1, 2], "b": ["x", "y"]}


def test_quotes(file):
    path = file('a,b\n"two\nlines, one cell",1\n"he said ""no""",2\n"",3\n')
    assert cells(path) == {"a": ["two\nlines, one cell", 'he said "no"', None], "b": [1, 2, 3]}


def test_empty_names_are_numbered_and_said(file):
    table = read(file("a,,b,\n1,2,3,\n"))
    assert table.names == ("a", "column_2", "b", "column_4")
    assert table.notes == (
        "column 2 is called column_2: it has no name in the file",
        "column 4 is called column_4: it has no name in the file",
    )


def test_a_huge_field(file):
    table = read(file("a,b\n" + "x" * 3_000_000 + ",1\n"))
    assert len(table.column("a")[0]) == 3_000_000
    assert table.why["a"] == "free text: a cell has 3,000,000 characters"


def test_gzip(file):
    assert cells(file(gzip.compress(b"a,b\n1,x\n\n2,y\n"), "t.csv.gz")) == {"a": [1, 2], "b": ["x", "y"]}


def test_a_late_cell_breaks_the_guess(file):
    n = 3 * delimited._PEEK_ROWS
    table = read(file("n,m\n" + "".join(f"{i},{i}\n" for i in range(n)) + "n/k,1\n"))
    assert table.schema["m"] == Numeric("m")
    assert table.schema["n"].kind == "nominal"
    assert table.why["n"].startswith(f"1 of {n + 1:,} cells is not a number, first 'n/k' in row {n:,}")
    assert table.data("m").tolist() == [*range(n), 1]


def test_a_late_code_breaks_the_guess(file):
    n = 2 * delimited._PEEK_ROWS
    table = read(file("n,m\n" + "".join(f"{i},{i}\n" for i in range(n)) + "007,0.5\n"))
    assert table.why["n"] == "codes such as '007' start with a zero, which a number would lose"
    assert table.schema["m"] == Numeric("m")


def test_codes_in_one_column_leave_the_numbers_of_the_others(file, monkeypatch):
    as_texts = []
    monkeypatch.setattr(
        delimited,
        "polars_columns",
        lambda frame, *rest: as_texts.append(frame) or polars_columns(frame, *rest),
    )
    table = read(file("zip,n,at\n0150,1.5,08:30\n5003,2.5,17:45\n"))
    assert [table.schema[name].kind for name in table.names] == ["nominal", "numeric", "datetime"]
    assert as_texts[0].schema["n"] == pl.Float64


TITLES = ["Sales of 2024\n", "Sales\nAll shops\n\n", "Sales,,,\n,,,\n", "Sales, by shop\n"]


@pytest.mark.parametrize("top", TITLES)
def test_titles_above_the_header_are_left_out(file, top):
    header = "shop,sold,price,day\n"
    rows = "A,3,1.5,2024-03-01\nB,4,2.5,2024-03-02\nA,5,0.5,2024-03-03\n"
    path = file(top + header + rows)
    for table in (read(path), scan(path).read()):
        assert [column.kind for column in table.schema] == ["nominal", "numeric", "numeric", "datetime"]
        assert table.names == ("shop", "sold", "price", "day")
        assert table.data("sold").tolist() == [3, 4, 5]
    assert re.search(r"[123] lines? above the header left out: Sales", " ".join(read(path).notes))
    last = len((top + header + rows).splitlines()) + 1
    with pytest.raises(DataError, match=f"line {last} has 2 fields"):
        read(file(top + header + rows + "B,1\n"))


def test_commas_of_titles_do_not_count_as_separators(file):
    titles = "Umsätze;03.05.2024\nKunde;Müller, Jörg\nSaldo;1.234,56 EUR\nStand;1,0\n"
    rows = "".join(f"{day}.03.2024;REWE;EUR;-{day}.234,56\n" for day in range(1, 9))
    table = read(file(titles + "Tag;Empfänger;Währung;Betrag\n" + rows))
    assert [column.kind for column in table.schema] == ["datetime", "nominal", "nominal", "numeric"]
    assert table.data("Betrag")[0] == -1234.56


@pytest.mark.parametrize(
    ("top", "separator"),
    [
        ("sep=;\n", ";"),
        ("SEP=,\r\n", ","),
        ("# made by a program\n# on a day\n", ","),
        ("# temperatures, by station\n\n", ";"),
    ],
)
def test_remarks_above_the_header_are_left_out(file, top, separator):
    path = file(top + "a,b\n1,x\n2,y\n3,x\n".replace(",", separator))
    for table in (read(path), scan(path).read()):
        assert table.names == ("a", "b")
        assert table["a"].tolist() == [1, 2, 3]
        assert "above the header left out" in table.notes[0]
    with pytest.raises(DataError, match=f"line {top.count(chr(10)) + 3} has 1 fields"):
        read(file(top + "a,b\n1,x\n2\n".replace(",", separator)))


def test_a_header_may_start_with_a_hash(file):
    assert read(file("# by a program\n#id,name,n\n1,x,2\n2,y,3\n")).names == ("#id", "name", "n")
    assert read(file("#id,n\n1,2\n2,3\n")).names == ("#id", "n")


def test_quotes_after_backslashes(file):
    """As MySQL and Spark write them."""
    path = file('a,b\n1,"so \\"called\\", here"\n2,"C:\\\\"\n')
    for table in (read(path), scan(path).read()):
        assert table["b"].tolist() == ['so "called", here', "C:\\"]
        assert table.notes == ("quotes inside fields have a backslash before them, which is left out",)
    assert read(file('a,b\n1,"C:\\"\n2,x\n'))["b"].tolist() == ["C:\\", "x"]  # no quote is inside


def test_a_header_of_few_names_is_no_title(file):
    assert read(file("a,,\n1,2,3\n4,5,6\n")).names == ("a", "column_2", "column_3")
    assert read(file("a,b\n1,\n2,\n")).names == ("a", "b")
    with pytest.raises(DataError, match="line 2 has 3 fields, but the header has 1"):
        read(file("a\n1,2,3\n4,5,6\n"))


def test_kinds_of_a_file(file):
    path = file("zip,size,n\n0150,small,1\n5003,large,2\n")
    table = read(path, kinds={"zip": "numeric", "size": ["small", "large"], 2: "nominal"})
    assert table.data("zip").tolist() == [150, 5003]
    assert table.schema["size"].kind == "ordinal"
    assert table.schema["n"] == Nominal("n", ("1", "2"))
    with pytest.raises(DataError, match="column 'size' cannot be numeric: row 0 holds 'small'"):
        read(path, kinds={"size": "numeric"})


def test_missing_tokens_can_be_numbers(file):
    path = file("a,b\n-999,1\n 2 ,-999\n -999 ,3\n")
    np.testing.assert_array_equal(read(path, missing=["-999"]).data("a"), [np.nan, 2, np.nan])
    np.testing.assert_array_equal(read(path).data("a"), [-999, 2, -999])


def test_a_missing_number_may_be_written_with_decimals(file):
    table = read(file("a,zip\n-999.0,07\n2.5,7\n"), {"zip": "nominal"}, missing=["-999", "7"])
    np.testing.assert_array_equal(table.data("a"), [np.nan, 2.5])
    assert table["zip"].tolist() == ["07", None]


def test_na_can_be_a_value(file):
    assert cells(file("country\nNA\nDE\n\n"), missing=[]) == {"country": ["NA", "DE", None]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.csv is empty"),
        (b"\n \r\n\n", "t.csv is empty"),
        (b"\xef\xbb\xbf", "t.csv is empty"),
        (b"a,b\n", "has a header, but no rows"),
        (b"a,b", "has a header, but no rows"),
        (b"\x1c", "has a header, but no rows"),
        (b"a,b\n\n\n", "has a header, but no rows"),
        (b"a,b,c\n1,2,3\n4,5\n", "line 3 has 2 fields, but the header has 3"),
        (b"a,b\n1,2\n\n3,4,5\n", "line 4 has 3 fields, but the header has 2"),
        (b'a,b\n"x\ny",2\n3\n', "line 4 has 1 fields, but the header has 2"),
        (b'a,b\n1,"x\n3,4\n', "line 2: an opening quote is never closed"),
        (
            b'a,b\n5" nail,2\n3,4\n',
            "line 2: a quote inside a field; put the field in quotes and double the quote",
        ),
        (b'a,b\n"x" y,2\n3,4\n', "line 2: a quote inside a field"),
        ("a,b\nJosé,2\n".encode("latin-1"), "line 2: byte 0xe9 is not UTF-8.*read with encoding='cp1252'"),
        ("é,b\n1,2\n".encode("latin-1"), "line 1: byte 0xe9 is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16-le"), "not a text file: byte 1 is NUL"),
        (b"a,b\n1,\0\n", "not a text file: byte 6 is NUL"),
        (b"PK\x03\x04\0\0", "byte 4 is NUL; it starts as a .zip file does: rename it"),
        (b"<!DOCTYPE html>\n<p>Please log in</p>\n", "holds a web page, not a table"),
        (b"name,height\nA,5'11\"\nB,6'2\"\n", "line 2: a quote inside a field"),
        (b"a,b\r1,2\r", "has carriage returns as line ends.*tr"),
        (b"a\rb,c\nx,y\n", "the names in the header cannot be separated"),
    ],
)
def test_what_is_wrong_is_said(file, content, message):
    with pytest.raises(DataError, match=message):
        read(file(content))


def test_nul_deep_in_the_file(file):
    table = read(file(b"a,b\n" + b"some text,1\n" * 100_000 + b"x\0y,1\n"))
    assert table.column("a")[100_000] == "x\0y"


def test_damaged_gzip(file):
    with pytest.raises(DataError, match="is not a gzip file, or is damaged"):
        read(file(b"a,b\n1,2\n", "t.csv.gz"))


def test_what_polars_says_does_not_matter(tmp_path, monkeypatch):
    """A guess that later rows break is noticed whatever the words of polars' error."""
    read_csv, failures = pl.read_csv, []

    def other_words(*given, **named):
        try:
            return read_csv(*given, **named)
        except pl.exceptions.PolarsError:
            failures.append(given)
            raise pl.exceptions.ComputeError("?") from None

    monkeypatch.setattr(pl, "read_csv", other_words)
    rows = [f"{i},{i / 2},{i}" for i in range(300)]
    path = tmp_path / "late.csv"
    path.write_text("\n".join(["a,b,c", *rows, "NA,many, 7", ""]))
    table = read(path)
    assert failures
    assert [type(attribute) for attribute in table.schema] == [Numeric, Nominal, Numeric]
    assert np.isnan(table.columns[0][-1])
    assert table.columns[0][299] == 299
    assert table.columns[2][-1] == 7


def test_fields_may_be_separated_by_blanks(tmp_path):
    (tmp_path / "a.csv").write_text("size price\nsmall 3.5\nlarge 4.2\n")
    table = read(tmp_path / "a.csv")
    assert table["price"].tolist() == [3.5, 4.2]
    assert table.notes == ("fields are separated by blanks",)
    (tmp_path / "names.csv").write_text("full name\nAnn Lee\nBob Ray\n")
    assert read(tmp_path / "names.csv").names == ("full name",)


@pytest.mark.parametrize("header", ["mpg\tweight name\n", ""])
def test_columns_of_the_same_width_are_read(tmp_path, header):
    """As the cars of the UCI repository come: blanks and tabs, however many, and names in quotes."""
    lines = ['18.0   3504.\t"buick skylark"', ' 9.0   ?    \t"ford  pinto"', "31.5   1990.\thonda"] * 2
    path = tmp_path / "auto-mpg.data"
    path.write_text(header + "\n".join(lines) + "\n")
    table = read(path)
    assert [a.kind for a in table.schema] == ["numeric", "numeric", "nominal"]
    assert table.column(table.names[0]).tolist() == [18.0, 9.0, 31.5] * 2
    assert table.column(table.names[1]).missing.tolist() == [False, True, False] * 2
    assert table.column(table.names[2]).tolist() == ["buick skylark", "ford  pinto", "honda"] * 2
    assert "fields are separated by blanks" in table.notes
    assert scan(path).schema == table.schema


def test_a_tab_in_every_line_separates_words_with_blanks(tmp_path):
    (tmp_path / "a.txt").write_text("Full name\tage\nAnn Lee\t30\nBob Ray\t40\nCy Fox\t50\n")
    assert read(tmp_path / "a.txt").names == ("Full name", "age")


@pytest.mark.parametrize(
    "text",
    [
        "size,price\nsmall one,3\nlarge,?\n",
        "\n    size       price\n    small one  3\n    large      ?\n",
        "| size | price |\n|------|------:|\n| small one | 3 |\n| large | |",
        "size;price\nsmall one;3\nlarge;\n",
    ],
)
def test_a_table_typed_by_hand(text):
    table = read(text, kinds={"size": ["small one", "large"]})
    assert table.column("size").tolist() == ["small one", "large"]
    assert table.column("price").missing.tolist() == [False, True]
    assert table.data("price")[0] == 3


def test_nested_lists_with_names():
    assert cells([["town", "price"], ["Ulm", 3], ["Bonn", 4]], header=True) == {
        "town": ["Ulm", "Bonn"],
        "price": [3.0, 4.0],
    }
    with pytest.raises(DataError, match="row 1 has 1 cell, and the first line has 2 names"):
        read([["town", "price"], ["Ulm", 3], ["Bonn"]], header=True)


def test_blank_lines_above_a_header_of_tabs_are_no_header(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("\t\n\na\tb\n1\t2\n")
    table = read(path)
    assert table.names == ("a", "b")
    assert table.notes == ("2 lines above the header left out",)
    path.write_bytes(b"\t\n\n\x01")
    with pytest.raises(DataError, match="no rows"):
        read(path)


@pytest.mark.parametrize(
    "content",
    [
        '"speed","kind"\n"r1",4.5,"x"\n"r2",7,"y"\n',
        '"speed"\t"kind"\n"r1"\t4.5\t"x"\n"r2"\t7\t"y"\n',
        '"speed" "kind"\n"r1" 4.5 "x"\n"r2" 7 "y"\n',
        "\ufeffspeed   kind\r\nr1  4.5  x\r\nr2  7    y\r\n",
    ],
)
def test_a_table_that_r_writes_with_row_names(file, content):
    path = file(content)
    assert cells(path) == {"column_1": ["r1", "r2"], "speed": [4.5, 7], "kind": ["x", "y"]}
    assert "column 1 is called column_1: it has no name in the file" in read(path).notes
    assert scan(path).read().column("speed").tolist() == [4.5, 7]


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,2,3\n4,5,6\n",
        '"a","b"\n"1",2,\n"4",5,\n',
        "a,b\n1,2,3\n4,5\n",
        "a,b\nx,y,z\nu,v,w\n",
        "1,2\n3,4,5\n6,7,8\n",
    ],
)
def test_rows_that_are_too_long_for_another_reason_are_refused(file, content):
    with pytest.raises(DataError, match="line 2 has 3 fields, but the header has 2"):
        read(file(content))
