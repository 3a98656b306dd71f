"""Scores of rows: encoded a few rows at a time, so that they stay in the cache, or not encoded at all.

Where every column is a number without gaps, encoded rows need not be made: the coefficients of the encoded
columns are those of the columns themselves in other units.
"""

from functools import partial

import numpy as np

from openbook.data import Numeric

_BLOCK_ROWS = 2048


def scored(encoding, X, width, score):
    """What score(x) makes of the encoded rows, (n, width); x is (rows, d)."""
    if encoding.sparse:
        return score(encoding(X))
    scores = np.empty((len(X), width))
    room = np.empty((min(len(X), _BLOCK_ROWS), len(encoding)))
    for start in range(0, len(X), _BLOCK_ROWS):
        some = X.take(slice(start, start + _BLOCK_ROWS))
        scores[start : start + _BLOCK_ROWS] = score(encoding(some, out=room[: len(some)]))
    return scores


def linear_scores(encoding, X, coef, intercept):
    """Intercept + coef . x of the encoded rows, for each row of coef, (k, d): (n, k)."""
    line = partial(_line, coef, intercept)
    if encoding.sparse or encoding.gaps.any() or encoding.schema.of(Numeric) != encoding.schema.names:
        return scored(encoding, X, len(coef), line)
    own, constant = encoding.original(coef, intercept)
    with np.errstate(invalid="ignore", over="ignore"):
        scores = _line(own, constant, X.block(X.names))
        finite = np.isfinite(scores.sum())
    if not finite:  # a cell is missing, or infinite
        odd = ~np.isfinite(scores).all(axis=1)
        scores[odd] = scored(encoding, X.take(odd), len(coef), line)
    return scores


def _line(coef, intercept, x):
    scores = x @ coef.T
    scores += intercept
    return scores
