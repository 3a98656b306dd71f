"""Bundled sets: rows of the worked examples, scikit-learn's classes by name, and the generated loans."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from openbook.data import Nominal, Numeric, Ordinal, read
from openbook.data.sets import BundledSet, credit, load, sets
from openbook.errors import ParameterError

GOLDEN = {
    record["id"]: record["data"]
    for record in json.loads(
        (Path(__file__).parents[1] / "golden" / "worked_examples.json").read_text("utf-8")
    )
}


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("weather", "one_r_weather"),
        ("loan", "nb_loan_mle"),
        ("flu", "nb_clinic_ann_mle"),
        ("covid", "id3_covid"),
    ],
)
def test_the_classics_are_the_worked_examples(name, example):
    rows = [
        {"diagnosis" if key == "y" else key: v for key, v in row.items()} for row in GOLDEN[example]["rows"]
    ]
    table = load(name)
    assert [table.row(i) for i in range(len(table))] == rows
    assert table.names[-1] == sets()[name].target


def test_weather_numeric_is_the_weather_in_numbers():
    table, nominal = load("weather_numeric"), load("weather")
    assert table.schema.of(Numeric) == ("temperature", "humidity")
    for name in ("outlook", "windy", "play"):
        assert table.column(name).tolist() == nominal.column(name).tolist()
    grades = dict(zip(nominal.column("temperature"), table.data("temperature"), strict=True))
    assert grades["cool"] < grades["mild"] < grades["hot"]
    assert (table.data("humidity").sum(), table.data("temperature").sum()) == (1143, 1030)


@pytest.mark.parametrize(
    ("name", "first", "counts"),
    [
        ("iris", "setosa", {"setosa": 50, "versicolor": 50, "virginica": 50}),
        ("wine", "class_0", {"class_0": 59, "class_1": 71, "class_2": 48}),
        ("breast_cancer", "malignant", {"malignant": 212, "benign": 357}),
    ],
)
def test_sklearn_sets_name_their_classes(name, first, counts):
    table = load(name)
    target = table.column(sets()[name].target)
    assert target[0] == first
    assert dict(zip(*np.unique(target.values.astype(str), return_counts=True), strict=True)) == counts


def test_digits_and_diabetes():
    assert load("digits").schema["digit"] == Nominal("digit", tuple("0123456789"))
    assert load("digits").column("digit")[7] == "7"
    assert load("diabetes").data("progression")[0] == 151
    assert sets()["diabetes"].task == "regression"


def test_every_set_is_what_its_record_says():
    for name, record in sets().items():
        table = load(name)
        assert isinstance(record, BundledSet)
        assert record.name == name
        assert len(table) == record.rows
        assert table.names[-1] == record.target
        numeric = isinstance(table.schema[record.target], Numeric)
        assert record.task == ("regression" if numeric else "classification")
        assert record.description
        assert set(table.why) == set(table.names)


def test_credit_is_what_its_docstring_says():
    table = credit(40_000, random_state=3)
    default = table.data("default") == 1
    assert default.mean() == pytest.approx(0.08, abs=0.006)
    assert table.schema["education"] == Ordinal("education", ("none", "school", "vocational", "degree"))
    assert table.schema["sex"] == Nominal("sex", ("female", "male"))
    assert table.column("education").missing.mean() == pytest.approx(0.05, abs=0.005)
    assert table.column("purpose").missing.mean() == pytest.approx(0.02, abs=0.004)
    withheld = table.column("income").missing
    assert default[withheld].mean() > 1.4 * default[~withheld].mean()  # its absence is a bad sign
    known = ~withheld & ~table.column("education").missing
    log_odds = (
        -3.4
        + 1.2 * (np.log(table.data("amount") / table.data("income")) + 1.2)
        + 0.9 * table.data("defaults_before")
        + 0.012 * (table.data("months") - 36)
        - 0.25 * table.data("education")
        - 0.015 * (table.data("age") - 44)
        + np.array([0, -0.3, 0.4, 1.1])[table.data("work")]
    )[known]
    chance = 1 / (1 + np.exp(-log_odds))
    spread = np.sqrt((chance * (1 - chance)).sum())
    assert abs(default[known].sum() - chance.sum()) < 4 * spread
    risky = chance > np.quantile(chance, 0.9)
    assert default[known][risky].mean() == pytest.approx(chance[risky].mean(), abs=0.03)


def test_credit_depends_on_its_seed_alone():
    assert (
        credit(50, random_state=1).data("amount").tolist()
        == load("credit", rows=50, random_state=1).data("amount").tolist()
    )
    assert (
        credit(50, random_state=1).data("amount").tolist()
        != credit(50, random_state=2).data("amount").tolist()
    )
    assert len(load("credit", rows=7)) == 7
    assert "synthetic" in sets()["credit"].description
    assert "No such person" in credit.__doc__


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("wether", {}, "no bundled data set 'wether'. Did you mean 'weather'"),
        ("weather", {"rows": 3}, "'weather' has no options, got rows"),
        ("credit", {"row": 3}, "no option 'row'. Did you mean 'rows'"),
        ("credit", {"rows": 0}, "rows must be a whole number of at least 1, got 0"),
        ("credit", {"rows": 2.5}, "rows must be a whole number"),
        ("credit", {"random_state": -1}, "random_state must be a whole number of at least 0, got -1"),
    ],
)
def test_load_refuses(name, options, message):
    with pytest.raises(ParameterError, match=message):
        load(name, **options)


def test_a_set_goes_through_read_unchanged():
    table = load("weather")
    assert read(table) is table


def test_importing_data_stays_light():
    heavy = "{'polars', 'pandas', 'sklearn', 'pyarrow', 'narwhals', 'numba'}"
    code = f"import sys, openbook.data; openbook.data.load('weather'); print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
