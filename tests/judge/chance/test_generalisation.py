"""Optimistic and pessimistic errors of fitted models; the worked examples are in tests/golden."""

import math

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from openbook import load
from openbook.baseline import OneR, ZeroR
from openbook.bayes import NaiveBayes
from openbook.errors import ParameterError
from openbook.judge import Generalisation, generalisation
from openbook.linear import LinearRegression
from openbook.tree import ID3

X, Y = load("weather").split("play")


def test_a_rule_of_one_attribute():
    """Outlook gets 4 of 14 wrong, with a branch for each of its three values: (4 + 0.5·3) / 14."""
    found = generalisation(OneR().fit(X, Y), X, Y)
    assert (found.errors, found.n, found.complexity) == (4, 14, 3)
    assert found.optimistic == 4 / 14
    assert found.pessimistic == 5.5 / 14


def test_the_majority_class():
    found = generalisation(ZeroR().fit(X, Y), X, Y, penalty=1.0)
    assert found.pessimistic_errors == 6  # five rows are wrong, and there is one figure


def test_a_tree_counts_by_its_leaves():
    model = ID3().fit(X, Y)
    found = generalisation(model, X, Y)
    assert found.complexity == model.get_n_leaves() == 5
    assert found.work()["c"].note == "leaves"


def test_the_simpler_model_may_be_the_better_guess():
    """Without a penalty the larger model can only gain; with one it must pay."""
    model = NaiveBayes().fit(X, Y)
    large, small = generalisation(model, X, Y, 2.0), generalisation(OneR().fit(X, Y), X, Y, 2.0)
    assert large.optimistic < small.optimistic
    assert large.pessimistic > small.pessimistic


def test_numbers():
    """Three points beside a line: residuals 1/6, -1/3, 1/6, so RSS 1/6; two figures, (3 + 2) / (3 - 2)."""
    x, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 0.0, 1.0])
    found = generalisation(LinearRegression().fit(x, y), x, y)
    assert found.errors == pytest.approx(1 / 6)
    assert found.optimistic == pytest.approx(math.sqrt(1 / 18))
    assert found.complexity == 2
    assert found.pessimistic == pytest.approx(5 * math.sqrt(1 / 18))
    assert math.isnan(found.pessimistic_errors)
    assert found.work()["pessimistic error"].numbers.endswith(r"\cdot \frac{3 + 2}{3 - 2}")
    assert Generalisation(2.0, 2, 2, task="regression").pessimistic == pytest.approx(10.0)
    assert "10" in Generalisation(2.0, 2, 2, task="regression").work()["pessimistic error"].formula


def test_it_prints_its_work():
    text = str(generalisation(OneR().fit(X, Y), X, Y))
    assert "Optimistic and pessimistic error of OneR" in text
    assert "4 + 0.5 · 3" in text
    assert "Optimistic" in generalisation(OneR().fit(X, Y), X, Y)._repr_html_()


def test_errors():
    with pytest.raises(ParameterError, match="GaussianNB does not say how complex it is"):
        generalisation(GaussianNB().fit([[0.0], [1.0]], [0, 1]), [[0.0], [1.0]], [0, 1])
    with pytest.raises(NotFittedError):
        generalisation(OneR(), X, Y)
    with pytest.raises(
        ParameterError, match="n must be at least 1, and errors, complexity and penalty at least 0"
    ):
        Generalisation(errors=-1, n=10, complexity=1)
