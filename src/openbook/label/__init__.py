"""Scarce labels: learning from rows without a label beside those that have one, and asking for labels."""

from openbook.elsewhere import look_elsewhere
from openbook.label.annotators import DawidSkene
from openbook.label.asker import Asker
from openbook.label.assumptions import AssumptionCheck, check_assumption
from openbook.label.cluster_then_label import ClusterThenLabel
from openbook.label.co_training import CoTraining
from openbook.label.differing_rows import DifferingRows, Gain, differing_rows
from openbook.label.effect import AskedEffect, UnlabelledEffect, asked_effect, unlabelled_effect
from openbook.label.naive_bayes_em import NaiveBayesEM
from openbook.label.nearest_propagation import NearestPropagation
from openbook.label.pretrained import PretrainedClassifier
from openbook.label.propagation import LabelPropagation, LabelSpreading
from openbook.label.self_training import SelfTrainingClassifier
from openbook.label.simulate import Simulation, simulate
from openbook.label.stopping import Stopping
from openbook.label.tri_training import TriTraining

__all__ = [
    "AskedEffect",
    "Asker",
    "AssumptionCheck",
    "ClusterThenLabel",
    "CoTraining",
    "DawidSkene",
    "DifferingRows",
    "Gain",
    "LabelPropagation",
    "LabelSpreading",
    "NaiveBayesEM",
    "NearestPropagation",
    "PretrainedClassifier",
    "SelfTrainingClassifier",
    "Simulation",
    "Stopping",
    "TriTraining",
    "UnlabelledEffect",
    "asked_effect",
    "check_assumption",
    "differing_rows",
    "simulate",
    "unlabelled_effect",
]

__getattr__ = look_elsewhere(__name__)
