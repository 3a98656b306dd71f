r"""Derivations of the distances: term by term, in plain Python, from the numbers or cells of two rows.

It uses nothing that `distances`, the indexes and the kernels use, so tests compare them. A pair of which one
cell is missing is left out; a sum over k of d pairs is then scaled up by d/k, as in `distances`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from openbook.errors import ParameterError
from openbook.measures.arrays import as_floats, check_width
from openbook.words.numbers import figure
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: As many terms are shown, the largest of them; the others are summed up.
_SHOWN_TERMS = 16

FORMULAS = {  # of a term, and of the distance
    "gower": (r"\delta_j", r"\frac{1}{d} \sum_j \delta_j"),
    "heom": (r"\delta_j", r"\sqrt{\sum_j \delta_j^2}"),
    "euclidean": (r"(x_j - q_j)^2", r"\sqrt{\sum_j (x_j - q_j)^2}"),
    "squared_euclidean": (r"(x_j - q_j)^2", r"\sum_j (x_j - q_j)^2"),
    "mahalanobis": (r"(z_j(x) - z_j(q))^2", r"\sqrt{(x - q)^\top S^{-1} (x - q)}"),
    "manhattan": (r"|x_j - q_j|", r"\sum_j |x_j - q_j|"),
    "minkowski": (r"|x_j - q_j|^p", r"(\sum_j |x_j - q_j|^p)^{1/p}"),
    "chebyshev": (r"|x_j - q_j|", r"\max_j |x_j - q_j|"),
    "cosine": (r"x_j q_j", r"1 - \frac{\sum_j x_j q_j}{\|x\| \|q\|}"),
    "correlation": (
        r"(x_j - \bar{x})(q_j - \bar{q})",
        r"1 - \frac{\sum_j (x_j - \bar{x})(q_j - \bar{q})}{\|x - \bar{x}\| \|q - \bar{q}\|}",
    ),
}


def derive_vectors(
    metric: str, q: Sequence[float], x: Sequence[float], p: float = 2, share: tuple[int, int] = (1, 1)
) -> tuple[list[float], Step]:
    """The terms of a distance of two vectors without gaps, and the step that joins them.

    p : the power of "minkowski"; share : the number of known pairs, and of all pairs
    """
    formula = FORMULAS[metric][1]
    if metric in ("cosine", "correlation"):
        terms = [a * b for a, b in zip(q, x, strict=True)]
        d, numbers = _angle(math.fsum(terms), *(math.hypot(*each) for each in (q, x)))
        return terms, Step("distance", formula, numbers, d)
    gaps = [abs(b - a) for a, b in zip(q, x, strict=True)]
    power = {"euclidean": 2, "squared_euclidean": 2, "mahalanobis": 2, "minkowski": p}.get(metric, 1)
    if metric == "chebyshev" or power == math.inf:
        chebyshev = FORMULAS["chebyshev"][1]
        return gaps, Step("distance", chebyshev, rf"\max({joined(gaps, ', ')})", max(gaps, default=0.0))
    terms = [gap**power for gap in gaps]
    known, pairs = share
    total, body = math.fsum(terms) * pairs / known, joined(terms)
    if known != pairs:
        body = rf"\frac{{{pairs}}}{{{known}}} ({body})"
    if metric == "squared_euclidean":
        return terms, Step("distance", formula, body, total)
    numbers = rf"\sqrt{{{body}}}" if power == 2 else rf"({body})^{{1/{figure(power)}}}"
    numbers = body if power == 1 else numbers
    return terms, Step("distance", formula, numbers, total ** (1 / power))


def vectors_work(metric: str) -> Callable[..., Work]:
    """The derivation of a distance of two rows of numbers."""

    def derive(a: Any, b: Any, p: float = 3) -> Work:
        q, x = (as_floats(row, "rows") for row in (a, b))
        if q.ndim != 1 or x.ndim != 1:
            raise ParameterError("the work is of two rows, each a list of numbers")
        check_width(q, x)
        known = ~(np.isnan(q) | np.isnan(x))
        if not known.any():
            raise ParameterError("the two rows have no known number in the same place")
        left, right = q[known], x[known]
        if metric == "correlation":
            left, right = left - left.mean(), right - right.mean()
        left, right = left.tolist(), right.tolist()
        if metric == "minkowski" and not p:
            terms = [float(c != d) for c, d in zip(left, right, strict=True)]
            step = Step("distance", r"\sum_j [x_j \ne q_j]", joined(terms), math.fsum(terms), "as p nears 0")
        else:
            terms, step = derive_vectors(metric, left, right, p, (len(left), len(q)))
        places = (np.flatnonzero(known) + 1).tolist()
        note = "a pair with a missing number is left out" if len(left) < len(q) else ""
        grid = terms_grid(("", "q", "x", "term"), zip(places, left, right, terms, strict=True), note)
        return Work(f"{metric.replace('_', ' ').capitalize()} distance", (grid, step))

    return derive


def derive_in_deviations(a: Any, b: Any, covariance: Any) -> Work:
    """The distance √((a - b)ᵀ S⁻¹ (a - b)), in standard deviations along uncorrelated directions."""
    q, x = as_floats(a, "rows"), as_floats(b, "rows")
    inverse = np.linalg.inv(as_floats(covariance, "covariance"))
    scaled = inverse @ (x - q)
    products = ((x - q) * scaled).tolist()
    columns = [str(j + 1) for j in range(len(q))]
    lines = [(column, *row) for column, row in zip(columns, inverse.tolist(), strict=True)]
    cells = (each.tolist() for each in (q, x, x - q, scaled))
    header = ("", "q", "x", "x - q", "S⁻¹ (x - q)", "product")
    squares = math.fsum(products)
    root = rf"\sqrt{{{figure(squares)}}}", math.sqrt(squares)
    parts = (
        Grid("inverse covariance", ("S⁻¹", *columns), lines),
        Grid("terms", header, list(zip(columns, *cells, products, strict=True))),
        Step("squared distance", r"(x - q)^\top S^{-1} (x - q)", joined(products), squares),
        Step("distance", FORMULAS["mahalanobis"][1], *root),
    )
    return Work("Mahalanobis distance", parts)


def derive_divergence(p: Any, q: Any) -> Work:
    """The Kullback-Leibler divergence of two distributions, in bits."""
    true, taken = (as_floats(each, "shares") / np.sum(as_floats(each, "shares")) for each in (p, q))
    check_width(true, taken)
    pairs = [(a, b) for a, b in zip(true.tolist(), taken.tolist(), strict=True) if a]
    value = math.fsum(a * math.log2(a / b) if b else math.inf for a, b in pairs)
    terms = [rf"{figure(a)} \log_2 \frac{{{figure(a)}}}{{{figure(b)}}}" for a, b in pairs]
    formula = r"\sum_v p_v \log_2 \frac{p_v}{q_v}"
    return Work("Kullback-Leibler divergence", (Step("D(p, q)", formula, joined(terms), value, "in bits"),))


def terms_grid(header: Sequence[str], rows: Iterable[Sequence[Any]], note: str = "") -> Grid:
    """The terms of a distance; of many, the largest."""
    rows = list(rows)
    if len(rows) > _SHOWN_TERMS:
        note = f"The {_SHOWN_TERMS} largest of {len(rows)} columns."
        rows.sort(key=lambda cells: -abs(cells[-1]) if isinstance(cells[-1], float) else 0.0)
    return Grid("terms", header, rows[:_SHOWN_TERMS], note)


def _angle(product: float, a: float, b: float) -> tuple[float, str]:
    if not (a and b):  # no direction
        return 1.0, ""
    numbers = rf"1 - \frac{{{figure(product)}}}{{{figure(a)} \cdot {figure(b)}}}"
    return max(1 - product / (a * b), 0.0), numbers
