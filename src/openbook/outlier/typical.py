"""Shares of a score that is not a sum: its decrease when an attribute is set to its typical value.

Typical is the median of numbers, and the most frequent category, ties: the first. One attribute is
replaced at a time, so the shares need not add up to the score; what is left over belongs to several of them
together, or to none.
"""

import math

import numpy as np

from openbook.data import Numeric, Table

#: What such a share is.
DROPS = (
    "Decrease of the score if the attribute had its typical value; one at a time, so the sum is not exact."
)


def typical_row(table):
    """A table of one row: the typical value of each column, missing where none is known."""
    cells = []
    for attribute in table.schema:
        data = table.data(attribute.name)
        if isinstance(attribute, Numeric):
            known = data[np.isfinite(data)]
            cells.append(np.array([np.median(known) if len(known) else np.nan]))
        else:
            counts = np.bincount(data[data >= 0].astype(np.intp), minlength=1)
            cells.append(np.array([counts.argmax() if counts.any() else -1], dtype=data.dtype))
    return Table(table.schema, cells)


def drops(score_of, X, typical):
    """The score of a one-row table, the share of each attribute, and what is left over."""
    n = len(X.schema)
    columns = [np.repeat(a[:1], n + 1) for a in X.columns]
    for j, (column, value) in enumerate(zip(columns, typical.columns, strict=True)):
        column[j] = value[0]
    scores = score_of(Table(X.schema, columns)).tolist()
    shares = [scores[-1] - score for score in scores[:-1]]
    return scores[-1], shares, scores[-1] - math.fsum(shares)
