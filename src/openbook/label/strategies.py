r"""Query strategies: how informative the label of a row would be.

    least_confident   1 - max_c P(c | x)                     the largest is asked first
    margin            P(c₁ | x) - P(c₂ | x)                  the smallest: c₁, c₂ are the two most probable
    entropy           -Σ_c P(c | x) log₂ P(c | x)            the largest
    committee         -Σ_c (v_c / V) log₂ (v_c / V)          the largest: v_c of V members vote for c
    committee_kl      Σ_m Σ_c P_m(c) log₂ (P_m(c) / P(c)) / V  the largest: P is the mean of the members' P_m
    expected_error    Σ_c P(c | x) mean_u (1 - max P⁺ᶜ(· | u))  the smallest: P⁺ᶜ has learnt x as c, too
    density           entropy · mean similarity to the rows  the largest: odd rows teach little of the others
    random            a number drawn for each row            the largest: the baseline

proba : float64 (n_rows, n_classes); votes : (n_rows, n_classes), counts. Similarity is 1 less Gower's
distance, in which a missing cell is as far as can be. The expected error is found for the 20 rows of the
largest entropy alone, and over 200 of the others, since it fits the classifier once for each row and class.

A batch of several rows is the best of them one by one, or rows that differ as well, by Gower's
distance d to the nearest row that has a label or is in the batch:

    ranked      α d + (1 - α) utility, α = U / (U + L)    the largest, one after another
    k-means++   drawn with chances in proportion to utility · d², after the best row

utility is the score, or 1 minus the score where the smallest is asked first; U and L are the numbers of rows
without and with a label. Where labels have costs, all of these are for each unit of cost.

References: Cardoso et al. (2017), Ranked batch-mode active learning. Arthur and Vassilvitskii (2007),
k-means++. Roy and McCallum (2001), Toward optimal active learning through sampling estimation of error
reduction. Settles (2009), Active learning literature survey. Dagan and Engelson (1995), Committee-based
sampling for training probabilistic classifiers.
"""

from functools import reduce
from typing import NamedTuple

import numpy as np

from openbook.data import Table
from openbook.spaces.index import spread_out
from openbook.spaces.mixed import MixedDistance, MixedIndex

#: How the rows of a batch are chosen, and the strategies that a committee decides.
DIVERSITIES, COMMITTEES = ("ranked", "k-means++"), ("committee", "committee_kl")

#: The most rows that a row is compared with: their mean is close to that of all rows.
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
    "committee_kl": Strategy(
        r"\frac{1}{V} \sum_m \sum_c P_m(c) \log_2 \frac{P_m(c)}{P(c)}",
        False,
        "the members' probabilities differ about no row more",
    ),
    "expected_error": Strategy(
        r"\sum_c P(c \mid x) \, u_c", True, "no label is expected to leave fewer errors"
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
    return 1.0 - reduce(np.maximum, proba.T)  # class by class: classes are few


def top_two_margin(proba):
    """The probability of the most probable class less that of the second.

    >>> top_two_margin(np.array([[0.25, 0.125, 0.625]])).tolist()
    [0.375]
    """
    first, second = proba[:, 0], np.zeros(len(proba))
    for other in proba.T[1:]:
        second, first = np.maximum(second, np.minimum(first, other)), np.maximum(first, other)
    return first - second


def mean_similarity(table: Table):
    """The mean over the rows of 1 less Gower's distance; of many rows, some at even steps stand for all."""
    distance = MixedDistance.of(table)
    others = MixedIndex(distance, table.take(spread_out(len(table), _COMPARED)))
    means = [others.distances(distance.coordinates(chunk)).mean(axis=1) for chunk in table.chunks()]
    return 1.0 - np.concatenate(means)


def mean_divergence(probas):
    """The mean Kullback-Leibler divergence of the members from their mean, in bits.

    probas : float64 (n_members, n_rows, n_classes)

    >>> mean_divergence(np.array([[[1.0, 0.0]], [[0.0, 1.0]]])).tolist()
    [1.0]
    """
    mean = probas.mean(axis=0)
    ratio = np.divide(probas, mean, out=np.ones_like(probas), where=probas > 0)
    return (probas * np.log2(ratio)).sum(axis=2).mean(axis=0)


def diverse(table: Table, known, free, utility, n: int, random=None, cost=1.0):
    """The places among the free rows of a batch of n rows that differ: ranked, or drawn if `random` is given.

    known, free : row numbers; utility : float64 (n_free,); cost : of each label, (n_free,), or of all
    """
    distance = MixedDistance.of(table)
    placed = distance.coordinates(table.take(free))
    apart = np.ones(len(free))
    if len(known):
        apart = MixedIndex(distance, table.take(known)).query(placed, 1)[0][:, 0]
    share = len(free) / (len(free) + len(known))
    chosen: list[int] = []
    for _ in range(min(n, len(free))):
        if random is None:
            scores = (share * apart + (1 - share) * utility) / cost
        elif not chosen:
            scores = utility / cost
        else:
            scores = utility * apart**2 / cost
        scores[chosen] = -np.inf
        best = int(scores.argmax())
        if random is not None and chosen and scores[best] > 0:
            chances = np.maximum(scores, 0.0)
            best = int(random.choice(len(free), p=chances / chances.sum()))
        chosen.append(best)
        near = MixedIndex(distance, table.take(free[[best]])).distances(placed)[:, 0]
        apart = np.minimum(apart, near)
    return np.array(chosen, dtype=np.intp)
