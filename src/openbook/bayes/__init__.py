"""Naive Bayes, its smoothing, and decisions of minimum risk or by a tuned threshold."""

from openbook.bayes.decision import MinimumRisk
from openbook.bayes.naive import NaiveBayes
from openbook.bayes.smoothing import Epsilon, Laplace, MEstimate, NoSmoothing
from openbook.bayes.threshold import TunedThresholdClassifierCV
from openbook.measures.decisions import expected_risk

__all__ = [
    "Epsilon",
    "Laplace",
    "MEstimate",
    "MinimumRisk",
    "NaiveBayes",
    "NoSmoothing",
    "TunedThresholdClassifierCV",
    "expected_risk",
]
