"""CSV and TSV at polars' speed, with our own rules for the kinds.

The first rows are read as text to guess which columns are numbers; one typed pass then reads the file.
Where a later cell breaks the guess, its column is read as text after all and decided as a whole, so that
the table is the same as if every column had been read as text.

    separator      tab in .tsv; else whichever of , ; tab | stands most evenly in the first lines
    names          the first line, blanks stripped; an empty name becomes column_3; two alike are an error
    quotes         "…" around a field, "" inside for one quote; separators and line breaks may stand inside
    blank lines    skipped; in a file of a single column, a missing cell
    ragged lines   too short or too long, they are an error that names the line
    encoding       UTF-8, with or without a byte order mark; else an error that says how to convert
    NUL bytes      an error in the first megabyte: no text file; later on, a character like others
"""

import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.data.arrays import table_of
from openbook.data.attributes import Numeric
from openbook.data.frames import factorise, polars_columns
from openbook.data.guess import (
    EVERY_NUMBER,
    NO_KNOWN_CELL,
    Decided,
    Wish,
    decide_cells,
    wants_numbers,
    wishes,
)
from openbook.data.lines import (
    Bytes,
    FileBytes,
    columns_of_codes,
    complaint,
    count_separators,
    line_of,
    not_utf8,
    records,
    sniff,
)
from openbook.data.reading import Reading
from openbook.data.table import Table
from openbook.data.written import number
from openbook.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DelimitedFile", "read_delimited"]

Span = tuple[int, int] | None

_HEAD = 1 << 20
_PEEK_ROWS = 256
_BOM = b"\xef\xbb\xbf"
_BROKEN_GUESS = re.compile(r"as dtype `f64`.*\(column number (\d+)\)", re.DOTALL)


def read_delimited(path: Path, how: Reading) -> Table:
    """A table from a CSV or TSV file."""
    file = DelimitedFile.open(path)
    asked = wishes(how.kinds, file.names)
    numeric = file.guess_numeric(asked, how)
    codes = file.columns_of_codes({name for name in numeric if asked.get(name) is None})
    frame, _ = file.frame(numeric - codes, how.missing)
    if not frame.height:
        msg = f"{path} has a header, but no rows"
        raise DataError(msg)
    return table_of([file.explained(column) for column in polars_columns(frame, asked, how, EVERY_NUMBER)])


@dataclass(frozen=True)
class DelimitedFile:
    """A file of separated fields: its separator, its names, and the byte at which its rows start."""

    path: Path
    separator: str
    names: tuple[str, ...]
    start: int
    notes: Mapping[str, str] = field(default_factory=dict)
    unpacked: bytes | None = field(default=None, repr=False)

    @classmethod
    def open(cls, path: Path) -> "DelimitedFile":
        """Look at the first lines of a file."""
        unpacked = _unpack(path) if path.suffix.lower() == ".gz" else None
        head = _head_of(path) if unpacked is None else unpacked[:_HEAD]
        _check_text(path, head)
        body = len(_BOM) if head.startswith(_BOM) else 0
        body += len(head[body:]) - len(head[body:].lstrip(b"\r\n"))
        data = np.frombuffer(head, np.uint8)
        ends = np.concatenate([[body - 1], *(ends for ends, _ in records(data, ",", body))])
        lines = [head[a + 1 : b].decode("utf-8", "replace") for a, b in pairwise(ends[:21])]
        tabs = ".tsv" in [suffix.lower() for suffix in path.suffixes]
        separator = "\t" if tabs else sniff(lines)
        names, notes = _names(path, lines[0], separator)
        return cls(path, separator, names, int(ends[1]) + 1, notes, unpacked)

    def explained(self, column: Decided) -> Decided:
        """The column with a note on its made-up name."""
        note = self.notes.get(column.attribute.name)
        return column._replace(why=f"{note}; {column.why}") if note else column

    def guess_numeric(self, asked: dict[str, Wish], how: Reading) -> frozenset[str]:
        """The columns that look like plain numbers in the first rows, or are asked to be numbers."""
        if how.decimal or how.thousands is not None:  # points may stand between thousands: read as text
            return frozenset()
        missing = how.missing
        first_rows = next(self.spans(_PEEK_ROWS), (self.start, self.start))
        cells = factorise(self.parse(frozenset(), missing, first_rows))
        spaced = any(number(token.strip()) is not None for token in missing if token.strip().lower() != "nan")
        return frozenset(
            name
            for name in self.names
            if not spaced  # a token that is a number is told from ' -999' only in text
            and wants_numbers(asked.get(name))
            and _is_plain(asked.get(name))
            and decide_cells(name, cells[name].cleaned(missing)).why in (EVERY_NUMBER, NO_KNOWN_CELL)
        )

    def spans(self, chunk_rows: int) -> Iterator[tuple[int, int]]:
        """Ranges of bytes that hold so many records each."""
        begin, seen = self.start, 0
        data = FileBytes(self.path) if self.unpacked is None else self.content()
        for ends, _ in records(data, self.separator, self.start):
            for end in ends[chunk_rows - 1 - seen % chunk_rows :: chunk_rows]:
                yield begin, int(end) + 1
                begin = int(end) + 1
            seen += len(ends)
        if begin < len(data):
            yield begin, len(data)

    def frame(
        self, numeric: frozenset[str], missing: Collection[str], span: Span = None
    ) -> "tuple[pl.DataFrame, frozenset[str]]":
        """The rows, with those columns as numbers that turn out to hold numbers only.

        Polars looks out for missing tokens only once one is met among the numbers: looking out takes time.
        """
        tokens: Collection[str] = ()
        while True:
            try:
                return self.parse(numeric, tokens, span), numeric
            except _BrokenGuess as broken:
                if tokens:
                    numeric -= {self.names[broken.position]}
                tokens = missing or ("",)

    def parse(self, numeric: AbstractSet[str], missing: Collection[str], span: Span = None) -> "pl.DataFrame":
        """The rows of the file, or of a span of its bytes, as numbers and texts."""
        import polars as pl

        dtypes = [pl.Float64 if name in numeric else pl.String for name in self.names]
        gaps = [token for token in missing if token]
        try:
            source, header = self._source(span)
            schema = dict(zip(header, dtypes, strict=True))
            frame = pl.read_csv(source, separator=self.separator, schema=schema, null_values=gaps)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise self._error(str(error), numeric, span) from None
        frame.columns = list(self.names)
        if frame.width > 1 and frame[:, -1].null_count():
            return self._without_blank_lines(frame, span)
        return frame

    def _source(self, span: Span) -> tuple[Any, list[str]]:
        """What polars reads, and the names that it sees there, which need not be ours."""
        import polars as pl

        if span is None and self.unpacked is None:
            header = pl.read_csv(self.path, separator=self.separator, n_rows=0, infer_schema=False).columns
            if len(header) != len(self.names):
                raise _unclear_header(self.path)
            return self.path, header
        header = [f"c{i}" for i in range(len(self.names))]
        return io.BytesIO(self.separator.join(header).encode() + b"\n" + self._slice(span)), header

    def _error(self, message: str, numeric: AbstractSet[str], span: Span) -> Exception:
        found = _BROKEN_GUESS.search(message)
        if found and self.names[int(found[1]) - 1] in numeric:
            return _BrokenGuess(int(found[1]) - 1)
        return DataError(f"{self.path}: {self._complaint(span) or message.partition(chr(10))[0]}")

    def _complaint(self, span: Span) -> str:
        before = line_of(FileBytes(self.path), span[0]) - 1 if span else 0
        start = self.start if span is None else 0
        return complaint(self.content(span), self.separator, len(self.names), start, before)

    def _without_blank_lines(self, frame: "pl.DataFrame", span: Span) -> "pl.DataFrame":
        """Drop the rows of blank lines, refuse short ones: polars fills both with nulls."""
        import polars as pl

        width = len(self.names)
        data, start = self.content(span), self.start if span is None else 0
        if count_separators(data, self.separator, start) == frame.height * (width - 1):
            return frame
        short = np.concatenate([counts < width - 1 for _, counts in records(data, self.separator, start)])
        if reason := self._complaint(span):
            msg = f"{self.path}: {reason}"
            raise DataError(msg)
        return frame.filter(pl.Series(~short[: frame.height]))

    def columns_of_codes(self, among: Collection[str], span: Span = None) -> set[str]:
        """Those of the columns in which some field may start with a zero and a digit, as codes do."""
        if not among:
            return set()
        start = self.start if span is None else 0
        codes = columns_of_codes(self.content(span), self.separator, start)
        return {name for i, name in enumerate(self.names) if i in codes and name in among}

    def content(self, span: Span = None) -> Bytes:
        """The bytes of the file, or of a span; a file's are fetched where they are looked at."""
        if span is None and self.unpacked is None:
            return np.memmap(self.path, np.uint8, mode="r").view(np.ndarray)
        return np.frombuffer(self.unpacked or b"" if span is None else self._slice(span), np.uint8)

    def _slice(self, span: Span) -> bytes:
        if self.unpacked is not None:
            begin, end = span or (self.start, len(self.unpacked))
            return self.unpacked[begin:end]
        assert span is not None
        with self.path.open("rb") as handle:
            handle.seek(span[0])
            return handle.read(span[1] - span[0])


def _is_plain(wish: Wish) -> bool:
    return not isinstance(wish, Numeric) or wish.is_plain


def _names(path: Path, line: str, separator: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The names in the header, and a note on each that is made up."""
    try:
        fields, *rest = csv.reader(io.StringIO(line, newline=""), delimiter=separator)
    except csv.Error as error:
        msg = f"{path}: the header cannot be read ({error})"
        raise DataError(msg) from None
    if rest:
        raise _unclear_header(path)
    names = [field.strip() or f"column_{i}" for i, field in enumerate(fields, start=1)]
    if twice := next((name for name, count in Counter(names).items() if count > 1), None):
        msg = f"{path}: two columns are called {twice!r}; rename one of them"
        raise DataError(msg)
    unnamed = (i for i, field in enumerate(fields, start=1) if not field.strip())
    return tuple(names), {f"column_{i}": f"column {i} has no name in the file" for i in unnamed}


def _unclear_header(path: Path) -> DataError:
    return DataError(f"{path}: the names in the header cannot be separated; check its quotes and line ends")


class _BrokenGuess(Exception):  # noqa: N818 (a signal between two methods)
    """A column that was to be numbers holds something else."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def _head_of(path: Path) -> bytes:
    with path.open("rb") as handle:
        return handle.read(_HEAD)


def _unpack(path: Path) -> bytes:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, gzip.zlib.error) as error:  # type: ignore[attr-defined]
        msg = f"{path} is not a gzip file, or is damaged ({error})"
        raise DataError(msg) from None


def _check_text(path: Path, head: bytes) -> None:
    if not head.removeprefix(_BOM).strip():
        msg = f"{path} is empty"
        raise DataError(msg)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        start = head[:2].hex(" ")
        msg = (
            f"{path} is UTF-16 (its first bytes are {start}); convert it: iconv -f UTF-16 -t UTF-8 old > new"
        )
        raise DataError(msg)
    if b"\0" in head:
        msg = f"{path} is not a text file: byte {head.index(0):,} is NUL"
        raise DataError(msg)
    if b"\n" not in head and b"\r" in head:
        msg = f"{path} has carriage returns as line ends; convert it: tr '\\r' '\\n' < old > new"
        raise DataError(msg)
    line = head.partition(b"\n")[0]
    if reason := not_utf8(np.frombuffer(line, np.uint8)):
        msg = f"{path}: {reason}"
        raise DataError(msg)
