"""Several labels at once: binary relevance, classifier chains, label powersets, thresholds for each label."""

from openbook.multilabel.binary_relevance import MultiOutputClassifier
from openbook.multilabel.chain import ClassifierChain
from openbook.multilabel.evaluate import LabelEvaluation, evaluate_labels
from openbook.multilabel.label_sets import LabelSets, label_sets
from openbook.multilabel.powerset import LabelPowerset

__all__ = [
    "ClassifierChain",
    "LabelEvaluation",
    "LabelPowerset",
    "LabelSets",
    "MultiOutputClassifier",
    "evaluate_labels",
    "label_sets",
]
