"""Random subspaces: copies of one learner, each grown on some of the columns, and their mean (Ho 1998).

    member m sees ceil(max_features n_columns) columns, drawn without replacement, and all rows
    answer: the mean of the members' probabilities, or numbers

The members handle missing cells.
"""

import math
from functools import partial
from typing import Annotated, Any

import numpy as np
from sklearn.utils import check_random_state

from openbook.border.not_taken import Declared
from openbook.border.rules import Number
from openbook.ensemble.averaging import Averaging, AveragingClassifier, AveragingRegressor
from openbook.ensemble.members import OneLearner, copied, fitted, gathered
from openbook.fold import each
from openbook.work import Work


class RandomSubspace(Declared, OneLearner, Averaging):
    """What subspaces of classifiers and of regressors share."""

    estimator: Any = None
    n_estimators: int = 10
    max_features: Annotated[float, Number(above=0, at_most=1)] = 0.5
    random_state: Any = None

    def knobs(self):
        return {"n_estimators": (10, 30, 100), "max_features": (0.25, 0.5, 0.75)}

    def _fit(self, rows):
        grown = each(self._seeds(), partial(self._grown, gathered(rows)))
        self.estimators_, self.subspaces_ = map(list, zip(*grown, strict=True))

    def _grown(self, chunk, seed):
        """A member, and the names of the columns that it sees."""
        X, y, w = chunk
        rng = check_random_state(seed)
        width = math.ceil(self.max_features * len(X.schema))
        chosen = np.sort(rng.permutation(len(X.schema))[:width])
        names = tuple(X.names[j] for j in chosen)
        return fitted(copied(self._learners()[0], rng), X.select(names), self._member_target(y), w), names

    def _seen_by(self, i, X):
        return X.select(self.subspaces_[i])

    def _arrays(self):
        return {"columns": np.array([[self.schema_.position(n) for n in names] for names in self.subspaces_])}

    def _restore(self, arrays):
        names, columns = self.schema_.names, arrays["columns"]
        if columns.ndim != 2 or len(columns) != len(self.estimators_) or columns.min() < 0:
            raise ValueError("its subspaces do not match its members")
        self.subspaces_ = [tuple(names[j] for j in row) for row in columns.tolist()]
        super()._restore({name: array for name, array in arrays.items() if name != "columns"})

    def _work(self):
        members = self._members_grid(["columns"], [[", ".join(names)] for names in self.subspaces_])
        return Work(f"{type(self).__name__} for {self.target_}", (members,), "Every member sees all rows.")


class RandomSubspaceClassifier(RandomSubspace, AveragingClassifier):
    """Random subspaces for classification: copies of one classifier, each fitted to some columns, vote.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What the members are copies of; None for a full-grown `DecisionTreeClassifier`.
    n_estimators : int, default=10
    max_features : float, default=0.5
        How many columns a member sees, as a share of all; rounded up.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    estimators_ : list
    subspaces_ : list of tuple of str
        The names of the columns that each member sees.
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Ho (1998), The random subspace method for constructing decision forests.

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("weather").split("play")
    >>> model = RandomSubspaceClassifier(NaiveBayes(), n_estimators=3, random_state=0).fit(X, y)
    >>> [len(names) for names in model.subspaces_]
    [2, 2, 2]
    """


class RandomSubspaceRegressor(RandomSubspace, AveragingRegressor):
    """Random subspaces for regression: the mean of copies of one regressor, each fitted to some columns.

    Parameters
    ----------
    estimator : regressor or None, default=None
        What the members are copies of; None for a full-grown `DecisionTreeRegressor`.
    n_estimators : int, default=10
    max_features : float, default=0.5
        How many columns a member sees, as a share of all; rounded up.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    estimators_ : list
    subspaces_ : list of tuple of str
        The names of the columns that each member sees.

    Notes
    -----
    Guide: docs/guide/ensembles.md

    References
    ----------
    Ho (1998), The random subspace method for constructing decision forests.

    Examples
    --------
    >>> from openbook.baseline import ZeroRegressor
    >>> model = RandomSubspaceRegressor(ZeroRegressor(), random_state=0).fit([[0, 1], [0, 2]], [1.0, 2.0])
    >>> model.predict([[0, 1]]).tolist()
    [1.5]
    """
