"""ID3: information gain, a branch for every value, no pruning (Quinlan, 1986)."""

from openbook.tree.classifier import TreeClassifier

__all__ = ["ID3"]


class ID3(TreeClassifier):
    """Quinlan's ID3.

    The attribute of the highest information gain is tested, with a branch for every value, until the rows
    agree, no attribute is left, or none gains anything; a branch without rows takes its parent's majority.
    ID3 knows nominal attributes only; numbers and ordinal values are cut in two as in C4.5, and rows with a
    missing cell go down every branch in parts.

    Attributes
    ----------
    tree_, classes_, feature_importances_ : as for `DecisionTreeClassifier`

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import draw
    >>> X, y = load("weather").split("play")
    >>> model = ID3().fit(X, y)
    >>> model.get_n_leaves(), model.get_depth()
    (5, 2)
    """

    criterion = "entropy"
