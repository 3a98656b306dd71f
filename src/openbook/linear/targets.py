"""One target or several: an array (n,) or (n, T), a frame or a table of numbers."""

from typing import Any

import numpy as np
from sklearn.utils.validation import assert_all_finite

from openbook.border.rows import check_known
from openbook.data import Numeric
from openbook.data.read import read
from openbook.errors import DataError

__all__ = ["several_targets"]


def several_targets(y: Any) -> tuple[tuple[str, ...], np.ndarray] | None:
    """The names and numbers, (n, T), of targets side by side; None where y is one-dimensional."""
    if hasattr(y, "columns"):
        table = read(y)
        names = table.names
        if odd := [a for a in table.schema if not isinstance(a, Numeric)]:
            msg = f"target {odd[0].name!r} is {odd[0].kind}, but LinearRegression predicts numbers"
            raise DataError(msg)
        numbers = table.block(names)
    else:
        numbers = np.asarray(y)
        if numbers.ndim < 2:
            return None
        names = tuple(f"y{t}" for t in range(numbers.shape[-1]))
    if numbers.ndim != 2 or not names:
        msg = f"y must have the shape (n,) or (n, targets), got {numbers.shape}"
        raise DataError(msg)
    for name, column in zip(names, numbers.T, strict=True):
        check_known(name, column)
    numbers = numbers.astype(float)
    assert_all_finite(numbers, input_name="y")
    return names, numbers
