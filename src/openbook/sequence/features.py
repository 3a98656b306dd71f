r"""Rows as features of a linear chain: what a row shows, what its neighbours show, and where it stands.

    column = value       a nominal or ordinal cell
    column               a number, in standard units
    column form = value  a form of a word: its lower case, first and last letters, its shape
    previous …, next …   the same of the row before and of the row after, within the sequence
    every row, first row, last row

A shape has X for capital letters, x for small ones, d for digits and every other character as it is, runs
shortened: "McBain-12" is XxXx-d. A missing cell, a value or word that training never showed, and a neighbour
beyond the ends of the sequence have no feature. Forms of an unseen word may still be known.

ids : int32 (n, m), rows of the weights, -1 for none;  x : float64 (n, d), numbers, 0 where missing
weights : (F, K), first those of ids, then those of numbers
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from openbook.data import MISSING, Categorical, Numeric, Schema, Table, Text
from openbook.sequence.scanned import moments_of, shift_and_scale, text_words


def word_shape(word: str) -> str:
    """The shape of a word.

    >>> word_shape("McBain-12"), word_shape("USA"), word_shape("3.50")
    ('XxXx-d', 'X', 'd.d')
    """
    kinds = ("X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word)
    found = ""
    for kind in kinds:
        if kind not in found[-1:]:
            found += kind
    return found


#: The forms of a word, by name.
FORMS = {
    "lower": str.lower,
    "first 3": lambda word: word[:3].lower(),
    "last 3": lambda word: word[-3:].lower(),
    "last 2": lambda word: word[-2:].lower(),
    "shape": word_shape,
}
#: The rows whose cells count: the row itself and its neighbours, by name.
OFFSETS = {"": 0, "previous ": -1, "next ": 1}
#: Features of where a row stands.
PLACES = ("every row", "first row", "last row")


class Feature(NamedTuple):
    """What a row may show: the row that shows it, its column, a form of a word, and the value."""

    offset: str
    column: str
    form: str = ""
    value: str | None = None  # None for numbers

    def __str__(self) -> str:
        what = f"{self.offset}{self.column}{f' {self.form}' if self.form else ''}"
        return what if self.value is None else f"{what} = {self.value}"


class _Codes(NamedTuple):
    """A column, or a form of its words, as codes: the codes of its values, and the values."""

    column: str
    form: str
    values: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class FeatureSpace:
    """The features of the rows of a schema.

    Parameters
    ----------
    schema : the columns
    words : the words that training showed, of each text column
    shift, scale : float64 (d,), subtracted from each numeric column, and its divisor
    neighbours : the columns whose cells count of the rows before and after, by "previous " and "next "
    """

    schema: Schema
    words: Mapping[str, tuple[str, ...]]
    shift: np.ndarray
    scale: np.ndarray
    neighbours: Mapping[str, Collection[str]]

    @classmethod
    def of(cls, table: Table, neighbours: Mapping[str, Collection[str]]) -> "FeatureSpace":
        """The features that the rows of a table show."""
        words = {name: tuple(sorted(distinct)) for name, distinct in text_words(table).items()}
        return cls(table.schema, words, *shift_and_scale(moments_of(table)), neighbours)

    @cached_property
    def _coded(self) -> list[_Codes]:
        """The columns of codes: categories, words, forms of words."""
        found = []
        for attribute in self.schema:
            if isinstance(attribute, Categorical):
                found.append(_Codes(attribute.name, "", attribute.values))
            elif isinstance(attribute, Text):
                words = self.words[attribute.name]
                found.append(_Codes(attribute.name, "", words))
                for form, of in FORMS.items():
                    found.append(_Codes(attribute.name, form, tuple(dict.fromkeys(map(of, words)))))
        return found

    def _counts(self, offset: str, column: str) -> bool:
        """Whether the cells of a column count, of the row itself or of a neighbour."""
        return not offset or column in self.neighbours[offset]

    @cached_property
    def _blocks(self) -> list[tuple[str, int, int]]:
        """Offset, column of codes, and first row of the weights, of each column of ids after the places."""
        found, first = [], len(PLACES)
        for offset in OFFSETS:
            for i, coded in enumerate(self._coded):
                if self._counts(offset, coded.column):
                    found.append((offset, i, first))
                    first += len(coded.values)
        return found

    @cached_property
    def _numbers(self) -> list[tuple[str, int]]:
        """Offset and numeric column of each column of x."""
        numbers = self.schema.of(Numeric)
        return [(o, j) for o in OFFSETS for j, name in enumerate(numbers) if self._counts(o, name)]

    @cached_property
    def features(self) -> list[Feature]:
        """What each row of the weights is for."""
        found = [Feature("", position) for position in PLACES]
        for offset, i, _ in self._blocks:
            column, form, values = self._coded[i]
            found += [Feature(offset, column, form, value) for value in values]
        numbers = self.schema.of(Numeric)
        return found + [Feature(offset, numbers[j]) for offset, j in self._numbers]

    @cached_property
    def index(self) -> dict[Feature, int]:
        """The row of the weights of each feature."""
        return {feature: i for i, feature in enumerate(self.features)}

    def __len__(self) -> int:
        sizes = [len(self._coded[i].values) for _, i, _ in self._blocks]
        return len(PLACES) + sum(sizes) + len(self._numbers)

    def encoded(self, table: Table, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The ids and the numbers of the rows of some sequences."""
        n, begins = len(table), np.concatenate([[0], ends[:-1]])
        ids = np.full((n, len(PLACES) + len(self._blocks)), -1, dtype=np.int32)
        ids[:, 0], ids[begins, 1], ids[ends - 1, 2] = 0, 1, 2
        codes = list(self._codes(table))
        for j, (offset, i, first) in enumerate(self._blocks, len(PLACES)):
            neighbours = _of_neighbour(codes[i], OFFSETS[offset], begins, ends, -1)
            ids[:, j] = np.where(neighbours >= 0, neighbours + first, -1)
        numbers = []
        for j, name in enumerate(self.schema.of(Numeric)):
            numbers.append(np.nan_to_num((table.data(name) - self.shift[j]) / self.scale[j]))
        x = np.zeros((n, len(self._numbers)))
        for j, (offset, i) in enumerate(self._numbers):
            x[:, j] = _of_neighbour(numbers[i], OFFSETS[offset], begins, ends, 0.0)
        return ids, x

    def _codes(self, table: Table) -> Iterator[np.ndarray]:
        """The codes of each column of codes; below 0 if there is none."""
        for attribute in self.schema:
            if isinstance(attribute, Categorical):
                yield table.data(attribute.name).astype(np.int32)
            elif isinstance(attribute, Text):
                distinct: dict[Any, int] = {None: 0}
                which = [distinct.setdefault(word, len(distinct)) for word in table.data(attribute.name)]
                for coded in self._coded:
                    if coded.column == attribute.name:
                        yield _found(coded, list(distinct)[1:])[which]


def _found(coded: _Codes, words: Sequence[str]) -> np.ndarray:
    """The codes of no word and of these words."""
    position = {value: code for code, value in enumerate(coded.values)}
    of = FORMS.get(coded.form, str)
    return np.array([MISSING, *(position.get(of(word), -1) for word in words)])


def _of_neighbour(cells, offset, begins, ends, beyond):
    """The cells of the rows so far away; `beyond` the ends of a sequence."""
    if offset == 0:
        return cells
    moved = np.empty_like(cells)
    if offset < 0:
        moved[1:], moved[begins] = cells[:-1], beyond
    else:
        moved[:-1], moved[ends - 1] = cells[1:], beyond
    return moved
