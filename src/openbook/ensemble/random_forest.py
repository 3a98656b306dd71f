"""Random forests (Breiman, 2001)."""

from typing import Annotated

from openbook.border.rules import Whole
from openbook.ensemble.forest import ForestClassifier, ForestRegressor


class RandomForestClassifier(ForestClassifier):
    """A random forest for classification: many trees on samples of the rows, a few columns at each node.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    criterion : {"gini", "entropy", "gain_ratio"}, default="gini"
        The measure of impurity whose decrease, the gain, a split is judged by.
    max_features : int, float, "sqrt", "log2", "log2+1" or None, default="sqrt"
        How many columns are drawn at each node: a number, a share, or a rule; None for all.
    max_depth : int or None, default=None
    min_samples_split : float, default=2
    min_samples_leaf : float, default=1
    min_weight_fraction_leaf : float, default=0.0
    max_leaf_nodes : int or None, default=None
    min_impurity_decrease : float, default=0.0
    ccp_alpha : float, default=0.0
    nominal : {"subset", "multiway"}, default="subset"
    missing : {"value", "majority", "branch"}, default="value"
        Where rows with a missing cell go. "value": in nominal columns, missing is one of the values that a
        test divides; in others they go down the heaviest branch. "majority": always down that. "branch":
        down one of their own. A value never seen in training counts as missing.
    bootstrap : bool, default=True
        Whether each tree has a bootstrap sample of the rows; else all.
    oob_score : bool, default=False
    bins : int, default=63
        A numeric column of more distinct numbers is searched by so many bins of about equal size.
    class_weight : mapping of class to weight, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None
    max_samples : int, float or None, default=None

    Attributes
    ----------
    estimators_ : list
        The trees as fitted learners, each with its own predictions, rules and drawing.
    trees_ : list of Tree
        Their nodes; see `openbook.tree.engine.nodes.Tree`.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on; a row drawn twice is there twice.
    oob_error_ : float
        The out-of-bag error: each row is judged by the trees that did not see it; NaN without a bootstrap.
    oob_curve_ : ndarray of shape (n_estimators,)
        That error after each tree.
    oob_score_ : float
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
    feature_importances_ : ndarray of shape (n_columns,)
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Breiman (2001), Random forests.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> model = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> model.oob_error_ < 0.1, model.oob_curve_.shape
    (True, (50,))
    """

    bins: Annotated[int, Whole(at_least=2)] = 63


class RandomForestRegressor(ForestRegressor):
    """A random forest for regression: the mean of many trees, each on a sample of the rows.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    max_features : int, float, "sqrt", "log2", "log2+1" or None, default=1.0
        How many columns are drawn at each node: a number, a share, or a rule; None for all.
    max_depth : int or None, default=None
    min_samples_split : float, default=2
    min_samples_leaf : float, default=1
    min_weight_fraction_leaf : float, default=0.0
    max_leaf_nodes : int or None, default=None
    min_impurity_decrease : float, default=0.0
    ccp_alpha : float, default=0.0
    nominal : {"subset", "multiway"}, default="subset"
    missing : {"value", "majority", "branch"}, default="value"
        Where rows with a missing cell go. "value": in nominal columns, missing is one of the values that a
        test divides; in others they go down the heaviest branch. "majority": always down that. "branch":
        down one of their own. A value never seen in training counts as missing.
    bootstrap : bool, default=True
        Whether each tree has a bootstrap sample of the rows; else all.
    oob_score : bool, default=False
    bins : int, default=63
        A numeric column of more distinct numbers is searched by so many bins of about equal size.
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None
    max_samples : int, float or None, default=None

    Attributes
    ----------
    estimators_ : list
        The trees as fitted learners, each with its own predictions, rules and drawing.
    trees_ : list of Tree
        Their nodes; see `openbook.tree.engine.nodes.Tree`.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on; a row drawn twice is there twice.
    oob_error_ : float
        The out-of-bag mean squared error: each row is judged by the trees that did not see it; NaN without a
        bootstrap.
    oob_curve_ : ndarray of shape (n_estimators,)
        That error after each tree.
    oob_score_ : float
    oob_prediction_ : ndarray of shape (n_rows,)
    feature_importances_ : ndarray of shape (n_columns,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Breiman (2001), Random forests.

    Examples
    --------
    >>> model = RandomForestRegressor(n_estimators=20, random_state=0)
    >>> model.fit([[1.0], [2.0], [8.0], [9.0]], [1.0, 1.0, 5.0, 5.0]).predict([[1.5]]) < 3
    array([ True])
    """

    bins: Annotated[int, Whole(at_least=2)] = 63
