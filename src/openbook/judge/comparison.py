"""Learners side by side, on the same folds.

Each is tested against the baseline, and for Occam's choice against the best: the corrected resampled t test
where there are several folds; on one held-out set and under leave-one-out McNemar's test for accuracy and
error, else the paired bootstrap. p-values are adjusted by Holm's method for the number of learners tested.

An ensemble is offered for the choice only where it is significantly better than the best of its single
members, by the same tests; it keeps its place in the ranking.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.judge.evaluation import Evaluation, Which
from openbook.judge.intervals import Interval, shown, shown_p
from openbook.judge.metrics import Metric
from openbook.judge.pairs import Pairs
from openbook.judge.ranks import ranks_of
from openbook.judge.significance import (
    TestResult,
    Tests,
    adjusted,
    corrected_t_test,
    holm,
    mcnemar,
    methods_of,
    p_words,
    paired_bootstrap,
)
from openbook.judge.splits import TINY
from openbook.work import Grid, Work

__all__ = ["Choice", "Comparison", "Row", "difference"]


@dataclass(frozen=True)
class Row:
    """A learner's line: its score, and how it differs from the baseline (None for that itself)."""

    label: str
    score: float
    interval: Interval
    test: TestResult | None
    p_value: float
    complexity: float | None
    rank: float


@dataclass(frozen=True)
class Choice:
    """The learner that Occam's razor leaves, the best one, the reason, and why ensembles were withheld."""

    label: str
    best: str
    reason: str
    withheld: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.reason, *self.withheld.values()])


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """Evaluations on the same folds.

    Parameters
    ----------
    evaluations : mapping of label to Evaluation
    baseline : the label of the one that others are measured against
    ensembles : mapping of the label of an ensemble to those of its single members

    Wherever a metric is asked for, None means the first of the evaluations' metrics.
    """

    evaluations: Mapping[str, Evaluation]
    baseline: str
    ensembles: Mapping[str, Collection[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "evaluations", dict(self.evaluations))
        base = self[self.baseline]
        for label, members in self.ensembles.items():
            for each in (label, *members):
                self[each]
            if not members or (nested := [each for each in members if each in self.ensembles]):
                what = f"{nested[0]} is an ensemble" if members else "there are none"
                raise ParameterError(f"ensembles: {label} needs single members, and {what}")
        for label, evaluation in self.evaluations.items():
            if not same_folds(evaluation, base):
                raise DataError(f"{label} and {self.baseline} were not judged on the same folds")

    def __getitem__(self, label: str) -> Evaluation:
        if label not in self.evaluations:
            raise ParameterError(f"no learner {label!r}. {did_you_mean(label, tuple(self.evaluations))}")
        return self.evaluations[label]

    def metric(self, which: Which = None) -> Metric:
        """The metric meant."""
        return self[self.baseline].metric(which)

    def rows(self, which: Which = None, level: float = 0.95) -> list[Row]:
        """A line for each learner, the best first; of equals the simpler, those of undefined score last."""
        function = self.metric(which)
        tests = self._tests(self.baseline, function, level)
        ranks = self.ranks(function)
        rows = []
        for label, evaluation in self.evaluations.items():
            test, p = tests.get(label, (None, math.nan))
            score, interval = evaluation.score(function), evaluation.interval(function, level)
            rows.append(Row(label, score, interval, test, p, evaluation.complexity, ranks[label]))
        return sorted(rows, key=lambda row: (_loss(function, row.score), _size(row.complexity)))

    def ranks(self, which: Which = None) -> dict[str, float]:
        """Each learner's mean rank over the folds, 1 for the best, ties shared; NaN where one is undefined.

        On one held-out set and under leave-one-out, the rank of the score of all rows together.
        """
        function = self.metric(which)
        everyone = self.evaluations.values()
        by_rows = self[self.baseline].by_rows
        scores = np.array([[e.pooled(function)] if by_rows else e.scores(function) for e in everyone])
        ranks = ranks_of((-scores if function.greater_is_better else scores).T).mean(axis=0)
        return dict(zip(self.evaluations, ranks.tolist(), strict=True))

    def pairs(self, which: Which = None, level: float = 0.95) -> Pairs:
        """Every learner tested against every other, p-values adjusted by Holm for all pairs."""
        function = self.metric(which)
        order = sorted(self.evaluations, key=lambda label: self._order(label, function))
        couples = list(combinations(order, 2))
        if not couples:
            raise ParameterError(f"{self.baseline} is the only learner; pairs need two")
        tests = [difference(self[a], self[b], function, level) for a, b in couples]
        p_values = holm([test.p_value for test in tests]).tolist()
        scores = {label: self[label].score(function) for label in order}
        found = dict(zip(couples, zip(tests, p_values, strict=True), strict=True))
        return Pairs(scores, function, found, self[self.baseline].words)

    def best(self, which: Which = None) -> str:
        """The label of the best score; of equals, the simpler."""
        function = self.metric(which)
        return min(self.evaluations, key=lambda label: self._order(label, function))

    def simplest_not_worse(self, alpha: float = 0.05, which: Which = None) -> Choice:
        """Occam's choice: the simplest learner that is not significantly worse than the best.

        Simplest by the median of `complexity()`; a learner that does not tell its size counts as the largest.
        An ensemble is passed over unless it is significantly better than the best of its members.
        """
        function = self.metric(which)
        best = self.best(function)
        if math.isnan(self[best].score(function)):
            raise DataError(f"{function.name} is undefined for every learner; choose by another metric")
        tests = self._tests(best, function, 0.95)
        withheld = self._withheld(alpha, function)
        alike = {best, *(label for label, (_, p) in tests.items() if p >= alpha)}
        if best in withheld:
            alike.add(withheld[best][0])  # whatever the adjustment, the best did not beat it
        offered = [label for label in self.evaluations if label in alike and label not in withheld]
        chosen = min(
            offered, key=lambda label: (_size(self[label].complexity), *self._order(label, function))
        )
        which = "offered learner" if withheld else "learner"
        reason = self._reason(chosen, best, offered, tests, function, which)
        why_not = {label: _why_not(label, *found, function) for label, found in withheld.items()}
        return Choice(chosen, best, reason, why_not)

    def _order(self, label: str, function: Metric) -> tuple[float, float]:
        return _loss(function, self[label].score(function)), _size(self[label].complexity)

    def _tests(self, against: str, function: Metric, level: float) -> Tests:
        """Every other learner's test against this one, with its adjusted p-value."""
        return adjusted(
            {
                label: difference(evaluation, self[against], function, level)
                for label, evaluation in self.evaluations.items()
                if label != against
            }
        )

    def _withheld(self, alpha: float, function: Metric) -> dict[str, tuple[str, TestResult, float]]:
        """The ensembles that do not beat the best of their members: that one, the test, the adjusted p."""
        rivals = {
            label: min(members, key=lambda each: self._order(each, function))
            for label, members in self.ensembles.items()
        }
        tests = {label: difference(self[label], self[rival], function) for label, rival in rivals.items()}
        return {
            label: (rivals[label], test, p)
            for label, (test, p) in adjusted(tests).items()
            if not (p < alpha and _loss(function, test.difference) < 0)
        }

    def _reason(
        self, chosen: str, best: str, alike: list[str], tests: Tests, function: Metric, which: str
    ) -> str:
        """Why this one, of those `alike` the best that are offered; `which` learners they are, in words."""
        own, top = self[chosen], self[best]
        size = f", complexity {own.complexity:g}" if own.complexity is not None else ""
        words = f"{chosen}, {function.words} {shown(own.score(function))} {own.interval(function)}{size}: "
        several = f"the simplest of the {len(alike)} {which}s that are not significantly worse"
        if not tests:
            words += "the only learner."
        elif alike == [best]:
            words += f"the best; every other {which} is significantly worse."
        elif chosen == best:
            words += f"the best, and {several}."
        else:
            test, p = tests[chosen]
            words += several if len(alike) > 1 else f"the only {which} that is not significantly worse"
            words += (
                f" than the best, {best} ({shown(top.score(function))}); they differ by"
                f" {shown(test.difference, sign='+')} {test.interval}, p {p_words(p)} ({test.method}, Holm)."
            )
        if self.baseline in alike and best != self.baseline:
            words += f" Nothing is significantly better than the baseline, {self.baseline}."
        if (n := len(top.one_round.truth)) < TINY:
            words += f" With {n} rows only a large difference could show."
        return words

    def work(self) -> Work:
        """The table and the choice, to print or to show."""
        function = self.metric()
        against = f"difference to {self.baseline}"
        header = (
            "learner",
            function.words,
            "interval",
            against,
            "interval",
            "p (Holm)",
            "complexity",
            "rank",
        )
        rows = self.rows()
        tests = [row.test for row in rows if row.test is not None]
        note = f"{self[self.baseline].words}; {methods_of([row.interval for row in rows], tests)}"
        grid = Grid("", header, [_cells(row) for row in rows], note.removeprefix("; "))
        defined = not math.isnan(rows[0].score)
        return Work("Comparison", (grid,), str(self.simplest_not_worse()) if defined else "")

    def __repr__(self) -> str:
        return self.work().text()

    def _repr_html_(self) -> str:
        return self.work().html()


def difference(a: Evaluation, b: Evaluation, which: Which = None, level: float = 0.95) -> TestResult:
    """Test whether two learners' scores on the same folds differ: the first minus the second."""
    check_same_folds(a, b)
    function = a.metric(which)
    if not a.by_rows:
        differences = a.scores(function) - b.scores(function)
        return corrected_t_test(differences, a.n_train, a.n_test, level)
    ours, theirs = a.predictions, b.predictions
    if function.name in ("accuracy", "error"):
        test = mcnemar(ours.truth == ours.predicted, theirs.truth == theirs.predicted, level)
        return test if function.name == "accuracy" else test.negated()
    return paired_bootstrap(
        lambda rows: function(ours.take(rows)) - function(theirs.take(rows)), len(ours.truth), level
    )


def check_same_folds(a: Evaluation, b: Evaluation) -> None:
    if not same_folds(a, b):
        raise DataError(
            f"{a.name} and {b.name} were not judged on the same folds; `compare` judges learners on the same"
        )


def same_folds(a: Evaluation, b: Evaluation) -> bool:
    """Whether two learners were tested on the same rows, fold by fold."""
    return len(a.folds) == len(b.folds) and all(
        np.array_equal(x.rows, y.rows) for x, y in zip(a.folds, b.folds, strict=True)
    )


def _loss(function: Metric, score: float) -> float:
    """The score so that less is better, and undefined is worst."""
    if math.isnan(score):
        return math.inf
    return -score if function.greater_is_better else score


def _why_not(label: str, rival: str, test: TestResult, p: float, function: Metric) -> str:
    better = "significantly better" if _loss(function, test.difference) < 0 else "better"
    change = shown(test.difference, sign="+")
    return f"{label} is not offered: it is not {better} than {rival} ({change}, p {p_words(p)})."


def _size(complexity: float | None) -> float:
    return math.inf if complexity is None else complexity


def _cells(row: Row) -> tuple[str, ...]:
    size = "?" if row.complexity is None else f"{row.complexity:g}"
    test: tuple[str, str, str] = ("", "", "")
    if row.test is not None:
        test = shown(row.test.difference, sign="+"), row.test.interval.ends, shown_p(row.p_value)
    return (
        row.label,
        shown(row.score),
        row.interval.ends,
        *test,
        size,
        "" if math.isnan(row.rank) else f"{row.rank:.1f}",
    )
