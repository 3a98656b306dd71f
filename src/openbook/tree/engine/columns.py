"""Training rows as the engine sees them: every column sorted once, or coded.

    sorted     the rows in ascending order, as keys (see `keys`)
    ordered    codes of ranks (few distinct numbers, ordinal values) or of bins
    nominal    codes of values
    drawn      the numbers themselves, if cuts are drawn at random: nothing is sorted or counted

The code of a missing cell is the number of codes; with `gap_codes`, a nominal column with missing cells has
one code more for them, as if missing were a value. Ranks give exact cuts, halfway between neighbouring
numbers of a node. With `bins`, a numeric column of more distinct numbers is first divided into so many bins
of about equal weight, and cuts fall between bins only: a cell takes one byte instead of four, and nothing is
sorted. With more than SAMPLE rows, the bins are computed from a sample: the rows whose positions have the
smallest hashes. So the bins do not depend on how the rows are divided into chunks, in memory or in files.
"""

import math
from functools import partial
from itertools import accumulate
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from openbook.border.rows import infinite_cell
from openbook.data import Categorical, Nominal, Numeric
from openbook.errors import RefusalError
from openbook.fold import ROUNDING, Piece, each
from openbook.kernels.jit import jit
from openbook.tree.engine.keys import MISSING, ROW, check_rows, rank_few, sort_rows
from openbook.tree.engine.nodes import cells
from openbook.tree.engine.scales import DrawnScales, Edges, Scales, Sorted, midpoint

SORTED, ORDERED, NOMINAL, DRAWN = range(4)

#: A numeric column of at most so many distinct numbers is coded: counting is faster than sorting.
FEW = 255
#: Up to so many rows are sorted, and cells coded, without kernels, which would have to be compiled.
FEW_ROWS, FEW_CELLS = 512, 2**14
#: A nominal column has many values if there are this share of the number of rows.
MANY = 0.3
#: The size of the sample that bins are computed from.
SAMPLE = 200_000
#: So many cells are sorted at once to compute bins.
CELLS_TOGETHER = 2**20
#: Columns of more than LONG rows are copied several together, so many rows at a time: the columns of a matrix
#: are interleaved in memory, which is then read once.
LONG, TOGETHER, AT_ONCE = 2**18, 4, 16384


#: A column: its kind; its row in the keys, or its column in the codes; the number of codes, without missing
#: (0 if sorted); whether the last code is that of missing cells; whether a nominal one has so many values
#: that its gain distorts an average; where the routes of its multiway test begin, and the stats of its
#: branches in the records of candidates.
COLUMN = np.dtype(
    [
        ("kind", np.int64),
        ("place", np.int64),
        ("n_codes", np.int64),
        ("has_gap_code", np.bool_),
        ("many_valued", np.bool_),
        ("route", np.int64),
        ("slot", np.int64),
    ]
)


class TreeSizes(NamedTuple):
    """The sizes of the arrays that a tree of these columns needs, and which of them it needs.

    most : the most codes of a column, missing included: a test has no more branches
    slots : the branches of all candidates of a node, one candidate for each column
    routes : int32, 0, 1, … for each nominal column
    kinds : the kinds that columns have
    """

    most: int
    slots: int
    routes: np.ndarray
    kinds: frozenset[int]

    @classmethod
    def of(cls, columns):
        nominal = columns["kind"] == NOMINAL
        n_codes, last = columns["n_codes"], columns[-1]
        routes = [np.arange(n, dtype=np.int32) for n in n_codes[nominal]]
        slots = int(last["slot"]) + (int(last["n_codes"]) + 1 if nominal[-1] else 3)
        most, all_routes = max(int(n_codes.max()), 2) + 1, np.concatenate([np.zeros(0, np.int32), *routes])
        return cls(most, slots, all_routes, frozenset(columns["kind"].tolist()))


class TrainingData(NamedTuple):
    """The encoded training rows; `scales` turns the cuts between codes or rows into numbers.

    columns : COLUMN (n_columns,)
    keys : uint32 (n_sorted, n_rows); None where no column is sorted
    codes : uint8 or uint16 (n_rows, n_coded), row by row, since a node reads few rows of several columns
    numbers : float64 (n_columns, n_rows), the cells of all columns; None unless cuts are random
    has_missing : whether any cell is missing
    """

    columns: np.ndarray
    keys: np.ndarray | None
    codes: np.ndarray
    numbers: np.ndarray | None
    scales: Scales | DrawnScales
    y: np.ndarray
    w: np.ndarray
    has_missing: bool
    sizes: TreeSizes


@jit(_nrt=False)
def count_below(cuts, numbers, below):
    """Fill in how many cuts are below each number; for few cuts this is faster than binary search."""
    for i in range(numbers.size):
        n, x = 0, numbers[i]
        for j in range(cuts.size):
            n += cuts[j] < x
        below[i] = n


def codes_of(cuts, numbers):
    """How many cuts are below each number."""
    if len(cuts) > FEW or len(numbers) <= FEW_ROWS:
        return np.searchsorted(cuts, numbers)
    codes = np.empty(len(numbers), dtype=np.intp)
    count_below(cuts, np.ascontiguousarray(numbers, dtype=float), codes)
    return codes


@jit(_nrt=False)
def code_cells(numbers, cuts, n_codes, places, codes):
    """Fill in how many of its column's cuts are below each number; n_codes of the column where it is NaN.

    numbers : (n_rows, n_columns); cuts : float64 (n_columns, n_cuts), ending in infinity
    places : intp (n_columns,), the columns of the codes
    """
    for j in range(numbers.shape[1]):
        for i in range(numbers.shape[0]):
            n, x = 0, numbers[i, j]
            for c in range(cuts.shape[1]):
                n += cuts[j, c] < x
            codes[i, places[j]] = n_codes[j] if math.isnan(x) else n


def encode(rows, bins=None, *, gap_codes=False):
    """The training rows of a tree, or of many; gap_codes : whether missing is a value of nominal columns."""
    if bins is None and rows.whole is not None and len(rows.whole) <= FEW_ROWS:
        return _encode_few(rows, gap_codes)
    scales, keys = _scales(rows) if bins is None else (_binned(rows, bins), np.empty((0, 0), np.uint32))
    kind, n_codes = _kinds(scales)
    coded = [(j, scales[j]) for j in np.flatnonzero(kind != SORTED)]
    codes, y, w = _coded_rows(rows, coded, _code_type(rows.schema, n_codes))
    own_keys = keys.reshape(-1, len(y)) if len(keys) else None
    columns, has_missing = _columns(kind, n_codes, codes, gap_codes)
    has_missing = has_missing or bool((keys >= MISSING).any())
    return TrainingData(columns, own_keys, codes, None, scales, y, w, has_missing, TreeSizes.of(columns))


def _encode_few(rows, gap_codes):
    """`encode` for few rows: all columns at once, without kernels, which would have to be compiled."""
    table, y, w = rows.chunk
    scales = Scales(_scale(a) if isinstance(a, Categorical) else None for a in rows.schema)
    numeric = [j for j, scale in enumerate(scales) if scale is None]
    numbers = np.array([table.columns[j] for j in numeric], float).reshape(len(numeric), len(y))
    if np.isinf(numbers).any():
        raise infinite_cell(rows)
    ranked, end = rank_few(numbers), 0
    for j, n in zip(numeric, ranked.distinct.tolist(), strict=True):
        values, end = ranked.values[end : end + n], end + n
        scales[j] = Sorted([table.columns[j]]) if n > FEW else Edges(values[:-1], values, values)
    kind, n_codes = _kinds(scales)
    codes = np.empty((len(scales), len(y)), _code_type(rows.schema, n_codes))
    codes[numeric] = ranked.ranks
    for j, attribute in enumerate(rows.schema):
        if isinstance(attribute, Categorical):
            codes[j] = np.where(table.columns[j] < 0, n_codes[j], table.columns[j])
    codes = np.ascontiguousarray(codes[kind != SORTED].T)
    keys = ranked.keys[ranked.distinct > FEW]
    own_keys = keys if len(keys) else None
    columns, has_missing = _columns(kind, n_codes, codes, gap_codes)
    has_missing = has_missing or bool(np.isnan(numbers).any())
    return TrainingData(columns, own_keys, codes, None, scales, y, w, has_missing, TreeSizes.of(columns))


def encode_for_draws(rows, *, gap_codes=False):
    """The training rows of trees with random cuts: only nominal columns are coded."""
    nominal = np.array([isinstance(attribute, Nominal) for attribute in rows.schema])
    kind = np.where(nominal, NOMINAL, DRAWN).astype(np.int8)
    n_codes = np.array([len(a.values) if isinstance(a, Nominal) else 0 for a in rows.schema], np.int32)
    coded = [(j, rows.schema.attributes[j]) for j in np.flatnonzero(nominal)]
    codes, y, w = _coded_rows(rows, coded, _code_type(rows.schema, n_codes))
    check_rows(len(y))
    numbers, end = np.empty((len(kind), len(y))), 0
    for part in each(rows.pieces, _cells):
        numbers[:, end : end + len(part)] = part.T
        end += len(part)
    if np.isinf(numbers).any():
        raise infinite_cell(rows)
    columns, has_missing = _columns(kind, n_codes, codes, gap_codes)
    has_missing = has_missing or bool(np.isnan(numbers[~nominal]).any())
    return TrainingData(
        columns, None, codes, numbers, DrawnScales(numbers), y, w, has_missing, TreeSizes.of(columns)
    )


def _cells(chunk):
    return cells(chunk.X)


def _code_type(schema, n_codes):
    """The dtype of codes for columns with so many."""
    most = n_codes.max(initial=0)
    if most >= np.iinfo(np.uint16).max:
        name = schema.names[n_codes.argmax()]
        msg = (
            f"column {name!r} has {most:,} values, too many to split on; leave it out if it is an identifier"
        )
        raise RefusalError(msg)
    return np.uint8 if most <= FEW else np.uint16


def _scales(rows):
    """The scale of every column: the edges or numbers of an ordered one, a nominal attribute itself; and the
    keys of those that are sorted.
    """
    samples = list(each(rows.pieces, attrgetter("X")))
    numeric = [j for j, attribute in enumerate(rows.schema) if isinstance(attribute, Numeric)]
    n_rows = sum(map(len, samples)) if numeric else 0
    check_rows(n_rows)
    # allocated for all columns that may be sorted: pages that are not used take no memory
    keys = np.empty((len(numeric), n_rows), np.uint32)
    scales, n_sorted, columns, buffer = (
        Scales(),
        0,
        _numbers(samples, numeric),
        np.empty((2, n_rows), np.uint64),
    )
    for j, attribute in enumerate(rows.schema):
        if isinstance(attribute, Categorical):
            scales.append(_scale(attribute))
            continue
        numbers, own = next(columns), keys[n_sorted]
        if np.isinf(numbers).any():
            raise infinite_cell(rows)
        if sort_rows(numbers, own, buffer) > FEW:
            scales.append(Sorted([table.columns[j] for table in samples]))
            n_sorted += 1
        else:
            scales.append(_edges(numbers[own[own < MISSING] & ROW], FEW, None))
    return scales, keys[:n_sorted]


def _binned(rows, bins):
    """The scale of every column, with so many bins for numeric ones."""
    samples, weights = _sample(rows)
    numeric = [j for j, attribute in enumerate(rows.schema) if isinstance(attribute, Numeric)]
    scales = Scales(_scale(a) if isinstance(a, Categorical) else None for a in rows.schema)
    together = max(CELLS_TOGETHER // max(sum(map(len, samples)), 1), 1)
    for first in range(0, len(numeric), together):
        some = numeric[first : first + together]
        names = [rows.schema.names[j] for j in some]
        numbers = np.concatenate([table.block(names).T for table in samples], axis=1, dtype=float)
        if np.isinf(numbers).any():
            raise infinite_cell(rows)
        for j, scale in zip(some, _edges_of_all(numbers, bins, weights), strict=True):
            scales[j] = scale
    return scales


def _edges_of_all(numbers, bins, weights):
    """The scale of each row of `numbers`: `_edges`, at once if no cell is missing and no tie spans a cut."""
    n, shares = numbers.shape[1], None
    if weights is None:
        ascending = np.sort(numbers, axis=1)
    else:
        order = np.argsort(numbers, axis=1, kind="stable")
        ascending, shares = np.take_along_axis(numbers, order, axis=1), weights[order]
    n_known = n - np.isnan(ascending).sum(axis=1)
    clear = np.zeros(len(numbers), dtype=bool)
    if weights is None and n > bins:
        last = np.arange(1, bins) * n // bins - 1
        ends, starts = ascending[:, last], ascending[:, last + 1]
        clear = (n_known == n) & (ends < starts).all(axis=1)
        cuts = midpoint(ends, starts)
        low = np.concatenate([ascending[:, :1], starts], axis=1)
        high = np.concatenate([ends, ascending[:, -1:]], axis=1)
    for j, known in enumerate(n_known.tolist()):
        if clear[j]:
            yield Edges(cuts[j], low[j], high[j])
        else:
            yield _edges(ascending[j, :known], bins, None if shares is None else shares[j, :known])


def _columns(kind, n_codes, codes, gap_codes):
    """The columns, and whether a coded cell is missing that has no code of its own."""
    columns = np.zeros(len(kind), dtype=COLUMN)
    nominal = kind == NOMINAL
    many = nominal & (n_codes >= MANY * len(codes))
    coded, gap = (kind == ORDERED) | nominal, np.zeros(len(kind), bool)
    gap[coded] = (codes == n_codes[coded]).any(axis=0)
    has_missing = bool((gap & ~nominal).any() if gap_codes else gap.any())
    if gap_codes:
        columns["has_gap_code"] = gap & nominal
        n_codes = n_codes + columns["has_gap_code"]
    columns["kind"], columns["n_codes"], columns["many_valued"] = kind, n_codes, many & ~many.all()
    columns["place"] = np.where(coded, np.cumsum(coded), np.cumsum(kind == SORTED)) - 1
    columns["place"][kind == DRAWN] = np.flatnonzero(kind == DRAWN)
    columns["route"] = np.cumsum(n_codes * nominal) - n_codes * nominal
    slots = np.where(nominal, n_codes + 1, 3)
    columns["slot"] = np.cumsum(slots) - slots
    return columns, has_missing


def _kinds(scales):
    """The kind of each column, and its number of codes: 0 if it is sorted."""
    kind = np.array([_kind(scale) for scale in scales], dtype=np.int8)
    return kind, np.array([0 if isinstance(s, Sorted) else _n_codes(s) for s in scales], np.int32)


def _kind(scale):
    if isinstance(scale, Sorted):
        return SORTED
    return ORDERED if isinstance(scale, Edges) else NOMINAL


def _n_codes(scale):
    return len(scale.low if isinstance(scale, Edges) else scale.values)


def _sample(rows):
    """The sample that bins are computed from, in pieces, and the weights; None if all are 1."""
    sizes = rows.sizes()
    pieces = list(map(_Placed, rows.pieces, accumulate(sizes, initial=0)))
    tables, parts = zip(*each(pieces, partial(_sampled, sum(sizes))), strict=True)
    weights = np.concatenate(parts)
    return list(tables), None if (weights == 1).all() else weights


class _Placed(NamedTuple):
    """A piece of the rows, and the position of its first row."""

    piece: Any
    first: int

    def load(self):
        return self.piece.load() if isinstance(self.piece, Piece) else self.piece, self.first


def _sampled(n_rows, placed):
    """The inputs and weights of a piece's rows in the sample."""
    chunk, first = placed
    if n_rows <= SAMPLE:
        return chunk.X, chunk.w
    least = hashes(first, len(chunk.y)) < np.uint64(SAMPLE / n_rows * 2.0**64)
    return chunk.X.take(np.flatnonzero(least)), chunk.w[least]  # copies, so that no chunk is kept in memory


def hashes(first, n):
    """The hashes of n positions from the first on: whole numbers, uniform over 64 bits.

    They follow splitmix64 (Steele, Lea, Flood 2014).
    """
    with np.errstate(over="ignore"):  # modulo 2^64
        z = (np.arange(first, first + n, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def _numbers(tables, columns):
    """The numbers of these columns, one after the other, in a buffer that the next columns overwrite."""
    starts = np.cumsum([0, *map(len, tables)])
    together = TOGETHER if starts[-1] > LONG else 1
    buffer = np.empty((together, starts[-1]))
    for first in range(0, len(columns), together):
        some = columns[first : first + together]
        for table, start in zip(tables, starts, strict=False):
            for at in range(0, len(table), AT_ONCE):
                for j, numbers in zip(some, buffer, strict=False):
                    part = table.columns[j][at : at + AT_ONCE]
                    numbers[start + at : start + at + len(part)] = part
        yield from buffer[: len(some)]


def _scale(attribute):
    """The scale of a categorical column: a nominal attribute itself, the edges of an ordinal one."""
    if isinstance(attribute, Nominal):
        return attribute
    values = np.arange(len(attribute.values), dtype=float)
    return Edges.of(values, values[:-1] + 0.5)


def _edges(known, bins, weights):
    """The scale of numbers in ascending order: a code for each distinct number, or so many bins.

    Bin k ends with the last row of the first k / bins of the rows; a row of weight w counts as w rows.
    """
    distinct = known[:1] if len(known) < 2 else np.append(known[:1], known[1:][known[1:] > known[:-1]])
    if len(distinct) <= bins:
        return Edges.of(distinct, midpoint(distinct[:-1], distinct[1:]))
    if weights is None:
        last = np.arange(1, bins) * len(known) // bins - 1
    else:
        below = np.cumsum(weights)
        ends = np.arange(1, bins) * below[-1] / bins - 1 + ROUNDING * below[-1]
        last = np.searchsorted(below, ends, side="right")
    low = known[last]
    low = np.append(low[:1], low[1:][low[1:] > low[:-1]])
    low = low[low < distinct[-1]]
    return Edges.of(distinct, midpoint(low, distinct[np.searchsorted(distinct, low, side="right")]))


def _coded_rows(rows, scales, dtype):
    """The codes, targets and weights of all rows; if the number of rows is known, chunks of codes are written
    to one array, so that memory holds them once.
    """
    parts = each(rows.pieces, partial(_coded, scales, dtype))
    if rows.whole is None:
        return map(np.concatenate, zip(*parts, strict=True))
    codes, targets, end = np.empty((len(rows.whole), len(scales)), dtype=dtype), [], 0
    for part, *target in parts:
        codes[end : end + len(part)] = part
        targets.append(target)
        end += len(part)
    return codes, *map(np.concatenate, zip(*targets, strict=True))


def _coded(scales, dtype, chunk):
    """A chunk's codes, target and weights."""
    codes = np.empty((len(chunk.y), len(scales)), dtype=dtype)
    numeric = []
    for place, (j, scale) in enumerate(scales):
        if isinstance(chunk.X.schema.attributes[j], Numeric):
            numeric.append((place, j, scale))
            continue
        values = chunk.X.columns[j]
        codes[:, place] = values
        if values.min(initial=0) < 0:
            codes[values < 0, place] = _n_codes(scale)
    if numeric:
        _code_numbers(numeric, chunk.X, codes)
    return codes, chunk.y, chunk.w


def _code_numbers(numeric, table, codes):
    """Fill in the codes of numeric columns.

    numeric : for each, its place in the codes, its place in the table, and its scale
    """
    places, columns, scales = zip(*numeric, strict=True)
    most, n_codes = max(len(scale.cuts) for scale in scales), np.array([len(scale.low) for scale in scales])
    if most > FEW or len(table) * len(places) <= FEW_CELLS:
        for place, j, scale in numeric:
            numbers = table.columns[j]
            codes[:, place] = np.where(np.isnan(numbers), len(scale.low), codes_of(scale.cuts, numbers))
        return
    cuts = np.full((len(scales), most), np.inf)
    for row, scale in zip(cuts, scales, strict=True):
        row[: len(scale.cuts)] = scale.cuts
    numbers = table.block([table.schema.names[j] for j in columns])
    code_cells(numbers, cuts, n_codes, np.array(places), codes)
