r"""The mixed distance of typed tables, after Gower and HEOM.

    gower   (1 / d) Σ_j δ_j            heom   √Σ_j δ_j²

    numeric   δ = |x - q| / range, at most 1; the range is that of training, largest less smallest
    ordinal   δ = |rank - rank| / (m - 1)
    nominal   δ = 0 where the values are equal, else 1
    missing   δ = 1: as far as can be, also where both are; so is a value that training never saw

A column of numbers that did not vary counts 0 where the query is equal, else 1.

References: Gower (1971), A general coefficient of similarity. Wilson and Martinez (1997), Improved
heterogeneous distance functions.
"""

import math

import numpy as np

from openbook.data import Nominal, Numeric, Ordinal, Schema
from openbook.work import Grid, figure

__all__ = ["MixedDistance", "MixedIndex"]

#: Cells to compare above which a compiled kernel does it: below, it takes longer to load than to do without.
_FEW_CELLS = 1 << 24
#: Distances that are worked out at a time.
_AT_A_TIME = 1 << 22
#: Rows of a block: their sums stay in the first cache.
BLOCK = 64
_NEVER = -2  # the code of a query's cell that no row's cell equals


class MixedDistance:
    """How far apart two rows of a schema are; `ranges` (one a column) are known for numbers only."""

    def __init__(self, schema: Schema, ranges: np.ndarray, kind: str = "gower") -> None:
        self.schema = schema
        self.ranges = ranges
        self.squared = kind == "heom"

    @classmethod
    def of(cls, table, kind="gower") -> "MixedDistance":
        """The distance that goes by the ranges of this table."""
        return cls(table.schema, np.array([_range(table.column(name)) for name in table.names]), kind)

    def split(self, table):
        """The cells as numbers, (n, p), ranks included, and codes, (n, q); NaN and -1 where missing."""
        nominal = table.schema.of(Nominal)
        codes = np.empty((len(table), len(nominal)), np.int32)
        for j, name in enumerate(nominal):
            codes[:, j] = table.data(name)
        others = table.schema.of(Numeric, Ordinal)
        numbers = np.empty((len(table), len(others)))
        for j, name in enumerate(others):
            data = table.data(name)
            ranks = isinstance(table.schema[name], Ordinal)
            numbers[:, j] = np.where(data < 0, np.nan, data) if ranks else data
        return numbers, codes

    @property
    def inverse(self):
        """One over the range of each column of numbers; huge where there is none: any gap counts 1."""
        spans = np.array(
            [s for a, s in zip(self.schema, self.ranges, strict=True) if not isinstance(a, Nominal)]
        )
        huge = np.finfo(float).max
        return np.divide(1.0, spans, out=np.full(len(spans), huge), where=spans > 1 / huge)

    def place(self, table):
        """Queries: as `split` has them, but a code that is none equals no row's."""
        numbers, codes = self.split(table)
        return numbers, np.where(codes < 0, np.int32(_NEVER), codes)

    def whole(self, total):
        """The distance that the sum of the terms amounts to."""
        return np.sqrt(total) if self.squared else total / len(self.schema)

    def term(self, j, a, b):
        """How far two cells of column j are apart, numbers or codes, and how that came about."""
        attribute = self.schema.attributes[j]
        known = math.isfinite(a) and math.isfinite(b) if isinstance(attribute, Numeric) else a >= 0 and b >= 0
        if not known:
            return 1.0, "missing or never seen"
        if isinstance(attribute, Nominal):
            return (0.0, "equal") if a == b else (1.0, "different")
        span = float(self.ranges[j])
        if not span:
            return float(a != b), "did not vary"
        gap = abs(float(a) - float(b)) / span
        how = f"{figure(abs(float(a) - float(b)))} / {figure(span)}"
        return min(gap, 1.0), how if gap <= 1 else f"{how}, at most 1"

    def learnt(self):
        """The grid of the columns and how each counts."""
        rows = []
        for attribute, span in zip(self.schema, self.ranges.tolist(), strict=True):
            if isinstance(attribute, Nominal):
                rows.append((attribute.name, "nominal", "0 if equal, else 1"))
            elif isinstance(attribute, Ordinal):
                rows.append(
                    (attribute.name, "ordinal", f"difference of ranks / {max(len(attribute.values) - 1, 1)}")
                )
            else:
                rows.append((attribute.name, "numeric", f"difference / {figure(span)}, at most 1"))
        return Grid(
            "columns", ("column", "kind", "counts"), rows, "A missing cell counts 1, the largest distance."
        )


class MixedIndex:
    """The rows of a table in blocks, and a search over all of them."""

    name = "brute"
    reason = "the mixed distance compares a row with every other"

    def __init__(self, distance: MixedDistance, table) -> None:
        self.distance = distance
        numbers, codes = distance.split(table)
        self.n = len(numbers)
        self.numbers, self.codes = _blocks(numbers, np.nan), _blocks(codes, -1)
        self.inverse = distance.inverse

    def query(self, points, k):
        """Distances and rows of the k nearest, both (m, k): by distance, of equals the first row."""
        numbers, codes = points
        m, cells = len(numbers), len(numbers) * self.n * (numbers.shape[1] + codes.shape[1])
        if cells > _FEW_CELLS:
            from openbook.neighbors.mixed_kernels import nearest_mixed

            totals, rows = np.full((m, k), np.inf), np.zeros((m, k), np.int64)
            query = (numbers, codes)
            nearest_mixed(
                self.numbers, self.codes, self.inverse, self.distance.squared, self.n, query, totals, rows
            )
        else:
            everything = self._totals(numbers, codes)
            rows = np.argsort(everything, axis=1, kind="stable")[:, :k]
            totals = np.take_along_axis(everything, rows, axis=1)
        return self.distance.whole(totals), rows

    def within(self, points, radius):
        """The rows within the radius of each query, in order: where each query's begin, rows, distances."""
        step = max(_AT_A_TIME // self.n, 1)
        counts, rows, distances = [], [], []
        for start in range(0, len(points[0]), step):
            everything = self.distance.whole(self._totals(*(part[start : start + step] for part in points)))
            near = everything <= radius
            counts.append(near.sum(axis=1))
            rows.append(np.nonzero(near)[1])
            distances.append(everything[near])
        indptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        return indptr, np.concatenate(rows), np.concatenate(distances)

    def _totals(self, numbers, codes):
        """The sums of terms of every query and row, (m, n): as the kernel adds them up, to the last bit."""
        total = np.zeros((len(numbers), self.n))
        for j in range(codes.shape[1]):
            total += codes[:, j, None] != self.codes[:, j].reshape(-1)[: self.n]
        with np.errstate(invalid="ignore", over="ignore"):
            for j, scale in enumerate(self.inverse):
                gap = np.abs(self.numbers[:, j].reshape(-1)[: self.n] - numbers[:, j, None]) * scale
                total += np.where(gap < 1.0, gap * gap if self.distance.squared else gap, 1.0)
        return total


def _blocks(cells, fill):
    """Rows, (n, d), as blocks of columns, (n_blocks, d, BLOCK), filled up."""
    n, d = cells.shape
    n_blocks = -(-n // BLOCK)
    padded = np.full((n_blocks * BLOCK, d), fill, cells.dtype)
    padded[:n] = cells
    return np.ascontiguousarray(padded.reshape(n_blocks, BLOCK, d).transpose(0, 2, 1))


def _range(column):
    if isinstance(column.attribute, Nominal):
        return np.nan
    if isinstance(column.attribute, Ordinal):
        return float(len(column.attribute.values) - 1)
    known = column.data[~np.isnan(column.data)]
    return float(known.max()) - float(known.min()) if len(known) else 0.0
