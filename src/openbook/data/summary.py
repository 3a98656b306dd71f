"""One column in figures.

Every figure is over the known cells: missing cells are counted and left out, and so are infinite numbers.

    quartiles   linear interpolation between the two nearest ranks
    std         sample: sqrt(sum (x - mean)^2 / (n - 1)); None for fewer than two numbers
    skew        sample: n / ((n - 1)(n - 2)) * sum ((x - mean) / std)^3; None below three numbers or for std 0
    histogram   ten bins of equal width from the smallest to the largest number
"""

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import UNSEEN, Categorical, Numeric, Ordinal
from openbook.data.column import Column
from openbook.data.labels import Labels

#: How many of a column's values are kept with their counts.
KEPT_VALUES = 50

_BINS = 10

#: What a reason says where the cells may be read in another way: an option, or a repair.
_ADVICE = ("read with", "add --", "; write them in one", "; convert them to one")

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class NumberSummary:
    """The distribution of a numeric column; `counts[i]` numbers lie between `edges[i]` and `edges[i + 1]`."""

    minimum: float
    q1: float
    median: float
    q3: float
    maximum: float
    mean: float
    std: float | None
    skew: float | None
    counts: tuple[int, ...]
    edges: tuple[float, ...]

    @property
    def shown_mean(self) -> float:
        """The mean, and 0 if only rounding is left of a sum that cancels."""
        return self.mean if abs(self.mean) > 1e-12 * (self.std or 0.0) else 0.0


@dataclass(frozen=True)
class Lengths:
    """How many characters the cells of a text column have."""

    shortest: int
    median: float
    longest: int


@dataclass(frozen=True)
class ColumnSummary:
    """What one column holds.

    Parameters
    ----------
    why : str
        The reason for the kind, where it was guessed.
    missing, infinite, unseen : int
        Cells that are empty, that are infinite, that hold a value the schema does not list.
    distinct : int
        Different values among the others.
    numbers : Numbers or None
        For a numeric column with at least one finite number.
    top_values : tuple of (value, count)
        Nominal: the most frequent first. Ordinal: in their order. At most 50, so the counts need not add up.
        Labels: every label with the rows that have it.
    lengths : Lengths or None
        For a text column with at least one known cell.
    zone, format : str
        For a column of dates, the time zone in which they are shown, empty for none, and how they were
        written.
    """

    name: str
    kind: str
    why: str
    rows: int
    missing: int
    distinct: int
    infinite: int = 0
    unseen: int = 0
    numbers: NumberSummary | None = None
    top_values: tuple[tuple[str, int], ...] = ()
    lengths: Lengths | None = None
    zone: str = ""
    format: str = ""

    @property
    def is_unclear(self) -> bool:
        """Whether the cells can be read in another way, which the reason for the kind tells."""
        return any(advice in self.why for advice in _ADVICE)

    @property
    def known(self) -> int:
        """Cells that are not missing."""
        return self.rows - self.missing

    @property
    def missing_share(self) -> float:
        return self.missing / self.rows if self.rows else 0.0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "missing_share": self.missing_share}


@dataclass(frozen=True)
class ColumnFacts:
    """A column's summary with the arrays that findings look at.

    Parameters
    ----------
    ordered : float64, the finite numbers in ascending order (numeric columns)
    names : the distinct values (other kinds)
    counts : how often each of `names` occurs; for numeric columns, each distinct finite number
    """

    summary: ColumnSummary
    ordered: Array
    names: tuple[str, ...]
    counts: Array


def measure(column: Column, why: str = "") -> ColumnFacts:
    """Count and measure one column."""
    if isinstance(column.attribute, Numeric):
        return _measure_numbers(column, why)
    if isinstance(column.attribute, Categorical):
        return _measure_codes(column, column.attribute, why)
    return _measure_text(column, why)


def _facts(column: Column, why: str) -> tuple[str, str, str, int]:
    """The first fields of every summary: name, kind, its reason, and the number of rows."""
    return column.name, column.attribute.kind, why, len(column)


def _measure_numbers(column: Column, why: str) -> ColumnFacts:
    ordered = np.sort(column.data.astype(np.float64, copy=False))  # -inf first, then numbers, +inf, NaN
    low, high, known = np.searchsorted(ordered, [-np.finfo(float).max, np.inf, np.nan])
    finite = ordered[low:high]
    counts = _run_lengths(finite)
    summary = ColumnSummary(
        *_facts(column, why),
        missing=len(column) - int(known),
        distinct=len(counts) + int(low > 0) + int(high < known),
        infinite=int(low + known - high),
        numbers=numbers(finite) if len(finite) else None,
        zone=getattr(column.attribute, "zone", ""),
        format=getattr(column.attribute, "format", ""),
    )
    return ColumnFacts(summary, finite, (), counts)


def numbers(ordered: Array) -> NumberSummary:
    """The distribution of finite numbers in ascending order; there must be one at least."""
    # A power of two divides without rounding, and keeps the sums of squares and cubes from overflowing.
    scale = math.ldexp(1.0, math.frexp(max(abs(ordered[0]), abs(ordered[-1])))[1] - 1)
    x = ordered / scale
    mean = float(x[0] if x[0] == x[-1] else x.mean())
    std, skew = _spread(x - mean)
    minimum, q1, median, q3, maximum = (scale * np.quantile(x, [0, 0.25, 0.5, 0.75, 1])).tolist()
    edges = np.linspace(x[0], x[-1], _BINS + 1)
    below = np.searchsorted(x, edges[1:-1], side="left")
    counts = np.diff(below, prepend=0, append=len(x))
    return NumberSummary(
        *(minimum, q1, median, q3, maximum),
        mean=scale * mean,
        std=None if std is None else scale * std,
        skew=skew,
        counts=tuple(counts.tolist()),
        edges=tuple((scale * edges).tolist()),
    )


def _spread(deviations: Array) -> tuple[float | None, float | None]:
    """Sample standard deviation and skew of numbers given as deviations from their mean."""
    n = len(deviations)
    if n < 2:
        return None, None
    std = math.sqrt(float(deviations @ deviations) / (n - 1))
    if n < 3 or std == 0:
        return std, None
    z = deviations / std
    return std, n / ((n - 1) * (n - 2)) * float((z * z) @ z)


def _run_lengths(ordered: Array) -> Array:
    """How often each distinct number occurs, in ascending order."""
    starts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    ends = np.append(starts, len(ordered)) if len(ordered) else starts
    return np.diff(ends, prepend=0)


def _measure_codes(column: Column, attribute: Categorical, why: str) -> ColumnFacts:
    tally = np.bincount(column.data.astype(np.intp) - UNSEEN, minlength=len(attribute.values) + 2)
    unseen, missing, every = int(tally[0]), int(tally[1]), tally[2:]
    seen = np.flatnonzero(every)
    names, counts = tuple(attribute.values[code] for code in seen), every[seen]
    if isinstance(attribute, Labels):
        top_values = _with_label(attribute, every)
    else:
        top_values = _kept(names, counts, in_order=isinstance(attribute, Ordinal))
    own = _facts(column, why)
    summary = ColumnSummary(*own, missing, len(names), unseen=unseen, top_values=top_values)
    return ColumnFacts(summary, np.empty(0), names, counts)


def _with_label(attribute: Labels, rows: Array) -> tuple[tuple[str, int], ...]:
    """The labels with the rows that have them, the most frequent first; `rows` are those of each set."""
    counts = rows @ attribute.has
    order = np.argsort(-counts, kind="stable")
    return tuple((attribute.labels[j], int(counts[j])) for j in order.tolist() if counts[j])


def _kept(names: tuple[str, ...], counts: Array, *, in_order: bool) -> tuple[tuple[str, int], ...]:
    largest = np.argsort(-counts, kind="stable")[:KEPT_VALUES]
    kept = np.sort(largest) if in_order else largest
    return tuple((names[i], int(counts[i])) for i in kept)


def _measure_text(column: Column, why: str) -> ColumnFacts:
    tally = Counter(column.data.tolist())
    missing = tally.pop(None, 0)
    names = tuple(tally)
    counts = np.fromiter(tally.values(), np.int64, len(tally))
    characters = np.repeat(np.fromiter(map(len, names), np.int64, len(names)), counts)
    lengths = None
    if len(characters):
        lengths = Lengths(int(characters.min()), float(np.median(characters)), int(characters.max()))
    summary = ColumnSummary(*_facts(column, why), missing, len(names), lengths=lengths)
    return ColumnFacts(summary, np.empty(0), names, counts)
