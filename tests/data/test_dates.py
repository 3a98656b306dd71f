"""Dates and times as people write them, from files, frames, rows and scans."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.cluster import GaussianMixture, KMeans, describe_clusters
from openbook.data import Attribute, Datetime, Nominal, Numeric, Table, read, scan
from openbook.data.conform import conform
from openbook.data.dates import DateEvidence, days_of
from openbook.errors import DataError
from openbook.judge.folds.splitters import time_codes
from openbook.linear import LinearDiscriminantAnalysis, LinearRegression, LogisticRegression
from openbook.tree import DecisionTreeRegressor
from openbook.work.conditions import Within


def days(*when):
    """Days since 1970 by Python's own calendar."""
    epoch = dt.datetime(1970, 1, 1)  # noqa: DTZ001
    return [
        np.nan if text is None else (dt.datetime.fromisoformat(text) - epoch) / dt.timedelta(1)
        for text in when
    ]


COLUMNS = [
    (["2024-03-01", "2023-12-31", None], Datetime("c"), ["2024-03-01", "2023-12-31", None]),
    (
        ["2024/3/1 14:30", "2024/3/2 9:05:30.5"],
        Datetime("c"),
        ["2024-03-01 14:30", "2024-03-02 09:05:30.500"],
    ),
    (["13/3/2024", "1/4/2024"], Datetime("c", format="d/m/y"), ["2024-03-13", "2024-04-01"]),
    (["3/13/2024", "1/4/2024"], Datetime("c", format="m/d/y"), ["2024-03-13", "2024-01-04"]),
    (["03.04.2024", "01.04.2024"], Datetime("c", format="d/m/y"), ["2024-04-03", "2024-04-01"]),
    (
        ["1/31/70 12:00 AM", "1/3/69 1:30 pm"],
        Datetime("c", format="m/d/y"),
        ["1970-01-31", "1969-01-03 13:30"],
    ),
    (["1 Mar 2024", "22nd December 2023"], Datetime("c", format="d month y"), ["2024-03-01", "2023-12-22"]),
    (["01-Mar-24", "22-Dec-23"], Datetime("c", format="d month y"), ["2024-03-01", "2023-12-22"]),
    (["Mar 1, 2024", "Sept 22 2023"], Datetime("c", format="month d y"), ["2024-03-01", "2023-09-22"]),
    (["2024 Mar 1", "2023-Dec-22"], Datetime("c", format="y month d"), ["2024-03-01", "2023-12-22"]),
    (["Jan 2000", "Feb 2000"], Datetime("c", format="month y"), ["2000-01-01", "2000-02-01"]),
    (
        ["2024-03-01T14:30Z", "2024-03-01T00:00Z"],
        Datetime("c", zone="UTC"),
        ["2024-03-01 14:30", "2024-03-01"],
    ),
    (["2024-03-01 01:30+02:00"], Datetime("c", zone="+02:00"), ["2024-02-29 23:30"]),
]


@pytest.mark.parametrize(("cells", "attribute", "when"), COLUMNS)
def test_format_of_a_column(cells, attribute, when, tmp_path):
    frame = pl.DataFrame({"c": cells, "d": range(len(cells))})
    frame.write_csv(tmp_path / "c.csv")
    frame.write_parquet(tmp_path / "c.parquet")
    rows = [{"c": cell} for cell in cells]
    files = [tmp_path / "c.csv", tmp_path / "c.parquet"]
    for source in (rows, frame, pd.DataFrame({"c": cells}), *files, *map(scan, files)):
        table = read(source)
        assert table.schema["c"] == attribute
        np.testing.assert_allclose(table.data("c"), days(*when), rtol=0, atol=1e-10)
        assert table.why["c"].startswith("every known cell is a date (")
    assert read(rows, {"c": "datetime"}).schema["c"] == attribute
    assert Attribute.from_json(attribute.to_json()) == attribute


@pytest.mark.parametrize(
    "cells",
    [
        ["1.2.10", "1.2.11"],
        ["24:30 am"],
        ["9:5"],
        ["13:00 pm"],
        ["2024-13-01"],
        ["31/31/2024"],
        ["2024-02-30"],
        ["Foo 1 2024"],
        ["25:61"],
    ],
)
def test_what_is_no_date(cells):
    assert isinstance(read([{"c": cell} for cell in cells]).schema["c"], Nominal)


TIMES = [
    (["21:00", "9:05", "00:00"], [21 / 24, (9 + 5 / 60) / 24, 0], ["21:00:00", "09:05:00", "00:00:00"]),
    (["9:05 pm", "12:00 am"], [(21 + 5 / 60) / 24, 0], ["21:05:00", "00:00:00"]),
    (["23:59:59", "1:23:45"], [86399 / 86400, 5025 / 86400], ["23:59:59", "01:23:45"]),
]


@pytest.mark.parametrize(("cells", "share", "spelled"), TIMES)
def test_times_of_day(cells, share, spelled):
    rows = [*({"c": cell} for cell in cells), {"c": None}]
    table = read(rows)
    assert table.schema["c"] == Datetime("c", format="time")
    np.testing.assert_allclose(table.data("c"), [*share, np.nan], rtol=0, atol=1e-12)
    assert table.why["c"].startswith("every known cell is a time of day, such as ")
    assert table.column("c").tolist() == [*spelled, None]
    shown = [text.removesuffix(":00") for text in spelled]
    assert [table.schema["c"].shown(cell) for cell in table.data("c")] == [*shown, "?"]
    for other in (table.to_polars(), table.to_pandas()):
        again = read(other)
        assert again.schema == table.schema
        np.testing.assert_allclose(again.data("c"), table.data("c"), rtol=0, atol=1e-10)


def test_times_of_day_are_no_dates():
    model = LinearRegression().fit([{"at": "3:00"}, {"at": "9:00"}, {"at": "21:00"}], [0.0, 1.0, 3.0])
    assert model.predict([{"at": "3:00 pm"}]) == pytest.approx([2.0])
    with pytest.raises(DataError, match="column 'at' was time of day in training, but now is datetime"):
        model.predict(read([{"at": "2024-03-01"}]))
    assert Within(model.schema_["at"], high=0.5).sql() == """"at" <= TIME '12:00:00.000000'"""
    column = read([{"at": "9:00"}, {"at": "21:00"}]).column("at")
    assert (column < "12:30").tolist() == [True, False]


def test_hours_of_times_of_day_tell_a_target():
    rows = [{"at": f"{i % 24}:{i % 60:02d}", "y": float(i % 24 in (8, 17))} for i in range(240)]
    table = read(rows)
    finding = next(found for found in ob.describe(table, "y").findings if found.kind == "dates")
    assert finding.message.startswith("times of day: learners use the time and the hour (p < 0.001")
    X, y = table.split("y")
    assert "at hour" in LinearRegression().fit(X, y).schema_.names


def test_dates_that_stand_for_years_have_no_weekday():
    """All are the first of January, as those of a column of years often are."""
    rows = [{"year": f"{1970 + i % 12}-01-01", "y": float(i % 12 % 7)} for i in range(240)]
    typed = pd.DataFrame(rows).astype({"year": "datetime64[us]"})
    for source in (rows, typed):
        table = read(source)
        assert table.schema["year"] == Datetime("year", format="y-m")
        assert table.column("year").tolist()[:2] == ["1970-01-01", "1971-01-01"]
        X, y = table.split("y")
        model = LinearRegression().fit(X, y)
        assert model.schema_.names == ("year",)
        assert len(model.predict([{"year": "1975-06-15"}])) == 1


def test_day_or_month_first_is_asked():
    rows = [{"c": "3/4/2024"}, {"c": "1/4/2024"}]
    assert read(rows).why["c"] == (
        "in '1/4/2024' the day or the month may come first; read with kinds={'c': 'd/m/y'} or 'm/d/y'"
    )
    with pytest.raises(DataError, match="column 'c' can be read in two ways: in '1/4/2024' the day"):
        read(rows, {"c": "datetime"})
    for order, when in (("d/m/y", ("2024-04-03", "2024-04-01")), ("m/d/y", ("2024-03-04", "2024-01-04"))):
        assert read(rows, {"c": order}).data("c").tolist() == days(*when)


def test_numbers_are_dates_on_request():
    for kind, numbers in (
        ("unix", [1709303400, 0]),
        ("unix ms", [1709303400000, 0]),
        ("excel", [45352.604166666664, 25569]),
    ):
        for cells in (numbers, list(map(str, numbers))):
            table = read([{"c": cell} for cell in cells], {"c": kind})
            np.testing.assert_allclose(table.data("c"), days("2024-03-01 14:30", "1970-01-01"), atol=1e-9)
    assert read([{"c": "20240301"}], {"c": "%Y%m%d"}).data("c").tolist() == days("2024-03-01")
    with pytest.raises(DataError, match="column 'c' holds numbers; to read them as dates, read with kinds="):
        read([{"c": 5}], {"c": "datetime"})
    with pytest.raises(DataError, match="'c' cannot be datetime: row 0 holds 'x', where the format is d/m/y"):
        read([{"c": "x"}], {"c": "d/m/y"})
    with pytest.raises(
        DataError, match="'c' cannot be datetime: 1 of 3 distinct values is not a date, first"
    ):
        read([{"c": cell} for cell in ("2024-03-01", "x", "2024-03-02")], {"c": "datetime"})
    with pytest.raises(DataError, match="is no date in a known format; give the format"):
        read([{"c": "x"}], {"c": "datetime"})


def test_years_that_mean_never():
    """Databases write the last and the first day that they know where there is none."""
    table = read([{"until": day} for day in ("2024-03-01", "9999-12-31", "0001-01-01")])
    assert table["until"].tolist() == ["2024-03-01", "9999-12-31", "0001-01-01"]
    assert table.schema["until"].kind == "datetime"


def test_a_description_shows_dates_on_the_clock_of_their_zone():
    shown = str(ob.describe(read([{"c": "2024-03-01 01:30+02:00"}, {"c": "2024-03-02 23:30+02:00"}])))
    assert "2024-03-01 01:30 +02:00" in shown
    assert "2024-03-02 23:30 +02:00" in shown


def test_dates_of_frames_and_objects():
    when = [dt.datetime(2024, 3, 1, 14, 30), None]  # noqa: DTZ001
    berlin = pd.DataFrame({"c": pd.to_datetime(when)}).c.dt.tz_localize("Europe/Berlin").to_frame()
    for source in (pl.DataFrame({"c": when}), pd.DataFrame({"c": when}), [{"c": moment} for moment in when]):
        assert read(source).schema["c"] == Datetime("c")
        np.testing.assert_array_equal(read(source).data("c"), days("2024-03-01 14:30", None))
    for source in (berlin, pl.from_pandas(berlin)):
        table = read(source)
        assert table.schema["c"] == Datetime("c", zone="Europe/Berlin")
        np.testing.assert_array_equal(table.data("c"), days("2024-03-01 13:30", None))
        assert table.schema["c"].shown(table.data("c")[0]) == "2024-03-01 14:30 Europe/Berlin"
        assert table.column("c").tolist() == ["2024-03-01 13:30:00Z", None]
        assert read(table.to_pandas()).schema == read(table.to_polars()).schema == table.schema
    aware = read([{"c": dt.datetime(2024, 3, 1, 14, tzinfo=dt.timezone(dt.timedelta(hours=2)))}])
    assert (aware.schema["c"], aware.data("c").tolist()) == (
        Datetime("c", zone="+02:00"),
        days("2024-03-01 12:00"),
    )
    numeric = read(pl.DataFrame({"c": when}), {"c": "numeric"})
    assert numeric.schema["c"] == Numeric("c", "days")
    assert read(pl.DataFrame({"c": when}), {"c": "nominal"}).schema["c"].values == ("2024-03-01 14:30",)


def test_a_table_of_dates_shows_them():
    table = read([{"c": "1/3/2024"}, {"c": "13/3/2024"}, {"c": None}])
    assert repr(table).splitlines()[2:] == ["datetime", "2024-03-01", "2024-03-13", "?"]
    assert table.column("c").tolist() == ["2024-03-01", "2024-03-13", None]
    assert table.row(0) == {"c": "2024-03-01"}
    assert np.asarray(table).dtype == float
    told = str(ob.describe(table))
    assert "first" in told
    assert "2024-03-13" in told
    assert time_codes(table.drop_missing().column("c"), 2).tolist() == [0, 1]


def test_what_zones_and_short_years_lose_is_said():
    assert read([{"c": "2024-03-01 1:00+02:00"}, {"c": "2024-03-01 1:00"}]).notes == (
        "c: times in several zones are kept in UTC; those without a zone are taken as UTC",
    )
    assert read([{"c": "13/3/24"}]).notes == ("c: years of two digits are read as 1969 to 2068",)


@pytest.mark.parametrize("zone", ["+02", "+0200", "+02:00", " GMT+2", " UTC+02:00"])
def test_zones_in_every_spelling(zone):
    table = read([{"c": f"2024-03-01 1:00:00{zone}"}, {"c": "2024-03-01 2:00:00+02:00"}])
    assert table.schema["c"] == Datetime("c", zone="+02:00")
    assert (table.data("c") * 24 % 24).round(9).tolist() == [23, 0]
    assert table.notes == ()


def test_why_dates_but_for_a_few_cells_are_no_dates():
    days = [f"{day} Mar 2024" for day in range(1, 21)]
    total = read([{"c": cell} for cell in [*days, "Total"]])
    assert total.schema["c"].kind == "nominal"
    assert total.why["c"] == (
        "1 of 21 distinct values is not a date, first 'Total'; if that means missing, read with"
        " missing=[…, 'Total']"
    )
    assert read([{"c": cell} for cell in [*days, "Total"]], missing=["Total"]).schema["c"].kind == "datetime"
    mixed = read([{"c": cell} for cell in [*days, "2024-04-02", "14/3/2024"]])
    assert mixed.why["c"].startswith("dates in several formats, such as '1 Mar 2024' and '2024-04-02'; write")
    assert "date" not in read([{"c": cell} for cell in [*days[:3], "x", "y", "z"]]).why["c"]


def test_a_tree_splits_elapsed_time_and_shows_dates(tmp_path):
    rows = [{"sold": f"{day}/1/2024", "price": float(day > 15)} for day in range(1, 31)]
    model = DecisionTreeRegressor().fit(read(rows).drop("price"), read(rows).column("price"))
    assert "sold <= 2024-01-15 12:00" in str(model.work())
    assert "TIMESTAMP '2024-01-15 12:00:00.000000'" in Within(model.schema_["sold"], high=19737.5).sql()
    ob.save(model, tmp_path / "m.openbook")
    opened = ob.open_model(tmp_path / "m.openbook")
    new = [{"sold": "2/1/2024"}, {"sold": "16/1/2024"}]  # the first alone may be February
    assert opened.predict(new).tolist() == [0, 1]
    assert opened.predict(new[:1]).tolist() == [0]
    assert opened.predict(pd.DataFrame({"sold": [dt.date(2024, 1, 2)]})).tolist() == [0]
    assert opened.predict([{"sold": "2024-01-20"}]).tolist() == [1]
    with pytest.raises(DataError, match="column 'sold' was datetime in training, but now is numeric"):
        conform(read([{"sold": 3.0}]), opened.schema_)
    with pytest.raises(
        DataError, match="target 'sold' is datetime, and DecisionTreeRegressor predicts numbers"
    ):
        DecisionTreeRegressor().fit(read(rows).drop("sold"), read(rows).column("sold"))


@given(st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(2999, 12, 31)))  # noqa: DTZ001
def test_what_python_writes_is_read(moment):
    expected = (moment - dt.datetime(1970, 1, 1)) / dt.timedelta(1)  # noqa: DTZ001
    assert days_of(moment.isoformat(), Datetime("c")) == pytest.approx(expected, abs=1e-9)
    table = Table(ob.data.Schema((Datetime("c"),)), [np.array([expected])])
    again = read([table.row(0)], table.schema).data("c")[0]
    assert again == pytest.approx(expected, abs=1e-9)
    assert days_of(f"{moment:%d/%m/%Y}", Datetime("c", format="d/m/y")) == np.floor(expected)


@given(st.lists(st.text("0123456789-/.: TZ+MarapmJn", max_size=20), max_size=4))
def test_any_text_is_a_date_or_is_not(texts):
    dated = DateEvidence()
    dated.add(texts)
    if attribute := dated.attribute("c"):
        assert all(days_of(text, attribute) is not None for text in texts)


#: Days 19783, 19785, 19793 and 19795: the means are those of days 19784 and 19794.
SALES = [{"sold": day} for day in ("2024-03-01", "2024-03-03", "2024-03-11", "2024-03-13")]
KINDS = ["early", "early", "late", "late"]
DAY = "2024-03-01 (day 19783)"


def test_naive_bayes_shows_dates():
    model = NaiveBayes().fit(SALES, KINDS)
    assert model.work()["mean given class = early"].note == "2024-03-02 (day 19784)"
    assert model.work(SALES[0])[f"p(sold = {DAY} | class = early)"].numbers.count("19783 - 19784") == 1
    smooth = NaiveBayes(distributions="kernel").fit(SALES, KINDS)
    assert f"p(sold = {DAY} | class = early)" in str(smooth.work(SALES[0]))


def test_linear_models_and_discriminants_show_dates():
    terms = LogisticRegression().fit(SALES, KINDS).work(SALES[0])["terms"].rows
    assert terms[0][:2] == ("sold", DAY)
    terms = LinearRegression().fit(SALES, [1.0, 2.0, 6.0, 8.0]).work(SALES[0])["terms"].rows
    assert terms[1][:2] == ("sold", DAY)
    model = LinearDiscriminantAnalysis().fit(SALES, KINDS)
    means = ("2024-03-02 (day 19784)", "2024-03-12 (day 19794)")
    assert tuple(model.work()["means"].rows[0]) == ("sold", *means)
    assert tuple(model.work(SALES[0])["row"].rows[0]) == ("sold", DAY, *means)


def test_clusters_show_dates():
    work = describe_clusters(read(SALES), [0, 0, 1, 1])
    assert work.work()["cluster 0"].rows[0][:3] == ("sold", "2024-03-02", "2024-03-12")
    assert str(work[0][0]) == "earlier sold (2024-03-02 against 2024-03-12)"
    assert str(work[1][0]) == "later sold (2024-03-12 against 2024-03-02)"
    mixture = GaussianMixture(2, random_state=0).fit(SALES)
    assert mixture.work(SALES[0])["row"].rows[0] == ("sold", DAY)
    assert mixture.work()["weights and means"].rows[-1][3].startswith("2024-03-")


def test_encoded_dates_are_days_since_a_date():
    # the mean is day 19789, and the variance (36 + 16 + 16 + 36) / 4 = 26
    model = KMeans(2, random_state=0).fit(SALES)
    assert model.work()["Encoding"]["columns"].rows[0][1] == "days since 2024-03-07 / 5.09902"
    plain = KMeans(2, scale=False, random_state=0).fit([{**row, "kind": "a"} for row in SALES])
    assert plain.work()["Encoding"]["columns"].rows[0][1] == "days since 1970-01-01"


def test_a_date_is_not_called_free_text():
    days = [f"2024-{month:02}-{day:02}" for month in range(1, 7) for day in range(1, 29)]
    table = ob.read([{"day": day, "x": i % 7} for i, day in enumerate(days)])
    assert table.schema["day"].kind == "datetime"
    assert "free text" not in str(ob.describe(table))


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["1949-02", "1950-12"], "1949-02-01"),
        (["2024/03", "2023/01"], "2024-03-01"),
        (["2024Q2", "2024-Q4"], "2024-04-01"),
        (["Q3 2023", "Q1 2024"], "2023-07-01"),
        (["1960 Jan", "1960 Feb"], "1960-01-01"),
        (["2024-W09", "2023-W52"], "2024-02-26"),
        (["2021W01", "2020W53"], "2021-01-04"),
    ],
)
def test_months_quarters_and_weeks_are_their_first_day(cells, first):
    table = read([{"t": cell} for cell in cells])
    assert table.schema["t"].kind == "datetime"
    assert table["t"].tolist()[0] == first


@pytest.mark.parametrize(
    "cells",
    [["2009-10", "2010-11", "2011-12"], ["2009-13", "2010-01"], ["2024Q5", "2024Q1"], ["2021W53", "2021W01"]],
)
def test_years_in_two_parts_are_no_months(cells):
    assert read([{"t": cell} for cell in cells]).schema["t"].kind == "nominal"


@pytest.mark.parametrize(
    "cells",
    [
        ["1. März 2024", "12. Mai 2024", "3. Dez. 2024"],
        ["1er mars 2024", "12 mai 2024", "3 déc. 2024"],
        ["1 MARS 2024", "12 mai 2024", "3 decembre 2024"],
        ["1 de marzo de 2024", "12 de mayo de 2024", "3 de diciembre de 2024"],
        ["1 marzo 2024", "12 maggio 2024", "3 dic 2024"],
        ["1 de março de 2024", "12 de maio de 2024", "3 de dezembro de 2024"],
        ["1 mrt 2024", "12 mei 2024", "3 december 2024"],
    ],
)
def test_months_have_names_in_several_languages(cells):
    table = read([{"c": cell} for cell in cells])
    assert table.column("c").tolist() == ["2024-03-01", "2024-05-12", "2024-12-03"]


def test_beginnings_of_two_months_and_unknown_names_are_no_dates():
    """Juin and juillet begin alike; Finnish is not among the languages."""
    for cell in ("3 jui 2024", "3 joulukuuta 2024"):
        assert read([{"c": cell}]).schema["c"].kind == "nominal"


def test_weekdays_and_months_in_another_language_go_round():
    days = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"]
    assert read([{"c": day} for day in sorted(days)]).schema["c"] == Nominal("c", tuple(days), cyclic=True)
    months = "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.".split()  # noqa: SIM905
    assert read([{"c": month} for month in sorted(months)]).schema["c"] == Nominal(
        "c", tuple(months), cyclic=True
    )
