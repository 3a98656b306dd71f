"""Frames: polars, pandas, pyarrow. Kinds survive, numbers are not copied."""

import contextlib
import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from openbook.data import Nominal, Numeric, Ordinal, read
from openbook.errors import DataError

KINDS = {"n": "numeric", "s": "nominal", "b": "nominal", "o": "ordinal"}


def test_the_same_frame_from_every_library():
    order = pl.Enum(["low", "mid", "high"])
    polars = pl.DataFrame(
        {"n": [1, None, 3], "s": ["x", "NA", "y"], "b": [True, False, None], "o": ["high", None, "low"]},
        schema_overrides={"o": order},
    )
    pandas = pd.DataFrame(
        {
            "n": [1.0, None, 3.0],
            "s": ["x", "NA", "y"],
            "b": pd.array([True, False, None], dtype="boolean"),
            "o": pd.Categorical(["high", None, "low"], ["low", "mid", "high"], ordered=True),
        }
    )
    arrow = polars.drop("o").to_arrow()
    tables = [read(polars), read(polars.lazy()), read(pandas)]
    for table in tables:
        assert {a.name: a.kind for a in table.schema} == KINDS
        assert table.schema["o"] == Ordinal("o", ("low", "mid", "high"))
        assert table.data("o").tolist() == [2, -1, 0]
    for table in (*tables, read(arrow)):
        np.testing.assert_array_equal(table.data("n"), [1, np.nan, 3])
        assert table.schema["s"] == Nominal("s", ("x", "y"))
        assert table.data("s").tolist() == [0, -1, 1]
        assert table.schema["b"] == Nominal("b", ("false", "true"))
        assert table.data("b").tolist() == [1, 0, -1]
        assert table.why["n"] == "numbers"
        assert table.schema.named


class Exporter:
    """Nothing but Arrow's own protocol."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def test_whatever_exports_arrow_is_a_frame():
    table = read(Exporter(pa.table({"n": [1, 2], "s": ["x", None]})))
    assert table.data("n").tolist() == [1, 2]
    assert table.column("s").tolist() == ["x", None]


def test_number_columns_are_views():
    polars = pl.DataFrame({"a": np.arange(5.0), "b": np.arange(5, dtype=np.float32)})
    table = read(polars)
    assert np.shares_memory(table.data("a"), polars["a"].to_numpy())
    assert table.data("b").dtype == np.float32
    pandas = pd.DataFrame({"a": np.arange(5.0), "b": np.arange(5, dtype=np.float32)})
    table = read(pandas)
    assert np.shares_memory(table.data("a"), pandas["a"].to_numpy())
    assert table.data("b").dtype == np.float32


def test_pandas_categories_keep_their_order_and_lose_what_does_not_occur():
    frame = pd.DataFrame({"c": pd.Categorical(["b", "a", None, "b"], ["c", "b", "a"])})
    assert read(frame).schema["c"] == Nominal("c", ("b", "a"))
    assert read(frame).data("c").tolist() == [0, 1, -1, 0]
    with pytest.raises(DataError, match="cannot be ordinal without an order"):
        read(frame, kinds={"c": "ordinal"})
    assert read(frame, kinds={"c": ["a", "b"]}).data("c").tolist() == [1, 0, -1, 1]


def test_pandas_categories_of_numbers():
    frame = pd.DataFrame({"c": pd.Categorical([3, 1, 3])})
    assert read(frame).schema["c"] == Nominal("c", ("1", "3"))
    assert read(frame, kinds={"c": "numeric"}).data("c").tolist() == [3, 1, 3]


def test_polars_categories_are_texts():
    frame = pl.DataFrame({"c": ["b", "a", None]}, schema={"c": pl.Categorical})
    assert read(frame).schema["c"] == Nominal("c", ("a", "b"))


def test_nullable_pandas_types():
    frame = pd.DataFrame({"i": pd.array([1, None], "Int64"), "f": pd.array([0.5, None], "Float32")})
    table = read(frame)
    np.testing.assert_array_equal(table.data("i"), [1, np.nan])
    np.testing.assert_array_equal(table.data("f"), np.float32([0.5, np.nan]))


def test_pandas_objects():
    frame = pd.DataFrame(
        {"m": pd.Series([1, "x", None, pd.NA], dtype=object), "d": [Decimal("1.5"), None, None, None]}
    )
    table = read(frame)
    assert table.column("m").tolist() == ["1", "x", None, None]
    np.testing.assert_array_equal(table.data("d"), [1.5, np.nan, np.nan, np.nan])


def test_the_index_is_no_column_and_plain_columns_have_no_names():
    table = read(pd.DataFrame(np.ones((2, 3)), index=["p", "q"]))
    assert table.names == ("x0", "x1", "x2")
    assert not table.schema.named
    assert read(pd.DataFrame(np.ones((2, 2)), columns=[2019, 2020])).names == ("2019", "2020")


@pytest.mark.parametrize("series", [pd.Series([1.0, 2.0], name="a"), pl.Series("a", [1.0, 2.0])])
def test_a_series_is_one_column(series):
    assert read(series).schema.attributes == (Numeric("a"),)


def test_a_series_without_a_name():
    assert read(pd.Series(["p", "q"])).names == ("x0",)
    assert read(pl.Series(["p", "q"])).names == ("x0",)


def test_whole_numbers_as_categories_keep_every_digit():
    big = 2**53 + 1
    for frame in (pl.DataFrame({"id": [big, 7]}), pd.DataFrame({"id": [big, 7]})):
        assert read(frame, kinds={"id": "nominal"}).schema["id"].values == ("7", str(big))


def test_decimals_and_small_integers():
    frame = pl.DataFrame({"d": [Decimal("1.25")], "u": [200]}, schema_overrides={"u": pl.UInt8})
    assert read(frame).row(0) == {"d": 1.25, "u": 200.0}


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"v": [[1, 2]]}), "column 'v' holds List.*split it into several columns"),
        (pl.DataFrame({"v": [{"a": 1}]}), "column 'v' holds Struct"),
        (pl.DataFrame({"v": [b"x"]}), "column 'v' holds Binary"),
        (pd.DataFrame({"v": [[1, 2]]}), "column 'v' holds a list in row 0"),
        (pd.DataFrame({"v": [1j]}), "Complex data not supported"),
        (pl.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pd.DataFrame(index=range(3)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        (pa.table({"a": pa.array([], pa.int64())}), r"0 sample\(s\)"),
        (pa.int64(), "cannot read a table from DataType"),
    ],
)
def test_frames_that_are_refused(frame, message):
    with pytest.raises(DataError, match=message):
        read(frame)


def test_durations_are_hours():
    """As those that are written out are: 2 days 03:00."""
    spans = [dt.timedelta(hours=1, minutes=30), None, dt.timedelta(days=2)]
    arrow = pd.array(spans, dtype=pd.ArrowDtype(pa.duration("s")))
    for frame in (pd.DataFrame({"v": spans}), pl.DataFrame({"v": spans}), pd.DataFrame({"v": arrow})):
        table = read(frame)
        assert table.schema["v"] == Numeric("v", "h")
        np.testing.assert_array_equal(table.data("v"), [1.5, np.nan, 48])


def test_arrow_columns_of_pandas():
    days = [dt.date(2024, 3, 1), None]
    moments = [dt.datetime(2024, 3, 1, 12, tzinfo=dt.UTC), None]
    frame = pd.DataFrame(
        {
            "day": pd.array(days, dtype=pd.ArrowDtype(pa.date32())),
            "at": pd.array(moments, dtype=pd.ArrowDtype(pa.timestamp("us", tz="Europe/Berlin"))),
            "id": pd.array([2**53 + 1, 1], dtype="int64[pyarrow]"),
            "yes": pd.array([True, None], dtype="bool[pyarrow]"),
        }
    )
    table = read(frame)
    assert table["day"].tolist() == ["2024-03-01", None]
    assert table.schema["at"].zone == "Europe/Berlin"
    assert table["at"].tolist() == ["2024-03-01 12:00:00Z", None]
    assert table["id"].tolist() == ["9007199254740993", "1"]
    assert table["yes"].tolist() == ["true", None]


def test_whole_decimals_keep_every_digit():
    cells = pl.Series("id", ["9007199254740993", "1"]).cast(pl.Decimal(38, 0))
    assert read(cells.to_frame())["id"].tolist() == ["9007199254740993", "1"]
    assert read(pl.DataFrame({"x": cells.cast(pl.Decimal(38, 2))})).schema["x"] == Numeric("x")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda columns: columns])
def test_a_number_stands_for_missing_in_frames_too(make):
    table = read(make({"a": [-999, 1, 2], "b": [-999.0, 0.5, 2], "c": ["-999", "x", "y"]}), missing=["-999"])
    for name in table.names:
        assert table.column(name).missing.tolist() == [True, False, False]
    assert read(np.array([[-999.0, 1], [3, 4]]), missing=["-999"]).column("x0").missing.tolist() == [
        True,
        False,
    ]


def test_equal_names_of_columns_are_made_distinct_and_levels_are_put_side_by_side():
    twice = pd.DataFrame([[1, 2, 3], [4, 5, 6]], columns=["a", "a", "b"])
    columns = [pa.array(cells) for cells in ([1, 4], [2, 5], [3, 6])]
    sources = [twice, pa.Table.from_arrays(columns, ["a", "a", "b"])]
    with contextlib.suppress(ImportError):
        import duckdb

        sources.append(duckdb.sql("SELECT 1 a, 2 a, 3 b UNION ALL SELECT 4, 5, 6"))
    for source in sources:
        table = read(source)
        assert table.names == ("a", "a_2", "b")
        assert table.data("a_2").tolist() == [2, 5]
        assert table.notes == ("column 2 is called a_2: the name a is taken",)
    levels = pd.MultiIndex.from_tuples([("size", "x"), ("size", "y"), ("id", "")])
    assert read(twice.set_axis(levels, axis=1)).names == ("size x", "size y", "id")


def test_an_index_with_a_name_is_told_to_be_no_column():
    frame = pd.DataFrame(
        {"v": [1, 2]}, index=pd.MultiIndex.from_tuples([("A", 1), ("B", 2)], names=["shop", None])
    )
    said = "the index (shop) is not a column; to use it, call reset_index() first"
    assert read(frame).notes == (said,)
    assert read(frame.reset_index(drop=True)).notes == ()


def test_times_keep_their_zone_whatever_made_it_and_several_are_told():
    berlin, india = ZoneInfo("Europe/Berlin"), dt.timezone(dt.timedelta(hours=5, minutes=30))
    noon = dt.datetime(2024, 7, 1, 12)  # noqa: DTZ001 (no zone yet)
    for zone, name, days in ((berlin, "Europe/Berlin", 10 / 24), (india, "+05:30", 6.5 / 24)):
        aware = noon.replace(tzinfo=zone)
        for source in (
            [{"t": aware}],
            pd.DataFrame({"t": [aware]}),
            pd.DataFrame({"t": pd.to_datetime([aware])}),
        ):
            table = read(source)
            assert table.schema["t"].zone == name
            assert table.data("t") == pytest.approx([19905 + days], abs=1e-9)  # 2024-07-01 is day 19905
            assert table.to_polars()["t"].dtype.time_zone in ("Europe/Berlin", "UTC")
    mixed = read([{"t": noon.replace(tzinfo=berlin)}, {"t": noon.replace(tzinfo=india)}, {"t": noon}])
    assert mixed.schema["t"].zone == "UTC"
    assert mixed.notes == (
        "t: times in several zones are kept in UTC; those without a zone are taken as UTC",
    )
    np.testing.assert_allclose(mixed.data("t") % 1 * 24, [10, 6.5, 12])
