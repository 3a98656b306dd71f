"""Parquet files, read by whole row groups; the sizes of the groups come from the file's footer.

The footer is Thrift's compact protocol: a struct is a run of (field, type, value) that ends with a zero byte.
Only two fields matter here, so everything else is skipped:

    FileMetaData.row_groups = field 4, a list of RowGroup
    RowGroup.num_rows       = field 3, an integer

A worker that knows which rows a group holds fetches that group and no other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from openbook.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ParquetFile", "row_groups"]

_MAGIC = b"PAR1"
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
_INTEGERS = (_I16, _I32, _I64)
_FIXED = {_TRUE: 0, _FALSE: 0, _BYTE: 1, _DOUBLE: 8}
_DEEPEST = 32


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file and the types of its columns."""

    path: Path
    dtypes: "Mapping[str, pl.DataType]" = field(repr=False)

    @classmethod
    def open(cls, path: Path) -> "ParquetFile":
        import polars as pl

        try:
            return cls(path, dict(pl.read_parquet_schema(path)))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise not_parquet(path, error) from None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.dtypes)

    def spans(self, chunk_rows: int) -> Iterator[tuple[int, int]]:
        """Ranges of rows: whole row groups, as many as fit into so many rows, but at least one."""
        begin = end = 0
        for rows in row_groups(self.path):
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
            raise not_parquet(self.path, error) from None


def not_parquet(path: Path, error: BaseException) -> DataError:
    reason = str(error).partition("\n")[0]
    return DataError(f"{path} is not a Parquet file, or is damaged ({reason})")


def row_groups(path: Path) -> list[int]:
    """How many rows each row group has."""
    with path.open("rb") as handle:
        size = handle.seek(0, 2)
        handle.seek(max(size - 8, 0))
        tail = handle.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or length + 12 > size:
            msg = f"{path} is not a Parquet file, or is damaged: its end lacks the mark PAR1"
            raise DataError(msg)
        handle.seek(size - 8 - length)
        footer = _Footer(handle.read(length))
    try:
        return list(footer.row_groups())
    except (LookupError, ValueError):
        msg = f"{path} is not a Parquet file, or is damaged: its footer cannot be read"
        raise DataError(msg) from None


class _Footer:
    """A cursor over the bytes of a footer."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def row_groups(self) -> Iterator[int]:
        for number, kind in self.fields():
            if number == 4 and kind == _LIST:
                count, inner = self.list_head()
                for _ in range(count if inner == _STRUCT else 0):
                    yield self.rows_of_group()
            else:
                self.skip(kind)

    def rows_of_group(self) -> int:
        rows = 0
        for number, kind in self.fields():
            if number == 3 and kind == _I64:
                rows = self.integer()
            else:
                self.skip(kind)
        if rows < 0:
            raise ValueError(rows)
        return rows

    def fields(self) -> Iterator[tuple[int, int]]:
        """Number and type of each field of the struct at the cursor; the caller consumes the value."""
        number = 0
        while (head := self.byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self.integer()
            yield number, head & 15

    def byte(self) -> int:
        value = self.content[self.at]
        self.at += 1
        return value

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            part = self.byte()
            value |= (part & 127) << shift
            if part < 128:
                return value
        raise ValueError(value)

    def integer(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def list_head(self) -> tuple[int, int]:
        head = self.byte()
        return (self.varint() if head >> 4 == 15 else head >> 4), head & 15

    def skip(self, kind: int, depth: int = 0) -> None:
        """Move past a value of this type."""
        if depth > _DEEPEST:
            raise ValueError(depth)
        if kind in _INTEGERS:
            self.varint()
        elif kind == _BINARY:
            length = self.varint()
            self.at += length
        elif kind in (_LIST, _SET):
            count, inner = self.list_head()
            for _ in range(count):
                self.skip(_BYTE if inner in (_TRUE, _FALSE) else inner, depth + 1)
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        else:
            self.at += _FIXED[kind]
        if self.at > len(self.content):
            raise IndexError
