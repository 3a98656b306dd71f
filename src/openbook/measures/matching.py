"""Distances between rows of categories, of binary attributes, and of mixed attributes.

    hamming          how many cells differ
    simple_matching  the share of cells that differ
    jaccard          1 - |both| / |either|: what neither row has does not count
    gower            the mean over the columns of: overlap of categories (0 or 1), |a - b| / range of numbers,
                     |rank - rank| / (m - 1) of ordered values
    normalized_ranks z = r / (m - 1) with r = 0 … m - 1: the lowest value is 0, the highest 1

a, b : (…, d) cells of any kind, which broadcast; the result is (…), a float for two rows; `pairwise` takes
all pairs.

Missing cells (None or NaN): hamming and simple matching go by `missing`: pairs with one are left out
("leave_out"), count as different ("mismatch"), or a gap is a value like any other ("value"). To Jaccard a
missing cell is absent. To Gower it has the largest distance, 1.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import as_text
from openbook.errors import ParameterError, did_you_mean
from openbook.measures.arrays import Floats, as_floats, check_width, plain_array
from openbook.measures.shown import derived_by
from openbook.words.numbers import fraction
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

Cells = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

_RULES = ("leave_out", "mismatch", "value")


def _derive_differing(a: Any, b: Any, missing: str = "leave_out") -> Work:
    """Which cells of two rows differ, how many, and which share of those that count."""
    differ, counted = _differ(a, b, missing)
    if differ.ndim != 1:
        raise ParameterError("the work is of two rows, each a list of cells")
    cells = zip(list(a), list(b), differ.tolist(), counted.tolist(), strict=True)
    rows = [(x, y, "left out" if not counts else "differ" if odd else "equal") for x, y, odd, counts in cells]
    n, d = int(differ.sum()), int(counted.sum())
    share = fraction(n, d), n / d if d else None
    parts = (
        Grid("cells", ("a", "b", ""), rows),
        Step("Hamming", r"\sum_j [a_j \ne b_j]", result=float(n)),
        Step("simple matching", r"\frac{1}{d} \sum_j [a_j \ne b_j]", *share),
    )
    return Work("Matching distances", parts)


def _derive_jaccard(a: Any, b: Any) -> Work:
    """What either of two sets has, and what both have."""
    if not (isinstance(a, set | frozenset) and isinstance(b, set | frozenset)):
        a, b = ({f"{place + 1}" for place in np.flatnonzero(_present(x))} for x in (a, b))
    either = sorted(map(str, a | b))
    left, right = ({str(one) for one in each} for each in (a, b))
    rows = [(one, "has" * (one in left), "has" * (one in right)) for one in either]
    both = len(left & right)
    formula = r"1 - \frac{|A \cap B|}{|A \cup B|}"
    numbers = f"1 - {fraction(both, len(either))}" if either else ""
    step = Step("Jaccard", formula, numbers, jaccard(a, b), "what both lack does not count")
    return Work("Jaccard distance", (Grid("what they have", ("", "a", "b"), rows), step))


def _derive_gower(a: Any, b: Any, scales: Sequence[Any]) -> Work:
    """Gower's distance of two mixed rows, column by column."""
    distance = gower(a, b, scales)
    left, right = _cells(a), _cells(b)
    terms = [float(_term(left[j : j + 1], right[j : j + 1], scale)[0]) for j, scale in enumerate(scales)]
    rules = [
        "0 or 1" if s is None else "ranks" if isinstance(s, Sequence) else f"|a - b| / {s:g}" for s in scales
    ]
    rows = list(zip(left.tolist(), right.tolist(), rules, terms, strict=True))
    numbers = fraction(joined(terms), len(terms))
    step = Step("distance", r"\frac{1}{d} \sum_j \delta_j", numbers, distance)
    return Work("Gower's distance", (Grid("terms", ("a", "b", "how", "δ"), rows), step))


@derived_by(_derive_differing)
def hamming(a: Any, b: Any, missing: str = "leave_out") -> Any:
    """How many cells differ.

    Parameters
    ----------
    a, b : sequence of cells of shape (…, d)
        The rows: values of any kind, or strings of equal length.
    missing : {"leave_out", "mismatch", "value"}, default="leave_out"
        Whether a pair with a missing cell is left out, counts as different, or compares the gap like a value.

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> hamming("karolin", "kathrin")
    3.0
    >>> hamming([1, None, 0], [0, None, 1]), hamming([1, None, 0], [0, None, 1], missing="mismatch")
    (2.0, 3.0)
    """
    return plain_array(_differ(a, b, missing)[0].sum(axis=-1).astype(float))


@derived_by(_derive_differing)
def simple_matching(a: Any, b: Any, missing: str = "leave_out") -> Any:
    """The share of cells that differ; NaN if none is known.

    Parameters
    ----------
    a, b : sequence of cells of shape (…, d)
        The rows: values of any kind, or strings of equal length.
    missing : {"leave_out", "mismatch", "value"}, default="leave_out"
        Whether a pair with a missing cell is left out, counts as different, or compares the gap like a value.

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> simple_matching(["red", "round", "small"], ["red", "long", "small"])
    0.3333333333333333
    """
    differ, counted = _differ(a, b, missing)
    with np.errstate(invalid="ignore"):
        return plain_array(differ.sum(axis=-1) / counted.sum(axis=-1))


@derived_by(_derive_jaccard)
def jaccard(a: Any, b: Any) -> Any:
    """One less the share of what both have in what either has; 0 if neither has anything.

    Parameters
    ----------
    a, b : set, or array-like of shape (…, d)
        The properties of each: two sets, or arrays with true or 1 for a property that it has and false or 0
        for one that it lacks.

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> jaccard([1, 1, 0, 0], [1, 0, 1, 0])
    0.6666666666666667
    >>> jaccard({"bread", "milk"}, {"milk", "tea", "jam"})  # 1 - 1/4
    0.75
    """
    if isinstance(a, set | frozenset) and isinstance(b, set | frozenset):
        return 1 - len(a & b) / len(a | b) if a | b else 0.0
    left, right = (_present(x) for x in (a, b))
    check_width(left, right)
    both, either = (left & right).sum(axis=-1), (left | right).sum(axis=-1)
    return plain_array(np.where(either > 0, 1 - both / np.maximum(either, 1), 0.0))


@derived_by(_derive_gower)
def gower(a: Any, b: Any, scales: Sequence[Any]) -> Any:
    """The mean over the columns of how far two cells are apart, from 0 to 1.

    Parameters
    ----------
    a, b : sequence of cells of shape (…, d)
        The rows. A missing cell is the largest distance, 1, from any other.
    scales : sequence
        One for each column: None for categories, the range (largest less smallest) of numbers, or the list
        of ordered values, lowest first.

    Returns
    -------
    float or ndarray of shape (…)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> gower([20, "red", "low"], [30, "red", "high"], scales=[40, None, ["low", "mid", "high"]])
    0.4166666666666667
    >>> gower([20, "red"], [None, "blue"], scales=[40, None])
    1.0
    """
    left, right = _cells(a), _cells(b)
    check_width(left, right)
    if len(scales) != left.shape[-1]:
        raise ParameterError(f"scales: {left.shape[-1]} columns, but {len(scales)} scales")
    terms = [_term(left[..., j], right[..., j], scale) for j, scale in enumerate(scales)]
    return plain_array(sum(terms) / len(terms))


def normalized_ranks(values: Any, scale: Sequence[Any]) -> Any:
    """The values as ranks between 0 for the lowest and 1 for the highest; NaN where missing.

    Parameters
    ----------
    values : sequence of cells
        The cells.
    scale : sequence
        The ordered values, lowest first.

    Returns
    -------
    ndarray

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> normalized_ranks(["mid", "high", None], ["low", "mid", "high"]).tolist()
    [0.5, 1.0, nan]
    """
    order = [as_text(value) for value in scale]
    if not order or len(set(order)) != len(order):
        raise ParameterError(f"scale must list each value once, lowest first; got {list(scale)!r}")
    cells = _cells(values)
    known = ~_missing(cells)
    rank = {value: r / max(len(order) - 1, 1) for r, value in enumerate(order)}
    for value in map(as_text, cells[known].ravel()):
        if value not in rank:
            raise ParameterError(f"the scale has no value {value!r}. {did_you_mean(value, order)}")
    ranks = np.full(cells.shape, np.nan)
    ranks[known] = [rank[as_text(value)] for value in cells[known]]
    return plain_array(ranks)


def _term(a: Cells, b: Cells, scale: Any) -> Floats:
    """The distances of the cells of one column, from 0 to 1."""
    if scale is None:
        return np.where(_missing(a) | _missing(b), 1.0, (a != b).astype(float))
    if isinstance(scale, Sequence):
        gaps = np.abs(normalized_ranks(a, scale) - normalized_ranks(b, scale))
        span = 1.0
    else:
        gaps = np.abs(as_floats(a, "numbers") - as_floats(b, "numbers"))
        span = float(scale)
    if not 0 <= span < np.inf:
        raise ParameterError(f"a range must be finite and not negative, got {scale!r}")
    # tested for being inside, so that NaN is not: such a gap is the largest, 1
    within = gaps < span
    return np.where(within, gaps / (span or 1.0), np.where(gaps == 0, 0.0, 1.0))


def _differ(a: Any, b: Any, missing: str) -> tuple[Mask, Mask]:
    """Which cells differ, and which count."""
    if missing not in _RULES:
        raise ParameterError(f"missing must be one of {', '.join(map(repr, _RULES))}, got {missing!r}")
    left, right = _cells(list(a) if isinstance(a, str) else a), _cells(list(b) if isinstance(b, str) else b)
    check_width(left, right)
    gap_left, gap_right = _missing(left), _missing(right)
    gap = gap_left | gap_right
    differ = (left != right).astype(bool)
    if missing == "leave_out":
        return differ & ~gap, ~gap
    alike = gap_left & gap_right if missing == "value" else np.zeros_like(gap)
    return (differ | gap) & ~alike, np.ones_like(gap)


def _cells(a: Any) -> Cells:
    """The cells as they are: an array of numbers, or of objects."""
    cells = np.asarray(a) if isinstance(a, np.ndarray) else np.asarray(a, dtype=object)
    return cells if cells.dtype.kind in "biuf" else cells.astype(object)


def _missing(cells: Cells) -> Mask:
    if cells.dtype == object:
        gap = [cell is None or cell != cell for cell in cells.ravel()]  # noqa: PLR0124 (NaN is not itself)
        return np.array(gap, dtype=bool).reshape(cells.shape)
    return np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(cells.shape, dtype=bool)


def _present(a: npt.ArrayLike) -> Mask:
    cells = as_floats(a, "presences")
    present: Mask = np.nan_to_num(cells, nan=0.0) != 0
    return present
