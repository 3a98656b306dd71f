"""Fingerprints: locality-sensitive hashing, which finds most of the nearest rows, not all.

    cosine       h(x) = 1 if a·x > 0, else 0, with a normal: at angle θ, rows agree with probability 1 - θ/π
    euclidean    h(x) = ⌊(a·x + b)/w⌋, with a normal, b uniform in [0, w): the nearer, the likelier they agree

A fingerprint is a row of such numbers, and a table holds the rows of each fingerprint together. In each table
a query looks up its own fingerprint, and those that differ from it by the likeliest step in one place, and it
measures the rows that it finds there exactly. A fingerprint has as many functions as it takes for few rows to
share it, and there are as many tables as it takes to find nine in ten of the true neighbours of some of the
rows, or 32; `reason` gives the share found. A query that finds fewer than k rows is answered by brute
force.

keys : int64 (n,), a row's fingerprint as one number: Σ_j weight_j h_j, with wrap-around
"""

from typing import NamedTuple

import numpy as np

from openbook.spaces.brute import Brute
from openbook.spaces.index import nearest_of_pairs, spread_out

#: The recall to reach, and the most tables and functions.
_RECALL, _MOST_TABLES, _MOST_FUNCTIONS = 0.9, 32, 48

#: The mean number of rows that may share a fingerprint.
_SHARING = 16

#: Rows whose neighbours are looked for, and how many of them; rows whose fingerprints are counted.
_SAMPLE, _NEIGHBOURS, _MANY = 200, 10, 20_000


class Functions(NamedTuple):
    """The functions of one table: h = ⌊x·directions + offsets⌋, or its sign."""

    directions: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray
    signs: bool

    @classmethod
    def drawn(cls, rng, n_functions, d, width):
        """Functions drawn at random; signs where there is no width."""
        directions = rng.normal(size=(d, n_functions))
        if width is None:
            powers = np.left_shift(1, np.arange(n_functions))
            return cls(directions, np.zeros(n_functions), powers, signs=True)
        weights = rng.integers(-(2**62), 2**62, n_functions) | 1
        return cls(directions / width, rng.random(n_functions), weights, signs=False)

    def keys(self, rows):
        """The key of each row, (n,), and of the likeliest step in each place, (n, n_functions)."""
        at = rows @ self.directions + self.offsets
        if self.signs:
            places = (at > 0).astype(np.int64)
            steps = 1 - 2 * places
        else:
            places = np.floor(at).astype(np.int64)
            steps = np.where(at - places > 0.5, 1, -1)
        keys = (places * self.weights).sum(axis=1)
        return keys, keys[:, None] + steps * self.weights


class HashTable(NamedTuple):
    """Rows in the order of their keys."""

    functions: Functions
    keys: np.ndarray
    rows: np.ndarray

    def looked_up(self, Q):
        """Queries, and rows that share a key with them."""
        own, steps = self.functions.keys(Q)
        keys = np.column_stack([own, steps])
        first, last = (np.searchsorted(self.keys, keys.ravel(), side) for side in ("left", "right"))
        counts = last - first
        queries = np.repeat(np.arange(len(Q)), counts.reshape(keys.shape).sum(axis=1))
        places = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
        return queries, self.rows[places]


class Fingerprints(Brute):
    """Tables of fingerprints."""

    name = "lsh"
    metrics = ("euclidean", "cosine")
    block = 128

    def __init__(self, points, metric, reason):
        self._asked_for = reason
        super().__init__(points, metric, reason)

    def _build(self):
        super()._build()
        rng = np.random.default_rng(0)
        sample = spread_out(self.n_points, _SAMPLE)
        asked = self.points[sample].astype(np.float64)
        distances, near = super()._nearest(asked, min(_NEIGHBOURS + 1, self.n_points))
        wanted = near != sample[:, None]
        width = None if self.metric.angular else 4 * float(np.median(distances[:, -1])) or 1.0
        size = self._functions_enough(rng, width)
        self._tables: list[HashTable] = []
        hit, looked_at = ~wanted, 0
        recall = 0.0
        while recall < _RECALL and len(self._tables) < _MOST_TABLES:
            functions = Functions.drawn(rng, size, self.points.shape[1], width)
            keys, _ = functions.keys(self.points)
            order = np.argsort(keys, kind="stable")
            self._tables.append(HashTable(functions, keys[order], order))
            queries, rows = self._tables[-1].looked_up(asked)
            looked_at += len(rows)
            pairs = queries * self.n_points + rows
            hit |= np.isin(np.arange(len(sample))[:, None] * self.n_points + near, pairs)
            recall = hit[wanted].mean() if wanted.any() else 1.0
        share = min(looked_at / len(sample) / self.n_points, 1.0)
        tables = f"{len(self._tables)} tables of {size} functions"
        self.reason = (
            f"{self._asked_for}; approximate: {tables} find {recall:.0%} of the {_NEIGHBOURS} nearest of "
            f"{len(sample)} rows, looking at up to {share:.1%} of all rows"
        )

    def _functions_enough(self, rng, width):
        """How many functions it takes for few rows to share a fingerprint."""
        rows = self.points[spread_out(self.n_points, _MANY)]
        few = _SHARING * len(rows) / self.n_points
        for size in range(1, _MOST_FUNCTIONS):
            keys, _ = Functions.drawn(rng, size, self.points.shape[1], width).keys(rows)
            counts = np.unique(keys, return_counts=True)[1]
            if (counts**2).sum() / len(rows) <= max(few, 1.0):
                return size
        return _MOST_FUNCTIONS

    def _pairs(self, Q):
        """Queries and rows to be measured, each pair once, and their distances."""
        from openbook.spaces.tiles import measure_pairs

        found = (table.looked_up(Q) for table in self._tables)
        pairs = np.unique(np.concatenate([queries * self.n_points + rows for queries, rows in found]))
        queries, rows = np.divmod(pairs, self.n_points)
        distances = np.empty(len(pairs))
        measure_pairs(self.points, Q, queries, rows, self.measure, distances)
        return queries, distances, rows

    def _nearest(self, Q, k):
        queries, distances, rows = self._pairs(Q)
        enough = np.bincount(queries, minlength=len(Q)) >= k
        nearest = np.empty((len(Q), k)), np.empty((len(Q), k), np.int64)
        renumbered = np.cumsum(enough) - 1
        kept = enough[queries]
        some = nearest_of_pairs(renumbered[queries[kept]], distances[kept], rows[kept], enough.sum(), k)
        nearest[0][enough], nearest[1][enough] = some
        if not enough.all():
            nearest[0][~enough], nearest[1][~enough] = super()._nearest(Q[~enough], k)
        return nearest

    def _around(self, Q, radius):
        queries, distances, rows = self._pairs(Q)
        inside = distances <= radius
        return queries[inside], distances[inside], rows[inside]
