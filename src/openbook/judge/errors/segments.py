r"""The segments with the most errors: a shallow tree over the errors, tested on rows that it was not grown
on.

A tree over the errors finds a bad segment in any table by chance. So it is grown on one half of the tested
rows, and its leaves are tested on the other half (an honest tree): every figure except "when found" comes
from rows that did not influence the cuts. Halves are every other fold, so that rows which stay together in a
fold (of one group, of one time) stay together here; where folds are single rows, or there is one only, rows
are drawn.

Each leaf is tested against all other rows of the judging half: wrong predictions by Fisher's exact test,
other losses by Welch's t test; p-values are two-sided and adjusted by Holm's method for the number of leaves.
Rows count as independent, given the models that predicted them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.data.adjustments import holm
from openbook.draw import Picture
from openbook.draw.charts import score_chart
from openbook.judge.chance.intervals import Interval, bootstrap
from openbook.judge.chance.means import welch
from openbook.judge.chance.shares import Share, fisher
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.first_round import FirstRound, row_losses
from openbook.words.numbers import shown, shown_p
from openbook.work import Grid, ShowsWork, Work

if TYPE_CHECKING:
    from openbook.judge.errors.honest_tree import Leaf

_WORDS = {
    "wrong": "error",
    "hamming": "Hamming loss",
    "log_loss": "log loss",
    "absolute": "absolute error",
    "squared": "squared error",
}


@dataclass(frozen=True)
class Segment:
    """A part of the rows, and how the model errs there.

    Parameters
    ----------
    rule : in words; `conditions` are the same as values of `openbook.work.conditions`
    rows : positions in X of all tested rows that it holds for
    n : the number of its rows in the judging half
    error, interval : the error on these rows
    rest : the error on all other rows of the judging half
    ratio : error / rest
    p_value : of the difference, adjusted for the number of segments
    found_error : the error on the rows that the rule was found on, which is too large: the search chose it
    """

    rule: str
    conditions: tuple[Any, ...]
    rows: np.ndarray
    n: int
    error: float
    interval: Interval
    rest: float
    ratio: float
    p_value: float
    found_error: float


@dataclass(frozen=True, repr=False, eq=False)
class Segments(ShowsWork):
    """The segments of a model's errors, the worst first; see `worst_segments`.

    Attributes
    ----------
    name : str
        The name of the learner.
    loss : str
        The loss of a row: "wrong", "log_loss", "absolute" or "squared".
    segments : tuple of Segment
        The segments.
    error : float
        The error on all rows of the judging half.
    n_found, n_judged : int
        Rows of the two halves.
    left_out : str, default=""
        Which rows or columns were not examined, and why; empty if all were.

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = ob.load("breast_cancer").split("diagnosis")
    >>> found = worst_segments(ob.evaluate(NaiveBayes(), X, y, cv=5), X)
    >>> found.n_found + found.n_judged, found.loss
    (569, 'wrong')
    """

    name: str
    loss: str
    segments: tuple[Segment, ...]
    error: float
    n_found: int
    n_judged: int
    left_out: str = ""

    def __iter__(self) -> Iterator[Segment]:
        return iter(self.segments)

    def __len__(self) -> int:
        return len(self.segments)

    def __getitem__(self, i: int) -> Segment:
        return self.segments[i]

    def worse(self, alpha: float = 0.05) -> tuple[Segment, ...]:
        """The segments whose error is significantly above that of the rest.

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller p-value is significant.

        Returns
        -------
        tuple of Segment
        """
        return tuple(one for one in self.segments if one.p_value < alpha and one.error > one.rest)

    def draw(self) -> Picture:
        """The error of each segment with its interval, the worst on top; dashed, the error of all rows."""
        numbered = dict(enumerate(self.segments, start=1))
        rows = [
            (f"segment {i}", one.error, one.interval.low, one.interval.high) for i, one in numbered.items()
        ]
        about = f"{self.name}: errors on {self.n_judged:,} rows that the segments were not found on."
        notes = (about, *(f"{i}: {one.rule}" for i, one in numbered.items()))
        return score_chart("Worst segments", _WORDS[self.loss], rows, self.error, notes)

    def work(self) -> Work:
        """The segments with their tests, to print or to show."""
        words = _WORDS[self.loss]
        header = ["segment", "rows", words, "interval", "the rest", "ratio", "p (Holm)", "when found"]
        rows = [_cells(one) for one in self.segments]
        grids = [Grid("", header, rows, self._note())] if rows else []
        return Work(f"Worst segments of {self.name}", tuple(grids), self._conclusion())

    def _note(self) -> str:
        one = self.segments[0]
        test = "Fisher, exact" if self.loss == "wrong" else "Welch's t"
        note = (
            f"Found on {self.n_found:,} rows, judged on {self.n_judged:,} others, whose {_WORDS[self.loss]}"
            f" is {shown(self.error)}. Intervals: {100 * one.interval.level:g}%, {one.interval.method}."
            f" Tests against the rest: {test}. A segment is chosen for its large error on the rows where it"
            " is found, so use the figures from the others."
        )
        return f"{note} {self.left_out}".rstrip()

    def _conclusion(self) -> str:
        if not self.segments:
            return self.left_out or "No segments were found."
        worse, words = self.worse(), _WORDS[self.loss]
        if not worse:
            return f"No segment's {words} is significantly above that of the rest."
        one = worse[0]
        times = "" if math.isnan(one.ratio) else f", {one.ratio:.1f} times as much"
        here = f"{words} {shown(one.error)} {one.interval.ends}"
        return f"Where {one.rule}: {here} against {shown(one.rest)}{times}."


def worst_segments(
    evaluation: Evaluation,
    X: Any,
    loss: str | None = None,
    max_depth: int = 2,
    min_rows: int | None = None,
    level: float = 0.95,
    random_state: int = 0,
) -> Segments:
    """Find the segments where a model errs most, and test them on other rows.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of a learner; only its first round is used, so that every row counts once.
    X : table-like
        The rows that were evaluated; they may have columns that the model did not see.
    loss : str or None, default=None
        The loss of a row: "wrong" or "log_loss" for classes, "absolute" or "squared" for numbers; None for
        the first.
    max_depth : int, default=2
        The most conditions of a rule.
    min_rows : int or None, default=None
        The fewest rows that a segment is found on; None takes 5% of a half, and 10 at least. Half as many can
        judge it.
    level : float, default=0.95
        Of the intervals.
    random_state : int, default=0
        Random seed for the halves, if rows are drawn.

    Returns
    -------
    Segments

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = ob.load("breast_cancer").split("diagnosis")
    >>> found = worst_segments(ob.evaluate(NaiveBayes(), X, y), X)
    >>> one = found[0]
    >>> one.rule, one.found_error, round(one.error, 3)  # half of the rows it was found on; not of others
    ('worst perimeter > 104.1 and mean concave points <= 0.04435', 0.5, 0.154)
    """
    from openbook.judge.errors.honest_tree import honest_leaves

    loss, losses = row_losses(evaluation, loss)
    tested = FirstRound.of(evaluation, X)
    halves = tested.halves(random_state)
    leaves, left_out = honest_leaves(tested.table, losses, halves, max_depth, min_rows)
    found, judged = (losses[half] for half in halves)
    segments = [_segment(leaf, tested.rows, halves[1], losses, loss, level) for leaf in leaves]
    adjusted = holm([one.p_value for one in segments]).tolist()
    segments = [replace(one, p_value=p) for one, p in zip(segments, adjusted, strict=True)]
    segments.sort(key=lambda one: -one.error)
    error = float(judged.mean())
    return Segments(evaluation.name, loss, tuple(segments), error, len(found), len(judged), left_out)


def _segment(
    leaf: "Leaf", rows: np.ndarray, judging: np.ndarray, losses: np.ndarray, loss: str, level: float
) -> Segment:
    """The figures of a leaf; its p-value is not adjusted yet."""
    inside, outside = losses[leaf.judged], losses[judging & ~leaf.judged]
    if loss == "wrong":
        here, rest = (Share(int(part.sum()), len(part)) for part in (inside, outside))
        interval, p = here.interval(level), fisher(here, rest)
    else:
        interval = bootstrap(lambda draw: float(inside[draw].mean()), len(inside), level)
        p = welch(inside, outside)
    error, other = float(inside.mean()), float(outside.mean())
    return Segment(
        rule=leaf.rule,
        conditions=leaf.conditions,
        rows=np.sort(rows[leaf.grown | leaf.judged]),
        n=len(inside),
        error=error,
        interval=interval,
        rest=other,
        ratio=error / other if other > 0 else math.nan,
        p_value=p,
        found_error=float(losses[leaf.grown].mean()),
    )


def _cells(one: Segment) -> tuple[Any, ...]:
    figures = (one.n, shown(one.error), one.interval.ends, shown(one.rest), shown(one.ratio))
    return one.rule, *figures, shown_p(one.p_value), shown(one.found_error)
