"""Partitioning: the branch of each instance by a split, and the rows of the node moved to their branches;
kernels.

branch_of : int32 (capacity,), the branch of each instance at the current node, -1 if its cell is missing; for
    an instance that is divided, -1 - its first fraction. None if all columns are coded and no cell is missing
right : uint64, bitset of the instances that go to the second of two branches: that of a million rows fits a
    cache. None if no column is sorted
side : uint8 (n,), whether the first, the second, … member goes to the second branch. None if a column is
    sorted
branches : BRANCH (n,), of the current node
"""

import math

import numpy as np

from openbook.kernels.jit import exact
from openbook.tree.engine.columns import DRAWN, ORDERED, SORTED
from openbook.tree.engine.criteria import weight_of
from openbook.tree.engine.histogram import build_histogram, clear_histogram
from openbook.tree.engine.keys import FIRST, FIRST_BIT, ROW
from openbook.tree.engine.search import FRACTIONAL, OWN_BRANCH
from openbook.tree.engine.split import ROUNDING, add_keys, add_target, row_of

#: So many keys are checked together for one that is not FIRST.
BLOCK = 64
#: A row of less weight is not divided further, but goes to the heaviest branch.
LEAST_DIVIDED = 1e-3

#: A branch of the current node: how many instances it has, the weight of those with a known cell, where
#: the next instance goes, and how many FIRST keys came before the last one.
BRANCH = np.dtype([("size", np.int64), ("weight", np.float64), ("to", np.int64), ("firsts", np.int64)])


@exact
def assign_branches(branch_of, samples, f, segment, split, routes, branches):
    """Fill in the branch of each member by its cell in column f, -1 if it is missing; gives how many are."""
    if branch_of is None:
        return 0
    if samples.columns[f].kind == SORTED:
        return assign_by_keys(samples.keys, samples, f, segment, split, branch_of, branches)
    if samples.columns[f].kind == DRAWN:
        return assign_by_numbers(samples.numbers, samples, f, segment, split, branch_of, branches)
    return assign_by_codes(samples.codes, samples, f, segment, split, routes, branch_of, branches)


@exact
def assign(i, b, w, branch_of, branches):
    """Assign an instance to branch b, or to none if its cell is missing (-1); gives whether it is."""
    branch_of[i] = b
    if b < 0:
        return 1
    branches[b].size += 1
    branches[b].weight += w[i]
    return 0


@exact
def assign_by_keys(keys, samples, f, segment, split, branch_of, branches):
    """`assign_branches` in a sorted column."""
    if keys is None:
        return 0
    own_keys, w = keys[samples.columns[f].place, segment[0] : segment[1]], samples.instances.w
    below, known = split.below, split.known
    for k in range(own_keys.size):
        b = np.int64(k > below) if k < known else np.int64(-1)
        assign(np.uintp(own_keys[k] & ROW), b, w, branch_of, branches)
    return own_keys.size - known


@exact
def assign_by_numbers(numbers, samples, f, segment, split, branch_of, branches):
    """`assign_branches` by a random cut."""
    if numbers is None:
        return 0
    members, w, cut, missing = samples.members, samples.instances.w, split.cut, 0
    for k in range(segment[0], segment[1]):
        i = np.uintp(members[k])
        x = numbers[f, row_of(samples.origin, samples.n_rows, i)]
        b = np.int64(-1) if math.isnan(x) else np.int64(x > cut)
        missing += assign(i, b, w, branch_of, branches)
    return missing


@exact
def assign_by_codes(codes, samples, f, segment, split, routes, branch_of, branches):
    """`assign_branches` in a coded column."""
    if codes is None:
        return 0
    column, members, w, missing = samples.columns[f], samples.members, samples.instances.w, 0
    place, kind, n_codes, below = np.uintp(column.place), column.kind, column.n_codes, split.below
    for k in range(segment[0], segment[1]):
        i, b = np.uintp(members[k]), np.int64(-1)
        code = np.int64(codes[row_of(samples.origin, samples.n_rows, i), place])
        if code < n_codes:
            b = np.int64(code > below) if kind == ORDERED else np.int64(routes[code])
        missing += assign(i, b, w, branch_of, branches)
    return missing


@exact
def assign_by_cut(keys, samples, f, segment, below, tree, branches):
    """`assign_branches` in a sorted column without missing cells: fills in the bitset `right`, and the stats
    of the branches; keys up to `below` go left.
    """
    if keys is None:
        return
    own_keys = keys[samples.columns[f].place, segment[0] : segment[1]]
    stats, first = tree.stats, tree.sizes[1]
    for k in range(own_keys.size):
        set_right(tree.right, np.uintp(own_keys[k] & ROW), np.uint64(k > below))
    branches[0].size, branches[1].size = below + 1, own_keys.size - below - 1
    for b in range(2):
        for s in range(stats.shape[1]):
            stats[first + b, s] = 0.0
    add_keys(own_keys[: below + 1], samples.instances, stats, first)
    add_keys(own_keys[below + 1 :], samples.instances, stats, first + 1)


@exact
def weigh_branches(stats, first, branches, criterion):
    """The weights of branches, from the stats of their nodes; first : the node of the first branch."""
    for b in range(branches.size):
        branches[b].weight = weight_of(stats, first + b, criterion)


@exact
def partition_by_code(side, samples, f, segment, split, routes, tree, targets):
    """Partition the members of a segment by their cells in column f, none of which is missing, into two
    branches, and with them their targets and weights; the stats of the branches are filled in.
    """
    if side is None:
        return
    (start, end), branches, first = segment, tree.branches[:2], tree.sizes[1]
    if samples.columns[f].kind == DRAWN:
        sides_of_numbers(samples.numbers, samples, f, segment, split.cut, side)
    else:
        sides_of_codes(samples.codes, samples, f, segment, split, routes, side)
    n_left = partition_values(samples.members, segment, side, tree.buffer)
    partition_values(targets.w, segment, side, tree.target_buffer.w)
    partition_values(targets.y_class, segment, side, tree.target_buffer.y_class)
    partition_values(targets.y_number, segment, side, tree.target_buffer.y_number)
    branches[0].size, branches[1].size = n_left, end - start - n_left
    add_targets(targets, (start, start + n_left), tree.stats, first)
    add_targets(targets, (start + n_left, end), tree.stats, first + 1)


@exact
def sides_of_codes(codes, samples, f, segment, split, routes, side):
    """The branch of each member, 0 or 1, by its code in column f."""
    if codes is None:
        return
    (start, end), column, below = segment, samples.columns[f], split.below
    place, n_codes, members = np.uintp(column.place), column.n_codes, samples.members[start:end]
    origin, n_rows = samples.origin, samples.n_rows
    if column.kind == ORDERED:
        for k in range(members.size):
            side[k] = codes[row_of(origin, n_rows, np.uintp(members[k])), place] > below
    else:
        for k in range(members.size):
            code = codes[row_of(origin, n_rows, np.uintp(members[k])), place]
            side[k] = code < n_codes and routes[code] > 0  # missing cells of weight 0 may go anywhere


@exact
def sides_of_numbers(numbers, samples, f, segment, cut, side):
    """The branch of each member, 0 or 1, by a random cut in column f."""
    if numbers is None:
        return
    members, origin, n_rows = samples.members[segment[0] : segment[1]], samples.origin, samples.n_rows
    for k in range(members.size):
        side[k] = numbers[f, row_of(origin, n_rows, np.uintp(members[k]))] > cut


@exact
def partition_values(values, segment, side, buffer):
    """Put the values of side 0 before those of side 1, in order; gives how many there are of side 0.

    values : None or empty where there is nothing to partition
    """
    if values is None:
        return 0
    own, left, right = values[segment[0] : segment[1]], np.uintp(0), np.uintp(0)
    for k in range(own.size):
        x, b = own[k], np.uintp(side[k])
        own[left] = x  # without a branch to predict: what moves to the right is overwritten
        buffer[right] = x
        left += np.uintp(1) - b
        right += b
    for k in range(np.int64(right)):
        own[np.int64(left) + k] = buffer[k]
    return np.int64(left)


@exact
def partition_by_value(routes, samples, f, segment, tree, workspace, branches, criterion):
    """`partition_by_code` with a branch for each code; routes : None if no column is nominal."""
    if routes is None:
        return
    start, end = segment
    codes, origin, buffer, targets = samples.codes, samples.origin, tree.buffer, workspace.targets
    add_codes(codes, samples, f, segment, tree, workspace, branches, criterion)
    members, place, n_codes = samples.members, np.uintp(samples.columns[f].place), np.uintp(branches.size)
    for k in range(start, end):
        code = np.uintp(codes[row_of(origin, samples.n_rows, np.uintp(members[k])), place])
        branch = branches[code if code < n_codes else np.uintp(0)]  # missing cells of weight 0
        to = np.uintp(branch.to)
        branch.to += 1
        buffer[to] = members[k]
        put_value(targets.y_class, k, tree.target_buffer.y_class, to)
        put_value(targets.y_number, k, tree.target_buffer.y_number, to)
        put_value(targets.w, k, tree.target_buffer.w, to)
    for k in range(end - start):
        members[start + k] = buffer[k]
        put_value(tree.target_buffer.y_class, k, targets.y_class, start + k)
        put_value(tree.target_buffer.y_number, k, targets.y_number, start + k)
        put_value(tree.target_buffer.w, k, targets.w, start + k)


@exact
def put_value(values, k, buffer, to):
    """Copy a value, if there are any."""
    if values is None:
        return
    if values.size:
        buffer[to] = values[k]


@exact
def add_codes(codes, samples, f, segment, tree, workspace, branches, criterion):
    """Fill in the stats and the size of a branch for each code of column f, and where it begins."""
    start, end = segment
    hist, stats, first, unit = workspace.hist, tree.stats, tree.sizes[1], samples.instances.unit
    members, origin, n_codes = samples.members, samples.origin, branches.size
    place = np.uintp(samples.columns[f].place)
    build_histogram(codes, samples, f, segment, workspace)
    for b in range(n_codes):
        for s in range(hist.shape[1]):
            stats[first + b, s] = hist[b, s]
        branches[b].size = np.int64(weight_of(stats, first + b, criterion)) if unit else 0
    clear_histogram(hist, n_codes + 1, workspace.occurring)
    for k in range(start, start if unit else end):
        code = np.int64(codes[row_of(origin, samples.n_rows, np.uintp(members[k])), place])
        branches[code if code < n_codes else 0].size += 1
    to = 0
    for b in range(n_codes):
        branches[b].to = to
        to += branches[b].size


@exact
def add_targets(targets, span, stats, row):
    """The stats of members that stand together."""
    y_class, y_number, w = targets.y_class, targets.y_number, targets.w
    for s in range(stats.shape[1]):
        stats[row, s] = 0.0
    for k in range(span[0], span[1]):
        add_target(y_class, y_number, w, np.uintp(k), stats, row)


@exact
def assign_missing(origin, samples, segment, branch_of, branches, rule):
    """Assign the members whose cell is missing to a branch, unless they are divided; gives how many are
    divided.

    With OWN_BRANCH it is the last branch, which is empty so far; else the heaviest.
    """
    if origin is None:
        return 0
    members, w, n_divided = samples.members, samples.instances.w, 0
    to = branches.size - 1 if rule.missing == OWN_BRANCH else heaviest_of(branches)
    for k in range(segment[0], segment[1]):
        i = np.uintp(members[k])
        if branch_of[i] >= 0:
            continue
        if rule.missing == FRACTIONAL and w[i] >= LEAST_DIVIDED:
            n_divided += 1
        else:
            branch_of[i] = to
            branches[to].size += 1
    for b in range(branches.size if n_divided else 0):
        if branches[b].weight > 0:
            branches[b].size += n_divided
    return n_divided


@exact
def heaviest_of(branches):
    """The branch of the greatest known weight, the first of equals up to rounding."""
    heaviest = 0
    for b in range(branches.size):
        if branches[b].weight > branches[heaviest].weight * (1 + ROUNDING):
            heaviest = b
    return heaviest


@exact
def make_fractions(origin, samples, segment, used, branches, branch_of):
    """Divide each instance without a branch into a fraction for every branch with weight: its branch_of
    becomes -1 - its first fraction. Gives how many instances are in use.
    """
    if origin is None:
        return used
    members, instances, total = samples.members, samples.instances, 0.0
    n_rows, w = samples.n_rows, instances.w
    for b in range(branches.size):
        total += branches[b].weight
    for k in range(segment[0], segment[1]):
        i = np.uintp(members[k])
        if branch_of[i] >= 0:
            continue
        branch_of[i] = -1 - used
        for b in range(branches.size):
            if branches[b].weight > 0:
                origin[used - n_rows] = row_of(origin, n_rows, i)
                w[used] = w[i] * branches[b].weight / total
                put_value(instances.y_class, i, instances.y_class, used)
                put_value(instances.y_number, i, instances.y_number, used)
                used += 1
    return used


@exact
def set_right(right, i, b):
    """Set the bit of an instance to its side, 0 or 1."""
    word, at = i >> np.uintp(6), np.uint64(i) & np.uint64(63)
    right[word] = (right[word] & ~(np.uint64(1) << at)) | (b << at)


@exact
def partition_members(right, samples, segment, tree, branches, in_two, by_cut):
    """Partition the members of a segment by the branches that were assigned."""
    members, n = samples.members[segment[0] :], segment[1] - segment[0]
    if right is None or not in_two:
        partition_keys(tree.branch_of, members, n, branches, tree.buffer)
        return
    for k in range(0 if by_cut else n):
        i = np.uintp(members[k])
        set_right(right, i, np.uint64(tree.branch_of[i]))
    partition_in_two(right, members, n, tree.buffer)


@exact
def partition_columns(keys, segment, tree, branches, in_two):
    """Partition every sorted column by the branches that were assigned."""
    if keys is None:
        return
    start, end = segment
    for j in range(keys.shape[0]):
        if in_two:
            partition_in_two(tree.right, keys[j, start:], end - start, tree.buffer)
        else:
            partition_keys(tree.branch_of, keys[j, start:], end - start, branches, tree.buffer)


@exact
def partition_keys(branch_of, keys, n, branches, buffer):
    """Partition n keys into the branches, fractions included.

    The first of equal numbers that goes to a branch is the FIRST of that branch.
    """
    if branch_of is None:
        return
    to, firsts = np.int64(0), 0
    for b in range(branches.size):
        branches[b].to, branches[b].firsts = to, 0
        to += branches[b].size
    for k in range(n):
        buffer[k] = keys[k]
    for k in range(n):
        key = buffer[k]
        firsts += 1 if key & FIRST else 0
        b = branch_of[np.uintp(key & ROW)]
        if b >= 0:
            put_key(key & ~FIRST, firsts, keys, branches[b])
        else:
            fraction = np.uint32(-1 - b)
            for b in range(branches.size):
                if branches[b].weight > 0:
                    put_key((key & ~(FIRST | ROW)) | fraction, firsts, keys, branches[b])
                    fraction += np.uint32(1)


@exact
def put_key(key, firsts, keys, branch):
    """Append a key to a branch."""
    keys[branch.to] = key | FIRST if firsts > branch.firsts else key
    branch.to += 1
    branch.firsts = firsts


@exact
def partition_in_two(right, keys, n, buffer):
    """`partition_keys` for two branches without fractions: keys that go left move up within their segment."""
    if keys[0] & FIRST:  # as in all sorted columns
        mark_first(keys[:n], right)
    left, n_right = 0, 0
    for k in range(n):
        key = keys[k]
        b = side_of(right, key)
        keys[left], buffer[n_right] = key, key
        left += 1 - b
        n_right += b
    rest = keys[left:n]
    for k in range(rest.size):
        rest[k] = buffer[k]


@exact
def mark_first(keys, right):
    """Where equal numbers go to both sides, mark the first on the other side FIRST, too."""
    seen = 0  # the sides that the current number has gone to, as bits
    for at in range(0, keys.size, BLOCK):
        block, firsts = keys[at : min(at + BLOCK, keys.size)], 0
        for k in range(block.size):
            firsts += (block[k] >> FIRST_BIT) & 1
        if firsts == block.size:
            seen = 1 << side_of(right, block[block.size - 1])
            continue
        for k in range(block.size):
            key = block[k]
            side = 1 << side_of(right, key)
            if key & FIRST:
                seen = side
            elif seen & side == 0:
                block[k] = key | FIRST
                seen |= side


@exact
def side_of(right, key):
    """The side of the instance of a key: 0, or 1 if it goes right."""
    i = np.uint64(key & ROW)
    return np.int64((right[np.uintp(i >> np.uint64(6))] >> (i & np.uint64(63))) & np.uint64(1))
