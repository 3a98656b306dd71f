r"""Gaussian mixtures, learnt by expectation and maximisation (EM).

    p(x) = Σ_k w_k N(x; μ_k, S_k),        r_k(x) = w_k N(x; μ_k, S_k) / p(x)

E-step: how much of each row belongs to each component, its responsibilities r. M-step: the weights, means and
covariances of rows weighted by these. Each round is one fold over the rows, in memory or in files, and the
log-likelihood never falls by more than `reg_covar` and the one row of smoothing cost.

Typed tables: ordinal columns count by rank, from 0 to 1. A nominal column has a probability for each value in
each component, and is independent of the others there. Missing cells are marginalised, exactly: a row counts
by what is known of it. An unseen value counts as missing.
A new row belongs to the component of the largest responsibility; ties: the first.

What the rows cannot give is said in `notes_` and in the work: a component that does not vary in some
direction has `reg_covar` of the columns' variance there; one that holds no rows stays where it was.
"""

import math
import warnings
from functools import partial
from operator import add
from typing import Annotated, Any

import numpy as np
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import most_probable
from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Number, OneOf
from openbook.cluster.clusterer import Clusterer
from openbook.cluster.em import TypedRows, maximised, nearest_given, sums_by_label, sums_of
from openbook.cluster.mixture_work import derive_model, derive_row
from openbook.cluster.picture import draw_mixture, draw_mixture_steps, two_columns
from openbook.damage import checked_floats, require
from openbook.data import Nominal, Ordinal, Table, read
from openbook.density.density import Density
from openbook.errors import DataError, ParameterError
from openbook.fold import each, fold
from openbook.kernels.normals import Normals, log_joint
from openbook.linear.basis import sample_of
from openbook.measures.arrays import drawn_codes
from openbook.prepare import Encoding
from openbook.words.sentences import plural

KINDS = ("full", "tied", "diag", "spherical")

#: Rows whose responsibilities are kept for every iteration, so that the work can show them.
_FIRST_ROWS = 5

#: A variance of at most this many times `reg_covar` comes from the floor, not from the rows.
_FLOOR = 10


class GaussianMixture(Declared, Clusterer, Density):
    """Gaussian mixture fitted by EM: overlapping clusters, with a probability of each per row.

    Guide: docs/guide/mixtures.md

    Parameters
    ----------
    n_components : int, default=2
        The number of components.
    covariance_type : str, default='full'
        "full", "tied" (one for all), "diag", or "spherical" (one variance each).
    tol : float, default=0.001
        EM ends when the mean log-likelihood of a row rises by less.
    max_iter : int, default=100
        The most rounds.
    n_init : int or "auto", default=1
        The number of starts; the most likely result is kept.
    init_params : str, default='kmeans'
        Where EM starts: from the clusters of k-means, or from rows drawn at random as means.
    means_init : array or None, default=None
        The means to start from, (n_components, number of numeric and ordinal columns); every row begins
        at the nearest.
    reg_covar : float, default=1e-06
        Added to every variance, as a share of the variance of the column.
    scale : bool, default=True
        Whether numbers are measured by their own standard deviations, or all by one and the same. It
        matters for k-means, for `reg_covar`, and for spherical components.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        The prior probability of each component.
    means_ : ndarray of shape (n_components, d)
        The mean of each numeric and ordinal column in each component, in the units of the columns.
    covariances_ : ndarray
        In the units of the columns: (n_components, d, d) for "full", (d, d) for "tied", (n_components, d) for
        "diag"; (n_components,) for "spherical", in the units of the `scale`.
    probabilities_ : dict of str to dict
        For each nominal column and each of its values, the probability in every component.
    labels_ : ndarray of shape (n_rows,)
        The most probable component of each training row.
    log_likelihood_ : float
        The log-likelihood of the training rows.
    bic_, aic_ : float
        The Bayesian and Akaike's information criterion of those rows: lower is better.
    trace_ : ndarray of shape (n_iter_,)
        The log-likelihood at each iteration.
    n_iter_ : int
        The iterations of the start that was kept.
    converged_ : bool
        Whether it had converged.
    notes_ : list of str

    References
    ----------
    Dempster, Laird and Rubin (1977). Ghahramani and Jordan (1994), for missing cells. Schwarz (1978): BIC.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> model = GaussianMixture(3, random_state=0).fit(X)
    >>> model.weights_.round(2).tolist(), round(model.bic_, 1)
    ([0.3, 0.33, 0.37], 580.9)
    """

    n_components: int = 2
    covariance_type: Annotated[str, OneOf(*KINDS)] = "full"
    tol: float = 1e-3
    max_iter: int = 100
    n_init: Any = 1
    init_params: Annotated[str, OneOf("kmeans", "random_from_data")] = "kmeans"
    means_init: Annotated[Any, Anything("None, or an array of means")] = None
    reg_covar: Annotated[float, Number(at_least=1e-9)] = 1e-6
    scale: bool = True
    random_state: Any = None

    _counts_rows = True

    # learning

    def _fit(self, rows):
        rows = rows.held()
        self._typed = TypedRows.of(rows, scale=self.scale)
        random = check_random_state(self.random_state)
        starts = self.n_init if self.means_init is None else 1
        runs = [self._run(rows, self._start(rows, random)) for _ in range(starts)]
        best = max(runs, key=lambda run: run[1][-1])
        self._normals, self.trace_, self._course, self._first, self.converged_ = best
        self.n_iter_ = len(self.trace_)
        parts = each(rows.pieces, self._answers_of_chunk)
        labels, likelihoods, units, weights = zip(*parts, strict=True)
        self.labels_ = np.concatenate(labels)
        self.log_likelihood_, self._weight = math.fsum(likelihoods), math.fsum(weights)
        self.trace_ -= math.fsum(units)
        self._say()
        if not self.converged_:
            rounds = plural(self.max_iter, "iteration")
            msg = f"GaussianMixture did not converge in {rounds}; raise max_iter or tol"
            warnings.warn(msg, ConvergenceWarning, stacklevel=3)

    def _run(self, rows, label):
        """EM from the labels that `label` gives the rows of a table, to rest or to the last round."""
        K, typed = self.n_components, self._typed
        sums = fold(rows.pieces, partial(sums_by_label, typed, label, K), add)
        normals = maximised(sums, typed, self.covariance_type, self.reg_covar, None)
        head, pieces = typed(next(rows.tables()).head(_FIRST_ROWS)), typed.pieces(rows)
        trace, course, first = [], [], []
        for _ in range(self.max_iter):
            course.append((np.exp(normals.log_weights), normals.means))
            first.append(_shares(log_joint(normals, *head)))
            sums = fold(pieces, partial(sums_of, typed, normals), add)
            trace.append(float(sums.log_likelihood[0]))
            normals = maximised(sums, typed, self.covariance_type, self.reg_covar, normals)
            if len(trace) > 1 and abs(trace[-1] - trace[-2]) < self.tol * sums.weight[0]:
                break
        settled = len(trace) < self.max_iter or self.tol == 0
        weights, means = (np.array(part) for part in zip(*course, strict=True))
        return normals, np.array(trace), [weights, means], np.array(first), settled

    def _start(self, rows, random):
        """A function from a table to the component in which each of its rows begins."""
        if self.means_init is None and self.init_params == "kmeans":
            from openbook.cluster.k_means import KMeans

            seed = int(random.randint(np.iinfo(np.int32).max))
            start = KMeans(self.n_components, scale=self.scale, random_state=seed)
            start._remember(rows.schema)  # noqa: SLF001 (the rows have passed the border)
            try:
                start._fit(rows)  # noqa: SLF001
            except ParameterError as error:
                msg = f"n_components is {self.n_components}, more than k-means can start from: {error}"
                raise ParameterError(msg) from error
            return start._labels  # noqa: SLF001
        return partial(nearest_given, self._typed, self._given_means(rows, random))

    def _given_means(self, rows, random):
        """The means to start from, in standard units, (K, d), with the values for nominal columns behind."""
        if self.means_init is None:
            sample = sample_of(rows)
            if len(sample) < self.n_components:
                msg = f"n_components is {self.n_components}, but there are only {len(sample)} different rows"
                raise DataError(msg)
            drawn = random.choice(len(sample), self.n_components, replace=False)
            return np.vstack(self._typed(sample.take(drawn), filled=True)).T
        given = np.asarray(self.means_init, dtype=float)
        shape = (self.n_components, len(self._typed.names))
        if given.shape != shape or not np.isfinite(given).all():
            raise ParameterError(
                f"GaussianMixture: means_init must be finite means of shape {shape}, got shape {given.shape}."
            )
        shift, scale = self._typed.units
        shares = np.repeat(self._typed.shares[None], len(given), axis=0)
        return np.hstack([(given - shift) / scale, shares])

    def _say(self):
        """What the user should know of components that the rows do not fill."""
        self.notes_ = []
        for k, covariance in enumerate(self._normals.covariances):
            if self._normals.log_weights[k] < -25:
                self.notes_.append(f"component {k} holds no rows and keeps its parameters")
            elif (flat := int((np.linalg.eigvalsh(covariance) <= _FLOOR * self.reg_covar).sum())) > 0:
                self.notes_.append(
                    f"component {k} does not vary in {flat} of {len(covariance)} directions;"
                    f" {self.reg_covar:g} of the columns' variance is used"
                )

    # answers

    def _log_joint(self, X):
        return log_joint(self._normals, *self._typed(X))

    def _answers_of_chunk(self, chunk):
        """The labels of a chunk's rows, their log-likelihood, what their units add to it, their weight."""
        x, values = self._typed(chunk.X)
        joint = log_joint(self._normals, x, values)
        units = self._log_units(x)
        likelihood = float(chunk.w @ (logsumexp(joint, axis=0) - units))
        return most_probable(joint.T), likelihood, float(chunk.w @ units), float(chunk.w.sum())

    def _log_units(self, x):
        """The log size of the units in which each row is known: what densities per unit are less by."""
        return np.log(self._typed.units[1]) @ ~np.isnan(x)

    def _labels(self, X):
        return most_probable(self._log_joint(X).T)

    def predict_proba(self, X):
        """The responsibilities: how much of each row belongs to each component; rows sum to one.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n, n_components)
        """
        return self._each(X, self._proba)

    def memberships(self, X, threshold=0.1):
        """Overlapping clusters: a row belongs to every component that is probable enough, or to none.

        Parameters
        ----------
        X : rows
        threshold : float, default=0.1
            The least probability of a component, given the row.

        Returns
        -------
        array of bool of shape (n, n_components)
        """
        return self.predict_proba(X) >= threshold

    def sample(self, n_samples=1, random_state=0):
        """Draw rows: a component by its weight, then numbers from its normal distribution, and values.

        An ordinal value is drawn as a rank, and rounded to the nearest there is.

        Parameters
        ----------
        n_samples : int, default=1
            The number of rows.
        random_state : int, default=0

        Returns
        -------
        tuple of Table and ndarray
            The rows, and the component of each.
        """
        check_is_fitted(self)
        rng = np.random.default_rng(random_state)
        which = rng.choice(len(self.weights_), n_samples, p=self.weights_)
        roots = np.linalg.cholesky(self.component_covariances_)
        noise = rng.standard_normal((n_samples, len(self._typed.names)))
        numbers = self.means_[which] + np.einsum("nij,nj->ni", roots[which], noise)
        columns = dict(zip(self._typed.names, numbers.T, strict=True))
        drawn = []
        for attribute in self.schema_:
            if isinstance(attribute, Nominal):
                shares = np.array(list(self.probabilities_[attribute.name].values())).T[which]
                seen = np.array([attribute.codes[v] for v in self.probabilities_[attribute.name]])
                drawn.append(seen[drawn_codes(shares, rng)].astype(attribute.dtype))
            elif isinstance(attribute, Ordinal):
                ranks = np.round(columns[attribute.name] * (len(attribute.values) - 1))
                drawn.append(np.clip(ranks, 0, len(attribute.values) - 1).astype(attribute.dtype))
            else:
                drawn.append(columns[attribute.name])
        return Table(self.schema_, drawn), which

    def _proba(self, X):
        return _shares(self._log_joint(X))

    def _log_density(self, X):
        x, values = self._typed(X)
        return logsumexp(log_joint(self._normals, x, values), axis=0) - self._log_units(x)

    def _span(self, name):
        j = self._typed.names.index(name)
        room = 4 * np.sqrt(self.component_covariances_[:, j, j])
        return float((self.means_[:, j] - room).min()), float((self.means_[:, j] + room).max())

    def draw(self, X=None, columns=None):
        """The density of a column; or rows by cluster, with ellipses of one and two standard deviations.

        Parameters
        ----------
        X : rows, str or None, default=None
            The rows to draw; or the name of a column whose density to draw, None for the first.
        columns : sequence of str or None, default=None
            The two columns to draw rows by; None takes the two there are, if both are numbers, and else
            the first two principal components, without ellipses.

        Returns
        -------
        Picture
        """
        if X is None or isinstance(X, str):
            return Density.draw(self, X)
        sweep = two_columns(read(X), columns)
        return super().draw(X) if sweep is None else draw_mixture(self, sweep)

    def draw_steps(self, X, columns=None):
        """The iterations of EM side by side: rows and ellipses of the components.

        Parameters
        ----------
        X : rows
        columns : sequence of str or None, default=None
            The two columns to draw over; None if there are two columns of numbers.

        Returns
        -------
        Picture
        """
        sweep = two_columns(read(X), columns)
        if sweep is None:
            raise DataError("steps are drawn over two columns of numbers; pass columns=(…, …)")
        return draw_mixture_steps(self, sweep)

    def score(self, X, y=None):  # noqa: ARG002 (pipelines pass a target)
        """The mean log density of the rows.

        Parameters
        ----------
        X : rows
        y : object, default=None
            Not used; pipelines pass a target.

        Returns
        -------
        float
        """
        return float(self.score_samples(X).mean())

    def bic(self, X):
        """The Bayesian information criterion of rows: the smaller, the better.

        Parameters
        ----------
        X : rows

        Returns
        -------
        float
        """
        densities = self.score_samples(X)
        return -2 * float(densities.sum()) + self.complexity() * math.log(len(densities))

    def aic(self, X):
        """Akaike's information criterion of rows: the smaller, the better.

        Parameters
        ----------
        X : rows

        Returns
        -------
        float
        """
        return -2 * float(self.score_samples(X).sum()) + 2 * self.complexity()

    @property
    def lower_bound_(self):
        """The mean log-likelihood of a row learnt from."""
        check_is_fitted(self)
        return self.log_likelihood_ / self._weight

    @property
    def bic_(self):
        check_is_fitted(self)
        return -2 * self.log_likelihood_ + self.complexity() * math.log(self._weight)

    @property
    def aic_(self):
        check_is_fitted(self)
        return -2 * self.log_likelihood_ + 2 * self.complexity()

    def complexity(self):
        """The number of free parameters: weights, means, covariances, probabilities of values."""
        K, d = self._normals.means.shape
        pairs = d * (d + 1) // 2
        shapes = {"full": K * pairs, "tied": pairs, "diag": K * d, "spherical": K * min(d, 1)}
        nominal = len(self._typed.shares) - len(set(self._typed.columns.tolist()))
        return K - 1 + K * d + shapes[self.covariance_type] + K * nominal

    # the fitted model in units of the columns

    @property
    def weights_(self):
        check_is_fitted(self)
        weights = np.exp(self._normals.log_weights)
        return weights / weights.sum()

    @property
    def means_(self):
        check_is_fitted(self)
        shift, scale = self._typed.units
        return self._normals.means * scale + shift

    @property
    def covariances_(self):
        check_is_fitted(self)
        if self.covariance_type == "spherical":
            return self._normals.covariances[:, 0, 0]
        whole = self.component_covariances_
        if self.covariance_type == "tied":
            return whole[0]
        return whole if self.covariance_type == "full" else np.diagonal(whole, axis1=1, axis2=2)

    @property
    def component_covariances_(self):
        """The covariance of each component as a matrix, (K, d, d), whatever its type."""
        check_is_fitted(self)
        scale = self._typed.units[1]
        return self._normals.covariances * np.outer(scale, scale)

    @property
    def probabilities_(self):
        check_is_fitted(self)
        encoding, names = self._typed.encoding, iter(range(len(self._typed.shares)))
        probabilities = np.exp(self._normals.log_values)
        return {
            attribute.name: {attribute.values[v]: probabilities[:, next(names)] for v in seen}
            for attribute, seen in zip(encoding.schema, encoding.seen, strict=True)
            if isinstance(attribute, Nominal)
        }

    def _work(self):
        return derive_model(self)

    def _work_row(self, X):
        return derive_row(self, X)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_normals")

    # the model file

    def _arrays(self):
        names = ("log_weights", "means", "covariances", "log_values")
        normals = {name: getattr(self._normals, name) for name in names}
        course = {"course_weights": self._course[0], "course_means": self._course[1], "first": self._first}
        facts = np.array([self.log_likelihood_, self._weight, float(self.converged_)])
        encoding = self._typed.encoding.arrays("encoding_")
        return {**encoding, **normals, "trace": self.trace_, **course, "facts": facts}

    def _restore(self, arrays):
        self._typed = typed = TypedRows(Encoding.from_arrays(self.schema_, arrays, "encoding_"))
        K, d, V, T = self.n_components, len(typed.names), len(typed.shares), len(arrays["trace"])
        shapes = {"log_weights": (K,), "means": (K, d), "covariances": (K, d, d), "log_values": (K, V)}
        shapes |= {"trace": (T,), "course_weights": (T, K), "course_means": (T, K, d)}
        shapes |= {"first": (T, *arrays["first"].shape[1:2], K), "facts": (3,)}
        logs, means, S, values, self.trace_, *course, self._first, facts = checked_floats(arrays, **shapes)
        require(S.transpose(0, 2, 1) == S, "its covariances are not symmetric")
        positive = not d or np.linalg.eigvalsh(S).min() > 0
        require(positive, "its covariances are not valid: a variance is not above zero")
        shared = np.exp(logs).sum() <= 1 + 1e-6
        require(T and facts[1] > 0 and shared, "its weights and iterations are not valid")
        diagonal = self.covariance_type in {"diag", "spherical"}
        self._normals = Normals(logs, means, S, values, diagonal=diagonal)
        self.log_likelihood_, self._weight, converged = facts.tolist()
        self._course, self.n_iter_, self.converged_ = course, T, bool(converged)
        self._say()


def _shares(joint):
    """Log joints (K, n) as responsibilities, (n, K)."""
    shares = np.exp(joint - joint.max(axis=0))
    return (shares / shares.sum(axis=0)).T
