r"""Tests by ranks: of two learners over several data sets, and of more.

    wilcoxon              W = the smaller of the sums of ranks of |d| over d > 0 and over d < 0
    friedman              χ² = 12 N / (k (k + 1)) · (Σ R_j² - k (k + 1)² / 4), over a correction for ties;
                          F = (N - 1) χ² / (N (k - 1) - χ²), of k - 1 and (k - 1)(N - 1) degrees of freedom
    critical_difference   CD = q sqrt(k (k + 1) / 6N), q from the studentised range (Nemenyi)

R_j is the mean rank of learner j over N data sets, 1 for the best, ties shared. F is Iman and Davenport's
(1980), which holds its level where χ² is too careful. See Demšar (2006), Statistical comparisons of
classifiers over multiple data sets. Scores that agree to twelve digits are tied: the rest is rounding.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, ndtri

from openbook.errors import DataError, ParameterError
from openbook.judge.chance.intervals import Interval, upper_share
from openbook.judge.chance.significance import TestResult
from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.work import Step, Work

#: Up to so many differences Wilcoxon's p-value is exact; beyond, W is all but normal.
_EXACT = 100


@documented
def wilcoxon(differences: Any, level: float = 0.95) -> TestResult:
    """Wilcoxon's signed rank test on the differences of two learners, one for each data set.

    Data sets without a difference are left out, ties share ranks, and the p-value is exact for up to a
    hundred: that of all ways to give the ranks their signs. The difference is Hodges' and Lehmann's, the
    median of the means of all pairs of data sets, with the interval that belongs to it; fewer than six data
    sets give none at 95%.

    Parameters
    ----------
    differences : array-like
        One difference of scores per fold or data set, the first learner's minus the second's.
    level : float, default=0.95

    Returns
    -------
    TestResult

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> print(wilcoxon([0.02, 0.05, -0.01, 0.04, 0.03, 0.06, 0.07]))
    +0.040 [0.010, 0.060] (95%, Hodges–Lehmann), p = 0.0312 (Wilcoxon signed rank, exact)
    """
    d = np.asarray(differences, dtype=float)
    if d.ndim != 1 or not len(d) or not np.isfinite(d).all():
        raise DataError("Wilcoxon's test needs a difference, a finite number, for every data set")
    d = same_digits(d)
    size = np.abs(d[d != 0])
    ranks = ranks_of(size)
    above, below = (float(ranks[d[d != 0] * sign > 0].sum()) for sign in (1, -1))
    n, w = len(size), min(above, below)
    steps = [
        Step("n", result=n, note=f"data sets that differ, of {len(d)}"),
        Step("W+", r"\sum_{d_i > 0} \operatorname{rank} |d_i|", result=above),
        Step("W-", r"\sum_{d_i < 0} \operatorname{rank} |d_i|", result=below),
        Step.of("W", r"\min(W_+, W_-)", {"W_+": above, "W_-": below}, w),
    ]
    if n <= _EXACT:
        at_most = float(_null(ranks)[: round(2 * w) + 1].sum())
        p, method = min(1.0, 2 * at_most), "Wilcoxon signed rank, exact"
        note = f"over all 2^{n} ways to give the ranks their signs"
        steps.append(Step("p", r"\min(1, 2 P(V \le W))", rf"\min(1, 2 P(V \le {figure(w)}))", p, note))
    else:
        z, more = _normal(w, ranks)
        p, method = float(2 * ndtr(z)), "Wilcoxon signed rank, normal"
        steps += [*more, Step("p", r"2 \Phi(z)", rf"2 \Phi({figure(z)})", p)]
    centre, interval = _hodges_lehmann(d, level)
    return TestResult(centre, interval, p, method, tuple(steps))


def _null(ranks: np.ndarray) -> np.ndarray:
    """The distribution of twice the sum of ranks, each of which is there or not like a coin."""
    twice = np.rint(2 * ranks).astype(int)
    chances = np.zeros(twice.sum() + 1)
    chances[0] = 1
    for rank in twice:
        with_it = np.zeros_like(chances)
        with_it[rank:] = chances[:-rank]
        chances = (chances + with_it) / 2
    return chances


def _normal(w: float, ranks: np.ndarray) -> tuple[float, list[Step]]:
    """W's distance from what chance gives, in standard deviations."""
    n = len(ranks)
    mean, squares = n * (n + 1) / 4, float((ranks**2).sum())
    deviation = math.sqrt(squares / 4)  # n (n + 1) (2n + 1) / 24 without ties
    z = (w - mean) / deviation
    numbers = {"W": w, r"\text{mean}": mean, r"\text{sd}": deviation}
    return z, [
        Step.of("mean", r"\frac{n (n + 1)}{4}", {"n": n, "(n + 1)": n + 1}, mean),
        Step.of("sd", r"\frac{1}{2} \sqrt{\sum_i r_i^2}", {r"\sum_i r_i^2": squares}, deviation),
        Step.of("z", r"\frac{W - \text{mean}}{\text{sd}}", numbers, z),
    ]


def _hodges_lehmann(d: np.ndarray, level: float) -> tuple[float, Interval]:
    """The median of the means of all pairs, and the interval of the shifts that Wilcoxon's test allows."""
    tail = 1 - upper_share(level)
    i, j = np.triu_indices(len(d))
    means = np.sort((d[i] + d[j]) / 2)
    centre = float(np.median(means))
    if len(d) <= _EXACT:
        chances = _null(np.arange(1, len(d) + 1))[::2]
        outside = int((np.cumsum(chances) < tail).sum())
    else:
        n = len(d)
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        outside = math.ceil(n * (n + 1) / 4 + ndtri(tail) * spread)
    if outside < 1:
        return centre, Interval(math.nan, math.nan, level, "Hodges–Lehmann")
    low, high = float(means[outside - 1]), float(means[-outside])
    note = f"of the {len(means)} means of two differences, sorted"
    steps = (
        Step("low", rf"D_{{({outside})}}", result=low, note=note),
        Step("high", rf"D_{{({len(means) + 1 - outside})}}", result=high, note=note),
    )
    return centre, Interval(low, high, level, "Hodges–Lehmann", steps)


@dataclass(frozen=True, repr=False)
class Friedman:
    """Friedman's test: whether some learner ranks better over the data sets than by chance.

    Attributes
    ----------
    chi_squared : float
        Friedman's statistic.
    dof : int
        The degrees of freedom of Friedman's statistic.
    chi_p_value : float
        The p-value of Friedman's statistic.
    f : float
        Iman and Davenport's statistic, which decides.
    f_dof : tuple of (int, int)
        The degrees of freedom of Iman and Davenport's statistic.
    p_value : float
        The p-value of Iman and Davenport's statistic.
    steps : tuple of Step
        The steps of the derivation.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> test = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> test.chi_squared, test.dof, round(test.p_value, 3)
    (4.5, 2, 0.084)
    """

    chi_squared: float
    dof: int
    chi_p_value: float
    f: float
    f_dof: tuple[int, int]
    p_value: float
    steps: tuple[Step, ...]

    def work(self) -> Work:
        """How the p-value came about."""
        return Work("Friedman test", self.steps, str(self))

    def __str__(self) -> str:
        if math.isnan(self.p_value):
            return "undefined: the learners tie on every data set"
        first, second = self.f_dof
        return (
            f"F = {figure(self.f, 4)} on {first} and {second} degrees of freedom, p = {self.p_value:.3g}"
            f" (Iman–Davenport); χ² = {figure(self.chi_squared, 4)} on {self.dof}, p = {self.chi_p_value:.3g}"
            " (Friedman)"
        )

    def __repr__(self) -> str:
        return self.work().text()


def friedman(ranks: Any) -> Friedman:
    """Friedman's test on the ranks of k learners (columns) on N data sets (rows), ties shared.

    Where the learners tie on every data set, nothing is defined. Where all data sets rank them alike, F is
    infinite and p = (1 / k!)^(N - 1), the probability of just that.

    Parameters
    ----------
    ranks : array-like of shape (n_sets, n_learners)
        The rank of each learner on each data set, 1 for the best.

    Returns
    -------
    Friedman

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> round(friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]]).f, 4)
    3.8571
    """
    ranks = np.asarray(ranks, dtype=float)
    if ranks.ndim != 2 or min(ranks.shape) < 2:
        raise DataError(f"Friedman's test needs two data sets and two learners at least, got {ranks.shape}")
    n, k = ranks.shape
    means = ranks.mean(axis=0)
    squares = float((means**2).sum())
    plain = max(0.0, 12 * n / (k * (k + 1)) * (squares - k * (k + 1) ** 2 / 4))
    most = n * (k**3 - k)
    sharing = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=-1)
    tied = int((sharing**2 - 1).sum())  # each of the t that share a rank adds t² - 1
    steps = [
        Step(
            "χ₀²",
            r"\frac{12 N}{k (k + 1)} (\sum_j R_j^2 - \frac{k (k + 1)^2}{4})",
            rf"\frac{{12 \cdot {n}}}{{{k} \cdot {k + 1}}} ({figure(squares)}"
            rf" - \frac{{{k} \cdot {k + 1}^2}}{{4}})",
            plain,
            "as if without ties",
        )
    ]
    dof, second = k - 1, (k - 1) * (n - 1)
    if tied == most:
        steps.append(Step("χ²", note="the learners tie on every data set"))
        return Friedman(math.nan, dof, math.nan, math.nan, (dof, second), math.nan, tuple(steps))
    share = 1 - tied / most
    chi = plain / share
    chi_p = float(chdtrc(dof, chi))
    ties = {r"\sum (t^3 - t)": tied, "N": n, "k": k}
    steps += [
        Step.of("C", r"1 - \frac{\sum (t^3 - t)}{N (k^3 - k)}", ties, share, "t learners share a rank"),
        Step.of("χ²", r"\frac{\chi_0^2}{C}", {r"\chi_0^2": plain, "C": share}, chi),
        Step("p of χ²", r"P(\chi_{k - 1}^2 \ge \chi^2)", rf"P(\chi_{{{dof}}}^2 \ge {figure(chi)})", chi_p),
    ]
    left = n * dof - chi
    if left <= 1e-9 * n * dof:
        f, p = math.inf, float(math.factorial(k)) ** (1 - n)
        steps += [
            Step("F", result=f, note="all data sets rank the learners alike"),
            Step("p", r"(\frac{1}{k!})^{N - 1}", rf"(\frac{{1}}{{{k}!}})^{{{n} - 1}}", p),
        ]
    else:
        f = (n - 1) * chi / left
        p = float(fdtrc(dof, second, f))
        numbers = rf"\frac{{{n - 1} \cdot {figure(chi)}}}{{{n} \cdot {dof} - {figure(chi)}}}"
        tail = rf"P(F_{{{dof}, {second}}} \ge {figure(f)})"
        steps += [
            Step("F", r"\frac{(N - 1) \chi^2}{N (k - 1) - \chi^2}", numbers, f),
            Step("p", r"P(F_{k - 1, (k - 1)(N - 1)} \ge F)", tail, p),
        ]
    return Friedman(chi, dof, chi_p, f, (dof, second), p, tuple(steps))


def critical_difference(k: int, n: int, alpha: float = 0.05) -> Step:
    """Nemenyi's: how far the mean ranks of two of k learners on n data sets must lie apart; as a step.

    >>> round(critical_difference(4, 14).result, 2)
    1.25
    """
    from scipy.stats import studentized_range

    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must lie between 0 and 1, got {alpha}; 0.05 is usual")
    q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
    numbers = {r"q_{\alpha}": q, "k": k, "(k + 1)": k + 1, "N": n}
    result = q * math.sqrt(k * (k + 1) / (6 * n))
    note = f"q for α = {alpha:g}, from the studentised range over √2"
    return Step.of("CD", r"q_{\alpha} \sqrt{\frac{k (k + 1)}{6 N}}", numbers, result, note)


def ranks_of(losses: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, 1 for the least, ties shared; NaN has no rank, and counts for none.

    Each row is rounded by its own largest value: data sets differ in scale.
    """
    values = np.apply_along_axis(same_digits, -1, losses)
    own, others = values[..., :, None], values[..., None, :]
    ranks = (own > others).sum(axis=-1) + ((own == others).sum(axis=-1) + 1) / 2
    return np.where(np.isnan(values), np.nan, ranks)


def same_digits(values: np.ndarray) -> np.ndarray:
    """The values to twelve digits of the largest, so that rounding breaks no ties."""
    known = np.abs(values[np.isfinite(values)])
    if not len(known) or known.max() == 0:
        return values
    return np.round(values, 11 - math.floor(math.log10(known.max())))
