"""Naive Bayes and its smoothing."""

from openbook.bayes.event_nb import BernoulliNB, ComplementNB, MultinomialNB
from openbook.bayes.gaussian_nb import GaussianNB
from openbook.bayes.naive import NaiveBayes
from openbook.bayes.smoothing import Epsilon, Laplace, MEstimate, NoSmoothing
from openbook.elsewhere import look_elsewhere
from openbook.measures.decisions import expected_risk

__all__ = [
    "BernoulliNB",
    "ComplementNB",
    "Epsilon",
    "GaussianNB",
    "Laplace",
    "MEstimate",
    "MultinomialNB",
    "NaiveBayes",
    "NoSmoothing",
    "expected_risk",
]

__getattr__ = look_elsewhere(__name__)
