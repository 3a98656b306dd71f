r"""The precision-recall curve: precision at each recall, over all thresholds.

    a row is called positive where its score >= t;  for t from the greatest score down:
    precision(t) = TP/(TP + FP),  recall(t) = TP/(TP + FN)

    average precision    Σ_t (recall(t) - recall(t before)) precision(t)
                         = the mean over the positive rows of the precision where each of them is just found

A constant score has the precision of the prevalence. The interval is Wilson's, as if average precision were a
share of the positive rows: careful, as simulations show (Boyd, Eng and Page 2013 compare others).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from openbook.draw import Picture
from openbook.errors import ParameterError
from openbook.judge.chance.intervals import Interval, wilson
from openbook.judge.scores.two_kinds import ThresholdCurve
from openbook.words.numbers import fraction, shown
from openbook.words.parameters import documented
from openbook.work import Step, Work


def average_precision(truth: Any, scores: Any) -> float:
    """The average precision of scores; NaN without positive rows.

    >>> round(average_precision([True, False, True, False], [0.9, 0.8, 0.4, 0.1]), 4)  # (1 + 2/3) / 2
    0.8333
    """
    from openbook.judge.scores.mann_whitney import parted

    return _average(*parted(np.asarray(truth, dtype=bool), np.asarray(scores, dtype=float)))


def _average(positive: np.ndarray, negative: np.ndarray) -> float:
    if len(positive) == 0:
        return math.nan
    found, alarms = (len(part) - np.searchsorted(part, positive) for part in (positive, negative))
    return float((found / (found + alarms)).mean())


class BestF(NamedTuple):
    """The point of the greatest F, and that F."""

    threshold: float
    recall: float
    precision: float
    f: float


@documented
@dataclass(frozen=True, repr=False, eq=False)
class PrecisionRecall(ThresholdCurve):
    """The precision-recall curve of some scores.

    Attributes
    ----------
    truth : array-like
        Labels or booleans, one for each row.
    scores : array-like
        Numbers, the higher the more likely positive.
    positive : label, default=True
        The label that is positive.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> curve = PrecisionRecall([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
    >>> round(curve.average_precision, 4), curve.prevalence
    (0.8333, 0.5)
    >>> curve.best(beta=1)
    BestF(threshold=0.4, recall=1.0, precision=0.6666666666666666, f=0.8)
    """

    @cached_property
    def average_precision(self) -> float:
        return _average(*self.parted)

    @property
    def prevalence(self) -> float:
        """The share of positive rows: the precision of calling every row positive."""
        return self.n_positive / len(self.scores)

    @cached_property
    def points(self) -> np.ndarray:
        """(recall, precision) at every threshold from the greatest score down."""
        found, alarms = (counts[1:] for counts in self.called)
        return np.column_stack([found / self.n_positive, found / (found + alarms)])

    def interval(self, level: float = 0.95) -> Interval:
        """The interval of the average precision: Wilson's, over the positive rows.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        Interval
        """
        found = wilson(self.average_precision * self.n_positive, self.n_positive, level)
        return Interval(found.low, found.high, level, "Wilson over the positive rows", found.steps)

    def best(self, beta: float = 1) -> BestF:
        """The point of the greatest F_beta; the highest threshold in a tie.

        Parameters
        ----------
        beta : float, default=1
            How many times as much recall counts as precision.

        Returns
        -------
        BestF
        """
        if not beta > 0:
            raise ParameterError(f"beta must be above 0, got {beta}; 2 favours recall, 0.5 precision")
        found, alarms = (counts[1:] for counts in self.called)
        f = (1 + beta**2) * found / (beta**2 * self.n_positive + found + alarms)
        at = int(np.argmax(f))
        recall, precision = self.points[at].tolist()
        return BestF(float(self.thresholds[1 + at]), recall, precision, float(f[at]))

    def work(self, points: int = 12) -> Work:
        """The average, and up to so many points of the curve.

        Parameters
        ----------
        points : int, default=12
            The most points to list.

        Returns
        -------
        Work
        """
        average, interval = self.average_precision, self.interval()
        numbers = fraction(average * self.n_positive, self.n_positive)
        note = "over the positive rows: the precision of the rows that score at least as high as row i"
        parts = (
            self.some_points(("recall", "precision"), points),
            Step("average precision", r"\frac{1}{n_+} \sum_i \text{precision}_i", numbers, average, note),
            Work(f"Interval: {interval.method}", interval.steps),
        )
        end = (
            f"average precision = {shown(average)} {interval}; of a constant score: {shown(self.prevalence)}"
        )
        return Work(f"Precision and recall, {self.positive} is positive", parts, end)

    def draw(self, beside: "Mapping[str, PrecisionRecall] | None" = None) -> Picture:
        """The curve, by itself or among others, each under its name.

        Parameters
        ----------
        beside : mapping of str to PrecisionRecall or None, default=None
            Other curves to draw into the same picture, by name.

        Returns
        -------
        Picture
        """
        from openbook.judge.scores.score_pictures import draw_precision_recall

        return draw_precision_recall({str(self.positive): self, **(beside or {})})
