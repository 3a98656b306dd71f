"""C4.5: gain ratio, missing values in parts, error-based pruning (Quinlan, 1993)."""

from openbook.border.rules import Maybe, OneOf
from openbook.tree.classifier import TreeClassifier

__all__ = ["C45"]


class C45(TreeClassifier):
    """C4.5 (Quinlan): gain ratio, missing values in parts, error-based pruning.

    Of the attributes of at least average gain, the one of the highest gain ratio is tested. A subtree becomes
    a leaf where the leaf's upper bound of the error is no larger. Grows what WEKA's J48 grows; thresholds
    stay halfway between values, and subtrees are replaced, never raised.

    Parameters
    ----------
    min_samples_leaf : float
        The weight that two branches at least must have.
    confidence : float
        The level of the error's upper bound; the smaller, the more is pruned.
    prune : "confidence" or None

    Attributes
    ----------
    tree_, classes_, feature_importances_ : as for `DecisionTreeClassifier`

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> C45().fit(X, y).get_n_leaves()
    5
    """

    _rules = {**TreeClassifier._rules, "prune": Maybe(OneOf("confidence"))}

    criterion = "gain_ratio"

    def __init__(self, min_samples_leaf=2, confidence=0.25, prune="confidence"):
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.prune = prune

    def knobs(self):
        return {"min_samples_leaf": (2, 5, 20), "confidence": (0.05, 0.25, 0.5)}
