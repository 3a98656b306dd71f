"""Preparation: how columns become what a learner computes with."""

from openbook.prepare.encoding import Encoding
from openbook.prepare.rare_values import RareValues

__all__ = ["Encoding", "RareValues"]
