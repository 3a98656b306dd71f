r"""An isolation forest that also scores cells far outside the range of their column.

    score = max(s, max_j g_j),    g_j = a_j / (a_j + 2)

s is the score of the isolation forest. a_j is how far a number lies outside the middle 90% of its column, in
halves of that range:

    a = (x - q95) / (q95 - median)  above,    (q05 - x) / (median - q05)  below,    0 inside

The quantiles do not move with a few gross errors, as the range and the standard deviation do, and each side
has a scale of its own, so that a skewed column has no false outliers. A normal number reaches a = 1 once in
1,000 rows (g = 0.33); a = 3 is 0.6, the threshold of isolation forests. If a half is 0, it is replaced by the
other one, then by the standard deviation, then by 1. Missing cells, ordinal and nominal columns have
g = 0.
"""

import math

import numpy as np

from openbook.damage import checked_floats, require
from openbook.data import Numeric
from openbook.outlier.columns import all_values, known, looked_at, values_of
from openbook.outlier.detector import Account
from openbook.outlier.isolation_forest import IsolationForest
from openbook.words.numbers import figure, fraction, signed
from openbook.work import Grid, Step

#: The excess that scores one half.
_HALF = 2.0


class IsolationLimits(IsolationForest):
    """An isolation forest, and cells far outside the limits of their column: the larger score counts.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    max_samples : int or "auto", default='auto'
        Ψ, the rows that each tree is grown on, drawn at random; "auto" is 256. All rows, if
        there are fewer.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement.
    random_state : int, RandomState or None, default=None
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
    top : int or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    limits_ : ndarray of shape (n_columns, 2)
        The 5% and the 95% quantile of each column of numbers or ranks.
    halves_ : ndarray of shape (n_columns, 2)
        How far these are below and above the median.
    forest_ : IsolationTrees
        The trees, as arrays.
    max_samples_ : int
        The number of rows that each tree was grown on.
    low_, range_ : ndarray of shape (n_columns,)
        The least number or rank of each column, and its range.
    threshold_ : float

    References
    ----------
    Liu, Ting and Zhou (2008), Isolation forest. Tukey (1977), Exploratory data analysis.

    Examples
    --------
    >>> ages = [[20.0 + i % 60, float(i % 7)] for i in range(300)] + [[250.0, 3.0]]
    >>> model = IsolationLimits(random_state=0).fit(ages)
    >>> int(model.oddness(ages).argmax()), model.reasons([250.0, 3.0]).ranked[0].attribute
    (300, 'x0')
    """

    def _learn(self, rows):
        super()._learn(rows)
        found = [_limits(column) for column in known(all_values(rows))] if looked_at(self.schema_) else []
        both = np.array(found, dtype=float).reshape(-1, 4)
        self.limits_, self.halves_ = both[:, :2].copy(), both[:, 2:].copy()

    def _excess(self, X):
        """The distance of each number outside its limits, (n, d); 0 for ranks and gaps."""
        if not len(self.limits_):
            return np.zeros((len(X), 0))
        values = values_of(X)
        (low, high), (below, above) = self.limits_.T, self.halves_.T
        with np.errstate(over="ignore", invalid="ignore"):
            excess = np.maximum(np.maximum((low - values) / below, (values - high) / above), 0.0)
        numbers = np.array([isinstance(self.schema_[name], Numeric) for name in looked_at(self.schema_)])
        return np.where(np.isfinite(values) & numbers, np.minimum(excess, 1e300), 0.0)

    def _scores(self, X):
        excess = self._excess(X).max(axis=1, initial=0.0)
        return np.maximum(super()._scores(X), excess / (excess + _HALF))

    def _account(self, X):
        account = super()._account(X)
        excess = dict(zip(looked_at(self.schema_), self._excess(X)[0].tolist(), strict=True))
        gross = {name: a / (a + _HALF) for name, a in excess.items()}
        if max(gross.values(), default=0.0) <= account.score:
            return account
        steps = tuple(self._step(j, name, X) for j, name in enumerate(excess) if excess[name])
        shares = [gross.get(name, 0.0) for name in self.schema_.names]
        score = max(shares)
        listed = ", ".join(figure(g) for g in (account.score, *gross.values()))
        joined = Step("score", r"\max(s, g_1, \ldots, g_d)", rf"\max({listed})", score, "s: of the forest")
        meaning = "How far outside its column's limits, a / (a + 2); the largest is the score."
        return Account(score, shares, steps, (joined,), meaning)

    def _step(self, j, name, X):
        x = float(X.data(name)[0])
        (low, high), (below, above) = self.limits_[j].tolist(), self.halves_[j].tolist()
        sides = ((x, high, above), (low, x, below))
        more, less, half = max(sides, key=lambda side: (side[0] - side[1]) / side[2])
        numbers = fraction(f"{figure(more)} - {signed(less)}", half)
        return Step(f"a of {name}", "", numbers, min((more - less) / half, 1e300))

    def _learnt(self):
        figures = np.hstack([self.limits_, self.halves_]).tolist()
        rows = [(name, *row) for name, row in zip(looked_at(self.schema_), figures, strict=True)]
        header = ("column", "5% quantile", "95% quantile", "half below", "half above")
        rule = Step("g", r"\frac{a}{a + 2}", note="a: halves of the middle 90% outside of it")
        return (*super()._learnt(), rule, Grid("limits", header, rows))

    def _arrays(self):
        return {**super()._arrays(), "limits": self.limits_, "halves": self.halves_}

    def _restore(self, arrays):
        super()._restore(arrays)
        shape = (len(looked_at(self.schema_)), 2)
        self.limits_, self.halves_ = checked_floats(arrays, limits=shape, halves=shape)
        require(self.halves_ > 0, "the halves of a range must lie above 0")


def _limits(column):
    """The 5% and 95% quantiles of known numbers, and how far the median is from each."""
    if not len(column):
        return 0.0, 0.0, 1.0, 1.0
    low, median, high = np.quantile(column, (0.05, 0.5, 0.95)).tolist()
    below, above = median - low, high - median
    spread = float(column.std())
    usual = below or above or (spread if math.isfinite(spread) else 0.0) or 1.0
    return low, high, below or usual, above or usual
