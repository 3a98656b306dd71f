"""The trunk of a tree: its large nodes, whose rows are counted in bins instead of parted column by column.

Every column shares its rows out over up to 256 bins of about equal size. Of the two branches of a node only
the smaller is counted, bin by bin and class by class; the larger has what is left. As in `two_classes`, no
cut inside a bin is worth more than one of the corners between which the classes grow there, so few bins are
gone through key by key, in the column's own order, in which all rows stand as they do at the root. When no
large node is left, every column is parted once, into the segments of all branches:

    looked at    at a node the rows of its smaller branch, in the end all rows once;
                 instead of all rows of all nodes, searched and parted

The trunk is for two classes by Gini or entropy, rows that weigh 1, and sorted columns without missing cells
that are all searched. Anything else is for `grow`, which is also the twin: it splits the same nodes in the
same way, but where two cuts differ by no more than rounding.
"""

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.tree.engine.criteria import ENTROPY, GINI
from openbook.tree.engine.grow import (
    DONE,
    MORE_NODES,
    add_branches,
    add_members,
    may_split,
    place_for,
    segment_of,
    take_stats,
    wait_for,
)
from openbook.tree.engine.keys import FIRST, FIRST_BIT, MISSING, ROW
from openbook.tree.engine.part import heaviest_of, move_apart, note_side, side_of
from openbook.tree.engine.search import FRACTIONAL, choose, note_sorted, row_at, weigh_sorted
from openbook.tree.engine.split import GAP, KNOWN, TOTAL
from openbook.tree.engine.trunk_search import (
    BINS,
    NONE,
    PER_WORD,
    TOGETHER,
    Trunk,
    best_between,
    bin_of,
    count,
    next_member,
    put_in_bins,
    search_bins,
    take_away,
    take_members,
)

__all__ = ["grow_trunk", "part_columns", "trunk_of"]

#: Of fewer rows, or down to no more levels, a trunk takes as long as it saves.
MANY, LEVELS = 2**19, 9
#: A node is large if it has more rows than these, and more than a bin has at the root.
LARGE = 8192


def trunk_of(ground, growth, rule):
    """The trunk with all rows at the root, whose slot is the first; None where `grow` has to begin there."""
    if not _has_trunk(ground, growth, rule):
        return None
    keys, n, n_rows = ground.keys, len(ground.members), len(ground.instances.w)
    least, n_words = max(LARGE, n // BINS), -(-len(keys) // PER_WORD)
    near = np.zeros((TOGETHER, PER_WORD * n_words), np.uint8)
    trunk = Trunk(
        words=np.empty((n_rows, n_words), np.uint64),
        starts=np.zeros((len(keys), BINS + 1), np.int64),
        counts=np.zeros((n // least + 2, len(keys), 2 * BINS), np.int32),  # and one to spare
        node=np.full(n // least + 2, NONE),
        least=np.array([least]),
        members=np.zeros(n_rows // 64 + 1, np.uint64),
        between=np.zeros(len(keys)),
        allowed=np.zeros(1, np.int64),
        near=near,
        near_words=near.view(np.uint64),
    )
    trunk.node[0] = 0
    by_row, bins = trunk.words.view(np.uint8)[:, : len(keys)], np.empty((PER_WORD, n_rows), np.uint8)
    for first in range(0, len(keys), PER_WORD):
        some = keys[first : first + PER_WORD, :n]
        for f, column in enumerate(some, first):
            put_in_bins(column, trunk.starts[f], trunk.counts[0, f], bins[f - first])
        by_row[:, first : first + len(some)] = bins[: len(some)].T
    return trunk


def _has_trunk(ground, growth, rule):
    keys, n = ground.keys, len(ground.members)
    if n < MANY or rule.max_depth <= LEVELS or keys is None or len(keys) < len(ground.columns):
        return False
    two_classes = rule.criterion in (GINI, ENTROPY) and ground.instances.unit and growth.stats.shape[1] == 2
    all_searched = rule.max_features >= len(keys) and not rule.random_cuts
    asks_more = rule.penalty is not None or rule.critical is not None
    return two_classes and all_searched and not asks_more and not (keys[:, n - 1] & MISSING).any()


@inner
def consider_root(ground, growth, rule, desk, found, evidence):
    """Search all columns for the root, where keys are members and places alike, and note what they hold."""
    segment, noted = segment_of(growth.nodes, 0), place_for(evidence, growth.nodes, 0)
    take_stats(growth.stats, 0, rule, desk)
    desk.node[2] = 0.0
    for f in range(found.size):
        weigh_sorted(ground, f, segment, rule, desk, found[f])
        if noted >= 0 and found[f].below >= 0:
            candidate, best = evidence.found[noted, f], found[f]
            candidate.gain, candidate.info = best.gain, best.info
            candidate.below, candidate.above = row_at(ground, f, best.below), row_at(ground, f, best.above)
            note_sorted(ground, f, segment, found[f], evidence.stats[noted])


@inner
def consider_bins(ground, growth, slot, rule, desk, found, trunk):
    """Search all columns for the node in a slot; whether few enough bins had to be gone through."""
    sides, keys = desk.sides, ground.keys
    take_stats(growth.stats, trunk.node[slot], rule, desk)
    for c in range(2):
        sides[GAP, c], sides[KNOWN, c] = 0.0, sides[TOTAL, c]
    desk.node[2] = best_between(trunk, slot, rule, desk)
    trunk.allowed[0] = np.int64(desk.node[0]) * keys.shape[0] // 2  # half of what `grow` would look at
    for f in range(keys.shape[0]):
        search_bins(trunk, keys[f], f, slot, rule, desk, growth.spare, found[f])
        if trunk.allowed[0] < 0:
            return False
    return True


@inner
def part_members(ground, growth, segment, f, above, trunk):
    """Part the members of a node: those whose keys in column f come before this one go left; how many do."""
    start, end = segment
    members, side, keys, bits = ground.members[start:end], growth.side, ground.keys[f], growth.bits
    words, starts = trunk.words, trunk.starts[f]
    cut = bin_of(words, np.uintp(keys[above] & ROW), f)
    for p in range(starts[cut], starts[cut + 1]):
        note_side(bits, np.uintp(keys[p] & ROW), np.uint64(p >= above))
    for k in range(members.size):
        own = bin_of(words, np.uintp(members[k]), f)
        side[k] = own > cut if own != cut else side_of(bits, members[k])
    return move_apart(members, side, growth.spare)


@inner
def is_large(ground, growth, node, rule, trunk):
    """Whether a node is to be split here."""
    start, end = segment_of(growth.nodes, node)
    return end - start > trunk.least[0] and may_split(ground, growth, node, rule)


@inner
def hand_over(ground, growth, slot, first, rule, trunk):
    """Give both branches of a node their stats, and if they are large, its slot to the larger and a free one
    to the smaller.
    """
    node, stats, counts = trunk.node[slot], growth.stats, trunk.counts
    smaller = first if growth.branches[0].size < growth.branches[1].size else first + 1
    larger = 2 * first + 1 - smaller
    add_members(ground, growth, smaller)
    for c in range(2):
        stats[larger, c] = stats[node, c] - stats[smaller, c]
    free = np.int64(0)
    while trunk.node[free] != NONE:
        free += 1
    one, other = is_large(ground, growth, larger, rule, trunk), is_large(ground, growth, smaller, rule, trunk)
    if one or other:
        start, end = segment_of(growth.nodes, smaller)
        count(trunk, ground.members[start:end], ground.instances.y, free)
        take_away(counts[slot], counts[free])
    trunk.node[slot], trunk.node[free] = larger if one else NONE, smaller if other else NONE


@inner
def last_waiting(waiting):
    """The last slot whose node is still to be split, or NONE."""
    slot = np.int64(waiting.size - 1)
    while slot >= 0 and waiting[slot] == NONE:
        slot -= 1
    return slot


@jit(_nrt=False)
def grow_trunk(ground, growth, rule, desk, found, evidence, trunk):
    """Split large nodes until there are none (DONE), or no room for more (MORE_NODES)."""
    nodes, sizes, branches, members = growth.nodes, growth.sizes, growth.branches[:2], trunk.members
    while True:
        slot = last_waiting(trunk.node)
        if slot == NONE:
            return DONE
        node, first = trunk.node[slot], sizes[1]
        if first + branches.size > nodes.size:
            return MORE_NODES
        this, segment = nodes[node], segment_of(nodes, node)
        start, end = segment
        take_members(ground.members[start:end], members)
        f = np.int64(NONE)
        if node == 0:
            consider_root(ground, growth, rule, desk, found, evidence)
            f = choose(found, desk, rule, ground.columns)
        elif consider_bins(ground, growth, slot, rule, desk, found, trunk):
            f = choose(found, desk, rule, ground.columns)
        if f < 0:  # a leaf, or for `grow`
            trunk.node[slot] = NONE
            continue
        keys, above = ground.keys[f], found[f].above
        this.attribute, this.gain, this.first, this.branches = f, found[f].gain, first, branches.size
        this.below = next_member(members, keys, above - 1, -1)
        this.above = next_member(members, keys, above, 1)
        branches[0].size = part_members(ground, growth, segment, f, above, trunk)
        branches[1].size = end - start - branches[0].size
        for b in range(branches.size):
            branches[b].weight = branches[b].size
        if rule.missing != FRACTIONAL:
            this.missing = heaviest_of(branches)
        add_branches(growth, node, branches, this.used)
        sizes[1] = first + branches.size
        hand_over(ground, growth, slot, first, rule, trunk)


def part_columns(ground, growth, rule):
    """Part the columns into the segments of all branches of the trunk, and have `grow` go on there."""
    ends = wait_for(ground, growth, rule, 0)
    if growth.sizes[0]:
        branch = np.zeros(len(growth.side), np.uint16 if len(ends) <= 2**16 else np.uint32)
        part_into(ground, growth, ends, branch, np.zeros((len(ends), 2), np.uint32))


@jit(_nrt=False)
def part_into(ground, growth, ends, branch, places):
    """Part the columns into the segments of these nodes, which come in the order of their segments.

    branch : uint16 or uint32 (n_rows,), room for the branch of each row
    places : uint32 (n_branches, 2), room for where the next key of a branch goes, and how many FIRST keys
        there were when the last one went
    """
    members, spare, nodes = ground.members, growth.spare, growth.nodes
    for b in range(ends.size):
        start, end = segment_of(nodes, ends[b])
        for k in range(start, end):
            branch[np.uintp(members[k])] = b
    for f in range(ground.keys.shape[0]):
        keys, firsts = ground.keys[f, : members.size], np.uint32(0)
        for b in range(ends.size):
            places[b, 0], places[b, 1] = nodes[ends[b]].start, 0
        for k in range(keys.size):
            key = keys[k]
            own = np.uintp(branch[np.uintp(key & ROW)])
            firsts += (key >> FIRST_BIT) & np.uint32(1)
            is_first = np.uint32(places[own, 1] != firsts)
            spare[np.uintp(places[own, 0])] = (key & ~FIRST) | (is_first << FIRST_BIT)
            places[own, 0], places[own, 1] = places[own, 0] + np.uint32(1), firsts
        for k in range(keys.size):
            keys[k] = spare[k]
