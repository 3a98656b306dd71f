"""The worked examples of pruning: pessimistic errors before and after, and the decision."""

import pytest

from openbook.tree.derive.pruning import work_of_decision
from openbook.tree.engine.prune import (
    pessimistic_errors,
    prune_pessimistic,
    training_errors,
    worth_expanding,
)


def test_thirty_leaves(golden):
    record = golden("pessimistic_30_leaves")
    data, expected = record["data"], record["expected"]
    errors = pessimistic_errors(data["errors"], data["leaves"], data["k"])
    assert data["errors"] / data["n"] == expected["training_rate"]
    assert errors == expected["pessimistic_errors"]
    assert errors / data["n"] == expected["pessimistic_rate"]


def test_the_optimistic_error_prefers_the_tree_with_fewer(golden, nested_tree):
    """Each tree as two leaves of half the rows, all its errors in the first."""
    record = golden("optimistic_two_trees")
    half, expected = record["data"]["n"] // 2, record["expected"]
    rates = {}
    for name, errors in record["data"]["errors"].items():
        tree = nested_tree([(half - errors, errors), (0, half)])
        rates[name] = training_errors(tree)[1:].sum() / tree.weight[0]
    assert rates == pytest.approx(expected["rate"], rel=1e-15)
    assert min(rates, key=rates.get) == expected["preferred"]


def test_whether_to_expand(golden):
    record = golden("prepruning_expand")
    data, expected = record["data"], record["expected"]
    errors, below, children, k = (data[key] for key in ("node_errors", "child_errors_total", "children", "k"))
    assert pessimistic_errors(errors, 1, k) == expected["as_leaf"]
    assert pessimistic_errors(below, children, k) == expected["expanded"]
    assert worth_expanding(errors, below, children, k) is expected["expand"]


def test_replacing_a_subtree(golden, nested_tree):
    """Leaves of 20 rows; but the last one is of the other class, by the one row that a single leaf adds."""
    record = golden("postpruning_replace")
    data, expected = record["data"], record["expected"]
    *most, last = data["leaf_errors"]
    tree = nested_tree([*((20 - errors, errors) for errors in most), (last, last + 1)])
    pruned = prune_pessimistic(tree, data["k"])
    (decision,) = pruned.decisions
    assert training_errors(tree)[1:].sum() == expected["training_before"]
    assert training_errors(tree)[0] == expected["training_after"]
    assert (decision.before, decision.after) == (expected["before"], expected["after"])
    assert decision.pruned is expected["prune"]
    assert pruned.tree.n_leaves == 1
    work = work_of_decision(decision, data["k"])
    assert (work["subtree"].numbers, work["subtree"].result) == (r"9 + 0.5 \cdot 4", expected["before"])
    assert (work["leaf"].numbers, work["leaf"].result) == ("10 + 0.5", expected["after"])


def test_keeping_a_subtree(golden, nested_tree):
    record = golden("own_prune_keep")
    leaves, expected = record["data"]["leaf_class_counts"], record["expected"]
    tree = nested_tree([tuple(counts) for counts in leaves])
    pruned = prune_pessimistic(tree, record["data"]["k"])
    (decision,) = pruned.decisions
    assert training_errors(tree)[1:].tolist() == expected["leaf_errors"]
    assert training_errors(tree)[0] == expected["errors_as_leaf"]
    assert (decision.before, decision.after) == (expected["before"], expected["after"])
    assert decision.pruned is expected["prune"]
    assert pruned.tree.n_leaves == len(leaves)
    assert tree.value[0].argmax() == expected["leaf_label"]
