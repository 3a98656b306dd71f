r"""The mixed distance of typed tables, after Gower and HEOM.

    gower   (1 / d) Σ_j δ_j            heom   √Σ_j δ_j²

    numeric   δ = |x - q| / range, at most 1; the range is that of training, largest less smallest; robust,
              that of the cells within the outer fences (below), and δ may exceed 1
    ordinal   δ = |rank - rank| / (m - 1)
    nominal   δ = 0 where the values are equal, else 1; of a cycle of m values, as months are, the steps from
              one to the other, the shorter way round, / ⌊m / 2⌋
    missing   δ = 1, the largest difference, also if both are missing; so does an unseen value

A column of numbers that did not vary counts 0 if the query is equal, else 1. Robust, a missing cell is as far
from a number as the median is, and δ is at least 1: no gross error is near to a row that lacks the cell.

The outer fences (Tukey) keep gross errors from setting the scale of a column:

    Q1 - 3 (Q3 - Q1) ≤ x ≤ Q3 + 3 (Q3 - Q1)

Where more than half of the cells are equal, so that the quartiles may coincide, the fences are those of the
other cells and the repeated number itself always counts; where those coincide too, every cell counts.

References: Gower (1971), A general coefficient of similarity. Wilson and Martinez (1997), Improved
heterogeneous distance functions.
"""

import math
from functools import cached_property

import numpy as np

from openbook.data import Categorical, Nominal, Numeric, Ordinal, Schema
from openbook.spaces.index import nearest_of
from openbook.words.numbers import figure
from openbook.work import Grid

#: Cells to compare above which a compiled kernel does it: below, it takes longer to load than to do without.
_FEW_CELLS = 1 << 24
#: The most distances that are computed at a time.
_AT_A_TIME = 1 << 22
#: The most that a robust term may be: far beyond any gross error, and its square is still a number.
_MOST = 1e6
#: Interquartile ranges from a quartile to its outer fence.
_OUTER = 3.0
#: So many standard deviations from the mean, a glance looks for quarters of the cells: normal ones have 27%
#: there, and reach no further than the fences then are.
_GLANCE = 0.6


class MixedDistance:
    """The distance of two rows of a schema; `ranges` (one per column) are NaN for nominal columns.

    With `medians` it is robust: cells far outside do not count for the ranges, and their terms may exceed 1.
    """

    def __init__(
        self, schema: Schema, ranges: np.ndarray, kind: str = "gower", medians: np.ndarray | None = None
    ) -> None:
        self.schema, self.ranges = schema, ranges
        self.kind, self.squared = kind, kind == "heom"
        self.robust = medians is not None
        self.medians = np.full(len(ranges), np.nan) if medians is None else medians

    @classmethod
    def of(cls, table, kind="gower", *, robust=False) -> "MixedDistance":
        """The distance with the ranges of this table."""
        columns = [table.column(name) for name in table.names]
        ranges = np.array([_range(column, robust=robust) for column in columns])
        return cls(table.schema, ranges, kind, np.array(list(map(_median, columns))) if robust else None)

    def coordinates(self, table):
        """The cells as numbers, (n, p), and codes, (n, q); NaN and below 0 where missing.

        Ranks, and values that go round, are numbers, too.
        """
        steps = [_has_steps(attribute) for attribute in table.schema]
        numbers = np.empty((len(table), sum(steps)))
        codes = np.empty((len(table), len(steps) - sum(steps)), np.int32)
        to_number, to_code = iter(numbers.T), iter(codes.T)
        for attribute, data, has_steps in zip(table.schema, table.columns, steps, strict=True):
            if has_steps:
                is_code = isinstance(attribute, Categorical)
                next(to_number)[:] = np.where(data < 0, np.nan, data) if is_code else data
            else:
                next(to_code)[:] = data
        return numbers, codes

    def points(self, numbers, codes):
        """Such cells as kernels see them."""
        from openbook.spaces.points import GOWER, HEOM, Points

        return Points.of(numbers, codes, self.scales, HEOM if self.squared else GOWER)

    @property
    def scales(self):
        """One over the range of each column of numbers, the most that a term may be, median, period, (4, p).

        Where there is no range, any gap counts 1; where nothing goes round, the period is 0.
        """
        numbers = np.array([_has_steps(a) for a in self.schema], dtype=bool)
        periods = np.array([_period(a) for a in self.schema], dtype=float)[numbers]
        spans, medians = self.ranges[numbers], self.medians[numbers]
        huge = np.finfo(float).max
        varies = spans > 1 / huge
        inverse = np.divide(1.0, spans, out=np.full(len(spans), huge), where=varies)
        return np.stack([inverse, np.where(varies & self.robust, _MOST, 1.0), medians, periods])

    def whole(self, total):
        """The distance that the sum of the terms amounts to."""
        return np.sqrt(total) if self.squared else total / len(self.schema)

    def term(self, j, a, b):
        """The term of two cells of column j, numbers or codes, and its derivation in words."""
        attribute = self.schema.attributes[j]
        known = math.isfinite(a) and math.isfinite(b) if isinstance(attribute, Numeric) else a >= 0 and b >= 0
        if not known:
            return self._lacking(j, a, b)
        if not _has_steps(attribute):
            return (0.0, "equal") if a == b else (1.0, "different")
        span, steps = float(self.ranges[j]), abs(float(a) - float(b))
        if not span:
            return float(a != b), "did not vary"
        if period := _period(attribute):
            steps = min(steps, period - steps)
        gap, most = steps / span, _MOST if self.robust else 1.0
        how = f"{figure(steps)} / {figure(span)}"
        return min(gap, most), how if gap <= most else f"{how}, at most {most:,.0f}"

    def _lacking(self, j, a, b):
        """The term of column j where a cell is missing."""
        away = [abs(float(x) - self.medians[j]) for x in (a, b) if math.isfinite(x)]
        gap, span = max(away, default=0.0), float(self.ranges[j])
        if not (isinstance(self.schema.attributes[j], Numeric) and gap > span > 0):  # NaN is not
            return 1.0, "missing or never seen"
        return min(gap / span, _MOST), f"missing; from the median {figure(gap)} / {figure(span)}"

    def learnt(self):
        """The grid of the columns and how each counts."""
        rows = []
        for attribute, span in zip(self.schema, self.ranges.tolist(), strict=True):
            if _period(attribute):
                rule = "nominal, cyclic", f"steps, the shorter way / {figure(span)}"
            elif isinstance(attribute, Nominal):
                rule = "nominal", "0 if equal, else 1"
            elif isinstance(attribute, Ordinal):
                rule = "ordinal", f"difference of ranks / {max(len(attribute.values) - 1, 1)}"
            else:
                rule = "numeric", f"difference / {figure(span)}{'' if self.robust else ', at most 1'}"
            rows.append((attribute.name, *rule))
        note = "A missing cell counts 1, the largest distance."
        if self.robust:
            note = "A missing cell counts 1 or more. Ranges are those of the numbers within the outer fences."
        return Grid("columns", ("column", "kind", "counts"), rows, note)


class MixedIndex:
    """The rows of a table under a mixed distance, and a search over all of them."""

    name = "brute"
    reason = "the mixed distance compares a row with every other"
    order = None

    def __init__(self, distance: MixedDistance, table) -> None:
        self.distance = distance
        self.numbers, self.codes = distance.coordinates(table)
        self.n = len(self.numbers)

    @cached_property
    def points(self):
        """The rows as kernels see them."""
        return self.distance.points(self.numbers, self.codes)

    def query(self, points, k):
        """Distances and rows of the k nearest, both (m, k), by distance; ties: the first row."""
        m = len(points[0])
        if self._are_many(points):
            from openbook.spaces.points import nearest_mixed

            totals, rows = np.full((m, k), np.inf), np.zeros((m, k), np.int64)
            nearest_mixed(self.points, *points, totals, rows)
        else:
            totals, rows = nearest_of(self._totals(*points), k)
        return self.distance.whole(totals), rows

    def among(self, k, rows=slice(None)):
        """`query` of the rows themselves, all or some of them."""
        return self.query((self.numbers[rows], self.codes[rows]), k)

    def within(self, points, radius):
        """The rows within the radius of each query, in order: where each query's begin, rows, distances."""
        return within_blocks(self.distances, points, self.n, radius)

    def distances(self, points):
        """Every query to every row, (m, n)."""
        if self._are_many(points):
            from openbook.spaces.points import between

            return between(self.points, *points)
        return self.distance.whole(self._totals(*points))

    def _are_many(self, points):
        return len(points[0]) * self.n * (self.numbers.shape[1] + self.codes.shape[1]) > _FEW_CELLS

    def _totals(self, numbers, codes):
        """The sums of terms of every query and row, (m, n): as the kernel adds them up, to the last bit."""
        total = np.zeros((len(numbers), self.n))
        for j in range(codes.shape[1]):
            total += (codes[:, j, None] != self.codes[:, j]) | (codes[:, j, None] < 0)
        with np.errstate(invalid="ignore", over="ignore"):
            for j, (scale, most, median, period) in enumerate(self.distance.scales.T):
                rows, queries = self.numbers[:, j], numbers[:, j, None]
                gap = np.abs(rows - queries)
                gap = (np.minimum(gap, period - gap) if period else gap) * scale
                lacking = np.fmax(np.fmax(np.abs(rows - median), np.abs(queries - median)) * scale, 1.0)
                term = np.minimum(np.where(np.isnan(gap), lacking, gap), most)
                total += term * term if self.distance.squared else term
        return total


def within_blocks(distances, points, n, radius):
    """The rows within the radius of each query, in order, where `distances` are those of a block to n rows.

    points : arrays with a line for each query. Gives where each query's rows begin, the rows, the distances.
    """
    step = max(_AT_A_TIME // n, 1)
    counts, rows, found = [np.zeros(1, np.int64)], [], []
    for start in range(0, max(len(points[0]), 1), step):
        block = distances(tuple(part[start : start + step] for part in points))
        near = block <= radius
        counts.append(near.sum(axis=1))
        rows.append(np.nonzero(near)[1])
        found.append(block[near])
    return np.cumsum(np.concatenate(counts)), np.concatenate(rows), np.concatenate(found)


def _median(column):
    """The median of known numbers; of other columns none is asked for."""
    if not isinstance(column.attribute, Numeric):
        return np.nan
    known = column.data[~np.isnan(column.data)]
    return float(np.median(known)) if len(known) else np.nan


def _has_steps(attribute):
    """Whether cells are so far apart, as numbers, ranks and months are; others are equal or not."""
    return not isinstance(attribute, Nominal) or attribute.cyclic


def _period(attribute):
    """After how many steps a column is where it was; 0 if it does not go round."""
    return len(attribute.values) if isinstance(attribute, Nominal) and attribute.cyclic else 0


def _range(column, *, robust):
    if isinstance(column.attribute, Nominal):
        period = _period(column.attribute)
        return float(period // 2) if period else np.nan
    if isinstance(column.attribute, Ordinal):
        return float(len(column.attribute.values) - 1)
    known = column.data[~np.isnan(column.data)]
    known = within_fences(known) if robust else known
    return float(known.max()) - float(known.min()) if len(known) else 0.0


def within_fences(known):
    """The cells that set the scale of a column.

    >>> within_fences(np.array([1.0, 2, 3, 4, 5, 900])).tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0]
    >>> within_fences(np.array([0.0, 0, 0, 0, 0, 0, 10, 11, 12, 13, 9999])).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 10.0, 11.0, 12.0, 13.0]
    """
    return known[inside_fences(known[:, None])[:, 0]]


def inside_fences(known):
    """Which cells of columns, (n, p) and none missing, set the scale of their column."""
    if not len(known):
        return np.zeros(known.shape, dtype=bool)
    ordered = np.sort(known, axis=0)
    low, middle, high = (_quantile(ordered, share) for share in (0.25, 0.5, 0.75))
    for j in np.flatnonzero(low == high):
        others = ordered[ordered[:, j] != middle[j], j]
        if len(others):
            low[j], high[j] = _quantile(others, 0.25), _quantile(others, 0.75)
    reach = np.where(low == high, np.inf, _OUTER * (high - low))
    return ((known >= low - reach) & (known <= high + reach)) | (known == middle)


def surely_inside(cells, mean, deviation):
    """Columns, (n, p), whose cells all set the scale, as a glance tells without sorting them.

    Where a quarter of the cells lies below a and a quarter above b, the quartiles are at least as far apart,
    and so are the fences. A missing cell leaves it open.

    mean, deviation : (p,), whatever they are; those of the cells tell it most often
    """
    n, a, b = len(cells), mean - _GLANCE * deviation, mean + _GLANCE * deviation
    below, above = (cells <= a).sum(axis=0), (cells >= b).sum(axis=0)
    apart = (below >= (n - 1) // 4 + 2) & (above >= n - 3 * (n - 1) // 4)
    reach = _OUTER * (b - a)
    return apart & (cells.min(axis=0) >= a - reach) & (cells.max(axis=0) <= b + reach)


def _quantile(ordered, share):
    """The number below which this share of ordered ones lies, between two of them in proportion."""
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])
