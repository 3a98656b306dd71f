"""Predict, work, rules and draw: what a model file is asked for."""

import json
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.cluster import KMeans
from openbook.linear import LinearRegression, LogisticRegression, Perceptron
from openbook.multilabel import LabelPowerset
from openbook.neighbors import KNeighborsClassifier
from openbook.svm import SVC
from openbook.tree import C45, ModelTreeRegressor, rules


def test_predict_to_standard_output(loan_model, new, good):
    lines = good("predict", loan_model, new).splitlines()
    assert lines[0] == "owner,status,income,note,prediction"
    assert lines[1] == "No,Married,120.0,hello,No"
    assert lines[2].startswith(",Divorced,,,")


def test_a_folder_stands_for_its_model(loan_model, new, here, good, complaint):
    assert good("predict", loan_model.parent, new) == good("predict", loan_model, new)
    assert good("work", loan_model.parent) == good("work", loan_model)
    assert "has no model.openbook; name the folder of a study" in complaint("predict", here, new)


def test_predict_keeps_whole_numbers_whole(loan_model, here, good):
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
def test_predict_to_a_file_with_probabilities(loan_model, new, here, ending, read, good):
    assert good("predict", loan_model, new, "-o", f"out{ending}", "--proba") == ""
    frame = read(here / f"out{ending}")
    assert frame.columns == ["owner", "status", "income", "note", "prediction", "P(No)", "P(Yes)"]
    expected = ob.open_model(loan_model).predict_proba(ob.read(new))
    assert frame["P(No)"].to_list() == pytest.approx(expected[:, 0].tolist())
    assert frame["prediction"].to_list() == ob.open_model(loan_model).predict(ob.read(new)).tolist()
    assert sorted(p.name for p in here.iterdir()) == ["new.csv", f"out{ending}"]


def test_a_column_called_prediction_is_kept(loan_model, here, good):
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
def test_predict_complains_in_one_line(loan_model, new, here, args, words, complaint):
    (here / "folder.csv").mkdir()
    assert words in complaint("predict", *(loan_model if arg == "MODEL" else arg for arg in args))
    assert sorted(p.name for p in here.iterdir()) == ["folder.csv", "new.csv"]


def test_numbers_have_no_probabilities(here, good, complaint):
    from openbook.baseline import ZeroRegressor

    X, y = ob.load("diabetes").split("progression")
    ob.save(ZeroRegressor().fit(X, y), "m.openbook")
    assert "prediction" in good("predict", "m.openbook", "diabetes").splitlines()[0]
    assert "--proba: ZeroRegressor predicts no probabilities" in complaint(
        "predict", "m.openbook", "diabetes", "--proba"
    )


def test_work_of_a_row_counted_from_zero(loan_model, new, good):
    expected = ob.open_model(loan_model).work({"owner": "No", "status": "Married", "income": 120})
    assert good("work", loan_model, new, "--row", 0) == expected.text() + "\n"
    assert good("work", loan_model, new) == expected.text() + "\n"
    assert "owner = Yes" in good("work", loan_model, new, "--row", 2)


def test_work_of_the_model(loan_model, good, complaint):
    assert good("work", loan_model) == ob.open_model(loan_model).work().text() + "\n"
    assert "--row 3: name the table that has the row" in complaint("work", loan_model, "--row", 3)


def test_work_in_every_format(loan_model, new, here, good):
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
def test_work_complains_in_one_line(loan_model, new, args, words, complaint):
    assert words in complaint("work", loan_model, *args)


@pytest.fixture(scope="module")
def tree_model(tmp_path_factory):
    X, y = ob.load("weather").split("play")
    return ob.save(C45().fit(X, y), tmp_path_factory.mktemp("weather") / "model.openbook")


def test_rules_in_every_format(tree_model, here, good):
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


def test_draw_to_the_screen_and_to_files(tree_model, here, good):
    assert good("draw", tree_model).startswith("play (14 rows)\n├── outlook = overcast: Yes (4 of 4)\n")
    assert "2 leaves hidden" in good("draw", tree_model, "--depth", 1)
    for ending, start in ((".svg", "<svg"), (".dot", "digraph"), (".txt", "play")):
        assert good("draw", tree_model, "-o", f"tree{ending}") == ""
        assert (here / f"tree{ending}").read_text(encoding="utf-8").startswith(start)


def test_draw_a_model_over_rows_and_by_itself(loan_model, here, good):
    assert good("draw", loan_model, "-o", "own.svg") == ""
    assert "Naive Bayes for cheat" in (here / "own.svg").read_text(encoding="utf-8")
    good("draw", loan_model, "--data", "loan", "--x", "income", "--y", "status", "-o", "over.svg")
    assert "cheat by income and status" in (here / "over.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "title"),
    [
        (["--x", "income", "--y", "status", "--colour", "cheat", "-o", "a.svg"], "status by income"),
        (["--x", "income", "-c", "cheat", "-o", "a.svg"], "Histogram of income by cheat"),
        (["--x", "income", "--y", "status", "--z", "owner", "-o", "a.html"], "owner by income and status"),
        (["--picture", "correlations", "-o", "a.svg"], "Correlations"),
        (
            ["--x", "cheat", "--picture", "likelihood", "-o", "a.svg"],
            "Likelihood, prior and posterior of P(cheat = No)",
        ),
        (["--x", "income", "--picture", "likelihood", "-o", "a.svg"], "Likelihood of mean of income"),
    ],
)
def test_draw_a_table(here, good, args, title):
    assert good("draw", "loan", *args) == ""
    (path,) = here.iterdir()
    assert f"<title>{title}</title>" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["activations"], "Activations and their slopes"),
        (["impurity"], "Impurity of two classes"),
        (["diabetes", "--x", "bmi", "--y", "progression", "--picture", "fit"], "degree 9"),
        (
            ["diabetes", "--x", "bmi", "--y", "progression", "--picture", "descent"],
            "diverges; take smaller steps",
        ),
    ],
)
def test_draw_functions_and_what_is_fitted(here, good, args, words):
    assert good("draw", *args, "-o", "a.svg") == ""
    assert words in (here / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("model", "args", "title"),
    [
        (
            Perceptron(),
            ["--data", "two.csv", "--picture", "steps"],
            "The moving line of a perceptron for side",
        ),
        (SVC(kernel="linear"), ["--data", "two.csv", "--picture", "margin"], "margin: -1 and 1"),
        (
            KNeighborsClassifier(1),
            ["--data", "two.csv", "--picture", "voronoi", "--row", 0],
            "cells of the nearest",
        ),
        (LogisticRegression(), ["--picture", "steps"], "has no picture 'steps'. There are: margin, voronoi."),
        (KNeighborsClassifier(1), ["--data", "two.csv", "--row", 9], "the rows of --data are 0 to 3"),
        (KNeighborsClassifier(1), ["--picture", "voronoi"], "name a table by --data"),
    ],
    ids=["steps", "margin", "voronoi", "none", "row", "data"],
)
def test_draw_pictures_of_a_model_by_name(here, openbook, model, args, title):
    table = ob.read({"x": [0.0, 1.0, 3.0, 4.0], "y": [0.0, 1.0, 3.0, 5.0], "side": list("aabb")})
    table.to_polars().write_csv("two.csv")
    path = ob.save(model.fit(table, "side"), here / "model.openbook")
    result = openbook("draw", path, *args, "-o", "a.svg")
    assert title in (result.stderr or (here / "a.svg").read_text(encoding="utf-8"))


def test_draw_the_steps_of_clusters_and_the_path_of_a_line(here, good, complaint):
    points = ob.load("iris").drop("species")
    points.to_polars().write_csv("points.csv")
    ob.save(KMeans(2, random_state=0).fit(points), here / "k.openbook")
    steps = ("draw", "k.openbook", "--data", "points.csv", "--picture", "steps", "-o", "k.svg")
    assert "name them by --x and --y" in complaint(*steps)
    good(*steps, "--x", points.names[2], "--y", points.names[3])
    assert "iterations of k-means" in (here / "k.svg").read_text(encoding="utf-8")
    ob.save(LinearRegression().fit(ob.load("diabetes"), "progression"), here / "l.openbook")
    good("draw", "l.openbook", "--picture", "path", "-o", "l.svg")
    assert "Coefficient paths" in (here / "l.svg").read_text(encoding="utf-8")


def test_draw_all_learners_of_a_study(here, good, complaint):
    good("study", "weather", "--learner", "naive_bayes", "--quick", "-q", "-o", "w")
    for picture, words in (("roc", "ROC"), ("costs", "Cost curves"), ("comparison", "naive Bayes")):
        assert good("draw", "w", "--picture", picture, "-o", "a.svg") == ""
        assert words in (here / "a.svg").read_text(encoding="utf-8")
    (here / "empty").mkdir()
    assert "empty holds no study" in complaint("draw", "empty", "--picture", "roc", "-o", "b.svg")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["draw", "loan", "--picture", "fit", "-o", "a.svg"], "name them by --x and --y"),
        (
            ["draw", "loan", "--x", "income", "--y", "cheat", "--picture", "fit", "-o", "a.svg"],
            "'cheat' holds none",
        ),
        (["draw", "loan", "--picture", "likelihood", "-o", "a.svg"], "name it by --x"),
        (["draw", "loan"], "name the file to write: --out picture.svg"),
        (["draw", "loan", "--x", "incme", "-o", "a.svg"], "no column 'incme'"),
        (["draw", "loan", "--picture", "pie", "-o", "a.svg"], "no picture 'pie' of a table"),
        (["draw", "loan", "-o", "a.png"], "cannot draw to 'a.png'"),
        (["rules", "LOAN"], "holds NaiveBayes, which has no rules; see openbook work "),
        (["draw", "LOAN"], "name the file to write: --out picture.svg"),
        (["draw", "LOAN", "--data", "iris", "-o", "a.svg"], "--data needs the column 'cheat'"),
        (["rules", "nothing.openbook"], "there is no model file 'nothing.openbook'"),
        (["rules", "TREE", "--format", "xml"], "xml"),
        (["rules", "TREE", "-o", "no/rules.sql"], "there is no folder 'no'"),
        (["draw", "TREE", "-o", "tree.png"], "cannot draw to 'tree.png': the name must end in .svg, .dot"),
        (["draw", "TREE", "--depth", "-1"], "Invalid value for '--depth'"),
    ],
)
def test_rules_and_draw_complain_in_one_line_and_leave_nothing(
    loan_model, tree_model, here, args, words, complaint
):
    named = {"LOAN": loan_model, "TREE": tree_model}
    assert words in complaint(*(named.get(arg, arg) for arg in args))
    assert not list(here.iterdir())


def test_rules_of_a_model_tree_have_a_line_each(here, good):
    X, y = ob.load("diabetes").split("progression")
    model = ModelTreeRegressor().fit(X, y)
    path = ob.save(model, here / "lines.openbook")
    listed = json.loads(good("rules", path, "--format", "json"))["rules"]
    assert len(listed) == model.get_n_leaves()
    assert "constant" in listed[0]["then"]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".jsonl"])
def test_predictions_of_streamed_files_are_the_same(loan_model, here, ending, good, monkeypatch):
    from openbook.cli import predictions

    rows = ["No,Married,120,2024-01-01", "Yes,Single,,2024-01-02 12:00", "No,Divorced,71.5,", "?,Single,70,"]
    (here / "many").mkdir()
    (here / "many" / "a.csv").write_text("owner,status,income,day\n" + "\n".join(rows[:3]) + "\n")
    (here / "many" / "b.csv").write_text("owner,status,income,day\n" + rows[3] + "\n")
    good("predict", loan_model, "many", "-o", f"whole{ending}", "--proba")
    whole = good("predict", loan_model, "many")
    monkeypatch.setattr(predictions, "STREAMED", 0)
    monkeypatch.setattr(predictions, "scan", partial(ob.scan, chunk_rows=2))
    for source in ("many", "many/*.csv"):
        good("predict", loan_model, source, "-o", f"parts{ending}", "--proba")
        assert good("predict", loan_model, source) == whole
        read = pl.read_parquet if ending == ".parquet" else Path.read_bytes
        one, other = read(here / f"whole{ending}"), read(here / f"parts{ending}")
        assert one.equals(other) if ending == ".parquet" else one == other


def test_check_tells_rows_unlike_those_of_training(here, good, complaint):
    X, y = ob.load("iris").split("species")
    path = ob.save(C45().fit(X, y), here / "iris.openbook", X)
    X.to_polars().write_csv(here / "same.csv")
    assert "Nothing differs by more than chance" in good("check", path, here / "same.csv")
    frame = X.to_polars()
    frame.with_columns(frame["petal width (cm)"] + 1).write_csv(here / "new.csv")
    said = " ".join(good("check", path, here / "new.csv").split())
    found = said.partition("Unlike training: ")[2].partition(".")[0]
    assert found.split(", ")[0] in ("petal width (cm)", "all columns together")
    assert "petal width (cm)" in found
    assert "is predicted for" in said
    bare = ob.save(C45().fit(X, y), here / "bare.openbook")
    assert "does not know its training rows" in complaint("check", bare, here / "new.csv")


def test_predict_writes_sets_of_labels(here, good):
    rows = [{"colour": "red"}, {"colour": "green"}, {"colour": "red"}, {"colour": "blue"}]
    model = LabelPowerset(NaiveBayes()).fit(rows, ["warm|bright", "bright", "warm|bright", ""])
    ob.save(model, here / "labels.openbook")
    (here / "n.csv").write_text("colour\nred\nblue\n")
    lines = good("predict", "labels.openbook", "n.csv", "--proba").splitlines()
    assert lines[0] == "colour,prediction,P(bright),P(warm)"
    assert lines[1].startswith("red,bright|warm,")


def test_predict_labels_a_folder_of_text_files(here, good):
    texts = [{"text": "good warm film"}, {"text": "bad dull film"}]
    model = NaiveBayes().fit(ob.read(texts, kinds={"text": "text"}), ["liked", "not"])
    ob.save(model, here / "films.openbook")
    (here / "letters").mkdir()
    (here / "letters" / "a.txt").write_text("so dull, so bad")
    (here / "letters" / "b.txt").write_text("warm and good")
    lines = good("predict", "films.openbook", "letters").splitlines()
    assert lines == ["file,text,prediction", 'a.txt,"so dull, so bad",not', "b.txt,warm and good,liked"]


def test_predict_keeps_times_on_the_clock_of_their_zone(here, good):
    rows = [f"2024-03-{1 + i % 28:02d}T{i % 24:02d}:30:00+05:30,{i % 7},{'ab'[i % 2]}" for i in range(60)]
    (here / "rows.csv").write_text("\n".join(["when,x,y", *rows]) + "\n")
    good("study", "rows.csv", "--target", "y", "--learner", "naive_bayes", "--folds", "2", "--repeats", "1")
    lines = good("predict", "rows", "rows.csv").splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == [row[:10] + " " + row[11:25] for row in rows]
