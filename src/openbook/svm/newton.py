r"""Linear machines by Newton's method, on a loss whose corners are rounded less and less.

    min over w, b    1/2 |w|² + sum_i loss_h(t_i - w · x_i - b)

loss_h is quadratic over a width of 2h beside the loss's corner: in the dual, a ridge of 2h / C. Its minimum
is found by Newton's method, whose curvature comes from the rows in the rounded part alone; then h is cut to a
quarter. Each stage gives multipliers that the dual allows, so the gap to the unrounded loss is known, and the
search ends where it is a small share of the loss. A squared hinge is a ridge of its own, and one stage.

Rows far from every corner keep their multipliers through a stage: they enter it as one sum, and are looked at
again when it is over. The first stages learn from every eighth row. So the time is that of a few dozen
products of X with a vector, and the memory that of a few columns.

w : float64 (d,), f : float64 (n,) = X w + b
"""

import numpy as np

from openbook.svm.polish import polish
from openbook.svm.problem import CAPPED, CONVERGED, INTERRUPTED, Problem, Solution

__all__ = ["solve_linear"]

#: More rows than these are started from every eighth of them.
_MANY, _STRIDE = 10_000, 8
#: The search ends where the gap is this share of tol times the objective; with few rows a smaller one yet,
#: unless it is clear sooner which rows are on the margin.
_GAP, _EXACT = 1e-3, 1e-3
#: How the width shrinks; a row is far that is more than so many widths from where its multiplier changes.
_SHRINK, _FAR = 0.25, 4.0
_LEAST_WIDTH = 1e-9
#: Steps before the far rows are looked at again.
_NEWTON_STEPS = 20
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


def solve_linear(X, problem: Problem, tol, max_iter) -> Solution:
    """The multipliers of a linear problem over the rows of X; every row has a finite bound or a ridge."""
    search = _Search(X.shape[1], float(np.std(problem.t)) or 1.0, max_iter)
    try:
        converged = _stages(X, problem, _GAP * tol, search)
        state = CONVERGED if converged else CAPPED
    except KeyboardInterrupt:
        state = INTERRUPTED
    if state == INTERRUPTED:
        search.f = X @ search.w + search.b
    beta = problem.multipliers(search.f, _ridge(problem, search.width))
    if state == CONVERGED:
        beta = polish(
            problem,
            beta,
            lambda some: X[some] @ X[some].T + np.diag(problem.ridge[some]),
            lambda by: X @ (by @ X) + problem.ridge * by,
        )
        gradient = X @ (beta @ X) + problem.ridge * beta - problem.t
        return Solution.of(problem, beta, gradient, search.steps, state)
    beta, w = problem.balanced(beta), search.w
    primal = 0.5 * float(w @ w) + problem.total_loss(search.f)
    gap = max(primal - problem.dual(beta, float(np.square(beta @ X).sum())), 0.0)
    return Solution(beta, search.b, primal, gap, search.steps, state, w)


def _stages(X, problem, share, search):
    """Round less and less until the gap is at most this share of the objective; whether it came to that."""
    if len(X) > _MANY:
        some = slice(None, None, _STRIDE)
        part = problem.rows(some)._replace(
            lo=_STRIDE * problem.lo[some],
            hi=_STRIDE * problem.hi[some],
            ridge=problem.ridge[some] / _STRIDE,
        )
        _stages(np.ascontiguousarray(X[some]), part, 1e-3, search)  # as near as so few rows can tell
        search.width = min(search.width / _SHRINK, search.width + 0.1)
    search.f = X @ search.w + search.b
    while not search.over:
        ridge = _ridge(problem, search.width)
        beta, square = _stage(X, problem, ridge, search), float(search.w @ search.w)
        primal = 0.5 * square + problem.total_loss(search.f)
        gap = primal - problem.dual(beta, square)
        if ridge is problem.ridge or gap <= share * primal * (1.0 if _found(X, problem, beta) else _EXACT):
            return not search.over
        if search.width < _LEAST_WIDTH:
            return False
        search.width *= _SHRINK
    return False


def _found(X, problem, beta):
    """Whether no more rows are bent than can be on the margin, or the rows are too many to say which."""
    return len(X) > _MANY or ((beta > problem.lo) & (beta < problem.hi)).sum() <= X.shape[1] + 1


def _ridge(problem, width):
    """The ridge that rounds the loss over this width, or the problem's own."""
    return problem.ridge if problem.ridge.any() else 2 * width / np.maximum(problem.hi, -problem.lo)


def _stage(X, problem, ridge, search):
    """Move the search to the minimum of the rounded loss; returns the multipliers of all rows there."""
    reach = _FAR * 2 * search.width
    while True:
        beta = problem.multipliers(search.f, ridge)
        near = problem.multipliers(search.f - reach, ridge) != problem.multipliers(search.f + reach, ridge)
        far = np.where(near, 0.0, beta)
        before = search.at()
        _newton(X[near], problem.rows(near), ridge[near], far @ X, far.sum(), search)
        search.f = X @ search.w + search.b
        now = problem.multipliers(search.f, ridge)
        if search.over or (now[~near] == beta[~near]).all():
            return now
        # the way is downhill for all rows, but some that were far have come near: go as far as it is
        reach *= 2
        _back(search, before, lambda w, f: 0.5 * float(w @ w) + float(problem.loss(f, ridge).sum()))


def _back(search, before, objective):
    """Halve the way since `before` until the objective is lower than there."""
    w, b, f = before
    start = objective(w, f)
    for _ in range(40):
        if objective(search.w, search.f) < start:
            return
        search.w, search.b, search.f = (search.w + w) / 2, (search.b + b) / 2, (search.f + f) / 2


def _newton(X, problem, ridge, pull, push, search):
    """Newton's method over the near rows; the far ones add -pull · w - push b to the objective."""
    d = X.shape[1]
    f = X @ search.w + search.b
    enough = 1e-10 * (1.0 + float(np.minimum(problem.hi - problem.lo, 1.0 / ridge).sum()))
    for _ in range(_NEWTON_STEPS):
        beta = problem.multipliers(f, ridge)
        slope = np.append(search.w - pull - beta @ X, -push - beta.sum())
        if search.over or np.abs(slope).max() <= enough:
            return
        search.steps += 1
        step = -np.linalg.solve(_curvature(X, problem, ridge, beta), slope)
        across = X @ step[:d] + step[d]
        fall = float(slope @ step)

        def objective(share, f=f, step=step, across=across):
            w, b = search.w + share * step[:d], search.b + share * step[d]
            own = 0.5 * float(w @ w) - float(pull @ w) - push * b
            return own + float(problem.loss(f + share * across, ridge).sum())

        before, share = objective(0.0), 1.0
        while objective(share) > before + 1e-4 * share * fall and -share * fall > 1e-14 * abs(before):
            share *= 0.5
        search.w = search.w + share * step[:d]
        search.b += share * step[d]
        f = f + share * across
        if -fall <= 1e-14 * abs(before):
            return


def _curvature(X, problem, ridge, beta):
    """The second derivatives by w and b, (d + 1, d + 1)."""
    d = X.shape[1]
    bent = np.flatnonzero((beta > problem.lo) & (beta < problem.hi) & (beta != 0))
    H = np.zeros((d + 1, d + 1))
    for start in range(0, len(bent), _BLOCK_ROWS):
        some = bent[start : start + _BLOCK_ROWS]
        rows, weights = np.ones((len(some), d + 1)), 1.0 / ridge[some]
        np.take(X, some, axis=0, out=rows[:, :d])
        H += (rows.T * weights) @ rows
    H[np.diag_indices(d)] += 1.0
    H[d, d] += 1e-8 * (1.0 + H[d, d])  # b has no weight of its own: where no row is bent, any will do
    return H
