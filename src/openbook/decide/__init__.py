"""Decisions from the probabilities of any classifier: of minimum risk, or by a tuned threshold."""

from openbook.decide.corrections import Corrections, compare_corrections
from openbook.decide.minimum_risk import MinimumRisk
from openbook.decide.threshold import TunedThresholdClassifierCV
from openbook.elsewhere import look_elsewhere

__all__ = ["Corrections", "MinimumRisk", "TunedThresholdClassifierCV", "compare_corrections"]

__getattr__ = look_elsewhere(__name__)
