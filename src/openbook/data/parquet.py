"""Parquet files, read by whole row groups.

Polars decodes the columns. What it does not say, or takes on trust, is read here from the footer and the page
headers (see `openbook.data.thrift` for their encoding), whose fields are, by number:

    FileMetaData    4 row groups
    RowGroup        1 column chunks, 3 rows
    ColumnChunk     3 metadata: 5 values, 7 compressed size, 9 first data page, 11 dictionary page
    PageHeader      2 size, 3 compressed size, 5 / 7 / 8 header of a data / dictionary / data page: 1 values

A damaged count in a page header would make polars ask for more memory than there is, which ends the whole
process; so the headers are checked once, when a file is opened.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from openbook.data.thrift import Cursor
from openbook.errors import DataError

if TYPE_CHECKING:
    import polars as pl

_MAGIC = b"PAR1"
_MOST_ROWS = 1 << 32
_HEADER_READS = (1 << 12, 1 << 24)  # a page header is short, unless its statistics are long


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file: the types of its columns, and how many rows each row group has."""

    path: Path
    dtypes: "Mapping[str, pl.DataType]" = field(repr=False)
    groups: tuple[int, ...] = ()

    @classmethod
    def open(cls, path: Path) -> "ParquetFile":
        """Look at the footer and the page headers of a file."""
        import polars as pl

        try:
            return cls(path, dict(pl.read_parquet_schema(path)), tuple(_checked_groups(path)))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise _not_parquet(path, str(error)) from None
        except (LookupError, TypeError, ValueError):
            raise _not_parquet(path, "its footer or a page header cannot be read") from None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.dtypes)

    def spans(self, chunk_rows: int) -> Iterator[tuple[int, int]]:
        """Ranges of rows: whole row groups, as many as fit into `chunk_rows` rows, but at least one."""
        begin = end = 0
        for rows in self.groups:
            if end > begin and end + rows - begin > chunk_rows:
                yield begin, end
                begin = end
            end += rows
        if end > begin:
            yield begin, end

    def frame(self, names: Sequence[str], span: tuple[int, int] | None = None) -> "pl.DataFrame":
        """These columns, of all rows or of a range."""
        import polars as pl

        try:
            rows = pl.scan_parquet(self.path).select(names)
            return (rows if span is None else rows.slice(span[0], span[1] - span[0])).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise _not_parquet(self.path, str(error)) from None


def _not_parquet(path: Path, reason: str) -> DataError:
    return DataError(f"{path} is not a Parquet file, or is damaged ({reason.partition(chr(10))[0]})")


def _checked_groups(path: Path) -> Iterator[int]:
    """The rows of each row group, after a look at the header of each of its pages."""
    with path.open("rb") as handle:
        size = handle.seek(0, 2)
        handle.seek(max(size - 8, 0))
        tail = handle.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or length + 12 > size:
            raise ValueError(tail)
        handle.seek(size - 8 - length)
        for group in Cursor(handle.read(length)).struct()[4]:
            rows = _within(group[3], _MOST_ROWS)
            for chunk in group[1]:
                _check_pages(handle, chunk[3], size)
            yield rows


def _check_pages(handle: BinaryIO, chunk: Mapping[int, Any], size: int) -> None:
    """Walk over the pages of a column chunk; raise where a count or a size cannot be."""
    values = _within(chunk[5], _MOST_ROWS)
    at = min(chunk[9], chunk.get(11) or chunk[9])
    end = _within(at + chunk[7], size)
    while _within(at, end) < end:
        header, length = _page_header(handle, at)
        _within(header[2], 1 << 31)
        for kind in (5, 7, 8):
            _within(header.get(kind, {1: 0})[1], values)
        at += length + _within(header[3], end)


def _page_header(handle: BinaryIO, at: int) -> tuple[dict[int, Any], int]:
    for length in _HEADER_READS:
        handle.seek(at)
        cursor = Cursor(handle.read(length))
        try:
            return cursor.struct(), cursor.at
        except IndexError:
            continue
    raise IndexError(at)


def _within(number: int, most: int) -> int:
    if not 0 <= number <= most:
        raise ValueError(number)
    return number
