r"""Oblivious trees: every node of a level has the same test (Kohavi, 1994).

The test of a level is the one whose gains in the level's nodes t add up to most, W being all rows:

    gain = sum_t (cost(t) - sum_b cost(t_b)) / W                (see `criteria`)

A cut is searched in one pass over a sorted column: as a row moves to the left of the cut, its node's cost
changes, and so does the sum. Nodes whose rows agree, and nodes without rows, stay leaves, since a test would
change nothing.

Missing cells gain nothing, and go down the branch that is heaviest over the whole level.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rows import Chunk, infinite_cell
from openbook.border.rules import Maybe, Number, OneOf, Whole
from openbook.data import Nominal
from openbook.tree.classifier import TreeClassifier
from openbook.tree.engine.nodes import LEAF, SPREAD, Tree, cells, check, depths
from openbook.tree.engine.scales import midpoint
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

#: Gains that differ by less, as a share of the root's cost, are equal.
ROUNDING = 1e-10
#: So many columns and nodes of a level are shown.
LISTED, NODES_SHOWN = 40, 8


class Levels(NamedTuple):
    """What was found at each level, for the work.

    attribute : int64 (n_levels,), the column that is tested
    gain, cut : float64 (n_levels, n_columns), of each column's best test; NaN if there is none, or no cut
    """

    attribute: np.ndarray
    gain: np.ndarray
    cut: np.ndarray


class ObliviousTreeClassifier(Declared, TreeClassifier):
    r"""An oblivious decision tree: one and the same test for all nodes of a level (Kohavi, 1994).

    So d tests decide all: a table of their answers is the whole model, quick to look up and hard to overfit.

    .. math:: \text{gain} = \sum_t \frac{W_t}{W} \text{gain}_t

    Numbers and ordinal values are cut in two, nominal columns have a branch for every value. Growth ends
    where no test gains more than `min_gain`.

    Parameters
    ----------
    criterion : {"entropy", "gini"}, default="entropy"
        The measure of impurity whose decrease, the gain, a test is judged by.
    max_depth : int or None, default=None
        The most tests; None for no limit.
    min_gain : float, default=0.0
        The gain that the test of a level must exceed, over all rows.

    Attributes
    ----------
    tree_ : Tree
    levels_ : Levels
        The test of each level, and the gain and cut of every candidate.
    classes_ : ndarray of shape (n_classes,)
    feature_importances_ : ndarray of shape (n_columns,)

    Notes
    -----
    Guide: docs/guide/trees.md

    References
    ----------
    Kohavi (1994), Bottom-up induction of oblivious, read-once decision graphs. Kohavi and Li (1995),
    Oblivious decision trees, graphs, and top-down pruning.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> model = ObliviousTreeClassifier(max_depth=2).fit(X, y)
    >>> [model.schema_.names[j] for j in model.levels_.attribute]
    ['outlook', 'humidity']
    """

    _grows_again = False

    criterion: Annotated[str, OneOf("entropy", "gini")] = "entropy"
    max_depth: Annotated[int | None, Maybe(Whole(at_least=1))] = None
    min_gain: Annotated[float, Number(at_least=0)] = 0.0

    def knobs(self):
        return {"max_depth": (2, 4, 6, None)}

    def _fit(self, rows):
        chunks = [piece if isinstance(piece, Chunk) else piece.load() for piece in rows.pieces]
        X = np.concatenate([cells(chunk.X) for chunk in chunks])
        if np.isinf(X).any():
            raise infinite_cell(rows)
        y, w = (np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in ("y", "w"))
        growth = LevelGrowth(X, np.eye(self._n_classes)[y] * w[:, None], rows.schema, self.criterion)
        found: list[tuple[int, np.ndarray, np.ndarray]] = []
        while self.max_depth is None or len(found) < self.max_depth:
            tests = [growth.best_test(j) for j in range(X.shape[1])]
            gains = np.array([test.gain for test in tests])
            top = np.nanmax(gains, initial=-np.inf)
            if not top > max(self.min_gain, growth.rounding):
                break
            winner = int(np.flatnonzero(gains >= top - growth.rounding)[0])
            found.append((winner, gains, np.array([test.cut for test in tests])))
            growth.split(winner, tests[winner].cut)
        self.tree_ = growth.tree()
        attribute, gain, cut = zip(*found, strict=True) if found else ((), (), ())
        shape = (len(found), X.shape[1])
        self.levels_ = Levels(
            np.array(attribute, dtype=np.int64), np.reshape(gain, shape), np.reshape(cut, shape)
        )

    def _work(self):
        return derive_levels(self)

    def _arrays(self):
        parts: dict[str, Any] = {"tree": self.tree_, "levels": self.levels_}
        return {f"{part}.{name}": a for part, record in parts.items() for name, a in record._asdict().items()}

    def _restore(self, arrays):
        tree = Tree(**{name: arrays[f"tree.{name}"] for name in Tree._fields})
        levels = Levels(**{name: arrays[f"levels.{name}"] for name in Levels._fields})
        check(tree, self.schema_, self._n_outputs)
        check_levels(levels, tree)
        self.tree_, self.levels_ = tree, levels


class Best(NamedTuple):
    """The best test of a column over a level: its gain, NaN if there is none, and its cut."""

    gain: float
    cut: float


NO_TEST = Best(np.nan, np.nan)


class LevelGrowth:
    """The tree as far as it has grown, and where each row is.

    X : float64 (n, n_columns), cells
    counts : float64 (n, n_classes), each row's weight, in the column of its class
    place : intp (n,), the open node of each row, numbered from 0 within the level; -1 where a node is closed
    """

    def __init__(self, X, counts, schema, criterion):
        self.X, self.counts, self.criterion = X, counts, criterion
        self.n_values = [len(a.values) if isinstance(a, Nominal) else 0 for a in schema]
        self.order = [None if v else np.argsort(X[:, j], kind="stable") for j, v in enumerate(self.n_values)]
        self.place = np.zeros(len(X), dtype=np.intp)
        self.weight = counts.sum()
        self.nodes = [new_nodes(counts.sum(axis=0)[None])]
        self.open = np.array([0])
        self.routes: list = []
        self.rounding = ROUNDING * self.costs(counts.sum(axis=0)) / self.weight
        if np.count_nonzero(counts.sum(axis=0)) < 2:
            self.place[:] = -1

    def costs(self, counts):
        """The cost of rows with these class weights, (…, n_classes)."""
        weight = counts.sum(axis=-1)
        if self.criterion == "gini":
            return weight - (counts**2).sum(axis=-1) / np.where(weight > 0, weight, 1.0)
        return x_log_x(weight) - x_log_x(counts).sum(axis=-1)

    def best_test(self, j):
        """The best test of column j over the level."""
        return self.best_values(j) if self.n_values[j] else self.best_cut(j)

    def best_values(self, j):
        """A branch for every value."""
        rows = np.flatnonzero((self.place >= 0) & ~np.isnan(self.X[:, j]))
        if not len(rows):
            return NO_TEST
        known = summed(self.counts[rows], self.place[rows])
        branch = self.place[rows] * self.n_values[j] + self.X[rows, j].astype(np.intp)
        below = summed(self.counts[rows], np.unique(branch, return_inverse=True)[1])
        drop = self.costs(known).sum() - self.costs(below).sum()
        return Best(float(drop / self.weight), np.nan)

    def best_cut(self, j):
        """The best cut: rows move from the right to the left, one after the other."""
        rows = self.order[j]
        rows = rows[(self.place[rows] >= 0) & ~np.isnan(self.X[rows, j])]
        x = self.X[rows, j]
        ends = np.flatnonzero(x[1:] > x[:-1])  # the last row on the left
        if not len(ends):
            return NO_TEST
        by_node = np.argsort(self.place[rows], kind="stable")
        node = self.place[rows][by_node]
        starts = np.flatnonzero(np.r_[True, node[1:] > node[:-1]])
        nth = np.cumsum(np.r_[False, node[1:] > node[:-1]])
        counts = self.counts[rows][by_node]
        moved = np.cumsum(counts, axis=0)
        total = np.add.reduceat(counts, starts)
        left = moved - (moved[starts] - counts[starts])[nth]
        after = self.costs(left) + self.costs(np.maximum(total[nth] - left, 0.0))
        before = np.r_[0.0, after[:-1]]
        before[starts] = self.costs(total)
        drops = np.empty(len(rows))
        drops[by_node] = before - after
        gains = np.cumsum(drops)[ends] / self.weight
        best = ends[np.flatnonzero(gains >= gains.max() - self.rounding)[0]]
        return Best(float(np.cumsum(drops)[best] / self.weight), float(midpoint(x[best], x[best + 1])))

    def split(self, j, cut):
        """Ask all open nodes about column j."""
        branches = self.n_values[j] or 2
        x = self.X[:, j]
        branch = np.where(np.isnan(x), -1.0, x if self.n_values[j] else x > cut).astype(np.intp)
        here = self.place >= 0
        known = here & (branch >= 0)
        heaviest = int(np.bincount(branch[known], self.counts[known].sum(axis=1), branches).argmax())
        gain = self.gains(branch, known, branches)
        branch[branch < 0] = heaviest
        n_open, n_nodes = len(self.open), sum(len(part["weight"]) for part in self.nodes)
        level = self.nodes[-1]
        level["attribute"][self.open], level["cut"][self.open] = j, cut
        level["first"][self.open] = n_nodes + branches * np.arange(n_open)
        level["branches"][self.open], level["missing"][self.open] = branches, heaviest
        level["gain"][self.open] = gain
        if self.n_values[j]:
            level["route"][self.open] = sum(map(len, self.routes))
            self.routes.append(np.arange(branches))
        child = self.place * branches + branch
        values = summed(self.counts[here], child[here], n_open * branches)
        nodes = new_nodes(values)
        empty = nodes["weight"] == 0
        nodes["value"][empty] = np.repeat(level["value"][self.open], branches, axis=0)[empty]
        self.nodes.append(nodes)
        self.open = np.flatnonzero((values > 0).sum(axis=1) > 1)
        renumbered = np.full(len(values), -1)
        renumbered[self.open] = np.arange(len(self.open))
        self.place = np.where(here, renumbered[np.where(here, child, 0)], -1)

    def gains(self, branch, known, branches):
        """What the test gains in each open node, per unit of its weight."""
        place, counts = self.place[known], self.counts[known]
        before = self.costs(summed(counts, place, len(self.open)))
        below = self.costs(summed(counts, place * branches + branch[known], len(self.open) * branches))
        drop = before - below.reshape(-1, branches).sum(axis=1)
        return np.maximum(drop, 0.0) / self.nodes[-1]["weight"][self.open]

    def tree(self):
        """The tree as it stands."""
        fields = {name: np.concatenate([part[name] for part in self.nodes]) for name in self.nodes[0]}
        routes = np.concatenate([np.zeros(0), *self.routes]).astype(np.int32)
        return Tree(**fields, routes=routes)


def new_nodes(values):
    """Leaves with these class weights."""
    n = len(values)
    whole = {"attribute": LEAF, "first": 0, "branches": 0, "missing": SPREAD, "route": -1}
    return {name: np.full(n, start, np.int32) for name, start in whole.items()} | {
        "cut": np.full(n, np.nan),
        "weight": values.sum(axis=1),
        "value": values.copy(),
        "gain": np.zeros(n),
    }


def summed(counts, group, n_groups=None):
    """The sum of the rows of counts in each group, (n_groups, n_classes)."""
    n_groups = int(group.max()) + 1 if n_groups is None else n_groups
    return np.stack([np.bincount(group, column, n_groups) for column in counts.T], axis=1)


def x_log_x(x):
    """The product x log2 x, and 0 for 0."""
    return x * np.log2(np.where(x > 0, x, 1.0))


def derive_levels(model) -> Work:
    """How the test of each level was chosen."""
    tree, levels = model.tree_, model.levels_
    depth, names = depths(tree), model.schema_.names
    parts = []
    for d, winner in enumerate(levels.attribute.tolist()):
        order = np.argsort(-np.nan_to_num(levels.gain[d], nan=-1.0), kind="stable")
        rows = [
            (
                names[j],
                None if np.isnan(levels.cut[d, j]) else float(levels.cut[d, j]),
                None if np.isnan(levels.gain[d, j]) else float(levels.gain[d, j]),
                "wins" if j == winner else "",
            )
            for j in np.sort(order[:LISTED]).tolist()
        ]
        note = f"{len(names) - LISTED} of the {len(names)} columns are not shown" * (len(names) > LISTED)
        nodes = np.flatnonzero((depth == d) & (tree.attribute != LEAF))
        terms = [
            rf"\frac{{{figure(float(tree.weight[t]))}}}{{{figure(float(tree.weight[0]))}}}"
            rf" \cdot {figure(float(tree.gain[t]))}"
            for t in nodes[:NODES_SHOWN]
        ] + [r"\dots"] * (len(nodes) > NODES_SHOWN)
        gain = float(levels.gain[d, winner])
        step = Step(f"gain({names[winner]})", r"\sum_t \frac{W_t}{W} \text{gain}_t", " + ".join(terms), gain)
        grid = Grid("candidates", ("attribute", "cut", "gain", "so"), rows, note)
        asked = f"{len(nodes)} nodes" if len(nodes) > 1 else "1 node"
        parts.append(Work(f"level {d + 1}: {asked}", (grid, step), f"{names[winner]} wins."))
    title = f"{type(model).__name__} for {model.target_}: how it was grown"
    return Work(title, tuple(parts), f"Levels: {len(levels.attribute)}; leaves: {tree.n_leaves}.")


def check_levels(levels, tree):
    """Raise ValueError unless these can be the levels of the tree: one test for all nodes of each."""
    depth, n = depths(tree), len(np.atleast_1d(levels.attribute))
    sound = levels.attribute.shape == (n,) and levels.attribute.dtype.kind == "i"
    sound &= levels.gain.shape == levels.cut.shape and levels.gain.ndim == 2 and len(levels.gain) == n
    sound &= levels.gain.dtype == levels.cut.dtype == float
    inner = tree.attribute != LEAF
    if not (
        sound
        and n == (depth[inner].max(initial=-1) + 1)
        and (levels.attribute[depth[inner]] == tree.attribute[inner]).all()
    ):
        raise ValueError("its levels are none")
