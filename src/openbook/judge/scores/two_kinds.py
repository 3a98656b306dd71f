"""Scores of positive and negative rows: the base of Roc, PrecisionRecall and Calibration.

    truth  : bool (n_rows,), whether a row is positive
    scores : float64 (n_rows,), the higher the more likely positive; NaN is refused

From an evaluation, the scores are the probabilities of one class, over the rows of one round: each row once,
predicted by a model that had not seen it. Of several classes each stands against the rest.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from openbook.border.rows import check_known
from openbook.data import Column
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.judge.scores.confusion import Confusion
from openbook.work import Grid, ShowsWork, Work

if TYPE_CHECKING:
    from openbook.judge.folds.evaluation import Evaluation


@dataclass(frozen=True, repr=False, eq=False)
class Scored(ShowsWork, ABC):
    """Rows that are positive or not, and their scores.

    Parameters
    ----------
    truth : labels or booleans, one for each row
    scores : numbers, the higher the more likely positive
    positive : the label that is positive
    """

    truth: Any
    scores: Any
    positive: Any = True

    def __post_init__(self) -> None:
        labels = np.asarray(self.truth.values if isinstance(self.truth, Column) else self.truth)
        scores = np.asarray(self.scores, dtype=float)
        if labels.ndim != 1 or scores.shape != labels.shape:
            shapes = f"{labels.shape} and {scores.shape}"
            raise DataError(f"truth and scores must have one value per row, got {shapes}")
        if len(labels) == 0:
            raise DataError("there are no rows to score")
        if np.isnan(scores).any():
            row = int(np.argmax(np.isnan(scores)))
            raise DataError(f"the score of row {row} is NaN; leave such rows out")
        check_known("truth", labels)
        object.__setattr__(self, "truth", _positive(labels, self.positive))
        object.__setattr__(self, "scores", scores)

    @classmethod
    def from_evaluation(cls, evaluation: "Evaluation", label: Any = None, **options: Any) -> Self:
        """By a class's probability, over the rows of one round.

        Parameters
        ----------
        evaluation : Evaluation
            Of a classifier that gives probabilities.
        label : label or None, default=None
            The positive class; None for the second of two.
        **options : object
            Parameters of the class.

        Returns
        -------
        Scored
        """
        classes, truth, proba = _probabilities(evaluation)
        texts = [as_text(each) for each in classes.tolist()]
        if label is None and len(texts) != 2:
            raise ParameterError(
                f"there are {len(texts)} classes; name one, label={texts[0]!r}, or take each(evaluation)"
            )
        wanted = texts[1] if label is None else as_text(label)
        if wanted not in texts:
            raise ParameterError(f"no class {label!r}. {did_you_mean(wanted, texts)}")
        code = texts.index(wanted)
        return cls(classes[truth], np.ascontiguousarray(proba[:, code]), classes.tolist()[code], **options)

    @classmethod
    def each(cls, evaluation: "Evaluation", **options: Any) -> dict[Any, Self]:
        """One for every class against the rest; classes without a row in the round are left out.

        Parameters
        ----------
        evaluation : Evaluation
            The evaluation of a learner, as `evaluate` makes it.
        **options : object
            Parameters of the class.

        Returns
        -------
        dict
        """
        classes, truth, _ = _probabilities(evaluation)
        occurring = classes[np.bincount(truth, minlength=len(classes)) > 0].tolist()
        return {label: cls.from_evaluation(evaluation, label, **options) for label in occurring}

    @cached_property
    def parted(self) -> tuple[np.ndarray, np.ndarray]:
        """The scores of positive rows and of negative ones, each sorted."""
        from openbook.judge.scores.mann_whitney import parted

        return parted(self.truth, self.scores)

    @property
    def n_positive(self) -> int:
        return len(self.parted[0])

    @property
    def n_negative(self) -> int:
        return len(self.parted[1])

    def confusion(self, threshold: float) -> Confusion:
        """The table where rows of this score or more are called positive.

        Parameters
        ----------
        threshold : float
            The lowest score that is called positive.

        Returns
        -------
        Confusion
        """
        below, negatives_below = (int(np.searchsorted(part, threshold)) for part in self.parted)
        counts = [[negatives_below, self.n_negative - negatives_below], [below, self.n_positive - below]]
        return Confusion(np.array(counts), (f"not {self.positive}", self.positive), self.positive)

    @abstractmethod
    def work(self) -> Work:
        """The derivation of the figures."""


class ThresholdCurve(Scored):
    """Scores of all thresholds: rows of at least that score are called positive."""

    @cached_property
    def thresholds(self) -> np.ndarray:
        """The thresholds: infinity, then every score, from the greatest to the least."""
        return np.concatenate([[math.inf], np.unique(self.scores)[::-1]])

    @cached_property
    def called(self) -> tuple[np.ndarray, np.ndarray]:
        """How many positive and how many negative rows are called positive at each threshold: TP and FP."""
        return tuple(len(part) - np.searchsorted(part, self.thresholds) for part in self.parted)  # type: ignore[return-value]

    @property
    @abstractmethod
    def points(self) -> np.ndarray:
        """The points of the curve, one for each of the last thresholds."""

    def some_points(self, header: tuple[str, str], most: int) -> Grid:
        """Up to so many points of the curve, its ends among them, with their thresholds.

        Parameters
        ----------
        header : tuple of (str, str)
            The names of the two axes.
        most : int
            The most points to list.

        Returns
        -------
        Grid
        """
        n, skipped = len(self.points), len(self.thresholds) - len(self.points)
        chosen = np.unique(np.linspace(0, n - 1, min(most, n)).astype(int)).tolist()
        scores = self.thresholds[skipped:]
        rows = [
            (
                "∞" if scores[i] == math.inf else float(scores[i]),
                *(int(part[skipped + i]) for part in self.called),
                *self.points[i].tolist(),
            )
            for i in chosen
        ]
        title = "Points" if len(chosen) == n else f"{len(chosen)} of {n:,} points"
        return Grid(title, ("score from", "TP", "FP", *header), rows)


def _positive(labels: np.ndarray, positive: Any) -> np.ndarray:
    """Which rows are of the positive class, however it is written: 1 is "1"."""
    found = labels if labels.dtype == bool and positive is True else np.asarray(labels == positive)
    if not found.any():
        texts = {label: as_text(label) for label in np.unique(labels.astype(object)).tolist()}
        same = [label for label, words in texts.items() if words == as_text(positive)]
        if not same:
            known = did_you_mean("", [*texts.values()])
            raise DataError(f"no row is {positive!r}; positive= names the class to look for. {known}")
        found = np.asarray(labels == same[0])
    return found


def _probabilities(evaluation: "Evaluation") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Classes, the codes of one round's rows, and their probabilities."""
    if evaluation.task != "classification" or evaluation.classes is None:
        raise ParameterError(f"{evaluation.name} predicts {evaluation.predicts}, not classes")
    once = evaluation.one_round
    if once.proba is None:
        raise ParameterError(f"{evaluation.name} gives no probabilities, so its rows cannot be ranked")
    return evaluation.classes, once.truth, once.proba
