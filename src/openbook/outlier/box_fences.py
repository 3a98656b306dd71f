r"""Box-plot fences: distance of a number outside the quartiles of its column, in interquartile ranges.

    a_j = max(Q1 - x, x - Q3, 0) / (Q3 - Q1)

An outlier lies beyond a fence: a_j > 1.5, by default. Quartiles of the known cells are

    linear   by linear interpolation between values, as NumPy and R have them
    halves   the medians of the lower and the upper half, the middle value left out where there is one

If the quartiles coincide, 1.349 standard deviations replace Q3 - Q1, which is their distance for a normal
distribution; for a constant column, 1 does.
"""

from typing import Annotated

import numpy as np

from openbook.border.rules import OneOf
from openbook.damage import require
from openbook.outlier.columns import ColumnDetector, all_values, known, looked_at
from openbook.work import Grid, Step

#: The interquartile range of a normal distribution, in standard deviations.
_NORMAL = 1.3489795003921634


class BoxFences(ColumnDetector):
    """Box-plot fences: the row's largest distance outside a column's box, in interquartile ranges.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    quartiles : str, default='linear'
        "linear" interpolates between ranks; "halves" takes the medians of the lower and the upper half.
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold 1.5.
    top : int or None, default=None

    Attributes
    ----------
    q1_, q3_, iqr_ : ndarray of shape (n_columns,)
        The quartiles of each column of numbers or ranks, and how far they are apart.
    fences_ : ndarray of shape (n_columns, 2)
        The fences at the threshold.
    threshold_ : float

    References
    ----------
    Tukey (1977), Exploratory data analysis.

    Examples
    --------
    >>> temperatures = [[x] for x in (24.0, 28.9, 28.9, 29.0, 29.1, 29.1, 29.2, 29.2, 29.3, 29.4)]
    >>> model = BoxFences().fit(temperatures)
    >>> model.fences_.round(4).tolist(), model.predict([[24.0], [29.4]]).tolist()
    ([[28.5125, 29.6125]], [-1, 1])
    """

    quartiles: Annotated[str, OneOf("linear", "halves")] = "linear"

    weighs = False
    _natural = (1.5, "the box-plot fences")
    figures = ("q1", "q3", "iqr")
    letter = "a"
    meaning = "Distance outside the box in interquartile ranges; the largest is the score."

    def _learn(self, rows):
        columns = known(all_values(rows))
        ends = np.array([self._quartiles(column) if len(column) else (0.0, 0.0) for column in columns])
        self.q1_, self.q3_ = ends.reshape(-1, 2).T.copy()
        spread = np.array([_NORMAL * column.std() if len(column) else 0.0 for column in columns])
        apart = self.q3_ - self.q1_
        self.iqr_ = np.where(apart > 0, apart, np.where(spread > 0, spread, 1.0))

    def _quartiles(self, values):
        if self.quartiles == "linear":
            return np.quantile(values, (0.25, 0.75))
        half, values = max(len(values) // 2, 1), np.sort(values)
        return np.median(values[:half]), np.median(values[-half:])

    @property
    def fences_(self):
        beyond = self.threshold_ * self.iqr_
        return np.column_stack([self.q1_ - beyond, self.q3_ + beyond])

    def _oddness(self, values):
        return np.maximum(np.maximum(self.q1_ - values, values - self.q3_), 0.0) / self.iqr_

    def _step(self, j, name, x):
        q1, q3, iqr = float(self.q1_[j]), float(self.q3_[j]), float(self.iqr_[j])
        formula = r"\frac{\max(Q_1 - x, x - Q_3, 0)}{Q_3 - Q_1}"
        numbers = {"Q_1": q1, "x": x, "Q_3": q3, "Q_3 - Q_1": iqr}
        return Step.of(name, formula, numbers, max(q1 - x, x - q3, 0.0) / iqr)

    def _learnt(self):
        rows = zip(looked_at(self.schema_), self.q1_, self.q3_, self.iqr_, *self.fences_.T, strict=True)
        header = ("column", "Q1", "Q3", "Q3 - Q1", "low fence", "high fence")
        note = "If Q3 = Q1, the interquartile range is taken as 1.349 standard deviations."
        return (Grid("columns", header, list(rows), note),)

    def _restore(self, arrays):
        super()._restore(arrays)
        sound = (self.iqr_ > 0) & (self.q1_ <= self.q3_)
        require(sound, "quartiles must be in order, and their distance above 0")
