"""Scarce labels: learning from rows without a label beside those that have one."""

from openbook.label.naive_bayes_em import NaiveBayesEM

__all__ = ["NaiveBayesEM"]
