"""A column of texts as its distinct texts and, for each row, the position of its text (-1: missing).

Everything that is asked of a text column is asked of its distinct texts, so a column of a million cells
costs what its different values cost. Rows are counted from 0, as in `Table.row`.

Before any rule, blanks around a text are stripped, a text that stands for a missing value becomes missing,
and the words true and false are put in lower case, so that booleans are spelled alike whatever wrote them.
"""

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import MISSING, Attribute, Categorical, Numeric
from openbook.data.written import written_number
from openbook.errors import DataError, did_you_mean

__all__ = ["BOOLEANS", "Cells", "spell"]

Array = npt.NDArray[Any]

BOOLEANS = ("false", "true")

_BLOCK = 1 << 14


def spell(text: str) -> str:
    """The text without the blanks around it; true and false in lower case.

    >>> spell(" Sunny "), spell("TRUE")
    ('Sunny', 'true')
    """
    text = text.strip()
    return text.lower() if len(text) < 6 and text.lower() in BOOLEANS else text


class Cells(NamedTuple):
    """A column of texts: `values[codes[i]]` is row i; a code of -1 is missing.

    `declared` is the kind whose values, and their order, the source itself declares (a pandas categorical,
    booleans), or None where the values are just those that occur. `offset` is the number of the first row,
    where the cells are a part of a longer column.
    """

    values: Sequence[str]
    codes: Array
    declared: type[Categorical] | None = None
    offset: int = 0

    def cleaned(self, missing: Collection[str]) -> "Cells":
        """Spelled one way, missing tokens taken out; values that become alike are joined."""
        gaps = {token.strip() for token in missing} | {""}
        position: dict[str, int] = {}
        lookup = np.empty(len(self.values) + 1, dtype=np.intp)
        lookup[-1] = MISSING
        for i, value in enumerate(self.values):
            spelled = spell(value)
            lookup[i] = MISSING if value.strip() in gaps else position.setdefault(spelled, len(position))
        unchanged = list(position) == list(self.values)
        return self._replace(values=list(position), codes=self.codes if unchanged else lookup[self.codes])

    def first(self, flags: Sequence[bool]) -> tuple[int, str] | None:
        """The first row whose value is flagged, and the value; None if there is no such row."""
        if not any(flags):
            return None
        flagged = np.array([*flags, False])
        for begin in range(0, len(self.codes), _BLOCK):  # the first is mostly among the first
            rows = np.flatnonzero(flagged[self.codes[begin : begin + _BLOCK]])
            if len(rows):
                row = begin + int(rows[0])
                return self.offset + row, self.values[self.codes[row]]
        return None

    def count(self, flags: Sequence[bool]) -> int:
        """How many rows have a value that is flagged."""
        if all(flags):
            return int(np.count_nonzero(self.codes != MISSING))
        counts = np.bincount(np.add(self.codes, 1, dtype=np.intp), minlength=len(flags) + 1)
        return int(counts[1:][np.array(flags)].sum())

    def lookup(self, answers: Sequence[Any] | Array, gap: Any, dtype: Any) -> Array:
        """One answer per value as one answer per row."""
        table = np.empty(len(answers) + 1, dtype=dtype)
        table[:-1] = answers
        table[-1] = gap
        return table[self.codes]

    def encoded(self, attribute: Attribute) -> Array:
        """The column's array: numbers, codes or texts, as the attribute says."""
        if isinstance(attribute, Numeric):
            return self._numbers(attribute)
        if isinstance(attribute, Categorical):
            return self._codes(attribute)
        return self.lookup(self.values, None, object)

    def _numbers(self, attribute: Numeric) -> Array:
        numbers = [written_number(value, attribute) for value in self.values]
        if first := self.first([value is None for value in numbers]):
            row, text = first
            msg = (
                f"column {attribute.name!r} cannot be numeric: row {row:,} holds {text!r}."
                f" If that means missing, read with missing=[…, {text!r}]; else leave the column nominal"
            )
            raise DataError(msg)
        return self.lookup([math.nan if value is None else value for value in numbers], math.nan, np.float64)

    def _codes(self, attribute: Categorical) -> Array:
        if attribute.values == tuple(self.values):
            return self.codes.astype(attribute.dtype)
        codes = attribute.codes
        if first := self.first([value not in codes for value in self.values]):
            row, text = first
            hint = did_you_mean(text, attribute.values)
            where = f"column {attribute.name!r}: row {row:,}"
            msg = f"{where} holds {text!r}, which is not among the listed values. {hint}"
            raise DataError(msg)
        return self.lookup([codes.get(value, MISSING) for value in self.values], MISSING, attribute.dtype)
