"""Probability tables P(node | parents): arrays from what users write, checked.

table : float64 (values of parent 1, …, values of parent k, values of the node); the last axis sums to one
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from openbook.data import Attribute, Categorical
from openbook.data.attributes import as_text
from openbook.errors import DataError, did_you_mean

#: How far the sum of a distribution may be from one: what rounding to six digits can do.
TOLERANCE = 1e-5
#: The most numbers of a table, and the most axes of an array.
MOST_CELLS, MOST_AXES = 1 << 24, 32


def table_shape(name: str, sizes: Iterable[int]) -> tuple[int, ...]:
    """The shape of a table over axes of these sizes, which must not be too large."""
    shape = tuple(sizes)
    if (cells := math.prod(shape)) > MOST_CELLS or len(shape) > MOST_AXES:
        msg = f"with {len(shape) - 1} parents, the table of {name!r} would have {cells:,} numbers"
        raise DataError(f"{msg}; at most {MOST_CELLS:,} and {MOST_AXES - 1} parents are possible")
    return shape


def node_table(node: Categorical, parents: Sequence[Categorical], given: Any) -> np.ndarray:
    """The table of a node from a number, a list, or a mapping of the parents' values to either.

    For a node of two values a single number is the probability of the first; the complement is filled in.
    The values of several parents are a tuple, in the order of the parents.
    """
    if not parents:
        given = _distribution(node, given)
    table = given_cells(node, parents, given, len(node.values), _distribution)
    if len(node.values) == 2 and table.shape == tuple(len(p.values) for p in parents):
        table = np.stack([table, 1 - table], axis=-1)
    return checked_table(node, parents, table)


def given_cells(
    node: Attribute,
    parents: Sequence[Categorical],
    given: Any,
    size: int,
    cells_of: Callable[[Any, Any], np.ndarray],
) -> np.ndarray:
    """The given cells for each combination of the parents' values, as an array; `cells_of` reads one."""
    shape = table_shape(node.name, (*(len(p.values) for p in parents), size))
    if isinstance(given, Mapping) and parents:
        table = np.full(shape, np.nan)
        for key, row in given.items():
            table[_codes(node, parents, key)] = cells_of(node, row)
        for codes in product(*(range(one) for one in shape[:-1])):
            if np.isnan(table[codes]).any():
                case = ", ".join(f"{p.name} = {p.values[c]}" for p, c in zip(parents, codes, strict=True))
                raise DataError(f"node {node.name!r}: nothing is given for {case}")
        return table
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError):
        msg = f"node {node.name!r}: its table must be numbers, lists of them or a mapping, got {given!r}"
        raise DataError(msg) from None


def _codes(node: Attribute, parents: Sequence[Categorical], key: Any) -> tuple[int, ...]:
    key = key if isinstance(key, tuple) else (key,)
    if len(key) != len(parents):
        names = ", ".join(p.name for p in parents)
        raise DataError(f"node {node.name!r}: {key!r} must hold a value of each parent: {names}")
    codes = []
    for parent, value in zip(parents, key, strict=True):
        if (code := parent.encode(value)) < 0:
            hint = did_you_mean(as_text(value), parent.values)
            raise DataError(f"node {node.name!r}: parent {parent.name!r} has no value {value!r}. {hint}")
        codes.append(code)
    return tuple(codes)


def _distribution(node: Categorical, row: Any) -> np.ndarray:
    """One distribution over the values of a node."""
    if isinstance(row, Mapping):
        by_value = {as_text(value): p for value, p in row.items()}
        if odd := [value for value in by_value if value not in node.values]:
            msg = f"node {node.name!r} has no value {odd[0]!r}. {did_you_mean(odd[0], node.values)}"
            raise DataError(msg)
        row = [by_value.get(value, 0.0) for value in node.values]
    try:
        values = np.array(row, dtype=float).ravel()
    except (TypeError, ValueError):
        raise DataError(f"node {node.name!r}: probabilities must be numbers, got {row!r}") from None
    if len(values) == 1 and len(node.values) == 2:
        values = np.array([values[0], 1 - values[0]])
    if len(values) != len(node.values):
        msg = f"node {node.name!r} has {len(node.values)} values, but {len(values)} probabilities are given"
        raise DataError(msg)
    return values


def checked_table(node: Categorical, parents: Sequence[Categorical], table: np.ndarray) -> np.ndarray:
    """The table, scaled to sum exactly to one; an error names the node and the row that cannot be right."""
    shape = (*(len(p.values) for p in parents), len(node.values))
    if table.shape != shape:
        raise DataError(f"node {node.name!r}: its table has the shape {table.shape}, expected {shape}")
    if not ((table >= 0) & (table <= 1 + TOLERANCE)).all():
        raise DataError(f"node {node.name!r}: a probability is not between 0 and 1")
    sums = table.sum(axis=-1, keepdims=True)
    wrong = np.argwhere(np.abs(sums[..., 0] - 1) > TOLERANCE)
    if len(wrong):
        codes = tuple(wrong[0])
        case = ", ".join(f"{p.name} = {p.values[c]}" for p, c in zip(parents, codes, strict=True))
        total = float(sums[(*codes, 0)])
        where = f" for {case}" if case else ""
        raise DataError(f"node {node.name!r}: its probabilities{where} sum to {total:g}, not to 1")
    exact = np.isclose(sums, 1.0, rtol=0, atol=1e-12)
    return table / np.where(exact, 1.0, sums)
