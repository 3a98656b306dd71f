"""Derivations and decision rules as data, and their renderers."""

from openbook.words.numbers import figure
from openbook.work.formula import escape_text
from openbook.work.step import Grid, Passage, Step
from openbook.work.work import ShowsWork, Work

__all__ = ["Grid", "Passage", "ShowsWork", "Step", "Work", "escape_text", "figure"]
