"""Columns as axes and as colours: numbers along an axis, categories in bands; missing cells are not drawn.

ColumnAxis.of(table, name)      an axis, and where each row is on it; NaN if its cell is missing
Groups.of(labels)               a colour for each group of rows; the rarer share a grey
Groups.of_column(table, name)   by the values of a category, or by fifths of the numbers
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data import Attribute, Categorical, Datetime, Numeric, Table
from openbook.data.attributes import as_text
from openbook.draw.axes import Categories, Dates, Numbers
from openbook.draw.colours import COLOURS, RARE
from openbook.draw.plot import Plot
from openbook.errors import DataError, UnknownColumn
from openbook.words.numbers import short
from openbook.words.sentences import plural

#: Values of a category that have a band of their own.
_MOST_BANDS = 20
#: Rows that are drawn: of more, a selection.
MOST_DOTS = 2000
#: More dots than these shine through.
_FEW_DOTS = 200
#: The shades of numbers, in groups of equally many rows, from light to dark.
_SHADES = ("c0 s5", "c0 s8", "c0 s10", "c0 s13", "c0 s16")
#: Rows without a group.
_MISSING, _PALE = "missing", "c8 s8"


def drawn_rows(n: int, most: int) -> np.ndarray:
    """Positions spread evenly over n rows, at most `most`."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))


def rows_drawn(drawn: int, n: int) -> str:
    """How many rows there are to see: "150 rows", or "600 of 1,797 rows"."""
    return plural(n, "row") if drawn == n else f"{drawn:,} of {n:,} rows"


def dot_look(n: int) -> str:
    """Dots with an edge, or where there are many, without one, so that they shine through."""
    return "many" if n > _FEW_DOTS else "dot"


def column_of(table: Table, name: str) -> Attribute:
    """An attribute that can stand along an axis."""
    if name not in table.schema:
        raise UnknownColumn(name, table.names)
    attribute = table.schema[name]
    if not isinstance(attribute, Numeric | Categorical):
        raise DataError(f"column {name!r} is {attribute.kind}, and has no axis")
    return attribute


def drawable(table: Table, kind: Any = Numeric | Categorical) -> list[str]:
    """The columns of a kind that vary."""
    names = []
    for attribute in table.schema:
        if isinstance(attribute, kind):
            data = table.data(attribute.name)
            known = data[np.isfinite(data)] if isinstance(attribute, Numeric) else data[data >= 0]
            if (known != known[:1]).any():
                names.append(attribute.name)
    return names


def numbers_of(table: Table, name: str, what: str) -> np.ndarray:
    """The numbers of a column that must be numeric, NaN if one is missing or infinite."""
    attribute = column_of(table, name)
    if not isinstance(attribute, Numeric):
        raise DataError(f"column {name!r} is {attribute.kind}, and {what} needs numbers")
    data = np.array(table.data(name), dtype=float)
    data[~np.isfinite(data)] = np.nan
    return data


def number_axis(attribute: Attribute, values: np.ndarray) -> Numbers:
    """The axis of a column of numbers or dates."""
    return (Dates if isinstance(attribute, Datetime) else Numbers)(attribute.name, values)


def value_words(attribute: Attribute, value: float) -> str:
    """A number in few words, or a date."""
    return attribute.shown(value) if isinstance(attribute, Datetime) else short(value)


@dataclass(frozen=True)
class ColumnAxis:
    """A column along an axis: its attribute, the axis, and the codes that have a band, None for numbers."""

    attribute: Attribute
    axis: Numbers | Categories
    bands: np.ndarray | None

    @classmethod
    def of(cls, table: Table, name: str) -> "ColumnAxis":
        """All values of a category have a band, or the most frequent."""
        attribute = column_of(table, name)
        data = table.data(name)
        if not isinstance(attribute, Categorical):
            return cls(attribute, number_axis(attribute, np.asarray(data, dtype=float)), None)
        counts = np.bincount(data[data >= 0], minlength=len(attribute.values))
        frequent = np.argsort(-counts, kind="stable")
        bands = np.sort(frequent[counts[frequent] > 0][:_MOST_BANDS])
        return cls(attribute, Categories(name, tuple(attribute.values[code] for code in bands)), bands)

    def values(self, table: Table) -> np.ndarray:
        """Numbers, or positions of bands; NaN if a row has none."""
        data = table.data(self.attribute.name)
        if self.bands is None:
            return np.where(np.isfinite(data), data, np.nan).astype(float)
        return np.where(np.isin(data, self.bands), np.searchsorted(self.bands, data), np.nan)

    def middles(self, cells: int) -> np.ndarray:
        """The values at the middles of a number of equal cells; of categories, the codes."""
        if self.bands is not None:
            return self.bands
        assert isinstance(self.axis, Numbers)
        low, high = self.axis.span
        return low + (high - low) * (np.arange(cells) + 0.5) / cells


@dataclass(frozen=True)
class Groups:
    """Groups of rows: their names in order, the look of each, and the group of each row."""

    names: tuple[str, ...]
    looks: tuple[str, ...]
    codes: np.ndarray

    @classmethod
    def of(cls, labels: Sequence[Any], order: Sequence[Any] = (), unknown: str = _MISSING) -> "Groups":
        """Groups by labels; those of `order` come first, in that order, and have their colours first."""
        words = [unknown if _unknown(label) else as_text(label) for label in labels]
        values, counts = np.unique(np.array(words, dtype=object).astype(str), return_counts=True)
        frequent = [str(v) for v in values[np.argsort(-counts, kind="stable")]]
        first = [as_text(label) for label in order]
        names = [*dict.fromkeys([*first, *(v for v in frequent if v != unknown)])]
        by_size = sorted(names, key=lambda v: frequent.index(v) if v in frequent else len(frequent))
        coloured, colours = set(by_size[:COLOURS]), iter(range(COLOURS))
        looks = [f"c{next(colours)}" if name in coloured else RARE for name in names]
        if unknown in frequent:
            names, looks = [*names, unknown], [*looks, _PALE]
        position = {name: i for i, name in enumerate(names)}
        return cls(tuple(names), tuple(looks), np.array([position[w] for w in words], dtype=np.intp))

    @classmethod
    def of_column(cls, table: Table, name: str) -> "Groups":
        """Groups by a column: a category's values, or fifths of its numbers, the largest darkest."""
        attribute = column_of(table, name)
        data = table.data(name)
        if isinstance(attribute, Categorical):
            words = [attribute.values[code] if code >= 0 else None for code in data.tolist()]
            return cls.of(words, [v for v in attribute.values if v in set(words)])
        known = data[np.isfinite(data)]
        distinct = np.unique(known)
        if len(distinct) <= len(_SHADES):
            spelled = {value: value_words(attribute, value) for value in distinct.tolist()}
            return cls.of([spelled.get(value) for value in data.tolist()], list(spelled.values()))
        cuts = np.unique(np.quantile(known, np.arange(1, len(_SHADES)) / len(_SHADES)))
        ends = [value_words(attribute, float(cut)) for cut in cuts]
        names = [f"up to {end}" for end in ends] + [f"above {ends[-1]}"]
        looks = list(_SHADES[len(_SHADES) - len(names) :])
        codes = np.where(np.isfinite(data), np.searchsorted(cuts, data), len(names))
        if len(known) < len(data):
            names, looks = [*names, _MISSING], [*looks, _PALE]
        return cls(tuple(names), tuple(looks), codes.astype(np.intp))

    @classmethod
    def none(cls, n: int) -> "Groups":
        """All rows alike, and nothing in the legend."""
        return cls(("",), ("c0",), np.zeros(n, np.intp))

    def dots(self, plot: Plot, x: np.ndarray, y: np.ndarray, *, aside: bool = False, size: float = 4) -> int:
        """Draw rows, or some of many, in their colours, with a legend; how many."""
        known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        some = known[drawn_rows(len(known), MOST_DOTS)]
        shape = dot_look(len(some))
        looks = [f"{shape} {self.looks[code]}" for code in self.codes[some]]
        captions = [self.names[code] for code in self.codes[some]] if any(self.names) else None
        plot.dots(x[some], y[some], looks, captions, aside=aside, size=size)
        self.legend(plot)
        return len(some)

    def parts(self) -> Iterator[tuple[str, str, np.ndarray]]:
        """Name, look and rows of each group that has rows."""
        for i, (name, look) in enumerate(zip(self.names, self.looks, strict=True)):
            if len(rows := np.flatnonzero(self.codes == i)):
                yield name, look, rows

    def legend(self, plot: Plot) -> None:
        """Put the groups into a legend; the rarer ones together."""
        for name, look in zip(self.names, self.looks, strict=True):
            if name and look != RARE:
                plot.named(look, name)
        if rare := self.looks.count(RARE):
            plot.named(RARE, f"{rare} rarer {'classes' if rare > 1 else 'class'}")


def _unknown(label: Any) -> bool:
    return label is None or (isinstance(label, float) and np.isnan(label))
