r"""Forests: many trees, each grown on a sample of the rows, with a few columns drawn at every node.

    random forest   a bootstrap sample for each tree; the best cut of max_features columns (Breiman, 2001)
    extra trees     all rows for each tree; of each column drawn, one cut at random (Geurts et al., 2006)
    answer          the mean of the trees' shares of the classes, or of their numbers

Each row is predicted by the trees that were not fitted to it, about 37% of them: the out-of-bag error is
unbiased without a test set. Random forests search numeric columns by `bins` of about equal size; extra trees
use the numbers themselves. By default a missing cell of a nominal column is a value of its own; rows with
other missing cells, or an unseen value, take the heaviest branch.

Trees are grown side by side through `fold`, each from a seed of its own: the same forest on any number of
workers.
"""

from abc import abstractmethod
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Regressor
from openbook.border.not_taken import Declared
from openbook.border.rules import OneOf
from openbook.data.attributes import as_text
from openbook.draw.charts import named_bars
from openbook.ensemble.bagging import MAX_SAMPLES, Draws, Sampled, drawn
from openbook.ensemble.compact import compact
from openbook.ensemble.many_trees import ManyTrees, cells_of_training, leaves_by_code
from openbook.ensemble.members import number_of_rows, shortened
from openbook.ensemble.outside import add_leaf_votes
from openbook.errors import DataError, ParameterError
from openbook.fold import each
from openbook.tree.classifier import DecisionTreeClassifier, GrowingClassifier
from openbook.tree.engine.columns import encode
from openbook.tree.engine.grower import TreeGrower, trees_of
from openbook.tree.engine.nodes import add_values, cells, leaves_of, narrow
from openbook.tree.learner import ENSEMBLE_MISSING
from openbook.tree.regressor import DecisionTreeRegressor
from openbook.words.numbers import figure, fraction
from openbook.work import Grid, Step, Work

#: So many trees are grown by a worker before it hands them in, with the rows that they did not see; fewer of
#: many rows.
BATCH, BATCH_ROWS = 5, 5_000_000
#: More trees of few rows: what is done for all trees of a batch at once takes longer than they do.
LARGE_BATCH, LARGE_BATCH_ROWS = 25, 100_000
#: The most cells of a matrix of proximities.
MOST_PAIRS = 10**8


class Outside(NamedTuple):
    """The rows that a tree did not see, and the leaves where they end."""

    rows: np.ndarray
    leaves: np.ndarray


class Forest(Declared, Sampled, ManyTrees):
    """What forests share."""

    n_estimators: int = 100
    max_features: float | str | None = 1.0
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0
    nominal: str = "subset"
    missing: Annotated[str, OneOf(*ENSEMBLE_MISSING)] = "value"
    bootstrap: bool = True
    oob_score: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    max_samples: Annotated[float | None, MAX_SAMPLES] = None

    _of_all_trees = ("oob_curve_", "oob_score_", "oob_decision_function_", "oob_prediction_")

    def _fit(self, rows):
        self._grow(rows)
        self._pack()  # only now, when what the trees grew from is let go

    def _grow(self, rows):
        for name, asked in (("max_samples", self.max_samples is not None), ("oob_score", self.oob_score)):
            if asked and not self.bootstrap:
                raise ParameterError(f"{type(self).__name__}: {name} needs bootstrap=True")
        training = self._weighed(self._encoded(rows))
        random = check_random_state(self.random_state)
        seeds = random.randint(1, np.iinfo(np.int32).max, size=self.n_estimators).tolist()
        self._draws = Draws.of(seeds, training.w)
        n = len(training.y)
        batch = max(1, min(BATCH, BATCH_ROWS // n), min(LARGE_BATCH, LARGE_BATCH_ROWS // n))
        batches = [seeds[k : k + batch] for k in range(0, len(seeds), batch)]
        outside = cells_of_training(training) if self.bootstrap else None
        size = self._sample_size(number_of_rows(training.w))
        rule = self._rule(training, size if self.bootstrap else training.w.sum())
        step = partial(_grow_batch, training, rule, self._trim, self._n_classes, outside, size)
        votes = OutOfBagVotes(training, self._n_classes)
        self.trees_, curve = [], []
        for batch in each(batches, step):
            for tree, outside in batch:
                self.trees_.append(tree)
                curve.append(votes.add(self._shares(tree.value), outside) if self.bootstrap else np.nan)
        self.oob_curve_ = np.array(curve)
        if self.oob_score:
            self._keep_answers(votes.votes[:, :-1], votes.votes[:, -1], curve[-1], votes.y, votes.w)

    def _encoded(self, rows):
        """The rows as trees grow from them."""
        return encode(rows, self.bins, gap_codes=self.missing == "value")

    def _pack(self):
        """Put the trees together for prediction."""
        self._compact = compact(self.trees_, self._shares, self.schema_)

    @property
    def oob_error_(self):
        """The out-of-bag error of all trees."""
        check_is_fitted(self)
        return float(self.oob_curve_[-1])

    @abstractmethod
    def _shares(self, value):
        """What leaves of these values say, (n_leaves, n_outputs)."""

    @property
    def estimators_(self):
        """The trees as fitted learners, each with its own prediction, rules and picture."""
        check_is_fitted(self)
        return [self._learner_of(tree) for tree in self.trees_]

    def _outputs(self, X):
        """The mean of what the trees say. Rows go down as codes, or as they are where they meet fewer tests
        than there are columns to code.
        """
        levels = sum(np.log2(tree.size) for tree in self.trees_)
        if self._compact.n_tested <= levels:
            return self._compact.outputs(X)
        matrix, out = cells(X), np.zeros((len(X), self._n_classes or 1))
        for tree in self.trees_:
            add_values(tree, matrix, self._shares(tree.value), out)
        return out / len(self.trees_)

    def draw(self):
        """The importances of the columns as bars: the share of the total gain, the largest on top.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        shares = self.feature_importances_
        note = "Share of the gain of all splits, on the training rows."
        title = f"{type(self).__name__} for {self.target_}: importances"
        return named_bars(title, "share of the gain", self.schema_.names, shares, (note,))

    def proximity(self, X):
        """How often each two rows end in one leaf, as a share of the trees.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_rows)
        """
        leaves = self.apply(X)
        if len(leaves) ** 2 > MOST_PAIRS:
            msg = f"{len(leaves):,} rows have too many pairs; use some of the rows, as in X.take(slice(5000))"
            raise DataError(msg)
        near = np.zeros((len(leaves), len(leaves)))
        for tree in leaves.T:
            near += tree[:, None] == tree
        return near / leaves.shape[1]

    def _arrays(self):
        own = {"oob_curve_": self.oob_curve_, **self._draws._asdict(), **self._oob_arrays()}
        return {**own, **self._tree_arrays()}

    def _restore(self, arrays):
        arrays = dict(arrays)
        curve, draws = arrays["oob_curve_"], Draws(*(arrays[name] for name in Draws._fields))
        if curve.shape != arrays["sizes"].shape[:1] or curve.dtype.kind != "f":
            raise ValueError("its out-of-bag errors do not match its trees")
        draws.check(len(curve))
        self.oob_curve_, self._draws = curve, draws
        self._restore_oob(arrays)
        self.trees_ = self._restored_trees(arrays, {"oob_curve_", *Draws._fields})
        self._pack()

    def _work(self):
        step = max(1, len(self.trees_) // 20)
        shown = [*range(0, len(self.trees_) - 1, step), len(self.trees_) - 1]
        sizes = [
            [k + 1, t.size, t.n_leaves, self.oob_curve_[k]] for k, t in enumerate(self.trees_) if k in shown
        ]
        grid = Grid("trees", ["tree", "nodes", "leaves", "out-of-bag error so far"], sizes)
        shares = sorted(
            zip(self.feature_importances_.tolist(), self.schema_.names, strict=True), reverse=True
        )
        columns = shortened("importances", ["column", "share of the gain"], [[n, s] for s, n in shares])
        parts = [grid, columns]
        end = "Every tree saw all rows, so there is no out-of-bag error."
        if self.bootstrap:
            parts.append(Step("out-of-bag error", self._oob_formula, result=self.oob_error_))
            parts += self._oob_steps()
            end = "Each row is judged by the trees that did not see it."
        return Work(f"{type(self).__name__} for {self.target_}", tuple(parts), end)

    def _work_row(self, X):
        names = self._output_names()
        answers = np.concatenate([self._answer(tree, X) for tree in self.trees_]).tolist()
        votes = shortened("votes", ["tree", *names], [[k + 1, *row] for k, row in enumerate(answers)])
        n = len(answers)
        steps = []
        for c, name in enumerate(names):
            total = sum(row[c] for row in answers)
            formula = r"\frac{1}{T} \sum_t f_t(x)"
            steps.append(Step(name, formula, fraction(total, n), total / n))
        return Work(
            f"{type(self).__name__} for {self.target_}: one prediction", (votes, *steps), self._verdict(steps)
        )

    def _answer(self, tree, X):
        out = np.zeros((len(X), self._n_classes or 1))
        add_values(tree, cells(X), self._shares(tree.value), out)
        return out


class OutOfBagVotes:
    """The out-of-bag votes of the training rows."""

    def __init__(self, training, n_classes):
        n = len(training.y)
        self.y, self.w = training.y.astype(float), np.asarray(training.w, dtype=float)
        self.votes, self.losses = np.zeros((n, (n_classes or 1) + 1)), np.full(n, -1.0)
        self.loss = self.voted_weight = 0.0

    def add(self, values, outside):
        """One more tree; the error so far, NaN while nobody has a vote."""
        rows, leaves = outside
        self.voted_weight += self.w[rows[self.losses[rows] < 0]].sum()
        self.loss += add_leaf_votes(rows, leaves, values, self.votes, self.y, self.w, self.losses)
        return self.loss / self.voted_weight if self.voted_weight else np.nan


def _grow_batch(training, rule, trim, n_classes, cells_outside, size, seeds):
    """The trees of these seeds, each with the rows outside its sample.

    trim : what becomes of a grown tree, if it does not stay as it is
    cells_outside : as of `cells_of_training`; None for no samples
    size : how many rows a sample draws
    """
    random, grown_trees, outside = np.random.RandomState(0), [], []  # a new one takes longer than to seed one
    counted = None if (training.w > 0).all() else np.flatnonzero(training.w)  # a weight of 0 is no row
    for seed in seeds:
        sample, rows = training, counted
        if cells_outside is not None:
            random.seed(seed)
            times = drawn(random, training.w, size)
            rows, sample = np.flatnonzero(times), training._replace(w=times.astype(float))
            outside.append(np.flatnonzero(times == 0))
            del times  # each is of the size of a column
        grown_trees.append(TreeGrower(sample, rule, n_classes, rows).grow(seed))
        del sample, rows
    trees = trees_of(grown_trees, training.scales, n_classes, rule.criterion)
    if trim is not None:
        trees = [*map(trim, trees)]
    judged: list[Outside | None] = [None] * len(seeds)
    if training.numbers is not None and cells_outside is not None:
        judged = [_leaf_outside(tree, cells_outside, rows) for tree, rows in zip(trees, outside, strict=True)]
    elif cells_outside is not None:
        leaves = leaves_by_code(trees, training.scales, cells_outside, outside)
        judged = [Outside(*pair) for pair in zip(outside, leaves, strict=True)]
    return list(zip(map(narrow, trees), judged, strict=True))


def _leaf_outside(tree, numbers, rows):
    """Where the rows outside a sample end, by the numbers of their cells."""
    leaves = np.empty(len(rows), dtype=np.intp)
    leaves_of(tree, np.ascontiguousarray(numbers[rows]), leaves)
    return Outside(rows, leaves)


class ForestClassifier(Forest, GrowingClassifier):
    """What forests for classes share."""

    criterion: str = "gini"
    max_features: float | str | None = "sqrt"
    class_weight: Any = None

    _oob_formula = r"\frac{\text{rows the trees outside get wrong}}{\text{rows}}"

    def knobs(self):
        return {"max_features": ("sqrt", 0.5), "min_samples_leaf": (1, 3, 10)}

    def _shares(self, value):
        return value / value.sum(axis=1, keepdims=True)

    def _tree_learner(self):
        return DecisionTreeClassifier()

    def _proba(self, X):
        return self._outputs(X)

    def _output_names(self):
        return [f"P({self.target_} = {as_text(label)})" for label in self.classes_.tolist()]

    def _verdict(self, steps):
        winner = max(range(len(steps)), key=lambda c: steps[c].result)
        return f"Most probable: {self.target_} = {as_text(self.classes_.tolist()[winner])}."


class ForestRegressor(Forest, Regressor):
    """What forests for numbers share."""

    criterion = "squared_error"
    _oob_formula = r"\frac{1}{n} \sum_i (y_i - \hat{y}_i)^2"

    def knobs(self):
        return {"max_features": (0.33, 1.0), "min_samples_leaf": (1, 3, 10)}

    def _shares(self, value):
        return value[:, :1].astype(float)

    def _tree_learner(self):
        return DecisionTreeRegressor()

    def _predict(self, X):
        return self._outputs(X)[:, 0]

    def _output_names(self):
        return [self.target_]

    def _verdict(self, steps):
        return f"The mean of the trees: {figure(steps[0].result)}."
