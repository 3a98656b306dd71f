"""Texts as the columns of words that a fitted schema derives from them.

    encoded(table, schema)      the rows in the columns and codes of the schema, words counted

A word is that of `openbook.text.tokens`, in small letters and of two characters at least. Where the schema
keeps words sparse, rows are a `SparseTable`, with the other columns before those of the words; else the
counts are columns like others. A missing text has no words, and words that the schema does not have count for
nothing.
"""

from collections.abc import Mapping, Sequence
from itertools import repeat

import numpy as np
import scipy.sparse as sp

from openbook.data import Schema, SparseTable, Table, Text, Word
from openbook.data.conform import conform
from openbook.text.terms import TermRule

__all__ = ["RULE", "counts_of", "encoded"]

#: How the words of text columns are told where nothing else is asked for.
RULE = TermRule()


def encoded(table: Table, schema: Schema, who: str = "the model", *, grow: bool = False) -> Table:
    """The table's rows in the schema's columns and codes; see `conform`."""
    if not schema.words or table.schema == schema:
        return conform(table, schema, who, grow=grow)
    before = conform(table, schema.unworded, who, grow=grow)
    words = (a for a in schema if isinstance(a, Word))
    counts = [counts_of(before.data(text).tolist(), places) for text, places in schema.words.items()]
    others = [a for a in before.schema if not (isinstance(a, Text) and a.name in schema.words)]
    if next(words).sparse:
        whole = Schema((*others, *(a for a in schema if isinstance(a, Word))), schema.named)
        columns = [before.data(a.name) for a in others]
        return SparseTable(whole, sp.hstack(counts, format="csr"), dense=columns)
    dense = {text: part.toarray(order="F") for text, part in zip(schema.words, counts, strict=True)}
    known = {a.name: a for a in others}
    return Table(
        Schema(tuple(known.get(a.name, a) for a in schema), schema.named),
        [
            dense[a.text][:, schema.words[a.text][a.word]] if isinstance(a, Word) else before.data(a.name)
            for a in schema
        ],
    )


def counts_of(texts: Sequence[str | None], places: Mapping[str, int]) -> sp.csr_array:
    """How often each of the words that have a place occurs in each text, float64 (n_texts, n_words).

    >>> counts_of(["Good, good film", None], {"film": 0, "good": 1}).toarray().tolist()
    [[1.0, 2.0], [0.0, 0.0]]
    """
    terms, counts = RULE.count(texts)
    place = np.fromiter(map(places.get, terms, repeat(-1)), np.int32, len(terms))[counts.indices]
    known = place >= 0
    ends = np.concatenate([[0], np.cumsum(known)])[counts.indptr]
    cells = (counts.data[known].astype(np.float64), place[known], ends)
    matrix = sp.csr_array(cells, shape=(len(texts), len(places)))
    matrix.sort_indices()
    return matrix
