"""Conditions of rules and branches on one column, as small frozen values with their words, JSON and SQL.

    Within(attribute, low, high)    low < x <= high; an ordinal's values count 0, 1, …
    Is(attribute, values)           x is one of these

With `missing`, cells that are missing, or hold a value not seen in training, satisfy the condition too;
otherwise they do not. Conditions on one attribute can be joined: `a & b` holds where both do, `a | b` where
either does (of intervals that touch, as the branches of a test do).

Thresholds are written with all digits that distinguish them from neighbouring values. SQL follows the
standard: "names", 'texts', NULL for missing; cells of nominal and ordinal columns are compared as texts.
"""

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Any, Self

import numpy as np

from openbook.data import Attribute, Categorical, DatePart, Datetime, Intervals, TargetMean
from openbook.errors import DataError
from openbook.words.sentences import printable

_UNBOUNDED = (-math.inf, math.inf)

#: An interval of numbers, as a value.
_INTERVAL = re.compile(r"<= (?P<most>\S+)|> \S+|\(\S+, (?P<high>\S+)\]")

#: A branch of more values says how many more there are.
BRANCH_VALUES = 12


@dataclass(frozen=True)
class Condition(ABC):
    """A condition on one column."""

    attribute: Any
    missing: bool = field(default=False, kw_only=True)

    @property
    @abstractmethod
    def values(self) -> tuple[str, ...]:
        """The values of a nominal or ordinal column that satisfy it."""

    @abstractmethod
    def _holds(self, cell: float) -> bool:
        """Whether a known cell satisfies it."""

    @abstractmethod
    def _words(self) -> str:
        """The condition in words, missing cells left aside."""

    @abstractmethod
    def _branch(self) -> str:
        """The same without the attribute's name."""

    @abstractmethod
    def _bounds(self) -> dict[str, Any]:
        """The same as JSON values."""

    @property
    def nothing_known(self) -> bool:
        """Whether no known value satisfies it."""
        return not self.values

    @property
    def all_known(self) -> bool:
        """Whether every known value satisfies it."""
        return len(self.values) == len(self.attribute.values)

    @property
    def never(self) -> bool:
        """Whether no cell satisfies it."""
        return self.nothing_known and not self.missing

    @property
    def always(self) -> bool:
        """Whether every cell satisfies it."""
        return self.all_known and self.missing

    def holds(self, cell: float) -> bool:
        """Whether a cell satisfies it: a number, or a code; NaN or a code below 0 if there is no value."""
        if math.isnan(cell) or (isinstance(self.attribute, Categorical) and cell < 0):
            return self.missing
        return self._holds(cell)

    @property
    def branch(self) -> str:
        """The condition without the attribute's name, for the branch of a tree.

        >>> from openbook.data import Nominal, Numeric
        >>> Within(Numeric("age"), high=30.5).branch, Is(Nominal("sky", ("grey", "blue")), ("grey",)).branch
        ('<= 30.5', 'grey')
        """
        return self._with_missing(self._branch())

    def __str__(self) -> str:
        if self.nothing_known:
            words = f"{self._name} is {'missing' if self.missing else 'impossible'}"
        elif self.all_known:
            words = f"{self._name} is {'anything' if self.missing else 'known'}"
        else:
            words = self._with_missing(self._words())
        return printable(words)

    def to_json(self) -> dict[str, Any]:
        """The condition as JSON values."""
        record: dict[str, Any] = {"attribute": self.attribute.name}
        if self.nothing_known or self.all_known:
            return record | {"is": str(self).rpartition(" ")[2]}
        return record | self._bounds() | {"missing": self.missing}

    def sql(self, quote: str = '"') -> str:
        """The condition as SQL, names between such quotes; never NULL where `missing` is set."""
        if self.never or self.always:
            return "1 = 1" if self.always else "1 = 0"
        return self._sql(in_sql(self.attribute, quote))

    def _sql(self, name: str) -> str:
        if not self.missing:
            return _among(name, self.values)
        others = [value for value in self.attribute.values if value not in self.values]
        return f"({_among(name, others, negated=True)} OR {name} IS NULL)"

    def _with_missing(self, words: str) -> str:
        return f"{words} (or missing)" if self.missing and not self.nothing_known else words

    @property
    def _name(self) -> str:
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
    def values(self) -> tuple[str, ...]:
        return tuple(v for code, v in enumerate(self.attribute.values) if self._holds(code))

    @property
    def nothing_known(self) -> bool:
        return not self.values if self.ordinal else self.low >= self.high

    @property
    def all_known(self) -> bool:
        return super().all_known if self.ordinal else (self.low, self.high) == _UNBOUNDED

    def __and__(self, other: Self) -> "Within":
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Within(self.attribute, low, high, missing=self.missing and other.missing)

    def __or__(self, other: Self) -> "Within":
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Within(self.attribute, low, high, missing=self.missing or other.missing)

    @property
    def ordinal(self) -> bool:
        return isinstance(self.attribute, Categorical)

    def _holds(self, cell: float) -> bool:
        return cell <= self.high and (cell > self.low or self.low == -math.inf)

    def _words(self) -> str:
        if self.ordinal and math.isfinite(self.low + self.high) and len(self.values) == 1:
            return f"{self._name} = {word(self.values[0])}"
        if math.isinf(self.low):
            return f"{self._name} <= {self.bound(self.high)}"
        if math.isinf(self.high):
            return f"{self._name} > {self.bound(self.low)}"
        return f"{self.bound(self.low)} < {self._name} <= {self.bound(self.high)}"

    def _branch(self) -> str:
        if self.nothing_known:
            return "missing"
        if math.isinf(self.low):
            return f"<= {self.bound(self.high)}"
        return f"> {self.bound(self.low)}"

    def bound(self, bound: float) -> str:
        """A bound in words: a number, a date, or the last value below it."""
        if self.ordinal:
            value = self.attribute.values[math.floor(bound)]
            return upper_edge(value) or word(value)
        return self.attribute.shown(bound) if isinstance(self.attribute, Datetime) else exact_digits(bound)

    def _bounds(self) -> dict[str, Any]:
        bounds: dict[str, Any] = {"above": self.low, "at_most": self.high}
        bounds = {key: bound for key, bound in bounds.items() if math.isfinite(bound)}
        if self.ordinal:
            return {key: self.attribute.values[math.floor(bound)] for key, bound in bounds.items()}
        is_date = isinstance(self.attribute, Datetime)
        return {key: self.bound(bound) for key, bound in bounds.items()} if is_date else bounds

    def _sql(self, name: str) -> str:
        if self.ordinal:
            return super()._sql(name)
        if self.nothing_known:
            return f"{name} IS NULL"
        if self.all_known:
            return f"{name} IS NOT NULL"
        ends = ((">", self.low), ("<=", self.high))
        tests = [f"{name} {sign} {number_literal(self.attribute, x)}" for sign, x in ends if math.isfinite(x)]
        test = " AND ".join(tests)
        return f"({test} OR {name} IS NULL)" if self.missing else test


@dataclass(frozen=True)
class Is(Condition):
    """A nominal column's cell is one of some values.

    >>> from openbook.data import Nominal
    >>> colour = Nominal("colour", ("red", "green", "blue"))
    >>> print(Is(colour, ("red",)), Is(colour, ("red", "blue")), Is(colour, (), missing=True), sep="; ")
    colour = red; colour in {red, blue}; colour is missing
    """

    values: tuple[str, ...] = ()

    def __and__(self, other: Self) -> "Is":
        values = tuple(v for v in self.values if v in other.values)
        return Is(self.attribute, values, missing=self.missing and other.missing)

    def __or__(self, other: Self) -> "Is":
        values = tuple(v for v in self.attribute.values if v in self.values + other.values)
        return Is(self.attribute, values, missing=self.missing or other.missing)

    def _holds(self, cell: float) -> bool:
        return self.attribute.values[int(cell)] in self.values

    def _words(self) -> str:
        if len(self.values) == 1:
            value = self.values[0]
            if self._in_interval(value):
                return f"{self._name} {value}" if value[0] in "<>" else f"{self._name} in {value}"
            return f"{self._name} = {word(value)}"
        return f"{self._name} in {{{', '.join(map(self._value, self.values))}}}"

    def _in_interval(self, value: str) -> bool:
        return isinstance(self.attribute, Intervals) or _INTERVAL.fullmatch(value) is not None

    def _value(self, value: str) -> str:
        return value if self._in_interval(value) else word(value)

    def _branch(self) -> str:
        if self.nothing_known:
            return "missing"
        more = len(self.values) - BRANCH_VALUES
        shown = ", ".join(map(self._value, self.values[:BRANCH_VALUES] if more > 1 else self.values))
        return f"{shown} and {more} more" if more > 1 else shown

    def _bounds(self) -> dict[str, Any]:
        return {"values": list(self.values)}

    def sql(self, quote: str = '"') -> str:
        """The condition as SQL; intervals are asked of the numbers themselves."""
        if not isinstance(self.attribute, Intervals) or self.never or self.always:
            return super().sql(quote)
        spans = [Within(self.attribute.number, *ends) for ends in self.attribute.spans(self.values)]
        tests = [span.sql(quote) for span in spans]
        if self.missing:
            tests.append(f"{quoted(self._name, quote)} IS NULL")
        return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"

    def _sql(self, name: str) -> str:
        rest = self.attribute.rest
        if rest is None:
            return super()._sql(name)
        if rest in self.values:  # every value that is not among the others
            others = [value for value in self.attribute.values if value not in self.values]
            test = _among(name, others, negated=True) if others else f"{name} IS NOT NULL"
        else:
            test = _among(name, self.values) if self.values else "1 = 0"
        return f"({test} OR {name} IS NULL)" if self.missing else test


def in_sql(attribute: Attribute, quote: str = '"') -> str:
    """The cell of a column; of a derived one, in terms of the column that a table brings.

    >>> print(in_sql(DatePart.of(Datetime("sold"), "quarter")))
    CASE EXTRACT(QUARTER FROM "sold") WHEN 1 THEN 'Q1' WHEN 2 THEN 'Q2' WHEN 3 THEN 'Q3' WHEN 4 THEN 'Q4' END
    >>> from openbook.data import Nominal, TargetMean
    >>> print(in_sql(TargetMean("m", by=Nominal("town", ("Ulm",)), rows=(3,), means=(4,), overall=2.5)))
    CASE WHEN "town" = 'Ulm' THEN 4 WHEN "town" IS NOT NULL THEN 2.5 END
    """
    if isinstance(attribute, TargetMean):
        name, seen = quoted(attribute.by.name, quote), attribute.seen
        cells = attribute.cells(np.array([attribute.by.codes[value] for value in seen], dtype=np.intp))
        tests = [*(f"{name} = {literal(value)}" for value in seen), f"{name} IS NOT NULL"]
        results = map(exact_digits, [*cells.tolist(), attribute.overall])
        cases = [f"WHEN {test} THEN {result}" for test, result in zip(tests, results, strict=True)]
        return f"CASE {' '.join(cases)} END"
    if isinstance(attribute, DatePart):
        part = "ISODOW" if attribute.part == "weekday" else attribute.part.upper()
        numbers = enumerate(attribute.values, 0 if part == "HOUR" else 1)
        cases = [f"WHEN {number} THEN {literal(value)}" for number, value in numbers]
        return f"CASE EXTRACT({part} FROM {quoted(attribute.date, quote)}) {' '.join(cases)} END"
    return quoted(attribute.name, quote)


def upper_edge(value: str) -> str | None:
    """The upper end of an interval of numbers that is a value, as `bins` makes them; None for other values.

    >>> upper_edge("<= 0.8"), upper_edge("(0.8, 1.65]"), upper_edge("tall")
    ('0.8', '1.65', None)
    """
    found = _INTERVAL.fullmatch(value)
    return found and (found["most"] or found["high"])


def simplified(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Conditions joined to one for each attribute; those that are always true are left out."""
    of: dict[str, list[Condition]] = {}
    for each in conditions:
        of.setdefault(each.attribute.name, []).append(each)
    joined = (reduce(and_, same) for same in of.values())
    return tuple(each for each in joined if not each.always)


def exact_digits(value: float) -> str:
    """The shortest digits that are read as this very number again.

    >>> exact_digits(30.0), exact_digits(0.1 + 0.2), exact_digits(1e300)
    ('30', '0.30000000000000004', '1e+300')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def number_literal(attribute: Any, bound: float) -> str:
    """A number of a column as SQL: a date is written as one."""
    if math.isinf(bound) or not isinstance(attribute, Datetime):
        return str(bound) if math.isinf(bound) else exact_digits(bound)
    moment = str(attribute.moments([bound])[0]).replace("T", " ")
    if attribute.is_time:
        return f"TIME '{moment.removeprefix('1970-01-01 ')}'"
    return f"TIMESTAMP '{moment}{'+00:00' if attribute.zone else ''}'"


def quoted(name: str, quote: str = '"') -> str:
    """A name as an SQL identifier.

    >>> print(quoted('the "XL" size'))
    "the ""XL"" size"
    """
    _refuse_nul(name)
    return quote + name.replace(quote, quote * 2) + quote


def literal(value: Any) -> str:
    """A label or a number as an SQL literal.

    >>> literal("it's"), literal(2.5), literal(True)
    ("'it''s'", '2.5', 'TRUE')
    """
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating):
        return exact_digits(float(value))
    _refuse_nul(str(value))
    return "'" + str(value).replace("'", "''") + "'"


def _refuse_nul(text: str) -> None:
    if "\0" in text:
        raise DataError(f"{text!r} holds a NUL character, which SQL cannot write; rename it and fit again")


def _among(name: str, values: Sequence[str], *, negated: bool = False) -> str:
    if len(values) == 1:
        return f"{name} {'<>' if negated else '='} {literal(values[0])}"
    return f"{name} {'NOT IN' if negated else 'IN'} ({', '.join(map(literal, values))})"


def word(value: str) -> str:
    """A value as it stands in a condition: between quotes where it could be misread."""
    plain = value and value == value.strip() and not set(value) & set(',{}"')
    return value if plain else json.dumps(value, ensure_ascii=False)
