"""Rows in the order of a column, against NumPy's stable sort; and trees of numbers that occur many times."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from openbook.errors import RefusalError
from openbook.tree import DecisionTreeClassifier, DecisionTreeRegressor
from openbook.tree.engine.grower import RECORDED
from openbook.tree.engine.keys import (
    CLASS,
    FIRST,
    MISSING,
    MOST_ROWS,
    ROW,
    check_rows,
    mark_class,
    rank_few,
    select_keys,
    sort_rows,
)

N = 3000


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def columns():
    rng = np.random.default_rng(0)
    return {
        "normal": rng.normal(size=N),
        "single": rng.normal(size=N).astype(np.float32),
        "few": rng.integers(0, 7, N).astype(float),
        "closer than float32 can tell": 1e9 + rng.random(N),
        "larger than float32 holds": 1e200 * rng.normal(size=N),
        "smaller than float32 holds": 1e-60 * rng.normal(size=N),
        "gaps": np.where(rng.random(N) < 0.3, np.nan, rng.normal(size=N).round(1)),
        "only gaps": np.full(N, np.nan),
        "two zeros": rng.choice([-0.0, 0.0, -1.0, 1.0], N),
        "falling": -np.arange(N, dtype=float),
        "one": np.zeros(1),
    }


COLUMNS = columns()


def room_for(keys):
    """Room to sort rows in."""
    return np.empty((2, len(keys)), np.uint64)


def described(numbers):
    """The rows in order, which of them are the first with their number, and which are missing."""
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    missing = np.isnan(ascending)
    same = (ascending[1:] == ascending[:-1]) | (missing[1:] & missing[:-1])
    return order, np.concatenate([[True], ~same]), missing


@pytest.mark.parametrize("name", COLUMNS)
def test_rows_are_in_the_order_of_their_numbers(name):
    numbers = COLUMNS[name]
    keys = np.empty(len(numbers), np.uint32)
    distinct = sort_rows(numbers, keys, room_for(keys))
    order, first, missing = described(numbers)
    np.testing.assert_array_equal(keys & ROW, order)
    np.testing.assert_array_equal((keys & FIRST) != 0, first)
    np.testing.assert_array_equal((keys & MISSING) != 0, missing)
    assert distinct == len(np.unique(numbers[~np.isnan(numbers)]))


def test_few_rows_have_the_same_keys_and_ranks_without_kernels():
    numbers = np.array([column for column in COLUMNS.values() if len(column) == N])
    ranked, end = rank_few(numbers), 0
    for column, own, ranks, n in zip(numbers, ranked.keys, ranked.ranks, ranked.distinct, strict=True):
        keys = np.empty(len(column), np.uint32)
        assert n == sort_rows(column, keys, room_for(keys))
        np.testing.assert_array_equal(own, keys)
        values = np.unique(column[~np.isnan(column)])
        np.testing.assert_array_equal(ranked.values[end : end + n], values)
        np.testing.assert_array_equal(ranks, np.where(np.isnan(column), n, np.searchsorted(values, column)))
        end += n


@given(arrays(float, st.integers(1, 40), elements=st.floats(allow_infinity=False, width=64)))
def test_rows_of_any_numbers_are_in_order(numbers):
    keys = np.empty(len(numbers), np.uint32)
    sort_rows(numbers, keys, room_for(keys))
    order, first, _ = described(numbers)
    np.testing.assert_array_equal(keys & ROW, order)
    np.testing.assert_array_equal((keys & FIRST) != 0, first)


@pytest.mark.parametrize("name", ["few", "gaps", "normal"])
def test_keys_of_some_rows_are_those_of_their_numbers(name, rng):
    numbers, kept = COLUMNS[name], rng.random(N) < 0.4
    keys, own, alone = (
        np.empty(N, np.uint32),
        np.empty(kept.sum(), np.uint32),
        np.empty(kept.sum(), np.uint32),
    )
    sort_rows(numbers, keys, room_for(keys))
    select_keys(keys, kept, own)
    sort_rows(numbers[kept], alone, room_for(alone))
    np.testing.assert_array_equal(own & ROW, np.flatnonzero(kept)[alone & ROW])
    np.testing.assert_array_equal(own & ~ROW, alone & ~ROW)


def test_each_key_has_the_class_of_its_row(rng):
    y = rng.integers(0, 2, N).astype(np.uint8)
    keys = np.empty((2, N), np.uint32)
    sort_rows(COLUMNS["normal"], keys[0], room_for(keys[0]))
    sort_rows(COLUMNS["few"], keys[1], room_for(keys[1]))
    before = keys.copy()
    mark_class(keys, y)
    np.testing.assert_array_equal((keys & CLASS) != 0, y[keys & ROW] == 1)
    np.testing.assert_array_equal(keys & ~CLASS, before)


def test_too_many_rows_to_sort_are_refused():
    check_rows(MOST_ROWS)
    with pytest.raises(RefusalError, match=r"536,870,913 rows exceed the 536,870,912 .* set `bins`"):
        check_rows(MOST_ROWS + 1)


def impurity(criterion, y):
    """The impurity of rows, times their number, as textbooks have it."""
    if criterion == "squared_error":
        return ((y - y.mean()) ** 2).sum()
    share = np.bincount(y) / len(y)
    share = share[share > 0]
    return len(y) * (1 - share @ share if criterion == "gini" else -share @ np.log2(share))


def drop(criterion, y, branches):
    """By how much a split lowers it."""
    return impurity(criterion, y) - sum(impurity(criterion, y[branch]) for branch in branches if branch.any())


def check_every_node(tree, columns, y, criterion, min_samples_leaf=1):
    """Try all splits of all nodes, one by one: numbers by a cut, words by a branch for each."""
    rows = {0: np.arange(len(y))}
    for node in np.flatnonzero(tree.attribute >= 0):
        here, target, splits = rows[node], y[rows[node]], {}
        for f, column in enumerate(columns):
            x = column[here]
            if x.dtype == float:
                splits |= {(f, a): (x <= a, x > a) for a in np.unique(x)[:-1]}
            else:
                splits[f, None] = tuple(x == value for value in np.unique(column))
        allowed = [s for s in splits.values() if sum(branch.sum() >= min_samples_leaf for branch in s) >= 2]
        best = max(drop(criterion, target, split) for split in allowed)
        f, cut = tree.attribute[node], tree.cut[node]
        x = columns[f][here]
        chosen = (x <= cut, x > cut) if x.dtype == float else splits[f, None]
        assert drop(criterion, target, chosen) == pytest.approx(best, rel=1e-9)
        assert tree.gain[node] * len(target) == pytest.approx(best, rel=1e-9)
        rows |= {tree.first[node] + b: here[branch] for b, branch in enumerate(chosen)}
    return len(rows)


@pytest.mark.parametrize(
    ("criterion", "n_classes"), [("gini", 2), ("entropy", 2), ("gini", 3), ("squared_error", 0)]
)
@pytest.mark.parametrize(("step", "min_samples_leaf"), [(0.0, 1), (0.01, 1), (0.01, 70)])
def test_every_node_has_the_best_of_all_cuts(criterion, n_classes, step, min_samples_leaf, rng):
    """Numbers occur once, or many times (in hundredths)."""
    X = rng.normal(size=(1500, 3))
    X = np.round(X / step) * step if step else X
    signal = X[:, 0] + X[:, 1] + rng.normal(size=len(X))
    y = np.digitize(signal, [0.0, 1.0][: n_classes - 1]) if n_classes else signal
    learner = DecisionTreeClassifier if n_classes else DecisionTreeRegressor
    model = learner(criterion=criterion, max_depth=12, min_samples_leaf=min_samples_leaf).fit(X, y)
    # more nodes than candidates are recorded for: the others are searched only for what would win
    assert check_every_node(model.tree_, X.T, y, criterion, min_samples_leaf) > (
        3 * RECORDED if min_samples_leaf == 1 else 10
    )


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_numbers_are_still_told_apart_behind_a_branch_for_each_word(criterion, rng):
    x = rng.normal(size=1500).round(2)
    word = rng.choice(["clay", "loam", "sand"], 1500)
    y = ((x > 0) ^ (word == "loam") ^ (rng.random(1500) < 0.05)).astype(int) ^ (word == "sand")
    y = np.where(rng.random(1500) < 0.3, word == "sand", y).astype(int)
    X = pd.DataFrame({"x": x, "word": word})
    tree = DecisionTreeClassifier(criterion=criterion, nominal="multiway", max_depth=5).fit(X, y).tree_
    assert (tree.attribute == 1).any()
    assert check_every_node(tree, [x, word], y, criterion) > 10


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_rows_of_one_number_are_not_cut_though_their_classes_lie_apart(criterion, rng):
    x = np.concatenate([rng.normal(-3, 1, 300), np.zeros(1000), rng.normal(3, 1, 300)])
    y = np.concatenate([rng.random(300) < 0.2, np.arange(1000) >= 500, rng.random(300) < 0.8]).astype(int)
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=3).fit(x[:, None], y).tree_
    assert check_every_node(tree, [x], y, criterion) > 4
