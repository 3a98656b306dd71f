r"""Words as columns, derived from texts at the border by the rows that a learner is fitted to.

A learner of sparse rows takes every word. Any other takes, of each column of texts, the hundred words that
are most informative about the target, among those that occur in at least two texts:

    chi-squared = sum_c (n_tc - n_t N_c / N)^2 / (n_t (1 - n_t / N) N_c / N)

where n_t of N rows have the word, N_c are of class c, and n_tc are both. Of a target of numbers it is N r²,
with r the correlation of the target with whether a row has the word. What computes with numbers, where a word
that tells nothing does harm, takes of these only the words that say something beyond chance, no more than 5%
of them by mistake (Benjamini and Hochberg 1995), and the best in any case; unless the table has no other
columns. Trees choose by themselves. One fold over the rows counts. The words stand in the schema, so that
later texts are counted in the same columns (`openbook.text.columns`), and the model file holds them. A
missing text has no words.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import chdtrc

from openbook.border.rows import HELD_BYTES, Chunk, CountedChunk, Rows
from openbook.data import Column, Schema, Table, Text, Word
from openbook.data.adjustments import false_discovery
from openbook.errors import DataError
from openbook.fold import each, shares_memory
from openbook.text.columns import RULE
from openbook.text.kernels import count_by_class
from openbook.text.terms import Counted
from openbook.text.vocabulary import union

Array = npt.NDArray[Any]

#: The words of each column of texts that learners of dense rows take.
MOST_WORDS = 100
#: The most classes that are distinguished; the last ones count as one.
_MOST_CLASSES = 64
#: The largest expected share of uninformative words among those that are kept (false discovery rate).
_MISTAKEN = 0.05


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
        every, positions = union(self.terms, other.terms)
        sums = np.zeros((len(every), self.sums.shape[1]))
        for own, one in zip(positions, (self, other), strict=True):
            sums[own] += one.sums
        return Mentions(every, sums, self.total + other.total)


def with_words(
    schema: Schema, rows: Rows, n_classes: int, *, every: bool, telling: bool = False
) -> tuple[Schema, list[CountedChunk] | None]:
    """The schema with words instead of the columns of texts; and the rows with the terms of their texts, so
    that they are not counted twice. Rows of files come so if they take little memory, else None.

    n_classes : how many classes the targets are codes of; 0 for numbers
    every : take every word, for sparse rows; else those that say most of the target
    telling : of these only words that say something beyond chance, if the table has other columns
    """
    texts = schema.of(Text)
    found, held = counted_once(rows, texts, partial(mentions, n_classes=n_classes))
    chosen = partial(_chosen, n_classes=n_classes, every=every, telling=telling and len(texts) < len(schema))
    words = {text: chosen(text, its) for text, its in zip(texts, found, strict=True)}
    if every:  # sparse rows have their other columns first
        others = [a for a in schema if a.name not in words]
        attributes = (*others, *(word for own in words.values() for word in own))
    else:
        attributes = tuple(one for a in schema for one in words.get(a.name, [a]))
    if not attributes:
        raise DataError(f"column {texts[0]!r} holds no words")
    return Schema(attributes, schema.named), held


def counted_once(
    rows: Rows, texts: Sequence[str], summarise: Callable[[Counted, Array], Any]
) -> tuple[list[Any], list[CountedChunk] | None]:
    """What `summarise` makes of the words and targets of each column of texts, added up over rows; and the
    rows with the terms of their texts, so that they are not counted twice. Rows of files come so if they take
    little memory, else None.
    """
    in_memory = rows.whole is not None
    pieces = [rows.chunk] if in_memory else rows.pieces
    hold = in_memory or shares_memory()
    found: list[Any] = []
    held: list[CountedChunk] = []
    n_bytes = 0
    for its, chunk in each(pieces, partial(_counted, texts, summarise, hold)):
        found = [a + b for a, b in zip(found, its, strict=True)] if found else its
        if hold and chunk is not None:
            held.append(chunk)
            n_bytes += chunk.nbytes
            hold = in_memory or n_bytes <= HELD_BYTES
            held = held if hold else []
    return found, held if hold else None


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


def _chosen(text: str, found: Mentions, n_classes: int, *, every: bool, telling: bool) -> list[Word]:
    scores = word_scores(found, n_classes)
    kept = np.flatnonzero(found.sums[:, 0])  # unlabelled rows may have others
    if not every:
        often, most = kept[found.sums[kept, 0] > 1], MOST_WORDS
        kept = often if len(often) else kept
        if telling:
            freedom = found.sums.shape[1] - (2 if n_classes else 1)
            chance = chdtrc(max(freedom, 1), scores[kept])
            most = max(1, min(most, int((false_discovery(chance) <= _MISTAKEN).sum())))
        kept = np.sort(kept[np.lexsort((kept, -scores[kept]))[:most]])  # of equals, the first
    return [Word.of(text, found.terms[i], float(scores[i]), sparse=every) for i in kept.tolist()]


def _counted(
    texts: Sequence[str], summarise: Callable[[Counted, Array], Any], hold: bool, chunk: Chunk
) -> tuple[list[Any], CountedChunk | None]:
    terms = {text: RULE.count(chunk.X.data(text).tolist()) for text in texts}
    found = [summarise(one, chunk.y) for one in terms.values()]
    return found, CountedChunk(chunk._replace(X=_without(texts, chunk.X)), terms) if hold else None


def _without(texts: Sequence[str], table: Table) -> Table:
    """The table without what its texts say, which takes most of its memory."""
    columns = [
        _emptied(table.column(a.name)) if a.name in texts else table.data(a.name) for a in table.schema
    ]
    return Table(table.schema, columns)


def _emptied(texts: Column) -> Array:
    empty = np.full(len(texts.data), "", dtype=object)
    empty[texts.missing] = None
    return empty


def mentions(counted: Counted, y: Array, n_classes: int) -> Mentions:
    """The words of texts with what they say of the targets, a row of any weight being one, and one without a
    label none.
    """
    terms, counts = counted
    if n_classes:
        k = min(n_classes, _MOST_CLASSES)
        codes = np.minimum(y, k - 1)
        having, sizes = np.zeros((len(terms), k)), np.bincount(codes[codes >= 0], minlength=k)
        count_by_class(counts.indices, counts.indptr, codes, having)
        return Mentions(
            terms,
            np.column_stack([having.sum(axis=1), having]),
            np.concatenate([[sizes.sum()], sizes, sizes]).astype(float),
        )
    targets = y.reshape(len(y), -1).astype(float)
    shown = sp.csr_array((np.ones(len(counts.data)), counts.indices, counts.indptr), shape=counts.shape)
    sums = shown.T @ np.column_stack([np.ones(len(y)), targets])
    total = np.concatenate([[float(len(y))], targets.sum(axis=0), (targets**2).sum(axis=0)])
    return Mentions(terms, sums, total)
