"""A belief network as arrays of a model file, and back, with everything checked.

edges      int64 (n_edges, 2), numbers of parent and child
table.i    float64, an axis for each parent of node i and one for itself;  counts.i likewise
cuts.i     float64, where node i is a number
rows       float64 (1,), the weight of the training rows, where there are counts
trace      float64, the log-likelihood of each round
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from openbook.data import Categorical, Numeric, Schema
from openbook.errors import DataError
from openbook.network.graph import Graph
from openbook.network.learning import FamilyCounts
from openbook.network.tables import checked_table

__all__ = ["StoredNetwork", "checked_cuts", "checked_floats", "from_arrays", "to_arrays"]


class StoredNetwork(NamedTuple):
    """What the arrays of a network hold."""

    graph: Graph
    tables: dict[str, np.ndarray]
    statistics: FamilyCounts | None
    trace: list[float]


def to_arrays(nodes, graph, tables, cuts, statistics, trace):
    numbers = {node.name: i for i, node in enumerate(nodes)}
    edges = [(numbers[a], numbers[b]) for a, b in graph.edges]
    arrays = {"edges": np.array(edges, dtype=np.int64).reshape(-1, 2), "trace": np.array(trace, dtype=float)}
    for i, node in enumerate(nodes):
        arrays[f"table.{i}"] = tables[node.name]
        if node.name in cuts:
            arrays[f"cuts.{i}"] = cuts[node.name]
        if statistics is not None:
            arrays[f"counts.{i}"] = statistics.tables[i]
    if statistics is not None:
        arrays["rows"] = statistics.rows
    return arrays


def checked_cuts(schema: Schema, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The cuts of the numeric columns of a schema."""
    found = {}
    for i, attribute in enumerate(schema):
        if isinstance(attribute, Numeric):
            cuts = arrays[f"cuts.{i}"]
            if (
                cuts.dtype != float
                or cuts.ndim != 1
                or not np.isfinite(cuts).all()
                or (np.diff(cuts) <= 0).any()
            ):
                raise ValueError(f"the cuts of {attribute.name!r} must be finite numbers that rise")
            found[attribute.name] = cuts
    return found


def from_arrays(nodes: Sequence[Categorical], arrays: Mapping[str, np.ndarray]) -> StoredNetwork:
    """The network of these nodes; ValueError or KeyError where the arrays do not fit."""
    edges = arrays["edges"]
    if edges.dtype != np.int64 or edges.ndim != 2 or edges.shape[1] != 2:
        raise ValueError("its edges must be pairs of numbers")
    if ((edges < 0) | (edges >= len(nodes))).any():
        raise ValueError("an edge names a node that is not there")
    parents: list[list[int]] = [[] for _ in nodes]
    for a, b in edges.tolist():
        parents[b].append(a)
    try:
        graph = Graph(
            {node.name: [nodes[p].name for p in above] for node, above in zip(nodes, parents, strict=True)}
        )
        tables = {}
        for i, node in enumerate(nodes):
            tables[node.name] = checked_table(
                node, [nodes[p] for p in parents[i]], checked_floats(arrays, f"table.{i}")
            )
    except DataError as error:
        raise ValueError(str(error)) from None
    statistics = None
    if "rows" in arrays:
        counts = tuple(
            checked_floats(arrays, f"counts.{i}", tables[node.name].shape) for i, node in enumerate(nodes)
        )
        statistics = FamilyCounts(checked_floats(arrays, "rows", (1,)), counts, np.zeros(1))
    trace = checked_floats(arrays, "trace", (arrays["trace"].size,), signed=True)
    return StoredNetwork(graph, tables, statistics, trace.tolist())


def checked_floats(arrays, name, shape=None, *, signed=False):
    """An array of finite numbers, of a shape if it is given, and not negative unless they may be."""
    array = arrays[name]
    if array.dtype != float or (shape is not None and array.shape != shape) or not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite float64 numbers{f' of the shape {shape}' if shape else ''}")
    if not signed and (array < 0).any():
        raise ValueError(f"{name} must not be negative")
    return array
