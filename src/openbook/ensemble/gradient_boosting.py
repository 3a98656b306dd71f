r"""Gradient boosting: each tree explains what the trees before it leave over (Friedman, 2001).

    F_0(x)    the constant with the smallest loss
    r_i       what is left to explain of row i: minus the slope of the loss in F(x_i)
    tree      grown on r by squared error; each leaf gets the value γ that lowers the loss of its rows most
    F(x)      = F(x) + ν γ(leaf of x)                             ν the learning rate, a round each
    P(c|x)    = 1 / (1 + e^-F) for the second of two classes; e^F_c / Σ_k e^F_k of several

`boosting_losses` has start, residual and leaf of each loss. Several classes have a tree each in every round.
Numeric columns are searched by `bins`. By default a missing cell of a nominal column is a value of its own;
rows with other missing cells, or an unseen value, take the heaviest branch.

y : float64 (n, n_outputs), numbers, or 1 where a row has the class; F, r : float64 (n, n_outputs)
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, Regressor, most_probable
from openbook.border.not_taken import Declared
from openbook.border.rules import Maybe, Number, OneOf, Whole
from openbook.damage import checked_array
from openbook.draw.charts import line_chart
from openbook.ensemble.boosting_losses import LOSSES
from openbook.ensemble.compact import compact
from openbook.ensemble.derive_boosting import DERIVED, derive_model, derive_row
from openbook.ensemble.many_trees import ManyTrees, TreesOfRounds
from openbook.ensemble.members import SHOWN
from openbook.errors import ParameterError
from openbook.tree.engine.columns import encode
from openbook.tree.engine.grower import TreeGrower
from openbook.tree.learner import CRITERIA, ENSEMBLE_MISSING
from openbook.tree.regressor import DecisionTreeRegressor


class FirstRounds(NamedTuple):
    """What the derivation shows of the first rounds.

    y : float64 (n_shown, n_outputs), of the first rows
    F : float64 (n_rounds + 1, n_shown, n_outputs), of the same rows, before the first round and after each
    sums : float64 (n_nodes, 2), of the nodes of these rounds' trees: both sums of the ratio γ
    """

    y: np.ndarray
    F: np.ndarray
    sums: np.ndarray


class GradientBoosting(Declared, ManyTrees):
    """What gradient boosting of classes and of numbers shares."""

    loss: str = "log_loss"
    learning_rate: Annotated[float, Number(above=0)] = 0.1
    n_estimators: int = 100
    subsample: Annotated[float, Number(above=0, at_most=1)] = 1.0
    max_depth: int | None = 3
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0
    max_features: float | str | None = None
    missing: Annotated[str, OneOf(*ENSEMBLE_MISSING)] = "value"
    validation_fraction: Annotated[float, Number(above=0, at_most=0.9)] = 0.1
    n_iter_no_change: Annotated[int | None, Maybe(Whole(at_least=1))] = None
    tol: float = 1e-4
    init: Annotated[str | None, Maybe(OneOf("zero"))] = None
    bins: Annotated[int, Whole(at_least=2)] = 255
    random_state: Any = None

    _of_all_trees = ("start_", "train_score_", "validation_score_", "first_rounds_", "bounds_", "classes_")

    criterion = "squared_error"
    nominal = "subset"

    alpha = 0.9

    @property
    def _n_scores(self):
        """How many trees a round has."""
        return 1 if self._n_classes in (0, 2) else self._n_classes

    @property
    def _n_outputs(self):
        return 2  # each tree predicts a number, and knows its error

    @property
    def _loss(self):
        return LOSSES[self.loss](self._n_scores, self.alpha)

    def knobs(self):
        return {"max_depth": (2, 3, 5), "n_estimators": (50, 100, 300)}

    def _fit(self, rows):
        training, random = self._encoded(rows), check_random_state(self.random_state)
        y, w, loss = self._as_outputs(training.y), np.asarray(training.w, dtype=float), self._loss
        learning, held_out = self._parted(training.y, w, random)
        if self.loss == "exponential" and self._n_classes > 2:
            msg = f"loss='exponential' is for two classes, and {self.target_!r} has {self._n_classes}"
            raise ParameterError(f"{type(self).__name__}: {msg}; use 'log_loss'")
        self.start_ = loss.start(y[learning], w[learning])
        if self.init == "zero":
            self.start_ = np.zeros_like(self.start_)
        F = np.asfortranarray(np.tile(self.start_, (len(y), 1)))  # columns are read and written one by one
        trees, grower = TreesOfRounds(training, CRITERIA[self.criterion], self._trim), None
        train: list[float] = []
        validation: list[float] = []
        shown, sums, bounds = [F[:SHOWN].copy()], [], []
        while len(train) < self.n_estimators and not self._has_settled(validation):
            drawn, seed = self._drawn(learning, random), 1 + random.randint(2**31 - 1)
            loss.bound = loss.bound_of(y, F, w, learning)
            bounds.append(loss.bound)
            r, some = loss.residuals(y, F), None if len(drawn) == len(y) else drawn
            own = slice(None) if some is None else drawn  # of all rows no copy is made
            weights = w[own]
            if grower is None or some is not None:
                grower = TreeGrower(training, self._rule(training, weights.sum()), 0, some)
            for k, target in enumerate(r.T):
                grower.set_targets(target)
                leaf, size = trees.add(grower.grow(seed), grower if some is None else None)
                off = y[own, k] - F[own, k]
                value, *both = loss.leaf_values(leaf[own], size, off, target[own], weights)
                trees.set_values(value)
                F[:, k] += self.learning_rate * value[leaf]
                if len(train) < DERIVED:
                    sums.append(np.column_stack(both))
            train.append(loss.mean(y[own], F[own], weights))
            if held_out is not None:
                validation.append(loss.mean(y[held_out], F[held_out], w[held_out]))
            if len(train) <= DERIVED:
                shown.append(F[:SHOWN].copy())
        self.trees_ = trees.finished()
        self.train_score_, self.validation_score_ = np.array(train), np.array(validation)
        if self.loss == "huber":
            self.bounds_ = np.array(bounds)
        self.first_rounds_ = FirstRounds(y[:SHOWN].copy(), np.array(shown), np.concatenate(sums))
        self._pack()

    def _encoded(self, rows):
        """The rows as trees grow from them."""
        return encode(rows, self.bins, gap_codes=self.missing == "value")

    def _as_outputs(self, y):
        """The target, a column for each tree of a round."""
        if not self._n_classes:
            return np.asarray(y, dtype=float)[:, None]
        classes = [1] if self._n_scores == 1 else range(self._n_classes)
        return np.asfortranarray(y[:, None] == np.array(classes), dtype=float)

    def _parted(self, y, w, random):
        """The rows to learn from, and those held out to stop by; a row without weight is neither."""
        rows = np.flatnonzero(w > 0)
        n_held = int(self.validation_fraction * len(rows))
        if self.n_iter_no_change is None or not n_held:
            return rows, None
        order = random.permutation(rows)
        if self._n_classes:  # of every class its share: each ends up spread evenly over the order
            rank = np.empty(len(order))
            for c in np.unique(y[order]):
                own = np.flatnonzero(y[order] == c)
                rank[own] = (np.arange(len(own)) + 0.5) / len(own)
            order = order[np.argsort(rank, kind="stable")]
        return np.sort(order[n_held:]), np.sort(order[:n_held])

    def _drawn(self, rows, random):
        """The rows that a round learns from."""
        if self.subsample == 1:
            return rows
        count, drawn = max(1, int(self.subsample * len(rows))), np.zeros(len(rows), dtype=bool)
        drawn[random.permutation(len(rows))[:count]] = True
        return rows[drawn]

    def _has_settled(self, scores):
        """Whether the loss of the rows held out has not fallen by more than `tol` for so many rounds."""
        wait = self.n_iter_no_change
        if wait is None or len(scores) <= wait:
            return False
        return min(scores[-wait:]) > min(scores[:-wait]) - self.tol

    @property
    def n_estimators_(self):
        """The number of rounds."""
        check_is_fitted(self)
        return len(self.train_score_)

    @property
    def estimators_(self):
        """The trees as fitted learners, a row for each round."""
        check_is_fitted(self)
        learners = np.empty(len(self.trees_), dtype=object)
        learners[:] = [self._learner_of(tree) for tree in self.trees_]
        return learners.reshape(-1, self._n_scores)

    def _tree_learner(self):
        return DecisionTreeRegressor(nominal="subset", missing="majority")

    def _learner_of(self, tree):
        learner = super()._learner_of(tree)
        learner.target_ = f"what is left of {self.target_}"
        return learner

    def _pack(self):
        """Put the trees together for prediction."""
        self._compact = compact(self.trees_, self._steps, self.schema_)

    def _steps(self, value):
        """What leaves of these values add."""
        return self.learning_rate * value[:, :1].astype(float)

    def _scores(self, X):
        """F of each row, (n_rows, n_outputs)."""
        return self.start_ + self._compact.sums(X, self._n_scores)

    def _staged(self, X):
        """F after each round, in one array that grows."""
        leaves, k = self.apply(X), self._n_scores
        F = np.tile(self.start_, (len(leaves), 1))
        for t, tree in enumerate(self.trees_):
            F[:, t % k] += self._steps(tree.value)[leaves[:, t], 0]
            if t % k == k - 1:
                yield F

    def draw(self):
        """The mean loss after each round, of the training rows and of those held out.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        rounds = np.arange(1, self.n_estimators_ + 1)
        lines = {"training": (rounds, self.train_score_)}
        if len(self.validation_score_):
            lines["held out"] = (rounds, self.validation_score_)
        title = f"Gradient boosting for {self.target_}"
        return line_chart(title, ("round", f"mean {self._loss.name}"), lines, ())

    def _work(self):
        return derive_model(self)

    def _work_row(self, X):
        return derive_row(self, X)

    def _arrays(self):
        first = {f"first_{name}": array for name, array in self.first_rounds_._asdict().items()}
        return {**{name: getattr(self, name) for name in self._kept()}, **first, **self._tree_arrays()}

    def _kept(self):
        """The figures of the rounds that the file holds."""
        bounds = ("bounds_",) if self.loss == "huber" else ()
        return ("start_", "train_score_", "validation_score_", *bounds)

    def _restore(self, arrays):
        k, first = self._n_scores, [f"first_{name}" for name in FirstRounds._fields]
        self.trees_ = self._restored_trees(arrays, {*self._kept(), *first})
        n_rounds, left_over = divmod(len(self.trees_), k)
        held = len(arrays["validation_score_"])
        if left_over or held not in (0, n_rounds):
            raise ValueError("its trees do not match its rounds")
        self.start_ = checked_array(arrays, "start_", float, (k,))
        self.train_score_ = checked_array(arrays, "train_score_", float, (n_rounds,))
        self.validation_score_ = checked_array(arrays, "validation_score_", float, (held,))
        if self.loss == "huber":
            self.bounds_ = checked_array(arrays, "bounds_", float, (n_rounds,))
        n_shown, derived = len(arrays["first_y"]), min(DERIVED, n_rounds)
        n_nodes = sum(tree.size for tree in self.trees_[: derived * k])
        self.first_rounds_ = FirstRounds(
            checked_array(arrays, "first_y", float, (n_shown, k)),
            checked_array(arrays, "first_F", float, (derived + 1, n_shown, k)),
            checked_array(arrays, "first_sums", float, (n_nodes, 2), finite=False),
        )
        self._pack()


class GradientBoostingClassifier(GradientBoosting, Classifier):
    """Gradient boosting for classes: trees that each explain what the trees before it leave over.

    Parameters
    ----------
    loss : {"log_loss", "exponential"}, default="log_loss"
        What is lowered: minus the log of the probability of the true class, or AdaBoost's loss, for two
        classes.
    learning_rate : float, default=0.1
        The share ν of a tree's correction that is taken. Small steps need more rounds and predict better.
    n_estimators : int, default=100
        The most rounds; in each, several classes have a tree each.
    subsample : float, default=1.0
        The share of the rows, drawn without replacement, that a round learns from.
    max_depth : int or None, default=3
    min_samples_split : float, default=2
    min_samples_leaf : float, default=1
    min_weight_fraction_leaf : float, default=0.0
    max_leaf_nodes : int or None, default=None
    min_impurity_decrease : float, default=0.0
    ccp_alpha : float, default=0.0
    max_features : int, float, "sqrt", "log2", "log2+1" or None, default=None
        How many columns, drawn at random, each node looks at: a number, a share, or a rule; None for all.
    missing : {"value", "majority", "branch"}, default="value"
        Where rows with a missing cell go. "value": in nominal columns, missing is one of the values that a
        test divides; in others they go down the heaviest branch. "majority": always down that. "branch":
        down one of their own. A value never seen in training counts as missing.
    validation_fraction : float, default=0.1
        The share of the rows held out to stop by, if `n_iter_no_change` is given.
    n_iter_no_change : int or None, default=None
        Stop when the loss of the rows held out has not fallen by more than `tol` for so many rounds; None for
        all rounds.
    tol : float, default=0.0001
    init : {"zero"} or None, default=None
        What F is before the first round: 0, or the constant with the smallest loss (None).
    bins : int, default=255
        A numeric column of more distinct numbers is searched by so many bins of about equal size.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : ndarray of shape (n_rounds, n_scores)
        The trees as fitted learners; one score for two classes, else one for each class.
    trees_ : list of Tree
        Their nodes; see `openbook.tree.engine.nodes.Tree`.
    start_ : ndarray of shape (n_scores,)
        F before the first round: the log odds of the second class, or the log of each class's share.
    n_estimators_ : int
        The number of rounds.
    train_score_ : ndarray of shape (n_rounds,)
        The mean log loss of the rows that a round learnt from, after it.
    validation_score_ : ndarray of shape (n_rounds,)
        That of the rows held out; empty if there are none.
    first_rounds_ : FirstRounds
        What `work` shows of the first two rounds.
    feature_importances_ : ndarray of shape (n_columns,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Friedman (2001), Greedy function approximation: a gradient boosting machine.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> model = GradientBoostingClassifier(n_estimators=1, max_depth=1).fit(X, y)
    >>> model.start_.round(3).tolist()  # ln(9 / 5)
    [0.588]
    >>> round(model.work()["γ of the first leaf"].result, 3)  # 5 of the 10 rows that are not overcast
    -0.622
    """

    loss: Annotated[str, OneOf("log_loss", "exponential")] = "log_loss"

    def decision_function(self, X):
        """F of each row: the log odds of the second of two classes, or the score of each class.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
        """
        check_is_fitted(self)
        scores = self._each(X, self._scores)
        return scores[:, 0] if self._n_scores == 1 else scores

    def staged_decision_function(self, X):
        """`decision_function` after one round, after two, and so on.

        Parameters
        ----------
        X : table-like or Scan

        Yields
        ------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
        """
        for F in self._staged(X):
            yield F[:, 0].copy() if self._n_scores == 1 else F.copy()

    def staged_predict(self, X):
        """What the model says of each row after one round, after two, and so on.

        Parameters
        ----------
        X : table-like or Scan

        Yields
        ------
        ndarray of shape (n_rows,)
        """
        for proba in self.staged_predict_proba(X):
            yield self.classes_[most_probable(proba)]

    def staged_predict_proba(self, X):
        """The probability of each class after one round, after two, and so on.

        Parameters
        ----------
        X : table-like or Scan

        Yields
        ------
        ndarray of shape (n_rows, n_classes)
        """
        for F in self._staged(X):
            yield self._loss.probabilities(F)

    def _proba(self, X):
        return self._loss.probabilities(self._scores(X))


class GradientBoostingRegressor(GradientBoosting, Regressor):
    """Gradient boosting for numbers: trees that each explain what the trees before it leave over.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile"}, default="squared_error"
        What the rounds lower. The absolute error is less drawn to rows far off; Huber's loss is the squared
        error of most rows and the absolute error of the others. "quantile" predicts the α-quantile.
    alpha : float, default=0.9
        The quantile that is predicted, or the share of the rows whose squared error counts in Huber's loss.
    learning_rate : float, default=0.1
        The share ν of a tree's correction that is taken. Small steps need more rounds and predict better.
    n_estimators : int, default=100
        The most rounds.
    subsample : float, default=1.0
        The share of the rows, drawn without replacement, that a round learns from.
    max_depth : int or None, default=3
    min_samples_split : float, default=2
    min_samples_leaf : float, default=1
    min_weight_fraction_leaf : float, default=0.0
    max_leaf_nodes : int or None, default=None
    min_impurity_decrease : float, default=0.0
    ccp_alpha : float, default=0.0
    max_features : int, float, "sqrt", "log2", "log2+1" or None, default=None
        How many columns, drawn at random, each node looks at: a number, a share, or a rule; None for all.
    missing : {"value", "majority", "branch"}, default="value"
        Where rows with a missing cell go. "value": in nominal columns, missing is one of the values that a
        test divides; in others they go down the heaviest branch. "majority": always down that. "branch":
        down one of their own. A value never seen in training counts as missing.
    validation_fraction : float, default=0.1
        The share of the rows held out to stop by, if `n_iter_no_change` is given.
    n_iter_no_change : int or None, default=None
        Stop when the loss of the rows held out has not fallen by more than `tol` for so many rounds; None for
        all rounds.
    tol : float, default=0.0001
    init : {"zero"} or None, default=None
        What F is before the first round: 0, or the constant with the smallest loss (None).
    bins : int, default=255
        A numeric column of more distinct numbers is searched by so many bins of about equal size.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    estimators_ : ndarray of shape (n_rounds, 1)
        The trees as fitted learners.
    trees_ : list of Tree
        Their nodes; see `openbook.tree.engine.nodes.Tree`.
    start_ : ndarray of shape (1,)
        F before the first round: the mean of the target, or its median or quantile.
    n_estimators_ : int
        The number of rounds.
    train_score_ : ndarray of shape (n_rounds,)
        The mean loss of the rows that a round learnt from, after it.
    validation_score_ : ndarray of shape (n_rounds,)
        That of the rows held out; empty if there are none.
    first_rounds_ : FirstRounds
        What `work` shows of the first two rounds.
    bounds_ : ndarray of shape (n_rounds,)
        The δ of Huber's loss in each round; only for that loss.
    feature_importances_ : ndarray of shape (n_columns,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Friedman (2001), Greedy function approximation: a gradient boosting machine.

    Examples
    --------
    >>> model = GradientBoostingRegressor(n_estimators=1, learning_rate=0.5, max_depth=1)
    >>> model.fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 5.0]).predict([[1.0], [4.0]])
    array([2., 4.])
    """

    loss: Annotated[str, OneOf("squared_error", "absolute_error", "huber", "quantile")] = "squared_error"
    alpha: Annotated[float, Number(above=0, at_most=1)] = 0.9

    def staged_predict(self, X):
        """The prediction for each row after one round, after two, and so on.

        Parameters
        ----------
        X : table-like or Scan

        Yields
        ------
        ndarray of shape (n_rows,)
        """
        for F in self._staged(X):
            yield F[:, 0].copy()

    def _predict(self, X):
        return self._scores(X)[:, 0]
