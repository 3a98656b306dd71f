r"""Kernel functions: the product of two rows in a space that is never built.

    linear    x · z
    poly      (gamma x · z + coef0)^degree
    rbf       exp(-gamma |x - z|²) = exp(2 gamma x · z - gamma |x|² - gamma |z|²)
    own       a function of two matrices, (n, d) and (m, d), that gives (n, m)

The first three are a function of a matrix product, `link(left @ right.T)`: left and right are the rows with
the columns that the kernel adds. So a block of a kernel matrix costs a product and a pass, and sums over
support vectors (`add_scores`) go block by block through the cache: of many rows, no kernel matrix is ever
held whole.

left : float64 (n, k), right : float64 (m, k), coef : float64 (m,) or (m, machines), which may be sparse
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.border.rules import Anything
from openbook.damage import require
from openbook.errors import ParameterError

#: Entries of a block: half of a usual second-level cache, and no more columns than these.
_BLOCK, _COLUMNS = 1 << 16, 1024

#: From this many exponentials on, a compiled kernel is faster.
_MANY = 1 << 19


@dataclass(frozen=True)
class KernelChoice(Anything):
    """The rule of the parameter `kernel`: one by name, or a function of two matrices."""

    what: str = "'linear', 'poly', 'rbf' or a function of two matrices"

    def allows(self, value: Any) -> bool:
        return callable(value) or (isinstance(value, str) and value in ("linear", "poly", "rbf"))


class Kernel:
    """A kernel function; this one multiplies rows as they are."""

    name = "linear"

    def left(self, X: np.ndarray) -> np.ndarray:
        return X

    def right(self, X: np.ndarray) -> np.ndarray:
        return X

    def link(self, products: np.ndarray) -> None:
        """Turn products of left and right into the kernel's values, in place."""

    def block(self, left: np.ndarray, right: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The kernel of each row of one side with each of the other, (n, m)."""
        out = np.matmul(left, right.T, out=out)
        self.link(out)
        return out

    def matrix(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """The kernel of each row of X with each of Z."""
        return self.block(self.left(X), self.right(Z))

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """The kernel of each row with itself."""
        products = np.einsum("ij,ij->i", self.left(X), self.right(X))[None]
        self.link(products)
        return products[0]


class Linear(Kernel):
    """The product of two rows."""


@dataclass(frozen=True)
class PolynomialKernel(Kernel):
    """The sum of all products of up to `degree` columns, with weights."""

    degree: int
    gamma: float
    coef0: float
    name = "poly"

    def left(self, X):
        return np.hstack([X * self.gamma, np.full((len(X), 1), self.coef0)])

    def right(self, X):
        return np.hstack([X, np.ones((len(X), 1))])

    def link(self, products):
        base = products.copy()
        for _ in range(self.degree - 1):  # a whole power by products is ten times as quick as `np.power`
            products *= base


@dataclass(frozen=True)
class RadialKernel(Kernel):
    """The similarity of two rows: 1 if they are equal, near 0 if they are far apart."""

    gamma: float
    name = "rbf"

    def left(self, X):
        return self._side(X, -2)

    def right(self, X):
        return self._side(X, -1)

    def _side(self, X, norms):
        side = np.empty((len(X), X.shape[1] + 2))
        np.multiply(X, np.sqrt(2 * self.gamma), out=side[:, :-2])
        side[:, -2:] = 1.0
        with np.errstate(over="ignore"):  # a row so far away is near to none
            side[:, norms] = -0.5 * np.einsum("ij,ij->i", side[:, :-2], side[:, :-2])
        return side

    def link(self, products):
        if products.size < _MANY:
            np.minimum(products, 0.0, out=products)
            np.exp(products, out=products)
        else:
            self.link_many(products)

    def link_many(self, products):
        """The same by a compiled kernel, which vectorises exponentials on any processor."""
        from openbook.svm.exponential import exponentials

        exponentials(products)


@dataclass(frozen=True)
class Own(Kernel):
    """A function of the user's: of two matrices, (n, d) and (m, d), it gives (n, m)."""

    function: Callable[[np.ndarray, np.ndarray], Any]
    name = "own"

    def block(self, left, right, out=None):
        values = np.asarray(self.function(left, right), dtype=float)
        if values.shape != (len(left), len(right)) or not np.isfinite(values).all():
            what = f"an array of shape {values.shape}" if np.isfinite(values).all() else "values not finite"
            raise ParameterError(
                f"the kernel function gave {what} for {len(left)} and {len(right)} rows;"
                f" it must give finite numbers of shape ({len(left)}, {len(right)})"
            )
        if out is None:
            return values
        out[:] = values
        return out

    def diagonal(self, X):
        return np.array([self.block(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(len(X))])


@dataclass(frozen=True)
class Held(Kernel):
    """The kernel of few rows as a table, (n, n); a row is its number in it, (…, 1)."""

    values: np.ndarray
    name = "held"

    def block(self, left, right, out=None):  # noqa: ARG002 (there is no product to write)
        rows, columns = left[:, 0], right[:, 0]
        everything = np.arange(len(self.values))
        if 2 * len(columns) < len(everything):
            return self.values.take(rows[:, None] * len(everything) + columns)
        if np.array_equal(rows, everything) and np.array_equal(columns, everything):
            return self.values.copy()
        return np.take(self.values[rows], columns, axis=1)

    def diagonal(self, X):
        return self.values[X[:, 0], X[:, 0]]

    def add_scores(self, left, right, coef, scores):
        """See `add_scores`: the table is symmetric, and its rows lie in stretches."""
        scores += (coef.T @ self.values[right[:, 0]]).T[left[:, 0]]


def kernel_asked(model: Any) -> Kernel:
    """The kernel of a fitted model, by its parameters and its `gamma_`."""
    if callable(model.kernel):
        return Own(model.kernel)
    if model.kernel == "poly":
        return PolynomialKernel(int(model.degree), model.gamma_, float(model.coef0))
    return RadialKernel(model.gamma_) if model.kernel == "rbf" else Linear()


def kernel_factor(model: Any, stored: np.ndarray) -> float:
    """The `gamma_` of a model file, if the model's kernel can have it; NaN if it has none."""
    (gamma,) = stored.tolist()
    possible = 0 < gamma < math.inf if model.kernel in ("poly", "rbf") else math.isnan(gamma)
    require(possible, f"a {model.kernel} kernel cannot have the gamma {gamma}")
    return gamma


def add_scores(
    kernel: Kernel, left: np.ndarray, right: np.ndarray, coef: np.ndarray, scores: np.ndarray
) -> None:
    """Add sum_j coef_j K(left_i, right_j) to scores, (n,) or (n, machines), block by block."""
    if isinstance(kernel, Held):
        kernel.add_scores(left, right, coef, scores)
        return
    link = kernel.link
    if isinstance(kernel, RadialKernel) and len(left) * len(right) >= _MANY:
        link = kernel.link_many
    buffer = np.empty(_BLOCK + _COLUMNS)
    for first in range(0, len(right), _COLUMNS):
        columns = slice(first, first + _COLUMNS)
        part, weights = right[columns], coef[columns]
        across = part if isinstance(kernel, Own) else np.ascontiguousarray(part.T)
        height = max(1, _BLOCK // len(part))
        for start in range(0, len(left), height):
            rows = left[start : start + height]
            block = buffer[: len(rows) * len(part)].reshape(len(rows), len(part))
            if isinstance(kernel, Own):
                kernel.block(rows, part, block)
            else:
                np.matmul(rows, across, out=block)
                link(block)
            scores[start : start + height] += block @ weights
