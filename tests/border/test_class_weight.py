"""Weights of classes are the same for every learner that has them: factors by hand, and errors."""

import numpy as np
import pytest

from openbook.border.class_weight import class_factors
from openbook.ensemble import RandomForestClassifier
from openbook.errors import ParameterError
from openbook.linear import LogisticRegression
from openbook.svm import SVC
from openbook.tree import DecisionTreeClassifier

LEARNERS = [LogisticRegression, SVC, DecisionTreeClassifier, RandomForestClassifier]
X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["no", "no", "no", "yes"])


def test_balanced_by_hand():
    """W / (K W_c): 4 / (2 · 3) and 4 / (2 · 1)."""
    learner = DecisionTreeClassifier(class_weight="balanced").fit(X, y)
    assert class_factors(learner, np.array([3.0, 1.0])).tolist() == pytest.approx([2 / 3, 2.0])


def test_a_class_that_is_not_named_weighs_1():
    learner = DecisionTreeClassifier(class_weight={"yes": 3}).fit(X, y)
    assert class_factors(learner, np.array([3.0, 1.0])).tolist() == [1.0, 3.0]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("even", "class_weight must be None, 'balanced', or a mapping of class to weight, got 'even'"),
        ({"maybe": 2}, r"class_weight: no class 'maybe'\. There are: no, yes\."),
        ({"yes": 0}, "class_weight: that of 'yes' must be a number above 0, got 0"),
    ],
)
def test_errors(learner, given, words):
    with pytest.raises(ParameterError, match=words):
        learner(class_weight=given).fit(X, y)
