"""A forest for prediction: the nodes of all trees side by side, and rows as codes.

    code of a number    how many of the forest's cuts in its column lie below it: x <= cut k where code <= k
    code of a value     its own
    the gap             the largest code: missing, or an unseen value

A test that sends the gap left adds 1 to codes and cut: the gap turns to 0, and there is nothing to ask. A
node takes eight bytes where codes are bytes, so a tree stays in the cache while many rows go down. Tests that
do ask, those of nominal columns and those with a third branch, have `Detours`.
"""

from functools import cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from openbook.data import Nominal
from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner, jit
from openbook.tree.engine.columns import codes_of
from openbook.tree.engine.nodes import LEAF, Tree

#: The turn of a test that is not ordered, or not in two.
DETOUR = 2

#: About so many nodes of small trees are put in place at once: arrays of a few nodes take longer than that.
JOINED = 2**17

#: So many rows go down together: their codes stay in the cache.
BLOCK = 512


@bundle
class Detours(NamedTuple):
    """What a DETOUR needs to know, by node; empty if there is none.

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

    @property
    def n_tested(self):
        """How many columns with numbers are tested somewhere."""
        return sum(len(cuts) > 0 for cuts in self.cuts)

    def outputs(self, X):
        """The mean over the trees of what each row's leaves say, (n_rows, n_outputs)."""
        return self._added(self._codes(X), self.ways) / len(self.ways.roots)

    def sums(self, X, n):
        """The sums over every n-th tree of the number that each row's leaves say, (n_rows, n)."""
        codes, roots = self._codes(X), self.ways.roots
        every = (self.ways._replace(roots=roots[c::n].copy()) for c in range(n))
        return np.concatenate([self._added(codes, ways) for ways in every], axis=1)

    def _added(self, codes, ways):
        out, leaves = np.zeros((len(codes), ways.values.shape[1])), np.empty(len(codes), dtype=np.intp)
        add_trees(ways, codes, self.gap[()], leaves, np.empty(BLOCK, np.intp), out)
        return out

    def _codes(self, X):
        gap = self.gap
        codes = np.zeros((len(X), len(self.cuts)), dtype=gap.dtype)
        for j, (attribute, cuts) in enumerate(zip(X.schema, self.cuts, strict=True)):
            cells = X.data(attribute.name)
            if isinstance(attribute, Nominal):
                codes[:, j] = np.where(cells < 0, gap, cells)
                continue
            if not len(cuts):  # no tree asks
                continue
            numbers = np.ascontiguousarray(cells, dtype=float)
            missing = np.isnan(numbers) if cells.dtype.kind == "f" else numbers < 0
            codes[:, j] = np.where(missing, gap, codes_of(cuts, numbers))
        return codes


def compact(trees, shares, schema):
    """The trees of a forest for prediction; shares : from the values of leaves to what they say."""
    cuts, last = _cuts(trees, schema)
    most = max(len(a.values) if isinstance(a, Nominal) else len(c) for a, c in zip(schema, cuts, strict=True))
    largest = next(np.iinfo(kind) for kind in (np.uint8, np.uint16, np.uint32) if most < np.iinfo(kind).max)
    gap = np.array(largest.max, largest.dtype)
    roots = np.cumsum([0, *(tree.size for tree in trees)])[:-1]
    n_nodes, n_leaves = roots[-1] + trees[-1].size, sum(tree.n_leaves for tree in trees)
    steps = np.empty(n_nodes, step_type(gap.dtype, len(schema)))
    leaves = _Leaves(n_nodes, n_leaves, shares, trees)
    for root, tree in _joined(trees, roots):
        own = slice(root, root + tree.size)
        fill_steps(steps[own], tree, last[own], gap, root)
        leaves.add(own, tree)
    return Compact(Ways(steps, detours_of(trees, steps), roots, leaves.number, leaves.values), cuts, gap)


def _joined(trees, roots):
    """The trees side by side, about JOINED nodes at a time, with the place of the first one's root."""
    some, n = [], 0
    for k, tree in enumerate(trees):
        some.append(tree)
        n += tree.size
        if n >= JOINED or k == len(trees) - 1:
            root = int(roots[k + 1 - len(some)])
            yield root, trees_together(some, root)
            some, n = [], 0


def trees_together(trees, root=0):
    """The nodes of these trees as if they were one, the first root at this place; routes stay as they are."""
    fields = {f: np.concatenate([getattr(tree, f) for tree in trees]) for f in Tree._fields if f != "first"}
    first = []
    for tree in trees:
        first.append(tree.first.astype(np.int32) + root)  # old NumPy keeps the narrow type of an array
        root += tree.size
    return Tree(**fields, first=np.concatenate(first))


class _Leaves:
    """The numbers of all nodes, 0 for inner ones, and the values of leaves by their numbers.

    Of leaves that are sure of a class, the most by far in trees of full depth, one row serves all.
    """

    def __init__(self, n_nodes, n_leaves, shares, trees):
        self.shares = shares
        self.n = shares(trees[0].value[:1]).shape[1]
        self.number, self._values = np.zeros(n_nodes, np.int32), np.empty((self.n + n_leaves, self.n))
        self._values[: self.n] = np.eye(self.n)

    def add(self, own, tree):
        """The leaves of a tree whose nodes stand there."""
        leaves = np.flatnonzero(tree.attribute == LEAF)
        value = tree.value[leaves]
        unsure = (np.count_nonzero(value, axis=1) > 1) | (self._values.shape[1] == 1)
        said, end = self.shares(value[unsure]), self.n + np.count_nonzero(unsure)
        places = np.where(unsure, self.n - 1 + np.cumsum(unsure), value.argmax(axis=1))
        self.number[own][leaves], self._values[self.n : end], self.n = places, said, end

    @property
    def values(self):
        self._values.resize(
            (self.n, self._values.shape[1]), refcheck=False
        )  # in place: there is no second copy
        return self._values


def _cuts(trees, schema):
    """Every cut of each column, in ascending order, of a nominal one none; and for the nodes of all trees how
    many of them are below its cut.
    """
    attribute, cut = (
        np.concatenate([getattr(tree, name) for tree in trees]) for name in ("attribute", "cut")
    )
    last, order = np.zeros(len(cut), np.int32), np.flatnonzero(~np.isnan(cut))
    order = order[np.lexsort((cut[order], attribute[order]))]
    attribute, cut = attribute[order], cut[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (attribute[1:] != attribute[:-1]) | (cut[1:] != cut[:-1])
    ends = np.searchsorted(attribute[new], np.arange(len(schema) + 1))
    last[order] = np.cumsum(new) - 1 - ends[attribute]
    cut = cut[new]
    return [
        np.zeros(0) if isinstance(a, Nominal) else cut[start:end]
        for a, start, end in zip(schema, ends, ends[1:], strict=False)
    ], last


@cache
def step_type(code, n_columns):
    """The type of a node, if this is the type of codes: where it leads, the column and the cut of its test,
    and its turn.
    """
    column = np.min_scalar_type(n_columns)
    fields = [("first", np.int32), ("attribute", column), ("cut", code), ("turn", np.uint8)]
    return np.dtype(fields, align=True)


def fill_steps(steps, tree, last, gap, root=0):
    """Fill in the nodes of a tree for the way down by codes; a leaf leads to itself.

    last : the largest code on the left of the cut of each ordered test, else 0
    root : where the first of these nodes stands
    """
    leaf = tree.attribute == LEAF
    plain = (tree.route < 0) & (tree.branches == 2) & (tree.missing >= 0)
    turn = plain & (tree.missing == 0)
    steps["first"] = np.where(leaf, np.arange(root, root + tree.size), tree.first)
    steps["attribute"] = np.where(leaf, 0, tree.attribute)
    steps["cut"] = np.where(leaf, gap, last + turn)
    steps["turn"] = np.where(leaf | plain, turn, DETOUR)


def detours_of(trees, steps):
    """The detours of these trees, whose nodes are these."""
    if not (steps["turn"] == DETOUR).any():
        return Detours(*np.zeros((3, 0), np.int32))
    starts = accumulate((len(tree.routes) for tree in trees), initial=0)
    routes = [
        np.where(t.route < 0, -1, t.route.astype(np.int32) + start)
        for t, start in zip(trees, starts, strict=False)
    ]
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
