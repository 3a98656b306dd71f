r"""Kernels of the isolation forest: grow trees on small samples, and measure the path length of rows.

A tree of at most L levels is laid out as a full one: below node i are 2i + 1 and 2i + 2, so that no child
needs an address and every row takes exactly L steps. A row goes right where low <= x < high, and left
otherwise. A leaf above the last level repeats itself down to it: its interval is empty.

    [cut, ∞) or (-∞, cut)         numbers and ranks, so that the larger part of the rows goes left
    [value - 1/2, value + 1/2)    categories: equal to this one

NaN is in no interval, so missing goes left. To count steps, every test is one comparison, plane >= cut: a
plane is a column as it is, or turned round, or 1 if a category is equal and 0 elsewhere; -∞ where
missing.

x : float32 (d, n), column after column, NaN where missing; numbers as shares of their range in training
columns, low, high : (trees, 2^L - 1), the test of each inner node
lengths : float32 (trees, 2^L), the expected number of steps of a row that ends there: depth + c(rows there)
sizes : int32 (trees, 2^(L+1) - 1), the rows of the sample in every node
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit

#: Rows of a block, whose steps are counted together: their cells stay in the first cache.
BLOCK = 512

_EULER = 0.5772156649015329

#: Below every number, but above missing.
_LEAST = np.float32(-3e38)


class IsolationTrees(NamedTuple):
    """Trees, laid out as full ones, level by level; see the module."""

    columns: np.ndarray
    low: np.ndarray
    high: np.ndarray
    lengths: np.ndarray
    sizes: np.ndarray

    @classmethod
    def empty(cls, trees, levels):
        nodes, leaves = (trees, 2**levels - 1), (trees, 2**levels)
        columns, sizes = np.zeros(nodes, np.int32), np.zeros((trees, 2 ** (levels + 1) - 1), np.int32)
        low, high, lengths = (np.zeros(shape, np.float32) for shape in (nodes, nodes, leaves))
        return cls(columns, low, high, lengths, sizes)


class Tests(NamedTuple):
    """The same as comparisons with planes: where the plane begins in a block, the cut, and the lengths."""

    offsets: np.ndarray
    cuts: np.ndarray
    lengths: np.ndarray


class CellPlanes(NamedTuple):
    """Of each plane the column, and its kind: 1 as it is, -1 turned round, 0 whether it equals the value."""

    columns: np.ndarray
    kinds: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, forest):
        """The planes that the tests of a forest need, and these tests."""
        live = forest.low < forest.high
        above, below = np.isposinf(forest.high), np.isneginf(forest.low)
        kinds = np.where(above, 1, np.where(below, -1, 0))
        values = np.where(kinds == 0, forest.low + np.float32(0.5), np.float32(0.0))
        keys = np.stack([forest.columns, kinds, values], axis=-1)[live]
        planes, which = np.unique(keys.reshape(-1, 3), axis=0, return_inverse=True)
        # -x > -cut is -x >= the next number
        turned = np.nextafter(-forest.high, np.float32(np.inf), dtype=np.float32)
        cuts = np.where(kinds == 1, forest.low, np.where(kinds == -1, turned, np.float32(0.5)))
        offsets = np.zeros(live.shape, np.uint32)
        offsets[live] = which.ravel() * BLOCK
        cuts = np.where(live, cuts, np.float32(np.inf)).astype(np.float32)
        columns, own, values = planes.T
        return cls(columns.astype(np.intp), own.astype(np.int8), values), Tests(offsets, cuts, forest.lengths)

    def blocks(self, x):
        """The cells x, (d, n), in blocks of planes; the last block is filled up."""
        n = x.shape[1]
        whole = -(-n // BLOCK)
        blocks = np.zeros((whole, max(len(self.columns), 1), BLOCK), np.float32)
        cells = np.zeros(whole * BLOCK, np.float32)
        for p, (column, kind, value) in enumerate(zip(*self, strict=True)):
            cells[:n] = x[column] == value if kind == 0 else kind * x[column]
            np.copyto(cells, np.float32(-np.inf), where=np.isnan(cells))
            blocks[:, p] = cells.reshape(whole, BLOCK)
        return blocks.reshape(whole, -1)


@inner
def expected_steps(n):
    """c(n): the mean number of steps that isolate one of n rows, as in a search tree at random."""
    if n <= 1:
        return 0.0
    if n == 2:
        return 1.0
    return 2.0 * (np.log(n - 1.0) + _EULER) - 2.0 * (n - 1.0) / n


@inner
def uniform(state):
    """The next number from 0 to 1 of a small generator (xorshift64*)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return np.float64((x * np.uint64(2685821657736338717)) >> np.uint64(11)) / 9007199254740992.0


@inner
def ends_of_rows(x, column, rows, first, last):
    """The least and greatest known cell of a column among some rows, and how many are missing."""
    least, most, missing = np.float32(np.inf), np.float32(-np.inf), 0
    for i in range(first, last):
        value = x[column, rows[i]]
        if value == value:  # noqa: PLR0124 (NaN is not itself)
            least, most = min(least, value), max(most, value)
        else:
            missing += 1
    return least, most, missing


@inner
def part_rows(x, column, low, high, rows, first, last):
    """Rows outside of the interval first; gives how many they are."""
    at = first
    for i in range(first, last):
        value = x[column, rows[i]]
        if not (low <= value < high):
            rows[i], rows[at] = rows[at], rows[i]
            at += 1
    return at


@inner
def choose_test(x, nominal, columns, rows, first, last, state):
    """A test in a column that varies among the rows, at random: column, low, high; -1 if none varies."""
    left = columns.shape[0]
    while left > 0:
        pick = int(uniform(state) * left)
        column = columns[pick]
        least, most, missing = ends_of_rows(x, column, rows, first, last)
        if least < most or (missing > 0 and least <= most):
            break
        left -= 1
        columns[pick], columns[left] = columns[left], column
    if left == 0:
        return -1, np.float32(0.0), np.float32(0.0)
    if nominal[column]:
        value = x[column, rows[first + int(uniform(state) * (last - first))]]
        while value != value:  # noqa: PLR0124
            value = x[column, rows[first + int(uniform(state) * (last - first))]]
        return column, value - np.float32(0.5), value + np.float32(0.5)
    if least == most:  # known and missing are all that differ
        return column, _LEAST, np.float32(np.inf)
    cut = least + np.float32(uniform(state)) * (most - least)
    cut = most if cut <= least else cut
    below = 0
    for i in range(first, last):
        below += x[column, rows[i]] < cut
    # missing goes left, and so does the larger side
    if 2 * below >= last - first - missing:
        return column, cut, np.float32(np.inf)
    return column, np.float32(-np.inf), cut


@jit
def grow_isolation_trees(x, nominal, samples, seeds, forest):
    """Grow a tree on each sample, rows of x: int64 (trees, size)."""
    n_inner = forest.columns.shape[1]
    d = x.shape[0]
    columns, state = np.empty(d, np.int64), np.empty(1, np.uint64)
    starts, stops = np.zeros(2 * n_inner + 1, np.int64), np.zeros(2 * n_inner + 1, np.int64)
    for t in range(samples.shape[0]):
        rows = samples[t]
        state[0] = seeds[t]
        starts[0], stops[0] = 0, rows.shape[0]
        for node in range(n_inner):
            first, last = starts[node], stops[node]
            forest.sizes[t, node] = last - first
            for j in range(d):
                columns[j] = j
            column, low, high = -1, np.float32(0.0), np.float32(0.0)
            if last - first > 1:
                column, low, high = choose_test(x, nominal, columns, rows, first, last, state)
            middle = last
            if column >= 0:
                middle = part_rows(x, column, low, high, rows, first, last)
            else:
                column, low, high = 0, np.float32(np.inf), np.float32(-np.inf)
            forest.columns[t, node], forest.low[t, node], forest.high[t, node] = column, low, high
            starts[2 * node + 1], stops[2 * node + 1] = first, middle
            starts[2 * node + 2], stops[2 * node + 2] = middle, last
        for node in range(n_inner, 2 * n_inner + 1):
            forest.sizes[t, node] = stops[node] - starts[node]
    measure_paths(forest)


@jit
def measure_paths(forest):
    """Fill in the lengths: where a leaf repeats itself no step is taken."""
    n_inner = forest.columns.shape[1]
    for t in range(forest.columns.shape[0]):
        for node in range(n_inner, 2 * n_inner + 1):
            at, depth = node, 0
            while at > 0:
                at = (at - 1) // 2
                depth += forest.low[t, at] < forest.high[t, at]
            forest.lengths[t, node - n_inner] = depth + expected_steps(forest.sizes[t, node])


@jit
def add_lengths(blocks, tests, total):
    """Add the lengths of all trees for every row of the blocks, float32 (n_blocks, n_planes * BLOCK)."""
    first_leaf = np.uint32(tests.cuts.shape[1])
    levels = 0
    while 2**levels <= tests.cuts.shape[1]:
        levels += 1
    nodes = np.empty(BLOCK, np.uint32)
    for b in range(blocks.shape[0]):
        x, sums = blocks[b], total[b]
        for t in range(tests.cuts.shape[0]):
            offsets, cuts, lengths = tests.offsets[t], tests.cuts[t], tests.lengths[t]
            for i in range(BLOCK):
                nodes[i] = 0
            for _ in range(levels):
                for i in range(BLOCK):
                    at = nodes[i]  # unsigned, so that no index is taken to count from the end
                    right = x[offsets[at] + np.uint32(i)] >= cuts[at]
                    nodes[i] = np.uint32(2) * at + np.uint32(1) + np.uint32(right)
            for i in range(BLOCK):
                sums[i] += lengths[nodes[i] - first_leaf]
