"""0R: uses no attribute. Any other learner must beat it.

    majority   the class of the largest share; ties: the first
    uniform    a class at random, each as likely as the other; right with probability 1 / n_classes
    prior      a class at random, as often as it occurs; right with probability sum_c P(c)^2

The probabilities are the classes' shares of the rows, or 1 / n_classes each for "uniform". Missing cells do
not matter, since no cell does.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from sklearn.utils import check_random_state

from openbook.border.folding import Folding
from openbook.border.learner import Classifier, class_names
from openbook.border.not_taken import Declared
from openbook.border.rules import OneOf
from openbook.data import Text
from openbook.fold import Statistics
from openbook.kernels.counts import class_weights
from openbook.words.numbers import figure, fraction
from openbook.work import Step, Work


@dataclass(frozen=True)
class ClassWeights(Statistics):
    """The weight of each class, (n_classes,)."""

    classes: np.ndarray


class ZeroR(Declared, Folding, Classifier):
    """0R: predict from the classes alone, without looking at any attribute.

    Parameters
    ----------
    strategy : {"majority", "uniform", "prior"}, default="majority"
        "majority" predicts the most frequent class. "uniform" draws a class at random, each with the same
        probability; "prior" draws it with its share among the training rows.
    random_state : int, RandomState or None, default=None
        Random seed of the strategies that draw at random.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    prior_ : ndarray
        The share of each class.
    statistics_ : ClassWeights
        The weight of each class.

    Notes
    -----
    Guide: docs/guide/baselines.md

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> print(ZeroR().fit(X, y).work()["expected accuracy"].result)
    0.6428571428571429
    """

    _accepts = (*Classifier._accepts, Text)

    strategy: Annotated[str, OneOf("majority", "uniform", "prior")] = "majority"
    random_state: Any = None
    _scores_poorly = True  # a baseline

    def _step(self):
        return partial(_class_weights, len(self.classes_))

    def _zero(self):
        return ClassWeights(np.zeros(len(self.classes_)))

    def _solve(self):
        weights = self.statistics_.classes
        self.prior_ = weights / weights.sum()
        self._answer = np.full(len(weights), 1 / len(weights)) if self.strategy == "uniform" else self.prior_

    def _proba(self, X):
        return np.repeat(self._answer[None, :], len(X), axis=0)

    def predict(self, X):
        """The most frequent class, or one drawn at random.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        if self.strategy == "majority":
            return super().predict(X)
        proba = self.predict_proba(X)
        return check_random_state(self.random_state).choice(self.classes_, size=len(proba), p=self._answer)

    def complexity(self):
        return 1

    def _work(self):
        weights, total = self.statistics_.classes.tolist(), self.statistics_.classes.sum()
        labels = class_names(self)
        shares = [
            Step(f"P({self.target_} = {label})", r"\frac{N_c}{N}", fraction(n, total), n / total)
            for label, n in zip(labels, weights, strict=True)
        ]
        best = labels[weights.index(max(weights))]
        parts = (*shares, self._expected(weights, total))
        return Work(f"0R for {self.target_}", parts, f"Most frequent: {self.target_} = {best}.")

    def _expected(self, weights, total):
        """The accuracy to expect on rows like these."""
        shares = [n / total for n in weights]
        if self.strategy == "majority":
            return Step("expected accuracy", r"\max_c P(c)", result=max(shares))
        if self.strategy == "uniform":
            return Step("expected accuracy", r"\frac{1}{k}", fraction(1, len(shares)), 1 / len(shares))
        squares = " + ".join(f"{figure(p)}^2" for p in shares)
        return Step("expected accuracy", r"\sum_c P(c)^2", squares, sum(p * p for p in shares))

    def _work_row(self, X):  # noqa: ARG002 (no row matters)
        return self._work()


def _class_weights(n_classes, chunk):
    """The weight of each class in a chunk."""
    return ClassWeights(class_weights(chunk.y, chunk.w, n_classes))
