"""A decision tree for numbers."""

from typing import Annotated

import numpy as np

from openbook.border.learner import Regressor
from openbook.border.rules import Maybe, OneOf
from openbook.tree.engine.nodes import add_errors
from openbook.tree.engine.prune import PRUNINGS
from openbook.tree.learner import DecisionTreeParameters, TreeLearner


class TreeRegressor(TreeLearner, Regressor):
    """What trees for numbers share."""

    criterion: Annotated[str, OneOf("squared_error", "absolute_error")] = "squared_error"

    def _held_out(self, tree, X, y, w):
        """The squared or absolute error that each node would make as a leaf, on the rows that come to it."""
        totals = np.zeros(tree.size)
        add_errors(tree, X, y, w, 1 if self.criterion == "absolute_error" else 2, totals)
        return totals

    def _leaf_values(self):
        return self.tree_.value[:, :1]

    def _predict(self, X):
        return self._outputs(X)[:, 0]


class DecisionTreeRegressor(DecisionTreeParameters, TreeRegressor):
    """A decision tree for regression: a leaf predicts the mean of its rows, or their median.

    Numbers and ordinal values are cut in two, halfway between neighbouring values; of splits with the same
    gain the first wins.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error"}, default="squared_error"
        The error that a split lowers. With "absolute_error", leaves predict medians.
    nominal : {"multiway", "subset"}, default="multiway"
    missing : {"fractional", "majority", "branch"}, default="fractional"
    rare_values : {"pool", "keep"}, default="pool"
    splitter : {"best", "random"}, default="best"
        Whether the best cut of each column is searched for, or one is drawn at random from its range.
    max_depth : int or None, default=None
    min_samples_split : float, default=2
    min_samples_leaf : float, default=1
    min_weight_fraction_leaf : float, default=0.0
    max_leaf_nodes : int or None, default=None
    min_impurity_decrease : float, default=0.0
    min_gain : float, default=0.0
        A split must lower the mean error by more than this.
    max_features : int, float, "sqrt", "log2", "log2+1" or None, default=None
        How many columns, drawn at random, each node looks at: a number, a share, or a rule; None for all.
    prune : {"reduced_error", "best_first", "cost_complexity"} or None, default=None
        How the grown tree is pruned: by the error on rows held out (from the leaves up, or the best cut
        first), or by the error plus `ccp_alpha` for each
        leaf; None for not at all.
    ccp_alpha : float, default=0.0
        The price of a leaf in cost-complexity pruning, in units of the mean error. Above 0 it prunes even if
        `prune` is None.
    validation_fraction : float, default=0.25
    bins : int or None, default=None
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    tree_ : Tree
    feature_importances_ : ndarray of shape (n_columns,)
    candidates_ : Candidates
    pruning_ : Pruning

    Notes
    -----
    Guide: docs/guide/trees.md

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees.

    Examples
    --------
    >>> model = DecisionTreeRegressor().fit([[1.0], [2.0], [8.0], [9.0]], [1.0, 1.0, 5.0, 5.0])
    >>> model.predict([[4.0], [6.0]]).tolist()
    [1.0, 5.0]
    """

    criterion: str = "squared_error"
    prune: Annotated[str | None, Maybe(OneOf(*PRUNINGS["regression"]))] = None
