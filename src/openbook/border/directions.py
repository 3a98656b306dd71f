r"""Directions of texts, derived at the border for learners that need numbers and have no target.

    t_w = ln(1 + f_w) / ‖…‖,    x_w = t_w ln(N / df_w),    direction j of a text = v_j · x

f_w is how often word w occurs in the text, and the t of a text have length 1. v_j are the leading right
singular vectors of the x of all texts (latent semantic analysis; Deerwester et al. 1990), found by subspace
iteration: each step is a pass over the rows, which are held as sparse counts where half a gigabyte is enough
for them. Words are those of two texts or more but not of all, the 2,000 that most texts have. There are up
to twenty directions, and no more than one for ten rows. The schema holds them (`openbook.data.Direction`).
Where numbers are standardised, all directions of a text are divided by the standard deviation of the widest:
one by one, those that are mere noise would weigh as much as those that tell topics apart. A
missing text is missing in all of them; one without known words lies at 0. A column without such words has no
directions and is not used.
"""

from collections.abc import Sequence
from functools import partial
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.border.rows import Chunk, CountedChunk, Rows
from openbook.border.words import counted_once
from openbook.data import Direction, Schema, Table, Text
from openbook.errors import DataError
from openbook.fold import fold
from openbook.measures.directions import leading_directions
from openbook.text.columns import RULE, encoded, placed_counts, unit_rows
from openbook.text.terms import Counted
from openbook.text.vocabulary import TermCounts

Array = npt.NDArray[Any]

#: The most words, and the most directions, of a column of texts; and the rows that a direction needs.
_WORDS, _DIRECTIONS, _ROWS_EACH = 2000, 20, 10
#: A loading that is no more than rounding.
_ROUNDING = 1e-10
#: Passes of subspace iteration, and how many more vectors than directions it has.
_PASSES, _MORE = 7, 10


def with_directions(schema: Schema, rows: Rows) -> tuple[Schema, list[CountedChunk] | None]:
    """The schema with directions instead of the columns of texts; and the rows with the terms of their
    texts, where they take little memory.
    """
    texts = schema.of(Text)
    found, held = counted_once(rows, texts, _terms_of)
    pieces = rows.pieces if held is None else held
    derived = {text: _directions(text, terms, pieces) for text, terms in zip(texts, found, strict=True)}
    attributes = tuple(one for a in schema for one in derived.get(a.name, [a]))
    if not attributes:
        raise DataError(f"column {texts[0]!r} has no word that several texts share, and others lack")
    return Schema(attributes, schema.named), held


def in_directions(X: Table) -> Table:
    """The rows with directions instead of their texts, for what compares rows without learning first."""
    if not X.schema.of(Text):
        return X
    return encoded(X, with_directions(X.schema, Rows.in_memory(X, np.zeros(len(X), dtype=np.intp)))[0])


def without_directions(X: Table) -> Table:
    """The rows without directions, which tell little one by one, unless there is nothing else."""
    directions = X.schema.of(Direction)
    return X.drop(*directions) if len(directions) < len(X.schema) else X


def _terms_of(counted: Counted, y: Array) -> TermCounts:  # noqa: ARG001 (there is no target)
    return TermCounts.of(counted)


def _directions(text: str, terms: TermCounts, pieces: Sequence[Any]) -> list[Direction]:
    n, df = float(terms.rows[0]), terms.documents
    telling = np.flatnonzero((df > 1) & (df < n))
    if not len(telling):
        return []
    kept = np.sort(telling[np.lexsort((telling, -df[telling]))[:_WORDS]])
    every = terms.terms
    words = tuple(every[i] for i in kept.tolist())
    idf = np.log(n / df[kept])
    k = max(1, min(_DIRECTIONS, int(n) // _ROWS_EACH, len(words)))
    start = np.random.default_rng(0).standard_normal((len(words), min(k + _MORE, len(words))))
    step = partial(_times, text, dict(zip(words, range(len(words)), strict=True)), idf)
    _, vectors = leading_directions(lambda v: fold(pieces, partial(step, v), add), start, k, _PASSES)
    weights = idf * np.where(np.abs(vectors) > _ROUNDING, vectors, 0.0)
    return [Direction.of(text, j + 1, words, tuple(own)) for j, own in enumerate(weights.tolist())]


def _times(
    text: str, positions: dict[str, int], idf: Array, vectors: Array, piece: Chunk | CountedChunk
) -> Array:
    """X'X of some rows times vectors, (n_words, l)."""
    if isinstance(piece, CountedChunk):
        counted = piece.terms[text]._replace(counts=piece.terms[text].counts.copy())
    else:
        counted = RULE.count(piece.X.data(text).tolist())
    x = unit_rows(placed_counts(counted, positions))
    x.data *= idf[x.indices]
    return x.T @ (x @ vectors)
