"""Base of all clusterers: the clusters of the training rows, and of new rows.

    labels_ : intp (n_rows,), the cluster of each row, from 0; -1 for rows that belong to none

The model file holds what new rows need, without `labels_` of the training rows.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from openbook.border.unsupervised import Unsupervised
from openbook.cluster.picture import draw_components, draw_regions, two_columns
from openbook.damage import placed_under, under
from openbook.data import Table, read
from openbook.draw import Picture
from openbook.errors import DataError, ParameterError
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import DISTANCE_MEANINGS, Space
from openbook.words.parameters import documented
from openbook.words.sentences import plural


class Clusterer(ClusterMixin, Unsupervised):
    """An estimator of groups."""

    labels_: npt.NDArray[np.intp]

    _meanings: ClassVar[dict[str, str]] = {
        "metric": 'The distance between rows: "euclidean" of encoded columns, "gower" or "heom" of typed'
        ' ones; "auto" is Euclidean for numbers, and Gower\'s otherwise.',
        "scale": "Whether numeric columns are brought to mean 0 and standard deviation 1 first.",
        "p": DISTANCE_MEANINGS["p"],
        "space_": DISTANCE_MEANINGS["space_"],
        "labels_": "The cluster of each training row, from 0; -1 for a row that belongs to none.",
        "n_iter_": "The number of iterations.",
        "converged_": "Whether the iterations ended by themselves.",
    }

    def _refuse_few(self, n: int) -> None:
        """Refuse to make more clusters than there are rows."""
        if n < self.n_clusters:  # type: ignore[attr-defined]
            raise ParameterError(
                f"{type(self).__name__}: n_clusters = {self.n_clusters}, but there are only {n} rows"  # type: ignore[attr-defined]
                f" (n_samples={n}); ask for at most {n} clusters"
            )

    @abstractmethod
    def _labels(self, X: Table) -> npt.NDArray[np.intp]:
        """The cluster of each encoded row, by the rule of the class."""

    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """The cluster of each row, new ones too, by the rule that the class states.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of int of shape (n,)
        """
        return self._each(X, self._labels)

    assign = predict

    def draw(self, X: Any, columns: Sequence[str] | None = None) -> Picture:
        """Clusters: regions, rows and centres over two columns, or rows by their principal components.

        Parameters
        ----------
        X : rows
        columns : sequence of str or None, default=None
            The two columns to draw the regions over; the others stay at their mean or mode. None takes the
            two there are, if both are numbers; else the rows are drawn by their first two principal
            components, without regions.

        Returns
        -------
        Picture
        """
        table = read(X)
        if len(table.names) < 2:
            raise DataError(f"{table.names[0]!r} is the only column, and a picture of clusters needs two")
        if (sweep := two_columns(table, columns)) is not None:
            return draw_regions(self, sweep, self._centres(sweep.names))
        return draw_components(self, table)

    def _centres(self, names: tuple[str, ...]) -> np.ndarray | None:  # noqa: ARG002 (most have none)
        """The centre of each cluster in these columns, (n_clusters, 2); None if there is none."""
        return None


@documented
class CentreTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Distances to the centres as new columns, for clusterers with `centers_` in encoded columns."""

    @property
    def cluster_centers_(self):
        return self.centers_ * self.encoding_.scale + self.encoding_.shift

    @property
    def _n_features_out(self):
        return len(self.centers_)

    def transform(self, X):
        """The distance of each row to each centre, in units of the encoded columns.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n, n_clusters)
        """
        return self._each(X, self._centre_distances)


class RowClusterer(Clusterer):
    """A clusterer that keeps its rows, in a `Space`; the model file holds them.

    A new row is compared with the training rows by the rules of the metric. One that equals a training row in
    every cell, missing ones included, gets its cluster.
    """

    _row_weights: npt.NDArray[np.float64]

    def _keep(self, stored: StoredRows) -> None:
        """Keep the training rows and their weights."""
        self._stored, self._row_weights = stored, stored.weights
        self.space_ = self._space(stored)

    def _space(self, stored: StoredRows) -> Space:
        return Space(stored, self.schema_, self.metric, scale=self.scale)  # type: ignore[attr-defined]

    @abstractmethod
    def _nearest_labels(self, X: Table) -> npt.NDArray[np.intp]:
        """The cluster of each row, compared with the training rows."""

    def _labels(self, X: Table) -> npt.NDArray[np.intp]:
        same = self.space_.same_rows(X)
        return np.where(same >= 0, self.labels_[same], self._nearest_labels(X)).astype(np.intp)

    def _arrays(self) -> dict[str, np.ndarray]:
        return placed_under("rows.", self._stored.arrays())

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._keep(StoredRows.from_arrays(self.schema_, under("rows.", arrays), 1))


def were_found(n):
    """The number of clusters, in words.

    >>> were_found(1), were_found(3)
    ('1 cluster was found', '3 clusters were found')
    """
    return f"{plural(n, 'cluster')} {'was' if n == 1 else 'were'} found"
