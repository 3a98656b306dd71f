r"""Sequential minimal optimisation: two multipliers at a time, in working sets.

A step raises beta_i and lowers beta_j by the same amount, so that their sum stays 0. i is the row that gains
most by rising; j is the one with which the objective falls most, to second order:

    (g_i - g_j)² / (K_ii + K_jj - 2 K_ij)

A small problem is one working set, and its kernel matrix is held; so is one whose matrix is held already. Of
a large one the `WORKING` rows that violate the optimality conditions most are solved by themselves, given the
others; then the gradient of all rows is brought up to date by one pass over the changed columns of the kernel
matrix, computed block by block and forgotten. Memory is that of the rows and of one working set, whatever the
number of support vectors.

Between sweeps an interrupt (Ctrl-C) ends the search, and so does the cap; what was found by then is the
solution.

References: Platt (1998); Fan, Chen and Lin (2005) for the choice of j; Joachims (1999) for working sets.
"""

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.svm.kernels import Held, Kernel, add_scores
from openbook.svm.polish import polish
from openbook.svm.problem import CAPPED, CONVERGED, INTERRUPTED, DualSolution, Problem, slopes

#: Rows of a working set: their kernel matrix takes 8 MB.
WORKING = 1024
#: Steps of a sweep, at most: a fraction of a second.
_STEPS = 50_000
#: How near the optimum a small problem is brought before it is polished, as a share of tol.
_NEAR = 1e-4
#: A violation of rounding alone, which leaves nothing to polish: few rows come so near in a few more steps.
_OPTIMAL, _FEW = 1e-12, 200
#: Entries of the kernel matrix that are computed for every round of polishing, at most.
_MOST_ENTRIES = 1 << 20
#: The least curvature that a step divides by: that of two rows that are alike but for rounding.
LEAST = 1e-12
#: A working set is solved to this share of the violation that it started with.
_SHARE = 0.1


def solve_dual(X, kernel: Kernel, problem: Problem, tol, max_iter, start=None) -> DualSolution:
    """The multipliers of a problem over the rows of X, to a violation of at most tol.

    start : multipliers to start from, which sum to 0; optional
    """
    beta = np.zeros(len(X)) if start is None else start.copy()
    solve = _solve_whole if len(X) <= WORKING or isinstance(kernel, Held) else _solve_in_sets
    return solve(X, kernel, problem, tol, max_iter, beta)


def _solve_whole(X, kernel, problem, tol, max_iter, beta):
    K = kernel.matrix(X, X)
    if problem.ridge.any():
        K[np.diag_indices(len(K))] += problem.ridge
    gradient = K @ beta - problem.t
    state, sweeps = CAPPED, 0
    try:
        while sweeps < max_iter:
            sweeps += 1
            steps = pair_steps(K, problem.lo, problem.hi, problem.epsilon, tol, _STEPS, beta, gradient)
            if steps < _STEPS:
                state = CONVERGED
                break
        if state == CONVERGED:
            near, most = _NEAR * tol, 100 * len(X)
            pair_steps(K, problem.lo, problem.hi, problem.epsilon, near, most, beta, gradient)
            most = 4 * len(X) if len(X) <= _FEW else 0
            steps = pair_steps(K, problem.lo, problem.hi, problem.epsilon, _OPTIMAL, most, beta, gradient)
            if steps == most:
                beta = polish(problem, beta, lambda some: K[some[:, None], some], lambda by: K @ by)
    except KeyboardInterrupt:
        state = INTERRUPTED
    return DualSolution.of(problem, beta, K @ beta - problem.t, sweeps, state)


def _solve_in_sets(X, kernel, problem, tol, max_iter, beta):
    left, right = kernel.left(X), kernel.right(X)
    gradient = _gradient(kernel, left, right, problem, beta)
    chosen = np.zeros(0, dtype=np.intp)
    buffer = np.empty(WORKING * WORKING)
    state, sweeps = CAPPED, 0
    try:
        while sweeps < max_iter:
            up, down = slopes(problem, beta, gradient)
            violation = up.max() - down.min()
            if violation <= tol:
                state = CONVERGED
                break
            sweeps += 1
            chosen = _working_set(chosen, problem, beta, up, down)
            part, multipliers, slope = problem.rows(chosen), beta[chosen], gradient[chosen]
            K = buffer[: len(chosen) ** 2].reshape(len(chosen), -1)
            kernel.block(left[chosen], right[chosen], K)
            K[np.diag_indices(len(K))] += part.ridge
            enough = max(0.5 * tol, _SHARE * violation)
            pair_steps(K, part.lo, part.hi, part.epsilon, enough, _STEPS, multipliers, slope)
            change = multipliers - beta[chosen]
            moved = change != 0
            add_scores(kernel, left, right[chosen[moved]], change[moved], gradient)
            gradient[chosen] += part.ridge * change
            beta[chosen] = multipliers
    except KeyboardInterrupt:
        state = INTERRUPTED
        gradient = _gradient(kernel, left, right, problem, beta)  # the pass may have been cut short
    if state == CONVERGED and len(X) * np.count_nonzero(beta) <= _MOST_ENTRIES:
        beta = polish(
            problem,
            beta,
            lambda rows: kernel.block(left[rows], right[rows]) + np.diag(problem.ridge[rows]),
            lambda by: _gradient(kernel, left, right, problem, by) + problem.t,
        )
        gradient = _gradient(kernel, left, right, problem, beta)
    return DualSolution.of(problem, beta, gradient, sweeps, state)


def _gradient(kernel, left, right, problem, beta):
    gradient = problem.ridge * beta - problem.t
    support = np.flatnonzero(beta)
    add_scores(kernel, left, right[support], beta[support], gradient)
    return gradient


def _working_set(before, problem, beta, up, down):
    """Rows that are free since the last sweep, up to half of them; and those that violate most."""
    free = (beta[before] > problem.lo[before]) & (beta[before] < problem.hi[before])
    kept = before[free][-WORKING // 2 :]
    highest, lowest = up.max(), down.min()
    up[kept], down[kept] = -np.inf, np.inf
    half = (WORKING - len(kept)) // 2
    rising = _smallest(-up, half)
    rising = rising[up[rising] > lowest]
    down[rising] = np.inf
    falling = _smallest(down, half)
    return np.concatenate([kept, rising, falling[down[falling] < highest]])


def _smallest(values, count):
    """Where the smallest stand."""
    return np.argpartition(values, count)[:count] if count < len(values) else np.arange(len(values))


@jit
def pair_steps(K, lo, hi, epsilon, tol, most, beta, gradient):
    """Steps of two multipliers, until the violation is at most tol; returns how many there were.

    beta and gradient, (n,), go with the steps; K, (n, n), holds the ridge in its diagonal.
    """
    diagonal = np.empty(len(K))  # side by side, the cache holds it
    for k in range(len(K)):
        diagonal[k] = K[k, k]
    for step in range(most):
        i, highest = _rising(hi, epsilon, beta, gradient)
        j, lowest = _falling(K[i], diagonal, lo, epsilon, beta, gradient, highest, diagonal[i])
        if j < 0 or highest - lowest <= tol:
            return step
        loss = -gradient[j] - (epsilon if beta[j] > 0 else -epsilon)
        by = (highest - loss) / max(diagonal[i] + diagonal[j] - 2 * K[i, j], LEAST)
        by = min(by, hi[i] - beta[i], beta[j] - lo[j])
        if epsilon > 0:  # no further than to 0, where the slope changes
            by = min(by, -beta[i] if beta[i] < 0 else by, beta[j] if beta[j] > 0 else by)
        beta[i] = hi[i] if by == hi[i] - beta[i] else beta[i] + by  # a bound is met to the last digit
        beta[j] = lo[j] if by == beta[j] - lo[j] else beta[j] - by
        for k in range(len(beta)):
            gradient[k] += by * (K[i, k] - K[j, k])
    return most


@inner
def _rising(hi, epsilon, beta, gradient):
    """The row that gains most by rising, and its gain."""
    i, highest = -1, -np.inf
    for k in range(len(beta)):
        if beta[k] < hi[k]:
            gain = -gradient[k] - (epsilon if beta[k] >= 0 else -epsilon)
            if gain > highest:
                i, highest = k, gain
    return i, highest


@inner
def _falling(K_i, diagonal, lo, epsilon, beta, gradient, highest, K_ii):
    """The row by whose fall the objective falls most while i rises; and the least loss of any."""
    j, lowest, best, of = -1, np.inf, 0.0, 1.0  # the objective falls by best / of; a product is quicker
    for k in range(len(beta)):
        if beta[k] > lo[k]:
            loss = -gradient[k] - (epsilon if beta[k] > 0 else -epsilon)
            lowest = min(lowest, loss)
            if loss < highest:
                fall, curve = (highest - loss) ** 2, max(K_ii + diagonal[k] - 2 * K_i[k], LEAST)
                if fall * of > best * curve:
                    j, best, of = k, fall, curve
    return j, lowest
