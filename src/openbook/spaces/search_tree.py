"""Kernels that search a tree of tiles: the nearest child first, and no child that is too far away.

The points of a tile are the children of a node of level 0, TILE nodes in a row those of a node of the next
level, and so on up to the root. What its children enclose is kept in a tile as well, so that one query is
compared with all children at once, as it is with points.

starts : int64 (n_levels + 1,), the first node of each level, lowest first, and how many there are
ends : float64 (n_nodes, 2 d, TILE), for a k-d tree: each child's lower ends in all columns, then the upper
centres, radii : float64 (n_nodes, d, TILE) and (n_nodes, TILE), for a ball tree: a ball around each child

No total to a point of a child can be smaller than its least total, as computed, in floating point: to a box
each column's gap is at most the point's, and sums of smaller terms in the same order are not larger. To a
ball the triangle inequality holds but for rounding, for which room is left. Children that are not there are
infinitely far away.
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.spaces.single_tiles import most_of, near_totals, rounded
from openbook.spaces.tiles import TILE, added, append, bound_of, empty, length_of, offer, sort_heap, totals_to


class TreeArrays(NamedTuple):
    """Points where they are, in tiles in the order of a tree (`Halved`), and what its children enclose."""

    points: np.ndarray
    tiles: np.ndarray
    rows: np.ndarray
    origin: np.ndarray
    scale: float
    starts: np.ndarray
    ends: np.ndarray
    centres: np.ndarray
    radii: np.ndarray


class SearchBuffers(NamedTuple):
    """Work arrays of a search: the query in single precision, its totals to a tile in both precisions; for
    each level the least totals, and the open node.
    """

    single: np.ndarray
    single_totals: np.ndarray
    totals: np.ndarray
    least: np.ndarray
    nodes: np.ndarray

    @classmethod
    def to_search(cls, tree):
        levels = len(tree.starts) - 1
        single, totals = np.empty(tree.tiles.shape[1], np.float32), np.empty(TILE, np.float32)
        return cls(single, totals, np.empty(TILE), np.empty((levels, TILE)), np.empty(levels, np.int64))


@inner(fastmath=False)
def least_totals(tree, node, q, p, least):
    """Fill in what no total between a query and a point of each child falls below."""
    d = q.shape[0]
    if tree.radii.shape[0]:
        totals_to(tree.centres[node], q, p, np.inf, least)
        lost = 1e-15 * (d + 8)
        for c in range(TILE):
            gap = length_of(least[c], p) * (1.0 - lost) - tree.radii[node, c] * (1.0 + lost)
            least[c] = added(0.0, gap, p) * (1.0 - 1e-12) if gap > 0.0 else 0.0
        return
    width, ends = least.shape[0], tree.ends[node]
    for c in range(width):
        least[c] = 0.0
    squares = d if p == 2.0 else 0  # two columns in one pass, since every pass takes its time
    for j in range(0, squares - 1, 2):
        low, high, x = ends[j], ends[d + j], q[j]
        low_2, high_2, y = ends[j + 1], ends[d + j + 1], q[j + 1]
        for c in range(width):
            gap, gap_2 = max(low[c] - x, x - high[c], 0.0), max(low_2[c] - y, y - high_2[c], 0.0)
            least[c] = least[c] + gap * gap + gap_2 * gap_2
    for j in range(squares & ~1, d):
        low, high, x = ends[j], ends[d + j], q[j]
        for c in range(width):
            least[c] = added(least[c], max(low[c] - x, x - high[c], 0.0), p)


@inner
def nearest_child(least):
    child, smallest = 0, least[0]
    for c in range(1, least.shape[0]):
        if least[c] < smallest:
            child, smallest = c, least[c]
    return child


@inner
def _descend(tree, buffers, q, query, radius, measure, found, answer):
    """Search for one query, as `search_tree` does for all; gives how many are found so far."""
    k, bound = 0, np.inf
    if radius is None:
        k = answer.rows.shape[0] // answer.queries.shape[0]
    else:
        bound = bound_of(radius, measure)
    d, p = q.shape[0], measure.p
    loss = rounded(q, tree.origin, tree.scale, buffers.single)
    most = most_of(bound, tree.scale, loss, d, p)
    level = top = tree.starts.shape[0] - 2
    buffers.nodes[level] = 0
    least_totals(tree, tree.starts[level], q, p, buffers.least[level])
    while level <= top:
        least = buffers.least[level]
        first = nearest_child(least)
        if level > 0:
            if least[first] > bound or least[first] == np.inf:
                level += 1
                continue
            least[first] = np.inf
            node = buffers.nodes[level] * TILE + first
            level -= 1
            buffers.nodes[level] = node
            least_totals(tree, tree.starts[level] + node, q, p, buffers.least[level])
            continue
        if radius is None and k == 0:
            answer.queries[query] = buffers.nodes[0]
            break
        for i in range(-1, TILE):  # the nearest tile, then the others as they come: ordering takes longer
            child = first if i < 0 else i
            if least[child] > bound or least[child] == np.inf:
                continue
            least[child] = np.inf
            node = buffers.nodes[0] * TILE + child
            if not near_totals(tree, node, q, p, buffers, most):
                continue
            if radius is None:
                bound = offer(buffers.totals, tree.rows[node], query, k, bound, measure, answer)
                most = most_of(bound, tree.scale, loss, d, p)
            else:
                found = append(buffers.totals, tree.rows[node], query, radius, measure, found, answer)
        level += 1
    sort_heap(query, k, answer)
    return found


@jit
def search_tree(tree, buffers, Q, radius, measure, answer):
    """Fill in the points within the radius of each query; gives how many there are.

    Without a radius (None) it fills in the nearest points, as many for each query as there is room for. If
    there is none, it fills in the node of the lowest level that each query comes to first.
    """
    if radius is None:
        empty(answer.distances, answer.rows)
    found = 0
    for i in range(Q.shape[0]):
        found = _descend(tree, buffers, Q[i], i, radius, measure, found, answer)
    return found
