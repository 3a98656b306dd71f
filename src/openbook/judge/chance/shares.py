r"""Two shares of different rows: their difference, their ratio, and whether they differ by more than chance.

    newcombe      d - sqrt((p - l)² + (u' - p')²)  to  d + sqrt((u - p)² + (p' - l')²),  d = p - p'
    log_ratio     exp(ln(p / p') ± z sqrt(1/x - 1/n + 1/x' - 1/n'))
    fisher        the probability of a table as rare as this one, its margins given; exact

p = x/n and p' = x'/n' are the shares; l to u and l' to u' their Wilson intervals. Newcombe (1998), Interval
estimation for the difference between independent proportions, method 10; Katz, Baptista, Azen and Pike
(1978). A share of no rows is NaN, and so is a ratio to 0; `why` gives the reason.
"""

import math
from dataclasses import dataclass

from scipy.special import ndtri

from openbook.judge.chance.intervals import Interval, wilson
from openbook.words.numbers import figure, shown
from openbook.work import Step


@dataclass(frozen=True)
class Share:
    """`hits` of `n` rows, as a share.

    >>> print(Share(15, 100))
    0.150 [0.093, 0.233] (95%, Wilson)
    """

    hits: int
    n: int

    @property
    def value(self) -> float:
        return self.hits / self.n if self.n else math.nan

    @property
    def why(self) -> str:
        """Why it is undefined; empty if it is not."""
        return "" if self.n else "there are no such rows"

    def interval(self, level: float = 0.95) -> Interval:
        return wilson(self.hits, self.n, level) if self.n else Interval(math.nan, math.nan, level, "Wilson")

    def __str__(self) -> str:
        return f"{shown(self.value)} {self.interval()}"


def newcombe(a: Share, b: Share, level: float = 0.95) -> Interval:
    """The interval of the difference of two shares, the first minus the second.

    >>> print(newcombe(Share(56, 70), Share(48, 80)))
    [0.052, 0.334] (95%, Newcombe)
    """
    if not (a.n and b.n):
        return Interval(math.nan, math.nan, level, "Newcombe")
    p, q, of_p, of_q = a.value, b.value, a.interval(level), b.interval(level)
    low = p - q - math.hypot(p - of_p.low, of_q.high - q)
    high = p - q + math.hypot(of_p.high - p, q - of_q.low)
    steps = (
        Step("d", "p - p'", f"{figure(p)} - {figure(q)}", p - q),
        Step("l, u", result=of_p.ends, note="Wilson's interval of p"),
        Step("l', u'", result=of_q.ends, note="Wilson's interval of p'"),
        Step("low", r"d - \sqrt{(p - l)^2 + (u' - p')^2}", result=low),
        Step("high", r"d + \sqrt{(u - p)^2 + (p' - l')^2}", result=high),
    )
    return Interval(max(low, -1.0), min(high, 1.0), level, "Newcombe", steps)


def log_ratio(a: Share, b: Share, level: float = 0.95) -> Interval:
    """The interval of the ratio of two shares, the first over the second.

    Undefined where one of them is 0, and where both are 1: there the method would claim to be certain.

    >>> print(log_ratio(Share(189, 11034), Share(104, 11037)))
    [1.433, 2.306] (95%, log ratio)
    """
    if not (a.hits and b.hits) or (a.hits == a.n and b.hits == b.n):
        return Interval(math.nan, math.nan, level, "log ratio")
    ratio = a.value / b.value
    error = math.sqrt(1 / a.hits - 1 / a.n + 1 / b.hits - 1 / b.n)
    z = float(ndtri((1 + level) / 2))
    formula = r"\sqrt{\frac{1}{x} - \frac{1}{n} + \frac{1}{x'} - \frac{1}{n'}}"
    numbers = " + ".join(rf"\frac{{1}}{{{share.hits}}} - \frac{{1}}{{{share.n}}}" for share in (a, b))
    steps = (
        Step("r", r"\frac{p}{p'}", rf"\frac{{{figure(a.value)}}}{{{figure(b.value)}}}", ratio),
        Step("se", formula, rf"\sqrt{{{numbers}}}", error, "of ln r"),
    )
    return Interval(ratio * math.exp(-z * error), ratio * math.exp(z * error), level, "log ratio", steps)


def fisher(a: Share, b: Share) -> float:
    """The p-value of Fisher's exact test that two shares differ, two-sided; NaN if one has no rows.

    >>> round(fisher(Share(3, 4), Share(1, 4)), 4)  # the lady tasting tea
    0.4857
    """
    from scipy.stats import fisher_exact

    if not (a.n and b.n):
        return math.nan
    return float(fisher_exact([[a.hits, a.n - a.hits], [b.hits, b.n - b.hits]])[1])
