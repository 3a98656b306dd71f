"""Findings: each is raised by a table made for it, and none by tables that are clean."""

import numpy as np
import pytest
from sklearn import datasets

from openbook.data import MISSING, UNSEEN, Nominal, Numeric, Schema, Table, Text, read
from openbook.data.describe import describe_columns
from openbook.data.findings.spellings import near_words, same_words
from openbook.errors import for_command_line

ROWS = 400


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("target", [None, "y", "height"])
def test_a_clean_table_raises_nothing(seed, target, table_of, clean_columns):
    assert describe_columns(table_of(**clean_columns(seed)), target).findings == ()


@pytest.fixture(scope="module")
def weather(table_of) -> Table:
    outlook = (
        "sunny sunny overcast rainy rainy rainy overcast sunny sunny rainy sunny overcast overcast rainy"
    )
    temperature = "hot hot hot mild cool cool cool mild cool mild mild mild hot mild"
    humidity = "high high high high normal normal normal high normal normal normal high normal high"
    windy = "false true false false false true true false false false true true false true"
    play = "no no yes yes yes no yes no yes yes yes yes yes no"
    return table_of(
        outlook=outlook.split(),
        temperature=temperature.split(),
        humidity=humidity.split(),
        windy=windy.split(),
        play=play.split(),
    )


def test_weather_is_tiny_and_nothing_else(weather):
    table = weather
    (finding,) = describe_columns(table, "play").findings
    assert (finding.kind, finding.severity) == ("tiny", "note")
    assert "only 14 rows" in finding.message


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits"])
def test_real_sets_raise_no_false_warnings(name, table_of):
    bunch = getattr(datasets, f"load_{name}")()
    numeric = {str(n): x for n, x in zip(bunch.feature_names, bunch.data.T, strict=True)}
    y = bunch.target if name == "diabetes" else [str(bunch.target_names[c]) for c in bunch.target]
    table = table_of(**numeric, y=y)
    warned = {finding.kind for finding in describe_columns(table, "y").findings if finding.severity == "warn"}
    assert warned == ({"constant"} if name == "digits" else set())


# Identifiers, constants, gaps


@pytest.mark.parametrize(
    "ids",
    [
        np.arange(ROWS) + 1000,
        np.random.default_rng(0).permutation(ROWS),
        np.random.default_rng(0).choice(2000, ROWS, replace=False),
        [f"K{i:05}" for i in range(ROWS)],
        (Text("id"), np.array([f"u{i}@example.org" for i in range(ROWS)], dtype=object)),
    ],
    ids=["running", "shuffled", "gappy", "nominal", "text"],
)
def test_identifiers(ids, one, with_column):
    finding = one(with_column(id=ids), "identifier")
    assert (finding.columns, finding.severity) == (("id",), "warn")
    assert "a study leaves it out" in finding.message


@pytest.mark.parametrize(
    ("name", "expected"), [("patient_id", True), ("patientId", True), ("ID", True), ("paid", False)]
)
def test_whole_numbers_that_are_called_id_are_identifiers(name, expected, found, with_column):
    wide = np.random.default_rng(0).choice(10**9, ROWS, replace=False)
    assert bool(found(with_column(**{name: wide}), "identifier")) is expected


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("patient_id", 50, True),
        ("userid", 50, True),
        ("Subject", 50, True),
        ("patient_id", 19, False),  # codes of a kind, such as a hospital
        ("subjects", 50, False),
        ("humid", 50, False),
        ("width", 50, False),
        ("grid", 50, False),
    ],
)
def test_whole_numbers_that_are_called_id_may_repeat(name, values, expected, found, with_column):
    repeated = with_column(**{name: np.arange(ROWS) % values + 100})
    findings = found(repeated, "identifier")
    assert bool(findings) is expected
    if expected:
        assert f"{values} whole numbers in {ROWS} cells, called {name}." in findings[0].message
        assert f"use groups={name!r}" in findings[0].message
    halves = with_column(**{name: np.arange(ROWS) % values + 0.5})
    assert found(halves, "identifier") == []


def test_numbers_and_dates_that_read_in_two_ways_are_not_called_identifiers():
    rows = [
        {"income": f"{i},{100 + i}", "when": f"{i % 12 + 1}/{i % 11 + 1}/{2000 + i}"} for i in range(10, 40)
    ]
    told = {
        finding.columns: finding.message
        for finding in describe_columns(read(rows)).for_command_line().findings
    }
    until = "30 distinct values in 30 cells: a study leaves it out until its kind is clear; in"
    assert told["income",] == (
        f"{until} '10,110' the comma may mean decimals or thousands; add --decimal , or --thousands ,."
    )
    assert told["when",].startswith(f"{until} '1/2/2012' the day or the month may come first; add --kind")
    assert "likely an identifier" not in str(describe_columns(read(rows)))


def test_no_identifiers(found, with_column):
    rng = np.random.default_rng(0)
    prose = np.array([f"a remark about row {i}" for i in range(ROWS)], dtype=object)
    wide = rng.choice(10**9, ROWS, replace=False)  # so many numbers that chance rarely repeats one
    table = with_column(prose=(Text("prose"), prose), wide=wide, measured=np.arange(ROWS) + 0.5)
    assert found(table, "identifier") == []


def test_constants(found, one, with_column):
    table = with_column(flat=np.full(ROWS, 3.0), one=["x"] * ROWS, known=[None, "x"] * (ROWS // 2))
    findings = found(table, "constant")
    assert [finding.columns for finding in findings] == [("flat",), ("one",), ("known",)]
    assert "only whether a cell is missing" in findings[2].message
    assert "nothing to predict" in one(with_column(y=["no"] * ROWS), "constant", "y").message


def test_near_constant(found, one, with_column):
    lonely = np.zeros(ROWS)
    lonely[:3] = [1, 2, 3]
    finding = one(with_column(lonely=lonely), "near constant")
    assert (finding.columns, finding.severity) == (("lonely",), "note")
    assert "all but 3 cells of 400" in finding.message
    lonely[:30] = 1
    assert found(with_column(lonely=lonely), "near constant") == []


def test_mostly_missing(found, one, with_column):
    half = np.where(np.arange(ROWS) % 4 == 0, np.random.default_rng(0).normal(size=ROWS), np.nan)
    finding = one(with_column(half=half), "missing")
    assert "300 of 400 cells (75%)" in finding.message
    assert "every cell" in one(with_column(void=np.full(ROWS, np.nan)), "missing").message
    some = np.where(np.arange(ROWS) % 4 == 0, np.nan, np.random.default_rng(0).normal(size=ROWS))
    assert found(with_column(some=some), "missing") == []


def test_infinite_and_unseen(one, with_column):
    x = np.random.default_rng(0).normal(size=ROWS)
    x[[3, 5]] = np.inf, -np.inf
    assert "2 infinite numbers" in one(with_column(x=x), "infinite").message
    codes = np.arange(ROWS) % 2
    codes[:7] = UNSEEN
    assert "7 cells" in one(with_column(c=(Nominal("c", ("a", "b")), codes)), "unseen").message


# Spellings


def test_same_word_in_several_spellings(one, with_column):
    status = ["Married"] * 200 + ["married "] * 50 + ["single"] * 150
    finding = one(with_column(status=status), "spelling")
    assert finding.severity == "warn"
    assert "'Married' (200), 'married ' (50)" in finding.message


def test_yes_and_no_in_several_words(one, found, with_column):
    paid = ["Yes", "TRUE", "Y", "No"] * 100
    assert "'TRUE' (100), 'Y' (100), 'Yes' (100)" in one(with_column(paid=paid), "spelling").message
    assert found(with_column(block=["F", "N", "T", "Y"] * 100), "spelling") == []


def test_numbers_of_two_signs_are_not_two_spellings():
    assert same_words(["-1.5", "1.5", "1 5", "Ann-Lee", "ann lee"]) == [("Ann-Lee", "ann lee")]


def test_a_slip_of_the_pen(one, with_column):
    status = ["Married"] * 200 + ["Maried"] * 3 + ["single"] * 197
    finding = one(with_column(status=status), "spelling")
    assert finding.severity == "note"
    assert "'Maried' (3) beside 'Married' (200)" in finding.message


def test_honest_neighbours_are_left_alone(found, with_column):
    country = ["Gambia"] * 180 + ["Zambia"] * 200 + ["block 1"] * 2 + ["block 2"] * 18
    assert found(with_column(country=country), "spelling") == []


@pytest.mark.parametrize(
    ("slip", "is_slip"),
    [
        ("maried", True),
        ("marrieed", True),
        ("morried", True),
        ("amrried", True),
        ("MARIED", True),
        ("xmarried", True),
        ("marriedx", True),
        ("mared", False),
        ("married2", False),
        ("single", False),
    ],
)
def test_one_edit(slip, is_slip):
    assert near_words(("Married", slip), (40, 2)) == ([(slip, "Married")] if is_slip else [])


def test_counts_must_speak_for_a_slip():
    assert near_words(("Married", "Maried"), (40, 10)) == [("Maried", "Married")]
    assert near_words(("Married", "Maried"), (40, 11)) == []
    assert near_words(("cat", "car"), (40, 1)) == []  # too short to tell


def test_same_words():
    assert same_words(["Self-employed", "self employed", "other", "Other."]) == [
        ("Self-employed", "self employed"),
        ("other", "Other."),
    ]
    assert same_words(["a", "b", " ", "-"]) == []


# Numbers


@pytest.mark.parametrize(
    ("code", "low", "high"),
    [(-999, 18, 80), (999, 18, 80), (-1, 0, 50), (9999, -40, 40), (9, 1, 6), (99, 0, 91)],
)
def test_sentinels(code, low, high, one, with_column):
    x = np.random.default_rng(0).integers(low, high, ROWS).astype(float)
    x[::5] = code
    finding = one(with_column(x=x), "sentinel")
    assert finding.severity == "warn"
    assert finding.message.startswith(
        f"{code} (80 times) may mean missing: the others range from {low} to {high - 1}"
    )


def test_two_sentinels_and_what_they_hide(found, one, with_column):
    x = np.random.default_rng(0).normal(50, 5, ROWS)
    x[:20], x[20:30] = -999, -99
    table = with_column(x=x)
    message = one(table, "sentinel").message
    assert "-99 (10 times), -999 (20 times)" in message
    assert "If so, read with missing_in={'x': ['-99', '-999']}; otherwise" in message
    assert "If so, add --missing x=-99 --missing x=-999; otherwise" in for_command_line(message)
    assert found(table, "outliers") == found(table, "skew") == []  # the rest is as normal as it was


@pytest.mark.parametrize(
    "x",
    [
        np.arange(ROWS) % 10,  # digits, the 9 among them
        np.arange(ROWS) % 3 - 1.0,  # -1, 0, 1
        np.random.default_rng(0).normal(0, 1, ROWS).round(),
        np.random.default_rng(0).integers(0, 100, ROWS),
        np.append(np.random.default_rng(0).uniform(0, 10, ROWS - 2), [999, 999]),  # too few to be a code
    ],
)
def test_no_sentinels(x, found, with_column):
    assert found(with_column(x=x), "sentinel") == []


def test_few_values_show_the_override(found, one, with_column):
    finding = one(with_column(pclass=np.arange(ROWS) % 3 + 1), "few values")
    assert finding.severity == "note"
    assert 'kinds={"pclass": "nominal"}' in finding.message
    assert found(with_column(half=np.arange(ROWS) % 3 + 0.5), "few values") == []


def test_outliers(one, with_column):
    x = np.random.default_rng(0).normal(0, 1, ROWS)
    x[:2] = [15.0, -20.0]
    finding = one(with_column(x=x), "outliers")
    assert finding.severity == "note"
    assert "(down to -20)" in finding.message
    assert "(up to 15)" in finding.message


def test_outlier_fences_by_hand(table_of, one):
    x = np.append(np.arange(1, 101), 300) / 10  # quartiles 2.6 and 7.6, fences -4.9 and 15.1
    finding = one(table_of(x=x), "outliers")
    assert "1 number above 15.1 (up to 30)" in finding.message


LOG_NORMAL = np.exp(np.random.default_rng(0).normal(0, 1.5, ROWS))


@pytest.mark.parametrize(
    ("x", "side", "remedy"),
    [
        (LOG_NORMAL, "right", 'try the step "log x".'),
        (LOG_NORMAL.round(), "right", 'try the step "log1p x".'),
        (LOG_NORMAL - 3, "right", 'try the step "power x" or "quantile x".'),
        (-LOG_NORMAL, "left", 'try the step "power x" or "quantile x".'),
    ],
)
def test_skew(x, side, remedy, one, with_column):
    message = one(with_column(x=x), "skew").message
    assert f"skewed to the {side}" in message
    assert message.endswith(remedy)


def test_empty_table_says_so():
    table = Table(Schema((Numeric("x"), Nominal("c", ("a",)))), [np.empty(0), np.empty(0, dtype=np.int8)])
    (finding,) = describe_columns(table, "c").findings
    assert (finding.kind, finding.message) == ("empty", "the table has no rows.")


def test_missing_codes_are_not_a_value(table_of, found):
    assert found(table_of(c=(Nominal("c", ("a",)), [MISSING] * 100)), "constant") == []


def test_numbers_that_are_days_of_the_calendar():
    table = read([{"day": day} for day in (19580329, 19580405, 19991231, 20000229, 20240101)])
    found = {finding.kind: finding.message for finding in describe_columns(table).findings}
    assert found["dates as numbers"] == (
        'looks like dates such as 19580329; if so, read with kinds={"day": "%Y%m%d"}.'
    )
    numbers = read([{"day": day} for day in (19580329, 19581305, 19991231, 20000229, 20240101)])
    assert "dates as numbers" not in {finding.kind for finding in describe_columns(numbers).findings}
