r"""Where two models disagree, which of them is right there, and in which segments one is better.

    kappa = (a - e) / (1 - e)    a the share of rows on which they agree, e that which chance would give

On the rows that just one model predicts correctly, McNemar's test compares how many each gets right. For
numbers, the model closer to the truth is right, and the test is the sign test. It compares the models of
these folds; to compare the *learners*, use `openbook.judge.difference`.

Segments are the leaves of a tree over the loss of the first minus that of the second (wrong or not, or the
absolute error), grown on one half of the rows and judged on the other, as in `segments`;
p-values are adjusted by Holm's method. Rows of the first round only, each once.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.data.adjustments import holm
from openbook.errors import DataError, check_returned_by
from openbook.judge.chance.significance import TestResult, mcnemar
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.first_round import FirstRound, row_losses
from openbook.judge.scores.metrics import METRICS, Predictions
from openbook.words.numbers import shown, shown_p
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Work

if TYPE_CHECKING:
    from openbook.judge.errors.honest_tree import Leaf


@dataclass(frozen=True)
class DisagreementSegment:
    """A part of the rows, and the errors of the two models there.

    Parameters
    ----------
    rule : in words
    n : the number of rows that judge it
    losses : the error, or mean absolute error, of each model
    only : the rows on which only the first, and only the second, is right (or closer)
    test : McNemar's, its p-value adjusted for the number of segments
    """

    rule: str
    n: int
    losses: tuple[float, float]
    only: tuple[int, int]
    test: TestResult


@dataclass(frozen=True, repr=False, eq=False)
class Disagreement(ShowsWork):
    """Two models on the same rows; see `disagreement`.

    Attributes
    ----------
    names : tuple of (str, str)
        The names of the two.
    counts : ndarray
        Rows by whether the first (rows) and the second (columns) is right, right first. For numbers the
        closer prediction counts as right; rows on which both are equally close count as right for both.
    kappa : float
        How far they agree beyond chance; for numbers, the correlation of their residuals.
    same, same_wrong : int
        Rows on which they predict the same, and those of them that are wrong.
    only_first, only_second : ndarray
        Positions in X of the rows that just one gets right.
    test : TestResult
        McNemar's.
    segments : tuple of DisagreementSegment
        DisagreementSegments in which one is better, the clearest first.
    left_out : str
        Which rows or columns were not examined, and why.
    classes : bool
        Whether they predict classes.

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR, ZeroR
    >>> X, y = ob.load("iris").split("species")
    >>> both = disagreement(ob.evaluate(ZeroR(), X, y, cv=5), ob.evaluate(OneR(), X, y, cv=5), X)
    >>> both.counts.tolist(), both.same
    ([[48, 2], [93, 7]], 48)
    """

    names: tuple[str, str]
    counts: np.ndarray
    kappa: float
    same: int
    same_wrong: int
    only_first: np.ndarray
    only_second: np.ndarray
    test: TestResult
    segments: tuple[DisagreementSegment, ...]
    left_out: str
    classes: bool

    def work(self) -> Work:
        """The counts, the test and the segments, to print or to show."""
        a, b = self.names
        parts = [self._table()]
        if self.segments:
            loss = "error" if self.classes else "MAE"
            header = ("segment", "rows", f"{loss} {a}", f"{loss} {b}", f"only {a}", f"only {b}", "p (Holm)")
            rows = [
                (one.rule, one.n, *map(shown, one.losses), *one.only, shown_p(one.test.p_value))
                for one in self.segments
            ]
            note = f"Found on other rows than these. {self.segments[0].test.method}. {self.left_out}".rstrip()
            parts.append(Grid("Segments", header, rows, note))
        return Work(f"{a} and {b}", tuple(parts), self._conclusion())

    def _table(self) -> Grid:
        a, b = self.names
        n, words = plural(int(self.counts.sum()), "row"), "right" if self.classes else "closer"
        rows = [(f"{a} {words}", *self.counts[0].tolist()), (f"{a} not", *self.counts[1].tolist())]
        if self.classes:
            note = f"The same prediction on {self.same:,} of {n} (kappa {shown(self.kappa)}),"
            note += f" {self.same_wrong:,} of them wrong."
        else:
            note = f"{n}; equally close counts as both. Correlation of the residuals: {shown(self.kappa)}."
        return Grid("", ("", f"{b} {words}", f"{b} not"), rows, note)

    def _conclusion(self) -> str:
        a, b = self.names
        only_a, only_b = len(self.only_first), len(self.only_second)
        words = "right" if self.classes else "closer"
        end = f"Only {a} is {words} on {only_a:,} rows, only {b} on {only_b:,}: difference {self.test}."
        if not self.segments:
            return f"{end} {self.left_out}"
        better = [
            f"{a if one.only[0] > one.only[1] else b} is better where {one.rule}"
            for one in self.segments
            if one.test.p_value < 0.05
        ]
        return f"{end} {'; '.join(better) or 'No segment favours one significantly'}."


@documented
def disagreement(
    a: Evaluation,
    b: Evaluation,
    X: Any,
    max_depth: int = 2,
    min_rows: int | None = None,
    level: float = 0.95,
    random_state: int = 0,
) -> Disagreement:
    """Compare two models row by row, on the rows that both were tested on.

    Parameters
    ----------
    a, b : Evaluation
        Evaluations on the same rows of the same target.
    X : table-like
        The rows that were evaluated.
    max_depth : int, default=2
        The most conditions of the rule of a segment.
    min_rows : int or None, default=None
        The fewest rows that a segment is found on; None for 5% of a half, and 10 at least.
    level : float, default=0.95
    random_state : int, default=0

    Returns
    -------
    Disagreement

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = ob.load("wine").split("cultivar")
    >>> both = disagreement(ob.evaluate(OneR(), X, y), ob.evaluate(NaiveBayes(), X, y), X)
    >>> both.counts.tolist(), len(both.only_second)
    ([[141, 3], [32, 2]], 32)
    """
    from openbook.judge.errors.honest_tree import honest_leaves

    check_returned_by("evaluate", Evaluation, a=a, b=b)
    tested = FirstRound.of(a, X)
    _check_alike(a, b)
    right_a, right_b = _right(a.one_round, b.one_round)
    losses = [row_losses(each, None)[1] for each in (a, b)]
    halves = tested.halves(random_state)
    leaves, left_out = honest_leaves(tested.table, losses[0] - losses[1], halves, max_depth, min_rows)
    segments = [_segment(leaf, losses, right_a, right_b, level) for leaf in leaves]
    adjusted = holm([one.test.p_value for one in segments]).tolist()
    segments = [
        replace(one, test=replace(one.test, p_value=p)) for one, p in zip(segments, adjusted, strict=True)
    ]
    segments.sort(key=lambda one: one.test.p_value)
    ours, theirs = a.one_round, b.one_round
    same = ours.predicted == theirs.predicted
    return Disagreement(
        names=(a.name, b.name),
        counts=np.array([[(x & y).sum() for y in (right_b, ~right_b)] for x in (right_a, ~right_a)]),
        kappa=_agreement(ours, theirs),
        same=int(same.sum()),
        same_wrong=int((same & ~right_a & ~right_b).sum()),
        only_first=tested.rows[right_a & ~right_b],
        only_second=tested.rows[right_b & ~right_a],
        test=mcnemar(right_a, right_b, level),
        segments=tuple(segments),
        left_out=left_out,
        classes=a.task == "classification",
    )


def _check_alike(a: Evaluation, b: Evaluation) -> None:
    if a.task == "multilabel":
        raise DataError("learners of several labels cannot be compared row by row; compare their scores")
    if _labels(a) != _labels(b):
        raise DataError(f"{a.name} and {b.name} do not predict the same; compare like with like")
    ours, theirs = (np.concatenate([fold.rows for fold in each.first_round]) for each in (a, b))
    if not np.array_equal(ours, theirs):
        what = f"{a.name} and {b.name} were not tested on the same rows"
        raise DataError(f"{what}; evaluate both with the same split")
    if not np.array_equal(a.one_round.truth, b.one_round.truth):
        raise DataError(f"{a.name} and {b.name} were judged by different targets")


def _labels(evaluation: Evaluation) -> list[Any] | None:
    return None if evaluation.classes is None else evaluation.classes.tolist()


def _right(a: Predictions, b: Predictions) -> tuple[np.ndarray, np.ndarray]:
    """Which rows each gets right; for numbers, on which it is at least as close as the other."""
    if a.n_classes:
        return a.truth == a.predicted, b.truth == b.predicted
    off_a, off_b = np.abs(a.truth - a.predicted), np.abs(b.truth - b.predicted)
    return off_a <= off_b, off_b <= off_a


def _agreement(a: Predictions, b: Predictions) -> float:
    """Kappa of the two predictions, or the correlation of the residuals; NaN if there is none."""
    if a.n_classes:
        return METRICS["kappa"](Predictions(a.predicted, b.predicted, None, a.n_classes))
    off_a, off_b = a.truth - a.predicted, b.truth - b.predicted
    if min(np.ptp(off_a), np.ptp(off_b)) == 0:
        return float("nan")
    return float(np.corrcoef(off_a, off_b)[0, 1])


def _segment(
    leaf: "Leaf", losses: list[np.ndarray], right_a: np.ndarray, right_b: np.ndarray, level: float
) -> DisagreementSegment:
    x, y = right_a[leaf.judged], right_b[leaf.judged]
    means = (float(losses[0][leaf.judged].mean()), float(losses[1][leaf.judged].mean()))
    only = (int((x & ~y).sum()), int((y & ~x).sum()))
    return DisagreementSegment(leaf.rule, len(x), means, only, mcnemar(x, y, level))
