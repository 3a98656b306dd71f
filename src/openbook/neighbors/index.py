"""One way to an index: by name, or the one that suits the points.

brute         every metric, any number of columns
"""

from openbook.errors import ParameterError, did_you_mean
from openbook.neighbors.ball_tree import BallTree
from openbook.neighbors.brute import Brute
from openbook.neighbors.inverted import Inverted
from openbook.neighbors.kd_tree import KDTree
from openbook.neighbors.metric import Metric
from openbook.neighbors.search import Index, as_points

__all__ = ["make_index"]

_INDEXES: dict[str, type[Index]] = {index.name: index for index in (Brute, KDTree, BallTree, Inverted)}


def make_index(points, metric: str = "euclidean", index: str = "auto", p: float = 2) -> Index:
    """Arrange points so that neighbours are found.

    Parameters
    ----------
    points : (n, d) of floats, or a CSR matrix
    metric : "euclidean", "manhattan", "minkowski", "chebyshev" or "cosine"
    index : "auto", or the name of an index
    p : the power of "minkowski"

    Examples
    --------
    >>> index = make_index([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0]])
    >>> distances, rows = index.query([[0.0, 0.0]], k=2)
    >>> distances.tolist(), rows.tolist()
    ([[0.0, 5.0]], [[0, 1]])
    """
    points = as_points(points)
    if not points.shape[0] or not points.shape[1]:
        msg = f"an index needs points: got {points.shape[0]} rows of {points.shape[1]} columns"
        raise ParameterError(msg)
    measured = Metric.named(metric, p)
    if index == "auto":
        return Brute(points, measured, "brute force")
    if index not in _INDEXES:
        msg = f"no index {index!r}. {did_you_mean(index, ['auto', *_INDEXES])}"
        raise ParameterError(msg)
    return _INDEXES[index](points, measured, "as asked")
