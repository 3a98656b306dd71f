"""Scores of rows: encoded a few rows at a time, so that they stay in the cache, or not encoded at all.

Where every column is a number, encoded rows need not be made: the coefficients of the encoded columns are
those of the columns themselves in other units, and a missing cell counts as the mean of its column.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from openbook.data import Numeric

_BLOCK_ROWS = 2048


def unscaled(encoding):
    """The same encoding of columns in their own units."""
    return replace(encoding, shift=np.zeros(len(encoding)), scale=np.ones(len(encoding)))


def scored(encoding, X, width, score):
    """What score(x) makes of the encoded rows, (n, width); x is (rows, d)."""
    if encoding.sparse:
        return score(encoding(X))
    scores = np.empty((len(X), width))
    buffer = np.empty((min(len(X), _BLOCK_ROWS), len(encoding)))
    for start in range(0, len(X), _BLOCK_ROWS):
        block = X.take(slice(start, start + _BLOCK_ROWS))
        scores[start : start + _BLOCK_ROWS] = score(encoding(block, out=buffer[: len(block)]))
    return scores


def linear_scores(encoding, X, coef, intercept):
    """Intercept + coef . x of the encoded rows, for each row of coef, (k, d): (n, k)."""
    if encoding.sparse or encoding.schema.of(Numeric) != encoding.schema.names:
        return scored(encoding, X, len(coef), partial(_line, coef, intercept))
    coefficients, constant = encoding.original(coef, intercept)
    numbers = np.ones(len(encoding), dtype=bool)
    numbers[list(encoding.gap_columns)] = False
    coefficients, of_gaps, mean = coefficients[:, numbers], coefficients[:, ~numbers], encoding.mean[numbers]
    cells, scores = X.block(X.names), np.empty((len(X), len(coef)))
    with np.errstate(invalid="ignore", over="ignore"):
        for start in range(0, len(cells), _BLOCK_ROWS):
            span = slice(start, start + _BLOCK_ROWS)
            scores[span] = _line(coefficients, constant, cells[span])
            if not np.isfinite(scores[span].sum()):  # a cell is missing, or infinite
                missing = ~np.isfinite(cells[span])
                scores[span] = _line(coefficients, constant, np.where(missing, mean, cells[span]))
                scores[span] += missing[:, encoding.gaps] @ of_gaps.T
    return scores


def _line(coef, intercept, x):
    scores = x @ coef.T
    scores += intercept
    return scores
