"""Extremely randomised trees (Geurts, Ernst and Wehenkel, 2006)."""

from openbook.ensemble.random_forest import RandomForestClassifier, RandomForestRegressor

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor"]


class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomised trees for classes: of each column drawn, one cut anywhere in its range.

    Parameters
    ----------
    n_estimators, criterion, max_features, max_depth, min_samples_split, min_samples_leaf, nominal, missing,
    bins, class_weight, random_state
        As for `RandomForestClassifier`.
    bootstrap : bool
        Every tree sees all rows unless told otherwise; then there is no out-of-bag error.

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

    random_cuts = True

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
        bootstrap=False,
        bins=63,
        class_weight=None,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            criterion,
            max_features,
            max_depth,
            min_samples_split,
            min_samples_leaf,
            nominal,
            missing,
            bootstrap,
            bins,
            class_weight,
            random_state,
        )


class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomised trees for numbers: of each column, one cut anywhere in its range.

    Parameters
    ----------
    n_estimators, max_features, max_depth, min_samples_split, min_samples_leaf, nominal, missing, bins,
    random_state
        As for `RandomForestRegressor`.
    bootstrap : bool
        Every tree sees all rows unless told otherwise; then there is no out-of-bag error.

    Examples
    --------
    >>> model = ExtraTreesRegressor(n_estimators=20, random_state=0)
    >>> model.fit([[1.0], [2.0], [8.0], [9.0]], [1.0, 1.0, 5.0, 5.0]).predict([[1.0]])
    array([1.])
    """

    random_cuts = True

    def __init__(
        self,
        n_estimators=100,
        max_features=None,
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        nominal="subset",
        missing="majority",
        bootstrap=False,
        bins=63,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            max_features,
            max_depth,
            min_samples_split,
            min_samples_leaf,
            nominal,
            missing,
            bootstrap,
            bins,
            random_state,
        )
