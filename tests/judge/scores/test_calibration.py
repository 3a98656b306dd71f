"""Reliability curves: bins, losses beside scikit-learn's, and parts that add up to the Brier score."""

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from sklearn import metrics as theirs
from sklearn.calibration import calibration_curve

from openbook.errors import DataError, ParameterError
from openbook.judge import METRICS, Calibration, Predictions, wilson


def said(n=500, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.random(n).round(2)
    return rng.random(n) < proba**2, proba


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_bins_are_scikit_learns(strategy):
    truth, proba = said()
    calibration = Calibration(truth, proba, n_bins=7, strategy=strategy)
    observed, predicted = calibration_curve(truth, proba, n_bins=7, strategy=strategy)
    assert [b.observed for b in calibration.bins] == pytest.approx(observed)
    assert [b.predicted for b in calibration.bins] == pytest.approx(predicted)
    assert sum(b.n for b in calibration.bins) == len(truth)
    for b in calibration.bins:
        assert b.interval == wilson(round(b.observed * b.n), b.n)
        assert b.low <= b.predicted <= b.high


def test_losses_are_scikit_learns_and_the_metrics():
    truth, proba = said()
    proba = np.clip(proba, 0.01, 0.99)
    calibration = Calibration(truth, proba)
    assert calibration.brier == pytest.approx(theirs.brier_score_loss(truth, proba), rel=1e-12)
    assert calibration.log_loss == pytest.approx(theirs.log_loss(truth, proba), rel=1e-12)
    both = Predictions(truth.astype(int), truth.astype(int), np.column_stack([1 - proba, proba]), 2)
    assert calibration.brier == pytest.approx(METRICS["brier"](both))
    assert calibration.log_loss == pytest.approx(METRICS["log_loss"](both))


def test_certain_and_wrong_is_costly_but_finite():
    assert Calibration([1, 0], [0.0, 0.5]).losses["log_loss"][0] == pytest.approx(52 * math.log(2))


@pytest.mark.parametrize("n_bins", [1, 3, 10, 100])
def test_parts_add_up(n_bins):
    calibration = Calibration(*said(), n_bins=n_bins)
    parts = calibration.parts
    total = parts["reliability"] - parts["resolution"] + parts["uncertainty"] + parts["within"]
    assert total == pytest.approx(calibration.brier, rel=1e-12)
    if n_bins == 1:
        assert parts["resolution"] == 0


def test_parts_by_hand():
    """Two kinds of forecast, 0.2 and 0.8, four rows each, of which one and two come true; nothing within."""
    calibration = Calibration([1, 0, 0, 0, 1, 1, 0, 0], [0.2] * 4 + [0.8] * 4)
    assert calibration.parts == pytest.approx(
        {
            "reliability": 0.5 * 0.05**2 + 0.5 * 0.3**2,
            "resolution": 0.5 * (0.25 - 0.375) ** 2 + 0.5 * (0.5 - 0.375) ** 2,
            "uncertainty": 0.375 * 0.625,
            "within": 0,
        },
        abs=1e-15,
    )
    assert calibration.ece == pytest.approx(0.5 * 0.05 + 0.5 * 0.3)
    work = calibration.work()
    assert work["Brier again"].result == pytest.approx(work["Brier"].result)


def test_intervals_of_losses():
    calibration = Calibration(*said())
    losses = calibration.losses["brier"]
    half = 1.9647 * losses.std(ddof=1) / math.sqrt(500)  # the t quantile of 499 degrees of freedom
    assert calibration.interval().low == pytest.approx(losses.mean() - half, rel=1e-4)
    assert calibration.interval("log_loss").method == "t over rows"
    perfect = Calibration([1, 0, 1], [1.0, 0.0, 1.0])
    assert math.isnan(perfect.interval().low)  # three rows do not make it certain
    with pytest.raises(ParameterError, match=r"no loss 'briar'. Did you mean 'brier'\?"):
        calibration.interval("briar")


def test_what_is_refused():
    with pytest.raises(DataError, match=r"row 1 has 1.5, which is not a probability"):
        Calibration([1, 0], [0.5, 1.5])
    with pytest.raises(ParameterError, match="n_bins must be at least 1, got 0"):
        Calibration([1, 0], [0.5, 0.5], n_bins=0)
    with pytest.raises(ParameterError, match=r"no strategy 'quantiles'. Did you mean 'quantile'\?"):
        Calibration([1, 0], [0.5, 0.5], strategy="quantiles")


def test_of_each_class(judged):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 60)
    evaluation = judged(rng.integers(0, 3, 60), proba.argmax(axis=1), proba, classes=("a", "b", "c"))
    each = Calibration.each(evaluation, n_bins=4)
    assert sum(c.brier for c in each.values()) / 2 == pytest.approx(evaluation.pooled("brier"))
    assert each["b"].n_bins == 4


def test_the_picture_has_a_dot_and_a_whisker_for_each_bin():
    calibration = Calibration(*said(), n_bins=5)
    picture = calibration.draw()
    svg = ET.fromstring(picture.svg())
    ns = "{http://www.w3.org/2000/svg}"
    assert len([e for e in svg.iter(ns + "circle") if e.get("class") == "dot c0"]) == 5
    assert len([e for e in svg.iter(ns + "polyline") if e.get("class") == "line c0"]) == 5
    assert len([e for e in svg.iter(ns + "rect") if e.get("class") == "c8 band"]) == 5
    assert "500 rows in 5 bins" in picture.notes[0]


def test_all_probabilities_alike():
    calibration = Calibration([1, 0, 0, 1], [0.5] * 4, strategy="quantile")
    assert [(b.n, b.observed) for b in calibration.bins] == [(4, 0.5)]
    assert calibration.draw().title == "Calibration of True"


def test_no_loss_has_an_interval_below_zero():
    """One bold mistake among sure hits: the t interval of the log loss would begin below 0."""
    fit = Calibration([1, 1, 1, 0], [0.99, 0.99, 0.99, 0.9])
    assert fit.losses["log_loss"].mean() == pytest.approx((3 * -np.log(0.99) - np.log(0.1)) / 4)
    assert fit.interval("log_loss").low == 0
    assert fit.interval("brier").low == 0
