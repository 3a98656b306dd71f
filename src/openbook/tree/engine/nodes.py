"""A grown tree: flat arrays, and how rows descend from the root.

Node 0 is the root. The children of a node are stored together, after it: first, first + 1, … At an inner node

    ordered test (numeric, ordinal)    branch 0 where x <= cut, else branch 1
    nominal test                       branch routes[route + code]

Missing cells, values never seen, and values that no training row of the node had (a route of -1) take the
branch `missing`; where that is -1 they go down every branch, in shares of the branches' weights. A third
branch of an ordered test, or one branch more than a multiway test has values, is for missing cells alone.

X : float64 (n_rows, n_columns), numbers, and codes as numbers; NaN where missing or never seen
"""

from typing import NamedTuple

import numpy as np

from openbook.data import Categorical, Nominal, SparseTable
from openbook.kernels.jit import exact, jit

LEAF = -1
SPREAD = -1


class Tree(NamedTuple):
    """The nodes, one array for each attribute; types may be narrower than here (see `narrow`).

    attribute : int32 (n,), the column that is tested, or LEAF
    cut : float64 (n,), the threshold of an ordered test, else NaN
    first : int32 (n,), the first child, 0 at a leaf
    branches : int32 (n,), how many children there are
    missing : int32 (n,), the branch of missing cells, or SPREAD
    route : int32 (n,), where in `routes` the branch of the attribute's first value stands; -1 if none does
    routes : int32 (m,), the branch of each value, -1 for a value without one
    weight : float64 (n,), the weight of the training rows
    value : float64 (n, n_outputs), the weight of each class; or the number to predict, and the error with it
    gain : float64 (n,), what the test gains by the criterion, per unit of weight; 0 at a leaf
    """

    attribute: np.ndarray
    cut: np.ndarray
    first: np.ndarray
    branches: np.ndarray
    missing: np.ndarray
    route: np.ndarray
    routes: np.ndarray
    weight: np.ndarray
    value: np.ndarray
    gain: np.ndarray

    @property
    def size(self):
        """How many nodes there are."""
        return len(self.attribute)

    @property
    def n_leaves(self):
        return int((self.attribute == LEAF).sum())

    @property
    def node_count(self):
        """`size`, under scikit-learn's name, as the following."""
        return self.size

    @property
    def max_depth(self):
        return int(depths(self).max())

    @property
    def n_node_samples(self):
        return self.weight

    @property
    def weighted_n_node_samples(self):
        return self.weight

    @property
    def feature(self):
        """The column that is tested; -2 at a leaf."""
        return np.where(self.attribute == LEAF, -2, self.attribute)

    @property
    def threshold(self):
        """The cut of an ordered test; -2 where there is none."""
        return np.where(np.isnan(self.cut), -2.0, self.cut)

    @property
    def children_left(self):
        """The first branch; -1 at a leaf."""
        return np.where(self.attribute == LEAF, -1, self.first)

    @property
    def children_right(self):
        """The second branch; -1 at a leaf."""
        return np.where(self.attribute == LEAF, -1, self.first + 1)

    def children(self, node):
        """The nodes below a node."""
        return range(self.first[node], self.first[node] + self.branches[node])


def cells(X):
    """A table as a matrix of numbers and codes."""
    if X.matrix is not None or isinstance(X, SparseTable):
        return np.ascontiguousarray(X.block(X.names), dtype=np.float64)
    matrix = np.empty((len(X), len(X.schema)))
    for j, attribute in enumerate(X.schema):
        matrix[:, j] = X.columns[j]
        if isinstance(attribute, Categorical):
            matrix[X.columns[j] < 0, j] = np.nan
    return matrix


#: What a row needs at a node to descend, next to each other in memory.
STEP = np.dtype(
    [
        ("cut", np.float64),
        ("attribute", np.int32),
        ("first", np.int32),
        ("route", np.int32),
        ("missing", np.int32),
    ]
)

#: So many rows descend together: while one waits for memory, the others continue.
ABREAST = 4


def narrow(tree):
    """The tree in the narrowest types that hold its numbers, for ensembles of many trees.

    Each type holds every index of the array that it points into, so that sums of indices do not overflow.
    Weights and values that are counts of rows become whole numbers.
    """
    most = {
        "attribute": tree.attribute.max(initial=0),
        "first": tree.size,
        "branches": tree.branches.max(),
        "missing": tree.branches.max(),
        "route": len(tree.routes),
    }
    types = {name: np.min_scalar_type(-1 - int(n)) for name, n in most.items()}
    fewer = {name: getattr(tree, name).astype(kind) for name, kind in types.items()}
    return tree._replace(**fewer, weight=_counts(tree.weight), value=_counts(tree.value))


def _counts(numbers):
    """The numbers in int32 if all fit, else unchanged."""
    if numbers[0].sum() % 1:  # as the means of most regression trees
        return numbers
    with np.errstate(invalid="ignore"):  # of numbers that are too large
        whole = numbers.astype(np.int32)
    return whole if (whole == numbers).all() else numbers


def steps(tree):
    """The nodes packed for descending."""
    packed = np.empty(tree.size, dtype=STEP)
    for field in STEP.names or ():
        packed[field] = getattr(tree, field)
    return packed


@exact
def branch_of(step, routes, x):
    """The branch that a cell takes, or SPREAD."""
    branch = step.missing
    if np.isnan(x):
        return branch
    if step.route < 0:
        return np.int32(x > step.cut)
    if routes[step.route + np.int64(x)] >= 0:
        branch = routes[step.route + np.int64(x)]
    return branch


@jit(_nrt=False)
def descend(steps, routes, root, X, leaves):
    """Fill in the leaf of each row, or SPREAD if it ends in several."""
    n = X.shape[0]
    for start in range(0, n, ABREAST):
        end = min(start + ABREAST, n)
        for i in range(start, end):
            leaves[i] = root
        under_way = True
        while under_way:
            under_way = False
            for i in range(start, end):
                node = leaves[i]
                if node < 0 or steps[node].attribute < 0:
                    continue
                under_way = True
                branch = branch_of(steps[node], routes, X[i, steps[node].attribute])
                leaves[i] = SPREAD if branch < 0 else steps[node].first + branch


@exact
def walk(tree, steps, X, i, share, nodes, shares):
    """Fill in every node that row i, of weight `share`, reaches, with its share there; gives how many there
    are.

    It starts at nodes[0]. The lists are also the queue of nodes still to be followed.
    """
    shares[0], n = share, 1
    k = 0
    while k < n:
        node = nodes[k]
        if steps[node].attribute >= 0:
            first = steps[node].first
            branch = branch_of(steps[node], tree.routes, X[i, steps[node].attribute])
            if branch >= 0:
                nodes[n], shares[n] = first + branch, shares[k]
                n += 1
            else:
                total = 0.0
                for child in range(first, first + tree.branches[node]):
                    total += tree.weight[child]
                for child in range(first, first + tree.branches[node]):
                    if tree.weight[child] > 0:
                        nodes[n], shares[n] = child, shares[k] * tree.weight[child] / total
                        n += 1
        k += 1
    return n


@jit(_nrt=False)
def add_spread(tree, steps, X, values, out, nodes, shares):
    """Add to out[i] the values of the leaves where row i ends, by their shares."""
    for i in range(X.shape[0]):
        nodes[0] = 0
        for k in range(walk(tree, steps, X, i, 1.0, nodes, shares)):
            if steps[nodes[k]].attribute < 0:
                for c in range(out.shape[1]):
                    out[i, c] += shares[k] * values[nodes[k], c]


def leaves_of(tree, X, leaves):
    """Fill in the leaf of each row, or SPREAD if it ends in several."""
    descend(steps(tree), tree.routes, 0, X, leaves)


def leaf_of(tree, x):
    """The leaf of a row, or SPREAD if it ends in several."""
    leaves = np.empty(1, dtype=np.intp)
    leaves_of(tree, np.asarray(x, dtype=np.float64)[None, :], leaves)
    return int(leaves[0])


def add_values(tree, X, values, out):
    """Add to out[i] the values of row i's leaf, or of its leaves by their shares.

    values : float64 (n_nodes, n_outputs), of which only those of leaves are used
    """
    packed, leaves = steps(tree), np.empty(len(X), dtype=np.intp)
    descend(packed, tree.routes, 0, X, leaves)
    if not (spread := leaves == SPREAD).any():
        out += values[leaves]
        return
    out[~spread] += values[leaves[~spread]]
    nodes, shares = np.empty(tree.size, dtype=np.int64), np.empty(tree.size)
    parted = np.zeros((int(spread.sum()), out.shape[1]))
    add_spread(tree, packed, X[spread], values, parted, nodes, shares)
    out[spread] += parted


@jit
def add_weights_by(tree, steps, X, y, w, totals):
    """`add_along_paths` with the nodes packed."""
    nodes, shares = np.zeros(steps.size, np.int64), np.empty(steps.size)
    for i in range(X.shape[0]):
        nodes[0] = 0
        for k in range(walk(tree, steps, X, i, w[i], nodes, shares)):
            totals[nodes[k], y[i]] += shares[k]


@jit
def add_errors_by(tree, steps, X, y, w, power, totals):
    """`add_errors` with the nodes packed."""
    nodes, shares = np.zeros(steps.size, np.int64), np.empty(steps.size)
    for i in range(X.shape[0]):
        nodes[0] = 0
        for k in range(walk(tree, steps, X, i, w[i], nodes, shares)):
            totals[nodes[k]] += shares[k] * abs(y[i] - tree.value[nodes[k], 0]) ** power


def add_along_paths(tree, X, y, w, totals):
    """Add each row's weight to totals[node, class] of every node on its path."""
    leaves = np.empty(len(X), dtype=np.intp)
    leaves_of(tree, X, leaves)
    if (leaves == SPREAD).any():
        add_weights_by(tree, steps(tree), X, y, w, totals)
        return
    below = np.zeros_like(totals)
    np.add.at(below, (leaves, y), w)
    above = parents(tree).tolist()
    for c, column in enumerate(below.T.tolist()):  # lists: their numbers come one by one
        for node in range(tree.size - 1, 0, -1):  # children come last
            column[above[node]] += column[node]
        totals[:, c] += column


def add_errors(tree, X, y, w, power, totals):
    """Add each row's weighed |error|^power to totals[node] of every node on its path."""
    add_errors_by(tree, steps(tree), X, y, w, power, totals)


def parents(tree):
    """The parent of each node, -1 for the root."""
    above = np.full(tree.size, -1)
    inner = np.flatnonzero(tree.attribute != LEAF)
    above[_children(tree)] = np.repeat(inner, tree.branches[inner])
    return above


def depths(tree):
    """How many tests lie above each node."""
    depth = np.zeros(tree.size, dtype=np.intp)
    for node, above in enumerate(parents(tree).tolist()):
        if above >= 0:  # parents come first
            depth[node] = depth[above] + 1
    return depth


def cut_back(tree, leaves):
    """The tree with these nodes (a mask) turned into leaves and their subtrees removed; and the old number of
    each node that is left.
    """
    kept = np.ones(tree.size, dtype=bool)
    for node in np.flatnonzero(tree.attribute != LEAF).tolist():  # parents come first
        if leaves[node] or not kept[node]:
            kept[tree.children(node)] = False
    place = np.cumsum(kept) - 1
    pruned = Tree(*(getattr(tree, f) if f == "routes" else getattr(tree, f)[kept] for f in Tree._fields))
    ends = leaves[kept] | (pruned.attribute == LEAF)
    pruned = pruned._replace(
        attribute=np.where(ends, LEAF, pruned.attribute).astype(np.int32),
        cut=np.where(ends, np.nan, pruned.cut),
        first=np.where(ends, 0, place[pruned.first]).astype(np.int32),
        branches=np.where(ends, 0, pruned.branches).astype(np.int32),
        missing=np.where(ends, SPREAD, pruned.missing).astype(np.int32),
        route=np.where(ends, -1, pruned.route).astype(np.int32),
        gain=np.where(ends, 0.0, pruned.gain),
    )
    return pruned, np.flatnonzero(kept)


def _children(tree):
    """Every child, in the order of the parents."""
    inner = np.flatnonzero(tree.attribute != LEAF)
    starts, counts = tree.first[inner], tree.branches[inner]
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(starts, counts) + offsets


def check(tree, schema, n_outputs):
    """Raise ValueError unless these arrays are a tree over such columns: every index is looked at."""
    n = len(np.atleast_1d(tree.attribute))
    for field, array in zip(Tree._fields, tree, strict=True):
        shape = {"value": (n, n_outputs), "routes": (array.size,)}.get(field, (n,))
        kinds = {"cut": "f", "gain": "f", "weight": "if", "value": "if"}.get(field, "i")
        _require(array.shape == shape and array.dtype.kind in kinds, f"array {field!r} has the wrong shape")
    _require(n > 0, "it has no nodes")
    leaf = tree.attribute == LEAF
    _require(((tree.attribute >= LEAF) & (tree.attribute < len(schema))).all(), "a node tests no column")
    _require(
        (leaf == (tree.branches == 0)).all() and (tree.branches[~leaf] >= 2).all(), "a node has no branches"
    )
    _require((tree.first[~leaf] > np.flatnonzero(~leaf)).all(), "a node stands before its parent")
    _require(
        tree.branches.sum(dtype=np.int64) == n - 1 and (np.sort(_children(tree)) == np.arange(1, n)).all(),
        "a node has no parent, or two",
    )
    _require(
        ((tree.missing >= SPREAD) & (tree.missing < np.maximum(tree.branches, 0) + leaf)).all(),
        "a way out is lost",
    )
    nominal = np.array([isinstance(a, Nominal) for a in schema] + [False])[tree.attribute]
    n_values = np.array([len(getattr(a, "values", ())) for a in schema] + [0])[tree.attribute]
    _require((np.isfinite(tree.cut) == ~(leaf | nominal)).all(), "a test has no threshold, or one too many")
    _require((tree.branches[~(leaf | nominal)] <= 3).all(), "a threshold has too many branches")
    _require(((tree.route >= 0) == nominal).all(), "a test has no routes, or some too many")
    _require(
        (tree.route[nominal] + n_values[nominal].astype(np.int64) <= len(tree.routes)).all(),
        "routes end early",
    )
    for node in np.flatnonzero(nominal):
        routes = tree.routes[tree.route[node] :][: n_values[node]]
        _require(((routes >= -1) & (routes < tree.branches[node])).all(), "a route leads nowhere")
    sums = [tree.weight, tree.value, tree.gain]
    _require(
        all(np.isfinite(a).all() for a in sums) and (tree.weight >= 0).all(), "its weights are not finite"
    )
    below = np.zeros(n)
    np.add.at(below, parents(tree)[1:], tree.weight[1:])
    _require((below[~leaf] > 0).all(), "no training row lies below a node")


def _require(holds, complaint):
    if not holds:
        raise ValueError(f"not a tree: {complaint}")
