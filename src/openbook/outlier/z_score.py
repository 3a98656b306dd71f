r"""z-scores: how many standard deviations a number lies from the mean of its column.

    z_j = |x_j - m_j| / s_j,    s_j² = Σ w (x_j - m_j)² / W,  or / (W - 1)

over the known cells of the training rows. Three deviations are odd, by default: of normal
numbers 0.27% lie beyond. With few rows no z can be large: it is at most (n - 1)/√n with the sample deviation,
and √(n - 1) with the other. A deviation of 0 counts as 1.
"""

from typing import Annotated

import numpy as np

from openbook.border.rows import finite_sums
from openbook.border.rules import OneOf
from openbook.damage import require
from openbook.kernels.moments import Moments
from openbook.outlier.columns import ColumnDetector, looked_at, values_of
from openbook.work import Grid, Step


class ZScore(ColumnDetector):
    """z-score: the row's largest distance from a column mean, in standard deviations.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    variance : str, default='mle'
        Whether the variance divides by N ("mle") or by N - 1 ("sample").
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold 3.
    top : int or None, default=None

    Attributes
    ----------
    mean_, deviation_ : ndarray of shape (n_columns,)
        The mean and the standard deviation of each column of numbers or ranks.
    threshold_ : float

    Examples
    --------
    >>> temperatures = [[x] for x in (24.0, 28.9, 28.9, 29.0, 29.1, 29.1, 29.2, 29.2, 29.3, 29.4)]
    >>> model = ZScore().fit(temperatures)
    >>> model.oddness([[24.0]]).round(3).tolist(), model.predict([[24.0]]).tolist()
    ([2.985], [1])
    """

    variance: Annotated[str, OneOf("mle", "sample")] = "mle"

    _natural = (3.0, "three standard deviations")
    figures = ("mean", "deviation")
    letter = "z"
    meaning = "Standard deviations from the mean; the largest is the score."

    def _learn(self, rows):
        moments = finite_sums(rows, _moments)
        variance = moments.variance(ddof=int(self.variance == "sample"))[0]
        self.mean_ = moments.mean[0]
        self.deviation_ = np.where(variance > 0, np.sqrt(np.maximum(np.nan_to_num(variance), 0.0)), 1.0)

    def _oddness(self, values):
        return np.abs(values - self.mean_) / self.deviation_

    def _step(self, j, name, x):
        m, s = float(self.mean_[j]), float(self.deviation_[j])
        return Step.of(name, r"\frac{|x - m|}{s}", {"x": x, "m": m, "s": s}, abs(x - m) / s)

    def _learnt(self):
        names = looked_at(self.schema_)
        rows = zip(names, self.mean_.tolist(), self.deviation_.tolist(), strict=True)
        by = "N - 1" if self.variance == "sample" else "N"
        note = f"The variance divides by {by}; a standard deviation of 0 counts as 1."
        skipped = [name for name in self.schema_.names if name not in names]
        if skipped:
            note += f"Nominal columns are not used: {', '.join(skipped)}."
        return (Grid("columns", ("column", "mean m", "deviation s"), list(rows), note),)

    def _restore(self, arrays):
        super()._restore(arrays)
        require(self.deviation_ > 0, "a standard deviation must lie above 0")


def _moments(chunk):
    values = values_of(chunk.X)
    return Moments.of(values, np.zeros(len(values), np.intp), chunk.w, 1)
