"""Two studies side by side: what may be compared, and how it compares.

    paired      the same rows, with the same truth, in the same folds: learners are tested fold by fold,
                or row by row, as within one study, whatever columns or settings each study used
    intervals   other rows or other folds: each score has its interval, and there is no valid test of the two
    nothing     another task or other classes: the scores answer different questions

In a paired comparison each learner that both studies have is tested, the second study minus the first, and
the best of the one against the best of the other, all together: see `spread`. Learners that predict the same
in both need no test, and do not count.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from openbook.errors import ParameterError, check_returned_by
from openbook.judge.chance.intervals import Interval
from openbook.judge.chance.significance import TestResult, methods_of
from openbook.judge.chance.spread import simultaneous
from openbook.judge.choice.comparison import Comparison, paired, same_folds
from openbook.judge.folds.evaluation import Evaluation, Which
from openbook.judge.scores.metrics import Metric
from openbook.words.numbers import shown, shown_p
from openbook.work import Grid, ShowsWork, Work

Basis = Literal["paired", "intervals", "nothing"]
#: The line of the best learners of both.
BEST = "best of each"


@dataclass(frozen=True, repr=False, eq=False)
class SideBySide(ShowsWork):
    """Two Comparisons, and what may validly be said of both.

    Attributes
    ----------
    a, b : Comparison
        Comparisons.
    names : tuple of (str, str)
        Their names.
    metric : Metric
        The score compared.
    level : float
        Of the intervals.
    basis : Basis
        What may be compared: the paired scores, intervals alone, or nothing.
    reason : str
        Why that, in words.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> X, y = ob.load("iris").split("species")
    >>> comparison = ob.compare([OneR()], X, y, cv=5)
    >>> side_by_side(comparison, comparison).basis
    'paired'
    """

    a: Comparison
    b: Comparison
    names: tuple[str, str]
    metric: Metric
    level: float
    basis: Basis
    reason: str

    @property
    def shared(self) -> list[str]:
        """The labels of learners that both have, in the first one's order."""
        return [label for label in self.a.evaluations if label in self.b.evaluations]

    @cached_property
    def tests(self) -> dict[str, TestResult]:
        """The second study minus the first, where they may be paired: by label, and `BEST`."""
        if self.basis != "paired":
            return {}
        couples = {label: (label, label) for label in self.shared}
        best = self.a.best(self.metric), self.b.best(self.metric)
        if best[0] != best[1]:
            couples[BEST] = best
        pairs = {
            label: paired(self.b[ours], self.a[theirs], self.metric)
            for label, (theirs, ours) in couples.items()
            if not _same_predictions(self.a[theirs], self.b[ours], self.metric)
        }
        return simultaneous(pairs, self.level)

    def work(self) -> Work:
        """The scores of both, the tests that are valid, and what may be compared."""
        studies = self.a, self.b
        words = [
            f"{name}: {self._metric(each).words}" for name, each in zip(self.names, studies, strict=True)
        ]
        header = ["learner", *words]
        if self.tests:
            header += [f"{self.names[1]} minus {self.names[0]}", "interval", "p"]
        intervals = [self._interval(each, label) for each in studies for label in each.evaluations]
        note = methods_of(intervals, list(self.tests.values()))
        grid = Grid("", header, [self._row(label) for label in self._labels()], note)
        return Work(" beside ".join(self.names), (grid,), f"{self.reason} {self._found()}".strip())

    def _labels(self) -> Iterator[str]:
        yield from self.shared
        for one, other in ((self.a, self.b), (self.b, self.a)):
            yield from (label for label in one.evaluations if label not in other.evaluations)
        if BEST in self.tests:
            yield BEST

    def _row(self, label: str) -> list[str]:
        if label == BEST and BEST in self.tests:
            best = [(each, each.best(self.metric)) for each in (self.a, self.b)]
            row = [label, *(f"{own}: {self._score(each, own)}" for each, own in best)]
        else:
            row = [label, *(self._score(each, label) for each in (self.a, self.b))]
        if not self.tests:
            return row
        if label in self.tests:
            test = self.tests[label]
            return [*row, shown(test.difference, sign="+"), test.interval.ends, shown_p(test.p_value)]
        same = label in self.shared
        return [*row, "the same" if same else "", "", ""]

    def _score(self, study: Comparison, label: str) -> str:
        if label not in study.evaluations:
            return ""
        return f"{shown(study[label].score(self._metric(study)))} {self._interval(study, label).ends}"

    def _interval(self, study: Comparison, label: str) -> Interval:
        return study[label].interval(self._metric(study), self.level)

    def _metric(self, study: Comparison) -> Metric:
        """The metric compared, or the study's own if its task is another."""
        own = study.metric()
        return self.metric if own.task == self.metric.task else own

    def _found(self) -> str:
        """What the tests say."""
        if self.basis != "paired":
            return ""
        alpha = 1 - self.level
        if not self.tests:
            return "Every learner in both studies makes the same predictions in both."
        found: dict[str, list[str]] = {}
        for label, test in self.tests.items():
            if test.p_value < alpha:
                found.setdefault(self.names[self.metric.better(test.difference, 0)], []).append(label)
        if not found:
            return f"No difference is significant at {alpha:.2g}."
        better = "; ".join(f"{name} is better with {', '.join(labels)}" for name, labels in found.items())
        return f"Significant at {alpha:.2g}: {better}."


def side_by_side(
    a: Comparison,
    b: Comparison,
    names: tuple[str, str] = ("a", "b"),
    which: Which = None,
    level: float = 0.95,
) -> SideBySide:
    """Set two Comparisons side by side, and say what may validly be compared.

    Parameters
    ----------
    a, b : Comparison
        Comparisons, such as those of two studies.
    names : tuple of (str, str), default=("a", "b")
        What to call them.
    which : str, Metric or None, default=None
        The metric; None takes the first of a's.
    level : float, default=0.95
        Of intervals; tests are at 1 - level.

    Returns
    -------
    SideBySide

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> X, y = ob.load("iris").split("species")
    >>> comparison = ob.compare([OneR()], X, y, cv=5)
    >>> side_by_side(comparison, comparison, names=("spring", "autumn")).names
    ('spring', 'autumn')
    """
    check_returned_by("compare", Comparison, a=a, b=b)
    if names[0] == names[1]:
        raise ParameterError(f"names: both are called {names[0]!r}; give two")
    function = a.metric(which)
    basis, reason = _basis(a[a.baseline], b[b.baseline], names)
    return SideBySide(a, b, names, function, level, basis, reason)


def _basis(a: Evaluation, b: Evaluation, names: tuple[str, str]) -> tuple[Basis, str]:
    """What may be compared, and why."""
    first, second = names
    if a.task != b.task:
        return "nothing", f"These studies cannot be compared: {first} is {a.task}, {second} is {b.task}."
    if a.classes is not None and set(_labels_of(a)) != set(_labels_of(b)):
        odd = min(set(_labels_of(a)) ^ set(_labels_of(b)))
        has, lacks = (first, second) if odd in _labels_of(a) else (second, first)
        why = f"{has} knows the class {odd!r}, {lacks} does not"
        return "nothing", f"These studies cannot be compared: {why}."
    only = "Only the intervals can be compared, and overlapping intervals do not make learners equal:"
    if not np.array_equal(_tested(a), _tested(b)):
        return "intervals", f"{only} the studies tested different rows."
    if not same_folds(a, b):
        advice = "give both the same random_state, folds and repeats for a paired test"
        return "intervals", f"{only} the rows are the same, but not the folds; {advice}."
    if any(x.n_train != y.n_train for x, y in zip(a.folds, b.folds, strict=True)):
        return "intervals", f"{only} the folds were trained on different numbers of rows."
    if not np.array_equal(_texts(a, "truth"), _texts(b, "truth")):
        return "intervals", f"{only} the targets of the rows differ, so the data are different."
    return "paired", "Both were evaluated on the same rows and folds, so the comparisons are paired."


def _labels_of(evaluation: Evaluation) -> list[str]:
    return [] if evaluation.classes is None else [str(label) for label in evaluation.classes]


def _tested(evaluation: Evaluation) -> np.ndarray:
    return np.unique(np.concatenate([fold.rows for fold in evaluation.folds]))


def _texts(evaluation: Evaluation, what: Literal["truth", "predicted"]) -> np.ndarray:
    return evaluation.decoded(getattr(evaluation.predictions, what)).astype(str)


def _same_predictions(a: Evaluation, b: Evaluation, function: Metric) -> bool:
    """Whether two learners predict the same for every row, and score the same in every fold."""
    if not np.array_equal(_texts(a, "predicted"), _texts(b, "predicted")):
        return False
    return np.array_equal(a.scores(function), b.scores(function), equal_nan=True)
