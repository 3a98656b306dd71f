"""Did more rows help? The same learner with them and without them, on the same test rows.

    difference of a fold = accuracy(rows of the other folds and the rows in question)
                           - accuracy(rows of the other folds alone)

The rows in question are those without a label, or those that an `Asker` requested. All other labelled rows
are divided into repeated, stratified folds and tested. The interval of the mean difference is that of the
corrected resampled t test, which allows for folds that share rows. Rows without a label are never tested,
since their class is unknown. Nor are requested rows: they were selected because they are hard, so they do not
represent the others.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold

from openbook.border.rows import UNLABELLED
from openbook.errors import DataError
from openbook.judge.chance.significance import TestResult, corrected_t_test
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.label.assumptions import AssumptionCheck, ScarceRows, assumption_of, check_takes_unlabelled
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, Work


class _Effect:
    """The difference that some rows make to a learner."""

    learner: str
    test: TestResult

    @property
    def verdict(self) -> str:
        """Whether they "helped" or "hurt", or it "cannot be determined"."""
        interval = self.test.interval
        return "helped" if interval.low > 0 else "hurt" if interval.high < 0 else "cannot be determined"

    def _conclusion(self, rows: str) -> str:
        if self.verdict.startswith("cannot"):
            return f"Whether the {rows} helped {self.learner} {self.verdict}"
        return f"The {rows} {self.verdict} {self.learner}"

    def _scores(self, *rows: tuple[str, int, float]) -> Grid:
        return Grid("accuracy on the same test rows", ("learnt from", "rows", "accuracy"), rows)


@dataclass(frozen=True)
class UnlabelledEffect(_Effect):
    """How much unlabelled rows improved a learner.

    Attributes
    ----------
    learner : str
        Its name.
    n_labelled, n_unlabelled : int
        How many rows had a label, and how many had none.
    with_unlabelled, labelled_alone : float
        The mean accuracy with all rows, and with the labelled ones alone.
    test : TestResult
        The difference, its interval and its p-value.
    assumption : AssumptionCheck or None, default=None
        What the learner assumes, and whether the rows support it.

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    Examples
    --------
    >>> from openbook.judge import corrected_t_test
    >>> test = corrected_t_test([0.1, 0.2, 0.1, 0.2], n_train=75, n_test=25)
    >>> UnlabelledEffect("NaiveBayesEM", 100, 900, 0.9, 0.75, test).verdict
    'helped'
    """

    learner: str
    n_labelled: int
    n_unlabelled: int
    with_unlabelled: float
    labelled_alone: float
    test: TestResult
    assumption: AssumptionCheck | None = None

    def __str__(self) -> str:
        conclusion = self._conclusion(plural(self.n_unlabelled, "unlabelled row"))
        return (
            f"{conclusion}: accuracy {self.with_unlabelled:.3f} with them, {self.labelled_alone:.3f} with the"
            f" {plural(self.n_labelled, 'labelled row')} alone; difference {self.test}."
            f"{'' if self.assumption is None else f' {self.assumption}'}"
        )

    def work(self) -> Work:
        """How the difference was found, and what it takes for unlabelled rows to help.

        Returns
        -------
        Work
        """
        scores = self._scores(
            ("all rows", self.n_labelled + self.n_unlabelled, self.with_unlabelled),
            ("labelled rows alone", self.n_labelled, self.labelled_alone),
        )
        random = "labels are missing at random: test rows are like unlabelled ones"
        assumed = [(random, "not checked", "")]
        if self.assumption is not None:
            assumed.insert(0, (self.assumption.assumption, self.assumption.verdict, self.assumption.evidence))
        grid = Grid("assumptions", ("assumption", "verdict", "evidence"), assumed)
        return Work(f"Unlabelled rows: {self.learner}", (scores, self.test.work(), grid), str(self))


@documented
def unlabelled_effect(
    model: Any, X: Any, y: Any, cv: int = 5, repeats: int = 10, level: float = 0.95, random_state: Any = 0
) -> UnlabelledEffect:
    """Compare a semi-supervised learner with the same learner on the labelled rows alone.

    Parameters
    ----------
    model : estimator
        A learner of `openbook.label`; it is copied, not fitted.
    X : table-like
    y : array-like or str
        The target, missing where a row is unlabelled; or the name of a column of X.
    cv : int, default=5
        The number of folds; fewer where a class has fewer labelled rows.
    repeats : int, default=10
    level : float, default=0.95
    random_state : int, RandomState or None, default=0

    Returns
    -------
    UnlabelledEffect

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.label import NaiveBayesEM
    >>> X, y = load("iris").split("species")
    >>> labels = [label if i % 6 == 0 else None for i, label in enumerate(y)]
    >>> effect = unlabelled_effect(NaiveBayesEM(), X, labels, repeats=1)
    >>> effect.n_labelled, effect.n_unlabelled
    (25, 125)
    """
    check_takes_unlabelled(model)
    rows = ScarceRows.of(X, y)
    known, free = rows.known, np.flatnonzero(rows.codes == UNLABELLED)
    if not len(free):
        raise DataError("the comparison needs unlabelled rows, and every row has a label")
    found = _compared(model, rows, known, free, (cv, repeats, level, random_state))
    name = type(model).__name__
    return UnlabelledEffect(name, len(known), len(free), *found, assumption_of(model, rows))


@dataclass(frozen=True)
class AskedEffect(_Effect):
    """How much the rows that were asked for improve a learner.

    Attributes
    ----------
    learner : str
        Its name.
    n_others, n_asked : int
        The numbers of labelled rows that were not requested, and that were.
    with_asked, others_alone : float
        The mean accuracy with all labelled rows, and without those that were asked for.
    test : TestResult
        The difference, its interval and its p-value.

    Notes
    -----
    Guide: docs/guide/asking.md

    Examples
    --------
    >>> from openbook.judge import corrected_t_test
    >>> test = corrected_t_test([0.1, 0.2, 0.1, 0.2], n_train=75, n_test=25)
    >>> AskedEffect("NaiveBayes", 100, 50, 0.9, 0.75, test).verdict
    'helped'
    """

    learner: str
    n_others: int
    n_asked: int
    with_asked: float
    others_alone: float
    test: TestResult

    def __str__(self) -> str:
        return (
            f"{self._conclusion(plural(self.n_asked, 'requested row'))}: accuracy"
            f" {self.with_asked:.3f} with them, {self.others_alone:.3f} without; difference {self.test}."
            f" Tested on the {plural(self.n_others, 'labelled row')} that were not requested."
        )

    def work(self) -> Work:
        """How the difference was found.

        Returns
        -------
        Work
        """
        scores = self._scores(
            ("all labelled rows", self.n_others + self.n_asked, self.with_asked),
            ("without the requested rows", self.n_others, self.others_alone),
        )
        return Work(f"Requested labels: {self.learner}", (scores, self.test.work()), str(self))


@documented
def asked_effect(
    model: Any,
    X: Any,
    y: Any,
    asked: Any,
    cv: int = 5,
    repeats: int = 10,
    level: float = 0.95,
    random_state: Any = 0,
) -> AskedEffect:
    """Compare a classifier with and without the rows that were asked for, on labelled rows that were not.

    Parameters
    ----------
    model : estimator
        A classifier; it is copied, not fitted.
    X : table-like
    y : array-like or str
        The target, missing where a row has no label; or the name of a column of X.
    asked : sequence of int
        The numbers of the rows that were asked for on purpose. The other labelled rows should be a random
        sample.
    cv : int, default=5
        The number of folds; fewer where a class has fewer rows.
    repeats : int, default=10
    level : float, default=0.95
    random_state : int, RandomState or None, default=0

    Returns
    -------
    AskedEffect

    Notes
    -----
    Guide: docs/guide/asking.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("iris").split("species")
    >>> effect = asked_effect(NaiveBayes(), X, y, asked=range(51, 150, 2), repeats=1)
    >>> effect.n_others, effect.n_asked
    (100, 50)
    """
    rows = ScarceRows.of(X, y)
    chosen = np.intersect1d(np.asarray(asked, dtype=np.intp), rows.known)
    if not len(chosen):
        raise DataError("the comparison needs labelled rows that were asked for, and there is none")
    others = np.setdiff1d(rows.known, chosen)
    found = _compared(model, rows, others, chosen, (cv, repeats, level, random_state))
    return AskedEffect(type(model).__name__, len(others), len(chosen), *found)


def _compared(
    model: Any, rows: ScarceRows, tested: np.ndarray, more: np.ndarray, how: tuple[int, int, float, Any]
) -> tuple[float, float, TestResult]:
    """The mean accuracies with some more rows and without, in folds of those tested, and their difference."""
    cv, repeats, level, random_state = how
    codes = rows.codes[tested]
    seen = np.unique(codes, return_counts=True)[1]
    if len(seen) < 2 or (folds := min(cv, int(seen.min()))) < 2:
        raise DataError("the comparison tests labelled rows, and needs two classes of at least 2 rows each")
    shares = []
    splits = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
    for train, test in splits.split(tested, codes):
        learnt = np.sort(np.concatenate([tested[train], more])), tested[train]
        shares.append([_accuracy(model, rows.take(some), rows.take(tested[test])) for some in learnt])
    both = np.array(shares)
    n_test = len(tested) / folds
    result = corrected_t_test(both[:, 0] - both[:, 1], len(tested) - n_test, n_test, level)
    result = replace(result, interval=result.interval.within(-1, 1))  # of shares, whatever t says of few rows
    more_rows, alone = both.mean(axis=0).tolist()
    return more_rows, alone, result


def _accuracy(model: Any, learnt: ScarceRows, tested: ScarceRows) -> float:
    with collected_warnings():  # of models that are thrown away
        return float((clone(model).fit(learnt.X, learnt.y).predict(tested.X) == tested.y).mean())
