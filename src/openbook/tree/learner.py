"""The base of all tree learners: settings, growth, pruning, prediction, the model file.

The textbook's trees are this engine with settings fixed as class attributes; in the two general learners they
are all parameters.
"""

import math
from abc import abstractmethod
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import chdtri
from sklearn.base import clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Learner
from openbook.border.not_taken import Declared
from openbook.border.rows import Rows
from openbook.border.rules import Anything, Maybe, Number, OneOf, Whole
from openbook.errors import ParameterError
from openbook.tree.derive.model import derive_model
from openbook.tree.derive.rows import derive_row
from openbook.tree.derive.splits import free_values, min_leaf_weight, min_split_weight
from openbook.tree.engine import criteria
from openbook.tree.engine.columns import TrainingData, encode, encode_for_draws
from openbook.tree.engine.grower import N_SUMS, Candidates, grow_tree, n_slots
from openbook.tree.engine.nodes import LEAF, Tree, add_values, cells, check, depths, leaves_of, parents
from openbook.tree.engine.prune import (
    HELD_OUT,
    PRUNING_RULES,
    cost_complexity_path,
    impurity_costs,
    keep_best_first,
    prune_best_first,
    prune_confidence,
    prune_cost_complexity,
    prune_pessimistic,
    prune_reduced_error,
    trimmed,
)
from openbook.tree.engine.search import FRACTIONAL, MAJORITY, OWN_BRANCH, GrowthRule
from openbook.tree.show.drawing import draw
from openbook.tree.show.ruleset import rules

CRITERIA = {
    "gini": criteria.GINI,
    "entropy": criteria.ENTROPY,
    "gain_ratio": criteria.GAIN_RATIO,
    "squared_error": criteria.SQUARED,
    "absolute_error": criteria.ABSOLUTE,
}
MISSING = {"fractional": FRACTIONAL, "majority": MAJORITY, "branch": OWN_BRANCH}
#: Those of ensembles: with "value", nominal columns have a code for missing cells, and others none.
ENSEMBLE_MISSING = {"value": MAJORITY, "majority": MAJORITY, "branch": OWN_BRANCH}


class HowMany(Anything):
    """How many of some things: all (None), a number, a share, or a rule."""

    WORDS = {"sqrt": math.sqrt, "log2": math.log2, "log2+1": lambda n: math.log2(n) + 1}

    def __init__(self):
        super().__init__("None, a whole number, a share up to 1.0, or one of 'sqrt', 'log2', 'log2+1'")

    def allows(self, value):
        if value is None or (isinstance(value, str) and value in self.WORDS):
            return True
        return Whole(at_least=1).allows(value) or (Number(above=0, at_most=1).allows(value))


def how_many(value, n):
    """That many of n: at least one, at most all."""
    if value is None:
        return n
    if isinstance(value, str):
        return max(1, min(n, int(HowMany.WORDS[value](n))))
    return max(1, min(n, int(value) if Whole().allows(value) else int(value * n)))


class RowsOrShare(Number):
    """So many rows at least, or a share of all."""

    def demand(self):
        return f"{super().demand()}, or a share of all rows below 1"

    def allows(self, value):
        return super().allows(value) or (Number(above=0, at_most=1).allows(value) and value < 1)


class Pruning(NamedTuple):
    """What was decided at each test when the tree was pruned, in that order, for the work.

    rule : int64 (n,), the position of its name in PRUNING_RULES
    attribute, leaves : int64 (n,), the test's column, and the leaves of the subtree as it was left
    weight, before, after : float64 (n,), its rows' weight; the cost of the subtree, and of a leaf instead
    pruned : bool (n,), whether it became a leaf
    """

    rule: np.ndarray
    attribute: np.ndarray
    leaves: np.ndarray
    weight: np.ndarray
    before: np.ndarray
    after: np.ndarray
    pruned: np.ndarray

    @classmethod
    def of(cls, grown, decisions):
        nodes = np.array([d.node for d in decisions], dtype=np.int64)
        return cls(
            np.array([PRUNING_RULES.index(d.rule) for d in decisions], dtype=np.int64),
            grown.attribute[nodes].astype(np.int64),
            np.array([d.leaves for d in decisions], dtype=np.int64),
            grown.weight[nodes].astype(float),
            np.array([d.before for d in decisions], dtype=float),
            np.array([d.after for d in decisions], dtype=float),
            np.array([d.pruned for d in decisions], dtype=bool),
        )


class TreeRows(NamedTuple):
    """Rows for many trees of one learner; see `TreeLearner._encoded`.

    rows : Rows; training : TrainingData; cells : float64 (n_rows, n_columns), see `nodes`
    learnt : what the learner knows of the rows before it grows, by the attribute's name
    """

    rows: Rows
    training: TrainingData
    cells: np.ndarray
    learnt: dict

    def grow(self, member, w):
        """Make a copy of the learner what `fit` makes of it with these weights, which are all above zero, but
        that bins stay where they are; gives the code of the class that it decides for, row by row.
        """
        member._regrow(self, w)  # noqa: SLF001 (a tree of its own)
        return member._decided(self.cells)  # noqa: SLF001


class Growing(Learner):
    """A learner that grows trees: the settings of growth."""

    _counts_rows = True
    criterion: str
    nominal: Annotated[str, OneOf("multiway", "subset")] = "multiway"
    missing: Annotated[str, OneOf(*MISSING)] = "fractional"
    rare_values: Annotated[str, OneOf("pool", "keep")] = "pool"
    max_depth: Annotated[int | None, Maybe(Whole(at_least=1))] = None
    min_samples_split: Annotated[float, RowsOrShare(at_least=2)] = 2
    min_samples_leaf: Annotated[float, RowsOrShare(at_least=1)] = 1
    min_weight_fraction_leaf: Annotated[float, Number(at_least=0, at_most=0.5)] = 0.0
    max_leaf_nodes: Annotated[int | None, Maybe(Whole(at_least=2))] = None
    min_gain: Annotated[float, Number(at_least=0)] = 0.0
    min_impurity_decrease: Annotated[float, Number(at_least=0)] = 0.0
    ccp_alpha: Annotated[float, Number(at_least=0)] = 0.0
    significance: float | None = None
    max_features: Annotated[Any, HowMany()] = None
    pre_prune: str | None = None
    penalty: Annotated[float, Number(at_least=0)] = 0.5
    bins: Annotated[int | None, Maybe(Whole(at_least=2))] = None
    random_state: Any = None

    @property
    def _pools(self):
        return self.rare_values == "pool"

    @property
    def _n_classes(self):
        """How many classes there are; 0 for a regression."""
        return len(getattr(self, "classes_", ()))

    @property
    def _n_outputs(self):
        return self._n_classes or 2

    @property
    def max_features_(self):
        """How many columns each node looks at."""
        check_is_fitted(self)
        return how_many(self.max_features, len(self.schema_))

    def _weighed(self, training):
        """The rows with the weights that their classes are given."""
        return training

    def _rule(self, training, weight):
        """The settings as the engine takes them, for trees of this weight."""
        deepest, leaves = (2**31 if n is None else int(n) for n in (self.max_depth, self.max_leaf_nodes))
        critical = None
        if self.significance is not None:
            freedom = training.sizes.most * self._n_classes
            critical = np.r_[0.0, chdtri(np.arange(1, freedom + 1), self.significance)]
        return GrowthRule(
            criterion=CRITERIA[self.criterion],
            subset=self.nominal == "subset",
            free_values=free_values(self),
            missing=(MISSING | ENSEMBLE_MISSING)[self.missing],
            max_depth=min(deepest, leaves - 1),
            min_split_weight=min_split_weight(self, weight),
            min_leaf_weight=min_leaf_weight(self, weight),
            min_gain=float(self.min_gain),
            min_drop=float(self.min_impurity_decrease * weight),
            max_features=how_many(self.max_features, len(training.columns)),
            penalty=float(self.penalty) if self.pre_prune == "pessimistic" else None,
            critical=critical,
        )

    @property
    def _trim(self):
        """What becomes of a grown tree, as a function that workers can be sent; None if it stays as it is."""
        if self.max_leaf_nodes is None and not self.ccp_alpha:
            return None
        limits = {"max_leaf_nodes": self.max_leaf_nodes, "ccp_alpha": self.ccp_alpha}
        return partial(trimmed, **limits, criterion=self.criterion)


class DecisionTreeParameters(Declared):
    """The parameters of a decision tree for classes as for numbers."""

    criterion: str
    nominal: str = "multiway"
    missing: str = "fractional"
    rare_values: str = "pool"
    splitter: str = "best"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_gain: float = 0.0
    max_features: float | str | None = None
    prune: str | None = None
    ccp_alpha: float = 0.0
    validation_fraction: float = 0.25
    bins: int | None = None
    random_state: Any = None


#: What to try where a tree leaves it to the user.
KNOBS = {"max_depth": (3, 6, 12, None), "min_samples_leaf": (1, 5, 20)}


class TreeLearner(Growing):
    """A tree, and how it is grown and pruned."""

    #: Whether it grows from encoded rows what `fit` grows.
    _grows_again = True
    #: Whether `fit` grows one tree alone.
    _grows_once = True

    splitter: Annotated[str, OneOf("best", "random")] = "best"
    prune: str | None = None
    confidence: Annotated[float, Number(above=0, at_most=0.5)] = 0.25
    validation_fraction: Annotated[float, Number(above=0, at_most=0.9)] = 0.25

    tree_: Tree
    candidates_: Candidates
    pruning_: Pruning

    def knobs(self):
        own = self._get_param_names()
        return {name: values for name, values in KNOBS.items() if name in own}

    def _fit(self, rows):
        self._grow(rows, self._as_training(rows), keep=not self._grows_once)

    def _as_training(self, rows):
        """The rows as trees grow from them."""
        if self.splitter == "best":
            return encode(rows, self.bins)
        if self.criterion == "absolute_error":
            raise ParameterError(f"{type(self).__name__}: splitter='random' is for criterion='squared_error'")
        return encode_for_draws(rows)

    def _encoded(self, X, y, w=None):
        """Rows for many copies of this learner, encoded once; they are all that it learns of them.

        X : Table, y : Column; w : float64 (n,), all above zero, the weights that bins are placed by, or None
        """
        rows = self._training_rows(X, y, w)
        return TreeRows(rows, self._as_training(rows), cells(rows.whole), self._learnt())

    def _learnt(self):
        """What it knows of its rows before it grows, by the attribute's name."""
        return {name: value for name, value in vars(self).items() if name.endswith("_")}

    def _regrow(self, encoded, w):
        """Become the tree that `fit` grows of encoded rows with these weights."""
        self.__dict__.update(encoded.learnt)
        self._grow(encoded.rows, encoded.training._replace(w=w))

    def _grow(self, rows, training, keep=True):
        training = self._weighed(training)
        grown_on, held_out, seed = None, None, 1
        prune = self._pruning
        if prune in HELD_OUT or self.max_features is not None or self.splitter == "random":
            random = check_random_state(self.random_state)
            if prune in HELD_OUT:
                grown_on, held_out = self._parted(training.y, random)
            seed += int(random.randint(2**31 - 1))
        weight = float(training.w.sum() if grown_on is None else training.w[grown_on].sum())
        rule = self._rule(training, weight)
        tree, candidates = grow_tree(training, rule, self._n_classes, grown_on, seed, keep=keep)
        self._become(tree, candidates)
        if self.max_leaf_nodes is not None:
            self._cut_back(tree, keep_best_first(tree, self.max_leaf_nodes))
        if prune is not None:
            self._cut_back(self.tree_, self._pruned(self.tree_, rows, training, held_out))

    @property
    def _pruning(self):
        """How the tree is pruned: a price of leaves asks for it, as in scikit-learn."""
        return "cost_complexity" if self.prune is None and self.ccp_alpha else self.prune

    def _become(self, tree, candidates):
        """Become this tree, which is not pruned."""
        self.tree_, self.candidates_, self.pruning_ = tree, candidates, Pruning.of(tree, ())

    def _parted(self, y, random):
        """The rows to grow on, and those that are held out to prune by: of every class its share."""
        order = random.permutation(len(y))
        if self._n_classes:
            order = order[np.argsort(y[order], kind="stable")]
        every = np.arange(len(y))
        held_out = np.floor((every + 1) * self.validation_fraction) > np.floor(
            every * self.validation_fraction
        )
        return np.sort(order[~held_out]), np.sort(order[held_out])

    def _pruned(self, tree, rows, training, held_out):
        prune = self._pruning
        if prune == "pessimistic":
            return prune_pessimistic(tree, self.penalty)
        if prune == "confidence":
            return prune_confidence(tree, self.confidence)
        if prune == "cost_complexity":
            return prune_cost_complexity(tree, self._costs(tree), self.ccp_alpha)
        X = np.concatenate([cells(table) for table in rows.tables()])[held_out]
        totals = self._held_out(tree, X, training.y[held_out], training.w[held_out])
        cut = prune_best_first if prune == "best_first" else prune_reduced_error
        return cut(tree, totals)

    def _costs(self, tree):
        """What each node costs as a leaf."""
        return impurity_costs(tree, self.criterion)

    def _cut_back(self, grown, pruned):
        """Take the pruned tree, and what is known of the nodes that are left."""
        self.tree_, self.pruning_ = pruned.tree, Pruning.of(grown, pruned.decisions)
        place = np.full(grown.size, -1)
        place[pruned.kept] = np.arange(pruned.tree.size)
        left = place[self.candidates_.node] >= 0
        self.candidates_ = Candidates(*(array[left] for array in self.candidates_))
        self.candidates_ = self.candidates_._replace(node=place[self.candidates_.node])

    @abstractmethod
    def _leaf_values(self):
        """What each node says, if it is a leaf, (n_nodes, n_outputs)."""

    def _outputs(self, X):
        return self._outputs_at(cells(X))

    def _outputs_at(self, matrix):
        values = self._leaf_values()
        out = np.zeros((len(matrix), values.shape[1]))
        add_values(self.tree_, matrix, values, out)
        return out

    def apply(self, X):
        """The leaf of each row.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,)
            The number of the leaf among the nodes of `tree_`; -1 where a missing cell sends the row to
            several.
        """
        return self._each(X, self._leaves)

    def _leaves(self, X):
        leaves = np.empty(len(X), dtype=np.intp)
        leaves_of(self.tree_, cells(X), leaves)
        return leaves

    def decision_path(self, X):
        """The nodes that each row passes, from the root to its leaf.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 if a row passes a node; none where a missing cell sends it to several leaves.
        """
        node, above, passed = self.apply(X), parents(self.tree_), [np.empty((2, 0), dtype=np.intp)]
        row, shape = np.arange(len(node)), (len(node), self.tree_.size)
        while (below := node >= 0).any():  # from the leaves up
            row, node = row[below], node[below]
            passed.append(np.stack([row, node]))
            node = above[node]
        rows, nodes = np.hstack(passed)
        return csr_matrix((np.ones(len(rows), dtype=np.intp), (rows, nodes)), shape=shape)

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        """The values of `ccp_alpha` at which pruning cuts the tree of these rows back, and what it costs.

        Parameters
        ----------
        X : table-like or Scan
        y : array-like or str
        sample_weight : array-like or None, default=None

        Returns
        -------
        Bunch
            `ccp_alphas`, rising from 0, and `impurities`, the impurity of the leaves at each.
        """
        whole = clone(self)
        whole.prune, whole.ccp_alpha = None, 0.0
        whole.fit(X, y, sample_weight=sample_weight)
        path = cost_complexity_path(whole.tree_, impurity_costs(whole.tree_, whole.criterion))
        return Bunch(ccp_alphas=path.alphas, impurities=path.costs)

    @property
    def feature_importances_(self):
        """Each column's share of all gain, weighed by the rows that met the test; they sum to one, if any."""
        check_is_fitted(self)
        return importances(self.tree_, len(self.schema_))

    def rules(self):
        """The decision rules of the tree, one for each leaf, from left to right.

        Returns
        -------
        RuleList
            `print` shows them; `sql()` and `to_json()` write them in other ways, `for_class(label)` gives
            all rules of one class.
        """
        check_is_fitted(self)
        return rules(self)

    def to_sql(self, table="t", quote='"'):
        """The tree as an SQL query for the rows of a table and the prediction for each.

        Parameters
        ----------
        table : str or None, default="t"
            The name of the table; None for the CASE expression alone.
        quote : str, default='"'

        Returns
        -------
        str
            Query and `predict` agree on every row, but for missing cells that `predict` spreads over several
            branches: the query sends them down the heaviest.
        """
        return self.rules().sql(table, quote)

    def draw(self, max_depth=None):
        """The drawing of the tree: text for `print`, a picture for a notebook.

        Parameters
        ----------
        max_depth : int or None, default=None
            How many tests are drawn one below the other; None for all.

        Returns
        -------
        Drawing
            `save("tree.svg")` writes it to a file: .svg, .dot or .txt.
        """
        check_is_fitted(self)
        return draw(self, max_depth)

    def get_depth(self):
        """The depth of the tree: the most tests from the root to a leaf.

        Returns
        -------
        int
        """
        check_is_fitted(self)
        return int(depths(self.tree_).max())

    def get_n_leaves(self):
        """The number of leaves.

        Returns
        -------
        int
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    def complexity(self):
        return self.tree_.size

    def _work(self):
        return derive_model(self)

    def _work_row(self, X):
        return derive_row(self, X)

    def _arrays(self):
        parts: dict[str, Any] = {"tree": self.tree_, "candidates": self.candidates_, "pruning": self.pruning_}
        return {f"{part}.{name}": a for part, record in parts.items() for name, a in record._asdict().items()}

    def _restore(self, arrays):
        def part(name, kind):
            return kind(**{field: arrays[f"{name}.{field}"] for field in kind._fields})

        tree, candidates, pruning = (
            part("tree", Tree),
            part("candidates", Candidates),
            part("pruning", Pruning),
        )
        if len(arrays) > len(Tree._fields) + len(Candidates._fields) + len(Pruning._fields):
            raise ValueError("it has an unexpected array")
        check(tree, self.schema_, self._n_outputs)
        check_candidates(candidates, tree, self.schema_, self._n_classes or N_SUMS)
        check_pruning(pruning, len(self.schema_))
        self.tree_, self.candidates_, self.pruning_ = tree, candidates, pruning


def importances(tree, n_columns):
    """Each column's share of all gain in a tree."""
    inner = tree.attribute != LEAF
    shares = np.bincount(tree.attribute[inner], tree.weight[inner] * tree.gain[inner], minlength=n_columns)
    return shares / shares.sum() if shares.any() else shares


def check_candidates(candidates, tree, schema, n_stats):
    """Raise ValueError unless these can be the candidates of some of the tree's nodes."""
    n, slots = len(candidates.node), sum(n_slots(attribute) for attribute in schema)
    shapes, kinds = {"node": (n,), "stats": (n, slots, n_stats)}, {"node": "i", "counted": "b"}
    for name, array in candidates._asdict().items():
        if array.shape != shapes.get(name, (n, len(schema))) or array.dtype.kind != kinds.get(name, "f"):
            raise ValueError(f"array 'candidates.{name}' has the wrong shape")
    if (
        not ((candidates.node >= 0) & (candidates.node < tree.size)).all()
        or not np.isfinite(candidates.stats).all()
    ):
        raise ValueError("its candidates belong to no node")


def check_pruning(pruning, n_columns):
    """Raise ValueError unless these can be decisions about tests on so many columns."""
    n = len(np.atleast_1d(pruning.rule))
    kinds = {"weight": "f", "before": "f", "after": "f", "pruned": "b"}
    sound = all(a.shape == (n,) and a.dtype.kind == kinds.get(f, "i") for f, a in pruning._asdict().items())
    if not (
        sound
        and ((pruning.rule >= 0) & (pruning.rule < len(PRUNING_RULES))).all()
        and ((pruning.attribute >= 0) & (pruning.attribute < n_columns)).all()
    ):
        raise ValueError("its pruning is not valid")
