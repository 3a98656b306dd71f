"""Lloyd's iteration as a loop of folds: assign every row to the nearest prototype, move each to its rows.

    until the assignments repeat, or no more than a share `tol_changes` of the rows change cluster, or the
    cost falls by less than `tol` of itself, or `max_iter` times

Each iteration is a fold over the rows, in memory or in files. The labels stay in memory: 4 bytes a row, and 4
more if the rows are in memory, for a bound that spares most rows the search.

An empty cluster takes the row that is farthest from its prototype, unless that would leave another cluster
empty; ties go to the first row. If every row lies on a prototype, the cluster stays empty.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from openbook.border.rows import Chunk, Rows
from openbook.cluster.prototypes import Bounds, PrototypeRows, Prototypes, PrototypeSpace, PrototypeSums
from openbook.fold import each, loaded

#: Iterations whose prototypes are kept, for `work`.
_KEPT_ITERATIONS = 10
#: The rows from which seeds are chosen, in all and at least for each cluster; of more rows, a random sample.
_SEEDING_ROWS, _SEEDING_ROWS_EACH = 1 << 14, 50
#: The most cells that are also stored side by side, 4 bytes a cell: where few clusters overlap, that takes a
#: fifth off the time.
_SIDE_BY_SIDE = 1 << 23


class Taken(NamedTuple):
    """A row that an empty cluster took; -1 where it stays empty."""

    iteration: int
    cluster: int
    row: int


class LloydRun(NamedTuple):
    """A run from given seeds.

    prototypes, tally, labels, cost : at the end; every row is with the nearest prototype
    costs : for each iteration the cost of its assignment, before the prototypes move
    course : the prototypes at the start and after each of the first iterations
    taken : what empty clusters took
    settled : whether the assignments repeated
    """

    prototypes: Prototypes
    tally: PrototypeSums
    labels: np.ndarray
    cost: float
    costs: list[float]
    course: list[Prototypes]
    taken: list[Taken]
    settled: bool


class RowPieces:
    """The rows of a fit, in pieces: `PrototypeRows`, or to be encoded anew in every pass."""

    def __init__(self, space: PrototypeSpace, pieces):
        self.space, self.pieces = space, pieces
        self.sizes = [_size(p) for p in self.pieces]
        self.n = sum(self.sizes)

    @classmethod
    def of(cls, space: PrototypeSpace, rows: Rows):
        """Rows given in memory are encoded once; rows of files in every pass, so that sums have one order."""
        if rows.whole is None:
            return cls(space, rows.pieces)
        encoded = [space.encode(piece) for piece in rows.pieces]
        few = sum(piece.numbers.size for piece in encoded) <= _SIDE_BY_SIDE
        return cls(space, [space.with_panels(piece) for piece in encoded] if few else encoded)

    def assign(self, prototypes, bounds, before=None):
        """One pass: the tally, and what is known of each piece's rows now; `before` is of the last pass."""
        aim = self.space.aim(prototypes, before)
        pairs = [_Pair(piece, known) for piece, known in zip(self.pieces, bounds, strict=True)]
        tallies, after = zip(*each(pairs, partial(_assigned, self.space, aim)), strict=True)
        return sum(tallies[1:], tallies[0]), list(after)

    def unknown(self, k):
        """The bounds of each piece before the first pass, for k prototypes; those of files are not kept."""
        return [
            self.space.unknown(size, k) if isinstance(piece, PrototypeRows) else None
            for piece, size in zip(self.pieces, self.sizes, strict=True)
        ]

    def take(self, positions: np.ndarray) -> PrototypeRows:
        """The rows at these positions, which are in order."""
        starts = np.cumsum([0, *self.sizes])
        parts = np.split(positions, np.searchsorted(positions, starts[1:-1]))
        pieces = zip(self.pieces, parts, starts, strict=False)
        wanted = [_Pair(piece, part - start) for piece, part, start in pieces if len(part)]
        return PrototypeRows.joined(each(wanted, partial(_rows_of, self.space)))

    def farthest(self, prototypes, labels, count):
        """The rows farthest from their prototypes: distances, positions, rows; the farthest first."""
        starts = np.cumsum([0, *self.sizes])
        pairs = map(_Pair, self.pieces, np.split(labels, starts[1:-1]))
        found = list(each(list(pairs), partial(_farthest, self.space, prototypes, count)))
        far = np.concatenate([distances for distances, _, _ in found])
        where = np.concatenate([start + rows for start, (_, rows, _) in zip(starts[:-1], found, strict=True)])
        order = np.lexsort((where, -far))[:count]
        return far[order], where[order], PrototypeRows.joined(encoded for _, _, encoded in found).take(order)


class _Pair(NamedTuple):
    """A piece and what belongs to its rows."""

    piece: Any
    own: Any

    def load(self):
        return _Pair(loaded(self.piece), self.own)


def _size(piece):
    if isinstance(piece, PrototypeRows):
        return len(piece.weights)
    return len(piece.w) if isinstance(piece, Chunk) else piece.piece.rows


def _encoded(space, piece):
    return piece if isinstance(piece, PrototypeRows) else space.encode(piece)


def _assigned(space, aim, pair):
    encoded = _encoded(space, pair.piece)
    kept, k = isinstance(pair.piece, PrototypeRows), len(aim.prototypes)
    known = pair.own if kept else space.unknown(len(encoded.weights), k)
    # a worker may hold them for reading only
    bounds = Bounds(*(array if array.flags.writeable else array.copy() for array in known))
    return space.nearest(encoded, aim, bounds), bounds


def _rows_of(space, pair):
    encoded = _encoded(space, pair.piece)
    return encoded.take(slice(None) if len(pair.own) == len(encoded.weights) else pair.own)


def _farthest(space, prototypes, count, pair):
    encoded = _encoded(space, pair.piece)
    distances = space.distances_of(encoded, prototypes, pair.own)
    rows = np.argsort(-distances, kind="stable")[:count]
    return distances[rows], rows, encoded.take(rows)


def iterate(
    rows: RowPieces, prototypes: Prototypes, max_iter: int, tol: float, tol_changes: float = 0.0
) -> LloydRun:
    """Run from these seeds."""
    last = None
    bounds = rows.unknown(len(prototypes))
    costs: list[float] = []
    taken: list[Taken] = []
    course, before, settled = [prototypes], None, False
    while len(costs) < max_iter:
        tally, bounds = rows.assign(prototypes, bounds, last)
        labels = np.concatenate([known.labels for known in bounds])
        costs.append(float(tally.cost[0]))
        tally, new = _fill_empty(rows, prototypes, tally, labels, len(costs))
        changes = len(labels) if before is None else np.count_nonzero(labels != before)
        if settled := not changes:
            break
        taken += new
        _put_back(bounds, new)
        last, prototypes = prototypes, rows.space.moved(rows, labels, tally, prototypes)
        few = before is not None and changes <= tol_changes * len(labels) and not new
        before = labels
        if len(course) <= _KEPT_ITERATIONS:
            course.append(prototypes)
        if few or (len(costs) > 1 and costs[-2] - costs[-1] < tol * costs[-2] and not new):
            break
    if not settled:  # the prototypes have moved since
        tally, bounds = rows.assign(prototypes, bounds, last)
        labels = np.concatenate([known.labels for known in bounds])
    cost = float(tally.cost[0])
    return LloydRun(prototypes, tally, labels.astype(np.intp), cost, costs, course, taken, settled)


def _fill_empty(rows, prototypes, tally, labels, iteration):
    """Give each empty cluster the farthest row; changes labels, and says what was taken."""
    empty = np.flatnonzero(tally.weight == 0)
    if not len(empty):
        return tally, []
    taken, space, k = [], rows.space, len(prototypes)
    members = np.bincount(labels, minlength=k)
    distances, positions, encoded = rows.farthest(prototypes, labels, len(empty) + k)
    candidates = iter(range(len(distances)))
    for cluster in empty.tolist():
        at = next((i for i in candidates if distances[i] > 0 and members[labels[positions[i]]] > 1), None)
        if at is None:
            taken.append(Taken(iteration, cluster, -1))
            continue
        row, source = int(positions[at]), int(labels[positions[at]])
        one = encoded.take([at])
        tally = tally - space.tally_of(one, source, k) + space.tally_of(one, cluster, k)
        members[source] -= 1
        labels[row] = cluster
        taken.append(Taken(iteration, cluster, row))
    return tally, taken


def _put_back(bounds, taken):
    """Have the bounds know of rows that were taken: nothing is sure of them."""
    for _, _, row in taken:
        start = 0
        for known in bounds:
            if 0 <= row - start < len(known.labels):
                known.lower[row - start] = 0.0
            start += len(known.labels)


def seeding_rows(rows: RowPieces, k: int, rng) -> PrototypeRows:
    """The rows among which seeds are chosen."""
    most = max(_SEEDING_ROWS, _SEEDING_ROWS_EACH * k)
    if rows.n <= most:
        return rows.take(np.arange(rows.n))
    return rows.take(np.sort(rng.choice(rows.n, most, replace=False)))


def plus_plus(space: PrototypeSpace, encoded: PrototypeRows, k: int, rng) -> PrototypeRows:
    """Seeds by k-means++: each a row drawn by its squared distance to the nearest seed so far.

    Of 2 + ln k rows that are drawn each time, the one that leaves the least cost becomes the seed.

    Reference: Arthur and Vassilvitskii (2007), k-means++: the advantages of careful seeding.
    """
    chosen = [int(rng.choice(len(encoded.weights), p=encoded.weights / encoded.weights.sum()))]
    (nearest,) = space.all_distances(encoded, space.prototypes(encoded.take(chosen)))
    while len(chosen) < k:
        mass = np.cumsum(encoded.weights * nearest)
        drawn = np.searchsorted(mass, rng.random_sample(2 + int(np.log(k))) * mass[-1])
        drawn = np.minimum(drawn, len(mass) - 1)
        after = np.minimum(nearest, space.all_distances(encoded, space.prototypes(encoded.take(drawn))))
        best = int(np.argmin(after @ encoded.weights))
        chosen.append(int(drawn[best]))
        nearest = after[best]
    return encoded.take(chosen)


def at_random(encoded: PrototypeRows, k: int, rng) -> PrototypeRows:
    """Seeds that are different rows, drawn by weight."""
    shares = encoded.weights / encoded.weights.sum()
    return encoded.take(rng.choice(len(shares), k, replace=False, p=shares))
