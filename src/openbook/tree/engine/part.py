"""A split: the branch of each instance, and its rows parted; kernels.

side : int32 (capacity,), the branch of each instance at the node at hand, -1 where its cell is missing; once
    parts are made, -1 - the first part of one that is spread
branches : BRANCH (n,), of the node at hand
"""

import math

import numpy as np

from openbook.kernels.jit import inner
from openbook.tree.engine.columns import DRAWN, ORDERED, SORTED
from openbook.tree.engine.counts import clear, count_codes
from openbook.tree.engine.criteria import GINI, SQUARED, weight_of
from openbook.tree.engine.keys import FIRST, FIRST_BIT, ROW
from openbook.tree.engine.search import FRACTIONAL, OWN_BRANCH
from openbook.tree.engine.split import ROUNDING, add_keys, add_target, row_of

#: So many keys are looked at together for one that is not FIRST.
BLOCK = 64
#: A part of a row that is lighter goes to the heaviest branch as a whole.
CRUMB = 1e-3

#: A branch of the node at hand: how many instances it will have, the weight of those that are known to go
#: there, where the next one goes, and how many FIRST keys there were when the last one went.
BRANCH = np.dtype([("size", np.int64), ("weight", np.float64), ("to", np.int64), ("firsts", np.int64)])


@inner
def take_sides(ground, f, segment, found, routes, side, branches):
    """The branch of each member by its cell in column f, -1 where that is missing; gives how many are.

    branches : BRANCH (n,), filled with the rows that are known to go there
    """
    start, end = segment
    column, below, known = ground.columns[f], found.below, found.known
    kind, place, n_codes = column.kind, column.place, column.n_codes
    keys = ground.members[start:end]
    if ground.keys is not None and kind == SORTED:
        keys = ground.keys[place, start:end]
    codes, rows, n_rows, w = ground.codes, ground.rows, ground.n_rows, ground.instances.w
    gaps = 0
    for k in range(keys.size):
        i = np.uintp(keys[k] & ROW)
        b = np.int64(-1)
        if kind == SORTED:
            b = np.int64(k > below) if k < known else b
        elif ground.numbers is not None and kind == DRAWN:
            x = ground.numbers[f, row_of(rows, n_rows, i)]
            b = b if math.isnan(x) else np.int64(x > found.cut)
        elif codes is not None:
            code = np.int64(codes[row_of(rows, n_rows, i), np.uintp(place)])
            if code < n_codes:
                b = np.int64(code > below) if kind == ORDERED else np.int64(routes[code])
        side[i] = b
        if b >= 0:
            branch = branches[b]
            branch.size += 1
            branch.weight += w[i]
        else:
            gaps += 1
    return gaps


@inner
def take_cut(ground, growth, f, segment, below, branches, criterion):
    """`take_sides` of a sorted column without missing cells, whose keys go left up to this one: sides are
    noted, and the stats of the branches filled in.
    """
    start, end = segment
    keys, instances = ground.keys[ground.columns[f].place, start:end], ground.instances
    bits, stats, first = growth.bits, growth.stats, growth.sizes[1]
    for k in range(keys.size):
        note_side(bits, np.uintp(keys[k] & ROW), np.uint64(k > below))
    branches[0].size, branches[1].size = below + 1, keys.size - below - 1
    for b in range(2):
        for s in range(stats.shape[1]):
            stats[first + b, s] = 0.0
    add_keys(keys[: below + 1], instances, stats, first)
    add_keys(keys[below + 1 :], instances, stats, first + 1)
    weigh_branches(stats, first, branches[:2], criterion)


@inner
def weigh_branches(stats, first, branches, criterion):
    """The weights of branches, from the stats of their nodes, of which this is the first."""
    for b in range(branches.size):
        branches[b].weight = weight_of(stats, first + b, criterion)


@inner
def part_by_code(ground, growth, f, segment, found, routes, desk, branches):
    """Part the members of a segment by their codes in column f, none of which is missing, into two branches,
    and with them their targets and weights; the stats of the branches are filled in.

    Where no column is sorted there are only the members to part, and none has to be found by its instance:
    `side` is that of the first member, the second, …
    """
    start, end = segment
    column, below = ground.columns[f], found.below
    place, n_rows, n_codes = np.uintp(column.place), ground.n_rows, column.n_codes
    members, codes, rows, side = ground.members[start:end], ground.codes, ground.rows, growth.side
    targets, aside, stats, first = desk.targets, growth.aside, growth.stats, growth.sizes[1]
    if column.kind == ORDERED:
        for k in range(members.size):
            side[k] = codes[row_of(rows, n_rows, np.uintp(members[k])), place] > below
    elif ground.numbers is not None and column.kind == DRAWN:
        for k in range(members.size):
            side[k] = ground.numbers[f, row_of(rows, n_rows, np.uintp(members[k]))] > found.cut
    else:
        for k in range(members.size):
            code = codes[row_of(rows, n_rows, np.uintp(members[k])), place]
            side[k] = code < n_codes and routes[code] > 0  # missing cells of no weight may be anywhere
    n_left = move_apart(members, side, growth.spare)
    move_apart(targets.w[start:end], side, aside.w)
    if targets.y is None:
        move_apart(targets.number[start:end], side, aside.number)
    else:
        move_apart(targets.y[start:end], side, aside.y)
    branches[0].size, branches[1].size = n_left, members.size - n_left
    add_targets(targets, (start, start + n_left), stats, first)
    add_targets(targets, (start + n_left, end), stats, first + 1)
    weigh_branches(stats, first, branches, SQUARED if targets.y is None else GINI)


@inner
def part_by_value(ground, growth, f, segment, desk, branches):
    """`part_by_code` with a branch for each code."""
    start, end = segment
    members, codes, rows, spare = ground.members, ground.codes, ground.rows, growth.spare
    place, n_rows, n_codes = np.uintp(ground.columns[f].place), ground.n_rows, np.uintp(branches.size)
    y, number, w = desk.targets.y, desk.targets.number, desk.targets.w
    y_aside, number_aside, w_aside = growth.aside.y, growth.aside.number, growth.aside.w
    add_codes(ground, f, segment, desk, growth, branches)
    for k in range(start, end):
        code = np.uintp(codes[row_of(rows, n_rows, np.uintp(members[k])), place])
        branch = branches[code if code < n_codes else np.uintp(0)]  # missing cells of no weight
        to = np.uintp(branch.to)
        branch.to += 1
        spare[to] = members[k]
        if y is None:
            number_aside[to] = number[k]
        else:
            y_aside[to] = y[k]
        if w.size:
            w_aside[to] = w[k]
    for k in range(end - start):
        members[start + k] = spare[k]
        if y is None:
            number[start + k] = number_aside[k]
        else:
            y[start + k] = y_aside[k]
        if w.size:
            w[start + k] = w_aside[k]


@inner
def add_codes(ground, f, segment, desk, growth, branches):
    """The stats of a branch for each code of column f, how many members it will have, and from where on."""
    start, end = segment
    hist, stats, first, unit = desk.hist, growth.stats, growth.sizes[1], ground.instances.unit
    members, codes, rows, n_codes = ground.members, ground.codes, ground.rows, branches.size
    place = np.uintp(ground.columns[f].place)
    count_codes(ground, f, segment, desk)
    for b in range(n_codes):
        for s in range(hist.shape[1]):
            stats[first + b, s] = hist[b, s]
        branches[b].weight = weight_of(stats, first + b, SQUARED if desk.targets.y is None else GINI)
        branches[b].size = np.int64(branches[b].weight) if unit else 0
    clear(hist, n_codes + 1, desk.occur)
    for k in range(start, start if unit else end):
        code = np.int64(codes[row_of(rows, ground.n_rows, np.uintp(members[k])), place])
        branches[code if code < n_codes else 0].size += 1
    to = 0
    for b in range(n_codes):
        branches[b].to = to
        to += branches[b].size


@inner
def move_apart(array, side, spare):
    """Put those of side 0 before those of side 1, in order; how many there are of side 0."""
    left, right = np.uintp(0), np.uintp(0)
    for k in range(array.size):
        x, b = array[k], np.uintp(side[k])
        array[left] = x  # no branch to be guessed: what moves to the right is overwritten
        spare[right] = x
        left += np.uintp(1) - b
        right += b
    for k in range(np.int64(right)):
        array[np.int64(left) + k] = spare[k]
    return np.int64(left)


@inner
def add_targets(targets, span, stats, row):
    """The stats of members that stand together."""
    start, end = span
    y, number, w = targets.y, targets.number, targets.w
    for s in range(stats.shape[1]):
        stats[row, s] = 0.0
    for k in range(start, end):
        add_target(y, number, w, np.uintp(k), stats, row)


@inner
def send_missing(ground, segment, side, branches, rule):
    """Send the members whose cell is missing to their branch, unless they are spread; gives how many are.

    With OWN_BRANCH it is the last branch, which is empty so far; else the heaviest.
    """
    start, end = segment
    members, w, spread = ground.members, ground.instances.w, 0
    to = branches.size - 1 if rule.missing == OWN_BRANCH else heaviest_of(branches)
    for k in range(start, end):
        i = np.uintp(members[k])
        if side[i] >= 0:
            continue
        if rule.missing == FRACTIONAL and w[i] >= CRUMB:
            spread += 1
        else:
            side[i] = to
            branches[to].size += 1
    for b in range(branches.size if spread else 0):
        if branches[b].weight > 0:
            branches[b].size += spread
    return spread


@inner
def heaviest_of(branches):
    """The branch of the most known weight, the first of equals, rounding apart."""
    heaviest = 0
    for b in range(branches.size):
        if branches[b].weight > branches[heaviest].weight * (1 + ROUNDING):
            heaviest = b
    return heaviest


@inner
def make_parts(ground, segment, used, branches, side):
    """Make of each spread instance a part for every branch with weight; side becomes -1 - its first part."""
    start, end = segment
    members, rows, instances, total = ground.members, ground.rows, ground.instances, 0.0
    n_rows = ground.n_rows
    y, number, w = instances.y, instances.number, instances.w
    for b in range(branches.size):
        total += branches[b].weight
    for k in range(start, end):
        i = np.uintp(members[k])
        if side[i] >= 0:
            continue
        side[i] = -1 - used
        for b in range(branches.size):
            if branches[b].weight > 0:
                rows[used - n_rows] = row_of(rows, n_rows, i)
                w[used] = w[i] * branches[b].weight / total
                if y is None:
                    number[used] = number[i]
                else:
                    y[used] = y[i]
                used += 1
    return used


@inner
def note_sides(members, side, bits):
    """Note the sides of members, 0 or 1, as bits: those of a million fit a cache, and are read by column."""
    for k in range(members.size):
        i = np.uintp(members[k])
        note_side(bits, i, np.uint64(side[i]))


@inner
def note_side(bits, i, b):
    """Note the side of an instance, 0 or 1."""
    word, at = i >> np.uintp(6), np.uint64(i) & np.uint64(63)
    bits[word] = (bits[word] & ~(np.uint64(1) << at)) | (b << at)


@inner
def part(keys, n, growth, branches):
    """Part a segment of n keys, the first of which is keys[0], into its branches.

    The first of equal numbers that goes to a branch is the FIRST of that branch.
    """
    side, spare = growth.side, growth.spare
    to, firsts = np.int64(0), 0
    for b in range(branches.size):
        branches[b].to, branches[b].firsts = to, 0
        to += branches[b].size
    for k in range(n):
        spare[k] = keys[k]
    for k in range(n):
        key = spare[k]
        firsts += 1 if key & FIRST else 0
        b = side[np.uintp(key & ROW)]
        if b >= 0:
            put_key(key & ~FIRST, firsts, keys, branches[b])
        else:
            part = np.uint32(-1 - b)
            for b in range(branches.size):
                if branches[b].weight > 0:
                    put_key((key & ~(FIRST | ROW)) | part, firsts, keys, branches[b])
                    part += np.uint32(1)


@inner
def put_key(key, firsts, keys, branch):
    """Put a key where the next one of a branch goes."""
    keys[branch.to] = key | FIRST if firsts > branch.firsts else key
    branch.to += 1
    branch.firsts = firsts


@inner
def part_in_two(keys, n, growth):
    """`part` for two branches of whole instances, whose sides are noted: what goes left moves up in its
    place.
    """
    bits, spare = growth.bits, growth.spare
    if keys[0] & FIRST:  # as in all sorted columns
        hand_on(keys[:n], bits)
    left, right = 0, 0
    for k in range(n):
        key = keys[k]
        b = side_of(bits, key)
        keys[left], spare[right] = key, key
        left += 1 - b
        right += b
    rest = keys[left:n]
    for k in range(rest.size):
        rest[k] = spare[k]


@inner
def hand_on(keys, bits):
    """Where equal numbers go to both sides, mark the first on the other side FIRST, too."""
    met = 0  # the sides that the number at hand has gone to, as bits
    for at in range(0, keys.size, BLOCK):
        block, firsts = keys[at : min(at + BLOCK, keys.size)], 0
        for k in range(block.size):
            firsts += (block[k] >> FIRST_BIT) & 1
        if firsts == block.size:
            met = 1 << side_of(bits, block[block.size - 1])
            continue
        for k in range(block.size):
            key = block[k]
            side = 1 << side_of(bits, key)
            if key & FIRST:
                met = side
            elif met & side == 0:
                block[k] = key | FIRST
                met |= side


@inner
def side_of(bits, key):
    """The side that is noted for the instance of a key."""
    i = np.uint64(key & ROW)
    return np.int64((bits[np.uintp(i >> np.uint64(6))] >> (i & np.uint64(63))) & np.uint64(1))
