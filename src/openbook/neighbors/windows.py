r"""Kernels: how a weight falls with the distance u = d / h.

    uniform 1    triangular 1 - u    epanechnikov 1 - u²    biweight (1 - u²)²    triweight (1 - u²)³
    tricube (1 - u³)³    gaussian e^(-u²/2)

All but the Gaussian are (1 - u^a)^b within the window, u ≤ 1, and 0 outside. Over d dimensions they integrate
to V_d (d/a) B(d/a, b + 1), with V_d the volume of the unit ball; the Gaussian to (2π)^(d/2).
"""

import math

import numpy as np

KERNELS = {  # name: a, b; the Gaussian is of another family
    "uniform": (1, 0),
    "triangular": (1, 1),
    "epanechnikov": (2, 1),
    "biweight": (2, 2),
    "triweight": (2, 3),
    "tricube": (3, 3),
    "gaussian": (2, math.inf),
}


def kernel_weights(u, kernel):
    """The weights of distances u >= 0, by a kernel's name or by a function of u.

    >>> kernel_weights(np.array([0.0, 0.5, 1.0, 1.5]), "epanechnikov").tolist()
    [1.0, 0.75, 0.0, 0.0]
    """
    if callable(kernel):
        return np.asarray(kernel(u), dtype=float)
    if kernel == "gaussian":
        return np.exp(-0.5 * u * u)
    a, b = KERNELS[kernel]
    inside = np.minimum(u, 1.0)  # infinity would make NaN of the powers
    return np.where(u <= 1.0, (1.0 - inside**a) ** b, 0.0)


def kernel_formula(kernel):
    """The kernel as LaTeX; empty for a function of the user's."""
    if callable(kernel):
        return ""
    if kernel == "gaussian":
        return r"e^{-u^2 / 2}"
    a, b = KERNELS[kernel]
    if not b:
        return "1"
    base = "1 - u" if a == 1 else f"1 - u^{a}"
    return base if b == 1 else f"({base})^{b}"


def log_volume(kernel, d):
    """The logarithm of what a named kernel integrates to over d dimensions.

    >>> round(math.exp(log_volume("uniform", 2)), 4)  # the area of the unit circle
    3.1416
    """
    if kernel == "gaussian":
        return 0.5 * d * math.log(2 * math.pi)
    a, b = KERNELS[kernel]
    ball = 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d + 1)
    return ball + math.log(d / a) + math.lgamma(d / a) + math.lgamma(b + 1) - math.lgamma(d / a + b + 1)
