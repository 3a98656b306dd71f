"""A last row that sums up the others, as spreadsheets and reports end with."""

import re
from collections.abc import Iterator

import numpy as np

from openbook.data.attributes import Datetime, Numeric
from openbook.data.column import Column
from openbook.data.findings.finding import Finding
from openbook.data.table import Table
from openbook.words.sentences import listed

_CALLED_TOTAL = re.compile(r"(grand |sub)?totals?\b|(gesamt)?summe\b|gesamt\b|somme\b|suma\b", re.IGNORECASE)
#: Fewer rows may add up to the last one by chance.
_FEWEST_ROWS = 10
#: Sums of rounded numbers are off by less than this share.
_ROUNDING = 1e-6


def total_row(table: Table) -> Iterator[Finding]:
    """The last row, if it is called a total or its numbers are the sums of those above."""
    if len(table) < _FEWEST_ROWS:
        return
    columns = [table.column(name) for name in table.names]
    evidence = [(column.name, reason) for column in columns if (reason := _evidence(column))]
    if evidence:
        why = listed([reason for _, reason in evidence], 3)
        message = f"the last row sums up the others: {why}. Remove it: it is not an example."
        yield Finding("total row", tuple(name for name, _ in evidence), "warn", message)


def _evidence(column: Column) -> str:
    """Why the last cell is a total; empty if it is none."""
    if not isinstance(column.attribute, Numeric):
        last, above = str(column.values[-1]), column.values[:-1]
        called = _CALLED_TOTAL.match(last) and not any(_CALLED_TOTAL.match(str(cell)) for cell in above)
        return f"{column.name!r} ends with {last!r}" if called else ""
    numbers = column.data.astype(np.float64)
    above = numbers[:-1][np.isfinite(numbers[:-1])]
    if isinstance(column.attribute, Datetime) or 2 * np.count_nonzero(above) < len(numbers):
        return ""
    with np.errstate(over="ignore", invalid="ignore"):  # sums of the largest numbers
        total, size = above.sum(), np.abs(above).sum()
        is_sum = abs(numbers[-1] - total) <= _ROUNDING * size < np.inf and abs(total) > np.abs(above).max()
    return f"{column.name!r} ends with the sum of its numbers" if is_sum else ""
