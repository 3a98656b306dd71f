r"""Scores of predicted sets of labels, and how much each row moves them.

    truth, predicted : bool (n_rows, n_labels), whether a row has a label

    subset accuracy, Hamming loss, Jaccard    means of what each row scores
    F1, precision, recall of a label          top / bottom: 2 TP / (TP + FP + TP + FN), TP / (TP + FP),
                                              TP / (TP + FN), sums over the rows
    micro                                     the ratio of the sums over all labels, too
    macro                                     the mean of the labels' ratios; NaN if one is 0 / 0

    influence of row i on a ratio R           (top_i - R bottom_i) / (mean of bottom): see `influence`

The labels of a row depend on each other, so the unit is the row, not the cell.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from openbook.judge.scores import influence as on

if TYPE_CHECKING:
    from openbook.judge.scores.metrics import Predictions

#: The ratios of labels that have micro and macro averages.
RATIOS = ("f1", "precision", "recall")


def right_sets(p: "Predictions") -> np.ndarray:
    """Whether the whole set of each row is right."""
    return (p.truth == p.predicted).all(axis=1).astype(float)


def wrong_cells(p: "Predictions") -> np.ndarray:
    """The share of each row's labels that is wrong."""
    return (p.truth != p.predicted).mean(axis=1)  # type: ignore[no-any-return]


def overlaps(p: "Predictions") -> np.ndarray:
    """|truth and predicted| / |truth or predicted| of each row; 1 if both are empty."""
    both, either = (p.truth & p.predicted).sum(axis=1), (p.truth | p.predicted).sum(axis=1)
    return np.where(either > 0, both / np.maximum(either, 1), 1.0)


def sides(which: str, truth: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each cell adds to the top and the bottom of F1, precision or recall, (n_rows, n_labels)."""
    hits = (truth & predicted).astype(float)
    bottom = {"f1": truth.astype(float) + predicted, "precision": predicted, "recall": truth}[which]
    return hits * (2 if which == "f1" else 1), bottom.astype(float)


def label_ratios(which: str, truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """F1, precision or recall of each label; NaN if it is 0 / 0."""
    top, bottom = (cells.sum(axis=0) for cells in sides(which, truth, predicted))
    return np.divide(top, bottom, out=np.full(len(top), math.nan), where=bottom > 0)


def _mean(rows: Callable[["Predictions"], np.ndarray], p: "Predictions") -> float:
    return float(rows(p).mean())


def _micro(which: str, p: "Predictions") -> float:
    top, bottom = (float(cells.sum()) for cells in sides(which, p.truth, p.predicted))
    return top / bottom if bottom else math.nan


def _on_micro(which: str, p: "Predictions") -> np.ndarray:
    top, bottom = (cells.sum(axis=1) for cells in sides(which, p.truth, p.predicted))
    return (top - _micro(which, p) * bottom) / bottom.mean()  # type: ignore[no-any-return]


def _macro(which: str, p: "Predictions") -> float:
    return float(label_ratios(which, p.truth, p.predicted).mean())


def _on_macro(which: str, p: "Predictions") -> np.ndarray:
    top, bottom = sides(which, p.truth, p.predicted)
    ratios = label_ratios(which, p.truth, p.predicted)
    return ((top - ratios * bottom) / bottom.mean(axis=0)).mean(axis=1)  # type: ignore[no-any-return]


#: By name: whether more is better, the score, and the influence of each row on it. The first decides.
LABEL_SCORES: dict[str, tuple[bool, Callable[["Predictions"], float], on.Influence]] = {
    "micro_f1": (True, partial(_micro, "f1"), partial(_on_micro, "f1")),
    "macro_f1": (True, partial(_macro, "f1"), partial(_on_macro, "f1")),
    "subset_accuracy": (True, partial(_mean, right_sets), partial(on.of_losses, right_sets)),
    "hamming_loss": (False, partial(_mean, wrong_cells), partial(on.of_losses, wrong_cells)),
    "jaccard": (True, partial(_mean, overlaps), partial(on.of_losses, overlaps)),
    **{
        f"{average}_{which}": (True, partial(score, which), partial(influence, which))
        for average, score, influence in (("micro", _micro, _on_micro), ("macro", _macro, _on_macro))
        for which in RATIOS[1:]
    },
}
