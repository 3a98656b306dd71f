r"""Truncated singular value decomposition: the directions along which rows are longest; of sparse rows, too.

    X = U Σ V',    X'WX v_c = σ_c² v_c,  σ_1 >= σ_2 >= …,      score_c = v_c' x

X are the encoded columns (`prepare.Encoding`): sparse ones, words of texts and numbers as they are, ordinal
columns by rank, a 0/1 column for each value of a nominal one, and one for the missing cells of a column that
has some. Nothing is centred, so sparse rows stay sparse; that is what tells it from principal components. Of
texts it is latent semantic analysis. X'WX is known by its products alone, each one fold over the rows, in
memory or in files (`measures.directions`).

Sign: the loading of largest absolute value of each component is positive; ties: the first. A missing cell
counts as the mean of its column, and an unseen value as missing.

components_ : float64 (n_components, d), of length 1 each
"""

from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Annotated, Any

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils import check_random_state

from openbook.border.rules import OneOf, Whole
from openbook.damage import checked_floats, require
from openbook.errors import ParameterError
from openbook.fold import Statistics, fold
from openbook.linear.scored import linear_scores
from openbook.measures.directions import leading_directions, with_fixed_signs
from openbook.prepare.encoding import Encoding
from openbook.reduce.projection import Projection
from openbook.reduce.work import derive_svd, derive_svd_row


@dataclass(frozen=True)
class _Lengths(Statistics):
    """The weight of the rows, (1,), and the sum of squares of each encoded column, (d,)."""

    weight: np.ndarray
    squares: np.ndarray


class TruncatedSVD(Projection):
    """Truncated singular value decomposition: few directions of many columns, sparse ones and words of texts.

    Parameters
    ----------
    n_components : int, default=2
        How many components.
    algorithm : {"randomized", "arpack"}, default="randomized"
        How they are found: by subspace iteration from a random start, or by Lanczos' method to `tol`.
    n_iter : int, default=5
        The passes of subspace iteration.
    n_oversamples : int, default=10
        How many more vectors than components subspace iteration has.
    random_state : int, RandomState or None, default=None
        Random seed of the start.
    tol : float, default=0.0
        The error of Lanczos' method, as a share of the eigenvalues; 0 for rounding.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, d)
        The loadings of the encoded columns, each component of length 1.
    singular_values_ : ndarray of shape (n_components,)
        σ, the length of all scores of a component.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        The variance of the scores of each component, and its share of that of all encoded columns.
    encoding_ : Encoding
        How columns became numbers; `encoding_.names` are the columns of the components.

    Notes
    -----
    Guide: docs/guide/projections.md

    References
    ----------
    Halko, Martinsson and Tropp (2011), Finding structure with randomness. Deerwester et al. (1990), Indexing
    by latent semantic analysis.

    Examples
    --------
    >>> from openbook.prepare import BagOfWords
    >>> counts = BagOfWords().fit_transform(["team cup", "cup won team", "law vote", "new law"])
    >>> model = TruncatedSVD(2).fit(counts)
    >>> model.singular_values_.round(3).tolist()
    [2.136, 1.732]
    >>> np.abs(model.transform(counts).round(2)).tolist()
    [[1.31, 0.0], [1.68, 0.0], [0.0, 1.22], [0.0, 1.22]]
    """

    n_components: int = 2
    algorithm: Annotated[str, OneOf("randomized", "arpack")] = "randomized"
    n_iter: Annotated[int, Whole(at_least=0)] = 5
    n_oversamples: Annotated[int, Whole(at_least=0)] = 10
    random_state: Any = None
    tol: float = 0.0

    _biplot = "Biplot of the singular vectors"
    _takes_sparse = True
    _streams = True

    # learning

    def _fit(self, rows):
        self.encoding_ = Encoding.of(rows, scale=False)
        d = len(self.encoding_)
        if self.n_components > d - (self.algorithm == "arpack"):
            msg = f"TruncatedSVD: n_components is {self.n_components}, but there are {d} encoded columns"
            fewer = "ask for fewer than that" if self.algorithm == "arpack" else "ask for no more"
            raise ParameterError(f"{msg}; {fewer}")
        lengths = fold(rows.pieces, partial(_lengths, self.encoding_), add)
        values, self.components_ = self._leading(rows, check_random_state(self.random_state))
        weight = float(lengths.weight[0])
        mean = self.encoding_.mean
        self._total = float((lengths.squares / weight - mean**2).sum())
        self.singular_values_ = np.sqrt(values)
        self.explained_variance_ = np.maximum(values / weight - (self.components_ @ mean) ** 2, 0.0)
        self._share()

    def _leading(self, rows, random):
        """The largest σ², (n_components,), and their directions, (n_components, d)."""
        d, k = len(self.encoding_), self.n_components

        def times(vectors):
            return fold(rows.pieces, partial(_times, self.encoding_, vectors), add)

        if self.algorithm == "randomized":
            start = random.standard_normal((d, min(k + self.n_oversamples, d)))
            return leading_directions(times, start, k, self.n_iter)
        operator = LinearOperator((d, d), matvec=times, dtype=np.float64)
        values, vectors = eigsh(operator, k, v0=random.uniform(-1, 1, d), tol=self.tol)
        order = np.argsort(-values, kind="stable")
        return np.maximum(values[order], 0.0), np.array([with_fixed_signs(v) for v in vectors.T[order]])

    def _share(self):
        self.explained_variance_ratio_ = self.explained_variance_ / (self._total or 1.0)

    # answers

    def _scores(self, X):
        return linear_scores(self.encoding_, X, self.components_, np.zeros(len(self.components_)))

    def _decoded(self, scores):
        return self.encoding_.decoded(scores @ self.components_)

    def _work(self):
        return derive_svd(self)

    def _work_row(self, X):
        return derive_svd_row(self, self.encoding_.row(X))

    # the model file

    def _arrays(self):
        found = {"components": self.components_, "singular_values": self.singular_values_}
        variances = {"variance": self.explained_variance_, "total": np.array([self._total])}
        return {**self.encoding_.arrays("encoding."), **found, **variances}

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        k, d = self.n_components, len(self.encoding_)
        shapes = {"components": (k, d), "singular_values": (k,), "variance": (k,), "total": (1,)}
        found = checked_floats(arrays, **shapes)
        self.components_, self.singular_values_, self.explained_variance_, total = found
        figures = np.concatenate([self.singular_values_, self.explained_variance_, total])
        require(figures >= 0, "a singular value or a variance is negative")
        self._total = float(total[0])
        self._share()


def _lengths(encoding, chunk):
    x, w = encoding(chunk.X), chunk.w
    squares = csr_array((x.data**2, x.indices, x.indptr), x.shape) if issparse(x) else x**2
    return _Lengths(np.array([w.sum()]), w @ squares)


def _times(encoding, vectors, chunk):
    """X'WX of some rows times vectors, (d,) or (d, l)."""
    x = encoding(chunk.X)
    return x.T @ ((x @ vectors).T * chunk.w).T
