"""Attribute scoring and selection."""

from openbook.elsewhere import look_elsewhere
from openbook.features.ablation import Ablation
from openbook.features.embedded import EmbeddedSelection
from openbook.features.exhaustive import ExhaustiveSelection
from openbook.features.forward import ForwardSelection
from openbook.features.measures import MEASURES, Measure
from openbook.features.mrmr import MRMR
from openbook.features.recursive import RFE
from openbook.features.scores import AttributeScore, AttributeScores, score_attributes
from openbook.features.select import SelectAttributes
from openbook.features.selector import Selector
from openbook.features.stability import StabilitySelection
from openbook.features.values import ValueScore, ValueScores, score_values
from openbook.features.variance import VarianceThreshold

__all__ = [
    "MEASURES",
    "MRMR",
    "RFE",
    "Ablation",
    "AttributeScore",
    "AttributeScores",
    "EmbeddedSelection",
    "ExhaustiveSelection",
    "ForwardSelection",
    "Measure",
    "SelectAttributes",
    "Selector",
    "StabilitySelection",
    "ValueScore",
    "ValueScores",
    "VarianceThreshold",
    "score_attributes",
    "score_values",
]

__getattr__ = look_elsewhere(__name__)
