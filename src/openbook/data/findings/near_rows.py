r"""Rows that are copies of others but for a jitter: equal words, and numbers within 1/10,000 of a spread.

    near    every numeric cell differs by at most 1e-4 x the column's distance between quartiles (its standard
            deviation where that is 0), every other cell is equal, the same cells are missing, and the rows
            differ

Copies are found by an index: rows are put in order of a random projection of their numbers, in which near
rows stand within 3 x 1e-4 x |weights| of each other; each row is held against the next few. As with equal
rows, a finding needs ten times as many pairs as chance would make, were the columns independent.

Identical rows count once: `repeats` reports them.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Numeric
from openbook.data.findings.finding import Finding
from openbook.data.findings.repeats import row_hashes
from openbook.data.table import Table
from openbook.words.sentences import plural

_NEAR = 1e-4
#: How many of the next rows in the order of the projection a row is held against.
_NEXT = 8
#: Two rows may be near by luck.
_FEWEST = 3

Array = npt.NDArray[Any]


def near_rows(table: Table) -> Iterator[Finding]:
    """Count the rows that are near an earlier one, unless chance alone would make as many."""
    codes = near_codes(table)
    if codes is None:
        return
    _, first = np.unique(row_hashes(table), return_index=True)
    copies = len(first) - len(np.unique(codes[first]))
    message = (
        f"{plural(copies, 'row')} ({copies / len(table):.2%}) nearly equal to an earlier one: every number"
        " within 0.01% of its column's spread, all else equal. A copy on both sides of a split makes"
        " every score too good: keep one of each, or keep them together as groups."
    )
    yield Finding("near-duplicate rows", (), "warn" if copies > 0.01 * len(table) else "note", message)


def near_codes(table: Table) -> Array | None:
    """A code for each row, the same for equal and near rows; None if no more are near than by chance."""
    hashes = row_hashes(table)
    _, first, which = np.unique(hashes, return_index=True, return_inverse=True)
    rows = table.take(first)
    numbers = _in_tolerances(rows)
    if not len(numbers):
        return None
    words = row_hashes(_without_numbers(rows))
    pairs = _near_pairs(numbers, words)
    if len(pairs) < _FEWEST:
        return None
    by_chance = len(rows) * (len(rows) - 1) / 2 * math.prod([*map(_agreement, numbers), _same(words)])
    if len(pairs) <= 10 * by_chance:
        return None
    return _joined(len(rows), pairs)[which]


def _joined(rows: int, pairs: Array) -> Array:
    """A code for each row, the same for rows that pairs join, at one remove or at several."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs)), pairs.T), shape=(rows, rows))
    return np.asarray(connected_components(graph, directed=False)[1])


def _in_tolerances(table: Table) -> list[Array]:
    """Each numeric column that varies, in units of what counts as near; 0 if it is not finite."""
    found = []
    for attribute in table.schema:
        if isinstance(attribute, Numeric):
            x = table.data(attribute.name).astype(np.float64)
            finite = np.isfinite(x)
            known = x[finite]
            if len(known) > 1 and known.min() < known.max():
                with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
                    quartiles = np.quantile(known, (0.25, 0.75))
                    spread = float(quartiles[1] - quartiles[0]) or float(known.std())
                    units = np.where(finite, x - known[0], 0.0) / (_NEAR * spread)
                if not np.isfinite(units).all():  # too large or small to measure: equal or far apart
                    units = np.unique(np.where(finite, x, known[0]), return_inverse=True)[1] / _NEAR
                found.append(units)
    return found


def _without_numbers(table: Table) -> Table:
    """The table with 0 for every finite number: what must be equal in near rows."""
    columns = [
        np.where(np.isfinite(data), 0.0, data) if isinstance(attribute, Numeric) else data
        for attribute, data in zip(table.schema, table.columns, strict=True)
    ]
    return Table(table.schema, columns)


def _near_pairs(numbers: list[Array], words: Array) -> Array:
    """The pairs of near rows, each (row, other row), in the order of the projection."""
    weights = np.random.default_rng(0).normal(size=len(numbers))
    projection = np.zeros(len(words))
    for weight, column in zip(weights, numbers, strict=True):
        projection += weight * column
    order = np.lexsort((projection, words))
    window = 3 * float(np.linalg.norm(weights))
    found = []
    for step in range(1, min(_NEXT, len(order) - 1) + 1):
        a, b = order[:-step], order[step:]
        close = (words[a] == words[b]) & (projection[b] - projection[a] <= window)
        if not close.any():
            break
        a, b = a[close], b[close]
        for column in numbers:
            kept = np.abs(column[a] - column[b]) <= 1
            a, b = a[kept], b[kept]
        found.append(np.column_stack((a, b)))
    return np.concatenate(found) if found else np.zeros((0, 2), dtype=np.intp)


def _agreement(column: Array) -> float:
    """The chance that two rows are near in this column."""
    x = np.sort(column)
    pairs = int((np.searchsorted(x, x + 1, "right") - np.arange(len(x)) - 1).sum())
    return pairs / (len(x) * (len(x) - 1) / 2)


def _same(words: Array) -> float:
    """The chance that two rows have the same words."""
    sizes = np.unique(words, return_counts=True)[1].astype(float)
    return float(sizes @ (sizes - 1)) / (len(words) * (len(words) - 1))
