"""How well labels are predicted: cross-validation with folds that are stratified over labels.

Every row is predicted once by a model that was not fitted to it; thresholds are tuned inside each training
part. The baseline says of every row the labels that more than half of the training rows have. Intervals are
those of `judge.MultiLabel`, over rows: they do not tell how much other training rows would change a score.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from openbook.judge import MultiLabel
from openbook.judge.folds.label_folds import IterativeStratification
from openbook.multilabel.label_sets import inputs_and_labels
from openbook.words.parameters import documented
from openbook.work import Grid, Work

__all__ = ["LabelEvaluation", "evaluate_labels"]

_FIGURES = ("subset_accuracy", "hamming_loss", "jaccard", "micro_f1", "macro_f1")


@documented
@dataclass(frozen=True, repr=False, eq=False)
class LabelEvaluation:
    """How a learner of labels did; see `evaluate_labels`.

    Attributes
    ----------
    name : str
        The learner's.
    scores : MultiLabel
        Of the learner, over all rows.
    baseline : MultiLabel
        Of the labels that more than half of the training rows have.
    proba : ndarray of shape (n_rows, n_labels)
        The probability of each label, of the model that had not seen the row.

    Notes
    -----
    Guide: docs/guide/multilabel.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> from openbook.multilabel import MultiOutputClassifier
    >>> X, y = ob.load("iris").split("species")
    >>> evaluation = evaluate_labels(MultiOutputClassifier(NaiveBayes()), X, y, cv=3)
    >>> evaluation.scores.hamming_loss < evaluation.baseline.hamming_loss
    True
    """

    name: str
    scores: MultiLabel
    baseline: MultiLabel
    proba: np.ndarray

    def work(self) -> Work:
        """The scores with their intervals, beside the baseline, and those of each label.

        Returns
        -------
        Work
        """
        rows = []
        for figure in _FIGURES:
            own, other = self.scores.rate(figure), self.baseline.rate(figure)
            interval = "" if own.interval is None else own.interval.ends
            rows.append((figure.replace("_", " "), _or_none(own.value), interval, _or_none(other.value)))
        grid = Grid(f"{self.name} and the baseline", ("figure", "value", "95% interval", "baseline"), rows)
        return Work(f"Labels predicted by {self.name}", (grid, self.scores.work()))

    def __repr__(self) -> str:
        return self.work().text()

    def _repr_html_(self) -> str:
        return self.work().html()


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 4)


@documented
def evaluate_labels(model: Any, X: Any, y: Any, cv: int = 5, random_state: int = 0) -> LabelEvaluation:
    """Judge a learner of several labels by cross-validation.

    Parameters
    ----------
    model : MultiOutputClassifier, ClassifierChain or LabelPowerset
        A learner of labels, such as `MultiOutputClassifier(NaiveBayes())`.
    X : table-like
    y : array-like, str or list of str
        The sets of labels: texts with | between labels, lists of labels, columns of 0 and 1; or the name of a
        column of X that holds sets, or the names of columns of 0 and 1.
    cv : int, default=5
        The number of folds, which are stratified over labels.
    random_state : int, default=0

    Returns
    -------
    LabelEvaluation

    Notes
    -----
    Guide: docs/guide/multilabel.md

    Examples
    --------
    >>> from openbook.baseline import OneR
    >>> from openbook.multilabel import LabelPowerset
    >>> X = [{"colour": "red"}, {"colour": "green"}] * 10
    >>> evaluate_labels(LabelPowerset(OneR()), X, ["warm|bright", "bright"] * 10, cv=2).scores.subset_accuracy
    1.0
    """
    table, sets = inputs_and_labels(X, y)
    predicted, usual = np.zeros(sets.cells.shape, dtype=bool), np.zeros(sets.cells.shape, dtype=bool)
    proba = np.zeros(sets.cells.shape)
    for train, test in IterativeStratification(cv, random_state).split(table, sets.cells):
        fitted = clone(model).fit(table.take(train), sets.take(train))
        proba[test] = fitted.predict_proba(table.take(test))
        predicted[test] = fitted.predict(table.take(test))
        usual[test] = sets.cells[train].mean(axis=0) > 0.5
    own, baseline = (MultiLabel(sets.cells, said, sets.labels) for said in (predicted, usual))
    return LabelEvaluation(type(model).__name__, own, baseline, proba)
