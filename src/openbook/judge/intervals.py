r"""Intervals for a score: a range that would hold the true value in `level` of all repetitions.

    wald         E ± z sqrt(E (1 - E) / n)
    wilson       (E + z²/2n ± z sqrt(E (1 - E) / n + z²/4n²)) / (1 + z²/n)
    corrected_t  m ± t_{k-1} s sqrt(1/k + n_test / n_train)      over the k scores of resampled data
    bootstrap    percentiles of the statistic over resampled rows
    jackknife    m ± t_{g-1} sqrt((g - 1)/g Σ (m_i - mean)²)     m_i without the i-th of g groups of rows

z and t are the quantiles of (1 + level) / 2. The folds of a cross-validation share training rows, so that
their scores vary less than independent ones would; the term n_test / n_train makes up for it (Nadeau and
Bengio 2003, Inference for the generalization error). An interval that the data do not give is NaN to NaN.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.special import ndtri, stdtrit

from openbook.errors import ParameterError

__all__ = [
    "Interval",
    "bootstrap",
    "corrected_t",
    "jackknife",
    "percentiles",
    "resampled",
    "shown",
    "wald",
    "wilson",
]

#: How many rows a bootstrap draws before it makes do with fewer resamples; the fewest and the most of those.
_DRAWS = 20_000_000
_FEWEST, _MOST = 200, 1000


def shown(value: float, size: float | None = None, sign: str = "") -> str:
    """A score as a reader wants it: three decimals, fewer where it (or `size`) is large, "undefined" for NaN.

    >>> [shown(value) for value in (0.9533, 1234.56, 98765.4, 0.00012345, 0.0)]
    ['0.953', '1,234.6', '98,765', '0.000123', '0.000']
    """
    if math.isnan(value):
        return "undefined"
    size = abs(value) if size is None else size
    if 0 < size < 0.001:
        return f"{value:{sign}.3g}"
    places = 3 if size < 100 else 1 if size < 10_000 else 0
    return f"{value:{sign},.{places}f}"


@dataclass(frozen=True)
class Interval:
    """A range, its level and the method that gave it.

    >>> print(Interval(0.0812, 0.2331, 0.95, "Wilson"))
    [0.081, 0.233] (95%, Wilson)
    """

    low: float
    high: float
    level: float
    method: str

    @property
    def ends(self) -> str:
        """The range alone, as text."""
        if math.isnan(self.low) or math.isnan(self.high):
            return "undefined"
        size = max(abs(self.low), abs(self.high))
        return f"[{shown(self.low, size)}, {shown(self.high, size)}]"

    def within(self, lowest: float, highest: float) -> Self:
        """The part of it that is possible: an accuracy ends at 1."""
        return replace(
            self, low=min(max(self.low, lowest), highest), high=max(min(self.high, highest), lowest)
        )

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.ends} ({100 * self.level:g}%, {self.method})"


def wald(successes: float, n: int, level: float = 0.95) -> Interval:
    """The normal approximation for a share; too narrow for few rows and near 0 or 1, where Wilson's holds.

    >>> print(wald(15, 100))
    [0.080, 0.220] (95%, Wald)
    """
    share = _share(successes, n)
    half = _z(level) * math.sqrt(share * (1 - share) / n)
    return Interval(share - half, share + half, level, "Wald")


def wilson(successes: float, n: int, level: float = 0.95) -> Interval:
    """Wilson's score interval for a share; it stays within 0 and 1 and holds for few rows.

    >>> print(wilson(15, 100))
    [0.093, 0.233] (95%, Wilson)
    """
    share, z = _share(successes, n), _z(level)
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Interval(max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale), level, "Wilson")


def corrected_t(scores: Any, n_train: float, n_test: float, level: float = 0.95) -> Interval:
    """The corrected resampled t interval for the mean of the scores of several folds.

    Parameters
    ----------
    scores : one score per fold, or one difference of scores
    n_train, n_test : rows that a fold trains on and tests on; means where folds differ
    """
    scores = np.asarray(scores, dtype=float)
    k = len(scores)
    if k < 2:
        return Interval(math.nan, math.nan, level, "corrected resampled t")
    half = stdtrit(k - 1, _upper(level)) * corrected_error(scores, n_train, n_test)
    mean = scores.mean()
    return Interval(float(mean - half), float(mean + half), level, "corrected resampled t")


def corrected_error(scores: np.ndarray, n_train: float, n_test: float) -> float:
    """The corrected standard error of the mean of k scores: s sqrt(1/k + n_test / n_train)."""
    return float(scores.std(ddof=1) * math.sqrt(1 / len(scores) + n_test / n_train))


def bootstrap(
    statistic: Callable[[np.ndarray], float], n: int, level: float = 0.95, seed: int = 0
) -> Interval:
    """The percentile bootstrap over n rows; resamples in which the statistic is undefined are left out.

    Parameters
    ----------
    statistic : function of an array of row positions
    n : rows to draw from
    """
    return percentiles(resampled(statistic, n, seed), level)


def resampled(statistic: Callable[[np.ndarray], float], n: int, seed: int = 0) -> np.ndarray:
    """The statistic over rows drawn with replacement, a thousand times; fewer where there are many."""
    rng = np.random.default_rng(seed)
    times = min(_MOST, max(_FEWEST, _DRAWS // n))
    return np.array([statistic(rng.integers(n, size=n)) for _ in range(times)], dtype=float)


def percentiles(values: np.ndarray, level: float) -> Interval:
    """The middle `level` of resampled values; undefined where most of them are."""
    upper = _upper(level)
    known = values[~np.isnan(values)]
    method = f"bootstrap, {len(values)} resamples"
    if 2 * len(known) < len(values):
        return Interval(math.nan, math.nan, level, method)
    low, high = np.quantile(known, [1 - upper, upper])
    return Interval(float(low), float(high), level, method)


def jackknife(estimate: float, without: Any, level: float = 0.95) -> Interval:
    """The grouped jackknife: a statistic of all rows, and without each of some groups of about equal size.

    Examples
    --------
    The mean of 1, 2 and 6, each a group of its own: s / sqrt(3) = 1.53 times t = 4.30.

    >>> print(jackknife(3, [4, 3.5, 1.5]))
    [-3.572, 9.572] (95%, jackknife over 3 groups of rows)
    """
    without = np.asarray(without, dtype=float)
    g = len(without)
    method = f"jackknife over {g} groups of rows"
    if g < 2:
        return Interval(math.nan, math.nan, level, method)
    half = stdtrit(g - 1, _upper(level)) * math.sqrt((g - 1) * without.var())
    return Interval(float(estimate - half), float(estimate + half), level, method)


def _share(successes: float, n: int) -> float:
    if n < 1 or not 0 <= successes <= n:
        raise ParameterError(
            f"{successes} successes in {n} rows is no share; give 0 <= successes <= n and n >= 1"
        )
    return successes / n


def _upper(level: float) -> float:
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, got {level}; 0.95 is usual")
    return (1 + level) / 2


def _z(level: float) -> float:
    return float(ndtri(_upper(level)))
