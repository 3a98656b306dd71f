r"""The normal equations, and their solution with and without penalties.

    minimise  ½ sum_i w_i (y_i - b - z_i'β)² + l1 sum_j |β_j| + ½ l2 sum_j β_j²

The best intercept is b = ȳ - m'β whatever β is, so that only the scatter around the means is left: with S
that of the columns and c that of columns and target,

    l1 = 0    (S + l2 I) β = c
    l1 > 0    β_j = soft(c_j - sum_{k≠j} S_jk β_k, l1) / (S_jj + l2), column after column until nothing moves

where soft draws a number towards zero by l1. Where no coefficient may be below 0, the second holds for l1 = 0
too, with 0 instead of what would be below. Without penalties a column that those before it explain, or that
is constant, has no coefficient of its own: it gets 0, and is called `collinear`.

A penalty ½ l2 b² on the intercept too draws it towards zero: b = r (ȳ - m'β) with r = W / (W + l2), for the
weight W of all rows. It adds l2 r mm' to S and l2 r mȳ to c.

Where there are fewer rows than columns, S = Z'Z and c = Z't for the rows Z and their targets t around their
means (see `gram`), and the same solutions take less: β = Z'(ZZ' + l2 I)⁻¹ t, and coordinate descent on the
columns of Z.

S : float64 (d, d);  c, β : float64 (d, T) for T targets;  Z : float64 (n, d);  t : float64 (n, T)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from openbook.draw import Marks, Numbers
from openbook.draw.colours import COLOURS, RARE, colour_of
from openbook.draw.plot import Plot
from openbook.errors import ParameterError
from openbook.linear.gram import Gram, independent_columns
from openbook.linear.joint_scatter import JointScatter
from openbook.linear.solvers import positive_slope, slope_with_l1

#: A column whose variance those before it explain up to this share is one of them.
COLLINEAR = 1e-11

#: The slope at which coordinate descent has converged, as a share of the largest, and the most sweeps.
REST, MOST_SWEEPS = 1e-12, 20_000

#: The slope at which equations take over from it for the first time.
ROUGH = 3e-4

#: The collinear columns that are explained by the others, at most.
MOST_COMBINATIONS = 5


@dataclass(frozen=True)
class Normal:
    """Weight, means and scatter of columns and targets: what the normal equations are made of."""

    weight: float
    mean: np.ndarray
    target_mean: np.ndarray
    scatter: Any  # S: a Gram, or where rows are sparse its Products
    cross: np.ndarray
    targets: np.ndarray
    target_rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))  # t, where S is kept as rows

    @classmethod
    def of(cls, state: JointScatter, targets: int) -> "Normal":
        """The equations of weight, mean and scatter, of which the last entries are the targets."""
        gram, d = state.gram, len(state.mean) - targets
        weight, means = float(state.weight[0]), (state.mean[:d], state.mean[d:])
        if gram.wide:
            rows, target_rows = gram.entries[:, :d], gram.entries[:, d:]
            squares = np.einsum("ij,ij->j", target_rows, target_rows)
            return cls(weight, *means, Gram.of_rows(rows), rows.T @ target_rows, squares, target_rows)
        S = gram.entries
        return cls(weight, *means, Gram(S[:d, :d]), S[:d, d:], np.diag(S)[d:].copy())

    @property
    def columns(self) -> np.ndarray:
        """S itself, (d, d)."""
        return self.scatter.matrix

    def intercept(self, coef: np.ndarray) -> np.ndarray:
        """The intercept of each target, (T,)."""
        return self.target_mean - self.mean @ coef

    def drawn_in(self, l2: float) -> "Normal":
        """The equations where the intercept is penalised too."""
        ridge = l2 * self.weight / (self.weight + l2)
        mean, target_mean = np.sqrt(ridge) * self.mean[None], np.sqrt(ridge) * self.target_mean[None]
        rows = self.target_rows
        return replace(
            self,
            scatter=self.scatter.with_rows(mean),
            cross=self.cross + mean.T @ target_mean,
            targets=self.targets + target_mean[0] ** 2,
            target_rows=np.vstack([rows, target_mean]) if len(rows) else rows,
        )

    def residual(self, coef: np.ndarray) -> np.ndarray:
        """The residual sum of squares of each target, (T,)."""
        explained = 2 * (coef * self.cross).sum(axis=0) - (coef * self.scatter.times(coef)).sum(axis=0)
        return np.maximum(self.targets - explained, 0.0)


class Combination(NamedTuple):
    """A column that others make up: x = constant + sum of factors times columns."""

    column: int
    constant: float
    factors: dict[int, float]


class Unpenalised(NamedTuple):
    """A solution without penalties."""

    coef: np.ndarray  # (d, T)
    kept: np.ndarray  # the positions of columns that are not collinear
    upper: np.ndarray  # Cholesky's factor of their correlations
    scale: np.ndarray  # (d,), the roots of the diagonal of S
    combinations: list[Combination]  # what the first collinear columns are made of

    @property
    def collinear(self) -> np.ndarray:
        """The positions of collinear columns."""
        collinear = np.ones(len(self.scale), dtype=bool)
        collinear[self.kept] = False
        return np.flatnonzero(collinear)

    @property
    def inverse(self) -> np.ndarray:
        """The inverse of S, (d, d); zero where a column is collinear."""
        inverse, units = np.zeros((len(self.scale),) * 2), self.scale[self.kept]
        unit_inverse = _by_root(self.upper, np.eye(len(self.kept)))
        inverse[np.ix_(self.kept, self.kept)] = unit_inverse / np.outer(units, units)
        return inverse


def _by_root(upper: np.ndarray, right: np.ndarray) -> np.ndarray:
    """x, where U'U x = right for Cholesky's factor U."""
    return lapack.dpotrs(upper, right)[0] if len(upper) else right


def plain(normal: Normal, first: Sequence[int] = ()) -> Unpenalised:
    """Least squares without penalties; columns that come `first` are explained by none behind them.

    The columns for missing cells come first. Two columns that are equal in every row where both are known
    differ only in the values that replace their gaps. Taken after the columns for the gaps, they are
    collinear. Taken before, their coefficients would be the gaps' effects divided by tiny differences, and
    predictions would be arbitrarily large.
    """
    order = np.arange(len(normal.mean))
    if len(first):
        order = np.append(first, np.delete(order, first))
    upper, kept = independent_columns(normal.scatter, COLLINEAR, order=order)
    scale = np.sqrt(np.maximum(normal.scatter.diagonal(), 0.0))
    coef, units = np.zeros(normal.cross.shape), scale[kept][:, None]
    coef[kept] = _by_root(upper, normal.cross[kept] / units) / units
    found = Unpenalised(coef, kept, upper, scale, [])
    for j in found.collinear[:MOST_COMBINATIONS].tolist():
        before = np.isin(kept, order[: np.flatnonzero(order == j)[0]])
        found.combinations.append(_combination(normal, scale, upper, kept[before], j))
    return found


def _combination(normal, scale, upper, before, j):
    """What a collinear column is made of, by the columns before it."""
    before = before if scale[j] > 0 else before[:0]
    factors = {}
    if len(before):
        part = upper[: len(before), : len(before)]
        level = normal.scatter.part(before, np.array([j]))[:, 0] / (scale[before] * scale[j])
        share = _by_root(part, level)
        large = [(int(k), f) for k, f in zip(before, share, strict=True) if abs(f) > 1e-5]
        factors = {k: float(f * scale[j] / scale[k]) for k, f in large}
    constant = normal.mean[j] - sum(f * normal.mean[k] for k, f in factors.items())
    return Combination(j, float(constant), factors)


def penalised(
    normal: Normal, l1: float, l2: float, start: np.ndarray | None = None, *, positive: bool = False
) -> tuple[np.ndarray, int]:
    """The coefficients under penalties, (d, T), none below 0 if they are to be `positive`; and the sweeps.

    Coordinate descent starts from `start`, if it is given; it converged if it took fewer sweeps than
    MOST_SWEEPS.
    """
    if l1 == 0 and not positive:
        return _ridge(normal, l2), 0
    from openbook.linear.coordinates import coordinate_descent

    coef = np.zeros(normal.cross.shape) if start is None else start.copy()
    threshold, most = np.full(len(coef), float(l1)), 0
    if normal.scatter.wide:
        rows = np.asfortranarray(normal.scatter.entries)
        for t, target in enumerate(normal.target_rows.T):
            coef[:, t], sweeps = _lasso_of_rows(rows, target, l1, l2, coef[:, t], positive=positive)
            most = max(most, sweeps)
        return coef, most
    matrix = normal.columns + l2 * np.eye(len(normal.columns))
    for t, cross in enumerate(normal.cross.T):
        theta = coef[:, t].copy()
        tol = REST * float(np.abs(cross).max(initial=0.0))
        gradient = matrix @ theta - cross
        sweeps = coordinate_descent(matrix, gradient, threshold, theta, tol, MOST_SWEEPS, positive)
        most = max(most, sweeps)
        coef[:, t] = theta
    return coef, most


def _lasso_of_rows(rows, target, l1, l2, start, *, positive):
    """The coefficients of fewer rows than columns, (d,), and the sweeps.

    Coordinate descent finds which columns have a coefficient, and of which sign; then they are the solution
    of linear equations, which it would come to slowly. The two take turns until no slope is left.
    """
    from openbook.linear.coordinates import descent_on_columns

    theta, threshold, sweeps = start.copy(), np.full(len(start), float(l1)), 0
    slope_of = positive_slope if positive else slope_with_l1
    rough, least = (share * float(np.abs(target @ rows).max(initial=0.0)) for share in (ROUGH, REST))
    while sweeps < MOST_SWEEPS:
        errors = rows @ theta - target
        left = MOST_SWEEPS - sweeps
        sweeps += descent_on_columns(rows, errors, threshold, l2, theta, rough, left, positive)
        theta = _towards_equations(rows, target, l1, l2, theta)
        gradient = (rows @ theta - target) @ rows + l2 * theta
        if rough <= least or np.abs(slope_of(gradient, theta, l1)).max(initial=0.0) <= least:
            break
        rough = max(rough / 10, least)
    return theta, sweeps


def _towards_equations(rows, target, l1, l2, theta):
    """The coefficients that are not 0, as if their signs were known; 0 if the sign would change.

    With Z their columns and s their signs, (Z'Z + l2 I) θ = Z't - l1 s. Where that is no better, or has no
    single solution, the coefficients as they are.
    """
    active = np.flatnonzero(theta)
    if not len(active) or len(active) > len(rows):
        return theta
    estimates, part = theta[active], rows[:, active]
    matrix = part.T @ part
    matrix[np.diag_indices_from(matrix)] += l2
    upper, failed = lapack.dpotrf(matrix)
    if failed:
        return theta
    solution = _by_root(upper, target @ part - l1 * np.sign(estimates))
    solution[np.sign(solution) != np.sign(estimates)] = 0.0

    def objective(coef):
        errors = part @ coef - target
        return 0.5 * errors @ errors + l1 * np.abs(coef).sum() + 0.5 * l2 * coef @ coef

    theta = theta.copy()
    theta[active] = min((estimates, solution), key=objective)  # the first if they are equal, or NaN
    return theta


def _ridge(normal, l2):
    """(S + l2 I)⁻¹ c; where S is Z'Z and c is Z't for fewer rows Z, that is Z'(ZZ' + l2 I)⁻¹ t."""
    wide = normal.scatter.wide
    rows = normal.scatter.entries
    matrix, right = (rows @ rows.T, normal.target_rows) if wide else (normal.columns.copy(), normal.cross)
    matrix[np.diag_indices_from(matrix)] += l2
    scale = np.sqrt(np.where(np.diag(matrix) > 0, np.diag(matrix), 1.0))
    matrix /= scale
    matrix /= scale[:, None]
    upper, failed = lapack.dpotrf(matrix.T, overwrite_a=True)  # its own transpose, and as LAPACK has it
    if failed:  # l2 is too small to make collinear columns regular
        return plain(normal).coef
    solution = _by_root(upper, right / scale[:, None]) / scale[:, None]
    return rows.T @ solution if wide else solution


class PenaltyPath(NamedTuple):
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

    @classmethod
    def of(cls, normal, found, names, units, *, flat):
        """The path of these penalties and coefficients of `trace_path`; `flat` for one target."""
        penalties, weights, shares = [], [], []
        for l1, l2, coef in found:
            penalties.append((l1, l2))
            weights.append((units @ np.vstack([normal.intercept(coef), coef])).T)
            shares.append(1 - normal.residual(coef) / np.where(normal.targets > 0, normal.targets, 1.0))
        l1s, l2s = np.array(penalties).T
        coefficients, r2 = np.array(weights), np.array(shares)
        if flat:
            coefficients, r2 = coefficients[:, 0], r2[:, 0]
        return cls(l1s, l2s, coefficients[..., 1:], coefficients[..., 0], r2, names)

    def draw(self):
        """The coefficients over the penalty: a line for each column, the largest with names.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        if self.coef.ndim > 2:
            raise ParameterError("a path of several targets has no one picture; fit one target")
        penalty = self.l1 + self.l2
        across = Marks.powers("penalty λ", penalty.min(), penalty.max())
        plot = Plot(across, Numbers.between("coefficient", self.coef.min(), self.coef.max()))
        order = np.argsort(-np.abs(self.coef).max(axis=0), kind="stable")
        plot.across_at(0.0)
        for rank, j in reversed(list(enumerate(order))):
            plot.line(np.log10(penalty), self.coef[:, j], colour_of(rank))
        for rank, j in enumerate(order[:COLOURS]):
            plot.named(f"c{rank}", self.names[j])
        if len(order) > COLOURS:
            plot.named(RARE, f"{len(order) - COLOURS} smaller ones")
        kept = np.count_nonzero(self.coef[-1])
        note = f"From no column on the right to {kept} of {len(order)} on the left."
        return plot.picture("Coefficient paths", (note,))


def trace_path(normal: Normal, n: int, ratio: float, least: float):
    """Yield l1, l2 and the coefficients, (d, T), as the penalty falls from where no column is left."""
    if not 0 < ratio <= 1:
        raise ParameterError(f"path: ratio must be a number above 0 and at most 1, got {ratio!r}")
    if n < 2 or not 0 < least < 1:
        msg = f"path: n must be at least 2 and least between 0 and 1, got n={n!r}, least={least!r}"
        raise ParameterError(msg)
    top = float(np.abs(normal.cross).max(initial=0.0)) / ratio
    coef = None
    for penalty in top * np.geomspace(1.0, least, n):
        l1, l2 = penalty * ratio, penalty * (1 - ratio)
        coef, _ = penalised(normal, l1, l2, coef)
        yield l1, l2, coef
