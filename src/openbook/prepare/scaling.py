r"""Scaling: min-max to a range, by the largest size, z-scores; and rows to length 1.

    min-max     z = a + (x - min) (b - a) / (max - min)      to the range from a to b
    max-abs     z = x / max |x|
    z-score     z = (x - mean) / s,   s^2 = sum of w (x - mean)^2 / (N - ddof)
    norm        z = x / |row|,   |row| the sum of sizes, the root of the sum of squares, or the largest size

Over the known numbers of each column, by weight; a norm over those of the row. N counts rows: a weight of 3
equals three rows. A column that does not vary has no spread: min-max moves it to a, z-scores to 0. A column,
or a row, of zeros stays as it is.

x : float64 (n, n_numeric), NaN where missing
weight, low, high : float64 (n_numeric,); where no number is known, all are 0
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Ends, OneOf, Whole
from openbook.fold import Statistics
from openbook.kernels.moments import Moments
from openbook.prepare.transformer import Summed, Transformer
from openbook.words.numbers import figure, signed
from openbook.work import Step

#: The length of each row of absolute numbers, (n, d).
NORMS = {"l1": partial(np.sum, axis=1), "l2": partial(np.linalg.norm, axis=1), "max": partial(np.max, axis=1)}


@dataclass(frozen=True)
class Extremes(Statistics):
    """The weight of the known numbers of each column, the smallest and the largest."""

    weight: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, x, w):
        """The extremes of a chunk; rows of weight 0 do not count."""
        known = ~np.isnan(x) & (w > 0)[:, None]
        some = known.any(axis=0)
        low, high = (
            np.where(some, end(np.where(known, x, worst), axis=0, initial=worst), 0.0)
            for end, worst in ((np.min, np.inf), (np.max, -np.inf))
        )
        return cls(w @ known, low, high)

    def __add__(self, other):
        ours, theirs = self.weight > 0, other.weight > 0
        low, high = (
            np.where(ours & theirs, end(a, b), np.where(ours, a, b))
            for end, a, b in ((np.minimum, self.low, other.low), (np.maximum, self.high, other.high))
        )
        return Extremes(self.weight + other.weight, low, high)

    def amounts(self):
        return [self.weight, self.high - self.low]


class _ByExtremes(Summed, Transformer):
    """Scaling by the smallest and the largest number of each column."""

    _changes_dates = True

    def _step(self):
        return partial(_extremes, self._chosen)

    def _zero(self):
        return Extremes(*np.zeros((3, len(self._chosen))))


class MinMaxScaler(Declared, _ByExtremes):
    """Min-max scaling: each column of numbers is moved and stretched to a given range.

    Other columns pass through unchanged, and missing cells stay missing.

    Parameters
    ----------
    feature_range : tuple of (float, float), default=(0, 1)
        The range that the training rows are to fill.
    clip : bool, default=False
        Whether new numbers beyond those of the training rows are moved to the end of the range.
    columns : list of str or None, default=None

    Attributes
    ----------
    data_min_, data_max_ : ndarray of shape (n_numeric,)
        The smallest and the largest number of each numeric column.
    data_range_ : ndarray of shape (n_numeric,)
        The largest number minus the smallest.
    scale_, min_ : ndarray of shape (n_numeric,)
        A number x becomes `x * scale_ + min_`.
    statistics_ : Extremes
        The smallest and largest numbers, to which `partial_fit` adds.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read([{"size": 10, "colour": "red"}, {"size": 30, "colour": "blue"}, {"colour": "red"}])
    >>> MinMaxScaler(feature_range=(-1, 1)).fit_transform(table)
    Table of 3 rows, 2 columns
    size     colour
    numeric  nominal
    -1       red
    1        blue
    ?        red
    """

    feature_range: Annotated[Any, Ends()] = (0, 1)
    clip: bool = False
    columns: list[str] | None = None

    def _solve(self):
        found, (a, b) = self.statistics_, self.feature_range
        known = found.weight > 0
        self.data_min_, self.data_max_ = (np.where(known, end, np.nan) for end in (found.low, found.high))
        self.data_range_ = self.data_max_ - self.data_min_
        varies = found.high > found.low
        self.scale_ = np.where(known, (b - a) / np.where(varies, found.high - found.low, 1.0), 1.0)
        self._start = np.where(known, float(a), 0.0)
        self.min_ = self._start - found.low * self.scale_

    def _forward(self, x):
        z = (x - self.statistics_.low) * self.scale_ + self._start
        return np.clip(z, *self.feature_range) if self.clip else z

    def _backward(self, z):
        return (z - self._start) / self.scale_ + self.statistics_.low

    def _rule(self):
        figures = np.column_stack([self.data_min_, self.data_max_])
        return r"a + \frac{(x - \text{min}) (b - a)}{\text{max} - \text{min}}", ("min", "max"), figures

    def _definitions(self):
        a, b = self.feature_range
        return Step("a", result=a, note="the range starts here"), Step("b", result=b, note="and ends here")

    def _substituted(self, j, x):
        a, b = self.feature_range
        low, high = self.data_min_[j], self.data_max_[j]
        below = f"{figure(high)} - {signed(low)}" if high > low else "1"
        return rf"{figure(a)} + \frac{{({x} - {signed(low)}) \cdot ({figure(b)} - {signed(a)})}}{{{below}}}"


class MaxAbsScaler(Declared, _ByExtremes):
    """Scaling by the largest size: each column of numbers is divided by its largest absolute number.

    Zeros stay zeros. Other columns pass through unchanged, and missing cells stay missing.

    Parameters
    ----------
    clip : bool, default=False
        Whether new numbers beyond those of the training rows are moved to -1 or 1.
    columns : list of str or None, default=None

    Attributes
    ----------
    max_abs_ : ndarray of shape (n_numeric,)
        The largest absolute number of each numeric column.
    scale_ : ndarray of shape (n_numeric,)
        The divisor of a column: that number, or 1 if it is 0.
    statistics_ : Extremes
        The smallest and largest numbers, to which `partial_fit` adds.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> MaxAbsScaler().fit_transform(read([{"debt": -40}, {"debt": 0}, {"debt": 10}]))["debt"].tolist()
    [-1.0, 0.0, 0.25]
    """

    clip: bool = False
    columns: list[str] | None = None

    def _solve(self):
        self.max_abs_ = np.maximum(-self.statistics_.low, self.statistics_.high)
        self.scale_ = np.where(self.max_abs_ > 0, self.max_abs_, 1.0)

    def _forward(self, x):
        z = x / self.scale_
        return np.clip(z, -1.0, 1.0) if self.clip else z

    def _backward(self, z):
        return z * self.scale_

    def _rule(self):
        return r"\frac{x}{\max |x|}", ("largest size",), self.scale_[:, None]

    def _substituted(self, j, x):
        return rf"\frac{{{x}}}{{{figure(self.scale_[j])}}}"


class StandardScaler(Declared, Summed, Transformer):
    """Standardisation: z-scores, each column of numbers with mean 0 and standard deviation 1.

    Other columns pass through unchanged, and missing cells stay missing.

    Parameters
    ----------
    with_mean : bool, default=True
        Whether the mean is subtracted.
    with_std : bool, default=True
        Whether numbers are divided by the standard deviation.
    ddof : int, default=0
        The variance divides by N - ddof: 0 for N, as most libraries do, 1 for N - 1, as most textbooks do.
    columns : list of str or None, default=None

    Attributes
    ----------
    mean_ : ndarray of shape (n_numeric,)
        The mean of each numeric column.
    var_ : ndarray of shape (n_numeric,)
        The variance of each numeric column.
    scale_ : ndarray of shape (n_numeric,)
        The standard deviation of each numeric column; 1 if a column does not vary.
    n_samples_seen_ : float or ndarray of shape (n_numeric,)
        The weight of the known numbers; one figure if it is the same in all columns.
    statistics_ : Moments
        Weights, means and sums of squares, to which `partial_fit` adds.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read([{"size": 10}, {"size": 20}, {"size": 30}])
    >>> scaler = StandardScaler(ddof=1).fit(table)
    >>> scaler.transform(table)["size"].tolist()
    [-1.0, 0.0, 1.0]
    >>> scaler.inverse_transform(scaler.transform(table))["size"].tolist()
    [10.0, 20.0, 30.0]
    """

    with_mean: bool = True
    with_std: bool = True
    ddof: Annotated[int, Whole(at_least=0)] = 0
    columns: list[str] | None = None

    _counts_rows = True
    _changes_dates = True

    def _step(self):
        return partial(_moments, self._chosen)

    def _zero(self):
        return Moments.zero(1, len(self._chosen))

    def _solve(self):
        found = self.statistics_
        self.mean_ = found.mean[0]
        self.var_ = np.nan_to_num(found.variance(self.ddof)[0])
        self.scale_ = np.where(self.var_ > 0, np.sqrt(self.var_), 1.0)
        weights = found.weight[0]
        same = len(weights) and (weights == weights[0]).all()
        self.n_samples_seen_ = float(weights[0]) if same else weights

    def _ends(self):
        """What is subtracted, and what is divided by."""
        return self.mean_ if self.with_mean else 0.0, self.scale_ if self.with_std else 1.0

    def _forward(self, x):
        mean, scale = self._ends()
        return (x - mean) / scale

    def _backward(self, z):
        mean, scale = self._ends()
        return z * scale + mean

    def _rule(self):
        above = r"x - \bar{x}" if self.with_mean else "x"
        formula = rf"\frac{{{above}}}{{s}}" if self.with_std else above
        weight, scatter = self.statistics_.weight[0], self.statistics_.scatter[0]
        figures = np.column_stack([weight, self.mean_, scatter, self.scale_])
        return formula, ("N", "mean", "sum of squares", "s"), figures

    def _definitions(self):
        rows = "N" if not self.ddof else f"N - {self.ddof}"
        return (
            Step("mean", r"\frac{\sum_i x_i}{N}"),
            Step("s", rf"\sqrt{{\frac{{\sum_i (x_i - \bar{{x}})^2}}{{{rows}}}}}"),
        )

    def _substituted(self, j, x):
        above = f"{x} - {signed(self.mean_[j])}" if self.with_mean else x
        return rf"\frac{{{above}}}{{{figure(self.scale_[j])}}}" if self.with_std else above


class Normalizer(Declared, Transformer):
    """Scaling of rows: the numbers of each row are divided by the length of the row.

    Other columns pass through unchanged, and missing cells stay missing and add nothing to the length.

    Parameters
    ----------
    norm : {"l1", "l2", "max"}, default="l2"
        The length of a row: the sum of the sizes of its numbers, the root of the sum of their squares, or the
        largest size.
    columns : list of str or None, default=None

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> Normalizer().fit_transform([[3.0, 4.0], [0.0, 2.0]]).tolist()
    [[0.6, 0.8], [0.0, 1.0]]
    """

    norm: Annotated[str, OneOf(*NORMS)] = "l2"
    columns: list[str] | None = None

    def _learn(self, rows):
        """Nothing: each row has a length of its own."""

    def _lengths(self, x):
        lengths = NORMS[self.norm](np.abs(np.nan_to_num(x)))
        return np.where(lengths > 0, lengths, 1.0)

    def _forward(self, x):
        return x / self._lengths(x)[:, None]

    def _rule(self):
        return r"\frac{x}{|\text{row}|}", (), np.zeros((len(self._chosen), 0))

    def _substituted(self, j, x):  # noqa: ARG002 (the same for all columns)
        return rf"\frac{{{x}}}{{|\text{{row}}|}}"

    def _work_row(self, X):
        work, length = super()._work_row(X), float(self._lengths(self._numbers(X))[0])
        return replace(work, parts=(Step("|row|", result=length, note=f"norm={self.norm!r}"), *work.parts))


def _extremes(names, chunk):
    return Extremes.of(chunk.X.block(names), chunk.w)


def _moments(names, chunk):
    return Moments.of(chunk.X.block(names), np.zeros(len(chunk.X), dtype=np.intp), chunk.w, 1)
