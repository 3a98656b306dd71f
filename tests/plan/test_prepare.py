"""Steps of preparation in a plan: written, read, fitted inside the folds, and part of the model."""

import numpy as np
import pytest

import openbook
from openbook.bayes import NaiveBayes
from openbook.errors import PlanError
from openbook.plan import Hypothesis, Plan, make_plan, run
from openbook.plan.export import export
from openbook.prepare import Prepared

STEPS = ("impute temperature", "log temperature")


def test_a_plan_tells_how_many_rows_a_rule_leaves_out():
    """Four of the five days of rain are below 75 degrees."""
    steps = ("clip humidity 3z", "rule temperature >= 75 where outlook = rain")
    notes = make_plan("weather_numeric", prepare=steps, only=["naive_bayes"]).notes
    assert f'the step "{steps[1]}" leaves 4 of 14 rows out of training' in notes
    assert not any("clip" in note and "leaves" in note for note in notes)


def test_rows_that_a_step_adds_do_not_count():
    notes = make_plan("weather_numeric", prepare=["jitter 0.1 copies=9"]).notes
    assert any(note.startswith("random forest: skipped, 14 rows cannot show") for note in notes)


def test_a_plan_keeps_its_steps_in_order_and_says_them():
    plan = make_plan("weather_numeric", prepare=STEPS, only=["naive_bayes"])
    assert plan.prepare == STEPS
    assert '[[prepare]]\nstep = "impute temperature"' in plan.to_toml()
    assert Plan.from_toml(plan.to_toml()) == plan
    assert (
        "every fold prepares the inputs by its training rows: impute temperature; log temperature"
        in plan.notes
    )
    assert "steps=['impute temperature', 'log temperature']" in export(plan)


def test_a_study_judges_and_saves_learners_with_their_steps(tmp_path):
    plan = make_plan("weather_numeric", prepare=STEPS, only=["naive_bayes"], choose="naive_bayes")
    result = run(plan, tmp_path, workers=1)
    X, y = openbook.load("weather_numeric").split("play")
    by_hand = openbook.evaluate(Prepared(NaiveBayes(), STEPS), X, y)
    assert result.comparison["naive Bayes"].score("log_loss") == pytest.approx(by_hand.score("log_loss"))
    model = openbook.open_model(tmp_path / "model.openbook")
    assert isinstance(model, Prepared)
    np.testing.assert_allclose(model.prepared(X)["temperature"].data, np.log(X["temperature"].data))
    assert "ln(85)" in str(model.work(X.row(0)))
    assert "log temperature" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert result.choice.label == "naive Bayes"


def test_a_hypothesis_without_a_column_goes_without_its_steps():
    sets = [Hypothesis("all"), Hypothesis("wind", ("windy",)), Hypothesis("cool", without=("humidity",))]
    prepare = ["log humidity", "log temperature", "scale"]
    plan = make_plan("weather_numeric", prepare=prepare, only=["naive_bayes"], hypotheses=sets)
    assert [plan.steps(one) for one in sets] == [prepare, ["scale"], ["log temperature", "scale"]]
    assert plan.steps(None, gone=["temperature"]) == ["log humidity", "scale"]


def test_what_is_wrong_with_a_step_is_said_before_anything_runs():
    with pytest.raises(PlanError, match="prepare: 'lgo x': there is no step 'lgo'"):
        make_plan("weather_numeric", prepare=["lgo x"])
    with pytest.raises(PlanError, match=r"prepare: step 'log outlook': .* is for numeric columns"):
        make_plan("weather_numeric", prepare=["log outlook"])
    text = make_plan("weather_numeric", prepare=STEPS).to_toml()
    with pytest.raises(PlanError, match="prepare: 'lgo temperature': there is no step 'lgo'"):
        Plan.from_toml(text.replace("log temperature", "lgo temperature"))
    with pytest.raises(PlanError, match=r"prepare\[0\].step is missing"):
        Plan.from_toml(text.replace('step = "impute temperature"', ""))
