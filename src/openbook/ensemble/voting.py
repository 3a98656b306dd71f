"""Voting: the majority, or the mean, of different learners.

    hard   P(c | x) = sum of the weights of the members that decide for c / sum of all weights
    soft   P(c | x) = weighted mean of the members' P_m(c | x)
    f(x)   = weighted mean of the members' numbers

The most probable class wins, the first of equals. scikit-learn's classes of these names let tables through
too, but their members see codes instead of labels, and they show no work. The members handle missing cells.
"""

from functools import partial
from typing import Annotated, Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, OneOf
from openbook.ensemble.averaging import Averaging, AveragingClassifier, AveragingRegressor
from openbook.ensemble.members import decisions, gathered
from openbook.ensemble.teams import Team
from openbook.errors import ParameterError
from openbook.fold import each
from openbook.work import Work

WEIGHTS = Anything("None or a weight for each learner")


class Voting(Team, Averaging):
    """What votes on classes and on numbers share."""

    def _fit(self, rows):
        chunk = gathered(rows)
        self.estimators_ = list(each(self._learners(), partial(self._copy_fitted, chunk)))

    def _check_learners(self):
        super()._check_learners()
        self._check_weights()

    def _check_weights(self):
        if self.weights is None:
            return
        weights, n = np.asarray(self.weights, dtype=float), len(self.estimators)
        if weights.shape != (n,) or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
            raise ParameterError(
                f"{type(self).__name__}: weights must be {n} numbers, none below zero and not all zero, got"
                f" {self.weights!r}"
            )

    def _weights(self):
        return super()._weights() if self.weights is None else np.asarray(self.weights, dtype=float)

    def _check_members(self):
        super()._check_members()
        self._check_weights()

    def _work(self):
        roll = self._members_grid(["weight"], self._weights()[:, None].tolist())
        return Work(f"{type(self).__name__} for {self.target_}", (roll, *self._works_of_members()))


class VotingClassifier(Declared, Voting, AveragingClassifier):
    """Voting: the majority (hard vote) or the mean probability (soft vote) of different classifiers.

    Parameters
    ----------
    estimators : list of (str, classifier)
        The members, each with a name.
    voting : {"hard", "soft"}, default="hard"
        Count decisions, or average probabilities.
    weights : sequence of float or None, default=None
        How much the vote of each member counts; None for the same.
    n_jobs : int or None, default=None
    flatten_transform : bool, default=True
        Whether `transform` puts the probabilities of a soft vote side by side; else it stacks the members.

    Attributes
    ----------
    estimators_ : list
    named_estimators_ : Bunch
        The same, by name.
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.baseline import OneR, ZeroR
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("weather").split("play")
    >>> team = [("0R", ZeroR()), ("1R", OneR()), ("bayes", NaiveBayes())]
    >>> model = VotingClassifier(team).fit(X, y)
    >>> model.predict_proba(X.head(1)).round(2).tolist()  # 0R says yes, the others no
    [[0.67, 0.33]]
    """

    estimators: Any
    voting: Annotated[str, OneOf("hard", "soft")] = "hard"
    weights: Annotated[Any, WEIGHTS] = None
    n_jobs: int | None = None
    flatten_transform: bool = True

    def knobs(self):
        return {"voting": ("hard", "soft")}

    def _answers(self, member, X):
        return decisions(member, X, self.classes_) if self.voting == "hard" else super()._answers(member, X)

    def transform(self, X):
        """What each member says of each row.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray
            For hard votes the position in `classes_` that each member votes for, (n_rows, n_members). For
            soft votes probabilities: (n_rows, n_members * n_classes), or (n_members, n_rows, n_classes) with
            `flatten_transform=False`.
        """
        outputs = super().transform(X)
        if self.voting == "hard" or self.flatten_transform:
            return outputs
        return outputs.reshape(len(outputs), len(self.estimators_), -1).swapaxes(0, 1)

    def _transformed_outputs(self, answers):
        return answers.argmax(axis=1)[:, None] if self.voting == "hard" else answers

    def _n_transformed_outputs(self):
        return 1 if self.voting == "hard" else super()._n_transformed_outputs()


class VotingRegressor(Declared, Voting, AveragingRegressor):
    """Voting for regression: the weighted mean of different regressors.

    Parameters
    ----------
    estimators : list of (str, regressor)
        The members, each with a name.
    weights : sequence of float or None, default=None
        How much the vote of each member counts; None for the same.
    n_jobs : int or None, default=None

    Attributes
    ----------
    estimators_ : list
    named_estimators_ : Bunch
        The same, by name.

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> from openbook.baseline import ZeroRegressor
    >>> team = [("mean", ZeroRegressor()), ("median", ZeroRegressor("median"))]
    >>> VotingRegressor(team, weights=[1, 3]).fit([[0], [0], [0]], [1.0, 2.0, 6.0]).predict([[0]]).tolist()
    [2.25]
    """

    estimators: Any
    weights: Annotated[Any, WEIGHTS] = None
    n_jobs: int | None = None
