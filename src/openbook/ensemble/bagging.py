"""Bagging: copies of one learner, each grown on a bootstrap sample of the rows; their mean (Breiman 1996).

    sample      n rows drawn with replacement, row i with probability w_i / sum w
    answer      the mean of the members' probabilities, or numbers
    out of bag  each row is judged by the members that did not see it, about 37% of them: an honest error
                without a test set

A row that is drawn twice weighs 2 where the learner takes weights; otherwise it is there twice. Whole sample
weights equal repeated rows, and the same seed gives the same ensemble either way. The members handle missing
cells.
"""

from functools import partial
from numbers import Integral
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, Learner
from openbook.border.not_taken import Declared
from openbook.border.rules import Maybe, Number, Whole
from openbook.damage import checked_array
from openbook.ensemble.averaging import Averaging, AveragingClassifier, AveragingRegressor
from openbook.ensemble.members import OneLearner, copied, fitted, gathered, number_of_rows
from openbook.errors import ParameterError
from openbook.fold import each
from openbook.tree.learner import how_many
from openbook.work import Step, Work


class Draws(NamedTuple):
    """What the samples of the members follow from, so that they need not be kept.

    seeds : int64 (n_members,)
    n_rows : int64 (1,)
    weights : float64 (n_rows,), or (0,) where every row weighs 1
    """

    seeds: np.ndarray
    n_rows: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, seeds, w):
        weights = np.zeros(0) if (w == 1).all() else np.array(w, dtype=float)
        return cls(np.array(seeds, dtype=np.int64), np.array([len(w)]), weights)

    def check(self, n_members):
        """Raise ValueError unless these draws fit `n_members` members."""
        seeds, n_rows, weights = self
        whole = seeds.dtype.kind == n_rows.dtype.kind == "i" and weights.dtype == float
        shaped = (
            seeds.shape == (n_members,) and n_rows.shape == (1,) and weights.shape in ((0,), tuple(n_rows))
        )
        amounts = all((array >= 0).all() and np.isfinite(array).all() for array in self)
        if not (whole and shaped and amounts):
            raise ValueError("its samples do not match its members")


class SampleSize(Number):
    """A number of rows, or a share of them."""

    def demand(self):
        return "a whole number of at least 1, or a share above 0 and at most 1"

    def allows(self, value):
        return Whole(at_least=1).allows(value) or (isinstance(value, float) and super().allows(value))


MAX_SAMPLES = Maybe(SampleSize(above=0, at_most=1))


class Sampled(Learner):
    """An ensemble that records which rows its members were fitted to."""

    _meanings: ClassVar = {
        "max_samples": "How many rows each member draws: a number, or a share of all; None for as many as"
        " there are.",
        "oob_score": "Whether to keep what the members that did not see a row make of it, row by row, and how"
        " good that is: the accuracy, or R squared. Needs samples.",
        "oob_score_": "The accuracy, or R squared, of the out-of-bag predictions; only with `oob_score`.",
        "oob_decision_function_": "The mean of what the members that did not see a row say of it; NaN where"
        " all saw it. Only with `oob_score`.",
        "oob_prediction_": "The mean of what the members that did not see a row predict; NaN where all saw"
        " it. Only with `oob_score`.",
    }

    bootstrap: bool
    max_samples: float | None
    oob_score: bool
    _draws: Draws

    @property
    def _oob_name(self):
        """The attribute of the out-of-bag answers."""
        return "oob_decision_function_" if isinstance(self, Classifier) else "oob_prediction_"

    def _keep_answers(self, sums, votes, error, y, w):
        """Keep the mean out-of-bag answers and their score; error : the mean loss of the rows with a vote."""
        voted = votes > 0
        answers = np.full(sums.shape, np.nan)
        answers[voted] = sums[voted] / votes[voted, None]
        spread = 1.0
        if not isinstance(self, Classifier):
            answers, y, w = answers[:, 0], y[voted], w[voted]
            spread = np.average((y - np.average(y, weights=w)) ** 2, weights=w) if len(y) else np.nan
        setattr(self, self._oob_name, answers)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.oob_score_ = float(1 - error / np.float64(spread))

    def _oob_arrays(self):
        if not self.oob_score:
            return {}
        return {"oob_score_": np.array([self.oob_score_]), self._oob_name: getattr(self, self._oob_name)}

    def _restore_oob(self, arrays):
        """Take the out-of-bag answers out of the arrays of a file."""
        if not self.oob_score:
            return
        n_rows = int(self._draws.n_rows[0])
        shape = (n_rows, len(self.classes_)) if isinstance(self, Classifier) else (n_rows,)
        self.oob_score_ = float(checked_array(arrays, "oob_score_", float, (1,), finite=False)[0])
        setattr(self, self._oob_name, checked_array(arrays, self._oob_name, float, shape, finite=False))
        for name in ("oob_score_", self._oob_name):
            del arrays[name]

    def _oob_steps(self):
        """How good the out-of-bag answers are, in the words of scikit-learn's `oob_score_`."""
        if not self.oob_score:
            return ()
        formula = r"1 - \text{error}"
        if not isinstance(self, Classifier):
            formula = r"1 - \frac{\text{error}}{\text{variance}(y)}"
        return (Step("out-of-bag score", formula, result=self.oob_score_),)

    def _sample_size(self, n):
        """How many of n rows a member draws."""
        most = 1.0 if self.max_samples is None else self.max_samples
        return int(most) if isinstance(most, Integral) else max(1, round(most * n))

    @property
    def estimators_samples_(self):
        """The rows that each member was fitted to, in their order; drawn again when asked for.

        A row drawn twice is there twice. Rows are counted among those with a weight above 0.
        """
        check_is_fitted(self)
        seeds, (n,), weights = self._draws
        w = weights if len(weights) else np.ones(n)
        samples = [self._sampled(check_random_state(seed), w) for seed in seeds.tolist()]
        return [
            np.repeat(np.arange(n), times) if self.bootstrap else np.flatnonzero(times) for times in samples
        ]

    def _sampled(self, rng, w):
        """How many times each row is drawn."""
        return drawn(rng, w, self._sample_size(number_of_rows(w))) if self.bootstrap else w


class Bagging(Declared, Sampled, OneLearner, Averaging):
    """What bags of classifiers and of regressors share."""

    estimator: Any = None
    n_estimators: int = 10
    max_samples: Annotated[float | None, MAX_SAMPLES] = None
    max_features: Annotated[float, SampleSize(above=0, at_most=1)] = 1.0
    bootstrap: bool = True
    bootstrap_features: bool = False
    oob_score: bool = False
    random_state: Any = None
    n_jobs: int | None = None

    def knobs(self):
        return {"n_estimators": (10, 30, 100), "max_samples": (0.5, None)}

    def _fit(self, rows):
        chunk = gathered(rows)
        votes = OutOfBag(self._losses, len(self._outputs()), chunk.y, chunk.w)
        self.estimators_, seeds = [], self._seeds()
        self._draws = Draws.of(seeds, chunk.w)
        for member, outside, answers in each(seeds, partial(self._grown, chunk)):
            self.estimators_.append(member)
            votes.add(outside, answers)
        self.oob_errors_, self.oob_curve_ = np.array(votes.own), np.array(votes.curve)
        self.oob_error_ = float(self.oob_curve_[-1])
        if self.oob_score:
            if not votes.voters.any():
                raise ParameterError(
                    f"{type(self).__name__}: oob_score needs samples; every member saw all rows"
                )
            self._keep_answers(votes.sums, votes.voters, self.oob_error_, chunk.y, chunk.w)

    def _grown(self, chunk, seed):
        """A member, the rows that it did not see, and its answers to them."""
        X, y, w = chunk
        rng = check_random_state(seed)
        times, X = self._sampled(rng, w), self._columns_drawn(seed, X)
        member = fitted(copied(self._learners()[0], rng), X, self._member_target(y), times)
        outside = np.flatnonzero(times == 0)
        answers = self._answers(member, X.take(outside)) if len(outside) else np.zeros((0, 1))
        return member, outside, answers

    def _columns_drawn(self, seed, X):
        """What the member of this seed sees of the rows."""
        features = self._features(seed, len(X.schema))
        return X if len(features) == len(X.schema) else X.select(tuple(X.names[j] for j in features))

    def _features(self, seed, n):
        """The places of the columns that the member of this seed sees, of n; drawn with replacement, one that
        comes twice is there once.
        """
        width, rng = how_many(self.max_features, n), np.random.RandomState(seed + 1)
        if self.bootstrap_features:
            return np.unique(rng.randint(n, size=width))
        return np.sort(rng.permutation(n)[:width])

    @property
    def estimators_features_(self):
        """The places of the columns that each member sees."""
        check_is_fitted(self)
        return [self._features(seed, len(self.schema_)) for seed in self._draws.seeds.tolist()]

    def _seen_by(self, i, X):
        return self._columns_drawn(int(self._draws.seeds[i]), X)

    def _sampled(self, rng, w):
        """How many times each row is drawn; without the bootstrap a row is drawn as it is, or not."""
        if self.bootstrap:
            return super()._sampled(rng, w)
        chosen = rng.permutation(len(w))[: self._sample_size(len(w))]
        times = np.zeros(len(w))
        times[chosen] = w[chosen]
        return times

    def _arrays(self):
        errors = {"oob_errors_": self.oob_errors_, "oob_curve_": self.oob_curve_}
        return {**errors, **self._draws._asdict(), **self._oob_arrays()}

    def _restore(self, arrays):
        arrays = dict(arrays)
        self.oob_errors_, self.oob_curve_ = arrays.pop("oob_errors_"), arrays.pop("oob_curve_")
        self._draws = Draws(*map(arrays.pop, Draws._fields))
        self._draws.check(len(self.estimators_))
        self._restore_oob(arrays)
        super()._restore(arrays)
        for figures in (self.oob_errors_, self.oob_curve_):
            if figures.shape != (len(self.estimators_),) or (figures < 0).any() or figures.dtype != float:
                raise ValueError("its out-of-bag errors do not match its members")
        self.oob_error_ = float(self.oob_curve_[-1])

    def _work(self):
        cells = np.stack([self.oob_errors_, self.oob_curve_], axis=1).tolist()
        header, names = ["out-of-bag error", "of the vote so far"], self.schema_.names
        if self.bootstrap_features or how_many(self.max_features, len(names)) < len(names):
            header.append("columns")
            seen = (", ".join(names[j] for j in features) for features in self.estimators_features_)
            cells = [[*row, columns] for row, columns in zip(cells, seen, strict=True)]
        roll = self._members_grid(header, cells)
        error = Step("out-of-bag error", self._oob_formula, result=self.oob_error_, note=self._oob_note)
        end = "Each row is judged by the members that did not see it."
        return Work(f"{type(self).__name__} for {self.target_}", (roll, error, *self._oob_steps()), end)


class OutOfBag:
    """The votes that training rows get from members that did not see them."""

    def __init__(self, losses, n_outputs, y, w):
        self.losses, self.y, self.w = losses, y, w
        self.sums, self.voters = np.zeros((len(y), n_outputs)), np.zeros(len(y))
        self.own, self.curve = [], []

    def add(self, outside, answers):
        """One more member's answers to the rows outside its sample."""
        self.sums[outside] += answers
        self.voters[outside] += 1
        voted = np.flatnonzero(self.voters)
        self.own.append(self._error(outside, answers))
        self.curve.append(self._error(voted, self.sums[voted] / self.voters[voted, None]))

    def _error(self, rows, answers):
        """The weighted mean of the losses; NaN of no rows."""
        if not len(rows):
            return np.nan
        return np.average(self.losses(self.y[rows], answers), weights=self.w[rows])


def drawn(rng, weights, size):
    """How many times each row is drawn, with replacement and in proportion to the weights.

    >>> drawn(np.random.RandomState(0), np.array([1.0, 0.0, 3.0]), 8).tolist()
    [0, 0, 8]
    """
    n = len(weights)
    if (weights == 1).all():  # a search that has an answer
        return np.bincount((rng.random_sample(size) * n).astype(np.intp), minlength=n)
    below = np.cumsum(weights)
    rows = np.searchsorted(below, rng.random_sample(size) * below[-1], side="right")
    return np.bincount(np.minimum(rows, len(weights) - 1), minlength=len(weights))


def drawn_by_class(rng, codes, weights):
    """How many times each row is drawn, as many of each class as it has: of few rows, any may lack a class.

    >>> times = drawn_by_class(np.random.RandomState(0), np.array([0, 0, 1]), np.ones(3))
    >>> int(times[:2].sum()), int(times[2])
    (2, 1)
    """
    classes = [codes == c for c in np.unique(codes)]
    return sum(drawn(rng, weights * own, number_of_rows(weights[own])) for own in classes)


class BaggingClassifier(Bagging, AveragingClassifier):
    """Bagging for classification: copies of one classifier, each fitted to a bootstrap sample, vote.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner of which members are copies; None for a full-grown `DecisionTreeClassifier`.
    n_estimators : int, default=10
    max_samples : int, float or None, default=None
    max_features : int or float, default=1.0
        How many columns each member sees, drawn at random: a number, or a share of all.
    bootstrap : bool, default=True
        Whether a row can be drawn twice; if not, draw fewer than all.
    bootstrap_features : bool, default=False
        Whether columns are drawn with replacement; one that is drawn twice is there once.
    oob_score : bool, default=False
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    estimators_ : list
    estimators_samples_ : list of ndarray
        The rows that each member was fitted to; a row drawn twice is there twice.
    estimators_features_ : list of ndarray
        The places of the columns that each member sees.
    oob_error_ : float
        The out-of-bag error: the share of rows predicted wrongly by the members that were not fitted to them;
        NaN if all members were fitted to all rows.
    oob_curve_ : ndarray of shape (n_estimators,)
        That error for the first member, the first two, and so on.
    oob_errors_ : ndarray of shape (n_estimators,)
        The error of each member on the rows it did not see.
    oob_score_ : float
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Breiman (1996), Bagging predictors.

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("iris").split("species")
    >>> model = BaggingClassifier(NaiveBayes(), random_state=0).fit(X, y)
    >>> round(model.oob_error_, 2)
    0.04
    """

    _oob_formula = r"\frac{\sum_i w_i [\hat{y}_i \ne y_i]}{\sum_i w_i}"
    _oob_note = "the share of rows that the vote gets wrong"


class BaggingRegressor(Bagging, AveragingRegressor):
    """Bagging for regression: the mean of copies of one regressor, each fitted to a bootstrap sample.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The learner of which members are copies; None for a full-grown `DecisionTreeRegressor`.
    n_estimators : int, default=10
    max_samples : int, float or None, default=None
    max_features : int or float, default=1.0
        How many columns each member sees, drawn at random: a number, or a share of all.
    bootstrap : bool, default=True
        Whether a row can be drawn twice; if not, draw fewer than all.
    bootstrap_features : bool, default=False
        Whether columns are drawn with replacement; one that is drawn twice is there once.
    oob_score : bool, default=False
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    estimators_ : list
    estimators_samples_ : list of ndarray
        The rows that each member was fitted to; a row drawn twice is there twice.
    estimators_features_ : list of ndarray
        The places of the columns that each member sees.
    oob_error_ : float
        The out-of-bag mean squared error, by the members that were not fitted to a row; NaN if all members
        were fitted to all rows.
    oob_curve_ : ndarray of shape (n_estimators,)
        That error for the first member, the first two, and so on.
    oob_errors_ : ndarray of shape (n_estimators,)
        The error of each member on the rows it did not see.
    oob_score_ : float
    oob_prediction_ : ndarray of shape (n_rows,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Breiman (1996), Bagging predictors.

    Examples
    --------
    >>> from openbook.baseline import ZeroRegressor
    >>> model = BaggingRegressor(ZeroRegressor(), random_state=0).fit([[0], [0], [0]], [1.0, 2.0, 6.0])
    >>> len(model.estimators_)
    10
    """

    _oob_formula = r"\frac{\sum_i w_i (\hat{y}_i - y_i)^2}{\sum_i w_i}"
    _oob_note = "the mean squared error of the vote"
