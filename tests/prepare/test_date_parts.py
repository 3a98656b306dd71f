"""Parts of dates, by the calendar and by hand."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

import openbook as ob
from openbook.data import Datetime, Nominal, Numeric, Table
from openbook.errors import ParameterError
from openbook.linear import LinearRegression
from openbook.neighbors import KNeighborsClassifier
from openbook.prepare import DateParts

ALL = ["year", "quarter", "month", "weekday", "hour"]


def sold(*when):
    return ob.read([{"sold": cell} for cell in when], kinds={"sold": "datetime"})


def test_every_part_by_hand():
    # 29 February 2024 was a Thursday, New Year's Eve of 1969 a Wednesday
    table = DateParts(ALL).fit_transform(sold("2024-02-29 23:59", "1969-12-31 00:00", None))
    assert table.names == ("sold", "sold year", "sold quarter", "sold month", "sold weekday", "sold hour")
    assert table["sold year"].tolist()[:2] == [2024.0, 1969.0]
    assert np.isnan(table["sold year"].data[2])
    assert table["sold quarter"].tolist() == ["Q1", "Q4", None]
    assert table["sold month"].tolist() == ["Feb", "Dec", None]
    assert table["sold weekday"].tolist() == ["Thu", "Wed", None]
    assert table["sold hour"].tolist() == ["23", "0", None]
    assert table.schema["sold hour"] == Nominal("sold hour", tuple(map(str, range(24))), cyclic=True)
    assert isinstance(table.schema["sold year"], Numeric)
    assert table.why["sold hour"] == "the hour of 'sold'"


@given(st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2200, 1, 1)))  # noqa: DTZ001
def test_parts_are_those_of_python(when):
    days = (when - dt.datetime(1970, 1, 1)) / dt.timedelta(1)  # noqa: DTZ001
    days = np.array([round(days * 86400) / 86400])
    when = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=round(days[0] * 86400))  # noqa: DTZ001
    row = DateParts(ALL).fit_transform(Table(ob.Schema((Datetime("t"),)), [days])).row(0)
    assert row["t year"] == when.year
    assert row["t quarter"] == f"Q{(when.month + 2) // 3}"
    assert row["t month"] == when.strftime("%b")
    assert row["t weekday"] == when.strftime("%a")
    assert row["t hour"] == str(when.hour)


def test_parts_are_on_the_clock_of_the_zone():
    table = sold("2024-02-29T23:30:00+02:00", "2024-03-01T00:30:00+02:00")
    assert table["sold"].data[0] == pytest.approx(19782 + 21.5 / 24)  # half past nine in UTC
    parts = DateParts(["month", "hour"]).fit_transform(table)
    assert parts["sold month"].tolist() == ["Feb", "Mar"]
    assert parts["sold hour"].tolist() == ["23", "0"]


@pytest.mark.parametrize(
    ("when", "parts"),
    [
        (["2023-01-01", "2023-03-02"], ("month", "weekday")),  # 60 days
        (["2023-01-01", "2023-03-01"], ("weekday",)),  # 59
        (["2023-01-01", "2023-01-15"], ("weekday",)),  # 14
        (["2023-01-01", "2023-01-14"], ()),  # 13
        (["2023-01-01 09:00", "2023-01-02 09:59"], ()),
        (["2023-01-01 09:59", "2023-01-02 10:00"], ("hour",)),
    ],
)
def test_which_parts_are_derived_by_the_span(when, parts):
    assert DateParts().fit(sold(*when)).parts_ == {"sold": parts}


def test_no_date_at_all_has_no_parts():
    nothing = Table(ob.Schema((Datetime("sold"),)), [np.array([np.nan, np.nan])])
    model = DateParts().fit(nothing)
    assert model.parts_ == {"sold": ()}
    assert model.work()["dates"].rows[0][1:3] == ("?", "?")


def test_later_rows_get_the_parts_of_training():
    model = DateParts().fit(sold("2023-01-01", "2025-01-01"))
    later = model.transform([{"sold": "2030-07-01"}])
    assert later.names == ("sold", "sold month", "sold weekday")
    assert later.row(0)["sold month"] == "Jul"
    assert model.partial_fit(sold("2026-01-01 10:00")).parts_["sold"] == ("month", "weekday", "hour")


def test_a_column_of_that_name_stays():
    table = ob.read([{"sold": "2023-01-01", "sold month": 7}, {"sold": "2024-01-01", "sold month": 8}])
    out = DateParts().fit_transform(table)
    assert out.names == ("sold", "sold month", "sold weekday")
    assert out["sold month"].tolist() == [7, 8]
    once = DateParts().fit_transform(out)
    assert once.names == out.names


def test_back_and_frames():
    table = ob.read([{"sold": "2023-01-01", "n": 1}, {"sold": "2024-01-01", "n": 2}])
    model = DateParts().fit(table)
    assert model.inverse_transform(model.transform(table)).schema == table.schema
    assert list(model.get_feature_names_out()) == ["sold", "n", "sold month", "sold weekday"]
    frame = table.to_pandas()
    assert isinstance(model.transform(frame), Table)
    asked = DateParts().set_output(transform="pandas").fit_transform(frame)
    assert isinstance(asked, pd.DataFrame)
    assert asked["sold weekday"].tolist() == ["Sun", "Mon"]


def test_a_saved_one_derives_the_same(tmp_path):
    table = sold("2023-01-01 08:00", "2024-06-01 17:00", None)
    model = DateParts().fit(table)
    again = ob.open_model(ob.save(model, tmp_path / "parts.openbook"))
    assert again.parts_ == model.parts_
    assert again.transform(table).schema == model.transform(table).schema
    asked = DateParts(("year",)).fit(table)
    again = ob.open_model(ob.save(asked, tmp_path / "parts.openbook"))
    assert again.get_params() == {"parts": ("year",)}


def test_the_work_says_the_span_and_the_parts():
    model = DateParts().fit(sold("2023-01-01", "2024-01-01"))
    assert model.work()["dates"].rows == (("sold", "2023-01-01", "2024-01-01", 365.0, "month, weekday"),)
    rows = model.work({"sold": "2024-03-01"})["parts"].rows
    assert rows == (("sold", "2024-03-01", "month", "Mar"), ("sold", "2024-03-01", "weekday", "Fri"))
    assert model.work({})["parts"].rows[0] == ("sold", "?", "month", "–")


def test_a_part_that_there_is_not_is_refused():
    with pytest.raises(ParameterError, match="parts must be None or a list of some of 'year', 'quarter'"):
        DateParts(["century"]).fit(sold("2023-01-01"))
    with pytest.raises(ParameterError, match="parts must be"):
        DateParts(["month", "month"]).fit(sold("2023-01-01"))


def test_hours_are_never_pooled_as_rare_values():
    # 24 hours are more than 20 values; each is in ten rows, and the target is noise
    when = [f"2024-01-{day + 1:02d} {hour:02d}:00" for day in range(10) for hour in range(24)]
    y = np.random.default_rng(0).normal(size=240)
    parts = DateParts(["hour"]).fit_transform(sold(*when)).drop("sold")
    assert LinearRegression().fit(parts, y).schema_ == parts.schema


def test_a_linear_model_learns_a_season_from_months_that_it_derives_or_is_given():
    days = np.arange(0, 1461)
    when = [str(np.datetime64("2020-01-01") + int(day)) for day in days]
    y = np.array([10.0 if text[5:7] in ("12", "01", "02") else 0.0 for text in when])
    numbers = ob.read(np.array(days, dtype=float)[:, None])
    assert LinearRegression().fit(numbers, y).score(numbers, y) < 0.1
    assert LinearRegression().fit(sold(*when), y).score(sold(*when), y) == pytest.approx(1.0)
    parts = make_pipeline(DateParts(["month"]), LinearRegression()).fit(sold(*when), y)
    assert parts.score(sold(*when), y) == pytest.approx(1.0)


def test_neighbours_go_round_midnight():
    table = sold("2024-01-01 20:00", "2024-01-01 01:00", "2024-01-01 12:00")
    hours = DateParts(["hour"]).fit(table)
    model = KNeighborsClassifier(1).fit(hours.transform(table).drop("sold"), ["late", "night", "noon"])
    new = hours.transform([{"sold": "2024-01-01 23:00"}]).drop("sold")
    assert model.predict(new).tolist() == ["night"]  # from 23:00 it is 2 hours to 1:00, and 3 to 20:00
