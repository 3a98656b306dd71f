"""Commands that need no study: help, descriptions, sets, scripts; every complaint in one line."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import openbook as ob
from openbook import registry
from openbook.cli.main import app
from openbook.judge.scores.metrics import METRICS, metrics_of


@pytest.mark.parametrize(
    "command",
    [
        "study",
        "compare",
        "describe",
        "outliers",
        "predict",
        "work",
        "query",
        "rules",
        "draw",
        "export",
        "sets",
        "learners",
        "metrics",
        "detectors",
        "steps",
    ],
)
def test_every_command_helps_with_an_example(command, good):
    told = good(command, "--help")
    assert "Usage: " in told
    assert "Example: openbook " in told
    assert "bool" not in told  # a flag takes no value
    assert f" {command} " in good("--help")


def test_version(good):
    assert good("--version") == f"openbook {ob.__version__}\n"


def test_the_module_is_the_command(good):
    ran = subprocess.run(
        [sys.executable, "-m", "openbook", "--version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout == good("--version")


def test_no_arguments_print_the_help(openbook, good):
    bare = openbook()
    assert (bare.exit_code, bare.stderr) == (0, "")
    assert bare.stdout.strip() == good("--help").strip()
    assert "Start here: openbook study weather" in bare.stdout


def test_the_options_of_a_study_are_grouped(good):
    told = good("study", "--help")
    for panel in ("Columns", "Learners", "Evaluation", "Run"):
        assert f"─ {panel} ─" in told


def test_describe_a_set_and_a_file(here, good):
    told = good("describe", "weather")
    assert "14 rows, 5 columns, no cell missing, target 'play' (*)" in told
    (here / "t.csv").write_text("zip,b\n01,x\n02,y\n")
    assert "target" not in good("describe", "t.csv").splitlines()[0]
    assert "target 'b'" in good("describe", "t.csv", "--target", "b")
    assert "nominal" in good("describe", "t.csv", "--kind", "zip=nominal")


def test_describe_complains_in_one_line(complaint):
    assert "no column 'plai'. Did you mean 'play'?" in complaint("describe", "weather", "--target", "plai")
    assert "no bundled set 'wether'" in complaint("describe", "wether")


def test_a_pattern_that_the_shell_replaced_is_to_be_quoted(here, complaint):
    for name in ("part1.csv", "part2.csv"):
        (here / name).write_text("x,y\n1,2\n")
    assert "put the pattern in quotes" in complaint("describe", "part1.csv", "part2.csv")
    assert "quotes" not in complaint("describe", "part1.csv", "nothing.csv")


def test_sets_are_listed_with_their_targets(good):
    told = good("sets").splitlines()
    assert [line.split()[0] for line in told[:-2] if line[0] != " "] == list(ob.sets())
    assert told[0].split()[:4] == ["weather", "14", "rows", "play"]


def test_learners_metrics_and_detectors_are_listed_in_full(good):
    def first_words(told):
        return {line.split()[0] for line in told.splitlines() if line and line[0].islower()}

    tasks = ("classification", "regression", "multilabel")
    assert first_words(good("learners")) == {entry.name for entry in registry.learners(*tasks)}
    assert first_words(good("metrics")) == {*METRICS, *metrics_of("multilabel")}
    assert first_words(good("detectors")) == {entry.name for entry in registry.learners("outliers")}


@pytest.mark.parametrize("command", sorted(get_command(app).commands))
def test_help_on_a_narrow_terminal_breaks_no_word(command, good, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    words = set(good(command, "--help").split())
    monkeypatch.setenv("COLUMNS", "60")
    narrow = good(command, "--help")
    assert max(map(len, narrow.splitlines())) <= 60
    assert [word for word in narrow.split() if any(map(str.isalnum, word)) and word not in words] == []


@pytest.mark.parametrize("command", [["learners"], ["metrics"], ["describe", "wine"], ["describe", "credit"]])
def test_a_narrow_terminal_wraps_between_words(command, good, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    words = {"more", *good(*command).split()}  # "… 2 more" takes the place of what has no room
    monkeypatch.setenv("COLUMNS", "60")
    narrow = good(*command)
    assert max(map(len, narrow.splitlines())) <= 60
    assert {word for word in narrow.split() if word.isalpha()} <= words  # no word is broken


def test_hints_use_the_options_of_the_command_line(here, good, complaint):
    (here / "t.csv").write_text("my code,y\n" + "1,a\n2,b\n" * 20)
    assert "add --kind 'my code=nominal'" in good("describe", "t.csv")
    (here / "sizes.csv").write_text("size,y\n" + "S,a\nM,b\nL,a\n" * 20)
    told = complaint("describe", "sizes.csv", "--kind", "size=ordinal")
    assert "as in --kind size=L,M,S" in told
    assert "kinds=" not in told


def test_export_prints_a_script(here, good):
    good("study", "weather", "--learner", "one_r")
    script = good("export", "weather/plan.toml")
    compile(script, "weather.py", "exec")
    assert "ob.load('weather')" in script
    assert good("export", "weather") == script
    assert good("export", "weather/plan.toml", "-o", "weather.py") == ""
    assert (here / "weather.py").read_text(encoding="utf-8") == script


def test_export_complains_in_one_line(here, complaint):
    assert "nothing.toml: No such file" in complaint("export", "nothing.toml")
    assert "has no plan.toml; name the folder of a study" in complaint("export", here)
    (here / "plan.toml").write_text("hello")
    assert "plan.toml: not TOML" in complaint("export", "plan.toml")


def test_how_a_file_is_read_is_part_of_the_plan(here, good, complaint):
    rows = "".join(f'"{i},{100 + i}",-9,{"ab"[i % 2]}\n' for i in range(10, 40))
    (here / "t.csv").write_text(f"income,x,y\n{rows}")
    assert "the comma may mean decimals or thousands; add --decimal , or --thousands ," in " ".join(
        good("describe", "t.csv").split()
    )
    assert "10,110" in good("describe", "t.csv", "--thousands", ",")
    good(
        "study",
        "t.csv",
        "--target",
        "y",
        "--learner",
        "one_r",
        "--thousands",
        ",",
        "--missing",
        "-9",
        "--missing",
        "income=0",
        "--quick",
    )
    plan = (here / "t" / "plan.toml").read_text(encoding="utf-8")
    assert 'thousands = ","' in plan
    assert '"-9"]' in plan
    assert 'missing_in = { income = ["0"] }' in plan
    assert "thousands=','" in good("export", "t")
    (here / "new.csv").write_text('income,x\n"10,110",\n')
    assert good("predict", "t", "new.csv").splitlines()[0] == "income,x,prediction"
    assert good("predict", "t", "new.csv").splitlines()[1].startswith("10110,")
    assert "unknown key data.read_with.colour" in complaint("study", _with_colour(here / "t" / "plan.toml"))


def _with_colour(plan):
    plan.write_text(
        plan.read_text(encoding="utf-8").replace('thousands = ","', 'colour = ","'), encoding="utf-8"
    )
    return str(plan)


def test_balance_compares_what_to_do_about_a_rare_class(good, complaint, tmp_path):
    """Weights make both classes as heavy; of a column that tells nothing, that gives a half."""
    rows = "".join(f"{i % 7},{'yes' if i % 10 == 0 else 'no' if i % 11 else ''}\n" for i in range(200))
    (tmp_path / "rare.csv").write_text("a,rare\n" + rows)
    said = good("balance", tmp_path / "rare.csv", "-t", "rare", "-l", "naive_bayes", "--folds", "3")
    ways = ("no correction", "tuned threshold", "class weights", "over-sampling", "under-sampling", "SMOTE")
    lines = {
        way: next(line for line in said.splitlines() if line.strip().startswith(way)).split() for way in ways
    }
    # 20 rows are yes; 17 of the others have no target: those that 11 divides and 10 does not
    assert "the true share of yes is 0.109" in said
    assert float(lines["class weights"][-1]) == pytest.approx(0.5, abs=0.05)  # a column that tells nothing
    assert float(lines["no correction"][-1]) == pytest.approx(20 / 183, abs=0.02)
    assert "bring their errors and their bias" in said
    assert "species has 3 classes; corrections are for two" in complaint("balance", "iris")
    assert "predicts numbers; choose a classifier" in complaint(
        "balance", "credit", "-l", "linear_regression"
    )
    assert "say which column has the rare class" in complaint("balance", tmp_path / "rare.csv")


def test_balance_leaves_out_what_label_writes(good, tmp_path):
    """Which labels were asked for is no attribute of a row, here as in a study; another column is."""
    for name in ("rare_asked", "other"):
        rows = "".join(f"{i % 7},{'yes' if i % 10 == 0 else 'no'}," * 2 + "\n" for i in range(100))
        (tmp_path / f"{name}.csv").write_text(f"a,rare,b,{name}\n" + rows.replace(",\n", "\n"))
    asked, other = (
        good("balance", tmp_path / f"{name}.csv", "-t", "rare", "-l", "naive_bayes", "--folds", "3")
        for name in ("rare_asked", "other")
    )
    for said, perfect in ((asked, False), (other, True)):
        line = next(line for line in said.splitlines() if line.strip().startswith("no correction"))
        assert ("1.000" in line) is perfect


def test_commands_take_addresses_and_a_study_is_resumed_from_there(good):
    stored = pytest.importorskip("fsspec").filesystem("memory")
    stored.pipe("/tables/loan.csv", ob.load("loan").to_polars().write_csv().encode())
    try:
        address = "memory://tables/loan.csv"
        assert good("describe", address).startswith("10 rows")
        told = good("study", address, "--target", "cheat", "--learner", "naive_bayes", "-o", "loans", "-q")
        assert "Report: loans" in told
        assert f'path = "{address}"' in Path("loans/plan.toml").read_text(encoding="utf-8")
        assert "Report: loans" in good("study", "loans/plan.toml", "-q")
        assert len(good("predict", "loans/model.openbook", address).splitlines()) == 11
    finally:
        stored.rm("/tables", recursive=True)
