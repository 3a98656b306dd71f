"""Tables from files: the format follows from the end of the name.

.csv .tsv .txt .data .dat   see `openbook.data.delimited`
.parquet                    typed columns, see `openbook.data.frames`
.arff                       see `openbook.data.arff`
.jsonl .ndjson              a JSON object on each line; a key that a line lacks is a missing cell
.json                       a list of such objects, maybe under a key; or a list of cells for each column;
                            or a list of rows; or an object for each column, as pandas writes it
.xlsx .xlsm                 a sheet, or a range in it, see `openbook.data.xlsx`
.db .sqlite .sqlite3        SQLite, by query, see `openbook.data.database`
.duckdb                     DuckDB, by query

Text files may be packed, see `openbook.data.packed`. The first bytes of standard input (`-`) tell its format.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openbook.data.arff import read_arff
from openbook.data.arrays import from_array, from_rows, headed
from openbook.data.database import read_duckdb, read_sqlite
from openbook.data.delimited import read_delimited
from openbook.data.frames import from_polars
from openbook.data.packed import PACKED, inner_name, text_of, unpacked
from openbook.data.parquet import ParquetFile
from openbook.data.reading import STARTS, Reading
from openbook.data.table import Table
from openbook.data.xlsx import read_xlsx
from openbook.errors import DataError, did_you_mean

Reader = Callable[[Path, Reading], Table]


def read_file(source: Any, how: Reading) -> Table:
    """A table from a file."""
    path = check_file(Path(source))
    kind = format_of(path)
    for option, given, kinds in (("sheet", how.sheet, WORKBOOKS), ("query", how.query, DATABASES)):
        if given is not None and kind not in kinds:
            raise DataError(f"{path}: {option} is for {' '.join(kinds)} files; omit it")
    return FORMATS[kind](path, how)


def read_stream(stream: Any, how: Reading) -> Table:
    """A table from an open file, such as standard input; its first bytes tell the format."""
    content = stream.read()
    content = content.encode() if isinstance(content, str) else content
    with TemporaryDirectory(prefix="openbook-") as folder:
        stem = Path(folder, "input")
        try:
            path = _temporary_file(stem, content)
            return read_file(_temporary_file(stem, unpacked(path)) if path.suffix in PACKED else path, how)
        except DataError as error:
            raise DataError(re.sub(rf"{re.escape(str(stem))}[.\w]*", "standard input", str(error))) from None


def _temporary_file(stem: Path, content: bytes) -> Path:
    """The bytes in a file whose name tells the format."""
    suffix = next((suffix for start, suffix in STARTS if content.lstrip().startswith(start)), ".csv")
    if suffix == ".zip" and b"xl/workbook.xml" in content:
        suffix = ".xlsx"
    path = stem.with_suffix(suffix)
    path.write_bytes(content)
    return path


def format_of(path: Path) -> str:
    """The end of the name that tells the format."""
    known = Path(inner_name(path)).suffix.lower()
    packed = path.suffix.lower() in PACKED
    if known not in FORMATS or (packed and known not in _TEXTS):
        held = f" holds {inner_name(path)}" if packed else ""
        hint = "; save it as .xlsx or .csv" if known in _SPREADSHEETS else ""
        kinds = _TEXTS if packed else FORMATS
        raise DataError(
            f"{path}{held}: the file extension gives the format and must be one of {' '.join(kinds)}{hint}"
        )
    return known


def check_file(path: Path) -> Path:
    """The path, if there is a readable file."""
    try:
        if path.is_dir():
            raise DataError(f"{path} is a directory; name a file in it, or scan('{path}/*.parquet')")
        if not path.exists():
            folder = path.parent
            siblings = sorted(file.name for file in folder.iterdir()) if folder.is_dir() else []
            absent = f"{folder} is not a directory, or is empty."
            raise DataError(
                f"there is no file {path}. {did_you_mean(path.name, siblings) if siblings else absent}"
            )
        path.open("rb").close()
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{str(path)!r} cannot be opened ({error})") from None
    return path


def read_parquet(path: Path, how: Reading) -> Table:
    """A table from a Parquet file."""
    file = ParquetFile.open(path)
    return from_polars(file.frame(file.names), how)


def read_json_lines(path: Path, how: Reading) -> Table:
    """A table from a file with a JSON object on each line; blank lines are skipped."""
    lines = text_of(path, how).split("\n")
    rows = [_json_row(path, i, line) for i, line in enumerate(lines, start=1) if line.strip()]
    if not rows:
        raise DataError(f"{path} is empty")
    return _from_objects(rows, how)


def _json_row(path: Path, i: int, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: line {i:,} is not JSON ({error})") from None
    if not isinstance(row, dict):
        msg = f"{path}: line {i:,} holds a {type(row).__name__}, but each line must be a JSON object"
        raise DataError(msg)
    return row


def read_json(path: Path, how: Reading) -> Table:
    """A table from a JSON file, in one of the shapes above; of an object on each line too."""
    text = text_of(path, how)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data" and text.lstrip()[0] == "{":
            return read_json_lines(path, how)
        raise DataError(f"{path} is not JSON ({error})") from None
    rows = _json_rows(content) if isinstance(content, dict) else content
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict | list):
        msg = f'{path} must be a list of objects, such as [{{"a": 1}}, {{"a": 2}}], or an object of columns'
        raise DataError(msg)
    if isinstance(rows[0], dict):
        return _from_objects(rows, how)
    texts = [all(isinstance(cell, str) for cell in row) for row in rows if isinstance(row, list)]
    named = how.header or (how.header is None and texts[0] and not all(texts))
    return from_rows(headed(*rows), how) if named else from_array(rows, how)


def _json_rows(content: dict[str, Any]) -> Any:
    """The rows of an object: under a key, by columns, as pandas writes them, or a single one; else None."""
    parts = list(content.values())
    lists = [part for part in parts if isinstance(part, list)]
    if {"columns", "data"} <= content.keys() <= {"columns", "index", "data"} and content["data"]:
        return [content["columns"], *content["data"]]
    if len(lists) == 1 and lists[0] and isinstance(lists[0][0], dict):
        return lists[0]
    if lists and len(lists) == len(content) and len(set(map(len, lists))) == 1:
        return [dict(zip(content, cells, strict=True)) for cells in zip(*lists, strict=True)]
    if parts and all(isinstance(part, dict) and part.keys() == parts[0].keys() for part in parts):
        return [{name: content[name][row] for name in content} for row in parts[0]]
    return None if lists or all(isinstance(part, dict) for part in parts) else [content]


def _from_objects(rows: Sequence[Any], how: Reading) -> Table:
    """A table from objects; those inside them become columns such as address.city."""
    inner = {key for row in rows if isinstance(row, dict) for key in row if isinstance(row[key], dict)}
    if not inner:
        return from_rows(rows, how)
    flat = [_flat(row, inner) if isinstance(row, dict) else row for row in rows]
    names = [name for row in flat if isinstance(row, dict) for name in row if name.partition(".")[0] in inner]
    return from_rows(flat, how, [f"objects inside objects are columns, such as {name}" for name in names[:1]])


def _flat(row: Mapping[str, Any], inner: Collection[str] = (), prefix: str = "") -> dict[str, Any]:
    """The cells of an object and of those inside it, by their path; null in place of an object is none.

    >>> _flat({"name": "Ann", "address": {"city": "Ulm", "at": {"x": 1}}, "job": None}, ["address", "job"])
    {'name': 'Ann', 'address.city': 'Ulm', 'address.at.x': 1}
    """
    cells: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            cells |= _flat(value, prefix=f"{prefix}{key}.")
        elif value is not None or key not in inner:
            cells[f"{prefix}{key}"] = value
    return cells


_SPREADSHEETS = (".xls", ".xlsb", ".ods", ".numbers")
WORKBOOKS = (".xlsx", ".xlsm")
DATABASES = (".db", ".sqlite", ".sqlite3", ".duckdb")
_TEXTS = (".csv", ".tsv", ".txt", ".data", ".dat", ".arff", ".jsonl", ".ndjson", ".json")
FORMATS: dict[str, Reader] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".data", ".dat"), read_delimited),
    ".parquet": read_parquet,
    ".arff": read_arff,
    **dict.fromkeys((".jsonl", ".ndjson"), read_json_lines),
    ".json": read_json,
    **dict.fromkeys(WORKBOOKS, read_xlsx),
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), read_sqlite),
    ".duckdb": read_duckdb,
}
