"""`openbook outliers` on the screen, and its folder.

Isolation forests with limits for each column are the default: they accept every kind of column and missing
cells; they use no distance, so no scale has to be chosen; their time is proportional to the rows; 0.5 is
ordinary in every table; and a cell far outside its column's limits is never overlooked.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import typer

from openbook import registry
from openbook.cli.bar import waiting
from openbook.cli.predictions import writer
from openbook.cli.tables import open_table
from openbook.data import Categorical, Column, Table, Text
from openbook.data.describe import describe_columns
from openbook.errors import DataError, check_named, did_you_mean
from openbook.outlier.evaluation import OutlierEvaluation, evaluate_outliers
from openbook.outlier.oddest import Oddest, oddest
from openbook.outlier.simple import simple_outliers
from openbook.outlier.synthetic import evaluate_synthetic
from openbook.plan.draft import columns_left_out, nothing_left
from openbook.plan.files import write_text


def run_outliers(
    source: str,
    kinds: Mapping[str, Any],
    read_with: Mapping[str, Any],
    name: str,
    *,
    top: int,
    labels: str | None,
    synthetic: bool,
    ignore: list[str],
    out: Path | None,
) -> None:
    """Find the outliers of a table, print them, and write pictures and scores to a folder."""
    if top < 1:
        raise DataError(f"--top must be at least 1, got {top}")
    if out is not None and out.exists() and not out.is_dir():
        raise DataError(f"--out {out} is a file; name a folder")
    detector = _detector(name)
    with waiting("Reading"):
        table = open_table(source, kinds, read_with)
        truth = None if labels is None else _truth(table, labels)
        marked = [] if truth is None else [truth[0]]
        left_out = dict(columns_left_out(table, marked, ignore, kinds, describe_columns(table)))
        X = table.drop(*left_out, *marked)
        if not X.names:
            raise DataError(nothing_left("look at", left_out))
    with waiting("Looking for outliers"):
        found = oddest(detector.fit(X), X, top)
        simple = simple_outliers(X.drop(*X.schema.of(Text)))
        against = None if truth is None else evaluate_outliers(detector, X, truth[1])
        made = evaluate_synthetic(detector, X) if synthetic else None
    typer.echo(found.work().text())
    if left_out:
        typer.echo("\n" + "\n".join(f"{column} is not used: {why}" for column, why in left_out.items()))
    if simple:
        typer.echo("\nOne column at a time:")
        typer.echo("\n".join(f"    {one}" for one in simple))
    for evaluation in filter(None, (against, made)):
        typer.echo(f"\n{evaluation!r}")
    if out is not None:
        _write(out, table, found, against)


def _detector(name: str) -> Any:
    names = [entry.name for entry in registry.learners("outliers")]
    check_named("detector", name, names)
    made = registry.learner(name).make()
    if "random_state" in made.get_params(deep=False):
        made.set_params(random_state=0)
    return made


def _truth(table: Table, given: str) -> tuple[str, np.ndarray]:
    """The column of labels, and which rows are outliers: those with the value after "=", or with the rarer
    one.
    """
    name, value = (given, None) if given in table.schema else given.rpartition("=")[::2]
    column: Column = table.column(name or given)
    if not isinstance(column.attribute, Categorical):
        raise DataError(f"--labels {name}: {name} is {column.attribute.kind}; add --kind {name}=nominal")
    values = column.attribute.values
    counts = np.bincount(column.data[column.data >= 0], minlength=len(values))
    if value is not None and value not in values:
        raise DataError(f"--labels: {name} is never {value!r}. {did_you_mean(value, values)}")
    seen = np.flatnonzero(counts)
    if value is None and len(seen) != 2:
        what = f"it has {len(seen)} values"
        raise DataError(f"--labels {name}: {what}; say which marks outliers, as in {name}={values[0]}")
    odd = values.index(value) if value is not None else int(seen[counts[seen].argmin()])
    return name, column.data == odd


def _write(out: Path, table: Table, found: Oddest, against: OutlierEvaluation | None) -> None:
    """The folder: every row with its score, and the pictures."""
    import polars as pl

    out.mkdir(parents=True, exist_ok=True)
    verdicts = np.where(found.scores > found.threshold, -1, 1)
    frame = table.to_polars().with_columns(
        pl.Series("outlier_score", found.scores), pl.Series("verdict", verdicts)
    )
    writer(out / "scores.csv")([frame])
    write_text(out / "scores.svg", found.draw().svg() + "\n")
    if (first := found.reasons[0]) is not None:
        write_text(out / "oddest.svg", first.draw().svg() + "\n")
    if against is not None:
        write_text(out / "roc.svg", against.draw().svg() + "\n")
    typer.echo(f"\nScores of all rows and charts: {out}")
