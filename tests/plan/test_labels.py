"""A study of several labels: from a column of sets, or columns of 0 and 1, to a model and a report."""

import csv
import re
import runpy

import numpy as np
import pytest

import openbook as ob
from openbook.errors import PlanError
from openbook.plan import make_plan, run
from openbook.plan.export import export
from openbook.plan.plan import Plan
from openbook.plan.rows import StudyRows

WORDS = {
    "sport": ("team", "cup", "goal"),
    "law": ("vote", "party", "judge"),
    "health": ("doctor", "virus", "nurse"),
}
QUICK = {"only": ["naive_bayes"], "cv": 3, "repeats": 1, "test_share": 0.25}


def rows(n=120):
    rng = np.random.default_rng(5)
    for i in range(n):
        topics = [label for label in WORDS if rng.random() < 0.4]
        words = [word for label in topics for word in rng.choice(WORDS[label], 2)]
        words += list(rng.choice(["the", "new", "day", "from", "more", "people"], rng.integers(5, 12)))
        kept = [label for label in WORDS if (label in topics) ^ (rng.random() < 0.05)]
        yield " ".join(words), i % 7, kept


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    with (
        (folder / "sets.csv").open("w", newline="") as sets,
        (folder / "columns.csv").open("w", newline="") as cols,
    ):
        by_set, by_column = csv.writer(sets), csv.writer(cols)
        by_set.writerow(["text", "day", "topics"])
        by_column.writerow(["text", "day", *WORDS])
        for text, day, topics in rows():
            by_set.writerow([text, day, "; ".join(topics)])
            by_column.writerow([text, day, *(int(label in topics) for label in WORDS)])
    return folder


@pytest.fixture(scope="module")
def study(folder):
    return run(make_plan(folder / "sets.csv", "topics", **QUICK), folder / "out", workers=1)


def test_the_plan_says_what_is_predicted_and_is_read_back(folder):
    plan = make_plan(folder / "sets.csv", "topics")
    assert (plan.task, plan.metric) == ("multilabel", "micro_f1")
    assert plan.notes[0] == (
        "topics holds sets of labels, so 3 labels (health, law, sport) are predicted together; for a class"
        " for each set, add --kind topics=nominal"
    )
    labels = [each.label for each in plan.contestants]
    assert plan.baselines == tuple(labels[:4])
    assert {
        "binary relevance, naive Bayes",
        "binary relevance, linear support vectors",
        "classifier chain, logistic regression",
        "label powerset, naive Bayes",
    } <= set(labels)
    assert Plan.from_toml(plan.to_toml()) == plan
    model = plan.model("binary relevance, linear support vectors")
    assert (model.estimator.kernel, model.thresholds, model.random_state) == ("linear", "f1", 0)
    assert make_plan(folder / "sets.csv", "topics", kinds={"topics": "nominal"}).task == "classification"


def test_learners_beat_the_best_constant_and_are_tested_once(study):
    assert study.verdict.learnt
    assert study.verdict.baseline.startswith("0R")
    assert study.choice.label == "binary relevance, naive Bayes"
    assert set(study.tests) == {study.choice.label, *study.baselines}
    chosen = study.tests[study.choice.label]
    assert chosen.interval().low > study.tests["0R, best by F1"].score()
    assert study.looks.why_not == {}
    assert study.looks.importance.columns[0].column == "text"


def test_the_report_shows_labels(study):
    page = study.report.read_text(encoding="utf-8")
    for words in (
        "Each label",
        "Labels that occur together",
        "Labels and thresholds",
        "Words that tell most of sport",
        "Confusions, with excerpts",
        "Lowest F1: ",
        "the log odds of",
    ):
        assert words in page
    assert "Confusion of" not in page


def test_the_model_labels_new_documents_as_the_target_is_written(study):
    model = ob.open_model(study.model_file)
    new = [
        {"text": "the team and the cup, the goal", "day": 1},
        {"text": "a judge, a vote, a nurse", "day": 2},
    ]
    assert model.predict_sets(new) == ["sport", "health;law"]
    assert "weight of a word" in str(model.work(new[0]))
    assert "predicted for" in str(model.unlike(study.training[0]))


def test_columns_of_0_and_1_are_the_same_target(folder, study):
    plan = make_plan(folder / "columns.csv", ["sport", "law", "health"], **QUICK)
    assert plan.data.labels == ("sport", "law", "health")
    assert Plan.from_toml(plan.to_toml()) == plan
    given, known = (StudyRows(each, each.data.read()) for each in (plan, Plan.from_toml(study.plan)))
    np.testing.assert_array_equal(given.examples.target, known.examples.target)
    frame = ob.read(folder / "columns.csv").to_pandas()
    options = {**QUICK, "only": ["label_powerset"], "choose": "label powerset, naive Bayes"}
    found = ob.study(frame, ["sport", "law", "health"], progress=False, workers=1, **options)
    assert found.target == "labels"
    own = study.comparison["label powerset, naive Bayes"]
    assert found.comparison["label powerset, naive Bayes"].score() == own.score()


def test_a_killed_study_goes_on(folder, study, tmp_path):
    lines = (folder / "out" / "results.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "results.jsonl").write_bytes(b"".join(lines[:-3]) + lines[-3][:40])
    (tmp_path / "plan.toml").write_bytes((folder / "out" / "plan.toml").read_bytes())
    said = []
    run(make_plan(folder / "sets.csv", "topics", **QUICK), tmp_path, workers=1, say=said.append)
    assert said[0].startswith("Resuming: 21 of 21 fits are done, and ")
    for name in ("results.jsonl", "model.openbook"):
        assert (tmp_path / name).read_bytes() == (folder / "out" / name).read_bytes()


@pytest.mark.thorough
def test_the_script_gives_the_same_figures(folder, study, tmp_path, monkeypatch, capsys):
    script = tmp_path / "study.py"
    script.write_text(export(Plan.open(folder / "out" / "plan.toml")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script))
    printed = capsys.readouterr().out
    assert study.verdict.headline in printed
    assert f"chosen: {study.choice.label}" in printed


def test_steps_prepare_the_columns_of_each_label(folder):
    plan = make_plan(folder / "sets.csv", "topics", prepare=["words text 3 mi"], **QUICK)
    model = plan.model("binary relevance, naive Bayes").fit(*plan.data.read().split("topics"))
    kept = {
        label: set(member.estimator_.schema_.words["text"])
        for label, member, _ in model.seen_by(rows_of(plan))
    }
    assert kept == {label: set(words) for label, words in WORDS.items()}


def rows_of(plan):
    return plan.data.read().drop("topics")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positive": "sport"}, "--positive does not go with several labels"),
        ({"costs": {"sport": {"law": 1.0}}}, "--costs does not go with several labels"),
        ({"sensitive": ["day"]}, "--sensitive does not go with several labels"),
        (
            {"only": ["random_forest"]},
            "random_forest is for classification, and this is prediction of several",
        ),
        ({"metric": "accuracy"}, "accuracy judges classification, and this is multilabel"),
    ],
)
def test_what_does_not_go_with_labels_is_said(folder, options, message):
    with pytest.raises((PlanError, ValueError), match=re.escape(message)):
        make_plan(folder / "sets.csv", "topics", **options)


def test_targets_that_are_no_labels_are_named(folder):
    with pytest.raises(ValueError, match="label 'day', row 2: the cell '2' is neither 0 nor 1"):
        make_plan(folder / "columns.csv", ["sport", "day"])
    with pytest.raises(PlanError, match="target 'sport' is named twice"):
        make_plan(folder / "columns.csv", ["sport", "sport"])
    text = make_plan(folder / "sets.csv", "topics").to_toml()
    odd = text.replace('estimator = { learner = "naive_bayes" }', "estimator = { kind = 1 }")
    with pytest.raises(PlanError, match="estimator needs a learner and its parameters"):
        Plan.from_toml(odd)
