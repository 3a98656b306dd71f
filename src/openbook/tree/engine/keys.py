"""The rows of a sorted column: a key of 32 bits for each, in ascending order of the numbers.

    row        29 bits: the row, or the fractional instance (see `grow`)
    CLASS      set for the second of two classes
    FIRST      set if its number differs from that of the key before it
    MISSING    set if its cell is missing; such keys come last, and the first of them is FIRST

The search for cuts needs nothing else: the numbers themselves are not read again. The sort is stable.

Columns are sorted as whole numbers of 64 bits, the number in float32 before the row: byte by byte, from the
last to the first (radix sort), in time proportional to the number of rows. Rows whose numbers are equal in
float32 are then sorted by the numbers themselves.
"""

from typing import NamedTuple

import numpy as np

from openbook.errors import RefusalError
from openbook.kernels.jit import exact, jit

#: A key holds the number of so many rows and fractional instances.
MOST_ROWS = 2**29
ROW, CLASS, FIRST, MISSING = np.array([MOST_ROWS - 1, 2**29, 2**30, 2**31], np.uint32)
CLASS_BIT, FIRST_BIT, NONE = np.array([29, 30, 0], np.uint32)

#: The bits of the float32 number among 64, and the value for a missing one.
HIGH, GAP, LOW = np.uint64(32), np.uint64(2**32 - 1), np.uint64(2**32 - 1)
#: The sign bit of a float32 number, and its position; zero, positive or negative, as a whole number.
SIGN, SIGN_BIT, ZERO = np.uint64(2**31), np.uint64(31), np.uint64(2**31)
#: The radix sort takes one byte at a time.
BYTE, IN_BYTE = np.uint64(8), np.uint64(255)
#: Sorting what is equal in float32 may take so many moves per row; if it takes more, ranks are sorted
#: instead.
PATIENCE = 4


def check_rows(n):
    """Refuse more rows, fractional instances included, than keys can hold."""
    if n > MOST_ROWS:
        raise RefusalError(f"{n:,} rows exceed the {MOST_ROWS:,} that can be sorted; set `bins`")


def sort_rows(numbers, keys, buffer):
    """Fill in the keys of rows with these numbers, NaN if missing; gives how many distinct numbers there are.

    buffer : uint64 (2, n_rows), to sort in
    """
    float32_and_row(numbers, buffer[0])
    sort_by_float32(*buffer, np.zeros((4, 256), np.int64))
    distinct = fill_keys(numbers, buffer[0], keys)
    return fill_keys(numbers, _by_rank(numbers), keys) if distinct < 0 else distinct


class Ranked(NamedTuple):
    """Columns of few rows, sorted.

    keys : uint32 (n_columns, n_rows)
    ranks : (n_columns, n_rows), how many distinct numbers are below that of each row; all, if it is missing
    distinct : (n_columns,), how many distinct numbers there are
    values : these numbers in order, column after column
    """

    keys: np.ndarray
    ranks: np.ndarray
    distinct: np.ndarray
    values: np.ndarray


def rank_few(numbers):
    """`sort_rows` for each row of `numbers`, and their ranks, without kernels."""
    order = np.argsort(numbers, axis=1, kind="stable")
    at = order + np.arange(0, numbers.size, numbers.shape[1])[:, None]  # among the cells of all columns
    ascending = numbers.take(at)
    missing, first = np.isnan(ascending), np.ones(numbers.shape, dtype=bool)
    first[:, 1:] = (ascending[:, 1:] != ascending[:, :-1]) & ~missing[:, :-1]
    keys = order.astype(np.uint32) | np.where(first, FIRST, NONE) | np.where(missing, MISSING, NONE)
    ranks, first_known = np.empty_like(order), first & ~missing
    ranks.put(at, np.cumsum(first, axis=1) - 1)
    return Ranked(keys, ranks, first_known.sum(axis=1), ascending[first_known])


@jit(_nrt=False)
def float32_and_row(numbers, order):
    """Fill in each number in float32, as a whole number of the same order, followed by its row."""
    for i in range(numbers.size):
        x = np.float32(numbers[i])
        bits = np.uint64(x.view(np.uint32))
        is_below = bits >> SIGN_BIT
        high = bits ^ (SIGN | (is_below * (SIGN - np.uint64(1))))  # below zero, all bits are flipped
        if x == 0:
            high = ZERO
        if np.isnan(x):
            high = GAP
        order[i] = high << HIGH | np.uint64(i)


@jit(_nrt=False)
def sort_by_float32(order, other, counts):
    """Sort by the high halves, stably.

    other : a buffer of the same size; counts : int64 (4, 256), zeros
    """
    for i in range(order.size):
        high = order[i] >> HIGH
        for byte in range(4):
            counts[byte, np.uintp((high >> (BYTE * np.uint64(byte))) & IN_BYTE)] += 1
    for byte in range(4):
        move_by(order, other, HIGH + BYTE * np.uint64(byte), counts[byte])
        order, other = other, order


@exact
def move_by(order, to, shift, counts):
    """Move each word to the place of its byte; counts : the number of words with each byte."""
    end = 0
    for b in range(counts.size):
        counts[b], end = end, end + counts[b]
    for i in range(order.size):
        byte = np.uintp((order[i] >> shift) & IN_BYTE)
        to[np.uintp(counts[byte])] = order[i]
        counts[byte] += 1


def _by_rank(numbers):
    """The rows sorted by the ranks of their numbers, the rank before the row."""
    order = np.argsort(numbers)
    ascending = numbers[order]
    order[1:] |= np.cumsum(ascending[1:] > ascending[:-1]) << 32
    order = order.astype(np.uint64)
    order[np.isnan(ascending)] |= GAP << HIGH
    order.sort()
    return order


@jit(_nrt=False)
def fill_keys(numbers, order, keys):
    """Fill in the keys from the sorted `order`, after sorting the rows of equal high halves by their numbers;
    gives how many distinct numbers there are, or -1 if that takes too many moves.
    """
    distinct, moves, n = 0, 0, order.size
    for k in range(1, n):
        this, at = order[k], k
        high = this >> HIGH
        if high == order[k - 1] >> HIGH and high != GAP:
            x = numbers[this & LOW]
            while at > 0 and order[at - 1] >> HIGH == high and numbers[order[at - 1] & LOW] > x:
                order[at] = order[at - 1]
                at -= 1
            order[at] = this
            moves += k - at
            if moves > PATIENCE * n:
                return -1
    for k in range(n):
        high, row = order[k] >> HIGH, order[k] & LOW
        is_first = k == 0 or high != order[k - 1] >> HIGH
        is_first = is_first or (high != GAP and numbers[row] > numbers[order[k - 1] & LOW])
        distinct += is_first and high != GAP
        keys[k] = np.uint32(row) | (FIRST if is_first else NONE) | (MISSING if high == GAP else NONE)
    return distinct


@jit(_nrt=False)
def mark_class(keys, y):
    """Set the class, 0 or 1, in each key."""
    for f in range(keys.shape[0]):
        for k in range(keys.shape[1]):
            key = keys[f, k] & ~CLASS
            keys[f, k] = key | (np.uint32(y[np.uintp(key & ROW)]) << CLASS_BIT)


@jit(_nrt=False)
def select_keys(keys, kept, own):
    """Fill in the keys of a column whose rows are kept."""
    to, first = 0, np.uint32(0)
    for k in range(keys.size):
        key = keys[k]
        first |= key & FIRST
        if kept[np.uintp(key & ROW)]:
            own[to] = key | first
            first = np.uint32(0)
            to += 1
