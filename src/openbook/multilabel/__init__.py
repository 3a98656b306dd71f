"""Several labels at once: binary relevance, classifier chains, label powersets, thresholds for each label."""

from openbook.data.label_sets import LabelSets, label_sets
from openbook.elsewhere import look_elsewhere
from openbook.multilabel.binary_relevance import MultiOutputClassifier
from openbook.multilabel.chain import ClassifierChain
from openbook.multilabel.powerset import LabelPowerset

__all__ = ["ClassifierChain", "LabelPowerset", "LabelSets", "MultiOutputClassifier", "label_sets"]

__getattr__ = look_elsewhere(__name__)
