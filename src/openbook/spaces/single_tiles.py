r"""Tiles in single precision: they show which points are too far away, and a bound proves it.

Points x and queries q are moved by an origin and divided by a power of two s, so that every point is at most
1 long, and then rounded. With u = 2⁻²⁴, rounding moves a point and a query together by at most

    loss = u √d (1 + ‖q‖)

in any of the distances: they are at most √d times the Euclidean one. So by Minkowski's inequality no point at
a distance of at most b has a distance above b/s + loss between the rounded ones. Adding up d powers of gaps
is off by a factor of at most 1 + (d + p + 8) 2u, whether or not products are fused, and in any order.

Points that this does not rule out are measured where they are, in double precision and column after column,
as all indexes measure them (`tiles`).
"""

import numpy as np

from openbook.kernels.jit import inner
from openbook.spaces.screen import scale_of, spread_around_mean
from openbook.spaces.tiles import length_of, total_between, totals_to

#: Queries that are longer, moved and scaled, have no gaps in single precision that could be squared.
_FAR = 2.0**60

_UNIT = 2.0**-24


def origin_and_scale(points):
    """What points are moved by, and divided by."""
    origin, lengths = spread_around_mean(points)
    return origin, scale_of(lengths.max())


@inner
def rounded(q, origin, scale, single):
    """Fill in a query, moved and rounded; gives the loss. One that is too far is put at the origin."""
    squares = 0.0
    for j in range(q.shape[0]):
        x = (q[j] - origin[j]) / scale
        single[j] = x
        squares += x * x
    length = np.sqrt(squares)
    root = np.sqrt(q.shape[0])
    if length < _FAR:
        return 1.01 * _UNIT * root * (1.0 + length)
    for j in range(q.shape[0]):
        single[j] = 0.0
    return 1.01 * root * (_UNIT + length)


@inner
def most_of(bound, scale, loss, d, p):
    """The total of rounded gaps that no point within the bound exceeds."""
    farthest = length_of(bound, p) / scale + loss
    if p == 2.0:
        return np.float32(farthest * farthest * (1.0 + (d + 10) * 2.0 * _UNIT) + 1e-37)
    if p in (1.0, np.inf):
        return np.float32(farthest * (1.0 + (d + 9) * 2.0 * _UNIT) + 1e-37)
    return np.float32(farthest**p * (1.0 + (d + p + 8) * 2.0 * _UNIT) + 1e-37)


@inner
def _squares(tile, single, totals):
    """Fill in the sums of squares between a rounded query and the points of a tile: fused, in any order."""
    width, fours = totals.shape[0], single.shape[0] // 4 * 4
    for i in range(width):
        totals[i] = 0.0
    for j in range(0, fours, 4):  # four columns in one pass, since every pass takes its time
        a, b, c, d = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
        x, y, z, w = single[j], single[j + 1], single[j + 2], single[j + 3]
        for i in range(width):
            p, q, r, s = a[i] - x, b[i] - y, c[i] - z, d[i] - w
            totals[i] += (p * p + q * q) + (r * r + s * s)
    for j in range(fours, single.shape[0]):
        a, x = tile[j], single[j]
        for i in range(width):
            totals[i] += (a[i] - x) * (a[i] - x)


@inner
def _rules_out(tile, single, p, most, totals):
    """Fill in the totals between a rounded query and the points of a tile; whether none may be near."""
    if p != 2.0:
        return not totals_to(tile, single, p, most, totals)
    _squares(tile, single, totals)
    near = 0
    for i in range(totals.shape[0]):
        near |= totals[i] <= most
    return near == 0


@inner
def near_totals(tree, tile, q, p, buffers, most):
    """Fill in the totals between a query and the points of a tile that may be near, infinity for others.

    Gives whether there is one.
    """
    singles, totals = buffers.single_totals, buffers.totals
    if _rules_out(tree.tiles[tile], buffers.single, p, most, singles):
        return False
    for i in range(totals.shape[0]):
        row = tree.rows[tile, i]
        totals[i] = np.inf
        if singles[i] <= most and row >= 0:
            totals[i] = total_between(tree.points[row], q, p)
    return True
