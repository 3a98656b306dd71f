"""Learners side by side, on the same folds.

Each is compared with the best baseline, row by row: see `spread`. The differences are tested together, which
corrects for selecting the best of many learners. An interval excludes 0 exactly if p < 0.05.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from openbook.draw import Picture
from openbook.draw.charts import score_chart
from openbook.errors import DataError, ParameterError, check_named, check_returned_by
from openbook.judge.chance.intervals import Interval
from openbook.judge.chance.ranks import ranks_of
from openbook.judge.chance.significance import TestResult, holm_adjusted, methods_of
from openbook.judge.chance.spread import Paired, simultaneous
from openbook.judge.choice.pairs import Pairs
from openbook.judge.folds.evaluation import Evaluation, Which
from openbook.judge.scores.metrics import Metric
from openbook.judge.scores.positive import FEW_OF_ALL
from openbook.words.numbers import shown, shown_p
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Work


@dataclass(frozen=True)
class RankingRow:
    """A learner's line: its score, and how it differs from the best baseline (None for that itself)."""

    label: str
    score: float
    interval: Interval
    test: TestResult | None
    complexity: float | None
    rank: float

    @property
    def p_value(self) -> float:
        return math.nan if self.test is None else self.test.p_value


@documented
@dataclass(frozen=True, repr=False, eq=False)
class Comparison(ShowsWork):
    """Evaluations on the same folds.

    Attributes
    ----------
    evaluations : mapping of str to Evaluation
        The evaluation of each learner, by its label.
    baseline : str
        The label of the one that others are measured against.
    baselines : collection of str, default=()
        The labels of all baselines, if there are several; learners are compared with the best of them.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> comparison = ob.compare([OneR()], *ob.load("iris").split("species"), cv=5)
    >>> comparison.best(), round(comparison["OneR"].score(), 3)
    ('OneR', 0.94)
    """

    evaluations: Mapping[str, Evaluation]
    baseline: str
    baselines: Collection[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "evaluations", dict(self.evaluations))
        object.__setattr__(self, "baselines", tuple(dict.fromkeys((self.baseline, *self.baselines))))
        base = self[self.baseline]
        for label in self.baselines:
            self[label]
        for label, evaluation in self.evaluations.items():
            if not same_folds(evaluation, base):
                raise DataError(f"{label} and {self.baseline} were not evaluated on the same folds")

    def __getitem__(self, label: str) -> Evaluation:
        check_named("learner", label, self.evaluations)
        return self.evaluations[label]

    def metric(self, which: Which = None) -> Metric:
        """The metric meant.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        Metric
        """
        return self[self.baseline].metric(which)

    def rows(self, which: Which = None, level: float = 0.95) -> list[RankingRow]:
        """A line for each learner, the best first; of equals the simpler, those of undefined score last.

        Parameters
        ----------
        which : str, Metric or None, default=None
        level : float, default=0.95

        Returns
        -------
        list of Row
        """
        function = self.metric(which)
        tests, ranks = self.against_baseline(function, level), self.ranks(function)
        rows = [
            RankingRow(
                label,
                evaluation.score(function),
                evaluation.interval(function, level),
                tests.get(label),
                evaluation.complexity,
                ranks[label],
            )
            for label, evaluation in self.evaluations.items()
        ]
        return sorted(rows, key=lambda row: self.order(row.label, function))

    def best_baseline(self, which: Which = None) -> str:
        """The label of the baseline with the best score.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        str
        """
        function = self.metric(which)
        return min(self.baselines, key=lambda label: self.order(label, function))

    def against_baseline(self, which: Which = None, level: float = 0.95) -> dict[str, TestResult]:
        """Every other learner minus the best baseline, all tested together.

        Parameters
        ----------
        which : str, Metric or None, default=None
        level : float, default=0.95

        Returns
        -------
        dict of str to TestResult
        """
        function = self.metric(which)
        if (function, level) not in self._tested:
            base = self[self.best_baseline(function)]
            pairs = {
                label: paired(evaluation, base, function)
                for label, evaluation in self.evaluations.items()
                if evaluation is not base
            }
            self._tested[function, level] = simultaneous(pairs, level)
        return dict(self._tested[function, level])

    @cached_property
    def _tested(self) -> dict[tuple[Metric, float], dict[str, TestResult]]:
        """The tests made so far, by metric and level."""
        return {}

    def ranks(self, which: Which = None) -> dict[str, float]:
        """Each learner's mean rank over the folds, 1 for the best, ties shared; NaN if one is undefined.

        On one held-out set and under leave-one-out, the rank of the score of all rows together.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        dict of str to float
        """
        function = self.metric(which)
        everyone = self.evaluations.values()
        by_rows = self[self.baseline].by_rows
        scores = np.array([[e.score(function)] if by_rows else e.scores(function) for e in everyone])
        ranks = ranks_of((-scores if function.greater_is_better else scores).T).mean(axis=0)
        return dict(zip(self.evaluations, ranks.tolist(), strict=True))

    def pairs(self, which: Which = None, level: float = 0.95) -> Pairs:
        """Every learner tested against every other.

        A difference to the best baseline has the p-value that `rows` has for it; those of the other pairs are
        adjusted by Holm's method for their number.

        Parameters
        ----------
        which : str, Metric or None, default=None
        level : float, default=0.95

        Returns
        -------
        Pairs
        """
        function = self.metric(which)
        order = sorted(self.evaluations, key=lambda label: self.order(label, function))
        couples = list(combinations(order, 2))
        if not couples:
            raise ParameterError(f"{self.baseline} is the only learner; pairs need two")
        base, known = self.best_baseline(function), self.against_baseline(function, level)
        others = [pair for pair in couples if base not in pair]
        adjusted = holm_adjusted({(a, b): difference(self[a], self[b], function, level) for a, b in others})
        found = {}
        for a, b in couples:
            if base in (a, b):
                test = known[a] if b == base else known[b].negated()
                found[a, b] = test, test.p_value
            else:
                found[a, b] = adjusted[a, b]
        scores = {label: self[label].score(function) for label in order}
        return Pairs(scores, function, found, base, self[self.baseline].words)

    def best(self, which: Which = None) -> str:
        """The label of the best score; of equals, the simpler.

        Parameters
        ----------
        which : str, Metric or None, default=None

        Returns
        -------
        str
        """
        function = self.metric(which)
        return min(self.evaluations, key=lambda label: self.order(label, function))

    def order(self, label: str, function: Metric) -> tuple[float, float]:
        """A learner's loss and complexity: the key by which learners are sorted, the best first.

        Parameters
        ----------
        label : str
            The label of the learner.
        function : Metric
            The metric.

        Returns
        -------
        tuple of (float, float)
        """
        return function.loss(self[label].score(function)), self[label].size

    def draw(self, which: Which = None, level: float = 0.95) -> Picture:
        """Each learner's score between the ends of its interval, the best on top; dashed, the best baseline.

        Parameters
        ----------
        which : str, Metric or None, default=None
        level : float, default=0.95

        Returns
        -------
        Picture
        """
        function, best = self.metric(which), self.best_baseline(which)
        rows = [
            (row.label, row.score, row.interval.low, row.interval.high) for row in self.rows(which, level)
        ]
        better = "higher" if function.greater_is_better else "lower"
        notes = (f"Lines: {100 * level:g}% intervals; {better} is better. Dashed: {best}.",)
        reference = self[best].score(function)
        return score_chart(f"Learners by {function.words}", function.words, rows, reference, notes)

    def work(self) -> Work:
        """The table and the choice, to print or to show."""
        from openbook.judge.choice.choose import choose

        function = self.metric()
        against = f"difference to {self.best_baseline(function)}"
        header = ("learner", function.words, "interval", against, "interval", "p", "complexity", "rank")
        rows = self.rows()
        tests = [row.test for row in rows if row.test is not None]
        note = f"{self[self.baseline].words}; {methods_of([row.interval for row in rows], tests)}"
        note += f" {self[rows[0].label].coverage_remark(function)}"
        grid = Grid("", header, [_cells(row) for row in rows], note.removeprefix("; ").rstrip())
        defined = not math.isnan(rows[0].score)
        return Work("Comparison", (grid,), choose(self).reason if defined else "")


@documented
def difference(a: Evaluation, b: Evaluation, which: Which = None, level: float = 0.95) -> TestResult:
    """Test whether two learners' scores on the same folds differ: the first minus the second.

    Parameters
    ----------
    a : Evaluation
        The evaluation of the first learner.
    b : Evaluation
        The evaluation of the second learner, on the same folds.
    which : str, Metric or None, default=None
    level : float, default=0.95

    Returns
    -------
    TestResult

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> comparison = ob.compare([OneR()], *ob.load("iris").split("species"), cv=5)
    >>> difference(comparison["OneR"], comparison["0R"]).p_value < 0.05
    True
    """
    check_returned_by("evaluate", Evaluation, a=a, b=b)
    return paired(a, b, a.metric(which)).test(level)


#: A loss below this share of what a learner gains over the baseline is little.
_LITTLE = 0.1


def loses_little(comparison: Comparison, label: str, other: Evaluation | None) -> bool:
    """Whether a learner, evaluated in another way on the first round, keeps nearly all its gain over 0R.

    The upper end of the interval of its loss must lie below a tenth of the lower end of its gain. That no
    loss is shown would not be enough.
    """
    if other is None:
        return False
    judged = replace(comparison[label], folds=comparison[label].first_round)
    gain, loss = (
        difference(judged, replace(one, folds=one.first_round)).interval
        for one in (comparison[comparison.baseline], other)
    )
    if comparison.metric().greater_is_better:
        return loss.high < _LITTLE * gain.low
    return loss.low > _LITTLE * gain.high


def paired(a: Evaluation, b: Evaluation, function: Metric) -> Paired:
    """The first learner's score minus the second's, row by row, ready to be tested."""
    check_same_folds(a, b)
    found = a.spread(function).minus(b.spread(function)).paired(function.is_share)
    if a.too_rare:
        return replace(found, why_not=f"no p-value, as {FEW_OF_ALL}")
    return found


def check_same_folds(a: Evaluation, b: Evaluation) -> None:
    if not same_folds(a, b):
        raise DataError(f"{a.name} and {b.name} were not evaluated on the same folds; use `compare`")


def same_folds(a: Evaluation, b: Evaluation) -> bool:
    """Whether two learners were tested on the same rows, fold by fold."""
    return len(a.folds) == len(b.folds) and all(
        np.array_equal(x.rows, y.rows) for x, y in zip(a.folds, b.folds, strict=True)
    )


def _cells(row: RankingRow) -> tuple[str, ...]:
    size = "?" if row.complexity is None else f"{row.complexity:g}"
    rank = "" if math.isnan(row.rank) else f"{row.rank:.1f}"
    test: tuple[str, str, str] = ("", "", "")
    if row.test is not None:
        test = shown(row.test.difference, sign="+"), row.test.interval.ends, shown_p(row.p_value)
    return row.label, shown(row.score), row.interval.ends, *test, size, rank
