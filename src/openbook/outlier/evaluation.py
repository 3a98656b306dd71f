"""Evaluation of outlier scores with known outliers: recall, precision, precision at n, ROC.

Outliers are few, and missing one is usually the costly error, so recall comes first. Precision at n is that
of the n highest scores; without n, of as many as there are outliers.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from openbook.draw import Picture
from openbook.errors import DataError, ParameterError
from openbook.judge import Confusion, PrecisionRecall, Roc
from openbook.judge.scores.rates import Rate
from openbook.outlier.detector import Detector
from openbook.words.parameters import documented
from openbook.work import Grid, Work


@dataclass(frozen=True, repr=False, eq=False)
class OutlierEvaluation:
    """Evaluation of outlier scores with labels: recall, precision, ROC curve.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    truth : array
        Whether each row is known to be an outlier.
    scores : array
        The score of each row: the higher, the more unusual.
    threshold : float
        The score above which a row is called an outlier.

    Examples
    --------
    >>> found = OutlierEvaluation(np.array([False, True, True]), np.array([0.1, 0.9, 0.4]), 0.5)
    >>> found.recall.value, found.precision.value
    (0.5, 1.0)
    """

    truth: np.ndarray
    scores: np.ndarray
    threshold: float

    @cached_property
    def confusion(self) -> Confusion:
        """The verdicts against the truth; outliers are positive."""
        words = np.array(["normal", "outlier"])
        called = self.scores > self.threshold
        return Confusion.of(words[self.truth.astype(int)], words[called.astype(int)], positive="outlier")

    @property
    def recall(self) -> Rate:
        """Recall: the share of the true outliers that is found."""
        return self.confusion.rate("tpr")

    @property
    def precision(self) -> Rate:
        """Precision: the share of the rows called outliers that are true outliers."""
        return self.confusion.rate("ppv")

    def precision_at(self, n: int | None = None) -> float:
        """The share of true outliers among the n highest scores; ties in row order.

        Parameters
        ----------
        n : int or None, default=None
            How many; None for the number of true outliers.

        Returns
        -------
        float
        """
        n = int(self.truth.sum()) if n is None else n
        if not 1 <= n <= len(self.scores):
            raise ParameterError(f"n must lie between 1 and the number of rows, {len(self.scores)}; got {n}")
        return float(self.truth[np.argsort(-self.scores, kind="stable")[:n]].mean())

    @cached_property
    def roc(self) -> Roc:
        return Roc(self.truth, self.scores, positive=True)

    def work(self) -> Work:
        """The measures, with intervals where there are."""
        n = int(self.truth.sum())
        curve = PrecisionRecall(self.truth, self.scores, positive=True)
        rows = [
            ("recall", f"{self.recall}"),
            ("precision", f"{self.precision}"),
            (f"precision at {n}", f"{self.precision_at():.3f}"),
            ("AUC", f"{self.roc.auc:.3f} {self.roc.interval()}"),
            ("average precision", f"{curve.average_precision:.3f} (by chance {self.truth.mean():.3f})"),
        ]
        title = f"Evaluation with labels: {n:,} of {len(self.truth):,} rows are outliers"
        return Work(title, (Grid("", (), rows), self.confusion.work()))

    def draw(self) -> Picture:
        """The ROC curve."""
        return self.roc.draw()

    def __repr__(self) -> str:
        work = self.work()
        return Work(work.title, work.parts[:1]).text()


@documented
def evaluate_outliers(detector: Detector, X: Any, truth: Any) -> OutlierEvaluation:
    """Hold a fitted detector's scores against the truth.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    detector : Detector
        A fitted detector.
    X : rows
    truth : sequence of bool
        Whether each row is known to be an outlier.

    Returns
    -------
    OutlierEvaluation

    Examples
    --------
    >>> from openbook.outlier import ZScore
    >>> X = [[1.0], [2.0], [3.0], [2.0], [1.0], [90.0], [2.0]]
    >>> found = evaluate_outliers(ZScore(threshold=2).fit(X), X, [0, 0, 0, 0, 0, 1, 0])
    >>> found.recall.value, found.precision_at(1), found.roc.auc
    (1.0, 1.0, 1.0)
    """
    odd = np.asarray(truth).astype(bool)
    scores = detector.oddness(X)
    if odd.shape != scores.shape:
        raise DataError(f"{len(scores)} rows, but {odd.size} labels; give one for each row")
    if not odd.any() or odd.all():
        raise DataError("the labels must contain both outliers and normal rows; all are the same")
    return OutlierEvaluation(odd, scores, detector.threshold_)
