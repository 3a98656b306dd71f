r"""The Huber loss: large errors count by their size, not by their square.

    minimise  sum_i w_i (σ + σ H((y_i - ŷ_i) / σ)),    H(u) = u² where |u| ≤ ε, else 2ε|u| - ε²

over the coefficients and the scale σ of the errors (Huber 1981, chapter 7). The problem is convex, and is
solved by iteratively reweighted least squares. In each round, errors of the last one above εσ are outlying:

    coefficients    least squares, with the weight of an outlying row cut to w εσ / |error|
    σ²              sum of w error² over the other rows / (sum of all w - ε² sum of w over the outlying rows)

The first minimises a quadratic that bounds the loss from above and touches it at the last coefficients. The
second makes the slope of the loss by σ zero for the present outlying rows; where these outweigh the others so
much that there is no such σ, the last σ was too small, and is doubled.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import add

import numpy as np

from openbook.border.rows import Chunk, Rows
from openbook.fold import Statistics, fold
from openbook.linear.design import EncodedColumns
from openbook.linear.joint_scatter import JointScatter
from openbook.linear.normal import Normal

#: The change of the predictions at which it has converged, as a share of σ; and the most rounds.
REST, MOST_ROUNDS = 1e-9, 300


@dataclass(frozen=True)
class _Round(Statistics):
    """The scatter of reweighted rows, the squared errors of inlying rows, and the weight of outlying ones."""

    scatter: JointScatter
    squares: np.ndarray
    outlying: np.ndarray


def reweighed(
    rows: Rows,
    functions: EncodedColumns,
    start: JointScatter,
    solve: Callable[[JointScatter], tuple[Normal, np.ndarray]],
    epsilon: float,
) -> tuple[JointScatter, float, bool]:
    """The scatter of the rows by their final weights, the scale σ, and whether it has converged.

    Parameters
    ----------
    start : the scatter of the rows by their own weights
    solve : from a scatter to the normal equations and their coefficients, (d, 1)
    """
    state, total = start, float(start.weight[0])
    normal, coef = solve(state)
    scale = np.sqrt(normal.residual(coef)[0] / total)
    smallest = 1e-9 * np.sqrt(normal.targets[0] / total)  # at 0, every row that counts lies on the plane
    for _ in range(MOST_ROUNDS):
        if scale <= smallest:
            break
        sums = fold(rows.pieces, partial(_round, functions, normal, coef, epsilon, scale), add)
        state, before, scale_before = sums.scatter, (normal.intercept(coef), coef), scale
        normal, coef = solve(state)
        divisor = total - epsilon**2 * sums.outlying[0]
        scale = np.sqrt(sums.squares[0] / divisor) if divisor > 0.05 * total else 2 * scale
        slope = coef - before[1]
        middle = normal.intercept(coef) - before[0] + normal.mean @ slope
        moved = np.sqrt((slope * normal.scatter.times(slope)).sum() / total + middle @ middle)
        if max(moved, abs(scale - scale_before)) <= REST * scale:
            return state, float(scale), True
    return state, float(scale), bool(scale <= smallest)


def _round(
    functions: EncodedColumns, normal: Normal, coef: np.ndarray, epsilon: float, scale: float, chunk: Chunk
) -> _Round:
    """One round over a chunk."""
    X, y, w = chunk
    y = y.reshape(-1, 1)
    error = np.abs(y - functions(X) @ coef - normal.intercept(coef))[:, 0]
    outlying = error > epsilon * scale
    lighter = w * np.where(outlying, epsilon * scale / np.maximum(error, epsilon * scale), 1.0)
    squares, weight = w[~outlying] @ error[~outlying] ** 2, w[outlying].sum()
    return _Round(JointScatter.of(functions, X, y, lighter), np.array([squares]), np.array([weight]))
