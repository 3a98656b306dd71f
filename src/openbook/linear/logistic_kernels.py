"""The kernel that adds up the logistic loss of many rows and its gradient, in one pass over memory.

For each row, z = b + w · x, then loss = max(z, 0) - y z + ln(1 + e^-|z|) and slope = 1/(1 + e^-z) - y. The
row is still in the nearest cache when its slope is known, which two matrix products cannot say.

x : float64 (n, d), finite;  y : float64 (n,), 0 or 1;  weights : float64 (n,)
theta, gradient : float64 (d + 1,), the intercept last
"""

import math

from openbook.kernels.jit import jit

__all__ = ["add_logistic"]


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
