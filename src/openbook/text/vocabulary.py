"""The terms of texts with their frequencies, as sums over chunks of texts.

    N            texts
    df(t)        texts in which term t occurs
    f(t)         how often it occurs in all of them

Terms are kept as one array of bytes, in the order of their characters, so that a vocabulary takes one byte
for each letter, and sums are the same whatever the chunks were.

text : uint8, the terms in UTF-8, a line break behind each
documents, times : float64 (n_terms,), df and f
rows : float64 (1,), N
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from operator import add
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from openbook.fold import Statistics, fold, shares_memory, worker_count
from openbook.text.kernels import BREAK, merge_words, tally_terms
from openbook.text.terms import Counted

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class TermCounts(Statistics):
    """The terms of texts, in how many texts each occurs, and how often."""

    text: Array
    documents: Array
    times: Array
    rows: Array

    @classmethod
    def zero(cls) -> Self:
        return cls(np.zeros(0, dtype=np.uint8), np.zeros(0), np.zeros(0), np.zeros(1))

    @classmethod
    def of(cls, counted: Counted) -> Self:
        """Those of counted texts."""
        terms, counts = counted

        def tally(cells: slice) -> Array:
            documents_and_times = np.zeros((2, len(terms)))
            tally_terms(counts.indices[cells], counts.data[cells], *documents_and_times)
            return documents_and_times

        ends = np.linspace(0, counts.nnz, (worker_count() if shares_memory() else 1) + 1).astype(int).tolist()
        documents, times = fold(list(map(slice, ends, ends[1:])), tally, add)
        return cls(as_bytes(terms), documents, times, np.array([float(counts.shape[0])]))

    @property
    def terms(self) -> list[str]:
        """The terms in order."""
        return _as_terms(self.text)

    def __add__(self, other: Self) -> Self:
        every, places = merged_terms(self.text, other.text)
        documents, times = np.zeros((2, _size(every)))
        for positions, one in zip(places, (self, other), strict=True):
            documents[positions] += one.documents
            times[positions] += one.times
        return type(self)(every, documents, times, self.rows + other.rows)

    def columns_of(self, terms: list[str], kept: Array) -> Array:
        """The column of each of these terms among the kept ones of mine, in order; -1 where it is none."""
        _, (mine, theirs) = merged_terms(self.text, as_bytes(terms))
        column = np.full(len(mine) + len(theirs), -1, dtype=np.int32)
        column[mine[kept]] = np.arange(len(kept))
        return column[theirs]

    def filled(self, arrays: Mapping[str, Array]) -> Self:
        one = type(self)(arrays["text"], arrays["documents"], arrays["times"], arrays["rows"])
        try:
            terms = one.terms
        except UnicodeDecodeError:
            terms = []
        whole = all(a < b for a, b in pairwise(terms)) and np.array_equal(as_bytes(terms), one.text)
        sizes = {len(terms), *one.documents.shape, *one.times.shape}
        if not whole or len(sizes) > 1 or one.text.dtype != np.uint8 or one.rows.shape != (1,):
            raise ValueError("its vocabulary is damaged")
        return one


def union(a: list[str], b: list[str]) -> tuple[list[str], tuple[Array, Array]]:
    """The terms of two vocabularies, each in order, and where those of each stand.

    >>> union(["film", "good"], ["bad", "film"])
    (['bad', 'film', 'good'], (array([1, 2]), array([0, 1])))
    """
    every, places = merged_terms(as_bytes(a), as_bytes(b))
    return _as_terms(every), places


def merged_terms(a: Array, b: Array) -> tuple[Array, tuple[Array, Array]]:
    """The same of vocabularies as bytes."""
    both = np.empty(len(a) + len(b), dtype=np.uint8)
    places = np.empty(_size(a), dtype=np.int64), np.empty(_size(b), dtype=np.int64)
    size = merge_words(a, b, both, *places)
    return both[:size].copy(), places


def as_bytes(terms: list[str]) -> Array:
    """Terms in UTF-8, a line break behind each."""
    return np.frombuffer(bytearray("\n".join([*terms, ""]), "utf-8"), dtype=np.uint8)


def _as_terms(text: Array) -> list[str]:
    return text.tobytes().decode().split("\n")[:-1]


def _size(text: Array) -> int:
    """How many terms there are."""
    return int(np.count_nonzero(text == BREAK))
