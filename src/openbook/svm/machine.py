r"""Machines over common support vectors, and how they are found.

    f_k(x) = sum_i beta_ki K(x_i, x) + b_k,    w_k = sum_i beta_ki x_i if the kernel is linear

vectors : float64 (m, d), encoded; None if rows are sparse, since the weights say all
coef : float64 (machines, m), beta; bias : float64 (machines,)
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from openbook.fold import each
from openbook.svm.kernels import Kernel, Linear, RadialKernel, add_scores
from openbook.svm.problem import INTERRUPTED, DualSolution, Problem
from openbook.svm.solve import solve_machine

#: A multiplier below this share of the largest is 0 but for rounding.
_NOTHING = 1e-12
#: So little slack is rounding: the row is on its margin.
_NO_SLACK = 1e-9
#: Multipliers of which fewer than this share are not 0 are multiplied as a sparse array.
_SPARSE = 0.1


@dataclass(frozen=True)
class Task:
    """A machine to be found: its problem, over these of the training rows, and multipliers to start from."""

    rows: np.ndarray | slice
    problem: Problem
    start: np.ndarray | None = None

    def without(self, left: np.ndarray, solution: DualSolution) -> "Task":
        """The same without the rows that are left out, (n,) true or false, starting from its solution."""
        stay = ~left[self.rows]
        problem = self.problem.rows(stay)
        rows = self.rows if isinstance(self.rows, slice) else (np.cumsum(~left) - 1)[self.rows[stay]]
        return Task(rows, problem, problem.balanced(solution.beta[stay]))


@dataclass(frozen=True)
class Machines:
    """Decisions from support vectors; of a linear kernel, from weights, (machines, d)."""

    kernel: Kernel
    vectors: Any
    coef: np.ndarray
    bias: np.ndarray
    weights: np.ndarray | None

    @classmethod
    def of(cls, kernel: Kernel, X: np.ndarray, tasks, solutions) -> tuple["Machines", np.ndarray]:
        """The machines of these solutions, and the rows of X that are their support vectors."""
        beta, used = [], np.zeros(X.shape[0], dtype=bool)
        for task, solution in zip(tasks, solutions, strict=True):
            beta.append(_without_rounding(solution.beta))
            used[task.rows] |= beta[-1] != 0
        rows = np.flatnonzero(used)
        linear = isinstance(kernel, Linear)
        weights = np.array([solution.w for solution in solutions]) if linear else None
        bias = np.array([solution.bias for solution in solutions])
        vectors = None if issparse(X) else X[rows]
        return cls(kernel, vectors, _of_vectors(tasks, beta, used), bias, weights), rows

    def decisions(self, X: np.ndarray) -> np.ndarray:
        """The decision of each machine about encoded rows, (n, machines)."""
        if self.weights is not None:
            return X @ self.weights.T + self.bias
        f = np.tile(self.bias[:, None], len(X)).T  # each machine's own in one stretch
        vectors = self.vectors
        if isinstance(self.kernel, RadialKernel) and len(vectors):  # an origin near them is exact
            center = vectors.mean(axis=0)
            X, vectors = X - center, vectors - center
        left, right = self.kernel.left(X), self.kernel.right(vectors)
        if np.count_nonzero(self.coef) < _SPARSE * self.coef.size:  # of many pairs, each has few vectors
            coef = csr_array(self.coef).T.tocsr()
        else:
            coef = np.ascontiguousarray(self.coef.T)
        add_scores(self.kernel, left, right, coef, f)
        return f

    def norms(self) -> np.ndarray:
        """|w| of each machine."""
        if self.weights is not None:
            return np.sqrt(np.square(self.weights).sum(axis=1))
        products = self.decisions(self.vectors) - self.bias
        return np.sqrt(np.maximum(np.einsum("km,mk->k", self.coef, products), 0.0))

    def slacks(self, tasks, solutions, rows: np.ndarray, n: int) -> np.ndarray:
        """How far each support vector, of these of n rows, is beyond its margin, (machines, m)."""
        beyond = []
        for task, solution in zip(tasks, solutions, strict=True):
            error = task.problem.t - solution.f
            slack = np.abs(error) - task.problem.epsilon
            outside = (_without_rounding(solution.beta) * error > 0) & (slack > _NO_SLACK)
            beyond.append(np.where(outside, slack, 0.0))
        used = np.zeros(n, dtype=bool)
        used[rows] = True
        return _of_vectors(tasks, beyond, used)


def _without_rounding(beta: np.ndarray) -> np.ndarray:
    """The multipliers, 0 if they are 0 but for rounding."""
    sizes = np.abs(beta)
    return np.where(sizes > _NOTHING * sizes.max(), beta, 0.0)


def _of_vectors(tasks, values, used: np.ndarray) -> np.ndarray:
    """The values of each task's rows, those that are used, side by side, (machines, m)."""
    position = np.cumsum(used) - 1
    found = np.zeros((len(tasks), np.count_nonzero(used)))
    for row, task, of_rows in zip(found, tasks, values, strict=True):
        kept = used[task.rows]
        row[position[task.rows][kept]] = of_rows[kept]
    return found


def solved(learner, X: np.ndarray, kernel: Kernel, tasks) -> list[DualSolution]:
    """The solutions of tasks over the rows of X, side by side; after an interrupt those left get one step."""
    step = partial(_solution, X, kernel, learner.tol)
    if len(tasks) == 1:
        return [step((tasks[0], learner.max_iter))]
    solutions = []
    for solution in each([(task, learner.max_iter) for task in tasks], step):
        solutions.append(solution)
        if solution.state == INTERRUPTED:
            break
    return solutions + [step((task, 1)) for task in tasks[len(solutions) :]]


def _solution(X, kernel, tol, piece):
    task, max_iter = piece
    rows = X if isinstance(task.rows, slice) else X[task.rows]
    return solve_machine(rows, kernel, task.problem, tol, max_iter, task.start)
