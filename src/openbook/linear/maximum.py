r"""The largest likelihood, by one solver or another; on many rows, first on a sample of them.

A sample's maximum is near that of all rows, and costs little. What is left are a few steps on all rows, led
by the curvature of the sample: for each score the inverse of its own block of the Hessian, which L-BFGS then
corrects by what it sees.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigvalsh

from openbook.linear.solvers import gradient_descent, lbfgs, newton, sgd

__all__ = ["FEW", "PLAIN", "SAMPLE", "maximise"]

#: The solvers that take the columns as they come, and steps of a given length.
PLAIN = frozenset({"gradient_descent", "sgd"})

#: Rows of the sample; fewer than twice as many are all used from the start.
SAMPLE = 20_000

#: In a sample, so many rows more speak for coefficients of 0.
RIDGE = 0.01

#: Up to so many coefficients "auto" affords the whole Hessian.
FEW = 200

#: What is added to the diagonal of a block of the Hessian, as a share of the largest entry there.
DEFINITE = 1e-10


def maximise(likelihood, start, *, solver, l1, n_rows, tol, max_iter, step, random):
    """The θ of the largest likelihood, and which solver found it.

    Parameters
    ----------
    start : float64 (p,)
    l1 : float64 (p,), the penalties on sizes, as shares of the weight of all rows
    step : of the plain solvers, by the mean loss; None for one that is short enough
    """
    if solver == "auto":
        few = n_rows < 2 * SAMPLE and len(start) <= FEW
        solver = "newton" if few or l1.any() else "lbfgs"
    limits = {"tol": tol, "max_iter": max_iter}
    if solver == "gradient_descent":
        step = step or 1.0 / _largest_curvature(likelihood)
        return gradient_descent(likelihood, start, step=step, **limits), solver
    if solver == "sgd":
        step = step or 1.0 / _total_curvature(likelihood)
        return sgd(likelihood, start, step=step, random=random, **limits), solver
    near = likelihood
    if n_rows >= 2 * SAMPLE:
        near = likelihood.sample(SAMPLE, n_rows, RIDGE)
        rough = {"tol": 0.1 / np.sqrt(SAMPLE), "max_iter": max_iter}
        start = _found(near, near, start, solver, l1, rough).theta
    return _found(likelihood, near, start, solver, l1, limits), solver


def _found(likelihood, near, start, solver, l1, limits):
    """The maximum by Newton's method, or by L-BFGS with the curvature of `near` at the start."""
    if solver == "newton":
        return newton(likelihood, start, l1=l1, **limits)
    factors = [_factor(block) for block in near.blocks(start)]

    def precondition(gradient):
        by_score = gradient.reshape(len(factors), -1)
        return np.concatenate([cho_solve(f, own) for f, own in zip(factors, by_score, strict=True)])

    return lbfgs(likelihood, start, precondition=precondition, **limits)


def _factor(block):
    block[np.diag_indices_from(block)] += DEFINITE * np.diag(block).max()
    return cho_factor(block)


def _bounds(likelihood):
    """Blocks that bound the curvature anywhere (Böhning 1992): ¼ X'X for one score, ½ X'X for more."""
    k = likelihood.n_scores
    flat = 1.0 if k == 1 else 0.5 * k * k / (k - 1)
    return flat * likelihood.blocks(np.zeros(k * len(likelihood.penalty)))


def _largest_curvature(likelihood):
    return eigvalsh(_bounds(likelihood)[0])[-1]


def _total_curvature(likelihood):
    """The mean over rows of the most that one of them can bend the loss."""
    return np.trace(_bounds(likelihood)[0])
