r"""Active learning: which row to label next.

    fit     learn from the rows that have a label
    ask     score the others by a strategy (`strategies`), and name the best of them
    teach   take the labels of some rows, and learn again

Until the labelled rows are of two classes there is nothing to be uncertain of, and rows are asked at random.
Scores that agree to twelve digits are tied, and ties are drawn at random: a classifier of very few labels is
often as good as certain of every row. Missing cells are the learner's affair.

labels : a list of the labels, None for a row that has none
"""

from typing import Annotated, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.rows import UNLABELLED, Chunk, class_codes, codes_where_labelled, name_of_target
from openbook.border.rules import Anything, Maybe, OneOf, Whole, check_parameters
from openbook.data import Column, Nominal, read
from openbook.data.attributes import as_text
from openbook.ensemble.bagging import drawn_by_class
from openbook.ensemble.members import copied, decided, each_decided, fitted, probabilities
from openbook.ensemble.stacking import dealt_folds
from openbook.errors import DataError, ParameterError
from openbook.judge.chance.ranks import same_digits
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.label.in_rounds import added_to, can_add
from openbook.label.stopping import CHECKED, Stopping
from openbook.label.strategies import (
    COMMITTEES,
    DIVERSITIES,
    STRATEGIES,
    diverse,
    least_confident,
    mean_divergence,
    mean_similarity,
    top_two_margin,
)
from openbook.measures.information import entropy
from openbook.spaces.index import spread_out
from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.work import Grid, Step, Work

#: Rows whose expected error is found, and rows that it is found over.
_TRIED, _JUDGED = 20, 200
_LEFT = "u_c: the mean of 1 - max P over other rows, once the row is learnt as of class c"
_UNTRIED = f"not tried: {_TRIED} rows have a larger entropy"
#: Folds of the labelled rows by which the share of errors is estimated.
_FOLDS = 5
#: Scores that agree to twelve digits are no farther apart than this share of the largest.
_TIED = 1e-11


@documented
class Asker(Declared, BaseEstimator):
    """Active learning: ask for the labels that teach a classifier the most.

    The rows that it asks for are those that this classifier is unsure of: a biased sample, which may serve
    another learner less well than rows drawn at random. Judge a model by rows that were drawn at random.

    Parameters
    ----------
    estimator : classifier
        The classifier to teach. All strategies but "committee" and "random" need its `predict_proba`.
    strategy : str, default="margin"
        Which rows are asked first: those with the least probable best class ("least_confident"), the
        smallest lead of the best class over the second ("margin"), the largest entropy ("entropy"), the most
        disagreement in the votes ("committee") or the probabilities ("committee_kl") of a committee, the
        fewest errors left on the other rows once its label is known ("expected_error"), the largest entropy
        times mean similarity to the other rows ("density"), or any ("random").
    diversity : {"ranked", "k-means++"} or None, default=None
        How several rows are chosen at once so that they differ, too: ranked by score and distance, or drawn
        as the first centres of k-means++; None for the best one by one.
    committee : list of classifiers or None, default=None
        The members of a committee; None for bagged copies of `estimator`.
    n_estimators : int, default=10
        The number of bagged copies.
    random_state : int, default=0

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted to the rows that have a label; None until they are of two classes.
    classes_ : ndarray of shape (n_classes,)
        The classes among the labels so far.
    labels_ : list
        The label of each row, None where it has none.
    target_ : str
        The name of the target.
    trace_ : list of tuple
        The number of labels, and the share of wrong predictions that the classifier expects among the other
        rows, after each lesson.

    Notes
    -----
    Guide: docs/guide/asking.md

    References
    ----------
    Settles (2009), Active learning literature survey.

    Examples
    --------
    >>> from openbook.bayes import NaiveBayes
    >>> X = [[0.0], [1.0], [9.0], [10.0], [2.0], [8.0], [4.9]]
    >>> asker = Asker(NaiveBayes()).fit(X, ["low", "low", "high", "high", None, None, None])
    >>> asker.ask()
    [6]
    >>> len(asker.teach([6], ["low"]).ask(5))
    2
    """

    estimator: Any
    strategy: Annotated[str, OneOf(*STRATEGIES)] = "margin"
    diversity: Annotated[Any, Maybe(OneOf(*DIVERSITIES))] = None
    committee: Annotated[Any, Anything("None or a list of classifiers")] = None
    n_estimators: Annotated[int, Whole(at_least=1)] = 10
    random_state: Annotated[int, Anything("None, a whole number or a RandomState")] = 0

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take all rows, and learn from those that have a label.

        Parameters
        ----------
        X : table-like
        y : array-like, str or None, default=None
            The target, missing (None, NaN or, among numbers, -1) where a row has no label; None if no row has
            one.

        Returns
        -------
        self
        """
        check_parameters(self, self._rules)
        self._check_estimator()
        table = read(X)
        if isinstance(y, str):
            table, y = table.split(y)
        self.target_, self.labels_ = name_of_target(y), [None] * len(table)
        if y is not None and not (isinstance(y, Column) and y.missing.all()):
            self.target_, classes, codes = codes_where_labelled(y)
            check_consistent_length(table, codes)
            self.labels_ = [None if c == UNLABELLED else classes[c].item() for c in codes]
        self._free = np.array([label is None for label in self.labels_], dtype=bool)
        self._table, random = table, check_random_state(self.random_state)
        self._drawn, self._random = random.random_sample(len(table)), random
        self._ones = np.ones(len(table))
        self._similarity = np.zeros(len(table))
        if self.strategy == "density" and len(free := self._unlabelled()):
            self._similarity[free] = mean_similarity(table.take(free))
        self.estimator_: Any = None
        self.classes_: np.ndarray
        self.trace_: list[tuple[int, float]] = []
        self._asked: set[int] = set()
        self._learn()
        return self

    def ask(self, n: int = 1, costs: Any = None) -> list[int]:
        """The rows to label next, the most telling first; fewer than n where no more are left.

        Parameters
        ----------
        n : int, default=1
            How many.
        costs : array-like or None, default=None
            What the label of each row costs, labelled rows included; a row is then worth its score for each
            unit of cost. None for equal costs.

        Returns
        -------
        list of int
            Positions, from 0.
        """
        check_is_fitted(self, "labels_")
        if n < 0:
            raise ParameterError(f"n must be at least 0, got {n}")
        free, utility, cost = self._unlabelled(), self._utility(), 1.0
        if costs is not None:
            check_consistent_length(self.labels_, costs)
            costs = np.asarray(costs, dtype=float)
            if not (costs > 0).all():
                raise ParameterError("costs: every label must cost more than 0")
            cost = costs[free]
        if self.diversity is None or n == 1:
            chosen = free[_best_first(utility / cost, self._drawn[free], n)].tolist()
        else:
            random = None if self.diversity == "ranked" else self._random
            known = np.setdiff1d(np.arange(len(self.labels_)), free)
            chosen = free[diverse(self._table, known, free, utility, n, random, cost)].tolist()
        if self._strategy != "random":
            self._asked.update(chosen)
        return chosen

    def teach(self, rows: Any, labels: Any) -> Self:
        """Take the labels of some rows, and learn again. A label that a row has is replaced.

        Parameters
        ----------
        rows : sequence of int
            Positions, from 0.
        labels : sequence
            The label of each of these rows; None or NaN takes a label back.

        Returns
        -------
        self
        """
        check_is_fitted(self, "labels_")
        check_consistent_length(rows, labels)
        if odd := [row for row in rows if not 0 <= row < len(self.labels_)]:
            raise DataError(f"there is no row {odd[0]}; rows are numbered from 0 to {len(self.labels_) - 1}")
        first = {row: self.labels_[row] is None for row in rows}
        for row, label in zip(rows, labels, strict=True):
            plain = label.item() if isinstance(label, np.generic) else label
            self.labels_[row] = None if plain != plain else plain  # noqa: PLR0124 (NaN)
            self._free[row] = self.labels_[row] is None
        labels = [self.labels_[row] for row in first]
        known = self.classes_.tolist()
        only_new = all(first.values()) and all(label in known for label in labels)
        self._learn(np.array([*first], dtype=np.intp) if only_new else None)
        return self

    def stopping(self, cost: float = 1.0, asked: Any = None) -> Stopping:
        """Whether another label is worth its cost, by what the last labels brought.

        The other labelled rows, a random sample, tell how many errors to expect: models that did not see
        them predict them, in five folds.

        Parameters
        ----------
        cost : float, default=1.0
            What a label costs, where a wrong prediction costs 1.
        asked : sequence of int or None, default=None
            The numbers of the rows that were asked for on purpose. None for those that `ask` named.

        Returns
        -------
        Stopping
        """
        check_is_fitted(self, "labels_")
        asked = np.array(sorted(self._asked) if asked is None else asked, dtype=np.intp)
        return Stopping(tuple(self.trace_), len(self._unlabelled()), cost, self._checked(asked))

    def _checked(self, asked):
        """Of the labelled rows not asked for, how many are predicted wrongly out of fold, and all of them."""
        known = np.flatnonzero(~self._free)
        others = np.setdiff1d(known, asked)
        if len(others) < CHECKED:
            return 0, len(others)
        folds, wrong = dealt_folds(self._codes[others], _FOLDS), 0
        with collected_warnings():  # of models that are thrown away
            for fold in range(_FOLDS):
                tested = others[folds == fold]
                learnt = np.setdiff1d(known, tested)
                codes = self._codes[learnt]
                predicted = codes[0]  # of the one class that they have
                if codes.min() < codes.max():
                    model = copied(self.estimator, check_random_state(0))
                    model.fit(self._table.take(learnt), self._member_target(codes))
                    predicted = decided(model, self._table.take(tested), self.classes_)
                wrong += int((predicted != self._codes[tested]).sum())
        return wrong, len(others)

    def work(self, row: int | None = None) -> Work:
        """Why this row is asked: the posterior, the score of the strategy, and the row that comes next.

        Parameters
        ----------
        row : int or None, default=None
            The position of a row that has no label; None for the row that is asked first.

        Returns
        -------
        Work
        """
        check_is_fitted(self, "labels_")
        free, utility = self._unlabelled(), self._utility()
        order = _best_first(utility, self._drawn[free], len(free))
        if not len(free):
            raise DataError("every row has a label; there is nothing to ask")
        row = int(free[order[0]]) if row is None else row
        indices = np.flatnonzero(free[order] == row)
        if not len(indices):
            msg = f"row {row} is not among the rows without a label; pick one of ask({min(len(free), 5)})"
            raise DataError(msg)
        index = int(indices[0])
        parts = [*self._posterior(row), self._scored(row, float(self._scores[order[index]]))]
        around = range(max(index - 1, 0), min(index + 2, len(free)))
        lines = [(p + 1, int(free[order[p]]), float(self._scores[order[p]])) for p in around]
        parts.append(Grid("beside it", ("place", "row", "score"), lines, f"of {len(free):,} without a label"))
        strategy = STRATEGIES[self._strategy]
        end = f"Row {row} is number {index + 1} of {len(free):,}."
        if index == 0:
            end = f"Row {row} is asked first: {strategy.reason}."
            digits = same_digits(utility)
            if (tied := int((digits == digits[order[0]]).sum())) > 1:
                end += f" It was drawn at random among {tied:,} rows of this score."
            if len(free) > 1:
                end += f" The runner-up is row {int(free[order[1]])}."
        if self.estimator_ is None:
            end += " Rows are drawn at random until two classes have labels."
        return Work(f"Why ask for {self.target_} of row {row}", tuple(parts), end)

    def _check_estimator(self):
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise ParameterError(f"Asker: {self.estimator!r} is not a learner; pass one such as NaiveBayes()")
        if is_regressor(self.estimator):
            msg = f"{type(self.estimator).__name__} predicts numbers; to ask for labels, choose a classifier"
            raise ParameterError(msg)
        members = self.committee or [self.estimator]
        judges = members if self.strategy in COMMITTEES else [self.estimator]
        lacking = [type(one).__name__ for one in judges if not hasattr(one, "predict_proba")]
        if self.strategy not in {"committee", "random"} and lacking:
            needs = f"{self.strategy!r} needs probabilities, and {lacking[0]} has no predict_proba"
            raise ParameterError(f"{needs}; use 'committee'")

    def _unlabelled(self):
        return np.flatnonzero(self._free)

    @property
    def _strategy(self):
        """The strategy that is followed now."""
        return self.strategy if self.estimator_ is not None else "random"

    def _learn(self, new=None):
        """Fit the classifier to the rows that have a label, or teach it new ones; and score the others."""
        known = np.flatnonzero(~self._free)
        if new is None:
            self._encode(known)
        else:
            classes = self.classes_.tolist()
            self._codes[new] = [classes.index(self.labels_[row]) for row in new]
        self._committee: Any = None
        rows = Chunk(self._table, self._codes, self._ones)
        if len(self.classes_) < 2:
            self.estimator_ = None
        elif new is not None and can_add(self.estimator_, self._table.schema, self.classes_):
            added_to(self.estimator_, rows, new)
        elif new is not None and _takes_more(self.estimator_):
            self.estimator_.partial_fit(self._table.take(new), self._member_target(self._codes[new]))
        else:
            self.estimator_ = copied(self.estimator, self._random)
            self.estimator_.fit(self._table.take(known), self._member_target(self._codes[known]))
        if self.estimator_ is not None and self.strategy in COMMITTEES:
            X, codes = self._table.take(known), self._codes[known]
            y = self._member_target(codes)
            with collected_warnings():  # what the classifier itself warned of, ten times over
                self._committee = [
                    *(copied(one, self._random).fit(X, y) for one in self.committee or ()),
                    *(self._bagged(X, y, codes) for _ in range(0 if self.committee else self.n_estimators)),
                ]
        free = self._unlabelled()
        self._posteriors: Any = None
        if len(free) and self._has_posteriors:  # to predict all rows is quicker than to copy most of them
            self._posteriors = probabilities(self.estimator_, self._table, self.classes_)
            self.trace_.append((len(known), float(least_confident(self._posteriors)[free].mean())))
        self._scores = self._score(free)

    def _encode(self, known):
        """The classes among the labels, and the class of each row."""
        given = [self.labels_[i] for i in known]
        empty = "", np.zeros(0), np.zeros(0, np.intp)
        _, self.classes_, codes = class_codes(np.array(given)) if given else empty
        self._codes = np.full(len(self.labels_), UNLABELLED)
        self._codes[known] = codes

    @property
    def _has_posteriors(self):
        return self.estimator_ is not None and hasattr(self.estimator_, "predict_proba")

    def _bagged(self, X, y, codes):
        """A copy fitted to a bootstrap sample of each class: of a few labels, a sample may lack a class."""
        times = drawn_by_class(self._random, codes, np.ones(len(codes)))
        return fitted(copied(self.estimator, self._random), X, y, np.asarray(times, dtype=float))

    def _member_target(self, codes):
        """The labels as the classifier is given them: under their own name."""
        if self.classes_.dtype.kind == "U":
            return Column(Nominal(self.target_, tuple(self.classes_.tolist())), codes)
        return self.classes_[codes]

    def _score(self, rows):
        """The strategy's score of some rows."""
        if self._strategy == "random" or not len(rows):
            return self._drawn[rows]
        if self.strategy == "committee":
            return entropy(self._votes(rows))
        if self.strategy == "committee_kl":
            return mean_divergence(self._opinions(rows))
        proba = self._posteriors
        if self.strategy == "least_confident":
            return least_confident(proba)[rows]
        if self.strategy == "margin":
            return top_two_margin(proba)[rows]
        if self.strategy == "expected_error":
            return self._expected_errors(rows, proba[rows])
        return (entropy(proba) * (self._similarity if self.strategy == "density" else 1.0))[rows]

    def _utility(self):
        """The scores of the rows without a label, the larger the sooner asked."""
        return 1.0 - self._scores if STRATEGIES[self._strategy].smallest else self._scores

    def _expected_errors(self, rows, proba):
        """The share of errors that each label is expected to leave; 1 for rows that are not tried."""
        scores, self._left = np.ones(len(rows)), {}
        others = self._table.take(rows[spread_out(len(rows), _JUDGED)])
        with collected_warnings():  # of models that are thrown away
            for index in np.argsort(-entropy(proba), kind="stable")[:_TRIED].tolist():
                left = [self._error_after(rows[index], c, others) for c in range(len(self.classes_))]
                self._left[int(rows[index])] = left
                scores[index] = proba[index] @ left
        return scores

    def _error_after(self, row, code, others):
        """The share of errors that the classifier expects among other rows once it has learnt a label."""
        known = np.flatnonzero(~self._free)
        table = self._table.take(np.r_[known, row])
        model = copied(self.estimator, self._random).fit(
            table, self._member_target(np.r_[self._codes[known], code])
        )
        return least_confident(probabilities(model, others, self.classes_)).mean()

    def _proba(self, rows):
        return probabilities(self.estimator_, self._table.take(rows), self.classes_)

    def _votes(self, rows):
        """How many members of the committee vote for each class, (n_rows, n_classes)."""
        decided = each_decided(self._committee, self._table.take(rows), self.classes_)
        return sum(codes[:, None] == np.arange(len(self.classes_)) for codes in map(np.asarray, decided))

    def _opinions(self, rows):
        """The probabilities that each member of the committee gives, (n_members, n_rows, n_classes)."""
        table = self._table.take(rows)
        return np.array([probabilities(one, table, self.classes_) for one in self._committee])

    def _posterior(self, row):
        """The probability of each class, the most probable first."""
        if not self._has_posteriors:
            return
        proba = self._proba(np.array([row]))[0]
        for c in np.argsort(-proba, kind="stable").tolist():
            yield Step(f"P({self.target_} = {as_text(self.classes_[c])} | x)", result=float(proba[c]))

    def _scored(self, row, score):
        """The score with its numbers, the most probable class first."""
        formula, at = STRATEGIES[self._strategy].formula, np.array([row])
        if self._strategy == "random":
            return Step("score", formula, result=score)
        if self.strategy == "expected_error":
            if row not in self._left:
                return Step("score", formula, result=score, note=_UNTRIED)
            left = zip(self._proba(at)[0].tolist(), self._left[row], strict=True)
            numbers = " + ".join(rf"{figure(p)} \cdot {figure(u)}" for p, u in left)
            return Step("score", formula, numbers, score, _LEFT)
        if self.strategy == "committee_kl":
            opinions = self._opinions(at)[:, 0]
            numbers = rf"\frac{{1}}{{{len(opinions)}}} ({_written_divergence(opinions)})"
            return Step("score", formula, numbers, score)
        if self.strategy == "committee":
            votes = self._votes(at)[0]
            return Step("score", formula, _written_entropy(votes / votes.sum()), score)
        proba = np.sort(self._proba(at)[0])[::-1]
        if self.strategy == "least_confident":
            numbers = f"1 - {figure(proba[0])}"
        elif self.strategy == "margin":
            numbers = f"{figure(proba[0])} - {figure(proba[1])}"
        else:
            numbers = _written_entropy(proba)
        if self.strategy == "density":
            numbers = rf"({numbers}) \cdot {figure(self._similarity[row])}"
        return Step("score", formula, numbers, score)


def _best_first(utility, drawn, n):
    """The places of the n rows without a label to ask for, the first to ask first; ties by drawn numbers."""
    indices = np.arange(len(utility))
    if n < len(utility):  # of the others, only those that are as good as the last of them
        last = np.partition(utility, -n)[-n]
        indices = np.flatnonzero(utility >= last - _TIED * np.abs(utility).max())
    return indices[np.lexsort((drawn[indices], -same_digits(utility[indices])))[:n]]


def _takes_more(estimator):
    """Whether a fitted classifier can be taught more rows, and need not choose its columns anew from all."""
    schema = getattr(estimator, "schema_", None)
    return hasattr(estimator, "partial_fit") and (schema is None or schema == schema.given)


def _written_divergence(opinions):
    """The terms of the members' divergence from their mean; a probability of 0 adds nothing."""
    mean = opinions.mean(axis=0)
    terms = [(p, m) for member in opinions for p, m in zip(member, mean, strict=True) if p > 0]
    return " + ".join(rf"{figure(p)} \log_2 \frac{{{figure(p)}}}{{{figure(m)}}}" for p, m in terms)


def _written_entropy(shares):
    """The terms of an entropy; a share of 0 adds nothing."""
    return " ".join(rf"- {figure(p)} \log_2 {figure(p)}" for p in shares.tolist() if p > 0)
