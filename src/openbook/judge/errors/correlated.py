r"""Groups of correlated columns; shuffling only one of them has little effect.

    two numeric or ordinal columns    |r| of their ranks
    others                            Cramér's V, √(χ² / (n (min(rows, columns) - 1))), numbers in tenths

Columns with an association of 0.7 or more are in one group, and so are columns joined by a chain of such
pairs. Missing numbers take the middle rank; in V, missing is a value of its own. Constant columns and text
are in no group.
"""

import math

import numpy as np
from scipy.sparse.csgraph import connected_components

from openbook.data import Categorical, Nominal, Table, Text
from openbook.data.findings.repeats import sample_rows
from openbook.data.ranks import mean_ranks
from openbook.judge.risk.proxies import binned
from openbook.measures import chi_squared

#: The least association of two columns of one group.
TOGETHER = 0.7
_SAMPLE = 5_000


def correlated_groups(table: Table, names: tuple[str, ...] | None = None) -> tuple[tuple[str, ...], ...]:
    """The groups of two columns or more, each in the order of the table."""
    table = table.take(sample_rows(len(table), _SAMPLE))
    chosen = table.names if names is None else names
    known = [name for name in chosen if not isinstance(table.schema[name], Text)]
    ordered = [name for name in known if not isinstance(table.schema[name], Nominal)]
    codes = {name: binned(table.column(name)) for name in known} if len(ordered) < len(known) else {}
    position, linked = {name: i for i, name in enumerate(known)}, np.zeros((len(known),) * 2, dtype=bool)
    for a, b in _pairs(table, known, ordered, codes):
        linked[position[a], position[b]] = True
    groups: dict[int, list[str]] = {}
    for name, group in zip(known, connected_components(linked, directed=False)[1].tolist(), strict=True):
        groups.setdefault(group, []).append(name)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _pairs(
    table: Table, known: list[str], ordered: list[str], codes: dict[str, np.ndarray]
) -> list[tuple[str, str]]:
    ranks = np.array([_ranks(table, name) for name in ordered]).reshape(len(ordered), len(table))
    close = np.triu(np.abs(ranks @ ranks.T) >= TOGETHER - 1e-12, 1)
    found = [(ordered[i], ordered[j]) for i, j in np.argwhere(close).tolist()]
    nominal = [name for name in known if name not in set(ordered)]
    for i, a in enumerate(nominal, start=1):
        others = (*nominal[i:], *ordered)
        found += [(a, b) for b in others if cramers_v(codes[a], codes[b]) >= TOGETHER - 1e-12]
    return found


def _ranks(table: Table, name: str) -> np.ndarray:
    """Ranks, centred and of length one; 0 if the column does not vary."""
    column = table.column(name)
    data = column.data.astype(float)
    missing = column.missing | (data < 0) if isinstance(column.attribute, Categorical) else ~np.isfinite(data)
    ranks = np.zeros(len(data))
    ranks[~missing] = mean_ranks(data[~missing]) - ((~missing).sum() + 1) / 2
    length = float(np.linalg.norm(ranks))
    return ranks / length if length else ranks


def cramers_v(a: np.ndarray, b: np.ndarray) -> float:
    """Cramér's V of two columns of codes; 0 if one does not vary.

    >>> round(cramers_v(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])), 3)
    1.0
    >>> cramers_v(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    0.0
    """
    _, a = np.unique(a, return_inverse=True)
    _, b = np.unique(b, return_inverse=True)
    rows, columns = int(a.max()) + 1, int(b.max()) + 1
    if min(rows, columns) < 2:
        return 0.0
    counts = np.bincount(a * columns + b, minlength=rows * columns).reshape(rows, columns)
    return math.sqrt(chi_squared(counts).statistic / (len(a) * (min(rows, columns) - 1)))
