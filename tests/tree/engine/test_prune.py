"""Pruning: each rule by hand on small trees, and how a decision is derived."""

import math

import numpy as np
import pytest

from openbook.border.rules import Maybe, OneOf, check_parameters
from openbook.data import Numeric, Schema
from openbook.errors import ParameterError
from openbook.tree.derive.pruning import work_of_decision
from openbook.tree.engine.nodes import LEAF, check
from openbook.tree.engine.prune import (
    PRUNINGS,
    Decision,
    added_errors,
    collapse,
    cost_complexity_path,
    pessimistic_errors,
    prune_best_first,
    prune_confidence,
    prune_cost_complexity,
    prune_pessimistic,
    prune_reduced_error,
    training_errors,
    worth_expanding,
)


def leaf_values(tree):
    return tree.value[tree.attribute == LEAF].tolist()


def is_a_tree(tree):
    check(tree, Schema((Numeric("x"),)), tree.value.shape[1])
    return True


# The left subtree earns its keep, the right one does not: 1 + 1 errors in two leaves, 2 in one.
LOPSIDED = [[(9, 0), (1, 8)], [(5, 1), (4, 1)]]


# --- the pessimistic error


def test_pessimistic_pruning_keeps_what_is_strictly_better_and_replaces_the_rest(nested_tree):
    pruned = prune_pessimistic(nested_tree(LOPSIDED))
    assert is_a_tree(pruned.tree)
    assert leaf_values(pruned.tree) == [[9, 2], [9, 0], [1, 8]]
    assert pruned.kept.tolist() == [0, 1, 2, 3, 4]
    assert pruned.decisions == (
        Decision(2, 2, 2 + 2 * 0.5, 2.5, True, "pessimistic"),
        Decision(1, 2, 1 + 2 * 0.5, 8.5, False, "pessimistic"),
        Decision(0, 3, 2 + 2.5, 10 + 0.5, False, "pessimistic"),
    )


def test_equal_pessimistic_errors_leave_the_smaller_tree(nested_tree):
    spec = [(6, 1), (1, 2)]  # two errors in two leaves cost 3; a leaf has 3 errors
    assert prune_pessimistic(nested_tree(spec), penalty=1).tree.n_leaves == 1
    assert prune_pessimistic(nested_tree(spec), penalty=0.9).tree.n_leaves == 2


def test_replacing_goes_from_the_leaves_up(nested_tree):
    """The root is judged with the subtrees that are left: pruned ones cost no more than one leaf."""
    spec = [[[(4, 0), (4, 0)], (4, 0)], (0, 2)]
    tree = prune_pessimistic(nested_tree(spec), penalty=0.75).tree
    assert leaf_values(tree) == [[12, 0], [0, 2]]  # 0 + 2 × 0.75 < 2 + 0.75; unpruned it would be 4 × 0.75


def test_ties_by_shares_that_do_not_add_up_exactly(nested_tree):
    """Three leaves of a tenth of an error each, and 0.3 errors in one: by rounding, the leaf has more."""
    tree = nested_tree([(4, 0.1), (4, 0.1), (4, 0.1)])
    tree.value[0] = 12, 0.3
    assert training_errors(tree)[0] > training_errors(tree)[1:].sum()
    assert prune_pessimistic(tree, penalty=0).tree.n_leaves == 1


def test_a_branch_without_rows_makes_no_errors(linked_tree):
    """It holds its parent's counts to answer with, and pays for a leaf all the same."""
    tree = linked_tree([1, 0, 0, 0], [3, 0, 0, 0], [(5, 5), (5, 0), (0, 5), (5, 5)], [10, 5, 5, 0])
    assert training_errors(tree).tolist() == [5, 0, 0, 0]
    assert prune_pessimistic(tree).decisions[0].before == 1.5


def test_a_single_leaf_stays_as_it_is(nested_tree):
    leaf = nested_tree((3, 4))
    for pruned in (
        prune_pessimistic(leaf),
        prune_confidence(leaf),
        prune_reduced_error(leaf, [[1, 2]]),
        prune_cost_complexity(leaf, [0.4], 1.0),
    ):
        assert pruned.tree.n_leaves == 1
        assert pruned.decisions == ()
    path = cost_complexity_path(leaf, [0.4])
    assert (path.alphas.tolist(), path.costs.tolist(), path.leaves.tolist()) == ([0], [0.4], [1])


def test_expanding_must_lower_the_pessimistic_error():
    assert worth_expanding(10, 8, 3)  # 9.5 < 10.5
    assert not worth_expanding(10, 9, 3)  # 10.5 on both sides
    assert pessimistic_errors(9, 4, penalty=0.25) == 10


# --- C4.5's confidence bound


def test_quinlan_s_bound_without_errors():
    """C4.5: Programs for Machine Learning, p. 42: 6 × 0.206 + 9 × 0.143 + 1 × 0.750 = 3.273 at 25%."""
    assert added_errors([6, 9, 1], 0) / [6, 9, 1] == pytest.approx([0.206, 0.143, 0.750], abs=5e-4)
    assert added_errors([6, 9, 1], 0).sum() == pytest.approx(3.273, abs=1e-3)


def test_the_normal_approximation_by_hand():
    """n = 16, e = 1, CF = 25%: z = 0.67449, z² = 0.45494, f = 1.5/16 = 0.09375.

    f + z²/32 = 0.107967; f (1 - f)/16 + z²/1024 = 0.00531006 + 0.00044428, its root 0.0758574, times z
    0.0511650; their sum over 1 + z²/16 = 1.0284336 is 0.154732, times 16 = 2.47571.
    """
    assert added_errors(16, 1) == pytest.approx(2.47571 - 1, abs=2e-5)


def test_a_fraction_of_an_error_lies_between_none_and_one():
    none, one = 16 * (1 - 0.25 ** (1 / 16)), 1.47571
    assert added_errors(16, 0.25) == pytest.approx(0.75 * none + 0.25 * one, abs=2e-5)


def test_hardly_more_can_be_wrong_than_all():
    assert added_errors([4, 4, 4, 0.5], [3.5, 3.8, 4, 0.25]).tolist() == pytest.approx(
        [0.5, 0.2, 0, 0.75 * 0.5 * (1 - 0.25**2)]
    )
    assert added_errors(0, 0) == 0


def test_at_a_confidence_of_a_half_the_bound_is_the_median():
    """z = 0, so that f = (e + ½)/n itself is the bound."""
    assert added_errors([10, 20], [2, 7], confidence=0.5).tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("confidence", [0, -0.1, 0.6, math.nan])
def test_a_confidence_out_of_range(confidence):
    with pytest.raises(ParameterError, match=r"confidence must lie above 0 and be at most 0.5, got .*0.25"):
        added_errors(10, 1, confidence)


def test_quinlan_s_subtree_becomes_a_leaf(nested_tree):
    """Leaves of 6, 9 and 1 rows, the last of another class: 3.273 expected errors, and 2.476 as a leaf."""
    pruned = prune_confidence(nested_tree([(6, 0), (9, 0), (0, 1)]))
    (decision,) = pruned.decisions
    assert decision[:2] == (0, 3)
    assert (decision.before, decision.after) == pytest.approx((3.273, 2.47571), abs=1e-3)
    assert decision.pruned
    assert decision.rule == "confidence"
    assert leaf_values(pruned.tree) == [[15, 1]]


def test_a_tenth_of_an_error_is_no_reason_to_stay(nested_tree):
    """Two pure leaves of 2 and n rows, expecting 1 + n (1 - 0.25^(1/n)), against two errors in n + 2 rows."""
    tree = nested_tree([(0, 2), (10, 0)])
    before = 1 + 10 * (1 - 0.25**0.1)
    n, z2 = 12, 0.4549364
    f = 2.5 / n
    root = math.sqrt(z2 * (f * (1 - f) / n + z2 / (4 * n * n)))
    after = n * (f + z2 / (2 * n) + root) / (1 + z2 / n)
    assert before < after  # 2.294 and 3.771: kept, by more than 0.1
    (decision,) = prune_confidence(tree).decisions
    assert (decision.before, decision.after, decision.pruned) == (
        pytest.approx(before),
        pytest.approx(after, rel=1e-6),
        False,
    )


@pytest.mark.parametrize(("share", "pruned"), [(0.55, True), (0.65, False)])
def test_a_subtree_within_the_allowance_gives_way(nested_tree, share, pruned):
    """At CF = ½ every leaf adds half an error: 4 + 2 × ½ before, and 4 + share + ½ after."""
    (decision,) = prune_confidence(nested_tree([(10, 2), (2, 2 + share)]), confidence=0.5).decisions
    assert (decision.before, decision.after) == pytest.approx((5, 4.5 + share))
    assert decision.pruned is pruned


def test_collapsing_comes_first_and_from_the_top(nested_tree):
    """A subtree that saves no training error is a leaf at once; what was below it is not looked at."""
    tree = nested_tree([[[(3, 1), (4, 1)], (5, 2)], (0, 9)])
    collapsed = collapse(tree)
    assert collapsed.decisions == (Decision(1, 3, 4, 4, True, "collapse"),)
    assert leaf_values(collapsed.tree) == [[12, 4], [0, 9]]
    assert collapsed.kept.tolist() == [0, 1, 2]
    pruned = prune_confidence(tree)
    assert [(d.node, d.rule) for d in pruned.decisions] == [(1, "collapse"), (0, "confidence")]
    assert pruned.kept.tolist() == [0, 1, 2]


def test_decisions_after_collapsing_count_in_the_grown_tree(nested_tree):
    tree = nested_tree([[(3, 1), (4, 1)], [(9, 0), (0, 9)]])
    pruned = prune_confidence(tree)
    assert [(d.node, d.rule, d.pruned) for d in pruned.decisions] == [
        (1, "collapse", True),
        (2, "confidence", False),
        (0, "confidence", False),
    ]
    assert pruned.kept.tolist() == [0, 1, 2, 5, 6]
    assert (tree.value[pruned.kept] == pruned.tree.value).all()


# --- reduced error


def test_reduced_error_by_hand(nested_tree):
    """Answers come from the training rows, errors from the validation rows; ties take the smaller tree."""
    tree = nested_tree([[(9, 0), (1, 8)], [(5, 1), (1, 4)]])
    # nodes:   0       1       2       3       4       5       6
    totals = [(4, 4), (2, 3), (2, 1), (2, 0), (0, 3), (0, 1), (2, 0)]
    pruned = prune_reduced_error(tree, totals)
    assert [d[2:5] for d in pruned.decisions] == [
        (1 + 2, 1, True),  # node 2 answers the first class
        (0 + 0, 3, False),  # node 1 answers the first class as well: 10 of 18
        (0 + 1, 4, False),
    ]
    assert leaf_values(pruned.tree) == [[6, 5], [9, 0], [1, 8]]


def test_the_best_cut_comes_first(nested_tree):
    """Held-out errors as leaves: node 1 saves 3 + 2 - 2, node 2 saves 3 + 2 - 4, the root 10 - 8 at first."""
    tree = nested_tree([[(9, 0), (1, 8)], [(5, 1), (4, 3)]])
    pruned = prune_best_first(tree, [8, 2, 4, 3, 2, 3, 2])
    assert pruned.decisions == (
        Decision(1, 2, 5.0, 2.0, True, "best_first"),
        Decision(2, 2, 5.0, 4.0, True, "best_first"),
        Decision(0, 2, 6.0, 8.0, False, "best_first"),
    )
    assert is_a_tree(pruned.tree)
    assert pruned.tree.n_leaves == 2


def test_the_best_cut_may_be_the_whole_tree(nested_tree):
    tree = nested_tree(LOPSIDED)
    (only,) = prune_best_first(tree, [0.0] * tree.size).decisions
    assert only == Decision(0, 4, 0.0, 0.0, True, "best_first")


@pytest.mark.parametrize("seed", range(5))
def test_from_the_leaves_up_no_order_makes_fewer_errors(nested_tree, seed):
    """The best cut first is greedy: it may cut a large subtree of which a part was worth keeping."""
    tree = nested_tree([[[(3, 1), (2, 5)], (4, 4)], [(1, 6), [(2, 2), (7, 1)]]])
    cost = np.random.default_rng(seed).integers(0, 9, tree.size).astype(float)
    up, best = (cut(tree, cost) for cut in (prune_reduced_error, prune_best_first))
    ends = [cost[one.kept[one.tree.attribute == LEAF]].sum() for one in (up, best)]
    assert ends[0] <= ends[1] <= cost[tree.attribute == LEAF].sum()


def test_where_no_validation_row_comes_the_subtree_goes(nested_tree):
    """The root, which answers the first class, would get 3 wrong as a leaf; its right branch does not."""
    tree = nested_tree([[(9, 0), (1, 4)], (0, 5)])
    totals = [(0, 3), (0, 0), (0, 3), (0, 0), (0, 0)]
    assert leaf_values(prune_reduced_error(tree, totals).tree) == [[10, 4], [0, 5]]


def test_reduced_error_of_numbers(linked_tree):
    """Squared errors per node: 2 + 3 against 5 is a tie, 5 + 1 against 7 is none."""
    tree = linked_tree([1, 3, 0, 0, 0], [2, 2, 0, 0, 0], [[1.0], [2], [3], [4], [5]], [4, 2, 2, 1, 1])
    pruned = prune_reduced_error(tree, [7, 5, 1, 2, 3])
    assert [(d.before, d.after, d.pruned) for d in pruned.decisions] == [(5, 5, True), (6, 7, False)]
    assert leaf_values(pruned.tree) == [[2], [3]]


# --- cost complexity


LINKS = [[(9, 0), (1, 8)], [(2, 1), (1, 3)]]


def test_weakest_links_by_hand(nested_tree):
    """Errors over 25 rows: g is (8 - 1)/25 on the left and (3 - 2)/25 on the right, which goes first.

    The root then has 12 errors as a leaf, and 1 + 3 in three leaves: g = (12 - 4)/25/2, less than the left's.
    """
    tree = nested_tree(LINKS)
    path = cost_complexity_path(tree, training_errors(tree) / 25)
    assert path.alphas == pytest.approx([0, 1 / 25, 4 / 25])
    assert path.costs == pytest.approx([3 / 25, 4 / 25, 12 / 25])
    assert path.leaves.tolist() == [4, 3, 1]
    assert path.nodes.tolist() == [-1, 2, 0]
    assert [path.subtree(i).n_leaves for i in range(3)] == [4, 3, 1]
    assert leaf_values(path.subtree(1)) == [[3, 4], [9, 0], [1, 8]]


@pytest.mark.parametrize(("errors", "leaves"), [(0, 4), (0.9, 4), (1, 3), (3.9, 3), (4, 1)])
def test_the_best_tree_at_an_alpha(nested_tree, errors, leaves):
    """A leaf must save as many errors as alpha says, over all 25 rows."""
    tree = nested_tree(LINKS)
    assert prune_cost_complexity(tree, training_errors(tree) / 25, errors / 25).tree.n_leaves == leaves


def test_at_alpha_zero_tests_that_save_nothing_go(nested_tree):
    tree = nested_tree([[(9, 0), (8, 0)], (0, 3)])
    pruned = prune_cost_complexity(tree, training_errors(tree) / 20, 0.0)
    assert leaf_values(pruned.tree) == [[17, 0], [0, 3]]


# --- the work, and the border


def test_a_decision_is_derived(nested_tree):
    pruned = prune_pessimistic(nested_tree(LOPSIDED))
    work = work_of_decision(pruned.decisions[0], 0.5, name="windy = yes")
    assert work.title == "Pruning at windy = yes: pessimistic error"
    assert (work["subtree"].numbers, work["subtree"].result) == (r"2 + 0.5 \cdot 2", 3)
    assert (work["leaf"].numbers, work["leaf"].result) == ("2 + 0.5", 2.5)
    assert work.conclusion == "2.5 does not exceed 3: the subtree of 2 leaves becomes a leaf."
    kept = work_of_decision(pruned.decisions[1], 0.5)
    assert kept.title == "Pruning at node 1: pessimistic error"
    assert kept.conclusion == "8.5 exceeds 2: the subtree of 2 leaves is kept."


def test_the_allowance_is_part_of_the_verdict(nested_tree):
    (decision,) = prune_confidence(nested_tree([(6, 0), (9, 0), (0, 1)])).decisions
    assert work_of_decision(decision).conclusion == (
        "2.47571 does not exceed 3.2726 + 0.1: the subtree of 3 leaves becomes a leaf."
    )


@pytest.mark.parametrize("render", ["text", "html", "latex", "json"])
@pytest.mark.parametrize(
    "rule", ["pessimistic", "collapse", "confidence", "reduced_error", "cost_complexity"]
)
def test_every_rule_can_be_shown_in_every_way(rule, render):
    assert getattr(work_of_decision(Decision(3, 4, 11.0, 10.5, True, rule), 0.5), render)()


def test_numbers_have_no_errors_to_be_pessimistic_about():
    class Learner:
        prune = "pessimistic"

    with pytest.raises(ParameterError, match=r"prune must be None or one of 'reduced_error', 'best_f"):
        check_parameters(Learner(), {"prune": Maybe(OneOf(*PRUNINGS["regression"]))})
    check_parameters(Learner(), {"prune": Maybe(OneOf(*PRUNINGS["classification"]))})
