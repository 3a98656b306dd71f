"""Kernels that arrange points as a balanced tree of tiles: halve by the widest column, again and again.

Of t tiles, the left half has ⌈t/2u⌉ u, where u is the largest power of TILE below t. So every TILE tiles in a
row, and every TILE of such groups, are a part of their own: a node of the tree (`search_tree`). All tiles but
the last are full, whatever the points; equal points may lie on both sides of a cut, as a search goes by what
the nodes enclose and not by where they were cut.

words : uint64 (n,), the rows in the order of the tree so far: the lower half of a word is the row, the upper
    half is where it lies in the column by which its part is cut, between that part's ends; no two are equal
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.spaces.tiles import TILE

#: Rows in the sample that finds the widest column of a large part.
_SAMPLE = 32

#: Cells of a part that is copied together, so that the second cache holds it while it is halved further.
_TOGETHER = 1 << 15

#: Parts that may wait: 2⁶⁴ rows would need no more.
_WAITING = 64

_LOWER = np.uint64(2**32 - 1)
_HALF = np.uint64(32)


class Halved(NamedTuple):
    """Points in tiles, in the order of a tree.

    tiles : (n_tiles, d, TILE), (x - origin) / scale of each point x, infinity where filled up
    rows : int32 (n_tiles, TILE), -1 where filled up
    boxes : float64 (n_tiles, d, 2), the ends of each tile
    """

    tiles: np.ndarray
    rows: np.ndarray
    boxes: np.ndarray
    origin: np.ndarray
    scale: float


class BuildBuffers(NamedTuple):
    """Work arrays: the stack of parts, with the box of each; rows that are copied together; samples."""

    firsts: np.ndarray
    lasts: np.ndarray
    boxes: np.ndarray
    near: np.ndarray
    near_rows: np.ndarray
    spread: np.ndarray
    sample: np.ndarray


def halved(points, origin=None, scale=1.0, dtype=None):
    """The points as `Halved`; the boxes are of points as they are, neither moved nor scaled."""
    n, d = points.shape
    n_tiles, together = -(-n // TILE), max(_TOGETHER // d, TILE)
    tiles = np.empty((n_tiles, d, TILE), dtype or points.dtype)
    tiles[-1] = np.inf
    rows, boxes = np.full((n_tiles, TILE), -1, np.int32), np.empty((n_tiles, d, 2))
    done = Halved(tiles, rows, boxes, np.zeros(d) if origin is None else origin, float(scale))
    stack = np.zeros(_WAITING, np.int64), np.full(_WAITING, n_tiles), np.empty((_WAITING, d, 2))
    near = np.empty((together, d), points.dtype), np.empty(together, np.int64)
    buffers = BuildBuffers(*stack, *near, np.empty((d, 2)), np.empty(_SAMPLE, np.uint64))
    _halve(points, np.arange(n, dtype=np.uint64), buffers, done)
    return done


@inner
def _row(word):
    return np.int64(word & _LOWER)


@inner
def _widen(ends, x):
    if x < ends[0]:  # noqa: PLR1730 (stores seldom)
        ends[0] = x
    if x > ends[1]:  # noqa: PLR1730
        ends[1] = x


@inner
def _enclose(points, words, first, last, step, box):
    """Find the ends of every step-th row, column by column."""
    d = points.shape[1]
    for j in range(d):
        box[j, 0], box[j, 1] = np.inf, -np.inf
    for i in range(first, last, step):
        row = _row(words[i])
        for j in range(d):
            _widen(box[j], points[row, j])


@inner
def _widest(box):
    widest = 0
    for j in range(1, box.shape[0]):
        if box[j, 1] - box[j, 0] > box[widest, 1] - box[widest, 0]:
            widest = j
    return widest


@inner
def _pivot(words, first, last, target, sample):
    """A word near the one that belongs to `target`, rather on the side of it that has more; not the first."""
    size = last - first
    n = min(3 if size <= 256 else 7 if size <= 2048 else 25, size)
    for i in range(n):
        word = words[first + (2 * i + 1) * size // (2 * n)]
        j = i
        while j > 0 and sample[j - 1] > word:
            sample[j] = sample[j - 1]
            j -= 1
        sample[j] = word
    place = (target - first) * n // size
    if 3 * place < n:
        place += n // 8
    elif 3 * (n - 1 - place) < n:
        place -= n // 8
    return sample[max(place, 1)]


@inner
def _select(words, first, last, target, sample):
    """Order so that all words before `target` are smaller than all from there on; gives what parts them."""
    while True:
        pivot = _pivot(words, first, last, target, sample)
        middle = first
        for i in range(first, last):
            word = words[i]
            words[i] = words[middle]
            words[middle] = word
            middle += word < pivot
        if middle == target:
            return pivot
        if target < middle:
            last = middle
        else:
            first = middle


@inner
def _copy(box, to):
    for j in range(box.shape[0]):
        to[j, 0], to[j, 1] = box[j, 0], box[j, 1]


@inner
def _left_half(n_tiles):
    """How many of the tiles are on the left: whole units, of the largest power of TILE below them."""
    unit = 1
    while unit * TILE < n_tiles:
        unit *= TILE
    return (n_tiles + 2 * unit - 1) // (2 * unit) * unit


@inner
def _bring_together(points, words, first, last, buffers):
    """Copy rows to one place, and have the words speak of that place."""
    for i in range(first, last):
        row = _row(words[i])
        buffers.near_rows[i - first] = row
        words[i] = i - first
        for j in range(points.shape[1]):
            buffers.near[i - first, j] = points[row, j]


@inner
def _fill(words, first, last, buffers, done, t):
    """Fill in a tile, and the box around its points."""
    _enclose(buffers.near, words, first, last, 1, done.boxes[t])
    tile, tile_rows = done.tiles[t], done.rows[t]
    for i in range(first, last):
        row = _row(words[i])
        tile_rows[i - first] = buffers.near_rows[row]
        for j in range(tile.shape[0]):
            tile[j, i - first] = (buffers.near[row, j] - done.origin[j]) / done.scale


@inner
def _cut(source, words, first, last, middle, column, at, buffers):
    """Order the words of a part by a column around the middle.

    Its box, at the place `at`, is cut to what lies beyond, and the next one made of what lies before.
    """
    beyond, box = buffers.boxes[at], buffers.boxes[at + 1]
    _copy(beyond, box)
    low, width = box[column, 0], box[column, 1] - box[column, 0]
    scale = 2.0**31 / width if width > 1e-290 else 0.0
    for i in range(first, last):
        row = words[i] & _LOWER
        place = np.uint64(max(source[np.int64(row), column] - low, 0.0) * scale)
        words[i] = (place << _HALF) | row
    cut = _select(words, first, last, middle, buffers.sample) >> _HALF
    if scale > 0.0:
        box[column, 1] = low + (cut + 1) / scale
        beyond[column, 0] = low + cut / scale


@jit
def _halve(points, words, buffers, done):
    """Fill in tiles, rows and boxes; words are the rows, in any order."""
    together_until = 0
    at = 0  # the current part, on top of the stack
    while at >= 0:  # what lies beyond the middle waits in the place of the whole, what lies before it is next
        first_tile, last_tile, box = buffers.firsts[at], buffers.lasts[at], buffers.boxes[at]
        first, last = first_tile * TILE, min(last_tile * TILE, points.shape[0])
        fresh = first >= together_until and last - first <= buffers.near.shape[0]
        if fresh:
            _bring_together(points, words, first, last, buffers)
            together_until = last
        together = first < together_until
        if last_tile - first_tile == 1:
            _fill(words, first, last, buffers, done, first_tile)
            at -= 1
            continue
        source = buffers.near if together else points
        if fresh or not together:
            whole = fresh or last - first == points.shape[0]
            _enclose(source, words, first, last, 1 if whole else (last - first) // _SAMPLE, buffers.spread)
            if whole:
                _copy(buffers.spread, box)
        column = _widest(box if together else buffers.spread)
        middle_tile = first_tile + _left_half(last_tile - first_tile)
        _cut(source, words, first, last, middle_tile * TILE, column, at, buffers)
        buffers.firsts[at], at = middle_tile, at + 1
        buffers.firsts[at], buffers.lasts[at] = first_tile, middle_tile
