"""Baselines: what any other learner must beat."""

from openbook.baseline.one_r import OneR
from openbook.baseline.rule_classifier import RuleClassifier
from openbook.baseline.zero_labels import ZeroLabels
from openbook.baseline.zero_r import ZeroR
from openbook.baseline.zero_regressor import ZeroRegressor
from openbook.elsewhere import look_elsewhere

__all__ = ["OneR", "RuleClassifier", "ZeroLabels", "ZeroR", "ZeroRegressor"]

__getattr__ = look_elsewhere(__name__)
