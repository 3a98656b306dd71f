r"""Relative density: the density of a row over the mean density of its k nearest neighbours.

    density(x) = 1 / ((1/k) Σ_i d(x, o_i)),    relative density = density(x) / ((1/k) Σ_i density(o_i))
    score = 1 / relative density

so that a row of a sparse cluster is not unusual for its density alone. About 1 is ordinary; above 1.5, by
default, a row is an outlier. A mean distance below 1e-10 counts as 1e-10. See `nearby` for the search,
missing cells, and how distances are shared out.
"""

import math

import numpy as np

from openbook.outlier.detector import Account
from openbook.outlier.inverse_density import LEAST
from openbook.outlier.nearby import Nearby
from openbook.words.numbers import fraction
from openbook.work import Step


class RelativeDensity(Nearby):
    """Relative density: the density around the row's nearest rows, divided by the density around the row.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    n_neighbors : int, default=5
        How many of the nearest rows count.
    metric : str or function, default='auto'
    scale : bool, default=True
    p : float, default=2
    algorithm : str, default='auto'
    allow_large : bool, default=False
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold 1.5.
    top : int or None, default=None

    Attributes
    ----------
    effective_metric_ : str or function
    n_neighbors_ : int
    n_samples_fit_ : int
    space_ : Space
    statistics_ : StoredRows
    scores_ : ndarray of shape (n_rows,)
    density_ : ndarray of shape (n_rows,)
        The densities of the training rows.
    threshold_ : float

    References
    ----------
    Tan, Steinbach and Kumar (2005), Introduction to data mining, chapter 10.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> RelativeDensity(n_neighbors=2, scale=False).fit(X).oddness(X).round(3).tolist()
    [1.5, 0.833, 0.833, 1.5, 39.583]
    """

    n_neighbors: int = 5

    _natural = (1.5, "a density two thirds of that of its nearest rows")
    figures = ("density",)

    def relative_density(self, X):
        """The relative density of each row: the lower, the more unusual.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n,)
        """
        return 1 / self.oddness(X)

    def _learn_density(self, distances, rows):  # noqa: ARG002 (distances suffice)
        self.density_ = 1 / np.maximum(distances.mean(axis=1), LEAST)

    def _score(self, distances, rows):
        return np.maximum(distances.mean(axis=1), LEAST) * self.density_[rows].mean(axis=1)

    def _account(self, X):
        near = self._around(X)
        k, rows = len(near), [row for row, _, _ in near]
        mean = max(math.fsum(d for _, d, _ in near) / k, LEAST)
        densities = self.density_[rows].tolist()
        mean_density = math.fsum(densities) / k
        score = mean * mean_density
        shares, rest = self._shared(X, rows, [mean_density / k] * k)
        numbers = fraction(1 / mean, mean_density)
        steps = (
            Step("density", r"\frac{k}{\sum_i d_i}", fraction(1, mean), 1 / mean),
            Step("mean density of the nearest rows", r"\frac{1}{k} \sum_i density(o_i)", "", mean_density),
            Step("relative density", r"\frac{density(x)}{density(o)}", numbers, 1 / score),
            Step("score", r"\frac{1}{relative}", fraction(1, 1 / score), score),
        )
        meaning = "Shares of the mean distance times the neighbours' density; they sum to the score."
        return Account(score, shares, self._shown(near, ("density", densities)), steps, meaning, rest)
