"""Scarce labels: learning from rows without a label beside those that have one."""

from openbook.label.naive_bayes_em import NaiveBayesEM
from openbook.label.self_training import SelfTrainingClassifier

__all__ = ["NaiveBayesEM", "SelfTrainingClassifier"]
