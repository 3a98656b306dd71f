"""Clusterers that keep their rows: a new row is compared with those, or with the centres of clusters.

The model file holds the place of the rows (`place`), their cells and weights, so that an opened model can
assign new rows and show its work.
"""

import numpy as np

from openbook.cluster.clusterer import Clusterer
from openbook.cluster.coordinates import Coordinates, whole
from openbook.errors import DataError
from openbook.spaces.points import between

__all__ = ["RowClusterer", "checked_weights", "matrix_of", "weights_of"]

#: Distances that are worked out at a time.
_AT_A_TIME = 1 << 22


class RowClusterer(Clusterer):
    """A clusterer that keeps its rows: `place_` is where they lie, `cells_` their numbers and codes."""

    def _keep(self, rows, distance):
        """Take the rows in; their weights stay aside."""
        self.place_ = Coordinates.of(rows, distance, scale=self.scale)
        self.cells_ = self.place_.cells(whole(rows))
        self.weights_ = weights_of(rows)

    def _points(self):
        return self.place_.points(*self.cells_)

    def _by_blocks(self, X, decide):
        """What `decide` makes of the distances of new rows to all kept ones, some rows at a time."""
        numbers, codes = self.place_.cells(X)
        points = self._points()
        step = max(_AT_A_TIME // points.n, 1)
        blocks = [slice(start, start + step) for start in range(0, max(len(X), 1), step)]
        return np.concatenate([decide(between(points, numbers[block], codes[block])) for block in blocks])

    def _arrays(self):
        numbers, codes = self.cells_
        return {**self.place_.arrays(), "numbers": numbers, "codes": codes, "weights": self.weights_}

    def _restore(self, arrays):
        self.place_ = Coordinates.from_arrays(self.schema_, arrays)
        self.cells_ = self.place_.checked_cells(arrays)
        self.weights_ = checked_weights(arrays, len(self.cells_[0]))


def checked_weights(arrays, n):
    """The weights of a model file; raises ValueError where they are not those of n rows."""
    weights = arrays["weights"]
    if weights.dtype != np.float64 or weights.shape != (n,):
        msg = f"weights are {weights.dtype}{weights.shape}, expected float64{(n,)}"
        raise ValueError(msg)
    if not (np.isfinite(weights) & (weights > 0)).all():
        msg = "weights must be finite and above zero"
        raise ValueError(msg)
    return weights


def weights_of(rows):
    """The weights of all rows."""
    loaded = (piece if hasattr(piece, "w") else piece.load() for piece in rows.pieces)
    return np.concatenate([chunk.w for chunk in loaded])


def matrix_of(rows, given):
    """The square matrix that was given, checked: float64 (n, n)."""
    table = whole(rows)
    matrix = np.array(table.block(table.names), dtype=float)
    n, d = matrix.shape
    if n != d:
        msg = f"a matrix of {given} is square, a row and a column for each; got {n} rows of {d} columns"
        raise DataError(msg)
    odd = ~np.isfinite(matrix)
    problem = "is not a finite number"
    if not odd.any():
        odd = ~np.isclose(matrix, matrix.T, rtol=1e-8, atol=1e-12 * np.abs(matrix).max(initial=0.0))
        problem = "differs from its mirror image: between two rows there is one number"
    if not odd.any() and given == "distances":
        odd = matrix < 0
        problem = "is negative: if larger means nearer, pass metric='precomputed_similarity'"
    if not odd.any() and given == "distances":
        odd = np.diag(matrix.diagonal() > 0)
        problem = (
            "is not 0, the distance of a row from itself;"
            " if larger means nearer, pass metric='precomputed_similarity'"
        )
    if odd.any():
        row, column = np.argwhere(odd)[0].tolist()
        msg = f"{given}: row {row}, column {table.names[column]!r} ({matrix[row, column]:g}) {problem}"
        raise DataError(msg)
    return matrix
