r"""Scores of predicted numbers: squared and absolute errors, correlation, R².

    e = truth - prediction
    MSE = mean e²     RMSE = sqrt(MSE)     MAE = mean |e|
    R² = 1 - MSE / var(truth)              correlation = cov(truth, prediction) / (sd · sd)

Intervals: t over rows for the means of losses, and RMSE by the root of MSE's; Fisher's z for the correlation
(artanh r ± z / sqrt(n - 3)); for R² the delta method over rows, s / sqrt(n) with s the spread of each row's
influence -(e² - MSE)/v + MSE ((truth - mean)² - v)/v², v = var(truth). R² of a constant truth and the
correlation with a constant are NaN, with the reason. Numbers must be known.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.data.summary import NumberSummary, numbers
from openbook.draw import Picture
from openbook.errors import DataError, ParameterError, check_named
from openbook.judge.chance.intervals import Interval
from openbook.judge.chance.means import t_interval
from openbook.judge.scores.metrics import METRICS, Predictions
from openbook.judge.scores.rates import FISHER, Rate, RateValue, ends_on
from openbook.words.numbers import figure, fraction, shown
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Step, Work

if TYPE_CHECKING:
    from openbook.judge.folds.evaluation import Evaluation

_NAMES = ("mse", "rmse", "mae", "r2", "correlation")


@documented
@dataclass(frozen=True, repr=False, eq=False)
class Regression(ShowsWork):
    """The errors of predicted numbers.

    Attributes
    ----------
    truth, predicted : array-like
        A number for each row.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> errors = Regression([1, 3, 2, 6], [1, 2, 2, 5])
    >>> errors.mse, errors.mae
    (0.5, 0.5)
    >>> print(errors.rate("correlation"))
    0.980 [0.324, 1.000] (95%, Fisher z)
    """

    truth: Any
    predicted: Any

    mse = RateValue()
    rmse = RateValue()
    mae = RateValue()
    r2 = RateValue()
    correlation = RateValue()

    def __post_init__(self) -> None:
        for name in ("truth", "predicted"):
            numbers = np.asarray(getattr(self, name), dtype=float)
            if numbers.ndim != 1 or len(numbers) == 0:
                raise DataError(f"{name} must be a number for each of one or more rows, got {numbers.shape}")
            if not np.isfinite(numbers).all():
                row = int(np.argmin(np.isfinite(numbers)))
                raise DataError(f"{name} is {numbers[row]} in row {row}; leave such rows out")
            object.__setattr__(self, name, numbers)
        if len(self.truth) != len(self.predicted):
            raise DataError(f"truth has {len(self.truth)} rows, but predicted has {len(self.predicted)}")

    @classmethod
    def from_evaluation(cls, evaluation: "Evaluation") -> "Regression":
        """Of the rows of one round, each predicted once by a model that had not seen it.

        Parameters
        ----------
        evaluation : Evaluation
            The evaluation of a learner, as `evaluate` makes it.

        Returns
        -------
        Regression
        """
        if evaluation.task != "regression":
            raise ParameterError(f"{evaluation.name} predicts classes; Confusion judges those")
        once = evaluation.one_round
        return cls(once.truth, once.predicted)

    @property
    def relative_squared_error(self) -> float:
        """The sum of squared errors, divided by that of always predicting the mean: 1 - R squared."""
        return self._relative(np.square)

    @property
    def relative_absolute_error(self) -> float:
        """The sum of absolute errors, divided by that of always predicting the mean."""
        return self._relative(np.abs)

    def _relative(self, size: Any) -> float:
        """Errors beside those of the mean; NaN if the truth is the same in every row."""
        of_mean = float(size(self.truth - self.truth.mean()).sum())
        return float(size(self.errors).sum()) / of_mean if np.ptp(self.truth) > 0 else math.nan

    @cached_property
    def errors(self) -> np.ndarray:
        """Truth minus prediction."""
        return self.truth - self.predicted

    @property
    def error_summary(self) -> NumberSummary:
        """The quartiles of the errors, and how they spread."""
        return numbers(np.sort(self.errors))

    def rate(self, name: str, level: float = 0.95) -> Rate:
        """One of "mse", "rmse", "mae", "r2" and "correlation", with its interval.

        Parameters
        ----------
        name : str
            The name of the error measure.
        level : float, default=0.95

        Returns
        -------
        Rate
        """
        check_named("figure", name, _NAMES)
        value = METRICS[name](Predictions(self.truth, self.predicted, None, 0))
        if math.isnan(value):
            which = "predicted is" if np.ptp(self.truth) > 0 else "truth is"
            return Rate.undefined(f"{which} the same in every row", name, level)
        if name in ("mse", "mae"):
            losses = self.errors**2 if name == "mse" else np.abs(self.errors)
            return Rate(value, t_interval(losses, level).within(0, math.inf), name=name)
        if name == "rmse":
            return Rate(value, _rooted(self.rate("mse", level).interval), name=name)
        interval = self._r2_interval(value, level) if name == "r2" else _fisher(value, len(self.truth), level)
        return Rate(value, interval, name=name)

    def _r2_interval(self, value: float, level: float) -> Interval:
        mse, spread = self.mse, float(self.truth.var())
        far = (self.truth - self.truth.mean()) ** 2
        influences = value - (self.errors**2 - mse) / spread + mse * (far - spread) / spread**2
        around = t_interval(influences, level)
        return Interval(around.low, min(around.high, 1.0), level, "delta over rows", around.steps)

    def draw(self) -> Picture:
        """The residuals against the predictions, and the mean of rows with like predictions."""
        from openbook.judge.scores.residuals import residuals

        return residuals("the target", self.truth, self.predicted)

    def work(self) -> Work:
        """The figures, their intervals, and their derivations."""
        rows = []
        for name in _NAMES:
            rate = self.rate(name)
            method = rate.why or f"{100 * rate.interval.level:g}%, {rate.interval.method}"
            ends = "" if rate.why else rate.interval.ends
            rows.append((METRICS[name].words, shown(rate.value), ends, method))
        n, squares, far = len(self.truth), float((self.errors**2).sum()), float(np.abs(self.errors).sum())
        about = float(((self.truth - self.truth.mean()) ** 2).sum())
        r2 = r"1 - \frac{\sum_i e_i^2}{\sum_i (y_i - \bar{y})^2}"
        steps = (
            Step("MSE", r"\frac{1}{n} \sum_i e_i^2", fraction(squares, n), self.mse),
            Step("RMSE", r"\sqrt{\text{MSE}}", rf"\sqrt{{{figure(self.mse)}}}", self.rmse),
            Step("MAE", r"\frac{1}{n} \sum_i |e_i|", fraction(far, n), self.mae),
            Step("R²", r2, f"1 - {fraction(figure(squares), figure(about))}", self.r2),
        )
        note = f"{plural(n, 'row')}; e is truth minus prediction."
        grid = Grid("", ("figure", "value", "interval", "method"), rows, note)
        return Work("Errors of predicted numbers", (grid, *steps))


def _rooted(interval: Interval) -> Interval:
    """The interval of a root, from that of the square."""
    low, high = math.sqrt(max(interval.low, 0.0)), math.sqrt(interval.high)
    steps = (
        *interval.steps,
        Step("low of the root", r"\sqrt{\text{low}}", result=low),
        Step("high of the root", r"\sqrt{\text{high}}", result=high),
    )
    return Interval(low, high, interval.level, f"root of {interval.method}", steps)


def _fisher(r: float, n: int, level: float) -> Interval:
    """Fisher's z interval of a correlation; NaN with fewer than four rows, or where it is 1 or -1."""
    if n < 4 or not abs(r) < 1 - 1e-12:
        return Interval(math.nan, math.nan, level, "Fisher z, which needs four rows not on a line")
    centre, error = math.atanh(r), 1 / math.sqrt(n - 3)
    low, high, ends = ends_on(FISHER, centre, error, level)
    steps = (
        Step("y", r"\operatorname{artanh}(r)", rf"\operatorname{{artanh}}({figure(r)})", centre),
        Step("se", r"\frac{1}{\sqrt{n - 3}}", rf"\frac{{1}}{{\sqrt{{{n} - 3}}}}", error),
    )
    return Interval(low, high, level, "Fisher z", (*steps, *ends))
