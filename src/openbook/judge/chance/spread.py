r"""The standard error and interval of a score, and of a difference of two scores, from the influence of every
row.

    φ_i : float64 (n_rows,), how much row i moves the score: see `influence`
    u_g : float64 (n_units,), the sum of φ over the rows that belong together, times units / rows
    se  = s √((1 + ρ) / G)                   s the standard deviation of the G units

Rows that belong together (a group's, or neighbours in time) depend on one another, so they count as one unit:
the cluster-robust standard error. Where every row is on its own, it is a unit. Rows in order of time make √n
blocks. Where each of M models tests two or more, blocks are compared with those of the same model, with
G - M degrees of freedom: that later models, with more rows, are better is not an error, since the score is
about these models. With both groups and time, the larger standard error counts.

    a score between 0 and 1  Wilson's interval for n' = S (1 - S) / se² rows: as many as a share of rows would
                             need for this standard error, and never more than the score rests on; all of
                             them where se is 0. Few units count for less: n' (z / t_{G-1})² (Korn and
                             Graubard 1998).
    any other score          S - se g⁻¹(±t_ν); g takes out the skewness γ of the units (Hall 1992):
                             g⁻¹(x) = 3√G/γ ((1 + γ (x/√G - γ/6G))^(1/3) - 1)
                             |γ| counts up to 0.4 √G / t: at √G / t an arm would grow without bound
                             ν = 2 G / (κ - 1), from 2 to G - 1: where few units decide, their kurtosis κ is
                             large and s² as unsure as with so few degrees of freedom (Satterthwaite 1946)
    a loss of groups, blocks S exp(±t_ν se / S): they are too few to show their skewness, and losses, which
                             are never below 0, are less skewed on the scale of logarithms. A mean of squares
                             is more skewed than that: S (1 ± t_ν λ se / S)^(-1/λ), λ = 1/3, which takes out
                             the skewness of losses with a gamma distribution; λ = 2/3 for its root, the RMSE
    a loss with rare rows    S = c q + R, where a share q of the rows loses c each. q has Jeffreys' interval
                             for n' rows, R that of any other score. Zou and Donner (2008) put the ends
                             together: S - √((c q - c q_low)² + (R - R_low)²), and so for high
    a difference of shares   d' ± z se', as if there were one row more in favour of either learner (Bonett and
                             Price 2012): d' = n d / (n + 2), se'² = (Σ φ² + 2 + 2 n d² / (n + 2)) / (n + 2)²
    any other difference     d ± t_{G-1} se

The p-value of a difference comes from the same ratio as its interval. So p < 0.05 if, and only if, the 95%
interval excludes 0.

These are intervals of the mean score, on new rows, of the models that were fitted in the folds (Bayle, Bayle,
Janson and Mackey 2020, Cross-validation confidence intervals for test error). In a cross-validation a row
also trains the models that test the others, so the scores of folds are correlated. ρ is the variance that
independent rows would miss, as a share of theirs. With repeated folds, it is estimated:

    ρ = (1 - 1/K) C / (s² / G)               C the covariance of units in different folds: `rounds`

With one round, ρ is a rule of thumb. Nadeau and Bengio (2003) add n_test / n_train; here ρ is half of that.
If rows come in groups, it is n_test / n_train for classes. For numbers it is three times that, but at most
10 / G, the effect of five parameters fitted to G groups.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import betaincinv, ndtr, stdtr

from openbook.judge.chance.intervals import (
    Interval,
    normal_quantile,
    symmetric,
    t_quantile,
    upper_share,
    wilson,
)
from openbook.judge.chance.rounds import Rounds
from openbook.judge.chance.significance import TestResult
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Step

#: The most skewness that is taken out, as a share of that at which an arm of the interval has no end.
_SKEWED = 0.4

#: The most of a squared loss's own size that λ t se counts for: at all of it the upper arm has no end.
_LONGEST = 0.9

#: Where rows are worth fewer degrees of freedom than this, the interval is called rough.
_ROUGH = 10

#: Scores of two learners that differ by a smaller share of what rows contribute differ by rounding only.
_ROUNDING = 1e-9

#: Both ends of an interval, and the steps to them.
_Ends = tuple[float, float, tuple[Step, ...]]

#: Draws of the largest of several differences under chance alone.
_DRAWS = 20_000


@dataclass(frozen=True, eq=False)
class Spread:
    """A score and what each row contributes to it.

    Parameters
    ----------
    score : the score
    influence : φ of every row
    clusters : for each way in which rows belong together ("groups", "blocks of time"), the code of every row
    support : how many rows the score rests on, at the most: for a rare class few, however many rows there are
    shared : ρ by the rule of thumb
    rounds : φ of every row in each round, and its fold; None if there is one round
    levels : how many models tested the rows, where φ is how a row differs from those of its own model
    """

    score: float
    influence: np.ndarray
    clusters: Mapping[str, np.ndarray]
    support: float
    shared: float = 0.0
    rounds: Rounds | None = None
    levels: int = 1

    @cached_property
    def _units(self) -> dict[str, np.ndarray]:
        """U for each way in which rows belong together."""
        return {kind: self._summed(self.influence, kind) for kind in self.clusters or ("rows",)}

    def _summed(self, influence: np.ndarray, kind: str) -> np.ndarray:
        """U of these φ, for one way in which rows belong together."""
        if kind not in self.clusters:
            return influence
        sums = np.bincount(self.clusters[kind], influence)
        return sums * (len(sums) / len(influence))

    @cached_property
    def kind(self) -> str:
        """What the units are: rows, or that which makes the score least sure."""
        return max(self._units, key=lambda kind: self._error_of(self._units[kind]))

    @property
    def units(self) -> np.ndarray:
        """U, for what the units are."""
        return self._units[self.kind]

    @property
    def error(self) -> float:
        """The standard error."""
        return self._error_of(self.units) * math.sqrt(1 + self.missing)

    def _error_of(self, units: np.ndarray) -> float:
        """The standard error from independent units."""
        g = len(units)
        return float(units.std(ddof=self.levels)) / math.sqrt(g) if g > self.levels else math.nan

    @cached_property
    def missing(self) -> float:
        """ρ, the variance that rows miss since each also trains the models that test others."""
        return self.shared if math.isnan(self._measured) else self._measured

    @cached_property
    def _measured(self) -> float:
        """ρ, estimated from rounds of folds; NaN if they do not allow it."""
        rounds = self.rounds
        if rounds is not None and self.clusters:
            rounds = rounds.of_units(self.clusters[self.kind])
        return math.nan if rounds is None else rounds.missing

    @property
    def freedom(self) -> int:
        return len(self.units) - self.levels

    def interval(
        self, share: bool, level: float = 0.95, lowest: float = -math.inf, power: float = 0.0
    ) -> Interval:
        """The interval of the score, which is never below `lowest`; `share` if it lies between 0 and 1.

        A loss over groups or blocks has its interval on the scale of score ** -power; 0 is for logarithms.
        """
        if math.isnan(self.score):
            return Interval(math.nan, math.nan, level, "none")
        return self._share(level) if share else self._mean(level, loss=lowest == 0, power=power)

    def _share(self, level: float) -> Interval:
        n, error = len(self.influence), self.error
        rows = self.effective_rows(level)
        found = wilson(min(self.score * rows, rows), rows, level)
        if rows == n:
            return found
        note = f"as many independent rows have the same se = {figure(error)}{self.of_units}"
        step = Step("n'", r"\min(S, \frac{E (1 - E)}{\operatorname{se}^2})", result=rows, note=note)
        words = f"Wilson for {rows:,.0f} effective rows"
        return replace(found, method=words, steps=(*self._missing_steps, step, *found.steps))

    def effective_rows(self, level: float) -> float:
        """As many rows as a share would need for this standard error, n'."""
        n, p, error = len(self.influence), self.score, self.error
        rows = p * (1 - p) / error**2 if error > 0 else n
        if self.clusters:
            rows *= (normal_quantile(level)[0] / _t(self.freedom, level)) ** 2
        else:
            rows *= n / (n - 1) if n > 1 else 1  # a share's own variance divides by n
        rows = max(1.0, min(rows, self.support, n))
        return n if math.isclose(rows, n) else rows

    @property
    def of_units(self) -> str:
        return f", from {len(self.units)} {self.kind}" if self.clusters else ""

    def _mean(self, level: float, *, loss: bool, power: float = 0.0) -> Interval:
        """The interval of a score that need not lie between 0 and 1; `loss` if it is never below 0."""
        method = f"t over {self.kind}"
        g, error = len(self.units), self.error
        if not error > 1e-12 * abs(self.score):
            return Interval(math.nan, math.nan, level, f"the {self.kind} do not vary")
        freedom = min(self.freedom, max(2.0, 2 * g / max(_kurtosis(self.units) - 1, 1e-12)))
        if freedom < min(self.freedom, _ROUGH):
            method += ", rough: a few of them dominate"
        t, t_step = t_quantile(freedom, level, r"\nu")
        s = figure(self._error_of(self.units) * math.sqrt(g))
        numbers = rf"{s} \sqrt{{\frac{{1 + {figure(self.missing)}}}{{{g}}}}}"
        note = f"s is the standard deviation of the influence of {self.kind}"
        nu_note = "degrees of freedom, 2 G / (κ - 1) up to G - 1; κ is the kurtosis"
        steps = (
            Step("m", result=self.score, note="the score"),
            *self._missing_steps,
            Step("se", r"s \sqrt{\frac{1 + \rho}{G}}", numbers, error, note),
            Step("nu", result=freedom, note=nu_note),
            t_step,
        )
        low, high, arms = self._by_factor(t, power) if loss and self.clusters else self._without_skewness(t)
        return Interval(low, high, level, method, (*steps, *arms))

    def _by_factor(self, t: float, power: float) -> _Ends:
        """Both ends of a loss, on the scale of logarithms or of a power of the loss."""
        m, u = self.score, t * self.error / self.score
        if power:
            down, up = ((1 + x) ** (-1 / power) for x in (power * u, -min(power * u, _LONGEST)))
            formula = r"(1 {} \lambda q \operatorname{{se}} / m)^{{-1 / \lambda}}"
            note = f"symmetric on the scale of the loss to the power -λ, λ = {figure(power)}"
        else:
            down, up = math.exp(-u), math.exp(u)
            formula, note = r"e^{{{} q \operatorname{{se}} / m}}", "symmetric on the scale of logarithms"
        ends = zip(("low", "high"), "-+" if power == 0 else "+-", (down, up), strict=True)
        steps = tuple(
            Step(end, f"m {formula.format(sign)}", f"{figure(m)} \\cdot {figure(factor)}", m * factor, note)
            for end, sign, factor in ends
        )
        return m * down, m * up, steps

    def _without_skewness(self, t: float) -> _Ends:
        """Both ends, the skewness of the units taken out."""
        g = len(self.units)
        most = _SKEWED * math.sqrt(g) / t
        skew = min(max(_skewness(self.units), -most), most)
        up, down = (_without_skew(x, skew, g) for x in (-t, t))
        low, high = self.score - self.error * down, self.score - self.error * up
        note = f"m - se g⁻¹(q), g⁻¹(q) = {figure(down)}: skewness taken out (Hall)"
        steps = (
            Step("gamma", result=skew, note="the skewness of the influence, at most 0.4 √G / q"),
            Step("low", result=low, note=note),
            Step("high", result=high, note=f"m - se g⁻¹(-q), g⁻¹(-q) = {figure(up)}"),
        )
        return low, high, steps

    @property
    def _missing_steps(self) -> tuple[Step, ...]:
        """The step to ρ, if it is not 0."""
        how = "a rule of thumb" if math.isnan(self._measured) else "measured by rounds of folds"
        note = f"the variance that rows miss, since each also trains the models that test others: {how}"
        return (Step("rho", result=self.missing, note=note),) if self.missing else ()

    def with_rare(self, rare: "Spread", each: float, level: float = 0.95) -> Interval:
        """The interval of this loss and that of rare rows, a share of which loses `each`, together."""
        n, rows, upper = len(self.influence), rare.effective_rows(level), upper_share(level)
        hits = rare.score * rows
        low, high = (float(betaincinv(hits + 0.5, rows - hits + 0.5, end)) for end in (1 - upper, upper))
        low, high = low if hits > 0 else 0.0, high if hits < rows else 1.0  # none, or all
        rest, count = self._mean(level, loss=True), round(rare.score * n)
        method = f"Jeffreys for {plural(count, 'row') if count else 'no row'} predicted with probability 0"
        if math.isnan(rest.low):  # the other rows lose the same
            rest = replace(rest, low=self.score, high=self.score)
        else:
            method = f"{rest.method}, and {method}"
        score = self.score + each * rare.score
        down = math.hypot(each * (rare.score - low), self.score - rest.low)
        up = math.hypot(each * (high - rare.score), rest.high - self.score)
        steps = (
            Step("c", result=each, note="the loss of a row predicted with probability 0: -ln 2⁻⁵²"),
            Step("x", result=count, note=f"such rows, of {n:,}"),
            Step("n'", result=rows, note=f"as many independent rows have this standard error{rare.of_units}"),
            Step("q low", result=low, note="Jeffreys, for x n' / n of n'"),
            Step("q high", result=high),
            Step("R", result=self.score, note="the loss of the other rows"),
            *(_renamed(step, {"low": "R low", "high": "R high"}) for step in rest.steps[1:]),
            Step("low", result=score - down, note="c q + R - √((c q - c q low)² + (R - R low)²)"),
            Step("high", result=score + up, note="likewise (Zou and Donner)"),
        )
        return Interval(score - down, score + up, level, method, steps)

    def minus(self, other: "Spread") -> "Spread":
        """The difference of two scores on the same rows; none where it is smaller than rounding errors."""
        score, influence = self.score - other.score, self.influence - other.influence
        size = max(abs(self.score), *(np.abs(each.influence).max(initial=0) for each in (self, other)))
        if max(abs(score), np.abs(influence).max(initial=0)) <= _ROUNDING * size:
            score, influence = 0.0, np.zeros_like(influence)
        return replace(
            self,
            score=score,
            influence=influence,
            support=min(self.support, other.support),
            rounds=self.rounds and other.rounds and self.rounds.minus(other.rounds),
        )

    def paired(self, share: bool) -> "Paired":
        """What this difference of two scores is divided by; `share` if both lie between 0 and 1."""
        n, d = len(self.influence), self.score
        if not share:
            return Paired(d, d, self.error, self.freedom, self.units, self.kind, f"paired t over {self.kind}")
        squares = (self.error * n) ** 2
        if not self.clusters:
            squares *= (n - 1) / n  # Bonett and Price divide by the number of rows
        squares += 2 * (n / self.support) ** 2 + 2 * n * d * d / (n + 2)
        freedom = self.freedom if self.clusters else math.inf
        error = math.sqrt(squares) / (n + 2)
        return Paired(d, d * n / (n + 2), error, freedom, self.units, self.kind, "paired, Bonett–Price", 1.0)


@dataclass(frozen=True, eq=False)
class Paired:
    """A difference of two scores on the same rows, ready to be tested.

    Parameters
    ----------
    difference : the first score minus the second
    centre, error : the middle of its interval, and the standard error of that
    freedom : degrees of freedom of t; infinity for the normal distribution
    units, kind : what the standard error was computed from, and what that is, in words
    method : in words
    most : the largest difference that is possible
    why_not : why no test is valid; empty if there is one
    """

    difference: float
    centre: float
    error: float
    freedom: float
    units: np.ndarray
    kind: str
    method: str
    most: float = math.inf
    why_not: str = ""

    @property
    def ratio(self) -> float:
        """How many standard errors the middle lies above 0; 0 if there is nothing to tell apart."""
        return self.centre / self.error if self.error > 0 else 0.0

    def test(self, level: float = 0.95) -> TestResult:
        """The test of the difference by itself."""
        if self.freedom == math.inf:
            q, p = normal_quantile(level)[0], float(2 * ndtr(-abs(self.ratio)))
        else:
            q, p = _t(self.freedom, level), float(2 * stdtr(self.freedom, -abs(self.ratio)))
        return self.tested(q, p, level)

    def tested(self, q: float, p: float, level: float, among: int = 1) -> TestResult:
        """The result for a quantile and a p-value; `among` differences are tested together."""
        many = f"; {among} differences at once" if among > 1 else ""
        method = self.why_not or f"{self.method}{many}"
        if self.why_not or math.isnan(self.difference):
            nothing = Interval(math.nan, math.nan, level, method)
            return TestResult(self.difference, nothing, math.nan, method, (), self.error)
        why = "largest of all differences under chance alone" if many else "quantile of (1 + level) / 2"
        steps = (
            Step("d", result=self.difference, note="the first minus the second"),
            Step("m", result=self.centre, note="the middle of the interval"),
            Step("se", result=self.error, note=f"from {len(self.units):,} {self.kind}"),
        )
        quantile = q, Step("q", result=q, note=why)
        interval = symmetric(self.centre, self.error, quantile, level, method, steps, "m")
        ratio = rf"\frac{{{figure(self.centre)}}}{{{figure(self.error)}}}"
        t = Step("t", r"\frac{m}{\operatorname{se}}", ratio, self.ratio)
        found = (*steps, t, Step("p", result=p, note=f"of at least |t| by chance alone{many}"))
        interval = interval.within(-self.most, self.most)
        return TestResult(self.difference, interval, p, method, found, self.error)


def simultaneous(pairs: Mapping[str, Paired], level: float = 0.95) -> dict[str, TestResult]:
    """Several differences on the same rows, each tested as one of all.

    All intervals hold at once with probability `level`, and a p-value is the probability that the largest of
    all differences is so large by chance alone (max-t: Hothorn, Bretz and Westfall 2008). So the best of many
    learners is judged as the best of many.
    """
    if len(pairs) < 2:
        return {label: pair.test(level) for label, pair in pairs.items()}
    known = {label: pair for label, pair in pairs.items() if pair.error > 0}
    largest = _largest(list(known.values())) if known else np.zeros(0)
    results = {}
    for label, pair in pairs.items():
        q, p = math.nan, 1.0 if pair.difference == 0 else math.nan
        if label in known:
            q = float(np.quantile(largest, level))
            rarer = len(largest) - int(np.searchsorted(largest, abs(pair.ratio)))
            p = (rarer + 1) / (len(largest) + 1)
        results[label] = pair.tested(q, p, level, len(pairs))
    return results


def _largest(pairs: Sequence[Paired]) -> np.ndarray:
    """The largest |t| of all differences under chance alone, drawn many times, sorted."""
    units = [pair.units - pair.units.mean() for pair in pairs]
    units = [u / (np.linalg.norm(u) or 1) for u in units]
    # one pair may be least sure by groups and another by time; taken as independent, they are tested strictly
    correlation = np.array([[a @ b if len(a) == len(b) else 0.0 for b in units] for a in units])
    np.fill_diagonal(correlation, 1)
    values, vectors = np.linalg.eigh(correlation)
    # the symmetric root: that by eigenvectors alone would turn with them where eigenvalues are alike
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    rng = np.random.default_rng(0)
    t = np.abs(rng.standard_normal((_DRAWS, len(pairs))) @ root).max(axis=1)
    freedom = min(pair.freedom for pair in pairs)
    if math.isfinite(freedom):
        t *= np.sqrt(freedom / rng.chisquare(freedom, _DRAWS))
    return np.sort(t)


def blocks_of(tested: Sequence[int]) -> np.ndarray:
    """The block of each row in order of time: about √n for n rows, each of rows that one model tested.

    >>> blocks_of([7]).tolist()
    [0, 0, 0, 0, 1, 1, 1]
    >>> blocks_of([8, 8]).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    """
    length, found = math.sqrt(sum(tested)), [np.zeros(0, dtype=np.intp)]
    for n in tested:
        before = int(found[-1][-1]) + 1 if len(found) > 1 else 0
        found.append(before + np.arange(n) * max(1, int(n / length)) // n)
    return np.concatenate(found)


def _renamed(step: Step, names: Mapping[str, str]) -> Step:
    return replace(step, label=names.get(step.label, step.label))


def _skewness(units: np.ndarray) -> float:
    centred = units - units.mean()
    spread = math.sqrt(float((centred**2).mean()))
    return float((centred**3).mean()) / spread**3


def _kurtosis(units: np.ndarray) -> float:
    squares = (units - units.mean()) ** 2
    return float((squares**2).mean()) / float(squares.mean()) ** 2


def _without_skew(x: float, skew: float, g: int) -> float:
    """g⁻¹(x) of Hall's transformation; x itself where there is no skewness."""
    if abs(skew) < 1e-6:
        return x
    root = math.sqrt(g)
    return 3 * root / skew * (float(np.cbrt(1 + skew * (x / root - skew / (6 * g)))) - 1)


def _t(freedom: float, level: float) -> float:
    return t_quantile(freedom, level, r"\nu")[0]
