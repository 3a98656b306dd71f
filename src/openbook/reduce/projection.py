"""Base of projections onto components: scores of rows, rows from scores, and pictures of both.

components_ : float64 (n_components, d), the loadings of the encoded columns
"""

from abc import abstractmethod
from typing import ClassVar

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.unsupervised import Unsupervised
from openbook.measures.directions import checked_scores
from openbook.reduce.picture import draw_biplot, draw_scree


class Projection(Declared, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Unsupervised):
    """Directions of the encoded columns, and the scores of rows along them."""

    #: The title of the biplot.
    _biplot: ClassVar[str] = "Biplot of the principal components"

    @abstractmethod
    def _scores(self, X):
        """The scores of the rows of an encoded table."""

    @abstractmethod
    def _decoded(self, scores):
        """The rows behind scores, as a table."""

    @property
    def _n_features_out(self):
        return len(self.components_)

    def transform(self, X):
        """The scores of each row, one for each component.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            The scores.
        """
        return self._each(X, self._scores)

    def inverse_transform(self, scores):
        """The rows behind scores, as a table: numbers in units of their columns, the likeliest values.

        Parameters
        ----------
        scores : array-like of shape (n_rows, n_components)
            The scores, as `transform` gives them.

        Returns
        -------
        Table
            The rows; no column is sparse.
        """
        check_is_fitted(self)
        return self._decoded(checked_scores(scores, len(self.components_)))

    def draw_scree(self):
        """The share of the variance that each component explains, and all up to it."""
        check_is_fitted(self)
        return draw_scree(self)

    def draw(self, X, y=None):
        """A biplot: rows by their first two components, coloured by y, and the columns as arrows.

        Parameters
        ----------
        X : table-like
        y : array-like or str or None, default=None

        Returns
        -------
        Picture
            The biplot.
        """
        check_is_fitted(self)
        return draw_biplot(self, X, y, self._biplot)
