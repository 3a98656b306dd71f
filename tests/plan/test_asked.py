"""Rows whose label was asked for train in every fold, and are never tested."""

import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, PlanError
from openbook.plan import make_plan
from openbook.plan.export import export
from openbook.plan.plan import Plan
from openbook.plan.rows import StudyRows

#: Of 400 rows 160 have a label; the last 60 of these were asked for, and lie between the classes.
N, LABELLED, ASKED = 400, 160, 60


def _table(rng):
    y = rng.integers(0, 2, N)
    x = rng.normal(size=(N, 2)) + 2.5 * y[:, None]
    x[LABELLED - ASKED : LABELLED] = rng.normal(1.25, 0.1, size=(ASKED, 2))
    known = np.arange(N) < LABELLED
    marks = np.where(np.arange(N) < LABELLED - ASKED, "no", "yes")
    return pl.DataFrame(
        {
            "a": x[:, 0],
            "b": x[:, 1],
            "y": [["no", "yes"][label] if seen else None for label, seen in zip(y, known, strict=True)],
            "y_asked": [mark if seen else None for mark, seen in zip(marks, known, strict=True)],
            "group": [f"g{i % 20}" for i in range(N)],
            "day": rng.permutation(N),
        }
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("asked") / "rows.csv"
    _table(np.random.default_rng(0)).write_csv(path)
    return path


def _rows(file, **options):
    options = {"ignore": ["group", "day"], "only": ["naive_bayes"], **options}
    return StudyRows(make_plan(file, "y", **options), ob.read(file))


def test_folds_test_each_fair_row_once_a_round_and_train_on_every_row_asked_for(file):
    rows = _rows(file)
    assert rows.plan.roles.asked == "y_asked"
    assert rows.n_fair == 100
    assert "y_asked" not in rows.X.names
    asked = np.arange(100, 160)
    tested = [test for _, test in rows.splits[:10]]
    assert sorted(np.concatenate(tested)) == [*range(100)]
    for train, test in rows.splits:
        assert set(asked) <= set(train)
        assert sorted([*train, *test]) == [*range(160)]
    assert rows.protocol.words.endswith("60 rows more only train, and are never tested")


def test_no_row_asked_for_is_locked_away(file):
    rows = _rows(file, test_share=0.3)
    assert len(rows.locked) == 30
    assert rows.locked.max() < 100
    assert len(rows.train) == 130


def test_groups_and_times_hold_for_rows_asked_for(file):
    """A row that was asked for trains no model that tests its group, or rows of its time or before."""
    by_group = _rows(file, group="group", ignore=["day"])
    group = ob.read(file)["group"].data[:160]
    for train, test in by_group.splits:
        assert not set(group[train]) & set(group[test])
        others = np.arange(100, 160)[~np.isin(group[100:160], group[test])]
        assert set(others) <= set(train)
    over_time = _rows(file, time="day", ignore=["group"])
    day = ob.read(file)["day"].data[over_time.known]
    asked = over_time.asked
    for train, test in over_time.splits:
        assert day[train].max() < day[test].min()
        assert set(np.flatnonzero(asked & (day < day[test].min()))) <= set(train)
        assert not asked[test].any()


def test_a_study_says_it_and_agrees_with_a_calculation_of_its_own(file, tmp_path):
    result = ob.study(
        file, "y", only=["naive_bayes"], ignore=["group", "day"], folder=tmp_path, progress=False
    )
    evaluation = result.comparison["naive Bayes"]
    table = ob.read(file).take(np.arange(160))
    X, y = table.select(["a", "b"]), table.column("y")
    fold = evaluation.folds[0]
    train = np.setdiff1d(np.arange(160), fold.rows)
    model = NaiveBayes().fit(X.take(train), y.take(train))
    classes = evaluation.classes.tolist()
    assert [classes.index(label) for label in model.predict(X.take(fold.rows))] == fold.y_pred.tolist()
    effect = result.looks.asked
    assert (effect.n_others, effect.n_asked) == (100, 60)
    first = np.concatenate([one.y_pred == one.y_true for one in evaluation.first_round])
    assert effect.with_asked == pytest.approx(first.mean())
    report = (tmp_path / "report.html").read_text()
    assert str(effect) in report
    note = next(note for note in result.notes if "requested (y_asked)" in note)
    assert "60 labels requested" in note
    assert "the 100 other labelled rows" in note
    assert "85.0% of the table" in note  # 60 of 400 were asked for


def test_a_study_goes_on_from_what_it_wrote(file, tmp_path):
    """The folds without the rows asked for are among the results that another run reads."""
    options = {"ignore": ["group", "day"], "only": ["naive_bayes"], "cv": 3, "repeats": 1}
    ob.study(file, "y", folder=tmp_path, progress=False, **options)
    written = (tmp_path / "results.jsonl").read_bytes()
    assert b'"part": "not asked"' in written
    ob.study(file, "y", folder=tmp_path, progress=False, **options)
    assert (tmp_path / "results.jsonl").read_bytes() == written


def test_a_column_of_another_meaning_is_a_feature(file, tmp_path):
    other = pl.read_csv(file).with_columns(pl.lit("maybe").alias("y_asked"))
    other.write_csv(tmp_path / "other.csv")
    assert make_plan(tmp_path / "other.csv", "y", only=["naive_bayes"]).roles.asked is None
    with pytest.raises(
        DataError, match="'y_asked' says whether a row was asked for, yes or no, and not 'maybe'"
    ):
        make_plan(tmp_path / "other.csv", "y", asked="y_asked")
    assert make_plan(file, "y", ignore=["y_asked"], only=["naive_bayes"]).roles.asked is None


def test_another_column_can_be_named_and_hold_numbers(file, tmp_path):
    marked = pl.read_csv(file).with_columns(pl.col("y_asked").eq("yes").cast(pl.Int8).alias("chosen"))
    marked.write_csv(tmp_path / "marked.csv")
    plan = make_plan(tmp_path / "marked.csv", "y", asked="chosen", ignore=["y_asked"], only=["naive_bayes"])
    assert StudyRows(plan, ob.read(tmp_path / "marked.csv")).n_fair == 100
    plan.save(tmp_path / "plan.toml")
    assert Plan.open(tmp_path / "plan.toml").roles.asked == "chosen"


def test_nothing_fair_to_test_is_refused(file, tmp_path):
    pl.read_csv(file).with_columns(pl.lit("yes").alias("y_asked")).write_csv(tmp_path / "all.csv")
    with pytest.raises(PlanError, match="no row is left for a fair test; label some rows at random"):
        make_plan(tmp_path / "all.csv", "y")


@pytest.mark.parametrize("test_share", [0.0, 0.3])
def test_the_exported_script_finds_the_same(file, tmp_path, test_share):
    options = {"ignore": ["group", "day"], "only": ["naive_bayes"], "test_share": test_share}
    plan = make_plan(file, "y", cv=3, repeats=1, **options)
    result = ob.study(file, "y", cv=3, repeats=1, folder=tmp_path / "out", progress=False, **options)
    script = tmp_path / "script.py"
    script.write_text(export(plan))
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    score = f"{result.comparison['naive Bayes'].score():.3f}"
    line = next(line for line in done.stdout.splitlines() if "naive Bayes" in line)
    assert score in line
