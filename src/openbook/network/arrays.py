"""A belief network as arrays of a model file, and back, with everything checked.

edges      int64 (n_edges, 2), numbers of parent and child
table.i    float64, an axis for each parent of node i and one for itself;  counts.i likewise
cuts.i     float64, where node i is a number in intervals
mean.i, variance.i                  float64, an axis for each parent, of a leaf with normal distributions
weight.i, average.i, scatter.i      float64 (combinations of the parents' values, 1), its moments
rows       float64 (1,), the weight of the training rows, where there are counts
trace      float64, the log-likelihood of each round
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from openbook.damage import checked_array, require
from openbook.data import Attribute, Numeric, Schema
from openbook.errors import DataError
from openbook.kernels.moments import Moments
from openbook.network.graph import Graph
from openbook.network.learning import FamilyCounts
from openbook.network.leaves import LeafNormals, check_leaves
from openbook.network.tables import checked_table


class StoredNetwork(NamedTuple):
    """What the arrays of a network hold."""

    graph: Graph
    tables: dict[str, Any]
    statistics: FamilyCounts | None
    trace: list[float]


def to_arrays(network):
    """The arrays of a belief network."""
    numbers = {node.name: i for i, node in enumerate(network.nodes_)}
    edges = [(numbers[a], numbers[b]) for a, b in network.graph_.edges]
    arrays = {"trace": np.array(network.trace_, dtype=float)}
    arrays["edges"] = np.array(edges, dtype=np.int64).reshape(-1, 2)
    arrays |= {f"table.{numbers[name]}": table for name, table in network.tables_.items()}
    arrays |= {f"cuts.{numbers[name]}": cuts for name, cuts in network.cuts_.items()}
    for name, leaf in network.normals_.items():
        arrays |= {f"mean.{numbers[name]}": leaf.mean, f"variance.{numbers[name]}": leaf.variance}
    if network.statistics_ is not None:
        arrays["rows"] = network.statistics_.rows
        for i, counts in enumerate(network.statistics_.tables):
            if isinstance(counts, Moments):
                moments = {"weight": counts.weight, "average": counts.mean, "scatter": counts.scatter}
                arrays |= {f"{part}.{i}": array for part, array in moments.items()}
            else:
                arrays[f"counts.{i}"] = counts
    return arrays


def checked_cuts(
    schema: Schema, arrays: Mapping[str, np.ndarray], leaves: Collection[str] = ()
) -> dict[str, np.ndarray]:
    """The cuts of the numeric columns of a schema but leaves."""
    found = {}
    for i, attribute in enumerate(schema):
        if isinstance(attribute, Numeric) and attribute.name not in leaves:
            cuts = arrays[f"cuts.{i}"]
            rising = cuts.dtype == float and cuts.ndim == 1 and (np.diff(cuts) > 0).all()
            rising = rising and np.isfinite(cuts).all()
            require(rising, f"the cuts of {attribute.name!r} must be finite numbers that rise")
            found[attribute.name] = cuts
    return found


def from_arrays(nodes: Sequence[Attribute], arrays: Mapping[str, np.ndarray]) -> StoredNetwork:
    """The network of these nodes; ValueError or KeyError where the arrays do not fit."""
    edges = checked_array(arrays, "edges", np.int64, (len(arrays["edges"]), 2))
    require((edges >= 0) & (edges < len(nodes)), "an edge names a node that is not there")
    parents: list[list[int]] = [[] for _ in nodes]
    for a, b in edges.tolist():
        parents[b].append(a)
    try:
        check_leaves(nodes, parents)
        above = {node.name: [nodes[p] for p in names] for node, names in zip(nodes, parents, strict=True)}
        graph = Graph({name: [parent.name for parent in names] for name, names in above.items()})
        tables = {node.name: _stored_table(arrays, i, node, above[node.name]) for i, node in enumerate(nodes)}
    except DataError as error:
        raise ValueError(str(error)) from None
    statistics = None
    if "rows" in arrays:
        counts = tuple(_stored_counts(arrays, i, tables[node.name]) for i, node in enumerate(nodes))
        statistics = FamilyCounts(checked_numbers(arrays, "rows", (1,)), counts, np.zeros(1))
    trace = checked_numbers(arrays, "trace", (arrays["trace"].size,), signed=True)
    return StoredNetwork(graph, tables, statistics, trace.tolist())


def _stored_table(arrays, i, node, above):
    if not isinstance(node, Numeric):
        return checked_table(node, above, checked_numbers(arrays, f"table.{i}"))
    shape = tuple(len(parent.values) for parent in above)
    variance = checked_numbers(arrays, f"variance.{i}", shape)
    require(variance > 0, f"the variances of {node.name!r} must be above zero")
    return LeafNormals(checked_numbers(arrays, f"mean.{i}", shape, signed=True), variance)


def _stored_counts(arrays, i, table):
    if not isinstance(table, LeafNormals):
        return checked_numbers(arrays, f"counts.{i}", table.shape)
    shape = (table.mean.size, 1)
    weight, scatter = (checked_numbers(arrays, f"{part}.{i}", shape) for part in ("weight", "scatter"))
    return Moments(weight, checked_numbers(arrays, f"average.{i}", shape, signed=True), scatter)


def checked_numbers(arrays, name, shape=None, *, signed=False):
    """An array of finite numbers, of a shape if it is given, and not negative unless they may be."""
    array = checked_array(arrays, name, float, arrays[name].shape if shape is None else shape)
    require(signed or (array >= 0).all(), f"{name} must not be negative")
    return array
