r"""Coordinate descent on a quadratic with an L1 penalty.

    minimise ½ θ'Hθ + c'θ + Σ_j l1_j |θ_j|

One coordinate at a time, the others held: with r = c + Hθ and z = H_jj θ_j - r_j, the least is at

    θ_j = sign(z) max(|z| - l1_j, 0) / H_jj

H : float64 (p, p), symmetric, no negative eigenvalue; a coordinate with H_jj = 0 stays where it is
c, l1, θ : float64 (p,)
"""

from openbook.kernels.jit import jit

__all__ = ["coordinate_descent"]


@jit
def coordinate_descent(hessian, rest, l1, theta, tol, max_sweeps):
    """Sweep over the coordinates until none finds a slope above `tol` to still; say how many sweeps it took.

    `theta` and its slope, `rest`, c + Hθ, go along.
    """
    for sweep in range(max_sweeps):
        largest = 0.0
        for j in range(theta.shape[0]):
            bend = hessian[j, j]
            if bend <= 0.0:
                continue
            z = bend * theta[j] - rest[j]
            new = max(abs(z) - l1[j], 0.0) / bend
            new = new if z > 0.0 else -new
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
