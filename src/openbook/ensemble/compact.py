"""A forest for prediction: the nodes of all trees side by side, and rows as codes.

    code of a number    how many of the forest's cuts in its column lie below it: x <= cut k where code <= k
    code of a value     its own
    the gap             the largest code: missing, or a value never seen

A test that sends the gap left adds 1 to codes and cut: the gap turns to 0, and there is nothing to ask. A
node takes eight bytes where codes are bytes, so a tree stays in the cache while many rows go down. Tests that
do ask, those of nominal columns and those with a third branch, have `Detours`.
"""

from typing import NamedTuple

import numpy as np

from openbook.data import Nominal
from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner, jit
from openbook.tree.columns import codes_of
from openbook.tree.nodes import LEAF, cuts_by_column

__all__ = ["BLOCK", "Compact", "compact", "descend_codes", "detours_of", "fill_steps", "step_type"]

#: The turn of a test that is not ordered, or not in two.
DETOUR = 2

#: So many rows go down together: their codes stay in the cache.
BLOCK = 512


@bundle
class Detours(NamedTuple):
    """What a DETOUR needs to know, by node; empty where there is none.

    route, missing : int32 (n_nodes,), routes : int32, as in `Tree`
    """

    route: np.ndarray
    missing: np.ndarray
    routes: np.ndarray


@bundle
class Ways(NamedTuple):
    """The ways down all trees, and where they end.

    steps : (n_nodes,), see `step_type`; roots : intp (n_trees,)
    number : int32 (n_nodes,), where in `values` stands what a leaf says
    values : float64 (n, n_outputs), what leaves say; those that are sure of a class share a row
    """

    steps: np.ndarray
    detours: Detours
    roots: np.ndarray
    number: np.ndarray
    values: np.ndarray


class Compact(NamedTuple):
    """A forest; cuts : list of float64, in each column, empty for nominal ones.

    gap : the code of a missing cell, larger than all others, in the type of codes
    """

    ways: Ways
    cuts: list
    gap: np.ndarray

    def outputs(self, X):
        """The mean over the trees of what each row's leaves say, (n_rows, n_outputs)."""
        out, leaves = np.zeros((len(X), self.ways.values.shape[1])), np.empty(len(X), dtype=np.intp)
        add_trees(self.ways, self._codes(X), self.gap[()], leaves, np.empty(BLOCK, np.intp), out)
        return out / len(self.ways.roots)

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
    """The trees of a forest for prediction; shares : from the values of leaves to what they say."""
    cuts = [_cuts(trees, j, attribute) for j, attribute in enumerate(schema)]
    most = max(len(a.values) if isinstance(a, Nominal) else len(c) for a, c in zip(schema, cuts, strict=True))
    largest = next(np.iinfo(kind) for kind in (np.uint8, np.uint16, np.uint32) if most < np.iinfo(kind).max)
    gap = np.array(largest.max, largest.dtype)
    roots = np.cumsum([0, *(tree.size for tree in trees)])[:-1]
    number, values = _leaves(trees, roots, shares)
    steps = np.empty(len(number), step_type(gap, len(schema)))
    for tree, root in zip(trees, roots, strict=True):
        own, tests = steps[root : root + tree.size], dict(cuts_by_column(tree.attribute, tree.route))
        codes = {j: np.searchsorted(cuts[j], tree.cut[at]) for j, at in tests.items()}
        fill_steps(own, tree, tests, codes, gap)
        own["first"] += np.int32(root)
    return Compact(Ways(steps, detours_of(trees, steps), roots, number, values), cuts, gap)


def _leaves(trees, roots, shares):
    """The numbers of all nodes, 0 for inner ones, and the values of leaves by their numbers.

    Of leaves that are sure of a class, the most by far in trees of full depth, one row serves all.
    """
    n_outputs, n_leaves = shares(trees[0].value[:1]).shape[1], sum(tree.n_leaves for tree in trees)
    number, values = (
        np.zeros(roots[-1] + trees[-1].size, np.int32),
        np.empty((n_outputs + n_leaves, n_outputs)),
    )
    n = n_outputs
    values[:n] = np.eye(n)
    for tree, root in zip(trees, roots, strict=True):
        leaves = np.flatnonzero(tree.attribute == LEAF)
        said = shares(tree.value[leaves])
        sure = (said == 1).any(axis=1) & (np.count_nonzero(said, axis=1) == 1)
        places = np.where(sure, said.argmax(axis=1), n - 1 + np.cumsum(~sure))
        number[root + leaves], values[places] = places, said
        n += np.count_nonzero(~sure)
    values.resize((n, n_outputs), refcheck=False)  # in place: there is no second copy
    return number, values


def _cuts(trees, j, attribute):
    """Every cut of a column."""
    if isinstance(attribute, Nominal):
        return np.zeros(0)
    return np.unique(np.concatenate([tree.cut[tree.attribute == j] for tree in trees]))


def step_type(gap, n_columns):
    """The type of a node: where it leads, the column and the cut of its test, and its turn."""
    column = np.min_scalar_type(n_columns)
    fields = [("first", np.int32), ("attribute", column), ("cut", gap.dtype), ("turn", np.uint8)]
    return np.dtype(fields, align=True)


def fill_steps(steps, tree, tests, codes, gap):
    """Fill in the nodes of a tree for the way down by codes; a leaf leads to itself.

    tests : the nodes that cut each column; codes : the largest codes on the left of their cuts
    """
    leaf = tree.attribute == LEAF
    plain = (tree.route < 0) & (tree.branches == 2) & (tree.missing >= 0)
    turn = plain & (tree.missing == 0)
    steps["first"] = np.where(leaf, np.arange(tree.size), tree.first)
    steps["attribute"] = np.where(leaf, 0, tree.attribute)
    steps["cut"] = np.where(leaf, gap, 0)
    for j, at in tests.items():
        steps["cut"][at] = codes[j] + turn[at]
    steps["turn"] = np.where(leaf | plain, turn, DETOUR)


def detours_of(trees, steps):
    """The detours of these trees, whose nodes are these."""
    if not (steps["turn"] == DETOUR).any():
        return Detours(*np.zeros((3, 0), np.int32))
    starts = np.cumsum([0, *(len(tree.routes) for tree in trees)], dtype=np.int32)
    routes = [np.where(t.route < 0, -1, t.route + start) for t, start in zip(trees, starts, strict=False)]
    missing, every = ([getattr(tree, name) for tree in trees] for name in ("missing", "routes"))
    return Detours(*(np.concatenate(part, dtype=np.int32) for part in (routes, missing, every)))


@inner
def branch_beyond(detours, node, code, gap, cut):
    """The branch that a code takes at a node that is no plain test."""
    route, branch = detours.route[node], np.int64(-1)
    if code != gap:
        branch = np.int64(code > cut) if route < 0 else np.int64(detours.routes[route + code])
    return branch if branch >= 0 else np.int64(detours.missing[node])


@jit(_nrt=False)
def descend_codes(steps, detours, root, codes, gap, leaves, moving):
    """Fill in the leaf of each row.

    moving : intp (BLOCK,), room for the rows that still move, a level at a time: while one waits for memory,
        the others go on
    """
    for start in range(0, leaves.size, moving.size):
        n = min(leaves.size - start, moving.size)
        for k in range(n):
            moving[k], leaves[start + k] = start + k, root
        while n:
            left = np.uintp(0)
            for k in range(n):
                i = np.uintp(moving[k])
                node = leaves[i]
                step = steps[np.uintp(node)]
                code = np.int64(codes[i, np.uintp(step.attribute)])
                branch = np.int64((code + step.turn) & gap > step.cut)
                if step.turn == DETOUR:
                    branch = branch_beyond(detours, node, code, gap, step.cut)
                below = step.first + branch
                leaves[i], moving[left] = below, i
                left += np.uintp(below != node)
            n = np.int64(left)


@jit(_nrt=False)
def add_trees(ways, codes, gap, leaves, moving, out):
    """Add to out[i] what the leaves of row i say in all trees; leaves : intp (n_rows,), room."""
    number, values = ways.number, ways.values
    for t in range(ways.roots.size):
        descend_codes(ways.steps, ways.detours, ways.roots[t], codes, gap, leaves, moving)
        for i in range(leaves.size):
            leaf = np.uintp(number[np.uintp(leaves[i])])
            for c in range(out.shape[1]):
                out[i, c] += values[leaf, c]
