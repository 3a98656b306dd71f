"""Histograms: the rows of a node counted by code and class; kernels.

Columns are counted one by one, or several at once, so that each row of codes is read only once. Of the two
branches of a node only the smaller is counted like this: the histogram of the larger is the difference.

If all weights are 1 and codes are few, one word of 64 bits holds all counters of a column and class, a byte
for each code (a packed histogram):

    … | count of code 2 | count of code 1 | count of code 0

A row adds 1 << 8 code to the words of its class, which are next to each other: a processor does that for
several columns at once, and looks up no counter by its code. A byte counts to MOST. Nodes of no more rows are
searched by their words; for larger ones the counts are added to histograms before they overflow.

packed : uint64 (n_classes, n_columns), such words; None where targets are numbers
"""

import math

import numpy as np

from openbook.kernels.bits import lowest, without_lowest
from openbook.kernels.jit import exact
from openbook.tree.engine.columns import NOMINAL, ORDERED
from openbook.tree.engine.split import add_target, row_of

#: If no column has more codes, missing included, counting columns at once pays for nodes of any size.
FEW_CODES = 16

#: A cut of numeric targets needs so many of their sums: the weight, and the target's.
N_NEEDED = 2

#: So many codes, missing included, have a counter in a word; the most rows that it holds.
PER_WORD, MOST = 8, 255

ONE, BITS, COUNTER, ALL = np.uint64(1), np.uint64(8), np.uint64(MOST), np.uint64(2**64 - 1)


@exact
def gather_targets(codes, samples, segment, targets):
    """Copy the targets and weights of the members next to each other, for counting coded columns."""
    if codes is None:
        return
    copy_values(samples.instances.w, samples.members, segment, targets.w)
    copy_values(samples.instances.y_class, samples.members, segment, targets.y_class)
    copy_values(samples.instances.y_number, samples.members, segment, targets.y_number)


@exact
def copy_values(values, members, segment, copies):
    """Copy the values of the members of a segment, in their order."""
    if values is None:
        return
    for k in range(segment[0], segment[1] if copies.size else segment[0]):
        copies[k] = values[np.uintp(members[k])]


@exact
def build_histograms(places, samples, n_drawn, node, workspace):
    """Count the members of a node in the first coded columns of the order at once, if the members are many
    and the node has no histograms yet.
    """
    if places is None:
        return
    columns, order, histograms = samples.columns, workspace.column_order, workspace.histograms
    codes, histogram_of, packed = samples.codes, workspace.histogram_of, workspace.packed
    segment, counted = (np.int64(node.start), np.int64(node.end)), node.histograms >= 0
    many = counted or histograms.shape[1] <= FEW_CODES or are_many(segment[1] - segment[0], histograms)
    first = places.size * np.int64(node.histograms if counted else -1 - node.histograms)
    n_coded = np.int64(0)  # not a literal, for which callees would be compiled again
    for k in range(n_drawn):
        f = order[k]
        histogram_of[f] = -1
        if many and columns[f].kind in (ORDERED, NOMINAL) and n_coded < places.size:
            histogram_of[f], places[n_coded] = first + n_coded, columns[f].place
            n_coded += 1
    if n_coded and has_words(packed):
        count_packed(packed, codes, samples, segment, n_coded, workspace)
    elif n_coded and not counted:
        count_columns(places[:n_coded], samples, segment, first, workspace)
        node.histograms = -1 - node.histograms


@exact
def are_many(n, histograms):
    """Whether counting so many members takes longer than clearing or adding up their histogram."""
    return n >= histograms.shape[1] * histograms.shape[2]


@exact
def divide_histograms(places, samples, node, small, large, workspace):
    """The histograms of the branches of a node: count the smaller one; the larger one's are the difference.

    The branch that stands behind is split first: it has the later place, and what is behind that is free
    while it grows.
    """
    n_columns, histograms, own = places.size, workspace.histograms, np.int64(node.histograms)
    first, other = own * n_columns, (own + 1) * n_columns
    swapped = small.start < large.start
    segment = (np.int64(small.start), np.int64(small.end))
    count_columns(places, samples, segment, other, workspace)
    for j in range(n_columns):
        for code in range(histograms.shape[1]):
            for s in range(histograms.shape[2]):
                of_small = histograms[other + j, code, s]
                rest = histograms[first + j, code, s] - of_small
                if swapped:
                    histograms[first + j, code, s], histograms[other + j, code, s] = of_small, rest
                else:
                    histograms[first + j, code, s] = rest
    large.histograms, small.histograms = own + swapped, own + (not swapped)


@exact
def build_histogram(codes, samples, f, segment, workspace):
    """Fill in the histogram of column f, which is clear, and the set of codes that may occur."""
    hist, occurring, at = workspace.hist, workspace.occurring, workspace.histogram_of[f]
    bits = ALL
    if at < 0:
        bits = count_column(codes, samples, f, segment, workspace.targets, hist)
    elif in_words(workspace.packed, segment):
        unpack(workspace.packed, at, samples.columns[f].n_codes, hist)
    else:
        for code in range(samples.columns[f].n_codes + 1):
            for s in range(workspace.histograms.shape[2]):
                hist[code, s] = workspace.histograms[at, code, s]
    note_codes(occurring, bits)


@exact
def note_codes(occurring, bits):
    """Let the codes with these last six bits occur."""
    if occurring is None:
        return
    for word in range(occurring.size):
        occurring[word] = bits


@exact
def count_column(codes, samples, f, segment, targets, hist):
    """Count the members of a segment in column f; gives the codes that occur, by their last six bits."""
    members, origin, n_rows, place = samples.members, samples.origin, samples.n_rows, samples.columns[f].place
    y_class, y_number, w = targets.y_class, targets.y_number, targets.w
    bits = np.uint64(0)
    for k in range(segment[0], segment[1]):
        code = np.uintp(codes[row_of(origin, n_rows, np.uintp(members[np.uintp(k)])), np.uintp(place)])
        add_target(y_class, y_number, w, np.uintp(k), hist, code)
        bits |= np.uint64(1) << np.uint64(code & 63)
    return bits


@exact
def count_columns(places, samples, segment, first, workspace):
    """Count the members of a segment in several columns at once, so that each row of codes is read once.

    places : of these columns in the codes; first : where the histogram of the first of them goes
    """
    codes, members, origin, n_rows = samples.codes, samples.members, samples.origin, samples.n_rows
    targets, histograms = workspace.targets, workspace.histograms[first : first + places.size]
    y_class, y_number, w = targets.y_class, targets.y_number, targets.w
    for j in range(places.size):
        for code in range(histograms.shape[1]):
            for s in range(histograms.shape[2]):
                histograms[j, code, s] = 0.0
    for at in range(segment[0], segment[1]):
        k = np.uintp(at)
        row = row_of(origin, n_rows, np.uintp(members[k]))
        weight = w[k] if w.size else 1.0
        count_class(y_class, k, weight, codes, row, places, histograms)
        count_number(y_number, k, weight, codes, row, places, histograms)


@exact(forceinline=True)
def count_class(y_class, k, weight, codes, row, places, histograms):
    """Add a row to the histograms of several columns, by its class."""
    if y_class is None:
        return
    c = np.uintp(y_class[k])
    for j in range(places.size):
        histograms[j, np.uintp(codes[row, np.uintp(places[j])]), c] += weight


@exact(forceinline=True)
def count_number(y_number, k, weight, codes, row, places, histograms):
    """Add a row to the histograms of several columns, by its numeric target."""
    if y_number is None:
        return
    wy, squares = weight * y_number[k], histograms.shape[2] > N_NEEDED
    for j in range(places.size):
        code = np.uintp(codes[row, np.uintp(places[j])])
        histograms[j, code, 0] += weight
        histograms[j, code, 1] += wy
        if squares:
            histograms[j, code, 2] += wy * y_number[k]


@exact
def clear_histogram(hist, n_codes, occurring):
    """Clear the histogram, and the set of codes that occur; without such a set, the rows of all codes."""
    if occurring is None:
        for code in range(n_codes):
            for s in range(hist.shape[1]):
                hist[code, s] = 0.0
        return
    for word in range(occurring.size):
        bits = occurring[word]
        occurring[word] = 0
        while bits != 0:
            code = 64 * word + lowest(bits)
            bits = without_lowest(bits)
            if code >= n_codes:
                break
            for s in range(hist.shape[1]):
                hist[code, s] = 0.0


@exact
def has_words(packed):
    """Whether histograms are packed."""
    if packed is None:
        return False
    return packed.size > 0


@exact
def in_words(packed, segment):
    """Whether the histograms of a segment of this size stay packed."""
    return has_words(packed) and segment[1] - segment[0] <= MOST


@exact
def in_table(f, segment, workspace):
    """Whether the histogram of a column is among those that were built at once, not packed."""
    return workspace.histogram_of[f] >= 0 and not in_words(workspace.packed, segment)


@exact
def counter(word, code):
    """How many rows have this code."""
    return np.intp((word >> (np.uint64(code) * BITS)) & COUNTER)


@exact
def unpack(packed, column, n_codes, hist):
    """Fill in a histogram from its words."""
    if packed is None:
        return
    for code in range(n_codes + 1):
        for c in range(packed.shape[0]):
            hist[code, c] = counter(packed[c, column], code)


@exact
def count_packed(packed, codes, samples, segment, n_columns, workspace):
    """`count_columns` with packed histograms; counts above MOST are added up in ordinary ones."""
    if packed is None:
        return
    start, end = segment
    histograms, many = workspace.histograms, end - start > MOST
    for j in range(n_columns if many else 0):
        for code in range(histograms.shape[1]):
            for c in range(histograms.shape[2]):
                histograms[j, code, c] = 0.0
    for at in range(start, end, MOST):
        pack(packed, codes, samples, (at, min(at + MOST, end)), n_columns, workspace.targets.y_class)
        for c in range(packed.shape[0] if many else 0):
            for j in range(n_columns):
                for code in range(histograms.shape[1]):
                    histograms[j, code, c] += counter(packed[c, j], code)


@exact
def pack(packed, codes, samples, segment, n_columns, y_class):
    """Count up to MOST members of a segment in words."""
    if y_class is None:
        return
    members, origin, n_rows = samples.members, samples.origin, samples.n_rows
    for c in range(packed.shape[0]):
        for j in range(n_columns):
            packed[c, j] = 0
    for k in range(segment[0], segment[1]):
        row, c = row_of(origin, n_rows, np.uintp(members[k])), np.uintp(y_class[k])
        for j in range(n_columns):
            packed[c, j] += ONE << (np.uint64(codes[row, j]) * BITS)


@exact
def has_missing(packed, column, n_codes):
    """Whether cells of this column are missing."""
    missing = 0
    for c in range(packed.shape[0]):
        missing += counter(packed[c, column], n_codes)
    return missing > 0


@exact(fastmath=False)
def multiway_packed(packed, column, min_weight, xlogx):
    """For a branch for each code, by entropy: the cost after the split, the sum of W log2 W over the
    branches, and how many branches have the minimum weight. The order of sums is fixed: terms are added as
    `multiway` adds them, so that gains that cancel out do so in small nodes as in large ones.
    """
    first, second, enough = packed[0, column], packed[1, column], max(np.int64(math.ceil(min_weight)), 1)
    branches, after, spread = 0, 0.0, 0.0
    for code in range(PER_WORD):  # a fixed number needs no loop, and codes that do not exist add nothing
        a, b = counter(first, code), counter(second, code)
        n, inside = a + b, xlogx[np.uintp(a)] + xlogx[np.uintp(b)]
        for c in range(2, packed.shape[0]):
            a = counter(packed[c, column], code)
            n += a
            inside += xlogx[np.uintp(a)]
        outside = xlogx[np.uintp(n)]
        after += outside - inside
        spread += outside
        branches += n >= enough
    return after, spread, branches
