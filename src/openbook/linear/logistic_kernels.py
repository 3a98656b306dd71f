"""Kernels that add up the logistic loss of many rows and its derivatives, in one pass over memory.

For each row, z = b + w · x, then loss = max(z, 0) - y z + ln(1 + e^-|z|) and slope = 1/(1 + e^-z) - y. The
row is still in the nearest cache when its slope is known, which two matrix products cannot say.

x : float64 (n, d), finite;  y : float64 (n,), 0 or 1;  weights : float64 (n,)
theta, gradient : float64 (d + 1,), the intercept last
"""

import math

from openbook.kernels.jit import inner, jit


@jit
def add_logistic(x, y, weights, theta, gradient):
    """Add the rows' weighted slopes to the gradient, and give the sum of their weighted losses."""
    d = x.shape[1]
    total = 0.0
    for i in range(x.shape[0]):
        row = x[i]
        z = 0.0
        for j in range(d):
            z += row[j] * theta[j]
        z += theta[d]
        power = math.exp(-abs(z))
        total += weights[i] * (max(z, 0.0) - y[i] * z + math.log1p(power))
        slope = weights[i] * ((power if z < 0.0 else 1.0) / (1.0 + power) - y[i])
        for j in range(d):
            gradient[j] += slope * row[j]
        gradient[d] += slope
    return total


@inner
def _loss_of(scores, y, weight):
    """The weighted loss of a row; its scores become its weighted slopes."""
    if scores.shape[0] == 1:
        z = scores[0]
        power = math.exp(-abs(z))
        scores[0] = weight * ((power if z < 0.0 else 1.0) / (1.0 + power) - y)
        return weight * (max(z, 0.0) - y * z + math.log1p(power))
    top = -math.inf
    for c in range(scores.shape[0]):
        top = max(top, scores[c])
    right, powers = scores[y] - top, 0.0
    for c in range(scores.shape[0]):
        scores[c] = math.exp(scores[c] - top)
        powers += scores[c]
    for c in range(scores.shape[0]):
        scores[c] *= weight / powers
    scores[y] -= weight
    return weight * (math.log(powers) - right)


@jit
def add_sparse_losses(cells, y, weights, theta, gradient, slopes):
    """The same of sparse rows, for one score or several: the losses and the gradient of a pass.

    cells : indptr, indices and data of a CSR matrix (n, d);  y : codes (n,)
    theta, gradient : float64 (d + 1, n_scores), the intercepts last;  slopes : float64 (n_scores,), scratch
    """
    indptr, indices, data = cells
    d, n_scores = theta.shape[0] - 1, theta.shape[1]
    total = 0.0
    for i in range(weights.shape[0]):
        for c in range(n_scores):
            slopes[c] = theta[d, c]
        for e in range(indptr[i], indptr[i + 1]):
            x, of_column = data[e], theta[indices[e]]
            for c in range(n_scores):
                slopes[c] += x * of_column[c]
        total += _loss_of(slopes, y[i], weights[i])
        for e in range(indptr[i], indptr[i + 1]):
            x, of_column = data[e], gradient[indices[e]]
            for c in range(n_scores):
                of_column[c] += x * slopes[c]
        for c in range(n_scores):
            gradient[d, c] += slopes[c]
    return total


@jit
def add_hessian_products(cells, weights, proba, vector, product, factors):
    """Add the Hessian of sparse rows times a vector, (d + 1, n_scores), to the product, of the same shape.

    For one score H v = Σ w p (1 - p) (x · v) x, for several Σ w p_c (x · v_c - Σ_k p_k x · v_k) x.

    proba : float64 (n, n_scores);  factors : float64 (n_scores,), scratch
    """
    indptr, indices, data = cells
    d, n_scores = vector.shape[0] - 1, vector.shape[1]
    for i in range(weights.shape[0]):
        p = proba[i]
        for c in range(n_scores):
            factors[c] = vector[d, c]
        for e in range(indptr[i], indptr[i + 1]):
            x, of_column = data[e], vector[indices[e]]
            for c in range(n_scores):
                factors[c] += x * of_column[c]
        mean = 0.0
        for c in range(n_scores):
            mean += p[c] * factors[c]
        for c in range(n_scores):
            factors[c] = weights[i] * p[c] * (factors[c] - mean)
        for e in range(indptr[i], indptr[i + 1]):
            x, of_column = data[e], product[indices[e]]
            for c in range(n_scores):
                of_column[c] += x * factors[c]
        for c in range(n_scores):
            product[d, c] += factors[c]
