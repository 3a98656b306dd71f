"""The base of voting and stacking: ensembles of different learners with names."""

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin, clone
from sklearn.utils import Bunch
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted

from openbook.ensemble.members import Ensemble, fitted
from openbook.errors import ParameterError


class Team(TransformerMixin, Ensemble, _BaseComposition):
    """An ensemble of named learners; `set_params(bayes__variance=…)` reaches into them."""

    _required_parameters = ["estimators"]
    estimators: Any

    def get_params(self, deep=True):
        """The parameters, with those of the learners as name__parameter if `deep`."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params):
        """Set parameters, those of the learners too."""
        return self._set_params("estimators", **params)

    def transform(self, X):
        """What each member says of each row, member by member.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_outputs)
            Numbers in regression; probabilities in classification, of two classes under stacking that of the
            second; for hard votes the position in `classes_` that the member votes for.
        """
        return self._each(X, self._member_outputs)

    def get_feature_names_out(self, input_features=None):  # noqa: ARG002 (as scikit-learn)
        """The names of what `transform` gives: the class, the member, and the output where it has several.

        Parameters
        ----------
        input_features : ignored, default=None
            Taken since pipelines pass it.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        prefix, n = type(self).__name__.lower(), self._n_transformed_outputs()
        ends = [""] if n == 1 else [str(i) for i in range(n)]
        return np.array([f"{prefix}_{name}{end}" for name in self._names() for end in ends], dtype=object)

    @property
    def named_estimators_(self):
        """The fitted members by their names, also as attributes: `named_estimators_.bayes`."""
        check_is_fitted(self)
        return Bunch(**dict(zip(self._names(), self.estimators_, strict=True)))

    def _member_outputs(self, X):
        return np.hstack([self._transformed_outputs(self._answers(member, X)) for member in self.estimators_])

    def _transformed_outputs(self, answers):
        """The outputs of a member that `transform` gives, (n_rows, n)."""
        return answers

    def _n_transformed_outputs(self):
        """How many outputs of a member `transform` gives."""
        return len(self._outputs())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # members say what they say
        return tags

    def _learners(self):
        return [learner for _, learner in self.estimators]

    def _names(self):
        return [name for name, _ in self.estimators]

    def _check_learners(self):
        who = type(self).__name__
        pairs = all(isinstance(pair, tuple) and len(pair) == 2 for pair in self.estimators or ())
        if not self.estimators or not pairs:
            msg = f"{who}: estimators must be pairs of a name and a learner, such as ('bayes', NaiveBayes())"
            raise ParameterError(msg)
        names = self._names()
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ParameterError(f"{who}: two learners are called {twice!r}; rename one of them")
        super()._check_learners()

    def _check_members(self):
        super()._check_members()
        if len(self.estimators_) != len(self.estimators):
            raise ValueError("it does not have one member for each learner")

    def _copy_fitted(self, chunk, learner):
        """A copy of a learner, fitted to these rows."""
        return fitted(clone(learner), chunk.X, self._member_target(chunk.y), chunk.w)

    def _works_of_members(self):
        """How each member was learnt, where it can say."""
        return [member.work() for member in self.estimators_ if hasattr(member, "work")]
