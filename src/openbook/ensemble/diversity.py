"""The diversity of an ensemble: members that always agree count as one vote.

For two members, and shares of the rows: a both right, b and c one right, d both wrong

    disagreement = share of the rows on which they decide differently         0 alike
    Q            = (a d - b c) / (a d + b c)                                  1 alike, 0 independent
    kappa        = (agreement - chance) / (1 - chance)                        1 alike, 0 as by chance

chance is the agreement of two members that decide for each class as often as these do. What is undefined (no
error at all, or one and the same class only) is NaN, and left out of means.

predictions : labels (n_members, n_rows); the measures are (n_members, n_members)
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from openbook.ensemble.many_trees import ManyTrees
from openbook.ensemble.members import Ensemble, shortened
from openbook.errors import DataError, ParameterError
from openbook.words.parameters import documented
from openbook.work import Step, Work

_MEASURES = ("disagreement", "q_statistic", "kappa")


def disagreement(predictions):
    """The disagreement measure: the share of rows on which each pair of members decides differently.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_rows)
        What each member decides for each row.

    Returns
    -------
    ndarray of shape (n_members, n_members)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> disagreement([["a", "a", "b", "b"], ["a", "b", "b", "b"]]).tolist()
    [[0.0, 0.25], [0.25, 0.0]]
    """
    return _pairwise(_table(predictions), lambda one, other: np.mean(one != other))


def kappa(predictions):
    """Cohen's kappa of each pair of members: how far they agree beyond chance.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_rows)
        What each member decides for each row.

    Returns
    -------
    ndarray of shape (n_members, n_members)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> kappa([["a", "a", "b", "b"], ["a", "b", "b", "b"]]).tolist()  # (0.75 - 0.5) / (1 - 0.5)
    [[1.0, 0.5], [0.5, 1.0]]
    """
    predictions = _table(predictions)
    labels = np.unique(predictions)

    def of_two(one, other):
        chance = sum(np.mean(one == label) * np.mean(other == label) for label in labels)
        return _ratio(np.mean(one == other) - chance, 1 - chance)

    return _pairwise(predictions, of_two)


def q_statistic(predictions, y):
    """Yule's Q statistic of each pair of members being right: 1 alike, 0 independent.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_rows)
        What each member decides for each row.
    y : array-like of shape (n_rows,)
        The true class of each row.

    Returns
    -------
    ndarray of shape (n_members, n_members)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> q_statistic([[0, 0, 1, 1], [0, 1, 1, 0]], [0, 0, 1, 0]).tolist()  # a 2, b 1, c 1, d 0
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    predictions = _table(predictions)
    y = np.asarray(y)
    if y.shape != predictions.shape[1:]:
        raise DataError(f"{predictions.shape[1]} rows are predicted, but y has the shape {y.shape}")

    def of_two(one, other):
        both, neither = np.sum(one & other), np.sum(~one & ~other)
        first, second = np.sum(one & ~other), np.sum(~one & other)
        alike, unlike = float(both) * neither, float(first) * second
        return _ratio(alike - unlike, alike + unlike)

    return _pairwise(predictions == y, of_two)


@dataclass(frozen=True, eq=False)
class Diversity:
    """The diversity of an ensemble: how much its members differ, pair by pair and on average.

    Parameters
    ----------
    names : tuple of str
        The names of the members.
    disagreement : ndarray of shape (n_members, n_members)
        The share of rows on which each pair decides differently.
    q_statistic : ndarray of shape (n_members, n_members)
        Yule's Q of each pair being right.
    kappa : ndarray of shape (n_members, n_members)
        Cohen's kappa of each pair.

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> import numpy as np
    >>> one = np.eye(2)
    >>> Diversity(("a", "b"), 1 - one, one, one).means()["disagreement"]
    1.0
    """

    names: tuple[str, ...]
    disagreement: np.ndarray
    q_statistic: np.ndarray
    kappa: np.ndarray

    def means(self):
        """The mean of each measure over the pairs.

        Returns
        -------
        dict of str to float
        """
        return {name: _mean_of_pairs(getattr(self, name)) for name in _MEASURES}

    def work(self):
        """The measures of every pair, and their means.

        Returns
        -------
        Work
        """
        measures = [getattr(self, name) for name in _MEASURES]
        rows = [
            [self.names[i], self.names[j], *(_cell(measure[i, j]) for measure in measures)]
            for i, j in combinations(range(len(self.names)), 2)
        ]
        pairs = shortened("pairs", ["member", "member", "disagreement", "Q", "kappa"], rows)
        formulas = (r"P(h_i \ne h_j)", r"\frac{a d - b c}{a d + b c}", r"\frac{P(h_i = h_j) - p}{1 - p}")
        note = "the mean over the pairs"
        means = [
            Step(name, formula, result=value, note=note)
            for (name, value), formula in zip(self.means().items(), formulas, strict=True)
        ]
        return Work("Diversity", (pairs, *means))


@documented
def diversity(model, X, y):
    """The diversity of a fitted ensemble of classifiers: how much its members differ on these rows.

    Parameters
    ----------
    model : ensemble
        A fitted ensemble of classifiers.
    X : table-like
    y : array-like

    Returns
    -------
    Diversity

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.baseline import OneR, ZeroR
    >>> from openbook.ensemble import VotingClassifier
    >>> X, y = load("weather").split("play")
    >>> model = VotingClassifier([("0R", ZeroR()), ("1R", OneR())]).fit(X, y)
    >>> diversity(model, X, y).means()["disagreement"] == 5 / 14  # 0R says yes to the five sunny days
    True
    """
    predictions = member_predictions(model, X)
    names = tuple(model._names())  # noqa: SLF001 (the same family)
    measures = disagreement(predictions), q_statistic(predictions, np.asarray(y)), kappa(predictions)
    return Diversity(names, *measures)


@documented
def member_predictions(model, X):
    """What each member of a fitted ensemble decides for each row.

    Parameters
    ----------
    model : ensemble
        A fitted ensemble of classifiers.
    X : table-like

    Returns
    -------
    ndarray of shape (n_members, n_rows)

    Notes
    -----
    Guide: docs/guide/ensembles.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.baseline import OneR, ZeroR
    >>> from openbook.ensemble import VotingClassifier
    >>> X, y = load("weather").split("play")
    >>> model = VotingClassifier([("0R", ZeroR()), ("1R", OneR())]).fit(X, y)
    >>> member_predictions(model, X.head(2)).tolist()
    [['Yes', 'Yes'], ['No', 'No']]
    """
    if not isinstance(model, Ensemble) or not is_classifier(model):
        what = "is not an ensemble of classifiers;"
        if isinstance(model, ManyTrees):
            what = "keeps its trees in one piece; use a BaggingClassifier of trees, or"
        raise ParameterError(f"{type(model).__name__} {what} pass the members' predictions instead")
    check_is_fitted(model)
    table = model._encode(X)  # noqa: SLF001 (the same family)
    return np.array([m.predict(model._seen_by(i, table)) for i, m in enumerate(model.estimators_)])  # noqa: SLF001


def _table(predictions):
    predictions = np.asarray(predictions)
    if predictions.ndim != 2 or not predictions.size:
        msg = f"predictions must be a table with one row per member, got the shape {predictions.shape}"
        raise DataError(msg)
    return predictions


def _pairwise(members, measure):
    return np.array([[float(measure(one, other)) for other in members] for one in members])


def _ratio(a, b):
    return a / b if b else np.nan


def _mean_of_pairs(measures):
    pairs = measures[np.triu_indices(len(measures), k=1)]
    known = pairs[~np.isnan(pairs)]
    return float(known.mean()) if len(known) else np.nan


def _cell(value):
    return None if np.isnan(value) else float(value)
