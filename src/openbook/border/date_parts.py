"""Parts of dates as columns, derived at the border by the rows that a learner is fitted to.

One fold over the rows takes, for each column of dates, its ends and the moments of the target within the
values of each part; where there are no dates, there is nothing to pass over. Of the parts that the dates are
long enough for, those are derived that are informative about the target (F test, at 5%) or have so many rows
that they cost little: see `openbook.data.date_parts`. A learner that measures distances takes only the
informative ones, since every column has the same influence there. They come after the other columns in the
schema, so `conform` derives them for new rows, and the model file stores them.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from openbook.border.rows import Chunk, Rows
from openbook.data import DatePart, Datetime, Schema
from openbook.data.date_parts import is_derived, part_cells, part_p_value, possible_parts, with_time
from openbook.data.derived import CYCLES
from openbook.fold import fold
from openbook.kernels.moments import Moments

#: The parts that are derived of themselves.
_PARTS = ("month", "weekday", "hour")


class _Calendar(NamedTuple):
    """A column of dates: the first and the last day, and the target's moments within the values of parts."""

    low: float
    high: float
    moments: Sequence[Moments]


def derived_parts(schema: Schema, rows: Rows, n_classes: int, *, evident: bool) -> list[DatePart]:
    """The parts of the columns of dates to derive.

    n_classes : how many classes the targets are codes of; 0 for numbers
    evident : only those that are informative about the target
    """
    if not schema.of(Datetime):
        return []
    dates = [a for a in schema if isinstance(a, Datetime)]
    calendars = fold(rows.pieces, partial(_calendars, dates, n_classes), _joined)
    return [
        part
        for date, its in zip(dates, calendars, strict=True)
        for part in _parts(date, its, evident=evident)
        if part.name not in schema
    ]


def _parts(date: Datetime, its: _Calendar, *, evident: bool) -> Iterator[DatePart]:
    of = dict(zip(_PARTS, its.moments, strict=True))
    shown = {part: int(np.count_nonzero(found.weight[:, 0])) for part, found in of.items()}
    for part in possible_parts(date, its.high - its.low, shown["hour"]):
        rows, total = float(of[part].weight[:, 0].sum()), of[part].overall()
        p = part_p_value(total.scatter[0], of[part].scatter.sum(axis=0), rows, shown[part])
        if is_derived(p, rows, shown[part], evident=evident):
            yield DatePart.of(date, part, p)


def _calendars(dates: Sequence[Datetime], n_classes: int, chunk: Chunk) -> list[_Calendar]:
    """What a chunk shows of each column of dates, a row of any weight being one."""
    found = []
    for date in dates:
        days = chunk.X.data(date.name)
        known = np.isfinite(days)
        days = np.asarray(days[known], dtype=np.float64)
        x, ones = with_time(days, chunk.y[known], n_classes), np.ones(len(days))
        codes = [part_cells(date, days, part).astype(np.intp) for part in _PARTS]
        moments = [
            Moments.of(x[at >= 0], at[at >= 0], ones[at >= 0], len(CYCLES[part]))
            for part, at in zip(_PARTS, codes, strict=True)
        ]
        found.append(_Calendar(days.min(initial=np.inf), days.max(initial=-np.inf), moments))
    return found


def _joined(one: list[_Calendar], other: list[_Calendar]) -> list[_Calendar]:
    return [
        _Calendar(
            min(a.low, b.low), max(a.high, b.high), [x + y for x, y in zip(a.moments, b.moments, strict=True)]
        )
        for a, b in zip(one, other, strict=True)
    ]
