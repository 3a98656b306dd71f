"""What a column is: numeric, a date or time, nominal, ordinal, sets of labels or text.

Attributes are small frozen values that travel from the file through the model to the report. A cell of a
nominal or ordinal column is stored as the position of its value in `values`: code >= 0. Two codes mean no
value:

    MISSING = -1    the cell is empty
    UNSEEN  = -2    the cell holds a value that training never saw; only prediction meets it

One value of a nominal column may stand for all that it does not list, its `rest` (see `rare`): such a column
has no unseen values. The values of a cyclic one go round, as months do: the first comes after the last.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from openbook.errors import DataError, did_you_mean
from openbook.words.numbers import interval_names, interval_words, short

MISSING = -1
UNSEEN = -2

_FARTHEST_DAY = 1e8  # beyond, microseconds do not fit 64 bits

#: The format of times of day, which have no date.
TIME = "time"

#: Signs before decimals, and between groups of digits.
DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", " ", "'")


def as_text(value: object) -> str:
    """The one spelling of a cell as a category: booleans in lower case, whole numbers without a point.

    >>> [as_text(v) for v in (True, 3.0, 2.5, "red")]
    ['true', '3', '2.5', 'red']
    """
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating) and math.isfinite(value) and float(value).is_integer():
        return str(int(value))
    return str(value)


@dataclass(frozen=True)
class Attribute:
    """A column's name and kind.

    Attributes
    ----------
    name : str
        The name of the column.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> from openbook.data import Numeric
    >>> Numeric("income").renamed("salary")
    Numeric(name='salary')
    """

    name: str
    kind: ClassVar[str]

    def renamed(self, name: str) -> Self:
        """The same attribute under another name.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        Attribute
        """
        return replace(self, name=name)

    def to_json(self) -> dict[str, Any]:
        """The attribute as plain text and lists, which `from_json` reads."""
        return {"kind": self.kind, "name": self.name}

    @staticmethod
    def from_json(record: Mapping[str, Any]) -> "Attribute":
        """Rebuild an attribute from `to_json`, checking what it is given.

        Parameters
        ----------
        record : mapping
            What `to_json` gave.

        Returns
        -------
        Attribute
        """
        kind, name = record.get("kind"), record.get("name")
        if kind not in KINDS or not isinstance(name, str):
            raise DataError(f"not an attribute: {dict(record)!r}. {did_you_mean(str(kind), tuple(KINDS))}")
        cls = next((derived for mark, derived in DERIVED.items() if mark in record), KINDS[kind])
        return cls.rebuilt(name, record)

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:  # noqa: ARG003 (subclasses have more)
        """The attribute of that name from the rest of `to_json`.

        Parameters
        ----------
        name : str
            The name of the column.
        record : mapping
            What `to_json` gave.

        Returns
        -------
        Attribute
        """
        return cls(name)


@dataclass(frozen=True, repr=False)
class Numeric(Attribute):
    """A number; NaN is missing.

    Attributes
    ----------
    name : str
        The name of the column.
    unit : str, default=""
        The unit of the numbers, such as "$", "%" or "kg".
    decimal : str, default="."
        The sign before the decimals.
    thousands : str, default=""
        The sign between groups of three digits.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> Numeric("income").kind
    'numeric'
    """

    unit: str = ""
    decimal: str = "."
    thousands: str = ""

    kind: ClassVar[str] = "numeric"

    def __post_init__(self) -> None:
        marks = (self.decimal, self.thousands)
        if self.decimal not in DECIMALS or self.thousands not in THOUSANDS or len(set(marks)) < 2:
            raise DataError(
                f"attribute {self.name!r}: decimal must be one of {DECIMALS} and thousands another one of"
                f" {THOUSANDS}, got {marks}"
            )

    def shown(self, number: float) -> str:
        """A number as people read it.

        Parameters
        ----------
        number : float
            A cell, or a threshold.

        Returns
        -------
        str
        """
        return short(number)

    def interval_names(self, cuts: Sequence[float]) -> tuple[str, ...]:
        """The intervals between cuts as people read them, in words that differ.

        Parameters
        ----------
        cuts : sequence of float
            In ascending order; each belongs to the interval below it.

        Returns
        -------
        tuple of str
        """
        return interval_names(cuts)

    @property
    def is_plain(self) -> bool:
        """Whether its cells are written as programs write numbers."""
        return self == type(self)(self.name)

    def _written(self) -> dict[str, Any]:
        """How the cells are written, as far as it is not plain."""
        own = [field for field in fields(self) if field.name != "name"]
        return {f.name: getattr(self, f.name) for f in own if getattr(self, f.name) != f.default}

    def __repr__(self) -> str:
        shown = {"name": self.name, **self._written()}
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in shown.items())})"

    def to_json(self) -> dict[str, Any]:
        """The attribute as plain text and lists, with its unit and format, which `from_json` reads."""
        return {**super().to_json(), **self._written()}

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:
        known = {field.name: record[field.name] for field in fields(cls) if field.name in record}
        if odd := [key for key, value in known.items() if not isinstance(value, str)]:
            raise DataError(f"attribute {name!r}: {odd[0]} must be a string")
        return cls(**known)


@dataclass(frozen=True, repr=False)
class Datetime(Numeric):
    """A date or a time: days since 1970-01-01, so that learners see elapsed time; NaN is missing.

    A time of day without a date is the share of the day that is over.

    Attributes
    ----------
    name : str
        The name of the column.
    unit, decimal, thousands : str
        Those of a number; not used.
    format : str, default="y-m-d"
        How the cells are written: see `openbook.data.dates`.
    zone : str, default=""
        The time zone in which times are shown, such as "UTC", "+02:00" or "Europe/Berlin"; the days are then
        those of UTC. Empty for times without a zone.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> Datetime("sold").shown(19783.5)
    '2024-03-01 12:00'
    """

    format: str = field(default="y-m-d", kw_only=True)
    zone: str = field(default="", kw_only=True)

    kind: ClassVar[str] = "datetime"
    is_plain: ClassVar[bool] = False

    @property
    def is_time(self) -> bool:
        """Whether it holds times of day, without a date."""
        return self.format == TIME

    def moments(self, days: Any) -> Any:
        """Days as NumPy's moments, to the microsecond; those with a zone in UTC.

        Parameters
        ----------
        days : array-like
            Days since 1970-01-01.

        Returns
        -------
        ndarray of datetime64
        """
        numbers = np.asarray(days, dtype=np.float64)
        known = np.isfinite(numbers) & (np.abs(numbers) < _FARTHEST_DAY)
        micros = np.where(known, np.round(np.where(known, numbers, 0.0) * 86400e6), 0).astype(np.int64)
        return np.where(known, micros.astype("datetime64[us]"), np.datetime64("NaT", "us"))

    def on_clock(self, days: Any) -> Any:
        """Days as moments on the clock of the zone.

        Parameters
        ----------
        days : array-like
            Days since 1970-01-01.

        Returns
        -------
        ndarray of datetime64
        """
        moments = self.moments(days)
        return moments if self.zone in ("", "UTC") else _on_clock(moments, self.zone)

    def spelled(self, days: Any) -> Any:
        """Days as texts that any format reads back, None where missing: 2024-03-01 14:30:00Z, or 14:30:00.

        Parameters
        ----------
        days : array-like
            Days since 1970-01-01.

        Returns
        -------
        ndarray of str
        """
        written = np.datetime_as_string(self.moments(days)).tolist()
        texts = [re.sub(r"(?<=\d)T(.{8})(\.000000)?", r" \1", text) for text in written]
        if self.is_time:
            texts = [text.removeprefix("1970-01-01 ") for text in texts]
        elif not self.zone and all(text.endswith((" 00:00:00", "NaT")) for text in texts):
            texts = [text.removesuffix(" 00:00:00") for text in texts]
        zone = "Z" if self.zone else ""
        return np.array([None if text == "NaT" else text + zone for text in texts], dtype=object)

    def shown(self, number: float) -> str:
        """A date as people read it, in its zone.

        Parameters
        ----------
        number : float
            Days since 1970-01-01.

        Returns
        -------
        str
        """
        moment = self.on_clock([number])[0]
        if np.isnat(moment):
            return "?" if math.isnan(number) else f"{number:g} days"
        text = str(moment.astype("datetime64[s]")).replace("T", " ")
        if self.is_time:
            return text.removeprefix("1970-01-01 ").removesuffix(":00")
        return text.removesuffix(" 00:00:00").removesuffix(":00") + (f" {self.zone}" if self.zone else "")

    def interval_names(self, cuts: Sequence[float]) -> tuple[str, ...]:
        """The intervals between moments as people read them, in words that differ.

        Parameters
        ----------
        cuts : sequence of float
            Days since 1970-01-01, in ascending order; each belongs to the interval below it.

        Returns
        -------
        tuple of str
        """
        dates = [self.shown(cut) for cut in cuts]
        return interval_words(dates) if len(set(dates)) == len(dates) else super().interval_names(cuts)


def _on_clock(moments: Any, zone: str) -> Any:
    """Moments of UTC on the clock of a zone."""
    if zone[0] in "+-":
        minutes = 60 * int(zone[1:3]) + int(zone[-2:])
        return moments + np.timedelta64(-minutes if zone[0] == "-" else minutes, "m")
    import polars as pl

    local = pl.Series(moments).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    return local.dt.replace_time_zone(None).to_numpy()


@dataclass(frozen=True)
class Text(Attribute):
    """Free text; None is missing.

    Attributes
    ----------
    name : str
        The name of the column.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> Text("comment").kind
    'text'
    """

    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class Categorical(Attribute):
    """One of a few values; the common part of nominal and ordinal.

    Attributes
    ----------
    name : str
        The name of the column.
    values : tuple of str, default=()
        The values, in order.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> from openbook.data import Categorical, Nominal
    >>> isinstance(Nominal("windy", ("no", "yes")), Categorical)
    True
    """

    values: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if len(set(self.values)) != len(self.values):
            twice = next(v for v in self.values if self.values.count(v) > 1)
            raise DataError(f"attribute {self.name!r} lists the value {twice!r} twice")

    @cached_property
    def codes(self) -> dict[str, int]:
        """The code of each value."""
        return {value: code for code, value in enumerate(self.values)}

    def encode(self, value: object) -> int:
        """The code of a cell: `gap` for None and NaN, `unlisted` for a value that is not listed.

        Parameters
        ----------
        value : object
            A value of the column.

        Returns
        -------
        int
        """
        if value is None or (isinstance(value, float | np.floating) and math.isnan(value)):
            return self.gap
        return self.codes.get(self.spelled(as_text(value)), self.unlisted)

    def spelled(self, text: str) -> str:
        """A cell as it is listed among the values, if it is.

        Parameters
        ----------
        text : str
            The cell.

        Returns
        -------
        str
        """
        return text

    @property
    def gap(self) -> int:
        """The code of an empty cell."""
        return MISSING

    @property
    def unlisted(self) -> int:
        """The code of a value that is not listed."""
        return UNSEEN

    @property
    def is_open(self) -> bool:
        """Whether other rows may have values that are not listed."""
        return True

    def decode(self, code: int) -> str | None:
        """The value behind a code; None if it is missing or was never seen.

        Parameters
        ----------
        code : int
            The position of the value; -1 for missing.

        Returns
        -------
        str or None
        """
        return self.values[code] if code >= 0 else None

    @property
    def dtype(self) -> np.dtype:
        """The smallest signed integer type that holds every code."""
        return np.dtype(np.min_scalar_type(-max(len(self.values), 3)))

    def to_json(self) -> dict[str, Any]:
        """The attribute with its values as plain text and lists, which `from_json` reads."""
        return {**super().to_json(), "values": list(self.values)}

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:
        values = record.get("values")
        if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
            raise DataError(f"attribute {name!r}: values must be a list of strings")
        return cls(name, tuple(values))


@dataclass(frozen=True)
class Nominal(Categorical):
    """One of a few values without an order; booleans are nominal.

    Attributes
    ----------
    name : str
        The name of the column.
    values : tuple of str, default=()
        The values, in order.
    rest : str or None, default=None
        The value, one of `values`, for all values that are not listed; None if there is none.
    cyclic : bool, default=False
        Whether the values go round, as months do: mixed distances count the steps between two of them.
    needed : float, default=0.0
        With pooled rare values, the number of rows n0 that a value needs to be kept; 0 if it is not known.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> windy = Nominal("windy", ("no", "yes"))
    >>> windy.encode("yes"), windy.decode(0)
    (1, 'no')
    """

    kind: ClassVar[str] = "nominal"

    rest: str | None = field(default=None, repr=False)
    cyclic: bool = field(default=False, repr=False, kw_only=True)
    needed: float = field(default=0.0, repr=False, kw_only=True, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rest is not None and self.rest not in self.values:
            msg = f"attribute {self.name!r}: {self.rest!r} cannot stand for other values, as it is not listed"
            raise DataError(msg)

    @property
    def unlisted(self) -> int:
        return UNSEEN if self.rest is None else self.codes[self.rest]

    @property
    def is_open(self) -> bool:
        return self.rest is None and not self.cyclic

    def to_json(self) -> dict[str, Any]:
        rest = {} if self.rest is None else {"rest": self.rest}
        needed = {"needed": self.needed} if self.needed else {}
        return super().to_json() | rest | needed | ({"cyclic": True} if self.cyclic else {})

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:
        cyclic, needed = record.get("cyclic") is True, record.get("needed", 0.0)
        if not isinstance(needed, float) or not 0 <= needed < math.inf:
            raise DataError(f"attribute {name!r}: needed must be a number of rows")
        found = super().rebuilt(name, record)
        return replace(found, rest=record.get("rest"), cyclic=cyclic, needed=needed)


@dataclass(frozen=True)
class Ordinal(Categorical):
    """One of a few values, listed from lowest to highest.

    Attributes
    ----------
    name : str
        The name of the column.
    values : tuple of str, default=()
        The values, from the lowest to the highest.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> Ordinal("size", ("small", "large")).encode("large")
    1
    """

    kind: ClassVar[str] = "ordinal"


#: The kinds of a table, and those that learners derive from its columns (`derived`), by a field of their own.
KINDS: dict[str, type[Attribute]] = {cls.kind: cls for cls in (Numeric, Nominal, Ordinal, Text, Datetime)}
DERIVED: dict[str, type[Attribute]] = {}
