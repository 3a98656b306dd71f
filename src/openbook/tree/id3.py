"""ID3: information gain, a branch for every value, no pruning (Quinlan, 1986)."""

from typing import Any

from openbook.border.not_taken import Declared
from openbook.tree.classifier import TreeClassifier


class ID3(Declared, TreeClassifier):
    """The decision tree ID3 (Quinlan, 1986): information gain, a branch for every value, no pruning.

    The attribute with the highest information gain is tested, with a branch for every value, until the rows
    agree, no attribute is left, or none gains anything; a branch without rows predicts its parent's majority.
    ID3 knows nominal attributes only; numbers and ordinal values are cut in two as in C4.5, unless
    `numeric="multiway"` makes intervals of the numbers, and rows with a missing cell go down every branch in
    parts. It prefers columns of many values, as the textbook says;
    `DecisionTreeClassifier(criterion="entropy")` corrects for that.

    Parameters
    ----------
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
    Quinlan (1986), Induction of decision trees.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> model = ID3().fit(X, y)
    >>> print(model.draw())
    play (14 rows)
    ├── outlook = overcast: Yes (4 of 4)
    ├── outlook = rain (5)
    │   ├── windy = false: Yes (3 of 3)
    │   └── windy = true: No (2 of 2)
    └── outlook = sunny (5)
        ├── humidity = high: No (3 of 3)
        └── humidity = normal: Yes (2 of 2)
    """

    criterion = "entropy"
    rare_values = "keep"

    numeric: str = "binary"
    bins: Any = None
