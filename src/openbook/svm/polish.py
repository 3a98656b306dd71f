r"""From a solution within the tolerance to the solution: the free multipliers from their own equations.

Where it is known which multipliers are free and which stand at a bound, the free ones F and the constant b
solve

    (K + diag(ridge))_FF beta_F + b = t_F - K_FB beta_B ∓ epsilon,    sum beta = 0

A multiplier that would leave its bounds on the way stops there and is free no longer; one that is at a bound
and should not be becomes free; and so on until nothing changes (an active-set method, in few steps from a
start this near). So the multipliers of a textbook's example come out to the last digits, and the same rows
give the same model in any order. Where the equations have many solutions the smallest change is made; where
they have none, the multipliers move along the rows' own dependence until one meets its bound. Where very many
are free the solution stays as it was.
"""

import numpy as np

from openbook.svm.problem import Problem, slopes

#: With more free rows than these the multipliers are not polished; the most rounds.
_MOST_FREE, _ROUNDS = 500, 100
#: A violation up to this counts as none, as a share of the largest target.
_EXACT = 1e-11
#: The share of that which a solution may leave without another round.
_ROUNDING = 1e-3


def polish(problem: Problem, beta, square, times):
    """Better multipliers, or the same.

    square : function of rows that gives their part of K + diag(ridge)
    times : function of multipliers that gives their product with all of K + diag(ridge)
    """
    beta = beta.copy()
    free = (beta > problem.lo) & (beta < problem.hi)
    if problem.epsilon:
        free &= beta != 0
    if free.sum() > _MOST_FREE:
        return beta
    side = np.sign(beta)  # of the free band, where there is one, on which a free row's target lies
    exact = _EXACT * max(1.0, float(np.abs(problem.t).max()))
    gradient = times(beta) - problem.t
    again = False
    for _ in range(_ROUNDS):
        if not free.any() and not _free_two(problem, beta, gradient, free, side, exact):
            break
        interior = np.flatnonzero(free)
        if len(interior) > _MOST_FREE:
            break
        sides = np.append(-gradient[interior] - problem.epsilon * side[interior], -beta.sum())
        change, bias = _equations(square(interior), sides)
        most = 1.0 if bias is not None else np.inf
        ends = _ends(problem.rows(interior), change, side[interior])
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(change == 0, np.inf, (ends - beta[interior]) / change)
        first = int(np.argmin(shares))
        if not min(most, shares[first]) < np.inf:
            break
        beta[interior] += min(most, shares[first]) * change
        if shares[first] <= most:
            beta[interior[first]] = ends[first]
            free[interior[first]] = False
        gradient = times(beta) - problem.t
        if shares[first] > most and not _free_one(problem, beta, gradient, free, side, bias, exact):
            left = gradient[interior] + problem.epsilon * side[interior] + bias
            if again or np.abs(left).max() <= _ROUNDING * exact:
                break
            again = True  # once more, from so near: what rounding took from the first solution
    return beta


def _equations(K, sides):
    """The change of the free multipliers and the constant; the last of the sides is the sum of the change.

    Where there is no solution, more rows are free than can be on their target: a change that leaves all
    predictions as they are and makes the objective fall on and on, and None.
    """
    n = len(K)
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = K
    system[n, n] = 0.0
    size = float(np.abs(sides).max())
    try:
        solution = np.linalg.solve(system, sides)
    except np.linalg.LinAlgError:
        solution = np.full(n + 1, np.inf)
    # rounding blows a solution up where the equations hang together: then the smallest is wanted
    if not np.abs(solution[:n]).max() <= 1e6 * size or not _solves(system, solution, sides, size):
        solution = np.linalg.lstsq(system, sides, rcond=1e-11)[0]
        if not _solves(system, solution, sides, size):
            return (sides - system @ solution)[:n], None
    return solution[:n], float(solution[n])


def _solves(system, solution, sides, size):
    return np.abs(system @ solution - sides).max() <= 1e-9 * max(size, 1e-3)


def _ends(problem, change, side):
    """Where each multiplier stops on its way: at a bound or, with a free band, at 0."""
    ends = np.where(change > 0, problem.hi, problem.lo)
    return np.where(side * change < 0, 0.0, ends) if problem.epsilon else ends


def _free_two(problem, beta, gradient, free, side, exact):
    """Free the two rows that violate most, where none is free; whether they do."""
    up, down = slopes(problem, beta, gradient)
    i, j = int(np.argmax(up)), int(np.argmin(down))
    if not up[i] - down[j] > exact:
        return False
    free[[i, j]] = True
    side[i], side[j] = np.sign(beta[i]) or 1.0, np.sign(beta[j]) or -1.0
    return True


def _free_one(problem, beta, gradient, free, side, bias, exact):
    """Free the row at a bound that violates most; whether one does."""
    up, down = slopes(problem, beta, gradient)
    gain = np.where(free, -np.inf, np.maximum(up - bias, bias - down))
    row = int(np.argmax(gain))
    if not gain[row] > exact:
        return False
    free[row] = True
    side[row] = np.sign(beta[row]) or (1.0 if up[row] - bias >= bias - down[row] else -1.0)
    return True
