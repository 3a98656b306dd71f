"""Many trees of one table: the leaves of rows, importances, and the trees in the model file.

trees_ : list of `Tree`, in the order in which they were grown
coded : (n_rows, n_columns), the training rows as codes, the largest of their type where a cell is missing
"""

from abc import abstractmethod
from itertools import accumulate

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.ensemble.compact import (
    BLOCK,
    NODES_TOGETHER,
    descend_codes,
    fill_nodes,
    node_type,
    other_tests,
    trees_as_one,
)
from openbook.tree.engine.grower import N_SUMS, no_candidates, ordered_tests, structure_of, tests_at, trees_of
from openbook.tree.engine.nodes import LEAF, SPREAD, Tree, cells, check, leaves_of, narrow
from openbook.tree.learner import Growing, importances


class ManyTrees(Growing):
    """The base of learners of many trees."""

    #: Attributes of the whole ensemble that its trees do not have.
    _of_all_trees: tuple[str, ...]

    trees_: list[Tree]

    @abstractmethod
    def _tree_learner(self):
        """A tree learner of the same kind, not fitted."""

    def _learner_of(self, tree):
        """A fitted tree learner with this tree."""
        given = self.get_params(deep=False)
        if given["missing"] == "value":  # which no single tree knows
            given["missing"] = "majority"
        own = self._tree_learner()
        own.set_params(**{name: given[name] for name in own.get_params() if name in given})
        learnt = {name: value for name, value in vars(self).items() if name.endswith("_")}
        own.__dict__.update({name: learnt[name] for name in learnt.keys() - {"trees_", *self._of_all_trees}})
        nothing = no_candidates(self.schema_, own._n_classes or N_SUMS)  # noqa: SLF001 (a tree of its own)
        own._become(tree, nothing)  # noqa: SLF001
        return own

    def apply(self, X):
        """The leaf of each row in each tree.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows, n_trees)
        """
        return self._each(X, self._leaves)

    def _leaves(self, X):
        matrix, leaves = cells(X), np.empty((len(self.trees_), len(X)), dtype=np.intp)
        for tree, row in zip(self.trees_, leaves, strict=True):
            leaves_of(tree, matrix, row)
        return leaves.T

    @property
    def feature_importances_(self):
        """Each column's share of the gain, the mean over the trees."""
        check_is_fitted(self)
        return np.mean([importances(tree, len(self.schema_)) for tree in self.trees_], axis=0)

    def complexity(self):
        return sum(tree.size for tree in self.trees_)

    def _tree_arrays(self):
        """The trees as the file holds them, one after the other."""
        sizes = {"sizes": np.array([[tree.size, len(tree.routes)] for tree in self.trees_])}
        return sizes | {f: np.concatenate([getattr(tree, f) for tree in self.trees_]) for f in Tree._fields}

    def _restored_trees(self, arrays, others):
        """The trees of a file, every index checked; others : the names of arrays that are not of trees."""
        sizes = arrays["sizes"]
        if arrays.keys() != {"sizes", *others, *Tree._fields}:
            raise ValueError("it has an unexpected array")
        if (
            sizes.ndim != 2
            or sizes.shape[1:] != (2,)
            or sizes.dtype.kind != "i"
            or not len(sizes)
            or (sizes < 0).any()
        ):
            raise ValueError("its trees have no sizes")
        ends = np.cumsum(sizes, axis=0, dtype=np.int64)
        for field in Tree._fields:
            if len(np.atleast_1d(arrays[field])) != ends[-1, int(field == "routes")]:
                raise ValueError(f"array {field!r} has the wrong shape")
        parts = {f: np.split(arrays[f], ends[:-1, int(f == "routes")]) for f in Tree._fields}
        trees = [Tree(*(parts[f][k] for f in Tree._fields)) for k in range(len(sizes))]
        for tree in trees:
            check(tree, self.schema_, self._n_outputs)
            if ((tree.missing == SPREAD) & (tree.attribute != LEAF)).any():
                raise ValueError("not a tree of a forest: a missing cell has no branch")
        return trees


def cells_of_training(training):
    """The cells that training rows descend by: numbers; or codes, the largest if missing."""
    if training.numbers is not None:
        return training.numbers.T
    codes, columns = training.codes, training.columns
    n_values = columns["n_codes"] - columns["has_gap_code"]
    if (codes.max(axis=0) < n_values).all():
        return codes
    return np.where(codes < n_values, codes, np.iinfo(codes.dtype).max)


def leaves_by_code(trees, scales, coded, rows):
    """The leaf of training rows in each tree, by codes.

    scales : of the training rows; rows : one array of rows for each tree, or None for all rows
    """
    every = trees_as_one(trees)
    at, last = ordered_tests(every.attribute, every.route), np.zeros(every.size, np.intp)
    last[at] = scales.last_codes(every.attribute[at], every.cut[at])
    return _leaves(trees, every, last, coded, rows)


def _leaves_of_grown(grown, scales, coded):
    """The leaf of every training row in a grown tree, before it is made a `Tree`."""
    tree = structure_of(grown)
    at, last = ordered_tests(tree.attribute, tree.route), np.zeros(tree.size, np.intp)
    last[at] = scales.last_between(*tests_at(grown.nodes, at))
    return _leaves([tree], tree, last, coded, [None])[0]


def _leaves(trees, every, last, coded, rows):
    """`leaves_by_code`; every : the trees as one; last : the largest code left of each ordered test."""
    missing = np.array(np.iinfo(coded.dtype).max, coded.dtype)
    roots = [*accumulate((tree.size for tree in trees), initial=0)]
    nodes, moving = np.empty(roots[-1], node_type(missing.dtype, coded.shape[1])), np.empty(BLOCK, np.intp)
    fill_nodes(nodes, every, last, missing)
    other, found = other_tests(trees, nodes), []
    for root, own in zip(roots, rows, strict=False):
        some = coded if own is None else coded.take(own, axis=0)
        leaves = np.empty(len(some), dtype=np.intp)
        descend_codes(nodes, other, root, some, missing[()], leaves, moving)
        found.append(leaves - root)
    return found


class TreesOfRounds:
    """The trees of all rounds. Many small trees are made at once, unless they are pruned: then each round
    needs the pruned tree of the round before.
    """

    def __init__(self, training, criterion, trim):
        self._scales, self._coded = training.scales, cells_of_training(training)
        self._criterion, self._trim = criterion, trim
        self._done, self._grown, self._values = [], [], []

    def add(self, grown, grower):
        """Add a tree; gives the leaf of every training row, and the number of nodes.

        grower : the `TreeGrower` that grew it from all rows; None if it grew from some of them
        """
        if self._trim is None:
            self._grown.append(grown)
            if grower is not None:
                return grower.leaves(grown, len(self._coded)), len(grown.nodes)
            return _leaves_of_grown(grown, self._scales, self._coded), len(grown.nodes)
        tree = self._trim(*trees_of([grown], self._scales, 0, self._criterion))
        self._grown.append(tree)
        return leaves_by_code([tree], self._scales, self._coded, [None])[0], tree.size

    def set_values(self, value):
        """Set the values of the nodes of the last tree."""
        self._values.append(value)
        if len(value) * len(self._values) > NODES_TOGETHER:
            self.finished()

    def finished(self):
        """All trees, each a narrow `Tree`."""
        trees, values = self._grown, self._values
        if self._trim is None and trees:
            trees = trees_of(trees, self._scales, 0, self._criterion)
        for tree, value in zip(trees, values, strict=True):
            tree.value[:, 0] = value
            self._done.append(narrow(tree))
        self._grown, self._values = [], []
        return self._done
