"""Attributes: what each of them tells of the target, and which of them to keep."""

from openbook.features.measures import MEASURES, Measure
from openbook.features.scores import AttributeScore, AttributeScores, score_attributes

__all__ = ["MEASURES", "AttributeScore", "AttributeScores", "Measure", "score_attributes"]
