"""AdaBoost: each member is grown on rows weighed by the mistakes of those before it (Freund, Schapire 1997).

    e       = sum of the weights of the rows that the member gets wrong
    alpha   = ν/2 (ln((1 - e) / e) + ln(K - 1))            K classes; the second term is 0 for two
    w_i     = w_i exp(alpha or -alpha) / z                 wrong or right; z makes the weights sum to one
    s_c(x)  = sum of the alphas of the members that decide for c        the largest wins, the first of equals
    P(c|x)  = exp(2 s_c) / sum_k exp(2 s_k)

ν is the learning rate, 1 by default. For several classes that is SAMME (Zhu, Zou, Rosset, Hastie
2009) with half its alpha, so that two classes get the textbook's; the 2 in the probabilities makes up for the
half, and they are those that minimise the exponential loss. Where a member is no better than guessing, e >= 1
- 1/K, it is discarded and the weights are reset. A member without error ends the rounds; its alpha is that of
half a row's error. Where no member is kept, the model predicts the prior: s_c = 1/2 ln P(c), which makes
P(c|x) = P(c). The members handle missing cells.
"""

import math
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, class_names, most_probable
from openbook.border.not_taken import Declared
from openbook.border.rules import Number
from openbook.data import Table
from openbook.draw.charts import line_chart
from openbook.ensemble.bagging import drawn
from openbook.ensemble.members import (
    SHOWN,
    OneLearner,
    copied,
    decided,
    each_decided,
    fitted,
    gathered,
    number_of_rows,
    shortened,
    takes_weights,
)
from openbook.ensemble.rounds import add_votes, boost, narrowest, vote_error
from openbook.tree import DecisionTreeClassifier
from openbook.tree.classifier import TreeClassifier
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: The rounds that are derived step by step, and the branches of a member that are told.
DERIVED, BRANCHES = 5, 4
#: So many cells are what a core's cache can hold.
CELLS = 2**18


class Given(NamedTuple):
    """What members are grown from.

    X : Table; y : int (n,), the classes; weight, n_rows : of all rows
    learner : what members are copies of; encoded : the rows as trees grow from them, or None
    """

    X: Table
    y: np.ndarray
    weight: float
    n_rows: int
    learner: Any
    encoded: Any


class AdaBoostClassifier(Declared, OneLearner, Classifier):
    """AdaBoost: the weighted vote of members, each of which concentrates on the errors of the previous ones.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner of which members are copies. None for a stump: `DecisionTreeClassifier(max_depth=1)` for
        two classes and columns of numbers or ordinal values, all known. Otherwise with `bins=255`, so that
        the cuts of a column with more values than that lie between bins of about equal size: there the exact
        search takes several times as long.
    n_estimators : int, default=50
        The most rounds.
    learning_rate : float, default=1.0
        The share ν of each alpha that is taken. Small steps need more rounds.
    resample : bool, default=False
        Draw each member's rows by their weights instead of giving it the weights. A learner that takes no
        weights gets rows in any case.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    estimators_ : list
        The members that were kept; there may be none.
    classes_ : ndarray of shape (n_classes,)
    prior_ : ndarray of shape (n_classes,)
        The share of each class.
    errors_ : ndarray of shape (n_rounds,)
        The weighted error of the member of each round.
    alphas_ : ndarray of shape (n_rounds,)
        Its vote alpha; 0 if the member was discarded.
    estimator_errors_ : ndarray of shape (n_members,)
        The weighted error of each member that was kept.
    estimator_weights_ : ndarray of shape (n_members,)
        Its vote as scikit-learn counts it: 2 alpha.
    feature_importances_ : ndarray of shape (n_columns,)
        The mean of the importances of the members, by their votes; only if members have some.
    z_ : ndarray of shape (n_rounds,)
        What makes the weights sum to one.
    vote_errors_ : ndarray of shape (n_rounds,)
        The training error of the vote after each round.
    weights_ : ndarray of shape (n_rounds + 1, 30)
        The weights of the first 30 rows, before the first round and after each.

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Freund and Schapire (1997). Zhu, Zou, Rosset and Hastie (2009), for several classes.

    Examples
    --------
    >>> import math
    >>> from openbook.baseline import OneR
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> model = AdaBoostClassifier(OneR(), n_estimators=2).fit(X, y)
    >>> alpha = model.work()["alpha, round 1"]  # 4 of 14 are wrong
    >>> math.isclose(alpha.result, 0.5 * math.log(10 / 4))
    True
    """

    estimator: Any = None
    n_estimators: int = 50
    learning_rate: Annotated[float, Number(above=0)] = 1.0
    resample: bool = False
    random_state: Any = None

    def knobs(self):
        return {"n_estimators": (10, 50, 200)}

    def _default(self):
        return DecisionTreeClassifier(max_depth=1, bins=255)

    def _fit(self, rows):
        X, y, start = gathered(rows)
        del rows  # which would hold the classes and weights a second time
        y, weight, n_rows = narrowest(y, len(self.classes_)), start.sum(), number_of_rows(start)
        start /= weight
        self.prior_ = np.bincount(y, start, len(self.classes_))
        given = self._given(X, y, start, weight, n_rows)
        grow = partial(self._grown, given, check_random_state(self.random_state))
        scores = np.zeros((len(y), len(self.classes_)))
        self.estimators_, figures, shown = [], [], [start[:SHOWN]]
        least = min(0.5 / n_rows, 0.25)  # of one row, half an error would be no better than guessing
        settings = (len(self.classes_), self.n_estimators, least, self.learning_rate)
        for turn in boost(grow, y, start, *settings):
            if turn.member is not None:
                self.estimators_.append(turn.member)
            add_votes(scores, turn.decisions, turn.alpha)
            voted = scores if self.estimators_ else self._prior_scores(len(y))
            figures.append([turn.error, turn.alpha, turn.z, vote_error(voted, y, start)])
            shown.append(turn.weights[:SHOWN].copy())  # of all weights, no more is kept
        self.errors_, self.alphas_, self.z_, self.vote_errors_ = np.array(figures).T.copy()
        self.weights_ = np.array(shown)

    def _given(self, X, y, start, weight, n_rows):
        """What members are grown from, with the rows encoded where members are trees."""
        learner, target = self._learners()[0], self._member_target(y)
        if self.resample or not getattr(learner, "_grows_again", False):
            return Given(X, y, weight, n_rows, learner, None)
        stump = DecisionTreeClassifier(max_depth=1)
        if self.estimator is None and (encoded := clone(stump)._presorted(X, target)):  # noqa: SLF001 (trees)
            return Given(X, y, weight, n_rows, stump, encoded)
        encoded = clone(learner)._encoded(X, target, start * weight)  # noqa: SLF001 (trees)
        return Given(X, y, weight, n_rows, learner, encoded)

    def _grown(self, given, rng, weights):
        """A member of these weights, and what it decides for every row."""
        X, y, weight, n_rows, learner, encoded = given
        if self.resample or not takes_weights(type(learner).fit):
            times = drawn(rng, weights, n_rows)
        else:
            times = weights * weight  # learners that want so many rows in a leaf mean rows of weight 1
        member = copied(learner, rng)
        if encoded is not None and times.all():
            decisions = encoded.grow(member, times)
        else:
            fitted(member, X, self._member_target(y), times)
            decisions = decided(member, X, self.classes_)
        return member, narrowest(decisions, len(self.classes_))

    def decision_function(self, X):
        """The score of each class: the sum of the votes for it.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows, n_classes) or (n_rows,)
            For two classes, how far the score of the second exceeds the first.
        """
        check_is_fitted(self)
        scores = self._each(X, self._scores)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _prior_scores(self, n_rows):
        """The scores of rows for which no member votes."""
        with np.errstate(divide="ignore"):  # a class may have no weight
            return np.tile(np.log(self.prior_) / 2, (n_rows, 1))

    def _scores(self, X):
        if not self.estimators_:
            return self._prior_scores(len(X))
        scores, start = np.zeros((len(X), len(self.classes_))), 0
        for some in X.chunks(self._rows_at_once(X)):
            own = scores[start : start + len(some)]
            start += len(some)
            votes = each_decided(self.estimators_, some, self.classes_)
            for decisions, alpha in zip(votes, self._kept_alphas(), strict=True):
                add_votes(own, narrowest(decisions, len(self.classes_)), alpha)
        return scores

    def _rows_at_once(self, X):
        """How many rows go from tree to tree together: their cells stay in the cache. Others take all."""
        trees = all(isinstance(member, TreeClassifier) for member in self.estimators_)
        return max(CELLS // len(X.schema) if trees else len(X), 1)

    def draw(self):
        """The training error of the vote after each round, and the weighted error of each member.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        rounds = np.arange(1, len(self.errors_) + 1)
        lines = {"vote": (rounds, self.vote_errors_), "member, weighted": (rounds, self.errors_)}
        note = "On the training rows."
        return line_chart(f"AdaBoost for {self.target_}", ("round", "error"), lines, (note,))

    def staged_predict(self, X):
        """What the first member says of each row, then the first two together, and so on.

        Parameters
        ----------
        X : table-like or Scan

        Yields
        ------
        ndarray of shape (n_rows,)
        """
        for scores in self._staged(X):
            yield self.classes_[most_probable(scores)]

    def staged_predict_proba(self, X):
        """The probability of each class after the vote of the first member, the second, and so on.

        Parameters
        ----------
        X : table-like or Scan

        Yields
        ------
        ndarray of shape (n_rows, n_classes)
        """
        for scores in self._staged(X):
            yield _softmax(2 * scores)

    def staged_score(self, X, y):
        """The accuracy after the vote of the first member, the second, and so on.

        Parameters
        ----------
        X : table-like or Scan
        y : array-like

        Yields
        ------
        float
        """
        for predicted in self.staged_predict(X):
            yield float(np.mean(predicted == np.asarray(y)))

    def _staged(self, X):
        """The scores after each member's vote, in one array that grows."""
        votes = self._each(X, self._votes)
        scores = np.zeros((len(votes), len(self.classes_)))
        for own, alpha in zip(votes.T, self._kept_alphas(), strict=True):
            add_votes(scores, narrowest(own, len(self.classes_)), alpha)
            yield scores

    def _votes(self, X):
        """The class that each member decides for, (n_rows, n_members)."""
        votes = np.zeros((len(X), len(self.estimators_)), dtype=np.intp)
        for i, decisions in enumerate(each_decided(self.estimators_, X, self.classes_)):
            votes[:, i] = decisions
        return votes

    def _kept_alphas(self):
        return self.alphas_[self.alphas_ != 0]

    @property
    def estimator_errors_(self):
        """The weighted error of each member."""
        check_is_fitted(self)
        return self.errors_[self.alphas_ != 0]

    @property
    def estimator_weights_(self):
        """The vote of each member, twice its alpha."""
        check_is_fitted(self)
        return 2 * self._kept_alphas()

    @property
    def feature_importances_(self):
        """The importances of the members, by their votes."""
        check_is_fitted(self)
        if not self.estimators_:
            return np.zeros(len(self.schema_))
        return np.average(
            [member.feature_importances_ for member in self.estimators_], axis=0, weights=self._kept_alphas()
        )

    def _predict(self, X):
        return most_probable(self._scores(X))

    def _proba(self, X):
        return _softmax(2 * self._scores(X))

    def _arrays(self):
        names = ("prior_", "errors_", "alphas_", "z_", "vote_errors_", "weights_")
        return {name: getattr(self, name) for name in names}

    def _restore(self, arrays):
        arrays = dict(arrays)
        rounds = len(arrays["alphas_"])
        for name in ("errors_", "alphas_", "z_", "vote_errors_"):
            figures = arrays.pop(name)
            if figures.shape != (rounds,) or not np.isfinite(figures).all():
                raise ValueError(f"array {name!r} does not have one number for each round")
            setattr(self, name, figures)
        self.weights_ = arrays.pop("weights_")
        self.prior_ = self._restored_prior(arrays)
        super()._restore(arrays)
        if self.weights_.ndim != 2 or len(self.weights_) != rounds + 1:
            raise ValueError("its weights do not match its rounds")
        if len(self._kept_alphas()) != len(self.estimators_):
            raise ValueError("it does not have one alpha for each member")

    def _restored_prior(self, arrays):
        """The prior of a file; those saved before it was kept always have members, which say more."""
        n_classes = len(self.classes_)
        prior = arrays.pop("prior_", np.full(n_classes, 1 / n_classes))
        if prior.shape != (n_classes,) or (prior < 0).any() or not math.isclose(prior.sum(), 1):
            raise ValueError("its prior is not one share for each class")
        return prior

    def _check_members(self):
        if self.estimators_:
            super()._check_members()

    def _work(self):
        figures = np.stack([self.errors_, self.alphas_, self.z_, self.vote_errors_], axis=1).tolist()
        rows = [[i, *row] for i, row in enumerate(figures, start=1)]
        header = ["round", "error", "alpha", "z", "error of the vote"]
        rounds = [self._round(i) for i in range(min(DERIVED, len(rows)))]
        parts = (*rounds, shortened("rounds", header, rows), self._weights_grid(), *self._bound())
        if not self.estimators_:
            end = "No member is better than guessing, so none is kept: the model predicts the prior."
            return Work(f"AdaBoost for {self.target_}", (*parts, *self._prior_steps()), end)
        votes = "votes" if len(self.estimators_) == 1 else "vote, each"
        end = f"{plural(len(self.estimators_), 'member')} {votes} with the weight alpha."
        return Work(f"AdaBoost for {self.target_}", parts, end)

    def _round(self, i):
        """The derivation of a round."""
        error, alpha, z = (float(figures[i]) for figures in (self.errors_, self.alphas_, self.z_))
        e, several = figure(error), len(self.classes_) - 1
        steps = [
            Step(
                f"error, round {i + 1}", r"\sum_{i: h(x_i) \ne y_i} w_i", result=error, note=self._branches(i)
            )
        ]
        if alpha == 0:
            end = "No better than guessing: the member is discarded, and the weights are reset."
            return Work(f"Round {i + 1}", tuple(steps), end)
        if error == 0:
            note = "an error of 0 counts as half a row"
            steps.append(Step(f"alpha, round {i + 1}", result=alpha, note=note))
        else:
            formula, numbers = (
                r"\frac{1}{2} \ln \frac{1 - e}{e}",
                rf"\frac{{1}}{{2}} \ln \frac{{1 - {e}}}{{{e}}}",
            )
            if several > 1:
                formula += r" + \frac{1}{2} \ln (K - 1)"
                numbers += rf" + \frac{{1}}{{2}} \ln {several}"
            if self.learning_rate != 1:
                formula = rf"\nu \left( {formula} \right)"
                numbers = rf"{figure(self.learning_rate)} \left( {numbers} \right)"
            steps.append(Step(f"alpha, round {i + 1}", formula, numbers, alpha))
        a = figure(alpha)
        steps.append(
            Step(
                f"z, round {i + 1}",
                r"(1 - e) \exp(-\alpha) + e \exp(\alpha)",
                rf"(1 - {e}) \exp(-{a}) + {e} \exp({a})",
                z,
            )
        )
        for verdict, sign in (("right", "-"), ("wrong", "")):
            formula, numbers = (
                rf"\frac{{\exp({sign}{x})}}{{{y}}}" for x, y in ((r"\alpha", "z"), (a, figure(z)))
            )
            factor = math.exp(-alpha if sign else alpha) / z
            steps.append(Step(f"weights times, if {verdict}", formula, numbers, factor))
        return Work(f"Round {i + 1}", tuple(steps))

    def _branches(self, i):
        """What the member of a round says, where that is short: the branches of a stump."""
        place = int((self.alphas_[:i] != 0).sum())
        if self.alphas_[i] == 0 or not hasattr(member := self.estimators_[place], "rules"):
            return ""
        rules = member.rules()
        return "; ".join(map(str, rules)) if len(rules) <= BRANCHES else ""

    def _weights_grid(self):
        """The weights of the first rows, before the first rounds and after each."""
        shown = self.weights_[: DERIVED + 1]
        header = ["row", "start", *(f"after {i}" for i in range(1, len(shown)))]
        note = f"the first {SHOWN} rows" if shown.shape[1] == SHOWN else ""
        return Grid("weights", header, [[i, *row] for i, row in enumerate(shown.T.tolist())], note)

    def _prior_steps(self):
        """The shares of the classes, which are all that a model without members knows."""
        labels = class_names(self)
        return [
            Step(f"P({label})", r"\sum_{i: y_i = c} w_i", result=share)
            for label, share in zip(labels, self.prior_.tolist(), strict=True)
        ]

    def _bound(self):
        """What the training error cannot exceed: for two classes, as long as the weights never began anew."""
        if len(self.classes_) != 2 or (self.alphas_ == 0).any():
            return []
        return [
            Step(
                "bound of the vote's error",
                r"\prod_t z_t",
                r" \cdot ".join(figure(float(z)) for z in self.z_) if len(self.z_) <= DERIVED else "",
                float(np.prod(self.z_)),
            )
        ]

    def _work_row(self, X):
        labels = class_names(self)
        alphas = self._kept_alphas().tolist()
        votes = self._votes(X)[0].tolist()
        rows = [
            [name, "no decision" if vote < 0 else labels[vote], alpha]
            for name, vote, alpha in zip(self._names(), votes, alphas, strict=True)
        ]
        scores, proba = self._scores(X)[0].tolist(), self._proba(X)[0].tolist()
        steps = [
            self._score_step(label, [a for a, vote in zip(alphas, votes, strict=True) if vote == c], c, s)
            for c, (label, s) in enumerate(zip(labels, scores, strict=True))
        ]
        steps += [
            Step(f"P({label})", r"\frac{\exp(2 s_c)}{\sum_k \exp(2 s_k)}", result=p)
            for label, p in zip(labels, proba, strict=True)
        ]
        parts = (shortened("votes", ["member", "vote", "alpha"], rows), *steps)
        end = f"Largest score: {self.target_} = {labels[scores.index(max(scores))]}."
        return Work(f"AdaBoost for {self.target_}: one prediction", parts, end)

    def _score_step(self, label, alphas, c, score):
        """The score of a class: the alphas of those who vote for it, or its prior where nobody votes."""
        if not self.estimators_:
            numbers = rf"\frac{{1}}{{2}} \ln {figure(float(self.prior_[c]))}"
            return Step(f"s({label})", r"\frac{1}{2} \ln P(c)", numbers, score)
        numbers = " + ".join(map(figure, alphas)) if len(alphas) <= SHOWN else ""
        return Step(f"s({label})", r"\sum_{m: h_m(x) = c} \alpha_m", numbers, score)


def _softmax(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
