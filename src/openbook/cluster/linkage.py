r"""Linkage: clusters merge nearest first, by the distance between two clusters A and B.

    single     min d(a, b)          ward       √(2|A||B| / (|A| + |B|)) · ‖centre of A - centre of B‖
    complete   max d(a, b)          centroid   ‖centre of A - centre of B‖
    average    the mean of d(a, b)  median     as centroid, but a merged centre lies midway between the two
    weighted   the mean of what was between each of the two parts of A and B, whatever their sizes (McQuitty)

linkage : float64 (n - 1, 4), as in scipy: two clusters, the height, the rows; merge t makes cluster n + t.
Equally near pairs: the one whose clusters begin with the earliest rows is merged first. Single linkage of
rows follows a minimum spanning tree; among equal heights its order is another, its clusters at any height
are not. Heights never fall, except by centroid and median.

How much memory it takes for n rows of d columns: single, Ward, centroid and median of rows 16 n d bytes and a
little; all else a matrix of 4 n² bytes. Where that is no more than centres would take, as in wide tables,
Ward, centroid and median use the matrix, too: it is updated in n steps a merge, and centres in n d.

References: McQuitty (1966), Similarity analysis by reciprocal pairs. Lance and Williams (1967). Müllner
(2011), Modern hierarchical, agglomerative clustering algorithms.
"""

import math

import numpy as np

from openbook.border.budget import refuse_if_over
from openbook.spaces.points import all_pairs

METHODS = ("single", "complete", "average", "weighted", "ward", "centroid", "median")
#: Those whose clusters are centres.
CENTRES = ("ward", "centroid", "median")

#: Seconds for each pair, and for each cell of a pair.
_PAIR, _CELL = 2e-8, 4e-10
_REMEDY = "sample the rows, or take linkage='single' or 'ward', which need no matrix"


def linkage_of_points(points, method, weights=None, *, allow_large=False):
    """The merges of rows, which are used up."""
    n, d = points.n, points.numbers.shape[1] + points.codes.shape[1]
    what, seconds = f"{method} linkage of {n:,} rows", _CELL * n * n * max(d, 8)
    if method == "single":
        refuse_if_over(what, 24 * n * (d + 4), seconds, "sample the rows", allow=allow_large)
        return _along_tree(points)
    if method in CENTRES and 4 * n * n > 32 * n * d:
        refuse_if_over(what, 32 * n * (d + 4), 1.5 * seconds, "sample the rows", allow=allow_large)
        from openbook.cluster.merge_kernels import merge_centres

        columns = points.numbers.transpose(1, 0, 2).reshape(points.numbers.shape[1], -1)
        return _merged(merge_centres, columns, n, method, weights)
    refuse_matrix(method, n, allow=allow_large)
    return linkage_of_pairs(all_pairs(points), method, weights)


def refuse_matrix(method, n, *, allow):
    """Refuse a matrix of n rows that would take too much memory or time."""
    refuse_if_over(f"{method} linkage of {n:,} rows", 4 * n * n, _PAIR * n * n, _REMEDY, allow=allow)


def linkage_of_pairs(pairs, method, weights=None):
    """The merges by condensed distances, which are used up."""
    from openbook.cluster.merge_kernels import merge_pairs

    n = round((1 + math.sqrt(1 + 8 * len(pairs))) / 2)
    if method in CENTRES:
        pairs *= pairs
    if method == "ward" and weights is not None:  # rows are clusters of their weight
        start = 0
        for i in range(n - 1):
            own, later = weights[i], weights[i + 1 :]
            pairs[start : start + len(later)] *= 2 * own * later / (own + later)
            start += len(later)
    return _merged(merge_pairs, pairs, n, method, weights)


def _merged(kernel, what, n, method, weights):
    from openbook.cluster.merge_kernels import Slots

    merges = np.empty((n - 1, 4))
    kernel(what, METHODS.index(method), Slots.of(n, weights), merges)
    if method in CENTRES:
        merges[:, 2] = np.sqrt(np.maximum(merges[:, 2], 0.0))
    if method not in ("centroid", "median"):  # only rounding lowers them
        merges[:, 2] = np.maximum.accumulate(merges[:, 2])
    return merges


def _along_tree(points):
    from openbook.cluster.merge_kernels import merge_along, span

    edges, totals = np.empty((points.n - 1, 2), np.int64), np.empty(points.n - 1)
    span(points, *points.rows(), edges, totals)
    order, merges = np.argsort(totals, kind="stable"), np.empty((points.n - 1, 4))
    merge_along(edges[order], points.distances(totals[order]), merges)
    return merges
