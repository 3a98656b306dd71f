"""Sets of labels in the cells of a column, such as "sport|politics".

The cells of a column look like sets, separated by |, ; or a comma, if

    some cell holds several parts, and none is longer than 40 characters
    half of the labels in such cells also occur in another set
    with commas, which separate much else: half of the labels that come first also come alone or later, as the
    towns of "Paris, France" do not; and every label has a letter
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import KINDS, MISSING, Nominal
from openbook.errors import DataError

#: What may stand between the labels of a set.
SEPARATORS = ("|", ";", ", ")

_COMMA = SEPARATORS[-1]
_LONGEST_LABEL = 40


@dataclass(frozen=True)
class Labels(Nominal):
    """A set of labels in each cell, such as "sport|politics"; an empty cell is the empty set.

    The values are the sets, the labels of each in the order of the alphabet. Learners of one target take them
    for nominal values, those of `openbook.multilabel` predict each label.

    Attributes
    ----------
    name : str
        The name of the column.
    values : tuple of str, default=()
        The sets, such as "politics|sport".
    rest : str or None, default=None
        None: no set is a pool of others.
    cyclic : bool, default=False
        False: sets do not go round.
    needed : float, default=0.0
        0: no set is pooled.
    separator : str, default="|"
        The separator between labels.

    Notes
    -----
    Guide: docs/guide/multilabel.md

    Examples
    --------
    >>> topics = Labels.of("topics", ["sport|politics", "politics|sport", "sport", ""])
    >>> topics.values, topics.labels
    (('', 'politics|sport', 'sport'), ('politics', 'sport'))
    >>> topics.has.astype(int).tolist()
    [[0, 0], [1, 1], [0, 1]]
    """

    kind: ClassVar[str] = "labels"

    separator: str = field(default="|", repr=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if odd := [value for value in self.values if value != self.spelled(value)]:
            raise DataError(f"attribute {self.name!r}: {odd[0]!r} is not a set of labels in order")

    @classmethod
    def of(cls, name: str, cells: Collection[str], separator: str = "|") -> Self:
        """The attribute of these cells.

        Parameters
        ----------
        name : str
            The name of the column.
        cells : collection of str
            Sets of labels, each label in any place.
        separator : str, default="|"
            The separator between labels.

        Returns
        -------
        Labels
        """
        bare = cls(name, separator=separator)
        return replace(bare, values=tuple(sorted({bare.spelled(cell) for cell in cells})))

    def labels_of(self, text: str) -> list[str]:
        """The labels of a cell, each once, in the order of the alphabet.

        Parameters
        ----------
        text : str
            The cell.

        Returns
        -------
        list of str
        """
        parts = (part.strip() for part in text.split(self.separator.strip()))
        return sorted({part for part in parts if part})

    def spelled(self, text: str) -> str:
        return self.separator.join(self.labels_of(text))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of all sets, in the order of the alphabet."""
        return tuple(sorted({label for value in self.values for label in self.labels_of(value)}))

    @cached_property
    def has(self) -> npt.NDArray[np.bool_]:
        """Whether each set has each label, of shape (n_values, n_labels)."""
        return membership(map(self.labels_of, self.values), self.labels)

    @property
    def gap(self) -> int:
        return self.codes.get("", MISSING)

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"separator": self.separator}

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:
        separator = record.get("separator")
        if separator not in SEPARATORS:
            raise DataError(f"attribute {name!r}: separator must be one of {SEPARATORS}")
        bare = cls(name, separator=separator)
        return replace(bare, values=Nominal.rebuilt(name, {"values": record.get("values")}).values)


KINDS[Labels.kind] = Labels


def membership(sets: Iterable[Iterable[str]], labels: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Whether each set holds each label, of shape (n_sets, n_labels).

    >>> membership([["b"], [], ["a", "b"]], ["a", "b"]).astype(int).tolist()
    [[0, 1], [0, 0], [1, 1]]
    """
    position, rows = {label: j for j, label in enumerate(labels)}, list(sets)
    cells = np.zeros((len(rows), len(labels)), dtype=bool)
    for i, row in enumerate(rows):
        cells[i, [position[label] for label in row]] = True
    return cells


def usual_separator(cells: Collection[str]) -> str:
    """What most likely stands between the labels of cells that are known to be sets: what most of them have.

    >>> usual_separator(["sport; health, sport", "politics; health"]), usual_separator(["sport"])
    (';', '|')
    """
    return max(SEPARATORS, key=lambda sign: sum(sign.strip() in cell for cell in cells))


def separator_of(cells: Collection[str]) -> str | None:
    """What stands between labels, if these distinct cells look like sets of labels; else None.

    >>> separator_of(["sport", "politics, sport", "politics"])
    ', '
    >>> separator_of(["Paris, France", "Lyon, France"]) is None
    True
    """
    return next((sign for sign in SEPARATORS if _looks_like_sets(cells, sign)), None)


def _looks_like_sets(cells: Collection[str], separator: str) -> bool:
    sign = separator.strip()
    if sign not in "\n".join(cells):
        return False
    sets = []
    for cell in cells:
        parts = [part for piece in cell.split(sign) if (part := piece.strip())]
        if len(set(parts)) < len(parts) or any(len(part) > _LONGEST_LABEL for part in parts):
            return False
        sets.append(parts)
    several = [parts for parts in sets if len(parts) > 1]
    counts = Counter(part for parts in sets for part in parts)
    among = {part for parts in several for part in parts}
    if not several or 2 * sum(counts[part] > 1 for part in among) < len(among):
        return False
    if separator != _COMMA:
        return True
    first = {parts[0] for parts in several}
    elsewhere = {part for parts in several for part in parts[1:]} | {p[0] for p in sets if len(p) == 1}
    worded = all(any(map(str.isalpha, part)) for part in counts)
    return worded and 2 * len(first & elsewhere) >= len(first)
