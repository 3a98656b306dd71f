r"""Coordinate descent on a quadratic with an L1 penalty.

    minimise ½ θ'Hθ + c'θ + Σ_j l1_j |θ_j|

One coordinate at a time, the others held: with r = c + Hθ and z = H_jj θ_j - r_j, the minimum is at

    θ_j = sign(z) max(|z| - l1_j, 0) / H_jj

or, where no coefficient may be below 0, at the larger of that and 0.

Where there are fewer rows than columns, H = Z'Z + l2 I is larger than Z, and r_j is cheaper from e = Zθ - t:

    r_j = z_j'e + l2 θ_j,    H_jj = z_j'z_j + l2,    and a change of θ_j adds that times z_j to e

Most coefficients are 0 and stay so: after a sweep over all, only the others are swept until they converge.

H : float64 (p, p), symmetric, no negative eigenvalue; a coordinate with H_jj = 0 stays where it is
c, l1, θ : float64 (p,);  Z : float64 (n, p), column after column;  e, t : float64 (n,)
"""

import numpy as np

from openbook.kernels.jit import inner, jit


@jit
def coordinate_descent(hessian, gradient, l1, theta, tol, max_sweeps, positive):
    """Sweep over the coordinates until none removes a slope above `tol`; returns the number of sweeps.

    `theta` and its `gradient`, c + Hθ, are updated in place.
    """
    for sweep in range(max_sweeps):
        largest = 0.0
        for j in range(theta.shape[0]):
            curvature = hessian[j, j]
            if curvature <= 0.0:
                continue
            new = _soft(curvature * theta[j] - gradient[j], l1[j], positive) / curvature
            change = new - theta[j]
            if change != 0.0:
                largest = max(largest, curvature * abs(change))
                row = hessian[j]
                for k in range(theta.shape[0]):
                    gradient[k] += change * row[k]
                theta[j] = new
        if largest <= tol:
            return sweep + 1
    return max_sweeps


@jit
def descent_on_columns(z, errors, l1, l2, theta, tol, max_sweeps, positive):
    """The same for H = Z'Z + l2 I, by the columns of Z; `theta` and its `errors`, Zθ - t, are updated."""
    squares = np.empty(theta.shape[0])
    for j in range(theta.shape[0]):
        squares[j] = _product(z[:, j], z[:, j]) + l2
    over_all = True
    for sweep in range(max_sweeps):
        largest = 0.0
        for j in range(theta.shape[0]):
            if over_all or theta[j] != 0.0:
                largest = max(largest, _descend(z[:, j], squares[j], errors, l1[j], l2, positive, theta, j))
        if over_all and largest <= tol:
            return sweep + 1
        over_all = largest <= tol
    return max_sweeps


@inner
def _descend(column, curvature, errors, l1, l2, positive, theta, j):
    """Minimise over one coefficient, the others held; returns the size of the slope that this removed."""
    if curvature <= 0.0:
        return 0.0
    slope = _product(column, errors) + l2 * theta[j]
    new = _soft(curvature * theta[j] - slope, l1, positive) / curvature
    change = new - theta[j]
    if change != 0.0:
        for i in range(column.shape[0]):
            errors[i] += change * column[i]
        theta[j] = new
    return curvature * abs(change)


@inner
def _soft(z, l1, positive):
    """The soft threshold: z drawn towards zero by l1; never below 0 if it must be positive."""
    if z > 0.0:
        return max(z - l1, 0.0)
    return 0.0 if positive else -max(-z - l1, 0.0)


@inner
def _product(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total
