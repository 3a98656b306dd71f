"""A column that gives the target away: the study evaluates its choice without it, and says both scores."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import openbook as ob
from openbook.judge import evaluate, leaks
from openbook.plan import make_plan, run
from openbook.report import words


@pytest.fixture(scope="module")
def leaking(tmp_path_factory):
    """Wine, with its cultivar under another name."""
    folder = tmp_path_factory.mktemp("leaking")
    X, y = ob.load("wine").split("cultivar")
    rows = np.column_stack([np.asarray(X, dtype=float)[:, :2], np.asarray(y)])
    lines = [f"{a},{b},grower {c},{c}" for a, b, c in rows.tolist()]
    (folder / "wine.csv").write_text("\n".join(["alcohol,acid,grower,cultivar", *lines]))
    plan = make_plan(
        str(folder / "wine.csv"), target="cultivar", cv=3, repeats=2, test_share=0, only=["naive_bayes"]
    )
    return run(plan, folder / "study", workers=1)


def test_the_choice_is_evaluated_without_the_suspects(leaking):
    looks = leaking.looks
    assert looks.leaks.suspects == ("grower",)
    judged = leaking.comparison[looks.label]
    folds = [fold.rows for fold in judged.first_round]
    assert [fold.rows.tolist() for fold in looks.without_suspects.folds] == [rows.tolist() for rows in folds]
    table = ob.read(leaking.folder.parent / "wine.csv")
    X, y = table.select(["alcohol", "acid"]), table.column("cultivar")
    others = [np.setdiff1d(np.arange(178), rows) for rows in folds]
    model = leaking.models[looks.label]
    expected = evaluate(type(model)(**model.get_params()), X, y, list(zip(others, folds, strict=True)))
    assert looks.without_suspects.score("accuracy") == pytest.approx(expected.score("accuracy"))
    assert judged.score("accuracy") > 0.1 + looks.without_suspects.score("accuracy")


def test_the_screen_and_the_page_say_both_scores(leaking):
    sentence = words.without_suspects(leaking)
    without = leaking.looks.without_suspects
    assert sentence.startswith("`grower` gives 'cultivar' away. Naive Bayes, kernel density has accuracy ")
    assert f"with it, and {words.score_words(without.score())} {without.interval()} without it." in sentence
    assert sentence.endswith("If it is not known when you predict, run the study with --ignore grower.")
    assert "gives &#39;cultivar&#39; away" in leaking.report.read_text()


def test_a_leaking_model_is_not_called_fine(leaking):
    assert leaking.looks.diagnosis is None
    assert "grower" in leaking.looks.why_not["diagnosis"]


@pytest.mark.parametrize(("apart", "quietly"), [(3.8, True), (7, False)])
def test_a_suspect_without_which_the_score_stays_is_told_quietly(tmp_path, apart, quietly):
    """Eight columns together tell as much as the one that alone nearly gives the target away.

    Where 1R is right by that column, nothing beats 1R, and the column is the first thing to say.
    """
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    columns = [y[:, None] + rng.normal(0, 0.6, (400, 8)), apart * y[:, None] + rng.normal(size=(400, 1))]
    names = [*(f"part{i}" for i in range(8)), "whole", "y"]
    lines = [
        ",".join([*map(str, row), ["no", "yes"][label]])
        for row, label in zip(np.hstack(columns), y, strict=True)
    ]
    (tmp_path / "told.csv").write_text("\n".join([",".join(names), *lines]))
    plan = make_plan(tmp_path / "told.csv", "y", cv=3, repeats=2, test_share=0, only=["naive_bayes"])
    result = run(plan, tmp_path / "study", workers=1)
    assert result.looks.leaks.suspects == ("whole",)
    assert result.verdict.learnt == quietly
    assert ("whole" not in words.headline(result)) == quietly
    assert words.without_suspects(result).startswith(
        "`whole` gives 'y' away. The score hardly depends on it. "
    )
    assert result.looks.diagnosis is not None


def test_means_of_the_target_are_not_said_to_give_it_away(tmp_path):
    """Each of 25 towns has the share of its rows with yes, which tells the target only in part."""
    rng = np.random.default_rng(0)
    town, y, x = rng.integers(0, 25, 500), rng.integers(0, 2, 500), rng.normal(size=500)
    share = np.array([y[town == each].mean() for each in range(25)])[town]
    lines = [f"t{t},{s:.4f},{a:.3f},{['no', 'yes'][b]}" for t, s, a, b in zip(town, share, x, y, strict=True)]
    path = tmp_path / "towns.csv"
    path.write_text("\n".join(["town,share,x,y", *lines]))
    result = run(make_plan(path, "y", cv=3, repeats=1, only=["naive_bayes"]), tmp_path / "study", workers=1)
    assert result.looks.leaks.encodings == ("share",)
    sentence = words.without_suspects(result)
    assert sentence.startswith("`share` was computed from 'y' on all rows. ")
    assert "away" not in sentence


def test_copies_of_training_rows_are_told_first():
    """Sixty rows twice, each tested by a model of the other copy: every test row is known."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    twice, labels, half = np.vstack([X, X + 1e-9]), np.append(y, y), np.arange(60)
    judged = evaluate(DecisionTreeClassifier(), twice, labels, [(half, 60 + half), (60 + half, half)])
    assert judged.score("accuracy") == 1
    found = leaks(twice, labels, judged)
    assert found.copied == 1
    more = np.vstack([twice, rng.normal(size=(10, 3))])  # rows that were locked away
    assert leaks(more, np.append(labels, np.zeros(10, dtype=int)), judged).copied == 1
    result = SimpleNamespace(looks=SimpleNamespace(leaks=found))
    assert words.copies(result).startswith(
        "The scores are probably too good: 100% of the test rows are copies"
    )
    assert words.copies(SimpleNamespace(looks=SimpleNamespace(leaks=replace(found, copied=0.05)))) == ""


def test_a_model_of_copies_is_not_called_fine(tmp_path):
    wine = ob.load("wine")
    path = tmp_path / "twice.csv"
    wine.take(np.tile(np.arange(len(wine)), 2)).to_polars().write_csv(path)
    found = run(
        make_plan(path, "cultivar", cv=3, repeats=1, only=["naive_bayes"]), tmp_path / "study", workers=1
    )
    assert words.headline(found).startswith("The scores are probably too good: ")
    assert found.looks.diagnosis is None
    assert "copies" in found.looks.why_not["diagnosis"]


@pytest.mark.parametrize("role", [{}, {"id": "patient"}, {"ignore": ["patient"]}, {"group": "patient"}])
def test_patients_on_both_sides_are_told_first(tmp_path, role):
    """Each of 60 patients has a gene and an outcome of its own: a tree knows patients by their gene."""
    rng = np.random.default_rng(0)
    gene, ill = np.repeat(rng.normal(size=60).round(4), 6), np.repeat(rng.permutation(60) % 2, 6)
    patient = np.repeat(np.arange(60), 6) + 100
    rows = "".join(f"{p},{g},{'yes' if i else 'no'}\n" for p, g, i in zip(patient, gene, ill, strict=True))
    path = tmp_path / "visits.csv"
    path.write_text(f"patient,gene,ill\n{rows}")
    found = run(make_plan(path, "ill", cv=3, repeats=1, only=["cart"], **role), tmp_path / "study", workers=1)
    told = "Rows with the same `patient` nearly always have the same" in words.headline(found)
    assert told == ("group" not in role)
    assert found.verdict.learnt == ("group" not in role)


def test_without_suspects_there_is_nothing_to_leave_out(tmp_path):
    plan = make_plan("wine", cv=3, repeats=1, test_share=0, only=["naive_bayes"])
    result = run(plan, tmp_path / "study", workers=1)
    assert result.looks.without_suspects is None
    assert words.without_suspects(result) == ""
    assert "without_suspects" not in result.looks.why_not
