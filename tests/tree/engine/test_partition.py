"""Where the rows of a node go whose cell is missing."""

import pytest

from openbook.tree import DecisionTreeClassifier


@pytest.mark.parametrize("weights", [(0.3, 0.1, 0.2), (0.3, 0.2, 0.1), (0.7, 0.1, 0.6)])
def test_of_equally_heavy_branches_the_first_takes_missing_cells(weights):
    """0.1 + 0.2 is more than 0.3 in floating point, and must not count as heavier."""
    X = {"x": [0.0, 1.0, 1.0, None]}
    tree = DecisionTreeClassifier(missing="majority")
    tree.fit(X, ["a", "b", "b", "a"], sample_weight=[*weights, 0.3])
    assert tree.predict({"x": [None]})[0] == "a"
