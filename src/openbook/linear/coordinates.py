r"""Coordinate descent on a quadratic with an L1 penalty.

    minimise ½ θ'Hθ + c'θ + Σ_j l1_j |θ_j|

One coordinate at a time, the others held: with r = c + Hθ and z = H_jj θ_j - r_j, the least is at

    θ_j = sign(z) max(|z| - l1_j, 0) / H_jj

or, where no coefficient may be below 0, at the larger of that and 0.

Where there are fewer rows than columns, H = Z'Z + l2 I is larger than Z, and r_j is cheaper from e = Zθ - t:

    r_j = z_j'e + l2 θ_j,    H_jj = z_j'z_j + l2,    and a change of θ_j adds as much of z_j to e

Most coefficients are 0 and stay so: after a sweep over all, only the others are swept until they rest.

H : float64 (p, p), symmetric, no negative eigenvalue; a coordinate with H_jj = 0 stays where it is
c, l1, θ : float64 (p,);  Z : float64 (n, p), column after column;  e, t : float64 (n,)
"""

import numpy as np

from openbook.kernels.jit import inner, jit


@jit
def coordinate_descent(hessian, rest, l1, theta, tol, max_sweeps, positive):
    """Sweep over the coordinates until none finds a slope above `tol` to still; say how many sweeps it took.

    `theta` and its slope, `rest`, c + Hθ, go along.
    """
    for sweep in range(max_sweeps):
        largest = 0.0
        for j in range(theta.shape[0]):
            bend = hessian[j, j]
            if bend <= 0.0:
                continue
            new = _least(bend * theta[j] - rest[j], l1[j], positive) / bend
            change = new - theta[j]
            if change != 0.0:
                largest = max(largest, bend * abs(change))
                row = hessian[j]
                for k in range(theta.shape[0]):
                    rest[k] += change * row[k]
                theta[j] = new
        if largest <= tol:
            return sweep + 1
    return max_sweeps


@jit
def descent_on_columns(z, errors, l1, l2, theta, tol, max_sweeps, positive):
    """The same for H = Z'Z + l2 I, by the columns of Z; `theta` and its `errors`, Zθ - t, go along."""
    squares = np.empty(theta.shape[0])
    for j in range(theta.shape[0]):
        squares[j] = _product(z[:, j], z[:, j]) + l2
    sweeps = 0
    while sweeps < max_sweeps:
        largest = 0.0
        for j in range(theta.shape[0]):
            largest = max(largest, _descend(z[:, j], squares[j], errors, l1[j], l2, positive, theta, j))
        sweeps += 1
        if largest <= tol:
            break
        while sweeps < max_sweeps:
            largest = 0.0
            for j in range(theta.shape[0]):
                if theta[j] != 0.0:
                    largest = max(
                        largest, _descend(z[:, j], squares[j], errors, l1[j], l2, positive, theta, j)
                    )
            sweeps += 1
            if largest <= tol:
                break
    return sweeps


@inner
def _descend(column, bend, errors, l1, l2, positive, theta, j):
    """Bring a coefficient to its least, the others held; how large a slope that stilled."""
    if bend <= 0.0:
        return 0.0
    slope = _product(column, errors) + l2 * theta[j]
    new = _least(bend * theta[j] - slope, l1, positive) / bend
    change = new - theta[j]
    if change != 0.0:
        for i in range(column.shape[0]):
            errors[i] += change * column[i]
        theta[j] = new
    return bend * abs(change)


@inner
def _least(z, l1, positive):
    """Z drawn towards zero by l1; 0 instead of what must not be below."""
    if z > 0.0:
        return max(z - l1, 0.0)
    return 0.0 if positive else -max(-z - l1, 0.0)


@inner
def _product(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total
