"""Scores of predictions.

    truth, predicted : integer class codes, or floats for regression, (n_rows,)
    proba            : float64 (n_rows, n_classes), or None where the learner gives none

Labels are judged from the confusion counts, rows truth and columns predicted, and macro averages give every
class the same weight. Precision, recall, specificity, F1, average precision and the area under the ROC curve
are those of the second of two classes; of several, the mean over each against the rest. A score that the rows
do not define is NaN, never a silent zero: the precision of a class never predicted, a macro average over a
class that neither occurs nor is predicted, an area under the curve without rows of a class, R² of a constant
target.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from openbook.errors import ParameterError, did_you_mean
from openbook.judge.rates import by_class, kappa, mcc, mean_over_classes

__all__ = ["METRICS", "Metric", "Predictions", "Task", "confusion", "metric"]

Task = Literal["classification", "regression"]


_WORDS = {
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "mcc": "MCC",
    "log_loss": "log loss",
    "brier": "Brier score",
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
    "mse": "MSE",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}


class Predictions(NamedTuple):
    """Some rows' truth and what was predicted for them."""

    truth: np.ndarray
    predicted: np.ndarray
    proba: np.ndarray | None
    n_classes: int

    def take(self, rows: np.ndarray) -> "Predictions":
        proba = None if self.proba is None else self.proba[rows]
        return Predictions(self.truth[rows], self.predicted[rows], proba, self.n_classes)


@dataclass(frozen=True)
class Metric:
    """A score and what there is to know about it.

    Parameters
    ----------
    name : str
    task : "classification" or "regression"
    greater_is_better : bool
    needs_proba : bool
    function : of Predictions, to a number
    lowest, highest : the range of its values
    """

    name: str
    task: Task
    greater_is_better: bool
    needs_proba: bool
    function: Callable[[Predictions], float]
    lowest: float = -math.inf
    highest: float = math.inf

    def __call__(self, predictions: Predictions) -> float:
        if len(predictions.truth) == 0 or (self.needs_proba and predictions.proba is None):
            return math.nan
        return self.function(predictions)

    @property
    def words(self) -> str:
        """The name as it stands in a sentence."""
        return _WORDS.get(self.name, self.name)

    def better(self, a: float, b: float) -> bool:
        return a > b if self.greater_is_better else a < b


def confusion(p: Predictions) -> np.ndarray:
    """How often each class (row) was taken for each (column)."""
    k = p.n_classes
    return np.bincount(p.truth * k + p.predicted, minlength=k * k).reshape(k, k)


def _accuracy(p: Predictions) -> float:
    return float((p.truth == p.predicted).mean())


def _error(p: Predictions) -> float:
    return 1 - _accuracy(p)


def _balanced_accuracy(p: Predictions) -> float:
    """Macro recall: the mean over classes of the share of their rows that is found."""
    return float(mean_over_classes(confusion(p), "recall"))


def _of_positive(p: Predictions, values: np.ndarray) -> float:
    """The second class's of two, else the mean over all."""
    return float(values[1] if p.n_classes == 2 else values.mean())


def _precision(p: Predictions) -> float:
    """Of the rows predicted to be of a class, the share that is."""
    return _of_positive(p, by_class(confusion(p))["precision"])


def _recall(p: Predictions) -> float:
    """Of the rows of a class, the share that is found."""
    return _of_positive(p, by_class(confusion(p))["recall"])


def _specificity(p: Predictions) -> float:
    """Of the rows not of a class, the share not predicted to be."""
    counts = confusion(p)
    others = len(p.truth) - counts.sum(axis=1)
    with np.errstate(invalid="ignore"):
        return _of_positive(p, 1 - (counts.sum(axis=0) - np.diag(counts)) / others)


def _f1(p: Predictions) -> float:
    """F1 = 2 TP / (2 TP + FP + FN)."""
    return _of_positive(p, by_class(confusion(p))["f1"])


def _macro_f1(p: Predictions) -> float:
    """The mean over classes of F1, which is not the F1 of mean precision and mean recall."""
    return float(mean_over_classes(confusion(p), "f1"))


def _weighted_f1(p: Predictions) -> float:
    """The mean over classes of F1, each weighted by its rows."""
    return float(mean_over_classes(confusion(p), "f1", weighted=True))


def _kappa(p: Predictions) -> float:
    """Cohen's kappa: (accuracy - chance) / (1 - chance)."""
    return float(kappa(confusion(p)))


def _mcc(p: Predictions) -> float:
    """Matthews' correlation of truth and prediction."""
    return float(mcc(confusion(p)))


def _log_loss(p: Predictions) -> float:
    """The mean of -ln P(truth); a probability of 0 counts as 2^-52, as it does in scikit-learn."""
    given = p.proba[np.arange(len(p.truth)), p.truth]  # type: ignore[index]
    return float(-np.log(np.maximum(given, np.finfo(float).eps)).mean())


def _brier(p: Predictions) -> float:
    """Brier's score, 0 to 2: the mean of sum_c (P(c) - [c is true])²; with two classes twice the usual."""
    squares = (p.proba**2).sum(axis=1)  # type: ignore[operator]
    given = p.proba[np.arange(len(p.truth)), p.truth]  # type: ignore[index]
    return float((squares - 2 * given + 1).mean())


def _roc_auc(p: Predictions) -> float:
    """The area under the ROC curve: the second's of two classes, else macro, one against the rest."""
    from openbook.judge.roc import auc

    return _each_against_rest(p, auc)


def _average_precision(p: Predictions) -> float:
    """The mean over positive rows of the precision where each is just found: of classes as for the area."""
    from openbook.judge.precision_recall import average_precision

    return _each_against_rest(p, average_precision)


def _each_against_rest(p: Predictions, score: Callable[[np.ndarray, np.ndarray], float]) -> float:
    """A score of the second of two classes, else the mean over all; NaN where one has no rows."""
    rows = np.bincount(p.truth, minlength=p.n_classes)
    if p.n_classes < 2 or (rows == 0).any() or np.isnan(p.proba).any():  # type: ignore[arg-type]
        return math.nan
    classes = range(1, 2) if p.n_classes == 2 else range(p.n_classes)
    return float(np.mean([score(p.truth == c, p.proba[:, c]) for c in classes]))  # type: ignore[index]


def _mse(p: Predictions) -> float:
    return float(((p.truth - p.predicted) ** 2).mean())


def _rmse(p: Predictions) -> float:
    return math.sqrt(_mse(p))


def _mae(p: Predictions) -> float:
    return float(np.abs(p.truth - p.predicted).mean())


def _r2(p: Predictions) -> float:
    """1 - squared error / squared distance from the mean of the rows judged."""
    spread = float(p.truth.var())
    return 1 - _mse(p) / spread if spread > 0 else math.nan


def _correlation(p: Predictions) -> float:
    """Pearson's, of truth and prediction; NaN where one of them is constant."""
    truth, predicted = p.truth - p.truth.mean(), p.predicted - p.predicted.mean()
    spread = math.sqrt(float(truth @ truth) * float(predicted @ predicted))
    return float(truth @ predicted) / spread if spread > 0 else math.nan


METRICS = {
    each.name: each
    for each in (
        Metric("accuracy", "classification", True, False, _accuracy, 0, 1),
        Metric("error", "classification", False, False, _error, 0, 1),
        Metric("balanced_accuracy", "classification", True, False, _balanced_accuracy, 0, 1),
        Metric("precision", "classification", True, False, _precision, 0, 1),
        Metric("recall", "classification", True, False, _recall, 0, 1),
        Metric("specificity", "classification", True, False, _specificity, 0, 1),
        Metric("f1", "classification", True, False, _f1, 0, 1),
        Metric("macro_f1", "classification", True, False, _macro_f1, 0, 1),
        Metric("weighted_f1", "classification", True, False, _weighted_f1, 0, 1),
        Metric("kappa", "classification", True, False, _kappa, -1, 1),
        Metric("mcc", "classification", True, False, _mcc, -1, 1),
        Metric("log_loss", "classification", False, True, _log_loss, 0),
        Metric("brier", "classification", False, True, _brier, 0, 2),
        Metric("roc_auc", "classification", True, True, _roc_auc, 0, 1),
        Metric("average_precision", "classification", True, True, _average_precision, 0, 1),
        Metric("mse", "regression", False, False, _mse, 0),
        Metric("rmse", "regression", False, False, _rmse, 0),
        Metric("mae", "regression", False, False, _mae, 0),
        Metric("r2", "regression", True, False, _r2, highest=1),
        Metric("correlation", "regression", True, False, _correlation, -1, 1),
    )
}

#: What is shown unless told otherwise; the first decides.
DEFAULTS: dict[str, tuple[str, ...]] = {
    "classification": ("accuracy", "balanced_accuracy", "macro_f1", "log_loss", "roc_auc"),
    "regression": ("rmse", "mae", "r2"),
}


def metric(which: "str | Metric", task: str) -> Metric:
    """The metric of that name, or itself; it must fit the task."""
    fitting = tuple(name for name, each in METRICS.items() if each.task == task)
    if not isinstance(which, Metric):
        if which not in METRICS:
            raise ParameterError(f"no metric {which!r}. {did_you_mean(which, fitting)}")
        which = METRICS[which]
    if which.task != task:
        raise ParameterError(
            f"{which.name} judges {which.task}, and this is {task}. {did_you_mean('', fitting)}"
        )
    return which
