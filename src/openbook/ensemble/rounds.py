"""The rounds of boosting: from a member's decisions to its alpha, the next weights and the vote.

weights : float64 (n,), they sum to one; decisions : int (n,), -1 where a member rejects; y : int (n,); both
are `narrow`, so that they take little memory
scores : float64 (n, n_classes), the sum of the alphas of the members that decide for each class
"""

import math
from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import jit

#: A member must beat guessing by more than rounding can make up: sums of millions of weights differ by less.
ROUNDING = 1e-9


class Round(NamedTuple):
    """One round of boosting; see `adaboost` for the formulas.

    member : the member, or None if it was thrown away
    decisions : int (n,), the class that it decides for, row by row
    error, alpha, z : alpha is 0 if the member was thrown away
    weights : float64 (n,), the weights after the round
    """

    member: object
    decisions: np.ndarray
    error: float
    alpha: float
    z: float
    weights: np.ndarray


def boost(grow, y, start, n_classes, n_rounds, least_error, learning_rate=1.0):
    """The rounds of boosting, one after the other.

    Parameters
    ----------
    grow : function of the weights, to a member and its decisions for all rows
    y : int (n,), the classes
    start : float64 (n,), the first weights; they sum to one
    n_classes, n_rounds : int
    least_error : float
        The error used in alpha if there is none.
    learning_rate : float
        The share of alpha that is taken.
    """
    chance, several = 1 - 1 / n_classes, math.log(max(n_classes - 1, 1))
    weights = start
    for _ in range(n_rounds):
        member, decisions = grow(weights)
        error = weight_of_wrong(weights, decisions, y)
        if error > 0 and error >= chance - ROUNDING:
            weights = start
            yield Round(None, decisions, error, 0.0, 1.0, weights)
            continue
        odds = max(error, least_error)
        alpha = learning_rate * (math.log((1 - odds) / odds) + several) / 2
        changed = np.empty(len(weights))
        z = reweigh(weights, decisions, y, math.exp(alpha), changed)
        weights = changed
        yield Round(member, decisions, error, alpha, z, weights)
        if error == 0:
            return


def narrowest(codes, n_classes):
    """Class codes, or -1 for none, in the smallest type that holds them."""
    return codes.astype(np.min_scalar_type(-n_classes), copy=False)


@jit(_nrt=False)
def weight_of_wrong(weights, decisions, y):
    """The weight of the rows whose decision is wrong."""
    error = 0.0
    for i in range(y.size):
        error += weights[i] if decisions[i] != y[i] else 0.0
    return error


@jit(_nrt=False)
def reweigh(weights, decisions, y, factor, changed):
    """Fill in the weights, those of wrong decisions times the factor, others divided by it, and then all
    divided by their sum z, so that they sum to one; gives z.
    """
    less, z = 1 / factor, 0.0
    for i in range(y.size):
        changed[i] = weights[i] * (factor if decisions[i] != y[i] else less)
        z += changed[i]
    for i in range(y.size):
        changed[i] /= z
    return z


@jit(_nrt=False)
def add_votes(scores, decisions, alpha):
    """Add a member's alpha to the score of the class that it decides for, row by row."""
    for i in range(decisions.size):
        if decisions[i] >= 0:
            scores[i, decisions[i]] += alpha


@jit(_nrt=False)
def vote_error(scores, y, weights):
    """The weight of the rows for which another class has the largest score, the first of equals."""
    error = 0.0
    for i in range(y.size):
        best, top = 0, scores[i, 0]
        for c in range(1, scores.shape[1]):
            best, top = c if scores[i, c] > top else best, max(top, scores[i, c])
        error += weights[i] * (best != y[i])  # a product, as no processor foresees which votes are wrong
    return error
