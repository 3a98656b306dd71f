"""The terms of texts with what is known of each, as sums over chunks of texts.

    N            texts
    df(t)        texts in which term t occurs
    f(t)         how often it occurs in all of them

Terms are kept as one array of bytes, in the order of their characters, so that a vocabulary takes a few bytes
for each letter, and sums are the same whatever the chunks were.

text : uint8, the terms in UTF-8, a line break behind each
documents, times : float64 (n_terms,), df and f
rows : float64 (1,), N
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from openbook.fold import Statistics
from openbook.text.terms import Counted

__all__ = ["TermCounts", "union"]

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
        width, places = len(terms), counts.indices
        return cls(
            _as_bytes(terms),
            np.bincount(places, minlength=width).astype(np.float64),
            np.bincount(places, weights=counts.data, minlength=width),
            np.array([float(counts.shape[0])]),
        )

    @property
    def terms(self) -> list[str]:
        """The terms in order."""
        return self.text.tobytes().decode().split("\n")[:-1]

    def __add__(self, other: Self) -> Self:
        return self.total([self, other])

    @classmethod
    def total(cls, parts: Sequence[Self]) -> Self:
        """The sum of several, whose terms are put in order once."""
        every, places = union(*(one.terms for one in parts))
        documents, times = np.zeros(len(every)), np.zeros(len(every))
        for own, one in zip(places, parts, strict=True):
            documents[own] += one.documents
            times[own] += one.times
        return cls(_as_bytes(every), documents, times, np.sum([one.rows for one in parts], axis=0))

    def columns_of(self, terms: list[str], kept: Array) -> Array:
        """The column of each of these terms among the kept ones of mine, in order; -1 where it is none."""
        mine = self.terms
        if len(kept) == len(mine) and mine == terms:
            return np.arange(len(mine), dtype=np.int32)
        column = dict(zip([mine[i] for i in kept.tolist()], range(len(kept)), strict=True))
        return np.fromiter(map(column.get, terms, repeat(-1)), np.int32, len(terms))

    def filled(self, arrays: Mapping[str, Array]) -> Self:
        one = type(self)(arrays["text"], arrays["documents"], arrays["times"], arrays["rows"])
        try:
            terms = one.terms
        except UnicodeDecodeError:
            terms = []
        ordered = all(a < b for a, b in pairwise(terms))
        sizes = {len(terms), *one.documents.shape, *one.times.shape}
        if not ordered or len(sizes) > 1 or one.text.dtype != np.uint8 or one.rows.shape != (1,):
            raise ValueError("its vocabulary is damaged")
        return one


def union(*vocabularies: list[str]) -> tuple[list[str], list[npt.NDArray[np.intp]]]:
    """The terms of all, in order, and where those of each stand.

    >>> union(["film", "good"], ["bad", "film"])
    (['bad', 'film', 'good'], [array([1, 2]), array([0, 1])])
    """
    every = sorted(set().union(*vocabularies))
    place = dict(zip(every, range(len(every)), strict=True))
    return every, [np.fromiter(map(place.__getitem__, own), np.intp, len(own)) for own in vocabularies]


def _as_bytes(terms: list[str]) -> Array:
    return np.frombuffer("\n".join([*terms, ""]).encode(), dtype=np.uint8)
