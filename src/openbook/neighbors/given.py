"""Votes from distances that are given, as in an exercise: no table, no metric.

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
    _how: Any = field(repr=False, compare=False)

    def work(self) -> Work:
        """Derive the votes."""
        how = self._how
        near = [(row, Compared(d, ()), 1.0) for row, d in zip(how.rows, how.distances, strict=True)]
        title = f"{how.n_neighbors} nearest of {len(how.statistics_.targets)} rows: a vote"
        return derive_votes(how, near, title, lambda: list(self.votes).index(self.winner))


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
        How far each row is from the query, in any order; of equally far ones the first counts first.
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
    far = as_floats(distances, "distances").ravel()
    said = np.asarray(labels, dtype=object).ravel()
    _check(far, said, n_neighbors, weights, ties)
    classes = list(dict.fromkeys(said.tolist()))
    codes = np.array([classes.index(label) for label in said], dtype=np.intp)
    order = np.argsort(far, kind="stable")
    ballots = Ballots(far[order][None], order[None], np.ones((1, len(far))))
    k, prior = min(n_neighbors, len(far)), np.bincount(codes).astype(float)
    scores, winners, _ = decide_votes(ballots, codes[order][None], k, weights, ties, prior, random_state)
    votes = dict(zip(classes, scores[0].tolist(), strict=True))
    how = SimpleNamespace(
        n_neighbors=k,
        weights=weights,
        ties=ties,
        classes_=np.array(classes, dtype=object),
        target_="class",
        statistics_=SimpleNamespace(targets=codes, weights=np.ones(len(far))),
        rows=order.tolist(),
        distances=far[order].tolist(),
    )
    total = sum(votes.values())
    proba = {label: own / total for label, own in votes.items()}
    return Vote(classes[int(winners[0])], votes, proba, how)


def _check(far, said, n_neighbors, weights, ties):
    if not len(far) or len(far) != len(said):
        msg = f"give a label for each distance, and at least one; got {len(far)} and {len(said)}"
        raise ParameterError(msg)
    if not (np.isfinite(far) & (far >= 0)).all():
        msg = f"distances must be finite and not negative, got {far[~(np.isfinite(far) & (far >= 0))][0]:g}"
        raise ParameterError(msg)
    if n_neighbors != int(n_neighbors) or n_neighbors < 1:
        raise ParameterError(f"n_neighbors must be a whole number of at least 1, got {n_neighbors!r}")
    for name, value, known in (("weights", weights, WEIGHTS), ("ties", ties, TIES)):
        if not callable(value) and value not in known:
            raise ParameterError(f"{name} cannot be {value!r}. {did_you_mean(str(value), known)}")
