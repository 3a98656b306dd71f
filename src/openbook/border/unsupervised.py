"""What learns without a target: groups, oddities, projections. The border is that of every learner.

    X  ->  Table  ->  Rows  ->  _fit  ->  fitted arrays + schema_

`X` is anything that `openbook.read` takes, or an `openbook.scan`. A target is taken, since pipelines pass
one, and not looked at; the targets of its Rows are all 0.
"""

from typing import Any, Self, final

import numpy as np

from openbook.border.base import Estimator
from openbook.border.rows import FileChunk, Rows, weighed
from openbook.border.rules import check_parameters
from openbook.data.read import read
from openbook.data.scan import Scan
from openbook.errors import DataError

__all__ = ["Unsupervised"]


class Unsupervised(Estimator):
    """What every estimator without a target shares."""

    @final
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002 (see above)
        """Learn from rows.

        Parameters
        ----------
        X : table-like or Scan
        y : ignored, default=None
            Taken since pipelines pass it.
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        with self._whole_or_not_at_all():
            self._fit(self._training_rows(X, self._in_scale(sample_weight)))
        return self

    def _training_rows(self, X: Any, sample_weight: Any) -> Rows:
        """Check and encode everything that `fit` is given; sets schema_ and the feature names."""
        check_parameters(self, self._rules)
        if not isinstance(X, Scan):
            table = read(X, getattr(self, "kinds", None))
            self._accept(table)
            return weighed(table, np.zeros(len(table), dtype=np.intp), sample_weight)
        if sample_weight is not None:
            msg = "sample_weight needs rows in memory; read the file instead of scanning it"
            raise DataError(msg)
        self._remember(X.schema)
        return Rows(X.schema, [FileChunk(piece, X.schema) for piece in X.pieces])
