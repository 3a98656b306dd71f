"""Every learner against every other, on the same folds: a matrix of differences and their p-values.

Differences to the best baseline are tested together, as in the table of a comparison. The p-values of the
other pairs are adjusted by Holm's method for their number. A difference is the row's score minus the
column's; learners stand in the order of their scores, and are called by their number in it where names would
take too much room.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from openbook.draw import Picture
from openbook.draw.letters import fitting, safe, text, width_of
from openbook.draw.plot import legend
from openbook.errors import ParameterError, check_named
from openbook.judge.chance.significance import TestResult
from openbook.judge.scores.metrics import Metric
from openbook.words.numbers import p_words, shown, shown_p
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Work

#: Width and height of a cell of the picture, and the most width for a name.
_WIDE, _HIGH, _NAME_WIDTH = 62, 38, 240


@dataclass(frozen=True, repr=False, eq=False)
class Pairs(ShowsWork):
    """The tests of all pairs of learners.

    Attributes
    ----------
    scores : mapping of str to float
        The score of each learner, the best first.
    metric : Metric
        The score.
    tests : mapping of tuple of (str, str) to tuple of (TestResult, float)
        For each pair, the better first, the test and its adjusted p-value.
    baseline : str
        The label of the best baseline.
    words : str, default=""
        How the rows were split.

    Notes
    -----
    Guide: docs/guide/comparing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> pairs = ob.compare([OneR()], *ob.load("iris").split("species"), cv=5).pairs()
    >>> pairs.differing()
    [('OneR', '0R')]
    """

    scores: Mapping[str, float]
    metric: Metric
    tests: Mapping[tuple[str, str], tuple[TestResult, float]]
    baseline: str
    words: str = ""

    def __getitem__(self, pair: tuple[str, str]) -> tuple[TestResult, float]:
        """The first minus the second of two learners: the test, and its adjusted p-value."""
        for label in pair:
            check_named("learner", label, self.scores)
        if pair in self.tests:
            return self.tests[pair]
        if pair[0] == pair[1]:
            raise ParameterError(f"{pair[0]} does not differ from itself; name two learners")
        test, p = self.tests[pair[1], pair[0]]
        return test.negated(), p

    def __len__(self) -> int:
        return len(self.tests)

    def differing(self, alpha: float = 0.05) -> list[tuple[str, str]]:
        """The pairs of which the first is significantly better than the second.

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller p-value is significant.

        Returns
        -------
        list of tuple of (str, str)
        """
        return [self._better_first(pair) for pair, (_, p) in self.tests.items() if p < alpha]

    def _better_first(self, pair: tuple[str, str]) -> tuple[str, str]:
        """The pair in the order of its tested difference, which may not be that of the two scores."""
        return pair if self.metric.better(self.tests[pair][0].difference, 0) else pair[::-1]

    def work(self, alpha: float = 0.05) -> Work:
        """The matrix: differences above the diagonal, p-values below.

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller p-value is significant.

        Returns
        -------
        Work
        """
        names = list(self.scores)
        rows = [
            (
                i + 1,
                name,
                shown(self.scores[name]),
                *(self._cell(names, i, j, alpha) for j in range(len(names))),
            )
            for i, name in enumerate(names)
        ]
        header = ("", "learner", self.metric.words, *map(str, range(1, len(names) + 1)))
        methods = sorted({test.method.partition(";")[0] for test, _ in self.tests.values()})
        split = f"{self.words}; " if self.words else ""
        note = (
            f"{split}tests: {'; '.join(methods)}. Above the diagonal: the row's {self.metric.words} minus the"
            f" column's, * where p < {alpha:g}; below: p{self._adjusted}."
        )
        return Work("All pairs", (Grid("", header, rows, note),), self._conclusion(alpha))

    @property
    def _adjusted(self) -> str:
        """How the p-values are adjusted for their number."""
        others = sum(self.baseline not in pair for pair in self.tests)
        together = len(self) - others
        if len(self) == 1:
            return ""
        words = f", adjusted: the {together} differences to {self.baseline} together"
        return f"{words}, the other {others} pairs by Holm" if others > 1 else words

    def _cell(self, names: list[str], i: int, j: int, alpha: float) -> str:
        if i == j:
            return ""
        test, p = self[names[i], names[j]]
        if i > j:
            return shown_p(p)
        return f"{shown(test.difference, sign='+')}{'*' if p < alpha else ''}"

    def _conclusion(self, alpha: float) -> str:
        found = len(self.differing(alpha))
        if len(self) == 1:
            return f"The two {'differ' if found else 'do not differ'} significantly at {alpha:g}."
        if not found:
            return f"None of the {plural(len(self), 'pair')} differs significantly at {alpha:g}."
        return f"{found} of {plural(len(self), 'pair')} differ significantly at {alpha:g}."

    def draw(self, alpha: float = 0.05) -> Picture:
        """The matrix as a picture, coloured where the row is significantly better or worse.

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller p-value is significant.

        Returns
        -------
        Picture
        """
        names = list(self.scores)
        left = min(_NAME_WIDTH, max(width_of(name, 13) for name in names) + 40)
        above, top = legend([("c0", "row is better"), ("c1", "row is worse"), ("c8", "not significant")])
        numbers = [
            text(left + (j + 0.5) * _WIDE, top + 12, str(j + 1), "soft middle") for j in range(len(names))
        ]
        parts, top = [above, *numbers], top + 20
        for i, name in enumerate(names):
            y = top + i * _HIGH
            parts.append(text(0, y + _HIGH / 2 + 5, str(i + 1), "soft"))
            parts.append(text(22, y + _HIGH / 2 + 5, fitting(name, left - 30, 13), ""))
            for j, other in enumerate(names):
                if i != j:
                    parts += self._square(name, other, left + j * _WIDE, y, alpha)
        title = f"All pairs: {self.metric.words} of the row minus that of the column"
        note = f"p-values below{self._adjusted}; coloured where p < {alpha:g}."
        size = max(left + _WIDE * len(names), 560), top + _HIGH * len(names)
        return Picture(title, f"{self._conclusion(alpha)} {note}", (note,), "".join(parts), *size)

    def _square(self, name: str, other: str, x: float, y: float, alpha: float) -> Iterator[str]:
        test, p = self[name, other]
        colour = "c8"
        if p < alpha:
            colour = "c0" if self.metric.better(test.difference, 0) else "c1"
        words = safe(f"{name} minus {other}: {test}; adjusted p {p_words(p)}")
        yield (
            f'<rect class="region {colour}" x="{x + 1:.1f}" y="{y + 1:.1f}" width="{_WIDE - 2}"'
            f' height="{_HIGH - 2}" rx="3"><title>{words}</title></rect>'
        )
        middle = x + _WIDE / 2
        yield text(middle, y + 17, shown(test.difference, sign="+"), "middle")
        yield text(middle, y + 31, shown_p(p) if not math.isnan(p) else "", "soft middle")
