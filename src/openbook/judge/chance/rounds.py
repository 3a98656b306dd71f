r"""Rounds of folds: how much the losses of two rows go together, since each trains the model of the other.

A row is tested once in a round, but it also trains the models that test the rows of other folds. So rows that
are taken for independent show too little variance. Let D_i be what chance adds to the loss of row i: its loss
minus the expected loss of the model that tests it. Whatever the other rows are, its mean is 0. In a round in
which j is in the same fold, D_i' does not depend on j. So E[D_i' D_j] = 0, and likewise E[D_i D_j'] =
E[D_i' D_j'] = 0:

    E[D_i D_j] = E[(D_i - D_i') (D_j - D_j')] ≈ mean of (φ_i - φ_i') (φ_j - φ_j')

over all pairs of rows, and of rounds of which the second has them in one fold and the first in two. φ - φ' is
D - D' and the difference of the expected losses of two models, which makes the mean rather too large than too
small. As n rows have n (n - 1) such pairs, and K folds leave 1 - 1/K of them apart, the variance of the score
is that of rows, s² / n, and (1 - 1/K) E[D_i D_j].

Bates, Hastie and Tibshirani (2023), Cross-validation: what does it estimate and how well does it do
it?, fit models that leave out two folds for the same reason. Where folds are repeated, they are not needed.
"""

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np


@dataclass(frozen=True, eq=False)
class Rounds:
    """What rows add to a score in each round of folds.

    Parameters
    ----------
    influence : φ of every row (columns) in each round (rows)
    fold : the fold that tested it, from 0
    """

    influence: np.ndarray
    fold: np.ndarray

    def minus(self, other: "Rounds") -> "Rounds":
        """Those of the difference of two scores."""
        return Rounds(self.influence - other.influence, self.fold)

    def of_units(self, codes: np.ndarray) -> "Rounds | None":
        """Those of the sums of rows that belong together; None where these are not tested together."""
        fold = self.fold[:, np.unique(codes, return_index=True)[1]]
        if (fold[:, codes] != self.fold).any():
            return None
        sums = np.array([np.bincount(codes, each) for each in self.influence])
        return Rounds(sums * (fold.shape[1] / len(codes)), fold)

    @property
    def missing(self) -> float:
        """ρ, the variance that rows miss as a share of theirs; NaN where nothing is known of it."""
        n, variance = self.fold.shape[1], float(self.influence.mean(axis=0).var(ddof=1))
        return (1 - 1 / (1 + self.fold.max())) * n * self.covariance / variance if variance > 0 else math.nan

    @property
    def covariance(self) -> float:
        """E[D_i D_j] of rows in different folds; NaN where no round has two of them in one fold.

        >>> influence = np.array([[0.0, 0.0, 1.0, 1.0], [2.0, 1.0, 1.0, 1.0]])
        >>> Rounds(influence, np.array([[0, 0, 1, 1], [0, 1, 0, 1]])).covariance  # (2 · 1 + 0 + 0 + 0) / 4
        0.5
        """
        total, pairs, one = 0.0, 0.0, np.ones(self.fold.shape[1])
        for together, apart in permutations(range(len(self.fold)), 2):
            change = self.influence[apart] - self.influence[together]
            in_one = self.fold[together]
            in_both = in_one * (1 + self.fold.max()) + self.fold[apart]
            total += _products(change, in_one) - _products(change, in_both)
            pairs += _products(one, in_one) - _products(one, in_both)
        return total / pairs if pairs else math.nan


def _products(x: np.ndarray, fold: np.ndarray) -> float:
    """The sum of x_i x_j over all i and j of the same fold."""
    return float((np.bincount(fold, x) ** 2).sum())
