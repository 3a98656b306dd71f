r"""Tri-training: three learners, and what two of them agree on teaches the third (Zhou and Li, 2005).

    start    fit each learner to a bootstrap sample of the labelled rows;   e′ = ½, l′ = 0
    round    for each learner i, with the other two j, k:
               e    share of errors of j and k, over the labelled rows on which they agree
               L    the unlabelled rows on which they agree, under that label
               teach i if  e < e′  and  e |L| < e′ l′    (l′ = ⌊e / (e′ - e) + 1⌋ at first)
               where L is too large for that, ⌈e′ l′ / e - 1⌉ rows of it are drawn
             fit those that are taught to the labelled rows and L;   e′ = e, l′ = |L|

until a round teaches none. The condition keeps the noise of the new labels below what the additional rows
outweigh. The answer is the mean of the three learners' probabilities (the paper: their majority). Bootstrap
samples are drawn class by class, so that none lacks a class. Missing cells are the learner's affair.

decided : class codes of each learner (n_rows,)
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from openbook.border.not_taken import Declared
from openbook.border.rows import UNLABELLED, Chunk, none_labelled
from openbook.data.combine import stacked_rows
from openbook.ensemble.averaging import AveragingClassifier
from openbook.ensemble.bagging import drawn_by_class
from openbook.ensemble.members import copied, decided, fitted, gathered
from openbook.label.assumptions import out_of_fold, right_often
from openbook.label.in_rounds import InRounds
from openbook.tree import DecisionTreeClassifier
from openbook.work import Grid, Work


class TriTrainingRound(NamedTuple):
    """A round: for each learner the error of the other two, and the rows they taught it (0 for none)."""

    error_1: float
    taught_1: int
    error_2: float
    taught_2: int
    error_3: float
    taught_3: int


class TriTraining(Declared, InRounds, AveragingClassifier):
    """Tri-training: three learners, of which two teach the third what they agree on.

    It needs neither probabilities nor views. It helps where two learners that agree are right often enough,
    and the three differ: with few labels they differ little, and so can err alike.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What the three are copies of; None for a full-grown `DecisionTreeClassifier`.
    max_iter : int, default=30
        The most rounds.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list
        The three learners.
    transduction_ : ndarray of shape (n_rows,)
        The given label of each row, or the one that the three decide for.
    n_iter_ : int
        The number of rounds.
    rounds_ : list of TriTrainingRound
        What happened in each round, which `work` shows.
    termination_condition_ : str
        "no_change" or "max_iter"; "all_labeled" where no row was unlabelled.

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    References
    ----------
    Zhou and Li (2005), Tri-training: exploiting unlabeled data using three classifiers.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [8.0], [9.0], [10.0], [1.5], [8.5]]
    >>> y = ["low", "low", "low", "high", "high", "high", None, None]
    >>> model = TriTraining(random_state=0).fit(X, y)
    >>> model.transduction_.tolist()[-2:]
    ['low', 'high']
    """

    estimator: Any = None
    max_iter: int = 30
    random_state: Any = None

    _assumes = "agreement"
    _round = TriTrainingRound
    _headings = ("e of 2, 3", "taught to 1", "e of 1, 3", "taught to 2", "e of 1, 2", "taught to 3")
    _needs_proba = False

    def _learners(self):
        return [DecisionTreeClassifier() if self.estimator is None else self.estimator]

    def _fit(self, rows):
        chunk, random = gathered(rows), check_random_state(self.random_state)
        known = chunk.y != UNLABELLED
        if not known.any():
            raise none_labelled(self.target_)
        labelled, free = (Chunk(chunk.X.take(of), chunk.y[of], chunk.w[of]) for of in (known, ~known))
        samples = [drawn_by_class(random, labelled.y, labelled.w) for _ in range(3)]
        self.estimators_ = [self._taught(labelled, times, random) for times in samples]
        self.rounds_, ended = [], "" if len(free.y) else "all_labeled"
        errors, sizes = [0.5] * 3, [0] * 3
        while not ended:
            lessons = self._lessons(labelled, free, errors, sizes, random)
            figures = [(error, len(taught)) for error, taught, _ in lessons]
            self.rounds_.append(TriTrainingRound(*(figure for pair in figures for figure in pair)))
            for i, (error, taught, labels) in enumerate(lessons):
                if len(taught):
                    X = stacked_rows([labelled.X, free.X.take(taught)])
                    more = Chunk(X, np.r_[labelled.y, labels], np.r_[labelled.w, free.w[taught]])
                    self.estimators_[i] = self._taught(more, more.w, random)
                    errors[i], sizes[i] = error, len(taught)
            if not any(len(taught) for _, taught, _ in lessons):
                ended = "no_change"
            elif len(self.rounds_) == self.max_iter:
                ended = "max_iter"
        labels = chunk.y.copy()
        labels[~known] = self._predict(free.X) if len(free.y) else ()
        self._labels, self.termination_condition_ = labels, ended

    def _taught(self, chunk, times, random):
        learner = copied(self._learners()[0], random)
        return fitted(learner, chunk.X, self._member_target(chunk.y), np.asarray(times, dtype=float))

    def _lessons(self, labelled, free, errors, sizes, random):
        """For each learner, the error of the other two, and the unlabelled rows and labels they teach it."""
        on_labelled = [decided(member, labelled.X, self.classes_) for member in self.estimators_]
        on_free = [decided(member, free.X, self.classes_) for member in self.estimators_]
        lessons = []
        for i, (before, size) in enumerate(zip(errors, sizes, strict=True)):
            j, k = (other for other in range(3) if other != i)
            error = error_where_agreed(on_labelled[j], on_labelled[k], labelled.y, labelled.w)
            agreed = np.flatnonzero((on_free[j] == on_free[k]) & (on_free[j] >= 0))
            rows = random.permutation(agreed)[: rows_to_teach(error, before, len(agreed), size)]
            rows.sort()
            lessons.append((error, rows, on_free[j][rows]))
        return lessons

    def _evidence(self, rows):
        labelled, random = rows.labelled, check_random_state(0)
        first, second = (out_of_fold(labelled, partial(self._bagged, random)) for _ in range(2))
        agreed = first == second
        right = first[agreed] == labelled.codes[agreed]
        return right_often(right, "on which two copies agree", labelled.largest_share)

    def _bagged(self, random, rows, X):
        return self._asked(decided, rows, X, drawn_by_class(random, rows.codes, np.ones(len(rows.codes))))

    def _work(self):
        rule = Grid(
            "when two learners teach the third",
            (),
            [("error", "e < e′"), ("noise", "e |L| < e′ l′")],
            "e: errors of the two where they agree, among labelled rows; L: the rows they teach; e′, l′: the"
            " same of the last time, at first 0.5 and ⌊e / (e′ - e) + 1⌋",
        )
        parts = (rule, self._rounds_grid(), self._members_grid())
        return Work(f"Tri-training for {self.target_}: how it was fitted", parts, self._ending())


def error_where_agreed(one, other, y, w):
    """The weighted share of errors among the rows on which two learners agree; ½ where there is none.

    >>> error_where_agreed(np.array([0, 1, 1]), np.array([0, 1, 0]), np.array([0, 0, 0]), np.ones(3))
    0.5
    """
    agreed = one == other
    if not agreed.any():
        return 0.5
    return float(w[agreed & (one != y)].sum() / w[agreed].sum())


def rows_to_teach(error, before, available, last):
    """How many of the available rows two learners may teach the third: all, some or none (0).

    >>> rows_to_teach(0.1, 0.5, 100, 0), rows_to_teach(0.1, 0.2, 100, 40), rows_to_teach(0.2, 0.1, 100, 40)
    (4, 79, 0)
    """
    if error >= before:
        return 0
    last = last or math.floor(error / (before - error) + 1)
    if last >= available:
        return 0
    if error * available < before * last:
        return available
    return math.ceil(before * last / error - 1) if last > error / (before - error) else 0
