r"""Proxies: columns that predict a sensitive attribute, so that leaving it out does not suffice.

Each column alone predicts the group of a test row,

    group(v) = argmax_g P(v | g),    score = mean over the groups g of the share of its rows that is found

by cross-validation. The score is balanced accuracy: every group counts the same, so a blind guess
scores 1/k with k groups. Intervals and p-values are those of the corrected resampled t over the folds, or
Wilson's where every fold scores the same; both are Bonferroni's for the number of columns, so that a 95%
interval excludes 1/k exactly where p is below 5%.

Numbers are cut into tenths (of all rows, regardless of the group); missing is a value of its own. If groups
are equally likely, also for a value without training rows, each gets an equal part of the rows. Text is left
out.
"""

from dataclasses import dataclass, replace

import numpy as np

from openbook.data import Categorical, Column, Numeric, Table
from openbook.data.adjustments import bonferroni
from openbook.judge.chance.intervals import Interval, corrected_t, wilson
from openbook.judge.chance.significance import corrected_t_test

_FOLDS = 10
#: The most intervals of about equal frequency into which numbers are cut.
_BINS = 10


@dataclass(frozen=True)
class Proxy:
    """How well one column predicts the group: balanced accuracy, its interval, and that of guessing.

    `p_value` tests the difference between the two, adjusted for the number of columns.
    """

    column: str
    score: float
    interval: Interval
    baseline: float
    p_value: float

    def tells(self, alpha: float = 0.05) -> bool:
        """Whether it is significantly better than a blind guess."""
        return self.p_value < alpha and self.score > self.baseline


def proxies(
    table: Table, groups: np.ndarray, level: float = 0.95, random_state: int = 0
) -> tuple[Proxy, ...]:
    """How well each column of a table predicts the group of a row, the best first.

    Parameters
    ----------
    table : the other columns
    groups : codes 0, 1, … of each row's group, below 0 if it is unknown; a group of one row is left out
    level : of all intervals together
    random_state : for the folds
    """
    names = [a.name for a in table.schema if isinstance(a, Numeric | Categorical)]
    sizes = np.bincount(groups[groups >= 0])
    rows = np.flatnonzero((groups >= 0) & (sizes[groups] > 1))
    _, codes = np.unique(groups[rows], return_inverse=True)
    k = int(codes.max(initial=-1)) + 1
    if k < 2 or not names:
        return ()
    folds = _stratified(codes, random_state)
    n, n_folds = len(rows), int(folds.max()) + 1
    found, each = [], 1 - (1 - level) / len(names)
    for name in names:
        scores = _scores(binned(table.column(name).take(rows)), codes, folds, n_folds, k)
        p = corrected_t_test(scores - 1 / k, n - n / n_folds, n / n_folds, each).p_value
        score = float(scores.mean())
        if np.ptp(scores) <= 1e-12:
            interval = wilson(score * n, n, each)
        else:
            interval = corrected_t(scores, n - n / n_folds, n / n_folds, each).within(0, 1)
        found.append(Proxy(name, score, replace(interval, level=level), 1 / k, p))
    adjusted = bonferroni([one.p_value for one in found]).tolist()
    listed = [replace(one, p_value=p) for one, p in zip(found, adjusted, strict=True)]
    return tuple(sorted(listed, key=lambda one: -one.score))


def _stratified(codes: np.ndarray, random_state: int) -> np.ndarray:
    """The fold of each row, so that every fold has its part of every group."""
    n_folds = max(2, min(_FOLDS, int(np.bincount(codes).min())))
    order = np.random.default_rng(random_state).permutation(len(codes))
    by_group = order[np.argsort(codes[order], kind="stable")]
    starts = np.searchsorted(codes[by_group], np.arange(codes.max() + 1))
    folds = np.empty(len(codes), dtype=np.intp)
    folds[by_group] = (np.arange(len(codes)) - starts[codes[by_group]]) % n_folds
    return folds


def binned(column: Column) -> np.ndarray:
    """A code for each cell, 0 if it is missing; numbers in intervals of about equal frequency."""
    if isinstance(column.attribute, Categorical):
        return np.maximum(column.data, -1).astype(np.intp) + 1
    finite = column.data[np.isfinite(column.data)]
    cuts = np.unique(np.quantile(finite, np.arange(1, _BINS) / _BINS)) if len(finite) else np.zeros(0)
    return np.where(column.missing, 0, 1 + np.searchsorted(cuts, column.data))


def _scores(values: np.ndarray, codes: np.ndarray, folds: np.ndarray, n_folds: int, k: int) -> np.ndarray:
    """The balanced accuracy of each fold."""
    width = int(values.max()) + 1
    flat = np.bincount((folds * width + values) * k + codes, minlength=n_folds * width * k)
    tested = flat.reshape(n_folds, width, k)
    trained = tested.sum(axis=0) - tested
    likely = trained / trained.sum(axis=1, keepdims=True)
    best = likely == likely.max(axis=2, keepdims=True)
    found = (tested * best / best.sum(axis=2, keepdims=True)).sum(axis=1)
    scores: np.ndarray = (found / tested.sum(axis=1)).mean(axis=1)
    return scores
