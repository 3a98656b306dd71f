"""Words of texts as numbers, how often each occurs in each text, and vocabularies merged.

    text      uint8, texts in UTF-8 one after another, each with a zero byte behind it
    fold      uint8 (256,), what each byte counts as: itself, a small letter, or 0 if it is in no word
    eights    uint64, the eight folded bytes from each position on, so that a word is compared by eights
    table     uint64 (2^k, 4), open addressing: the first eight bytes of a word, the next eight, its place in
              `letters`, and its size and code + 1 in one; 0 there is a free slot
    letters   uint8, every word once, a line break behind each

A word of up to 16 bytes, as nearly all are, is distinguished from others by its slot alone: one line of the
cache.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.kernels.jit import inner, jit

BREAK = 10

_FREE, _ALL = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_BITS, _LOW, _DIGIT = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(0xFF)
_ONE, _FAR = np.uint64(1), np.uint64(29)
_GOLDEN, _OTHER, _FNV = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(1099511628211)


class Buffers(NamedTuple):
    """What `arrange` works in: the cells of some rows.

    keys, other : uint64 (n,), the column of each cell and its place here
    rows, values : int64 and float64 (n,), the row of each cell and its value
    begins : int64 (256,), for `radix_sort`
    """

    keys: npt.NDArray[np.uint64]
    other: npt.NDArray[np.uint64]
    rows: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    begins: npt.NDArray[np.int64]

    @classmethod
    def of(cls, n: int) -> "Buffers":
        keys, other = np.empty((2, n), dtype=np.uint64)
        return cls(keys, other, np.empty(n, dtype=np.int64), np.empty(n), np.empty(256, dtype=np.int64))


@jit
def find_words(text, fold, folded, edges, firsts):
    """Fold every byte, and find where words begin and end.

    folded : as long as the text at least; edges : int64, one longer than the text: the begin and the end of
    each word in turn; firsts : int64 (n_texts + 1), the first word of each text. Returns how
    many words there are. There is no branch on what a byte is: those at the ends of words cannot be foreseen.
    """
    n = texts = 0
    before = False
    for i in range(len(text)):
        byte = fold[text[i]]
        folded[i] = byte
        inside = byte != 0
        edges[n] = i
        n += inside != before
        before = inside
        if text[i] == 0:
            texts += 1
            firsts[texts] = n // 2
    return n // 2


@inner
def hashed(first, second, rest):
    """A hash whose low bits depend on every byte of a word."""
    key = (first * _GOLDEN) ^ ((second + rest) * _OTHER)
    key = (key ^ (key >> _BITS)) * _GOLDEN
    return key ^ (key >> _FAR)


@inner
def move_words(old, letters, new):
    """Put the words of a full table into a larger one."""
    around = np.uint64(len(new) - 1)
    for i in range(len(old)):
        if old[i, 3] != _FREE:
            start, size = np.int64(old[i, 2]), np.int64(old[i, 3] >> _BITS)
            rest = np.uint64(0)
            for j in range(start + 16, start + size):
                rest = (rest ^ np.uint64(letters[j])) * _FNV
            slot = hashed(old[i, 0], old[i, 1], rest) & around
            while new[slot, 3] != _FREE:
                slot = (slot + _ONE) & around
            for j in range(4):
                new[slot, j] = old[i, j]


@inner
def same_rest(eights, start, letters, position, size):
    """Whether two words of this size are equal beyond their first 16 bytes."""
    same = True
    for j in range(16, size):
        same &= np.uint8(eights[start + j]) == letters[position + j]
    return same


@jit
def number_words(eights, edges, codes, table, letters, known, used):
    """Give each word its code: the words met first have 0, 1, …; `known` words have one already.

    codes : int32 (n_words,); letters : of which the first `used` are taken, with space for all these words.
    Returns the table, which may have grown, how many words are known now, and how many letters are used.
    """
    for w in range(len(codes)):
        start, size = edges[2 * w], edges[2 * w + 1] - edges[2 * w]
        first = eights[start] & (_ALL >> np.uint64(64 - 8 * min(size, 8)))
        second = eights[start + 8] & (_ALL >> np.uint64(64 - 8 * min(size - 8, 8))) if size > 8 else _FREE
        rest = np.uint64(0)
        for j in range(start + 16, start + size):
            rest = (rest ^ (eights[j] & _DIGIT)) * _FNV
        around = np.uint64(len(table) - 1)
        slot = hashed(first, second, rest) & around
        while table[slot, 3] != _FREE and not (
            table[slot, 0] == first
            and table[slot, 1] == second
            and table[slot, 3] >> _BITS == np.uint64(size)
            and (size <= 16 or same_rest(eights, start, letters, np.int64(table[slot, 2]), size))
        ):
            slot = (slot + _ONE) & around
        if table[slot, 3] == _FREE:
            known += 1
            table[slot, 0], table[slot, 1], table[slot, 2] = first, second, np.uint64(used)
            table[slot, 3] = (np.uint64(size) << _BITS) | np.uint64(known)
            for j in range(size):
                letters[used + j] = np.uint8(eights[start + j])
            letters[used + size] = BREAK
            used += size + 1
            codes[w] = known - 1
            if 2 * known > len(table):
                larger = np.zeros((4 * len(table), 4), dtype=np.uint64)
                move_words(table, letters, larger)
                table = larger
        else:
            codes[w] = np.int32(table[slot, 3] & _LOW) - 1
    return table, known, used


@inner
def radix_sort(keys, other, n, n_bytes, begins):
    """Sort n keys by the n_bytes above their low 32 bits; if that is odd, they end up in `other`."""
    for digit in range(n_bytes):
        shift = np.uint64(32 + 8 * digit)
        for k in range(256):
            begins[k] = 0
        for i in range(n):
            begins[(keys[i] >> shift) & _DIGIT] += 1
        total = 0
        for k in range(256):
            here = begins[k]
            begins[k] = total
            total += here
        for i in range(n):
            k = (keys[i] >> shift) & _DIGIT
            other[begins[k]] = keys[i]
            begins[k] += 1
        keys, other = other, keys


@inner
def gather(codes, counts, span, columns, buffers, m):
    """Put the cells of a row that have a column behind the m that are there; returns their new number."""
    row, begin, end = span
    for i in range(begin, end):
        column = columns[codes[i]]
        if column >= 0:
            buffers.keys[m] = (np.uint64(column) << _BITS) | np.uint64(m)
            buffers.rows[m] = row
            if counts is None:
                buffers.values[m] = 1.0
            else:
                buffers.values[m] = counts[i]
            m += 1
    return m


@jit
def arrange(matrix, ends, columns, n_bytes, buffers, into):
    """Turn codes into columns, in order, and sum those of one row and column: words become counts.

    matrix, into : codes and counts, None if each counts once, and where they go, which may be the same;
    ends : where rows end, before and after; columns : int32, the column of each code, -1 for none, of n_bytes
    bytes. Returns how many cells are left. Some rows at a time are sorted by column, then dealt out to their
    rows in that order.
    """
    (codes, amounts), (cells, counts) = matrix, into
    n = start = cell = 0
    while start < len(ends) - 1:
        stop, m, begin = start, 0, cell
        while stop < len(ends) - 1 and (stop == start or ends[stop + 1] - begin <= len(buffers.keys)):
            m = gather(codes, amounts, (stop, cell, ends[stop + 1]), columns, buffers, m)
            cell, ends[stop + 1] = ends[stop + 1], 0
            stop += 1
        radix_sort(buffers.keys, buffers.other, m, n_bytes, buffers.begins)
        keys = buffers.other if n_bytes % 2 else buffers.keys
        kept, last = 0, np.int64(0)
        for i in range(m):
            source = np.int64(keys[i] & _LOW)
            row = buffers.rows[source]
            if kept and keys[i] >> _BITS == keys[kept - 1] >> _BITS and row == buffers.rows[last]:
                buffers.values[last] += buffers.values[source]
            else:
                keys[kept], last = keys[i], source
                kept += 1
                ends[row + 1] += 1
        for row in range(start, stop):
            size = ends[row + 1]
            ends[row + 1] = n
            n += size
        for i in range(kept):
            source = np.int64(keys[i] & _LOW)
            slot = ends[buffers.rows[source] + 1]
            cells[slot], counts[slot] = np.int32(keys[i] >> _BITS), buffers.values[source]
            ends[buffers.rows[source] + 1] = slot + 1
        start = stop
    return n


@jit
def tally_terms(columns, counts, documents, times):
    """In how many rows each column occurs, and how often in all of them."""
    for i in range(len(columns)):
        documents[columns[i]] += 1
        times[columns[i]] += counts[i]


@jit
def count_by_class(columns, ends, classes, having):
    """Add to having[column, class] the rows of each class that have the column; a negative class is none."""
    for row in range(len(ends) - 1):
        label = classes[row]
        if label >= 0:
            for i in range(ends[row], ends[row + 1]):
                having[columns[i], label] += 1


@inner
def word_order(a, i, b, j):
    """Below 0 if the word at i of a comes before that at j of b, and 0 if they are equal."""
    size = 0
    while a[i + size] == b[j + size] and a[i + size] != BREAK:
        size += 1
    return np.int64(a[i + size]) - np.int64(b[j + size])


@jit
def merge_words(a, b, merged, place_a, place_b):
    """Merge two lists of words in order, each with a line break behind every word, into one.

    place_a, place_b : int64, where each word of a and b stands in the merged list. Returns how many
    bytes there are. Words in UTF-8 have the order of their characters.
    """
    i = j = n = used = in_a = in_b = 0
    while i < len(a) or j < len(b):
        order = 1 if i == len(a) else (-1 if j == len(b) else word_order(a, i, b, j))
        if order <= 0:
            place_a[in_a] = n
            in_a += 1
            while a[i] != BREAK:
                merged[used] = a[i]
                used += 1
                i += 1
            i += 1
        if order >= 0:
            place_b[in_b] = n
            in_b += 1
            while b[j] != BREAK:
                if order > 0:
                    merged[used] = b[j]
                    used += 1
                j += 1
            j += 1
        merged[used] = BREAK
        used += 1
        n += 1
    return used
