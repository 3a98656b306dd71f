"""Protocols and the locked-away rows."""

import numpy as np
import pytest

from openbook.data import Column, Nominal, Numeric
from openbook.errors import ParameterError
from openbook.judge import lock_away, protocol


def test_the_default_is_five_times_ten_stratified_folds():
    y = np.repeat(["a", "b"], [60, 40])
    plan = protocol(y)
    splits = list(plan.split(y, y))
    assert plan.kind == "repeated cross-validation"
    assert len(splits) == plan.get_n_splits() == 50
    assert all((y[test] == "a").sum() == 6 and len(test) == 10 for _, test in splits)
    assert str(plan) == "stratified 10-fold cross-validation, repeated 5 times"


def test_the_seed_decides():
    y = np.repeat([0, 1], 50)
    first, again, other = (next(protocol(y, random_state=seed).split(y, y))[1] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_many_rows_need_fewer_rounds():
    rounds = {n: protocol(np.arange(n) % 3).get_n_splits() // 10 for n in (1_999, 2_000, 4_999, 5_000)}
    assert rounds == {1_999: 5, 2_000: 2, 4_999: 2, 5_000: 1}
    assert protocol(np.arange(5_000) % 3).kind == "cross-validation"
    assert protocol(np.arange(5_000) % 3, repeats=2).get_n_splits() == 20


def test_regression_is_not_stratified():
    y = np.linspace(0, 1, 120)
    plan = protocol(y)
    assert plan.words == "10-fold cross-validation, repeated 5 times"
    assert len(list(plan.split(y, y))) == 50
    assert protocol(np.arange(80), "regression").words.startswith("10-fold")


def test_tiny_tables_leave_one_out_and_say_what_that_cannot_show():
    y = ["yes"] * 9 + ["no"] * 5
    plan = protocol(y)
    assert plan.kind == "leave-one-out"
    assert [test.tolist() for _, test in plan.split(y, y)] == [[i] for i in range(14)]
    assert "cannot show how much the score would change with another sample" in plan.words
    assert "even" not in plan.words


def test_even_classes_spoil_the_majority_under_leave_one_out():
    assert "0R may look worse than it is" in protocol(["a"] * 7 + ["b"] * 7).words


def test_a_rare_class_lowers_the_number_of_folds_and_it_is_said():
    y = np.repeat(["common", "rare"], [96, 4])
    plan = protocol(y)
    assert "4-fold" in plan.words
    assert "(4 folds, not 10, as class 'rare' has 4 rows)" in plan.words
    assert all((y[test] == "rare").sum() == 1 for _, test in plan.split(y, y))


def test_a_class_of_one_row_does_not_decide_and_does_not_warn():
    y = np.repeat(["a", "b", "once"], [50, 30, 1])
    plan = protocol(y)
    assert "10-fold" in plan.words
    assert "of class 'once' there is one row only, which cannot both train and test" in plan.words
    assert len(list(plan.split(y, y))) == 50  # warnings are errors here


def test_columns_tell_the_task():
    assert "stratified" in protocol(Column(Nominal("y", ("1", "2")), np.arange(60) % 2)).words
    assert "stratified" not in protocol(Column(Numeric("y"), np.arange(60.0))).words


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: protocol([1]), "cannot split 1 rows into training and test"),
        (lambda: protocol([0, 1] * 40, n_splits=1), "n_splits must be at least 2, got 1"),
        (lambda: protocol([str(i) for i in range(60)]), "every class has one row only"),
        (lambda: lock_away(None, [0, 1] * 40, share=20), "share must lie between 0 and 1, got 20"),
    ],
)
def test_what_cannot_be_split_is_said(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("share", [0.2, 0.25])
def test_each_class_gives_its_share(share):
    y = np.repeat(["a", "b", "c"], [200, 60, 13])
    rest, locked = lock_away(None, y, share=share)
    assert sorted([*rest, *locked]) == list(range(273))
    for label, rows in {"a": 200, "b": 60, "c": 13}.items():
        assert abs((y[locked] == label).sum() - share * rows) < 1, label


def test_each_tenth_of_a_numeric_target_gives_its_share():
    y = np.random.default_rng(0).normal(size=200)
    _, locked = lock_away(None, y)
    tenths = np.argsort(np.argsort(y))[locked] // 20
    assert np.bincount(tenths).tolist() == [4] * 10


def test_a_lone_row_is_not_locked_away():
    y = np.repeat(["a", "once"], [80, 1])
    assert all(80 in lock_away(None, y, random_state=seed)[0] for seed in range(20))


def test_the_seed_decides_what_is_locked_away():
    y = np.arange(100) % 2
    assert np.array_equal(lock_away(None, y, random_state=3)[1], lock_away(None, y, random_state=3)[1])
    assert not np.array_equal(lock_away(None, y, random_state=3)[1], lock_away(None, y, random_state=4)[1])


def test_the_order_of_the_classes_does_not_decide_what_is_locked_away():
    """So a study tests the same rows, whichever class is the positive one."""
    codes = np.random.default_rng(0).integers(0, 2, 100)
    one = Column(Nominal("grade", ("fail", "pass")), codes)
    other = Column(Nominal("grade", ("pass", "fail")), 1 - codes)
    assert np.array_equal(lock_away(None, one)[1], lock_away(None, other)[1])


def test_tiny_tables_keep_every_row():
    rest, locked = lock_away(None, ["a", "b"] * 20)
    assert (len(rest), len(locked)) == (40, 0)


def test_the_target_may_be_a_column_of_x():
    rows = [{"size": i, "kind": "ab"[i % 2]} for i in range(60)]
    rest, locked = lock_away(rows, "kind")
    assert (len(rest), len(locked)) == (48, 12)
    assert sum(i % 2 for i in locked) == 6
