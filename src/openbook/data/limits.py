"""How far the numbers of a table reach, kept with a model to tell rows far outside of what it was trained on.

    limits : for each numeric column (smallest, largest, far low, far high)

A number is far outside if it lies beyond all of training and by more than three halves of the middle 90%:
above the larger of the largest number and q95 + 3 (q95 - median), and the same below. Missing cells are never
far outside; a category that training never showed always is, unless the model pools the rare values of its
column, among which the new one counts.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from openbook.data.attributes import UNSEEN, Categorical, Numeric
from openbook.data.schema import Schema
from openbook.data.table import Table
from openbook.words.sentences import plural

Limits = Mapping[str, tuple[float, float, float, float]]

_FAR = 3
#: Rows that are named in a warning.
_NAMED = 3


def limits_of(table: Table) -> dict[str, tuple[float, float, float, float]]:
    """The limits of every numeric column with a finite number."""
    found = {}
    for attribute in table.schema:
        if isinstance(attribute, Numeric):
            x = table.data(attribute.name).astype(float)
            x = x[np.isfinite(x)]
            if len(x):
                low, median, high = np.quantile(x, (0.05, 0.5, 0.95)).tolist()
                least, most = float(x.min()), float(x.max())
                below, above = low - _FAR * (median - low), high + _FAR * (high - median)
                found[attribute.name] = (least, most, min(least, below), max(most, above))
    return found


def far_outside(chunks: Iterable[Table], schema: Schema, limits: Limits) -> str:
    """A warning of the rows that lie far outside of the training data; empty if none does.

    chunks : the rows, in parts that follow one another
    """
    count, first_row = 0, 0
    named: list[str] = []
    for table in chunks:
        reasons: dict[int, list[str]] = {}
        for attribute in schema:
            if attribute.name in table.names:
                for row, why in _odd_cells(table.column(attribute.name), attribute, limits):
                    reasons.setdefault(row, []).append(why)
        rows = sorted(reasons)
        named += [f"row {first_row + row} ({', '.join(reasons[row])})" for row in rows[: _NAMED - len(named)]]
        count, first_row = count + len(rows), first_row + len(table)
    if not count:
        return ""
    more = f"; and {plural(count - _NAMED, 'more row')}" if count > _NAMED else ""
    verb = "lies" if count == 1 else "lie"
    return f"{plural(count, 'row')} {verb} far outside the training data: {'; '.join(named)}{more}"


def _odd_cells(column: Any, attribute: Any, limits: Limits) -> list[tuple[int, str]]:
    """Row and words of each cell that training has nothing like."""
    name = attribute.name
    if isinstance(attribute, Categorical):
        if attribute.unlisted != UNSEEN:
            return []
        known, values = set(attribute.values), column.values
        rows = [row for row in np.flatnonzero(~column.missing).tolist() if str(values[row]) not in known]
        return [(row, f"{name} {str(values[row])!r} is new") for row in rows]
    if name not in limits or not isinstance(column.attribute, Numeric):
        return []
    least, most, low, high = limits[name]
    far = np.flatnonzero((column.data < low) | (column.data > high)).tolist()
    trained = f"trained on {attribute.shown(least)} to {attribute.shown(most)}"
    return [(row, f"{name} {attribute.shown(float(column.data[row]))}; {trained}") for row in far]
