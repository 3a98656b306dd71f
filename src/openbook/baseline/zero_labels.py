r"""0R for several labels: the same set of labels for every row.

    set         the most frequent set, ties: the first; the best constant by subset accuracy
    majority    the labels that more than half of the rows have: the best by Hamming loss
    f1          the k most frequent labels, with k so that micro F1 = 2 Σ_{j≤k} N_j / (k N + Σ_j N_j) is
                largest
    every       every label that occurs: the best by macro F1

N_j of N rows have label j. The probability of a label is its share, N_j / N. No cell is used, so missing
cells do not matter.
"""

from typing import Annotated

import numpy as np

from openbook.border.labels import EVEN, LabelLearner
from openbook.border.not_taken import Declared
from openbook.border.rules import OneOf
from openbook.damage import checked_array, require
from openbook.data import Text
from openbook.words.numbers import figure, fraction
from openbook.work import Step, Work


class ZeroLabels(Declared, LabelLearner):
    """0R of several labels: predict the same set of labels for every row.

    Parameters
    ----------
    strategy : {"set", "majority", "f1", "every"}, default="set"
        "set" predicts the most frequent set of labels, "majority" the labels that more than half of the rows
        have, "f1" the most frequent labels, as many as give the largest micro F1, and "every" all labels.

    Attributes
    ----------
    share_ : ndarray of shape (n_labels,)
        The share of the rows that have each label.
    answer_ : ndarray of shape (n_labels,)
        Whether each label is predicted.
    labels_ : ndarray of shape (n_labels,)
        The labels, in the order of the columns of `predict`.
    separator_ : str
        The separator between the labels of a set.

    Notes
    -----
    Guide: docs/guide/multilabel.md

    Examples
    --------
    >>> X = [{"a": 1}, {"a": 2}, {"a": 3}]
    >>> ZeroLabels().fit(X, ["sport", "sport", "sport|politics"]).predict_sets(X[:1])
    ['sport']
    """

    _accepts = (*LabelLearner._accepts, Text)

    strategy: Annotated[str, OneOf("set", "majority", "f1", "every")] = "set"

    def _learn(self, X, sets, weights):  # noqa: ARG002 (no cell matters)
        weights = np.ones(len(sets)) if weights is None else weights
        self.share_ = weights @ sets.cells / weights.sum()
        self.answer_ = self._constant(sets.cells, weights)

    def _constant(self, cells, weights):
        """Whether each label is predicted."""
        if self.strategy == "set":
            found, which = np.unique(cells, axis=0, return_inverse=True)
            return found[np.bincount(which.ravel(), weights).argmax()]
        if self.strategy == "majority":
            return self.share_ > EVEN
        return self.share_ > 0 if self.strategy == "every" else np.isin(range(len(self.share_)), self._best())

    def _best(self):
        """The most frequent labels, as many as give the largest micro F1."""
        order = np.argsort(-self.share_, kind="stable")
        scores = self._micro_f1(self.share_[order].cumsum(), np.arange(1, len(order) + 1))
        return order[: scores.argmax() + 1]

    def _micro_f1(self, hits, predicted):
        """Of hits and predicted labels per row."""
        return 2 * hits / (predicted + self.share_.sum())

    def _answers(self, X):
        answer, share = (np.repeat(row[None, :], len(X), axis=0) for row in (self.answer_, self.share_))
        return answer, share

    def complexity(self):
        """One figure: the set.

        Returns
        -------
        int
        """
        return 1

    def _work(self):
        shares = [
            Step(f"P({label})", r"\frac{N_j}{N}", result=share)
            for label, share in zip(self.labels_.tolist(), self.share_.tolist(), strict=True)
        ]
        labels = self._sets(self.answer_[None, :]).written()[0] or "none"
        predicted = int(self.answer_.sum())
        if predicted:
            hits = float(self.share_[self.answer_].sum())
            formula = r"\frac{2 \sum_{j \in S} P(j)}{|S| + \sum_j P(j)}"
            numbers = fraction(rf"2 \cdot {figure(hits)}", f"{predicted} + {figure(self.share_.sum())}")
            shares.append(Step("expected micro F1", formula, numbers, self._micro_f1(hits, predicted)))
        return Work(f"0R for {self.target_}", tuple(shares), f"Labels of every row: {labels}.")

    def _work_row(self, X):  # noqa: ARG002 (no row matters)
        return self._work()

    def _arrays(self):
        return {"share_": self.share_, "answer_": self.answer_}

    def _restore(self, arrays):
        self.share_ = checked_array(arrays, "share_", float, self.labels_.shape)
        self.answer_ = checked_array(arrays, "answer_", bool, self.labels_.shape)
        require((self.share_ >= 0) & (self.share_ <= 1), "its shares do not fit its labels")
