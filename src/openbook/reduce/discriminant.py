r"""Linear discriminant projection: the directions in which the classes lie farthest apart.

    B = Σ_c P(c) (μ_c - m)(μ_c - m)',     B v = λ S v,    v' S v = 1,      score = v' (x - m)

λ is the variance between the classes over that within them (Fisher's criterion), so that scores vary by 1
within the classes. There are at most as many directions as classes less 1, and as columns. Everything but the
last small solve is that of `linear.LinearDiscriminantAnalysis`: columns, missing cells, floors, the fold.

Sign: of each direction the coefficient of the largest size, by standard deviations, is above zero.

components_ : float64 (n_components_, d), coefficients of the encoded columns; 0 for those left out
"""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from openbook.border.rules import Maybe, Whole
from openbook.errors import ParameterError
from openbook.linear import LinearDiscriminantAnalysis
from openbook.linear.scored import linear_scores
from openbook.reduce.directions import checked_scores, with_fixed_signs
from openbook.reduce.picture import draw_rows
from openbook.reduce.work import derive_discriminant, derive_scores

__all__ = ["LinearDiscriminantProjection"]


class LinearDiscriminantProjection(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, LinearDiscriminantAnalysis
):
    """Linear discriminant projection: the directions that separate the classes best; it also predicts.

    Parameters
    ----------
    n_components : int or None, default=None
        The number of directions; None for all there are, one fewer than classes.
    variance : {"mle", "sample"}, default="mle"
        Whether variances divide by N or by N - 1.
    shrinkage : float, default=0.0
        How far covariances are shrunk towards those of uncorrelated columns of equal variance, from 0 to 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, d)
        The coefficients of the encoded columns.
    n_components_ : int
        The number of directions.
    criteria_ : ndarray of shape (n_components_,)
        The variance between classes over that within, of each direction.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        The share of each direction in the sum of all criteria.
    mean_ : ndarray of shape (d,)
        The mean of the encoded columns, where scores are 0.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    priors_ : ndarray of shape (n_classes,)
        The probability of each class.
    encoding_ : Encoding
        How columns became numbers.
    used_ : ndarray of int
        The positions of the encoded columns that are used.
    means_ : ndarray of shape (n_classes, n_used)
        The means of the classes, in units of the columns.
    covariance_ : ndarray of shape (n_used, n_used)
        The covariance within the classes, in units of the columns.
    coef_ : ndarray of shape (n_classes, n_used)
        The coefficients of the discriminants, in units of the columns.
    intercept_ : ndarray of shape (n_classes,)
        The intercepts of the discriminants.
    statistics_ : Statistics
        The sums that the directions follow from.
    notes_ : list of str
        What was left out, and what had to stand in.

    Notes
    -----
    Guide: docs/guide/projections.md

    References
    ----------
    Fisher (1936). Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 4.3.3.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> model = LinearDiscriminantProjection().fit(X, y)
    >>> model.explained_variance_ratio_.round(4).tolist()
    [0.9912, 0.0088]
    >>> model.transform(X).shape
    (150, 2)
    """

    _rules = {**LinearDiscriminantAnalysis._rules, "n_components": Maybe(Whole(at_least=1))}

    def __init__(self, n_components=None, variance="mle", shrinkage=0.0):
        super().__init__(variance=variance, shrinkage=shrinkage)
        self.n_components = n_components

    def _solve_classes(self, pooled, scatter):
        super()._solve_classes(pooled, scatter)
        gap = self._means - self.priors_ @ self._means
        between = (gap.T * self.priors_) @ gap
        root = np.linalg.cholesky(self._covariance)
        half = np.linalg.solve(root, between)
        criteria, axes = np.linalg.eigh(np.linalg.solve(root, half.T))
        axes = np.linalg.solve(root.T, axes).T[::-1]
        classes = int((self.priors_ > 0).sum())
        most = min(classes - 1, len(pooled))
        if self.n_components is not None and self.n_components > most:
            msg = (
                f"LinearDiscriminantProjection: n_components is {self.n_components}, but {len(pooled)}"
                f" columns that vary and {classes} class{'es' if classes > 1 else ''} have {most} directions"
            )
            raise ParameterError(msg)
        self.n_components_ = n = most if self.n_components is None else self.n_components
        criteria = np.maximum(criteria[::-1], 0.0)
        self.criteria_ = criteria[:n].copy()
        self.explained_variance_ratio_ = self.criteria_ / (criteria[:most].sum() or 1.0)
        self.components_ = np.zeros((n, len(self.encoding_)))
        for c, axis in enumerate(axes[:n]):
            self.components_[c, self.used_] = with_fixed_signs(axis)
        self.mean_ = (self.encoding_.mean - self.encoding_.shift) / self.encoding_.scale

    def transform(self, X):
        """The scores of each row, (n_rows, n_components_).

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_components_)
            The scores.
        """
        return self._each(X, self._projected)

    def _projected(self, X):
        return linear_scores(self.encoding_, X, self.components_, -self.components_ @ self.mean_)

    def inverse_transform(self, scores):
        """The likeliest rows behind scores, as a table: those nearest to the mean by the covariance.

        Parameters
        ----------
        scores : array-like of shape (n_rows, n_components_)
            The scores, as `transform` gives them.

        Returns
        -------
        Table
            The rows.
        """
        check_is_fitted(self)
        scores = checked_scores(scores, self.n_components_)
        x = np.repeat(self.mean_[None], len(scores), axis=0)
        x[:, self.used_] += scores @ self.components_[:, self.used_] @ self._covariance
        return self.encoding_.decoded(x)

    @property
    def _n_features_out(self):
        return self.n_components_

    def draw(self, X=None, y=None, columns=None):
        """The rows by their first two scores, coloured by y; without rows, the classes as ellipses.

        Parameters
        ----------
        X : table-like or None, default=None
            The rows.
        y : array-like or str or None, default=None
            Their target.
        columns : sequence of str or None, default=None
            The two columns of the ellipses; None takes the two that tell the classes apart best.

        Returns
        -------
        Picture
            The picture.
        """
        check_is_fitted(self)
        if X is None:
            return super().draw(columns=columns)
        shares = [
            f"direction {c + 1} ({share:.1%})" for c, share in enumerate(self.explained_variance_ratio_)
        ]
        return draw_rows("Linear discriminant projection", shares, self.transform(X), y)

    def _work(self):
        return derive_discriminant(self, super()._work())

    def _work_row(self, X):
        return derive_scores(self, self.encoding_(X)[0], "Linear discriminant projection")
