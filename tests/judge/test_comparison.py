"""Learners side by side: the same folds, a baseline, adjusted tests, Occam's choice."""

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
from openbook.judge import Comparison, Evaluation, FoldResult, compare, corrected_t_test, difference, holm

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
    result = compare([NaiveBayes(), GaussianNB()], *IRIS, split=FIVE)
    assert list(result.evaluations) == ["NaiveBayes", "GaussianNB", "0R"]
    assert result.baseline == "0R"
    rows = [[fold.rows.tolist() for fold in e.folds] for e in result.evaluations.values()]
    assert rows[0] == rows[1] == rows[2]


def test_random_splits_are_drawn_once():
    shuffled = KFold(5, shuffle=True)  # another partition each time it is asked
    compare([GaussianNB(), NaiveBayes()], *IRIS, split=shuffled)


def test_a_baseline_that_is_there_is_used():
    assert compare({"zero": ZeroR(), "one": OneR()}, *IRIS, split=FIVE).baseline == "zero"
    named = compare({"zero": ZeroR(), "one": OneR()}, *IRIS, split=FIVE, baseline="one")
    assert named.baseline == "one"
    assert {row.label for row in named.rows() if row.test is None} == {"one"}


def test_regression_has_its_own_baseline():
    X, y = load_diabetes(return_X_y=True)
    result = compare([LinearRegression()], X, y, split=KFold(5))
    assert result.baseline == "mean"
    best, base = result.rows()
    assert (best.label, best.rank, base.rank) == ("LinearRegression", 1, 2)
    assert best.test.difference < 0
    assert best.p_value < 0.05


def test_models_of_one_class_are_numbered_and_names_do_not_collide():
    result = compare([OneR(), OneR(bins=3)], *IRIS, split=FIVE)
    assert list(result.evaluations) == ["OneR", "OneR 2", "0R"]
    assert compare({"0R": OneR()}, *IRIS, split=FIVE).baseline == "0R 2"


def test_rows_hold_the_corrected_test_adjusted_by_holm():
    result = comparison(good=(GOOD, 3), close=(CLOSE, 2), base=(POOR, 1))
    by_label = {row.label: row for row in result.rows()}
    tests = {
        name: corrected_t_test((np.array(right) - POOR) / 10, 90, 10)
        for name, right in {"good": GOOD, "close": CLOSE}.items()
    }
    adjusted = holm([tests["good"].p_value, tests["close"].p_value])
    assert by_label["good"].test.p_value == pytest.approx(tests["good"].p_value)
    assert [by_label["good"].p_value, by_label["close"].p_value] == pytest.approx(adjusted)
    assert by_label["base"].test is None


def test_ranks_are_means_over_folds_with_ties_shared():
    result = comparison(a=([9, 8], 1), b=([9, 6], 1), base=([1, 7], 1))
    assert result.ranks() == {"a": 1.25, "b": 2.25, "base": 2.5}
    assert result.ranks("error") == result.ranks()


def test_occam_takes_the_simplest_that_is_not_significantly_worse():
    result = comparison(good=(GOOD, 50), close=(CLOSE, 5), base=(POOR, 1))
    choice = result.simplest_not_worse()
    assert (choice.label, choice.best) == ("close", "good")
    assert (
        "the simplest of the 2 learners that are not significantly worse than the best, good (0.890)"
        in choice.reason
    )
    assert "complexity 5" in choice.reason
    assert str(choice) in str(result).replace("\n  ", " ")


def test_occam_keeps_the_best_where_it_alone_stands():
    choice = comparison(good=(GOOD, 50), base=(POOR, 1)).simplest_not_worse()
    assert choice.label == "good"
    assert "the best; every other learner is significantly worse" in choice.reason


def test_occam_takes_the_baseline_where_nothing_beats_it():
    choice = comparison(close=(CLOSE, 5), base=(GOOD[::-1], 1), better=(GOOD, 7)).simplest_not_worse()
    assert choice.label == "base"
    lucky = comparison(close=([9, 9, 9, 9, 9, 9, 9, 9, 9, 10], 5), base=(CLOSE, 1)).simplest_not_worse()
    assert (lucky.label, lucky.best) == ("base", "close")
    assert "Nothing is significantly better than the baseline, base." in lucky.reason


def test_a_learner_of_unknown_size_counts_as_the_largest():
    choice = comparison(good=(GOOD, None), close=(CLOSE, 500), base=(POOR, 1)).simplest_not_worse()
    assert choice.label == "close"


def of_team(members, **learners):
    result = comparison(**learners)
    return Comparison(result.evaluations, "base", {"team": members}).simplest_not_worse()


def test_an_ensemble_that_beats_its_best_member_is_offered():
    alone = of_team(
        ["single", "weak"], team=(GOOD, 50), single=(POOR, 5), weak=(POOR[::-1], 3), base=(POOR, 1)
    )
    assert (alone.label, alone.withheld) == ("team", {})
    assert alone.reason.endswith("the best; every other learner is significantly worse.")


def test_an_ensemble_that_does_not_keeps_its_rank_and_is_not_chosen():
    """A difference of one row in a hundred is no more than chance; the best member is the one to beat."""
    better = [9, 9, 9, 9, 10, 9, 8, 9, 9, 9]
    choice = of_team(["single", "weak"], team=(better, 3), single=(GOOD, 5), weak=(POOR, 2), base=(POOR, 1))
    p = difference(evaluation("t", better), evaluation("s", GOOD)).p_value
    assert (choice.label, choice.best) == ("single", "team")
    assert choice.withheld == {
        "team": f"team is not offered: it is not significantly better than single (+0.010, p = {p:.3f})."
    }
    assert "the only offered learner that is not significantly worse than the best, team" in choice.reason
    assert str(choice) == f"{choice.reason} {choice.withheld['team']}"


def test_an_ensemble_that_is_worse_says_so():
    choice = of_team(["single"], team=(POOR, 2), single=(GOOD, 5), base=(POOR, 1))
    assert choice.label == "single"
    assert choice.withheld["team"].startswith(
        "team is not offered: it is not better than single (-0.390, p <"
    )
    assert choice.reason.endswith("the best; every other offered learner is significantly worse.")


def test_a_baseline_that_is_worse_than_an_ensemble_not_offered_is_not_chosen():
    """The tree, not the baseline, stands in for the forest that it may equal."""
    tree = [6, 9, 9, 5, 10, 9, 6, 9, 7, 9]
    learners = {"team": (GOOD, 50), "tree": (tree, 5), "base": ([7, 7, 7, 7, 7, 7, 7, 6, 7, 7], 1)}
    single = comparison(tree=learners["tree"], base=learners["base"]).simplest_not_worse()
    assert single.label == "base"  # without the forest, nothing speaks against the baseline
    choice = of_team(["tree"], **learners)
    assert (choice.label, list(choice.withheld)) == ("tree", ["team"])


def test_two_ensembles_are_tested_twice():
    """0.02 < p < 0.05 is enough for one, and too much for the better of two."""
    single, team = [8, 8, 9, 8, 8, 9, 8, 8, 8, 8], [9, 9, 9, 9, 9, 9, 8, 9, 9, 9]
    p = difference(evaluation("t", team), evaluation("s", single)).p_value
    evaluations = comparison(team=(team, 50), twin=(team, 60), single=(single, 5), base=(POOR, 1)).evaluations
    one = Comparison(evaluations, "base", {"team": ["single"]})
    two = Comparison(evaluations, "base", {"team": ["single"], "twin": ["single"]})
    assert one.simplest_not_worse(alpha=1.5 * p).withheld == {}
    assert list(two.simplest_not_worse(alpha=1.5 * p).withheld) == ["team", "twin"]
    assert two.simplest_not_worse(alpha=2.5 * p).withheld == {}


@pytest.mark.parametrize(
    ("ensembles", "message"),
    [
        ({"goood": ["base"]}, r"no learner 'goood'\. Did you mean 'good'\?"),
        ({"good": ["bass"]}, r"no learner 'bass'\. Did you mean 'base'\?"),
        ({"good": []}, "good needs single members, and there are none"),
        ({"good": ["close"], "close": ["base"]}, "good needs single members, and close is an ensemble"),
    ],
)
def test_what_cannot_be_an_ensemble_is_named(ensembles, message):
    evaluations = comparison(good=(GOOD, 3), close=(CLOSE, 2), base=(POOR, 1)).evaluations
    with pytest.raises(ParameterError, match=message):
        Comparison(evaluations, "base", ensembles)


def test_alpha_decides():
    middling = [8, 8, 8, 9, 9, 8, 8, 8, 9, 8]
    learners = {"good": (GOOD, 50), "middling": (middling, 5), "base": (POOR, 1)}
    p = difference(evaluation("m", middling), evaluation("g", GOOD)).p_value
    assert 0.01 < p < 0.9  # beside the base's p, which is smaller, it is the larger of two and not adjusted
    assert comparison(**learners).simplest_not_worse(alpha=p * 0.9).label == "middling"
    assert comparison(**learners).simplest_not_worse(alpha=min(p * 1.1, 0.99)).label == "good"


def test_the_smaller_error_is_the_better():
    result = comparison(good=(GOOD, 3), base=(POOR, 1))
    assert result.best("error") == result.best("accuracy") == "good"


def test_of_equals_the_simpler_is_best():
    assert comparison(big=(GOOD, 9), small=(GOOD, 2), base=(POOR, 1)).best() == "small"


def test_single_rows_are_compared_by_mcnemar():
    a = evaluation("a", [1] * 9 + [0] * 5, fold_rows=1)
    b = evaluation("b", [0] * 8 + [1] + [0] * 4 + [1], fold_rows=1)
    test = difference(a, b)
    assert test.method == "McNemar, exact"
    assert test.p_value == pytest.approx(stats.binomtest(8, 9).pvalue)
    assert test.difference == pytest.approx(7 / 14)
    assert difference(a, b, "error").difference == pytest.approx(-7 / 14)
    table = " ".join(str(Comparison({"a": a, "b": b}, "b")).split())
    assert "intervals: 95%, Wilson; of differences: 95%, Bonett–Price; tests: McNemar, exact." in table
    words = Comparison({"a": a, "b": b}, "b").simplest_not_worse().reason
    assert "With 14 rows only a large difference could show." in words


def test_other_scores_of_single_rows_are_compared_by_bootstrap():
    X, y = load_diabetes(return_X_y=True)
    result = compare([LinearRegression()], X[:40], y[:40])
    assert result["mean"].by_rows
    (test,) = [row.test for row in result.rows() if row.test is not None]
    assert test.method == "paired bootstrap"
    assert test.difference == pytest.approx(result["LinearRegression"].pooled() - result["mean"].pooled())


def test_the_table_reads_well():
    result = compare({"naive Bayes": NaiveBayes(), "1R": OneR()}, *IRIS)
    text, page = str(result), result._repr_html_()
    for part in ("naive Bayes", "difference to 0R", "p (Holm)", "< 0.001", "corrected resampled t test"):
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
    assert result.simplest_not_worse().label == "a"
    alone = Comparison({"b": without}, "b")
    assert "undefined" in str(alone)
    with pytest.raises(DataError, match="log_loss is undefined for every learner; choose by another metric"):
        alone.simplest_not_worse()


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
            "b and a were not judged on the same folds",
        ),
    ],
)
def test_what_cannot_be_compared_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
