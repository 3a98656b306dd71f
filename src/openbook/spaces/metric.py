"""What the indexes measure, and how: a total over the columns, and the distance that it stands for.

                 total over columns j    distance
    euclidean    Σ (q_j - x_j)²          √total
    manhattan    Σ |q_j - x_j|           total
    minkowski    Σ |q_j - x_j|^p         total^(1/p), p ≥ 1
    chebyshev    max |q_j - x_j|         total
    cosine       Σ (q_j - x_j)²          total/2, between rows of unit length: 1 - q·x

The columns are added in their order, in double precision, whatever the index and the type of the points, so
that every exact index finds the same distances, bit for bit, and with them the same ties. A row of zeros has
no direction and is at cosine distance 1 from every row.

Q : (m, d), X : (n, d); the result of `Metric.distances` is float64 (m, n). No missing cells.
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy import sparse

from openbook.errors import DataError, ParameterError, did_you_mean

METRICS = ("euclidean", "manhattan", "minkowski", "chebyshev", "cosine")

#: The power of the differences.
_POWERS = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf, "cosine": 2.0}


@dataclass(frozen=True)
class VectorMetric:
    """A distance between rows of numbers.

    Examples
    --------
    >>> VectorMetric.named("manhattan").distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [1.0, 0.0]]))
    array([[7., 1.]])
    """

    name: str
    p: float

    @classmethod
    def named(cls, name: str, p: float = 2) -> "VectorMetric":
        if name not in METRICS:
            raise ParameterError(f"no metric {name!r}. {did_you_mean(name, METRICS)}")
        if name != "minkowski":
            return cls(name, _POWERS[name])
        if not p >= 1:
            raise ParameterError(f"p must be at least 1, got {p!r}: below 1 the triangle inequality fails")
        return cls(name, float(p))

    @property
    def angular(self) -> bool:
        return self.name == "cosine"

    def coordinates(self, rows):
        """The rows as they are compared: for cosine of unit length, and one more column, 1 for zeros."""
        if not self.angular:
            return rows
        if sparse.issparse(rows):
            return _unit_sparse(rows)
        rows = rows.astype(np.float64)
        rows /= np.maximum(np.abs(rows).max(axis=1, initial=0.0, keepdims=True), np.finfo(float).tiny)
        length = np.sqrt(_in_order(rows[:, j] ** 2 for j in range(rows.shape[1])))
        unit = np.empty((rows.shape[0], rows.shape[1] + 1))
        unit[:, -1] = length == 0
        np.divide(rows, np.where(length == 0, 1.0, length)[:, None], out=unit[:, :-1])
        return unit

    def check_range(self, rows) -> None:
        """Refuse numbers so large that a total may overflow."""
        cells = rows.data if sparse.issparse(rows) else rows
        largest = max(float(cells.max(initial=0.0)), -float(cells.min(initial=0.0)))
        power = 1.0 if self.angular or np.isinf(self.p) else self.p
        if power * np.log2(max(2 * largest, 1.0)) + np.log2(rows.shape[1] + 1) > 1000:
            msg = f"numbers as large as {largest:.3g} overflow in the {self.name} distance; scale the columns"
            raise DataError(msg)

    def distances(self, Q, X):
        """Every row of Q to every row of X, both as `coordinates` gives them."""
        Q, X = Q.astype(np.float64, copy=False), X.astype(np.float64, copy=False)
        gaps = (np.abs(Q[:, j, None] - X[None, :, j]) for j in range(Q.shape[1]))
        return _in_order(gap * gap for gap in gaps) / 2 if self.angular else self.length(gaps)

    def length(self, gaps):
        """How long it is from one row to another: gaps are the distances apart, column after column."""
        if np.isinf(self.p):
            return reduce(np.maximum, gaps)
        if self.p == 1:
            return _in_order(gaps)
        if self.p == 2:
            return np.sqrt(_in_order(gap * gap for gap in gaps))
        return _in_order(gap**self.p for gap in gaps) ** (1 / self.p)


def _in_order(terms):
    """The sum of the terms, one after the other."""
    return reduce(np.add, terms)


def _unit_sparse(rows):
    """As the dense rows would be, bit for bit: zeros add nothing to a sum, and bincount adds in order."""
    n, d = rows.shape
    row_of = np.repeat(np.arange(n), np.diff(rows.indptr))
    largest = np.zeros(n)
    np.maximum.at(largest, row_of, np.abs(rows.data))
    data = rows.data / np.maximum(largest, np.finfo(float).tiny)[row_of]
    length = np.sqrt(np.bincount(row_of, data**2, minlength=n))
    data /= np.where(length == 0, 1.0, length)[row_of]
    unit = sparse.csr_array((data, rows.indices, rows.indptr), shape=(n, d))
    return sparse.hstack([unit, sparse.csr_array((length == 0).astype(float)[:, None])], format="csr")
