"""Learners side by side: the same folds, baselines, tests of all differences together."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from openbook.baseline import OneR, ZeroR
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError
from openbook.judge import Comparison, Evaluation, FoldResult, choose, compare, difference

IRIS = load_iris(return_X_y=True)
FIVE = StratifiedKFold(5, shuffle=True, random_state=0)


def evaluation(name, right, *, fold_rows=10, complexity=None, metrics=()):
    """A learner that gets so many of each fold's rows right."""
    folds = []
    for i, hits in enumerate(right):
        rows = np.arange(i * fold_rows, (i + 1) * fold_rows)
        guess = np.where(np.arange(fold_rows) < hits, 0, 1)
        folds.append(FoldResult(i, rows, np.zeros(fold_rows, int), guess, None, 90, 0.0, 0.0, complexity, ()))
    return Evaluation(name, "classification", ["a", "b"], folds, metrics)


def comparison(baseline="base", **learners):
    return Comparison(
        {name: evaluation(name, right, complexity=size) for name, (right, size) in learners.items()}, baseline
    )


GOOD = [9, 8, 9, 9, 10, 9, 8, 9, 9, 9]
CLOSE = [9, 9, 8, 9, 9, 9, 8, 10, 9, 8]
POOR = [5, 4, 6, 5, 5, 4, 5, 6, 5, 5]


def test_all_learners_meet_the_same_folds_and_a_baseline_joins():
    result = compare([NaiveBayes(), GaussianNB()], *IRIS, cv=FIVE)
    assert list(result.evaluations) == ["NaiveBayes", "GaussianNB", "0R"]
    assert result.baseline == "0R"
    rows = [[fold.rows.tolist() for fold in e.folds] for e in result.evaluations.values()]
    assert rows[0] == rows[1] == rows[2]


def test_random_splits_are_drawn_once():
    shuffled = KFold(5, shuffle=True)  # another partition each time it is asked
    compare([GaussianNB(), NaiveBayes()], *IRIS, cv=shuffled)


def test_a_baseline_that_is_there_is_used():
    assert compare({"zero": ZeroR(), "one": OneR()}, *IRIS, cv=FIVE).baseline == "zero"
    named = compare({"zero": ZeroR(), "one": OneR()}, *IRIS, cv=FIVE, baseline="one")
    assert named.baseline == "one"
    assert {row.label for row in named.rows() if row.test is None} == {"one"}


def test_regression_has_its_own_baseline():
    X, y = load_diabetes(return_X_y=True)
    result = compare([LinearRegression()], X, y, cv=KFold(5))
    assert result.baseline == "mean"
    best, base = result.rows()
    assert (best.label, best.rank, base.rank) == ("LinearRegression", 1, 2)
    assert best.test.difference < 0
    assert best.p_value < 0.05


def test_models_of_one_class_are_numbered_and_names_do_not_collide():
    result = compare([OneR(), OneR(bins=3)], *IRIS, cv=FIVE)
    assert list(result.evaluations) == ["OneR", "OneR 2", "0R"]
    assert compare({"0R": OneR()}, *IRIS, cv=FIVE).baseline == "0R 2"


def test_rows_are_compared_with_the_best_baseline_all_at_once():
    result = comparison(good=(GOOD, 3), close=(CLOSE, 2), base=(POOR, 1))
    by_label = {row.label: row for row in result.rows()}
    alone = {name: difference(result[name], result["base"]) for name in ("good", "close")}
    for name, test in alone.items():
        assert by_label[name].test.difference == pytest.approx(test.difference)
        width = by_label[name].test.interval.high - by_label[name].test.interval.low
        assert width > test.interval.high - test.interval.low
        assert by_label[name].p_value >= test.p_value
    assert by_label["base"].test is None


def test_of_several_baselines_the_best_is_the_measure():
    learners = {"good": (GOOD, 5), "zero": (POOR, 1), "one": ([8] * 10, 2)}
    evaluations = {name: evaluation(name, right, complexity=size) for name, (right, size) in learners.items()}
    result = Comparison(evaluations, "zero", ["zero", "one"])
    assert result.best_baseline() == "one"
    assert {row.label for row in result.rows() if row.test is None} == {"one"}
    assert result.against_baseline()["good"].difference == pytest.approx(0.89 - 0.8)
    with pytest.raises(ParameterError, match="no learner 'oen'"):
        Comparison(evaluations, "zero", ["oen"])


def test_the_folds_do_not_decide_how_sure_a_difference_is():
    """The same hundred rows, in ten folds or in two: +0.39 is as sure."""
    ten = comparison(good=(GOOD, 3), base=(POOR, 1))
    two = Comparison(
        {
            name: evaluation(name, [sum(right[:5]), sum(right[5:])], fold_rows=50)
            for name, right in {"good": GOOD, "base": POOR}.items()
        },
        "base",
    )
    for result in (ten, two):
        assert difference(result["good"], result["base"]).p_value < 1e-4


def test_ranks_are_means_over_folds_with_ties_shared():
    result = comparison(a=([9, 8], 1), b=([9, 6], 1), base=([1, 7], 1))
    assert result.ranks() == {"a": 1.25, "b": 2.25, "base": 2.5}
    assert result.ranks("error") == result.ranks()


def test_the_smaller_error_is_the_better():
    result = comparison(good=(GOOD, 3), base=(POOR, 1))
    assert result.best("error") == result.best("accuracy") == "good"


def test_of_equals_the_simpler_is_best():
    assert comparison(big=(GOOD, 9), small=(GOOD, 2), base=(POOR, 1)).best() == "small"


def test_single_rows_are_compared_by_bonett_and_price():
    a = evaluation("a", [1] * 9 + [0] * 5, fold_rows=1)
    b = evaluation("b", [0] * 8 + [1] + [0] * 4 + [1], fold_rows=1)
    test = difference(a, b)
    error = ((9 / 16 + 2 / 16 - (7 / 16) ** 2) / 16) ** 0.5
    assert test.p_value == pytest.approx(2 * stats.norm.sf(7 / 16 / error))
    assert test.difference == pytest.approx(7 / 14)
    assert difference(a, b, "error").difference == pytest.approx(-7 / 14)


def test_other_scores_of_single_rows_are_compared_by_their_rows():
    X, y = load_diabetes(return_X_y=True)
    result = compare([LinearRegression()], X[:40], y[:40], metrics="mae")
    ours, base = (np.abs(e.predictions.truth - e.predictions.predicted) for e in result.evaluations.values())
    (test,) = [row.test for row in result.rows() if row.test is not None]
    assert test.p_value == pytest.approx(stats.ttest_rel(ours, base).pvalue)


def test_the_table_reads_well():
    result = compare({"naive Bayes": NaiveBayes(), "1R": OneR()}, *IRIS)
    text, page = str(result), result._repr_html_()
    for part in ("naive Bayes", "difference to 0R", "< 0.001", "paired, Bonett–Price; 2 differences at once"):
        assert part in text
    assert "<td>naive Bayes</td>" in page
    assert "&lt; 0.001" in page


def test_an_undefined_score_comes_last_and_is_not_chosen():
    with_proba, without = (evaluation(name, GOOD, metrics=("log_loss",)) for name in "ab")
    folds = [
        FoldResult(f.index, f.rows, f.y_true, f.y_pred, np.full((10, 2), 0.5), 90, 0.0, 0.0, 4, ())
        for f in with_proba.folds
    ]
    with_proba = Evaluation("a", "classification", ["a", "b"], folds, ("log_loss",))
    result = Comparison({"b": without, "a": with_proba}, "b")
    assert [row.label for row in result.rows()] == ["a", "b"]
    assert result.ranks() == pytest.approx({"a": 1, "b": np.nan}, nan_ok=True)
    assert choose(result).label == "a"
    alone = Comparison({"b": without}, "b")
    assert "undefined" in str(alone)
    with pytest.raises(DataError, match="log_loss is undefined for every learner; choose by another metric"):
        choose(alone)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: compare([], *IRIS), ParameterError, "no model to judge"),
        (lambda: compare([OneR()], *IRIS, baseline="zero"), ParameterError, "baseline: no learner 'zero'"),
        (lambda: compare([OneR(), LinearRegression()], *IRIS), ParameterError, "compare like with like"),
        (lambda: comparison(base=(GOOD, 1))["goood"], ParameterError, "no learner 'goood'"),
        (
            lambda: Comparison({"a": evaluation("a", GOOD), "b": evaluation("b", GOOD[:5])}, "a"),
            DataError,
            "b and a were not evaluated on the same folds",
        ),
    ],
)
def test_what_cannot_be_compared_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
