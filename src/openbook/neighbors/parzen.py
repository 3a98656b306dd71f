r"""Parzen windows: every row within a window around the query counts, by a kernel of its distance.

    p(x | c) = 1 / (W_c h^d ∫K) Σ_{i of class c} w_i K(d(x, x_i) / h)        a density for each class
    P(c | x) = P(c) p(x | c) / Σ_c P(c) p(x | c)
    number   = Σ w_i K_i y_i / Σ w_i K_i                                      (Nadaraya and Watson)

If P(c) is the share of the class, the posterior is the class's share of the weight in the window. h is the
`radius`; by default, the mean distance of a training row (of 1,000 evenly spaced ones, if there are more) to
its ⌈√W⌉-th nearest other, W the weight of all rows; a third of it for the Gaussian, whose window is infinite.
If the window is empty, the prediction is the prior, or the mean of all rows. The distance defines the
treatment of missing cells.
"""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, Regressor
from openbook.border.not_taken import Declared
from openbook.border.priors import class_priors
from openbook.border.rules import Maybe, NamedOr, Number
from openbook.errors import RefusalError
from openbook.neighbors.derive_windows import derive_density, derive_local_mean, derive_windows
from openbook.neighbors.learner import NeighborLearner
from openbook.neighbors.windows import KERNELS, kernel_weights, log_volume
from openbook.spaces.space import Algorithm, Metric, MinkowskiPower

#: Rows that the rule for the radius looks at.
_ENOUGH = 1000
#: Distances that are held at a time.
_AT_A_TIME = 1 << 22


_FUNCTION = "a function of distance / radius, 0 beyond 1"


class Windows(NamedTuple):
    """The rows in the windows of some queries, one after the other.

    query, rows : of each pair, the number of the query and the row
    weights : w K(d / h) of the pair, over the largest of its query
    top : the logarithm of that largest, one a query; minus infinity if the window is empty
    """

    query: np.ndarray
    rows: np.ndarray
    weights: np.ndarray
    top: np.ndarray


class _Parzen(Declared, NeighborLearner):
    """What the classifier and the regressor share."""

    radius: Annotated[float | None, Maybe(Number(above=0))] = None
    kernel: Annotated[Any, NamedOr(_FUNCTION, tuple(KERNELS))] = "gaussian"

    def knobs(self):
        return {"radius": (0.25, 0.5, 1.0, 2.0, None)}

    def _solve(self):
        super()._solve()
        self.radius_ = float(self.radius) if self.radius is not None else self._usual_radius()

    def _usual_radius(self):
        examples = self.statistics_
        some = np.unique(np.linspace(0, len(examples) - 1, _ENOUGH).astype(np.intp))
        table = examples.table(self.schema_).take(some)
        count = math.ceil(math.sqrt(examples.weights.sum())) + 1  # the row itself is the nearest
        ballots = self._ballots(table, count)
        last = np.minimum((ballots.weights.cumsum(axis=1) < count).sum(axis=1), ballots.rows.shape[1] - 1)
        far = np.take_along_axis(ballots.distances, last[:, None], axis=1)[:, 0]
        mean = float(np.average(far, weights=examples.weights[some])) or 1.0
        return mean / 3 if self.kernel == "gaussian" else mean

    @property
    def _window_radius(self):
        """The radius of the window: infinite for the Gaussian."""
        return np.inf if self.kernel == "gaussian" else self.radius_

    def _windows(self, points):
        """Block by block of queries: which they are, and their `Windows`."""
        m = points[0].shape[0] if isinstance(points, tuple) else points.shape[0]
        start, step = 0, max(_AT_A_TIME // len(self.statistics_), 1)
        while start < m:
            span = slice(start, start + step)
            part = tuple(each[span] for each in points) if isinstance(points, tuple) else points[span]
            indptr, rows, distances = self.space_.index.within(part, self._window_radius)
            query = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
            logs = self._log_weights(distances / self.radius_) + np.log(self.statistics_.weights[rows])
            top = np.full(len(indptr) - 1, -np.inf)
            np.maximum.at(top, query, logs)
            known = np.where(np.isneginf(top), 0.0, top)
            yield span, Windows(query, rows, np.exp(logs - known[query]), top)
            start = span.stop
            # as many queries as hold that many rows, going by these; no answer depends on it
            step = min(4 * step, max(_AT_A_TIME * len(top) // max(len(rows), 1), 1))

    def _log_weights(self, u):
        """The logarithms of the kernel, which keep a Gaussian's digits far from every row."""
        if self.kernel == "gaussian":
            return -0.5 * u * u
        with np.errstate(divide="ignore"):
            return np.log(kernel_weights(u, self.kernel))

    def _work(self):
        return derive_windows(self)


class ParzenClassifier(_Parzen, Classifier):
    """Parzen windows for classification: a kernel density per class, the prior, and Bayes' rule.

    Guide: docs/guide/neighbours.md

    Parameters
    ----------
    radius : float or None, default=None
        The width of the window, in the units of the distance; None takes the mean distance of a row to
        its √W-th nearest other, a third of it for the Gaussian.
    kernel : str or function, default='gaussian'
        "gaussian", "epanechnikov", "uniform", "triangular", "biweight", "triweight", "tricube", or a
        function of distance / radius, 0 beyond 1.
    priors : sequence, mapping of class to probability, or None, default=None
        The prior probabilities, a sequence in the order of `classes_`; None for the shares of the classes.
    metric : str or function, default='auto'
    algorithm : str, default='auto'
    scale : bool, default=True
    p : float, default=2

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    prior_ : ndarray of shape (n_classes,)
        P(c), the prior probability of each class.
    class_weights_ : ndarray of shape (n_classes,)
        The weight of the rows of each class.
    radius_ : float
        The width of the window.
    effective_metric_ : str or function
    index_ : Index
    n_samples_fit_ : int
    space_ : Space
    statistics_ : StoredRows
    encoding_ : Encoding
        How columns became coordinates; not for "gower" and "heom", which take them as they are.

    References
    ----------
    Parzen (1962), On estimation of a probability density function and mode.

    Examples
    --------
    >>> model = ParzenClassifier(radius=1, kernel="triangular", scale=False)
    >>> model.fit([[0.0], [0.5], [2.0]], ["a", "a", "b"]).predict_proba([[1.25]]).tolist()
    [[0.5, 0.5]]
    """

    priors: Any = None
    metric: Metric = "auto"
    algorithm: Algorithm = "auto"
    scale: bool = True
    p: MinkowskiPower = 2

    def _solve(self):
        super()._solve()
        stored = self.statistics_
        self.class_weights_ = np.bincount(stored.targets, stored.weights, len(self.classes_))
        self.prior_ = class_priors(self, self.class_weights_)

    def _log_sums(self, X):
        """Log Σ w_i K_i of each class in the window, (m, n_classes); minus infinity if it has no row."""
        n_classes, labels = len(self.classes_), self.statistics_.targets
        sums = np.empty((len(X), n_classes))
        for span, (query, rows, weights, top) in self._windows(self.space_.coordinates(X)):
            at = query * n_classes + labels[rows]
            total = np.bincount(at, weights, len(top) * n_classes).reshape(-1, n_classes)
            with np.errstate(divide="ignore"):
                sums[span] = np.log(total) + top[:, None]
        return sums

    def _log_joint(self, X):
        """Log P(c) Σ w_i K_i / W_c: the joint density, up to what is the same for every class."""
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.log(self.prior_) - np.log(self.class_weights_)
        # a class that no row shows has no density
        return self._log_sums(X) + np.where(self.class_weights_ > 0, factors, -np.inf)

    def _proba(self, X):
        joint = self._log_joint(X)
        top = joint.max(axis=1, keepdims=True)
        empty = np.isneginf(top[:, 0])
        top[empty] = 0.0
        proba = np.exp(joint - top)
        proba[empty] = self.prior_
        return proba / proba.sum(axis=1, keepdims=True)

    def predict_joint_log_proba(self, X):
        """Log P(c) p(x | c) of each class; a density in the units of the columns. Needs Euclidean numbers.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n, n_classes)
        """
        check_is_fitted(self)
        return self._each(X, self._log_joint) - self._log_window()

    def score_samples(self, X):
        """Log p(x) of each row: the lower, the more unusual the row. Needs Euclidean numbers.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n,)
        """
        return np.logaddexp.reduce(self.predict_joint_log_proba(X), axis=1)

    def _log_window(self):
        """The logarithm of h^d ∫K, in the units of the columns."""
        if self.effective_metric_ != "euclidean" or callable(self.kernel) or self.space_.encoding is None:
            msg = "the density needs the Euclidean distance and a named kernel; predict_proba does not"
            raise RefusalError(msg)
        encoding = self.encoding_
        if encoding.names != self.schema_.names:
            msg = "the density needs numeric columns without missing cells; predict_proba does not"
            raise RefusalError(msg)
        d = len(encoding)
        return log_volume(self.kernel, d) + d * math.log(self.radius_) + float(np.log(encoding.scale).sum())

    def _work_row(self, X):
        return derive_density(self, X)


class ParzenRegressor(_Parzen, Regressor):
    """Parzen windows for regression: the mean of the rows nearby, weighted by a kernel of their distance.

    Guide: docs/guide/neighbours.md

    Parameters
    ----------
    radius : float or None, default=None
        The width of the window, in the units of the distance; None takes the mean distance of a row to
        its √W-th nearest other, a third of it for the Gaussian.
    kernel : str or function, default='gaussian'
        "gaussian", "epanechnikov", "uniform", "triangular", "biweight", "triweight", "tricube", or a
        function of distance / radius, 0 beyond 1.
    metric : str or function, default='auto'
    algorithm : str, default='auto'
    scale : bool, default=True
    p : float, default=2

    Attributes
    ----------
    radius_ : float
        The width of the window.
    mean_ : float
        The mean of all rows, the prediction for an empty window.
    effective_metric_ : str or function
    index_ : Index
    n_samples_fit_ : int
    space_ : Space
    statistics_ : StoredRows
    encoding_ : Encoding
        How columns became coordinates; not for "gower" and "heom", which take them as they are.

    References
    ----------
    Nadaraya (1964), On estimating regression. Watson (1964), Smooth regression analysis.

    Examples
    --------
    >>> model = ParzenRegressor(radius=2, kernel="triangular", scale=False).fit([[0.0], [3.0]], [10.0, 40.0])
    >>> model.predict([[1.5], [2.0], [9.0]]).tolist()
    [25.0, 40.0, 25.0]
    """

    metric: Metric = "auto"
    algorithm: Algorithm = "auto"
    scale: bool = True
    p: MinkowskiPower = 2

    def _solve(self):
        super()._solve()
        self.mean_ = float(np.average(self.statistics_.targets, weights=self.statistics_.weights))

    def _predict(self, X):
        answers = np.empty(len(X))
        for span, (query, rows, weights, top) in self._windows(self.space_.coordinates(X)):
            total = np.bincount(query, weights, len(top))
            sums = np.bincount(query, weights * self.statistics_.targets[rows], len(top))
            answers[span] = np.divide(sums, total, out=np.full(len(top), self.mean_), where=total > 0)
        return answers

    def _work_row(self, X):
        return derive_local_mean(self, X)
