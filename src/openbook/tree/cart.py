"""CART: binary trees, grown large and cut back to the α that cross-validation chooses (Breiman et al., 1984).

The tree of all rows gives the sequence of best subtrees T_1, T_2, … from α_1 = 0, α_2, … on (see `prune`), of
which the last is the root alone. Each stands for its interval by

    β_k = sqrt(α_k α_{k+1}),   β_K = ∞

For every fold a tree is grown on the other rows and cut back at each β_k, and tested on the rows of the fold.
With L_i the loss of row i, an error counted as 1, or the squared error,

    R^cv(T_k) = sum_i w_i L_i / sum_i w_i
    SE = sqrt((sum_i w_i L_i^2 / sum_i w_i - R^cv^2) / n),   n = (sum_i w_i)^2 / sum_i w_i^2

and the smallest T_k is taken with R^cv(T_k) <= min R^cv + SE of that minimum.

Missing cells go down the heavier branch, in learning and in prediction, so a row is in one node a level.
"""

from abc import abstractmethod
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from openbook.border.not_taken import Declared
from openbook.border.rules import Number, Whole
from openbook.fold import each
from openbook.tree.classifier import TreeClassifier
from openbook.tree.engine.grower import grow_tree
from openbook.tree.engine.nodes import LEAF, add_errors, cells, parents
from openbook.tree.engine.prune import cost_complexity_path, prune_cost_complexity, training_errors
from openbook.tree.learner import TreeLearner
from openbook.tree.regressor import TreeRegressor
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

#: Of a longer sequence so many subtrees are judged, the smaller ones among them in finer steps.
MOST_SUBTREES = 50
#: Values of α that differ by less, as a share of the largest, are one.
EQUAL = 1e-10


class SubtreeChoice(NamedTuple):
    """The subtrees that were judged, from the largest to the root alone.

    alpha, error, deviation : float64 (n,), β_k, the cross-validated error and its standard error
    leaves : int64 (n,)
    chosen : int64 (1,), which one was taken
    """

    alpha: np.ndarray
    leaves: np.ndarray
    error: np.ndarray
    deviation: np.ndarray
    chosen: np.ndarray


class ByFolds(Declared, TreeLearner):
    """A tree cut back to the α that cross-validation chooses."""

    nominal = "subset"
    missing = "majority"
    prune = "cost_complexity"
    _grows_once = False

    min_samples_leaf: Annotated[float, Number(at_least=1)] = 1
    cv: Annotated[int, Whole(at_least=2)] = 10
    random_state: int = 0

    @property
    def ccp_alpha_(self):
        """The price of a leaf that cross-validation chose."""
        return float(self.choice_.alpha[self.choice_.chosen[0]])

    def _pruned(self, tree, rows, training, held_out):  # noqa: ARG002 (folds hold out)
        cost = self._costs(tree)
        alpha, leaves = judged_subtrees(cost_complexity_path(tree, cost))
        error, deviation = self._judge(rows, training, alpha) if len(alpha) > 1 else (cost[:1], np.zeros(1))
        chosen = smallest_within(error, deviation)
        self.choice_ = SubtreeChoice(alpha, leaves, error, deviation, np.array([chosen]))
        return prune_cost_complexity(tree, cost, self.ccp_alpha_)

    def _judge(self, rows, training, alpha):
        """The error of each subtree on rows that it was not grown on, and its standard error."""
        X = np.concatenate([cells(table) for table in rows.tables()])
        rule = self._rule(training, training.w.sum())
        step = partial(self._losses, X, training, rule, np.r_[alpha[:-1], np.inf])
        losses = sum(each(self._parts(training.y, min(self.cv, len(X))), step))
        w = training.w
        error, squares = losses / w.sum()
        return error, np.sqrt(np.maximum(squares - error**2, 0) * (w @ w)) / w.sum()

    def _parts(self, y, folds):
        """The rows of each fold, drawn at random: of every class about as many."""
        order = check_random_state(self.random_state).permutation(len(y))
        if self._n_classes:
            order = order[np.argsort(y[order], kind="stable")]
        return [np.sort(order[k::folds]) for k in range(folds)]

    def _losses(self, X, training, rule, alpha, held_out):
        """The loss, and the square of the loss, of a fold's rows under each α, (2, n_alphas)."""
        others = np.setdiff1d(np.arange(len(X)), held_out, assume_unique=True)
        tree, _ = grow_tree(training, rule, self._n_classes, others, recorded=0)
        path = cost_complexity_path(tree, self._costs(tree))
        steps = np.searchsorted(path.alphas, alpha, side="right") - 1
        losses = self._node_losses(tree, X[held_out], training.y[held_out], training.w[held_out])
        return summed_over_leaves(path, losses)[:, steps]

    @abstractmethod
    def _node_losses(self, tree, X, y, w):
        """What the rows that come to each node lose if it is a leaf, and the squares of that; two arrays."""

    def _work(self):
        grown = super()._work()
        return Work(grown.title, (*grown.parts, derive_choice(self.choice_)), grown.conclusion)

    def _arrays(self):
        return super()._arrays() | {f"choice.{name}": a for name, a in self.choice_._asdict().items()}

    def _restore(self, arrays):
        choice = SubtreeChoice(**{name: arrays[f"choice.{name}"] for name in SubtreeChoice._fields})
        check_choice(choice)
        super()._restore({name: a for name, a in arrays.items() if not name.startswith("choice.")})
        self.choice_ = choice


class CART(ByFolds, TreeClassifier):
    r"""The decision tree CART for classification (Breiman et al., 1984), pruned by cross-validation.

    The cut or the two groups of values that lower the Gini impurity most are tested, until the rows agree or
    nothing gains. Of the subtrees that are best for some α, by errors + α leaves, the smallest is taken whose
    cross-validated error is within one standard error of the least,

    .. math:: R^{cv}(T_k) \le \min_j R^{cv}(T_j) + SE

    Parameters
    ----------
    min_samples_leaf : float, default=1
        The weight that both branches of a split must have. 1 sets no limit, since rows may weigh less.
    cv : int, default=10
        The number of folds that choose the size of the tree. Rows are dealt into folds one by one, so a row
        that is there twice can fall into two folds, and a row of weight 2 cannot.
    random_state : int, RandomState or None, default=0
        Random seed of the folds.

    Attributes
    ----------
    ccp_alpha_ : float
        The price of a leaf that was chosen, as a share of all rows.
    choice_ : SubtreeChoice
        The subtrees that were judged: alpha, leaves, error, deviation (its standard error), chosen.
    tree_ : Tree
    classes_ : ndarray of shape (n_classes,)
    feature_importances_ : ndarray of shape (n_columns,)
    candidates_ : Candidates
    pruning_ : Pruning

    Notes
    -----
    Guide: docs/guide/trees.md

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees, chapters 3 and 11.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> model = CART().fit(X, y)
    >>> model.get_n_leaves(), model.score(X, y)
    (3, 0.96)
    """

    def _costs(self, tree):
        """What each node costs as a leaf: its errors, as a share of all rows."""
        return training_errors(tree) / tree.weight[0]

    def _node_losses(self, tree, X, y, w):
        totals = self._held_out(tree, X, y, w)
        errors = totals.sum(axis=1) - totals[np.arange(tree.size), tree.value.argmax(axis=1)]
        return errors, errors  # 1 squared is 1


class CARTRegressor(ByFolds, TreeRegressor):
    """The decision tree CART for regression (Breiman et al., 1984), pruned by cross-validation.

    It is grown, pruned and judged by the squared error: the cut or the two groups of values that lower it
    most are tested, and of the subtrees that are best for some price of a leaf, the smallest is taken whose
    cross-validated error is within one standard error of the least. The best two groups of nominal values are
    exact.

    Parameters
    ----------
    min_samples_leaf : float, default=1
        The weight that both branches of a split must have. 1 sets no limit, since rows may weigh less.
    cv : int, default=10
        The number of folds that choose the size of the tree. Rows are dealt into folds one by one, so a row
        that is there twice can fall into two folds, and a row of weight 2 cannot.
    random_state : int, RandomState or None, default=0
        Random seed of the folds.

    Attributes
    ----------
    ccp_alpha_ : float
        The price of a leaf that was chosen, in units of the mean squared error.
    choice_ : SubtreeChoice
        The subtrees that were judged: alpha, leaves, error, deviation (its standard error), chosen.
    tree_ : Tree
    feature_importances_ : ndarray of shape (n_columns,)
    candidates_ : Candidates
    pruning_ : Pruning

    Notes
    -----
    Guide: docs/guide/trees.md

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees, chapters 3, 8 and 11.

    Examples
    --------
    >>> x = [[float(i)] for i in range(40)]
    >>> model = CARTRegressor().fit(x, [i // 20 + (i % 2) / 10 for i in range(40)])
    >>> model.get_n_leaves(), model.predict([[3.0], [33.0]]).round(2).tolist()
    (2, [0.05, 1.05])
    """

    def _node_losses(self, tree, X, y, w):
        squares, fourths = np.zeros(tree.size), np.zeros(tree.size)
        add_errors(tree, X, y, w, 2, squares)
        add_errors(tree, X, y, w, 4, fourths)
        return squares, fourths


def judged_subtrees(path):
    """The β and the leaves of the subtrees to judge, from the grown one to the root: all, or some of many."""
    # of steps at one α, the one that cuts most
    last = np.r_[np.diff(path.alphas) > EQUAL * path.alphas[-1], True]
    alphas, leaves = path.alphas[last], path.leaves[last]
    beta = np.r_[np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1]]
    if len(beta) > MOST_SUBTREES:
        wanted = np.geomspace(leaves[0], 1, MOST_SUBTREES)
        some = np.unique(len(leaves) - 1 - np.searchsorted(leaves[::-1], wanted))
        beta, leaves = beta[some], leaves[some]
    return beta, leaves.astype(np.int64)


def smallest_within(error, deviation):
    """The last of those, from the largest tree to the smallest, within one standard error of the least.

    >>> smallest_within(np.array([0.30, 0.20, 0.24, 0.26, 0.50]), np.full(5, 0.05))
    2
    """
    best = error.argmin()
    return int(np.flatnonzero(error <= error[best] + deviation[best])[-1])


def summed_over_leaves(path, costs):
    """The sums of costs, (n_nodes,) each, over the leaves of each step's tree, (n_costs, n_steps).

    A node is a leaf from the step that cuts it, or from the first if it never had a test, until the step that
    cuts one above it.
    """
    tree, n_steps = path.grown, len(path.alphas)
    since = np.where(tree.attribute == LEAF, 0, n_steps)
    since[path.nodes[1:]] = np.arange(1, n_steps)
    begins, ends = since.tolist(), [n_steps] * tree.size  # lists: their numbers come one by one
    for node, above in enumerate(parents(tree).tolist()):
        if above >= 0:  # parents come first
            ends[node] = min(ends[above], begins[above])
    until = np.array(ends)
    ever = since < until
    since, until = since[ever], until[ever]
    changes = [
        np.bincount(since, cost[ever], n_steps + 1) - np.bincount(until, cost[ever], n_steps + 1)
        for cost in costs
    ]
    return np.cumsum(np.array(changes)[:, :n_steps], axis=1)


def derive_choice(choice):
    """How the subtree was chosen."""
    best, chosen = int(choice.error.argmin()), int(choice.chosen[0])
    bound = choice.error[best] + choice.deviation[best]
    rows = [
        (k + 1, a, n, r, s, "least" * (k == best) + ", " * (k == best == chosen) + "chosen" * (k == chosen))
        for k, (a, n, r, s) in enumerate(zip(*(a.tolist() for a in choice[:4]), strict=True))
    ]
    return Work(
        "The size of the tree, by cross-validation",
        (
            Grid("subtrees", ("k", "α", "leaves", "error", "standard error", ""), rows),
            Step(
                "bound",
                r"R^{cv}(T_{min}) + SE",
                f"{figure(choice.error[best])} + {figure(choice.deviation[best])}",
                float(bound),
            ),
        ),
        f"The smallest subtree with an error of at most {figure(float(bound))} has"
        f" {choice.leaves[chosen]} {'leaf' if choice.leaves[chosen] == 1 else 'leaves'}.",
    )


def check_choice(choice):
    """Raise ValueError unless these can be subtrees and the one that was chosen."""
    n = len(np.atleast_1d(choice.alpha))
    whole = ("leaves", "chosen")
    sound = all(
        a.shape == ((1,) if name == "chosen" else (n,))
        and a.dtype.kind == ("i" if name in whole else "f")
        and np.isfinite(a).all()
        for name, a in choice._asdict().items()
    )
    if not (sound and n > 0 and 0 <= choice.chosen[0] < n):
        raise ValueError("its chosen subtree does not exist")
