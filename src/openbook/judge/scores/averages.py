"""Averages over the classes of a confusion table.

    macro       (1/k) Σ_c v_c                    every class counts the same
    weighted    Σ_c t_c v_c / n                  every class counts by its rows t_c
    micro       Σ_c TP_c / Σ_c (TP_c + FP_c)     all rows together; where each has one class, the accuracy

v_c is the precision, recall or F1 of class c against the rest. F1 averages in two ways that differ: the mean
of the classes' F1 (`f1`), and the F1 of mean precision and mean recall (`f1_of_means`). An average over a
class whose own value is 0/0 is NaN, with the name of the class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from openbook.errors import check_named
from openbook.judge.scores.rates import LOGIT, Rate, by_class, mean_over_classes, share, smooth

KINDS = ("macro", "micro", "weighted")
AVERAGED = ("precision", "recall", "f1", "f1_of_means")


@dataclass(frozen=True)
class Average:
    """Averages over the classes; `f1` is the mean of F1, `f1_of_means` that of the other two means."""

    kind: str
    precision: Rate
    recall: Rate
    f1: Rate
    f1_of_means: Rate


def averages_of(counts: np.ndarray, labels: Sequence[Any], kind: str, level: float = 0.95) -> Average:
    """Average over the classes of a table.

    >>> found = averages_of(np.array([[8, 2, 0], [1, 6, 3], [0, 1, 9]]), "abc", "macro")
    >>> round(found.f1.value, 4), round(found.f1_of_means.value, 4)
    (0.764, 0.7676)
    """
    check_named("average", kind, KINDS)
    return Average(kind, *(_mean(counts, labels, kind, what, level) for what in AVERAGED))


def _mean(counts: np.ndarray, labels: Sequence[Any], kind: str, what: str, level: float) -> Rate:
    name, n = f"{kind}_{what}", int(counts.sum())
    if n == 0 or kind == "micro" or (kind, what) == ("weighted", "recall"):
        return share(int(np.trace(counts)), n, "there are no rows", name, level)
    mean = partial(mean_over_classes, what=what, weighted=kind == "weighted")
    return smooth(mean, counts, LOGIT, _lacking(counts, labels, kind, what), name, level)


def _lacking(counts: np.ndarray, labels: Sequence[Any], kind: str, what: str) -> str:
    """Which class leaves an average undefined, and why."""
    hows = {
        "precision": "is never predicted",
        "recall": "has no rows",
        "f1": "neither occurs nor is predicted",
    }
    for part in ("precision", "recall") if what == "f1_of_means" else (what,):
        lacking = np.isnan(by_class(counts)[part])
        if kind == "weighted":
            lacking &= counts.sum(axis=1) > 0
        if lacking.any():
            return f"class {str(labels[int(np.argmax(lacking))])!r} {hows[part]}"
    return "mean precision and mean recall are both 0"
