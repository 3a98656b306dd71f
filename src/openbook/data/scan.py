"""`scan`: files larger than memory, piece by piece.

One pass decides the kinds and gathers the values of nominal columns, as `read` would, a piece at a time. What
stays is a schema and a list of pieces: small records of a file and a position in it, which any process on any
machine that sees the file can load by itself.

    Parquet     whole row groups, as many as fit into `chunk_rows` rows (at least one); numbers are not read
    CSV, TSV    ranges of bytes that hold `chunk_rows` lines
    documents   some text files of a folder (`documents.py`)

A piece refuses to load from a file that has changed since the scan. All files must have the same columns. A
file at an address in object storage is read from a copy (`remote.py`).
"""

import glob
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from openbook.data.arrays import check_size
from openbook.data.attributes import Attribute, Categorical
from openbook.data.delimited import DelimitedFile, long_numbers
from openbook.data.documents import DocumentPiece, document_pieces, holds_documents
from openbook.data.files import check_file, format_of
from openbook.data.frames import (
    decide_typed,
    may_be_long,
    needs_cells,
    polars_cells,
    polars_columns,
    spelled_out,
)
from openbook.data.guess import (
    EVERY_NUMBER,
    NO_KNOWN_CELL,
    KindTally,
    RequestedKind,
    decide_kind,
    decide_numbers,
    may_stay_numeric,
    requested_kinds,
)
from openbook.data.parquet import ParquetFile
from openbook.data.reading import MISSING_TOKENS, SCANNED, Kinds, Reading
from openbook.data.remote import found_at, is_address, local_copy, remote_stamp
from openbook.data.schema import Schema, one_by_one
from openbook.data.table import CHUNK_ROWS, Table
from openbook.errors import DataError

if TYPE_CHECKING:
    import polars as pl

File = DelimitedFile | ParquetFile
#: The options of `read` that `scan` has, too.
SCANNED_WITH = frozenset(("missing", "missing_in", "header", "decimal", "thousands"))
Span = tuple[int, int]
Array = npt.NDArray[Any]


def scan(
    source: Any,
    kinds: Kinds = None,
    *,
    missing: Collection[str] = MISSING_TOKENS,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing_in: Mapping[str, Collection[str]] | None = None,
    chunk_rows: int = CHUNK_ROWS,
) -> "Scan":
    r"""Look through files without holding them.

    Parameters
    ----------
    source : path or list of paths
        A path, a pattern such as "sales-*.parquet", or a list of paths of Parquet, CSV or TSV files. The rows
        follow one another in the order of the file names, or of the list. A folder of text files is a table
        of documents. A path can be an address that
        fsspec knows, such as "s3://bucket/sales-*.parquet".
    kinds : str, mapping or None, default=None
        Overrules the guess: one kind for all columns, or a kind for some columns, by name.
    missing : collection of str, default=("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
        Texts that mean a missing value.
    header : bool or None, default=None
        Whether the first line has the names of the columns; by default found out.
    decimal, thousands : str or None, default=None
        As in `read`.
    missing_in : mapping of str to collection of str, or None, default=None
        Texts that mean a missing value in some columns only, by name.
    chunk_rows : int, default=65536
        About how many rows a piece has.

    Returns
    -------
    Scan

    Notes
    -----
    Guide: docs/guide/scale.md

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "days.csv")
    ...     _ = path.write_text("outlook,humidity\nsunny,85\nrain,70\n")
    ...     print(len(scan(path)))
    2
    """
    if not isinstance(chunk_rows, int) or chunk_rows < 1:
        raise DataError(f"chunk_rows must be a whole number of at least 1, got {chunk_rows!r}")
    how = Reading(kinds, tuple(missing), header, decimal, thousands, missing_in=missing_in or {})
    if isinstance(source, str | os.PathLike) and holds_documents(Path(source)):
        documents = document_pieces(Path(source), how, chunk_rows)
        return Scan(documents[0].schema, documents, documents[0].load().why)
    addresses = _addresses(source)
    files = [_open(path, how) for path in (list(addresses) or _paths(source))]
    for file in files[1:]:
        _check_alike(files[0], file)
    asked = requested_kinds(how.kinds, files[0].names)
    first = files[0]
    numeric = frozenset(first.names)
    if isinstance(first, DelimitedFile):
        how, numeric = first.first_look(asked, how)
    while True:
        search = _Search(files[0].names, asked, how, numeric, addresses)
        try:
            for file in files:
                search.look_through(file, chunk_rows)
            return search.result()
        except _NotNumbers as found:
            numeric -= found.args[0]


@dataclass(frozen=True)
class FilePiece:
    r"""Some rows of a file, still to be loaded.

    Attributes
    ----------
    file : File
        The file.
    span : Span
        The first row group and the last, or the bytes.
    rows : int
        The number of rows.
    first_row : int
        The position of its first row in all files.
    schema : Schema
        The columns.
    numeric : frozenset of str
        The columns that are read as numbers.
    how : Reading
        How cells are read.
    stamp : tuple of (int, int)
        The size of the file when it was scanned, and its time of change, or a number that changes with it.
    address : str or None, default=None
        The address of the file, if it is on another machine.
    skip : tuple of int, default=()
        Rows of the span that are left out.

    Notes
    -----
    Guide: docs/guide/scale.md

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "days.csv")
    ...     _ = path.write_text("outlook,humidity\nsunny,85\nrain,70\n")
    ...     print(scan(path).pieces[0].load().shape)
    (2, 2)
    """

    file: File
    span: Span
    rows: int
    first_row: int
    schema: Schema
    numeric: frozenset[str]
    how: Reading
    stamp: tuple[int, int]
    address: str | None = None
    skip: tuple[int, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.file.path,)

    def load(self) -> Table:
        """The rows, in the codes of the schema."""
        file = self.file
        if _stamp(file.path, self.address) != self.stamp:
            raise DataError(f"{self.address or file.path} has changed since it was scanned; scan it again")
        if self.address is not None:
            file = replace(file, path=local_copy(self.address, self.stamp))
        if isinstance(file, DelimitedFile):
            frame, _ = file.frame(self.numeric, self.how, self.span)
        else:
            frame = file.frame(self.schema.names, self.span)
        asked: dict[str, RequestedKind] = {attribute.name: attribute for attribute in self.schema}
        columns = polars_columns(frame.select(self.schema.names), asked, self.how)
        table = Table(self.schema, [column.data for column in columns])
        return table.take(np.delete(np.arange(len(table)), self.skip)) if self.skip else table

    def __len__(self) -> int:
        return self.rows - len(self.skip)


Piece = FilePiece | DocumentPiece


@dataclass(frozen=True)
class Scan:
    r"""Files as one table that is never held as a whole.

    Attributes
    ----------
    schema : Schema
        The kinds, with every value of the nominal columns.
    pieces : list of FilePiece or DocumentPiece
        In order; each loads by itself.
    why : mapping of str to str
        Mapping of column name to the reason for its kind.
    notes : tuple of str
        What was lost, renamed or converted when the files were read.

    Notes
    -----
    Guide: docs/guide/scale.md

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "days.csv")
    ...     _ = path.write_text("outlook,humidity\nsunny,85\nrain,70\n")
    ...     print(scan(path).names)
    ('outlook', 'humidity')
    """

    schema: Schema
    pieces: Sequence[Piece]
    why: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.schema)

    def __len__(self) -> int:
        return sum(map(len, self.pieces))

    def chunks(self) -> Iterator[Table]:
        """The pieces, loaded one after the other."""
        return (piece.load() for piece in self.pieces)

    def head(self, rows: int = 5) -> Table:
        """The first rows, as far as the first piece has them.

        Parameters
        ----------
        rows : int, default=5
            How many.

        Returns
        -------
        Table
        """
        return self.pieces[0].load().head(rows)

    def select(self, *names: str | Iterable[str]) -> "Scan":
        """Only these columns.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the columns, one by one or as a list.

        Returns
        -------
        Scan
        """
        schema = self.schema.select(*names)
        why = {name: self.why[name] for name in schema.names}
        return Scan(schema, [replace(piece, schema=schema) for piece in self.pieces], why, self.notes)

    def with_attribute(self, attribute: Attribute) -> "Scan":
        """The same rows, one column in other codes or units.

        Parameters
        ----------
        attribute : Attribute
            The column of that name.

        Returns
        -------
        Scan
        """
        at = self.schema.position(attribute.name)
        attributes = (*self.schema.attributes[:at], attribute, *self.schema.attributes[at + 1 :])
        schema = Schema(attributes, self.schema.named)
        return replace(self, schema=schema, pieces=[replace(piece, schema=schema) for piece in self.pieces])

    def drop(self, *names: str | Iterable[str]) -> "Scan":
        """All columns but these.

        Parameters
        ----------
        *names : str or iterable of str
            The names of the columns, one by one or as a list.

        Returns
        -------
        Scan
        """
        gone = {self.schema[name].name for name in one_by_one(names)}
        return self.select(name for name in self.names if name not in gone)

    def read(self) -> Table:
        """The whole table, for those who have the memory."""
        return self._joined(self.chunks())

    def take(self, rows: Array) -> Table:
        """Some rows, in the order of the files.

        Parameters
        ----------
        rows : array-like of int
            Their positions, each at most once.

        Returns
        -------
        Table
        """
        return self._joined(piece.load().take(own) for piece, own in self._by_piece(rows) if len(own))

    def without(self, rows: Array) -> "Scan":
        """All rows but these.

        Parameters
        ----------
        rows : array-like of int
            Their positions, each at most once.

        Returns
        -------
        Scan
        """
        if any(piece.skip for piece in self.pieces):
            raise DataError("rows of this scan are left out already; leave all of them out at once")
        pieces = [replace(piece, skip=tuple(own.tolist())) for piece, own in self._by_piece(rows)]
        return replace(self, pieces=[piece for piece in pieces if len(piece)])

    def _by_piece(self, rows: Array) -> Iterator[tuple[Piece, Array]]:
        """Each piece, and the positions in it of those of the rows that it holds."""
        ordered, start = np.sort(np.asarray(rows, dtype=np.intp)), 0
        for piece in self.pieces:
            own = slice(*np.searchsorted(ordered, (start, start + len(piece))))
            yield piece, ordered[own] - start
            start += len(piece)

    def _joined(self, tables: Iterable[Table]) -> Table:
        parts = zip(*(table.columns for table in tables), strict=True)
        return Table(self.schema, [np.concatenate(part) for part in parts], why=self.why, notes=self.notes)

    def __repr__(self) -> str:
        files = len({path for piece in self.pieces for path in piece.paths})
        where = "1 file" if files == 1 else f"{files:,} files"
        return (
            f"Scan of {len(self):,} rows, {len(self.schema)} columns: {len(self.pieces):,} pieces of {where}"
        )


class _NotNumbers(Exception):  # noqa: N818 (a signal: start again)
    """The names of columns that are not the plain numbers that the first rows made them look."""


@dataclass
class _Search:
    """One pass over the files: the evidence for each column, and the pieces.

    numeric : columns of delimited files that are read as numbers; known : those of them with a known cell
    typed : of typed columns without cells, what tells their kind
    notes : a set that keeps its order
    """

    names: Sequence[str]
    asked: Mapping[str, RequestedKind]
    how: Reading
    numeric: frozenset[str]
    addresses: Mapping[Path, str]
    tallies: dict[str, KindTally] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    typed: "dict[str, pl.Series]" = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    found: list[tuple[File, Span, int, tuple[int, int]]] = field(default_factory=list)

    def look_through(self, file: File, chunk_rows: int) -> None:
        """Add up the evidence of a file, a piece at a time."""
        stamp = _stamp(file.path, self.addresses.get(file.path))
        for span in file.spans(chunk_rows):
            if isinstance(file, DelimitedFile):
                frame = self._frame_of_numbers(file, span)
                rows = frame.height
                self.notes |= dict.fromkeys(file.notes)
            else:
                frame = self._frame_of_cells(file, span)
                rows = span[1] - span[0]
                self._add_typed(file, file.dtypes.keys() - set(frame.columns), span)
            self._add(frame)
            if rows:
                self.found.append((file, span, rows, stamp))

    def _frame_of_numbers(self, file: DelimitedFile, span: Span) -> "pl.DataFrame":
        frame, held = file.frame(self.numeric, self.how, span)
        guessed = {name for name in held if self.asked.get(name) is None}
        codes = file.columns_of_codes(guessed, span) | long_numbers(frame, guessed)
        if broken := (self.numeric - held) | codes:
            raise _NotNumbers(broken)
        self.known |= {name for name in held if frame[name].is_not_nan().any()}
        return frame

    def _frame_of_cells(self, file: ParquetFile, span: Span) -> "pl.DataFrame":
        """The columns that are read through their texts; whole numbers among them if they are too long."""
        import polars as pl

        wanted = [n for n, t in file.dtypes.items() if needs_cells(n, t, self.asked.get(n), self.how)]
        free = [
            n
            for n, t in file.dtypes.items()
            if may_be_long(t) and self.asked.get(n) is None and n not in wanted
        ]
        frame = file.frame(wanted + free, span)
        spelled = spelled_out(frame, [name for name in free if name in self.numeric])
        if long := {name for name in free if spelled.schema[name] != frame.schema[name]}:
            raise _NotNumbers(frozenset(long))
        texts = [pl.col(name).cast(pl.String) for name in free if name not in self.numeric]
        return frame.select(*wanted, *texts)

    def _add_typed(self, file: ParquetFile, names: AbstractSet[str], span: Span) -> None:
        """Keep the type of columns, and of dates one that is not the first of a month, or else all."""
        import polars as pl

        for name in names - self.typed.keys():
            self.typed[name] = pl.Series(name, [], file.dtypes[name])
        dated = [name for name in names if file.dtypes[name] in (pl.Date, pl.Datetime)]
        for series in file.frame(dated, span) if dated else ():
            days = self.typed[series.name].append(series).drop_nulls().unique()
            others = days.filter(days.dt.truncate("1mo") != days).head(1)
            self.typed[series.name] = others if len(others) else days

    def _add(self, frame: "pl.DataFrame") -> None:
        offset = sum(rows for _, _, rows, _ in self.found)
        for name, cells in polars_cells(frame, self.asked, self.how, offset).items():
            requested = self.asked.get(name)
            whole = isinstance(requested, type) and issubclass(requested, Categorical)
            self.tallies.setdefault(name, KindTally(self.how, all_values=whole)).add(cells)
            if isinstance(requested, Attribute):
                cells.encoded(requested)  # raises where a cell cannot be what is asked

    def result(self) -> Scan:
        """The schema that the evidence speaks for, and the pieces in it."""
        check_size(len(self.found), len(self.names))
        judged = [self._kind_of(name) for name in self.names]
        schema = Schema(tuple(attribute for attribute, _ in judged))
        schema.select(self.how.missing_in)  # an error where there is no such column
        pieces, row = [], 0
        for file, span, rows, stamp in self.found:
            address = self.addresses.get(file.path)
            pieces.append(FilePiece(file, span, rows, row, schema, self.numeric, self.how, stamp, address))
            row += rows
        changes = [self.tallies[a.name].note(a) for a, _ in judged if a.name in self.tallies]
        notes = (*self.notes, *filter(None, changes))
        return Scan(schema, pieces, {attribute.name: why for attribute, why in judged}, notes)

    def _kind_of(self, name: str) -> tuple[Attribute, str]:
        requested = self.asked.get(name)
        if name in self.tallies:
            return decide_kind(name, self.tallies[name], requested)
        if name not in self.typed:
            plain = EVERY_NUMBER if name in self.known else NO_KNOWN_CELL
            decided = decide_numbers(name, np.empty(0), requested, plain)
        elif may_stay_numeric(requested):
            decided = decide_typed(self.typed[name], requested, "numbers")
        else:
            found = self.typed[name].dtype
            raise DataError(
                f"column {name!r} holds {found}; to change its kind, read the files, not scan them"
            )
        return decided.attribute, decided.why


def size_on_disk(source: Any) -> int:
    """The bytes of the files that a scan of this source would look through; 0 if it cannot be scanned."""
    if is_address(source) or not (Path(source).exists() or glob.has_magic(os.fspath(source))):
        return 0
    if holds_documents(Path(source)):
        return 0
    paths = _paths(source)
    return (
        sum(path.stat().st_size for path in paths) if all(p.suffix.lower() in SCANNED for p in paths) else 0
    )


def _addresses(source: Any) -> dict[Path, str]:
    """The addresses of files that are not on this machine, by their copies here; none where there is none."""
    sources = source if isinstance(source, list | tuple) else [source]
    remote = [each for each in sources if is_address(each)]
    if not remote:
        return {}
    if len(remote) < len(sources):
        raise DataError("scan takes paths or addresses, not both at once; copy the files to one place")
    found = [address for each in remote for address in found_at(each)]
    return {local_copy(address, remote_stamp(address)): address for address in found}


def _paths(source: Any) -> list[Path]:
    sources = source if isinstance(source, list | tuple) else [source]
    if odd := [each for each in sources if not isinstance(each, str | os.PathLike)]:
        raise DataError(
            f"scan takes paths of files, got a {type(odd[0]).__name__}; use read for what is in memory"
        )
    if isinstance(source, list | tuple):
        paths = [Path(path) for path in source]
    elif glob.has_magic(os.fspath(source)) and not Path(source).exists():
        paths = [Path(path) for path in sorted(glob.glob(os.fspath(source), recursive=True))]  # noqa: PTH207
    elif Path(source).is_dir():
        paths = sorted(path for path in Path(source).iterdir() if path.suffix.lower() in SCANNED)
    else:
        paths = [Path(source)]
    if not paths:
        msg = f"no file matches {str(source)!r}; a folder may hold files that end in {' '.join(SCANNED)}"
        raise DataError(msg)
    return [check_file(path).absolute() for path in paths]


def _open(path: Path, how: Reading) -> File:
    kind = format_of(path)
    if kind == ".parquet":
        return ParquetFile.open(path)
    if path.suffix.lower() in SCANNED:
        return DelimitedFile.open(path, how)
    msg = f"{path}: only Parquet, CSV and TSV files can be scanned; use read, or convert it to Parquet"
    raise DataError(msg)


def _check_alike(first: File, other: File) -> None:
    """Refuse files that do not hold the same columns."""
    if type(first) is not type(other):
        raise DataError(f"{first.path} and {other.path} are of different formats; scan one format at a time")
    for a, b in ((first, other), (other, first)):
        if absent := next((name for name in a.names if name not in b.names), None):
            documents = b.path.suffix.lower() == ".txt"  # whose first lines are not columns
            hint = f"If these are documents, name their folder: {b.path.parent}"
            hint = f". {hint}" if documents else "; add it there, or leave that file out"
            raise DataError(f"{b.path} has no column {absent[:60]!r}, which {a.path} has{hint}")
    if isinstance(first, ParquetFile) and isinstance(other, ParquetFile):
        for name, dtype in first.dtypes.items():
            if other.dtypes[name] != dtype and not (dtype.is_numeric() and other.dtypes[name].is_numeric()):
                msg = f"column {name!r} is {dtype} in {first.path}, but {other.dtypes[name]} in {other.path}"
                raise DataError(msg)


def _stamp(path: Path, address: str | None) -> tuple[int, int]:
    """Size and time of change, by which a change of the file is noticed."""
    if address is not None:
        return remote_stamp(address)
    try:
        status = path.stat()
    except OSError as error:
        raise DataError(f"{path} can no longer be opened ({error.strerror})") from None
    return status.st_size, status.st_mtime_ns
