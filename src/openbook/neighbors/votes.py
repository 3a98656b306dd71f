r"""Votes: the weight of each neighbour, and the rules for ties.

    uniform          1
    distance         1 / d; rows at distance 0, if there are any, have all the votes
    inverse          1 / (d + ε), ε = 1e-5
    inverse_square   1 / d²; as for distance
    inverse_linear   (d_k - d) / (d_k - d_1); 1 if all are equally far
    a kernel         K(d / h), with h the distance of the first row without a vote (of the last with one,
                     where there are no more)
    a function       of the distances (m, k), as in scikit-learn

If every vote is 0, all neighbours count alike. The k nearest are counted by weight: rows are taken until
their weight reaches k, the last one only in part; a row of weight 2 is two rows.

Ties, up to rounding:

    smaller_k   as if k were one less, and less again while they tie; one neighbour decides
    extend      as if k were one more, and more again up to 2k; then by the prior
    prior       the class of more weight in training; ties: the first
    nearest     the class of the nearest neighbour among those that tie
    random      one of them, drawn by `random_state` and the neighbours: the same row gets the same

distances, weights : float64 (m, K), of the nearest rows in order; labels, rows : (m, K)
"""

from typing import NamedTuple

import numpy as np

from openbook.neighbors.windows import KERNELS, kernel_weights

#: Keeps the inverse of a distance of 0 finite.
EPS = 1e-5
#: A distance whose square a double cannot hold is none.
_NOTHING = 1e-150
#: Votes, and distances, that differ by no more than this share are equal.
ROUNDING = 1e-12

#: Schemes that are an inverse power of the distance.
_INVERSE_POWERS = {"distance": 1, "inverse_square": 2}

_INVERSES = ("distance", "inverse", "inverse_square", "inverse_linear")
WEIGHTS = ("uniform", *_INVERSES, *(kernel for kernel in KERNELS if kernel != "uniform"))
TIES = ("smaller_k", "extend", "prior", "nearest", "random")


def vote_weights(distances, scheme, beyond=None):
    """The vote of each neighbour, (m, k), from the distances of the voters in order.

    Parameters
    ----------
    distances : (m, k), nearest first; infinite if there is no neighbour
    scheme : a name, or a function of the distances
    beyond : (m,), the distance of the first row without a vote, for kernels

    Examples
    --------
    >>> vote_weights(np.array([[0, 1, 1.5, 1.5]]), "inverse_linear").round(3).tolist()
    [[1.0, 0.333, 0.0, 0.0]]
    """
    d = distances
    voters = np.isfinite(d)
    with np.errstate(divide="ignore", invalid="ignore"):
        if scheme == "uniform":
            votes = np.ones(d.shape)
        elif scheme == "inverse":
            votes = 1 / (d + EPS)
        elif scheme in _INVERSE_POWERS:
            same = d < _NOTHING
            votes = np.where(same.any(axis=1, keepdims=True), same, 1 / d ** _INVERSE_POWERS[scheme])
        elif scheme == "inverse_linear":
            farthest = np.where(voters, d, 0.0).max(axis=1, keepdims=True)
            span = farthest - d[:, :1]
            votes = np.where(span > ROUNDING * farthest, (farthest - d) / span, 1.0)
        elif callable(scheme):
            votes = np.asarray(scheme(d), dtype=float)
        else:
            u = d / np.where(beyond > 0, beyond, 1.0)[:, None]
            votes = kernel_weights(np.where(np.abs(u - 1) <= ROUNDING, 1.0, u), scheme)
    votes = np.where(voters, votes, 0.0)
    nobody = ~(votes.sum(axis=1) > 0)
    votes[nobody] = np.where(voters[nobody].any(axis=1, keepdims=True), voters[nobody], 1.0)
    return votes


class Ballots(NamedTuple):
    """The nearest rows of some queries: distances, rows, and the weights of those rows, (m, K) each."""

    distances: np.ndarray
    rows: np.ndarray
    weights: np.ndarray

    def take(self, queries):
        return Ballots(*(part[queries] for part in self))

    def votes(self, k, scheme):
        """The vote of each row where k are counted, (m, K)."""
        reached = self.weights.cumsum(axis=1)
        counted = np.clip(k - (reached - self.weights), 0.0, self.weights)
        first_without = np.minimum((reached <= k).sum(axis=1), self.rows.shape[1] - 1)
        beyond = np.take_along_axis(self.distances, first_without[:, None], axis=1)[:, 0]
        return counted * vote_weights(np.where(counted > 0, self.distances, np.inf), scheme, beyond)


def class_votes(ballots, labels, k, scheme, n_classes):
    """The votes of each class, (m, n_classes)."""
    votes = ballots.votes(k, scheme)
    at = np.arange(len(votes))[:, None] * n_classes + labels
    return np.bincount(at.ravel(), votes.ravel(), len(votes) * n_classes).reshape(-1, n_classes)


def decide_votes(ballots, labels, k, scheme, ties, prior, seed=0):
    """The votes of each class, the class that wins, and how many neighbours were counted, of each query.

    Parameters
    ----------
    ballots : Ballots, of weight k or more; of 2k for "extend", and one more for kernels
    labels : (m, K), the class codes of the rows
    prior : (n_classes,), the weight of each class in training
    """
    scores = class_votes(ballots, labels, k, scheme, len(prior))
    used = np.full(len(scores), k)
    others = {"smaller_k": range(k - 1, 0, -1), "extend": range(k + 1, 2 * k + 1)}.get(ties, ())
    tied = np.flatnonzero(_ties(scores).sum(axis=1) > 1)
    for fewer_or_more in others:
        if not len(tied):
            break
        again = class_votes(ballots.take(tied), labels[tied], fewer_or_more, scheme, len(prior))
        scores[tied], used[tied] = again, fewer_or_more
        tied = tied[_ties(again).sum(axis=1) > 1]
    return scores, _winners(ballots, labels, scores, ties, prior, seed), used


def _ties(scores):
    """Which classes have the most votes, up to rounding."""
    return scores >= scores.max(axis=1, keepdims=True) * (1 - ROUNDING)


def _winners(ballots, labels, scores, ties, prior, seed):
    first = _ties(scores)
    winner = first.argmax(axis=1)
    tied = np.flatnonzero(first.sum(axis=1) > 1)
    if not len(tied):
        return winner
    among = first[tied]
    if ties == "nearest":
        leads = np.take_along_axis(among, labels[tied], axis=1)
        winner[tied] = labels[tied, leads.argmax(axis=1)]
    elif ties == "random":
        drawn = seeded_hash(ballots.rows[tied], seed) % among.sum(axis=1).astype(np.uint64)
        winner[tied] = (among.cumsum(axis=1) > drawn[:, None]).argmax(axis=1)
    else:
        winner[tied] = np.where(among, prior, -1.0).argmax(axis=1)
    return winner


def reordered(distances, rows, keys):
    """The same neighbours, (m, K) each: equally near ones, up to rounding, by their keys."""
    farther = np.diff(distances, axis=1, prepend=distances[:, :1]) > ROUNDING * distances
    order = np.lexsort((rows, keys, farther.cumsum(axis=1)), axis=1)
    return tuple(np.take_along_axis(part, order, axis=1) for part in (distances, rows))


def seeded_hash(rows, seed):
    """A number for each query that looks like chance, but depends on its rows and the seed only."""
    mixed = np.full(len(rows), seed, dtype=np.uint64)
    for column in rows.T.astype(np.uint64):
        mixed = (mixed ^ column) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return mixed
