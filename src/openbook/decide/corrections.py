"""Corrections for a rare class, compared: none, class weights, a tuned threshold, or resampling.

    log loss, AUC            of the probabilities: what correcting costs, with the interval of the difference
                             from no correction, and whether it ranks any better
    balanced accuracy        of the decisions: what correcting is for
    predicted share          the mean probability of the rare class, over the rows that are tested; where it
                             is not near its true share, probabilities cannot be taken at their word

All corrections are evaluated on the same folds, and each is made inside them. A threshold leaves the
probabilities as they are; weights and resampling do not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils.validation import has_fit_parameter

from openbook.border.rows import class_codes
from openbook.data.read import read
from openbook.decide.threshold import TunedThresholdClassifierCV
from openbook.errors import DataError, ParameterError
from openbook.judge import Comparison, compare
from openbook.judge.chance.significance import TestResult
from openbook.judge.choice.comparison import difference
from openbook.prepare import Prepared
from openbook.words.numbers import shown
from openbook.words.parameters import documented
from openbook.words.sentences import listed
from openbook.work import Grid, Work

_NONE, _THRESHOLD = "no correction", "tuned threshold"
#: The ways that change the probabilities, by the steps that make them.
_STEPS = {
    "class weights": "balance weights",
    "over-sampling": "balance over",
    "under-sampling": "balance under",
    "SMOTE": "balance smote",
}
_METRICS = ("log_loss", "roc_auc", "balanced_accuracy")
#: Those that make some rows count more than others.
_WEIGHING = {"class weights", "over-sampling", "SMOTE"}
#: Probabilities whose mean is further from the true share than this factor are distorted.
_FAR = 1.5


@documented
@dataclass(frozen=True, eq=False)
class Corrections:
    """Ways to deal with a rare class, side by side.

    Attributes
    ----------
    comparison : Comparison
        All ways on the same folds, by log loss.
    share : float
        The true share of the rarer class.
    predicted : dict of str to float
        The mean predicted probability of the rarer class, by way.
    rare : str
        The rarer class.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> found = compare_corrections(NaiveBayes(), *load("credit").split("default"), cv=3)
    >>> found.rare, found.predicted["over-sampling"] > 2 * found.share
    ('yes', True)
    """

    comparison: Comparison
    share: float
    predicted: dict[str, float]
    rare: str

    @property
    def distorted(self) -> list[str]:
        """The ways whose probabilities are far from the true share."""
        low, high = self.share / _FAR, self.share * _FAR
        return [way for way, mean in self.predicted.items() if not low <= mean <= high]

    def work(self) -> Work:
        """The scores of all ways, and what follows.

        Returns
        -------
        Work
        """
        rows = []
        for way, share in self.predicted.items():
            scores = [shown(self.comparison[way].score(metric)) for metric in _METRICS]
            change = self._change(way).interval.ends if way in _STEPS else ""
            rows.append((way, scores[0], change, *scores[1:], shown(share)))
        of_rare = f"predicted share of {self.rare}"
        header = ("way", "log loss", f"minus {_NONE}", "AUC", "balanced accuracy", of_rare)
        note = f"the true share of {self.rare} is {shown(self.share)}"
        return Work("A rare class: what to do", (Grid("ways", header, rows, note),), str(self))

    def _change(self, way: str) -> TestResult:
        """What a way that changes probabilities does to the log loss: below 0, they are better."""
        return difference(self.comparison[way], self.comparison[_NONE], "log_loss")

    def __str__(self) -> str:
        better = [way for way in self.predicted if way in _STEPS and self._change(way).interval.high < 0]
        sentences = ["No correction is shown to give better probabilities than none."]
        if better:
            sentences = [f"Probabilities are shown to be better with {listed(better)}."]
        if _NONE in self.distorted:
            sentences.append(
                f"Probabilities are off without a correction, too: the mean probability of {self.rare} is"
                f" {shown(self.predicted[_NONE])}, and its true share {shown(self.share)}."
            )
        elif self.distorted:
            worst = max(self.distorted, key=lambda way: abs(np.log(self.predicted[way] / self.share)))
            sentences.append(
                f"Probabilities are distorted by {listed(self.distorted)}: with {worst} the mean probability"
                f" of {self.rare} is {shown(self.predicted[worst])}, and its true share {shown(self.share)}."
            )
        sentences.append("A tuned threshold changes the decisions and leaves the probabilities as they are.")
        if not _WEIGHING.isdisjoint(self.predicted):
            sentences.append("Rows that are copied, or weigh more, bring their errors and their bias along.")
        return " ".join(sentences)


@documented
def compare_corrections(
    estimator: Any, X: Any, y: Any, cv: Any = None, random_state: int = 0, ways: Sequence[str] | None = None
) -> Corrections:
    """Compare no correction, class weights, a tuned threshold and resampling, for a rare one of two classes.

    Parameters
    ----------
    estimator : classifier
        It must have `predict_proba`. Class weights are left out if it takes no `sample_weight`.
    X : table-like
    y : array-like or str
    cv : int, float, str, splitter or iterable or None, default=None
        How rows are divided: a number of folds, or whatever else `openbook.evaluate` takes.
    random_state : int, default=0
    ways : sequence of str or None, default=None
        Some of "class weights", "tuned threshold", "over-sampling", "under-sampling" and "SMOTE"; None for
        all of them.

    Returns
    -------
    Corrections

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("credit").split("default")
    >>> found = compare_corrections(NaiveBayes(), X, y, cv=3, ways=["tuned threshold"])
    >>> list(found.predicted)
    ['no correction', 'tuned threshold']
    """
    table = read(X)
    if isinstance(y, str):
        table, y = table.split(y)
    if is_regressor(estimator):
        raise ParameterError(f"{type(estimator).__name__} predicts numbers; choose a classifier")
    name, classes, _ = class_codes(y)
    if len(classes) != 2:
        raise DataError(f"{name} has {len(classes):,} classes; corrections are for two, of which one is rare")
    tuned = TunedThresholdClassifierCV(clone(estimator), random_state=random_state)
    models = {_NONE: clone(estimator), _THRESHOLD: tuned}
    weighs = has_fit_parameter(estimator, "sample_weight")
    models |= {
        way: Prepared(clone(estimator), [step])
        for way, step in _STEPS.items()
        if weighs or way != "class weights"
    }
    if ways is not None:
        if odd := [way for way in ways if way not in models]:
            raise DataError(f"no way {odd[0]!r}; there are {listed([*models][1:])}")
        models = {way: model for way, model in models.items() if way == _NONE or way in ways}
    found = compare(models, table, y, cv=cv, metrics=_METRICS, random_state=random_state)
    first = found.evaluations[_NONE]
    truth = np.concatenate([fold.y_true for fold in first.folds])
    rare = int(np.bincount(truth, minlength=2).argmin())
    means = {
        way: float(np.concatenate([np.asarray(fold.proba)[:, rare] for fold in evaluation.folds]).mean())
        for way, evaluation in found.evaluations.items()
        if way in models
    }
    return Corrections(found, float((truth == rare).mean()), means, str(classes[rare]))
