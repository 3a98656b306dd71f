"""Sequences: rows in order, their labels, and the hidden states behind them."""

from openbook.sequence.conditional_random_field import ConditionalRandomField
from openbook.sequence.forecast import Forecast
from openbook.sequence.hidden_markov import HiddenMarkov
from openbook.sequence.hidden_markov_classifier import HiddenMarkovClassifier

__all__ = ["ConditionalRandomField", "Forecast", "HiddenMarkov", "HiddenMarkovClassifier"]
