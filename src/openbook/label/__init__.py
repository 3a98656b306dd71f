"""Scarce labels: learning from rows without a label beside those that have one."""

from openbook.label.effect import UnlabelledEffect, unlabelled_effect
from openbook.label.naive_bayes_em import NaiveBayesEM
from openbook.label.propagation import LabelPropagation, LabelSpreading
from openbook.label.self_training import SelfTrainingClassifier

__all__ = [
    "LabelPropagation",
    "LabelSpreading",
    "NaiveBayesEM",
    "SelfTrainingClassifier",
    "UnlabelledEffect",
    "unlabelled_effect",
]
