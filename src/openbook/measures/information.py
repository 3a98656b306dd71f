"""Entropy, and the information that attributes have about a class, from counts.

    entropy              H = -Σ p log p
    cross-entropy        -Σ p log q
    Gini impurity        G = 1 - Σ p²
    conditional entropy  H(class | attribute) = Σ_v p(v) H(class | v)
    information gain     H(class) - Σ_v p(v) H(class | v)
    split information    H(attribute)
    gain ratio           gain / split information
    symmetrical uncert.  2 gain / (H(class) + H(attribute))
    PMI                  log( p(c, v) / (p(c) p(v)) ), cell by cell
    mutual information   Σ p(c, v) PMI(c, v), which equals the information gain
    chi-squared          Σ (O - E)² / E with E = (row total)(column total) / n, no continuity correction

Shapes: a vector of counts is (…, n_values), and the measure is taken along the last axis. A contingency table
is (n_classes, n_values): class values are rows, attribute values are columns. Counts are weights: any finite
numbers >= 0, fractions included.

Logs are to base 2 by default, and 0 log 0 = 0. Missing values: counts hold the rows in which both
class and attribute are known; leave the others out when counting. A vector of zeros is an empty branch, and
has entropy and Gini impurity 0; a table of zeros is refused, for nothing was observed.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.draw import Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import ParameterError
from openbook.measures.arrays import Floats, as_floats, check_base, plain_array
from openbook.measures.derive_counts import CountTable, derive_measure, entropy_step, share_terms
from openbook.measures.shown import Measure, derived_by
from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.words.sentences import joined
from openbook.work import Step, Work


class ChiSquared(NamedTuple):
    """The outcome of a chi-squared test of independence.

    Attributes
    ----------
    statistic : float
        Σ (observed - expected)² / expected.
    dof : int
        The degrees of freedom.
    p_value : float
        How probable so large a statistic is if the two are independent.
    expected : ndarray
        The counts to be expected if the two are independent.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> test = chi_squared([[10, 20], [20, 10]])
    >>> round(test.statistic, 2), test.dof, round(test.p_value, 4)
    (6.67, 1, 0.0098)
    """

    statistic: float
    dof: int
    p_value: float
    expected: Floats


def _derive_gini(counts: npt.ArrayLike) -> Work:
    """How the Gini impurity of one vector of counts comes about."""
    vector = _vector(counts)
    numbers = joined(["1", *(rf"\left({share}\right)^2" for share in share_terms(vector))], " - ")
    return Work("Gini impurity", (Step("G", r"1 - \sum_c p_c^2", numbers, gini(vector)),))


def _from_table(measure: str, title: str) -> Callable[[Measure], Measure]:
    """Give a measure of a contingency table its derivation; classes and values may be named."""

    def derive(
        counts: npt.ArrayLike, classes: Sequence[str] | None = None, values: Sequence[str] | None = None
    ) -> Work:
        table = _table(counts)
        rows = [f"class {i + 1}" for i in range(len(table))] if classes is None else classes
        columns = [f"value {i + 1}" for i in range(len(table.T))] if values is None else values
        if (len(rows), len(columns)) != table.shape:
            named = f"{len(rows)} classes and {len(columns)} values are named"
            raise ParameterError(f"the table has the shape {table.shape}, and {named}")
        parts = derive_measure(measure, CountTable(table, rows, columns))
        if measure == "chi_squared":
            test = chi_squared(table)
            numbers = rf"P(\chi^2_{{{test.dof}}} \ge {figure(test.statistic)})"
            parts.append(Step("p", r"P(\chi^2_d \ge x)", numbers, test.p_value))
        return Work(title, tuple(parts))

    return derived_by(derive)


@derived_by(lambda counts: Work("Entropy", (entropy_step("H", _vector(counts)),)))
def entropy(counts: npt.ArrayLike, base: float = 2) -> Any:
    """Entropy H = -Σ p log p of the distribution behind the counts.

    Parameters
    ----------
    counts : array of shape (…, n_values)
        Counts or shares of the values; zeros add nothing.
    base : float, default=2
        Of the logarithm: 2 for bits, `math.e` for nats.

    Returns
    -------
    float, or array of shape (…)
        0 for a vector of zeros.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> entropy([1, 1])
    1.0
    >>> round(entropy([1, 5]), 4)
    0.65
    >>> entropy([[3, 0], [2, 2]]).tolist()
    [0.0, 1.0]
    """
    p = _shares(_vectors(counts))
    return plain_array(0.0 - (p * _log(p, base)).sum(axis=-1))  # -x would show -0.0 for a pure node


@derived_by(_derive_gini)
def gini(counts: npt.ArrayLike) -> Any:
    """Gini impurity 1 - Σ p²: how often two draws with replacement differ.

    Parameters
    ----------
    counts : array of shape (…, n_values)
        Counts or shares of the values; zeros add nothing.

    Returns
    -------
    float, or array of shape (…)
        0 for a vector of zeros.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> gini([1, 3])
    0.375
    """
    vectors = _vectors(counts)
    p = _shares(vectors)
    return plain_array(np.where(vectors.any(axis=-1), 1 - (p * p).sum(axis=-1), 0.0))


def _derive_cross_entropy(p: npt.ArrayLike, q: npt.ArrayLike) -> Work:
    """How the cross-entropy of two distributions comes about, in bits."""
    true, taken = (_shares(np.array(_vector(each))).tolist() for each in (p, q))
    terms = [rf"{figure(a)} \log_2 {figure(b)}" for a, b in zip(true, taken, strict=True) if a]
    numbers, value = f"-{joined(terms, ' - ')}", cross_entropy(p, q)
    return Work("Cross-entropy", (Step("H(p, q)", r"-\sum_v p_v \log_2 q_v", numbers, value, "in bits"),))


@derived_by(_derive_cross_entropy)
@documented
def cross_entropy(p: npt.ArrayLike, q: npt.ArrayLike, base: float = 2) -> Any:
    """Cross-entropy -Σ p log q: what it costs to code draws of p by the code of q; H(p) + D(p, q).

    Parameters
    ----------
    p : array-like of shape (…, n_values)
        The true distribution: counts or shares.
    q : array-like of shape (…, n_values)
        The distribution taken for it.
    base : float, default=2

    Returns
    -------
    float, or array of shape (…)
        Infinite where q lacks what p has.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> cross_entropy([1, 1], [1, 3])  # -½ log₂ ¼ - ½ log₂ ¾
    1.207518749639422
    """
    true, taken = _shares(_vectors(p)), _shares(_vectors(q))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(true > 0, true * np.log(taken), 0.0)
    return plain_array(0.0 - terms.sum(axis=-1) / np.log(base))


@_from_table("conditional_entropy", "Conditional entropy")
@documented
def conditional_entropy(counts: npt.ArrayLike, base: float = 2) -> float:
    """Conditional entropy H(class | attribute) = Σ_v p(v) H(class | v): the entropy that remains.

    Parameters
    ----------
    counts : array of shape (n_classes, n_values)
    base : float, default=2

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    Four of eight rows have the first value, and are split evenly; the others are of one class:

    >>> conditional_entropy([[2, 4], [2, 0]])
    0.5
    """
    table = _table(counts)
    return float(table.sum(axis=0) / table.sum() @ entropy(table.T, base))


@_from_table("information_gain", "Information gain")
@documented
def information_gain(counts: npt.ArrayLike, base: float = 2) -> float:
    """How much knowing the attribute lowers the entropy of the class: H(class) - Σ_v p(v) H(class | v).

    Parameters
    ----------
    counts : array of shape (n_classes, n_values)
    base : float, default=2

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    Ten rows, five of each class; the first value holds 5 and 1 of them, the second 0 and 4:

    >>> round(information_gain([[5, 0], [1, 4]]), 2)
    0.61
    """
    table = _table(counts)
    gain = entropy(table.sum(axis=1), base) - conditional_entropy(table, base)
    return max(float(gain), 0.0)  # never below 0 but by rounding


@_from_table("split_information", "Split information")
@documented
def split_information(counts: npt.ArrayLike, base: float = 2) -> float:
    """Entropy of the attribute itself, H(attribute): how finely it cuts the rows up.

    Parameters
    ----------
    counts : array of shape (n_classes, n_values)
    base : float, default=2

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> split_information([[5, 0], [1, 6]])
    1.0
    """
    return float(entropy(_table(counts).sum(axis=0), base))


@_from_table("gain_ratio", "Gain ratio")
@documented
def gain_ratio(counts: npt.ArrayLike) -> float:
    """Information gain over split information; 0 if the split information is 0.

    An attribute that shows one value only has gain 0 and split information 0; it tells nothing, and scores 0.

    Parameters
    ----------
    counts : array of shape (n_classes, n_values)

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> round(gain_ratio([[5, 0], [1, 4]]), 4)
    0.6282
    >>> gain_ratio([[5], [5]])
    0.0
    """
    split = split_information(counts)
    return information_gain(counts) / split if split > 0 else 0.0


@_from_table("symmetrical_uncertainty", "Symmetrical uncertainty")
@documented
def symmetrical_uncertainty(counts: npt.ArrayLike) -> float:
    """Twice the gain over the two entropies, H(class) + H(attribute): from 0 to 1; 0 if both are 0.

    Unlike the gain it does not favour attributes of many values, and unlike the gain ratio it is the same
    with attribute and class exchanged.

    Parameters
    ----------
    counts : array of shape (n_classes, n_values)

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> symmetrical_uncertainty([[2, 0], [0, 2]])
    1.0
    >>> symmetrical_uncertainty([[5], [5]])
    0.0
    """
    table = _table(counts)
    both = float(entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)))
    return 2 * information_gain(table) / both if both > 0 else 0.0


@_from_table("pmi", "Pointwise mutual information")
@documented
def pointwise_mutual_information(counts: npt.ArrayLike, base: float = 2) -> Floats:
    """Pointwise mutual information of each cell: log( p(c, v) / (p(c) p(v)) ).

    Parameters
    ----------
    counts : array of shape (n_classes, n_values)
    base : float, default=2

    Returns
    -------
    array of shape (n_classes, n_values)
        NaN for an empty cell, where it is undefined.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> pointwise_mutual_information([[2, 0], [0, 2]])
    array([[ 1., nan],
           [nan,  1.]])
    """
    table = _table(counts)
    return np.where(table > 0, _log_ratios(table, base), np.nan)


@_from_table("mutual_information", "Mutual information")
@documented
def mutual_information(counts: npt.ArrayLike, base: float = 2) -> float:
    """Mutual information Σ p(c, v) PMI(c, v); empty cells add nothing.

    It is symmetric, and equals the information gain.

    Parameters
    ----------
    counts : array of shape (n_classes, n_values)
    base : float, default=2

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> mutual_information([[2, 0], [0, 2]])
    1.0
    """
    table = _table(counts)
    total = (table * _log_ratios(table, base)).sum() / table.sum()
    return max(float(total), 0.0)  # never below 0 but by rounding


@_from_table("chi_squared", "Chi-squared")
@documented
def chi_squared(counts: npt.ArrayLike) -> ChiSquared:
    """Pearson's chi-squared test of independence, without continuity correction.

    Rows and columns without any count add nothing, and the degrees of freedom, (rows - 1)(columns - 1), are
    counted without them. With no degree of freedom the statistic is 0 and the p-value 1.

    Parameters
    ----------
    counts : array of shape (n_classes, n_values)

    Returns
    -------
    ChiSquared
        `statistic`, `dof`, `p_value` (P(χ² >= statistic) under independence) and the `expected` counts.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> test = chi_squared([[2, 0], [0, 2]])
    >>> test.statistic, test.dof, round(test.p_value, 4)
    (4.0, 1, 0.0455)
    >>> test.expected
    array([[1., 1.],
           [1., 1.]])
    """
    from scipy.special import chdtrc

    table = _table(counts)
    expected = _expected(table)
    terms = np.divide((table - expected) ** 2, expected, out=np.zeros(table.shape), where=expected > 0)
    statistic = float(terms.sum())
    rows, columns = (int(table.any(axis=axis).sum()) for axis in (1, 0))
    dof = (rows - 1) * (columns - 1)
    return ChiSquared(statistic, dof, float(chdtrc(dof, statistic)) if dof else 1.0, expected)


def draw_impurity() -> Picture:
    """Impurity of two classes over the share p of one: entropy in bits, Gini impurity, classification error.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> draw_impurity().told
    'At p = 0.5: entropy 1, Gini 0.5, error 0.5.'
    """
    p = np.linspace(0, 1, 201)
    shares = np.column_stack([p, 1 - p])
    curves = {"entropy": entropy(shares), "Gini": gini(shares), "error": 1 - shares.max(axis=1)}
    plot = Plot(Numbers.between("p", 0, 1), Numbers.between("impurity", 0, 1))
    for i, (name, values) in enumerate(curves.items()):
        plot.line(p, values, f"c{i}", name)
    top = ", ".join(f"{name} {float(values[100]):g}" for name, values in curves.items())
    return plot.picture("Impurity of two classes", (), f"At p = 0.5: {top}.")


def _vectors(counts: npt.ArrayLike) -> Floats:
    """The counts as floats, checked: at least one axis, finite, not negative."""
    vectors = as_floats(counts, "counts")
    if vectors.ndim == 0 or vectors.shape[-1] == 0:
        raise ParameterError(f"counts must be a list of at least one number, got {counts!r}")
    for position in np.argwhere(~(np.isfinite(vectors) & (vectors >= 0))).tolist():
        wrong = vectors[tuple(position)]
        raise ParameterError(f"counts must be finite and not negative, got {wrong:g} at position {position}")
    return vectors


def _vector(counts: npt.ArrayLike) -> list[float]:
    """One vector of counts, checked."""
    vector = _vectors(counts)
    if vector.ndim != 1 or not vector.any():
        raise ParameterError(f"the work is of one list of counts, not all 0, got {counts!r}")
    return vector.tolist()


def _table(counts: npt.ArrayLike) -> Floats:
    """The counts as a contingency table, checked: two axes, something in it."""
    table = _vectors(counts)
    if table.ndim != 2:
        raise ParameterError(f"a contingency table has the shape (n_classes, n_values), got {table.shape}")
    if not table.any():
        msg = f"every count of the {table.shape[0]} × {table.shape[1]} table is 0: nothing to measure"
        raise ParameterError(msg)
    return table


def _shares(vectors: Floats) -> Floats:
    """Each vector divided by its sum; zeros stay zeros."""
    totals = vectors.sum(axis=-1, keepdims=True)
    return np.divide(vectors, totals, out=np.zeros(vectors.shape), where=totals > 0)


def _expected(table: Floats) -> Floats:
    """The counts that independence expects: (row total)(column total) / n."""
    return np.outer(table.sum(axis=1), table.sum(axis=0)) / np.asarray(table.sum())


def _log_ratios(table: Floats, base: float) -> Floats:
    """log(observed / expected) of each cell, 0 for an empty one."""
    return _log(np.divide(table, _expected(table), out=np.zeros(table.shape), where=table > 0), base)


def _log(values: Floats, base: float) -> Floats:
    """Logarithms, with 0 for log 0, since it only ever stands in 0 log 0."""
    check_base(base)
    return np.log(values, out=np.zeros(values.shape), where=values > 0) / np.log(base)
