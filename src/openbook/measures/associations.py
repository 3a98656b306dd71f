r"""Covariance and correlation of two columns of numbers.

    Pearson     r = S_xy / √(S_xx S_yy)        along a line
    Spearman    r of the ranks                 up or down, along any curve

S_xy = Σ (x - mean)(y - mean). Equal numbers have the mean of their ranks. Pairs with a missing number (NaN)
are left out; the correlation with a constant column is NaN.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.ranks import mean_ranks
from openbook.errors import ParameterError
from openbook.measures.arrays import Floats, as_floats
from openbook.measures.shown import derived_by
from openbook.words.numbers import figure, fraction, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work


def _derive_spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> Work:
    """How Spearman's correlation comes about: Pearson's, of the ranks."""
    a, b = _pairs(x, y)
    ranks = [mean_ranks(each) for each in (a, b)]
    rows = list(zip(a.tolist(), ranks[0].tolist(), b.tolist(), ranks[1].tolist(), strict=True))
    grid = Grid("ranks", ("x", "rank of x", "y", "rank of y"), rows)
    return Work("Spearman's rank correlation", (grid, *_steps(*ranks)), "x and y are the ranks.")


@derived_by(lambda x, y: Work("Pearson's correlation", tuple(_steps(*_pairs(x, y)))))
def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Pearson's correlation r of two columns, from -1 to 1: how close they are to a line.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        The columns.

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> round(pearson([1, 2, 3], [2, 4, 5]), 4)
    0.982
    """
    a, b = _pairs(x, y)
    a, b = a - a.mean(), b - b.mean()
    spread = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / spread if spread else math.nan


@derived_by(_derive_spearman)
def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Spearman's rank correlation of two columns: whether one rises where the other does, on any curve.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        The columns.

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> spearman([1, 2, 3, 4], [1, 10, 100, 1000])
    1.0
    """
    a, b = _pairs(x, y)
    return pearson(mean_ranks(a), mean_ranks(b))


def _pairs(x: Any, y: Any) -> tuple[Floats, Floats]:
    """Two columns without the pairs that miss a number."""
    a, b = as_floats(x, "x"), as_floats(y, "y")
    if a.ndim != 1 or a.shape != b.shape:
        msg = f"x and y must be columns of equal length, got the shapes {a.shape} and {b.shape}"
        raise ParameterError(msg)
    known = ~(np.isnan(a) | np.isnan(b))
    if not known.any():
        raise ParameterError("x and y have no pair of known numbers")
    return a[known], b[known]


def _steps(x: Floats, y: Floats) -> list[Step]:
    steps, deviations, sums = [], {}, {}
    for name, numbers in (("x", x.tolist()), ("y", y.tolist())):
        mean = math.fsum(numbers) / len(numbers)
        total = fraction(joined(numbers), len(numbers))
        steps.append(Step(f"mean of {name}", rf"\bar{{{name}}}", total, mean))
        deviations[name] = [number - mean for number in numbers]
    for a, b in ("xx", "yy", "xy"):
        pairs = list(zip(deviations[a], deviations[b], strict=True))
        terms = joined([rf"{signed(p)} \cdot {signed(q)}" for p, q in pairs])
        sums[a + b] = math.fsum(p * q for p, q in pairs)
        formula = rf"\sum_i ({a}_i - \bar{{{a}}}) ({b}_i - \bar{{{b}}})"
        steps.append(Step(f"S_{a}{b}", formula, terms, sums[a + b]))
    spread = math.sqrt(sums["xx"] * sums["yy"])
    numbers = fraction(sums["xy"], rf"\sqrt{{{figure(sums['xx'])} \cdot {figure(sums['yy'])}}}")
    r = sums["xy"] / spread if spread else None
    return [*steps, Step("r", r"\frac{S_{xy}}{\sqrt{S_{xx} S_{yy}}}", numbers, r)]
