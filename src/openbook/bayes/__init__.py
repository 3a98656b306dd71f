"""Naive Bayes and its smoothing."""

from openbook.bayes.naive import NaiveBayes
from openbook.bayes.smoothing import Epsilon, Laplace, MEstimate, NoSmoothing
from openbook.measures.decisions import expected_risk

__all__ = [
    "Epsilon",
    "Laplace",
    "MEstimate",
    "NaiveBayes",
    "NoSmoothing",
    "expected_risk",
]
