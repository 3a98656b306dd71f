"""Which model, and is there anything to learn?"""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import openbook as ob
from openbook.baseline import ZeroR
from openbook.bayes import NaiveBayes
from openbook.errors import ParameterError
from openbook.judge import Comparison, Evaluation, FoldResult, anything_to_learn, choose, difference
from openbook.judge.chance.intervals import Interval
from openbook.judge.chance.significance import TestResult
from openbook.words.numbers import p_words


def evaluation(name, right, size, n=400, proba=None):
    """A learner that gets these rows right; five folds of a table whose rows are all of class 0."""
    right = np.asarray(right)
    folds = []
    for i, rows in enumerate(np.array_split(np.arange(n), 5)):
        shares = None if proba is None else proba[rows]
        truth = np.arange(n)[rows] % 2
        guess = np.where(right[rows], truth, 1 - truth)
        folds.append(FoldResult(i, rows, truth, guess, shares, 10**9, 0.0, 0.0, size, ()))
    return Evaluation(name, "classification", ["a", "b"], folds, ("accuracy",))


def first(hits, n=400):
    return np.arange(n) < hits


def comparison(baselines=("zero",), **learners):
    found = {name: evaluation(name, right, size) for name, (right, size) in learners.items()}
    return Comparison(found, baselines[0], baselines)


#: 0.85 and 0.84: they differ in 40 rows, 22 for the one and 18 for the other, a standard error of 0.0158.
BEST = first(340)
NEAR = np.concatenate([first(318, 318), np.zeros(22, bool), np.ones(18, bool), np.zeros(42, bool)])
#: 0.80, wrong where the best is right: 20 rows worse, a standard error of 0.011.
WORSE = first(320)
ZERO = first(200)


def test_the_simplest_within_one_standard_error_of_the_best():
    result = comparison(best=(BEST, 50), near=(NEAR, 9), worse=(WORSE, 3), zero=(ZERO, 1))
    choice = choose(result)
    assert (choice.label, choice.best, choice.baseline, choice.rule) == ("near", "best", "zero", "simplest")
    error = math.sqrt((22 + 18 + 2 - (22 - 18) ** 2 / 402) / 402**2)
    assert choice.given_up.error == pytest.approx(error, rel=0.01)
    assert choice.given_up.difference == pytest.approx(-0.01)
    assert "It is the simplest of the 2 learners within one standard error of the best." in choice.reason
    assert "the difference is -0.010, with a standard error of 0.016" in choice.reason


def test_one_and_a_half_standard_errors_are_too_many():
    """28 rows lost and 18 gained of 400: 0.025 worse, with a standard error of sqrt(48)/402 = 0.017."""
    middle = np.concatenate([first(312, 312), np.zeros(28, bool), np.ones(18, bool), np.zeros(42, bool)])
    result = comparison(best=(BEST, 50), middle=(middle, 9), zero=(ZERO, 1))
    test = difference(result["middle"], result["best"])
    assert 1 < -test.difference / test.error < 2
    assert choose(result).label == "best"


def test_more_learners_do_not_make_a_worse_one_eligible():
    """What ailed the old rule: with more learners tested, more of them were not significantly worse."""
    many = {f"other {i}": (np.roll(BEST, i), 100 + i) for i in range(1, 20)}
    result = comparison(best=(BEST, 50), worse=(WORSE, 3), zero=(ZERO, 1), **many)
    assert choose(result).label == "best"


def test_a_baseline_is_chosen_only_by_its_name():
    result = comparison(best=(BEST, 50), zero=(BEST, 1))
    assert choose(result).label == "best"
    assert choose(result, "zero").label == "zero"
    assert choose(result, "zero").rule == "named"
    assert choose(comparison(zero=(ZERO, 1))).label == "zero"  # there is nothing else


def test_a_learner_that_learnt_no_more_than_the_baseline_is_not_chosen():
    """A tree pruned to its root is the baseline under another name."""
    result = comparison(best=(BEST, 50), root=(BEST, 1), zero=(ZERO, 1))
    assert choose(result).label == "best"


def test_the_best_score_is_not_claimed_where_an_excluded_learner_has_a_better_one():
    result = comparison(best=(WORSE, 50), pruned=(BEST, 1), zero=(ZERO, 1))
    assert "It has the best score of the learners that learnt more than a baseline" in choose(result).reason
    assert "It has the best score, and" in choose(comparison(best=(BEST, 50), zero=(ZERO, 1))).reason


def test_a_pruned_tree_that_scores_as_well_is_not_passed_over_in_silence():
    reason = choose(comparison(best=(BEST, 50), pruned=(BEST, 1), zero=(ZERO, 1))).reason
    assert "learnt more than a baseline, and no other of them is within one standard error of it" in reason


def test_the_best_by_request():
    choice = choose(comparison(best=(BEST, 50), near=(NEAR, 9), zero=(ZERO, 1)), "best")
    assert (choice.label, choice.rule, choice.given_up) == ("best", "best", None)


def test_a_margin_must_be_shown_to_be_kept():
    """Near loses 0.01 with an upper end of 0.01 + 1.645 · 0.0161 = 0.036: within 0.04, not within 0.03."""
    result = comparison(best=(BEST, 50), near=(NEAR, 9), zero=(ZERO, 1))
    assert difference(result["near"], result["best"], level=0.9).interval.low == pytest.approx(
        -0.0364, abs=1e-3
    )
    assert choose(result, margin=0.04).label == "near"
    assert choose(result, margin=0.03).label == "best"
    assert "shown to be within 0.04 of the best" in choose(result, margin=0.04).reason


def test_a_learner_of_unknown_size_counts_as_the_largest():
    result = comparison(best=(BEST, None), near=(NEAR, 10_000), zero=(ZERO, 1))
    assert choose(result).label == "near"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "beast"}, "choose: no learner 'beast' was evaluated. Did you mean 'best'"),
        ({"margin": 0}, "margin must be above 0, got 0"),
        ({"rule": "best", "margin": 0.01}, "margin is for choosing the simplest learner"),
    ],
)
def test_what_cannot_be_chosen_is_said(options, message):
    with pytest.raises(ParameterError, match=message):
        choose(comparison(best=(BEST, 50), zero=(ZERO, 1)), **options)


def test_there_is_something_to_learn():
    verdict = anything_to_learn(comparison(best=(BEST, 50), near=(NEAR, 9), zero=(ZERO, 1)))
    assert verdict.learnt
    assert verdict.headline.startswith(
        "The best learner, best, beats the best baseline, zero: accuracy 0.850 against 0.500"
    )
    assert verdict.test.p_value < 0.001


def test_a_learner_that_is_shown_to_beat_the_baseline_counts_though_another_scores_higher():
    """12 rows gained and none lost of 400 are no luck; 60 gained and 44 lost are more, and may be."""
    zero, steady = first(300), first(312)
    wild = np.concatenate([np.zeros(44, bool), np.ones(316, bool), np.zeros(40, bool)])
    verdict = anything_to_learn(comparison(wild=(wild, 50), steady=(steady, 9), zero=(zero, 1)))
    assert (verdict.best, verdict.learnt) == ("wild", True)
    assert verdict.test.p_value > 0.05
    assert verdict.headline.startswith("Steady beats zero (accuracy 0.780 against 0.750, p ")
    assert (
        "The learner with the best score, wild, is not shown to beat it: accuracy 0.790" in verdict.headline
    )


def test_where_nothing_beats_the_baseline_it_says_how_many_rows_might_show_it():
    """22 against 18 rows of 400: t = 0.01/0.0161 = 0.62; n (1.96 + 0.84)² / 0.62² = 400 · 20.3 = 8,100."""
    verdict = anything_to_learn(comparison(near=(BEST, 9), zero=(NEAR, 1)))
    assert not verdict.learnt
    assert "no evidence yet that any model beats the baseline zero" in verdict.headline
    assert verdict.needed == pytest.approx(8_100, rel=0.05)
    assert "rows instead of 400 might show" in verdict.headline


def test_a_small_difference_has_the_decimals_of_its_error():
    interval = Interval(-0.003, 0.002, 0.95, "t")
    assert TestResult(-0.000528, interval, 0.955, "t", error=0.0013).change == "-0.001"
    assert TestResult(-0.000528, interval, 0.955, "t", error=0.00013).change == "-0.000528"


def test_where_rows_belong_to_groups_it_says_how_many_groups_might_show_it():
    """Rows in pairs: 200 groups instead of 400 rows, so about half as many groups are needed as rows."""
    found = comparison(near=(BEST, 9), zero=(NEAR, 1))
    pairs = {label: replace(one, groups=np.arange(400) // 2) for label, one in found.evaluations.items()}
    verdict = anything_to_learn(replace(found, evaluations=pairs))
    assert verdict.groups == 200
    needed = int(
        re.search(r"Roughly ([\d,]+) groups instead of 200 might show", verdict.headline)[1].replace(",", "")
    )
    assert needed == pytest.approx(verdict.needed / 2, rel=0.05)


def test_a_difference_without_a_test_is_not_called_none():
    # four rows of the second class are too few for a test; 0R is right in 20 of 24 rows, naive Bayes in all
    X, y = [{"colour": colour} for colour in "r" * 20 + "g" * 4], ["red"] * 20 + ["green"] * 4
    headline = anything_to_learn(ob.compare([ZeroR(), NaiveBayes()], X, y, cv=2)).headline
    figures = "NaiveBayes, has accuracy 1.000 against 0.833, difference +0.167"
    why = "as all classes but one have fewer than 5 rows"
    assert headline.endswith(f"{figures}. These rows allow no test of the difference, {why}.")


def test_what_scores_below_the_baseline_names_no_number_of_rows_that_might_show_it():
    verdict = anything_to_learn(comparison(worse=(WORSE, 9), zero=(BEST, 1)))
    assert verdict.needed is None
    assert verdict.headline.endswith("so how many rows might show a gain is unknown.")


def test_where_a_baseline_that_learnt_beats_every_model_that_is_said_and_how_to_take_it():
    """1R is right in 20 rows more than the model, with a standard error of a quarter of that."""
    rule = comparison(worse=(WORSE, 50), rule=(BEST, 9), zero=(ZERO, 1), baselines=("zero", "rule"))
    headline = anything_to_learn(rule, "accuracy").headline
    assert "rule beats zero" in headline
    assert "but no model is as good as the baseline rule: the best, worse, has accuracy 0.800" in headline
    assert headline.endswith("To take rule as the model, use --choose rule.")


def test_a_constant_that_beats_another_constant_learnt_nothing():
    constants = comparison(near=(NEAR, 9), one=(BEST, 1), zero=(ZERO, 1), baselines=("zero", "one"))
    assert anything_to_learn(constants, "accuracy").beaten == ""


def test_the_best_of_many_learners_that_guess_is_not_taken_for_learning():
    """Twenty coins beside the baseline: at 5%, one in twenty samples may say otherwise, not most of them."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(60):
        coins = {f"coin {i}": (rng.random(400) < 0.5, 5 + i) for i in range(20)}
        found += anything_to_learn(comparison(zero=(rng.random(400) < 0.5, 1), **coins), "accuracy").learnt
    assert found <= 7  # 60 · 0.05 = 3 expected; more than 7 has a probability of 0.01


def test_probabilities_may_tell_what_decisions_do_not():
    """Both always decide for the first class, and the learner's probabilities rank the rows."""
    n = 400
    truth = np.arange(n) % 2
    rng = np.random.default_rng(0)
    p = 0.2 + 0.15 * truth + 0.1 * rng.random(n)
    learner = evaluation("ranker", truth == 0, 9, proba=np.column_stack([1 - p, p]))
    zero = evaluation("zero", truth == 0, 1, proba=np.full((n, 2), 0.5))
    verdict = anything_to_learn(Comparison({"ranker": learner, "zero": zero}, "zero"))
    assert not verdict.learnt
    assert "roc_auc" in [other.metric.name for other in verdict.others]
    assert "the probabilities are informative" in verdict.headline


def test_either_of_two_scores_will_do_so_interval_and_p_value_are_bonferroni_s():
    """One learner beats the baseline by little, and both say the same: twice the p-value, at 97.5%."""
    n = 400
    truth = np.arange(n) % 2
    p = 0.5 + np.where(first(236), 1, -1) * (truth - 0.5) * 0.1  # right in 236 of 400 rows
    learner = evaluation("ranker", truth == 0, 9, proba=np.column_stack([1 - p, p]))
    zero = evaluation("zero", truth == 0, 1, proba=np.full((n, 2), 0.5))
    result = Comparison({"ranker": learner, "zero": zero}, "zero")
    verdict = next(v for v in anything_to_learn(result).others if v.metric.name == "log_loss")
    alone = difference(learner, zero, "log_loss", level=0.975)
    assert verdict.test.p_value == pytest.approx(2 * alone.p_value)
    assert (verdict.test.interval.low, verdict.test.interval.high) == pytest.approx(
        (alone.interval.low, alone.interval.high)
    )
    assert f"p {p_words(2 * alone.p_value)}" in verdict.headline
