"""The options of `read` and `scan` about a source: kinds, signs, and how to open it."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from openbook.data.attributes import Attribute, Nominal
from openbook.data.schema import Schema
from openbook.data.written_numbers import number_of_text
from openbook.errors import DataError

#: Texts that stand for a missing value, blanks around them aside. An empty cell is missing in any case.
MISSING_TOKENS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")

#: The one of them that may be a value: see `Reading.doubts`.
NONE = "None"

#: The endings of files that a scan of a folder reads.
SCANNED = (".parquet", ".csv", ".tsv", ".txt", ".data", ".dat")

#: The first bytes of files, and the format that they tell.
STARTS = (
    (b"PAR1", ".parquet"),
    (b"PK\x03\x04", ".zip"),
    (b"SQLite format 3", ".sqlite"),
    (b"[", ".json"),
    (b"{", ".json"),
    (b"@relation", ".arff"),
    (b"\x1f\x8b", ".gz"),
    (b"BZh", ".bz2"),
    (b"\xfd7zXZ", ".xz"),
    (b"\x28\xb5\x2f\xfd", ".zst"),
)

#: What `kinds` may be: a kind for all columns; a kind, a list of values in order or an attribute for some; or
#: the schema of a model, in whose units and formats its columns are read.
Kinds = str | Mapping[Any, str | Sequence[Any] | Attribute] | Schema | None


@dataclass(frozen=True)
class Reading:
    """The options of `read` and `scan`, as `read` describes them."""

    kinds: Kinds = None
    missing: Collection[str] = MISSING_TOKENS
    header: bool | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    query: str | None = None
    missing_in: Mapping[str, Collection[str]] = field(default_factory=dict)
    decimal_elsewhere: str | None = None  # the decimal sign that some columns of a file show

    def __post_init__(self) -> None:
        for texts in (self.missing, *self.missing_in.values()):
            if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
                raise DataError(
                    f"what stands for a missing value is a list of texts, as ['-1'], got {texts!r}"
                )

    def of(self, column: str) -> "Reading":
        """The options for one column: with its own missing texts, and with "None" as a model knows it."""
        missing = (*self.missing, *self.missing_in.get(column, ()))
        known = self.kinds[column] if isinstance(self.kinds, Schema) and column in self.kinds else None
        if self.doubts and isinstance(known, Nominal) and known.rest is None:
            others = tuple(text for text in missing if text != NONE)
            missing = others if NONE in known.values else (*others, NONE)
        return self if missing == (*self.missing,) else replace(self, missing=missing)

    @property
    def doubts(self) -> bool:
        """Whether "None" may be a value: nobody said that it is missing, it is only so by custom."""
        by_custom, added = (*self.missing,)[: len(MISSING_TOKENS)], (*self.missing,)[len(MISSING_TOKENS) :]
        return by_custom == MISSING_TOKENS and NONE not in added

    @cached_property
    def gaps(self) -> frozenset[str]:
        """The texts that are missing for certain."""
        own = {token.strip() for token in self.missing} | {""}
        return frozenset(own - {NONE} if self.doubts else own)

    @cached_property
    def gap_numbers(self) -> frozenset[float]:
        """The numbers that stand for a missing value, such as -999."""
        numbers = map(number_of_text, self.gaps)
        return frozenset(x for x in numbers if x is not None and not math.isnan(x))

    def is_gap(self, text: str) -> bool:
        """Whether a text is missing for certain; -999.0 is where -999 is, but 07 is not where 7 is.

        >>> how = Reading(missing=["-999", "7"])
        >>> how.is_gap("-999.0"), how.is_gap("7"), how.is_gap("07")
        (True, True, False)
        """
        if text in self.gaps or not self.gap_numbers:
            return text in self.gaps
        return number_of_text(text) in self.gap_numbers and not (text[0] == "0" and text[1:2].isdigit())
