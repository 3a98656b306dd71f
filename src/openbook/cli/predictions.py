"""Predictions with their rows, written as CSV, Parquet or JSON lines.

Files larger than memory are streamed: one pass finds their kinds (`scan`), one the format of their numbers,
and one predicts and writes, a chunk of rows at a time. The output is the same.
"""

import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.cli.derivations import judges_sequences
from openbook.cli.output import put_out
from openbook.cli.tables import open_table
from openbook.data import Datetime, Numeric, Schema, Table, scan
from openbook.data.attributes import as_text
from openbook.data.scan import SCANNED_WITH, Scan, size_on_disk
from openbook.errors import DataError
from openbook.plan.files import whole_file
from openbook.words.sentences import printable

if TYPE_CHECKING:
    import polars as pl

#: Files of more bytes are streamed.
STREAMED = 1 << 26
#: The format of times of day, with parts of a second if there are any.
_TIMES = "%H:%M:%S%.f"


def rows_to_predict(new: str, schema: Schema, read_with: Mapping[str, Any]) -> Table | Scan:
    """The rows of a file, or of a folder or pattern of files; as a scan where they are large."""
    if read_with.keys() <= SCANNED_WITH and size_on_disk(new) > STREAMED:
        return scan(new, schema, **read_with)
    return open_table(new, schema, read_with)


def predicted(model: Any, rows: Table | Scan, *, with_proba: bool) -> "Iterator[pl.DataFrame]":
    """The rows with their predictions and, if requested, the probability of each class."""
    if with_proba and not hasattr(model, "predict_proba"):
        raise DataError(f"--proba: {type(model).__name__} predicts no probabilities; omit --proba")
    types, tables = _types(rows), chunks_of(rows)
    if isinstance(rows, Scan) and judges_sequences(model):
        from openbook.sequence.scanned import whole_sequences

        tables = whole_sequences(tables, model.sequence)
    return (_with_predictions(model, table, types, with_proba=with_proba) for table in tables)


def chunks_of(rows: Table | Scan) -> Iterable[Table]:
    """The rows in parts that fit into memory."""
    return rows.chunks() if isinstance(rows, Scan) else [rows]


def _with_predictions(
    model: Any, table: Table, types: "Mapping[str, pl.DataType]", *, with_proba: bool
) -> "pl.DataFrame":
    import polars as pl

    sets = hasattr(model, "predict_sets")  # several labels at once
    new = {"prediction": model.predict_sets(table) if sets else model.predict(table).tolist()}
    if with_proba:
        shares, labels = model.predict_proba(table), model.labels_ if sets else model.classes_
        new |= {f"P({as_text(label)})": shares[:, c] for c, label in enumerate(labels.tolist())}
    return _frame(table, types).with_columns(
        [pl.Series(_free_name(name, table.names), values) for name, values in new.items()]
    )


def _frame(table: Table, types: "Mapping[str, pl.DataType]") -> "pl.DataFrame":
    """The rows as they are written; times keep the clock of their zone.

    Polars has no zone for a mere distance from UTC, such as +02:00, so these times become texts.
    """
    import polars as pl

    clocks = [a for a in table.schema if isinstance(a, Datetime) and a.zone.startswith(("+", "-"))]
    frame = table.to_polars().cast(types)  # type: ignore[arg-type]
    return frame.with_columns(
        pl.Series(a.name, a.on_clock(table.data(a.name))).dt.strftime(f"%Y-%m-%d {_TIMES}{a.zone}")
        for a in clocks
    )


def sequence_note(model: Any, rows: Table | Scan) -> str:
    """A warning if rows lack the column of their sequence; else empty."""
    name = getattr(model, "sequence", None)
    if name is None or name in rows.schema or not judges_sequences(model):
        return ""
    return f"no column {name!r}: all rows are read as one sequence"


def threshold_note(model: Any) -> str:
    """The tuned decision threshold, in words; empty without one."""
    at = getattr(model, "best_threshold_", math.nan)
    if math.isnan(at):
        return ""
    positive = printable(as_text(model.classes_.tolist()[1]))
    return f"Threshold: {positive} is predicted where its probability is at least {at:.3g}."


def _types(rows: Table | Scan) -> "dict[str, pl.DataType]":
    """The types in which numbers and times are written: whole numbers and dates if all cells are such."""
    import polars as pl

    numbers = [a.name for a in rows.schema if a.kind == Numeric.kind]
    dates = [a.name for a in rows.schema if isinstance(a, Datetime) and not (a.zone or a.is_time)]
    whole = {*numbers, *dates}
    for table in chunks_of(rows):
        whole = {name for name in whole if _is_whole(table.data(name))}
    written: dict[str, pl.DataType] = {name: pl.Int64() for name in numbers if name in whole}
    return written | {name: pl.Date() if name in whole else pl.Datetime("us") for name in dates}


def _is_whole(numbers: np.ndarray) -> bool:
    known = numbers[~np.isnan(numbers)]
    return bool(np.all((known == np.trunc(known)) & (np.abs(known) < 2**53)))


def _free_name(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += "_"
    return name


def writer(out: Path | None) -> "Callable[[Iterable[pl.DataFrame]], None]":
    """A function that writes frames one after the other: to a file by its ending, or as CSV to the screen."""
    if out is None:
        return _print
    ending = out.suffix.lower()
    if ending not in _WRITERS:
        raise DataError(f"cannot write {out.name}: name a file that ends in {', '.join(_WRITERS)}")

    def write(frames: "Iterable[pl.DataFrame]") -> None:
        with whole_file(out) as beside:
            _WRITERS[ending](frames, beside)

    return write


def written(out: Path, table: Table) -> None:
    """Write a table to a file by its ending."""
    writer(out)([_frame(table, _types(table))])


def _print(frames: "Iterable[pl.DataFrame]") -> None:
    for i, frame in enumerate(frames):
        put_out(_dated(frame).write_csv(include_header=i == 0, time_format=_TIMES))


def _dated(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The frame with moments as people write them: 2024-03-01 14:30:00, and the offset of their zone."""
    import polars as pl

    zones = {name: kind.time_zone for name, kind in frame.schema.items() if isinstance(kind, pl.Datetime)}
    return frame.with_columns(
        pl.col(name).dt.strftime(f"%Y-%m-%d {_TIMES}{'%:z' if zone else ''}") for name, zone in zones.items()
    )


def _write_lines(separator: str, frames: "Iterable[pl.DataFrame]", path: Path) -> None:
    with path.open("wb") as file:
        for i, frame in enumerate(frames):
            _dated(frame).write_csv(file, separator=separator, include_header=i == 0, time_format=_TIMES)


def _write_json(frames: "Iterable[pl.DataFrame]", path: Path) -> None:
    with path.open("wb") as file:
        for frame in frames:
            frame.write_ndjson(file)


def _write_parquet(frames: "Iterable[pl.DataFrame]", path: Path) -> None:
    """A file for each frame, and then one of them all, which polars streams."""
    import polars as pl

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        parts = []
        for i, frame in enumerate(frames):
            parts.append(Path(folder, f"{i}.parquet"))
            frame.write_parquet(parts[-1])
        if len(parts) == 1:
            parts[0].replace(path)
        else:
            pl.scan_parquet(parts).sink_parquet(path)


_WRITERS: "dict[str, Callable[[Iterable[pl.DataFrame], Path], None]]" = {
    ".csv": partial(_write_lines, ","),
    ".tsv": partial(_write_lines, "\t"),
    ".parquet": _write_parquet,
    ".jsonl": _write_json,
}
