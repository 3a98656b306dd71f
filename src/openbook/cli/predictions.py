"""Predictions beside the rows that they are for, written as CSV, Parquet or JSON lines."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from openbook.data import Table
from openbook.data.attributes import as_text
from openbook.errors import DataError
from openbook.plan.files import whole_file

if TYPE_CHECKING:
    import polars as pl

__all__ = ["predicted", "write_frame"]


def predicted(model: Any, table: Table, *, with_proba: bool) -> "pl.DataFrame":
    """The rows, what is predicted for them, and the probability of each class if it is asked for."""
    import polars as pl

    if with_proba and not hasattr(model, "predict_proba"):
        raise DataError(
            f"--proba: {type(model).__name__} predicts numbers, which have no probabilities; leave it out"
        )
    new = {"prediction": model.predict(table).tolist()}
    if with_proba:
        shares = model.predict_proba(table)
        new |= {f"P({as_text(label)})": shares[:, c] for c, label in enumerate(model.classes_.tolist())}
    frame = table.to_polars().with_columns(_whole_numbers(table))
    return frame.with_columns(
        [pl.Series(_free_name(name, table.names), values) for name, values in new.items()]
    )


def _whole_numbers(table: Table) -> "list[pl.Expr]":
    """Columns that hold whole numbers only are written without a point, as they were read."""
    import numpy as np
    import polars as pl

    def whole(name: str) -> bool:
        known = table.data(name)[~table.column(name).missing]
        return bool(np.all((known == np.trunc(known)) & (np.abs(known) < 2**53)))

    from openbook.data import Numeric

    return [pl.col(name).cast(pl.Int64) for name in table.schema.of(Numeric) if whole(name)]


def _free_name(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += "_"
    return name


def write_frame(frame: "pl.DataFrame", out: Path | None) -> None:
    """To a file by its ending, or as CSV to standard output."""
    import typer

    if out is None:
        typer.echo(frame.write_csv(), nl=False)
        return
    writers = {
        ".csv": frame.write_csv,
        ".tsv": lambda path: frame.write_csv(path, separator="\t"),
        ".parquet": frame.write_parquet,
        ".jsonl": frame.write_ndjson,
    }
    write = writers.get(out.suffix.lower())
    if write is None:
        raise DataError(f"cannot write {out.name}: name a file that ends in {', '.join(writers)}")
    with whole_file(out) as beside:
        write(beside)
