"""Random forests (Breiman, 2001)."""

from openbook.ensemble.forest import ForestClassifier, ForestRegressor

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]


class RandomForestClassifier(ForestClassifier):
    """A random forest for classes, on typed columns with missing values.

    Parameters
    ----------
    n_estimators : int
        How many trees there are.
    criterion : "gini", "entropy" or "gain_ratio"
    max_features : "sqrt", "log2", "log2+1", int, share or None
        How many columns are drawn at each node.
    max_depth, min_samples_split, min_samples_leaf, nominal, class_weight : as for `DecisionTreeClassifier`
    missing : "majority" or "branch"
        Rows with a missing cell take the heaviest branch, or one of their own.
    bootstrap : bool
        Whether each tree has a sample of the rows; else all.
    bins : int
        A numeric column of more distinct numbers is searched by so many bins.
    random_state : int or RandomState, optional

    Attributes
    ----------
    estimators_ : the trees as fitted learners
    trees_ : their nodes; see `openbook.tree.engine.nodes.Tree`
    classes_ : the classes
    oob_error_, oob_curve_ : the out-of-bag error, and how it fell with every tree
    feature_importances_ : each column's share of the gain

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

    def __init__(
        self,
        n_estimators=100,
        criterion="gini",
        max_features="sqrt",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        nominal="subset",
        missing="majority",
        bootstrap=True,
        bins=63,
        class_weight=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.nominal = nominal
        self.missing = missing
        self.bootstrap = bootstrap
        self.bins = bins
        self.class_weight = class_weight
        self.random_state = random_state

    def knobs(self):
        return {"max_features": ("sqrt", 0.5), "min_samples_leaf": (1, 3, 10)}


class RandomForestRegressor(ForestRegressor):
    """A random forest for numbers, on typed columns with missing values.

    Parameters
    ----------
    n_estimators, max_features, max_depth, min_samples_split, min_samples_leaf, nominal, missing, bootstrap,
    bins, random_state
        As for `RandomForestClassifier`; every node looks at all columns unless told otherwise.

    Attributes
    ----------
    estimators_, trees_, oob_curve_, feature_importances_ : as for `RandomForestClassifier`
    oob_error_ : the mean squared error of the out-of-bag predictions

    Examples
    --------
    >>> model = RandomForestRegressor(n_estimators=20, random_state=0)
    >>> model.fit([[1.0], [2.0], [8.0], [9.0]], [1.0, 1.0, 5.0, 5.0]).predict([[1.5]]) < 3
    array([ True])
    """

    def __init__(
        self,
        n_estimators=100,
        max_features=None,
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        nominal="subset",
        missing="majority",
        bootstrap=True,
        bins=63,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.nominal = nominal
        self.missing = missing
        self.bootstrap = bootstrap
        self.bins = bins
        self.random_state = random_state

    def knobs(self):
        return {"max_features": (0.33, None), "min_samples_leaf": (1, 3, 10)}
