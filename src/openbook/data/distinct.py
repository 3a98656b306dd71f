"""The distinct values of an array in order, and the position of each cell's value among them.

Whole numbers that lie close together are counted, which takes one pass; other numbers are sorted, and objects
are hashed. Cells must be known.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: Whole numbers below this are exact as floats.
EXACT = 2**53

#: Texts of more characters are hashed one by one.
_LONG = 32

#: An odd number with bits all over, by which characters are mixed (2^64 over the golden ratio).
_MIXER = np.uint64(0x9E3779B97F4A7C15)

#: Counting pays while the range is no wider than this or than the array is long.
_NARROW = 1000


def distinct_codes(cells: Array) -> tuple[Array, Array]:
    """What `numpy.unique(cells, return_inverse=True)` gives.

    >>> distinct_codes(np.array([7.0, 5.0, 7.0]))
    (array([5., 7.]), array([1, 0, 1]))
    """
    found = _offsets(cells) if cells.size and cells.dtype.kind in "iuf" else None
    if found is None:
        return np.unique(cells, return_inverse=True)
    codes, low = found
    occurs = np.bincount(codes) > 0
    values = (np.flatnonzero(occurs) + low).astype(cells.dtype)
    return values, codes if occurs.all() else (np.cumsum(occurs) - 1)[codes]


def _offsets(cells: Array) -> tuple[Array, int] | None:
    """How far each cell lies above the least, and that one, where all are whole and close together."""
    least, most = cells.min(), cells.max()
    if not (-EXACT < least <= most < EXACT):  # NaN and infinity included
        return None
    low, high = int(least), int(most)
    if high - low > max(len(cells), _NARROW):
        return None
    offsets = np.subtract(cells, low, dtype=np.int64, casting="unsafe")  # cast in passing: one array
    return (offsets, low) if cells.dtype.kind != "f" or (offsets + low == cells).all() else None


def hashed_codes(cells: Sequence[Hashable]) -> tuple[list[Any], Array]:
    """The distinct objects in the order in which they occur first, and the position of each cell's.

    >>> hashed_codes(["b", "a", "b"])
    (['b', 'a'], array([0, 1, 0]))
    """
    position = {value: i for i, value in enumerate(dict.fromkeys(cells))}
    return list(position), np.fromiter(map(position.__getitem__, cells), np.intp, len(cells))


def text_codes(cells: Array) -> tuple[list[Any], Array]:
    """`hashed_codes` of an array of texts of fixed width.

    Their characters are mixed into one number, and the numbers sorted: no cell becomes an object. Long texts,
    and texts of which two mix alike, are hashed after all.

    >>> text_codes(np.array(["b", "a", "b"]))
    (['b', 'a'], array([0, 1, 0]))
    """
    if not len(cells) or not 0 < cells.itemsize <= 4 * _LONG:
        return hashed_codes(cells.tolist())
    characters = np.ascontiguousarray(cells).view(np.uint32).reshape(len(cells), -1)
    mixed = np.zeros(len(cells), np.uint64)
    for column in characters.T:
        mixed ^= column
        mixed *= _MIXER  # modulo 2^64
    distinct = np.unique(mixed)
    codes, first = np.searchsorted(distinct, mixed), np.empty(len(distinct), np.intp)
    first[codes[::-1]] = np.arange(len(cells))[::-1]  # the last that is written stays
    if (characters != characters[first][codes]).any():
        return hashed_codes(cells.tolist())
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return cells[first[order]].tolist(), rank[codes]


def is_exact(numbers: Array) -> bool:
    """Whether whole numbers that became these floats have kept all their digits for certain."""
    return not ((np.abs(numbers) >= EXACT) & np.isfinite(numbers)).any()
