"""All pairs of learners: the tests of `difference`, adjusted together; the table; the picture."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from openbook.errors import DataError, ParameterError
from openbook.judge import Comparison, Evaluation, FoldResult, compare, difference, holm

RIGHT = {
    "good": [9, 8, 9, 9, 10, 9, 8, 9, 9, 9],
    "close": [9, 9, 8, 9, 9, 9, 8, 10, 9, 8],
    "poor": [5, 4, 6, 5, 5, 4, 5, 6, 5, 5],
}


def evaluation(name, right, *, start=0):
    folds = []
    for i, hits in enumerate(right):
        rows = np.arange(10 * i, 10 * i + 10) + start
        guess = np.where(np.arange(10) < hits, 0, 1)
        folds.append(FoldResult(i, rows, np.zeros(10, int), guess, None, 90, 0.0, 0.0, None, ()))
    return Evaluation(name, "classification", ["a", "b"], folds, (), "ten folds")


@pytest.fixture
def comparison():
    return Comparison({name: evaluation(name, right) for name, right in RIGHT.items()}, "poor")


def test_pairs_with_the_baseline_are_tested_together_and_the_others_by_holm(comparison):
    pairs = comparison.pairs()
    couples = [("good", "close"), ("good", "poor"), ("close", "poor")]
    assert list(pairs.tests) == couples
    rows = {row.label: row.test for row in comparison.rows()}
    for label in ("good", "close"):
        assert pairs[label, "poor"] == (rows[label], rows[label].p_value)
    alone = difference(comparison["good"], comparison["close"])
    assert pairs["good", "close"] == (alone, alone.p_value)  # the only other pair
    assert len(pairs) == 3
    assert pairs.differing() == [("good", "poor"), ("close", "poor")]


def test_the_other_pairs_are_adjusted_by_holm(comparison):
    again = Comparison({**comparison.evaluations, "again": evaluation("again", RIGHT["good"][::-1])}, "poor")
    pairs = again.pairs()
    others = [couple for couple in pairs.tests if "poor" not in couple]
    raw = [difference(again[a], again[b]).p_value for a, b in others]
    assert len(others) == 3
    assert [pairs[couple][1] for couple in others] == pytest.approx(holm(raw))
    assert "the 3 differences to poor together, the other 3 pairs by Holm" in " ".join(str(pairs).split())


def test_a_pair_turned_round(comparison):
    pairs = comparison.pairs()
    test, p = pairs["poor", "good"]
    assert test == pairs["good", "poor"][0].negated()
    assert p == pairs["good", "poor"][1]
    assert test.difference == pytest.approx(-0.39)
    assert test.work()["with the other sign"].result == test.difference


def test_the_better_comes_first_whichever_way_the_metric_goes(comparison):
    assert comparison.pairs("error").differing() == comparison.pairs().differing()
    assert comparison.pairs("error")["good", "poor"][0].difference == pytest.approx(-0.39)


def test_the_matrix_has_differences_above_and_p_values_below(comparison):
    pairs = comparison.pairs()
    (grid,) = pairs.work().parts
    assert [row[1:3] for row in grid.rows] == [("good", "0.890"), ("close", "0.880"), ("poor", "0.500")]
    p = pairs["good", "close"][1]
    assert [row[3:] for row in grid.rows] == [
        ("", "+0.010", "+0.390*"),
        (f"{p:.3f}", "", "+0.380*"),
        ("< 0.001", "< 0.001", ""),
    ]
    text = " ".join(str(pairs).split())
    assert "ten folds; tests: paired, Bonett–Price. Above" in text
    assert "p, adjusted: the 2 differences to poor together." in text
    assert "2 of 3 pairs differ significantly at 0.05." in text
    assert "* where p &lt; 0.05" in pairs._repr_html_()


def test_where_nothing_differs(comparison):
    two = Comparison({name: comparison[name] for name in ("good", "close")}, "good")
    assert two.pairs().work().conclusion == "The two do not differ significantly at 0.05."
    three = Comparison({**two.evaluations, "again": evaluation("again", RIGHT["close"])}, "good")
    assert three.pairs().work().conclusion == "None of the 3 pairs differs significantly at 0.05."
    alpha = comparison.pairs()["good", "close"][1] * 1.01
    assert comparison.pairs().work(alpha).conclusion.startswith("3 of 3 pairs differ")


def test_numbers_are_compared_too():
    X, y = load_diabetes(return_X_y=True)
    pairs = compare([LinearRegression()], X, y, cv=KFold(5)).pairs()
    assert pairs.differing() == [("LinearRegression", "mean")]
    assert "RMSE" in str(pairs)


def test_the_picture_has_a_square_for_each_pair(comparison):
    svg = comparison.pairs().draw().svg()
    looks = re.findall(r'<rect class="region (c\d)"', svg)
    assert looks == ["c8", "c0", "c8", "c0", "c1", "c1"]
    assert re.findall(r">([+-]0\.\d+)</text>", svg) == [
        "+0.010",
        "+0.390",
        "-0.010",
        "+0.380",
        "-0.390",
        "-0.380",
    ]
    assert "poor minus good: -0.390" in svg
    turned = comparison.pairs("error").draw().svg()
    assert re.findall(r'<rect class="region (c\d)"', turned) == looks


def test_names_are_made_safe():
    odd = {"<b>&": RIGHT["good"], "plain": RIGHT["poor"]}
    svg = Comparison({k: evaluation(k, v) for k, v in odd.items()}, "plain").pairs().draw().svg()
    assert "<b>&" not in svg
    assert "&lt;b&gt;&amp;" in svg


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("good", "por"), r"no learner 'por'\. Did you mean 'poor'\?"),
        (("good", "good"), "does not differ from itself"),
    ],
)
def test_what_is_no_pair_is_said(comparison, pair, message):
    with pytest.raises(ParameterError, match=message):
        comparison.pairs()[pair]


def test_one_learner_makes_no_pair(comparison):
    with pytest.raises(ParameterError, match="poor is the only learner; pairs need two"):
        Comparison({"poor": comparison["poor"]}, "poor").pairs()


def test_a_difference_needs_the_same_folds():
    shifted = evaluation("other", RIGHT["good"], start=1)
    message = "good and other were not evaluated on the same folds; use `compare`"
    with pytest.raises(DataError, match=message):
        difference(evaluation("good", RIGHT["good"]), shifted)
