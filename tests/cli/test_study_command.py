"""Study and compare as their --help says, and every complaint in one line with exit code 2."""

import re
from time import monotonic

import polars as pl
import pytest

import openbook as ob
import openbook.cli.study


def test_study_tells_all_and_leaves_a_folder(here, good):
    told = good("study", "weather")
    order = [
        "There is no evidence yet that any model beats the baseline",
        "The choice",
        "The ranking",
        "leave-one-out: each of the 14 rows",
        "→ ",
        "1R (baseline)",
        "The model: ",
        ", step by step (play: ",
        "14 rows, 5 columns, no cell missing, target 'play'",
        "only 14 rows",
        "naive Bayes, kernel density: skipped",
        "random forest: skipped, 14 rows cannot show",
        "Report: weather/report.html",
        "Model:  weather/model.openbook",
    ]
    places = [told.find(words) for words in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)
    assert "\x1b" not in told
    assert sorted(p.name for p in (here / "weather").iterdir()) == [
        "model.openbook",
        "plan.toml",
        "report.html",
        "results.jsonl",
    ]


def test_a_study_draws_the_tree_that_it_works(here, good):
    told = good("study", "weather", "--learner", "c45")
    assert "The model: C4.5\nA tree with 5 leaves. It splits on 3 of the 4 columns." in told
    assert "\nC4.5:\n" in told


def test_study_says_the_same_twice_and_with_any_number_of_workers(here, good):
    first = good("study", "weather", "--workers", 2)
    before = (here / "weather" / "results.jsonl").read_bytes()
    again = first.partition("\n")[2]  # without the estimated time
    # 11 learners, 14 rows left out one by one; then the final fit, the examples and what each column tells
    done = "Resuming: 154 of 154 fits are done, and 3 later steps.\n"
    assert good("study", "weather", "--workers", 1) == done + again
    assert (here / "weather" / "results.jsonl").read_bytes() == before
    assert good("study", here / "weather" / "plan.toml", "--out", "weather") == done + again


def test_study_a_file_with_options(here, good):
    ob.load("iris").to_polars().with_columns(note=pl.lit("x")).write_csv("flowers.csv")
    told = good(
        *("study", "flowers.csv", "-t", "species", "--out", "deep/folder", "--quiet"),
        *("--folds", 3, "--repeats", 1, "--random-state", 2, "--test-share", 0.2, "--metric", "kappa"),
        *("--learner", "naive_bayes", "--ignore", "note", "--kind", "species=setosa,versicolor,virginica"),
    )
    assert told.startswith("The decisions are not shown to be better than those of 1R (kappa ")
    assert "but the probabilities are informative: the best learner, naive Bayes," in " ".join(told.split())
    assert "The final test\n" in told
    assert "kappa" in told
    plan = (here / "deep/folder/plan.toml").read_text()
    for line in (
        'path = "../../flowers.csv"',
        'kinds = { species = ["setosa", "versicolor", "virginica"] }',
        'ignore = ["note"]',
        'split = "cross-validation"\nfolds = 3\nrepeats = 1\ntest_share = 0.2\nrandom_state = 2',
        'metric = "kappa"',
    ):
        assert line in plan


def test_study_a_wide_table_in_short(here, good):
    told = good("study", "breast_cancer", "--folds", 2, "--repeats", 1, "--learner", "one_r")
    assert "569 rows, 31 columns" in told
    assert "Findings" in told
    assert "Kinds and reasons" not in told
    assert "The final test" in told


def test_a_study_of_another_plan_is_kept_unless_told(here, good, complaint):
    good("study", "weather", "--learner", "one_r")
    words = complaint("study", "weather", "--learner", "one_r", "--random-state", 4)
    assert "weather holds a study of another plan (they differ in protocol)" in words
    assert "--fresh" in words
    assert "--out" in words
    good("study", "weather", "--learner", "one_r", "--random-state", 4, "--fresh")
    good("study", "weather", "--learner", "one_r", "--random-state", 5, "--out", "other")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["wether"], "there is no file and no bundled set 'wether'. Did you mean 'weather'?"),
        (["nothing.csv"], "there is no file"),
        (["empty.csv"], "empty.csv"),
        (["hollow"], "hollow"),
        (["table.csv"], "clustering needs at least 9"),
        (["table.csv", "--folds", "5"], "say which column to predict: --target NAME. There are: a, b"),
        (["weather", "--explore", "--metric", "accuracy"], "--metric needs a target"),
        (["weather", "--explore", "--quick"], "--quick or --thorough needs a target"),
        (["weather", "--explore", "--time-limit", "9"], "--time-limit needs a target"),
        (["table.csv", "-t", "c"], "no column 'c'"),
        (["weather", "--kind", "windy"], "--kind needs COLUMN=KIND, as in zip=nominal, got 'windy'"),
        (["weather", "--kind", "windy=round"], "windy"),
        (["weather", "--kind", "wind=nominal"], "Did you mean 'windy'?"),
        (["weather", "--metric", "acuracy"], "Did you mean 'accuracy'?"),
        (["weather", "--learner", "naive_baies"], "Did you mean 'naive_bayes'?"),
        (["weather", "--learner", "minimum_risk"], "minimum_risk needs parameters in a study"),
        (["weather", "--folds", "3"], "with fewer than 50 rows, here 14, a study uses leave-one-out"),
        (["weather", "--folds", "three"], "Invalid value for '--folds'"),
        (["iris", "--folds", "1"], "protocol.folds must be at least 2"),
        (["iris", "--test-share", "2"], "protocol.test_share must be at least 0"),
        (["iris", "--random-state", "-1"], "protocol.random_state must be"),
        (["weather", "--out", "table.csv"], "is a file; name a folder with --out"),
        (["weather", "--out", "table.csv/deeper"], "Not a directory"),
        (["weather", "--workers", "0"], "--workers must be -1 (one per core) or at least 1, got 0"),
        (["weather", "--nonsense"], "--nonsense"),
        (["weather", "--quick", "--thorough"], "--quick and --thorough exclude each other"),
        (
            ["weather", "--time-limit", "soon"],
            "--time-limit needs a time such as 90s, 15m or 2h, got 'soon'",
        ),
        (["weather", "--time-limit", "0"], "--time-limit needs a time such as"),
        (["weather", "--group", "wind"], "no column 'wind'. Did you mean 'windy'?"),
        (["weather", "--time", "outlook"], "is neither a number nor a date"),
        (["weather", "--weight", "windy"], "roles.weight: 'windy' is nominal, and weights are numbers"),
        (["weather", "--sensitive", "play"], "roles.sensitive: 'play' is the target"),
        (
            ["weather", "--without", "wind"],
            "hypotheses.without wind: 'wind' is no input. Did you mean 'windy'?",
        ),
        (["weather", "--attributes", "windy,"], "hypotheses.only windy,: '' is no input"),
        (["weather", "--choose", "bayes"], "--choose: no learner is labelled 'bayes'. "),
        (["weather", "--margin", "0"], "--margin must be above 0, and goes with --choose simplest"),
        (["weather", "--costs", "nothing.csv"], "nothing.csv: No such file"),
        (
            ["weather", "--costs", "table.csv"],
            "table.csv: the columns must be truth, predicted, cost, got a, b",
        ),
        (["weather", "--costs", "costs.csv"], "costs.csv, line 2: the cost must be a number, got 'much'"),
        (
            ["weather", "--costs", "half.csv"],
            "costs must say what deciding 'No' costs when the truth is 'Yes'",
        ),
        (["diabetes", "--costs", "half.csv"], "costs are for errors of classes, and this is regression"),
        ([], "Missing argument 'SOURCE'"),
        (["nothing.toml"], "No such file"),
        (["bad.toml"], "bad.toml: format must be 1 or 2"),
        (
            ["bad.toml", "--random-state", "3"],
            "a plan sets everything except --out, --workers, --fresh, --quiet and --time-limit",
        ),
    ],
)
def test_study_complains_in_one_line(here, args, words, complaint):
    (here / "table.csv").write_text("a,b\n1,x\n2,y\n")
    (here / "empty.csv").write_text("")
    (here / "hollow").mkdir()
    (here / "bad.toml").write_text("format = 3\n")
    (here / "costs.csv").write_text("truth,predicted,cost\nYes,No,much\n")
    (here / "half.csv").write_text("truth,predicted,cost\nNo,Yes,3\n")
    assert words in complaint("study", *args)


def test_a_name_cannot_command_the_terminal(here, good, complaint):
    (here / "t.csv").write_text("a\x1b[2J,b\n" + "".join(f"{'xy'[i % 2]},{'pq'[i % 2]}\n" for i in range(20)))
    told = good("study", "t.csv", "--target", "b")
    assert "\x1b" not in told
    assert "a�[2J" in told
    assert "\x1b" not in complaint("study", "t.csv", "--target", "\x1b[2J")


def test_study_with_every_role(here, good):
    table = ob.load("credit", rows=90, random_state=1).to_polars()
    more = [
        pl.Series("name", [f"loan {i}" for i in range(90)]),
        pl.Series("bank", [i // 3 for i in range(90)]),
        pl.Series("w", [1 + i % 2 for i in range(90)]),
    ]
    table.with_columns(more).write_csv("loans.csv")
    (here / "costs.csv").write_text("predicted,truth,cost\nno,yes,5\nyes,no,1\n")
    told = good(
        *("study", "loans.csv", "-t", "default", "--quick", "--folds", 3, "--learner", "naive_bayes"),
        *("--id", "name", "--group", "bank", "--weight", "w", "--sensitive", "sex", "--costs", "costs.csv"),
        *("--without", "sex", "--attributes", "money=income,amount", "--time-limit", "10m"),
    )
    for words in (
        "name is the row ID; it is not used as a feature",
        "bank groups the rows: rows of one group stay in the same fold",
        "w holds frequencies, so",
        "sex is sensitive: fairness is evaluated between its groups",
        "a group's rows always together (30 groups)",
        "naive Bayes · all columns",
        "naive Bayes · without sex",
        "naive Bayes · money",
        "Cost ",
        "(name loan ",
    ):
        assert words in told
    plan = (here / "loans" / "plan.toml").read_text()
    assert "[costs]\nyes = { no = 5.0 }\nno = { yes = 1.0 }\n" in plan
    assert '[[hypotheses]]\nname = "money"\nattributes = ["income", "amount"]\n' in plan
    assert good("study", "loans/plan.toml", "--quiet", "--time-limit", "10m").startswith(
        "There is no evidence yet that any model beats the baseline 1R · all columns: "
    )


def test_a_time_limit_counts_from_the_start_of_the_command(here, good, monkeypatch):
    ends = []
    monkeypatch.setattr(openbook.cli.study, "run_study", lambda *_, end, **__: ends.append(end))
    before = monotonic()
    good("study", "weather", "--time-limit", "90s")
    assert before + 90 <= ends[0] <= monotonic() + 90


def test_a_study_that_has_no_time_says_so_and_goes_on(here, good):
    options = ("study", "weather", "--quiet", "--learner", "one_r")
    assert "the time limit left no time for" in good(*options, "--time-limit", "0.0001s")
    assert (here / "weather" / "model.openbook").exists()
    assert "left no time" not in good(*options)


def test_compare_two_studies(here, good):
    options = ("--quick", "--learner", "c45", "--quiet")
    good("study", "iris", "--out", "a", *options)
    good("study", "iris", "--out", "b", "--ignore", "petal width (cm)", *options)
    told = good("compare", "a", "b/")
    for words in (
        "roles.ignore",
        "petal width (cm)",
        "a: accuracy",
        "b minus a",
        "so the comparisons are paired",
    ):
        assert words in told
    told = " ".join(told.split())
    assert "Both studies choose C4.5. Their choices predict differently for" in told
    assert good("compare", "a", "b", "-o", "both.html") == ""
    page = (here / "both.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "Differences between the plans" in page
    good("study", "iris", "--out", "c", "--random-state", 3, *options)
    assert "but not the folds; give both the same random_state" in good("compare", "a", "c")
    good("study", "iris", "--out", "d", "--quick", "--learner", "naive_bayes", "--quiet")
    told = " ".join(good("compare", "a", "d").split())
    assert "The studies decide differently: a chooses C4.5, d naive Bayes." in told


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["a", "nothing"], "nothing holds no study: there is no plan.toml"),
        (["a", "a/"], "are the same folder; name two studies"),
        (["a"], "Missing argument 'B'"),
    ],
)
def test_compare_complains_in_one_line(here, args, words, good, complaint):
    good("study", "weather", "--out", "a", "--learner", "one_r", "--quiet")
    assert words in complaint("compare", *args)


def test_a_study_shows_what_its_model_is_on_a_narrow_screen(good, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    told = good("study", "loan", "--learner", "naive_bayes", "--learner", "logistic_regression")
    ranking = told.partition("The ranking")[2].partition("Intervals:")[0]
    assert "…" not in ranking  # names wrap between words
    assert max(map(len, ranking.splitlines())) <= 60
    shown = told.partition("The model: ")[2]
    assert "Prior probabilities" in shown or "odds ratio" in shown
    assert max(map(len, shown.partition("step by step")[0].splitlines())) <= 60


def test_a_wide_table_is_described_by_its_findings(here, good):
    columns = [f"c{i}" for i in range(20)]
    rows = [",".join(["7", *(str((i * j) % 11) for j in range(1, 20))]) + f",{i % 2}" for i in range(40)]
    (here / "wide.csv").write_text("\n".join([",".join([*columns, "y"]), *rows]) + "\n")
    told = good("study", "wide.csv", "-t", "y", "--learner", "one_r", "--quick")
    assert "c0: " in told.partition("The plan")[0]  # it is constant
    assert "distinct" not in told.partition("The plan")[0]


def test_a_choice_that_the_final_test_refutes_is_told_first_and_last(here, good):
    """The slope of the last fifth, which is held out, has the other sign."""
    rows = [
        f"{i},{(i * 7) % 13},{(1 if i < 160 else -1) * ((i * 7) % 13) + (i * 5) % 17}" for i in range(200)
    ]
    (here / "series.csv").write_text("\n".join(["day,x,y", *rows]) + "\n")
    options = ("--time", "day", "--learner", "linear_regression", "--test-share", 0.2, "--quick")
    told = " ".join(good("study", "series.csv", "-t", "y", *options).split())
    assert "The final test refutes the choice: on 40 rows never used before" in told[:200]
    assert "Next: find out how the held-out rows differ" in told
    assert "Diagnosis of linear regression in the folds, which the final test refutes" in told
    assert "day: likely an identifier" not in told  # it orders the rows
    assert "t over blocks of time" in told


def test_the_folder_of_a_study_stands_for_its_plan(here, good, complaint):
    good("study", "iris", "--out", "mine", "--learner", "c45", "--quick", "--quiet")
    assert "Resuming: " in good("study", "mine")
    assert "a plan sets everything except --out" in complaint("study", "mine", "--quick")


def test_studies_of_two_files_are_compared_in_lines_that_can_be_read(here, good):
    iris = ob.load("iris")
    for name, rows in (("a", iris), ("b", iris.drop("petal width (cm)"))):
        rows.to_polars().write_csv(f"{name}.csv")
        good(
            "study", f"{name}.csv", "-t", "species", "--learner", "c45", "--test-share", 0.2, "--quick", "-q"
        )
    lines = good("compare", "a", "b").splitlines()
    (fingerprint,) = (line.split() for line in lines if "data.sha256" in line)
    assert [len(part) for part in fingerprint] == [len("data.sha256"), 12, 12]
    (tested,) = (line for line in lines if "final test" in line)
    assert [len(score) for score in re.findall(r"accuracy ([\d.]+) ", tested)] == [5, 5]  # such as 0.967
