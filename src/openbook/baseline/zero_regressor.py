"""0R for numbers: always the mean, of least squared error, or the median, of least absolute error.

Missing cells do not matter, since no cell does. With an even number of rows the median is the mean of the
middle two.
"""

from typing import Annotated

import numpy as np

from openbook.border.folding import Folding
from openbook.border.learner import Regressor
from openbook.border.not_taken import Declared
from openbook.border.rules import OneOf
from openbook.data import Text
from openbook.kernels.samples import Samples
from openbook.words.numbers import figure, fraction
from openbook.work import Step, Work


class ZeroRegressor(Declared, Folding, Regressor):
    """Predict the mean or the median of the target, whatever the row.

    Parameters
    ----------
    strategy : {"mean", "median"}, default="mean"
        What to predict.

    Attributes
    ----------
    constant_ : float
        The number that is predicted.
    statistics_ : Samples
        The training targets, sorted, with their weights.

    Notes
    -----
    Guide: docs/guide/baselines.md

    Examples
    --------
    >>> ZeroRegressor("median").fit([[0], [0], [0], [0]], [1.0, 2.0, 4.0, 9.0]).constant_
    3.0
    """

    _accepts = (*Regressor._accepts, Text)

    strategy: Annotated[str, OneOf("mean", "median")] = "mean"

    def _step(self):
        return _targets

    def _zero(self):
        return Samples.zero(1, 1)

    def _solve(self):
        values, weights = self.statistics_.cell(0, 0)
        median = self.strategy == "median"
        self.constant_ = _median(values, weights) if median else float(np.average(values, weights=weights))

    def _predict(self, X):
        return np.full(len(X), self.constant_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # a baseline
        return tags

    def complexity(self):
        return 1

    def _work(self):
        values, weights = self.statistics_.cell(0, 0)
        total, N = figure(float(values @ weights)), figure(float(weights.sum()))
        if self.strategy == "mean":
            step = Step("mean", r"\frac{\sum y}{N}", fraction(total, N), self.constant_)
        else:
            step = Step("median", result=self.constant_, note=f"the middle of {N} numbers")
        return Work(f"0R for {self.target_}", (step,), f"Every row: {figure(self.constant_)}.")

    def _work_row(self, X):  # noqa: ARG002 (no row matters)
        return self._work()


def _targets(chunk):
    """The distinct targets of a chunk."""
    return Samples.of(chunk.y[:, None], np.zeros(len(chunk.y), dtype=int), chunk.w, 1)


def _median(values, weights):
    """The value with half of the weight below it; the mean of two where the half falls between them."""
    below = np.cumsum(weights)
    half = below[-1] / 2
    low, high = (int(np.searchsorted(below, half, side=side)) for side in ("left", "right"))
    return float(values[low] + values[min(high, len(values) - 1)]) / 2
