"""One versus the rest: a two-class problem for each class, and the surest member decides.

    s_c(x)     = P_c(1 | x), what the member of class c gives to its own class rather than to all others
               = 1 / (1 + e^-f_c(x)) where the member has a score f_c, such as the distance from a plane
    P(c | x)   = s_c / sum_k s_k

For two classes one problem is enough: s of the second class is the member's output, s of the first 1 minus
that. The largest s_c wins, the first of equals; where no member supports any class, all are equally probable.
A member with neither scores nor probabilities supports a class by 1 or 0. The members handle missing cells.
"""

from typing import Any

import numpy as np
from scipy.special import expit

from openbook.border.learner import class_names
from openbook.border.not_taken import Declared
from openbook.data.attributes import as_text
from openbook.ensemble.members import probabilities
from openbook.ensemble.output_codes import SIDES, TwoClassProblems
from openbook.work import Grid, Step, Work


class OneVsRestClassifier(Declared, TwoClassProblems):
    """One versus the rest around any classifier: one member for each class, and the surest decides.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What the members are copies of; None for a full-grown `DecisionTreeClassifier`.
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    estimators_ : list
        The fitted member of each class; of two classes, that of the second alone.
    code_book_ : ndarray of shape (n_classes, n_problems)
        The side of each class in each problem.
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("iris").split("species")
    >>> model = OneVsRestClassifier(NaiveBayes()).fit(X, y)
    >>> [member.target_ for member in model.estimators_]
    ['species = setosa', 'species = versicolor', 'species = virginica']
    """

    estimator: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    def knobs(self):
        own = self.estimator.knobs() if hasattr(self.estimator, "knobs") else {}
        return {f"estimator__{name}": values for name, values in own.items()}

    def _code_book(self, rng):  # noqa: ARG002 (nothing is drawn)
        n = len(self.classes_)
        return np.array([[0], [1]], dtype=np.int8) if n == 2 else np.eye(n, dtype=np.int8)

    def _problem(self, j):
        own = self.classes_[self.code_book_[:, j] == 1].tolist()[0]
        return f"{self.target_} = {as_text(own)}"

    def _support(self, X):
        ones = np.column_stack([self._one(member, X) for member in self.estimators_])
        return np.column_stack([1 - ones, ones]) if len(self.classes_) == 2 else ones

    def _one(self, member, X):
        """How sure a member is of its own class."""
        if hasattr(member, "decision_function") and len(self.classes_) > 1:
            return expit(member.decision_function(X))
        return probabilities(member, X, SIDES)[:, 1]

    def _restore(self, arrays):
        super()._restore(arrays)
        if not np.array_equal(self.code_book_, self._code_book(None)):
            raise ValueError("its members are not one for each class")

    def _work(self):
        problems = [[self._problem(j), type(m).__name__] for j, m in enumerate(self.estimators_)]
        grid = Grid("problems", ["problem", "learner"], problems)
        works = tuple(member.work() for member in self.estimators_ if hasattr(member, "work"))
        return Work(f"One versus the rest for {self.target_}", (grid, *works), "The surest member decides.")

    def _work_row(self, X):
        labels = class_names(self)
        support, proba = self._support(X)[0], self._proba(X)[0]
        works = [member.work(X) for member in self.estimators_ if hasattr(member, "work")]
        steps = [
            Step(f"s({c})", r"P_c(1 \mid x)", result=s) for c, s in zip(labels, support.tolist(), strict=True)
        ]
        end = f"The surest: {self.target_} = {labels[proba.argmax()]}."
        title = f"One versus the rest for {self.target_}: one prediction"
        return Work(title, (*works, *steps, *self._shares_of(labels, proba)), end)
