"""Tables from files: the format follows from the end of the name.

.csv .tsv .txt, also .gz    see `openbook.data.delimited`
.parquet                    typed columns, see `openbook.data.frames`
.arff                       see `openbook.data.arff`
.jsonl .ndjson              a JSON object on each line; a key that a line lacks is a missing cell
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from openbook.data.arff import read_arff
from openbook.data.arrays import from_rows
from openbook.data.delimited import read_delimited
from openbook.data.frames import from_polars
from openbook.data.lines import not_utf8
from openbook.data.parquet import ParquetFile
from openbook.data.reading import Reading
from openbook.data.table import Table
from openbook.errors import DataError, did_you_mean

__all__ = ["FORMATS", "check_file", "format_of", "read_file"]

Reader = Callable[[Path, Reading], Table]


def read_file(source: Any, how: Reading) -> Table:
    """A table from a file."""
    path = check_file(Path(source))
    return FORMATS[format_of(path)](path, how)


def format_of(path: Path) -> str:
    """The end of the name that tells the format."""
    suffix = path.suffixes[-2:-1] if path.suffix.lower() == ".gz" else path.suffixes[-1:]
    known = suffix[0].lower() if suffix else ""
    if known not in FORMATS or (path.suffix.lower() == ".gz" and known not in {".csv", ".tsv", ".txt"}):
        msg = f"{path}: the file extension gives the format and must be one of {' '.join(FORMATS)}"
        raise DataError(msg)
    return known


def check_file(path: Path) -> Path:
    """The path, if there is a readable file."""
    try:
        if path.is_dir():
            msg = f"{path} is a directory; name a file in it, or scan('{path}/*.parquet')"
            raise DataError(msg)
        if not path.exists():
            folder = path.parent
            siblings = sorted(file.name for file in folder.iterdir()) if folder.is_dir() else []
            hint = (
                did_you_mean(path.name, siblings)
                if siblings
                else f"{folder} is not a directory, or is empty."
            )
            msg = f"there is no file {path}. {hint}"
            raise DataError(msg)
        with path.open("rb"):
            pass
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        msg = f"{str(path)!r} cannot be opened ({error})"
        raise DataError(msg) from None
    return path


def read_parquet(path: Path, how: Reading) -> Table:
    """A table from a Parquet file."""
    file = ParquetFile.open(path)
    return from_polars(file.frame(file.names), how)


def read_json_lines(path: Path, how: Reading) -> Table:
    """A table from a file with a JSON object on each line; blank lines are skipped."""
    content = path.read_bytes()
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        import numpy as np

        msg = f"{path}: {not_utf8(np.frombuffer(content, np.uint8))}"
        raise DataError(msg) from None
    rows = [_json_row(path, i, line) for i, line in enumerate(lines, start=1) if line.strip()]
    if not rows:
        msg = f"{path} is empty"
        raise DataError(msg)
    return from_rows(rows, how)


def _json_row(path: Path, i: int, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        msg = f"{path}: line {i:,} is not JSON ({error})"
        raise DataError(msg) from None
    if not isinstance(row, dict):
        msg = f"{path}: line {i:,} holds a {type(row).__name__}, but each line must be a JSON object"
        raise DataError(msg)
    return row


FORMATS: dict[str, Reader] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".txt": read_delimited,
    ".parquet": read_parquet,
    ".arff": read_arff,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
}
