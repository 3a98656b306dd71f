r"""Conditional-Gaussian leaves: numeric nodes with nominal parents and no children.

    p(x | parents = q) = N(x; μ_q, σ²_q)
    μ_q = Σ w x / Σ w,    σ²_q = Σ w (x - μ_q)² / Σ w

over the rows whose parents have the values q; a row in which parents are missing counts by P(q | row). No
variance falls below `min_covar` of the column's own. Values of the parents that no row shows have the
column's mean and variance. A column that never varies has the variance 1, so that it is no evidence.

A leaf that is not observed integrates to 1 and is left out. One that is observed is a factor over its
parents. To all that counts and sums values it is a node of a single value.

mean, variance : float64, an axis for each parent
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np

from openbook.border.rows import infinite_cell
from openbook.data import Attribute, Categorical, Numeric
from openbook.errors import DataError
from openbook.fold import fold
from openbook.kernels.moments import Moments
from openbook.network.tables import given_cells

_LOG_2_PI = float(np.log(2 * np.pi))


class LeafNormals(NamedTuple):
    """The mean and the variance of a leaf for each combination of its parents' values."""

    mean: np.ndarray
    variance: np.ndarray

    def log_density(self, x: Any) -> Any:
        """The logarithm of the density at numbers x, which broadcast; 0 where x is missing."""
        logs = -0.5 * (_LOG_2_PI + np.log(self.variance) + (x - self.mean) ** 2 / self.variance)
        return np.where(np.isnan(x), 0.0, logs)

    def log_likelihood(self, moments: Moments) -> float:
        """The log-likelihood of rows with these moments, (q, 1) each."""
        mean, variance = (part.reshape(-1, 1) for part in self)
        squares = moments.scatter + moments.weight * (moments.mean - mean) ** 2
        return float(-0.5 * (moments.weight * (_LOG_2_PI + np.log(variance)) + squares / variance).sum())


def estimated(moments: Moments, shape: Sequence[int], column: Moments, min_covar: float) -> LeafNormals:
    """The likeliest normals of a leaf, of the shape of its parents; `column` are the moments of all rows."""
    spread = spread_of(column)
    shown = moments.weight > 0
    mean = np.where(shown, moments.mean, column.mean)
    variance = np.where(shown, np.nan_to_num(moments.variance()), spread)
    return LeafNormals(mean.reshape(shape), np.maximum(variance, min_covar * spread).reshape(shape))


def spread_of(column: Moments) -> float:
    """The variance of a column by its moments, (1, 1), and 1 if it does not vary."""
    spread = float(np.nan_to_num(column.variance()[0, 0]))
    return spread if spread > 0 else 1.0


def column_moments(rows, names: Sequence[str]) -> dict[str, Moments]:
    """The moments of numeric columns over all rows, (1, 1) each, in one pass."""
    if not names:
        return {}
    found = fold(rows.pieces, partial(_all_numbers, names), add)
    if not np.isfinite(found.mean).all():
        raise infinite_cell(rows)
    parts = found.weight, found.mean, found.scatter
    return {name: Moments(*(part[:, [j]] for part in parts)) for j, name in enumerate(names)}


def _all_numbers(names, chunk):
    x = np.column_stack([np.asarray(chunk.X.data(name), dtype=float) for name in names])
    with np.errstate(invalid="ignore"):
        return Moments.of(x, np.zeros(len(x), dtype=np.intp), chunk.w, 1)


def n_values(node: Attribute) -> int:
    """The number of values of a node; 1 of a leaf."""
    return len(node.values) if isinstance(node, Categorical) else 1


def check_leaves(nodes: Sequence[Attribute], parents: Iterable[Iterable[int]]) -> None:
    """Refuse a leaf that is a parent."""
    for node, above in zip(nodes, parents, strict=True):
        for parent in above:
            if isinstance(nodes[parent], Numeric):
                raise DataError(
                    f"the numeric node {nodes[parent].name!r} cannot be a parent of {node.name!r}: a normal"
                    " distribution has nominal parents and no children; turn the edge round, or cut the"
                    " column into intervals (leave it out of gaussian=)"
                )


def leaf_normals(node: Numeric, parents: Sequence[Categorical], given: Any) -> LeafNormals:
    """The normals of a leaf from a pair (mean, standard deviation), or a mapping of the parents' values."""
    cells = given_cells(node, parents, given, 2, _pair)
    if cells.shape != (expected := (*(len(p.values) for p in parents), 2)):
        raise DataError(f"node {node.name!r}: its normals have the shape {cells.shape}, expected {expected}")
    mean, sd = cells[..., 0], cells[..., 1]
    if not np.isfinite(cells).all() or not (sd > 0).all():
        raise DataError(f"node {node.name!r}: means must be finite, and standard deviations above 0")
    return LeafNormals(mean.copy(), sd**2)


def _pair(node, row):
    values = np.asarray(row, dtype=float) if np.ndim(row) == 1 else np.array([])
    if values.shape != (2,):
        raise DataError(f"node {node.name!r}: a normal is a pair (mean, standard deviation), got {row!r}")
    return values


def finding_densities(
    leaves: Mapping[int, LeafNormals], parents: Sequence[tuple[int, ...]], numbers: Mapping[int, float]
) -> tuple[dict[int, np.ndarray], float]:
    """The density of each number over the parents of its leaf, and the logarithm of what they are scaled by.

    The densities of leaves with the same parents are multiplied, by their logarithms, into the table of the
    first of them: so contradictory findings do not underflow.
    """
    logs: dict[tuple[int, ...], list[int]] = {}
    for node in numbers:
        logs.setdefault(parents[node], []).append(node)
    tables: dict[int, np.ndarray] = {}
    log_scale = 0.0
    for group in logs.values():
        total = sum(leaves[node].log_density(numbers[node]) for node in group)
        most = float(np.max(total))
        log_scale += most
        tables |= {node: np.ones((*np.shape(total), 1)) for node in group}
        tables[group[0]] = np.exp(total - most)[..., None]
    return tables, log_scale
