"""From words to the terms that are counted: case, accents, numbers, stop words, stems, n-grams.

    word     as it stands in a text      "Running"
    term     what is counted             "run", or of n words "run fast", or of characters " ru", "run"

Each distinct word is turned into its term once, however often it occurs. Terms of a chunk of texts come in
the order of their characters, and so do the columns of its counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import combining, normalize

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from openbook.text.kernels import count_words
from openbook.text.tokens import tokens

__all__ = ["Counted", "TermRule"]

Array = npt.NDArray[np.int32]

#: What stands for every number where numbers are one term. No word is like it: it has a sign.
NUMBER = "#"


class Counted(NamedTuple):
    """How often each term occurs in each text: int32 (n_texts, n_terms), by rows."""

    terms: list[str]
    counts: sp.csr_array


@dataclass(frozen=True)
class TermRule:
    """How words become terms; see `BagOfWords` for each setting."""

    lowercase: bool = True
    strip_accents: bool = False
    numbers: str = "keep"
    min_length: int = 2
    stop_words: frozenset[str] = frozenset()
    stemmer: Callable[[str], str] | None = None
    analyzer: str = "word"
    ngram_range: tuple[int, int] = (1, 1)

    def terms(self, words: list[str]) -> list[str | None]:
        """The term of each word; None where it is not counted.

        >>> rule = TermRule(strip_accents=True, numbers="one", stop_words=frozenset({"the"}))
        >>> rule.terms(["Café", "1984", "The", "a"])
        ['cafe', '#', None, None]
        """
        if self.lowercase:
            words = "\n".join(words).lower().split("\n") if words else []
        if self.strip_accents:
            words = [word if word.isascii() else _without_accents(word) for word in words]
        short, stop = self.min_length, self.stop_words
        terms = [None if len(word) < short or word in stop else word for word in words]
        if self.numbers != "keep":
            number = NUMBER if self.numbers == "one" else None
            terms = [number if term is not None and term.isdigit() else term for term in terms]
        if self.stemmer is not None:
            terms = [term and self.stemmer(term) for term in terms]
        return terms

    def count(self, texts: Sequence[str | None]) -> Counted:
        """The terms of texts, and how often each occurs in each."""
        words, codes, firsts = tokens(texts)
        terms, columns = _in_order(self.terms(words))
        if self.analyzer == "char_wb":
            return self._characters(terms, _counts(codes, firsts, columns, len(terms)))
        if self.ngram_range == (1, 1):
            return Counted(terms, _counts(codes, firsts, columns, len(terms)))
        return self._phrases(terms, columns[codes], firsts)

    def _characters(self, words: list[str], counts: sp.csr_array) -> Counted:
        """Counts of n-grams of characters: those of each word, times the counts of the words."""
        low, high = self.ngram_range
        grams, word = [], []
        for i, one in enumerate(words):
            padded = f" {one} "
            own = [
                padded[j : j + n] for n in range(low, high + 1) for j in range(max(len(padded) - n + 1, 1))
            ]
            grams += own
            word += [i] * len(own)
        terms, columns = _in_order(grams)
        ones = np.ones(len(grams), dtype=np.int32)
        each = sp.csr_array((ones, (word, columns)), shape=(len(words), len(terms)))
        product = (counts @ each).tocsr()
        product.sort_indices()
        return Counted(terms, product)

    def _phrases(self, terms: list[str], codes: Array, firsts: npt.NDArray[np.int64]) -> Counted:
        """Counts of n-grams of words: a phrase is the number of its beginning and that of its last word."""
        text = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))[codes >= 0]
        codes = codes[codes >= 0]
        low, high = self.ngram_range
        phrases, ids = terms, codes.astype(np.int64)
        names: list[str] = []
        columns, rows = [], []
        for n in range(1, high + 1):
            if n > 1:
                inside = text[: len(text) - n + 1] == text[n - 1 :]
                keys = ids[: len(inside)] * len(terms) + codes[n - 1 :]
                found, own = np.unique(keys[inside], return_inverse=True)
                phrases = [f"{phrases[k // len(terms)]} {terms[k % len(terms)]}" for k in found.tolist()]
                ids = np.zeros(len(inside), dtype=np.int64)
                ids[inside] = own
            else:
                inside = np.ones(len(text), dtype=bool)
            if n >= low:
                columns.append(ids[inside] + len(names))
                rows.append(text[: len(inside)][inside])
                names += phrases
        ordered, place = _in_order(names)
        every, row = place[np.concatenate(columns)], np.concatenate(rows)
        order = np.argsort(row, kind="stable")
        starts = np.searchsorted(row[order], np.arange(len(firsts)))
        same = np.arange(len(ordered), dtype=np.int32)
        return Counted(ordered, _counts(every[order], starts, same, len(ordered)))


def _without_accents(word: str) -> str:
    return "".join(c for c in normalize("NFKD", word) if not combining(c))


def _in_order(terms: Sequence[str | None]) -> tuple[list[str], Array]:
    """The distinct terms in order, and the place of each; -1 for None."""
    distinct = set(terms)
    distinct.discard(None)
    ordered: list[str] = sorted(distinct)  # type: ignore[arg-type]
    place: dict[str | None, int] = dict(zip(ordered, range(len(ordered)), strict=True))
    place[None] = -1
    return ordered, np.fromiter(map(place.__getitem__, terms), np.int32, len(terms))


def _counts(codes: Array, firsts: npt.NDArray[np.int64], columns: Array, width: int) -> sp.csr_array:
    places, counts = np.empty(len(codes), dtype=np.int32), np.empty(len(codes), dtype=np.int32)
    ends = np.zeros(len(firsts), dtype=np.int64)
    n = count_words(codes, firsts, columns, counts, places, ends)
    return sp.csr_array((counts[:n].copy(), places[:n].copy(), ends), shape=(len(firsts) - 1, width))
