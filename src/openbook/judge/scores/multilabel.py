r"""Scores of rows that may have several labels or none: label by label, and as whole sets.

    truth, predicted : bool (n_rows, n_labels), whether a row has a label

    subset accuracy    the share of rows whose whole set of labels is right
    Hamming loss       the share of wrong cells
    Jaccard            mean over rows of |truth and predicted| / |truth or predicted|; 1 if both are empty
    macro F1           the mean over labels of F1; so are macro precision and recall
    micro F1           2 Σ TP / (2 Σ TP + Σ FP + Σ FN), over all labels together
    micro precision    Σ TP / (Σ TP + Σ FP), micro recall Σ TP / (Σ TP + Σ FN)

The labels of a row depend on each other, so the unit is the row: Wilson's interval for subset accuracy, t
over rows for Hamming loss and Jaccard, and for micro figures, ratios of two sums over rows, the delta method.
Macro figures have a bootstrap over rows. A label whose figure is 0 / 0, as F1 where it neither occurs nor is
predicted, has NaN, and the reason names it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from openbook.data.attributes import as_text
from openbook.draw import Picture
from openbook.draw.charts import score_chart
from openbook.draw.heat import heat_map
from openbook.errors import DataError, ParameterError, check_named
from openbook.judge.chance.intervals import Interval, bootstrap, wilson
from openbook.judge.chance.means import t_interval
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.scores.confusion import Confusion
from openbook.judge.scores.confusion_work import each_table, shown_rate
from openbook.judge.scores.label_metrics import label_ratios, overlaps, right_sets, sides, wrong_cells
from openbook.judge.scores.metrics import Predictions, metrics_of
from openbook.judge.scores.rates import Rate, RateValue
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Work

_WORDS = {name: each.words for name, each in metrics_of("multilabel").items()}

#: The most pairs of labels in the table, and the most labels in a picture.
_PAIRS, _DRAWN = 10, 15

#: What is wrong with a label that has no such figure.
_NEVER = {
    "f1": "neither occurs nor is predicted",
    "precision": "is never predicted",
    "recall": "never occurs",
}


@documented
@dataclass(frozen=True, repr=False, eq=False)
class MultiLabel(ShowsWork):
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

    subset_accuracy = RateValue()
    hamming_loss = RateValue()
    jaccard = RateValue()
    micro_f1 = RateValue()

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

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation) -> "MultiLabel":
        """Of the rows of one round, each predicted once by a model that had not seen it.

        Parameters
        ----------
        evaluation : Evaluation
            The evaluation of a learner of several labels.

        Returns
        -------
        MultiLabel
        """
        if evaluation.task != "multilabel":
            raise DataError(f"{evaluation.name} predicts one target, not several labels")
        p = evaluation.one_round
        return cls(p.truth, p.predicted, [as_text(label) for label in evaluation.classes.tolist()])  # type: ignore[union-attr]

    @property
    def macro_f1(self) -> float:
        return float(self._of_labels("f1", slice(None)).mean())

    def per_label(self) -> dict[Any, Confusion]:
        """The table of each label: whether rows have it, against whether they were said to."""
        codes = 2 * self.truth.astype(np.intp) + self.predicted
        tables = [np.bincount(cells, minlength=4).reshape(2, 2) for cells in codes.T]
        return {
            label: Confusion(table, (f"not {label}", label), label)
            for label, table in zip(self.labels, tables, strict=True)  # type: ignore[arg-type] # set above
        }

    @property
    def _predictions(self) -> Predictions:
        return Predictions(self.truth, self.predicted, None, self.truth.shape[1])

    def _of_labels(self, which: str, rows: Any) -> np.ndarray:
        return label_ratios(which, self.truth[rows], self.predicted[rows])

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
        check_named("figure", name, _WORDS)
        n = len(self.truth)
        if name == "subset_accuracy":
            right = int(right_sets(self._predictions).sum())
            return Rate(right / n, wilson(right, n, level), name=name)
        kind, _, which = name.partition("_")
        if kind == "macro":
            return self._macro(which, level)
        if kind == "micro":
            return self._micro(which, level)
        values = (wrong_cells if name == "hamming_loss" else overlaps)(self._predictions)
        return Rate(float(values.mean()), t_interval(values, level).within(0, 1), name=name)

    def _macro(self, which: str, level: float) -> Rate:
        own = self._of_labels(which, slice(None))
        if np.isnan(own).any():
            label = self.labels[int(np.argmax(np.isnan(own)))]  # type: ignore[index] # set above
            return Rate.undefined(f"label {str(label)!r} {_NEVER[which]}", f"macro_{which}", level)
        if np.isin(own, own[0]).all() and own[0] in (0, 1):  # no resample would differ
            rows = len(self.truth)
            return Rate(float(own[0]), wilson(own[0] * rows, rows, level), name=f"macro_{which}")
        interval = bootstrap(lambda rows: float(self._of_labels(which, rows).mean()), len(self.truth), level)
        return Rate(float(own.mean()), interval, name=f"macro_{which}")

    def _micro(self, which: str, level: float) -> Rate:
        """A ratio of sums over rows: row i moves it by (top_i - F bottom_i) / mean bottom."""
        top, bottom = (cells.sum(axis=1) for cells in sides(which, self.truth, self.predicted))
        if not bottom.any():
            return Rate.undefined("no row has a label, true or predicted", f"micro_{which}", level)
        value = float(top.sum() / bottom.sum())
        if value in (0, 1):  # rows do not differ
            rows = int((bottom > 0).sum())
            return Rate(value, wilson(value * rows, rows, level), name=f"micro_{which}")
        around = t_interval(value + (top - value * bottom) / bottom.mean(), level)
        interval = Interval(around.low, around.high, level, "delta over rows", around.steps).within(0, 1)
        return Rate(value, interval, name=f"micro_{which}")

    def together(self) -> Grid:
        """The pairs of labels that go together most, or least: rows with both, and what chance would give.

        Returns
        -------
        Grid
            Sorted by the difference from what independent labels would give; at most ten pairs.
        """
        counts, rows = self._both(self.truth), len(self.truth)
        said, names = self._both(self.predicted), [str(label) for label in self.labels]  # type: ignore[union-attr]
        expected = np.outer(np.diag(counts), np.diag(counts)) / rows
        pairs = sorted(combinations(range(len(names)), 2), key=lambda pair: -abs(counts - expected)[pair])
        lines = [
            (
                f"{names[i]}, {names[j]}",
                int(counts[i, j]),
                round(float(expected[i, j]), 1),
                round(float(counts[i, j] / expected[i, j]), 2) if expected[i, j] else None,
                int(said[i, j]),
            )
            for i, j in pairs[:_PAIRS]
        ]
        head = ("labels", "rows with both", "if independent", "lift", "predicted with both")
        more = f" {plural(len(pairs) - _PAIRS, 'more pair')}." if len(pairs) > _PAIRS else ""
        note = f"If independent: the product of both labels' rows, divided by all {rows:,}. Lift: the ratio."
        return Grid("Labels that occur together", head, lines, note + more)

    @staticmethod
    def _both(cells: np.ndarray) -> np.ndarray:
        """How many rows have both of two labels, (n_labels, n_labels)."""
        return cells.T.astype(np.intp) @ cells

    def draw(self, which: str = "f1") -> Picture:
        """A picture of the labels.

        Parameters
        ----------
        which : {"f1", "together"}, default="f1"
            "f1" draws F1 of each label with its interval, "together" how often two labels occur in one row;
            the most frequent labels first, at most 15.

        Returns
        -------
        Picture
        """
        if which not in ("f1", "together"):
            raise ParameterError(f"which must be 'f1' or 'together', got {which!r}")
        order = np.argsort(-self.truth.sum(axis=0), kind="stable")[:_DRAWN].tolist()
        names = [str(self.labels[j]) for j in order]  # type: ignore[index] # set above
        left = len(self.labels) - len(order)  # type: ignore[arg-type]
        notes = (f"{plural(left, 'rarer label')} not drawn.",) if left else ()
        if which == "f1":
            tables = list(self.per_label().values())
            rates = [(name, tables[j].rate("f1")) for name, j in zip(names, order, strict=True)]
            drawn = [(name, r.value, r.interval.low, r.interval.high) for name, r in rates if not r.why]
            return score_chart("F1 of each label", "F1", drawn, notes=notes)
        counts = self._both(self.truth)[np.ix_(order, order)]
        shares = counts / np.maximum(np.diag(counts)[:, None], 1)
        colours = np.where(np.eye(len(names), dtype=bool), "c0", "c2").tolist()
        body, width, height = heat_map(("also", names), ("rows with", names), counts, shares, colours)
        pairs = combinations(enumerate(names), 2)
        told = "; ".join(f"{a} and {b}: {counts[i, j]:,} rows" for (i, a), (j, b) in pairs)
        notes = ("Shaded by the share of the rows with the label on the left.", *notes)
        return Picture("Labels that occur together", told, notes, body, max(width, 420), height)

    def work(self) -> Work:
        """All figures with their intervals, and each label's."""
        overall = [(words, *shown_rate(self.rate(name))) for name, words in _WORDS.items()]
        cardinality = [float(cells.sum(axis=1).mean()) for cells in (self.truth, self.predicted)]
        note = "Mean number of labels per row: {:.3g}; predicted: {:.3g}.".format(*cardinality)
        parts = [
            Grid("Sets of labels", ("figure", "value", "interval", "method"), overall, note),
            each_table("Each label", "label", self.per_label()),
        ]
        if self.truth.shape[1] > 1:
            parts.append(self.together())
        title = f"{plural(len(self.truth), 'row')} of {plural(self.truth.shape[1], 'label')}"
        return Work(title, tuple(parts))
