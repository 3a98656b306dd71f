"""Frequency weights: a table of counts is judged as the rows that it counts."""

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import openbook as ob
from openbook.errors import PlanError
from openbook.plan import make_plan, run
from openbook.plan.beside import beside
from openbook.plan.counts import MOST_ROWS, described
from openbook.plan.rows import StudyRows

#: R's `Titanic`: of men and women, adults and children, how many died and survived, in each class.
CLASSES = ("1st", "2nd", "3rd", "Crew")
COUNTS = {
    ("Male", "Child", "No"): (0, 0, 35, 0),
    ("Female", "Child", "No"): (0, 0, 17, 0),
    ("Male", "Adult", "No"): (118, 154, 387, 670),
    ("Female", "Adult", "No"): (4, 13, 89, 3),
    ("Male", "Child", "Yes"): (5, 11, 13, 0),
    ("Female", "Child", "Yes"): (1, 13, 14, 0),
    ("Male", "Adult", "Yes"): (57, 14, 75, 192),
    ("Female", "Adult", "Yes"): (140, 80, 76, 20),
}
FEW = {"only": ["naive_bayes"], "effort": "quick"}


@pytest.fixture(scope="module")
def titanic(tmp_path_factory):
    rows = [
        {"Class": where, "Sex": sex, "Age": age, "Survived": survived, "Freq": count}
        for (sex, age, survived), counts in COUNTS.items()
        for where, count in zip(CLASSES, counts, strict=True)
    ]
    path = tmp_path_factory.mktemp("titanic") / "titanic.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


@pytest.fixture(scope="module")
def expanded(titanic):
    """The same, one row a person."""
    table = pl.read_csv(titanic)
    path = titanic.parent / "people.csv"
    table[np.repeat(np.arange(32), table["Freq"].to_numpy())].drop("Freq").write_csv(path)
    return path


def test_a_table_of_counts_is_judged_as_the_rows_that_it_counts(titanic, expanded, tmp_path):
    plan = make_plan(titanic, "Survived", weight="Freq", **FEW)
    assert plan.protocol.weights == "frequency"
    assert any("32 rows count as 2,201" in note for note in plan.notes)
    counted = run(plan, tmp_path / "counted")
    people = run(make_plan(expanded, "Survived", **FEW), tmp_path / "people")
    for label, evaluation in people.comparison.evaluations.items():
        ours = counted.comparison[label]
        for metric in evaluation.metrics:
            assert ours.score(metric) == evaluation.score(metric)
            assert ours.interval(metric) == evaluation.interval(metric)
    assert counted.choice.label == people.choice.label
    assert (counted.description.rows, people.description.rows) == (2201, 2201)
    assert not {"duplicate rows", "near-duplicate rows"} & {one.kind for one in counted.description.findings}
    assert not counted.looks.leaks.of("duplicate rows")
    assert all(example.row < 32 for example in counted.examples)  # a row of the table
    assert "2,201" in counted.report.read_text()


def test_scores_are_those_of_scikit_learn_on_the_expanded_table(titanic, expanded):
    plan = make_plan(titanic, "Survived", weight="Freq", test_share=0, **{**FEW, "only": ["one_r"]})
    rows = StudyRows(plan, ob.read(titanic))
    assert (len(rows.y), rows.weights, rows.copies) == (2201, None, True)
    from openbook.baseline import OneR
    from openbook.judge import evaluate

    ours = evaluate(OneR(), rows.X, rows.y, rows.splits, metrics=["accuracy", "balanced_accuracy"])
    people = pl.read_csv(expanded)
    X, y = people.drop("Survived").to_dummies().to_numpy(), people["Survived"].to_numpy()
    stump = DecisionTreeClassifier(max_depth=1)
    right = sum(
        (stump.fit(X[train], y[train]).predict(X[test]) == y[test]).sum() for train, test in rows.splits
    )
    assert right / 2201 == pytest.approx(ours.score("accuracy"), abs=1e-12)
    # both go by the sex: 1,364 of 1,731 men died, and 344 of 470 women survived
    tested = np.concatenate([fold.y_pred == fold.y_true for fold in ours.folds])
    assert tested.sum() == 1364 + 344


def test_a_row_of_frequency_0_takes_no_part(titanic):
    rows = StudyRows(make_plan(titanic, "Survived", weight="Freq", **FEW), ob.read(titanic))
    assert np.bincount(rows.known, minlength=32).tolist() == pl.read_csv(titanic)["Freq"].to_list()


def test_other_weights_count_in_learning_only(titanic, tmp_path):
    table = pl.read_csv(titanic)
    table.with_columns(Freq=pl.col("Freq") / 10).write_csv(tmp_path / "tenths.csv")
    plan = make_plan(tmp_path / "tenths.csv", "Survived", weight="Freq", **FEW)
    assert plan.protocol.weights == "importance"
    assert any(
        "in the scores every row counts the same; it is not used as a feature" in note for note in plan.notes
    )
    rows = StudyRows(plan, ob.read(tmp_path / "tenths.csv"))
    assert rows.weights.tolist() == (table["Freq"] / 10).to_list()
    assert described(ob.read(tmp_path / "tenths.csv"), "Survived", "Freq").rows == 32
    with pytest.raises(PlanError, match="'Freq' cannot be frequencies"):
        make_plan(tmp_path / "tenths.csv", "Survived", weight="Freq", weight_kind="frequency", **FEW)


def test_whole_numbers_can_be_importances_too(titanic):
    plan = make_plan(titanic, "Survived", weight="Freq", weight_kind="importance", **FEW)
    assert len(StudyRows(plan, ob.read(titanic)).y) == 32
    assert described(ob.read(titanic), "Survived", "Freq", "importance").rows == 32
    with pytest.raises(PlanError, match="--weight-kind needs --weight"):
        make_plan(titanic, "Survived", weight_kind="importance", **FEW)


def test_ones_alone_are_no_frequencies(titanic, tmp_path):
    pl.read_csv(titanic).with_columns(Freq=1).write_csv(tmp_path / "ones.csv")
    plan = make_plan(tmp_path / "ones.csv", "Survived", weight="Freq", **FEW)
    assert plan.protocol.weights == "importance"


def test_too_many_rows_are_not_repeated(titanic, tmp_path):
    pl.read_csv(titanic).with_columns(Freq=pl.col("Freq") * 3000).write_csv(tmp_path / "many.csv")
    plan = make_plan(tmp_path / "many.csv", "Survived", weight="Freq", **FEW)
    assert plan.protocol.weights == "importance"
    assert MOST_ROWS < 2201 * 3000
    assert any("since 6,603,000 rows are too many to repeat" in note for note in plan.notes)


def test_studies_of_counts_can_be_compared(titanic, tmp_path):
    for name, kind in (("a", "frequency"), ("b", "importance")):
        run(make_plan(titanic, "Survived", weight="Freq", weight_kind=kind, **FEW), tmp_path / name)
    assert "weights" in beside(tmp_path / "a", tmp_path / "b").text()
