"""The rates of a table of two classes, as data.

[[TN, FP], [FN, TP]]     rows truth, columns predicted, the positive class second
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class CountShare(NamedTuple):
    """A rate that is a share of rows: which cells count, and among which."""

    words: str
    top: tuple[str, ...]
    bottom: tuple[str, ...]


ALL = ("tp", "fn", "fp", "tn")
TRUE, FALSE = ("tp", "fn"), ("fp", "tn")
CALLED, NOT_CALLED = ("tp", "fp"), ("tn", "fn")

SHARES = {
    "prevalence": CountShare("prevalence", TRUE, ALL),
    "accuracy": CountShare("accuracy", ("tp", "tn"), ALL),
    "error": CountShare("error", ("fp", "fn"), ALL),
    "tpr": CountShare("true positive rate, recall, sensitivity", ("tp",), TRUE),
    "fnr": CountShare("false negative rate", ("fn",), TRUE),
    "fpr": CountShare("false positive rate", ("fp",), FALSE),
    "tnr": CountShare("true negative rate, specificity", ("tn",), FALSE),
    "ppv": CountShare("positive predictive value, precision", ("tp",), CALLED),
    "npv": CountShare("negative predictive value", ("tn",), NOT_CALLED),
    "fdr": CountShare("false discovery rate", ("fp",), CALLED),
    "for_": CountShare("false omission rate", ("fn",), NOT_CALLED),
}
#: Ratios of two shares.
RATIOS = {
    "lr_plus": ("positive likelihood ratio", "tpr", "fpr"),
    "lr_minus": ("negative likelihood ratio", "fnr", "tnr"),
    "dor": ("diagnostic odds ratio", "lr_plus", "lr_minus"),
}
#: Other names of the same.
ALSO = {"precision": "ppv", "recall": "tpr", "sensitivity": "tpr", "specificity": "tnr"}
OTHERS = {"f1": "F1", "kappa": "kappa", "mcc": "Matthews' correlation"}
TWO_CLASSES = (*SHARES, *RATIOS, *OTHERS)
SEVERAL = ("accuracy", "error", "kappa", "mcc")


def why_none(cells: tuple[str, ...], positive: Any, negative: Any) -> str:
    """Why there are no rows in these cells, in words."""
    return {
        ALL: "there are no rows",
        TRUE: f"no row is truly {positive}",
        FALSE: f"no row is truly {negative}",
        CALLED: f"no row is predicted {positive}",
        NOT_CALLED: f"no row is predicted {negative}",
    }[cells]


def cost(counts: np.ndarray, cost_fn: float, cost_fp: float, prior: float | None) -> Any:
    (tn, fp), (fn, tp) = counts
    share = (fn + tp) / counts.sum() if prior is None else prior
    return cost_fn * share * fn / (fn + tp) + cost_fp * (1 - share) * fp / (tn + fp)


#: Of [[TN, FP], [FN, TP]]; the ratio of errors is of [[right, wrong], [right, wrong]], theirs first.
RATIO_OF: dict[str, Callable[[np.ndarray], Any]] = {
    "lr_plus": lambda c: c[1, 1] / c[1].sum() * c[0].sum() / c[0, 1],
    "lr_minus": lambda c: c[1, 0] / c[1].sum() * c[0].sum() / c[0, 0],
    "dor": lambda c: c[1, 1] * c[0, 0] / (c[0, 1] * c[1, 0]),
    "errors": lambda c: c[1, 1] / c[1].sum() * c[0].sum() / c[0, 1],
}
