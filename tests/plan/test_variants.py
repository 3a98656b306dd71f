"""A way of a learner that has no time for so many rows takes no part, and the plan says so."""

import pytest

import openbook as ob
from openbook.plan import make_plan
from openbook.registry import learner

LABEL = "naive Bayes, kernel density"


@pytest.mark.parametrize(("more", "takes_part"), [(0, True), (1, False)])
def test_the_most_rows_of_a_variant(tmp_path, more, takes_part):
    (most,) = (v.most_rows for v in learner("naive_bayes").study if v.label == LABEL)
    rows = [f"{i * 7919 % 1000 / 8},{'ab'[i % 2]}" for i in range(most + more)]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(["x,y", *rows]), encoding="utf-8")
    plan = make_plan(path, "y")
    assert (LABEL in [candidate.label for candidate in plan.learners]) is takes_part
    said = f"{LABEL}: skipped, too slow for more than {most:,} rows"
    assert (said in plan.notes) is not takes_part


def test_the_fewest_rows_of_a_variant():
    small, enough = make_plan("weather"), make_plan("iris")
    assert (
        "tree-augmented naive Bayes: skipped, 14 rows cannot show what it adds; it needs 100" in small.notes
    )
    assert "tree-augmented naive Bayes" in [candidate.label for candidate in enough.learners]


@pytest.mark.parametrize(
    ("name", "bundled", "metric"),
    [
        ("gradient_boosting_regressor", "diabetes", "rmse"),
        ("gradient_boosting", "breast_cancer", "log_loss"),
    ],
)
def test_boosting_of_a_study_errs_less_than_a_hundred_steps_on_all_rows_and_columns(name, bundled, metric):
    entry, X, y = learner(name), *_parts(bundled)
    (way,) = entry.study
    settings = (way.parameters, {"min_samples_leaf": 10})
    own, plain = (
        ob.evaluate(entry.make(**setting, random_state=0), X, y, cv=5, metrics=[metric]).score(metric)
        for setting in settings
    )
    assert own < plain


def _parts(bundled):
    table = ob.load(bundled)
    return table.split(table.names[-1])
