r"""Which of two classifiers is better, from few labels: only rows on which they disagree are evidence.

    gain = D/N · (b - c)/m

N rows are predicted by both, and D of them differently. Of m of these, drawn at random and labelled, b are
predicted correctly by the later classifier and c by the earlier one. On all other rows both are right or both
are wrong, so no label is spent on them: rows drawn from the whole table would need N/D times as many. The
p-value is McNemar's. The interval of b/(b + c) is the exact one of Clopper and Pearson, so that of the gain
leaves 0 out if and only if p is below 1 - level.

rows : positions, from 0
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from openbook.data import read
from openbook.errors import DataError
from openbook.judge.chance.intervals import Interval, exact
from openbook.judge.chance.significance import TestResult, mcnemar
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Step, Work


@dataclass(frozen=True)
class Gain:
    """What labels of rows that two classifiers predict differently say of the two.

    Attributes
    ----------
    n_rows, n_differ, n_labelled : int
        How many rows both predicted, how many of these differently, and how many of those have a label.
    earlier_right, later_right : int
        How many of the labelled ones each classifier predicts correctly.
    test : TestResult
        The gain in accuracy on all rows predicted, its interval and its p-value.

    Notes
    -----
    Guide: docs/guide/asking.md

    Examples
    --------
    >>> found = DifferingRows(60, np.arange(12), np.full(12, "yes"), np.full(12, "no"))
    >>> gain = found.gain(range(12), ["no"] * 11 + ["yes"])
    >>> gain.verdict, gain.later_right, gain.earlier_right
    ('better', 11, 1)
    """

    n_rows: int
    n_differ: int
    n_labelled: int
    earlier_right: int
    later_right: int
    test: TestResult

    @property
    def verdict(self) -> str:
        """Whether the later classifier is "better" or "worse", or it "cannot be determined"."""
        interval = self.test.interval
        return "better" if interval.low > 0 else "worse" if interval.high < 0 else "cannot be determined"

    def __str__(self) -> str:
        unknown = self.verdict.startswith("cannot")
        subject = "Whether the later classifier is better" if unknown else "The later classifier is"
        return (
            f"{subject} {self.verdict}. The two predict {self.n_differ:,} of {plural(self.n_rows, 'row')}"
            f" differently; of {self.n_labelled:,} of these, drawn at random and labelled, the later one is"
            f" right on {self.later_right:,}, the earlier one on {self.earlier_right:,}. Gain in accuracy on"
            f" all {plural(self.n_rows, 'row')}: {self.test}."
        )

    def work(self) -> Work:
        """How the gain was found.

        Returns
        -------
        Work
        """
        return Work("Two classifiers that disagree", (self.test.work(), self.test.interval.work()), str(self))


@dataclass(frozen=True)
class DifferingRows:
    """The rows that two classifiers predict differently.

    Attributes
    ----------
    n_rows : int
        How many rows were predicted.
    rows : ndarray of int
        Those that are predicted differently, in order.
    earlier, later : ndarray
        How each classifier predicts these.

    Notes
    -----
    Guide: docs/guide/asking.md

    Examples
    --------
    >>> found = DifferingRows(10, np.array([3, 5]), np.array(["yes", "no"]), np.array(["no", "yes"]))
    >>> found.gain([3, 5], ["no", "yes"]).test.difference
    0.2
    """

    n_rows: int
    rows: np.ndarray
    earlier: np.ndarray
    later: np.ndarray

    def sample(self, n: int = 20, random_state: Any = None) -> list[int]:
        """Rows to label, at random; fewer than n where no more differ.

        Parameters
        ----------
        n : int, default=20
            How many.
        random_state : int, Generator or None, default=None
            Random seed.

        Returns
        -------
        list of int
        """
        random = np.random.default_rng(random_state)
        return random.choice(self.rows, min(n, len(self.rows)), replace=False).tolist()

    def gain(self, rows: Any, labels: Any, level: float = 0.95) -> Gain:
        """By how much the later classifier is more accurate, over all rows that were predicted.

        Parameters
        ----------
        rows : sequence of int
            Rows that `sample` gave. Which of them are labelled must not depend on who is right.
        labels : sequence
            The label of each.
        level : float, default=0.95
            The confidence level of the interval.

        Returns
        -------
        Gain
        """
        m = len(rows)
        if not m or not np.isin(rows, self.rows).all():
            raise DataError("the gain needs labels of rows that are predicted differently: rows of sample()")
        positions, truth = np.searchsorted(self.rows, rows), np.asarray(labels)
        right = self.later[positions] == truth, self.earlier[positions] == truth
        b, c = (int(some.sum()) for some in right)
        test, differ, n = mcnemar(*right, level=level), len(self.rows), self.n_rows
        part = exact(b, b + c, level) if b + c else Interval(0.0, 1.0, level, "Clopper–Pearson")
        decisive = (b + c) / m if b + c else 1.0
        low, high = (differ / n * decisive * (2 * end - 1) for end in (part.low, part.high))
        ends = tuple(
            Step.of(
                f"{name} of the gain",
                r"\frac{D}{N} s (2 e - 1)",
                {"D": differ, "N": n, "s": decisive, "e": end},
                value,
                "s is the share on which one of the two is right",
            )
            for name, end, value in (("low", part.low, low), ("high", part.high, high))
        )
        gain = Step.of(
            "gain",
            r"\frac{D}{N} d",
            {"D": differ, "N": n, "d": test.difference},
            differ / n * test.difference,
            "rows that both predict alike add nothing",
        )
        interval = replace(part, low=low, high=high, steps=(*part.steps, *ends))
        steps = (
            Step("b", result=b, note="rows that only the later classifier gets right"),
            Step("c", result=c, note="rows that only the earlier one gets right"),
            *test.steps[2:],
            gain,
        )
        test = replace(test, difference=differ / n * test.difference, interval=interval, steps=steps)
        return Gain(n, differ, m, c, b, test)


@documented
def differing_rows(a: Any, b: Any, X: Any) -> DifferingRows:
    """The rows that two classifiers predict differently.

    Parameters
    ----------
    a, b : classifier
        The earlier one and the later one, fitted.
    X : table-like
        Rows that neither has learnt from.

    Returns
    -------
    DifferingRows

    Notes
    -----
    Guide: docs/guide/asking.md

    Examples
    --------
    >>> from openbook.bayes import NaiveBayes
    >>> rows, labels = [[0.0], [1.0], [9.0], [10.0]], ["low", "low", "high", "high"]
    >>> a, b = NaiveBayes().fit(rows, labels), NaiveBayes().fit([*rows, [4.0]], [*labels, "high"])
    >>> differing_rows(a, b, [[1.0], [4.0], [6.0]]).rows.tolist()
    [1]
    """
    table = read(X)
    earlier, later = (np.asarray(model.predict(table)) for model in (a, b))
    rows = np.flatnonzero(earlier != later)
    return DifferingRows(len(table), rows, earlier[rows], later[rows])
