r"""k nearest neighbours, for classification and regression.

    class    arg max_c Σ_{i among the k nearest} v_i [y_i = c],     P(c | x) = its share of the votes
    number   Σ v_i y_i / Σ v_i

with votes v_i by distance (`votes`). Rows at equal distances are ordered as in training, at random, or by a
second distance. The distance defines the treatment of missing cells (`spaces`). With fewer than k training
rows, all of them vote.
"""

from typing import Annotated, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, Regressor
from openbook.border.not_taken import Declared
from openbook.border.rules import NamedOr, OneOf
from openbook.damage import checked_array, require
from openbook.errors import ParameterError
from openbook.neighbors.derive import derive_mean, derive_model, derive_vote
from openbook.neighbors.learner import NeighborLearner
from openbook.neighbors.votes import ROUNDING, TIES, WEIGHTS, decide_votes, reordered, seeded_hash
from openbook.neighbors.windows import KERNELS
from openbook.spaces.space import (
    DISTANCE_MEANINGS,
    DISTANCES,
    PRECOMPUTED,
    Algorithm,
    MinkowskiPower,
    Space,
    refusal,
)

_FUNCTION = "a function of rows (…, d) and (…, d)"


class _KNeighbors(Declared, NeighborLearner):
    """What the classifier and the regressor share."""

    n_neighbors: int = 5
    metric: Annotated[Any, NamedOr(_FUNCTION, (*DISTANCES, PRECOMPUTED))] = "auto"
    weights: Annotated[Any, NamedOr("a function of the distances (m, k)", WEIGHTS)] = "uniform"
    algorithm: Algorithm = "auto"
    scale: bool = True
    p: MinkowskiPower = 2
    equally_near: Annotated[Any, NamedOr(_FUNCTION, ("first", "random", *DISTANCES))] = "first"
    random_state: Any = None
    n_jobs: int | None = None

    _meanings = NeighborLearner._meanings | {  # noqa: SLF001 (its base class)
        "metric": f'{DISTANCE_MEANINGS["metric"]} With "precomputed", X holds distances in place of'
        " columns: in `fit` those between all training rows, later those of each row to every training row.",
        "weights": 'The vote of each neighbour: "uniform", "distance" (1/d, as in scikit-learn), "inverse"'
        ' (1/(d + 0.00001)), "inverse_square", "inverse_linear", a kernel ("gaussian", "epanechnikov",'
        ' "triangular", "biweight", "triweight", "tricube"), or a function of the distances.',
        "equally_near": "Which of equally near rows comes first, and so is among the k: the one learnt first"
        ' ("first"), any ("random"), or the nearer one by a second metric.',
        "seed_": "The seed of what is drawn.",
    }
    ties = "smaller_k"  # of numbers there are none

    def refusal(self, schema):
        second = None if self.equally_near in ("first", "random") else refusal(self.equally_near, schema)
        return super().refusal(schema) or second

    def _fit(self, rows):
        draws = "random" in (self.ties, self.equally_near)
        self.seed_ = int(check_random_state(self.random_state).randint(2**31)) if draws else 0
        super()._fit(rows)

    def _solve(self):
        super()._solve()
        self._second = None
        if self.equally_near not in ("first", "random"):
            metric = self.equally_near
            self._second = Space(self.statistics_, self.schema_, metric, scale=self.scale, p=self.p)

    def _nearest(self, X, count):
        if self.equally_near == "first":
            return super()._nearest(X, count)
        looked = count
        while True:  # until all that are as near as the last of them are there
            distances, rows = super()._nearest(X, looked)
            last, farthest = distances[:, count - 1], distances[:, -1]
            if looked == len(self.statistics_) or (farthest > last * (1 + ROUNDING)).all():
                break
            looked = min(2 * looked, len(self.statistics_))
        if self._second is not None:
            keys = np.take_along_axis(self._second.index.distances(self._second.coordinates(X)), rows, axis=1)
        else:  # the same row gets the same neighbours
            of_query = seeded_hash(rows, self.seed_)[:, None]
            pairs = np.stack([np.broadcast_to(of_query, rows.shape), rows.astype(np.uint64)], axis=-1)
            keys = seeded_hash(pairs.reshape(-1, 2), 0).reshape(rows.shape)
        return tuple(part[:, :count] for part in reordered(distances, rows, keys))

    def knobs(self):
        return {"n_neighbors": (1, 3, 5, 9, 15, 31), "weights": ("uniform", "inverse")}

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """The distances and the rows of the nearest, both (m, n_neighbors), nearest first.

        Equally near rows come as `equally_near` says. Rows are numbered as they were learnt, from 0. If
        fewer were learnt, all of them come.

        Parameters
        ----------
        X : rows or None, default=None
            None for the training rows; no row is its own neighbour.
        n_neighbors : int or None, default=None
            The number of rows; None for the parameter `n_neighbors`.
        return_distance : bool, default=True
            Whether the distances come with the rows.

        Returns
        -------
        distances, rows : arrays of shape (m, n_neighbors)
            Or the rows alone.
        """
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        if X is None:
            check_is_fitted(self)
            distances, rows = self._others(count)
        else:
            distances, rows = super().kneighbors(X, count)
        return (distances, rows) if return_distance else rows

    def _others(self, count):
        """The nearest of each training row, without itself."""
        n = len(self.statistics_)
        table = self.statistics_.table(self.schema_)
        distances, rows = super().kneighbors(table, count + 1)
        others = rows != np.arange(n)[:, None]
        others[others.all(axis=1), -1] = False  # copies of the row came before it
        shape = n, rows.shape[1] - 1
        return distances[others].reshape(shape), rows[others].reshape(shape)

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """The nearest rows of each row as a sparse matrix.

        Parameters
        ----------
        X : rows or None, default=None
            None for the training rows; no row is its own neighbour.
        n_neighbors : int or None, default=None
            The number of rows; None for the parameter `n_neighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether a neighbour is a 1 or its distance.

        Returns
        -------
        csr_matrix of shape (m, n_learnt)
        """
        distances, rows = self.kneighbors(X, n_neighbors)
        if mode not in ("connectivity", "distance"):
            raise ParameterError(f"mode must be 'connectivity' or 'distance', got {mode!r}")
        cells = distances if mode == "distance" else np.ones(rows.shape)
        ends = np.arange(0, rows.size + 1, rows.shape[1])
        return csr_matrix((cells.ravel(), rows.ravel(), ends), shape=(len(rows), len(self.statistics_)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == PRECOMPUTED
        return tags

    def _needed(self, k):
        """The weight of the rows to find: a kernel needs the first row without a vote."""
        return k + (self.weights in KERNELS and self.weights != "uniform")

    def _work(self):
        return derive_model(self)

    def _arrays(self):
        return {**super()._arrays(), "seed": np.array([self.seed_])}

    def _restore(self, arrays):
        self.seed_ = int(checked_array(arrays, "seed", np.int64, (1,))[0])
        require(self.seed_ >= 0, "its seed must be a whole number of at least 0")
        super()._restore({name: array for name, array in arrays.items() if name != "seed"})


class KNeighborsClassifier(_KNeighbors, Classifier):
    """k nearest neighbours for classification: the classes of the k nearest rows vote.

    Guide: docs/guide/neighbours.md

    Parameters
    ----------
    n_neighbors : int, default=5
    metric : str or function, default='auto'
    weights : str or function, default='uniform'
    ties : str, default='smaller_k'
        Which class wins if several have the most votes: as with a smaller k ("smaller_k"), with more
        neighbours ("extend"), the more frequent class ("prior"), that of the nearest row ("nearest"), or a
        random one ("random").
    algorithm : str, default='auto'
    scale : bool, default=True
    p : float, default=2
    equally_near : str or function, default='first'
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    classes_ : array
    effective_metric_ : str or function
    index_ : Index
    n_samples_fit_ : int
    space_ : Space
    statistics_ : StoredRows
    encoding_ : Encoding
        How columns became coordinates; not for "gower" and "heom", which take them as they are.
    seed_ : int

    References
    ----------
    Cover and Hart (1967), Nearest neighbor pattern classification. Dudani (1976), for inverse linear votes.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("loan").split("cheat")
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.effective_metric_
    'gower'
    >>> model.predict([{"owner": "No", "status": "Single", "income": 88}]).tolist()
    ['Yes']
    """

    ties: Annotated[str, OneOf(*TIES)] = "smaller_k"

    def _solve(self):
        super()._solve()
        self._prior = np.bincount(self.statistics_.targets, self.statistics_.weights, len(self.classes_))

    def _decided(self, X):
        """Votes, winners, and how many neighbours were counted, for each row."""
        most = 2 * self.n_neighbors if self.ties == "extend" else self.n_neighbors
        ballots = self._ballots(X, self._needed(most))
        labels = self.statistics_.targets[ballots.rows]
        rule = (self.n_neighbors, self.weights, self.ties)
        return decide_votes(ballots, labels, *rule, self._prior, self.seed_)

    def _proba(self, X):
        scores = self._decided(X)[0]
        return scores / scores.sum(axis=1, keepdims=True)

    def _predict(self, X):
        return self._decided(X)[1]

    def _work_row(self, X):
        return derive_vote(self, X)


class KNeighborsRegressor(_KNeighbors, Regressor):
    """k nearest neighbours for regression: the mean of the k nearest rows, weighted by distance.

    Guide: docs/guide/neighbours.md

    Parameters
    ----------
    n_neighbors : int, default=5
    metric : str or function, default='auto'
    weights : str or function, default='uniform'
    algorithm : str, default='auto'
    scale : bool, default=True
    p : float, default=2
    equally_near : str or function, default='first'
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    effective_metric_ : str or function
    index_ : Index
    n_samples_fit_ : int
    space_ : Space
    statistics_ : StoredRows
    encoding_ : Encoding
        How columns became coordinates; not for "gower" and "heom", which take them as they are.
    seed_ : int

    Examples
    --------
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[1.0], [2.0], [6.0]], [10.0, 20.0, 90.0])
    >>> model.predict([[1.2]]).tolist()
    [15.0]
    """

    def _predict(self, X):
        ballots = self._ballots(X, self._needed(self.n_neighbors))
        votes = ballots.votes(self.n_neighbors, self.weights)
        return (votes * self.statistics_.targets[ballots.rows]).sum(axis=1) / votes.sum(axis=1)

    def _work_row(self, X):
        return derive_mean(self, X)
