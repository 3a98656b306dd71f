r"""Linear machines over sparse rows, by coordinate descent on the multipliers (Hsieh et al. 2008).

One multiplier at a time goes to where the dual of `problem.py` is best while the others stay,

    beta_i <- clip(soft(beta_i - g_i / h_i, epsilon / h_i), lo_i, hi_i)
    g_i = f(x_i) - t_i + ridge_i beta_i,    h_i = |x_i - m|² + ridge_i + 1 / rho

and w = sum_i beta_i (x_i - m) follows at the cost of the row's cells. The rows stay as they are: with
u = sum_i beta_i x_i and a = sum_i beta_i, every product with x_i - m is one with x_i and a few figures. Rows
around their mean m are less alike than the rows themselves, so fewer sweeps are needed.

A constant that is not penalised requires sum beta = 0, which no change of a single multiplier can preserve.
The method of multipliers (Hestenes 1969) makes it a penalty, with rho and the multiplier b: b moves by each
change of beta over rho, and after each stage by the remaining sum. A stage ends when no multiplier gains more
than a bound, which falls until it is `tol`. Rows that are sure to stay at their bounds are left out until
then.

cells : indptr, indices and data of a CSR matrix (n, d); u : float64 (d,)
"""

from itertools import islice

import numpy as np

from openbook.kernels.jit import jit
from openbook.svm.problem import CAPPED, CONVERGED, INTERRUPTED, DualSolution, Problem, bias_of

#: How the bound on gains falls from stage to stage.
_FALL = 0.3
#: Rows that are met on end, as they lie in memory; the order of such blocks is random.
_BLOCK_ROWS = 8
#: 1 / rho, as a share of the rows' mean square.
_PENALTY = 0.1
#: Places in the state: the constant b, 1 / rho, the sum a, m · u, |m|², the largest gain of a sweep.
_B, _INVERSE, _SUM, _ALONG, _SQUARE, _GAIN = range(6)


@jit
def _sweep(cells, order, rows, about, epsilon, beta, u, state):
    """Meet the rows of `order` once; those that may still move stand first in it then, and their number is
    given. A row is sure to stay that would lose more by any move than the best of the last sweep gained.

    rows : t, lo, hi and ridge of each row; about : |x - m|² and m · x of each
    """
    indptr, indices, data = cells
    t, lo, hi, ridge = rows
    squares, along = about
    sure, most, kept = state[_GAIN], 0.0, 0
    for k in range(order.shape[0]):
        i = order[k]
        f = state[_B] - state[_SUM] * along[i] - state[_ALONG] + state[_SUM] * state[_SQUARE]
        for e in range(indptr[i], indptr[i + 1]):
            f += data[e] * u[indices[e]]
        old = beta[i]
        g = f - t[i] + ridge[i] * old
        up = -g - (epsilon if old >= 0.0 else -epsilon) if old < hi[i] else -np.inf
        down = g + (epsilon if old > 0.0 else -epsilon) if old > lo[i] else -np.inf
        gain = max(up, down)
        if gain < -sure:
            continue
        order[kept] = i
        kept += 1
        if gain <= 0.0:
            continue
        most = max(most, gain)
        h = squares[i] + ridge[i] + state[_INVERSE]
        new = old - g / h
        new = np.sign(new) * max(abs(new) - epsilon / h, 0.0)
        new = min(max(new, lo[i]), hi[i])
        change = new - old
        if change != 0.0:
            beta[i] = new
            for e in range(indptr[i], indptr[i + 1]):
                u[indices[e]] += change * data[e]
            state[_B] += change * state[_INVERSE]
            state[_SUM] += change
            state[_ALONG] += change * along[i]
    state[_GAIN] = most
    return kept


def solve_sparse(X, problem: Problem, tol, max_iter, start=None) -> DualSolution:
    """The multipliers of a linear problem over the rows of a CSR matrix, with its weights."""
    search = _Descent(X, problem, np.zeros(X.shape[0]) if start is None else start.copy())
    state = CAPPED
    try:
        if any(islice(search.sweeps(tol), max_iter)):
            state = CONVERGED
    except KeyboardInterrupt:
        state = INTERRUPTED
    w = search.u - search.state[_SUM] * search.mean
    f, beta = X @ w, problem.balanced(search.beta)
    bias = bias_of(problem, search.beta, f + problem.ridge * search.beta - problem.t)
    f += bias
    primal = 0.5 * float(w @ w) + problem.total_loss(f)
    gap = max(primal - problem.dual(beta, float(np.square(beta @ X).sum())), 0.0)
    return DualSolution(beta, bias, f, primal, gap, search.met, state, w)


class _Descent:
    """Where the search stands: the multipliers, their sum of rows, the figures of the state, the sweeps."""

    def __init__(self, X, problem, beta):
        self.X, self.problem, self.beta = X, problem, beta
        self.mean = np.asarray(X.mean(axis=0)).ravel()
        along, square = X @ self.mean, float(self.mean @ self.mean)
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() - 2 * along + square
        self.about = np.maximum(squares, 0.0), along
        self.u, inverse = beta @ X, _PENALTY * float(squares.mean()) or 1.0
        self.met, total = 0, float(beta.sum())
        self.state = np.array([total * inverse, inverse, total, self.mean @ self.u, square, np.inf])

    def sweeps(self, tol):
        """One sweep after another; each returns whether the multipliers have converged."""
        X, problem, state = self.X, self.problem, self.state
        cells, rows = (X.indptr, X.indices, X.data), tuple(problem[:4])
        random, bound = np.random.default_rng(0), float(np.abs(problem.t).max())
        every = active = np.arange(X.shape[0])
        while True:
            whole, order = len(active) == len(every), _in_blocks(active, random)
            self.met += 1
            kept = _sweep(cells, order, rows, self.about, problem.epsilon, self.beta, self.u, state)
            active, gain, off = order[:kept], state[_GAIN], state[_SUM] * state[_INVERSE]
            yield whole and gain <= tol and abs(off) <= tol
            if gain <= bound or not kept:  # the stage is over: b answers for the sum, and all rows return
                bound = max(_FALL * gain, tol)
                state[_B] += off
                active = every


def _in_blocks(rows, random):
    """The rows in blocks of neighbours, in a random order of these."""
    rows = np.sort(rows)
    blocks = len(rows) // _BLOCK_ROWS
    whole = blocks * _BLOCK_ROWS
    dealt = rows[:whole].reshape(blocks, _BLOCK_ROWS)[random.permutation(blocks)].ravel()
    return np.concatenate([dealt, rows[whole:]])
