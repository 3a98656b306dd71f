"""All frequent itemsets, by bitsets: Eclat (Zaki 2000) on the rows of each item.

Items are ordered, the rarest first. For each item in turn, only the rows that hold it are considered; each
later item has a bitset over those rows, of the rows that hold it too. From there on,

    rows of {a, b, …, y, z} = rows of {a, b, …, y} & rows of {a, b, …, z},    their number = bits that are set

depth first: a set is extended by the items after its last one, as long as enough rows hold all of it.

A set that is found is stored as its prefix and one more item:

before : int32, the set without its last item, -1 for none;  last : int32, that item;  count : intp

The twin is `apriori.py`: the same sets, level by level.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from openbook.kernels.jit import inner, jit


@intrinsic
def bits_set(_context, word):  # noqa: ARG001 (the type of the argument)
    """How many bits of a word are set."""

    def build(_target, builder, _signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), build


@jit
def grouped_items(keys, values, n_keys):
    """The values of each key, in the order that they come in: where each key's begin, and the values."""
    starts = np.zeros(n_keys + 1, np.int64)
    for key in keys:
        starts[key + 1] += 1
    for key in range(n_keys):
        starts[key + 1] += starts[key]
    ends = starts[:-1].copy()
    out = np.empty(len(values), np.int32)
    for i in range(len(keys)):
        out[ends[keys[i]]] = values[i]
        ends[keys[i]] += 1
    return starts, out


@jit
def mine(transactions, holders, least, longest, span, found):
    """Find the frequent sets that begin with the items of a span; how many, one more than fit if too many.

    Parameters
    ----------
    transactions : starts and items of each row, items in the order of mining
    holders : starts and rows of each item
    least : the fewest rows that hold a frequent set
    longest : the most items of a set
    span : the first item and the one behind the last
    found : before, last, count, arrays to fill
    """
    starts, rows = holders
    before, last, count = found
    n_items = len(starts) - 1
    together = np.empty(n_items, np.int64)
    n = 0
    for first in range(span[0], span[1]):
        own = rows[starts[first] : starts[first + 1]]
        if n == len(before):
            return n + 1
        before[n], last[n], count[n] = -1, first, len(own)
        n += 1
        if longest == 1:
            continue
        count_item_pairs(transactions, own, first, together)
        codes = np.empty(n_items - first - 1, np.int32)
        counts = np.empty(n_items - first - 1, np.int64)
        k = 0
        for item in range(first + 1, n_items):
            if together[item] >= least:
                codes[k], counts[k] = item, together[item]
                k += 1
        if k:
            bits = np.zeros((k, (len(own) + 63) // 64), np.uint64)
            set_bits(transactions, own, first, codes[:k], together, bits)
            n = extend(n - 1, codes[:k], counts[:k], bits, least, longest - 1, found, n)
            if n > len(before):
                return n
    return n


@inner
def count_item_pairs(transactions, own, first, together):
    """Count how many of an item's own rows hold each item behind it; a row's items stand in order."""
    starts, items = transactions
    for item in range(first + 1, len(together)):
        together[item] = 0
    for row in own:
        k = starts[row + 1] - 1
        while items[k] > first:
            together[items[k]] += 1
            k -= 1


@inner
def set_bits(transactions, own, first, codes, place, bits):
    """Set the bit of every row that holds an item, for each of the items; `place` is room to look them up."""
    starts, items = transactions
    for item in range(first + 1, len(place)):
        place[item] = -1
    for k in range(len(codes)):
        place[codes[k]] = k
    for i in range(len(own)):
        bit = np.uint64(1) << np.uint64(i % 64)
        k = starts[own[i] + 1] - 1
        while items[k] > first:
            if place[items[k]] >= 0:
                bits[place[items[k]], i // 64] |= bit
            k -= 1


@jit
def extend(prefix, codes, counts, bits, least, longest, found, n):
    """Add a frequent set's extensions by these items, and theirs; the number of sets found so far.

    codes, counts, bits : of the items, those of its rows that hold them too
    """
    before, last, count = found
    words = bits.shape[1]
    for i in range(len(codes)):
        if n == len(before):
            return n + 1
        before[n], last[n], count[n] = prefix, codes[i], counts[i]
        own, n = n, n + 1
        if longest == 1 or i + 1 == len(codes):
            continue
        more_bits = np.empty((len(codes) - i - 1, words), np.uint64)
        more_codes = np.empty(len(codes) - i - 1, np.int32)
        more_counts = np.empty(len(codes) - i - 1, np.int64)
        k = 0
        for j in range(i + 1, len(codes)):
            both = intersect_rows(bits[i], bits[j], more_bits[k])
            if both >= least:
                more_codes[k], more_counts[k] = codes[j], both
                k += 1
        if k:
            n = extend(own, more_codes[:k], more_counts[:k], more_bits[:k], least, longest - 1, found, n)
            if n > len(before):
                return n
    return n


@inner
def intersect_rows(a, b, out):
    """Set `out` to the rows in both, and count them."""
    n = 0
    for k in range(len(a)):
        out[k] = a[k] & b[k]
        n += bits_set(out[k])  # type: ignore[call-arg]  # numba passes the context
    return n
