"""Texts as the columns that a fitted schema derives from them: their words, or directions of these.

    encoded(table, schema)      the rows in the columns and codes of the schema, words counted
    direction j of a text       Σ_w a_jw t_w / ‖t‖,  t_w = ln(1 + f_w) for the words that the direction has

A word is that of `openbook.text.tokens`, in small letters and of two characters at least. Where the schema
keeps words sparse, rows are a `SparseTable`, with the other columns before those of the words; else the
counts are columns like others. A missing text has no words, and its directions are missing; words that the
schema does not have count for nothing.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import scipy.sparse as sp

from openbook.data import Direction, Schema, SparseTable, Table, Word
from openbook.data.conform import by_name, conform
from openbook.text.terms import Counted, TermRule

#: How texts are split into words unless another rule is asked for.
RULE = TermRule()
#: The words of a row that a derivation shows one by one, and counts that are 0 but for rounding.
_SHOWN_WORDS = 20
_NO_COUNT = 1e-9


def encoded(
    table: Table,
    schema: Schema,
    who: str = "the model",
    *,
    grow: bool = False,
    counted: Mapping[str, Counted] | None = None,
) -> Table:
    """The table's rows in the schema's columns and codes; see `conform`.

    counted : the terms of each column of texts, where they are known; they are lost
    """
    texts = (*schema.words, *schema.directions)
    if not texts or table.schema == schema or isinstance(table, SparseTable):
        return conform(table, schema, who, grow=grow)
    before = conform(table, schema.unworded, who, grow=grow)
    if counted is None:
        counted = {text: RULE.count(before.data(text).tolist()) for text in texts}
    others = Schema(tuple(a for a in schema if not isinstance(a, Word | Direction)), schema.named)
    rest = by_name(before, others, grow=grow)
    words = [a for a in schema if isinstance(a, Word)]
    counts = {text: placed_counts(counted[text], places) for text, places in schema.words.items()}
    if words and words[0].sparse:
        matrices = list(counts.values())
        matrix = matrices[0] if len(matrices) == 1 else sp.hstack(matrices, format="csr")
        return SparseTable(Schema((*rest.schema, *words), schema.named), matrix, dense=list(rest.columns))
    blocks = {text: iter(part.toarray(order="F").T) for text, part in counts.items()}
    for text, directions in schema.directions.items():
        along = _projected(counted[text], directions)
        along[before.column(text).missing] = np.nan
        blocks[text] = iter(along.T)
    known = dict(zip(rest.names, rest.schema, strict=True))
    return Table(
        Schema(tuple(known.get(a.name, a) for a in schema), schema.named),
        [next(blocks[a.text]) if isinstance(a, Word | Direction) else rest.data(a.name) for a in schema],
    )


def _projected(counted: Counted, directions: Sequence[Direction]) -> Any:
    """Where texts lie along directions, float64 (n_texts, n_directions)."""
    words = directions[0].words
    places = dict(zip(words, range(len(words)), strict=True))
    weights = np.array([one.weights for one in directions]).T
    return unit_rows(placed_counts(counted, places)) @ weights


def unit_rows(counts: sp.csr_array) -> sp.csr_array:
    """Term frequencies ln(1 + f) of texts, in place, each text's of length 1."""
    np.log1p(counts.data, out=counts.data)
    sizes = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    counts.data /= np.repeat(np.where(sizes > 0, sizes, 1.0), np.diff(counts.indptr))
    return counts


def placed_counts(counted: Counted, places: Mapping[str, int]) -> sp.csr_array:
    """How often each of the words that have a place occurs in each text, (n_texts, n_words); the counts are
    lost.

    >>> placed_counts(RULE.count(["Good, good film", None]), {"film": 0, "good": 1}).toarray().tolist()
    [[1.0, 2.0], [0.0, 0.0]]
    """
    columns = np.fromiter(map(places.get, counted.terms, repeat(-1)), np.int32, len(counted.terms))
    return counted.under(columns, len(places))


def telling_words(
    words: Collection[str], rows: Sequence[tuple[Any, ...]], terms: int = 1
) -> list[tuple[Any, ...]]:
    """The rows of a sum (name, x, …, term), with those of words behind the others.

    Only words that occur are there, the largest terms first; from twenty words on the rest is one line, the
    sum of their terms. A row may have several terms, its last entries.

    >>> rows = [("t: bad", 1.0, -0.5), ("t: good", 2.0, 3.0), ("t: odd", 0.0, 0.0), ("age", 0.0, 0.0)]
    >>> telling_words({"t: bad", "t: good", "t: odd"}, rows)
    [('age', 0.0, 0.0), ('t: good', 2.0, 3.0), ('t: bad', 1.0, -0.5)]
    """
    others = [row for row in rows if row[0] not in words]
    occurring = [row for row in rows if row[0] in words and abs(row[1]) > _NO_COUNT]
    occurring.sort(key=lambda row: -max(map(abs, row[-terms:])))
    occurring, rest = occurring[:_SHOWN_WORDS], occurring[_SHOWN_WORDS:]
    if rest:
        totals = [math.fsum(row[i] for row in rest) for i in range(-terms, 0)]
        occurring.append((f"{len(rest)} more words", *[None] * (len(rest[0]) - 1 - terms), *totals))
    return [*others, *occurring]
