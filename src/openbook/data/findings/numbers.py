"""Findings in a column of numbers: codes among them, outliers, skew.

Box-plot fences lie 1.5 times the distance between the quartiles below the first and above the third. Missing
and infinite cells are left out.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.findings.finding import Finding, step_name
from openbook.data.summary import ColumnFacts, NumberSummary, numbers
from openbook.words.numbers import short
from openbook.words.sentences import plural

_FEW_VALUES = 10
_STRONG_SKEW = 2.0

#: The fewest different numbers that are taken for dates: one number in 27 is a day of the calendar by chance.
_ENOUGH_DATES = 5

#: The fewest numbers whose distribution is looked at.
_ENOUGH = 20

#: Numbers that stand for "not known" by custom: -1, and nines.
_SENTINELS = (-1.0, *(sign * (10.0**digits - 1) for digits in range(1, 8) for sign in (-1, 1)))

Array = npt.NDArray[Any]


def number_findings(facts: ColumnFacts) -> Iterator[Finding]:
    name, distinct = facts.summary.name, len(facts.counts)
    codes = _sentinels(facts)
    x = facts.ordered[~np.isin(facts.ordered, codes)] if codes else facts.ordered
    if codes:
        yield _sentinel_finding(facts, codes, x)
    if distinct >= _ENOUGH_DATES and _are_dates(x):
        override = f'kinds={{"{name}": "%Y%m%d"}}'
        message = f"looks like dates such as {x[0]:.0f}; if so, read with {override}."
        yield Finding("dates as numbers", (name,), "warn", message)
        return
    if distinct <= _FEW_VALUES and len(x) >= 5 * distinct and (x == np.floor(x)).all():
        override = f'kinds={{"{name}": "nominal"}}'
        message = f"only {distinct} distinct whole numbers. If they are codes, read with {override}."
        yield Finding("few values", (name,), "note", message)
    elif distinct > _FEW_VALUES and len(x) >= _ENOUGH:
        figures = numbers(x) if codes else facts.summary.numbers
        assert figures is not None
        yield from _outliers(name, x, figures)
        yield from _skew(name, figures)


def _are_dates(x: Array) -> bool:
    """Whether all numbers, in order, are days of the calendar from 1800 to 2099, such as 20240301."""
    if not (len(x) and x[0] >= 18000101 and x[-1] <= 20991231 and (x == np.floor(x)).all()):
        return False
    month, day = x // 100 % 100, x % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


def _sentinels(facts: ColumnFacts) -> list[float]:
    """Customary codes for "not known" that are repeated and lie apart from all other numbers."""
    x = facts.ordered
    repeated = [code for code in _SENTINELS if _occurrences(x, code) >= 3]
    rest = x[~np.isin(x, repeated)] if repeated else x[:0]
    if len(rest) < _ENOUGH // 2:
        return []
    with np.errstate(over="ignore"):
        widest_gap = float(np.diff(rest).max())
    figures = numbers(rest)
    reach = 1.5 * (figures.q3 - figures.q1)
    many = len(facts.counts) > _FEW_VALUES

    def apart(code: float) -> bool:
        if code < rest[0]:
            lonely = code < figures.q1 - reach and rest[0] - code > 2 * widest_gap
            return lonely or (many and code < 0 <= rest[0])
        if code > rest[-1]:
            lonely = code > figures.q3 + reach and code - rest[-1] > 2 * widest_gap
            return lonely or (many and _is_spike(facts, code))
        return False

    return [code for code in repeated if apart(code)]


def _is_spike(facts: ColumnFacts, code: float) -> bool:
    """Whether the code occurs far more often than the ten numbers next to it."""
    index = int(np.searchsorted(np.cumsum(facts.counts), np.searchsorted(facts.ordered, code), "right"))
    nearest = facts.counts[max(index - 10, 0) : index]
    return bool(facts.counts[index] >= 10 * nearest.max())


def _occurrences(ordered: Array, value: float) -> int:
    first, last = np.searchsorted(ordered, value, "left"), np.searchsorted(ordered, value, "right")
    return int(last - first)


def _sentinel_finding(facts: ColumnFacts, codes: list[float], rest: Array) -> Finding:
    name = facts.summary.name
    found = ", ".join(f"{code:.0f} ({_occurrences(facts.ordered, code):,} times)" for code in codes)
    marks = {name: [f"{code:.0f}" for code in codes]}
    message = (
        f"{found} may mean missing: the others range from {short(rest[0])} to {short(rest[-1])}. If so, "
        f"read with missing_in={marks}; otherwise they count as numbers."
    )
    return Finding("sentinel", (name,), "warn", message)


def _outliers(name: str, x: Array, figures: NumberSummary) -> Iterator[Finding]:
    reach = figures.q3 - figures.q1
    if reach == 0:
        return

    def beyond(times: float) -> tuple[int, int]:
        low, high = figures.q1 - times * reach, figures.q3 + times * reach
        return int(np.searchsorted(x, low, "left")), len(x) - int(np.searchsorted(x, high, "right"))

    below, above = beyond(1.5)
    outside, far = below + above, sum(beyond(3.0))
    # A bell curve leaves 0.7 % outside the fences, and two in a million far outside.
    if (outside >= 3 and outside > 0.02 * len(x)) or far > 1e-5 * len(x):
        sides = " and ".join(
            f"{plural(count, 'number')} {side}"
            for count, side in (
                (below, f"below {short(figures.q1 - 1.5 * reach)} (down to {short(x[0])})"),
                (above, f"above {short(figures.q3 + 1.5 * reach)} (up to {short(x[-1])})"),
            )
            if count
        )
        message = (
            f"outside the box-plot fences: {sides}. Check the extremes, and correct errors; the step"
            f' "clip {step_name(name)} 1.5iqr" moves them to the fences.'
        )
        yield Finding("outliers", (name,), "note", message)


def _skew(name: str, figures: NumberSummary) -> Iterator[Finding]:
    if figures.skew is None or abs(figures.skew) < _STRONG_SKEW:
        return
    column = step_name(name)
    if figures.skew < 0 or figures.minimum < 0:
        remedy = f'"power {column}" or "quantile {column}"'
    else:
        remedy = f'"log {column}"' if figures.minimum > 0 else f'"log1p {column}"'
    side = "right" if figures.skew > 0 else "left"
    seen = f"strongly skewed to the {side} (skew {figures.skew:.2g})"
    message = f"{seen}. For learners that assume a normal distribution, try the step {remedy}."
    yield Finding("skew", (name,), "note", message)
