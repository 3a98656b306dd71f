"""Precision-recall curves beside scikit-learn's, and an interval that covers."""

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from sklearn import metrics as theirs

from openbook.errors import ParameterError
from openbook.judge import PrecisionRecall
from openbook.judge.scores.precision_recall import average_precision


def tied_scores(n=400, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    return truth, (rng.normal(size=n) + truth).round(1)


def test_points_and_average_are_scikit_learns():
    truth, scores = tied_scores()
    curve = PrecisionRecall(truth, scores)
    assert curve.average_precision == pytest.approx(theirs.average_precision_score(truth, scores), rel=1e-12)
    precision, recall, thresholds = theirs.precision_recall_curve(truth, scores)
    np.testing.assert_allclose(curve.points[::-1], np.column_stack([recall, precision])[:-1], rtol=1e-12)
    np.testing.assert_array_equal(curve.thresholds[1:][::-1], thresholds)


def test_by_hand():
    """Positive rows rank first, third and fourth of five: precisions 1, 2/3 and 3/4."""
    found = average_precision([1, 0, 1, 1, 0], [5, 4, 3, 2, 1])
    assert found == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)
    curve = PrecisionRecall([1, 0, 1, 1, 0], [5, 4, 3, 2, 1])
    assert curve.work()["average precision"].result == pytest.approx(found)
    assert curve.interval().method == "Wilson over the positive rows"
    assert curve.prevalence == 0.6


def test_without_positive_rows_it_is_nan():
    assert math.isnan(average_precision([0, 0], [1, 2]))


def test_the_best_f():
    truth, scores = tied_scores()
    curve = PrecisionRecall(truth, scores)
    for beta in (0.5, 1, 2):
        best = curve.best(beta)
        every = [theirs.fbeta_score(truth, scores >= t, beta=beta) for t in curve.thresholds[1:]]
        assert best.f == pytest.approx(max(every), rel=1e-12)
        assert curve.confusion(best.threshold).f_beta(beta).value == pytest.approx(best.f, rel=1e-12)
    assert curve.best(2).recall >= curve.best(0.5).recall
    with pytest.raises(ParameterError, match="beta must be above 0"):
        curve.best(0)


def test_the_interval_covers():
    """Normal scores one standard deviation apart, 30 rows of each kind; the truth from a million rows."""
    rng = np.random.default_rng(0)
    many = np.repeat([True, False], 500_000)
    truth = average_precision(many, rng.normal(size=1_000_000) + many)
    rows = np.repeat([True, False], 30)
    covered = np.mean(
        [truth in PrecisionRecall(rows, rng.normal(size=60) + rows).interval() for _ in range(300)]
    )
    assert covered >= 0.95


def test_the_picture_is_of_steps():
    curve = PrecisionRecall([1, 0, 1, 0], [4, 3, 2, 1])
    lines = list(ET.fromstring(curve.draw().svg()).iter("{http://www.w3.org/2000/svg}polyline"))
    assert [line.get("class") for line in lines] == ["line c0 dashed", "line c0"]
    heights = [point.split(",")[1] for point in lines[1].get("points").split()]
    assert len(heights) == 4
    assert heights[0] == heights[1] != heights[2] == heights[3]  # precision 1, then 2/3
    assert curve.draw().notes[0].startswith("AP 0.833 [")
