r"""From the machines' decisions to a score for each class.

    two classes        one machine; f > 0 is a vote for the second class
    one against rest   a machine for each class; the score of a class is its machine's f
    one against one    a machine for each pair (a, b), f > 0 speaking for a; the score of a class is its
                       number of votes, plus s / (3 (|s| + 1)) with s the sum of its f's, which settles ties

The class of the highest score is the prediction. In terms of votes, a machine of one against rest with f > 0
gives a vote to its own class, otherwise one to each of the others; the class of the largest f is always among
those with the most votes, so the largest f is what settles ties.

f : float64 (n, machines); scores : float64 (n, n_classes)
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np


class Votes(NamedTuple):
    """Who voted for whom: (machines, n_classes), and the totals, (n_classes,)."""

    by_machine: np.ndarray
    totals: np.ndarray

    @property
    def first(self) -> list[int]:
        """The classes with the most votes: one, or those that tie."""
        return np.flatnonzero(self.totals == self.totals.max()).tolist()


def rest_votes(f) -> Votes:
    """The votes of machines that each tell one class from the rest (one against rest).

    Parameters
    ----------
    f : sequence of float
        The decision of each class's machine about one row.

    Returns
    -------
    Votes
        `by_machine` and `totals`, and `first`, the classes with the most votes.

    Notes
    -----
    Guide: docs/guide/svm.md

    Examples
    --------
    >>> votes = rest_votes([-1, 1, -1])
    >>> votes.totals.tolist(), votes.first
    ([1, 3, 1], [1])
    """
    won = np.asarray(f) > 0
    by_machine = np.where(np.eye(len(won), dtype=bool), won[:, None], ~won[:, None]).astype(int)
    return Votes(by_machine, by_machine.sum(axis=0))


def pairs(n_classes: int) -> list[tuple[int, int]]:
    """The pairs of classes, in the order of their machines."""
    return list(combinations(range(n_classes), 2))


def pairwise_votes(f, n_classes: int) -> Votes:
    """The votes of machines that each tell two classes apart (one against one).

    Parameters
    ----------
    f : sequence of float
        The decision of each pair's machine about one row; above 0 speaks for the first of the pair.
    n_classes : int
        The number of classes.

    Returns
    -------
    Votes
        `by_machine` and `totals`, and `first`, the classes with the most votes.

    Notes
    -----
    Guide: docs/guide/svm.md

    Examples
    --------
    >>> pairwise_votes([0.5, -2.0, 1.0], 3).totals.tolist()
    [1, 1, 1]
    """
    by_machine = np.zeros((len(f), n_classes), dtype=int)
    for k, (a, b) in enumerate(pairs(n_classes)):
        by_machine[k, a if f[k] > 0 else b] = 1
    return Votes(by_machine, by_machine.sum(axis=0))


def class_scores(f: np.ndarray, n_classes: int, multiclass: str) -> np.ndarray:
    """The score of each class; of two classes, -f/2 and f/2."""
    if n_classes == 2:
        return f * np.array([-0.5, 0.5])
    if multiclass == "ovr":
        return f
    votes, sums = np.zeros((n_classes, len(f))), np.zeros((n_classes, len(f)))
    for (a, b), decisions in zip(pairs(n_classes), np.ascontiguousarray(f.T), strict=True):
        won = decisions > 0
        votes[a] += won
        votes[b] += ~won
        sums[a] += decisions
        sums[b] -= decisions
    return np.ascontiguousarray((votes + sums / (3 * (np.abs(sums) + 1))).T)
