r"""Parts of dates: which become columns, and whether they are informative about a target.

    month      Jan … Dec, a cycle      where the dates span at least 60 days
    weekday    Mon … Sun, a cycle      where they span at least 14 days, and are written with days
    hour       0 … 23, a cycle         where the hours differ

Quarters and years are derived only on request: the month contains the one, the elapsed time the other.
Analysis of covariance tests whether a part is informative about the target y beyond the elapsed time t, with
n rows and k values of the part:

    F = ((R0 - R1) / (k - 1)) / (R1 / (n - k - 1))
    R = S_yy - S_ty² / S_tt,     S_ty = (S_(t+y) - S_tt - S_yy) / 2

where R0 has the sums of squares around the means of all rows, and R1 those around the means of the rows of
each value; for classes R is the sum over their parts y, 1 for the rows of a class and 0 for the others. A
part is derived where chance makes F so large less than once in 20 times, or where its values have so many
rows that learning them costs little.

days : float64 (n,), since 1970-01-01, NaN where missing; a missing date has missing parts, code -1
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import MISSING, Datetime
from openbook.data.derived import CYCLES, DatePart
from openbook.data.schema import Schema
from openbook.data.table import Table

PARTS = ("year", *CYCLES)
#: The days that dates must span for a part to be derived.
MONTHS_FROM, WEEKDAYS_FROM = 60, 14
#: The days that dates must span for months to predict the future: a year and a quarter.
MONTHS_AGAIN_FROM = 457
#: Formats of months, quarters and weeks.
_WITHOUT_DAYS = ("month y", "y month", "y-m", "y q", "q y", "y week")
#: A part with a smaller p-value is derived, and so is one with this many rows per value: to learn a figure of
#: each value then costs 2% at most.
SIGNIFICANT, ROWS_PER_VALUE = 0.05, 50
#: The most classes that are distinguished; the last ones count as one.
MOST_CLASSES = 16

Array = npt.NDArray[Any]


def part_cells(date: Datetime, days: Array, part: str) -> Array:
    """The part of each date on the clock of its zone: a code, -1 where it is missing, or of years a number.

    >>> part_cells(Datetime("sold"), np.array([0.0, np.nan]), "weekday").tolist()  # 1970 began on a Thursday
    [3, -1]
    """
    moments = date.on_clock(days)
    missing = np.isnat(moments)
    unit = {"year": "Y", "quarter": "M", "month": "M", "weekday": "D", "hour": "h"}[part]
    since = np.where(missing, 0, moments.astype(f"datetime64[{unit}]").astype(np.int64))
    if part == "year":
        return np.where(missing, np.nan, since + 1970.0)
    if part == "quarter":
        since = since // 3
    if part == "weekday":
        since = since + 3  # 1970 began on a Thursday
    return np.where(missing, MISSING, since % len(CYCLES[part])).astype(np.int8)


def possible_parts(date: Datetime, days: float, hours: int) -> tuple[str, ...]:
    """The parts of dates that span `days` days and have `hours` different hours of the day.

    >>> sold = Datetime("sold")
    >>> possible_parts(sold, days=20.0, hours=1), possible_parts(sold, days=800.0, hours=24)
    (('weekday',), ('month', 'weekday', 'hour'))
    >>> possible_parts(Datetime("sold", format="month y"), days=800.0, hours=1)  # Feb-2018 has no weekday
    ('month',)
    """
    weekdays = days >= WEEKDAYS_FROM and date.format not in _WITHOUT_DAYS
    possible = {"month": days >= MONTHS_FROM, "weekday": weekdays, "hour": hours > 1}
    return tuple(part for part, is_possible in possible.items() if is_possible)


def calendar_parts(table: Table, name: str) -> tuple[DatePart, ...]:
    """The parts of a column of dates that come back after the last row, so that they can predict the future.

    Nothing of numbers, of parts with fewer than `ROWS_PER_VALUE` rows a value, and of months of dates that do
    not span a year and a quarter.
    """
    date = table.schema[name]
    if not isinstance(date, Datetime):
        return ()
    days = table.data(name)
    days = days[np.isfinite(days)]
    span = float(np.ptp(days)) if len(days) else 0.0
    shown = {part: len(np.unique(part_cells(date, days, part))) for part in CYCLES}
    return tuple(
        DatePart.of(date, part)
        for part in possible_parts(date, span, shown["hour"])
        if is_derived(1.0, len(days), shown[part]) and (part != "month" or span >= MONTHS_AGAIN_FROM)
    )


def with_calendar(table: Table, name: str) -> Table:
    """The table with the parts of a column of dates that can predict the future as columns behind the others.

    Parameters
    ----------
    table : Table
        The rows.
    name : str
        The column of dates; of numbers, the table stays as it is.

    Returns
    -------
    Table
    """
    date, parts = table.schema[name], [a for a in calendar_parts(table, name) if a.name not in table.schema]
    if not parts or not isinstance(date, Datetime):
        return table
    schema = Schema((*table.schema, *parts), table.schema.named)
    cells = [part_cells(date, table.data(name), each.part) for each in parts]
    return Table(schema, [*table.columns, *cells], why=table.why)


def with_time(days: Array, targets: Array, n_classes: int) -> Array:
    """The columns t, y and t + y, whose sums of squares `part_p_value` takes; t is in days.

    targets : class codes, or numbers where n_classes is 0
    """
    if n_classes:
        n_classes = min(n_classes, MOST_CLASSES)
        y = np.equal.outer(np.minimum(targets, n_classes - 1), np.arange(n_classes)).astype(float)
    else:
        y = targets.reshape(len(targets), -1).astype(float)
    return np.column_stack([days, y, days[:, None] + y])


def part_p_value(total: Array, within: Array, rows: float, values: int) -> float:
    """The p-value of F, from sums of squares of the columns of `with_time`; 1 if it cannot be tested.

    >>> y, part = np.array([1.0, 2, 1, 2, 5, 6, 5, 6]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> x = with_time(np.array([0.0, 1, 2, 3, 0, 1, 2, 3]), y, 0)
    >>> within = sum(((x[part == v] - x[part == v].mean(axis=0)) ** 2).sum(axis=0) for v in (0, 1))
    >>> round(part_p_value(((x - x.mean(axis=0)) ** 2).sum(axis=0), within, 8, 2), 5)  # F = 32 / (1.6 / 5)
    0.00017
    """
    from scipy.special import fdtrc

    before, after = _unexplained(total), _unexplained(within)
    freedom = (values - 1, rows - values - 1)
    if min(freedom) <= 0 or before <= after:
        return 1.0
    if after <= 1e-12 * before:
        return 0.0
    return float(fdtrc(*freedom, (before - after) / freedom[0] / (after / freedom[1])))


def is_derived(p: float, rows: float, values: int, *, evident: bool = False) -> bool:
    """Whether a learner derives a part of this p-value.

    evident : only where the rows show that it says something of the target
    """
    return p < SIGNIFICANT or (not evident and values > 1 and rows >= ROWS_PER_VALUE * values)


def _unexplained(squares: Array) -> float:
    """The sum of squares that a line in t leaves of y."""
    t, y, both = squares[0], *np.split(squares[1:], 2)
    explained = ((both - t - y) / 2) ** 2 / t if t > 0 else np.zeros_like(y)
    return float(np.maximum(y - explained, 0.0).sum())
