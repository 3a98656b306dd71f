r"""Repeated folds: the covariance of the losses of two rows, since each trains the model of the other.

A row is tested once in a round, but it also trains the models that test the rows of other folds. So treating
rows as independent underestimates the variance. Let D_i be the random part of the loss of row i: its loss
minus e, the expected loss of the model that tests it. Its mean is 0, given the other rows. In a round in
which j is in the same fold, D_i' does not depend on j. So E[D_i' D_j] = 0, and likewise E[D_i D_j'] = E[D_i'
D_j'] = 0. The change of a loss from round to round is φ - φ' = D - D' + e - e'. Hence the mean product of two
rows' changes is, over all pairs of rows and rounds

    parted: in one fold of a round and in two of the other     C + W,   C = E[D_i D_j]
    kept: in one fold of both                                  2 W,     W = E[(e - e')²] / 2

W is the variance between models. It is not an error of the score, which is about these models. There are n (n
- 1) pairs of rows, and K folds separate 1 - 1/K of them. So the variance of the score is s² / n + (1 - 1/K)
C, and ρ is the second term as a share of the first.

Few pairs are kept, so the estimate of W is rough; for unstable learners, so is that of C. Where u is the
variance of a row's loss between R rounds, and there are N products, the variance of the mean is 2 u² (R + 2)
/ N for parted pairs, and that of half the mean about 4 u² / N for kept ones. But neither C nor W is below 0,
and ρ is at most 1, since the effect of a row on others is part of their variance. So ρ is the posterior mean
over all possible C and W, each weighted by the likelihood of the two means. Without data it is 1/2.

Bates, Hastie and Tibshirani (2023), Cross-validation: what does it estimate and how well does it do
it?, fit models that leave out two folds for the same reason. With repeated folds they are not needed.
"""

import math
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

#: C is averaged over so many values, up to so many standard errors above what is measured.
_GRID, _FAR = 200, 6


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
        """Those of the sums of rows that belong together; None if these are not tested together."""
        fold = self.fold[:, np.unique(codes, return_index=True)[1]]
        if (fold[:, codes] != self.fold).any():
            return None
        sums = np.array([np.bincount(codes, each) for each in self.influence])
        return Rounds(sums * (fold.shape[1] / len(codes)), fold)

    @property
    def missing(self) -> float:
        """ρ, the variance that rows miss as a share of theirs; NaN if nothing is known of it."""
        (parted, n_parted), (kept, n_kept) = self.products
        n, variance = self.fold.shape[1], float(self.influence.mean(axis=0).var(ddof=1))
        if not (variance > 0 and n_parted):
            return math.nan
        change = float(self.influence.var(axis=0, ddof=1).mean())
        if change == 0:
            return 0.0
        unit = variance / ((1 - 1 / (1 + self.fold.max())) * n)  # the C that makes ρ 1
        sure = (unit / change) ** 2
        return _probable(
            _Measured(parted / n_parted / unit, sure * n_parted / (2 * (len(self.fold) + 2))),
            _Measured(kept / max(n_kept, 1) / 2 / unit, sure * n_kept / 4),
        )

    @property
    def products(self) -> np.ndarray:
        """The sum of products of two rows' changes, and their number: of parted pairs, and of those kept.

        >>> influence = np.array([[0.0, 0.0, 1.0, 1.0], [2.0, 1.0, 1.0, 1.0]])
        >>> Rounds(influence, np.array([[0, 0, 1, 1], [0, 1, 0, 1]])).products  # 2 · 1, twice, and 0
        array([[4., 8.],
               [0., 0.]])
        """
        n, found = self.fold.shape[1], np.zeros((2, 2))
        for together, other in permutations(range(len(self.fold)), 2):
            change = self.influence[other] - self.influence[together]
            in_one = self.fold[together]
            in_both = in_one * (1 + self.fold.max()) + self.fold[other]
            one, both, itself = (
                np.array([_products(x, fold) for x in (change, np.ones(n))])
                for fold in (in_one, in_both, np.arange(n))
            )
            found += one - both, both - itself
        return found


class _Measured(NamedTuple):
    """A figure, and one over the variance of its error."""

    value: float
    precision: float


def _probable(total: _Measured, models: _Measured) -> float:
    """The mean of C between 0 and 1, given C + W and W, which is not below 0 either."""
    precision = total.precision + models.precision
    most = min(1.0, max(total.value, 0.0) + _FAR / math.sqrt(total.precision))
    c = most * (np.arange(_GRID) + 0.5) / _GRID
    w = (total.precision * (total.value - c) + models.precision * models.value) / precision
    apart = total.precision * models.precision / precision * (total.value - c - models.value) ** 2
    logs = log_ndtr(w * math.sqrt(precision)) - apart / 2
    return float(np.average(c, weights=np.exp(logs - logs.max())))


def _products(x: np.ndarray, fold: np.ndarray) -> float:
    """The sum of x_i x_j over all i and j of the same fold."""
    return float((np.bincount(fold, x) ** 2).sum())
