"""From labels to counts: the truth and the prediction of each row, of any type.

Labels are the same where they read the same: a learner of openbook's answers "1" where the truth was 1.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from openbook.border.rows import check_known
from openbook.data import Categorical, Column
from openbook.data.attributes import as_text
from openbook.data.distinct import distinct_codes
from openbook.errors import DataError, did_you_mean


def counted_labels(truth: Any, predicted: Any, labels: Sequence[Any] | None) -> tuple[np.ndarray, list[Any]]:
    """The counts of rows by true label (row) and predicted label (column), and the labels."""
    found = [_distinct(name, given) for name, given in (("truth", truth), ("predicted", predicted))]
    n = len(found[0][1])
    if len(found[1][1]) != n:
        raise DataError(f"truth has {n} rows, but predicted has {len(found[1][1])}")
    known = _in_order(truth, found) if labels is None else list(plain_labels(labels))
    places = {as_text(label): i for i, label in enumerate(known)}
    codes = []
    for name, (values, rows) in zip(("truth", "predicted"), found, strict=True):
        for i, label in enumerate(values):
            if as_text(label) not in places:
                row = int(np.argmax(rows == i))
                hint = did_you_mean(as_text(label), [*places])
                raise DataError(f"{name}, row {row}: {label!r} is not one of the labels. {hint}")
        codes.append(np.array([places[as_text(label)] for label in values], dtype=np.intp)[rows])
    k = len(known)
    counts = np.bincount(codes[0] * k + codes[1], minlength=k * k).reshape(k, k)
    return counts, known


def plain_labels(labels: Any) -> tuple[Any, ...]:
    """Labels as Python's own values, each of its own kind."""
    return tuple(label.item() if isinstance(label, np.generic) else label for label in labels)


def whole(counts: Any, k: int) -> np.ndarray:
    table = np.asarray(counts)
    if table.shape != (k, k):
        raise DataError(f"counts of {k} labels must have the shape ({k}, {k}), got {table.shape}")
    if table.dtype.kind not in "iuf" or not (
        np.isfinite(table).all() and (table >= 0).all() and (table % 1 == 0).all()
    ):
        raise DataError("counts must be whole numbers, none of them negative")
    return table.astype(np.int64)


def _distinct(name: str, given: Any) -> tuple[list[Any], np.ndarray]:
    """The labels that occur, and each row's place among them."""
    labels = np.asarray(given.values if isinstance(given, Column) else given)
    if labels.ndim != 1:
        raise DataError(f"{name} must have one label for each row, got the shape {labels.shape}")
    check_known(name, labels)
    values, rows = distinct_codes(labels)
    return values.tolist(), rows


def _in_order(truth: Any, found: list[tuple[list[Any], np.ndarray]]) -> list[Any]:
    """All labels that occur: in the order of a nominal column's values, else sorted."""
    occurring = {as_text(label): label for values, _ in reversed(found) for label in values}
    if isinstance(truth, Column) and isinstance(truth.attribute, Categorical):
        named = [occurring.pop(value) for value in truth.attribute.values if value in occurring]
        return [*named, *occurring.values()]
    kinds = {type(label) for label in occurring.values()}
    return sorted(occurring.values(), key=None if len(kinds) == 1 else as_text)
