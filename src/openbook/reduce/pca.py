r"""Principal component analysis: the directions in which the rows vary most.

    S = Σ_i w_i (x_i - m)(x_i - m)' / N,      S v_c = λ_c v_c,  λ_1 >= λ_2 >= …,      score_c = v_c' (x - m)

x : the encoded columns (`prepare.Encoding`, without columns for gaps): numbers in units of their standard
deviation, so that S is their correlation matrix, or as they are with `scale=False`; ordinal columns by rank,
from 0 to 1; a 0/1 column for each value of a nominal one. N is the weight of the rows, less 1 with
`variance="sample"`. All it takes is one fold over the rows (`linear.joint_scatter`), in memory or in files.

Of a wide table, S = Z'Z / N for fewer rows Z than columns (`linear.gram`), and ZZ' / N has the same λ_c: from
its eigenvectors u_c, v_c = Z'u_c / √(N λ_c).

Missing cells count as the mean of their column, or ("em") as their expected value given the other columns of
the row, for normal rows: mean and S are then found by EM, one fold per round (`kernels.normals`).

With `whiten=True` a score is divided by √λ_c, so that all scores vary by 1.

Sign: the loading of largest absolute value of each component is positive; ties: the first.

components_ : float64 (n_components, d), of length 1 each
"""

from dataclasses import replace
from functools import partial
from operator import add
from typing import Annotated, Any, cast

import numpy as np
from scipy.linalg import eigh
from sklearn.utils.validation import check_is_fitted

from openbook.border.rows import infinite_cell, weighed
from openbook.border.rules import Maybe, Number, OneOf, Whole
from openbook.damage import checked_floats, require
from openbook.data.conform import conform
from openbook.data.read import read
from openbook.errors import ParameterError
from openbook.fold import fold
from openbook.kernels.normals import Normals, expected
from openbook.linear.design import RawColumns
from openbook.linear.gram import Gram
from openbook.linear.joint_scatter import JointScatter
from openbook.linear.scored import linear_scores, scored
from openbook.measures.arrays import all_finite
from openbook.measures.directions import with_fixed_signs
from openbook.reduce.projection import Projection
from openbook.reduce.work import derive_pca, derive_scores

#: Rows encoded at a time for EM.
_BLOCK_ROWS = 2048

#: What is added to variances before equations are solved: the values of a nominal column sum to one.
_RIDGE = 1e-9

#: The share of all variance below which a component has none.
_NOTHING = 1e-12

#: From so many columns on, only the requested eigenvectors are computed.
_MANY = 100


class PCA(Projection):
    """Principal component analysis: the directions of greatest variance.

    Parameters
    ----------
    n_components : None, int, or a share below 1, default=None
        The number of components, or the share of the variance to explain; None for all with variance.
    scale : bool, default=True
        Whether numbers are measured by their standard deviations, or taken as they are.
    missing : {"mean", "em"}, default="mean"
        The replacement of a missing cell: the mean of its column, or its expectation given the other cells of
        the row.
    variance : {"mle", "sample"}, default="mle"
        Whether variances divide by N or by N - 1.
    max_iter : int, default=200
        The most rounds of EM.
    tol : float, default=1e-06
        EM ends when the log-likelihood of a row rises by less.
    whiten : bool, default=False
        Whether `transform` divides scores by their standard deviations, so that each varies by 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, d)
        The loadings of the encoded columns.
    n_components_ : int
        The number of components.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components_,)
        The variance along each component, and its share of the whole.
    singular_values_ : ndarray of shape (n_components_,)
        The lengths of the components' scores: the singular values of the centred rows.
    total_variance_ : float
        The sum of the variances of all encoded columns.
    noise_variance_ : float
        The mean variance along the directions that are left out.
    n_samples_ : float
        The weight of the rows.
    encoding_ : Encoding
        How columns became numbers; `encoding_.names` are the columns of the components.
    mean_ : ndarray of shape (d,)
        The mean of the encoded columns.
    covariance_ : ndarray of shape (d, d)
        The covariance of the encoded columns.
    statistics_ : Statistics
        The sums that the components follow from.
    trace_ : ndarray
        The log-likelihood at each round of EM, in standard units; empty if one pass was enough.
    n_iter_ : int
        The number of passes over the rows.

    Notes
    -----
    Guide: docs/guide/projections.md

    References
    ----------
    Pearson (1901). Jolliffe (2002), Principal Component Analysis. Dempster, Laird and Rubin (1977), for EM.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> model = PCA(2).fit(X)
    >>> model.explained_variance_ratio_.round(3).tolist()
    [0.73, 0.229]
    >>> model.transform(X)[0].round(3).tolist()
    [-2.265, 0.48]
    """

    n_components: Annotated[Any, Maybe(Number(above=0))] = None
    scale: bool = True
    missing: Annotated[str, OneOf("mean", "em")] = "mean"
    variance: Annotated[str, OneOf("mle", "sample")] = "mle"
    max_iter: int = 200
    tol: float = 1e-6
    whiten: bool = False

    # learning

    def _fit(self, rows):
        self.statistics_ = self._folded(rows)
        self._encode_statistics()
        self._normal, self.trace_ = cast("Any", None), np.zeros(0)  # the normal that EM finds, if asked
        if self.missing == "em" and self._has_gaps:
            self._normal, self.trace_ = self._expectation_maximisation(rows)
        self.n_iter_ = max(len(self.trace_), 1)
        self._solve()

    def partial_fit(self, X, y=None, sample_weight=None):  # noqa: ARG002 (pipelines pass a target)
        """Learn from more rows, as if they had come with the earlier ones.

        Parameters
        ----------
        X : table-like
        y : array-like or str or None, default=None
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        if self.missing == "em":
            raise ParameterError("PCA: partial_fit needs missing='mean'; EM must see all rows again")
        with self._whole_or_not_at_all():
            if not hasattr(self, "statistics_"):
                self._fit(self._training_rows(X, None, sample_weight))
                return self
            table = conform(read(X), self.schema_, type(self).__name__, grow=True)
            known = RawColumns(self.schema_).grown(self.statistics_, table.schema)
            self._remember(table.schema)
            rows = weighed(table, np.zeros(len(table), dtype=np.intp), sample_weight)
            self.statistics_ = known + self._folded(rows)
            self._encode_statistics()
            self._solve()
        return self

    def _folded(self, rows):
        with np.errstate(over="ignore", invalid="ignore"):
            statistics = fold(rows.pieces, partial(_scatter, RawColumns(rows.schema)), add)
        if not all(np.isfinite(array).all() for array in statistics.arrays().values()):
            raise infinite_cell(rows)
        return statistics

    def _encode_statistics(self):
        """The encoding, and mean and covariance of the rows with the mean for what is missing."""
        columns = RawColumns(self.schema_)
        encoding = columns.encoding(self.statistics_, scale=self.scale, reference=False)
        self._has_gaps = bool(encoding.gaps.any())
        self.encoding_ = self._in_sample_units(encoding.without_gaps())
        self._scatter = self.statistics_.gram.turned(columns.weights(self.encoding_))
        self.mean_ = (self.encoding_.mean - self.encoding_.shift) / self.encoding_.scale

    def _in_sample_units(self, encoding):
        """The encoding by the same variance as everything else, so that a correlation matrix has 1s."""
        weight = float(self.statistics_.weight[0])
        if not self.scale or self._rows() == weight:
            return encoding
        weights = RawColumns(self.schema_).weights(encoding)
        spread = self.statistics_.gram.turned(weights).diagonal() / weight
        scaled = np.isclose(spread, 1.0) | (encoding.scale != 1)  # with gaps, a column varies by less than 1
        wider = np.where(scaled, np.sqrt(weight / self._rows()), 1.0)
        return replace(encoding, scale=encoding.scale * wider)

    @property
    def singular_values_(self):
        return np.sqrt(self.explained_variance_ * self._rows())

    @property
    def n_samples_(self):
        return float(self.statistics_.weight[0])

    @property
    def noise_variance_(self):
        left = min(len(self.encoding_), self.n_samples_) - self.n_components_
        unexplained = max(self.total_variance_ - float(self.explained_variance_.sum()), 0.0)
        return unexplained / left if left > 0 else 0.0

    @property
    def _divisors(self):
        """What a score along each component is divided by."""
        spread = np.sqrt(self.explained_variance_)
        return np.where(spread > 0, spread, 1.0) if self.whiten else np.ones(self.n_components_)

    @property
    def covariance_(self):
        """The covariance of the encoded columns, (d, d)."""
        return self._scatter.matrix / self._rows()

    def get_covariance(self):
        """The covariance of the encoded columns by the components, and noise of equal variance besides.

        Returns
        -------
        ndarray of shape (d, d)
        """
        check_is_fitted(self)
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        spread = (self.components_.T * above) @ self.components_
        return spread + self.noise_variance_ * np.eye(len(spread))

    def get_precision(self):
        """The inverse of `get_covariance`.

        Returns
        -------
        ndarray of shape (d, d)
        """
        return np.linalg.inv(self.get_covariance())

    def _rows(self):
        """What a scatter is divided by."""
        weight = float(self.statistics_.weight[0])
        return max(weight - 1, 1.0) if self.variance == "sample" else weight

    def _expectation_maximisation(self, rows):
        """The normal distribution of the encoded rows with gaps, in standard units, and its trace."""
        spread = np.sqrt(np.diag(self.covariance_))
        self._spread = np.where(spread > 0, spread, 1.0)
        d, weight = len(self.encoding_), float(self.statistics_.weight[0])
        start = self.covariance_ / np.outer(self._spread, self._spread)
        normal = _normal(np.zeros(d), start * self._rows() / weight)
        trace = []
        for _ in range(self.max_iter):
            sums = fold(rows.pieces, partial(_expected, normal, self._open, self._spread, self.mean_), add)
            trace.append(float(sums.log_likelihood[0]))
            moments = sums.moments[0] / weight
            mean = moments[0, 1:]
            normal = _normal(mean, moments[1:, 1:] - np.outer(mean, mean))
            if len(trace) > 1 and abs(trace[-1] - trace[-2]) < self.tol * weight:
                break
        return normal, np.array(trace)

    @property
    def _open(self):
        """The encoding that leaves missing cells NaN."""
        return replace(self.encoding_, mean=np.full(len(self.encoding_), np.nan))

    def _solve(self):
        if self._normal is not None:
            self.mean_ = self.mean_ + self._normal.means[0] * self._spread
            plain = self._normal.covariances[0] - _RIDGE * np.eye(len(self._spread))
            weight = float(self.statistics_.weight[0])
            self._scatter = Gram(plain * np.outer(self._spread, self._spread) * weight)
        self.total_variance_ = float((self._scatter.diagonal() / self._rows()).sum())
        values, vectors = self._axes(self._requested())
        n = self._how_many(values)
        self.n_components_ = n
        self.components_ = np.array([with_fixed_signs(vector) for vector in vectors[:n]])
        self.explained_variance_ = values[:n].copy()
        self.explained_variance_ratio_ = values[:n] / (self.total_variance_ or 1.0)

    def _axes(self, asked):
        """The eigenvalues of S, the largest first, and their eigenvectors; no more than asked for."""
        wide = self._scatter.wide and (asked is None or asked < len(self._scatter.entries))
        rows = self._scatter.entries
        S = rows @ rows.T / self._rows() if wide else self.covariance_
        if asked is not None and len(S) >= _MANY:
            values, vectors = eigh(S, subset_by_index=(len(S) - asked, len(S) - 1), check_finite=False)
        else:
            values, vectors = np.linalg.eigh(S)
        values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1].T
        if wide:
            some = values > _NOTHING * self.total_variance_
            values, vectors = values[some], vectors[some] @ rows
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return values, vectors

    def _requested(self):
        """The number of components that was asked for; None if it was not a number."""
        wanted: Any = self.n_components
        d = len(self.encoding_)
        if wanted is None or wanted < 1:
            return None
        if not Whole(at_least=1).allows(wanted):
            msg = f"PCA: n_components must be None, a whole number, or a share below 1, got {wanted!r}."
            raise ParameterError(msg)
        if wanted > d:
            msg = f"PCA: n_components is {wanted}, but there are {d} encoded columns; ask for fewer"
            raise ParameterError(msg)
        return int(wanted)

    def _how_many(self, values):
        if (asked := self._requested()) is not None:
            return asked
        if self.n_components is None:
            return max(int((values > _NOTHING * self.total_variance_).sum()), 1)
        shares = np.cumsum(values) / (self.total_variance_ or 1.0)
        return min(int(np.searchsorted(shares, self.n_components - _NOTHING)) + 1, len(values))

    # answers

    def _scores(self, X):
        if self._normal is None:
            weights = self.components_ / self._divisors[:, None]
            return linear_scores(self.encoding_, X, weights, -weights @ self.mean_)
        return scored(self._open, X, self.n_components_, self._filled_scores)

    def _filled_scores(self, x):
        return (self._filled(x) - self.mean_) @ self.components_.T / self._divisors

    def _filled(self, x):
        """Encoded rows in which each NaN is replaced by its expected value given the other columns."""
        start = (self.encoding_.mean - self.encoding_.shift) / self.encoding_.scale
        return self._normal.filled(((x - start) / self._spread).T).T * self._spread + start

    def _decoded(self, scores):
        return self.encoding_.decoded(scores * self._divisors @ self.components_ + self.mean_)

    def _work(self):
        return derive_pca(self)

    def _work_row(self, X):
        x = self.encoding_(X) if self._normal is None else self._filled(self._open(X))
        return derive_scores(self, x[0], "Principal components")

    # the model file

    def _arrays(self):
        arrays = dict(self.statistics_.arrays())
        if self._normal is not None:
            arrays |= {"em_mean": self._normal.means[0], "em_covariance": self._normal.covariances[0]}
            arrays |= {"spread": self._spread, "trace": self.trace_}
        return arrays

    def _restore(self, arrays):
        columns = RawColumns(self.schema_)
        zero = JointScatter.zero(columns.numbers, columns.size)
        self.statistics_ = zero.filled(arrays)
        finite = all(map(all_finite, self.statistics_.arrays().values()))
        require(finite, "its statistics are not finite")
        sound = self.statistics_.weight[0] > 0 and (self.statistics_.known >= 0).all()
        require(sound, "its statistics are not valid: a weight is negative, or missing")
        self.statistics_.check()
        self._encode_statistics()
        self._normal, self.trace_ = None, np.zeros(0)
        if "em_covariance" in arrays:
            d, rounds = len(self.encoding_), len(arrays["trace"])
            shapes = {"em_mean": (d,), "em_covariance": (d, d), "spread": (d,), "trace": (rounds,)}
            mean, covariance, self._spread, self.trace_ = checked_floats(arrays, **shapes)
            symmetric = np.array_equal(covariance, covariance.T) and (self._spread > 0).all()
            valid = symmetric and np.linalg.eigvalsh(covariance).min() > 0
            require(valid, "its covariance matrix is not valid")
            self._normal = replace(_normal(mean, covariance), covariances=covariance[None])
        self.n_iter_ = max(len(self.trace_), 1)
        self._solve()


def _scatter(columns, chunk):
    X, _, w = chunk
    return JointScatter.of(columns, X, np.zeros((len(w), 0)), w)


def _normal(mean, covariance):
    ridge = _RIDGE * np.eye(len(mean))
    return Normals(np.zeros(1), mean[None], (covariance + covariance.T)[None] / 2 + ridge, np.zeros((1, 0)))


def _expected(normal, encoding, spread, mean, chunk):
    """The E-step over a chunk, in standard units."""
    return expected(normal, _blocks(encoding, spread, mean, chunk), len(chunk.w))


def _blocks(encoding, spread, mean, chunk):
    X, _, w = chunk
    for start in range(0, len(w), _BLOCK_ROWS):
        span = slice(start, start + _BLOCK_ROWS)
        x = (encoding(X.take(span)) - mean) / spread
        yield np.ascontiguousarray(x.T), np.zeros((0, len(x))), w[span]
