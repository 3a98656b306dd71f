"""A study from plan to folder: what it leaves, that it resumes, and that it is whole at every moment."""

import json
import os
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import openbook as ob
from openbook.errors import PlanError
from openbook.judge import choose, compare, lock_away, protocol
from openbook.plan import Candidate, Plan, make_plan, run
from openbook.plan.looks import asked_looks

MODULE = sys.modules["openbook.plan.run"]  # the package's `run` is the function


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    """A study with a locked test set, two folds and few learners."""
    plan = make_plan("wine", cv=3, repeats=2, test_share=0.25, random_state=1, only=["naive_bayes"])
    plan = replace(plan, learners=plan.learners[:3])
    return plan, run(plan, tmp_path_factory.mktemp("study"), workers=1)


def lines(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_the_folder_holds_the_four_files_and_nothing_half_written(wine):
    _, result = wine
    assert sorted(p.name for p in result.folder.iterdir()) == [
        "model.openbook",
        "plan.toml",
        "report.html",
        "results.jsonl",
    ]
    assert result.report.name == "report.html"


def test_the_figures_are_those_of_compare_on_the_rows_not_locked_away(wine):
    plan, result = wine
    X, y = ob.load("wine").split("cultivar")
    train, _ = lock_away(X, y, 0.25, 1, "classification")
    split = protocol(y.take(train), "classification", 1, 3, 2)
    models = {c.label: c.make() for c in plan.learners}
    expected = compare(models, X.take(train), y.take(train), split, metrics=list(plan.metrics))
    for mine, theirs in zip(result.comparison.rows(), expected.rows(), strict=True):
        assert (mine.label, mine.score, mine.interval) == (theirs.label, theirs.score, theirs.interval)
    assert result.choice == choose(replace(expected, baselines=plan.baselines))
    assert result.rows == len(train)


def test_no_locked_row_is_met_before_the_test(wine):
    _, result = wine
    records = lines(result.folder)[1:]
    folds = {row for r in records if r["part"] == "folds" for row in r["result"]["rows"]}
    tests = {row for r in records if r["part"] == "test" for row in r["result"]["rows"]}
    assert len(tests) == pytest.approx(0.25 * 178, abs=2)
    assert not folds & tests
    parts = [r["part"] for r in records]
    assert list(dict.fromkeys(parts)) == ["folds", "test", "look"]
    assert parts.count("test") == len(result.tests)


def test_the_model_in_the_file_is_the_one_that_was_tested(wine):
    _, result = wine
    X, y = ob.load("wine").split("cultivar")
    test = np.array(next(r["result"]["rows"] for r in lines(result.folder) if r.get("part") == "test"))
    model = ob.open_model(result.model_file)
    right = int((model.predict(X.take(test)) == np.array(y.take(test).tolist())).sum())
    score = result.tests[result.choice.label]
    assert score.score("accuracy") == pytest.approx(right / len(test))
    assert score.interval("accuracy").method == "Wilson"


def test_the_test_comes_with_the_baselines(wine):
    _, result = wine
    assert list(result.tests) == [result.choice.label, "0R", "1R"]
    assert all(example.locked for example in result.examples)


def test_a_second_run_looks_at_nothing_again(wine, monkeypatch):
    plan, result = wine
    before = (result.folder / "results.jsonl").read_bytes()

    def never(*_, **__):
        raise AssertionError("judged again")

    monkeypatch.setattr("openbook.judge.folds.fit_folds._judged", never)
    again = run(plan, result.folder, workers=1)
    assert (result.folder / "results.jsonl").read_bytes() == before
    assert again.choice == result.choice


def test_any_number_of_workers_finds_the_same(wine, tmp_path):
    plan, result = wine
    again = run(plan, tmp_path, workers=3)
    assert again.comparison.rows() == result.comparison.rows()
    assert again.choice == result.choice


def test_tiny_tables_leave_one_out_and_lock_nothing_away(tmp_path):
    result = run(make_plan("weather"), tmp_path)
    assert result.tests == {}
    assert result.rows == 14
    assert result.protocol.startswith("leave-one-out: each of the 14 rows")
    assert len(result.comparison["0R"].folds) == 14
    typical = result.examples[0]
    assert list(typical.works) == list(result.models) == ["linear discriminant"]
    assert not typical.locked


def test_what_learnt_no_more_than_the_baseline_is_not_chosen(tmp_path):
    """CART scores better than C4.5, but is a single leaf in most folds, so no more than 0R."""
    result = run(make_plan("weather", only=["c45", "cart"]), tmp_path)
    assert result.comparison["CART"].complexity == 1
    assert result.comparison["CART"].score() > result.comparison["C4.5"].score()
    assert result.choice.label == "C4.5"
    assert list(result.models) == ["C4.5"]


@pytest.fixture
def slanted(tmp_path):
    """The class is the sign of a sum of eight columns, which a tree can only climb in steps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    path = tmp_path / "slanted.csv"
    cells = [",".join(f"{x:.4f}" for x in row) + f",{'ab'[int(row.sum() > 0)]}" for row in X]
    path.write_text("\n".join([",".join("stuvwxyz") + ",class", *cells]) + "\n")
    return path


def test_a_forest_that_beats_its_trees_is_chosen(tmp_path, slanted):
    plan = make_plan(slanted, "class", cv=5, repeats=1, only=["cart", "random_forest"])
    result = run(plan, tmp_path / "study")
    forest, tree = (result.comparison[label].score() for label in ("random forest", "CART"))
    assert forest > tree + 0.05
    assert result.choice.label == result.choice.best == "random forest"


def test_regression_is_judged_beside_mean_and_median(tmp_path):
    result = run(make_plan("diabetes", cv=3, repeats=1), tmp_path)
    assert set(result.comparison.evaluations) >= {"mean", "median"}
    y = ob.load("diabetes").column("progression").data
    assert result.comparison["mean"].score("rmse") == pytest.approx(y.std(), rel=0.05)


def test_rows_without_a_target_take_no_part(tmp_path):
    cells = "\n".join(f"{i % 5},{'' if i in (0, 7) else 'ab'[i % 2]}" for i in range(30))
    path = tmp_path / "gaps.csv"
    path.write_text(f"x,y\n{cells}\n")
    result = run(make_plan(path, "y"), tmp_path / "out")
    assert result.rows == 28
    folds = result.comparison["0R"].one_round
    rows = {example.row for example in result.examples}
    assert not rows & {0, 7}
    assert len(folds.truth) == 28
    assert result.description.rows == 30


def test_progress_counts_every_fold_also_those_of_an_earlier_run(tmp_path):
    plan = make_plan("weather", only=["naive_bayes"])
    told = []
    run(plan, tmp_path, progress=lambda done, total: told.append((done, total)))
    total = 14 * len(plan.learners) + len(asked_looks(plan))
    assert told == [(i + 1, total) for i in range(total)]
    path = tmp_path / "results.jsonl"
    folds = 1 + 14 * len(plan.learners)  # a line each, after the first
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[: folds - 2]))
    told.clear()
    run(plan, tmp_path, progress=lambda done, total: told.append((done, total)))
    assert told == [(i + 1, total) for i in range(total - len(asked_looks(plan)) - 2, total)]


def weather(**options):
    """A plan of few learners, where it is the files that matter."""
    return make_plan("weather", only=["one_r"], **options)


def test_another_plan_is_not_written_over(tmp_path):
    run(weather(), tmp_path)
    before = (tmp_path / "plan.toml").read_bytes()
    with pytest.raises(
        PlanError, match=r"holds a study of another plan \(they differ in metric\); .* --fresh, .* --out"
    ):
        run(weather(metric="kappa"), tmp_path)
    with pytest.raises(PlanError, match=r"differ in data\)"):
        run(make_plan("covid", only=["one_r"]), tmp_path)
    assert (tmp_path / "plan.toml").read_bytes() == before
    assert run(make_plan("covid", only=["one_r"]), tmp_path, fresh=True).target == "infected"


def test_fresh_removes_the_studys_own_files_only(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    run(weather(), tmp_path)
    run(weather(random_state=5), tmp_path, fresh=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert Plan.open(tmp_path / "plan.toml").protocol.random_state == 5


def test_a_file_in_the_way_is_not_written_over(tmp_path):
    (tmp_path / "report.html").write_text("mine")
    with pytest.raises(PlanError, match=r"report\.html exists, but there is no plan\.toml"):
        run(weather(), tmp_path)
    with pytest.raises(PlanError, match="is a file; name a folder with --out"):
        run(weather(), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == "mine"


def test_data_that_changed_are_refused(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "\n".join(f"{i % 5},{'ab'[i % 2]}" for i in range(30)) + "\n")
    plan = make_plan(path, "y")
    path.write_text(path.read_text().replace("4,a", "3,a", 1))
    with pytest.raises(PlanError, match=r"d\.csv has changed since the plan was made"):
        run(plan, tmp_path / "out")


def test_a_split_that_does_not_fit_the_rows_is_named(tmp_path):
    plan = make_plan("iris", cv=3, repeats=1)
    wrong = replace(plan, protocol=replace(plan.protocol, split="leave-one-out", folds=None, repeats=None))
    with pytest.raises(PlanError, match=r"protocol.split is 'leave-one-out', but 150 rows take"):
        run(wrong, tmp_path)


def test_where_every_learner_but_the_baselines_fails_there_is_still_a_report_that_says_so(tmp_path):
    plan = make_plan("iris", cv=3, repeats=1, only=["one_r"])
    bad = Candidate("odd", "naive_bayes", {"priors": [0.5, 0.4, 0.2]})
    result = run(replace(plan, learners=(*plan.learners, bad)), tmp_path, workers=1)
    (note,) = (note for note in result.notes if note.startswith("odd: skipped, fold 1 of 3 failed: "))
    assert "must sum to 1" in note
    assert "odd: skipped, fold 1 of 3 failed" in result.report.read_text(encoding="utf-8")
    assert set(result.comparison.evaluations) == {"0R", "1R"}
    assert [r["learner"] for r in lines(tmp_path)[1:] if r["part"] == "skipped"] == ["odd"]


def test_an_interrupted_writing_leaves_the_old_file(tmp_path, monkeypatch):
    run(weather(), tmp_path)
    before = (tmp_path / "report.html").read_bytes()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(weather(), tmp_path)
    assert (tmp_path / "report.html").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "model.openbook",
        "plan.toml",
        "report.html",
        "results.jsonl",
    ]


@pytest.mark.parametrize(
    ("sensitive", "costs"), [((), None), (("outlook",), {"No": {"Yes": 1.0}, "Yes": {"No": 2.0}})]
)
def test_no_time_is_told_of_what_was_asked_for_alone(tmp_path, monkeypatch, sensitive, costs):
    monkeypatch.setattr(MODULE, "_LOOKING", 0.0)
    plan = make_plan("weather", only=["one_r"], sensitive=sensitive, costs=costs)
    result = run(plan, tmp_path, workers=1, time_limit=600)
    asked = ["attributes", "fairness", "costs"] if costs else ["attributes"]
    (note,) = (note for note in result.notes if note.startswith("the time limit left no time for: "))
    missed = {look: why for look, why in result.looks.why_not.items() if why == "there was no time left"}
    assert note.removeprefix("the time limit left no time for: ").split(", ") == list(missed)
    assert list(missed) == asked  # of 14 rows there is nothing else to look at


def test_a_look_that_takes_longer_than_there_is_time_is_given_up(tmp_path, monkeypatch):
    looks = sys.modules["openbook.plan.looks"]
    free = threading.Event()

    def stuck(*_, **__):
        free.wait(60)

    monkeypatch.setattr(looks, "score_attributes", stuck)
    plan = make_plan("weather", only=["one_r"])
    start = time.monotonic()
    result = run(plan, tmp_path, workers=1, time_limit=5)
    took = time.monotonic() - start
    free.set()
    assert took < 30
    assert result.looks.why_not["attributes"] == "there was no time left"
    assert "the time limit left no time for: attributes" in result.notes


def test_a_forest_is_not_advised_to_become_one(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 3)).round(3)
    y = np.where(x[:, 0] + rng.normal(size=400) > 0, "a", "b")
    path = tmp_path / "noisy.csv"
    pl.DataFrame({**dict(zip("uvw", x.T, strict=True)), "y": y}).write_csv(path)
    plan = make_plan(path, "y", only=["random_forest"], choose="random_forest", effort="quick")
    found = run(plan, tmp_path / "study").looks.diagnosis
    assert found.verdict in {
        "high variance",
        "over-fitting",
    }
    assert not any("forest" in remedy for remedy in found.remedies)
