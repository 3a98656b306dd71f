"""Columns as nodes: which values they have, the codes of rows, and tables from counts.

A nominal or ordinal column is a node as it is. A number becomes the interval it falls into. A missing cell, a
value never seen and a node that no column shows have the code -1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from operator import add

import numpy as np

from openbook.bayes.smoothing import NoSmoothing
from openbook.border.rows import FileChunk, infinite_cell
from openbook.data import UNSEEN, Categorical, Numeric, Ordinal
from openbook.fold import fold
from openbook.network.learning import CodedRows
from openbook.prepare.discretise import equal_cuts, interval_names

__all__ = [
    "as_node",
    "coded_pieces",
    "counted",
    "equal_frequency_cuts",
    "in_memory",
    "node_codes",
    "smoothed",
]


def as_node(attribute, cuts):
    """The node of a column: itself, or the intervals of a number."""
    if isinstance(attribute, Categorical):
        return attribute
    return Ordinal(attribute.name, interval_names(cuts[attribute.name]))


def equal_frequency_cuts(rows, bins):
    """The cuts of each numeric column, into intervals of about equal frequency, in one pass."""
    names = rows.schema.of(Numeric)
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


def node_codes(X, nodes, cuts, y=None):
    """The codes of rows, a column for each node, the last that of y if it is given; -1 where missing."""
    codes = np.full((len(X), len(nodes)), -1, dtype=np.int64)
    for i, node in enumerate(nodes):
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
    return codes


def coded(nodes, cuts, with_target, chunk):
    """A chunk in codes."""
    return CodedRows(node_codes(chunk.X, nodes, cuts, chunk.y if with_target else None), chunk.w)


@dataclass(frozen=True)
class CodedFile:
    """A chunk of a file, read and coded by the worker that handles it."""

    chunk: FileChunk
    nodes: tuple[Categorical, ...]
    cuts: Mapping[str, np.ndarray]
    with_target: bool

    def load(self):
        return coded(self.nodes, self.cuts, self.with_target, self.chunk.load())


def coded_pieces(rows, nodes, cuts, *, with_target=False):
    """All rows in codes: in memory where they are there, else read anew in every pass."""
    return [
        CodedFile(piece, nodes, cuts, with_target)
        if isinstance(piece, FileChunk)
        else coded(nodes, cuts, with_target, piece)
        for piece in rows.pieces
    ]


def in_memory(pieces):
    """The codes and the weights of all rows."""
    some = [piece.load() if isinstance(piece, CodedFile) else piece for piece in pieces]
    return np.concatenate([rows.codes for rows in some]), np.concatenate([rows.w for rows in some])


def counted(families, pieces):
    """The counts of each family over the rows in which all of it is known, and whether any has gaps."""
    counts = fold(pieces, families.of_known, add)
    whole = float(counts.rows[0])
    return counts, any(table.sum() < whole * (1 - 1e-9) for table in counts.tables)


def smoothed(families, nodes, smoothing, counts, plain=()):
    """The smoothed shares of counts; of the nodes in `plain`, the shares themselves."""
    tables = []
    for node, attribute in enumerate(nodes):
        flat = counts.tables[node].reshape(-1, families.sizes[node])
        labels = [str(i) for i in range(len(flat))]
        way = NoSmoothing() if node in plain else smoothing
        shares = way.distributions(flat, labels, attribute.name, attribute.values)[:, :-1]
        tables.append(shares.reshape(families.shape(node)))
    return tables
