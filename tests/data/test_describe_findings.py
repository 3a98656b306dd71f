"""Findings: each is raised by a table made for it, and none by tables that are clean."""

from typing import Any

import numpy as np
import pytest
from sklearn import datasets

from openbook.data import MISSING, UNSEEN, Attribute, Nominal, Numeric, Schema, Table, Text
from openbook.data.describe import describe
from openbook.data.findings import Finding
from openbook.data.findings.repeats import sample_rows
from openbook.data.findings.spellings import near_words, same_words

ROWS = 400


def table_of(**columns: Any) -> Table:
    """Strings become nominal (None missing), numbers numeric; a (attribute, data) pair is taken as it is."""
    attributes: list[Attribute] = []
    arrays = []
    for name, data in columns.items():
        if isinstance(data, tuple):
            attribute, array = data[0], np.asarray(data[1])
        elif any(isinstance(cell, str) for cell in data):
            values = tuple(sorted({cell for cell in data if cell is not None}))
            attribute = Nominal(name, values)
            array = np.array([attribute.encode(cell) for cell in data])
        else:
            attribute, array = Numeric(name), np.asarray(data, dtype=float)
        attributes.append(attribute)
        arrays.append(array)
    return Table(Schema(tuple(attributes)), arrays)


def clean_columns(seed: int = 0) -> dict[str, Any]:
    """Columns with nothing odd about them."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], ROWS, p=[0.6, 0.4])
    return {
        "height": rng.normal(170, 10, ROWS).round(1),
        "score": rng.uniform(0, 1, ROWS),
        "age": rng.integers(18, 80, ROWS).astype(float),
        "colour": rng.choice(["red", "green", "blue"], ROWS),
        "hint": np.where(rng.random(ROWS) < 0.8, y, rng.permutation(y)),
        "y": y,
    }


def found(table: Table, kind: str, target: str | None = None) -> list[Finding]:
    return [finding for finding in describe(table, target).findings if finding.kind == kind]


def one(table: Table, kind: str, target: str | None = None) -> Finding:
    (finding,) = found(table, kind, target)
    return finding


def with_column(**columns: Any) -> Table:
    return table_of(**{**clean_columns(), **columns})


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("target", [None, "y", "height"])
def test_a_clean_table_raises_nothing(seed, target):
    assert describe(table_of(**clean_columns(seed)), target).findings == ()


def weather() -> Table:
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


def test_weather_is_tiny_and_nothing_else():
    table = weather()
    (finding,) = describe(table, "play").findings
    assert (finding.kind, finding.severity) == ("tiny", "note")
    assert "only 14 rows" in finding.message


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits"])
def test_real_sets_raise_no_false_warnings(name):
    bunch = getattr(datasets, f"load_{name}")()
    numeric = {str(n): x for n, x in zip(bunch.feature_names, bunch.data.T, strict=True)}
    y = bunch.target if name == "diabetes" else [str(bunch.target_names[c]) for c in bunch.target]
    table = table_of(**numeric, y=y)
    warned = {finding.kind for finding in describe(table, "y").findings if finding.severity == "warn"}
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
def test_identifiers(ids):
    finding = one(with_column(id=ids), "identifier")
    assert (finding.columns, finding.severity) == (("id",), "warn")
    assert "leave it out" in finding.message


def test_no_identifiers():
    rng = np.random.default_rng(0)
    prose = np.array([f"a remark about row {i}" for i in range(ROWS)], dtype=object)
    wide = rng.choice(10**9, ROWS, replace=False)  # so many numbers that chance rarely repeats one
    table = with_column(prose=(Text("prose"), prose), wide=wide, measured=np.arange(ROWS) + 0.5)
    assert found(table, "identifier") == []


def test_constants():
    table = with_column(flat=np.full(ROWS, 3.0), one=["x"] * ROWS, known=[None, "x"] * (ROWS // 2))
    findings = found(table, "constant")
    assert [finding.columns for finding in findings] == [("flat",), ("one",), ("known",)]
    assert "only their being known" in findings[2].message
    assert "nothing to tell apart" in one(with_column(y=["no"] * ROWS), "constant", "y").message


def test_near_constant():
    lonely = np.zeros(ROWS)
    lonely[:3] = [1, 2, 3]
    finding = one(with_column(lonely=lonely), "near constant")
    assert (finding.columns, finding.severity) == (("lonely",), "note")
    assert "all but 3 cells of 400" in finding.message
    lonely[:30] = 1
    assert found(with_column(lonely=lonely), "near constant") == []


def test_mostly_missing():
    half = np.where(np.arange(ROWS) % 4 == 0, np.random.default_rng(0).normal(size=ROWS), np.nan)
    finding = one(with_column(half=half), "missing")
    assert "300 of 400 cells (75%)" in finding.message
    assert "every cell" in one(with_column(void=np.full(ROWS, np.nan)), "missing").message
    some = np.where(np.arange(ROWS) % 4 == 0, np.nan, np.random.default_rng(0).normal(size=ROWS))
    assert found(with_column(some=some), "missing") == []


def test_infinite_and_unseen():
    x = np.random.default_rng(0).normal(size=ROWS)
    x[[3, 5]] = np.inf, -np.inf
    assert "2 infinite numbers" in one(with_column(x=x), "infinite").message
    codes = np.arange(ROWS) % 2
    codes[:7] = UNSEEN
    assert "7 cells" in one(with_column(c=(Nominal("c", ("a", "b")), codes)), "unseen").message


# Spellings


def test_same_word_in_several_spellings():
    status = ["Married"] * 200 + ["married "] * 50 + ["single"] * 150
    finding = one(with_column(status=status), "spelling")
    assert finding.severity == "warn"
    assert "'Married' (200), 'married ' (50)" in finding.message


def test_a_slip_of_the_pen():
    status = ["Married"] * 200 + ["Maried"] * 3 + ["single"] * 197
    finding = one(with_column(status=status), "spelling")
    assert finding.severity == "note"
    assert "'Maried' (3) beside 'Married' (200)" in finding.message


def test_honest_neighbours_are_left_alone():
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
def test_sentinels(code, low, high):
    x = np.random.default_rng(0).integers(low, high, ROWS).astype(float)
    x[::5] = code
    finding = one(with_column(x=x), "sentinel")
    assert finding.severity == "warn"
    assert finding.message.startswith(
        f"{code} (80 times) may stand for missing: the others run from {low} to {high - 1}"
    )


def test_two_sentinels_and_what_they_hide():
    x = np.random.default_rng(0).normal(50, 5, ROWS)
    x[:20], x[20:30] = -999, -99
    table = with_column(x=x)
    assert "-99 (10 times), -999 (20 times)" in one(table, "sentinel").message
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
def test_no_sentinels(x):
    assert found(with_column(x=x), "sentinel") == []


def test_few_values_show_the_override():
    finding = one(with_column(pclass=np.arange(ROWS) % 3 + 1), "few values")
    assert finding.severity == "note"
    assert 'kinds={"pclass": "nominal"}' in finding.message
    assert found(with_column(half=np.arange(ROWS) % 3 + 0.5), "few values") == []


def test_outliers():
    x = np.random.default_rng(0).normal(0, 1, ROWS)
    x[:2] = [15.0, -20.0]
    finding = one(with_column(x=x), "outliers")
    assert finding.severity == "note"
    assert "(down to -20)" in finding.message
    assert "(up to 15)" in finding.message


def test_outlier_fences_by_hand():
    x = np.append(np.arange(1, 101), 300) / 10  # quartiles 2.6 and 7.6, fences -4.9 and 15.1
    finding = one(table_of(x=x), "outliers")
    assert "1 number above 15.1 (up to 30)" in finding.message


LOG_NORMAL = np.exp(np.random.default_rng(0).normal(0, 1.5, ROWS))


@pytest.mark.parametrize(
    ("x", "side", "remedy"),
    [
        (LOG_NORMAL, "right", "try log x."),
        (LOG_NORMAL.round(), "right", "try log(1 + x)."),
        (LOG_NORMAL - 3, "right", "try the arctangent or quantiles."),
        (-LOG_NORMAL, "left", "try the arctangent or quantiles."),
    ],
)
def test_skew(x, side, remedy):
    message = one(with_column(x=x), "skew").message
    assert f"skewed to the {side}" in message
    assert message.endswith(remedy)


# Repeats


def test_duplicate_rows():
    table = with_column()
    twice = table.take(np.r_[np.arange(ROWS), [5, 5, 9]])
    finding = one(twice, "duplicate rows")
    assert (finding.columns, finding.severity) == ((), "note")
    assert "3 rows (0.74%)" in finding.message
    assert one(table.take(np.r_[np.arange(ROWS), np.arange(ROWS)]), "duplicate rows").severity == "warn"


def test_rows_that_differ_in_one_cell_are_no_duplicates():
    base = table_of(a=np.arange(100) / 7, t=(Text("t"), np.array(["w"] * 100, dtype=object)))
    other = Table(base.schema, [base.data("a"), np.array(["v"] * 100, dtype=object)])
    columns = [np.concatenate(pair) for pair in zip(base.columns, other.columns, strict=True)]
    assert found(Table(base.schema, columns), "duplicate rows") == []


def test_missing_cells_and_signed_zeros_are_equal_in_duplicates():
    x = np.random.default_rng(0).normal(size=200)
    y = np.random.default_rng(1).normal(size=200)
    x[:2], y[:2] = [np.nan, -np.nan], [0.0, -0.0]  # two NaNs, two zeros: other bits, the same cells
    assert "1 row " in one(table_of(x=x, y=y), "duplicate rows").message


def test_repeats_are_to_be_expected_of_few_categories():
    rng = np.random.default_rng(0)
    columns = {name: rng.choice(["a", "b"], ROWS) for name in "pqr"}
    assert found(table_of(**columns), "duplicate rows") == []


def test_duplicate_columns():
    columns = clean_columns()
    inches = columns["height"] / 2.54
    fahrenheit = columns["score"] * -1.8 + 32
    colours = {"red": "rot", "green": "gruen", "blue": "blau"}
    table = with_column(
        again=columns["age"].copy(),
        inches=inches,
        fahrenheit=fahrenheit,
        farbe=[colours[c] for c in columns["colour"]],
    )
    messages = {finding.columns: finding.message for finding in found(table, "duplicate columns")}
    assert set(messages) == {
        ("again", "age"),
        ("inches", "height"),
        ("fahrenheit", "score"),
        ("farbe", "colour"),
    }
    assert "equal to 'age'" in messages["again", "age"]
    assert "0.394 times 'height'" in messages["inches", "height"]
    assert "(-1.8 × score + 32)" in messages["fahrenheit", "score"]
    assert "one to one" in messages["farbe", "colour"]


def test_a_code_and_its_label_are_one_column():
    code = np.arange(ROWS) % 7
    table = with_column(code=code, label=[f"level {c}" for c in code])
    assert one(table, "duplicate columns").columns == ("label", "code")


def test_columns_that_differ_in_one_row_are_no_duplicates():
    columns = clean_columns()
    age, colour, gap = columns["age"].copy(), columns["colour"].copy(), columns["score"].copy()
    age[7] += 1
    colour[7] = "green" if colour[7] != "green" else "red"
    gap[7] = np.nan
    assert found(with_column(age2=age, colour2=colour, gap=gap), "duplicate columns") == []


def test_duplicates_are_confirmed_beyond_the_sample():
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=50_000), rng.choice(["p", "q"], 50_000)
    same = found(table_of(a=a, b=a * 2, c=c, d=c), "duplicate columns")
    assert [finding.columns for finding in same] == [("b", "a"), ("d", "c")]
    b, d = a * 2, c.copy()
    spoiled = np.setdiff1d(np.arange(50_000), sample_rows(50_000, 5000))[0]
    b[spoiled] = 0.3
    d[spoiled] = "q" if c[spoiled] == "p" else "p"
    assert found(table_of(a=a, b=b, c=c, d=d), "duplicate columns") == []


# The target


def test_target_missing():
    y: list[str | None] = list(clean_columns()["y"])
    y[:6] = [None] * 6
    table = with_column(y=y)
    assert "missing in 6 rows" in one(table, "target missing", "y").message
    assert found(table, "target missing") == []


def test_rare_classes_and_imbalance():
    y = ["no"] * (ROWS - 5) + ["yes"] * 5
    table = with_column(y=y)
    assert "'yes' (5 rows)" in one(table, "rare class", "y").message
    assert "98.8% of the rows are 'no'" in one(table, "imbalance", "y").message


def test_many_rare_classes_are_summed_up():
    y = ["common"] * (ROWS - 8) + [f"rare {letter}" for letter in "abcdefgh"]
    assert "and 3 more classes" in one(with_column(y=y), "rare class", "y").message


def test_target_of_text():
    words = np.array(["spam", "ham"] * (ROWS // 2), dtype=object)
    assert 'kinds={"y": "nominal"}' in one(with_column(y=(Text("y"), words)), "target", "y").message


# Leaks


def leak_columns(table: Table, target: str = "y") -> list[str]:
    return [finding.columns[0] for finding in found(table, "leak", target)]


def test_leaks_of_a_class():
    rng = np.random.default_rng(0)
    columns = clean_columns()
    y = columns["y"]
    yes = y == "yes"
    table = with_column(
        copy=np.where(yes, "ja", "nein"),
        finer=[f"{c}{i}" for c, i in zip(y, rng.integers(0, 5, ROWS), strict=True)],
        threshold=np.where(yes, rng.uniform(5, 9, ROWS), rng.uniform(0, 4, ROWS)),
        band=np.where(
            yes, rng.uniform(4, 5, ROWS), rng.choice([-1, 1], ROWS) * rng.uniform(2, 3, ROWS) + 4.5
        ),
        filled=np.where(yes, rng.uniform(0, 1, ROWS), np.nan),
        noted=np.where(yes, rng.choice(["p", "q"], ROWS), None),
        words=(Text("words"), np.where(yes, "was late again", "always in time").astype(object)),
    )
    assert leak_columns(table) == ["copy", "finer", "threshold", "band", "filled", "noted", "words"]
    finding = next(f for f in found(table, "leak", "y") if f.columns == ("copy",))
    assert finding.severity == "warn"
    assert "tells 'y' alone, without an error in 400 rows" in finding.message
    assert "leave it out" in finding.message


def test_a_nearly_perfect_leak():
    y = clean_columns()["y"]
    nearly = y.copy()
    nearly[0] = "no" if y[0] == "yes" else "yes"
    finding = one(with_column(nearly=nearly), "leak", "y")
    errors = (y == "yes").sum()  # the majority gets every "yes" wrong
    assert f"but for {1 / errors:.1%} of the majority's errors" in finding.message


def test_a_file_sorted_by_class_leaks_through_its_row_number():
    y = np.sort(clean_columns()["y"])
    assert leak_columns(with_column(row=np.arange(ROWS), y=y)) == ["row"]


def test_no_leaks():
    rng = np.random.default_rng(0)
    y = clean_columns()["y"]
    table = with_column(
        name=[f"K{i}" for i in range(ROWS)],  # each value once
        triple=[f"T{i // 3}" for i in np.argsort(np.argsort(y, kind="stable"))],  # pure groups of three
        row=np.arange(ROWS),
        strong=np.where(y == "yes", rng.normal(3, 1, ROWS), rng.normal(0, 1, ROWS)),
    )
    assert leak_columns(table) == []


def test_a_rare_class_is_not_determined_by_chance():
    y = np.where(np.arange(ROWS) % 100 == 0, "yes", "no")
    assert leak_columns(with_column(y=y)) == []


def test_tiny_tables_show_no_leaks():
    y = ["no", "yes"] * 20
    assert leak_columns(table_of(copy=y, y=y)) == []


def test_leaks_of_a_number():
    columns = clean_columns()
    height = columns["height"]
    table = with_column(
        log=np.log(height),
        band=[f"{h:.0f}" for h in np.round(height / 20)],
        exact=[f"{h:.0f}" for h in np.round(height)],
        noisy=height + np.random.default_rng(1).normal(0, 3, ROWS),
    )
    assert leak_columns(table, "height") == ["log"]
    steps = np.repeat([150.0, 160, 170, 180], ROWS // 4)
    labels = np.repeat(["s", "m", "l", "xl"], ROWS // 4)
    assert leak_columns(with_column(height=steps, size=labels), "height") == ["size"]


def test_one_common_outlier_is_no_leak():
    a, b = np.random.default_rng(0).normal(size=(2, ROWS))
    a[0] = b[0] = 1e9  # |r| of the numbers is 1, of the ranks it is not
    assert leak_columns(with_column(a=a, b=b), "b") == []


def test_rows_without_a_target_do_not_hide_a_leak():
    y: list[str | None] = list(clean_columns()["y"])
    copy = [f"is {cell}" for cell in y]
    y[::3] = [None] * len(y[::3])
    assert leak_columns(with_column(copy=copy, y=y)) == ["copy"]


def test_empty_table_says_so():
    table = Table(Schema((Numeric("x"), Nominal("c", ("a",)))), [np.empty(0), np.empty(0, dtype=np.int8)])
    (finding,) = describe(table, "c").findings
    assert (finding.kind, finding.message) == ("empty", "the table has no rows.")


def test_missing_codes_are_not_a_value():
    assert found(table_of(c=(Nominal("c", ("a",)), [MISSING] * 100)), "constant") == []
