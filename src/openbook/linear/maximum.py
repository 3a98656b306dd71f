r"""The largest likelihood, by one solver or another; on many rows, first on a sample of them.

The maximum of a sample is near that of all rows, and costs little. A few steps on all rows remain. They are
preconditioned by the curvature of the sample: for each score the inverse of its own block of the Hessian.

Wide tables have fewer rows than columns. The gradient of the loss is a sum of rows, so under a penalty ½ Σ_j
p_j θ_j² the best θ is one, too (the representer theorem), and n figures γ say where it lies: with the QR
decomposition of the rows over the roots of their penalties,

    (Z / √p)' = Q R,    θ √p = Q γ,    scores = R'γ + b,    penalty = ½ γ'γ

The same problem then has n coefficients, and Newton's method can solve it. Most tables do not need that:
L-BFGS on all columns is tried first.

Z : float64 (n, d), rows in standard units;  Q : (d, n);  R : (n, n)
"""

from dataclasses import replace
from functools import partial
from operator import add

import numpy as np
from scipy.linalg import cho_factor, eigvalsh, qr
from scipy.linalg.lapack import dpotrs

from openbook.fold import fold
from openbook.linear.likelihood import BATCH_ROWS, EncodedRows, Units, every, joined_rows
from openbook.linear.solvers import Solution, follow_gradient, lbfgs, newton, sgd, truncated_newton

#: The solvers that take the columns as they come, and steps of a given length.
FIXED_STEP = frozenset({"gradient_descent", "sgd"})

#: Words of scikit-learn's for other ways to the same maximum, and the solver here that finds it.
SAME_MAXIMUM = {
    **dict.fromkeys(("newton-cg", "newton-cholesky"), "newton"),
    **dict.fromkeys(("liblinear", "sag", "saga"), "auto"),
}

#: Rows of the sample at least, and for each column; fewer than twice as many are all used from the start.
SAMPLE, SAMPLE_PER_COLUMN = 10_000, 100

#: The ridge, in rows, that is added in a sample.
RIDGE = 0.01

#: Up to this many coefficients "auto" computes the whole Hessian.
FEW = 200

#: With more columns than these, L-BFGS goes without the curvature at the start, which would be too large.
WIDE = 3000

#: The most steps of L-BFGS on a wide table before it is solved among its rows.
QUICK_STEPS = 40

#: Up to this many coefficients a wide table is solved by Newton's method, and beyond by L-BFGS again.
MOST_IN_ROWS = 1500

#: The ridge on the diagonal of a block of the Hessian, as a share of its largest entry.
DEFINITE = 1e-10


def penalties_of(model):
    """The factors of Σ |w| and of ½ Σ w² in the penalty that a model asks for."""
    strength = 0.0 if model.penalty is None else 1.0 / model.C
    ratio = {"l1": 1.0, "l2": 0.0}.get(model.penalty, model.l1_ratio)
    return ratio * strength, (1.0 - ratio) * strength


def maximise(likelihood, start, *, solver, l1, n_rows, tol, max_iter, step, random):
    """The θ of the largest likelihood, and which solver found it.

    Parameters
    ----------
    start : float64 (p,)
    l1 : float64 (p,), the penalties on sizes, as shares of the weight of all rows
    step : of the plain solvers, by the summed loss, or by a batch's mean; None for one that is short enough
    """
    if likelihood.sparse:
        return _of_sparse_rows(likelihood, start, solver, l1, tol=tol, max_iter=max_iter)
    sample = max(SAMPLE, SAMPLE_PER_COLUMN * len(likelihood.penalty))
    many = n_rows >= 2 * sample
    limits = {"tol": tol, "max_iter": max_iter}
    if max_iter == 0:  # the coefficients are given
        return follow_gradient(likelihood, start, step=0.0, **limits), "none"
    if solver == "gradient_descent":
        step = step * likelihood.total if step else 1.0 / _most_curvature(likelihood)
        found = follow_gradient(likelihood, start, step=step, **limits)
        by_sum = [point._replace(step=point.step / likelihood.total) for point in found.trace]
        return found._replace(trace=by_sum), solver
    if solver == "sgd":
        step = step or 1.0 / _most_curvature(likelihood, BATCH_ROWS)
        return sgd(likelihood, start, step=step, random=random, **limits), solver
    wide = n_rows < len(likelihood.penalty) and likelihood.intercept
    if wide and not l1.any() and not likelihood.free[:-1].any() and solver in {"auto", "newton"}:
        return _among_rows(likelihood, start, solver, limits)
    if solver == "auto":
        solver = "newton" if l1.any() or (not many and len(start) <= FEW) else "lbfgs"
    near = likelihood
    if many:
        near = likelihood.sample(sample, n_rows, RIDGE)
        rough = {"tol": 0.1 / np.sqrt(sample), "max_iter": max_iter}
        start = _maximised(near, near, start, solver, l1, rough).theta
    return _maximised(likelihood, near, start, solver, l1, limits), solver


def _of_sparse_rows(likelihood, start, solver, l1, **limits):
    """The maximum by Newton's method with conjugate gradients; by L-BFGS, which can, under an L1 penalty."""
    start = _centred_start(likelihood, start)
    if limits["max_iter"] == 0:
        return follow_gradient(likelihood, start, step=0.0, **limits), "none"
    if l1.any() or solver == "lbfgs":
        return lbfgs(likelihood, start, l1=l1 if l1.any() else None, keep_gradients=False, **limits), "lbfgs"
    return truncated_newton(likelihood, start, **limits), "newton"


def _maximised(likelihood, near, start, solver, l1, limits):
    """The maximum by Newton's method, or by L-BFGS with the curvature of `near` at the start.

    To add the same to all scores changes nothing but the penalty, which is least where they sum to 0; there
    they begin, and the steps keep it so.
    """
    if solver == "newton":
        return newton(likelihood, start, l1=l1, **limits)
    start = _centred_start(likelihood, start)
    if len(likelihood.penalty) > WIDE:
        return lbfgs(likelihood, start, **limits)
    factors = [_factor(block) for block in near.blocks(start)]

    def precondition(gradient):
        by_score = gradient.reshape(likelihood.n_scores, -1)
        steps = [dpotrs(factor, gradient_k)[0] for factor, gradient_k in zip(factors, by_score, strict=True)]
        return _centred(np.array(steps)).ravel()

    return lbfgs(likelihood, start, precondition=precondition, **limits)


def _among_rows(likelihood, start, solver, limits):
    """The maximum of a wide table under a penalty on squares: by L-BFGS, or among its rows; and which."""
    theta, before = _centred_start(likelihood, start), []
    if solver == "auto":
        quick = lbfgs(likelihood, theta, **{**limits, "max_iter": min(QUICK_STEPS, limits["max_iter"])})
        if quick.converged or limits["max_iter"] <= QUICK_STEPS:
            return quick, "lbfgs"
        theta, before = quick.theta, quick.trace[:-1]
    turned, factors = _turned(likelihood)  # (d, n): θ = factors γ
    k, n = likelihood.n_scores, factors.shape[1]
    solver = "newton" if k * n <= MOST_IN_ROWS else "lbfgs"
    by_score = theta.reshape(k, -1)
    shares = by_score[:, :-1] * likelihood.penalty[:-1] @ factors
    first = np.column_stack([shares, by_score[:, -1]]).ravel()
    steepest = np.sqrt(n * likelihood.penalty.max())  # of a slope by γ in one by θ, at most
    rest = {"tol": limits["tol"] / max(steepest, 1.0), "max_iter": limits["max_iter"] - len(before)}
    found = _maximised(turned, turned, first, solver, np.zeros(len(first)), rest)
    by_score = found.theta.reshape(k, -1)
    theta = np.column_stack([by_score[:, :-1] @ factors.T, by_score[:, -1]]).ravel()
    _, slope = likelihood(theta)
    last = found.trace[-1]._replace(slope=float(np.abs(slope).max()))
    trace = [*before, *found.trace[:-1], last]
    return Solution(theta, trace, last.slope <= limits["tol"]), solver


def _turned(likelihood):
    """The same function of γ, and the factors that make θ of it, Q / √p."""
    x, y, w, _ = joined_rows(fold(likelihood.pieces, partial(every, 1), add))
    root = np.sqrt(likelihood.penalty[:-1])
    x = (x - likelihood.units.shift) / (likelihood.units.scale * root)
    q, r = qr(x.T, mode="economic", overwrite_a=True, check_finite=False)
    n = len(r)
    turned = replace(
        likelihood,
        pieces=[EncodedRows(np.ascontiguousarray(r.T), y, w, 0)],
        units=Units(np.zeros(n), np.ones(n)),
        penalty=np.append(np.ones(n), 0.0),
        free=np.append(np.zeros(n, dtype=bool), True),
    )
    return turned, q / root[:, None]


def _centred_start(likelihood, start):
    return _centred(start.reshape(likelihood.n_scores, -1)).ravel()


def _centred(by_score):
    """Scores that sum to 0, where there are several."""
    return by_score - by_score.mean(axis=0) if len(by_score) > 1 else by_score


def _factor(block):
    block[np.diag_indices_from(block)] += DEFINITE * np.diag(block).max()
    return cho_factor(block)[0]


def _most_curvature(likelihood, rows=np.inf):
    """A bound on the curvature of the loss (Böhning 1992), or about that of a batch of rows.

    X'X / 4 bounds the Hessian of one score, and X'X / 2 that of more; where all scores are 0, its blocks are
    X'X p (1 - p), with p = 1/2, or 1 / n_scores.
    """
    k = likelihood.n_scores
    factor = 1.0 if k == 1 else 0.5 * k * k / (k - 1)
    block = factor * likelihood.blocks(np.zeros(k * len(likelihood.penalty)))[0]
    return eigvalsh(block)[-1] + np.trace(block) / rows
