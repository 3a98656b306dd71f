"""The kind of a column and the reason for it: the rules, in one place for every source.

The rules for texts, first match wins:

    no known cell                                          numeric, all missing
    all numbers, none of them a code such as 00123         numeric
    all numbers with one unit, or in one style             numeric, see `openbook.data.written`
    all dates in one format                                datetime, see `openbook.data.dates`
    sets such as "sport|politics", labels recurring        labels, see `openbook.data.labels`
    a text longer than 200 characters                      text
    more than 100,000 different texts                      text
    five words on average, more than half of them unlike   text
    nearly all unlike, but made of words that recur        text, such as names with titles, or addresses
    the twelve months, or the seven weekdays, by name      nominal, in their order, cyclic
    anything else: words, codes                            nominal

Values of other guessed nominal columns are sorted: by number if all are numbers, else alphabetically. The
evidence is a `KindTally`, which adds up over the chunks of a file as well as over a whole column.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress
from operator import not_
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import (
    KINDS,
    MISSING,
    Attribute,
    Categorical,
    Datetime,
    Nominal,
    Numeric,
    Ordinal,
    Text,
    as_text,
)
from openbook.data.cells import BOOLEANS, Cells, spell
from openbook.data.dates import Dated, almost_dates, are_months, calendar_names, days_from_numbers, is_format
from openbook.data.distinct import distinct_codes, is_exact
from openbook.data.labels import Labels, separator_of, usual_separator
from openbook.data.reading import MISSING_TOKENS, NONE, Kinds, Reading
from openbook.data.schema import Schema
from openbook.data.scripts import in_pairs
from openbook.data.written import Written, is_blank, number_of_text
from openbook.errors import DataError, UnknownColumn, did_you_mean
from openbook.words.sentences import plural

Array = npt.NDArray[Any]
#: What is asked of one column: nothing, a kind, or a full attribute.
Wish = type[Attribute] | Attribute | None

EVERY_NUMBER = "every known cell is a number"
NO_KNOWN_CELL = "no known cell; assumed to be numeric"

LONGEST_VALUE = 200
MOST_VALUES = 100_000
WORDS_OF_TEXT = 5
#: Texts that nearly all differ are free text if words recur: the share that must differ, in how many texts
#: and in which share of them a recurring word occurs, and the share of texts that must have one.
UNLIKE, FEWEST_WITH_WORD, MOST_WITH_WORD, HAVE_ONE = 0.95, 10, 0.9, 0.5

_CODE = re.compile(r"0\d", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d++", re.ASCII)
_EXACT_DIGITS = 15

#: "None" is a value if this share of the cells, and this many, hold it, and no other cell is missing.
_OFTEN_NONE, _FEWEST_NONE = 0.05, 3


_DEFAULT = Reading()


class Decided(NamedTuple):
    """A column that is ready for a table."""

    attribute: Attribute
    data: Array
    why: str
    note: str = ""


def wishes(kinds: Kinds, names: Sequence[str]) -> dict[str, Wish]:
    """What is asked of each named column; a column may be named by its position too."""
    if kinds is None:
        return {}
    if isinstance(kinds, str):
        return dict.fromkeys(names, _kind(kinds, "all columns"))
    if isinstance(kinds, Schema):
        return {attribute.name: attribute for attribute in kinds.written if attribute.name in names}
    if not isinstance(kinds, Mapping):
        raise DataError(f"kinds must be a kind or a mapping of column to kind, got {type(kinds).__name__}")
    return dict(_wish(key, asked, names) for key, asked in kinds.items())


def _wish(key: Any, asked: Any, names: Sequence[str]) -> tuple[str, Wish]:
    if isinstance(key, int | np.integer) and not isinstance(key, bool) and -len(names) <= key < len(names):
        key = names[int(key)]
    if key not in names:
        raise UnknownColumn(str(key), names)
    if isinstance(asked, str):
        return key, Datetime(key, format=asked) if is_format(asked) else _kind(asked, f"column {key!r}")
    if isinstance(asked, Labels):
        return key, asked.renamed(key)
    if isinstance(asked, Categorical):
        kind = type(asked)
        return key, kind(key, tuple(map(spell, asked.values))) if asked.values else kind
    if isinstance(asked, Attribute):
        return key, asked.renamed(key)
    if isinstance(asked, Iterable):
        return key, Ordinal(key, tuple(spell(as_text(value)) for value in asked))
    msg = f"column {key!r}: a kind, a list of values in order or an attribute was expected, got {asked!r}"
    raise DataError(msg)


def _kind(name: str, where: str) -> type[Attribute]:
    if name not in KINDS:
        raise DataError(f"unknown kind {name!r} for {where}. {did_you_mean(name, tuple(KINDS))}")
    return KINDS[name]


def wants_numbers(wish: Wish) -> bool:
    """Whether numbers may stay numbers: nothing is asked, or that, or dates that are numbers."""
    return wish in (None, Numeric, Datetime) or isinstance(wish, Numeric)


def decide_numbers(name: str, numbers: Array, wish: Wish = None, why: str = "numbers") -> Decided:
    """A column that came as numbers, NaN where missing."""
    if wish is None:
        return Decided(Numeric(name), numbers, why)
    if wants_numbers(wish):
        if wish is Datetime or isinstance(wish, Datetime):
            return _numbers_as_dates(name, numbers, wish)
        lost = "" if is_exact(numbers) else f"{name}: numbers beyond 2^53 may have lost digits"
        attribute = wish if isinstance(wish, Numeric) else Numeric(name)
        return Decided(attribute, numbers, "numeric, as requested", lost)
    return decide_cells(name, number_cells(numbers), wish)


def _numbers_as_dates(name: str, numbers: Array, wish: Wish) -> Decided:
    days = days_from_numbers(numbers, wish) if isinstance(wish, Datetime) else None
    if days is None or not isinstance(wish, Datetime):
        raise DataError(
            f"column {name!r} holds numbers; to read them as dates, read with kinds={{{name!r}: 'unix'}},"
            f" 'unix ms' or 'excel'"
        )
    return Decided(wish, days, f"datetime, as requested ({wish.format})")


def decide_days(name: str, days: Array, zone: str = "", wish: Wish = None) -> Decided:
    """A column that came as dates: days since 1970-01-01, NaN where missing."""
    layout = "y-m" if not zone and are_months(days) else "y-m-d"
    attribute = wish if isinstance(wish, Datetime) else Datetime(name, format=layout, zone=zone)
    if wish is None or wish is Datetime or isinstance(wish, Datetime):
        return Decided(attribute, days, "dates" if wish is None else "datetime, as requested")
    if wants_numbers(wish):
        numeric = wish if isinstance(wish, Numeric) else Numeric(name, "days")
        return Decided(numeric, days, "numeric, as requested: days since 1970-01-01")
    return decide_cells(name, number_cells(days, attribute.shown), wish)


def number_cells(numbers: Array, spelled: Callable[[Any], str] = as_text) -> Cells:
    """Numbers as categories, each spelled so."""
    numbers = np.ascontiguousarray(numbers)  # a column of a matrix is slow to pass over again and again
    known = ~np.isnan(numbers)
    if known.all():
        distinct, codes = distinct_codes(numbers)
    else:
        codes = np.full(len(numbers), MISSING, dtype=np.intp)
        distinct, codes[known] = distinct_codes(numbers[known])
    return Cells(list(map(spelled, distinct)), codes)


def decide_cells(name: str, cells: Cells, wish: Wish = None, how: Reading = _DEFAULT) -> Decided:
    """A column that came as (cleaned) texts."""
    tally = KindTally(how, all_values=True)
    tally.add(cells)
    attribute, why = judge(name, tally, wish)
    return Decided(attribute, cells.encoded(attribute), why, tally.note(attribute))


class KindTally:
    """The evidence for a column's kind: its different texts, and how they look.

    Parameters
    ----------
    how : Reading
        With the signs of numbers, where they are known.
    all_values : bool
        Keep every text, however many there are; else only as many as a nominal column may have.
    """

    def __init__(self, how: Reading = _DEFAULT, *, all_values: bool = False) -> None:
        self.all_values = all_values
        self.values: dict[str, float | None] = {}  # each text, and the number it is
        self.declared: type[Categorical] | None = None
        self.overfull = False
        self.known = 0
        self.longest = 0
        self.odd = 0  # cells that are not numbers
        self.first_odd: tuple[int, str] | None = None
        self.breaking: tuple[int, str] | None = None  # the first that is no number, however written
        self.gaps = self.nones = 0  # cells that are missing, and that hold "None"
        self.blanks: dict[str, int] = {}  # texts that mean missing among numbers, and their cells
        self.customary = set(how.missing) >= set(MISSING_TOKENS)  # nobody said that these are values
        self.whole = True  # every text is a whole number
        self.long: str | None = None  # one of them that has more digits than a number keeps
        self.code: str | None = None  # a number that starts with a zero, as codes do and quantities do not
        self.written = Written(how.decimal, how.thousands, how.shown_decimal)
        self.dated = Dated()

    def add(self, cells: Cells) -> None:
        """Add the cells of a column, or of its next part."""
        self.declared = cells.declared
        held, nones = cells.count([True]), cells.count_none()
        self.gaps, self.nones = self.gaps + len(cells.codes) - held - nones, self.nones + nones
        blank = list(map(is_blank, cells.values)) if self.customary else [False] * len(cells.values)
        texts = list(compress(cells.values, map(not_, blank)))
        for i in compress(range(len(blank)), blank):
            count = cells.count([j == i for j in range(len(blank))])
            self.blanks[cells.values[i]] = self.blanks.get(cells.values[i], 0) + count
        self.whole = self.whole and all(map(_WHOLE.fullmatch, texts))
        if self.whole:
            self.long = _least(self.long, filter(_is_long, texts))
        self.longest = max(self.longest, max(map(len, cells.values), default=0))
        numbers = [
            math.nan if empty else number_of_text(value)
            for value, empty in zip(cells.values, blank, strict=True)
        ]
        meant = [x is None or not math.isnan(x) for x in numbers]
        known = held if all(meant) else cells.count(meant)
        self.known += known
        self.values.update(zip(cells.values, numbers, strict=True))
        odd = [value is None for value in numbers]
        if any(odd):
            self.odd += known if odd == meant else cells.count(odd)
            self.first_odd = self.first_odd or cells.first(odd)
        self.code = _least(self.code, filter(_CODE.match, cells.values))
        self.written.add(texts)
        self.dated.add(texts)
        if self.breaking is None and (broken := self.written.broken) is not None:
            self.breaking = cells.first([value == broken for value in cells.values])
        if len(self.values) > MOST_VALUES and not self.all_values:
            self.overfull = True
            self.values = {}

    @property
    def rewritten(self) -> bool:
        """Whether the cells may be numbers as people write them, not as programs do."""
        return bool(self.odd) or self.written.given or self.written.turned

    @property
    def none_is_value(self) -> bool:
        """Whether "None" is a category: it is frequent, and no other cell is missing."""
        often = self.nones >= max(_FEWEST_NONE, _OFTEN_NONE * (self.known + self.nones))
        return often and not self.gaps

    def note(self, attribute: Attribute) -> str:
        """What was changed or decided on the way from these texts to the attribute; mostly nothing."""
        name = attribute.name
        if isinstance(attribute, Labels) and self.gaps:
            return f"{name}: {plural(self.gaps, 'empty cell')} read as the empty set of labels"
        if isinstance(attribute, Categorical):
            kept = f"{name}: 'None' ({self.nones:,} cells) is read as a value; if it means missing, read with"
            return f"{kept} missing=[…, 'None']" if self.nones and NONE in attribute.values else ""
        changes = [f"{text!r} ({plural(n, 'cell')}) is read as missing" for text, n in self.blanks.items()]
        if isinstance(attribute, Datetime):
            changes += self.dated.changes()
        elif not isinstance(attribute, Numeric) or not self.known:
            return ""
        elif self.long and self.whole:
            kept = f"to keep them, read with kinds={{{name!r}: 'nominal'}}"
            changes.append(f"digits are lost, as in {self.long}; {kept}")
        elif not attribute.is_plain and self.written.example:
            changes.append(self.written.change(attribute))
        return f"{name}: {'; '.join(changes)}" if changes else ""


def _is_long(text: str) -> bool:
    """Whether a whole number has more digits than a float64 keeps."""
    return len(text) > _EXACT_DIGITS and (len(text) > 300 or int(float(text)) != int(text))


def _least(value: str | None, others: Iterable[str]) -> str | None:
    return min(others if value is None else [value, *others], default=None)


def judge(name: str, tally: KindTally, wish: Wish = None) -> tuple[Attribute, str]:
    """The attribute, and the reason for its kind."""
    if wish is Labels or (isinstance(wish, Labels) and not wish.values):
        separator = wish.separator if isinstance(wish, Labels) else usual_separator(tally.values)
        return _label_sets(name, tally, separator, "labels, as requested")
    if isinstance(wish, Attribute):
        return wish, f"{wish.kind}, as requested"
    if wish is not None:
        asked = f"{wish.kind}, as requested"
        if issubclass(wish, Categorical):
            return _categorical(name, tally, wish, asked)
        if wish is Datetime:
            return _requested_dates(name, tally)
        return _requested_numbers(name, tally) if wish is Numeric else (wish(name), asked)
    if tally.declared is not None:
        boolean = tuple(tally.values) == BOOLEANS
        why = "true or false" if boolean else f"{tally.declared.kind}, as the source declares it"
        return _categorical(name, tally, tally.declared, why)
    return _guess(name, tally)


def _guess(name: str, tally: KindTally) -> tuple[Attribute, str]:
    if not tally.known and not tally.blanks:
        return Numeric(name), NO_KNOWN_CELL
    if not tally.known:
        return _categorical(name, tally, Nominal, _why_nominal(name, tally))
    if tally.odd and (dated := tally.dated.attribute(name)):
        return dated, tally.dated.why(dated)
    if tally.rewritten and (styled := tally.written.attribute(name)):
        return styled, tally.written.why(styled)
    if not tally.odd and tally.code is None and not (tally.whole and tally.long):
        return Numeric(name), EVERY_NUMBER
    if not tally.dated.ambiguous and (why := almost_dates(tally.values)):
        return _categorical(name, tally, Nominal, why)
    if separator := separator_of(tally.values):
        return _label_sets(name, tally, separator, "cells are sets")
    if why := _reads_as_text(tally):
        return Text(name), why
    if cycle := calendar_names(tally.values):
        return Nominal(name, cycle, cyclic=True), "all months or weekdays: they go round"
    return _categorical(name, tally, Nominal, _why_nominal(name, tally))


def _label_sets(name: str, tally: KindTally, separator: str, why: str) -> tuple[Attribute, str]:
    """The attribute of sets of labels; empty cells are the empty set."""
    empty = [""] if tally.gaps or (tally.nones and not tally.none_is_value) else []
    found = Labels.of(name, [*tally.values, *([NONE] if tally.none_is_value else []), *empty], separator)
    sets = f"{plural(len(found.labels), 'label')} in {plural(len(found.values), 'set')}"
    return found, f"{why}, separated by {separator.strip()!r}: {sets}"


def _requested_numbers(name: str, tally: KindTally) -> tuple[Attribute, str]:
    """A column that is to be numeric; an error if it cannot be, or not in one way only."""
    asked, written = "numeric, as requested", tally.written
    if tally.rewritten and (styled := written.attribute(name)):
        return styled, f"{asked}; {written.why(styled)}"
    if written.ambiguous and tally.odd:
        raise DataError(f"column {name!r} can be read in two ways: {_two_ways(written.ambiguous)}")
    if tally.first_odd is not None:
        row, text = tally.breaking or tally.first_odd
        raise DataError(
            f"column {name!r} cannot be numeric: row {row:,} holds {text!r}."
            f" If that means missing, read with missing=[…, {text!r}]; else leave the column nominal"
        )
    return Numeric(name), asked


def _requested_dates(name: str, tally: KindTally) -> tuple[Attribute, str]:
    """A column that is to be dates; an error if it cannot be, or not in one way only."""
    if dated := tally.dated.attribute(name):
        return dated, f"datetime, as requested; {tally.dated.why(dated)}"
    if tally.dated.ambiguous:
        msg = f"column {name!r} can be read in two ways: {_two_orders(name, tally.dated.ambiguous)}"
        raise DataError(msg)
    first = next(iter(tally.values), "nothing")
    why = almost_dates(tally.values) or (
        f"{first!r} is no date in a known format; give the format, as in kinds={{{name!r}: '%d.%m.%Y'}}"
    )
    raise DataError(f"column {name!r} cannot be datetime: {why}")


def _two_orders(name: str, text: str) -> str:
    return (
        f"in {text!r} the day or the month may come first; read with kinds={{{name!r}: 'd/m/y'}} or 'm/d/y'"
    )


def _two_ways(text: str) -> str:
    return f"in {text!r} the comma may mean decimals or thousands; read with decimal=',' or thousands=','"


def _reads_as_text(tally: KindTally) -> str:
    """Why these texts are free text, or nothing."""
    if tally.longest > LONGEST_VALUE:
        return f"free text: a cell has {tally.longest:,} characters"
    distinct = len(tally.values)
    if tally.overfull or distinct > MOST_VALUES:
        return f"free text: more than {MOST_VALUES:,} distinct texts"
    if 2 * distinct > tally.known:
        words = sum(len(in_pairs(value).split()) for value in tally.values) / distinct
        if words >= WORDS_OF_TEXT:
            return f"free text: {words:.0f} words on average, and most cells differ"
    if distinct >= UNLIKE * tally.known and (word := _recurring_word(tally.values)):
        return f"free text: nearly all cells differ, but their words recur, as {word!r} does"
    return ""


def _recurring_word(texts: Collection[str]) -> str:
    """The most frequent of the words that recur among texts, if most texts have one; else nothing.

    >>> _recurring_word([f"{title} {name}" for title in ("Mr", "Miss", "Dr") for name in "ABCDEFGHIJ"])
    'Dr'
    >>> _recurring_word([f"sample {i}" for i in range(100)])
    ''
    """
    words = [set(in_pairs(text).split()) for text in texts]
    counts = Counter(word for own in words for word in own)
    most = MOST_WITH_WORD * len(words)
    recurring = {word for word, count in counts.items() if FEWEST_WITH_WORD <= count <= most}
    if sum(not recurring.isdisjoint(own) for own in words) < HAVE_ONE * len(words):
        return ""
    return max(sorted(recurring), key=counts.__getitem__, default="")


def _why_nominal(name: str, tally: KindTally) -> str:
    distinct = len(tally.values) + (tally.none_is_value and NONE not in tally.values)
    if set(tally.values) <= set(BOOLEANS):
        return "true or false"
    if not tally.odd and tally.code is None:
        return f"whole numbers such as {tally.long} have more digits than a number keeps"
    if not tally.odd:
        return f"codes such as {tally.code!r} start with a zero, which a number would lose"
    if tally.written.ambiguous:
        return _two_ways(tally.written.ambiguous)
    if tally.dated.ambiguous:
        return _two_orders(name, tally.dated.ambiguous)
    if len(units := tally.written.units) == 2:
        return f"numbers in different units, {units[0]} and {units[1]}; convert them to one"
    if 2 * tally.odd > tally.known or tally.first_odd is None:
        return f"words: {distinct:,} distinct {'value' if distinct == 1 else 'values'}"
    row, value = tally.first_odd
    return (
        f"{tally.odd:,} of {tally.known:,} cells"
        f" {'is not a number' if tally.odd == 1 else 'are not numbers'},"
        f" first {value!r} in row {row:,}; if that means missing, read with missing=[…, {value!r}]"
    )


def _categorical(name: str, tally: KindTally, kind: type[Categorical], why: str) -> tuple[Attribute, str]:
    if tally.none_is_value:
        tally.values.setdefault(NONE, None)
    if tally.declared is not None and (tally.declared is Ordinal or kind is not Ordinal):
        return kind(name, tuple(tally.values)), why
    numbers = {value: x for value, x in tally.values.items() if x is not None and not math.isnan(x)}
    if len(numbers) == len(tally.values):
        return kind(name, tuple(sorted(numbers, key=lambda value: (numbers[value], value)))), why
    if kind is Ordinal:
        listed = ", ".join(map(repr, sorted(tally.values)))
        raise DataError(
            f"column {name!r} cannot be ordinal without an order; list its values from lowest to highest, as"
            f" in kinds={{{name!r}: [{listed}]}}"
        )
    return kind(name, tuple(sorted(tally.values))), why
