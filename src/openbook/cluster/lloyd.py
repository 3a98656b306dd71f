"""Lloyd's iteration as a loop of folds: assign every row to the nearest prototype, move each to its rows.

    until the assignments repeat, or no more than a share `tol_changes` of the rows change cluster, or the
    cost falls by less than `tol` of itself, or `max_iter` times

Each iteration is a fold over the rows, in memory or in files. What a row was assigned to stays in memory: 4
bytes a row, and 4 more where the rows are in memory, for a bound that spares most rows the search.

An empty cluster takes the row that is farthest from its prototype, and leaves no other cluster empty by that;
several take the farthest few, the first of equals first. Where every row lies on a prototype it stays empty.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from openbook.border.rows import Chunk, Rows
from openbook.cluster.prototypes import Bounds, Placed, Prototypes, PrototypeSpace, PrototypeSums
from openbook.fold import each, loaded

#: Iterations whose prototypes are kept, for `work`.
_KEPT_ITERATIONS = 10
#: Seeds are chosen among so many rows, and at least so many for each cluster; of more, a random sample.
_SEEDING_ROWS = 1 << 14
_SEEDING_ROWS_EACH = 50
#: Up to so many cells, rows stand side by side too, for 4 bytes a cell: where few clusters overlap, that
#: takes a fifth off the time.
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


class PlacedRows:
    """The rows of a fit, in pieces: `Placed`, or to be placed anew in every pass."""

    def __init__(self, space: PrototypeSpace, pieces):
        self.space, self.pieces = space, pieces
        self.sizes = [_size(p) for p in self.pieces]
        self.n = sum(self.sizes)

    @classmethod
    def of(cls, space: PrototypeSpace, rows: Rows):
        """Rows given in memory are placed once. Those of files are not, even if they are held there: they are
        added up in the same order whether they are or not.
        """
        if rows.whole is None:
            return cls(space, rows.pieces)
        placed = [space.place(piece) for piece in rows.pieces]
        few = sum(piece.numbers.size for piece in placed) <= _SIDE_BY_SIDE
        return cls(space, [space.with_panels(piece) for piece in placed] if few else placed)

    def assign(self, prototypes, bounds, before=None):
        """One pass: the tally, and what is known of each piece's rows now; `before` is of the last pass."""
        aim = self.space.aim(prototypes, before)
        pairs = [_Pair(piece, known) for piece, known in zip(self.pieces, bounds, strict=True)]
        tallies, after = zip(*each(pairs, partial(_assigned, self.space, aim)), strict=True)
        return sum(tallies[1:], tallies[0]), list(after)

    def unknown(self, k):
        """The bounds of each piece before the first pass, for k prototypes; those of files are not kept."""
        return [
            self.space.unknown(size, k) if isinstance(piece, Placed) else None
            for piece, size in zip(self.pieces, self.sizes, strict=True)
        ]

    def take(self, positions: np.ndarray) -> Placed:
        """The rows at these positions, which are in order."""
        starts = np.cumsum([0, *self.sizes])
        cuts = np.searchsorted(positions, starts)
        wanted = [
            _Pair(piece, positions[cuts[i] : cuts[i + 1]] - starts[i])
            for i, piece in enumerate(self.pieces)
            if cuts[i + 1] > cuts[i]
        ]
        return Placed.joined(each(wanted, partial(_rows_of, self.space)))

    def farthest(self, prototypes, labels, count):
        """The rows farthest from their prototypes: distances, positions, rows; the farthest first."""
        starts = np.cumsum([0, *self.sizes])
        pairs = [_Pair(p, labels[starts[i] : starts[i + 1]]) for i, p in enumerate(self.pieces)]
        found = list(each(pairs, partial(_farthest, self.space, prototypes, count)))
        far = np.concatenate([distances for distances, _, _ in found])
        where = np.concatenate([start + rows for start, (_, rows, _) in zip(starts[:-1], found, strict=True)])
        order = np.lexsort((where, -far))[:count]
        return far[order], where[order], Placed.joined(placed for _, _, placed in found).take(order)


class _Pair(NamedTuple):
    """A piece and what belongs to its rows."""

    piece: Any
    own: Any

    def load(self):
        return _Pair(loaded(self.piece), self.own)


def _size(piece):
    if isinstance(piece, Placed):
        return len(piece.weights)
    return len(piece.w) if isinstance(piece, Chunk) else piece.piece.rows


def _placed(space, piece):
    return piece if isinstance(piece, Placed) else space.place(piece)


def _assigned(space, aim, pair):
    placed = _placed(space, pair.piece)
    kept, k = isinstance(pair.piece, Placed), len(aim.prototypes)
    known = pair.own if kept else space.unknown(len(placed.weights), k)
    # a worker may hold them for reading only
    bounds = Bounds(*(array if array.flags.writeable else array.copy() for array in known))
    return space.nearest(placed, aim, bounds), bounds


def _rows_of(space, pair):
    placed = _placed(space, pair.piece)
    return placed.take(slice(None) if len(pair.own) == len(placed.weights) else pair.own)


def _farthest(space, prototypes, count, pair):
    placed = _placed(space, pair.piece)
    distances = space.distances_of(placed, prototypes, pair.own)
    rows = np.argsort(-distances, kind="stable")[:count]
    return distances[rows], rows, placed.take(rows)


def iterate(
    rows: PlacedRows, prototypes: Prototypes, max_iter: int, tol: float, tol_changes: float = 0.0
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
    distances, positions, placed = rows.farthest(prototypes, labels, len(empty) + k)
    candidates = iter(range(len(distances)))
    for cluster in empty.tolist():
        at = next((i for i in candidates if distances[i] > 0 and members[labels[positions[i]]] > 1), None)
        if at is None:
            taken.append(Taken(iteration, cluster, -1))
            continue
        row, source = int(positions[at]), int(labels[positions[at]])
        one = placed.take([at])
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


def seeding_rows(rows: PlacedRows, k: int, rng) -> Placed:
    """The rows among which seeds are chosen."""
    most = max(_SEEDING_ROWS, _SEEDING_ROWS_EACH * k)
    if rows.n <= most:
        return rows.take(np.arange(rows.n))
    return rows.take(np.sort(rng.choice(rows.n, most, replace=False)))


def plus_plus(space: PrototypeSpace, placed: Placed, k: int, rng) -> Placed:
    """Seeds by k-means++: each a row drawn by its squared distance to the nearest seed so far.

    Of 2 + ln k rows that are drawn each time, the one that leaves the least cost becomes the seed.

    Reference: Arthur and Vassilvitskii (2007), k-means++: the advantages of careful seeding.
    """
    chosen = [int(rng.choice(len(placed.weights), p=placed.weights / placed.weights.sum()))]
    (nearest,) = space.all_distances(placed, space.prototypes(placed.take(chosen)))
    while len(chosen) < k:
        mass = np.cumsum(placed.weights * nearest)
        drawn = np.searchsorted(mass, rng.random_sample(2 + int(np.log(k))) * mass[-1])
        drawn = np.minimum(drawn, len(mass) - 1)
        after = np.minimum(nearest, space.all_distances(placed, space.prototypes(placed.take(drawn))))
        best = int(np.argmin(after @ placed.weights))
        chosen.append(int(drawn[best]))
        nearest = after[best]
    return placed.take(chosen)


def at_random(placed: Placed, k: int, rng) -> Placed:
    """Seeds that are different rows, drawn by weight."""
    return placed.take(
        rng.choice(len(placed.weights), k, replace=False, p=placed.weights / placed.weights.sum())
    )
