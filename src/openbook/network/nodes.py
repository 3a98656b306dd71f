"""Columns as nodes: which values they have, the codes of rows, and tables from counts.

A nominal or ordinal column is a node as it is. A number becomes the interval it falls into. A missing cell, a
value never seen and a node that no column shows have the code -1.
"""

import numpy as np

from openbook.bayes.smoothing import NoSmoothing
from openbook.border.rows import infinite_cell
from openbook.data import UNSEEN, Categorical, Numeric, Ordinal
from openbook.prepare.discretise import equal_cuts, interval_names

__all__ = ["as_node", "counted", "equal_frequency_cuts", "loaded", "node_codes", "smoothed"]


def as_node(attribute, cuts):
    """The node of a column: itself, or the intervals of a number."""
    if isinstance(attribute, Categorical):
        return attribute
    return Ordinal(attribute.name, interval_names(cuts[attribute.name]))


def loaded(piece):
    """A piece of rows in memory."""
    return piece.load() if hasattr(piece, "load") else piece


def equal_frequency_cuts(rows, bins):
    """The cuts of each numeric column, into intervals of about equal frequency."""
    chunks = [loaded(piece) for piece in rows.pieces]
    weights = np.concatenate([chunk.w for chunk in chunks])
    found = {}
    for name in rows.schema.of(Numeric):
        column = np.concatenate([np.asarray(chunk.X.data(name), dtype=float) for chunk in chunks])
        if np.isinf(column).any():
            raise infinite_cell(rows)
        known = ~np.isnan(column)
        distinct, which = np.unique(column[known], return_inverse=True)
        found[name] = equal_cuts(distinct, np.bincount(which, weights[known], len(distinct)), bins)
    return found


def node_codes(X, nodes, cuts):
    """The codes of rows, a column for each node; -1 where missing, unseen or hidden."""
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
    return codes


def counted(families, chunk):
    """The counts of the families that are known, of a pair of codes and weights."""
    return families.of_known(*chunk)


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
