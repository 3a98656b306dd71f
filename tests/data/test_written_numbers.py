"""Numbers as people write them: the style and the unit of a column, from files, frames, rows and scans."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbook.bayes import NaiveBayes
from openbook.data import Attribute, Nominal, Numeric, read, scan
from openbook.data.conform import conform
from openbook.data.written_numbers import NumberEvidence, written_number
from openbook.errors import DataError
from openbook.linear import LinearRegression

#: Cells, the attribute they make, and the numbers they mean.
COLUMNS = [
    (["$13,160.14", "$986", "-$3.20"], Numeric("c", "$", ".", ","), [13160.14, 986, -3.2]),
    (["13.3%", "5%", "100 %"], Numeric("c", "%"), [13.3, 5, 100]),
    (["1,179,745", "12", "1234"], Numeric("c", "", ".", ","), [1179745, 12, 1234]),
    (["65,937", "986"], Numeric("c", "", ".", ","), [65937, 986]),
    (["1.179.745,00", "3,5", "1.234"], Numeric("c", "", ",", "."), [1179745, 3.5, 1234]),
    (["(1,200)", "300", "(5)"], Numeric("c", "", ".", ","), [-1200, 300, -5]),
    (["5 kg", "7.5kg", "8", None], Numeric("c", "kg"), [5, 7.5, 8, math.nan]),
    (["36 months", "60 months"], Numeric("c", "months"), [36, 60]),
    (["1 year", "10 years"], Numeric("c", "years"), [1, 10]),
    (["1e3 m", "-2 m", "−4 m"], Numeric("c", "m"), [1000, -2, -4]),
    (["€1.2M", "€300k", "€12"], Numeric("c", "€"), [1.2e6, 3e5, 12]),
    (["1 234,5", "12"], Numeric("c", "", ",", " "), [1234.5, 12]),
    (["12,34,567", "5"], Numeric("c", "", ".", ","), [1234567, 5]),
    (["1'234.50"], Numeric("c", "", ".", "'"), [1234.5]),
    (["$65,937", "$12,345"], Numeric("c", "$", ".", ","), [65937, 12345]),
    (["36:15:00", "2:30:36", None], Numeric("c", "h"), [36.25, 2.51, math.nan]),
    (["2 days 03:00", "0 days 00:45:00", "1 day, 1:30:00"], Numeric("c", "h"), [51, 0.75, 25.5]),
    (["1h 30m", "12 h 6 min"], Numeric("c", "h"), [1.5, 12.1]),
    (["59:30", "8:15"], Numeric("c", "h:min or min:s"), [59.5, 8.25]),
]


@pytest.mark.parametrize("cells", [["59:30", "1:02:15"], ["36:60:00", "1:00:00"], ["2 days", "36:15:00"]])
def test_durations_in_two_units_or_beyond_an_hour_stay_as_they_are(cells):
    assert isinstance(read([{"c": cell} for cell in cells]).schema["c"], Nominal)


@pytest.mark.parametrize(("cells", "attribute", "numbers"), COLUMNS)
def test_style_and_unit_of_a_column(cells, attribute, numbers, tmp_path):
    frames = [
        [{"c": cell, "d": 1} for cell in cells],
        pd.DataFrame({"c": cells, "d": 1}),
        pl.DataFrame({"c": cells, "d": [1] * len(cells)}),
    ]
    frames[2].write_csv(tmp_path / "c.csv", quote_style="always")
    frames[2].write_parquet(tmp_path / "c.parquet")
    sources = [*frames, *(f(tmp_path / name) for f in (str, scan) for name in ("c.csv", "c.parquet"))]
    for source in sources:
        table = read(source)
        assert table.schema["c"] == attribute
        np.testing.assert_allclose(table.data("c"), numbers)
        assert table.why["c"].startswith("every known cell is a number (")
    assert read(frames[0], {"c": "numeric"}).schema["c"] == attribute
    assert scan(tmp_path / "c.csv", {"c": "numeric"}).schema["c"] == attribute


@pytest.mark.parametrize(
    "cells",
    [
        ["12A", "13A"],
        ["1st", "2nd"],
        ["Q1", "Q2"],
        ["rs10000025", "rs1000003"],  # a gene's variants
        ["(1)", "(2)"],  # notes rather than negative numbers
        ["612 345 678", "123 456 789"],  # telephones
        ["5", "10+"],
        ["1.2.3", "1.2.4"],
        ["192.168.0.1"],
        ["24:60"],
        ["1.5", "1,5"],
        ["3 Series", "5 Series"],
        ["((5))"],
        ["+-5 kg"],
        ["5 kg)"],
    ],
)
def test_codes_are_no_numbers(cells):
    assert isinstance(read([{"c": cell} for cell in cells]).schema["c"], Nominal)


def test_two_units_are_reported():
    table = read([{"c": "5 kg"}, {"c": "300 g"}])
    assert table.why["c"] == "numbers in different units, kg and g; convert them to one"
    assert (
        read([{"c": "5"}, {"c": "1,50 €"}], thousands=",").why["c"].startswith("1 of 2 cells is not a number")
    )
    with pytest.raises(DataError, match=r"column 'c' cannot be numeric: row 1 holds 'x'"):
        read([{"c": "5 kg"}, {"c": "x"}], {"c": "numeric"})


def test_given_marks_hold_for_the_whole_table(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("a;b;c\n1.234;5,5;7\n2.345;6,5;1.5\n")
    for table in (read(path, decimal=","), scan(path, decimal=",").read()):
        assert table.data("a").tolist() == [1234, 2345]
        assert table.data("b").tolist() == [5.5, 6.5]
        assert table.data("c").tolist() == [7, 1.5]  # no thousands: as a program writes it
    assert read(path).data("a").tolist() == [1.234, 2.345]
    with pytest.raises(DataError, match=r"decimal must be one of '.', ',', got '!'"):
        read([{"c": "1"}], decimal="!")
    with pytest.raises(DataError, match="decimal and thousands are both ','"):
        read([{"c": "1"}], decimal=",", thousands=",")


def test_new_rows_are_read_as_the_training_rows(tmp_path):
    rows = [{"x": f"{i}.000,5 kg", "y": "ab"[i % 2]} for i in range(1, 9)]
    model = NaiveBayes().fit(read(rows).drop("y"), read(rows).column("y"))
    assert model.schema_["x"] == Numeric("x", "kg", ",", ".")
    path = tmp_path / "new.csv"
    path.write_text("x\n4.000\n")  # by itself, 4
    expected = model.predict_proba([{"x": 4000.0}])
    for new in ([{"x": "4.000"}], pd.DataFrame({"x": ["4.000 kg"]}), path):
        np.testing.assert_array_equal(model.predict_proba(new), expected)
    with pytest.raises(DataError, match="column 'x' was in kg in training, now in g; convert it"):
        conform(read([{"x": "4 g"}]), model.schema_)


def test_an_attribute_keeps_its_style():
    attribute = Numeric("c", "$", ",", ".")
    assert Attribute.from_json(attribute.to_json()) == attribute
    assert Numeric("c").to_json() == {"kind": "numeric", "name": "c"}
    assert repr(attribute) == "Numeric(name='c', unit='$', decimal=',', thousands='.')"
    for wrong in ({"decimal": "x"}, {"decimal": ","} | {"thousands": ","}, {"unit": 3}):
        with pytest.raises(DataError, match="attribute 'c'"):
            Attribute.from_json({"kind": "numeric", "name": "c", **wrong})


@given(st.lists(st.text("0123456789.,' $%()-+ekg", max_size=12), max_size=6))
def test_any_text_is_a_number_or_is_not(texts):
    whole, parts = NumberEvidence(), NumberEvidence()
    whole.add(texts)
    for text in texts:
        parts.add([text])
    assert whole.attribute("c") == parts.attribute("c")
    if attribute := whole.attribute("c"):
        assert all(written_number(text, attribute) is not None for text in texts)


@given(st.integers(-(10**9), 10**9), st.sampled_from(["", "$", "EUR "]))
def test_what_python_writes_is_read(number, unit):
    text = f"{unit}{number:,}"
    assert written_number(text, Numeric("c", unit.strip(), ".", ",")) == number


def test_later_rows_may_have_thousands_where_training_had_none(tmp_path):
    """$844.90 was the largest price of training; a model must not stop at the first of $1,000 and more."""
    model = LinearRegression().fit([{"price": f"${i}.50", "units": 2.0 * i} for i in range(9)], "units")
    (tmp_path / "new.csv").write_text('price\n"$1,123.50"\n"$1,234,567.50"\n')
    table = read(tmp_path / "new.csv", model.schema_)
    assert table.column("price").tolist() == [1123.5, 1234567.5]
    assert model.predict(table) == pytest.approx([2246.0, 2469134.0])
    assert model.predict([{"price": "1,000"}]) == pytest.approx([1999.0])  # 2 (1000 - 0.5)
    (tmp_path / "new.csv").write_text('price\n"$1,12.50"\n')
    with pytest.raises(DataError, match=r"row 0 holds '\$1,12\.50'"):
        read(tmp_path / "new.csv", model.schema_)


def columns_of(path, lines):
    """The numbers of a file, as `read` and `scan` read them alike, and the reasons."""
    path.write_text("\n".join(lines) + "\n")
    table, scanned = read(path), scan(path)
    assert scanned.schema == table.schema
    assert {name: scanned.why[name] for name in table.names} == table.why
    return {name: table.column(name).tolist() for name in table.names}, table.why


def test_the_decimal_point_of_other_columns_shows_that_a_comma_means_thousands(tmp_path):
    lines = ["share;income", "12.5;65,937", "7;12,345"]
    cells, why = columns_of(tmp_path / "t.csv", lines)
    assert cells["income"] == [65937, 12345]
    assert why["income"] == (
        "every known cell is a number (thousands comma, since other columns have a decimal point),"
        " such as '12,345' = 12345"
    )


def test_the_decimal_comma_of_other_columns_shows_that_a_point_means_thousands(tmp_path):
    lines = ["share;income;size", "12,5;65.937;1,234", "7;986;5,678"]
    cells, why = columns_of(tmp_path / "t.csv", lines)
    assert cells["income"] == [65937, 986]
    assert why["income"] == (
        "every known cell is a number (thousands point, since other columns have a decimal comma),"
        " such as '65.937' = 65937"
    )
    assert cells["size"] == [1.234, 5.678]
    assert "(decimal comma as in other columns)" in why["size"]


def test_a_point_that_first_shows_far_down_means_thousands_too(tmp_path):
    lines = ["share;income", *["12,5;986"] * 2000, "7;1.234"]
    cells, _ = columns_of(tmp_path / "t.csv", lines)
    assert cells["income"][-2:] == [986, 1234]


@pytest.mark.parametrize("other", ["12,5;1.5", "12;1"])
def test_columns_that_show_both_decimal_signs_or_none_leave_it_open(tmp_path, other):
    lines = ["a;b;income;point", f"{other};65,937;1.234", f"{other};12,345;5.678"]
    cells, why = columns_of(tmp_path / "t.csv", lines)
    assert why["income"].startswith("in '12,345' the comma may mean decimals or thousands")
    assert cells["point"] == [1.234, 5.678]


def test_percentages_are_refused_where_the_column_had_no_unit():
    """5% may be 0.05 or 5 there."""
    rows = [{"share": 0.05, "y": 1.0}, {"share": 0.1, "y": 2.0}, {"share": 0.2, "y": 4.0}]
    model = LinearRegression().fit(rows, "y")
    with pytest.raises(DataError, match="column 'share' had no unit in training, now in %; convert it"):
        model.predict([{"share": "5%"}])
    assert written_number("5%", Numeric("share")) is None
    assert written_number("5", Numeric("share", "%")) == 5
