"""Linear models: a weighted sum of the columns, and what is made of it."""

from openbook.linear.discriminant import LinearDiscriminant, QuadraticDiscriminant
from openbook.linear.logistic import LogisticRegression
from openbook.linear.perceptron import Perceptron
from openbook.linear.rocchio import Rocchio

__all__ = ["LinearDiscriminant", "LogisticRegression", "Perceptron", "QuadraticDiscriminant", "Rocchio"]
