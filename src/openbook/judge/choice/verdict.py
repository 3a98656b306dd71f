"""Is there anything to learn? The best learner beside the best baseline.

The best of many learners looks good by luck alone, so `against_baseline` tests all learners together. If the
best is not shown to be better, another learner may be: one that differs from the baseline in fewer rows, and
nearly always for the better. If the metric scores decisions and shows nothing, the log loss and the area
under the ROC curve may still show that the probabilities are informative. One of them is enough, so their
intervals and p-values are Bonferroni's for two.

How many rows might show a difference d that these n rows do not:

    n' = n ((q + z_0.8) / t)²      t = d / se, q what |t| must exceed here; four times in five n' rows do
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scipy.special import ndtri

from openbook.judge.chance.significance import TestResult
from openbook.judge.choice.choose import best_learner
from openbook.judge.choice.comparison import Comparison
from openbook.judge.scores.metrics import Metric
from openbook.words.numbers import p_words, shown
from openbook.work import Step, Work

#: The scores of probabilities that are asked where decisions show nothing.
_PROPER = ("log_loss", "roc_auc")
#: More rows than this are as good as never.
_NEVER = 10_000_000


@dataclass(frozen=True)
class Verdict:
    """Whether anything beats the baseline.

    Attributes
    ----------
    best, baseline : str
        The labels of the best learner and the best baseline.
    metric : Metric
        By which they are compared.
    scores : tuple of (float, float)
        The scores of the two.
    test : TestResult or None
        Their difference, tested as the best of all learners'; None if there is only a baseline.
    learnt : bool
        Whether the best learner, or another, is significantly better.
    rows : int
        How many rows were tested.
    needed : int or None, default=None
        Roughly how many rows might show a difference of this size; None if it has the wrong sign.
    others : tuple of Verdict, default=()
        Other metrics by which a learner is significantly better, where this one shows nothing.
    beaten : str, default=""
        In words, the baseline that the best one is significantly better than; empty if there is none.
    winner : str, default=""
        In words, another learner that is significantly better, where the best is not; empty for none.
    groups : int, default=0
        How many groups the rows belong to; 0 if they belong to none.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> verdict = anything_to_learn(ob.compare([OneR()], *ob.load("iris").split("species"), cv=5))
    >>> verdict.learnt, verdict.best
    (True, 'OneR')
    """

    best: str
    baseline: str
    metric: Metric
    scores: tuple[float, float]
    test: TestResult | None
    learnt: bool
    rows: int
    needed: int | None = None
    others: tuple["Verdict", ...] = field(default=())
    beaten: str = ""
    winner: str = ""
    groups: int = 0

    @property
    def headline(self) -> str:
        """The answer in a sentence or two."""
        if self.test is None:
            return f"Only a baseline was evaluated: {self.baseline}."
        name = self.metric.words
        best, base = (shown(score) for score in self.scores)
        figures = f"{name} {best} against {base}, difference {self.test.change}"
        if not math.isnan(self.test.p_value):
            figures += f" {self.test.interval.ends}, p {p_words(self.test.p_value)}"
        if self.winner:
            best = f"The learner with the best score, {self.best}, is not shown to beat it: {figures}."
            return f"{self.winner[0].upper()}{self.winner[1:]}. {best}"
        if self.learnt:
            return f"The best learner, {self.best}, beats the best baseline, {self.baseline}: {figures}."
        words = f"There is no evidence yet that any model beats the baseline {self.baseline}"
        if self.others:
            found = self.others[0].headline
            words = f"The decisions are not shown to be better than those of {self.baseline} ({figures})"
            return f"{words}, but the probabilities are informative: {found[0].lower()}{found[1:]}"
        if self.needed is None and (self.test.interval.low > 0 or self.test.interval.high < 0):
            words = f"No model is as good as the baseline {self.baseline}"
        if self.beaten:
            words = f"{self.beaten}, but {words[0].lower()}{words[1:]}"
        return f"{words}: the best, {self.best}, has {figures}. {self._rows_needed}"

    @property
    def _rows_needed(self) -> str:
        if self.test is not None and math.isnan(self.test.p_value):
            why = self.test.method.removeprefix("no p-value, ")  # as few rows
            because = f", {why}" if why != self.test.method else ""
            return f"These rows allow no test of the difference{because}."
        if self.needed is None:
            words = "It scores no better than the baseline, so how many rows might show a gain is unknown."
            base = self.baseline
            return f"{words} To take {base} as the model, use --choose {base}." if self.beaten else words
        if self.needed > _NEVER:
            return "The difference is too small for any number of rows to show."
        needed, given, what = self.needed, self.rows, "rows"
        if self.groups:  # more rows of the same groups would not do
            needed, given, what = math.ceil(needed * self.groups / self.rows), self.groups, "groups"
        numbers = f"{_rounded(needed):,} {what} instead of {given:,}"
        return f"Roughly {numbers} might show a difference of this size."

    def work(self) -> Work:
        """How the test came about."""
        parts = () if self.test is None else (self.test.work(),)
        return Work(f"Is there anything to learn? By {self.metric.words}", parts, self.headline)


def anything_to_learn(
    comparison: Comparison, which: "str | Metric | None" = None, alpha: float = 0.05
) -> Verdict:
    """Compare the best learner with the best baseline, corrected for its having been selected as the best.

    Parameters
    ----------
    comparison : Comparison
        Of learners and baselines on the same folds.
    which : str, Metric or None, default=None
        The metric; None takes the first of the evaluations'.
    alpha : float, default=0.05
        The level of the test.

    Returns
    -------
    Verdict

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.tree import C45
    >>> comparison = ob.compare([C45()], *ob.load("wine").split("cultivar"))
    >>> anything_to_learn(comparison).learnt
    True
    """
    function = comparison.metric(which)
    found = _by(comparison, function, alpha)
    if found.learnt or which is not None or function.task != "classification" or function.needs_proba:
        return found
    others = []
    for name in _PROPER:
        proper = comparison.metric(name)
        if all(math.isnan(each.score(proper)) for each in comparison.evaluations.values()):
            continue
        if (other := _by(comparison, proper, alpha, len(_PROPER))).learnt:
            others.append(other)
    return replace(found, others=tuple(others))


def _by(comparison: Comparison, function: Metric, alpha: float, metrics: int = 1) -> Verdict:
    """The verdict by one metric; `metrics` are tried, and one is enough."""
    best, baseline = best_learner(comparison, function), comparison.best_baseline(function)
    scores = comparison[best].score(function), comparison[baseline].score(function)
    rows = len(comparison[best].spread(function).influence)
    groups = comparison[best].n_groups
    tests = _tests(comparison, function, alpha, metrics)
    test = tests.get(best)
    if test is None:
        return Verdict(best, baseline, function, scores, None, learnt=False, rows=rows, groups=groups)
    better = function.better(test.difference, 0)
    learnt = better and test.p_value < alpha and _ranks(comparison, function, best)
    needed, beaten = _needed(test, rows) if better else None, _beaten(comparison, function, alpha, tests)
    winner = "" if learnt else _winner(comparison, function, alpha, tests)
    learnt = learnt or bool(winner)
    return Verdict(best, baseline, function, scores, test, learnt, rows, needed, (), beaten, winner, groups)


def _tests(comparison: Comparison, function: Metric, alpha: float, metrics: int) -> dict[str, TestResult]:
    """Every learner against the best baseline; p-values are adjusted for `metrics` metrics (Bonferroni)."""
    tests = comparison.against_baseline(function, 1 - alpha / metrics)
    if metrics == 1:
        return tests
    note = f"Bonferroni: {metrics} metrics are tested, and one is enough"
    for label, test in tests.items():
        p = min(metrics * test.p_value, 1.0)
        adjusted = Step("p adjusted", result=p, note=note)
        tests[label] = replace(test, p_value=p, steps=(*test.steps, adjusted))
    return tests


def _ranks(comparison: Comparison, function: Metric, label: str) -> bool:
    """Whether the ranking, if the score is of one, is better than chance."""
    return function.name != "roc_auc" or comparison[label].score(function) > 0.5


def _winner(comparison: Comparison, function: Metric, alpha: float, tests: Mapping[str, TestResult]) -> str:
    """The learner of the best score among those that are shown to beat the best baseline, in words."""
    better = [
        label
        for label, test in tests.items()
        if label not in comparison.baselines
        and test.p_value < alpha
        and function.better(test.difference, 0)
        and _ranks(comparison, function, label)
    ]
    if not better:
        return ""
    best = max(better, key=lambda label: abs(tests[label].difference))
    return _beats(comparison, function, best, comparison.best_baseline(function), tests[best].p_value)


def _beaten(comparison: Comparison, function: Metric, alpha: float, tests: Mapping[str, TestResult]) -> str:
    """In words, that the best baseline, one that learns something such as 1R, beats a simpler one."""
    base = comparison.best_baseline(function)
    for label in comparison.baselines:
        if (
            (comparison[base].complexity or 0) > (comparison[label].complexity or 0)
            and (p := tests[label].p_value) < alpha
            and function.better(0, tests[label].difference)
        ):
            return _beats(comparison, function, base, label, p)
    return ""


def _beats(comparison: Comparison, function: Metric, one: str, other: str, p: float) -> str:
    own, its = (shown(comparison[each].score(function)) for each in (one, other))
    return f"{one} beats {other} ({function.words} {own} against {its}, p {p_words(p)})"


def _needed(test: TestResult, rows: int) -> int | None:
    """How many rows show such a difference four times in five."""
    if not test.error > 0 or math.isnan(test.interval.high):
        return None
    q = float(next(step.result for step in test.interval.steps if step.label == "q"))  # type: ignore[arg-type]
    t = abs(test.difference) / test.error
    return math.ceil(rows * ((q + float(ndtri(0.8))) / t) ** 2)


def _rounded(n: int) -> int:
    """Two digits, since more would pretend to know more."""
    step = 10 ** max(0, len(str(n)) - 2)
    return -(-n // step) * step
