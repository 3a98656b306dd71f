"""The base of classifiers that decide by the probabilities of another classifier."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from openbook.border.learner import Learner
from openbook.border.not_taken import KnownParameters
from openbook.border.rules import check_parameters
from openbook.data import Schema
from openbook.draw import draw_boundary
from openbook.errors import ParameterError
from openbook.words.parameters import documented


class Around(MetaEstimatorMixin, KnownParameters):
    """What takes the inputs of the classifier that it is around."""

    estimator: Any

    @property
    def takes_tables(self) -> bool:
        """Whether the classifier is one of openbook's, so that judging gives it Tables and named classes."""
        return bool(getattr(self.estimator, "takes_tables", isinstance(self.estimator, Learner)))

    def refusal(self, schema: Schema) -> str | None:
        """Why the classifier cannot fit a table of this schema; others than ours do not say.

        Parameters
        ----------
        schema : Schema
            The columns of the table, without the target.

        Returns
        -------
        str or None
        """
        return self.estimator.refusal(schema) if hasattr(self.estimator, "refusal") else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags


@documented
class AroundClassifier(Around, ClassifierMixin, KnownParameters):
    """A classifier around `estimator`, whose probabilities it keeps: a subclass decides otherwise."""

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        documented(cls)

    #: Decision regions over rows.
    draw = draw_boundary
    unlike = Learner.unlike

    def knobs(self):
        """The parameters of the classifier worth tuning, each with a few values.

        Returns
        -------
        dict of str to sequence
        """
        knobs = self.estimator.knobs() if hasattr(self.estimator, "knobs") else {}
        return {f"estimator__{name}": values for name, values in knobs.items()}

    def _check(self, sample_weight):
        """Check the parameters, and that the classifier has the required methods."""
        check_parameters(self, self._rules)
        name = type(self.estimator).__name__
        if not hasattr(self.estimator, "predict_proba"):
            msg = f"{type(self).__name__} needs probabilities, and {name} has no predict_proba"
            raise ParameterError(msg)
        if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ParameterError(f"{name} takes no sample_weight")

    def _fitted(self, X, y, sample_weight=None, **more):
        """A copy of the classifier, fitted."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return clone(self.estimator).fit(X, y, **weights, **more)

    def predict_log_proba(self, X):
        """The natural logarithm of `predict_proba`.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_proba(self, X):
        """The probabilities of the classifier, in the order of `classes_`.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def complexity(self):
        """The size of the classifier.

        Returns
        -------
        int
        """
        check_is_fitted(self)
        return self._learner("complexity").complexity()

    def _learner(self, ability):
        """The fitted classifier, if it has what only our learners have."""
        if not hasattr(self.estimator_, ability):
            name = type(self.estimator_).__name__
            msg = f"{name} has no {ability}; put one of openbook's learners into {type(self).__name__}"
            raise ParameterError(msg)
        return self.estimator_

    def __getattr__(self, name):
        # what scikit-learn and reports ask of any fitted learner is the classifier's
        if (
            name in {"schema_", "target_", "n_features_in_", "feature_names_in_", "_one_row", "_with_texts"}
            and "estimator_" in self.__dict__
        ):
            return getattr(self.estimator_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
