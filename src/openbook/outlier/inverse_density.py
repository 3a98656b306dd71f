r"""Inverse density: the mean distance of a row to its k nearest neighbours.

    density = 1 / ((1/k) Σ_i d_i),      score = 1 / density = (1/k) Σ_i d_i

See `nearby` for the search, missing cells, and how distances are shared out.
"""

import math

import numpy as np

from openbook.outlier.detector import Account
from openbook.outlier.nearby import Nearby
from openbook.words.numbers import fraction
from openbook.work import Step

#: A mean distance below this counts as this, so that rows on top of each other have a density.
LEAST = 1e-10


class InverseDensity(Nearby):
    """Inverse density: the mean distance to the k nearest rows.

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
        The share of the training rows that are outliers. "auto" is 0.1.
    top : int or None, default=None

    Attributes
    ----------
    effective_metric_ : str or function
    n_neighbors_ : int
    n_samples_fit_ : int
    space_ : Space
    statistics_ : StoredRows
    scores_ : ndarray of shape (n_rows,)
    threshold_ : float

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> model = InverseDensity(n_neighbors=2, scale=False, top=1).fit(X)
    >>> model.oddness([[5.0]]).round(3).tolist(), model.density([[5.0]]).round(3).tolist()
    ([4.75], [0.211])
    """

    n_neighbors: int = 5

    def density(self, X):
        """The density of each row.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n,)
        """
        return 1 / np.maximum(self.oddness(X), LEAST)

    def _score(self, distances, rows):  # noqa: ARG002 (distances suffice)
        return distances.mean(axis=1)

    def _account(self, X):
        near = self._around(X)
        k = len(near)
        total = math.fsum(d for _, d, _ in near)
        score = total / k
        shares, rest = self._shared(X, [row for row, _, _ in near], [1 / k] * k)
        density = Step("density", r"\frac{k}{\sum_i d_i}", fraction(k, total), k / max(total, LEAST * k))
        step = Step("score", r"\frac{1}{density}", fraction(total, k), score)
        meaning = "Shares of the mean distance to the nearest rows; they sum to the score."
        return Account(score, shares, self._shown(near), (density, step), meaning, rest)
