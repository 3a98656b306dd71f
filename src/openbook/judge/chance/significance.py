r"""Is the difference more than chance? Tests that are valid for resampled data and for single sets of rows.

    corrected_t_test   t = m / (s sqrt(1/k + n_test / n_train)), k - 1 degrees of freedom
    mcnemar            b ~ Binomial(b + c, 1/2), b rows only the first gets right, c only the second; exact
    paired_bootstrap   the share of resamples in which the difference changes its sign
    holm               p-values of several tests, adjusted for their number (Holm 1979)

All p-values are two-sided; a difference is the first minus the second. `work()` derives each test: its
statistic, its distribution under chance alone, its p-value.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from scipy.special import bdtr, stdtr

from openbook.data.adjustments import holm
from openbook.errors import DataError
from openbook.judge.chance.intervals import (
    Interval,
    around,
    corrected_error,
    corrected_steps,
    corrected_t,
    methods_once,
    normal_quantile,
    percentiles,
    resampled,
)
from openbook.words.numbers import figure, shown
from openbook.words.parameters import documented
from openbook.work import Step, Work


@dataclass(frozen=True)
class TestResult:
    """A difference, its interval, and the probability of one at least as large by chance.

    Attributes
    ----------
    difference : float
        The difference.
    interval : Interval
        Its interval.
    p_value : float
        The probability of a difference at least as large by chance.
    method : str
        The name of the test.
    steps : tuple of Step, default=()
        The steps of the derivation.
    error : float, default=nan
        The standard error of the difference, where the method has one.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> test = corrected_t_test([0.02, 0.05, 0.01, 0.04], n_train=75, n_test=25)
    >>> round(test.difference, 3), round(test.p_value, 3)
    (0.03, 0.121)
    """

    __test__ = False  # its name must not make pytest collect it

    difference: float
    interval: Interval
    p_value: float
    method: str
    steps: tuple[Step, ...] = field(default=(), compare=False, repr=False)
    error: float = field(default=math.nan, compare=False)

    @property
    def change(self) -> str:
        """The difference as a reader wants it: as many decimals as its error has."""
        return shown(self.difference, max(abs(self.difference), self.error), "+")

    def negated(self) -> "TestResult":
        """The second minus the first."""
        turned = self.interval.negated()
        step = Step("with the other sign", result=-self.difference, note="the second minus the first")
        return replace(self, difference=-self.difference, interval=turned, steps=(*self.steps, step))

    def work(self) -> Work:
        """How the p-value came about."""
        return Work(self.method[0].upper() + self.method[1:], self.steps, str(self))

    def __str__(self) -> str:
        how = "" if self.method == self.interval.method else f" ({self.method})"
        return f"{shown(self.difference, sign='+')} {self.interval}, p = {self.p_value:.3g}{how}"


Label = TypeVar("Label", str, tuple[str, str])
#: The tests of several learners, each with its p-value after Holm's adjustment.
Tests = dict[str, tuple[TestResult, float]]


@documented
def corrected_t_test(differences: Any, n_train: float, n_test: float, level: float = 0.95) -> TestResult:
    """The corrected resampled t test on the differences of two learners over the same folds.

    Where every fold differs by the same amount, the spread cannot be estimated, and there is no interval: no
    difference at all gives p = 1, and another one is left to the sign test, p = 2^(1 - k).

    Parameters
    ----------
    differences : array-like
        One difference of scores per fold or data set, the first learner's minus the second's.
    n_train, n_test : float
        Rows that a fold trains on and tests on; means where folds differ.
    level : float, default=0.95

    Returns
    -------
    TestResult

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> print(corrected_t_test([0.02, 0.05, 0.01, 0.04], n_train=75, n_test=25))
    +0.030 [-0.014, 0.074] (95%, corrected resampled t), p = 0.121 (corrected resampled t test)
    """
    differences = np.asarray(differences, dtype=float)
    k, mean = len(differences), float(differences.mean())
    interval = corrected_t(differences, n_train, n_test, level)
    if k < 2 or math.isnan(mean):
        return TestResult(mean, interval, math.nan, "corrected resampled t test")
    if np.ptp(differences) <= 1e-12 * np.abs(differences).max():
        return _sign_test(mean, k, interval)
    error = corrected_error(differences, n_train, n_test)
    t = mean / error
    p = float(2 * stdtr(k - 1, -abs(t)))
    steps = (
        *corrected_steps(differences, n_train, n_test),
        Step.of("t", r"\frac{m}{\operatorname{se}}", {"m": mean, r"\operatorname{se}": error}, t),
        Step.of("degrees of freedom", "k - 1", {"k": k}, k - 1),
        Step("p", r"2 P(T_{k - 1} \ge |t|)", rf"2 P(T_{{{k - 1}}} \ge {figure(abs(t))})", p),
    )
    return TestResult(mean, interval, p, "corrected resampled t test", steps)


def _sign_test(mean: float, k: int, interval: Interval) -> TestResult:
    """The sign test of k folds that all differ by the same amount; without a spread there is no interval."""
    interval = replace(interval, low=math.nan, high=math.nan, steps=())
    if mean == 0:
        p, step = 1.0, Step("p", result=1.0, note="no fold differs")
    else:
        p = 2.0 ** (1 - k)
        step = Step("p", r"2 \cdot 2^{-k}", rf"2 \cdot 2^{{-{k}}}", p, "that all folds have one sign")
    found = Step("m", result=mean, note=f"the same in all {k} folds, so their variance cannot be estimated")
    return TestResult(mean, interval, p, "sign test, as every fold differs alike", (found, step))


@documented
def mcnemar(correct_a: Any, correct_b: Any, level: float = 0.95) -> TestResult:
    """McNemar's exact test for two learners on the same rows, from which rows each gets right.

    The interval for the difference of the two accuracies is that of Bonett and Price (2012), Adjusted Wald
    confidence interval for a difference of binomial proportions based on paired data: b and c are one row
    more.

    Parameters
    ----------
    correct_a, correct_b : array-like of bool
        Whether each row is predicted correctly, by the first learner and by the second.
    level : float, default=0.95

    Returns
    -------
    TestResult

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> print(mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1]))
    +0.333 [-0.325, 0.825] (95%, Bonett–Price), p = 0.625 (McNemar, exact)
    """
    a, b = np.asarray(correct_a, dtype=bool), np.asarray(correct_b, dtype=bool)
    n = len(a)
    if b.shape != (n,) or n == 0:
        raise DataError(f"McNemar's test needs the same rows of both, got {a.shape} and {b.shape}")
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    discordant, rarer = only_a + only_b, min(only_a, only_b)
    p = min(1.0, 2 * float(bdtr(rarer, discordant, 0.5))) if discordant else 1.0
    difference = (only_a - only_b) / n
    steps = (
        Step("b", result=only_a, note="rows that only the first gets right"),
        Step("c", result=only_b, note="rows that only the second gets right"),
        Step.of("d", r"\frac{b - c}{n}", {"b": only_a, "c": only_b, "n": n}, difference),
        Step(
            "p",
            r"\min(1, 2 \sum_{i = 0}^{\min(b, c)} \binom{b + c}{i} 2^{-(b + c)})",
            rf"\min(1, 2 \sum_{{i = 0}}^{{{rarer}}} \binom{{{discordant}}}{{i}} 2^{{-{discordant}}})",
            p,
            "by chance alone, each of the b + c rows goes either way like a coin",
        ),
    )
    return TestResult(difference, _bonett_price(only_a, only_b, n, level), p, "McNemar, exact", steps)


def _bonett_price(b: int, c: int, n: int, level: float) -> Interval:
    """The interval of (b - c) / n, with a row more of each kind."""
    first, second = (b + 1) / (n + 2), (c + 1) / (n + 2)
    centre, (z, z_step) = first - second, normal_quantile(level)
    half = z * math.sqrt((first + second - centre**2) / (n + 2))
    numbers = {"p_1": first, "p_2": second, "m^2": centre**2, "z": z, "n": n}
    steps = (
        Step.of("p1", r"\frac{b + 1}{n + 2}", {"b": b, "n": n}, first),
        Step.of("p2", r"\frac{c + 1}{n + 2}", {"c": c, "n": n}, second),
        Step.of("m", "p_1 - p_2", numbers, centre),
        z_step,
        Step.of("h", r"z \sqrt{\frac{p_1 + p_2 - m^2}{n + 2}}", numbers, half),
    )
    return around(centre, half, level, "Bonett–Price", steps, "m").within(-1, 1)


@documented
def paired_bootstrap(
    difference: Callable[[np.ndarray], float], n: int, level: float = 0.95, random_state: int = 0
) -> TestResult:
    """Test a difference of any two scores on the same n rows by drawing rows with replacement.

    Parameters
    ----------
    difference : callable
        From an array of row positions to the difference of the scores on these rows.
    n : int
        The number of rows.
    level : float, default=0.95
    random_state : int, default=0

    Returns
    -------
    TestResult

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import numpy as np
    >>> right, also = np.array([1, 1, 1, 1, 1, 0] * 5), np.array([1, 0, 1, 1, 0, 0] * 5)
    >>> test = paired_bootstrap(lambda rows: (right - also)[rows].mean(), len(right))
    >>> round(float(test.difference), 3), test.p_value < 0.05
    (0.333, True)
    """
    values = resampled(difference, n, random_state)
    interval = percentiles(values, level)
    known = values[~np.isnan(values)]
    observed = difference(np.arange(n))
    if math.isnan(observed) or math.isnan(interval.low):
        return TestResult(observed, interval, math.nan, "paired bootstrap")
    rarer, times = int(min((known <= 0).sum(), (known >= 0).sum())), len(known)
    p = min(1.0, 2 * (rarer + 1) / (times + 1))
    steps = (
        Step("d", result=observed, note=f"of all {n} rows"),
        Step("r", result=rarer, note=f"of B = {times} resamples in which it is not on that side of 0"),
        Step.of("p", r"\min(1, 2 \cdot \frac{r + 1}{B + 1})", {"r": rarer, "B": times}, p),
    )
    return TestResult(observed, interval, p, "paired bootstrap", steps)


def holm_adjusted(tests: Mapping[Label, TestResult]) -> dict[Label, tuple[TestResult, float]]:
    """Each test, and its p-value adjusted for the number of tests by Holm's method."""
    p_values = holm([test.p_value for test in tests.values()]).tolist()
    return {label: (test, p) for (label, test), p in zip(tests.items(), p_values, strict=True)}


def methods_of(intervals: Iterable[Interval], tests: Iterable[TestResult]) -> str:
    """The methods of a table's intervals of scores, intervals of differences, and tests, in words."""
    tests = list(tests)
    own, differences = (_methods(some) for some in (intervals, [test.interval for test in tests]))
    words = f"intervals: {own}"
    if tests and differences != own:
        words += f"; of differences: {differences}"
    if others := sorted({test.method for test in tests} - {test.interval.method for test in tests}):
        words += f"; tests: {'; '.join(others)}"
    elif tests:
        words += "; tests: likewise"
    return f"{words}."


def _methods(intervals: Iterable[Interval]) -> str:
    intervals = list(intervals)
    levels = sorted({each.level for each in intervals})
    return "; ".join(
        f"{100 * level:g}%, {methods_once(each.method for each in intervals if each.level == level)}"
        for level in levels
    )
