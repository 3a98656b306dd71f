r"""Tables from rows: counts, and expected counts where cells are missing (expectation-maximisation).

A family is a node with its parents. With all cells known, a table is the smoothed share of its counts. A row
with missing cells m counts in parts, by what the present tables say of them:

    E step    n(family) += P(family's missing cells | known cells of the row)
    M step    tables = smoothed shares of the expected counts

Missing cells that share no family with each other are independent given the rest of the row, so each
connected group of them has a joint table of its own, and all rows with the same group go at once:

    joint(m) = Π P(x_i | parents(x_i)) over the families with a cell of m

A row with so many gaps that this table would be large goes by itself, by variable elimination.

A smoothing that adds a to each count is the prior Π θ^a. The trace is the log-likelihood plus ln of that
prior; it never falls.

codes : int64 (n, d), -1 where missing;  counts[i] : float64, the axes of table i
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import NamedTuple

import numpy as np

from openbook.bayes.smoothing import Laplace, MEstimate
from openbook.fold import Statistics, fold
from openbook.network.elimination import BUDGET, eliminate, marginal, min_fill
from openbook.network.factor import TableFactor

__all__ = [
    "CodedRows",
    "Families",
    "FamilyCounts",
    "completed",
    "expectation_maximisation",
    "known_log_likelihood",
]

#: Cells of a joint table over missing cells: of one row at most, and of all rows handled at once.
MOST_CELLS, AT_ONCE = 1 << 12, 1 << 22


@dataclass(frozen=True)
class FamilyCounts(Statistics):
    """The weight of all rows, (1,), the counts of each family, and the log-likelihood of the rows, (1,)."""

    rows: np.ndarray
    tables: tuple[np.ndarray, ...]
    log_likelihood: np.ndarray


class Families(NamedTuple):
    """The parents of each node, and how many values the nodes have; nodes are numbered."""

    parents: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]

    @property
    def scopes(self) -> list[tuple[int, ...]]:
        """The variables of each family, in the order of the axes of its table."""
        return [(*above, node) for node, above in enumerate(self.parents)]

    def shape(self, node: int) -> tuple[int, ...]:
        return tuple(self.sizes[v] for v in (*self.parents[node], node))

    def zero(self) -> FamilyCounts:
        tables = tuple(np.zeros(self.shape(node)) for node in range(len(self.sizes)))
        return FamilyCounts(np.zeros(1), tables, np.zeros(1))

    def touching(self, group: Collection[int]) -> list[int]:
        """The nodes whose families have a node of the group."""
        return [node for node, scope in enumerate(self.scopes) if not set(scope).isdisjoint(group)]

    def of_known(self, rows: "CodedRows") -> FamilyCounts:
        """The counts of each family over the rows in which all of it is known."""
        tables, (codes, w) = [], (rows.codes, rows.w)
        for node, scope in enumerate(self.scopes):
            own = codes[:, scope]
            known = (own >= 0).all(axis=1)
            flat = np.ravel_multi_index(tuple(own[known].T), self.shape(node))
            counts = np.bincount(flat, w[known], math.prod(self.shape(node)))
            tables.append(counts.reshape(self.shape(node)).astype(float))
        return FamilyCounts(np.array([w.sum()]), tuple(tables), np.zeros(1))


class Gap(NamedTuple):
    """Rows with gaps in the same connected group of nodes: the group, and the joint of its cells."""

    rows: np.ndarray
    group: tuple[int, ...]
    joint: np.ndarray  # (rows, values of each node of the group): P(group, known cells next to it)

    def weight(self) -> np.ndarray:
        """The probability of the known cells next to the group, of each row."""
        return self.joint.reshape(len(self.rows), -1).sum(axis=1)

    def marginal(self, inside: Collection[int]) -> np.ndarray:
        """The joint of some nodes of the group, summed over the others."""
        return self.joint.sum(axis=tuple(i + 1 for i, v in enumerate(self.group) if v not in inside))


class LargeGap(NamedTuple):
    """One row whose group is too large for a joint table: the joints of its buckets instead."""

    rows: np.ndarray
    group: tuple[int, ...]
    left: float
    beliefs: list[TableFactor]

    def weight(self) -> np.ndarray:
        return np.array([self.left])

    def marginal(self, inside: Collection[int]) -> np.ndarray:
        return marginal(self.beliefs, inside).table[None]


@dataclass(eq=False)
class CodedRows:
    """Rows in codes, (n, d), -1 where missing, with their weights, (n,); what their gaps are is kept."""

    codes: np.ndarray
    w: np.ndarray
    _groups: list[tuple[tuple[int, ...], np.ndarray]] | None = None

    def groups(self, families: Families) -> list[tuple[tuple[int, ...], np.ndarray]]:
        """Each connected group of missing nodes, and the rows that have it."""
        if self._groups is None:
            self._groups = _gap_groups(families, self.codes)
        return self._groups


def _gap_groups(families, codes):
    gaps = codes < 0
    some = np.flatnonzero(gaps.any(axis=1))
    patterns, which = np.unique(np.packbits(gaps[some], axis=1), axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    found: dict[tuple[int, ...], list[np.ndarray]] = {}
    for own in np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1]) if len(patterns) else ():
        rows = some[own]
        for group in _connected(families, np.flatnonzero(gaps[rows[0]]).tolist()):
            found.setdefault(group, []).append(rows)
    return [(group, np.concatenate(rows)) for group, rows in found.items()]


def known_log_likelihood(families: Families, tables: Sequence[np.ndarray], codes: np.ndarray) -> np.ndarray:
    """The sum of ln P(node | parents) over the families of each row in which all is known, (n,)."""
    total = np.zeros(len(codes))
    with np.errstate(divide="ignore"):
        for scope, table in zip(families.scopes, tables, strict=True):
            own = codes[:, scope]
            known = (own >= 0).all(axis=1)
            total[known] += np.log(table[tuple(own[known].T)])
    return total


def completed(families: Families, tables: Sequence[np.ndarray], rows: CodedRows) -> Iterator[Gap | LargeGap]:
    """The joint of the missing cells of rows, group by group."""
    for group, places in rows.groups(families):
        cells = math.prod(families.sizes[v] for v in group)
        if cells > MOST_CELLS:
            yield from (_large(families, tables, rows.codes[row], row, group) for row in places)
            continue
        step = max(AT_ONCE // cells, 1)
        for start in range(0, len(places), step):
            some = places[start : start + step]
            yield Gap(some, group, _joint(families, tables, rows.codes[some], group))


def _large(families, tables, codes, row, group):
    """One row by variable elimination."""
    known = {v: int(c) for v, c in enumerate(codes) if c >= 0}
    own = [node for node, scope in enumerate(families.scopes) if set(scope) & set(group)]
    factors = [TableFactor.of(families.scopes[node], tables[node]).given(known) for node in own]
    sizes = dict(enumerate(families.sizes))
    steps = min_fill([f.variables for f in factors], group, sizes)
    found = eliminate(factors, steps, sizes, BUDGET, [f"node {v}" for v in sizes])
    return LargeGap(np.array([row]), group, float(found.left.table), found.beliefs())


def _connected(families: Families, missing: Collection[int]) -> list[tuple[int, ...]]:
    """The missing nodes, those that share a family together."""
    group = {v: {v} for v in missing}
    for scope in families.scopes:
        inside = [v for v in scope if v in group]
        joined = set().union(*(group[v] for v in inside)) if inside else set()
        for v in joined:
            group[v] = joined
    return sorted({tuple(sorted(one)) for one in group.values()})


def _joint(families, tables, codes, group):
    """The product of the families with a node of the group; their other nodes are known."""
    joint = np.ones((len(codes), *(families.sizes[v] for v in group)))
    for node in families.touching(group):
        scope, table = families.scopes[node], tables[node]
        known = [i for i, v in enumerate(scope) if v not in group]
        inside = [v for v in group if v in scope]
        axes = [*known, *(scope.index(v) for v in inside)]
        factor = table.transpose(axes)[tuple(codes[:, scope[i]] for i in known)]
        if not known:
            factor = factor[None]
        wide = [families.sizes[v] if v in inside else 1 for v in group]
        joint *= factor.reshape(len(factor), *wide)
    return joint


def _expected(families: Families, tables: Sequence[np.ndarray], rows: CodedRows) -> FamilyCounts:
    """The expected counts of a chunk of rows under the present tables, and its log-likelihood."""
    known = families.of_known(rows)
    counts = [table.ravel() for table in known.tables]
    with np.errstate(divide="ignore"):
        total = sum(
            float(own[own > 0] @ np.log(table.ravel()[own > 0]))
            for own, table in zip(counts, tables, strict=True)
        )
        for part in completed(families, tables, rows):
            w, weight = rows.w[part.rows], part.weight()
            total += float(w @ np.log(weight))
            _add_group(families, counts, rows.codes[part.rows], part, w / np.where(weight > 0, weight, 1.0))
    shaped = tuple(c.reshape(families.shape(node)) for node, c in enumerate(counts))
    return FamilyCounts(known.rows, shaped, np.array([total]))


def _add_group(families, counts, codes, part, w):
    """Add the rows' shares to the counts of each family with a node of the group."""
    for node in families.touching(part.group):
        scope = families.scopes[node]
        inside = [v for v in part.group if v in scope]
        shares = part.marginal(inside).reshape(len(codes), -1) * w[:, None]
        strides = dict(zip(scope, np.cumprod([1, *families.shape(node)[:0:-1]])[::-1].tolist(), strict=True))
        base = sum(
            (codes[:, v] * strides[v] for v in scope if v not in inside), np.zeros(len(codes), np.int64)
        )
        grid = np.indices([families.sizes[v] for v in inside]).reshape(len(inside), -1)
        offset = np.array([strides[v] for v in inside]) @ grid
        flat = (base[:, None] + offset[None, :]).ravel()
        counts[node] += np.bincount(flat, shares.ravel(), len(counts[node]))


def expectation_maximisation(families, pieces, start, estimate, smoothing, *, tol, max_iter):
    """Tables of the (locally) largest likelihood, the counts behind them, and the trace.

    Parameters
    ----------
    pieces : the rows, in codes
    start : the tables of the first E step
    estimate : function from counts to tables
    """
    tables, trace = start, []
    while True:
        counts = fold(pieces, partial(_expected, families, tables), add)
        trace.append(float(counts.log_likelihood[0]) + _log_prior(smoothing, tables))
        risen = trace[-1] - trace[-2] if len(trace) > 1 else math.inf
        if len(trace) > max_iter or risen <= tol * float(counts.rows[0]):
            return tables, counts, trace
        tables = estimate(counts)


def _log_prior(smoothing, tables):
    """The logarithm of Π θ^a, as far as it depends on θ."""
    total = 0.0
    for table in tables:
        if isinstance(smoothing, Laplace):
            total += smoothing.alpha * float(np.log(table).sum())
        elif isinstance(smoothing, MEstimate):
            total += smoothing.m / table.shape[-1] * float(np.log(table).sum())
    return total
