r"""The Mahalanobis distance of a row from the centre, by the covariance of the rows.

    score = (x - m)ᵀ S⁻¹ (x - m) = Σ_j (x - m)_j (S⁻¹ (x - m))_j

over encoded columns (`prepare.Encoding`, numbers standardised, a nominal column without its first value),
with the centre m and the covariance S (N - 1 in the denominator) of the training rows; or, robust, of the
half of them that lies closest together (`robust`). Each term is a column's share. By default, a row is an
outlier above the 97.5% point of chi-squared, with as many degrees of freedom as directions in which the rows
vary; or above the point where Grubbs' test (`grubbs`) of all these distances rejects,

    d > mean + G_crit · deviation      of the distances that remain when none is rejected any more

A direction without variance has a millionth of the largest variance, so rows off it are outliers. A missing
cell counts as the mean of its column.
"""

import math
from functools import partial
from typing import Annotated, Any

import numpy as np
from scipy.special import chdtri

from openbook.border.rows import finite_sums
from openbook.border.rules import Maybe, Number, OneOf, Whole
from openbook.damage import checked_array, checked_floats, require
from openbook.fold import ROUNDING, each
from openbook.linear.scatter import ClassScatter
from openbook.outlier.detector import Account, Detector
from openbook.outlier.grubbs import grubbs_tested
from openbook.outlier.robust import minimum_determinant, precision_of
from openbook.prepare import Encoding
from openbook.words.sentences import joined
from openbook.work import Grid, Step

_LEVEL = 0.975


class Mahalanobis(Detector):
    """Squared Mahalanobis distance of the row from the centre.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    robust : bool, default=False
        Whether centre and covariance are those of the half of the rows that lies closest together, so that
        outliers in training do not inflate the covariance. Meant for numbers: a category that does not occur
        in this half has no variance there, and is far away.
    test : {"chi_squared", "grubbs"}, default='chi_squared'
        When a distance is too large: above the 97.5% point of chi-squared, or if Grubbs' test of the
        distances rejects it.
    alpha : float, default=0.05
        The level of Grubbs' test.
    random_state : int, RandomState or None, default=None
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold of the test.
    top : int or None, default=None

    Attributes
    ----------
    encoding_ : Encoding
    centre_ : ndarray of shape (n_encoded,)
        The mean m of the encoded columns.
    precision_ : ndarray of shape (n_encoded, n_encoded)
        S⁻¹, the inverse of their covariance.
    rank_ : int
        The number of directions in which the rows vary.
    tests_ : tuple of tuple
        Grubbs' tests that rejected a distance: (n, mean, deviation, distance, G, critical value) each.
    threshold_ : float

    References
    ----------
    Mahalanobis (1936). Rousseeuw and Van Driessen (1999), A fast algorithm for the minimum covariance
    determinant estimator.

    Examples
    --------
    >>> X = [[1.0, 1.1], [2.0, 1.9], [3.0, 3.2], [4.0, 3.9], [5.0, 5.1], [1.0, 5.0]]
    >>> model = Mahalanobis().fit(X)
    >>> int(model.oddness(X).argmax())
    5
    """

    robust: bool = False
    test: Annotated[str, OneOf("chi_squared", "grubbs")] = "chi_squared"
    alpha: Annotated[float, Number(above=0, at_most=0.5)] = 0.05
    random_state: Annotated[Any, Maybe(Whole(0))] = None

    _counts_rows = True

    def _learn(self, rows):
        if self.robust or self.test == "grubbs":  # half of the rows is a count, and so is n
            self._check_even(rows)
        sums = finite_sums(rows, partial(ClassScatter.of, self.schema_, 1, 1))
        self.encoding_ = Encoding.from_sums(self.schema_, sums.columns, reference=True)
        if self.robust:
            points = np.concatenate(list(each(rows.pieces, partial(_placed, self.encoding_))))
            self.centre_, covariance = minimum_determinant(points, np.random.default_rng(self.random_state))
        else:
            means, scatters = sums.encoded(self.encoding_)
            self.centre_ = np.where(np.abs(means[0]) > ROUNDING, means[0], 0.0)  # numbers are centred already
            covariance = scatters[0].matrix / max(float(sums.weight[0]) - 1, 1.0)
        self.precision_, self.rank_, _ = precision_of(covariance)
        self.tests_: tuple[tuple[float, ...], ...] = ()
        if self.test == "grubbs":
            distances = np.concatenate([self._scores(table) for table in rows.tables()])
            mean, deviation, critical, self.tests_ = grubbs_tested(np.sort(distances), self.alpha)
            self._natural = (mean + critical * deviation, "where Grubbs' test of the distances rejects")
            return
        point = float(chdtri(max(self.rank_, 1), 1 - _LEVEL))
        self._natural = (point, f"the 97.5% point of chi-squared, {self.rank_} degrees of freedom")

    def _scores(self, X):
        off = self.encoding_(X) - self.centre_
        return np.maximum(np.einsum("ij,ij->i", off @ self.precision_, off), 0.0)

    def _account(self, X):
        point, centre = self.encoding_(X)[0].tolist(), self.centre_.tolist()
        gaps = [x - m for x, m in zip(point, centre, strict=True)]
        rows, shares = [], [0.0] * len(self.schema_)
        for j, name in enumerate(self.encoding_.names):
            scaled = math.fsum(p * gap for p, gap in zip(self.precision_[j].tolist(), gaps, strict=True))
            shares[self.encoding_.columns[j]] += gaps[j] * scaled
            rows.append((name, point[j], centre[j], gaps[j], scaled, gaps[j] * scaled))
        score = math.fsum(row[-1] for row in rows)
        header = ("column", "x", "m", "x - m", "S⁻¹ (x - m)", "product")
        total = Step("score", r"\sum_j (x - m)_j (S^{-1} (x - m))_j", joined(shares), max(score, 0.0))
        meaning = "Shares of the squared distance; they sum to the score, and a share may be negative."
        return Account(max(score, 0.0), shares, (Grid("terms", header, rows),), (total,), meaning)

    def _learnt(self):
        names = self.encoding_.names
        header = ("S⁻¹", *names[:12])
        inverse = [(name, *row[:12]) for name, row in zip(names, self.precision_.tolist(), strict=True)]
        centre = Grid("centre", ("column", "m"), list(zip(names, self.centre_.tolist(), strict=True)))
        estimated = "of the most central half, reweighted" if self.robust else "of all rows"
        of_tests = ("n", "mean m", "deviation s", "farthest d", "G", "G crit")
        note = "G = (d - m) / s above G crit: d is rejected, and the rest tested again."
        tests = (Grid("Grubbs' tests that rejected", of_tests, self.tests_, note),) if self.tests_ else ()
        left_out = "" if len(names) <= 12 else "The first 12 columns."
        grid = Grid("inverse covariance", header, inverse[:12], left_out)
        step = Step("centre and covariance", result=estimated)
        return (*tests, self.encoding_.work(), step, centre, grid)

    def _arrays(self):
        tests = np.array(self.tests_, dtype=float).reshape(-1, 6)
        own = {"centre": self.centre_, "precision": self.precision_, "tests": tests}
        return {**own, "rank": np.array([self.rank_]), **self.encoding_.arrays("encoding.")}

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        d, n = len(self.encoding_), len(arrays["tests"])
        self.centre_, S, tests = checked_floats(arrays, centre=(d,), precision=(d, d), tests=(n, 6))
        self.precision_, self.tests_ = S, tuple(map(tuple, tests.tolist()))
        self.rank_ = int(checked_array(arrays, "rank", np.int64, (1,))[0])
        symmetric = (np.abs(S - S.T) <= 1e-9 * np.abs(S).max(initial=0.0)).all()
        require(self.encoding_.reference and symmetric, "its inverse covariance is not valid")


def _placed(encoding, chunk):
    return encoding(chunk.X)
