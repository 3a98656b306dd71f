r"""Pruning: subtrees of a grown tree give way to leaves.

All ways to prune but the collapse go from the leaves up by one rule: the subtree T below a node t becomes a
leaf where the leaf costs no more than the leaves that are left below it,

    cost(t) <= sum of cost(leaf) over the leaves of T + allowance

so that of equals the smaller tree stays. They differ in what a leaf costs:

    pessimistic       e + k                      so that e'(T) = e(T) + k leaves
    confidence        e + added(n, e, CF)        C4.5's upper bound of the error; allowance 0.1
    reduced error     errors on a validation part; "best first" cuts by the same costs, the best cut first
    cost complexity   R + α                      so that R_α(T) = R(T) + α leaves

e : errors of the node as a leaf, on the training rows (n of them)
R : the node's share of the cost, such as impurity × weight / weight of all rows

C4.5 also collapses, before all else: a subtree that gets no fewer training rows wrong than its node alone
is a leaf. Its raising of subtrees is left out, as WEKA's J48 leaves it out with -S: a raised subtree takes in
rows that never met the tests above it, and no derivation could show where its counts come from.

A tree of at most so many leaves is not pruned but grown best first: of the nodes that could be split, the
one whose split lowers the cost most is next. What a split gains depends on the rows of its node alone, so
the tree is grown in any order and cut back to the splits that come first.

Missing values: rows that go down several branches count by their shares, in errors as in weights.
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from openbook.errors import ParameterError
from openbook.measures import entropy, gini
from openbook.tree.engine.nodes import LEAF, Tree, cut_back, parents

#: The ways to prune by what is predicted: a tree of numbers makes no errors that could be counted.
PRUNINGS = {
    "classification": ("reduced_error", "best_first", "pessimistic", "confidence", "cost_complexity"),
    "regression": ("reduced_error", "best_first", "cost_complexity"),
}

#: Every rule by which a decision is made; the model file counts in them.
PRUNING_RULES = (
    "collapse",
    "reduced_error",
    "pessimistic",
    "confidence",
    "cost_complexity",
    "adjusted_error",
    "best_first",
)

#: The ways that need rows held out.
HELD_OUT = ("reduced_error", "best_first")

#: J48's allowances: a subtree is kept if it saves more than so many errors, expected ones or those made
#: in training.
EXPECTED, MADE = 0.1, 1e-3
#: Costs that differ by less, as a share of the largest, are equal.
TIE = 1e-12


class Decision(NamedTuple):
    """A decision at a node: whether a leaf takes the place of the subtree below it.

    node : its number in the grown tree
    leaves : of the subtree, after what was pruned in it earlier
    before, after : the cost of the subtree, and of a leaf in its place
    rule : one of PRUNING_RULES
    """

    node: int
    leaves: int
    before: float
    after: float
    pruned: bool
    rule: str


class Pruned(NamedTuple):
    """A pruned tree, its nodes' numbers in the grown tree, and the decisions in the order they were made."""

    tree: Tree
    kept: np.ndarray
    decisions: tuple[Decision, ...]


class Path(NamedTuple):
    """The trees that cost-complexity pruning comes through, from the grown one to the root alone.

    alphas : float64 (n_steps,), from which α on the tree is best; 0 for the grown one, then never falling
    costs : float64 (n_steps,), the cost R of the leaves
    leaves : intp (n_steps,), how many there are
    nodes : intp (n_steps,), the node that the step made a leaf; -1 for the grown tree
    """

    grown: Tree
    alphas: np.ndarray
    costs: np.ndarray
    leaves: np.ndarray
    nodes: np.ndarray

    def subtree(self, step):
        """The tree of a step."""
        becomes_leaf = np.zeros(self.grown.size, dtype=bool)
        becomes_leaf[self.nodes[1 : step + 1]] = True
        return cut_back(self.grown, becomes_leaf)[0]


def keep_best_first(tree, most_leaves):
    """The splits that growing best first makes until there are so many leaves.

    Nodes wait by weight × gain, the drop in cost; the first of equals is next. A split that would make too
    many leaves is left out.
    """
    drop, more_leaves = (tree.weight * tree.gain).tolist(), (tree.branches - 1).tolist()
    becomes_leaf, waiting, spare = tree.attribute != LEAF, [(-np.inf, 0)], most_leaves - 1
    while waiting and spare:
        _, node = heappop(waiting)
        if 0 < more_leaves[node] <= spare:
            becomes_leaf[node], spare = False, spare - more_leaves[node]
            for child in tree.children(node):
                heappush(waiting, (-drop[child], child))
    cut, kept = cut_back(tree, becomes_leaf)
    return Pruned(cut, kept, ())


def impurity_costs(tree, criterion):
    """R of each node as a leaf: its impurity, or mean error, times its share of all rows."""
    if criterion.endswith("_error"):
        return tree.value[:, 1] / tree.weight[0]
    impurity = gini if criterion == "gini" else entropy
    return impurity(tree.value) * tree.weight / tree.weight[0]


def trimmed(tree, max_leaf_nodes, ccp_alpha, criterion):
    """A tree of an ensemble, cut back to the limit on its leaves and by the price of a leaf."""
    if max_leaf_nodes is not None:
        tree = keep_best_first(tree, max_leaf_nodes).tree
    if ccp_alpha:
        tree = prune_cost_complexity(tree, impurity_costs(tree, criterion), ccp_alpha).tree
    return tree


def pessimistic_errors(errors, leaves, penalty=0.5):
    """e'(T) = e(T) + k leaves.

    >>> pessimistic_errors(9, 4), pessimistic_errors(10, 1)
    (11.0, 10.5)
    """
    return errors + penalty * leaves


def worth_expanding(errors, errors_below, branches, penalty=0.5):
    """Whether a node is better split than left a leaf: its pessimistic error becomes strictly smaller.

    >>> worth_expanding(10, 9, 4)
    False
    """
    return pessimistic_errors(errors_below, branches, penalty) < pessimistic_errors(errors, 1, penalty)


def training_errors(tree):
    """The weight of the training rows that each node would get wrong as a leaf; 0 where there are none."""
    return np.where(tree.weight > 0, tree.value.sum(axis=1) - tree.value.max(axis=1), 0.0)


def added_errors(weight, errors, confidence=0.25):
    """How many errors C4.5 expects beyond those made: n times the upper bound of their share, less e.

    With f = (e + ½) / n and z the normal quantile of 1 - CF, the bound is Wilson's,

        (f + z²/2n + z sqrt(f (1 - f) / n + z²/4n²)) / (1 + z²/n)

    without any error it is exact, n (1 - CF^(1/n)), and between none and one it runs straight. Never more
    than all rows are wrong. No rows, no errors.

    Parameters
    ----------
    weight, errors : float or array, n and e
    confidence : float, above 0 and at most ½
        CF: the smaller, the more is pruned.

    Examples
    --------
    Quinlan's leaves of 6, 9 and 1 rows without an error expect 6 × 0.206, 9 × 0.143 and 0.75:

    >>> added_errors([6, 9, 1], 0).round(3).tolist()
    [1.238, 1.285, 0.75]
    """
    if not 0 < confidence <= 0.5:
        msg = f"confidence must lie above 0 and be at most 0.5, got {confidence}; 0.25 is usual"
        raise ParameterError(msg)
    weight, errors = np.broadcast_arrays(np.asarray(weight, float), np.asarray(errors, float))
    n = np.where(weight > 0, weight, 1.0)
    none = n * (1 - confidence ** (1 / n))
    some = _added_to_some(n, np.maximum(errors, 1.0), ndtri(1 - confidence))
    added = np.where(errors < 1, none + errors * (some - none), some)
    return np.where(weight > 0, added, 0.0)


def _added_to_some(n, e, z):
    """The errors to add where there is one at least."""
    f = np.minimum((e + 0.5) / n, 1.0)
    bound = (f + z * z / (2 * n) + z * np.sqrt(f * (1 - f) / n + (z / (2 * n)) ** 2)) / (1 + z * z / n)
    return np.where(e + 0.5 >= n, np.maximum(n - e, 0.0), bound * n - e)


def prune_pessimistic(tree, penalty=0.5):
    """Replace every subtree unless its pessimistic error is strictly smaller than that of a leaf."""
    return _bottom_up(tree, pessimistic_errors(training_errors(tree), 1, penalty), "pessimistic")


def prune_confidence(tree, confidence=0.25):
    """Collapse, then replace every subtree that does not expect 0.1 errors fewer than a leaf, as J48 does."""
    collapsed = collapse(tree)
    errors = training_errors(collapsed.tree)
    expected = errors + added_errors(collapsed.tree.weight, errors, confidence)
    pruned = _bottom_up(collapsed.tree, expected, "confidence", EXPECTED)
    decisions = [d._replace(node=int(collapsed.kept[d.node])) for d in pruned.decisions]
    return Pruned(pruned.tree, collapsed.kept[pruned.kept], (*collapsed.decisions, *decisions))


def collapse(tree):
    """Replace every subtree that gets no fewer training rows wrong than its node alone, the highest first."""
    candidates = _decided(tree, training_errors(tree), "collapse", allowance=-np.inf)
    useless = [d._replace(pruned=True) for d in candidates if d.after <= d.before + MADE]
    pruned = _pruned(tree, useless)
    highest = set(pruned.kept.tolist())
    return pruned._replace(decisions=tuple(d for d in useless if d.node in highest))


def prune_reduced_error(tree, totals):
    """Replace every subtree that makes no fewer errors than a leaf on rows that the tree was not grown on.

    Parameters
    ----------
    totals : float64 (n_nodes, n_classes), the weight of each class among the validation rows that come to
        the node; or (n_nodes,), their squared errors if the node were a leaf, for a tree of numbers

    A node that no validation row comes to has no errors to save, and becomes a leaf.
    """
    return _bottom_up(tree, _errors_held_out(tree, totals), "reduced_error")


def prune_best_first(tree, totals):
    """Reduced error, the best cut first: the subtree whose leaf saves most errors on rows held out becomes a
    leaf, again and again, until every cut would cost some (Mitchell 1997, section 3.7).

    It is greedy: a large subtree may go of which a part was worth keeping; `prune_reduced_error` makes the
    fewest errors. Of equal savings the subtree with more leaves goes, then the one nearer the root. The last
    decision is the best cut that is not made, if one is left.

    Parameters
    ----------
    totals : as for `prune_reduced_error`
    """
    leaf_cost, parent = _errors_held_out(tree, totals), parents(tree)
    subtree_cost, leaves = leaf_cost.copy(), np.ones(tree.size, dtype=np.intp)
    for node in _inner(tree):
        children = tree.children(node)
        subtree_cost[node], leaves[node] = subtree_cost[children].sum(), leaves[children].sum()
    inner, decisions = tree.attribute != LEAF, []
    allowance = TIE * float(leaf_cost.max())
    while inner.any():
        saved = np.where(inner, subtree_cost - leaf_cost, -np.inf)
        best = np.flatnonzero(saved >= saved.max() - allowance)
        node = int(best[np.argmax(leaves[best])])
        pruned = bool(saved[node] >= -allowance)
        costs = float(subtree_cost[node]), float(leaf_cost[node])
        decisions.append(Decision(node, int(leaves[node]), *costs, pruned, "best_first"))
        if not pruned:
            break
        fewer_leaves, less_cost = leaves[node] - 1, subtree_cost[node] - leaf_cost[node]
        inner[_below(tree, node)] = False
        while node >= 0:
            subtree_cost[node], leaves[node] = subtree_cost[node] - less_cost, leaves[node] - fewer_leaves
            node = int(parent[node])
    return _pruned(tree, decisions)


def _errors_held_out(tree, totals):
    """What each node costs as a leaf, on rows that the tree was not grown on."""
    cost = np.asarray(totals, dtype=float)
    if cost.ndim == 2:
        answers = tree.value.argmax(axis=1)
        cost = cost.sum(axis=1) - cost[np.arange(tree.size), answers]
    return cost


def _below(tree, node):
    """A node and all below it."""
    found, waiting = [], [node]
    while waiting:
        found.append(waiting.pop())
        waiting += tree.children(found[-1])
    return found


def prune_cost_complexity(tree, cost, alpha):
    """The smallest of the subtrees for which R(T) + α leaves is least.

    Unlike scikit-learn's, an alpha of 0 prunes: tests that lower the cost by nothing go.

    Parameters
    ----------
    cost : float64 (n_nodes,), as for `cost_complexity_path`
    alpha : float, at least 0
    """
    return _bottom_up(tree, np.asarray(cost) + alpha, "cost_complexity")


def cost_complexity_path(tree, cost):
    """Weakest-link pruning: which node becomes a leaf next as α grows, and at which α.

    A node t should become a leaf from that α on at which the leaves saved make up for its higher cost:

        g(t) = (R(t) - R(T)) / (leaves of T - 1)

    where T is the subtree that is still there at that α. From the leaves up, g is first computed as if t's
    children were leaves. While the last link to be cut below t is cut at no smaller α than g, that link is
    still there at g: it is undone, and its rise in cost and its leaves count for t. A link that is undone
    never becomes a step of its own, so n log n steps are enough. Each step cuts one link, as in
    scikit-learn's `ccp_path`.

    Parameters
    ----------
    cost : float64 (n_nodes,), R of each node as a leaf: impurity × weight / weight of all rows, or errors
        over the weight of all rows
    """
    cost = np.asarray(cost, dtype=float)
    first, branches, costs = tree.first.tolist(), tree.branches.tolist(), cost.tolist()
    links: list[list] = [
        [] for _ in range(tree.size)
    ]  # a heap for each subtree; the last to be cut comes first
    for node in _inner(tree):
        children = slice(first[node], first[node] + branches[node])
        heap = _joined(links[children])
        rise, saved = costs[node] - sum(costs[children]), branches[node] - 1
        while heap and -heap[0][0] >= rise / saved:
            _, _, more_rise, more_saved = heappop(heap)
            rise, saved = rise + more_rise, saved + more_saved
        heappush(heap, (-rise / saved, node, rise, saved))
        links[node] = heap
    steps = sorted(links[0], reverse=True)
    minus_alphas, nodes, rises, leaves = zip(*steps, strict=True) if steps else ((), (), (), ())
    return Path(
        tree,
        np.maximum(-np.array([0.0, *minus_alphas]), 0.0),
        cost[tree.attribute == LEAF].sum() + np.cumsum([0.0, *rises]),
        tree.n_leaves - np.cumsum([0, *leaves]),
        np.array([-1, *nodes]),
    )


def _joined(heaps):
    """One heap of all: the smaller ones are added to the largest."""
    largest = max(heaps, key=len)
    for heap in heaps:
        if heap is not largest:
            for link in heap:
                heappush(largest, link)
    return largest


def _inner(tree):
    """The inner nodes, children before parents."""
    return np.flatnonzero(tree.attribute != LEAF)[::-1].tolist()


def _bottom_up(tree, cost, rule, allowance=0.0):
    """Replace subtrees from the leaves up where the leaf costs no more; cost : float64 (n_nodes,)."""
    return _pruned(tree, _decided(tree, cost, rule, allowance))


def _decided(tree, cost, rule, allowance):
    """The decision at each inner node, children before parents."""
    first, branches = tree.first.tolist(), tree.branches.tolist()
    final = cost.tolist()  # the cost of each node with what is left of its subtree
    leaves = [1] * tree.size
    allowance += TIE * float(cost.max())
    decisions = []
    for node in _inner(tree):
        children = slice(first[node], first[node] + branches[node])
        before, after, n_leaves = sum(final[children]), final[node], sum(leaves[children])
        pruned = after <= before + allowance
        decisions.append(Decision(node, n_leaves, before, after, pruned, rule))
        if not pruned:
            final[node], leaves[node] = before, n_leaves
    return decisions


def _pruned(tree, decisions):
    becomes_leaf = np.zeros(tree.size, dtype=bool)
    becomes_leaf[[d.node for d in decisions if d.pruned]] = True
    if not becomes_leaf.any():
        return Pruned(tree, np.arange(tree.size), tuple(decisions))
    cut, kept = cut_back(tree, becomes_leaf)
    return Pruned(cut, kept, tuple(decisions))
