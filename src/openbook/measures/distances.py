r"""Distances between rows of numbers.

    euclidean      √Σ (a - b)²
    squared_euclidean  Σ (a - b)²
    manhattan      Σ |a - b|
    minkowski      (Σ |a - b|^p)^(1/p)
    chebyshev      max |a - b|
    cosine         1 - Σ a b / (‖a‖ ‖b‖)
    correlation    the cosine distance of the rows, each less its own mean
    mahalanobis    √((a - b)ᵀ S⁻¹ (a - b)), with S the covariance of the columns
    kl_divergence  Σ p log(p / q), which is no distance: not symmetric, and infinite where q lacks what p has

a, b : (…, d), which broadcast; the result is (…), a float for two rows. `pairwise` is for every row of one
table against every row of another.

Missing cells (NaN): a pair of cells of which one is missing is left out. The sums of the first four are
scaled up from the pairs that are known to all d, as if the others differed as much on average; with no pair
known the distance is NaN. Mahalanobis and Kullback-Leibler take whole rows only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError
from openbook.measures.arrays import Floats, as_floats, check_base, check_width, plain_array
from openbook.measures.derive_distances import derive_divergence, derive_in_deviations, vectors_work
from openbook.measures.shown import derived_by
from openbook.words.parameters import documented

#: The most cells that `pairwise` compares at a time.
_BLOCK_CELLS = 1 << 22


@derived_by(vectors_work("euclidean"))
@documented
def euclidean(a: npt.ArrayLike, b: npt.ArrayLike) -> Any:
    """Euclidean distance √Σ (a - b)².

    Parameters
    ----------
    a, b : array-like

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> euclidean([0, 0], [3, 4])
    5.0
    >>> euclidean([[0, 0], [3, 0]], [3, 4]).tolist()
    [5.0, 4.0]
    """
    return plain_array(np.sqrt(_total(_differences(a, b) ** 2)))


@derived_by(vectors_work("squared_euclidean"))
@documented
def squared_euclidean(a: npt.ArrayLike, b: npt.ArrayLike) -> Any:
    """Squared Euclidean distance Σ (a - b)²; it violates the triangle inequality.

    Parameters
    ----------
    a, b : array-like

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> squared_euclidean([0, 0], [3, 4])
    25.0
    """
    return plain_array(_total(_differences(a, b) ** 2))


@derived_by(vectors_work("manhattan"))
@documented
def manhattan(a: npt.ArrayLike, b: npt.ArrayLike) -> Any:
    """Manhattan or city-block distance Σ |a - b|.

    Parameters
    ----------
    a, b : array-like

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> manhattan([0, 0], [3, 4])
    7.0
    """
    return plain_array(_total(np.abs(_differences(a, b))))


@derived_by(vectors_work("minkowski"))
@documented
def minkowski(a: npt.ArrayLike, b: npt.ArrayLike, p: float = 3) -> Any:
    """The distance (Σ |a - b|^p)^(1/p): Manhattan for p = 1, Euclidean for p = 2, Chebyshev for p = ∞.

    For p → 0 the sum of the powers becomes the number of cells that differ, the Hamming distance: p = 0.

    Parameters
    ----------
    a, b : array-like
    p : float, default=3
        The exponent: 1 or more, math.inf, or 0.

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> round(minkowski([0, 0], [3, 4], p=3), 4)
    4.4979
    >>> minkowski([0, 0, 1], [3, 4, 1], p=float("inf")), minkowski([0, 0, 1], [3, 4, 1], p=0)
    (4.0, 2.0)
    """
    if p == np.inf:
        return chebyshev(a, b)
    if p == 0:
        gaps = _differences(a, b)
        return plain_array(_total(np.where(np.isnan(gaps), np.nan, gaps != 0)))
    if not p >= 1:
        msg = f"p must be a number of at least 1, or 0, got {p!r}: else the triangle inequality fails"
        raise ParameterError(msg)
    return plain_array(_total(np.abs(_differences(a, b)) ** p) ** (1 / p))


@derived_by(vectors_work("chebyshev"))
@documented
def chebyshev(a: npt.ArrayLike, b: npt.ArrayLike) -> Any:
    """The largest difference, max |a - b|.

    Parameters
    ----------
    a, b : array-like

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> chebyshev([0, 0], [3, 4])
    4.0
    """
    gaps = np.abs(_differences(a, b))
    known = ~np.isnan(gaps)
    return plain_array(np.where(known.any(axis=-1), np.where(known, gaps, 0.0).max(axis=-1), np.nan))


@derived_by(vectors_work("cosine"))
@documented
def cosine(a: npt.ArrayLike, b: npt.ArrayLike) -> Any:
    """One less the cosine of the angle between the rows.

    A row of zeros has no direction: it is at distance 1 from every row.

    Parameters
    ----------
    a, b : array-like

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> cosine([1, 0], [0, 2]), cosine([1, 2], [2, 4])
    (1.0, 0.0)
    """
    a, b, known = _known_pairs(a, b)
    return plain_array(np.where(known.any(axis=-1), _angular(a, b), np.nan))


@derived_by(vectors_work("correlation"))
@documented
def correlation(a: npt.ArrayLike, b: npt.ArrayLike) -> Any:
    """One less Pearson's correlation of the two rows; 1 if a row is constant.

    Parameters
    ----------
    a, b : array-like

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> correlation([1, 2, 3], [10, 20, 30]), round(correlation([1, 2, 3], [3, 2, 1]), 12)
    (0.0, 2.0)
    """
    a, b, known = _known_pairs(a, b)
    n = known.sum(axis=-1, keepdims=True)
    centred = [np.where(known, x - x.sum(axis=-1, keepdims=True) / np.maximum(n, 1), 0.0) for x in (a, b)]
    return plain_array(np.where(n[..., 0] > 0, _angular(*centred), np.nan))


@derived_by(derive_in_deviations)
def mahalanobis(a: npt.ArrayLike, b: npt.ArrayLike, covariance: npt.ArrayLike) -> Any:
    """The distance √((a - b)ᵀ S⁻¹ (a - b)), in standard deviations along uncorrelated directions.

    Parameters
    ----------
    a, b : array-like of shape (…, d)
        Rows without missing cells.
    covariance : array-like of shape (d, d)
        The covariance of the columns: `np.cov(X, rowvar=False)`.

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> mahalanobis([0, 0], [2, 3], [[4, 0], [0, 9]]) ** 2
    2.0...
    """
    gaps = _differences(a, b)
    _refuse_gaps(gaps, "mahalanobis")
    spread = as_floats(covariance, "covariance")
    d = gaps.shape[-1]
    if spread.shape != (d, d) or not np.allclose(spread, spread.T):
        msg = f"covariance must be symmetric and {d} × {d}, as the rows have {d} cells; got {spread.shape}"
        raise ParameterError(msg)
    try:
        root = np.linalg.cholesky(spread)
    except np.linalg.LinAlgError:
        msg = "covariance has no inverse: some column does not vary, or is a sum of others; leave it out"
        raise ParameterError(msg) from None
    white = np.linalg.solve(root, gaps.reshape(-1, d).T).T.reshape(gaps.shape)
    return plain_array(np.sqrt((white**2).sum(axis=-1)))


@derived_by(derive_divergence)
@documented
def kl_divergence(p: npt.ArrayLike, q: npt.ArrayLike, base: float = 2) -> Any:
    """Kullback-Leibler divergence Σ p log(p / q): the extra cost of coding p by q, in bits by default.

    Counts will do: each row is divided by its sum. 0 log 0 = 0.

    Parameters
    ----------
    p : array-like
        The true distribution: counts or probabilities of shape (…, n_values).
    q : array-like
        The distribution that approximates it.
    base : float, default=2

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> round(kl_divergence([2, 2], [1, 3]), 4)  # ½ log₂(½ / ¼) + ½ log₂(½ / ¾)
    0.2075
    >>> kl_divergence([1, 1], [1, 0])
    inf
    """
    p, q = _shares(p, "p"), _shares(q, "q")
    check_width(p, q)
    check_base(base)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p / q), 0.0)
    return plain_array(np.maximum(terms.sum(axis=-1) / np.log(base), 0.0))  # never below 0 but by rounding


def pairwise(
    metric: Callable[..., Any], A: npt.ArrayLike, B: npt.ArrayLike | None = None, **options: Any
) -> Floats:
    """The distance of every row of A to every row of B, or of A itself: (n_a, n_b).

    Parameters
    ----------
    metric : callable
        Any distance of `openbook.measures`, or your own of (…, d) and (…, d).
    A : array-like
        Tables of rows.
    B : array-like or None, default=None
        Tables of rows.
    **options : object
        Options of the distance, such as `p` of `minkowski`.

    Returns
    -------
    ndarray

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> pairwise(manhattan, [[0, 0], [3, 4]]).tolist()
    [[0.0, 7.0], [7.0, 0.0]]
    """
    left, right = _rows(A, "A"), _rows(A if B is None else B, "B")
    result = np.empty((len(left), len(right)))
    step = max(_BLOCK_CELLS // max(right.size, 1), 1)
    for start in range(0, len(left), step):
        span = slice(start, start + step)
        result[span] = metric(left[span, None], right[None], **options)
    return result


def _rows(A: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    rows = np.asarray(A)
    rows = rows if rows.dtype.kind in "biuf" else np.asarray(A, dtype=object)  # else None would turn to text
    if rows.ndim != 2:
        raise ParameterError(f"{name} must be rows of equal length, got an array of shape {rows.shape}")
    return rows


def _differences(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """The differences a - b, (…, d): NaN if a cell is missing."""
    left, right = as_floats(a, "rows"), as_floats(b, "rows")
    check_width(left, right)
    return left - right


def _known_pairs(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Both rows with 0 in every pair that is not known, and which are."""
    left, right = as_floats(a, "rows"), as_floats(b, "rows")
    check_width(left, right)
    known = ~(np.isnan(left) | np.isnan(right))
    return np.where(known, left, 0.0), np.where(known, right, 0.0), known


def _total(terms: Floats) -> Floats:
    """The sum of the terms that are known, scaled up to all; NaN if none is."""
    known = ~np.isnan(terms)
    n = known.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        total: Floats = np.where(known, terms, 0.0).sum(axis=-1) * (terms.shape[-1] / n)
    return total


def _angular(a: Floats, b: Floats) -> Floats:
    """1 - cos = ½ ‖a/‖a‖ - b/‖b‖‖², which keeps its digits where the angle is small."""
    gap: Floats = 0.5 * ((_unit(a) - _unit(b)) ** 2).sum(axis=-1)
    return np.where(a.any(axis=-1) & b.any(axis=-1), gap, 1.0)


def _unit(a: Floats) -> Floats:
    a = a / np.maximum(np.abs(a).max(axis=-1, keepdims=True), np.finfo(float).tiny)  # squares stay in range
    norm = np.sqrt((a**2).sum(axis=-1, keepdims=True))
    return np.divide(a, norm, out=np.zeros_like(a), where=norm > 0)


def _shares(values: npt.ArrayLike, name: str) -> Floats:
    row = as_floats(values, name)
    _refuse_gaps(row, "kl_divergence")
    if not (row.ndim and np.isfinite(row).all() and (row >= 0).all() and (row.sum(axis=-1) > 0).all()):
        raise ParameterError(f"{name} must be probabilities or counts: finite, not negative, and not all 0")
    return row / row.sum(axis=-1, keepdims=True)


def _refuse_gaps(values: Floats, name: str) -> None:
    if np.isnan(values).any():
        msg = f"{name} needs whole rows, and a cell is missing; leave out the column or the row"
        raise ParameterError(msg)
