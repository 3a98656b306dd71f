"""Scarce labels: learning from rows without a label beside those that have one, and asking for labels."""

from openbook.label.annotators import DawidSkene
from openbook.label.asker import Asker
from openbook.label.effect import UnlabelledEffect, unlabelled_effect
from openbook.label.naive_bayes_em import NaiveBayesEM
from openbook.label.nearest_propagation import NearestPropagation
from openbook.label.propagation import LabelPropagation, LabelSpreading
from openbook.label.self_training import SelfTrainingClassifier
from openbook.label.simulate import Simulation, simulate
from openbook.label.stopping import Stopping

__all__ = [
    "Asker",
    "DawidSkene",
    "LabelPropagation",
    "LabelSpreading",
    "NaiveBayesEM",
    "NearestPropagation",
    "SelfTrainingClassifier",
    "Simulation",
    "Stopping",
    "UnlabelledEffect",
    "simulate",
    "unlabelled_effect",
]
