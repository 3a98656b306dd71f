"""Dates and times as people write them, as days since 1970-01-01.

    days = date + (hours + minutes / 60 + seconds / 3600) / 24 - offset / 24        in UTC, if there is a zone

A format is one for the whole column: of those below the one that every cell fits. A month above 12 settles
the order of 3/4/2024; where none occurs, points stand for day first, and anything else is unclear: the column
stays as it is until the format is given as its kind. Years of two digits lie from 1969 to 2068.

    y-m-d           2024-03-01, 2024/3/1, also with 14:30, 14:30:05.25, 2:30 pm, Z, +02:00 or GMT+2 behind
    d/m/y, m/d/y    1/3/2024, 01.03.2024, 01-03-24
    d month y       1 Mar 2024, 1st March 2024, 01-Mar-24, 1. März 2024, 1er mars 2024, 1 de marzo de 2024
    month d y       March 1, 2024
    y month d       2024 Mar 1, 2024-Mar-01
    month y, y-m    Mar 2024, 2024-03: the first of the month; as y month, 2024 Mar
    y q, q y        2024Q1, 2024-Q1, Q1 2024: the first of the quarter
    y week          2024-W09, 2024W09, 2024 W9: the Monday of the week (ISO 8601)
    time            21:00, 9:05 pm, 23:59:59: the time of day, as a share of it
    unix, unix ms   seconds or milliseconds since 1970, on request
    excel           days since 1899-12-30, on request
    %d.%m.%Y …      as in `datetime.strptime`, on request

Dates that all are the first of a month stand for months and years, whose weekday means nothing: their format
is y-m. 2024-03-01 is read in any format but that of times. Missing cells are NaN.
"""

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import TIME, Datetime, Numeric
from openbook.data.written_numbers import means_missing, number_of_text, written_number
from openbook.words.sentences import plural

#: Months and weekdays in several languages; accents and what follows the first three letters may be left out.
_NAMES = """
january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
"""
_DAYS = """
monday tuesday wednesday thursday friday saturday sunday
montag dienstag mittwoch donnerstag freitag samstag sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
lunedì martedì mercoledì giovedì venerdì sabato domenica
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
"""
_TIME = r"(?P<H>\d{1,2}):(?P<M>\d\d)(?::(?P<S>\d\d(?:[.,]\d{1,9})?))? ?(?P<am_pm>[ap]\.?m\.?)?"
_ZONE = r"(?P<zone>Z|(?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?|UTC|GMT)"
_CLOCK = rf"(?:(?:T|,? +){_TIME} ?{_ZONE}?)?"
_DAY, _MONTH, _NAME = r"(?P<d>\d{1,2})", r"(?P<m>\d{1,2})", r"(?:de )?(?P<b>[a-zà-üÀ-Ü]{3,10})"
_QUARTER = r"Q(?P<q>[1-4])"
_YEAR, _ANY_YEAR, _ORDINAL = r"(?P<y>[12]\d{3})", r"(?P<y>\d{4})", r"(?:st|nd|rd|th|er)?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?"


def _with_separators(first: str, second: str) -> str:
    """The pattern of two numbers and a year, between slashes, points or hyphens.

    The year may have two digits unless that looks like a version number, such as 1.2.10.
    """
    short = r"(?P<y2>\d\d)"
    whole = rf"{first}(?P<s>[-/.]){second}(?P=s)(?:{_YEAR}|{short})"
    return rf"(?:(?=\d\d?/\d\d?/|\d\d?[-.]\d\d?[-.]\d{{4}}|\d\d[-.]\d\d[-.]\d\d(?!\d)){whole})"


_LAYOUTS = {
    "y-m-d": rf"{_ANY_YEAR}(?P<s>[-/.]){_MONTH}(?P=s){_DAY}",
    "d/m/y": _with_separators(_DAY, _MONTH),
    "m/d/y": _with_separators(_MONTH, _DAY),
    "d month y": rf"{_WEEKDAY}{_DAY}{_ORDINAL}[-/ .] ?{_NAME}\.?[-/ ,] ?(?:de )?(?:{_YEAR}|(?P<y2>\d\d))",
    "month d y": rf"{_WEEKDAY}{_NAME}(?:\.? |-){_DAY}{_ORDINAL}(?:,? |-){_YEAR}",
    "y month d": rf"{_YEAR}[-/ ]{_NAME}[-/ ]{_DAY}",
    "month y": rf"{_NAME}\.?[-/ ,] ?{_YEAR}",
    "y month": rf"{_YEAR}[-/ ]?{_NAME}",
    "y-m": rf"{_YEAR}[-/](?P<m>\d\d)",
    "y q": rf"{_YEAR}[-/ ]?{_QUARTER}",
    "q y": rf"{_QUARTER}[-/ ]?{_YEAR}",
    "y week": rf"{_YEAR}[-/ ]?W(?P<w>\d{{1,2}})",
}
_PATTERNS = {
    name: re.compile(pattern, re.ASCII | re.IGNORECASE)
    for name, pattern in {
        **{name: format_ + _CLOCK for name, format_ in _LAYOUTS.items()},
        TIME: _TIME,
    }.items()
}
#: How many units a day has, and on which day they start.
_NUMBERS = {"unix": (86400.0, 0.0), "unix ms": (86_400_000.0, 0.0), "excel": (1.0, -25569.0)}
FORMATS = (*_PATTERNS, *_NUMBERS)

_EPOCH = dt.date(1970, 1, 1).toordinal()
_MOST_CHARACTERS = 50
#: How many texts are examined, at most, to find that a column is dates except for a few cells.
_MOST_EXAMINED = 1000
#: The fewest different dates that count as months: fewer may all be the first of a month by chance.
_FEWEST_MONTHS = 4
Array = npt.NDArray[np.float64]


def is_date_format(text: str) -> bool:
    """Whether a text is one of the formats."""
    return text in FORMATS or "%" in text


def days_from_numbers(numbers: Array, attribute: Datetime) -> Array | None:
    """Unix times and Excel's day numbers as days; None if the format is not one of numbers."""
    if attribute.format not in _NUMBERS:
        return None
    per_day, start = _NUMBERS[attribute.format]
    return numbers / per_day + start


def days_from_moments(moments: npt.NDArray[np.datetime64]) -> Array:
    """NumPy's moments as days; NaN if there is none."""
    days = moments.astype("datetime64[us]").astype(np.int64) / 86400e6
    return np.where(np.isnat(moments), np.nan, days)


def are_months(days: Array) -> bool:
    """Whether there are several dates, and all are the first of a month.

    >>> are_months(np.array([0.0, 31, 59, 365, 365])), are_months(np.array([0.0, 31, 59, 364]))
    (True, False)
    """
    known = days[np.isfinite(days)]
    return (
        _all_first_of_month(known[:100])
        and _all_first_of_month(known)
        and len(np.unique(known)) >= _FEWEST_MONTHS
    )


def _all_first_of_month(days: Array) -> bool:
    """Whether all dates are the first of a month."""
    whole = days.astype(np.int64).astype("datetime64[D]")
    return bool(np.all((days == np.trunc(days)) & (whole == whole.astype("datetime64[M]"))))


def why_not_dates(texts: Iterable[str]) -> str:
    """Why a column is not read as dates though most of its texts are dates; empty if most are not.

    >>> why_not_dates(["2024-03-01", "1 Mar 2024", "2 Mar 2024"])
    "dates in several formats, such as '2024-03-01' and '1 Mar 2024'; write them in one"
    """
    formats: dict[str, str] = {}  # the first text in each format
    others = []
    seen = list(islice(texts, _MOST_EXAMINED))
    for text in seen:
        if format_ := next((format_ for format_ in _PATTERNS if _parse(text, format_)), None):
            formats.setdefault(format_, text)
        else:
            others.append(text)
    if 2 * len(others) >= len(seen):
        return ""
    if others:
        count = f"{len(others):,} of {plural(len(seen), 'distinct value')}"
        are, first = "is not a date" if len(others) == 1 else "are not dates", repr(others[0])
        return f"{count} {are}, first {first}; if that means missing, read with missing=[…, {first}]"
    if len(formats) == 1:
        return ""
    first, second, *_ = formats.values()
    return f"dates in several formats, such as {first!r} and {second!r}; write them in one"


def number_of_cell(text: str, attribute: Numeric) -> float | None:
    """The number or date of a cell in the attribute's style; NaN if it means missing, None if it is none."""
    read = days_of if isinstance(attribute, Datetime) else written_number
    number = read(text, attribute)  # type: ignore[arg-type]
    return math.nan if number is None and means_missing(text) else number


def days_of(text: str, attribute: Datetime) -> float | None:
    """The days of a cell in the attribute's format, or None.

    >>> days_of("1/3/1970", Datetime("t", format="d/m/y")), days_of("86400", Datetime("t", format="unix"))
    (59.0, 1.0)
    """
    if attribute.format in _NUMBERS and (found := number_of_text(text)) is not None:
        per_day, start = _NUMBERS[attribute.format]
        return found / per_day + start
    if "%" in attribute.format:
        try:
            moment = dt.datetime.strptime(text, attribute.format)  # noqa: DTZ007 (the format may have a zone)
        except ValueError:
            moment = None
        if moment is not None:
            naive = moment.replace(tzinfo=None) - (moment.utcoffset() or dt.timedelta())
            return float(days_from_moments(np.array([naive], "datetime64[us]"))[0])
    for format_ in (attribute.format, *([] if attribute.is_time else ["y-m-d"])):
        if format_ in _PATTERNS and (parsed := _parse(text, format_)) is not None:
            return parsed.days
    return None


class _ParsedDate(NamedTuple):
    days: float
    zone: str | None
    two_digit_year: bool


@lru_cache(maxsize=1 << 16)
def _parse(text: str, format_: str) -> _ParsedDate | None:
    """A date in a format; None if the text is no such date. The zone is the one that is written."""
    if len(text) > _MOST_CHARACTERS or not (match := _PATTERNS[format_].fullmatch(text)):
        return None
    part = match.groupdict()
    clock = _share_of_day(part)
    if format_ == TIME or clock is None:
        return None if clock is None else _ParsedDate(clock, None, two_digit_year=False)
    short_year = part.get("y2")
    year = (
        int(part["y"]) if short_year is None else int(short_year) + (1900 if int(short_year) > 68 else 2000)
    )
    try:
        if "w" in part:
            day = dt.date.fromisocalendar(year, int(part["w"]), 1)
        else:
            day = dt.date(year, _month(part), int(part.get("d") or 1))
    except ValueError:
        return None
    days = day.toordinal() - _EPOCH + clock
    zone = _zone(part["zone"])
    return _ParsedDate(days - _minutes_ahead(zone) / 1440, zone, short_year is not None)


def _month(part: dict[str, Any]) -> int:
    """The number of a month, or of the first of a quarter; 0 if there is no month of that name."""
    if "m" in part:
        return int(part["m"])
    if "q" in part:
        return 3 * int(part["q"]) - 2
    return _months().get(_bare(part["b"]), 0)


@lru_cache(maxsize=1)
def _months() -> dict[str, int]:
    """The number of each month by its names and their beginnings, those of two months left out."""
    found: dict[str, set[int]] = {"mrt": {3}}
    for line in _NAMES.split("\n"):
        for i, name in enumerate(_bare(line).split(), start=1):
            for end in range(3, len(name) + 1):
                found.setdefault(name[:end], set()).add(i)
    return {name: numbers.pop() for name, numbers in found.items() if len(numbers) == 1}


def _bare(text: str) -> str:
    """A text in lower case, without accents."""
    return "".join(
        sign for sign in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(sign)
    )


def calendar_names(texts: Collection[str]) -> tuple[str, ...]:
    """The texts in the order of the calendar if they are the twelve months or the seven weekdays; else none.

    Names may be abbreviated to their first letters, at least three.

    >>> calendar_names(["Fri", "Mon", "Sat", "Sun", "Thurs", "Tues", "Wed"])
    ('Mon', 'Tues', 'Wed', 'Thurs', 'Fri', 'Sat', 'Sun')
    """
    for line in (_NAMES + _DAYS).strip().split("\n"):
        names = _bare(line).split()
        if len(texts) == len(names):
            found = {_index_of_name(_bare(text).rstrip("."), names): text for text in texts}
            if found.keys() == set(range(len(names))):
                return tuple(found[i] for i in range(len(names)))
    return ()


def _index_of_name(text: str, names: list[str]) -> int | None:
    """The position of the name that the text is, or begins."""
    return next((i for i, name in enumerate(names) if len(text) >= 3 and name.startswith(text)), None)


def _share_of_day(part: dict[str, str | None]) -> float | None:
    """The time of day as a share of the day, 0 if no time is given; None if there is no such time."""
    if part["H"] is None:
        return 0.0
    hour, minute = int(part["H"]), int(part["M"] or 0)
    second = float((part["S"] or "0").replace(",", "."))
    if part["am_pm"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if part["am_pm"][0] in "pP" else 0)
    if hour > 23 or minute > 59 or second >= 61:
        return None
    return (hour * 3600 + minute * 60 + second) / 86400


def _zone(text: str | None) -> str | None:
    """A zone in one spelling; None if there is none.

    >>> [_zone(text) for text in ("Z", "+02", "GMT-3:30", None)]
    ['UTC', '+02:00', '-03:30', None]
    """
    digits = re.sub(r"\D", "", text or "")
    if not digits:
        return "UTC" if text else None
    hours, minutes = (digits, "00") if len(digits) < 3 else (digits[:-2], digits[-2:])
    return f"{'-' if '-' in str(text) else '+'}{hours:>02}:{minutes}"


def name_of_zone(zone: object) -> str:
    """The name of Python's time zone: of a place where it has one, else the offset; UTC if it has neither.

    >>> name_of_zone(dt.timezone(dt.timedelta(hours=-5, minutes=-30))), name_of_zone(dt.UTC)
    ('-05:30', 'UTC')
    """
    text = str(getattr(zone, "key", None) or getattr(zone, "zone", None) or zone)
    if re.fullmatch(r"[A-Za-z_]+(?:/[\w+-]+)+", text):
        return text
    offset = zone.utcoffset(None) if isinstance(zone, dt.tzinfo) else None
    minutes = (offset or dt.timedelta()) // dt.timedelta(minutes=1)
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    return f"{sign}{hours:02}:{rest:02}" if minutes else "UTC"


def _minutes_ahead(zone: str | None) -> int:
    """How many minutes a zone is ahead of UTC."""
    if zone is None or zone == "UTC":
        return 0
    return (-1 if zone[0] == "-" else 1) * (60 * int(zone[1:3]) + int(zone[4:]))


def _is_season(text: str) -> bool:
    """Whether a year and month may rather be a season over two years: 2010-11."""
    return text[2:4].isdigit() and text[5:] == f"{(int(text[2:4]) + 1) % 100:02d}"


class DateEvidence:
    """The evidence that the texts of a column are dates, and in which format; it adds up over its parts."""

    def __init__(self) -> None:
        self.formats = list(_PATTERNS)  # those that every text so far fits
        self.zones: set[str | None] = set()
        self.two_digit_years = False
        self.example: str | None = None
        #: The dates so far, as long as all are the first of a month; then None.
        self.firsts_of_months: set[float] | None = set()
        self.all_have_points = True
        self.all_may_be_seasons = True  # 2010-11, 2011-12: seasons rather than months

    def add(self, texts: Iterable[str]) -> None:
        """Add some of the column's different texts."""
        days = []
        for text in texts:
            if not self.formats:
                return
            found = {format_: parsed for format_ in self.formats if (parsed := _parse(text, format_))}
            self.formats = list(found)
            if found:
                first = next(iter(found.values()))
                days.append(first.days)
                self.zones.add(first.zone)
                self.two_digit_years |= first.two_digit_year
                self.all_have_points = self.all_have_points and "." in text[:6]
                self.all_may_be_seasons = self.all_may_be_seasons and _is_season(text)
                self.example = min(self.example or text, text)
        if self.firsts_of_months is not None:
            self.firsts_of_months = (
                self.firsts_of_months.union(days) if _all_first_of_month(np.array(days)) else None
            )

    @property
    def unclear_example(self) -> str | None:
        """A date that may be day/month or month/day, if no cell of the column settles it; else None."""
        return self.example if len(self.formats) == 2 and not self.all_have_points else None

    def attribute(self, name: str) -> Datetime | None:
        """A column in this format; None if not all cells are dates, or it is unclear in which format."""
        if not self.formats or self.example is None or self.unclear_example:
            return None
        if self.formats[0] == "y-m" and self.all_may_be_seasons:
            return None
        if (
            self.formats[0] == "y-m-d"
            and self.firsts_of_months
            and len(self.firsts_of_months) >= _FEWEST_MONTHS
        ):
            return Datetime(name, format="y-m")
        known = {zone for zone in self.zones if zone is not None}
        zone = "" if not known else next(iter(known)) if len(self.zones) == 1 else "UTC"
        return Datetime(name, format=self.formats[0], zone=zone)

    def reason(self, attribute: Datetime) -> str:
        """Why the column holds dates, with an example."""
        assert self.example is not None
        value = days_of(self.example, attribute)
        assert value is not None
        shown = attribute.shown(value)
        what = "time of day" if attribute.is_time else f"date ({attribute.format})"
        return f"every known cell is a {what}, such as {self.example!r} = {shown}"

    def notes(self) -> list[str]:
        """What the user should know about how the dates are read."""
        notes = ["years of two digits are read as 1969 to 2068"] if self.two_digit_years else []
        return notes + notes_of_zones(self.zones)


def notes_of_zones(zones: Collection[str | None]) -> list[str]:
    """What becomes of times in several zones, or without one.

    >>> notes_of_zones({"+02:00", None})
    ['times in several zones are kept in UTC', 'those without a zone are taken as UTC']
    """
    if len(zones) < 2:
        return []
    without = ["those without a zone are taken as UTC"] if None in zones else []
    return ["times in several zones are kept in UTC", *without]
