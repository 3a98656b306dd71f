"""The kind of a column and the reason for it: the rules, in one place for every source.

The rules for texts, first match wins:

    no known cell                                          numeric, all missing
    all numbers, none of them a code such as 00123         numeric
    all numbers with one unit, or in one style             numeric, see `openbook.data.written_numbers`
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
from openbook.data.dates import (
    DateEvidence,
    are_months,
    calendar_names,
    days_from_numbers,
    is_date_format,
    why_not_dates,
)
from openbook.data.distinct import distinct_codes, is_exact
from openbook.data.labels import Labels, separator_of, usual_separator
from openbook.data.reading import MISSING_TOKENS, NONE, Kinds, Reading
from openbook.data.schema import Schema
from openbook.data.scripts import in_pairs
from openbook.data.written_numbers import NumberEvidence, means_missing, number_of_text
from openbook.errors import DataError, UnknownColumn, did_you_mean
from openbook.words.sentences import plural

Array = npt.NDArray[Any]
#: What the user requests for one column: nothing, a kind, or a full attribute.
RequestedKind = type[Attribute] | Attribute | None

EVERY_NUMBER = "every known cell is a number"
NO_KNOWN_CELL = "no known cell; assumed to be numeric"

LONGEST_VALUE = 200
MOST_VALUES = 100_000
WORDS_OF_TEXT = 5
#: Texts that nearly all differ (this share of them) are free text if most of them (this share) have a word
#: that recurs. A word recurs if it occurs in at least so many texts, but in no larger share of them.
SHARE_DIFFERENT, SHARE_WITH_RECURRING_WORD = 0.95, 0.5
FEWEST_RECURRENCES, MOST_RECURRENCES = 10, 0.9

_CODE = re.compile(r"0\d", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d++", re.ASCII)
_EXACT_DIGITS = 15

#: "None" is a value if this share of the cells, and this many, hold it, and no other cell is missing.
_SHARE_OF_NONE, _FEWEST_NONE = 0.05, 3


_DEFAULT = Reading()


class Decided(NamedTuple):
    """A column that is ready for a table."""

    attribute: Attribute
    data: Array
    why: str
    note: str = ""


def requested_kinds(kinds: Kinds, names: Sequence[str]) -> dict[str, RequestedKind]:
    """The kind that the user requests for each named column; `kinds` may also name columns by position."""
    if kinds is None:
        return {}
    if isinstance(kinds, str):
        return dict.fromkeys(names, _kind(kinds, "all columns"))
    if isinstance(kinds, Schema):
        return {attribute.name: attribute for attribute in kinds.written if attribute.name in names}
    if not isinstance(kinds, Mapping):
        raise DataError(f"kinds must be a kind or a mapping of column to kind, got {type(kinds).__name__}")
    return dict(_requested_kind(key, asked, names) for key, asked in kinds.items())


def _requested_kind(key: Any, asked: Any, names: Sequence[str]) -> tuple[str, RequestedKind]:
    if isinstance(key, int | np.integer) and not isinstance(key, bool) and -len(names) <= key < len(names):
        key = names[int(key)]
    if key not in names:
        raise UnknownColumn(str(key), names)
    if isinstance(asked, str):
        return key, Datetime(key, format=asked) if is_date_format(asked) else _kind(asked, f"column {key!r}")
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


def may_stay_numeric(requested: RequestedKind) -> bool:
    """Whether numbers may stay numbers: no kind is requested, or numeric, or dates stored as numbers."""
    return requested in (None, Numeric, Datetime) or isinstance(requested, Numeric)


def decide_numbers(
    name: str, numbers: Array, requested: RequestedKind = None, why: str = "numbers"
) -> Decided:
    """A column that came as numbers, NaN where missing."""
    if requested is None:
        return Decided(Numeric(name), numbers, why)
    if may_stay_numeric(requested):
        if requested is Datetime or isinstance(requested, Datetime):
            return _numbers_as_dates(name, numbers, requested)
        lost = "" if is_exact(numbers) else f"{name}: numbers beyond 2^53 may have lost digits"
        attribute = requested if isinstance(requested, Numeric) else Numeric(name)
        return Decided(attribute, numbers, "numeric, as requested", lost)
    return decide_cells(name, number_cells(numbers), requested)


def _numbers_as_dates(name: str, numbers: Array, requested: RequestedKind) -> Decided:
    days = days_from_numbers(numbers, requested) if isinstance(requested, Datetime) else None
    if days is None or not isinstance(requested, Datetime):
        raise DataError(
            f"column {name!r} holds numbers; to read them as dates, read with kinds={{{name!r}: 'unix'}},"
            f" 'unix ms' or 'excel'"
        )
    return Decided(requested, days, f"datetime, as requested ({requested.format})")


def decide_days(name: str, days: Array, zone: str = "", requested: RequestedKind = None) -> Decided:
    """A column that came as dates: days since 1970-01-01, NaN where missing."""
    layout = "y-m" if not zone and are_months(days) else "y-m-d"
    attribute = requested if isinstance(requested, Datetime) else Datetime(name, format=layout, zone=zone)
    if requested is None or requested is Datetime or isinstance(requested, Datetime):
        return Decided(attribute, days, "dates" if requested is None else "datetime, as requested")
    if may_stay_numeric(requested):
        numeric = requested if isinstance(requested, Numeric) else Numeric(name, "days")
        return Decided(numeric, days, "numeric, as requested: days since 1970-01-01")
    return decide_cells(name, number_cells(days, attribute.shown), requested)


def decide_hours(name: str, microseconds: Array, requested: RequestedKind = None) -> Decided:
    """A column that came as durations: hours, as those that are written out are read."""
    decided = decide_numbers(name, microseconds / 3600e6, requested)
    return decided if requested else decided._replace(attribute=Numeric(name, "h"), why="durations")


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


def decide_cells(
    name: str, cells: Cells, requested: RequestedKind = None, how: Reading = _DEFAULT
) -> Decided:
    """A column that came as (cleaned) texts."""
    tally = KindTally(how, all_values=True)
    tally.add(cells)
    attribute, why = decide_kind(name, tally, requested)
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
        self.values: dict[str, float | None] = {}  # each text, and its number if it is one
        self.declared: type[Categorical] | None = None
        self.too_many_values = False
        self.n_known = 0
        self.longest = 0
        self.n_other = 0  # cells that Python would not read as numbers
        self.first_other: tuple[int, str] | None = None  # the row and text of the first of them
        self.first_misfit: tuple[int, str] | None = None  # of the first that is no number in any style
        self.n_missing = self.n_none = 0  # cells that are missing, and cells that hold "None"
        self.missing_marks: dict[str, int] = {}  # the cells of each mark that means missing among numbers
        self.usual_missing_marks = set(how.missing) >= set(MISSING_TOKENS)  # the user has not removed any
        self.all_whole = True  # every text is a whole number
        self.too_long: str | None = None  # a whole number with more digits than a float64 keeps
        self.code: str | None = None  # a number that starts with a zero, as codes do and quantities do not
        self.numbers = NumberEvidence(how.decimal, how.thousands, how.decimal_elsewhere)
        self.dates = DateEvidence()

    def add(self, cells: Cells) -> None:
        """Add the cells of a column, or of its next part."""
        self.declared = cells.declared
        n_filled, n_none = cells.count([True]), cells.count_none()
        self.n_missing += len(cells.codes) - n_filled - n_none
        self.n_none += n_none
        is_mark = [self.usual_missing_marks and means_missing(value) for value in cells.values]
        for i in compress(range(len(is_mark)), is_mark):
            mark, count = cells.values[i], cells.count([j == i for j in range(len(is_mark))])
            self.missing_marks[mark] = self.missing_marks.get(mark, 0) + count
        texts = list(compress(cells.values, map(not_, is_mark)))
        self.all_whole = self.all_whole and all(map(_WHOLE.fullmatch, texts))
        if self.all_whole:
            self.too_long = _smallest(self.too_long, filter(_is_long, texts))
        self.longest = max(self.longest, max(map(len, cells.values), default=0))
        numbers = [
            math.nan if mark else number_of_text(value)
            for value, mark in zip(cells.values, is_mark, strict=True)
        ]
        self.values.update(zip(cells.values, numbers, strict=True))
        is_known = [number is None or not math.isnan(number) for number in numbers]
        n_known = n_filled if all(is_known) else cells.count(is_known)
        self.n_known += n_known
        is_other = [number is None for number in numbers]
        if any(is_other):
            self.n_other += n_known if is_other == is_known else cells.count(is_other)
            self.first_other = self.first_other or cells.first(is_other)
        self.code = _smallest(self.code, filter(_CODE.match, cells.values))
        self.numbers.add(texts)
        self.dates.add(texts)
        if self.first_misfit is None and (misfit := self.numbers.first_misfit) is not None:
            self.first_misfit = cells.first([value == misfit for value in cells.values])
        if len(self.values) > MOST_VALUES and not self.all_values:
            self.too_many_values = True
            self.values = {}

    @property
    def may_be_written_numbers(self) -> bool:
        """Whether the cells may be numbers in a style of `openbook.data.written_numbers`."""
        return bool(self.n_other) or self.numbers.marks_given or self.numbers.points_are_thousands

    @property
    def none_is_value(self) -> bool:
        """Whether "None" is a category: it is frequent, and no other cell is missing."""
        often = self.n_none >= max(_FEWEST_NONE, _SHARE_OF_NONE * (self.n_known + self.n_none))
        return often and not self.n_missing

    def note(self, attribute: Attribute) -> str:
        """What the user should know about how these texts are read as the attribute; mostly nothing."""
        name = attribute.name
        if isinstance(attribute, Labels) and self.n_missing:
            return f"{name}: {plural(self.n_missing, 'empty cell')} read as the empty set of labels"
        if isinstance(attribute, Categorical):
            kept = (
                f"{name}: 'None' ({self.n_none:,} cells) is read as a value; if it means missing, read with"
            )
            return f"{kept} missing=[…, 'None']" if self.n_none and NONE in attribute.values else ""
        changes = [
            f"{text!r} ({plural(n, 'cell')}) is read as missing" for text, n in self.missing_marks.items()
        ]
        if isinstance(attribute, Datetime):
            changes += self.dates.notes()
        elif not isinstance(attribute, Numeric) or not self.n_known:
            return ""
        elif self.too_long and self.all_whole:
            kept = f"to keep them, read with kinds={{{name!r}: 'nominal'}}"
            changes.append(f"digits are lost, as in {self.too_long}; {kept}")
        elif not attribute.is_plain and self.numbers.example:
            changes.append(self.numbers.note(attribute))
        return f"{name}: {'; '.join(changes)}" if changes else ""


def _is_long(text: str) -> bool:
    """Whether a whole number has more digits than a float64 keeps."""
    return len(text) > _EXACT_DIGITS and (len(text) > 300 or int(float(text)) != int(text))


def _smallest(value: str | None, others: Iterable[str]) -> str | None:
    return min(others if value is None else [value, *others], default=None)


def decide_kind(name: str, tally: KindTally, requested: RequestedKind = None) -> tuple[Attribute, str]:
    """The attribute, and the reason for its kind."""
    if requested is Labels or (isinstance(requested, Labels) and not requested.values):
        separator = requested.separator if isinstance(requested, Labels) else usual_separator(tally.values)
        return _label_sets(name, tally, separator, "labels, as requested")
    if isinstance(requested, Attribute):
        return requested, f"{requested.kind}, as requested"
    if requested is not None:
        asked = f"{requested.kind}, as requested"
        if issubclass(requested, Categorical):
            return _categorical(name, tally, requested, asked)
        if requested is Datetime:
            return _requested_dates(name, tally)
        return _requested_numbers(name, tally) if requested is Numeric else (requested(name), asked)
    if tally.declared is not None:
        boolean = tuple(tally.values) == BOOLEANS
        why = "true or false" if boolean else f"{tally.declared.kind}, as the source declares it"
        return _categorical(name, tally, tally.declared, why)
    return _guess(name, tally)


def _guess(name: str, tally: KindTally) -> tuple[Attribute, str]:
    if not tally.n_known and not tally.missing_marks:
        return Numeric(name), NO_KNOWN_CELL
    if not tally.n_known:
        return _categorical(name, tally, Nominal, _why_nominal(name, tally))
    if tally.n_other and (dated := tally.dates.attribute(name)):
        return dated, tally.dates.reason(dated)
    if tally.may_be_written_numbers and (styled := tally.numbers.attribute(name)):
        return styled, tally.numbers.reason(styled)
    if not tally.n_other and tally.code is None and not (tally.all_whole and tally.too_long):
        return Numeric(name), EVERY_NUMBER
    if not tally.dates.unclear_example and (why := why_not_dates(tally.values)):
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
    empty = [""] if tally.n_missing or (tally.n_none and not tally.none_is_value) else []
    found = Labels.of(name, [*tally.values, *([NONE] if tally.none_is_value else []), *empty], separator)
    sets = f"{plural(len(found.labels), 'label')} in {plural(len(found.values), 'set')}"
    return found, f"{why}, separated by {separator.strip()!r}: {sets}"


def _requested_numbers(name: str, tally: KindTally) -> tuple[Attribute, str]:
    """A column that is to be numeric; an error if it cannot be, or not in one way only."""
    asked, written = "numeric, as requested", tally.numbers
    if tally.may_be_written_numbers and (styled := written.attribute(name)):
        return styled, f"{asked}; {written.reason(styled)}"
    if written.unclear_example and tally.n_other:
        raise DataError(
            f"column {name!r} can be read in two ways: {_comma_is_unclear(written.unclear_example)}"
        )
    if tally.first_other is not None:
        row, text = tally.first_misfit or tally.first_other
        raise DataError(
            f"column {name!r} cannot be numeric: row {row:,} holds {text!r}."
            f" If that means missing, read with missing=[…, {text!r}]; else leave the column nominal"
        )
    return Numeric(name), asked


def _requested_dates(name: str, tally: KindTally) -> tuple[Attribute, str]:
    """A column that is to be dates; an error if it cannot be, or not in one way only."""
    if dated := tally.dates.attribute(name):
        return dated, f"datetime, as requested; {tally.dates.reason(dated)}"
    if tally.dates.unclear_example:
        msg = (
            f"column {name!r} can be read in two ways: {_order_is_unclear(name, tally.dates.unclear_example)}"
        )
        raise DataError(msg)
    first = next(iter(tally.values), "nothing")
    why = why_not_dates(tally.values) or (
        f"{first!r} is no date in a known format; give the format, as in kinds={{{name!r}: '%d.%m.%Y'}}"
    )
    raise DataError(f"column {name!r} cannot be datetime: {why}")


def _order_is_unclear(name: str, text: str) -> str:
    return (
        f"in {text!r} the day or the month may come first; read with kinds={{{name!r}: 'd/m/y'}} or 'm/d/y'"
    )


def _comma_is_unclear(text: str) -> str:
    return f"in {text!r} the comma may mean decimals or thousands; read with decimal=',' or thousands=','"


def _reads_as_text(tally: KindTally) -> str:
    """Why these texts are free text, or nothing."""
    if tally.longest > LONGEST_VALUE:
        return f"free text: a cell has {tally.longest:,} characters"
    distinct = len(tally.values)
    if tally.too_many_values or distinct > MOST_VALUES:
        return f"free text: more than {MOST_VALUES:,} distinct texts"
    if 2 * distinct > tally.n_known:
        words = sum(len(in_pairs(value).split()) for value in tally.values) / distinct
        if words >= WORDS_OF_TEXT:
            return f"free text: {words:.0f} words on average, and most cells differ"
    if distinct >= SHARE_DIFFERENT * tally.n_known and (word := _recurring_word(tally.values)):
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
    most = MOST_RECURRENCES * len(words)
    recurring = {word for word, count in counts.items() if FEWEST_RECURRENCES <= count <= most}
    if sum(not recurring.isdisjoint(own) for own in words) < SHARE_WITH_RECURRING_WORD * len(words):
        return ""
    return max(sorted(recurring), key=counts.__getitem__, default="")


def _why_nominal(name: str, tally: KindTally) -> str:
    distinct = len(tally.values) + (tally.none_is_value and NONE not in tally.values)
    if set(tally.values) <= set(BOOLEANS):
        return "true or false"
    if not tally.n_other and tally.code is None:
        return f"whole numbers such as {tally.too_long} have more digits than a number keeps"
    if not tally.n_other:
        return f"codes such as {tally.code!r} start with a zero, which a number would lose"
    if tally.numbers.unclear_example:
        return _comma_is_unclear(tally.numbers.unclear_example)
    if tally.dates.unclear_example:
        return _order_is_unclear(name, tally.dates.unclear_example)
    if len(units := tally.numbers.differing_units) == 2:
        return f"numbers in different units, {units[0]} and {units[1]}; convert them to one"
    if 2 * tally.n_other > tally.n_known or tally.first_other is None:
        return f"words: {distinct:,} distinct {'value' if distinct == 1 else 'values'}"
    row, value = tally.first_other
    return (
        f"{tally.n_other:,} of {tally.n_known:,} cells"
        f" {'is not a number' if tally.n_other == 1 else 'are not numbers'},"
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
