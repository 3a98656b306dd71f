r"""Words as columns, derived from texts at the border by the rows that a learner is fitted to.

A learner of sparse rows takes every word. Any other takes, of each column of texts, the hundred words that
say most of the target, among those of two texts or more:

    chi-squared = sum_c (n_tc - n_t N_c / N)^2 / (n_t (1 - n_t / N) N_c / N)

where n_t of N rows have the word, N_c are of class c, and n_tc are both. Of a target of numbers it is N r²,
with r the correlation of the target with whether a row has the word. One fold over the rows counts. The words
stand in the schema, so that later texts are counted in the same columns (`openbook.text.columns`), and the
model file holds them. A missing text has no words.
"""

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from openbook.border.rows import Chunk, Rows
from openbook.data import Schema, Text, Word
from openbook.errors import DataError
from openbook.fold import each, fold
from openbook.text.columns import RULE
from openbook.text.terms import Counted
from openbook.text.vocabulary import union

__all__ = ["MOST_WORDS", "Mentions", "mentions", "with_words", "word_scores"]

Array = npt.NDArray[Any]

#: The words of each column of texts that learners of dense rows take.
MOST_WORDS = 100
#: So many classes are told apart.
_MOST_CLASSES = 64


class Mentions(NamedTuple):
    """What is known of the words of a column of texts.

    terms : the words, in order
    sums : float64 (n_terms, 1 + k), the rows that have the word, and the targets' sums among them
    total : float64 (1 + 2 k,), the rows, the targets' sums and those of their squares
    """

    terms: list[str]
    sums: Array
    total: Array

    def __add__(self, other: "Mentions") -> "Mentions":  # type: ignore[override]
        every, places = union(self.terms, other.terms)
        sums = np.zeros((len(every), self.sums.shape[1]))
        for own, one in zip(places, (self, other), strict=True):
            sums[own] += one.sums
        return Mentions(every, sums, self.total + other.total)


def with_words(
    schema: Schema, rows: Rows, n_classes: int, *, every: bool
) -> tuple[Schema, dict[str, list[Counted]] | None]:
    """The schema with words in place of the columns of texts; and of rows in memory, the terms of each column
    chunk by chunk, so that they are not counted twice.

    n_classes : how many classes the targets are codes of; 0 for numbers
    every : take every word, for sparse rows; else those that say most of the target
    """
    texts, counted = schema.of(Text), None
    if rows.whole is None:
        found = fold(rows.pieces, partial(_of_chunk, texts, n_classes), _added)
    else:
        by_chunk = list(each(rows.pieces, partial(_counted, texts)))
        pairs = zip(rows.pieces, by_chunk, strict=True)
        found = reduce(_added, ([mentions(one, chunk.y, n_classes) for one in own] for chunk, own in pairs))
        counted = dict(zip(texts, map(list, zip(*by_chunk, strict=True)), strict=True))
    words = {text: _chosen(text, its, n_classes, every=every) for text, its in zip(texts, found, strict=True)}
    if every:  # sparse rows have their other columns first
        others = [a for a in schema if a.name not in words]
        attributes = (*others, *(word for own in words.values() for word in own))
    else:
        attributes = tuple(one for a in schema for one in words.get(a.name, [a]))
    if not attributes:
        raise DataError(f"column {texts[0]!r} holds no words")
    return Schema(attributes, schema.named), counted


def word_scores(found: Mentions, n_classes: int) -> Array:
    """Chi-squared of each word and the target."""
    n, k = found.total[0], found.sums.shape[1] - 1
    mean = found.total[1 : k + 1] / n
    spread = mean if n_classes else found.total[k + 1 :] / n - mean**2
    here = found.sums[:, 0]
    away = (found.sums[:, 1:] - here[:, None] * mean) ** 2
    shares = np.divide(away, spread, out=np.zeros_like(away), where=spread > 0).sum(axis=1)
    between = here * (1 - here / n)
    return np.divide(shares, between, out=np.zeros_like(shares), where=between > 0)


def _chosen(text: str, found: Mentions, n_classes: int, *, every: bool) -> list[Word]:
    scores = word_scores(found, n_classes)
    kept = np.arange(len(scores))
    if not every:
        often = np.flatnonzero(found.sums[:, 0] > 1)
        kept = often if len(often) else kept
        kept = np.sort(kept[np.lexsort((kept, -scores[kept]))[:MOST_WORDS]])  # of equals, the first
    return [Word.of(text, found.terms[i], float(scores[i]), sparse=every) for i in kept.tolist()]


def _counted(texts: Sequence[str], chunk: Chunk) -> list[Counted]:
    return [RULE.count(chunk.X.data(text).tolist()) for text in texts]


def _of_chunk(texts: Sequence[str], n_classes: int, chunk: Chunk) -> list[Mentions]:
    return [mentions(one, chunk.y, n_classes) for one in _counted(texts, chunk)]


def mentions(counted: Counted, y: Array, n_classes: int) -> Mentions:
    """The words of texts with what they say of the targets, a row of any weight being one."""
    if n_classes:
        n_classes = min(n_classes, _MOST_CLASSES)
        targets = np.equal.outer(np.minimum(y, n_classes - 1), np.arange(n_classes)).astype(float)
    else:
        targets = y.reshape(len(y), -1).astype(float)
    terms, counts = counted
    shown = sp.csr_array((np.ones(len(counts.data)), counts.indices, counts.indptr), shape=counts.shape)
    sums = shown.T @ np.column_stack([np.ones(len(y)), targets])
    total = np.concatenate([[float(len(y))], targets.sum(axis=0), (targets**2).sum(axis=0)])
    return Mentions(terms, sums, total)


def _added(one: list[Mentions], other: list[Mentions]) -> list[Mentions]:
    return [a + b for a, b in zip(one, other, strict=True)]
