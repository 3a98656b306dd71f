"""ROC curves: areas with ties, DeLong's variance by its definition, coverage, costs, one against the rest."""

import math
import xml.etree.ElementTree as ET
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs

from openbook import Roc
from openbook.errors import DataError, ParameterError
from openbook.judge import auc
from openbook.judge.scores.roc import newcombe_auc


def tied_scores(n=400, seed=0, decimals=1):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    return truth, (rng.normal(size=n) + truth).round(decimals)


def share_of_pairs(truth, scores):
    """The definition: pairs of a positive and a negative row, ties counting half."""
    pairs = list(product(scores[truth], scores[~truth]))
    return sum((p > n) + 0.5 * (p == n) for p, n in pairs) / len(pairs)


# --- the area


@given(
    st.lists(
        st.tuples(st.booleans(), st.one_of(st.integers(-3, 3), st.floats(allow_nan=False))), min_size=2
    ).filter(lambda rows: len({truth for truth, _ in rows}) == 2)
)
def test_area_is_the_share_of_pairs(rows):
    truth, scores = (np.array(column) for column in zip(*rows, strict=True))
    assert auc(truth, scores.astype(float)) == pytest.approx(
        share_of_pairs(truth, scores.astype(float)), rel=1e-12
    )


@pytest.mark.parametrize("decimals", [0, 1, 12])
def test_area_and_points_are_scikit_learns(decimals):
    truth, scores = tied_scores(decimals=decimals)
    roc = Roc(truth, scores)
    assert roc.auc == pytest.approx(theirs.roc_auc_score(truth, scores), rel=1e-12)
    fpr, tpr, thresholds = theirs.roc_curve(truth, scores, drop_intermediate=False)
    np.testing.assert_allclose(roc.points, np.column_stack([fpr, tpr]), rtol=1e-12)
    np.testing.assert_array_equal(roc.thresholds, thresholds)
    assert roc.auc == pytest.approx(np.trapezoid(roc.points[:, 1], roc.points[:, 0]), rel=1e-12)


def test_area_of_one_kind_alone_is_nan():
    assert math.isnan(auc([True, True], [0.1, 0.2]))
    assert math.isnan(auc([False], [0.1]))


def test_infinite_scores_have_their_place():
    assert auc([True, False, True], [math.inf, 0.0, -math.inf]) == 0.5


# --- DeLong


def test_delongs_variance_by_its_definition():
    truth, scores = tied_scores(60, seed=2)
    positive, negative = scores[truth], scores[~truth]
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    roc = Roc(truth, scores)
    assert roc.variances == pytest.approx((wins.mean(axis=1).var(ddof=1), wins.mean(axis=0).var(ddof=1)))
    error = math.sqrt(roc.variances[0] / len(positive) + roc.variances[1] / len(negative))
    interval = roc.interval(0.9)
    logit = math.log(roc.auc / (1 - roc.auc))
    half = 1.6448536269514722 * error / (roc.auc * (1 - roc.auc))
    assert interval.low == pytest.approx(1 / (1 + math.exp(half - logit)), rel=1e-9)
    assert interval.high == pytest.approx(1 / (1 + math.exp(-half - logit)), rel=1e-9)
    assert str(interval).endswith("(90%, DeLong on logit)")


def test_the_interval_covers_where_the_plain_one_does_not():
    """Normal scores two standard deviations apart: an area of Φ(√2) = 0.921, 20 rows of each kind."""
    truth, area = np.repeat([True, False], 20), 0.9213503964748574
    rng = np.random.default_rng(0)
    ours, plain = 0, 0
    for _ in range(500):
        roc = Roc(truth, rng.normal(size=40) + 2 * truth)
        ours += area in roc.interval()
        ours_error = math.sqrt(sum(roc.variances) / 20)
        plain += abs(roc.auc - area) <= 1.959964 * ours_error
    assert ours / 500 >= 0.925
    assert plain / 500 < 0.91


@pytest.mark.parametrize("scores", [[4, 3, 2, 1], [1, 1, 1, 1], [1, 2, 3, 4]])
def test_rows_that_show_no_spread_give_no_certainty(scores):
    roc = Roc([1, 1, 0, 0], scores)
    interval = roc.interval()
    assert interval.method == "Newcombe's score"
    assert roc.auc in interval
    assert interval.high - interval.low > 0.3


def test_a_single_row_of_a_kind():
    roc = Roc([1, 0, 0, 0], [0.5, 0.1, 0.2, 0.9])
    assert math.isnan(roc.variances[0])
    assert roc.interval().method == "Newcombe's score"


def test_newcombes_ends_solve_his_equation():
    interval = newcombe_auc(0.8, 20, 30)
    for theta in (interval.low, interval.high):
        more = 24
        variance = theta * (1 - theta) / 600 * (1 + more * ((1 - theta) / (2 - theta) + theta / (1 + theta)))
        assert abs(theta - 0.8) == pytest.approx(1.959963984540054 * math.sqrt(variance), rel=1e-9)
    assert newcombe_auc(1.0, 10, 10).high == 1
    assert newcombe_auc(0.0, 10, 10).low == 0


# --- the point for a cost


def test_the_point_of_least_cost():
    truth, scores = tied_scores(100, seed=1)
    roc = Roc(truth, scores)
    point = roc.point_for(cost_ratio=5)
    table = roc.confusion(point.threshold)
    assert (point.fpr, point.tpr) == (table.fpr, table.tpr)
    costs = [5 * t.fn + t.fp for t in (roc.confusion(threshold) for threshold in roc.thresholds)]
    assert 5 * table.fn + table.fp == min(costs)
    assert point.cost == pytest.approx(min(costs) / 100)


def test_the_point_follows_prior_and_cost():
    roc = Roc(*tied_scores(300))
    by_prior = [roc.point_for(1, prior=prior).threshold for prior in (0.05, 0.5, 0.95)]
    assert by_prior == sorted(by_prior, reverse=True)
    a, b = roc.point_for(4, prior=0.2), roc.point_for(1, prior=0.5)
    assert (a.threshold, a.fpr, a.tpr) == (b.threshold, b.fpr, b.tpr)  # the same slope, so the same place
    assert a.slope == pytest.approx(b.slope) == 1
    assert roc.point_for(1e-6).fpr == 0
    assert Roc([0, 1], [2, 1]).point_for(1e-6).threshold == math.inf  # call nothing positive
    assert roc.point_for(1e6).tpr == 1


# --- from evaluations, and what is refused


def test_several_classes_stand_against_the_rest(judged):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 90)
    truth = rng.integers(0, 3, 90)
    evaluation = judged(truth, proba.argmax(axis=1), proba, classes=("a", "b", "c"))
    each = Roc.each(evaluation)
    assert [*each] == ["a", "b", "c"]
    for i, label in enumerate("abc"):
        assert each[label].auc == pytest.approx(theirs.roc_auc_score(truth == i, proba[:, i]))
        assert Roc.from_evaluation(evaluation, label).positive == label
    assert np.mean([roc.auc for roc in each.values()]) == pytest.approx(evaluation.pooled("roc_auc"))
    with pytest.raises(ParameterError, match=r"there are 3 classes; name one, label='a', or take each"):
        Roc.from_evaluation(evaluation)
    with pytest.raises(ParameterError, match=r"no class 'd'. There are: a, b, c."):
        Roc.from_evaluation(evaluation, "d")


def test_the_second_of_two_classes_is_meant(judged):
    truth, scores = tied_scores(80)
    proba = np.column_stack([1 - scores, scores])
    assert Roc.from_evaluation(judged(truth.astype(int), truth.astype(int), proba)).positive == "yes"
    with pytest.raises(ParameterError, match="model gives no probabilities"):
        Roc.from_evaluation(judged(truth.astype(int), truth.astype(int)))
    with pytest.raises(ParameterError, match="model predicts numbers, not classes"):
        Roc.each(judged(scores, scores, classes=None))


@pytest.mark.parametrize(
    ("truth", "scores", "positive", "words"),
    [
        (["a", "b"], [0.1], "a", r"must have one value per row, got \(2,\) and \(1,\)"),
        ([], [], True, "there are no rows"),
        (["a", "b"], [0.1, math.nan], "a", "the score of row 1 is NaN; leave such rows out"),
        (
            ["a", "b"],
            [0.1, 0.2],
            "c",
            r"no row is 'c'; positive= names the class to look for. There are: a, b.",
        ),
        (["a", "a"], [0.1, 0.2], "a", "every row is a, so there is nothing to rank"),
        (["a", None], [0.1, 0.2], "a", "'truth' is missing in 1 row"),
    ],
)
def test_what_cannot_be_judged_is_refused(truth, scores, positive, words):
    with pytest.raises(DataError, match=words):
        Roc(truth, scores, positive)


def test_labels_are_found_however_they_are_written():
    assert Roc([1, 0, 1], [3, 1, 2], positive="1").auc == 1
    assert Roc(np.array(["1", "0"], dtype=object), [3, 1], positive=1).auc == 1


@pytest.mark.parametrize(
    ("ratio", "prior", "words"), [(0, None, "cost_ratio must be"), (1, 1.5, "prior must lie")]
)
def test_costs_must_make_sense(ratio, prior, words):
    with pytest.raises(ParameterError, match=words):
        Roc([1, 0], [0.5, 0.2]).point_for(ratio, prior)


# --- shown


def test_the_derivation_counts_pairs():
    roc = Roc(["ill", "well", "ill", "well", "ill"], [0.9, 0.4, 0.4, 0.1, 0.7], positive="ill")
    work = roc.work()
    assert work["pairs"].result == 6
    assert work["won"].result == pytest.approx(5.5)
    assert work["AUC"].result == pytest.approx(11 / 12)
    assert repr(roc).startswith("ROC, ill is positive")
    assert "<" in roc._repr_html_()


def test_the_picture_has_a_line_for_each_curve():
    roc = Roc(*tied_scores(20_000, decimals=12))
    other = Roc(*tied_scores(seed=4))
    svg = ET.fromstring(roc.draw({"other": other}).svg())
    lines = list(svg.iter("{http://www.w3.org/2000/svg}polyline"))
    assert [line.get("class") for line in lines] == ["line c8 dashed", "line c0", "line c1"]
    places = [len(line.get("points").split()) for line in lines]
    assert places[0] == 2
    assert 500 < places[1] < 3100  # of 20,001 points those that can be told apart
    assert places[2] <= len(other.points)
    alone = roc.draw()
    assert alone.title == "ROC of True"
    assert alone.notes[0].startswith(f"AUC {roc.auc:.3f} [")
