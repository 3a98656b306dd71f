"""Votes from given distances, as in an exercise: no table, no metric.

distances : (n,), from the query to each row, in any order;  labels : the class of each row
"""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError, did_you_mean
from openbook.measures.arrays import as_floats
from openbook.neighbors.derive import derive_votes
from openbook.neighbors.votes import TIES, WEIGHTS, Ballots, decide_votes
from openbook.spaces.derive import Compared
from openbook.work import Work


@dataclass(frozen=True)
class Vote:
    """What the nearest rows say.

    Attributes
    ----------
    winner : label
        The class with the most votes.
    votes : dict
        The votes of each class.
    proba : dict
        The share of each class in the votes.

    Notes
    -----
    Guide: docs/guide/neighbours.md

    Examples
    --------
    >>> vote([0.2, 1.0, 0.5], ["a", "b", "b"], n_neighbors=3).votes
    {'a': 1.0, 'b': 2.0}
    """

    winner: Any
    votes: dict[Any, float]
    proba: dict[Any, float]
    _model: Any = field(repr=False, compare=False)

    def work(self) -> Work:
        """Derive the votes."""
        model = self._model
        near = [(row, Compared(d, ()), 1.0) for row, d in zip(model.rows, model.distances, strict=True)]
        title = f"{model.n_neighbors} nearest of {len(model.rows)} rows: a vote"
        return derive_votes(model, near, title, lambda: list(self.votes).index(self.winner))


def vote(
    distances: npt.ArrayLike,
    labels: Any,
    n_neighbors: int = 5,
    weights: Any = "uniform",
    ties: str = "smaller_k",
    random_state: int = 0,
) -> Vote:
    """The vote of the nearest rows, where their distances to the query are given.

    Parameters
    ----------
    distances : array-like of shape (n,)
        The distance of each row from the query, in any order; ties: the first row first.
    labels : sequence
        The class of each row.
    n_neighbors : int, default=5
        How many rows vote; all, if there are fewer.
    weights : str or function, default="uniform"
        The vote of a row: "uniform", "distance", "inverse", "inverse_square", "inverse_linear", a kernel, or
        a function of the distances.
    ties : {"smaller_k", "extend", "prior", "nearest", "random"}, default="smaller_k"
        Which class wins if several have the most votes.
    random_state : int, default=0
        Random seed of ties that are drawn.

    Returns
    -------
    Vote
        With `winner`, `votes`, `proba` and `work()`.

    Notes
    -----
    Guide: docs/guide/neighbours.md

    Examples
    --------
    >>> found = vote([1, 2, 4], ["yes", "no", "no"], weights="distance")  # 1 against 1/2 + 1/4
    >>> found.winner, found.votes
    ('yes', {'yes': 1.0, 'no': 0.75})
    """
    given = as_floats(distances, "distances").ravel()
    labels = np.asarray(labels, dtype=object).ravel()
    _check(given, labels, n_neighbors, weights, ties)
    classes = list(dict.fromkeys(labels.tolist()))
    codes = np.array([classes.index(label) for label in labels], dtype=np.intp)
    order, ones = np.argsort(given, kind="stable"), np.ones(len(given))
    ballots = Ballots(given[order][None], order[None], ones[None])
    k, prior = min(n_neighbors, len(given)), np.bincount(codes).astype(float)
    scores, winners, _ = decide_votes(ballots, codes[order][None], k, weights, ties, prior, random_state)
    votes = dict(zip(classes, scores[0].tolist(), strict=True))
    model = SimpleNamespace(n_neighbors=k, weights=weights, ties=ties, target_="class")
    model.classes_ = np.array(classes, dtype=object)
    model.statistics_ = SimpleNamespace(targets=codes, weights=ones)
    model.rows, model.distances = order.tolist(), given[order].tolist()
    total = sum(votes.values())
    proba = {label: count / total for label, count in votes.items()}
    return Vote(classes[int(winners[0])], votes, proba, model)


def _check(distances, labels, n_neighbors, weights, ties):
    if not len(distances) or len(distances) != len(labels):
        msg = f"give a label for each distance, and at least one; got {len(distances)} and {len(labels)}"
        raise ParameterError(msg)
    if (odd := distances[~(np.isfinite(distances) & (distances >= 0))]).size:
        raise ParameterError(f"distances must be finite and not negative, got {odd[0]:g}")
    if n_neighbors != int(n_neighbors) or n_neighbors < 1:
        raise ParameterError(f"n_neighbors must be a whole number of at least 1, got {n_neighbors!r}")
    for name, value, known in (("weights", weights, WEIGHTS), ("ties", ties, TIES)):
        if not callable(value) and value not in known:
            raise ParameterError(f"{name} cannot be {value!r}. {did_you_mean(str(value), known)}")
