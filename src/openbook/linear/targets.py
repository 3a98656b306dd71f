"""One target or several: an array (n,) or (n, T), a frame or a table of numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import assert_all_finite

from openbook.border.rows import check_known
from openbook.damage import require
from openbook.data import Numeric, read
from openbook.errors import DataError


def several_targets(y: Any) -> tuple[tuple[str, ...], np.ndarray] | None:
    """The names and numbers, (n, T), of targets side by side; None if y is one-dimensional."""
    if hasattr(y, "columns"):
        table = read(y)
        names = table.names
        if odd := [a for a in table.schema if not isinstance(a, Numeric)]:
            raise DataError(f"target {odd[0].name!r} is {odd[0].kind}, but LinearRegression predicts numbers")
        numbers = table.block(names)
    else:
        numbers = np.asarray(y)
        if numbers.ndim < 2:
            return None
        names = tuple(f"y{t}" for t in range(numbers.shape[-1]))
    if numbers.ndim != 2 or not names:
        raise DataError(f"y must have the shape (n,) or (n, targets), got {numbers.shape}")
    for name, column in zip(names, numbers.T, strict=True):
        check_known(name, column)
    numbers = numbers.astype(float)
    assert_all_finite(numbers, input_name="y")
    return names, numbers


def known_targets(facts: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """The names of a model file's targets, and whether they are one array; ValueError where they are not."""
    targets, flat = facts["targets"], facts["flat"]
    names = isinstance(targets, list) and all(isinstance(name, str) for name in targets)
    require(names and len(targets) > 0, "its targets must be a list of names")
    known = flat in {True, False} and not (flat and len(targets) > 1)
    require(known, "its targets cannot be one array")
    return tuple(targets), bool(flat)
