"""What follows from folds: scores, the interval that suits the split, and the page."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from openbook.baseline import ZeroR
from openbook.errors import DataError, ParameterError
from openbook.judge import METRICS, Evaluation, FoldResult, Metric, corrected_t, evaluate, wilson


def fold(index, rows, y_true, y_pred, n_train=20, **other):
    figures = {"proba": None, "fit_seconds": 0.0, "predict_seconds": 0.0, "complexity": None, "warnings": ()}
    return FoldResult(
        index, np.array(rows), np.array(y_true), np.array(y_pred), n_train=n_train, **{**figures, **other}
    )


def four_folds():
    """Accuracies 1, 1/2, 1/2, 0."""
    truth = [0, 1]
    guesses = [[0, 1], [0, 0], [1, 1], [1, 0]]
    return [
        fold(i, [2 * i, 2 * i + 1], truth, guess, n_train=6, complexity=i) for i, guess in enumerate(guesses)
    ]


def test_scores_mean_and_pooled_by_hand():
    evaluation = Evaluation("guess", "classification", ["a", "b"], four_folds())
    assert evaluation.scores("accuracy").tolist() == [1, 0.5, 0.5, 0]
    assert evaluation.mean("accuracy") == evaluation.pooled("error") == 0.5
    assert evaluation.complexity == 1.5
    assert evaluation.interval("accuracy") == corrected_t([1, 0.5, 0.5, 0], 6, 2).within(0, 1)


def test_means_and_pools_differ_where_the_score_is_no_mean():
    folds = [fold(0, [0, 1], [0.0, 0.0], [3.0, 3.0]), fold(1, [2, 3], [0.0, 0.0], [4.0, 4.0])]
    evaluation = Evaluation("guess", "regression", None, folds)
    assert evaluation.mean("rmse") == pytest.approx(3.5)
    assert evaluation.pooled("rmse") == pytest.approx(np.sqrt(12.5))
    assert evaluation.score("rmse") == evaluation.mean("rmse")


def test_leave_one_out_takes_all_rows_together():
    X, y = load_iris(return_X_y=True)
    evaluation = evaluate(GaussianNB(), X, y, split=LeaveOneOut())
    right = sum(int(f.y_true[0] == f.y_pred[0]) for f in evaluation.folds)
    assert evaluation.by_rows
    assert evaluation.interval("accuracy") == wilson(right, 150)
    assert evaluation.interval("error") == wilson(150 - right, 150)
    assert evaluation.score("macro_f1") == evaluation.pooled("macro_f1")
    assert evaluation.interval("macro_f1").method == "bootstrap, 1000 resamples"
    assert evaluation.score("macro_f1") in evaluation.interval("macro_f1")


def test_single_rows_that_come_again_are_not_leave_one_out():
    folds = [fold(i, [row], [0], [0]) for i, row in enumerate([3, 5, 3])]
    assert not Evaluation("guess", "classification", ["a", "b"], folds).by_rows
    assert Evaluation("guess", "classification", ["a", "b"], folds[:2]).by_rows


def test_one_held_out_set_has_wilsons_interval():
    evaluation = Evaluation(
        "guess", "classification", ["a", "b"], [fold(0, range(10), [0] * 10, [0] * 7 + [1] * 3)]
    )
    assert evaluation.interval() == wilson(7, 10)
    assert "one held-out set; 10 rows tested; scores are of all rows together." in str(evaluation)


def test_folds_without_spread_leave_it_to_the_rows():
    X, y = load_iris(return_X_y=True)
    evaluation = evaluate(ZeroR(), X, y, split=StratifiedKFold(5))
    assert np.ptp(evaluation.scores()) == 0
    assert evaluation.interval() == wilson(50, 150)
    assert evaluation.interval("log_loss").method == "bootstrap, 1000 resamples"


def test_an_interval_does_not_leave_the_possible():
    evaluation = Evaluation("guess", "classification", ["a", "b"], four_folds())
    assert (evaluation.interval().low, evaluation.interval().high) == (0, 1)


def test_an_undefined_fold_is_not_passed_over():
    folds = [fold(0, [0, 1], [0, 1], [0, 1]), fold(1, [2, 3], [0, 0], [0, 0])]
    evaluation = Evaluation("guess", "classification", ["a", "b"], folds, ("macro_f1",))
    assert np.isnan(evaluation.mean())
    assert np.isnan(evaluation.interval().low)
    assert "undefined" in str(evaluation)
    assert "in 1 of 2 folds" in str(evaluation)


def test_own_metrics():
    cost = Metric("cost", "classification", False, False, lambda p: float((p.predicted > p.truth).sum()))
    evaluation = Evaluation("guess", "classification", ["a", "b"], four_folds(), (cost, "accuracy"))
    assert evaluation.metric() is cost
    assert evaluation.scores().tolist() == [0, 0, 1, 1]


def test_it_reads_well():
    X, y = load_iris(return_X_y=True)
    evaluation = evaluate(GaussianNB(), X, y, metrics=["accuracy", "log_loss"], name="Gaussian naive Bayes")
    text = str(evaluation)
    assert text.startswith("Evaluation of Gaussian naive Bayes")
    assert evaluation.interval().ends in text
    assert "95%, corrected resampled t" in text
    words = "stratified 10-fold cross-validation, repeated 5 times; 150 rows tested; scores are means over 50"
    assert words in text
    page = evaluation._repr_html_()
    assert "<table>" in page
    assert evaluation.interval().ends in page


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([], "an evaluation needs at least one fold"),
        ([fold(0, [0], [2], [0])], "fold 0: not the codes of 2 classes"),
        ([fold(0, [0], [0], [-1])], "fold 0: not the codes of 2 classes"),
        ([fold(0, [0], [0.5], [1])], "fold 0: not the codes of 2 classes"),
        ([fold(0, [0], [0], [1], proba=np.ones((1, 3)))], "fold 0: probabilities of 3 classes, not 2"),
    ],
)
def test_folds_that_do_not_fit_are_refused(folds, message):
    with pytest.raises(DataError, match=message):
        Evaluation("guess", "classification", ["a", "b"], folds)


def test_a_metric_must_fit_the_task():
    evaluation = Evaluation("guess", "classification", ["a", "b"], four_folds())
    with pytest.raises(ParameterError, match="rmse judges regression"):
        evaluation.mean("rmse")
    with pytest.raises(ParameterError, match="rmse judges regression"):
        evaluation.mean(METRICS["rmse"])
