r"""The normal equations, and their solution with and without penalties.

    minimise  ½ sum_i w_i (y_i - b - z_i'β)² + l1 sum_j |β_j| + ½ l2 sum_j β_j²

The best intercept is b = ȳ - m'β whatever β is, so that only the scatter around the means is left: with S
that of the columns and c that of columns and target,

    l1 = 0    (S + l2 I) β = c
    l1 > 0    β_j = soft(c_j - sum_{k≠j} S_jk β_k, l1) / (S_jj + l2), column after column until nothing moves

where soft draws a number towards zero by l1. Without penalties a column that those before it explain, or that
is constant, has no coefficient of its own: it gets 0, and is said to be `collinear`.

S : float64 (d, d);  c, β : float64 (d, T) for T targets
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, lapack, solve_triangular

from openbook.errors import ParameterError
from openbook.linear.joint_scatter import JointScatter

__all__ = ["Combination", "Normal", "Path", "Plain", "penalised", "plain", "trace_path"]

#: A column whose variance those before it explain up to this share is one of them.
COLLINEAR = 1e-11

#: The slope at which coordinate descent rests, as a share of the largest, and the most sweeps it may take.
REST, MOST_SWEEPS = 1e-12, 20_000


@dataclass(frozen=True)
class Normal:
    """Weight, means and scatter of columns and targets: what the normal equations are made of."""

    weight: float
    mean: np.ndarray
    target_mean: np.ndarray
    columns: np.ndarray
    cross: np.ndarray
    targets: np.ndarray

    @classmethod
    def of(cls, state: JointScatter, targets: int) -> "Normal":
        """The equations of weight, mean and scatter, of which the last entries are the targets."""
        S, d = state.scatter, len(state.mean) - targets
        parts = S[:d, :d], S[:d, d:], np.diag(S)[d:].copy()
        return cls(float(state.weight[0]), state.mean[:d], state.mean[d:], *parts)

    def intercept(self, coef: np.ndarray) -> np.ndarray:
        """The intercept of each target, (T,)."""
        return self.target_mean - self.mean @ coef

    def residual(self, coef: np.ndarray) -> np.ndarray:
        """The residual sum of squares of each target, (T,)."""
        explained = 2 * (coef * self.cross).sum(axis=0) - (coef * (self.columns @ coef)).sum(axis=0)
        return np.maximum(self.targets - explained, 0.0)


class Combination(NamedTuple):
    """A column that others make up: x = constant + sum of factors times columns."""

    column: int
    constant: float
    factors: dict[int, float]


class Plain(NamedTuple):
    """A solution without penalties."""

    coef: np.ndarray  # (d, T)
    inverse: np.ndarray  # (d, d), the inverse of S; zero where a column is collinear
    collinear: list[Combination]


def plain(normal: Normal) -> Plain:
    """Least squares without penalties."""
    d = len(normal.columns)
    scale = np.sqrt(np.diag(normal.columns))
    varies = scale > 0
    level = normal.columns / np.outer(np.where(varies, scale, 1.0), np.where(varies, scale, 1.0))
    upper, kept = _factor(level, varies)
    coef, inverse = np.zeros(normal.cross.shape), np.zeros((d, d))
    units = scale[kept]
    coef[kept] = cho_solve((upper, False), normal.cross[kept] / units[:, None]) / units[:, None]
    inverse[np.ix_(kept, kept)] = cho_solve((upper, False), np.eye(len(kept))) / np.outer(units, units)
    return Plain(coef, inverse, _combinations(normal, level, scale, upper, kept))


def _factor(level: np.ndarray, varies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cholesky's factor of the columns that those before them do not explain, and which these are."""
    columns = np.flatnonzero(varies)
    if len(columns) == 0:
        return np.zeros((0, 0)), columns
    upper, failed = lapack.dpotrf(level[np.ix_(columns, columns)], clean=True)
    if not failed and np.diag(upper).min() ** 2 > COLLINEAR:
        return upper, columns
    rest, kept = level.copy(), []
    for j in columns:  # what is left of each column after those before it
        if rest[j, j] > COLLINEAR:
            kept.append(j)
            rest[j + 1 :, j + 1 :] -= np.outer(rest[j + 1 :, j], rest[j, j + 1 :]) / rest[j, j]
    own = np.array(kept)
    return lapack.dpotrf(level[np.ix_(own, own)], clean=True)[0], own


def _combinations(normal, level, scale, upper, kept):
    """What the collinear columns are made of."""
    found = []
    for j in sorted(set(range(len(scale))) - set(kept.tolist())):
        before = kept[kept < j] if scale[j] > 0 else kept[:0]
        part = upper[: len(before), : len(before)]
        half = solve_triangular(part, level[before, j], trans=1) if len(before) else np.zeros(0)
        share = solve_triangular(part, half) if len(before) else np.zeros(0)
        worth = [(int(k), f) for k, f in zip(before, share, strict=True) if abs(f) > 1e-5]
        factors = {k: float(f * scale[j] / scale[k]) for k, f in worth}
        constant = normal.mean[j] - sum(f * normal.mean[k] for k, f in factors.items())
        found.append(Combination(j, float(constant), factors))
    return found


def penalised(
    normal: Normal, l1: float, l2: float, start: np.ndarray | None = None
) -> tuple[np.ndarray, bool]:
    """The coefficients under penalties, (d, T), and whether they came to rest.

    Coordinate descent goes on from `start`, if it is given.
    """
    matrix = normal.columns + l2 * np.eye(len(normal.columns))
    if l1 == 0:
        return _ridge(normal, matrix), True
    from openbook.linear.coordinates import coordinate_descent

    coef = np.zeros(normal.cross.shape) if start is None else start.copy()
    threshold, at_rest = np.full(len(coef), float(l1)), True
    for t, cross in enumerate(normal.cross.T):
        theta = coef[:, t].copy()
        rest = matrix @ theta - cross
        tol = REST * float(np.abs(cross).max(initial=0.0))
        sweeps = coordinate_descent(matrix, rest, threshold, theta, tol, MOST_SWEEPS)
        at_rest = at_rest and sweeps < MOST_SWEEPS
        coef[:, t] = theta
    return coef, at_rest


def _ridge(normal, matrix):
    scale = np.sqrt(np.where(np.diag(matrix) > 0, np.diag(matrix), 1.0))
    upper, failed = lapack.dpotrf(matrix / np.outer(scale, scale), clean=True)
    if failed:  # l2 is too small beside the scatter to make up for what is collinear
        coef, _, _ = plain(normal)
        return coef
    return cho_solve((upper, False), normal.cross / scale[:, None]) / scale[:, None]


class Path(NamedTuple):
    """Coefficients along falling penalties.

    l1, l2 : (n,), the penalties
    coef : (n, d), or (n, T, d) for several targets, in units of the columns, named by `names`
    intercept : (n,) or (n, T)
    r2 : (n,) or (n, T), the share of the variance that is explained in training
    """

    l1: np.ndarray
    l2: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    r2: np.ndarray
    names: tuple[str, ...]


def trace_path(normal: Normal, n: int, ratio: float, least: float):
    """Yield l1, l2 and the coefficients, (d, T), as the penalty falls from where no column is left."""
    if not 0 < ratio <= 1:
        msg = f"path: ratio must be a number above 0 and at most 1, got {ratio!r}"
        raise ParameterError(msg)
    if n < 2 or not 0 < least < 1:
        msg = f"path: n must be at least 2 and least between 0 and 1, got n={n!r}, least={least!r}"
        raise ParameterError(msg)
    top = float(np.abs(normal.cross).max(initial=0.0)) / ratio
    coef = None
    for penalty in top * np.geomspace(1.0, least, n):
        l1, l2 = penalty * ratio, penalty * (1 - ratio)
        coef, _ = penalised(normal, l1, l2, coef)
        yield l1, l2, coef
