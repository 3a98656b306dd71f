"""Studies of panels, the same groups time after time, through the command line."""

import numpy as np
import polars as pl
import pytest

FEW = ("--learner", "naive_bayes", "--quiet", "--out", "study")
FEW_NUMBERS = ("--learner", "linear_regression", "--quiet", "--out", "study")


def panel(patients=150, years=6, seed=0):
    """Patients with an own level, seen once a year."""
    rng = np.random.default_rng(seed)
    patient, year = np.repeat(np.arange(patients), years), np.tile(np.arange(2015, 2015 + years), patients)
    level = np.repeat(rng.normal(size=patients), years)
    x = level + rng.normal(size=len(year))
    pain = level + 0.2 * (year - 2015) + rng.normal(size=len(year))
    return pl.DataFrame(
        {
            "patient": [f"p{i:03}" for i in patient],
            "year": year,
            "x": x.round(3),
            "sex": np.where(patient % 2, "f", "m"),
            "pain": pain.round(3),
            "ill": np.where(pain > 0.5, "yes", "no"),
        }
    )


def study(good, table, target, *options):
    drop = "pain" if target == "ill" else "ill"
    table.drop(drop).write_csv("panel.csv")
    few = FEW if target == "ill" else FEW_NUMBERS
    return good("study", "panel.csv", "-t", target, "--group", "patient", "--time", "year", *few, *options)


@pytest.mark.parametrize("target", ["ill", "pain"])
@pytest.mark.parametrize(("whom", "rows"), [("new", 50), ("known", 150)])
def test_a_balanced_panel(here, good, target, whom, rows):
    told = study(good, panel(), target, "--test-groups", whom, "--fresh")
    assert f"on {rows} held-out rows" in told  # of the last year; new: of the third that is locked away
    assert f'test_groups = "{whom}"' in (here / "study" / "plan.toml").read_text()
    report = (here / "study" / "report.html").read_text()
    assert f"are {whom} to the model" in report
    assert f"{rows} rows, the last{' of new groups' if whom == 'new' else ''}, were held out" in report
    assert "cross-validated" not in report  # rows are tested in order of time
    assert "Intervals in this section treat rows as independent" in report


def test_new_groups_are_the_default_and_the_plan_says_how_to_choose(good):
    panel().drop("pain").write_csv("panel.csv")
    loud = [option for option in FEW if option != "--quiet"]
    told = good("study", "panel.csv", "-t", "ill", "--group", "patient", "--time", "year", *loud)
    told = " ".join(told.split())
    assert "patient groups the rows: scores are for new groups, without rows in training" in told
    assert "use --test-groups known" in told
    assert "The groups that are tested are new to the model: none of their rows train" in told
    # 50 of 150 patients are tested in the last of 6 years: 50 · 5 earlier rows, and 100 later ones of others
    assert "350 rows of the file are used neither for training nor for testing" in told


def shuffled_dates(table):
    day = [f"{year}-0{1 + i % 3}-15" for i, year in enumerate(table["year"])]
    return table.with_columns(year=pl.Series(day)).sample(fraction=1, shuffle=True, seed=1)


def late_class(table):
    late = (pl.col("year") > 2018) & (pl.col("x") > 1)
    return table.with_columns(ill=pl.when(late).then(pl.lit("dead")).otherwise("ill"))


ODD = {
    "dates with ties, in any order": shuffled_dates,
    "unbalanced": lambda table: table.sample(fraction=0.4, seed=1),
    "four patients": lambda table: table.head(24),
    "two years": lambda table: table.filter(pl.col("year") < 2017),
    "two large groups": lambda table: table.with_columns(patient="sex"),
    "groups of one row": lambda table: table.with_columns(patient=pl.int_range(pl.len())),
    "a class that comes up late": late_class,
    "one class until 2018": lambda table: table.with_columns(
        ill=pl.when(pl.col("year") < 2018).then(pl.lit("no")).otherwise("ill")
    ),
}


@pytest.mark.parametrize("whom", ["new", "known"])
@pytest.mark.parametrize("changed", ODD.values(), ids=ODD)
def test_odd_panels_end_well(here, good, changed, whom):
    study(good, changed(panel(60)), "ill", "--test-groups", whom)
    assert (here / "study" / "model.openbook").exists()


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"patient": "p"}, (), "no row can be tested by a model of earlier rows of other groups"),
        ({"year": 2015}, (), "all rows have the same time"),
        ({"ill": "no"}, (), "nothing to predict"),
    ],
)
def test_panels_that_cannot_be_judged_are_refused_in_a_line(here, complaint, columns, options, message):
    panel(60).drop("pain").with_columns(**{name: pl.lit(value) for name, value in columns.items()}).write_csv(
        "panel.csv"
    )
    said = complaint(
        "study", "panel.csv", "-t", "ill", "--group", "patient", "--time", "year", *FEW, *options
    )
    assert message in said
    assert [path.name for path in (here / "study").iterdir()] == ["report.html"]


def test_which_groups_to_test_is_for_groups_over_time(complaint):
    panel(60).write_csv("panel.csv")
    said = complaint("study", "panel.csv", "-t", "ill", "--time", "year", "--test-groups", "known", *FEW)
    assert "--test-groups needs both --group and --time" in said


def test_a_series_that_shifts(good):
    t = np.arange(600)
    x = np.random.default_rng(0).normal(size=600)
    pl.DataFrame({"t": t, "x": x.round(3), "y": (x + np.where(t > 300, 5, 0)).round(3)}).write_csv("s.csv")
    assert "The final test" in good("study", "s.csv", "-t", "y", "--time", "t", *FEW_NUMBERS)


@pytest.mark.parametrize(("patients", "said"), [(8, True), (40, False)])
def test_screen_and_report_say_that_intervals_of_few_groups_are_rough(here, good, patients, said):
    panel(patients).drop("pain", "year").write_csv("panel.csv")
    loud = [option for option in FEW if option != "--quiet"]
    told = good("study", "panel.csv", "-t", "ill", "--group", "patient", *loud)
    remark = (
        "95% intervals may be too wide: with 50 rows in 5 groups, they held in 93.1% to 97.1% of simulations."
    )
    assert (remark in " ".join(told.split())) == said
    assert (remark in (here / "study" / "report.html").read_text()) == said
