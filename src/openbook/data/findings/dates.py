"""Columns of dates: which parts a study derives of them, by the rule of `openbook.data.date_parts`.

Here the whole table counts; in a study the rows of each fold do, so the figures differ slightly.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Categorical, Datetime, Numeric
from openbook.data.column import Column
from openbook.data.date_parts import (
    ROWS_PER_VALUE,
    SIGNIFICANT,
    is_derived,
    part_cells,
    part_p_value,
    possible_parts,
    with_time,
)
from openbook.data.derived import CYCLES
from openbook.data.findings.finding import Finding
from openbook.data.table import Table
from openbook.words.numbers import p_words

Array = npt.NDArray[Any]


def date_parts(table: Table, target: str | None, skipped: Collection[str] = ()) -> Iterator[Finding]:
    """One finding for each column of dates that are long enough for a part.

    Parameters
    ----------
    target : the name of the target, which tells which parts are derived; None if there is none
    skipped : columns that a study leaves out
    """
    outcome = None if target is None else table.column(target)
    for date in table.schema:
        if isinstance(date, Datetime) and date.name != target and date.name not in skipped:
            days = table.data(date.name)
            known = days[np.isfinite(days)]
            hours = len(np.unique(part_cells(date, known, "hour")))
            if len(known) and (parts := possible_parts(date, float(np.ptp(known)), hours)):
                yield Finding("dates", (date.name,), "note", _message(date, days, parts, outcome))


def _message(date: Datetime, days: Array, parts: tuple[str, ...], outcome: Column | None) -> str:
    """What a study derives of dates."""
    what = "times of day: learners use the time" if date.is_time else "dates: learners use the elapsed time"
    if outcome is None or not isinstance(outcome.attribute, Categorical | Numeric):
        return f"{what}, and the {_all_of(parts)} where the target depends on it."
    of_classes = isinstance(outcome.attribute, Categorical)
    known = np.isfinite(days) & ~outcome.missing
    n_classes = len(outcome.attribute.values) if isinstance(outcome.attribute, Categorical) else 0
    targets = outcome.data[known].astype(np.intp if of_classes else float)
    x = with_time(days[known], targets, n_classes)
    used: list[str] = []
    unused: list[str] = []
    for part in parts:
        codes = part_cells(date, days[known], part)
        shown = np.flatnonzero(np.bincount(codes, minlength=len(CYCLES[part])))
        within = sum((_squares(x[codes == code]) for code in shown), start=np.zeros(x.shape[1]))
        p = part_p_value(_squares(x), within, len(x), len(shown))
        why = f"p {p_words(p)}, {len(x) // max(len(shown), 1):,} rows per value"
        (used if is_derived(p, len(x), len(shown)) else unused).append(f"{part} ({why})")
    study = f"{what}{' and the ' if used else ' alone'}{_all_of(used)}"
    rule = f"a part needs p < {SIGNIFICANT} or {ROWS_PER_VALUE} rows per value"
    return f"{study}; not the {_all_of(unused)}: {rule}." if unused else f"{study}."


def _all_of(parts: Sequence[str]) -> str:
    """Parts in a sentence: the month, weekday and hour."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def _squares(x: Array) -> Array:
    """The sums of squares of columns around their means."""
    return np.asarray(((x - x.mean(axis=0)) ** 2).sum(axis=0))
