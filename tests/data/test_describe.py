"""Summaries: figures against numpy, pandas and hand counts; rendering; tables with nothing to measure."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from openbook.data import MISSING, UNSEEN, Attribute, Nominal, Numeric, Ordinal, Schema, Table, Text
from openbook.data.describe import Description, describe_columns
from openbook.data.describe_render import description_text, text_bars
from openbook.errors import UnknownColumn


def table_of(*columns: tuple[Attribute, Any]) -> Table:
    return Table(Schema(tuple(a for a, _ in columns)), [np.asarray(data) for _, data in columns])


LOAN = table_of(
    (Nominal("owner", ("no", "yes")), [1, 0, 0, 1, 0, 0, 1, 0, 0, 0]),
    (
        Nominal("status", ("divorced", "married", "single")),
        [2, 1, 2, 1, 0, 1, 0, 2, MISSING, 2],
    ),
    (Numeric("income"), [125.0, 100, 70, 120, 95, 60, 220, 85, 75, np.nan]),
    (Nominal("cheat", ("no", "yes")), [0, 0, 0, 0, 1, 0, 0, 1, 0, 1]),
)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_agree_with_numpy_and_pandas(seed):
    rng = np.random.default_rng(seed)
    x = rng.gamma(0.7, 1e3, size=rng.integers(3, 400)) - 500
    x[rng.random(len(x)) < 0.2] = np.nan
    x[:3] = [1.0, 2.0, 4.0]
    known = pd.Series(x).dropna()
    figures = describe_columns(table_of((Numeric("x"), x)))["x"].numbers
    assert figures is not None
    quartiles = [figures.minimum, figures.q1, figures.median, figures.q3, figures.maximum]
    np.testing.assert_allclose(quartiles, np.quantile(known, [0, 0.25, 0.5, 0.75, 1]), rtol=1e-12)
    np.testing.assert_allclose(figures.mean, known.mean(), rtol=1e-12)
    np.testing.assert_allclose(figures.std, known.std(), rtol=1e-12)
    np.testing.assert_allclose(figures.skew, known.skew(), rtol=1e-9)
    counts, edges = np.histogram(known, bins=10)
    np.testing.assert_allclose(figures.edges, edges, rtol=1e-12)
    assert figures.counts == tuple(counts)


def test_a_number_on_an_edge_counts_above_it():
    figures = describe_columns(table_of((Numeric("x"), np.repeat(np.arange(11.0), 2))))["x"].numbers
    assert figures is not None
    assert figures.edges == tuple(range(11))
    assert figures.counts == (2, 2, 2, 2, 2, 2, 2, 2, 2, 4)  # the last bin holds both of its ends


def test_income_by_hand():
    income = describe_columns(LOAN)["income"]
    assert (income.rows, income.missing, income.missing_share, income.distinct) == (10, 1, 0.1, 9)
    assert income.numbers is not None
    assert (income.numbers.minimum, income.numbers.median, income.numbers.maximum) == (60, 95, 220)
    assert income.numbers.mean == pytest.approx(950 / 9)


def test_infinite_numbers_are_counted_and_left_out():
    summary = describe_columns(table_of((Numeric("x"), [1.0, np.inf, 3.0, -np.inf, np.inf, np.nan])))["x"]
    assert (summary.missing, summary.infinite, summary.distinct) == (1, 3, 4)
    assert summary.numbers is not None
    assert (summary.numbers.minimum, summary.numbers.mean, summary.numbers.maximum) == (1, 2, 3)


def test_huge_numbers_do_not_overflow():
    figures = describe_columns(table_of((Numeric("x"), [1.7e308, -1.7e308, 1.7e308, 0.0])))["x"].numbers
    assert figures is not None
    assert figures.mean == pytest.approx(1.7e308 / 4)
    # deviations from the mean in units of 1.7e308: 3/4, -5/4, 3/4, -1/4
    assert figures.skew == pytest.approx(4 / 6 * (2 * 27 - 125 - 1) / 64 / ((9 + 25 + 9 + 1) / 16 / 3) ** 1.5)
    assert sum(figures.counts) == 4
    rising = np.arange(60.0)
    gappy, huge = np.where(rising < 30, np.nan, 1.0), np.where(rising < 48, 1e308, 0.0)
    describe_columns(
        table_of((Numeric("y"), rising), (Numeric("a"), rising * 1e306), (Numeric("b"), huge)), "y"
    )
    found = describe_columns(table_of((Numeric("gappy"), gappy), (Numeric("huge"), huge))).findings
    assert any("mean of 'huge' is 1e+308 where it is missing, and 6e+307" in one.message for one in found)


@pytest.mark.parametrize(
    ("x", "std", "skew"), [([7.0], None, None), ([1.0, 3.0], 2**0.5, None), ([0.1] * 7, 0.0, None)]
)
def test_too_few_numbers_for_a_figure(x, std, skew):
    figures = describe_columns(table_of((Numeric("x"), x)))["x"].numbers
    assert figures is not None
    assert figures.std == (None if std is None else pytest.approx(std))
    assert figures.skew is skew


def test_float32_is_measured_in_double_precision():
    x = np.random.default_rng(0).normal(1e4, 1, 5000).astype(np.float32)
    figures = describe_columns(table_of((Numeric("x"), x)))["x"].numbers
    assert figures is not None
    assert figures.std == pytest.approx(x.astype(float).std(ddof=1), rel=1e-12)


def test_nominal_values_come_by_count_and_ordinal_ones_in_order():
    codes = [0, 1, 1, 2, 2, 2, MISSING]
    d = describe_columns(
        table_of((Nominal("n", ("a", "b", "c", "d")), codes), (Ordinal("o", ("l", "m", "h")), codes))
    )
    assert d["n"].top_values == (("c", 3), ("b", 2), ("a", 1))
    assert d["o"].top_values == (("l", 1), ("m", 2), ("h", 3))
    assert (d["n"].missing, d["n"].distinct) == (1, 3)


def test_unseen_cells_are_neither_missing_nor_a_value():
    d = describe_columns(table_of((Nominal("n", ("a", "b")), [0, 1, UNSEEN, UNSEEN, MISSING])))
    assert (d["n"].missing, d["n"].unseen, d["n"].distinct) == (1, 2, 2)


def test_text_lengths():
    cells = np.array(["ab", None, "abcd", "ab", ""], dtype=object)
    summary = describe_columns(table_of((Text("t"), cells)))["t"]
    assert summary.lengths is not None
    assert (summary.lengths.shortest, summary.lengths.median, summary.lengths.longest) == (0, 2, 4)
    assert (summary.missing, summary.distinct) == (1, 3)


def test_reasons_for_kinds_are_told():
    table = Table(LOAN.schema, LOAN.columns, why={"income": "every known cell is a number"})
    d = describe_columns(table)
    assert d["income"].why == "every known cell is a number"
    assert "income – numeric: every known cell is a number" in str(d)


def test_unknown_names_are_refused():
    with pytest.raises(UnknownColumn, match=r"no column 'cheats'\. Did you mean 'cheat'"):
        describe_columns(LOAN, "cheats")
    with pytest.raises(UnknownColumn, match=r"no column 'incme'\. Did you mean 'income'"):
        describe_columns(LOAN)["incme"]


def test_text_shows_every_column_with_its_figures():
    shown = str(describe_columns(LOAN, "cheat")).splitlines()
    assert shown[0] == "10 rows, 4 columns, 2 cells missing (5.0%), target 'cheat' (*)"
    income = next(line for line in shown if line.startswith("income"))
    assert income.split()[1:4] == ["1", "(10%)", "9"]
    assert {"60", "95", "220"} <= set(income.split())
    assert any(
        line.startswith("status") and "single (4) · married (3) · divorced (2)" in line for line in shown
    )
    assert any(line.startswith("cheat*") and "no (7) · yes (3)" in line for line in shown)


def test_text_stays_narrow():
    rng = np.random.default_rng(0)
    names = tuple(f"a rather long value, number {i}" for i in range(200))
    table = table_of(
        (Nominal("a column with a name that goes on and on and on", names), rng.integers(0, 200, 500)),
        (Numeric("n"), rng.normal(size=500)),
    )
    assert max(map(len, str(describe_columns(table)).splitlines())) <= 105


def test_many_findings_of_one_kind_are_folded():
    table = table_of(*((Numeric(f"flat{i}"), np.zeros(60)) for i in range(20)))
    shown = str(describe_columns(table))
    assert shown.count("every row has the same value") == 3
    assert "constant also in 17 more: flat3, flat4" in " ".join(shown.split())


def test_bars():
    assert text_bars([0, 1, 4, 8]) == " ▁▄█"
    assert text_bars([1, 10**9]) == "▁█"
    assert text_bars([]) == text_bars([0]).strip() == ""


def test_html_escapes_what_the_table_says():
    d = describe_columns(table_of((Nominal("<b>", ("<script>", "y")), [0, 1, 0])))
    page = d._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt; (2)" in page
    assert "&lt;b&gt;" in page


def test_json_is_plain_and_complete():
    record = json.loads(json.dumps(describe_columns(LOAN, "cheat").to_json(), allow_nan=False))
    assert record["rows"] == 10
    assert record["target"] == "cheat"
    assert [c["name"] for c in record["columns"]] == list(LOAN.names)
    assert record["columns"][2]["numbers"]["median"] == 95
    assert record["columns"][1]["top_values"] == [["single", 4], ["married", 3], ["divorced", 2]]
    assert record["findings"][0]["kind"] == "tiny"


def check_whole(d: Description) -> None:
    """What holds for any table: figures add up, findings name columns there are, everything can be shown."""
    names = {summary.name for summary in d.columns}
    for summary in d.columns:
        counted = sum(summary.numbers.counts) if summary.numbers else 0
        if summary.kind == "numeric":
            assert summary.missing + summary.infinite + counted == d.rows
        elif summary.kind != "text":
            assert summary.missing + summary.unseen + sum(count for _, count in summary.top_values) == d.rows
    assert all(set(finding.columns) <= names for finding in d.findings)
    severities = [finding.severity for finding in d.findings]
    assert severities == sorted(severities, reverse=True)  # "warn" before "note"
    json.dumps(d.to_json(), allow_nan=False)
    assert str(d)
    assert d._repr_html_()


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rows = draw(st.sampled_from([0, 1, 2, 5, 20, 60, 150]))
    columns: list[tuple[Attribute, Any]] = []
    for i in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from(["numeric", "few", "nominal", "ordinal", "text"]))
        name = f"{kind}{i}"
        if kind == "numeric":
            dtype = draw(st.sampled_from([np.float64, np.float32]))
            columns.append((Numeric(name), draw(hnp.arrays(dtype, rows))))
        elif kind == "few":
            values = st.sampled_from(
                [0.0, -0.0, 1.0, 2.0, 9.0, -1.0, -999.0, 1e308, -1e308, 5e-324, np.nan, np.inf]
            )
            columns.append((Numeric(name), draw(hnp.arrays(np.float64, rows, elements=values))))
        elif kind == "text":
            cells = draw(st.lists(st.none() | st.text(max_size=5), min_size=rows, max_size=rows))
            columns.append((Text(name), np.array(cells, dtype=object)))
        else:
            values = tuple(draw(st.lists(st.text(max_size=8), unique=True, max_size=6)))
            codes = draw(hnp.arrays(np.int8, rows, elements=st.integers(UNSEEN, len(values) - 1)))
            columns.append(((Nominal if kind == "nominal" else Ordinal)(name, values), codes))
    return table_of(*columns)


@settings(max_examples=150, deadline=None)
@given(tables(), st.data())
def test_any_table_can_be_described(table, data):
    target = data.draw(st.sampled_from([None, *table.names]))
    check_whole(describe_columns(table, target))


@pytest.mark.parametrize("rows", [0, 1, 60])
def test_columns_without_a_known_cell(rows):
    table = table_of(
        (Numeric("n"), np.full(rows, np.nan)),
        (Numeric("i"), np.full(rows, np.inf)),
        (Nominal("c", ()), np.full(rows, MISSING)),
        (Nominal("u", ("a",)), np.full(rows, UNSEEN)),
        (Text("t"), np.full(rows, None, dtype=object)),
    )
    for target in (None, *table.names):
        check_whole(describe_columns(table, target))


def test_nothing_in_a_table_commands_a_terminal_or_a_page():
    hostile = table_of(
        (Nominal("na\x1b[2Jme", ("a\x00\tb", "c\x07")), [0, 1, 0, 0]),
        (Numeric("x\x9b"), [1.0, 2.0, 1.0, 1.0]),
    )
    d = describe_columns(hostile)
    shown = (str(d), d._repr_html_(), repr(hostile), hostile._repr_html_())
    for text in shown:
        assert text.replace("\n", "").isprintable()
        assert "na�[2Jme" in text
        assert "x�" in text
    assert all("c�" in text for text in shown)


@pytest.mark.parametrize("width", [100, 80])
def test_no_line_is_wider_than_the_screen(width):
    """Long names and long numbers lose figures, and lists of values end early."""
    numbers = [
        (Numeric(f"concentration_of_acid_{i}"), [1234.5678 * i, 0.12345, 98765.4321]) for i in range(1, 3)
    ]
    words = tuple(f"self-employed {i}" for i in range(6))
    graded = (Ordinal("b", words), [0, 1, 2])
    table = table_of(*numbers, (Nominal("a", words), [3, 4, 5]), graded)
    assert max(map(len, description_text(describe_columns(table), width).splitlines())) <= width


def test_a_mean_that_cancels_is_shown_as_zero():
    summary = describe_columns(table_of((Numeric("x"), [0.1, 0.2, -0.3]))).columns[0]
    assert summary.numbers is not None
    assert summary.numbers.mean != 0  # 0.1 + 0.2 is a little more than 0.3
    assert summary.numbers.shown_mean == 0
