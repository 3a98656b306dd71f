r"""Documents that are nearly copies of each other: fingerprints first, then an exact comparison.

    shingle            three successive words, in small letters; a shorter document is one shingle
    similarity J       |A ∩ B| / |A ∪ B|, of the sets of shingles of two documents (Jaccard)
    fingerprint        64 minima: m_j = min over shingles s of h_j(s), so that P(m_j(A) = m_j(B)) = J
    candidates         documents that agree in all four minima of one of 16 bands: P = 1 - (1 - J⁴)¹⁶

A pair of J = 0.8 is found with probability 0.9998, and one of 0.5 with 0.64. In a band with many equal
documents each is held against the next eight. Documents without words are no copies of each other.

Broder (1997), On the resemblance and containment of documents.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from openbook.errors import ParameterError
from openbook.text.tokens import tokens

Array = npt.NDArray[Any]

_SHINGLE, _BANDS, _IN_BAND, _NEXT = 3, 16, 4, 8
_MIX, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


class NearDuplicate(NamedTuple):
    """Two documents that are nearly equal.

    Attributes
    ----------
    row, other : int
        Their positions, the earlier first.
    similarity : float
        The share of their shingles that they have in common, 1 if all are equal.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> near_duplicates(["Good morning, all", "good morning all", "Good night"])[0].other
    1
    """

    row: int
    other: int
    similarity: float


def near_duplicates(texts: Sequence[str | None], threshold: float = 0.8) -> list[NearDuplicate]:
    """Find documents that are nearly copies of others.

    Parameters
    ----------
    texts : sequence of str or None
        The documents.
    threshold : float, default=0.8
        The least similarity: the share of their sets of three successive words that two documents have in
        common.

    Returns
    -------
    list of NearDuplicate
        The pairs, the most similar first.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> near_duplicates(["It was a very good film with a good story", "A bad film",
    ...                  "It was a very good film with a good story!"])
    [NearDuplicate(row=0, other=2, similarity=1.0)]
    """
    if not 0 < threshold <= 1:
        raise ParameterError(f"threshold must be above 0 and at most 1, got {threshold}")
    keys, firsts, rows = _shingles(texts)
    if not len(rows):
        return []
    pairs = _candidates(keys, firsts)
    similarity = _jaccard(keys, firsts, pairs)
    kept = similarity >= threshold
    found = sorted(zip((-similarity[kept]).tolist(), *rows[pairs[kept]].T.tolist(), strict=True))
    return [NearDuplicate(row, other, -score) for score, row, other in found]


def _shingles(texts: Sequence[str | None]) -> tuple[Array, Array, Array]:
    """The distinct shingles of each document that has words, as numbers; where each begins; and its row."""
    _, codes, firsts = tokens([text and text.lower() for text in texts])
    sizes = np.diff(firsts)
    row = np.repeat(np.arange(len(texts)), sizes)
    position = np.arange(len(codes)) - firsts[row]
    starts = np.flatnonzero((position == 0) | (position <= sizes[row] - _SHINGLE))
    padded = np.append(codes.astype(np.uint64) + np.uint64(1), np.zeros(_SHINGLE, dtype=np.uint64))
    keys = np.zeros(len(starts), dtype=np.uint64)
    for k in range(_SHINGLE):
        inside = position[starts] + k < sizes[row[starts]]
        keys = _mixed(keys * _MIX + np.where(inside, padded[starts + k], np.uint64(0)))
    order = np.lexsort((keys, row[starts]))
    keys, rows_of_keys = keys[order], row[starts][order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]) | (rows_of_keys[1:] != rows_of_keys[:-1])
    rows, begin = np.unique(rows_of_keys[new], return_index=True)
    return keys[new], np.append(begin, new.sum()), rows


def _mixed(keys: Array) -> Array:
    """Numbers whose every bit depends on all bits of the key."""
    keys = (keys ^ (keys >> _HALF)) * _MIX
    return keys ^ (keys >> _HALF)


def _candidates(keys: Array, firsts: Array) -> Array:
    """Pairs of documents that agree in a band, each once, int (n_pairs, 2), the earlier first."""
    draws = np.random.default_rng(0).integers(1 << 63, size=(_BANDS, _IN_BAND), dtype=np.uint64)
    n = len(firsts) - 1
    found = [np.zeros(0, dtype=np.int64)]
    for band in draws:
        whole = np.zeros(n, dtype=np.uint64)
        for draw in band:
            minima = np.minimum.reduceat(_mixed(keys ^ draw), firsts[:-1])
            whole = _mixed(whole * _MIX + minima)
        order = np.argsort(whole, kind="stable")
        for step in range(1, min(_NEXT, n - 1) + 1):
            a, b = order[:-step], order[step:]
            same = whole[a] == whole[b]
            if not same.any():
                break
            found.append(a[same] * n + b[same])
    return np.stack(np.divmod(np.unique(np.concatenate(found)), n), axis=1)


def _jaccard(keys: Array, firsts: Array, pairs: Array) -> Array:
    _, columns = np.unique(keys, return_inverse=True)
    shown = sp.csr_array((np.ones(len(keys)), columns, firsts), shape=(len(firsts) - 1, columns.max() + 1))
    both = shown[pairs[:, 0]].multiply(shown[pairs[:, 1]]).sum(axis=1)
    sizes = np.diff(firsts)
    return both / (sizes[pairs].sum(axis=1) - both)
