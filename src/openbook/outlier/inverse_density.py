r"""The inverse of a row's density, which is the inverse of the mean distance to its k nearest rows.

    density = 1 / ((1/k) Σ_i d_i),      score = 1 / density = (1/k) Σ_i d_i

See `nearby` for the search, missing cells, and how distances are shared out.
"""

import math

import numpy as np

from openbook.outlier.detector import Account
from openbook.outlier.nearby import Nearby
from openbook.words.numbers import figure
from openbook.work import Step

__all__ = ["LEAST", "InverseDensity"]

#: A mean distance below this counts as this, so that rows on top of each other have a density.
LEAST = 1e-10


class InverseDensity(Nearby):
    """Inverse density: the mean distance to the k nearest rows.

    Parameters
    ----------
    n_neighbors : int
        How many of the nearest rows count.
    metric, scale, p, algorithm, allow_large : as for `Nearby`
    threshold, contamination, top : one at most
        Above which score a row is an outlier; None of them: a contamination of 0.1.

    Attributes
    ----------
    scores_ : the scores of the rows learnt from
    threshold_ : the score above which a row is an outlier

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> model = InverseDensity(n_neighbors=2, scale=False, top=1).fit(X)
    >>> model.oddness([[5.0]]).round(3).tolist(), model.density([[5.0]]).round(3).tolist()
    ([4.75], [0.211])
    """

    def density(self, X):
        """The density of each row."""
        return 1 / np.maximum(self.oddness(X), LEAST)

    def _compare(self, points):
        self.scores_ = self._nearest(points)[0].mean(axis=1)

    def _scores(self, X):
        return self._nearest(self.space_.place(X))[0].mean(axis=1)

    def _account(self, X):
        near = self._around(X)
        k = len(near)
        total = math.fsum(d for _, d, _ in near)
        score = total / k
        shares, rest = self._shared(X, [row for row, _, _ in near], [1 / k] * k)
        density = Step(
            "density", r"\frac{k}{\sum_i d_i}", rf"\frac{{{k}}}{{{figure(total)}}}", k / max(total, LEAST * k)
        )
        step = Step("score", r"\frac{1}{density}", rf"\frac{{{figure(total)}}}{{{k}}}", score)
        meaning = "Shares of the mean distance to the nearest rows; they sum to the score."
        return Account(score, shares, self._shown(near), (density, step), meaning, rest)
