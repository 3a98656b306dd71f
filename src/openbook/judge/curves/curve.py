"""A curve: the score on training rows and on held-out rows, as something grows.

    training, validation : float64 (n_points, n_folds), the score of every fold at every point
    baseline             : float64 (n_folds,), the score of the majority class, or of the mean

All points are evaluated on the same folds, so they are compared fold by fold. Bands and differences are those
of the corrected resampled t; its ratio n_test / n_train is that of the whole training part, whatever part of
it a point learns from. A point that cannot be evaluated is NaN, and a note gives the reason.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from openbook.data.adjustments import holm
from openbook.draw import Marks, Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import DataError
from openbook.judge.chance.intervals import Interval, corrected_t
from openbook.judge.chance.significance import TestResult, corrected_t_test
from openbook.judge.scores.metrics import Metric
from openbook.words.numbers import short, shown
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Work

Kind = Literal["size", "complexity", "iterations"]
Side = Literal["training", "validation"]
Verdict = Literal["best", "not worse", "under-fitting", "over-fitting", "worse", "undefined"]

_TITLES = {"size": "Learning curve", "complexity": "Complexity curve", "iterations": "Iteration curve"}
#: Values that spread over more than this are drawn by their logarithms.
_WIDE = 20
#: More points than this are drawn as lines alone.
_MOST_DOTS = 16


@documented
@dataclass(frozen=True, repr=False, eq=False)
class Curve(ShowsWork):
    """The result of `learning_curve`, `complexity_curve` and `iteration_curve`.

    Attributes
    ----------
    kind : Kind
        What grows: the training rows, a parameter, or the iterations.
    label : str
        The name of the learner.
    axis : str
        "training rows", or the name of the parameter.
    across : tuple
        The values on the axis.
    metric : Metric
    training, validation : ndarray
        The score of each point (rows) and fold (columns), on the rows that trained and on those that tested.
    baseline : ndarray
        The baseline's score on the test rows of each fold.
    n_train, n_test : float
        Rows of a fold's whole training and test part, in the mean.
    complexity : tuple of float or None, default=()
        The median size of the fitted models at each point; None if the learner has no `complexity`.
    own : int or None, default=None
        The point that is the model as it was given; None if none is.
    words : str, default=""
        How the rows were split.
    notes : tuple of str, default=()
        Remarks for the reader.

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.baseline import OneR
    >>> from openbook.judge import learning_curve
    >>> curve = learning_curve(OneR(), *load("iris").split("species"), sizes=[30, 120])
    >>> curve.across, round(curve.mean(-1), 3)
    ((30, 120), 0.06)
    """

    kind: Kind
    label: str
    axis: str
    across: tuple[Any, ...]
    metric: Metric
    training: np.ndarray
    validation: np.ndarray
    baseline: np.ndarray
    n_train: float
    n_test: float
    complexity: tuple[float | None, ...] = ()
    own: int | None = None
    words: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("training", "validation", "baseline"):
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=float))
        # a residual of 1e-16 is rounding, and would be printed as if it were a finding
        self.training[np.abs(self.training) < 1e-12 * np.abs(self.baseline).max(initial=0.0)] = 0.0
        shape = (len(self.across), len(self.baseline))
        if self.training.shape != shape or self.validation.shape != shape or 0 in shape:
            raise DataError(
                f"{shape[0]} points and {shape[1]} folds need scores of that shape, got"
                f" {self.training.shape} for training and {self.validation.shape} for validation"
            )

    def __len__(self) -> int:
        return len(self.across)

    def mean(self, point: int, side: Side = "validation") -> float:
        """The mean over the folds; NaN if one of them is undefined.

        Parameters
        ----------
        point : int
            The number of the point on the axis; -1 for the last.
        side : {"training", "validation"}, default="validation"
            Whether the score is of the training or of the test rows.

        Returns
        -------
        float
        """
        return float(getattr(self, side)[point].mean())

    def interval(self, point: int, side: Side = "validation", level: float = 0.95) -> Interval:
        """The corrected resampled t interval of that mean; undefined for a single fold.

        Parameters
        ----------
        point : int
            The number of the point on the axis; -1 for the last.
        side : {"training", "validation"}, default="validation"
            Whether the score is of the training or of the test rows.
        level : float, default=0.95

        Returns
        -------
        Interval
        """
        interval = corrected_t(getattr(self, side)[point], self.n_train, self.n_test, level)
        return interval.within(self.metric.lowest, self.metric.highest)

    def gap(self, point: int = -1, level: float = 0.95) -> TestResult:
        """Validation score minus training score at a point; the last by default.

        Parameters
        ----------
        point : int, default=-1
            The number of the point on the axis; -1 for the last.
        level : float, default=0.95

        Returns
        -------
        TestResult
        """
        return self._test(self.validation[point] - self.training[point], level)

    def change(self, start: int, end: int, level: float = 0.95) -> TestResult:
        """The validation score at one point minus that at an earlier one.

        Parameters
        ----------
        start : int
            The number of the earlier point.
        end : int
            The number of the later point.
        level : float, default=0.95

        Returns
        -------
        TestResult
        """
        return self._test(self.validation[end] - self.validation[start], level)

    def over_baseline(self, point: int = -1, level: float = 0.95) -> TestResult:
        """The validation score at a point minus the baseline's.

        Parameters
        ----------
        point : int, default=-1
            The number of the point on the axis; -1 for the last.
        level : float, default=0.95

        Returns
        -------
        TestResult
        """
        return self._test(self.validation[point] - self.baseline, level)

    def _test(self, differences: np.ndarray, level: float) -> TestResult:
        return corrected_t_test(differences, self.n_train, self.n_test, level)

    @property
    def _sign(self) -> int:
        """The sign that turns the score into a loss."""
        return -1 if self.metric.greater_is_better else 1

    @property
    def best(self) -> int:
        """The point of the best validation score, the first of equals."""
        losses = self._sign * self.validation.mean(axis=1)
        if np.isnan(losses).all():
            raise DataError(f"{self.metric.words} is undefined at every point; {'; '.join(self.notes)}")
        return int(np.nanargmin(losses))

    def verdicts(self, alpha: float = 0.05) -> list[Verdict]:
        """Whether each setting over-fits or under-fits compared with the best one, by Mitchell's definition.

        A setting over-fits if another has a larger training error and a smaller validation error; it
        under-fits if another has a smaller one of both. Only differences of the validation score that are
        significant count, adjusted by Holm's method; with a single fold every difference does.

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller p-value is significant.

        Returns
        -------
        list of Verdict

        Examples
        --------
        >>> from openbook.judge import METRICS
        >>> mse = [[0.487], [0.035], [0.0]], [[0.473], [0.135], [136.76]]
        >>> curve = Curve("complexity", "polynomial", "order", (1, 3, 9), METRICS["mse"], *mse, [0.5], 10, 10)
        >>> curve.verdicts()
        ['under-fitting', 'best', 'over-fitting']
        """
        best = self.best
        tests = [self.change(best, point) for point in range(len(self))]
        adjusted = holm([math.nan if i == best else test.p_value for i, test in enumerate(tests)])
        return [
            "best" if i == best else self._verdict(i, test.difference, p < alpha or len(self.baseline) == 1)
            for i, (test, p) in enumerate(zip(tests, adjusted.tolist(), strict=True))
        ]

    def _verdict(self, point: int, difference: float, significant: bool) -> Verdict:
        if math.isnan(difference):
            return "undefined"
        if difference == 0 or not significant:
            return "not worse"
        fitted = self._sign * (self.mean(point, "training") - self.mean(self.best, "training"))
        return "under-fitting" if fitted > 0 else "over-fitting" if fitted < 0 else "worse"

    def work(self, level: float = 0.95) -> Work:
        """The table of the points, to print or to show.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        Work
        """
        what = self.metric.words
        header = [self.axis, f"training {what}", "interval", f"validation {what}", "interval", "gap"]
        sized = any(size is not None for size in self.complexity)
        header += ["complexity"] if sized else []
        rows = [self._row(point, level, sized) for point in range(len(self))]
        if self.kind != "size":
            header.append("so")
            rows = [[*row, verdict] for row, verdict in zip(rows, self.verdicts(), strict=True)]
        method = f"{100 * level:g}%, corrected resampled t" if len(self.baseline) > 1 else "none for one fold"
        base = f"baseline {shown(float(self.baseline.mean()))}"
        note = "; ".join(filter(None, [self.words, f"intervals: {method}", base, *self.notes])) + "."
        title, grid = f"{_TITLES[self.kind]} of {self.label}", Grid("", header, rows, note)
        return Work(title, (grid,), self._summary(level))

    def _row(self, point: int, level: float, sized: bool) -> list[Any]:
        training, validation = (self.mean(point, side) for side in ("training", "validation"))
        size = max(abs(training), abs(validation))
        ends = [self.interval(point, side, level).ends for side in ("training", "validation")]
        gap = shown(validation - training, size, "+")
        row = [written_cell(self.across[point]), shown(training), ends[0], shown(validation), ends[1], gap]
        return [*row, self.complexity[point]] if sized else row

    def _summary(self, level: float) -> str:
        """The curve in a sentence."""
        what, last = self.metric.words, len(self) - 1
        if self.kind == "size":
            words = f"With {written_cell(self.across[last])} rows: training {what}"
            words += f" {shown(self.mean(last, 'training'))}, validation {what} {shown(self.mean(last))}."
            if last > 0:
                test = self.change(last - 1, last, level)
                words += f" From {written_cell(self.across[last - 1])} rows on it changed by"
                size = max(abs(test.difference), self.mean(last))  # less than its last digit is no change
                words += f" {shown(test.difference, size, '+')} {test.interval}."
            return words
        best = self.best
        return (
            f"The validation {what} is best at {self.axis} = {written_cell(self.across[best])}:"
            f" {shown(self.mean(best))} {self.interval(best, level=level)}. It was chosen on these"
            " folds, so it is optimistic; `tune` evaluates a choice on other rows."
        )

    def draw(self, level: float = 0.95) -> Picture:
        """Training and validation as lines with bands, and the baseline.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        Picture
        """
        points = np.flatnonzero(~np.isnan(self.validation.mean(axis=1))).tolist()
        labels = [written_cell(self.across[i]) for i in points]
        at = _positions(self.kind, [self.across[i] for i in points])
        across = Marks(self.axis, tuple(labels), at)
        sides: list[tuple[Side, str]] = [("training", "c1"), ("validation", "c0")]
        bands = {side: [self.interval(i, side, level) for i in points] for side, _ in sides}
        means = {side: np.array([self.mean(i, side) for i in points]) for side, _ in sides}
        base = float(self.baseline.mean())
        ends = [end for each in bands.values() for i in each for end in (i.low, i.high)]
        up = Numbers(self.metric.words, np.array([*means["training"], *means["validation"], *ends, base]))
        plot = Plot(across, up)
        plot.across_at(base)
        for side, colour in sides:
            low, high = (np.array([getattr(i, end) for i in bands[side]]) for end in ("low", "high"))
            if not np.isnan(low).any():
                plot.band(at, low, high, colour)
        for side, colour in sides:
            plot.line(at, means[side], colour, side)
            if len(points) <= _MOST_DOTS:
                named = zip(labels, means[side].tolist(), strict=True)
                words = [f"{side}, {self.axis} {label}: {shown(mean)}" for label, mean in named]
                plot.dots(at, means[side], f"dot {colour}", words)
        inside_frame = 0 <= float(up.position(np.array(base))) <= 1
        plot.named("c8 dashed", f"baseline {shown(base)}" + ("" if inside_frame else ", not shown"))
        notes = [self.words] if self.words else []
        if len(self.baseline) > 1:
            notes.append(f"Bands: {100 * level:g}%, corrected resampled t over {len(self.baseline)} folds.")
        notes += self.notes
        return plot.picture(f"{_TITLES[self.kind]} of {self.label}", notes, self._summary(level))


def _positions(kind: Kind, values: list[Any]) -> np.ndarray:
    """The positions of values on an axis: as numbers, by their logarithms, or at equal distances."""
    even = np.arange(len(values), dtype=float)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return even
    numbers = np.array(values, dtype=float)
    if (np.diff(numbers) <= 0).any() or not np.isfinite(numbers).all():
        return even
    above = numbers[numbers > 0]
    if kind == "complexity" and not (len(above) and above[-1] > _WIDE * above[0]):
        return numbers
    return np.log(numbers) if len(above) == len(numbers) else even


def written_cell(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return short(value) if isinstance(value, float) else str(value)
