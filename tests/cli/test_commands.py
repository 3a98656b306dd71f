"""Every command as its --help says, and every complaint in one line with exit code 2."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.cli.main import app
from openbook.tree import C45, ModelTreeRegressor, rules


def openbook(*args):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def good(*args):
    result = openbook(*args)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def complaint(*args):
    result = openbook(*args)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert result.stderr.startswith("openbook: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def loan_model(tmp_path_factory):
    X, y = ob.load("loan").split("cheat")
    return ob.save(
        NaiveBayes(variance="sample").fit(X, y), tmp_path_factory.mktemp("loan") / "model.openbook"
    )


@pytest.fixture
def new(here):
    (here / "new.csv").write_text(
        "owner,status,income,note\nNo,Married,120,hello\n,Widowed,,\nYes,Single,80.5,x\n"
    )
    return here / "new.csv"


@pytest.mark.parametrize(
    "command", ["study", "compare", "describe", "predict", "work", "rules", "draw", "sets", "export"]
)
def test_every_command_helps_with_an_example(command):
    told = good(command, "--help")
    assert "Usage: " in told
    assert f"Example: openbook {command}" in told
    assert f"\n  {command} " in good("--help")


def test_version():
    assert good("--version") == f"openbook {ob.__version__}\n"


def test_nothing_asked_is_helped():
    assert "Start here: openbook study weather" in openbook().output


# study


def test_study_tells_all_and_leaves_a_folder(here):
    told = good("study", "weather")
    order = [
        "14 rows, 5 columns, no cell missing, target 'play'",
        "only 14 rows",
        "naive Bayes, kernel density takes no part",
        "random forest takes no part: it could not show on 14 rows",
        "leave-one-out: each of the 14 rows",
        "→ 0R (baseline)",
        "1R (baseline)",
        "The choice",
        "Row 8 worked (its play is Yes)",
        "Typical: right, with the median probability 0.615",
        "∴ The largest: play = Yes.",
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


def test_a_study_draws_the_tree_that_it_works(here):
    told = good("study", "weather", "--learner", "c45")
    assert "The tree of C4.5\nA tree of 5 leaves; it tests 3 of the 4 columns." in told
    assert "By C4.5:\n" in told


def test_study_says_the_same_twice_and_with_any_number_of_workers(here):
    first = good("study", "weather", "--workers", 2)
    before = (here / "weather" / "results.jsonl").read_bytes()
    assert good("study", "weather", "--workers", 1) == first
    assert (here / "weather" / "results.jsonl").read_bytes() == before
    assert good("study", here / "weather" / "plan.toml", "--out", "weather") == first


def test_study_a_file_with_options(here):
    ob.load("iris").to_polars().with_columns(note=pl.lit("x")).write_csv("flowers.csv")
    told = good(
        *("study", "flowers.csv", "-t", "species", "--out", "deep/folder", "--quiet"),
        *("--folds", 3, "--repeats", 1, "--seed", 7, "--test-share", 0.2, "--metric", "kappa"),
        *("--learner", "naive_bayes", "--ignore", "note", "--kind", "species=setosa,versicolor,virginica"),
    )
    assert told.startswith("\nThe choice\n")
    assert "The final test\n" in told
    assert "kappa" in told
    plan = (here / "deep/folder/plan.toml").read_text()
    for line in (
        'path = "../../flowers.csv"',
        'kinds = { species = ["setosa", "versicolor", "virginica"] }',
        'ignore = ["note"]',
        'split = "cross-validation"\nfolds = 3\nrepeats = 1\ntest_share = 0.2\nseed = 7',
        'metric = "kappa"',
    ):
        assert line in plan


def test_study_a_wide_table_in_short(here):
    told = good("study", "breast_cancer", "--folds", 2, "--repeats", 1, "--learner", "one_r")
    assert "569 rows, 31 columns" in told
    assert "Worth a look" in told
    assert "Kinds, and why" not in told
    assert "The final test" in told


def test_a_study_of_another_plan_is_kept_unless_told(here):
    good("study", "weather")
    words = complaint("study", "weather", "--seed", 4)
    assert "weather holds a study of another plan (they differ in protocol)" in words
    assert "--fresh" in words
    assert "--out" in words
    good("study", "weather", "--seed", 4, "--fresh")
    good("study", "weather", "--seed", 5, "--out", "other")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["wether"], "there is no file and no bundled set 'wether'. Did you mean 'weather'?"),
        (["nothing.csv"], "there is no file"),
        (["empty.csv"], "empty.csv"),
        (["."], "is a directory"),
        (["table.csv"], "to look for groups takes at least 9"),
        (["table.csv", "--folds", "5"], "say which column to predict: --target NAME. There are: a, b"),
        (["weather", "--explore", "--metric", "accuracy"], "--metric is about predicting"),
        (["weather", "--explore", "--quick"], "--quick or --thorough is about predicting"),
        (["weather", "--explore", "--time-limit", "9"], "--time-limit is for judging learners"),
        (["table.csv", "-t", "c"], "no column 'c'"),
        (["weather", "--kind", "windy"], "--kind takes COLUMN=KIND, as in zip=nominal, got 'windy'"),
        (["weather", "--kind", "windy=round"], "windy"),
        (["weather", "--kind", "wind=nominal"], "Did you mean 'windy'?"),
        (["weather", "--metric", "acuracy"], "Did you mean 'accuracy'?"),
        (["weather", "--learner", "naive_baies"], "Did you mean 'naive_bayes'?"),
        (["weather", "--learner", "minimum_risk"], "minimum_risk needs to be told more"),
        (["weather", "--folds", "3"], "there are 14 rows"),
        (["weather", "--folds", "three"], "Invalid value for '--folds'"),
        (["iris", "--folds", "1"], "protocol.folds must be at least 2"),
        (["iris", "--test-share", "2"], "protocol.test_share must be at least 0"),
        (["iris", "--seed", "-1"], "protocol.seed must be"),
        (["weather", "--out", "table.csv"], "is a file; name a folder with --out"),
        (["weather", "--out", "table.csv/deeper"], "Not a directory"),
        (["weather", "--workers", "0"], "--workers must be -1, for one a core, or at least 1, got 0"),
        (["weather", "--nonsense"], "--nonsense"),
        (["weather", "--quick", "--thorough"], "--quick and --thorough exclude each other"),
        (
            ["weather", "--time-limit", "soon"],
            "--time-limit takes a time such as 90, 90s, 15m or 2h, got 'soon'",
        ),
        (["weather", "--time-limit", "0"], "--time-limit takes a time such as"),
        (["weather", "--group", "wind"], "no column 'wind'. Did you mean 'windy'?"),
        (["weather", "--time", "outlook"], "is neither a number nor a date"),
        (["weather", "--weight", "windy"], "roles.weight: 'windy' is nominal, and weights are numbers"),
        (["weather", "--sensitive", "play"], "roles.sensitive: 'play' is the target"),
        (
            ["weather", "--without", "wind"],
            "hypotheses.without wind: 'wind' is no input. Did you mean 'windy'?",
        ),
        (["weather", "--attributes", "windy,"], "hypotheses.only windy,: '' is no input"),
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
        (["diabetes", "--costs", "half.csv"], "costs are for mistaking classes, and this is regression"),
        ([], "Missing argument 'SOURCE'"),
        (["nothing.toml"], "No such file"),
        (["bad.toml"], "bad.toml: format must be 1 or 2"),
        (
            ["bad.toml", "--seed", "3"],
            "bad.toml says everything but --out, --workers, --fresh, --quiet and --time-limit",
        ),
    ],
)
def test_study_complains_in_one_line(here, args, words):
    (here / "table.csv").write_text("a,b\n1,x\n2,y\n")
    (here / "empty.csv").write_text("")
    (here / "bad.toml").write_text("format = 3\n")
    (here / "costs.csv").write_text("truth,predicted,cost\nYes,No,much\n")
    (here / "half.csv").write_text("truth,predicted,cost\nNo,Yes,3\n")
    assert words in complaint("study", *args)


def test_a_name_cannot_command_the_terminal(here):
    (here / "t.csv").write_text("a\x1b[2J,b\n" + "".join(f"{'xy'[i % 2]},{'pq'[i % 2]}\n" for i in range(20)))
    told = good("study", "t.csv", "--target", "b")
    assert "\x1b" not in told
    assert "a�[2J" in told
    assert "\x1b" not in complaint("study", "t.csv", "--target", "\x1b[2J")


def test_study_with_every_role(here):
    table = ob.load("credit", rows=90, seed=1).to_polars()
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
        "name names the rows; it is no input",
        "bank says which rows belong together",
        "w says how much a row counts in learning; in the scores every row counts the same; it is no input",
        "sex is sensitive: fairness is judged by it",
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
    assert good("study", "loans/plan.toml", "--quiet", "--time-limit", "10m").startswith("\nThe choice\n")


def test_a_study_that_has_no_time_says_so_and_goes_on(here):
    options = ("study", "weather", "--quiet", "--learner", "one_r")
    assert "no fold is finished yet; run it again" in complaint(*options, "--time-limit", "0.0001s")
    assert "The choice" in good(*options)


# compare


def test_compare_two_studies(here):
    options = ("--quick", "--learner", "c45", "--quiet")
    good("study", "iris", "--out", "a", *options)
    good("study", "iris", "--out", "b", "--ignore", "petal width (cm)", *options)
    told = good("compare", "a", "b/")
    for words in (
        "roles.ignore",
        "petal width (cm)",
        "a: accuracy",
        "b minus a",
        "so that learners are paired",
    ):
        assert words in told
    assert good("compare", "a", "b", "-o", "both.html") == ""
    page = (here / "both.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "In what the plans differ" in page
    good("study", "iris", "--out", "c", "--seed", 3, *options)
    assert "but not the folds; give both the same seed" in good("compare", "a", "c")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["a", "nothing"], "nothing holds no study: there is no plan.toml"),
        (["a", "a/"], "are the same folder; name two studies"),
        (["a"], "Missing argument 'B'"),
    ],
)
def test_compare_complains_in_one_line(here, args, words):
    good("study", "weather", "--out", "a", "--learner", "one_r", "--quiet")
    assert words in complaint("compare", *args)


# describe, sets


def test_describe_a_set_and_a_file(here):
    told = good("describe", "weather")
    assert "14 rows, 5 columns, no cell missing, target 'play' (*)" in told
    (here / "t.csv").write_text("zip,b\n01,x\n02,y\n")
    assert "target" not in good("describe", "t.csv").splitlines()[0]
    assert "target 'b'" in good("describe", "t.csv", "--target", "b")
    assert "nominal" in good("describe", "t.csv", "--kind", "zip=nominal")


def test_describe_complains_in_one_line():
    assert "no column 'plai'. Did you mean 'play'?" in complaint("describe", "weather", "--target", "plai")
    assert "no bundled set 'wether'" in complaint("describe", "wether")


def test_sets_are_listed_with_their_targets():
    told = good("sets").splitlines()
    assert [line.split()[0] for line in told] == list(ob.sets())
    assert told[0].split()[:4] == ["weather", "14", "rows", "play"]


# predict


def test_predict_to_standard_output(loan_model, new):
    lines = good("predict", loan_model, new).splitlines()
    assert lines[0] == "owner,status,income,note,prediction"
    assert lines[1] == "No,Married,120.0,hello,No"
    assert lines[2].startswith(",Widowed,,,")


def test_predict_keeps_whole_numbers_whole(loan_model, here):
    (here / "n.csv").write_text("owner,status,income\nNo,Married,120\nNo,Single,\n")
    assert good("predict", loan_model, "n.csv").splitlines()[1:] == ["No,Married,120,No", "No,Single,,Yes"]


@pytest.mark.parametrize(
    ("ending", "read"),
    [
        (".csv", pl.read_csv),
        (".tsv", lambda path: pl.read_csv(path, separator="\t")),
        (".parquet", pl.read_parquet),
        (".jsonl", pl.read_ndjson),
    ],
)
def test_predict_to_a_file_with_probabilities(loan_model, new, here, ending, read):
    assert good("predict", loan_model, new, "-o", f"out{ending}", "--proba") == ""
    frame = read(here / f"out{ending}")
    assert frame.columns == ["owner", "status", "income", "note", "prediction", "P(No)", "P(Yes)"]
    expected = ob.open_model(loan_model).predict_proba(ob.read(new))
    assert frame["P(No)"].to_list() == pytest.approx(expected[:, 0].tolist())
    assert frame["prediction"].to_list() == ob.open_model(loan_model).predict(ob.read(new)).tolist()
    assert sorted(p.name for p in here.iterdir()) == ["new.csv", f"out{ending}"]


def test_a_column_called_prediction_is_kept(loan_model, here):
    (here / "p.csv").write_text("owner,status,income,prediction\nNo,Married,120,mine\n")
    assert good("predict", loan_model, "p.csv").splitlines() == [
        "owner,status,income,prediction,prediction_",
        "No,Married,120,mine,No",
    ]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nothing.openbook", "new.csv"], "there is no model file 'nothing.openbook'"),
        (["new.csv", "new.csv"], "damaged or not a model file"),
        (["MODEL", "nothing.csv"], "there is no file"),
        (["MODEL", "weather"], "column 'owner' is missing"),
        (["MODEL", "new.csv", "-o", "out.xls"], "cannot write out.xls: name a file that ends in .csv, .tsv"),
        (["MODEL", "new.csv", "-o", "no/out.csv"], "cannot write out.csv: there is no folder 'no'"),
        (["MODEL", "new.csv", "-o", "folder.csv"], "cannot write 'folder.csv': it is a folder"),
    ],
)
def test_predict_complains_in_one_line(loan_model, new, here, args, words):
    (here / "folder.csv").mkdir()
    assert words in complaint("predict", *(loan_model if arg == "MODEL" else arg for arg in args))
    assert sorted(p.name for p in here.iterdir()) == ["folder.csv", "new.csv"]


def test_numbers_have_no_probabilities(here):
    from openbook.baseline import ZeroRegressor

    X, y = ob.load("diabetes").split("progression")
    ob.save(ZeroRegressor().fit(X, y), "m.openbook")
    assert "prediction" in good("predict", "m.openbook", "diabetes").splitlines()[0]
    assert "--proba: ZeroRegressor predicts no probabilities" in complaint(
        "predict", "m.openbook", "diabetes", "--proba"
    )


# work


def test_work_of_a_row_counted_from_zero(loan_model, new):
    expected = ob.open_model(loan_model).work({"owner": "No", "status": "Married", "income": 120})
    assert good("work", loan_model, new, "--row", 0) == expected.text() + "\n"
    assert good("work", loan_model, new) == expected.text() + "\n"
    assert "owner = Yes" in good("work", loan_model, new, "--row", 2)


def test_work_of_the_model(loan_model):
    assert good("work", loan_model) == ob.open_model(loan_model).work().text() + "\n"


def test_work_in_every_format(loan_model, new, here):
    assert json.loads(good("work", loan_model, new, "--format", "json"))["title"]
    assert good("work", loan_model, new, "--format", "html").startswith("<!doctype html>")
    assert "\\frac" in good("work", loan_model, new, "--format", "latex")
    assert good("work", loan_model, new, "-f", "text", "-o", "w.txt") == ""
    assert (here / "w.txt").read_text(encoding="utf-8") == good("work", loan_model, new)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["new.csv", "--row", "3"], "--row 3: new.csv has 3 rows; give one from 0 to 2"),
        (["new.csv", "--row", "-1"], "--row -1: new.csv has 3 rows"),
        (["new.csv", "--format", "pdf"], "pdf"),
        (["new.csv", "-o", "no/w.txt"], "there is no folder 'no'"),
    ],
)
def test_work_complains_in_one_line(loan_model, new, args, words):
    assert words in complaint("work", loan_model, *args)


# rules, draw


@pytest.fixture(scope="module")
def tree_model(tmp_path_factory):
    X, y = ob.load("weather").split("play")
    return ob.save(C45().fit(X, y), tmp_path_factory.mktemp("weather") / "model.openbook")


def test_rules_in_every_format(tree_model, here):
    told = good("rules", tree_model).splitlines()
    assert told[0].split() == ["covers", "share", "confidence", "rule"]
    assert told[1].endswith("if outlook = overcast then play = Yes")
    assert len(told) == 1 + 5
    listed = json.loads(good("rules", tree_model, "--format", "json"))
    assert [rule["then"] for rule in listed["rules"]] == ["Yes", "Yes", "No", "No", "Yes"]
    good("rules", tree_model, "-f", "sql", "-o", "rules.sql")
    expected = rules(ob.open_model(tree_model)).sql() + "\n"
    assert (
        (here / "rules.sql").read_text(encoding="utf-8") == good("rules", tree_model, "-f", "sql") == expected
    )


def test_draw_to_the_screen_and_to_files(tree_model, here):
    assert good("draw", tree_model).startswith("play (14 rows)\n├── outlook = overcast: Yes (4 of 4)\n")
    assert "2 leaves hidden" in good("draw", tree_model, "--depth", 1)
    for ending, start in ((".svg", "<svg"), (".dot", "digraph"), (".txt", "play")):
        assert good("draw", tree_model, "-o", f"tree{ending}") == ""
        assert (here / f"tree{ending}").read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["rules", "LOAN"], "holds NaiveBayes, which is not one tree; openbook work "),
        (["draw", "LOAN", "-o", "tree.svg"], "holds NaiveBayes, which is not one tree"),
        (["rules", "nothing.openbook"], "there is no model file 'nothing.openbook'"),
        (["rules", "TREE", "--format", "xml"], "xml"),
        (["rules", "TREE", "-o", "no/rules.sql"], "there is no folder 'no'"),
        (["draw", "TREE", "-o", "tree.png"], "cannot draw to 'tree.png': the name must end in .svg, .dot"),
        (["draw", "TREE", "--depth", "-1"], "Invalid value for '--depth'"),
        (["rules", "LINES"], "has a linear model in every leaf, and no rule says that; openbook work "),
    ],
)
def test_rules_and_draw_complain_in_one_line_and_leave_nothing(loan_model, tree_model, here, args, words):
    X, y = ob.load("diabetes").split("progression")
    lines = ob.save(ModelTreeRegressor().fit(X, y), here / "lines.openbook")
    named = {"LOAN": loan_model, "TREE": tree_model, "LINES": lines}
    assert words in complaint(*(named.get(arg, arg) for arg in args))
    assert [p.name for p in here.iterdir()] == ["lines.openbook"]


# export


def test_export_prints_a_script(here):
    good("study", "weather")
    script = good("export", "weather/plan.toml")
    compile(script, "weather.py", "exec")
    assert "ob.load('weather')" in script
    assert good("export", "weather/plan.toml", "-o", "weather.py") == ""
    assert (here / "weather.py").read_text(encoding="utf-8") == script


def test_export_complains_in_one_line(here):
    assert "nothing.toml: No such file" in complaint("export", "nothing.toml")
    (here / "plan.toml").write_text("hello")
    assert "plan.toml: not TOML" in complaint("export", "plan.toml")
