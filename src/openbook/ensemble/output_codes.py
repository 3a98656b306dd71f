"""Output codes: many classes as two-class problems that correct each other (Dietterich, Bakiri 1995).

    b_cj       0 or 1: the side that class c takes in problem j
    s_c(x)     = mean over j of P_j(b_cj | x), what the members give to the sides of c
    P(c | x)   = s_c / sum_k s_k

The largest s_c wins, the first of equals: it is that of the code nearest to the answers, since with p_j for
P_j(1 | x) it is 1 - mean over j of |b_cj - p_j|.

No problem has all classes on one side, and none repeats or mirrors another; of a few random codes, the one
whose nearest two classes are farthest apart is used. The members handle missing cells.
"""

import math
from abc import abstractmethod
from functools import partial
from typing import Annotated, Any

import numpy as np
from sklearn.utils import check_random_state

from openbook.border.learner import Classifier, class_names
from openbook.border.not_taken import Declared
from openbook.border.rules import Number
from openbook.data import Column, Nominal
from openbook.ensemble.members import OneLearner, copied, fitted, gathered, probabilities
from openbook.fold import each
from openbook.work import Grid, Step, Work

SIDES = np.array(["0", "1"])

#: The number of random codes of which the best is taken.
DRAWS = 50


class TwoClassProblems(OneLearner, Classifier):
    """Several classes as two-class problems, a member each: `code_book_` says the side of each class in each.

    A subclass writes the book (`_code_book`), how a problem is called (`_problem`), and the support of each
    class by the members (`_support`), whose shares are the probabilities.
    """

    code_book_: np.ndarray

    @abstractmethod
    def _code_book(self, rng):
        """The side of each class in each problem, int8 (n_classes, n_problems)."""

    @abstractmethod
    def _problem(self, j):
        """What problem j asks."""

    @abstractmethod
    def _support(self, X):
        """How far the members support each class, (n_rows, n_classes)."""

    def _fit(self, rows):
        rng = check_random_state(self.random_state)
        self.code_book_ = self._code_book(rng)
        grow = partial(self._grown, gathered(rows))
        tasks = [(j, rng.randint(np.iinfo(np.int32).max)) for j in range(self.code_book_.shape[1])]
        self.estimators_ = list(each(tasks, grow))

    def _grown(self, chunk, task):
        """The member of one problem."""
        j, seed = task
        sides = Column(Nominal(self._problem(j), tuple(SIDES)), self.code_book_[chunk.y, j])
        return fitted(copied(self._learners()[0], check_random_state(seed)), chunk.X, sides, chunk.w)

    def _proba(self, X):
        support = self._support(X)
        total = support.sum(axis=1, keepdims=True)
        return np.where(total > 0, support, 1) / np.where(total > 0, total, len(self.classes_))

    def _shares_of(self, labels, proba):
        """The steps from support to probability."""
        return [
            Step(f"P({c})", r"\frac{s_c}{\sum_k s_k}", result=p)
            for c, p in zip(labels, proba.tolist(), strict=True)
        ]

    def _labels_of_members(self):
        return SIDES.tolist()

    def _arrays(self):
        return {"code_book_": self.code_book_}

    def _restore(self, arrays):
        arrays = dict(arrays)
        book = self.code_book_ = arrays.pop("code_book_")
        super()._restore(arrays)
        shape = (len(self.classes_), len(self.estimators_))
        if book.dtype.kind != "i" or book.shape != shape or not np.isin(book, [0, 1]).all():
            raise ValueError("its code book is not one of its classes and members")


class OutputCodeClassifier(Declared, TwoClassProblems):
    """Error-correcting output codes: the class whose code is nearest to the two-class predictions.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What the members are copies of; None for a full-grown `DecisionTreeClassifier`.
    code_size : float, default=1.5
        The number of problems, as a multiple of the number of classes; never so few that two classes must
        share a code, nor more than there are.
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    estimators_ : list
        The fitted member of each problem.
    code_book_ : ndarray of shape (n_classes, n_problems)
        The side of each class in each problem.
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Dietterich and Bakiri (1995), Solving multiclass learning problems via error-correcting output codes.

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("iris").split("species")
    >>> model = OutputCodeClassifier(NaiveBayes(), random_state=0).fit(X, y)
    >>> model.code_book_.shape  # three classes can be parted in three ways only
    (3, 3)
    """

    estimator: Any = None
    code_size: Annotated[float, Number(above=0)] = 1.5
    random_state: Any = None
    n_jobs: int | None = None

    _counts_declared = False  # a class without rows has no say in what its code word teaches the members

    def knobs(self):
        return {"code_size": (1.5, 3.0, 6.0)}

    def _code_book(self, rng):
        return code_book(rng, len(self.classes_), self.code_size)

    def _problem(self, j):
        return f"{self.target_}, bit {j + 1}"

    def _sides(self, X):
        """What each member makes of the two sides, (n_problems, n_rows, 2)."""
        return np.stack([probabilities(member, X, SIDES) for member in self.estimators_])

    def _support(self, X):
        """The mean over the problems of what a class's own side is given, (n_rows, n_classes)."""
        sides = self._sides(X)
        bits = np.arange(len(self.estimators_))
        return np.column_stack([sides[bits, :, code].mean(axis=0) for code in self.code_book_])

    def _work(self):
        labels = class_names(self)
        header = [self.target_, *(f"bit {b + 1}" for b in range(len(self.estimators_)))]
        book = Grid(
            "code", header, [[c, *row] for c, row in zip(labels, self.code_book_.tolist(), strict=True)]
        )
        end = "Each bit is a two-class problem of its own; the nearest code decides."
        return Work(f"Output code for {self.target_}", (book,), end)

    def _work_row(self, X):
        labels = class_names(self)
        ones, support, proba = self._sides(X)[:, 0, 1], self._support(X)[0], self._proba(X)[0]
        rows = [
            [name, p, *codes]
            for name, p, codes in zip(self._names(), ones.tolist(), self.code_book_.T.tolist(), strict=True)
        ]
        grid = Grid("bits", ["bit", "P(1)", *labels], rows)
        formula = r"\frac{1}{B} \sum_j P_j(b_{cj} \mid x)"
        steps = [Step(f"s({c})", formula, result=s) for c, s in zip(labels, support.tolist(), strict=True)]
        steps += self._shares_of(labels, proba)
        end = f"The nearest code: {self.target_} = {labels[proba.argmax()]}."
        return Work(f"Output code for {self.target_}: one prediction", (grid, *steps), end)


def code_book(rng, n_classes, code_size):
    """The code of each class, int8 (n_classes, n_problems): the farthest apart of a few random ones."""
    if n_classes == 1:
        return np.ones((1, 1), dtype=np.int8)
    fewest = 2 * math.ceil(math.log2(n_classes))  # with these, most random codes tell all classes apart
    n_bits = min(max(math.ceil(code_size * n_classes), fewest), 2 ** (n_classes - 1) - 1)
    return max((_random_book(rng, n_classes, n_bits) for _ in range(DRAWS)), key=_separation)


def _random_book(rng, n_classes, n_bits):
    """Distinct columns; the first class always takes side 0, so that none mirrors another."""
    columns: dict[tuple[int, ...], None] = {}  # a set that keeps its order
    while len(columns) < n_bits:
        column = rng.randint(2, size=n_classes - 1)
        if column.any():
            columns[tuple(column.tolist())] = None
    return np.array([(0, *column) for column in columns], dtype=np.int8).T


def _separation(book):
    """In how many problems the nearest two classes differ."""
    differ = (book[:, None, :] != book[None, :, :]).sum(axis=2)
    return differ[np.triu_indices(len(book), k=1)].min()
