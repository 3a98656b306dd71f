"""Preparation: how columns become what a learner computes with."""

from openbook.prepare.encoding import Encoding

__all__ = ["Encoding"]
