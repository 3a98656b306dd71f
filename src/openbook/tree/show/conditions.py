"""What a branch says, as small frozen values: worded, as JSON and as SQL in one place.

    Within(attribute, low, high)    low < x <= high; an ordinal's values count 0, 1, …
    Is(attribute, values)           x is one of these

With `missing`, cells that are missing, or hold a value never seen in training, satisfy the condition too;
otherwise they do not. Conditions on one attribute can be joined: `a & b` holds where both do, `a | b` where
either does (of intervals that touch, as the branches of a test do).

Thresholds are written with all the digits that tell them from their neighbours, so that a value reads on the
side on which it lies. SQL is the standard's: "names", 'texts', NULL for missing; cells of nominal and ordinal
columns are compared as texts.
"""

import json
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from openbook.data import Categorical, Nominal
from openbook.errors import DataError
from openbook.tree.engine.nodes import SPREAD
from openbook.work.formula import printable

__all__ = [
    "Condition",
    "Is",
    "Within",
    "condition",
    "literal",
    "number",
    "quoted",
    "settled",
    "simplified",
    "word",
]

_UNBOUNDED = (-math.inf, math.inf)


@dataclass(frozen=True)
class Condition(ABC):
    """What is asked of one column."""

    attribute: Any
    missing: bool = field(default=False, kw_only=True)

    @property
    @abstractmethod
    def values(self) -> tuple[str, ...]:
        """The values of a nominal or ordinal column that satisfy it."""

    @abstractmethod
    def _holds(self, cell):
        """Whether a known cell satisfies it."""

    @abstractmethod
    def _words(self):
        """The condition in words, missing cells left aside."""

    @abstractmethod
    def _branch(self):
        """The same without the attribute's name."""

    @abstractmethod
    def _bounds(self):
        """The same as JSON values."""

    @property
    def nothing_known(self):
        """Whether no known value satisfies it."""
        return not self.values

    @property
    def all_known(self):
        """Whether every known value satisfies it."""
        return len(self.values) == len(self.attribute.values)

    @property
    def never(self):
        """Whether no cell satisfies it."""
        return self.nothing_known and not self.missing

    @property
    def always(self):
        """Whether every cell satisfies it."""
        return self.all_known and self.missing

    def holds(self, cell):
        """Whether a cell satisfies it: a number, or a code; NaN or a code below 0 where there is no value."""
        if math.isnan(cell) or (isinstance(self.attribute, Categorical) and cell < 0):
            return self.missing
        return self._holds(cell)

    @property
    def branch(self):
        """The condition without the attribute's name, for the branch of a tree.

        >>> from openbook.data import Nominal, Numeric
        >>> Within(Numeric("age"), high=30.5).branch, Is(Nominal("sky", ("grey", "blue")), ("grey",)).branch
        ('<= 30.5', 'grey')
        """
        return self._with_missing(self._branch())

    def __str__(self):
        if self.nothing_known:
            said = f"{self._name} is {'missing' if self.missing else 'impossible'}"
        elif self.all_known:
            said = f"{self._name} is {'anything' if self.missing else 'known'}"
        else:
            said = self._with_missing(self._words())
        return printable(said)

    def to_json(self):
        """The condition as JSON values."""
        record = {"attribute": self.attribute.name}
        if self.nothing_known or self.all_known:
            return record | {"is": str(self).rpartition(" ")[2]}
        return record | self._bounds() | {"missing": self.missing}

    def sql(self, quote='"'):
        """The condition as SQL, names between such quotes; never NULL where `missing` is set."""
        if self.never or self.always:
            return "1 = 1" if self.always else "1 = 0"
        return self._sql(quoted(self.attribute.name, quote))

    def _sql(self, name):
        if not self.missing:
            return _among(name, self.values)
        others = [value for value in self.attribute.values if value not in self.values]
        return f"({_among(name, others, negated=True)} OR {name} IS NULL)"

    def _with_missing(self, words):
        return f"{words} (or missing)" if self.missing and not self.nothing_known else words

    @property
    def _name(self):
        return self.attribute.name


@dataclass(frozen=True)
class Within(Condition):
    """An ordered column's cell lies between bounds, the upper one included.

    >>> from openbook.data import Numeric, Ordinal
    >>> age, size = Numeric("age"), Ordinal("size", ("small", "medium", "large"))
    >>> print(Within(age, high=30.5), Within(age, 30.5), Within(age, 20, 30.5), sep="; ")
    age <= 30.5; age > 30.5; 20 < age <= 30.5
    >>> print(Within(size, high=1.5), Within(size, high=0.5, missing=True), sep="; ")
    size <= medium; size <= small (or missing)
    """

    low: float = -math.inf
    high: float = math.inf

    @property
    def values(self):
        return tuple(v for code, v in enumerate(self.attribute.values) if self._holds(code))

    @property
    def nothing_known(self):
        return not self.values if self.ordinal else self.low >= self.high

    @property
    def all_known(self):
        return super().all_known if self.ordinal else (self.low, self.high) == _UNBOUNDED

    def __and__(self, other):
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Within(self.attribute, low, high, missing=self.missing and other.missing)

    def __or__(self, other):
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Within(self.attribute, low, high, missing=self.missing or other.missing)

    @property
    def ordinal(self):
        return isinstance(self.attribute, Categorical)

    def _holds(self, cell):
        return cell <= self.high and (cell > self.low or self.low == -math.inf)

    def _words(self):
        if self.ordinal and math.isfinite(self.low + self.high) and len(self.values) == 1:
            return f"{self._name} = {word(self.values[0])}"
        if math.isinf(self.low):
            return f"{self._name} <= {self.bound(self.high)}"
        if math.isinf(self.high):
            return f"{self._name} > {self.bound(self.low)}"
        return f"{self.bound(self.low)} < {self._name} <= {self.bound(self.high)}"

    def _branch(self):
        if self.nothing_known:
            return "missing"
        if math.isinf(self.low):
            return f"<= {self.bound(self.high)}"
        return f"> {self.bound(self.low)}"

    def bound(self, bound):
        """A bound in words: a number, or the last value below it."""
        return word(self.attribute.values[math.floor(bound)]) if self.ordinal else number(bound)

    def _bounds(self):
        bounds = {"above": self.low, "at_most": self.high}
        return {
            key: self.attribute.values[math.floor(bound)] if self.ordinal else bound
            for key, bound in bounds.items()
            if math.isfinite(bound)
        }

    def _sql(self, name):
        if self.ordinal:
            return super()._sql(name)
        if self.nothing_known:
            return f"{name} IS NULL"
        if self.all_known:
            return f"{name} IS NOT NULL"
        bounds = [f"{name} > {number(self.low)}"] if math.isfinite(self.low) else []
        bounds += [f"{name} <= {number(self.high)}"] if math.isfinite(self.high) else []
        told = " AND ".join(bounds)
        return f"({told} OR {name} IS NULL)" if self.missing else told


@dataclass(frozen=True)
class Is(Condition):
    """A nominal column's cell is one of some values.

    >>> colour = Nominal("colour", ("red", "green", "blue"))
    >>> print(Is(colour, ("red",)), Is(colour, ("red", "blue")), Is(colour, (), missing=True), sep="; ")
    colour = red; colour in {red, blue}; colour is missing
    """

    values: tuple[str, ...] = ()

    def __and__(self, other):
        values = tuple(v for v in self.values if v in other.values)
        return Is(self.attribute, values, missing=self.missing and other.missing)

    def __or__(self, other):
        values = tuple(v for v in self.attribute.values if v in self.values + other.values)
        return Is(self.attribute, values, missing=self.missing or other.missing)

    def _holds(self, cell):
        return self.attribute.values[int(cell)] in self.values

    def _words(self):
        if len(self.values) == 1:
            return f"{self._name} = {word(self.values[0])}"
        return f"{self._name} in {{{', '.join(map(word, self.values))}}}"

    def _branch(self):
        if self.nothing_known:
            return "missing"
        return ", ".join(map(word, self.values))

    def _bounds(self):
        return {"values": list(self.values)}


def condition(schema, tree, node, branch):
    """What a node's branch says.

    A branch that takes missing cells says so, and names the values that had no training row at the node and
    so go there too. Where missing cells are spread over the branches, none of them says so.
    """
    attribute = schema.attributes[tree.attribute[node]]
    missing = bool(tree.missing[node] == branch)
    if isinstance(attribute, Nominal):
        routes = tree.routes[tree.route[node] :][: len(attribute.values)]
        here = (routes == branch) | ((routes < 0) & missing)
        return Is(attribute, tuple(np.array(attribute.values, dtype=object)[here]), missing=missing)
    if branch == 2:
        return Within(attribute, math.inf, -math.inf, missing=True)
    cut = float(tree.cut[node])
    return Within(attribute, *((-math.inf, cut), (cut, math.inf))[branch], missing=missing)


def simplified(conditions):
    """Conditions that all hold, joined to one an attribute; those that say nothing are left out."""
    of: dict[str, list[Condition]] = {}
    for each in conditions:
        of.setdefault(each.attribute.name, []).append(each)
    joined = (reduce(and_, same) for same in of.values())
    return tuple(each for each in joined if not each.always)


def settled(tree):
    """The tree with missing cells sent down the heaviest branch, the first of them, where they were spread.

    For what knows no shares, such as SQL.
    """
    heaviest = tree.missing.copy()
    for node in np.flatnonzero((tree.missing == SPREAD) & (tree.branches > 0)):
        heaviest[node] = np.argmax(tree.weight[tree.children(node)])
    return tree._replace(missing=heaviest)


def number(value):
    """The shortest digits that are read as this very number again.

    >>> number(30.0), number(0.1 + 0.2), number(1e300)
    ('30', '0.30000000000000004', '1e+300')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def quoted(name, quote='"'):
    """A name as an SQL identifier.

    >>> print(quoted('the "XL" size'))
    "the ""XL"" size"
    """
    _refuse_nul(name)
    return quote + name.replace(quote, quote * 2) + quote


def literal(value):
    """A label or a number as an SQL literal.

    >>> literal("it's"), literal(2.5), literal(True)
    ("'it''s'", '2.5', 'TRUE')
    """
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating):
        return number(value)
    _refuse_nul(str(value))
    return "'" + str(value).replace("'", "''") + "'"


def _refuse_nul(text):
    if "\0" in text:
        msg = f"{text!r} holds a NUL character, which SQL cannot write; rename it and fit again"
        raise DataError(msg)


def _among(name, values, *, negated=False):
    if len(values) == 1:
        return f"{name} {'<>' if negated else '='} {literal(values[0])}"
    return f"{name} {'NOT IN' if negated else 'IN'} ({', '.join(map(literal, values))})"


def word(value):
    """A value as it stands in a condition: between quotes where it could be misread."""
    plain = value and value == value.strip() and not set(value) & set(',{}"')
    return value if plain else json.dumps(value, ensure_ascii=False)
