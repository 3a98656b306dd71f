r"""Query strategies: how much it would tell to know the label of a row.

    least_confident   1 - max_c P(c | x)                     the largest is asked first
    margin            P(c₁ | x) - P(c₂ | x)                  the smallest: c₁, c₂ are the two most probable
    entropy           -Σ_c P(c | x) log₂ P(c | x)            the largest
    committee         -Σ_c (v_c / V) log₂ (v_c / V)          the largest: v_c of V members vote for c
    density           entropy · mean similarity to the rows  the largest: odd rows teach little of the others
    random            a number drawn for each row            the largest: the baseline

proba : float64 (n_rows, n_classes); votes : (n_rows, n_classes), counts. Similarity is 1 less Gower's
distance, in which a missing cell is as far as can be.

References: Settles (2009), Active learning literature survey. Dagan and Engelson (1995), Committee-based
sampling for training probabilistic classifiers.
"""

from typing import NamedTuple

import numpy as np

from openbook.data import Table
from openbook.spaces.index import spread_out
from openbook.spaces.mixed import MixedDistance, MixedIndex

__all__ = ["STRATEGIES", "Strategy", "least_confident", "mean_similarity", "top_two_margin"]

#: The most rows that a row is compared with: the mean of so many is near that of all.
_COMPARED = 1000


class Strategy(NamedTuple):
    """A strategy: its formula, whether the smallest score is asked first, and why such a row is asked."""

    formula: str
    smallest: bool
    reason: str


STRATEGIES = {
    "least_confident": Strategy(r"1 - \max_c P(c \mid x)", False, "no row has a less probable best class"),
    "margin": Strategy(
        r"P(c_1 \mid x) - P(c_2 \mid x)", True, "no row has a smaller lead of its best class over the second"
    ),
    "entropy": Strategy(r"-\sum_c P(c \mid x) \log_2 P(c \mid x)", False, "no row has a larger entropy"),
    "committee": Strategy(
        r"-\sum_c \frac{v_c}{V} \log_2 \frac{v_c}{V}", False, "the committee disagrees about no row more"
    ),
    "density": Strategy(
        r"H(x) \cdot \frac{1}{U} \sum_u s(x, x_u)",
        False,
        "no row has a larger product of entropy and similarity",
    ),
    "random": Strategy(r"r \sim U(0, 1)", False, "it was drawn at random"),
}


def least_confident(proba):
    """1 less the probability of the most probable class.

    >>> least_confident(np.array([[0.5, 0.25, 0.25]])).tolist()
    [0.5]
    """
    return 1.0 - proba.max(axis=1)


def top_two_margin(proba):
    """The probability of the most probable class less that of the second.

    >>> top_two_margin(np.array([[0.25, 0.125, 0.625]])).tolist()
    [0.375]
    """
    if proba.shape[1] < 2:
        return proba[:, 0]
    second, first = np.partition(proba, -2, axis=1)[:, -2:].T
    return first - second


def mean_similarity(table: Table):
    """The mean over the rows of 1 less Gower's distance; of many rows, some at even steps stand for all."""
    distance = MixedDistance.of(table)
    others = MixedIndex(distance, table.take(spread_out(len(table), _COMPARED)))
    means = [others.distances(distance.place(chunk)).mean(axis=1) for chunk in table.chunks()]
    return 1.0 - np.concatenate(means)
