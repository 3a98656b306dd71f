"""Columns that carry the same information: naive Bayes takes them for independent, and counts it twice.

    categories   each value of the one goes with one value of the other, and the other way round
    numbers      one is a straight line of the other: |r| = 1, up to rounding

Looked for among the first rows, if there are enough of them to tell, of columns that vary and are known in
the same rows. Found by one number for each column, so that all pairs cost no more than one pass.
"""

import warnings

import numpy as np

from openbook.border.rows import Chunk
from openbook.data import Categorical, SparseTable

__all__ = ["twin_columns"]

#: Rows that are looked at, and the fewest that can tell.
_MOST_ROWS, _FEWEST_ROWS = 1000, 30
#: Digits to which numbers in standard units must agree.
_DIGITS = 6


def twin_columns(rows):
    """A sentence for each column that carries the same information as an earlier one."""
    first = rows.pieces[0]
    if not isinstance(first, Chunk) or isinstance(first.X, SparseTable):
        return []
    table = first.X.take(slice(0, _MOST_ROWS))
    if len(table) < _FEWEST_ROWS:
        return []
    seen: dict[bytes, str] = {}
    notes = []
    for attribute in table.schema:
        marks = _marks(attribute, table.data(attribute.name))
        if marks is None:
            continue
        other = seen.setdefault(marks.tobytes(), attribute.name)
        if other != attribute.name:
            notes.append(
                f"{other} and {attribute.name} carry the same information, which naive Bayes counts twice;"
                " leave one of them out"
            )
    return notes


def _marks(attribute, data):
    """What two columns have in common if they carry the same information; None where there is none."""
    if isinstance(attribute, Categorical):
        values, first, code = np.unique(data, return_index=True, return_inverse=True)
        if (values >= 0).sum() < 2:
            return None
        order = np.argsort(np.argsort(first))  # values in the order in which they come
        return np.where(data < 0, -1, order[code.ravel()]).astype(np.int64)
    known = np.isfinite(data)
    if not known.any():
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        cells = data.astype(float) - data[known].astype(float).mean()
        spread = cells[known].std()
        if not (np.isfinite(spread) and spread > 0):
            return None
        level = cells / spread
    level *= np.sign(level[known][np.argmax(np.abs(level[known]) > 10.0**-_DIGITS)])
    return np.where(known, np.round(level, _DIGITS) + 0.0, np.nan)
