"""Ensembles of different learners, each under a name of its own: what voting and stacking share."""

from typing import Any

from sklearn.base import clone
from sklearn.utils.metaestimators import _BaseComposition

from openbook.ensemble.members import Ensemble, fitted
from openbook.errors import ParameterError

__all__ = ["Team"]


class Team(Ensemble, _BaseComposition):
    """An ensemble of named learners; `set_params(bayes__variance=…)` reaches into them."""

    _required_parameters = ["estimators"]
    estimators: Any

    def get_params(self, deep=True):
        """The parameters, with those of the learners as name__parameter if `deep`."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params):
        """Set parameters, those of the learners too."""
        return self._set_params("estimators", **params)

    def _learners(self):
        return [learner for _, learner in self.estimators]

    def _names(self):
        return [name for name, _ in self.estimators]

    def _check_learners(self):
        who = type(self).__name__
        if not self.estimators or not all(
            isinstance(pair, tuple) and len(pair) == 2 for pair in self.estimators
        ):
            msg = f"{who}: estimators must be pairs of a name and a learner, such as ('bayes', NaiveBayes())"
            raise ParameterError(msg)
        names = self._names()
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            msg = f"{who}: two learners are called {twice!r}; rename one of them"
            raise ParameterError(msg)
        super()._check_learners()

    def _check_members(self):
        super()._check_members()
        if len(self.estimators_) != len(self.estimators):
            msg = "it does not have one member for each learner"
            raise ValueError(msg)

    def _copy_fitted(self, chunk, learner):
        """A copy of a learner, fitted to these rows."""
        return fitted(clone(learner), chunk.X, self._told(chunk.y), chunk.w)

    def _works_of_members(self):
        """How each member was learnt, where it can say."""
        return [member.work() for member in self.estimators_ if hasattr(member, "work")]
