"""Attribute scoring and selection."""

from openbook.features.ablation import Ablation
from openbook.features.embedded import EmbeddedSelection
from openbook.features.exhaustive import ExhaustiveSelection
from openbook.features.forward import ForwardSelection
from openbook.features.measures import MEASURES, Measure
from openbook.features.mrmr import MRMR
from openbook.features.scores import AttributeScore, AttributeScores, score_attributes
from openbook.features.select import SelectAttributes
from openbook.features.selector import Selector
from openbook.features.stability import StabilitySelection

__all__ = [
    "MEASURES",
    "MRMR",
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
    "score_attributes",
]
