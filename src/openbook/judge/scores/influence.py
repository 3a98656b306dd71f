r"""How much each row moves a score: its influence.

    score of other rows  ≈  score + (1/n) Σ_i φ_i,      Σ_i φ_i = 0 over the rows at hand

    a mean of losses l        φ_i = l_i - m                         accuracy, log loss, costs, MSE, MAE
    a root of a mean          φ_i = (l_i - m) / (2 √m)              RMSE
    a function y of counts    φ_i = n ∂y / ∂n_tp                    truth t, prediction p: F1, kappa
    area under the ROC curve  φ_i = n/n₊ (F₋(s_i) - A)              of a positive row; of a negative one
                              φ_i = n/n₋ (1 - F₊(s_i) - A)
    average precision         φ_i = n/n₊ (y_i (P_i - AP) + Σ_{k positive, s_k ≤ s_i} (y_i - P_k) / N_k)
    R²                        φ_i = (1 - R²) d_i² / S - l_i / S     d_i distance from the mean, S mean of d²
    correlation               φ_i = a_i b_i - r (a_i² + b_i²) / 2   a, b standardised

F is the share of the other kind's scores below s, ties counted half. Of few rows of a class A lies closer to
their own F than the true area does, so φ is multiplied by √(n₊ / (n₊ - 1)), or that of n₋: DeLong's variance.
P_k is the precision of the N_k rows that score at least s_k.

The standard error of a score is that of the mean of φ, whatever the score is: see `spread`. A metric without
a formula of its own is computed again without each row (the jackknife).
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.judge.scores.rates import rate_slopes

if TYPE_CHECKING:
    from openbook.judge.scores.metrics import Predictions

#: The influence of every row on a score.
Influence = Callable[["Predictions"], np.ndarray]

#: More rows are left out in so many parts.
_PARTS = 500
#: Scores of counts are of the order of 1: smaller influences are rounding errors.
_ROUNDING = 1e-9


def of_losses(losses: Influence, p: "Predictions") -> np.ndarray:
    """On the mean of losses."""
    lost = losses(p)
    return lost - lost.mean()


def of_root(losses: Influence, p: "Predictions") -> np.ndarray:
    """On the root of that mean."""
    lost = losses(p)
    mean = float(lost.mean())
    return (lost - mean) / (2 * math.sqrt(mean)) if mean > 0 else np.zeros(len(lost))


def of_counts(statistic: Callable[[np.ndarray], Any], p: "Predictions") -> np.ndarray:
    """On a function of the confusion counts that stays the same when all of them are doubled."""
    k = p.n_classes
    counts = np.bincount(p.truth * k + p.predicted, minlength=k * k).reshape(k, k)
    gradient = rate_slopes(statistic, counts, zip(*np.nonzero(counts), strict=True))
    moved = len(p.truth) * gradient[p.truth, p.predicted]
    return np.where(np.abs(moved) < _ROUNDING, 0.0, moved)


def over_classes(one: Callable[[np.ndarray, np.ndarray], np.ndarray], p: "Predictions") -> np.ndarray:
    """On a score of truth and probabilities: the second's of two classes, else the mean over all."""
    classes = range(1, 2) if p.n_classes == 2 else range(p.n_classes)
    each = [one(p.truth == c, p.proba[:, c]) for c in classes]  # type: ignore[index]
    return np.mean(each, axis=0)  # type: ignore[no-any-return]


def of_area(truth: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """On the area under the ROC curve."""
    n, found = len(truth), np.empty(len(truth))
    positive, negative = np.sort(scores[truth]), np.sort(scores[~truth])
    found[truth] = _share_below(negative, scores[truth])
    found[~truth] = 1 - _share_below(positive, scores[~truth])
    area = found[truth].mean()
    found -= area
    for rows, count in ((truth, len(positive)), (~truth, len(negative))):
        found[rows] *= n / count * math.sqrt(count / max(1, count - 1))
    return found


def _share_below(ordered: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The share of sorted scores below each of these, ties counted half."""
    below, not_above = np.searchsorted(ordered, scores), np.searchsorted(ordered, scores, side="right")
    return (below + not_above) / (2 * len(ordered))


def of_average_precision(truth: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """On the average precision."""
    n, hits = len(truth), int(truth.sum())
    ordered, ordered_hits = np.sort(scores), np.sort(scores[truth])
    from_here = n - np.searchsorted(ordered, scores)
    precision = (hits - np.searchsorted(ordered_hits, scores)) / from_here
    average = precision[truth].mean()
    positive = np.flatnonzero(truth)[np.argsort(scores[truth], kind="stable")]
    below = np.searchsorted(scores[positive], scores, side="right")  # positive rows that score no more
    once = np.concatenate([[0], np.cumsum(1 / from_here[positive])])[below]
    weighed = np.concatenate([[0], np.cumsum(precision[positive] / from_here[positive])])[below]
    return n / hits * (truth * (precision - average) + truth * once - weighed)


def of_r2(p: "Predictions") -> np.ndarray:
    """On R²."""
    squares, around = (p.truth - p.predicted) ** 2, (p.truth - p.truth.mean()) ** 2
    spread = float(around.mean())
    return (squares.mean() / spread * around - squares) / spread if spread > 0 else np.zeros(len(squares))


def of_correlation(p: "Predictions") -> np.ndarray:
    """On the correlation of truth and prediction."""
    a, b = (x - x.mean() for x in (p.truth, p.predicted))
    sizes = math.sqrt(float((a * a).mean())), math.sqrt(float((b * b).mean()))
    if not all(sizes):
        return np.zeros(len(a))
    a, b = a / sizes[0], b / sizes[1]
    return a * b - float((a * b).mean()) * (a * a + b * b) / 2


def by_deletion(score: Callable[["Predictions"], float], p: "Predictions") -> np.ndarray:
    """On any score: the loss without each row. Many rows are left out in parts; the first row gets the
    loss.
    """
    n = len(p.truth)
    parts = np.array_split(np.random.default_rng(0).permutation(n), min(n, _PARTS))
    found, everything = np.zeros(n), score(p)
    for part in parts:
        rest = np.delete(np.arange(n), part)
        lost = everything - score(p.take(rest)) if len(rest) else math.nan
        found[part[0]] = 0.0 if math.isnan(lost) else lost * (n - len(part))
    return found - found.mean()
