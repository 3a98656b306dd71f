"""Costs: by hand, by the golden risks, beside MinimumRisk itself, and the threshold that costs imply."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import StratifiedKFold

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.decide import MinimumRisk
from openbook.errors import ParameterError
from openbook.judge import cost_metric, costs

LOSS = {"no": {"yes": 10}, "yes": {"no": 1}}
CREDIT = ob.load("credit", rows=400).split("default")
FIVE = StratifiedKFold(5, shuffle=True, random_state=0)


def four_rows(judged):
    """One held-out set; minimum risk decides yes from 1/11 on."""
    return judged([0, 0, 1, 1], [0, 1, 0, 1], [[0.95, 0.05], [0.4, 0.6], [0.8, 0.2], [0.1, 0.9]], folds=1)


def test_every_way_by_hand(judged):
    paid = costs(four_rows(judged), LOSS)
    predicted, least, always = paid.payments.values()
    assert (predicted.way, predicted.observed, predicted.total) == ("as predicted", (1 + 10) / 4, 11)
    assert (least.way, least.observed, least.total) == ("minimum risk", 1 / 4, 1)  # no, yes, yes, yes
    assert (always.way, always.observed) == ("always yes", 2 / 4)
    # by the probabilities: 10 P(yes) for no, P(no) for yes
    assert predicted.expected == pytest.approx((0.5 + 0.4 + 2.0 + 0.1) / 4)
    assert least.expected == pytest.approx((0.5 + 0.4 + 0.8 + 0.1) / 4)
    assert always.expected == pytest.approx((0.95 + 0.4 + 0.8 + 0.1) / 4)
    assert paid.saved["as predicted"].difference == 10 / 4
    assert paid.saved["always yes"].difference == 1 / 4
    # the costs of rows differ by 0, 0, 10, 0
    assert paid.saved["as predicted"].p_value == pytest.approx(stats.ttest_1samp([0, 0, 10, 0], 0).pvalue)
    words = paid.work().conclusion
    assert "Minimum risk costs 0.250 per row; always yes, the best constant decision, costs 0.500." in words
    assert "It saves 0.250 per row, 1 in total over always yes" in words
    assert "It saves 2.500 per row, 10 in total over the predictions" in words


@pytest.mark.parametrize("id_", ["risk_covid", "risk_covid_01loss", "own_risk_three"])
def test_golden_risks(golden, judged, id_):
    record = golden(id_)
    posterior, expected = record["data"]["posterior"], record["expected"]
    names = tuple("abc"[: len(posterior)])
    evaluation = judged(
        [0, 0], [expected["max_posterior_class"]] * 2, [posterior] * 2, folds=1, classes=names
    )
    paid = costs(evaluation, record["data"]["loss"])
    assert paid.payments["minimum risk"].expected == pytest.approx(expected["risk"][expected["action"]])
    likeliest = expected["risk"][expected["max_posterior_class"]]
    assert paid.payments["as predicted"].expected == pytest.approx(likeliest)


def test_golden_threshold_is_derived(golden, judged):
    record = golden("risk_covid_threshold")
    paid = costs(four_rows(judged), record["data"]["loss"])
    assert paid.threshold == record["expected"]["threshold"]
    step = paid.work()["p above"]
    assert step.result == record["expected"]["threshold"]
    assert step.numbers == r"\frac{(1 - 0)}{(1 - 0) + (10 - 0)}"


def test_costs_of_right_decisions_move_the_threshold(judged):
    assert costs(four_rows(judged), [[1, 10], [6, -5]]).threshold == (6 - 1) / ((6 - 1) + (10 + 5))


def test_minimum_risk_pays_what_minimum_risk_pays():
    X, y = CREDIT
    evaluation = ob.evaluate(NaiveBayes(), X, y, FIVE)
    paid = costs(evaluation, LOSS)
    itself = ob.evaluate(MinimumRisk(NaiveBayes(), LOSS), X, y, FIVE, metrics=cost_metric(LOSS, y))
    assert paid.payments["minimum risk"].observed == pytest.approx(itself.score())
    assert paid.payments["minimum risk"].interval.low == pytest.approx(itself.interval().low)
    assert costs(itself, LOSS).saved["as predicted"].difference == 0
    assert "over the predictions" not in costs(itself, LOSS).work().conclusion
    # the paired t test over rows, with half of n_test / n_train added to the variance
    p = evaluation.one_round
    decided = (p.proba @ paid.matrix.T).argmin(axis=1)
    t = stats.ttest_rel(paid.matrix[p.predicted, p.truth], paid.matrix[decided, p.truth]).statistic
    corrected = t / math.sqrt(1 + 80 / 320 / 2)
    assert paid.saved["as predicted"].p_value == pytest.approx(2 * stats.t.sf(abs(corrected), 399))


def test_the_curve_is_that_of_deciding_again_at_every_threshold():
    X, y = CREDIT
    evaluation = ob.evaluate(NaiveBayes(), X, y, FIVE)
    paid = costs(evaluation, LOSS)
    p = evaluation.one_round
    thresholds = [0.0, 0.05, paid.threshold, 0.5, float(p.proba[7, 1]), 0.99, 1.0]
    slow = [np.array(paid.matrix)[(p.proba[:, 1] > t).astype(int), p.truth].mean() for t in thresholds]
    assert paid.curve(thresholds) == pytest.approx(slow)
    decided = (p.proba @ paid.matrix.T).argmin(axis=1)
    assert paid.curve([paid.threshold])[0] == pytest.approx(paid.matrix[decided, p.truth].mean())


def test_the_picture_marks_both_thresholds_and_the_baseline(judged):
    svg = costs(four_rows(judged), LOSS).draw().svg()
    assert all(words in svg for words in ("by the costs: 0.0909", "best in hindsight", "always yes: 0.500"))


def test_without_probabilities_only_what_was_predicted_is_paid_for(judged):
    paid = costs(judged([0, 0, 1, 1], [0, 1, 0, 1]), LOSS)
    assert list(paid.payments) == ["as predicted", "always yes"]
    assert math.isnan(paid.payments["as predicted"].expected)
    assert not paid.saved
    assert "gave no probabilities to weigh the costs with" in paid.work().conclusion
    with pytest.raises(ParameterError, match="a threshold needs two classes and their prob"):
        paid.draw()


def test_costs_without_a_threshold_say_why(judged):
    paid = costs(four_rows(judged), [[0, 1], [-3, 0]])
    assert paid.threshold is None
    assert "There is no threshold: when the truth is 'no'" in paid.work().conclusion


def test_several_classes(judged):
    proba = [[0.6, 0.25, 0.15], [0.2, 0.2, 0.6]]
    evaluation = judged([1, 2], [0, 2], proba, folds=1, classes=("a", "b", "c"))
    paid = costs(evaluation, [[0, 2, 8], [1, 0, 4], [3, 2, 0]])
    assert paid.payments["minimum risk"].observed == 0  # b and c
    assert paid.payments["as predicted"].observed == 1
    with pytest.raises(ParameterError, match="there are 3 classes"):
        paid.curve([0.5])


def test_bad_costs_are_refused(judged):
    evaluation = four_rows(judged)
    with pytest.raises(ParameterError, match=r"the class 'yess', which is not there. Did you mean 'yes'"):
        costs(evaluation, {"no": {"yess": 10}, "yes": {"no": 1}})
    with pytest.raises(ParameterError, match="must say what deciding 'yes' costs when the truth is 'no'"):
        costs(evaluation, {"no": {"yes": 10}})
    with pytest.raises(ParameterError, match="one row and one column per class"):
        costs(evaluation, np.eye(3))
    with pytest.raises(ParameterError, match="predicts numbers, and costs are of deciding between classes"):
        costs(judged([0.0, 1.0], [0.0, 0.5], classes=None), LOSS)
