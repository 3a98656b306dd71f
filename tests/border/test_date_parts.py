"""Parts of dates that learners derive: which, by what evidence, and that they are part of the model."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.data import DatePart, Datetime, Schema
from openbook.data.date_parts import part_p_value, with_time
from openbook.ensemble import RandomSubspaceClassifier
from openbook.linear import LinearRegression
from openbook.neighbors import KNeighborsClassifier
from openbook.tree import DecisionTreeClassifier

MONDAY = dt.date(2024, 1, 1)


def day(i):
    return str(MONDAY + dt.timedelta(days=i))


def weeks(n=20):
    """Busy weekends."""
    return [{"sold": day(i), "size": i * 7 % 5, "busy": "yes" if i % 7 >= 5 else "no"} for i in range(7 * n)]


def unexplained(y, *columns):
    x = np.column_stack([np.ones(len(y)), *columns])
    return ((y - x @ np.linalg.lstsq(x, y)[0]) ** 2).sum()


@given(st.integers(0, 10_000))
def test_the_p_value_is_that_of_two_nested_least_squares_fits(seed):
    from scipy.stats import f

    rng = np.random.default_rng(seed)
    part, days = rng.integers(0, 3, 30), rng.uniform(19_000, 19_900, 30)
    y = 0.01 * days + part + rng.normal(size=30)
    dummies = [(part == v).astype(float) for v in np.unique(part)[1:]]
    k = len(dummies) + 1
    before, after = unexplained(y, days), unexplained(y, days, *dummies)
    x = with_time(days, y, 0)
    groups = [x, *(x[part == v] for v in np.unique(part))]
    total, *within = (((rows - rows.mean(axis=0)) ** 2).sum(axis=0) for rows in groups)
    ratio = (before - after) / (k - 1) / (after / (30 - k - 1))
    assert part_p_value(total, sum(within), 30, k) == pytest.approx(f.sf(ratio, k - 1, 30 - k - 1), rel=1e-4)


def test_a_weekday_is_derived_by_fit_and_for_every_new_row(tmp_path):
    rows = weeks()
    model = DecisionTreeClassifier().fit(rows, "busy")
    assert model.schema_.names == ("sold", "size", "sold weekday")
    assert model.schema_["sold weekday"] == DatePart.of(Datetime("sold"), "weekday")
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == ["sold", "size"]
    assert str(model.rules()).count("sold weekday") == 7  # one rule a day
    new = [{"sold": "2030-06-01", "size": 1}, {"sold": "2030-06-03", "size": 1}]  # a Saturday, a Monday
    ob.save(model, tmp_path / "m.openbook")
    for it in (model, ob.open_model(tmp_path / "m.openbook")):
        assert it.predict(new).tolist() == ["yes", "no"]
        assert "sold weekday" in str(it.work({"sold": "2030-06-01"}))
        assert "parts of dates" in str(it.work())


def test_files_give_the_parts_that_memory_gives(tmp_path):
    table = ob.read(weeks())
    table.to_pandas().to_csv(tmp_path / "a.csv", index=False)
    scanned = NaiveBayes().fit(ob.scan(tmp_path / "a.csv", chunk_rows=50), "busy")
    assert scanned.schema_ == NaiveBayes().fit(table, "busy").schema_
    assert scanned.predict(ob.scan(tmp_path / "a.csv")).tolist() == table["busy"].tolist()


def test_more_rows_have_their_parts_derived_too():
    rows = weeks(30)
    first, rest = rows[:140], rows[140:]
    model = NaiveBayes().fit(first, "busy").partial_fit(rest, "busy")
    assert model.score(rows, "busy") == 1.0


@pytest.mark.parametrize(
    ("when", "parts"),
    [
        (lambda i: day(i % 13), []),  # less than two weeks
        (lambda i: f"{day(i % 3)} {i % 2:02d}:00", ["hour"]),
        (lambda i: f"{day(i % 3)} 00:{i % 2:02d}", []),  # one hour
    ],
)
def test_spans_decide_what_is_worth_deriving(when, parts):
    rows = [{"t": when(i), "y": float(i % 2) + i % 3 / 10} for i in range(120)]
    schema = LinearRegression().fit(rows, "y").schema_
    assert [a.part for a in schema if isinstance(a, DatePart)] == parts


def test_a_part_that_says_nothing_is_no_column_of_a_small_table_nor_a_distance():
    rng = np.random.default_rng(3)
    few, many = ([{"t": day(i), "y": "ab"[rng.integers(2)]} for i in range(n)] for n in (60, 800))
    assert NaiveBayes().fit(few, "y").schema_.names == ("t",)
    assert NaiveBayes().fit(many, "y").schema_.names == ("t", "t month", "t weekday")  # costs little there
    assert KNeighborsClassifier().fit(many, "y").schema_.names == ("t",)


def test_a_trend_does_not_hide_a_season():
    months = np.arange("2000-01", "2012-01", dtype="datetime64[M]")
    rows = [{"t": f"{m}-01", "y": 5.0 * i + 20.0 * (i % 12 == 11)} for i, m in enumerate(months)]
    table = ob.read(rows)
    model = LinearRegression().fit(table, "y")
    assert "t month" in model.schema_
    assert model.score(table, "y") > 0.9999


def test_columns_that_have_the_name_of_a_part_stay_what_they_are():
    rows = [{**row, "sold weekday": i * i % 11} for i, row in enumerate(weeks())]
    model = NaiveBayes().fit(rows, "busy")
    assert model.schema_["sold weekday"].kind == "numeric"
    later = NaiveBayes().fit(weeks(), "busy")  # here the name comes with new rows alone
    assert later.predict([{"sold": "2030-06-01", "size": 1, "sold weekday": 9}]).tolist() == ["yes"]


def test_members_that_see_a_date_alone_derive_their_own(tmp_path):
    model = RandomSubspaceClassifier(n_estimators=5, random_state=0).fit(weeks(), "busy")
    ob.save(model, tmp_path / "m.openbook")
    again = ob.open_model(tmp_path / "m.openbook")
    assert again.predict(weeks()).tolist() == model.predict(weeks()).tolist()


def test_what_takes_no_categories_sees_dates_as_numbers():
    class Numbers(LinearRegression):
        _accepts = (ob.Numeric,)

    rows = [{"t": day(i), "y": float(i % 7)} for i in range(100)]
    assert Numbers().fit(rows, "y").schema_ == Schema((Datetime("t"),))


def test_a_missing_date_has_missing_parts():
    rows = weeks()
    model = NaiveBayes().fit([*rows, {"sold": None, "size": 1, "busy": "no"}], "busy")
    assert model.predict([{"sold": None, "size": 1}]).tolist() == ["no"]


def test_sql_takes_the_part_of_the_column_of_dates():
    duckdb = pytest.importorskip("duckdb")
    table = ob.read(weeks())
    model = DecisionTreeClassifier().fit(table, "busy")
    frame = table.to_pandas()  # noqa: F841 (read by the query)
    told = duckdb.sql(f"SELECT {model.to_sql(None)} AS told FROM frame").fetchall()
    assert [row[0] for row in told] == model.predict(table).tolist()


def test_describe_says_which_parts_count():
    table = ob.read(weeks())
    said = {f.kind: f.message for f in ob.describe(table, "busy").findings}["dates"]
    assert "weekday (p < 0.001, " in said
    assert "not the month" in said
    assert "the month and weekday" in {f.kind: f.message for f in ob.describe(table).findings}["dates"]


def test_months_without_days_have_no_weekday():
    """Jan-2018 is read as its first day, and which weekday that is says nothing of the month."""
    months = [f"{m}-{y}" for y in range(1970, 2020) for m in ("Jan", "Feb", "Mar", "Apr", "May", "Jun")]
    rows = [{"month": month, "y": float(i % 6)} for i, month in enumerate(months)]
    assert LinearRegression().fit(rows, "y").schema_.names == ("month", "month month")
