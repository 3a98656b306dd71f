r"""The interval of a mean over rows, of a loss for example, and whether two means differ.

    m ± t_{n-1} s / sqrt(n)     s the sample's standard deviation

It is valid for many rows of any distribution. Equal rows have no spread, so their interval is NaN.
"""

import math

import numpy as np
from scipy.special import stdtr

from openbook.judge.chance.intervals import Interval, symmetric, t_quantile
from openbook.words.numbers import figure
from openbook.work import Step


def t_interval(values: np.ndarray, level: float = 0.95) -> Interval:
    """The t interval of the mean of values that belong to rows of their own.

    >>> print(t_interval(np.array([1.0, 2.0, 6.0])))
    [-3.572, 9.572] (95%, t over rows)
    """
    n, mean = len(values), float(values.mean())
    spread = float(values.std(ddof=1)) if n > 1 else math.nan
    if not spread > 1e-12 * abs(mean):
        return Interval(math.nan, math.nan, level, "the rows do not vary")
    error = spread / math.sqrt(n)
    steps = (
        Step("m", r"\frac{1}{n} \sum_i x_i", result=mean, note="x_i belongs to row i"),
        Step("se", r"\frac{s}{\sqrt{n}}", rf"\frac{{{figure(spread)}}}{{\sqrt{{{n}}}}}", error),
    )
    return symmetric(mean, error, t_quantile(n - 1, level, "n - 1"), level, "t over rows", steps, "m")


def welch(a: np.ndarray, b: np.ndarray) -> float:
    """The p-value of Welch's t test that two means differ; NaN if nothing varies."""
    va, vb = (float(x.var(ddof=1)) / len(x) for x in (a, b))
    if va + vb == 0:
        return math.nan
    t = float(a.mean() - b.mean()) / math.sqrt(va + vb)
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    return float(2 * stdtr(df, -abs(t)))
