r"""Tables from rows: counts, and expected counts where cells are missing (expectation-maximisation).

A family is a node with its parents. With all cells known, a table is the smoothed share of its counts. A row
with missing cells m counts in parts, by their distribution under the present tables:

    E step    n(family) += P(family's missing cells | known cells of the row)
    M step    tables = smoothed shares of the expected counts

Missing cells that share no family with each other are independent given the rest of the row, so each
connected group of them has a joint table of its own, and all rows with the same group go at once:

    joint(m) = Π P(x_i | parents(x_i)) over the families with a cell of m

Groups that would make a large table, or that few rows have, are handled together by variable elimination:
each row is one value of a variable that is never summed out, and its known cells are findings. The first
tables are counted from the rows in which a family is known. Without smoothing they may make another row
impossible, from which nothing could be learnt; then smoothed ones are the first.

A smoothing that adds a to each count is the prior Π θ^a. The trace is the log-likelihood plus ln of that
prior; it never falls.

A leaf with a normal distribution (`leaves.py`) is a node of one value, 0. Its statistics are moments,
and its factor in a row is the density of the row's number. A missing number is left out.

codes : int64 (n, d), -1 where missing;  x : float64 (n, leaves), NaN where missing
counts[i] : float64, the axes of table i; of a leaf Moments, (combinations of its parents' values, 1)
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import add
from typing import Any, NamedTuple

import numpy as np

from openbook.fold import Statistics, fold
from openbook.kernels.moments import Moments
from openbook.network.elimination import (
    BUDGET,
    Removal,
    check_budget,
    eliminate,
    largest,
    marginal,
    min_fill,
    planned,
)
from openbook.network.factor import TableFactor
from openbook.network.leaves import LeafNormals

#: Cells of a joint table over missing cells: of one row at most, and of all rows handled at once.
MOST_CELLS, AT_ONCE = 1 << 12, 1 << 22
#: A group of missing cells has a joint table of its own if at least this many rows have it.
SHARED = 4


@dataclass(frozen=True)
class FamilyCounts(Statistics):
    """The weight of all rows, (1,), the counts of each family, and the log-likelihood of the rows, (1,)."""

    rows: np.ndarray
    tables: tuple[np.ndarray | Moments, ...]
    log_likelihood: np.ndarray

    def amounts(self) -> list[np.ndarray]:
        return [part for part in super().amounts() if part is not self.log_likelihood]


@dataclass(frozen=True)
class Families:
    """The parents of each node, how many values the nodes have, and which are leaves; nodes are numbered."""

    parents: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    leaves: tuple[int, ...] = ()

    @cached_property
    def scopes(self) -> list[tuple[int, ...]]:
        """The variables of each family, in the order of the axes of its table."""
        return [(*above, node) for node, above in enumerate(self.parents)]

    @cached_property
    def columns(self) -> dict[int, int]:
        """The column of numbers of each leaf."""
        return {node: j for j, node in enumerate(self.leaves)}

    def shape(self, node: int) -> tuple[int, ...]:
        return tuple(self.sizes[v] for v in (*self.parents[node], node))

    def touching(self, group: Collection[int]) -> list[int]:
        """The nodes whose families have a node of the group."""
        return [node for node, scope in enumerate(self.scopes) if not set(scope).isdisjoint(group)]

    def inside(self, node: int, group: Collection[int]) -> tuple[int, ...]:
        """The nodes of a family that are in the group, in ascending order."""
        return tuple(sorted(v for v in self.scopes[node] if v in group))

    def of_known(self, rows: "CodedRows") -> FamilyCounts:
        """The counts of each family over the rows in which all of it is known."""
        tables: list[np.ndarray | Moments] = []
        for node, scope in enumerate(self.scopes):
            shape = self.shape(node)
            cells = family_cells(rows.codes.T, scope, self.sizes)
            if node in self.columns:
                known = cells >= 0
                x = rows.x[known][:, [self.columns[node]]]
                tables.append(Moments.of(x, cells[known], rows.w[known], math.prod(shape)))
            else:
                counts = np.bincount(cells + 1, rows.w, math.prod(shape) + 1)  # unknown cells come first
                tables.append(counts[1:].reshape(shape))
        return FamilyCounts(np.array([rows.w.sum()]), tuple(tables), np.zeros(1))


def family_cells(codes: np.ndarray, scope: Sequence[int], sizes: Sequence[int]) -> np.ndarray:
    """The cell of each row in the table over some nodes, (n,); -1 where one is unknown. codes : (d, n)"""
    first, *others = scope
    cells, known = codes[first], codes[first] >= 0
    for v in others:
        cells = cells * sizes[v] + codes[v]
        known = known & (codes[v] >= 0)
    return np.where(known, cells, -1)


class Gap(NamedTuple):
    """Rows with gaps in the same connected group of nodes: the group, and the joint of its cells."""

    rows: np.ndarray
    group: tuple[int, ...]
    joint: np.ndarray  # (rows, values of each node of the group): P(group, known cells next to it), scaled
    log_scale: np.ndarray  # (rows,): the logarithm of the factor of the joint

    def weight(self) -> np.ndarray:
        """The probability of the known cells next to the group, of each row, scaled."""
        return self.joint.reshape(len(self.rows), -1).sum(axis=1)

    def marginal(self, inside: Collection[int]) -> np.ndarray:
        """The joint of some nodes of the group, summed over the others."""
        return self.joint.sum(axis=tuple(i + 1 for i, v in enumerate(self.group) if v not in inside))

    def has(self, scope: Sequence[int]) -> np.ndarray:  # noqa: ARG002 (it is asked of families of the group)
        """Whether a family has a node of each row's group."""
        return np.ones(len(self.rows), dtype=bool)


class GapsTogether(NamedTuple):
    """Groups that are eliminated together; a row comes once for each of its groups.

    nodes : the nodes of all groups; free : bool (n, d), those of each row's own group
    tables : the families with one of these nodes; leaves : those of leaves, by which of these nodes they have
    steps, left : the plan of the elimination
    """

    rows: np.ndarray
    nodes: tuple[int, ...]
    free: np.ndarray
    tables: list[int]
    leaves: dict[tuple[int, ...], list[int]]
    steps: list[Removal]
    left: list[int]

    @classmethod
    def of(cls, families: Families, groups: Sequence["Group"]) -> "GapsTogether":
        """These groups of rows."""
        rows = np.concatenate([np.zeros(0, np.intp), *(rows for _, rows in groups)])
        free, end = np.zeros((len(rows), len(families.sizes)), dtype=bool), 0
        for group, patterns_of_group in groups:
            free[end : end + len(patterns_of_group), list(group)] = True
            end += len(patterns_of_group)
        nodes = tuple(np.flatnonzero(free.any(axis=0)).tolist())
        tables, leaves = [], defaultdict(list)
        for node in families.touching(nodes):
            if node in families.columns:
                leaves[families.inside(node, nodes)].append(node)
            else:
                tables.append(node)
        scopes = [*(families.inside(node, nodes) for node in tables), *leaves, *((v,) for v in nodes)]
        plan = planned(scopes, min_fill(scopes, nodes, families.sizes), nodes)
        return cls(rows, nodes, free, tables, leaves, *plan)

    def of_rows(self, start: int, end: int) -> "GapsTogether":
        """A stretch of the rows."""
        return self._replace(rows=self.rows[start:end], free=self.free[start:end])


class ManyGaps(NamedTuple):
    """Groups side by side: instead of one joint those of buckets, with the rows as their last variable."""

    side: GapsTogether
    left: TableFactor
    beliefs: list[TableFactor]
    log_scale: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        return self.side.rows

    @property
    def group(self) -> tuple[int, ...]:
        return self.side.nodes

    def weight(self) -> np.ndarray:
        return self.left.table

    def marginal(self, inside: Collection[int]) -> np.ndarray:
        return np.moveaxis(marginal(self.beliefs, [*inside, *self.left.variables]).table, -1, 0)

    def has(self, scope: Sequence[int]) -> np.ndarray:
        return np.asarray(self.side.free[:, scope].any(axis=1))


#: A connected group of missing nodes, and the rows that have it.
Group = tuple[tuple[int, ...], np.ndarray]


@dataclass(eq=False)
class CodedRows:
    """Rows in codes, (n, d), the numbers of leaves, (n, leaves), and weights, (n,); their gaps are kept."""

    codes: np.ndarray
    x: np.ndarray
    w: np.ndarray
    _gaps: tuple[list[Group], list[GapsTogether]] | None = None

    def gaps(self, families: Families) -> tuple[list[Group], list[GapsTogether]]:
        """The groups of missing nodes with a joint table of their own, and those that go side by side."""
        if self._gaps is None:
            self._gaps = _parted_gaps(families, _gap_groups(families, self.codes))
        return self._gaps


def _parted_gaps(families, groups):
    """Groups of few rows, or of a large table, go side by side; if that makes large tables, too, only those
    of a large table do, each row by itself.
    """
    is_large = {group: _n_cells(families, group) > MOST_CELLS for group, _ in groups}
    rare = [(group, rows) for group, rows in groups if is_large[group] or len(rows) < SHARED]
    side = GapsTogether.of(families, rare)
    cells = [_n_cells(families, step.together) for step in side.steps]
    if max(cells, default=0) <= MOST_CELLS:
        shared = [(group, rows) for group, rows in groups if not is_large[group] and len(rows) >= SHARED]
        at_once = max(AT_ONCE // max(sum(cells), 1), 1)
        return shared, [side.of_rows(at, at + at_once) for at in range(0, len(side.rows), at_once)]
    large = [(group, np.array([row])) for group, rows in groups if is_large[group] for row in rows]
    sides = [GapsTogether.of(families, [one]) for one in large]
    names = [f"node {v}" for v in range(len(families.sizes))]
    for one in sides:
        check_budget(*largest(one.steps, families.sizes), BUDGET, names)
    return [(group, rows) for group, rows in groups if not is_large[group]], sides


def _n_cells(families, nodes):
    """The cells of a table over these nodes."""
    return math.prod(families.sizes[v] for v in nodes)


def _gap_groups(families, codes):
    gaps = codes < 0
    incomplete = np.flatnonzero(gaps.any(axis=1))
    patterns, which = np.unique(np.packbits(gaps[incomplete], axis=1), axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    found: dict[tuple[int, ...], list[np.ndarray]] = {}
    for members in np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1]) if len(patterns) else ():
        rows = incomplete[members]
        for group in _connected(families, np.flatnonzero(gaps[rows[0]]).tolist()):
            found.setdefault(group, []).append(rows)
    return [(group, np.concatenate(rows)) for group, rows in found.items()]


def log_likelihoods(families: Families, tables: Sequence[Any], rows: CodedRows) -> np.ndarray:
    """The logarithm of the probability of the known cells of each row, (n,)."""
    total = np.zeros(len(rows.codes))
    with np.errstate(divide="ignore"):
        for node, (scope, table) in enumerate(zip(families.scopes, tables, strict=True)):
            codes = rows.codes[:, scope]
            known = (codes >= 0).all(axis=1)
            at = tuple(codes[known].T)
            if isinstance(table, LeafNormals):
                normals = LeafNormals(table.mean[at[:-1]], table.variance[at[:-1]])
                total[known] += normals.log_density(rows.x[known, families.columns[node]])
            else:
                total[known] += np.log(table[at])
        for part in completed(families, tables, rows):
            np.add.at(total, part.rows, np.log(part.weight()) + part.log_scale)
    return total


def completed(families: Families, tables: Sequence[Any], rows: CodedRows) -> Iterator[Gap | ManyGaps]:
    """The joint of the missing cells of rows, group by group, or side by side."""
    groups, sides = rows.gaps(families)
    for group, places in groups:
        step = max(AT_ONCE // _n_cells(families, group), 1)
        for start in range(0, len(places), step):
            batch = places[start : start + step]
            yield Gap(batch, group, *_joint(families, tables, rows.codes[batch], rows.x[batch], group))
    for side in sides:
        yield _eliminated(families, tables, rows, side)


def _eliminated(families, tables, rows, side):
    """Groups side by side, by variable elimination. Families without a node of a row's group are 1 for it,
    and its other nodes have the values that are known, or any.
    """
    codes, x = np.where(side.free, 0, rows.codes[side.rows].clip(0)), rows.x[side.rows]
    last, log_scale, factors = len(families.sizes), np.zeros(len(codes)), []

    def factor_of(node, inside, otherwise):
        hidden = side.free[:, families.scopes[node]].any(axis=1).reshape(-1, *(1 for _ in inside))
        return np.where(hidden, _of_rows(families, tables, codes, x, node, inside), otherwise)

    def add(inside, table):
        factors.append(TableFactor((*inside, last), np.ascontiguousarray(np.moveaxis(table, 0, -1))))

    for node in side.tables:
        inside = families.inside(node, side.nodes)
        add(inside, factor_of(node, inside, 1.0))
    for inside, leaves in side.leaves.items():  # the largest density of each row becomes 1
        logs = sum(factor_of(node, inside, 0.0) for node in leaves)
        most = logs.reshape(len(codes), -1).max(axis=1)
        log_scale += most
        add(inside, np.exp(logs - most.reshape(-1, *(1 for _ in inside))))
    for v in side.nodes:
        add((v,), side.free[:, [v]] | (codes[:, [v]] == np.arange(families.sizes[v])))
    found = eliminate(factors, side.steps, side.left)
    return ManyGaps(side, found.left, found.beliefs(), log_scale)


def _of_rows(families, tables, codes, x, node, inside):
    """The probabilities of a family's nodes inside a group, in each row, whose other nodes are known; of a
    leaf the logarithms of densities: (n or 1, values of each node inside).
    """
    scope, table = families.scopes[node], tables[node]
    is_leaf = isinstance(table, LeafNormals)
    known = [i for i, v in enumerate(scope) if v not in inside and not (is_leaf and v == node)]
    axes = [*known, *(scope.index(v) for v in inside)]
    at = tuple(codes[:, scope[i]] for i in known) or (None,)
    if not is_leaf:
        return table.transpose(axes)[at]
    normals = LeafNormals(*(part.transpose(axes)[at] for part in table))
    return normals.log_density(x[:, families.columns[node]].reshape(-1, *(1 for _ in inside)))


def _connected(families: Families, missing: Collection[int]) -> list[tuple[int, ...]]:
    """The missing nodes, those that share a family together."""
    group = {v: {v} for v in missing}
    for scope in families.scopes:
        inside = [v for v in scope if v in group]
        joined = set().union(*(group[v] for v in inside)) if inside else set()
        for v in joined:
            group[v] = joined
    return sorted({tuple(sorted(one)) for one in group.values()})


def _joint(families, tables, codes, x, group):
    """The product of the families with a node of the group, whose other nodes are known; and its scale."""
    joint = np.ones((len(codes), *(families.sizes[v] for v in group)))
    log_scale = np.zeros(len(codes))
    logs: Any = 0.0
    for node in families.touching(group):
        inside = families.inside(node, group)
        wide = [families.sizes[v] if v in inside else 1 for v in group]
        part = _of_rows(families, tables, codes, x, node, inside).reshape(-1, *wide)
        if node in families.columns:
            logs = logs + part
        else:
            joint *= part
    if np.ndim(logs):  # the largest product of each row becomes 1, so that densities do not underflow
        with np.errstate(divide="ignore"):
            logs = np.log(joint) + logs
        log_scale = logs.reshape(len(codes), -1).max(axis=1, initial=-np.inf)
        log_scale = np.where(np.isfinite(log_scale), log_scale, 0.0)
        joint = np.exp(logs - log_scale.reshape(-1, *(1 for _ in group)))
    return joint, log_scale


def _expected(families: Families, tables: Sequence[Any], rows: CodedRows) -> FamilyCounts:
    """The expected counts of a chunk of rows under the present tables, and its log-likelihood."""
    known = families.of_known(rows)
    counts = [table if isinstance(table, Moments) else table.ravel() for table in known.tables]
    total = sum(_log_likelihood(count, table) for count, table in zip(counts, tables, strict=True))
    for part in completed(families, tables, rows):
        w, weight = rows.w[part.rows], part.weight()
        with np.errstate(divide="ignore"):
            total += float(w @ (np.log(weight) + part.log_scale))
        _add_group(families, counts, rows, part, w / np.where(weight > 0, weight, 1.0))
    shaped = tuple(
        c if isinstance(c, Moments) else c.reshape(families.shape(node)) for node, c in enumerate(counts)
    )
    return FamilyCounts(known.rows, shaped, np.array([total]))


def _log_likelihood(counts: Any, table: Any) -> float:
    """The log-likelihood of counts or moments."""
    if isinstance(table, LeafNormals):
        return table.log_likelihood(counts)
    shown = counts > 0
    with np.errstate(divide="ignore"):
        return float(counts[shown] @ np.log(table.ravel()[shown]))


def _add_group(families, counts, rows, part, w):
    """Add the rows' shares to the counts of each family with a node of the group."""
    codes = rows.codes[part.rows].clip(0)
    for node in families.touching(part.group):
        scope, inside = families.scopes[node], families.inside(node, part.group)
        shares = part.marginal(inside).reshape(len(codes), -1) * (w * part.has(scope))[:, None]
        strides = dict(zip(scope, np.cumprod([1, *families.shape(node)[:0:-1]])[::-1].tolist(), strict=True))
        base = sum(
            (codes[:, v] * strides[v] for v in scope if v not in inside), np.zeros(len(codes), np.int64)
        )
        grid = np.indices([families.sizes[v] for v in inside]).reshape(len(inside), -1)
        offset = np.array([strides[v] for v in inside]) @ grid
        flat = (base[:, None] + offset[None, :]).ravel()
        if node in families.columns:
            x = np.repeat(rows.x[part.rows, families.columns[node]], len(offset))[:, None]
            counts[node] = counts[node] + Moments.of(x, flat, shares.ravel(), len(counts[node].weight))
        else:
            counts[node] += np.bincount(flat, shares.ravel(), len(counts[node]))


def expectation_maximisation(pieces, starts, estimate, *, tol, max_iter):
    """Tables of the (locally) largest likelihood, the counts behind them, and the trace.

    Parameters
    ----------
    pieces : the rows, in codes
    starts : tables of the first E step; the next ones, if some row is impossible under them
    estimate : function from counts to tables, see `nodes.TableEstimate`
    """
    tables, *others = starts
    trace: list[float] = []
    while True:
        counts = fold(pieces, partial(_expected, estimate.families, tables), add)
        if not trace and others and counts.log_likelihood[0] == -np.inf:
            tables, *others = others
            continue
        trace.append(float(counts.log_likelihood[0]) + _log_prior(estimate, tables))
        risen = trace[-1] - trace[-2] if len(trace) > 1 else math.inf
        if len(trace) > max_iter or risen <= tol * float(counts.rows[0]):
            return tables, counts, trace
        tables = estimate(counts)


def _log_prior(estimate, tables):
    """The logarithm of Π θ^a over the tables that are smoothed, as far as it depends on θ."""
    total = 0.0
    for node, table in enumerate(tables):
        if not isinstance(table, LeafNormals) and node not in estimate.plain:
            imagined = estimate.smoothing.imagined(1 / table.shape[-1])
            total += imagined * float(np.log(table).sum()) if imagined else 0.0
    return total
