"""Columns as nodes: which values they have, the codes of rows, and tables from counts.

A nominal or ordinal column is a node as it is. A number becomes the interval it falls into, or its column is
a leaf with a normal distribution (`leaves.py`), which has the code 0 beside the number itself. A missing
cell, an unseen value and a node that no column shows have the code -1.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from operator import add
from typing import Annotated, Any

import numpy as np

from openbook.bayes.smoothing import Laplace, MEstimate, NoSmoothing, Smoothing
from openbook.border.not_taken import Declared
from openbook.border.rows import FileChunk, infinite_cell
from openbook.border.rules import Anything, Number, OneOf, ValueOf, Whole
from openbook.data import UNSEEN, Attribute, Numeric, Ordinal
from openbook.errors import ParameterError, did_you_mean
from openbook.fold import fold, loaded
from openbook.kernels.moments import Moments
from openbook.network.graph import Graph
from openbook.network.learning import CodedRows, Families, expectation_maximisation
from openbook.network.leaves import check_leaves, estimated, n_values
from openbook.network.structure import Scores
from openbook.prepare.discretise import equal_cuts


class NetworkParameters(Declared):
    """The parameters of every belief network that is learnt; see `BeliefNetwork`."""

    structure: Annotated[Any, Anything("a way to search the edges, or a list of (parent, child)")] = (
        "hill_climb"
    )
    _: KW_ONLY
    criterion: Annotated[str, OneOf("bic", "bdeu", "k2")] = "bic"
    max_parents: Annotated[int, Whole(at_least=1)] = 4
    smoothing: Annotated[Any, ValueOf(NoSmoothing, Laplace, MEstimate)] = Laplace(1.0)
    gaussian: Annotated[Any, Anything("'all', a list of numeric columns, or None")] = None
    bins: Annotated[int, Whole(at_least=2)] = 5
    min_covar: Annotated[float, Number(above=0)] = 1e-3
    max_iter: int = 100
    tol: Annotated[float, Number(above=0)] = 1e-6


def as_node(attribute, cuts):
    """The node of a column: itself, a leaf too, or the intervals of a number."""
    if attribute.name not in cuts:
        return attribute
    return Ordinal(attribute.name, attribute.interval_names(cuts[attribute.name]))


def gaussian_columns(learner, schema):
    """The numeric columns that stay numbers, by the learner's parameter `gaussian`."""
    numbers = schema.of(Numeric)
    if learner.gaussian is None or isinstance(learner.gaussian, str):
        if learner.gaussian not in (None, "all"):
            raise ParameterError(
                f"{type(learner).__name__}: gaussian must be 'all', a list of columns or None,"
                f" got {learner.gaussian!r}"
            )
        return numbers if learner.gaussian else ()
    for name in learner.gaussian:
        if name not in numbers:
            hint = did_you_mean(str(name), numbers) if numbers else "The table has none."
            msg = f"{type(learner).__name__}: gaussian names {name!r}, which is no numeric column. {hint}"
            raise ParameterError(msg)
    return tuple(name for name in numbers if name in learner.gaussian)


def equal_frequency_cuts(rows, bins, leaves=()):
    """The cuts of numeric columns but leaves, into intervals of about equal frequency, in one pass."""
    names = [name for name in rows.schema.of(Numeric) if name not in leaves]
    if not names:
        return {}
    found = fold(rows.pieces, partial(_distinct_numbers, names), add)
    cuts = {}
    for j, name in enumerate(names):
        values, weights = (np.concatenate([part[j][which] for part in found]) for which in (0, 1))
        if np.isinf(values).any():
            raise infinite_cell(rows)
        distinct, which = np.unique(values, return_inverse=True)
        cuts[name] = equal_cuts(distinct, np.bincount(which, weights, len(distinct)), bins)
    return cuts


def _distinct_numbers(names, chunk):
    """The distinct known numbers of each column, and their weights."""
    found = []
    for name in names:
        column = np.asarray(chunk.X.data(name), dtype=float)
        known = ~np.isnan(column)
        distinct, which = np.unique(column[known], return_inverse=True)
        found.append((distinct, np.bincount(which, chunk.w[known], len(distinct))))
    return [found]


def coded(nodes, cuts, X, w=None, y=None):
    """Rows in codes and numbers, a column for each node, the last the code of y if it is given."""
    codes = np.full((len(X), len(nodes)), -1, dtype=np.int64, order="F")
    leaves = [node.name for node in nodes if isinstance(node, Numeric)]
    for i, node in enumerate(nodes):
        if node.name in leaves:
            codes[:, i] = 0
            continue
        if node.name not in X.schema:
            continue
        data = X.data(node.name)
        if node.name in cuts:
            known = np.isfinite(data)
            codes[known, i] = np.searchsorted(cuts[node.name], data[known])
        else:
            codes[:, i] = np.where(data == UNSEEN, -1, data)
    if y is not None:
        codes[:, -1] = y
    x = np.empty((len(X), len(leaves)))
    for j, name in enumerate(leaves):
        x[:, j] = X.data(name)
    return CodedRows(codes, x, np.ones(len(X)) if w is None else w)


def row_findings(nodes, cuts, X):
    """What the first row of X shows of nodes: codes, and the numbers of leaves, by name."""
    row = coded(nodes, cuts, X.take(slice(0, 1)))
    cells = {node.name: int(code) for node, code in zip(nodes, row.codes[0], strict=True) if code >= 0}
    leaves = [node.name for node in nodes if isinstance(node, Numeric)]
    numbers = dict(zip(leaves, row.x[0].tolist(), strict=True))
    findings = {name: numbers.get(name, code) for name, code in cells.items()}
    return {name: cell for name, cell in findings.items() if not np.isnan(cell)}


@dataclass(frozen=True)
class CodedFile:
    """A chunk of a file, read and coded by the worker that handles it."""

    chunk: FileChunk
    nodes: tuple[Attribute, ...]
    cuts: Mapping[str, np.ndarray]
    with_target: bool

    def load(self):
        return _coded_chunk(self.nodes, self.cuts, self.with_target, self.chunk.load())


def coded_pieces(rows, nodes, cuts, *, with_target=False):
    """All rows in codes: in memory where they are there, else read anew in every pass."""
    return [
        CodedFile(piece, nodes, cuts, with_target)
        if isinstance(piece, FileChunk)
        else _coded_chunk(nodes, cuts, with_target, piece)
        for piece in rows.pieces
    ]


def _coded_chunk(nodes, cuts, with_target, chunk):
    return coded(nodes, cuts, chunk.X, chunk.w, chunk.y if with_target else None)


def family_scores(learner, nodes, pieces):
    """The scores of families over all rows, which must fit into memory, by the parameters of a learner."""
    chunks = list(map(loaded, pieces))
    codes, x, w = (np.concatenate([getattr(chunk, part) for chunk in chunks]) for part in ("codes", "x", "w"))
    sizes = [n_values(node) for node in nodes]
    return Scores(CodedRows(codes, x, w), sizes, learner.criterion, _leaves(nodes), learner.min_covar)


def families_of(nodes, parents):
    """The families of nodes; a leaf must not be a parent."""
    parents = tuple(parents)
    check_leaves(nodes, parents)
    return Families(parents, tuple(n_values(node) for node in nodes), _leaves(nodes))


def _leaves(nodes):
    return tuple(i for i, node in enumerate(nodes) if isinstance(node, Numeric))


def edge_numbers(learner, parameter, nodes):
    """The edges that a parameter of a learner lists, as pairs of numbers."""
    numbers = {node.name: i for i, node in enumerate(nodes)}
    found = []
    for edge in edges if isinstance(edges := getattr(learner, parameter), Iterable) else [edges]:
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
            msg = f"{type(learner).__name__}: {parameter} must hold pairs (parent, child), got {edge!r}"
            raise ParameterError(msg)
        for name in edge:
            if name not in numbers:
                hint = did_you_mean(str(name), tuple(numbers))
                msg = f"{type(learner).__name__}: {parameter} names {name!r}, which is no node. {hint}"
                raise ParameterError(msg)
        found.append((numbers[edge[0]], numbers[edge[1]]))
    return found


def given_parents(learner, nodes):
    """The parents of each node, by the edges that the learner's structure lists."""
    parents: list[list[int]] = [[] for _ in nodes]
    for parent, child in edge_numbers(learner, "structure", nodes):
        parents[child].append(parent)
    return tuple(tuple(above) for above in parents)


def graph_of(nodes, parents):
    """The graph, by name, of parents by number."""
    return Graph(
        {node.name: [nodes[p].name for p in above] for node, above in zip(nodes, parents, strict=True)}
    )


def counted(families, pieces):
    """The counts of each family over the rows in which all of it is known, and whether any has gaps."""
    counts = fold(pieces, families.of_known, add)
    whole = float(counts.rows[0])
    tables = [table for table in counts.tables if not isinstance(table, Moments)]
    return counts, any(table.sum() < whole * (1 - 1e-9) for table in tables)


@dataclass(frozen=True)
class TableEstimate:
    """From counts to tables: smoothed shares, and of leaves their normals.

    columns : the moments of the numeric columns of leaves, over all rows
    plain : nodes of which the shares are taken as they are
    """

    families: Families
    nodes: tuple[Attribute, ...]
    smoothing: Smoothing
    min_covar: float
    columns: Mapping[str, Moments]
    plain: tuple[int, ...] = ()

    def __call__(self, counts):
        return [self.table(node, table) for node, table in enumerate(counts.tables)]

    def overall(self, node):
        """The mean and the variance of the column of a leaf, over all rows."""
        column = estimated(Moments.zero(1, 1), (), self.columns[self.nodes[node].name], self.min_covar)
        return column.mean, column.variance

    def table(self, node, counts):
        attribute, shape = self.nodes[node], self.families.shape(node)
        if isinstance(counts, Moments):
            return estimated(counts, shape[:-1], self.columns[attribute.name], self.min_covar)
        flat = counts.reshape(-1, shape[-1])
        labels = [str(i) for i in range(len(flat))]
        smoothing = NoSmoothing() if node in self.plain else self.smoothing
        return smoothing.distributions(flat, labels, attribute.name, attribute.values)[:, :-1].reshape(shape)


def learnt_tables(learner, pieces, estimate, start=None):
    """Tables from rows, by node, the counts behind them, and the trace of expectation-maximisation, if it was
    needed.

    start : makes the tables of the first E step from the estimate and those of the rows that are known
    """
    counts, has_gaps = counted(estimate.families, pieces)
    tables, trace = estimate(counts), []
    if has_gaps:
        starts = [tables, replace(estimate, smoothing=Laplace(1.0), plain=())(counts)]
        starts = [start(estimate, one) for one in starts] if start else starts
        limits = {"tol": learner.tol, "max_iter": learner.max_iter}
        tables, counts, trace = expectation_maximisation(pieces, starts, estimate, **limits)
    return {node.name: table for node, table in zip(estimate.nodes, tables, strict=True)}, counts, trace
