r"""Measures of how informative an attribute is, each with a test of independence.

    pmi                        Σ_c P(c) max_v PMI(c, v): each class by its strongest value
    mutual_information         Σ P(c, v) PMI(c, v)
    information_gain           H(class) - Σ_v P(v) H(class | v), which is the same number
    gain_ratio                 gain / H(attribute)
    symmetrical_uncertainty    2 gain / (H(class) + H(attribute))
    chi_squared                Σ (O - E)² / E
    correlation                two numbers: Pearson's r; a number and two groups: the same, the second as 1;
                               a number and more groups: η = sqrt(between / total); categories: Cramér's V
    anova_f                    (between / (k - 1)) / (within / (n - k)); two numbers: r² (n - 2) / (1 - r²)

The first six are of counts, and take numbers cut into intervals; the last two take numbers as they are, and
an ordinal attribute as ranks. Tests: chi-squared has its own; the other five of counts have G = 2 n ln 2 MI,
which is chi-squared distributed as well; the last two have F.

For one class, the others are taken together: `Measure.of_class`. PMI of one class is max_v PMI(c, v).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc

from openbook.errors import check_named
from openbook.features.evidence import AttributeCounts, ClassGroups, Evidence, NumberPairs
from openbook.measures import (
    chi_squared,
    gain_ratio,
    information_gain,
    mutual_information,
    pointwise_mutual_information,
    symmetrical_uncertainty,
)


class IndependenceTest(NamedTuple):
    """Could attribute and target be independent? The statistic, its degrees of freedom, and p.

    warning : where counts are too low for the test to be trusted (Cochran: an expected count below 1, or
        more than a fifth of them below 5)
    """

    name: str
    statistic: float
    dof: tuple[int, ...]
    p_value: float
    warning: str = ""


@dataclass(frozen=True)
class Measure:
    """A measure: its name, its function, its test of independence.

    name, words : str
    of_counts : whether it needs categories, so that numbers are cut into intervals
    function : of evidence, to a number; NaN if it is undefined
    test : of evidence

    Attributes
    ----------
    name : str
        The name by which `score_attributes` finds it.
    words : str
        The name in words.
    of_counts : bool
        Whether it needs categories, so that numbers are cut into intervals.
    function : callable
        From the evidence to a number; NaN if it is undefined.
    test : callable
        From the evidence to the test of independence.

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> MEASURES["gain_ratio"].words
    'gain ratio'
    """

    name: str
    words: str
    of_counts: bool
    function: Callable[[Evidence], float]
    test: Callable[[Evidence], IndependenceTest]

    def __call__(self, evidence: Evidence) -> float:
        return self.function(evidence) if evidence.n else math.nan

    def of_class(self, evidence: Evidence, c: int) -> float:
        """The measure for one class against all others.

        Parameters
        ----------
        evidence : Evidence
            The counts or moments of the attribute.
        c : int
            The position of the class.

        Returns
        -------
        float
        """
        if not evidence.n:
            return math.nan
        if self.name == "pmi":
            return float(_strongest(evidence)[c])
        return self.function(evidence.against(c))  # type: ignore[union-attr]

    @property
    def signed(self) -> bool:
        """Whether less than 0 can be as much as above."""
        return self.name == "correlation"


def _of_table(function: Callable[[np.ndarray], float], evidence: Evidence) -> float:
    assert isinstance(evidence, AttributeCounts)
    return function(evidence.counts)


def _of_counts(name: str, function: Callable[[np.ndarray], float]) -> Measure:
    """A measure of a contingency table, tested by G."""
    return Measure(name, name.replace("_", " "), True, partial(_of_table, function), _g_test)


def _strongest(evidence: Evidence) -> np.ndarray:
    """The largest PMI of each class; NaN for a class without a row."""
    assert isinstance(evidence, AttributeCounts)
    pmi = np.nan_to_num(pointwise_mutual_information(evidence.counts), nan=-np.inf)
    strongest = pmi.max(axis=1)
    return np.where(np.isfinite(strongest), strongest, np.nan)


def _pmi(evidence: Evidence) -> float:
    assert isinstance(evidence, AttributeCounts)
    shares = evidence.counts.sum(axis=1) / evidence.n
    return float(np.nansum(shares * _strongest(evidence)))


def _correlation(evidence: Evidence) -> float:
    if isinstance(evidence, NumberPairs):
        return evidence.r
    if isinstance(evidence, ClassGroups):
        total = evidence.between + evidence.within
        if not total > 0 or evidence.n_groups < 2:
            return math.nan
        eta = math.sqrt(evidence.between / total)
        return math.copysign(eta, evidence.mean[1] - evidence.mean[0]) if len(evidence.labels) == 2 else eta
    smaller = min(int(evidence.counts.any(axis=axis).sum()) for axis in (0, 1))
    if smaller < 2:
        return math.nan
    return math.sqrt(chi_squared(evidence.counts).statistic / (evidence.n * (smaller - 1)))


def _f(evidence: Evidence) -> float:
    return _f_test(evidence).statistic if not isinstance(evidence, AttributeCounts) else math.nan


def _f_test(evidence: Evidence) -> IndependenceTest:
    """Of groups, or of a line through pairs; categories on both sides are left to chi-squared."""
    if isinstance(evidence, AttributeCounts):
        return _chi_test(evidence)
    if isinstance(evidence, NumberPairs):
        share = evidence.r**2
        explained, left, dof = share, 1 - share, (1, int(evidence.n) - 2)
    else:
        explained, left = evidence.between, evidence.within
        dof = (evidence.n_groups - 1, int(evidence.n) - evidence.n_groups)
    if min(dof) < 1 or math.isnan(explained) or explained == left == 0:
        return IndependenceTest("F", math.nan, dof, math.nan)
    statistic = (explained / dof[0]) / (left / dof[1]) if left > 0 else math.inf
    return IndependenceTest("F", statistic, dof, float(fdtrc(*dof, statistic)) if left > 0 else 0.0)


def _chi(evidence: Evidence) -> float:
    return _chi_test(evidence).statistic


def _chi_test(evidence: Evidence) -> IndependenceTest:
    assert isinstance(evidence, AttributeCounts)
    test = chi_squared(evidence.counts)
    return IndependenceTest("chi-squared", test.statistic, (test.dof,), test.p_value, _low(test.expected))


def _g_test(evidence: Evidence) -> IndependenceTest:
    assert isinstance(evidence, AttributeCounts)
    test = chi_squared(evidence.counts)
    statistic = 2 * evidence.n * mutual_information(evidence.counts, base=math.e)
    p = float(chdtrc(test.dof, statistic)) if test.dof else 1.0
    return IndependenceTest("G", statistic, (test.dof,), p, _low(test.expected))


def _low(expected: np.ndarray) -> str:
    cells = expected[expected > 0]
    few = int((cells < 5).sum())
    if (cells < 1).any() or few > 0.2 * len(cells):
        return f"low counts: {few} of {len(cells)} cells expect fewer than 5 rows, so p is approximate"
    return ""


MEASURES = {
    each.name: each
    for each in (
        _of_counts("mutual_information", mutual_information),
        Measure("pmi", "pointwise mutual information", True, _pmi, _g_test),
        Measure("chi_squared", "chi-squared", True, _chi, _chi_test),
        _of_counts("information_gain", information_gain),
        _of_counts("gain_ratio", gain_ratio),
        _of_counts("symmetrical_uncertainty", symmetrical_uncertainty),
        Measure("correlation", "correlation", False, _correlation, _f_test),
        Measure("anova_f", "F", False, _f, _f_test),
    )
}


def measure_named(name: "str | Measure") -> Measure:
    """The measure of that name, or itself."""
    if isinstance(name, Measure):
        return name
    check_named("measure", name, MEASURES)
    return MEASURES[name]
