"""Conversions shared by the measures: arrays of floats in, a float or an array out."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError

Floats = npt.NDArray[np.float64]

#: The tolerance for probabilities that sum to one: above rounding errors, below typing errors.
SUM_TOLERANCE = 1e-9


def as_floats(values: npt.ArrayLike, name: str) -> Floats:
    """The values as an array of floats; an error names what they are."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be numbers, in rows of equal length, got {values!r}") from None


def all_finite(*arrays: npt.NDArray[Any]) -> bool:
    """Whether every number is finite; one that is not shows in their sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        if math.isfinite(sum(float(values.sum()) for values in arrays)):
            return True
    return all(bool(np.isfinite(values).all()) for values in arrays)


def plain_array(result: npt.ArrayLike) -> Any:
    """A single result as a float, several as an array."""
    return float(result) if np.ndim(result) == 0 else np.asarray(result)  # type: ignore[arg-type]


def drawn_codes(chances: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """A code for each row, drawn in proportion to the chances (n, n_values)."""
    below = np.cumsum(chances, axis=1)
    drawn = (rng.random((len(below), 1)) * below[:, -1:] >= below).sum(axis=1)
    return np.minimum(drawn, below.shape[1] - 1)


def vectors_of(values: npt.ArrayLike, width: int, what: str) -> Floats:
    """Rows of `width` numbers, of shape (…, width)."""
    rows = as_floats(values, "x")
    if rows.shape[-1:] != (width,):
        raise ParameterError(f"x must hold {width} {what} in its last axis, got the shape {rows.shape}")
    return rows


def check_base(base: float) -> None:
    """Refuse a base that no logarithm has."""
    if not (np.isfinite(base) and base > 0 and base != 1):
        raise ParameterError(f"base must be a positive number other than 1, got {base!r}")


def check_width(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> None:
    """Refuse rows that cannot be compared cell by cell."""
    if not (a.ndim and b.ndim) or a.shape[-1] != b.shape[-1] or not a.shape[-1]:
        widths = [x.shape[-1] if x.ndim else "no" for x in (a, b)]
        msg = f"rows must have the same number of cells, one at least; got {widths[0]} and {widths[1]}"
        raise ParameterError(msg)


def stacked(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The parts one below the other; empties the list, and frees each part once it is copied."""
    if len(parts) == 1:
        return parts[0]
    end = sum(map(len, parts))
    stacked = np.empty((end, *parts[0].shape[1:]), np.result_type(*parts))
    while parts:
        part = parts.pop()
        stacked[end - len(part) : end] = part
        end -= len(part)
    return stacked
