r"""Prototypes of clusters (means and modes), and the distance of rows from them.

    t(x, c) = Σ_j (x_j - c_j)² + γ Σ_j [code_j ≠ mode_j]

over the encoded numbers (`prepare.Encoding`) and over the nominal columns that are compared as they are. A
prototype has the mean of its rows in each encoded column, and their most frequent value in each of the
others; ties: the first. It is k-means where every column is encoded, k-modes where none is.

A missing number counts as the mean of its column, and an indicator column marks it if training had missing
cells there. A missing or unseen category differs from every mode; modes are those of the known cells, and
every value differs from the mode of a cluster without known cells.

means : float64 (k, p), modes : int32 (k, q), -1 where there is none
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import issparse, vstack
from scipy.spatial.distance import cdist

from openbook.border.rows import Chunk, Rows
from openbook.cluster.nearest_kernels import fill_distances, nearest_means, nearest_prototypes
from openbook.data import Categorical, Schema, Table
from openbook.fold import Statistics
from openbook.kernels.product import PANEL, fill_panels, fours
from openbook.prepare import Encoding


class Prototypes(NamedTuple):
    """What stands for each cluster; see the module."""

    means: np.ndarray
    modes: np.ndarray

    def __len__(self):
        return len(self.means)

    def take(self, which):
        return Prototypes(self.means[which], self.modes[which])


class PrototypeRows(NamedTuple):
    """Rows as numbers (n, p), which may be a CSR matrix, codes (n, q) and weights (n,).

    panels : the numbers again, as `nearest_means` screens them; none, unless they are met in many passes
    """

    numbers: Any
    codes: np.ndarray
    weights: np.ndarray
    panels: np.ndarray = np.zeros((0, 0, PANEL), np.float32)

    def take(self, rows):
        return PrototypeRows(self.numbers[rows], self.codes[rows], self.weights[rows])

    @classmethod
    def joined(cls, parts):
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        numbers, codes, weights, _ = zip(*parts, strict=True)
        stacked = vstack(numbers, format="csr") if issparse(numbers[0]) else np.concatenate(numbers)
        return cls(stacked, np.concatenate(codes), np.concatenate(weights))


class Bounds(NamedTuple):
    """What the last pass knew of the rows: see `nearest_kernels`. It is written to.

    sums : (k, p), of the numbers of the rows with each label
    """

    labels: np.ndarray
    lower: np.ndarray
    sums: np.ndarray


class SearchAim(NamedTuple):
    """Prototypes, in the form that `nearest_means` needs."""

    prototypes: Prototypes
    screen: tuple[Any, ...] = ()
    known: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True)
class PrototypeSums(Statistics):
    """The rows of each prototype, added up.

    weight : (k,), sums : (k, p) of the numbers, values : (k, v) the weight of each value of each nominal
    column, cost : (1,) the sum of t over all rows
    """

    weight: np.ndarray
    sums: np.ndarray
    values: np.ndarray
    cost: np.ndarray


@dataclass(frozen=True, eq=False)
class PrototypeSpace:
    """How the rows of a table are compared with prototypes.

    encoding : of the columns that become numbers
    nominal : the attributes that are compared as they are
    gamma : what a difference in one of these counts
    """

    encoding: Encoding
    nominal: Schema
    gamma: float = 1.0

    metric: ClassVar[str] = "euclidean"
    #: Whether bounds spare most rows the search, where there are numbers only; see `nearest_kernels`.
    bounded: ClassVar[bool] = True

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where the values of each nominal column begin in a tally, and where the last ends."""
        return np.cumsum([0, *(len(a.values) for a in self.nominal if isinstance(a, Categorical))])

    def zero(self, k: int) -> PrototypeSums:
        """The tally of no rows."""
        sums, values = np.zeros((k, len(self.encoding))), np.zeros((k, self.offsets[-1]))
        return PrototypeSums(np.zeros(k), sums, values, np.zeros(1))

    def encode(self, chunk: Chunk) -> PrototypeRows:
        """The points of a chunk; single precision is kept."""
        numbers = np.zeros((len(chunk.X), 0))
        if len(self.encoding.schema):
            table = chunk.X.select(self.encoding.schema.names)
            single = all(cells.dtype == np.float32 for cells in table.columns)
            numbers = self.encoding(table, dtype=np.float32 if single else np.float64)
        codes = np.empty((len(chunk.X), len(self.nominal)), np.int32)
        for j, name in enumerate(self.nominal.names):
            codes[:, j] = chunk.X.data(name)
        return PrototypeRows(numbers, codes, chunk.w)

    def encode_table(self, table: Table) -> PrototypeRows:
        """The points of a table; each has weight 1."""
        return self.encode(Chunk(table, np.zeros(0), np.ones(len(table))))

    def unknown(self, n: int, k: int) -> Bounds:
        """What is known of n rows before the first pass."""
        return Bounds(np.full(n, -1, np.int32), np.zeros(n, np.float32), np.zeros((k, len(self.encoding))))

    def prototypes(self, encoded: PrototypeRows) -> Prototypes:
        """Rows as prototypes."""
        return Prototypes(encoded.numbers.astype(np.float64), encoded.codes.copy())

    def nearest(self, encoded: PrototypeRows, aim: "SearchAim", bounds: Bounds) -> PrototypeSums:
        """Fill in the nearest prototype of each row, and add the rows up."""
        prototypes = aim.prototypes
        tally = self.zero(len(prototypes))
        encoded = PrototypeRows(*map(_to_read, encoded))
        if len(self.nominal):
            totals = (tally.weight, tally.sums, tally.values, tally.cost)
            rows = (encoded.numbers, encoded.codes, encoded.weights)
            nearest_prototypes(rows, tuple(prototypes), self.gamma, self.offsets, bounds.labels, totals)
        else:
            points, (labels, lower, sums) = (encoded.numbers, encoded.weights), bounds
            totals, means = (tally.weight, sums, tally.values, tally.cost), prototypes.means
            nearest_means(points, encoded.panels, means, aim.screen, aim.known, labels, lower, totals)
            tally.sums[:] = sums
        return tally

    def with_panels(self, encoded: PrototypeRows) -> PrototypeRows:
        """Rows that are met in many passes, with their numbers side by side too."""
        if len(self.nominal) or not self.bounded:
            return encoded
        n, p = encoded.numbers.shape
        panels = np.zeros((-(-n // PANEL), fours(p), PANEL), np.float32)
        fill_panels(_to_read(encoded.numbers), self._origin, 1.0, panels)
        return encoded._replace(panels=panels)

    def aim(self, prototypes: Prototypes, before: Prototypes | None = None) -> "SearchAim":
        """The prototypes in the form that a pass needs, with those of the last pass."""
        if len(self.nominal) or not self.bounded:
            return SearchAim(prototypes)
        drop = np.zeros(len(prototypes)) if before is None else _drop(before.means, prototypes.means)
        return SearchAim(prototypes, self._screen(prototypes.means), (drop, _apart(prototypes.means)))

    @cached_property
    def _origin(self) -> np.ndarray:
        """The mean of the rows."""
        return (self.encoding.mean - self.encoding.shift) / self.encoding.scale

    def _screen(self, means: np.ndarray) -> tuple[Any, ...]:
        """What `nearest_means` screens by: the rows' mean as the origin, shifted means, the rounding."""
        shifted = means - self._origin
        squares = (shifted**2).sum(axis=1)
        rounding = np.float32(4 * (means.shape[1] + 4) * np.finfo(np.float32).eps)
        k, p = means.shape
        minus, half = np.zeros((fours(k), fours(p)), np.float32), np.full(fours(k), np.inf, np.float32)
        with np.errstate(over="ignore"):  # what overflows is decided in double precision
            minus[:k, :p], half[:k] = -shifted, squares / 2
            return self._origin, minus, half, rounding, np.float32(np.sqrt(squares.max()))

    def labels(self, encoded: PrototypeRows, prototypes: Prototypes) -> np.ndarray:
        """The nearest prototype of each row."""
        bounds = self.unknown(len(encoded.weights), len(prototypes))
        self.nearest(encoded, self.aim(prototypes), bounds)
        return bounds.labels.astype(np.intp)

    def all_distances(self, encoded: PrototypeRows, prototypes: Prototypes) -> np.ndarray:
        """Every row's t to every prototype, (k, n)."""
        found = np.empty((len(prototypes), len(encoded.weights)))
        fill_distances(_to_read(encoded.numbers), prototypes.means, found)
        if len(self.nominal):
            for c, modes in enumerate(prototypes.modes):
                found[c] += self.gamma * ((encoded.codes != modes) | (encoded.codes < 0)).sum(axis=1)
        return found

    def distances_of(self, encoded: PrototypeRows, prototypes: Prototypes, labels: np.ndarray) -> np.ndarray:
        """Every row's t to the prototype of its cluster: (n,)."""
        return self.distances(encoded, prototypes.take(labels))

    def distances(self, encoded: PrototypeRows, prototypes: Prototypes) -> np.ndarray:
        """Every row's t to a prototype of its own, or to one for all: (n,)."""
        gaps = encoded.numbers.astype(np.float64) - prototypes.means
        differ = (encoded.codes != prototypes.modes) | (encoded.codes < 0)
        return np.einsum("ij,ij->i", gaps, gaps) + self.gamma * differ.sum(axis=1)

    def update(self, tally: PrototypeSums, before: Prototypes) -> Prototypes:
        """The means and modes of the rows; a cluster without any stays where it was."""
        some = tally.weight > 0
        means, modes = before.means.copy(), before.modes.copy()
        means[some] = tally.sums[some] / tally.weight[some, None]
        modes[some] = -1
        for j in range(len(self.nominal)):
            values = tally.values[:, self.offsets[j] : self.offsets[j + 1]]
            known = values.any(axis=1)
            modes[known, j] = values[known].argmax(axis=1) if known.any() else -1
        return Prototypes(means, modes)

    def moved(
        self,
        rows: Any,  # noqa: ARG002 (sums will do)
        labels: np.ndarray,  # noqa: ARG002
        tally: PrototypeSums,
        before: Prototypes,
    ) -> Prototypes:
        """Where the prototypes move to: all rows and their clusters are at hand, and the tally of these."""
        return self.update(tally, before)

    def tally_of(self, encoded: PrototypeRows, label: int, k: int) -> PrototypeSums:
        """The tally of some rows that all belong to one cluster; at no cost."""
        tally = self.zero(k)
        tally.weight[label] = encoded.weights.sum()
        tally.sums[label] = encoded.weights @ encoded.numbers
        for j in range(len(self.nominal)):
            known = encoded.codes[:, j] >= 0
            np.add.at(tally.values[label], self.offsets[j] + encoded.codes[known, j], encoded.weights[known])
        return tally


def _drop(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The largest move of any other mean, (k,): rounded up."""
    moves = np.sqrt(((after - before) ** 2).sum(axis=1)) * (1 + 1e-12)
    farthest = int(moves.argmax())
    drop = np.full(len(moves), moves[farthest])
    moves[farthest] = 0.0
    drop[farthest] = moves.max()
    return drop


def _apart(means: np.ndarray) -> np.ndarray:
    """Half the distance of each mean to the nearest other, (k,): rounded down."""
    gaps = cdist(means, means)
    np.fill_diagonal(gaps, np.inf)
    return gaps.min(axis=1) / 2 * (1 - 1e-12)


def _to_read(array: np.ndarray) -> np.ndarray:
    """A view to read from: rows in files mapped to memory are no more than that, and need no other kernel."""
    view = array.view()
    view.flags.writeable = False
    return view


def space_of(
    rows: Rows,
    nominal: tuple[str, ...],
    *,
    scale: bool,
    gamma: float = 1.0,
    kind: type[PrototypeSpace] = PrototypeSpace,
) -> PrototypeSpace:
    """The space of these rows, in which the columns named are compared as they are."""
    others = [name for name in rows.schema.names if name not in nominal] if nominal else rows.schema.names
    encoding = Encoding.of(Rows(rows.schema.select(others), rows.pieces), scale=scale)
    return kind(encoding, rows.schema.select(nominal), float(gamma))
