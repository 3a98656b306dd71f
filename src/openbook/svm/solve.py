r"""Which solver a problem goes to; and the hard margin, C = infinity.

A linear machine of more than a few rows goes to Newton's method (`newton.py`), of sparse rows with many
columns to coordinate descent (`dual_descent.py`); every other one to pairs of multipliers (`smo.py`). Of few
rows, the kernel matrix is computed once, for the machines of all pairs of classes and all folds. Linear and
radial machines do not depend on the origin: rows far from it are centred first, to lose no digits to
cancellation.

The hard margin is the soft one under a C that no multiplier reaches. C is raised until that is so. If some
multiplier is still at its bound, a linear programme finds whether the classes can be separated at all,

    min sum xi    with    y_i (w · x_i + b) >= 1 - xi_i,    xi >= 0

and which rows are in the way (those of xi > 0). With a kernel, its columns stand for w · x.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from openbook.errors import DataError
from openbook.svm.dual_descent import solve_sparse
from openbook.svm.kernels import Held, Kernel, Linear, Own, RadialKernel
from openbook.svm.newton import solve_linear
from openbook.svm.problem import CAPPED, CONVERGED, DualSolution, Problem
from openbook.svm.smo import solve_dual

#: A linear machine of no more rows is solved by pairs, which is quicker for so few.
FEW = 200
#: A linear machine of sparse rows with more columns is solved by coordinate descent.
MOST_COLUMNS = 1000
#: Rows are far from the origin if their mean is this many standard deviations away; and the rows sampled.
_FAR, _SAMPLED = 3.0, 500
#: The kernel matrix of no more rows is computed once for all machines and folds; it takes 32 MB.
CACHED_ROWS = 2048
#: The bounds that are tried for a hard margin, over the largest kernel of a row with itself.
_BOUNDS = (1e4, 1e7, 1e10)
#: The most rows in the way that are named.
_NAMED = 5


def solve_machine(
    X, kernel: Kernel, problem: Problem, tol, max_iter, start=None, *, by_pairs=False
) -> DualSolution:
    """The multipliers of a problem over the rows of X; of a linear machine its weights too."""
    if issparse(X):
        if X.shape[1] > min(X.shape[0], MOST_COLUMNS):
            return solve_sparse(X, problem, tol, max_iter, start)
        return _with_weights(solve_linear(X, problem, tol, max_iter), X, np.zeros(X.shape[1]))
    X, center = _centred(X) if isinstance(kernel, Linear | RadialKernel) else (X, np.zeros(0))
    if not isinstance(kernel, Linear):
        return solve_dual(X, kernel, problem, tol, max_iter, start)
    if len(X) > FEW and X.shape[1] <= len(X) and not by_pairs:
        found = solve_linear(X, problem, tol, max_iter)
    else:
        found = solve_dual(X, kernel, problem, tol, max_iter, start)
    return _with_weights(found, X, center)


class KernelTable(NamedTuple):
    """A kernel and its arguments: rows, or their numbers if the kernel is a table.

    rows, center : the rows of a linear kernel's table less their centre, and that; else None
    """

    kernel: Kernel
    X: np.ndarray
    rows: np.ndarray | None = None
    center: np.ndarray | None = None

    def weighed(self, solution: DualSolution, rows) -> DualSolution:
        """The solution over some of the rows; of a linear kernel with its weights."""
        if self.rows is None or self.center is None:
            return solution
        return _with_weights(solution, self.rows[rows], self.center)


def kernel_table(kernel: Kernel, X: np.ndarray, order: np.ndarray | None = None) -> KernelTable:
    """The kernel of few rows as a table, in this order of rows; not where Newton's method will do without."""
    if issparse(X):
        return KernelTable(kernel, X)
    by_newton = isinstance(kernel, Linear) and len(X) > FEW and X.shape[1] <= len(X)
    if len(X) > CACHED_ROWS or by_newton or isinstance(kernel, Own):
        return KernelTable(kernel, X)
    rows, center = _centred(X) if isinstance(kernel, Linear | RadialKernel) else (X, None)
    order = np.arange(len(X)) if order is None else order
    ordered = rows[order]  # one matrix on both sides: a product with itself takes half the time
    table, numbers = Held(kernel.matrix(ordered, ordered)), np.argsort(order)[:, None]
    weighed = (rows, center) if isinstance(kernel, Linear) else ()
    return KernelTable(table, numbers, *weighed)


def _with_weights(found: DualSolution, X: np.ndarray, center: np.ndarray) -> DualSolution:
    """The solution of a linear machine over rows less a centre, with the weights of the rows as they are."""
    w = found.beta @ X if found.w is None else found.w
    return replace(found, w=w, bias=found.bias - float(w @ center))


def _centred(X):
    """The rows around the origin, and what was taken off: nothing if they are near it, by some of them."""
    sample = X[:: max(1, len(X) // _SAMPLED)]
    center, spread = sample.mean(axis=0), sample.std(axis=0)
    if not (np.abs(center) > _FAR * spread).any():
        return X, np.zeros(X.shape[1])
    return X - center, center


def solve_hard(X, kernel: Kernel, problem: Problem, tol, max_iter, numbers) -> DualSolution:
    """The same without bounds; `numbers` name the rows in the error if they cannot be separated."""
    beta, size = None, float(kernel.diagonal(X - X.mean(axis=0)).max()) or 1.0
    for bound in _BOUNDS:
        limited = problem.bounded(bound / size)
        found = solve_machine(X, kernel, limited, tol, max_iter, beta, by_pairs=True)
        beta = found.beta
        inside = (np.abs(beta) < limited.hi - limited.lo).all()
        if found.state > CAPPED or (found.state == CONVERGED and inside):
            return found
        if bound == _BOUNDS[0]:
            _check_separable(X, kernel, problem.t, numbers)
    return found


def _check_separable(X, kernel, t, numbers):
    from scipy.optimize import linprog

    features = X if isinstance(kernel, Linear) else kernel.matrix(X, X)
    n, d = features.shape
    sides = np.hstack([-t[:, None] * features, -t[:, None], -np.eye(n)])
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    found = linprog(np.repeat([0.0, 1.0], [d + 1, n]), sides, -np.ones(n), bounds=bounds, method="highs")
    if found.status == 0 and found.fun > 1e-6:
        wrong = [int(number) for number in np.sort(numbers[found.x[d + 1 :] > 1e-6])]
        named = ", ".join(map(str, wrong[:_NAMED])) + (", …" if len(wrong) > _NAMED else "")
        rows = f"row {named} is" if len(wrong) == 1 else f"rows {named} are"
        raise DataError(
            f"no {kernel.name} machine separates these classes, so there is no hard margin:"
            f" {rows} on the wrong side; use a finite C, which allows slack, or another kernel"
        )
