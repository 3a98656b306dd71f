"""Kernels of DBSCAN: tiles of near points against tiles, and no list of neighbours.

points : tiles in the order of a k-d tree (`spaces.build_tree`), so that the box around each is small
boxes : float64 (n_tiles, p, 2), the ends of each tile; of none where the distance is no sum of squares
bound : the largest total (`points`) between neighbours
slots : the points, numbered tile after tile; those that fill the last tile up weigh nothing and are no core

Two tiles are passed over if their boxes are too far apart, and taken whole if their far corners are near.
Clusters are trees of slots (union-find), in which the root is the smallest slot.
"""

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.spaces.points import tile_totals
from openbook.spaces.tiles import TILE

APART, SOME, WHOLE = range(3)


@inner
def compare_boxes(boxes, s, others, t, bound):
    """Whether no points of two tiles are near, some may be, or all are."""
    if boxes.shape[0] == 0:
        return SOME
    gaps, spans = 0.0, 0.0
    for j in range(boxes.shape[1]):
        forward, back = boxes[s, j, 1] - others[t, j, 0], others[t, j, 1] - boxes[s, j, 0]
        gap, span = max(-forward, -back, 0.0), max(forward, back)
        gaps += gap * gap
        spans += span * span
        if gaps * (1.0 - 1e-14) > bound:
            return APART
    return WHOLE if spans * (1.0 + 1e-14) <= bound else SOME


@inner
def take_point(points, slot, numbers, codes):
    """The cells of a point."""
    tile, r = slot // TILE, slot % TILE
    for j in range(numbers.shape[0]):
        numbers[j] = points.numbers[tile, j, r]
    for j in range(codes.shape[0]):
        codes[j] = points.codes[tile, j, r]


@inner
def beyond(boxes, t, numbers, bound):
    """Whether a point is too far from the box of a tile."""
    if boxes.shape[0] == 0:
        return False
    total = 0.0
    for j in range(numbers.shape[0]):
        gap = max(boxes[t, j, 0] - numbers[j], numbers[j] - boxes[t, j, 1], 0.0)
        total += gap * gap
    return total * (1.0 - 1e-14) > bound


@inner
def add_pair(totals, bound, weights, slot, t, near):
    """Add the weight of the neighbours in tile t to a slot's, and its own to theirs, if in another tile."""
    own, theirs, sums = weights[slot], weights[t * TILE : t * TILE + TILE], near[t * TILE : t * TILE + TILE]
    found = 0.0
    for r in range(TILE):
        found += theirs[r] if totals[r] <= bound else 0.0
    near[slot] += found
    if slot // TILE != t:
        for r in range(TILE):
            sums[r] += own if totals[r] <= bound else 0.0


@jit
def add_near(points, boxes, bound, weights, near):
    """Add to each slot the weight of the points within reach, itself included."""
    totals, numbers = np.empty(TILE), np.empty(points.numbers.shape[1])
    codes = np.empty(points.codes.shape[1], np.int32)
    n_tiles = points.numbers.shape[0]
    for s in range(n_tiles):
        for t in range(s, n_tiles):
            state = compare_boxes(boxes, s, boxes, t, bound)
            if state == APART:
                continue
            if state == WHOLE:
                here, there = 0.0, 0.0
                for r in range(TILE):
                    here += weights[s * TILE + r]
                    there += weights[t * TILE + r]
                for r in range(TILE):
                    near[s * TILE + r] += there
                    near[t * TILE + r] += here if s != t else 0.0
                continue
            for slot in range(s * TILE, min(s * TILE + TILE, points.n)):
                take_point(points, slot, numbers, codes)
                if not beyond(boxes, t, numbers, bound):
                    tile_totals(points, t, numbers, codes, totals)
                    if slot // TILE == t:
                        totals[slot % TILE] = 0.0  # a row is at 0 from itself, whatever it lacks
                    add_pair(totals, bound, weights, slot, t, near)


@inner
def root_of(parents, slot):
    while parents[slot] != slot:
        parents[slot] = parents[parents[slot]]
        slot = parents[slot]
    return slot


@inner
def join_slots(parents, a, b):
    a, b = root_of(parents, a), root_of(parents, b)
    if a < b:
        parents[b] = a
    else:
        parents[a] = b


@inner
def agreed(parents, core, t):
    """A core slot of the tile if all of its core slots are of one cluster, else -1."""
    one, root = -1, -1
    for slot in range(t * TILE, t * TILE + TILE):
        if core[slot]:
            mine = root_of(parents, slot)
            if one >= 0 and mine != root:
                return -1
            one, root = slot, mine
    return one


@inner
def join_tiles(points, boxes, s, t, bound, core, parents, buffers):
    """Join the core points of two tiles that are near."""
    totals, numbers, codes = buffers
    for slot in range(s * TILE, s * TILE + TILE):
        if core[slot]:
            take_point(points, slot, numbers, codes)
            if beyond(boxes, t, numbers, bound):
                continue
            tile_totals(points, t, numbers, codes, totals)
            for r in range(TILE):
                if totals[r] <= bound and core[t * TILE + r]:
                    join_slots(parents, slot, t * TILE + r)


@jit
def join_cores(points, boxes, bound, core, parents):  # noqa: C901 (inner loops)
    """Join the core points that are near; parents are the slots themselves at first."""
    n_tiles = points.numbers.shape[0]
    buffers = (np.empty(TILE), np.empty(points.numbers.shape[1]), np.empty(points.codes.shape[1], np.int32))
    some, one = np.zeros(n_tiles, np.bool_), np.full(n_tiles, -1)
    for t in range(n_tiles):
        for slot in range(t * TILE, t * TILE + TILE):
            some[t] |= core[slot]
        if some[t]:
            join_tiles(points, boxes, t, t, bound, core, parents, buffers)
            one[t] = agreed(parents, core, t)
    for s in range(n_tiles):
        if not some[s]:
            continue
        for t in range(s + 1, n_tiles):
            if not some[t]:
                continue
            state = compare_boxes(boxes, s, boxes, t, bound)
            if state == APART:
                continue
            whole = one[s] >= 0 and one[t] >= 0
            if whole and root_of(parents, one[s]) == root_of(parents, one[t]):
                continue
            if whole and state == WHOLE:
                join_slots(parents, one[s], one[t])
                continue
            join_tiles(points, boxes, s, t, bound, core, parents, buffers)
            one[s] = agreed(parents, core, s) if one[s] < 0 else one[s]
            one[t] = agreed(parents, core, t) if one[t] < 0 else one[t]


@jit
def reach(points, boxes, bound, clusters, asked, asked_boxes, found):
    """Lower each query's `found` to the first cluster that has a core point within reach of it.

    clusters : int64 of each slot, a number beyond all clusters where it is no core
    asked, asked_boxes : the queries, arranged as the points are; found : int64 of each slot of theirs
    """
    totals, numbers = np.empty(TILE), np.empty(points.numbers.shape[1])
    codes = np.empty(points.codes.shape[1], np.int32)
    for t in range(points.numbers.shape[0]):
        first = clusters[t * TILE]
        for r in range(TILE):
            first = min(first, clusters[t * TILE + r])
        for s in range(asked.numbers.shape[0]):
            if compare_boxes(asked_boxes, s, boxes, t, bound) == APART:
                continue
            for slot in range(s * TILE, min(s * TILE + TILE, asked.n)):
                take_point(asked, slot, numbers, codes)
                if found[slot] <= first or beyond(boxes, t, numbers, bound):
                    continue
                tile_totals(points, t, numbers, codes, totals)
                for r in range(TILE):
                    if totals[r] <= bound:
                        found[slot] = min(found[slot], clusters[t * TILE + r])
