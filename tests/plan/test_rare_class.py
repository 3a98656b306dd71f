"""A study of a rare class: ranked by AUC, decided by a threshold tuned on training rows, which is shown."""

import numpy as np
import pytest
from typer.testing import CliRunner

import openbook as ob
from openbook.cli.main import app
from openbook.plan import make_plan, run
from openbook.report import words


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """One loan in fifty is bad, where two columns are 1.3 larger: AUC Φ(1.3) = 0.90."""
    folder = tmp_path_factory.mktemp("rare")
    random = np.random.default_rng(0)
    bad = random.random(1500) < 0.02
    x = random.normal(size=(1500, 2)) + 1.3 * bad[:, None]
    lines = [f"{a:.3f},{b:.3f},{'bad' if is_bad else 'good'}" for (a, b), is_bad in zip(x, bad, strict=True)]
    path = folder / "loans.csv"
    path.write_text("\n".join(["a,b,outcome", *lines]))
    plan = make_plan(path, "outcome", effort="quick", only=["naive_bayes", "logistic_regression"])
    return run(plan, folder / "study", workers=1), path


def test_a_learner_is_chosen_and_finds_bad_loans(study):
    result, path = study
    assert result.choice.label not in result.baselines
    assert result.comparison[result.choice.label].score("roc_auc") > 0.8
    X, y = ob.read(path).split("outcome")
    found = ob.open_model(result.model_file).predict(X)[np.asarray(y) == "bad"] == "bad"
    assert found.mean() > 0.6  # at a threshold of 0.5 it is next to none


def test_the_threshold_is_tuned_in_every_fold_and_shown(study):
    result, _ = study
    assert result.looks.threshold.score("balanced_accuracy") > 0.7
    assert result.comparison[result.choice.label].score("balanced_accuracy") < 0.6
    at = ob.open_model(result.model_file).best_threshold_
    assert at < 0.2
    said = f"the model predicts bad where its probability is at least {at:.3g}"
    assert said in words.threshold(result)
    assert said in result.report.read_text(encoding="utf-8")


def test_errors_mistakes_and_segments_are_of_the_decisions_in_use(study):
    result, _ = study
    tuned = result.looks.threshold
    assert result.decided(result.choice.label) is tuned
    wrong = int((tuned.one_round.truth != tuned.one_round.predicted).sum())
    at_half = result.comparison[result.choice.label].one_round
    assert wrong != int((at_half.truth != at_half.predicted).sum())
    assert result.looks.mistakes.n_wrong == wrong
    assert "Decisions are at the tuned threshold." in result.report.read_text(encoding="utf-8")


def test_a_thorough_study_tunes_parameters_and_then_the_threshold(study, tmp_path):
    _, path = study
    plan = make_plan(path, "outcome", effort="thorough", only=["naive_bayes"], cv=2, repeats=1)
    result = run(plan, tmp_path, workers=1)
    model = ob.open_model(result.model_file)
    assert model.best_threshold_ < 0.3
    assert result.looks.threshold.score("balanced_accuracy") > 0.7
    assert f"at least {model.best_threshold_:.3g}" in words.threshold(result)


def test_balanced_classes_and_what_they_do_to_probabilities_are_told(study, tmp_path):
    result, path = study
    assert words.balanced(result) == ""
    options = {"effort": "quick", "only": ["logistic_regression"], "prepare": ["balance under"]}
    balanced = run(make_plan(path, "outcome", **options), tmp_path, workers=1)
    judged = balanced.comparison["logistic regression"]
    mean = np.asarray(judged.one_round.proba)[:, [*judged.classes].index("bad")].mean()
    assert mean > 0.15
    said = f"the mean predicted probability of bad is {mean:.3f}, and its true share is 0.0"
    assert said in words.balanced(balanced)
    assert said in balanced.report.read_text(encoding="utf-8")


def test_nothing_learnt_is_not_said(study):
    result, _ = study
    assert result.looks.diagnosis.verdict != "nothing learnt"


def test_predict_says_which_threshold_is_in_use(study):
    result, path = study
    done = CliRunner().invoke(app, ["predict", str(result.model_file), str(path)])
    assert done.exit_code == 0
    assert "Threshold: bad is predicted where its probability is at least 0." in done.stderr
    assert "Threshold" not in done.stdout
