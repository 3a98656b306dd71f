"""Kernels that split a cluster in two by the rule of `divisive`; their twin is `divisive.splinter_group`.

matrix : float64 (n, n), distances; rows : int64 (m,), the cluster; weights : float64 (m,)
"""

import numpy as np

from openbook.kernels.jit import inner, jit


@jit
def diameter(matrix, rows):
    """The largest distance within a cluster."""
    largest = 0.0
    for i in range(len(rows)):
        line = matrix[rows[i]]
        for j in range(i):
            largest = max(largest, line[rows[j]])
    return largest


@inner
def move(matrix, rows, weights, i, near, far):
    """Move row i from the sums over the remaining rows to those over the splinter group."""
    line, w = matrix[rows[i]], weights[i]
    for j in range(len(rows)):
        part = w * line[rows[j]]
        near[j] -= part
        far[j] += part


@jit
def leave(matrix, rows, weights, gone):
    """Fill in which rows leave the cluster."""
    m = len(rows)
    near, far = np.zeros(m), np.zeros(m)
    staying, leaving, left = 0.0, 0.0, m
    for i in range(m):
        staying += weights[i]
        line = matrix[rows[i]]
        for j in range(m):
            near[i] += weights[j] * line[rows[j]]
    while left > 1:
        best, most = -1, -np.inf
        for i in range(m):
            if not gone[i]:
                others = near[i] / (staying - min(weights[i], 1.0))  # of w equal rows, w - 1 stay
                gain = others - (far[i] / leaving if leaving > 0.0 else 0.0)
                if gain > most:
                    best, most = i, gain
        if leaving > 0.0 and most <= 0.0:
            break
        gone[best] = True
        staying -= weights[best]
        leaving += weights[best]
        left -= 1
        move(matrix, rows, weights, best, near, far)
