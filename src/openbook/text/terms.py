"""From words to the terms that are counted: case, accents, numbers, stop words, stems, n-grams.

    word     as it stands in a text      "Running"
    term     what is counted             "run", or of n words "run fast", or of characters " ru", "run"

Each distinct word is turned into its term once, however often it occurs. Terms of a chunk of texts come in
the order of their characters, and so do the columns of its counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from unicodedata import combining, normalize

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from openbook.errors import ParameterError
from openbook.fold import each, shares_memory, worker_count
from openbook.text.kernels import Buffers, arrange
from openbook.text.tokens import Lexicon, sizes, slices, tokens

Array = npt.NDArray[np.int32]

#: The term of all numbers where they are one. No word equals it: it has a sign.
NUMBER = "#"
#: The fewest characters for a worker of their own, and the cells that are sorted together.
_SHARE, _IN_ORDER = 1 << 20, 1 << 12


class Counted(NamedTuple):
    """How often each term occurs in each text: float64 (n_texts, n_terms), by rows, columns in order."""

    terms: list[str]
    counts: sp.csr_array

    def under(self, columns: npt.NDArray[np.integer[Any]], width: int) -> sp.csr_array:
        """The counts, which are lost, with each term in its column, or left out where that is -1."""
        same = np.array_equal(columns, np.arange(width))
        return self.counts if same else into_columns(self.counts, columns, width)


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
        """The term of each word; None if it is not counted.

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
            if odd := [term for term in terms if term is not None and not _is_word(term)]:
                raise ParameterError(f"stemmer must make one word of a word, got {odd[0]!r}")
        return terms

    def count(self, texts: Sequence[str | None]) -> Counted:
        """The terms of texts, and how often each occurs in each.

        Every worker numbers the words of a share of the texts. The words of all become terms together, and
        then every worker counts its words under the columns of the terms.
        """
        if self.analyzer == "word" and self.ngram_range != (1, 1):
            words, spoken, firsts = tokens(texts)
            terms, columns = _in_order(self.terms(words))
            return self._phrases(terms, columns[spoken], firsts)
        every = sizes(texts)
        shares = [(texts[share], every[share]) for share in slices(every, _SHARE, worker_count())]
        read = list(each(shares, partial(_words_of, self.lowercase, self.analyzer == "word")))
        lexicon = Lexicon()
        in_lexicon = [lexicon.read_bytes(letters)[0] for letters, _, _ in read]  # of each share's words
        terms, columns = _in_order(self.terms(lexicon.words))
        parts = [
            _Words(codes, ends, columns[c]) for (_, codes, ends), c in zip(read, in_lexicon, strict=True)
        ]
        del read
        counted = Counted(terms, _bags(parts, len(terms)))
        return counted if self.analyzer == "word" else self._characters(*counted)

    def _characters(self, words: list[str], counts: sp.csr_array) -> Counted:
        """Counts of n-grams of characters: those of each word, times the counts of the words."""
        low, high = self.ngram_range
        grams, word = [], []
        for i, one in enumerate(words):
            padded = f" {one} "
            longest = min(high, max(low, len(padded)))  # a word that is too short counts whole, and once
            for n in range(low, longest + 1):
                ngrams = [padded[j : j + n] for j in range(max(len(padded) - n + 1, 1))]
                grams += ngrams
                word += [i] * len(ngrams)
        terms, columns = _in_order(grams)
        ones = np.ones(len(grams), dtype=np.int32)
        each = sp.csr_array((ones, (word, columns)), shape=(len(words), len(terms)))
        product = (counts @ each).tocsr()
        product.sort_indices()
        return Counted(terms, product)

    def _phrases(self, terms: list[str], codes: Array, firsts: npt.NDArray[np.int64]) -> Counted:
        """Counts of n-grams of words: a phrase is the number of its beginning and that of its last word.

        Phrases come in the order of their words, which is that of their characters: a space comes first.
        """
        text = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))[codes >= 0]
        codes = codes[codes >= 0]
        low, high = self.ngram_range
        phrases, ids, width = terms, codes.astype(np.int64), len(terms)
        words = np.arange(1, width + 1)[:, None]  # of each phrase, from 1 on
        names: list[str] = []
        columns, rows, keys = [], [], []
        for n in range(1, high + 1):
            inside = text[: len(text) - n + 1] == text[n - 1 :]
            if n > 1:
                longer = (ids[: len(inside)] * width + codes[n - 1 :])[inside]
                found, number = np.unique(longer, return_inverse=True)
                begin, last = np.divmod(found, width)
                pairs = zip(begin.tolist(), last.tolist(), strict=True)
                phrases = [f"{phrases[i]} {terms[j]}" for i, j in pairs]
                words = np.column_stack([words[begin], last + 1])
                ids = np.zeros(len(inside), dtype=np.int64)
                ids[inside] = number
            if n >= low:
                columns.append(ids[inside] + len(names))
                rows.append(text[: len(inside)][inside])
                keys.append(np.pad(words, [(0, 0), (0, high - n)]))
                names += phrases
        order = np.lexsort(np.concatenate(keys).T[::-1])
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order))
        by_text = np.argsort(np.concatenate(rows), kind="stable")
        starts = np.searchsorted(np.concatenate(rows)[by_text], np.arange(len(firsts)))
        spoken = _Words(np.concatenate(columns)[by_text].astype(np.int32), starts, rank)
        return Counted([names[i] for i in order.tolist()], _bags([spoken], len(names)))


class _Words(NamedTuple):
    """The words of texts: their codes, where those of each text end, and the column of each code."""

    codes: Array
    ends: npt.NDArray[np.int64]
    columns: Array


def _words_of(
    lowercase: bool, pairs: bool, share: tuple[Sequence[str | None], npt.NDArray[np.int64]]
) -> tuple[bytes, Array, npt.NDArray[np.int64]]:
    """The distinct words of texts, those of each text as codes of them, and where those of each text end."""
    lexicon = Lexicon(lowercase=lowercase, pairs=pairs)
    codes, ends = lexicon.read_slices(*share)
    return lexicon.letters, codes, ends


def into_columns(matrix: sp.csr_array, columns: npt.NDArray[np.integer[Any]], width: int) -> sp.csr_array:
    """The matrix, which is lost, with each column where `columns` says, in order: those of one place are
    summed, those of -1 left out.
    """
    entries = matrix.indices.astype(np.int32, copy=False), matrix.data
    n, ends = _placed(entries, matrix.indptr, columns, width, entries)
    return _by_rows(entries[1][:n], entries[0][:n], ends, width)


def _placed(matrix: Any, ends: Any, columns: Any, width: int, into: Any) -> tuple[int, npt.NDArray[np.int64]]:
    """Put cells into these columns and arrays: how many there are, and where rows end."""
    ends = ends.astype(np.int64)
    buffers = Buffers.of(max(_IN_ORDER, int(np.diff(ends).max(initial=0))))
    n_bytes = max(1, -(-max(width - 1, 0).bit_length() // 8))
    return arrange(matrix, ends, columns.astype(np.int32), n_bytes, buffers, into), ends


def _bags(parts: list[_Words], width: int) -> sp.csr_array:
    """How often each word occurs in each text, the texts of each part below those of the one before.

    Threads place the cells of each part, where its codes were; the parts are lost.
    """
    starts = np.cumsum([0, *(len(part.codes) for part in parts)]).tolist()
    alone = len(parts) == 1 and parts[0].codes.flags.owndata
    cells = parts[0].codes if alone else np.empty(starts[-1], dtype=np.int32)
    counts = np.empty(starts[-1])

    def place(k: int) -> tuple[int, npt.NDArray[np.int64]]:
        codes, ends, columns = parts[k]
        target = cells[starts[k] : starts[k + 1]]
        if not alone:
            target[:] = codes
        parts[k] = parts[k]._replace(codes=target)  # these codes are not held twice while counts are written
        del codes
        return _placed((target, None), ends, columns, width, (target, counts[starts[k] :]))

    jobs = list(range(len(parts)))
    placed = list(each(jobs, place) if shares_memory() else map(place, jobs))
    n, rows = 0, [np.zeros(1, dtype=np.int64)]
    for start, (size, ends) in zip(starts, placed, strict=False):
        for array in (cells, counts) if start > n else ():  # close the gaps, in place
            array.data[n : n + size] = array.data[start : start + size]
        rows.append(ends[1:] + n)
        n += size
    parts.clear()
    for array in (cells, counts):
        array.resize(n, refcheck=False)
    return _by_rows(counts, cells, np.concatenate(rows), width)


def _by_rows(
    counts: npt.NDArray[np.float64], cells: Array, ends: npt.NDArray[np.int64], width: int
) -> sp.csr_array:
    """A sparse matrix of these arrays; scipy would copy columns of another type than the ends of rows."""
    short = ends[-1] <= np.iinfo(np.int32).max
    return sp.csr_array((counts, cells, ends.astype(np.int32 if short else np.int64)), (len(ends) - 1, width))


def _is_word(term: Any) -> bool:
    return isinstance(term, str) and all(sign > " " for sign in term)


def _without_accents(word: str) -> str:
    return "".join(c for c in normalize("NFKD", word) if not combining(c))


def _in_order(terms: Sequence[str | None]) -> tuple[list[str], Array]:
    """The distinct terms in order, and the place of each; -1 for None. Folds in forks bear no polars."""
    numbers: dict[str | None, int] = dict.fromkeys(terms, -1)
    distinct = [term for term in numbers if term is not None]
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order))
    if len(distinct) < len(terms):  # words that share a term, or have none
        numbers.update(zip(distinct, places.tolist(), strict=True))
        places = np.fromiter(map(numbers.__getitem__, terms), np.int32, len(terms))
    return [distinct[i] for i in order], places
