"""Splitters of our own: the bootstrap, groups and time; and protocols and locked rows made with them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from openbook.data import Column, Nominal, Numeric, Ordinal
from openbook.errors import DataError, OpenbookError, ParameterError
from openbook.judge import lock_away, protocol
from openbook.judge.folds.holdout import Holdout
from openbook.judge.folds.splitters import Bootstrap632, GroupFolds, TimeOrdered


def rows_of(splitter, n, y=None, groups=None):
    return [(train.tolist(), test.tolist()) for train, test in splitter.split(np.zeros((n, 1)), y, groups)]


# the bootstrap


def test_a_draw_trains_as_many_rows_as_there_are_and_tests_those_it_left_out():
    draws = rows_of(Bootstrap632(repeats=200), 100)
    assert len(draws) == Bootstrap632(repeats=200).get_n_splits() == 200
    for train, test in draws:
        assert len(train) == 100
        assert sorted({*train, *test}) == list(range(100))
        assert not set(train) & set(test)
    # (1 - 1/100)^100 of the rows are left out: 36.6, with a standard deviation of about 3 a draw
    assert np.mean([len(test) for _, test in draws]) == pytest.approx(36.6, abs=1)


def test_the_seed_decides_the_draws():
    assert rows_of(Bootstrap632(3, 1), 30) == rows_of(Bootstrap632(3, 1), 30)
    assert rows_of(Bootstrap632(3, 1), 30) != rows_of(Bootstrap632(3, 2), 30)


def test_stratified_draws_keep_the_size_of_each_class():
    y = np.repeat(["a", "b", "once"], [60, 7, 1])
    for train, _ in rows_of(Bootstrap632(20, stratified=True), 68, y):
        assert [(y[train] == label).sum() for label in ("a", "b", "once")] == [60, 7, 1]


def test_whole_groups_are_drawn():
    groups = np.repeat([10, 20, 30, 40, 50], [1, 2, 3, 4, 5])
    for train, test in rows_of(Bootstrap632(20), 15, groups=groups):
        assert not set(groups[train]) & set(groups[test])
        for group in set(groups[train].tolist()):
            members = np.flatnonzero(groups == group)
            assert len({train.count(i) for i in members}) == 1  # all of them, equally often


def test_two_rows_always_leave_one_out():
    assert all(len(test) == 1 for _, test in rows_of(Bootstrap632(50), 2))


@pytest.mark.parametrize(
    ("splitter", "n", "y", "groups", "message"),
    [
        (Bootstrap632(0), 9, None, None, "repeats must be at least 1, got 0"),
        (Bootstrap632(), 1, None, None, "cannot draw from 1 rows and leave some out"),
        (Bootstrap632(stratified=True), 3, [0, 1, 2], None, "cannot draw from classes of one row each"),
        (Bootstrap632(stratified=True), 3, None, None, "stratified draws need the classes; pass y"),
        (
            Bootstrap632(stratified=True),
            4,
            [0, 1, 0, 1],
            [1, 1, 2, 2],
            "draws whole groups, so it cannot also",
        ),
        (Bootstrap632(), 3, None, ["a"] * 3, "all rows are of one group"),
        (Bootstrap632(), 3, None, ["a"] * 2, "groups must be one for each of the 3 rows, got shape"),
        (Bootstrap632(), 3, None, ["a", None, "b"], "the group of row 1 is missing, and 0 more"),
        (GroupFolds(5), 8, None, [1, 1, 2, 2, 3, 3, 4, 4], "5 folds need as many groups, and there are 4"),
        (GroupFolds(2), 8, None, None, "needs to know the group of every row; pass groups"),
        (GroupFolds(1), 8, None, [1, 2] * 4, "n_splits must be at least 2, got 1"),
        (
            TimeOrdered(5),
            5,
            None,
            None,
            "5 folds need 6 blocks one after the other, and 5 rows at 5 different",
        ),
        (TimeOrdered(2, time=[1, 1, 1, 1, 2, 2]), 6, None, None, "at 2 different times do not give them"),
        (TimeOrdered(2, gap=2), 6, None, None, "a gap of 2 rows leaves none of the 2 before fold 0 to train"),
        (TimeOrdered(0), 6, None, None, "n_splits must be at least 1 and gap at least 0, got 0 and 0"),
        (TimeOrdered(2, -1), 6, None, None, "got 2 and -1"),
        (TimeOrdered(2), 6, None, [1] * 6, "no row can be tested by a model of earlier rows of other groups"),
        (TimeOrdered(2, test_groups="old"), 6, None, None, "test_groups must be 'new' or 'known', got 'old'"),
        (TimeOrdered(2, first=5), 6, None, None, "2 folds need 3 blocks one after the other"),
        (
            TimeOrdered(1, time=["31.5.2024", "2024-06-01"]),
            2,
            None,
            None,
            "time '31.5.2024' is neither a number",
        ),
        (TimeOrdered(1, time=[1.0, np.nan]), 2, None, None, "the time of row 1 is missing"),
    ],
)
def test_a_splitter_says_why_it_cannot(splitter, n, y, groups, message):
    with pytest.raises(OpenbookError, match=message):
        rows_of(splitter, n, y, groups)


# groups


def test_groups_stay_together_and_every_row_is_tested_once_a_round():
    rng = np.random.default_rng(0)
    groups, y = rng.integers(0, 40, 500), rng.integers(0, 3, 500)
    splits = rows_of(GroupFolds(5, repeats=2), 500, y, groups)
    assert len(splits) == GroupFolds(5, repeats=2).get_n_splits() == 10
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])
        assert sorted(train + test) == list(range(500))
    for rounds in (splits[:5], splits[5:]):
        assert sorted(i for _, test in rounds for i in test) == list(range(500))
    assert splits[:5] != splits[5:]


def test_folds_of_groups_are_stratified():
    # of each of 50 groups all rows are of one class; 10 groups are of the rare one
    groups = np.repeat(np.arange(50), 4)
    y = np.isin(groups, np.arange(10)).astype(int)
    for _, test in rows_of(GroupFolds(5), 200, y, groups):
        assert np.bincount(y[test]).tolist() == [32, 8]


def test_folds_of_unequal_groups_come_near_their_share():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(60), rng.integers(1, 30, 60))
    y = rng.integers(0, 2, len(groups))
    for _, test in rows_of(GroupFolds(5), len(groups), y, groups):
        assert len(test) == pytest.approx(len(groups) / 5, rel=0.1)
        assert y[test].mean() == pytest.approx(y.mean(), abs=0.05)


def test_as_many_folds_as_groups_leave_none_empty():
    groups = np.repeat(np.arange(7), [1, 1, 1, 1, 1, 1, 500])
    y = np.repeat(np.arange(7), [1, 1, 1, 1, 1, 1, 500])
    assert all(test for _, test in rows_of(GroupFolds(7), 506, y, groups))


def test_scikit_learn_can_use_them():
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(60, 2)), np.arange(60) % 2, np.repeat(np.arange(12), 5)
    for splitter in (GroupFolds(4), Bootstrap632(4), protocol(y, n_splits=4, repeats=1, groups=groups)):
        assert len(cross_val_score(clone(GaussianNB()), X, y, cv=splitter, groups=groups)) == 4


# time


def test_no_model_is_tested_on_rows_from_before_its_own():
    time = np.random.default_rng(0).permutation(100)
    for train, test in rows_of(TimeOrdered(4, gap=3, time=time), 100):
        assert time[train].max() + 3 < time[test].min()
        assert (np.diff(time[train]) > 0).all()  # in order, so that an inner split can go by it


def test_rows_of_one_time_stay_together():
    days = np.repeat(
        [1, 2, 3, 4], [7, 1, 5, 3]
    )  # even blocks would begin at 6 and 11; days do at 7, 8 and 13
    assert rows_of(TimeOrdered(2, time=days), 16) == [
        (list(range(7)), list(range(7, 13))),
        (list(range(13)), [13, 14, 15]),
    ]
    assert [test for _, test in rows_of(TimeOrdered(3, time=days), 16)] == [
        [7],
        list(range(8, 13)),
        [13, 14, 15],
    ]


@pytest.mark.parametrize(
    "time",
    [
        ["2024-05-09", "2024-05-10", "2024-04-30", "2024-05-11"],
        pd.Series(pd.to_datetime(["2024-05-09", "2024-05-10", "2024-04-30", "2024-05-11"])),
        np.array(["2024-05-09", "2024-05-10", "2024-04-30", "2024-05-11"], dtype="datetime64[D]"),
        [9, 10, 8.5, 11],
        ["9", "10", "8", "11"],
        Column(Numeric("t"), np.array([9.0, 10.0, 8.5, 11.0])),
        Column(Nominal("t", ("9", "10", "8", "11")), np.arange(4)),
        Column(Ordinal("t", ("low", "middle", "high", "top")), np.array([1, 2, 0, 3])),
    ],
)
def test_times_of_every_kind_are_put_in_order(time):
    assert rows_of(TimeOrdered(3, time=time), 4) == [([2], [0]), ([2, 0], [1]), ([2, 0, 1], [3])]


def test_groups_that_are_tested_do_not_train_however_early():
    groups = np.array(list("abcabdaefg"))
    splits = rows_of(TimeOrdered(1), 10, groups=groups)
    assert sorted(row for _, test in splits for row in test) == [5, 6, 7, 8, 9]
    for train, test in splits:  # where a, at 6, is tested, its rows 0 and 3 do not train
        assert train == ([1, 2, 4] if 6 in test else [0, 1, 2, 3, 4])


# protocols


def test_a_protocol_by_groups():
    groups = np.repeat(np.arange(30), 4)
    y = np.arange(120) % 2
    plan = protocol(y, groups=groups)
    assert plan.words == (
        "stratified 10-fold cross-validation, repeated 5 times, a group's rows always together (30 groups)"
    )
    assert (plan.kind, plan.get_n_splits()) == ("repeated cross-validation", 50)
    for train, test in plan.split(y):  # it knows its groups
        assert not set(groups[train]) & set(groups[test])


def test_groups_of_numbers_are_dealt_by_chance():
    """Of 0 to 29, three at a time without replacement: a mean has the variance 74.9 / 3 · 27/29 = 23.2."""
    groups = np.repeat(np.arange(30), 4)
    plan = protocol(groups, "regression", groups=groups)
    assert plan.words.startswith("10-fold cross-validation, repeated 5 times, a group's rows always together")
    means = [groups[test].mean() for _, test in plan.split(groups)]
    assert np.var(means) == pytest.approx(23.2, rel=0.5)


def test_few_groups_are_left_out_one_by_one():
    y, groups = np.arange(120) % 2, np.repeat(["x", "y", "z"], 40)
    plan = protocol(y, groups=groups)
    assert plan.kind == "leave-one-group-out"
    assert plan.words == "leave-one-group-out: each of the 3 groups is predicted by a model of the others"
    assert [set(groups[test]) for _, test in plan.split(y)] == [{"x"}, {"y"}, {"z"}]


def test_a_class_in_few_groups_lowers_the_number_of_folds():
    groups = np.repeat(np.arange(30), 4)
    y = np.where(np.isin(groups, [0, 1, 2, 3]) & (np.arange(120) % 4 == 0), "rare", "common")
    plan = protocol(y, groups=groups)
    assert "4-fold" in plan.words
    assert "(4 folds, not 10, as class 'rare' is in 4 groups)" in plan.words
    assert all((y[test] == "rare").sum() == 1 for _, test in plan.split(y))


def test_a_class_in_one_group_only_is_said():
    groups = np.repeat([f"g{i}" for i in range(30)], 4)
    y = np.where(np.arange(120) < 2, "lone", np.where(np.arange(120) % 2, "a", "b"))
    assert (
        "; class 'lone' is in group 'g0' only, and cannot both train and test"
        in protocol(y, groups=groups).words
    )


def test_a_protocol_by_time():
    y = np.arange(110) % 2
    plan = protocol(y, time=np.arange(110)[::-1])
    assert (plan.kind, plan.get_n_splits()) == ("time-ordered", 10)
    assert (
        plan.words == "time-ordered evaluation on 10 blocks, each predicted by a model of the rows before it"
    )
    train, test = next(plan.split(y))
    assert (train.tolist(), test.tolist()) == (list(range(109, 59, -1)), list(range(59, 53, -1)))


def test_few_rows_give_few_blocks_of_time_and_it_is_said():
    plan = protocol([0, 1] * 10, time=range(20))
    assert "(2 blocks, not 10, as there are 20 rows at 20 times)" in plan.words
    assert plan.get_n_splits() == 2


@pytest.mark.parametrize("n", [50, 60, 100, 200, 500, 1000, 3000])
def test_blocks_of_time_are_even_and_the_first_model_has_rows_enough(n):
    plan = protocol(np.arange(n) % 2, time=np.arange(n))
    splits = [(len(train), len(test)) for train, test in plan.split(np.zeros(n))]
    assert splits[0][0] >= min(n // 2, 50)
    assert splits[0][0] + sum(tested for _, tested in splits) == n  # no row but the first ones is left out
    sizes = [tested for _, tested in splits]
    assert min(sizes) >= 5
    assert max(sizes) == min(sizes)
    assert len(splits) == min(10, (n - min(n // 2, 50)) // 5)


def test_testing_begins_where_a_second_class_has_come_up():
    y = ["no"] * 120 + ["no", "yes"] * 40
    plan = protocol(y, time=range(200))
    train, _ = next(plan.split(y))
    assert train.tolist() == list(range(130))  # the fifth yes is row 129
    assert "; the first 130 rows only train, as nearly all rows before are of one class" in plan.words


def test_rows_of_a_class_that_no_model_has_seen_are_said():
    y = ["a", "b"] * 47 + ["a"] + ["late"] * 5
    plan = protocol(y, time=range(100), n_splits=5)
    assert plan.words.endswith(
        "; 5 rows are of a class that their model has not seen ('late'), so it cannot predict it"
    )


# panels: the same groups, time after time

PATIENT, YEAR = np.repeat(np.arange(150), 6), np.tile(np.arange(2015, 2021), 150)


def test_new_groups_over_time_are_tested_by_the_past_of_others():
    plan = protocol(PATIENT % 2, groups=PATIENT, time=YEAR)
    tested = []
    for train, test in plan.split(PATIENT):
        assert YEAR[train].max() < YEAR[test].min()
        assert not set(PATIENT[train]) & set(PATIENT[test])
        past = (YEAR[test].min() > YEAR).sum()
        assert len(train) == pytest.approx(0.8 * past)  # 120 of 150 patients
        tested += test.tolist()
    assert sorted(tested) == np.flatnonzero(YEAR > 2015).tolist()
    assert plan.get_n_splits() == 25  # five years, in five parts each
    assert plan.words == (
        "time-ordered evaluation on 5 blocks, each predicted by a model of the rows before it"
        " (5 blocks, not 10, as there are 900 rows at 6 times). The groups that are tested are"
        " new to the model: none of their rows train (150 groups)"
    )


def test_known_groups_over_time_train_by_their_past():
    plan = protocol(PATIENT % 2, groups=PATIENT, time=YEAR, test_groups="known")
    splits = list(plan.split(PATIENT))
    assert plan.get_n_splits() == len(splits) == 5
    for year, (train, test) in zip(range(2016, 2021), splits, strict=True):
        assert sorted(train) == np.flatnonzero(year > YEAR).tolist()
        assert sorted(test) == np.flatnonzero(year == YEAR).tolist()
    assert (
        "The groups that are tested are known to the model: their earlier rows train too (150 groups)"
        in plan.words
    )


def test_groups_that_do_not_return_cost_no_part():
    visits = np.arange(900)  # every row its own group
    plan = protocol(PATIENT % 2, groups=visits, time=YEAR)
    assert [len(train) for train, _ in plan.split(visits)] == [150, 300, 450, 600, 750]


def test_rows_that_no_other_group_precedes_are_not_tested_and_it_is_said():
    time = np.arange(60)
    groups = np.where((time >= 50) & (time % 2 == 0), "b", "a")  # only a is there until 50
    plan = protocol(time % 2, groups=groups, time=time, n_splits=2)
    tested = [test.tolist() for _, test in plan.split(time)]  # of rows 30 to 44 and 45 to 59
    assert tested == [[50, 52, 54, 56, 58]]
    assert "; 25 rows are not tested, as no other group has rows before them" in plan.words


def test_new_groups_at_the_end_of_time_are_locked_away():
    kept, locked = lock_away(None, PATIENT % 2, groups=PATIENT, time=YEAR)
    assert (len(kept), len(locked)) == (500, 50)  # 100 patients in five years, 50 others in the sixth
    assert set(YEAR[locked]) == {2020}
    assert YEAR[kept].max() == 2019
    assert not set(PATIENT[kept]) & set(PATIENT[locked])


def test_known_groups_are_locked_away_at_the_end_of_time():
    kept, locked = lock_away(None, PATIENT % 2, groups=PATIENT, time=YEAR, test_groups="known")
    assert locked.tolist() == np.flatnonzero(YEAR == 2020).tolist()
    assert kept.tolist() == np.flatnonzero(YEAR < 2020).tolist()


def test_a_protocol_is_for_its_own_rows():
    with pytest.raises(
        ParameterError, match="this protocol is for 80 rows, and here are 60; make one for them"
    ):
        next(protocol([0, 1] * 40).split(np.zeros((60, 1))))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: protocol([0, 1] * 40, groups=["a"] * 80), "all rows are of group 'a'"),
        (
            lambda: protocol([0] * 40 + [1] * 40, groups=[0] * 40 + [1] * 40),
            "every class is found in one group only.* were the groups made from the target",
        ),
        (lambda: protocol([0, 1] * 40, groups=[1, 2]), "groups must be one for each of the 80 rows"),
        (
            lambda: lock_away(None, [0, 1] * 40, groups=np.arange(80) // 40),
            "no choice of whole groups comes to 20% of the rows: there are 2 groups, the smallest of 40",
        ),
        (lambda: lock_away(None, [0, 1] * 40, time=[1] * 80), "all rows have the same time"),
        (
            lambda: lock_away(None, [0, 1] * 40, time=range(80), groups=[0] * 80),
            "no other group has rows before the last ones, so none can be tested as new",
        ),
        (lambda: lock_away(None, [0, 1] * 40, test_groups="same"), "'new' or 'known', got 'same'"),
        (lambda: protocol([0, 1] * 40, test_groups="same"), "'new' or 'known', got 'same'"),
        (lambda: protocol([0, 1] * 40, time=[1] * 80), "all rows have the same time"),
        (
            lambda: protocol(["no"] * 79 + ["yes"], time=range(80)),
            "all rows before the last time are of class 'no', so no model could have learnt another",
        ),
    ],
)
def test_what_cannot_be_done_with_groups_and_time_is_said(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()


# locked away


def test_whole_groups_are_locked_away_by_class():
    groups = np.repeat(np.arange(50), 4)
    y = np.isin(groups, np.arange(10)).astype(int)
    kept, locked = lock_away(None, y, groups=groups)
    assert not set(groups[kept]) & set(groups[locked])
    assert sorted([*kept, *locked]) == list(range(200))
    assert np.bincount(y[locked]).tolist() == [32, 8]


@pytest.mark.parametrize(
    "held_out",
    [
        lambda y, groups, seed: lock_away(None, y, groups=groups, random_state=seed)[1],
        lambda y, groups, seed: next(Holdout(0.8, random_state=seed).split(y, y, groups))[1],
    ],
)
def test_groups_of_numbers_are_held_out_by_chance(held_out):
    """As in folds: groups with equal shares of small and large numbers would look easier than new ones."""
    groups = np.repeat(np.arange(50), 4)
    y = groups + 0.5
    means = [y[held_out(y, groups, seed)].mean() for seed in range(300)]
    # the mean of 10 of the numbers 0.5 to 49.5, drawn without replacement
    assert np.std(means) == pytest.approx(np.sqrt(50 * 51 / 12 / 10 * (1 - 10 / 50)), rel=0.15)


def test_the_last_rows_are_locked_away():
    time = np.random.default_rng(0).permutation(100)
    kept, locked = lock_away(None, np.arange(100) % 2, time=time, share=0.25)
    assert sorted(time[locked]) == list(range(75, 100))
    assert sorted([*kept, *locked]) == list(range(100))


def test_rows_of_one_time_are_locked_away_together():
    time = np.repeat([1, 2, 3], [60, 25, 15])
    _, locked = lock_away(None, np.arange(100) % 2, time=time)
    assert np.unique(time[locked]).tolist() == [3]  # 15 rows are nearer to 20 than 40 are


def test_by_time_and_groups_nobody_is_in_both_parts():
    groups = np.repeat(np.arange(25), 4)
    time = np.arange(100)
    groups[3] = 24  # an early row of the last group
    kept, locked = lock_away(None, np.arange(100) % 2, time=time, groups=groups)
    assert locked.tolist() == list(range(80, 100))
    assert kept.tolist() == [i for i in range(80) if i != 3]
