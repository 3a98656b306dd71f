"""Extremely randomised trees (Geurts, Ernst and Wehenkel, 2006)."""

from openbook.ensemble.random_forest import RandomForestClassifier, RandomForestRegressor
from openbook.tree.engine.columns import encode_for_draws


class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomised trees for classification: of each column drawn, one cut anywhere in its range.

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
    missing : {"majority", "branch"}, default="majority"
        Where rows with a missing cell go: down the heaviest branch, or down one of their own. A value never
        seen in training counts as missing.
    bootstrap : bool, default=False
        Whether each tree has a bootstrap sample of the rows. Unless it does, there is no out-of-bag error.
    oob_score : bool, default=False
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
    Geurts, Ernst and Wehenkel (2006), Extremely randomized trees.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> ExtraTreesClassifier(n_estimators=50, random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _rules = {name: rule for name, rule in RandomForestClassifier._rules.items() if name != "bins"}
    _encoded = staticmethod(encode_for_draws)

    def __init__(
        self,
        n_estimators=100,
        criterion="gini",
        max_features="sqrt",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        ccp_alpha=0.0,
        nominal="subset",
        missing="majority",
        bootstrap=False,
        oob_score=False,
        class_weight=None,
        random_state=None,
        n_jobs=None,
        max_samples=None,
    ):
        super().__init__(
            n_estimators=n_estimators,
            criterion=criterion,
            max_features=max_features,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            nominal=nominal,
            missing=missing,
            bootstrap=bootstrap,
            oob_score=oob_score,
            class_weight=class_weight,
            random_state=random_state,
            n_jobs=n_jobs,
            max_samples=max_samples,
        )


class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomised trees for regression: of each column, one cut anywhere in its range.

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
    missing : {"majority", "branch"}, default="majority"
        Where rows with a missing cell go: down the heaviest branch, or down one of their own. A value never
        seen in training counts as missing.
    bootstrap : bool, default=False
        Whether each tree has a bootstrap sample of the rows. Unless it does, there is no out-of-bag error.
    oob_score : bool, default=False
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
    Geurts, Ernst and Wehenkel (2006), Extremely randomized trees.

    Examples
    --------
    >>> model = ExtraTreesRegressor(n_estimators=20, random_state=0)
    >>> model.fit([[1.0], [2.0], [8.0], [9.0]], [1.0, 1.0, 5.0, 5.0]).predict([[1.0]])
    array([1.])
    """

    _rules = {name: rule for name, rule in RandomForestRegressor._rules.items() if name != "bins"}
    _encoded = staticmethod(encode_for_draws)

    def __init__(
        self,
        n_estimators=100,
        max_features=1.0,
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        ccp_alpha=0.0,
        nominal="subset",
        missing="majority",
        bootstrap=False,
        oob_score=False,
        random_state=None,
        n_jobs=None,
        max_samples=None,
    ):
        super().__init__(
            n_estimators=n_estimators,
            max_features=max_features,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            nominal=nominal,
            missing=missing,
            bootstrap=bootstrap,
            oob_score=oob_score,
            random_state=random_state,
            n_jobs=n_jobs,
            max_samples=max_samples,
        )
