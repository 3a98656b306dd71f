r"""Rows that may have several labels at once, or none: judged label by label, and as whole sets.

    truth, predicted : bool (n_rows, n_labels), whether a row has a label

    subset accuracy    the share of rows whose whole set of labels is right
    Hamming loss       the share of wrong cells
    Jaccard            mean over rows of |truth and predicted| / |truth or predicted|; 1 where both are empty
    macro F1           the mean over labels of F1; so are macro precision and recall
    micro F1           2 Σ TP / (2 Σ TP + Σ FP + Σ FN), over all labels together
    micro precision    Σ TP / (Σ TP + Σ FP), micro recall Σ TP / (Σ TP + Σ FN)

The labels of a row depend on each other, so rows are what is counted: Wilson's interval for subset accuracy,
t over rows for Hamming loss and Jaccard, and for micro figures, ratios of two sums over rows, the delta
method. Macro figures have a bootstrap over rows. A label whose figure is 0 / 0, as F1 where it neither occurs
nor is predicted, has none: NaN, and its name is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.judge.chance.intervals import Interval, bootstrap, wilson
from openbook.judge.chance.means import t_interval
from openbook.judge.scores.confusion import Confusion
from openbook.judge.scores.confusion_work import each_table, shown_rate
from openbook.judge.scores.rates import Rate
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, Work

__all__ = ["MultiLabel"]

_WORDS = {
    "subset_accuracy": "subset accuracy",
    "hamming_loss": "Hamming loss",
    "jaccard": "Jaccard",
    "macro_f1": "macro F1",
    "macro_precision": "macro precision",
    "macro_recall": "macro recall",
    "micro_f1": "micro F1",
    "micro_precision": "micro precision",
    "micro_recall": "micro recall",
}

#: What is wrong with a label that has no such figure.
_NEVER = {
    "f1": "neither occurs nor is predicted",
    "precision": "is never predicted",
    "recall": "never occurs",
}


@documented
@dataclass(frozen=True, repr=False, eq=False)
class MultiLabel:
    """Predicted sets of labels beside the true ones.

    Attributes
    ----------
    truth, predicted : array-like
        0 or 1 for each row and label.
    labels : sequence or None, default=None
        Names of the labels; None numbers them from 0.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> judged = MultiLabel([[1, 0], [1, 1], [0, 0]], [[1, 0], [1, 0], [0, 1]], ["red", "round"])
    >>> round(judged.subset_accuracy, 4), round(judged.hamming_loss, 4)
    (0.3333, 0.3333)
    >>> judged.per_label()["red"].f1
    1.0
    """

    truth: Any
    predicted: Any
    labels: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        for name in ("truth", "predicted"):
            cells = np.asarray(getattr(self, name))
            if cells.ndim != 2 or cells.size == 0:
                raise DataError(
                    f"{name} needs rows and labels, (n_rows, n_labels), got the shape {cells.shape}"
                )
            wrong = ~np.isin(cells, (0, 1))
            if wrong.any():
                row, label = np.argwhere(wrong)[0].tolist()
                raise DataError(f"{name}, row {row}, label {label}: {cells[row, label]!r} is neither 0 nor 1")
            object.__setattr__(self, name, cells.astype(bool))
        if self.truth.shape != self.predicted.shape:
            raise DataError(f"truth has the shape {self.truth.shape}, but predicted {self.predicted.shape}")
        k = self.truth.shape[1]
        labels = tuple(range(k)) if self.labels is None else tuple(self.labels)
        if len(labels) != k or len(set(labels)) != k:
            raise DataError(f"there are {k} columns of labels, and the names must be as many: {list(labels)}")
        object.__setattr__(self, "labels", labels)

    @property
    def subset_accuracy(self) -> float:
        return self.rate("subset_accuracy").value

    @property
    def hamming_loss(self) -> float:
        return self.rate("hamming_loss").value

    @property
    def jaccard(self) -> float:
        return self.rate("jaccard").value

    @property
    def micro_f1(self) -> float:
        return self.rate("micro_f1").value

    @property
    def macro_f1(self) -> float:
        return float(self._of_labels("f1", slice(None)).mean())

    def per_label(self) -> dict[Any, Confusion]:
        """The table of each label: whether rows have it, against whether they were said to."""
        codes = 2 * self.truth.astype(np.intp) + self.predicted
        return {
            label: Confusion(
                np.bincount(codes[:, i], minlength=4).reshape(2, 2), (f"not {label}", label), label
            )
            for i, label in enumerate(self.labels)  # type: ignore[arg-type] # set above
        }

    @cached_property
    def _hits(self) -> np.ndarray:
        return self.truth & self.predicted

    def _ratio(self, which: str, rows: Any, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """The two sides of F1, precision or recall, of labels (axis 0) or rows (axis 1)."""
        hits, has, said = (cells[rows].sum(axis=axis) for cells in (self._hits, self.truth, self.predicted))
        return {"f1": (2 * hits, has + said), "precision": (hits, said), "recall": (hits, has)}[which]

    def _of_labels(self, which: str, rows: Any) -> np.ndarray:
        top, bottom = self._ratio(which, rows, 0)
        with np.errstate(invalid="ignore"):
            return top / bottom

    def rate(self, name: str, level: float = 0.95) -> Rate:
        """A figure of all labels, with its interval: "subset_accuracy", "hamming_loss", "micro_f1" …

        Parameters
        ----------
        name : str
            The name of the figure.
        level : float, default=0.95

        Returns
        -------
        Rate
        """
        if name not in _WORDS:
            raise ParameterError(f"no figure {name!r}. {did_you_mean(name, [*_WORDS])}")
        n = len(self.truth)
        if name == "subset_accuracy":
            right = int((self.truth == self.predicted).all(axis=1).sum())
            return Rate(right / n, wilson(right, n, level), name=name)
        kind, _, which = name.partition("_")
        if kind == "macro":
            return self._macro(which, level)
        if kind == "micro":
            return self._micro(which, level)
        if name == "hamming_loss":
            values = (self.truth != self.predicted).mean(axis=1)
        else:
            either = (self.truth | self.predicted).sum(axis=1)
            values = np.where(either > 0, self._hits.sum(axis=1) / np.maximum(either, 1), 1.0)
        return Rate(float(values.mean()), t_interval(values, level).within(0, 1), name=name)

    def _macro(self, which: str, level: float) -> Rate:
        own = self._of_labels(which, slice(None))
        if np.isnan(own).any():
            label = self.labels[int(np.argmax(np.isnan(own)))]  # type: ignore[index] # set above
            return Rate.undefined(f"label {str(label)!r} {_NEVER[which]}", f"macro_{which}", level)
        interval = bootstrap(lambda rows: float(self._of_labels(which, rows).mean()), len(self.truth), level)
        return Rate(float(own.mean()), interval, name=f"macro_{which}")

    def _micro(self, which: str, level: float) -> Rate:
        """A ratio of sums over rows: row i moves it by (top_i - F bottom_i) / mean bottom."""
        top, bottom = self._ratio(which, slice(None), 1)
        if not bottom.any():
            return Rate.undefined("no row has a label, true or predicted", f"micro_{which}", level)
        value = float(top.sum() / bottom.sum())
        around = t_interval(value + (top - value * bottom) / bottom.mean(), level)
        interval = Interval(around.low, around.high, level, "delta over rows", around.steps).within(0, 1)
        return Rate(value, interval, name=f"micro_{which}")

    def work(self) -> Work:
        """All figures with their intervals, and each label's."""
        overall = [(words, *shown_rate(self.rate(name))) for name, words in _WORDS.items()]
        cardinality = [float(cells.sum(axis=1).mean()) for cells in (self.truth, self.predicted)]
        note = "Mean number of labels per row: {:.3g}; predicted: {:.3g}.".format(*cardinality)
        return Work(
            f"{plural(len(self.truth), 'row')} of {plural(self.truth.shape[1], 'label')}",
            (
                Grid("Sets of labels", ("figure", "value", "interval", "method"), overall, note),
                each_table("Each label", "label", self.per_label()),
            ),
        )

    def __repr__(self) -> str:
        return self.work().text()

    def _repr_html_(self) -> str:
        return self.work().html()
