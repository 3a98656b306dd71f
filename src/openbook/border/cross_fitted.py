"""Target encoding of training rows without their own targets (cross-fitting).

Rows are assigned to folds at random, and the cell of a row is the mean target of its value over the rows of
the other folds. The fold of a row depends only on its number, so rows may be read in chunks and more than
once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data import MISSING, SparseTable, Table, TargetMean
from openbook.data.conform import conform_column

Array = npt.NDArray[Any]

#: The number of folds.
FOLDS = 5


def drawn_folds(start: int, rows: int, n_folds: int = FOLDS) -> Array:
    """The folds of `rows` rows, the first with the number `start`; the draw is always the same.

    >>> np.array_equal(drawn_folds(3, 4), drawn_folds(0, 7)[3:])
    True
    """
    source = np.random.PCG64(0)
    return (np.random.Generator(source.advance(start)).random(rows) * n_folds).astype(np.intp)


@dataclass(frozen=True)
class CrossFitted:
    """The cells of training rows in columns of means.

    tables : by the name of the column float64 (n_folds + 1, k + 2): a cell for each fold and value, for a
        value that is not among them and for a missing one; the last row is for rows of no fold, -1
    of_classes : whether targets are codes of classes: a row without one is in no fold
    """

    tables: Mapping[str, Array]
    of_classes: bool

    def cross_fitted(self, X: Table, source: Table, y: Array, folds: Array) -> Table:
        """The rows X with their cross-fitted means, by their values in the source and their folds."""
        if self.of_classes:
            folds = np.where(y == MISSING, -1, folds)
        columns = list(X.columns)
        for j, attribute in enumerate(X.schema.attributes[: len(columns)]):
            if isinstance(attribute, TargetMean) and attribute.name in self.tables:
                codes = conform_column(source.column(attribute.by.name), attribute.by)
                columns[j] = self.tables[attribute.name][folds, codes]
        if isinstance(X, SparseTable):
            return SparseTable(X.schema, X.sparse, dense=columns)
        return Table(X.schema, columns)
