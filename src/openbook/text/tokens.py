"""Texts as words: one rule for every script.

    word     a longest run of letters, marks and digits (Unicode categories L, M and N)

So "don't" is "don" and "t", "e-mail" is "e" and "mail", and "naïve" is one word however its ï is written.
Of scripts that are written without spaces, as Chinese and Japanese are, each pair of successive characters is
a word (`openbook.data.scripts`). scikit-learn's rule differs in three cases: the underscore joins words there
and parts them here; marks that stand alone (vowel signs of Hindi, for instance) part words there and belong
to them here; and a run of Chinese characters is one word there.

A missing text has no words.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple
from unicodedata import category

import numpy as np
import numpy.typing as npt

from openbook.data.scripts import RUN, in_pairs
from openbook.text.kernels import find_words, number_words

#: What each byte of UTF-8 counts as: ASCII letters and digits and all bytes of other characters are in words.
_AS_IT_IS = np.array([byte if byte > 127 or chr(byte).isalnum() else 0 for byte in range(256)], np.uint8)
_SMALL = np.array([ord(chr(byte).lower()) if byte < 128 else byte for byte in _AS_IT_IS.tolist()], np.uint8)
#: Characters that are read at a time: their words stay in the cache until they are counted.
_AT_ONCE = 1 << 20
#: The bytes behind a text that `eights` may look at.
_MARGIN = 16


class Tokens(NamedTuple):
    """The words of texts: `words[codes[firsts[i]:firsts[i + 1]]]` are those of text i, in order."""

    words: list[str]
    codes: npt.NDArray[np.int32]
    firsts: npt.NDArray[np.int64]


class Lexicon:
    """The distinct words of texts, numbered in the order in which they are met.

    lowercase : whether capital letters of ASCII count as small ones
    pairs : whether characters of scripts without spaces make words in pairs, or else in runs

    >>> lexicon = Lexicon()
    >>> lexicon.read(["to be or", "not to be"])
    (array([0, 1, 2, 3, 0, 1], dtype=int32), array([0, 3, 6]))
    >>> lexicon.words
    ['to', 'be', 'or', 'not']
    """

    def __init__(self, *, lowercase: bool = False, pairs: bool = True) -> None:
        self._pairs = pairs
        self._fold = _SMALL if lowercase else _AS_IT_IS
        self._table = np.zeros((1 << 12, 4), dtype=np.uint64)
        self._letters = np.zeros(1 << 12, dtype=np.uint8)
        self._known = self._used = 0

    def __len__(self) -> int:
        return self._known

    @property
    def letters(self) -> bytes:
        """The words in UTF-8, a line break behind each."""
        return self._letters[: self._used].tobytes()

    @property
    def words(self) -> list[str]:
        return self.letters.decode().split("\n")[:-1]

    def read(self, texts: Sequence[str | None]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """The codes of the words of texts, one text after another, and where those of each begin."""
        known = ["" if text is None else text for text in texts]
        whole = _plain("\0".join(known) + "\0", self._pairs)
        if np.count_nonzero(np.frombuffer(whole, dtype=np.uint8) == 0) != len(texts):
            whole = _plain("\0".join(text.replace("\0", " ") for text in known) + "\0", self._pairs)
        return self.read_bytes(whole, len(texts))

    def read_slices(
        self, texts: Sequence[str | None], sizes: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """The same of many texts of these sizes, in parts.

        The array is as long as the most words that the characters could make: memory that is never written
        to is never allocated.
        """
        codes = np.empty(int(sizes.sum() + len(sizes)), dtype=np.int32)
        every, n = np.zeros(len(texts) + 1, dtype=np.int64), 0
        for share in slices(sizes, _AT_ONCE, len(texts)):
            found, firsts = self.read(texts[share])
            codes[n : n + len(found)] = found
            every[share.start + 1 : share.stop + 1] = firsts[1:] + n
            n += len(found)
        codes.resize(n, refcheck=False)
        return codes, every

    def read_bytes(
        self, text: bytes, n_texts: int = 0
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """The same of texts in UTF-8, each with a zero byte behind it, or of the letters of a lexicon."""
        folded = np.zeros(len(text) + _MARGIN, dtype=np.uint8)
        edges, firsts = np.empty(len(text) + 1, dtype=np.int64), np.zeros(n_texts + 1, dtype=np.int64)
        n = find_words(np.frombuffer(text, dtype=np.uint8), self._fold, folded, edges, firsts)
        eights = np.ndarray((len(folded) - 7,), dtype=np.uint64, buffer=folded, strides=(1,))
        if len(self._letters) < self._used + len(text) + n:
            self._letters = np.append(self._letters, np.zeros(len(self._letters) + len(text) + n, np.uint8))
        codes = np.empty(n, dtype=np.int32)
        self._table, self._known, self._used = number_words(
            eights, edges, codes, self._table, self._letters, self._known, self._used
        )
        return codes, firsts


def sizes(texts: Sequence[str | None]) -> npt.NDArray[np.int64]:
    """How many characters each text has."""
    return np.fromiter(map(len, [text or "" for text in texts]), np.int64, len(texts))


def slices(sizes: npt.NDArray[np.int64], least: int, shares: int) -> Iterator[slice]:
    """Texts of these sizes in `shares` parts of about equal size, or fewer of at least `least` characters."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    characters = max(least, -(-total // max(shares, 1)))
    inner = np.searchsorted(ends, np.arange(characters, total, characters)) + 1
    begins = np.unique([0, *inner, len(sizes)]).tolist()
    return map(slice, begins, begins[1:])


def tokens(texts: Sequence[str | None]) -> Tokens:
    """The words of texts, numbered in the order in which they occur first.

    >>> tokens(["To be, or not to be", None, "be"])
    Tokens(words=['To', 'be', 'or', 'not', 'to'], codes=array([0, 1, 2, 3, 4, 1, 1], dtype=int32),
    firsts=array([0, 6, 6, 7]))
    """
    lexicon = Lexicon()
    codes, firsts = lexicon.read_slices(texts, sizes(texts))
    return Tokens(lexicon.words, codes, firsts)


def containing(texts: Sequence[str | None], phrase: str) -> npt.NDArray[np.bool_]:
    """Which texts have these words, one after the other, whatever their case.

    >>> containing(["Give me my money back!", "back to money", None], "money back").tolist()
    [True, False, False]
    """
    wanted = [word.lower() for word in tokens([phrase]).words]
    words, codes, firsts = tokens(texts)
    found = np.zeros(len(texts), dtype=bool)
    if not wanted or len(codes) < len(wanted):
        return found
    row = np.repeat(np.arange(len(texts)), np.diff(firsts))
    last = len(codes) - len(wanted) + 1
    begins = row[:last] == row[len(wanted) - 1 :]
    for k, one in enumerate(wanted):
        is_it = np.array([word.lower() == one for word in words])
        begins &= is_it[codes[k : k + last]]
    found[row[:last][begins]] = True
    return found


def _plain(text: str, pairs: bool) -> bytes:
    """The text in UTF-8, with a space for each character beyond ASCII that belongs to no word."""
    if text.isascii():
        return text.encode()
    points = np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)
    present = np.flatnonzero(np.bincount(points))
    signs = "".join(map(chr, present.tolist()))
    if pairs and RUN.search(signs):
        return _plain(in_pairs(text), pairs=False)
    inside = np.zeros(present[-1] + 1, dtype=bool)
    inside[present] = [sign.isascii() or in_word(sign) for sign in signs]
    return np.where(inside[points], points, ord(" ")).astype("<u4").tobytes().decode("utf-32-le").encode()


@cache
def in_word(sign: str) -> bool:
    """Whether a character is a letter, a mark or a digit."""
    return category(sign)[0] in "LMN"
