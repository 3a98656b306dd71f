"""Stacking: different learners, and one that learns how much weight each deserves (Wolpert 1992; Breiman
1996).

    Z[i, m]   the prediction of row i by member m, fitted to the folds that row i is not in
    blend     min over a >= 0 of sum_i w_i |y_i - sum_m a_m Z[i, m]|^2, then a / sum a
    answer    sum_m a_m f_m(x), with the members fitted to all rows

Without a final learner the predictions are blended: a weighted vote with learnt weights. For classes Z holds
probabilities, and y_i is 1 at its class and 0 elsewhere. A final learner is fitted to Z as a table, with a
column for each output, and the columns of X if they pass through. Z is always out of fold, since predictions
on training rows are optimistic. Folds are stratified by the order of the target, and the same rows give the
same folds. The members handle missing cells.
"""

from functools import partial
from itertools import product
from typing import Annotated, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.rows import Chunk
from openbook.border.rules import OneOf, Whole
from openbook.data import Numeric, Schema, Table
from openbook.ensemble.averaging import Averaging, AveragingClassifier, AveragingRegressor
from openbook.ensemble.members import decisions, fitted, gathered
from openbook.ensemble.teams import Team
from openbook.errors import DataError, ParameterError
from openbook.fold import each
from openbook.linear import LinearRegression, LogisticRegression
from openbook.work import Step, Work


class Stacking(Declared, Team, Averaging):
    """What stacks of classifiers and of regressors share."""

    estimators: Any
    final_estimator: Any = None
    cv: Annotated[Any, Whole(at_least=2)] = 5
    passthrough: bool = False
    n_jobs: int | None = None

    def _fit(self, rows):
        chunk = gathered(rows)
        outside = self._out_of_fold(chunk)
        self.estimators_ = list(each(self._learners(), partial(self._copy_fitted, chunk)))
        final = self._final_learner()
        if final is None:
            self.final_, self.blend_ = None, blend(outside, self._ideal(chunk.y), chunk.w)
        else:
            self.final_ = fitted(
                final, self._second_table(outside, chunk.X), self._member_target(chunk.y), chunk.w
            )
            self.blend_ = np.zeros(0)

    def _check_learners(self):
        super()._check_learners()
        if self.final_estimator is not None:
            self._check_learner(self.final_estimator)

    def _final_learner(self):
        """The learner that combines the members, unfitted; None if they are blended by weights."""
        if self.final_estimator is None and self.passthrough:
            return self._usual_final()  # weights cannot see X
        return None if self.final_estimator is None else clone(self.final_estimator)

    def _out_of_fold(self, chunk):
        """The out-of-fold predictions of each member, (n_members, n_rows, n_outputs)."""
        n_rows = len(chunk.y)
        if n_rows < 2:
            raise DataError(f"{type(self).__name__} needs at least 2 rows for its folds: there is 1 sample")
        n_folds = min(self.cv, n_rows)
        folds = dealt_folds(chunk.y, n_folds)
        tasks = list(product(range(len(self.estimators)), range(n_folds)))
        answers = each(tasks, partial(self._held_out, chunk, folds))
        outside = np.zeros((len(self.estimators), n_rows, len(self._outputs())))
        for (m, fold), answer in zip(tasks, answers, strict=True):
            outside[m, folds == fold] = answer
        return outside

    def _held_out(self, chunk, folds, task):
        """The answers to a fold of a learner that saw the others."""
        m, fold = task
        rest = np.flatnonzero(folds != fold)
        seen = Chunk(chunk.X.take(rest), chunk.y[rest], chunk.w[rest])
        member = self._copy_fitted(seen, self._learners()[m])
        return self._answers(member, chunk.X.take(np.flatnonzero(folds == fold)))

    def _second_table(self, answers, X):
        """The members' answers as the table that the final learner sees, with X beside them if it passes."""
        outputs = [*zip(self._outputs(), answers.T, strict=True)]
        if len(outputs) == 2:
            outputs = outputs[1:]  # of two classes, one says it all
        columns = [(f"{m}: {o}", a[:, i]) for o, a in outputs for i, m in enumerate(self._names())]
        attributes, data = [Numeric(name) for name, _ in columns], [data for _, data in columns]
        if self.passthrough:
            attributes, data = [*attributes, *X.schema], [*data, *X.columns]
        return Table(Schema(tuple(attributes)), data)

    def _transformed_outputs(self, answers):
        return answers[:, 1:] if answers.shape[1] == 2 else answers  # of two classes, one says it all

    def _n_transformed_outputs(self):
        return 1 if len(self._outputs()) == 2 else super()._n_transformed_outputs()

    def _weights(self):
        return self.blend_

    @property
    def final_estimator_(self):
        """The fitted final learner, or None where members are blended by weights."""
        check_is_fitted(self)
        return self.final_

    def _mean(self, X):
        if self.final_ is None:
            return super()._mean(X)
        return self._answers(self.final_, self._second_rows(X))

    def _second_rows(self, X):
        return self._second_table(np.stack([self._answers(member, X) for member in self.estimators_]), X)

    def complexity(self):
        """The size of all members, and of what is learnt about them.

        Returns
        -------
        int
        """
        return super().complexity() + (len(self.blend_) if self.final_ is None else self._size(self.final_))

    def _arrays(self):
        return {"blend_": self.blend_}

    def _restore(self, arrays):
        arrays = dict(arrays)
        self.blend_ = arrays.pop("blend_")
        super()._restore(arrays)
        wanted = len(self.estimators_) if self.final_ is None else 0
        if self.blend_.shape != (wanted,) or (self.blend_ < 0).any() or (wanted and not self.blend_.any()):
            raise ValueError("its weights do not match its members")

    def _saved(self):
        saved = super()._saved()
        final = {} if self.final_ is None else {"final": self.final_}
        return saved._replace(members={**saved.members, **final})

    def _opened(self, saved):
        members = dict(saved.members)
        self.final_ = members.pop("final", None)
        super()._opened(saved._replace(members=members))
        nothing = np.zeros((len(members), 0, len(self._outputs())))
        second = self._second_table(nothing, Table(self.schema_, [np.zeros(0)] * len(self.schema_)))
        if (self.final_ is None) != (self._final_learner() is None) or (
            self.final_ is not None and self.final_.schema_.names != second.names
        ):
            raise ValueError("its final learner does not match its members")

    def _work(self):
        if self.final_ is None:
            roll = self._members_grid(["weight"], self.blend_[:, None].tolist())
            rule = Step("weights", r"\arg\min_{a \ge 0} \sum_i w_i \left( y_i - \sum_m a_m z_{im} \right)^2")
            parts = [roll, rule]
        else:
            parts = [self._members_grid(), *_works(self.final_)]
        end = f"Out-of-fold predictions of the members, in {self.cv} folds, determine their weights."
        return Work(f"{type(self).__name__} for {self.target_}", (*parts, *self._works_of_members()), end)

    def _votes_and_mean(self, X):
        if self.final_ is None:
            return super()._votes_and_mean(X)
        table = self._second_rows(X)
        answers = [Step(name, result=table.column(name)[0]) for name in table.names]
        means = zip(self._outputs(), self._mean(X)[0].tolist(), strict=True)
        return *answers, *_works(self.final_, table), *(Step(name, result=value) for name, value in means)


def _works(learner, row=None):
    """The work of a learner, if it can show it."""
    return [learner.work(row)] if hasattr(learner, "work") else []


def blend(outside, ideal, weights):
    """The weights of the members that come closest to the truth, none below zero; they sum to one.

    outside : float64 (n_members, n_rows, n_outputs)
    ideal : float64 (n_rows, n_outputs)
    weights : float64 (n_rows,)
    """
    from scipy.optimize import nnls

    roots = np.sqrt(weights)[:, None]
    system = np.column_stack([(roots * answers).ravel() for answers in (*outside, ideal)])
    _, small = np.linalg.qr(system)  # the same squares, in as many rows as there are columns
    shares = nnls(small[:, :-1], small[:, -1])[0]
    return shares / shares.sum() if shares.any() else np.full(len(shares), 1 / len(shares))


def dealt_folds(y, n_folds):
    """The fold of each row: rows in the order of the target are dealt out like cards.

    >>> dealt_folds(np.array([0, 0, 1, 0, 1]), 2).tolist()
    [0, 1, 1, 0, 0]
    """
    folds = np.empty(len(y), dtype=np.intp)
    folds[np.argsort(y, kind="stable")] = np.arange(len(y)) % n_folds
    return folds


class StackingClassifier(Stacking, AveragingClassifier):
    """Stacking for classification: a second learner combines the out-of-fold predictions of the members.

    Parameters
    ----------
    estimators : list of (str, classifier)
        The members, each with a name.
    final_estimator : classifier or None, default=None
        It learns the class from the members' probabilities. None blends them by weights that are learnt, and
        with `passthrough` is logistic regression.
    cv : int, default=5
        The number of folds by which members predict the rows that the blend is learnt from.
    passthrough : bool, default=False
        Whether the final learner also sees the columns of X.
    n_jobs : int or None, default=None
    stack_method : {"auto", "predict_proba", "predict"}, default="auto"
        The outputs of the members: probabilities, or decisions. "auto" takes decisions if a member has no
        probabilities.

    Attributes
    ----------
    estimators_ : list
        The members, fitted to all rows.
    named_estimators_ : Bunch
        The same, by name.
    blend_ : ndarray of shape (n_members,)
        The weight of each member; empty if there is a final learner.
    final_estimator_ : estimator or None
        The fitted final learner, if there is one.
    final_ : estimator or None
        The same.
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Wolpert (1992), Stacked generalization. Breiman (1996), Stacked regressions.

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.baseline import ZeroR
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("iris").split("species")
    >>> StackingClassifier([("0R", ZeroR()), ("bayes", NaiveBayes())]).fit(X, y).blend_.round(2).tolist()
    [0.03, 0.97]
    """

    stack_method: Annotated[str, OneOf("auto", "predict_proba", "predict")] = "auto"

    def _check_learners(self):
        super()._check_learners()
        for learner in self._learners():
            if self.stack_method == "predict_proba" and not hasattr(learner, "predict_proba"):
                name = type(learner).__name__
                msg = f"{type(self).__name__}: {name} has no predict_proba; use stack_method='auto'"
                raise ParameterError(msg)

    def _answers(self, member, X):
        if self.stack_method == "predict" and member is not getattr(self, "final_", None):
            return decisions(member, X, self.classes_)
        return super()._answers(member, X)

    def _ideal(self, y):
        return np.eye(len(self.classes_))[y]

    def _usual_final(self):
        return LogisticRegression()


class StackingRegressor(Stacking, AveragingRegressor):
    """Stacking for regression: a second learner combines the out-of-fold predictions of the members.

    Parameters
    ----------
    estimators : list of (str, regressor)
        The members, each with a name.
    final_estimator : regressor or None, default=None
        It learns the number from the members' numbers. None blends them by weights that are learnt, and with
        `passthrough` is linear regression.
    cv : int, default=5
        The number of folds by which members predict the rows that the blend is learnt from.
    passthrough : bool, default=False
        Whether the final learner also sees the columns of X.
    n_jobs : int or None, default=None

    Attributes
    ----------
    estimators_ : list
        The members, fitted to all rows.
    named_estimators_ : Bunch
        The same, by name.
    blend_ : ndarray of shape (n_members,)
        The weight of each member; empty if there is a final learner.
    final_estimator_ : estimator or None
        The fitted final learner, if there is one.
    final_ : estimator or None
        The same.

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Wolpert (1992), Stacked generalization. Breiman (1996), Stacked regressions.

    Examples
    --------
    >>> from openbook.baseline import ZeroRegressor
    >>> team = [("mean", ZeroRegressor()), ("median", ZeroRegressor("median"))]
    >>> len(StackingRegressor(team).fit([[0], [0], [0]], [1.0, 2.0, 6.0]).blend_)
    2
    """

    def _ideal(self, y):
        return y[:, None]

    def _usual_final(self):
        return LinearRegression()
