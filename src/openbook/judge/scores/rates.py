r"""Rates as functions of the counts of a confusion matrix, and intervals of those that are not plain shares.

    counts : (k, k), rows truth, columns predicted; of two classes [[TN, FP], [FN, TP]]

    kappa     (accuracy - chance) / (1 - chance)
    mcc       (n Σ_c n_cc - Σ_c t_c p_c) / sqrt((n² - Σ_c p_c²) (n² - Σ_c t_c²)),  t truth, p predicted
    f_beta    (1 + β²) TP / ((1 + β²) TP + β² FN + FP)
    averages  of precision, recall and F1 over the classes: macro (each the same), weighted (by its rows)

None of them changes when all counts are doubled. The delta method then says that such a statistic y has the
variance Σ n_ij (∂y / ∂n_ij)². It is applied on a scale on which y is more nearly normal: the logarithm for
ratios, the logit for what lies between 0 and 1, Fisher's z for what lies between -1 and 1. For likelihood and
odds ratios this is the log method of Simel and of Woolf. Where the statistic is at the end of its range, a
part 1/k is added to every cell first (½ for two classes), and the method says so.

What the counts do not define is NaN. All functions take complex counts, by which derivatives are exact:
∂y / ∂n = Im y(n + ih) / h for tiny h.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from scipy.special import expit

from openbook.judge.chance.intervals import Interval, normal_quantile, wilson
from openbook.words.numbers import figure, shown
from openbook.words.parameters import documented
from openbook.work import Step

Statistic = Callable[[np.ndarray], Any]

#: So small that its square vanishes beside any count.
_TINY = 1e-30
#: A standard error below this is rounding.
_NO_SPREAD = 1e-9


@documented
@dataclass(frozen=True)
class Rate:
    """A rate, its interval, and why it is undefined if it is.

    Attributes
    ----------
    value : float
        The rate; NaN if it is undefined.
    interval : Interval
        Its interval.
    why : str, default=""
        Why it is undefined; empty if it is not.
    name : str, default=""
        The name of the rate.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> print(Rate(0.75, Interval(0.628, 0.842, 0.95, "Wilson")))
    0.750 [0.628, 0.842] (95%, Wilson)
    """

    value: float
    interval: Interval
    why: str = ""
    name: str = ""

    @classmethod
    def undefined(cls, why: str, name: str, level: float) -> "Rate":
        """A rate that the rows do not define.

        Parameters
        ----------
        why : str
            Why it is undefined.
        name : str
            The name of the rate.
        level : float

        Returns
        -------
        Rate
        """
        return cls(math.nan, Interval(math.nan, math.nan, level, "none"), why, name)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"undefined: {self.why}" if self.why else f"{shown(self.value)} {self.interval}"


class RateValue:
    """A descriptor: the value of `rate(name)` of the object, where name is the attribute's."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, having: None, owner: type) -> "RateValue": ...

    @overload
    def __get__(self, having: Any, owner: type) -> float: ...

    def __get__(self, having: Any, owner: type) -> "RateValue | float":
        return self if having is None else having.rate(self.name).value


class RateScale(NamedTuple):
    """A scale on which a statistic is more nearly normal: the transformation, its inverse, and their
    names.
    """

    name: str
    there: Callable[[Any], Any]
    back: Callable[[float], float]
    back_name: str


LOG = RateScale("ln", np.log, math.exp, "exp")
LOGIT = RateScale("logit", lambda y: np.log(y / (1 - y)), lambda x: float(expit(x)), "expit")
FISHER = RateScale("artanh", np.arctanh, math.tanh, "tanh")


def delta(
    statistic: Statistic, counts: np.ndarray, scale: RateScale, value: float, level: float = 0.95
) -> Interval:
    """The delta method's interval of a statistic that has this (defined) value; it holds the value.

    Parameters
    ----------
    statistic : function of a table of counts
    counts : the table
    scale : on which it is nearly normal
    value : the statistic of `counts`

    Examples
    --------
    >>> table = np.array([[120, 20], [15, 45]])
    >>> print(delta(cohens_kappa, table, FISHER, cohens_kappa(table)))
    [0.459, 0.700] (95%, delta on artanh)
    """
    for part in (0, len(counts)):
        cells = counts + (1 / part if part else 0.0)
        with np.errstate(all="ignore"):
            centre = float(scale.there(statistic(cells)))
            gradient = _all_slopes(lambda table: scale.there(statistic(table)), cells)
            error = math.sqrt(float((cells * gradient**2).sum()))
        if math.isfinite(centre) and _NO_SPREAD < error < math.inf:
            break
    method = "log" if scale is LOG else f"delta on {scale.name}"
    added = f"{'½' if part == 2 else f'1/{part}'} added to each cell" if part else ""
    note = f"s is the rate{added and ', with ' + added}"
    y = Step("y", rf"\operatorname{{{scale.name}}}(s)", result=centre, note=note)
    low, high, ends = ends_on(scale, centre, error, level)
    steps = (y, *_slope_steps(cells, gradient, error), *ends)
    # what was added must not push the value itself out
    return Interval(min(low, value), max(high, value), level, ", ".join(filter(None, (method, added))), steps)


def ends_on(
    scale: RateScale, centre: float, error: float, level: float, symbol: str = r"\operatorname{se}"
) -> tuple[float, float, tuple[Step, ...]]:
    """Both ends of centre ± z · error, transformed back from the scale, and the steps to them."""
    z, z_step = normal_quantile(level)
    low, high = scale.back(centre - z * error), scale.back(centre + z * error)
    half, back = rf"{figure(z)} \cdot {figure(error)}", rf"\operatorname{{{scale.back_name}}}"
    ends = [
        Step(end, rf"{back}(y {sign} z {symbol})", f"{back}({figure(centre)} {sign} {half})", found)
        for end, sign, found in (("low", "-", low), ("high", "+", high))
    ]
    return low, high, (z_step, *ends)


def smooth(
    statistic: Statistic, counts: np.ndarray, scale: RateScale, why: str, name: str, level: float = 0.95
) -> Rate:
    """A smooth function of the counts as a rate; undefined where it is NaN, for the reason `why`."""
    with np.errstate(all="ignore"):
        value = float(statistic(counts))
    if math.isnan(value):
        return Rate.undefined(why, name, level)
    return Rate(value, delta(statistic, counts, scale, value, level), name=name)


def share(top: int, bottom: int, why: str, name: str, level: float = 0.95) -> Rate:
    """The share of `top` of `bottom` rows as a rate; undefined without rows, for the reason `why`."""
    if bottom == 0:
        return Rate.undefined(why, name, level)
    return Rate(top / bottom, wilson(top, bottom, level), name=name)


def _slope_steps(cells: np.ndarray, gradient: np.ndarray, error: float) -> tuple[Step, ...]:
    """The standard error; of two classes with every derivative."""
    formula = r"\sqrt{\sum_{ij} n_{ij} g_{ij}^2}"
    note = "g_ij is the derivative of y by the count n_ij: row i truth, column j predicted"
    if len(cells) > 2:
        return (Step("se", formula, result=error, note=note),)
    slopes = gradient.ravel().tolist()
    products = [
        rf"{figure(n)} \cdot ({figure(g)})^2" for n, g in zip(cells.ravel().tolist(), slopes, strict=True)
    ]
    names = [f"g_{i + 1}{j + 1}" for i, j in np.ndindex(cells.shape)]
    each = [Step(name, result=g) for name, g in zip(names, slopes, strict=True)]
    return (*each, Step("se", formula, rf"\sqrt{{{' + '.join(products)}}}", error, note))


def _all_slopes(statistic: Statistic, counts: np.ndarray) -> np.ndarray:
    """The derivative by every count.

    Rates of many classes depend on each class's correct rows, true rows and predicted rows only. So off the
    diagonal g_ij = a_i + b_j, and 3k cells give all k²: the first row and column, the diagonal, and one more.
    """
    k = len(counts)
    if k < 4:
        return rate_slopes(statistic, counts, np.ndindex(counts.shape))
    first = [cell for i in range(1, k) for cell in ((0, i), (i, 0))]
    found = rate_slopes(statistic, counts, [*first, *((i, i) for i in range(k)), (2, 1)])
    corner = found[0, 1] + found[2, 0] - found[2, 1]  # a_0 + b_0
    by_truth, by_prediction = found[:, 0].copy(), found[0].copy()
    by_truth[0] = by_prediction[0] = corner
    slopes = by_truth[:, None] + by_prediction - corner
    np.fill_diagonal(slopes, np.diag(found))
    return slopes


def rate_slopes(statistic: Statistic, counts: np.ndarray, cells: Iterable[tuple[int, ...]]) -> np.ndarray:
    """The derivative by the counts of some cells; the others are 0."""
    found = np.zeros(counts.shape)
    table = counts.astype(complex)
    for at in cells:
        table[at] += _TINY * 1j
        found[at] = np.imag(statistic(table)) / _TINY
        table[at] = counts[at]
    return found


def cohens_kappa(counts: np.ndarray) -> Any:
    """Cohen's kappa: the agreement beyond that of chance; NaN where chance always agrees."""
    shares = counts / counts.sum()
    chance = shares.sum(axis=0) @ shares.sum(axis=1)
    return (np.trace(shares) - chance) / (1 - chance) if chance.real < 1 else math.nan


def mcc(counts: np.ndarray) -> Any:
    """Matthews' correlation, Gorodkin's for several classes; NaN where truth or prediction is constant."""
    n, truth, predicted = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    spread = (n * n - predicted @ predicted) * (n * n - truth @ truth)
    return (n * np.trace(counts) - truth @ predicted) / np.sqrt(spread) if spread.real > 0 else math.nan


def f_beta(counts: np.ndarray, beta: float) -> Any:
    """F of two classes: recall counts β² times as much as precision; NaN without TP, FN and FP."""
    (_, fp), (fn, tp) = counts
    whole = (1 + beta**2) * tp + beta**2 * fn + fp
    return (1 + beta**2) * tp / whole if whole.real > 0 else math.nan


def by_class(counts: np.ndarray) -> dict[str, np.ndarray]:
    """Precision, recall and F1 of every class; NaN where 0/0."""
    hits, truth, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {"precision": hits / predicted, "recall": hits / truth, "f1": 2 * hits / (truth + predicted)}


def mean_over_classes(counts: np.ndarray, what: str, weighted: bool = False) -> Any:
    """The mean over the classes of precision, recall or F1, or ("f1_of_means") the F1 of the first two.

    If weighted, each class counts by its rows, so a class without rows does not count.
    """
    if what == "f1_of_means":
        precision, recall = (mean_over_classes(counts, each, weighted) for each in ("precision", "recall"))
        both = precision + recall
        return 2 * precision * recall / both if both != 0 else math.nan
    values, truth = by_class(counts)[what], counts.sum(axis=1)
    if not weighted:
        return values.mean()
    present = truth.real > 0
    return values[present] @ truth[present] / truth.sum() if present.any() else math.nan
