"""What kind a column is, and why: the rules, in one place for every source.

A column arrives either as numbers, or as `Cells`: its distinct texts and, for each row, the position of its
text (-1 where the cell is missing). Every rule looks at distinct texts only, so a column of a million cells
costs what its different values cost. Rows are counted from 0, as in `Table.row`.

Before any rule, blanks around a text are stripped, a text that stands for a missing value becomes missing,
and the words true and false are put in lower case, so that booleans are spelled alike whatever wrote them.

The rules for texts, first match wins:

    no known cell                                          numeric, all missing
    all numbers, one of them a code such as 00123          nominal: a number would lose the zeros
    all numbers                                            numeric
    all numbers once the decimal comma is a point          numeric, unless 1,234 could as well mean 1234
    a text longer than 200 characters                      text
    more than 100,000 different texts                      text
    five words on average, more than half of them unlike   text
    anything else, dates and times included                nominal

Values of a guessed nominal column are sorted: by number if all are numbers, else alphabetically.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import (
    KINDS,
    MISSING,
    Attribute,
    Categorical,
    Nominal,
    Numeric,
    Ordinal,
    Text,
    as_text,
)
from openbook.errors import DataError, UnknownColumn, did_you_mean

__all__ = [
    "BOOLEANS",
    "EVERY_NUMBER",
    "MISSING_TOKENS",
    "NO_KNOWN_CELL",
    "Cells",
    "Decided",
    "Kinds",
    "Wish",
    "decide_cells",
    "decide_numbers",
    "number",
    "spell",
    "wants_numbers",
    "wishes",
]

Array = npt.NDArray[Any]
#: What `kinds` may be: a kind for all columns, or a kind, a list of values in order or an attribute for some.
Kinds = str | Mapping[Any, str | Sequence[Any] | Attribute] | None
#: What is asked of one column: nothing, a kind, or a full attribute.
Wish = type[Attribute] | Attribute | None

#: Texts that stand for a missing value, blanks around them aside. An empty cell is missing in any case.
MISSING_TOKENS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")

BOOLEANS = ("false", "true")

EVERY_NUMBER = "every known cell is a number"
NO_KNOWN_CELL = "no known cell; taken as numeric"

LONGEST_VALUE = 200
MOST_VALUES = 100_000
WORDS_OF_TEXT = 5

_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE
)
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),?\d*(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_MAYBE_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_CODE = re.compile(r"0\d", re.ASCII)


class Cells(NamedTuple):
    """A column of texts: `values[codes[i]]` is row i; a code of -1 is missing.

    `declared` is the kind whose values, and their order, the source itself declares (a pandas categorical,
    booleans), or None where the values are just those that occur.
    """

    values: Sequence[str]
    codes: Array
    declared: type[Categorical] | None = None

    def cleaned(self, missing: Collection[str]) -> "Cells":
        """Spelled one way, missing tokens taken out; values that become alike are joined."""
        gaps = {token.strip() for token in missing} | {""}
        position: dict[str, int] = {}
        lookup = np.empty(len(self.values) + 1, dtype=np.intp)
        lookup[-1] = MISSING
        for i, value in enumerate(self.values):
            spelled = spell(value)
            lookup[i] = MISSING if value.strip() in gaps else position.setdefault(spelled, len(position))
        unchanged = tuple(position) == tuple(self.values)
        return Cells(list(position), self.codes if unchanged else lookup[self.codes], self.declared)

    def first(self, flags: Sequence[bool]) -> tuple[int, str] | None:
        """The first row whose value is flagged, and the value; None if there is no such row."""
        flagged = self.lookup(flags, False, np.bool_)
        row = int(np.argmax(flagged)) if len(flagged) else 0
        return (row, self.values[self.codes[row]]) if len(flagged) and flagged[row] else None

    def lookup(self, answers: Sequence[Any] | Array, gap: Any, dtype: Any) -> Array:
        """One answer per value as one answer per row."""
        table = np.empty(len(answers) + 1, dtype=dtype)
        table[:-1] = answers
        table[-1] = gap
        return table[self.codes]


class Decided(NamedTuple):
    """A column that is ready for a table."""

    attribute: Attribute
    data: Array
    why: str


def spell(text: str) -> str:
    """The text without the blanks around it; true and false in lower case.

    >>> spell(" Sunny "), spell("TRUE")
    ('Sunny', 'true')
    """
    text = text.strip()
    return text.lower() if len(text) < 6 and text.lower() in BOOLEANS else text


def number(text: str) -> float | None:
    """The number a text stands for, or None.

    >>> number("1e3"), number("1_000"), number("12 cm")
    (1000.0, None, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


def wishes(kinds: Kinds, names: Sequence[str]) -> dict[str, Wish]:
    """What is asked of each named column; a column may be named by its position too."""
    if kinds is None:
        return {}
    if isinstance(kinds, str):
        kind = _kind(kinds, "all columns")
        return dict.fromkeys(names, kind)
    if not isinstance(kinds, Mapping):
        msg = f"kinds must be a kind or a mapping of column to kind, got {type(kinds).__name__}"
        raise DataError(msg)
    return dict(_wish(key, asked, names) for key, asked in kinds.items())


def _wish(key: Any, asked: Any, names: Sequence[str]) -> tuple[str, Wish]:
    if isinstance(key, int | np.integer) and not isinstance(key, bool) and -len(names) <= key < len(names):
        key = names[int(key)]
    if key not in names:
        raise UnknownColumn(str(key), names)
    if isinstance(asked, str):
        return key, _kind(asked, f"column {key!r}")
    if isinstance(asked, Attribute):
        asked = asked.renamed(key)
        if isinstance(asked, Categorical):
            return key, type(asked)(key, tuple(map(spell, asked.values))) if asked.values else type(asked)
        return key, asked
    if isinstance(asked, Iterable):
        return key, Ordinal(key, tuple(spell(as_text(value)) for value in asked))
    msg = f"column {key!r}: a kind, a list of values in order or an attribute was expected, got {asked!r}"
    raise DataError(msg)


def _kind(name: str, where: str) -> type[Attribute]:
    if name not in KINDS:
        msg = f"unknown kind {name!r} for {where}. {did_you_mean(name, tuple(KINDS))}"
        raise DataError(msg)
    return KINDS[name]


def wants_numbers(wish: Wish) -> bool:
    """Whether numbers may stay numbers: nothing is asked, or that."""
    return wish is None or wish is Numeric or isinstance(wish, Numeric)


def decide_numbers(name: str, numbers: Array, wish: Wish = None, why: str = "numbers") -> Decided:
    """A column that came as numbers, NaN where missing."""
    if wants_numbers(wish):
        return Decided(Numeric(name), numbers, why if wish is None else "numeric, as asked")
    known = ~np.isnan(numbers)
    distinct, which = np.unique(numbers[known], return_inverse=True)
    codes = np.full(len(numbers), MISSING, dtype=np.intp)
    codes[known] = which
    return decide_cells(name, Cells([as_text(value) for value in distinct], codes), wish)


def decide_cells(name: str, cells: Cells, wish: Wish = None) -> Decided:
    """A column that came as (cleaned) texts."""
    if isinstance(wish, Categorical):
        return _as_listed(name, cells, wish)
    kind = wish if isinstance(wish, type) else type(wish)
    asked = f"{kind.kind}, as asked" if issubclass(kind, Attribute) else ""
    if issubclass(kind, Numeric):
        return Decided(Numeric(name), _all_numbers(name, cells), asked)
    if issubclass(kind, Text):
        return _text(name, cells, asked)
    if issubclass(kind, Categorical):
        return _categorical(name, cells, kind, asked)
    if cells.declared is not None:
        declared = f"{cells.declared.kind}, as the source declares it"
        return _categorical(
            name, cells, cells.declared, "true or false" if cells.values is BOOLEANS else declared
        )
    return _guess(name, cells)


def _guess(name: str, cells: Cells) -> Decided:
    if not len(cells.values):
        return Decided(Numeric(name), np.full(len(cells.codes), np.nan), NO_KNOWN_CELL)
    numbers = [number(value) for value in cells.values]
    if None not in numbers:
        if code := next(filter(_CODE.match, cells.values), None):
            why = f"codes such as {code!r} start with a zero, which a number would lose"
            return _categorical(name, cells, Nominal, why)
        return Decided(Numeric(name), cells.lookup(numbers, math.nan, np.float64), EVERY_NUMBER)
    if all(map(_COMMA_NUMBER.fullmatch, cells.values)):
        return _with_commas(name, cells)
    if why := _reads_as_text(cells):
        return _text(name, cells, why)
    return _categorical(name, cells, Nominal, _why_nominal(cells, numbers))


def _with_commas(name: str, cells: Cells) -> Decided:
    shown = next(value for value in cells.values if "," in value or "." in value)
    if all(_MAYBE_THOUSANDS.fullmatch(value) for value in cells.values if "," in value):
        why = f"in {shown!r} the comma may mean decimals or thousands; asked for numeric, it means decimals"
        return _categorical(name, cells, Nominal, why)
    numbers = cells.lookup([_comma_number(value) for value in cells.values], math.nan, np.float64)
    return Decided(
        Numeric(name), numbers, f"every known cell is a number with a decimal comma, such as {shown!r}"
    )


def _comma_number(text: str) -> float:
    return float(text.replace(".", "").replace(",", "."))


def _reads_as_text(cells: Cells) -> str:
    """Why these texts are free text, or nothing."""
    distinct = len(cells.values)
    if (longest := max(map(len, cells.values))) > LONGEST_VALUE:
        return f"free text: a cell has {longest:,} characters"
    if distinct > MOST_VALUES:
        return f"free text: {distinct:,} different texts"
    words = sum(len(value.split()) for value in cells.values) / distinct
    if words >= WORDS_OF_TEXT and 2 * distinct > np.count_nonzero(cells.codes >= 0):
        return f"free text: {words:.0f} words on average, and most cells differ"
    return ""


def _why_nominal(cells: Cells, numbers: Sequence[float | None]) -> str:
    distinct = len(cells.values)
    if tuple(sorted(cells.values)) in (BOOLEANS, BOOLEANS[:1], BOOLEANS[1:]):
        return "true or false"
    known = int(np.count_nonzero(cells.codes >= 0))
    odd = [number is None for number in numbers]
    n_odd = int(np.count_nonzero(cells.lookup(odd, False, np.bool_)))
    first = cells.first(odd)
    if 2 * n_odd > known or first is None:
        return f"words: {distinct:,} different {'value' if distinct == 1 else 'values'}"
    row, value = first
    return (
        f"{n_odd:,} of {known:,} cells {'is not a number' if n_odd == 1 else 'are not numbers'},"
        f" first {value!r} in row {row:,}; if that means missing, read with missing=[…, {value!r}]"
    )


def _categorical(name: str, cells: Cells, kind: type[Attribute], why: str) -> Decided:
    assert issubclass(kind, Categorical)
    if cells.declared is not None and not (kind is Ordinal and cells.declared is not Ordinal):
        attribute = kind(name, tuple(cells.values))
        return Decided(attribute, cells.codes.astype(attribute.dtype, copy=False), why)
    numbers = [number(value) for value in cells.values]
    if all(value is not None and not math.isnan(value) for value in numbers):
        order = sorted(range(len(numbers)), key=lambda i: (numbers[i], cells.values[i]))
    elif kind is Ordinal:
        few = ", ".join(map(repr, sorted(cells.values)[:5]))
        msg = f"column {name!r} cannot be ordinal without an order; list it: kinds={{{name!r}: [{few}, …]}}"
        raise DataError(msg)
    else:
        order = sorted(range(len(numbers)), key=cells.values.__getitem__)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    attribute = kind(name, tuple(cells.values[i] for i in order))
    return Decided(attribute, cells.lookup(rank, MISSING, attribute.dtype), why)


def _as_listed(name: str, cells: Cells, attribute: Categorical) -> Decided:
    if first := cells.first([value not in attribute.codes for value in cells.values]):
        row, value = first
        hint = did_you_mean(value, attribute.values)
        msg = f"column {name!r}: row {row:,} holds {value!r}, which is not among the listed values. {hint}"
        raise DataError(msg)
    codes = cells.lookup(
        [attribute.codes.get(value, MISSING) for value in cells.values], MISSING, attribute.dtype
    )
    return Decided(attribute, codes, f"{attribute.kind}, as asked")


def _all_numbers(name: str, cells: Cells) -> Array:
    numbers = [number(value) for value in cells.values]
    if None in numbers and all(map(_COMMA_NUMBER.fullmatch, cells.values)):
        numbers = [_comma_number(value) for value in cells.values]
    if first := cells.first([number is None for number in numbers]):
        row, value = first
        msg = (
            f"column {name!r} cannot be numeric: row {row:,} holds {value!r}."
            f" If that means missing, read with missing=[…, {value!r}]; else leave the column nominal"
        )
        raise DataError(msg)
    return cells.lookup([math.nan if value is None else value for value in numbers], math.nan, np.float64)


def _text(name: str, cells: Cells, why: str) -> Decided:
    return Decided(Text(name), cells.lookup(cells.values, None, object), why)
