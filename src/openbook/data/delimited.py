r"""CSV and TSV at polars' speed, with our own rules for the kinds.

The first rows are read as text to guess which columns are numbers; one typed pass then reads the file.
Where a later cell breaks the guess, its column is read as text after all and decided as a whole, so that
the table is the same as if every column had been read as text. The first rows also show the decimal sign of
the file, see `openbook.data.written_numbers`.

    separator      tab in .tsv; else whichever of , ; tab | stands most evenly in the first lines; else blanks
                   that part all lines alike, if some field holds numbers: single ones or, as in columns of
                   the same width, any number of them and of tabs
    titles         lines above the header that have few fields, or start with # as comments do, are left out,
                   see `titles_above`; so is a line such as sep=; which says what the separator is
    names          the first line, blanks stripped; an empty name becomes column_3, a second x there x_3
    row names      R's tables with row names have no name for the first column: see `missing_first_name`
    no names       inferred (see `_is_data`), or given by header=False: column_1, column_2, …
    quotes         "…" around a field, "" or \" inside for one; separators and line breaks may stand inside
    blank lines    skipped; in a file of a single column, a missing cell
    ragged lines   too short or too long, they are an error that names the line
    encoding       UTF-8, with or without a byte order mark, or what is given: see `openbook.data.packed`
    NUL bytes      an error in the first megabyte: no text file; later on, a character like others
"""

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.data.arrays import table_of
from openbook.data.attributes import Numeric
from openbook.data.dates import DateEvidence, number_of_cell
from openbook.data.distinct import is_exact
from openbook.data.frames import factorise, polars_columns
from openbook.data.guess import (
    EVERY_NUMBER,
    NO_KNOWN_CELL,
    KindTally,
    RequestedKind,
    decide_kind,
    may_stay_numeric,
    requested_kinds,
)
from openbook.data.lines import (
    Bytes,
    FileBytes,
    Positions,
    bare_fields,
    columns_of_codes,
    complaint,
    count_separators,
    has_escapes,
    in_columns,
    line_of,
    missing_first_name,
    not_utf8,
    records,
    sniff,
    with_doubled_quotes,
    with_tabs,
)
from openbook.data.names import distinct_names, note_of_titles, remarks_above, titles_above
from openbook.data.packed import inner_name, text_bytes
from openbook.data.reading import STARTS, Reading
from openbook.data.table import Table
from openbook.data.written_numbers import NumberEvidence, number_of_text
from openbook.errors import DataError

if TYPE_CHECKING:
    import polars as pl

Span = tuple[int, int] | None

_HEAD = 1 << 20
_PEEK_ROWS = 256
_SNIFFED_LINES, _FEWEST_ROWS = 20, 3
_BOM = b"\xef\xbb\xbf"
_WEB_PAGE = (b"<!doctype", b"<html")
_NO_HEADER = (
    "the first line is read as a row, since it looks like the others, and columns are called column_1,"
    " column_2, …; if it is the header, read with header=True"
)


_ESCAPED = "quotes inside fields have a backslash before them, which is left out"


def read_delimited(path: Path, how: Reading) -> Table:
    """A table from a CSV or TSV file."""
    file = DelimitedFile.open(path, how)
    asked = requested_kinds(how.kinds, file.names)
    how, numeric = file.first_look(asked, how)
    guessed = frozenset(name for name in numeric if asked.get(name) is None)
    frame, numeric = file.frame(numeric - file.columns_of_codes(guessed), how)
    if not frame.height:
        raise DataError(f"{path} has a header, but no rows")
    if long := long_numbers(frame, guessed & numeric):
        frame, _ = file.frame(numeric - long, how)
    return table_of(polars_columns(frame, asked, how, EVERY_NUMBER), notes=file.notes)


def long_numbers(frame: "pl.DataFrame", among: Collection[str]) -> frozenset[str]:
    """Columns with numbers so large that their last digits may be lost: their texts have to be looked at."""
    return frozenset(name for name in among if frame.height and not is_exact(frame[name].to_numpy()))


@dataclass(frozen=True)
class DelimitedFile:
    """A file of separated fields: its separator, its names, and the byte at which its rows start."""

    path: Path
    separator: str
    names: tuple[str, ...]
    start: int
    header: bool = True
    titles: int = 0
    notes: tuple[str, ...] = ()
    unpacked: bytes | None = field(default=None, repr=False)

    @classmethod
    def open(cls, path: Path, how: Reading) -> "DelimitedFile":
        """Look at the first lines of a file."""
        unpacked, escaped = _without_escapes(path, text_bytes(path, how))
        ends, lines = _first_lines(path, unpacked)
        if how.header is not False and (blank := missing_first_name(lines)):
            text, start = path.read_bytes() if unpacked is None else unpacked, int(ends[0]) + 1
            unpacked = text[:start] + blank.encode() + text[start:]
            ends, lines = _first_lines(path, unpacked)
        declared, above = remarks_above(lines)
        lines = lines[len(above) :]
        tabs = inner_name(path).lower().endswith(".tsv")
        tabs = tabs and not declared and any("\t" in line for line in lines)
        blanks = not (tabs or declared) and in_columns(lines)
        if blanks and sniff(lines[:_SNIFFED_LINES]) != " ":
            unpacked, tabs = with_tabs(path.read_bytes() if unpacked is None else unpacked), True
            ends, lines = _first_lines(path, unpacked)
            lines = lines[len(above) :]
        if not (tabs or declared):
            titles = _titles(path, lines, how)
            above, lines = above + titles, lines[len(titles) :]
        separator = declared or ("\t" if tabs else sniff(lines[:_SNIFFED_LINES]))
        fields, *rest = _rows_of(path, lines[0], separator)
        if rest:
            raise _unclear_header(path)
        below = [row for line in lines[1:-1] if line.strip() for row in _rows_of(path, line, separator)]
        header = how.header
        if header is None:
            header = not _is_data(fields, [row for row in below if len(row) == len(fields)], how)
        parted = (
            *note_of_titles(above),
            *["fields are separated by blanks"] * (blanks or separator == " "),
            *[_ESCAPED] * escaped,
        )
        if header:
            names, notes = distinct_names(fields)
        else:
            names = tuple(f"column_{i}" for i in range(1, len(fields) + 1))
            notes = (_NO_HEADER,) if how.header is None else ()
        start = int(ends[len(above) + header]) + 1
        return cls(path, separator, names, start, header, len(above), notes + parted, unpacked)

    def first_look(self, asked: dict[str, RequestedKind], how: Reading) -> tuple[Reading, frozenset[str]]:
        """The options, with the decimal sign that the first rows show; and the columns of plain numbers.

        These look like plain numbers in the first rows. Where points may stand between thousands, there are
        none: all are read as texts.
        """
        if how.decimal or how.thousands is not None:
            return how, frozenset()
        first_rows = next(self.spans(_PEEK_ROWS), (self.start, self.start))
        cells = factorise(self.parse(frozenset(), how.gaps, first_rows))
        tallies = {name: KindTally() for name in self.names if may_stay_numeric(asked.get(name))}
        for name, tally in tallies.items():
            tally.add(cells[name].cleaned(how))
        signs = {tally.numbers.decimal for tally in tallies.values()} - {None}
        if len(signs) == 1:
            how = replace(how, decimal_elsewhere=signs.pop())
        if how.decimal_elsewhere == "," or how.gap_numbers:  # -999 is missing however it is written
            return how, frozenset()
        return how, frozenset(
            name
            for name, tally in tallies.items()
            if name not in how.missing_in
            and _is_plain(asked.get(name))
            and decide_kind(name, tally)[1] in (EVERY_NUMBER, NO_KNOWN_CELL)
        )

    def spans(self, chunk_rows: int) -> Iterator[tuple[int, int]]:
        """Ranges of bytes that hold `chunk_rows` records each."""
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
        self, numeric: frozenset[str], how: Reading, span: Span = None
    ) -> "tuple[pl.DataFrame, frozenset[str]]":
        """The rows, with those columns as numbers that turn out to hold numbers only.

        Polars looks out for missing tokens only once a cell is no number: looking out takes time. Where that
        does not help, all is read as text, to see which columns hold something else.
        """
        import polars as pl

        for tokens in ((), how.gaps):
            try:
                return self.parse(numeric, tokens, span), numeric
            except _BrokenGuess:
                continue
        texts = self.parse(frozenset(), how.gaps, span)
        numbers = texts.select(
            pl.col(sorted(numeric)).str.strip_chars_start(" ").cast(pl.Float64, strict=False)
        )
        held = [
            name
            for name in numbers.columns
            if not (numbers[name].is_null() & (texts[name] != "").fill_null(value=False)).any()
        ]
        return texts.with_columns(numbers.select(held)), frozenset(held)

    def parse(self, numeric: AbstractSet[str], missing: Collection[str], span: Span = None) -> "pl.DataFrame":
        """The rows of the file, or of a span of its bytes, as numbers and texts."""
        import polars as pl

        dtypes = [pl.Float64 if name in numeric else pl.String for name in self.names]
        gaps = [token for token in missing if token]
        try:
            source, header = self._source(span)
            schema = dict(zip(header, dtypes, strict=True))
            frame = pl.read_csv(
                source, separator=self.separator, schema=schema, null_values=gaps, has_header=self.header
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            if numeric:
                raise _BrokenGuess from None
            reason = str(error).partition("\n")[0]
            raise DataError(f"{self.path}: {self._complaint(span) or reason}") from None
        frame.columns = list(self.names)
        if frame.width > 1 and frame[:, -1].null_count():
            return self._without_blank_lines(frame, span)
        return frame

    def _source(self, span: Span) -> tuple[Any, list[str]]:
        """What polars reads, and the names that it sees there, which need not be ours."""
        import polars as pl

        if span is None and self.unpacked is None and self.header and not self.titles:
            header = pl.read_csv(self.path, separator=self.separator, n_rows=0, infer_schema=False).columns
            if len(header) != len(self.names):
                raise _unclear_header(self.path)
            return self.path, header
        header = [f"c{i}" for i in range(len(self.names))]
        top = self.separator.join(header).encode() + b"\n" if self.header else b""
        return io.BytesIO(top + self._slice(span)), header

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
            raise DataError(f"{self.path}: {reason}")
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
        begin, end = span or (self.start, None)
        if self.unpacked is not None:
            return self.unpacked[begin:end]
        with self.path.open("rb") as handle:
            handle.seek(begin)
            return handle.read(-1 if end is None else end - begin)


def _is_plain(requested: RequestedKind) -> bool:
    return not isinstance(requested, Numeric) or requested.is_plain


def _rows_of(path: Path, line: str, separator: str) -> list[list[str]]:
    """The fields of a line; of several, if its quotes or line ends are at odds."""
    try:
        rows = list(csv.reader(io.StringIO(line, newline=""), delimiter=separator))
    except csv.Error as error:
        raise DataError(f"{path}: the first lines cannot be read ({error})") from None
    return [[field.strip() for field in row] for row in rows]


def _titles(path: Path, lines: Sequence[str], how: Reading) -> list[list[str]]:
    """The fields of the lines above the header; none where the first line is known to be a row."""
    last = [line for line in lines[:_SNIFFED_LINES] if line.strip()][::-1]  # below the titles
    if how.header is False or not last:
        return []
    separator = sniff(last[: max(_FEWEST_ROWS, len(last) // 2)])  # commas in titles do not count
    titles = titles_above([bare_fields(line, separator) for line in lines[:_SNIFFED_LINES]])
    return [_rows_of(path, line, separator)[0] if line.strip() else [] for line in lines[:titles]]


def _is_data(first: Sequence[str], below: Sequence[Sequence[str]], how: Reading) -> bool:
    """Whether the first line is a row like those below it, not a header.

    It is, if every column of numbers or dates has one there, unless these are plain numbers that count up, as
    names that are years do; and if most other cells occur again below.
    """
    if not below:
        return False
    columns = [[cell for cell in column if cell not in how.missing] for column in zip(*below, strict=True)]
    plain = [bool(column) and all(number_of_text(cell) is not None for cell in column) for column in columns]
    numbers = [number_of_text(cell) for cell, kind in zip(first, plain, strict=True) if kind]
    others = [
        (cell, column, _as_people_write(column, how))
        for cell, column, kind in zip(first, columns, plain, strict=True)
        if not kind
    ]
    written = [number_of_cell(cell, attribute) for cell, _, attribute in others if attribute is not None]
    if None in numbers or None in written:
        return False
    steps = {b - a for a, b in pairwise(numbers)}  # type: ignore[operator]
    if not written and (steps == {1.0} or (len(numbers) > 2 and len(steps - {0.0}) == 1)):
        return False
    again = [cell in column for cell, column, attribute in others if attribute is None]
    if not numbers and not written:
        return len(again) > 1 and all(again)
    return 2 * sum(again) >= len(again)


def _as_people_write(column: Iterable[str], how: Reading) -> Numeric | None:
    """The kind of numbers or dates that all cells of a column are; None if there is none."""
    for evidence in (NumberEvidence(how.decimal, how.thousands), DateEvidence()):
        evidence.add(column)
        if (attribute := evidence.attribute("")) is not None:
            return attribute
    return None


def _unclear_header(path: Path) -> DataError:
    return DataError(f"{path}: the names in the header cannot be separated; check its quotes and line ends")


class _BrokenGuess(Exception):  # noqa: N818 (a signal between two methods)
    """Polars could not read the columns that were to be numbers; whatever it says, text is tried next."""


def _without_escapes(path: Path, unpacked: bytes | None) -> tuple[bytes | None, bool]:
    """The text of a file in which quotes inside fields are doubled, and whether backslashes stood there."""
    if not has_escapes(_head_of(path, _HEAD) if unpacked is None else unpacked[:_HEAD]):
        return unpacked, False
    return with_doubled_quotes(path.read_bytes() if unpacked is None else unpacked), True


def _first_lines(path: Path, unpacked: bytes | None) -> tuple[Positions, list[str]]:
    """Where the first records end (first, the byte before them), and those."""
    ends, head = _first_records(path, unpacked)
    pairs = pairwise(ends[: _PEEK_ROWS + 2])
    return ends, [head[a + 1 : b].decode("utf-8", "replace") for a, b in pairs]


def _first_records(path: Path, unpacked: bytes | None) -> tuple[Positions, bytes]:
    """Where the first records end (first, the byte before the text), and the bytes so far.

    As much is looked at as the first line takes.
    """
    size = path.stat().st_size if unpacked is None else len(unpacked)
    length = _HEAD
    while True:
        head = _head_of(path, length) if unpacked is None else unpacked[:length]
        _check_text(path, head)
        body = len(_BOM) if head.startswith(_BOM) else 0
        body += len(head[body:]) - len(head[body:].lstrip(b"\r\n"))
        data = np.frombuffer(head, np.uint8)
        ends = np.concatenate([[body - 1], *(ends for ends, _ in records(data, ",", body))])
        if length >= size or ends[1] < len(head):
            return ends, head
        length *= 16


def _head_of(path: Path, length: int) -> bytes:
    with path.open("rb") as handle:
        return handle.read(length)


def _check_text(path: Path, head: bytes) -> None:
    if not head.removeprefix(_BOM).strip():
        raise DataError(f"{path} is empty")
    if b"\0" in head:
        like = next((suffix for start, suffix in STARTS if head.startswith(start)), "")
        hint = f"; it starts as a {like} file does: rename it" if like else ""
        raise DataError(f"{path} is not a text file: byte {head.index(0):,} is NUL{hint}")
    if head.removeprefix(_BOM).lstrip()[:9].lower().startswith(_WEB_PAGE):
        raise DataError(f"{path} holds a web page, not a table; download the file that the page offers")
    if b"\n" not in head and b"\r" in head:
        raise DataError(f"{path} has carriage returns as line ends; convert it: tr '\\r' '\\n' < old > new")
    line = head.partition(b"\n")[0]
    if reason := not_utf8(np.frombuffer(line, np.uint8)):
        raise DataError(f"{path}: {reason}")
