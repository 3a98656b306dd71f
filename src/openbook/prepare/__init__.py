"""Preparation: how columns become what a learner computes with."""

from openbook.prepare.date_parts import DateParts
from openbook.prepare.encoding import Encoding
from openbook.prepare.rare_values import RareValues
from openbook.prepare.scaling import MinMaxScaler, StandardScaler

__all__ = ["DateParts", "Encoding", "MinMaxScaler", "RareValues", "StandardScaler"]
