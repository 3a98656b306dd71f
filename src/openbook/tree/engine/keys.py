"""Rows in the order of a column: a key of 32 bits for each, ascending.

    row        29 bits: the row, or the instance that is a part of one (see `grow`)
    CLASS      of two classes, it has the second
    FIRST      its number is not that of the key before it
    MISSING    its cell is missing; such keys stand last, and the first of them is FIRST

That is all a search for cuts has to know: the numbers themselves are not looked at again. Rows with the same
number stand in their own order.

Columns are sorted as whole numbers of 64 bits, first the number in float32, then the row: by one byte after
the other, from the last to the first (radix sort), which takes as long for a row among many as among few.
What float32 cannot tell apart is put right by the numbers themselves.
"""

from typing import NamedTuple

import numpy as np

from openbook.errors import RefusalError
from openbook.kernels.jit import inner, jit

#: So many rows, or parts of rows, can be told apart.
MOST_ROWS = 2**29
ROW, CLASS, FIRST, MISSING = np.array([MOST_ROWS - 1, 2**29, 2**30, 2**31], np.uint32)
CLASS_BIT, FIRST_BIT, NONE = np.array([29, 30, 0], np.uint32)

#: Where a number in float32 stands in 64 bits, and what stands there for a missing one.
HIGH, GAP, LOW = np.uint64(32), np.uint64(2**32 - 1), np.uint64(2**32 - 1)
#: The sign of a number in float32, and where it stands; zero, of which there are two, as a whole number.
SIGN, SIGN_BIT, ZERO = np.uint64(2**31), np.uint64(31), np.uint64(2**31)
#: What is sorted by at a time.
BYTE, IN_BYTE = np.uint64(8), np.uint64(255)
#: Putting right what float32 cannot tell apart may take so many moves a row; else ranks are sorted.
PATIENCE = 4


def check_rows(n):
    """Refuse more rows, or parts of rows, than keys can tell apart."""
    if n > MOST_ROWS:
        raise RefusalError(f"{n:,} rows exceed the {MOST_ROWS:,} that can be sorted; set `bins`")


def sort_rows(numbers, keys, room):
    """Fill in the keys of rows with these numbers, NaN if missing; how many distinct numbers there are.

    room : uint64 (2, n_rows), to sort in
    """
    put_in_front(numbers, room[0])
    sort_by_front(*room, np.zeros((4, 256), np.int64))
    distinct = put_in_order(numbers, room[0], keys)
    return put_in_order(numbers, _by_rank(numbers), keys) if distinct < 0 else distinct


class Ranked(NamedTuple):
    """Columns of few rows, in order.

    keys : uint32 (n_columns, n_rows)
    ranks : (n_columns, n_rows), how many distinct numbers are less than each row's; all, if it is missing
    distinct : (n_columns,), how many distinct numbers there are
    values : these numbers in order, column after column
    """

    keys: np.ndarray
    ranks: np.ndarray
    distinct: np.ndarray
    values: np.ndarray


def rank_few(numbers):
    """What `sort_rows` makes of each row of numbers, and their ranks, without kernels."""
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
def put_in_front(numbers, order):
    """Fill in each number in float32, as a whole number that is as great among others, and its row."""
    for i in range(numbers.size):
        x = np.float32(numbers[i])
        bits = np.uint64(x.view(np.uint32))
        is_below = bits >> SIGN_BIT
        high = bits ^ (SIGN | (is_below * (SIGN - np.uint64(1))))  # below zero, the more bits the less
        if x == 0:
            high = ZERO
        if np.isnan(x):
            high = GAP
        order[i] = high << HIGH | np.uint64(i)


@jit(_nrt=False)
def sort_by_front(order, other, counts):
    """Sort by the high halves; those that share one stay as they stand.

    other : room for as much; counts : int64 (4, 256), zeros
    """
    for i in range(order.size):
        high = order[i] >> HIGH
        for byte in range(4):
            counts[byte, np.uintp((high >> (BYTE * np.uint64(byte))) & IN_BYTE)] += 1
    for byte in range(4):
        move_by(order, other, HIGH + BYTE * np.uint64(byte), counts[byte])
        order, other = other, order


@inner
def move_by(order, to, shift, counts):
    """Move each word to where those with its byte go, which are so many."""
    end = 0
    for b in range(counts.size):
        counts[b], end = end, end + counts[b]
    for i in range(order.size):
        byte = np.uintp((order[i] >> shift) & IN_BYTE)
        to[np.uintp(counts[byte])] = order[i]
        counts[byte] += 1


def _by_rank(numbers):
    """The rows by the ranks of their numbers, which stand in front of them."""
    order = np.argsort(numbers)
    ascending = numbers[order]
    order[1:] |= np.cumsum(ascending[1:] > ascending[:-1]) << 32
    order = order.astype(np.uint64)
    order[np.isnan(ascending)] |= GAP << HIGH
    order.sort()
    return order


@jit(_nrt=False)
def put_in_order(numbers, order, keys):
    """Fill in the keys of rows, the low halves of `order`, that are in order but for equal high halves: how
    many distinct numbers there are; or -1 if too many rows have yet to be put in order.
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
    """Put the class of its row, 0 or 1, into each key."""
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
