"""The first pass of a likelihood: sums over the rows that the solver needs before its first step."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from openbook.border.rows import finite_sums
from openbook.fold import Statistics
from openbook.prepare.encoding import ColumnSums


@dataclass(frozen=True)
class FirstPass(Statistics):
    """The columns, the weight of each class, (n_classes,), and the number of rows, (1,)."""

    columns: ColumnSums
    classes: np.ndarray
    rows: np.ndarray


def class_totals(rows, n_classes):
    """Totals over the rows; an error where a number is infinite."""
    return finite_sums(rows, partial(_of_chunk, rows.schema, n_classes))


def _of_chunk(schema, n_classes, chunk):
    classes = np.bincount(chunk.y, chunk.w, n_classes)
    return FirstPass(ColumnSums.of(schema, chunk), classes, np.array([len(chunk.y)]))


def log_likelihood_of_shares(classes):
    """The log-likelihood of the rows under the shares of the classes alone: Σ N_c ln(N_c / N).

    >>> round(float(log_likelihood_of_shares(np.array([1.0, 1.0, 0.0]))), 6)  # 2 ln(1/2)
    -1.386294
    """
    nonempty = classes[classes > 0]
    return nonempty @ np.log(nonempty / nonempty.sum())
