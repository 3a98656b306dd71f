"""Words of texts as numbers, and how often each occurs in each text.

    bytes    uint8, the texts in UTF-8 one after another, each with a zero byte behind it
    words    longest runs of bytes that `is_word` has: ASCII letters and digits, and whatever is not ASCII
    table    uint64 (2^k, 4), open addressing: the first 8 bytes of a word, the next 8, its size and where it
             stands, and its code + 1; 0 there is a free slot

A word of up to 16 bytes, as nearly all are, is told from others by its slot alone: one line of the cache.
"""

import numpy as np

from openbook.kernels.jit import inner, jit

__all__ = ["count_words", "number_words"]

_HEAD = 8  # bytes in each of the two first entries of a slot
_LOW = np.uint64(0xFFFFFFFF)
_SIZE, _FREE = np.uint64(32), np.uint64(0)
_ONE, _BYTE, _FAR, _FARTHER = np.uint64(1), np.uint64(8), np.uint64(29), np.uint64(32)
_GOLDEN, _OTHER, _FNV = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(1099511628211)


@inner
def hashed(first, second, rest):
    """A hash whose low bits depend on every byte of a word."""
    key = (first * _GOLDEN) ^ ((second + rest) * _OTHER)
    key = (key ^ (key >> _FARTHER)) * _GOLDEN
    return key ^ (key >> _FAR)


@inner
def slot_of(table, text, word, key):
    """The slot of a word (first, second, size, start), or the free one where it belongs."""
    first, second, size, start = word
    around = np.uint64(len(table) - 1)
    slot = key & around
    while table[slot, 3] != _FREE:
        if (
            table[slot, 0] == first
            and table[slot, 1] == second
            and table[slot, 2] >> _SIZE == np.uint64(size)
        ):
            own = np.int64(table[slot, 2] & _LOW)
            same = True
            for i in range(2 * _HEAD, size):
                if text[own + i] != text[start + i]:
                    same = False
                    break
            if same:
                return slot
        slot = (slot + _ONE) & around
    return slot


@inner
def move_words(old, text, new):
    """Put the words of a full table into a larger one."""
    around = np.uint64(len(new) - 1)
    for i in range(len(old)):
        if old[i, 3] != _FREE:
            start, size = np.int64(old[i, 2] & _LOW), np.int64(old[i, 2] >> _SIZE)
            rest = np.uint64(0)
            for j in range(start + 2 * _HEAD, start + size):
                rest = (rest ^ np.uint64(text[j])) * _FNV
            slot = hashed(old[i, 0], old[i, 1], rest) & around
            while new[slot, 3] != _FREE:
                slot = (slot + _ONE) & around
            for j in range(4):
                new[slot, j] = old[i, j]


@jit
def number_words(text, is_word, codes, firsts, spans):
    """Give each word a code, in the order in which words occur first.

    codes : int32, room for half as many words as there are bytes; spans : int32 (as many, 2), start and size
    of each distinct word; firsts : int64 (n_texts + 1), where the words of each text begin in `codes`.
    Returns how many words, and how many distinct words, there are.
    """
    table = np.zeros((1 << 12, 4), dtype=np.uint64)
    n = distinct = texts = i = 0
    while i < len(text):
        byte = text[i]
        if not is_word[byte]:
            if byte == 0:
                texts += 1
                firsts[texts] = n
            i += 1
            continue
        start, first, second, rest = i, np.uint64(0), np.uint64(0), np.uint64(0)
        while i < start + _HEAD and is_word[text[i]]:  # a zero byte ends the last word
            first = (first << _BYTE) | np.uint64(text[i])
            i += 1
        while i < start + 2 * _HEAD and is_word[text[i]]:
            second = (second << _BYTE) | np.uint64(text[i])
            i += 1
        while is_word[text[i]]:
            rest = (rest ^ np.uint64(text[i])) * _FNV
            i += 1
        size = i - start
        slot = slot_of(table, text, (first, second, size, start), hashed(first, second, rest))
        if table[slot, 3] == _FREE:
            spans[distinct, 0], spans[distinct, 1] = start, size
            distinct += 1
            table[slot, 0], table[slot, 1] = first, second
            table[slot, 2] = (np.uint64(size) << _SIZE) | np.uint64(start)
            table[slot, 3] = np.uint64(distinct)
            codes[n] = distinct - 1
            if 2 * distinct > len(table):
                larger = np.zeros((4 * len(table), 4), dtype=np.uint64)
                move_words(table, text, larger)
                table = larger
        else:
            codes[n] = np.int32(table[slot, 3]) - 1
        n += 1
    return n, distinct


@jit
def count_words(codes, firsts, columns, counts, places, ends):
    """How often each column occurs in each text: a sparse matrix by rows, columns in order.

    columns : int32, the column of each code, -1 for none; places and counts : room for every word;
    ends : int64 (n_texts + 1), where each row begins and ends. Returns how many entries there are.
    """
    width = columns.max() + 1 if len(columns) else 0
    last, times = np.full(width, -1, dtype=np.int64), np.empty(width, dtype=np.int32)
    n = 0
    for text in range(len(firsts) - 1):
        begin = n
        for i in range(firsts[text], firsts[text + 1]):
            column = columns[codes[i]]
            if column < 0:
                continue
            if last[column] == text:
                times[column] += 1
            else:
                last[column], times[column] = text, 1
                places[n] = column
                n += 1
        places[begin:n].sort()
        for i in range(begin, n):
            counts[i] = times[places[i]]
        ends[text + 1] = n
    return n
