"""Learners over several data sets: their mean ranks, and whether those differ by more than chance.

Two learners are tested by Wilcoxon's signed rank test on the differences of their scores. Of three or more
Friedman's test asks whether any differs (by Iman and Davenport's F); then two of them differ where their mean
ranks lie at least Nemenyi's critical difference apart, which allows for all pairs. `against` tests each
learner against one control instead, which finds more: z = (R_j - R_c) / sqrt(k (k + 1) / 6N), with p-values
adjusted by Holm's method. See `openbook.judge.chance.ranks`.

Each data set counts once, however many rows and folds its score rests on. No score may be missing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr

from openbook.draw import Picture
from openbook.errors import DataError, ParameterError, check_named
from openbook.judge.chance.intervals import normal_quantile, symmetric
from openbook.judge.chance.ranks import Friedman, critical_difference, friedman, ranks_of, wilcoxon
from openbook.judge.chance.significance import TestResult, Tests, holm_adjusted
from openbook.judge.choice.comparison import Comparison
from openbook.judge.choice.rank_line import rank_line
from openbook.judge.folds.evaluation import Which
from openbook.judge.scores.metrics import METRICS, Metric
from openbook.words.numbers import figure, shown
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Step, Work

#: With more learners the table has no room for scores beside the ranks.
_MOST_WITH_SCORES = 6


@documented
@dataclass(frozen=True, repr=False, eq=False)
class OverSets(ShowsWork):
    """The scores of learners on several data sets.

    Attributes
    ----------
    learners, sets : tuple of str
        Their names.
    scores : array-like
        The score of each learner (columns) on each data set (rows).
    greater_is_better : bool, default=True
        Whether more is better.
    what : str, default="score"
        The score, in words.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> over = compare_over_sets({"iris": {"tree": 0.94, "0R": 0.33}, "wine": {"tree": 0.91, "0R": 0.40}})
    >>> over.mean_ranks
    {'tree': 1.0, '0R': 2.0}
    """

    learners: tuple[str, ...]
    sets: tuple[str, ...]
    scores: np.ndarray
    greater_is_better: bool = True
    what: str = "score"

    def __post_init__(self) -> None:
        n, k = len(self.sets), len(self.learners)
        if n < 2 or k < 2:
            raise DataError(f"ranks need two learners on two data sets at least; there are {k} on {n}")
        if (odd := np.argwhere(~np.isfinite(self.scores))).size:
            i, j = odd[0]
            raise DataError(
                f"the {self.what} of {self.learners[j]} on {self.sets[i]} is {self.scores[i, j]};"
                " leave out the learner or the data set, or choose another metric"
            )

    @cached_property
    def ranks(self) -> np.ndarray:
        """Each learner's rank on each data set, 1 for the best, ties shared."""
        return ranks_of(-self.scores if self.greater_is_better else self.scores)

    @cached_property
    def mean_ranks(self) -> dict[str, float]:
        """Each learner's mean rank, the best first."""
        means = zip(self.learners, self.ranks.mean(axis=0).tolist(), strict=True)
        return dict(sorted(means, key=lambda item: item[1]))

    @cached_property
    def friedman(self) -> Friedman:
        """Whether any learner differs."""
        return friedman(self.ranks)

    def critical_difference(self, alpha: float = 0.05) -> float:
        """How far two mean ranks must lie apart to differ (Nemenyi).

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller p-value is significant.

        Returns
        -------
        float
        """
        return critical_difference(len(self.learners), len(self.sets), alpha).result  # type: ignore[return-value]

    def groups(self, alpha: float = 0.05) -> list[tuple[str, ...]]:
        """The largest runs of neighbouring learners whose mean ranks do not differ (Nemenyi).

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller p-value is significant.

        Returns
        -------
        list of tuple of str
        """
        names, means = list(self.mean_ranks), np.array(list(self.mean_ranks.values()))
        ends = np.searchsorted(means, means + self.critical_difference(alpha)).tolist()
        starts = [i for i, end in enumerate(ends) if i == 0 or end > ends[i - 1]]
        return [tuple(names[i : ends[i]]) for i in starts if ends[i] - i > 1]

    def nemenyi(self, a: str, b: str) -> float:
        """The p-value of two learners' mean ranks, good for looking at all pairs.

        Parameters
        ----------
        a, b : str
            The labels of two learners.

        Returns
        -------
        float
        """
        from scipy.stats import studentized_range

        apart = abs(self._mean(a) - self._mean(b)) / self._error
        return float(studentized_range.sf(apart * math.sqrt(2), len(self.learners), np.inf))

    def wilcoxon(self, a: str, b: str, level: float = 0.95) -> TestResult:
        """Wilcoxon's signed rank test of two learners alone, the first minus the second.

        Parameters
        ----------
        a, b : str
            The labels of two learners.
        level : float, default=0.95

        Returns
        -------
        TestResult
        """
        return wilcoxon(self.scores[:, self._position(a)] - self.scores[:, self._position(b)], level)

    def against(self, control: str, level: float = 0.95) -> Tests:
        """Each other learner's mean rank minus the control's, tested; and its p-value adjusted by Holm.

        Parameters
        ----------
        control : str
            The label of the learner that the others are compared with.
        level : float, default=0.95

        Returns
        -------
        Tests
        """
        base, error = self._mean(control), self._error
        others = {label: mean for label, mean in self.mean_ranks.items() if label != control}
        return holm_adjusted({label: _z_test(mean, base, error, level) for label, mean in others.items()})

    @property
    def _error(self) -> float:
        """The standard error of the difference of two mean ranks."""
        k = len(self.learners)
        return math.sqrt(k * (k + 1) / (6 * len(self.sets)))

    def _position(self, label: str) -> int:
        check_named("learner", label, self.learners)
        return self.learners.index(label)

    def _mean(self, label: str) -> float:
        self._position(label)
        return self.mean_ranks[label]

    def work(self, alpha: float = 0.05) -> Work:
        """The ranks, the tests and what follows.

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller p-value is significant.

        Returns
        -------
        Work
        """
        names = list(self.mean_ranks)
        parts: list[Step | Grid | Work] = [self._ranking(names), self._each(names)]
        if len(names) == 2:
            test = self.wilcoxon(names[0], names[1])
            return Work(self._title, (*parts, test.work()), self._of_two(names, test, alpha))
        step = critical_difference(len(names), len(self.sets), alpha)
        parts += [self.friedman.work(), Work("Nemenyi's critical difference", (step,))]
        return Work(self._title, tuple(parts), self._of_many(alpha))

    @property
    def _title(self) -> str:
        return f"{self.what[0].upper()}{self.what[1:]} over {plural(len(self.sets), 'data set')}"

    def _ranking(self, names: Sequence[str]) -> Grid:
        first = (self.ranks == self.ranks.min(axis=1)[:, None]).sum(axis=0)
        rows = [
            (i, name, shown(self.mean_ranks[name]), int(first[self._position(name)]))
            for i, name in enumerate(names, 1)
        ]
        return Grid("", ("", "learner", "mean rank", "best on"), rows, "Ties for the best count for each.")

    def _each(self, names: Sequence[str]) -> Grid:
        """The ranks on each data set, with scores if they fit; learners by their number in the ranking."""
        order = [self._position(name) for name in names]
        narrow = len(names) > _MOST_WITH_SCORES
        cells = np.stack([self.scores, self.ranks], axis=-1)[:, order]
        rows = [
            (name, *(f"{rank:g}" if narrow else f"{shown(score)} ({rank:g})" for score, rank in own))
            for name, own in zip(self.sets, cells, strict=True)
        ]
        title = "Ranks on each data set" if narrow else f"{self.what} (rank) on each data set"
        return Grid(title, ("data set", *map(str, range(1, len(names) + 1))), rows)

    def _of_two(self, names: Sequence[str], test: TestResult, alpha: float) -> str:
        words = f"{names[0]} and {names[1]}: {test}"
        if test.p_value < alpha:
            return f"{words}. They differ."
        few = 2.0 ** (1 - len(self.sets))
        if few > alpha:
            return f"{words}. {plural(len(self.sets), 'data set')} cannot give a p-value below {few:g}."
        return f"{words}. They are not shown to differ."

    def _of_many(self, alpha: float) -> str:
        if math.isnan(self.friedman.p_value):
            return "The learners tie on every data set."
        p = f"Friedman test by Iman–Davenport, p = {self.friedman.p_value:.3g}"
        if self.friedman.p_value >= alpha:
            return f"No learner is shown to differ from the others ({p}): the ranking may be chance."
        names, groups = list(self.mean_ranks), self.groups(alpha)
        words = (
            f"The learners differ ({p}), and {names[0]} ranks best. Two differ where their mean ranks lie"
            f" {self.critical_difference(alpha):.2f} apart (Nemenyi, {100 * (1 - alpha):g}%):"
        )
        if not groups:
            return f"{words} all do."
        if len(groups[0]) == len(names):
            return f"{words} no two do, so it is not shown which ones differ."
        runs = ", ".join(f"{names.index(group[0]) + 1}–{names.index(group[-1]) + 1}" for group in groups)
        return f"{words} all but those within {runs} of the list."

    def draw(self, alpha: float = 0.05) -> Picture:
        """Mean ranks on a line; bars join the learners that do not differ (Nemenyi).

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller p-value is significant.

        Returns
        -------
        Picture
        """
        if len(self.learners) == 2:
            first, second = self.mean_ranks
            test = f"{first} minus {second}: {self.wilcoxon(first, second)}."
        else:
            test = f"Friedman test: {self.friedman}".partition(";")[0] + "."
        title = f"Mean ranks by {self.what} over {plural(len(self.sets), 'data set')}"
        note = f"CD: critical difference ({100 * (1 - alpha):g}%, Nemenyi). Bars: not significant."
        difference = self.critical_difference(alpha)
        return rank_line(self.mean_ranks, self.groups(alpha), difference, title, (test, note))


def compare_over_sets(
    scores: Mapping[str, Any],
    which: Which = None,
    greater_is_better: bool | None = None,
    learners: Sequence[str] | None = None,
) -> OverSets:
    """Compare learners over several data sets.

    Parameters
    ----------
    scores : mapping
        Mapping of data set to a Comparison, or to a mapping of learner to score.
    which : str, Metric or None, default=None
        The metric, by name; None for the one by which the comparisons are ranked. With plain scores it names
        them, and so determines whether more is better.
    greater_is_better : bool or None, default=None
        Whether more is better; None for a metric that knows, and else for more.
    learners : sequence of str or None, default=None
        Those to compare; None takes all that the first data set has.

    Returns
    -------
    OverSets

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> over = compare_over_sets({
    ...     "iris": {"tree": 0.94, "forest": 0.95, "0R": 0.33},
    ...     "wine": {"tree": 0.91, "forest": 0.98, "0R": 0.40},
    ...     "loan": {"tree": 0.72, "forest": 0.70, "0R": 0.70},
    ... })
    >>> over.mean_ranks
    {'forest': 1.5, 'tree': 1.6666666666666667, '0R': 2.8333333333333335}
    """
    if isinstance(which, str):
        check_named("metric", which, METRICS)
        which = METRICS[which]
    function = which
    if not isinstance(scores, Mapping):
        raise DataError("scores must name the data sets: {'iris': {'tree': 0.94, 'forest': 0.95}, …}")
    if comparisons := {name: each for name, each in scores.items() if isinstance(each, Comparison)}:
        if len(comparisons) < len(scores):
            odd = next(name for name in scores if name not in comparisons)
            raise DataError(f"{odd} is not a Comparison, unlike others; give Comparisons or scores, not both")
        function = function or _own_metric(comparisons)
        scores = {
            name: {label: each.score(function) for label, each in comparison.evaluations.items()}
            for name, comparison in comparisons.items()
        }
    names = tuple(next(iter(scores.values()), ()) if learners is None else learners)
    for name, row in scores.items():
        if absent := [label for label in names if label not in row]:
            raise DataError(
                f"{absent[0]} was not evaluated on {name}; name the `learners` that all data sets have"
            )
        if learners is None and (extra := [label for label in row if label not in names]):
            raise DataError(f"only {name} has {extra[0]}; name the `learners` that all data sets have")
    table = np.array([[row[label] for label in names] for row in scores.values()], dtype=float)
    if function is None:
        return OverSets(names, tuple(scores), table, greater_is_better is not False)
    if greater_is_better not in (None, function.greater_is_better):
        more = "more" if function.greater_is_better else "less"
        raise ParameterError(f"of {function.words} {more} is better; leave out greater_is_better")
    return OverSets(names, tuple(scores), table, function.greater_is_better, function.words)


def _own_metric(comparisons: Mapping[str, Comparison]) -> Metric:
    """The metric by which all comparisons are ranked; an error if they differ."""
    own = {name: each.metric() for name, each in comparisons.items()}
    (first, function), *others = own.items()
    for name, other in others:
        if other.name != function.name:
            raise DataError(
                f"{first} is ranked by {function.words} and {name} by {other.words}; say which, as in"
                f" which={function.name!r}"
            )
    return function


def _z_test(mean: float, base: float, error: float, level: float) -> TestResult:
    """The z test that two mean ranks differ, by the normal approximation."""
    apart = mean - base
    z = apart / error
    p = float(2 * ndtr(-abs(z)))
    steps = (
        Step("d", r"R_j - R_c", rf"{figure(mean)} - {figure(base)}", apart),
        Step("se", r"\sqrt{\frac{k (k + 1)}{6 N}}", result=error),
        Step("z", r"\frac{d}{\operatorname{se}}", rf"\frac{{{figure(apart)}}}{{{figure(error)}}}", z),
        Step("p", r"2 \Phi(-|z|)", rf"2 \Phi(-{figure(abs(z))})", p),
    )
    interval = symmetric(apart, error, normal_quantile(level), level, "normal, of mean ranks", steps[:2], "d")
    return TestResult(apart, interval, p, "z test of mean ranks", steps)
