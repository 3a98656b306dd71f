r"""Least squares of sparse rows, which are never made dense.

    (S + l2 I) β = c,    S v = X'W(X v) - N m (m'v),    c = X'W(y - ȳ)

m are the means of the columns and N is the weight of all rows, so to centre columns is a matter of algebra;
without an intercept m and ȳ are 0. S is known by its products alone, each one pass over the rows wherever
they are, and conjugate gradients solve the equations; with an L1 penalty, L-BFGS finds the coefficients.

X : CSR (n, d);  W : float64 (n,);  c, β : float64 (d, T) for T targets
"""

from dataclasses import dataclass, field, replace
from functools import partial
from operator import add
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from openbook.border.rows import Chunk, Rows, infinite_cell
from openbook.damage import checked_array
from openbook.data import Schema
from openbook.fold import Statistics, fold
from openbook.kernels.moments import Moments
from openbook.linear.likelihood import EncodedRows, encoded_pieces
from openbook.linear.normal import Normal
from openbook.linear.solvers import conjugate_gradients, lbfgs
from openbook.measures.arrays import all_finite
from openbook.prepare.encoding import ColumnSums, Encoding

#: The relative residual at which conjugate gradients stop; and the most products.
REST, MOST_PRODUCTS = 1e-6, 2000
#: The slope at which L-BFGS stops, as a share of the largest; and the most steps.
LEVEL, MOST_STEPS = 1e-6, 2000


@dataclass(frozen=True)
class _Totals(Statistics):
    """The columns, and the moments of the targets, (1, T)."""

    columns: ColumnSums
    targets: Moments


@dataclass(frozen=True)
class Products:
    """The scatter S of sparse rows, known by its products with vectors.

    pieces : the rows, or what loads them; none where they are no longer needed
    weight : N;  mean : float64 (d,), m;  squares : float64 (d,), the diagonal of X'WX
    more : float64 (k, d), rows whose scatter is added
    """

    pieces: list[Any]
    weight: float
    mean: np.ndarray
    squares: np.ndarray
    more: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def times(self, vectors: np.ndarray) -> np.ndarray:
        """S times vectors, (d, T)."""
        whole = fold(self.pieces, partial(_product, vectors), add)
        whole -= np.outer(self.weight * self.mean, self.mean @ vectors)
        return whole + self.more.T @ (self.more @ vectors) if len(self.more) else whole

    def diagonal(self) -> np.ndarray:
        scatter = np.maximum(self.squares - self.weight * self.mean**2, 0.0)
        return scatter + (self.more**2).sum(axis=0) if len(self.more) else scatter

    def with_rows(self, rows: np.ndarray) -> "Products":
        """The scatter of these rows, too."""
        return replace(self, more=rows)


def sparse_equations(rows: Rows, *, scale: bool, intercept: bool, targets: int) -> tuple[Encoding, Normal]:
    """The encoding of sparse rows and those of other columns, and the normal equations of its columns."""
    with np.errstate(over="ignore", invalid="ignore"):
        totals = fold(rows.pieces, partial(_first, rows.schema, targets), add)
    if not all(map(all_finite, totals.arrays().values())):
        raise infinite_cell(rows)
    encoding = Encoding.from_sums(rows.schema, totals.columns, scale=scale)
    weight = float(totals.columns.total[0])
    mean, middle = (encoding.mean - encoding.shift) / encoding.scale, totals.targets.mean[0]
    spread = totals.targets.scatter[0]
    if not intercept:
        encoding = replace(encoding, shift=np.zeros(len(encoding)))
        spread = spread + weight * middle**2
        mean, middle = np.zeros(len(encoding)), np.zeros(targets)
    pieces = encoded_pieces(rows, encoding, np.ones(1), sum(rows.sizes()))
    sums = fold(pieces, partial(_second, middle), add)
    scatter = Products(pieces, weight, mean, sums[:, 0])
    return encoding, Normal(weight, mean, middle, scatter, sums[:, 1:], spread)


def saved_equations(
    encoding: Encoding, normal: Normal, weights: np.ndarray, r2: np.ndarray
) -> dict[str, np.ndarray]:
    """A fitted model as arrays, for the model file."""
    sums = {"weight": np.array([normal.weight]), "mean": normal.mean, "squares": normal.scatter.squares}
    targets = {"target_mean": normal.target_mean, "targets": normal.targets, "cross": normal.cross}
    return encoding.arrays("encoding.") | sums | targets | {"weights": weights, "r2": r2}


def opened_equations(
    schema: Schema, arrays: dict[str, np.ndarray], targets: int
) -> tuple[Encoding, Normal, np.ndarray, np.ndarray]:
    """Encoding, equations, weights and R² of a model file; ValueError or KeyError where they do not fit."""
    encoding = Encoding.from_arrays(schema, arrays, "encoding.")
    d = len(encoding)
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(("mean", "squares"), (d,)),
        **dict.fromkeys(("target_mean", "targets", "r2"), (targets,)),
        "weight": (1,),
        "cross": (d, targets),
        "weights": (1 + d, targets),
    }
    for name, shape in shapes.items():
        checked_array(arrays, name, float, shape)
    if not arrays["weight"][0] > 0 or (arrays["squares"] < 0).any() or (arrays["targets"] < 0).any():
        raise ValueError("its sums are not valid: a weight or a square is negative")
    weight, mean = float(arrays["weight"][0]), arrays["mean"]
    scatter = Products([], weight, mean, arrays["squares"])
    normal = Normal(weight, mean, arrays["target_mean"], scatter, arrays["cross"], arrays["targets"])
    return encoding, normal, arrays["weights"], arrays["r2"]


def by_products(normal: Normal, l1: float, l2: float) -> tuple[np.ndarray, bool]:
    """The coefficients, (d, T), and whether they came to rest."""
    coef, at_rest = np.zeros(normal.cross.shape), True
    diagonal = normal.scatter.diagonal() + l2
    for t, right in enumerate(normal.cross.T):

        def times(vector: np.ndarray) -> np.ndarray:
            return normal.scatter.times(vector[:, None])[:, 0] + l2 * vector

        def objective(theta: np.ndarray, right: np.ndarray = right) -> tuple[float, np.ndarray]:
            product = times(theta)
            return 0.5 * theta @ product - right @ theta, product - right

        if l1:
            level = LEVEL * float(np.abs(right).max(initial=0.0))
            limits = {"tol": level, "max_iter": MOST_STEPS, "keep_gradients": False}
            coef[:, t], _, rests = lbfgs(objective, coef[:, t], l1=np.full(len(right), float(l1)), **limits)
        else:
            coef[:, t], rests = conjugate_gradients(times, right, diagonal, REST, MOST_PRODUCTS)
        at_rest = at_rest and rests
    return coef, at_rest


def _first(schema: Schema, targets: int, chunk: Chunk) -> _Totals:
    y = chunk.y.reshape(-1, targets)
    one_class = np.zeros(len(y), dtype=np.intp)
    return _Totals(ColumnSums.of(schema, chunk), Moments.of(y, one_class, chunk.w, 1))


def _second(middle: np.ndarray, rows: EncodedRows) -> np.ndarray:
    """Σ w x², and Σ w x (y - ȳ) for each target, (d, 1 + T)."""
    x, w = rows.x, rows.w
    squares = csr_array((x.data**2, x.indices, x.indptr), shape=x.shape)
    around = (rows.y.reshape(len(w), -1) - middle) * w[:, None]
    return np.column_stack([w @ squares, x.T @ around])


def _product(vectors: np.ndarray, rows: EncodedRows) -> np.ndarray:
    """X'W(X v) of some rows, for each vector."""
    from openbook.linear.products import add_sparse_products

    product = np.zeros((vectors.shape[1], len(vectors)))
    for vector, image in zip(np.ascontiguousarray(vectors.T), product, strict=True):
        add_sparse_products(rows.cells, rows.w, vector, image)
    return product.T
