"""A forest for prediction: the nodes of all trees side by side, and rows as codes.

    code of a number    how many of the forest's cuts in its column lie below it: x <= cut k where code <= k
    code of a value     its own
    the largest code    missing, or a value never seen

Codes of a row fill one line of the cache, and so does every node on its way.
"""

from typing import NamedTuple

import numpy as np

from openbook.data import Nominal
from openbook.kernels.jit import jit
from openbook.tree.columns import codes_of
from openbook.tree.nodes import cuts_by_column

__all__ = ["Compact", "coded_steps", "compact", "descend_codes"]

STEP = np.dtype(
    [
        ("first", np.int32),
        ("route", np.int32),
        ("attribute", np.int32),
        ("cut", np.uint32),
        ("missing", np.int32),
    ]
)

#: So many rows go down together: while one waits for memory, the others move.
ABREAST = 8


class Compact(NamedTuple):
    """The nodes of all trees; cuts : list of float64, in each column, empty for nominal ones.

    gap : the code of a missing cell, larger than all others, in the type of codes
    values : float64 (n_nodes, n_outputs), what a leaf says; roots : intp (n_trees,)
    """

    steps: np.ndarray
    routes: np.ndarray
    values: np.ndarray
    roots: np.ndarray
    cuts: list
    gap: np.ndarray

    def outputs(self, X):
        """The mean over the trees of what each row's leaves say, (n_rows, n_outputs)."""
        codes, leaves = self._codes(X), np.empty(len(X), dtype=np.intp)
        out = np.zeros((len(X), self.values.shape[1]))
        for root in self.roots:
            descend_codes(self.steps, self.routes, root, codes, self.gap[()], leaves)
            add_leaves(leaves, self.values, out)
        return out / len(self.roots)

    def _codes(self, X):
        gap = self.gap
        codes = np.empty((len(X), len(self.cuts)), dtype=gap.dtype)
        for j, (attribute, cuts) in enumerate(zip(X.schema, self.cuts, strict=True)):
            cells = X.data(attribute.name)
            if isinstance(attribute, Nominal):
                codes[:, j] = np.where(cells < 0, gap, cells)
                continue
            numbers = np.ascontiguousarray(cells, dtype=float)
            missing = np.isnan(numbers) if cells.dtype.kind == "f" else numbers < 0
            codes[:, j] = np.where(missing, gap, codes_of(cuts, numbers))
        return codes


def compact(trees, shares, schema):
    """The trees of a forest for prediction; shares : what the leaves of each tree say."""
    cuts = [_cuts(trees, j) for j in range(len(schema))]
    sizes = np.array([tree.size for tree in trees])
    roots = np.cumsum(sizes) - sizes
    routes = np.cumsum([0, *(len(tree.routes) for tree in trees)])
    steps = np.concatenate([_steps(t, cuts, *at) for t, *at in zip(trees, roots, routes, strict=False)])
    every = np.concatenate([tree.routes for tree in trees])
    most = max(len(a.values) if isinstance(a, Nominal) else len(c) for a, c in zip(schema, cuts, strict=True))
    largest = next(np.iinfo(kind) for kind in (np.uint8, np.uint16, np.uint32) if most < np.iinfo(kind).max)
    gap = np.array(largest.max, largest.dtype)
    return Compact(steps, every, np.concatenate(shares), roots, cuts, gap)


def _cuts(trees, j):
    found = [tree.cut[(tree.attribute == j) & (tree.route < 0)] for tree in trees]
    return np.unique(np.concatenate(found))


def _steps(tree, cuts, root, route):
    steps = coded_steps(tree, lambda j, own: np.searchsorted(cuts[j], own))
    steps["first"] += np.int32(root)
    steps["route"][tree.route >= 0] += np.int32(route)
    return steps


def coded_steps(tree, code_of):
    """The nodes of a tree for the way down by codes; code_of : from a column and its cuts to their codes."""
    steps = np.zeros(tree.size, dtype=STEP)
    for name in ("first", "route", "attribute", "missing"):
        steps[name] = getattr(tree, name)
    for j, at in cuts_by_column(tree.attribute, tree.route):
        steps["cut"][at] = code_of(j, tree.cut[at])
    return steps


@jit(_nrt=False)
def descend_codes(steps, routes, root, codes, gap, leaves):
    """Fill in the leaf of each row."""
    n = codes.shape[0]
    for start in range(0, n, ABREAST):
        end = min(start + ABREAST, n)
        for i in range(start, end):
            leaves[i] = root
        under_way = True
        while under_way:
            under_way = False
            for i in range(start, end):
                node = np.uintp(leaves[i])
                f = steps[node].attribute
                if f < 0:
                    continue
                under_way = True
                code = codes[np.uintp(i), np.uintp(f)]
                branch = np.int64(code > steps[node].cut)
                if code == gap:
                    branch = np.int64(steps[node].missing)
                elif steps[node].route >= 0:
                    branch = np.int64(routes[np.uintp(steps[node].route) + np.uintp(code)])
                    if branch < 0:
                        branch = np.int64(steps[node].missing)
                leaves[i] = steps[node].first + branch


@jit(_nrt=False)
def add_leaves(leaves, values, out):
    """Add to out[i] what the leaf of row i says."""
    for i in range(leaves.size):
        for c in range(out.shape[1]):
            out[i, c] += values[np.uintp(leaves[i]), c]
