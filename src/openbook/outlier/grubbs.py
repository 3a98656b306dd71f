r"""Grubbs' test: whether the number farthest from the mean of its column is too far for a normal sample.

    G = |x - m| / s,      G_crit = (n - 1)/√n · √(t² / (n - 2 + t²)),  t = t_{n-2}(1 - α/(2n))

with the sample deviation s, two-sided. If the farthest number of a column is rejected, it is left out and the
test is repeated, until none is rejected. Then m, s and G_crit are those of the remaining numbers, so that
outliers do not mask each other. The score is the largest over the columns of

    a_j = G_j / G_crit,j

and 1 marks an outlier, by default. A deviation of 0 counts as 1, and with fewer than three known
numbers there is no test: a_j = 0.
"""

import math
from typing import Annotated

import numpy as np
from scipy.special import stdtrit

from openbook.border.rules import Number
from openbook.damage import checked_array, require
from openbook.outlier.columns import ColumnDetector, all_values, known, looked_at
from openbook.words.numbers import figure
from openbook.work import Grid, Step

#: Tests of a column that are shown.
_SHOWN = 6


class Grubbs(ColumnDetector):
    """Grubbs' test: the row's most extreme cell, compared with the test's critical value.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    alpha : float, default=0.05
        The level of each test.
    repeat : bool, default=True
        Whether to test again without a number that was rejected.
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold 1, where the test
        rejects.
    top : int or None, default=None

    Attributes
    ----------
    mean_, deviation_, critical_ : ndarray of shape (n_columns,)
        The mean, the standard deviation and the critical value of G of each column of numbers or ranks,
        without the numbers rejected.
    rejected_ : tuple of tuple of float
        The numbers rejected in each column, in the order of the tests.
    tests_ : tuple of tuple
        The tests that rejected them: (n, mean, deviation, x, G, critical value) each.
    threshold_ : float

    References
    ----------
    Grubbs (1969), Procedures for detecting outlying observations in samples.

    Examples
    --------
    >>> temperatures = [[x] for x in (24.0, 28.9, 28.9, 29.0, 29.1, 29.1, 29.2, 29.2, 29.3, 29.4)]
    >>> model = Grubbs().fit(temperatures)
    >>> model.rejected_, model.predict([[24.0], [28.9]]).tolist()
    (((24.0,),), [-1, 1])
    """

    alpha: Annotated[float, Number(above=0, at_most=0.5)] = 0.05
    repeat: bool = True

    weighs = False
    _natural = (1.0, "where the test rejects")
    figures = ("mean", "deviation", "critical")
    letter = "a"
    meaning = "The test statistic divided by its critical value; the largest is the score."

    def _learn(self, rows):
        columns = known(all_values(rows))
        found = [grubbs_tested(np.sort(column), self.alpha, repeat=self.repeat) for column in columns]
        self.mean_, self.deviation_, self.critical_ = np.array([f[:3] for f in found]).T.copy()
        self.tests_ = tuple(f[3] for f in found)

    @property
    def rejected_(self):
        return tuple(tuple(test[3] for test in tests) for tests in self.tests_)

    def _oddness(self, values):
        statistic = np.abs(values - self.mean_) / self.deviation_
        tested = self.critical_ > 0
        return np.divide(statistic, self.critical_, out=np.zeros(values.shape), where=tested)

    def _step(self, j, name, x):
        m, s, critical = (float(a[j]) for a in (self.mean_, self.deviation_, self.critical_))
        if not critical:
            return Step(name, result=0.0, note="too few numbers to test")
        numbers = {"x": x, "m": m, "s": s, "G_{crit}": critical}
        return Step.of(name, r"\frac{|x - m| / s}{G_{crit}}", numbers, abs(x - m) / s / critical)

    def _learnt(self):
        columns = zip(looked_at(self.schema_), *super()._arrays().values(), self.rejected_, strict=True)
        rows = [
            (name, m, s, critical or None, ", ".join(map(figure, rejected[:6])) or None)
            for name, m, s, critical, rejected in columns
        ]
        note = f"t = t(1 - α / (2 n)) with n - 2 degrees of freedom, α = {figure(self.alpha)}"
        rule = Step("G crit", r"\frac{n - 1}{\sqrt{n}} \sqrt{\frac{t^2}{n - 2 + t^2}}", note=note)
        header = ("column", "mean m", "deviation s", "G crit", "rejected")
        return (rule, *self._rejections(), Grid("columns", header, rows, "Without the rejected numbers."))

    def _rejections(self):
        """The tests that rejected a number, the first of each column."""
        columns = zip(looked_at(self.schema_), self.tests_, strict=True)
        rows = [(name, int(n), *rest) for name, tests in columns for n, *rest in tests[:_SHOWN]]
        if not rows:
            return ()
        header = ("column", "n", "mean m", "deviation s", "farthest x", "G", "G crit")
        note = f"G = |x - m| / s above G crit: x is rejected. At most {_SHOWN} a column."
        return (Grid("tests that rejected", header, rows, note),)

    def _arrays(self):
        tests = np.array([test for tests in self.tests_ for test in tests], dtype=float).reshape(-1, 6)
        counts = np.array([len(tests) for tests in self.tests_], dtype=np.int64)
        return {**super()._arrays(), "tests": tests, "counts": counts}

    def _restore(self, arrays):
        super()._restore(arrays)
        counts = checked_array(arrays, "counts", np.int64, self.mean_.shape)
        sound = (self.deviation_ > 0) & (self.critical_ >= 0) & (counts >= 0)
        require(sound, "a deviation must lie above 0, and no count below it")
        tests = checked_array(arrays, "tests", float, (int(counts.sum()), 6))
        parts = np.split(tests, np.cumsum(counts)[:-1])
        self.tests_ = tuple(tuple(map(tuple, part.tolist())) for part in parts)


def grubbs_critical(n, alpha=0.05):
    """The critical value of Grubbs' test for n numbers; 0 if there are too few.

    >>> round(grubbs_critical(10), 4)
    2.29
    """
    if n < 3:
        return 0.0
    t = float(stdtrit(n - 2, 1 - alpha / (2 * n)))
    return (n - 1) / math.sqrt(n) * math.sqrt(t * t / (n - 2 + t * t))


def grubbs_tested(values, alpha, *, repeat=True):
    """Mean, deviation and critical value of sorted numbers, and the tests that rejected some."""
    middle = len(values) // 2
    centre = float(values[middle]) if len(values) else 0.0
    # sums from the middle outwards: a rejected number, however far, leaves no rounding error in the others
    sides = [np.concatenate([[0.0], side - centre]) for side in (values[:middle][::-1], values[middle:])]
    sums, squares = [np.cumsum(side) for side in sides], [np.cumsum(side**2) for side in sides]
    left, right = middle, len(values) - middle
    rejected: list[tuple[float, ...]] = []
    while True:
        n = left + right
        total = float(sums[0][left] + sums[1][right])
        scatter = float(squares[0][left] + squares[1][right]) - total**2 / max(n, 1)
        m = centre + total / max(n, 1)
        s = math.sqrt(max(scatter, 0.0) / (n - 1)) if n > 1 else 0.0
        critical = grubbs_critical(n, alpha)
        if not critical or not s:
            break
        low, high = float(values[middle - left]), float(values[middle + right - 1])
        farthest = low if m - low >= high - m else high
        if abs(farthest - m) / s <= critical:
            break
        rejected.append((float(n), m, s, farthest, abs(farthest - m) / s, critical))
        if not repeat:
            break
        left, right = (left - 1, right) if farthest == low else (left, right - 1)
    return m, s or 1.0, critical, tuple(rejected)
