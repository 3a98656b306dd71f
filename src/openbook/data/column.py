"""A column: its attribute and its array. NumPy sees the decoded values; so do polars and pandas."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import (
    MISSING,
    UNSEEN,
    Attribute,
    Categorical,
    Datetime,
    Nominal,
    Numeric,
    Ordinal,
)
from openbook.errors import DataError, did_you_mean
from openbook.words.sentences import printable

if TYPE_CHECKING:
    import polars as pl

Array = npt.NDArray[Any]

_SHOWN_ROWS = 10
_SHOWN_LETTERS = 40


class Column:  # noqa: PLW1641 (columns that compare row by row have no hash, as in NumPy)
    """One column: its attribute and its array. NumPy sees the decoded values.

    Comparisons give a boolean for each row, as in pandas and polars: `table.filter(table["age"] > 30)`. Dates
    compare with dates ("2024-03-01"), ordinal values by their order. A missing cell satisfies no comparison.

    Parameters
    ----------
    attribute : Attribute
        The name, kind and values of the column.
    data : ndarray
        The cells: floats, codes or objects.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> from openbook.data import Nominal
    >>> column = Column(Nominal("windy", ("no", "yes")), np.array([1, 0, -1]))
    >>> column.tolist()
    ['yes', 'no', None]
    >>> column == "yes"
    array([ True, False, False])
    """

    __slots__ = ("attribute", "data")

    def __init__(self, attribute: Attribute, data: Array) -> None:
        self.attribute = attribute
        self.data = data

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """True where the cell is empty."""
        if isinstance(self.attribute, Numeric):
            return np.isnan(self.data)
        if isinstance(self.attribute, Categorical):
            return self.data == MISSING
        return np.fromiter((value is None for value in self.data), bool, len(self.data))

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """True where there is a finite number, a listed value, or a text."""
        if isinstance(self.attribute, Numeric):
            return np.isfinite(self.data)
        return self.data >= 0 if isinstance(self.attribute, Categorical) else ~self.missing

    @property
    def values(self) -> Array:
        """The cells as a reader would write them: numbers, or values with None where missing."""
        if isinstance(self.attribute, Datetime):
            return self.attribute.spelled(self.data)
        if not isinstance(self.attribute, Categorical):
            return self.data
        values = np.array([*self.attribute.values, None], dtype=object)
        return values[np.maximum(self.data, MISSING)]  # unseen reads as None too

    @property
    def has_order(self) -> bool:
        """Whether its values have an order that matters, which takes more than two of them."""
        return isinstance(self.attribute, Ordinal) and len(self.attribute.values) > 2

    def take(self, rows: Any) -> "Column":
        """The column of some rows, with all values that it declares; `column[rows]` forgets those it loses.

        Parameters
        ----------
        rows : slice, array of positions or mask
            Which rows.

        Returns
        -------
        Column
        """
        return Column(self.attribute, self.data[rows])

    def tolist(self) -> list[Any]:
        """The cells as a list: numbers, or values with None where missing."""
        return self.values.tolist()

    @property
    def shape(self) -> tuple[int]:
        return (len(self.data),)

    @property
    def ndim(self) -> int:
        return 1

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int | np.integer):
            return self.take([key]).tolist()[0]
        return without_lost_values(self, self.take(row_part(key)))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __eq__(self, other: object) -> Any:
        return self._compared(np.equal, other)

    def __ne__(self, other: object) -> Any:
        return self._compared(np.not_equal, other)

    def __lt__(self, other: object) -> Any:
        return self._compared(np.less, other)

    def __le__(self, other: object) -> Any:
        return self._compared(np.less_equal, other)

    def __gt__(self, other: object) -> Any:
        return self._compared(np.greater, other)

    def __ge__(self, other: object) -> Any:
        return self._compared(np.greater_equal, other)

    def _compared(self, compare: Callable[[Any, Any], Any], other: Any) -> npt.NDArray[np.bool_]:
        """Where a comparison with a value, or with as many values as there are rows, holds."""
        attribute, ordered = self.attribute, compare not in (np.equal, np.not_equal)
        if ordered and isinstance(attribute, Categorical) and not isinstance(attribute, Ordinal):
            raise DataError(f"the values of {self.name!r} have no order; compare them by == and !=")
        if ordered and isinstance(attribute, Ordinal) and other not in attribute.codes:
            near = did_you_mean(str(other), attribute.values)
            raise DataError(f"{self.name!r} has no value {other!r}. {near}")
        left: Any
        right: Any
        try:
            if isinstance(attribute, Datetime):
                when = np.char.add("1970-01-01T", np.asarray(other, str)) if attribute.is_time else other
                left, right = attribute.on_clock(self.data), np.asarray(when, dtype="datetime64[us]")
            elif isinstance(attribute, Numeric):
                left, right = self.data, np.asarray(other, dtype=float)
            elif ordered and isinstance(attribute, Ordinal):
                left, right = self.data, attribute.codes[other]
            else:
                left, right = self.values, np.asarray(other, dtype=object)
        except (TypeError, ValueError):
            kind = attribute.kind
            raise DataError(f"{self.name!r} is {kind}; {other!r} cannot be compared with it") from None
        return compare(left, right).astype(bool) & ~self.missing

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        numbers = isinstance(self.attribute, Datetime) and dtype is not None and np.dtype(dtype).kind in "iuf"
        values = self.data if numbers else self.values
        values = values if dtype is None else values.astype(dtype)
        return values.copy() if copy else values

    def __repr__(self) -> str:
        shown = ", ".join(cells_as_shown(self.take(slice(0, _SHOWN_ROWS))))
        more = ", …" if len(self) > _SHOWN_ROWS else ""
        return f"Column({self.name!r}, {self.attribute.kind}, {len(self):,} rows: {shown}{more})"


def row_part(key: Any) -> Any:
    """The row part of an index: `key`, or the first of (key, ...)."""
    rows = key[0] if isinstance(key, tuple) else key
    return rows if isinstance(rows, slice) else np.asarray(rows)


def without_lost_values(before: Column, after: Column) -> Column:
    """Some rows of a column without the values that rows had before and none has now."""
    attribute = before.attribute
    if not isinstance(attribute, Nominal | Ordinal) or not attribute.is_open:
        return after
    lost = np.isin(np.arange(len(attribute.values)), np.setdiff1d(before.data, after.data))
    if not lost.any():
        return after
    values = tuple(value for value, gone in zip(attribute.values, lost, strict=True) if not gone)
    narrow = replace(attribute, values=values)
    codes = np.append(np.cumsum(~lost) - 1, [UNSEEN, MISSING])  # which are -2 and -1: the last
    return Column(narrow, codes[after.data].astype(narrow.dtype))


def cells_as_shown(column: Column) -> list[str]:
    if isinstance(column.attribute, Datetime):
        return [column.attribute.shown(day) for day in column.data.tolist()]
    return [_cell(value) for value in column.values]


def _cell(value: object) -> str:
    """A cell as it is shown: a sign where it is missing, and no more of a long text than fits."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "?"
    text = f"{value:.6g}" if isinstance(value, float) else printable(str(value))
    return text if len(text) <= _SHOWN_LETTERS else text[: _SHOWN_LETTERS - 1] + "…"


def polars_series(column: Column) -> "pl.Series":
    import polars as pl

    attribute = column.attribute
    if isinstance(attribute, Datetime):
        return _polars_moments(column, attribute)
    if isinstance(attribute, Numeric):
        return pl.Series(attribute.name, column.data, nan_to_null=True)
    if isinstance(attribute, Categorical):
        kind = pl.Enum(list(attribute.values)) if isinstance(attribute, Ordinal) else pl.Categorical
        return pl.Series(attribute.name, column.tolist(), dtype=pl.String).cast(kind)
    return pl.Series(attribute.name, column.tolist(), dtype=pl.String)


def _polars_moments(column: Column, attribute: Datetime) -> "pl.Series":
    """Times of day, or dates if no cell has a time; with their zone, where it has a name."""
    import polars as pl

    moments = pl.Series(attribute.name, attribute.moments(column.data))
    if attribute.zone:
        named = "UTC" if attribute.zone[0] in "+-" else attribute.zone
        return moments.dt.replace_time_zone("UTC").dt.convert_time_zone(named)
    if attribute.is_time:
        return moments.dt.time()
    whole = bool(np.all(np.isnan(column.data) | (column.data == np.round(column.data))))
    return moments.cast(pl.Date) if whole else moments


def pandas_values(column: Column) -> Any:
    import pandas as pd

    attribute = column.attribute
    if isinstance(attribute, Datetime):
        moments = pd.Series(attribute.moments(column.data))
        if attribute.is_time:
            return moments.dt.time
        named = "UTC" if attribute.zone[:1] in ("+", "-") else attribute.zone
        return moments.dt.tz_localize("UTC").dt.tz_convert(named) if attribute.zone else moments
    if isinstance(attribute, Categorical):
        codes = np.maximum(column.data, MISSING)
        return pd.Categorical.from_codes(
            codes, list(attribute.values), ordered=isinstance(attribute, Ordinal)
        )
    return column.data
