r"""Ensembles that average: the soft vote of classifiers, the mean of numbers.

    P(c | x) = sum_m a_m P_m(c | x) / sum_m a_m        f(x) = sum_m a_m f_m(x) / sum_m a_m

a_m is the weight of member m, 1 unless an ensemble says otherwise. Predictions have the shape (n_rows,
n_outputs): a column for each class, or one of numbers. The members handle missing cells.
"""

from abc import abstractmethod

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, Regressor, most_probable
from openbook.data.attributes import as_text
from openbook.draw import draw_boundary, draw_fit
from openbook.ensemble.members import Ensemble, probabilities, shortened
from openbook.words.numbers import figure, fraction
from openbook.work import Step, Work


class Averaging(Ensemble):
    """An ensemble whose answer is the weighted mean of its members' answers."""

    @abstractmethod
    def _answers(self, member, X):
        """The answer of a member to each row, (n_rows, n_outputs)."""

    @abstractmethod
    def _losses(self, y, answers):
        """How wrong each answer is."""

    @abstractmethod
    def _outputs(self):
        """The names of the outputs."""

    def _weights(self):
        """The weight of each member."""
        return np.ones(len(self.estimators_))

    def _mean(self, X):
        weights = self._weights()
        parts = (
            weight * self._answers(member, self._seen_by(i, X))
            for i, (member, weight) in enumerate(zip(self.estimators_, weights, strict=True))
        )
        return sum(parts) / weights.sum()

    def _votes_and_mean(self, X):
        """The grid of each member's answer to a row, and the steps to their mean."""
        weights = self._weights().tolist()
        answers = [self._answers(m, self._seen_by(i, X))[0].tolist() for i, m in enumerate(self.estimators_)]
        rows = [[name, weight, *a] for name, weight, a in zip(self._names(), weights, answers, strict=True)]
        grid = shortened("votes", ["member", "weight", *self._outputs()], rows)
        total = sum(weights)
        steps = []
        for k, name in enumerate(self._outputs()):
            weighed = sum(weight * answer[k] for weight, answer in zip(weights, answers, strict=True))
            numbers = fraction(weighed, total)
            steps.append(Step(name, self._formula, numbers, weighed / total))
        return grid, *steps

    def _members_grid(self, header=(), extra=()):
        """The grid of the members; `extra` has a list of cells for each."""
        rows = [
            [name, type(m).__name__, m.complexity() if hasattr(m, "complexity") else None, *cells]
            for name, m, cells in zip(
                self._names(), self.estimators_, extra or [()] * len(self.estimators_), strict=True
            )
        ]
        return shortened("members", ["member", "learner", "size", *header], rows)


class AveragingClassifier(Averaging, Classifier):
    """The soft vote."""

    _formula = r"\frac{\sum_m a_m P_m(c \mid x)}{\sum_m a_m}"

    def _answers(self, member, X):
        return probabilities(member, X, self.classes_)

    def _losses(self, y, answers):
        return most_probable(answers) != y

    def _outputs(self):
        return [f"P({as_text(label)})" for label in self.classes_.tolist()]

    def _proba(self, X):
        return self._mean(X)

    def draw(self, X, y, columns=None):
        """Decision regions of the first members side by side, and of all together.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        columns : sequence of str or None, default=None
            The two columns that vary, across and up; None takes the two by which most predictions change.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        return draw_boundary(self._models_to_draw(), X, y, columns)

    def _work_row(self, X):
        answer = as_text(self.classes_[self._predict(X)][0])
        end = f"Most probable: {self.target_} = {answer}."
        return Work(f"{type(self).__name__} for {self.target_}: one prediction", self._votes_and_mean(X), end)


class AveragingRegressor(Averaging, Regressor):
    """The mean of numbers."""

    _formula = r"\frac{\sum_m a_m f_m(x)}{\sum_m a_m}"

    def _answers(self, member, X):
        return np.asarray(member.predict(X), dtype=float)[:, None]

    def _losses(self, y, answers):
        return (answers[:, 0] - y) ** 2

    def draw(self, X, y, column=None):
        """The curves of the first members side by side, and of all together, over one column.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        column : str or None, default=None
            The column across; None for the one along which predictions differ most.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        return draw_fit(self._models_to_draw(), X, y, column)

    def _outputs(self):
        return [self.target_]

    def _predict(self, X):
        return self._mean(X)[:, 0]

    def _work_row(self, X):
        end = f"The mean: {self.target_} = {figure(self._predict(X)[0])}."
        return Work(f"{type(self).__name__} for {self.target_}: one prediction", self._votes_and_mean(X), end)
