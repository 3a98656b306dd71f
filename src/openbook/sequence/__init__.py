"""Sequences: rows in order, and the hidden states behind them."""

from openbook.sequence.hidden_markov import Forecast, HiddenMarkov

__all__ = ["Forecast", "HiddenMarkov"]
