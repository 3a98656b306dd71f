"""Derivations and rules from a model file, on the screen or in a file."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

from openbook.cli.output import put_out
from openbook.cli.screen import console, readable
from openbook.cli.tables import open_table
from openbook.data import Table
from openbook.errors import DataError
from openbook.store import from_file, open_model
from openbook.work import Work
from openbook.work.text import to_text

#: The width of derivations in a file.
_WIDTH = 100


def derive_file(model: Any, new: str | None, row: int | None, read_with: Mapping[str, Any]) -> Work:
    """How the model was fitted or, for a row of `new`, how its prediction was made."""
    if new is None:
        if row is not None:
            raise DataError(f"--row {row}: name the table that has the row, as in MODEL new.csv --row {row}")
        whole: Work = model.work()
        return whole
    row = row or 0
    table = open_table(new, model.schema_, read_with)
    if not 0 <= row < len(table):
        raise DataError(f"--row {row}: {new} has {len(table):,} rows; give one from 0 to {len(table) - 1}")
    one: Work = model.work(with_its_sequence(model, table, row))
    return one


def with_its_sequence(model: Any, table: Table, row: int) -> Table:
    """The row; for a sequence model, all rows of its sequence."""
    if not judges_sequences(model):
        return table.take([row])
    if model.sequence not in table.schema:
        return table
    names = table.data(model.sequence)
    return table.take(np.flatnonzero(names == names[row]))


def judges_sequences(model: Any) -> bool:
    """Whether the model predicts the rows of a sequence together."""
    return hasattr(model, "sequence") and not getattr(model, "alone", False)


def write_work(work: Work, form: str, out: Path | None, note: str = "") -> None:
    """Print or write a derivation; in a text, the doubts of a study about the model come first."""
    if form == "html":
        from openbook.work.html import to_html

        written = to_html(work, standalone=True)
    elif form == "json":
        written = json.dumps(work.json(), indent=2, ensure_ascii=False) + "\n"
    else:
        on_screen = out is None and sys.stdout.isatty()
        width = readable(console()) if on_screen else _WIDTH  # what is redirected equals what `-o` writes
        written = (work.latex() if form == "latex" else to_text(work, width, wrap_grids=on_screen)) + "\n"
        if note and form == "text":
            written = f"{fill(note, width)}\n\n{written}"
    put_out(written, out)


def write_rules(path: Path, form: str, out: Path | None) -> None:
    """Print or write the rules of the tree in a model file."""
    model = open_model(path)
    if not hasattr(model, "rules"):
        raise DataError(f"{path} holds {type(model).__name__}, which has no rules; see openbook work {path}")
    with from_file(path):
        listed = model.rules()
    if form == "json":
        written = json.dumps(listed.to_json(), indent=2, ensure_ascii=False)
    else:
        written = listed.sql() if form == "sql" else listed.text()
    put_out(written + "\n", out)
