"""Findings between rows, columns and the target: repeats, rare classes, leaks."""

import numpy as np
import pytest

from openbook.data import Table, Text
from openbook.data.findings.repeats import sample_rows

ROWS = 400


def test_duplicate_rows(one, with_column):
    table = with_column()
    twice = table.take(np.r_[np.arange(ROWS), [5, 5, 9]])
    finding = one(twice, "duplicate rows")
    assert (finding.columns, finding.severity) == ((), "note")
    assert "3 rows (0.74%)" in finding.message
    assert one(table.take(np.r_[np.arange(ROWS), np.arange(ROWS)]), "duplicate rows").severity == "warn"


def test_rows_that_differ_in_one_cell_are_no_duplicates(table_of, found):
    base = table_of(a=np.arange(100) / 7, t=(Text("t"), np.array(["w"] * 100, dtype=object)))
    other = Table(base.schema, [base.data("a"), np.array(["v"] * 100, dtype=object)])
    columns = [np.concatenate(pair) for pair in zip(base.columns, other.columns, strict=True)]
    assert found(Table(base.schema, columns), "duplicate rows") == []


def test_missing_cells_and_signed_zeros_are_equal_in_duplicates(table_of, one):
    x = np.random.default_rng(0).normal(size=200)
    y = np.random.default_rng(1).normal(size=200)
    x[:2], y[:2] = [np.nan, -np.nan], [0.0, -0.0]  # two NaNs, two zeros: other bits, the same cells
    assert "1 row " in one(table_of(x=x, y=y), "duplicate rows").message


def test_repeats_are_to_be_expected_of_few_categories(table_of, found):
    rng = np.random.default_rng(0)
    columns = {name: rng.choice(["a", "b"], ROWS) for name in "pqr"}
    assert found(table_of(**columns), "duplicate rows") == []


def test_a_last_row_that_sums_up_the_others(table_of, one, found):
    sold, share = np.r_[np.arange(1.0, 13), 78], np.r_[np.full(12, 0.5), np.nan]  # 1 + 2 + … + 12 = 78
    shop = [*"ABCABCABCABC", "Grand total"]
    finding = one(table_of(shop=shop, sold=sold, share=share), "total row")
    assert (finding.columns, finding.severity) == (("shop", "sold"), "warn")
    assert "'shop' ends with 'Grand total', 'sold' ends with the sum of its numbers" in finding.message
    assert one(table_of(sold=sold), "total row").columns == ("sold",)
    middle, nearly = np.roll(sold, 1), np.r_[sold[:-1], 78.1]
    several, zero = ["Total", *shop[1:]], np.r_[np.arange(-6.0, 7), 0]
    assert not found(table_of(a=middle, b=nearly, c=several), "total row")
    assert not found(table_of(a=zero), "total row")
    largest = [-1e308, -1e308, 1e308, 1e308] + [1.0] * 16  # their sum is no number, which warns of nothing
    assert not found(table_of(a=largest), "total row")


def test_duplicate_columns(clean_columns, found, with_column):
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


def test_a_code_and_its_label_are_one_column(one, with_column):
    code = np.arange(ROWS) % 7
    table = with_column(code=code, label=[f"level {c}" for c in code])
    assert one(table, "duplicate columns").columns == ("label", "code")


def test_columns_that_differ_in_one_row_are_no_duplicates(clean_columns, found, with_column):
    columns = clean_columns()
    age, colour, gap = columns["age"].copy(), columns["colour"].copy(), columns["score"].copy()
    age[7] += 1
    colour[7] = "green" if colour[7] != "green" else "red"
    gap[7] = np.nan
    assert found(with_column(age2=age, colour2=colour, gap=gap), "duplicate columns") == []


def test_duplicates_are_confirmed_beyond_the_sample(table_of, found):
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=50_000), rng.choice(["p", "q"], 50_000)
    same = found(table_of(a=a, b=a * 2, c=c, d=c), "duplicate columns")
    assert [finding.columns for finding in same] == [("b", "a"), ("d", "c")]
    b, d = a * 2, c.copy()
    spoiled = np.setdiff1d(np.arange(50_000), sample_rows(50_000, 5000))[0]
    b[spoiled] = 0.3
    d[spoiled] = "q" if c[spoiled] == "p" else "p"
    assert found(table_of(a=a, b=b, c=c, d=d), "duplicate columns") == []


def test_target_missing(clean_columns, found, one, with_column):
    y: list[str | None] = list(clean_columns()["y"])
    y[:6] = [None] * 6
    table = with_column(y=y)
    assert "missing in 6 rows" in one(table, "target missing", "y").message
    assert found(table, "target missing") == []


def test_rare_classes_and_imbalance(one, with_column):
    y = ["no"] * (ROWS - 5) + ["yes"] * 5
    table = with_column(y=y)
    assert "'yes' (5 rows)" in one(table, "rare class", "y").message
    assert "98.8% of the rows are 'no'" in one(table, "imbalance", "y").message


def test_many_rare_classes_are_summed_up(one, with_column):
    y = ["common"] * (ROWS - 8) + [f"rare {letter}" for letter in "abcdefgh"]
    assert "and 3 more classes" in one(with_column(y=y), "rare class", "y").message


def test_target_of_text(one, with_column):
    words = np.array(["spam", "ham"] * (ROWS // 2), dtype=object)
    assert 'kinds={"y": "nominal"}' in one(with_column(y=(Text("y"), words)), "target", "y").message


@pytest.fixture(scope="module")
def leak_columns(found):
    """The columns that give the target away."""

    def columns(table: Table, target: str = "y") -> list[str]:
        return [finding.columns[0] for finding in found(table, "leak", target)]

    return columns


def test_leaks_of_a_class(clean_columns, found, with_column, leak_columns):
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
    assert "predicts 'y' by itself, without error in 400 rows" in finding.message
    assert "leave it out" in finding.message


def test_a_nearly_perfect_leak(clean_columns, one, with_column):
    y = clean_columns()["y"]
    nearly = y.copy()
    nearly[0] = "no" if y[0] == "yes" else "yes"
    finding = one(with_column(nearly=nearly), "leak", "y")
    errors = (y == "yes").sum()  # the majority gets every "yes" wrong
    assert f"with {1 - 1 / errors:.1%} fewer errors than the majority class" in finding.message


def test_a_file_sorted_by_class_leaks_through_its_row_number(clean_columns, with_column, leak_columns):
    y = np.sort(clean_columns()["y"])
    assert leak_columns(with_column(row=np.arange(ROWS), y=y)) == ["row"]


def test_no_leaks(clean_columns, with_column, leak_columns):
    rng = np.random.default_rng(0)
    y = clean_columns()["y"]
    table = with_column(
        name=[f"K{i}" for i in range(ROWS)],  # each value once
        triple=[f"T{i // 3}" for i in np.argsort(np.argsort(y, kind="stable"))],  # pure groups of three
        row=np.arange(ROWS),
        strong=np.where(y == "yes", rng.normal(3, 1, ROWS), rng.normal(0, 1, ROWS)),
    )
    assert leak_columns(table) == []


def test_a_rare_class_is_not_determined_by_chance(with_column, leak_columns):
    y = np.where(np.arange(ROWS) % 100 == 0, "yes", "no")
    assert leak_columns(with_column(y=y)) == []


def test_tiny_tables_show_no_leaks(table_of, leak_columns):
    y = ["no", "yes"] * 20
    assert leak_columns(table_of(copy=y, y=y)) == []


def test_leaks_of_a_number(clean_columns, with_column, leak_columns):
    columns = clean_columns()
    height = columns["height"]
    table = with_column(
        log=np.log(height),
        band=[f"{h:.0f}" for h in np.round(height / 20)],
        exact=[f"{h:.0f}" for h in np.round(height)],
        noisy=height + np.random.default_rng(1).normal(0, 3, ROWS),
    )
    assert leak_columns(table, "height") == ["log", "band"]  # a band is the height, cut into intervals
    steps = np.repeat([150.0, 160, 170, 180], ROWS // 4)
    labels = np.repeat(["s", "m", "l", "xl"], ROWS // 4)
    assert leak_columns(with_column(height=steps, size=labels), "height") == ["size"]


def test_one_common_outlier_is_no_leak(with_column, leak_columns):
    a, b = np.random.default_rng(0).normal(size=(2, ROWS))
    a[0] = b[0] = 1e9  # |r| of the numbers is 1, of the ranks it is not
    assert leak_columns(with_column(a=a, b=b), "b") == []


def test_rows_without_a_target_do_not_hide_a_leak(clean_columns, with_column, leak_columns):
    y: list[str | None] = list(clean_columns()["y"])
    copy = [f"is {cell}" for cell in y]
    y[::3] = [None] * len(y[::3])
    assert leak_columns(with_column(copy=copy, y=y)) == ["copy"]


def test_a_column_that_is_the_target_cut_at_a_threshold(with_column, leak_columns, clean_columns):
    height = clean_columns()["height"]
    table = with_column(
        low=(height < 160).astype(float),
        high=np.where(height > 185, "yes", "no"),
        spoilt=np.where(np.arange(ROWS) % 40 == 0, 1.0, height < 160),  # 10 rows are low at any height
        middle=np.where(np.abs(height - 170) < 5, "yes", "no"),  # "no" has two ranges: no cut
    )
    assert leak_columns(table, "height") == ["low", "high"]


def test_a_target_of_two_numbers_is_given_away_as_classes_are(with_column, leak_columns, clean_columns):
    height = clean_columns()["height"]
    assert leak_columns(with_column(low=(height < 160).astype(float)), "low") == ["height"]


def normal_scores(auc: float, yes: np.ndarray, seed: int) -> np.ndarray:
    """Numbers of standard deviation 1 in both classes; AUC = Φ(d / √2) with means d apart."""
    from scipy.stats import norm

    return np.random.default_rng(seed).normal(size=len(yes)) + yes * np.sqrt(2) * norm.ppf(auc)


@pytest.mark.parametrize("seed", range(5))
def test_a_column_that_ranks_the_classes(clean_columns, with_column, leak_columns, seed):
    yes = clean_columns()["y"] == "yes"
    table = with_column(told=normal_scores(0.997, yes, seed), strong=normal_scores(0.97, yes, seed + 100))
    assert leak_columns(table) == ["told"]


def test_the_auc_of_several_classes_is_that_of_the_two_told_worst(with_column, leak_columns):
    rng = np.random.default_rng(0)
    kind = np.arange(ROWS) % 3
    apart = kind * 6 + rng.normal(size=ROWS)
    two_alike = np.minimum(kind, 1) * 6 + kind + rng.normal(size=ROWS)
    names = np.array(["a", "b", "c"])[kind]
    assert leak_columns(with_column(apart=apart, two_alike=two_alike, y=names)) == ["apart"]


@pytest.mark.parametrize("seed", range(5))
def test_a_flag_of_one_class(clean_columns, with_column, found, seed):
    rng = np.random.default_rng(seed + 1)  # 0 drew the classes
    yes = clean_columns()["y"] == "yes"
    table = with_column(
        flag=(yes & (rng.random(ROWS) < 0.9)).astype(float),
        noted=np.where(yes & (rng.random(ROWS) < 0.9), rng.choice(["p", "q", "r"], ROWS), None),
        half=(yes & (rng.random(ROWS) < 0.5)).astype(float),
        noisy=np.where(rng.random(ROWS) < 0.9, yes, ~yes).astype(float),
    )
    flags = found(table, "leak", "y")
    assert [finding.columns[0] for finding in flags] == ["flag", "noted"]
    share = (table.data("flag")[yes] == 1).mean()
    words = f"is 1 in {share:.1%} of the rows with 'y' 'yes', and in 0.0% of those with 'no', in 400 rows."
    assert words in flags[0].message
    assert flags[1].message.startswith("is known in ")


@pytest.mark.parametrize("seed", range(5))
def test_a_column_that_moves_with_the_number(clean_columns, with_column, leak_columns, seed):
    height = clean_columns()["height"]
    noise = np.random.default_rng(seed).normal(size=ROWS)
    noise -= np.polyval(np.polyfit(height, noise, 1), height)

    def correlated(r: float) -> np.ndarray:  # r of the sample, exactly
        return height + noise / noise.std() * height.std() * np.sqrt(1 / r**2 - 1)

    made = correlated(0.991)
    assert np.corrcoef(made, height)[0, 1] == pytest.approx(0.991)
    assert leak_columns(with_column(made=made, honest=correlated(0.97)), "height") == ["made"]


def test_a_number_that_follows_from_a_column(with_column, leak_columns):
    x = np.random.default_rng(0).uniform(0, 10, ROWS)
    table = with_column(x=x, wave=np.sin(x), coarse=np.floor(x))
    assert leak_columns(table, "wave") == ["x"]


@pytest.mark.parametrize("names", [lambda i: 1000.0 + i, lambda i: f"P{i:03d}"], ids=["numbers", "words"])
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_patients_with_one_outcome_each_are_groups(with_column, leak_columns, one, names, target):
    rng = np.random.default_rng(0)
    patient = np.arange(ROWS) % 40
    outcome = rng.permutation(40)
    y = np.where(outcome % 2, "ill", "well")[patient] if target == "classes" else outcome[patient] * 1.0
    table = with_column(patient=[names(i) for i in patient], y=y)
    assert leak_columns(table) == []
    finding = one(table, "groups", "y")
    assert (finding.columns, finding.severity) == (("patient",), "warn")
    assert finding.message.startswith("each of its 40 values has only one outcome of 'y'.")


def jittered(table: Table, rows: np.ndarray, scale: float = 1e-6) -> Table:
    """The table and, after it, some rows again with a jitter in every number."""
    twice = table.take(np.r_[np.arange(len(table)), rows])
    columns = [column.copy() for column in twice.columns]
    rng = np.random.default_rng(1)
    for attribute, column in zip(twice.schema, columns, strict=True):
        if attribute.kind == "numeric":
            column[len(table) :] += rng.normal(0, scale, len(rows))
    return Table(twice.schema, columns)


def test_copies_with_a_jitter(with_column, found, one):
    table = with_column()
    assert found(table, "near-duplicate rows") == []
    finding = one(jittered(table, np.arange(0, ROWS, 10)), "near-duplicate rows")
    assert finding.severity == "warn"
    assert finding.message.startswith("40 rows (9.09%) nearly equal to an earlier one")
    assert one(jittered(table, np.arange(3)), "near-duplicate rows").severity == "note"
    assert found(jittered(table, np.arange(0, ROWS, 10), scale=1.0), "near-duplicate rows") == []


def test_a_jitter_of_other_words_or_gaps_is_no_copy(with_column, found):
    table = jittered(with_column(), np.arange(50))
    assert found(table, "near-duplicate rows") != []
    for name, spoilt in (("colour", (table.data("colour") + 1) % 3), ("age", np.full(len(table), np.nan))):
        columns = [
            np.where(np.arange(len(table)) < ROWS, data, spoilt) if attribute.name == name else data
            for attribute, data in zip(table.schema, table.columns, strict=True)
        ]
        assert found(Table(table.schema, columns), "near-duplicate rows") == []


def test_one_dense_column_makes_no_near_copies(table_of, found):
    assert found(table_of(x=np.random.default_rng(0).normal(size=50_000)), "near-duplicate rows") == []
