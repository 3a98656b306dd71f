"""Predictions beside the rows that they are for, written as CSV, Parquet or JSON lines."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.cli.output import put_out
from openbook.data import Numeric, Table
from openbook.data.attributes import as_text
from openbook.errors import DataError
from openbook.plan.files import whole_file
from openbook.work.formula import printable

if TYPE_CHECKING:
    import polars as pl

__all__ = ["predicted", "threshold_note", "writer"]


def predicted(model: Any, table: Table, *, with_proba: bool) -> "pl.DataFrame":
    """The rows, what is predicted for them, and the probability of each class if it is asked for."""
    import polars as pl

    if with_proba and not hasattr(model, "predict_proba"):
        raise DataError(f"--proba: {type(model).__name__} predicts no probabilities; omit --proba")
    new = {"prediction": model.predict(table).tolist()}
    if with_proba:
        shares = model.predict_proba(table)
        new |= {f"P({as_text(label)})": shares[:, c] for c, label in enumerate(model.classes_.tolist())}
    frame = table.to_polars().with_columns(_whole_numbers(table))
    return frame.with_columns(
        [pl.Series(_free_name(name, table.names), values) for name, values in new.items()]
    )


def threshold_note(model: Any) -> str:
    """The decision threshold in use, where it is not the usual 0.5; else nothing."""
    at = getattr(model, "best_threshold_", math.nan)
    if math.isnan(at):
        return ""
    positive = printable(as_text(model.classes_.tolist()[1]))
    return f"Threshold: {positive} is predicted where its probability is at least {at:.3g}."


def _whole_numbers(table: Table) -> "list[pl.Expr]":
    """Columns that hold whole numbers only are written without a point, as they were read."""
    import polars as pl

    def whole(name: str) -> bool:
        known = table.data(name)[~table.column(name).missing]
        return bool(np.all((known == np.trunc(known)) & (np.abs(known) < 2**53)))

    numeric = [attribute.name for attribute in table.schema if attribute.kind == Numeric.kind]
    return [pl.col(name).cast(pl.Int64) for name in numeric if whole(name)]


def _free_name(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += "_"
    return name


def writer(out: Path | None) -> "Callable[[pl.DataFrame], None]":
    """What writes a frame: to a file by its ending, or as CSV to standard output."""
    if out is None:
        return lambda frame: put_out(frame.write_csv())
    ending = out.suffix.lower()
    if ending not in _WRITERS:
        raise DataError(f"cannot write {out.name}: name a file that ends in {', '.join(_WRITERS)}")

    def write(frame: "pl.DataFrame") -> None:
        with whole_file(out) as beside:
            _WRITERS[ending](frame, beside)

    return write


_WRITERS: "dict[str, Callable[[pl.DataFrame, Path], Any]]" = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".parquet": lambda frame, path: frame.write_parquet(path),
    ".jsonl": lambda frame, path: frame.write_ndjson(path),
}
