"""The border of learners without a target: clusters, outlier scores, projections.

    X  ->  Table  ->  Rows  ->  _fit  ->  fitted arrays + schema_

`X` is anything that `openbook.read` takes, or an `openbook.scan`. A target is taken, since pipelines pass
one, and not looked at; the targets of its Rows are all 0. Texts become words where these may be sparse, and
else directions (`directions`).
"""

from typing import Any

import numpy as np

from openbook.border.base import FromRows
from openbook.border.directions import with_directions
from openbook.border.rows import FileChunk, Rows, weighed
from openbook.border.rules import check_parameters
from openbook.border.words import with_words
from openbook.data import Numeric, Scan, Text, read


class Unsupervised(FromRows):
    """What every estimator without a target shares."""

    def _training_rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:  # noqa: ARG002 (see above)
        """Check and encode everything that `fit` is given; sets schema_ and the feature names."""
        check_parameters(self, self._rules)
        if not isinstance(X, Scan):
            table = read(X, getattr(self, "kinds", None))
            self._accept(table)
            return self._worded(weighed(table, np.zeros(len(table), dtype=np.intp), sample_weight))
        self._unweighted(sample_weight)
        self._remember(X.schema)
        return self._worded(Rows(X.schema, [FileChunk(piece, X.schema) for piece in X.pieces]))

    @property
    def _reads_texts(self) -> bool:
        return Numeric in self._accepts and Text not in self._accepts

    def _worded(self, rows: Rows) -> Rows:
        """The rows with the words of their texts, or directions of these, which `schema_` then tells."""
        if not (self._reads_texts and rows.schema.of(Text)):
            return rows
        if self._takes_sparse:
            schema, counted = with_words(rows.schema, rows, 0, every=True)
        else:
            schema, counted = with_directions(rows.schema, rows)
        self._remember(schema)
        return rows.under(schema, counted)
