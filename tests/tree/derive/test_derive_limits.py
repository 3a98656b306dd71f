"""Why a tree stops at a limit, worked by hand.

Four rows of x = 1, 2, 3, 4 and classes a a b a: Gini 3/8. Cutting after 2 gains 3/8 - 1/2 · 1/2 = 1/8; after
3, 3/8 - 3/4 · 4/9 = 1/24. The two rows b a beyond the first cut have a Gini of 1/2, all of which the next cut
gains: 2/4 · 1/2 = 1/4 of all rows.
"""

import pytest

from openbook import load
from openbook.tree import DecisionTreeClassifier, DecisionTreeRegressor

X, Y = [[1.0], [2.0], [3.0], [4.0]], list("aaba")


def grown(**limits):
    return DecisionTreeClassifier(**limits).fit(X, Y)


def test_min_impurity_decrease_weighs_the_gain_by_the_rows():
    assert grown(min_impurity_decrease=0.126).get_n_leaves() == 1
    assert grown(min_impurity_decrease=0.125).get_n_leaves() == 3
    # the second cut gains 1/2, but for half of the rows: in a regression of the same, it is the first to go
    model = DecisionTreeRegressor(min_impurity_decrease=0.2).fit(X, [0.0, 0.0, 1.0, 2.0])
    assert model.get_n_leaves() == 2  # 11/16 - 1/8 = 9/16 at the root, then 2/4 · 1/4 = 1/8


def test_the_work_says_by_how_much_a_split_falls_short():
    work = grown(min_impurity_decrease=0.126).work()
    assert "but min_impurity_decrease, 0.126, exceeds 0.125" in str(work)
    assert grown(min_impurity_decrease=0.1).work()["decrease(x0)"].result == pytest.approx(1 / 8)


def test_the_work_lists_splits_best_first():
    work = grown(max_leaf_nodes=3).work()
    assert work["best first"].rows == (("root", "x0", 0.125, 2), ("x0 > 2.5", "x0", 0.25, 3))
    short = grown(max_leaf_nodes=2).work()
    assert len(short["best first"].rows) == 1
    assert short["branches"].rows[1][-1] == "leaf a: max_leaf_nodes is 2"
    waiting = DecisionTreeClassifier(max_leaf_nodes=4).fit(*load("iris").split("species"))
    assert "max_leaf_nodes is 4, and other splits lower the impurity more" in str(waiting.work())


def test_a_split_with_more_branches_than_leaves_are_left_is_not_made():
    colours = [{"colour": c, "size": s} for c, s in zip("rgbrgb", "SSLSLL", strict=True)]
    model = DecisionTreeClassifier(max_leaf_nodes=2).fit(colours, list("xyzxyz"))
    assert model.get_n_leaves() == 1  # three colours win at the root
    assert DecisionTreeClassifier(max_leaf_nodes=3).fit(colours, list("xyzxyz")).get_n_leaves() == 3


@pytest.mark.parametrize("limit", [{"min_weight_fraction_leaf": 0.5}, {"min_samples_leaf": 0.5}])
def test_shares_count_the_weight_of_all_rows(limit):
    model = grown(**limit)
    assert model.get_n_leaves() == 2
    assert "two branches of 2 rows need more" in str(model.work())
    heavy = DecisionTreeClassifier(**limit).fit(X, Y, sample_weight=[1, 1, 1, 5])  # no cut leaves 4 below it
    assert heavy.get_n_leaves() == 1
