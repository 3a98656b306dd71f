r"""Linear discriminant projection: the directions in which the classes lie farthest apart.

    B = Σ_c P(c) (μ_c - m)(μ_c - m)',     B v = λ S v,    v' S v = 1,      score = v' (x - m)

λ is the variance between the classes over that within them (Fisher's criterion), so that scores vary by 1
within the classes. There are at most as many directions as classes less 1, and as columns. They are those of
`linear.LinearDiscriminantAnalysis`, whose `transform` this is; here the work and the picture are theirs.

Sign: of each direction the coefficient of the largest size, by standard deviations, is above zero.

components_ : float64 (n_components_, d), coefficients of the encoded columns; 0 for those left out
"""

from sklearn.utils.validation import check_is_fitted

from openbook.linear import LinearDiscriminantAnalysis
from openbook.reduce.picture import draw_rows
from openbook.reduce.work import derive_discriminant, derive_scores


class LinearDiscriminantProjection(LinearDiscriminantAnalysis):
    """Linear discriminant projection: the directions that separate the classes best; it also predicts.

    Parameters
    ----------
    variance : {"mle", "sample"}, default="mle"
        Whether variances divide by N, or by N less the number of classes.
    shrinkage : float, default=0.0
        From 0 to 1, how far the covariance is drawn towards its diagonal.
    priors : sequence, mapping of class to probability, or None, default=None
        The prior probabilities, a sequence in the order of `classes_`; None for the shares of the classes.
    n_components : int or None, default=None
        The number of directions; None for all there are, one fewer than classes.

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
    scalings_ : ndarray of shape (n_used, n_components_)
        The directions in units of the columns.
    xbar_ : ndarray of shape (n_used,)
        The mean of the columns, the classes weighed by their priors.
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
        Columns that were left out, and variances that were replaced.

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

    def draw(self, X=None, y=None, columns=None):
        """The rows by their first two scores, coloured by y; without rows, the classes as ellipses.

        Parameters
        ----------
        X : table-like or None, default=None
            The rows.
        y : array-like or str or None, default=None
            Their target.
        columns : sequence of str or None, default=None
            The two columns of the ellipses; None takes the two that separate the classes best.

        Returns
        -------
        Picture
            The picture.
        """
        check_is_fitted(self)
        if X is None:
            return super().draw(columns=columns)
        ratios = enumerate(self.explained_variance_ratio_, start=1)
        names = [f"direction {c} ({share:.1%})" for c, share in ratios]
        return draw_rows("Linear discriminant projection", names, self.transform(X), y)

    def _work(self):
        return derive_discriminant(self, super()._work())

    def _work_row(self, X):
        return derive_scores(self, self.encoding_(X)[0], "Linear discriminant projection")
