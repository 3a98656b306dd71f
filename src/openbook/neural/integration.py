r"""Integration: how a unit joins its inputs.

    weighted sum    z_k = Σ_j w_jk x_j + b_k
    quadratic       z_k = Σ_j w_jk x_j² + b_k
    spherical       z_k = Σ_j (x_j - w_jk)² / d + b_k      w_k a centre, d the number of inputs

Each knows its gradients: by the weights, which it adds to an array that is given (the weights themselves, in
plain descent: BLAS does product and update in one pass), and by the inputs, which passes the error back.

Of a weighted sum, x may be sparse: of a column with many values all but one of its inputs are 0.

x : float (n_rows, d)    weights : (d, n_units)    biases : (n_units,)    z, delta : (n_rows, n_units)
"""

from abc import abstractmethod

import numpy as np
from scipy.linalg import blas
from scipy.sparse import issparse


def add_scaled_product(a, b, out, scale, keep):
    """Make `out` keep · out + scale · aᵀ b, in one pass and without another array."""
    if not out.size:  # no inputs: columns of gaps alone
        return
    if issparse(a):
        kept = keep * out if keep else 0.0
        np.add(kept, scale * (a.T @ b), out=out)
        return
    gemm = blas.dgemm if out.dtype == np.float64 else blas.sgemm
    gemm(scale, b.T, a.T, keep, out.T, trans_b=True, overwrite_c=True)  # BLAS goes by columns: all transposed


class Integration:
    """How a unit joins its inputs."""

    name: str
    formula: str
    back_formula = r"\sum_k w_{jk} \delta_k"
    update_formula = r"w + \eta \delta_k x_j"

    @abstractmethod
    def join(self, x, weights, biases, out):
        """Write z into `out`."""

    @abstractmethod
    def add_gradient(self, x, weights, delta, out, scale, keep):
        """Make `out` keep · out + scale · the gradient by the weights."""

    @abstractmethod
    def pass_back(self, x, weights, delta, out):
        """Write the gradient by the inputs into `out`."""


class WeightedSum(Integration):
    name = "sum"
    formula = r"\sum_j w_{jk} x_j + b_k"

    def join(self, x, weights, biases, out):
        if issparse(x):
            np.add(x @ weights, biases, out=out)
            return
        np.matmul(x, weights, out=out)
        out += biases

    def add_gradient(self, x, weights, delta, out, scale, keep):  # noqa: ARG002 (of the same form for all)
        add_scaled_product(x, delta, out, scale, keep)

    def pass_back(self, x, weights, delta, out):  # noqa: ARG002
        np.matmul(delta, weights.T, out=out)


class Quadratic(Integration):
    name = "quadratic"
    formula = r"\sum_j w_{jk} x_j^2 + b_k"
    back_formula = r"\sum_k 2 x_j w_{jk} \delta_k"
    update_formula = r"w + \eta \delta_k x_j^2"

    def join(self, x, weights, biases, out):
        np.matmul(x * x, weights, out=out)
        out += biases

    def add_gradient(self, x, weights, delta, out, scale, keep):  # noqa: ARG002
        add_scaled_product(x * x, delta, out, scale, keep)

    def pass_back(self, x, weights, delta, out):
        np.matmul(delta, weights.T, out=out)
        out *= x
        out *= 2.0


class Spherical(Integration):
    name = "spherical"
    formula = r"\frac{1}{d} \sum_j (x_j - w_{jk})^2 + b_k"
    back_formula = r"\sum_k \frac{2 (x_j - w_{jk})}{d} \delta_k"
    update_formula = r"w - \eta \delta_k \frac{2 (x_j - w)}{d}"

    def join(self, x, weights, biases, out):
        """By (x - w)² = x² - 2 x w + w², so that one product does it."""
        np.matmul(x, weights, out=out)
        out *= -2.0
        out += np.einsum("ij,ij->i", x, x)[:, None]
        out += np.einsum("ij,ij->j", weights, weights)
        out /= max(len(weights), 1)
        out += biases

    def add_gradient(self, x, weights, delta, out, scale, keep):
        """The gradient is -2/d (xᵀ delta - w Σ delta)."""
        scale *= -2.0 / max(len(weights), 1)
        np.multiply(weights, keep - scale * delta.sum(axis=0), out=out)
        add_scaled_product(x, delta, out, scale, 1.0)

    def pass_back(self, x, weights, delta, out):
        np.matmul(delta, weights.T, out=out)
        out -= x * delta.sum(axis=1, keepdims=True)
        out *= -2.0 / len(weights)


INTEGRATIONS = {each.name: each for each in (WeightedSum(), Quadratic(), Spherical())}
