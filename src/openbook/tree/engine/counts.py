"""How many rows of a node have each code, by class; kernels.

Columns are counted one by one, or several at once, side by side, since a row of codes is then read but once.
Of two branches only the smaller is counted so: what is left of their node's counts is the other's.

Where rows weigh 1 each and codes are few, a word of 64 bits has room for all counters of a column and class,
a byte for each code:

    … | count of code 2 | count of code 1 | count of code 0

A row adds 1 << 8 code to the words of its class, which lie next to each other: a processor does that for
several columns at once, and no counter has to be found by its code. A byte counts to MOST. Nodes of no more
rows are weighed by their words; those of larger ones go to the histograms before they run over.

words : uint64 (n_classes, n_columns)
"""

import math

import numpy as np

from openbook.kernels.bits import lowest, without_lowest
from openbook.kernels.jit import inner
from openbook.tree.engine.columns import NOMINAL, ORDERED
from openbook.tree.engine.split import add_target, row_of

#: Where no column has more codes, missing included, counting all at once pays for nodes of any size.
FEW_CODES = 16

#: A cut of numbers needs so many of their sums: the weight, and the target's.
N_NEEDED = 2

#: So many codes, missing included, have a counter in a word; the most rows that it holds.
PER_WORD, MOST = 8, 255

ONE, BITS, COUNTER, ALL = np.uint64(1), np.uint64(8), np.uint64(MOST), np.uint64(2**64 - 1)


@inner
def lay_out(ground, segment, desk):
    """Put the targets and weights of the members on the desk, where coded columns are counted by them."""
    if ground.codes is None:
        return
    start, end = segment
    members, instances = ground.members, ground.instances
    y, number, w = desk.targets.y, desk.targets.number, desk.targets.w
    w_of, number_of, y_of = instances.w, instances.number, instances.y
    for k in range(start, end):
        i = np.uintp(members[k])
        if w.size:
            w[k] = w_of[i]
        if y is None:
            number[k] = number_of[i]
        else:
            y[k] = y_of[i]


@inner
def count_together(ground, n_drawn, node, desk):
    """Count the codes of a node's members in the first columns of the order at once, if the members are many
    and it has no table yet.
    """
    if ground.codes is None:
        return
    columns, order, table, places, where = ground.columns, desk.order, desk.table, desk.places, desk.where
    segment, counted = (np.int64(node.start), np.int64(node.end)), node.table >= 0
    many = counted or table.shape[1] <= FEW_CODES or are_many(segment[1] - segment[0], table)
    first = places.size * np.int64(node.table if counted else -1 - node.table)
    coded = np.int64(0)  # not a literal, for which callees would be compiled anew
    for k in range(n_drawn):
        f = order[k]
        where[f] = -1
        if many and columns[f].kind in (ORDERED, NOMINAL) and coded < places.size:
            where[f], places[coded] = first + coded, columns[f].place
            coded += 1
    if desk.words is not None and coded and desk.words.size:
        count_packed(ground, segment, coded, desk)
    elif coded and not counted:
        count_side_by_side(ground, segment, coded, first, desk)
        node.table = -1 - node.table


@inner
def are_many(n, table):
    """Whether so many members take longer to count than it takes to wipe, or to add up, what they go to."""
    return n >= table.shape[1] * table.shape[2]


@inner
def share_table(ground, node, small, large, desk):
    """Count the smaller branch of a node that has a table; what it leaves of that is the larger one's.

    The branch that stands behind is split first: of both tables it has the later one, and what is behind that
    is free while it grows.
    """
    at_once, table, own = desk.places.size, desk.table, np.int64(node.table)
    first, other = own * at_once, (own + 1) * at_once
    swapped = small.start < large.start
    count_side_by_side(ground, (np.int64(small.start), np.int64(small.end)), at_once, other, desk)
    for j in range(at_once):
        for code in range(table.shape[1]):
            for s in range(table.shape[2]):
                few = table[other + j, code, s]
                rest = table[first + j, code, s] - few
                if swapped:
                    table[first + j, code, s], table[other + j, code, s] = few, rest
                else:
                    table[first + j, code, s] = rest
    large.table, small.table = own + swapped, own + (not swapped)


@inner
def count_codes(ground, f, segment, desk):
    """Add the members of a segment to the histogram of their codes, which holds nothing yet, and note which
    codes may occur (by the last six bits); the targets and weights of the members lie on the desk.
    """
    start, end = segment
    members, codes, rows, n_rows, table = ground.members, ground.codes, ground.rows, ground.n_rows, desk.table
    place, n_codes, at = np.uintp(ground.columns[f].place), ground.columns[f].n_codes, desk.where[f]
    hist, occur, targets = desk.hist, desk.occur, desk.targets
    y, number, w = targets.y, targets.number, targets.w
    bits = np.uint64(0)
    if at >= 0:
        bits, packed = ALL, False
        if desk.words is not None:
            packed = in_words(segment, desk)
        for code in range(n_codes + 1):
            for s in range(table.shape[2]):
                if desk.words is not None and packed:
                    hist[code, s] = counter(desk.words[s, at], code)
                else:
                    hist[code, s] = table[at, code, s]
    else:
        for k in range(start, end):
            code = np.uintp(codes[row_of(rows, n_rows, np.uintp(members[np.uintp(k)])), place])
            add_target(y, number, w, np.uintp(k), hist, code)
            bits |= np.uint64(1) << np.uint64(code & 63)
    for word in range(occur.size):
        occur[word] = bits


@inner
def count_side_by_side(ground, segment, n_columns, first, desk):
    """Count the members of a segment in the columns at the first places, all at once: a row is one read.

    first : where in the table the first of these columns is counted
    """
    start, end = segment
    members, codes, rows, n_rows, table = ground.members, ground.codes, ground.rows, ground.n_rows, desk.table
    targets, places = desk.targets, desk.places[:n_columns]
    y, number, weights = targets.y, targets.number, targets.w
    table, squares = table[first : first + n_columns], table.shape[2] > N_NEEDED
    for j in range(n_columns):
        for code in range(table.shape[1]):
            for s in range(table.shape[2]):
                table[j, code, s] = 0.0
    for at in range(start, end):
        k = np.uintp(at)
        row = row_of(rows, n_rows, np.uintp(members[k]))
        if y is None:
            w = weights[k] if weights.size else 1.0
            wy = w * number[k]
            for j in range(places.size):
                code = np.uintp(codes[row, np.uintp(places[j])])
                table[j, code, 0] += w
                table[j, code, 1] += wy
                if squares:
                    table[j, code, 2] += wy * number[k]
        else:
            c, w = np.uintp(y[k]), weights[k] if weights.size else 1.0
            for j in range(places.size):
                table[j, np.uintp(codes[row, np.uintp(places[j])]), c] += w


@inner
def clear(hist, n_codes, occur):
    """Wipe the histogram, and the set of codes that occur."""
    for word in range(occur.size):
        bits = occur[word]
        occur[word] = 0
        while bits != 0:
            code = 64 * word + lowest(bits)
            bits = without_lowest(bits)
            if code >= n_codes:
                break
            for s in range(hist.shape[1]):
                hist[code, s] = 0.0


@inner
def in_words(segment, desk):
    """Whether the counts of the columns that are counted at once are left in words."""
    return desk.words.size > 0 and segment[1] - segment[0] <= MOST


@inner
def in_table(f, segment, desk):
    """Whether the counts of a column are in the table, where they can be read as they are."""
    packed = False
    if desk.words is not None:
        packed = in_words(segment, desk)
    return desk.where[f] >= 0 and not packed


@inner
def counter(word, code):
    """How many rows have this code."""
    return np.intp((word >> (np.uint64(code) * BITS)) & COUNTER)


@inner
def count_packed(ground, segment, n_columns, desk):
    """`count_side_by_side` of the first columns, in words; counts of more than MOST end up in the table."""
    start, end = segment
    table, words = desk.table, desk.words
    many = end - start > MOST
    for j in range(n_columns if many else 0):
        for code in range(table.shape[1]):
            for c in range(table.shape[2]):
                table[j, code, c] = 0.0
    for at in range(start, end, MOST):
        pack(ground, at, min(at + MOST, end), n_columns, desk)
        for c in range(words.shape[0] if many else 0):
            for j in range(n_columns):
                for code in range(table.shape[1]):
                    table[j, code, c] += counter(words[c, j], code)


@inner
def pack(ground, start, end, n_columns, desk):
    """Fill the words with up to MOST members."""
    members, codes, rows, n_rows = ground.members, ground.codes, ground.rows, ground.n_rows
    words, y = desk.words, desk.targets.y
    for c in range(words.shape[0]):
        for j in range(n_columns):
            words[c, j] = 0
    for k in range(start, end):
        row, c = row_of(rows, n_rows, np.uintp(members[k])), np.uintp(y[k])
        for j in range(n_columns):
            words[c, j] += ONE << (np.uint64(codes[row, j]) * BITS)


@inner
def has_gaps(words, column, n_codes):
    """Whether cells of this column are missing."""
    gaps = 0
    for c in range(words.shape[0]):
        gaps += counter(words[c, column], n_codes)
    return gaps > 0


@inner(fastmath=False)
def multiway_packed(words, column, least, whole):
    """Of a branch for each code, by entropy: the cost below, the sum of W log2 W over the branches, and how
    many have the least weight. Without leave to reorder: terms are added as `multiway` adds them, so that
    gains that cancel out cancel in small nodes as in large ones.
    """
    first, second, enough = words[0, column], words[1, column], max(np.int64(math.ceil(least)), 1)
    branches, below, spread = 0, 0.0, 0.0
    for code in range(PER_WORD):  # a fixed number needs no loop, and codes that are none add nothing
        a, b = counter(first, code), counter(second, code)
        n, inside = a + b, whole[np.uintp(a)] + whole[np.uintp(b)]
        for c in range(2, words.shape[0]):
            a = counter(words[c, column], code)
            n += a
            inside += whole[np.uintp(a)]
        outside = whole[np.uintp(n)]
        below += outside - inside
        spread += outside
        branches += n >= enough
    return below, spread, branches
