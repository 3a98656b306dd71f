r"""Intervals for a score: a range that would hold the true value in `level` of all repetitions.

    wald         E ± z sqrt(E (1 - E) / n)
    wilson       (E + z²/2n ± z sqrt(E (1 - E) / n + z²/4n²)) / (1 + z²/n)
    exact        the shares under which x or fewer, and x or more, of n are not rarer than (1 - level) / 2
    corrected_t  m ± t_{k-1} s sqrt(1/k + n_test / n_train)      over the k scores of resampled data
    bootstrap    percentiles of the statistic over resampled rows
    jackknife    m ± t_{g-1} sqrt((g - 1)/g Σ (m_i - mean)²)     m_i without the i-th of g groups of rows

z and t are the quantiles of (1 + level) / 2. The folds of a cross-validation share training rows, so their
scores vary less than independent ones; the term n_test / n_train corrects this (Nadeau and Bengio 2003,
Inference for the generalization error). An interval that the data do not give is NaN to NaN.

Every interval names its level and method, and `work()` derives it.
"""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from openbook.errors import ParameterError
from openbook.measures.shown import derived_by
from openbook.words.numbers import figure, shown
from openbook.words.parameters import documented
from openbook.work import Step, Work

#: How many rows a bootstrap draws before it makes do with fewer resamples; the fewest and the most of those.
_DRAWS = 20_000_000
_FEWEST, _MOST = 200, 1000


@dataclass(frozen=True)
class Interval:
    """A range, its level, the method that gave it, and the steps that led to it.

    Attributes
    ----------
    low, high : float
        The ends.
    level : float
        The confidence level.
    method : str
        The name of the method.
    steps : tuple of Step, default=()
        The steps of the derivation.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> print(Interval(0.0812, 0.2331, 0.95, "Wilson"))
    [0.081, 0.233] (95%, Wilson)
    """

    low: float
    high: float
    level: float
    method: str
    steps: tuple[Step, ...] = field(default=(), compare=False, repr=False)

    @property
    def ends(self) -> str:
        """The range alone, as text."""
        if math.isnan(self.low) or math.isnan(self.high):
            return "undefined"
        size = max((abs(end) for end in (self.low, self.high) if math.isfinite(end)), default=0.0)
        return f"[{shown(self.low, size)}, {shown(self.high, size)}]"

    def within(self, lowest: float, highest: float) -> Self:
        """The part of it that is possible: an accuracy ends at 1.

        Parameters
        ----------
        lowest, highest : float
            The smallest and the largest possible value.

        Returns
        -------
        Interval
        """
        low, high = min(max(self.low, lowest), highest), max(min(self.high, highest), lowest)
        steps = [
            Step(f"possible {name}", result=end, note=f"it lies between {lowest:g} and {highest:g}")
            for name, end, was in (("low", low, self.low), ("high", high, self.high))
            if end != was and not math.isnan(was)
        ]
        return replace(self, low=low, high=high, steps=(*self.steps, *steps))

    def negated(self) -> Self:
        """That of the same with the other sign."""
        low, high = -self.high, -self.low
        turned = [Step(f"{end} with the other sign", result=x) for end, x in (("low", low), ("high", high))]
        return replace(self, low=low, high=high, steps=self.steps and (*self.steps, *turned))

    def work(self) -> Work:
        """How it came about."""
        return Work(f"Interval: {self.method}", self.steps, str(self))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isnan(self.low) or math.isnan(self.high):
            return f"(no interval: {self.method})"
        return f"{self.ends} ({100 * self.level:.5g}%, {self.method})"


#: A method that says for how many rows it is.
_COUNTED = re.compile(r"(Wilson|Jeffreys) for ([\d,]+) (effective )?rows?")


def methods_once(methods: Iterable[str]) -> str:
    """Methods of several intervals in words, each once, their numbers of rows as a range.

    >>> methods_once(["t over rows", "Wilson for 1,200 effective rows", "Wilson for 90 effective rows"])
    'Wilson for 90 to 1,200 effective rows; t over rows'
    >>> methods_once(["Wilson for 90 effective rows", "Wilson"])
    'Wilson, some for 90 effective rows'
    >>> methods_once(["t over rows, and Jeffreys for 1 row", "t over rows, and Jeffreys for 7 rows"])
    't over rows, and Jeffreys for 1 to 7 rows'
    """
    counted: dict[tuple[str, str], set[int]] = {}
    others = set()
    for method in methods:
        if found := _COUNTED.search(method):
            around = f"{method[: found.start()]}{found[1]}", f"{found[3] or ''}rows{method[found.end() :]}"
            counted.setdefault(around, set()).add(int(found[2].replace(",", "")))
        else:
            others.add(method)
    for (name, what), rows in counted.items():
        most = "" if len(rows) == 1 else f" to {max(rows):,}"
        some = ", some" if name in others and what == "effective rows" else ""
        what = what.replace("rows", "row", 1) if rows == {1} else what  # noqa: PLW2901
        others = others - ({name} if some else set()) | {f"{name}{some} for {min(rows):,}{most} {what}"}
    return "; ".join(sorted(others))


@documented
def wald(successes: float, n: int, level: float = 0.95) -> Interval:
    """The normal approximation for a share; too narrow for few rows and near 0 or 1, where Wilson's holds.

    Parameters
    ----------
    successes : float
        The number of successes, such as the rows that were predicted correctly.
    n : int
        The number of rows.
    level : float, default=0.95

    Returns
    -------
    Interval

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> print(wald(15, 100))
    [0.080, 0.220] (95%, Wald)
    """
    share = _share(successes, n)
    error = math.sqrt(share * (1 - share) / n)
    steps = (
        Step.of("E", r"\frac{x}{n}", {"x": successes, "n": n}, share),
        Step.of("se", r"\sqrt{\frac{E (1 - E)}{n}}", {"E": share, "(1 - E)": 1 - share, "n": n}, error),
    )
    return symmetric(share, error, normal_quantile(level), level, "Wald", steps, "E").within(0, 1)


def _derive_rows_needed(width: float, share: float = 0.5, level: float = 0.95) -> Work:
    """How many rows make the interval of a share so narrow."""
    (z, z_step), p = normal_quantile(level), figure(share)
    formula = r"\left\lceil \frac{4 z^2 p (1 - p)}{\text{width}^2} \right\rceil"
    top = rf"4 \cdot {figure(z)}^2 \cdot {p} (1 - {p})"
    numbers = rf"\left\lceil \frac{{{top}}}{{{figure(width)}^2}} \right\rceil"
    note = "of the normal interval of a share p of n rows"
    steps = (
        Step("width", r"2 z \sqrt{\frac{p (1 - p)}{n}}", note=note),
        z_step,
        Step("n", formula, numbers, rows_needed(width, share, level)),
    )
    return Work("Rows that an interval needs", steps)


@derived_by(_derive_rows_needed)
@documented
def rows_needed(width: float, share: float = 0.5, level: float = 0.95) -> int:
    """The number of rows for which the normal interval of a share is at most so wide.

    n = 4 z^2 p (1 - p) / width^2, rounded up.

    Parameters
    ----------
    width : float
        From the lower end to the upper end.
    share : float, default=0.5
        The share that is expected; 0.5 needs the most rows.
    level : float, default=0.95

    Returns
    -------
    int

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> rows_needed(0.1)
    385
    """
    for name, value in (("width", width), ("share", share)):
        if not 0 < value < 1:
            raise ParameterError(f"{name} must lie between 0 and 1, got {value}")
    return math.ceil(4 * normal_quantile(level)[0] ** 2 * share * (1 - share) / width**2)


#: Half the width of Wilson's interval.
_WILSON = r"\frac{z}{1 + \frac{z^2}{n}} \sqrt{\frac{E (1 - E)}{n} + \frac{z^2}{4 n^2}}"


@documented
def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Wilson's score interval for a share; it stays within 0 and 1 and holds for few rows.

    n need not be a whole number: rows that depend on one another count for fewer.

    Parameters
    ----------
    successes : float
        The number of successes, such as the rows that were predicted correctly.
    n : float
        The number of rows, which need not be whole.
    level : float, default=0.95

    Returns
    -------
    Interval

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> print(wilson(15, 100))
    [0.093, 0.233] (95%, Wilson)
    """
    share, (z, z_step) = _share(successes, n), normal_quantile(level)
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    numbers = {"E": share, "(1 - E)": 1 - share, "z": z, "n": n}
    steps = (
        Step.of("E", r"\frac{x}{n}", {"x": successes, "n": n}, share),
        z_step,
        Step.of("c", r"\frac{E + \frac{z^2}{2 n}}{1 + \frac{z^2}{n}}", numbers, centre),
        Step.of("h", _WILSON, numbers, half),
    )
    interval = around(centre, half, level, "Wilson", steps, "c")
    return replace(interval, low=max(0.0, interval.low), high=min(1.0, interval.high))  # but for rounding


@documented
def exact(successes: float, n: int, level: float = 0.95) -> Interval:
    """The exact interval of Clopper and Pearson (1934) for a share; it covers at least `level`, often more.

    Parameters
    ----------
    successes : float
        The number of successes, such as the rows that were predicted correctly.
    n : int
        The number of rows.
    level : float, default=0.95

    Returns
    -------
    Interval

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> print(exact(15, 100))
    [0.086, 0.235] (95%, Clopper–Pearson)
    """
    share, upper = _share(successes, n), upper_share(level)
    low = float(betaincinv(successes, n - successes + 1, 1 - upper)) if share > 0 else 0.0
    high = float(betaincinv(successes + 1, n - successes, upper)) if share < 1 else 1.0
    x, tail = figure(successes), figure(1 - upper)
    steps = [
        Step.of("E", r"\frac{x}{n}", {"x": successes, "n": n}, share),
        Step(
            "low",
            r"B_{x, n - x + 1}^{-1}(\frac{1 - \gamma}{2})",
            rf"B_{{{x}, {figure(n - successes + 1)}}}^{{-1}}({tail})",
            low,
            f"the share under which {x} or more of {n} come with probability {tail}; B is beta",
        ),
        Step(
            "high",
            r"B_{x + 1, n - x}^{-1}(\frac{1 + \gamma}{2})",
            rf"B_{{{figure(successes + 1)}, {figure(n - successes)}}}^{{-1}}({figure(upper)})",
            high,
            f"the share under which {x} or fewer come with probability {tail}",
        ),
    ]
    if share in (0, 1):  # no beta distribution has a parameter of 0
        end = "high" if share else "low"
        steps = [
            Step(end, result=share, note=f"{x} of {n}: the interval ends at {share:g}")
            if step.label == end
            else step
            for step in steps
        ]
    return Interval(low, high, level, "Clopper–Pearson", tuple(steps))


@documented
def corrected_t(scores: Any, n_train: float, n_test: float, level: float = 0.95) -> Interval:
    """The corrected resampled t interval for the mean of the scores of several folds.

    Parameters
    ----------
    scores : array-like
        One score per fold, or one difference of scores.
    n_train, n_test : float
        Rows that a fold trains on and tests on; means where folds differ.
    level : float, default=0.95

    Returns
    -------
    Interval

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> print(corrected_t([0.90, 0.94, 0.92, 0.96], n_train=75, n_test=25))
    [0.867, 0.993] (95%, corrected resampled t)
    """
    scores = np.asarray(scores, dtype=float)
    k = len(scores)
    if k < 2:
        return Interval(math.nan, math.nan, level, "corrected resampled t")
    mean, error = float(scores.mean()), corrected_error(scores, n_train, n_test)
    steps = corrected_steps(scores, n_train, n_test)
    quantile = t_quantile(k - 1, level, "k - 1")
    return symmetric(mean, error, quantile, level, "corrected resampled t", steps, "m")


def corrected_error(scores: np.ndarray, n_train: float, n_test: float) -> float:
    """The corrected standard error of the mean of k scores: s sqrt(1/k + n_test / n_train)."""
    return float(scores.std(ddof=1) * math.sqrt(1 / len(scores) + n_test / n_train))


def corrected_steps(scores: np.ndarray, n_train: float, n_test: float) -> tuple[Step, ...]:
    """Those to the corrected standard error."""
    k, mean, s = len(scores), float(scores.mean()), float(scores.std(ddof=1))
    return (
        Step("k", result=k, note="folds"),
        Step("m", r"\frac{1}{k} \sum_i x_i", rf"\frac{{{figure(float(scores.sum()))}}}{{{k}}}", mean),
        Step(
            "s",
            r"\sqrt{\frac{\sum_i (x_i - m)^2}{k - 1}}",
            rf"\sqrt{{\frac{{{figure(float(((scores - mean) ** 2).sum()))}}}{{{k - 1}}}}}",
            s,
        ),
        Step.of(
            "se",
            r"s \sqrt{\frac{1}{k} + \frac{n_{\text{test}}}{n_{\text{train}}}}",
            {"s": s, "k": k, r"n_{\text{test}}": n_test, r"n_{\text{train}}": n_train},
            corrected_error(scores, n_train, n_test),
            "folds share training rows, which the second term corrects for",
        ),
    )


@documented
def bootstrap(
    statistic: Callable[[np.ndarray], float], n: int, level: float = 0.95, random_state: int = 0
) -> Interval:
    """The percentile bootstrap over n rows; resamples in which the statistic is undefined are left out.

    Parameters
    ----------
    statistic : callable
        Function of an array of row positions.
    n : int
        Rows to draw from.
    level : float, default=0.95
    random_state : int, default=0

    Returns
    -------
    Interval

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([2.0, 4.0, 4.0, 5.0, 7.0, 9.0])
    >>> print(bootstrap(lambda rows: x[rows].mean(), len(x)))
    [3.500, 6.837] (95%, bootstrap, 1000 resamples)
    """
    return percentiles(resampled(statistic, n, random_state), level)


def resampled(statistic: Callable[[np.ndarray], float], n: int, random_state: int = 0) -> np.ndarray:
    """The statistic over rows drawn with replacement, a thousand times; fewer if there are many."""
    rng = np.random.default_rng(random_state)
    times = min(_MOST, max(_FEWEST, _DRAWS // n))
    return np.array([statistic(rng.integers(n, size=n)) for _ in range(times)], dtype=float)


def percentiles(values: np.ndarray, level: float) -> Interval:
    """The middle `level` of resampled values; undefined where most of them are."""
    upper = upper_share(level)
    known = values[~np.isnan(values)]
    method = f"bootstrap, {len(values)} resamples"
    if 2 * len(known) < len(values):
        return Interval(math.nan, math.nan, level, method)
    low, high = map(float, np.quantile(known, [1 - upper, upper]))
    steps = [
        Step(name, rf"Q_{{{figure(share)}}}", result=end, note=f"of the {len(known)} that are defined")
        for name, share, end in (("low", 1 - upper, low), ("high", upper, high))
    ]
    return Interval(low, high, level, method, tuple(steps))


@documented
def jackknife(estimate: float, without: Any, level: float = 0.95) -> Interval:
    """The grouped jackknife: a statistic of all rows, and without each of some groups of about equal size.

    Parameters
    ----------
    estimate : float
        The statistic of all rows.
    without : array-like
        The statistic without each group in turn.
    level : float, default=0.95

    Returns
    -------
    Interval

    Notes
    -----
    Guide: docs/guide/rates.md

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
    squares = float(((without - float(without.mean())) ** 2).sum())
    error = math.sqrt((g - 1) / g * squares)
    steps = (
        Step("m", result=float(estimate), note="of all rows"),
        Step(
            "se",
            r"\sqrt{\frac{g - 1}{g} \sum_i (m_i - \bar{m})^2}",
            rf"\sqrt{{\frac{{{g - 1}}}{{{g}}} \cdot {figure(squares)}}}",
            error,
            "m_i is without the i-th group",
        ),
    )
    return symmetric(float(estimate), error, t_quantile(g - 1, level, "g - 1"), level, method, steps, "m")


def around(
    centre: float, half: float, level: float, method: str, steps: tuple[Step, ...], name: str
) -> Interval:
    """The interval of a centre and half a width; `name` is the centre's in the formulas."""
    low, high = centre - half, centre + half
    ends = [
        Step(end, f"{name} {sign} h", f"{figure(centre)} {sign} {figure(half)}", value)
        for end, sign, value in (("low", "-", low), ("high", "+", high))
    ]
    return Interval(low, high, level, method, (*steps, *ends))


def symmetric(
    centre: float,
    error: float,
    quantile: tuple[float, Step],
    level: float,
    method: str,
    steps: tuple[Step, ...],
    name: str,
) -> Interval:
    """The interval centre ± quantile · standard error; `name` is the centre's in the formulas."""
    q, step = quantile
    numbers = {step.label: q, r"\operatorname{se}": error}
    half = Step.of("h", rf"{step.label} \cdot \operatorname{{se}}", numbers, q * error)
    return around(centre, q * error, level, method, (*steps, step, half), name)


def _share(successes: float, n: float) -> float:
    if n < 1 or not 0 <= successes <= n:
        raise ParameterError(
            f"{successes} successes in {n} rows is not a share; give 0 <= successes <= n and n >= 1"
        )
    return successes / n


def upper_share(level: float) -> float:
    """(1 + level) / 2: where the quantile of an interval's upper end is taken."""
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, got {level}; 0.95 is usual")
    return (1 + level) / 2


def normal_quantile(level: float) -> tuple[float, Step]:
    """z, the quantile of (1 + level) / 2 of the normal distribution, and its step."""
    upper = upper_share(level)
    z = float(ndtri(upper))
    return z, Step("z", r"\Phi^{-1}(\frac{1 + \gamma}{2})", rf"\Phi^{{-1}}({figure(upper)})", z)


def t_quantile(freedom: float, level: float, symbol: str) -> tuple[float, Step]:
    """q, that of Student's distribution, and its step; `symbol` stands for the degrees of freedom."""
    upper = upper_share(level)
    q = float(stdtrit(freedom, upper))
    numbers = rf"t_{{{figure(freedom)}}}^{{-1}}({figure(upper)})"
    return q, Step("q", rf"t_{{{symbol}}}^{{-1}}(\frac{{1 + \gamma}}{{2}})", numbers, q)
