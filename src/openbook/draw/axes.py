"""The axes of a picture: numbers, or a band for each of several values; positions are shares from 0 to 1.

An axis of numbers ends before outliers (more than three interquartile ranges beyond the quartiles), which
would leave no room for the other numbers.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from openbook.draw.letters import width_of
from openbook.words.numbers import short

#: Up to so many different numbers, dots are jittered: they would hide each other.
_FEW = 12
#: Steps of the calendar, from hours to centuries.
_CALENDAR = (
    *((step, "h") for step in (1, 3, 6, 12)),
    *((step, "D") for step in (1, 2, 7, 14)),
    *((step, "M") for step in (1, 3, 6)),
    *((step, "Y") for step in (1, 2, 5, 10, 20, 50, 100, 500)),
)
#: About how many pixels an axis has; words nearer to each other than they are wide would overlap.
_ABOUT = 560


@dataclass(frozen=True)
class Numbers:
    """An axis of numbers.

    Attributes
    ----------
    name : str
        The label of the axis.
    values : ndarray
        The numbers that the axis must show.

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> import numpy as np
    >>> [words for _, words in Numbers("age", np.array([20.0, 60.0])).ticks]
    ['10', '20', '30', '40', '50', '60', '70']
    """

    name: str
    values: np.ndarray

    @classmethod
    def between(cls, name: str, low: float, high: float) -> "Numbers":
        """An axis from one number to another, none of which is far from the others.

        Parameters
        ----------
        name : str
            The label of the axis.
        low, high : float
            Its ends.

        Returns
        -------
        Numbers
        """
        return cls(name, np.linspace(low, high, 50))

    @cached_property
    def span(self) -> tuple[float, float]:
        """Where the axis begins and ends: a little beyond the values that are not far from the others."""
        known = self.values[np.isfinite(self.values)]
        if not len(known):
            return 0.0, 1.0
        q1, q3 = np.quantile(known, (0.25, 0.75))
        far = 3 * (q3 - q1) or np.inf
        near = known[(known >= q1 - far) & (known <= q3 + far)]
        low, high = float(near.min()), float(near.max())
        margin = 0.04 * (high - low) or 0.1 * abs(low) or 1.0
        if 1 < len(distinct := np.unique(near)) <= _FEW:
            margin = max(margin, 0.3 * float(np.diff(distinct).min()))
        return low - margin, high + margin

    def position(self, values: np.ndarray) -> np.ndarray:
        """Positions as shares of the axis: 0 to 1, or outside if a value is beyond its ends.

        Parameters
        ----------
        values : ndarray
            The numbers to place.

        Returns
        -------
        ndarray
        """
        low, high = self.span
        return (values - low) / (high - low)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places and words of round numbers."""
        low, high = self.span
        _, _, round_ones = round_ticks(low, high)
        inside = [t for t in round_ones if low <= t <= high]
        if len(inside) < 4:
            between = [(a + b) / 2 for a, b in pairwise(round_ones)]
            inside = [t for t in sorted([*round_ones, *between]) if low <= t <= high]
        return [(float(self.position(np.array(t))), short(t)) for t in inside]

    def jittered(self, values: np.ndarray) -> np.ndarray:
        """Positions of dots, with a little jitter if there are few different numbers.

        Parameters
        ----------
        values : ndarray
            The numbers to place.

        Returns
        -------
        ndarray
        """
        distinct = np.unique(self.values[np.isfinite(self.values)])
        if not 1 < len(distinct) <= _FEW:
            return self.position(values)
        gap = np.diff(distinct).min() / (self.span[1] - self.span[0])
        return self.position(values) + 0.5 * gap * _spread(len(values), 0.7548776662)


@dataclass(frozen=True)
class Dates(Numbers):
    """An axis of days since 1970-01-01, with ticks where years, months, days or hours begin.

    Attributes
    ----------
    name : str
        The label of the axis.
    values : ndarray
        The days that the axis must show.

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> import numpy as np
    >>> [words for _, words in Dates("sold", np.array([19723.0, 20050.0])).ticks]
    ['2023-10', '2024-01', '2024-04', '2024-07', '2024-10', '2025-01']
    """

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places and words of the beginnings of equal steps of the calendar, no more than six."""
        low, high = (np.datetime64("1970-01-01", "s") + round(86_400 * end) for end in self.span)
        for step, unit in _CALENDAR:
            zero = 1970 if unit == "Y" else 0  # round years are those of the calendar
            first, last = (int(end.astype(f"datetime64[{unit}]").astype(int)) + zero for end in (low, high))
            starts = np.arange(-(-first // step) * step, last + 1, step) - zero
            if len(starts) <= 6:
                break
        moments = starts.astype(f"datetime64[{unit}]")
        positions = self.position(moments.astype("datetime64[s]").astype(float) / 86_400)
        words = [str(moment).replace("T", " ") + ":00" * (unit == "h") for moment in moments]
        if self.values.size and np.nanmin(self.values) >= 0 and np.nanmax(self.values) < 1:  # times of day
            words = [word.removeprefix("1970-01-01 ") for word in words]
        return [(float(p), word) for p, word in zip(positions, words, strict=True) if 0 <= p <= 1]


@dataclass(frozen=True)
class Categories:
    """An axis with a band for each value.

    Attributes
    ----------
    name : str
        The label of the axis.
    values : tuple of str
        The values, a band each.

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> import numpy as np
    >>> Categories("outlook", ("sunny", "rain")).jittered(np.array([0, 1])).round(2).tolist()
    [0.08, 0.77]
    """

    name: str
    values: tuple[str, ...]

    def position(self, codes: np.ndarray) -> np.ndarray:
        """Positions as shares of the axis: a whole number is the middle of its band, ± 0.5 its edges.

        Parameters
        ----------
        codes : ndarray
            Positions of values.

        Returns
        -------
        ndarray
        """
        return (codes + 0.5) / len(self.values)

    def jittered(self, codes: np.ndarray) -> np.ndarray:
        """Positions of dots, with jitter around the middle of each band so that they do not overlap.

        Parameters
        ----------
        codes : ndarray
            The position of the value of each dot.

        Returns
        -------
        ndarray
        """
        return (codes + 0.5 + 0.7 * _spread(len(codes), 0.5698402910)) / len(self.values)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        return [((i + 0.5) / len(self.values), value) for i, value in enumerate(self.values)]


@dataclass(frozen=True)
class Marks:
    """An axis whose ticks are its own values; `at` says where each stands, rising, in any unit.

    Attributes
    ----------
    name : str
        The label of the axis.
    words : tuple of str
        The words of the ticks.
    at : ndarray
        The position of each tick, in rising order, in any unit.

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> import numpy as np
    >>> Marks("rows", ("10", "20"), np.array([10.0, 20.0])).name
    'rows'
    """

    name: str
    words: tuple[str, ...]
    at: np.ndarray

    @classmethod
    def powers(cls, name: str, low: float, high: float) -> "Marks":
        """A logarithmic axis: powers of ten around two numbers above 0, placed by their logarithms.

        Parameters
        ----------
        name : str
            The label of the axis.
        low, high : float
            The numbers between which it must reach.

        Returns
        -------
        Marks
        """
        at = np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1, dtype=float)
        return cls(name, tuple(f"{10.0**power:,g}" for power in at), at)

    def position(self, at: np.ndarray) -> np.ndarray:
        """Positions as shares of the axis, with room at both ends for half of the labels.

        Parameters
        ----------
        at : ndarray
            Numbers in the unit of the axis.

        Returns
        -------
        ndarray
        """
        low, high = float(self.at[0]), float(self.at[-1])
        left, right = (min(max(0.04, self._half(word)), 0.2) for word in (self.words[0], self.words[-1]))
        return left + (1 - left - right) * (at - low) / (high - low) if high > low else np.full(len(at), 0.5)

    def _half(self, word: str) -> float:
        """Half the width of a word, as a share of the axis."""
        return (width_of(word, 12) / 2 + 4) / _ABOUT

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The last value, and of those before it the ones that have room."""
        kept: list[tuple[float, str]] = []
        end = math.inf
        for place, word in zip(self.position(self.at)[::-1].tolist(), self.words[::-1], strict=True):
            half = self._half(word)
            if place + half <= end:
                kept.append((place, word))
                end = place - half
        return kept[::-1]


@dataclass(frozen=True)
class Blank:
    """An axis without ticks, for marks that have words of their own.

    Attributes
    ----------
    low, high : float
        Its ends.
    name : str, default=""
        The label of the axis.
    ticks : tuple, default=()
        It has none.

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> import numpy as np
    >>> Blank(0.0, 4.0).position(np.array([1.0])).tolist()
    [0.25]
    """

    low: float
    high: float
    name: str = ""
    ticks: tuple[tuple[float, str], ...] = ()

    def position(self, values: np.ndarray) -> np.ndarray:
        """Positions as shares of the axis.

        Parameters
        ----------
        values : ndarray
            Numbers between its ends.

        Returns
        -------
        ndarray
        """
        return (values - self.low) / (self.high - self.low)

    jittered = position


def _spread(n: int, turn: float) -> np.ndarray:
    """Numbers from -1/2 to 1/2, evenly spread over any stretch of them; another turn gives others."""
    return np.arange(n) * turn % 1.0 - 0.5


def round_ticks(lowest: float, highest: float) -> tuple[float, float, list[float]]:
    """Bounds a little beyond the values, and round ticks between them.

    >>> round_ticks(0.31, 0.94)[2]
    [0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = (highest - lowest) or abs(highest) or 1.0
    step = 10 ** math.floor(math.log10(span / 2))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 5)
    first, last = math.floor(lowest / step), math.ceil(highest / step)
    if first == last:
        first, last = first - 1, last + 1
    ticks = [round(step * i, 12) for i in range(first, last + 1)]
    return ticks[0], ticks[-1], ticks
