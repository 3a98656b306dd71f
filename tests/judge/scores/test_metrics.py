"""Metrics against the golden records, hand calculation and scikit-learn's."""

import math

import numpy as np
import pytest
from sklearn import metrics as theirs

from openbook.errors import ParameterError
from openbook.judge import METRICS, Predictions, confusion
from openbook.judge.scores.metrics import metric


def two_classes(tp, fn, fp, tn):
    """Class 1 is positive."""
    truth = np.repeat([1, 1, 0, 0], [tp, fn, fp, tn])
    predicted = np.repeat([1, 0, 1, 0], [tp, fn, fp, tn])
    return Predictions(truth, predicted, None, 2)


def random_predictions(n_classes, n=300, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(n_classes), n).round(2)  # rounding makes ties
    proba /= proba.sum(axis=1, keepdims=True)
    return Predictions(rng.integers(0, n_classes, n), proba.argmax(axis=1), proba, n_classes)


def test_golden_rates(golden):
    record = golden("confusion_roc.own_rates")
    predictions = two_classes(**record["data"])
    expected = record["expected"]
    assert confusion(predictions).tolist() == [[120, 20], [15, 45]]
    assert METRICS["accuracy"](predictions) == pytest.approx(expected["accuracy"])
    assert METRICS["error"](predictions) == pytest.approx(expected["error"])
    assert METRICS["kappa"](predictions) == pytest.approx(expected["kappa"])
    assert METRICS["balanced_accuracy"](predictions) == pytest.approx((expected["tpr"] + expected["tnr"]) / 2)
    other_f1 = 2 * 120 / (2 * 120 + 20 + 15)
    assert METRICS["macro_f1"](predictions) == pytest.approx((expected["f1"] + other_f1) / 2)


def test_golden_area(golden):
    record = golden("confusion_roc.roc_sorted_table")
    rows = record["data"]["rows"]
    truth = np.array([row["label"] == "Yes" for row in rows]).astype(int)
    scores = np.array([row["score"] for row in rows])
    predictions = Predictions(truth, truth, np.stack([1 - scores, scores], axis=1), 2)
    assert METRICS["roc_auc"](predictions) == pytest.approx(record["expected"]["auc"])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_equal_scikit_learns(n_classes):
    p = random_predictions(n_classes)
    labels = list(range(n_classes))
    multi = {"multi_class": "ovr"} if n_classes > 2 else {}
    pairs = {
        "accuracy": theirs.accuracy_score(p.truth, p.predicted),
        "balanced_accuracy": theirs.balanced_accuracy_score(p.truth, p.predicted),
        "macro_f1": theirs.f1_score(p.truth, p.predicted, average="macro"),
        "weighted_f1": theirs.f1_score(p.truth, p.predicted, average="weighted"),
        "kappa": theirs.cohen_kappa_score(p.truth, p.predicted),
        "mcc": theirs.matthews_corrcoef(p.truth, p.predicted),
        "log_loss": theirs.log_loss(p.truth, p.proba, labels=labels),
        "roc_auc": theirs.roc_auc_score(p.truth, p.proba if n_classes > 2 else p.proba[:, 1], **multi),
    }
    average = "macro" if n_classes > 2 else "binary"  # the second of two classes
    pairs |= {
        "precision": theirs.precision_score(p.truth, p.predicted, average=average),
        "recall": theirs.recall_score(p.truth, p.predicted, average=average),
        "f1": theirs.f1_score(p.truth, p.predicted, average=average),
        "average_precision": np.mean(
            [
                theirs.average_precision_score(p.truth == c, p.proba[:, c])
                for c in labels
                if c or n_classes > 2
            ]
        ),
        "specificity": np.mean(
            [theirs.recall_score(p.truth != c, p.predicted != c) for c in labels if c or n_classes > 2]
        ),
    }
    for name, value in pairs.items():
        assert METRICS[name](p) == pytest.approx(value, rel=1e-12), name


def test_brier_by_hand():
    p = Predictions(np.array([0, 1]), np.array([0, 0]), np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]]), 3)
    by_hand = ((0.3**2 + 0.2**2 + 0.1**2) + (0.5**2 + 0.7**2 + 0.2**2)) / 2 / 2
    assert METRICS["brier"](p) == pytest.approx(by_hand)
    two = random_predictions(2)
    assert METRICS["brier"](two) == pytest.approx(theirs.brier_score_loss(two.truth, two.proba[:, 1]))


def test_regression_equals_scikit_learns():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=50)
    p = Predictions(truth, truth + rng.normal(size=50), None, 0)
    assert METRICS["mse"](p) == pytest.approx(theirs.mean_squared_error(p.truth, p.predicted))
    assert METRICS["rmse"](p) == pytest.approx(theirs.root_mean_squared_error(p.truth, p.predicted))
    assert METRICS["mae"](p) == pytest.approx(theirs.mean_absolute_error(p.truth, p.predicted))
    assert METRICS["r2"](p) == pytest.approx(theirs.r2_score(p.truth, p.predicted))
    assert METRICS["correlation"](p) == pytest.approx(np.corrcoef(p.truth, p.predicted)[0, 1])


def test_undefined_is_nan_and_never_zero():
    absent = Predictions(np.array([0, 1]), np.array([0, 1]), np.array([[1.0, 0, 0], [0, 1, 0]]), 3)
    for name in ("balanced_accuracy", "precision", "recall", "macro_f1", "roc_auc", "average_precision"):
        assert math.isnan(METRICS[name](absent)), name
    one_class = Predictions(np.array([0, 0]), np.array([0, 0]), None, 2)
    assert math.isnan(METRICS["kappa"](one_class))
    assert math.isnan(METRICS["mcc"](one_class))
    assert math.isnan(METRICS["precision"](one_class))  # class 1 is never predicted: 0/0, not 0
    assert math.isnan(METRICS["correlation"](Predictions(np.array([1.0, 2]), np.array([1.0, 1]), None, 0)))
    assert math.isnan(METRICS["log_loss"](one_class))  # no probabilities
    assert math.isnan(METRICS["r2"](Predictions(np.array([1.0, 1]), np.array([1.0, 2]), None, 0)))
    assert math.isnan(METRICS["accuracy"](Predictions(np.array([], int), np.array([], int), None, 2)))
    assert math.isnan(METRICS["mse"](Predictions(np.array([1.0]), np.array([math.nan]), None, 0)))


def test_a_class_never_predicted_has_f1_zero_because_it_is_defined():
    assert METRICS["macro_f1"](two_classes(tp=0, fn=5, fp=0, tn=5)) == pytest.approx(
        (0 + 2 * 5 / (2 * 5 + 5)) / 2
    )


def test_certain_and_wrong_is_costly_but_finite():
    p = Predictions(np.array([1]), np.array([0]), np.array([[1.0, 0.0]]), 2)
    assert METRICS["log_loss"](p) == pytest.approx(52 * math.log(2))


def test_better_knows_the_direction():
    assert METRICS["accuracy"].better(0.9, 0.8)
    assert METRICS["rmse"].better(0.8, 0.9)


def test_unknown_and_unfit_metrics_are_named():
    with pytest.raises(ParameterError, match=r"no metric 'acuracy'. Did you mean 'accuracy'\?"):
        metric("acuracy", "classification")
    with pytest.raises(
        ParameterError, match=r"accuracy judges classification, and this is regression. There are: mse,"
    ):
        metric("accuracy", "regression")
