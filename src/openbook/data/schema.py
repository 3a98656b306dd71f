"""A schema is the list of a table's attributes; a fitted model keeps it as `schema_`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from openbook.data.attributes import Attribute, Datetime, Numeric, Text
from openbook.data.derived import DatePart, Direction, Intervals, TargetMean, Word
from openbook.errors import DataError, UnknownColumn
from openbook.words.numbers import figure


@dataclass(frozen=True)
class Schema:
    """A tuple of attributes with distinct names.

    Attributes
    ----------
    attributes : tuple of Attribute
        The columns, in order.
    named : bool, default=True
        False where the source had no names (a bare array) and they were made up: x0, x1, …

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> from openbook.data import Nominal, Numeric
    >>> schema = Schema((Numeric("income"), Nominal("owner", ("no", "yes"))))
    >>> schema.names, schema.of(Numeric)
    (('income', 'owner'), ('income',))
    """

    attributes: tuple[Attribute, ...]
    named: bool = True

    def __post_init__(self) -> None:
        if len(self._positions) != len(self.attributes):
            names = [a.name for a in self.attributes]
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"two columns are called {twice!r}; rename one of them")

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {attribute.name: i for i, attribute in enumerate(self.attributes)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self._positions)

    @cached_property
    def _classes(self) -> set[type[Attribute]]:
        return {type(a) for a in self.attributes}

    @cached_property
    def written(self) -> tuple[Numeric, ...]:
        """The numbers that people write in their own way, with units or as dates, those of parts included."""
        brought = (a.number if isinstance(a, Intervals) else a for a in self.attributes)
        own = [a for a in brought if isinstance(a, Numeric) and not a.is_plain]
        dates = {a.date: a.whole for a in self.attributes if isinstance(a, DatePart)}
        return (*own, *(date for name, date in dates.items() if name not in self._positions))

    def of(self, *kinds: type[Attribute]) -> tuple[str, ...]:
        """The names of the attributes of these kinds.

        Parameters
        ----------
        *kinds : type
            Classes of attributes, such as `Numeric`.

        Returns
        -------
        tuple of str
        """
        fitting = {cls for cls in self._classes if issubclass(cls, kinds)}
        if fitting == self._classes:
            return self.names
        return tuple(a.name for a in self.attributes if type(a) in fitting) if fitting else ()

    @cached_property
    def given(self) -> "Schema":
        """The columns that a table brings: all but parts of its dates, and those of `unworded`."""
        if not self.of(DatePart):
            return self.unworded
        return self.unworded.select(
            a.name for a in self.unworded if not isinstance(a, DatePart) or a.date not in self._positions
        )

    @cached_property
    def words(self) -> dict[str, dict[str, int]]:
        """The words that are derived from each column of texts, each with its place among them."""
        found: dict[str, dict[str, int]] = {}
        for a in self.attributes if self.of(Word) else ():
            if isinstance(a, Word):
                own = found.setdefault(a.text, {})
                own[a.word] = len(own)
        return found

    @cached_property
    def directions(self) -> "dict[str, tuple[Direction, ...]]":
        """The directions of each column of texts, which have the same words."""
        found: dict[str, tuple[Direction, ...]] = {}
        for a in self.attributes if self.of(Direction) else ():
            if isinstance(a, Direction):
                found[a.text] = (*found.get(a.text, ()), a)
                if a.words is not found[a.text][0].words and a.words != found[a.text][0].words:
                    raise DataError(f"the directions of {a.text!r} have different words")
        return found

    @cached_property
    def unworded(self) -> "Schema":
        """The columns with texts instead of their words or directions, numbers instead of intervals, and
        values instead of means of the target.
        """
        if not self.of(Word, Direction, Intervals, TargetMean):
            return self
        return Schema(tuple(dict.fromkeys(map(_source, self.attributes))), self.named)

    def position(self, name: str) -> int:
        """Where the column of this name stands.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        int
        """
        return self.positions([name])[0]

    def positions(self, names: Iterable[str]) -> list[int]:
        """Where the columns of these names stand.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the columns, one by one or as a list.

        Returns
        -------
        list of int
        """
        try:
            return list(map(self._positions.__getitem__, names))
        except KeyError as error:
            raise UnknownColumn(error.args[0], self.names) from None

    def told(self, name: str, number: float) -> float | str:
        """A number of a column as derivations show it: a date beside the day that formulas compute with.

        Parameters
        ----------
        name : str
            The name of the column; of another name, the number stays as it is.
        number : float
            A cell, or a mean.

        Returns
        -------
        float or str

        Examples
        --------
        >>> from openbook.data import Datetime, Numeric
        >>> schema = Schema((Datetime("sold"), Numeric("price")))
        >>> schema.told("sold", 19783.0), schema.told("price", 2.5), schema.told("sold missing", 1.0)
        ('2024-03-01 (day 19783)', 2.5, 1.0)
        """
        if name not in self or not isinstance(attribute := self[name], Datetime):
            return number
        share = f"{figure(number)} of a day" if attribute.is_time else f"day {figure(number)}"
        return f"{attribute.shown(number)} ({share})"

    def select(self, *names: str | Iterable[str]) -> "Schema":
        """A schema of these columns only, in this order.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the columns, one by one or as a list.

        Returns
        -------
        Schema
        """
        chosen = one_by_one(names)
        if chosen == self.names:
            return self
        return Schema(tuple(self[name] for name in chosen), self.named)

    def __getitem__(self, name: str) -> Attribute:
        return self.attributes[self.position(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def to_json(self) -> dict[str, Any]:
        """The schema as plain text and lists, which `from_json` reads."""
        return {"named": self.named, "attributes": [a.to_json() for a in self.attributes]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Schema":
        """Rebuild a schema from `to_json`, checking what it is given.

        Parameters
        ----------
        record : mapping
            What `to_json` gave.

        Returns
        -------
        Schema
        """
        attributes = record.get("attributes")
        if not isinstance(attributes, list) or not all(isinstance(a, dict) for a in attributes):
            raise DataError("a schema needs a list of attributes")
        schema = cls(tuple(map(Attribute.from_json, attributes)), named=record.get("named") is not False)
        _ = schema.directions  # checks that those of a text have the same words
        return schema


def _source(attribute: Attribute) -> Attribute:
    """The column that a table brings for this one; parts of dates stand beside theirs."""
    if isinstance(attribute, Word | Direction):
        return Text(attribute.text)
    if isinstance(attribute, Intervals):
        return attribute.number
    return attribute.by if isinstance(attribute, TargetMean) else attribute


def one_by_one(names: Iterable[str | Iterable[str]]) -> tuple[str, ...]:
    """The names in names and lists of names."""
    return tuple(chain.from_iterable([given] if isinstance(given, str) else given for given in names))
