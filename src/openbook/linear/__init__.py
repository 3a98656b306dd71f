"""Linear models: a weighted sum of the columns, and what is made of it."""

from openbook.linear.perceptron import Perceptron

__all__ = ["Perceptron"]
