r"""The local outlier factor: how much lower the density of a row is than that of its k nearest neighbours.

    reach(x, o) = max(d_k(o), d(x, o))               d_k(o): the distance of o to its own k-th nearest row
    lrd(x)      = 1 / ((1/k) Σ_i reach(x, o_i))      the local reachability density
    score = LOF(x) = (1/k) Σ_i lrd(o_i) / lrd(x)

About 1 is ordinary; above 1.5, by default, a row is an outlier. A mean reach below 1e-10 counts as
1e-10, so that rows on top of each other have a density. Exactly k rows count, of equally far ones the first.
See `nearby` for the search, missing cells, and how distances are shared out; where the reach is d_k(o), no
column accounts for it.
"""

import math
from dataclasses import KW_ONLY

import numpy as np

from openbook.outlier.detector import Account
from openbook.outlier.inverse_density import LEAST
from openbook.outlier.nearby import Nearby
from openbook.words.numbers import fraction
from openbook.work import Step


class LocalOutlierFactor(Nearby):
    """Local outlier factor: the density around the row's nearest rows, relative to its own.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    n_neighbors : int, default=20
        How many of the nearest rows count: at least as many as rows that together make a cluster.
    metric : str or function, default='auto'
    scale : bool, default=True
    p : float, default=2
    algorithm : str, default='auto'
    allow_large : bool, default=False
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold 1.5.
    top : int or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    negative_outlier_factor_ : ndarray of shape (n_rows,)
        The negative scores of the training rows, as in scikit-learn.
    effective_metric_ : str or function
    n_neighbors_ : int
    n_samples_fit_ : int
    space_ : Space
    statistics_ : StoredRows
    scores_ : ndarray of shape (n_rows,)
    lrd_, kth_ : ndarray of shape (n_rows,)
        Their local reachability densities, and the distances to their k-th nearest rows.
    threshold_ : float

    References
    ----------
    Breunig, Kriegel, Ng and Sander (2000), LOF: identifying density-based local outliers.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> LocalOutlierFactor(n_neighbors=2, scale=False).fit_predict(X).tolist()
    [1, 1, 1, 1, -1]
    """

    n_neighbors: int = 20
    _: KW_ONLY
    n_jobs: int | None = None

    _natural = (1.5, "a density two thirds of that of its nearest rows")
    figures = ("lrd", "kth")

    def _learn_density(self, distances, rows):
        self.kth_ = distances[:, -1].copy()
        self.lrd_ = 1 / self._reach(distances, rows)

    def _score(self, distances, rows):
        return self._reach(distances, rows) * self.lrd_[rows].mean(axis=1)

    @property
    def negative_outlier_factor_(self):
        """The negative scores of the training rows, as in scikit-learn."""
        return -self.scores_

    def _reach(self, distances, rows):
        """The mean reach of each row."""
        return np.maximum(np.maximum(distances, self.kth_[rows]).mean(axis=1), LEAST)

    def _account(self, X):
        near = self._around(X)
        rows, distances, _ = map(list, zip(*near, strict=True))
        k, kth, lrd = len(near), self.kth_[rows].tolist(), self.lrd_[rows].tolist()
        reaches = list(map(max, kth, distances))
        mean, mean_lrd = max(math.fsum(reaches) / k, LEAST), math.fsum(lrd) / k
        score = mean * mean_lrd
        by_distance = [mean_lrd / k if d >= d_k else 0.0 for d, d_k in zip(distances, kth, strict=True)]
        shares, rest = self._shared(X, rows, by_distance)
        by_reach = score - math.fsum([*shares, *(part for _, part in rest)])
        numbers = fraction(mean_lrd, 1 / mean)
        steps = (
            Step("lrd", r"\frac{1}{\frac{1}{k} \sum_i reach_i}", fraction(1, mean), 1 / mean),
            Step("mean lrd of the nearest rows", r"\frac{1}{k} \sum_i lrd(o_i)", "", mean_lrd),
            Step("score", r"\frac{\frac{1}{k} \sum_i lrd(o_i)}{lrd(x)}", numbers, score),
        )
        shown = self._shown(near, ("d k", kth), ("reach", reaches), ("lrd", lrd))
        meaning = (
            "Shares of the mean reachability distance times the neighbours' density; they sum to the score."
        )
        rest += (("reachability of the nearest rows", by_reach),)
        return Account(score, shares, shown, steps, meaning, rest)
