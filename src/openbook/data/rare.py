r"""Rare values of a nominal column with many values: which are kept, and which are pooled.

A column has many values when its rows show more than `FEW`. Of such a column a value is kept if it occurs in
at least n0 rows: from there on the mean of the target among its own rows says more about it than the mean of
all rows does (Bühlmann's credibility n / (n + n0), at least 1/2). By analysis of variance, with n_v rows of
value v, N in all, k values, and the target's parts y (a number, or 0 and 1 for each class):

    n0 = σ² / τ²          and never reached where τ² <= 0
    σ² = Σ_v Σ_i (y_i - mean_v)² / (N - k)
    τ² = (Σ_v n_v (mean_v - mean)² / (k - 1) - σ²) / m,    m = (N - Σ_v n_v² / N) / (k - 1)

So an uninformative column keeps no value, and a very informative one keeps all that occur at least `LEAST`
times; of more than `MOST` the most frequent, of equals the first. All others are one value, the column's
`rest`, and so is every unseen value in new rows. The column keeps n0 as `needed`: least squares shrinks the
coefficients of the kept values by it. Missing cells stay missing. A column of few values is left alone, and
one that has a rest already, or values that go round.

The F test shows whether the means differ at all:

    F = (Σ_v n_v (mean_v - mean)² / (k - 1)) / σ²        with k - 1 and N - k degrees of freedom
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Attribute, Nominal

#: A nominal column has many values if it shows more than these.
FEW = 20
#: A value of fewer rows is never kept, and no more than MOST are.
LEAST, MOST = 2, 250
#: The credibility of a typical value, and the share of the variance that the values explain (intraclass
#: correlation), from which on networks see the values themselves. A quarter is a large effect (LeBreton and
#: Senter, 2008).
HIGH, LARGE = 0.8, 0.25
#: The most classes that are distinguished; the last ones count as one.
MOST_CLASSES = 64
#: The level of the F test.
SIGNIFICANT = 0.05
#: A sum of squares that is a smaller share of another is 0 but for rounding.
_ROUNDING = 1e-12

Array = npt.NDArray[Any]


def may_pool(attribute: Attribute, few: int = FEW) -> bool:
    """Whether a column's values may be pooled, if some are rare: it has more than a few."""
    return isinstance(attribute, Nominal) and attribute.is_open and len(attribute.values) > few


@dataclass(frozen=True)
class Credibility:
    """How informative the values of a column are about the target, by analysis of variance; see the module.

    rows, values : N and k; size : m, the rows of a typical value
    within, between : the sums of squares around the means of the values, and of these around the mean of all
    """

    rows: float
    values: int
    size: float
    within: float
    between: float

    @classmethod
    def of_classes(cls, codes: Array, classes: Array, n_values: int) -> "Credibility":
        """From the value and the class of each row, both as codes."""
        counts, shares = class_shares(codes, classes, n_values, int(classes.max(initial=0)) + 1)
        return cls.of(counts, shares, float((counts[:, None] * shares * (1 - shares)).sum()))

    @classmethod
    def of_numbers(cls, codes: Array, numbers: Array, n_values: int) -> "Credibility":
        """From the value of each row, as a code, and its number."""
        counts = np.bincount(codes, minlength=n_values)
        means = np.bincount(codes, numbers, n_values) / np.maximum(counts, 1)
        return cls.of(counts, means[:, None], float(((numbers - means[codes]) ** 2).sum()))

    @classmethod
    def of(cls, counts: Array, means: Array, within: float) -> "Credibility":
        """From the rows of each value, (k,), and the means of the target's parts among them, (k, n_parts).

        >>> found = Credibility.of(np.array([10, 10]), np.array([[4.0], [6.0]]), within=180.0)
        >>> found.noise, found.signal, found.least
        (10.0, 1.0, 10.0)
        """
        shown = counts > 0
        n, means = counts[shown].astype(float), means[shown]
        rows, values = float(n.sum()), len(n)
        if values < 2:
            return cls(rows, values, 0.0, within, 0.0)
        between = float((n @ (means - n @ means / rows) ** 2).sum())
        return cls(rows, values, float(rows - n @ n / rows) / (values - 1), within, between)

    @property
    def noise(self) -> float:
        """The variance σ² of the target among the rows of a value."""
        return max(self.within, 0.0) / (self.rows - self.values) if self.rows > self.values else math.nan

    @property
    def signal(self) -> float:
        """The variance τ² of the means that the values would have with more and more rows."""
        return (self.between / (self.values - 1) - self.noise) / self.size if self.values > 1 else math.nan

    @property
    def least(self) -> float:
        """The rows n0 that a value needs to be kept; infinity if the values say nothing of the target."""
        return self.noise / self.signal if self.signal > 0 else math.inf

    @property
    def is_high(self) -> bool:
        """Whether the values differ much, and by rows enough: those of a typical value have a credibility of
        at least 0.8, and the values explain a quarter of the variance, τ² / (σ² + τ²).

        >>> Credibility(rows=40, values=2, size=20, within=380.0, between=210.0).is_high  # n0 = 10 / 10
        True
        >>> Credibility(rows=40, values=2, size=20, within=380.0, between=60.0).is_high  # n0 = 10 / 2.5
        False
        """
        frequent = self.size >= LEAST and self.values <= MOST
        return frequent and self.size / (self.size + self.least) >= HIGH and 1 / (1 + self.least) >= LARGE

    @property
    def p_value(self) -> float:
        """The p-value of the F test that the means of the values are equal; 1 if it cannot be computed.

        >>> round(Credibility(rows=20, values=2, size=10, within=180.0, between=20.0).p_value, 4)  # F = 2
        0.1744
        """
        from scipy.special import fdtrc

        freedom = (self.values - 1, self.rows - self.values)
        if min(freedom) <= 0 or self.between <= 0:
            return 1.0
        if self.within <= _ROUNDING * self.between:
            return 0.0
        return float(fdtrc(*freedom, self.between / freedom[0] / self.noise))

    @property
    def tells(self) -> bool:
        """Whether the means of the values differ significantly, at 5%."""
        return self.p_value < SIGNIFICANT and math.isfinite(self.least)


def class_shares(codes: Array, classes: Array, n_values: int, n_classes: int) -> tuple[Array, Array]:
    """The rows of each value, (k,), and the share of each class among them, (k, n_classes).

    Of more than `MOST_CLASSES` the last count as one, so that this is never more than memory holds.

    >>> class_shares(np.array([0, 0, 1]), np.array([0, 1, 1]), 2, 2)[1].tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    n_classes = min(n_classes, MOST_CLASSES)
    cells = codes.astype(np.intp) * n_classes + np.minimum(classes, n_classes - 1)
    table = np.bincount(cells, minlength=n_values * n_classes).reshape(n_values, n_classes)
    counts = table.sum(axis=1)
    return counts, table / np.maximum(counts, 1)[:, None]


def with_rest(
    attribute: Nominal, counts: Array, least: float, most: int = MOST, needed: float = 0.0
) -> Nominal:
    """The attribute with all values pooled but those of at least `least` rows, `most` at most; n0 as given.

    >>> with_rest(Nominal("letter", tuple("abcd")), np.array([30, 12, 1, 2]), least=10).values
    ('a', 'b', 'other values')
    """
    frequent = np.argsort(-counts, kind="stable")[:most]
    kept = [attribute.values[code] for code in np.sort(frequent) if counts[code] >= least]
    rest = "other values"
    while rest in kept:
        rest += "…"
    return Nominal(attribute.name, (*kept, rest), rest, needed=needed if math.isfinite(needed) else 0.0)
