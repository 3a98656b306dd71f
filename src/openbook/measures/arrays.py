"""What the measures share: arrays of floats in, a float or an array out."""

from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError

__all__ = ["SUM_TOLERANCE", "Floats", "as_floats", "plain"]

Floats = npt.NDArray[np.float64]

#: How far probabilities may be from summing to one: rounding errors are, typing errors are not.
SUM_TOLERANCE = 1e-9


def as_floats(values: npt.ArrayLike, name: str) -> Floats:
    """The values as an array of floats; an error names what they are."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{name} must be numbers, in rows of equal length, got {values!r}"
        raise ParameterError(msg) from None


def plain(result: npt.ArrayLike) -> Any:
    """A single result as a float, several as an array."""
    return float(result) if np.ndim(result) == 0 else np.asarray(result)  # type: ignore[arg-type]
