"""C4.5: gain ratio, missing values in parts, error-based pruning (Quinlan, 1993)."""

from typing import Annotated

from openbook.border.not_taken import Declared
from openbook.border.rules import Maybe, OneOf
from openbook.tree.classifier import TreeClassifier


class C45(Declared, TreeClassifier):
    """The decision tree C4.5 (Quinlan, 1993): gain ratio, missing values in parts, error-based pruning.

    Of the attributes of at least average gain, the one with the highest gain ratio is tested. A subtree
    becomes a leaf where the upper bound of the leaf's error is no larger. It grows what WEKA's J48 grows;
    thresholds stay halfway between values, and subtrees are replaced, never raised.

    Parameters
    ----------
    min_samples_leaf : float, default=2
        The weight that at least two branches of a split must have.
    confidence : float, default=0.25
        The level of the upper bound of the error; the smaller, the more is pruned.
    prune : {"confidence"} or None, default="confidence"
        Whether the tree is pruned by that bound; None to leave it as grown.
    rare_values : {"keep", "pool"}, default="keep"
        "keep" follows Quinlan and WEKA. "pool" is for columns with many values: rare ones are pooled, and the
        gain that so many values have by chance is subtracted.
    numeric : {"binary", "multiway"}, default="binary"
    bins : int or None, default=None

    Attributes
    ----------
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
    Quinlan (1993), C4.5: Programs for machine learning.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> model = C45().fit(X, y)
    >>> model.get_n_leaves()
    5
    >>> print(model.rules().for_class("No"))
    play = No where
         outlook = rain and windy = true
      or outlook = sunny and humidity = high
    """

    min_samples_leaf: float = 2
    confidence: float = 0.25
    prune: Annotated[str | None, Maybe(OneOf("confidence"))] = "confidence"
    rare_values: str = "keep"
    numeric: str = "binary"
    bins: int | None = None

    criterion = "gain_ratio"

    def knobs(self):
        return {"min_samples_leaf": (2, 5, 20), "confidence": (0.05, 0.25, 0.5)}
