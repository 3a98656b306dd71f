"""Laws of pruning: bottom-up it finds the best of all subtrees, and what it gives is a tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbook.data import Numeric, Schema
from openbook.tree.engine.nodes import LEAF, check
from openbook.tree.engine.prune import (
    collapse,
    cost_complexity_path,
    pessimistic_errors,
    prune_confidence,
    prune_cost_complexity,
    prune_pessimistic,
    prune_reduced_error,
    training_errors,
)

NUMBERS = Schema((Numeric("x"),))
LEAVES = st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(sum)
SPECS = st.recursive(LEAVES, lambda inner: st.lists(inner, min_size=2, max_size=3), max_leaves=12)


def all_prunings(tree):
    """Every tree that cutting back can give, as (errors, leaves) of each."""
    errors = training_errors(tree)

    def below(node):
        alone = [(float(errors[node]), 1)]
        if tree.attribute[node] == LEAF:
            return alone
        sums = [(0.0, 0)]
        for child in tree.children(node):
            sums = [(e + f, n + m) for e, n in sums for f, m in below(child)]
        return alone + sums

    return below(0)


@given(spec=SPECS, penalty=st.sampled_from([0.0, 0.3, 0.5, 1.0, 2.0]))
def test_no_subtree_has_a_smaller_pessimistic_error(nested_tree, spec, penalty):
    """Bottom-up pruning finds the least of all subtrees, and of equals the fewest leaves."""
    tree = nested_tree(spec)
    best = min((pessimistic_errors(e, n, penalty), n) for e, n in all_prunings(tree))
    pruned = prune_pessimistic(tree, penalty).tree
    leaves = pruned.attribute == LEAF
    found = pessimistic_errors(training_errors(pruned)[leaves].sum(), pruned.n_leaves, penalty)
    assert (found, pruned.n_leaves) == pytest.approx(best)
    check(pruned, NUMBERS, 2)


@given(spec=SPECS)
def test_every_step_of_the_path_is_best_at_its_alpha(nested_tree, spec):
    tree = nested_tree(spec)
    path = cost_complexity_path(tree, training_errors(tree))
    assert (np.diff(path.alphas) >= 0).all()
    candidates = all_prunings(tree)
    for step, alpha in enumerate(path.alphas):
        least = min(e + alpha * n for e, n in candidates)
        assert path.costs[step] + alpha * path.leaves[step] == pytest.approx(least)
        subtree = path.subtree(step)
        errors = training_errors(subtree)[subtree.attribute == LEAF].sum()
        assert (errors, subtree.n_leaves) == pytest.approx((path.costs[step], path.leaves[step]))
        last_of_equals = path.leaves[np.flatnonzero(path.alphas <= alpha * (1 + 1e-9))[-1]]
        assert prune_cost_complexity(tree, training_errors(tree), alpha).tree.n_leaves == last_of_equals
    assert path.leaves[-1] == 1


@given(spec=SPECS)
def test_every_pruning_gives_a_tree_and_decisions_that_say_how(nested_tree, spec):
    tree = nested_tree(spec)
    rng = np.random.default_rng(0)
    totals = tree.value * rng.integers(0, 2, tree.value.shape)
    for pruned in (collapse(tree), prune_confidence(tree), prune_reduced_error(tree, totals)):
        check(pruned.tree, NUMBERS, 2)
        assert pruned.tree.n_leaves <= tree.n_leaves
        assert (tree.value[pruned.kept] == pruned.tree.value).all()
        replaced = {d.node for d in pruned.decisions if d.pruned} & set(pruned.kept.tolist())
        ends = pruned.kept[pruned.tree.attribute == LEAF]
        assert replaced == {int(n) for n in ends if tree.attribute[n] != LEAF}
