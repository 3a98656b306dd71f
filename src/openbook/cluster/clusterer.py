"""What every clusterer shares: the clusters of the rows it learnt from, and of new rows by a rule it states.

    labels_ : intp (n_rows,), the cluster of each row, from 0; -1 for rows that belong to none

The model file holds what new rows need; `labels_` is about the rows learnt from, and is not in it.
"""

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClusterMixin

from openbook.border.unsupervised import Unsupervised
from openbook.data import Table
from openbook.words.sentences import plural

__all__ = ["Clusterer", "were_found"]


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


def were_found(n):
    """So many clusters, in words.

    >>> were_found(1), were_found(3)
    ('1 cluster was found', '3 clusters were found')
    """
    return f"{plural(n, 'cluster')} {'was' if n == 1 else 'were'} found"
