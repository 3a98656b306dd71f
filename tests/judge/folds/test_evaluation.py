"""What follows from folds: scores, the interval that suits the split, and the page."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from openbook.baseline import ZeroR
from openbook.errors import DataError, ParameterError
from openbook.judge import METRICS, Evaluation, FoldResult, Metric, evaluate, wilson


def fold(index, rows, y_true, y_pred, n_train=20, **other):
    figures = {"proba": None, "fit_seconds": 0.0, "predict_seconds": 0.0, "complexity": None, "warnings": ()}
    return FoldResult(
        index, np.array(rows), np.array(y_true), np.array(y_pred), n_train=n_train, **{**figures, **other}
    )


def ends(interval):
    return interval.low, interval.high


def four_folds():
    """Accuracies 1, 1/2, 1/2, 0."""
    truth = [0, 1]
    guesses = [[0, 1], [0, 0], [1, 1], [1, 0]]
    return [
        fold(i, [2 * i, 2 * i + 1], truth, guess, n_train=6, complexity=i) for i, guess in enumerate(guesses)
    ]


def test_scores_mean_and_pooled_by_hand():
    evaluation = Evaluation("guess", "classification", ["a", "b"], four_folds())
    assert evaluation.scores("accuracy").tolist() == [1, 0.5, 0.5, 0]
    assert evaluation.mean("accuracy") == evaluation.pooled("error") == 0.5
    assert evaluation.complexity == 1.5
    # a fold tests 2 rows with a model of 6: the variance grows by half of 2/6, and 8 rows count as 8 / (7/6)
    expected = wilson(0.5 * 8 / (7 / 6), 8 / (7 / 6))
    assert evaluation.interval("accuracy").low == pytest.approx(expected.low)
    assert evaluation.interval("accuracy").high == pytest.approx(expected.high)


def test_means_and_pools_differ_where_the_score_is_no_mean():
    folds = [fold(0, [0, 1], [0.0, 0.0], [3.0, 3.0]), fold(1, [2, 3], [0.0, 0.0], [4.0, 4.0])]
    evaluation = Evaluation("guess", "regression", None, folds)
    assert evaluation.mean("rmse") == pytest.approx(3.5)
    assert evaluation.pooled("rmse") == pytest.approx(np.sqrt(12.5))
    assert evaluation.score("rmse") == evaluation.pooled("rmse")  # of a round's rows together


def test_leave_one_out_takes_all_rows_together():
    X, y = load_iris(return_X_y=True)
    evaluation = evaluate(GaussianNB(), X, y, cv=LeaveOneOut())
    right = sum(int(f.y_true[0] == f.y_pred[0]) for f in evaluation.folds)
    assert evaluation.by_rows
    assert ends(evaluation.interval("accuracy")) == pytest.approx(ends(wilson(right, 150)))
    assert ends(evaluation.interval("error")) == pytest.approx(ends(wilson(150 - right, 150)))
    assert evaluation.score("macro_f1") == evaluation.pooled("macro_f1")
    assert evaluation.score("macro_f1") in evaluation.interval("macro_f1")


def test_single_rows_that_come_again_are_not_leave_one_out():
    folds = [fold(i, [row], [0], [0]) for i, row in enumerate([3, 5, 3])]
    assert not Evaluation("guess", "classification", ["a", "b"], folds).by_rows
    assert Evaluation("guess", "classification", ["a", "b"], folds[:2]).by_rows


def test_one_held_out_set_has_wilsons_interval():
    evaluation = Evaluation(
        "guess", "classification", ["a", "b"], [fold(0, range(10), [0] * 10, [0] * 7 + [1] * 3)]
    )
    assert ends(evaluation.interval()) == pytest.approx(ends(wilson(7, 10)))
    assert "one held-out set; 10 rows tested; scores are of all rows together." in str(evaluation)


def test_folds_without_spread_do_not_make_the_interval_narrow():
    """Every stratified fold has a third right; 120 rows train and 30 test: 150 / (1 + 30/240) rows."""
    X, y = load_iris(return_X_y=True)
    evaluation = evaluate(ZeroR(), X, y, cv=StratifiedKFold(5))
    assert np.ptp(evaluation.scores()) == 0
    rows = 150 / 1.125
    assert ends(evaluation.interval()) == pytest.approx(ends(wilson(rows / 3, rows)))


def test_repeats_do_not_make_the_interval_narrower_than_the_rows_justify():
    X, y = load_iris(return_X_y=True)
    widths = []
    for repeats in (1, 10):
        split = RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0)
        interval = evaluate(GaussianNB(), X, y, cv=split).interval()
        widths.append(interval.high - interval.low)
    assert widths[1] > 0.8 * widths[0]


@pytest.mark.parametrize(
    ("groups", "added"), [(None, 1 / 2 * 2 / 8), (np.arange(4), 3 * 2 / 8)], ids=["rows", "few groups"]
)
def test_the_rule_of_thumb_adds_to_the_variance_of_numbers(groups, added):
    """Absolute errors 1, 3, 1, 3: s² = 4/3 and s²/n = 1/3. A fold tests 2 rows with a model of 8."""
    folds = [fold(i, [2 * i, 2 * i + 1], [0.0, 0.0], [1.0, 3.0], n_train=8) for i in range(2)]
    evaluation = Evaluation("guess", "regression", None, folds, groups=groups)
    assert evaluation.spread("mae").error == pytest.approx((1 / 3 * (1 + added)) ** 0.5)


def test_many_groups_add_little():
    """Of 40 groups, 10/40 and not 3 · 20/20; s² of half 1 and half 3 is 40/39."""
    folds = [fold(i, range(20 * i, 20 * i + 20), [0.0] * 20, [1.0, 3.0] * 10, n_train=20) for i in range(2)]
    spread = Evaluation("guess", "regression", None, folds, groups=np.arange(40)).spread("mae")
    assert spread.error == pytest.approx((1 / 39 * (1 + 10 / 40)) ** 0.5)


def test_an_interval_does_not_leave_the_possible():
    folds = [fold(i, [2 * i, 2 * i + 1], [0.0, 0.0], [0.1, 5.0]) for i in range(3)]
    interval = Evaluation("guess", "regression", None, folds).interval("mae", 0.999)
    assert interval.low == 0
    assert interval.steps[-1].label == "possible low"


def test_a_score_undefined_in_a_fold_is_that_of_the_round():
    folds = [fold(0, [0, 1], [0, 1], [0, 1]), fold(1, [2, 3], [0, 0], [0, 0])]
    evaluation = Evaluation("guess", "classification", ["a", "b"], folds, ("macro_f1",))
    assert np.isnan(evaluation.mean())
    assert evaluation.score() == 1


def test_a_score_undefined_in_every_round_is_undefined():
    folds = [fold(0, [0, 1], [0, 0], [0, 0]), fold(1, [2, 3], [0, 0], [0, 0])]
    evaluation = Evaluation("guess", "classification", ["a", "b"], folds, ("macro_f1",))
    assert np.isnan(evaluation.score())
    assert np.isnan(evaluation.interval().low)
    assert "undefined" in str(evaluation)


def test_areas_are_averaged_over_the_folds_that_have_both_classes():
    """0.9 ranks above 0.2 in the first fold, and 0.3 below 0.4 in the second; the third has one class."""
    folds = [
        fold(i, [2 * i, 2 * i + 1], truth, [0, 0], proba=np.array([[1 - p, p] for p in scores]))
        for i, (truth, scores) in enumerate(
            [([0, 1], [0.2, 0.9]), ([0, 1], [0.4, 0.3]), ([0, 0], [0.5, 0.6])]
        )
    ]
    assert Evaluation("guess", "classification", ["a", "b"], folds).score("roc_auc") == 0.5


def test_an_area_of_small_folds_is_as_sure_as_that_of_the_round():
    """Positive rows score 4 and 2, negative ones 1 and 3, a fold has one of each: the areas are 1 and 0.

    That of the round is 3/4, and its rows vary by 1/6 (DeLong: 1/8). An area of 1/2 varies more, by (1/2 ·
    1/2) / (3/4 · 1/4), and one round of two halves adds half of n_test / n_train: 1/6 · 4/3 · 3/2 = 1/3.
    """
    folds = [
        fold(i, [2 * i, 2 * i + 1], [0, 1], [0, 0], n_train=2, proba=np.array([[1 - p, p] for p in scores]))
        for i, scores in enumerate([(0.1, 0.4), (0.3, 0.2)])
    ]
    alone = Evaluation("guess", "classification", ["a", "b"], folds)
    assert alone.spread("roc_auc").score == 0.5
    assert alone.spread("roc_auc").error == pytest.approx(math.sqrt(1 / 3))
    # each fold is a group, 1/2 above or below: 1/2 / 2, doubled since they share training rows
    grouped = replace(alone, groups=np.arange(4) // 2)
    assert grouped.spread("roc_auc").error == pytest.approx(math.sqrt(1 / 2))


def test_areas_that_are_all_1_show_no_error_whatever_the_round_has():
    """In the round 0.2 of a positive row lies below 0.3 of a negative one."""
    folds = [
        fold(i, [2 * i, 2 * i + 1], [0, 1], [0, 0], n_train=2, proba=np.array([[1 - p, p] for p in scores]))
        for i, scores in enumerate([(0.1, 0.2), (0.3, 0.4)])
    ]
    alone = Evaluation("guess", "classification", ["a", "b"], folds)
    assert alone.spread("roc_auc").score == 1
    assert alone.interval("roc_auc").ends == wilson(4, 4).ends


def test_rows_of_one_group_count_as_one():
    """Two hundred rows in ten groups that are right or wrong as a whole are as sure as ten rows."""
    rows = np.arange(200)
    right = np.repeat([0, 0, 0, 1, 0, 0, 1, 0, 0, 0], 20)
    folds = [fold(i, rows[i::2], np.zeros(100, int), right[i::2], n_train=10**9) for i in range(2)]
    alone = Evaluation("guess", "classification", ["a", "b"], folds)
    grouped = replace(alone, groups=rows // 20)
    assert "effective rows" in grouped.interval().method
    width = grouped.interval().high - grouped.interval().low
    ten = wilson(8, 10)
    assert width > ten.high - ten.low > 2 * (alone.interval().high - alone.interval().low)


def test_rows_in_order_of_time_count_by_blocks():
    rows = np.arange(400)
    right = np.repeat(np.random.default_rng(0).integers(0, 2, 20), 20)  # neighbours are alike
    folds = [fold(0, rows, np.zeros(400, int), right)]
    alone = Evaluation("guess", "classification", ["a", "b"], folds)
    ordered = replace(alone, ordered=True)
    widths = [each.interval().high - each.interval().low for each in (alone, ordered)]
    assert widths[1] > 3 * widths[0]


def test_that_later_models_are_better_is_no_error_of_a_score_in_order_of_time():
    """Two models test two blocks of 8 rows each, with squared errors 10 and 8, 2 and 0.

    They differ from those of their own model by 1, -1, 1 and -1: s² = 4 / (4 - 2), se = s / √4.
    """
    errors = np.sqrt(np.repeat([10.0, 8.0, 2.0, 0.0], 8))
    folds = [
        FoldResult(i, part, np.zeros(16), errors[part], None, 32, 0, 0, None, ())
        for i, part in enumerate(np.split(np.arange(32), 2))
    ]
    alone = Evaluation("guess", "regression", None, folds, ordered=True)
    spread = alone.spread("mse")
    assert (spread.score, spread.freedom) == (pytest.approx(5), 2)
    assert spread.units == pytest.approx([1, -1, 1, -1])
    assert spread.error == pytest.approx(math.sqrt(4 / 2 / 4))
    grouped = replace(alone, groups=np.arange(32) // 4)
    assert grouped.spread("mse").error > 1  # a group may be tested by several models


def test_a_log_loss_in_order_of_time_is_rough_where_a_model_tests_less_than_two_blocks():
    proba = np.tile([[1.0, 0.0], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3]], (9, 1))
    truth, rows = np.tile([1, 1, 0, 0], 9), np.arange(36)

    def method(n_folds):
        folds = [
            FoldResult(i, part, truth[part], truth[part], proba[part], 36, 0, 0, None, ())
            for i, part in enumerate(np.split(rows, n_folds))
        ]
        return (
            Evaluation("guess", "classification", ["a", "b"], folds, ordered=True).interval("log_loss").method
        )

    assert "too wide" not in method(2)  # 18 rows, and a block has 6
    assert method(4).endswith("rough: rather too wide")


def test_an_area_under_the_curve_in_order_of_time_says_that_blocks_were_ranked():
    rows, truth = np.arange(40), np.tile([0, 1], 20)
    share = np.where(truth == 1, 0.6, 0.4) + np.linspace(-0.2, 0.2, 40)
    folds = [
        FoldResult(
            i, part, truth[part], truth[part], np.stack([1 - share, share], 1)[part], 40, 0, 0, None, ()
        )
        for i, part in enumerate(np.split(rows, 2))
    ]
    alone = Evaluation("guess", "classification", ["a", "b"], folds)
    ordered = replace(alone, ordered=True)
    assert ordered.interval("roc_auc").method.endswith(", ranked within blocks of time")
    assert "ranked" not in ordered.interval("accuracy").method
    assert "ranked" not in alone.interval("roc_auc").method


def test_own_metrics():
    cost = Metric("cost", "classification", False, False, lambda p: float((p.predicted > p.truth).sum()))
    evaluation = Evaluation("guess", "classification", ["a", "b"], four_folds(), (cost, "accuracy"))
    assert evaluation.metric() is cost
    assert evaluation.scores().tolist() == [0, 0, 1, 1]


def test_it_reads_well():
    X, y = load_iris(return_X_y=True)
    evaluation = evaluate(GaussianNB(), X, y, metrics=["accuracy", "log_loss"], name="Gaussian naive Bayes")
    text = str(evaluation)
    assert text.startswith("Evaluation of Gaussian naive Bayes")
    assert evaluation.interval().ends in text
    words = "stratified 10-fold cross-validation, repeated 5 times; 150 rows tested; scores are means over 5"
    assert words in text
    page = evaluation._repr_html_()
    assert "<table>" in page
    assert evaluation.interval().ends in page


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([], "an evaluation needs at least one fold"),
        ([fold(0, [0], [2], [0])], "fold 0: not the codes of 2 classes"),
        ([fold(0, [0], [0], [-1])], "fold 0: not the codes of 2 classes"),
        ([fold(0, [0], [0.5], [1])], "fold 0: not the codes of 2 classes"),
        ([fold(0, [0], [0], [1], proba=np.ones((1, 3)))], "fold 0: probabilities of 3 classes, not 2"),
    ],
)
def test_folds_that_do_not_fit_are_refused(folds, message):
    with pytest.raises(DataError, match=message):
        Evaluation("guess", "classification", ["a", "b"], folds)


def test_a_metric_must_fit_the_task():
    evaluation = Evaluation("guess", "classification", ["a", "b"], four_folds())
    with pytest.raises(ParameterError, match="rmse judges regression"):
        evaluation.mean("rmse")
    with pytest.raises(ParameterError, match="rmse judges regression"):
        evaluation.mean(METRICS["rmse"])


def test_rows_whose_class_had_probability_zero_have_an_interval_of_their_own():
    """1 of 10 rows loses 52 ln 2, the others nothing: Jeffreys' [0.011, 0.381] (Brown et al. 2001)."""
    proba = np.tile([1.0, 0.0], (10, 1))
    one = fold(0, range(10), [0] * 9 + [1], [0] * 10, proba=proba)
    found = Evaluation("sure", "classification", ["a", "b"], [one]).interval("log_loss")
    assert np.array(ends(found)) / (52 * np.log(2)) == pytest.approx([0.011, 0.381], abs=5e-4)


def test_rows_of_one_class_give_no_interval_of_a_loss():
    """80 rows of the one class say nothing of what a row of the other costs; their accuracy is Wilson's."""
    proba = np.column_stack([np.linspace(0.99, 0.999, 80), np.linspace(0.01, 0.001, 80)])
    tested = Evaluation(
        "sure", "classification", ["no", "yes"], [fold(0, range(80), [0] * 80, [0] * 80, proba=proba)]
    )
    assert str(tested.interval("log_loss")) == "(no interval: all rows that were tested are of one class)"
    assert ends(tested.interval("accuracy")) == pytest.approx((80 / (80 + 1.959964**2), 1))


def test_groups_take_more_of_nadeau_and_bengio_s_term():
    """As above with every row a group of its own: three times 2/8."""
    folds = [fold(i, [2 * i, 2 * i + 1], [0.0, 0.0], [1.0, 3.0], n_train=8) for i in range(2)]
    evaluation = Evaluation("guess", "regression", None, folds, groups=np.arange(4))
    assert evaluation.spread("mae").error == pytest.approx((1 / 3 * (1 + 3 * 2 / 8)) ** 0.5)
