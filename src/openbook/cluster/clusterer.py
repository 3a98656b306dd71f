"""What every clusterer shares: the clusters of the rows it learnt from, and of new rows by a rule it states.

    labels_ : intp (n_rows,), the cluster of each row, from 0; -1 for rows that belong to none

The model file holds what new rows need; `labels_` is about the rows learnt from, and is not in it.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClusterMixin

from openbook.border.unsupervised import Unsupervised
from openbook.data import Table
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import Space
from openbook.words.sentences import plural

__all__ = ["Clusterer", "RowClusterer", "were_found"]


class Clusterer(ClusterMixin, Unsupervised):
    """An estimator of groups."""

    labels_: npt.NDArray[np.intp]

    @abstractmethod
    def _labels(self, X: Table) -> npt.NDArray[np.intp]:
        """The cluster of each encoded row, by the rule of the class."""

    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """The cluster of each row, new ones too, by the rule that the class states."""
        return self._each(X, self._labels)

    assign = predict


class RowClusterer(Clusterer):
    """A clusterer that keeps its rows, in a `Space`; the model file holds them.

    A new row is compared with those kept by the rules of the metric. One that equals a row kept in every
    cell, gaps included, is that row: it goes where that went.
    """

    weights_: npt.NDArray[np.float64]

    def _keep(self, stored: StoredRows) -> None:
        """Take the rows in; `weights_` are theirs."""
        self._stored, self.weights_ = stored, stored.weights
        self.space_ = self._space(stored)

    def _space(self, stored: StoredRows) -> Space:
        return Space(stored, self.schema_, self.metric, scale=self.scale)  # type: ignore[attr-defined]

    @abstractmethod
    def _nearest_labels(self, X: Table) -> npt.NDArray[np.intp]:
        """The cluster of each row, compared with those kept."""

    def _labels(self, X: Table) -> npt.NDArray[np.intp]:
        same = self.space_.same_rows(X)
        return np.where(same >= 0, self.labels_[same], self._nearest_labels(X)).astype(np.intp)

    def _arrays(self) -> dict[str, np.ndarray]:
        return {f"rows.{name}": array for name, array in self._stored.arrays().items()}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        own = {name.removeprefix("rows."): a for name, a in arrays.items() if name.startswith("rows.")}
        self._keep(StoredRows.from_arrays(self.schema_, own, 1))


def were_found(n):
    """So many clusters, in words.

    >>> were_found(1), were_found(3)
    ('1 cluster was found', '3 clusters were found')
    """
    return f"{plural(n, 'cluster')} {'was' if n == 1 else 'were'} found"
