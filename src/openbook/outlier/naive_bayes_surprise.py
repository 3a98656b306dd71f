r"""Surprise: the negative log probability of a row, column by column, less the column's mean.

    score = Σ_j (-ln P(x_j) - h_j),    h_j = the mean of -ln P(x_j) over the training rows

P is a product of independent columns (`independent`), so a combination of ordinary cells is never unusual by
itself. Subtracting h_j makes the columns comparable: without it every value of a column with many values, or
of numbers in small units, would be surprising. The term of a missing cell is 0.
"""

import math
from functools import partial
from operator import add
from typing import Annotated

import numpy as np

from openbook.border.rules import OneOf
from openbook.damage import checked_array
from openbook.fold import fold
from openbook.outlier.detector import Account, Detector
from openbook.outlier.independent import Independent, known_cells
from openbook.work import Grid, Step, Work


class NaiveBayesSurprise(Detector):
    """Naive Bayes surprise: how improbable the cells of the row are, column by column.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    numbers : str, default='gaussian'
        The distribution of numbers: "gaussian", a normal curve, or "kernel", a density of any shape,
        which takes time in proportion to the training rows.
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" is 0.1.
    top : int or None, default=None

    Attributes
    ----------
    usual_ : ndarray of shape (n_columns,)
        h_j, the mean surprise of each column.
    threshold_ : float

    Examples
    --------
    >>> from openbook import load
    >>> X = load("loan").drop("cheat")
    >>> model = NaiveBayesSurprise(top=1).fit(X)
    >>> int(model.oddness(X).argmax()), X.row(int(model.oddness(X).argmax()))["income"]
    (6, 220.0)
    """

    numbers: Annotated[str, OneOf("gaussian", "kernel")] = "gaussian"

    def _learn(self, rows):
        self._columns = Independent(self.schema_, self.numbers).learn(rows)
        sums, weights = fold(rows.pieces, partial(_surprises, self._columns), add)
        self.usual_ = sums / np.where(weights > 0, weights, 1.0)

    def _scores(self, X):
        return np.where(known_cells(X), -self._columns.logs(X) - self.usual_, 0.0).sum(axis=1)

    def _account(self, X):
        rows, shares, parts, known = [], [], [], known_cells(X)[0]
        for name, usual, is_known in zip(self.schema_.names, self.usual_.tolist(), known, strict=True):
            step, log = self._columns.factor(X, name)
            shares.append(-log - usual if is_known else 0.0)
            rows.append((name, -log if is_known else None, usual, shares[-1]))
            parts.append(step)
        score = math.fsum(shares)
        grid = Grid("surprise", ("column", "-ln P", "mean h", "beyond"), rows)
        step = Step("score", r"\sum_j (-\ln P(x_j) - h_j)", "", score)
        meaning = "Surprise above the mean of the column; the score is the sum."
        return Account(score, shares, (*parts, grid), (step,), meaning)

    def _learnt(self):
        rows = list(zip(self.schema_.names, self.usual_.tolist(), strict=True))
        grid = Grid("mean surprise", ("column", "h"), rows, "The mean of -ln P over the training rows.")
        return (*self._columns.learnt(), Work("mean surprise by column", (grid,)))

    def _arrays(self):
        return {"usual": self.usual_, **self._columns.arrays()}

    def _restore(self, arrays):
        self.usual_ = checked_array(arrays, "usual", float, (len(self.schema_),))
        self._columns = Independent(self.schema_, self.numbers).restore(arrays)


def _surprises(columns, chunk):
    """Sums over known cells of the surprise and of the weight, (2, d)."""
    known = known_cells(chunk.X) * chunk.w[:, None]
    return np.array([(known * -columns.logs(chunk.X)).sum(axis=0), known.sum(axis=0)])
