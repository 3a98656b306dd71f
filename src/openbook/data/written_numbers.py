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

Among numbers and dates, marks such as . - n/a #N/A and unknown (`_MISSING_MARKS`) are missing cells;
elsewhere they are values like others.
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
_CELL = re.compile(
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
#: Other forms of the minus sign, and of the blank and the apostrophe between groups of digits.
_SAME_SIGN = str.maketrans({"−": "-", "–": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "’": "'"})
_MOST_CHARACTERS = 60
#: What programs and people write in place of a missing number, in lower case.
_MISSING_TEXTS = (
    ". - -- – — n/a n.a. na n.d. nd #n/a #null! #num! #value! #div/0! missing unknown null (null)"
)
_MISSING_MARKS = frozenset(_MISSING_TEXTS.split())

_UNIT_LIST = """
% ‰ ° °C °F m km cm mm µm nm ft in yd mi m² m³ km² ft² kg g mg µg lb lbs oz l ml cl gal s sec ms min h hr hrs
yr yrs Hz kHz MHz GHz kW MW Wh kWh mV mA kJ kcal Pa hPa kPa bar psi kB KB MB
GB TB mph mpg km/h m/s rpm hp bhp cc px
"""
#: Units that may follow a number without a blank.
_UNITS = frozenset(_UNIT_LIST.split())
#: Letters that multiply an amount of money: $1.2M.
_MULTIPLES = {"": 1.0, "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "B": 1e9, "bn": 1e9}
_UNIT_WORDS = re.compile(r"[a-zµ°²³/%]+(?: [a-z²³/%]+)?")
_ONLY_CURRENCY = re.compile(_CURRENCY)

#: A decimal sign, and a thousands separator or "".
Style = tuple[str, str]


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    """What the digits of a number look like in a style."""
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
_ONE_MARK = re.compile(r"[1-9]\d{0,2}[,.]\d{3}", re.ASCII)


def number_of_text(text: str) -> float | None:
    """The number a text stands for, as programs write it, or None.

    >>> number_of_text("1e3"), number_of_text("1_000"), number_of_text("12 cm")
    (1000.0, None, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


def means_missing(text: str) -> bool:
    """Whether a text stands for a missing number.

    >>> means_missing("."), means_missing("#N/A"), means_missing("0")
    (True, True, False)
    """
    return text.lower() in _MISSING_MARKS


class _ParsedNumber(NamedTuple):
    """The parts of a cell; its number is digits · 10^exponent · factor."""

    digits: str
    exponent: str
    unit: str
    factor: float
    in_parentheses: bool


def _duration(text: str) -> _ParsedNumber | None:
    """A duration in hours, which are the factor of the digit 1; None if the text is no duration.

    >>> _duration("2 days 03:30").factor, _duration("1h 30m").factor, _duration("42:30").unit
    (51.5, 1.5, 'h:min or min:s')
    """
    if not (match := _DURATION.fullmatch(text)):
        return None
    part = {name: float(digits or 0) for name, digits in match.groupdict().items()}
    whole = 24 * part["days"] + part["hours"] + part["h"]
    hours = whole + (part["minutes"] + part["min"]) / 60 + part["seconds"] / 3600
    unclear = match["hours"] and not (match["days"] or match["seconds"])
    return _ParsedNumber("1", "", _CLOCK_UNIT if unclear else "h", hours, in_parentheses=False)


def _parse(text: str) -> _ParsedNumber | None:
    """The parts of a cell; None if it is no number with a unit."""
    if len(text) <= _MOST_CHARACTERS and (duration := _duration(text)):
        return duration
    if len(text) > _MOST_CHARACTERS or not (match := _CELL.fullmatch(text.translate(_SAME_SIGN))):
        return None
    currency, unit, in_parentheses = match["before"] or "", match["unit"] or "", match["open"] is not None
    if in_parentheses != (match["close"] is not None) or (match["sign"] and match["sign2"]):
        return None
    multiple = _MULTIPLES.get(unit) if currency else None
    if multiple is not None:
        unit = ""
    elif unit and not (
        unit in _UNITS or _ONLY_CURRENCY.fullmatch(unit) or (match["blank"] and _UNIT_WORDS.fullmatch(unit))
    ):
        return None
    negative = in_parentheses or "-" in (match["sign"], match["sign2"])
    factor = (-1.0 if negative else 1.0) * (multiple or 1.0)
    return _ParsedNumber(match["digits"], match["exponent"] or "", currency + unit, factor, in_parentheses)


def written_number(text: str, attribute: Numeric) -> float | None:
    """The number of a cell in the attribute's style and unit, or None.

    >>> written_number("$13,160.14", Numeric("price", unit="$", thousands=","))
    13160.14
    >>> written_number("(1.200,5)", Numeric("balance", decimal=",", thousands="."))
    -1200.5

    Later rows may have separators between thousands even if no earlier number was that large.

    >>> written_number("$1,123.97", Numeric("price", unit="$"))
    1123.97
    """
    if attribute.decimal == "." or "." not in text:
        plain = number_of_text(text)
        if plain is not None:
            return plain
    cell = _parse(text)
    if (
        cell is None
        or _common_unit(cell.unit, attribute.unit) is None
        or is_scaled(cell.unit, attribute.unit)
    ):
        return None
    thousands = attribute.thousands or (",", ".")[DECIMALS.index(attribute.decimal)]
    if not _PATTERNS[attribute.decimal, thousands].fullmatch(cell.digits):
        return None
    digits = cell.digits.replace(thousands, "")
    return cell.factor * float(digits.replace(attribute.decimal, ".") + cell.exponent)


def is_scaled(unit: str, known: str) -> bool:
    """Whether a unit is a percentage where the column had no unit, and so maybe shares: 5% is 0.05 or 5."""
    return unit == "%" and not known


def _common_unit(unit: str, other: str) -> str | None:
    """The unit of two cells, one of which may lack it or have it in the plural; None if they differ."""
    if unit in ("", other, other.removesuffix("s")):
        return other
    return unit if other in ("", unit.removesuffix("s")) else None


def check_marks(decimal: str | None, thousands: str | None) -> None:
    """Refuse a decimal sign or a thousands separator that no style has."""
    for given, name, known in ((decimal, "decimal", DECIMALS), (thousands, "thousands", THOUSANDS)):
        if given is not None and given not in known:
            raise DataError(f"{name} must be one of {', '.join(map(repr, known))}, got {given!r}")
    if decimal is not None and decimal == thousands:
        raise DataError(f"decimal and thousands are both {decimal!r}; give one of them")


class NumberEvidence:
    """The evidence of how the numbers of a column are written; it adds up over the parts of a column.

    Parameters
    ----------
    decimal, thousands : str or None, default=None
        The decimal sign and the thousands separator, if the user has given them.
    decimal_elsewhere : str or None, default=None
        The decimal sign of other columns of the file.
    """

    def __init__(
        self,
        decimal: str | None = None,
        thousands: str | None = None,
        decimal_elsewhere: str | None = None,
    ) -> None:
        check_marks(decimal, thousands)
        self.decimal_elsewhere = decimal_elsewhere
        self.marks_given = decimal is not None or thousands is not None
        self.styles = [
            style
            for style in _STYLES
            if decimal in (None, style[0]) and (thousands in (None, style[1]) or not style[1])
        ]
        if thousands is not None and decimal is None:  # the decimal sign is another one
            self.styles = [style for style in self.styles if style[0] != thousands]
        #: The first text after which no style fits all texts.
        self.first_misfit: str | None = None
        #: The unit of all texts; None if they have different ones, then two of these are in differing_units.
        self.unit: str | None = ""
        self.differing_units: list[str] = []
        self.n_without_unit = 0
        #: A text that Python would not read as a number.
        self.example: str | None = None
        #: Texts such as 65,937 and 65.937, whose mark may mean thousands or decimals.
        self.unclear_comma: str | None = None
        self.unclear_point: str | None = None
        #: Whether a number without marks has at most three digits (986), and whether one has more (1234).
        self.has_short = self.has_long = False
        self.in_parentheses: str | None = None  # a text in parentheses
        self.has_others = False  # whether a text is not in parentheses
        self.blanks_in_number: set[int] = set()  # how many blanks stand between the digits of a number

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
                self.first_misfit = text

    def _add(self, text: str) -> None:
        cell = _parse(text)
        if cell is None:
            if number_of_text(text) is None:  # inf and nan have no style
                self.styles = []
            return
        if self.unit is not None and (unit := _common_unit(cell.unit, self.unit)) != self.unit:
            self.differing_units = [self.unit, cell.unit] if unit is None else []
            self.unit = unit
        self.n_without_unit += not cell.unit
        self.styles = [style for style in self.styles if _PATTERNS[style].fullmatch(cell.digits)]
        marked = (self.marks_given or self.decimal_elsewhere == ",") and not cell.digits.isdigit()
        if number_of_text(text) is None or marked:
            self.example = min(self.example or text, text)
        if cell.in_parentheses:
            self.in_parentheses = self.in_parentheses or text
        else:
            self.has_others = True
        self._note_marks(cell.digits, text)

    def _note_marks(self, digits: str, text: str) -> None:
        self.blanks_in_number.add(digits.count(" "))
        if _ONE_MARK.fullmatch(digits):
            if "," in digits:
                self.unclear_comma = min(self.unclear_comma or text, text)
            else:
                self.unclear_point = min(self.unclear_point or text, text)
        elif digits.isdigit():
            self.has_short |= len(digits) < 4
            self.has_long |= len(digits) > 3

    @property
    def decimal(self) -> str | None:
        """The decimal sign of all styles that the cells fit; None if there are both."""
        signs = {decimal for decimal, _ in self.styles}
        return signs.pop() if self.fits and len(signs) == 1 else None

    @property
    def points_are_thousands(self) -> bool:
        """Whether other columns show that points separate thousands, although all cells read as decimals."""
        return self.unclear_point is not None and self._style_from_elsewhere == (",", ".")

    @property
    def _style_from_elsewhere(self) -> Style | None:
        """The style with the decimal sign of other columns, if this column's own cells leave it open."""
        if self.marks_given or self.decimal or not (self.unclear_comma or self.unclear_point):
            return None
        if self.unclear_comma and _ONLY_CURRENCY.match(self.unit or ""):
            return None
        return next((style for style in self.styles if style[0] == self.decimal_elsewhere), None)

    @property
    def unclear_example(self) -> str | None:
        """A cell whose comma may mean decimals or thousands, if nothing settles which; else None."""
        both = {decimal for decimal, thousands in self.styles if thousands == "," or decimal == ","}
        if (
            not self.fits
            or self.unclear_comma is None
            or len(both) < 2
            or self.marks_given
            or self._style_from_elsewhere
        ):
            return None
        if _ONLY_CURRENCY.match(self.unit or "") or (self.has_short and not self.has_long):
            return None
        return self.unclear_comma

    def attribute(self, name: str) -> Numeric | None:
        """A column in this style; None if not all cells are numbers in one, or it is unclear in which."""
        if not self.fits or self.unclear_example or self.example is None:
            return None
        if self.in_parentheses and not self.has_others:
            return None  # if all are like (1) and (2), they are references rather than negative numbers
        decimal, thousands = self._style_from_elsewhere or self.styles[0]
        if thousands == " " and decimal == "." and len(self.blanks_in_number) == 1:
            return None  # if all are like 612 345 678, they are telephone numbers
        return Numeric(name, self.unit or "", decimal, thousands)

    def reason(self, attribute: Numeric) -> str:
        """Why the column holds numbers, with an example."""
        marks = {",": "comma", ".": "point", " ": "blank", "'": "apostrophe"}
        details = [f"unit {attribute.unit}" + (", which some lack" if self.n_without_unit else "")] * bool(
            attribute.unit
        )
        if attribute.thousands:
            details.append(f"thousands {marks[attribute.thousands]}")
        if self._style_from_elsewhere and attribute.thousands:
            details.append(f"since other columns have a decimal {marks[attribute.decimal]}")
        elif attribute.decimal == ",":
            details.append("decimal comma" + (" as in other columns" if self._style_from_elsewhere else ""))
        if self.in_parentheses:
            details.append("parentheses for negative numbers")
        how = f" ({', '.join(details)})" if details else ""
        return f"every known cell is a number{how}, such as {self._equation(attribute, '=')}"

    def note(self, attribute: Numeric) -> str:
        """How an example is read."""
        unit = f" (unit {attribute.unit})" if attribute.unit else ""
        return self._equation(attribute, "is read as") + unit

    def _equation(self, attribute: Numeric, sign: str) -> str:
        assert self.example is not None
        return f"{self.example!r} {sign} {written_number(self.example, attribute):.15g}"
