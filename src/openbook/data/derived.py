"""Columns that learners derive from those of a table: words, directions of texts, parts of dates, intervals,
means of the target.

A derived column is part of a model's schema. A table brings the column that it comes from, its source, and
`conform` derives it anew. Missing cells of the source are missing here, too; a missing text has no words.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import DERIVED, MISSING, Datetime, Nominal, Numeric
from openbook.errors import DataError

#: The words that a direction is named by.
_NAMED_WORDS = 3


@dataclass(frozen=True, repr=False)
class Word(Numeric):
    """How often a word occurs in the texts of another column, which a learner derived: "good" in "review".

    Attributes
    ----------
    name : str
        The name of the column.
    unit : str, default=""
        Empty: a count has no unit.
    decimal : str, default="."
        The sign before the decimals.
    thousands : str, default=""
        Empty: counts are not written.
    text : str, default=""
        The name of the column of texts.
    word : str, default=""
        The word.
    score : float, default=0.0
        How informative the word is about the target in the training rows (chi-squared).
    sparse : bool, default=False
        Whether rows keep the counts of words in a sparse matrix.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> Word.of("review", "good").name
    'review: good'
    """

    text: str = field(default="", kw_only=True)
    word: str = field(default="", kw_only=True)
    score: float = field(default=0.0, kw_only=True, compare=False)
    sparse: bool = field(default=False, kw_only=True)

    is_plain: ClassVar[bool] = True

    @classmethod
    def of(cls, text: str, word: str, score: float = 0.0, *, sparse: bool = False) -> Self:
        """The word of this column of texts.

        Parameters
        ----------
        text : str
            The name of the column of texts.
        word : str
            The word.
        score : float, default=0.0
            Chi-squared of the word and the target.
        sparse : bool, default=False
            Whether rows keep the counts in a sparse matrix.

        Returns
        -------
        Word
        """
        return cls(f"{text}: {word}", text=text, word=word, score=score, sparse=sparse)

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:
        text, word, score = record.get("text"), record.get("word"), record.get("score", 0.0)
        if not isinstance(text, str) or not isinstance(word, str) or not isinstance(score, float):
            raise DataError(f"attribute {name!r}: text and word must be strings, and score a number")
        return cls.of(text, word, score, sparse=record.get("sparse") is True)


@dataclass(frozen=True, repr=False)
class Direction(Numeric):
    """Where a text lies along a direction of its words, which a learner derived: a weighted sum of words.

    Attributes
    ----------
    name : str
        The name of the column.
    unit : str, default=""
        Empty: it has no unit.
    decimal : str, default="."
        The sign before the decimals.
    thousands : str, default=""
        Empty: directions are not written.
    text : str, default=""
        The name of the column of texts.
    words : tuple of str, default=()
        The words that have a weight, in order; the same for all directions of a column.
    weights : tuple of float, default=()
        The weight of each.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> Direction.of("review", 1, ("bad", "good", "the"), (-0.6, 0.8, 0.0)).name
    'review 1: +good -bad'
    """

    text: str = field(default="", kw_only=True)
    words: tuple[str, ...] = field(default=(), kw_only=True)
    weights: tuple[float, ...] = field(default=(), kw_only=True)

    is_plain: ClassVar[bool] = True

    @classmethod
    def of(cls, text: str, number: int, words: tuple[str, ...], weights: tuple[float, ...]) -> Self:
        """The direction of that number of a column of texts, named by its weightiest words.

        Parameters
        ----------
        text : str
            The name of the column of texts.
        number : int
            Which direction it is, from 1 on.
        words : tuple of str
            The words, in order.
        weights : tuple of float
            The weight of each.

        Returns
        -------
        Direction
        """
        direction = cls(f"{text} {number}", text=text, words=words, weights=weights)
        largest = direction.largest(_NAMED_WORDS)
        shown = " ".join(f"{'+' if weight > 0 else '-'}{word}" for word, weight in largest)
        return replace(direction, name=f"{direction.name}: {shown}")

    def largest(self, count: int) -> list[tuple[str, float]]:
        """The words of the largest weights, with these; of equal weights, the words that come first.

        Parameters
        ----------
        count : int
            How many words at most; words without a weight are left out.

        Returns
        -------
        list of (str, float)
        """
        rounded = [round(abs(weight), 9) for weight in self.weights]  # rounding errors decide nothing
        order = sorted(range(len(rounded)), key=lambda i: -rounded[i])[:count]
        return [(self.words[i], self.weights[i]) for i in order if rounded[i]]

    def __repr__(self) -> str:
        return f"Direction(name={self.name!r})"

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"words": list(self.words), "weights": list(self.weights)}

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:
        text, words, weights = (record.get(key) for key in ("text", "words", "weights"))
        if not (isinstance(text, str) and isinstance(words, list) and isinstance(weights, list)) or not all(
            isinstance(word, str) for word in words
        ):
            raise DataError(f"attribute {name!r}: text and words must be strings, and weights numbers")
        if len(words) != len(weights) or len(set(words)) != len(words) or not _finite(weights):
            raise DataError(f"attribute {name!r}: each word must be there once, and have a finite weight")
        return cls(name, text=text, words=tuple(words), weights=tuple(weights))


#: The values of the parts of dates that go round.
CYCLES = {
    "quarter": ("Q1", "Q2", "Q3", "Q4"),
    "month": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "weekday": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "hour": tuple(map(str, range(24))),
}


@dataclass(frozen=True)
class DatePart(Nominal):
    """A part of the dates of another column, which a learner derived: the month of "sold".

    Attributes
    ----------
    name : str
        The name of the column.
    values : tuple of str, default=()
        The values, in order.
    rest : str or None, default=None
        None: no value is a pool of others.
    cyclic : bool, default=False
        True: the values go round.
    needed : float, default=0.0
        0: no value is pooled.
    date : str, default=""
        The name of the column of dates.
    part : str, default="month"
        "quarter", "month", "weekday" or "hour".
    p : float, default=1.0
        The p-value of the test that the part is informative about the target, in the training rows; 1 if it
        was not tested.
    format, zone : str, default="y-m-d" and ""
        Those of the dates.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> weekday = DatePart.of(Datetime("sold"), "weekday")
    >>> weekday.name, weekday.values[:2]
    ('sold weekday', ('Mon', 'Tue'))
    """

    date: str = field(default="", kw_only=True)
    part: str = field(default="month", kw_only=True)
    p: float = field(default=1.0, kw_only=True, compare=False, repr=False)
    format: str = field(default="y-m-d", kw_only=True, repr=False)
    zone: str = field(default="", kw_only=True, repr=False)

    @property
    def whole(self) -> Datetime:
        """The column of dates."""
        return Datetime(self.date, format=self.format, zone=self.zone)

    @classmethod
    def of(cls, date: Datetime, part: str, p: float = 1.0) -> Self:
        """The part of this column of dates.

        Parameters
        ----------
        date : Datetime
            The column of dates.
        part : str
            "quarter", "month", "weekday" or "hour".
        p : float, default=1.0
            The p-value of the test that it is informative about the target.

        Returns
        -------
        DatePart
        """
        name, own = f"{date.name} {part}", {"format": date.format, "zone": date.zone}
        return cls(name, CYCLES[part], cyclic=True, date=date.name, part=part, p=p, **own)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        own = ("date", "part", "p", "format", "zone")
        return super().to_json() | {name: getattr(self, name) for name in own}

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:
        date, part, p = record.get("date"), record.get("part"), record.get("p", 1.0)
        if not isinstance(date, str) or part not in CYCLES or not isinstance(p, float):
            raise DataError(
                f"attribute {name!r}: date must be a column, part one of {', '.join(CYCLES)}, and p a number"
            )
        return cls.of(Datetime.rebuilt(date, {**record, "name": date}), part, p)


@dataclass(frozen=True)
class Intervals(Nominal):
    """Numbers as the intervals in which they lie, between cuts that a learner found; tables bring numbers.

    Attributes
    ----------
    name : str
        The name of the column.
    values : tuple of str, default=()
        The intervals, such as "(18, 65]", from the lowest to the highest.
    rest : str or None, default=None
        None: no interval is a pool of others.
    cyclic : bool, default=False
        False: intervals do not go round.
    needed : float, default=0.0
        0: no interval is pooled.
    number : Numeric
        The column of numbers or dates.
    cuts : tuple of float, default=()
        The ends of the intervals, the last one's aside; each belongs to the interval below it.

    Notes
    -----
    Guide: docs/guide/trees.md

    Examples
    --------
    >>> ages = Intervals.of(Numeric("age"), [18, 65])
    >>> ages.values
    ('<= 18', '(18, 65]', '> 65')
    >>> ages.codes_of(np.array([18.0, 30.0, np.nan])).tolist()
    [0, 1, -1]
    """

    number: Numeric = field(default_factory=lambda: Numeric(""), kw_only=True)
    cuts: tuple[float, ...] = field(default=(), kw_only=True)

    @classmethod
    def of(cls, number: Numeric, cuts: Any) -> Self:
        """The intervals of a column of numbers between these cuts.

        Parameters
        ----------
        number : Numeric
            The column.
        cuts : sequence of float
            In ascending order.

        Returns
        -------
        Intervals
        """
        ends = tuple(float(cut) for cut in cuts)
        return cls(number.name, number.interval_names(ends), number=number, cuts=ends)

    @property
    def is_open(self) -> bool:
        return False

    def codes_of(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The code of the interval of each number; MISSING where there is none.

        Parameters
        ----------
        numbers : ndarray of float
            The numbers; NaN if one is missing.

        Returns
        -------
        ndarray of int
        """
        codes = np.searchsorted(self.cuts, numbers)
        return np.where(np.isnan(numbers), MISSING, codes).astype(self.dtype)

    def spans(self, values: Collection[str]) -> list[tuple[float, float]]:
        """The ends of these intervals, neighbouring ones joined.

        Parameters
        ----------
        values : collection of str
            Some of `values`.

        Returns
        -------
        list of (float, float)
            Each from above its first number to its last.
        """
        ends = (-math.inf, *self.cuts, math.inf)
        joined: list[tuple[float, float]] = []
        for value, span in zip(self.values, pairwise(ends), strict=True):
            if value not in values:
                continue
            if joined and joined[-1][1] == span[0]:
                joined[-1] = (joined[-1][0], span[1])
            else:
                joined.append(span)
        return joined

    def renamed(self, name: str) -> Self:
        return replace(self, name=name, number=self.number.renamed(name))

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"number": self.number.to_json(), "cuts": list(self.cuts)}

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:
        number, cuts = record.get("number"), record.get("cuts")
        if not isinstance(number, dict) or not isinstance(cuts, list) or not _ascend(cuts):
            msg = f"attribute {name!r}: number must be a column, and cuts finite numbers in ascending order"
            raise DataError(msg)
        kind = Datetime if number.get("kind") == Datetime.kind else Numeric
        return cls.of(kind.rebuilt(name, number), cuts)


@dataclass(frozen=True, repr=False)
class TargetMean(Numeric):
    """The mean of the target among the rows of each value of another column, drawn to the mean of all rows.

        (n mean + n0 overall) / (n + n0)

    Attributes
    ----------
    name : str
        The name of the column.
    unit : str, default=""
        Empty: the unit is the target's.
    decimal : str, default="."
        The sign before the decimals.
    thousands : str, default=""
        Empty: means are not written.
    by : Nominal
        The column of values.
    rows : tuple of float, default=()
        For each value the training rows n that have it; one that has none counts as not seen.
    means : tuple of float, default=()
        For each value the mean of the target among them; of a class, its share.
    needed : float, default=0.0
        The rows n0 that the mean of all rows counts for.
    overall : float, default=0.0
        The mean of all rows, which a value not seen in training has.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> town = Nominal("town", ("Bonn", "Ulm"))
    >>> price = TargetMean("price", by=town, rows=(1, 6), means=(9.0, 4.0), needed=2.0, overall=5.0)
    >>> price.cells(np.array([0, 1, -1, -2])).tolist()  # Bonn, Ulm, missing, a town never seen
    [6.333333333333333, 4.25, nan, 5.0]
    """

    by: Nominal = field(default_factory=lambda: Nominal(""), kw_only=True)
    rows: tuple[float, ...] = field(default=(), kw_only=True)
    means: tuple[float, ...] = field(default=(), kw_only=True)
    needed: float = field(default=0.0, kw_only=True)
    overall: float = field(default=0.0, kw_only=True)

    is_plain: ClassVar[bool] = True

    @property
    def seen(self) -> tuple[str, ...]:
        """The values that training showed."""
        return tuple(value for value, n in zip(self.by.values, self.rows, strict=True) if n)

    @cached_property
    def _lookup(self) -> npt.NDArray[np.float64]:
        rows = np.array(self.rows, dtype=np.float64)
        return shrunken(rows, rows * self.means, self.needed, self.overall)

    def cells(self, codes: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The numbers instead of the values.

        Parameters
        ----------
        codes : ndarray of int
            Codes of `by`.

        Returns
        -------
        ndarray of float
        """
        return self._lookup[codes]

    def _written(self) -> dict[str, Any]:
        return {}

    def to_json(self) -> dict[str, Any]:
        figures = {"needed": self.needed, "overall": self.overall}
        lists = {"rows": list(self.rows), "means": list(self.means)}
        return super().to_json() | {"by": self.by.to_json()} | figures | lists

    @classmethod
    def rebuilt(cls, name: str, record: Mapping[str, Any]) -> Self:
        by, rows, means = (record.get(part) for part in ("by", "rows", "means"))
        if not (isinstance(by, dict) and isinstance(rows, list) and isinstance(means, list)):
            raise DataError(f"attribute {name!r}: a column, its rows and its means are needed")
        column, figures = Nominal.from_json(by), [record.get("needed"), record.get("overall"), *rows, *means]
        if type(column) is not Nominal or {len(rows), len(means)} != {len(column.values)}:
            raise DataError(f"attribute {name!r}: each value of a nominal column needs its rows and its mean")
        if not _finite(figures) or min(figures[0], *rows, 0) < 0:
            raise DataError(f"attribute {name!r}: rows and means must be finite, and rows not negative")
        needed, overall = figures[:2]
        return cls(name, by=column, rows=tuple(rows), means=tuple(means), needed=needed, overall=overall)


def shrunken(
    rows: npt.NDArray[Any], sums: npt.NDArray[Any], needed: float, overall: Any
) -> npt.NDArray[np.float64]:
    """The cell of each value, of its rows and the sum of the target over them, on the last axis; behind them
    those of a value that is not among them, and of a missing one.

    >>> shrunken(np.array([1.0, 0.0]), np.array([9.0, 0.0]), 0.0, 5.0).tolist()
    [9.0, 5.0, 5.0, nan]
    """
    weight, ends = rows + needed, np.broadcast_to(overall, (*rows.shape[:-1], 1))
    drawn = np.divide(sums + needed * ends, weight, out=np.array(ends + 0 * weight), where=weight > 0)
    return np.concatenate([drawn, ends, np.full_like(ends, math.nan, dtype=np.float64)], axis=-1)


def _ascend(cuts: list[Any]) -> bool:
    """Whether these are finite numbers, each larger than the one before."""
    return _finite(cuts) and all(low < high for low, high in pairwise(cuts))


def _finite(numbers: list[Any]) -> bool:
    return all(isinstance(number, float | int) and math.isfinite(number) for number in numbers)


DERIVED.update(word=Word, words=Direction, part=DatePart, cuts=Intervals, means=TargetMean)
