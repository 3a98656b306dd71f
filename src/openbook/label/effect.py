"""Did the unlabelled rows help? The same learner with them and without them, on the same test rows.

    difference of a fold = accuracy(labelled and unlabelled rows) - accuracy(labelled rows alone)

Labelled rows are divided into folds, repeatedly and by class. Both models of a fold see the labels of the
other folds, one also sees all unlabelled rows, and both predict the labelled rows of the fold. The interval
of the mean difference is that of the corrected resampled t test, which allows for folds that share rows. Rows
without a label are never tested on: their class is not known.
"""

from dataclasses import dataclass
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

__all__ = ["UnlabelledEffect", "unlabelled_effect"]


@dataclass(frozen=True)
class UnlabelledEffect:
    """What unlabelled rows were worth to a learner.

    Attributes
    ----------
    learner : str
        The name of its class.
    n_labelled, n_unlabelled : int
        How many rows had a label, and how many had none.
    with_unlabelled, labelled_alone : float
        The mean accuracy with all rows, and with the labelled ones alone.
    test : TestResult
        The difference, its interval and its p-value.
    assumption : AssumptionCheck or None, default=None
        What the learner assumes, and what the rows say of it.

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

    @property
    def verdict(self) -> str:
        """Whether they "helped" or "hurt", or it "cannot be determined"."""
        interval = self.test.interval
        return "helped" if interval.low > 0 else "hurt" if interval.high < 0 else "cannot be determined"

    def __str__(self) -> str:
        rows = plural(self.n_unlabelled, "unlabelled row")
        said = {
            "helped": f"The {rows} helped",
            "hurt": f"The {rows} hurt",
            "cannot be determined": f"Whether the {rows} helped cannot be determined",
        }[self.verdict]
        return (
            f"{said}: accuracy {self.with_unlabelled:.3f} with them, {self.labelled_alone:.3f} with the"
            f" {plural(self.n_labelled, 'labelled row')} alone; difference {self.test}."
            f"{'' if self.assumption is None else f' {self.assumption}'}"
        )

    def work(self) -> Work:
        """How the difference was found, and what it takes for unlabelled rows to help.

        Returns
        -------
        Work
        """
        scores = Grid(
            "accuracy on the same test rows",
            ("learnt from", "rows", "accuracy"),
            [
                ("all rows", self.n_labelled + self.n_unlabelled, self.with_unlabelled),
                ("labelled rows alone", self.n_labelled, self.labelled_alone),
            ],
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
    """Compare a learner of unlabelled rows with the same learner on the labelled rows alone.

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
    folds = min(cv, int(np.bincount(rows.codes[known]).min()))
    if folds < 2 or len(rows.labels) < 2 or not len(free):
        msg = "the comparison needs unlabelled rows, and two classes of at least 2 labelled rows each"
        raise DataError(msg)
    splits = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
    shares = []
    for train, test in splits.split(known, rows.codes[known]):
        learnt = np.sort(np.concatenate([known[train], free])), known[train]
        shares.append([_accuracy(model, rows.take(some), rows.take(known[test])) for some in learnt])
    both = np.array(shares)
    n_test = len(known) / folds
    result = corrected_t_test(both[:, 0] - both[:, 1], len(known) - n_test, n_test, level)
    means, name = both.mean(axis=0).tolist(), type(model).__name__
    return UnlabelledEffect(
        name, len(known), len(free), means[0], means[1], result, assumption_of(model, rows)
    )


def _accuracy(model: Any, learnt: ScarceRows, tested: ScarceRows) -> float:
    with collected_warnings():  # of models that are thrown away
        return float((clone(model).fit(learnt.X, learnt.y).predict(tested.X) == tested.y).mean())
