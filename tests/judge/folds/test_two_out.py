"""Two folds left out at once: which rows train, and what that changes about the score."""

import numpy as np
import pytest

from openbook.baseline import ZeroRegressor
from openbook.judge import Evaluation, FoldResult, evaluate, protocol
from openbook.judge.folds.examples import Split
from openbook.judge.folds.two_out import score_changes, two_out_splits
from openbook.judge.scores.metrics import METRICS

Y = np.array([0.0, 0.0, 3.0, 3.0, 6.0, 6.0])
THIRDS = ([0, 1], [2, 3], [4, 5])


def split(index, test, n=6):
    return Split(index, np.setdiff1d(np.arange(n), test), np.array(test))


def mean_of_others(split):
    """The result of predicting the mean of the training rows."""
    said = np.full(len(split.test), Y[split.train].mean())
    return FoldResult(split.index, split.test, Y[split.test], said, None, split.n_train, 0.0, 0.0, None, ())


FOLDS = [split(i, test) for i, test in enumerate(THIRDS)]


def test_each_fold_is_left_out_with_the_next_two():
    fifths = [split(i, [2 * i, 2 * i + 1], 12) for i in range(6)]
    pairs = [{row // 2 for row in each.test.tolist()} for each in two_out_splits(fifths, 12)]
    assert pairs == [
        {0, 1},
        {0, 2},
        {0, 4},
        {0, 5},
        {1, 2},
        {1, 3},
        {1, 5},
        {2, 3},
        {2, 4},
        {3, 4},
        {3, 5},
        {4, 5},
    ]


@pytest.mark.parametrize(
    ("folds", "n"),
    [
        ([split(i, [i]) for i in range(6)], 6),  # leave-one-out
        ([split(0, [0, 1, 2]), split(1, [3, 4, 5])], 6),  # nothing would be left
        (FOLDS[:2], 6),  # not every row is tested
        ([Split(i, np.arange(2, 4), np.array(test)) for i, test in enumerate(THIRDS)], 6),  # nor trains
        ([split(i, np.arange(50 * i, 50 * i + 50), 500) for i in range(10)], 500),
    ],
)
def test_no_folds_are_left_out_together(folds, n):
    assert two_out_splits(folds, n) == []


def test_changes_of_the_mean_absolute_error_by_hand():
    # the folds' own losses are 4.5, 0 and 4.5. Without a second fold, 0 is predicted as 6 or 3, 3 as 6 or 0,
    # and 6 as 3 or 0; a fold is a third of the rows
    results = [mean_of_others(each) for each in two_out_splits(FOLDS, 6)]
    changes = score_changes([mean_of_others(each) for each in FOLDS], results, METRICS["mae"], 0)
    assert changes[~np.eye(3, dtype=bool)].tolist() == pytest.approx([-0.5, 0.5, -1, -1, 0.5, -0.5])


def test_the_variance_that_rows_miss_by_hand():
    # the mean change is -1/3; the centred products of the three pairs are 1/9, 25/36 and 1/9, so that
    # 3 · 2 · 33/108 = 11/6 comes to the 27/5 / 6 = 0.9 of the rows: more than as much again, so as much
    two_out = tuple(mean_of_others(each) for each in two_out_splits(FOLDS, 6))
    folds = tuple(mean_of_others(each) for each in FOLDS)
    spread = Evaluation("mean", "regression", None, folds, two_out=two_out).spread("mae")
    assert spread.missing == 1
    assert spread.error == pytest.approx(np.sqrt(2 * 0.9))
    rows = Evaluation("mean", "regression", None, folds).spread("mae")
    assert rows.error == pytest.approx(np.sqrt(1.25 * 0.9))  # the rule of thumb: half of 2/4


def test_a_difference_of_a_learner_to_itself_misses_nothing():
    two_out = tuple(mean_of_others(each) for each in two_out_splits(FOLDS, 6))
    spread = Evaluation(
        "mean", "regression", None, tuple(map(mean_of_others, FOLDS)), two_out=two_out
    ).spread()
    assert spread.minus(spread).error == 0


def test_evaluations_by_the_usual_protocol_are_nested_and_others_are_not():
    X, y = np.arange(60.0)[:, None], np.arange(60.0)
    assert len(evaluate(ZeroRegressor(), X, y).two_out) == 20
    assert len(evaluate(ZeroRegressor(), X, y, cv=protocol(y, "regression", n_splits=5)).two_out) == 10
    assert evaluate(ZeroRegressor(), X, y, cv=10).two_out == ()
    assert evaluate(ZeroRegressor(), X, y, groups=np.arange(60) // 3).two_out == ()


def test_a_learner_that_fails_without_two_folds_is_judged_by_the_others():
    from sklearn.svm import SVC

    X, y = np.arange(60.0)[:, None], np.array(["a"] * 57 + ["b"] * 3)  # three folds, and two leave one b
    assert len(evaluate(SVC(), X, y).two_out) == 3
    y = np.array(["a"] * 54 + ["b"] * 2 + ["c"] * 4)
    judged = evaluate(SVC(), X[:60], np.where(y == "c", "a", y), cv=protocol(y, n_splits=4, repeats=1))
    assert len(judged.two_out) < 6
    assert judged.interval("accuracy").low < judged.score("accuracy")


@pytest.mark.parametrize(("cv", "how"), [(None, "left out two folds"), (5, "a rule of thumb")])
def test_an_interval_tells_how_it_knows_what_rows_miss(cv, how):
    X, y = np.arange(60.0)[:, None], np.arange(60.0)
    steps = evaluate(ZeroRegressor(), X, y, cv=cv).interval("rmse").steps
    assert how in next(step.note for step in steps if step.label == "rho")
