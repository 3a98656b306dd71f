"""Scores of predictions.

    truth, predicted : integer class codes, or floats for regression, (n_rows,); of several labels at once,
                       bool (n_rows, n_labels): see `label_metrics`
    proba            : float64 (n_rows, n_classes), or None if the learner gives none

Labels are judged from the confusion counts, rows truth and columns predicted, and macro averages give every
class the same weight. Precision, recall, specificity, F1, average precision and the area under the ROC curve
are those of the second of two classes; of several, the mean over each against the rest. A score that the rows
do not define is NaN, never a silent zero: the precision of a class never predicted, a macro average over a
class that neither occurs nor is predicted, an area under the curve without rows of a class, R² of a constant
target.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from openbook.errors import ParameterError, check_named, did_you_mean
from openbook.judge.scores import influence as on
from openbook.judge.scores.label_metrics import LABEL_SCORES
from openbook.judge.scores.rates import by_class, cohens_kappa, mcc, mean_over_classes

Task = Literal["classification", "regression", "multilabel"]


#: Names that are not read as they are written.
_WORDS = {
    "f1": "F1",
    "hamming_loss": "Hamming loss",
    "jaccard": "Jaccard",
    "mcc": "MCC",
    "brier": "Brier score",
    "roc_auc": "ROC AUC",
    "mse": "MSE",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}


class Predictions(NamedTuple):
    """The truth and the predictions of some rows.

    Attributes
    ----------
    truth, predicted : array-like
        The truth and the prediction for each row: class codes, numbers, or whether it has each label.
    proba : ndarray or None
        The probability of each class for each row; None if the learner gives none.
    n_classes : int
        The number of classes, or of labels; 0 for numbers.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> import numpy as np
    >>> predictions = Predictions(np.array([0, 1, 1]), np.array([0, 1, 0]), None, 2)
    >>> round(METRICS["accuracy"].function(predictions), 3)
    0.667
    """

    truth: np.ndarray
    predicted: np.ndarray
    proba: np.ndarray | None
    n_classes: int

    def take(self, rows: np.ndarray) -> "Predictions":
        """The predictions of some rows.

        Parameters
        ----------
        rows : ndarray
            The positions of the rows, or a mask.

        Returns
        -------
        Predictions
        """
        proba = None if self.proba is None else self.proba[rows]
        return Predictions(self.truth[rows], self.predicted[rows], proba, self.n_classes)

    @classmethod
    def joined(cls, parts: Sequence["Predictions"]) -> "Predictions":
        """The predictions of several parts, one after the other.

        Parameters
        ----------
        parts : sequence of Predictions
            Predictions of the same classes; probabilities are kept if every part has them.

        Returns
        -------
        Predictions
        """
        proba = [part.proba for part in parts if part.proba is not None]
        return cls(
            np.concatenate([part.truth for part in parts]),
            np.concatenate([part.predicted for part in parts]),
            np.concatenate(proba) if len(proba) == len(parts) else None,
            parts[0].n_classes,
        )


#: What a probability of 0 counts as.
_ZERO = float(np.finfo(float).eps)


def _all_rows(p: Predictions) -> float:
    return float(len(p.truth))


@dataclass(frozen=True)
class Metric:
    """A metric: its function, its range, and whether greater is better.

    Attributes
    ----------
    name : str
        The name.
    task : Task
        Whether it is a score of classes, of numbers or of sets of labels.
    greater_is_better : bool
        Whether more is better.
    needs_proba : bool
        Whether it needs probabilities.
    function : callable
        From predictions to the score.
    lowest : float, default=-inf
        The range of its values.
    highest : float, default=inf
        The range of its values.
    influence : callable or None, default=None
        From predictions to how much each row moves the score; None computes the score again without each row.
    within_folds : bool, default=False
        Whether rows of different folds must not be compared, since their models differ: ranking.
    is_share : bool, default=False
        Whether it is a share, between 0 and 1, of rows or pairs of rows.
    support : callable, default=_all_rows
        From predictions to the number of rows that a share rests on, at the most.
    rare : Rare or None, default=None
        Marks rows of which a few may make up most of the score.
    power : float, default=0.0
        Of a loss: its interval over groups is symmetric on the scale of score ** -power; 0 for logarithms.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> accuracy = METRICS["accuracy"]
    >>> accuracy.greater_is_better, accuracy.better(0.9, 0.8)
    (True, True)
    """

    name: str
    task: Task
    greater_is_better: bool
    needs_proba: bool
    function: Callable[[Predictions], float]
    lowest: float = -math.inf
    highest: float = math.inf
    influence: on.Influence | None = None
    within_folds: bool = False
    is_share: bool = False
    support: Callable[[Predictions], float] = _all_rows
    rare: "Rare | None" = None
    power: float = 0.0

    def __call__(self, predictions: Predictions) -> float:
        if len(predictions.truth) == 0 or (self.needs_proba and predictions.proba is None):
            return math.nan
        return self.function(predictions)

    def influence_of(self, predictions: Predictions) -> np.ndarray:
        """How much each row moves the score, where that is defined.

        Parameters
        ----------
        predictions : Predictions
            The predictions.

        Returns
        -------
        ndarray
        """
        own = self.influence
        return on.by_deletion(self, predictions) if own is None else own(predictions)

    @property
    def words(self) -> str:
        """The name as it stands in a sentence."""
        return _WORDS.get(self.name, self.name.replace("_", " ").replace("f1", "F1"))

    @property
    def of_unit(self) -> bool:
        """Whether it lies between 0 and 1."""
        return (self.lowest, self.highest) == (0, 1)

    @property
    def simulated_as(self) -> str:
        """The metric of `bench/coverage.py` whose intervals are computed in the same way."""
        if self.task == "regression":
            return "mae" if self.name == "mae" else "rmse"
        if self.is_share:
            return "roc_auc" if self.within_folds else "accuracy"
        return "log_loss" if self.needs_proba else "cost"

    def better(self, a: float, b: float) -> bool:
        """Whether the first score is better than the second.

        Parameters
        ----------
        a, b : float
            The two scores.

        Returns
        -------
        bool
        """
        return a > b if self.greater_is_better else a < b

    def loss(self, score: float) -> float:
        """The score so that less is better, and undefined is worst.

        Parameters
        ----------
        score : float
            The score.

        Returns
        -------
        float
        """
        if math.isnan(score):
            return math.inf
        return -score if self.greater_is_better else score


def confusion(p: Predictions) -> np.ndarray:
    """Confusion matrix: counts of rows by true class (row) and predicted class (column).

    Parameters
    ----------
    p : Predictions
        The predictions.

    Returns
    -------
    ndarray

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> import numpy as np
    >>> confusion(Predictions(np.array([0, 1, 1]), np.array([0, 1, 0]), None, 2)).tolist()
    [[1, 0], [1, 1]]
    """
    k = p.n_classes
    return np.bincount(p.truth * k + p.predicted, minlength=k * k).reshape(k, k)


def _right(p: Predictions) -> np.ndarray:
    return (p.truth == p.predicted).astype(float)


def _wrong(p: Predictions) -> np.ndarray:
    return (p.truth != p.predicted).astype(float)


def _of_positive(counts: np.ndarray, what: str) -> Any:
    """Precision, recall or F1 of the second of two classes, else the mean over all."""
    values = by_class(counts)[what]
    return values[1] if len(values) == 2 else values.mean()


def _specificity(counts: np.ndarray) -> Any:
    """Of the rows not of a class, the share not predicted to be."""
    others = counts.sum() - counts.sum(axis=1)
    with np.errstate(invalid="ignore"):
        values = 1 - (counts.sum(axis=0) - np.diag(counts)) / others
    return values[1] if len(values) == 2 else values.mean()


def surprise(p: Predictions) -> np.ndarray:
    """-ln P(truth); a probability of 0 counts as 2^-52, as it does in scikit-learn."""
    given = p.proba[np.arange(len(p.truth)), p.truth]  # type: ignore[index]
    return -np.log(np.maximum(given, _ZERO))  # type: ignore[no-any-return]


def _some_are_impossible(p: Predictions) -> bool:
    """Whether some row has a class of probability 0, be it the true one or another."""
    return bool(p.proba.min() == 0)  # type: ignore[union-attr]


def _impossible(p: Predictions) -> np.ndarray:
    """Whether the true class of a row has probability 0."""
    return np.asarray(p.proba[np.arange(len(p.truth)), p.truth] <= _ZERO, dtype=float)  # type: ignore[index]


def _other_surprise(p: Predictions) -> np.ndarray:
    return np.where(_impossible(p) > 0, 0.0, surprise(p))


def brier_losses(p: Predictions) -> np.ndarray:
    """Each row's Brier score, 0 to 1: ½ Σ_c (P(c) - [c is true])², which of two classes is (P(c) - [c])²."""
    squares = (p.proba**2).sum(axis=1)  # type: ignore[operator]
    given = p.proba[np.arange(len(p.truth)), p.truth]  # type: ignore[index]
    return (squares - 2 * given + 1) / 2  # type: ignore[no-any-return]


def _roc_auc(p: Predictions) -> float:
    """The area under the ROC curve: the second's of two classes, else macro, one against the rest."""
    from openbook.judge.scores.roc import auc

    return _each_against_rest(p, auc)


def _average_precision(p: Predictions) -> float:
    """The mean over positive rows of the precision where each is just found: of classes as for the area."""
    from openbook.judge.scores.precision_recall import average_precision

    return _each_against_rest(p, average_precision)


def _each_against_rest(p: Predictions, score: Callable[[np.ndarray, np.ndarray], float]) -> float:
    """A score of the second of two classes, else the mean over all; NaN if one has no rows."""
    rows = np.bincount(p.truth, minlength=p.n_classes)
    if p.n_classes < 2 or (rows == 0).any() or np.isnan(p.proba).any():  # type: ignore[arg-type]
        return math.nan
    classes = range(1, 2) if p.n_classes == 2 else range(p.n_classes)
    return float(np.mean([score(p.truth == c, p.proba[:, c]) for c in classes]))  # type: ignore[index]


def _squares(p: Predictions) -> np.ndarray:
    return (p.truth - p.predicted) ** 2  # type: ignore[no-any-return]


def _distances(p: Predictions) -> np.ndarray:
    return np.abs(p.truth - p.predicted)  # type: ignore[no-any-return]


def quadratic_kappa(counts: np.ndarray) -> Any:
    """Cohen's kappa with squared distances between ranks as weights; NaN if all rows are of one class.

    >>> round(float(quadratic_kappa(np.array([[2, 0, 0], [0, 1, 1], [1, 0, 3]]))), 4)
    0.6
    """
    ranks = np.arange(len(counts))
    apart = (ranks[:, None] - ranks) ** 2
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    by_chance = (apart * expected).sum()
    return 1 - (apart * counts).sum() / by_chance if by_chance != 0 else math.nan


def _rmse(p: Predictions) -> float:
    return math.sqrt(_squares(p).mean())


def _r2(p: Predictions) -> float:
    """1 - squared error / squared distance from the mean of the rows judged."""
    spread = float(p.truth.var())
    return 1 - float(_squares(p).mean()) / spread if spread > 0 else math.nan


def _correlation(p: Predictions) -> float:
    """Pearson's, of truth and prediction; NaN if one of them is constant."""
    truth, predicted = p.truth - p.truth.mean(), p.predicted - p.predicted.mean()
    spread = math.sqrt(float(truth @ truth) * float(predicted @ predicted))
    return float(truth @ predicted) / spread if spread > 0 else math.nan


def _rarest(p: Predictions) -> float:
    """As many rows of each class as the rarest has."""
    rows = np.bincount(p.truth)
    return float(rows[rows > 0].min() * (rows > 0).sum())


def _evenly(p: Predictions) -> float:
    """The effective number of rows where every class counts the same: k² / Σ 1/n_c."""
    rows = np.bincount(p.truth)
    return float((rows > 0).sum() ** 2 / (1 / rows[rows > 0]).sum())


def _of_class(cells: tuple[tuple[int, int], ...], p: Predictions) -> float:
    """Of two classes, the rows in these cells of the confusion table, a cell once or twice: those that a
    score of the second class is about. Of several classes, every class counts the same.
    """
    counts = confusion(p)
    return max(1.0, float(sum(counts[cell] for cell in cells))) if p.n_classes == 2 else _evenly(p)


#: Cells of rows (truth) and columns (prediction): those called positive, and those that are, or are not.
_CALLED, _POSITIVE, _NEGATIVE = ((0, 1), (1, 1)), ((1, 0), (1, 1)), ((0, 0), (0, 1))


def _mean(figures: on.Influence, p: Predictions) -> float:
    return float(figures(p).mean())


def _averaged(name: str, task: Task, figures: on.Influence, **more: Any) -> Metric:
    """The mean over the rows of what each loses, or gains: at least 0."""
    more = {"greater_is_better": False, "needs_proba": False, **more}
    influence = partial(on.of_losses, figures)
    return Metric(name, task, function=partial(_mean, figures), lowest=0, influence=influence, **more)


def _of_counts(statistic: Callable[[np.ndarray], Any], p: Predictions) -> float:
    return float(statistic(confusion(p)))


def _counted(name: str, statistic: Callable[[np.ndarray], Any], lowest: float = 0, **more: Any) -> Metric:
    """A score of labels that follows from the confusion counts."""
    function, moved = partial(_of_counts, statistic), partial(on.of_counts, statistic)
    is_share = lowest == 0
    return Metric(name, "classification", True, False, function, lowest, 1, moved, is_share=is_share, **more)


def _ranked(name: str, function: Callable[[Predictions], float], influence: Callable[..., Any]) -> Metric:
    """A score of how probabilities rank rows; the probabilities of two models may not be comparable."""
    moved = partial(on.over_classes, influence)
    return Metric(name, "classification", True, True, function, 0, 1, moved, True, True, _rarest)


class Rare(NamedTuple):
    """Rows of which a few may make up most of a loss: loss = each · share + rest.

    Attributes
    ----------
    possible : callable
        From predictions to whether there may be such rows.
    each : float
        What such a row loses.
    share, rest : Metric
        The share of such rows, and the loss of the others.
    """

    possible: Callable[[Predictions], bool]
    each: float
    share: Metric
    rest: Metric


#: A true class of probability 0 costs 36 in log loss, a hundred times what other rows do.
_IMPOSSIBLE = Rare(
    _some_are_impossible,
    -math.log(_ZERO),
    _averaged("share of probability 0", "classification", _impossible, highest=1, is_share=True),
    _averaged("log loss of the others", "classification", _other_surprise),
)

METRICS = {
    each.name: each
    for each in (
        _averaged("accuracy", "classification", _right, greater_is_better=True, highest=1, is_share=True),
        _averaged("error", "classification", _wrong, highest=1, is_share=True),
        _counted("balanced_accuracy", partial(mean_over_classes, what="recall"), support=_evenly),
        _counted("precision", partial(_of_positive, what="precision"), support=partial(_of_class, _CALLED)),
        _counted("recall", partial(_of_positive, what="recall"), support=partial(_of_class, _POSITIVE)),
        _counted("specificity", _specificity, support=partial(_of_class, _NEGATIVE)),
        _counted("f1", partial(_of_positive, what="f1"), support=partial(_of_class, _CALLED + _POSITIVE)),
        _counted("macro_f1", partial(mean_over_classes, what="f1"), support=_evenly),
        _counted("weighted_f1", partial(mean_over_classes, what="f1", weighted=True)),
        _counted("kappa", cohens_kappa, lowest=-1),
        _counted("mcc", mcc, lowest=-1),
        _counted("quadratic_kappa", quadratic_kappa, lowest=-1),
        _averaged("rank_error", "classification", _distances),
        _averaged("log_loss", "classification", surprise, needs_proba=True, rare=_IMPOSSIBLE),
        _averaged("brier", "classification", brier_losses, needs_proba=True, highest=1),
        _ranked("roc_auc", _roc_auc, on.of_area),
        _ranked("average_precision", _average_precision, on.of_average_precision),
        _averaged("mse", "regression", _squares, power=1 / 3),
        Metric(
            "rmse", "regression", False, False, _rmse, 0, influence=partial(on.of_root, _squares), power=2 / 3
        ),
        _averaged("mae", "regression", _distances),
        Metric("r2", "regression", True, False, _r2, highest=1, influence=on.of_r2),
        Metric("correlation", "regression", True, False, _correlation, -1, 1, on.of_correlation),
    )
}

#: Those of several labels at once. Rows have several cells, so a score may be surer than a share of rows.
_OF_SETS = {
    name: Metric(name, "multilabel", more, False, score, 0, 1, moved, is_share=name == "subset_accuracy")
    for name, (more, score, moved) in LABEL_SCORES.items()
}

#: What is shown unless told otherwise; the first decides.
DEFAULTS: dict[str, tuple[str, ...]] = {
    "classification": ("accuracy", "balanced_accuracy", "macro_f1", "log_loss", "roc_auc"),
    "regression": ("rmse", "mae", "r2"),
    "multilabel": ("micro_f1", "macro_f1", "subset_accuracy", "hamming_loss", "jaccard"),
}

#: The same for classes that have an order.
IN_ORDER = ("rank_error", "quadratic_kappa", "accuracy", "log_loss")


def metrics_of(task: str) -> dict[str, Metric]:
    """The metrics of a task, by name."""
    if task == "multilabel":
        return dict(_OF_SETS)
    return {name: each for name, each in METRICS.items() if each.task == task}


def metric(which: "str | Metric", task: str) -> Metric:
    """The metric of that name, or itself; it must fit the task."""
    own = metrics_of(task)
    if not isinstance(which, Metric):
        known = {**_OF_SETS, **METRICS, **own}
        if which not in known:
            check_named("metric", which, own)
        which = known[which]
    if which.task != task:
        hint = did_you_mean("", tuple(own))
        raise ParameterError(f"{which.name} judges {which.task}, and this is {task}. {hint}")
    return which
