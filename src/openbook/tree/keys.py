"""Rows in the order of a column: a key of 32 bits for each, ascending.

    row        29 bits: the row, or the instance that is a part of one (see `grow`)
    CLASS      of two classes, it has the second
    FIRST      its number is not that of the key before it
    MISSING    its cell is missing; such keys stand last, and the first of them is FIRST

That is all a search for cuts has to know: the numbers themselves are not looked at again. Rows with the same
number stand in their own order.

Columns are sorted as whole numbers of 64 bits, which processors do by the vector: first the number in
float32, then the row. What float32 cannot tell apart is put right by the numbers themselves.
"""

import numpy as np

from openbook.errors import RefusalError
from openbook.kernels.jit import jit

__all__ = [
    "CLASS",
    "CLASS_BIT",
    "FIRST",
    "FIRST_BIT",
    "MISSING",
    "MOST_ROWS",
    "ROW",
    "check_rows",
    "mark_class",
    "only",
    "sort_rows",
]

#: So many rows, or parts of rows, can be told apart.
MOST_ROWS = 2**29
ROW, CLASS, FIRST, MISSING = np.array([MOST_ROWS - 1, 2**29, 2**30, 2**31], np.uint32)
CLASS_BIT, FIRST_BIT, NONE = np.array([29, 30, 0], np.uint32)

#: Where a number in float32 stands in 64 bits, and what stands there for a missing one.
HIGH, GAP = np.int64(32), np.int64(2**31 - 1)
LOW = np.int64(2**32 - 1)
#: Putting right what float32 cannot tell apart may take so many moves a row; else ranks are sorted.
PATIENCE = 4


def check_rows(n):
    """Refuse more rows, or parts of rows, than keys can tell apart."""
    if n > MOST_ROWS:
        msg = f"{n:,} rows are more than the {MOST_ROWS:,} that can be sorted; give `bins` instead"
        raise RefusalError(msg)


def sort_rows(numbers, keys):
    """Fill in the keys of rows with these numbers, NaN if missing; how many distinct numbers there are."""
    distinct = put_in_order(numbers, _by_float32(numbers), keys)
    return put_in_order(numbers, _by_rank(numbers), keys) if distinct < 0 else distinct


def _by_float32(numbers):
    """The rows by their numbers in float32, which stand in front of them."""
    order = np.empty(len(numbers), np.int64)
    put_in_front(numbers, order)
    order.sort()
    return order


@jit(_nrt=False)
def put_in_front(numbers, order):
    """Fill in each number in float32, as a whole number that is as great among others, and its row."""
    for i in range(numbers.size):
        x = np.float32(numbers[i])
        bits = np.int64(x.view(np.int32))
        high = bits if bits >= 0 else bits ^ GAP
        if x == 0:  # of which there are two
            high = np.int64(0)
        if np.isnan(x):
            high = GAP
        order[i] = high << HIGH | i


def _by_rank(numbers):
    """The rows by the ranks of their numbers, which stand in front of them."""
    order = np.argsort(numbers)
    ascending = numbers[order]
    order[1:] |= np.cumsum(ascending[1:] > ascending[:-1]) << HIGH
    order[np.isnan(ascending)] |= GAP << HIGH
    order.sort()
    return order


@jit(_nrt=False)
def put_in_order(numbers, order, keys):
    """Fill in the keys of rows, the low halves of `order`, that are in order but for equal high halves: how
    many distinct numbers there are; or -1 if too many rows have yet to be put in order.
    """
    distinct, moves, n, last = 0, 0, order.size, np.int64(-(2**31) - 1)
    for k in range(n):
        this = order[k]
        high, at = this >> HIGH, k
        if high == last and high != GAP:
            x = numbers[this & LOW]
            while at > 0 and order[at - 1] >> HIGH == high and numbers[order[at - 1] & LOW] > x:
                order[at] = order[at - 1]
                at -= 1
            order[at] = this
            moves += k - at
            if moves > PATIENCE * n:
                return -1
        last = high
    last = np.int64(-(2**31) - 1)
    for k in range(n):
        high, row = order[k] >> HIGH, order[k] & LOW
        is_first = high != last or (high != GAP and numbers[row] > numbers[order[k - 1] & LOW])
        distinct += is_first and high != GAP
        keys[k] = np.uint32(row) | (FIRST if is_first else NONE) | (MISSING if high == GAP else NONE)
        last = high
    return distinct


@jit(_nrt=False)
def mark_class(keys, y):
    """Put the class of its row, 0 or 1, into each key."""
    for f in range(keys.shape[0]):
        for k in range(keys.shape[1]):
            key = keys[f, k] & ~CLASS
            keys[f, k] = key | (np.uint32(y[np.uintp(key & ROW)]) << CLASS_BIT)


@jit(_nrt=False)
def only(keys, kept, own):
    """Fill in those of a column's keys whose rows are kept."""
    to, first = 0, np.uint32(0)
    for k in range(keys.size):
        key = keys[k]
        first |= key & FIRST
        if kept[np.uintp(key & ROW)]:
            own[to] = key | first
            first = np.uint32(0)
            to += 1
