"""A forest packed for prediction: the nodes of all trees in one array, and rows as codes.

    code of a number     the number of the forest's cuts in its column that are below it: x <= cut k if code
    <= k code of a value      its own
    the missing code     the largest: a missing cell, or an unseen value

A test that sends missing cells left adds 1 to codes and cut: the missing code becomes 0, and needs no test of
its own. A node takes eight bytes if codes are bytes, so a tree stays in the cache while many rows descend.
Tests of nominal columns and tests with a third branch do not fit: what they need is in `OtherTests`.
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

#: The shift of a test that is not ordered, or has not two branches.
OTHER = 2

#: Small trees are packed together, about so many nodes at a time: many small arrays take longer.
NODES_TOGETHER = 2**17

#: So many rows descend together: their codes stay in the cache.
BLOCK = 512


@bundle
class OtherTests(NamedTuple):
    """For tests with a shift of OTHER, by node; empty if there are none.

    route, missing : int32 (n_nodes,), routes : int32, as in `Tree`
    """

    route: np.ndarray
    missing: np.ndarray
    routes: np.ndarray


@bundle
class PackedTrees(NamedTuple):
    """The nodes of all trees, and the values of their leaves.

    nodes : (n_nodes,), see `node_type`; roots : intp (n_trees,)
    value_of : int32 (n_nodes,), the row of `values` with the value of a leaf
    values : float64 (n, n_outputs), the values of leaves; pure leaves of a class share a row
    """

    nodes: np.ndarray
    other: OtherTests
    roots: np.ndarray
    value_of: np.ndarray
    values: np.ndarray


class CompactForest(NamedTuple):
    """A packed forest; cuts : list of float64, the cuts of each column, none for nominal ones.

    missing : the missing code, larger than all others, in the type of codes
    """

    trees: PackedTrees
    cuts: list
    missing: np.ndarray

    @property
    def n_tested(self):
        """The number of numeric columns that are tested somewhere."""
        return sum(len(cuts) > 0 for cuts in self.cuts)

    def outputs(self, X):
        """The mean over the trees of the values of each row's leaves, (n_rows, n_outputs)."""
        return self._added(self._codes(X), self.trees) / len(self.trees.roots)

    def sums(self, X, n):
        """The sums over every n-th tree of the numbers that each row's leaves predict, (n_rows, n)."""
        codes, roots = self._codes(X), self.trees.roots
        every = (self.trees._replace(roots=roots[c::n].copy()) for c in range(n))
        return np.concatenate([self._added(codes, trees) for trees in every], axis=1)

    def _added(self, codes, trees):
        out, leaves = np.zeros((len(codes), trees.values.shape[1])), np.empty(len(codes), dtype=np.intp)
        add_trees(trees, codes, self.missing[()], leaves, np.empty(BLOCK, np.intp), out)
        return out

    def _codes(self, X):
        codes = np.zeros((len(X), len(self.cuts)), dtype=self.missing.dtype)
        for j, (attribute, cuts) in enumerate(zip(X.schema, self.cuts, strict=True)):
            cells = X.data(attribute.name)
            if isinstance(attribute, Nominal):
                codes[:, j] = np.where(cells < 0, self.missing, cells)
                continue
            if not len(cuts):  # no tree tests it
                continue
            numbers = np.ascontiguousarray(cells, dtype=float)
            is_missing = np.isnan(numbers) if cells.dtype.kind == "f" else numbers < 0
            codes[:, j] = np.where(is_missing, self.missing, codes_of(cuts, numbers))
        return codes


def compact(trees, shares, schema):
    """Pack the trees of a forest; shares : from the weights in leaves to the values that they predict."""
    cuts, last = _cuts(trees, schema)
    most = max(len(a.values) if isinstance(a, Nominal) else len(c) for a, c in zip(schema, cuts, strict=True))
    largest = next(np.iinfo(kind) for kind in (np.uint8, np.uint16, np.uint32) if most < np.iinfo(kind).max)
    missing = np.array(largest.max, largest.dtype)
    roots = np.cumsum([0, *(tree.size for tree in trees)])[:-1]
    n_nodes, n_leaves = roots[-1] + trees[-1].size, sum(tree.n_leaves for tree in trees)
    nodes = np.empty(n_nodes, node_type(missing.dtype, len(schema)))
    leaves = _LeafValues(n_nodes, n_leaves, shares, trees)
    for root, tree in _batches(trees, roots):
        own = slice(root, root + tree.size)
        fill_nodes(nodes[own], tree, last[own], missing, root)
        leaves.add(own, tree)
    packed = PackedTrees(nodes, other_tests(trees, nodes), roots, leaves.value_of, leaves.values)
    return CompactForest(packed, cuts, missing)


def _batches(trees, roots):
    """The trees together, about NODES_TOGETHER nodes at a time, with the place of the first one's root."""
    some, n = [], 0
    for k, tree in enumerate(trees):
        some.append(tree)
        n += tree.size
        if n >= NODES_TOGETHER or k == len(trees) - 1:
            root = int(roots[k + 1 - len(some)])
            yield root, trees_as_one(some, root)
            some, n = [], 0


def trees_as_one(trees, root=0):
    """The nodes of these trees as one tree, with the first root at this place; `routes` is not joined."""
    fields = {f: np.concatenate([getattr(tree, f) for tree in trees]) for f in Tree._fields if f != "first"}
    first = []
    for tree in trees:
        first.append(tree.first.astype(np.int32) + root)  # old NumPy keeps the narrow type of an array
        root += tree.size
    return Tree(**fields, first=np.concatenate(first))


class _LeafValues:
    """The values of leaves, and the row of each leaf among them.

    Pure leaves of a class share one row; in trees of full depth most leaves are pure.
    """

    def __init__(self, n_nodes, n_leaves, shares, trees):
        self.shares = shares
        self.n = shares(trees[0].value[:1]).shape[1]
        self.value_of, self._values = np.zeros(n_nodes, np.int32), np.empty((self.n + n_leaves, self.n))
        self._values[: self.n] = np.eye(self.n)

    def add(self, own, tree):
        """Add the leaves of a tree whose nodes are in the slice `own`."""
        leaves = np.flatnonzero(tree.attribute == LEAF)
        value = tree.value[leaves]
        mixed = (np.count_nonzero(value, axis=1) > 1) | (self._values.shape[1] == 1)
        predicted, end = self.shares(value[mixed]), self.n + np.count_nonzero(mixed)
        rows = np.where(mixed, self.n - 1 + np.cumsum(mixed), value.argmax(axis=1))
        self.value_of[own][leaves], self._values[self.n : end], self.n = rows, predicted, end

    @property
    def values(self):
        self._values.resize((self.n, self._values.shape[1]), refcheck=False)  # in place: no copy is made
        return self._values


def _cuts(trees, schema):
    """The cuts of each column in ascending order, none for nominal ones; and for each node of all trees, how
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
def node_type(code, n_columns):
    """The dtype of a node for codes of this type: its first child, the column and the cut of its test, and
    the shift.
    """
    column = np.min_scalar_type(n_columns)
    fields = [("first", np.int32), ("attribute", column), ("cut", code), ("shift", np.uint8)]
    return np.dtype(fields, align=True)


def fill_nodes(nodes, tree, last, missing, root=0):
    """Fill in the packed nodes of a tree; the child of a leaf is the leaf itself.

    last : the largest code on the left of the cut of each ordered test, else 0
    root : the place of the first of these nodes
    """
    leaf = tree.attribute == LEAF
    plain = (tree.route < 0) & (tree.branches == 2) & (tree.missing >= 0)
    shift = plain & (tree.missing == 0)
    nodes["first"] = np.where(leaf, np.arange(root, root + tree.size), tree.first)
    nodes["attribute"] = np.where(leaf, 0, tree.attribute)
    nodes["cut"] = np.where(leaf, missing, last + shift)
    nodes["shift"] = np.where(leaf | plain, shift, OTHER)


def other_tests(trees, nodes):
    """What tests with a shift of OTHER need, for these trees and their packed nodes."""
    if not (nodes["shift"] == OTHER).any():
        return OtherTests(*np.zeros((3, 0), np.int32))
    starts = accumulate((len(tree.routes) for tree in trees), initial=0)
    routes = [
        np.where(t.route < 0, -1, t.route.astype(np.int32) + start)
        for t, start in zip(trees, starts, strict=False)
    ]
    missing, every = ([getattr(tree, name) for tree in trees] for name in ("missing", "routes"))
    return OtherTests(*(np.concatenate(part, dtype=np.int32) for part in (routes, missing, every)))


@inner
def other_branch(other, node, code, missing, cut):
    """The branch of a code at a test with a shift of OTHER."""
    route, branch = other.route[node], np.int64(-1)
    if code != missing:
        branch = np.int64(code > cut) if route < 0 else np.int64(other.routes[route + code])
    return branch if branch >= 0 else np.int64(other.missing[node])


@jit(_nrt=False)
def descend_codes(nodes, other, root, codes, missing, leaves, moving):
    """Fill in the leaf of each row. Rows of a block descend together, level by level: while one waits for
    memory, the others continue.

    moving : intp (BLOCK,), a buffer for the rows of a block that have not reached a leaf
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
                this = nodes[np.uintp(node)]
                code = np.int64(codes[i, np.uintp(this.attribute)])
                branch = np.int64((code + this.shift) & missing > this.cut)
                if this.shift == OTHER:
                    branch = other_branch(other, node, code, missing, this.cut)
                below = this.first + branch
                leaves[i], moving[left] = below, i
                left += np.uintp(below != node)
            n = np.int64(left)


@jit(_nrt=False)
def add_trees(trees, codes, missing, leaves, moving, out):
    """Add to out[i] the values of the leaves of row i in all trees; leaves : intp (n_rows,), a buffer."""
    value_of, values = trees.value_of, trees.values
    for t in range(trees.roots.size):
        descend_codes(trees.nodes, trees.other, trees.roots[t], codes, missing, leaves, moving)
        for i in range(leaves.size):
            row = np.uintp(value_of[np.uintp(leaves[i])])
            for c in range(out.shape[1]):
                out[i, c] += values[row, c]
