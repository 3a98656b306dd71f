r"""Is one learner better, or is the difference too small to matter? The Bayesian correlated t test.

The mean difference of two learners over the folds of a cross-validation has, under a flat prior, a Student
distribution as its posterior: k - 1 degrees of freedom, centre m, scale

    s sqrt(1/k + ρ / (1 - ρ)),   ρ = n_test / (n_train + n_test)

where ρ is the correlation of folds that share training rows. The probabilities that the first learner is
worse, that the two are equivalent in practice (the difference lies in -r … r) and that the first is better
add up to one. See Corani and Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on
multiple data sets; Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change.

Where every fold differs by the same amount, the spread cannot be estimated and the probabilities are NaN; two
learners that score alike in every fold are equivalent.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from openbook.draw import Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import DataError, ParameterError, check_returned_by
from openbook.judge.chance.intervals import Interval, around, corrected_error, corrected_steps, upper_share
from openbook.judge.choice.comparison import check_same_folds
from openbook.judge.folds.evaluation import Evaluation, Which
from openbook.judge.scores.metrics import Metric
from openbook.words.numbers import figure, shown, signed
from openbook.words.parameters import documented
from openbook.work import ShowsWork, Step, Work

#: The region of practical equivalence of scores that are shares: one row in a hundred.
ROPE = 0.01

#: What the folds may say, and its colour.
_COLOURS = {"worse": "c1", "equivalent": "c8", "better": "c0"}


@documented
@dataclass(frozen=True, repr=False)
class Posterior(ShowsWork):
    """What the folds say about the mean difference of two learners, the first minus the second.

    Attributes
    ----------
    worse, equivalent, better : float
        Probabilities of the first learner, which add up to one.
    mean, scale : float
        Of the Student distribution.
    dof : int
        Of the Student distribution.
    rope : float
        Half the width of the region of practical equivalence.
    greater_is_better : bool, default=True
        Whether a difference above 0 speaks for the first.
    names : tuple of (str, str), default=("first", "second")
        Of the two learners.
    what : str, default="score"
        The score, in words.
    steps : tuple of Step, default=()
        The steps of the derivation.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> found = correlated_t([0.02, 0.05, 0.01, 0.04], n_train=75, n_test=25)
    >>> round(found.better, 3), found.dof
    (0.877, 3)
    """

    worse: float
    equivalent: float
    better: float
    mean: float
    scale: float
    dof: int
    rope: float
    greater_is_better: bool = True
    names: tuple[str, str] = ("first", "second")
    what: str = "score"
    steps: tuple[Step, ...] = field(default=(), compare=False)

    def interval(self, level: float = 0.95) -> Interval:
        """The range that holds the mean difference with this probability, given the folds.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        Interval
        """
        if not self.scale > 0:
            return Interval(math.nan, math.nan, level, "credible, correlated t")
        q = float(stdtrit(self.dof, upper_share(level)))
        half = q * self.scale
        steps = (
            Step("m", result=self.mean),
            Step.of("h", r"q \cdot \text{scale}", {"q": q, r"\text{scale}": self.scale}, half),
        )
        return around(self.mean, half, level, "credible, correlated t", steps, "m")

    @property
    def verdict(self) -> str:
        """What is at least 95% probable, in words; that nothing is, otherwise."""
        first, second = self.names
        if math.isnan(self.better):
            return "All folds differ by the same amount, so their variance cannot be estimated."
        for p, words in (
            (self.better, f"{first} is better than {second} in practice"),
            (self.worse, f"{first} is worse than {second} in practice"),
            (self.equivalent, f"{first} and {second} are equivalent in practice"),
        ):
            if p >= 0.95:
                return f"{words}: probability {_share(p)}."
        chances = ", ".join(f"{word} {_share(getattr(self, word))}" for word in _COLOURS)
        return f"Undecided whether {first} is better than {second}: no statement is 95% probable ({chances})."

    def work(self) -> Work:
        """How the probabilities came about."""
        title = f"Bayesian correlated t test: {self.what} of {self.names[0]} minus {self.names[1]}"
        return Work(title, self.steps, " ".join(self._notes))

    @property
    def _notes(self) -> tuple[str, ...]:
        return (
            self.verdict,
            f"Mean difference {shown(self.mean, sign='+')} {self.interval()}.",
            f"Equivalent in practice: within ±{shown(self.rope)}.",
        )

    def density(self, x: Any) -> np.ndarray:
        """The Student density of the mean difference at x.

        Parameters
        ----------
        x : array-like
            Differences of the score.

        Returns
        -------
        ndarray
        """
        from scipy.stats import t

        return t.pdf(np.asarray(x, dtype=float), self.dof, self.mean, self.scale)

    def draw(self) -> Picture:
        """The density of the mean difference, with the region of practical equivalence in the middle."""
        if not self.scale > 0:
            raise DataError(f"no density to draw: {self.verdict}")
        reach = float(stdtrit(self.dof, 0.9995)) * self.scale
        low, high = min(self.mean - reach, -1.5 * self.rope), max(self.mean + reach, 1.5 * self.rope)
        ends = np.array([-self.rope, self.rope])
        x = np.sort(np.concatenate([np.linspace(low, high, 241), ends]))
        density = self.density(x)
        plot = Plot(Numbers(f"difference in {self.what}", x), Numbers.between("density", 0, density.max()))
        left, right = ("worse", "better") if self.greater_is_better else ("better", "worse")
        parts = {left: x <= -self.rope, "equivalent": np.abs(x) <= self.rope, right: x >= self.rope}
        for word, part in parts.items():
            plot.band(x[part], 0 * x[part], density[part], _COLOURS[word])
            plot.named(_COLOURS[word], f"{word}: {_share(getattr(self, word))}")
        for end in ends:
            plot.up_at(end)
        plot.line(x, density, "c8")
        title = f"{self.what[0].upper()}{self.what[1:]}: {self.names[0]} minus {self.names[1]}"
        short = self.verdict.partition(":")[0] + "."  # the legend has the probabilities
        return plot.picture(title, (short, *self._notes[1:]), " ".join(self._notes))


def correlated_t(
    differences: Any,
    n_train: float,
    n_test: float,
    rope: float = ROPE,
    greater_is_better: bool = True,
    names: tuple[str, str] = ("first", "second"),
    what: str = "score",
) -> Posterior:
    """The Bayesian correlated t test on the differences of two learners over the same folds.

    Parameters
    ----------
    differences : array-like
        One for each fold, the first minus the second.
    n_train, n_test : float
        Training and test rows of a fold; means if folds differ.
    rope : float, default=0.01
        Differences up to this size do not matter in practice.
    greater_is_better : bool, default=True
        Whether a difference above 0 speaks for the first.
    names : tuple of (str, str), default=("first", "second")
        What to call the two learners.
    what : str, default="score"
        The score, in words.

    Returns
    -------
    Posterior

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> found = correlated_t([0.02, 0.05, 0.01, 0.04], n_train=75, n_test=25)
    >>> round(found.worse, 3), round(found.equivalent, 3), round(found.better, 3)
    (0.032, 0.091, 0.877)
    """
    if not 0 <= rope < math.inf:
        raise ParameterError(f"rope must be a size, 0 or more, in units of the score; got {rope}")
    d = np.asarray(differences, dtype=float)
    k, mean = len(d), float(d.mean()) if len(d) else math.nan
    if k < 2 or math.isnan(mean) or np.ptp(d) <= 1e-12 * np.abs(d).max():
        alike = k > 1 and not d.any()
        worse, equivalent, better = (0.0, 1.0, 0.0) if alike else (math.nan, math.nan, math.nan)
        note = "no fold differs" if alike else "the folds do not vary"
        scale, steps = 0.0, [Step("P(equivalent)", result=equivalent, note=note)]
    else:
        scale = corrected_error(d, n_train, n_test)
        left, right = (float(stdtr(k - 1, (end - rope) / scale)) for end in (-mean, mean))
        equivalent = max(0.0, 1 - left - right)
        worse, better = (left, right) if greater_is_better else (right, left)
        chances = _chances(mean, scale, k - 1, rope, (left, equivalent, right), greater_is_better)
        steps = [*_scale_steps(d, n_train, n_test, scale), *chances]
    return Posterior(
        worse, equivalent, better, mean, scale, k - 1, rope, greater_is_better, names, what, tuple(steps)
    )


def posterior(a: Evaluation, b: Evaluation, which: Which = None, rope: float | None = None) -> Posterior:
    """The Bayesian correlated t test of two learners that were judged on the same folds.

    Parameters
    ----------
    a, b : Evaluation
        Evaluations; the first is compared with the second.
    which : str, Metric or None, default=None
        The metric; None takes the first of a's.
    rope : float or None, default=None
        Differences up to this size do not matter in practice. None takes 0.01 if the score is a share
        (accuracy, error, F1, AUC …); scores with units need a value.

    Returns
    -------
    Posterior

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> comparison = ob.compare([OneR()], *ob.load("iris").split("species"), cv=5)
    >>> posterior(comparison["OneR"], comparison["0R"]).better > 0.99
    True
    """
    check_returned_by("evaluate", Evaluation, a=a, b=b)
    check_same_folds(a, b)
    function = a.metric(which)
    if a.by_rows:
        raise ParameterError(
            "the Bayesian correlated t test needs folds of several rows, and these evaluations have none;"
            " `difference` tests single rows"
        )
    return correlated_t(
        a.scores(function) - b.scores(function),
        a.n_train,
        a.n_test,
        _rope(function) if rope is None else rope,
        function.greater_is_better,
        (a.name, b.name),
        function.words,
    )


def _rope(function: Metric) -> float:
    if (function.lowest, function.highest) != (0, 1):
        raise ParameterError(
            f"{function.words} has no usual region of practical equivalence;"
            f" give rope: the difference in {function.words} that would not matter to you"
        )
    return ROPE


def _scale_steps(d: np.ndarray, n_train: float, n_test: float, scale: float) -> tuple[Step, ...]:
    """The posterior's centre and scale, by way of the correlation of folds."""
    k, s = len(d), float(d.std(ddof=1))
    rho = n_test / (n_train + n_test)
    ratio = r"\frac{n_{\text{test}}}{n_{\text{train}} + n_{\text{test}}}"
    rows = {r"n_{\text{train}}": n_train, r"n_{\text{test}}": n_test}
    spread = r"s \sqrt{\frac{1}{k} + \frac{\rho}{1 - \rho}}"
    return (
        *corrected_steps(d, n_train, n_test)[:3],
        Step.of("ρ", ratio, rows, rho, "the correlation of folds"),
        Step.of("scale", spread, {"s": s, "k": k, r"\rho": rho, r"1 - \rho": 1 - rho}, scale),
    )


def _chances(
    mean: float, scale: float, dof: int, rope: float, chances: tuple[float, float, float], upwards: bool
) -> tuple[Step, ...]:
    """The probabilities of a difference below the region, in it and above it."""
    m, c, r = signed(mean), figure(scale), figure(rope)
    low, high = rf"\frac{{-{r} - {m}}}{{{c}}}", rf"\frac{{{r} - {m}}}{{{c}}}"
    left, right = ("worse", "better") if upwards else ("better", "worse")
    below, within, above = chances
    return (
        Step("r", result=rope, note="half the width of the region of practical equivalence"),
        Step(f"P({left})", r"P(T_{k - 1} < \frac{-r - m}{\text{scale}})", rf"P(T_{{{dof}}} < {low})", below),
        Step(f"P({right})", r"P(T_{k - 1} > \frac{r - m}{\text{scale}})", rf"P(T_{{{dof}}} > {high})", above),
        Step(
            "P(equivalent)",
            rf"1 - P(\text{{{left}}}) - P(\text{{{right}}})",
            f"1 - {figure(below)} - {figure(above)}",
            within,
        ),
    )


def _share(p: float) -> str:
    """A probability in words that do not claim certainty."""
    return "< 0.001" if p < 0.001 else "> 0.999" if p > 0.999 else f"{p:.3f}"
