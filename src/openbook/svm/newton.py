r"""Linear machines by Newton's method, on a loss whose corners are rounded less and less.

    min over w, b    1/2 |w|² + sum_i loss_h(t_i - w · x_i - b)

loss_h is quadratic over a width of 2h around the loss's corner: in the dual, a ridge of 2h / C. Its minimum
is found by Newton's method, whose curvature comes from the rows in the rounded part alone; then h is cut to a
quarter. Each stage gives multipliers that the dual allows, so the gap to the unrounded loss is known, and the
search ends where it is a small share of the loss. A squared hinge has a ridge already, and needs one stage.

Rows far from every corner keep their multipliers through a stage: they enter it as one sum, and are looked at
again when it is over. The first stages learn from every eighth row. So the time is that of a few dozen
products of X with a vector, and the memory that of a few columns.

X : float64 (n, d), or a CSR matrix, of which a few rows at a time are made dense
w : float64 (d,), f : float64 (n,) = X w + b
"""

import numpy as np
from scipy.sparse import issparse

from openbook.svm.polish import polish
from openbook.svm.problem import CAPPED, CONVERGED, INTERRUPTED, DualSolution, Problem

#: More rows than these are started from every eighth of them.
_MANY, _STRIDE = 10_000, 8
#: The search ends where the gap is this share of tol times the objective; with few rows a smaller one yet,
#: unless it is clear sooner which rows are on the margin.
_GAP, _EXACT = 1e-3, 1e-3
#: The gap at which the start from every eighth row ends: as much as so few rows can tell.
_ROUGH = 1e-3
#: How the width shrinks; rows more than this many widths from where their multiplier changes are far.
_SHRINK, _FAR = 0.25, 4.0
#: From this share of near rows on, all are.
_MOST = 0.5
_LEAST_WIDTH = 1e-9
#: Steps before the far rows are looked at again.
_NEWTON_STEPS = 20
#: A step that lets the objective fall by no more than this share of it is none.
_ENOUGH = 1e-15
#: A step ends where the slope is no more than this share of that at its start.
_FLAT = 0.3
#: Rows that are multiplied at a time: few enough to stay in the cache.
_BLOCK_ROWS = 1024


class _Search:
    """Where the search stands: the weights, the constant, the predictions that they make of all rows, the
    width of the rounding, the steps taken.
    """

    def __init__(self, columns, width, max_iter):
        self.w, self.b, self.f, self.width = np.zeros(columns), 0.0, np.zeros(0), width
        self.steps, self.max_iter = 0, max_iter

    def at(self):
        return self.w, self.b, self.f

    @property
    def over(self):
        return self.steps >= self.max_iter


def solve_linear(X, problem: Problem, tol, max_iter) -> DualSolution:
    """The multipliers of a linear problem over the rows of X; every row has a finite bound or a ridge."""
    search = _Search(X.shape[1], float(np.std(problem.t)) or 1.0, max_iter)
    try:
        _stages(X, problem, _GAP * tol, search, exact=X.shape[0] <= _MANY)
        state = CAPPED if search.over else CONVERGED
    except KeyboardInterrupt:
        state = INTERRUPTED
        search.f = X @ search.w + search.b
    beta = problem.multipliers(search.f, _ridge(problem, search.width))
    if state != CONVERGED:
        beta = _scaled(X, problem, problem.balanced(beta))
    primal = 0.5 * float(search.w @ search.w) + problem.total_loss(search.f)
    gap = max(primal - problem.dual(beta, float(np.square(beta @ X).sum())), 0.0)
    found = DualSolution(beta, search.b, search.f, primal, gap, search.steps, state, search.w)
    if state == CONVERGED and X.shape[0] <= _MANY and not problem.ridge.any():
        polished = _polished(X, problem, found)
        return min(polished, found, key=lambda solution: solution.primal)
    return found


def _polished(X, problem, found):
    beta = polish(
        problem,
        found.beta,
        lambda rows: _dense(X[rows] @ X[rows].T) + np.diag(problem.ridge[rows]),
        lambda by: X @ (by @ X) + problem.ridge * by,
    )
    gradient = X @ (beta @ X) + problem.ridge * beta - problem.t
    return DualSolution.of(problem, beta, gradient, found.sweeps, found.state)


def _scaled(X, problem, beta):
    """The multipliers, scaled so that their dual value is largest, and the bound is useful."""
    square = float(np.square(beta @ X).sum())
    curvature = square + float((problem.ridge * beta) @ beta)
    rise = problem.dual(beta, square) + 0.5 * curvature
    return beta * min(max(rise / curvature, 0.0), 1.0) if curvature else beta


def _stages(X, problem, share, search, *, exact):
    """Round less and less until the gap is at most this share of the objective.

    If it has to be exact, until it is clear as well which rows are on the margin, or the gap is yet smaller.
    """
    if X.shape[0] > _MANY:
        sample = slice(None, None, _STRIDE)
        part = problem.rows(sample)._replace(
            lo=_STRIDE * problem.lo[sample],
            hi=_STRIDE * problem.hi[sample],
            ridge=problem.ridge[sample] / _STRIDE,
        )
        every_eighth = X[sample] if issparse(X) else np.ascontiguousarray(X[sample])
        _stages(every_eighth, part, _ROUGH, search, exact=False)
        search.width /= _SHRINK
    search.f = X @ search.w + search.b
    while not search.over:
        ridge = _ridge(problem, search.width)
        beta, square = _stage(X, problem, ridge, search), float(search.w @ search.w)
        primal = 0.5 * square + problem.total_loss(search.f)
        gap = primal - problem.dual(beta, square)
        clear = not exact or _rounded(problem, beta).sum() <= X.shape[1] + 1
        if gap <= share * primal * (1.0 if clear else _EXACT) or ridge is problem.ridge:
            return
        if search.width < _LEAST_WIDTH:
            return
        search.width *= _SHRINK


def _rounded(problem, beta):
    """The rows in the rounded part of the loss."""
    return (beta > problem.lo) & (beta < problem.hi) & (beta != 0)


def _ridge(problem, width):
    """The ridge that rounds the loss over this width, or the problem's own."""
    return problem.ridge if problem.ridge.any() else 2 * width / np.maximum(problem.hi, -problem.lo)


def _stage(X, problem, ridge, search):
    """Move the search to the minimum of the rounded loss; returns the multipliers of all rows there."""
    reach = _FAR * 2 * search.width
    while True:
        beta = problem.multipliers(search.f, ridge)
        near = problem.multipliers(search.f - reach, ridge) != problem.multipliers(search.f + reach, ridge)
        near |= near.mean() > _MOST  # if most rows are near, copying them does not pay
        far, before = np.where(near, 0.0, beta), search.at()
        part = X if near.all() else X[near]
        found = _newton(part, problem.rows(near), ridge[near], far @ X, far.sum(), search)
        search.f = X @ search.w + search.b
        now = problem.multipliers(search.f, ridge)
        same = (now[~near] == beta[~near]).all()
        if search.over or (found and same):
            return now
        if not same:  # the way is downhill for all rows, but some that were far have come near
            reach *= 2
            _step_back(search, before, lambda w, f: 0.5 * float(w @ w) + float(problem.loss(f, ridge).sum()))


def _step_back(search, before, objective):
    """Halve the way since `before` until the objective is lower than there."""
    w, b, f = before
    start = objective(w, f)
    for _ in range(40):
        if objective(search.w, search.f) < start:
            return
        search.w, search.b, search.f = (search.w + w) / 2, (search.b + b) / 2, (search.f + f) / 2


def _newton(X, problem, ridge, far_weights, far_sum, search):
    """Newton's method over the near rows; whether it converged.

    The far rows add -far_weights · w - far_sum b to the objective.
    """
    d = X.shape[1]
    f = X @ search.w + search.b
    size = float(search.w @ search.w + np.abs(far_weights) @ np.abs(search.w) + abs(far_sum * search.b))
    size += float(problem.loss(f, ridge).sum())
    for _ in range(_NEWTON_STEPS):
        beta = problem.multipliers(f, ridge)
        slope = np.append(search.w - far_weights - beta @ X, -far_sum - beta.sum())
        if search.over:
            return False
        curvature = _curvature(X, problem, ridge, beta)
        least = 0.1 * abs(slope[d]) / search.width  # no leap of b where few rows are bent
        curvature[d, d] = max(curvature[d, d], least, 1e-12)
        step = -np.linalg.solve(curvature, slope)
        across = X @ step[:d] + step[d]
        fixed = (float((search.w - far_weights) @ step[:d]) - far_sum * step[d], float(step[:d] @ step[:d]))

        def steepness(share, f=f, across=across, fixed=fixed):
            rest = float(problem.multipliers(f + share * across, ridge) @ across)
            return fixed[0] + share * fixed[1] - rest

        fall = float(slope @ step)
        last = -fall <= _ENOUGH * size
        search.steps += not last
        share = 1.0 if last else _share(fall, steepness)
        search.w = search.w + share * step[:d]
        search.b += share * step[d]
        f = f + share * across
        if last:
            return True
    return False


def _share(start, steepness):
    """How much of a step to take: up to where the way is much flatter; start is the slope at 0.

    The share is doubled until the way rises. Then the place is found by false position; an end that stays
    counts half the next time (the Illinois rule).
    """
    low, high, share = 0.0, np.inf, 1.0
    below, above, side = start, 0.0, 0
    for _ in range(60):
        value = steepness(share)
        if abs(value) <= -_FLAT * start:
            return share
        if value > 0:
            below *= 0.5 if side > 0 else 1.0
            high, above, side = share, value, 1
        else:
            above *= 0.5 if side < 0 else 1.0
            low, below, side = share, value, -1
        share = 2 * share if high == np.inf else low - below * (high - low) / (above - below)
    return low or high


def _curvature(X, problem, ridge, beta):
    """The second derivatives by w and b, (d + 1, d + 1)."""
    d = X.shape[1]
    bent = np.flatnonzero(_rounded(problem, beta))
    H = np.zeros((d + 1, d + 1))
    for start in range(0, len(bent), _BLOCK_ROWS):
        block = bent[start : start + _BLOCK_ROWS]
        rows = np.ones((len(block), d + 1))
        if issparse(X):
            rows[:, :d] = _dense(X[block])
        else:
            np.take(X, block, axis=0, out=rows[:, :d])
        rows /= np.sqrt(ridge[block])[:, None]
        H += rows.T @ rows
    H[np.diag_indices(d)] += 1.0
    return H


def _dense(rows):
    """A few rows as an array."""
    return rows.toarray() if issparse(rows) else rows
