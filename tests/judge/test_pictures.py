"""Every result of judging that has a picture draws it."""

import xml.etree.ElementTree as ET

import pytest

import openbook as ob
from openbook.baseline import OneR
from openbook.draw.charts import score_chart
from openbook.judge import (
    Regression,
    Roc,
    bias_variance,
    draw_cost_curves,
    draw_rocs,
    permutation_importance,
    worst_segments,
)
from openbook.linear import LinearRegression

X, Y = ob.load("iris").split("species")


def results():
    comparison = ob.compare([OneR()], X, Y, cv=3)
    numbers = ob.evaluate(LinearRegression(), X.drop("petal width (cm)"), X["petal width (cm)"], cv=3)
    yield comparison
    yield comparison["OneR"]
    yield numbers
    yield Regression([1, 3, 2, 6], [1, 2, 2, 5])
    yield permutation_importance(OneR().fit(X, Y), X, Y)
    yield bias_variance(OneR(), X, Y, repeats=3)
    yield worst_segments(comparison["OneR"], X)


@pytest.mark.parametrize("result", list(results()), ids=lambda result: type(result).__name__)
def test_it_draws_itself(result):
    picture = result.draw()
    assert ET.fromstring(picture.svg()).tag.endswith("svg")
    assert picture.title
    assert picture.told


def test_scores_stand_between_the_ends_of_their_intervals():
    picture = score_chart(
        "Scores", "accuracy", [("tree", 0.9, 0.8, 1.0), ("0R", 0.5, float("nan"), float("nan"))], 0.5
    )
    assert picture.told == "tree: 0.9 [0.8, 1]; 0R: 0.5"
    assert picture.body.count("<circle") == 2
    assert picture.body.count("<polyline") == 3  # two intervals and the reference


def test_a_far_baseline_does_not_squeeze_the_leading_learners():
    leaders = [(f"learner {i}", 0.98 - i / 100, 0.95 - i / 100, 1 - i / 100) for i in range(4)]
    rows, looks = [*leaders, ("0R", 0.4, 0.36, 0.44)], {"0R": "c8"}
    picture = score_chart("Scores", "accuracy", rows, 0.4, looks=looks, focus=True)
    assert picture.body.count('<path class="dot c8"') == 1  # at the edge
    assert "dashed" not in picture.body
    assert "0R: 0.4 [0.36, 0.44]" in picture.told
    whole = score_chart("Scores", "accuracy", rows, 0.4)
    assert whole.body.count("<circle") == 5
    assert "dashed" in whole.body


def test_scores_that_are_all_the_same_are_drawn():
    assert (
        score_chart("Drops", "drop", [("a", 0.0, 0.0, 0.0), ("b", 0.0, 0.0, 0.0)], 0.0).body.count("<circle")
        == 2
    )


def test_what_is_undefined_is_left_out():
    rows = [("a", 1.0, 0.0, 2.0), ("b", float("nan"), 0.0, 1.0)]
    assert score_chart("Scores", "score", rows).told == "a: 1 [0, 2]"


def test_cost_curves_by_hand():
    """Scores 0.9+ 0.6- 0.4+ 0.1-: the points (0, 0), (0, 1/2), (1/2, 1/2), (1/2, 1), (1, 1).

    At equal weights (0, 1/2) costs 1/2 of 1/2, so does (1/2, 1), and always one class costs 1/2.
    """
    roc = Roc([True, True, False, False], [0.9, 0.4, 0.6, 0.1])
    picture = draw_cost_curves({"model": roc, "perfect": Roc([True, False], [0.9, 0.1])})
    assert picture.told == (
        "model: 0.250 where both classes weigh the same; perfect: 0.000 where both classes weigh the same."
    )
    assert picture.body.count("<polyline") == 3
    both = draw_rocs({"model": roc, "same": roc})
    assert "model: AUC 0.750" in both.body
