"""Columns that carry the same information: naive Bayes treats them as independent and counts it twice.

    categories   each value of the one goes with one value of the other, and the other way round
    numbers      one is a straight line of the other: |r| = 1, up to rounding

Looked for among the first rows, if there are enough of them to tell, of columns that vary and are known in
the same rows. Each column has a mark that such columns share, so that all pairs cost one pass; a few rows
select the candidates for a closer test.
"""

from collections import defaultdict
from itertools import compress

import numpy as np

from openbook.border.rows import Chunk
from openbook.data import Categorical, Numeric, SparseTable

#: Rows that are looked at first, all that are, and the fewest that can tell.
_FIRST_ROWS, _MOST_ROWS, _FEWEST_ROWS = 64, 1000, 30
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
    alike = [name for group in _groups(table.take(slice(0, _FIRST_ROWS))) for name in group]
    if not alike:
        return []
    return [
        f"{group[0]} and {other} carry the same information, which naive Bayes counts twice;"
        " leave one of them out"
        for group in _groups(table.select([name for name in table.names if name in set(alike)]))
        for other in group[1:]
    ]


def _groups(table):
    """The names of columns that share a mark, where there are at least two."""
    groups = defaultdict(list)
    for name, mark in (*_marks_of_numbers(table), *_marks_of_categories(table)):
        groups[mark].append(name)
    alike = [sorted(group, key=table.names.index) for group in groups.values() if len(group) > 1]
    return sorted(alike, key=lambda group: table.names.index(group[0]))


def _marks_of_numbers(table):
    """The numbers in standard units, the first of them above 0; of columns that vary."""
    names = table.schema.of(Numeric)
    if not names:
        return
    cells = table.block(names).astype(float)
    known = np.isfinite(cells)
    counts = np.maximum(known.sum(axis=0), 1)
    with np.errstate(all="ignore"):
        cells = np.where(known, cells, 0.0)
        off = np.where(known, cells - cells.sum(axis=0) / counts, 0.0)
        spread = np.sqrt((off**2).sum(axis=0) / counts)
        level = np.where(known, off / spread, np.nan)
        leading = np.take_along_axis(level, np.argmax(np.abs(level) > 10.0**-_DIGITS, axis=0)[None], axis=0)
        level = np.round(level * np.sign(leading), _DIGITS) + 0.0  # one pattern of bits for 0
    varies = np.isfinite(spread) & (spread > 0)
    marks, size = level.T[varies].tobytes(), level.itemsize * len(level)  # at once: columns may be thousands
    for k, name in enumerate(compress(names, varies)):
        yield name, marks[k * size : (k + 1) * size]


def _marks_of_categories(table):
    """The values, numbered in the order in which they come; of columns that vary."""
    for name in table.schema.of(Categorical):
        data = table.data(name)
        values, first, code = np.unique(data, return_index=True, return_inverse=True)
        if (values >= 0).sum() > 1:
            order = np.argsort(np.argsort(first))
            yield name, np.where(data < 0, -1, order[code.ravel()]).astype(np.int64).tobytes()
