"""Texts as words: one rule for every script.

    word     a longest run of letters, marks and digits (Unicode categories L, M and N)

So "don't" is "don" and "t", "e-mail" is "e" and "mail", and "naïve" is one word however its ï is written.
scikit-learn's rule differs in two cases: the underscore joins words there and parts them here, and marks that
stand alone (vowel signs of Hindi, for instance) part words there and belong to them here. Scripts that are
written without spaces, as Chinese and Japanese are, give runs of characters; for those count the n-grams of
characters (`analyzer="char_wb"`).

A missing text has no words.
"""

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import category

import numpy as np
import numpy.typing as npt

from openbook.text.kernels import number_words

__all__ = ["Tokens", "containing", "tokens"]

#: Bytes of UTF-8 that belong to words: ASCII letters and digits, and all bytes of other characters.
_IS_WORD = np.array([byte > 127 or chr(byte).isalnum() for byte in range(256)])


class Tokens(NamedTuple):
    """The words of texts: `words[codes[firsts[i]:firsts[i + 1]]]` are those of text i, in order."""

    words: list[str]
    codes: npt.NDArray[np.int32]
    firsts: npt.NDArray[np.int64]


def tokens(texts: Sequence[str | None]) -> Tokens:
    """The words of texts, numbered in the order in which they occur first.

    >>> tokens(["To be, or not to be", None, "be"])
    Tokens(words=['To', 'be', 'or', 'not', 'to'], codes=array([0, 1, 2, 3, 4, 1, 1], dtype=int32),
    firsts=array([0, 6, 6, 7]))
    """
    whole = "\0".join("" if text is None else text for text in texts) + "\0"
    if whole.count("\0") != len(texts):
        whole = "\0".join("" if text is None else text.replace("\0", " ") for text in texts) + "\0"
    text = _plain(whole).encode("utf-8", "replace")
    encoded = np.frombuffer(text, dtype=np.uint8)
    most = len(encoded) // 2 + 1
    codes, spans = np.empty(most, dtype=np.int32), np.empty((most, 2), dtype=np.int32)
    firsts = np.zeros(len(texts) + 1, dtype=np.int64)
    n, distinct = number_words(encoded, _IS_WORD, codes, firsts, spans)
    starts, sizes = spans[:distinct].T
    ends = (starts + sizes).tolist()
    words = b"\n".join([text[start:end] for start, end in zip(starts.tolist(), ends, strict=True)])
    return Tokens(words.decode().split("\n") if distinct else [], codes[:n].copy(), firsts)


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


def _plain(text: str) -> str:
    """The text with a space for each character beyond ASCII that belongs to no word."""
    if text.isascii():
        return text
    points = np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)
    for point in np.flatnonzero(np.bincount(points)).tolist():
        if point > 127 and category(chr(point))[0] not in "LMN":
            text = text.replace(chr(point), " ")
    return text
