"""The lines of a delimited file, found in its bytes: records, their separators, and what is wrong with them.

Bytes are looked at in blocks that fit a processor's cache, a few array operations each. A quote opens or
closes a quoted part wherever it stands, so a line break or separator counts if the quotes before it are
even in number.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Positions = npt.NDArray[Any]

_SEPARATORS = ",;\t|"
_BLOCK = 1 << 17
_QUOTE, _NEWLINE, _ZERO, _COMMA = ord('"'), ord("\n"), ord("0"), ord(",")
_QUOTED = re.compile(r'"[^"]*"')
_SNIFFED_LINES = 20
#: A quote after a backslash, where no field can end; and what such backslashes stand for.
_ESCAPED_QUOTE = re.compile(rb'\\"[^,;\t| \r\n"]')
_ESCAPE = re.compile(rb'\\["\\]')
_ESCAPES = {rb"\"": b'""', b"\\\\": b"\\"}


class FileBytes:
    """The bytes of a file, read where they are sliced: unlike a memory map, they never add up."""

    def __init__(self, path: Path) -> None:
        self._handle = path.open("rb", buffering=0)
        self._size = path.stat().st_size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> Bytes:
        begin, end, _ = part.indices(self._size)
        self._handle.seek(begin)
        return np.frombuffer(self._handle.read(max(end - begin, 0)), np.uint8)

    def __del__(self) -> None:
        self._handle.close()


def bare_fields(line: str, separator: str) -> list[str]:
    """The fields of a line, with a letter for what stands in quotes."""
    return _QUOTED.sub(lambda found: "q" * (len(found[0]) > 2), line).split(separator)


def sniff(lines: Sequence[str]) -> str:
    r"""The separator: the one that stands most evenly in the first lines, then most often in the header.

    >>> sniff(["size;price", "small;3,50", "large;4,20"])
    ';'

    Where there is none, single blanks, if they part all lines alike and some field holds numbers.

    >>> sniff(["size price", "small 3.5", "large 4.2"]), sniff(["full name", "Ann Lee", "Bob Ray"])
    (' ', ',')
    """
    bare = [_QUOTED.sub("", line) for line in lines[:_SNIFFED_LINES]]

    def evenness(separator: str) -> tuple[float, int]:
        counts = [line.count(separator) for line in bare]
        return sum(count == counts[0] > 0 for count in counts) / len(counts), counts[0]

    best = max(_SEPARATORS, key=evenness)
    if best in bare[0] or any(separator in line for line in bare for separator in _SEPARATORS):
        return best if best in bare[0] else ","
    fields = [line.split(" ") for line in bare if line]
    even = len(fields) > 2 and len({len(row) for row in fields}) == 1 < len(fields[0])
    by_blanks = even and any(all(map(_is_number, column)) for column in zip(*fields[1:], strict=True))
    return " " if by_blanks else ","


#: A quoted field, or one without blanks.
_FIELD = re.compile(r'"(?:[^"]|"")*"|\S+')
_BETWEEN = re.compile(rb'("(?:[^"]|"")*")|[ \t]*(\r?\n)[ \t]*|[ \t]+')


def in_columns(lines: Sequence[str]) -> bool:
    r"""Whether blanks and tabs, however many, part all lines alike, and nothing else does.

    A tab in every line is a separator itself, unless between tabs there are mostly several numbers.

    >>> in_columns(["mpg  year name", "18.0   70\t\"buick skylark\"", " 9.5   71\tford"])
    True
    >>> in_columns(["a,b", "1,  2", "3,  4"]), in_columns(["a  b", "1  two words", "2  three"])
    (False, False)
    """
    bare = [_QUOTED.sub("", line) for line in lines[:_SNIFFED_LINES] if line.strip()]
    marks = [m for m in _SEPARATORS if m != "\t" or sum(map(_has_series, bare)) < len(bare) / 2]
    if len(bare) < 3 or any(m in bare[0] and len({line.count(m) for line in bare}) == 1 for m in marks):
        return False
    fields = [_FIELD.findall(line) for line in lines[:_SNIFFED_LINES] if line.strip()]
    if len({len(row) for row in fields}) > 1 or len(fields[0]) < 2:
        return False
    return any(all(map(_is_number, column)) for column in zip(*fields[1:], strict=True))


def missing_first_name(lines: Sequence[str]) -> str:
    r"""What to put before a header that lacks the name of the first column: R's tables with row names.

    Every row has one field more than the header, and some column but the first holds numbers only. Fields are
    separated by blanks or tabs, or names and row names are quoted: a comma may stand in a field that should
    be. Where all rows end in an empty field, they rather have a separator too many.

    >>> missing_first_name(["a b", "1  2 3", "2 5 6"]), missing_first_name(['"a";"b"', '"1";2;3', '"2";5;6'])
    ('"" ', '"";')
    >>> missing_first_name(["age,city", "1,30,Rome", "2,41,Bonn"])
    ''
    >>> missing_first_name(["a\tb", "1\t2\t", "4\t5\t"])
    ''
    """
    some = [line for line in lines[:_SNIFFED_LINES] if line.strip()]
    bare = [_QUOTED.sub("", line) for line in some]
    found = [mark for mark in _SEPARATORS if any(mark in line for line in bare)]
    if len(some) < 3 or len(found) > 1:
        return ""
    mark = found[0] if found else " "
    if mark not in " \t" and not all(line.startswith('"') for line in some):
        return ""
    rows = [bare_fields(line, mark) if found else _FIELD.findall(line) for line in some]
    header, *below = rows
    if len(header) < 2 or {len(row) for row in below} != {len(header) + 1}:
        return ""
    columns = list(zip(*below, strict=True))[1:]
    if not any(columns[-1]) or any(map(_is_number, header)):
        return ""
    return f'""{mark}' if any(all(map(_is_number, column)) for column in columns) else ""


def _has_series(line: str) -> bool:
    """Whether between two tabs there are several numbers."""
    parts = [part.split() for part in line.split("\t")]
    return any(len(part) > 1 and all(map(_is_number, part)) for part in parts)


def with_tabs(text: bytes) -> bytes:
    r"""The text with a tab between fields instead of blanks and tabs, however many.

    >>> with_tabs(b' 1   2 \t "a  b"\n 3   4   c\n')
    b'1\t2\t"a  b"\n3\t4\tc\n'
    """
    return _BETWEEN.sub(lambda found: found[1] or found[2] or b"\t", text.strip(b" \t"))


def has_escapes(text: bytes) -> bool:
    r"""Whether a backslash stands before quotes inside fields, as some databases write them.

    >>> has_escapes(rb'1,"so \"called\""'), has_escapes(rb'1,"C:\",2')
    (True, False)
    """
    return _ESCAPED_QUOTE.search(text) is not None


def with_doubled_quotes(text: bytes) -> bytes:
    r"""The text with two quotes for a backslash and a quote, and one backslash for two.

    >>> print(with_doubled_quotes(rb'1,"so \"called\" C:\\"').decode())
    1,"so ""called"" C:\"
    """
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], text)


def _is_number(text: str) -> bool:
    try:
        return bool(text) and float(text) == float(text)
    except ValueError:
        return False


def _unquoted(data: Bytes | FileBytes, start: int) -> Iterator[tuple[int, Bytes, Flags | None]]:
    """Block by block, where it begins, its bytes, and which of them stand outside quotes; None if all do."""
    inside = 0  # an open quote
    for at in range(start, len(data), _BLOCK):
        block = data[at : at + _BLOCK]
        quote = block == _QUOTE
        if not inside and not quote.any():
            yield at, block, None
            continue
        odd = (np.cumsum(quote, dtype=np.uint8) + np.uint8(inside)) & 1
        inside = int(odd[-1])
        yield at, block, odd == 0


def _marks(data: Bytes | FileBytes, separator: str, start: int) -> Iterator[tuple[int, Flags, Flags]]:
    """Block by block, where it begins, its line breaks and its separators, those inside quotes left out."""
    for at, block, outside in _unquoted(data, start):
        newline, separating = block == _NEWLINE, block == ord(separator)
        if outside is not None:
            newline &= outside
            separating &= outside
        yield at, newline, separating


def records(data: Bytes | FileBytes, separator: str, start: int = 0) -> Iterator[tuple[Positions, Positions]]:
    """Block by block, where each record ends (its line break, or the end) and how many separators it has."""
    seen, before = 0, 0  # separators up to this block; those up to the last record
    last_end = start - 1
    for at, newline, separating in _marks(data, separator, start):
        ends, separators = np.flatnonzero(newline), np.flatnonzero(separating)
        if len(ends):
            upto = seen + np.searchsorted(separators, ends)
            yield at + ends, np.diff(upto, prepend=before)
            before, last_end = int(upto[-1]), at + int(ends[-1])
        seen += len(separators)
    if last_end < len(data) - 1:
        yield np.array([len(data)]), np.array([seen - before])


def count_separators(data: Bytes, separator: str, start: int = 0) -> int:
    """How many separators stand outside quotes."""
    total = 0
    for _, block, outside in _unquoted(data, start):
        separating = block == ord(separator)
        total += int(np.count_nonzero(separating if outside is None else separating & outside))
    return total


def columns_of_codes(data: Bytes, separator: str, start: int = 0) -> set[int]:
    """The columns, counted from 0, in which some field may start with a zero and a digit: 00123."""
    found = {0} if re.match(rb"0\d", data[start : start + 2].tobytes()) else set()  # nothing stands before it
    if not any(_code_starts(data, at, separator).any() for at in range(start, len(data), _BLOCK)):
        return found
    before = 0  # separators in the unfinished record before this block
    for at, newline, separating in _marks(data, separator, start):
        ends, separators = np.flatnonzero(newline), np.flatnonzero(separating)
        upto = np.concatenate([[-before], np.searchsorted(separators, ends)])  # separators before each record
        starts = np.flatnonzero(_code_starts(data, at, separator))
        record = np.searchsorted(ends, starts, side="right")
        found.update(np.unique(np.searchsorted(separators, starts, side="right") - upto[record]).tolist())
        before = len(separators) - int(upto[-1])
    return found


def _code_starts(data: Bytes, at: int, separator: str) -> Flags:
    """In the block at `at`, the bytes that a zero and a digit follow and that may stand before a field."""
    block = data[at : at + _BLOCK + 2]
    starts = block[:-2] <= _COMMA  # blanks, line breaks, quotes, the comma
    if ord(separator) > _COMMA:
        starts |= block[:-2] == ord(separator)
    starts &= block[1:-1] == _ZERO
    starts &= (block[2:] - np.uint8(_ZERO)) < 10  # a digit; what is below "0" wraps around
    return starts


def complaint(data: Bytes, separator: str, width: int, start: int = 0, lines_before: int = 0) -> str:
    """What is wrong with the records, with the line; empty if nothing shows."""
    if message := not_utf8(data, lines_before):
        return message
    quotes = np.flatnonzero(data == _QUOTE)
    if (stray := _stray_quote(data, quotes, separator, start)) is not None:
        line = lines_before + line_of(data, stray)
        return f"line {line:,}: a quote inside a field; put the field in quotes and double the quote"
    if len(quotes) % 2:
        return f"line {lines_before + line_of(data, int(quotes[-1])):,}: an opening quote is never closed"
    begin = start
    for ends, separators in records(data, separator, start):
        begins = np.concatenate([[begin], ends[:-1] + 1])
        for i in np.flatnonzero(separators != width - 1):
            if data[begins[i] : ends[i]].tobytes().strip() or separators[i] >= width:
                line = lines_before + line_of(data, int(begins[i]))
                return f"line {line:,} has {separators[i] + 1:,} fields, but the header has {width:,}"
        begin = int(ends[-1]) + 1
    return ""


def _stray_quote(data: Bytes, quotes: Positions, separator: str, start: int) -> int | None:
    """The first quote that opens in the middle of a field, or closes there."""
    boundary = np.zeros(256, dtype=bool)
    boundary[[ord(sign) for sign in (separator, "\n", "\r", '"')]] = True
    opening, closing = quotes[::2], quotes[1::2]
    opening = opening[opening > start]
    closing = closing[closing < len(data) - 1]
    stray = [*opening[~boundary[data[opening - 1]]][:1], *closing[~boundary[data[closing + 1]]][:1]]
    return int(min(stray)) if stray else None


def not_utf8(data: Bytes, lines_before: int = 0) -> str:
    """Which byte is not UTF-8 and what to do about it; empty if there is none."""
    try:
        data.tobytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = lines_before + line_of(data, error.start)
        return (
            f"line {line:,}: byte {error.object[error.start]:#04x} is not UTF-8. If the file is from an"
            " older Windows program, read with encoding='cp1252'"
        )
    return ""


def line_of(data: Bytes | FileBytes, position: int) -> int:
    """The number of the line that a byte stands in, counted from 1."""
    blocks = (data[at : min(at + _BLOCK, position)] for at in range(0, position, _BLOCK))
    return 1 + sum(int(np.count_nonzero(block == _NEWLINE)) for block in blocks)
