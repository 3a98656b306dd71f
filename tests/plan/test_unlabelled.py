"""Rows without a target in a study: learners that can use them do, and nobody is tested on them."""

import csv
import io

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.cli.main import app
from openbook.errors import DataError, PlanError
from openbook.judge import Tuning
from openbook.label import NaiveBayesEM
from openbook.plan.make import make_plan
from openbook.plan.plan import Plan
from openbook.plan.rows import StudyRows
from openbook.prepare import Prepared


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    x = rng.normal(size=(300, 2)) + 1.5 * y[:, None]
    labels = [["no", "yes"][label] if i % 6 == 0 else None for i, label in enumerate(y)]
    path = tmp_path_factory.mktemp("few") / "few.csv"
    pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": labels}).write_csv(path)
    return path


def test_minus_one_stands_for_no_label_where_most_rows_have_it(tmp_path):
    """As scikit-learn writes it; a class -1 beside 0 and 1, as of moods, is one."""
    path = tmp_path / "minus.csv"

    def written(labelled, x=0.5):
        labels = [i % 2 if i % labelled == 0 or i < 10 else -1 for i in range(90)]
        pl.DataFrame({"x": [i % 7 + x for i in range(90)], "y": labels}).write_csv(path)
        return make_plan(path, "y"), labels.count(-1)

    plan, n = written(6)
    assert f"-1 in {n} rows stands for no label, as in scikit-learn" in plan.notes[0]
    assert "naive_bayes_em" in {one.learner for one in plan.learners}
    read = plan.data.read().column("y")
    assert (set(read.attribute.values), int(read.missing.sum())) == ({"0", "1"}, n)
    assert set(make_plan(path, "y", kinds={"y": "nominal"}).data.read().column("y").attribute.values) == {
        "-1",
        "0",
        "1",
    }
    assert "-1 in" not in written(1)[0].notes[0]


@pytest.fixture(params=["csv", "parquet", "decimals.csv"])
def minus(request, tmp_path):
    """A file of 120 rows, 20 of them labelled, in which inputs are -1, too, and the text -1 is a category."""
    labels = [i % 2 if i % 6 < 2 and i < 60 else -1 for i in range(120)]
    x, size = [i % 7 - 1 for i in range(120)], [["-1", "s", "m"][i % 3] for i in range(120)]
    path = tmp_path / f"minus.{request.param}"
    frame = pl.DataFrame({"x": x, "size": size, "y": labels})
    if request.param == "parquet":
        frame.write_parquet(path)
    else:
        number = pl.Float64 if request.param.startswith("decimals") else pl.Int64
        frame.with_columns(pl.col("y").cast(number)).write_csv(path)
    return path


@pytest.mark.parametrize("sampled", [False, True])
def test_only_the_targets_minus_one_stands_for_no_label(minus, tmp_path, monkeypatch, sampled):
    if sampled:  # as a file larger than memory
        monkeypatch.setattr("openbook.plan.source.most_bytes", lambda: 0)
        monkeypatch.setattr("openbook.plan.source.SAMPLE", 110)
    plan = make_plan(minus, "y", only=["naive_bayes"] if sampled else ["naive_bayes_em"])
    assert bool(plan.data.sample) == sampled
    assert "stands for no label, as in scikit-learn" in plan.notes[0]
    table = Plan.from_toml(plan.to_toml()).data.scan().read() if sampled else plan.data.read()
    assert (table.column("x") == -1).sum() == 18  # rows 0, 7, 14, …, 119
    assert (table.column("size") == "-1").sum() == 40
    assert (int(table.column("y").missing.sum()), len(table.schema["y"].values)) == (100, 2)
    out = tmp_path / "out"
    ob.study(minus, "y", only=[plan.learners[-1].learner], effort="quick", folder=out, progress=False)
    model = ob.open_model(out / "model.openbook")
    assert "-1" in model.schema_["size"].values
    assert len(model.classes_) == 2
    told = CliRunner().invoke(app, ["predict", str(out), str(minus)])
    predicted = [row["prediction"] for row in csv.DictReader(io.StringIO(told.stdout))]
    assert predicted == model.predict(table.drop("y")).tolist()


@pytest.mark.parametrize("frame", [pl.DataFrame, lambda rows: pl.DataFrame(rows).to_pandas(), ob.read])
def test_a_frames_inputs_keep_minus_one(frame):
    """A naive Bayes of the labelled rows alone, whose means are those of all cells of x, -1 among them."""
    rows = frame({"x": [-1.0, -1.5, 3.0, 5.0, 9.0], "y": [0, 0, 1, 1, -1]})
    model = NaiveBayesEM(unlabelled_weight=0).fit(rows, "y")
    assert (model.n_unlabelled_, model.classes_.tolist()) == (1, [0, 1])
    assert model.predict([{"x": -1.0}, {"x": 4.0}]).tolist() == [0, 1]


def _right(evaluation):
    """The share of right predictions in the first round of folds."""
    return np.concatenate([fold.y_pred == fold.y_true for fold in evaluation.first_round]).mean()


def test_study(file, tmp_path):
    only = ["naive_bayes", "naive_bayes_em"]
    result = ob.study(file, "y", only=only, folder=tmp_path / "out", progress=False)
    labels = [row.label for row in result.comparison.rows()]
    assert {"naive Bayes", "naive Bayes with EM"} <= set(labels)
    evaluation = result.comparison["naive Bayes with EM"]
    assert sorted(np.concatenate([fold.rows for fold in evaluation.first_round])) == [*range(50)]
    effect = result.looks.unlabelled
    assert (effect.n_labelled, effect.n_unlabelled) == (50, 250)
    # without unlabelled rows, EM is naive Bayes
    assert effect.labelled_alone == pytest.approx(_right(result.comparison["naive Bayes"]))
    assert effect.with_unlabelled == pytest.approx(_right(evaluation))
    assert effect.assumption.verdict == "supported"  # both classes are normal, without dependence
    assert str(effect) in (tmp_path / "out" / "report.html").read_text()


def test_folds_train_on_the_unlabelled_rows_too(file):
    plan = make_plan(file, "y", only=["naive_bayes_em"])
    table = ob.read(file)
    rows = StudyRows(plan, table)
    label = next(c.label for c in plan.contestants if c.candidate.learner == "naive_bayes_em")
    train = rows.train[:40]
    model = rows.fitted(label, train)
    missing = table.column("y").missing
    kept = np.r_[np.flatnonzero(~missing)[train], np.flatnonzero(missing)]
    alone = NaiveBayesEM().fit(table.drop("y").take(kept), table.column("y").take(kept))
    X = table.drop("y")
    assert np.allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-9)
    labelled = NaiveBayes().fit(X.take(kept[:40]), table.column("y").take(kept[:40]))
    assert not np.allclose(model.predict_proba(X), labelled.predict_proba(X), rtol=1e-3)


def test_they_are_offered_where_they_can_help(file, tmp_path):
    def learners(plan: Plan):
        return {c.candidate.learner for c in plan.contestants}

    few = {"naive_bayes_em", "self_training", "label_spreading"}
    assert few <= learners(make_plan(file, "y"))
    assert not few & learners(make_plan("iris"))
    assert few <= learners(make_plan(file, "y", prepare=["scale a"]))
    assert not few & learners(make_plan(file, "y", time="a"))
    with pytest.raises(PlanError, match="learns from rows without species"):
        make_plan("iris", only=["label_spreading"])


def test_examples_are_the_labelled_rows(file):
    rows = StudyRows(make_plan(file, "y", only=["naive_bayes_em"]), ob.read(file))
    assert len(rows.examples) == 50
    assert len(rows.unlabelled) == 250
    chosen = rows.examples.select(["b"])
    assert chosen.unlabelled.names == ("b",)


def test_steps_learn_from_all_rows_and_balance_the_labelled_alone(file):
    table = ob.read(file)
    X, y = table.split("y")
    model = Prepared(NaiveBayesEM(), ["scale", "balance over"]).fit(X, y)
    labelled = np.flatnonzero(~y.missing)
    sizes = np.bincount(y.data[labelled])
    assert model.steps_[0].mean_ == pytest.approx([X.data(name).mean() for name in ("a", "b")])
    assert model.steps_[1].n_before_ == len(labelled)
    assert model.steps_[1].n_after_ == 2 * sizes.max()
    assert model.estimator_.n_unlabelled_ == 250
    with pytest.raises(DataError, match="target 'y' is missing in 250 rows"):
        Prepared(NaiveBayes(), ["scale"]).fit(X, y)


def test_tuning_tests_on_labelled_rows_alone(file):
    table = ob.read(file)
    tuned = Tuning(NaiveBayesEM(), {"unlabelled_weight": (0.1, 1.0)}, cv=3).fit(table, "y")
    assert tuned.model_.n_unlabelled_ == 250
    assert [one.rows for one in tuned.tried_] == [50, 50]


@pytest.mark.parametrize(
    "more",
    [{"prepare": ["impute a median"]}, {"costs": {"no": {"yes": 1}, "yes": {"no": 5}}}],
    ids=["steps", "costs"],
)
def test_studies_with_steps_or_costs_use_unlabelled_rows(file, tmp_path, more):
    only = ["naive_bayes_em"]
    result = ob.study(file, "y", only=only, effort="quick", folder=tmp_path / "out", progress=False, **more)
    assert result.looks.unlabelled.n_unlabelled == 250
    model = result.models["naive Bayes with EM"]
    assert model.estimator_.n_unlabelled_ == 250
