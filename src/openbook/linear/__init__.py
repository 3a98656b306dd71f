"""Linear models: a weighted sum of the columns, and what is made of it."""

from openbook.linear.logistic import LogisticRegression
from openbook.linear.perceptron import Perceptron

__all__ = ["LogisticRegression", "Perceptron"]
