"""One way to an index: by name, or the one that suits the points.

brute : compares with every point, by products of matrices; any metric, any number of columns
kd_tree, ball_tree : search the near parts of space; any metric, for points of low intrinsic dimension
inverted : searches the nonzero columns of a sparse query; euclidean and cosine
lsh : compares with rows of a similar fingerprint, approximate, never chosen by "auto"; euclidean and cosine

"auto" takes inverted lists for sparse points. For dense ones it takes a k-d tree if they are many and of low
intrinsic dimension, and brute force otherwise. The dimension is estimated from some of the rows, by the
growth of their distances T₁ ≤ … ≤ T_k to the nearest others (Levina and Bickel, 2005):

    1/dimension = the mean over rows of Σ_j log(T_k/T_j)/(k - 1)
"""

import math

import numpy as np
from scipy import sparse

from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.spaces.brute import Brute
from openbook.spaces.index import Index, as_points, spread_out
from openbook.spaces.inverted import Inverted
from openbook.spaces.lsh import Fingerprints
from openbook.spaces.metric import VectorMetric
from openbook.spaces.trees import BallTree, KDTree

_KINDS: tuple[type[Index], ...] = (Brute, KDTree, BallTree, Inverted, Fingerprints)
INDEXES = {kind.name: kind for kind in _KINDS}

#: The fewest points for a tree, and how many times as many allow one more dimension; the highest intrinsic
#: dimension, the columns from which on it is lower, and that lower limit.
_MANY, _TIMES = 20_000, 3
_FEW_DIRECTIONS, _FEW_COLUMNS, _FEWER_DIRECTIONS = 7, 16, 4

#: The dimension is estimated from so many rows, among these others, by these neighbours.
_ROWS, _OTHERS, _NEIGHBOURS = 64, 2048, 20

#: Cells that sparse points may have when they are written out.
_MOST_CELLS = 1 << 28


def make_index(points, metric: str = "euclidean", index: str = "auto", p: float = 2) -> Index:
    """An index over points, which finds their nearest neighbours.

    Guide: docs/guide/indexes.md

    Parameters
    ----------
    points : array or sparse matrix of shape (n, d)
        Finite numbers, float32 or float64.
    metric : str, default="euclidean"
        "euclidean", "manhattan", "minkowski", "chebyshev" or "cosine".
    index : str, default="auto"
        "brute", "kd_tree", "ball_tree", "inverted" (sparse points) or "lsh" (approximate); "auto" takes the
        one that suits the points.
    p : float, default=2
        The power of "minkowski", 1 or more.

    Returns
    -------
    Index
        It has `query(Q, k)`, `within(Q, radius)`, `add(points)` and `remove(rows)`; `name` and `reason` say
        which index it is, and why.

    Examples
    --------
    >>> index = make_index([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0]])
    >>> distances, rows = index.query([[0.0, 0.0]], k=2)
    >>> distances.tolist(), rows.tolist()
    ([[0.0, 5.0]], [[0, 1]])
    >>> index.name, index.reason
    ('brute', '3 points are few')
    """
    points = as_points(points)
    n, d = points.shape
    if not n or not d:
        raise ParameterError(f"an index needs points: got {n} rows of {d} columns")
    measured = VectorMetric.named(metric, p)
    reason = "as asked"
    if index == "auto":
        index, reason = _choice(points, measured)
    if index not in INDEXES:
        raise ParameterError(f"no index {index!r}. {did_you_mean(index, ['auto', *INDEXES])}")
    kind = INDEXES[index]
    if metric not in kind.metrics:
        others = ", ".join(name for name, other in INDEXES.items() if metric in other.metrics)
        raise ParameterError(
            f"index {index!r} serves {' and '.join(kind.metrics)}, not {metric}; for that there are: {others}"
        )
    if kind is Inverted:
        points = as_points(sparse.csr_array(points))
    elif sparse.issparse(points):
        points = _written_out(points, index)
    return kind(points, measured, reason)


def _choice(points, metric):
    """The name of an index, and why it."""
    n, d = points.shape
    if sparse.issparse(points):
        if metric.name in Inverted.metrics:
            return "inverted", "the points are sparse"
        return "brute", f"the points are sparse, but inverted lists do not serve {metric.name}"
    if n < _MANY:
        return "brute", f"{n:,} points are few"
    if d <= _FEW_DIRECTIONS:
        return "kd_tree", f"{n:,} points are many and {d} columns are few"
    dimension = _dimension(points, metric)
    most = _FEW_DIRECTIONS if d <= _FEW_COLUMNS else _FEWER_DIRECTIONS
    few = dimension <= most + math.log(n / _MANY, _TIMES)
    spread = f"{n:,} points of {d} columns spread in about {dimension:.1f} directions"
    return ("kd_tree", f"{spread}: few") if few else ("brute", f"{spread}: many")


def _dimension(points, metric):
    """In how many directions the points spread, about each of them."""
    rows, others = spread_out(len(points), _ROWS), spread_out(len(points), _OTHERS)
    distances = metric.distances(*(metric.coordinates(points[some]) for some in (rows, others)))
    near = np.sort(np.where(rows[:, None] == others, np.inf, distances), axis=1)[:, :_NEIGHBOURS]
    near = near[near[:, 0] > 0]  # of equal points nothing is learnt
    if metric.angular:
        near = np.sqrt(near)
    growth = np.log(near[:, -1:] / near).sum(axis=1).mean() / (_NEIGHBOURS - 1) if len(near) else np.inf
    return 1 / growth if growth > 0 else float(points.shape[1])


def _written_out(points, index):
    cells = points.shape[0] * points.shape[1]
    if cells > _MOST_CELLS:
        raise DataError(
            f"{points.shape[0]:,} sparse rows of {points.shape[1]:,} columns are too many for the dense copy"
            f" that index {index!r} needs; use index 'inverted' with metric euclidean or cosine"
        )
    return points.toarray()
