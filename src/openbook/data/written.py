"""Numbers as people write them: $13,160.14, 13.3%, 1.179.745,00, (1,200), 5 kg, 36:15:00.

    cell = [sign] [currency] [sign] digits [exponent] [unit]          in parentheses: negative

How the digits are marked is a style (decimal, thousands), one for the whole column. Of the styles that every
cell fits, the first below is taken, with one exception: in cells such as 65,937 the comma may mean thousands
or decimals. It means thousands if the unit is a currency, or if 986 is among the cells and 1234 is not:
decimals would vary in length, and numbers from a thousand on have their comma. Otherwise the style is
unclear, and the column stays as it is until `decimal` or `thousands` is given. In a file, other columns may
show the decimal sign: beside 12.5 the comma of 65,937 means thousands, beside 12,5 the point of 65.937 does.

A unit is the same in all cells, some of which may lack it. It is a currency, a percent sign, a unit of
`_UNITS`, or, apart from the number by a blank, any words in lower case: 36 months. So 12A and 3rd are none.

Durations such as 36:15:00, 2 days 03:00 and 1h 30m are numbers of hours. Of 59:30 alone nothing tells whether
it is hours and minutes or minutes and seconds: it is 59.5 of the larger. Where no cell reaches 24:00, they
are times of day, see `openbook.data.dates`.

Among numbers and dates, marks such as . - n/a #N/A and unknown (`_BLANKS`) are missing cells; elsewhere they
are values like others.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from openbook.data.attributes import DECIMALS, THOUSANDS, Numeric
from openbook.errors import DataError

# Possessive quantifiers (++, *+): a hostile text costs no more than its length.
_NUMBER = re.compile(
    r"[+-]?(?:(?:\d++\.?+\d*+|\.\d++)(?:e[+-]?\d++)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE
)
_CODES = "USD|EUR|GBP|JPY|CHF|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|ZAR|Rs(?= )"
_CURRENCY = rf"(?:[A-Z]{{0,3}}[$€£¥₹₽₩₪₺₴₦₫฿¢]|{_CODES})"
_WRITTEN = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-]?+)\s?(?P<before>{_CURRENCY})?+\s*+(?P<sign2>[+-]?+)"
    r"(?P<digits>(?:\d++|(?=[.,]\d))(?:[.,' ]\d++)*+)(?P<exponent>[eE][+-]?\d++)?"
    r"(?P<blank>\s*+)(?P<unit>[^\d\s()+,.;:!?-](?:[^\d()]*[^\s\d()])?+)?\s*+(?P<close>\))?",
    re.ASCII,
)
_DURATION = re.compile(
    r"(?:(?P<days>\d++) ?d(?:ays?)?,? )?"
    r"(?P<hours>\d++):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d(?:\.\d++)?))?"
    r"|(?P<h>\d++) ?h(?:rs?|ours?)? ?(?P<min>[0-5]?\d) ?m(?:ins?|inutes?)?",
    re.ASCII,
)
_CLOCK_UNIT = "h:min or min:s"
#: Signs that mean the same: minus signs, and the blanks and apostrophes between groups of digits.
_ALIKE = str.maketrans({"−": "-", "–": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "’": "'"})
_LONGEST = 60
#: What programs and people write where there is no number, in lower case.
_NO_NUMBERS = ". - -- – — n/a n.a. na n.d. nd #n/a #null! #num! #value! #div/0! missing unknown null (null)"
_BLANKS = frozenset(_NO_NUMBERS.split())

_MEASURES = """
% ‰ ° °C °F m km cm mm µm nm ft in yd mi m² m³ km² ft² kg g mg µg lb lbs oz l ml cl gal s sec ms min h hr hrs
yr yrs Hz kHz MHz GHz kW MW Wh kWh mV mA kJ kcal Pa hPa kPa bar psi kB KB MB
GB TB mph mpg km/h m/s rpm hp bhp cc px
"""
#: Units that may follow a number without a blank.
_UNITS = frozenset(_MEASURES.split())
#: What may follow an amount of money: $1.2M.
_TIMES = {"": 1.0, "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "B": 1e9, "bn": 1e9}
_WORDS = re.compile(r"[a-zµ°²³/%]+(?: [a-z²³/%]+)?")
_MONEY = re.compile(_CURRENCY)

Style = tuple[str, str]


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    whole, mark = r"\d++", re.escape(thousands)
    if thousands:
        whole = rf"(?:[1-9]\d{{0,2}}(?:{mark}\d{{3}})+|{whole})"
    if thousands == ",":  # in India, 12,34,567
        whole = rf"(?:[1-9]\d?(?:,\d\d)+,\d{{3}}|{whole})"
    return re.compile(rf"{whole}(?:{re.escape(decimal)}\d++)?|{re.escape(decimal)}\d++", re.ASCII)


#: The styles in the order in which they are taken.
_STYLES: tuple[Style, ...] = tuple(
    (decimal, thousands)
    for thousands, decimals in (("", "."), (",", "."), ("", ","), (".", ","), (" ", ".,"), ("'", ".,"))
    for decimal in decimals
)
_PATTERNS = {style: _pattern(*style) for style in _STYLES}
_MAYBE_THOUSANDS = re.compile(r"[1-9]\d{0,2}[,.]\d{3}", re.ASCII)


def number_of_text(text: str) -> float | None:
    """The number a text stands for, as programs write it, or None.

    >>> number_of_text("1e3"), number_of_text("1_000"), number_of_text("12 cm")
    (1000.0, None, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


def is_blank(text: str) -> bool:
    """Whether a text says that there is no number.

    >>> is_blank("."), is_blank("#N/A"), is_blank("0")
    (True, True, False)
    """
    return text.lower() in _BLANKS


class _Cell(NamedTuple):
    """The parts of a cell; the number is what its digits say, times `times`."""

    digits: str
    exponent: str
    unit: str
    times: float
    enclosed: bool


def _duration(text: str) -> _Cell | None:
    """A duration, one times as many hours; None if it is none.

    >>> _duration("2 days 03:30").times, _duration("1h 30m").times, _duration("42:30").unit
    (51.5, 1.5, 'h:min or min:s')
    """
    if not (match := _DURATION.fullmatch(text)):
        return None
    part = {name: float(digits or 0) for name, digits in match.groupdict().items()}
    whole = 24 * part["days"] + part["hours"] + part["h"]
    hours = whole + (part["minutes"] + part["min"]) / 60 + part["seconds"] / 3600
    unclear = match["hours"] and not (match["days"] or match["seconds"])
    return _Cell("1", "", _CLOCK_UNIT if unclear else "h", hours, enclosed=False)


def _cell(text: str) -> _Cell | None:
    """The parts of a cell; None if it is no number with a unit."""
    if len(text) <= _LONGEST and (duration := _duration(text)):
        return duration
    if len(text) > _LONGEST or not (match := _WRITTEN.fullmatch(text.translate(_ALIKE))):
        return None
    before, after, enclosed = match["before"] or "", match["unit"] or "", match["open"] is not None
    if enclosed != (match["close"] is not None) or (match["sign"] and match["sign2"]):
        return None
    times = _TIMES.get(after, 0.0) if before else 0.0
    if times:
        after = ""
    elif after and not (
        after in _UNITS or _MONEY.fullmatch(after) or (match["blank"] and _WORDS.fullmatch(after))
    ):
        return None
    negative = enclosed or "-" in (match["sign"], match["sign2"])
    sign = -1.0 if negative else 1.0
    return _Cell(match["digits"], match["exponent"] or "", before + after, sign * (times or 1.0), enclosed)


def written_number(text: str, attribute: Numeric) -> float | None:
    """The number of a cell in the attribute's style and unit, or None.

    >>> written_number("$13,160.14", Numeric("price", unit="$", thousands=","))
    13160.14
    >>> written_number("(1.200,5)", Numeric("balance", decimal=",", thousands="."))
    -1200.5

    A column that showed no number from a thousand on may have marks between thousands in later rows.

    >>> written_number("$1,123.97", Numeric("price", unit="$"))
    1123.97
    """
    if attribute.decimal == "." or "." not in text:
        plain = number_of_text(text)
        if plain is not None:
            return plain
    cell = _cell(text)
    if cell is None or _unit_of(cell.unit, attribute.unit) is None:
        return None
    thousands = attribute.thousands or (",", ".")[DECIMALS.index(attribute.decimal)]
    if not _PATTERNS[attribute.decimal, thousands].fullmatch(cell.digits):
        return None
    digits = cell.digits.replace(thousands, "")
    return cell.times * float(digits.replace(attribute.decimal, ".") + cell.exponent)


def _unit_of(unit: str, other: str) -> str | None:
    """The unit of both: one may lack it, or have it in the plural; None if they differ."""
    if unit in ("", other, other.removesuffix("s")):
        return other
    return unit if other in ("", unit.removesuffix("s")) else None


def check_marks(decimal: str | None, thousands: str | None) -> None:
    """Refuse signs that no style has."""
    for given, name, known in ((decimal, "decimal", DECIMALS), (thousands, "thousands", THOUSANDS)):
        if given is not None and given not in known:
            raise DataError(f"{name} must be one of {', '.join(map(repr, known))}, got {given!r}")
    if decimal is not None and decimal == thousands:
        raise DataError(f"decimal and thousands are both {decimal!r}; give one of them")


class Written:
    """The evidence of how the numbers of a column are written; it adds up over the parts of a column.

    Parameters
    ----------
    decimal, thousands : str or None, default=None
        The signs, where they are known.
    shown : str or None, default=None
        The decimal sign of other columns of the file.
    """

    def __init__(
        self, decimal: str | None = None, thousands: str | None = None, shown: str | None = None
    ) -> None:
        check_marks(decimal, thousands)
        self.shown = shown
        self.given = decimal is not None or thousands is not None
        self.styles = [
            style
            for style in _STYLES
            if decimal in (None, style[0]) and (thousands in (None, style[1]) or not style[1])
        ]
        if thousands is not None and decimal is None:  # the other sign is for decimals
            self.styles = [style for style in self.styles if style[0] != thousands]
        self.broken: str | None = None  # the first that is no number in any style
        self.unit: str | None = ""
        self.units: list[str] = []  # two that differ
        self.without_unit = 0  # texts that lack a unit
        self.example: str | None = None  # one that is not written as programs do
        self.comma: str | None = None  # one whose comma may mean thousands
        self.point: str | None = None  # one whose point may
        self.short = self.long = False  # 986 occurs, and so does 1234
        self.enclosed: str | None = None  # one in parentheses
        self.open = False  # one without
        self.groups: set[int] = set()

    @property
    def fits(self) -> bool:
        """Whether every text so far is a number in some style, with one unit."""
        return bool(self.styles) and self.unit is not None

    def add(self, texts: Iterable[str]) -> None:
        """Add some of the column's different texts."""
        for text in texts:
            if not self.styles:
                return
            self._add(text)
            if not self.styles:
                self.broken = text

    def _add(self, text: str) -> None:
        cell = _cell(text)
        if cell is None:
            if number_of_text(text) is None:  # inf and nan have no style
                self.styles = []
            return
        if self.unit is not None and (unit := _unit_of(cell.unit, self.unit)) != self.unit:
            self.units = [self.unit, cell.unit] if unit is None else []
            self.unit = unit
        self.without_unit += not cell.unit
        self.styles = [style for style in self.styles if _PATTERNS[style].fullmatch(cell.digits)]
        marked = (self.given or self.shown == ",") and not cell.digits.isdigit()
        if number_of_text(text) is None or marked:
            self.example = min(self.example or text, text)
        if cell.enclosed:
            self.enclosed = self.enclosed or text
        else:
            self.open = True
        self._look_at_marks(cell.digits, text)

    def _look_at_marks(self, digits: str, text: str) -> None:
        self.groups.add(digits.count(" "))
        if _MAYBE_THOUSANDS.fullmatch(digits):
            if "," in digits:
                self.comma = min(self.comma or text, text)
            else:
                self.point = min(self.point or text, text)
        elif digits.isdigit():
            self.short |= len(digits) < 4
            self.long |= len(digits) > 3

    @property
    def decimal(self) -> str | None:
        """The decimal sign of all styles that the cells fit; None if there are both."""
        signs = {decimal for decimal, _ in self.styles}
        return signs.pop() if self.fits and len(signs) == 1 else None

    @property
    def turned(self) -> bool:
        """Whether points mean thousands, though each cell is also a number with a decimal point."""
        return self.point is not None and self._by_others == (",", ".")

    @property
    def _by_others(self) -> Style | None:
        """The style with the decimal sign of other columns, where the own cells leave it open."""
        if self.given or self.decimal or not (self.comma or self.point):
            return None
        if self.comma and _MONEY.match(self.unit or ""):
            return None
        return next((style for style in self.styles if style[0] == self.shown), None)

    @property
    def ambiguous(self) -> str | None:
        """A cell whose comma may mean decimals or thousands, where nothing tells which; else None."""
        both = {decimal for decimal, thousands in self.styles if thousands == "," or decimal == ","}
        if not self.fits or self.comma is None or len(both) < 2 or self.given or self._by_others:
            return None
        if _MONEY.match(self.unit or "") or (self.short and not self.long):
            return None
        return self.comma

    def attribute(self, name: str) -> Numeric | None:
        """A column in this style; None if not all cells are numbers in one, or it is unclear in which."""
        if not self.fits or self.ambiguous or self.example is None:
            return None
        if self.enclosed and not self.open:
            return None  # (1) and (2) alone are rather notes than negative numbers
        decimal, thousands = self._by_others or self.styles[0]
        if thousands == " " and decimal == "." and len(self.groups) == 1:
            return None  # 612 345 678 everywhere is rather a telephone number
        return Numeric(name, self.unit or "", decimal, thousands)

    def why(self, attribute: Numeric) -> str:
        """The reason, with an example."""
        marks = {",": "comma", ".": "point", " ": "blank", "'": "apostrophe"}
        details = [f"unit {attribute.unit}" + (", which some lack" if self.without_unit else "")] * bool(
            attribute.unit
        )
        if attribute.thousands:
            details.append(f"thousands {marks[attribute.thousands]}")
        if self._by_others and attribute.thousands:
            details.append(f"since other columns have a decimal {marks[attribute.decimal]}")
        elif attribute.decimal == ",":
            details.append("decimal comma" + (" as in other columns" if self._by_others else ""))
        if self.enclosed:
            details.append("parentheses for negative numbers")
        how = f" ({', '.join(details)})" if details else ""
        return f"every known cell is a number{how}, such as {self._equation(attribute, '=')}"

    def change(self, attribute: Numeric) -> str:
        """What becomes of a cell."""
        unit = f" (unit {attribute.unit})" if attribute.unit else ""
        return self._equation(attribute, "is read as") + unit

    def _equation(self, attribute: Numeric, sign: str) -> str:
        assert self.example is not None
        return f"{self.example!r} {sign} {written_number(self.example, attribute):.15g}"
