"""A factor: a table of numbers over some variables, and the sum and product of such tables.

    product      (f g)(x, y, z) = f(x, y) g(y, z)
    sum out      (Σ_y f)(x) = Σ_y f(x, y)
    max out      (max_y f)(x) = max_y f(x, y)
    condition    f(x | y = v) = f(x, v)

Variables are numbered, and the axes of a table go in the order of their numbers, so that a product needs no
transposing.

variables : tuple of int, ascending;  table : float64, one axis for each
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

#: The most factors, and the most variables, that one call of einsum takes.
_AT_ONCE, _LETTERS = 16, 50

_ALL = slice(None)


class TableFactor(NamedTuple):
    """A table over variables, in ascending order."""

    variables: tuple[int, ...]
    table: np.ndarray

    @classmethod
    def of(cls, variables: Iterable[int], table: np.ndarray) -> "TableFactor":
        """A factor whose axes may come in any order."""
        variables = tuple(variables)
        order = sorted(range(len(variables)), key=variables.__getitem__)
        return cls(tuple(variables[i] for i in order), np.ascontiguousarray(table.transpose(order)))

    def times(self, other: "TableFactor") -> "TableFactor":
        both = tuple(sorted({*self.variables, *other.variables}))
        return TableFactor(both, self.over(both) * other.over(both))

    def over(self, variables: tuple[int, ...]) -> np.ndarray:
        """The table with an axis of length 1 for each of these variables that it does not have."""
        sizes = dict(zip(self.variables, self.table.shape, strict=True))
        return self.table.reshape([sizes.get(variable, 1) for variable in variables])

    def without(self, eliminated: Iterable[int], how: str = "sum") -> "TableFactor":
        """Variables summed out, or with `how="max"` maximised out."""
        axes = tuple(self.variables.index(variable) for variable in eliminated)
        left = tuple(v for i, v in enumerate(self.variables) if i not in axes)
        return TableFactor(left, self.table.sum(axis=axes) if how == "sum" else self.table.max(axis=axes))

    def given(self, codes: Mapping[int, int]) -> "TableFactor":
        """The part where these variables have these values."""
        if codes.keys().isdisjoint(self.variables):
            return self
        cut = tuple([codes.get(v, _ALL) for v in self.variables])
        return TableFactor(tuple([v for v in self.variables if v not in codes]), self.table[cut])


def product(factors: Iterable[TableFactor]) -> TableFactor:
    """The product of factors, small ones first; 1 if there are none."""
    ordered = sorted(factors, key=lambda f: math.prod(f.table.shape))
    return reduce(TableFactor.times, ordered, TableFactor((), np.ones(())))


def contracted(factors: Sequence[TableFactor], together: Sequence[int], rest: Sequence[int]) -> np.ndarray:
    """The product of factors over all variables `together`, summed over those that are not in `rest`."""
    if len(factors) > _AT_ONCE or len(together) > _LETTERS:
        return product(factors).without([v for v in together if v not in rest]).table
    operands: list[Any] = []
    for factor in factors:
        operands += [factor.table, factor.variables]
    operands.append(rest)
    if together[-1] >= _LETTERS:  # einsum knows variables by letters, of which there are not many
        axis = {variable: i for i, variable in enumerate(together)}
        operands[1::2] = [[axis[v] for v in variables] for variables in operands[1::2]]
        operands[-1] = [axis[v] for v in rest]
    return np.einsum(*operands)
