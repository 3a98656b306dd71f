r"""The ROC curve: true positive rate against false positive rate, over all thresholds.

    a row is called positive where its score >= t;  for t from ∞ down to the least score:
    TPR(t) = P(score >= t | positive),  FPR(t) = P(score >= t | negative)

    AUC        the area under it, by trapezoids: a tie of a positive and a negative row counts half
    DeLong     var AUC = var(V_i)/n_positive + var(W_j)/n_negative, V and W the rows' own areas
    cost       C_FN π (1 - TPR) + C_FP (1 - π) FPR, least where the slope is (C_FP / C_FN) (1 - π)/π

V_i is the share of negative rows that score below positive row i, W_j that of positive rows above negative
row j. The interval is DeLong's on the logit scale, which holds its level near 1, where the plain one does not
(DeLong, DeLong and Clarke-Pearson 1988). Where the scores separate the classes perfectly, or are all equal,
they show no spread, and Newcombe's score interval is used: that of AUCs θ with |θ - AUC| <= z sqrt(var(θ)),
var after Hanley and McNeil (Newcombe 2006, method 5).

Scores must be known. Without positive or without negative rows there is no curve, which is an error.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logit

from openbook.draw import Picture
from openbook.errors import DataError, ParameterError
from openbook.judge.chance.intervals import Interval, normal_quantile
from openbook.judge.scores.rates import LOGIT, ends_on
from openbook.judge.scores.two_kinds import ThresholdCurve
from openbook.words.numbers import figure, fraction, shown
from openbook.words.parameters import documented
from openbook.work import Step, Work


def auc(truth: Any, scores: Any) -> float:
    """The area under the ROC curve; NaN without rows of both kinds.

    Parameters
    ----------
    truth : array-like of bool
        Whether each row is positive.
    scores : array-like
        The higher the more likely positive; none may be NaN.

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> auc([True, False, True, False], [0.9, 0.4, 0.4, 0.1])
    0.875
    """
    from openbook.judge.scores.mann_whitney import area, parted

    positive, negative = parted(np.asarray(truth, dtype=bool), np.asarray(scores, dtype=float))
    return area(positive, negative) if len(positive) and len(negative) else math.nan


@dataclass(frozen=True)
class OperatingPoint:
    """A point of the curve: rows of this score or more are called positive, at this cost per row.

    The unit of costs is the cost of one false alarm.
    """

    threshold: float
    fpr: float
    tpr: float
    cost: float
    slope: float


@documented
@dataclass(frozen=True, repr=False, eq=False)
class Roc(ThresholdCurve):
    """The ROC curve of some scores.

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
    >>> roc = Roc(["ill", "well", "ill", "well"], [0.9, 0.4, 0.4, 0.1], positive="ill")
    >>> roc.auc
    0.875
    >>> roc.points.tolist()
    [[0.0, 0.0], [0.0, 0.5], [0.5, 1.0], [1.0, 1.0]]
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.truth.all():
            raise DataError(f"every row is {self.positive}, so there is nothing to rank")

    @cached_property
    def auc(self) -> float:
        """The area under the curve."""
        from openbook.judge.scores.mann_whitney import area

        return area(*self.parted)

    @cached_property
    def points(self) -> np.ndarray:
        """(FPR, TPR) at every threshold."""
        found, alarms = self.called
        return np.column_stack([alarms / self.n_negative, found / self.n_positive])

    @cached_property
    def variances(self) -> tuple[float, float]:
        """DeLong's: of positive rows' own areas, and of negative ones'; NaN if there is a single row."""
        from openbook.judge.scores.mann_whitney import doubled_wins

        positive, negative = self.parted
        return tuple(
            float((doubled_wins(a, b) / (2 * len(b))).var(ddof=1)) if len(a) > 1 else math.nan
            for a, b in ((positive, negative), (negative, positive))
        )  # type: ignore[return-value]

    def interval(self, level: float = 0.95) -> Interval:
        """The interval of the area: DeLong's, on the logit scale; Newcombe's where that shows no spread.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        Interval
        """
        positive, negative = self.variances
        variance = positive / self.n_positive + negative / self.n_negative
        if not variance > 0 or self.auc in (0, 1):
            return newcombe_auc(self.auc, self.n_positive, self.n_negative, level)
        error, a = math.sqrt(variance), figure(self.auc)
        centre, spread = float(logit(self.auc)), error / (self.auc * (1 - self.auc))
        low, high, ends = ends_on(LOGIT, centre, spread, level, "s")
        formula = r"\sqrt{\frac{\operatorname{var} V}{n_+} + \frac{\operatorname{var} W}{n_-}}"
        both = f"{fraction(positive, self.n_positive)} + {fraction(negative, self.n_negative)}"
        steps = (
            Step("var V", result=positive, note="V: the share of negative rows below each positive row"),
            Step("var W", result=negative, note="W: the share of positive rows above each negative row"),
            Step("se", formula, rf"\sqrt{{{both}}}", error),
            Step("y", r"\operatorname{logit}(A)", rf"\ln \frac{{{a}}}{{1 - {a}}}", centre),
            Step(
                "s", r"\frac{\operatorname{se}}{A (1 - A)}", fraction(figure(error), f"{a} (1 - {a})"), spread
            ),
        )
        return Interval(low, high, level, "DeLong on logit", (*steps, *ends))

    def point_for(self, cost_ratio: float, prior: float | None = None) -> OperatingPoint:
        """The threshold of least cost; the highest in a tie.

        Parameters
        ----------
        cost_ratio : float
            What missing a positive row costs, in false alarms: C_FN / C_FP.
        prior : float or None, default=None
            How common positive rows are where the model is used; None takes their share here.

        Returns
        -------
        OperatingPoint
        """
        if not (cost_ratio > 0 and math.isfinite(cost_ratio)):
            raise ParameterError(
                f"cost_ratio must be above 0, got {cost_ratio}; 5 means that a miss costs as much as 5 alarms"
            )
        prior = self.n_positive / len(self.scores) if prior is None else prior
        if not 0 < prior < 1:
            raise ParameterError(f"prior must lie between 0 and 1, got {prior}")
        fpr, tpr = self.points.T
        costs = cost_ratio * prior * (1 - tpr) + (1 - prior) * fpr
        best = int(np.argmin(costs))
        slope = (1 - prior) / (prior * cost_ratio)
        return OperatingPoint(
            float(self.thresholds[best]), float(fpr[best]), float(tpr[best]), float(costs[best]), slope
        )

    def work(self, points: int = 12) -> Work:
        """The area, pair by pair; and up to so many points of the curve.

        Parameters
        ----------
        points : int, default=12
            The most points to list.

        Returns
        -------
        Work
        """
        positive, negative = self.n_positive, self.n_negative
        pairs, interval = positive * negative, self.interval()
        wins = self.auc * pairs
        note = "pairs in which the positive row scores higher, ties counting half"
        parts = (
            self.some_points(("FPR", "TPR"), points),
            Step("pairs", r"n_+ \cdot n_-", rf"{positive} \cdot {negative}", pairs),
            Step("won", result=wins, note=note),
            Step("AUC", r"\frac{\text{won}}{\text{pairs}}", fraction(wins, pairs), self.auc),
            Work(f"Interval: {interval.method}", interval.steps),
        )
        return Work(f"ROC, {self.positive} is positive", parts, f"AUC = {shown(self.auc)} {interval}")

    def draw(self, beside: "Mapping[str, Roc] | None" = None) -> Picture:
        """The curve, by itself or among others, each under its name.

        Parameters
        ----------
        beside : mapping of str to Roc or None, default=None
            Other curves to draw into the same picture, by name.

        Returns
        -------
        Picture
        """
        from openbook.judge.scores.score_pictures import draw_rocs

        return draw_rocs({str(self.positive): self, **(beside or {})})


def newcombe_auc(area: float, n_positive: int, n_negative: int, level: float = 0.95) -> Interval:
    """Newcombe's score interval of an area, from it and the numbers of rows.

    >>> print(newcombe_auc(1.0, 10, 10))
    [0.800, 1.000] (95%, Newcombe's score)
    """
    z, more = normal_quantile(level)[0], (n_positive + n_negative) / 2 - 1

    def too_far(theta: float) -> bool:
        spread = 1 + more * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        variance = theta * (1 - theta) * spread / (n_positive * n_negative)
        return abs(theta - area) > z * math.sqrt(variance)

    def end(outside: float) -> float:
        """The end between the area and a bound outside the interval, by bisection."""
        inside = area
        for _ in range(60):
            middle = (outside + inside) / 2
            outside, inside = (middle, inside) if too_far(middle) else (outside, middle)
        return inside

    low, high = (0.0 if area == 0 else end(0.0)), (1.0 if area == 1 else end(1.0))
    factor = r"(1 + m (\frac{1 - \theta}{2 - \theta} + \frac{\theta}{1 + \theta}))"
    note = f"of an area θ, with m = (n₊ + n₋)/2 - 1 = {figure(more)}"
    steps = (
        Step("A", result=area),
        Step("var", rf"\frac{{\theta (1 - \theta)}}{{n_+ n_-}} {factor}", note=note),
        Step("low", result=low, note="the least and the greatest θ with |θ - A| ≤ z √var"),
        Step("high", result=high),
    )
    return Interval(low, high, level, "Newcombe's score", steps)
