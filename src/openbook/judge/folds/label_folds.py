"""Folds in which every label has its share of rows, where rows may have several labels.

    wanted[k, l]     the rows of label l that fold k still lacks: at first its share of the rows of l

The label with the fewest remaining rows comes first. Each of its rows goes to the fold that lacks most rows
of that label; of equals, to the fold that lacks most rows; of equals, to a random one. Rows without a label
go to the folds that lack most rows. A label of fewer rows than folds is absent from some. After Sechidis et
al. (2011).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.errors import ParameterError
from openbook.judge.folds.splitters import RepeatedSplits
from openbook.words.parameters import documented


@documented
@dataclass(eq=False)
class IterativeStratification(RepeatedSplits):
    """Cross-validation for rows with several labels: each fold has about the same share of every label.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds.
    random_state : int, default=0
    repeats : int, default=1

    Notes
    -----
    Guide: docs/guide/multilabel.md

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.

    Examples
    --------
    >>> folds = IterativeStratification(n_splits=2)
    >>> y = np.array([[1, 1], [1, 0], [0, 1], [1, 1], [0, 0], [0, 0]])
    >>> [y[test].sum(axis=0).tolist() for _, test in folds.split(y, y)]
    [[2, 1], [1, 2]]
    """

    n_splits: int = 5
    random_state: int = 0
    repeats: int = 1

    def __post_init__(self) -> None:
        if self.n_splits < 2:
            raise ParameterError(f"n_splits must be at least 2, got {self.n_splits}")

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:  # noqa: ARG002
        """Training and test rows of each fold.

        Parameters
        ----------
        X : object
            Ignored: the number of rows is that of y.
        y : array-like of shape (n_rows, n_labels)
            0 or 1 for each row and label.
        groups : object, default=None
            Ignored, taken as scikit-learn passes it.

        Yields
        ------
        tuple of (ndarray, ndarray)
            The positions of the training rows and of the test rows.
        """
        cells = np.asarray(y).astype(bool)
        if len(cells) < self.n_splits:
            raise ParameterError(f"{self.n_splits} folds need as many rows, and there are {len(cells)}")
        for i in range(self.repeats):
            rng = np.random.default_rng([self.random_state, i] if i else self.random_state)
            fold = dealt_labels(cells, np.full(self.n_splits, 1 / self.n_splits), rng)
            for k in range(self.n_splits):
                yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


def dealt_labels(cells: np.ndarray, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The part of each row, where parts get these shares of the rows of every label.

    cells : bool (n_rows, n_labels);  shares : (n_parts,), with sum 1
    """
    part = np.full(len(cells), -1)
    rows_wanted = shares * len(cells)
    wanted = np.outer(shares, cells.sum(axis=0))
    order = rng.permutation(len(cells))
    while (left := cells[part < 0].sum(axis=0)).any():
        label = int(np.argmin(np.where(left > 0, left, np.inf)))
        for row in order[(part[order] < 0) & cells[order, label]].tolist():
            most = wanted[:, label] >= wanted[:, label].max() - 1e-9
            part[row] = k = _largest_deficit(most, rows_wanted, rng)
            wanted[k, cells[row]] -= 1
            rows_wanted[k] -= 1
    for row in order[part[order] < 0].tolist():
        part[row] = k = _largest_deficit(np.ones(len(shares), dtype=bool), rows_wanted, rng)
        rows_wanted[k] -= 1
    return part


def _largest_deficit(among: np.ndarray, rows_wanted: np.ndarray, rng: np.random.Generator) -> int:
    """The part with the largest deficit of rows `among` these; of equals, a random one."""
    best = np.flatnonzero(among & (rows_wanted >= rows_wanted[among].max() - 1e-9))
    return int(best[0] if len(best) == 1 else rng.choice(best))
