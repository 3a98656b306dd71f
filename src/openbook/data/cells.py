"""A column of texts as its distinct texts and, for each row, the position of its text (-1: missing).

A code of -2 stands for the text "None", until it is known whether it means missing or is a value.

All operations on a text column use its distinct texts, so a column of a million cells costs no more than its
different values. Rows are counted from 0, as in `Table.row`.

Before any rule, blanks around a text are stripped, a text that stands for a missing value becomes missing,
and the words true and false are put in lower case, so that booleans are spelled alike whatever wrote them.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import MISSING, Attribute, Categorical, Datetime, Numeric, Ordinal
from openbook.data.dates import number_of_cell
from openbook.data.reading import NONE, Reading
from openbook.errors import DataError, did_you_mean

Array = npt.NDArray[Any]

BOOLEANS = ("false", "true")

_NONE = -2

_BLOCK = 1 << 14


def spell(text: str) -> str:
    """The text without the blanks around it; true and false in lower case.

    >>> spell(" Sunny "), spell("TRUE")
    ('Sunny', 'true')
    """
    text = text.strip()
    return text.lower() if len(text) < 6 and text.lower() in BOOLEANS else text


class Cells(NamedTuple):
    """A column of texts: `values[codes[i]]` is row i; a code of -1 is missing, one of -2 is "None".

    `declared` is the kind whose values, and their order, the source itself declares (a pandas categorical,
    booleans), or None if the values are just those that occur. `offset` is the number of the first row,
    where the cells are a part of a longer column; `nones` whether some cells may be "None".
    """

    values: Sequence[str]
    codes: Array
    declared: type[Categorical] | None = None
    offset: int = 0
    nones: bool = False

    def cleaned(self, how: Reading) -> "Cells":
        """Spelled one way, missing tokens taken out; values that become alike are joined."""
        doubts = how.doubts and self.declared is not Ordinal
        spelled = list(map(spell, self.values))
        alike = spelled == list(self.values) and len(set(spelled)) == len(spelled)
        if alike and NONE not in spelled and not any(map(how.is_gap, spelled)):
            return self
        position: dict[str, int] = {}
        lookup = np.empty(len(self.values) + 2, dtype=np.intp)
        lookup[-2:] = _NONE, MISSING
        for i, value in enumerate(spelled):
            if value == NONE and doubts:
                lookup[i] = _NONE
            else:
                gap = how.is_gap(self.values[i].strip()) or (value == NONE and how.doubts)
                lookup[i] = MISSING if gap else position.setdefault(value, len(position))
        codes = lookup[self.codes]
        return self._replace(values=list(position), codes=codes, nones=bool((lookup[:-2] == _NONE).any()))

    def first(self, flags: Sequence[bool]) -> tuple[int, str] | None:
        """The first row whose value is flagged, and the value; None if there is no such row."""
        if not any(flags):
            return None
        flagged = np.array([*flags, False, False])
        for begin in range(0, len(self.codes), _BLOCK):  # the first is mostly among the first
            rows = np.flatnonzero(flagged[self.codes[begin : begin + _BLOCK]])
            if len(rows):
                row = begin + int(rows[0])
                return self.offset + row, self.values[self.codes[row]]
        return None

    def count(self, flags: Sequence[bool]) -> int:
        """How many rows have a value that is flagged."""
        if all(flags):
            return int(np.count_nonzero(self.codes >= 0))
        counts = np.bincount(np.subtract(self.codes, _NONE, dtype=np.intp), minlength=len(flags) + 2)
        return int(counts[2:][np.array(flags)].sum())

    def count_none(self) -> int:
        """How many rows hold "None"."""
        return int(np.count_nonzero(self.codes == _NONE)) if self.nones else 0

    def lookup(self, answers: Sequence[Any] | Array, gap: Any, dtype: Any, none: Any = None) -> Array:
        """One answer per value as one answer per row; `none` is that for "None", by default a gap."""
        table = np.empty(len(answers) + 2, dtype=dtype)
        table[:-2] = answers
        table[-2] = gap if none is None else none
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
        numbers = [number_of_cell(value, attribute) for value in self.values]
        if first := self.first([value is None for value in numbers]):
            row, text = first
            unit = attribute.unit and f", where the unit is {attribute.unit}"
            form = f", where the format is {attribute.format}" if isinstance(attribute, Datetime) else unit
            raise DataError(
                f"column {attribute.name!r} cannot be {attribute.kind}: row {row:,} holds {text!r}{form}."
                f" If that means missing, read with missing=[…, {text!r}]; else leave the column nominal"
            )
        return self.lookup([math.nan if value is None else value for value in numbers], math.nan, np.float64)

    def _codes(self, attribute: Categorical) -> Array:
        codes = attribute.codes
        if attribute.values == tuple(self.values) and not self.nones and attribute.gap == MISSING:
            return self.codes.astype(attribute.dtype)
        spelled = [attribute.spelled(value) for value in self.values]
        if first := self.first([value not in codes for value in spelled]):
            row, text = first
            hint = did_you_mean(text, attribute.values)
            where = f"column {attribute.name!r}: row {row:,}"
            raise DataError(f"{where} holds {text!r}, which is not among the listed values. {hint}")
        answers = [codes.get(value, MISSING) for value in spelled]
        return self.lookup(answers, attribute.gap, attribute.dtype, codes.get(NONE))
